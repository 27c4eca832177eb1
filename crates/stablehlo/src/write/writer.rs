//! Statements of StableHLO, written one after the other: each method writes one and gives its result. Names are given when a
//! function is finished ([`Writer::finish`]): the program's own where a value has one, else numbers.
//!
//! What is written is what jax 0.10 writes, so that what reads that reads this; ops whose short form has changed from one
//! version to the next are in the generic form.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use tfc_ir::{Code, DType, Error, Extent, Result, ScalarOp, Tensor};

use tfc_ir::extent::Atom;

use crate::write::literal::dense;
use crate::write::sizes::Counts;
use crate::write::ty::{Ty, list, results};

/// A value of the function that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Val {
    id: usize,
    /// The value's type.
    pub ty: Ty,
}
/// Around the number of a value in text whose names are not given yet; nothing else writes them.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';
impl std::fmt::Display for Val {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{OPEN}{}{CLOSE}", self.id)
    }
}
impl Val {
    /// The value's extents.
    pub fn dims(&self) -> &[usize] {
        &self.ty.dims
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.ty.rank()
    }
    /// The value's element type.
    pub fn dtype(&self) -> DType {
        self.ty.dtype
    }
}
/// `%a, %b`
pub(crate) fn names(vals: &[Val]) -> String {
    let all: Vec<String> = vals.iter().map(Val::to_string).collect();
    all.join(", ")
}
/// The types of these.
pub(crate) fn types(vals: &[Val]) -> Vec<Ty> {
    vals.iter().map(|v| v.ty.clone()).collect()
}
/// `[0, 1]`
pub(crate) fn ints<T: std::fmt::Display>(v: &[T]) -> String {
    let all: Vec<String> = v.iter().map(T::to_string).collect();
    format!("[{}]", all.join(", "))
}
/// `array<i64: 0, 1>`
pub(crate) fn array<T: std::fmt::Display>(v: &[T]) -> String {
    let all: Vec<String> = v.iter().map(T::to_string).collect();
    if all.is_empty() { "array<i64>".into() } else { format!("array<i64: {}>", all.join(", ")) }
}

/// Text of a region, without its last statement, which says what it hands on.
#[derive(Debug)]
pub struct Block {
    text: String,
    consts: BTreeMap<String, Val>,
}

/// A function under construction.
#[derive(Debug, Default)]
pub struct Writer {
    text: String,
    depth: usize,
    next: usize,
    hints: BTreeMap<usize, Arc<str>>,
    /// Constants of this block by their text: each is written once.
    consts: BTreeMap<String, Val>,
    /// In a polymorphic module, what numbers stand for.
    pub(crate) open: Option<Open>,
}
/// Numbers that stand for extents of a polymorphic module ([`crate::write::polymorphic`]).
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// The extents, over the symbols of the entry.
    pub(crate) sizes: std::cell::RefCell<BTreeMap<i64, Extent>>,
    /// The symbols, an `i64[]` each.
    pub(crate) syms: Vec<Val>,
    /// What could not be said.
    pub(crate) failed: Option<Error>,
}
impl Writer {
    /// Nothing yet, within so many brackets.
    pub(crate) fn at(depth: usize) -> Writer {
        Writer { depth, ..Writer::default() }
    }
    /// Forgets what was written.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.consts.clear();
    }
    /// A value that some statement will define.
    pub(crate) fn val(&mut self, ty: Ty) -> Val {
        self.next += 1;
        Val { id: self.next, ty }
    }
    /// What the value is called, if nobody has said so before.
    pub(crate) fn hint(&mut self, v: &Val, name: &Arc<str>) {
        if !name.is_empty() && !name.bytes().all(|b| b.is_ascii_digit()) {
            self.hints.entry(v.id).or_insert_with(|| name.clone());
        }
    }
    /// One line.
    pub(crate) fn line(&mut self, text: impl std::fmt::Display) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        let _ = writeln!(self.text, "{text}");
    }
    /// A statement with one result: `op %a, %b : T`.
    pub fn emit(&mut self, ty: Ty, what: impl std::fmt::Display) -> Val {
        let v = self.val(ty);
        self.line(format_args!("{v} = {what}"));
        v
    }
    /// A statement with any number of results.
    pub fn emit_many(&mut self, types: &[Ty], what: impl std::fmt::Display) -> Vec<Val> {
        let vs: Vec<Val> = types.iter().map(|t| self.val(t.clone())).collect();
        match vs.as_slice() {
            [] => self.line(what),
            _ => self.line(format_args!("{} = {what}", names(&vs))),
        }
        vs
    }
    /// What `f` writes, as the body of a region.
    pub fn block<R>(&mut self, f: impl FnOnce(&mut Writer) -> Result<R>) -> Result<(Block, R)> {
        let opened = self.open();
        let r = f(self);
        let block = self.close(opened);
        Ok((block, r?))
    }
    /// A new block: what is written from here to [`Writer::close`], which takes what this gives.
    pub(crate) fn open(&mut self) -> Block {
        self.depth += 1;
        Block { text: std::mem::take(&mut self.text), consts: std::mem::take(&mut self.consts) }
    }
    /// The block that ends here.
    pub(crate) fn close(&mut self, outer: Block) -> Block {
        self.depth = self.depth.saturating_sub(1);
        Block {
            text: std::mem::replace(&mut self.text, outer.text),
            consts: std::mem::replace(&mut self.consts, outer.consts),
        }
    }
    /// More statements at the end of a block.
    pub(crate) fn resume<R>(&mut self, block: Block, f: impl FnOnce(&mut Writer) -> Result<R>) -> Result<(Block, R)> {
        self.block(|w| {
            (w.text, w.consts) = (block.text, block.consts);
            f(w)
        })
    }
    /// The text of a block that hands on these.
    pub(crate) fn sealed(&mut self, block: Block, yields: &[Val]) -> String {
        let mut out = block.text;
        for _ in 0..=self.depth {
            out.push_str("  ");
        }
        let _ = match yields {
            [] => writeln!(out, "stablehlo.return"),
            _ => writeln!(out, "stablehlo.return {} : {}", names(yields), list(&types(yields))),
        };
        out
    }
    fn margin(&self) -> String {
        "  ".repeat(self.depth)
    }
    /// `({ ^bb0(%a: T): … })`, a region of scalars: `f` gets a parameter of each type.
    pub fn scalars(
        &mut self,
        params: &[Ty],
        f: impl FnOnce(&mut Writer, &[Val]) -> Result<Vec<Val>>,
    ) -> Result<String> {
        let ps: Vec<Val> = params.iter().map(|t| self.val(t.clone())).collect();
        let (block, ys) = self.block(|w| f(w, &ps))?;
        Ok(self.region(&ps, block, &ys))
    }
    /// A region with these parameters, in the generic form.
    pub(crate) fn region(&mut self, params: &[Val], block: Block, yields: &[Val]) -> String {
        let text = self.sealed(block, yields);
        let ps: Vec<String> = params.iter().map(|p| format!("{p}: {}", p.ty)).collect();
        let m = self.margin();
        if ps.is_empty() { format!("{{\n{text}{m}}}") } else { format!("{{\n{m}^bb0({}):\n{text}{m}}}", ps.join(", ")) }
    }

    /// An elementwise op whose operands and result have one type.
    pub fn same(&mut self, op: &str, xs: &[&Val]) -> Result<Val> {
        let Some(x) = xs.first() else { return Err(broken("an op without operands")) };
        let ops: Vec<String> = xs.iter().map(|x| x.to_string()).collect();
        let generic = op.starts_with("chlo.");
        let ty = x.ty.clone();
        if generic {
            let ins = list(xs.iter().map(|x| &x.ty));
            return Ok(self.emit(ty.clone(), format_args!("\"{op}\"({}) : ({ins}) -> {ty}", ops.join(", "))));
        }
        Ok(self.emit(ty.clone(), format_args!("{op} {} : {ty}", ops.join(", "))))
    }
    /// `stablehlo.{op} %x`
    pub fn un(&mut self, op: &str, x: &Val) -> Val {
        self.emit(x.ty.clone(), format_args!("stablehlo.{op} {x} : {}", x.ty))
    }
    /// `stablehlo.{op} %x, %y`
    pub fn bin(&mut self, op: &str, x: &Val, y: &Val) -> Val {
        self.emit(x.ty.clone(), format_args!("stablehlo.{op} {x}, {y} : {}", x.ty))
    }
    /// An op of one operand that gives another type: `stablehlo.{op} %x : (T) -> U`.
    pub fn to(&mut self, op: &str, x: &Val, ty: Ty) -> Val {
        self.emit(ty.clone(), format_args!("stablehlo.{op} {x} : ({}) -> {ty}", x.ty))
    }
    /// `compare`; `how` is `EQ`, `NE`, `LT`, `LE`, `GT` or `GE`.
    pub fn compare(&mut self, how: &str, x: &Val, y: &Val) -> Val {
        let ty = x.ty.with(DType::Bool);
        // Without this word XLA's constant folding has compared integers as if they had no sign.
        let kind = match x.dtype() {
            d if d.is_inexact() => "FLOAT",
            d if d.is_signed() => "SIGNED",
            _ => "UNSIGNED",
        };
        self.emit(ty.clone(), format_args!("stablehlo.compare {how}, {x}, {y}, {kind} : ({}, {}) -> {ty}", x.ty, y.ty))
    }
    /// `select`; `p` has the shape of `x` or is a scalar.
    pub fn select(&mut self, p: &Val, x: &Val, y: &Val) -> Val {
        self.emit(x.ty.clone(), format_args!("stablehlo.select {p}, {x}, {y} : {}, {}", p.ty, x.ty))
    }
    /// `convert`; the value itself where it has that element type.
    pub fn convert(&mut self, x: &Val, d: DType) -> Val {
        if x.dtype() == d { x.clone() } else { self.to("convert", x, x.ty.with(d)) }
    }
    /// A constant with these elements.
    pub fn constant(&mut self, t: &Tensor, ty: &Ty, splat: bool) -> Result<Val> {
        if splat && self.is_open(&ty.dims) {
            let one = self.constant(t, &Ty::scalar(ty.dtype), true)?;
            return Ok(self.broadcast(&one, &[], ty));
        }
        let text = format!("stablehlo.constant {} : {ty}", dense(t, ty, splat)?);
        if let Some(v) = self.consts.get(&text) {
            return Ok(v.clone());
        }
        let v = self.emit(ty.clone(), &text);
        // Those of megabytes are not kept a second time.
        if text.len() < 4096 {
            self.consts.insert(text, v.clone());
        }
        Ok(v)
    }
    /// A constant whose elements are all `x`, of a type that can hold it.
    pub fn splat(&mut self, ty: &Ty, x: f64) -> Result<Val> {
        let t = tfc_ir::ops::constant::scalar_of(ty.dtype, x);
        self.constant(&t, ty, true)
    }
    /// The least (`-∞`) or greatest (`∞`) number of an ordered dtype, what a maximum or minimum starts from.
    pub fn end(&mut self, ty: &Ty, greatest: bool) -> Result<Val> {
        let op = if greatest { ScalarOp::Min } else { ScalarOp::Max };
        let t = op.identity(ty.dtype).ok_or_else(|| broken("an order of complex numbers"))?;
        self.constant(&t, ty, true)
    }
    /// Whether one of these numbers stands for an extent that is not known.
    pub(crate) fn is_open(&self, dims: &[usize]) -> bool {
        let Some(open) = &self.open else { return false };
        let sizes = open.sizes.borrow();
        dims.iter().any(|&d| i64::try_from(d).is_ok_and(|d| sizes.contains_key(&d)))
    }
    /// What a number stands for.
    fn sized(&self, i: i64) -> Option<Extent> {
        self.open.as_ref()?.sizes.borrow().get(&i).cloned()
    }
    /// An extent over the symbols of the entry of a polymorphic module.
    pub(crate) fn extent(&mut self, e: &Extent) -> Result<Val> {
        let syms = self.open.as_ref().map(|o| o.syms.clone()).unwrap_or_default();
        let of = |a: Atom| match a {
            Atom::Sym(s) => syms.get(s.0 as usize).cloned().map(Ok),
            Atom::Exist(_) => None,
        };
        e.compute(&mut Counts { w: self, of: &of })
    }
    /// The extents as a tensor of `i64`.
    pub(crate) fn shape(&mut self, dims: &[usize]) -> Val {
        let dims: Vec<i64> = dims.iter().map(|&d| i64::try_from(d).unwrap_or(i64::MAX)).collect();
        self.listed(&dims)
    }
    fn listed(&mut self, numbers: &[i64]) -> Val {
        let made = (|| {
            let mut parts = vec![];
            for &n in numbers {
                let one = self.int(n)?;
                parts.push(self.to("reshape", &one, Ty::new(DType::I64, [1])));
            }
            if parts.is_empty() {
                self.constant(&Tensor::from_logical(&[0], Vec::<i64>::new())?, &Ty::new(DType::I64, [0]), false)
            } else {
                self.concat(&parts, 0)
            }
        })();
        match made {
            Ok(v) => v,
            Err(e) => {
                if let Some(open) = &mut self.open {
                    open.failed.get_or_insert(e);
                }
                self.val(Ty::new(DType::I64, [numbers.len()]))
            }
        }
    }
    /// An `i64[]`.
    pub fn int(&mut self, i: i64) -> Result<Val> {
        if let Some(e) = self.sized(i) {
            return self.extent(&e);
        }
        self.constant(&Tensor::scalar(i), &Ty::scalar(DType::I64), true)
    }
    /// `broadcast_in_dim`; axes may be named in any order.
    pub fn broadcast(&mut self, x: &Val, dims: &[usize], ty: &Ty) -> Val {
        if x.ty == *ty && dims.iter().enumerate().all(|(i, &d)| i == d) {
            return x.clone();
        }
        // XLA wants them to ascend.
        let mut perm: Vec<usize> = (0..dims.len()).collect();
        perm.sort_by_key(|&i| dims.get(i).copied());
        let x = self.transpose(x, &perm);
        let sorted: Vec<usize> = perm.iter().filter_map(|&i| dims.get(i).copied()).collect();
        if self.is_open(&ty.dims) {
            let to = self.shape(&ty.dims);
            let what = format!("stablehlo.dynamic_broadcast_in_dim {x}, {to}, dims = {}", ints(&sorted));
            return self.emit(ty.clone(), format_args!("{what} : ({}, {}) -> {ty}", x.ty, to.ty));
        }
        self.emit(
            ty.clone(),
            format_args!("stablehlo.broadcast_in_dim {x}, dims = {} : ({}) -> {ty}", ints(&sorted), x.ty),
        )
    }
    /// `reshape` in logical order; the value itself where it has that shape.
    pub fn reshape(&mut self, x: &Val, dims: &[usize]) -> Val {
        if x.dims() == dims {
            return x.clone();
        }
        let ty = x.ty.shaped(dims);
        if self.is_open(dims) {
            let to = self.shape(dims);
            let types = format!("({}, {}) -> {ty}", x.ty, to.ty);
            return self.emit(ty, format_args!("stablehlo.dynamic_reshape {x}, {to} : {types}"));
        }
        self.to("reshape", x, ty)
    }
    /// `transpose`; the value itself where nothing moves.
    pub fn transpose(&mut self, x: &Val, perm: &[usize]) -> Val {
        if perm.iter().enumerate().all(|(i, &p)| i == p) {
            return x.clone();
        }
        let dims: Vec<usize> = perm.iter().filter_map(|&p| x.dims().get(p).copied()).collect();
        let ty = x.ty.shaped(dims);
        self.emit(ty.clone(), format_args!("stablehlo.transpose {x}, dims = {} : ({}) -> {ty}", ints(perm), x.ty))
    }
    /// `iota` of any number type.
    pub fn iota(&mut self, ty: &Ty, axis: usize) -> Val {
        if self.is_open(&ty.dims) {
            let to = self.shape(&ty.dims);
            return self
                .emit(ty.clone(), format_args!("stablehlo.dynamic_iota {to}, dim = {axis} : ({}) -> {ty}", to.ty));
        }
        self.emit(ty.clone(), format_args!("stablehlo.iota dim = {axis} : {ty}"))
    }
    /// `slice`, one range an axis.
    pub fn slice(&mut self, x: &Val, start: &[usize], limit: &[usize], stride: &[usize]) -> Val {
        let mut dims = vec![];
        let mut ranges = vec![];
        for ((&s, &l), &t) in start.iter().zip(limit).zip(stride) {
            dims.push(l.saturating_sub(s).div_ceil(t.max(1)));
            ranges.push(if t == 1 { format!("{s}:{l}") } else { format!("{s}:{l}:{t}") });
        }
        if dims == x.dims() && stride.iter().all(|&t| t == 1) {
            return x.clone();
        }
        let ty = x.ty.shaped(dims);
        if self.is_open(start) || self.is_open(limit) || self.is_open(&ty.dims) {
            let all = [start, limit, stride].map(|list| self.shape(list));
            let ins = list(std::iter::once(&x.ty).chain(all.iter().map(|v| &v.ty)));
            let what = format!("stablehlo.real_dynamic_slice {x}, {}", names(&all));
            return self.emit(ty.clone(), format_args!("{what} : ({ins}) -> {ty}"));
        }
        self.emit(ty.clone(), format_args!("stablehlo.slice {x} [{}] : ({}) -> {ty}", ranges.join(", "), x.ty))
    }
    /// The indices from `from` to `to` of one axis.
    pub fn cut(&mut self, x: &Val, axis: usize, from: usize, to: usize) -> Val {
        let (mut start, mut limit) = (vec![0; x.rank()], x.dims().to_vec());
        if let (Some(s), Some(l)) = (start.get_mut(axis), limit.get_mut(axis)) {
            (*s, *l) = (from, to);
        }
        self.slice(x, &start, &limit, &vec![1; x.rank()])
    }
    /// `pad` with a scalar, one entry of each list an axis; negative ends remove.
    pub fn pad(&mut self, x: &Val, v: &Val, low: &[i64], high: &[i64], interior: &[usize]) -> Result<Val> {
        if [low, high].iter().all(|l| l.iter().all(|&n| n == 0)) && interior.iter().all(|&n| n == 0) {
            return Ok(x.clone());
        }
        let mut dims = vec![];
        for (i, &n) in x.dims().iter().enumerate() {
            let of = |l: &[i64]| l.get(i).copied().unwrap_or(0);
            let gaps = interior.get(i).copied().unwrap_or(0).checked_mul(n.saturating_sub(1));
            let inner = gaps.and_then(|g| g.checked_add(n)).and_then(|n| i64::try_from(n).ok());
            let n = inner.and_then(|n| n.checked_add(of(low))).and_then(|n| n.checked_add(of(high)));
            dims.push(n.and_then(|n| usize::try_from(n).ok()).ok_or_else(|| broken("padding"))?);
        }
        let ty = x.ty.shaped(dims);
        if self.open.is_some() && low.iter().chain(high).any(|&n| n.unsigned_abs() >= crate::write::polymorphic::LEAST)
        {
            let inner: Vec<i64> = interior.iter().map(|&n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
            let all = [low, high, &inner].map(|list| self.listed(list));
            let ins = list([&x.ty, &v.ty].into_iter().chain(all.iter().map(|v| &v.ty)));
            let what = format!("stablehlo.dynamic_pad {x}, {v}, {}", names(&all));
            return Ok(self.emit(ty.clone(), format_args!("{what} : ({ins}) -> {ty}")));
        }
        Ok(self.emit(
            ty.clone(),
            format_args!(
                "stablehlo.pad {x}, {v}, low = {}, high = {}, interior = {} : ({}, {}) -> {ty}",
                ints(low),
                ints(high),
                ints(interior),
                x.ty,
                v.ty
            ),
        ))
    }
    /// `concatenate`; the only one itself.
    pub fn concat(&mut self, xs: &[Val], axis: usize) -> Result<Val> {
        let [first, ..] = xs else { return Err(broken("nothing to join")) };
        if xs.len() == 1 {
            return Ok(first.clone());
        }
        let mut ty = first.ty.clone();
        let all = xs.iter().filter_map(|x| x.dims().get(axis)).try_fold(0usize, |n, &d| n.checked_add(d));
        if let (Some(d), Some(n)) = (ty.dims.get_mut(axis), all) {
            *d = n;
        }
        let ins = list(&types(xs));
        Ok(self.emit(ty.clone(), format_args!("stablehlo.concatenate {}, dim = {axis} : ({ins}) -> {ty}", names(xs))))
    }
    /// `dynamic_slice`: a window of these sizes at starts of one integer type.
    pub fn dynamic_slice(&mut self, x: &Val, starts: &[Val], sizes: &[usize]) -> Val {
        if starts.is_empty() {
            return x.clone();
        }
        let ty = x.ty.shaped(sizes);
        let ins = list(std::iter::once(&x.ty).chain(starts.iter().map(|s| &s.ty)));
        self.emit(
            ty.clone(),
            format_args!("stablehlo.dynamic_slice {x}, {}, sizes = {} : ({ins}) -> {ty}", names(starts), ints(sizes)),
        )
    }
    /// `dynamic_update_slice`.
    pub fn dynamic_update(&mut self, x: &Val, u: &Val, starts: &[Val]) -> Val {
        if starts.is_empty() {
            return u.clone();
        }
        let ins = list([&x.ty, &u.ty].into_iter().chain(starts.iter().map(|s| &s.ty)));
        self.emit(
            x.ty.clone(),
            format_args!("stablehlo.dynamic_update_slice {x}, {u}, {} : ({ins}) -> {}", names(starts), x.ty),
        )
    }
    /// `reduce` by an op, `add` for example, from `init` over axes.
    pub fn reduce(&mut self, op: &str, x: &Val, init: &Val, axes: &[usize]) -> Val {
        if axes.is_empty() {
            return x.clone();
        }
        let ty = x.ty.without(axes);
        self.emit(
            ty.clone(),
            format_args!(
                "stablehlo.reduce({x} init: {init}) applies stablehlo.{op} across dimensions = {} : ({}, {}) -> {ty}",
                ints(axes),
                x.ty,
                init.ty
            ),
        )
    }
    /// The sum over axes.
    pub fn sum(&mut self, x: &Val, axes: &[usize]) -> Result<Val> {
        let zero = self.splat(&Ty::scalar(x.dtype()), 0.0)?;
        Ok(self.reduce("add", x, &zero, axes))
    }
    /// `dot_general`: batch axes first, then free ones of the left, of the right.
    pub fn dot(&mut self, x: &Val, y: &Val, batch: [&[usize]; 2], contract: [&[usize]; 2]) -> Val {
        let free = |v: &Val, k: usize| -> Vec<usize> {
            let used = |a: &usize| batch[k].contains(a) || contract[k].contains(a);
            v.dims().iter().enumerate().filter(|(a, _)| !used(a)).map(|(_, &n)| n).collect()
        };
        let kept: Vec<usize> = batch[0].iter().filter_map(|&a| x.dims().get(a).copied()).collect();
        let ty = x.ty.shaped([kept, free(x, 0), free(y, 1)].concat());
        let batching = match batch[0] {
            [] => String::new(),
            _ => format!("batching_dims = {} x {}, ", ints(batch[0]), ints(batch[1])),
        };
        // The default of an accelerator may be fewer bits than the type has.
        self.emit(
            ty.clone(),
            format_args!(
                "stablehlo.dot_general {x}, {y}, {batching}contracting_dims = {} x {}, precision = [HIGHEST, HIGHEST] : ({}, {}) -> {ty}",
                ints(contract[0]),
                ints(contract[1]),
                x.ty,
                y.ty
            ),
        )
    }
    /// `while` over values: `cond` gives an `i1`, `body` the next values.
    pub fn repeat(
        &mut self,
        inits: &[Val],
        cond: impl FnOnce(&mut Writer, &[Val]) -> Result<Val>,
        body: impl FnOnce(&mut Writer, &[Val]) -> Result<Vec<Val>>,
    ) -> Result<Vec<Val>> {
        let ps: Vec<Val> = inits.iter().map(|v| self.val(v.ty.clone())).collect();
        let (c, p) = self.block(|w| cond(w, &ps))?;
        let (b, ys) = self.block(|w| body(w, &ps))?;
        Ok(self.looped(inits, &ps, (c, &p), (b, &ys)))
    }
    /// A `while` of blocks that have been written.
    pub(crate) fn looped(&mut self, inits: &[Val], ps: &[Val], cond: (Block, &Val), body: (Block, &[Val])) -> Vec<Val> {
        let (cond, body) = (self.sealed(cond.0, std::slice::from_ref(cond.1)), self.sealed(body.0, body.1));
        let binds: Vec<String> = ps.iter().zip(inits).map(|(p, i)| format!("{p} = {i}")).collect();
        let (m, ts) = (self.margin(), types(inits));
        let what = format!(
            "stablehlo.while({}) : {}\n{m}cond {{\n{cond}{m}}} do {{\n{body}{m}}}",
            binds.join(", "),
            list(&ts)
        );
        self.emit_many(&ts, what)
    }
    /// `body(i, values)` for `i` (an `i64[]`) from 0 to `trips`.
    pub fn count(
        &mut self,
        trips: usize,
        inits: &[Val],
        body: impl FnOnce(&mut Writer, &Val, &[Val]) -> Result<Vec<Val>>,
    ) -> Result<Vec<Val>> {
        let zero = self.int(0)?;
        let all: Vec<Val> = std::iter::once(zero).chain(inits.iter().cloned()).collect();
        let last = i64::try_from(trips).map_err(|_| broken("a trip count"))?;
        let split = |ps: &[Val]| ps.split_first().map(|(i, r)| (i.clone(), r.to_vec())).ok_or_else(|| broken("a loop"));
        let mut out = self.repeat(
            &all,
            |w, ps| {
                let (i, n) = (split(ps)?.0, w.int(last)?);
                Ok(w.compare("LT", &i, &n))
            },
            |w, ps| {
                let (i, rest) = split(ps)?;
                let mut ys = body(w, &i, &rest)?;
                let one = w.int(1)?;
                ys.insert(0, w.bin("add", &i, &one));
                Ok(ys)
            },
        )?;
        out.remove(0);
        Ok(out)
    }

    /// The text that was written, behind `header`, with names.
    pub(crate) fn finish(self, header: &str) -> String {
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut given: BTreeMap<usize, String> = BTreeMap::new();
        let mut count = 0;
        let whole = format!("{header}{}", self.text);
        let mut out = String::with_capacity(whole.len());
        let mut rest = whole.as_str();
        while let Some((before, after)) = rest.split_once(OPEN) {
            out.push_str(before);
            let (id, after) = after.split_once(CLOSE).unwrap_or((after, ""));
            rest = after;
            let Ok(id) = id.parse::<usize>() else { continue };
            let name = given.entry(id).or_insert_with(|| {
                let Some(hint) = self.hints.get(&id) else {
                    count += 1;
                    return (count - 1).to_string();
                };
                let free = |n: &String| !used.contains(n);
                let plain = hint.to_string();
                let name =
                    if free(&plain) { plain } else { (1..).map(|i| format!("{hint}_{i}")).find(free).unwrap_or(plain) };
                used.insert(name.clone());
                name
            });
            out.push('%');
            out.push_str(name);
        }
        out.push_str(rest);
        out
    }
    /// A generic op: `"stablehlo.{op}"(%a) <{attrs}> (regions) : (T) -> U`.
    pub fn generic(&mut self, op: &str, xs: &[Val], attrs: &str, regions: &[String], outs: &[Ty]) -> Vec<Val> {
        let attrs = if attrs.is_empty() { String::new() } else { format!(" <{{{attrs}}}>") };
        let regions = if regions.is_empty() { String::new() } else { format!(" ({})", regions.join(", ")) };
        let (ins, to) = (list(&types(xs)), results(outs));
        self.emit_many(outs, format_args!("\"stablehlo.{op}\"({}){attrs}{regions} : ({ins}) -> {to}", names(xs)))
    }
}

/// A spelling broke its promise: no program leads here.
pub(crate) fn broken(what: &str) -> Error {
    Error::bug(Code::E1109, format!("the spelling of an op is wrong: {what}"))
}
