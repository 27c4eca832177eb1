//! What the tests share: where a plugin is, and whether results are the same.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::path::{Path, PathBuf};

use tfc_ir::{DType, Tensor};
use tfc_testkit::Need;
use tfc_testkit::samples::differs_by;

/// The plugin that tests use; says it where there is none.
pub fn plugin() -> Option<PathBuf> {
    let named = std::env::var_os(tfc_xla::VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
    let here =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/pjrt/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so");
    let found = named.or_else(|| here.exists().then_some(here));
    if found.is_none() {
        Need::Xla.missing("TFC_PJRT_PLUGIN is not set, and target/pjrt holds no plugin");
    }
    found
}
/// How a result differs: by more than 1e-6 (1e-4 of single precision) beside 1 and the size of what is expected.
pub fn differs(want: &Tensor, got: &Tensor) -> Option<String> {
    let tolerance = match want.dtype() {
        // XLA's compiler may leave out roundings between ops.
        d if d.is_small() => 8.0 * d.epsilon(),
        DType::F32 | DType::C32 => 1e-4,
        _ => 1e-6,
    };
    differs_by(want, got, tolerance)
}
