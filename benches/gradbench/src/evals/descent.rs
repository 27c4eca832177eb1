//! Gradient descent with a step that grows and shrinks, as GradBench's `cpp/gradbench/gd.hpp` has it, as a loop of the program; and derivatives by
//! either mode.
use tfc::prelude::*;

/// A mode of derivatives.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    Forward,
    Reverse,
}
impl Mode {
    /// The gradient of `y` by scalars.
    pub(super) fn gradient(self, y: &TracedTensor, x: &[TracedTensor]) -> Result<Vec<TracedTensor>> {
        let ad = AdContext::default();
        if self == Mode::Reverse {
            return ad.grad_many(y, &x.iter().collect::<Vec<_>>());
        }
        let one = TracedTensor::scalar(1.0)?;
        x.iter().map(|x| ad.jvp(y, x, &one)).collect()
    }
}
/// The modes that a function's name says: of the outer derivative, of the inner one.
pub(super) fn modes(function: &str) -> [Mode; 2] {
    let mode = |c: u8| if c == b'r' { Mode::Reverse } else { Mode::Forward };
    [mode(function.as_bytes()[0]), mode(function.as_bytes()[1])]
}
/// Where `f`, of scalars, is least, from `start` on.
pub(super) fn least(
    mode: Mode,
    start: &[TracedTensor],
    f: &dyn Fn(&[TracedTensor]) -> Result<TracedTensor>,
) -> Result<Vec<TracedTensor>> {
    let n = start.len();
    let norm = |v: &[TracedTensor]| -> Result<TracedTensor> {
        let mut sum = (&v[0] * &v[0])?;
        for x in &v[1..] {
            sum = (sum + (x * x)?)?;
        }
        sum.sqrt()
    };
    // Value and gradient at a place.
    let at = |x: &[TracedTensor]| -> Result<(TracedTensor, Vec<TracedTensor>)> {
        // Derivatives are by a tensor wherever it occurs: the place gets tensors of its own, since `f` may use the same ones for something else.
        let x = x.iter().map(|x| x.reshape(x.dims())).collect::<Result<Vec<_>>>()?;
        let y = f(&x)?;
        let g = mode.gradient(&y, &x)?;
        Ok((y, g))
    };
    let small = TracedTensor::scalar(1e-5)?;
    let zero = TracedTensor::scalar(0_i64)?;
    let (y, g) = at(start)?;
    // The place, its value, its gradient, the step, how often it was taken in turn, and whether the place moves.
    let mut carry = start.to_vec();
    carry.push(y);
    carry.extend(g);
    carry.extend([small.clone(), zero.clone(), TracedTensor::scalar(1_i64)?]);
    let last = while_loop(
        &carry,
        |c: &Vec<TracedTensor>| c[2 * n + 3].ne(&zero)?.and(&norm(&c[n + 1..2 * n + 1])?.gt(&small)?),
        |c: &Vec<TracedTensor>| {
            let (x, y, g, step, taken) = (&c[..n], &c[n], &c[n + 1..2 * n + 1], &c[2 * n + 1], &c[2 * n + 2]);
            let as_is = |step: TracedTensor, moves: i64| -> Result<Vec<TracedTensor>> {
                let mut out = c[..2 * n + 1].to_vec();
                out.extend([step, zero.clone(), TracedTensor::scalar(moves)?]);
                Ok(out)
            };
            let ten = TracedTensor::scalar(10_i64)?;
            cond(
                &taken.eq(&ten)?,
                || as_is((step * 2.0)?, 1),
                || {
                    let mut next = vec![];
                    let mut move_by = vec![];
                    for (x, g) in x.iter().zip(g) {
                        let by = (step * g)?;
                        next.push((x - &by)?);
                        move_by.push(by);
                    }
                    cond(
                        &norm(&move_by)?.le(&small)?,
                        || as_is(step.clone(), 0),
                        || {
                            let y_next = f(&next)?;
                            cond(
                                &y_next.lt(y)?,
                                || {
                                    let (_, g) = at(&next)?;
                                    let mut out = next.clone();
                                    out.push(y_next.clone());
                                    out.extend(g);
                                    out.extend([step.clone(), (taken + 1)?, TracedTensor::scalar(1_i64)?]);
                                    Ok(out)
                                },
                                || as_is((step * 0.5)?, 1),
                            )
                        },
                    )
                },
            )
        },
    )?;
    Ok(last[..n].to_vec())
}
/// Where `f` is greatest.
pub(super) fn greatest(
    mode: Mode,
    start: &[TracedTensor],
    f: &dyn Fn(&[TracedTensor]) -> Result<TracedTensor>,
) -> Result<Vec<TracedTensor>> {
    least(mode, start, &|x| f(x)?.neg())
}
