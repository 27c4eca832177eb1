//! Control flow by closures. A closure is traced once, into a region of the program; it may use tensors from outside of it.
use super::graph::{NewNode, Rules, TracedTensor, param, placed, within};
use std::panic::Location;
use tfc_ir::ops::control::{CALL, CHECKPOINT, COND, VMAP};
use tfc_ir::{Attr, Code, Error, OpDef, Result, Type};

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
    ts.into_iter().map(|t| parameter(t, t.ty().clone(), place)).collect()
}
fn parameter(t: &TracedTensor, ty: Type, place: Place) -> TracedTensor {
    let hint = t.node.hint(t.index).unwrap_or_default();
    param(ty, t.names().clone(), &hint, place)
}
fn parameters(
    ts: &[TracedTensor],
    of: impl Fn(usize, &TracedTensor) -> Result<Type>,
    place: Place,
) -> Result<Vec<TracedTensor>> {
    ts.iter().enumerate().map(|(i, t)| Ok(parameter(t, of(i, t)?, place))).collect()
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

/// An op on `args` and a function that is made of what `f` does to parameters of the types `of`; how many tensors from outside `f`
/// uses, which come behind `args`, and how many results there are.
fn function_of<A: Given, Y: Tensors>(
    row: &'static OpDef,
    name: &str,
    args: &[TracedTensor],
    of: impl Fn(usize, &TracedTensor) -> Result<Type>,
    f: impl FnOnce(&A::Owned) -> Result<Y>,
    place: Place,
) -> Result<(NewNode, usize, usize)> {
    let block = within(|| {
        let ps = parameters(args, of, place)?;
        let ps = A::Owned::made(ps, name, place)?;
        let ys = f(&ps)?;
        Ok((ps.list(), ys.list()))
    })?;
    // A function captures nothing: what its closure uses from outside is passed.
    let extra = super::emit::captures(&block);
    let params: Vec<_> = block.params.iter().chain(&extra).cloned().collect();
    let names = super::emit::free_names(&params, &block.results);
    let (results, rules) = (block.results, Rules::None);
    let (outside, gives) = (extra.len(), results.len());
    let function = super::graph::Function { name: name.into(), params, results, names, effects: true, rules };
    let operands: Vec<&TracedTensor> = args.iter().chain(&extra).collect();
    let mut new = NewNode::new(row, &operands);
    new.callee = Some(function.into());
    Ok((new, outside, gives))
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
    let (new, ..) = function_of::<A, Y>(row, name, &args, |_, t| Ok(t.ty().clone()), f, place)?;
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
    called(&CALL, name, args, f, Location::caller())
}
/// `f` at many indices at once. Argument `i` is cut along its axis `ins[i]`, negative ones counting from the last, and `f` takes it without
/// that axis; with `None` it is the same at every index, as what `f` uses from outside is. Result `i` has the index along its axis
/// `outs[i]`; with `None` it must not depend on the index. Empty lists stand for axis 0 everywhere. As `jax.vmap`; loops may take another
/// number of trips at each index, and branches another way.
///
/// ```
/// use tfc_api::prelude::*;
/// let w = TracedTensor::from_vec_col_major([2, 2], vec![1.0_f64, 2.0, 3.0, 4.0])?;
/// let xs = TracedTensor::from_vec_col_major([2, 3], vec![1.0_f64, 0.0, 0.0, 1.0, 1.0, 1.0])?;
/// // w x for each column of xs, as rows.
/// let [ys] = vmap([&w, &xs], &[None, Some(1)], &[], |[w, x]| Ok([w.matmul(x)?]))?;
/// let got = GraphExecutor::new(CpuBackend::new()).run(&GraphCompiler::new().compile(&ys)?)?;
/// assert_eq!(got.shape(), [3, 2]);
/// assert_eq!(got.to_logical::<f64>(), Some(vec![1.0, 2.0, 3.0, 4.0, 4.0, 6.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of `f`; `E0212` an axis that there is not, `E0228` lists of other lengths, `E0222` where no argument is cut, `E0420` and others
/// where the cut axes are of different extents; when the program is compiled, `E0508` where `f` cannot be run at many indices.
#[track_caller]
pub fn vmap<A: Given, Y: Tensors>(
    args: A,
    ins: &[Option<i64>],
    outs: &[Option<i64>],
    f: impl FnOnce(&A::Owned) -> Result<Y>,
) -> Result<Y> {
    let (place, args) = (Location::caller(), args.given());
    let list = |axes: &[Option<i64>], n: usize| if axes.is_empty() { vec![Some(0); n] } else { axes.to_vec() };
    let all = list(ins, args.len());
    if all.len() != args.len() {
        let text = format!("{} axes for {} arguments", all.len(), args.len());
        return Err(placed(Error::new(Code::E0228, text), place));
    }
    let of = |i: usize, t: &TracedTensor| -> Result<Type> {
        let Some(a) = all.get(i).copied().flatten() else { return Ok(t.ty().clone()) };
        let rank = t.rank();
        let at = if a < 0 { a.saturating_add(rank as i64) } else { a };
        match usize::try_from(at).ok().filter(|&k| k < rank) {
            Some(k) => Ok(t.ty().without(&[k])),
            None => {
                let text = format!("axis {a} of argument {i} is out of range for rank {rank}");
                Err(placed(Error::new(Code::E0212, text), place))
            }
        }
    };
    let (new, outside, gives) = function_of::<A, Y>(&VMAP, "mapped", &args, of, f, place)?;
    let attr =
        |axes: &[Option<i64>]| Attr::List(axes.iter().map(|a| a.map_or(Attr::word("none"), Attr::Int)).collect());
    let ins = [&all[..], &vec![None; outside]].concat();
    let new = new.attr("in", attr(&ins)).attr("out", attr(&list(outs, gives)));
    Y::made(new.add(place)?, "mapped", place)
}
