//! Dataflow graphs of a function: Graphviz text, and a plain layered drawing as SVG that needs no other program.
use crate::page::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;
use tfc_ir::{BODY, Def, Func, OpId, RegionId, ValueId};

/// A box of the graph.
struct Node {
    label: String,
    region: RegionId,
    /// Rank in the drawing: below everything it uses.
    rank: usize,
}
/// The boxes and arrows of a function; region ops are boxes, and what their regions hold are boxes inside.
struct Graph {
    nodes: Vec<Node>,
    edges: Vec<(usize, usize, String)>,
}

fn graph(f: &Func) -> Graph {
    let mut g = Graph { nodes: vec![], edges: vec![] };
    let mut of_param: BTreeMap<ValueId, usize> = BTreeMap::new();
    let mut of_op: BTreeMap<OpId, usize> = BTreeMap::new();
    region(f, BODY, &mut g, &mut of_param, &mut of_op, None);
    for (i, &v) in f.returns().iter().enumerate() {
        let to = g.add(format!("return {}", f.result_name(i)), BODY);
        g.connect(f, v, to, &of_param, &of_op);
    }
    g
}
fn region(
    f: &Func,
    r: RegionId,
    g: &mut Graph,
    of_param: &mut BTreeMap<ValueId, usize>,
    of_op: &mut BTreeMap<OpId, usize>,
    owner: Option<usize>,
) {
    for &p in &f.region(r).params {
        let n = g.add(format!("%{}: {}", f.value(p).name, f.ty(p).display(f)), r);
        if let Some(o) = owner {
            g.edge(o, n, String::new());
        }
        of_param.insert(p, n);
    }
    for &o in &f.region(r).ops {
        let op = f.op(o);
        let n = g.add(op.def.name.to_owned(), r);
        of_op.insert(o, n);
        for &v in &op.operands {
            g.connect(f, v, n, of_param, of_op);
        }
        for &inner in &op.regions {
            region(f, inner, g, of_param, of_op, Some(n));
        }
    }
}
impl Graph {
    fn add(&mut self, label: String, region: RegionId) -> usize {
        self.nodes.push(Node { label, region, rank: 0 });
        self.nodes.len() - 1
    }
    fn edge(&mut self, from: usize, to: usize, label: String) {
        let below = self.nodes.get(from).map_or(0, |n| n.rank + 1);
        if let Some(n) = self.nodes.get_mut(to) {
            n.rank = n.rank.max(below);
        }
        self.edges.push((from, to, label));
    }
    fn connect(
        &mut self,
        f: &Func,
        v: ValueId,
        to: usize,
        of_param: &BTreeMap<ValueId, usize>,
        of_op: &BTreeMap<OpId, usize>,
    ) {
        let from = match f.value(v).def {
            Def::Param(_) => of_param.get(&v),
            Def::Result(o, _) => of_op.get(&o),
        };
        if let Some(&from) = from {
            self.edge(from, to, f.ty(v).display(f).to_string());
        }
    }
}

/// Graphviz text of these functions, one cluster each.
pub(super) fn dot(funcs: &[&Func]) -> String {
    let mut out = String::from(
        "digraph tfc {\n  node [shape = box, fontname = monospace];\n  edge [fontname = monospace, fontsize = 10];\n",
    );
    for (k, f) in funcs.iter().enumerate() {
        let g = graph(f);
        let _ = writeln!(out, "  subgraph cluster_{k} {{\n    label = {};", quoted(&format!("@{}", f.name)));
        for (i, n) in g.nodes.iter().enumerate() {
            let style = if n.region == BODY { "" } else { ", style = dashed" };
            let _ = writeln!(out, "    n{k}_{i} [label = {}{style}];", quoted(&n.label));
        }
        for (from, to, label) in &g.edges {
            let _ = writeln!(out, "    n{k}_{from} -> n{k}_{to} [label = {}];", quoted(label));
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}
fn quoted(s: &str) -> String {
    format!("\"{}\"", s.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Width of one character, height of a box, gaps between boxes, in pixels.
const CHAR: usize = 8;
const BOX: usize = 24;
const GAP_X: usize = 16;
const GAP_Y: usize = 36;

/// The functions as SVG, one below the other.
pub(super) fn svg(funcs: &[&Func]) -> String {
    let (mut body, mut width, mut top) = (String::new(), 0, GAP_Y);
    for f in funcs {
        let g = graph(f);
        let _ = writeln!(
            body,
            "<text x=\"{GAP_X}\" y=\"{}\" font-weight=\"bold\">{}</text>",
            top - 8,
            escaped(&format!("@{}", f.name))
        );
        let (places, w, h) = place(&g, top);
        for (from, to, label) in &g.edges {
            let (Some(a), Some(b)) = (places.get(*from), places.get(*to)) else { continue };
            let (x1, y1, x2, y2) = (a.0 + a.2 / 2, a.1 + BOX, b.0 + b.2 / 2, b.1);
            let mid = (y1 + y2) / 2;
            let _ = writeln!(
                body,
                "<path d=\"M{x1} {y1} C{x1} {mid} {x2} {mid} {x2} {y2}\" class=\"e\"><title>{}</title></path>",
                escaped(label)
            );
        }
        for (n, (x, y, w)) in g.nodes.iter().zip(&places) {
            let class = if n.region == BODY { "b" } else { "b d" };
            let _ = writeln!(body, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{BOX}\" class=\"{class}\"/>");
            let _ = writeln!(body, "<text x=\"{}\" y=\"{}\">{}</text>", x + CHAR, y + 16, escaped(&n.label));
        }
        width = width.max(w);
        top = h + 2 * GAP_Y;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{top}\" font-family=\"monospace\" font-size=\"13\">\n\
         <style>.b{{fill:#eef;stroke:#446}}.d{{stroke-dasharray:4}}.e{{fill:none;stroke:#888}}</style>\n{body}</svg>\n"
    )
}
/// (x, y, width) of each box, then the drawing's right and lower edge.
fn place(g: &Graph, top: usize) -> (Vec<(usize, usize, usize)>, usize, usize) {
    let (mut next_x, mut places, mut right, mut lower) = (BTreeMap::new(), vec![], 0, top);
    for n in &g.nodes {
        let x = next_x.entry(n.rank).or_insert(GAP_X);
        let w = (n.label.chars().count() + 2) * CHAR;
        let y = top + n.rank * (BOX + GAP_Y);
        places.push((*x, y, w));
        *x += w + GAP_X;
        right = right.max(*x);
        lower = lower.max(y + BOX);
    }
    (places, right, lower)
}
