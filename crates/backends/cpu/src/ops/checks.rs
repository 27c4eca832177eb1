//! What says or asserts something: extents as values, `check` and its kin, `print`.
use std::sync::Arc;

use tfc_ir::{Attr, Code, Result, ops};

use super::{Rows, misfit};
use crate::kernel::{Kernel, KernelCx, Site};
use tfc_engine::{Printed, check};

/// Kernels of these rows.
pub(crate) const CORE: Rows = &[
    (&ops::extents::DIM_VALUE, |_| Ok(Arc::new(DimValue))),
    (&ops::extents::CHECK, |s| Ok(Arc::new(Check { message: text(s), code: check::code(s.attrs()) }))),
    (&ops::extents::CHECK_EQUAL, |s| compare(s, true)),
    (&ops::extents::CHECK_CLOSE, |s| compare(s, false)),
    (&ops::extents::PRINT, |s| Ok(Arc::new(Print(s.attrs().into())))),
];

fn text(site: &Site) -> Arc<str> {
    let mut all = site.attrs().iter();
    all.find_map(|(_, a)| if let Attr::Str(s) = a { Some(s.clone()) } else { None }).unwrap_or_default()
}
fn compare(site: &Site, exact: bool) -> Result<Arc<dyn Kernel>> {
    let a = site.attrs();
    let float = |k: &str| match a.get(k) {
        Some(Attr::Float(x)) => *x,
        Some(Attr::Int(x)) => *x as f64,
        _ => 0.0,
    };
    let ulp = a.get("ulp").map(|_| a.int("ulp"));
    Ok(Arc::new(Compare { atol: float("atol"), rtol: float("rtol"), ulp, exact }))
}

/// An extent as a value.
#[derive(Debug)]
struct DimValue;
impl Kernel for DimValue {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let Some((_, exts)) = cx.step.exts.first() else { return Err(misfit(&cx.site())) };
        let (frame, plan, _, _, dsts) = cx.all();
        let (&[e, ..], &[dst]) = (&exts[..], dsts) else { return Err(misfit(&cx.site())) };
        let v = frame.ext(plan, e)?;
        // SAFETY: the slot is a placed i64 scalar.
        unsafe { frame.ptr[dst as usize].0.cast::<i64>().write(v) };
        Ok(())
    }
}
/// The operand must be true everywhere.
#[derive(Debug)]
struct Check {
    message: Arc<str>,
    code: Code,
}
impl Kernel for Check {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        check::all_true(&cx.tensor(0)?, self.code, &self.message)
    }
}
/// `check_equal` and `check_close`.
#[derive(Debug)]
struct Compare {
    atol: f64,
    rtol: f64,
    ulp: Option<i64>,
    exact: bool,
}
impl Kernel for Compare {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        check::compare(&cx.tensor(0)?, &cx.tensor(1)?, self.atol, self.rtol, self.ulp, self.exact)
    }
}
#[derive(Debug)]
struct Print(Printed);
impl Kernel for Print {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let print = cx.ctx.opt.print.clone();
        print.map_or(Ok(()), |p| p.print(&self.0, || cx.tensor(0)))
    }
}
