//! Samples of every row on an adapter, beside the interpreter. What has no kernel is listed.
//!
//! `TFC_ROW=NAME` chooses a row.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tfc_gpu::Gpu;
use tfc_gpu::backend::adapter_named;
use tfc_ir::OpSet;
use tfc_testkit::Need;
use tfc_testkit::samples::{cases, differs, run};

/// Samples whose kernels are loaded together.
const TOGETHER: usize = 200;

#[test]
fn samples_of_every_row_agree() {
    let Some(device) = Need::Gpu.found(adapter_named(None)) else { return };
    let gpu = Gpu::new(device);
    let only = std::env::var("TFC_ROW").ok();
    let cases = cases(&Arc::new(OpSet::core()), only.as_deref());
    let (mut wrong, mut none, mut same) = (vec![], BTreeMap::<String, BTreeSet<&str>>::new(), 0);
    for some in cases.chunks(TOGETHER) {
        let list: Vec<_> = some.iter().map(|c| (&c.module, c.func)).collect();
        let made = gpu.compile_all(&list, false).unwrap_or_else(|e| panic!("{e}"));
        for (c, p) in some.iter().zip(made) {
            match p.and_then(|p| run(&p, &c.args)) {
                Ok(got) => match c.want.iter().zip(&got).find_map(|(w, g)| differs(w, g)) {
                    None => same += 1,
                    Some(why) => wrong.push(format!("{}: {why}", c.name)),
                },
                Err(e) if e.data().code.name() == "E1304" => {
                    none.entry(e.data().message.clone()).or_default().insert(c.row);
                }
                Err(e) => wrong.push(format!("{}: {}: {}", c.name, e.data().code.name(), e.data().message)),
            }
        }
    }
    println!("{same} of {} samples agree; without a kernel: {none:#?}", cases.len());
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(only.is_some() || same >= 1200, "kernels have been lost: {same}");
}
