//! Every sample of every row in the shape, reduction, contraction, extent and composite families builds, for every dtype.
use std::sync::Arc;
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, Family, Module, OpSet};

fn families() -> [Family; 6] {
    use tfc_ir::ops::{composite, contract, extents, fused, reduce, shape};
    [shape::FAMILY, reduce::FAMILY, contract::FAMILY, extents::FAMILY, fused::FAMILY, composite::FAMILY]
}

#[test]
fn all_samples_build() {
    let mut bad = vec![];
    for def in families().into_iter().flatten() {
        let mut built = 0;
        for dtype in DType::SUPPORTED {
            let m = Module::new(Arc::new(OpSet::core()));
            match (def.sample)(&SampleCx { m: &m, def, dtype }) {
                Ok(samples) => built += samples.len(),
                Err(e) => bad.push(format!("{} {dtype}: {e}", def.name)),
            }
        }
        if built == 0 {
            bad.push(format!("{}: no sample", def.name));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
