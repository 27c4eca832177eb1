//! `--emit html`: one page, without a network, of what each pass makes of a program: its text with what has changed, its graph, what its
//! statements read and write, and the plan at the end.
use super::graph;
use crate::page::escaped;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tfc_frontend::text::{TokenKind, tokens};
use tfc_ir::{BODY, Def, Func, Module, Type, ValueId};
use tfc_passes::Report;

/// Graphs of more ops are no help.
const MOST_OPS: usize = 250;
/// Height of a curve, and the most width of one, in pixels.
const CURVE: usize = 120;
const WIDEST: usize = 900;

/// The program before the passes, and after each that changed it.
pub(super) struct States {
    list: Vec<State>,
}
struct State {
    title: String,
    doc: &'static str,
    text: String,
    graph: String,
    curves: String,
}
impl States {
    /// Begins with the program as it was read.
    pub(super) fn of(source: &Module) -> States {
        States { list: vec![State::of("as it is written".into(), "", source)] }
    }
    /// What a pass has left.
    pub(super) fn take(&mut self, r: &Report) {
        if r.changed {
            let title = format!("{}. {}", self.list.len(), r.pass.name);
            self.list.push(State::of(title, r.pass.doc, r.module));
        }
    }
    /// The page.
    pub(super) fn page(&self, path: &Path, plan: &str) -> String {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut states = String::new();
        for (k, s) in self.list.iter().enumerate() {
            let before = k.checked_sub(1).and_then(|b| self.list.get(b)).map_or(s.text.as_str(), |b| b.text.as_str());
            let _ = writeln!(
                states,
                "<section class=\"state\" data-title=\"{}\" data-doc=\"{}\">\n<pre class=\"text\">{}</pre>\n<div class=\"graph\">{}</div>\n\
                 <div class=\"memory\">{}</div>\n</section>",
                escaped(&s.title),
                escaped(&s.doc.replace('`', "")),
                changed(before, &s.text),
                s.graph,
                s.curves
            );
        }
        PAGE.replace("@NAME@", &escaped(&name))
            .replace("@LAST@", &self.list.len().saturating_sub(1).to_string())
            .replace("@PLAN@", &escaped(plan))
            .replace("@STATES@", &states)
    }
}
impl State {
    fn of(title: String, doc: &'static str, m: &Module) -> State {
        let funcs = m.funcs();
        let list: Vec<&Func> = funcs.iter().map(|(_, f)| &***f).collect();
        let ops: usize = list.iter().map(|f| f.op_count()).sum();
        let graph = match ops {
            n if n > MOST_OPS => format!("<p>{n} ops are too many for a drawing.</p>"),
            _ => graph::svg(&list),
        };
        State { title, doc, text: tfc_ir::print::module(m), graph, curves: list.iter().map(|f| curves(f)).collect() }
    }
}

/// The lines of a program, those marked that the one before it has not, with those between them that it has lost.
fn changed(before: &str, now: &str) -> String {
    let mut out = String::new();
    for change in TextDiff::from_lines(before, now).iter_all_changes() {
        let (class, sign) = match change.tag() {
            ChangeTag::Equal => ("", " "),
            ChangeTag::Delete => ("gone", "−"),
            ChangeTag::Insert => ("new", "+"),
        };
        let line = change.value().trim_end_matches('\n');
        let _ = write!(out, "<span class=\"line {class}\"><i>{sign}</i>{}\n</span>", coloured(line));
    }
    out
}
/// A line with its words in colours.
fn coloured(line: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for t in tokens(line) {
        let (start, end) = (t.span.start as usize, t.span.end as usize);
        let class = match t.kind {
            TokenKind::Value => "v",
            TokenKind::Symbol => "s",
            TokenKind::Existential => "e",
            TokenKind::Dtype => "d",
            TokenKind::Keyword => "k",
            TokenKind::Number => "n",
            TokenKind::Text => "t",
            TokenKind::Comment | TokenKind::Location => "c",
            TokenKind::Name | TokenKind::Sign | TokenKind::Unknown => continue,
        };
        out.push_str(&escaped(line.get(at..start).unwrap_or_default()));
        let _ = write!(out, "<b class=\"{class}\">{}</b>", escaped(line.get(start..end).unwrap_or_default()));
        at = end;
    }
    out + &escaped(line.get(at..).unwrap_or_default())
}

/// Bytes of a value, where its extents are known.
fn bytes(ty: &Type) -> Option<f64> {
    let shape = ty.exact_shape()?;
    Some(shape.iter().fold(ty.dtype.size() as f64, |n, &k| n * k as f64))
}
/// For each statement of a function's body what is held while it runs, and what it reads and writes: of values as they are written, before
/// the plan lets some share memory and makes others part of a loop.
fn curves(f: &Func) -> String {
    let ops = &f.region(BODY).ops;
    let mut last: BTreeMap<ValueId, usize> = BTreeMap::new();
    for (i, &o) in ops.iter().enumerate() {
        let mut read = |v: ValueId| {
            last.insert(v, i);
        };
        f.op(o).operands.iter().for_each(|&v| read(v));
        // What a region takes from outside is held as long as the op runs.
        f.op(o).regions.iter().for_each(|&r| f.captures(r).into_iter().for_each(&mut read));
    }
    f.returns().iter().for_each(|&v| {
        last.insert(v, ops.len());
    });
    let mut held: f64 = 0.0;
    let (mut memory, mut moved, mut unknown) = (vec![], vec![], 0usize);
    let mut size = |v: ValueId| {
        let known = bytes(f.ty(v));
        unknown += usize::from(known.is_none());
        known.unwrap_or(0.0)
    };
    held += f.params().iter().map(|&p| size(p)).sum::<f64>();
    for (i, &o) in ops.iter().enumerate() {
        let op = f.op(o);
        let results: f64 = op.results.iter().map(|&v| size(v)).sum();
        held += results;
        memory.push(held);
        moved.push(results + op.operands.iter().map(|&v| size(v)).sum::<f64>());
        let over = |v: &ValueId| last.get(v).is_none_or(|l| *l == i);
        let mut ending: Vec<ValueId> = op.operands.iter().chain(op.results.iter()).copied().filter(over).collect();
        ending.sort();
        ending.dedup();
        let body = |v: &ValueId| !matches!(f.value(*v).def, Def::Param(_)) && f.value(*v).region == BODY;
        held -= ending.into_iter().filter(body).map(&mut size).sum::<f64>();
    }
    if unknown > 0 {
        return format!(
            "<h3>@{}</h3><p>Extents are names; with <code>--bind n=1000</code> they are numbers, and curves are drawn here.</p>",
            escaped(&f.name)
        );
    }
    let names: Vec<String> = ops.iter().map(|&o| named(f, o)).collect();
    format!(
        "<h3>@{}</h3>{}{}",
        escaped(&f.name),
        curve("bytes held while each statement runs", &memory, &names),
        curve("bytes that each statement reads and writes", &moved, &names)
    )
}
fn named(f: &Func, o: tfc_ir::OpId) -> String {
    let op = f.op(o);
    let results: Vec<String> = op.results.iter().map(|&r| format!("%{}", f.value(r).name)).collect();
    format!("{} = {}", results.join(", "), op.def.name)
}
fn curve(title: &str, values: &[f64], names: &[String]) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let width = (values.len() * 14).clamp(60, WIDEST);
    let step = width as f64 / values.len().max(1) as f64;
    let mut bars = String::new();
    for (i, v) in values.iter().enumerate() {
        let h = if most > 0.0 { v / most * (CURVE - 20) as f64 } else { 0.0 };
        let _ = write!(
            bars,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{h:.1}\"><title>{}: {v} bytes</title></rect>",
            i as f64 * step,
            CURVE as f64 - h,
            (step - 1.0).max(0.5),
            names.get(i).map(|n| escaped(n)).unwrap_or_default()
        );
    }
    format!(
        "<p>{title}, at most {most}</p><svg width=\"{width}\" height=\"{CURVE}\" viewBox=\"0 0 {width} {CURVE}\">{bars}</svg>"
    )
}

const PAGE: &str = r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>@NAME@ – tfc</title>
<style>
body { font: 14px/1.45 system-ui, sans-serif; margin: 0; color: #222; background: #fff }
header { position: sticky; top: 0; background: #f6f7f9; border-bottom: 1px solid #ccd; padding: 10px 18px; z-index: 1 }
h1 { font-size: 16px; margin: 0 0 6px } h3 { margin: 14px 0 4px }
header input[type=range] { width: min(560px, 60vw); vertical-align: middle }
#title { font-weight: 600 } #doc { color: #556 }
nav button { font: inherit; border: 1px solid #ccd; background: #fff; padding: 2px 10px; border-radius: 4px; cursor: pointer }
nav button.on { background: #2456a6; color: #fff }
main { padding: 12px 18px; overflow-x: auto }
pre { font: 13px/1.5 ui-monospace, monospace; margin: 0 }
.line { display: block } .line i { color: #99a; font-style: normal; margin-right: 8px; user-select: none }
.new { background: #e4f7e6 } .gone { background: #fbe6e6; text-decoration: line-through; color: #977 }
.same .gone { display: none }
b { font-weight: 400 } .v { color: #0b5394 } .s { color: #7a3e9d } .e { color: #b45f06 } .d { color: #38761d }
.k { color: #a61c3c; font-weight: 600 } .n { color: #86511b } .t { color: #50701c } .c { color: #888 }
.state, .state > *, #plan { display: none } .memory rect { fill: #2456a6 }
.state.on { display: block }
body[data-view=text] .text, body[data-view=graph] .graph, body[data-view=memory] .memory { display: block }
body[data-view=plan] .state.on { display: none } body[data-view=plan] #plan { display: block }
</style></head>
<body data-view="text">
<header><h1>@NAME@</h1>
<div><input type="range" id="step" min="0" max="@LAST@" value="0" aria-label="pass"> <span id="title"></span> <span id="doc"></span></div>
<nav><button data-view="text">program</button> <button data-view="graph">graph</button> <button data-view="memory">memory</button>
<button data-view="plan">plan</button> <label><input type="checkbox" id="gone" checked> what was dropped</label></nav></header>
<main>
@STATES@<pre id="plan">@PLAN@</pre>
</main>
<script>
const states = [...document.querySelectorAll('.state')], step = document.getElementById('step');
const buttons = [...document.querySelectorAll('nav button')], gone = document.getElementById('gone');
function show() {
  states.forEach((s, i) => s.classList.toggle('on', i === +step.value));
  document.getElementById('title').textContent = states[+step.value].dataset.title;
  document.getElementById('doc').textContent = states[+step.value].dataset.doc;
  buttons.forEach(b => b.classList.toggle('on', b.dataset.view === document.body.dataset.view));
  document.body.classList.toggle('same', !gone.checked);
  history.replaceState(null, '', '#' + step.value + '-' + document.body.dataset.view);
}
step.oninput = gone.onchange = show;
buttons.forEach(b => b.onclick = () => { document.body.dataset.view = b.dataset.view; show(); });
document.onkeydown = e => {
  if (e.target === step) return;
  if (e.key === 'ArrowRight') { step.stepUp(); show(); }
  if (e.key === 'ArrowLeft') { step.stepDown(); show(); }
};
const at = location.hash.slice(1).split('-');
if (at[0]) step.value = at[0];
if (at[1]) document.body.dataset.view = at[1];
show();
</script>
</body></html>
"#;
