//! The interface of the engine: compile a function, run it.
use std::collections::HashMap;
use std::sync::Arc;

use tfc_ir::{Attrs, Data, FuncId, Module, OpDef, Result, Tensor};

use super::frame::{Ctx, Frame, Memory, holds};
use super::lower::lower;
use super::plan::*;
use super::pool::Pool;

/// A kernel over whole tensors: attributes and operands to results, whose shapes must be those of the op's types.
pub type Kernel = fn(&Attrs, &[Tensor]) -> Result<Vec<Tensor>>;

/// Kernels for ops of families that the engine does not know, by row.
#[derive(Clone, Debug, Default)]
pub struct Kernels(HashMap<usize, Kernel>);
impl Kernels {
    /// None.
    pub fn new() -> Kernels {
        Kernels::default()
    }
    /// With a kernel for that row.
    pub fn with(mut self, row: &'static OpDef, k: Kernel) -> Kernels {
        self.0.insert(std::ptr::from_ref(row) as usize, k);
        self
    }
    /// The kernel of a row.
    pub fn get(&self, row: &'static OpDef) -> Option<Kernel> {
        self.0.get(&(std::ptr::from_ref(row) as usize)).copied()
    }
}

/// The backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;
impl Cpu {
    /// Compiles a function whose derivative ops have been expanded. The result serves every value of its extents.
    ///
    /// # Errors
    /// `E0801` an op, or a scalar function of these dtypes, without a kernel; `E0717` data that has not been loaded.
    pub fn compile(m: &Module, f: FuncId, options: &CompileOptions) -> Result<Executable> {
        let plan = Arc::new(lower(m, f, options, false)?);
        let frame = Frame::new(&plan);
        Ok(Executable { frame, plan, pool: Pool::new(options.threads), memory: Memory::default() })
    }
}

/// A compiled function with the memory it works in.
#[derive(Debug)]
pub struct Executable {
    plan: Arc<Plan>,
    frame: Frame,
    pool: Pool,
    memory: Memory,
}
impl Executable {
    /// Runs the function. Buffers stay allocated for the next call; results that are views of arguments share them.
    ///
    /// # Errors
    /// `E0701`–`E0704` arguments that do not fit, `E042x` a condition on extents, `E0705` and `E0715` memory, other `E07xx`
    /// what ops report. The error's span is the statement's.
    pub fn run(&mut self, args: &[Tensor], options: &RunOptions) -> Result<Vec<Tensor>> {
        let plan = self.plan.clone();
        let shapes: Vec<_> = args.iter().map(|t| (t.dtype(), t.shape())).collect();
        let env = crate::interp::shapes::enter(&plan.func, &shapes)?;
        self.frame.enter(&plan, &env.syms);
        for (i, (&p, t)) in plan.params.iter().zip(args).enumerate() {
            debug_assert_eq!(plan.slots[p as usize].place, Place::Arg(i as u32));
            self.frame.ptr[p as usize] = super::mem::tensor_ptr(t);
            let (at, size) = (plan.slots[p as usize].at as usize, t.dtype().size() as isize);
            for (a, s) in t.strides().iter().enumerate() {
                self.frame.strides[at + a] = s * size;
            }
        }
        self.memory.limit = options.memory;
        self.memory.peak = self.memory.now;
        let mut ctx = Ctx { pool: &self.pool, opt: options, mem: &mut self.memory };
        let done = self.frame.block(&plan, &mut ctx, &plan.body);
        let results = done.and_then(|()| self.frame.check_header(&plan)).and_then(|()| self.results(&plan, args));
        // Escaped storages now belong to the caller, or to nobody.
        let held: usize = self.frame.outs.iter_mut().map(|o| o.take().map_or(0, |b| b.bytes())).sum();
        self.memory.now = self.memory.now.saturating_sub(held + self.memory.handed);
        self.memory.handed = 0;
        results
    }
    fn results(&mut self, plan: &Plan, args: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut taken: HashMap<Store, Data> = HashMap::new();
        let mut out = vec![];
        for (&s, homes) in plan.results.iter().zip(&plan.homes) {
            let n = self.frame.len(plan, s)?;
            let (d, dims) = (&plan.slots[s as usize], self.frame.dims(plan, s).to_vec());
            if n == 0 {
                out.push(Tensor::zeros(d.dtype, &dims)?);
                continue;
            }
            let (p, size) = (self.frame.ptr[s as usize], d.dtype.size() as isize);
            let strides: Vec<isize> = self.frame.strides(plan, s).iter().map(|x| x / size).collect();
            let mut found = None;
            for h in homes {
                match *h {
                    Place::Arg(i) => {
                        let t = args.get(i as usize).filter(|t| t.dtype() == d.dtype);
                        found = t.and_then(|t| Some((t.data().clone(), holds(t, p)?)));
                    }
                    Place::Const(i) => {
                        let t = plan.consts.get(i as usize).filter(|t| t.dtype() == d.dtype);
                        found = t.and_then(|t| Some((t.data().clone(), holds(t, p)?)));
                    }
                    // A result that reads a storage as another element type is copied.
                    Place::Own(r) if plan.stores[r as usize].dtype == d.dtype => {
                        if let Some(b) = &self.frame.outs[r as usize]
                            && let Some(at) = b.position(p)
                            && let Some(b) = self.frame.outs[r as usize].take()
                        {
                            self.memory.handed += b.bytes();
                            // SAFETY: the plan's steps write every element of a storage that a result lies in.
                            let data = unsafe { b.finish() };
                            taken.insert(r, data.clone());
                            found = Some((data, at));
                        } else if let Some(data) = taken.get(&r) {
                            let whole = super::mem::data_view(data.clone());
                            found = holds(&whole, p).map(|at| (data.clone(), at));
                        }
                    }
                    _ => {}
                }
                if found.is_some() {
                    break;
                }
            }
            out.push(match found {
                Some((data, at)) => Tensor::view(data, dims, strides, at),
                None => self.frame.tensor(plan, s)?,
            });
        }
        Ok(out)
    }
    /// Most bytes that the last call had allocated at one time, arguments not counted.
    pub fn peak_bytes(&self) -> usize {
        self.memory.peak
    }
    /// The plan as text: steps, slots, sizes as extent expressions.
    pub fn describe(&self) -> String {
        super::describe::describe(&self.plan)
    }
    /// Gives the buffers back.
    pub fn release(&mut self) {
        self.frame = Frame::new(&self.plan);
        self.memory = Memory::default();
    }
}
