//! Texts: each module is what wgpu's own reader takes, and a person can read one. No adapter is needed.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tfc_engine::Backend;
use tfc_gpu::Gpu;
use tfc_gpu::text::{GROUP, module};
use tfc_ir::OpSet;
use tfc_testkit::samples::{cases, ready};

fn modules(text: &str) -> Vec<String> {
    let m = tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(OpSet::core())).unwrap().module;
    let f = m.find("f").unwrap();
    let (m, f) = ready(&m, f).unwrap();
    let source = Gpu::of_environment().source(&[(&m, f)], false).unwrap();
    let own = source.kernels.iter().filter(|k| !k.name.starts_with("copy_"));
    own.map(|k| module(k, &source.functions)).collect()
}
/// What is wrong with a module, as naga says it.
fn fault(text: &str) -> Option<String> {
    let parsed = match naga::front::wgsl::parse_str(text) {
        Ok(m) => m,
        Err(e) => return Some(e.emit_to_string(text)),
    };
    // WebGPU's own capabilities: nothing that an adapter may lack.
    let mut check =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    check.validate(&parsed).err().map(|e| e.emit_to_string(text))
}

#[test]
fn a_region_can_be_read() {
    let text = "tfir 1.0
export func @f<n, m>(%x: f32[n, m], %w: f32[m]) -> (y: f32[n, m], s: f32[n]) {
  %b: f32[n, m] = broadcast_in_dim(%w, dims = [1])
  %p: f32[n, m] = mul(%x, %b)
  %q: f32[n, m] = add(%p, %x)
  %y: f32[n, m] = sqrt(%q)
  %s: f32[n] = reduce_sum(%y, axes = [1])
  return %y, %s
}";
    insta::assert_snapshot!(modules(text).join("\n"));
}
#[test]
fn modules_of_all_samples_are_valid() {
    let (gpu, only) = (Gpu::of_environment(), std::env::var("TFC_ROW").ok());
    let (mut seen, mut wrong, mut without) = (BTreeSet::new(), vec![], BTreeMap::<String, usize>::new());
    for c in cases(&Arc::new(OpSet::core()), only.as_deref()) {
        match gpu.source(&[(&c.module, c.func)], false) {
            Ok(source) => {
                for k in &source.kernels {
                    let text = module(k, &source.functions);
                    if seen.insert(text.clone())
                        && let Some(why) = fault(&text)
                    {
                        wrong.push(format!("{}: {why}\n{text}", c.name));
                    }
                }
            }
            Err(e) if e.data().code.name() == "E1304" => *without.entry(e.data().message.clone()).or_default() += 1,
            Err(e) => wrong.push(format!("{}: {e}", c.name)),
        }
    }
    println!("{} modules; without: {} messages", seen.len(), without.len());
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(only.is_some() || seen.len() >= 1000, "texts have been lost: {}", seen.len());
}
/// A fault is seen: a test of the test.
#[test]
fn what_is_no_module_is_seen() {
    assert!(fault("fn main() { let x: f32 = 1i; }").is_some());
    assert!(fault(&format!("@compute @workgroup_size({GROUP}) fn main() {{}}")).is_none());
}
#[test]
fn what_there_is_no_kernel_for_is_said_by_name() {
    let gpu = Gpu::of_environment();
    let refused = |text: &str| {
        let m = tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(OpSet::core())).unwrap().module;
        let (m, f) = ready(&m, m.find("f").unwrap()).unwrap();
        assert!(!gpu.runs(&m, f));
        let e = gpu.source(&[(&m, f)], false).unwrap_err();
        assert_eq!(e.data().code.name(), "E1304", "{e}");
        (e.data().message.clone(), e.data().help.clone().unwrap_or_default().to_string())
    };
    let double =
        refused("tfir 1.0\nexport func @f(%x: f64[3]) -> (y: f64[3]) {\n  %y: f64[3] = add(%x, %x)\n  return %y\n}");
    assert_eq!(double.0, "the gpu backend has no f64, which `x` is");
    assert!(double.1.contains("convert") && double.1.contains("cpu"), "{}", double.1);
    let gamma =
        refused("tfir 1.0\nexport func @f(%x: f32[3]) -> (y: f32[3]) {\n  %y: f32[3] = lgamma(%x)\n  return %y\n}");
    assert_eq!(gamma.0, "the gpu backend has no `lgamma` of f32");
    let svd = refused(
        "tfir 1.0\nexport func @f(%x: f32[3, 3]) -> (s: f32[3]) {\n  %u, %s, %v = linalg.svd(%x)\n  return %s\n}",
    );
    assert!(svd.0.contains("`linalg.svd`") && svd.1.contains("cpu"), "{svd:?}");
}
