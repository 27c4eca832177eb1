//! Elements of constants as MLIR writes them. What is read back has the same bits: a float whose decimal would be rounded
//! twice, an infinity and a NaN are written as their bits, and tensors of many elements as one string of bytes.
use std::fmt::Write;

use tfc_ir::small::*;
use tfc_ir::{BF16, C32, C64, Element, F16, Result, Tensor, for_tiny_floats, for_tiny_ints, with_dtype};

use crate::write::ty::Ty;

/// Elements up to which a constant is nested lists.
const LISTED: usize = 64;

/// An element and its bytes.
trait Shown: Element {
    fn show(self, out: &mut String);
    fn bytes(self, out: &mut Vec<u8>);
}
macro_rules! ints {
    ($($t:ty)*) => { $(impl Shown for $t {
        fn show(self, out: &mut String) { let _ = write!(out, "{self}"); }
        fn bytes(self, out: &mut Vec<u8>) { out.extend(self.to_le_bytes()) }
    })* };
}
ints!(i8 i16 i32 i64 u8 u16 u32 u64);
impl Shown for bool {
    fn show(self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
    fn bytes(self, out: &mut Vec<u8>) {
        out.push(self.into());
    }
}
/// A decimal with a point, which MLIR's floats have.
fn decimal(text: String) -> String {
    match text.split_once('e') {
        Some((m, e)) if !m.contains('.') => format!("{m}.0e{e}"),
        _ => text,
    }
}
impl Shown for f32 {
    fn show(self, out: &mut String) {
        let text = decimal(format!("{self:?}"));
        // It is read as a double first.
        let same = text.parse::<f64>().is_ok_and(|x| (x as f32).to_bits() == self.to_bits());
        let _ = if self.is_finite() && same { write!(out, "{text}") } else { write!(out, "0x{:08X}", self.to_bits()) };
    }
    fn bytes(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}
macro_rules! small_floats {
    ($($t:ty),*) => { $(impl Shown for $t {
        fn show(self, out: &mut String) {
            let _ = match self.widen().is_finite() {
                true => write!(out, "{}", decimal(shortest(self))),
                false => write!(out, "0x{:0w$X}", self.bits(), w = 2 * size_of::<$t>()),
            };
        }
        fn bytes(self, out: &mut Vec<u8>) {
            out.extend(self.bits().to_le_bytes().into_iter().take(size_of::<$t>()));
        }
    })* };
}
small_floats!(BF16, F16);
for_tiny_floats!(small_floats);
macro_rules! tiny_ints {
    ($($t:ty),*) => { $(impl Shown for $t {
        fn show(self, out: &mut String) { let _ = write!(out, "{self}"); }
        fn bytes(self, out: &mut Vec<u8>) { out.push(self.to_bits()) }
    })* };
}
for_tiny_ints!(tiny_ints);
impl Shown for f64 {
    fn show(self, out: &mut String) {
        let _ = if self.is_finite() {
            write!(out, "{}", decimal(format!("{self:?}")))
        } else {
            write!(out, "0x{:016X}", self.to_bits())
        };
    }
    fn bytes(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}
macro_rules! pairs {
    ($($t:ty)*) => { $(impl Shown for $t {
        fn show(self, out: &mut String) {
            out.push('(');
            self.re.show(out);
            out.push_str(", ");
            self.im.show(out);
            out.push(')');
        }
        fn bytes(self, out: &mut Vec<u8>) {
            self.re.bytes(out);
            self.im.bytes(out);
        }
    })* };
}
pairs!(C32 C64);

fn body<T: Shown>(t: &Tensor, splat: bool) -> String {
    let all = t.to_logical::<T>().unwrap_or_default();
    let mut out = String::new();
    if all.is_empty() {
        return out;
    }
    if splat || t.rank() == 0 {
        all.iter().take(1).for_each(|x| x.show(&mut out));
        return out;
    }
    if all.len() > LISTED {
        let mut bytes = vec![];
        all.into_iter().for_each(|x| x.bytes(&mut bytes));
        out.push_str("\"0x");
        bytes.iter().for_each(|b| {
            let _ = write!(out, "{b:02X}");
        });
        out.push('"');
        return out;
    }
    nested(&all, t.shape(), &mut out);
    out
}
fn nested<T: Shown>(all: &[T], shape: &[usize], out: &mut String) {
    let Some((&n, inner)) = shape.split_first() else {
        all.iter().take(1).for_each(|x| x.show(out));
        return;
    };
    out.push('[');
    for (i, part) in all.chunks((all.len() / n.max(1)).max(1)).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        nested(part, inner, out);
    }
    out.push(']');
}

/// `dense<…>` for a constant of that type; `splat`: the one element of `t` stands for all.
pub(crate) fn dense(t: &Tensor, ty: &Ty, splat: bool) -> Result<String> {
    // What has no element is no splat either.
    let splat = splat && !ty.is_empty();
    let text = match t.dtype() {
        _ if ty.is_empty() => String::new(),
        d => with_dtype!(d, T => body::<T>(t, splat)),
    };
    Ok(format!("dense<{text}>"))
}
