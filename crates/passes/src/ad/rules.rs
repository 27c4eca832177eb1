//! Functions with derivatives of their own: `with (jvp = @rule)` and `with (vjp = [@fwd, @bwd])`.
//!
//! `@rule(p…, d_p…) → r…, d_r…` has a tangent for each floating or complex parameter and result. Forward it is called; for
//! reverse mode it is linearized itself, by its tangents: what it computes of parameters alone is the forward part, and that
//! nothing of this depends on a tangent is the test of its being linear. `@fwd(p…) → r…, res…` and
//! `@bwd(res…, ct_r…) → ct_p…` are the two halves of reverse mode: the linear part between them has no body that could run, and
//! its transpose is `@bwd`.
use super::Memo;
use tfc_ir::derive::{self, Derive, Jvp, Linearized, Transposed};
use tfc_ir::{Attr, Builder, Code, Error, Func, FuncId, Result, Type, ValueId};

/// What a function says of its derivative.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    Jvp(FuncId),
    Vjp(FuncId, FuncId),
}
/// A linear function whose transpose is given.
#[derive(Clone)]
pub(super) struct Given {
    /// The function whose rule it is.
    of: FuncId,
    bwd: FuncId,
    residuals: usize,
    /// Parameters of that function that have a tangent.
    active: Vec<bool>,
}

pub(crate) fn of(f: &Func) -> Option<Rule> {
    let func = |a: &Attr| if let Attr::Sym(s) = a { Some(s.func) } else { None };
    if let Some(r) = f.with.get("jvp").and_then(func) {
        return Some(Rule::Jvp(r));
    }
    match f.with.get("vjp") {
        Some(Attr::List(l)) => match &l[..] {
            [a, b] => Some(Rule::Vjp(func(a)?, func(b)?)),
            _ => None,
        },
        _ => None,
    }
}
/// Takes the rules of all functions away, once derivatives have been taken. Returns whether there were any.
pub(super) fn strip(m: &tfc_ir::Module) -> bool {
    let mut any = false;
    for (id, f) in m.funcs() {
        if of(&f).is_some() {
            let mut new = Func::clone(&f);
            new.with.remove("jvp");
            new.with.remove("vjp");
            m.define(id, new);
            any = true;
        }
    }
    any
}
fn inexact(types: &[Type]) -> Vec<Type> {
    types.iter().filter(|t| t.dtype.is_inexact()).cloned().collect()
}
/// A rule that does not fit.
fn misfit(f: &Func, rule: &Func, why: String) -> Error {
    Error::new(Code::E0509, format!("@{} is no rule for @{}: {why}", rule.name, f.name))
        .or_span(rule.span)
        .also(f.span, "the rule is named here")
        .help(
            "`jvp = @rule` takes parameters and a tangent for each that is floating or complex, and gives results and their \
             tangents; of `vjp = [@fwd, @bwd]`, `@fwd` gives results and residuals, and `@bwd` takes residuals and cotangents \
             of results and gives cotangents of parameters",
        )
}
/// As many values as are asked for, of these dtypes and ranks.
fn fits(f: &Func, rule: &Func, what: &str, has: &[Type], want: &[Type]) -> Result<()> {
    if has.len() != want.len() {
        return Err(misfit(f, rule, format!("it has {} {what}, not {}", has.len(), want.len())));
    }
    match has.iter().zip(want).position(|(h, w)| h.dtype != w.dtype || h.rank() != w.rank()) {
        Some(i) => {
            let (is, want) = (has[i].display(rule).to_string(), want[i].display(f).to_string());
            Err(misfit(f, rule, format!("of its {what}, number {i} is {is}, not {want}")))
        }
        None => Ok(()),
    }
}
fn params(f: &Func) -> Vec<Type> {
    f.types(f.params())
}
/// A function with the extents and parameters of `f`.
fn like<'m>(memo: &Memo<'m>, f: &Func, name: String) -> (Builder<'m>, Vec<ValueId>) {
    let mut b = Builder::new(memo.m, &name);
    b.mend();
    b.copy_syms(f);
    b.place(f.span);
    let ps = f.params().iter().map(|&p| b.param_like(f.ty(p).clone(), f, p)).collect();
    (b, ps)
}
/// Tangent parameters where `active`, zeros for other floating parameters; none for the rest.
fn tangents(b: &mut Builder, f: &Func, active: &[bool]) -> Result<Vec<ValueId>> {
    let mut out = vec![];
    for (&p, &a) in f.params().iter().zip(active) {
        let ty = f.ty(p).clone();
        if a {
            out.push(b.param_for(ty, format!("d_{}", f.value(p).name), f, p));
        } else if ty.dtype.is_inexact() {
            out.push(b.zeros(&ty)?);
        }
    }
    Ok(out)
}
/// `f` with tangents, by its rule: results, then their tangents.
fn with_tangents(memo: &Memo, f: &Func, rule: FuncId, active: &[bool], suffix: &str) -> Result<FuncId> {
    let r = memo.m.func(rule)?;
    let (ps, rs) = (params(f), &f.result_types);
    fits(f, &r, "parameters", &params(&r), &[&ps[..], &inexact(&ps)].concat())?;
    fits(f, &r, "results", &r.result_types, &[&rs[..], &inexact(rs)].concat())?;
    let (mut b, mut args) = like(memo, f, format!("{}.{suffix}", f.name));
    let ds = tangents(&mut b, f, active)?;
    args.extend(ds);
    let ys = b.call(rule, None, &args)?.0;
    // The rule's results are those of the function: so are their extents.
    let types = rs.iter().cloned().chain(inexact(rs));
    b.promise(types.map(Some).collect());
    Ok(memo.m.add(b.finish(ys)?))
}
fn floats(types: &[Type]) -> Vec<bool> {
    types.iter().map(|t| t.dtype.is_inexact()).collect()
}
pub(super) fn jvp(memo: &Memo, f: FuncId, rule: Rule, active: &[bool], suffix: &str) -> Result<Jvp> {
    let src = memo.m.func(f)?;
    // Zeros in place of tangents that there are not would be multiplied by slopes, which may be infinite.
    let all = src.params().iter().zip(active).all(|(&p, &a)| a || !src.ty(p).dtype.is_inexact());
    match rule {
        Rule::Jvp(_) if !all => jointly(memo, &src, &*memo.linearize(f, active)?, active, suffix),
        Rule::Jvp(r) => {
            let func = with_tangents(memo, &src, r, active, &format!("jvp{suffix}"))?;
            Ok(Jvp { func, out: floats(&src.result_types) })
        }
        Rule::Vjp(..) => Err(forward(&src)),
    }
}
/// Both parts of `f` in one function.
fn jointly(memo: &Memo, f: &Func, l: &Linearized, active: &[bool], suffix: &str) -> Result<Jvp> {
    let (mut b, args) = like(memo, f, format!("{}.jvp{suffix}", f.name));
    let tangents: Vec<ValueId> = (f.params().iter().zip(active).filter(|p| *p.1))
        .map(|(&p, _)| b.param_for(f.ty(p).clone(), format!("d_{}", f.value(p).name), f, p))
        .collect();
    let ys = b.call(l.fwd, None, &args)?.0;
    let (own, residuals) = ys.split_at(f.result_types.len().min(ys.len()));
    let mut results = own.to_vec();
    if l.out.contains(&true) {
        let given = [residuals, &tangents].concat();
        results.extend(b.call(l.lin, Some(l.extents.clone()), &given)?.0);
    }
    b.promise(f.result_types.iter().cloned().map(Some).collect());
    let func = memo.m.add(b.finish(results)?);
    Ok(Jvp { func, out: l.out.clone() })
}
fn forward(f: &Func) -> Error {
    Error::new(Code::E0510, format!("@{} has a rule for reverse mode only", f.name))
        .or_span(f.span)
        .help("write `with (jvp = @rule)`, which serves both modes, or differentiate by `vjp`, `grad` alone")
}
pub(super) fn linearize(memo: &Memo, f: FuncId, rule: Rule, active: &[bool], suffix: &str) -> Result<Linearized> {
    let src = memo.m.func(f)?;
    match rule {
        Rule::Jvp(r) => by_tangents(memo, &src, r, active, suffix),
        Rule::Vjp(fwd, bwd) => by_halves(memo, f, &src, (fwd, bwd), active, suffix),
    }
}
fn by_tangents(memo: &Memo, f: &Func, rule: FuncId, active: &[bool], suffix: &str) -> Result<Linearized> {
    let joint = with_tangents(memo, f, rule, active, &format!("rule{suffix}"))?;
    let (n, count) = (f.params().len(), f.result_types.len());
    let all = memo.m.func(joint)?.params().len();
    let mask: Vec<bool> = (0..all).map(|i| i >= n).collect();
    // In one piece: a call that takes tangents is no residual.
    let whole = Func::clone(&*memo.whole(joint)?);
    let joint = memo.m.add(whole);
    let l = memo.linearize(joint, &mask)?;
    let r = memo.m.func(rule)?;
    if l.out.iter().take(count).any(|&o| o) {
        return Err(misfit(f, &r, "its results depend on tangents".into()));
    }
    // Without tangents of results nothing may be left that takes tangents.
    let mut fwd = Func::clone(&*memo.m.func(l.fwd)?);
    let drop = count..l.out.len();
    let flags: Vec<bool> = (0..fwd.result_types.len()).map(|i| !drop.contains(&i)).collect();
    let returns = fwd.returns().to_vec();
    fwd.regions[0].yields = derive::pick(&returns, &flags);
    fwd.result_types = derive::pick(&fwd.result_types, &flags);
    fwd.result_names = derive::pick(&fwd.result_names, &flags);
    let (fwd, stayed) = derive::prune(memo.m, &fwd, |i| i < n)?;
    if stayed.iter().skip(n).any(|&s| s) {
        return Err(misfit(f, &r, "it is not linear in its tangents".into()));
    }
    if l.extents.iter().any(tfc_ir::Extent::mentions_existential) {
        return Err(misfit(f, &r, "its derivative needs an extent that values decide".into()));
    }
    let mut out = l.out.iter().skip(count);
    let out = floats(&f.result_types).into_iter().map(|fl| fl && out.next().copied().unwrap_or(false)).collect();
    Ok(Linearized { fwd: memo.m.add(fwd), out, ..(*l).clone() })
}
fn by_halves(
    memo: &Memo,
    id: FuncId,
    f: &Func,
    (fwd, bwd): (FuncId, FuncId),
    active: &[bool],
    suffix: &str,
) -> Result<Linearized> {
    let (first, second) = (memo.m.func(fwd)?, memo.m.func(bwd)?);
    let (ps, rs) = (params(f), &f.result_types);
    fits(f, &first, "parameters", &params(&first), &ps)?;
    let split = first.result_types.split_at_checked(rs.len());
    let (own, residuals) = split.ok_or_else(|| misfit(f, &first, format!("it does not give {} results", rs.len())))?;
    fits(f, &first, "results", own, rs)?;
    fits(f, &second, "parameters", &params(&second), &[residuals, &inexact(rs)].concat())?;
    fits(f, &second, "results", &second.result_types, &inexact(&ps))?;

    let (mut b, args) = like(memo, f, format!("{}.fwd{suffix}", f.name));
    let ys = b.call(fwd, None, &args)?.0;
    let kept: Vec<Type> = ys[rs.len()..].iter().map(|&y| b.ty(y)).collect();
    if kept.iter().any(Type::mentions_existential) {
        return Err(misfit(f, &first, "a residual has an extent that values decide".into()));
    }
    b.promise(rs.iter().cloned().map(Some).collect());
    let forward = memo.m.add(b.finish(ys)?);

    // Only its transpose is ever called: run, it would give NaN.
    let mut b = Builder::new(memo.m, &format!("{}.lin{suffix}", f.name));
    b.mend();
    b.copy_syms(f);
    b.place(f.span);
    for t in &kept {
        b.param(t.clone(), "res");
    }
    for (&p, _) in f.params().iter().zip(active).filter(|p| *p.1) {
        b.param_for(f.ty(p).clone(), format!("d_{}", f.value(p).name), f, p);
    }
    let none = inexact(rs).iter().map(|t| b.splat(t, f64::NAN)).collect::<Result<Vec<_>>>()?;
    let lin = memo.m.add(b.finish(none)?);
    memo.given.borrow_mut().insert(lin, Given { of: id, bwd, residuals: kept.len(), active: active.to_vec() });
    let extents = (0..f.syms.len() as u32).map(|i| tfc_ir::Extent::sym(tfc_ir::SymId(i))).collect();
    let tangents = active.iter().filter(|a| **a).count();
    let residuals = kept.len();
    Ok(Linearized { fwd: forward, lin, residuals, tangents, out: floats(rs), extents })
}
/// The transpose of the linear part of a function with halves: `@bwd`, zeros for cotangents that are none.
pub(super) fn transpose(memo: &Memo, lin: FuncId, given: &Given, nonzero: &[bool], name: &str) -> Result<Transposed> {
    let f = memo.m.func(given.of)?;
    let l = memo.m.func(lin)?;
    let mut b = Builder::new(memo.m, name);
    b.mend();
    b.copy_syms(&f);
    b.place(f.span);
    let mut args: Vec<ValueId> =
        l.params().iter().take(given.residuals).map(|&p| b.param_like(l.ty(p).clone(), &l, p)).collect();
    for (t, &nz) in l.result_types.iter().zip(nonzero) {
        args.push(if nz { b.param(t.clone(), "ct") } else { b.zeros(t)? });
    }
    let cts = b.call(given.bwd, None, &args)?.0;
    // One a floating parameter, of which some are asked for.
    let mut cts = cts.into_iter();
    let mut wanted = vec![];
    for (&p, &a) in f.params().iter().zip(&given.active) {
        let ct = if f.ty(p).dtype.is_inexact() { cts.next() } else { None };
        if let (true, Some(ct)) = (a, ct) {
            b.state_type(ct, f.ty(p))?;
            wanted.push(ct);
        }
    }
    let out = vec![true; wanted.len()];
    let func = memo.m.add(b.finish(wanted)?);
    Ok(Transposed { func, out })
}
/// Fails where only its transpose stands for the function.
pub(super) fn refuse(memo: &Memo, f: FuncId) -> Result<()> {
    match memo.given.borrow().get(&f) {
        Some(g) => Err(forward(&*memo.m.func(g.of)?)),
        None => Ok(()),
    }
}
