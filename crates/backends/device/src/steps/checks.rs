//! What says or asserts something: extents as values, `check` and its kin, `print`. The host looks at the values.
use std::sync::Arc;

use tfc_engine::{Printed, check};
use tfc_ir::{Attr, Code, Result, ops};
use tfc_plan::plan::KernelStep;

use super::{Rows, Site, Step, misfit};
use crate::dialect::Dialect;
use crate::run::frame::{Ctx, Frame};

/// The rows that say or assert something.
pub fn core<D: Dialect>() -> Rows<D> {
    vec![
        (&ops::extents::DIM_VALUE, |_, _| Ok(Box::new(DimValue))),
        (&ops::extents::CHECK, |s, _| Ok(Box::new(Check { message: text(s), code: check::code(s.attrs()) }))),
        (&ops::extents::CHECK_EQUAL, |s, _| compare(s, true)),
        (&ops::extents::CHECK_CLOSE, |s, _| compare(s, false)),
        (&ops::extents::PRINT, |s, _| Ok(Box::new(Print(s.attrs().into())))),
    ]
}

fn text(site: &Site) -> Arc<str> {
    let mut all = site.attrs().iter();
    all.find_map(|(_, a)| if let Attr::Str(s) = a { Some(s.clone()) } else { None }).unwrap_or_default()
}
fn compare(site: &Site, exact: bool) -> Result<Box<dyn Step>> {
    let a = site.attrs();
    let float = |k: &str| match a.get(k) {
        Some(Attr::Float(x)) => *x,
        Some(Attr::Int(x)) => *x as f64,
        _ => 0.0,
    };
    let ulp = a.get("ulp").map(|_| a.int("ulp"));
    Ok(Box::new(Compare { atol: float("atol"), rtol: float("rtol"), ulp, exact }))
}
struct DimValue;
impl Step for DimValue {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (Some((_, exts)), &[dst]) = (step.exts.first(), &step.dsts[..]) else { return Err(misfit()) };
        let &[e, ..] = &exts[..] else { return Err(misfit()) };
        let v = frame.sizes.ext(frame.plan(), e)?;
        ctx.device.upload(frame.ptr[dst as usize], &v.to_le_bytes())
    }
}
struct Check {
    message: Arc<str>,
    code: Code,
}
impl Step for Check {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let &[x, ..] = &step.args[..] else { return Err(misfit()) };
        check::all_true(&frame.tensor(ctx, x)?, self.code, &self.message)
    }
}
struct Compare {
    atol: f64,
    rtol: f64,
    ulp: Option<i64>,
    exact: bool,
}
impl Step for Compare {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let &[x, y, ..] = &step.args[..] else { return Err(misfit()) };
        let (x, y) = (frame.tensor(ctx, x)?, frame.tensor(ctx, y)?);
        check::compare(&x, &y, self.atol, self.rtol, self.ulp, self.exact)
    }
}
struct Print(Printed);
impl Step for Print {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let &[x, ..] = &step.args[..] else { return Err(misfit()) };
        let print = ctx.print.clone();
        print.map_or(Ok(()), |p| p.print(&self.0, || frame.tensor(ctx, x)))
    }
}
