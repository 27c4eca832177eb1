//! What regions of scalars say, as far as a row has a word for it.
use super::super::super::ast::Block;

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
    let handed = matches!(end.operands.as_slice(), [x] if super::is_terminator(end.name.text) && x.name == result.text);
    (both && handed && COMMUTATIVE.contains(&op.name.text)).then_some(op.name.text)
}

/// What a region's results are, as expressions over its parameters, numbered: how two regions are seen to be the same.
/// `None` where an op has a region or an attribute that is not a word.
pub(super) fn expressions(block: &Block) -> Option<Vec<String>> {
    use super::super::super::ast::AttrKind;
    use std::collections::HashMap;
    /// Longer expressions are none that anybody looks for.
    const MOST: usize = 2000;
    let mut known: HashMap<&str, String> = HashMap::new();
    for (i, p) in block.params.iter().enumerate() {
        known.insert(p.name.text, format!("{i}"));
    }
    for op in &block.ops {
        let operands: Vec<&str> =
            op.operands.iter().map(|u| known.get(u.name).map(String::as_str)).collect::<Option<_>>()?;
        if super::is_terminator(op.name.text) {
            return Some(operands.into_iter().map(str::to_owned).collect());
        }
        let words: Vec<&str> = op
            .given
            .iter()
            .chain(op.attrs.iter().map(|(_, a)| a))
            .map(|a| match a.kind {
                AttrKind::Word(w) => Some(w),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let [(result, 1)] = op.results.as_slice() else { return None };
        let direction = words.first().copied().unwrap_or_default();
        let name = op.name.text.rsplit('.').next().unwrap_or_default();
        let text = format!("{name}{direction}({})", operands.join(","));
        if !op.regions.is_empty() || text.len() > MOST {
            return None;
        }
        known.insert(result.text, text);
    }
    None
}
