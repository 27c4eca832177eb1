//! A C program, compiled against the header and the library, prints what it should.
use std::path::{Path, PathBuf};
use std::process::Command;
use tfc_testkit::Need;

/// Compiles a program of this folder with these flags and links the library of this build; `None`, and says why, where there is no
/// C compiler, or none that knows the flags.
fn program(name: &str, flags: &[&str]) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
    std::fs::create_dir_all(&dir).unwrap();
    // Beside this test lies the library that it was built with.
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let library = [deps.parent().unwrap().to_owned(), deps]
        .into_iter()
        .find(|d| d.join("libtfc_capi.so").exists() || d.join("libtfc_capi.dylib").exists());
    let library = library.expect("the library is built with its tests");
    let compile = |source: &Path, out: &Path| {
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"]).arg(here.join("include")).args(flags);
        cc.arg(source).arg("-o").arg(out).arg("-L").arg(&library).arg("-ltfc_capi");
        cc.arg(format!("-Wl,-rpath,{}", library.display())).output()
    };
    let empty = dir.join("empty.c");
    std::fs::write(&empty, "int main(void) { return 0; }\n").unwrap();
    match compile(&empty, &dir.join("empty")) {
        Err(e) => {
            Need::C.missing(format!("there is no C compiler `cc`: {e}"));
            return None;
        }
        Ok(o) if !o.status.success() => {
            println!("`cc` compiles nothing with {flags:?}: {}", String::from_utf8_lossy(&o.stderr));
            return None;
        }
        Ok(_) => {}
    }
    let out = dir.join(name);
    let o = compile(&here.join(format!("tests/{name}.c")), &out).unwrap();
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    Some(out)
}
/// What it prints.
fn output(program: &Path) -> String {
    let o = Command::new(program).output().unwrap();
    let text = String::from_utf8(o.stdout).unwrap();
    assert!(o.status.success(), "{text}{}", String::from_utf8_lossy(&o.stderr));
    text
}
#[test]
fn a_c_program_uses_the_library() {
    let Some(example) = program("example", &[]) else { return };
    let text = output(&example);
    let want = [
        "3 inputs, 2 outputs",
        "slope 2.000000, loss 0.000000",
        "gradient of rank 0: ",
        "dlpack: 64 bits, rank 0",
        "from dlpack: strides 3 1, same memory 1",
        "deleted 0, then 1",
        "error[E1044]: the tensor lies on a device of kind 2",
        "losses 30 0 30",
        "error[E0228]: 2 axes for 3 parameters of @main",
        "error[E0704]",
        "error[E1043]: the program has 2 outputs; room for 1 is given",
        "error[E1043]: output 0 is f64[]; its buffer is f32[]",
        "error[E1040]: the compiled program is NULL",
        "error[E1042]: a buffer has the dtype 77, which there is not",
        "not a program: 1",
        "no file: 1",
        "error[E1041]: the path is not UTF-8",
        "error[E1008]: there is no input `z`",
        "text names its op: 1",
    ];
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), want.len(), "{text}");
    for (l, w) in lines.iter().zip(want) {
        assert!(l.starts_with(w), "`{w}` is expected:\n{text}");
    }
}
/// Under AddressSanitizer where there is one: the library is not made for it, but what it allocates and frees is watched, and pages
/// that must not be touched are.
#[test]
fn what_crosses_the_border_is_whole() {
    let sanitized = ["-g", "-fsanitize=address", "-fno-omit-frame-pointer"];
    let Some(border) = program("border", &sanitized).or_else(|| program("border", &["-g"])) else { return };
    assert_eq!(output(&border), "the border holds\n");
}
/// Functions of the header are those of the library, and the other way round.
#[test]
fn the_header_is_complete() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(here.join("include/tfc.h")).unwrap();
    let mut declared: Vec<&str> = header
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '('))
        .filter_map(|w| w.strip_suffix('(').or_else(|| w.split_once('(').map(|p| p.0)))
        .filter(|w| w.starts_with("tfc_"))
        .collect();
    let sources = ["src/lib.rs", "src/dlpack.rs"].map(|f| std::fs::read_to_string(here.join(f)).unwrap()).concat();
    let mut defined: Vec<&str> = sources
        .split("extern \"C\" fn ")
        .skip(1)
        .filter_map(|s| s.split_once('(').map(|p| p.0))
        .filter(|n| n.starts_with("tfc_"))
        .collect();
    for l in [&mut declared, &mut defined] {
        l.sort_unstable();
        l.dedup();
    }
    assert_eq!(declared, defined);
}
