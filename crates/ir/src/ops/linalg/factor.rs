//! Which values are factors of one factorisation: what [`super::spectral`] is found by.
use super::*;
use crate::func::{Def, Func, Op};
use crate::op::Loops;
use crate::ops::constant::CONST;
use crate::ops::elementwise::{CONJ, DIV, MUL};
use crate::ops::shape::{EMBED_DIAG, TAKE_PREFIX, TRANSPOSE, splat_const, splat_tensor};
use std::cell::Cell;

/// Singular vectors `u` or eigenvectors `v` (`Left`), or `vt` (`Right`), as a factorisation gives them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Left,
    Right,
}
impl Part {
    /// The axis of the values.
    pub(super) fn inner(self) -> usize {
        if self == Part::Left { 1 } else { 0 }
    }
}
/// A value that is such a matrix: some columns of it, conjugated, scaled, its axes in some order.
pub(super) struct Factor {
    pub(super) op: OpId,
    pub(super) base: ValueId,
    pub(super) part: Part,
    pub(super) conj: bool,
    /// Axis `i` is axis `axes[i]` of `base`.
    pub(super) axes: Vec<usize>,
    /// The number of columns, where they are not all.
    pub(super) cut: Option<Extent>,
    pub(super) scales: Vec<Scale>,
}
/// What multiplies the columns, each by a number of its own.
#[derive(Clone)]
pub(super) struct Scale {
    of: Of,
    conj: bool,
    inverse: bool,
}
#[derive(Clone)]
enum Of {
    /// A value for each of the values.
    Each(ValueId),
    /// A matrix of them, the same along the outer axis: axis `i` is axis `places[i]` of the values, where it has one.
    Matrix(ValueId, Vec<Option<usize>>),
}
impl Factor {
    /// What `v` is, if it is one. Factorisations with `degenerate = damp` keep the derivative that they ask for.
    pub(super) fn of(f: &Func, v: ValueId) -> Option<Factor> {
        Reader { f, left: Cell::new(MOST_STEPS) }.read(v)
    }
    fn conjugate(&mut self) {
        self.conj = !self.conj;
        self.scales.iter_mut().for_each(|s| s.conj = !s.conj);
    }
    /// The matrix itself: columns cut, neither scaled nor conjugated, axes in place.
    fn plain(&self, b: &mut Builder) -> Result<ValueId> {
        match &self.cut {
            Some(r) => b.take_prefix(self.base, self.part.inner(), r),
            None => Ok(self.base),
        }
    }
    /// Where axis `axis` of this operand is in the product of all matrices.
    fn outer(&self, axis: usize, first: bool) -> Option<usize> {
        match *self.axes.get(axis)? {
            a if a >= 2 => Some(a),
            _ => Some(usize::from(!first)),
        }
    }
}
/// How many statements are looked at, at most, to say what a value is: one may be reached in many ways.
const MOST_STEPS: u32 = 256;
struct Reader<'a> {
    f: &'a Func,
    left: Cell<u32>,
}
impl Reader<'_> {
    fn step(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
    fn read(&self, v: ValueId) -> Option<Factor> {
        let f = self.f;
        let Def::Result(o, i) = f.value(v).def else { return None };
        if !self.step() {
            return None;
        }
        let op = f.op(o);
        let part = match i {
            0 if op.def.is(&SVD) => Some(Part::Left),
            2 if op.def.is(&SVD) => Some(Part::Right),
            1 if op.def.is(&EIGH) => Some(Part::Left),
            _ => None,
        };
        if let Some(part) = part {
            let axes = (0..f.ty(v).rank()).collect();
            let found = Factor { op: o, base: v, part, conj: false, axes, cut: None, scales: vec![] };
            return (op.attrs.word("degenerate") != Some("damp")).then_some(found);
        }
        let inner = |x: ValueId| self.read(x);
        let &x = op.operands.first()?;
        let &y = op.operands.get(1).unwrap_or(&x);
        if op.def.is(&TRANSPOSE) {
            let mut a = inner(x)?;
            a.axes = op.attrs.indices("perm").iter().filter_map(|&p| a.axes.get(p).copied()).collect();
            Some(a)
        } else if op.def.is(&CONJ) {
            let mut a = inner(x)?;
            a.conjugate();
            Some(a)
        } else if op.def.is(&TAKE_PREFIX) {
            let mut a = inner(x)?;
            let axis = usize::try_from(op.attrs.int("axis")).ok()?;
            // What was scaled before would have to be cut as well.
            if a.axes.get(axis) != Some(&a.part.inner()) || !a.scales.is_empty() {
                return None;
            }
            a.cut = f.ty(v).dims.get(axis).cloned();
            Some(a)
        } else if op.def.is(&MUL) {
            inner(x).and_then(|a| self.scaled(a, y, false)).or_else(|| self.scaled(inner(y)?, x, false))
        } else if op.def.is(&DIV) {
            self.scaled(inner(x)?, y, true)
        } else if op.def.is(&crate::ops::contract::DOT_GENERAL) {
            let dims = DotDims::of(&op.attrs).ok()?;
            (0..2).find_map(|k| self.by_diagonal(inner([x, y][k])?, [x, y][1 - k], &dims, k))
        } else {
            None
        }
    }
    /// Times (or over) `y`, if that is the same along the outer axis.
    fn scaled(&self, mut a: Factor, y: ValueId, inverse: bool) -> Option<Factor> {
        let inner = a.part.inner();
        let place = |&a: &usize| match a {
            a if a == inner => Some(0),
            a => a.checked_sub(1).filter(|&a| a > 0),
        };
        let places: Vec<Option<usize>> = a.axes.iter().map(place).collect();
        let fits = self.narrows(y, &places);
        a.scales.push(Scale { of: Of::Matrix(y, places), conj: false, inverse });
        fits.then_some(a)
    }
    /// Operand `k` of a contraction with `embed_diag`.
    fn by_diagonal(&self, mut a: Factor, e: ValueId, dims: &DotDims, k: usize) -> Option<Factor> {
        let op = self.f.def_op(e).filter(|op| op.def.is(&EMBED_DIAG))?;
        let (&of, rank) = (op.operands.first()?, a.axes.len());
        let (&[mine], &[theirs]) = (dims.contract[k].as_slice(), dims.contract[1 - k].as_slice()) else { return None };
        let batches = dims.batch[k].iter().zip(&dims.batch[1 - k]);
        let straight = batches.clone().all(|(&b, &c)| c >= 2 && a.axes.get(b) == Some(&c));
        if a.axes.get(mine) != Some(&a.part.inner()) || theirs > 1 || !straight || batches.len() + 2 != rank {
            return None;
        }
        if [dims.conj_lhs, dims.conj_rhs][k] {
            a.conjugate();
        }
        let axis = |(side, i): (usize, usize)| match () {
            () if side == k => a.axes.get(i).copied(),
            () if i == 1 - theirs => Some(a.part.inner()),
            () => Some(i),
        };
        a.axes = dims.axes([rank; 2]).into_iter().map(axis).collect::<Option<_>>()?;
        let conj = [dims.conj_lhs, dims.conj_rhs][1 - k];
        a.scales.push(Scale { of: Of::Each(of), conj, inverse: false });
        Some(a)
    }
    /// Is `y`, whose axes are at these `places`, the same along the axis without one? It is made elementwise of what is
    /// repeated along it.
    fn narrows(&self, y: ValueId, places: &[Option<usize>]) -> bool {
        let f = self.f;
        let Some(op) = f.def_op(y).filter(|_| self.step()) else { return false };
        if op.def.is(&CONST) {
            return op.attrs.tensor("splat").is_some() || op.attrs.tensor("value").is_some_and(|t| t.rank() == 0);
        }
        if op.def.loops == Loops::Repeat {
            return repeated(f, op).1.iter().all(|&d| places.get(d).is_some_and(Option::is_some));
        }
        let each = op.def.scalar.is_some() && op.attrs.is_empty() && f.ty(y).rank() == places.len();
        each && op.operands.iter().all(|&x| f.ty(x).is_scalar() || self.narrows(x, places))
    }
}
/// What an op repeats, through others that do: the value, and where its axes are.
fn repeated(f: &Func, op: &Op) -> (ValueId, Vec<usize>) {
    let (mut x, mut dims) = (op.operands[0], op.attrs.indices("dims"));
    while let Some(op) = f.def_op(x).filter(|op| op.def.loops == Loops::Repeat) {
        dims = op.attrs.indices("dims").iter().filter_map(|&d| dims.get(d).copied()).collect();
        x = op.operands[0];
    }
    (x, dims)
}
/// Such a `y` without the outer axis: of these extents, whatever its dtype.
fn narrow(b: &mut Builder, y: ValueId, places: &[Option<usize>], like: &Type) -> Result<ValueId> {
    let ty = like.with_dtype(b.func().ty(y).dtype);
    if let Some(t) = splat_tensor(b, y) {
        return splat_const(b, t, &ty);
    }
    let Some(op) = b.func().def_op(y).cloned() else { return Ok(y) };
    if op.def.loops == Loops::Repeat {
        let (x, dims) = repeated(b.func(), &op);
        let dims: Vec<usize> = dims.iter().filter_map(|&d| places.get(d).copied().flatten()).collect();
        return b.broadcast(x, &ty, &dims);
    }
    let mut operands = vec![];
    for &x in &op.operands {
        operands.push(if b.func().ty(x).is_scalar() { x } else { narrow(b, x, places, like)? });
    }
    b.emit1(NewOp::new(op.def, &operands).types(vec![ty]))
}
/// The product of these, a value for each of the values.
fn weights(b: &mut Builder, ty: &Type, scales: &[Scale], flip: bool) -> Result<ValueId> {
    let mut d: Option<ValueId> = None;
    for s in scales {
        let x = match &s.of {
            Of::Each(x) => *x,
            Of::Matrix(y, places) => narrow(b, *y, places, ty)?,
        };
        let x = if s.conj != flip { b.conj_if_complex(x)? } else { x };
        d = Some(match (d, s.inverse) {
            (None, false) => x,
            (Some(d), false) => b.mul(d, x)?,
            (Some(d), true) => b.div(d, x)?,
            (None, true) => {
                let one = b.splat(ty, 1.0)?;
                b.div(one, x)?
            }
        });
    }
    match d {
        Some(d) => Ok(d),
        None => b.splat(ty, 1.0),
    }
}

/// A product of matrices `u · diag(d) · vt`, `u · diag(d) · uᴴ`, `vtᴴ · diag(d) · vt` or `v · diag(d) · vᴴ`, whatever of
/// `d` was multiplied to which side, is marked as what it is by `linalg.spectral`. Without a `d` nothing is lost by
/// tangents of vectors.
pub(crate) fn as_spectral(b: &mut Builder, new: &NewOp) -> Result<Option<Vec<ValueId>>> {
    let Some((l, r, back)) = sides(b, new) else { return Ok(None) };
    if l.scales.is_empty() && r.scales.is_empty() {
        return Ok(None);
    }
    let ty = b.ty(l.base);
    let k = match &l.cut {
        Some(r) => r.clone(),
        None => ty.dims[l.part.inner()].clone(),
    };
    let ty = ty.without(&[0, 1]).with_axis(0, k);
    // A product of conjugates is the conjugate of a product.
    let flip = l.part != r.part && l.conj;
    let d = weights(b, &ty, &[&l.scales[..], &r.scales[..]].concat(), flip)?;
    let y = b.emit1(new.clone())?;
    let mut canonical = vec![0; back.len()];
    back.iter().enumerate().for_each(|(i, &c)| canonical[c] = i);
    let straight = b.transpose(y, &canonical)?;
    let straight = if flip { b.conj_if_complex(straight)? } else { straight };
    let mut operands = match (l.part, r.part) {
        (Part::Right, _) => {
            let vt = r.plain(b)?;
            vec![straight, adjoint(b, vt)?, d]
        }
        _ => vec![straight, l.plain(b)?, d],
    };
    if l.part != r.part {
        operands.push(r.plain(b)?);
    }
    let z = b.emit1(NewOp::new(&SPECTRAL, &operands))?;
    let z = if flip { b.conj_if_complex(z)? } else { z };
    Ok(Some(vec![b.transpose(z, &back)?]))
}
/// The factors of a contraction, and which axis of the product of matrices each axis of the result is.
fn sides(b: &Builder, new: &NewOp) -> Option<(Factor, Factor, Vec<usize>)> {
    let &[x, y] = new.operands.as_slice() else { return None };
    let dims = DotDims::of(&new.attrs).ok()?;
    let (&[cx], &[cy]) = (dims.contract[0].as_slice(), dims.contract[1].as_slice()) else { return None };
    let (mut fx, mut fy) = (Factor::of(b.func(), x)?, Factor::of(b.func(), y)?);
    let same = fx.op == fy.op && fx.cut == fy.cut;
    let inner = fx.axes.get(cx) == Some(&fx.part.inner()) && fy.axes.get(cy) == Some(&fy.part.inner());
    let mut pairs = dims.batch[0].iter().zip(&dims.batch[1]);
    let batch = pairs.all(|(&a, &c)| fx.axes.get(a).is_some_and(|&a| a >= 2) && fx.axes.get(a) == fy.axes.get(c));
    if !same || !inner || !batch || dims.batch[0].len() + 2 != fx.axes.len() {
        return None;
    }
    for (f, conj) in [(&mut fx, dims.conj_lhs), (&mut fy, dims.conj_rhs)] {
        if conj {
            f.conjugate();
        }
    }
    let complex = b.func().ty(x).dtype.is_complex();
    // Is operand 0 the left factor?
    let first = match (fx.part, fy.part) {
        (Part::Left, Part::Right) | (Part::Right, Part::Left) => {
            if complex && fx.conj != fy.conj {
                return None;
            }
            fx.part == Part::Left
        }
        _ if !complex => true,
        (part, _) => {
            if fx.conj == fy.conj {
                return None;
            }
            fx.conj == (part == Part::Right)
        }
    };
    let ranks = [fx.axes.len(), fy.axes.len()];
    let place = |(side, a): (usize, usize)| [&fx, &fy][side].outer(a, (side == 0) == first);
    let back = dims.axes(ranks).into_iter().map(place).collect::<Option<Vec<_>>>()?;
    Some(if first { (fx, fy, back) } else { (fy, fx, back) })
}
