//! Extents as values, guards, run-time checks: the only ops that read or bind what types say.
use super::OpCx;
use tfc_engine::{check, shapes};
use tfc_ir::extent::Atom;
use tfc_ir::{Attr, Code, DType, Error, Result, ScalarOp, Tensor};

pub(super) fn dim_value(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let n = cx.extents("extent")?.first().copied();
    Ok(vec![Tensor::scalar(n.ok_or_else(|| Error::new(Code::E0222, "`dim_value` needs an extent"))?)])
}

/// `extent(%k, shape[?r]) where …`: binds `?r` to the value of `%k`. Its `where` is checked behind every op.
pub(super) fn extent(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let k = tfc_kernels::scalar::kernel(ScalarOp::Convert, &[cx.arg(0)?.dtype()], DType::I64)
        .ok_or_else(|| Error::new(Code::E0203, "`extent` takes an integer"))?;
    let k = k.apply(&cx.args()[..1])?.item::<i64>().unwrap_or(-1);
    let e = cx.attrs().extents("extent").first().cloned();
    let e = e.ok_or_else(|| Error::new(Code::E0222, "`extent` needs an extent"))?;
    if k < 0 {
        return Err(Error::new(
            Code::E0422,
            format!("extent {} would be {k}, which is negative", e.display(cx.func())),
        ));
    }
    match e.as_atom() {
        Some(a @ Atom::Exist(_)) if cx.env().get(a).is_none() => cx.env().bind(a, k),
        _ => {
            let n = cx.extent(&e)?;
            if n != k {
                return Err(Error::new(Code::E0420, format!("{} is {n}, not {k}", e.display(cx.func()))));
            }
        }
    }
    Ok(vec![])
}

/// `guard() where …`.
pub(super) fn guard(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (func, env) = (cx.func().clone(), cx.env().clone());
    for c in &cx.op().wheres {
        shapes::check(&func, &env, c, Code::E0420, "`guard`", cx.op().span)?;
    }
    Ok(vec![])
}

pub(super) fn print(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let value = cx.arg(0)?;
    cx.print(&cx.attrs().into(), value)?;
    Ok(vec![])
}

pub(super) fn check(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let code = check::code(cx.attrs());
    check::all_true(cx.arg(0)?, code, cx.attrs().str("message").unwrap_or("check failed"))?;
    Ok(vec![])
}
/// Every element equal, NaN to NaN.
pub(super) fn check_equal(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    check::compare(cx.arg(0)?, cx.arg(1)?, 0.0, 0.0, None, true)?;
    Ok(vec![])
}
/// Every element within `atol + rtol·|y|` or within `ulp` representable numbers; NaN is close to NaN.
pub(super) fn check_close(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let float = |name: &str| match cx.attrs().get(name) {
        Some(Attr::Float(v)) => *v,
        _ => 0.0,
    };
    let ulp = cx.attrs().get("ulp").map(|_| cx.attrs().int("ulp"));
    check::compare(cx.arg(0)?, cx.arg(1)?, float("atol"), float("rtol"), ulp, false)?;
    Ok(vec![])
}
