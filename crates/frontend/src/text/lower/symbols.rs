//! What the items of a file declare: functions, data, locations, metadata. Names are collected before any body is
//! lowered, so functions may be used before they are defined.
use super::super::ast::{Arg, Attr, AttrKind, DimKind, FuncHead, Import, Item, Word};
use super::super::lexer::unescape;
use super::super::link::Shape;
use super::super::parser::Lost;
use super::Text;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use tfc_ir::attr::SymRef;
use tfc_ir::words::nearest;
use tfc_ir::{Attrs, Code, DType, DataDecl, DataId, Diagnostic, Extent, FuncId, LocDecl, Mesh, Module, Span, Type};

type Fallible<T> = Result<T, Box<Diagnostic>>;

/// Symbols of a file.
pub(super) struct Symbols<'m, 'a> {
    pub(super) module: &'m Module,
    names: &'m Names<'a>,
    lost: &'m [Lost<'a>],
    /// The minor version of the language that the file is written in.
    pub(super) minor: u64,
    /// Another file imports it: nothing of it is an entry point.
    pub(super) imported: bool,
    /// It was said that something is of a later one.
    pub(super) told_newer: Cell<bool>,
    /// Functions whose header is broken: their callers are left out silently.
    pub(super) unknown: &'m RefCell<HashSet<FuncId>>,
}

/// Declared names.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// Functions, data and what was lost to syntax errors (`None`), with the place of the name.
    symbols: HashMap<Cow<'a, str>, (Option<Symbol>, Span)>,
    /// Words under which files are imported; those whose files could not be.
    imports: HashMap<&'a str, Span>,
    broken: HashSet<&'a str>,
    locs: HashMap<u64, (u32, Span)>,
    /// Extents that files of data have, by the names that declarations give them.
    extents: HashMap<&'a str, (usize, Span)>,
}
#[derive(Clone, Copy)]
enum Symbol {
    Func(FuncId),
    Data(DataId),
}

/// Data formats and the keys that each takes.
const FORMATS: [(&str, bool); 4] = [("npy", false), ("npz", true), ("safetensors", true), ("csv", false)];

/// Declares the items of a file in `m`; gives the names, and which items' functions got which id.
pub(super) fn declare<'a>(
    text: &Text<'_, 'a>,
    m: &mut Module,
    shape: &Shape,
    errors: &mut Vec<Diagnostic>,
) -> (Names<'a>, BTreeMap<usize, FuncId>) {
    let Text { src, file, lost, part, .. } = *text;
    let mut names = Names::default();
    let mut funcs = BTreeMap::new();
    // What is imported has the name of its file in front in the module.
    let stem = part
        .path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .trim_end_matches(".tfir")
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let full = |m: &Module, name: &str| {
        if stem.is_empty() { name.to_owned() } else { m.fresh_name(&format!("{stem}.{name}")) }
    };
    for l in lost {
        names.symbols.extend(l.symbols.iter().map(|s| (Cow::Borrowed(*s), (None, l.span))));
    }
    for (i, item) in file.items.iter().enumerate() {
        match item {
            Item::Module { name, args, .. } => {
                let meta = metadata(args, errors);
                if stem.is_empty() {
                    (m.name, m.meta) = (Some(name.text.into()), meta);
                }
            }
            Item::Loc { id, kind, args, .. } => location(src, &mut names, m, id, kind, args, errors),
            Item::Mesh { span, .. } if !stem.is_empty() => {
                let d = Diagnostic::error(Code::E0111, *span, "a mesh in a file that is imported");
                errors.push(d.help("the mesh stands in the program that is run"));
            }
            Item::Mesh { span, name, args } => {
                // A second one is reported already.
                m.mesh = m.mesh.take().or_else(|| mesh(*span, name, args, errors));
            }
            Item::Data { span, name, ty, kind, args } => {
                let mut decl = data(*span, name, ty, kind, args, errors);
                if let Some(d) = &mut decl {
                    d.path = format!("{}{}", part.folder(), d.path).into();
                    match names.shape(ty, || shape(d)) {
                        Ok(dims) => d.ty = d.ty.with_dims(dims),
                        Err(e) => {
                            errors.push(*e);
                            decl = None;
                        }
                    }
                }
                let symbol = decl.map(|mut d| {
                    if !stem.is_empty() {
                        let taken = |name: &str| m.find_data(name).is_some();
                        let own = format!("{stem}.{}", d.name);
                        let mut more = (2..).map(|k| format!("{own}_{k}"));
                        d.name = if taken(&own) { more.find(|n| !taken(n)).unwrap_or_default() } else { own }.into();
                    }
                    m.data.push(d);
                    Symbol::Data(DataId(m.data.len() as u32 - 1))
                });
                names.declare(name, symbol, errors);
            }
            Item::Func(f) => {
                let Some(FuncHead { name, .. }) = &f.head else { continue };
                let id = m.reserve(&full(m, name.text));
                names.declare(name, id.map(Symbol::Func), errors);
                funcs.extend(id.map(|id| (i, id)));
            }
            Item::Import(_) | Item::Error(_) => {}
        }
    }
    (names, funcs)
}

impl<'a> Names<'a> {
    /// The extents of data, of which those that are names are what its file has, as `found` says.
    fn shape(
        &mut self,
        ty: &super::super::ast::Type<'a>,
        found: impl FnOnce() -> tfc_ir::Result<Vec<usize>>,
    ) -> Fallible<Vec<Extent>> {
        let mut dims: Vec<Option<Extent>> = ty.dims.iter().map(exact).collect();
        if dims.iter().all(Option::is_some) {
            return Ok(dims.into_iter().flatten().collect());
        }
        let found = found().map_err(|e| Box::new(e.into_diagnostic(ty.span)))?;
        if found.len() != dims.len() {
            let text = format!("the file has shape {found:?}, which is another number of axes");
            return Err(Box::new(Diagnostic::error(Code::E0607, ty.span, text)));
        }
        for ((d, slot), n) in ty.dims.iter().zip(&mut dims).zip(found) {
            let DimKind::Var(name) = d.kind else { continue };
            let (known, first) = *self.extents.entry(name).or_insert((n, d.span));
            if known != n {
                let text = format!("the file has {n} here, but `{name}` is {known}");
                return Err(Box::new(
                    Diagnostic::error(Code::E0607, d.span, text).also(first, format!("{known} here")),
                ));
            }
            *slot = Some(Extent::from(n));
        }
        Ok(dims.into_iter().flatten().collect())
    }
    /// The extent of data that has that name.
    pub(super) fn extent(&self, name: &str) -> Option<usize> {
        self.extents.get(name).map(|e| e.0)
    }
    fn declare(&mut self, name: &Word<'a>, symbol: Option<Symbol>, errors: &mut Vec<Diagnostic>) {
        if let Some((_, first)) = self.symbols.get(name.text) {
            let d = Diagnostic::error(Code::E0306, name.span, format!("`@{}` is defined twice", name.text));
            return errors.push(d.also(*first, "first defined here").help("functions and data share one set of names"));
        }
        self.symbols.insert(Cow::Borrowed(name.text), (symbol, name.span));
    }
    /// The functions of another file, each with a word in front; `None` where that could not be found, which was reported.
    pub(super) fn import(
        &mut self,
        import: &Import<'a>,
        given: Option<&BTreeMap<&'a str, FuncId>>,
        errors: &mut Vec<Diagnostic>,
    ) {
        if let Some(first) = self.imports.insert(import.name.text, import.name.span) {
            let text = format!("two files are imported as `{}`", import.name.text);
            return errors
                .push(Diagnostic::error(Code::E0306, import.name.span, text).also(first, "the first is here"));
        }
        let Some(given) = given else {
            self.broken.insert(import.name.text);
            return;
        };
        for (name, id) in given {
            let name = format!("{}.{name}", import.name.text);
            self.symbols.insert(Cow::Owned(name), (Some(Symbol::Func(*id)), import.span));
        }
    }
    /// Another function under one of the names.
    pub(super) fn replace(&mut self, name: Cow<'a, str>, at: Span, by: Option<FuncId>) {
        self.symbols.insert(name, (by.map(Symbol::Func), at));
    }
    /// The function of that name.
    pub(super) fn function(&self, name: &str) -> Option<FuncId> {
        match self.symbols.get(name) {
            Some((Some(Symbol::Func(id)), _)) => Some(*id),
            _ => None,
        }
    }
    /// The function that a name means; `None` where it is broken.
    pub(super) fn lookup(&self, name: &Word) -> Fallible<Option<FuncId>> {
        match self.symbol(name, "function")? {
            Some(Symbol::Func(id)) => Ok(Some(id)),
            None => Ok(None),
            Some(Symbol::Data(_)) => {
                let d = Diagnostic::error(Code::E0302, name.span, format!("`@{}` is data, not a function", name.text));
                Err(Box::new(d))
            }
        }
    }
    fn symbol(&self, name: &Word, what: &str) -> Fallible<Option<Symbol>> {
        if let Some((s, _)) = self.symbols.get(name.text) {
            return Ok(*s);
        }
        if name.text.split_once('.').is_some_and(|(file, _)| self.broken.contains(file)) {
            return Ok(None);
        }
        let d = Diagnostic::error(Code::E0302, name.span, format!("`@{}` is not defined", name.text));
        Err(Box::new(match nearest(name.text, self.symbols.keys().map(|k| &**k)) {
            Some(near) => d.help(format!("did you mean `@{near}`?")),
            None => d.help(format!("no {what} of this file has that name")),
        }))
    }
}

impl<'m, 'a> Symbols<'m, 'a> {
    pub(super) fn new(
        module: &'m Module,
        names: &'m Names<'a>,
        text: &Text<'m, 'a>,
        unknown: &'m RefCell<HashSet<FuncId>>,
    ) -> Self {
        let imported = !text.part.path.is_empty();
        Symbols { module, names, lost: text.lost, minor: text.minor, imported, told_newer: Cell::new(false), unknown }
    }

    /// Values that the skipped stretch at `span` would have defined.
    pub(super) fn lost_values(&self, span: Span) -> Vec<&'a str> {
        let inside = self.lost.iter().filter(|l| span.start <= l.span.start && l.span.end <= span.end);
        inside.flat_map(|l| l.values.iter().copied()).collect()
    }

    /// The extent of data that has that name.
    pub(super) fn extent(&self, name: &str) -> Option<usize> {
        self.names.extent(name)
    }
    fn symbol(&self, name: &Word, what: &str) -> Fallible<Option<Symbol>> {
        self.names.symbol(name, what)
    }

    /// The name in the module of a function of the file.
    pub(super) fn full_name(&self, name: &str) -> Arc<str> {
        match self.names.symbols.get(name) {
            Some((Some(Symbol::Func(id)), _)) if self.imported => self.module.func_name(*id),
            _ => name.into(),
        }
    }

    /// The function of that name; `None` where its definition is broken.
    pub(super) fn function(&self, name: &Word) -> Fallible<Option<FuncId>> {
        match self.symbol(name, "function")? {
            Some(Symbol::Data(_)) => {
                let d = Diagnostic::error(Code::E0302, name.span, format!("`@{}` is data, not a function", name.text));
                Err(Box::new(d))
            }
            Some(Symbol::Func(f)) if !self.unknown.borrow().contains(&f) => Ok(Some(f)),
            _ => Ok(None),
        }
    }

    /// The data item of that name; `None` where its declaration is broken.
    pub(super) fn data(&self, name: &Word) -> Fallible<Option<DataId>> {
        match self.symbol(name, "data item")? {
            Some(Symbol::Func(_)) => {
                let d = Diagnostic::error(Code::E0302, name.span, format!("`@{}` is a function, not data", name.text));
                Err(Box::new(d))
            }
            Some(Symbol::Data(d)) => Ok(Some(d)),
            None => Ok(None),
        }
    }

    /// Index of a location in the table.
    pub(super) fn loc(&self, w: &Word) -> Fallible<u32> {
        let found = w.text.parse().ok().and_then(|n: u64| self.names.locs.get(&n));
        found.map(|l| l.0).ok_or_else(|| {
            let d = Diagnostic::error(Code::E0311, w.span, format!("location `#{}` is not declared", w.text));
            Box::new(d.help(format!("add `loc #{} = file(\"…\", line, column)`", w.text)))
        })
    }

    /// The `with (…)` of a function; `None` where something was reported.
    pub(super) fn with_attrs(&self, args: &[Arg<'a>], errors: &mut Vec<Diagnostic>) -> Option<Attrs> {
        let before = errors.len();
        let mut out: Vec<(&'static str, tfc_ir::Attr)> = vec![];
        for arg in args {
            let Arg::Key(key, value) = arg else {
                errors.push(Diagnostic::error(Code::E0229, arg.span(), "`with` takes `name = value` only"));
                continue;
            };
            let Some(name) = ["inline", "jvp", "vjp", "batch", "batch_out"].into_iter().find(|n| *n == key.text) else {
                let d = Diagnostic::error(Code::E0220, key.span, format!("functions have no attribute `{}`", key.text));
                errors.push(d.help("they have inline, jvp, vjp, batch, batch_out"));
                continue;
            };
            if out.iter().any(|a| a.0 == name) {
                errors.push(Diagnostic::error(Code::E0221, key.span, format!("attribute `{name}` is given twice")));
                continue;
            }
            match self.with_attr(name, value) {
                Ok(a) => out.extend(a.map(|a| (name, a))),
                Err(d) => errors.push(*d),
            }
        }
        (errors.len() == before).then(|| Attrs::of(out))
    }

    fn with_attr(&self, name: &str, a: &Attr<'a>) -> Fallible<Option<tfc_ir::Attr>> {
        let symbol = |a: &Attr<'a>| match &a.kind {
            AttrKind::Sym(w, dims) if dims.is_empty() => {
                Ok(self.function(w)?.map(|f| tfc_ir::Attr::Sym(SymRef::from(f))))
            }
            _ => Err(Box::new(Diagnostic::error(Code::E0223, a.span, "a rule is a function: `@name`"))),
        };
        match (name, &a.kind) {
            (_, AttrKind::Error) => Ok(None),
            ("inline", AttrKind::Case(w @ ("never" | "always" | "apart"))) => Ok(Some(tfc_ir::Attr::word(w))),
            ("inline", _) => {
                Err(Box::new(Diagnostic::error(Code::E0223, a.span, "`inline` is one of never, always, apart")))
            }
            ("batch" | "batch_out", AttrKind::List(v)) => {
                let list = v.iter().map(|a| axis(name, a)).collect::<Fallible<Vec<_>>>()?;
                Ok(Some(tfc_ir::Attr::List(list.into())))
            }
            ("batch" | "batch_out", _) => Err(no_axes(name, a)),
            ("jvp", _) => symbol(a),
            (_, AttrKind::List(v)) if v.len() == 2 => {
                let list = v.iter().map(symbol).collect::<Fallible<Option<Vec<_>>>>()?;
                Ok(list.map(|l| tfc_ir::Attr::List(l.into())))
            }
            _ => Err(Box::new(Diagnostic::error(Code::E0223, a.span, "`vjp` is a pair of functions: `[@fwd, @bwd]`"))),
        }
    }
}

/// An axis, or `none`, of a list of them.
fn axis(name: &str, a: &Attr) -> Fallible<tfc_ir::Attr> {
    match &a.kind {
        AttrKind::Case("none") => Some(tfc_ir::Attr::word("none")),
        AttrKind::Num(n) => super::literal::integer(n).ok().filter(|i| *i >= 0).map(tfc_ir::Attr::Int),
        _ => None,
    }
    .ok_or_else(|| no_axes(name, a))
}
fn no_axes(name: &str, a: &Attr) -> Box<Diagnostic> {
    let text = format!("`{name}` is a list of axes, `none` where there is none: `[0, none]`");
    Box::new(Diagnostic::error(Code::E0223, a.span, text))
}

fn metadata(args: &[Arg], errors: &mut Vec<Diagnostic>) -> Vec<(Arc<str>, Arc<str>)> {
    let mut out: Vec<(Arc<str>, Arc<str>)> = vec![];
    for arg in args {
        match arg {
            Arg::Key(k, Attr { kind: AttrKind::Str(s), .. }) => {
                if out.iter().any(|m| &*m.0 == k.text) {
                    errors.push(Diagnostic::error(Code::E0221, k.span, format!("`{}` is given twice", k.text)));
                }
                out.push((k.text.into(), unescape(s).into()));
            }
            Arg::Key(_, Attr { kind: AttrKind::Error, .. }) => {}
            _ => {
                let d = Diagnostic::error(Code::E0223, arg.span(), "module metadata is text");
                errors.push(d.help("write `key = \"value\"`"));
            }
        }
    }
    out
}

/// `None` where something was reported.
fn mesh(span: Span, name: &Word, args: &[Arg], errors: &mut Vec<Diagnostic>) -> Option<Mesh> {
    let before = errors.len();
    let help = "axes have different names and at least one device each: `mesh @m(data = 2, model = 2)`";
    let mut mesh = Mesh { name: name.text.into(), axes: vec![], span };
    for arg in args {
        let size = match arg {
            Arg::Key(_, Attr { kind: AttrKind::Error, .. }) => continue,
            Arg::Key(_, Attr { kind: AttrKind::Num(n), .. }) => {
                super::literal::integer(n).ok().and_then(|k| usize::try_from(k).ok()).filter(|&k| k > 0)
            }
            _ => None,
        };
        match (arg, size) {
            (Arg::Key(k, _), Some(_)) if k.text == "_" || mesh.along(k.text).is_some() => {
                let why = if k.text == "_" { "names no axis" } else { "is an axis already" };
                errors.push(Diagnostic::error(Code::E0117, k.span, format!("`{}` {why}", k.text)).help(help));
            }
            (Arg::Key(k, _), Some(size)) => mesh.axes.push((k.text.into(), size)),
            _ => errors.push(Diagnostic::error(Code::E0117, arg.span(), "this is no axis of a mesh").help(help)),
        }
    }
    if mesh.axes.is_empty() && errors.len() == before {
        errors.push(Diagnostic::error(Code::E0117, span, "a mesh has at least one axis").help(help));
    }
    if mesh.devices().is_none() {
        let d = Diagnostic::error(Code::E0117, span, "the mesh has more devices than can be counted");
        errors.push(d.help("the number of devices is the product of the axes"));
    }
    (errors.len() == before).then_some(mesh)
}

fn location<'a>(
    src: &str,
    names: &mut Names<'a>,
    m: &mut Module,
    id: &Word<'a>,
    kind: &Word<'a>,
    args: &[Arg<'a>],
    errors: &mut Vec<Diagnostic>,
) {
    let Ok(number) = id.text.parse::<u64>() else {
        return errors.push(Diagnostic::error(Code::E0011, id.span, "integer does not fit into 64 bits"));
    };
    if let Some((_, first)) = names.locs.get(&number) {
        let d = Diagnostic::error(Code::E0312, id.span, format!("location `#{}` is declared twice", id.text));
        return errors.push(d.also(*first, "first declared here"));
    }
    let mut texts = vec![];
    for arg in args {
        match arg {
            Arg::Pos(Attr { kind: AttrKind::Str(_) | AttrKind::Num(_), span }) => {
                texts.push(src.get(span.start as usize..span.end as usize).unwrap_or_default().into());
            }
            Arg::Pos(Attr { kind: AttrKind::Error, .. }) => {}
            _ => errors.push(
                Diagnostic::error(Code::E0223, arg.span(), "locations hold text and numbers")
                    .help("write `loc #0 = file(\"train.rs\", 41, 13)`"),
            ),
        }
    }
    // Numbers are those of the table from here on: `#5` alone becomes `#0`.
    let index = m.locs.len() as u32;
    m.locs.push(LocDecl { kind: kind.text.into(), args: texts });
    names.locs.insert(number, (index, id.span));
}

fn data(
    span: Span,
    name: &Word,
    ty: &super::super::ast::Type,
    kind: &Word,
    args: &[Arg],
    errors: &mut Vec<Diagnostic>,
) -> Option<DataDecl> {
    let before = errors.len();
    let Some((format, keyed)) = FORMATS.into_iter().find(|f| f.0 == kind.text) else {
        let d = Diagnostic::error(Code::E0223, kind.span, format!("unknown data format `{}`", kind.text));
        errors.push(d.help("data formats are npy, npz, safetensors and csv"));
        return None;
    };
    for d in ty.dims.iter().filter(|d| exact(d).is_none() && !matches!(d.kind, DimKind::Var(_))) {
        let d = Diagnostic::error(Code::E0410, d.span, "extents of data are numbers, or names");
        errors
            .push(d.help("write the shape that the file has, and a name for an extent that it is to say: `f64[n, 3]`"));
    }
    let Some(dtype) = DType::from_name(ty.dtype.text) else {
        errors.push(super::extent::reserved(&ty.dtype));
        return None;
    };
    let mut decl = DataDecl {
        name: name.text.into(),
        ty: Type::scalar(dtype),
        format: format.into(),
        path: "".into(),
        key: None,
        sha256: None,
        convert: false,
        span,
        value: None,
    };
    let mut seen = HashSet::new();
    for (i, arg) in args.iter().enumerate() {
        match arg {
            Arg::Pos(Attr { kind: AttrKind::Str(s), .. }) if i == 0 => decl.path = unescape(s).into(),
            Arg::Pos(Attr { kind: AttrKind::Error, .. }) | Arg::Key(_, Attr { kind: AttrKind::Error, .. }) => {}
            Arg::Key(k, _) if !seen.insert(k.text) => {
                errors.push(Diagnostic::error(Code::E0221, k.span, format!("`{}` is given twice", k.text)));
            }
            Arg::Key(Word { text: "key", .. }, Attr { kind: AttrKind::Str(s), .. }) if keyed => {
                decl.key = Some(unescape(s).into());
            }
            Arg::Key(Word { text: "sha256", .. }, Attr { kind: AttrKind::Str(s), .. }) => {
                decl.sha256 = Some(unescape(s).into());
            }
            Arg::Key(Word { text: "convert", .. }, Attr { kind: AttrKind::Bool(b), .. }) => decl.convert = *b,
            Arg::Key(k, a) if ["key", "sha256", "convert"].contains(&k.text) && (keyed || k.text != "key") => {
                let what = if k.text == "convert" { "`true` or `false`" } else { "text in quotes" };
                errors.push(Diagnostic::error(Code::E0223, a.span, format!("`{}` is {what}", k.text)));
            }
            Arg::Key(k, _) => {
                let d = Diagnostic::error(Code::E0220, k.span, format!("`{format}` has no attribute `{}`", k.text));
                errors.push(d.help(if keyed { "it has key, sha256, convert" } else { "it has sha256, convert" }));
            }
            _ => errors.push(Diagnostic::error(
                Code::E0229,
                arg.span(),
                format!("`{format}` takes no such argument here"),
            )),
        }
    }
    let has_path = matches!(args.first(), Some(Arg::Pos(_)));
    if !has_path || (keyed && decl.key.is_none() && errors.len() == before) {
        let missing = if has_path { "key" } else { "path" };
        let d = Diagnostic::error(Code::E0222, kind.span, format!("`{format}` needs `{missing}`"));
        errors.push(d.help(format!("write `{format}(\"file\"{})`", if keyed { ", key = \"name\"" } else { "" })));
    }
    (errors.len() == before).then_some(decl)
}

fn exact(d: &super::super::ast::Dim) -> Option<Extent> {
    match d.kind {
        super::super::ast::DimKind::Int(text) => text.parse().ok().map(Extent::exact),
        _ => None,
    }
}
