//! Expected values, changed.
/// What begins the text of an expected value.
const EXPECTED: [&str; 2] = ["func.func private @expected", "check.expect_"];

/// `text` with one element changed of the constant number `n` that it expects; `None` where there is none, or it is empty.
pub(crate) fn changed(text: &str, n: usize) -> Option<String> {
    let starts = EXPECTED.iter().flat_map(|w| text.match_indices(w).map(|m| m.0));
    let mut starts: Vec<usize> = starts.filter(|&at| is_constant(text, at)).collect();
    starts.sort_unstable();
    let from = *starts.get(n)?;
    let open = from + text[from..].find("dense<")? + "dense<".len();
    let close = open + text[open..].find('>')?;
    let ty = text[close..].split("tensor<").nth(1)?;
    let element = ty.split('>').next()?.rsplit('x').next()?;
    if ty.split('>').next()?.split('x').any(|d| d == "0") {
        return None;
    }
    let body = &text[open..close];
    let new = match body.trim().strip_prefix("\"0x") {
        Some(hex) => format!("\"0x{}", changed_bytes(hex, element)?),
        None => changed_number(body, element)?,
    };
    Some(format!("{}{new}{}", &text[..open], &text[close..]))
}
/// Whether a constant follows before the statement, or the function, ends.
fn is_constant(text: &str, at: usize) -> bool {
    let rest = &text[at..];
    let end = if rest.starts_with("func") { rest.find("return") } else { rest.find('\n') };
    rest[..end.unwrap_or(rest.len())].contains("dense<")
}
/// The first element's highest bits: not a difference that any tolerance allows.
fn changed_bytes(hex: &str, element: &str) -> Option<String> {
    let size = match element {
        "i1" => 1,
        "f32" | "i32" | "ui32" | "complex<f32" => 4,
        _ => 8,
    };
    let at = 2 * (size - 1);
    let top = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
    let top = if size == 1 { top ^ 1 } else { top ^ 0x40 };
    Some(format!("{}{top:02X}{}", &hex[..at], &hex[at + 2..]))
}
/// The first number of lists.
fn changed_number(body: &str, element: &str) -> Option<String> {
    let at = body.find(|c: char| !matches!(c, '[' | '(') && !c.is_whitespace())?;
    let end =
        body[at..].find(|c: char| matches!(c, ',' | ']' | ')') || c.is_whitespace()).map_or(body.len(), |n| at + n);
    let new = match &body[at..end] {
        "true" => "false",
        "false" => "true",
        _ if element.contains('f') => "7.7e+09",
        "7" => "5",
        "1" | "-1" => "0",
        "0" => "1",
        _ => "7",
    };
    Some(format!("{}{new}{}", &body[..at], &body[end..]))
}

#[test]
fn one_element_is_changed() {
    let text = "check.expect_eq_const %0, dense<[[1.0, 2.0]]> : tensor<1x2xf32>\n";
    assert_eq!(changed(text, 0).unwrap(), text.replace("1.0", "7.7e+09"));
    let text = "func.func private @expected() { %0 = stablehlo.constant dense<\"0x0000803F\"> : tensor<1xf32>\nreturn";
    assert_eq!(changed(text, 0).unwrap(), text.replace("803F", "807F"));
    assert_eq!(changed(text, 1), None);
}
