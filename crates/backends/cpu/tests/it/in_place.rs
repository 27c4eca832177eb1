//! Carries whose parts a loop replaces: which of them lie in one buffer, by what the plan says, and that they hold the same
//! from call to call. The results of single calls are those that `tests/ir/run/in_place.tfir` states.
use std::sync::Arc;

use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp as interp;
use tfc_interp::Interp;
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{Module, OpSet, Tensor};

/// The functions of the file, and how many of their carries lie in one buffer.
const CARRIES: &[(&str, usize)] = &[
    ("squares", 1),
    ("given", 1),
    ("old", 1),
    ("late", 0),
    ("exchanged", 0),
    ("shifted", 0),
    ("collected", 0),
    ("captured", 1),
    ("one_initial", 2),
    ("branches", 1),
    ("in_branch", 0),
    ("scattered", 1),
    ("by_region", 0),
    ("triangle", 2),
    ("restarted", 1),
    ("inner_reads", 1),
    ("from_itself", 1),
    ("index_from_itself", 1),
    ("turned", 1),
    ("called", 0),
    ("selected", 0),
    ("then_scaled", 0),
    ("windows", 1),
];

fn module() -> Module {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/ir/run/in_place.tfir");
    match tfc_frontend::text::parse_module(&std::fs::read(file).unwrap(), &Arc::new(OpSet::core())) {
        Ok(p) => p.module,
        Err(d) => panic!("{}", d[0]),
    }
}

#[test]
fn carries_lie_in_one_buffer_where_nothing_reads_an_older_value() {
    let m = module();
    let found: Vec<(String, usize)> = m
        .funcs()
        .iter()
        .filter(|(_, f)| CARRIES.iter().any(|c| *c.0 == *f.name))
        .map(|(id, f)| {
            let plan = Cpu::compile(&m, *id, &CompileOptions { threads: 1, ..CompileOptions::default() }).unwrap();
            (f.name.to_string(), plan.describe().matches("(parts replaced in place)").count())
        })
        .collect();
    let want: Vec<(String, usize)> = CARRIES.iter().map(|&(name, n)| (name.to_string(), n)).collect();
    assert_eq!(found, want);
}

#[test]
fn calls_after_the_first_give_the_same() {
    let m = module();
    for &(name, _) in CARRIES {
        let f = m.find(name).unwrap();
        let func = m.func(f).unwrap();
        let e = Cpu::compile(&m, f, &CompileOptions { threads: 1, ..CompileOptions::default() }).unwrap();
        let mut draw = Draw::new(7);
        let mut held: Vec<(Vec<Tensor>, Vec<Tensor>)> = vec![];
        for _ in 0..4 {
            let types = func.types(func.params());
            let args: Vec<Tensor> = types.iter().map(|t| draw.tensor(t, Domain::Ints(0, 4)).unwrap()).collect();
            let want = Interp::new(&m).run(f, &args, &interp::RunOptions::default()).unwrap();
            held.push((e.run(&args, &RunOptions::default()).unwrap(), want));
        }
        // Compared at the end: a call writes over nothing that an earlier one gave.
        for (given, want) in &held {
            assert!(given.iter().zip(want).all(|(a, b)| a.same(b)), "{name}: {given:?} instead of {want:?}");
        }
    }
}
