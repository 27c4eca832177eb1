//! Statements with functions and regions: calls, derivatives, loops, branches; composites and factorisations.
use crate::typed::make::{COMPOSITES, Gen};
use tfc_ir::ops::contract::DotDims;
use tfc_ir::ops::control::{CHECKPOINT, COND, Gather, SWITCH, ScanDims, WHILE};
use tfc_ir::ops::derivative::{GRAD, HVP, JVP, VJP};
use tfc_ir::*;

impl Gen<'_, '_> {
    /// Composites whose result depends on their operand without jumps.
    pub(crate) fn composite(&mut self) -> Result<()> {
        let Some(v) = self.some(|t, _| t.rank() > 0 && t.dtype.is_float()) else { return Ok(()) };
        let x = self.bounded(v)?;
        let axis = self.rng.below(self.b.func().ty(x).rank());
        let name = self.rng.one_of(COMPOSITES);
        let op = NewOp::new(self.row(name)?, &[x]);
        let op = match name {
            "gelu" | "silu" | "softplus" => op,
            "softmax" | "log_softmax" => op.attr("axis", Attr::Int(axis as i64)),
            _ => op.attr("axes", Attr::ints(&[axis])),
        };
        let r = self.b.emit1(op)?;
        let r = self.bounded(r)?;
        self.keep(r, true);
        Ok(())
    }
    /// What of a factorisation depends on the matrix without jumps: values, and products of the factors.
    pub(crate) fn factor(&mut self) -> Result<()> {
        let Some(v) = self.some(|t, _| t.rank() == 2 && t.dtype.is_inexact()) else { return Ok(()) };
        let x = self.bounded(v)?;
        let r = match self.rng.below(4) {
            0 => self.b.emit(NewOp::new(self.row("linalg.svd")?, &[x]).attr("on_fail", Attr::word("nan")))?[1],
            1 => {
                let f = self.b.emit(NewOp::new(self.row("linalg.qr")?, &[x]).attr("on_fail", Attr::word("nan")))?;
                let dims = DotDims { contract: [vec![1], vec![0]], ..DotDims::default() };
                self.b.dot(f[0], f[1], &dims)?
            }
            2 => {
                let dims = DotDims { contract: [vec![1], vec![1]], ..DotDims::default() };
                let c = self.b.conj_if_complex(x)?;
                let square = self.b.dot(x, c, &dims)?;
                self.b.emit(NewOp::new(self.row("linalg.eigh")?, &[square]).attr("on_fail", Attr::word("nan")))?[0]
            }
            _ => {
                let third = self.b.like(x, 0.3)?;
                let small = self.b.mul(x, third)?;
                let op = NewOp::new(self.row("linalg.triangular_solve")?, &[small, x]);
                self.b.emit1(
                    op.attr("left", Attr::Bool(true)).attr("lower", Attr::Bool(true)).attr("unit", Attr::Bool(true)),
                )?
            }
        };
        let r = self.bounded(r)?;
        self.keep(r, true);
        Ok(())
    }
    /// A loop that joins what its trips select: values decide the extent of the result.
    pub(crate) fn join_trips(&mut self, depth: usize) -> Result<()> {
        let Some(xs) = self.some(|t, rough| t.rank() == 2 && !rough && !t.mentions_existential()) else {
            return Ok(());
        };
        let t = self.b.ty(xs);
        let el = t.without(&[0]);
        let carry = self.b.zeros(&el)?;
        let opened = self.b.open("body");
        let c = self.b.param(el.clone(), "c");
        let x = self.b.param(el.clone(), "x");
        let rough = el.dtype.is_complex();
        let ys = self.block(&[c, x], &[rough, rough], depth)?;
        let mask = self.b.ne(x, c)?;
        let part = self.b.emit1(NewOp::new(self.row("compress")?, &[ys[1], mask]))?;
        let body = self.b.close(opened, vec![ys[0], part]);
        let length = t.dims[0].clone();
        let dims = ScanDims {
            carry: 1,
            length,
            cut: vec![0],
            collect: vec![Gather::Concat],
            reverse: false,
            ..ScanDims::default()
        };
        let rs = self.b.scan(&[carry, xs], &dims, body)?;
        self.keep(rs[0], rough);
        self.keep(rs[1], rough);
        Ok(())
    }
    /// A derivative of a function, taken here: inside of loops and branches as well.
    pub(crate) fn derivative(&mut self) -> Result<()> {
        if self.smooth.is_empty() {
            return Ok(());
        }
        let f = self.rng.one_of(self.smooth);
        let Some(x) = self.some(|t, _| t.rank() == 1 && t.dtype == DType::F64) else { return Ok(()) };
        let ty = self.b.ty(x);
        let x = self.bounded(x)?;
        let v = self.of(&ty, false)?;
        let v = self.bounded(v)?;
        let (row, operands, pick) = match self.rng.below(4) {
            0 => (&GRAD, vec![x], 0),
            1 => (&JVP, vec![x, v], 1),
            2 => (&HVP, vec![x, v], 2),
            _ => {
                let s = self.of(&Type::scalar(DType::F64), false)?;
                let s = self.bounded(s)?;
                (&VJP, vec![x, s], 1)
            }
        };
        let op = NewOp::new(row, &operands).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&[0usize]));
        let rs = self.b.emit(op)?;
        let r = self.bounded(rs[pick])?;
        self.keep(r, true);
        Ok(())
    }
    /// A few statements on `params` and outer values; gives values of the types of `params`, as exact as `rough` says.
    pub(crate) fn block(&mut self, params: &[ValueId], rough: &[bool], depth: usize) -> Result<Vec<ValueId>> {
        let mut pool = self.pool.clone();
        pool.extend(params);
        let mut known = self.rough.clone();
        known.extend(params.iter().zip(rough).filter(|(_, r)| **r).map(|(p, _)| *p));
        let mut inner =
            Gen { rng: &mut *self.rng, b: &mut *self.b, pool, rough: known, smooth: self.smooth, refused: 0 };
        for _ in 0..3 {
            inner.step(depth + 1)?;
        }
        let mut out = vec![];
        for (&p, &rough) in params.iter().zip(rough) {
            let ty = inner.b.ty(p);
            let y = inner.of(&ty, !rough)?;
            out.push(if rough { inner.bounded(y)? } else { y });
        }
        Ok(out)
    }
    pub(crate) fn carried(&mut self) -> (ValueId, bool) {
        let v = self.any();
        let rough = self.is_rough(v) || self.b.func().ty(v).dtype.is_complex();
        (v, rough)
    }
    pub(crate) fn scan(&mut self, depth: usize) -> Result<()> {
        let Some(xs) = self.some(|t, _| t.rank() > 0) else { return Ok(()) };
        let axis = self.rng.below(self.b.func().ty(xs).rank());
        let t = self.b.ty(xs);
        let el = t.without(&[axis]);
        let (c, rough) = self.carried();
        let ty = self.b.ty(c);
        if ty.mentions_existential() || t.mentions_existential() {
            return Ok(());
        }
        let opened = self.b.open("body");
        let p = self.b.param(ty, "c");
        let x = self.b.param(el.clone(), "x");
        let flags = [rough, self.is_rough(xs) || el.dtype.is_complex()];
        let ys = self.block(&[p, x], &flags, depth)?;
        let body = self.b.close(opened, ys);
        let at = self.rng.below(el.rank() + 1);
        let dims = ScanDims {
            carry: 1,
            length: t.dims[axis].clone(),
            cut: vec![axis],
            collect: vec![Gather::Stack(at)],
            reverse: self.rng.below(2) == 0,
            ..ScanDims::default()
        };
        let rs = self.b.scan(&[c, xs], &dims, body)?;
        self.keep(rs[0], flags[0]);
        self.keep(rs[1], flags[1]);
        Ok(())
    }
    pub(crate) fn repeat(&mut self, depth: usize) -> Result<()> {
        let (c, rough) = self.carried();
        let (ty, count) = (self.b.ty(c), Type::scalar(DType::I64));
        if ty.mentions_existential() {
            return Ok(());
        }
        let trips = self.of(&count, true)?;
        let five = self.b.like(trips, 5.0)?;
        let trips = self.b.rem(trips, five)?;
        let zero = self.b.zeros(&count)?;
        let cond =
            self.b.region("cond", &[(count.clone(), "i"), (ty.clone(), "h")], |b, q| Ok(vec![b.lt(q[0], trips)?]))?;
        let opened = self.b.open("body");
        let i = self.b.param(count, "i");
        let h = self.b.param(ty, "h");
        let one = self.b.like(i, 1.0)?;
        let next = self.b.add(i, one)?;
        let ys = self.block(&[h], &[rough], depth)?;
        let body = self.b.close(opened, vec![next, ys[0]]);
        let rs = self.b.emit(NewOp::new(&WHILE, &[zero, c]).regions(vec![cond, body]))?;
        self.keep(rs[0], false);
        self.keep(rs[1], rough);
        Ok(())
    }
    pub(crate) fn branch(&mut self, depth: usize) -> Result<()> {
        let (c, rough) = self.carried();
        let ty = self.b.ty(c);
        if ty.mentions_existential() {
            return Ok(());
        }
        // By a flag, or by an index of which some regions have the number.
        let (row, count, by) = match self.rng.below(3) {
            0 => (&SWITCH, 1 + self.rng.below(4), self.rng.one_of(&[DType::I32, DType::I64])),
            _ => (&COND, 2, DType::Bool),
        };
        let by = self.of(&Type::scalar(by), true)?;
        let mut regions = vec![];
        for _ in 0..count {
            let opened = self.b.open("branch");
            let a = self.b.param(ty.clone(), "a");
            let ys = self.block(&[a], &[rough], depth)?;
            regions.push(self.b.close(opened, ys));
        }
        let rs = self.b.branch_typed(row, by, &[c], regions, &[])?;
        self.keep(rs[0], rough);
        Ok(())
    }
    /// A call, kept or made again for the derivative.
    pub(crate) fn call(&mut self, f: FuncId) -> Result<()> {
        let Some(x) = self.some(|t, _| t.rank() == 1 && t.dtype == DType::F64) else { return Ok(()) };
        let x = self.bounded(x)?;
        let r = if self.rng.below(2) == 0 {
            self.b.call(f, None, &[x])?.0[0]
        } else {
            self.b.emit1(NewOp::new(&CHECKPOINT, &[x]).attr("callee", Attr::Sym(f.into())))?
        };
        self.keep(r, true);
        Ok(())
    }
    /// A smooth function of a vector to a scalar: statements that keep to rough f64.
    pub(crate) fn smooth_body(&mut self, x: ValueId) -> Result<ValueId> {
        let mut v = self.bounded(x)?;
        for _ in 0..2 + self.rng.below(3) {
            let w = self.bounded(x)?;
            let p = self.b.mul(v, w)?;
            v = match self.rng.below(4) {
                0 => {
                    let r = self.b.emit1(NewOp::new(self.row("reverse")?, &[p]).attr("axes", Attr::ints(&[0usize])))?;
                    self.bounded(r)?
                }
                1 => {
                    let op = NewOp::new(self.row("cumsum")?, &[p]).attr("axis", Attr::Int(0));
                    let s = self.b.emit1(op)?;
                    self.bounded(s)?
                }
                2 => {
                    let ty = Type::scalar(DType::F64);
                    let (carry, length) = (self.b.zeros(&ty)?, self.b.ty(p).dims[0].clone());
                    let opened = self.b.open("body");
                    let (c, e) = (self.b.param(ty.clone(), "c"), self.b.param(ty, "e"));
                    let s = self.b.add(c, e)?;
                    let s = self.bounded(s)?;
                    let body = self.b.close(opened, vec![s, s]);
                    let collect = vec![Gather::Stack(0)];
                    let dims = ScanDims {
                        carry: 1,
                        length,
                        cut: vec![0],
                        collect,
                        reverse: self.rng.below(2) == 0,
                        ..ScanDims::default()
                    };
                    self.b.scan(&[carry, p], &dims, body)?[1]
                }
                _ => self.bounded(p)?,
            };
        }
        let s = self.b.reduce_sum(v, &[0])?;
        self.bounded(s)
    }
}
