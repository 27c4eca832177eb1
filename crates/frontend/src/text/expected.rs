//! Wording of syntax errors: what the grammar expected, in words a person would use.
use super::lexer::Spanned;
use super::token::Tok;
use tfc_ir::words::{dtype, foreign};
use tfc_ir::{Code, Diagnostic, Span};

/// "expected …, found …" at token `at`. A statement that stops short is underlined where it stops, not at the innocent
/// line after it.
pub(crate) fn unexpected(src: &str, toks: &[Spanned], at: usize, expected: &[String]) -> Diagnostic {
    let previous = at.checked_sub(1).and_then(|p| toks.get(p)).copied();
    let found = toks.get(at).copied();
    let what = describe(expected);
    let gap = previous.map_or(0, |p| p.span.end as usize)..found.map_or(src.len(), |f| f.span.start as usize);
    let next_line = found.is_none() || src.as_bytes().get(gap).is_some_and(|g| g.contains(&b'\n'));
    if !next_line || previous.is_none() {
        return here(toks, at, expected);
    }
    let end = previous.map_or(0, |p| p.span.end as usize);
    let what_ended = if found.is_some() { "line" } else { "file" };
    let message = format!("expected {what}, found the end of the {what_ended}");
    let d = Diagnostic::error(Code::E0103, Span::new(end, end), message).label(format!("expected {what}"));
    match advice(toks, at, expected) {
        Some(help) => d.help(help),
        None => d,
    }
}

/// The same, always at the token itself.
pub(crate) fn here(toks: &[Spanned], at: usize, expected: &[String]) -> Diagnostic {
    let Some(found) = toks.get(at) else {
        return Diagnostic::error(Code::E0103, Span::default(), "unexpected end of file");
    };
    let message = format!("expected {}, found {}", describe(expected), found.tok.describe());
    let d = Diagnostic::error(Code::E0103, found.span, message);
    match advice(toks, at, expected) {
        Some(help) => d.help(help),
        None => d,
    }
}

/// Something between items that begins none.
pub(crate) fn at_item(toks: &[Spanned], at: usize) -> Diagnostic {
    let (tok, span) = toks.get(at).map_or((Tok::Bad, Span::default()), |t| (t.tok, t.span));
    match tok {
        Tok::RBrace => Diagnostic::error(Code::E0103, span, "unmatched `}`").label("closes nothing"),
        Tok::Tfir => Diagnostic::error(Code::E0103, span, "second `tfir` header").help("remove it"),
        Tok::Value(_) | Tok::Return | Tok::Yield => {
            Diagnostic::error(Code::E0103, span, "statement outside a function")
                .help("statements stand between `{` and `}`")
        }
        t => Diagnostic::error(Code::E0103, span, format!("expected an item, found {}", t.describe()))
            .help("items begin with `func`, `export`, `import`, `data`, `loc`, `mesh` or `module`"),
    }
}

fn describe(expected: &[String]) -> String {
    let mut names: Vec<String> = expected.iter().filter_map(|e| term(e)).collect();
    names.sort();
    names.dedup();
    // A sharding may follow every type, and brackets every value; nobody forgets them there.
    if names.len() > 1 {
        names.retain(|n| !matches!(n.as_str(), "`@`" | "`[`"));
    }
    // Inside an extent the operators are always possible and never what was forgotten.
    if ["`+`", "`*`", "`-`"].iter().all(|o| names.iter().any(|n| n == o)) {
        names.retain(|n| !matches!(n.as_str(), "`+`" | "`*`" | "`-`" | "`(`"));
    }
    let has = |n: &str| expected.iter().any(|e| e.trim_matches('"') == n);
    if has("shape") && has("SYM") {
        return if has(")") { "an argument or `)`".into() } else { "an attribute value".into() };
    }
    if has("EXIST") && has("INT") {
        return if has("]") { "an extent or `]`".into() } else { "an extent".into() };
    }
    if has("return") && has("STR") && has("VALUE") {
        return "a statement".into();
    }
    if has("IDENT") && has("STR") && has("VALUE") && has("INT") {
        return "an op".into();
    }
    if has("tfir") && has("IDENT") {
        return if has("DTYPE") { "a result".into() } else { "a name".into() };
    }
    match names.as_slice() {
        [] => "something else".into(),
        [one] => one.clone(),
        [init @ .., last] if names.len() <= 6 => format!("{} or {last}", init.join(", ")),
        [first, second, third, ..] => format!("{first}, {second}, {third} or the like"),
        [first, ..] => first.clone(),
    }
}

/// A terminal of the grammar in words; `None` for the markers of recovery.
fn term(name: &str) -> Option<String> {
    Some(match name {
        "BAD" | "SKIPPED_STMT" | "SKIPPED_HEADER" | "SKIPPED_ITEM" => return None,
        "DTYPE" => "a type".into(),
        "IDENT" => "a name".into(),
        "VALUE" => "a value `%…`".into(),
        "SYM" => "a symbol `@…`".into(),
        "EXIST" => "an extent `?…`".into(),
        "LOC" => "a location `#…`".into(),
        "INT" => "an integer".into(),
        "HEX" | "FLOAT" => "a number".into(),
        "STR" => "a string".into(),
        quoted => format!("`{}`", quoted.trim_matches('"')),
    })
}

/// What somebody means who writes token `at` there.
fn advice(toks: &[Spanned], at: usize, expected: &[String]) -> Option<String> {
    let has = |n: &str| expected.iter().any(|e| e.trim_matches('"') == n);
    let tok = |back: usize| at.checked_sub(back).and_then(|i| toks.get(i)).map(|t| t.tok);
    let (previous, found) = (tok(1), tok(0));
    let opens = expected == [r#""(""#];
    // Statements of other languages: the word that begins them is the last one in front of its bracket.
    if let Some(help) = foreign_statement(toks, at) {
        return Some(help);
    }
    match (previous, found) {
        (Some(Tok::Dtype(d)), _) if has("[") => Some(format!("types have extents: a scalar is `{d}[]`")),
        (_, Some(Tok::Ident(word))) if has("DTYPE") && dtype(word).is_some() => {
            Some(format!("`{word}` is `{}` here", dtype(word).unwrap_or_default()))
        }
        (_, Some(Tok::Lt | Tok::Gt)) if has("<=") => Some("compare extents by `<=`, `>=` or `==`".into()),
        (_, Some(Tok::Eq)) if has("==") => Some("equality is written `==`".into()),
        _ if has("->") => Some("a function names its results: `-> f64[]`, or `-> ()` for none".into()),
        (Some(Tok::Ident(name)), Some(Tok::Eq)) if opens => Some(match (tok(2), tok(3)) {
            (Some(Tok::LBrace), Some(Tok::RParen)) => {
                format!("attributes stand behind the operands, in the same brackets: `…, {name} = …)`")
            }
            _ => format!("a value is written `%{name}`"),
        }),
        (Some(Tok::Ident(word)), Some(Tok::Value(v))) if opens && dtype(word).is_some() => {
            Some(format!("a type follows its name: `%{v}: {}[] = …`", dtype(word).unwrap_or_default()))
        }
        (Some(Tok::Ident("lambda")), _) => {
            Some("functions have names: `func @f(%x: f64[]) -> f64[] { … }`, and `@f` stands for one".into())
        }
        (Some(Tok::Ident(op)), _) if opens => Some(match foreign(op) {
            Some(known) => known.text(op),
            None => format!("operands stand in parentheses: `{op}(%x)`"),
        }),
        (Some(Tok::Value(v)), Some(Tok::LParen)) => Some(match v.split_once('.') {
            Some((of, method)) => match foreign(method).and_then(|f| f.ops.first().copied()) {
                Some(op) => format!("values have no methods: `{op}(%{of})`"),
                None => format!("values have no methods: `{method}(%{of})`"),
            },
            None => "functions are called by `call(@f, %x)`".into(),
        }),
        (_, Some(Tok::Sym(f))) if has("IDENT") && !has("SYM") => {
            Some(format!("functions are called by `call(@{f}, %x)`"))
        }
        (Some(Tok::Value(_)), Some(Tok::Colon)) if has("}") => {
            Some("types stand where values are defined, and results have theirs in the header".into())
        }
        (Some(Tok::Int(_) | Tok::Float(_)), Some(Tok::Value(v))) => Some(format!("products are ops: `mul(2, %{v})`")),
        (_, Some(Tok::Star)) if toks.get(at + 1).is_some_and(|t| t.tok == Tok::Star) => {
            Some("powers are ops: `pow(%x, 2)`".into())
        }
        (_, Some(t @ (Tok::Plus | Tok::Minus | Tok::Star | Tok::Lt | Tok::Gt | Tok::Le | Tok::Ge | Tok::EqEq)))
            if !has("INT") && !has("<=") && !has("+") =>
        {
            let ops = [
                ("+", "add"),
                ("-", "sub"),
                ("*", "mul"),
                ("<", "lt"),
                (">", "gt"),
                ("<=", "le"),
                (">=", "ge"),
                ("==", "eq"),
            ];
            let op = ops.iter().find(|o| Some(o.0) == t.fixed())?.1;
            Some(format!("ops are called by name: `{op}(%x, %y)`"))
        }
        (_, Some(t)) if has("IDENT") && t.fixed().is_some_and(|s| s.starts_with(|c: char| c.is_ascii_alphabetic())) => {
            Some(format!("`{}` is a keyword; choose another name", t.fixed().unwrap_or_default()))
        }
        (_, Some(Tok::Ident(n))) if has("VALUE") => Some(format!("a value is written `%{n}`")),
        (_, Some(Tok::Ident(n))) if has("SYM") => Some(format!("a function or data item is written `@{n}`")),
        _ => None,
    }
}
/// What is written in place of `if (…)` and `for (…)`, within whose brackets token `at` is.
fn foreign_statement(toks: &[Spanned], at: usize) -> Option<String> {
    let open = toks.get(..at)?.iter().rposition(|t| t.tok == Tok::LParen)?;
    match toks.get(open.checked_sub(1)?)?.tok {
        Tok::Ident(word @ ("if" | "for")) => foreign(word).map(|f| f.text(word)),
        _ => None,
    }
}
