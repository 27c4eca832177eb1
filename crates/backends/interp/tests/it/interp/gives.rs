//! What ops give: each one's meaning on small tensors, control flow, extents.
use super::*;

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
    same(&at("reshape", &[count(&[3, 2]).t()], &[], Some(&[6])), &[6], &[0., 2., 4., 1., 3., 5.]);
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
    let i = Tensor::from_logical(&[3], vec![6i32, 3, i32::MAX]).unwrap();
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
        Tensor::from_logical(&[2, 2], vec![C64::new(1., 1.), C64::new(2., 0.), C64::new(0., 3.), C64::new(4., -1.)])
            .unwrap();
    let y = Tensor::from_logical(&[2], vec![C64::new(1., 2.), C64::new(0., 1.)]).unwrap();
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
    let ints = Tensor::from_logical(&[2], vec![i32::MAX, 2]).unwrap();
    let r = one(&[ints.clone(), ints], &|v| op("dot_general", v).attr("contract", dims([&[0], &[0]]))).expect("runs");
    assert_eq!(r.item::<i32>(), Some(i32::MAX.wrapping_mul(i32::MAX).wrapping_add(4)));
}

#[test]
fn bits_and_precision() {
    let cast = |x: Tensor, to: Type| one(&[x], &|v| op("bitcast", v).types(vec![to.clone()])).expect("runs");
    let x = Tensor::from_logical(&[2], vec![1.0f64, -0.0]).unwrap();
    let parts = cast(x.clone(), Type::exact(DType::U32, &[2, 2]));
    assert_eq!(list::<u32>(&parts), [0, 0x3ff0_0000, 0, 0x8000_0000]);
    assert!(cast(parts, Type::exact(DType::F64, &[2])).same(&x));
    let reduce = |x: Tensor, e: i64, m: i64| {
        one(&[x], &|v| op("reduce_precision", v).attr("exponent", Attr::Int(e)).attr("mantissa", Attr::Int(m)))
            .expect("runs")
    };
    // As bf16: ties to even, its greatest number, overflow by rounding, subnormals.
    let x =
        Tensor::from_logical(&[5], vec![1.0f32 + 1.0 / 256.0, 1.0 + 3.0 / 256.0, f32::MAX, f32::NAN, -1e-40]).unwrap();
    let y = list::<f32>(&reduce(x.clone(), 8, 7));
    assert!(y[..3] == [1.0, 1.0 + 4.0 / 256.0, f32::INFINITY] && y[3].is_nan());
    assert!(reduce(x.clone(), 8, 23).same(&x), "what f32 itself holds stays");
    // As f16: 65504 is its greatest number, 2^-14 its least normal one.
    let x = Tensor::from_logical(&[5], vec![65504.0, 65519.0, 65520.0, 6.103515625e-5, -6.0e-5]).unwrap();
    let y = reduce(x, 5, 10);
    assert!(y.same(&f64s(&[5], &[65504.0, 65504.0, f64::INFINITY, 6.103515625e-5, -0.0])), "{y:?}");
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
