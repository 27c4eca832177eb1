//! The backend: WGSL as a dialect of kernels, and the adapters that take it.
use std::sync::Arc;

use tfc_device::backend::OnDevice;
use tfc_device::device::Device;
use tfc_device::dialect::Dialect;
use tfc_device::region::{Extents, Form, Site, Walk, forms};
use tfc_device::steps::{Rows, checks, moves as places};
#[cfg(not(feature = "adapters"))]
use tfc_ir::{Code, Error};
use tfc_ir::{DType, Result, ScalarOp};

use crate::ops;
use crate::text::scalar::Functions;
use crate::text::{self, Kernel, moves, region, scalar, takes, type_of};

/// WGSL.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wgsl;
/// Programs as WGSL.
pub type Gpu = OnDevice<Wgsl>;

/// The adapter of that number, or the first that is no software.
///
/// # Errors
/// `E1305` there is none, or this build has none.
pub fn adapter_named(name: Option<&str>) -> Result<Arc<dyn Device>> {
    #[cfg(feature = "adapters")]
    return Ok(crate::device::Adapter::shared(name)?);
    #[cfg(not(feature = "adapters"))]
    Err(Error::new(Code::E1305, format!("this build has no GPU adapters, and so not `{}`", name.unwrap_or("0")))
        .help("the crate's feature `adapters` brings them"))
}

impl Dialect for Wgsl {
    const BACKEND: &'static str = "gpu";
    const INSTEAD: &'static str = "cpu";
    /// Vulkan on processors binds 32 buffers; few adapters bind less.
    const MOST_OPERANDS: usize = 32;
    type Functions = Functions;

    /// The one that the variable `TFC_GPU_DEVICE` names.
    fn of_environment() -> Result<Arc<dyn Device>> {
        adapter_named(std::env::var("TFC_GPU_DEVICE").ok().as_deref())
    }
    fn takes(d: DType) -> bool {
        takes(d)
    }
    fn element(d: DType) -> &'static str {
        type_of(d)
    }
    fn literal(bytes: [u8; 16], d: DType) -> String {
        scalar::literal(bytes, d)
    }
    fn apply(f: &mut Functions, op: ScalarOp, args: &[(&str, DType)], to: DType) -> Result<String> {
        f.apply(op, args, to)
    }
    fn let_(d: DType, name: &str, value: &str) -> String {
        format!("let {name} = {};", text::typed(value, d))
    }
    fn read(d: DType, name: &str, place: &str) -> String {
        text::read(d, name, place)
    }
    fn bits(x: &str, from: DType, to: DType) -> Option<String> {
        (from.size() == to.size() && from != DType::Bool).then(|| format!("bitcast<{}>({x})", type_of(to)))
    }
    fn functions(of: &Functions) -> String {
        of.text()
    }
    /// Rows stay in memory: registers of threads that nobody knows are not counted on.
    fn forms(site: &Site, extents: Extents) -> Vec<Form> {
        forms(site, extents).into_iter().filter(|f| matches!(f.walk, Walk::Elements | Walk::Teams)).collect()
    }
    fn region(site: &Site, form: Form, name: String, functions: &mut Functions) -> Result<Kernel> {
        region::kernel(site, form, name, functions)
    }
    fn copy(walk: Walk, size: usize, rank: usize) -> Option<Kernel> {
        if walk == Walk::Elements { moves::copy(size, rank) } else { None }
    }
    fn core() -> Vec<Rows<Wgsl>> {
        let mut all = ops::core();
        all.extend([places::core(), checks::core()]);
        all
    }
}
