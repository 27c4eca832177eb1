//! The family: its rows, and their kernels for both engines of this machine.
use std::sync::atomic::{AtomicUsize, Ordering};

use tfc_cpu as cpu;
use tfc_cpu::{KernelCx, Site};
use tfc_interp as interp;
use tfc_interp::OpCx;
use tfc_ir::batch::Batched;
use tfc_ir::op::{Batch, Control, Law, Linearize, Port, PortKind, Ports, Slot, SlotKind, Transpose};
use tfc_ir::sample::Domain;
use tfc_ir::*;
use tfc_kernels::outside::{Formula, ScalarFunction, V, of_reals, of_vectors};

/// `a b + c`.
pub(crate) static AXPY: OpDef = OpDef {
    name: "acme.axpy",
    doc: "The sum of `c` and the product of `a` and `b`, elementwise.",
    operands: &["a", "b", "c"],
    infer: |cx| {
        let t = cx.ty(0)?;
        for i in 1..3 {
            let u = cx.ty(i)?;
            if (u.dtype, u.rank()) != (t.dtype, t.rank()) {
                return Err(Error::new(tfc_ir::Code::E0203, "operands of `acme.axpy` are of one type").operand(i));
            }
            for (a, (m, n)) in t.dims.iter().zip(u.dims.iter()).enumerate() {
                cx.equal(m, n, Part::Operand(i), || format!("axis {a} of operands 0 and {i}"))?;
            }
        }
        Ok(vec![t])
    },
    linearize: Linearize::Partials(&[|_, x, _| Ok(x[1]), |_, x, _| Ok(x[0]), |b, _, y| b.like(y, 1.0)]),
    scalar: Some(ScalarOp::Fma),
    batch: Batch::Elementwise,
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        if !cx.dtype.is_float() {
            return Ok(vec![]);
        }
        let on = |dims: &[usize]| cx.op(&[0, 1, 2].map(|_| (cx.ty(dims), Domain::Any)), Attrs::none(), None);
        Ok(vec![on(&[])?, on(&[3, 2])?])
    },
    ..OpDef::BASE
};
/// The type of the operand, if it is of real floating numbers.
pub(crate) fn of_floats(cx: &mut InferCx) -> Result<Vec<Type>> {
    let t = cx.ty(0)?;
    if !t.dtype.is_float() {
        let e = Error::new(tfc_ir::Code::E0203, format!("`{}` takes real floating numbers", cx.def().name));
        return Err(e.operand(0).help("convert the operand first"));
    }
    Ok(vec![t])
}
/// What the rows of a function of one number have in common.
pub(crate) const ONE: OpDef = OpDef {
    operands: &["x"],
    infer: of_floats,
    batch: Batch::Elementwise,
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        let on = |dims: &[usize]| cx.op(&[(cx.ty(dims), Domain::NonZero)], Attrs::none(), None);
        Ok(if cx.dtype.is_float() { vec![on(&[])?, on(&[3, 2])?] } else { vec![] })
    },
    ..OpDef::BASE
};
pub(crate) struct Softsign;
impl Formula<1> for Softsign {
    #[inline(always)]
    fn of<T: V>([x]: [T; 1]) -> T {
        x.div(T::c(1.0).add(x.abs()))
    }
}
/// `x / (1 + |x|)`, by a formula of vectors.
pub(crate) static SOFTSIGN: OpDef = OpDef {
    name: "acme.softsign",
    doc: "`x / (1 + |x|)`.",
    scalar: Some(ScalarOp::Outside(&ScalarFunction {
        name: "acme.softsign",
        cost: 6,
        formulas: &of_vectors::<1, Softsign>(),
    })),
    linearize: Linearize::Partials(&[|b, x, _| {
        let (one, size) = (b.like(x[0], 1.0)?, b.abs(x[0])?);
        let sum = b.add(one, size)?;
        let square = b.mul(sum, sum)?;
        b.div(one, square)
    }]),
    ..ONE
};
/// `log cosh x`, by a function of one number.
pub(crate) static LOG_COSH: OpDef = OpDef {
    name: "acme.log_cosh",
    doc: "The logarithm of the hyperbolic cosine, also where that overflows.",
    scalar: Some(ScalarOp::Outside(&ScalarFunction {
        name: "acme.log_cosh",
        cost: 64,
        formulas: &of_reals(|[x]| x.abs() + (-2.0 * x.abs()).exp().ln_1p() - std::f64::consts::LN_2),
    })),
    linearize: Linearize::Partials(&[|b, x, _| b.tanh(x[0])]),
    ..ONE
};
/// A function that fails.
pub(crate) static PICKY: OpDef = OpDef {
    name: "acme.picky",
    doc: "`x + 1` of numbers that are not negative.",
    scalar: Some(ScalarOp::Outside(&ScalarFunction {
        name: "acme.picky",
        cost: 2,
        formulas: &of_reals(|[x]| if x < 0.0 { panic!("{x} is negative") } else { x + 1.0 }),
    })),
    ..ONE
};
/// Elements moved round along the first axis.
pub(crate) static ROLL: OpDef = OpDef {
    name: "acme.roll",
    doc: "Moves elements `by` places on along the first axis; those at the end come to the front.",
    operands: &["x"],
    slots: &[Slot::required("by", SlotKind::Int)],
    infer: |cx| Ok(vec![cx.ty(0)?]),
    linearize: Linearize::Multilinear,
    transpose: Transpose::Rule(|cx, o, ct| {
        let by = cx.op(o).attrs.int("by");
        let Some(Some(c)) = ct.first().copied() else { return Ok(vec![None]) };
        Ok(vec![Some(cx.b.emit1(NewOp::new(&ROLL, &[c]).attr("by", Attr::Int(-by)))?)])
    }),
    // The first axis stays first.
    batch: Batch::Rule(|cx, o, xs| {
        let x = cx.last(xs[0])?;
        let attrs = cx.op(o).attrs.clone();
        let y = cx.b.emit1(NewOp::new(&ROLL, &[x]).attrs(attrs))?;
        let axis = cx.b.ty(y).rank() - 1;
        Ok(vec![Batched::along(y, axis)])
    }),
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        let by = |by, dims: &[usize]| cx.op(&[(cx.ty(dims), Domain::Any)], Attrs::of([("by", Attr::Int(by))]), None);
        Ok(if cx.dtype == DType::F64 { vec![by(1, &[3])?, by(-2, &[4, 2])?, by(5, &[3, 2, 2])?] } else { vec![] })
    },
    ..OpDef::BASE
};
/// A region run several times.
pub(crate) static POWER: OpDef = OpDef {
    name: "acme.power",
    doc: "Runs the region on the operand, then on what it yields, `times` times.",
    operands: &["x"],
    slots: &[Slot::required("times", SlotKind::Int)],
    regions: &["body"],
    infer: |cx| {
        let t = cx.ty(0)?;
        if cx.region_params(0) != [t.clone()] || cx.region_yields(0) != [t.clone()] {
            return Err(Error::new(
                tfc_ir::Code::E0203,
                "the region of `acme.power` takes and yields the type of the operand",
            ));
        }
        Ok(vec![t])
    },
    control: Control {
        ports: Some(Ports {
            of: |_, _| {
                let (params, yields) = (vec![(0, 0)], vec![(0, 0)]);
                vec![Port { kind: PortKind::Carry, operand: Some(0), params, yields, result: Some(0) }]
            },
            keep: |_, _, _, _| {},
            needs: |_, _| vec![],
        }),
        ..Control::NONE
    },
    linearize: Linearize::Never("it is run by its kernels alone"),
    batch: Batch::Never("it is run by its kernels alone"),
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        if cx.dtype != DType::F64 {
            return Ok(vec![]);
        }
        let ty = cx.ty(&[3]);
        let power = cx.program(&[(ty.clone(), Domain::Any)], |b, p| {
            let body = b.region("body", &[(ty, "a")], |b, a| Ok(vec![b.sin(a[0])?]))?;
            b.emit(NewOp::new(&POWER, p).attr("times", Attr::Int(3)).regions(vec![body]))
        })?;
        Ok(vec![power])
    },
    ..OpDef::BASE
};
pub(crate) const FAMILY: Family = &[&AXPY, &SOFTSIGN, &LOG_COSH, &ROLL, &POWER];

pub(crate) fn rolled(x: &[f64], rows: usize, by: i64) -> Vec<f64> {
    let mut out = x.to_vec();
    if rows > 0 {
        out.chunks_exact_mut(rows).for_each(|c| c.rotate_right(by.rem_euclid(rows as i64) as usize));
    }
    out
}
/// Executions of all [`Roll`]s, and those that found where elements come from already known.
pub(crate) static RUNS: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
#[derive(Debug)]
pub(crate) struct Roll {
    by: i64,
}
impl cpu::Kernel for Roll {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        /// For how many rows, and where each comes from.
        type Known = (usize, Vec<usize>);
        let mut open = cx.open::<Known>()?;
        let x = open.operands[0];
        let rows = x.shape()[0];
        let (known, from) = open.state;
        RUNS[0].fetch_add(1, Ordering::Relaxed);
        if *known == rows && !from.is_empty() {
            RUNS[1].fetch_add(1, Ordering::Relaxed);
        } else {
            *known = rows;
            *from = (0..rows).map(|i| (i as i64 - self.by).rem_euclid(rows as i64) as usize).collect();
        }
        let values = x.to_vec::<f64>();
        let y = &mut open.results[0];
        if let Some(y) = y.dense_slice::<f64>() {
            for (to, line) in y.chunks_exact_mut(rows.max(1)).zip(values.chunks_exact(rows.max(1))) {
                to.iter_mut().zip(from.iter()).for_each(|(y, &i)| *y = line[i]);
            }
        } else {
            y.write(rolled(&values, rows, self.by));
        }
        Ok(())
    }
}
#[derive(Debug)]
pub(crate) struct Power;
impl cpu::Kernel for Power {
    fn scratch(&self, _: &Site) -> Option<usize> {
        None
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let mut x = vec![cx.tensor(0)?];
        for _ in 0..cx.site().attrs().int("times") {
            x = cx.region(0, &x)?;
        }
        cx.give(0, &x[0])
    }
}
pub(crate) fn kernels() -> tfc::Kernels {
    let roll = |cx: &mut OpCx| {
        let x = cx.arg(0)?;
        // The last axis is the fastest here.
        let mut v: Vec<f64> = x.to_logical().unwrap_or_default();
        let rows = x.shape()[0];
        if let Some(line) = v.len().checked_div(rows) {
            let by = cx.attrs().int("by").rem_euclid(rows as i64) as usize;
            v.rotate_right(by * line);
        }
        Ok(vec![Tensor::from_logical(x.shape(), v).unwrap()])
    };
    let power = |cx: &mut OpCx| {
        let mut x = cx.args().to_vec();
        for _ in 0..cx.attrs().int("times") {
            x = cx.region(0, &x)?;
        }
        Ok(x)
    };
    tfc::Kernels {
        interp: interp::Kernels::core().with(&ROLL, roll).with(&POWER, power),
        cpu: cpu::Kernels::core()
            .with_kernel(&ROLL, |s| Ok(Roll { by: s.attrs().int("by") }))
            .with_kernel(&POWER, |_| Ok(Power)),
    }
}
pub(crate) fn ops() -> OpSet {
    OpSet::core().with(FAMILY).expect("names are free")
}
