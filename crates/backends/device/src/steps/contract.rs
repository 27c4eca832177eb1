//! Products, by a library where the device has one that takes their loops, else by a kernel of tiles ([`Frame::dot`]); what is added to
//! one, by the same call where that can be.
use tfc_ir::Result;
use tfc_plan::plan::{Dot, KernelStep, Slot};

use super::{Site, Step};
use crate::run::frame::{Ctx, Frame};

/// Multiplications up to which a product may be computed for more of an extent than there is.
const MOST_PADDED: usize = 1 << 20;
/// Rows and columns of the tiles of a product.
pub const TILE: u32 = 16;

/// The number of loops of a product: rows, columns, contracted, batch.
pub fn dot_loops(d: &Dot) -> [usize; 4] {
    [d.free[0].len().max(1), d.free[1].len().max(1), d.contract[0].len().max(1), d.batch[0].len().max(1)]
}
/// What the name of a product's kernel ends with, by the operands that it conjugates.
pub fn conjugated(conj: [bool; 2]) -> &'static str {
    match conj {
        [false, false] => "",
        [true, false] => "_conj_left",
        [false, true] => "_conj_right",
        [true, true] => "_conj_both",
    }
}
/// A product. Its kernel takes both operands, the result, and loops over rows, columns, what is contracted and the batch.
pub struct Product {
    /// What is multiplied.
    pub dot: Dot,
    /// Name of the kernel.
    pub kernel: String,
    /// What conjugates an operand for a library, where one is conjugated.
    pub conjugate: Option<String>,
}
impl Product {
    /// What a step multiplies.
    ///
    /// # Errors
    /// `E0718` where it is no product.
    pub fn what(site: &Site) -> Result<Dot> {
        Dot::of(&site.plan.func, site.step)
    }
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
