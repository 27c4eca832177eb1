//! Derivatives of whole programs: a function around one derivative op, with parameters and results in an order that can be
//! relied on, and names.
use super::program::GraphProgram;
use std::collections::BTreeMap;
use tfc_ir::ops::control::VMAP;
use tfc_ir::ops::derivative::{GRAD, HESSIAN, HVP, JACOBIAN, JVP, VALUE_AND_GRAD, VJP, wrt_suffix};
use tfc_ir::{
    Attr, Builder, Code, Error, ExistId, Extent, Func, FuncId, Module, NewOp, OpDef, Result, Span, SymId, SymRef, Type,
    ValueId,
};

/// Which derivative of a program. With `x` the parameters of the program, `y` its results, and `w` those parameters by which
/// it is differentiated, the program made takes and gives:
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Derivative {
    /// `x` → gradients by `w` of the first result, a real scalar.
    Grad,
    /// `x` → `y`, gradients by `w`.
    ValueAndGrad,
    /// `x`, a cotangent of each floating or complex result → `y`, cotangents of `w`.
    Vjp,
    /// `x`, tangents of `w` → `y`, a tangent of each floating or complex result.
    Jvp,
    /// `x`, vectors like `w` → `y`, gradients by `w`, products of the Hessian with the vectors.
    Hvp,
    /// `x` → for each floating or complex result, for each of `w`, the derivatives by each element.
    Jacobian,
    /// `x` → for each two of `w` the second derivatives of the first result, a real scalar.
    Hessian,
}
impl Derivative {
    fn row(self) -> &'static OpDef {
        match self {
            Derivative::Grad => &GRAD,
            Derivative::ValueAndGrad => &VALUE_AND_GRAD,
            Derivative::Vjp => &VJP,
            Derivative::Jvp => &JVP,
            Derivative::Hvp => &HVP,
            Derivative::Jacobian => &JACOBIAN,
            Derivative::Hessian => &HESSIAN,
        }
    }
}
/// Whether the function can be an entry point: its extents follow from its arguments.
pub fn can_be_entry(f: &Func) -> bool {
    let dims: Vec<Extent> = f.params().iter().flat_map(|&p| f.ty(p).dims.iter().cloned()).collect();
    !tfc_ir::extent::solvable(f.syms.len(), &dims).contains(&false)
}

impl GraphProgram {
    /// The program that computes a derivative of this one by the parameters at these positions. It is not expanded yet: its text
    /// holds one derivative op.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let program = trace([f64s("x", ["n"])], |[x]| Ok([(x * x)?.sum()?.named("loss")]))?;
    /// let g = program.derivative(Derivative::ValueAndGrad, &[0])?;
    /// let x = Tensor::from_column_major(&[2], vec![1.0, 3.0])?;
    /// let out = GraphExecutor::new(CpuBackend::new()).run_with(&g, &[("x", x)])?;
    /// assert_eq!((out[0].item(), out[1].to_logical()), (Some(10.0), Some(vec![2.0, 6.0])));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `E0501` a gradient of something else than a real scalar, `E0502` a parameter that has no derivative, `E0506` one that
    /// there is not, or twice.
    pub fn derivative(&self, kind: Derivative, wrt: &[usize]) -> Result<GraphProgram> {
        let module = self.module.fork();
        let entry = derivative(&module, self.entry, kind, wrt)?;
        let extra = module.func(entry)?.params().len() - self.inputs.len();
        let inputs = self.inputs.iter().cloned().chain(std::iter::repeat_n((None, None), extra)).collect();
        Ok(GraphProgram::of(module, entry, inputs, self.origin()))
    }
}

impl GraphProgram {
    /// The program at many indices at once: parameter `i` has one more axis, `ins[i]`, along which the index runs, and result `i` has it
    /// at `outs[i]`; negative axes count from the last, `None` says that the index does not run there. Empty lists stand for axis 0
    /// everywhere. The number of indices is an extent of the program. Its text holds one `vmap`.
    ///
    /// ```
    /// use tfc_api::prelude::*;
    /// let program = trace([f64s("x", ["n"])], |[x]| Ok([(x * x)?.sum()?.named("loss")]))?;
    /// let all = program.vmap(&[], &[])?;
    /// let x = Tensor::from_rows([[1.0, 3.0], [2.0, 0.0], [0.0, 1.0]])?;
    /// let out = GraphExecutor::new(CpuBackend::new()).run_with(&all, &[("x", x)])?;
    /// assert_eq!(out[0].to_logical(), Some(vec![10.0, 4.0, 1.0]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As those of [`mapped`].
    pub fn vmap(&self, ins: &[Option<i64>], outs: &[Option<i64>]) -> Result<GraphProgram> {
        let module = self.module.fork();
        let entry = mapped(&module, self.entry, ins, outs)?;
        // What a tensor was given for is of another shape now.
        let inputs = module.func(entry)?.params().iter().map(|_| (None, None)).collect();
        Ok(GraphProgram::of(module, entry, inputs, self.origin()))
    }
}
/// Adds the function that runs `f` at many indices to the module, exported: see [`GraphProgram::vmap`].
///
/// # Errors
/// `E0228` where there are not as many axes as parameters or results, `E0212` an axis that there is not, `E0222` where the index runs
/// along no parameter.
pub fn mapped(m: &Module, f: FuncId, ins: &[Option<i64>], outs: &[Option<i64>]) -> Result<FuncId> {
    let src = m.func(f)?;
    let mut b = Builder::new(m, &format!("{}.vmap", src.name));
    b.copy_syms(&src);
    let name = (1..).map(|k| if k == 1 { "batch".to_owned() } else { format!("batch_{k}") });
    let free = name.clone().find(|n| src.syms.iter().all(|s| *s.name != **n)).unwrap_or_default();
    let batch = Extent::sym(b.sym(&free, Span::default()));
    let list = |axes: &[Option<i64>], n: usize| if axes.is_empty() { vec![Some(0); n] } else { axes.to_vec() };
    let (ins, outs) = (list(ins, src.params().len()), list(outs, src.returns().len()));
    if ins.len() != src.params().len() {
        let text = format!("{} axes for {} parameters of @{}", ins.len(), src.params().len(), src.name);
        return Err(Error::new(Code::E0228, text).help("one each, `none` where the index does not run"));
    }
    let mut operands = vec![];
    for (i, (&p, &a)) in src.params().iter().zip(&ins).enumerate() {
        let ty = src.ty(p).clone();
        let rank = ty.rank() as i64 + 1;
        let ty = match a {
            None => ty,
            Some(a) => match usize::try_from(if a < 0 { a.saturating_add(rank) } else { a }) {
                Ok(k) if (k as i64) < rank => ty.with_axis(k, batch.clone()),
                _ => {
                    let text = format!("axis {a} of parameter {i} is out of range for rank {rank}");
                    return Err(Error::new(Code::E0212, text).help("the axis of the index counts as one of its axes"));
                }
            },
        };
        operands.push(b.param_like(ty, &src, p));
    }
    let extents: Vec<Extent> = (0..src.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect();
    let callee = Attr::Sym(SymRef { func: f, extents: extents.into(), explicit: !can_be_entry(&src) });
    let mut op = NewOp::new(&VMAP, &operands).attr("callee", callee);
    for (slot, axes) in [("in", &ins), ("out", &outs)] {
        if axes.iter().any(|a| *a != Some(0)) {
            let list = axes.iter().map(|a| a.map_or(Attr::word("none"), Attr::Int)).collect();
            op = op.attr(slot, Attr::List(list));
        }
    }
    let names: Vec<String> = (0..src.returns().len()).map(|i| src.result_name(i)).collect();
    around(b, &src, op, &names)
}

/// The positions of floating or complex results.
fn inexact_results(f: &Func) -> Vec<usize> {
    (0..f.result_types.len()).filter(|&i| f.result_types[i].dtype.is_inexact()).collect()
}

/// Adds the function for a derivative of `f` by the parameters `wrt` to the module, exported.
///
/// # Errors
/// As [`GraphProgram::derivative`].
pub fn derivative(m: &Module, f: FuncId, kind: Derivative, wrt: &[usize]) -> Result<FuncId> {
    let def = kind.row();
    let src = m.func(f)?;
    let active: Vec<bool> = (0..src.params().len()).map(|i| wrt.contains(&i)).collect();
    let mut b = Builder::new(m, &format!("{}.{}{}", src.name, def.name, wrt_suffix(&active)));
    b.copy_syms(&src);
    let name = |i: usize| src.params().get(i).map_or_else(String::new, |&p| src.value(p).name.to_string());
    let mut operands: Vec<ValueId> = src.params().iter().map(|&p| b.param_like(src.ty(p).clone(), &src, p)).collect();
    match kind {
        Derivative::Jvp | Derivative::Hvp => {
            let prefix = if kind == Derivative::Jvp { "d" } else { "v" };
            for &w in wrt {
                let p = src.params().get(w).copied();
                let p = p.ok_or_else(|| Error::new(Code::E0506, format!("there is no parameter {w}")))?;
                operands.push(b.param_for(src.ty(p).clone(), format!("{prefix}_{}", name(w)), &src, p));
            }
        }
        Derivative::Vjp => {
            let mut renamed = BTreeMap::new();
            for i in inexact_results(&src) {
                let ty = free_extents(&mut b, &src, &src.result_types[i], &mut renamed)?;
                let ct = format!("ct_{}", src.result_name(i));
                operands.push(match src.returns().get(i) {
                    Some(&y) => b.param_for(ty, ct, &src, y),
                    None => b.param(ty, &ct),
                });
            }
        }
        _ => {}
    }
    let extents: Vec<Extent> = (0..src.syms.len() as u32).map(|i| Extent::sym(SymId(i))).collect();
    let explicit = !can_be_entry(&src);
    let callee = Attr::Sym(SymRef { func: f, extents: extents.into(), explicit });
    let op = NewOp::new(def, &operands).attr("callee", callee).attr("wrt", Attr::ints(wrt));
    let names = distinct(names_of_results(&src, kind, wrt, &name));
    around(b, &src, op, &names)
}
/// The function around one op, whose results it gives by these names, added to the module.
fn around(mut b: Builder, src: &Func, op: NewOp, names: &[String]) -> Result<FuncId> {
    let results = b.emit(op)?;
    for (&v, n) in results.iter().zip(names) {
        b.hint(v, n.as_str());
    }
    let entry = can_be_entry(b.func());
    b.export(entry);
    b.place(src.span);
    b.name_results(names.iter().map(|n| Some(n.as_str().into())).collect());
    let m = b.module();
    Ok(m.add(b.finish(results)?))
}

/// Each name once: a later one that is taken gets a number.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for n in names {
        let numbered = (2..).map(|k| format!("{n}_{k}"));
        let free = std::iter::once(n.clone()).chain(numbered).find(|x| !out.contains(x));
        out.extend(free);
    }
    out
}

/// A result's existential extents become extents of their own in its cotangent; the expansion guards them.
fn free_extents(b: &mut Builder, src: &Func, ty: &Type, renamed: &mut BTreeMap<ExistId, SymId>) -> Result<Type> {
    for d in ty.dims.iter() {
        d.for_each_atom(&mut |a| {
            if let tfc_ir::extent::Atom::Exist(r) = a {
                let name = src.exists.get(r.0 as usize).map_or("r", |e| &e.name).to_owned();
                renamed.entry(r).or_insert_with(|| b.sym(&name, Span::default()));
            }
        });
    }
    let dims = ty.dims.iter().map(|d| {
        d.subst(&|a| match a {
            tfc_ir::extent::Atom::Exist(r) => renamed.get(&r).map(|&s| Extent::sym(s)),
            tfc_ir::extent::Atom::Sym(_) => None,
        })
    });
    Ok(ty.with_dims(dims.collect::<Result<Vec<_>>>()?))
}

fn names_of_results(src: &Func, kind: Derivative, wrt: &[usize], param: &dyn Fn(usize) -> String) -> Vec<String> {
    let outs = || (0..src.result_types.len()).map(|i| src.result_name(i));
    let each = |prefix: &'static str| wrt.iter().map(move |&w| format!("{prefix}_{}", param(w)));
    match kind {
        Derivative::Grad => each("g").collect(),
        Derivative::ValueAndGrad => outs().chain(each("g")).collect(),
        Derivative::Vjp => outs().chain(each("ct")).collect(),
        Derivative::Jvp => {
            outs().chain(inexact_results(src).into_iter().map(|i| format!("d_{}", src.result_name(i)))).collect()
        }
        Derivative::Hvp => outs().chain(each("g")).chain(each("hv")).collect(),
        Derivative::Jacobian => {
            let by = |i: usize| wrt.iter().map(move |&w| format!("d_{}_{}", src.result_name(i), param(w)));
            inexact_results(src).into_iter().flat_map(by).collect()
        }
        Derivative::Hessian => {
            wrt.iter().flat_map(|&w| wrt.iter().map(move |&v| format!("h_{}_{}", param(w), param(v)))).collect()
        }
    }
}
