//! The law of every row builds on the types of its samples and hard cases, whatever the dtype.
use std::sync::Arc;
use tfc_ir::law;
use tfc_ir::op::Law;
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, Extent, Func, Module, OpId, OpSet, Type, ValueId};

/// The types of results of op `o`, with 1 for what values decide, or 0 where an operand has no element.
fn types(f: &Func, o: OpId, vs: &[ValueId]) -> Vec<Type> {
    let empty = f.op(o).operands.iter().any(|&x| f.ty(x).dims.contains(&Extent::exact(0)));
    let number = Extent::exact(if empty { 0 } else { 1 });
    let known =
        |t: &Type| t.dims.iter().map(|d| d.as_exact().map_or(number.clone(), Extent::exact)).collect::<Vec<_>>();
    f.types(vs).iter().map(|t| t.with_dims(known(t))).collect()
}

#[test]
fn laws_build() {
    let mut bad = vec![];
    let mut count = 0;
    for def in OpSet::core().iter() {
        let Law::Holds { hard, .. } = def.law else { continue };
        for dtype in DType::SUPPORTED {
            let m = Module::new(Arc::new(OpSet::core()));
            let cx = SampleCx { m: &m, def, dtype };
            for s in [(def.sample)(&cx), hard(&cx)].into_iter().flat_map(|s| s.expect("samples build")) {
                let f = m.func(s.func).expect("defined");
                let (_, seen) = law::witness(&m, s.func).expect("what ops take and give can be returned");
                f.walk(tfc_ir::BODY, &mut |o| {
                    let op = f.op(o);
                    if !op.def.is(def) || !op.regions.is_empty() {
                        return;
                    }
                    assert!(seen.iter().any(|s| s.def.is(def)), "{} is not seen", def.name);
                    count += 1;
                    match law::program(&m, def, &op.attrs, &types(&f, o, &op.operands), &types(&f, o, &op.results)) {
                        Ok(p) if p.clauses.is_empty() => bad.push(format!("{} on {dtype}: no clause", def.name)),
                        Ok(_) => {}
                        Err(e) => bad.push(format!("{} on {dtype}: {e}", def.name)),
                    }
                });
            }
        }
    }
    bad.dedup();
    assert!(bad.is_empty(), "{} of {count}:\n{}", bad.len(), bad.join("\n"));
    assert!(count > 500, "{count} laws");
}
