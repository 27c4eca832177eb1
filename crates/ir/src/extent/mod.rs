//! Extents: the sizes of axes as integer expressions in one normal form, with checked evaluation, a three-valued
//! prover and two solvers.
//!
//! - Two extents that are equal as polynomials over atoms and calls **are** equal (`==`): `n + 1 + n` is `2*n + 1`.
//! - Arithmetic is exact or an error: E0405 (overflow of 64 bits), E0407 (division by zero), E0419 (an expression
//!   beyond the fixed limits of size and nesting). Nothing wraps, nothing recurses without bound.
//! - Every symbol and every existential is ≥ 0; the normal form may use that (`max(n, 0)` is `n`).
//! - The normal form has the value of the expression as written wherever that is defined. It never adds a division by
//!   zero, but may lose one together with the term that held it (`0*floordiv(m, n)` is `0`).
//! - Arithmetic on exact extents does not allocate.
mod calls;
mod compute;
mod constraint;
mod facts;
mod linear;
mod normal;
mod poly;
mod prove;
mod range;
mod show;
mod solve;

use crate::code::Code;
use crate::{Error, Result};

pub use compute::{Arithmetic, ExtentFn};
pub use constraint::{CmpOp, Constraint};
pub use facts::Facts;
pub use normal::Extent;
pub use prove::Truth;
pub use solve::{SolveFailure, solvable, solve_extents, solve_shapes};

/// A symbolic extent of a function: index into its list of symbols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SymId(pub u32);

/// An existential extent `?r` of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ExistId(pub u32);

/// What an extent expression is made from, besides integers. Its value is never negative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Atom {
    /// Declared in `<…>`, solved from the arguments' shapes.
    Sym(SymId),
    /// Bound by a statement while the program runs.
    Exist(ExistId),
}

/// The names under which atoms are printed, without the `?` of existentials.
pub trait ExtentNames {
    /// The name of a symbol.
    fn sym(&self, s: SymId) -> &str;
    /// The name of an existential, without `?`.
    fn exist(&self, e: ExistId) -> &str;
}

/// Values of atoms, by id; `None` or out of range: not bound yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtentEnv {
    /// Values of the symbols.
    pub syms: Vec<Option<i64>>,
    /// Values of the existentials.
    pub exists: Vec<Option<i64>>,
}
impl ExtentEnv {
    /// The value of `a`, where it is bound.
    pub fn get(&self, a: Atom) -> Option<i64> {
        let (list, i) = match a {
            Atom::Sym(s) => (&self.syms, s.0),
            Atom::Exist(e) => (&self.exists, e.0),
        };
        list.get(i as usize).copied().flatten()
    }
    /// Binds `a` to `value`.
    pub fn bind(&mut self, a: Atom, value: i64) {
        let (list, i) = match a {
            Atom::Sym(s) => (&mut self.syms, s.0 as usize),
            Atom::Exist(e) => (&mut self.exists, e.0 as usize),
        };
        if list.len() <= i {
            list.resize(i + 1, None);
        }
        if let Some(slot) = list.get_mut(i) {
            *slot = Some(value);
        }
    }
}

/// E0405.
pub(crate) fn overflow() -> Error {
    Error::new(Code::E0405, "extent arithmetic overflows 64 bits")
        .help("extents are 64-bit integers: use smaller exact numbers, or split the axis")
}
/// E0407.
pub(crate) fn division_by_zero() -> Error {
    Error::new(Code::E0407, "extent is divided by zero")
        .help("state that the divisor is at least 1 (`where n >= 1`), or divide by an exact number")
}
/// E0408: the caller asked too early; no program text leads here.
pub(crate) fn unbound(a: Atom) -> Error {
    let what = match a {
        Atom::Sym(s) => format!("symbol {}", s.0),
        Atom::Exist(e) => format!("existential {}", e.0),
    };
    Error::bug(Code::E0408, format!("extent {what} has no value yet"))
}
/// E0419.
pub(crate) fn too_large() -> Error {
    Error::new(Code::E0419, "extent expression is too large once expanded")
        .help("name a part of it: give the axis its own symbol and state the relation with `where`")
}

/// Integer division rounding down; `None` for a zero divisor or overflow.
pub(crate) fn floor_div(a: i128, b: i128) -> Option<i128> {
    let q = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
}
/// Integer division rounding up; `None` for a zero divisor or overflow.
pub(crate) fn ceil_div(a: i128, b: i128) -> Option<i128> {
    let q = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) == (b < 0) { q + 1 } else { q })
}
/// `a - b*floor_div(a, b)`: in `[0, b)` for positive `b`, in `(b, 0]` for negative.
pub(crate) fn floor_mod(a: i128, b: i128) -> Option<i128> {
    let r = a.checked_rem(b)?;
    Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
}

impl Extent {
    /// The value under `env`, computed in 128 bits: only the result has to fit.
    ///
    /// # Errors
    /// E0405 overflow, E0407 division by zero, E0408 an atom without a value.
    pub fn eval(&self, env: &ExtentEnv) -> Result<i64> {
        if let Some(n) = self.as_exact() {
            return Ok(n);
        }
        i64::try_from(self.eval_wide(&|a| env.get(a))?).map_err(|_| overflow())
    }
}
