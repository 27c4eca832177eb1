//! Modules for every size: `?` in the place of extents that the shapes of arguments decide, as `jax.export` writes them. Who reads one
//! gives shapes, and refines it to a module of numbers.
//!
//! The module is written as for numbers that stand for the extents, by the spellings that there are. The writer knows the numbers:
//! it computes what they stand for from the sizes of the arguments, and writes the dynamic form of each op that needs one. Numbers that
//! got anywhere else, or decided anything, show when the same is done with other numbers in another order: the two texts differ,
//! and the program is refused.
use std::collections::BTreeMap;

use tfc_ir::{Code, Error, Extent, FuncId, Module, Result};

use crate::write::table::Spellings;
use crate::write::walk::module_of;
use crate::{Dynamic, Options};

/// No number that stands for an extent is less.
pub(crate) const LEAST: u64 = 10_000;
/// Far apart, so that sums and products are different; not so large that a tensor of four such axes could not be.
const NUMBERS: [i64; 8] = [10_007, 11_503, 13_217, 15_187, 17_449, 20_047, 23_027, 26_459];

/// As [`crate::write::export`], with extents that are not known: `@main` takes arguments of any size that fits.
///
/// # Errors
/// As [`crate::write::export`]; `E1226` an extent that is no axis of an argument, `E1227` an op whose text depends on the numbers in
/// another way than by shapes.
pub fn export_polymorphic(m: &Module, root: FuncId, table: &Spellings, options: &Options) -> Result<String> {
    let f = m.func(root)?;
    let n = f.syms.len();
    if n > NUMBERS.len() || options.dynamic != Dynamic::Refuse {
        let text = format!("a polymorphic module of {n} extents, or beside `--dyn`");
        return Err(Error::new(Code::E1226, text).help("give some of them numbers: `--bind n=4`"));
    }
    let up: Vec<i64> = NUMBERS.iter().take(n).copied().collect();
    // Others, the first of which is the greatest.
    let down: Vec<i64> = NUMBERS.iter().rev().take(n).map(|p| p + 20_011).collect();
    let once = |numbers: &[i64]| -> Result<String> {
        // What went wrong with numbers that nobody has written is no word of theirs.
        let made = module_of(m, root, table, options, Some(numbers), None);
        let (text, _, sizes) = made.map_err(|e| match e.data().code {
            Code::E1109 | Code::E0401 | Code::E0402 | Code::E0405 | Code::E0406 => {
                let text =
                    format!("@{} cannot be written for every size: a statement needs numbers for extents", f.name);
                let new = Error::new(Code::E1227, text).help("give extents numbers: `--bind n=4`");
                new.or_span(e.data().span.unwrap_or(f.span))
            }
            _ => e,
        })?;
        Ok(opened(&text, &sizes))
    };
    let (text, other) = (once(&up)?, once(&down)?);
    if text == other {
        return Ok(text.replacen(" {\n", " attributes {jax.uses_shape_polymorphism = true} {\n", 1));
    }
    let line = text.lines().zip(other.lines()).find(|(a, b)| a != b).map_or("", |l| l.0);
    let op = line.split("stablehlo.").nth(1).and_then(|s| s.split([' ', '"', '(']).next()).unwrap_or("its text");
    let text = format!(
        "@{} cannot be written for every size: `stablehlo.{op}` depends on extents in another way than by shapes",
        f.name
    );
    Err(Error::new(Code::E1227, text).or_span(f.span).help("give extents numbers: `--bind n=4`"))
}
/// The text with `?` for numbers that stand for extents, in types.
fn opened(text: &str, sizes: &BTreeMap<i64, Extent>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("tensor<") {
        let (inside, behind) = after.split_once('>').unwrap_or((after, ""));
        out.push_str(before);
        out.push_str("tensor<");
        let parts: Vec<&str> = inside.split('x').collect();
        let open = |p: &&str| p.parse::<i64>().is_ok_and(|n| sizes.contains_key(&n));
        let parts: Vec<&str> = parts.into_iter().map(|p| if open(&p) { "?" } else { p }).collect();
        out.push_str(&parts.join("x"));
        out.push('>');
        rest = behind;
    }
    out.push_str(rest);
    out
}
