//! A law says enough: were any element of any result another, a clause would say so.
use tfc_ir::op::Law;
use tfc_ir::{C32, C64, DType, Element, OpDef, Tensor};

use crate::context::{Checked, Cx, Found};
use crate::laws::{Judge, Ran, each};

/// Of how many elements the operands are at most whose results are changed one by one.
const FEW: usize = 12;
/// A law is stated in double precision: for what other dtypes say nothing new of it.
const DTYPES: [DType; 4] = [DType::Bool, DType::I64, DType::F64, DType::C64];

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    if !matches!(def.law, Law::Holds { .. }) {
        return;
    }
    let open: Vec<_> = cx.exceptions.left_open.iter().filter(|o| o.0 == def.name).collect();
    let mut excused = 0;
    let Some(oracle) = cx.kernels.backends().into_iter().find(|b| b.as_written()) else { return };
    for dtype in DTYPES {
        let done = each(cx, def, dtype, &*oracle, &mut |i, ran| {
            if !ran.seen.def.is(def) || ran.operands.iter().any(|t| t.len() > FEW) {
                return;
            }
            if open.iter().any(|o| o.1(&ran)) {
                excused += 1;
                return;
            }
            let judge = Judge::new(cx, &ran);
            for other in others(&ran) {
                found.cases += 1;
                let (k, at, other) = match other {
                    Ok(other) => other,
                    Err(e) => {
                        found.faults.push(e);
                        continue;
                    }
                };
                let shape = ran.operands.first().map(|t| t.shape().to_vec()).unwrap_or_default();
                let name = format!("{dtype}{shape:?}, program {i}: element {at} of result {k}");
                match judge.as_ref().map_err(String::clone).and_then(|j| j.broken(cx, &other)) {
                    Ok(broken) if broken.is_empty() => found.faults.push(format!("{name} may be another")),
                    Ok(_) => {}
                    Err(e) => found.faults.push(format!("{name}: {e}")),
                }
            }
        });
        if let Err(e) = done {
            found.fault(format!("{dtype}: {e}"));
        }
    }
    if found.cases == 0 && found.faults.is_empty() {
        found.fault("no result of it was changed");
    }
    if !open.is_empty() && excused == 0 {
        found.fault("results are listed as left open by its law, and none is");
    }
}
/// The op with one element changed, for each element of each result: the result, the element, what it gave then.
fn others(ran: &Ran) -> impl Iterator<Item = Checked<(usize, usize, Ran)>> {
    let places = ran.results.iter().enumerate().flat_map(|(k, t)| (0..t.len()).map(move |at| (k, at)));
    places.map(|(k, at)| {
        let mut other = ran.clone();
        other.results[k] = changed(&ran.results[k], at)?;
        Ok((k, at, other))
    })
}
/// `t` with its element `at` (in logical order) changed by a little more than rounding, or to another integer.
fn changed(t: &Tensor, at: usize) -> Checked<Tensor> {
    fn put<T: Element>(t: &Tensor, at: usize, f: impl Fn(T) -> T) -> Checked<Tensor> {
        let mut v = t.to_logical::<T>().unwrap_or_default();
        if let Some(x) = v.get_mut(at) {
            *x = f(*x);
        }
        Tensor::from_logical(t.shape(), v).map_err(|e| e.to_string())
    }
    let by = |x: f64| if x.is_finite() { x + 0.01 * x.abs().max(1.0) } else { 1.5 };
    match t.dtype() {
        DType::Bool => put(t, at, |x: bool| !x),
        DType::I32 => put(t, at, |x: i32| x.wrapping_add(1)),
        DType::I64 => put(t, at, |x: i64| x.wrapping_add(1)),
        DType::U32 => put(t, at, |x: u32| x.wrapping_add(1)),
        DType::U64 => put(t, at, |x: u64| x.wrapping_add(1)),
        DType::F32 => put(t, at, |x: f32| by(x.into()) as f32),
        DType::F64 => put(t, at, by),
        DType::C32 => put(t, at, |z: C32| C32::new(z.re, by(z.im.into()) as f32)),
        _ => put(t, at, |z: C64| C64::new(z.re, by(z.im))),
    }
}
