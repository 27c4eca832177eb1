//! Control flow by closures. A closure is traced once, into a region of the program; it may use tensors from outside of it.
use super::graph::{NewNode, Rules, TracedTensor, param, placed, within};
use std::panic::Location;
use tfc_ir::ops::control::{CHECKPOINT, COND};
use tfc_ir::{Code, Error, OpDef, Result};

pub(crate) type Place = &'static Location<'static>;

pub(super) fn array<const N: usize>(v: Vec<TracedTensor>, what: &str, place: Place) -> Result<[TracedTensor; N]> {
    let n = v.len();
    v.try_into().map_err(|_| placed(Error::new(Code::E0211, format!("{what} gives {n} tensors, not {N}")), place))
}
/// Tensors that a closure takes or gives: an array where their number is written, a `Vec` where a program finds it out.
pub trait Tensors: sealed::Sealed + Sized {
    /// In this kind.
    #[doc(hidden)]
    fn made(list: Vec<TracedTensor>, what: &str, place: Place) -> Result<Self>;
    /// As a list.
    #[doc(hidden)]
    fn list(self) -> Vec<TracedTensor>;
}
impl<const N: usize> Tensors for [TracedTensor; N] {
    fn made(list: Vec<TracedTensor>, what: &str, place: Place) -> Result<Self> {
        array(list, what, place)
    }
    fn list(self) -> Vec<TracedTensor> {
        self.into()
    }
}
impl Tensors for Vec<TracedTensor> {
    fn made(list: Vec<TracedTensor>, _: &str, _: Place) -> Result<Self> {
        Ok(list)
    }
    fn list(self) -> Vec<TracedTensor> {
        self
    }
}
/// Tensors that are handed to a loop or a function: `[&x, &y]`, whose closures take arrays; `&list` of a `Vec` or a slice of tensors, or of references to
/// tensors, whose closures take a `Vec`.
pub trait Given: sealed::Sealed {
    /// How closures take them.
    type Owned: Tensors;
    /// As a list.
    #[doc(hidden)]
    fn given(self) -> Vec<TracedTensor>;
}
impl<const N: usize> Given for [&TracedTensor; N] {
    type Owned = [TracedTensor; N];
    fn given(self) -> Vec<TracedTensor> {
        self.into_iter().cloned().collect()
    }
}
impl Given for &[TracedTensor] {
    type Owned = Vec<TracedTensor>;
    fn given(self) -> Vec<TracedTensor> {
        self.to_vec()
    }
}
impl Given for &Vec<TracedTensor> {
    type Owned = Vec<TracedTensor>;
    fn given(self) -> Vec<TracedTensor> {
        self.clone()
    }
}
impl Given for Vec<&TracedTensor> {
    type Owned = Vec<TracedTensor>;
    fn given(self) -> Vec<TracedTensor> {
        self.into_iter().cloned().collect()
    }
}
mod sealed {
    use super::TracedTensor;
    pub trait Sealed {}
    impl<const N: usize> Sealed for [TracedTensor; N] {}
    impl<const N: usize> Sealed for [&TracedTensor; N] {}
    impl Sealed for Vec<TracedTensor> {}
    impl Sealed for Vec<&TracedTensor> {}
    impl Sealed for &Vec<TracedTensor> {}
    impl Sealed for &[TracedTensor] {}
}
/// Parameters like these, for a region or a function.
pub(super) fn like<'t>(ts: impl IntoIterator<Item = &'t TracedTensor>, place: Place) -> Vec<TracedTensor> {
    let one = |t: &TracedTensor| {
        let hint = t.node.hint(t.index).unwrap_or_default();
        param(t.ty().clone(), t.names().clone(), &hint, place)
    };
    ts.into_iter().map(one).collect()
}

/// `then()` where the scalar predicate is true, else `other()`: only that one runs. Both give as many tensors, of the same
/// types.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::from_vec_col_major([], vec![-2.0_f64])?;
/// let negative = x.lt(&TracedTensor::scalar(0.0)?)?;
/// let [abs] = cond(&negative, || Ok([x.neg()?]), || Ok([x.clone()]))?;
/// let program = GraphCompiler::new().compile(&abs)?;
/// assert_eq!(GraphExecutor::new(CpuBackend::new()).run(&program)?.item::<f64>(), Some(2.0));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// `E0203` a predicate that is no `bool` scalar, `E0215` and others where the results differ in type.
#[track_caller]
pub fn cond<Y: Tensors>(
    predicate: &TracedTensor,
    then: impl FnOnce() -> Result<Y>,
    other: impl FnOnce() -> Result<Y>,
) -> Result<Y> {
    let place = Location::caller();
    let then = within(|| Ok((vec![], then()?.list())))?;
    let other = within(|| Ok((vec![], other()?.list())))?;
    Y::made(NewNode::new(&COND, &[predicate]).region(then).region(other).add(place)?, "`cond`", place)
}

/// A function of the program, made of what `f` does to `args`, and called on them. With the row
/// [`checkpoint`] what it computes is not kept for a derivative but computed again.
fn called<A: Given, Y: Tensors>(
    row: &'static OpDef,
    name: &str,
    args: A,
    f: impl FnOnce(&A::Owned) -> Result<Y>,
    place: Place,
) -> Result<Y> {
    let args = args.given();
    let block = within(|| {
        let ps = A::Owned::made(like(&args, place), name, place)?;
        let ys = f(&ps)?;
        Ok((ps.list(), ys.list()))
    })?;
    // A function captures nothing: what its closure uses from outside is passed.
    let extra = super::emit::captures(&block);
    let params: Vec<_> = block.params.iter().chain(&extra).cloned().collect();
    let names = super::emit::free_names(&params, &block.results);
    let (results, rules) = (block.results, Rules::None);
    let function = super::graph::Function { name: name.into(), params, results, names, effects: true, rules };
    let operands: Vec<&TracedTensor> = args.iter().chain(&extra).collect();
    let mut new = NewNode::new(row, &operands);
    new.callee = Some(function.into());
    Y::made(new.add(place)?, name, place)
}
/// `f(args)`, of which a derivative keeps only `args` and what `f` uses from outside: the rest is computed again when it is
/// needed, which takes time and saves memory.
///
/// # Errors
/// Those of `f`.
#[track_caller]
pub fn checkpoint<A: Given, Y: Tensors>(args: A, f: impl FnOnce(&A::Owned) -> Result<Y>) -> Result<Y> {
    called(&CHECKPOINT, "checkpointed", args, f, Location::caller())
}
/// `f(args)` as a call of a function of that name: programs stay small where a part occurs often, and readable.
///
/// # Errors
/// Those of `f`.
#[track_caller]
pub fn call<A: Given, Y: Tensors>(name: &str, args: A, f: impl FnOnce(&A::Owned) -> Result<Y>) -> Result<Y> {
    called(&tfc_ir::ops::control::CALL, name, args, f, Location::caller())
}
