//! Programs in bytecode (`tests/bytecode`, by JAX) do what their text does, and bytes that are wrong are refused.
use super::{folder, root, tfc};
use std::sync::Arc;
use tfc::ir::OpSet;

/// Name, file of bytecode, arguments.
const PROGRAMS: &[(&str, &str, &[&str])] = &[
    ("layers", "mlirbc", &["arg0=randn:1", "arg1=randn:2", "arg2=randn:3"]),
    ("loops", "mlirbc", &["arg0=randn:1"]),
    ("indices", "mlirbc", &["arg0=randn:1", "arg1=ones"]),
    ("windows", "mlirbc", &["arg0=randn:1", "arg1=randn:2"]),
    ("algebra", "mlirbc", &["arg0=randn:1"]),
    ("numbers", "mlirbc", &["arg0=randn:1", "arg1=ones"]),
    ("symbols", "bin", &["arg0=randn:1"]),
];

#[test]
fn bytecode_is_read_as_its_text_is() {
    let dir = root().join("tests/bytecode");
    for (name, ending, given) in PROGRAMS {
        let run = |ending: &str| {
            let file = format!("{name}.{ending}");
            let mut args = vec!["run", &*file, "--print", "full"];
            if *name == "symbols" {
                args.extend(["--bind", "n=4"]);
            }
            args.extend(given.iter().flat_map(|g| ["-i", g]));
            let r = tfc(&dir, &args);
            assert_eq!(r.code, 0, "{file}: {}", r.err);
            r.out
        };
        assert_eq!(run(ending), run("mlir"), "{name}");
    }
}
/// A statement that is wrong has the place in the bytecode's text, and the place in Python that it came from.
#[test]
fn places_are_kept() {
    let r = tfc(&root().join("tests/bytecode"), &["import", "loops.mlirbc"]);
    assert!(r.out.contains("file(\"tests/bytecode/make.py\", "), "{}", r.out);
}
/// The bytecode of one program, damaged.
#[test]
fn damaged_bytecode_is_refused() {
    let ops = Arc::new(OpSet::core());
    let read = |bytes: &[u8]| tfc::stablehlo::parse_module(bytes, &ops);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n.max(1)
    };
    for (name, ending, _) in PROGRAMS {
        let bytes = std::fs::read(root().join(format!("tests/bytecode/{name}.{ending}"))).unwrap();
        assert!(read(&bytes).is_ok(), "{name}");
        let code = tfc::stablehlo::bytecode::find(&bytes).unwrap();
        for end in (0..code.len()).step_by(7) {
            assert!(tfc::stablehlo::bytecode::text(&code[..end]).is_err(), "{name}, of which {end} bytes are left");
        }
        // Some changes leave a program: that it ends, without a panic, is what is asked.
        for _ in 0..400 {
            let mut changed = code.to_vec();
            for _ in 0..=random(3) {
                let at = random(changed.len());
                changed[at] = if random(2) == 0 { random(256) as u8 } else { changed[at] ^ (1 << random(8)) };
            }
            let _ = read(&changed);
        }
    }
}
/// What is refused says why.
#[test]
fn other_bytecode_is_refused_by_name() {
    let dir = folder("bytecode");
    let cases: &[(&[u8], &str)] = &[
        (b"ML\xefR\x01MLIR\0", "version 0 of the format"),
        (b"ML\xefR\x0dMLIR\0", "no section of kind 0"),
        (b"ML\xefR\x0dMLIR", "a text has no end"),
        (b"ML\xefR\x0dMLIR\0\x1f\x01", "a section of kind 31 is not expected"),
        (b"ML\xefR\x0dMLIR\0\x00\xfe", "ends too early"),
    ];
    for (bytes, words) in cases {
        std::fs::write(dir.join("p.mlirbc"), bytes).unwrap();
        let r = tfc(&dir, &["check", "p.mlirbc"]);
        assert!(r.code == 1 && r.err.contains("E0114") && r.err.contains(words), "{words}: {}", r.err);
    }
}
