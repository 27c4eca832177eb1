//! What tests need of a machine besides a Rust toolchain. A test that cannot run says so, and fails where it was meant to
//! run: `TFC_REQUIRE=cxx,nvrtc` names what has to be there.
use std::fmt::Display;

/// What a test may need, by the names that `TFC_REQUIRE` lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// `cc`: a C compiler.
    C,
    /// `cxx`: a C++ compiler.
    Cxx,
    /// `nvrtc`: the library that compiles CUDA C.
    Nvrtc,
    /// `gpu`: an adapter of Vulkan, Metal or Direct3D 12.
    Gpu,
    /// `xla`: a PJRT plugin.
    Xla,
    /// `cases`: the folder of exported cases that other tests write.
    Cases,
    /// `suites`: the conformance suites that lie beside the project.
    Suites,
}
impl Need {
    /// The name in `TFC_REQUIRE`.
    pub fn name(self) -> &'static str {
        match self {
            Need::C => "cc",
            Need::Cxx => "cxx",
            Need::Nvrtc => "nvrtc",
            Need::Gpu => "gpu",
            Need::Xla => "xla",
            Need::Cases => "cases",
            Need::Suites => "suites",
        }
    }
    /// Says that a test is skipped because this is missing.
    ///
    /// # Panics
    /// Where `TFC_REQUIRE` names it.
    #[track_caller]
    #[allow(clippy::panic, reason = "it fails the test that calls it")]
    pub fn missing(self, why: impl Display) {
        let required = std::env::var("TFC_REQUIRE").unwrap_or_default();
        if required.split(',').any(|r| r.trim() == self.name()) {
            panic!("TFC_REQUIRE names `{}`: {why}", self.name());
        }
        println!("skipped: {why}");
    }
    /// What was found; none, said aloud, where it is missing.
    ///
    /// # Panics
    /// Where `TFC_REQUIRE` names it.
    #[track_caller]
    pub fn found<T, E: Display>(self, found: Result<T, E>) -> Option<T> {
        found.map_err(|e| self.missing(e)).ok()
    }
}
