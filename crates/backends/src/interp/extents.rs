//! Extents as values, guards, run-time checks.
use super::grid::{Grid, each};
use super::shape::first_false;
use super::{OpCx, shapes};
use tfc_ir::extent::Atom;
use tfc_ir::{C64, DType, Element, Error, Result, ScalarOp, Tensor};

pub(super) fn dim_value(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let n = cx.extents("extent")?.first().copied();
    Ok(vec![Tensor::scalar(n.ok_or_else(|| Error::new("E0222", "`dim_value` needs an extent"))?)])
}

/// `extent(%k, shape[?r]) where …`: binds `?r` to the value of `%k`. Its `where` is checked behind every op.
pub(super) fn extent(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let k = crate::scalar::kernel(ScalarOp::Convert, &[cx.arg(0)?.dtype()], DType::I64)
        .ok_or_else(|| Error::new("E0203", "`extent` takes an integer"))?;
    let k = k.apply(&cx.args()[..1])?.item::<i64>().unwrap_or(-1);
    let e = cx.attrs().extents("extent").first().cloned();
    let e = e.ok_or_else(|| Error::new("E0222", "`extent` needs an extent"))?;
    if k < 0 {
        return Err(Error::new("E0422", format!("extent {} would be {k}, which is negative", e.display(cx.func()))));
    }
    match e.as_atom() {
        Some(a @ Atom::Exist(_)) if cx.env().get(a).is_none() => cx.env().bind(a, k),
        _ => {
            let n = cx.extent(&e)?;
            if n != k {
                return Err(Error::new("E0420", format!("{} is {n}, not {k}", e.display(cx.func()))));
            }
        }
    }
    Ok(vec![])
}

/// `guard() where …`.
pub(super) fn guard(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (func, env) = (cx.func().clone(), cx.env().clone());
    for c in &cx.op().wheres {
        shapes::check(&func, &env, c, "E0420", "`guard`", cx.op().span)?;
    }
    Ok(vec![])
}

pub(super) fn print(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let label = cx.attrs().str("label").unwrap_or_default().to_string();
    cx.print(&label, cx.arg(0)?);
    Ok(vec![])
}

pub(super) fn check(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let p = cx.arg(0)?;
    if let Some(ix) = first_false(p)? {
        let message = cx.attrs().str("message").unwrap_or("check failed");
        let place = if ix.is_empty() { String::new() } else { format!(" (first at {ix:?})") };
        return Err(Error::new("E0710", format!("{message}{place}")));
    }
    Ok(vec![])
}

/// An element as a complex number for comparing, exact but for large integers, and as it prints.
fn numbers(t: &Tensor) -> Result<Vec<(C64, String)>> {
    fn list<T: Element>(t: &Tensor, f: impl Fn(T) -> C64) -> Result<Vec<(C64, String)>> {
        let g = Grid::<T>::of(t)?;
        let mut v = vec![];
        each(t.shape(), |ix| {
            let x = g.at(ix);
            v.push((f(x), format!("{x:?}")));
        });
        Ok(v)
    }
    let re = |x: f64| C64::new(x, 0.0);
    match t.dtype() {
        DType::Bool => list(t, |x: bool| re(u8::from(x).into())),
        DType::I32 => list(t, |x: i32| re(x.into())),
        DType::I64 => list(t, |x: i64| re(x as f64)),
        DType::U32 => list(t, |x: u32| re(x.into())),
        DType::U64 => list(t, |x: u64| re(x as f64)),
        DType::F32 => list(t, |x: f32| re(x.into())),
        DType::F64 => list(t, re),
        DType::C32 => list(t, |x: tfc_ir::C32| C64::new(x.re.into(), x.im.into())),
        DType::C64 => list(t, |x: C64| x),
        d => Err(Error::new("E0201", format!("`{d}` is reserved, not yet supported"))),
    }
}
fn index_of(shape: &[usize], mut k: usize) -> Vec<usize> {
    let mut ix: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&n| {
            let i = k % n.max(1);
            k /= n.max(1);
            i
        })
        .collect();
    ix.reverse();
    ix
}

/// Every element equal, NaN to NaN.
pub(super) fn check_equal(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, y) = (cx.arg(0)?, cx.arg(1)?);
    let (a, b) = (numbers(x)?, numbers(y)?);
    let nan = |z: &C64| z.re.is_nan() || z.im.is_nan();
    // The text tells large integers apart, the number −0 from 0 does not.
    let same = |p: &(C64, String), q: &(C64, String)| {
        (nan(&p.0) && nan(&q.0)) || (p.0 == q.0 && (!x.dtype().is_int() || p.1 == q.1))
    };
    if let Some(k) = a.iter().zip(&b).position(|(p, q)| !same(p, q)) {
        let text = format!("`check_equal`: at {:?}: {} and {}", index_of(x.shape(), k), a[k].1, b[k].1);
        let n = a.iter().zip(&b).filter(|(p, q)| !same(p, q)).count();
        return Err(Error::new("E0711", text).note(format!("{n} of {} elements differ", a.len())));
    }
    Ok(vec![])
}

fn float(cx: &OpCx, name: &str) -> Option<f64> {
    match cx.attrs().get(name) {
        Some(tfc_ir::Attr::Float(v)) => Some(*v),
        Some(tfc_ir::Attr::Int(v)) => Some(*v as f64),
        _ => None,
    }
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
    if matches!(dtype, DType::F32 | DType::C32) {
        let key = |v: f64| order(i64::from((v as f32).to_bits() as i32), i64::from(i32::MIN));
        return (key(a) - key(b)).unsigned_abs() as f64;
    }
    let key = |v: f64| i128::from(order(v.to_bits() as i64, i64::MIN));
    (key(a) - key(b)).unsigned_abs() as f64
}

/// Every element within `atol + rtol·|y|` or within `ulp` representable numbers; NaN is close to NaN.
pub(super) fn check_close(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, y) = (cx.arg(0)?, cx.arg(1)?);
    let (atol, rtol, ulp) = (float(cx, "atol").unwrap_or(0.0), float(cx, "rtol").unwrap_or(0.0), float(cx, "ulp"));
    let dtype = x.dtype();
    let excess = |p: C64, q: C64| -> f64 {
        if p == q || (p.re.is_nan() || p.im.is_nan()) && (q.re.is_nan() || q.im.is_nan()) {
            return 0.0;
        }
        let by_ulp = ulp.is_some_and(|u| ulps(dtype, p.re, q.re) <= u && ulps(dtype, p.im, q.im) <= u);
        let d = (p - q).norm();
        if by_ulp || d <= atol + rtol * q.norm() {
            0.0
        } else if d.is_finite() {
            d
        } else {
            f64::INFINITY
        }
    };
    let (a, b) = (numbers(x)?, numbers(y)?);
    let worst = a
        .iter()
        .zip(&b)
        .map(|(p, q)| excess(p.0, q.0))
        .enumerate()
        .fold((0, 0.0), |w, e| if e.1 > w.1 { e } else { w });
    if worst.1 > 0.0 {
        let k = worst.0;
        let text = format!(
            "`check_close`: worst at {:?}: {} and {} differ by {:e}",
            index_of(x.shape(), k),
            a[k].1,
            b[k].1,
            worst.1
        );
        let n = a.iter().zip(&b).filter(|(p, q)| excess(p.0, q.0) > 0.0).count();
        return Err(Error::new("E0711", text).note(format!("{n} of {} elements are too far apart", a.len())));
    }
    Ok(vec![])
}
