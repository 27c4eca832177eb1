//! The backend: CUDA C as a dialect of kernels, and the devices that take it.
use std::sync::Arc;

use tfc_device::backend::OnDevice;
pub use tfc_device::backend::Program;
use tfc_device::dialect::Dialect;
use tfc_device::program::CompiledFunction;
use tfc_device::region::{Form, PACK, Site, Walk};
use tfc_device::rehearsal::AllTaken;
use tfc_device::steps::{Rows, checks, moves as places};
use tfc_ir::{Code, DType, Error, Result, ScalarOp};

use crate::device::Device;
use crate::driver::real::Real;
use crate::driver::stub::Stub;
use crate::driver::{Driver, Least};
use crate::host::Host;
use crate::text::scalar::{Functions, bits, ctype, literal};
use crate::text::{Kernel, Source, moves, region};
use crate::{model, ops};

/// The variable that says which device runs kernels: its number, `host` (this machine), or `stub` (this machine behind the functions
/// of a driver, with stand-ins for libraries).
pub const VARIABLE: &str = "TFC_CUDA_DEVICE";

/// The device of that name.
///
/// # Errors
/// `E1305` there is none; `E1301` what it needs is not there.
pub fn device_named(name: Option<&str>) -> Result<Arc<dyn Device>> {
    match name.unwrap_or("0") {
        "host" => Ok(Arc::new(Host::new()?)),
        "stub" => Ok(Arc::new(Driver::new(Stub::new()?, Least::ALL))),
        number => match number.parse() {
            Ok(n) => Ok(Arc::new(Driver::new(Real::new(n)?, Least::USUAL))),
            Err(_) => Err(Error::new(Code::E1305, format!("`{number}` is no CUDA device")).help(format!(
                "{VARIABLE} is the number of a device; `host` runs kernels on this machine, under watch"
            ))),
        },
    }
}

/// CUDA C.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpp;
/// Programs as CUDA kernels.
pub type Cuda = OnDevice<Cpp>;

impl Dialect for Cpp {
    const BACKEND: &'static str = "cuda";
    const INSTEAD: &'static str = "cpu or xla";
    type Functions = Functions;

    /// The one that [`VARIABLE`] names.
    fn of_environment() -> Result<Arc<dyn Device>> {
        device_named(std::env::var(VARIABLE).ok().as_deref())
    }
    fn functions(of: &Functions) -> String {
        of.text()
    }
    fn element(d: DType) -> &'static str {
        ctype(d)
    }
    fn literal(bytes: [u8; 16], d: DType) -> String {
        literal(bytes, d)
    }
    fn apply(f: &mut Functions, op: ScalarOp, args: &[(&str, DType)], to: DType) -> Result<String> {
        f.apply(op, args, to)
    }
    fn let_(d: DType, name: &str, value: &str) -> String {
        format!("const {} {name} = {value};", ctype(d))
    }
    fn read(_: DType, name: &str, place: &str) -> String {
        format!("{name}({place})")
    }
    fn bits(x: &str, from: DType, to: DType) -> Option<String> {
        bits(x, from, to)
    }
    fn region(site: &Site, form: Form, name: String, functions: &mut Functions) -> Result<Kernel> {
        region::kernel(site, form, name, functions)
    }
    fn copy(walk: Walk, size: usize, rank: usize) -> Option<Kernel> {
        match walk {
            Walk::Elements => Some(moves::copy(size, rank)),
            Walk::Packs if size < PACK => Some(moves::copy_packs(size, rank)),
            Walk::Tiles => Some(moves::copy_tiles(size, rank)),
            _ => None,
        }
    }
    fn core() -> Vec<Rows<Cpp>> {
        let own = ops::CORE.iter().map(|rows| rows.to_vec());
        own.chain([places::core(), checks::core()]).collect()
    }
    fn predicted(code: &CompiledFunction, taken: &AllTaken, source: &Source) -> String {
        model::table(code, taken, source)
    }
}
