//! Products: their kernels.
use tfc_device::steps::contract::Product;
use tfc_ir::ops;

use super::{Made, Rows, Site, Wgsl, Written};
use crate::text::moves;

pub(super) fn core() -> Rows<Wgsl> {
    vec![(&ops::contract::DOT_GENERAL, product)]
}
fn product(site: &Site, texts: Written) -> Made {
    let dot = Product::what(site)?;
    let kernel = moves::dot(site.plan, &dot, &mut texts.functions)?;
    Ok(Box::new(Product { dot, kernel: texts.add(kernel), conjugate: None }))
}
