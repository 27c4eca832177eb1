//! What the algebra must know, one line each.
use tfc_ir::extent::{Arithmetic, Atom, ExtentFn, SolveFailure, solvable, solve_extents, solve_shapes};
use tfc_ir::{CmpOp, Constraint, ExistId, Extent, ExtentEnv, ExtentNames, Facts, Result, SymId, Truth};

struct Names;
impl ExtentNames for Names {
    fn sym(&self, s: SymId) -> &str {
        ["m", "n", "k", "l"].get(s.0 as usize).copied().unwrap_or("x")
    }
    fn exist(&self, e: ExistId) -> &str {
        ["r", "q", "t"].get(e.0 as usize).copied().unwrap_or("y")
    }
}
fn x(n: i64) -> Extent {
    Extent::exact(n)
}
fn m() -> Extent {
    Extent::sym(SymId(0))
}
fn n() -> Extent {
    Extent::sym(SymId(1))
}
fn k() -> Extent {
    Extent::sym(SymId(2))
}
fn r() -> Extent {
    Extent::exist(ExistId(0))
}
fn q() -> Extent {
    Extent::exist(ExistId(1))
}
fn add(a: Extent, b: Extent) -> Extent {
    a.add(&b).unwrap()
}
fn sub(a: Extent, b: Extent) -> Extent {
    a.sub(&b).unwrap()
}
fn mul(a: Extent, b: Extent) -> Extent {
    a.mul(&b).unwrap()
}
fn min(a: Extent, b: Extent) -> Extent {
    Extent::min(&a, &b).unwrap()
}
fn max(a: Extent, b: Extent) -> Extent {
    Extent::max(&a, &b).unwrap()
}
fn floordiv(a: Extent, b: Extent) -> Extent {
    a.floordiv(&b).unwrap()
}
fn ceildiv(a: Extent, b: Extent) -> Extent {
    a.ceildiv(&b).unwrap()
}
fn modulo(a: Extent, b: Extent) -> Extent {
    a.modulo(&b).unwrap()
}
fn le(lhs: Extent, rhs: Extent) -> Constraint {
    Constraint { lhs, op: CmpOp::Le, rhs }
}
fn ge(lhs: Extent, rhs: Extent) -> Constraint {
    Constraint { lhs, op: CmpOp::Ge, rhs }
}
fn eq(lhs: Extent, rhs: Extent) -> Constraint {
    Constraint { lhs, op: CmpOp::Eq, rhs }
}
fn facts(list: &[Constraint]) -> Facts {
    let mut f = Facts::new();
    list.iter().for_each(|c| f.assume(c.clone()));
    f
}
#[track_caller]
fn proves(given: &[Constraint], claim: Constraint, truth: Truth) {
    let f = facts(given);
    assert!(!f.contradictory());
    let text = claim.display(&Names).to_string();
    assert_eq!(f.prove(&claim), truth, "{text}");
}
#[track_caller]
fn shows(e: Extent, text: &str) {
    assert_eq!(e.display(&Names).to_string(), text);
}

#[test]
fn text() {
    shows(add(add(n(), x(1)), n()), "2*n + 1");
    shows(sub(mul(m(), n()), x(3)), "m*n - 3");
    shows(sub(x(3), n()), "3 - n");
    shows(sub(n(), m()), "n - m");
    shows(sub(x(0), n()), "-n");
    shows(sub(x(-2), add(m(), n())), "-m - n - 2");
    shows(sub(mul(n(), n()), mul(x(2), r())), "n*n - 2*?r");
    shows(min(n(), m()), "min(m, n)");
    shows(max(min(r(), x(4)), sub(m(), n())), "max(m - n, min(4, ?r))");
    shows(floordiv(n(), x(2)), "floordiv(n, 2)");
    shows(max(sub(m(), n()), x(-3)), "max(0 - 3, m - n)");
    shows(min(mul(x(-1), mul(m(), n())), mul(x(-1), k())), "min(0 - m*n, 0 - k)");
    shows(x(-4), "-4");
    shows(x(i64::MIN), "-9223372036854775808");
    assert_eq!(le(r(), min(m(), n())).display(&Names).to_string(), "?r <= min(m, n)");
}
#[test]
fn normal_forms() {
    assert_eq!(mul(n(), m()), mul(m(), n()));
    assert_eq!(mul(add(m(), x(1)), sub(m(), x(1))), sub(mul(m(), m()), x(1)));
    assert_eq!(min(min(m(), k()), min(n(), m())), min(m(), min(n(), k())));
    assert_eq!(min(n(), add(n(), x(1))), n());
    assert_eq!(max(n(), x(0)), n());
    assert_eq!(max(min(m(), n()), x(-2)), min(m(), n()));
    assert_eq!(floordiv(add(mul(x(6), n()), x(4)), x(3)), add(mul(x(2), n()), x(1)));
    assert_eq!(floordiv(mul(x(2), n()), x(4)), floordiv(n(), x(2)));
    assert_eq!(floordiv(floordiv(n(), x(2)), x(3)), floordiv(n(), x(6)));
    assert_eq!(floordiv(n(), x(-2)), sub(floordiv(n(), x(2)), n()));
    assert_eq!(ceildiv(add(n(), x(2)), x(2)), add(ceildiv(n(), x(2)), x(1)));
    assert_eq!(modulo(add(mul(x(4), n()), x(7)), x(4)), x(3));
    assert_eq!(modulo(modulo(n(), x(3)), x(5)), modulo(n(), x(3)));
    assert_eq!(floordiv(add(m(), x(1)), add(m(), x(1))), x(1));
    assert_ne!(floordiv(m(), m()), x(1));
    assert_eq!(m().as_atom(), Some(Atom::Sym(SymId(0))));
    assert_eq!(add(m(), x(1)).as_atom(), None);
    assert_eq!(sub(m(), m()).as_exact(), Some(0));
    assert!(min(n(), r()).mentions_existential() && !n().mentions_existential());
}
#[test]
fn errors_have_codes() {
    let code = |r: Result<Extent>| r.err().map(|e| e.data().code.name());
    let top = x(i64::MAX);
    assert_eq!(code(top.add(&x(1))), Some("E0405"));
    assert_eq!(code(x(i64::MIN).neg()), Some("E0405"));
    assert_eq!(code(top.mul(&n()).and_then(|e| e.mul(&x(2)))), Some("E0405"));
    assert_eq!(code(x(i64::MIN).floordiv(&x(-1))), Some("E0405"));
    assert_eq!(code(n().floordiv(&x(0))), Some("E0407"));
    assert_eq!(code(n().modulo(&sub(m(), m()))), Some("E0407"));
    let wide = (0..60).fold(x(1), |e, i| add(e, Extent::sym(SymId(i))));
    assert_eq!(code(wide.mul(&wide).and_then(|e| e.mul(&wide))), Some("E0419"));
    let nested = (0..1_000_000).try_fold(n(), |e, _| e.floordiv(&m()));
    assert_eq!(code(nested), Some("E0419"));
    let power = (0..1_000_000).try_fold(n(), |e, _| e.mul(&n()));
    assert_eq!(code(power), Some("E0419"));
    let doubled = (0..1_000).try_fold(n(), |e, _| e.modulo(&m())?.add(&e.floordiv(&k())?));
    assert_eq!(code(doubled), Some("E0419"));

    let env = ExtentEnv { syms: vec![Some(0), Some(i64::MAX)], exists: vec![] };
    let code = |e: Extent| e.eval(&env).err().map(|e| e.data().code.name());
    assert_eq!(code(add(n(), x(1))), Some("E0405"));
    assert_eq!(code(floordiv(n(), m())), Some("E0407"));
    assert_eq!(code(r()), Some("E0408"));
    // Only the result has to fit.
    assert_eq!(floordiv(mul(n(), n()), n()).eval(&env), Ok(i64::MAX));
}
#[test]
fn proofs_without_facts() {
    proves(&[], le(x(0), n()), Truth::Yes);
    proves(&[], le(n(), add(n(), x(1))), Truth::Yes);
    proves(&[], le(min(m(), n()), m()), Truth::Yes);
    proves(&[], ge(max(m(), n()), m()), Truth::Yes);
    proves(&[], eq(mul(n(), m()), mul(m(), n())), Truth::Yes);
    proves(&[], eq(add(mul(x(2), n()), x(1)), mul(x(2), n())), Truth::No);
    proves(&[], eq(add(mul(x(2), n()), x(1)), mul(x(2), m())), Truth::No);
    proves(&[], eq(n(), m()), Truth::Unknown);
    proves(&[], le(n(), m()), Truth::Unknown);
    proves(&[], eq(add(mul(x(2), floordiv(n(), x(2))), modulo(n(), x(2))), n()), Truth::Yes);
    proves(&[], le(mul(x(2), floordiv(n(), x(2))), n()), Truth::Yes);
    proves(&[], le(floordiv(n(), x(2)), n()), Truth::Yes);
    proves(&[], ge(mul(x(4), ceildiv(n(), x(4))), n()), Truth::Yes);
    proves(&[], eq(ceildiv(n(), x(2)), floordiv(add(n(), x(1)), x(2))), Truth::Yes);
    proves(&[], eq(min(add(n(), x(1)), add(m(), x(1))), add(min(m(), n()), x(1))), Truth::Yes);
    proves(&[], eq(add(min(m(), n()), max(m(), n())), add(m(), n())), Truth::Yes);
    proves(&[], le(modulo(n(), m()), sub(m(), x(1))), Truth::Yes);
    proves(&[], le(add(n(), x(1)), n()), Truth::No);
}
#[test]
fn proofs_from_facts() {
    let positive = [ge(m(), x(1)), ge(n(), x(1))];
    proves(&positive, ge(min(m(), n()), x(1)), Truth::Yes);
    proves(&positive, ge(mul(m(), n()), x(1)), Truth::Yes);
    proves(&positive, ge(mul(m(), n()), m()), Truth::Yes);
    proves(&positive, ge(mul(m(), n()), sub(add(m(), n()), x(1))), Truth::Yes);
    proves(&positive, eq(min(m(), n()), x(0)), Truth::No);
    proves(&[ge(n(), x(5))], ge(n(), x(4)), Truth::Yes);
    proves(&[ge(n(), x(5))], le(n(), x(3)), Truth::No);
    proves(&[ge(n(), x(5))], le(n(), x(5)), Truth::Unknown);
    proves(&[ge(mul(m(), n()), x(1))], ge(m(), x(1)), Truth::Yes);
    proves(&[ge(mul(x(2), n()), x(5))], ge(n(), x(3)), Truth::Yes);

    let cut = [le(r(), min(m(), n()))];
    proves(&cut, le(r(), m()), Truth::Yes);
    proves(&cut, le(r(), add(n(), k())), Truth::Yes);
    proves(&cut, le(mul(k(), r()), mul(k(), m())), Truth::Yes);
    proves(&cut, le(mul(m(), r()), mul(m(), n())), Truth::Yes);
    proves(&cut, le(r(), k()), Truth::Unknown);
    proves(&[le(r(), m()), le(m(), n()), le(n(), k())], le(r(), k()), Truth::Yes);
    proves(&[le(max(m(), n()), k())], le(n(), k()), Truth::Yes);
    proves(&[ge(k(), min(m(), n()))], ge(k(), min(m(), n())), Truth::Yes);
    proves(&[ge(floordiv(n(), x(2)), x(3))], ge(n(), x(6)), Truth::Yes);
    proves(&[le(add(n(), m()), x(3))], le(mul(x(2), n()), x(6)), Truth::Yes);

    let cells = le(r(), mul(add(min(m(), n()), x(1)), add(n(), x(2))));
    proves(std::slice::from_ref(&cells), cells.clone(), Truth::Yes);
    proves(&[cells], le(r(), mul(add(m(), x(1)), add(n(), x(2)))), Truth::Yes);
}
#[test]
fn equalities() {
    let chain = [eq(m(), n()), eq(n(), k())];
    proves(&chain, eq(m(), k()), Truth::Yes);
    proves(&chain, eq(min(m(), k()), n()), Truth::Yes);
    proves(&chain, eq(add(m(), x(1)), k()), Truth::No);
    proves(&[eq(k(), mul(m(), n()))], eq(mul(n(), k()), mul(m(), mul(n(), n()))), Truth::Yes);
    proves(&[eq(mul(m(), n()), mul(k(), k()))], eq(mul(x(2), mul(m(), n())), mul(x(2), mul(k(), k()))), Truth::Yes);
    proves(&[eq(modulo(n(), x(2)), x(0))], eq(mul(x(2), floordiv(n(), x(2))), n()), Truth::Yes);
    proves(&[eq(r(), min(m(), n()))], le(r(), m()), Truth::Yes);
    proves(&[ge(n(), x(5)), eq(m(), n())], ge(m(), x(5)), Truth::Yes);
    proves(&[eq(m(), sub(n(), x(3)))], ge(n(), x(3)), Truth::Yes);
    proves(&[le(n(), m()), ge(n(), m())], eq(n(), m()), Truth::Yes);
}
#[test]
fn contradictions() {
    assert!(facts(&[ge(n(), x(5)), le(n(), x(3))]).contradictory());
    assert!(facts(&[le(n(), x(-1))]).contradictory());
    assert!(facts(&[eq(x(3), x(4))]).contradictory());
    assert!(facts(&[eq(mul(x(2), n()), x(5))]).contradictory());
    assert!(facts(&[eq(n(), m()), ge(n(), add(m(), x(1)))]).contradictory());
    assert!(facts(&[ge(n(), add(m(), x(1))), ge(m(), add(n(), x(1)))]).contradictory());
    assert!(facts(&[ge(n(), x(5)), eq(n(), x(3))]).contradictory());
    assert!(facts(&[ge(min(m(), n()), x(4)), le(n(), x(3))]).contradictory());
    assert!(!facts(&[ge(n(), x(5)), le(n(), x(5))]).contradictory());
    assert!(!facts(&[eq(n(), m()), le(n(), x(3))]).contradictory());
}
#[test]
fn existentials_of_the_two_sides() {
    let none = Facts::new();
    assert!(none.foreign_existentials(&r(), &q()));
    assert!(none.foreign_existentials(&add(r(), n()), &add(q(), n())));
    assert!(none.foreign_existentials(&add(r(), q()), &r()));
    assert!(!none.foreign_existentials(&r(), &r()));
    assert!(!none.foreign_existentials(&r(), &n()));
    assert!(!none.foreign_existentials(&r(), &mul(x(2), r())));
    assert!(!facts(&[eq(r(), q())]).foreign_existentials(&r(), &q()));
    assert!(!facts(&[eq(q(), n())]).foreign_existentials(&r(), &q()));
    assert!(!facts(&[eq(mul(x(2), r()), mul(x(3), q()))]).foreign_existentials(&mul(x(2), r()), &mul(x(3), q())));
    // Two inequalities are no equality, even though the prover sees it.
    let both = facts(&[le(r(), q()), le(q(), r())]);
    assert!(both.foreign_existentials(&r(), &q()));
    assert_eq!(both.prove_eq(&r(), &q()), Truth::Yes);
}
#[test]
fn many_facts_stay_cheap() {
    let mut f = Facts::new();
    for i in 0..1_000 {
        f.assume(eq(Extent::sym(SymId(i + 10)), add(Extent::sym(SymId(i + 9)), x(1))));
    }
    for i in 0..20_000 {
        f.assume(le(Extent::exist(ExistId(i)), n()));
        if i > 0 {
            f.assume(le(Extent::exist(ExistId(i)), Extent::exist(ExistId(i - 1))));
        }
    }
    for i in 1..20_000 {
        let claim = le(Extent::exist(ExistId(i)), add(Extent::exist(ExistId(i - 1)), x(1)));
        assert_eq!(f.prove(&claim), Truth::Yes);
    }
}
#[test]
fn large_expressions_stay_cheap() {
    let pair = |i: u32| min(mul(Extent::sym(SymId(i)), Extent::sym(SymId(i + 1))), Extent::exist(ExistId(i)));
    let sum = |from: u32| (from..from + 120).fold(x(0), |e, i| add(e, pair(i)));
    let mut f = Facts::new();
    for i in 0..120 {
        f.assume(le(sum(i), add(sum(i + 1), x(3))));
        f.assume(eq(mul(x(2), pair(i)), mul(x(3), pair(i + 1))));
    }
    assert_eq!(f.prove(&le(sum(0), sum(3))), Truth::Unknown);
    assert_eq!(f.prove(&le(sum(0), add(sum(1), x(4)))), Truth::Yes);
}
#[test]
fn solving_at_compile_time() {
    let target = [(add(mul(x(2), m()), x(1)), add(mul(x(4), k()), x(3))), (add(m(), n()), add(k(), r()))];
    let found = solve_extents(2, &[], &target).unwrap();
    assert_eq!(found, [Some(add(mul(x(2), k()), x(1))), Some(sub(sub(r(), k()), x(1)))]);
    assert_eq!(solve_extents(1, &[], &[(mul(x(2), m()), n())]).unwrap(), [None]);
    assert_eq!(solve_extents(1, &[], &[(mul(m(), m()), x(9))]).unwrap(), [None]);
    // Symbols of the callee and of the caller do not mix.
    let swapped = solve_extents(2, &[Some(n()), None], &[(sub(n(), m()), m())]).unwrap();
    assert_eq!(swapped, [Some(n()), Some(add(m(), n()))]);
    assert_eq!(solvable(3, &[mul(m(), m()), add(n(), mul(k(), k())), k()]), [false, true, true]);
    assert_eq!(solvable(2, &[mul(m(), n()), m()]), [true, false]);
}
#[test]
fn solving_at_run_time() {
    let sym = SymId(1);
    let odd = solve_shapes(2, &[(m(), 3), (mul(x(2), n()), 5)]);
    assert_eq!(odd, Err(SolveFailure::NotDivisible { eq: 1, sym, coefficient: 2, rest: 5 }));
    let negative = solve_shapes(2, &[(m(), 3), (add(m(), n()), 1)]);
    assert_eq!(negative, Err(SolveFailure::Negative { eq: 1, sym, value: -2 }));
    assert_eq!(solve_shapes(2, &[(m(), 3), (mul(n(), n()), 4)]), Err(SolveFailure::Unsolved { sym }));
    assert_eq!(solve_shapes(1, &[(m(), 3), (m(), 4)]), Err(SolveFailure::Mismatch { eq: 1, expected: 3 }));
    assert_eq!(solve_shapes(1, &[(mul(x(2), m()), 5), (m(), 3)]), Err(SolveFailure::Mismatch { eq: 0, expected: 6 }));
    let zero = [(m(), 0), (floordiv(x(6), m()), 3)];
    assert_eq!(solve_shapes(1, &zero), Err(SolveFailure::DivisionByZero { eq: 1 }));
    let large = [(m(), i64::MAX), (mul(m(), m()), 1)];
    assert_eq!(solve_shapes(1, &large), Err(SolveFailure::Overflow { eq: 1 }));
    let env = solve_shapes(2, &[(add(mul(x(2), m()), n()), 11), (add(n(), x(1)), 4), (min(m(), n()), 3)]).unwrap();
    assert_eq!(env.syms, [Some(4), Some(3)]);
    assert_eq!(solve_shapes(0, &[(x(4), 5)]), Err(SolveFailure::Mismatch { eq: 0, expected: 4 }));
}
#[test]
fn exact_extents_are_two_words() {
    assert_eq!(std::mem::size_of::<Extent>(), 16);
}

/// What an extent is computed by sees sums, products, powers and calls of its normal form.
#[test]
fn computed_by_other_arithmetic() {
    struct Numbers;
    impl Arithmetic for Numbers {
        type Value = i64;
        fn exact(&mut self, n: i64) -> Result<i64> {
            Ok(n)
        }
        fn atom(&mut self, a: Atom) -> Result<i64> {
            Ok(if a == Atom::Sym(SymId(0)) { 7 } else { 3 })
        }
        fn add(&mut self, x: &i64, y: &i64) -> Result<i64> {
            Ok(x + y)
        }
        fn mul(&mut self, x: &i64, y: &i64) -> Result<i64> {
            Ok(x * y)
        }
        fn call(&mut self, f: ExtentFn, x: &i64, y: &i64) -> Result<i64> {
            Ok(match f {
                ExtentFn::Min => *x.min(y),
                ExtentFn::Max => *x.max(y),
                ExtentFn::FloorDiv => x.div_euclid(*y),
                ExtentFn::CeilDiv => (x + y - 1).div_euclid(*y),
                ExtentFn::Mod => x.rem_euclid(*y),
            })
        }
    }
    let (n, r) = (Extent::sym(SymId(0)), Extent::exist(ExistId(0)));
    let mut env = ExtentEnv::default();
    env.bind(Atom::Sym(SymId(0)), 7);
    env.bind(Atom::Exist(ExistId(0)), 3);
    let product = n.mul(&r).unwrap().mul(&r).unwrap();
    let all = [
        Extent::exact(5),
        product.sub(&n).unwrap().add(&Extent::exact(2)).unwrap(),
        Extent::min(&n, &product).unwrap().add(&Extent::max(&r, &Extent::exact(4)).unwrap()).unwrap(),
        n.floordiv(&r).unwrap().add(&n.ceildiv(&r).unwrap()).unwrap(),
        product.modulo(&Extent::exact(5)).unwrap(),
    ];
    for e in all {
        assert_eq!(e.compute(&mut Numbers).unwrap(), e.eval(&env).unwrap(), "{e:?}");
    }
}
