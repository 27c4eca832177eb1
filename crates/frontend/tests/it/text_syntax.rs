//! Lexical and syntax errors: the code and the underlined text of each, several in one file, none that aborts.
use tfc_frontend::render::{Format, Source, render};
use tfc_frontend::text::{fmt, syntax_errors};

/// `(code, underlined text)` of each error of `src`.
fn errors(src: impl AsRef<[u8]>) -> Vec<(&'static str, String)> {
    let source = Source::new("t.tfir", src.as_ref());
    syntax_errors(src.as_ref()).iter().map(|d| (d.code.name(), source.slice(d.span()).to_string())).collect()
}

#[track_caller]
fn one(src: impl AsRef<[u8]>, code: &str, underlined: &str) {
    let found = errors(src);
    assert_eq!(found.iter().map(|e| (e.0, e.1.as_str())).collect::<Vec<_>>(), [(code, underlined)]);
}

/// A function whose body is `line` and a `return`.
fn body(line: &str) -> String {
    format!("tfir 1.0\nfunc @f(%x: f64[2]) -> f64[2] {{\n  {line}\n  return %x\n}}\n")
}

#[test]
fn lexical_errors() {
    one(b"tfir 1.0\n\xff\xfe", "E0001", "?");
    one(b"\xff\xfet\0", "E0001", "??");
    one("\u{feff}tfir 1.0\n", "E0002", "\u{feff}");
    one("tfir 1.0\n\0", "E0003", "\0");
    one("tfir 1.0\n// a\u{7}\n", "E0003", "\u{7}");
    one("tfir 1.0\rmodule @m", "E0003", "\r");
    one("tfir 1.0\n// a\u{202e}b\n", "E0004", "\u{202e}");
    one("tfir 1.0\nmodule @m(a = \"\u{2066}\")\n", "E0004", "\u{2066}");
    one("tfir 1.0\nmodule @m(a = \"x)\n", "E0005", "\"x)");
    one("tfir 1.0\nmodule @m(a = \"x\\", "E0005", "\"x\\");
    one(r#"tfir 1.0 module @m(a = "a\qb\n\t\\\"")"#, "E0006", "\\q");
    for bad in ["1..2", "1e", "0x", "1.", "0xg", "1e+", "1.5.2", "1_000"] {
        one(body(&format!("%y = const({bad})")), "E0007", bad);
        one(body(&format!("%y = const([-{bad}])")), "E0007", bad);
    }
    one(body("%y: f64[2n] = neg(%x)"), "E0007", "2n");
    one(body("%y = neg(%x);"), "E0008", ";");
    one(body("%y = neg(%\u{e9}t\u{e9})"), "E0008", "%\u{e9}t\u{e9}");
}

#[test]
fn clean_files_have_no_errors() {
    for ok in [
        "tfir 1",
        "tfir 1.0\n",
        "tfir 1\n",
        "tfir 1.1\n",
        "tfir 1.0\r\nmodule @m\r\n// ok \u{3b1}",
        "\n\n// a\ntfir 1.0 func @f() -> () { return }",
    ] {
        assert_eq!(errors(ok), [], "{ok}");
    }
}

#[test]
fn header_errors() {
    one("", "E0108", "");
    one("// only a comment\n", "E0108", "");
    one("func @f() -> () { return }", "E0101", "func");
    one("tfir 1.2\nsomething { new", "E0102", "1.2");
    one("tfir 2.0", "E0102", "2.0");
    one("tfir 1.10", "E0102", "1.10");
    one("tfir 99999999999999999999.0", "E0102", "99999999999999999999.0");
    one("tfir\nmodule @m", "E0109", "module");
    one("tfir 1.0e3", "E0109", "1.0e3");
    one("tfir 0.9", "E0109", "0.9");
    let empty = syntax_errors(b"");
    let text = render(&empty, &Source::new("e.tfir", ""), Format::Short, false);
    assert_eq!(text, "e.tfir:1:1: error[E0108]: the file is empty\n");
    assert!(syntax_errors(b"tfir 1.2")[0].message.contains("tfir 1.2"));
}

#[test]
fn form_errors() {
    one("tfir 1.0\nfunc @f() -> () {\n}", "E0104", "}");
    one(body("%y = cond(%x) {\n then() {\n }\n }"), "E0104", "}");
    one("tfir 1.0\nfunc @f(%x: f64[]) -> f64[] {\n  yield %x\n}", "E0105", "yield");
    one(body("%y = cond(%x) {\n then() { return %x }\n }"), "E0105", "return");
    one("tfir 1.0\nfunc @f() -> () {\n return %a\n %b = f()\n %c = g()\n}", "E0106", "%b");
    one("tfir 1.0\nfunc @f() -> () {\n return\n %b: f64[] = f()\n}", "E0106", "%b");
    one(body("%y = pad(low = [1], %x)"), "E0107", "%x");
    one(body("%y = pad(low = [1], 3)"), "E0107", "3");
    one("tfir 1.0\nfunc @f() -> () {\n  %a = g()", "E0110", "");
    one("tfir 1.0\nfunc @f() -> () {\n return\nfunc @g() -> () {\n return\n}", "E0110", "func");
    one("tfir 1.1\nimport @f", "E0103", "@f");
    one("tfir 1.1\nimport \"f.tfir\"", "E0103", "");
    one("tfir 1.0\nmodule @a\nmodule @b", "E0112", "module @b");
}

#[test]
fn unexpected_tokens() {
    one(body("%y: f64[2 = neg(%x)"), "E0103", "=");
    one(body("%y f64[2] = neg(%x)"), "E0103", "f64");
    one(body("%y = neg %x"), "E0103", "%x");
    one(body("%y = neg(%x))"), "E0103", ")");
    one(body("%y: f64 = neg(%x)"), "E0103", "=");
    one(body("= neg(%x)"), "E0103", "=");
    one(body("%y = neg(%x"), "E0103", "");
    one("tfir 1.0\n}\n", "E0103", "}");
    one("tfir 1.0\n%x = neg(%y)\nfunc @f() -> () { return }", "E0103", "%x");
    one("tfir 1.0\nfunc @f(%x) -> f64[] {\n return %x\n}", "E0103", ")");
    one("tfir 1.0\nfunc @f(%x: f64[]) f64[] {\n return %x\n}", "E0103", "f64");
    one("tfir 1.0\nfunc @f<n>(%x: f64[n]) -> f64[n] where n = 2 {\n return %x\n}", "E0103", "=");
    one("tfir 1.0\nfunc @f(%x: f64[]) -> f64[]\n  return %x\n}", "E0103", "");
    one("tfir 1.0\ndata @w: f64[2] npy(\"a\")", "E0103", "npy");
}

#[test]
fn five_mistakes_give_five_errors() {
    let src = "tfir 1.0
export func @f(%x: f64[2], %y: f64[2]) -> f64[2] {
  %a: f64[2 = add(%x, %y)
  %b: f64[2] = add(%x, %y
  %c: f64[2] = mul(%x, 1..2)
  %d = while(%x) {
    cond(%i: i64[]) {
      %p = lt(%i %i)
      yield %p
    }
    body(%i: i64[]) {
      return %i
    }
  }
  %e: f64[2] == neg(%x)
  return %b
}
";
    let expected =
        [("E0103", "="), ("E0103", ""), ("E0007", "1..2"), ("E0103", "%i"), ("E0105", "return"), ("E0103", "==")];
    assert_eq!(errors(src), expected.map(|(c, u)| (c, u.to_string())));
}

#[test]
fn a_syntax_error_a_line_at_most() {
    assert_eq!(errors(body("%y = = = ) ( neg(%x")).len(), 1);
    assert_eq!(errors(body(&"%y = neg(%x\n".repeat(30))).len(), 30);
}

#[test]
fn hostile_sizes() {
    let deep = |open: &str, close: &str, n: usize| body(&format!("%y = const({}1{})", open.repeat(n), close.repeat(n)));
    one(deep("[", "]", 1_000_000), "E0009", "[");
    assert_eq!(errors(deep("[", "]", 60)), []);
    one(body(&format!("%y: f64[{}n] = neg(%x)", "(".repeat(1_000_000))), "E0009", "(");
    let regions = |n| body(&format!("{}yield %x\n{}", "cond(%x) { then() {\n".repeat(n), "} }\n yield %x\n".repeat(n)));
    assert_eq!(errors(regions(10_000)).first().map(|e| e.0), Some("E0010"));
    assert_eq!(errors(body(&format!("%y: f64[{}1] = neg(%x)", "1 + ".repeat(1_000_000)))), []);
    assert_eq!(errors(body(&format!("%y: f64[{}1] = neg(%x)", "2*".repeat(1_000_000)))), []);
    assert_eq!(errors(body(&format!("%y = const({})", "9".repeat(400)))), []);
    assert_eq!(errors("tfir 1.0\n".to_string() + &"}\n".repeat(100_000)).len(), 1);
    assert!(errors("tfir 1.0\n".to_string() + &"$ %\n".repeat(100_000)).len() <= 60);
}

#[test]
fn formats() {
    let src = body("%caf\u{e9} = neg(%x)\n  %y: f64[2 = neg(%x)");
    let source = Source::new("a.tfir", &src);
    insta::assert_snapshot!("human", render(&syntax_errors(src.as_bytes()), &source, Format::Human, false));
    insta::assert_snapshot!("short", render(&syntax_errors(src.as_bytes()), &source, Format::Short, false));
    insta::assert_snapshot!("json", render(&syntax_errors(src.as_bytes()), &source, Format::Json, false));
    let color = render(&syntax_errors(src.as_bytes()), &source, Format::Human, true);
    assert!(color.contains("\u{1b}[") && color.contains("E0103"));
}

const UNFORMATTED: &str = include_str!("text/unformatted.tfir");

#[test]
fn fmt_keeps_everything_and_is_idempotent() {
    let once = fmt(UNFORMATTED).unwrap();
    insta::assert_snapshot!("formatted", once);
    assert_eq!(fmt(&once).unwrap(), once);
    let bare = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>().replace(",)", ")");
    assert_eq!(bare(&once), bare(UNFORMATTED));
    assert_eq!(fmt("tfir 1.0\n$").unwrap_err()[0].code.name(), "E0008");
}

/// A small deterministic generator (xorshift); tests must not depend on a seed from outside.
struct Rng(u64);
impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..1 + rng.below(4) {
        let (at, other) = (rng.below(bytes.len()), rng.below(bytes.len()));
        match rng.below(5) {
            0 => bytes[at] = rng.below(256) as u8,
            1 => bytes[at] = b"%@?#(){}[]<>=,:+-*\"\\\n "[rng.below(22)],
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, bytes[other]),
            _ => drop(bytes.drain(at..(at + rng.below(30)).min(bytes.len()))),
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
}

fn mutations(n: usize) {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let formatted = fmt(UNFORMATTED).unwrap();
    let (mut good, mut bad) = (0, 0);
    for i in 0..n {
        let mut bytes = if i % 2 == 0 { UNFORMATTED.into() } else { formatted.clone().into_bytes() };
        mutate(&mut rng, &mut bytes);
        let found = syntax_errors(&bytes);
        match String::from_utf8(bytes.clone()) {
            Ok(src) if found.is_empty() => {
                let once = fmt(&src).unwrap();
                assert_eq!(fmt(&once).as_ref(), Ok(&once), "{src}");
                good += 1;
            }
            _ => {
                let source = Source::new("m.tfir", &bytes);
                for f in [Format::Human, Format::Short, Format::Json] {
                    assert!(render(&found, &source, f, false).contains(found[0].code.name()));
                }
                bad += 1;
            }
        }
    }
    assert!(good > 0 && bad > 0);
}

#[test]
fn mutated_input_never_panics() {
    mutations(10_000);
}

#[test]
#[ignore = "takes minutes; run by hand"]
fn a_million_mutations_never_panic() {
    mutations(1_000_000);
}
