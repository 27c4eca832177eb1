//! Functions for many indices at once give what the function gives at each index: on the samples of every row with a rule, for
//! operands that are batched and that are not, batch axes anywhere, in operands and results, and for no index at all.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tfc_backends::interp::{Interp, RunOptions};
use tfc_ir::op::{Batch, Expand};
use tfc_ir::sample::{Draw, SampleCx};
use tfc_ir::*;
use tfc_passes::{Batches, Pipeline};

/// Rows that are refused wherever their operands depend on the index, and why.
const OPEN: &[(&str, &str)] = &[
    ("compress", "how many elements there are differs from index to index"),
    ("nonzero", "as compress"),
    ("unique", "as compress"),
    ("linalg.svd_trunc", "the rank differs from index to index"),
    ("linalg.eigh_trunc", "as linalg.svd_trunc"),
    ("linalg.qr_rank", "as linalg.svd_trunc"),
    ("extent", "the extent differs from index to index"),
    ("print", "it would print once an index"),
    ("fused", "made after functions are batched"),
];

/// Rows whose rule refuses some operands, and which.
const PARTLY: &[(&str, &str)] = &[
    ("dynamic_slice", "starts that differ from index to index"),
    ("dynamic_update_slice", "as dynamic_slice"),
    ("cond", "a predicate that differs from index to index"),
    ("while", "a number of trips that does"),
    ("scatter", "a region that combines by what differs from index to index"),
];

fn index_of<T: Element>(all: &Tensor, axis: usize, i: usize) -> Tensor {
    let mut shape = all.shape().to_vec();
    shape.remove(axis);
    let index = |at: &[usize]| {
        let mut at = at.to_vec();
        at.insert(axis, i);
        all.get::<T>(&at).unwrap()
    };
    Tensor::from_logical(&shape, each_index(&shape).iter().map(|at| index(at)).collect())
}
fn each_index(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |list, &n| {
        list.into_iter().flat_map(|at: Vec<usize>| (0..n).map(move |i| [&at[..], &[i]].concat())).collect()
    })
}
fn stacked_of<T: Element>(all: &[Tensor], axis: usize, shape: &[usize]) -> Tensor {
    let mut wide = shape.to_vec();
    wide.insert(axis, all.len());
    let get = |at: &Vec<usize>| {
        let mut inner = at.clone();
        let i = inner.remove(axis);
        all[i].get::<T>(&inner).unwrap()
    };
    Tensor::from_logical(&wide, each_index(&wide).iter().map(get).collect())
}
macro_rules! by_dtype {
    ($d:expr, $f:ident($($a:expr),*)) => {
        match $d {
            DType::Bool => $f::<bool>($($a),*),
            DType::I32 => $f::<i32>($($a),*),
            DType::I64 => $f::<i64>($($a),*),
            DType::U32 => $f::<u32>($($a),*),
            DType::U64 => $f::<u64>($($a),*),
            DType::F32 => $f::<f32>($($a),*),
            DType::F64 => $f::<f64>($($a),*),
            DType::C32 => $f::<C32>($($a),*),
            _ => $f::<C64>($($a),*),
        }
    };
}
/// The tensors, of one type, along a new axis.
fn stacked(all: &[Tensor], axis: usize, ty: &Type) -> Tensor {
    by_dtype!(ty.dtype, stacked_of(all, axis, &ty.exact_shape().unwrap()))
}
/// What is at index `i` of an axis.
fn at_index(all: &Tensor, axis: usize, i: usize) -> Tensor {
    by_dtype!(all.dtype(), index_of(all, axis, i))
}
fn plain(m: &Module) -> Module {
    let mut plain = m.fork();
    Pipeline::parse("expand-ad,expand").unwrap().run(&mut plain, &mut |_| {}).unwrap();
    plain
}
fn run(m: &Module, f: FuncId, args: &[Tensor]) -> Result<Vec<Tensor>> {
    Interp::new(m).run(f, args, &RunOptions::default())
}
/// Which parameters are batched, and where: all in front, all behind, each alone, each but one, in the middle.
fn choices(types: &[Type], seed: u64) -> Vec<Vec<Option<usize>>> {
    let n = types.len();
    let mut draw = Draw::new(seed);
    let mut any = |t: &Type| draw.bits() as usize % (t.rank() + 1);
    let mut out = vec![vec![Some(0); n], types.iter().map(|t| Some(t.rank())).collect()];
    for i in 0..n {
        let alone = any(&types[i]);
        out.push((0..n).map(|k| (k == i).then_some(alone)).collect());
        if n > 1 {
            out.push((0..n).map(|k| if k == i { None } else { Some(any(&types[k])) }).collect());
        }
    }
    out
}
/// Runs a function of `m` for `count` indices at once, and at each; `None` where an op refuses.
fn compare(
    m: &Module,
    f: FuncId,
    axes: &[Option<usize>],
    inputs: &[Vec<Tensor>],
    behind: bool,
) -> std::result::Result<bool, String> {
    let show = |what: &str, e: Error| format!("{what}: {e}");
    let src = m.func(f).unwrap();
    let all = m.fork();
    let outs: Vec<Option<usize>> =
        src.returns().iter().map(|&y| Some(if behind { src.ty(y).rank() } else { 0 })).collect();
    let made = match Batches::new(&all).function(f, axes, Some(&outs), "all") {
        Ok(made) => made,
        Err(e) if e.data().code == "E0508" => return Ok(false),
        Err(e) => return Err(show("batching", e)),
    };
    if let Some((g, e)) = verify::module(&all).into_iter().next() {
        return Err(show(&format!("@{} does not verify", g.name), e));
    }
    let types = src.types(src.params());
    let args: Vec<Tensor> = axes
        .iter()
        .enumerate()
        .map(|(k, a)| match a {
            Some(a) => stacked(&inputs.iter().map(|x| x[k].clone()).collect::<Vec<_>>(), *a, &types[k]),
            None => inputs[0][k].clone(),
        })
        .collect();
    let all = plain(&all);
    let got = run(&all, made.func, &args).map_err(|e| show("for all", e))?;
    let one = plain(m);
    for (i, x) in inputs.iter().enumerate() {
        let x: Vec<Tensor> = x
            .iter()
            .enumerate()
            .map(|(k, x)| if axes[k].is_some() { x.clone() } else { inputs[0][k].clone() })
            .collect();
        let want = run(&one, f, &x).map_err(|e| show("for one", e))?;
        for (k, (w, g)) in want.iter().zip(&got).enumerate() {
            let g = at_index(g, outs[k].unwrap(), i);
            if !g.same(w) {
                return Err(format!("result {k} at index {i}: {g:?} for all, {w:?} for one"));
            }
        }
    }
    Ok(true)
}

#[test]
fn all_at_once_is_each_for_itself() {
    let (mut wrong, mut done, mut refused) = (vec![], BTreeMap::new(), BTreeSet::new());
    for def in OpSet::core().iter() {
        if matches!(def.expand, Expand::Derivative(_)) {
            continue;
        }
        for dtype in [DType::F64, DType::C64, DType::I64, DType::Bool] {
            let m = Module::new(Arc::new(OpSet::core()));
            for (i, s) in (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap().into_iter().enumerate() {
                let f = m.func(s.func).unwrap();
                let types = f.types(f.params());
                if types.is_empty() {
                    continue;
                }
                for (k, axes) in choices(&types, i as u64).into_iter().enumerate() {
                    // The first choice batches every parameter: it runs for no index as well.
                    for count in if k == 0 { vec![3, 0] } else { vec![3] } {
                        let inputs: Vec<Vec<Tensor>> =
                            (0..count).map(|n| s.inputs(&m, 10 * i as u64 + n).unwrap()).collect();
                        match compare(&m, s.func, &axes, &inputs, k % 2 == 1) {
                            Ok(true) => *done.entry(def.name).or_insert(0) += 1,
                            Ok(false) => drop(refused.insert(def.name)),
                            Err(e) => wrong.push(format!("{} {dtype}, sample {i}, {axes:?}, {count}: {e}", def.name)),
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    for def in OpSet::core().iter() {
        let open = OPEN.iter().any(|o| o.0 == def.name);
        let has_rule = !matches!(def.batch, Batch::Never(_)) && !matches!(def.expand, Expand::Derivative(_));
        if has_rule && !open {
            assert!(done.get(def.name).is_some_and(|n| *n >= 3), "{}: its rule is not tried", def.name);
        }
        let partly = PARTLY.iter().any(|p| p.0 == def.name);
        assert!(!has_rule || open || partly || !refused.contains(def.name), "{}: refused, and not listed", def.name);
    }
    let count: usize = done.values().sum();
    println!("{count} functions for all indices at once, of {} rows", done.len());
    assert!(count > 1000, "only {count}");
}

/// Rules that are wrong are seen: elements turned round are not elementwise, and a batch axis is not where a rule says it is.
#[test]
fn a_wrong_rule_is_seen() {
    const TURN: OpDef = OpDef {
        operands: &["x"],
        infer: |cx| Ok(vec![cx.ty(0)?]),
        expand: Expand::Composite(|b, new| {
            let axes: Vec<usize> = (0..b.func().ty(new.operands[0]).rank()).collect();
            b.emit(NewOp::new(&ops::shape::REVERSE, &new.operands).attr("axes", Attr::ints(&axes)))
        }),
        ..OpDef::BASE
    };
    static AS_ELEMENTWISE: OpDef = OpDef { name: "outside.turn", batch: Batch::Elementwise, ..TURN };
    static MISPLACED: OpDef = OpDef {
        name: "outside.turn",
        batch: Batch::Rule(|cx, _, xs| {
            let y = cx.b.emit1(NewOp::new(&ops::shape::REVERSE, &[xs[0].value]).attr("axes", Attr::ints(&[1usize])))?;
            Ok(vec![batch::Batched::along(y, 1)])
        }),
        ..TURN
    };
    static RIGHT: OpDef = OpDef { name: "outside.turn", batch: Batch::Expand, ..TURN };
    for (def, wrong) in [(&AS_ELEMENTWISE, true), (&MISPLACED, true), (&RIGHT, false)] {
        let family: Family = Box::leak(Box::new([def]));
        let m = Module::new(Arc::new(OpSet::core().with(family).unwrap()));
        let mut b = Builder::new(&m, "f");
        let x = b.param(Type::exact(DType::F64, &[3]), "x");
        let ys = b.emit(NewOp::new(def, &[x])).unwrap();
        let f = m.add(b.finish(ys).unwrap());
        let inputs: Vec<Vec<Tensor>> =
            (0..3).map(|i| vec![Tensor::from_logical(&[3], (0..3).map(|k| f64::from(10 * i + k)).collect())]).collect();
        let done = compare(&m, f, &[Some(0)], &inputs, false);
        assert_eq!(done.is_err(), wrong, "{done:?}");
    }
}
