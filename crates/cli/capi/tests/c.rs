//! A C program, compiled against the header and the library, prints what it should.
use std::path::{Path, PathBuf};
use std::process::Command;

/// Links the library of this build.
fn example(dir: &Path) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Beside this test lies the library that it was built with.
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let library = [deps.parent().unwrap().to_owned(), deps]
        .into_iter()
        .find(|d| d.join("libtfc_capi.so").exists() || d.join("libtfc_capi.dylib").exists());
    let library = library.expect("the library is built with its tests");
    let out = dir.join("example");
    let o = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(here.join("include"))
        .arg(here.join("tests/example.c"))
        .arg("-o")
        .arg(&out)
        .arg("-L")
        .arg(&library)
        .arg("-ltfc_capi")
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .output()
        .expect("a C compiler: Rust links by one");
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    out
}
#[test]
fn a_c_program_uses_the_library() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
    std::fs::create_dir_all(&dir).unwrap();
    let o = Command::new(example(&dir)).output().unwrap();
    let text = String::from_utf8(o.stdout).unwrap();
    assert!(o.status.success(), "{text}{}", String::from_utf8_lossy(&o.stderr));
    let want = [
        "3 inputs, 2 outputs",
        "slope 2.000000, loss 0.000000",
        "gradient of rank 0: ",
        "dlpack: 64 bits, rank 0",
        "from dlpack: strides 3 1, same memory 1",
        "deleted 0, then 1",
        "error[E1044]: the tensor lies on a device of kind 2",
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
