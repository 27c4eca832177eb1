//! Every sample of every row in the shape, reduction, contraction, extent and composite families builds, for every dtype.
use std::sync::Arc;
use tfc_ir::sample::SampleCx;
use tfc_ir::{Builder, DType, Family, Module, NewOp, OpSet, Type};

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

#[test]
fn samples_have_exact_shapes_and_a_domain_each() {
    for def in families().into_iter().flatten() {
        for dtype in DType::SUPPORTED {
            let m = Module::new(Arc::new(OpSet::core()));
            for s in (def.sample)(&SampleCx { m: &m, def, dtype }).expect("builds") {
                let f = m.func(s.func).expect("defined");
                assert_eq!(f.params().len(), s.domains.len(), "{} {dtype}", def.name);
                assert!(f.params().iter().all(|&p| f.ty(p).is_exact()), "{} {dtype}", def.name);
            }
        }
    }
}

#[test]
fn fused_checks_its_region() {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let (x, y) = (Type::exact(DType::F64, &[2]), Type::exact(DType::F64, &[3]));
    let p = b.param(x.clone(), "x");
    let mut build = |params: &[(Type, &str)]| {
        let body = b.region("body", params, |_, p| Ok(p.to_vec()))?;
        b.emit(NewOp::new(&tfc_ir::ops::fused::FUSED, &[p]).regions(vec![body])).map(|r| r.len())
    };
    assert_eq!(build(&[(x.clone(), "a")]).expect("right"), 1);
    assert_eq!(build(&[]).expect_err("too few").data().code, "E0215");
    assert_eq!(build(&[(y, "a")]).expect_err("another extent").data().code, "E0204");
}
