//! Loops by closures. A closure is traced once, into a region of the program; it may use tensors from outside of it.
use super::control::{Given, Place, Tensors};
use super::dim::{Dim, Name, Names};
use super::graph::{Block, NewNode, TracedTensor, param, placed, scope, within};
use std::marker::PhantomData;
use std::panic::Location;
pub use tfc_ir::ops::control::Checkpoint;
use tfc_ir::ops::control::{SCAN, WHILE};
use tfc_ir::{Attr, Attrs, Code, Error, Extent, OpDef, Result};

/// A loop to be: carries, from `init` on, some of which may change an extent at each trip.
///
/// ```
/// use tfc_api::prelude::*;
/// // Powers of a, until they fall below 0.1; and all of them.
/// let a = TracedTensor::input("a", DType::F64, [] as [usize; 0])?;
/// let ([last], [powers]) = Loop::new([&a]).within(50).repeat(
///     |[p]| p.gt(&TracedTensor::scalar(0.1)?),
///     |[p]| Ok(([(p * &a)?], [p.clone()])),
/// )?;
/// let program = GraphCompiler::new().compile_many(&[&last, &powers])?;
/// let out = GraphExecutor::new(CpuBackend::new()).run_with(&program, &[(&a, Tensor::scalar(0.5))])?;
/// assert_eq!((out[0].item(), out[1].to_vec::<f64>()?), (Some(0.0625), vec![0.5, 0.25, 0.125]));
/// # Ok::<(), Error>(())
/// ```
///
/// A carry that grows:
///
/// ```
/// use tfc_api::prelude::*;
/// let n = TracedTensor::input("n", DType::I64, [] as [usize; 0])?;
/// let none = TracedTensor::zeros(DType::I64, [0])?;
/// let [list, _] = Loop::new([&none, &TracedTensor::scalar(0_i64)?]).varying(0, 0).repeat_only(
///     |[_, i]| i.lt(&n),
///     |[list, i]| {
///         let next = list.concat(&[&i.reshape([1])?], 0)?;
///         Ok([next, (i + 1.0)?])
///     },
/// )?;
/// let program = GraphCompiler::new().compile(&list)?;
/// let out = GraphExecutor::new(CpuBackend::new()).run_with(&program, &[(&n, Tensor::scalar(3_i64))])?;
/// assert_eq!(out[0].to_vec::<i64>()?, [0, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
pub struct Loop<C: Given> {
    init: Vec<TracedTensor>,
    kind: PhantomData<C>,
    vary: Vec<Varying>,
    max_trips: Option<Dim>,
    reverse: bool,
    joined: Vec<usize>,
    checkpoint: Checkpoint,
}
#[derive(Clone)]
struct Varying {
    carry: usize,
    axis: usize,
    most: Option<Dim>,
}
impl<C: Given> Loop<C> {
    /// A loop over these carries.
    pub fn new(init: C) -> Loop<C> {
        Loop {
            init: init.given(),
            kind: PhantomData,
            vary: vec![],
            max_trips: None,
            reverse: false,
            joined: vec![],
            checkpoint: Checkpoint::None,
        }
    }
    /// An axis of a carry may have another extent at each trip.
    pub fn varying(self, carry: usize, axis: usize) -> Loop<C> {
        self.vary(carry, axis, None)
    }
    /// As [`Loop::varying`], where the extent never exceeds `most`: otherwise the run fails (`E0420`).
    pub fn varying_within(self, carry: usize, axis: usize, most: impl Into<Dim>) -> Loop<C> {
        self.vary(carry, axis, Some(most.into()))
    }
    fn vary(mut self, carry: usize, axis: usize, most: Option<Dim>) -> Loop<C> {
        self.vary.push(Varying { carry, axis, most });
        self
    }
    /// The loop runs at most so many trips: one more is an error of the run (`E0712`). For [`Loop::repeat`].
    pub fn within(mut self, max_trips: impl Into<Dim>) -> Loop<C> {
        self.max_trips = Some(max_trips.into());
        self
    }
    /// From the last index to the first. For [`Loop::scan`].
    pub fn reverse(mut self) -> Loop<C> {
        self.reverse = true;
        self
    }
    /// The `i`-th of the collected values is joined along its last axis, whose extent may differ at each trip, and not stacked
    /// along a new one.
    pub fn joining(mut self, i: usize) -> Loop<C> {
        self.joined.push(i);
        self
    }
    /// What a reverse derivative of the loop keeps: the carries of some trips, from which it runs the others again, in place of
    /// what each trip needs. It changes no value.
    pub fn checkpoint(mut self, how: Checkpoint) -> Loop<C> {
        self.checkpoint = how;
        self
    }
    /// `body` of the carries as long as `go_on` of them is true: the carries at the end, and what `body` gives besides them,
    /// stacked along a new last axis, whose extent is the number of trips.
    ///
    /// # Errors
    /// As the op `while` of the language: a condition that is no `bool` scalar, a carry that changes its type; `E0212` a carry
    /// or an axis that there is not.
    #[track_caller]
    pub fn repeat<Y: Tensors>(
        self,
        go_on: impl FnOnce(&C::Owned) -> Result<TracedTensor>,
        body: impl FnOnce(&C::Owned) -> Result<(C::Owned, Y)>,
    ) -> Result<(C::Owned, Y)> {
        self.whiles(go_on, body, Location::caller())
    }
    /// As [`Loop::repeat`], of a body that gives the carries alone.
    ///
    /// # Errors
    /// As [`Loop::repeat`].
    #[track_caller]
    pub fn repeat_only(
        self,
        go_on: impl FnOnce(&C::Owned) -> Result<TracedTensor>,
        body: impl FnOnce(&C::Owned) -> Result<C::Owned>,
    ) -> Result<C::Owned> {
        let (last, []) = self.whiles(go_on, |c| Ok((body(c)?, [])), Location::caller())?;
        Ok(last)
    }
    /// `body` of the carries and of a slice of each of `xs`, once for each index of their last axis: the carries at the end,
    /// and what `body` gives besides them, stacked along a new last axis.
    ///
    /// # Errors
    /// `E0216` a scalar among `xs`, `E0222` where there is no `xs`, a carry that changes its type; as [`Loop::repeat`].
    #[track_caller]
    pub fn scan<X: Given, Y: Tensors>(
        self,
        xs: X,
        body: impl FnOnce(&C::Owned, &X::Owned) -> Result<(C::Owned, Y)>,
    ) -> Result<(C::Owned, Y)> {
        self.scans(xs, body, Location::caller())
    }
    fn whiles<Y: Tensors>(
        self,
        go_on: impl FnOnce(&C::Owned) -> Result<TracedTensor>,
        body: impl FnOnce(&C::Owned) -> Result<(C::Owned, Y)>,
        place: Place,
    ) -> Result<(C::Owned, Y)> {
        let go_on = self.block(|c| Ok((vec![], vec![go_on(c)?])), place)?;
        let body = self.block(
            |c| {
                let (next, out) = body(c)?;
                Ok((vec![], [next.list(), out.list()].concat()))
            },
            place,
        )?;
        let collected = body.results.len().saturating_sub(self.init.len());
        let mut new = self.start(&WHILE, &[], collected).region(go_on).region(body);
        if let Some(n) = &self.max_trips {
            new = new.extents("max_trips", std::slice::from_ref(n))?;
        }
        self.finish(new, place)
    }
    fn scans<X: Given, Y: Tensors>(
        self,
        xs: X,
        body: impl FnOnce(&C::Owned, &X::Owned) -> Result<(C::Owned, Y)>,
        place: Place,
    ) -> Result<(C::Owned, Y)> {
        let xs = xs.given();
        let block = self.block(
            |c| {
                let cut = |t: &TracedTensor| {
                    let Some(last) = t.rank().checked_sub(1) else {
                        return Err(placed(Error::new(Code::E0216, "a scalar has no axis to scan along"), place));
                    };
                    Ok(param(t.ty().without(&[last]), t.names().clone(), "", place))
                };
                let xs = X::Owned::made(xs.iter().map(cut).collect::<Result<_>>()?, "`scan`", place)?;
                let (next, out) = body(c, &xs)?;
                Ok((xs.list(), [next.list(), out.list()].concat()))
            },
            place,
        )?;
        let carries = self.init.len();
        let collected = block.results.len().saturating_sub(carries);
        let mut new = self.start(&SCAN, &xs, collected).attr("carry", Attr::Int(carries as i64)).region(block);
        if self.reverse {
            new = new.attr("reverse", Attr::Bool(true));
        }
        self.finish(new, place)
    }
    /// The op, of `collected` values.
    fn start(&self, row: &'static OpDef, xs: &[TracedTensor], collected: usize) -> NewNode {
        let operands: Vec<&TracedTensor> = self.init.iter().chain(xs).collect();
        let mut attrs = Attrs::none();
        self.checkpoint.write(&mut attrs);
        let new = attrs.iter().fold(NewNode::new(row, &operands), |new, (k, a)| new.attr(k, a.clone()));
        if self.joined.is_empty() {
            return new;
        }
        let how = |i| Attr::word(if self.joined.contains(&i) { "concat" } else { "stack" });
        new.attr("collect", Attr::List((0..collected).map(how).collect()))
    }
    /// A region whose first parameters are the carries; `trace` gives its others, and its results.
    fn block(
        &self,
        trace: impl FnOnce(&C::Owned) -> Result<(Vec<TracedTensor>, Vec<TracedTensor>)>,
        place: Place,
    ) -> Result<Block> {
        let mut binds = vec![];
        let mut block = within(|| {
            let by = scope().map_or(0, |s| s.id);
            let carries =
                (0..self.init.len()).map(|c| self.carry(c, by, &mut binds, place)).collect::<Result<Vec<_>>>()?;
            let (others, results) = trace(&C::Owned::made(carries.clone(), "a loop", place)?)?;
            Ok(([carries, others].concat(), results))
        })?;
        let n = self.init.len();
        if let Some(v) = self.vary.iter().find(|v| v.carry >= n) {
            return Err(placed(Error::new(Code::E0212, format!("there is no carry {} among {n}", v.carry)), place));
        }
        block.binds = binds;
        Ok(block)
    }
    /// The parameter for a carry: where an axis varies, its extent is one that region `by` binds.
    fn carry(&self, c: usize, by: u64, binds: &mut Vec<(Name, Option<Dim>)>, place: Place) -> Result<TracedTensor> {
        let (ty, mut names) = (self.init[c].ty(), self.init[c].names().clone());
        let hint = self.init[c].node.hint(self.init[c].index).unwrap_or_default();
        let mut dims = ty.dims.to_vec();
        let mut own = vec![];
        for v in self.vary.iter().filter(|v| v.carry == c) {
            if v.axis >= dims.len() {
                let text = format!("axis {} is out of range for rank {}", v.axis, dims.len());
                return Err(placed(Error::new(Code::E0212, text), place));
            }
            let name = Name::Found { by, index: binds.len() as u32, name: "i".into() };
            binds.push((name.clone(), v.most.clone()));
            own.push((v.axis, name));
        }
        let all = names.with(&Names::of(own.iter().map(|o| o.1.clone()).collect()));
        for d in &mut dims {
            *d = names.lift(d, &all)?;
        }
        names = all;
        for (axis, name) in own {
            if let Some(s) = names.find(&name) {
                dims[axis] = Extent::sym(s);
            }
        }
        Ok(param(ty.with_dims(dims), names, &hint, place))
    }
    /// The carries at the end, then what was collected.
    fn finish<Y: Tensors>(&self, new: NewNode, place: Place) -> Result<(C::Owned, Y)> {
        let name = format!("`{}`", new.def.name);
        let mut all = new.add(place)?;
        let out = all.split_off(self.init.len().min(all.len()));
        Ok((C::Owned::made(all, &name, place)?, Y::made(out, &name, place)?))
    }
}
/// `body` of the carries, from `init` on, as long as `go_on` of them is true: the carries at the end. Carries keep their types.
/// It is differentiated in both modes.
///
/// ```
/// use tfc_api::prelude::*;
/// let x = TracedTensor::from_vec_col_major([], vec![1.0_f64])?;
/// let [y] = while_loop([&x], |[c]| c.lt(&TracedTensor::scalar(100.0)?), |[c]| Ok([(c * 2.0)?]))?;
/// let program = GraphCompiler::new().compile(&y)?;
/// assert_eq!(GraphExecutor::new(CpuBackend::new()).run(&program)?.item::<f64>(), Some(128.0));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As the op `while` of the language: a condition that is no `bool` scalar, a carry that changes its type.
#[track_caller]
pub fn while_loop<C: Given>(
    init: C,
    go_on: impl FnOnce(&C::Owned) -> Result<TracedTensor>,
    body: impl FnOnce(&C::Owned) -> Result<C::Owned>,
) -> Result<C::Owned> {
    Loop::new(init).repeat_only(go_on, body)
}
/// As [`while_loop`], of at most so many trips: one more is an error of the run (`E0712`).
///
/// # Errors
/// As [`while_loop`].
#[track_caller]
pub fn while_loop_within<C: Given>(
    max_trips: impl Into<Dim>,
    init: C,
    go_on: impl FnOnce(&C::Owned) -> Result<TracedTensor>,
    body: impl FnOnce(&C::Owned) -> Result<C::Owned>,
) -> Result<C::Owned> {
    Loop::new(init).within(max_trips).repeat_only(go_on, body)
}

/// `body` of the carries and of a slice of each of `xs`, once for each index of their last axis: the carries at the end, and
/// what `body` gives besides them, stacked along a new last axis.
///
/// ```
/// use tfc_api::prelude::*;
/// // Running sums.
/// let x = TracedTensor::from_vec_col_major([4], vec![1.0_f64, 2.0, 3.0, 4.0])?;
/// let zero = TracedTensor::scalar(0.0)?;
/// let ([_], [sums]) = scan([&zero], [&x], |[sum], [x]| {
///     let next = (sum + x)?;
///     Ok(([next.clone()], [next]))
/// })?;
/// let program = GraphCompiler::new().compile(&sums)?;
/// let got = GraphExecutor::new(CpuBackend::new()).run(&program)?;
/// assert_eq!(got.to_logical::<f64>(), Some(vec![1.0, 3.0, 6.0, 10.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// `E0216` a scalar among `xs`, `E0222` where there is no `xs`, a carry that changes its type.
#[track_caller]
pub fn scan<C: Given, X: Given, Y: Tensors>(
    init: C,
    xs: X,
    body: impl FnOnce(&C::Owned, &X::Owned) -> Result<(C::Owned, Y)>,
) -> Result<(C::Owned, Y)> {
    Loop::new(init).scan(xs, body)
}
/// `body` of the index (an `i64` scalar) and the carries, `n` times: the carries at the end.
///
/// ```
/// use tfc_api::prelude::*;
/// // As many carries as a list has: each takes the place of the next.
/// let ring: Vec<TracedTensor> = (0..4).map(|i| TracedTensor::scalar(f64::from(i))).collect::<Result<_>>()?;
/// let turned = fori_loop(3, &ring, |_, c| Ok([&c[1..], &c[..1]].concat()))?;
/// let program = GraphCompiler::new().compile_many(&turned.iter().collect::<Vec<_>>())?;
/// let out = GraphExecutor::new(CpuBackend::new()).run_many(&program)?;
/// assert_eq!(out.iter().map(|t| t.item()).collect::<Vec<_>>(), [3.0, 0.0, 1.0, 2.0].map(Some));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// As [`scan`].
#[track_caller]
pub fn fori_loop<C: Given>(
    n: impl Into<Dim>,
    init: C,
    body: impl FnOnce(&TracedTensor, &C::Owned) -> Result<C::Owned>,
) -> Result<C::Owned> {
    let place = Location::caller();
    let index = TracedTensor::iota_at(tfc_ir::DType::I64, &[n.into()], 0, place)?;
    let (last, []) = Loop::new(init).scans([&index], |c, [i]| Ok((body(i, c)?, [])), place)?;
    Ok(last)
}
