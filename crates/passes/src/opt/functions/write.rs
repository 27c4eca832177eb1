//! Functions of the table as functions of the module.
//!
//! `@f` computes the value by the spelling, bit for bit, and has a rule: the value, and the sum of slopes times tangents. A slope that is
//! written is part of the rule. One that is that of a formula with loops is a function `@f.by_a` of its own, the tangent of the
//! formula for the tangent 1; for all of these functions are elementwise. So no mode keeps what a trip computes, and a slope may be
//! handed on through a batch of directions. `@f.by_a` has such a rule too: its slope in a variable in which that of `@f` is
//! written is the tangent of what is written, for mixed derivatives do not depend on the order, and in others `@f.by_a_b`, which is
//! differentiated as it stands.
use super::Found;
use super::formula::{Formula, Writer};
use super::gamma::or_unknown;
use super::table::{FUNCTIONS, Function, Slope};
use std::cell::RefCell;
use std::collections::HashMap;
use tfc_ir::op::Partial;
use tfc_ir::ops::derivative::JVP;
use tfc_ir::{Attr, Builder, DType, Extent, Func, FuncId, Module, NewOp, Result, Span, Type, ValueId};

/// A function, its spelling, the dtypes of its variables and counters, the extents that are numbers.
type Key = (usize, usize, DType, DType, Vec<Option<i64>>);
/// Functions of the table that were written, one for each spelling, dtype and shape; extents that are no number are parameters.
pub(super) struct Written<'m> {
    m: &'m Module,
    made: RefCell<HashMap<Key, FuncId>>,
}
impl<'m> Written<'m> {
    pub(super) fn new(m: &'m Module) -> Written<'m> {
        Written { m, made: RefCell::default() }
    }
    pub(super) fn function(&self, found: &Found, ty: &Type) -> Result<FuncId> {
        let shape: Vec<Option<i64>> = ty.dims.iter().map(Extent::as_exact).collect();
        let key = (found.function, found.spelling, ty.dtype, found.index, shape);
        if let Some(&id) = self.made.borrow().get(&key) {
            return Ok(id);
        }
        let known = &FUNCTIONS[found.function];
        let id = Writing { m: self.m, known, ty, index: found.index }.all(found.spelling)?;
        self.made.borrow_mut().insert(key, id);
        Ok(id)
    }
}
struct Writing<'a> {
    m: &'a Module,
    known: &'a Function,
    ty: &'a Type,
    index: DType,
}
impl<'a> Writing<'a> {
    /// A function of the variables.
    fn begin(&self, name: &str) -> (Builder<'a>, Type, Vec<ValueId>) {
        let mut b = Builder::new(self.m, name);
        let dims = self.ty.dims.iter().enumerate().map(|(i, d)| match d.as_exact() {
            Some(_) => d.clone(),
            None => Extent::sym(b.sym(&format!("n{i}"), Span::default())),
        });
        let dims: Vec<Extent> = dims.collect();
        let ty = self.ty.with_dims(dims);
        let vars = self.known.vars.iter().map(|v| b.param(ty.clone(), v)).collect();
        (b, ty, vars)
    }
    fn name(&self, of: FuncId, what: &str) -> String {
        format!("{}.{what}", self.m.func_name(of))
    }
    fn all(&self, spelling: usize) -> Result<FuncId> {
        let (mut b, _, vars) = self.begin(self.known.name);
        let y = self.known.formula(spelling, self.ty.dtype).build(&mut b, &vars, self.index)?;
        let id = self.m.add(b.finish(vec![y])?);
        let slopes =
            self.known.slopes.iter().enumerate().map(|(i, s)| self.slope(id, i, s)).collect::<Result<Vec<_>>>()?;
        // The rule calls the function, so that the derivative of the value is by the rule again.
        self.rule(id, |b, vars, y| {
            let one = |(s, own): (&Slope, &Option<FuncId>)| match (s, own) {
                (_, Some(own)) => match called(b, *own, vars)? {
                    Some(slope) => or_unknown(b, slope, y).map(Some),
                    None => Ok(None),
                },
                (Slope::Is(slope), None) => slope(b, vars, y).map(Some),
                (Slope::Of(_), None) => Ok(None),
            };
            self.known.slopes.iter().zip(&slopes).map(one).collect()
        })?;
        Ok(id)
    }
    /// Gives a function the rule that its slopes are.
    fn rule(
        &self,
        of: FuncId,
        slopes: impl FnOnce(&mut Builder, &[ValueId], ValueId) -> Result<Vec<Option<ValueId>>>,
    ) -> Result<()> {
        let (mut b, ty, vars) = self.begin(&self.name(of, "rule"));
        let tangents: Vec<ValueId> = self.known.vars.iter().map(|v| b.param(ty.clone(), &format!("d_{v}"))).collect();
        let y = b.call(of, None, &vars)?.0.first().copied().unwrap_or(vars[0]);
        let mut sum = None;
        for (slope, &d) in slopes(&mut b, &vars, y)?.into_iter().zip(&tangents) {
            let Some(slope) = slope else { continue };
            let term = b.mul(slope, d)?;
            sum = Some(match sum {
                Some(s) => b.add(s, term)?,
                None => term,
            });
        }
        let rule = self.m.add(b.finish(vec![y, sum.unwrap_or(y)])?);
        let mut f = Func::clone(&*self.m.func(of)?);
        f.with.set("jvp", Attr::Sym(rule.into()));
        self.m.define(of, f);
        Ok(())
    }
    /// The function that gives the slope in variable `i`, where that is one of its own.
    fn slope(&self, of: FuncId, i: usize, slope: &Slope) -> Result<Option<FuncId>> {
        let Slope::Of(writer) = slope else { return Ok(None) };
        let formula = self.formula(of, i, *writer)?;
        let by = |v: usize| format!("by_{}", self.known.vars[v]);
        let id = self.tangent(&self.name(of, &by(i)), formula, i)?;
        // It has a rule, so what is differentiated again is another one.
        let plain = self.tangent(&self.name(of, &by(i)), formula, i)?;
        let mut seconds = vec![];
        for (j, other) in self.known.slopes.iter().enumerate() {
            let name = self.name(id, self.known.vars[j]);
            seconds.push(match other {
                Slope::Is(slope) => self.tangent(&name, self.written(of, j, *slope)?, i)?,
                Slope::Of(_) => self.tangent(&name, plain, j)?,
            });
        }
        self.rule(id, |b, vars, _| seconds.iter().map(|&s| called(b, s, vars)).collect())?;
        Ok(Some(id))
    }
    fn formula(&self, of: FuncId, i: usize, writer: Writer) -> Result<FuncId> {
        let (mut b, _, vars) = self.begin(&self.name(of, &format!("for_{}", self.known.vars[i])));
        let formula = Formula::new(vars.len(), self.ty.dtype, writer);
        let y = formula.build(&mut b, &vars, self.index)?;
        Ok(self.m.add(b.finish(vec![y])?))
    }
    /// The slope in variable `j`, which is written, as a function.
    fn written(&self, of: FuncId, j: usize, slope: Partial) -> Result<FuncId> {
        let (mut b, _, vars) = self.begin(&self.name(of, &format!("by_{}", self.known.vars[j])));
        let y = b.call(of, None, &vars)?.0.first().copied().unwrap_or(vars[0]);
        let slope = slope(&mut b, &vars, y)?;
        Ok(self.m.add(b.finish(vec![slope])?))
    }
    /// The slope of `f` in variable `i`, as a function: its tangent for the tangent 1.
    fn tangent(&self, name: &str, f: FuncId, i: usize) -> Result<FuncId> {
        let (mut b, _, vars) = self.begin(name);
        let one = b.like(vars[i], 1.0)?;
        let args = [&vars[..], &[one]].concat();
        let new = NewOp::new(&JVP, &args).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&[i]));
        let d = b.emit(new)?.last().copied().unwrap_or(one);
        Ok(self.m.add(b.finish(vec![d])?))
    }
}
fn called(b: &mut Builder, f: FuncId, vars: &[ValueId]) -> Result<Option<ValueId>> {
    Ok(b.call(f, None, vars)?.0.first().copied())
}
