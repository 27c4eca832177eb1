//! The backend: a function compiled for a device, and run there.
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tfc_engine::shapes::enter;
use tfc_engine::{Backend, Executable, Limits, Options};
use tfc_ir::{Code, DType, Error, FuncId, Module, OpDef, Result, Tensor};
use tfc_plan::plan::Slot;
use tfc_plan::plan::describe::describe;

use crate::device::{Device, Module as Loaded, Ptr};
use crate::dialect::{Dialect, Texts};
use crate::program::{CompiledFunction, compile, entry};
use crate::rehearsal::{AllTaken, rehearse};
use crate::resident::Resident;
use crate::run::frame::{At, Ctx, Frame, Memory, bytes_of, download};
use crate::run::graph::{Graph, Graphs, Way, key};
use crate::steps::Steps;
use crate::text::Source;

/// The number of the scratch that the first result may be copied to.
const RESULTS: usize = 16;

/// Makes a device ready.
type Open = dyn Fn() -> Result<Arc<dyn Device>> + Send + Sync;

/// A backend that runs programs on a device, which is made ready when it is first needed.
#[derive(Clone)]
pub struct OnDevice<D: Dialect> {
    open: Arc<Open>,
    ready: Arc<OnceLock<Result<Arc<dyn Device>>>>,
    steps: Steps<D>,
}
impl<D: Dialect> OnDevice<D> {
    /// On that device, with what this backend has for built-in rows.
    pub fn new(device: Arc<dyn Device>) -> Self {
        Self::opened_by(move || Ok(device.clone()))
    }
    /// The same on a device that is asked for when a program is first compiled.
    pub fn opened_by(open: impl Fn() -> Result<Arc<dyn Device>> + Send + Sync + 'static) -> Self {
        OnDevice { open: Arc::new(open), ready: Arc::default(), steps: Steps::default() }
    }
    /// On the device that the environment names.
    pub fn of_environment() -> Self {
        Self::opened_by(D::of_environment)
    }
    /// With what else it has for rows.
    #[must_use]
    pub fn with_steps(mut self, steps: Steps<D>) -> Self {
        self.steps = steps;
        self
    }
    /// What runs kernels.
    ///
    /// # Errors
    /// `E1305` there is no device; `E1301` what it needs is not there.
    pub fn about(&self) -> Result<String> {
        Ok(self.ready()?.describe())
    }
    /// The device, which is made ready.
    ///
    /// # Errors
    /// The same.
    pub fn ready(&self) -> Result<Arc<dyn Device>> {
        self.ready.get_or_init(|| (self.open)()).clone()
    }
    /// The kernels of functions as text, with nothing of a device.
    ///
    /// # Errors
    /// `E1304` what has no kernel; what planning reports.
    pub fn source(&self, list: &[(&Module, FuncId)], fast_math: bool) -> Result<Source> {
        let mut texts = Texts::default();
        list.iter().try_for_each(|(m, f)| compile(m, *f, &self.steps, fast_math, &mut texts).map(|_| ()))?;
        Ok(texts.source())
    }
    /// Compiles several functions, whose kernels are compiled together: a text that several have is one kernel.
    ///
    /// # Errors
    /// `E1302` where the kernels do not compile. Of a function: `E1304` what has no kernel; what planning reports.
    pub fn compile_all(&self, list: &[(&Module, FuncId)], fast_math: bool) -> Result<Vec<Result<Program>>> {
        let mut texts = Texts::default();
        let made: Vec<Result<Vec<CompiledFunction>>> =
            list.iter().map(|(m, f)| compile(m, *f, &self.steps, fast_math, &mut texts)).collect();
        let device = self.ready()?;
        let source = Arc::new(texts.source());
        let module: Arc<dyn Loaded> = Arc::from(device.load(&source)?);
        let program = |code| Program {
            module: module.clone(),
            source: source.clone(),
            predict: D::predicted,
            device: device.clone(),
            code,
            consts: Mutex::default(),
            graphs: Mutex::default(),
            peak: Mutex::new(0),
        };
        Ok(made.into_iter().map(|code| code.map(program)).collect())
    }
}
impl<D: Dialect> Backend for OnDevice<D> {
    fn name(&self) -> &'static str {
        D::BACKEND
    }
    fn device(&self, _: usize) -> String {
        self.about().map_or_else(|_| format!("{}, no device", D::BACKEND), |d| format!("{}, {d}", D::BACKEND))
    }
    fn has(&self, row: &OpDef) -> bool {
        self.steps.has(row)
    }
    fn runs(&self, m: &Module, f: FuncId) -> bool {
        compile(m, f, &self.steps, false, &mut Texts::default()).is_ok()
    }
    /// Without a device, what is compiled can be described, and says that there is none when it is run.
    fn compile(&self, m: Module, f: FuncId, options: &Options) -> Result<Box<dyn Executable>> {
        if let Err(why) = self.ready() {
            let mut texts = Texts::default();
            let code = compile(&m, f, &self.steps, options.fast_math, &mut texts)?;
            return Ok(Box::new(Planned { code, source: texts.source(), predict: D::predicted, why }));
        }
        let made = self.compile_all(&[(&m, f)], options.fast_math)?.pop();
        Ok(Box::new(made.ok_or_else(|| Error::bug(Code::E0718, "nothing was compiled"))??))
    }
}

/// A program for a device that is not there.
struct Planned {
    code: Vec<CompiledFunction>,
    source: Source,
    predict: Predict,
    why: Error,
}
impl Executable for Planned {
    fn run(&self, _: &[Tensor], _: &Limits) -> Result<Vec<Tensor>> {
        Err(self.why.clone())
    }
    fn describe(&self) -> String {
        described(&self.code, &self.source, self.predict)
    }
}
type Predict = fn(&CompiledFunction, &AllTaken, &Source) -> String;
/// The plan of the function that is run, and what its kernels may take.
fn described(code: &[CompiledFunction], source: &Source, predict: Predict) -> String {
    entry(code).map(|c| describe(&c.plan, c) + &predict(c, &rehearse(code), source)).unwrap_or_default()
}

/// A program on a device.
pub struct Program {
    module: Arc<dyn Loaded>,
    source: Arc<Source>,
    predict: Predict,
    device: Arc<dyn Device>,
    /// Callees first.
    code: Vec<CompiledFunction>,
    /// Constants of each function on the device, from the first call on.
    consts: Mutex<Option<Arc<Consts>>>,
    graphs: Mutex<Graphs>,
    peak: Mutex<usize>,
}
impl Drop for Program {
    fn drop(&mut self) {
        let _turn = self.device.turn();
        self.graphs.get_mut().unwrap_or_else(PoisonError::into_inner).release(&*self.device);
        if let Some(c) = self.consts.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            c.held.iter().for_each(|&p| self.device.free(p));
        }
    }
}
/// Constants on a device.
#[derive(Default)]
struct Consts {
    /// By function and number: where its elements begin.
    at: Vec<Vec<Ptr>>,
    held: Vec<Ptr>,
}
impl Program {
    /// Callees and the function itself.
    pub fn functions(&self) -> &[CompiledFunction] {
        &self.code
    }
    fn consts(&self) -> Result<Arc<Consts>> {
        let mut known = self.consts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(c) = &*known {
            return Ok(c.clone());
        }
        let mut made = Consts::default();
        let done = self.code.iter().try_for_each(|code| {
            made.at.push(vec![]);
            code.plan.consts.iter().try_for_each(|t| {
                let there = upload(&*self.device, t)?;
                made.held.extend(there.map(|p| p.0));
                made.at.last_mut().into_iter().for_each(|at| at.push(there.map_or_else(Ptr::default, |p| p.1)));
                Ok(())
            })
        });
        if let Err(e) = done {
            made.held.iter().for_each(|&p| self.device.free(p));
            return Err(e);
        }
        Ok(known.insert(Arc::new(made)).clone())
    }
    /// Runs it on tensors of its device, and leaves results there. Nothing waits for the device that the program does not ask for.
    ///
    /// # Errors
    /// `E1012` where a tensor lies on another device; as [`Executable::run`].
    pub fn run_resident(&self, args: &[&Resident], limits: &Limits) -> Result<Vec<Resident>> {
        let code = entry(&self.code)?;
        let plan = &code.plan;
        args.iter().try_for_each(|t| t.check(&self.device))?;
        let shapes: Vec<_> = args.iter().map(|t| (t.dtype(), t.shape())).collect();
        let env = enter(&plan.func, &shapes)?;
        let _turn = self.device.turn();
        let consts = self.consts()?;
        let mut ctx = self.ctx(&consts, limits);
        let mut frame = Frame::new(code, ctx.consts(self.code.len() - 1));
        frame.sizes.enter(plan, &env.syms);
        for (&p, t) in plan.params.iter().zip(args) {
            frame.set(p, t.first(), t.strides());
        }
        let mut run = || {
            frame.block(&mut ctx, &plan.body)?;
            frame.sizes.check_header(plan)?;
            let give = |&s: &Slot| {
                let (dtype, dims) = (frame.decl(s).dtype, frame.dims(s).to_vec());
                let t = Resident::room(&self.device, dtype, &dims)?;
                frame.copy_to(&mut ctx, s, At { ptr: t.first(), strides: t.strides() })?;
                Ok(t)
            };
            plan.results.iter().map(give).collect::<Result<Vec<_>>>()
        };
        let done = run().map_err(|e| with_buffers(e, &frame));
        frame.release(&mut ctx);
        *self.peak.lock().unwrap_or_else(PoisonError::into_inner) = ctx.memory.peak;
        done
    }
    fn ctx<'a>(&'a self, consts: &'a Consts, limits: &'a Limits) -> Ctx<'a> {
        Ctx {
            device: &*self.device,
            module: &*self.module,
            all: &self.code,
            consts: &consts.at,
            limits,
            print: limits.print.clone().map(Into::into),
            fuel: limits.fuel,
            memory: Memory::default(),
            waits: 0,
            taken: None,
        }
    }
    fn go(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        let code = entry(&self.code)?;
        let plan = &code.plan;
        let shapes: Vec<_> = args.iter().map(|t| (t.dtype(), t.shape())).collect();
        let env = enter(&plan.func, &shapes)?;
        let _turn = self.device.turn();
        let consts = self.consts()?;
        let budget = limits.budget.limits();
        let free = budget.memory.is_none() && budget.time.is_none() && limits.fuel.is_none() && limits.print.is_none();
        let mut graphs = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        let key = if free { key(args) } else { vec![] };
        let way = if free { graphs.way(&key) } else { Way::Plain };
        if let Way::Start(i) = way {
            limits.budget.check()?;
            return graphs.start(&*self.device, i, args);
        }
        let mut ctx = self.ctx(&consts, limits);
        let mut frame = Frame::new(code, ctx.consts(self.code.len() - 1));
        frame.sizes.enter(plan, &env.syms);
        let mut held = vec![];
        let done = self.run_in(&mut frame, &mut ctx, args, &mut held).map_err(|e| with_buffers(e, &frame));
        if matches!(way, Way::Take) && done.is_ok() {
            let taken = self.take(&mut frame, &mut ctx, &env.syms, &mut held);
            graphs.taken(&key, taken.unwrap_or_default());
        }
        frame.release(&mut ctx);
        held.iter().flatten().for_each(|p| self.device.free(p.0));
        *self.peak.lock().unwrap_or_else(PoisonError::into_inner) = ctx.memory.peak;
        if matches!(way, Way::Run) && done.is_ok() {
            graphs.seen(key, ctx.waits > 0);
        }
        done
    }
    fn run_in(
        &self,
        frame: &mut Frame,
        ctx: &mut Ctx,
        args: &[&Tensor],
        held: &mut Vec<Option<(Ptr, Ptr)>>,
    ) -> Result<Vec<Tensor>> {
        let plan = frame.plan();
        for (&p, t) in plan.params.iter().zip(args) {
            frame.sizes.lay_as(plan, p, t);
            let there = upload(&*self.device, t)?;
            held.push(there);
            frame.ptr[p as usize] = there.map_or_else(Ptr::default, |t| t.1);
        }
        frame.block(ctx, &plan.body)?;
        frame.sizes.check_header(plan)?;
        let results = self.results(frame, ctx)?;
        results.iter().map(|(p, d, dims)| download(&*self.device, *p, *d, dims)).collect()
    }
    /// Where results lie, the first axis fastest.
    fn results(&self, frame: &mut Frame, ctx: &mut Ctx) -> Result<Vec<(Ptr, DType, Vec<usize>)>> {
        let plan = frame.plan();
        let place = |(i, &s): (usize, &Slot)| {
            let at = frame.dense(ctx, s, RESULTS + i)?;
            Ok((at, frame.decl(s).dtype, frame.dims(s).to_vec()))
        };
        plan.results.iter().enumerate().map(place).collect()
    }
    /// Takes down what a call starts, in the memory that it has had; where that succeeds, the memory is the graph's.
    fn take(
        &self,
        frame: &mut Frame,
        ctx: &mut Ctx,
        syms: &[Option<i64>],
        held: &mut Vec<Option<(Ptr, Ptr)>>,
    ) -> Result<Option<Graph>> {
        let (code, plan) = (frame.code, frame.plan());
        let mut again = Frame::with(code, ctx.consts(self.code.len() - 1), frame.take());
        again.sizes.enter(plan, syms);
        for (&p, there) in plan.params.iter().zip(held.iter()) {
            let strides = frame.strides(p).to_vec();
            again.set(p, there.map_or_else(Ptr::default, |t| t.1), &strides);
        }
        let mut results = vec![];
        let recorded = self.device.record(&mut || {
            again.block(ctx, &plan.body)?;
            results = self.results(&mut again, ctx)?;
            Ok(())
        });
        match recorded {
            Ok(Some(recorded)) => {
                let args = held.drain(..).map(|t| t.map(|t| t.0)).collect();
                Ok(Some(Graph { recorded, held: again.take(), args, results }))
            }
            other => {
                again.release(ctx);
                other.map(|_| None)
            }
        }
    }
}
/// Where there was no memory: what has it.
fn with_buffers(e: Error, frame: &Frame) -> Error {
    match e.data().code {
        Code::E0705 | Code::E0715 => e.note(frame.table()),
        _ => e,
    }
}
/// A tensor's elements on the device, as they lie: the allocation, and its first element. `None` where it has none.
pub(crate) fn upload(device: &dyn Device, t: &Tensor) -> Result<Option<(Ptr, Ptr)>> {
    let (bytes, first) = bytes_of(t);
    if bytes.is_empty() {
        return Ok(None);
    }
    let p = device.alloc(bytes.len())?;
    match device.upload(p, &bytes) {
        Ok(()) => Ok(Some((p, p.at(first)))),
        Err(e) => {
            device.free(p);
            Err(e)
        }
    }
}
impl Executable for Program {
    fn run(&self, args: &[Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.go(&args.iter().collect::<Vec<_>>(), limits)
    }
    fn run_on(&self, args: &[&Tensor], limits: &Limits) -> Result<Vec<Tensor>> {
        self.go(args, limits)
    }
    fn describe(&self) -> String {
        described(&self.code, &self.source, self.predict)
    }
    fn any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }
    fn peak_bytes(&self) -> Option<usize> {
        Some(*self.peak.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
