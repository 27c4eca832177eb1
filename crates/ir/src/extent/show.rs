//! Text of extents, as the grammar reads it back: `2*n + 1`, `min(m, n)`. A positive part comes first where there is
//! one; where there is none, the whole starts with `-`, an argument of a call with `0 - `.
use std::fmt::{self, Display, Formatter};

use super::poly::{Factor, Term};
use super::{Atom, Constraint, Extent, ExtentNames};

/// How an atom is written.
type AtomText<'a> = dyn Fn(Atom, &mut Formatter) -> fmt::Result + 'a;

fn named(names: &dyn ExtentNames) -> impl Fn(Atom, &mut Formatter) -> fmt::Result {
    move |a, f| match a {
        Atom::Sym(s) => f.write_str(names.sym(s)),
        Atom::Exist(e) => write!(f, "?{}", names.exist(e)),
    }
}
/// With atoms by number: `2*s0 + ?1`.
impl fmt::Debug for Extent {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let numbered = |a: Atom, f: &mut Formatter| match a {
            Atom::Sym(s) => write!(f, "s{}", s.0),
            Atom::Exist(e) => write!(f, "?{}", e.0),
        };
        write_sum(f, self, &numbered, false)
    }
}

impl Extent {
    /// The text, with atoms named by `names`.
    pub fn display<'a>(&'a self, names: &'a dyn ExtentNames) -> impl Display + 'a {
        fmt::from_fn(move |f| write_sum(f, self, &named(names), false))
    }
}
impl Constraint {
    /// The text, with atoms named by `names`: `?r <= min(m, n)`.
    pub fn display<'a>(&'a self, names: &'a dyn ExtentNames) -> impl Display + 'a {
        fmt::from_fn(move |f| {
            write_sum(f, &self.lhs, &named(names), false)?;
            write!(f, " {} ", self.op.symbol())?;
            write_sum(f, &self.rhs, &named(names), false)
        })
    }
}

fn write_sum(f: &mut Formatter, e: &Extent, atom: &AtomText, inside: bool) -> fmt::Result {
    let (terms, constant) = (e.terms(), e.constant());
    if terms.is_empty() && (constant >= 0 || !inside) {
        return write!(f, "{constant}");
    }
    let first = terms.iter().position(|t| t.coef > 0);
    let mut started = true;
    match first {
        Some(i) => write_term(f, terms.get(i), atom)?,
        None if constant > 0 => write!(f, "{constant}")?,
        None if inside => write!(f, "0")?,
        None => started = false,
    }
    for (i, t) in terms.iter().enumerate().filter(|(i, _)| Some(*i) != first) {
        let sign = match (started || i > 0, t.coef < 0) {
            (true, true) => " - ",
            (true, false) => " + ",
            (false, _) => "-",
        };
        f.write_str(sign)?;
        write_term(f, Some(t), atom)?;
    }
    match constant {
        0 => Ok(()),
        c if c > 0 && first.is_none() => Ok(()),
        c => write!(f, " {} {}", if c < 0 { '-' } else { '+' }, c.unsigned_abs()),
    }
}
/// Without its sign.
fn write_term(f: &mut Formatter, t: Option<&Term>, atom: &AtomText) -> fmt::Result {
    let Some(t) = t else { return Ok(()) };
    let mut times = "";
    if t.coef.unsigned_abs() != 1 {
        write!(f, "{}", t.coef.unsigned_abs())?;
        times = "*";
    }
    for (factor, power) in t.mono.factors() {
        for _ in 0..*power {
            f.write_str(times)?;
            write_factor(f, factor, atom)?;
            times = "*";
        }
    }
    Ok(())
}
fn write_factor(f: &mut Formatter, factor: &Factor, atom: &AtomText) -> fmt::Result {
    match factor {
        Factor::Atom(a) => atom(*a, f),
        Factor::Call(c) => {
            write!(f, "{}(", c.op.name())?;
            for (i, x) in c.args.iter().enumerate() {
                f.write_str(if i > 0 { ", " } else { "" })?;
                write_sum(f, x, atom, true)?;
            }
            f.write_str(")")
        }
    }
}
