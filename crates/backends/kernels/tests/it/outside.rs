//! Scalar functions from outside: every loop shape against single elements, a formula against the same by Rust's operators and
//! on every instruction set, as data and as code; what is refused.
use tfc_ir::outside::Panicked;
use tfc_ir::{C32, C64, DType, Element, ScalarOp, Tensor};
use tfc_kernels::outside::{Formula, Made, ScalarFunction, V, formula, of_reals, of_vectors};
use tfc_kernels::scalar::Src;
use tfc_kernels::vmath::v::Lut;
use tfc_kernels::{choose::choose, choose::exact, vmath};

static SINC: ScalarFunction = ScalarFunction { name: "test.sinc", cost: 40, formulas: &SINC_MADE };
static SINC_MADE: Made = of_reals(|[x]| if x == 0.0 { 1.0 } else { x.sin() / x })
    .and_complex(|[z]| if z == C64::new(0.0, 0.0) { C64::new(1.0, 0.0) } else { z.sin() / z });
static BLEND: ScalarFunction =
    ScalarFunction { name: "test.blend", cost: 3, formulas: &of_reals(|[t, a, b]| (1.0 - t) * a + t * b) };

/// `x / (1 + |x|)`, 2 where it is above 1, and what odd bits do.
struct Many;
impl Formula<1> for Many {
    #[inline(always)]
    fn of<T: V>([x]: [T; 1]) -> T {
        let soft = x.div(T::c(1.0).add(x.abs())).fma(T::pick(0.5, 0.25), T::c(0.125)).fnma(x, x.min(T::c(3.0)));
        let root = soft.abs().sqrt().max(T::c(0.1)).sub(x.sign());
        let bits = root.iadd(T::bits(3)).isub(T::bits(1)).shl(1).shr(1).xor(T::bits(1)).or(T::bits(2));
        let odd = T::sel(bits.odd(), root, bits);
        let large = T::lt(T::c(1.0), x);
        let picked = if T::any(large) { T::sel(large, T::c(2.0), odd) } else { odd };
        T::sel(T::eq(x, T::c(0.5)), x.scalef(T::c(3.0)), picked.mul(x)).rare::<Rare>(T::lt(x, T::c(-4.0)), x)
    }
}
struct Rare;
impl vmath::v::Un for Rare {
    #[inline(always)]
    fn f<T: V>(x: T) -> T {
        x.log_parts().1
    }
}
static MANY: ScalarFunction = ScalarFunction { name: "test.many", cost: 30, formulas: &of_vectors::<1, Many>() };
struct Hypot;
impl Formula<2> for Hypot {
    #[inline(always)]
    fn of<T: V>([x, y]: [T; 2]) -> T {
        x.fma(x, y.mul(y)).sqrt()
    }
}
static HYPOT: ScalarFunction = ScalarFunction { name: "test.hypot", cost: 8, formulas: &of_vectors::<2, Hypot>() };
struct Looked;
static LUT: Lut = Lut { s: [1.5; 16], d: [2.5; 16] };
impl Formula<1> for Looked {
    #[inline(always)]
    fn of<T: V>([x]: [T; 1]) -> T {
        x.lookup(&LUT)
    }
}
struct Endless;
impl Formula<1> for Endless {
    #[inline(always)]
    fn of<T: V>([x]: [T; 1]) -> T {
        let mut y = x;
        while T::any(T::lt(y, T::c(1.0))) {
            y = y.add(T::c(1.0));
        }
        y
    }
}

const POINTS: [f64; 12] =
    [0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 3.25, -5.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

fn run<T: Element>(op: ScalarOp, operands: &[&[T]], strides: [isize; 3], n: usize) -> Vec<T> {
    let f = choose(op, &vec![T::DTYPE; operands.len()], T::DTYPE).expect("a loop").f;
    let mut src = [Src::NONE; 3];
    src.iter_mut().zip(operands).zip(strides).for_each(|((s, x), stride)| *s = Src { stride, ..Src::slice(x) });
    let mut out = vec![T::default(); n];
    // SAFETY: operands have the elements that strides reach, the result is fresh.
    unsafe { f(n, &src, out.as_mut_ptr().cast()) };
    out
}
/// By themselves.
fn one<T: Element>(op: ScalarOp, operands: &[T]) -> T {
    let each: Vec<&[T]> = operands.chunks(1).collect();
    run(op, &each, [1; 3], 1)[0]
}
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn a_function_of_reals_is_called_for_each_element() {
    let op = ScalarOp::Outside(&SINC);
    assert_eq!((op.name(), op.arity(), op.cost()), ("test.sinc", 1, 40));
    let want = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
    let all = run::<f64>(op, &[&POINTS], [1, 0, 0], POINTS.len());
    for (&x, &y) in POINTS.iter().zip(&all) {
        assert!(same(y, want(x)), "{x}: {y}");
        assert!(same(one(op, &[x]), want(x)));
        let narrow = x as f32;
        assert!(same(one(op, &[narrow]).into(), (want(narrow.into()) as f32).into()), "{x} of f32");
    }
    // One value for all, every second from the end, and in place.
    assert_eq!(run::<f64>(op, &[&[2.0]], [0, 0, 0], 3), [want(2.0); 3]);
    assert_eq!(run::<f64>(op, &[&[1.0, 7.0, 2.0]], [2, 0, 0], 2), [want(1.0), want(2.0)]);
    let mut own = [1.0, 2.0, 3.0];
    let f = exact(op, &[DType::F64], DType::F64).expect("a loop").f();
    // SAFETY: in place, three elements.
    unsafe { f(3, &[Src::slice(&own), Src::NONE, Src::NONE], own.as_mut_ptr().cast()) };
    assert_eq!(own, [1.0, 2.0, 3.0].map(want));
    let z = C64::new(0.5, -1.0);
    assert_eq!(one(op, &[z]), z.sin() / z);
    let (y, w) = (one(op, &[C32::new(0.5, -1.0)]), z.sin() / z);
    assert_eq!((y.re, y.im), (w.re as f32, w.im as f32));
    let three = run::<f64>(ScalarOp::Outside(&BLEND), &[&[0.0, 0.5], &[1.0], &[3.0, 5.0]], [1, 0, 1], 2);
    assert_eq!(three, [1.0, 3.0]);
}
/// The same formula as vectors of this machine, an element at a time, and as recorded steps done again.
#[test]
fn a_formula_has_the_same_bits_in_every_way() {
    let op = ScalarOp::Outside(&MANY);
    let all: Vec<f64> = POINTS.iter().copied().cycle().take(77).collect();
    let narrow: Vec<f32> = all.iter().map(|&x| x as f32).collect();
    let (wide, single) = (run::<f64>(op, &[&all], [1, 0, 0], 77), run::<f32>(op, &[&narrow], [1, 0, 0], 77));
    for (i, &x) in all.iter().enumerate() {
        assert!(same(wide[i], one(op, &[x])), "{x}");
        assert!(same(single[i].into(), one(op, &[x as f32]).into()), "{x} of f32");
    }
    assert!(wide[5] == 3.0 && wide[2] == 4.0, "{wide:?}");
    let two = run::<f64>(ScalarOp::Outside(&HYPOT), &[&[3.0, 5.0], &[4.0]], [1, 0, 0], 2);
    assert_eq!(two, [5.0, 41f64.sqrt()]);
    assert_eq!(one(ScalarOp::Outside(&HYPOT), &[3.0f32, 4.0]), 5.0);
}
/// Its steps are there for code generators, but not where they would not be the same ones each time.
#[test]
fn formulas_are_written_down_where_that_can_be() {
    for f in [&MANY, &HYPOT] {
        assert!(formula(f, true).is_some() && formula(f, false).is_some(), "{f:?}");
    }
    static LOOKED: ScalarFunction =
        ScalarFunction { name: "test.looked", cost: 2, formulas: &of_vectors::<1, Looked>() };
    static ENDLESS: ScalarFunction =
        ScalarFunction { name: "test.endless", cost: 9, formulas: &of_vectors::<1, Endless>() };
    for (f, x, y, written) in [(&LOOKED, 7.0, 2.5, true), (&ENDLESS, -1.5, 1.5, false)] {
        assert_eq!(formula(f, true).is_some(), written, "{f:?}");
        assert_eq!(run::<f64>(ScalarOp::Outside(f), &[&[x; 9]], [1, 0, 0], 9), [y; 9]);
    }
    assert!(formula(&SINC, true).is_none());
}
#[test]
fn what_a_function_is_not_defined_on_has_no_kernel() {
    let (one, three) = (ScalarOp::Outside(&MANY), ScalarOp::Outside(&BLEND));
    for d in DType::WIDE {
        assert_eq!(exact(one, &[d], d).is_some(), d.is_float(), "{d}");
        assert_eq!(exact(ScalarOp::Outside(&SINC), &[d], d).is_some(), d.is_float() || d.is_complex(), "{d}");
    }
    assert!(exact(one, &[DType::F64; 2], DType::F64).is_none() && exact(three, &[DType::F64], DType::F64).is_none());
    assert!(exact(one, &[DType::F32], DType::F64).is_none());
    assert!(vmath::kernel(one, DType::F64).is_none(), "its loops are its own");
}
/// A value, and none where it panics; a loop says whose panic it was.
#[test]
fn values_and_panics() {
    static PICKY: ScalarFunction = ScalarFunction {
        name: "test.picky",
        cost: 1,
        formulas: &of_reals(|[x]| if x < 0.0 { panic!("{x} is negative") } else { x + 1.0 }),
    };
    let value = |x: f64| PICKY.formulas.value(&[Tensor::scalar(x)]).and_then(|t| t.item::<f64>());
    assert_eq!((value(1.0), value(-1.0)), (Some(2.0), None));
    assert!(PICKY.formulas.value(&[Tensor::scalar(1i64)]).is_none() && PICKY.formulas.value(&[]).is_none());
    assert_eq!(MANY.formulas.value(&[Tensor::scalar(1.5f32)]).and_then(|t| t.item::<f32>()), Some(3.0));
    let panic = std::panic::catch_unwind(|| run::<f64>(ScalarOp::Outside(&PICKY), &[&[1.0, -2.0]], [1, 0, 0], 2));
    let panic = panic.expect_err("it panics").downcast::<Panicked>().expect("by its name");
    assert!(panic.function.contains("PICKY"), "{}", panic.function);
    assert_eq!(panic.with.downcast_ref::<String>().map(String::as_str), Some("-2 is negative"));
}
/// A function is the row that it is; its place among others is that of its name.
#[test]
fn functions_are_told_apart() {
    static OTHER: ScalarFunction = ScalarFunction { name: "test.sinc", cost: 40, formulas: &SINC_MADE };
    let [a, b] = [&SINC, &OTHER].map(ScalarOp::Outside);
    assert!(a == a && a != b && a.cmp(&b).is_ne() && ScalarOp::Outside(&BLEND) < a && a > ScalarOp::Fnma);
    assert_eq!(format!("{a:?}"), "Outside(test.sinc)");
}
