//! The interface of the engine: compile a function, run it, from as many threads as the caller likes. What was compiled never
//! changes; a call works in memory of its own, which is kept for the next one.
use std::borrow::Borrow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tfc_ir::{FuncId, Module, Result, Tensor};

use super::compile::compile;
use super::compiled::Compiled;
use super::machine::denormal::Flush;
use super::machine::mem::OutBuf;
use super::machine::poison;
use super::machine::pool::Pool;
use super::options::{CompileOptions, RunOptions};
use super::run::clock::Clock;
use super::run::frame::{Ctx, Frame, Frames, Memory, holds};
use tfc_engine::outside;
use tfc_plan::plan::audit::{audit, tamper};
use tfc_plan::plan::*;

/// The backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;
impl Cpu {
    /// Compiles a function whose derivative ops have been expanded. The result serves every value of its extents.
    ///
    /// # Errors
    /// What the verifier finds; `E0801` an op, or a scalar function of these dtypes, without a kernel; `E0717` data that has not
    /// been loaded; `E0719` calls that nest too deep; `E0714` where the module's budget ends; `E0803` a `TFC_CPU` that names no
    /// engine.
    pub fn compile(m: &Module, f: FuncId, options: &CompileOptions) -> Result<Executable> {
        tfc_kernels::limit::known()?;
        let (plan, callees) = compile(m, f, options)?;
        let pool = Pool::new(options.threads).flushing(options.fast_math);
        Ok(Executable::of(Arc::new(Code { plan, callees, pool, plain: false })))
    }
}

/// Bytes of a small result.
const SMALL: usize = 1 << 14;

/// What a call has in common with the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Like {
    Nothing,
    /// Extents.
    Sizes,
    /// Extents, and strides of the arguments.
    Layout,
}

/// What was compiled, and the threads that run it.
#[derive(Debug)]
struct Code {
    plan: Compiled,
    callees: Vec<Compiled>,
    pool: Pool,
    plain: bool,
}
/// A compiled function. Any number of threads may run it at once: calls that overlap in time work in memory of their own.
#[derive(Debug)]
pub struct Executable {
    code: Arc<Code>,
    /// The memory of a call that finds no other one running.
    first: Mutex<Work>,
    /// Memory of calls that run at the same time.
    more: Mutex<Vec<Work>>,
    /// See [`Executable::peak_bytes`].
    peak: AtomicUsize,
}
impl Executable {
    fn of(code: Arc<Code>) -> Executable {
        let first = Mutex::new(Work::new(&code));
        Executable { code, first, more: Mutex::default(), peak: AtomicUsize::new(0) }
    }
    /// The same code with memory of its own. What a call finds out about extents and strides serves the next one that
    /// has the same: who calls with several in turn keeps one of these for each.
    pub fn another(&self) -> Executable {
        Executable::of(self.code.clone())
    }
    /// A call in the memory that is free.
    fn call<R>(&self, f: impl FnOnce(&mut Work, &Code) -> Result<R>) -> Result<R> {
        let run = |w: &mut Work| {
            let mut ended = false;
            let r = outside::functions(|| {
                let r = f(w, &self.code);
                ended = true;
                r
            });
            if !ended {
                // A function from outside panicked: nothing reads what is half done.
                *w = Work::new(&self.code);
            }
            self.peak.store(w.memory.peak, Ordering::Relaxed);
            r
        };
        if let Ok(mut w) = self.first.try_lock() {
            return run(&mut w);
        }
        let idle = self.more.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut w = idle.unwrap_or_else(|| Work::new(&self.code));
        let r = run(&mut w);
        self.more.lock().unwrap_or_else(PoisonError::into_inner).push(w);
        r
    }
    /// Runs the function. Buffers stay allocated for the next call, as does the storage of the results: it is used again
    /// once the caller has dropped them. Results that are views of arguments share their storage.
    ///
    /// # Errors
    /// `E0701`–`E0704` arguments that do not fit, `E042x` a condition on extents, `E0705` and `E0715` memory, other `E07xx`
    /// what ops report. The error's span is the statement's.
    pub fn run(&self, args: &[Tensor], options: &RunOptions) -> Result<Vec<Tensor>> {
        self.call(|w, code| w.run(code, args, options))
    }
    /// As [`Executable::run`], on arguments that lie anywhere, for who has many executables: of the storage of results
    /// only small ones are kept, whose allocation would take as long as computing them.
    ///
    /// # Errors
    /// The same.
    pub fn run_on(&self, args: &[&Tensor], options: &RunOptions) -> Result<Vec<Tensor>> {
        self.call(|w, code| {
            let results = w.run(code, args, options);
            w.forget_if(&code.plan, |o| o.bytes() > SMALL);
            results
        })
    }
    /// Runs the function on arguments that are given away, and puts the results where `results` has storage.
    ///
    /// An argument to whose storage nobody else refers may be computed over: a step `w - 0.1 * g` that reads `w` for the
    /// last time needs no memory then. Tensors that `results` holds on entry are given away as well: result `i` takes the
    /// storage of tensor `i` where that has its element type and as many elements and nobody else refers to it (its shape
    /// and strides do not matter; a result chooses its own layout). On return `results` holds the results; after an error it
    /// is empty. The executable keeps no reference to them, so they can be given away again.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tfc_cpu::{CompileOptions, Cpu, RunOptions};
    /// # use tfc_ir::{Builder, DType, Module, OpSet, Tensor, Type};
    /// let module = Module::new(Arc::new(OpSet::core()));
    /// let mut b = Builder::new(&module, "step");
    /// let w = b.param(Type::exact(DType::F64, &[4]), "w");
    /// let y = b.add(w, w)?;
    /// let step = module.add(b.finish(vec![y])?);
    ///
    /// let exe = Cpu::compile(&module, step, &CompileOptions::default())?;
    /// let mut state = vec![Tensor::full(&[4], 1.0f64)?];
    /// for _ in 0..3 {
    ///     // The new state is computed in the memory of the old one.
    ///     let args = std::mem::take(&mut state);
    ///     exe.run_into(args, &mut state, &RunOptions::default())?;
    /// }
    /// assert_eq!(state[0].get::<f64>(&[3]), Some(8.0));
    /// # Ok::<(), tfc_ir::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Executable::run`].
    pub fn run_into(&self, args: Vec<Tensor>, results: &mut Vec<Tensor>, options: &RunOptions) -> Result<()> {
        self.call(|w, code| w.run_into(code, args, results, options))
    }
    /// The executable without bound blocks, in which every step finds out its sizes each time: to compare with.
    #[doc(hidden)]
    pub fn plain(mut self) -> Executable {
        if let Some(code) = Arc::get_mut(&mut self.code) {
            code.plain = true;
        }
        self
    }
    /// The executable with a fault in its plan, if `pick` finds a place for one: `None` where it finds none or the checker
    /// of plans refuses what becomes of it. To try the checker with.
    #[doc(hidden)]
    pub fn tampered(mut self, pick: u64) -> Option<Executable> {
        let plan = Arc::get_mut(&mut self.code)?.plan.plan_mut();
        if !tamper(plan, pick) || audit(plan).is_err() {
            return None;
        }
        self.release();
        Some(self)
    }
    /// Most bytes that the call that ended last had allocated at one time, arguments not counted.
    pub fn peak_bytes(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }
    /// The plan as text: steps, slots, sizes as extent expressions.
    pub fn describe(&self) -> String {
        tfc_plan::plan::describe::describe(&self.code.plan, &self.code.plan)
    }
    /// How many functions were planned: this one, and each that it calls, however often.
    pub fn functions(&self) -> usize {
        1 + self.code.callees.len()
    }
    /// Gives the buffers back, and the storage kept of results.
    pub fn release(&mut self) {
        self.first = Mutex::new(Work::new(&self.code));
        self.more = Mutex::default();
        self.peak = AtomicUsize::new(0);
    }
}

/// The memory of one call at a time.
#[derive(Debug)]
struct Work {
    frame: Frame,
    frames: Frames,
    memory: Memory,
}
impl Work {
    fn new(code: &Code) -> Work {
        let (frame, frames) = (Frame::new(&code.plan), Frames::new(&code.plan, &code.callees));
        Work { frame, frames, memory: Memory::default() }
    }
    fn run<T: Borrow<Tensor>>(&mut self, code: &Code, args: &[T], options: &RunOptions) -> Result<Vec<Tensor>> {
        let plan = &code.plan;
        let like = self.enter(plan, args)?;
        self.reclaim(plan, like >= Like::Sizes);
        let mut results = Vec::with_capacity(plan.results.len());
        self.finish(code, |i| args.get(i).map(T::borrow), options, &mut results, like)?;
        Ok(results)
    }
    fn run_into(
        &mut self,
        code: &Code,
        args: Vec<Tensor>,
        results: &mut Vec<Tensor>,
        options: &RunOptions,
    ) -> Result<()> {
        let plan = &code.plan;
        let given = std::mem::take(results);
        let mut like = self.enter(plan, &args)?;
        for (t, homes) in given.into_iter().zip(&plan.homes) {
            let Some(r) = homes.iter().find_map(Place::store) else { continue };
            let (data, out) = (t.into_data(), &mut self.frame.outs[r as usize]);
            // What the executable kept of an earlier call stays, where this is it.
            if !out.as_ref().is_some_and(|o| o.is(&data)) {
                let len = data.len();
                *out = OutBuf::of(data, len);
            }
        }
        self.reclaim(plan, true);
        let mut args: Vec<Option<Tensor>> = args.into_iter().map(Some).collect();
        self.frame.donated.resize_with(args.len(), || None);
        for &i in &plan.donors {
            if let Some(t) = args[i as usize].take_if(|t| is_dense(t)) {
                let len = t.len();
                self.frame.donated[i as usize] = OutBuf::of(t.into_data(), len);
                // What is computed over an argument has the argument's strides.
                like = Like::Nothing;
            }
        }
        let done = self.finish(code, |i| args.get(i)?.as_ref(), options, results, like);
        self.frame.donated.clear();
        self.forget(plan);
        done
    }
    /// Checks the arguments and takes over their extents, strides and addresses.
    fn enter<T: Borrow<Tensor>>(&mut self, plan: &Compiled, args: &[T]) -> Result<Like> {
        let frame = &mut self.frame;
        if frame.same_arguments(plan, args) {
            return Ok(Like::Layout);
        }
        let shapes: Vec<_> = args.iter().map(T::borrow).map(|t| (t.dtype(), t.shape())).collect();
        let env = tfc_engine::shapes::enter(&plan.func, &shapes)?;
        let same = frame.enter(plan, &env.syms);
        frame.arguments(plan, args);
        frame.orient(plan, false);
        Ok(if same { Like::Sizes } else { Like::Nothing })
    }
    /// Takes the storage of earlier results that the caller has dropped, if it serves (`same` sizes); forgets the rest.
    fn reclaim(&mut self, plan: &Compiled, same: bool) {
        for &r in &plan.escaping {
            let out = &mut self.frame.outs[r as usize];
            if let Some(o) = out.as_mut() {
                if same && o.again() {
                    self.memory.now += o.bytes();
                } else {
                    *out = None;
                }
            }
        }
    }
    /// Drops what is kept of results.
    fn forget(&mut self, plan: &Compiled) {
        self.forget_if(plan, |_| true);
    }
    /// Drops some of it.
    fn forget_if(&mut self, plan: &Compiled, drops: impl Fn(&OutBuf) -> bool) {
        for &r in &plan.escaping {
            self.frame.outs[r as usize].take_if(|o| drops(o));
        }
    }
    /// Runs the body. Where sizes are those of the last call, the storage of the results is kept for the next one.
    fn finish<'a>(
        &mut self,
        code: &Code,
        arg: impl Fn(usize) -> Option<&'a Tensor>,
        options: &RunOptions,
        to: &mut Vec<Tensor>,
        like: Like,
    ) -> Result<()> {
        let Code { plan, callees, pool, plain } = code;
        let Work { frame, frames, memory } = self;
        (memory.limit, memory.taken) = (options.memory, options.taken);
        memory.peak = memory.now;
        let clock = options.profile.as_ref().map(|_| Clock::default());
        let mut ctx = Ctx {
            pool,
            opt: options,
            plain: *plain,
            mem: memory,
            fuel: options.fuel,
            callees,
            frames,
            clock,
            loops: 0,
        };
        let flush = pool.flushes().then(Flush::on);
        let mut done = frame.body(plan, &mut ctx, like == Like::Layout);
        drop(flush);
        if let (Some(clock), Some(profile)) = (ctx.clock.take(), &options.profile) {
            profile.add(clock.into_steps());
        }
        if done.is_ok() {
            done = frame.check_header(plan);
        }
        if poison::on() {
            poison::note(frame.intact() && frames.intact());
            done = done.and(poison::check());
        }
        for i in 0..plan.results.len() {
            if done.is_ok() {
                done = result(plan, frame, &arg, i).map(|t| to.push(t));
            }
        }
        // From here on this memory belongs to the caller, or lies idle until the next call.
        for &r in &plan.escaping {
            let bytes = frame.outs[r as usize].as_ref().map_or(0, OutBuf::counted);
            memory.now = memory.now.saturating_sub(bytes);
        }
        if like == Like::Nothing || done.is_err() {
            self.forget(plan);
        }
        if done.is_err() {
            to.clear();
        }
        done
    }
}

/// Result `i` as a tensor over the storage that it lies in.
fn result<'a>(
    plan: &Compiled,
    frame: &mut Frame,
    arg: impl Fn(usize) -> Option<&'a Tensor>,
    i: usize,
) -> Result<Tensor> {
    let s = plan.results[i];
    let n = frame.len(plan, s)?;
    let (d, dims) = (&plan.slots[s as usize], frame.dims(plan, s).to_vec());
    if n == 0 {
        return Tensor::zeros(d.dtype, &dims);
    }
    let (p, size) = (frame.ptr[s as usize], d.dtype.size() as isize);
    let strides: Vec<isize> = frame.strides(plan, s).iter().map(|x| x / size).collect();
    let within = |t: Option<&Tensor>| {
        let t = t.filter(|t| t.dtype() == d.dtype)?;
        Some((t.data().clone(), holds(t, p)?))
    };
    for h in &plan.homes[i] {
        let found = match *h {
            Place::Arg(i) => within(arg(i as usize)),
            Place::Const(i) => within(plan.consts.get(i as usize)),
            // A result that reads a storage as another element type is copied.
            Place::Own(r) => match frame.outs[r as usize].as_mut().filter(|o| o.dtype() == d.dtype) {
                // SAFETY: the plan's steps write every element of a storage that a result lies in.
                Some(o) => o.position(p).map(|at| (unsafe { o.finish() }, at)),
                None => None,
            },
            _ => None,
        };
        if let Some((data, at)) = found {
            return Tensor::view(data, dims, strides, at);
        }
    }
    frame.tensor(plan, s)
}
/// Whether the elements fill the tensor's storage, each in a place of its own.
fn is_dense(t: &Tensor) -> bool {
    let mut axes: Vec<(isize, usize)> =
        t.strides().iter().zip(t.shape()).filter(|x| *x.1 != 1).map(|(&s, &n)| (s, n)).collect();
    axes.sort_unstable();
    let mut step = 1;
    let packed = axes.iter().all(|&(s, n)| {
        let ok = s == step;
        step = step.wrapping_mul(n as isize);
        ok
    });
    packed && t.offset() == 0 && t.data().len() == t.len() && !t.is_empty()
}
