//! Ops that move, cut, join, contract or check: what each becomes in a plan, as a table by row.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use tfc_ir::extent::Extent;
use tfc_ir::ops::contract::DotDims;
use tfc_ir::{Attr, Func, Op, OpDef, Result, ValueId, ops};

use super::build::{Lower, bug};
use crate::plan::*;

/// How an op is lowered.
pub(crate) type Rule = fn(&mut Lower, &Op) -> Result<()>;

/// The rule of a row: of that row, not of that name. An outside row may have the name of a built-in one (in an op set that
/// holds it instead), with attributes and result types of its own, for which the built-in rule would compute addresses.
pub(crate) fn rule(def: &'static OpDef) -> Option<Rule> {
    static TABLE: OnceLock<HashMap<usize, Rule>> = OnceLock::new();
    let key = |d: &OpDef| std::ptr::from_ref(d) as usize;
    TABLE
        .get_or_init(|| FAMILIES.iter().flat_map(|f| f.iter().map(|r| (key(r.0), r.1))).collect())
        .get(&key(def))
        .copied()
}

/// Is it a row of this toolchain? What its types say of each other follows from its inference then.
pub(crate) fn built_in(def: &OpDef) -> bool {
    static ROWS: OnceLock<HashSet<usize>> = OnceLock::new();
    let key = |d: &OpDef| std::ptr::from_ref(d) as usize;
    ROWS.get_or_init(|| ops::FAMILIES.iter().flat_map(|f| f.iter().map(|d| key(d))).collect()).contains(&key(def))
}
/// Has an op that is elementwise by its row one result, and every operand the result's shape or none? Loops rest on that,
/// and the inference of an outside row may say something else.
pub(crate) fn in_step(f: &Func, op: &Op) -> bool {
    if built_in(op.def) {
        return true;
    }
    let [y] = op.results[..] else { return false };
    let fits = |&x: &ValueId| f.ty(x).is_scalar() || f.ty(x).dims == f.ty(y).dims;
    op.def.scalar.is_some_and(|s| s.arity() == op.operands.len()) && op.operands.iter().all(fits)
}

/// The rules of a family.
pub(crate) type Rules = &'static [(&'static OpDef, Rule)];

/// The rules of every family.
static FAMILIES: &[Rules] = &[
    RULES,
    crate::cpu::ops::gather::RULES,
    crate::cpu::ops::scatter::RULES,
    crate::cpu::ops::linalg::RULES,
    crate::cpu::ops::cumulative::RULES,
    crate::cpu::ops::sort::RULES,
];

static RULES: Rules = &[
    (&ops::constant::CONST, |l, o| l.constant_op(o)),
    (&ops::constant::LOAD, |l, o| l.load_op(o)),
    (&ops::constant::IOTA, iota),
    (&ops::fused::FUSED, |l, o| l.fused(o)),
    (&ops::reduce::REDUCE_SUM, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_PROD, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_MAX, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_MIN, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_AND, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_OR, |l, o| l.reduce(o)),
    (&ops::reduce::REDUCE_XOR, |l, o| l.reduce(o)),
    (&ops::reduce::ARGMAX, |l, o| arg(l, o, true)),
    (&ops::reduce::ARGMIN, |l, o| arg(l, o, false)),
    (&ops::contract::DOT_GENERAL, dot),
    (&ops::control::STOP_GRADIENT, alias),
    (&ops::shape::TRANSPOSE, transpose),
    (&ops::shape::BROADCAST_IN_DIM, broadcast),
    (&ops::shape::RESHAPE, reshape),
    (&ops::shape::SLICE, slice),
    (&ops::shape::REVERSE, reverse),
    (&ops::shape::TAKE_PREFIX, prefix),
    (&ops::shape::PAD, pad),
    (&ops::shape::PAD_SUFFIX, pad_suffix),
    (&ops::shape::CONCAT, concat),
    (&ops::shape::DYNAMIC_SLICE, dynamic_slice),
    (&ops::shape::DYNAMIC_UPDATE_SLICE, dynamic_update),
    (&ops::shape::EXTRACT_DIAG, extract_diag),
    (&ops::shape::EMBED_DIAG, embed_diag),
    (&ops::elementwise::BITCAST, bitcast),
    (&ops::elementwise::REDUCE_PRECISION, precision),
    (&ops::shape::TRIL, |l, o| triangle(l, o, true)),
    (&ops::shape::TRIU, |l, o| triangle(l, o, false)),
    (&ops::extents::DIM_VALUE, dim_value),
    (&ops::extents::EXTENT, extent),
    (&ops::extents::GUARD, guard),
    (&ops::extents::CHECK, check),
    (&ops::extents::CHECK_EQUAL, |l, o| compare(l, o, true)),
    (&ops::extents::CHECK_CLOSE, |l, o| compare(l, o, false)),
    (&ops::extents::PRINT, print),
    (&ops::control::CALL, |l, o| l.call(o)),
    (&ops::control::CHECKPOINT, |l, o| l.call(o)),
    (&ops::control::COND, |l, o| l.cond(o)),
    (&ops::control::SCAN, |l, o| l.scan(o)),
    (&ops::control::WHILE, |l, o| l.while_loop(o)),
];

impl Lower<'_> {
    /// A list of extents or integers.
    pub(crate) fn numbers(&mut self, op: &Op, name: &str, len: usize, default: i64) -> Box<[Ext]> {
        let list: Vec<Extent> = match op.attrs.get(name) {
            Some(Attr::Extents(v)) => v.to_vec(),
            Some(Attr::List(v)) => {
                v.iter().map(|a| Extent::exact(if let Attr::Int(i) = a { *i } else { default })).collect()
            }
            Some(Attr::Int(i)) => vec![Extent::exact(*i)],
            _ => vec![Extent::exact(default); len],
        };
        self.ext_list(&list)
    }
    fn view(&mut self, op: &Op, axes: Vec<ViewAxis>, start: Vec<(u32, Ext)>, also: u32) -> Result<()> {
        let src = self.operand(op, 0)?;
        let dst = self.alias(op.results[0], &[src]);
        self.push(Do::View(ViewOf { src, dst, axes: axes.into(), start: start.into(), also }));
        Ok(())
    }
    pub(crate) fn rank(&self, op: &Op, i: usize) -> usize {
        op.operands.get(i).map_or(0, |&v| self.f.ty(v).rank())
    }
    /// A step that keeps its execution to itself: operands and results in the op's order.
    pub(crate) fn native(&mut self, op: &Op, what: Arc<dyn Native>) -> Result<()> {
        let args = (0..op.operands.len()).map(|i| self.operand(op, i)).collect::<Result<_>>()?;
        let dsts = op.results.iter().map(|&v| self.own(v)).collect();
        self.push(Do::Native { what, args, dsts });
        Ok(())
    }
    fn one(&mut self) -> Ext {
        self.ext(&Extent::exact(1))
    }
}
fn alias(l: &mut Lower, op: &Op) -> Result<()> {
    let s = l.operand(op, 0)?;
    l.of[op.results[0].ix()] = s;
    Ok(())
}
fn transpose(l: &mut Lower, op: &Op) -> Result<()> {
    let step = l.one();
    let axes = op.attrs.indices("perm").iter().map(|&p| ViewAxis { from: p as u32, step, reversed: false }).collect();
    l.view(op, axes, vec![], NONE)
}
fn broadcast(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let (from, to) = (f.ty(op.operands[0]), f.ty(op.results[0]));
    let step = l.one();
    let mut axes = vec![ViewAxis { from: NONE, step, reversed: false }; to.rank()];
    for (i, &d) in op.attrs.indices("dims").iter().enumerate() {
        let axis = axes.get_mut(d).ok_or_else(|| bug(op, "axis out of range"))?;
        if from.dims[i].as_exact() != Some(1) {
            axis.from = i as u32;
        }
    }
    l.view(op, axes, vec![], NONE)
}
fn slice(l: &mut Lower, op: &Op) -> Result<()> {
    let n = l.rank(op, 0);
    let (start, step) = (l.numbers(op, "start", n, 0), l.numbers(op, "stride", n, 1));
    let axes = step.iter().enumerate().map(|(i, &s)| ViewAxis { from: i as u32, step: s, reversed: false }).collect();
    l.view(op, axes, start.iter().enumerate().map(|(i, &e)| (i as u32, e)).collect(), NONE)
}
fn reverse(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, axes, step) = (l.rank(op, 0), op.attrs.indices("axes"), l.one());
    let axes = (0..n).map(|i| ViewAxis { from: i as u32, step, reversed: axes.contains(&i) }).collect();
    l.view(op, axes, vec![], NONE)
}
fn prefix(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, step) = (l.rank(op, 0), l.one());
    l.view(op, (0..n).map(|i| ViewAxis { from: i as u32, step, reversed: false }).collect(), vec![], NONE)
}
fn extract_diag(l: &mut Lower, op: &Op) -> Result<()> {
    let (n, step) = (l.rank(op, 0), l.one());
    // The two leading axes become one; batch axes follow.
    let axes = std::iter::once(0).chain(2..n).map(|i| ViewAxis { from: i as u32, step, reversed: false }).collect();
    l.view(op, axes, vec![], 1)
}
fn reshape(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let src = l.operand(op, 0)?;
    let v = op.results[0];
    let (from, to) = (f.ty(op.operands[0]), f.ty(v));
    let first = op.attrs.word("order") == Some("first");
    // Only axes of extent 1 come and go: always a view.
    let one = Extent::exact(1);
    let long = |t: &tfc_ir::Type| t.dims.iter().filter(|&d| *d != one).cloned().collect::<Vec<_>>();
    if long(from) == long(to) {
        let mut at = (0..from.rank() as u32).filter(|&i| from.dims[i as usize] != one);
        let step = l.one();
        let axes = to.dims.iter().map(|d| ViewAxis {
            from: if *d == one { NONE } else { at.next().unwrap_or(NONE) },
            step,
            reversed: false,
        });
        let axes = axes.collect();
        return l.view(op, axes, vec![], NONE);
    }
    let store = l.store(to);
    let dst = l.alias(v, &[src]);
    l.roots[dst as usize].push(store);
    l.push(Do::Reshape { src, dst, store, first });
    Ok(())
}
/// One line of numbers, seen along the axis; the other axes stand still.
fn iota(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let (v, axis) = (op.results[0], op.attrs.int("axis") as usize);
    let ty = f.ty(v);
    // A result is handed over as elements, not as a promise of them.
    if ty.rank() == 1 || l.forward.contains_key(&v) || f.returns().contains(&v) {
        let dst = l.own(v);
        l.push(Do::Iota { dst, axis });
        return Ok(());
    }
    let extent = ty.dims.get(axis).ok_or_else(|| bug(op, "axis out of range"))?.clone();
    let line = l.own_type(&tfc_ir::Type::new(ty.dtype, [extent]), f.value(v).name.clone());
    l.push(Do::Iota { dst: line, axis: 0 });
    let step = l.one();
    let axes =
        (0..ty.rank()).map(|a| ViewAxis { from: if a == axis { 0 } else { NONE }, step, reversed: false }).collect();
    let dst = l.alias(v, &[line]);
    l.push(Do::View(ViewOf { src: line, dst, axes, start: Box::default(), also: NONE }));
    Ok(())
}
fn concat(l: &mut Lower, op: &Op) -> Result<()> {
    let args = (0..op.operands.len()).map(|i| l.operand(op, i)).collect::<Result<_>>()?;
    let dst = l.own(op.results[0]);
    l.push(Do::Concat { args, dst, axis: op.attrs.int("axis") as usize });
    Ok(())
}
fn pad(l: &mut Lower, op: &Op) -> Result<()> {
    let n = l.rank(op, 0);
    let (src, value) = (l.operand(op, 0)?, l.operand(op, 1)?);
    let (low, high) = (l.numbers(op, "low", n, 0), l.numbers(op, "high", n, 0));
    let interior = l.numbers(op, "interior", n, 0);
    let dst = l.own(op.results[0]);
    l.push(Do::Pad { src, value, dst, low, high, interior });
    Ok(())
}
/// Zeros behind the operand along one axis, up to the result's extent.
fn pad_suffix(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let (from, to) = (f.ty(op.operands[0]), f.ty(op.results[0]));
    let src = l.operand(op, 0)?;
    let value = match op.operands.get(1) {
        Some(_) => l.operand(op, 1)?,
        None => {
            let zero =
                tfc_ir::ops::constant::scalar_of(from.dtype, 0.0).ok_or_else(|| crate::cpu::unsupported(from.dtype))?;
            l.constant(&tfc_ir::Type::scalar(from.dtype), "zero".into(), zero)
        }
    };
    let zeros = l.numbers(op, "", from.rank(), 0);
    let mut high = vec![];
    for (a, b) in to.dims.iter().zip(from.dims.iter()) {
        high.push(a.sub(b)?);
    }
    let high = l.ext_list(&high);
    let dst = l.own(op.results[0]);
    l.push(Do::Pad { src, value, dst, low: zeros.clone(), high, interior: zeros });
    Ok(())
}
fn dynamic_slice(l: &mut Lower, op: &Op) -> Result<()> {
    let src = l.operand(op, 0)?;
    let at = (1..op.operands.len()).map(|i| l.operand(op, i)).collect::<Result<_>>()?;
    let dst = l.alias(op.results[0], &[src]);
    l.push(Do::DynamicSlice { src, dst, at });
    Ok(())
}
fn dynamic_update(l: &mut Lower, op: &Op) -> Result<()> {
    let (src, update) = (l.operand(op, 0)?, l.operand(op, 1)?);
    let at: Box<[Slot]> = (2..op.operands.len()).map(|i| l.operand(op, i)).collect::<Result<_>>()?;
    let dst = l.own(op.results[0]);
    l.slots[dst as usize].like = src;
    let all = [src, update].into_iter().chain(at.iter().copied()).collect();
    l.over.push((l.pos, dst, vec![src], all));
    l.push(Do::DynamicUpdate { src, update, dst, at });
    Ok(())
}
fn embed_diag(l: &mut Lower, op: &Op) -> Result<()> {
    let src = l.operand(op, 0)?;
    let dst = l.own(op.results[0]);
    l.push(Do::EmbedDiag { src, dst });
    Ok(())
}
fn triangle(l: &mut Lower, op: &Op, lower: bool) -> Result<()> {
    let src = l.operand(op, 0)?;
    let dst = l.own(op.results[0]);
    l.push(Do::Triangle { src, dst, k: op.attrs.int("k"), lower });
    Ok(())
}
fn arg(l: &mut Lower, op: &Op, max: bool) -> Result<()> {
    let src = l.operand(op, 0)?;
    let dst = l.own(op.results[0]);
    l.push(Do::Arg { src, dst, axis: op.attrs.int("axis") as usize, max });
    Ok(())
}
fn dot(l: &mut Lower, op: &Op) -> Result<()> {
    let d = DotDims::of(&op.attrs)?;
    let ranks = [l.rank(op, 0), l.rank(op, 1)];
    let args = [l.operand(op, 0)?, l.operand(op, 1)?];
    let out = l.own(op.results[0]);
    let free = [d.free(0, ranks[0]), d.free(1, ranks[1])];
    let rank = free[0].len() + free[1].len() + d.batch[0].len();
    let step = Dot {
        args,
        out,
        order: d.out.clone().unwrap_or_else(|| (0..rank).collect()).into(),
        contract: d.contract.map(Into::into),
        batch: d.batch.map(Into::into),
        free: free.map(Into::into),
        conj: [d.conj_lhs, d.conj_rhs],
        then: None,
    };
    l.push(Do::Dot(Box::new(step)));
    Ok(())
}
fn first_extent(op: &Op) -> Result<Extent> {
    let mut it = op.attrs.iter().filter_map(|(_, a)| if let Attr::Extents(v) = a { v.first().cloned() } else { None });
    it.next().ok_or_else(|| bug(op, "no extent"))
}
fn dim_value(l: &mut Lower, op: &Op) -> Result<()> {
    let ext = first_extent(op)?;
    let ext = l.ext(&ext);
    let dst = l.own(op.results[0]);
    l.push(Do::DimValue { ext, dst });
    Ok(())
}
fn extent(l: &mut Lower, op: &Op) -> Result<()> {
    let src = l.operand(op, 0)?;
    match first_extent(op)?.as_atom() {
        Some(tfc_ir::extent::Atom::Exist(exist)) => l.push(Do::BindExtent { src, exist }),
        _ => return Err(bug(op, "binds nothing")),
    }
    Ok(())
}
fn guard(l: &mut Lower, op: &Op) -> Result<()> {
    for c in &op.wheres {
        l.guard(c, "`guard`".into(), "E0420");
    }
    Ok(())
}
fn bitcast(l: &mut Lower, op: &Op) -> Result<()> {
    let f = l.f.clone();
    let src = l.operand(op, 0)?;
    let to = f.ty(op.results[0]);
    let store = l.store(to);
    let dst = l.alias(op.results[0], &[src]);
    l.roots[dst as usize].push(store);
    // Results never share storage of another element type.
    l.push(Do::Bitcast { src, dst, store });
    Ok(())
}
fn precision(l: &mut Lower, op: &Op) -> Result<()> {
    let src = l.operand(op, 0)?;
    let dst = l.own_type(&l.f.clone().ty(op.results[0]).clone(), "".into());
    l.of[op.results[0].ix()] = dst;
    let (exponent, mantissa) = (op.attrs.int("exponent"), op.attrs.int("mantissa"));
    l.push(Do::Precision { src, dst, exponent, mantissa });
    Ok(())
}
fn text(op: &Op) -> Arc<str> {
    op.attrs.iter().find_map(|(_, a)| if let Attr::Str(s) = a { Some(s.clone()) } else { None }).unwrap_or_default()
}
fn check(l: &mut Lower, op: &Op) -> Result<()> {
    let pred = l.operand(op, 0)?;
    l.push(Do::Check { pred, message: text(op) });
    Ok(())
}
fn compare(l: &mut Lower, op: &Op, exact: bool) -> Result<()> {
    let (a, b) = (l.operand(op, 0)?, l.operand(op, 1)?);
    let float = |k: &str| match op.attrs.get(k) {
        Some(Attr::Float(x)) => *x,
        Some(Attr::Int(x)) => *x as f64,
        _ => 0.0,
    };
    l.push(Do::Compare {
        a,
        b,
        atol: float("atol"),
        rtol: float("rtol"),
        ulp: op.attrs.get("ulp").map(|_| op.attrs.int("ulp")),
        exact,
    });
    Ok(())
}
fn print(l: &mut Lower, op: &Op) -> Result<()> {
    let src = l.operand(op, 0)?;
    l.push(Do::Print { src, label: text(op) });
    Ok(())
}
