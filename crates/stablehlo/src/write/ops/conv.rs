//! Convolutions, which StableHLO has as they are.
use tfc_ir::Result;
use tfc_ir::ops::composite::CONV;

use super::Rows;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::writer::{Val, broken, ints};

pub(super) const ROWS: Rows = &[(&CONV, By(convolution))];

/// `[b, f, 0, 1]` for the places of two named axes, then of the spatial ones.
fn labels(places: &[usize], names: [&str; 2]) -> Result<String> {
    let mut out = vec![String::new(); places.len()];
    for (i, &p) in places.iter().enumerate() {
        let name = names.get(i).map_or_else(|| (i - 2).to_string(), |n| (*n).to_owned());
        *out.get_mut(p).ok_or_else(|| broken("an axis"))? = name;
    }
    Ok(ints(&out))
}
fn convolution(cx: &mut Cx) -> Result<Vec<Val>> {
    let (x, k, ty) = (cx.arg(0)?, cx.arg(1)?, cx.result(0)?);
    let (rank, n) = (x.rank(), x.rank().saturating_sub(2));
    let axes = |cx: &Cx, name: &str| -> Vec<usize> {
        if cx.attrs().get(name).is_some() { cx.attrs().indices(name) } else { (0..rank).collect() }
    };
    let numbers = format!(
        "{}x{}->{}",
        labels(&axes(cx, "x_dims"), ["b", "f"])?,
        labels(&axes(cx, "kernel_dims"), ["i", "o"])?,
        labels(&axes(cx, "out_dims"), ["b", "f"])?
    );
    let ends = |name: &str| if cx.attrs().get(name).is_some() { cx.extents(name) } else { Ok(vec![0; n]) };
    let pad: Vec<String> = ends("low")?.iter().zip(ends("high")?).map(|(l, h)| format!("[{l}, {h}]")).collect();
    let (stride, spread) = (cx.sizes("stride", n, 1)?, cx.sizes("kernel_dilation", n, 1)?);
    let dilation = if cx.attrs().get("x_dilation").is_some() { cx.attrs().indices("x_dilation") } else { vec![1; n] };
    let turned = cx.attrs().indices("reverse");
    let turned: Vec<bool> = (0..n).map(|i| turned.contains(&i)).collect();
    let (features, batches) = (cx.attrs().int_or_one("feature_groups"), cx.attrs().int_or_one("batch_groups"));
    let window = format!(
        "{{stride = {}, pad = {}, lhs_dilate = {}, rhs_dilate = {}, reverse = {}}}",
        ints(&stride),
        ints(&pad),
        ints(&dilation),
        ints(&spread),
        ints(&turned)
    );
    let groups = format!(
        "{{batch_group_count = {batches} : i64, feature_group_count = {features} : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}}"
    );
    Ok(vec![cx.emit(
        ty.clone(),
        format_args!(
            "stablehlo.convolution({x}, {k}) dim_numbers = {numbers}, window = {window} {groups} : ({}, {}) -> {ty}",
            x.ty, k.ty
        ),
    )])
}
