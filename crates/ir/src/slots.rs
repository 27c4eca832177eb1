//! Checks of an op against the signature in its row: arity, regions, names and kinds of attributes.
use crate::attr::{Attr, Attrs};
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::op::{OpDef, Slot, SlotDefault, SlotKind, many_regions, region_label};

pub(crate) fn check_arity(def: &OpDef, n: usize) -> Result<()> {
    let (lo, hi) = def.arity();
    if n < lo || hi.is_some_and(|h| n > h) {
        let want = match hi {
            Some(h) if h == lo => format!("{lo}"),
            Some(h) => format!("{lo} to {h}"),
            None => format!("at least {lo}"),
        };
        let s = if want == "1" { "" } else { "s" };
        return Err(Error::new(Code::E0210, format!("`{}` takes {want} operand{s}, not {n}", def.name))
            .help(format!("its operands are ({})", def.operands.join(", "))));
    }
    Ok(())
}
pub(crate) fn check_regions(def: &OpDef, n: usize) -> Result<()> {
    let needed = def.regions.iter().filter(|l| !region_label(l).1).count();
    let many = many_regions(def.regions);
    if n < needed || n > def.regions.len() && !many {
        let labels: Vec<_> = def.regions.iter().map(|l| region_label(l).0).collect();
        let least = if many { "at least " } else { "" };
        let s = if labels.len() == 1 { "" } else { "s" };
        return Err(Error::new(Code::E0214, format!("`{}` has {least}{} region{s}, not {n}", def.name, labels.len()))
            .help(format!("its regions are: {}", labels.join(", "))));
    }
    Ok(())
}
/// Checks names and kinds, drops defaults, sorts by the row.
pub(crate) fn normalise(def: &'static OpDef, attrs: &mut Attrs) -> Result<()> {
    if attrs.is_empty() && def.slots.is_empty() {
        return Ok(());
    }
    for (k, a) in attrs.clone().iter() {
        let Some(s) = def.slot(k) else {
            return Err(Error::new(Code::E0220, format!("`{}` has no attribute `{k}`", def.name)));
        };
        if !accepts(s.kind, a) {
            return Err(Error::new(Code::E0223, format!("attribute `{k}` of `{}` is {}", def.name, describe(s.kind)))
                .attr(s.name));
        }
        if s.is_default(a) && !s.always {
            attrs.remove(k);
        }
    }
    for s in def.slots {
        if s.default == SlotDefault::Required && attrs.get(s.name).is_none() {
            return Err(Error::new(Code::E0222, format!("`{}` needs `{}`", def.name, s.name)).help(format!(
                "`{}` is {}",
                s.name,
                describe(s.kind)
            )));
        }
    }
    attrs.sort_by(|k| def.slots.iter().position(|s: &Slot| s.name == k).unwrap_or(usize::MAX));
    Ok(())
}
fn accepts(kind: SlotKind, a: &Attr) -> bool {
    let ints = |a: &Attr| matches!(a, Attr::List(l) if l.iter().all(|x| matches!(x, Attr::Int(_))));
    match (kind, a) {
        (SlotKind::Int, Attr::Int(_))
        | (SlotKind::IntOrInts, Attr::Int(_))
        | (SlotKind::Float | SlotKind::FloatOrWord(_), Attr::Float(_))
        | (SlotKind::Bool, Attr::Bool(_))
        | (SlotKind::Str, Attr::Str(_))
        | (SlotKind::Func, Attr::Sym(_))
        | (SlotKind::Data, Attr::Data(_))
        | (SlotKind::Extents, Attr::Extents(_))
        | (SlotKind::Literal, Attr::Tensor(_)) => true,
        (SlotKind::Extent, Attr::Extents(v)) => v.len() == 1,
        (SlotKind::Ints | SlotKind::IntOrInts, a) => ints(a),
        (SlotKind::IntLists, Attr::List(l)) => l.iter().all(ints),
        (SlotKind::Axes, Attr::List(l)) => {
            l.iter().all(|x| matches!(x, Attr::Int(_)) || matches!(x, Attr::Word(w) if &**w == "none"))
        }
        (SlotKind::Word(ws) | SlotKind::Words(ws) | SlotKind::FloatOrWord(ws), Attr::Word(w)) => ws.contains(&&**w),
        (SlotKind::Words(ws), Attr::List(l)) => l.iter().all(|x| matches!(x, Attr::Word(w) if ws.contains(&&**w))),
        _ => false,
    }
}
/// What a slot holds, in words.
pub fn describe(kind: SlotKind) -> String {
    match kind {
        SlotKind::Int => "an integer".into(),
        SlotKind::Ints => "a list of integers: `[0, 1]`".into(),
        SlotKind::IntOrInts => "an integer or a list of integers".into(),
        SlotKind::Axes => "a list of axes, `none` where there is none: `[0, none]`".into(),
        SlotKind::IntLists => "a list of lists of integers: `[[1], [0]]`".into(),
        SlotKind::Float => "a number".into(),
        SlotKind::Bool => "`true` or `false`".into(),
        SlotKind::Str => "text in quotes".into(),
        SlotKind::Word(ws) => format!("one of {}", ws.join(", ")),
        SlotKind::Words(ws) => format!("a list of {}", ws.join(", ")),
        SlotKind::FloatOrWord(ws) => format!("a number or one of {}", ws.join(", ")),
        SlotKind::Func => "a function: `@name`".into(),
        SlotKind::Data => "external data: `@name`".into(),
        SlotKind::Extent => "an extent: `4` or `shape[n]`".into(),
        SlotKind::Extents => "a list of extents: `[1, 2]` or `shape[n, 2]`".into(),
        SlotKind::Literal => "a number or nested lists of numbers".into(),
    }
}
