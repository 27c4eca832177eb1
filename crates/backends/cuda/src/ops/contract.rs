//! Products ([`Product`]): their kernels.
use tfc_device::steps::contract::Product;
use tfc_ir::{Result, ops};

use super::{Rows, Site, Step};
use crate::program::Texts;
use crate::text::moves;

pub(super) const CORE: Rows = &[(&ops::contract::DOT_GENERAL, product)];

fn product(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let dot = Product::what(site)?;
    let kernel = moves::dot(site.plan, &dot, &mut texts.functions)?;
    let kernel = texts.add(kernel);
    let dtype = site.plan.slots[dot.out as usize].dtype;
    let mut conjugate = None;
    if dtype.is_complex() && dot.conj.contains(&true) {
        let k = moves::conjugate(dtype, &mut texts.functions)?;
        conjugate = Some(texts.add(k));
    }
    Ok(Box::new(Product { dot, kernel, conjugate }))
}
