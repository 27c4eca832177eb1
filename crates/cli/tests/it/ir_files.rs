//! Every file under `tests/ir`, run by the same runner as `tfc test`; snapshots are compared by insta.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tfc::filetest::discover;
use tfc_ir::OpSet;

#[test]
fn ir_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let root = root.canonicalize().unwrap();
    let runner = tfc::runner(OpSet::core(), tfc::Kernels::default());
    let mut failed = vec![];
    for file in discover(&root).unwrap() {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        let report = runner.run(&file);
        failed.extend(report.failures.iter().map(|f| format!("{name}: {f}")));
        let Some(output) = report.output else { continue };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(file.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        let stem = file.file_stem().unwrap().to_str().unwrap();
        // The other files are still worth comparing when one differs.
        let same = catch_unwind(AssertUnwindSafe(|| settings.bind(|| insta::assert_snapshot!(stem, output))));
        if same.is_err() {
            failed.push(format!("{name}: the output is not that of its snapshot (shown above)"));
        }
    }
    assert!(failed.is_empty(), "{} failures:\n{}", failed.len(), failed.join("\n"));
}
