//! Products, by a library where the device has one that takes their loops, else by a kernel of tiles ([`Frame::dot`]); what is added to
//! one, by the same call where that can be.
use tfc_ir::{Result, ops};
use tfc_plan::plan::{Dot, KernelStep, Slot};

use super::{Rows, Site, Step};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::text::moves;

/// Multiplications up to which a product may be computed for more of an extent than there is.
const MOST_PADDED: usize = 1 << 20;

pub(super) const CORE: Rows = &[(&ops::contract::DOT_GENERAL, product)];

/// A product.
pub(crate) struct Product {
    pub(crate) dot: Dot,
    /// Name of the kernel.
    pub(crate) kernel: String,
    /// What conjugates an operand for a library, where one is conjugated.
    pub(crate) conjugate: Option<String>,
}
fn product(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let dot = Dot::of(&site.plan.func, site.step)?;
    let kernel = moves::dot(site.plan, &dot, &mut texts.source.functions)?;
    let kernel = texts.add(kernel);
    let dtype = site.plan.slots[dot.out as usize].dtype;
    let mut conjugate = None;
    if dtype.is_complex() && dot.conj.contains(&true) {
        let k = moves::conjugate(dtype, &mut texts.source.functions)?;
        conjugate = Some(texts.add(k));
    }
    Ok(Box::new(Product { dot, kernel, conjugate }))
}
impl Step for Product {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        frame.dot(ctx, self, step.then.as_deref())
    }
    /// Rows, columns and products of a batch have nothing to do with each other; where there are few of them.
    fn pads(&self, frame: &Frame, _: &KernelStep, more: &dyn Fn(Slot, usize) -> bool) -> bool {
        let d = &self.dot;
        let summed = d.contract[0].iter().map(|&a| frame.dims(d.args[0])[a]);
        let all = frame.dims(d.out).iter().copied().chain(summed).fold(1, usize::saturating_mul);
        all <= MOST_PADDED && d.args.iter().zip(&d.contract).all(|(&s, axes)| axes.iter().all(|&a| !more(s, a)))
    }
    fn product(&self) -> Option<(&Dot, &str)> {
        Some((&self.dot, &self.kernel))
    }
}
