//! What the tests share: where a plugin is, and whether results are the same.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use std::path::{Path, PathBuf};

use tfc_ir::{C64, DType, Tensor};
use tfc_testkit::Need;

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
fn numbers(t: &Tensor) -> Vec<C64> {
    let re = |x: f64| C64::new(x, 0.0);
    match t.dtype() {
        d if d.is_float() => t.reals().unwrap().into_iter().map(re).collect(),
        DType::C32 => {
            t.to_logical().unwrap().into_iter().map(|x: tfc_ir::C32| C64::new(x.re.into(), x.im.into())).collect()
        }
        _ => t.to_logical().unwrap(),
    }
}
/// How a result differs: by more than 1e-6 (1e-4 of single precision) beside 1 and the size of what is expected.
pub fn differs(want: &Tensor, got: &Tensor) -> Option<String> {
    if want.dtype() != got.dtype() || want.shape() != got.shape() {
        return Some(format!("{}{:?}, not {}{:?}", got.dtype(), got.shape(), want.dtype(), want.shape()));
    }
    if !want.dtype().is_inexact() {
        return (!want.same(got)).then(|| format!("{got:?}, not {want:?}"));
    }
    let tolerance = match want.dtype() {
        // XLA's compiler may leave out roundings between ops.
        d if d.is_small() => 8.0 * d.epsilon(),
        DType::F32 | DType::C32 => 1e-4,
        _ => 1e-6,
    };
    let nan = |z: &C64| z.re.is_nan() || z.im.is_nan();
    let same = |w: &C64, g: &C64| w == g || (nan(w) && nan(g)) || (w - g).norm() <= tolerance * (1.0 + w.norm());
    let (w, g) = (numbers(want), numbers(got));
    let at = w.iter().zip(&g).position(|(w, g)| !same(w, g))?;
    Some(format!("element {at} in logical order is {}, not {}", g[at], w[at]))
}
