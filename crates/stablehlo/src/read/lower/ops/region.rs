//! What regions of scalars say, as far as a row has a word for it.
use super::super::super::ast::{Block, Op, Param};

/// Ops whose operands may change places.
const COMMUTATIVE: [&str; 7] = [
    "stablehlo.add",
    "stablehlo.multiply",
    "stablehlo.maximum",
    "stablehlo.minimum",
    "stablehlo.and",
    "stablehlo.or",
    "stablehlo.xor",
];

/// The commutative op of both its parameters that a region of two scalars is, if it is one.
pub(super) fn combiner<'a>(block: &'a Block<'a>) -> Option<&'a str> {
    let ([first, second], [op, end]) = (block.params.as_slice(), block.ops.as_slice()) else { return None };
    let ([(result, _)], [x, y]) = (op.results.as_slice(), op.operands.as_slice()) else { return None };
    let (a, b) = (first.name.text, second.name.text);
    let both = (x.name == a && y.name == b) || (x.name == b && y.name == a);
    let types = op.ins.iter().flatten().chain(&op.outs).chain(end.ins.iter().flatten().chain(&end.outs));
    // Another type is found where the region is read as one.
    let same = first.ty.is(&second.ty) && types.into_iter().all(|t| t.is(&first.ty));
    let handed = matches!(end.operands.as_slice(), [x] if super::is_terminator(end.name.text) && x.name == result.text);
    (both && same && handed && COMMUTATIVE.contains(&op.name.text)).then_some(op.name.text)
}

/// What a region's results are, as expressions over its parameters, numbered: how two regions are seen to be the same.
/// A comparison by total order has a `~`.
/// `None` where an op has a region or an attribute that is not a word.
pub(super) fn expressions(block: &Block) -> Option<Vec<String>> {
    expressions_of(&block.params, &block.ops)
}
/// The same of a function.
pub(super) fn expressions_of(params: &[Param], ops: &[Op]) -> Option<Vec<String>> {
    use super::super::super::ast::AttrKind;
    use std::collections::HashMap;
    /// Longer expressions are none that anybody looks for.
    const MOST: usize = 2000;
    let mut known: HashMap<&str, String> = HashMap::new();
    for (i, p) in params.iter().enumerate() {
        known.insert(p.name.text, format!("{i}"));
    }
    for op in ops {
        let operands: Vec<&str> =
            op.operands.iter().map(|u| known.get(u.name).map(String::as_str)).collect::<Option<_>>()?;
        if super::is_terminator(op.name.text) {
            return Some(operands.into_iter().map(str::to_owned).collect());
        }
        // The direction of a comparison, in whatever place; how it compares follows from what it compares.
        let (mut directions, mut total) = (vec![], "");
        for (key, a) in op.given.iter().map(|a| (None, a)).chain(op.attrs.iter().map(|(k, a)| (Some(k.text), a))) {
            match (key, &a.kind) {
                (_, AttrKind::Word("TOTALORDER")) => total = "~",
                (None | Some("comparison_direction"), AttrKind::Word(w)) => directions.push(*w),
                (Some("compare_type"), AttrKind::Word(_)) => {}
                // What any dictionary may hold.
                (Some(k), _) if k.contains('.') => {}
                _ => return None,
            }
        }
        let [(result, 1)] = op.results.as_slice() else { return None };
        let direction = directions.first().copied().unwrap_or_default();
        let name = op.name.text.rsplit('.').next().unwrap_or_default();
        let text = format!("{name}{direction}{total}({})", operands.join(","));
        if !op.regions.is_empty() || text.len() > MOST {
            return None;
        }
        known.insert(result.text, text);
    }
    None
}
