//! Programs by a PJRT plugin beside the interpreter, and files that are no plugin for this build. The first need a plugin:
//! `TFC_PJRT_PLUGIN` names it, or it lies in `target/pjrt` (`pip install --target target/pjrt xla-cpu-pjrt`); where there is none, they
//! say so.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::common::plugin;
use tfc_api::Kernels;
use tfc_engine::{Backend, Executable, Limits, Options};
use tfc_interp::Oracle;
use tfc_ir::{Module, OpSet, Tensor};
use tfc_stablehlo::Spellings;
use tfc_xla::Xla;

fn module(text: &str) -> Module {
    let ops = Arc::new(OpSet::core());
    tfc_frontend::text::parse_module(format!("tfir 1.0\n{text}").as_bytes(), &ops)
        .unwrap_or_else(|d| panic!("{d:?}"))
        .module
}
fn xla(plugin: PathBuf) -> Xla {
    Xla::new(Spellings::default(), Some(plugin))
}
fn by_xla(plugin: PathBuf, text: &str) -> Box<dyn Executable> {
    let m = module(text);
    let f = m.find("f").unwrap();
    xla(plugin).compile(m, f, &Options::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}
fn by_interp(text: &str) -> Box<dyn Executable> {
    let mut m = module(text);
    tfc_passes::level(0).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("f").unwrap();
    Oracle(Kernels::default().interp).compile(m, f, &Options::default()).unwrap()
}
fn ramp(shape: &[usize]) -> Tensor {
    let n: usize = shape.iter().product();
    Tensor::from_column_major(shape, (0..n).map(|i| (i as f64 * 0.7).sin()).collect()).unwrap()
}
/// The same numbers by both.
fn agree(plugin: &Path, text: &str, args: &[Tensor]) {
    let (got, want) = (by_xla(plugin.to_owned(), text), by_interp(text));
    let got = got.run(args, &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let want = want.run(args, &Limits::default()).unwrap();
    assert_eq!(got.len(), want.len(), "{text}");
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        let why = crate::common::differs(w, g);
        assert!(why.is_none(), "{text}\nresult {i}: {}", why.unwrap_or_default());
    }
}

#[test]
fn programs_give_what_the_interpreter_gives() {
    let Some(p) = plugin() else { return };
    let (a, b) = (ramp(&[3, 4]), ramp(&[4, 2]));
    agree(
        &p,
        "func @f<m, n, k>(%a: f64[m, n], %b: f64[n, k]) -> (c: f64[m, k], t: f64[k, m]) {
           %c: f64[m, k] = dot_general(%a, %b, contract = [[1], [0]])
           %e: f64[m, k] = tanh(%c)
           %t: f64[k, m] = transpose(%e, perm = [1, 0])
           return %c, %t
         }",
        &[a.clone(), b.clone()],
    );
    // Views: an axis backwards, one that stands still, a piece of a larger storage.
    let add = "func @f<m, n>(%a: f64[m, n], %b: f64[m, n]) -> (c: f64[m, n]) {
        %c: f64[m, n] = sub(%a, %b)
        return %c
      }";
    let backwards = a.reverse(&[1]).unwrap();
    let still = Tensor::with_strides(&[3, 4], vec![1, 0], 2, vec![9.0, 9.0, 1.0, 2.0, 3.0]).unwrap();
    let piece = Tensor::with_strides(&[3, 4], vec![5, 1], 3, (0..20).map(f64::from).collect::<Vec<f64>>()).unwrap();
    let rows = Tensor::from_logical(&[3, 4], (0..12).map(f64::from).collect::<Vec<f64>>()).unwrap();
    for (x, y) in [(&backwards, &still), (&piece, &rows), (&rows, &a), (&a, &a)] {
        agree(&p, add, &[x.clone(), y.clone()]);
    }
    agree(&p, add, &[ramp(&[0, 4]), ramp(&[0, 4])]);
    let signal = ramp(&[8]);
    agree(
        &p,
        "func @f(%x: f64[8]) -> (s: f64[8], k: c64[5], p: bool[8], n: i64[8]) {
           %s: f64[8] = sort(%x, axis = 0)
           %k: c64[5] = fft.rfft(%x, axes = [0])
           %o: f64[] = const(0.0)
           %z: f64[8] = broadcast_in_dim(%o, dims = [])
           %p: bool[8] = lt(%x, %z)
           %n: i64[8] = convert(%p)
           return %s, %k, %p, %n
         }",
        &[signal],
    );
    let z = Tensor::from_logical(&[2], vec![tfc_ir::C32::new(1.0, 2.0), tfc_ir::C32::new(-0.5, 0.25)]).unwrap();
    agree(&p, "func @f(%z: c32[2]) -> (w: c32[2]) {\n %w: c32[2] = mul(%z, %z)\n return %w\n}", &[z]);
}

#[test]
fn executables_are_kept_by_shape() {
    let Some(p) = plugin() else { return };
    let f = by_xla(
        p,
        "func @f<n>(%x: f64[n]) -> (s: f64[]) {
           %s: f64[] = reduce_sum(%x, axes = [0])
           return %s
         }",
    );
    let kept = || f.describe().matches("executable").count();
    assert_eq!(kept(), 0);
    for n in 1..=20 {
        for _ in 0..2 {
            let s = f.run(&[ramp(&[n])], &Limits::default()).unwrap();
            let want: f64 = ramp(&[n]).to_logical::<f64>().unwrap().iter().sum();
            assert!((s[0].item::<f64>().unwrap() - want).abs() < 1e-12);
        }
        assert_eq!(kept(), n.min(16));
    }
    let code = |args: &[Tensor]| f.run(args, &Limits::default()).unwrap_err().data().code.name();
    assert_eq!(code(&[]), "E0701");
    assert_eq!(code(&[Tensor::scalar(1.0)]), "E0703");
    assert_eq!(code(&[Tensor::from_logical(&[1], vec![1_i64]).unwrap()]), "E0702");
}

/// Several threads run one executable.
#[test]
fn threads_share_an_executable() {
    let Some(p) = plugin() else { return };
    let f = by_xla(
        p,
        "func @f<n>(%x: f64[n, n]) -> (y: f64[n, n]) {\n %y: f64[n, n] = dot_general(%x, %x, contract = [[1], [0]])\n return %y\n}",
    );
    let want: Vec<_> = (1..5).map(|n| f.run(&[ramp(&[n, n])], &Limits::default()).unwrap().remove(0)).collect();
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for (n, w) in (1..5).zip(&want) {
                    assert!(f.run(&[ramp(&[n, n])], &Limits::default()).unwrap()[0].same(w));
                }
            });
        }
    });
}

#[test]
fn checks_and_prints_are_errors_and_prints() {
    let Some(p) = plugin() else { return };
    let text = "func @f(%x: f64[3]) -> (y: f64[]) {
        %y: f64[] = reduce_sum(%x, axes = [0])
        print(%y, \"sum\")
        %z: f64[] = const(0.0)
        %ok: bool[] = gt(%y, %z)
        check(%ok, \"the sum is positive\")
        check_close(%y, %z, atol = 5.0)
        return %y
      }";
    let f = by_xla(p, text);
    let said = Arc::new(Mutex::new(vec![]));
    let to = said.clone();
    let print: tfc_engine::Print =
        Arc::new(move |label: &str, t: &Tensor| to.lock().unwrap().push((label.to_owned(), t.item::<f64>())));
    let limits = Limits { print: Some(print), ..Limits::default() };
    let run = |v: [f64; 3]| f.run(&[Tensor::from_logical(&[3], v.to_vec()).unwrap()], &limits);
    assert_eq!(run([1.0, 2.0, 1.5]).unwrap()[0].item::<f64>(), Some(4.5));
    let e = run([-1.0, 0.0, 0.0]).unwrap_err();
    assert_eq!((e.data().code.name(), &*e.data().message), ("E0710", "the sum is positive"));
    let at = e.data().span.unwrap();
    assert!(format!("tfir 1.0\n{text}")[at.start as usize..].starts_with("check(%ok"), "the statement's place");
    assert_eq!(run([5.0, 1.0, 1.0]).unwrap_err().data().code.name(), "E0711");
    let want = [4.5, -1.0, 7.0].map(|v| ("sum".to_owned(), Some(v)));
    assert_eq!(*said.lock().unwrap(), want);
}

/// An extent that a value decides: the result is as long as it says.
#[test]
fn extents_may_be_values() {
    let Some(p) = plugin() else { return };
    let f = by_xla(
        p,
        "func @f(%x: f64[5], %k: i64[]) -> (y: f64[?r]) where ?r <= 5 {
           extent(%k, shape[?r]) where ?r <= 5
           %y: f64[?r] = take_prefix(%x, axis = 0)
           return %y
         }",
    );
    for k in [0_i64, 2, 5] {
        let y = f.run(&[ramp(&[5]), Tensor::scalar(k)], &Limits::default()).unwrap();
        assert_eq!(y[0].to_logical::<f64>().unwrap(), ramp(&[5]).to_logical::<f64>().unwrap()[..k as usize]);
    }
    let e = f.run(&[ramp(&[5]), Tensor::scalar(6_i64)], &Limits::default()).unwrap_err();
    assert_eq!(e.data().code.name(), "E0420");
}

#[test]
fn what_is_refused_says_why() {
    let Some(p) = plugin() else { return };
    // What the exporter refuses, at its place.
    let m = module(
        "func @f(%x: f64[2, 2], %p: bool[]) -> (y: f64[2, 2]) {\n  %y: f64[2, 2] = cond(%p, %x) {\n    then(%u: f64[2, 2]) {\n      print(%u, \"u\")\n      yield %u\n    }\n    else(%u: f64[2, 2]) {\n      yield %u\n    }\n  }\n  return %y\n}",
    );
    let f = m.find("f").unwrap();
    let e = xla(p.clone()).compile(m, f, &Options::default()).err().unwrap();
    assert!(e.data().code.name() == "E1105" && e.data().span.is_some(), "{e}");
    let e = xla(p.clone()).run_text("module { func.func public @main( }", &[]).unwrap_err();
    assert_eq!(e.data().code.name(), "E1112", "{e}");
    assert!(e.data().notes.iter().any(|n| n.contains("PJRT API 0.")), "{e:?}");
    // It is compiled, and has an argument more than it is given.
    let one = "module @m { func.func public @main(%x: tensor<2xf64>) -> tensor<2xf64> { return %x : tensor<2xf64> } }";
    let e = xla(p).run_text(one, &[]).unwrap_err();
    assert_eq!(e.data().code.name(), "E1113", "{e}");
    assert!(e.data().message.contains("PJRT_LoadedExecutable_Execute"), "{e}");
}

/// A library with this C code.
fn library(name: &str, code: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins");
    std::fs::create_dir_all(&dir).unwrap();
    let (source, out) = (dir.join(format!("{name}.c")), dir.join(format!("{name}.so")));
    std::fs::write(&source, code).unwrap();
    let o = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&out)
        .arg(&source)
        .output()
        .expect("a C compiler: Rust links by one");
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    out
}
/// A table of functions, all null, with that size and version.
fn table(size: usize, major: i32, minor: i32) -> String {
    format!(
        "static struct {{ unsigned long size; void *next; unsigned long vsize; void *vnext; int major, minor; void *f[200]; }} api = \
         {{ {size}, 0, 24, 0, {major}, {minor}, {{0}} }};\nconst void *GetPjrtApi(void) {{ return &api; }}\n"
    )
}
#[test]
fn files_that_are_no_plugin_are_said_to_be_none() {
    let none = |path: PathBuf| {
        let e = xla(path.clone()).about().unwrap_err();
        let m = module("func @f(%x: f64[]) -> (y: f64[]) {\n  return %x\n}");
        let f = m.find("f").unwrap();
        let again = xla(path).compile(m, f, &Options::default()).err().unwrap();
        assert_eq!((again.data().code.name(), &again.data().message), (e.data().code.name(), &e.data().message));
        assert!(e.data().help.is_some() || e.data().code.name() == "E1112", "{e:?}");
        (e.data().code.name(), e.data().message.clone())
    };
    let (code, text) = none("/no/such/plugin.so".into());
    assert!(code == "E1110" && text.contains("/no/such/plugin.so"), "{text}");
    let text_file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin.txt");
    std::fs::write(&text_file, "not a library").unwrap();
    assert_eq!(none(text_file).0, "E1110");
    let (code, text) = none(library("empty", "int nothing;\n"));
    assert!(code == "E1111" && text.contains("no function `GetPjrtApi`"), "{text}");
    let (code, text) = none(library("null", "const void *GetPjrtApi(void) { return 0; }\n"));
    assert!(code == "E1111" && text.contains("no table"), "{text}");
    let (code, text) = none(library("short", &table(16, 0, 1)));
    assert!(code == "E1111" && text.contains("16 bytes"), "{text}");
    let (code, text) = none(library("major", &table(1640, 7, 3)));
    assert!(code == "E1111" && text.contains("it speaks PJRT API 7.3, tfc 0.81"), "{text}");
    let (code, text) = none(library("old", &table(300, 0, 9)));
    assert!(code == "E1111" && text.contains("PJRT API 0.9") && text.contains("300 bytes"), "{text}");
    let (code, text) = none(library("hollow", &table(1640, 0, 81)));
    assert!(code == "E1112" && text.contains("PJRT_Plugin_Initialize: the plugin does not have it"), "{text}");
    // A plugin that starts and then fails, with a message that is nowhere terminated.
    let failing = format!(
        "{}\n#include <string.h>\nstatic int no;\nstatic void *ok(void *a) {{ return 0; }}\nstatic void *fail(void *a) {{ return &no; }}\n\
         static void gone(void *a) {{ }}\nstatic void said(unsigned long *a) {{ ((const char **)a)[3] = \"no device todayXX\"; a[4] = 15; }}\n\
         __attribute__((constructor)) static void fill(void) {{ api.f[0] = gone; api.f[1] = said; api.f[3] = ok; api.f[4] = fail; \
         api.f[10] = fail; }}\n",
        table(1640, 0, 81)
    );
    let (code, text) = none(library("failing", &failing));
    assert!(code == "E1112" && text == "PJRT_Client_Create: no device today", "{text}");
    // One with a single device, whatever it is asked for.
    let single = format!(
        "{}\nstatic void *ok(void *a) {{ return 0; }}\nstatic int here;\nstatic void *list[1] = {{ &here }};\n\
         static void *devices(void **a) {{ a[3] = list; a[4] = (void *)1; return 0; }}\n\
         __attribute__((constructor)) static void fill(void) {{ for (int i = 3; i < 40; i++) api.f[i] = ok; api.f[16] = devices; }}\n",
        table(1640, 0, 81)
    );
    let single = library("single", &single);
    assert_eq!(xla(single.clone()).about().unwrap().devices.len(), 1);
    let mesh = tfc_stablehlo::Shardings::parse("data=2,model=3", &[] as &[&str]).unwrap();
    let e = xla(single).sharded(Some(mesh)).about().unwrap_err();
    assert_eq!((e.data().code.name(), &*e.data().message), ("E1114", "the mesh has 6 devices, the plugin 1"));
    assert!(e.data().help.is_some());
    let e = Xla::default().about().unwrap_err();
    assert_eq!(e.data().code.name(), "E1110");
}
