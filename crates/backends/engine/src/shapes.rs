//! Shapes at run time: a function's extents from its arguments, and what is said when a condition fails (TFIR §4: the
//! argument, the axis, the expression, the solved values and the place).
//!
//! Nothing here depends on the interpreter: every engine enters functions and fails guards through it.
use tfc_ir::extent::{Atom, SolveFailure, solve_shapes};
use tfc_ir::{Code, Constraint, DType, Error, Extent, ExtentEnv, Func, Result, Span, Type};

/// `%x`, or `argument 2` where the parameter has no name.
fn param_name(func: &Func, i: usize) -> String {
    match func.params().get(i).map(|&p| func.value(p).name.clone()) {
        Some(n) if !n.is_empty() => format!("%{n}"),
        _ => format!("argument {i}"),
    }
}

/// The values of the atoms in `extents`: `m = 5, n = 4`; empty where there is none.
pub fn solved_values(func: &Func, env: &ExtentEnv, extents: &[&Extent]) -> String {
    let mut seen: Vec<Atom> = vec![];
    for e in extents {
        e.for_each_atom(&mut |a| {
            if !seen.contains(&a) {
                seen.push(a);
            }
        });
    }
    let show = |a: &Atom| Some(format!("{} = {}", Extent::atom(*a).display(func), env.get(*a)?));
    seen.iter().filter_map(show).collect::<Vec<_>>().join(", ")
}

/// Solves a function's extents from the arguments' dtypes and shapes, and checks its `where`.
///
/// # Errors
/// `E0701` number of arguments, `E0702` dtype, `E0703` rank, `E0704` extents that do not fit, `E0421` a `where` that does
/// not hold.
pub fn enter(func: &Func, args: &[(DType, &[usize])]) -> Result<ExtentEnv> {
    let params = func.params();
    if params.len() != args.len() {
        let names: Vec<_> = (0..params.len()).map(|i| param_name(func, i)).collect();
        let text = format!("@{} takes {} arguments, not {}", func.name, params.len(), args.len());
        return Err(Error::new(Code::E0701, text).note(format!("its parameters are ({})", names.join(", "))));
    }
    let mut eqs = vec![];
    let mut places = vec![];
    for (i, (&p, (dtype, shape))) in params.iter().zip(args).enumerate() {
        let (ty, at) = (func.ty(p), func.value(p).span);
        if ty.dtype != *dtype {
            let text = format!("{} is {}, but {dtype} is given", param_name(func, i), ty.display(func));
            return Err(Error::new(Code::E0702, text).or_span(at));
        }
        if ty.rank() != shape.len() {
            let text =
                format!("{} is {}, but a tensor of shape {shape:?} is given", param_name(func, i), ty.display(func));
            return Err(Error::new(Code::E0703, text).or_span(at));
        }
        for (axis, (d, &n)) in ty.dims.iter().zip(*shape).enumerate() {
            eqs.push((d.clone(), i64::try_from(n).unwrap_or(i64::MAX)));
            places.push((i, axis));
        }
    }
    let env = solve_shapes(func.syms.len(), &eqs).map_err(|e| unsolved(func, &e, &eqs, &places))?;
    check_wheres(func, &env)?;
    Ok(env)
}

fn unsolved(func: &Func, e: &SolveFailure, eqs: &[(Extent, i64)], places: &[(usize, usize)]) -> Error {
    let eq = match *e {
        SolveFailure::Unsolved { sym } => {
            let name = Extent::sym(sym).display(func).to_string();
            return Error::new(
                Code::E0704,
                format!("extent `{name}` of @{} does not follow from its arguments", func.name),
            )
            .or_span(func.span)
            .help(format!("call it from a function that gives its extents: `@{}<…>`", func.name));
        }
        SolveFailure::NotDivisible { eq, .. }
        | SolveFailure::Mismatch { eq, .. }
        | SolveFailure::Negative { eq, .. }
        | SolveFailure::Overflow { eq }
        | SolveFailure::DivisionByZero { eq } => eq,
    };
    let (Some((pattern, given)), Some(&(arg, axis))) = (eqs.get(eq), places.get(eq)) else {
        return Error::new(Code::E0704, "the arguments' shapes do not fit the parameters");
    };
    let shown = pattern.display(func).to_string();
    let reason = match *e {
        SolveFailure::NotDivisible { coefficient, rest, .. } => whole(&shown, *given, coefficient, rest),
        SolveFailure::Mismatch { expected, .. } if pattern.as_exact().is_some() => format!("{expected} is expected"),
        SolveFailure::Mismatch { expected, .. } => format!("{shown} is {expected}"),
        SolveFailure::Negative { sym, value, .. } => {
            format!("{shown} would make {} = {value}, which is negative", Extent::sym(sym).display(func))
        }
        SolveFailure::DivisionByZero { .. } => format!("{shown} divides by zero"),
        _ => format!("{shown} overflows"),
    };
    let text = format!("{} axis {axis} has extent {given}, but {reason}", param_name(func, arg));
    let at = func.params().get(arg).map(|&p| func.value(p).span).unwrap_or_default();
    // What the plain symbols say, as far as they are consistent.
    let env = eqs.iter().fold(ExtentEnv::default(), |mut env, (p, n)| {
        if let Some(a) = p.as_atom()
            && env.get(a).is_none()
        {
            env.bind(a, *n);
        }
        env
    });
    let known = solved_values(func, &env, &[pattern]);
    let error = Error::new(Code::E0704, text).or_span(at);
    if known.is_empty() { error } else { error.note(format!("solved so far: {known}")) }
}
/// Why `coefficient * symbol == rest` has no solution.
fn whole(pattern: &str, given: i64, coefficient: i64, rest: i64) -> String {
    if coefficient.unsigned_abs() == 2 {
        let parity = if given.wrapping_sub(rest) % 2 == 0 { "an even" } else { "an odd" };
        return format!("{pattern} needs {parity} number");
    }
    if given == rest {
        return format!("{pattern} needs a multiple of {}", coefficient.unsigned_abs());
    }
    format!("{pattern} has no whole solution: {rest} is not a multiple of {}", coefficient.unsigned_abs())
}

/// The function's `where` on its symbols.
///
/// # Errors
/// `E0421` where one does not hold.
pub fn check_wheres(func: &Func, env: &ExtentEnv) -> Result<()> {
    for c in func.wheres.iter().filter(|c| !mentions_existential(c)) {
        check(func, env, c, Code::E0421, &format!("`where` of @{}", func.name), func.span)?;
    }
    Ok(())
}
/// Whether a value has to be known to decide the condition.
pub fn mentions_existential(c: &Constraint) -> bool {
    c.lhs.mentions_existential() || c.rhs.mentions_existential()
}

/// A condition at run time; `what` says what it is about.
///
/// # Errors
/// `code` where it does not hold.
pub fn check(func: &Func, env: &ExtentEnv, c: &Constraint, code: Code, what: &str, span: Span) -> Result<()> {
    if c.holds(env).map_err(|e| e.or_span(span))? {
        return Ok(());
    }
    let known = solved_values(func, env, &[&c.lhs, &c.rhs]);
    let given = if known.is_empty() { String::new() } else { format!(": {known}") };
    let colon = if what.is_empty() { "" } else { ": " };
    Err(Error::new(code, format!("{what}{colon}`{}` does not hold{given}", c.display(func))).or_span(span))
}

/// The guards of an op before it runs (`E0420`). Those that mention what the op binds are left for [`late_guards`].
pub fn guards(func: &Func, op: &tfc_ir::Op, env: &ExtentEnv) -> Result<()> {
    for g in op.guards.iter().filter(|g| g.found.is_none() && bound(&g.cond, env)) {
        check(func, env, &g.cond, Code::E0420, &g.what, op.span)?;
    }
    Ok(())
}
/// The guards that could not be checked before the op ran, `before` being what was bound then.
pub fn late_guards(func: &Func, op: &tfc_ir::Op, before: &ExtentEnv, env: &ExtentEnv) -> Result<()> {
    for g in op.guards.iter().filter(|g| g.found.is_none() && !bound(&g.cond, before)) {
        check(func, env, &g.cond, Code::E0420, &g.what, op.span)?;
    }
    Ok(())
}
/// The guard of a result whose written extent the op has found to be `n`.
///
/// # Errors
/// `E0420` where it is another.
pub fn found(func: &Func, env: &ExtentEnv, g: &tfc_ir::Guard, n: usize, span: Span) -> Result<()> {
    let e = &g.cond.rhs;
    let want = size(func, e, env)?;
    if want == n {
        return Ok(());
    }
    let known = solved_values(func, env, &[e]);
    let given = if known.is_empty() || e.as_exact().is_some() { String::new() } else { format!(", with {known}") };
    let text = format!("{}: the extent is {n}, but {} is {want}{given}", g.what, e.display(func));
    Err(Error::new(Code::E0420, text).or_span(span))
}
fn bound(c: &Constraint, env: &ExtentEnv) -> bool {
    let mut all = true;
    for e in [&c.lhs, &c.rhs] {
        e.for_each_atom(&mut |a| all &= env.get(a).is_some());
    }
    all
}

/// An extent as a size.
///
/// # Errors
/// `E0402` where it is negative; those of its evaluation.
pub fn size(func: &Func, e: &Extent, env: &ExtentEnv) -> Result<usize> {
    let n = e.eval(env)?;
    usize::try_from(n).map_err(|_| {
        let known = solved_values(func, env, &[e]);
        Error::new(Code::E0402, format!("extent {} is {n}: negative at run time", e.display(func)))
            .note(if known.is_empty() { "it is a constant".into() } else { known })
    })
}
/// A type's shape.
///
/// # Errors
/// As [`size`]; `E0406` where the element count does not fit.
pub fn shape(func: &Func, ty: &Type, env: &ExtentEnv) -> Result<Vec<usize>> {
    let s = ty.dims.iter().map(|d| size(func, d, env)).collect::<Result<Vec<_>>>()?;
    tfc_ir::tensor::element_count(&s)?;
    Ok(s)
}
/// Binds each unbound existential that is a whole extent of `ty` from the actual shape.
pub fn bind_from_shape(ty: &Type, actual: &[usize], env: &mut ExtentEnv) {
    for (d, &n) in ty.dims.iter().zip(actual) {
        if let Some(a @ Atom::Exist(_)) = d.as_atom()
            && env.get(a).is_none()
        {
            env.bind(a, i64::try_from(n).unwrap_or(i64::MAX));
        }
    }
}
/// Forgets the existentials that `binder` binds: it is about to bind them anew.
pub fn unbind(func: &Func, binder: tfc_ir::Binder, env: &mut ExtentEnv) {
    for (slot, d) in env.exists.iter_mut().zip(&func.exists) {
        if d.binder == Some(binder) {
            *slot = None;
        }
    }
}

/// Whether a condition names existentials.
pub fn is_open(c: &Constraint) -> bool {
    c.lhs.mentions_existential() || c.rhs.mentions_existential()
}
/// Whether types or conditions of the header name existentials, so that they say something about the results.
pub fn open_header(f: &Func) -> bool {
    f.result_types.iter().any(Type::mentions_existential) || f.wheres.iter().any(is_open)
}
