//! Texts that are almost StableHLO: a program, and some places of it changed. The same seed gives the same text.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tfc_ir::OpSet;
use tfc_testkit::Rng;

/// Texts larger than this are left out: they cost time and show nothing that smaller ones do not.
const LARGEST: usize = 12_000;

/// What is changed: the project's own programs, and where they lie beside it those of the outside suites.
pub(crate) struct Corpus {
    texts: Vec<String>,
    /// How many of them, the first, are the project's.
    own: usize,
    /// Names of ops, with dialect.
    ops: Vec<String>,
    /// Names of attributes.
    attributes: Vec<String>,
}

fn read_all(dir: &Path, texts: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    for p in paths {
        if p.is_dir() {
            read_all(&p, texts);
        } else if p.extension().is_some_and(|e| e == "mlir") {
            let text = std::fs::read_to_string(&p).unwrap();
            texts.extend(text.split("// -----").filter(|t| t.contains("func.func")).map(str::to_owned));
        }
    }
}
/// A program with arguments and results, which the programs that check themselves do not have.
const OPEN: &str = r#"module @open {
  func.func public @main(%x: tensor<3x4xf64>, %k: tensor<2xi32>, %p: tensor<i1>, %w: tensor<4x2xf64>) -> (tensor<3x2xf64>, tensor<2x4xf64>, tensor<3xi32>, tensor<f64>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf64>, tensor<4x2xf64>) -> tensor<3x2xf64>
    %1 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f64>) -> tensor<3x2xf64>
    %2 = stablehlo.maximum %0, %1 : tensor<3x2xf64>
    %3 = call @unused_result(%2) : (tensor<3x2xf64>) -> tensor<3x2xf64>
    %4 = stablehlo.reshape %k : (tensor<2xi32>) -> tensor<2x1xi32>
    %5 = "stablehlo.gather"(%x, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf64>, tensor<2x1xi32>) -> tensor<2x4xf64>
    %6 = "stablehlo.scatter"(%5, %4, %5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %s = stablehlo.add %a, %b : tensor<f64>
      stablehlo.return %s : tensor<f64>
    }) : (tensor<2x4xf64>, tensor<2x1xi32>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %7 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf64>, tensor<f64>) -> tensor<f64>
    %8 = "stablehlo.if"(%p) ({
      %t = stablehlo.sine %7 : tensor<f64>
      stablehlo.return %t : tensor<f64>
    }, {
      stablehlo.return %7 : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    %9:2 = stablehlo.while(%i = %one, %c = %8) : tensor<i32>, tensor<f64>
     cond {
      %five = stablehlo.constant dense<5> : tensor<i32>
      %q = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %i1 = stablehlo.add %i, %one : tensor<i32>
      %c1 = stablehlo.cosine %c : tensor<f64>
      stablehlo.return %i1, %c1 : tensor<i32>, tensor<f64>
    }
    %10:2 = "stablehlo.sort"(%x, %x) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>, %e: tensor<f64>, %f: tensor<f64>):
      %l = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    }) : (tensor<3x4xf64>, tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
    %11 = stablehlo.slice %10#0 [0:3, 1:4:3] : (tensor<3x4xf64>) -> tensor<3x1xf64>
    %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<3x1xf64>) -> tensor<1x3xf64>
    %13 = stablehlo.reshape %12 : (tensor<1x3xf64>) -> tensor<3xf64>
    %14 = stablehlo.pad %13, %zero, low = [0], high = [1], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<4xf64>
    %15 = stablehlo.iota dim = 0 : tensor<3xi32>
    %16 = stablehlo.shift_left %15, %15 : tensor<3xi32>
    %17 = stablehlo.concatenate %14, %13, dim = 0 : (tensor<4xf64>, tensor<3xf64>) -> tensor<7xf64>
    %18 = stablehlo.dynamic_slice %17, %one, sizes = [1] : (tensor<7xf64>, tensor<i32>) -> tensor<1xf64>
    %19 = stablehlo.reshape %18 : (tensor<1xf64>) -> tensor<f64>
    %20 = stablehlo.add %19, %9#1 : tensor<f64>
    return %3, %6, %16, %20 : tensor<3x2xf64>, tensor<2x4xf64>, tensor<3xi32>, tensor<f64>
  }
  func.func private @unused_result(%x: tensor<3x2xf64>) -> tensor<3x2xf64> {
    %0 = stablehlo.convert %x : (tensor<3x2xf64>) -> tensor<3x2xf32>
    %1 = stablehlo.exponential %0 : tensor<3x2xf32>
    %2 = stablehlo.convert %1 : (tensor<3x2xf32>) -> tensor<3x2xf64>
    %c = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
    %3 = stablehlo.multiply %2, %c : tensor<3x2xf64>
    return %3 : tensor<3x2xf64>
  }
  func.func private @nobody_calls(%x: tensor<2x2xf64>) -> tensor<2xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%x init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
}
"#;

impl Corpus {
    /// `root` is the project's folder.
    pub(crate) fn new(root: &Path) -> Corpus {
        // What is refused as it is stays refused when it is changed, and for the same reason.
        let ops = Arc::new(OpSet::core());
        let read = |t: &String| t.len() <= LARGEST && tfc_stablehlo::parse_module(t.as_bytes(), &ops).is_ok();
        let mut texts = vec![OPEN.to_owned()];
        read_all(&root.join("tests/stablehlo"), &mut texts);
        read_all(&root.join("crates/cli/tests/data"), &mut texts);
        texts.retain(read);
        let own = texts.len();
        let outside =
            std::env::var_os("TFC_CONFORMANCE").map_or(root.join("../shared/conformance"), std::path::PathBuf::from);
        read_all(&outside, &mut texts);
        texts.retain(read);
        assert!(own > 20, "only {own} programs");
        let all = texts.join("\n");
        let words = |begins: &dyn Fn(&str) -> bool| -> Vec<String> {
            let found = tokens(&all).into_iter().filter(|t| begins(t)).map(str::to_owned);
            found.collect::<BTreeSet<_>>().into_iter().collect()
        };
        let ops = words(&|t| ["stablehlo.", "chlo.", "check.", "enzyme."].iter().any(|d| t.starts_with(d)));
        let mut attributes: Vec<String> = all
            .lines()
            .flat_map(|l| l.split(['{', ',', '<', '(', ' ']).zip(l.split(['{', ',', '<', '(', ' ']).skip(1)))
            .filter(|(name, is)| {
                *is == "=" && !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            })
            .map(|(name, _)| name.to_owned())
            .collect();
        attributes.sort();
        attributes.dedup();
        Corpus { texts, own, ops, attributes }
    }
    /// The text of that seed.
    pub(crate) fn text(&self, seed: u64) -> Vec<u8> {
        let mut rng = Rng::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x6d6c_6972);
        // The first text has arguments, and those of the project are few.
        let at = match rng.below(4) {
            0 => 0,
            1 => rng.below(self.own),
            _ => rng.below(self.texts.len()),
        };
        let mut text = self.texts[at].clone();
        for _ in 0..1 + rng.below(3) / 2 {
            text = self.change(&text, &mut rng);
        }
        if rng.below(12) == 0 {
            return bytes(text.into_bytes(), &mut rng);
        }
        text.into_bytes()
    }
    fn change(&self, text: &str, rng: &mut Rng) -> String {
        match rng.below(16) {
            0 | 1 => self.one_token(text, rng),
            2 => number(text, rng),
            3 => operand(text, rng),
            4 => lines(text, rng),
            5 => everywhere(text, rng),
            6 => a_type(text, rng),
            7 => region(text, rng),
            8 => self.attribute(text, rng),
            9 => self.an_op(text, rng),
            10 => constant(text, rng),
            11 => signature(text, rng),
            12 => extent(text, rng),
            13 => dtype(text, rng),
            14 => operand(&operand(text, rng), rng),
            _ => lines(&number(text, rng), rng),
        }
    }
    /// Drops, doubles, swaps or replaces one token.
    fn one_token(&self, text: &str, rng: &mut Rng) -> String {
        let mut all = tokens(text);
        let at = rng.below(all.len());
        let other = rng.below(all.len());
        match rng.below(5) {
            0 => drop(all.remove(at)),
            1 => all.insert(at, all[at]),
            2 => all.swap(at, other),
            3 => all[at] = all[other],
            _ => all[at] = PUNCTUATION[rng.below(PUNCTUATION.len())],
        }
        all.concat()
    }
    fn attribute(&self, text: &str, rng: &mut Rng) -> String {
        let Some((from, to)) = find(text, rng, |t| self.attributes.iter().any(|a| a == t)) else { return text.into() };
        match rng.below(3) {
            // `name = value`, up to what ends it.
            0 | 1 if text[to..].starts_with(" = ") => {
                let rest = &text[to + 3..];
                let (mut depth, mut end) = (0i32, rest.len());
                for (i, c) in rest.char_indices() {
                    match c {
                        '[' | '{' | '<' | '(' => depth += 1,
                        ']' | '}' | '>' | ')' if depth > 0 => depth -= 1,
                        ',' | ' ' | '>' | '}' | ')' | ']' | '\n' if depth == 0 => {
                            end = i;
                            break;
                        }
                        _ => {}
                    }
                }
                let value = &rest[..end];
                let new = match rng.below(5) {
                    0 => String::new(),
                    1 => format!("{} = {}", rng_of(&self.attributes, rng), value),
                    2 => format!("{} = {value}, {} = {value}", &text[from..to], rng_of(&self.attributes, rng)),
                    3 => format!("{} = {value}, {} = {value}", &text[from..to], &text[from..to]),
                    _ => format!("{} = {}", &text[from..to], VALUES[rng.below(VALUES.len())]),
                };
                format!("{}{new}{}", &text[..from], &rest[end..])
            }
            _ => format!("{}{}{}", &text[..from], rng_of(&self.attributes, rng), &text[to..]),
        }
    }
    fn an_op(&self, text: &str, rng: &mut Rng) -> String {
        let is_op = |t: &str| t.starts_with("stablehlo.") || t.starts_with("chlo.");
        let Some((from, to)) = find(text, rng, is_op) else { return text.into() };
        format!("{}{}{}", &text[..from], rng_of(&self.ops, rng), &text[to..])
    }
}

const PUNCTUATION: [&str; 24] = [
    "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "->", "?", "*", "-", "#", "@x", "%0", "!", "\"", "x",
    "^bb0", "loc", " ",
];
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-2",
    "5",
    "7",
    "64",
    "1000000",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "1.5",
    "1e400",
    "0x7F",
];
const DTYPES: [&str; 18] = [
    "f32",
    "f64",
    "i32",
    "i64",
    "ui32",
    "ui64",
    "i1",
    "i8",
    "ui8",
    "complex<f32>",
    "complex<f64>",
    "bf16",
    "f16",
    "i4",
    "index",
    "i16",
    "f8E4M3FN",
    "none",
];
const VALUES: [&str; 20] = [
    "true",
    "false",
    "unit",
    "0 : i64",
    "1 : i32",
    "\"x\"",
    "[]",
    "[0]",
    "[0, 1]",
    "array<i64>",
    "array<i64: 0>",
    "array<i64: 1, 1>",
    "array<i1: true>",
    "dense<1> : tensor<1xi64>",
    "dense<> : tensor<0x2xi64>",
    "@main",
    "{}",
    "-1 : i64",
    "9223372036854775807 : i64",
    "#stablehlo<precision DEFAULT>",
];
const LITERALS: [&str; 24] = [
    "dense<7>",
    "dense<7.0>",
    "dense<-1>",
    "dense<true>",
    "dense<[1, 2]>",
    "dense<[1.0, 2.0]>",
    "dense<[[1.0, 2.0]]>",
    "dense<>",
    "dense<[]>",
    "dense<\"0x00\">",
    "dense<\"0x0000000000000000\">",
    "dense<0x7FF0000000000000>",
    "dense<0xFFC00000>",
    "dense<(1.0,2.0)>",
    "dense<[(1.0,2.0), (0.0,1.0)]>",
    "dense<nan>",
    "dense<1e400>",
    "dense<18446744073709551616>",
    "dense<-9223372036854775808>",
    "dense<0x1>",
    "dense<\"\">",
    "dense<[true, false]>",
    "dense<1.5>",
    "dense_resource<x>",
];

fn rng_of<'a>(list: &'a [String], rng: &mut Rng) -> &'a str {
    list.get(rng.below(list.len())).map_or("", String::as_str)
}
/// Words with their sigils, numbers, strings, and everything else a character each.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let word = |c: u8| c.is_ascii_alphanumeric() || b"_.$".contains(&c);
    let (bytes, mut out, mut at) = (text.as_bytes(), vec![], 0);
    while at < bytes.len() {
        let from = at;
        at += 1;
        match bytes[from] {
            b'"' => {
                while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
                    at += 1;
                }
                at = (at + 1).min(bytes.len());
            }
            b'-' if bytes.get(at) == Some(&b'>') => at += 1,
            b' ' => {
                while bytes.get(at) == Some(&b' ') {
                    at += 1;
                }
            }
            c if word(c) || b"%@!^#".contains(&c) => {
                while bytes.get(at).is_some_and(|c| word(*c)) {
                    at += 1;
                }
            }
            _ => {}
        }
        while !text.is_char_boundary(at) {
            at += 1;
        }
        out.push(&text[from..at]);
    }
    out
}
/// A token that is so, by chance: from, to.
fn find(text: &str, rng: &mut Rng, is: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    let mut at = 0;
    let mut places = vec![];
    for t in tokens(text) {
        if is(t) {
            places.push((at, at + t.len()));
        }
        at += t.len();
    }
    (!places.is_empty()).then(|| places[rng.below(places.len())])
}
fn with(text: &str, (from, to): (usize, usize), new: &str) -> String {
    format!("{}{new}{}", &text[..from], &text[to..])
}
fn number(text: &str, rng: &mut Rng) -> String {
    let Some(at) = find(text, rng, |t| t.bytes().all(|c| c.is_ascii_digit())) else { return text.into() };
    with(text, at, NUMBERS[rng.below(NUMBERS.len())])
}
fn operand(text: &str, rng: &mut Rng) -> String {
    let is = |t: &str| t.starts_with('%');
    let (Some(at), Some(other)) = (find(text, rng, is), find(text, rng, is)) else { return text.into() };
    with(text, at, &text[other.0..other.1])
}
/// Drops, doubles, swaps or moves whole lines.
fn lines(text: &str, rng: &mut Rng) -> String {
    let mut all: Vec<&str> = text.lines().collect();
    let (at, other) = (rng.below(all.len()), rng.below(all.len()));
    match rng.below(5) {
        0 | 1 => drop(all.remove(at)),
        2 => all.insert(at, all[at]),
        3 => all.swap(at, other),
        _ => {
            let line = all.remove(at);
            all.insert(other.min(all.len()), line);
        }
    }
    all.join("\n") + "\n"
}
/// Where a token that begins a tensor type's element type stands: the place of the dtype in `4x3xf64`.
fn element(t: &str) -> Option<usize> {
    let rest = t.trim_start_matches(|c: char| c.is_ascii_digit() || c == 'x');
    let known = DTYPES.contains(&rest) || rest == "complex";
    known.then_some(t.len() - rest.len())
}
/// One dtype, or all of one, become another: what stays consistent is accepted more often.
fn dtype(text: &str, rng: &mut Rng) -> String {
    let Some((from, to)) = find(text, rng, |t| element(t).is_some()) else { return text.into() };
    let at = from + element(&text[from..to]).unwrap_or(0);
    let new = DTYPES[rng.below(DTYPES.len())];
    if rng.below(2) == 0 {
        with(text, (at, to), new)
    } else {
        text.replace(&format!("{}>", &text[at..to]), &format!("{new}>"))
    }
}
fn everywhere(text: &str, rng: &mut Rng) -> String {
    let pairs = [
        ("f64", "f32"),
        ("f32", "f64"),
        ("i32", "i64"),
        ("i64", "i32"),
        ("i32", "ui32"),
        ("f64", "i64"),
        ("f32", "i32"),
        ("f64", "complex<f64>"),
        ("<3x", "<0x"),
        ("<4x", "<0x"),
        ("<2x", "<1x"),
        ("<2x", "<0x"),
        ("i1>", "i32>"),
        ("add", "multiply"),
        ("maximum", "minimum"),
        ("LT", "GE"),
        ("SIGNED", "UNSIGNED"),
        ("x2x", "x3x"),
        ("x4x", "x1x"),
        ("private", "public"),
        ("public", "private"),
        ("[0]", "[1]"),
        ("dense<0", "dense<1"),
        ("dense<1", "dense<-1"),
        ("true", "false"),
    ];
    let (from, to) = pairs[rng.below(pairs.len())];
    text.replace(from, to)
}
fn extent(text: &str, rng: &mut Rng) -> String {
    let Some((from, to)) = find(text, rng, |t| element(t).is_some_and(|n| n > 0)) else { return text.into() };
    let token = &text[from..to];
    let n = element(token).unwrap_or(0);
    let mut dims: Vec<&str> = token[..n].trim_end_matches('x').split('x').collect();
    let at = rng.below(dims.len());
    match rng.below(6) {
        0 => drop(dims.remove(at)),
        1 => dims.insert(at, dims[at]),
        2 => dims[at] = "?",
        3 => dims.reverse(),
        _ => dims[at] = NUMBERS[rng.below(NUMBERS.len())],
    }
    let shape: String = dims.iter().map(|d| format!("{d}x")).collect();
    // One place, or the type wherever it stands.
    let new = format!("{shape}{}", &token[n..]);
    if rng.below(2) == 0 {
        with(text, (from, to), &new)
    } else {
        text.replace(&format!("<{token}"), &format!("<{new}"))
    }
}
/// A type becomes another one of the text, or none, or one twice.
fn a_type(text: &str, rng: &mut Rng) -> String {
    let places: Vec<(usize, usize)> = text
        .match_indices("tensor<")
        .filter_map(|(i, _)| Some((i, i + text[i..].find(">,").or(text[i..].find('>'))? + 1)))
        .collect();
    if places.is_empty() {
        return text.into();
    }
    let (at, other) = (places[rng.below(places.len())], places[rng.below(places.len())]);
    let other = text[other.0..other.1].to_owned();
    match rng.below(5) {
        0 => with(text, at, ""),
        1 => with(text, at, &format!("{other}, {other}")),
        2 => with(text, at, &format!("tuple<{other}>")),
        _ => with(text, at, &other),
    }
}
/// A region is dropped, doubled, emptied or put in the place of another.
fn region(text: &str, rng: &mut Rng) -> String {
    let mut open = vec![];
    let mut all = vec![];
    for (i, c) in text.char_indices() {
        match c {
            '{' => open.push(i),
            '}' => all.extend(open.pop().map(|from| (from, i + 1))),
            _ => {}
        }
    }
    if all.is_empty() {
        return text.into();
    }
    let (at, other) = (all[rng.below(all.len())], all[rng.below(all.len())]);
    let (own, other) = (text[at.0..at.1].to_owned(), text[other.0..other.1].to_owned());
    match rng.below(5) {
        0 => with(text, at, ""),
        1 => with(text, at, "{}"),
        2 => with(text, at, &format!("{own}, {own}")),
        3 if own.len() + other.len() < 4000 => with(text, at, &other),
        _ => with(text, at, &own.replacen("stablehlo.return", "stablehlo.negate", 1)),
    }
}
/// The literal of a constant, or its type.
fn constant(text: &str, rng: &mut Rng) -> String {
    let places: Vec<(usize, usize)> = text
        .match_indices("dense<")
        .filter_map(|(i, _)| Some((i, i + text[i..].find("> :")? + 1)))
        .filter(|(from, to)| !text[*from..*to].contains('\n'))
        .collect();
    if places.is_empty() {
        return text.into();
    }
    with(text, places[rng.below(places.len())], LITERALS[rng.below(LITERALS.len())])
}
/// What a function is called, takes and gives.
fn signature(text: &str, rng: &mut Rng) -> String {
    let heads: Vec<usize> = text.match_indices("func.func").map(|m| m.0).collect();
    let Some(&from) = heads.get(rng.below(heads.len())) else { return text.into() };
    let to = from + text[from..].find('\n').unwrap_or(0);
    let head = &text[from..to];
    let new = match rng.below(7) {
        0 => head.replacen('@', "private @", 1),
        1 => head.replacen("private ", "", 1),
        2 => head.replacen(": tensor<", ": tensor<2x", 1),
        3 => head.replacen("-> ", "-> tensor<f32>, ", 1),
        4 => head.replacen('(', "(%extra: tensor<f32>, ", 1),
        5 => head.replacen("tensor<", "tensor<?x", 1),
        _ => head.replacen("-> tensor<", "-> tensor<7x", 1),
    };
    with(text, (from, to), &new)
}
/// Single bytes.
fn bytes(mut b: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    for _ in 0..1 + rng.below(3) {
        let (at, other) = (rng.below(b.len()), rng.below(b.len()));
        match rng.below(5) {
            0 => b[at] = rng.below(256) as u8,
            1 => drop(b.remove(at)),
            2 => b.insert(at, b[other]),
            3 => b.truncate(at.max(1)),
            _ => drop(b.drain(at..(at + rng.below(40)).min(b.len()))),
        }
        if b.is_empty() {
            b.push(b' ');
        }
    }
    b
}
