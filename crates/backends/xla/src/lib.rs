//! Programs run by XLA, or whatever else stands behind a plugin of the PJRT C API.
//!
//! [`Xla`] is a backend: a function becomes StableHLO text (`tfc-stablehlo`), which a plugin compiles and runs.
//!
//! * **The plugin is a file** that is loaded when it is first needed ([`Xla::new`]); nothing of XLA is needed to build this crate.
//!   Before anything of it is used, its version and the size of its table of functions are looked at.
//! * **Shapes are known to XLA.** A function is compiled for the values of its symbols when it is first called with them; the last
//!   16 of a function are kept. An axis whose extent values decide is as long as it can get, and cut when the results are there.
//! * **Checks and prints** are results of what the plugin runs, and become errors and prints when it has: the first check that
//!   does not hold is the error, with the code and the message that it has everywhere.
//! * **Many devices** ([`Xla::sharded`]): arguments are cut as shardings say, one part for each device of a mesh; results are put
//!   together, and what is whole everywhere has to be the same everywhere.
//! * **Tensors are not turned.** Strides go to the plugin as they are; an argument whose last axis is fastest may be used where
//!   it lies. Results have their last axis fastest.
//!
//! What the exporter refuses is refused here, by the same error.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod ffi;
mod program;
mod proto;

use std::path::PathBuf;

use tfc_engine::{Backend, Executable, Options};
use tfc_ir::{Code, Error, FuncId, Module, OpDef, Result, Tensor};
use tfc_stablehlo::{Shardings, Spelling, Spellings};

use ffi::{Client, HOW};
pub use proto::Collective;

/// The variable that says where the plugin is.
pub const VARIABLE: &str = "TFC_PJRT_PLUGIN";

/// A backend that is a PJRT plugin.
#[derive(Clone, Debug, Default)]
pub struct Xla {
    table: Spellings,
    plugin: Option<PathBuf>,
    shardings: Option<Shardings>,
}
/// What a plugin says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// File of the plugin, and the versions of the PJRT C API and of StableHLO that the plugin speaks.
    pub plugin: String,
    /// What it runs on, and the version of that.
    pub platform: String,
    /// The devices that this process can use. The first runs programs.
    pub devices: Vec<String>,
}

impl Xla {
    /// By the plugin in that file, or the one that [`VARIABLE`] names; ops are written as the table says. Nothing is loaded yet.
    pub fn new(table: Spellings, plugin: Option<PathBuf>) -> Xla {
        let named = || std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
        Xla { table, plugin: plugin.filter(|p| !p.as_os_str().is_empty()).or_else(named), shardings: None }
    }
    /// The same on many devices, whatever programs say of them: arguments are cut over a mesh, XLA's partitioner does the rest, and
    /// results are put together. A program that has a mesh of its own runs so without this.
    pub fn sharded(self, shardings: Option<Shardings>) -> Xla {
        Xla { shardings, ..self }
    }
    /// The file, where one is named.
    pub fn plugin(&self) -> Option<&PathBuf> {
        self.plugin.as_ref()
    }
    fn client(&self, shardings: Option<&Shardings>) -> Result<&'static Client> {
        let path = self.plugin.as_ref().ok_or_else(|| Error::new(Code::E1110, "no PJRT plugin is named").help(HOW))?;
        Client::of(path, shardings.map_or(1, Shardings::devices))
    }
    /// Compiles StableHLO text and runs its `@main` on these, with nothing of this project's language in between: results are as
    /// the text has them.
    ///
    /// # Errors
    /// `E1110`–`E1112` of the plugin, which also says what is wrong with the text; `E1113` a run that fails.
    pub fn run_text(&self, text: &str, args: &[Tensor]) -> Result<Vec<Tensor>> {
        self.client(None)?.compile(text, 1)?.run(&args.iter().collect::<Vec<_>>())
    }
    /// What the plugin says of itself, once it is loaded.
    ///
    /// # Errors
    /// `E1110` no plugin is named, or it cannot be loaded; `E1111` it is none that this build can talk to; `E1112` it does not
    /// start.
    pub fn about(&self) -> Result<About> {
        let c = self.client(self.shardings.as_ref())?;
        Ok(About {
            plugin: c.plugin().describe(),
            platform: c.platform().to_owned(),
            devices: c.devices().map(str::to_owned).collect(),
        })
    }
}
impl Backend for Xla {
    fn name(&self) -> &'static str {
        "xla"
    }
    /// Composites that StableHLO has stay whole.
    fn lowers(&self) -> bool {
        true
    }
    fn device(&self, _: usize) -> String {
        match self.about() {
            Ok(a) => {
                let first = a.devices.first().map_or(&*a.platform, |d| d);
                match self.shardings.as_ref().map(Shardings::devices) {
                    Some(n) => format!("xla, {n} devices from {first} on"),
                    None => format!("xla, {first}"),
                }
            }
            Err(_) => "xla, no plugin".into(),
        }
    }
    fn has(&self, row: &OpDef) -> bool {
        matches!(self.table.of(row), Some(Spelling::Is(_)))
    }
    fn runs(&self, m: &Module, f: FuncId) -> bool {
        let syms = m.try_func(f).map_or(0, |f| f.syms.len());
        program::text(m, f, &vec![4; syms], &self.table, None).is_ok()
    }
    /// Compiles a function; one with symbols when it is first called.
    ///
    /// # Errors
    /// `E1110`–`E1112` of the plugin; what passes and the exporter report.
    fn compile(&self, m: Module, f: FuncId, _: &Options) -> Result<Box<dyn Executable>> {
        let shardings = Shardings::of(&m, f, self.shardings.as_ref())?;
        let client = self.client(shardings.as_ref())?;
        Ok(Box::new(program::Program::new(client, m, f, (self.table.clone(), shardings))?))
    }
}

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod inside {
    pub use crate::proto::tests as proto;
    pub use tfc_pjrt_abi::inside as abi;
}
