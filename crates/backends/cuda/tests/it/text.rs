//! The text of kernels, to be read: `INSTA_UPDATE=always cargo test -p tfc-cuda --test it text` writes it anew.
use std::path::Path;
use std::sync::Arc;

use tfc_cuda::{Cuda, text::Written as _};
use tfc_ir::OpSet;

/// The kernels of `@main`, without what all texts begin with.
fn text(program: &[u8]) -> String {
    let ops = Arc::new(OpSet::core());
    let mut m = tfc_frontend::text::parse_module(program, &ops).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("main").unwrap();
    let source = Cuda::of_environment().source(&[(&m, f)], false).unwrap();
    // Copies for slots whose strides ask for them are the same everywhere.
    source.kernels.iter().filter(|k| !k.name.starts_with("copy_")).map(|k| k.program()).collect::<Vec<_>>().join("\n")
}

/// Each program of `tests/ir/cuda`, with the kernels of `@main` beside it.
#[test]
fn kernels_are_those_of_their_snapshots() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/ir/cuda").canonicalize().unwrap();
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "tfir"));
    files.sort();
    assert!(files.len() >= 4);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&dir);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for f in files {
        let stem = f.file_stem().unwrap().to_str().unwrap().to_owned();
        let kernels = text(&std::fs::read(&f).unwrap());
        settings.bind(|| insta::assert_snapshot!(stem, kernels));
    }
}
#[test]
fn elementary_functions_are_recorded() {
    let ops = Arc::new(OpSet::core());
    let mut m = tfc_frontend::text::parse_module(
        b"tfir 1.0\nexport func @f<n>(%x: f32[n]) -> (y: f32[n]) {\n  %y: f32[n] = exp(%x)\n  return %y\n}",
        &ops,
    )
    .unwrap()
    .module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("f").unwrap();
    insta::assert_snapshot!(Cuda::of_environment().source(&[(&m, f)], false).unwrap().functions);
}
