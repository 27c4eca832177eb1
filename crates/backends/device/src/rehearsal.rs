//! A call without a device: a plan runs on one that computes nothing, so that it is seen which walk each of its regions takes. What the
//! host would read is zero: where it decides by that, only one way is seen.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use tfc_engine::Limits;
use tfc_engine::shapes::enter;
use tfc_ir::{Code, Error, Result};

use crate::device::{Arg, Device, Module, Ptr, Shape};
use crate::program::{CompiledFunction, entry};
use crate::run::frame::{Ctx, Frame, Memory};
use crate::text::Source;

/// Trips of loops that are rehearsed.
const FUEL: u64 = 1000;

/// A kernel that a region starts.
#[derive(Clone, PartialEq, Debug)]
pub struct Taken {
    /// Name of the kernel.
    pub kernel: String,
    /// How it walks, in words.
    pub walk: String,
    /// Threads of a block.
    pub block: u32,
    /// Bytes that it reads and writes.
    pub bytes: f64,
}
/// By number of the region.
pub type AllTaken = BTreeMap<u32, Vec<Taken>>;

/// A device that computes nothing.
struct Nothing(AtomicU64);
impl Device for Nothing {
    fn describe(&self) -> String {
        "no device".into()
    }
    fn alloc(&self, bytes: usize) -> Result<Ptr> {
        let room = (bytes as u64).next_multiple_of(256).max(256);
        Ok(Ptr(self.0.fetch_add(room, Ordering::Relaxed)))
    }
    fn free(&self, _: Ptr) {}
    fn upload(&self, _: Ptr, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn download(&self, _: Ptr, to: &mut [u8]) -> Result<()> {
        to.fill(0);
        Ok(())
    }
    fn copy(&self, _: Ptr, _: Ptr, _: usize) -> Result<()> {
        Ok(())
    }
    fn load(&self, _: &Source) -> Result<Box<dyn Module>> {
        Ok(Box::new(Nothing(AtomicU64::new(0))))
    }
}
impl Module for Nothing {
    fn launch(&self, _: &str, _: Shape, _: &[Arg]) -> Result<()> {
        Ok(())
    }
}
/// What the regions of the last function start, as far as it comes: where all its extents are numbers.
pub fn rehearse(all: &[CompiledFunction]) -> AllTaken {
    let mut taken = AllTaken::new();
    // Where it does not come to its end, what was seen is true all the same.
    let _ = run(all, &mut taken);
    taken
}
fn run(all: &[CompiledFunction], taken: &mut AllTaken) -> Result<()> {
    let code = entry(all)?;
    let plan = &code.plan;
    let number = |&e: &u32| plan.exts[e as usize].as_exact().and_then(|n| usize::try_from(n).ok());
    let unknown = || Error::bug(Code::E0718, "an extent that is no number");
    let of = |s: u32| plan.slots[s as usize].dims.iter().map(number).collect::<Option<Vec<_>>>().ok_or_else(unknown);
    let dims = plan.params.iter().map(|&p| of(p)).collect::<Result<Vec<_>>>()?;
    let shapes: Vec<_> =
        plan.params.iter().zip(&dims).map(|(&p, d)| (plan.slots[p as usize].dtype, d.as_slice())).collect();
    let env = enter(&plan.func, &shapes)?;
    let device = Nothing(AtomicU64::new(1 << 20));
    let consts = all.iter().map(|c| c.plan.consts.iter().map(|t| device.alloc(t.len() * 16)).collect());
    let consts = consts.collect::<Result<Vec<Vec<Ptr>>>>()?;
    let limits = Limits::default();
    let mut ctx = Ctx {
        device: &device,
        module: &device,
        all,
        consts: &consts,
        limits: &limits,
        print: None,
        fuel: Some(FUEL),
        memory: Memory::default(),
        waits: 0,
        taken: Some((code, std::mem::take(taken))),
    };
    let mut frame = Frame::new(code, ctx.consts(all.len() - 1));
    frame.sizes.enter(plan, &env.syms);
    for ((&p, (dtype, _)), dims) in plan.params.iter().zip(&shapes).zip(&dims) {
        let mut step = dtype.size();
        let mut strides = vec![];
        for &n in dims {
            strides.push(step as isize);
            step = step.saturating_mul(n.max(1));
        }
        frame.set(p, device.alloc(step)?, &strides);
    }
    let done = frame.block(&mut ctx, &plan.body);
    frame.release(&mut ctx);
    *taken = ctx.taken.take().map(|t| t.1).unwrap_or_default();
    done
}
