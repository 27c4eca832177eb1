//! Answers to an editor's requests about a document.
use super::document::{Document, path_of, uri_of};
use super::names::{FuncText, Names};
use super::text::Text;
use super::{Refused, Server, bounds};
use crate::args::Mode;
use crate::cmd::{grad, made, ops};
use crate::entry::pick;
use serde_json::{Value, json};
use std::path::Path;
use tfc_frontend::text::{LIBRARY, TokenKind};
use tfc_ir::{DType, Func, Span, words};

/// The command behind the lens over a function: its gradient, as text.
pub(super) const GRADIENT: &str = "tfc.gradient";

/// Words of the language, for completion.
const KEYWORDS: &[&str] =
    &["tfir", "module", "data", "func", "export", "import", "where", "with", "return", "yield", "mesh"];

type Answer = Result<Value, Refused>;

impl Server<'_> {
    /// The answer to a request; `None` where there is no such request.
    pub(super) fn answer(&self, method: &str, params: &Value) -> Option<Answer> {
        if method == "workspace/executeCommand" {
            return Some(self.execute(params));
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let known = [
            "hover",
            "definition",
            "references",
            "documentHighlight",
            "documentSymbol",
            "prepareRename",
            "rename",
            "formatting",
            "completion",
            "inlayHint",
            "codeLens",
        ];
        let what = method.strip_prefix("textDocument/").filter(|m| known.contains(m))?;
        let Some(d) = self.documents.get(uri) else { return Some(Ok(Value::Null)) };
        let at = d.text.byte(&params["position"]);
        let word = d.names.at(at);
        Some(match (what, word) {
            ("documentSymbol", _) => Ok(symbols(d)),
            ("formatting", _) => Ok(formatted(d)),
            ("inlayHint", _) => Ok(inlays(d, &params["range"])),
            ("codeLens", _) => Ok(lenses(d, uri)),
            ("completion", _) => Ok(self.completions(d, at)),
            ("rename", Some(i)) => rename(d, i, params["newName"].as_str().unwrap_or_default(), uri),
            ("hover", Some(i)) => Ok(self.hover(d, i)),
            ("definition", Some(i)) => Ok(self.definition(d, i, uri)),
            ("references", Some(i)) => {
                let places = uses(d, i).into_iter().filter_map(|w| d.names.words.get(w));
                Ok(places.map(|w| json!({ "uri": uri, "range": d.text.range(w.span) })).collect())
            }
            ("documentHighlight", Some(i)) => {
                let places = uses(d, i).into_iter().filter_map(|w| d.names.words.get(w));
                Ok(places.map(|w| json!({ "range": d.text.range(w.span) })).collect())
            }
            ("prepareRename", Some(i)) => renamed(d, i).map(|w| d.text.range(d.names.words[w].span)),
            _ => Ok(Value::Null),
        })
    }

    fn hover(&self, d: &Document, i: usize) -> Value {
        let word = d.names.words[i];
        let text = d.text.slice(word.span);
        let shown = match word.kind {
            TokenKind::Value => value_page(d, i),
            TokenKind::Symbol => self.header(d, text).map(|h| fenced(&h)),
            TokenKind::Name => match self.session.ops.get(text) {
                Some(def) => Some(ops::page(self.session, def)),
                None => extent_page(d, i, text),
            },
            _ => None,
        };
        match shown {
            Some(markdown) => json!({
                "contents": { "kind": "markdown", "value": markdown },
                "range": d.text.range(word.span),
            }),
            None => Value::Null,
        }
    }

    /// The text of the file that declares a symbol, where it lies unless it is of the library, and the symbol's name there.
    fn elsewhere(&self, d: &Document, symbol: &str) -> Option<(Text, Option<String>, String)> {
        let (alias, name) = symbol.trim_start_matches('@').split_once('.')?;
        let imports = d.names.imports(&d.text);
        let (_, word) = imports.iter().find(|i| i.0 == alias)?;
        let import = d.text.slice(d.names.words.get(*word)?.span).trim_matches('"');
        let text = Text::new(d.beside(import, &self.documents).ok()?);
        let library = LIBRARY.iter().any(|f| f.0 == import);
        let path = d.path.parent().unwrap_or(Path::new("")).join(import);
        Some((text, (!library).then(|| uri_of(&path)), format!("@{name}")))
    }
    fn header(&self, d: &Document, symbol: &str) -> Option<String> {
        let of = |text: &Text, names: &Names, symbol: &str| {
            let f =
                names.funcs.iter().find(|f| names.words.get(f.name).is_some_and(|w| text.slice(w.span) == symbol))?;
            Some(names.header(text, f).to_owned())
        };
        of(&d.text, &d.names, symbol).or_else(|| {
            let (text, _, name) = self.elsewhere(d, symbol)?;
            of(&text, &Names::of(&text), &name)
        })
    }

    fn definition(&self, d: &Document, i: usize, uri: &str) -> Value {
        let word = d.names.words[i];
        let name = d.text.slice(word.span);
        let here = match word.kind {
            TokenKind::Value => d.names.definition(i),
            TokenKind::Symbol => d.names.declaration(&d.text, name),
            _ => None,
        };
        if let Some(w) = here.and_then(|w| d.names.words.get(w)) {
            return json!({ "uri": uri, "range": d.text.range(w.span) });
        }
        let found = || {
            let (text, uri, name) = self.elsewhere(d, name)?;
            let names = Names::of(&text);
            let w = names.words.get(names.declaration(&text, &name)?)?;
            Some(json!({ "uri": uri?, "range": text.range(w.span) }))
        };
        found().unwrap_or(Value::Null)
    }

    fn completions(&self, d: &Document, at: usize) -> Value {
        let before = d.text.all.get(..at).unwrap_or_default();
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let mut start = before.trim_end_matches(part).len();
        let sigil = before.get(..start).and_then(|b| b.chars().next_back()).filter(|c| matches!(c, '%' | '@'));
        start -= sigil.map_or(0, char::len_utf8);
        let range = d.text.range(Span::new(start, at));
        let mut items = vec![];
        let mut offer = |label: &str, kind: u32, text: &str, detail: String| {
            let edit = json!({ "range": range, "newText": text });
            items
                .push(json!({ "label": label, "kind": kind, "detail": detail, "filterText": label, "textEdit": edit }));
        };
        match sigil {
            Some('%') => {
                let seen = Text::new(before.get(..start).unwrap_or_default().to_owned());
                let names = Names::of(&seen);
                for &w in &names.seen {
                    let name = seen.slice(names.words[w].span);
                    // It is the same word of the whole text: nothing before it differs.
                    let ty = d.value(w).map(|(f, v)| f.ty(v).display(&*f).to_string()).unwrap_or_default();
                    offer(name, 6, name, ty);
                }
            }
            Some(_) => {
                for f in &d.names.funcs {
                    let name = d.names.words.get(f.name).map_or("", |w| d.text.slice(w.span));
                    offer(name, 3, name, d.names.header(&d.text, f).to_owned());
                }
                for (alias, _) in d.names.imports(&d.text) {
                    let Some((text, ..)) = self.elsewhere(d, &format!("@{alias}.")) else { continue };
                    let names = Names::of(&text);
                    for f in &names.funcs {
                        let name = names.words.get(f.name).map_or("", |w| text.slice(w.span));
                        let full = format!("@{alias}.{}", name.trim_start_matches('@'));
                        offer(&full, 3, &full, names.header(&text, f).to_owned());
                    }
                }
            }
            None => {
                self.session.ops.iter().for_each(|o| offer(o.name, 3, o.name, o.doc.to_owned()));
                for word in words::words() {
                    let Some(op) = words::foreign(word).and_then(|f| f.ops.first().copied()) else { continue };
                    if self.session.ops.get(word).is_none() {
                        offer(word, 3, op, format!("`{op}` here"));
                    }
                }
                KEYWORDS.iter().for_each(|k| offer(k, 14, k, String::new()));
                DType::ALL.iter().for_each(|t| offer(&t.to_string(), 25, &t.to_string(), String::new()));
            }
        }
        Value::Array(items)
    }

    fn execute(&self, params: &Value) -> Answer {
        let command = params["command"].as_str().unwrap_or_default();
        let argument = |i: usize| params["arguments"][i].as_str().unwrap_or_default();
        if command != GRADIENT {
            return Err(Refused(format!("there is no command `{command}`")));
        }
        let uri = argument(0);
        let known = self.documents.get(uri).and_then(|d| d.program.as_ref());
        let program =
            known.ok_or_else(|| Refused(format!("`{}` is not open, or not right", path_of(uri).display())))?;
        gradient(program, argument(1)).map(Value::String).map_err(|e| Refused(e.to_string()))
    }
}

/// The gradient of a function as people write it.
fn gradient(program: &crate::program::Program, name: &str) -> tfc_ir::Result<String> {
    let mut made = program.fork();
    let f = pick(&made.module, Some(name.trim_start_matches('@')))?;
    let func = made.module.func(f)?;
    let wrt = grad::wrt_positions(&made.module, &func, &[])?;
    let root = grad::derivative(&made.module, f, Mode::Grad, &wrt)?;
    made::written_out(&mut made.module, &[root], &mut |_| {}).map_err(|e| e.error)?;
    Ok(made.text(true))
}

fn fenced(text: &str) -> String {
    format!("```tfir\n{text}\n```")
}
/// The type of a value, what makes it, and between which numbers its extents lie.
fn value_page(d: &Document, i: usize) -> Option<String> {
    let (f, v) = d.value(i)?;
    let name = &f.value(v).name;
    let mut out = fenced(&format!("%{name}: {}", f.ty(v).display(&*f)));
    let what = match f.value(v).def {
        tfc_ir::Def::Param(_) if f.params().contains(&v) => format!("a parameter of `@{}`", f.name),
        tfc_ir::Def::Param(_) => "a parameter of a region".to_owned(),
        tfc_ir::Def::Result(o, _) => format!("a result of `{}`", f.op(o).def.name),
    };
    out.push_str(&format!("\n\n{what}"));
    let mut all: Vec<String> = vec![];
    for e in f.ty(v).dims.iter() {
        all.extend(bounds::of(&f, e));
    }
    all.dedup();
    if !all.is_empty() {
        out.push_str(&format!("\n\n`{}`", all.join("`, `")));
    }
    Some(out)
}
/// What is known of an extent of the function around a word.
fn extent_page(d: &Document, i: usize, name: &str) -> Option<String> {
    let func = d.names.func_of(i)?;
    let f = d.func(d.text.slice(d.names.words.get(func.name)?.span))?;
    let s = f.syms.iter().position(|s| *s.name == *name)?;
    let e = tfc_ir::Extent::sym(tfc_ir::SymId(s as u32));
    let known = bounds::of(&f, &e).pop().unwrap_or_else(|| format!("0 <= {name}"));
    Some(format!("an extent of `@{}`\n\n`{known}`", f.name))
}

/// The words that name the same as word `i`.
fn uses(d: &Document, i: usize) -> Vec<usize> {
    match d.names.words[i].kind {
        TokenKind::Value => d.names.same_value(i),
        TokenKind::Symbol => d.names.same_symbol(&d.text, d.text.slice(d.names.words[i].span)),
        _ => vec![],
    }
}
/// The word itself, where what it names can have another name.
fn renamed(d: &Document, i: usize) -> Result<usize, Refused> {
    let text = d.text.slice(d.names.words[i].span);
    match d.names.words[i].kind {
        TokenKind::Value if d.names.definition(i).is_some() => Ok(i),
        TokenKind::Symbol if d.names.declaration(&d.text, text).is_some() => Ok(i),
        TokenKind::Symbol if text.contains('.') => Err(Refused(format!("`{text}` is declared in another file"))),
        _ => Err(Refused(format!("`{text}` is no name of a value, a function or data of this file"))),
    }
}
fn rename(d: &Document, i: usize, name: &str, uri: &str) -> Answer {
    let i = renamed(d, i)?;
    let value = d.names.words[i].kind == TokenKind::Value;
    let sigil = if value { '%' } else { '@' };
    let name = name.trim_start_matches(sigil);
    let new = format!("{sigil}{name}");
    let word = tfc_frontend::text::tokens(&new);
    let whole = matches!(word.as_slice(), [t] if t.kind == d.names.words[i].kind && t.span.end as usize == new.len());
    if !whole {
        return Err(Refused(format!("`{name}` is no name: letters, digits, `_` and `.`")));
    }
    let is = |w: &tfc_frontend::text::Token| d.text.slice(w.span) == new;
    let taken = match d.names.func_of(i).filter(|_| value) {
        Some(f) => d.names.words.get(f.start..f.end).unwrap_or_default().iter().any(is),
        None => d.names.words.iter().any(is),
    };
    if taken && d.text.slice(d.names.words[i].span) != new {
        return Err(Refused(format!("`{new}` stands for something else there")));
    }
    let places = uses(d, i).into_iter().filter_map(|w| d.names.words.get(w));
    let edits: Vec<Value> = places.map(|w| json!({ "range": d.text.range(w.span), "newText": new })).collect();
    Ok(json!({ "changes": { uri: edits } }))
}

fn formatted(d: &Document) -> Value {
    match tfc_frontend::text::fmt(&d.text.all) {
        Ok(text) if text != d.text.all => json!([{ "range": d.text.whole(), "newText": text }]),
        // What is wrong with it is shown already.
        _ => json!([]),
    }
}
/// The function as the editor's outline has it.
fn symbols(d: &Document) -> Value {
    let one = |f: &FuncText| {
        let span = |w: usize| d.names.words.get(w).map(|w| w.span);
        let (name, start, end) = (span(f.name)?, span(f.start)?, span(f.end.checked_sub(1)?)?);
        Some(json!({
            "name": d.text.slice(name), "kind": 12,
            "range": d.text.range(start.to(end)), "selectionRange": d.text.range(name),
        }))
    };
    d.names.funcs.iter().filter_map(one).collect()
}
/// Types of values that are written without, of the lines that are shown.
fn inlays(d: &Document, range: &Value) -> Value {
    if !d.current {
        return json!([]);
    }
    let written = |i: usize| d.names.words.get(i + 1).is_some_and(|w| d.text.slice(w.span) == ":");
    let one = |i: usize| {
        let (f, v) = d.value(i)?;
        let end = d.text.range(d.names.words.get(i)?.span)["end"].clone();
        Some(json!({ "position": end, "label": format!(": {}", f.ty(v).display(&*f)), "kind": 1 }))
    };
    let shown = match range {
        Value::Null => 0..d.text.all.len(),
        r => d.text.byte(&r["start"])..d.text.byte(&r["end"]),
    };
    let inside = |i: &usize| d.names.words.get(*i).is_some_and(|w| shown.contains(&(w.span.start as usize)));
    let words = (0..d.names.words.len()).filter(inside);
    words.filter(|&i| d.names.defines(i) && !written(i)).filter_map(one).collect()
}
/// Over each function that has a gradient, the way to it.
fn lenses(d: &Document, uri: &str) -> Value {
    let has = |f: &Func| {
        let inexact = f.params().iter().any(|&p| f.ty(p).dtype.is_inexact());
        inexact && matches!(f.result_types.as_slice(), [t] if t.is_scalar() && t.dtype.is_inexact())
    };
    let one = |f: &FuncText| {
        let name = d.names.words.get(f.name)?.span;
        let func = d.func(d.text.slice(name))?;
        let command = json!({ "title": "gradient", "command": GRADIENT, "arguments": [uri, d.text.slice(name)] });
        has(&func).then(|| json!({ "range": d.text.range(name), "command": command }))
    };
    d.names.funcs.iter().filter_map(one).collect()
}
