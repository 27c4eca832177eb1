//! The interpreter: each op's meaning on small tensors, control flow, extents, limits.
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tfc_backends::cpu;
use tfc_backends::interp::{Interp, Kernels, RunOptions};
use tfc_ir::{
    Attr, Attrs, Budget, Builder, C64, CmpOp, Constraint, DType, DataDecl, DataId, Element, Extent, FuncId, Limits,
    Module, NewOp, OpDef, OpSet, Result, Span, SymRef, Tensor, Type, ValueId,
};

fn row(name: &str) -> &'static OpDef {
    OpSet::core().get(name).unwrap_or_else(|| panic!("no row `{name}`"))
}
fn module() -> Module {
    Module::new(Arc::new(OpSet::core()))
}
fn op(name: &str, operands: &[ValueId]) -> NewOp {
    NewOp::new(row(name), operands)
}
fn exact(v: &[i64]) -> Attr {
    Attr::extents(v.iter().map(|&i| Extent::exact(i)).collect::<Vec<_>>())
}
type Body<'b> = &'b dyn Fn(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>>;
/// Runs a program whose parameters have the arguments' types.
fn run(args: &[Tensor], body: Body) -> Result<Vec<Tensor>> {
    run_with(args, &RunOptions::default(), body)
}
fn run_with(args: &[Tensor], options: &RunOptions, body: Body) -> Result<Vec<Tensor>> {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let ps: Vec<_> = args.iter().map(|t| b.param(Type::exact(t.dtype(), t.shape()), "x")).collect();
    let ys = body(&mut b, &ps)?;
    let f = m.add(b.finish(ys)?);
    Interp::new(&m).run(f, args, options)
}
/// One op with one result.
fn one(args: &[Tensor], make: &dyn Fn(&[ValueId]) -> NewOp) -> Result<Tensor> {
    Ok(run(args, &|b, x| b.emit(make(x)))?.remove(0))
}
fn list<T: Element>(t: &Tensor) -> Vec<T> {
    t.to_logical::<T>().expect("the dtype")
}
fn f64s(shape: &[usize], v: &[f64]) -> Tensor {
    Tensor::from_logical(shape, v.to_vec())
}
/// 0, 1, 2, … in logical order.
fn count(shape: &[usize]) -> Tensor {
    Tensor::from_logical(shape, (0..shape.iter().product::<usize>()).map(|i| i as f64).collect())
}
fn code<T>(r: Result<T>) -> (&'static str, String) {
    match r {
        Ok(_) => ("", String::new()),
        Err(e) => (e.data().code, e.to_string()),
    }
}

#[test]
fn shape_ops() {
    let x = count(&[2, 3]);
    let same =
        |t: &Tensor, shape: &[usize], v: &[f64]| assert!(t.same(&f64s(shape, v)), "{t:?} is not {shape:?} {v:?}");
    let at = |name: &'static str, args: &[Tensor], attrs: &[(&'static str, Attr)], ty: Option<&[usize]>| {
        one(args, &|x| {
            let mut o = op(name, x).attrs(tfc_ir::Attrs::of(attrs.to_vec()));
            o.declared = ty.map(|t| vec![Type::exact(DType::F64, t)]);
            o
        })
        .unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let x1 = std::slice::from_ref(&x);
    same(&at("reshape", x1, &[], Some(&[3, 2])), &[3, 2], &[0., 1., 2., 3., 4., 5.]);
    same(&at("reshape", x1, &[("order", Attr::word("first"))], Some(&[3, 2])), &[3, 2], &[0., 4., 3., 2., 1., 5.]);
    same(&at("transpose", x1, &[("perm", Attr::ints(&[1, 0]))], None), &[3, 2], &[0., 3., 1., 4., 2., 5.]);
    let b = at("broadcast_in_dim", &[count(&[2, 1])], &[("dims", Attr::ints(&[1, 2]))], Some(&[2, 2, 3]));
    same(&b, &[2, 2, 3], &[0., 0., 0., 1., 1., 1., 0., 0., 0., 1., 1., 1.]);
    let s = [("start", exact(&[0, 0])), ("limit", exact(&[2, 3])), ("stride", Attr::ints(&[1, 2]))];
    same(&at("slice", x1, &s, None), &[2, 2], &[0., 2., 3., 5.]);
    let p = [("low", exact(&[1, -1])), ("high", exact(&[0, 1])), ("interior", Attr::ints(&[0, 1]))];
    let padded = at("pad", &[x.clone(), Tensor::scalar(9.0)], &p, None);
    same(&padded, &[3, 5], &[9., 9., 9., 9., 9., 9., 1., 9., 2., 9., 9., 4., 9., 5., 9.]);
    same(
        &at("concat", &[x.clone(), count(&[2, 1])], &[("axis", Attr::Int(1))], None),
        &[2, 4],
        &[0., 1., 2., 0., 3., 4., 5., 1.],
    );
    same(&at("reverse", x1, &[("axes", Attr::ints(&[1]))], None), &[2, 3], &[2., 1., 0., 5., 4., 3.]);
    let ix = |i: i64, j: i64| [x.clone(), Tensor::scalar(i), Tensor::scalar(j)];
    same(&at("dynamic_slice", &ix(-5, 9), &[("sizes", exact(&[1, 2]))], None), &[1, 2], &[1., 2.]);
    let u = [x.clone(), f64s(&[1, 2], &[7., 8.]), Tensor::scalar(9u32), Tensor::scalar(u64::MAX)];
    same(&at("dynamic_update_slice", &u, &[], None), &[2, 3], &[0., 1., 2., 3., 7., 8.]);
    same(&at("take_prefix", x1, &[("axis", Attr::Int(1))], Some(&[2, 2])), &[2, 2], &[0., 1., 3., 4.]);
    same(
        &at("pad_suffix", x1, &[("axis", Attr::Int(0))], Some(&[3, 3])),
        &[3, 3],
        &[0., 1., 2., 3., 4., 5., 0., 0., 0.],
    );
    same(&at("tril", x1, &[], None), &[2, 3], &[0., 0., 0., 3., 4., 0.]);
    same(&at("triu", x1, &[("k", Attr::Int(1))], None), &[2, 3], &[0., 1., 2., 0., 0., 5.]);
    same(&at("extract_diag", x1, &[], None), &[2], &[0., 4.]);
    same(&at("embed_diag", &[f64s(&[2], &[3., 4.])], &[], None), &[2, 2], &[3., 0., 0., 4.]);
    // A view in another order is the same tensor.
    same(&at("reshape", &[count(&[3, 2]).permuted(&[1, 0])], &[], Some(&[6])), &[6], &[0., 2., 4., 1., 3., 5.]);
}

#[test]
fn constants() {
    let r = run(&[], &|b, _| {
        let i = b.emit(op("iota", &[]).attr("axis", Attr::Int(1)).types(vec![Type::exact(DType::I32, &[2, 3])]))?;
        let s = b.emit(
            op("const", &[])
                .attr("splat", Attr::Tensor(Tensor::scalar(2.5f32)))
                .types(vec![Type::exact(DType::F32, &[2])]),
        )?;
        let bytes =
            op("const", &[]).attr("bytes", Attr::Str("AQACAAMABAA=".into())).types(vec![Type::exact(DType::U32, &[2])]);
        Ok([i, s, b.emit(bytes)?].concat())
    });
    let r = r.expect("runs");
    assert_eq!(list::<i32>(&r[0]), [0, 1, 2, 0, 1, 2]);
    assert_eq!(list::<f32>(&r[1]), [2.5, 2.5]);
    assert_eq!(list::<u32>(&r[2]), [0x20001, 0x40003]);
}

#[test]
fn reductions() {
    let reduce = |name: &'static str, t: Tensor, axes: &[usize]| {
        one(&[t], &|x| op(name, x).attr("axes", Attr::ints(axes))).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let x = f64s(&[2, 3], &[1., -2., 3., 4., f64::NAN, 6.]);
    assert_eq!(list::<f64>(&reduce("reduce_sum", count(&[2, 3]), &[1])), [3., 12.]);
    assert_eq!(list::<f64>(&reduce("reduce_sum", count(&[2, 3]), &[0, 1])), [15.]);
    assert_eq!(list::<f64>(&reduce("reduce_sum", count(&[2, 3]), &[])), [0., 1., 2., 3., 4., 5.]);
    assert_eq!(list::<f64>(&reduce("reduce_prod", f64s(&[3], &[2., -3., 4.]), &[0])), [-24.]);
    let m = list::<f64>(&reduce("reduce_max", x.clone(), &[1]));
    assert!(m[0] == 3. && m[1].is_nan());
    let m = list::<f64>(&reduce("reduce_min", x, &[0]));
    assert!(m[0] == 1. && m[1].is_nan() && m[2] == 3.);
    let empty = |d| Tensor::zeros(d, &[0, 2]).expect("small");
    assert_eq!(list::<f64>(&reduce("reduce_max", empty(DType::F64), &[0])), [f64::NEG_INFINITY; 2]);
    assert_eq!(list::<i32>(&reduce("reduce_max", empty(DType::I32), &[0])), [i32::MIN; 2]);
    assert_eq!(list::<u64>(&reduce("reduce_min", empty(DType::U64), &[0])), [u64::MAX; 2]);
    assert_eq!(list::<f64>(&reduce("reduce_prod", empty(DType::F64), &[0])), [1.; 2]);
    assert_eq!(list::<i64>(&reduce("reduce_sum", empty(DType::I64), &[0])), [0; 2]);
    assert_eq!(list::<bool>(&reduce("reduce_and", empty(DType::Bool), &[0])), [true; 2]);
    assert_eq!(list::<bool>(&reduce("reduce_or", empty(DType::Bool), &[0])), [false; 2]);
    let i = Tensor::from_logical(&[3], vec![6i32, 3, i32::MAX]);
    assert_eq!(list::<i32>(&reduce("reduce_sum", i.clone(), &[0])), [i32::MIN + 8]);
    assert_eq!(list::<i32>(&reduce("reduce_xor", i.clone(), &[0])), [6 ^ 3 ^ i32::MAX]);
    assert_eq!(list::<i32>(&reduce("reduce_and", i, &[0])), [2]);
    let big = f64s(&[4], &[1e16, 1.0, 1.0, -1e16]);
    assert_eq!(list::<f64>(&reduce("reduce_sum", big, &[0])), [2.0]);
    assert_eq!(list::<f64>(&reduce("reduce_sum", f64s(&[2], &[f64::INFINITY, 1.0]), &[0])), [f64::INFINITY]);
}

#[test]
fn arg_reductions() {
    let arg = |name: &'static str, v: &[f64]| {
        let r = one(&[f64s(&[v.len()], v)], &|x| op(name, x).attr("axis", Attr::Int(0)));
        r.map(|t| t.item::<i64>().expect("one index"))
    };
    assert_eq!(arg("argmax", &[1., 3., 3., 2.]).ok(), Some(1));
    assert_eq!(arg("argmin", &[1., -0.0, 0.0, 2.]).ok(), Some(1));
    assert_eq!(arg("argmax", &[1., f64::NAN, 9., f64::NAN]).ok(), Some(1));
    assert_eq!(arg("argmin", &[1., f64::NAN, -9.]).ok(), Some(1));
    let m = module();
    let mut b = Builder::new(&m, "f");
    let n = Extent::sym(b.sym("n", Span::default()));
    let x = b.param(Type::new(DType::F64, vec![Extent::exact(2), n]), "x");
    let y = b.emit(op("argmax", &[x]).attr("axis", Attr::Int(1))).expect("a guard, not an error");
    let f = m.add(b.finish(y).expect("finishes"));
    let go = |n: usize| Interp::new(&m).run(f, &[count(&[2, n])], &RunOptions::default());
    assert_eq!(list::<i64>(&go(3).expect("runs")[0]), [2, 2]);
    let (c, text) = code(go(0));
    assert!(c == "E0420" && text.contains("n = 0"), "{text}");
}

#[test]
fn dot_general() {
    let x =
        Tensor::from_logical(&[2, 2], vec![C64::new(1., 1.), C64::new(2., 0.), C64::new(0., 3.), C64::new(4., -1.)]);
    let y = Tensor::from_logical(&[2], vec![C64::new(1., 2.), C64::new(0., 1.)]);
    let dims = |c: [&[usize]; 2]| Attr::int_lists(&c);
    let r = one(&[x.clone(), y.clone()], &|v| op("dot_general", v).attr("contract", dims([&[1], &[0]]))).expect("runs");
    assert_eq!(list::<C64>(&r), [C64::new(-1., 5.), C64::new(-5., 7.)]);
    let r =
        one(&[x, y], &|v| op("dot_general", v).attr("contract", dims([&[1], &[0]])).attr("conj_lhs", Attr::Bool(true)));
    assert_eq!(list::<C64>(&r.expect("runs")), [C64::new(3., 3.), C64::new(5., 1.)]);
    // Batch axes come last, then `out` permutes: (lhs free, rhs free, batch) = (2, 4, 3).
    let (a, b) = (count(&[3, 2, 5]), count(&[5, 3, 4]));
    let make = |out: bool| {
        one(&[a.clone(), b.clone()], &|v| {
            let o = op("dot_general", v).attr("contract", dims([&[2], &[0]])).attr("batch", dims([&[0], &[1]]));
            if out { o.attr("out", Attr::ints(&[2, 0, 1])) } else { o }
        })
        .expect("runs")
    };
    let (plain, out) = (make(false), make(true));
    assert_eq!((plain.shape(), out.shape()), (&[2, 4, 3][..], &[3, 2, 4][..]));
    for (i, j, k) in [(0, 0, 0), (1, 3, 2), (1, 2, 0)] {
        let want: f64 = (0..5).map(|s| a.get::<f64>(&[k, i, s]).unwrap() * b.get::<f64>(&[s, k, j]).unwrap()).sum();
        assert_eq!(plain.get::<f64>(&[i, j, k]), Some(want));
        assert_eq!(out.get::<f64>(&[k, i, j]), Some(want));
    }
    let ints = Tensor::from_logical(&[2], vec![i32::MAX, 2]);
    let r = one(&[ints.clone(), ints], &|v| op("dot_general", v).attr("contract", dims([&[0], &[0]]))).expect("runs");
    assert_eq!(r.item::<i32>(), Some(i32::MAX.wrapping_mul(i32::MAX).wrapping_add(4)));
}

#[test]
fn bits_and_precision() {
    let cast = |x: Tensor, to: Type| one(&[x], &|v| op("bitcast", v).types(vec![to.clone()])).expect("runs");
    let x = Tensor::from_logical(&[2], vec![1.0f64, -0.0]);
    let parts = cast(x.clone(), Type::exact(DType::U32, &[2, 2]));
    assert_eq!(list::<u32>(&parts), [0, 0x3ff0_0000, 0, 0x8000_0000]);
    assert!(cast(parts, Type::exact(DType::F64, &[2])).same(&x));
    let reduce = |x: Tensor, e: i64, m: i64| {
        one(&[x], &|v| op("reduce_precision", v).attr("exponent", Attr::Int(e)).attr("mantissa", Attr::Int(m)))
            .expect("runs")
    };
    // As bf16: ties to even, its greatest number, overflow by rounding, subnormals.
    let x = Tensor::from_logical(&[5], vec![1.0f32 + 1.0 / 256.0, 1.0 + 3.0 / 256.0, f32::MAX, f32::NAN, -1e-40]);
    let y = list::<f32>(&reduce(x.clone(), 8, 7));
    assert!(y[..3] == [1.0, 1.0 + 4.0 / 256.0, f32::INFINITY] && y[3].is_nan());
    assert!(reduce(x.clone(), 8, 23).same(&x), "what f32 itself holds stays");
    // As f16: 65504 is its greatest number, 2^-14 its least normal one.
    let x = Tensor::from_logical(&[5], vec![65504.0, 65519.0, 65520.0, 6.103515625e-5, -6.0e-5]);
    let y = reduce(x, 5, 10);
    assert!(y.same(&f64s(&[5], &[65504.0, 65504.0, f64::INFINITY, 6.103515625e-5, -0.0])), "{y:?}");
}

#[test]
fn data_must_be_loaded() {
    let mut m = module();
    let ty = Type::exact(DType::F64, &[2]);
    m.data.push(DataDecl {
        name: "w".into(),
        ty: ty.clone(),
        format: "npy".into(),
        path: "w.npy".into(),
        key: None,
        sha256: None,
        convert: false,
        span: Span::default(),
        value: None,
    });
    let mut b = Builder::new(&m, "f");
    let y = b.emit(op("load", &[]).attr("data", Attr::Data(DataId(0)))).expect("loads");
    let f = b.finish(y).expect("finishes");
    let f = m.add(f);
    assert_eq!(code(Interp::new(&m).run(f, &[], &RunOptions::default())).0, "E0717");
    m.data[0].value = Some(f64s(&[2], &[3., 4.]));
    let r = Interp::new(&m).run(f, &[], &RunOptions::default()).expect("runs");
    assert_eq!(list::<f64>(&r[0]), [3., 4.]);
}

#[test]
fn branches() {
    let go = |p: bool| {
        run(&[Tensor::scalar(p), f64s(&[2], &[1., 2.])], &|b, x| {
            let ty = b.ty(x[1]);
            let then = b.region("then", &[(ty.clone(), "a")], |b, a| Ok(vec![b.neg(a[0])?]))?;
            let other = b.region("else", &[(ty.clone(), "a")], |b, a| Ok(vec![b.add(a[0], x[1])?]))?;
            b.emit(op("cond", &x[..2]).regions(vec![then, other]))
        })
        .expect("runs")
    };
    assert_eq!(list::<f64>(&go(true)[0]), [-1., -2.]);
    assert_eq!(list::<f64>(&go(false)[0]), [2., 4.]);
}

/// `while (i < n) { i + 1, x * 2 } collecting x`, with `max_trips` where given.
fn doubling(n: i64, max: Option<i64>) -> Result<Vec<Tensor>> {
    run(&[Tensor::scalar(0i64), f64s(&[2], &[1., 3.]), Tensor::scalar(n)], &|b, x| {
        let params = [(b.ty(x[0]), "i"), (b.ty(x[1]), "h")];
        let cond = b.region("cond", &params, |b, q| Ok(vec![b.lt(q[0], x[2])?]))?;
        let body = b.region("body", &params, |b, q| {
            let one = b.like(q[0], 1.0)?;
            let i = b.add(q[0], one)?;
            let h = b.add(q[1], q[1])?;
            Ok(vec![i, h, q[1]])
        })?;
        let mut o = op("while", &x[..2]).regions(vec![cond, body]);
        if let Some(m) = max {
            o = o.attr("max_trips", exact(&[m]));
        }
        b.emit(o)
    })
}
#[test]
fn while_loops() {
    let r = doubling(3, None).expect("runs");
    assert_eq!(r[0].item::<i64>(), Some(3));
    assert_eq!(list::<f64>(&r[1]), [8., 24.]);
    assert!(r[2].same(&f64s(&[2, 3], &[1., 2., 4., 3., 6., 12.])));
    let r = doubling(0, None).expect("runs");
    assert_eq!((r[2].shape(), list::<f64>(&r[1])), (&[2, 0][..], vec![1., 3.]));
    assert!(doubling(3, Some(3)).is_ok());
    assert_eq!(code(doubling(4, Some(3))).0, "E0712");
}

#[test]
fn scans() {
    // c' = 2c + x; collects c.
    let go = |reverse: bool, axis: Option<&[usize]>, shape: &[usize]| {
        let args = [Tensor::scalar(1.0), count(shape)];
        run(&args, &|b, x| {
            let el = b.ty(x[1]).without(&[axis.map_or(shape.len() - 1, |a| a[0])]);
            let body = b.region("body", &[(b.ty(x[0]), "c"), (el.clone(), "x")], |b, q| {
                let s = b.reduce_sum(q[1], &(0..el.rank()).collect::<Vec<_>>())?;
                let two = b.add(q[0], q[0])?;
                let c = b.add(two, s)?;
                Ok(vec![c, q[0], q[1]])
            })?;
            let mut o =
                op("scan", x).attr("carry", Attr::Int(1)).attr("reverse", Attr::Bool(reverse)).regions(vec![body]);
            if let Some(a) = axis {
                o = o.attr("axis", Attr::ints(a));
            }
            b.emit(o)
        })
        .expect("runs")
    };
    let r = go(false, None, &[3]);
    assert_eq!((r[0].item::<f64>(), list::<f64>(&r[1])), (Some(12.), vec![1., 2., 5.]));
    let r = go(true, None, &[3]);
    assert_eq!((r[0].item::<f64>(), list::<f64>(&r[1])), (Some(18.), vec![9., 4., 1.]));
    assert_eq!(list::<f64>(&r[2]), [0., 1., 2.]);
    let r = go(false, Some(&[0, 0, 1]), &[2, 3]);
    assert_eq!(list::<f64>(&r[1]), [1., 5.]);
    assert!(r[2].same(&f64s(&[3, 2], &[0., 3., 1., 4., 2., 5.])), "{:?}", r[2]);
    let r = go(false, None, &[2, 0]);
    assert_eq!((r[0].item::<f64>(), r[1].shape(), r[2].shape()), (Some(1.), &[0][..], &[2, 0][..]));
}

#[test]
fn calls_solve_and_pass_extents() {
    let m = module();
    let mut b = Builder::new(&m, "halves");
    let n = Extent::sym(b.sym("n", Span::default()));
    let x = b.param(Type::new(DType::F64, vec![n.mul(&Extent::exact(2)).unwrap()]), "x");
    b.add_where(Constraint { lhs: n.clone(), op: CmpOp::Ge, rhs: Extent::exact(1) });
    let ty = Type::new(DType::F64, vec![n.clone(), Extent::exact(2)]);
    let y = b.emit1(op("reshape", &[x]).types(vec![ty])).expect("reshape");
    let halves = m.add(b.finish(vec![y]).expect("finishes"));
    let mut b = Builder::new(&m, "main");
    let k = Extent::sym(b.sym("k", Span::default()));
    let x = b.param(Type::new(DType::F64, vec![k.mul(&Extent::exact(4)).unwrap()]), "v");
    b.add_where(Constraint { lhs: k, op: CmpOp::Ge, rhs: Extent::exact(1) });
    let r = b.emit(op("call", &[x]).attr("callee", Attr::Sym(SymRef::from(halves)))).expect("calls");
    let main = m.add(b.finish(r).expect("finishes"));
    let interp = Interp::new(&m);
    let go = |f: FuncId, n: usize| interp.run(f, &[count(&[n])], &RunOptions::default());
    assert_eq!(go(main, 8).expect("runs")[0].shape(), &[4, 2]);
    let text = |r: Result<Vec<Tensor>>| code(r).1;
    assert_eq!(text(go(halves, 5)), "error[E0704]: %x axis 0 has extent 5, but 2*n needs an even number");
    assert_eq!(text(go(main, 6)), "error[E0704]: %v axis 0 has extent 6, but 4*k needs a multiple of 4");
    assert_eq!(text(go(halves, 0)), "error[E0421]: `where` of @halves: `n >= 1` does not hold: n = 0");
    let bad = |args: &[Tensor]| text(interp.run(halves, args, &RunOptions::default()));
    assert_eq!(bad(&[]), "error[E0701]: @halves takes 1 arguments, not 0; its parameters are (%x)");
    assert_eq!(bad(&[Tensor::scalar(1i64)]), "error[E0702]: %x is f64[2*n], but i64 is given");
    assert_eq!(bad(&[count(&[2, 2])]), "error[E0703]: %x is f64[2*n], but a tensor of shape [2, 2] is given");
    assert_eq!(code(interp.run_name("nobody", &[], &RunOptions::default())).0, "E0302");
}

#[test]
fn shapes_that_disagree_are_named() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let n = Extent::sym(b.sym("n", Span::default()));
    b.param(Type::new(DType::F64, vec![n.clone(), Extent::exact(3)]), "a");
    b.param(Type::new(DType::F64, vec![n.clone()]), "b");
    b.param(Type::new(DType::F64, vec![n.add(&n).unwrap().add(&Extent::exact(1)).unwrap()]), "c");
    let f = m.add(b.finish(vec![]).expect("finishes"));
    let go = |a: &[usize], b: &[usize], c: &[usize]| {
        code(Interp::new(&m).run(f, &[count(a), count(b), count(c)], &RunOptions::default())).1
    };
    assert_eq!(go(&[2, 3], &[2], &[5]), "");
    assert_eq!(go(&[2, 4], &[2], &[5]), "error[E0704]: %a axis 1 has extent 4, but 3 is expected");
    assert_eq!(go(&[2, 3], &[4], &[5]), "error[E0704]: %b axis 0 has extent 4, but n is 2; solved so far: n = 2");
    assert_eq!(go(&[2, 3], &[2], &[6]), "error[E0704]: %c axis 0 has extent 6, but 2*n + 1 is 5; solved so far: n = 2");
}

#[test]
fn existentials_are_bound_by_values() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let n = Extent::sym(b.sym("n", Span::default()));
    let x = b.param(Type::new(DType::F64, vec![n.clone()]), "x");
    let k = b.param(Type::scalar(DType::I64), "k");
    let r = Extent::exist(b.exist("r", Span::default()));
    let mut e = op("extent", &[k]).attr("extent", Attr::extent(r.clone()));
    e.wheres = vec![Constraint { lhs: r.clone(), op: CmpOp::Le, rhs: n.clone() }];
    b.emit(e).expect("extent");
    let y =
        b.emit1(op("take_prefix", &[x]).attr("axis", Attr::Int(0)).types(vec![Type::new(DType::F64, vec![r.clone()])]));
    let y = y.expect("take_prefix");
    let d = b.emit1(op("dim_value", &[]).attr("extent", Attr::extent(r))).expect("dim_value");
    let f = m.add(b.finish(vec![y, d]).expect("finishes"));
    let go = |k: i64| Interp::new(&m).run(f, &[count(&[4]), Tensor::scalar(k)], &RunOptions::default());
    let r = go(3).expect("runs");
    assert_eq!((list::<f64>(&r[0]), r[1].item::<i64>()), (vec![0., 1., 2.], Some(3)));
    assert_eq!(go(0).expect("runs")[0].shape(), &[0]);
    let (c, text) = code(go(5));
    assert!(c == "E0420" && text.contains("`?r <= n` does not hold: ?r = 5, n = 4"), "{text}");
    assert_eq!(code(go(-1)).0, "E0422");
}

#[test]
fn guards_name_what_they_compare() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let (p, q) = (Extent::sym(b.sym("p", Span::default())), Extent::sym(b.sym("q", Span::default())));
    let x = b.param(Type::new(DType::F64, vec![p]), "x");
    let y = b.param(Type::new(DType::F64, vec![q]), "y");
    let s = b.add(x, y).expect("a guard, not an error");
    let f = m.add(b.finish(vec![s]).expect("finishes"));
    let go = |m: &Module, a: usize, b: usize| {
        code(Interp::new(m).run(f, &[count(&[a]), count(&[b])], &RunOptions::default()))
    };
    assert_eq!(go(&m, 3, 3).0, "");
    let (c, text) = go(&m, 3, 4);
    assert!(c == "E0420" && text.contains("does not hold: p = 3, q = 4"), "{text}");
}

#[test]
fn checks_and_print() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = seen.clone();
    let options = RunOptions {
        print: Some(Arc::new(move |l, t| log.lock().expect("unpoisoned").push(format!("{l} {:?}", t.shape())))),
        ..Default::default()
    };
    let r = run_with(&[count(&[2])], &options, &|b, x| {
        b.emit(op("print", x).attr("label", Attr::Str("here".into())))?;
        Ok(vec![])
    });
    assert!(r.is_ok());
    assert_eq!(*seen.lock().expect("unpoisoned"), ["here [2]"]);
    let check = |v: Vec<bool>| {
        run(&[Tensor::from_logical(&[v.len()], v)], &|b, x| {
            b.emit(op("check", x).attr("message", Attr::Str("must be true".into())))
        })
    };
    assert!(check(vec![true, true]).is_ok());
    let (c, text) = code(check(vec![true, false]));
    assert!(c == "E0710" && text.contains("must be true (first at [1])"), "{text}");
    let two = |name: &'static str, x: &[f64], y: &[f64], attrs: &[(&'static str, Attr)]| {
        code(run(&[f64s(&[x.len()], x), f64s(&[y.len()], y)], &|b, v| {
            let o = attrs.iter().fold(op(name, v), |o, (k, a)| o.attr(k, a.clone()));
            b.emit(o)
        }))
    };
    assert_eq!(two("check_equal", &[1., f64::NAN], &[1., f64::NAN], &[]).0, "");
    let (c, text) = two("check_equal", &[1., 2.], &[1., 3.], &[]);
    assert!(c == "E0711" && text.contains("at [1]: 2.0 and 3.0"), "{text}");
    assert_eq!(two("check_close", &[1., 2.], &[1.05, 2.], &[("atol", Attr::Float(0.1))]).0, "");
    assert_eq!(two("check_close", &[1., 2.], &[1.05, 2.], &[("rtol", Attr::Float(0.01))]).0, "E0711");
    assert_eq!(two("check_close", &[1.0], &[1.0 + f64::EPSILON], &[("ulp", Attr::Int(1))]).0, "");
    assert_eq!(two("check_close", &[1.0], &[1.0 + 2.0 * f64::EPSILON], &[("ulp", Attr::Int(1))]).0, "E0711");
    let (c, text) = two("check_close", &[0., 5., 1.], &[0., 1., 0.], &[("atol", Attr::Float(0.1))]);
    assert!(c == "E0711" && text.contains("worst at [1]"), "{text}");
}

/// Counts for ever.
fn endless(options: &RunOptions) -> &'static str {
    code(run_with(&[Tensor::scalar(0i64)], options, &|b, x| {
        let params = [(b.ty(x[0]), "i")];
        let cond = b.region("cond", &params, |b, q| Ok(vec![b.eq(q[0], q[0])?]))?;
        let body = b.region("body", &params, |b, q| {
            let one = b.like(q[0], 1.0)?;
            Ok(vec![b.add(q[0], one)?])
        })?;
        b.emit(op("while", x).regions(vec![cond, body]))
    }))
    .0
}
#[test]
fn limits() {
    assert_eq!(endless(&RunOptions { fuel: Some(1000), ..Default::default() }), "E0713");
    let within = |time, memory| RunOptions {
        budget: Budget::new(Limits { time: Option::map(time, Duration::from_millis), memory, ..Limits::default() }),
        ..Default::default()
    };
    assert_eq!(endless(&within(Some(20), None)), "E0714");
    let small = within(None, Some(1 << 20));
    let splat =
        |n: usize| code(run_with(&[], &small, &|b, _| Ok(vec![b.splat(&Type::exact(DType::F64, &[n]), 1.0)?]))).0;
    assert_eq!((splat(1000), splat(1 << 20), splat(1 << 40)), ("", "E0715", "E0715"));
    assert_eq!(splat(1 << 62), "E0406");
    // A view of an argument needs no memory, and what an op has made is given back with the run.
    let x = f64s(&[1 << 16], &vec![1.0; 1 << 16]);
    let kept = |k: usize| {
        code(run_with(std::slice::from_ref(&x), &small, &|b, v| {
            let mut all = vec![v[0]];
            for _ in 0..k {
                all.push(b.add(all[all.len() - 1], v[0])?);
            }
            Ok(all)
        }))
        .0
    };
    assert_eq!((kept(1), kept(1), kept(3)), ("", "", "E0715"));
    assert_eq!(small.budget.bytes(), 0);
}

/// Ops that take seconds and begin within their time: nothing asks for it once the last op is done, so it is the op that stops.
#[test]
fn long_ops_stop_in_the_middle() {
    let n = 700;
    let wide = Tensor::full(&[n, n], 1.0).expect("fits");
    let long = Tensor::full(&[1 << 24], 1.0).expect("fits");
    let stops = |x: &Tensor, emit: &dyn Fn(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>>| {
        let limits = Limits { time: Some(Duration::from_millis(10)), ..Limits::default() };
        let options = RunOptions { budget: Budget::new(limits), ..Default::default() };
        code(run_with(std::slice::from_ref(x), &options, emit)).0
    };
    let ints = |v: &[usize]| Attr::ints(v);
    let dims = || Attr::int_lists(&[&[1], &[0]]);
    assert_eq!(stops(&wide, &|b, x| b.emit(op("dot_general", &[x[0], x[0]]).attr("contract", dims()))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("cumsum", x).attr("axis", Attr::Int(0)))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("reduce_sum", x).attr("axes", ints(&[0])))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("argmax", x).attr("axis", Attr::Int(0)))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("sort", x).attr("axis", Attr::Int(0)))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("lgamma", x))), "E0714");
    assert_eq!(stops(&long, &|b, x| b.emit(op("reverse", x).attr("axes", ints(&[0])))), "E0714");
}

/// What a loop collects is counted with what each tensor takes besides its elements.
#[test]
fn what_loops_collect_counts() {
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    let options = RunOptions { budget: Budget::new(limits), fuel: Some(1 << 20), ..Default::default() };
    let c = code(run_with(&[Tensor::scalar(0i64)], &options, &|b, x| {
        let params = [(b.ty(x[0]), "i")];
        let cond = b.region("cond", &params, |b, q| Ok(vec![b.eq(q[0], q[0])?]))?;
        let body = b.region("body", &params, |_, q| Ok(vec![q[0], q[0]]))?;
        b.emit(op("while", x).regions(vec![cond, body]))
    }));
    assert_eq!(c.0, "E0715");
    assert_eq!(options.budget.bytes(), 0);
}

#[test]
fn deep_calls_are_refused() {
    let m = module();
    let mut f = None;
    for i in 0..300 {
        let mut b = Builder::new(&m, &format!("f{i}"));
        let x = b.param(Type::scalar(DType::F64), "x");
        let y = match f {
            Some(g) => b.call(g, None, &[x]).expect("calls").0,
            None => vec![x],
        };
        f = Some(m.add(b.finish(y).expect("finishes")));
    }
    let r = Interp::new(&m).run(f.expect("defined"), &[Tensor::scalar(1.0)], &RunOptions::default());
    assert_eq!(code(r).0, "E0719");
}

#[test]
fn what_passes_expand_is_refused_by_name() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::scalar(DType::F64), "x");
    let f = m.add(b.finish(vec![x]).expect("finishes"));
    let mut b = Builder::new(&m, "main");
    let x = b.param(Type::scalar(DType::F64), "x");
    let o = op("grad", &[x]).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&[0usize]));
    let g = b.emit(o).expect("grad");
    let main = m.add(b.finish(g).expect("finishes"));
    let interp = Interp::new(&m);
    let (c, text) = code(interp.run(main, &[Tensor::scalar(1.0)], &RunOptions::default()));
    assert!(c == "E0801" && text.contains("`grad`") && text.contains("expand-ad"), "{text}");
    let main = m.func(main).expect("defined");
    assert_eq!(interp.missing(&main).iter().map(|x| x.0).collect::<Vec<_>>(), ["grad"]);
}

#[test]
fn outside_kernels_have_equal_rights() {
    static TWICE: OpDef =
        OpDef { name: "acme.twice", operands: &["x"], infer: |cx| Ok(vec![cx.ty(0)?]), ..OpDef::BASE };
    static FAMILY: tfc_ir::Family = &[&TWICE];
    let m = Module::new(Arc::new(OpSet::core().with(FAMILY).expect("free name")));
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::exact(DType::F64, &[2]), "x");
    let y = b.emit(NewOp::new(&TWICE, &[x])).expect("emits");
    let f = m.add(b.finish(y).expect("finishes"));
    let args = [f64s(&[2], &[1., 2.])];
    assert_eq!(code(Interp::new(&m).run(f, &args, &RunOptions::default())).0, "E0801");
    let twice = Kernels::core().with(&TWICE, |cx| {
        let v = cx.arg(0)?.to_logical::<f64>().unwrap_or_default();
        Ok(vec![Tensor::from_logical(cx.arg(0)?.shape(), v.iter().map(|x| 2.0 * x).collect())])
    });
    let r = Interp::new(&m).with_kernels(twice).run(f, &args, &RunOptions::default()).expect("runs");
    assert_eq!(list::<f64>(&r[0]), [2., 4.]);
    // A kernel that breaks its type is found out, and so is one that panics.
    let run = |k: Kernels| code(Interp::new(&m).with_kernels(k).run(f, &args, &RunOptions::default()));
    let says = |(c, text): (&str, String), code: &str, words: &str| {
        assert!(c == code && text.contains(words) && text.contains("come from outside of tfc"), "{text}");
    };
    let none = "the kernel of `acme.twice` gave 0 results where 1 are expected";
    let kernel = Kernels::core().with(&TWICE, |_| Ok(vec![Tensor::scalar(1f32)]));
    says(run(kernel), "E0802", "result 0 of the kernel of `acme.twice` is f32[] where f64[2] is expected");
    says(run(Kernels::core().with(&TWICE, |_| Ok(vec![]))), "E0802", none);
    let kernel = Kernels::core().with(&TWICE, |_| panic!("index {} out of range", 7));
    says(run(kernel), "E0721", "the kernel of `acme.twice` panicked: index 7 out of range");
    // The same on cpu.
    fn short(_: &Attrs, _: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![])
    }
    fn wrong(_: &Attrs, x: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![Tensor::zeros(x[0].dtype(), &[3])?])
    }
    fn panics(_: &Attrs, _: &[Tensor]) -> Result<Vec<Tensor>> {
        panic!("no reason")
    }
    for (k, c, text) in [
        (short as cpu::WholeFn, "E0802", none),
        (wrong, "E0802", "result 0 of the kernel of `acme.twice` is f64[3] where f64[2] is expected"),
        (panics, "E0721", "the kernel of `acme.twice` panicked: no reason"),
    ] {
        let options = cpu::CompileOptions { kernels: cpu::Kernels::core().with(&TWICE, k), ..Default::default() };
        let exe = cpu::Cpu::compile(&m, f, &options).expect("compiles");
        says(code(exe.run(&args, &cpu::RunOptions::default())), c, text);
    }
}

/// Composites that are run whole where their rows say so (column `whole`).
const WHOLE: &[&str] = &["linalg.solve"];

#[test]
fn every_primitive_row_has_a_kernel() {
    let kernels = Kernels::core();
    for def in OpSet::core().iter() {
        let expanded = matches!(def.expand, tfc_ir::op::Expand::Derivative(_) | tfc_ir::op::Expand::Composite(_))
            && !WHOLE.contains(&def.name);
        assert!(kernels.has(def) != expanded, "`{}`: kernel and expansion do not fit", def.name);
    }
}
