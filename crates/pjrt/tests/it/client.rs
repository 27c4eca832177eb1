//! This project's own client runs programs by this project's own plugin, and gets what the engine gives without either.
use std::path::{Path, PathBuf};
use tfc::prelude::*;
use tfc::traced::CompiledProgram;
use tfc_xla::Xla;

/// The library, which lies beside this test.
fn library() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let names = ["libpjrt_tfc.so", "libpjrt_tfc.dylib"];
    let all = [deps.parent().unwrap().to_owned(), deps];
    all.iter().flat_map(|d| names.map(|n| d.join(n))).find(|p| p.exists()).expect("the library is built with its tests")
}
/// Arguments of every input: a few numbers in turn, so that neighbours differ.
fn arguments(p: &GraphProgram) -> Vec<Tensor> {
    let entry = p.entry().unwrap();
    let one = |&v: &tfc_ir::ValueId| {
        let t = entry.ty(v);
        let shape = t.exact_shape().unwrap();
        let n: usize = shape.iter().product();
        match t.dtype {
            d if d.is_int() => Tensor::from_ints(d, &shape, (0..n).map(|i| (i % 3) as i128)).unwrap(),
            d => Tensor::from_reals(d, &shape, (0..n).map(|i| ((i * 7) % 5) as f64 * 0.25 + 0.125)).unwrap(),
        }
    };
    entry.params().iter().map(one).collect()
}
#[test]
fn our_client_runs_programs_by_our_plugin() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bytecode");
    let xla = Xla::new(tfc_stablehlo::Spellings::default(), Some(library()));
    let about = xla.about().unwrap();
    assert!(about.plugin.contains("PJRT API 0.81, StableHLO 1.17.0"), "{about:?}");
    assert!(about.platform.starts_with("tfc"), "{about:?}");
    assert_eq!(about.devices, ["TfcDevice(id=0)"]);
    for name in ["layers", "loops", "indices", "windows", "algebra", "numbers"] {
        let text = std::fs::read_to_string(dir.join(format!("{name}.mlir"))).unwrap();
        let p = GraphProgram::load(dir.join(format!("{name}.mlirbc"))).unwrap();
        let given = arguments(&p);
        let got = xla.run_text(&text, &given).unwrap();
        let want = CompiledProgram::new(&p, &CpuBackend::new()).unwrap().run(&given).unwrap();
        assert_eq!(got.len(), want.len());
        for (i, (g, w)) in got.iter().zip(&want).enumerate() {
            assert!(g.same(w), "{name}, result {i}: {g:?} is not {w:?}");
        }
    }
}
#[test]
fn what_is_wrong_is_said() {
    let xla = Xla::new(tfc_stablehlo::Spellings::default(), Some(library()));
    let e = xla.run_text("func.func @main() -> tensor<f32> { return }", &[]).unwrap_err();
    assert!(e.to_string().contains("error[E0"), "{e}");
    let e = xla.run_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = stablehlo.rng_uniform %x : tensor<2xf32> return %0 : tensor<2xf32> }", &[]);
    assert!(e.is_err());
}
