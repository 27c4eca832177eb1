//! A family of ops that tfc does not have: matrices over the tropical semiring, in which the sum is the maximum and the product
//! the sum. Its rows parse, print, run and differentiate like the built-in ones, from Rust and from text.
//!
//! - `tropical.matmul`: structural, with a kernel for each engine; the one of the CPU engine keeps memory from call to call.
//! - `tropical.mul`: elementwise, and fused with what is around it.
//! - `tropical.power`: made of the others, so that it needs neither kernel nor derivative of its own.
#![forbid(unsafe_code)]
use tfc::backends::cpu::{self, Kernel, KernelCx, Site};
use tfc::backends::interp;
use tfc::ir::batch::{Batched, Batcher};
use tfc::ir::derive::Linearizer;
use tfc::ir::op::{Batch, Expand, Law, Linearize, Slot, SlotKind};
use tfc::ir::sample::Domain;
use tfc::ir::{
    Attr, Attrs, Builder, Code, DType, Error, Extent, Family, NewOp, OpDef, OpId, OpSet, Part, Result, ScalarOp,
    Tensor, Type, ValueId,
};

/// `c[i, j] = max_k (a[i, k] + b[k, j])`, and the least `k` where that is so.
pub static MATMUL: OpDef = OpDef {
    name: "tropical.matmul",
    doc: "The tropical matrix product of `a` (`m × k`) and `b` (`k × n`, both `f64`), `c[i, j] = max_k (a[i, k] + b[k, j])`, \
          and the least `k` at which the maximum is taken, as `i64`. Without a `k` the maximum is -inf, and the place -1.",
    operands: &["a", "b"],
    infer: |cx| {
        let (a, b) = (cx.ty(0)?, cx.ty(1)?);
        for (i, t) in [&a, &b].into_iter().enumerate() {
            if t.dtype != DType::F64 || t.rank() != 2 {
                let e = Error::new(Code::E0203, "`tropical.matmul` takes matrices of f64");
                return Err(e.operand(i).help("convert and reshape it first"));
            }
        }
        cx.equal(&a.dims[1], &b.dims[0], Part::Operand(1), || "columns of `a` and rows of `b`".into())?;
        let dims = [a.dims[0].clone(), b.dims[1].clone()];
        Ok(vec![Type::new(DType::F64, dims.clone()), Type::new(DType::I64, dims)])
    },
    linearize: Linearize::Rule(linearize),
    batch: Batch::Rule(batch),
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        if cx.dtype != DType::F64 {
            return Ok(vec![]);
        }
        let on = |m: usize, k: usize, n: usize| {
            cx.op(&[(cx.ty(&[m, k]), Domain::Any), (cx.ty(&[k, n]), Domain::Any)], Attrs::none(), None)
        };
        Ok(vec![on(2, 3, 2)?, on(3, 1, 4)?])
    },
    ..OpDef::BASE
};
/// `a + b`.
pub static MUL: OpDef = OpDef {
    name: "tropical.mul",
    doc: "The tropical product of numbers: their sum, elementwise.",
    operands: &["a", "b"],
    infer: |cx| {
        let (a, b) = (cx.ty(0)?, cx.ty(1)?);
        if (a.dtype, a.rank()) != (b.dtype, b.rank()) || !a.dtype.is_float() {
            let e = Error::new(Code::E0203, "`tropical.mul` takes two floating tensors of one type").operand(1);
            return Err(e.help("convert one of them"));
        }
        for (axis, (m, n)) in a.dims.iter().zip(b.dims.iter()).enumerate() {
            cx.equal(m, n, Part::Operand(1), || format!("axis {axis} of both operands"))?;
        }
        Ok(vec![a])
    },
    linearize: Linearize::Partials(&[|b, _, y| b.like(y, 1.0), |b, _, y| b.like(y, 1.0)]),
    scalar: Some(ScalarOp::Add),
    batch: Batch::Elementwise,
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        if !cx.dtype.is_float() {
            return Ok(vec![]);
        }
        Ok(vec![cx.op(&[(cx.ty(&[2, 3]), Domain::Any), (cx.ty(&[2, 3]), Domain::Any)], Attrs::none(), None)?])
    },
    ..OpDef::BASE
};
/// `a` to the power `2^squarings`.
pub static POWER: OpDef = OpDef {
    name: "tropical.power",
    doc: "The tropical power `a^(2^squarings)` of a square matrix, by squaring.",
    operands: &["a"],
    slots: &[Slot::required("squarings", SlotKind::Int)],
    infer: |cx| {
        let a = cx.ty(0)?;
        let n = cx.attrs().int("squarings");
        if a.dtype != DType::F64 || a.rank() != 2 {
            let e = Error::new(Code::E0203, "`tropical.power` takes a matrix of f64").operand(0);
            return Err(e.help("convert and reshape it first"));
        }
        if !(0..=62).contains(&n) {
            return Err(Error::new(Code::E0223, format!("{n} squarings are not between 0 and 62")).attr("squarings"));
        }
        cx.equal(&a.dims[0], &a.dims[1], Part::Operand(0), || "rows and columns".into())?;
        Ok(vec![a])
    },
    expand: Expand::Composite(|b, op| {
        let mut a = op.operands[0];
        for _ in 0..op.attrs.int("squarings") {
            a = b.emit(NewOp::new(&MATMUL, &[a, a]))?[0];
        }
        Ok(vec![a])
    }),
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        if cx.dtype != DType::F64 {
            return Ok(vec![]);
        }
        let attrs = Attrs::of([("squarings", Attr::Int(2))]);
        Ok(vec![cx.op(&[(cx.ty(&[3, 3]), Domain::Any)], attrs, None)?])
    },
    ..OpDef::BASE
};
/// The rows.
pub static FAMILY: Family = &[&MATMUL, &MUL, &POWER];

/// `dc[i, j] = da[i, k] + db[k, j]` at the `k` that is taken: where two are equally good, the derivative is that of the first.
fn linearize(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let ys = cx.copy_primal(o)?;
    let (da, db) = (cx.tangent(op.operands[0]), cx.tangent(op.operands[1]));
    if da.is_none() && db.is_none() {
        return Ok(());
    }
    let a = cx.primal_type(op.operands[0])?;
    // 1 at `[i, k, j]` where `k` is taken.
    let all =
        |ty: &Type, rows: &Extent, columns: &Extent| ty.with_dims([rows.clone(), ty.dims[1].clone(), columns.clone()]);
    let b = cx.primal_type(op.operands[1])?;
    let cube = all(&a, &a.dims[0], &b.dims[1]);
    let p = cx.p();
    let counts = cube.with_dtype(DType::I64);
    let k =
        p.emit1(NewOp::new(&tfc::ir::ops::constant::IOTA, &[]).attr("axis", Attr::Int(1)).types(vec![counts.clone()]))?;
    let taken = p.broadcast(ys[1], &counts, &[0, 2])?;
    let hit = p.eq(k, taken)?;
    let hit = p.convert(hit, DType::F64)?;
    let hit = cx.residual(hit)?;
    let mut sum: Option<ValueId> = None;
    let cube = cx.lin_type(&cube)?;
    for (tangent, axes) in [(da, [0, 1]), (db, [1, 2])] {
        let Some(t) = tangent else { continue };
        let b: &mut Builder = cx.t();
        let wide = b.broadcast(t, &cube, &axes)?;
        let part = b.mul(hit, wide)?;
        let part = b.reduce_sum(part, &[1])?;
        sum = Some(match sum {
            Some(s) => b.add(s, part)?,
            None => part,
        });
    }
    cx.set_tangent(op.results[0], sum)
}
/// Many products at once: a loop over the indices.
fn batch(cx: &mut Batcher, _: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let a = cx.last(xs[0])?;
    let b = cx.last(xs[1])?;
    let (ta, tb) = (cx.b.ty(a), cx.b.ty(b));
    let body = cx
        .b
        .region("body", &[(ta.without(&[2]), "a"), (tb.without(&[2]), "b")], |b, p| b.emit(NewOp::new(&MATMUL, p)))?;
    let ys = cx.b.emit(NewOp::new(&tfc::ir::ops::control::SCAN, &[a, b]).regions(vec![body]))?;
    Ok(ys.into_iter().map(|y| Batched::along(y, 2)).collect())
}

/// `c` and `k` of [`MATMUL`], from elements with the first axis fastest.
fn multiply(a: &[f64], b: &[f64], [m, k, n]: [usize; 3], c: &mut [f64], place: &mut [i64]) {
    for j in 0..n {
        for i in 0..m {
            let (mut best, mut at) = (f64::NEG_INFINITY, -1);
            for l in 0..k {
                let x = a[i + l * m] + b[l + j * k];
                // A NaN is taken, and stays.
                if at < 0 || x > best || (x.is_nan() && !best.is_nan()) {
                    (best, at) = (x, l as i64);
                }
            }
            (c[i + j * m], place[i + j * m]) = (best, at);
        }
    }
}
/// What the CPU engine's kernel keeps: dense copies of operands that are not dense, and room for the results.
#[derive(Default)]
struct Room {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    place: Vec<i64>,
}
#[derive(Debug)]
struct Matmul;
impl Kernel for Matmul {
    fn scratch(&self, _: &Site) -> Option<usize> {
        None
    }
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let mut open = cx.open::<Room>()?;
        let (x, y) = (open.operands[0], open.operands[1]);
        let dims = [x.shape()[0], x.shape()[1], y.shape()[1]];
        let room = open.state;
        room.c.resize(dims[0] * dims[2], 0.0);
        room.place.resize(dims[0] * dims[2], 0);
        // Operands may be views: transposes, slices, repeated rows.
        let a = x.dense_slice::<f64>().unwrap_or_else(|| {
            room.a = x.to_vec();
            &room.a
        });
        let b = y.dense_slice::<f64>().unwrap_or_else(|| {
            room.b = y.to_vec();
            &room.b
        });
        multiply(a, b, dims, &mut room.c, &mut room.place);
        open.results[0].write(room.c.iter().copied());
        open.results[1].write(room.place.iter().copied());
        Ok(())
    }
}

/// Kernels of both engines.
pub fn kernels() -> tfc::Kernels {
    let matmul = |cx: &mut interp::OpCx| {
        let (a, b) = (cx.arg(0)?.clone(), cx.arg(1)?.clone());
        let dims = [a.shape()[0], a.shape()[1], b.shape()[1]];
        let n = dims[0] * dims[2];
        let (mut c, mut place) = (vec![0.0; n], vec![0; n]);
        let elements = |t: &Tensor| t.to_column_major::<f64>().unwrap_or_default();
        multiply(&elements(&a), &elements(&b), dims, &mut c, &mut place);
        let shape = [dims[0], dims[2]];
        Ok(vec![Tensor::from_column_major(&shape, c)?, Tensor::from_column_major(&shape, place)?])
    };
    tfc::Kernels {
        interp: interp::Kernels::core().with(&MATMUL, matmul),
        cpu: cpu::Kernels::core().with_kernel(&MATMUL, |_| Ok(Matmul)),
    }
}
/// The built-in ops and these.
///
/// # Errors
/// `E0298` where a built-in op has one of their names.
pub fn ops() -> Result<OpSet> {
    OpSet::core().with(FAMILY)
}
