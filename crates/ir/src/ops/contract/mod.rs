//! Contractions: `dot_general` and its dimension numbers, and `einsum`, which stands for many of it.
pub mod einsum;

use crate::code::Code;
pub use einsum::EINSUM;

use super::shape::cotangent;
use crate::DType;
use crate::Error;
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher, shifted};
use crate::builder::Builder;
use crate::derive::Transposer;
use crate::diag::{Part, Result};
use crate::func::{Func, Op, OpId, ValueId};
use crate::infer::{InferCx, check_axes};
use crate::op::*;
use crate::places::{Kept, Places};
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::{Type, inverse};

/// `dot_general`.
pub static DOT_GENERAL: OpDef = OpDef {
    name: "dot_general",
    doc: "Sums of products over the axes `contract = [[lhs…], [rhs…]]`, pairwise, for each index of the axes `batch = \
          [[lhs…], [rhs…]]`. The axes of the result are those of `x` that remain, those of `y` that remain, then the batch \
          axes; `out` permutes them: axis `i` of the result is axis `out[i]` of that list. `conj_lhs`, `conj_rhs` conjugate \
          an operand first. Integers wrap; sums of floating products may be reassociated and fused. A product of such products \
          may be made in another order, unless they are `kept`.",
    operands: &["x", "y"],
    alike: (0, 2),
    slots: &[
        Slot::required("contract", SlotKind::IntLists),
        Slot::optional("batch", SlotKind::IntLists),
        Slot::optional("out", SlotKind::Ints),
        Slot::with_default("conj_lhs", SlotKind::Bool, SlotDefault::Bool(false)),
        Slot::with_default("conj_rhs", SlotKind::Bool, SlotDefault::Bool(false)),
        Slot::with_default("kept", SlotKind::Bool, SlotDefault::Bool(false)),
    ],
    infer: infer_dot,
    linearize: Linearize::Multilinear,
    prepare: Prepare::Replace(super::linalg::as_spectral),
    transpose: Transpose::Rule(tr_dot),
    contraction: Contraction { product: Some(one_of_many), labels: Some(labels) },
    movement: Movement { places: Places::Axes(places), ..Movement::NONE },
    batch: Batch::Rule(batch_dot),
    simplify: Some(simplify_dot),
    sample: sample_dot,
    ..OpDef::BASE
};
/// The rows.
pub static FAMILY: Family = &[&DOT_GENERAL, &EINSUM];

/// The dimension numbers of `dot_general`; `[lhs, rhs]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDims {
    /// Axes summed over, pairwise.
    pub contract: [Vec<usize>; 2],
    /// Axes kept, pairwise.
    pub batch: [Vec<usize>; 2],
    /// Result axis `i` is axis `out[i]` of (lhs free, rhs free, batch); `None`: that order itself.
    pub out: Option<Vec<usize>>,
    /// Conjugate the left operand.
    pub conj_lhs: bool,
    /// Conjugate the right operand.
    pub conj_rhs: bool,
    /// Its place among other products is kept.
    pub kept: bool,
}
impl DotDims {
    /// From attributes that inference has checked.
    pub fn of(a: &Attrs) -> Result<DotDims> {
        let pair = |k: &'static str| match a.get(k) {
            None => Ok([vec![], vec![]]),
            Some(Attr::List(l)) if l.len() == 2 => {
                let side = |i: usize| match &l[i] {
                    Attr::List(v) => v
                        .iter()
                        .map(|x| if let Attr::Int(i) = x { usize::try_from(*i).ok() } else { None })
                        .collect::<Option<Vec<_>>>(),
                    _ => None,
                };
                match (side(0), side(1)) {
                    (Some(x), Some(y)) => Ok([x, y]),
                    _ => Err(Error::new(Code::E0212, format!("`{k}` holds a negative axis")).attr(k)),
                }
            }
            Some(_) => Err(Error::new(Code::E0223, format!("`{k}` is two lists of axes: `[[1], [0]]`")).attr(k)),
        };
        Ok(DotDims {
            contract: pair("contract")?,
            batch: pair("batch")?,
            out: a.get("out").map(|_| a.indices("out")),
            conj_lhs: a.flag("conj_lhs"),
            conj_rhs: a.flag("conj_rhs"),
            kept: a.flag("kept"),
        })
    }
    /// As attributes.
    pub fn attrs(&self) -> Attrs {
        let mut a = Attrs::none();
        for (k, p) in [("contract", &self.contract), ("batch", &self.batch)] {
            if !p[0].is_empty() || k == "contract" {
                a.set(k, Attr::int_lists(&[&p[0], &p[1]]));
            }
        }
        if let Some(o) = &self.out
            && o.iter().enumerate().any(|(i, &x)| i != x)
        {
            a.set("out", Attr::ints(o));
        }
        if self.conj_lhs {
            a.set("conj_lhs", Attr::Bool(true));
        }
        if self.conj_rhs {
            a.set("conj_rhs", Attr::Bool(true));
        }
        if self.kept {
            a.set("kept", Attr::Bool(true));
        }
        a
    }
    /// Axes of side `k` that are contracted or batched.
    pub fn bound(&self, k: usize) -> Vec<usize> {
        [&self.contract[k][..], &self.batch[k]].concat()
    }
    /// Free axes of side `k`, in order.
    pub fn free(&self, k: usize, rank: usize) -> Vec<usize> {
        let b = self.bound(k);
        (0..rank).filter(|i| !b.contains(i)).collect()
    }
    /// Where each axis of the result comes from: (side, axis of that side); batch axes name the left side.
    pub fn axes(&self, ranks: [usize; 2]) -> Vec<(usize, usize)> {
        let sides = (0..2).flat_map(|k| self.free(k, ranks[k]).into_iter().map(move |a| (k, a)));
        let all: Vec<_> = sides.chain(self.batch[0].iter().map(|&a| (0, a))).collect();
        match &self.out {
            Some(o) => o.iter().filter_map(|&i| all.get(i).copied()).collect(),
            None => all,
        }
    }
    /// With one more axis in front of axis `at[k]` of side `k`: a free one of the only side that has it, or one that both have
    /// and that is kept. Gives its place in the result, of operands of these ranks, as well.
    fn batched(&self, at: [Option<usize>; 2], ranks: [usize; 2]) -> (DotDims, usize) {
        let mut d = self.clone();
        for k in 0..2 {
            if let Some(a) = at[k] {
                d.contract[k].iter_mut().chain(&mut d.batch[k]).for_each(|i| *i = shifted(*i, a));
            }
        }
        // Where it is among the axes before `out` permutes them: free axes of the left side, of the right, kept pairs.
        let wide = [ranks[0] + usize::from(at[0].is_some()), ranks[1] + usize::from(at[1].is_some())];
        let n = self.axes_before(ranks);
        let place = match at {
            [Some(a), Some(b)] => {
                d.batch[0].push(a);
                d.batch[1].push(b);
                n
            }
            [Some(a), None] => d.free(0, wide[0]).iter().filter(|&&i| i < a).count(),
            [None, at] => {
                let a = at.unwrap_or(0);
                self.free(0, ranks[0]).len() + d.free(1, wide[1]).iter().filter(|&&i| i < a).count()
            }
        };
        if let Some(out) = &mut d.out {
            out.iter_mut().for_each(|i| *i = shifted(*i, place));
            out.push(place);
            return (d, n);
        }
        (d, place)
    }
    /// The rank of the result.
    fn axes_before(&self, ranks: [usize; 2]) -> usize {
        self.free(0, ranks[0]).len() + self.free(1, ranks[1]).len() + self.batch[0].len()
    }
    fn conj(&self, k: usize) -> bool {
        if k == 0 { self.conj_lhs } else { self.conj_rhs }
    }
    /// The dimension numbers of the contraction of the cotangent (left where `ct_first`) with the operand other than
    /// `k`, which gives the cotangent of operand `k` with its axes in place.
    ///
    /// With ⟨a, b⟩ = Re(conj(a)·b): `a ↦ a·B` transposes to `c ↦ c·conj(B)`, and `a ↦ conj(a)·B` to `c ↦ conj(c)·B`.
    fn cotangent(&self, k: usize, ranks: [usize; 2], complex: bool, ct_first: bool) -> DotDims {
        let other = 1 - k;
        let free = [self.free(0, ranks[0]), self.free(1, ranks[1])];
        let batch = self.batch[0].len();
        let n = free[0].len() + free[1].len() + batch;
        // Axis of the cotangent at which a canonical result axis is.
        let at = self.out.as_deref().map_or_else(|| (0..n).collect(), inverse);
        let places = |from: usize, len: usize| -> Vec<usize> { at.iter().skip(from).take(len).copied().collect() };
        let start = |k: usize| if k == 0 { 0 } else { free[0].len() };
        let mine = places(start(k), free[k].len());
        let theirs = places(start(other), free[other].len());
        let batches = places(n - batch, batch);
        let order = |ct: Vec<usize>, y: Vec<usize>| if ct_first { [ct, y] } else { [y, ct] };
        // Free axes of the new operands, in order, and where they land.
        let (from_ct, from_other) = if ct_first { (0, mine.len()) } else { (self.contract[k].len(), 0) };
        let rank_in = |list: &[usize], x: usize| list.iter().filter(|&&y| y < x).count();
        let mut out = vec![0; ranks[k]];
        for (&a, &c) in free[k].iter().zip(&mine) {
            out[a] = from_ct + rank_in(&mine, c);
        }
        for (&a, &c) in self.contract[k].iter().zip(&self.contract[other]) {
            out[a] = from_other + rank_in(&self.contract[other], c);
        }
        for (i, &a) in self.batch[k].iter().enumerate() {
            out[a] = mine.len() + self.contract[k].len() + i;
        }
        let (ct_conj, y_conj) = match (complex, self.conj(k)) {
            (false, _) => (false, false),
            (true, false) => (false, !self.conj(other)),
            (true, true) => (true, self.conj(other)),
        };
        let (conj_lhs, conj_rhs) = if ct_first { (ct_conj, y_conj) } else { (y_conj, ct_conj) };
        let out = (!is_identity(&out)).then_some(out);
        let (contract, batch) = (order(theirs, free[other].clone()), order(batches, self.batch[other].clone()));
        DotDims { contract, batch, out, conj_lhs, conj_rhs, kept: self.kept }
    }
    /// With operand `k`, which is `transpose(x, perm)`, replaced by `x`.
    fn through(&self, k: usize, perm: &[usize], ranks: [usize; 2]) -> DotDims {
        let to = |v: &[usize]| -> Vec<usize> { v.iter().filter_map(|&i| perm.get(i).copied()).collect() };
        let mut d = self.clone();
        d.contract[k] = to(&self.contract[k]);
        d.batch[k] = to(&self.batch[k]);
        let old: Vec<usize> = to(&self.free(k, ranks[k]));
        let first = if k == 0 { 0 } else { self.free(0, ranks[0]).len() };
        let n = self.free(0, ranks[0]).len() + self.free(1, ranks[1]).len() + self.batch[0].len();
        let place = |i: usize| match i.checked_sub(first).and_then(|j| old.get(j)) {
            Some(&axis) => first + old.iter().filter(|&&a| a < axis).count(),
            None => i,
        };
        let out: Vec<usize> = match &self.out {
            Some(o) => o.iter().map(|&i| place(i)).collect(),
            None => (0..n).map(place).collect(),
        };
        d.out = (!is_identity(&out)).then_some(out);
        d
    }
}
fn is_identity(perm: &[usize]) -> bool {
    perm.iter().enumerate().all(|(i, &p)| i == p)
}

fn infer_dot(cx: &mut InferCx) -> Result<Vec<Type>> {
    let takes = |d| d != DType::Bool;
    cx.want_dtype(0, takes, "numbers").map_err(|e| e.help("convert bool to i32, or use `and` and `reduce_or`"))?;
    let (x, y) = (cx.ty(0)?, cx.ty(1)?);
    if x.dtype != y.dtype {
        return Err(Error::new(
            Code::E0202,
            format!("operands 0 and 1: dtypes differ: {} and {}", cx.show(&x), cx.show(&y)),
        )
        .operand(1)
        .help("nothing is promoted in the IR: insert `convert`"));
    }
    let (d, ranks, types) = (DotDims::of(cx.attrs())?, [x.rank(), y.rank()], [&x, &y]);
    for (name, lists) in [("contract", &d.contract), ("batch", &d.batch)] {
        if lists[0].len() != lists[1].len() {
            return Err(Error::new(
                Code::E0228,
                format!("`{name}` pairs {} axes with {}", lists[0].len(), lists[1].len()),
            )
            .attr(name)
            .help("both lists are equally long: `[[1], [0]]`"));
        }
    }
    for (k, t) in types.iter().enumerate() {
        let side = if k == 0 { "left" } else { "right" };
        for (name, lists) in [("contract", &d.contract), ("batch", &d.batch)] {
            check_axes(&signed(&lists[k]), t.rank()).map_err(|e| e.attr(name).context(format!("{side} operand: ")))?;
        }
        check_axes(&signed(&d.bound(k)), t.rank())
            .map_err(|e| e.attr("batch").context(format!("{side} operand, `contract` and `batch`: ")))?;
    }
    for (what, lists) in [("contracted", &d.contract), ("batch", &d.batch)] {
        for (&i, &j) in lists[0].iter().zip(&lists[1]) {
            let text = || format!("{what} axes {i} of operand 0 and {j} of operand 1");
            cx.equal(&x.dims[i], &y.dims[j], Part::Operand(1), text)?;
        }
    }
    let n = DotDims { out: None, ..d.clone() }.axes(ranks).len();
    if let Some(out) = &d.out {
        cx.axes("out", n)?;
        if out.len() != n {
            return Err(Error::new(Code::E0228, format!("`out` has {} entries, the result has rank {n}", out.len()))
                .attr("out")
                .help("`out` is a permutation of the result's axes"));
        }
        if is_identity(out) {
            cx.remove_attr("out");
        }
    }
    if d.batch[0].is_empty() {
        cx.remove_attr("batch");
    }
    if !x.dtype.is_complex() {
        cx.remove_attr("conj_lhs");
        cx.remove_attr("conj_rhs");
    }
    let dims: Vec<_> = d.axes(ranks).into_iter().map(|(k, a)| types[k].dims[a].clone()).collect();
    Ok(vec![x.with_dims(dims)])
}
fn signed(v: &[usize]) -> Vec<i64> {
    v.iter().map(|&i| i64::try_from(i).unwrap_or(i64::MAX)).collect()
}
fn tr_dot(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let op = cx.op(o);
    let k = match (cx.linear(op.operands[0]), cx.linear(op.operands[1])) {
        (true, false) => 0,
        (false, true) => 1,
        _ => return Err(Error::new(Code::E0504, "`dot_general` of two linear values is not linear")),
    };
    let (ty, other) = (cx.ty(op.operands[k])?, cx.val(op.operands[1 - k])?);
    let mut ranks = [ty.rank(); 2];
    ranks[1 - k] = cx.b.ty(other).rank();
    let d = DotDims::of(&op.attrs)?;
    let dims = |ct_first| d.cotangent(k, ranks, ty.dtype.is_complex(), ct_first);
    // Either order is one statement; the one that needs no permutation reads better.
    let natural = k == 0;
    let ct_first = if dims(natural).out.is_some() && dims(!natural).out.is_none() { !natural } else { natural };
    let c = cotangent(ct)?;
    let xs = if ct_first { [c, other] } else { [other, c] };
    let x = cx.b.emit1(NewOp::new(&DOT_GENERAL, &xs).attrs(dims(ct_first).attrs()).types(vec![ty]))?;
    let mut out = vec![None, None];
    out[k] = Some(x);
    Ok(out)
}
fn batch_dot(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let ranks = [cx.src.ty(op.operands[0]).rank(), cx.src.ty(op.operands[1]).rank()];
    let (dims, place) = DotDims::of(&op.attrs)?.batched([xs[0].axis, xs[1].axis], ranks);
    cx.again(o, &[xs[0].value, xs[1].value], dims.attrs(), |_| place)
}
/// One product in place of many: their axis is one more to be summed over, or a free one of one side, last in the result.
fn one_of_many(attrs: &Attrs, ranks: [usize; 2], at: [Option<usize>; 2]) -> Result<Option<Attrs>> {
    let mut d = DotDims::of(attrs)?;
    if !d.batch[0].is_empty() {
        return Ok(None);
    }
    if let [Some(a), Some(b)] = at {
        for (k, new) in [(0, a), (1, b)] {
            d.contract[k].iter_mut().for_each(|i| *i = shifted(*i, new));
            d.contract[k].push(new);
        }
        return Ok(Some(d.attrs()));
    }
    let last = d.axes_before(ranks);
    let (mut d, place) = d.batched(at, ranks);
    if d.out.is_none() {
        d.out = Some((0..=last).filter(|&i| i != place).chain([place]).collect());
    }
    Ok(Some(d.attrs()))
}
/// Axes of the left operand, then those of the right one that it pairs with none of them.
/// Free axes and pairs that are kept.
fn places(f: &Func, op: &Op, i: usize) -> Vec<Option<Kept>> {
    let [x, y] = op.operands[..] else { return vec![] };
    let ranks = [f.ty(x).rank(), f.ty(y).rank()];
    let (Ok(d), Some(&rank)) = (DotDims::of(&op.attrs), ranks.get(i)) else { return vec![] };
    let axes = d.axes(ranks);
    let one = |a: usize| {
        let pair = d.batch[i].iter().position(|&b| b == a).and_then(|k| d.batch[0].get(k).copied());
        let from = pair.map_or((i, a), |left| (0, left));
        axes.iter().position(|&at| at == from).map(Kept::at)
    };
    (0..rank).map(one).collect()
}
fn labels(attrs: &Attrs, ranks: [usize; 2]) -> Result<Option<Labels>> {
    let d = DotDims::of(attrs)?;
    if d.kept {
        return Ok(None);
    }
    let (left, right) = (d.bound(0), d.bound(1));
    let paired = |j: usize| right.iter().position(|&r| r == j).and_then(|i| left.get(i).copied());
    let terms: [Vec<usize>; 2] =
        [(0..ranks[0]).collect(), (0..ranks[1]).map(|j| paired(j).unwrap_or(ranks[0] + j)).collect()];
    let out = d.axes(ranks).into_iter().map(|(k, a)| terms[k][a]).collect();
    Ok(Some(Labels { terms, out, conj: [d.conj_lhs, d.conj_rhs] }))
}
/// Permutations and conjugations of operands become dimension numbers.
fn simplify_dot(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let [mut x, mut y] = new.operands[..] else { return Ok(None) };
    let ranks = [b.func().ty(x).rank(), b.func().ty(y).rank()];
    let mut d = DotDims::of(&new.attrs)?;
    let mut changed = false;
    for (k, v) in [&mut x, &mut y].into_iter().enumerate() {
        while let Some(op) = b.func().def_op(*v) {
            let Some(&source) = op.operands.first() else { break };
            if op.def.is(&super::shape::TRANSPOSE) {
                d = d.through(k, &op.attrs.indices("perm"), ranks);
            } else if op.def.is(&super::elementwise::CONJ) {
                let flag = if k == 0 { &mut d.conj_lhs } else { &mut d.conj_rhs };
                *flag = !*flag;
            } else {
                break;
            }
            *v = source;
            changed = true;
        }
    }
    if !changed {
        return Ok(None);
    }
    let mut op = NewOp::new(&DOT_GENERAL, &[x, y]).attrs(d.attrs());
    op.declared = new.declared.clone();
    Ok(Some(vec![b.emit1(op)?]))
}

fn sample_dot(cx: &SampleCx) -> Result<Vec<Sample>> {
    if cx.dtype == DType::Bool {
        return Ok(vec![]);
    }
    type Pair = [&'static [usize]; 2];
    type Case = (&'static [usize], &'static [usize], Pair, Pair, Option<&'static [usize]>);
    let cases: &[Case] = &[
        (&[], &[], [&[], &[]], [&[], &[]], None),
        (&[3], &[3], [&[0], &[0]], [&[], &[]], None),
        (&[2], &[3], [&[], &[]], [&[], &[]], Some(&[1, 0])),
        (&[2, 3], &[3, 4], [&[1], &[0]], [&[], &[]], None),
        (&[3, 2], &[4, 3], [&[0], &[1]], [&[], &[]], Some(&[1, 0])),
        (&[2, 0], &[0, 3], [&[1], &[0]], [&[], &[]], None),
        (&[1, 3], &[3, 1], [&[1], &[0]], [&[], &[]], None),
        (&[2, 3], &[2, 3], [&[1, 0], &[1, 0]], [&[], &[]], None),
        (&[2, 3], &[2, 3], [&[], &[]], [&[0, 1], &[0, 1]], None),
        (&[2, 3, 4], &[4, 2, 5], [&[2], &[0]], [&[0], &[1]], Some(&[2, 0, 1])),
        (&[2, 3, 2, 4], &[4, 2, 3, 3], [&[0, 3], &[1, 0]], [&[1], &[3]], Some(&[1, 2, 0])),
    ];
    let mut out = vec![];
    for (l, r, contract, batch, perm) in cases {
        let conj: &[(bool, bool)] = if cx.dtype.is_complex() {
            &[(false, false), (true, false), (false, true), (true, true)]
        } else {
            &[(false, false)]
        };
        for &(conj_lhs, conj_rhs) in conj {
            let d = DotDims {
                contract: contract.map(<[usize]>::to_vec),
                batch: batch.map(<[usize]>::to_vec),
                out: perm.map(<[usize]>::to_vec),
                conj_lhs,
                conj_rhs,
                kept: false,
            };
            out.push(cx.op(&[(cx.ty(l), Domain::Any), (cx.ty(r), Domain::Any)], d.attrs(), None)?);
        }
    }
    Ok(out)
}
