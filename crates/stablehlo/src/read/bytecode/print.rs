//! Statements as StableHLO text: functions in their short form, ops in MLIR's generic one, each with the place it came from.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::container::{Bytes, File, OpName, Read, broken};
use super::entry::{Attr, Type};
use super::properties::Properties;

/// How deep attributes, types and regions may nest.
const MOST_DEPTH: usize = 100;

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
    pub(super) file: &'a File<'a>,
    pub(super) out: String,
    /// How long the text may get: tables let few bytes stand for many.
    pub(super) most: usize,
    scopes: Vec<Scope>,
    /// Values that have a name.
    named: usize,
    depth: usize,
    indent: usize,
    /// Types that have been written already.
    pub(super) types: BTreeMap<usize, String>,
    /// Places that statements refer to.
    places: BTreeSet<usize>,
}
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
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
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
        // Every value takes a byte of the region at least.
        if values > b.left() as u64 {
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
            self.body(b)?;
            self.indent -= 1;
        }
        self.out.push_str("}\n");
        Ok(())
    }
    /// The statements of the one region of a module.
    fn body(&mut self, b: &mut Bytes<'a>) -> Read<()> {
        let (n, isolated) = b.flagged()?;
        let mut own = if isolated { Some(b.section()?.1) } else { None };
        let b = own.as_mut().unwrap_or(b);
        for _ in 0..n {
            if let Some((_, ops)) = self.enter(b, isolated, false)? {
                for _ in 0..ops {
                    self.op(b, false)?;
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
