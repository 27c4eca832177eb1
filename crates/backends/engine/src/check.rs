//! What `check`, `check_equal` and `check_close` hold and say when they fail: one meaning and one text for every engine.
use tfc_ir::show::element_text;
use tfc_ir::small::ToHalf;
use tfc_ir::{Attrs, C32, C64, Code, DType, Error, Result, Tensor};

/// The code of a failed `check` with these attributes.
pub fn code(attrs: &Attrs) -> Code {
    if attrs.word("about") == Some("gauge") { Code::E1221 } else { Code::E0710 }
}
/// `check`: the first element that is not true is an error of that code.
pub fn all_true(t: &Tensor, code: Code, message: &str) -> Result<()> {
    match t.to_logical::<bool>().and_then(|v| v.iter().position(|x| !x)) {
        None => Ok(()),
        Some(_) if t.rank() == 0 => Err(Error::new(code, message)),
        Some(i) => Err(Error::new(code, format!("{message} (first at {:?})", index(t.shape(), i)))),
    }
}
fn index(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut ix: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&n| {
            let r = at % n.max(1);
            at /= n.max(1);
            r
        })
        .collect();
    ix.reverse();
    ix
}
/// Elements as complex numbers in logical order, exact but for large integers.
fn numbers(t: &Tensor) -> Vec<C64> {
    fn list<T: tfc_ir::Element>(t: &Tensor, f: impl Fn(T) -> C64) -> Vec<C64> {
        t.to_logical::<T>().unwrap_or_default().into_iter().map(f).collect()
    }
    let re = |x: f64| C64::new(x, 0.0);
    match t.dtype() {
        DType::Bool => list(t, |x: bool| re(u8::from(x).into())),
        d if d.is_int() => t.ints().unwrap_or_default().into_iter().map(|x| re(x as f64)).collect(),
        d if d.is_float() => t.reals().unwrap_or_default().into_iter().map(re).collect(),
        DType::C32 => list(t, |x: C32| C64::new(x.re.into(), x.im.into())),
        _ => list(t, |x: C64| x),
    }
}
/// Element `i` in logical order as it prints.
fn show(t: &Tensor, i: usize) -> String {
    element_text(t, &index(t.shape(), i))
}
fn is_nan(z: &C64) -> bool {
    z.re.is_nan() || z.im.is_nan()
}
/// Distance in representable numbers of the dtype; infinite between NaN or infinities and others.
fn ulps(dtype: DType, a: f64, b: f64) -> f64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0.0;
    }
    if !a.is_finite() || !b.is_finite() {
        return f64::INFINITY;
    }
    let order = |bits: i64, min: i64| if bits < 0 { min.wrapping_sub(bits) } else { bits };
    if let Some(format) = dtype.format() {
        // Between two numbers of the format lie as many as between their bits.
        let key = |v: f64| {
            let bits = i64::from(format.narrow(v.abs().single()));
            if v < 0.0 { -bits } else { bits }
        };
        return (key(a) - key(b)).unsigned_abs() as f64;
    }
    if matches!(dtype, DType::F32 | DType::C32) {
        let key = |v: f64| order(i64::from((v as f32).to_bits() as i32), i64::from(i32::MIN));
        return (key(a) - key(b)).unsigned_abs() as f64;
    }
    let key = |v: f64| i128::from(order(v.to_bits() as i64, i64::MIN));
    (key(a) - key(b)).unsigned_abs() as f64
}
/// `check_equal` (`exact`) and `check_close`.
pub fn compare(a: &Tensor, b: &Tensor, atol: f64, rtol: f64, ulp: Option<i64>, exact: bool) -> Result<()> {
    if exact && a.same(b) {
        return Ok(());
    }
    let (x, y) = (numbers(a), numbers(b));
    if exact {
        // Large integers may be equal as numbers of 53 bits.
        let integers = a.dtype().is_int();
        let same = |i: usize| {
            let (p, q) = (x[i], y[i]);
            (is_nan(&p) && is_nan(&q)) || (p == q && (!integers || p.norm() < 9e15 || show(a, i) == show(b, i)))
        };
        let bad: Vec<usize> = (0..x.len().min(y.len())).filter(|&i| !same(i)).collect();
        let Some(&k) = bad.first() else { return Ok(()) };
        let text = format!("`check_equal`: at {:?}: {} and {}", index(a.shape(), k), show(a, k), show(b, k));
        return Err(Error::new(Code::E0711, text).note(format!("{} of {} elements differ", bad.len(), x.len())));
    }
    let excess = |(p, q): (&C64, &C64)| -> f64 {
        if p == q || is_nan(p) && is_nan(q) {
            return 0.0;
        }
        let by_ulp =
            ulp.is_some_and(|u| ulps(a.dtype(), p.re, q.re) <= u as f64 && ulps(a.dtype(), p.im, q.im) <= u as f64);
        let d = (p - q).norm();
        if by_ulp || d <= atol + rtol * q.norm() {
            0.0
        } else if d.is_finite() {
            d
        } else {
            f64::INFINITY
        }
    };
    let gaps: Vec<f64> = x.iter().zip(&y).map(excess).collect();
    let (k, worst) = gaps.iter().copied().enumerate().fold((0, 0.0), |w, e| if e.1 > w.1 { e } else { w });
    if worst > 0.0 {
        let (at, p, q) = (index(a.shape(), k), show(a, k), show(b, k));
        let n = gaps.iter().filter(|g| **g > 0.0).count();
        return Err(Error::new(
            Code::E0711,
            format!("`check_close`: worst at {at:?}: {p} and {q} differ by {worst:e}"),
        )
        .note(format!("{n} of {} elements are too far apart", x.len())));
    }
    Ok(())
}
