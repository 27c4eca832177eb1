//! The generator (here, in `places.rs` and in `blocks.rs`): random statements over every dtype, each with a note how exactly engines must agree on its values.
//!
//! A value is *exact* where the language fixes every bit of it (integers, comparisons, moves, correctly rounded
//! arithmetic), *rough* where engines may round otherwise (sums of floats, elementary functions). Rough values stay
//! within −1…1 and never reach a statement that could blow a last bit up (a comparison, a sort, an index, a conversion to
//! an integer), so that whatever differs is a fault.
use std::collections::HashSet;
use tfc_ir::*;
pub(crate) use tfc_testkit::Rng;

pub(crate) const DTYPES: [DType; 9] =
    [DType::Bool, DType::I32, DType::I64, DType::U32, DType::U64, DType::F32, DType::F64, DType::C32, DType::C64];
pub(crate) const INTS: [DType; 4] = [DType::I32, DType::I64, DType::U32, DType::U64];
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
    pub(crate) fn row(&self, name: &str) -> Result<&'static OpDef> {
        self.b.module().op_set().get(name).ok_or_else(|| Error::new(tfc_ir::Code::E0217, format!("no row `{name}`")))
    }
    pub(crate) fn is_rough(&self, v: ValueId) -> bool {
        self.rough.contains(&v)
    }
    pub(crate) fn any(&mut self) -> ValueId {
        // Recent values are likelier: programs become deep, not broad.
        let n = self.pool.len();
        let back = self.rng.below(n).min(self.rng.below(n));
        self.pool[n - 1 - back]
    }
    /// A value that passes the test, if there is one.
    pub(crate) fn some(&mut self, test: impl Fn(&Type, bool) -> bool) -> Option<ValueId> {
        let list: Vec<_> =
            self.pool.iter().copied().filter(|v| test(self.b.func().ty(*v), self.rough.contains(v))).collect();
        if list.is_empty() { None } else { Some(self.rng.one_of(&list)) }
    }
    /// A value of that type that is as exact as asked; made where there is none.
    pub(crate) fn of(&mut self, ty: &Type, exact: bool) -> Result<ValueId> {
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
    pub(crate) fn keep(&mut self, v: ValueId, rough: bool) {
        self.pool.push(v);
        let inexact = self.b.func().ty(v).dtype.is_inexact();
        if rough && inexact {
            self.rough.insert(v);
        }
    }
    /// Within −1…1 and rough: smooth functions of reals, a shrunk number otherwise.
    pub(crate) fn bounded(&mut self, v: ValueId) -> Result<ValueId> {
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
            Err(e) if matches!(e.data().code.name(), "E0399" | "E0408" | "E0599") => Err(e),
            Err(_) => {
                self.refused += 1;
                Ok(())
            }
        }
    }
    pub(crate) fn exact_unary_or_binary(&mut self) -> Result<()> {
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
    pub(crate) fn smooth_step(&mut self) -> Result<()> {
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
    pub(crate) fn predicate(&mut self, ty: &Type) -> Result<ValueId> {
        let p = ty.with_dtype(DType::Bool);
        self.of(&p, true)
    }
    pub(crate) fn select_or_clamp(&mut self) -> Result<()> {
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
    pub(crate) fn convert(&mut self) -> Result<()> {
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
}
