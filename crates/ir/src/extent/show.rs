//! Text of extents, as the grammar reads it back: `2*n + 1`, `min(m, n)`. A positive part comes first where there is
//! one; where there is none, the whole starts with `-`, an argument of a call with `0 - `.
use std::fmt::{self, Display, Formatter};

use super::poly::{Factor, Term};
use super::{Atom, Constraint, Extent, ExtentNames};

impl Extent {
    /// The text, with atoms named by `names`.
    pub fn display<'a>(&'a self, names: &'a dyn ExtentNames) -> impl Display + 'a {
        fmt::from_fn(move |f| write_sum(f, self, names, false))
    }
}
impl Constraint {
    /// The text, with atoms named by `names`: `?r <= min(m, n)`.
    pub fn display<'a>(&'a self, names: &'a dyn ExtentNames) -> impl Display + 'a {
        fmt::from_fn(move |f| {
            write_sum(f, &self.lhs, names, false)?;
            write!(f, " {} ", self.op.symbol())?;
            write_sum(f, &self.rhs, names, false)
        })
    }
}

fn write_sum(f: &mut Formatter, e: &Extent, names: &dyn ExtentNames, inside: bool) -> fmt::Result {
    let (terms, constant) = (e.terms(), e.constant());
    if terms.is_empty() && (constant >= 0 || !inside) {
        return write!(f, "{constant}");
    }
    let first = terms.iter().position(|t| t.coef > 0);
    let mut started = true;
    match first {
        Some(i) => write_term(f, terms.get(i), names)?,
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
        write_term(f, Some(t), names)?;
    }
    match constant {
        0 => Ok(()),
        c if c > 0 && first.is_none() => Ok(()),
        c => write!(f, " {} {}", if c < 0 { '-' } else { '+' }, c.unsigned_abs()),
    }
}
/// Without its sign.
fn write_term(f: &mut Formatter, t: Option<&Term>, names: &dyn ExtentNames) -> fmt::Result {
    let Some(t) = t else { return Ok(()) };
    let mut times = "";
    if t.coef.unsigned_abs() != 1 {
        write!(f, "{}", t.coef.unsigned_abs())?;
        times = "*";
    }
    for (factor, power) in t.mono.factors() {
        for _ in 0..*power {
            f.write_str(times)?;
            write_factor(f, factor, names)?;
            times = "*";
        }
    }
    Ok(())
}
fn write_factor(f: &mut Formatter, factor: &Factor, names: &dyn ExtentNames) -> fmt::Result {
    match factor {
        Factor::Atom(Atom::Sym(s)) => f.write_str(names.sym(*s)),
        Factor::Atom(Atom::Exist(e)) => write!(f, "?{}", names.exist(*e)),
        Factor::Call(c) => {
            write!(f, "{}(", c.op.name())?;
            for (i, x) in c.args.iter().enumerate() {
                f.write_str(if i > 0 { ", " } else { "" })?;
                write_sum(f, x, names, true)?;
            }
            f.write_str(")")
        }
    }
}
