//! Solvers for a function's symbols: over extents when a call is compiled, over integers when it runs.
//!
//! Both repeat one step: an equation with exactly one unknown symbol, which occurs once, with an exact coefficient,
//! gives that symbol. Equations that are a plain symbol go first, so `2*n` is checked against `n`, not the other way
//! round. Where that gives no more, what is linear in all its unknown symbols is eliminated together (`m + n` beside
//! `m - n`). Nothing else is tried: `n*n` solves nothing.
use crate::code::Code;
use std::collections::BTreeSet;

use super::linear::{Given, MAX_EQUATIONS, MAX_UNKNOWNS, given};
use super::{Atom, Extent, ExtentEnv, SymId};
use crate::{Error, Result};

/// Why shapes do not fit a function's parameter types; `eq` is the index of the equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolveFailure {
    /// `coefficient * sym == rest` has no integer solution.
    NotDivisible {
        /// The equation.
        eq: usize,
        /// The symbol it was to give.
        sym: SymId,
        /// Coefficient of the symbol.
        coefficient: i64,
        /// The given extent without the known part of the pattern.
        rest: i64,
    },
    /// With the symbols solved, the pattern has another value than the given extent.
    Mismatch {
        /// The equation.
        eq: usize,
        /// The value of the pattern.
        expected: i64,
    },
    /// A symbol would be negative.
    Negative {
        /// The equation.
        eq: usize,
        /// The symbol.
        sym: SymId,
        /// Value of the symbol.
        value: i64,
    },
    /// No equation gives the symbol.
    Unsolved {
        /// The symbol.
        sym: SymId,
    },
    /// The pattern's value does not fit 64 bits.
    Overflow {
        /// The equation.
        eq: usize,
    },
    /// The pattern divides by zero.
    DivisionByZero {
        /// The equation.
        eq: usize,
    },
}

/// The symbols of a pattern.
fn symbols(pattern: &Extent) -> BTreeSet<SymId> {
    let mut out = BTreeSet::new();
    pattern.for_each_atom(&mut |a| {
        if let Atom::Sym(s) = a {
            out.insert(s);
        }
    });
    out
}
/// The one symbol of `of` that `known` does not hold of.
fn only_unknown(of: &BTreeSet<SymId>, known: impl Fn(SymId) -> bool) -> Option<SymId> {
    let mut unknown = of.iter().copied().filter(|s| !known(*s));
    let first = unknown.next()?;
    if unknown.next().is_none() { Some(first) } else { None }
}
/// Equations that are a plain symbol first, otherwise in the given order.
fn plain_first<'a>(patterns: impl Iterator<Item = &'a Extent>) -> Vec<usize> {
    let mut order: Vec<(bool, usize)> = patterns.enumerate().map(|(i, p)| (p.as_atom().is_none(), i)).collect();
    order.sort_unstable();
    order.into_iter().map(|x| x.1).collect()
}

/// Equations that are linear in all their unknown symbols, solved together.
struct System {
    /// Index of each equation, and what it holds beside the unknown symbols.
    rows: Vec<(usize, Extent)>,
    /// What they give: a symbol in place of an index, rows of this system in place of equations.
    given: Vec<(SymId, Given)>,
}
impl System {
    /// The patterns, in that order, that have symbols of which `known` does not hold.
    fn of<'a>(patterns: impl Iterator<Item = (usize, &'a Extent)>, known: impl Fn(SymId) -> bool) -> System {
        let mut unknowns = BTreeSet::new();
        let mut linear: Vec<(usize, Vec<(SymId, i64)>, Extent)> = vec![];
        for (i, pattern) in patterns {
            let own: Vec<SymId> = symbols(pattern).into_iter().filter(|s| !known(*s)).collect();
            if own.is_empty() || own.len() > MAX_UNKNOWNS || pattern.mentions_existential() {
                continue;
            }
            let mut rest = pattern.clone();
            let split = own.iter().map(|&s| {
                let (c, r) = rest.linear_in(Atom::Sym(s))?;
                rest = r;
                Some((s, c))
            });
            let Some(coefficients) = split.collect::<Option<Vec<_>>>() else { continue };
            unknowns.extend(own);
            linear.push((i, coefficients, rest));
            if linear.len() == MAX_EQUATIONS {
                break;
            }
        }
        let unknowns: Vec<SymId> = unknowns.into_iter().collect();
        let row = |of: &[(SymId, i64)]| {
            let one = |s: &SymId| of.iter().find(|c| c.0 == *s).map_or(0, |c| c.1);
            unknowns.iter().map(one).collect::<Vec<i64>>()
        };
        // A single unknown is left to the step that takes one.
        let sensible = (2..=MAX_UNKNOWNS).contains(&unknowns.len());
        let rows: Vec<Vec<i64>> = linear.iter().filter(|_| sensible).map(|l| row(&l.1)).collect();
        let given = given(&rows).into_iter().filter_map(|g| Some((*unknowns.get(g.unknown)?, g))).collect();
        System { rows: linear.into_iter().map(|l| (l.0, l.2)).collect(), given }
    }
    /// The equations of a sum, each with its factor and what it holds beside the unknown symbols.
    fn terms<'a>(&'a self, of: &'a Given) -> impl Iterator<Item = (usize, i64, &'a Extent)> {
        of.sum.iter().filter_map(|&(k, factor)| self.rows.get(k).map(|(eq, rest)| (*eq, factor, rest)))
    }
}

/// Solves for a callee's symbols when a call is compiled: each equation is a pattern over the callee's symbols and the
/// extent that is passed for it, over the caller's atoms. `start` gives symbols that are known already. The `i`-th result is `None`
/// where no equation gives the symbol in the caller's atoms (`2*n` against `m` does not).
///
/// Solutions are not checked: the caller still has to prove every equation, and every solution ≥ 0.
///
/// # Errors
/// As the arithmetic on the extents.
pub fn solve_extents(n_syms: usize, start: &[Option<Extent>], eqs: &[(Extent, Extent)]) -> Result<Vec<Option<Extent>>> {
    // No function has that many symbols, so it stands for the unknown among the caller's atoms.
    let marker = Atom::Sym(SymId(u32::MAX));
    let mut found: Vec<Option<Extent>> = (0..n_syms).map(|i| start.get(i).cloned().flatten()).collect();
    let needs: Vec<BTreeSet<SymId>> = eqs.iter().map(|e| symbols(&e.0)).collect();
    let order = plain_first(eqs.iter().map(|e| &e.0));
    loop {
        let mut progress = false;
        for &i in &order {
            let (Some((pattern, target)), Some(need)) = (eqs.get(i), needs.get(i)) else { continue };
            let value = |s: SymId| found.get(s.0 as usize).and_then(Option::as_ref);
            let Some(unknown) = only_unknown(need, |s| value(s).is_some()) else { continue };
            let put = |a: Atom| match a {
                Atom::Sym(s) if s == unknown => Some(Extent::atom(marker)),
                Atom::Sym(s) => value(s).cloned(),
                Atom::Exist(_) => None,
            };
            let Some((coefficient, rest)) = pattern.subst(&put)?.linear_in(marker) else { continue };
            let solution = target.sub(&rest)?.divide_exactly(coefficient);
            if let (Some(x), Some(slot)) = (solution, found.get_mut(unknown.0 as usize)) {
                *slot = Some(x);
                progress = true;
            }
        }
        if !progress && !eliminate_extents(&mut found, eqs, &order)? {
            return Ok(found);
        }
    }
}
/// Symbols that several equations give together; false where there is none.
fn eliminate_extents(found: &mut [Option<Extent>], eqs: &[(Extent, Extent)], order: &[usize]) -> Result<bool> {
    let value = |s: SymId| found.get(s.0 as usize).and_then(Option::as_ref);
    let patterns = order.iter().filter_map(|&i| Some((i, &eqs.get(i)?.0)));
    let system = System::of(patterns, |s| value(s).is_some());
    let mut solutions = vec![];
    for (sym, g) in &system.given {
        let mut sum = Extent::exact(0);
        for (eq, factor, rest) in system.terms(g) {
            let Some((_, target)) = eqs.get(eq) else { continue };
            let rest = rest.subst(&|a| if let Atom::Sym(s) = a { value(s).cloned() } else { None })?;
            sum = sum.combine(1, &target.sub(&rest)?, factor)?;
        }
        solutions.extend(sum.divide_exactly(g.coefficient).map(|x| (*sym, x)));
    }
    let any = !solutions.is_empty();
    for (sym, x) in solutions {
        if let Some(slot) = found.get_mut(sym.0 as usize) {
            *slot = Some(x);
        }
    }
    Ok(any)
}

/// Which of the symbols equations with these patterns give whatever the extents are: what an exported function asks of
/// its parameter types.
pub fn solvable(n_syms: usize, patterns: &[Extent]) -> Vec<bool> {
    let mut known = vec![false; n_syms];
    let needs: Vec<BTreeSet<SymId>> = patterns.iter().map(symbols).collect();
    loop {
        let mut progress = false;
        for (pattern, need) in patterns.iter().zip(&needs) {
            let Some(s) = only_unknown(need, |s| known.get(s.0 as usize) == Some(&true)) else { continue };
            if pattern.mentions_existential() || pattern.linear_in(Atom::Sym(s)).is_none() {
                continue;
            }
            if let Some(slot) = known.get_mut(s.0 as usize) {
                *slot = true;
                progress = true;
            }
        }
        if !progress {
            let is_known = |s: SymId| known.get(s.0 as usize) == Some(&true);
            let order = plain_first(patterns.iter());
            let given = System::of(order.iter().filter_map(|&i| Some((i, patterns.get(i)?))), is_known).given;
            if given.is_empty() {
                return known;
            }
            for (s, _) in given {
                if let Some(slot) = known.get_mut(s.0 as usize) {
                    *slot = true;
                }
            }
        }
    }
}

/// Solves for a function's symbols when it runs: each equation is a parameter's extent and the argument's. Every
/// equation is checked after solving, all symbols are ≥ 0.
///
/// # Errors
/// The first equation that fails.
pub fn solve_shapes(n_syms: usize, eqs: &[(Extent, i64)]) -> Result<ExtentEnv, SolveFailure> {
    let mut env = ExtentEnv { syms: vec![None; n_syms], exists: vec![] };
    let order = plain_first(eqs.iter().map(|e| &e.0));
    let mut missing = n_syms;
    loop {
        let before = missing;
        for &i in &order {
            if let Some((pattern, extent)) = eqs.get(i)
                && missing > 0
                && let Some((sym, value)) = step(i, pattern, *extent, &env)?
                && let Some(slot) = env.syms.get_mut(sym.0 as usize)
            {
                *slot = Some(value);
                missing -= 1;
            }
        }
        if missing == before && missing > 0 {
            missing = missing.saturating_sub(eliminate(&mut env, eqs, &order)?);
        }
        if missing == 0 || missing == before {
            break;
        }
    }
    for (eq, (pattern, extent)) in eqs.iter().enumerate() {
        match pattern.eval(&env) {
            Ok(expected) if expected == *extent => {}
            Ok(expected) => return Err(SolveFailure::Mismatch { eq, expected }),
            // Reported below.
            Err(e) if e.data().code == Code::E0408 => {}
            Err(e) => return Err(failure(eq, &e)),
        }
    }
    match env.syms.iter().position(Option::is_none) {
        Some(i) => Err(SolveFailure::Unsolved { sym: SymId(i as u32) }),
        None => Ok(env),
    }
}
fn failure(eq: usize, e: &Error) -> SolveFailure {
    if e.data().code == Code::E0407 { SolveFailure::DivisionByZero { eq } } else { SolveFailure::Overflow { eq } }
}
/// Binds the symbols that several equations give together; how many.
fn eliminate(env: &mut ExtentEnv, eqs: &[(Extent, i64)], order: &[usize]) -> Result<usize, SolveFailure> {
    let patterns = order.iter().filter_map(|&i| Some((i, &eqs.get(i)?.0)));
    let system = System::of(patterns, |s| env.get(Atom::Sym(s)).is_some());
    let mut solutions = vec![];
    for (sym, g) in &system.given {
        let (mut sum, mut last) = (0i128, 0);
        for (eq, factor, rest) in system.terms(g) {
            let extent = eqs.get(eq).map_or(0, |e| e.1);
            let rest = rest.eval(env).map_err(|e| failure(eq, &e))?;
            let term = (i128::from(extent) - i128::from(rest)).checked_mul(i128::from(factor));
            sum = term.and_then(|t| sum.checked_add(t)).ok_or(SolveFailure::Overflow { eq })?;
            last = last.max(eq);
        }
        let sum = i64::try_from(sum).map_err(|_| SolveFailure::Overflow { eq: last })?;
        solutions.extend(whole(last, *sym, g.coefficient, sum)?);
    }
    for &(sym, value) in &solutions {
        if let Some(slot) = env.syms.get_mut(sym.0 as usize) {
            *slot = Some(value);
        }
    }
    Ok(solutions.len())
}
/// The symbol that one equation gives, if it gives one.
fn step(eq: usize, pattern: &Extent, extent: i64, env: &ExtentEnv) -> Result<Option<(SymId, i64)>, SolveFailure> {
    let (sym, coefficient, rest) = match pattern.as_atom() {
        Some(Atom::Sym(s)) if env.get(Atom::Sym(s)).is_none() => (s, 1, extent),
        Some(_) => return Ok(None),
        None => {
            let known = |s| env.get(Atom::Sym(s)).is_some();
            let Some(sym) = only_unknown(&symbols(pattern), known) else { return Ok(None) };
            let put = |a: Atom| env.get(a).map(Extent::exact);
            let left = pattern.subst(&put).map_err(|e| failure(eq, &e))?;
            let Some((coefficient, rest)) = left.linear_in(Atom::Sym(sym)) else { return Ok(None) };
            let Some(known) = rest.as_exact() else { return Ok(None) };
            let rest = extent.checked_sub(known).ok_or(SolveFailure::Overflow { eq })?;
            (sym, coefficient, rest)
        }
    };
    whole(eq, sym, coefficient, rest)
}
/// The symbol of `coefficient * sym == rest`.
fn whole(eq: usize, sym: SymId, coefficient: i64, rest: i64) -> Result<Option<(SymId, i64)>, SolveFailure> {
    match (rest.checked_rem(coefficient), rest.checked_div(coefficient)) {
        (Some(0), Some(value)) if value < 0 => Err(SolveFailure::Negative { eq, sym, value }),
        (Some(0), Some(value)) => Ok(Some((sym, value))),
        (Some(_), _) => Err(SolveFailure::NotDivisible { eq, sym, coefficient, rest }),
        (None, _) => Err(SolveFailure::Overflow { eq }),
    }
}
