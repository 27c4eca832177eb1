//! The algebra against brute force: random expressions, facts, claims and shapes under all assignments in `0..=6`, and
//! some greater ones.
//! Named cases are in [`cases`].
mod cases;

use tfc_ir::extent::{Atom, ExtentFn, SolveFailure, solvable, solve_extents, solve_shapes};
use tfc_ir::{CmpOp, Constraint, ExistId, Extent, ExtentEnv, Facts, Result, SymId, Truth};

/// xorshift64*.
struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// An expression as it was written.
#[derive(Clone, Debug)]
enum Tree {
    Int(i64),
    Atom(Atom),
    Op(Op, Box<Tree>, Box<Tree>),
}
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Add,
    Sub,
    Mul,
    Call(ExtentFn),
}
const OPS: [Op; 8] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Call(ExtentFn::Min),
    Op::Call(ExtentFn::Max),
    Op::Call(ExtentFn::FloorDiv),
    Op::Call(ExtentFn::CeilDiv),
    Op::Call(ExtentFn::Mod),
];
/// The atoms in use: two symbols and an existential.
const ATOMS: [Atom; 3] = [Atom::Sym(SymId(0)), Atom::Sym(SymId(1)), Atom::Exist(ExistId(0))];

/// Numbers at which 64 bits end.
const EDGES: [i64; 8] = [i64::MIN, i64::MIN + 1, -(1 << 62), -(1 << 32), 1 << 31, 1 << 62, i64::MAX - 1, i64::MAX];

fn random_tree(rng: &mut Rng, atoms: usize, nodes: u64) -> Tree {
    tree_with(rng, atoms, nodes, false)
}
fn tree_with(rng: &mut Rng, atoms: usize, nodes: u64, edges: bool) -> Tree {
    if nodes <= 1 {
        return match rng.below(5) {
            0 if edges => Tree::Int(EDGES[rng.below(8) as usize]),
            0 | 1 => Tree::Int(rng.below(10) as i64 - 3),
            _ => Tree::Atom(ATOMS[rng.below(atoms as u64) as usize]),
        };
    }
    let op = OPS[rng.below(OPS.len() as u64) as usize];
    let left = 1 + rng.below(nodes - 1);
    let a = tree_with(rng, atoms, left, edges);
    // Division mostly by numbers, as in programs.
    let right = if matches!(op, Op::Call(ExtentFn::FloorDiv | ExtentFn::CeilDiv | ExtentFn::Mod)) && rng.below(4) > 0 {
        1
    } else {
        nodes - left
    };
    Tree::Op(op, Box::new(a), Box::new(tree_with(rng, atoms, right, edges)))
}
/// The value as written; `None` where it divides by zero or leaves 128 bits.
fn direct(t: &Tree, env: &[i64; 3]) -> Option<i128> {
    Some(match t {
        Tree::Int(n) => i128::from(*n),
        Tree::Atom(a) => i128::from(env[ATOMS.iter().position(|b| a == b)?]),
        Tree::Op(op, a, b) => {
            let (a, b) = (direct(a, env)?, direct(b, env)?);
            match op {
                Op::Add => a.checked_add(b)?,
                Op::Sub => a.checked_sub(b)?,
                Op::Mul => a.checked_mul(b)?,
                Op::Call(ExtentFn::Min) => a.min(b),
                Op::Call(ExtentFn::Max) => a.max(b),
                Op::Call(_) if b == 0 => return None,
                Op::Call(ExtentFn::FloorDiv) => floor(a, b)?,
                Op::Call(ExtentFn::CeilDiv) => floor(a.checked_neg()?, b)?.checked_neg()?,
                Op::Call(ExtentFn::Mod) => a.checked_sub(b.checked_mul(floor(a, b)?)?)?,
            }
        }
    })
}
fn floor(a: i128, b: i128) -> Option<i128> {
    let (a, b) = if b > 0 { (a, b) } else { (a.checked_neg()?, b.checked_neg()?) };
    a.checked_div_euclid(b)
}
fn normal(t: &Tree) -> Result<Extent> {
    match t {
        Tree::Int(n) => Ok(Extent::exact(*n)),
        Tree::Atom(a) => Ok(Extent::atom(*a)),
        Tree::Op(op, a, b) => {
            let (a, b) = (normal(a)?, normal(b)?);
            match op {
                Op::Add => a.add(&b),
                Op::Sub => a.sub(&b),
                Op::Mul => a.mul(&b),
                Op::Call(ExtentFn::Min) => Extent::min(&a, &b),
                Op::Call(ExtentFn::Max) => Extent::max(&a, &b),
                Op::Call(ExtentFn::FloorDiv) => a.floordiv(&b),
                Op::Call(ExtentFn::CeilDiv) => a.ceildiv(&b),
                Op::Call(ExtentFn::Mod) => a.modulo(&b),
            }
        }
    }
}
/// The same function written otherwise: operands of commutative ops exchanged, sums and extrema regrouped.
fn rewritten(t: &Tree, rng: &mut Rng) -> Tree {
    let Tree::Op(op, a, b) = t else { return t.clone() };
    let (a, b) = (rewritten(a, rng), rewritten(b, rng));
    let commutes = !matches!(op, Op::Sub | Op::Call(ExtentFn::FloorDiv | ExtentFn::CeilDiv | ExtentFn::Mod));
    let node = |x: Tree, y: Tree| Tree::Op(*op, Box::new(x), Box::new(y));
    match (&a, rng.below(3)) {
        (Tree::Op(inner, x, y), 0) if commutes && inner == op => node((**x).clone(), node((**y).clone(), b)),
        (_, 0 | 1) if commutes => node(b, a),
        _ => node(a, b),
    }
}
fn assignments(atoms: usize) -> impl Iterator<Item = [i64; 3]> {
    (0..7i64.pow(atoms as u32)).map(|i| [i % 7, i / 7 % 7, i / 49])
}
/// Whether the prover says without any facts that the extent is always above the least of its values, or always below the greatest.
fn excluded(e: &Extent, least: i128, greatest: i128) -> bool {
    let facts = Facts::new();
    [(CmpOp::Ge, least + 1), (CmpOp::Le, greatest - 1)].into_iter().any(|(op, bound)| {
        let bound = i64::try_from(bound).unwrap();
        facts.prove(&Constraint { lhs: e.clone(), op, rhs: Extent::exact(bound) }) == Truth::Yes
    })
}
fn env_of(values: &[i64; 3]) -> ExtentEnv {
    ExtentEnv { syms: vec![Some(values[0]), Some(values[1])], exists: vec![Some(values[2])] }
}

/// Returns how many of the expressions have a normal form at all.
fn check_normal_forms(seed: u64, cases: u64) -> u64 {
    let mut rng = Rng(seed);
    let mut normalised = 0;
    for _ in 0..cases {
        let atoms = 1 + rng.below(3) as usize;
        let nodes = 1 + rng.below(9);
        let tree = random_tree(&mut rng, atoms, nodes);
        match normal(&tree) {
            Ok(e) => {
                normalised += 1;
                let mut reached: Option<(i128, i128)> = None;
                for values in assignments(atoms) {
                    if let Some(want) = direct(&tree, &values) {
                        let got = e.eval(&env_of(&values)).map(i128::from);
                        assert_eq!(got, Ok(want), "{tree:?} at {values:?} as {e:?}");
                        let (low, high) = reached.unwrap_or((want, want));
                        reached = Some((low.min(want), high.max(want)));
                    }
                }
                if let Some((low, high)) = reached {
                    assert!(!excluded(&e, low, high), "{e:?} is proved to be elsewhere than at {low} and {high}");
                }
                let other = normal(&rewritten(&tree, &mut rng));
                assert_eq!(other, Ok(e), "normal form of {tree:?}");
            }
            Err(e) if e.data().code.name() == "E0407" => {
                let defined = assignments(atoms).find(|v| direct(&tree, v).is_some());
                assert_eq!(defined, None, "{tree:?} was refused");
            }
            Err(e) => panic!("{tree:?}: {e}"),
        }
    }
    normalised
}

/// The same near the ends of 64 bits: values are right or refused.
fn check_edges(seed: u64, cases: u64) -> u64 {
    let mut rng = Rng(seed);
    let mut values_seen = 0;
    for _ in 0..cases {
        let nodes = 1 + rng.below(9);
        let tree = tree_with(&mut rng, 2, nodes, true);
        let Ok(e) = normal(&tree) else { continue };
        let large = EDGES[rng.below(3) as usize + 5];
        for values in [[0, 1, 0], [3, large, 0], [large, 5, 0], [large, large, 0]] {
            if let (Some(want), Ok(got)) = (direct(&tree, &values), e.eval(&env_of(&values))) {
                values_seen += 1;
                assert_eq!(i128::from(got), want, "{tree:?} at {values:?} as {e:?}");
            }
        }
    }
    values_seen
}

fn random_constraint(rng: &mut Rng, atoms: usize, edges: bool) -> Option<Constraint> {
    let op = [CmpOp::Le, CmpOp::Ge, CmpOp::Eq][rng.below(3) as usize];
    let (left, right) = (1 + rng.below(4), 1 + rng.below(4));
    let lhs = normal(&tree_with(rng, atoms, left, edges)).ok()?;
    Some(Constraint { lhs, op, rhs: normal(&tree_with(rng, atoms, right, edges)).ok()? })
}
/// How often the prover decided.
#[derive(Default, Debug)]
struct Tally {
    yes: u64,
    no: u64,
    contradictions: u64,
}
fn check_prover(seed: u64, cases: u64, edges: bool) -> Tally {
    let mut rng = Rng(seed);
    let mut tally = Tally::default();
    for _ in 0..cases {
        let atoms = 1 + rng.below(3) as usize;
        let count = rng.below(4);
        let given: Vec<Constraint> = (0..count).filter_map(|_| random_constraint(&mut rng, atoms, edges)).collect();
        let mut facts = Facts::new();
        given.iter().for_each(|c| facts.assume(c.clone()));
        let far: Vec<[i64; 3]> = (0..40).map(|_| [(); 3].map(|()| rng.below(60) as i64)).collect();
        let possible: Vec<ExtentEnv> = assignments(atoms)
            .chain(far)
            .map(|v| env_of(&v))
            .filter(|env| given.iter().all(|c| c.holds(env) == Ok(true)))
            .collect();
        if facts.contradictory() {
            tally.contradictions += 1;
            assert!(possible.is_empty(), "{given:?} hold at {:?}", possible[0]);
            continue;
        }
        for _ in 0..2 {
            let Some(claim) = random_constraint(&mut rng, atoms, edges) else { continue };
            let truth = facts.prove(&claim);
            let refuted = match truth {
                Truth::Yes => false,
                Truth::No => true,
                Truth::Unknown => continue,
            };
            tally.yes += u64::from(!refuted);
            tally.no += u64::from(refuted);
            let wrong = possible.iter().find(|env| claim.holds(env) == Ok(refuted));
            assert_eq!(wrong, None, "{claim:?} is not {truth:?} under {given:?}");
        }
    }
    tally
}

/// Random linear patterns, shapes that fit them or nearly do.
fn check_solvers(seed: u64, cases: u64) -> u64 {
    let mut rng = Rng(seed);
    let mut solved = 0;
    for _ in 0..cases {
        let patterns: Vec<Extent> = (0..1 + rng.below(4))
            .filter_map(|_| {
                let nodes = 1 + rng.below(3);
                normal(&random_tree(&mut rng, 2, nodes)).ok()
            })
            .collect();
        let hidden = env_of(&[rng.below(7) as i64, rng.below(7) as i64, 0]);
        let shapes: Result<Vec<i64>> = patterns.iter().map(|p| p.eval(&hidden)).collect();
        let Ok(mut shapes) = shapes else { continue };
        if rng.below(4) == 0
            && let Some(x) = shapes.first_mut()
        {
            *x += 1;
        }
        let eqs: Vec<(Extent, i64)> = patterns.iter().cloned().zip(shapes).collect();
        let fits: Vec<ExtentEnv> = assignments(2)
            .map(|v| ExtentEnv { syms: vec![Some(v[0]), Some(v[1])], exists: vec![] })
            .filter(|env| eqs.iter().all(|(p, x)| p.eval(env).ok() == Some(*x)))
            .collect();
        match solve_shapes(2, &eqs) {
            Ok(env) => {
                solved += 1;
                assert!(eqs.iter().all(|(p, x)| p.eval(&env).ok() == Some(*x)), "{eqs:?} not solved by {env:?}");
                assert!(fits.iter().all(|f| *f == env), "{eqs:?}: {env:?} is not the only solution");
            }
            Err(SolveFailure::Unsolved { .. }) => {
                assert!(solvable(2, &patterns).contains(&false), "{patterns:?} promised a solution");
            }
            Err(e) => assert_eq!(fits, [], "{eqs:?}: {e:?}"),
        }
        check_compile_time(2, &eqs);
    }
    solved
}
/// Systems of linear patterns over three symbols against brute force: whatever has one solution and is promised one, is
/// solved; what is not solved has none.
fn check_systems(seed: u64, cases: u64) -> (u64, u64) {
    let mut rng = Rng(seed);
    let (mut together, mut refused) = (0, 0);
    let env = |v: &[i64; 3]| ExtentEnv { syms: v.iter().map(|x| Some(*x)).collect(), exists: vec![] };
    for _ in 0..cases {
        let coefficients: Vec<[i64; 4]> =
            (0..2 + rng.below(3)).map(|_| [(); 4].map(|()| rng.below(7) as i64 - 3)).collect();
        let pattern = |c: &[i64; 4]| {
            let atom = |i: usize| Extent::sym(SymId(i as u32)).mul(&Extent::exact(c[i]));
            atom(0)?.add(&atom(1)?)?.add(&atom(2)?)?.add(&Extent::exact(c[3]))
        };
        let patterns: Vec<Extent> = coefficients.iter().map(|c| pattern(c).unwrap()).collect();
        let hidden = [(); 3].map(|()| rng.below(7) as i64);
        let mut eqs: Vec<(Extent, i64)> =
            patterns.iter().map(|p| (p.clone(), p.eval(&env(&hidden)).unwrap())).collect();
        let exact = rng.below(3) != 0;
        if !exact {
            eqs[0].1 += 1;
        }
        let holds = |v: &[i64; 3]| eqs.iter().all(|(p, x)| p.eval(&env(v)) == Ok(*x));
        let fits: Vec<[i64; 3]> = assignments(3).map(|v| [v[0], v[1], v[2]]).filter(holds).collect();
        let promised = !solvable(3, &patterns).contains(&false);
        match solve_shapes(3, &eqs) {
            Ok(found) => {
                let value = [0, 1, 2].map(|i| found.syms[i].unwrap());
                assert!(holds(&value), "{eqs:?} not solved by {found:?}");
                assert!(fits.iter().all(|f| *f == value), "{eqs:?}: {found:?} is not the only solution");
                together += u64::from(patterns.iter().all(|p| p.as_atom().is_none()));
            }
            Err(SolveFailure::Unsolved { .. }) => assert!(!promised, "{patterns:?} promised a solution"),
            Err(e) => {
                assert!(fits.is_empty(), "{eqs:?}: {e:?}");
                refused += 1;
            }
        }
        if exact && promised {
            assert_eq!(fits, [hidden], "{patterns:?} is promised one solution");
        }
        check_compile_time(3, &eqs);
    }
    (together, refused)
}
/// The same equations with exact targets over extents.
fn check_compile_time(syms: usize, eqs: &[(Extent, i64)]) {
    let wide: Vec<(Extent, Extent)> = eqs.iter().map(|(p, x)| (p.clone(), Extent::exact(*x))).collect();
    let Ok(found) = solve_extents(syms, &[], &wide) else { return };
    if let Ok(env) = solve_shapes(syms, eqs) {
        let want: Vec<Option<Extent>> = env.syms.iter().map(|v| v.map(Extent::exact)).collect();
        assert_eq!(found, want, "{eqs:?}");
    }
}

#[test]
fn normal_forms_agree_with_evaluation() {
    let normalised = check_normal_forms(0x9e37_79b9_7f4a_7c15, 60_000);
    assert!(normalised > 50_000, "{normalised} expressions had a normal form");
}
#[test]
fn prover_never_contradicts_brute_force() {
    let tally = check_prover(0xd1b5_4a32_d192_ed03, 40_000, false);
    assert!(tally.yes > 8_000 && tally.no > 4_000 && tally.contradictions > 1_000, "{tally:?}");
}
#[test]
fn nothing_wraps_at_the_ends_of_64_bits() {
    let seen = check_edges(0x9e37_79b9_7f4a_7c15, 20_000);
    assert!(seen > 20_000, "{seen} values were compared");
    let tally = check_prover(0x9e37_79b9_7f4a_7c15, 4_000, true);
    assert!(tally.yes > 500 && tally.no > 500, "{tally:?}");
}
#[test]
fn solvers_agree_with_brute_force() {
    let solved = check_solvers(0x2545_f491_4f6c_dd1d, 20_000);
    assert!(solved > 2_500, "{solved} systems were solved");
}
#[test]
fn systems_agree_with_brute_force() {
    let (together, refused) = check_systems(0x2545_f491_4f6c_dd1d, 10_000);
    assert!(together > 2_000 && refused > 1_000, "{together} solved, {refused} refused");
}
#[test]
fn sums_and_differences_are_solved_together() {
    let (m, n, k) = (Extent::sym(SymId(0)), Extent::sym(SymId(1)), Extent::sym(SymId(2)));
    let (sum, difference) = (m.add(&n).unwrap(), m.sub(&n).unwrap());
    assert_eq!(solvable(2, &[sum.clone(), difference.clone()]), [true, true]);
    assert_eq!(solvable(2, std::slice::from_ref(&sum)), [false, false]);
    let found = solve_shapes(2, &[(sum.clone(), 9), (difference.clone(), 5)]).unwrap();
    assert_eq!(found.syms, [Some(7), Some(2)]);
    let odd = solve_shapes(2, &[(sum.clone(), 9), (difference.clone(), 4)]);
    assert_eq!(odd, Err(SolveFailure::NotDivisible { eq: 1, sym: SymId(0), coefficient: 2, rest: 13 }));
    let less = solve_shapes(2, &[(sum.clone(), 2), (difference.clone(), 4)]);
    assert_eq!(less, Err(SolveFailure::Negative { eq: 1, sym: SymId(1), value: -1 }));
    // Over the caller's extents: 2*k + 3 and 3 give k + 3 and k.
    let (a, b) = (k.add(&k).unwrap().add(&Extent::exact(3)).unwrap(), Extent::exact(3));
    let found = solve_extents(2, &[], &[(sum, a), (difference, b)]).unwrap();
    assert_eq!(found, [Some(k.add(&Extent::exact(3)).unwrap()), Some(k)]);
}
/// Hours on one core; `TFC_EXTENT_SEED` starts elsewhere. `--nocapture` shows how far it is.
#[test]
#[ignore = "10^8 cases"]
fn everything_agrees_with_brute_force_for_long() {
    let seed = std::env::var("TFC_EXTENT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1u64);
    for round in 0..1000u64 {
        let start = (seed.wrapping_mul(1_000_003) + round).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        check_normal_forms(start, 60_000);
        check_prover(start, 27_000, false);
        check_prover(start, 3_000, true);
        check_edges(start, 5_000);
        check_solvers(start, 5_000);
        check_systems(start, 5_000);
        eprintln!("{} cases", (round + 1) * 105_000);
    }
}
