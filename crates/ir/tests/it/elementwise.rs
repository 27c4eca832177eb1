//! The elementwise rows: which dtypes each takes and gives, what it says otherwise, and that its samples build.
use std::sync::Arc;
use tfc_ir::op::{Batch, Transpose};
use tfc_ir::ops::elementwise as e;
use tfc_ir::sample::SampleCx;
use tfc_ir::*;

fn module() -> Module {
    Module::new(Arc::new(OpSet::core()))
}
/// The type that `def` gives on parameters of these types.
fn infer(def: &'static OpDef, operands: &[Type], attrs: Attrs, written: Option<Type>) -> Result<Type> {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let xs: Vec<_> = operands.iter().map(|t| b.param(t.clone(), "x")).collect();
    let mut op = NewOp::new(def, &xs).attrs(attrs);
    op.declared = written.map(|t| vec![t]);
    let v = b.emit1(op)?;
    Ok(b.ty(v))
}
fn alike(def: &'static OpDef, d: DType) -> Result<Type> {
    let shape = Type::exact(d, &[2, 3]);
    infer(def, &vec![shape; def.arity().0], Attrs::none(), None)
}
fn code<T: std::fmt::Debug>(r: Result<T>) -> &'static str {
    r.expect_err("this must be refused").data().code.name()
}

/// Ops, the dtypes they take (`b`ool, `i`nt, `u`nsigned, `f`loat, `c`omplex) and what they give: `=` the same, `r` the real
/// dtype of the parts, `b` bool, `c` the complex dtype of such parts.
const TABLE: &[(&str, &str, char)] = &[
    ("neg add sub mul div pow", "iufc", '='),
    ("abs", "iufc", 'r'),
    ("sign", "iufc", '='),
    ("exp exp2 expm1 log log1p sqrt rsqrt cbrt sin cos tan asin acos atan", "fc", '='),
    ("sinh cosh tanh asinh acosh atanh logistic conj", "fc", '='),
    ("real imag", "fc", 'r'),
    ("erf erfc erf_inv lgamma digamma bessel_i0e bessel_i1e floor ceil round round_even", "f", '='),
    ("atan2 nextafter polygamma zeta", "f", '='),
    ("is_finite", "f", 'b'),
    ("rem", "iuf", '='),
    ("max min", "biuf", '='),
    ("not and or xor", "biu", '='),
    ("popcnt clz mulhi shl shr_arith shr_logical", "iu", '='),
    // Of floats that are the parts of a complex dtype.
    ("complex", "F", 'c'),
    ("eq ne", "biufc", 'b'),
    ("lt le gt ge", "biuf", 'b'),
    ("clamp", "biuf", '='),
];
fn letter(d: DType) -> char {
    match d {
        DType::Bool => 'b',
        d if d.is_signed() => 'i',
        d if d.is_unsigned() => 'u',
        d if d.is_float() => 'f',
        _ => 'c',
    }
}

#[test]
fn every_scalar_function_has_one_row() {
    for &s in ScalarOp::ALL {
        let rows: Vec<_> = e::FAMILY.iter().filter(|d| d.scalar == Some(s)).collect();
        assert_eq!(rows.len(), 1, "{}", s.name());
        assert_eq!(rows[0].name, s.name());
        assert_eq!(rows[0].arity(), (s.arity(), Some(s.arity())), "{}", s.name());
    }
    let without: Vec<_> = e::FAMILY.iter().filter(|d| d.scalar.is_none()).map(|d| d.name).collect();
    assert_eq!(without, ["bitcast", "reduce_precision"]);
}

#[test]
fn dtypes_are_those_of_the_table() {
    let ops = OpSet::core();
    let mut seen = vec!["select", "convert", "bitcast", "reduce_precision"];
    for &(names, takes, gives) in TABLE {
        for name in names.split(' ') {
            seen.push(name);
            let def = ops.get(name).unwrap();
            for d in DType::ALL {
                let got = alike(def, d);
                let has = takes.contains(letter(d)) || takes == "F" && d.complex().is_some();
                if !has {
                    let err = got.expect_err(&format!("{name} on {d}"));
                    assert_eq!(err.data().code.name(), "E0203", "{name} on {d}");
                    assert_eq!(err.data().part, Part::Operand(usize::from(name == "clamp")), "{name} on {d}");
                    assert!(err.data().help.is_some(), "{name} on {d}");
                    continue;
                }
                let want = match gives {
                    '=' => d,
                    'r' => d.real(),
                    'b' => DType::Bool,
                    _ => d.complex().unwrap(),
                };
                assert_eq!(got.unwrap(), Type::exact(want, &[2, 3]), "{name} on {d}");
            }
        }
    }
    for def in e::FAMILY {
        assert!(seen.contains(&def.name), "`{}` is not in the table", def.name);
        assert!(def.doc.ends_with(['.', '?']), "`{}` has no sentence of documentation", def.name);
        assert_eq!(matches!(def.batch, Batch::Elementwise), def.name != "bitcast", "{}", def.name);
    }
}

#[test]
fn ordering_complex_numbers_says_how_to_spell_it_out() {
    for def in [&e::LT, &e::GE, &e::MAX, &e::MIN] {
        let err = alike(def, DType::C64).unwrap_err();
        assert!(err.data().help.as_ref().unwrap().contains("lexicographic"), "{err}");
    }
    let err = alike(&e::ERF, DType::C32).unwrap_err();
    assert!(err.data().help.as_ref().unwrap().contains("real numbers"), "{err}");
}

#[test]
fn operands_must_agree() {
    let (f, g) = (Type::exact(DType::F64, &[2, 3]), Type::exact(DType::F64, &[2, 4]));
    let go = |t: &[Type]| infer(&e::ADD, t, Attrs::none(), None);
    assert_eq!(code(go(&[f.clone(), f.with_dtype(DType::F32)])), "E0202");
    assert_eq!(code(go(&[f.clone(), Type::scalar(DType::F64)])), "E0205");
    assert_eq!(code(go(&[f.clone(), g])), "E0204");
    assert_eq!(code(go(std::slice::from_ref(&f))), "E0210");
    let i8s = Type::exact(DType::I8, &[2]);
    assert_eq!(go(&[i8s.clone(), i8s.clone()]).unwrap(), i8s);
    assert_eq!(code(go(&[i8s.clone(), i8s.with_dtype(DType::I16)])), "E0202");
}

#[test]
fn symbolic_extents_agree_by_normal_form_or_guard() {
    let m = module();
    let mut b = Builder::new(&m, "f");
    let (p, q) = (b.sym("m", Span::default()), b.sym("n", Span::default()));
    let x = b.param(Type::new(DType::F64, vec![Extent::sym(p)]), "x");
    let y = b.param(Type::new(DType::F64, vec![Extent::sym(q)]), "y");
    let same = b.add(x, x).unwrap();
    let guarded = b.add(x, y).unwrap();
    assert_eq!(b.ty(guarded), b.ty(x));
    let guards = |v| b.func().def_op(v).unwrap().guards.len();
    assert_eq!((guards(same), guards(guarded)), (0, 1));
}

#[test]
fn select_and_clamp_take_scalars_for_predicate_and_bounds() {
    let x = Type::exact(DType::F64, &[2, 3]);
    let p = x.with_dtype(DType::Bool);
    let (one, flag) = (Type::scalar(DType::F64), Type::scalar(DType::Bool));
    let select = |p: &Type, f: &Type| infer(&e::SELECT, &[p.clone(), x.clone(), f.clone()], Attrs::none(), None);
    assert_eq!(select(&p, &x).unwrap(), x);
    assert_eq!(select(&flag, &x).unwrap(), x);
    assert_eq!(code(select(&x, &x)), "E0203");
    assert_eq!(code(select(&flag, &one)), "E0205");
    assert_eq!(code(select(&Type::exact(DType::Bool, &[2]), &x)), "E0205");
    assert_eq!(code(select(&Type::exact(DType::Bool, &[2, 4]), &x)), "E0204");
    let clamp = |lo: &Type, hi: &Type| infer(&e::CLAMP, &[lo.clone(), x.clone(), hi.clone()], Attrs::none(), None);
    assert_eq!(clamp(&one, &x).unwrap(), x);
    assert_eq!(clamp(&x, &one).unwrap(), x);
    assert_eq!(code(clamp(&Type::scalar(DType::F32), &one)), "E0202");
    assert_eq!(code(clamp(&one, &Type::exact(DType::F64, &[3]))), "E0205");
}

#[test]
fn convert_needs_a_type_and_never_drops_an_imaginary_part() {
    for from in DType::ALL {
        for to in DType::ALL {
            let (x, y) = (Type::exact(from, &[2, 3]), Type::exact(to, &[2, 3]));
            let got = infer(&e::CONVERT, &[x], Attrs::none(), Some(y.clone()));
            if from.is_complex() && !to.is_complex() && to != DType::Bool {
                assert_eq!(code(got), "E0203", "{from} to {to}");
            } else {
                assert_eq!(got.unwrap(), y, "{from} to {to}");
            }
        }
    }
    let x = Type::exact(DType::F64, &[2, 3]);
    assert_eq!(code(infer(&e::CONVERT, std::slice::from_ref(&x), Attrs::none(), None)), "E0207");
    assert_eq!(code(infer(&e::CONVERT, &[x], Attrs::none(), Some(Type::exact(DType::F32, &[2])))), "E0206");
}

#[test]
fn bitcast_moves_width_to_and_from_the_last_axis() {
    let go = |from: DType, shape: &[usize], to: DType, result: &[usize]| {
        infer(&e::BITCAST, &[Type::exact(from, shape)], Attrs::none(), Some(Type::exact(to, result)))
    };
    use DType::*;
    assert!(go(F64, &[4], I64, &[4]).is_ok());
    assert!(go(F64, &[4], U32, &[4, 2]).is_ok());
    assert!(go(F32, &[4, 2], I64, &[4]).is_ok());
    assert!(go(C64, &[], C32, &[2]).is_ok());
    assert_eq!(code(go(F64, &[4], U32, &[4])), "E0206");
    assert_eq!(code(go(F32, &[4, 3], I64, &[4])), "E0204");
    assert_eq!(code(go(F32, &[], I64, &[])), "E0205");
    assert_eq!(code(go(Bool, &[4], Bool, &[4])), "E0203");
    assert_eq!(code(go(I32, &[4], Bool, &[4])), "E0203");
    assert_eq!(code(go(C32, &[4], F64, &[4])), "E0203");
    // As many bits, not as many bytes.
    assert!(go(I4, &[3], U4, &[3]).is_ok());
    assert!(go(U8, &[3], I4, &[3, 2]).is_ok());
    assert!(go(I2, &[3, 16], F32, &[3]).is_ok());
    assert_eq!(code(go(F6E2M3FN, &[4], F8E4M3FN, &[3])), "E0203");
    assert_eq!(code(go(F64, &[4], C32, &[4])), "E0203");
}

#[test]
fn reduce_precision_needs_a_format() {
    let x = Type::exact(DType::F32, &[2]);
    let go = |e: i64, m: i64| {
        let attrs = Attrs::of([("exponent", Attr::Int(e)), ("mantissa", Attr::Int(m))]);
        infer(&e::REDUCE_PRECISION, std::slice::from_ref(&x), attrs, None)
    };
    assert_eq!(go(8, 7).unwrap(), x);
    assert_eq!(code(go(0, 7)), "E0223");
    assert_eq!(code(go(8, -1)), "E0223");
    let attrs = Attrs::of([("exponent", Attr::Int(8))]);
    assert_eq!(code(infer(&e::REDUCE_PRECISION, std::slice::from_ref(&x), attrs, None)), "E0222");
}

/// Every dtype that a row takes has a sample, and the sample's inputs can be drawn.
#[test]
fn samples_cover_the_dtypes() {
    for &def in e::FAMILY {
        for dtype in DType::ALL {
            let m = module();
            let list = (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap();
            let takes = match def.name {
                "select" | "convert" => true,
                "bitcast" => dtype != DType::Bool,
                "reduce_precision" => dtype.is_float(),
                _ => alike(def, dtype).is_ok(),
            };
            assert_eq!(!list.is_empty(), takes, "samples of `{}` on {dtype}", def.name);
            for s in list {
                let inputs = s.inputs(&m, 7).unwrap();
                let f = m.func(s.func).unwrap();
                assert_eq!(inputs.len(), f.params().len());
                let mut used = false;
                f.walk(BODY, &mut |o| used |= f.op(o).def.is(def));
                assert!(used, "a sample of `{}` does not use it", def.name);
            }
        }
    }
}

/// Linear ops have a transpose; what has none says why in its row.
#[test]
fn linear_rows_transpose() {
    let linear =
        ["neg", "add", "sub", "mul", "div", "real", "imag", "conj", "complex", "select", "convert", "reduce_precision"];
    for def in e::FAMILY {
        let rule = matches!(def.transpose, Transpose::Rule(_));
        assert_eq!(rule, linear.contains(&def.name), "{}", def.name);
    }
}

#[test]
fn inputs_depend_on_the_seed_alone() {
    use tfc_ir::sample::{Domain, Draw};
    let ty = Type::exact(DType::F64, &[4, 5]);
    let draw = |seed| Draw::new(seed).tensor(&ty, Domain::Any).unwrap();
    assert!(draw(3).same(&draw(3)));
    assert!(!draw(3).same(&draw(4)));
    let v = draw(3).to_logical::<f64>().unwrap();
    assert!(v.iter().all(|x| x.abs() < 2.0 && (x - x.round()).abs() > 0.05), "{v:?}");
    let mut w = v.clone();
    w.sort_by(f64::total_cmp);
    assert!(w.windows(2).all(|p| p[1] - p[0] > 0.01), "{w:?}");
    let ints = Draw::new(1).tensor(&Type::exact(DType::I32, &[50]), Domain::Ints(2, 3)).unwrap();
    assert!(ints.to_logical::<i32>().unwrap().iter().all(|&i| i == 2 || i == 3));
}
