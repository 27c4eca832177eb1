//! Rules of form that the grammar leaves open so that breaking them gets a message of its own: every block has its
//! terminator and the right one, operands come before attributes, one `module` and one `mesh` line, and no words of a later version
//! than the file's.
use super::ast::{Arg, Body, DimKind, Expr, Func, Item, Line, Param, Stmt};
use tfc_ir::{Code, Diagnostic, Span};

/// Adds what is wrong with the form of `file` to `errors`.
pub(crate) fn check(file: &super::ast::File, errors: &mut Vec<Diagnostic>) {
    let (mut module, mut mesh) = (None, None);
    for item in &file.items {
        match item {
            Item::Module { span, .. } => match module {
                Some(first) => errors.push(
                    Diagnostic::error(Code::E0112, *span, "second `module` line").also(first, "the first is here"),
                ),
                None => module = Some(*span),
            },
            Item::Mesh { span, .. } => match mesh {
                Some(first) => errors.push(
                    Diagnostic::error(Code::E0115, *span, "second `mesh` line")
                        .also(first, "the first is here")
                        .help("a module has one mesh, with an axis for each way in which values are cut"),
                ),
                None => mesh = Some(*span),
            },
            Item::Import(i) if i.as_word.text != "as" => {
                let text = format!("expected `as`, found `{}`", i.as_word.text);
                let d = Diagnostic::error(Code::E0103, i.as_word.span, text);
                errors.push(d.help("write `import \"layers.tfir\" as nn`"));
            }
            Item::Func(Func { body, .. }) => block(body, true, errors),
            _ => {}
        }
    }
}

/// The first word of a later version than 1.`minor`, which is the file's. `dtype`: the first one of a dtype of such a version.
pub(crate) fn newer(
    file: &super::ast::File,
    (dtype, src): (Option<Span>, &str),
    minor: u64,
    errors: &mut Vec<Diagnostic>,
) {
    let first = file.items.iter().find_map(|item| match item {
        Item::Mesh { span, .. } => Some((*span, "`mesh`")),
        Item::Import(i) => Some((i.span, "`import`")),
        Item::Data { ty, .. } => {
            let named = ty.dims.iter().find(|d| matches!(d.kind, DimKind::Var(_)));
            named.map(|d| (d.span, "an extent of data that its file says"))
        }
        Item::Func(f) => {
            let params = f.head.as_ref().map_or(&[][..], |h| &h.params);
            annotated(params).or_else(|| in_block(&f.body)).map(|s| (s, "a sharding"))
        }
        _ => None,
    });
    let name = dtype.and_then(|s| src.get(s.start as usize..s.end as usize)).map(|name| format!("`{name}`"));
    let first = first.map(|(span, what)| (span, what.to_owned())).into_iter().chain(dtype.zip(name));
    if let Some((span, what)) = first.min_by_key(|f| f.0.start) {
        let d = Diagnostic::error(Code::E0116, span, format!("{what} is of tfir 1.1, the file of tfir 1.{minor}"));
        errors.push(d.help("begin the file with `tfir 1.1`"));
    }
}
fn annotated(params: &[Param]) -> Option<Span> {
    params.iter().find_map(|p| p.sharding.as_ref()).map(|s| s.span)
}
fn in_block(body: &Body) -> Option<Span> {
    body.stmts.iter().find_map(|line| match line {
        Line::Stmt(s) => annotated(&s.results)
            .or_else(|| s.regions.iter().find_map(|r| annotated(&r.params).or_else(|| in_block(&r.body)))),
        Line::Let(l) => annotated(&l.results),
        Line::Error(_) => None,
    })
}

/// Recursion is bounded by the lexer's limit on nested regions.
fn block(body: &Body, of_func: bool, errors: &mut Vec<Diagnostic>) {
    let (want, kind) = if of_func { ("return", "function") } else { ("yield", "region") };
    match &body.end {
        Some(end) if end.is_return != of_func => {
            let got = if end.is_return { "return" } else { "yield" };
            let d = Diagnostic::error(Code::E0105, end.keyword, format!("`{got}` in a {kind}"));
            errors
                .push(d.also(body.open, format!("the {kind} begins here")).help(format!("a {kind} ends in `{want}`")));
        }
        Some(_) => {}
        // A skipped statement at the end may have been the terminator.
        None if matches!(body.stmts.last(), Some(Line::Error(_))) => {}
        // The `}` was added by the parser, which has said so.
        None if body.close.start == body.close.end => {}
        None => {
            let d = Diagnostic::error(Code::E0104, body.close, format!("the {kind} ends without `{want}`"));
            let d =
                d.label(format!("expected `{want}` before this")).also(body.open, format!("the {kind} begins here"));
            errors.push(d.help(format!("end it with `{want} %value`, or `{want}` alone for no results")));
        }
    }
    for line in &body.stmts {
        match line {
            Line::Stmt(s) => {
                statement(s, errors);
                s.regions.iter().for_each(|r| block(&r.body, false, errors));
            }
            Line::Let(l) => {
                // Something that follows it and was not understood says more.
                let alone = !errors.iter().any(|e| (l.span.end..l.span.end + 2).contains(&e.span().start));
                if let ([name, ..], Expr::Name(of), true) = (&l.results[..], &l.value, alone) {
                    let text = format!("`%{} = %{}` gives a value a second name", name.name.text, of.text);
                    let d = Diagnostic::error(Code::E0103, of.span, text).label("expected an op");
                    errors.push(d.help(format!("use `%{}` where `%{}` is meant", of.text, name.name.text)));
                }
                expression(&l.value, errors);
            }
            Line::Error(_) => {}
        }
    }
    body.end.iter().flat_map(|e| &e.values).for_each(|e| expression(e, errors));
}

/// Recursion is bounded by the lexer's limit on nested brackets.
fn expression(e: &Expr, errors: &mut Vec<Diagnostic>) {
    match e {
        Expr::Call(s) => statement(s, errors),
        Expr::Convert(_, _, of) | Expr::Pick(of, _) => expression(of, errors),
        Expr::Name(_) | Expr::Literal(_) => {}
    }
}

/// Order of arguments: slots and operands, then keyed attributes.
fn statement(stmt: &Stmt, errors: &mut Vec<Diagnostic>) {
    let mut keyed = None;
    for arg in &stmt.args {
        if let Arg::Val(e) = arg {
            expression(e, errors);
        }
    }
    for arg in &stmt.args {
        match (arg, keyed) {
            (Arg::Key(k, _), None) => keyed = Some(k),
            (Arg::Val(v), Some(k)) => {
                let what = if let Expr::Name(v) = v { format!("operand `%{}`", v.text) } else { "operand".into() };
                let d = Diagnostic::error(Code::E0107, v.span(), format!("{what} after attribute `{}`", k.text));
                return errors
                    .push(d.also(k.span, "attributes begin here").help("operands come before keyed attributes"));
            }
            (Arg::Pos(a), Some(k)) => {
                let d = Diagnostic::error(
                    Code::E0107,
                    a.span,
                    format!("argument without key after attribute `{}`", k.text),
                );
                return errors
                    .push(d.also(k.span, "attributes begin here").help("give it a key, or move it before them"));
            }
            _ => {}
        }
    }
}
