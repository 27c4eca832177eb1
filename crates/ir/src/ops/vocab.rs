//! The builder's vocabulary: what rules, passes and the Rust API say, `b.mul(x, y)?`.
use super::{constant, contract, control, elementwise as e, extents, order, reduce, shape};
use crate::DType;
use crate::attr::{Attr, Attrs, SymRef};
use crate::builder::Builder;
use crate::diag::Result;
use crate::extent::{Atom, Constraint, ExistId, Extent};
use crate::func::{OpId, RegionId, ValueId};
use crate::module::FuncId;
use crate::op::{NewOp, OpDef};
use crate::tensor::Tensor;
use crate::types::Type;
use std::collections::BTreeMap;

macro_rules! unary { ($($(#[$d:meta])* $f:ident $row:ident,)*) => { impl Builder<'_> { $(
    $(#[$d])* #[doc = concat!("`", stringify!($f), "`.")]
    pub fn $f(&mut self, x: ValueId) -> Result<ValueId> { self.emit1(NewOp::new(&e::$row, &[x])) }
)* } } }
macro_rules! binary { ($($f:ident $row:ident,)*) => { impl Builder<'_> { $(
    #[doc = concat!("`", stringify!($f), "`.")]
    pub fn $f(&mut self, x: ValueId, y: ValueId) -> Result<ValueId> { self.emit1(NewOp::new(&e::$row, &[x, y])) }
)* } } }
unary! {
    neg NEG, abs ABS, sign SIGN, exp EXP, exp2 EXP2, expm1 EXPM1, log LOG, log1p LOG1P, sqrt SQRT, rsqrt RSQRT, cbrt CBRT,
    sin SIN, cos COS, tan TAN, sinh SINH, cosh COSH, tanh TANH, logistic LOGISTIC, digamma DIGAMMA, bessel_i0e BESSEL_I0E,
    bessel_i1e BESSEL_I1E, conj CONJ, real REAL, imag IMAG, not NOT, erf_inv ERF_INV, is_finite IS_FINITE,
}
binary! {
    add ADD, sub SUB, mul MUL, div DIV, rem REM, pow POW, max MAX, min MIN, and AND, or OR, complex COMPLEX,
    polygamma POLYGAMMA, zeta ZETA, eq EQ, ne NE, lt LT, le LE, gt GT, ge GE,
}
impl Builder<'_> {
    /// `select(p, t, f)`.
    pub fn select(&mut self, p: ValueId, t: ValueId, f: ValueId) -> Result<ValueId> {
        self.emit1(NewOp::new(&e::SELECT, &[p, t, f]))
    }
    /// `convert` to `dtype`; the value itself where it has it already.
    pub fn convert(&mut self, x: ValueId, dtype: DType) -> Result<ValueId> {
        let ty = self.ty(x);
        if ty.dtype == dtype {
            return Ok(x);
        }
        self.emit1(NewOp::new(&e::CONVERT, &[x]).types(vec![ty.with_dtype(dtype)]))
    }
    /// A constant with every element `x`.
    pub fn splat(&mut self, ty: &Type, x: f64) -> Result<ValueId> {
        self.emit1(constant::splat_op(ty, x)?)
    }
    /// A constant.
    pub fn constant(&mut self, t: Tensor) -> Result<ValueId> {
        self.emit1(NewOp::new(&constant::CONST, &[]).attr("value", Attr::Tensor(t)))
    }
    /// A constant with every element that of the scalar `t`.
    pub fn filled(&mut self, t: Tensor, ty: &Type) -> Result<ValueId> {
        shape::splat_const(self, t, ty)
    }
    /// Zeros.
    pub fn zeros(&mut self, ty: &Type) -> Result<ValueId> {
        self.splat(ty, 0.0)
    }
    /// A constant of the type of `v` with every element `x`.
    pub fn like(&mut self, v: ValueId, x: f64) -> Result<ValueId> {
        let ty = self.ty(v);
        self.splat(&ty, x)
    }
    /// The conjugate of a complex value, a real one itself.
    pub fn conj_if_complex(&mut self, x: ValueId) -> Result<ValueId> {
        if self.func().ty(x).dtype.is_complex() { self.conj(x) } else { Ok(x) }
    }
    /// `broadcast_in_dim` to `ty`: operand axis `i` becomes result axis `dims[i]`.
    pub fn broadcast(&mut self, x: ValueId, ty: &Type, dims: &[usize]) -> Result<ValueId> {
        if self.func().ty(x) == ty && dims.iter().enumerate().all(|(i, &d)| i == d) {
            return Ok(x);
        }
        self.emit1(NewOp::new(&shape::BROADCAST_IN_DIM, &[x]).attr("dims", Attr::ints(dims)).types(vec![ty.clone()]))
    }
    /// `reduce_sum` over `axes`; the value itself where there is none.
    pub fn reduce_sum(&mut self, x: ValueId, axes: &[usize]) -> Result<ValueId> {
        if axes.is_empty() {
            return Ok(x);
        }
        self.emit1(NewOp::new(&reduce::REDUCE_SUM, &[x]).attr("axes", Attr::ints(axes)))
    }
    /// Whether any of a `bool` value's elements along `axes` holds.
    pub fn any_along(&mut self, x: ValueId, axes: &[usize]) -> Result<ValueId> {
        reduce::reduce(self, &reduce::REDUCE_OR, x, axes)
    }
    /// Whether all of a `bool` value's elements along `axes` hold.
    pub fn all_along(&mut self, x: ValueId, axes: &[usize]) -> Result<ValueId> {
        reduce::reduce(self, &reduce::REDUCE_AND, x, axes)
    }
    /// `transpose`; the value itself for the identity.
    pub fn transpose(&mut self, x: ValueId, perm: &[usize]) -> Result<ValueId> {
        if perm.iter().enumerate().all(|(i, &p)| i == p) {
            return Ok(x);
        }
        self.emit1(NewOp::new(&shape::TRANSPOSE, &[x]).attr("perm", Attr::ints(perm)))
    }
    /// `reshape` to `ty`; the value itself where it has that type.
    pub fn reshape(&mut self, x: ValueId, ty: &Type) -> Result<ValueId> {
        if self.func().ty(x) == ty {
            return Ok(x);
        }
        self.emit1(NewOp::new(&shape::RESHAPE, &[x]).types(vec![ty.clone()]))
    }
    /// `reshape(order = first)` to `ty`; the value itself where it has that type.
    pub fn reshape_first(&mut self, x: ValueId, ty: &Type) -> Result<ValueId> {
        if self.func().ty(x) == ty {
            return Ok(x);
        }
        self.emit1(NewOp::new(&shape::RESHAPE, &[x]).attr("order", Attr::word("first")).types(vec![ty.clone()]))
    }
    /// `dim_value`.
    pub fn dim_value(&mut self, e: Extent) -> Result<ValueId> {
        self.emit1(NewOp::new(&extents::DIM_VALUE, &[]).attr("extent", Attr::extent(e)))
    }
    /// `extent`: binds the extent `e` to the integer scalar `n`, which satisfies `wheres`. Gives the op.
    pub fn bind_extent(&mut self, n: ValueId, e: Extent, wheres: Vec<Constraint>) -> Result<OpId> {
        let mut op = NewOp::new(&extents::EXTENT, &[n]).attr("extent", Attr::extent(e));
        op.wheres = wheres;
        self.emit(op)?;
        Ok(OpId(self.func().ops.len() as u32 - 1))
    }
    /// `dynamic_slice` of these sizes at integer scalars `at`, one per axis.
    pub fn dynamic_slice(&mut self, x: ValueId, at: &[ValueId], sizes: Vec<Extent>) -> Result<ValueId> {
        let operands: Vec<_> = std::iter::once(x).chain(at.iter().copied()).collect();
        self.emit1(NewOp::new(&shape::DYNAMIC_SLICE, &operands).attr("sizes", Attr::extents(sizes)))
    }
    /// `slice` of `n` elements from `start` on along `axis`; the value itself where that is all of it.
    pub fn part(&mut self, x: ValueId, axis: usize, start: i64, n: i64) -> Result<ValueId> {
        let ty = self.ty(x);
        let mut limit = ty.dims.to_vec();
        if start == 0 && limit.get(axis) == Some(&Extent::exact(n)) {
            return Ok(x);
        }
        let mut first = vec![Extent::exact(0); limit.len()];
        if let (Some(l), Some(f)) = (limit.get_mut(axis), first.get_mut(axis)) {
            (*f, *l) = (Extent::exact(start), Extent::exact(start.saturating_add(n)));
        }
        let op = NewOp::new(&shape::SLICE, &[x]).attr("start", Attr::extents(first));
        self.emit1(op.attr("limit", Attr::extents(limit)))
    }
    /// `reverse` along one axis.
    pub fn reverse(&mut self, x: ValueId, axis: usize) -> Result<ValueId> {
        self.emit1(NewOp::new(&shape::REVERSE, &[x]).attr("axes", Attr::ints(&[axis])))
    }
    /// `take_prefix` of `n` elements along `axis`; the value itself where it has that extent.
    pub fn take_prefix(&mut self, x: ValueId, axis: usize, n: &Extent) -> Result<ValueId> {
        let ty = self.ty(x);
        if ty.dims.get(axis) == Some(n) {
            return Ok(x);
        }
        let ty = ty.without(&[axis]).with_axis(axis, n.clone());
        self.emit1(NewOp::new(&shape::TAKE_PREFIX, &[x]).attr("axis", Attr::Int(axis as i64)).types(vec![ty]))
    }
    /// Along the only axis of `x`, the sum of the elements before each.
    pub fn sum_before(&mut self, x: ValueId) -> Result<ValueId> {
        let all = self.emit1(NewOp::new(&order::CUMSUM, &[x]).attr("axis", Attr::Int(0)))?;
        self.sub(all, x)
    }
    /// `dot_general`.
    pub fn dot(&mut self, x: ValueId, y: ValueId, dims: &contract::DotDims) -> Result<ValueId> {
        self.emit1(NewOp::new(&contract::DOT_GENERAL, &[x, y]).attrs(dims.attrs()))
    }
    /// `call(@f<extents>, args)`; extents that are `None` follow from the operands. Gives the results and what the
    /// header's existentials became.
    pub fn call(
        &mut self,
        f: FuncId,
        extents: Option<Vec<Extent>>,
        args: &[ValueId],
    ) -> Result<(Vec<ValueId>, BTreeMap<ExistId, Extent>)> {
        self.call_by(&control::CALL, f, extents, args)
    }
    /// As [`Builder::call`], by another row with the operands and results of a call (its leading slot is `callee`).
    pub fn call_by(
        &mut self,
        row: &'static OpDef,
        f: FuncId,
        extents: Option<Vec<Extent>>,
        args: &[ValueId],
    ) -> Result<(Vec<ValueId>, BTreeMap<ExistId, Extent>)> {
        self.call_with(row, f, extents, args, Attrs::none(), &|_, t| t.dims.to_vec())
    }
    /// As [`Builder::call_by`], with further attributes; `own` gives the extents of the callee's result of that number, where the op
    /// gives one of that type.
    pub(crate) fn call_with(
        &mut self,
        row: &'static OpDef,
        f: FuncId,
        extents: Option<Vec<Extent>>,
        args: &[ValueId],
        attrs: Attrs,
        own: &dyn Fn(usize, &Type) -> Vec<Extent>,
    ) -> Result<(Vec<ValueId>, BTreeMap<ExistId, Extent>)> {
        let explicit = extents.is_some();
        let sym = SymRef { func: f, extents: extents.unwrap_or_default().into(), explicit };
        let rs = self.emit(NewOp::new(row, args).attrs(attrs).attr("callee", Attr::Sym(sym)))?;
        let callee = self.module().func(f)?;
        let mut pack = BTreeMap::new();
        for (i, (t, &r)) in callee.result_types.iter().zip(&rs).enumerate() {
            for (d, e) in t.dims.iter().zip(own(i, self.func().ty(r))) {
                if let Some(Atom::Exist(x)) = d.as_atom() {
                    pack.entry(x).or_insert_with(|| e.clone());
                }
            }
        }
        for (i, &r) in rs.iter().enumerate() {
            if let Some(&v) = callee.returns().get(i) {
                let name = callee.value(v).name.clone();
                self.hint(r, name);
            }
        }
        Ok((rs, pack))
    }
    /// `cond(p, args) {then… else…}`.
    pub fn cond(&mut self, p: ValueId, args: &[ValueId], then: RegionId, other: RegionId) -> Result<Vec<ValueId>> {
        self.branch_typed(&control::COND, p, args, vec![then, other], &[])
    }
    /// `switch(i, args) {case0… case1…}`.
    pub fn switch(&mut self, i: ValueId, args: &[ValueId], cases: Vec<RegionId>) -> Result<Vec<ValueId>> {
        self.branch_typed(&control::SWITCH, i, args, cases, &[])
    }
    /// A row of which one region runs, by the first operand, with the types of its first results.
    pub fn branch_typed(
        &mut self,
        def: &'static OpDef,
        by: ValueId,
        args: &[ValueId],
        regions: Vec<RegionId>,
        types: &[Type],
    ) -> Result<Vec<ValueId>> {
        let operands: Vec<_> = std::iter::once(by).chain(args.iter().copied()).collect();
        let n = regions.first().map_or(0, |&r| self.func().region(r).yields.len());
        self.emit_typed(NewOp::new(def, &operands).regions(regions), n, types)
    }
    /// `scan` with these dimensions.
    pub fn scan(&mut self, operands: &[ValueId], dims: &control::ScanDims, body: RegionId) -> Result<Vec<ValueId>> {
        self.scan_typed(operands, dims, body, &[])
    }
    /// As [`Builder::scan`] with the types of its first results.
    pub fn scan_typed(
        &mut self,
        operands: &[ValueId],
        dims: &control::ScanDims,
        body: RegionId,
        types: &[Type],
    ) -> Result<Vec<ValueId>> {
        let n = self.func().region(body).yields.len();
        let new = self.scan_op(operands, dims, body);
        self.emit_typed(new, n, types)
    }
    /// The `scan` itself.
    pub(crate) fn scan_op(&self, operands: &[ValueId], dims: &control::ScanDims, body: RegionId) -> NewOp {
        let ranks: Vec<usize> = operands[dims.carry..].iter().map(|&x| self.func().ty(x).rank()).collect();
        let ys = &self.func().region(body).yields;
        let outs: Vec<usize> = ys[dims.carry.min(ys.len())..].iter().map(|&y| self.func().ty(y).rank()).collect();
        let attrs: Attrs = dims.attrs(&ranks, &outs);
        NewOp::new(&control::SCAN, operands).attrs(attrs).regions(vec![body])
    }
    /// An op of `n` results, the first of which have these types.
    pub fn emit_typed(&mut self, new: NewOp, n: usize, types: &[Type]) -> Result<Vec<ValueId>> {
        let mut some: Vec<Option<Type>> = types.iter().cloned().map(Some).collect();
        some.resize(n, None);
        self.emit_partly(new, &some)
    }
}
