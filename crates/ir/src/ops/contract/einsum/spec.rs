//! The text of an `einsum`: `"ij,jk->ik"`, read and written.
//!
//! A label is a letter or a number; digits that follow one another are one number, spaces separate. Terms are separated by
//! commas, parentheses group them, `...` stands for axes without labels, and what follows `->` are the axes of the result.
//! Without `->` these are the axes of `...`, then the labels that occur once, numbers before letters, in order (NumPy's rule).
use super::plan::Node;
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::func::{Func, Op};
use crate::places::Kept;

/// Deepest nesting of parentheses.
const DEEPEST: usize = 64;

/// The name of an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Label {
    /// `12`
    Number(u32),
    /// `i`
    Letter(char),
}
impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Label::Number(n) => write!(f, "{n}"),
            Label::Letter(c) => write!(f, "{c}"),
        }
    }
}
/// The text with every axis labelled: no `...`, and the result said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Labels of each operand's axes.
    pub terms: Vec<Vec<Label>>,
    /// Labels of the result's axes.
    pub out: Vec<Label>,
    /// Operands and groups of them.
    pub order: Vec<Node>,
}
/// What stands for one axis or several, and where.
struct Item {
    /// `None`: `...`.
    label: Option<Label>,
    at: (usize, usize),
}
/// A term: its items, and where it is.
#[derive(Default)]
struct Term {
    items: Vec<Item>,
    at: (usize, usize),
}
/// The text as written.
struct Written {
    terms: Vec<Term>,
    out: Option<Term>,
    order: Vec<Node>,
}

impl Spec {
    /// Reads a text for operands of these ranks.
    ///
    /// # Errors
    /// `E1200` for a text that is none, `E1201` for another number of terms than operands, `E1202` for a term that does not
    /// label its operand's axes, `E1203` for a label that is in the result alone, `E1204` for a `...` that cannot be there, or
    /// is missing.
    pub fn parse(text: &str, ranks: &[usize]) -> Result<Spec> {
        let w = written(text)?;
        if w.terms.len() != ranks.len() {
            let (n, s) = (w.terms.len(), if w.terms.len() == 1 { "" } else { "s" });
            return Err(Error::new(Code::E1201, format!("`{text}` has {n} term{s} for {} operands", ranks.len()))
                .at(Part::Attr("spec"))
                .help("one term an operand, separated by commas"));
        }
        let mut unnamed = vec![];
        for (i, (t, &rank)) in w.terms.iter().zip(ranks).enumerate() {
            let named = t.items.iter().filter(|i| i.label.is_some()).count();
            let open = one_ellipsis(text, t)?;
            if named > rank || (named < rank && !open) {
                let least = if open { "at least " } else { "" };
                let message = format!("term {i} has {least}{named} label{}", if named == 1 { "" } else { "s" });
                return Err(place(
                    Error::new(Code::E1202, format!("{message}, operand {i} has rank {rank}")),
                    text,
                    t.at,
                )
                .help("a label for each axis; `...` stands for the axes that have none"));
            }
            unnamed.push(open.then_some(rank - named));
        }
        let width = unnamed.iter().flatten().copied().max().unwrap_or(0);
        let all = w.terms.iter().chain(&w.out).flat_map(|t| &t.items);
        let fresh = unused(&all.filter_map(|i| i.label).collect::<Vec<_>>(), width);
        // Axes of `...` are counted from the last.
        let full = |t: &Term, n: usize| -> Vec<Label> {
            let of = |i: &Item| i.label.map_or_else(|| fresh[width - n..].to_vec(), |l| vec![l]);
            t.items.iter().flat_map(of).collect()
        };
        let terms: Vec<Vec<Label>> = w.terms.iter().zip(&unnamed).map(|(t, n)| full(t, n.unwrap_or(0))).collect();
        let out = match &w.out {
            Some(o) => {
                if !one_ellipsis(text, o)? && width > 0 {
                    let e = Error::new(
                        Code::E1204,
                        format!("the result has no `...`, the operands have {width} such axes"),
                    );
                    return Err(place(e, text, o.at).help("write `...` in the result, or label what is summed over"));
                }
                let unknown = |i: &&Item| i.label.is_some_and(|l| !terms.iter().flatten().any(|&t| t == l));
                if let (Some(item), Some(l)) = o.items.iter().find(unknown).map_or((None, None), |i| (Some(i), i.label))
                {
                    let e = Error::new(Code::E1203, format!("label `{l}` of the result is in no operand"));
                    return Err(
                        place(e, text, item.at).help("repeat the result along a new axis by `broadcast_in_dim`")
                    );
                }
                full(o, width)
            }
            None => {
                let often = |l: &Label| terms.iter().flatten().filter(|t| *t == l).count();
                let mut once: Vec<Label> =
                    terms.iter().flatten().copied().filter(|l| often(l) == 1 && !fresh.contains(l)).collect();
                once.sort_unstable();
                [fresh.clone(), once].concat()
            }
        };
        Ok(Spec { terms, out, order: w.order })
    }
    /// Reads a text that [`Spec`] wrote.
    ///
    /// # Errors
    /// As [`Spec::parse`].
    pub fn canonical(text: &str) -> Result<Spec> {
        let ranks: Vec<usize> = written(text)?.terms.iter().map(|t| t.items.len()).collect();
        Spec::parse(text, &ranks)
    }
    /// Labels in the order in which they come.
    pub fn labels(&self) -> Vec<Label> {
        distinct(self.terms.iter().flatten().copied())
    }
    /// A label that is not in use.
    pub fn fresh(&self) -> Label {
        unused(&self.labels(), 1)[0]
    }
    /// Whether there is no group.
    pub fn is_flat(&self) -> bool {
        self.order.iter().all(|n| matches!(n, Node::Operand(_)))
    }
    /// Terms without groups.
    pub fn of(terms: Vec<Vec<Label>>, out: Vec<Label>) -> Spec {
        let order = (0..terms.len()).map(Node::Operand).collect();
        Spec { terms, out, order }
    }
}
/// Each once.
pub(super) fn distinct<T: PartialEq>(list: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut out: Vec<T> = vec![];
    for x in list {
        if !out.contains(&x) {
            out.push(x);
        }
    }
    out
}
/// So many labels that are not in the list: small letters, capital ones, numbers.
fn unused(taken: &[Label], n: usize) -> Vec<Label> {
    let letters = ('a'..='z').chain('A'..='Z').map(Label::Letter);
    letters.chain((0..u32::MAX).map(Label::Number)).filter(|l| !taken.contains(l)).take(n).collect()
}
impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        fn term(f: &mut std::fmt::Formatter, labels: &[Label]) -> std::fmt::Result {
            for (i, l) in labels.iter().enumerate() {
                if i > 0 && matches!((labels[i - 1], l), (Label::Number(_), Label::Number(_))) {
                    f.write_str(" ")?;
                }
                write!(f, "{l}")?;
            }
            Ok(())
        }
        fn list(f: &mut std::fmt::Formatter, s: &Spec, nodes: &[Node]) -> std::fmt::Result {
            for (i, n) in nodes.iter().enumerate() {
                if i > 0 {
                    f.write_str(",")?;
                }
                match n {
                    Node::Operand(k) => term(f, s.terms.get(*k).map_or(&[][..], |t| t))?,
                    Node::Group(g) => {
                        f.write_str("(")?;
                        list(f, s, g)?;
                        f.write_str(")")?;
                    }
                }
            }
            Ok(())
        }
        list(f, self, &self.order)?;
        f.write_str("->")?;
        term(f, &self.out)
    }
}

/// An error at bytes of the text.
fn place(e: Error, text: &str, (start, end): (usize, usize)) -> Error {
    let column = text.get(..start).map_or(0, |t| t.chars().count()) + 1;
    e.context(format!("`{text}`, character {column}: ")).at(Part::Text("spec", start, end))
}
fn one_ellipsis(text: &str, t: &Term) -> Result<bool> {
    let mut dots = t.items.iter().filter(|i| i.label.is_none());
    match (dots.next(), dots.next()) {
        (_, Some(second)) => {
            let e = Error::new(Code::E1204, "a second `...`");
            Err(place(e, text, second.at).help("which axes each of them stands for nobody could tell"))
        }
        (first, None) => Ok(first.is_some()),
    }
}
/// A group that is being read: what it holds so far, and where it began.
struct Open {
    nodes: Vec<Node>,
    at: usize,
}
fn written(text: &str) -> Result<Written> {
    let bad = |what: &str, at: usize, len: usize| {
        Err(place(Error::new(Code::E1200, what.to_owned()), text, (at, at + len))
            .help("labels are letters and numbers, terms are separated by `,`: `ij,jk->ik`"))
    };
    let mut w = Written { terms: vec![], out: None, order: vec![] };
    let mut open: Vec<Open> = vec![Open { nodes: vec![], at: 0 }];
    let mut term = Term::default();
    // A group has just been closed: a `,`, a `)` or the arrow follows.
    let mut closed = false;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(&c) = bytes.get(at) {
        let start = at;
        at += 1;
        let item = match c {
            b' ' | b'\t' | b'\n' => continue,
            b'.' if text.get(start..start + 3) == Some("...") => {
                at += 2;
                None
            }
            b'a'..=b'z' | b'A'..=b'Z' => Some(Label::Letter(char::from(c))),
            b'0'..=b'9' => {
                while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                match text.get(start..at).and_then(|n| n.parse().ok()) {
                    Some(n) => Some(Label::Number(n)),
                    None => return bad("a number that is too large for a label", start, at - start),
                }
            }
            b',' if w.out.is_none() => {
                if !closed {
                    finish(&mut w, &mut open, &mut term, start);
                }
                (closed, term) = (false, Term { items: vec![], at: (at, at) });
                continue;
            }
            b'(' if w.out.is_none() && !closed && term.items.is_empty() => {
                if open.len() > DEEPEST {
                    return bad("groups nest deeper than 64", start, 1);
                }
                open.push(Open { nodes: vec![], at: start });
                term.at = (at, at);
                continue;
            }
            b')' if open.len() > 1 && w.out.is_none() => {
                if !closed {
                    finish(&mut w, &mut open, &mut term, start);
                }
                let mut group = open.pop().map(|o| o.nodes).unwrap_or_default();
                let node = if group.len() == 1 { group.pop() } else { Some(Node::Group(group)) };
                if let Some(o) = open.last_mut() {
                    o.nodes.extend(node);
                }
                closed = true;
                continue;
            }
            b'-' if bytes.get(at) == Some(&b'>') && w.out.is_none() => {
                if let [_, .., last] = &open[..] {
                    return bad("a `(` that is not closed", last.at, 1);
                }
                if !closed {
                    finish(&mut w, &mut open, &mut term, start);
                }
                at += 1;
                w.out = Some(Term { items: vec![], at: (start, at) });
                closed = false;
                continue;
            }
            _ => {
                let c = text.get(start..).and_then(|t| t.chars().next()).unwrap_or('?');
                return bad(&format!("`{}` cannot stand here", c.escape_default()), start, c.len_utf8());
            }
        };
        if closed {
            return bad("a `,` is missing behind `)`", start, 1);
        }
        let item = Item { label: item, at: (start, at) };
        match &mut w.out {
            Some(o) => o.items.push(item),
            None => term.items.push(item),
        }
    }
    if w.out.is_none() {
        if let [_, .., last] = &open[..] {
            return bad("a `(` that is not closed", last.at, 1);
        }
        if !closed {
            finish(&mut w, &mut open, &mut term, text.len());
        }
    }
    w.order = open.pop().map(|o| o.nodes).unwrap_or_default();
    // Parentheses round everything say nothing.
    while let [Node::Group(g)] = &mut w.order[..] {
        w.order = std::mem::take(g);
    }
    Ok(w)
}
/// Ends a term.
fn finish(w: &mut Written, open: &mut [Open], term: &mut Term, end: usize) {
    let mut t = std::mem::take(term);
    if let (Some(a), Some(b)) = (t.items.first(), t.items.last()) {
        t.at = (a.at.0, b.at.1);
    } else {
        t.at.1 = end.max(t.at.0);
    }
    if let Some(o) = open.last_mut() {
        o.nodes.push(Node::Operand(w.terms.len()));
    }
    w.terms.push(t);
}

/// Axes whose label the operand has once and the result once are kept.
pub(super) fn places(f: &Func, op: &Op, i: usize) -> Vec<Option<Kept>> {
    let ranks: Vec<usize> = op.operands.iter().map(|&x| f.ty(x).rank()).collect();
    let Ok(spec) = Spec::parse(op.attrs.str("spec").unwrap_or_default(), &ranks) else { return vec![] };
    let Some(term) = spec.terms.get(i) else { return vec![] };
    let once = |list: &[Label], l: &Label| list.iter().filter(|m| *m == l).count() == 1;
    let one = |l: &Label| {
        let at = spec.out.iter().position(|m| m == l).filter(|_| once(term, l) && once(&spec.out, l));
        at.map(Kept::at)
    };
    term.iter().map(one).collect()
}
