//! `gather` and `scatter`, whose dimension numbers are StableHLO's. What becomes of windows outside differs: a gather that
//! reads zeros is masked, a scatter that moves windows inside moves their indices.
use tfc_ir::ops::index::{GATHER, IndexDims, SCATTER};
use tfc_ir::{DType, Result, Tensor};

use super::Rows;
use super::shape::index;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::ty::Ty;
use crate::write::writer::{Val, Writer, array, broken, ints};

pub(super) const ROWS: Rows = &[(&GATHER, By(gather)), (&SCATTER, By(scatter))];

/// Of `x` what stands at these index vectors (the last axis of `at`) along `axes`, which are gone; the axes of `at` stand at
/// `place`, those that are left in their order. Every index is inside.
pub(super) fn at_indices(w: &mut Writer, x: &Val, at: &Val, axes: &[usize], place: usize) -> Val {
    let rest: Vec<usize> = (0..x.rank()).filter(|a| !axes.contains(a)).collect();
    let rows = at.rank().saturating_sub(1);
    let window: Vec<usize> = (0..rest.len()).map(|i| if i < place { i } else { i + rows }).collect();
    let mut dims: Vec<usize> = rest.iter().filter_map(|&a| x.dims().get(a).copied()).collect();
    let cut = place.min(dims.len());
    dims.splice(cut..cut, at.dims().get(..rows).unwrap_or_default().iter().copied());
    let sizes: Vec<usize> = x.dims().iter().enumerate().map(|(a, &n)| if axes.contains(&a) { 1 } else { n }).collect();
    let numbers = format!(
        "#stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, start_index_map = {}, index_vector_dim = {rows}>",
        ints(&window),
        ints(axes),
        ints(axes)
    );
    gathered(w, x, at, &numbers, &sizes, x.ty.shaped(dims))
}
fn gathered(w: &mut Writer, x: &Val, at: &Val, numbers: &str, sizes: &[usize], ty: Ty) -> Val {
    let (xt, it) = (x.ty.clone(), at.ty.clone());
    if w.is_open(sizes) {
        let sizes = w.shape(sizes);
        let what = format!(
            "\"stablehlo.dynamic_gather\"({x}, {at}, {sizes}) <{{dimension_numbers = {numbers}, indices_are_sorted = false}}>"
        );
        return w.emit(ty.clone(), format_args!("{what} : ({xt}, {it}, {}) -> {ty}", sizes.ty));
    }
    w.emit(
        ty.clone(),
        format_args!(
            "\"stablehlo.gather\"({x}, {at}) <{{dimension_numbers = {numbers}, indices_are_sorted = false, slice_sizes = {}}}> : ({xt}, {it}) -> {ty}",
            array(sizes)
        ),
    )
}
/// `name = [0, 1], ` where there is something to say.
fn field(out: &mut Vec<String>, name: &str, v: &[usize]) {
    if !v.is_empty() {
        out.push(format!("{name} = {}", ints(v)));
    }
}
/// Component `k` of the index vectors, an index each.
fn component(w: &mut Writer, at: &Val, d: &IndexDims, k: usize) -> Val {
    if d.vector >= at.rank() {
        return at.clone();
    }
    let one = w.cut(at, d.vector, k, k + 1);
    let dims: Vec<usize> = tfc_ir::types::without(one.dims(), &[d.vector]);
    w.reshape(&one, &dims)
}

pub(super) fn gather(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, at, ty) = (cx.arg(0)?, cx.arg(1)?, cx.result(0)?);
    let d = IndexDims::of_gather(cx.attrs(), cx.func().ty(cx.op().operands[1]));
    let sizes = cx.sizes("slice_sizes", x.rank(), 1)?;
    let zeros = cx.attrs().word("out_of_bounds") == Some("zero");
    let fits = sizes.iter().zip(x.dims()).all(|(s, n)| s <= n);
    if ty.is_empty() || !fits {
        return Ok(vec![cx.splat(&ty, 0.0)?]);
    }
    let at = index(cx, &at)?;
    let mut said = vec![];
    field(&mut said, "offset_dims", &d.window);
    field(&mut said, "collapsed_slice_dims", &d.collapsed);
    field(&mut said, "operand_batching_dims", &d.batch);
    field(&mut said, "start_indices_batching_dims", &d.index_batch);
    field(&mut said, "start_index_map", &d.map);
    said.push(format!("index_vector_dim = {}", d.vector));
    let y = gathered(cx, &x, &at, &format!("#stablehlo.gather<{}>", said.join(", ")), &sizes, ty.clone());
    if !zeros || d.map.is_empty() {
        return Ok(vec![y]);
    }
    let mut inside: Option<Val> = None;
    for (k, &a) in d.map.iter().enumerate() {
        let i = component(cx, &at, &d, k);
        let last = x.dims().get(a).copied().unwrap_or(0) - sizes.get(a).copied().unwrap_or(0);
        let ok = within(cx, &i, last)?;
        inside = Some(match inside {
            Some(all) => cx.bin("and", &all, &ok),
            None => ok,
        });
    }
    let inside = inside.ok_or_else(|| broken("an index"))?;
    let mask = cx.broadcast(&inside, &d.batch_axes(ty.rank()), &ty.with(DType::Bool));
    let zero = cx.splat(&ty, 0.0)?;
    Ok(vec![cx.select(&mask, &y, &zero)])
}
/// `0 ≤ i ≤ last`
fn within(w: &mut Writer, i: &Val, last: usize) -> Result<Val> {
    let (low, high) = (w.splat(&i.ty, 0.0)?, w.splat(&i.ty, last as f64)?);
    let (a, b) = (w.compare("GE", i, &low), w.compare("LE", i, &high));
    Ok(w.bin("and", &a, &b))
}

fn scatter(cx: &mut Cx) -> Result<Vec<Val>> {
    let clamp = cx.attrs().word("out_of_bounds") == Some("clamp");
    scattered(cx, clamp)
}
/// Windows outside are moved inside, or dropped.
pub(super) fn scattered(cx: &mut Cx, clamp: bool) -> Result<Vec<Val>> {
    let (x, at, u) = (cx.arg(0)?, cx.arg(1)?, cx.arg(2)?);
    let d = IndexDims::of_scatter(cx.attrs(), cx.func().ty(cx.op().operands[1]));
    if u.ty.is_empty() || x.ty.is_empty() {
        return Ok(vec![x]);
    }
    let mut sizes = vec![1; x.rank()];
    for (&a, &w) in d.window_axes(x.rank()).iter().zip(&d.window) {
        if let (Some(s), Some(&n)) = (sizes.get_mut(a), u.dims().get(w)) {
            *s = n;
        }
    }
    let mut at = index(cx, &at)?;
    if clamp {
        at = moved(cx, &at, &d, &x, &sizes)?;
    }
    let (mut d, mut u) = (d, u);
    // XLA takes one window after the other, and here updates go by their order. Where that differs, each is a window.
    let last_window = d.window.iter().zip(u.rank() - d.window.len()..).all(|(&w, a)| w == a);
    let joins = matches!(cx.attrs().word("combine"), Some("add" | "mul" | "min" | "max"));
    if !last_window && !joins && d.window.iter().any(|&w| u.dims().get(w) != Some(&1)) {
        (at, u, d) = single(cx, &at, &u, &d, &x, &sizes)?;
    }
    let mut said = vec![];
    field(&mut said, "update_window_dims", &d.window);
    field(&mut said, "inserted_window_dims", &d.collapsed);
    field(&mut said, "input_batching_dims", &d.batch);
    field(&mut said, "scatter_indices_batching_dims", &d.index_batch);
    field(&mut said, "scatter_dims_to_operand_dims", &d.map);
    said.push(format!("index_vector_dim = {}", d.vector));
    let attrs = format!(
        "indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<{}>, unique_indices = false",
        said.join(", ")
    );
    let one = Ty::scalar(x.dtype());
    let region = match cx.attrs().word("combine").map(str::to_owned) {
        Some(word) => cx.scalars(&[one.clone(), one], |w, p| combined(w, &word, p))?,
        None => cx.closed(0, &[one.clone(), one])?,
    };
    let ty = x.ty.clone();
    Ok(cx.generic("scatter", &[x, at, u], &attrs, &[region], &[ty]))
}
fn combined(w: &mut Writer, word: &str, p: &[Val]) -> Result<Vec<Val>> {
    let [old, new] = p else { return Err(broken("a combination")) };
    let flags = old.dtype() == DType::Bool;
    Ok(vec![match word {
        "add" => w.bin("add", old, new),
        "mul" => w.bin("multiply", old, new),
        "max" if flags => w.bin("or", old, new),
        "min" if flags => w.bin("and", old, new),
        "max" => w.bin("maximum", old, new),
        "min" => w.bin("minimum", old, new),
        _ => new.clone(),
    }])
}
/// Updates one by one, in their order: the place of each in all axes of `x`, or −1 where its window leaves `x`.
fn single(w: &mut Writer, at: &Val, u: &Val, d: &IndexDims, x: &Val, sizes: &[usize]) -> Result<(Val, Val, IndexDims)> {
    let places = u.ty.with(DType::I64);
    let (walks, batch) = (d.index_axes(at.rank()), d.batch_axes(u.rank()));
    let windows = d.window_axes(x.rank());
    let (mut all, mut inside): (Vec<Val>, Option<Val>) = (vec![], None);
    for a in 0..x.rank() {
        let mut place = if let Some(k) = d.map.iter().position(|&m| m == a) {
            let start = component(w, at, d, k);
            let room = x.dims().get(a).copied().unwrap_or(0).saturating_sub(sizes.get(a).copied().unwrap_or(0));
            let ok = within(w, &start, room)?;
            let ok = w.broadcast(&ok, &batch, &u.ty.with(DType::Bool));
            inside = Some(match inside {
                Some(i) => w.bin("and", &i, &ok),
                None => ok,
            });
            w.broadcast(&start, &batch, &places)
        } else if let Some(j) = d.batch.iter().position(|&b| b == a) {
            let walk = d.index_batch.get(j).and_then(|i| walks.iter().position(|p| p == i));
            let axis = walk.and_then(|p| batch.get(p)).ok_or_else(|| broken("an axis of a batch"))?;
            w.iota(&places, *axis)
        } else {
            w.splat(&places, 0.0)?
        };
        if let Some(&axis) = windows.iter().position(|&p| p == a).and_then(|p| d.window.get(p)) {
            let step = w.iota(&places, axis);
            place = w.bin("add", &place, &step);
        }
        all.push(place);
    }
    let outside = w.splat(&places, -1.0)?;
    let count: usize = u.dims().iter().product();
    let mut columns = vec![];
    for place in all {
        let place = match &inside {
            Some(i) => w.select(i, &place, &outside),
            None => place,
        };
        columns.push(w.reshape(&place, &[count, 1]));
    }
    let at = w.concat(&columns, 1)?;
    let axes: Vec<usize> = (0..x.rank()).collect();
    let d =
        IndexDims { window: vec![], collapsed: axes.clone(), batch: vec![], index_batch: vec![], map: axes, vector: 1 };
    Ok((at, w.reshape(u, &[count]), d))
}
/// The indices, moved so that windows of these sizes lie inside.
fn moved(w: &mut Writer, at: &Val, d: &IndexDims, x: &Val, sizes: &[usize]) -> Result<Val> {
    let last = |&a: &usize| -> i64 {
        let room = x.dims().get(a).copied().unwrap_or(0).saturating_sub(sizes.get(a).copied().unwrap_or(0));
        i64::try_from(room).unwrap_or(i64::MAX)
    };
    let most: Vec<i64> = d.map.iter().map(last).collect();
    let zero = w.splat(&at.ty, 0.0)?;
    let high = if d.vector < at.rank() {
        let line = Ty::new(DType::I64, [most.len()]);
        let most = w.constant(&Tensor::from_logical(&[most.len()], most)?, &line, false)?;
        w.broadcast(&most, &[d.vector], &at.ty)
    } else {
        let most = most.first().copied().unwrap_or(0);
        w.constant(&Tensor::scalar(most), &at.ty, true)?
    };
    let up = w.bin("maximum", at, &zero);
    Ok(w.bin("minimum", &up, &high))
}
