//! `--trap nan,inf`: results that hold what nobody wants.
use crate::args::Trap;
use tfc_ir::{C32, C64, Error, Result, Tensor};

/// The first element, in logical order, that one of `traps` catches.
fn caught(t: &Tensor, traps: &[Trap]) -> Option<(usize, Trap)> {
    let (nan, inf) = (traps.contains(&Trap::Nan), traps.contains(&Trap::Inf));
    let judge = |x: f64| match x {
        x if nan && x.is_nan() => Some(Trap::Nan),
        x if inf && x.is_infinite() => Some(Trap::Inf),
        _ => None,
    };
    let mut found = None;
    let mut at = 0;
    macro_rules! scan {
        ($t:ty, $f:expr) => {{
            let data = t.storage::<$t>()?;
            t.for_each_index(|i| {
                if let (None, Some(x)) = (found, data.get(i)) {
                    found = $f(*x).map(|trap| (at, trap));
                }
                at += 1;
            });
        }};
    }
    match t.dtype() {
        tfc_ir::DType::F32 => scan!(f32, |x: f32| judge(x as f64)),
        tfc_ir::DType::F64 => scan!(f64, judge),
        tfc_ir::DType::C32 => scan!(C32, |z: C32| judge(z.re as f64).or(judge(z.im as f64))),
        tfc_ir::DType::C64 => scan!(C64, |z: C64| judge(z.re).or(judge(z.im))),
        _ => {}
    }
    found
}

/// `E0732` where a result holds what `traps` catch.
pub(crate) fn check(names: &[String], results: &[Tensor], traps: &[Trap]) -> Result<()> {
    if traps.is_empty() {
        return Ok(());
    }
    for (name, t) in names.iter().zip(results) {
        if let Some((at, trap)) = caught(t, traps) {
            let what = if trap == Trap::Nan { "nan" } else { "inf" };
            let place = if t.rank() == 0 { String::new() } else { format!(" (element {at} in logical order)") };
            return Err(Error::new("E0732", format!("result `{name}` holds {what}{place}"))
                .help("run parts of the program as entries of their own to find where it arises"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_is_caught() {
        let t = [Tensor::from_logical(&[3], vec![1.0, f64::INFINITY, f64::NAN])];
        let names = ["x".to_owned()];
        assert!(check(&names, &t, &[]).is_ok());
        assert!(check(&names, &t, &[Trap::Nan]).unwrap_err().to_string().contains("nan (element 2"));
        assert!(check(&names, &t, &[Trap::Nan, Trap::Inf]).unwrap_err().to_string().contains("inf (element 1"));
        assert!(check(&names, &[Tensor::scalar(C32::new(0.0, f32::NAN))], &[Trap::Nan]).is_err());
        assert!(check(&names, &[Tensor::scalar(1i64)], &[Trap::Nan]).is_ok());
    }
}
