//! Values that are computed as parts of what pads or joins them: which are, and that the checker of plans sees where one lies elsewhere.
use std::sync::Arc;

use tfc_cpu::{CompileOptions, Cpu};
use tfc_ir::OpSet;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/ir/run/parts.tfir");

#[test]
fn parts_lie_where_their_whole_wants_them() {
    let text = std::fs::read(FILE).unwrap();
    let mut m = tfc_frontend::text::parse_module(&text, &Arc::new(OpSet::core())).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let mut refused = 0;
    for (name, parts) in
        [("border", 1), ("rows", 2), ("joined", 2), ("loop", 3), ("whole", 1), ("twice", 0), ("mixed", 2)]
    {
        let compiled = || Cpu::compile(&m, m.find(name).unwrap(), &CompileOptions::default()).unwrap();
        let plan = compiled().describe();
        assert_eq!(plan.matches("(part of ").count(), parts, "{plan}");
        for k in 0..if parts > 0 { 60u64 } else { 0 } {
            let pick = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 3;
            if let Some(exe) = compiled().tampered(pick) {
                panic!("a part lies elsewhere, and the checker passes it:\n{}", exe.describe());
            }
            refused += 1;
        }
    }
    assert_eq!(refused, 360);
}
