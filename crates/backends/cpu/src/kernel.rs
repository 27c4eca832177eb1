//! Kernels: what runs for an op that is neither strides nor a fused loop. Families of this toolchain and families from
//! outside have one interface, [`Kernel`]; what comes from outside stands before what is built in.
//!
//! A kernel is made once for each step of a plan, from its statement ([`Site`]): attributes and types. At each execution it
//! sees strided operands, and results that have been placed ([`KernelCx`]). It keeps what it likes from one execution to the
//! next in a state of its own. Steps with kernels are part of bound loops and blocks like all others.
//!
//! An elementwise region that reads the first result is part of the step where the kernel says that it takes one
//! ([`Kernel::joins`]): it is applied to what the kernel says to be ready ([`Placed::ready`]), and to the rest afterwards.
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use tfc_ir::extent::Atom;
use tfc_ir::{Attrs, Binder, Code, Element, Error, Func, Op, Result, Tensor, Type};

use super::compiled::Compiled;
use super::copy::At;
use super::epilogue::Epilogue;
use super::machine::mem::{Ptr, tensor_ptr};
use super::run::frame::{Ctx, Frame};
use tfc_engine::outside;
use tfc_plan::plan::{Ext, Inner, KernelStep, Run, Slot};

/// What runs for a step.
pub trait Kernel: fmt::Debug + Send + Sync {
    /// Computes the results from the operands; every element of each result.
    ///
    /// # Errors
    /// Whatever the op reports; the error's span becomes the statement's where it has none.
    fn run(&self, cx: &mut KernelCx) -> Result<()>;
    /// Bytes of memory that an execution needs besides operands and results, at most; `None` where that is not known before.
    /// It is what `--emit plan` says, no limit.
    fn scratch(&self, _site: &Site) -> Option<usize> {
        Some(0)
    }
    /// The step for operands and results whose extents and strides stay what they are: run instead, from the next execution
    /// on. The step has just been executed.
    ///
    /// # Errors
    /// As [`Kernel::run`].
    fn bind(&self, _cx: &mut KernelCx) -> Result<Option<Box<dyn Bound>>> {
        Ok(None)
    }
    /// Does a step of this statement take an elementwise region that reads its first result, as one that computes part after
    /// part of that does? The region is applied to parts that are in cache still.
    fn joins(&self, _site: &Site) -> bool {
        false
    }
}
/// A step bound to extents and strides: addresses alone may differ from one execution to the next.
pub trait Bound: fmt::Debug + Send + Sync {
    /// As [`Kernel::run`].
    ///
    /// # Errors
    /// As [`Kernel::run`].
    fn run(&mut self, cx: &mut KernelCx) -> Result<()>;
}

/// The statement that a kernel is made for.
pub struct Site<'a> {
    pub(crate) func: &'a Func,
    pub(crate) step: &'a KernelStep,
}
impl<'a> Site<'a> {
    /// The statement.
    pub fn op(&self) -> &'a Op {
        self.func.op(self.step.op)
    }
    /// Attributes of the op.
    pub fn attrs(&self) -> &'a Attrs {
        &self.op().attrs
    }
    /// The type of operand `i`.
    pub fn operand(&self, i: usize) -> Option<&'a Type> {
        self.op().operands.get(i).map(|&v| self.func.ty(v))
    }
    /// The type of result `i`.
    pub fn result(&self, i: usize) -> Option<&'a Type> {
        self.op().results.get(i).map(|&v| self.func.ty(v))
    }
}

/// One execution of a step.
pub struct KernelCx<'a, 'c> {
    pub(crate) frame: &'a mut Frame,
    pub(crate) code: &'a Compiled,
    pub(crate) ctx: &'a mut Ctx<'c>,
    pub(crate) step: &'a KernelStep,
    /// Steps of a region are running, not the kernel.
    inner: bool,
    /// Results have been handed out.
    opened: bool,
    /// What the region of the step writes has been placed.
    placed: bool,
    region: Region,
    /// Results that were given as tensors.
    given: Vec<usize>,
}
/// What becomes of the region of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Region {
    /// The region runs apart from the kernel.
    Apart,
    /// The region is applied to what is ready: so far to so many indices along the last axis of the first result.
    Ready(usize),
    /// The kernel applies it itself.
    Kernel,
}
/// What a kernel keeps from one execution of its step to the next.
#[derive(Default)]
pub(crate) struct State(Option<Box<dyn Any + Send + Sync>>);
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("State")
    }
}
impl State {
    /// What is kept, if it is of that type; else `S::default()`.
    fn get<S: Default + Send + Sync + 'static>(&mut self) -> Result<&mut S> {
        let state = self.0.get_or_insert_with(|| Box::<S>::default());
        if !state.is::<S>() {
            *state = Box::<S>::default();
        }
        state.downcast_mut().ok_or_else(|| Error::bug(Code::E0718, "the state of a step is of another type"))
    }
}
/// Operands, results and state of an execution.
pub struct Open<'a, S> {
    /// Operands in the op's order.
    pub operands: Vec<Operand<'a>>,
    /// Results in the op's order; all elements are zero.
    pub results: Vec<Placed<'a>>,
    /// What this step of this executable has kept; `S::default()` at first.
    pub state: &'a mut S,
}
/// A strided operand.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    dtype: tfc_ir::DType,
    shape: &'a [usize],
    /// In bytes.
    strides: &'a [isize],
    ptr: Ptr,
}
/// A result: each element has a place of its own.
#[derive(Debug)]
pub struct Placed<'a> {
    at: Operand<'a>,
    /// The region that reads it.
    then: Option<Epilogue<'a>>,
    exclusive: PhantomData<&'a mut u8>,
}
impl<'a> Operand<'a> {
    /// Element type.
    pub fn dtype(&self) -> tfc_ir::DType {
        self.dtype
    }
    /// Extents.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }
    /// Elements from one index to the next along each axis; 0 where an axis repeats one element.
    pub fn strides(&self) -> Vec<isize> {
        self.strides.iter().map(|s| s / self.dtype.size() as isize).collect()
    }
    fn len(&self) -> usize {
        self.shape.iter().product()
    }
    fn dense(&self) -> bool {
        let mut step = self.dtype.size() as isize;
        self.len() == 0
            || self.shape.iter().zip(self.strides).all(|(&n, &s)| {
                let ok = n == 1 || s == step;
                step *= n as isize;
                ok
            })
    }
    /// Elements of the operand, where they lie one after the other with the first axis fastest and are of type `T`.
    pub fn dense_slice<T: Element>(&self) -> Option<&'a [T]> {
        if T::DTYPE != self.dtype || !self.dense() {
            return None;
        }
        if self.len() == 0 {
            return Some(&[]);
        }
        // SAFETY: the slot has that many elements of this type one after the other; nobody writes them while the step runs.
        Some(unsafe { std::slice::from_raw_parts(self.ptr.0.cast(), self.len()) })
    }
    fn place(&self, index: &[usize]) -> Option<Ptr> {
        let inside = index.len() == self.shape.len() && index.iter().zip(self.shape).all(|(i, n)| i < n);
        let at = || index.iter().zip(self.strides).map(|(&i, s)| i as isize * s).sum();
        inside.then(|| self.ptr.at(at()))
    }
    /// The element at an index; `None` outside, and where elements are not of type `T`.
    pub fn get<T: Element>(&self, index: &[usize]) -> Option<T> {
        let p = self.place(index).filter(|_| T::DTYPE == self.dtype)?;
        // SAFETY: an element of this type inside the slot.
        Some(unsafe { p.0.cast::<T>().read() })
    }
    /// Elements of the operand, the first axis fastest; none where they are not of type `T`.
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        if let Some(s) = self.dense_slice() {
            return s.to_vec();
        }
        let mut out = vec![];
        each(self.shape, |ix| out.extend(self.get::<T>(ix)));
        out
    }
}
/// Calls `f` with each index, the first axis fastest.
fn each(shape: &[usize], mut f: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut ix = vec![0; shape.len()];
    loop {
        f(&ix);
        let Some(a) = (0..ix.len()).find(|&a| ix[a] + 1 < shape[a]) else { return };
        ix[..a].fill(0);
        ix[a] += 1;
    }
}
impl Placed<'_> {
    /// Element type.
    pub fn dtype(&self) -> tfc_ir::DType {
        self.at.dtype
    }
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.at.shape
    }
    /// Elements from one index to the next along each axis.
    pub fn strides(&self) -> Vec<isize> {
        self.at.strides()
    }
    /// Its elements, where they lie one after the other with the first axis fastest and are of type `T`. (A result that a
    /// loop carries or collects has the axis order of the loop's.)
    pub fn dense_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        if T::DTYPE != self.at.dtype || !self.at.dense() {
            return None;
        }
        if self.at.len() == 0 {
            return Some(&mut []);
        }
        // SAFETY: as for operands; results overlap nothing, and were set to zero.
        Some(unsafe { std::slice::from_raw_parts_mut(self.at.ptr.0.cast(), self.at.len()) })
    }
    /// Elements whose index along the last axis is below `n` are what they shall be: a region that reads them may be applied to
    /// them now, while they are in cache, and is applied to them once. What is computed in place of the result lies there
    /// from then on. Nothing happens where no region reads the result.
    ///
    /// # Errors
    /// `E0705` where there is no memory to work in.
    pub fn ready(&mut self, n: usize) -> Result<()> {
        self.then.as_mut().map_or(Ok(()), |r| r.apply(n))
    }
    /// Sets an element; false outside, and where elements are not of type `T`.
    pub fn set<T: Element>(&mut self, index: &[usize], x: T) -> bool {
        match self.at.place(index).filter(|_| T::DTYPE == self.at.dtype) {
            // SAFETY: an element of this type inside the slot, which is this result's alone.
            Some(p) => unsafe { p.0.cast::<T>().write(x) },
            None => return false,
        }
        true
    }
    /// Sets all elements, the first axis fastest, as far as `values` reaches.
    pub fn write<T: Element>(&mut self, values: impl IntoIterator<Item = T>) {
        let (shape, mut values) = (self.at.shape, values.into_iter());
        each(shape, |ix| {
            if let Some(x) = values.next() {
                self.set(ix, x);
            }
        });
    }
}

impl<'a, 'c> KernelCx<'a, 'c> {
    pub(crate) fn new(
        frame: &'a mut Frame,
        code: &'a Compiled,
        ctx: &'a mut Ctx<'c>,
        step: &'a KernelStep,
    ) -> KernelCx<'a, 'c> {
        KernelCx {
            frame,
            code,
            ctx,
            step,
            inner: false,
            opened: false,
            placed: false,
            region: Region::Apart,
            given: vec![],
        }
    }
    /// What kernels of the engine itself work with.
    pub(crate) fn all(&mut self) -> (&mut Frame, &'a Compiled, &mut Ctx<'c>, &'a [Slot], &'a [Slot]) {
        (self.frame, self.code, self.ctx, &self.step.args, &self.step.dsts)
    }
    /// The statement.
    pub fn site(&self) -> Site<'a> {
        Site { func: &self.code.func, step: self.step }
    }
    /// What the step has kept; `S::default()` at first.
    pub(crate) fn state<S: Default + Send + Sync + 'static>(&mut self) -> Result<&mut S> {
        self.frame.states[self.step.id as usize].get()
    }
    /// Places what the region of the step writes, once results have the strides that they are computed with.
    pub(crate) fn place_region(&mut self) -> Result<()> {
        match &self.step.then {
            Some(r) if !self.placed => {
                self.placed = true;
                self.frame.place_outs(self.code, self.ctx, r)
            }
            _ => Ok(()),
        }
    }
    /// The kernel applies the region of the step itself: in this execution, or in the form that is being bound.
    pub(crate) fn applies_region(&mut self) {
        self.region = Region::Kernel;
    }
    /// Whether the kernel applies the region of the step itself.
    pub(crate) fn region_is_applied(&self) -> bool {
        self.region == Region::Kernel
    }
    /// Applies the region of the step to what the kernel has not said to be ready.
    fn rest_of_region(&mut self, r: &Run) -> Result<()> {
        let Region::Ready(n) = &mut self.region else { return Ok(()) };
        if *n > 0 {
            let Frame { sizes, ptr, region, .. } = &mut *self.frame;
            return Epilogue::new(self.code, r, sizes, ptr, (self.ctx.pool, region), n)?.apply(usize::MAX);
        }
        self.place_region()?;
        self.frame.run_placed(self.code, self.ctx, r)
    }
    /// How many threads may work.
    pub fn threads(&self) -> usize {
        self.ctx.pool.threads()
    }
    /// Entries of the plan's table of extents for the attribute of that name.
    pub(crate) fn exts(&self, name: &str) -> &'a [Ext] {
        self.step.exts.iter().find(|e| e.0 == name).map_or(&[], |e| &e.1)
    }
    /// Values of the attribute of that name, which is an extent or a list of extents or integers; none where there is none.
    ///
    /// # Errors
    /// `E0405` where a value does not fit 64 bits.
    pub fn extents(&self, name: &str) -> Result<Vec<i64>> {
        match self.site().attrs().get(name) {
            Some(tfc_ir::Attr::Int(i)) => Ok(vec![*i]),
            Some(tfc_ir::Attr::List(v)) => {
                Ok(v.iter().filter_map(|a| if let tfc_ir::Attr::Int(i) = a { Some(*i) } else { None }).collect())
            }
            _ => self.exts(name).iter().map(|&e| self.frame.ext(self.code, e)).collect(),
        }
    }
    fn look<'f>(frame: &'f Frame, plan: &Compiled, s: Slot) -> Operand<'f> {
        Operand {
            dtype: plan.slots[s as usize].dtype,
            shape: frame.dims(plan, s),
            strides: frame.strides(plan, s),
            ptr: frame.ptr[s as usize],
        }
    }
    /// Operand `i`.
    pub fn operand(&self, i: usize) -> Option<Operand<'_>> {
        self.step.args.get(i).map(|&s| Self::look(self.frame, self.code, s))
    }
    /// Operand `i` as a tensor of its own.
    ///
    /// # Errors
    /// `E0705` where there is no memory; `E0718` where there is no such operand.
    pub fn tensor(&self, i: usize) -> Result<Tensor> {
        let Some(&s) = self.step.args.get(i) else {
            return Err(Error::bug(
                Code::E0718,
                format!("operand {i} of `{}` is asked for", self.site().op().def.name),
            ));
        };
        self.frame.tensor(self.code, s)
    }
    /// Says the extents of result `i`, whose type leaves some to the kernel. Before [`KernelCx::open`].
    ///
    /// # Errors
    /// `E0802` where its type does not have them.
    pub fn shape(&mut self, i: usize, dtype: tfc_ir::DType, shape: &[usize]) -> Result<()> {
        let (plan, name) = (self.code, self.site().op().def.name);
        let Some(&s) = self.step.dsts.get(i) else {
            return Err(outside::wrong_count(name, i + 1, self.step.dsts.len()));
        };
        let d = &plan.slots[s as usize];
        if dtype == d.dtype && shape.len() == d.dims.len() {
            for (&e, &n) in d.dims.iter().zip(shape) {
                if let Some(Atom::Exist(x)) = plan.exts[e as usize].as_atom()
                    && self.step.binds.contains(&x)
                    && self.frame.env().get(Atom::Exist(x)).is_none()
                {
                    self.frame.bind(plan, x, n as i64);
                }
            }
            if self.frame.dims(plan, s) == shape {
                return Ok(());
            }
        }
        let expected = self.frame.type_of(plan, s);
        Err(outside::wrong_type(name, i, format_args!("{dtype}{shape:?}"), expected))
    }
    /// Operands, results, set to zero, and what the step has kept.
    ///
    /// # Errors
    /// `E0705`, `E0715` where there is no memory for results, `E042x` where their extents are negative or not known.
    pub fn open<S: Default + Send + Sync + 'static>(&mut self) -> Result<Open<'_, S>> {
        let (plan, step) = (self.code, self.step);
        if !step.binds.is_empty() && !self.opened {
            step.dsts.iter().try_for_each(|&s| self.frame.place(plan, self.ctx, s))?;
        }
        self.opened = true;
        for &s in &step.dsts {
            let zero = [0u8; 16];
            self.frame.fill(plan, self.ctx, s, Ptr(zero.as_ptr().cast_mut()));
        }
        if self.region != Region::Apart {
            self.region = Region::Ready(0);
            self.place_region()?;
        }
        let Frame { states, sizes, ptr, region, .. } = &mut *self.frame;
        let then = match (&step.then, &mut self.region) {
            (Some(r), Region::Ready(n)) => Some(Epilogue::new(plan, r, sizes, ptr, (self.ctx.pool, region), n)?),
            _ => None,
        };
        let (dims, strides) = sizes.tables();
        let state = states[step.id as usize].get()?;
        let at = |s: Slot| {
            let d = &plan.slots[s as usize];
            let axes = d.at as usize..d.at as usize + d.dims.len();
            Operand { dtype: d.dtype, shape: &dims[axes.clone()], strides: &strides[axes], ptr: ptr[s as usize] }
        };
        // It reads the first.
        let mut then = then.into_iter();
        let placed = |&s: &Slot| Placed { at: at(s), then: then.next(), exclusive: PhantomData };
        Ok(Open {
            operands: step.args.iter().map(|&s| at(s)).collect(),
            results: step.dsts.iter().map(placed).collect(),
            state,
        })
    }
    /// Sets result `i`, whether its type leaves extents to the kernel or not. A kernel that gives each of its results need not
    /// open them.
    ///
    /// # Errors
    /// `E0802` where the tensor is not of the result's type.
    pub fn give(&mut self, i: usize, t: &Tensor) -> Result<()> {
        self.shape(i, t.dtype(), t.shape())?;
        let open = !self.step.binds.is_empty();
        let (frame, plan, ctx, _, dsts) = self.all();
        let d = dsts[i];
        if open {
            frame.place(plan, ctx, d)?;
        }
        let size = t.dtype().size();
        let strides: Vec<isize> = t.strides().iter().map(|s| s * size as isize).collect();
        let src = At { ptr: tensor_ptr(t), strides: &strides };
        let mut space = std::mem::take(&mut frame.space);
        // SAFETY: the shapes agree; the result's storage is its own.
        unsafe { super::copy::copy_nd(ctx.pool, &mut space, t.shape(), frame.at(plan, d), src, size) };
        frame.space = space;
        if !self.given.contains(&i) {
            self.given.push(i);
        }
        Ok(())
    }
    /// Runs region `i` of the op on tensors and gives what it yields.
    ///
    /// # Errors
    /// `E0802` where there is no such region or arguments are not of its parameters' types; whatever its steps report.
    pub fn region(&mut self, i: usize, args: &[Tensor]) -> Result<Vec<Tensor>> {
        let name = self.site().op().def.name;
        let Some(Inner { params, block, yields, .. }) = self.step.regions.get(i) else {
            return Err(outside::wrong_region(name, &format!("region {i}, which there is not")));
        };
        if args.len() != params.len() {
            return Err(outside::wrong_region(name, &format!("region {i} with {} arguments", args.len())));
        }
        let (frame, plan, ..) = self.all();
        for (&p, t) in params.iter().zip(args) {
            let d = &plan.slots[p as usize];
            for (&e, &n) in d.dims.iter().zip(t.shape()) {
                if let Some(Atom::Exist(x)) = plan.exts[e as usize].as_atom()
                    && matches!(plan.func.binder(x), Some(Binder::Params(_)))
                {
                    frame.bind(plan, x, n as i64);
                }
            }
            if t.dtype() != d.dtype || frame.dims(plan, p) != t.shape() {
                let text = format!("region {i} with {}{:?}", t.dtype(), t.shape());
                return Err(outside::wrong_region(name, &format!("{text} for {}", frame.type_of(plan, p))));
            }
            let strides: Vec<isize> = t.strides().iter().map(|s| s * t.dtype().size() as isize).collect();
            frame.set(plan, p, tensor_ptr(t), &strides);
        }
        self.inner = true;
        let done = self.frame.block(self.code, self.ctx, block);
        self.inner = false;
        done?;
        yields.iter().map(|&y| self.frame.tensor(self.code, y)).collect()
    }
}

/// The kernel of a step.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) kernel: Arc<dyn Kernel>,
    /// The kernel was added from outside; its panics and wrong results are errors of the run.
    pub(crate) outside: bool,
}
impl Known {
    /// Runs it, and the region of the step.
    pub(crate) fn run(&self, mut cx: KernelCx) -> Result<()> {
        let Some(r) = &cx.step.then else { return self.run_alone(&mut cx) };
        cx.region = Region::Ready(0);
        self.run_alone(&mut cx)?;
        cx.rest_of_region(r)
    }
    fn run_alone(&self, cx: &mut KernelCx) -> Result<()> {
        if !self.outside {
            return self.kernel.run(cx);
        }
        let (name, results) = (cx.site().op().def.name, cx.step.dsts.len());
        outside::call(name, cx, |cx| self.kernel.run(cx), |cx| cx.inner)?;
        let given = cx.given.len();
        if cx.opened || given == results { Ok(()) } else { Err(outside::wrong_count(name, given, results)) }
    }
}
