//! Which functions are recognised, how programs write them, and their slopes.
//!
//! A spelling is what exporters write, with and without what the pass `simplify` takes away. A slope is written for itself, not
//! derived from a spelling: it is right wherever the function has one, and so are its own derivatives.
use super::formula::{Formula, Writer};
use super::pattern::Term::{self, Num, Op, Var};
use super::{bessel, beta, gamma, loggamma as log, slopes as s};
use std::f64::consts::{FRAC_2_PI, LN_2, LOG2_E, PI};
use tfc_ir::DType;
use tfc_ir::op::Partial;
use tfc_ir::ops::elementwise as e;

/// A function that programs write out.
pub(super) struct Function {
    /// Name of the private function that a program calls instead.
    pub(super) name: &'static str,
    /// Variables of the function.
    pub(super) vars: &'static [&'static str],
    /// The slope in each of them.
    pub(super) slopes: &'static [Slope],
    /// How it is written. Each keeps its own bits: a spelling stays what computes the value.
    pub(super) spellings: Spellings,
}
/// A slope.
pub(super) enum Slope {
    /// The derivative is this expression of the variables and the value.
    Is(Partial),
    /// The derivative is that of this formula, which is differentiated as it stands.
    Of(Writer),
}
/// How a function is written.
pub(super) enum Spellings {
    /// The function is written as one of these expressions.
    Terms(&'static [Term]),
    /// The function is written as one of these formulas.
    Formulas(&'static [Writer]),
}
impl Spellings {
    /// Their number.
    pub(super) fn len(&self) -> usize {
        match self {
            Terms(all) => all.len(),
            Formulas(all) => all.len(),
        }
    }
}
impl Function {
    /// The spelling of that number.
    pub(super) fn formula(&self, spelling: usize, dtype: DType) -> Formula {
        match &self.spellings {
            Terms(all) => Formula::of(self.vars.len(), dtype, &all[spelling]),
            Formulas(all) => Formula::new(self.vars.len(), dtype, all[spelling]),
        }
    }
}
use Slope::{Is, Of};
use Spellings::{Formulas, Terms};

const X: Term = Var(0);
const Y: Term = Var(1);
const ZERO: Term = Num(0.0);
const ONE: Term = Num(1.0);
const PI_X: Term = Op(&e::MUL, &[Num(PI), X]);
const X_IS_0: Term = Op(&e::EQ, &[X, ZERO]);
const EXP_X: Term = Op(&e::EXP, &[X]);
/// `log1p(exp(−|x|))`.
const SOFT: Term = Op(&e::LOG1P, &[Op(&e::EXP, &[Op(&e::NEG, &[Op(&e::ABS, &[X])])])]);
const X_LESS_0: Term = Op(&e::SUB, &[X, ZERO]);
const SOFT_LESS_0: Term = Op(&e::LOG1P, &[Op(&e::EXP, &[Op(&e::NEG, &[Op(&e::ABS, &[X_LESS_0])])])]);
const MINUS_X: Term = Op(&e::NEG, &[X]);
const RELU_MINUS: Term = Op(&e::MAX, &[MINUS_X, ZERO]);
const TWICE_X: Term = Op(&e::ADD, &[X, X]);
/// `|x|`, at most `y` or 1.
const SIZE: Term = Op(&e::ABS, &[X]);
const WITHIN_Y: Term = Op(&e::MIN, &[SIZE, Y]);
const WITHIN_1: Term = Op(&e::MIN, &[SIZE, ONE]);
const RELU: Term = Op(&e::MAX, &[X, ZERO]);
const DIFFERENCE: Term = Op(&e::SUB, &[X, Y]);
const GREATER: Term = Op(&e::MAX, &[X, Y]);
const DECAY: Term = Op(&e::NEG, &[Op(&e::ABS, &[DIFFERENCE])]);
const LOG_SUM: Term = Op(&e::ADD, &[GREATER, Op(&e::LOG1P, &[Op(&e::EXP, &[DECAY])])]);
/// `x ≠ 0`, or `y` is NaN.
const COUNTS: Term = Op(&e::OR, &[Op(&e::NE, &[X, ZERO]), Op(&e::NE, &[Y, Y])]);
const X_LOG_Y: Term = Op(&e::MUL, &[X, Op(&e::LOG, &[Y])]);
const X_LOG1P_Y: Term = Op(&e::MUL, &[X, Op(&e::LOG1P, &[Y])]);
/// `x`, or 1 where that is 0.
const X_OR_1: Term = Op(&e::SELECT, &[X_IS_0, ONE, X]);
const CUBE: Term = Op(&e::MUL, &[Op(&e::MUL, &[X, X]), X]);
const INSIDE: Term = Op(&e::ADD, &[X, Op(&e::MUL, &[Num(0.044715), CUBE])]);
/// The root of 2/π as exporters round it.
const ROOT: f64 = 0.797_884_560_802_865_4;
const INSIDE_BY_POW: Term = Op(&e::ADD, &[X, Op(&e::MUL, &[Num(0.044715), Op(&e::POW, &[X, Num(3.0)])])]);
const STEP_BY_POW: Term = Op(&e::ADD, &[ONE, Op(&e::TANH, &[Op(&e::MUL, &[Num(ROOT), INSIDE_BY_POW])])]);
const STEP: Term = Op(&e::ADD, &[ONE, Op(&e::TANH, &[Op(&e::MUL, &[Num(ROOT), INSIDE])])]);
const _: () = assert!(ROOT * ROOT - FRAC_2_PI < 1e-15 && FRAC_2_PI - ROOT * ROOT < 1e-15);
/// Of `hypot`: the greater and the lesser modulus.
const LONG: Term = Op(&e::MAX, &[Op(&e::ABS, &[X]), Op(&e::ABS, &[Y])]);
const SHORT: Term = Op(&e::MIN, &[Op(&e::ABS, &[X]), Op(&e::ABS, &[Y])]);
const INFINITE: Term = Op(
    &e::OR,
    &[Op(&e::EQ, &[Op(&e::ABS, &[X]), Num(f64::INFINITY)]), Op(&e::EQ, &[Op(&e::ABS, &[Y]), Num(f64::INFINITY)])],
);
const LONG_IS_0: Term = Op(&e::EQ, &[LONG, ZERO]);
const RATIO: Term = Op(&e::DIV, &[SHORT, Op(&e::SELECT, &[LONG_IS_0, ONE, LONG])]);
const LENGTH: Term = Op(&e::MUL, &[LONG, Op(&e::SQRT, &[Op(&e::ADD, &[ONE, Op(&e::MUL, &[RATIO, RATIO])])])]);

/// Every function, in the order in which they are looked for.
pub(super) static FUNCTIONS: &[Function] = &[
    // JAX and Flax: `nn.sigmoid`, in `silu`, `glu` and the gates of recurrent cells.
    Function {
        name: "sigmoid",
        vars: &["x"],
        slopes: &[Is(s::sigmoid)],
        spellings: Terms(&[
            Op(&e::DIV, &[ONE, Op(&e::ADD, &[ONE, Op(&e::EXP, &[Op(&e::NEG, &[X])])])]),
            Op(&e::DIV, &[EXP_X, Op(&e::ADD, &[ONE, EXP_X])]),
        ]),
    },
    // PyTorch divides `x` itself.
    Function {
        name: "silu",
        vars: &["x"],
        slopes: &[Is(s::silu)],
        spellings: Terms(&[Op(&e::DIV, &[X, Op(&e::ADD, &[ONE, Op(&e::EXP, &[Op(&e::NEG, &[X])])])])]),
    },
    Function {
        name: "softplus",
        vars: &["x"],
        slopes: &[Is(|b, x, _| b.logistic(x[0]))],
        spellings: Terms(&[
            Op(&e::SELECT, &[Op(&e::NE, &[X, X]), Op(&e::ADD, &[X, ZERO]), Op(&e::ADD, &[RELU, SOFT])]),
            Op(
                &e::SELECT,
                &[Op(&e::NE, &[X_LESS_0, X_LESS_0]), Op(&e::ADD, &[X, ZERO]), Op(&e::ADD, &[RELU, SOFT_LESS_0])],
            ),
            Op(&e::ADD, &[RELU, SOFT]),
            // PyTorch says so: beyond a threshold, 20 where none is given, it is `x`.
            Op(&e::SELECT, &[Op(&e::GT, &[X, Num(20.0)]), X, Op(&e::LOG1P, &[EXP_X])]),
            Op(&e::LOG1P, &[EXP_X]),
            Op(&e::LOG, &[Op(&e::ADD, &[ONE, EXP_X])]),
        ]),
    },
    Function {
        name: "logaddexp",
        vars: &["x", "y"],
        slopes: &[Is(|b, x, _| s::share(b, x[0], x[1], 1.0)), Is(|b, x, _| s::share(b, x[1], x[0], 1.0))],
        spellings: Terms(&[
            Op(&e::SELECT, &[Op(&e::NE, &[DIFFERENCE, DIFFERENCE]), Op(&e::ADD, &[X, Y]), LOG_SUM]),
            LOG_SUM,
        ]),
    },
    // `log_sigmoid` and losses of logits. The importer has worked the signs out, so these are not spellings of the two above.
    Function {
        name: "softplus_minus",
        vars: &["x"],
        slopes: &[Is(|b, x, _| {
            let minus = b.neg(x[0])?;
            let slope = b.logistic(minus)?;
            b.neg(slope)
        })],
        spellings: Terms(&[
            Op(
                &e::SELECT,
                &[Op(&e::NE, &[MINUS_X, MINUS_X]), Op(&e::SUB, &[ZERO, X]), Op(&e::ADD, &[RELU_MINUS, SOFT])],
            ),
            Op(&e::ADD, &[RELU_MINUS, SOFT]),
        ]),
    },
    // As PyTorch decomposes it.
    Function {
        name: "log_sigmoid",
        vars: &["x"],
        slopes: &[Is(|b, x, _| {
            let minus = b.neg(x[0])?;
            b.logistic(minus)
        })],
        spellings: Terms(&[Op(&e::SUB, &[Op(&e::MIN, &[X, ZERO]), SOFT])]),
    },
    // `logaddexp(x, −x)`.
    Function {
        name: "log_2cosh",
        vars: &["x"],
        slopes: &[Is(|b, x, _| b.tanh(x[0]))],
        spellings: Terms(&[Op(
            &e::SELECT,
            &[
                Op(&e::NE, &[TWICE_X, TWICE_X]),
                Op(&e::SUB, &[X, X]),
                Op(
                    &e::ADD,
                    &[
                        Op(&e::MAX, &[X, MINUS_X]),
                        Op(&e::LOG1P, &[Op(&e::EXP, &[Op(&e::NEG, &[Op(&e::ABS, &[TWICE_X])])])]),
                    ],
                ),
            ],
        )]),
    },
    Function {
        name: "logaddexp2",
        vars: &["x", "y"],
        slopes: &[Is(|b, x, _| s::share(b, x[0], x[1], LN_2)), Is(|b, x, _| s::share(b, x[1], x[0], LN_2))],
        spellings: Terms(&[Op(
            &e::SELECT,
            &[
                Op(&e::NE, &[DIFFERENCE, DIFFERENCE]),
                Op(&e::ADD, &[X, Y]),
                Op(
                    &e::ADD,
                    &[
                        GREATER,
                        Op(&e::MUL, &[Num(LOG2_E), Op(&e::LOG1P, &[Op(&e::EXP, &[Op(&e::MUL, &[Num(LN_2), DECAY])])])]),
                    ],
                ),
            ],
        )]),
    },
    Function {
        name: "xlogy",
        vars: &["x", "y"],
        slopes: &[Is(|b, x, _| b.log(x[1])), Is(|b, x, _| s::quotient(b, x[0], x[1]))],
        spellings: Terms(&[
            Op(&e::SELECT, &[COUNTS, X_LOG_Y, ZERO]),
            Op(&e::SELECT, &[X_IS_0, ZERO, X_LOG_Y]),
            Op(&e::SELECT, &[Op(&e::NE, &[X, ZERO]), X_LOG_Y, ZERO]),
        ]),
    },
    Function {
        name: "xlog1py",
        vars: &["x", "y"],
        slopes: &[
            Is(|b, x, _| b.log1p(x[1])),
            Is(|b, x, _| {
                let one = b.like(x[1], 1.0)?;
                let sum = b.add(one, x[1])?;
                s::quotient(b, x[0], sum)
            }),
        ],
        spellings: Terms(&[
            Op(&e::SELECT, &[COUNTS, X_LOG1P_Y, ZERO]),
            Op(&e::SELECT, &[X_IS_0, ZERO, X_LOG1P_Y]),
            Op(&e::SELECT, &[Op(&e::NE, &[X, ZERO]), X_LOG1P_Y, ZERO]),
        ]),
    },
    // `sin(π x)/(π x)`, as `jnp.sinc` writes it.
    Function {
        name: "sinc",
        vars: &["x"],
        slopes: &[Is(|b, x, _| {
            let pi = b.like(x[0], PI)?;
            let t = b.mul(pi, x[0])?;
            let slope = s::sine_over(b, t)?;
            b.mul(pi, slope)
        })],
        spellings: Terms(&[
            Op(
                &e::SELECT,
                &[
                    X_IS_0,
                    Op(&e::ADD, &[Op(&e::MUL, &[PI_X, ZERO]), ONE]),
                    Op(
                        &e::DIV,
                        &[Op(&e::SIN, &[Op(&e::SELECT, &[X_IS_0, ONE, PI_X])]), Op(&e::SELECT, &[X_IS_0, ONE, PI_X])],
                    ),
                ],
            ),
            Op(&e::SELECT, &[X_IS_0, ONE, Op(&e::DIV, &[Op(&e::SIN, &[PI_X]), PI_X])]),
        ]),
    },
    Function {
        name: "sin_over_x",
        vars: &["x"],
        slopes: &[Is(|b, x, _| s::sine_over(b, x[0]))],
        spellings: Terms(&[
            Op(&e::SELECT, &[X_IS_0, ONE, Op(&e::DIV, &[Op(&e::SIN, &[X]), X])]),
            Op(&e::SELECT, &[X_IS_0, ONE, Op(&e::DIV, &[Op(&e::SIN, &[X_OR_1]), X_OR_1])]),
        ]),
    },
    Function {
        name: "expm1_over_x",
        vars: &["x"],
        slopes: &[Is(|b, x, y| s::exponential_over(b, x[0], y))],
        spellings: Terms(&[
            Op(&e::SELECT, &[X_IS_0, ONE, Op(&e::DIV, &[Op(&e::EXPM1, &[X]), X])]),
            Op(&e::SELECT, &[X_IS_0, ONE, Op(&e::DIV, &[Op(&e::EXPM1, &[X_OR_1]), X_OR_1])]),
        ]),
    },
    Function {
        name: "gelu",
        vars: &["x"],
        slopes: &[Is(|b, x, _| s::gelu(b, x[0]))],
        spellings: Terms(&[
            Op(&e::MUL, &[X, Op(&e::MUL, &[Num(0.5), STEP])]),
            Op(&e::MUL, &[Op(&e::MUL, &[Num(0.5), X]), STEP]),
            Op(&e::MUL, &[Op(&e::MUL, &[Num(0.5), X]), STEP_BY_POW]),
        ]),
    },
    Function {
        name: "hypot",
        vars: &["x", "y"],
        slopes: &[Is(|b, x, h| b.div(x[0], h)), Is(|b, x, h| b.div(x[1], h))],
        spellings: Terms(&[Op(
            &e::SELECT,
            &[INFINITE, Num(f64::INFINITY), Op(&e::SELECT, &[LONG_IS_0, LONG, LENGTH])],
        )]),
    },
    Function {
        name: "sech",
        vars: &["x"],
        slopes: &[Is(|b, x, y| {
            let steep = b.tanh(x[0])?;
            let slope = b.mul(y, steep)?;
            b.neg(slope)
        })],
        spellings: Terms(&[Op(&e::DIV, &[ONE, Op(&e::COSH, &[X])])]),
    },
    // `optax.huber_loss`, whose `y` is 1 where it is not given.
    Function {
        name: "huber",
        vars: &["x", "y"],
        slopes: &[Is(|b, x, _| s::within(b, x[0], x[1])), Is(|b, x, _| s::beyond(b, x[0], x[1]))],
        spellings: Terms(&[Op(
            &e::ADD,
            &[
                Op(&e::MUL, &[Num(0.5), Op(&e::MUL, &[WITHIN_Y, WITHIN_Y])]),
                Op(&e::MUL, &[Y, Op(&e::SUB, &[SIZE, WITHIN_Y])]),
            ],
        )]),
    },
    Function {
        name: "huber_1",
        vars: &["x"],
        slopes: &[Is(|b, x, _| {
            let one = b.like(x[0], 1.0)?;
            s::within(b, x[0], one)
        })],
        spellings: Terms(&[Op(
            &e::ADD,
            &[Op(&e::MUL, &[Num(0.5), Op(&e::MUL, &[WITHIN_1, WITHIN_1])]), Op(&e::SUB, &[SIZE, WITHIN_1])],
        )]),
    },
    Function { name: "i0", vars: &["x"], slopes: &[Is(bessel::i1)], spellings: Formulas(&[bessel::i0]) },
    // As it is written out where CHLO is.
    Function {
        name: "lgamma",
        vars: &["x"],
        slopes: &[Is(|b, x, _| b.digamma(x[0]))],
        spellings: Formulas(&[|pen, v| log::lanczos(pen, v[0])]),
    },
    // The regularised incomplete gamma and beta functions, as `jax.scipy.special` writes them.
    Function {
        name: "gammainc",
        vars: &["a", "x"],
        slopes: &[Of(gamma::rise), Is(gamma::density)],
        spellings: Formulas(&[|pen, v| gamma::lower(pen, v, log::row), |pen, v| gamma::lower(pen, v, log::lanczos)]),
    },
    Function {
        name: "gammaincc",
        vars: &["a", "x"],
        slopes: &[Of(|pen, v| -gamma::rise(pen, v)), Is(|b, x, y| gamma::density(b, x, y).and_then(|d| b.neg(d)))],
        spellings: Formulas(&[|pen, v| gamma::upper(pen, v, log::row), |pen, v| gamma::upper(pen, v, log::lanczos)]),
    },
    Function {
        name: "betainc",
        vars: &["a", "b", "x"],
        slopes: &[Of(beta::rise), Of(beta::rise), Is(beta::density)],
        spellings: Formulas(&[
            |pen, v| beta::incomplete(pen, v, log::row),
            |pen, v| beta::incomplete(pen, v, log::lanczos),
        ]),
    },
];
