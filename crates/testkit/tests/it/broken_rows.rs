//! The checks can fail: rows and kernels that are wrong in one thing each, and the fault that names it.
use tfc_api::Kernels;
use tfc_cpu as cpu;
use tfc_interp as interp;
use tfc_interp::OpCx;
use tfc_ir::batch::Batched;
use tfc_ir::law::LawCx;
use tfc_ir::op::{Batch, Expand, Law, Linearize, Transpose};
use tfc_ir::ops::{elementwise, linalg, shape};
use tfc_ir::sample::{Domain, Sample, SampleCx};
use tfc_ir::*;
use tfc_testkit::{Asked, Exceptions, Report, Sweep, check_rows};

/// A row that nothing is wrong with: its operand with each axis turned round.
const RIGHT: OpDef = OpDef {
    name: "outside.right",
    doc: "Turns each axis round.",
    operands: &["x"],
    infer: |cx| Ok(vec![cx.ty(0)?]),
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| {
        let Some(Some(c)) = ct.first().copied() else { return Ok(vec![None]) };
        let def = cx.op(o).def;
        Ok(vec![Some(cx.b.emit1(NewOp::new(def, &[c]))?)])
    }),
    expand: Expand::Composite(|b, new| turned(b, new.operands[0], |_| true)),
    batch: Batch::Expand,
    law: Law::Holds { state: twice, hard: |_| Ok(vec![]) },
    sample,
    ..OpDef::BASE
};
/// The axes of `x` that `which` says, turned round.
fn turned(b: &mut Builder, x: ValueId, which: fn(usize) -> bool) -> Result<Vec<ValueId>> {
    let axes: Vec<usize> = (0..b.func().ty(x).rank()).filter(|&a| which(a)).collect();
    b.emit(NewOp::new(&shape::REVERSE, &[x]).attr("axes", Attr::ints(&axes)))
}
fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    let on = |dims: &[usize]| cx.op(&[(cx.ty(dims), Domain::Any)], Attrs::none(), None);
    Ok(if matches!(cx.dtype, DType::F64 | DType::I64) { vec![on(&[3])?, on(&[2, 3])?] } else { vec![] })
}
fn twice(cx: &mut LawCx) -> Result<()> {
    let (x, y) = (cx.operand(0)?, cx.result(0)?);
    let back = turned(cx.b, y, |_| true)?;
    cx.same("turned round twice it is the operand", back[0], x)
}

fn leaked(def: OpDef) -> Family {
    let def: &'static OpDef = Box::leak(Box::new(def));
    Box::leak(Box::new([def]))
}
fn report(family: Family, kernels: &Kernels, exceptions: Exceptions) -> Report {
    let ops = OpSet::core().with(family).unwrap();
    check_rows(&ops, kernels, &Asked { rows: family, exceptions, ..Asked::default() })
}
/// The row has faults, all found by that sweep, and each says so.
#[track_caller]
fn faulty(def: OpDef, sweeps: &[Sweep], says: &str) {
    let name = def.name;
    let report = report(leaked(def), &Kernels::default(), Exceptions::default());
    named(&report, name, sweeps, says);
}
#[track_caller]
fn named(report: &Report, name: &str, sweeps: &[Sweep], says: &str) {
    assert!(!report.faults.is_empty(), "nothing is found wrong with {name}");
    for f in &report.faults {
        assert!(f.row == name && sweeps.contains(&f.sweep), "{f}");
    }
    for s in sweeps {
        assert!(
            report.faults.iter().any(|f| f.sweep == *s && f.text.contains(says)),
            "{s:?} does not say `{says}`:\n{report}"
        );
    }
}

#[test]
fn a_right_row_has_no_fault() {
    let found = report(leaked(RIGHT), &Kernels::default(), Exceptions::default());
    assert!(found.faults.is_empty(), "{found}");
    for s in Sweep::ALL {
        assert!(found.cases(s) > 3, "{s:?}: {} cases", found.cases(s));
    }
}
#[test]
fn what_is_not_said() {
    faulty(OpDef { name: "outside.mute", doc: "", ..RIGHT }, &[Sweep::Complete], "no documentation");
    let idle = OpDef { name: "outside.idle", batch: Batch::Never(Batch::UNWRITTEN), ..RIGHT };
    faulty(idle, &[Sweep::Complete], "no rule for many indices and no reason");
    let none = OpDef { name: "outside.none", sample: |_| Ok(vec![]), law: Law::None(Law::COMPARED), ..RIGHT };
    faulty(none, &[Sweep::Complete], "no sample for any dtype");
}
#[test]
fn a_sample_that_does_not_build() {
    let broken =
        OpDef { name: "outside.unbuilt", sample: |_| Err(Error::new(tfc_ir::Code::E0299, "there is none")), ..RIGHT };
    let sweeps = [Sweep::Complete, Sweep::Derivatives, Sweep::Engines, Sweep::Batch, Sweep::Extents];
    let found = report(leaked(broken), &Kernels::default(), Exceptions::default());
    for s in sweeps {
        assert!(
            found.faults.iter().any(|f| f.sweep == s && f.text.contains("sample does not build")),
            "{s:?}\n{found}"
        );
    }
}
#[test]
fn a_wrong_derivative() {
    // As if it were the identity.
    let forward = |cx: &mut derive::Linearizer, o: OpId| {
        let y = cx.copy_primal(o)?[0];
        let (x, r) = (cx.op(o).operands[0], cx.op(o).results[0]);
        let d = cx.tangent(x);
        cx.set(r, y, d);
        Ok(())
    };
    let wrong = OpDef { name: "outside.slope", linearize: Linearize::Rule(forward), ..RIGHT };
    faulty(wrong, &[Sweep::Derivatives], "but differences give");
    // Right forward, wrong backward.
    let backward = Transpose::Rule(|_, _, ct| Ok(ct.to_vec()));
    let wrong = OpDef { name: "outside.pull", transpose: backward, ..RIGHT };
    faulty(wrong, &[Sweep::Derivatives], "but <J^T ct, d>");
    let refused = OpDef { name: "outside.steep", linearize: Linearize::Never("it is too steep"), ..RIGHT };
    let found = report(leaked(refused), &Kernels::default(), Exceptions::default());
    assert!(found.faults.is_empty(), "{found}");
}
#[test]
fn a_wrong_batch_rule() {
    // Turning round is not elementwise, and the batch axis is not where this rule says.
    faulty(OpDef { name: "outside.alike", batch: Batch::Elementwise, ..RIGHT }, &[Sweep::Batch], "for one");
    let misplaced = Batch::Rule(|cx, _, xs| {
        let y = cx.b.emit1(NewOp::new(&shape::REVERSE, &[xs[0].value]).attr("axes", Attr::ints(&[0usize])))?;
        Ok(vec![Batched::along(y, 0)])
    });
    faulty(OpDef { name: "outside.misplaced", batch: misplaced, ..RIGHT }, &[Sweep::Batch], "");
    let shy = Batch::Rule(|cx, o, _| Err(batch::refused(&cx.op(o), "it is shy")));
    faulty(OpDef { name: "outside.shy", batch: shy, ..RIGHT }, &[Sweep::Batch], "and not listed");
}
#[test]
fn a_wrong_law() {
    let never = Law::Holds {
        state: |cx| {
            let (x, y) = (cx.operand(0)?, cx.result(0)?);
            cx.same("it is the operand", y, x)
        },
        hard: |_| Ok(vec![]),
    };
    // It says something else than what is computed, of every element.
    faulty(OpDef { name: "outside.other_law", law: never, ..RIGHT }, &[Sweep::Laws], "it is the operand");
    let vague = Law::Holds {
        state: |cx| {
            let y = cx.result(0)?;
            cx.same("it is itself", y, y)
        },
        hard: |_| Ok(vec![]),
    };
    faulty(OpDef { name: "outside.vague_law", law: vague, ..RIGHT }, &[Sweep::Changes], "may be another");
    let silent = Law::Holds { state: |_| Ok(()), hard: |_| Ok(vec![]) };
    faulty(OpDef { name: "outside.silent_law", law: silent, ..RIGHT }, &[Sweep::Laws, Sweep::Changes], "no clause");
}
/// A row that does not expand: by its kernels alone.
const OWN: OpDef = OpDef {
    name: "outside.own",
    linearize: Linearize::Never("it is run by its kernels alone"),
    batch: Batch::Never("it is run by its kernels alone"),
    expand: Expand::No,
    sample: |cx| Ok(if cx.dtype == DType::F64 { sample(cx)? } else { vec![] }),
    ..RIGHT
};
fn numbers(x: &Tensor) -> Vec<f64> {
    x.to_logical().unwrap()
}
fn backwards(x: &Tensor) -> Tensor {
    Tensor::from_logical(x.shape(), numbers(x).into_iter().rev().collect()).unwrap()
}
/// Kernels of [`OWN`]: the interpreter's is right.
fn kernels(family: Family, cpu: Option<cpu::WholeFn>) -> Kernels {
    let right = |cx: &mut OpCx| Ok(vec![backwards(cx.arg(0)?)]);
    let core = cpu::Kernels::core();
    Kernels {
        interp: interp::Kernels::core().with(family[0], right),
        cpu: cpu.map_or(core.clone(), |f| core.with(family[0], f)),
    }
}
#[test]
fn a_wrong_kernel() {
    let family = leaked(OWN);
    let with = |cpu| report(family, &kernels(family, cpu), Exceptions::default());
    let right = with(Some(|_, x| Ok(vec![backwards(&x[0])])));
    assert!(right.faults.is_empty(), "{right}");
    // Right but for the last element, where there is one.
    let wrong = with(Some(|_, x| {
        let mut v = numbers(&backwards(&x[0]));
        v.iter_mut().last().into_iter().for_each(|x| *x += 1e-6);
        Ok(vec![Tensor::from_logical(x[0].shape(), v).unwrap()])
    }));
    named(&wrong, OWN.name, &[Sweep::Engines, Sweep::Laws, Sweep::Extents], "");
    let says = |sweep, text: &str| wrong.faults.iter().any(|f| f.sweep == sweep && f.text.contains(text));
    assert!(says(Sweep::Engines, "result 0 is off by") && says(Sweep::Extents, "engines differ"), "{wrong}");
    // Right but for no element at all.
    let empty = with(Some(|_, x| {
        if x[0].is_empty() { Err(Error::new(tfc_ir::Code::E0718, "of nothing")) } else { Ok(vec![backwards(&x[0])]) }
    }));
    named(&empty, OWN.name, &[Sweep::Extents], "of nothing");
    let missing = with(None);
    assert!(missing.faults.iter().any(|f| f.sweep == Sweep::Complete && f.text.contains("E0801")), "{missing}");
}
/// A panic is a fault as well, and the other rows are looked at all the same.
#[test]
fn a_rule_that_panics() {
    let bad: &'static OpDef =
        Box::leak(Box::new(OpDef { name: "outside.panics", batch: Batch::Rule(|_, _, _| panic!("a slip")), ..RIGHT }));
    let shy: &'static OpDef = Box::leak(Box::new(OpDef { name: "outside.mute", doc: "", ..RIGHT }));
    let family: Family = Box::leak(Box::new([bad, shy]));
    let found = report(family, &Kernels::default(), Exceptions::default());
    let mut names: Vec<_> = found.faults.iter().map(|f| (f.row.as_str(), f.sweep)).collect();
    names.dedup();
    assert_eq!(names, [("outside.mute", Sweep::Complete), ("outside.panics", Sweep::Batch)], "{found}");
    let said = "the column `batch` of the op `outside.panics` panicked: a slip";
    assert!(found.faults.iter().any(|f| f.text.contains(said)), "{found}");
}
/// The factors of a matrix with both signs turned give the matrix back, and break the law.
#[test]
fn a_kernel_that_breaks_a_law_of_a_built_in_row() {
    let turn = |cx: &mut OpCx| {
        let m = Module::new(std::sync::Arc::new(OpSet::core()));
        let mut b = Builder::new(&m, "f");
        let a = cx.arg(0)?.clone();
        let x = b.param(Type::exact(a.dtype(), a.shape()), "a");
        let ys = b.emit(NewOp::new(&linalg::QR, &[x]).attrs(cx.attrs().clone()))?;
        let signs = ys.iter().map(|&y| b.emit1(NewOp::new(&elementwise::NEG, &[y]))).collect::<Result<Vec<_>>>()?;
        let f = m.add(b.finish(signs)?);
        interp::Interp::new(&m).run(f, &[a], &interp::RunOptions::default())
    };
    let kernels = Kernels { interp: interp::Kernels::core().with(&linalg::QR, turn), ..Kernels::default() };
    let asked = Asked { rows: &[&linalg::QR], sweeps: &[Sweep::Laws], ..Asked::default() };
    let found = check_rows(&OpSet::core(), &kernels, &asked);
    named(&found, "linalg.qr", &[Sweep::Laws], "the diagonal of r is not negative");
    assert!(found.faults.iter().all(|f| f.text.contains("by interp")), "{found}");
}
/// An entry of a list that is not needed is a fault.
#[test]
fn an_excuse_that_is_not_needed() {
    let family = leaked(RIGHT);
    let exceptions = Exceptions {
        no_sample: &[("outside.right", ""), ("outside.wrong_name", "")],
        other_derivative: &[("outside.right", "")],
        partly_batched: &[("outside.right", "")],
        left_open: &[("outside.right", |_| false, "")],
        exact: &[("outside.right", "symbols E0420", "")],
        ..Exceptions::default()
    };
    let found = report(family, &Kernels::default(), exceptions);
    let sweeps: Vec<_> = found.faults.iter().map(|f| f.sweep).collect();
    let all = [Sweep::Complete, Sweep::Complete, Sweep::Derivatives, Sweep::Batch, Sweep::Changes, Sweep::Extents];
    assert_eq!(sweeps, all, "{found}");
    assert_eq!(found.faults[0].row, "outside.wrong_name", "{found}");
}
