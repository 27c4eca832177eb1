//! Sample programs: each row makes small functions that exercise it, for every dtype it takes; tests run, print,
//! differentiate and compare them.
use crate::attr::Attrs;
use crate::builder::Builder;
use crate::func::ValueId;
use crate::module::{FuncId, Module};
use crate::op::{NewOp, OpDef};
use crate::types::Type;
use crate::{DType, Result};

/// From where test inputs are drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Domain {
    /// Ordinary numbers, roughly −2…2, away from integers and from one another; any bits of `bool`.
    Any,
    /// Uniform in this open interval.
    Range(f64, f64),
    /// Away from zero, both signs.
    NonZero,
    /// Integers in this closed interval, of whatever dtype.
    Ints(i64, i64),
}
/// A function of a module and where its inputs come from.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The function; its parameters are exact in shape.
    pub func: FuncId,
    /// One per parameter.
    pub domains: Vec<Domain>,
}
/// Makes samples.
pub type SampleFn = fn(&SampleCx) -> Result<Vec<Sample>>;

/// What a sample generator sees.
pub struct SampleCx<'m> {
    /// The module that receives the functions.
    pub m: &'m Module,
    /// The row.
    pub def: &'static OpDef,
    /// The dtype under test.
    pub dtype: DType,
}
impl SampleCx<'_> {
    /// A function of parameters `x0 x1 …` of these types.
    pub fn program(
        &self,
        params: &[(Type, Domain)],
        body: impl FnOnce(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<Sample> {
        let mut b = Builder::new(self.m, &format!("sample.{}", self.def.name));
        let ps: Vec<_> = params.iter().enumerate().map(|(i, p)| b.param(p.0.clone(), &format!("x{i}"))).collect();
        let ys = body(&mut b, &ps)?;
        let func = self.m.add(b.finish(ys)?);
        Ok(Sample { func, domains: params.iter().map(|p| p.1).collect() })
    }
    /// The op itself on parameters.
    pub fn op(&self, params: &[(Type, Domain)], attrs: Attrs, declared: Option<Type>) -> Result<Sample> {
        self.program(params, |b, ps| {
            let mut op = NewOp::new(self.def, ps).attrs(attrs);
            op.declared = declared.map(|t| vec![t]);
            b.emit(op)
        })
    }
    /// A type of the dtype under test.
    pub fn ty(&self, dims: &[usize]) -> Type {
        Type::exact(self.dtype, dims)
    }
}
