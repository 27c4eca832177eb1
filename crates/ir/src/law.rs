//! Laws: what holds between the operands and the results of an op, whoever computes them. Where all engines call one kernel,
//! comparing them proves nothing; a law says what the results have to be without saying how they are found.
//!
//! A row states its law as clauses, each a value that must vanish ([`LawCx`]). [`program`] makes a function of a law, from
//! operands and results to one number a clause, which any engine evaluates; [`witness`] makes of a function one that
//! returns what the ops with laws in it took and gave. Both see tensors of known shapes only.
use crate::DType;
use crate::attr::Attrs;
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::func::{BODY, ValueId};
use crate::map::Map;
use crate::module::{FuncId, Module};
use crate::op::{Law, OpDef};
use crate::ops::reduce::{REDUCE_AND, REDUCE_MAX, reduce};
use crate::types::Type;

/// A condition that a law states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clause {
    /// What, in words and formulas: `a = u · diag(s) · vt`.
    pub says: &'static str,
    /// What its value may be where the results are rounded; 0 where it holds exactly.
    pub within: f64,
}
impl Clause {
    /// Does a value of the clause say that it holds? NaN says that it does not.
    pub fn holds(&self, value: f64) -> bool {
        value <= self.within
    }
}
/// A law as a function.
#[derive(Clone, Debug)]
pub struct Program {
    /// Operands, then results of the op to one `f64[]` a clause, which is not negative and 0 where there is no element.
    pub func: FuncId,
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
}
/// An op of a function whose row has a law.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Row of the op that was witnessed.
    pub def: &'static OpDef,
    /// Attributes of the op that was witnessed.
    pub attrs: Attrs,
    /// How many operands it has.
    pub operands: usize,
    /// How many results.
    pub results: usize,
}

/// The law of an op of row `def` with these attributes, as a function of `m` on operands and results of these types.
///
/// # Errors
/// `E0299` where the row has no law or an extent is not a number.
pub fn program(m: &Module, def: &'static OpDef, attrs: &Attrs, operands: &[Type], results: &[Type]) -> Result<Program> {
    let Law::Holds { state, .. } = def.law else {
        return Err(Error::new(Code::E0299, format!("`{}` has no law", def.name)));
    };
    if operands.iter().chain(results).any(|t| !t.is_exact()) {
        return Err(Error::new(Code::E0299, "laws are stated of tensors of known shapes only"));
    }
    let mut b = Builder::new(m, &format!("law.{}", def.name));
    let mut take = |(i, t): (usize, &Type), name: &str| b.param(t.clone(), &format!("{name}{i}"));
    let xs: Vec<_> = operands.iter().enumerate().map(|x| take(x, "x")).collect();
    let ys: Vec<_> = results.iter().enumerate().map(|y| take(y, "y")).collect();
    let mut cx = LawCx { b: &mut b, attrs, operands: &xs, results: &ys, only: None, clauses: vec![], values: vec![] };
    state(&mut cx)?;
    let (clauses, values) = (cx.clauses, cx.values);
    Ok(Program { func: m.add(b.finish(values)?), clauses })
}
/// A function on the parameters of `f` that returns, for each op with a law that `f` itself runs (not in a region and not in
/// a callee), its operands and then its results.
pub fn witness(m: &Module, f: FuncId) -> Result<(FuncId, Vec<Seen>)> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.witness", src.name));
    b.copy_syms(&src);
    let mut map = Map::new();
    for &p in src.params() {
        let q = b.param_like(src.ty(p).clone(), &src, p);
        map.insert(p, q);
    }
    let (mut seen, mut out) = (vec![], vec![]);
    for &o in &src.region(BODY).ops {
        let op = src.op(o);
        let results = b.copy(&src, o, &mut map)?;
        if let (Law::Holds { .. }, true) = (op.def.law, op.regions.is_empty()) {
            out.extend(map.all(&op.operands)?);
            out.extend(&results);
            let (operands, results) = (op.operands.len(), results.len());
            seen.push(Seen { def: op.def, attrs: op.attrs.clone(), operands, results });
        }
    }
    Ok((m.add(b.finish(out)?), seen))
}

/// What the law of a row sees, and the clauses that it states.
pub struct LawCx<'a, 'm> {
    /// Builds what the clauses are made of. Values of the op itself are not to be computed by the same row again.
    pub b: &'a mut Builder<'m>,
    /// The op's attributes.
    pub attrs: &'a Attrs,
    operands: &'a [ValueId],
    results: &'a [ValueId],
    only: Option<ValueId>,
    clauses: Vec<Clause>,
    values: Vec<ValueId>,
}
impl LawCx<'_, '_> {
    /// The operands.
    pub fn operands(&self) -> &[ValueId] {
        self.operands
    }
    /// The results.
    pub fn results(&self) -> &[ValueId] {
        self.results
    }
    /// Operand `i`; `E0210` where there are fewer.
    pub fn operand(&self, i: usize) -> Result<ValueId> {
        self.operands.get(i).copied().ok_or_else(|| Error::new(Code::E0210, format!("a law asks for operand {i}")))
    }
    /// Result `i`; `E0211` where there are fewer.
    pub fn result(&self, i: usize) -> Result<ValueId> {
        self.results.get(i).copied().ok_or_else(|| Error::new(Code::E0211, format!("a law asks for result {i}")))
    }
    /// The shape of a value.
    pub fn shape(&self, v: ValueId) -> Vec<usize> {
        // `program` takes exact types, and all that is built of them has such.
        self.b.func().ty(v).exact_shape().unwrap_or_default()
    }
    /// A value in double precision, so that stating a law rounds less than computing what it is about.
    pub fn wide(&mut self, v: ValueId) -> Result<ValueId> {
        let wide = match self.b.func().ty(v).dtype {
            d if d.is_complex() => DType::C64,
            _ => DType::F64,
        };
        self.b.convert(v, wide)
    }
    /// The clauses stated from here on are about those indices of the last axes where `mask` is true.
    pub fn given(&mut self, mask: ValueId) {
        self.only = Some(mask);
    }
    /// `x` vanishes: no modulus is more than `within` times `scale`, which has the last axes of `x` and is not negative.
    pub fn vanishes(&mut self, says: &'static str, x: ValueId, scale: ValueId, within: f64) -> Result<()> {
        let size = self.wide(x)?;
        let size = self.b.abs(size)?;
        let ty = self.b.ty(size);
        let zero = self.b.zeros(&ty)?;
        let scale = self.wide(scale)?;
        let scale = self.trailing(scale, &ty)?;
        let none = self.b.eq(size, zero)?;
        let ratio = self.b.div(size, scale)?;
        let ratio = self.b.select(none, zero, ratio)?;
        self.state(says, ratio, within)
    }
    /// As [`LawCx::vanishes`] beside 1.
    pub fn small(&mut self, says: &'static str, x: ValueId, within: f64) -> Result<()> {
        let one = self.b.splat(&Type::scalar(DType::F64), 1.0)?;
        self.vanishes(says, x, one, within)
    }
    /// `broken` (bool) is false everywhere.
    pub fn never(&mut self, says: &'static str, broken: ValueId) -> Result<()> {
        let x = self.b.convert(broken, DType::F64)?;
        self.state(says, x, 0.0)
    }
    /// `x` and `y`, of one type, are the same: −0 is not 0, NaN is NaN.
    pub fn same(&mut self, says: &'static str, x: ValueId, y: ValueId) -> Result<()> {
        let same = alike(self.b, x, y)?;
        let other = self.b.not(same)?;
        self.never(says, other)
    }
    fn state(&mut self, says: &'static str, x: ValueId, within: f64) -> Result<()> {
        let ty = self.b.ty(x);
        let mut x = x;
        if let Some(only) = self.only {
            let only = self.trailing(only, &ty)?;
            let zero = self.b.zeros(&ty)?;
            x = self.b.select(only, x, zero)?;
        }
        let axes: Vec<usize> = (0..ty.rank()).collect();
        let top = if axes.is_empty() { x } else { reduce(self.b, &REDUCE_MAX, x, &axes)? };
        // The maximum of no element is -inf.
        let zero = self.b.like(top, 0.0)?;
        self.values.push(self.b.max(top, zero)?);
        self.clauses.push(Clause { says, within });
        Ok(())
    }
    /// `x` with the leading axes of `ty` in front.
    pub fn trailing(&mut self, x: ValueId, ty: &Type) -> Result<ValueId> {
        let t = self.b.ty(x);
        let first = ty.rank().saturating_sub(t.rank());
        self.b.broadcast(x, &ty.with_dtype(t.dtype), &(first..ty.rank()).collect::<Vec<_>>())
    }
    /// Where every element over `axes` is finite.
    pub fn finite(&mut self, x: ValueId, axes: &[usize]) -> Result<ValueId> {
        let mut all: Option<ValueId> = None;
        for part in parts(self.b, x)? {
            let ok = self.b.is_finite(part)?;
            all = Some(match all {
                Some(a) => self.b.and(a, ok)?,
                None => ok,
            });
        }
        let all = all.ok_or_else(|| Error::new(Code::E0299, "a value has no parts"))?;
        if axes.is_empty() { Ok(all) } else { reduce(self.b, &REDUCE_AND, all, axes) }
    }
}
/// Real and imaginary part, or the value itself.
fn parts(b: &mut Builder, x: ValueId) -> Result<Vec<ValueId>> {
    if b.func().ty(x).dtype.is_complex() { Ok(vec![b.real(x)?, b.imag(x)?]) } else { Ok(vec![x]) }
}
/// Where two values of one type have the same elements: −0 is not 0, NaN is NaN.
pub fn alike(b: &mut Builder, x: ValueId, y: ValueId) -> Result<ValueId> {
    let mut all: Option<ValueId> = None;
    for (x, y) in parts(b, x)?.into_iter().zip(parts(b, y)?) {
        let mut same = b.eq(x, y)?;
        if b.func().ty(x).dtype.is_float() {
            // Reciprocals tell zeros apart.
            let one = b.like(x, 1.0)?;
            let (p, q) = (b.div(one, x)?, b.div(one, y)?);
            let sign = b.eq(p, q)?;
            same = b.and(same, sign)?;
            let (p, q) = (b.ne(x, x)?, b.ne(y, y)?);
            let neither = b.and(p, q)?;
            same = b.or(same, neither)?;
        }
        all = Some(match all {
            Some(a) => b.and(a, same)?,
            None => same,
        });
    }
    all.ok_or_else(|| Error::new(Code::E0299, "a value has no parts"))
}
