//! Statements as StableHLO text: functions in their short form, ops in MLIR's generic one, each with the place it came from.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::container::{Bytes, File, OpName, Read, broken};
use super::entry::{Attr, Type, width};
use super::vhlo;

/// How deep attributes, types and regions may nest.
const MOST_DEPTH: usize = 100;
/// Constants of more elements are written as bytes.
const MOST_NUMBERS: usize = 16;

/// A value: how it is written, and its type.
#[derive(Clone, Debug, Default)]
struct Value {
    name: String,
    ty: usize,
}
/// The values of an isolated region by number, with those of the open regions in it.
#[derive(Default)]
struct Scope {
    values: Vec<Option<Value>>,
    /// Of each open region: where its values begin, and the next one.
    regions: Vec<(usize, usize)>,
}
pub(super) struct Printer<'a> {
    file: &'a File<'a>,
    out: String,
    /// How long the text may get: tables let few bytes stand for many.
    most: usize,
    scopes: Vec<Scope>,
    /// Values that have a name.
    named: usize,
    depth: usize,
    indent: usize,
    /// Types that have been written already.
    types: BTreeMap<usize, String>,
    /// Places that statements refer to.
    places: BTreeSet<usize>,
}
/// The properties of an op: names, and positions of attributes.
type Properties = Vec<(&'static str, usize)>;

/// The text of the file.
pub(super) fn text(file: &File, most: usize) -> Read<String> {
    let mut p = Printer {
        file,
        out: String::new(),
        most,
        scopes: vec![],
        named: 0,
        depth: 0,
        indent: 0,
        types: BTreeMap::new(),
        places: BTreeSet::new(),
    };
    let mut b = file.statements;
    p.scopes.push(Scope { values: vec![], regions: vec![(0, 0)] });
    let (ops, has_args) = b.flagged()?;
    if has_args {
        return broken("the file itself has arguments");
    }
    for _ in 0..ops {
        p.op(&mut b, false)?;
    }
    for i in std::mem::take(&mut p.places) {
        let _ = write!(p.out, "#loc{i} = loc(");
        p.place(i)?;
        p.out.push_str(")\n");
    }
    Ok(p.out)
}

impl<'a> Printer<'a> {
    /// Goes one level deeper for `f`; the text so far is not too long.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MOST_DEPTH {
            return broken(format!("it nests more than {MOST_DEPTH} deep"));
        }
        if self.out.len() > self.most {
            return broken("its text would be far longer than it is itself");
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }
    fn line(&mut self) {
        let n = 2 * self.indent;
        let _ = write!(self.out, "{:n$}", "");
    }

    /// The type at a position, as text.
    fn type_text(&mut self, i: usize) -> Read<String> {
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
    fn type_list(&mut self, list: &[usize]) -> Read<String> {
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
    fn attr(&mut self, i: usize) -> Read<()> {
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
    fn quoted(&mut self, text: &[u8]) {
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
    fn symbol(&mut self, name: &[u8]) {
        self.out.push('@');
        match std::str::from_utf8(name) {
            Ok(text) if is_word(text) => self.out.push_str(text),
            _ => self.quoted(name),
        }
    }
    fn name_of(&self, i: usize) -> Read<&'a [u8]> {
        match self.file.attr(i)? {
            Attr::Str(text) => Ok(text),
            _ => broken("a name is no text"),
        }
    }
    fn dict(&mut self, pairs: &[(usize, usize)]) -> Read<()> {
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
    fn pairs(&self, i: usize) -> Read<Vec<(usize, usize)>> {
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
    fn place(&mut self, i: usize) -> Read<()> {
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
                Attr::Call(callee, caller) => {
                    p.out.push_str("callsite(");
                    p.place(callee)?;
                    p.out.push_str(" at ");
                    // Where it is called from is told by nobody, and would be told again and again.
                    let _ = caller;
                    p.out.push_str("unknown)");
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

    fn scope(&mut self) -> Read<&mut Scope> {
        self.scopes.last_mut().map_or_else(|| broken("a statement stands outside"), Ok)
    }
    /// The next value of the region gets this name.
    fn define(&mut self, name: String, ty: usize) -> Read<()> {
        let s = self.scope()?;
        let Some((_, next)) = s.regions.last_mut() else { return broken("a value stands outside") };
        let Some(slot) = s.values.get_mut(*next) else { return broken("a region has more values than it says") };
        *next += 1;
        *slot = Some(Value { name, ty });
        Ok(())
    }
    fn value(&mut self, i: usize) -> Read<Value> {
        match self.scope()?.values.get(i) {
            Some(Some(v)) => Ok(v.clone()),
            _ => broken("a value is used before it is there"),
        }
    }
    fn fresh(&mut self) -> String {
        self.named += 1;
        format!("%{}", self.named - 1)
    }
    /// Opens a region of so many values.
    fn open(&mut self, isolated: bool, values: usize) -> Read<()> {
        if isolated {
            self.scopes.push(Scope::default());
        }
        let s = self.scope()?;
        let from = s.values.len();
        s.regions.push((from, from));
        s.values.resize(from + values, None);
        Ok(())
    }
    fn close(&mut self, isolated: bool) -> Read<()> {
        let s = self.scope()?;
        if let Some((from, _)) = s.regions.pop() {
            s.values.truncate(from);
        }
        if isolated {
            self.scopes.pop();
        }
        Ok(())
    }

    /// A region: its arguments, as they are defined, and how many statements it has; `None` where it is empty. Those of a function
    /// are its parameters.
    fn enter(&mut self, b: &mut Bytes<'a>, isolated: bool, params: bool) -> Read<Option<(Vec<Value>, usize)>> {
        let blocks = b.number()?;
        if blocks == 0 {
            return Ok(None);
        }
        if blocks > 1 {
            return broken("a region has more than one block");
        }
        let values = b.number()?;
        // Every value takes a byte at least.
        if values > self.most as u64 {
            return broken("a region has more values than the file has bytes");
        }
        self.open(isolated, values as usize)?;
        let (ops, has_args) = b.flagged()?;
        let mut args = vec![];
        if has_args {
            for _ in 0..b.count()? {
                let (ty, has_place) = b.flagged()?;
                if has_place {
                    b.number()?;
                }
                // As MLIR names them.
                let name = if params { format!("%arg{}", args.len()) } else { self.fresh() };
                let v = Value { name, ty };
                self.define(v.name.clone(), ty)?;
                args.push(v);
            }
            if b.byte()? != 0 {
                uses(b, args.len())?;
            }
        }
        Ok(Some((args, ops)))
    }

    /// One op, with everything inside it.
    fn op(&mut self, b: &mut Bytes<'a>, in_function: bool) -> Read<()> {
        self.nested(|p| p.new_op(b, in_function))
    }
    fn new_op(&mut self, b: &mut Bytes<'a>, in_function: bool) -> Read<()> {
        const ATTRS: u8 = 1;
        const RESULTS: u8 = 2;
        const OPERANDS: u8 = 4;
        const SUCCESSORS: u8 = 8;
        const REGIONS: u8 = 16;
        const USES: u8 = 32;
        const PROPERTIES: u8 = 64;
        let Some(&name) = self.file.ops.get(b.index()?) else { return broken("an op has no name") };
        let mask = b.byte()?;
        let place = b.index()?;
        let attrs = if mask & ATTRS != 0 { self.pairs(b.index()?)? } else { vec![] };
        let properties = if mask & PROPERTIES != 0 { self.properties(name, b.index()?)? } else { vec![] };
        let results = if mask & RESULTS != 0 { b.indices()? } else { vec![] };
        let operands = if mask & OPERANDS != 0 { b.indices()? } else { vec![] };
        let operands = operands.into_iter().map(|i| self.value(i)).collect::<Read<Vec<Value>>>()?;
        if mask & SUCCESSORS != 0 {
            return broken(format!("`{}` goes to another block", name.name));
        }
        if mask & USES != 0 {
            uses(b, results.len())?;
        }
        match (name.dialect, name.name) {
            ("builtin", "module") => return self.module(b, mask & REGIONS != 0, &attrs, &properties),
            ("vhlo", "func_v1") => return self.func(b, mask & REGIONS != 0, &attrs, &properties),
            // Values of other dialects are those of this one.
            ("builtin", "unrealized_conversion_cast") => {
                for (v, ty) in operands.into_iter().zip(results) {
                    self.define(v.name, ty)?;
                }
                return Ok(());
            }
            _ => {}
        }
        self.line();
        let names: Vec<String> = match results.len() {
            0 => vec![],
            1 => vec![self.fresh()],
            n => {
                let name = self.fresh();
                (0..n).map(|i| format!("{name}#{i}")).collect()
            }
        };
        match &names[..] {
            [] => {}
            [one] => _ = write!(self.out, "{one} = "),
            [first, ..] => {
                let name = first.split('#').next().unwrap_or_default();
                let _ = write!(self.out, "{name}:{} = ", names.len());
            }
        }
        let outs = self.type_list(&results)?;
        for (n, ty) in names.into_iter().zip(results.iter().copied()) {
            self.define(n, ty)?;
        }
        let (base, whole) = spelled(name, in_function);
        let list: Vec<&str> = operands.iter().map(|v| &*v.name).collect();
        let _ = write!(self.out, "\"{whole}\"({})", list.join(", "));
        self.write_properties(base, &properties)?;
        if mask & REGIONS != 0 {
            self.regions(b)?;
        }
        if !attrs.is_empty() {
            self.out.push(' ');
            self.dict(&attrs)?;
        }
        let ins = operands.iter().map(|v| v.ty).collect::<Vec<usize>>();
        let ins = self.type_list(&ins)?;
        let _ = write!(self.out, " : ({ins}) -> ({outs})");
        if !matches!(self.file.attr(place)?, Attr::Other) {
            self.places.insert(place);
            let _ = write!(self.out, " loc(#loc{place})");
        }
        self.out.push('\n');
        Ok(())
    }
    fn regions(&mut self, b: &mut Bytes<'a>) -> Read<()> {
        let (n, isolated) = b.flagged()?;
        let mut own = if isolated { Some(b.section()?.1) } else { None };
        self.out.push_str(" (");
        for k in 0..n {
            self.out.push_str(if k > 0 { ", {\n" } else { "{\n" });
            let b = own.as_mut().unwrap_or(b);
            if let Some((args, ops)) = self.enter(b, isolated, false)? {
                if !args.is_empty() {
                    self.line();
                    let list = self.params(&args, &[])?;
                    let _ = writeln!(self.out, "^bb0({list}):");
                }
                self.indent += 1;
                for _ in 0..ops {
                    self.op(b, false)?;
                }
                self.indent -= 1;
                self.close(isolated)?;
            }
            self.line();
            self.out.push('}');
        }
        self.out.push(')');
        Ok(())
    }
    /// `%0: T {…}, …`
    fn params(&mut self, args: &[Value], attrs: &[usize]) -> Read<String> {
        let before = std::mem::take(&mut self.out);
        let written = args.iter().enumerate().try_for_each(|(k, v)| {
            let ty = self.type_text(v.ty)?;
            let _ = write!(self.out, "{}{}: {ty}", if k > 0 { ", " } else { "" }, v.name);
            self.attached(attrs.get(k))
        });
        let list = std::mem::replace(&mut self.out, before);
        written.map(|()| list)
    }
    /// ` {…}`, where there is something.
    fn attached(&mut self, attrs: Option<&usize>) -> Read<()> {
        if let Some(&i) = attrs {
            let pairs = self.pairs(i)?;
            if !pairs.is_empty() {
                self.out.push(' ');
                self.dict(&pairs)?;
            }
        }
        Ok(())
    }
    fn module(
        &mut self,
        b: &mut Bytes<'a>,
        has_regions: bool,
        attrs: &[(usize, usize)],
        properties: &Properties,
    ) -> Read<()> {
        self.out.push_str("module");
        if let Some(&(_, i)) = properties.first() {
            self.out.push(' ');
            let name = self.name_of(i)?;
            self.symbol(name);
        }
        if !attrs.is_empty() {
            self.out.push_str(" attributes ");
            self.dict(attrs)?;
        }
        self.out.push_str(" {\n");
        if has_regions {
            self.indent += 1;
            self.body(b, false)?;
            self.indent -= 1;
        }
        self.out.push_str("}\n");
        Ok(())
    }
    /// The statements of the one region of a module.
    fn body(&mut self, b: &mut Bytes<'a>, in_function: bool) -> Read<()> {
        let (n, isolated) = b.flagged()?;
        let mut own = if isolated { Some(b.section()?.1) } else { None };
        let b = own.as_mut().unwrap_or(b);
        for _ in 0..n {
            if let Some((_, ops)) = self.enter(b, isolated, false)? {
                for _ in 0..ops {
                    self.op(b, in_function)?;
                }
                self.close(isolated)?;
            }
        }
        Ok(())
    }
    fn func(
        &mut self,
        b: &mut Bytes<'a>,
        has_regions: bool,
        attrs: &[(usize, usize)],
        properties: &Properties,
    ) -> Read<()> {
        let get = |key: &str| match properties.iter().find(|p| p.0 == key) {
            Some(p) => self.file.attr(p.1),
            None => broken(format!("a function has no `{key}`")),
        };
        let array = |a: Attr| if let Attr::Array(list) = a { list } else { vec![] };
        let (Attr::Str(name), Attr::Type(ty)) = (get("sym_name")?, get("function_type")?) else {
            return broken("a function has no name or no type");
        };
        let (arg_attrs, res_attrs) = (array(get("arg_attrs")?), array(get("res_attrs")?));
        let seen = if let Attr::Str(s) = get("sym_visibility")? { s } else { b"" };
        let Type::Function(ins, outs) = self.file.ty(ty)? else { return broken("a function has no type of one") };
        self.line();
        self.out.push_str("func.func ");
        match seen {
            b"private" => self.out.push_str("private "),
            b"public" => self.out.push_str("public "),
            _ => {}
        }
        self.symbol(name);
        let (n, isolated) = if has_regions { b.flagged()? } else { (0, false) };
        if n > 1 {
            return broken("a function has more than one region");
        }
        let mut own = if n == 1 && isolated { Some(b.section()?.1) } else { None };
        let b = own.as_mut().unwrap_or(b);
        let inside = if n == 1 { self.enter(b, isolated, true)? } else { None };
        let list = match &inside {
            Some((args, _)) if args.iter().map(|a| a.ty).ne(ins.iter().copied()) => {
                return broken("a function has other parameters than its type says");
            }
            Some((args, _)) => self.params(args, &arg_attrs)?,
            None => self.type_list(&ins)?,
        };
        let _ = write!(self.out, "({list}) -> (");
        for (k, &ty) in outs.iter().enumerate() {
            let name = self.type_text(ty)?;
            let _ = write!(self.out, "{}{name}", if k > 0 { ", " } else { "" });
            self.attached(res_attrs.get(k))?;
        }
        self.out.push(')');
        if !attrs.is_empty() {
            self.out.push_str(" attributes ");
            self.dict(attrs)?;
        }
        if let Some((_, ops)) = inside {
            self.out.push_str(" {\n");
            self.indent += 1;
            for _ in 0..ops {
                self.op(b, true)?;
            }
            self.indent -= 1;
            self.close(isolated)?;
            self.line();
            self.out.push('}');
        }
        self.out.push('\n');
        Ok(())
    }

    /// The properties of an op of that name, at that position.
    fn properties(&self, name: OpName, i: usize) -> Read<Properties> {
        let Some(&(mut b)) = self.file.properties.get(i) else { return broken("an op's properties are not there") };
        let keys = match (name.dialect, name.name) {
            // A module's name, where it has one.
            ("builtin", "module") if name.known => {
                let (i, there) = b.flagged()?;
                return Ok(if there { vec![("sym_name", i)] } else { vec![] });
            }
            ("builtin", "unrealized_conversion_cast") => return Ok(vec![]),
            ("vhlo", op) if name.known => vhlo::keys(op),
            ("chlo", "top_k") if name.known => Some(&["k"][..]),
            ("sdy", op) if name.known => return shardy(op, b),
            _ => None,
        };
        let Some(keys) = keys else {
            return broken(format!("what `{}.{}` keeps is not known", name.dialect, name.name));
        };
        keys.iter().map(|&k| Ok((k, b.index()?))).collect()
    }
    /// Whether the text leaves an attribute out.
    fn says_nothing(&self, key: &str, i: usize) -> Read<bool> {
        Ok(match self.file.attr(i)? {
            Attr::Bool(false) => vhlo::FLAGS.contains(&key),
            Attr::Array(list) => list.is_empty() && vhlo::LISTS.contains(&key),
            Attr::Other => true,
            Attr::Int(_, 0) => key == "channel_id",
            Attr::Word(_, "NOTYPE") | Attr::Accuracy(true) => true,
            _ => key == "result_tilings" || key == "channel_type",
        })
    }
    fn write_properties(&mut self, op: &str, properties: &Properties) -> Read<()> {
        let mut first = true;
        let mut begin = |p: &mut Self, key: &str| {
            let _ = write!(p.out, "{}{key} = ", if std::mem::take(&mut first) { " <{" } else { ", " });
        };
        let has = |key: &str| properties.iter().find(|p| p.0 == key).map(|p| p.1);
        let mut grouped: Vec<&str> = vec![];
        for g in vhlo::GROUPS.iter().filter(|g| g.ops.contains(&op)) {
            grouped.extend(g.fields);
            let fields: Vec<(&str, usize)> = g.fields.iter().filter_map(|&f| Some((f, has(f)?))).collect();
            // A group whose first field is a type that says "none" is not there.
            let none = match fields.first() {
                None => true,
                Some(&(_, i)) => match self.file.attr(i)? {
                    Attr::Type(t) => matches!(self.file.ty(t)?, Type::Plain("none")),
                    _ => false,
                },
            };
            if none {
                continue;
            }
            begin(self, g.key);
            let _ = write!(self.out, "#stablehlo.{}<", g.dialect_name);
            for (k, (field, i)) in fields.into_iter().enumerate() {
                let _ = write!(self.out, "{}{field} = ", if k > 0 { ", " } else { "" });
                match self.file.attr(i)? {
                    Attr::Int(_, n) => _ = write!(self.out, "{n}"),
                    Attr::Tensor(..) => _ = write!(self.out, "{:?}", self.ints(i)?),
                    _ => self.attr(i)?,
                }
            }
            self.out.push('>');
        }
        if let Some(list) = self.convolved(properties)? {
            grouped.extend(vhlo::CONVOLVED.iter().flatten().map(|x| x.1));
            begin(self, "dimension_numbers");
            self.out.push_str(&list);
        }
        for &(key, i) in properties {
            if grouped.contains(&key) || self.says_nothing(key, i)? {
                continue;
            }
            match (key, self.file.attr(i)?) {
                ("callee" | "decomposition", Attr::Str(name)) => {
                    begin(self, key);
                    self.symbol(name);
                }
                ("channel_id", Attr::Int(_, n)) => {
                    begin(self, "channel_handle");
                    let _ = write!(self.out, "#stablehlo.channel_handle<handle = {n}, type = 0>");
                }
                ("called_computations", Attr::Array(list)) => {
                    begin(self, key);
                    self.out.push('[');
                    for (k, i) in list.into_iter().enumerate() {
                        self.out.push_str(if k > 0 { ", " } else { "" });
                        let name = self.name_of(i)?;
                        self.symbol(name);
                    }
                    self.out.push(']');
                }
                _ => {
                    begin(self, key);
                    self.attr(i)?;
                }
            }
        }
        if !first {
            self.out.push_str("}>");
        }
        Ok(())
    }
    /// `#stablehlo.conv<[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]>`
    fn convolved(&self, properties: &Properties) -> Read<Option<String>> {
        let has = |key: &str| properties.iter().find(|p| p.0 == key).map(|p| p.1);
        let mut out = vec![];
        for tensor in vhlo::CONVOLVED {
            let mut at: BTreeMap<i64, String> = BTreeMap::new();
            for (letter, key) in tensor {
                let Some(i) = has(key) else { return Ok(None) };
                match self.file.attr(i)? {
                    Attr::Int(_, n) => _ = at.insert(n, letter.to_owned()),
                    _ => at.extend(self.ints(i)?.into_iter().enumerate().map(|(k, n)| (n, k.to_string()))),
                }
            }
            if at.keys().copied().ne(0..at.len() as i64) {
                return broken("a convolution's dimensions are not each there once");
            }
            out.push(format!("[{}]", at.into_values().collect::<Vec<_>>().join(", ")));
        }
        match &out[..] {
            [a, b, c] => Ok(Some(format!("#stablehlo.conv<{a}x{b}->{c}>"))),
            _ => Ok(None),
        }
    }
    /// A list of integers of 64 bits.
    fn ints(&self, i: usize) -> Read<Vec<i64>> {
        let Attr::Tensor(ty, bytes) = self.file.attr(i)? else { return broken("a list of integers is something else") };
        let Type::Tensor(shape, ..) = self.file.ty(ty)? else { return broken("a list of integers is no tensor") };
        let each: Vec<i64> =
            bytes.chunks_exact(8).map(|c| i64::from_le_bytes(c.try_into().unwrap_or_default())).collect();
        let n = usize::try_from(shape.iter().product::<i64>()).unwrap_or(usize::MAX);
        match each[..] {
            [one] if n <= MOST_DEPTH => Ok(vec![one; n]),
            _ if each.len() == n => Ok(each),
            _ => broken("a list of integers has another length than its type says"),
        }
    }
}
/// What Shardy's ops keep: shardings, which MLIR prints.
fn shardy(op: &str, mut b: Bytes) -> Read<Properties> {
    let keys: &[&'static str] = match op {
        "mesh" => &["mesh", "sym_name"],
        "sharding_constraint" => &["sharding"],
        "manual_computation" => &["in_shardings", "manual_axes", "out_shardings"],
        _ => return broken(format!("what `sdy.{op}` keeps is not known")),
    };
    keys.iter().map(|&k| Ok((k, b.index()?))).collect()
}
/// An op's name without its version, and as StableHLO's text has it.
fn spelled<'a>(name: OpName<'a>, in_function: bool) -> (&'a str, String) {
    let OpName { dialect, name, .. } = name;
    if dialect != "vhlo" {
        return (name, format!("{dialect}.{name}"));
    }
    let base = name.rsplit_once("_v").map_or(name, |x| x.0);
    match base {
        "call" => (base, "func.call".into()),
        "return" if in_function => (base, "func.return".into()),
        _ => (base, format!("stablehlo.{base}")),
    }
}
/// Skips the order of uses of so many values.
fn uses(b: &mut Bytes, values: usize) -> Read<()> {
    let several = values > 1;
    for _ in 0..if several { b.number()? } else { 1 } {
        if several {
            b.number()?;
        }
        let (n, _) = b.flagged()?;
        for _ in 0..n {
            b.number()?;
        }
    }
    Ok(())
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
