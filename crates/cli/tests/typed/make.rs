//! The generator: random statements over every dtype, each with a note how exactly engines must agree on its values.
//!
//! A value is *exact* where the language fixes every bit of it (integers, comparisons, moves, correctly rounded
//! arithmetic), *rough* where engines may round otherwise (sums of floats, elementary functions). Rough values stay
//! within −1…1 and never reach a statement that could blow a last bit up (a comparison, a sort, an index, a conversion to
//! an integer), so that whatever differs is a fault.
use std::collections::HashSet;
use tfc_ir::ops::contract::DotDims;
use tfc_ir::ops::control::{CHECKPOINT, Gather, ScanDims, WHILE};
use tfc_ir::ops::derivative::{GRAD, HVP, JVP, VJP};
use tfc_ir::*;

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Rng(pub(crate) u64);
impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    pub(crate) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
    /// Uniform in −1…1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
}

pub(crate) const DTYPES: [DType; 9] =
    [DType::Bool, DType::I32, DType::I64, DType::U32, DType::U64, DType::F32, DType::F64, DType::C32, DType::C64];
const INTS: [DType; 4] = [DType::I32, DType::I64, DType::U32, DType::U64];
const FLOATS: [DType; 2] = [DType::F32, DType::F64];

/// Rows by what they keep exact, named as in the catalogue. `rows_are_known` holds the names to it.
pub(crate) const EXACT_UNARY: &[&str] = &[
    "neg",
    "abs",
    "sign",
    "floor",
    "ceil",
    "round",
    "round_even",
    "sqrt",
    "not",
    "popcnt",
    "clz",
    "is_finite",
    "real",
    "stop_gradient",
];
pub(crate) const EXACT_BINARY: &[&str] = &[
    "add",
    "sub",
    "mul",
    "div",
    "rem",
    "max",
    "min",
    "and",
    "or",
    "xor",
    "shl",
    "shr_arith",
    "shr_logical",
    "mulhi",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "nextafter",
];
pub(crate) const FOLDS: &[&str] =
    &["reduce_max", "reduce_min", "reduce_and", "reduce_or", "reduce_xor", "reduce_sum", "reduce_prod"];
pub(crate) const RUNNING: &[&str] = &["cummax", "cummin", "cumsum", "cumprod"];

pub(crate) const COMPOSITES: &[&str] =
    &["gelu", "silu", "softplus", "softmax", "log_softmax", "logsumexp", "mean", "var"];

pub(crate) struct Gen<'a, 'm> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) b: &'a mut Builder<'m>,
    /// Values in scope.
    pub(crate) pool: Vec<ValueId>,
    /// Those that are not exact.
    pub(crate) rough: HashSet<ValueId>,
    /// Smooth functions of an f64 vector to a scalar, to be differentiated inside.
    pub(crate) smooth: &'a [FuncId],
    /// What was asked for and refused, by code.
    pub(crate) refused: usize,
}
impl<'m> Gen<'_, 'm> {
    fn row(&self, name: &str) -> Result<&'static OpDef> {
        self.b.module().op_set().get(name).ok_or_else(|| Error::new("E0217", format!("no row `{name}`")))
    }
    fn is_rough(&self, v: ValueId) -> bool {
        self.rough.contains(&v)
    }
    fn any(&mut self) -> ValueId {
        // Recent values are likelier: programs become deep, not broad.
        let n = self.pool.len();
        let back = self.rng.below(n).min(self.rng.below(n));
        self.pool[n - 1 - back]
    }
    /// A value that passes the test, if there is one.
    fn some(&mut self, test: impl Fn(&Type, bool) -> bool) -> Option<ValueId> {
        let list: Vec<_> =
            self.pool.iter().copied().filter(|v| test(self.b.func().ty(*v), self.rough.contains(v))).collect();
        if list.is_empty() { None } else { Some(self.rng.one_of(&list)) }
    }
    /// A value of that type that is as exact as asked; made where there is none.
    fn of(&mut self, ty: &Type, exact: bool) -> Result<ValueId> {
        let list: Vec<_> = self
            .pool
            .iter()
            .copied()
            .filter(|v| self.b.func().ty(*v) == ty && (!exact || !self.rough.contains(v)))
            .collect();
        if !list.is_empty() && self.rng.below(8) > 0 {
            return Ok(self.rng.one_of(&list));
        }
        if self.rng.below(2) == 0 {
            let of_shape: Vec<_> = self
                .pool
                .iter()
                .copied()
                .filter(|v| {
                    let t = self.b.func().ty(*v);
                    t.dims == ty.dims && !t.dtype.is_complex() && !self.rough.contains(v)
                })
                .collect();
            if !of_shape.is_empty() && !ty.dtype.is_complex() {
                let v = self.rng.one_of(&of_shape);
                let v = self.b.convert(v, ty.dtype)?;
                return if exact { Ok(v) } else { self.bounded(v) };
            }
        }
        let x = self.rng.one_of(&[0.0, 1.0, 2.0, 1.0]);
        let v = self.b.splat(ty, if exact { x } else { x / 2.0 })?;
        Ok(v)
    }
    fn keep(&mut self, v: ValueId, rough: bool) {
        self.pool.push(v);
        let inexact = self.b.func().ty(v).dtype.is_inexact();
        if rough && inexact {
            self.rough.insert(v);
        }
    }
    /// Within −1…1 and rough: smooth functions of reals, a shrunk number otherwise.
    fn bounded(&mut self, v: ValueId) -> Result<ValueId> {
        let d = self.b.func().ty(v).dtype;
        let r = if d.is_complex() {
            let size = self.b.abs(v)?;
            let one = self.b.like(size, 1.0)?;
            let more = self.b.add(size, one)?;
            let zero = self.b.zeros(&self.b.ty(size))?;
            let scale = self.b.emit1(NewOp::new(self.row("complex")?, &[more, zero]))?;
            self.b.div(v, scale)?
        } else if d.is_float() {
            match self.rng.below(4) {
                0 => self.b.tanh(v)?,
                1 => self.b.sin(v)?,
                2 => self.b.logistic(v)?,
                _ => {
                    let l = self.b.logistic(v)?;
                    self.b.cos(l)?
                }
            }
        } else {
            return Ok(v);
        };
        self.rough.insert(r);
        Ok(r)
    }
    /// One random statement. What inference refuses is left out.
    pub(crate) fn step(&mut self, depth: usize) -> Result<()> {
        let n = if depth < 2 { 33 } else { 27 };
        let r = match self.rng.below(n) {
            0..=4 => self.exact_unary_or_binary(),
            5 | 6 => self.smooth_step(),
            7 => self.select_or_clamp(),
            8 => self.convert(),
            9 | 10 => self.move_axes(),
            11 => self.slice_or_pad(),
            12 => self.join(),
            13 => self.spread(),
            14 | 15 => self.fold(),
            16 => self.running(),
            17 => self.sort(),
            18 => self.take_or_gather(),
            19 => self.scatter(),
            20 => self.dynamic(),
            21 => self.contract(),
            22 => self.selection(),
            23 => self.triangle(),
            24 => self.derivative(),
            25 => self.composite(),
            26 => self.factor(),
            27 => self.scan(depth),
            28 => self.repeat(depth),
            29 => self.branch(depth),
            30 => self.scan(depth),
            31 => self.join_trips(depth),
            _ => self.derivative(),
        };
        match r {
            Ok(()) => Ok(()),
            // A bug is one, a refusal is not.
            Err(e) if matches!(e.data().code, "E0399" | "E0408" | "E0599") => Err(e),
            Err(_) => {
                self.refused += 1;
                Ok(())
            }
        }
    }
    fn exact_unary_or_binary(&mut self) -> Result<()> {
        let Some(v) = self.some(|_, rough| !rough) else { return Ok(()) };
        let ty = self.b.ty(v);
        // Complex arithmetic may be contracted otherwise.
        let rough = ty.dtype.is_complex();
        let r = if self.rng.below(3) == 0 {
            let name = self.rng.one_of(EXACT_UNARY);
            let v = if rough { self.bounded(v)? } else { v };
            self.b.emit1(NewOp::new(self.row(name)?, &[v]))?
        } else {
            let name = self.rng.one_of(EXACT_BINARY);
            let w = self.of(&ty, true)?;
            if rough && !matches!(name, "eq" | "ne") {
                let (v, w) = (self.bounded(v)?, self.bounded(w)?);
                if !matches!(name, "add" | "sub" | "mul") {
                    return Ok(());
                }
                let r = self.b.emit1(NewOp::new(self.row(name)?, &[v, w]))?;
                self.bounded(r)?
            } else {
                self.b.emit1(NewOp::new(self.row(name)?, &[v, w]))?
            }
        };
        self.keep(r, rough);
        Ok(())
    }
    /// Smooth functions of real or complex numbers, into −1…1.
    fn smooth_step(&mut self) -> Result<()> {
        let Some(v) = self.some(|t, _| t.dtype.is_inexact()) else { return Ok(()) };
        let ty = self.b.ty(v);
        let v = self.bounded(v)?;
        let r = match self.rng.below(4) {
            0 => v,
            1 => {
                let w = self.of(&ty, false)?;
                let w = self.bounded(w)?;
                self.b.mul(v, w)?
            }
            2 => {
                let w = self.of(&ty, false)?;
                let w = self.bounded(w)?;
                let s = if self.rng.below(2) == 0 { self.b.add(v, w)? } else { self.b.sub(v, w)? };
                self.bounded(s)?
            }
            _ => {
                let name = self.rng.one_of(&["exp", "expm1", "sin", "cos", "tanh", "conj", "erf", "log1p", "exp2"]);
                let half = self.b.like(v, 0.5)?;
                let small = self.b.mul(v, half)?;
                let e = self.b.emit1(NewOp::new(self.row(name)?, &[small]))?;
                self.bounded(e)?
            }
        };
        self.keep(r, true);
        Ok(())
    }
    fn predicate(&mut self, ty: &Type) -> Result<ValueId> {
        let p = ty.with_dtype(DType::Bool);
        self.of(&p, true)
    }
    fn select_or_clamp(&mut self) -> Result<()> {
        let v = self.any();
        let ty = self.b.ty(v);
        let rough = self.is_rough(v);
        if self.rng.below(3) == 0 && !rough {
            let (lo, hi) = (self.of(&ty, true)?, self.of(&ty, true)?);
            let r = self.b.emit1(NewOp::new(self.row("clamp")?, &[lo, v, hi]))?;
            self.keep(r, false);
            return Ok(());
        }
        let shape = if self.rng.below(3) == 0 { Type::scalar(ty.dtype) } else { ty.clone() };
        let p = self.predicate(&shape)?;
        let w = self.of(&ty, !rough)?;
        let r = self.b.select(p, v, w)?;
        let rough = rough || self.is_rough(w);
        self.keep(r, rough);
        Ok(())
    }
    fn convert(&mut self) -> Result<()> {
        let v = self.any();
        let ty = self.b.ty(v);
        let rough = self.is_rough(v);
        let to = if rough { self.rng.one_of(&FLOATS) } else { self.rng.one_of(&DTYPES) };
        if ty.dtype.is_int() && self.rng.below(4) == 0 {
            // Bits of integers as other integers: of floats they would show which NaN it is.
            let to = self.rng.one_of(&INTS);
            if to.size() != ty.dtype.size() {
                return Ok(());
            }
            let r = self.b.emit1(NewOp::new(self.row("bitcast")?, &[v]).types(vec![ty.with_dtype(to)]))?;
            self.keep(r, false);
            return Ok(());
        }
        if ty.dtype.is_float() && self.rng.below(6) == 0 {
            let op = NewOp::new(self.row("reduce_precision")?, &[v]);
            let r = self.b.emit1(op.attr("exponent", Attr::Int(5)).attr("mantissa", Attr::Int(10)))?;
            if !rough {
                self.keep(r, false);
            }
            return Ok(());
        }
        let r = self.b.convert(v, to)?;
        self.keep(r, rough);
        Ok(())
    }
    fn move_axes(&mut self) -> Result<()> {
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
    fn slice_or_pad(&mut self) -> Result<()> {
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
    fn join(&mut self) -> Result<()> {
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
    fn spread(&mut self) -> Result<()> {
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
    fn fold(&mut self) -> Result<()> {
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
    fn running(&mut self) -> Result<()> {
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
    fn sort(&mut self) -> Result<()> {
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
    fn indices(&mut self, ty: &Type) -> Result<ValueId> {
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
    fn take_or_gather(&mut self) -> Result<()> {
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
    fn scatter(&mut self) -> Result<()> {
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
    fn dynamic(&mut self) -> Result<()> {
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
    fn contract(&mut self) -> Result<()> {
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
    fn selection(&mut self) -> Result<()> {
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
    fn triangle(&mut self) -> Result<()> {
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
    /// Composites whose result depends on their operand without jumps.
    fn composite(&mut self) -> Result<()> {
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
    fn factor(&mut self) -> Result<()> {
        let Some(v) = self.some(|t, _| t.rank() == 2 && t.dtype.is_inexact()) else { return Ok(()) };
        let x = self.bounded(v)?;
        let r = match self.rng.below(4) {
            0 => self.b.emit(NewOp::new(self.row("linalg.svd")?, &[x]))?[1],
            1 => {
                let f = self.b.emit(NewOp::new(self.row("linalg.qr")?, &[x]))?;
                let dims = DotDims { contract: [vec![1], vec![0]], ..DotDims::default() };
                self.b.dot(f[0], f[1], &dims)?
            }
            2 => {
                let dims = DotDims { contract: [vec![1], vec![1]], ..DotDims::default() };
                let c = self.b.conj_if_complex(x)?;
                let square = self.b.dot(x, c, &dims)?;
                self.b.emit(NewOp::new(self.row("linalg.eigh")?, &[square]))?[0]
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
    fn join_trips(&mut self, depth: usize) -> Result<()> {
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
        let dims = ScanDims { carry: 1, length, cut: vec![0], collect: vec![Gather::Concat], reverse: false };
        let rs = self.b.scan(&[carry, xs], &dims, body)?;
        self.keep(rs[0], rough);
        self.keep(rs[1], rough);
        Ok(())
    }
    /// A derivative of a function, taken here: inside of loops and branches as well.
    fn derivative(&mut self) -> Result<()> {
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
    fn block(&mut self, params: &[ValueId], rough: &[bool], depth: usize) -> Result<Vec<ValueId>> {
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
    fn carried(&mut self) -> (ValueId, bool) {
        let v = self.any();
        let rough = self.is_rough(v) || self.b.func().ty(v).dtype.is_complex();
        (v, rough)
    }
    fn scan(&mut self, depth: usize) -> Result<()> {
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
        };
        let rs = self.b.scan(&[c, xs], &dims, body)?;
        self.keep(rs[0], flags[0]);
        self.keep(rs[1], flags[1]);
        Ok(())
    }
    fn repeat(&mut self, depth: usize) -> Result<()> {
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
    fn branch(&mut self, depth: usize) -> Result<()> {
        let (c, rough) = self.carried();
        let ty = self.b.ty(c);
        if ty.mentions_existential() {
            return Ok(());
        }
        let p = self.of(&Type::scalar(DType::Bool), true)?;
        let mut regions = vec![];
        for label in ["then", "else"] {
            let opened = self.b.open(label);
            let a = self.b.param(ty.clone(), "a");
            let ys = self.block(&[a], &[rough], depth)?;
            regions.push(self.b.close(opened, ys));
        }
        let rs = self.b.cond(p, &[c], regions[0], regions[1])?;
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
                    let dims = ScanDims { carry: 1, length, cut: vec![0], collect, reverse: self.rng.below(2) == 0 };
                    self.b.scan(&[carry, p], &dims, body)?[1]
                }
                _ => self.bounded(p)?,
            };
        }
        let s = self.b.reduce_sum(v, &[0])?;
        self.bounded(s)
    }
}
