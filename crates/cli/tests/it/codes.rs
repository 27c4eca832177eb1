//! Every error code with a page is named by a test: a unit test, an integration test, a file test, or a page whose example is
//! played (`pages.rs`). And the codes that no program leads to, by the interfaces that do: a row, a rule or a module that
//! breaks its promise.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tfc_cpu::{CompileOptions, Cpu};
use tfc_interp::{Interp, RunOptions};
use tfc_ir::derive::Derive;
use tfc_ir::op::Linearize;
use tfc_ir::ops::derivative::JVP;
use tfc_ir::*;
use tfc_passes::{Memo, Pipeline};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
/// Every file below.
fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for e in std::fs::read_dir(dir).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() { files(&p, out) } else { out.push(p) }
    }
}
/// The codes in a text.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    let is = |c: &&str| (c.starts_with("E0") || c.starts_with("E1")) && c[2..].bytes().all(|b| b.is_ascii_digit());
    text.match_indices('E').filter_map(move |(at, _)| text.get(at..at + 5).filter(is))
}
/// What of a source file is test code: all of it in a folder or file of tests, else what follows the first test module.
fn tests_of<'a>(path: &Path, text: &'a str) -> &'a str {
    let in_tests = path.components().any(|c| c.as_os_str().to_string_lossy().starts_with("tests"));
    if in_tests { text } else { text.find("#[cfg(test)]\nmod ").map_or("", |at| &text[at..]) }
}

#[test]
fn every_code_with_a_page_is_named_by_a_test() {
    let (root, mut named) = (root(), BTreeSet::new());
    let (mut sources, mut programs, mut pages) = (vec![], vec![], vec![]);
    files(&root.join("crates"), &mut sources);
    files(&root.join("examples"), &mut sources);
    files(&root.join("tests/ir"), &mut programs);
    files(&root.join("docs/errors"), &mut pages);
    for p in sources.iter().filter(|p| p.extension().is_some_and(|e| e == "rs")) {
        let text = std::fs::read_to_string(p).unwrap();
        named.extend(codes(tests_of(p.strip_prefix(&root).unwrap(), &text)).map(str::to_owned));
    }
    for p in programs {
        named.extend(codes(&String::from_utf8_lossy(&std::fs::read(p).unwrap())).map(str::to_owned));
    }
    let mut paged = BTreeSet::new();
    for p in &pages {
        let code = p.file_stem().unwrap().to_str().unwrap();
        if codes(code).eq([code]) {
            paged.insert(code.to_owned());
            // A page's example must give its code.
            named.extend(std::fs::read_to_string(p).unwrap().contains("\n$ ").then(|| code.to_owned()));
        }
    }
    assert!(paged.len() > 100, "only {} pages", paged.len());
    let idle: Vec<_> = paged.difference(&named).collect();
    assert!(idle.is_empty(), "codes that no test names: {idle:?}");
}

fn module(text: &str) -> Module {
    let parsed = tfc_frontend::text::parse_module(format!("tfir 1.0\n{text}").as_bytes(), &Arc::new(OpSet::core()));
    parsed.unwrap_or_else(|d| panic!("{d:?}")).module
}
#[track_caller]
fn fails<T>(r: Result<T>, code: &str, words: &str) {
    let e = r.err().expect("an error is expected");
    assert_eq!(e.data().code.name(), code, "{e}");
    assert!(e.to_string().contains(words), "`{words}` is expected: {e}");
}
/// A row from outside that says nothing but its name.
static BARE: OpDef = OpDef { name: "acme.bare", doc: "Nothing.", operands: &["x"], ..OpDef::BASE };
/// One that has a derivative by partials, and none of them.
static FLAT: OpDef = OpDef {
    name: "acme.flat",
    doc: "Itself.",
    operands: &["x"],
    infer: |cx| Ok(vec![cx.ty(0)?]),
    linearize: Linearize::Partials(&[]),
    ..OpDef::BASE
};

static OUTSIDE: op::Family = &[&BARE, &FLAT];

#[test]
fn rows_that_break_their_promise() {
    fails(OpSet::core().with(ops::elementwise::FAMILY).map(drop), "E0298", "two ops are named `");
    let m = Module::new(Arc::new(OpSet::core().with(OUTSIDE).unwrap()));
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::scalar(DType::F64), "x");
    fails(b.emit(NewOp::new(&BARE, &[x])), "E0299", "`acme.bare` has no inference");
    let y = b.emit(NewOp::new(&FLAT, &[x])).unwrap();
    let f = m.add(b.finish(y).unwrap());
    let mut b = Builder::new(&m, "main");
    let p = [0, 1].map(|_| b.param(Type::scalar(DType::F64), "x"));
    let r = b.emit(NewOp::new(&JVP, &p).attr("callee", Attr::Sym(f.into()))).unwrap();
    m.add(b.finish(r).unwrap());
    let mut m = m;
    let done = Pipeline::parse("expand-ad").unwrap().run(&mut m, &mut |_| {});
    fails(done.map_err(|e| e.error), "E0599", "`acme.flat` has no partial 0");
}

/// What takes the place of a value has its dtype and rank.
#[test]
fn rewrites_that_change_a_type() {
    let m = module("");
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::scalar(DType::F64), "x");
    fails(b.state_type(x, &Type::scalar(DType::F32)), "E0399", "a value of f64[] takes the place of one of f32[]");
}

/// Functions that are transposed as they are, in the parameters marked.
#[test]
fn functions_that_have_no_transpose() {
    let transpose = |text: &str, linear: &[bool]| {
        let m = module(text);
        let f = m.find("f").unwrap();
        Memo::new(&m).transpose(f, linear, &[true]).map(drop)
    };
    let sine = "func @f(%x: f64[]) -> f64[] {\n  %y = sin(%x)\n  return %y\n}\n";
    fails(transpose(sine, &[true]), "E0504", "`sin` cannot be transposed");
    let mixed = "func @f(%c: f64[], %k: f64[]) -> f64[] {
  %s, %t = scan(%c, %k, carry = 2, length = 3) {
    body(%a: f64[], %b: f64[]) {
      %n = mul(%a, %b)
      yield %n, %b
    }
  }
  return %s
}
";
    fails(transpose(mixed, &[true, false]), "E0505", "mixes linear and non-linear carries");
    let doubling = "func @f<n>(%c: f64[n]) -> f64[?g] {
  %g: f64[?g] = scan(%c, carry = 1, length = 3) {
    body(%a: f64[?i]) {
      %b: f64[2*?i] = concat(%a, %a, axis = 0)
      yield %b
    }
  }
  return %g
}
";
    fails(transpose(doubling, &[true]), "E0507", "is known only while the loop runs forward");
}

/// A check that is gone though nothing else says what it asked.
#[test]
fn checks_that_are_left_out() {
    let m = module(
        "export func @main<n>(%x: f64[n]) -> f64[4] {\n  %y: f64[4] = take_prefix(%x, axis = 0)\n  return %y\n}\n",
    );
    let mut f = Func::clone(&m.func(m.find("main").unwrap()).unwrap());
    tfc_ir::verify::func(&m, &f).unwrap();
    f.ops.iter_mut().for_each(|o| o.guards.clear());
    fails(tfc_ir::verify::func(&m, &f), "E0417", "`take_prefix` does not check 4 <= n");
}

/// Modules that nobody verified: engines refuse what they cannot do.
#[test]
fn engines_refuse_what_the_verifier_would_have() {
    let text =
        "export func @main<n>(%x: f64[n]) -> i64[] {\n  %y = neg(%x)\n  %i = argmax(%y, axis = 0)\n  return %i\n}\n";
    let m = module(text);
    let id = m.find("main").unwrap();
    let verified = Func::clone(&m.func(id).unwrap());
    let mut early = verified.clone();
    early.regions[0].ops.reverse();
    m.define(id, early);
    let two = [Tensor::from_logical(&[2], vec![1.0, 2.0]).unwrap()];
    fails(Interp::new(&m).run(id, &two, &RunOptions::default()), "E0718", "used before it is computed");
    let mut open = verified;
    open.wheres.clear();
    open.ops.iter_mut().for_each(|o| o.guards.clear());
    m.define(id, open);
    let compiled = |m: &Module, f| Cpu::compile(m, f, &CompileOptions::default());
    fails(compiled(&m, id), "E0417", "`argmax` does not check");
    // Each of two functions was checked when the other was something else.
    let two = module(
        "func @g(%x: f64[]) -> f64[] {\n  return %x\n}\nfunc @f(%x: f64[]) -> f64[] {\n  %y = call(@g, %x)\n  return %y\n}\n",
    );
    let (f, g) = (two.find("f").unwrap(), two.find("g").unwrap());
    two.define(g, two.func(f).unwrap().as_ref().clone());
    fails(compiled(&two, g), "E0305", "call each other in a circle");
    let mut m = module(
        "func @g(%x: f64[]) -> f64[] {\n  return %x\n}\nfunc @f(%x: f64[]) -> f64[] {\n  %y = call(@g, %x)\n  return %y\n}\nfunc @h(%x: f64[2]) -> f64[2] {\n  return %x\n}\n",
    );
    let [f, g, h] = ["f", "g", "h"].map(|n| m.find(n).unwrap());
    m.define(g, m.func(h).unwrap().as_ref().clone());
    fails(compiled(&m, f), "E0205", "@h takes f64[2] as operand 0");
    m = module("data @w: f64[3] = npy(\"w.npy\")\nfunc @f() -> f64[3] {\n  %w = load(@w)\n  return %w\n}\n");
    m.data[0].value = Some(Tensor::from_logical(&[1], vec![1.0]).unwrap());
    fails(compiled(&m, m.find("f").unwrap()), "E0607", "what was loaded is f64[1]");
}

/// A spelling that gives something else than its row, and a row without one; a family from outside adds its own.
#[test]
fn spellings_of_rows() {
    use tfc_stablehlo::{Options, Spelling, Spellings, export};
    let m = module("func @f(%x: f64[2]) -> f64[2] {\n  %y = neg(%x)\n  return %y\n}\n");
    let (f, options) = (m.find("f").unwrap(), Options::default());
    let row = &tfc_ir::ops::elementwise::NEG;
    let text = |how| export(&m, f, &Spellings::default().with(row, how), &options);
    fails(text(Spelling::By(|_| Ok(vec![]))), "E1109", "`neg` gives other types");
    fails(text(Spelling::By(|cx| Ok(vec![cx.int(1)?]))), "E1109", "`neg` gives other types");
    fails(text(Spelling::Refused("nobody asked")), "E1103", "nobody asked");
    assert!(text(Spelling::Is("acme.minus")).unwrap().contains("= acme.minus %x : tensor<2xf64>"));
    let twice = Spelling::By(|cx| {
        let x = cx.arg(0)?;
        Ok(vec![cx.bin("add", &x, &x)])
    });
    assert!(text(twice).unwrap().contains("%y = stablehlo.add %x, %x : tensor<2xf64>"));
}

/// Meshes and shardings that do not fit: each way to be wrong has its code and says why.
#[test]
fn shardings_that_do_not_fit() {
    use tfc_stablehlo::{Options, Shardings, Spellings, export_sharded};
    let parse = |mesh: &str, all: &[&str]| Shardings::parse(mesh, all);
    for mesh in ["", "data", "data=x", "data=0", "=2", "_=2", "a=2,a=2", "a=2,,b=2", "da ta=2"] {
        fails(parse(mesh, &[]), "E1122", "is no axis of a mesh");
    }
    fails(parse("a=9223372036854775807,b=9223372036854775807", &[]), "E1122", "more devices than can be counted");
    for bad in [&["x"][..], &["=a"], &["x=a", "x=_"]] {
        fails(parse("a=2", bad), "E1122", "is no sharding");
    }
    fails(parse("a=2", &["x=b"]), "E1123", "no axis `b`");
    fails(parse("a=2", &["x=a+"]), "E1123", "no axis ``");
    fails(parse("a=2", &["x=a,a"]), "E1123", "cuts `x` twice");
    let m = module(
        "func @f(%x: f64[6, 4]) -> (y: f64[6, 4], z: f64[]) {\n  %y = neg(%x)\n  %z = const(1.0)\n  return %y, %z\n}\n",
    );
    let f = m.find("f").unwrap();
    let text = |all: &[&str]| {
        let shardings = parse("a=2,b=3,c=4", all).unwrap();
        export_sharded(&m, f, &Spellings::default(), &Options::default(), &shardings)
    };
    fails(text(&["w=a"]), "E1124", "neither a parameter nor a result `w`");
    fails(text(&["x=a"]), "E1125", "has 1 axes");
    fails(text(&["z=a"]), "E1125", "has 1 axes");
    fails(text(&["x=c,_"]), "E1125", "axis 0 of `x` has extent 6, which 4 devices");
    fails(text(&["y=_,a+b"]), "E1125", "axis 1 of `y` has extent 4, which 6 devices");
    let good = text(&["x=a+b,c", "y=b,a", "z="]).unwrap();
    assert!(
        good.contains("%x: tensor<6x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\", \"b\"}, {\"c\"}]>}"),
        "{good}"
    );
    assert!(good.contains("\"y\", sdy.sharding = #sdy.sharding<@mesh, [{\"b\"}, {\"a\"}]>}"), "{good}");
    assert!(good.contains("\"z\", sdy.sharding = #sdy.sharding<@mesh, []>}"), "{good}");
}
