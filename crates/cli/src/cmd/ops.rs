//! `tfc ops [NAME]`: the ops, as a matrix of what each can do, or one op's page. All of it is read from the rows, but for
//! `--table`, which is what their samples did when they were tested.
use crate::args::Ops;
use crate::engine::supports;
use crate::session::{Done, Exit, OrStop, Session, Stop};
use std::fmt::Write;
use tfc_ir::op::{Effect, Expand, Linearize, Place, Slot, SlotDefault, Transpose};
use tfc_ir::slots::describe as kind_text;
use tfc_ir::{Code, Error, OpDef, words};

/// What samples of every op did, a line an op, and the reasons behind them; written by a test (`testkit/tests/table`).
const TABLE: &str = include_str!("ops_table.txt");

pub(super) fn run(session: &Session, args: &Ops) -> Done {
    if args.table {
        return session.print(&samples_table(args.name.as_deref().unwrap_or_default())?);
    }
    // Whether the backend has an op is asked of it.
    tfc_cpu::choice::known().or_usage()?;
    let Some(name) = &args.name else {
        let all: Vec<_> = session.ops.iter().collect();
        return session.print(&if args.markdown { pages(session, &all) } else { matrix(session, &all) });
    };
    if let Some(def) = session.ops.get(name) {
        return session.print(&if args.markdown { page(session, def) } else { describe(session, def) });
    }
    let some: Vec<_> = session.ops.iter().filter(|d| d.name.starts_with(name.as_str())).collect();
    if some.is_empty() {
        let text = format!("there is no op `{}`", name.escape_debug());
        return elsewhere(session, name, &text, "`tfc ops` lists the ops");
    }
    session.print(&if args.markdown { pages(session, &some) } else { matrix(session, &some) })
}

/// The page of the op that has this name in another library, or what to write instead.
pub(super) fn elsewhere(session: &Session, name: &str, text: &str, help: &str) -> Done {
    let Some(known) = words::foreign(name) else {
        let names: Vec<_> = session.ops.iter().map(|d| d.name).collect();
        let help = words::meant(name, &names).unwrap_or_else(|| help.to_owned());
        return Err(Stop::with(Exit::Usage, Error::new(Code::E0903, text).help(help)));
    };
    let mut out = format!("{}.\n", known.text(name));
    for def in known.ops.iter().filter_map(|o| session.ops.get(o)) {
        let _ = write!(out, "\n{}", describe(session, def));
    }
    session.print(&out)
}

fn forward(def: &OpDef) -> &'static str {
    match def.linearize {
        Linearize::Never(_) => "no",
        Linearize::Zero => "zero",
        Linearize::Expand => "expand",
        Linearize::Multilinear | Linearize::Partials(_) | Linearize::Rule(_) => "yes",
    }
}
/// Linear ops have a transpose; the others are differentiated in reverse through the linear ones that they linearize to.
fn transpose(def: &OpDef) -> &'static str {
    match def.transpose {
        Transpose::Rule(_) => "yes",
        Transpose::Never(_) => "-",
    }
}
fn effect(def: &OpDef) -> &'static str {
    match def.effect {
        Effect::Pure => "pure",
        Effect::MayFail => "may fail",
        Effect::Assert => "assert",
    }
}

/// The lines of [`TABLE`] whose op begins so, and the reasons that they refer to.
fn samples_table(start: &str) -> Done<String> {
    let (lines, reasons) = TABLE.split_once("\n\n").unwrap_or((TABLE, ""));
    let cells = |l: &str| {
        let mut words = l.split('\t').map(str::to_owned);
        std::array::from_fn::<String, 10, _>(|_| words.next().unwrap_or_default())
    };
    let mut rows = lines.lines();
    let head = rows.next().map(cells).into_iter();
    // One op where there is one of that name, as without `--table`.
    let exact = lines.lines().skip(1).any(|l| l.split('\t').next() == Some(start));
    let some: Vec<_> =
        rows.map(cells).filter(|r| if exact { r[0] == start } else { r[0].starts_with(start) }).collect();
    if some.is_empty() {
        let text = format!("no built-in op begins with `{}`", start.escape_debug());
        return Err(Stop::with(Exit::Usage, Error::new(Code::E0903, text).help("`tfc ops` lists the ops")));
    }
    let said = |reason: &str| some.iter().flatten().any(|c| c.contains(reason));
    let mut out = table(&head.chain(some.iter().cloned()).collect::<Vec<_>>());
    let below: Vec<&str> = reasons.lines().filter(|l| l.split_inclusive(']').next().is_some_and(said)).collect();
    if !below.is_empty() {
        let _ = write!(out, "\n{}\n", below.join("\n"));
    }
    Ok(out)
}

/// A line an op.
fn matrix(session: &Session, ops: &[&'static OpDef]) -> String {
    let backends = session.kernels.backends();
    let on = |name: &str, d| backends.iter().any(|b| b.name() == name && supports(session, &**b, d));
    let rows = ops.iter().map(|d| {
        let support = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        [
            d.name.to_owned(),
            forward(d).to_owned(),
            transpose(d).to_owned(),
            support(on("interp", d)),
            support(on("cpu", d)),
            effect(d).to_owned(),
            summary(d.doc).to_owned(),
        ]
    });
    let head = ["op", "forward", "transpose", "interp", "cpu", "effect", "summary"].map(str::to_owned);
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}
/// Columns padded to their widest cell; the last is left as it is.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width: Vec<usize> = (0..N).map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        for (cell, &w) in row.iter().zip(&width).take(N - 1) {
            let _ = write!(out, "{cell:w$}  ");
        }
        let _ = writeln!(out, "{}", row[N - 1]);
    }
    out
}

/// The first sentence.
fn summary(doc: &str) -> &str {
    doc.find(". ").map_or(doc, |i| &doc[..i + 1]).lines().next().unwrap_or_default()
}

fn slot_text(s: &Slot) -> String {
    let value = match s.default {
        SlotDefault::Required => "…".to_owned(),
        SlotDefault::Absent | SlotDefault::AllAxes => "…?".to_owned(),
        SlotDefault::Int(i) => format!("{i}"),
        SlotDefault::Bool(b) => format!("{b}"),
        SlotDefault::Word(w) => w.to_owned(),
        SlotDefault::Float(x) => format!("{x:?}"),
    };
    match s.place {
        Place::Keyed => format!("{} = {value}", s.name),
        Place::Leading if matches!(s.kind, tfc_ir::op::SlotKind::Func) => "@f".into(),
        Place::Leading | Place::Trailing => format!("<{}>", s.name),
    }
}

/// `concat(%x…, axis = …)`.
fn signature(def: &OpDef) -> String {
    let slots = |place: Place| def.slots.iter().filter(move |s| s.place == place).map(slot_text);
    let mut parts: Vec<String> = slots(Place::Leading).collect();
    parts.extend(def.operands.iter().map(|o| format!("%{o}")));
    parts.extend(slots(Place::Trailing));
    parts.extend(slots(Place::Keyed));
    let labels: Vec<_> = def.regions.iter().map(|&r| tfc_ir::op::region_label(r)).collect();
    let regions: String = labels.iter().map(|(r, _)| format!(" {r}(…) {{ … }}")).collect();
    let all_optional = labels.iter().all(|l| l.1);
    let regions = match (regions.is_empty(), all_optional) {
        (true, _) => regions,
        (_, true) => format!(" [{{{regions} }}]"),
        (_, false) => format!(" {{{regions} }}"),
    };
    format!("{}({}){regions}", def.name, parts.join(", "))
}

fn facts(session: &Session, def: &'static OpDef) -> Vec<String> {
    let mut out = vec![];
    if def.needs_type {
        out.push("The result type must be written.".into());
    }
    match def.effect {
        Effect::Pure => {}
        Effect::MayFail => out.push("May fail while it runs.".into()),
        Effect::Assert => out.push("Checks or prints: never removed.".into()),
    }
    out.push(match (def.linearize, def.transpose) {
        (Linearize::Never(why), _) => format!("No derivative: {why}."),
        (Linearize::Zero, _) => "Locally constant: carries no tangent.".into(),
        (Linearize::Expand, _) => "Differentiated by its expansion.".into(),
        (_, Transpose::Rule(_)) | (Linearize::Partials(_), _) => "Differentiable forward and in reverse.".into(),
        (_, Transpose::Never(why)) => format!("Differentiable forward; its linear part is made of other ops ({why})."),
    });
    match def.expand {
        Expand::No => {}
        Expand::Composite(_) => out.push("A composite: expands into other ops.".into()),
        Expand::Derivative(_) => out.push("Expanded by the pass `expand-ad`.".into()),
        Expand::Inline => out.push("Replaced by its body by the pass `inline`.".into()),
    }
    // The oracle first.
    let all = session.kernels.backends().into_iter().rev();
    let backends: Vec<&str> = all.filter(|b| supports(session, &**b, def)).map(|b| b.name()).collect();
    if !backends.is_empty() {
        out.push(format!("Runs on {}.", backends.join(", ")));
    }
    out.push(format!("Since tfir {}.{}.", def.since.0, def.since.1));
    out
}

/// One op's page as plain text.
pub(super) fn describe(session: &Session, def: &'static OpDef) -> String {
    let mut out = format!("{}\n\n{}\n", signature(def), def.doc);
    if !def.slots.is_empty() {
        out.push('\n');
    }
    for s in def.slots {
        let _ = writeln!(out, "  {}: {}", s.name, kind_text(s.kind));
    }
    let _ = writeln!(out, "\n{}", facts(session, def).join("\n"));
    if let Some((program, derivative)) = super::example::of(&session.ops, def) {
        let _ = write!(out, "\nFor example:\n\n{program}");
        if let Some(derivative) = derivative {
            let _ = write!(out, "\nand its derivative in reverse:\n\n{derivative}");
        }
    }
    out
}

/// One op's page as Markdown.
pub(super) fn page(session: &Session, def: &'static OpDef) -> String {
    let mut out = format!("## `{}`\n\n```text\n{}\n```\n\n{}\n", def.name, signature(def), def.doc);
    if !def.slots.is_empty() {
        out.push_str("\n| attribute | holds | default |\n|---|---|---|\n");
    }
    for s in def.slots {
        let default = match s.default {
            SlotDefault::Required => "required".to_owned(),
            SlotDefault::Absent => "may be left out".to_owned(),
            SlotDefault::AllAxes => "all axes unless given".to_owned(),
            _ => slot_text(s).split(" = ").last().map(|d| format!("`{d}`")).unwrap_or_default(),
        };
        let _ = writeln!(out, "| `{}` | {} | {default} |", s.name, kind_text(s.kind).replace('|', "\\|"));
    }
    let _ = writeln!(out, "\n{}", facts(session, def).join(" "));
    if let Some((program, derivative)) = super::example::of(&session.ops, def) {
        let _ = write!(out, "\n```tfir\n{program}```\n");
        if let Some(derivative) = derivative {
            let _ = write!(out, "\nIts derivative in reverse:\n\n```tfir\n{derivative}```\n");
        }
    }
    out
}
fn pages(session: &Session, ops: &[&'static OpDef]) -> String {
    ops.iter().map(|d| page(session, d)).collect::<Vec<_>>().join("\n")
}
