//! Simplification rules of shape and contraction rows: what replaces a statement, and what must stay.
use std::sync::Arc;
use tfc_ir::ops::{contract, elementwise, reduce, shape};
use tfc_ir::{Attr, Attrs, Builder, DType, Module, NewOp, OpDef, OpSet, Result, Type, ValueId};

fn ty(dims: &[usize]) -> Type {
    Type::exact(DType::F64, dims)
}
fn ints(name: &'static str, v: &[usize]) -> Attrs {
    Attrs::of([(name, Attr::ints(v))])
}
/// Applies the rule of `op`; gives the replacement: `same` for operand `x`, else the op's name, attributes and type.
fn rule(build: impl FnOnce(&mut Builder, ValueId) -> Result<NewOp>, x: Type) -> String {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let x = b.param(x, "x");
    let mut op = build(&mut b, x).expect("operands build");
    if op.declared.is_none() {
        // As in a program that has been checked: every statement has its types.
        let r = b.emit1(op.clone()).expect("the statement builds");
        op.declared = Some(vec![b.ty(r)]);
    }
    let simplify = op.def.simplify.expect("a rule");
    match simplify(&mut b, &op).expect("the rule holds") {
        None => "none".into(),
        Some(v) if v == [x] => "same".into(),
        Some(v) => {
            let f = b.func();
            assert_eq!(f.ty(v[0]), &op.declared.expect("types")[0], "a replacement keeps the type");
            let made = f.def_op(v[0]).expect("made by an op");
            let attrs: Vec<_> = made.attrs.iter().map(|(k, a)| format!(" {k}={}", show(a))).collect();
            format!("{}{} {}", made.def.name, attrs.concat(), f.ty(v[0]).display(f))
        }
    }
}
fn show(a: &Attr) -> String {
    match a {
        Attr::Int(i) => i.to_string(),
        Attr::Bool(b) => b.to_string(),
        Attr::Word(w) => w.to_string(),
        Attr::List(l) => format!("[{}]", l.iter().map(show).collect::<Vec<_>>().join(" ")),
        Attr::Tensor(t) => format!("{:?}", t.to_logical::<f64>().unwrap_or_default()),
        a => format!("{a:?}"),
    }
}
fn on(def: &'static OpDef, x: ValueId, attrs: Attrs) -> NewOp {
    NewOp::new(def, &[x]).attrs(attrs)
}

#[test]
fn transposes_combine() {
    let t = &shape::TRANSPOSE;
    assert_eq!(rule(|_, x| Ok(on(t, x, ints("perm", &[0, 1]))), ty(&[2, 3])), "same");
    let twice = rule(|b, x| Ok(on(t, b.transpose(x, &[1, 0])?, ints("perm", &[1, 0]))), ty(&[2, 3]));
    assert_eq!(twice, "same");
    let other = rule(|b, x| Ok(on(t, b.transpose(x, &[1, 2, 0])?, ints("perm", &[0, 2, 1]))), ty(&[2, 3, 4]));
    assert_eq!(other, "transpose perm=[1 0 2] f64[3, 2, 4]");
    let splat = rule(|b, _| Ok(on(t, b.splat(&ty(&[2, 3]), 1.5)?, ints("perm", &[1, 0]))), ty(&[]));
    assert_eq!(splat, "const splat=[1.5] f64[3, 2]");
    assert_eq!(rule(|_, x| Ok(on(t, x, ints("perm", &[1, 0]))), ty(&[2, 3])), "none");
}

#[test]
fn reshapes_combine_where_orders_agree() {
    let reshape = |first: bool, x: ValueId, to: &[usize]| {
        let order = Attrs::of([("order", Attr::word(if first { "first" } else { "last" }))]);
        on(&shape::RESHAPE, x, order).types(vec![ty(to)])
    };
    assert_eq!(rule(|_, x| Ok(reshape(true, x, &[2, 3])), ty(&[2, 3])), "same");
    let through = |inner: bool, outer: bool, from: &[usize], mid: &[usize], to: &[usize]| {
        rule(|b, x| Ok(reshape(outer, b.emit1(reshape(inner, x, mid))?, to)), ty(from))
    };
    assert_eq!(through(false, false, &[2, 6], &[4, 3], &[3, 4]), "reshape f64[3, 4]");
    assert_eq!(through(true, true, &[2, 6], &[4, 3], &[2, 6]), "same");
    // Another order in between is a permutation of the elements.
    assert_eq!(through(false, true, &[2, 6], &[4, 3], &[2, 6]), "none");
    assert_eq!(through(false, true, &[2, 6], &[2, 1, 6], &[4, 3]), "reshape order=first f64[4, 3]");
    assert_eq!(through(true, false, &[2, 6], &[4, 3], &[4, 1, 3]), "reshape order=first f64[4, 1, 3]");
}

#[test]
fn broadcasts_combine() {
    let to = |x, dims: &[usize], t: &[usize]| on(&shape::BROADCAST_IN_DIM, x, ints("dims", dims)).types(vec![ty(t)]);
    assert_eq!(rule(|_, x| Ok(to(x, &[0, 1], &[2, 3])), ty(&[2, 3])), "same");
    assert_eq!(rule(|_, x| Ok(to(x, &[1, 0], &[3, 3])), ty(&[3, 3])), "none");
    let two = rule(|b, x| Ok(to(b.broadcast(x, &ty(&[2, 3]), &[1])?, &[2, 0], &[3, 4, 2])), ty(&[3]));
    assert_eq!(two, "broadcast_in_dim dims=[0] f64[3, 4, 2]");
    let splat = rule(|b, _| Ok(to(b.splat(&ty(&[]), 2.0)?, &[], &[2])), ty(&[]));
    assert_eq!(splat, "const splat=[2.0] f64[2]");
}

#[test]
fn nothing_to_do() {
    assert_eq!(rule(|_, x| Ok(on(&reduce::REDUCE_SUM, x, ints("axes", &[]))), ty(&[2])), "same");
    assert_eq!(rule(|_, x| Ok(on(&reduce::REDUCE_SUM, x, ints("axes", &[0]))), ty(&[2])), "none");
    assert_eq!(rule(|_, x| Ok(on(&shape::REVERSE, x, ints("axes", &[]))), ty(&[2])), "same");
    assert_eq!(rule(|_, x| Ok(on(&shape::CONCAT, x, Attrs::of([("axis", Attr::Int(0))]))), ty(&[2])), "same");
    let prefix = |to: &[usize]| {
        let t = ty(to);
        rule(|_, x| Ok(on(&shape::TAKE_PREFIX, x, Attrs::of([("axis", Attr::Int(0))])).types(vec![t])), ty(&[4]))
    };
    assert_eq!((prefix(&[4]), prefix(&[3])), ("same".into(), "none".into()));
    let window = |limit: i64| {
        let extents = |i: i64| Attr::extent(i.into());
        let attrs = Attrs::of([("start", extents(0)), ("limit", extents(limit))]);
        rule(|_, x| Ok(on(&shape::SLICE, x, attrs)), ty(&[4]))
    };
    assert_eq!((window(4), window(3)), ("same".into(), "none".into()));
}

#[test]
fn contractions_take_permutations_and_conjugations() {
    let dot = |x, y, d: &contract::DotDims| NewOp::new(&contract::DOT_GENERAL, &[x, y]).attrs(d.attrs());
    let product = contract::DotDims { contract: [vec![1], vec![0]], ..Default::default() };
    let left = rule(|b, x| Ok(dot(b.transpose(x, &[1, 0])?, x, &product)), ty(&[2, 3]));
    assert_eq!(left, "dot_general contract=[[0] [0]] f64[3, 3]");
    let batched = contract::DotDims {
        contract: [vec![2], vec![2]],
        batch: [vec![0], vec![0]],
        out: Some(vec![2, 0, 1]),
        ..Default::default()
    };
    // Result axes: lhs free 1 (of the permuted operand: axis 2 of the source), rhs free 1, batch 0.
    let right = rule(|b, x| Ok(dot(x, b.transpose(x, &[0, 1, 2])?, &batched)), ty(&[2, 3, 4]));
    assert_eq!(right, "none", "an identity is no statement");
    let swapped = rule(
        |b, x| {
            let y = b.transpose(x, &[0, 2, 1])?;
            let z = b.transpose(y, &[0, 2, 1])?;
            Ok(dot(y, z, &contract::DotDims { contract: [vec![1], vec![2]], ..batched.clone() }))
        },
        ty(&[2, 3, 4]),
    );
    assert_eq!(swapped, "dot_general contract=[[2] [2]] batch=[[0] [0]] out=[2 0 1] f64[2, 3, 3]");
    let free = contract::DotDims { contract: [vec![2], vec![0]], ..Default::default() };
    let reordered = rule(|b, x| Ok(dot(b.transpose(x, &[2, 0, 1])?, b.splat(&ty(&[3]), 1.0)?, &free)), ty(&[2, 3, 4]));
    assert_eq!(reordered, "dot_general contract=[[1] [0]] out=[1 0] f64[4, 2]");
    let complex = rule(
        |b, x| {
            let y = b.emit1(NewOp::new(&elementwise::CONJ, &[x]))?;
            Ok(dot(y, x, &contract::DotDims { conj_lhs: true, ..product.clone() }))
        },
        Type::exact(DType::C64, &[3, 3]),
    );
    assert_eq!(complex, "dot_general contract=[[1] [0]] c64[3, 3]");
}
