//! Sample programs: each row makes small functions that exercise it, for every dtype it takes; tests run, print,
//! differentiate and compare them. Inputs are drawn from a seed: the same seed gives the same tensors on every machine.
use crate::attr::Attrs;
use crate::builder::Builder;
use crate::code::Code;
use crate::func::ValueId;
use crate::module::{FuncId, Module};
use crate::op::{NewOp, OpDef};
use crate::tensor::{Tensor, element_count};
use crate::types::Type;
use crate::{C32, C64, DType, Error, Result};

/// What samples of rows are made of: every dtype, of the tiny ones one of integers and one of floats, which has infinities. What
/// is said of those holds of the others, but for their numbers.
pub const DTYPES: [DType; 17] = {
    use DType::*;
    [Bool, I8, I16, I32, I64, U8, U16, U32, U64, BF16, F16, F32, F64, C32, C64, I4, F8E5M2]
};

/// From where test inputs are drawn. Both parts of a complex number are drawn alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Domain {
    /// Ordinary numbers between −2 and 2, away from integers and from one another; integers from −4 to 4 (unsigned: 0 to
    /// 8); any bits of `bool`.
    Any,
    /// Uniform in this open interval.
    Range(f64, f64),
    /// As `Any`, without zero.
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
impl Sample {
    /// Inputs of the sample's function, from its domains.
    pub fn inputs(&self, m: &Module, seed: u64) -> Result<Vec<Tensor>> {
        let f = m.func(self.func)?;
        let mut draw = Draw::new(seed);
        f.params().iter().zip(&self.domains).map(|(&p, &d)| draw.tensor(f.ty(p), d)).collect()
    }
}

/// A stream of pseudo-random test inputs (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Draw {
    state: u64,
    /// Values drawn so far, from which `Domain::Any` stays away.
    taken: Vec<f64>,
}
impl Draw {
    /// The stream of that seed.
    pub fn new(seed: u64) -> Draw {
        Draw { state: seed, taken: vec![] }
    }
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// Uniform in the open unit interval.
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }
    /// A tensor of an exact type; `E0406` where it is too large.
    pub fn tensor(&mut self, ty: &Type, domain: Domain) -> Result<Tensor> {
        let shape =
            ty.exact_shape().ok_or_else(|| Error::new(Code::E0299, "inputs are drawn for exact shapes only"))?;
        let n = element_count(&shape)?;
        let d = ty.dtype;
        match d {
            DType::Bool => Tensor::from_logical(&shape, (0..n).map(|_| self.bits() & 1 == 1).collect()),
            d if d.is_signed() => Tensor::from_ints(d, &shape, (0..n).map(|_| self.int(domain, -4, 4).into())),
            d if d.is_unsigned() => Tensor::from_ints(d, &shape, (0..n).map(|_| self.int(domain, 0, 8).into())),
            DType::C32 => {
                let mut one = || C32::new(self.float(domain) as f32, self.float(domain) as f32);
                Tensor::from_logical(&shape, (0..n).map(|_| one()).collect())
            }
            DType::C64 => {
                let mut one = || C64::new(self.float(domain), self.float(domain));
                Tensor::from_logical(&shape, (0..n).map(|_| one()).collect())
            }
            d => Tensor::from_reals(d, &shape, (0..n).map(|_| self.float(domain))),
        }
    }
    fn int(&mut self, domain: Domain, least: i64, most: i64) -> i64 {
        let (lo, hi) = match domain {
            Domain::Ints(lo, hi) => (lo, hi),
            Domain::Range(lo, hi) => (lo.ceil() as i64, hi.floor() as i64),
            _ => (least, most),
        };
        let span = hi.saturating_sub(lo).max(0) as u64 + 1;
        let x = lo + (self.bits() % span) as i64;
        if x == 0 && domain == Domain::NonZero { 1 } else { x }
    }
    fn float(&mut self, domain: Domain) -> f64 {
        match domain {
            Domain::Ints(..) => self.int(domain, 0, 0) as f64,
            Domain::Range(lo, hi) => lo + (hi - lo) * self.unit(),
            Domain::Any | Domain::NonZero => self.apart(),
        }
    }
    /// Between −2 and 2, at least 0.05 from integers and, while few are drawn, well apart from earlier ones.
    fn apart(&mut self) -> f64 {
        let gap = 1.0 / (self.taken.len() as f64 + 64.0);
        let mut x = 0.5;
        for _ in 0..64 {
            x = 4.0 * self.unit() - 2.0;
            if (x - x.round()).abs() > 0.05 && self.taken.iter().all(|y| (x - y).abs() > gap) {
                break;
            }
        }
        if self.taken.len() < 256 {
            self.taken.push(x);
        }
        x
    }
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
