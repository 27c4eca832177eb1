//! Statements that move, cut, join, order, fold and index.
use crate::typed::make::{DTYPES, FOLDS, Gen, INTS, RUNNING};
use tfc_ir::ops::contract::DotDims;
use tfc_ir::*;

impl Gen<'_, '_> {
    pub(crate) fn move_axes(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        let rank = ty.rank();
        let r = match self.rng.below(3) {
            0 if rank > 1 => {
                let mut perm: Vec<usize> = (0..rank).collect();
                perm.rotate_left(1 + self.rng.below(rank - 1));
                self.b.transpose(v, &perm)?
            }
            1 if rank > 0 => {
                let axis = self.rng.below(rank);
                self.b.emit1(NewOp::new(self.row("reverse")?, &[v]).attr("axes", Attr::ints(&[axis])))?
            }
            _ if rank > 0 => {
                let all = ty.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))?;
                let flat = ty.with_dims(vec![all]);
                let to = match self.rng.below(3) {
                    0 => flat,
                    1 => ty.with_axis(self.rng.below(rank + 1), Extent::exact(1)),
                    _ => ty.with_dims(ty.dims.iter().rev().cloned().collect::<Vec<_>>()),
                };
                if self.rng.below(2) == 0 { self.b.reshape(v, &to)? } else { self.b.reshape_first(v, &to)? }
            }
            _ => return Ok(()),
        };
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn slice_or_pad(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        let axis = self.rng.below(ty.rank());
        let at = |i: usize, x: i64| if i == axis { Extent::exact(x) } else { Extent::exact(0) };
        let low = self.rng.below(4) as i64 - 1;
        let lows: Vec<_> = (0..ty.rank()).map(|i| at(i, low)).collect();
        let highs: Vec<_> = (0..ty.rank()).map(|i| at(i, 2)).collect();
        let fill = self.of(&Type::scalar(ty.dtype), true)?;
        let fill = if rough { self.bounded(fill)? } else { fill };
        let mut op = NewOp::new(self.row("pad")?, &[v, fill]).attr("low", Attr::extents(lows));
        op = op.attr("high", Attr::extents(highs));
        if self.rng.below(3) == 0 {
            let gaps: Vec<i64> = (0..ty.rank()).map(|i| i64::from(i == axis)).collect();
            op = op.attr("interior", Attr::ints(&gaps));
        }
        let big = self.b.emit1(op)?;
        self.keep(big, rough);
        let wide = self.b.ty(big);
        let start = self.rng.below(3) as i64;
        let starts: Vec<_> = (0..ty.rank()).map(|i| at(i, start)).collect();
        let one = Extent::exact(1);
        let limit = |i: usize| if i == axis { ty.dims[i].add(&one) } else { Ok(wide.dims[i].clone()) };
        let limits = (0..ty.rank()).map(limit).collect::<Result<Vec<_>>>()?;
        let mut op = NewOp::new(self.row("slice")?, &[big]).attr("start", Attr::extents(starts));
        op = op.attr("limit", Attr::extents(limits));
        if self.rng.below(3) == 0 {
            let steps: Vec<i64> = (0..ty.rank()).map(|i| if i == axis { 2 } else { 1 }).collect();
            op = op.attr("stride", Attr::ints(&steps));
        }
        let r = self.b.emit1(op)?;
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn join(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        let w = self.of(&ty, !rough)?;
        let rough = rough || self.is_rough(w);
        let axis = self.rng.below(ty.rank());
        let r = self.b.emit1(NewOp::new(self.row("concat")?, &[v, w]).attr("axis", Attr::Int(axis as i64)))?;
        self.keep(r, rough);
        Ok(())
    }
    /// A value over a larger one.
    pub(crate) fn spread(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        let Some(w) = self.some(|t, _| t.rank() > ty.rank()) else { return Ok(()) };
        let big = self.b.ty(w).with_dtype(ty.dtype);
        let mut dims = vec![];
        for d in ty.dims.iter() {
            let from = dims.last().map_or(0, |l| l + 1);
            match (from..big.rank()).find(|&i| big.dims[i] == *d) {
                Some(i) => dims.push(i),
                None => return Ok(()),
            }
        }
        let r = self.b.broadcast(v, &big, &dims)?;
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn fold(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, mut rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        let axis = self.rng.below(ty.rank());
        if !rough && self.rng.below(5) == 0 {
            let name = self.rng.one_of(&["argmax", "argmin"]);
            let row = self.row(name)?;
            let r = self.b.emit1(NewOp::new(row, &[v]).attr("axis", Attr::Int(axis as i64)))?;
            self.keep(r, false);
            return Ok(());
        }
        let name = self.rng.one_of(FOLDS);
        let sums = matches!(name, "reduce_sum" | "reduce_prod");
        if rough && !sums {
            return Ok(());
        }
        let axes: Vec<usize> = if self.rng.below(3) == 0 { (0..ty.rank()).collect() } else { vec![axis] };
        let mut x = v;
        if sums && ty.dtype.is_inexact() {
            x = self.bounded(x)?;
            rough = true;
        }
        let mut r = self.b.emit1(NewOp::new(self.row(name)?, &[x]).attr("axes", Attr::ints(&axes)))?;
        if rough {
            r = self.bounded(r)?;
        }
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn running(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, mut rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        let name = self.rng.one_of(RUNNING);
        let sums = matches!(name, "cumsum" | "cumprod");
        if rough && !sums {
            return Ok(());
        }
        let mut x = v;
        if sums && ty.dtype.is_inexact() {
            x = self.bounded(x)?;
            rough = true;
        }
        let axis = self.rng.below(ty.rank()) as i64;
        let mut op = NewOp::new(self.row(name)?, &[x]).attr("axis", Attr::Int(axis));
        if self.rng.below(2) == 0 {
            op = op.attr("reverse", Attr::Bool(true));
        }
        let mut r = self.b.emit1(op)?;
        if rough {
            r = self.bounded(r)?;
        }
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn sort(&mut self) -> Result<()> {
        let Some(v) = self.some(|t, rough| !rough && t.rank() > 0 && !t.dtype.is_complex()) else { return Ok(()) };
        let ty = self.b.ty(v);
        if self.rng.below(3) == 0 {
            let k = Attr::extent(Extent::exact(self.rng.below(3) as i64));
            let rs = self.b.emit(NewOp::new(self.row("top_k")?, &[v]).attr("k", k))?;
            rs.into_iter().for_each(|r| self.keep(r, false));
            return Ok(());
        }
        let other = self.rng.one_of(&DTYPES);
        let w = self.of(&ty.with_dtype(other), false)?;
        let rough = self.is_rough(w);
        let axis = self.rng.below(ty.rank()) as i64;
        let rs = self.b.emit(NewOp::new(self.row("sort")?, &[v, w]).attr("axis", Attr::Int(axis)))?;
        self.keep(rs[0], false);
        self.keep(rs[1], rough);
        Ok(())
    }
    /// Exact integers, small ones mostly: indices.
    pub(crate) fn indices(&mut self, ty: &Type) -> Result<ValueId> {
        let d = self.rng.one_of(&INTS);
        let v = self.of(&ty.with_dtype(d), true)?;
        if self.rng.below(4) == 0 {
            return Ok(v);
        }
        let seven = self.b.like(v, 7.0)?;
        let small = self.b.rem(v, seven)?;
        let one = self.b.like(v, 1.0)?;
        if self.rng.below(2) == 0 { self.b.sub(small, one) } else { Ok(small) }
    }
    pub(crate) fn take_or_gather(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        let Some(like) = self.some(|t, _| t.rank() <= 2) else { return Ok(()) };
        let shape = self.b.ty(like);
        let i = self.indices(&shape)?;
        let zero = self.rng.below(2) == 0;
        let mut op = if self.rng.below(2) == 0 {
            NewOp::new(self.row("take")?, &[v, i]).attr("axis", Attr::Int(self.rng.below(ty.rank()) as i64))
        } else {
            let axis = self.rng.below(ty.rank());
            let collapse = self.rng.below(2) == 0;
            let size = if collapse { 1 } else { self.rng.below(3) as i64 };
            let sizes: Vec<_> =
                (0..ty.rank()).map(|a| if a == axis { Extent::exact(size) } else { ty.dims[a].clone() }).collect();
            let window = ty.rank() - usize::from(collapse);
            let offset: Vec<usize> = (0..window).map(|k| k + shape.rank()).collect();
            let mut op = NewOp::new(self.row("gather")?, &[v, i]).attr("slice_sizes", Attr::extents(sizes));
            op = op.attr("offset_dims", Attr::ints(&offset)).attr("start_index_map", Attr::ints(&[axis]));
            if collapse { op.attr("collapsed_slice_dims", Attr::ints(&[axis])) } else { op }
        };
        if zero {
            op = op.attr("out_of_bounds", Attr::word("zero"));
        }
        let r = self.b.emit1(op)?;
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn scatter(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, mut rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        let combine = self.rng.one_of(&["set", "add", "mul", "min", "max"]);
        let axis = self.rng.below(ty.rank());
        let Some(like) = self.some(|t, _| t.rank() == 1) else { return Ok(()) };
        let line = self.b.ty(like);
        let i = self.indices(&line)?;
        let sums = matches!(combine, "add" | "mul") && ty.dtype.is_inexact();
        if rough && !sums && combine != "set" {
            return Ok(());
        }
        // Each index names a slice across `axis`.
        let mut dims: Vec<Extent> = vec![line.dims[0].clone()];
        dims.extend((0..ty.rank()).filter(|&a| a != axis).map(|a| ty.dims[a].clone()));
        let mut u = self.of(&ty.with_dims(dims), !rough && !sums)?;
        let mut x = v;
        if sums {
            (x, u) = (self.bounded(x)?, self.bounded(u)?);
            rough = true;
        }
        rough |= self.is_rough(u);
        let window: Vec<usize> = (1..ty.rank()).collect();
        let mut op = NewOp::new(self.row("scatter")?, &[x, i, u]).attr("update_window_dims", Attr::ints(&window));
        op = op.attr("inserted_window_dims", Attr::ints(&[axis]));
        op = op.attr("scatter_dims_to_operand_dims", Attr::ints(&[axis]));
        op = op.attr("combine", Attr::word(combine));
        if self.rng.below(2) == 0 {
            op = op.attr("out_of_bounds", Attr::word("clamp"));
        }
        let mut r = self.b.emit1(op)?;
        if sums {
            r = self.bounded(r)?;
        }
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn dynamic(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        let d = self.rng.one_of(&INTS);
        let mut starts = vec![];
        for _ in 0..ty.rank() {
            starts.push(self.of(&Type::scalar(d), true)?);
        }
        let axis = self.rng.below(ty.rank());
        let size = if self.rng.below(2) == 0 { Extent::exact(1) } else { ty.dims[axis].clone() };
        let sizes: Vec<_> = (0..ty.rank()).map(|a| if a == axis { size.clone() } else { ty.dims[a].clone() }).collect();
        let r = if self.rng.below(2) == 0 {
            self.b.dynamic_slice(v, &starts, sizes)?
        } else {
            let u = self.of(&ty.with_dims(sizes), !rough)?;
            let mut all = vec![v, u];
            all.extend(starts);
            let r = self.b.emit1(NewOp::new(self.row("dynamic_update_slice")?, &all))?;
            if self.is_rough(u) {
                self.rough.insert(r);
            }
            r
        };
        let rough = rough || self.is_rough(r);
        self.keep(r, rough);
        Ok(())
    }
    pub(crate) fn contract(&mut self) -> Result<()> {
        let Some(v) = self.some(|t, _| t.rank() > 0 && t.dtype != DType::Bool) else { return Ok(()) };
        let x = self.b.ty(v);
        let Some(w) = self.some(|t, _| t.rank() > 0 && t.dtype == x.dtype && t.dims.iter().any(|d| x.dims.contains(d)))
        else {
            return Ok(());
        };
        let y = self.b.ty(w);
        let Some((i, j)) = (0..x.rank()).find_map(|i| (0..y.rank()).find(|&j| y.dims[j] == x.dims[i]).map(|j| (i, j)))
        else {
            return Ok(());
        };
        let mut d = DotDims { contract: [vec![i], vec![j]], ..DotDims::default() };
        let others = (0..x.rank()).filter(|&a| a != i);
        let batch = others.filter_map(|a| (0..y.rank()).find(|&c| c != j && y.dims[c] == x.dims[a]).map(|c| (a, c)));
        let batch: Option<(usize, usize)> = batch.take(1).next();
        if let Some((a, c)) = batch
            && self.rng.below(2) == 0
        {
            d.batch = [vec![a], vec![c]];
        }
        let (mut p, mut q) = (v, w);
        let rough = x.dtype.is_inexact();
        if rough {
            (p, q) = (self.bounded(p)?, self.bounded(q)?);
        }
        let mut r = self.b.dot(p, q, &d)?;
        if rough {
            r = self.bounded(r)?;
        }
        self.keep(r, rough);
        Ok(())
    }
    /// Results whose extent values decide.
    pub(crate) fn selection(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        if ty.rank() == 0 {
            return Ok(());
        }
        match self.rng.below(3) {
            0 => {
                let mask = self.predicate(&ty)?;
                let r = self.b.emit1(NewOp::new(self.row("compress")?, &[v, mask]))?;
                self.keep(r, rough);
            }
            1 if !rough => {
                let rs = self.b.emit(NewOp::new(self.row("nonzero")?, &[v]))?;
                rs.into_iter().for_each(|r| self.keep(r, false));
            }
            2 if !rough => {
                let rs = self.b.emit(NewOp::new(self.row("unique")?, &[v]))?;
                rs.into_iter().for_each(|r| self.keep(r, false));
            }
            _ => {}
        }
        Ok(())
    }
    pub(crate) fn triangle(&mut self) -> Result<()> {
        let v = self.any();
        let (ty, rough) = (self.b.ty(v), self.is_rough(v));
        let r = match ty.rank() {
            0 => return Ok(()),
            1 => self.b.emit1(NewOp::new(self.row("embed_diag")?, &[v]))?,
            _ => match self.rng.below(3) {
                0 => self.b.emit1(NewOp::new(self.row("extract_diag")?, &[v]))?,
                1 => self.b.emit1(NewOp::new(self.row("tril")?, &[v]))?,
                _ => {
                    let ty = ty.with_dtype(self.rng.one_of(&DTYPES));
                    let axis = Attr::Int(self.rng.below(ty.rank()) as i64);
                    self.b.emit1(NewOp::new(self.row("iota")?, &[]).attr("axis", axis).types(vec![ty]))?
                }
            },
        };
        let rough = rough && self.b.func().ty(r).dtype == ty.dtype && self.b.func().def_op(r).is_some();
        self.keep(r, rough);
        Ok(())
    }
}
