//! Types, attributes, constants and places, as StableHLO text has them.
use std::fmt::Write;

use super::container::{Read, broken};
use super::entry::{Attr, Type, width};
use super::print::Printer;

/// Constants of more elements are written as bytes.
const MOST_NUMBERS: usize = 16;

impl<'a> Printer<'a> {
    /// The type at a position, as text.
    pub(super) fn type_text(&mut self, i: usize) -> Read<String> {
        if let Some(t) = self.types.get(&i) {
            return Ok(t.clone());
        }
        let text = self.nested(|p| p.new_type(i))?;
        if text.len() > self.most {
            return broken("its text would be far longer than it is itself");
        }
        self.types.insert(i, text.clone());
        Ok(text)
    }
    pub(super) fn type_list(&mut self, list: &[usize]) -> Read<String> {
        let all = list.iter().map(|&t| self.type_text(t)).collect::<Read<Vec<String>>>()?;
        Ok(all.join(", "))
    }
    fn new_type(&mut self, i: usize) -> Read<String> {
        let dims = |dims: &[i64]| -> Read<String> {
            let one = |&n: &i64| match n {
                i64::MIN => Ok("?x".to_owned()),
                0.. => Ok(format!("{n}x")),
                _ => broken("an extent is negative"),
            };
            dims.iter().map(one).collect()
        };
        Ok(match self.file.ty(i)? {
            Type::Plain(name) => name.to_owned(),
            Type::Complex(of) => format!("complex<{}>", self.type_text(of)?),
            Type::Function(ins, outs) => format!("({}) -> ({})", self.type_list(&ins)?, self.type_list(&outs)?),
            Type::Tensor(shape, of, encoding) => {
                let bounds = match encoding {
                    None => String::new(),
                    Some(e) => match self.file.attr(e)? {
                        Attr::Bounds(list) => {
                            let one = |&n: &i64| if n == i64::MIN { "?".to_owned() } else { n.to_string() };
                            let list = list.iter().map(one).collect::<Vec<_>>().join(", ");
                            format!(", #stablehlo.bounds<{list}>")
                        }
                        Attr::Printed(text) => format!(", {text}"),
                        _ => return broken("a tensor has an encoding that is not known"),
                    },
                };
                format!("tensor<{}{}{bounds}>", dims(&shape)?, self.type_text(of)?)
            }
            Type::Unranked(of) => format!("tensor<*x{}>", self.type_text(of)?),
            Type::Buffer(shape, of) => format!("memref<{}{}>", dims(&shape)?, self.type_text(of)?),
            Type::Tuple(list) => format!("tuple<{}>", self.type_list(&list)?),
            Type::Future(list) => format!("!stablehlo.future<{}>", self.type_list(&list)?),
            Type::Quantised { storage, signed, expressed, axis, scales } => {
                let storage = self.type_text(storage)?;
                let storage = storage.trim_start_matches("ui").trim_start_matches('i');
                let scales: Vec<String> = scales.iter().map(|(s, z)| format!("{s:?}:{z}")).collect();
                let (axis, scales) = match axis {
                    None => (String::new(), scales.join(", ")),
                    Some(a) => (format!(":{a}"), format!("{{{}}}", scales.join(", "))),
                };
                let (sign, expressed) = (if signed { "i" } else { "u" }, self.type_text(expressed)?);
                format!("!quant.uniform<{sign}{storage}:{expressed}{axis}, {scales}>")
            }
            Type::Printed(text) => text.to_owned(),
        })
    }

    /// Writes the attribute at a position.
    pub(super) fn attr(&mut self, i: usize) -> Read<()> {
        self.nested(|p| p.new_attr(i))
    }
    fn list(&mut self, list: &[usize]) -> Read<()> {
        self.out.push('[');
        for (k, &i) in list.iter().enumerate() {
            self.out.push_str(if k > 0 { ", " } else { "" });
            self.attr(i)?;
        }
        self.out.push(']');
        Ok(())
    }
    fn new_attr(&mut self, i: usize) -> Read<()> {
        match self.file.attr(i)? {
            Attr::Array(list) => self.list(&list)?,
            Attr::Bool(yes) => self.out.push_str(if yes { "true" } else { "false" }),
            Attr::Word(of, word) => _ = write!(self.out, "#stablehlo<{of} {word}>"),
            Attr::Dict(pairs) => self.dict(&pairs)?,
            Attr::Float(ty, bits) => {
                let name = self.type_text(ty)?;
                let _ = write!(self.out, "{} : {name}", float(&name, bits));
            }
            Attr::Int(ty, n) => {
                let name = self.type_text(ty)?;
                let _ = write!(self.out, "{n} : {name}");
            }
            Attr::Version(n) => _ = write!(self.out, "{n} : i32"),
            Attr::Alias(result, operand, inside) => {
                let _ = write!(
                    self.out,
                    "#stablehlo.output_operand_alias<output_tuple_indices = {result:?}, operand_index = {operand}, \
                     operand_tuple_indices = {inside:?}>"
                );
            }
            Attr::Str(text) => self.quoted(text),
            Attr::Symbol(path) => {
                for (k, &i) in path.iter().enumerate() {
                    self.out.push_str(if k > 0 { "::" } else { "" });
                    match self.file.attr(i)? {
                        Attr::Str(name) => self.symbol(name),
                        // Behind the root stand symbols.
                        Attr::Symbol(_) if k > 0 => self.attr(i)?,
                        _ => return broken("a symbol is no name"),
                    }
                }
            }
            Attr::Tensor(ty, bytes) => self.dense(ty, bytes)?,
            Attr::Type(ty) => {
                let name = self.type_text(ty)?;
                self.out.push_str(&name);
            }
            Attr::Bounds(list) => _ = write!(self.out, "#stablehlo.type_extensions<bounds = {list:?}>"),
            Attr::Accuracy(default) => {
                let mode = if default { "DEFAULT" } else { "HIGHEST" };
                let _ = write!(self.out, "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<{mode}>>");
            }
            Attr::Unit => self.out.push_str("unit"),
            Attr::Printed(text) => self.out.push_str(text),
            Attr::Place(..) | Attr::Named(..) | Attr::Call(..) | Attr::Places(_) => {
                self.out.push_str("loc(");
                self.place(i)?;
                self.out.push(')');
            }
            Attr::Other => return broken("an attribute is of a kind that is not read"),
        }
        Ok(())
    }
    /// A text between quotes; what is not printable by its number.
    pub(super) fn quoted(&mut self, text: &[u8]) {
        self.out.push('"');
        for &c in text {
            match c {
                b'"' | b'\\' => self.out.extend(['\\', char::from(c)]),
                b' '..=b'~' => self.out.push(char::from(c)),
                c => _ = write!(self.out, "\\{c:02X}"),
            }
        }
        self.out.push('"');
    }
    pub(super) fn symbol(&mut self, name: &[u8]) {
        self.out.push('@');
        match std::str::from_utf8(name) {
            Ok(text) if is_word(text) => self.out.push_str(text),
            _ => self.quoted(name),
        }
    }
    pub(super) fn name_of(&self, i: usize) -> Read<&'a [u8]> {
        match self.file.attr(i)? {
            Attr::Str(text) => Ok(text),
            _ => broken("a name is no text"),
        }
    }
    pub(super) fn dict(&mut self, pairs: &[(usize, usize)]) -> Read<()> {
        self.out.push('{');
        let mut first = true;
        for &(key, value) in pairs {
            // What is not understood is left out: an attribute that anybody may add says nothing that a program needs.
            if matches!(self.file.attr(value)?, Attr::Other) {
                continue;
            }
            self.out.push_str(if std::mem::take(&mut first) { "" } else { ", " });
            let key = self.name_of(key)?;
            match std::str::from_utf8(key) {
                Ok(text) if is_word(text) => self.out.push_str(text),
                _ => self.quoted(key),
            }
            if !matches!(self.file.attr(value)?, Attr::Unit) {
                self.out.push_str(" = ");
                self.attr(value)?;
            }
        }
        self.out.push('}');
        Ok(())
    }
    /// The pairs of a dictionary.
    pub(super) fn pairs(&self, i: usize) -> Read<Vec<(usize, usize)>> {
        match self.file.attr(i)? {
            Attr::Dict(pairs) => Ok(pairs),
            _ => broken("attributes are no dictionary"),
        }
    }
    /// A constant: a few numbers as numbers, others as bytes.
    fn dense(&mut self, ty: usize, bytes: &[u8]) -> Read<()> {
        let name = self.type_text(ty)?;
        let Type::Tensor(shape, of, _) = self.file.ty(ty)? else { return broken("a constant is no tensor") };
        let element = self.type_text(of)?;
        let numbers = numbers(&element, bytes, shape.len());
        self.out.push_str("dense<");
        match numbers {
            Some(list) => self.out.push_str(&list),
            None if bytes.is_empty() => {}
            None => {
                self.out.push_str("\"0x");
                self.out.reserve(2 * bytes.len());
                for &b in bytes {
                    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                    self.out.push(char::from(DIGITS[usize::from(b >> 4)]));
                    self.out.push(char::from(DIGITS[usize::from(b & 15)]));
                }
                self.out.push('"');
                // What stands in the file is no longer than the file.
                self.most = self.most.saturating_add(2 * bytes.len());
            }
        }
        let _ = write!(self.out, "> : {name}");
        Ok(())
    }
    /// What stands inside of `loc(…)`.
    pub(super) fn place(&mut self, i: usize) -> Read<()> {
        self.nested(|p| {
            match p.file.attr(i)? {
                Attr::Place(name, line, column) => {
                    let name = p.name_of(name)?;
                    p.quoted(name);
                    let _ = write!(p.out, ":{line}:{column}");
                }
                Attr::Named(name, of) => {
                    let name = p.name_of(name)?;
                    p.quoted(name);
                    p.out.push('(');
                    p.place(of)?;
                    p.out.push(')');
                }
                // Where it is called from is read by nobody, and would be told again and again.
                Attr::Call(callee) => {
                    p.out.push_str("callsite(");
                    p.place(callee)?;
                    p.out.push_str(" at unknown)");
                }
                Attr::Places(list) => {
                    p.out.push_str("fused[");
                    for (k, &i) in list.iter().enumerate() {
                        p.out.push_str(if k > 0 { ", " } else { "" });
                        p.place(i)?;
                    }
                    p.out.push(']');
                }
                _ => p.out.push_str("unknown"),
            }
            Ok(())
        })
    }
}
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$'))
}
/// A number of a floating-point type: as a decimal where that is exact, else its bits.
fn float(ty: &str, bits: u64) -> String {
    let decimal = |text: String| {
        let (whole, exponent) = text.split_once('e').map_or((&*text, None), |(a, b)| (a, Some(b)));
        let point = if whole.contains('.') { "" } else { ".0" };
        exponent.map_or(format!("{whole}{point}"), |e| format!("{whole}{point}e{e}"))
    };
    match ty {
        "f32" if f32::from_bits(bits as u32).is_finite() => decimal(format!("{:?}", f32::from_bits(bits as u32))),
        "f64" if f64::from_bits(bits).is_finite() => decimal(format!("{:?}", f64::from_bits(bits))),
        _ => {
            let digits = width(ty).unwrap_or(64).div_ceil(4) as usize;
            format!("0x{bits:0digits$X}")
        }
    }
}
/// The elements of a constant, where they are few and each can be written as a number.
fn numbers(element: &str, bytes: &[u8], rank: usize) -> Option<String> {
    let size = match element {
        // Where all are the same, one byte says so: of all bits, or of one value.
        "i1" => match *bytes {
            [0] => return Some("false".into()),
            [0xff] => return Some("true".into()),
            _ => return None,
        },
        "i8" | "ui8" => 1,
        "i16" | "ui16" => 2,
        "i32" | "ui32" | "f32" => 4,
        "i64" | "ui64" | "f64" => 8,
        _ => return None,
    };
    let n = bytes.len() / size;
    if n == 0 || n > MOST_NUMBERS || !bytes.len().is_multiple_of(size) || (n > 1 && rank != 1) {
        return None;
    }
    let one = |c: &[u8]| {
        let mut whole = [0; 8];
        whole.iter_mut().zip(c).for_each(|(to, &b)| *to = b);
        let bits = u64::from_le_bytes(whole);
        match element.as_bytes().first() {
            Some(b'f') => float(element, bits),
            Some(b'u') => bits.to_string(),
            _ => {
                let free = 64 - 8 * size as u32;
                ((bits << free) as i64 >> free).to_string()
            }
        }
    };
    let each: Vec<String> = bytes.chunks_exact(size).map(one).collect();
    Some(if n == 1 { each.concat() } else { format!("[{}]", each.join(", ")) })
}
