//! Lowering: names, attributes, types and extents. Each mistake gives one error with its code at its place, and none
//! hides another; what is right survives printing and parsing again.
use std::sync::Arc;
use tfc_frontend::render::{Format, Source, render};
use tfc_frontend::text::{fmt, parse_module};
use tfc_ir::{Module, OpSet, print};

fn module(src: &str) -> Result<Module, String> {
    let ops = Arc::new(OpSet::core());
    let show = |e: Vec<_>| render(&e, &Source::new("t.tfir", src), Format::Human, false);
    parse_module(src.as_bytes(), &ops).map(|p| p.module).map_err(show)
}

/// `(code, underlined text)` of each error of `src`.
fn errors(src: &str) -> Vec<(&'static str, String)> {
    let source = Source::new("t.tfir", src);
    let found = parse_module(src.as_bytes(), &Arc::new(OpSet::core())).err().unwrap_or_default();
    found.iter().map(|d| (d.code.name(), source.slice(d.span()).to_string())).collect()
}

const ERRORS: &str = include_str!("text/errors.tfir");
const SAMPLE: &str = include_str!("text/sample.tfir");

#[test]
fn every_mistake_is_reported_at_its_place() {
    let expected = [
        ("E0312", "#5"),
        ("E0410", "n + 1"),
        ("E0223", "1"),
        ("E0223", "npx"),
        ("E0220", "kee"),
        ("E0222", "npz"),
        ("E0308", "m"),
        ("E0307", "mm"),
        ("E0401", "?r"),
        ("E0304", "y"),
        ("E0307", "nn"),
        ("E0208", "return"),
        ("E0311", "#7"),
        ("E0307", "nm"),
        ("E0302", "@ident"),
        ("E0304", "%h"),
        ("E0301", "%alpah"),
        ("E0302", "@id"),
        ("E0301", "%p"),
        ("E0303", "%inner"),
        ("E0303", "%inner"),
        ("E0401", "?q"),
        ("E0226", "[3, 4, 5]"),
        ("E0223", "true"),
        ("E0223", "1.5"),
        ("E0011", "-1"),
        ("E0011", "99999999999999999999999999999"),
        ("E0221", "splat"),
        ("E0220", "axes"),
        ("E0223", "[0]"),
        ("E0229", "7"),
        ("E0207", "iota"),
        ("E0217", "foo"),
        ("E0301", "%zz"),
        ("E0217", "iotaa"),
        ("E0201", "f8e8m0fnu"),
        ("E0210", "stop_gradient"),
        ("E0211", "stop_gradient"),
        ("E0206", "f64[3]"),
        ("E0206", "f64[3]"),
        ("E0214", "body"),
        ("E0214", "els"),
        ("E0217", "\"acme.op\""),
        ("E0222", "call"),
        ("E0411", "call"),
        ("E0405", "n - 9223372036854775807 - 2"),
        ("E0310", "mim"),
        ("E0402", "2 - 3"),
        ("E0407", "floordiv(n, 0)"),
        ("E0310", "floordiv(n)"),
        ("E0011", "99999999999999999999"),
        ("E0307", "N"),
        ("E0208", "return"),
        ("E0305", "@circle"),
        ("E0208", "%a"),
    ];
    assert_eq!(errors(ERRORS), expected.map(|(c, u)| (c, u.to_string())));
    insta::assert_snapshot!("errors", module(ERRORS).err().unwrap_or_default());
}

#[test]
fn parsing_what_is_printed_gives_the_same_module() {
    let m = module(SAMPLE).unwrap_or_else(|e| panic!("{e}"));
    let once = print::module(&m);
    insta::assert_snapshot!("printed", once);
    let again = module(&once).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print::module(&again), once);
    let formatted = fmt(&once).unwrap_or_default();
    assert_eq!(print::module(&module(&formatted).unwrap_or_else(|e| panic!("{e}"))), once);
}

#[test]
fn functions_keep_their_order_and_may_be_used_before_their_definition() {
    let m = module(SAMPLE).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<String> = m.funcs().iter().map(|(_, f)| f.name.to_string()).collect();
    assert_eq!(names, ["first", "loops", "pick", "last", "cut", "meet", "norm"]);
}

#[test]
fn syntax_errors_hide_nothing_elsewhere() {
    let src = "tfir 1.0
func @f(%x: f64[2]) -> f64[2] {
  %a: f64[2] = stop_gradient(%x
  %b: f64[2] = stop_gradient(%a)
  %c: f64[2] = stop_gradient(%y)
  %d: f64[3] = stop_gradient(%x)
  %e: f64[4] = stop_gradient(%d)
  return %c
}
func @g(%x f64[2]) -> f64[2] {
  %a = stop_gradient(%nothing)
  return %a
}
func @h(%x: f64[2]) -> f64[2] {
  %a = call(@g, %x)
  %b = call(@f, %a)
  %c = stop_gradient(%b, %b)
  return %c
}
";
    let expected = [("E0103", ""), ("E0301", "%y"), ("E0206", "f64[3]"), ("E0103", "f64"), ("E0210", "stop_gradient")];
    assert_eq!(errors(src), expected.map(|(c, u)| (c, u.to_string())));
}

#[test]
fn hostile_extents() {
    let body = |line: &str| format!("tfir 1.0\nfunc @f<n>(%x: f64[n]) -> f64[n] {{\n  {line}\n  return %x\n}}\n");
    let sum = format!("{}1", "1 + ".repeat(1_000_000));
    assert_eq!(errors(&body(&format!("%y: f64[{sum}] = const([1.0])"))), [("E0206", format!("f64[{sum}]"))]);
    assert_eq!(errors(&body(&format!("%y: f64[{}] = iota(axis = 0)", "n + ".repeat(100_000) + "n"))), []);
    assert_eq!(errors(&body(&format!("%y: f64[{}2] = iota(axis = 0)", "2*".repeat(1_000_000))))[0].0, "E0405");
    assert_eq!(errors(&body(&format!("%y = const({})", "9".repeat(400))))[0].0, "E0011");
    let mut nested = "yield %x\n".to_string();
    for i in 0..63 {
        nested = format!("%v{i}: f64[n] = cond(%t) {{ then() {{\n{nested} }} else() {{ yield %x }} }}\nyield %v{i}\n");
    }
    let nested = nested.trim_end().rsplit_once('\n').map_or("", |s| s.0).to_string();
    assert_eq!(errors(&body(&format!("%t = const(true)\n{nested}"))), []);
    let list = "1.5, ".repeat(200_000);
    assert_eq!(errors(&body(&format!("%y: f64[200000] = const([{list}])"))), []);
    assert_eq!(errors(&body(&"%y = stop_gradient(%z)\n".repeat(500))).len(), 100);
}

#[test]
fn mutated_programs_never_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    let ops = Arc::new(OpSet::core());
    let (mut good, mut bad) = (0, 0);
    for i in 0..4_000 {
        let mut bytes: Vec<u8> = if i % 4 == 0 { ERRORS.into() } else { SAMPLE.into() };
        for _ in 0..1 + below(3) {
            let (at, other) = (below(bytes.len()), below(bytes.len()));
            match below(4) {
                0 => bytes[at] = b"%@?#(){}[]<>=,:+-*0123nmx \n"[below(27)],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, bytes[other]),
                _ => drop(bytes.drain(at..(at + below(30)).min(bytes.len()))),
            }
        }
        match parse_module(&bytes, &ops) {
            Ok(p) => {
                let once = print::module(&p.module);
                let again = module(&once).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&bytes)));
                assert_eq!(print::module(&again), once);
                good += 1;
            }
            Err(e) => {
                assert!(!e.is_empty());
                bad += 1;
            }
        }
    }
    assert!(good > 0 && bad > 0);
}

#[test]
fn spans_end_at_their_last_token() {
    let src = "tfir 1.0\nfunc @f<n>(%x: f64[n]) -> f64[n]\n{\n  %y: f64[n] = neg(%x)\n\n  check_equal(%x, %y) // a\n\
               \n  %s = while(%y) {\n    cond(%c: f64[n]) { %t = const(true) yield %t }\n    body(%b: f64[n])\n    \
               { yield %b }\n  }\n  %z = call(@g , %s) #4\n\n  return %z\n\n}\n\
               func @g<n>(%x: f64[n]) -> f64[n] {\n  return %x\n}\nloc #4 = file(\"a\", 1)\n";
    let m = module(src).unwrap_or_else(|e| panic!("{e}"));
    let source = Source::new("t.tfir", src);
    let f = m.func(m.find("f").unwrap()).unwrap();
    let mut texts: Vec<&str> = f.body().ops.iter().map(|&o| source.slice(f.op(o).span)).collect();
    texts.push(source.slice(f.body().span));
    let whole = &src[src.find("%s = while").unwrap()..src.find("\n  %z").unwrap()];
    assert_eq!(texts, ["%y: f64[n] = neg(%x)", "check_equal(%x, %y)", whole, "%z = call(@g , %s) #4", "return %z"]);
}
