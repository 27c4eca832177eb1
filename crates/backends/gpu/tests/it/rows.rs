//! Samples of every row on an adapter, beside the interpreter. What has no kernel is listed.
//!
//! `TFC_ROW=NAME` chooses a row.
use std::sync::Arc;

use tfc_gpu::Gpu;
use tfc_gpu::backend::adapter_named;
use tfc_ir::OpSet;
use tfc_testkit::Need;
use tfc_testkit::samples::{Tally, cases, run};

/// Samples whose kernels are loaded together.
const TOGETHER: usize = 200;

#[test]
fn samples_of_every_row_agree() {
    let Some(device) = Need::Gpu.found(adapter_named(None)) else { return };
    let gpu = Gpu::new(device);
    let only = std::env::var("TFC_ROW").ok();
    let cases = cases(&Arc::new(OpSet::core()), only.as_deref());
    let mut tally = Tally::default();
    for some in cases.chunks(TOGETHER) {
        let list: Vec<_> = some.iter().map(|c| (&c.module, c.func)).collect();
        let made = gpu.compile_all(&list, false).unwrap_or_else(|e| panic!("{e}"));
        for (c, p) in some.iter().zip(made) {
            tally.see(c, p.and_then(|p| run(&p, &c.args)));
        }
    }
    tally.judge(only.is_none().then_some(1200));
}
