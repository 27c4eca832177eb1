//! The function that `tfc grad` makes, and what its options name.
use crate::args::Mode;
use tfc_api::traced::{Derivative, derivative};
use tfc_ir::{Code, Error, Func, FuncId, Module, Result};

/// Adds the function for `mode` of `f` with respect to `wrt` to the module, exported.
pub(crate) fn add(m: &Module, f: FuncId, mode: Mode, wrt: &[usize]) -> Result<FuncId> {
    let kind = match mode {
        Mode::Grad => Derivative::Grad,
        Mode::ValueAndGrad => Derivative::ValueAndGrad,
        Mode::Vjp => Derivative::Vjp,
        Mode::Jvp => Derivative::Jvp,
        Mode::Hvp => Derivative::Hvp,
        Mode::Jacobian => Derivative::Jacobian,
        Mode::Hessian => Derivative::Hessian,
        Mode::Linearize | Mode::Transpose => {
            return Err(Error::bug(Code::E0599, "linearize and transpose are no derivative ops"));
        }
    };
    derivative(m, f, kind, wrt)
}

/// The positions that `--wrt` names; the first floating or complex parameter where it names none.
pub(crate) fn wrt_positions(m: &Module, f: &Func, list: &[String]) -> Result<Vec<usize>> {
    let names = crate::bind::param_names(m, f);
    let mut out = vec![];
    for name in list {
        let i = crate::bind::position(name, &names, "parameter")?;
        if out.contains(&i) {
            return Err(Error::new(Code::E0904, format!("parameter `{name}` is named twice")));
        }
        out.push(i);
    }
    if list.is_empty() {
        out.extend(f.params().iter().position(|&p| f.ty(p).dtype.is_inexact()));
    }
    if out.is_empty() {
        return Err(Error::new(
            Code::E0502,
            format!("@{} has no floating or complex parameter to differentiate by", f.name),
        ));
    }
    Ok(out)
}
