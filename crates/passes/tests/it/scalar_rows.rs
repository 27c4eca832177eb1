//! Elementwise rows in action: they agree with the kernels about dtypes, simplification keeps every bit at special values,
//! and derivatives at ties, bounds and singular points are those of TFIR §7.
use std::sync::Arc;
use tfc_interp::{Interp, RunOptions};
use tfc_ir::ops::derivative::{JVP, VJP};
use tfc_ir::ops::elementwise as e;
use tfc_ir::*;
use tfc_kernels::scalar;
use tfc_passes::Pipeline;

type Build = fn(&mut Builder, &[ValueId]) -> Result<ValueId>;

fn module() -> Module {
    Module::new(Arc::new(OpSet::core()))
}
fn add(m: &Module, name: &str, params: &[Type], body: Build) -> FuncId {
    let mut b = Builder::new(m, name);
    let xs: Vec<_> = params.iter().map(|t| b.param(t.clone(), "x")).collect();
    let y = body(&mut b, &xs).unwrap();
    b.export(true);
    m.add(b.finish(vec![y]).unwrap())
}
fn pass(m: &mut Module, text: &str) {
    Pipeline::parse(text).unwrap().run(m, &mut |_| {}).unwrap();
}
fn run(m: &Module, f: FuncId, args: &[Tensor]) -> Vec<Tensor> {
    Interp::new(m).run(f, args, &RunOptions::default()).unwrap()
}
fn size(m: &Module, f: FuncId) -> usize {
    let f = m.func(f).unwrap();
    f.region(BODY).ops.len()
}
fn op(b: &mut Builder, def: &'static OpDef, x: &[ValueId]) -> Result<ValueId> {
    b.emit1(NewOp::new(def, x))
}

#[test]
fn rows_and_kernels_agree_about_dtypes() {
    for def in e::FAMILY {
        let Some(s) = def.scalar else { continue };
        for d in DType::WIDE {
            for to in DType::WIDE {
                let from = match s {
                    ScalarOp::Select => vec![DType::Bool, d, d],
                    _ => vec![d; s.arity()],
                };
                let m = module();
                let mut b = Builder::new(&m, "f");
                let xs: Vec<_> = from.iter().map(|&d| b.param(Type::exact(d, &[2]), "x")).collect();
                let row = b.emit(NewOp::new(def, &xs).types(vec![Type::exact(to, &[2])])).is_ok();
                assert_eq!(row, scalar::kernel(s, &from, to).is_some(), "{} of {d} to {to}", def.name);
            }
        }
    }
}

/// All pairs of special values, as two operands.
fn pairs<T: Element>(v: &[T]) -> Vec<Tensor> {
    let n = v.len();
    let x = (0..n * n).map(|i| v[i / n]).collect();
    let y = (0..n * n).map(|i| v[i % n]).collect();
    vec![Tensor::from_logical(&[n * n], x).unwrap(), Tensor::from_logical(&[n * n], y).unwrap()]
}
fn special(d: DType) -> Vec<Tensor> {
    let f = [0.0, -0.0, 1.0, -1.5, 2.0, 1e-310, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let c = |f: &[f64]| f.iter().flat_map(|&re| f.iter().map(move |&im| C64::new(re, im))).collect::<Vec<_>>();
    match d {
        DType::Bool => pairs(&[false, true]),
        DType::I32 => pairs(&[0, 1, -1, 7, i32::MIN, i32::MAX]),
        DType::U64 => pairs(&[0, 1, 7, 1 << 63, u64::MAX]),
        DType::F32 => pairs(&f.map(|x| x as f32)),
        DType::F64 => pairs(&f),
        DType::C64 => pairs(&c(&[0.0, -0.0, -1.5, f64::INFINITY, f64::NAN])),
        _ => vec![],
    }
}

const REAL: &[DType] = &[DType::F32, DType::F64];
const INT: &[DType] = &[DType::I32, DType::U64];
const BOOL: &[DType] = &[DType::Bool];
const COMPLEX: &[DType] = &[DType::C64];
const NUMBERS: &[DType] = &[DType::I32, DType::U64, DType::F32, DType::F64, DType::C64];
const ALL: &[DType] = &[DType::Bool, DType::I32, DType::U64, DType::F32, DType::F64, DType::C64];

/// Programs of two operands, and the number of statements that `simplify,dce` leaves of them.
#[rustfmt::skip] // a table: one rule a line
const RULES: &[(&str, &[DType], usize, Build)] = &[
    ("neg neg x", NUMBERS, 0, |b, x| { let y = b.neg(x[0])?; b.neg(y) }),
    ("abs neg x", &[DType::I32, DType::F32, DType::F64, DType::C64], 1, |b, x| { let y = b.neg(x[0])?; b.abs(y) }),
    ("abs neg x stays, unsigned", &[DType::U64], 2, |b, x| { let y = b.neg(x[0])?; b.abs(y) }),
    ("abs abs x", INT, 1, |b, x| { let y = b.abs(x[0])?; b.abs(y) }),
    ("floor ceil x", REAL, 1, |b, x| { let y = op(b, &e::CEIL, &x[..1])?; op(b, &e::FLOOR, &[y]) }),
    ("round round_even x", REAL, 1, |b, x| { let y = op(b, &e::ROUND_EVEN, &x[..1])?; op(b, &e::ROUND, &[y]) }),
    ("x + (-0.0)", REAL, 0, |b, x| { let z = b.like(x[0], -0.0)?; b.add(x[0], z) }),
    ("(-0.0) + x", REAL, 0, |b, x| { let z = b.like(x[0], -0.0)?; b.add(z, x[0]) }),
    ("x + 0, integer", INT, 0, |b, x| { let z = b.like(x[0], 0.0)?; b.add(x[0], z) }),
    ("x + 0.0 stays", REAL, 2, |b, x| { let z = b.like(x[0], 0.0)?; b.add(x[0], z) }),
    ("x + 0.0 stays, complex", COMPLEX, 2, |b, x| { let z = b.like(x[0], 0.0)?; b.add(x[0], z) }),
    ("x + neg y", NUMBERS, 1, |b, x| { let y = b.neg(x[1])?; b.add(x[0], y) }),
    ("neg x + y", NUMBERS, 1, |b, x| { let y = b.neg(x[0])?; b.add(y, x[1]) }),
    ("x - neg y", NUMBERS, 1, |b, x| { let y = b.neg(x[1])?; b.sub(x[0], y) }),
    ("x - 0.0", NUMBERS, 0, |b, x| { let z = b.like(x[0], 0.0)?; b.sub(x[0], z) }),
    ("x - (-0.0) stays", REAL, 2, |b, x| { let z = b.like(x[0], -0.0)?; b.sub(x[0], z) }),
    ("-0.0 - x", REAL, 1, |b, x| { let z = b.like(x[0], -0.0)?; b.sub(z, x[0]) }),
    ("0.0 - x stays", REAL, 2, |b, x| { let z = b.like(x[0], 0.0)?; b.sub(z, x[0]) }),
    ("0 - x, integer", INT, 1, |b, x| { let z = b.like(x[0], 0.0)?; b.sub(z, x[0]) }),
    ("x - x stays", REAL, 1, |b, x| b.sub(x[0], x[0])),
    ("x * 1", REAL, 0, |b, x| { let z = b.like(x[0], 1.0)?; b.mul(x[0], z) }),
    ("1 * x, integer", INT, 0, |b, x| { let z = b.like(x[0], 1.0)?; b.mul(z, x[0]) }),
    ("x * 1 stays, complex", COMPLEX, 2, |b, x| { let z = b.like(x[0], 1.0)?; b.mul(x[0], z) }),
    ("x * -1", REAL, 1, |b, x| { let z = b.like(x[0], -1.0)?; b.mul(x[0], z) }),
    ("x * 0.0 stays", REAL, 2, |b, x| { let z = b.like(x[0], 0.0)?; b.mul(x[0], z) }),
    ("x * 0, integer", INT, 1, |b, x| { let z = b.like(x[0], 0.0)?; b.mul(x[0], z) }),
    ("neg x * neg y", NUMBERS, 1, |b, x| { let (p, q) = (b.neg(x[0])?, b.neg(x[1])?); b.mul(p, q) }),
    ("x / 1", REAL, 0, |b, x| { let z = b.like(x[0], 1.0)?; b.div(x[0], z) }),
    ("x / 1, integer", INT, 0, |b, x| { let z = b.like(x[0], 1.0)?; b.div(x[0], z) }),
    ("x / -1", &[DType::I32, DType::F64], 1, |b, x| { let z = b.like(x[0], -1.0)?; b.div(x[0], z) }),
    ("x / x stays", REAL, 1, |b, x| b.div(x[0], x[0])),
    ("neg x / neg y", REAL, 1, |b, x| { let (p, q) = (b.neg(x[0])?, b.neg(x[1])?); b.div(p, q) }),
    ("neg x / neg y stays, integer", INT, 3, |b, x| { let (p, q) = (b.neg(x[0])?, b.neg(x[1])?); b.div(p, q) }),
    ("pow(x, 0)", REAL, 1, |b, x| { let n = b.like(x[0], 0.0)?; b.pow(x[0], n) }),
    ("pow(x, 1)", REAL, 0, |b, x| { let n = b.like(x[0], 1.0)?; b.pow(x[0], n) }),
    ("pow(x, 2)", REAL, 1, |b, x| { let n = b.like(x[0], 2.0)?; b.pow(x[0], n) }),
    ("pow(x, 2), integer", INT, 1, |b, x| { let n = b.like(x[0], 2.0)?; b.pow(x[0], n) }),
    ("pow(x, -1)", REAL, 2, |b, x| { let n = b.like(x[0], -1.0)?; b.pow(x[0], n) }),
    ("pow(x, 0.5) stays", REAL, 2, |b, x| { let n = b.like(x[0], 0.5)?; b.pow(x[0], n) }),
    ("max(x, x)", REAL, 0, |b, x| b.max(x[0], x[0])),
    ("min(x, inf)", REAL, 0, |b, x| { let z = b.like(x[0], f64::INFINITY)?; b.min(x[0], z) }),
    ("max(-inf, x)", REAL, 0, |b, x| { let z = b.like(x[0], f64::NEG_INFINITY)?; b.max(z, x[0]) }),
    ("max(x, inf) stays", REAL, 2, |b, x| { let z = b.like(x[0], f64::INFINITY)?; b.max(x[0], z) }),
    ("clamp(-inf, x, inf)", REAL, 0, |b, x| {
        let (lo, hi) = (b.like(x[0], f64::NEG_INFINITY)?, b.like(x[0], f64::INFINITY)?);
        op(b, &e::CLAMP, &[lo, x[0], hi])
    }),
    ("not not x", BOOL, 0, |b, x| { let y = b.not(x[0])?; b.not(y) }),
    ("not eq", ALL, 1, |b, x| { let y = b.eq(x[0], x[1])?; b.not(y) }),
    ("not lt stays", REAL, 2, |b, x| { let y = b.lt(x[0], x[1])?; b.not(y) }),
    ("x and true", BOOL, 0, |b, x| { let t = b.like(x[0], 1.0)?; b.and(x[0], t) }),
    ("x and false", BOOL, 1, |b, x| { let t = b.like(x[0], 0.0)?; b.and(x[0], t) }),
    ("x or true", BOOL, 1, |b, x| { let t = b.like(x[0], 1.0)?; b.or(t, x[0]) }),
    ("x or 0", INT, 0, |b, x| { let t = b.like(x[0], 0.0)?; b.or(x[0], t) }),
    ("x and 1 stays, integer", INT, 2, |b, x| { let t = b.like(x[0], 1.0)?; b.and(x[0], t) }),
    ("x or 1 stays, integer", INT, 2, |b, x| { let t = b.like(x[0], 1.0)?; b.or(x[0], t) }),
    ("x and 0", INT, 1, |b, x| { let t = b.like(x[0], 0.0)?; b.and(x[0], t) }),
    ("x xor x", INT, 1, |b, x| op(b, &e::XOR, &[x[0], x[0]])),
    ("x xor true", BOOL, 1, |b, x| { let t = b.like(x[0], 1.0)?; op(b, &e::XOR, &[x[0], t]) }),
    ("x << 0", INT, 0, |b, x| { let t = b.like(x[0], 0.0)?; op(b, &e::SHL, &[x[0], t]) }),
    ("x == x, integer", INT, 1, |b, x| b.eq(x[0], x[0])),
    ("x < x", REAL, 1, |b, x| b.lt(x[0], x[0])),
    ("x == true", BOOL, 0, |b, x| { let t = b.like(x[0], 1.0)?; b.eq(x[0], t) }),
    ("x != true", BOOL, 1, |b, x| { let t = b.like(x[0], 1.0)?; b.ne(x[0], t) }),
    ("select(true, x, y)", ALL, 0, |b, x| { let p = b.splat(&Type::scalar(DType::Bool), 1.0)?; b.select(p, x[0], x[1]) }),
    ("select(false, x, y)", ALL, 0, |b, x| { let p = b.splat(&Type::scalar(DType::Bool), 0.0)?; b.select(p, x[0], x[1]) }),
    ("select(p, x, x)", ALL, 0, |b, x| { let p = b.eq(x[0], x[1])?; b.select(p, x[0], x[0]) }),
    ("select(not p, x, y)", REAL, 2, |b, x| { let p = b.lt(x[0], x[1])?; let q = b.not(p)?; b.select(q, x[0], x[1]) }),
    ("select(p, true, false)", REAL, 1, |b, x| {
        let p = b.lt(x[0], x[1])?;
        let (t, f) = (b.like(p, 1.0)?, b.like(p, 0.0)?);
        b.select(p, t, f)
    }),
    ("select(p, select(p, x, y), x)", REAL, 0, |b, x| {
        let p = b.lt(x[0], x[1])?;
        let s = b.select(p, x[0], x[1])?;
        b.select(p, s, x[0])
    }),
    ("select(not p, x, select(p, y, x))", REAL, 2, |b, x| {
        let p = b.lt(x[0], x[1])?;
        let (q, s) = (b.not(p)?, b.select(p, x[1], x[0])?);
        b.select(q, x[0], s)
    }),
    ("conj conj z", COMPLEX, 0, |b, x| { let y = b.conj(x[0])?; b.conj(y) }),
    ("conj x, real", REAL, 0, |b, x| b.conj(x[0])),
    ("imag x, real", REAL, 1, |b, x| b.imag(x[0])),
    ("real complex(x, y)", REAL, 0, |b, x| { let z = b.complex(x[0], x[1])?; b.real(z) }),
    ("imag complex(x, y)", REAL, 0, |b, x| { let z = b.complex(x[0], x[1])?; b.imag(z) }),
    ("imag conj z", COMPLEX, 2, |b, x| { let z = b.conj(x[0])?; b.imag(z) }),
    ("complex(real z, imag z)", COMPLEX, 0, |b, x| { let (p, q) = (b.real(x[0])?, b.imag(x[0])?); b.complex(p, q) }),
    ("complex(real z, imag w) stays", COMPLEX, 3, |b, x| { let (p, q) = (b.real(x[0])?, b.imag(x[1])?); b.complex(p, q) }),
    ("f32 to f64 to f32", &[DType::F32], 0, |b, x| { let y = b.convert(x[0], DType::F64)?; b.convert(y, DType::F32) }),
    ("f64 to f32 to f64 stays", &[DType::F64], 2, |b, x| { let y = b.convert(x[0], DType::F32)?; b.convert(y, DType::F64) }),
    ("i32 to f32 to i32 stays", &[DType::I32], 2, |b, x| { let y = b.convert(x[0], DType::F32)?; b.convert(y, DType::I32) }),
    ("i32 to u64 to i32", &[DType::I32], 0, |b, x| { let y = b.convert(x[0], DType::U64)?; b.convert(y, DType::I32) }),
    ("u64 to i64 to u64", &[DType::U64], 0, |b, x| { let y = b.convert(x[0], DType::I64)?; b.convert(y, DType::U64) }),
    ("f64 to u32 and back", &[DType::F64], 0, |b, x| {
        let n = b.ty(x[0]).dims[0].clone();
        let halves = b.emit1(NewOp::new(&e::BITCAST, &x[..1]).types(vec![Type::new(DType::U32, vec![n, Extent::exact(2)])]))?;
        let ty = b.ty(x[0]);
        b.emit1(NewOp::new(&e::BITCAST, &[halves]).types(vec![ty]))
    }),
    ("reduce_precision to f32", &[DType::F32], 0, |b, x| precision(b, x[0], 8, 23)),
    ("reduce_precision twice", REAL, 1, |b, x| { let y = precision(b, x[0], 5, 10)?; precision(b, y, 5, 10) }),
    ("reduce_precision of another stays", REAL, 2, |b, x| { let y = precision(b, x[0], 5, 10)?; precision(b, y, 8, 7) }),
];
fn precision(b: &mut Builder, x: ValueId, exponent: i64, mantissa: i64) -> Result<ValueId> {
    let op = NewOp::new(&e::REDUCE_PRECISION, &[x]);
    b.emit1(op.attr("exponent", Attr::Int(exponent)).attr("mantissa", Attr::Int(mantissa)))
}

#[test]
fn simplification_keeps_every_bit() {
    let mut failures = vec![];
    for &(name, dtypes, left, body) in RULES {
        for &d in dtypes {
            let inputs = special(d);
            let types: Vec<_> = inputs.iter().map(|t| Type::exact(d, t.shape())).collect();
            let mut m = module();
            let f = add(&m, "f", &types, body);
            let before = run(&m, f, &inputs);
            pass(&mut m, "simplify,dce");
            if size(&m, f) != left {
                failures.push(format!("`{name}` on {d} leaves {} statements, not {left}", size(&m, f)));
            }
            let after = run(&m, f, &inputs);
            if !before[0].same(&after[0]) {
                failures.push(format!("`{name}` on {d}: {:?} became {:?}", before[0].data(), after[0].data()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Tangents along each operand alone, then the cotangents of 1.
fn slopes(body: Build, at: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let scalar = Type::scalar(DType::F64);
    let mut m = module();
    let f = add(&m, "f", &vec![scalar.clone(); at.len()], body);
    let wrt: Vec<usize> = (0..at.len()).collect();
    let derive = |def: &'static OpDef, extra: usize| {
        let mut b = Builder::new(&m, def.name);
        let xs: Vec<_> = (0..at.len() + extra).map(|_| b.param(scalar.clone(), "x")).collect();
        let op = NewOp::new(def, &xs).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&wrt));
        let ys = b.emit(op).unwrap();
        b.export(true);
        m.add(b.finish(ys).unwrap())
    };
    let (forward, backward) = (derive(&JVP, at.len()), derive(&VJP, 1));
    pass(&mut m, "expand-ad,expand");
    let value = |m: &Module, f, args: &[f64]| -> Vec<f64> {
        let args: Vec<_> = args.iter().map(|&x| Tensor::scalar(x)).collect();
        run(m, f, &args)[1..].iter().map(|t| t.item::<f64>().unwrap()).collect()
    };
    let unit = |i: usize| (0..at.len()).map(move |j| f64::from(u8::from(i == j)));
    let tangents = (0..at.len()).map(|i| value(&m, forward, &at.iter().copied().chain(unit(i)).collect::<Vec<_>>())[0]);
    let tangents = tangents.collect();
    (tangents, value(&m, backward, &[at, &[1.0]].concat()))
}
fn expect_slopes(name: &str, body: Build, at: &[f64], want: &[f64]) {
    let (forward, backward) = slopes(body, at);
    for (what, got) in [("tangents", forward), ("cotangents", backward)] {
        let close = got.len() == want.len() && got.iter().zip(want).all(|(a, b)| a == b || (a - b).abs() <= 1e-15);
        assert!(close, "{what} of {name} at {at:?} are {got:?}, not {want:?}");
    }
}
fn clamp(b: &mut Builder, x: &[ValueId]) -> Result<ValueId> {
    op(b, &e::CLAMP, x)
}

#[test]
fn ties_are_split_evenly() {
    expect_slopes("max", |b, x| b.max(x[0], x[1]), &[2.0, 2.0], &[0.5, 0.5]);
    expect_slopes("max", |b, x| b.max(x[0], x[1]), &[2.0, 1.0], &[1.0, 0.0]);
    expect_slopes("max", |b, x| b.max(x[0], x[1]), &[0.0, -0.0], &[0.5, 0.5]);
    expect_slopes("min", |b, x| b.min(x[0], x[1]), &[2.0, 2.0], &[0.5, 0.5]);
    expect_slopes("min", |b, x| b.min(x[0], x[1]), &[2.0, 1.0], &[0.0, 1.0]);
    expect_slopes("max", |b, x| b.max(x[0], x[1]), &[f64::INFINITY, f64::INFINITY], &[0.5, 0.5]);
}

#[test]
fn clamp_passes_x_strictly_inside() {
    for (at, want) in [
        ([0.0, 0.5, 1.0], [0.0, 1.0, 0.0]),
        ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
        ([0.0, -3.0, 1.0], [1.0, 0.0, 0.0]),
        ([0.0, 1.0, 1.0], [0.0, 0.0, 1.0]),
        ([0.0, 9.0, 1.0], [0.0, 0.0, 1.0]),
        // Bounds the wrong way round: the upper one wins.
        ([1.0, 0.5, 0.0], [0.0, 0.0, 1.0]),
    ] {
        expect_slopes("clamp", clamp, &at, &want);
    }
}

#[test]
fn singular_points() {
    let inf = f64::INFINITY;
    expect_slopes("abs", |b, x| b.abs(x[0]), &[0.0], &[0.0]);
    expect_slopes("sqrt", |b, x| b.sqrt(x[0]), &[0.0], &[inf]);
    expect_slopes("cbrt", |b, x| b.cbrt(x[0]), &[0.0], &[inf]);
    expect_slopes("bessel_i1e", |b, x| b.bessel_i1e(x[0]), &[0.0], &[0.5]);
    expect_slopes("bessel_i1e", |b, x| b.bessel_i1e(x[0]), &[5e-324], &[0.5]);
    expect_slopes("pow", |b, x| b.pow(x[0], x[1]), &[0.0, 2.0], &[0.0, 0.0]);
    expect_slopes("pow", |b, x| b.pow(x[0], x[1]), &[0.0, 1.0], &[1.0, 0.0]);
    expect_slopes("pow", |b, x| b.pow(x[0], x[1]), &[0.0, 0.0], &[0.0, 0.0]);
    expect_slopes("rem", |b, x| b.rem(x[0], x[1]), &[7.0, 2.0], &[1.0, -3.0]);
    expect_slopes("rem", |b, x| b.rem(x[0], x[1]), &[-7.0, 2.0], &[1.0, 3.0]);
    expect_slopes(
        "constant exponent",
        |b, x| {
            let n = b.like(x[0], 2.0)?;
            b.pow(x[0], n)
        },
        &[-3.0],
        &[-6.0],
    );
    expect_slopes(
        "constant exponent",
        |b, x| {
            let n = b.like(x[0], 0.0)?;
            b.pow(x[0], n)
        },
        &[0.0],
        &[0.0],
    );
}

/// The modulus and the sign of a complex zero have derivative 0, not NaN, to any order.
#[test]
fn complex_zero() {
    let modulus = |b: &mut Builder, x: &[ValueId]| {
        let z = b.complex(x[0], x[1])?;
        b.abs(z)
    };
    expect_slopes("|z|", modulus, &[0.0, 0.0], &[0.0, 0.0]);
    expect_slopes("|z|", modulus, &[3.0, 4.0], &[0.6, 0.8]);
    let sign = |b: &mut Builder, x: &[ValueId]| {
        let z = b.complex(x[0], x[1])?;
        let s = b.sign(z)?;
        b.imag(s)
    };
    expect_slopes("sign(z)", sign, &[0.0, 0.0], &[0.0, 0.0]);
}

/// A tangent that does not exist costs nothing: no zeros are made for the operand that is not differentiated.
#[test]
fn symbolic_zeros_stay_symbolic() {
    let statements = |body: Build| {
        let scalar = Type::scalar(DType::F64);
        let mut m = module();
        let f = add(&m, "f", &[scalar.clone(), scalar.clone()], body);
        let mut b = Builder::new(&m, "d");
        let xs: Vec<_> = (0..3).map(|_| b.param(scalar.clone(), "x")).collect();
        let ys =
            b.emit(NewOp::new(&JVP, &xs).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&[0]))).unwrap();
        b.export(true);
        let d = m.add(b.finish(ys[1..].to_vec()).unwrap());
        pass(&mut m, "expand-ad,inline,dce");
        size(&m, d)
    };
    assert_eq!(statements(|b, x| b.add(x[0], x[1])), 0);
    assert_eq!(statements(|b, x| b.sub(x[0], x[1])), 0);
    assert_eq!(statements(|b, x| b.sub(x[1], x[0])), 1);
    assert_eq!(statements(|b, x| b.mul(x[0], x[1])), 1);
    assert_eq!(statements(|b, x| b.div(x[0], x[1])), 1);
    assert_eq!(statements(|b, x| b.rem(x[0], x[1])), 0);
}
