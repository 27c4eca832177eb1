//! The methods of `src/traced/ops.rs` are what the rows say: `TFC_ACCEPT=1` writes them anew.
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use tfc_ir::op::{SlotDefault, SlotKind};
use tfc_ir::sample::SampleCx;
use tfc_ir::{BODY, DType, Module, OpDef, OpSet};

/// Rows without a generated method, and why.
const BY_HAND: &[(&str, &str)] = &[
    ("bitcast", "takes a dtype"),
    ("broadcast_in_dim", "takes a shape"),
    ("const", "a constant has no operand to be a method of"),
    ("convert", "takes a dtype"),
    ("dim_value", "has no operand to be a method of"),
    ("extent", "binds a name, and gives nothing"),
    ("fused", "is made by a pass"),
    ("iota", "has no operand to be a method of"),
    ("load", "names data of a file"),
    ("guard", "states a fact of the text"),
    ("rng_bit_generator", "the written type is that of its second result"),
    ("reshape", "takes a shape, in two orders"),
];
/// What a row would be called that is a word of Rust, or something else on every value.
const RENAMED: &[(&str, &str)] = &[("clamp", "clamp_from")];

/// How many results the op has in its samples; `None` where that depends on the op.
fn results(ops: &Arc<OpSet>, def: &'static OpDef) -> Option<usize> {
    let mut seen = BTreeSet::new();
    for dtype in [DType::F64, DType::F32, DType::C64, DType::I64, DType::U32, DType::Bool] {
        let m = Module::new(ops.clone());
        for s in (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap_or_default() {
            let f = m.func(s.func).unwrap();
            f.walk(BODY, &mut |o| {
                if f.op(o).def.is(def) {
                    seen.insert(f.op(o).results.len());
                }
            });
        }
    }
    assert!(!seen.is_empty(), "`{}` has no sample", def.name);
    if seen.len() == 1 { seen.pop_first() } else { None }
}

/// The Rust type of a required attribute, and how it becomes a value.
fn parameter(kind: SlotKind, name: &str) -> (String, String) {
    let (ty, value) = match kind {
        SlotKind::Int => ("i64", format!("{name}.into()")),
        SlotKind::Ints | SlotKind::IntOrInts => ("impl IntoInts", format!("Value::Ints({name}.into_ints())")),
        SlotKind::IntLists => ("&[&[usize]]", format!("{name}.into()")),
        SlotKind::Float => ("f64", format!("{name}.into()")),
        SlotKind::Bool => ("bool", format!("{name}.into()")),
        SlotKind::Str | SlotKind::Word(_) => ("&str", format!("{name}.into()")),
        SlotKind::Words(_) => ("&[&str]", format!("{name}.into()")),
        SlotKind::FloatOrWord(_) => ("impl Into<Value>", format!("{name}.into()")),
        SlotKind::Extent => ("impl Into<Dim>", format!("Value::Dims(vec![{name}.into()])")),
        SlotKind::Extents => ("impl IntoDims", format!("dims({name})")),
        SlotKind::Literal => ("Tensor", format!("{name}.into()")),
        SlotKind::Func | SlotKind::Data => unreachable!("such a row has no method"),
    };
    (ty.into(), value)
}

fn method(ops: &Arc<OpSet>, def: &'static OpDef, out: &mut String) {
    let plain = def.name.strip_prefix("linalg.").or(def.name.strip_prefix("fft.")).unwrap_or(def.name);
    let plain = RENAMED.iter().find(|r| r.0 == def.name).map_or(plain, |r| r.1).replace('.', "_");
    let many = def.operands.last().is_some_and(|o| o.ends_with('…'));
    let fixed = def.operands.len() - usize::from(many);
    let elementwise = def.scalar.is_some() && def.slots.is_empty() && !many && fixed >= 2;
    let mut params = String::new();
    let mut operands = vec!["self".to_owned()];
    for o in def.operands.iter().skip(1).take(fixed.max(1) - 1) {
        write!(params, ", {o}: &TracedTensor").unwrap();
        operands.push((*o).to_owned());
    }
    let list = if many {
        // The first of any number is `self`.
        write!(params, ", others: &[&TracedTensor]").unwrap();
        format!("&[&[{}][..], others].concat()", operands.join(", "))
    } else {
        format!("&[{}]", operands.join(", "))
    };
    let mut values = vec![];
    for s in def.slots.iter().filter(|s| s.default == SlotDefault::Required) {
        let (ty, value) = parameter(s.kind, s.name);
        write!(params, ", {}: {ty}", s.name).unwrap();
        values.push(format!("(\"{}\", {value})", s.name));
    }
    let typed = if def.needs_type {
        write!(params, ", dtype: DType, shape: impl IntoDims").unwrap();
        "Some((dtype, shape.into_dims()))"
    } else {
        "None"
    };
    let optional: Vec<&str> = def.slots.iter().filter(|s| s.default != SlotDefault::Required).map(|s| s.name).collect();
    let (ty, call) = match results(ops, def) {
        Some(1) => ("TracedTensor".to_owned(), "generated_1".to_owned()),
        Some(n) if n > 1 => (format!("[TracedTensor; {n}]"), "generated_n".to_owned()),
        _ => ("Vec<TracedTensor>".to_owned(), "generated".to_owned()),
    };
    let doc: Vec<&str> = def.doc.split("\n\n").next().unwrap_or_default().split_whitespace().collect();
    let doc = doc.join(" ");
    let doc = doc.replace('[', "\\[").replace(']', "\\]").replace('<', "\\<");
    let head = |out: &mut String, extra: &str| {
        writeln!(out, "    /// {doc}{extra}").unwrap();
        writeln!(out, "    ///").unwrap();
        writeln!(out, "    /// # Errors").unwrap();
        writeln!(out, "    /// Those of the op `{}`.", def.name).unwrap();
        writeln!(out, "    #[track_caller]").unwrap();
        if params.matches(',').count() > 6 {
            writeln!(out, "    #[allow(clippy::too_many_arguments, reason = \"what the op takes\")]").unwrap();
        }
    };
    head(out, "");
    writeln!(out, "    pub fn {plain}(&self{params}) -> Result<{ty}> {{").unwrap();
    if elementwise {
        writeln!(out, "        TracedTensor::elementwise(row(\"{}\")?, {list}, Location::caller())", def.name).unwrap();
    } else {
        let values = values.join(", ");
        writeln!(out, "        {call}(\"{}\", {list}, vec![{values}], &[], {typed}, Location::caller())", def.name)
            .unwrap();
    }
    writeln!(out, "    }}").unwrap();
    if !optional.is_empty() {
        head(
            out,
            &format!("\n    ///\n    /// `options`: values of {}.", {
                let all: Vec<String> = optional.iter().map(|o| format!("`{o}`")).collect();
                all.join(", ")
            }),
        );
        writeln!(out, "    pub fn {plain}_with(&self{params}, options: &[(&str, Value)]) -> Result<{ty}> {{").unwrap();
        let values = values.join(", ");
        writeln!(out, "        {call}(\"{}\", {list}, vec![{values}], options, {typed}, Location::caller())", def.name)
            .unwrap();
        writeln!(out, "    }}").unwrap();
    }
}

#[test]
fn every_row_is_a_method() {
    let ops = Arc::new(OpSet::core());
    let mut text = String::from(
        "//! One method a row. Generated from the rows by the test `ops` (`TFC_ACCEPT=1`): not to be edited.\n\
         #![allow(clippy::should_implement_trait, reason = \"operators are these methods; both are there\")]\n\
         use super::apply::{IntoInts, Value, dims, generated, generated_1, generated_n, row};\n\
         use super::dim::{Dim, IntoDims};\n\
         use super::graph::TracedTensor;\n\
         use std::panic::Location;\n\
         use tfc_ir::{DType, Result};\n\n\
         impl TracedTensor {\n",
    );
    let mut skipped = BTreeSet::new();
    for def in ops.iter() {
        // Regions and callees come from closures: `control.rs`, `ad.rs`.
        let closure = !def.regions.is_empty() && def.regions.iter().any(|r| !r.ends_with('?')) || def.calls();
        // What only checks or prints gives no tensor to ask for.
        let nothing = !closure && !BY_HAND.iter().any(|b| b.0 == def.name) && results(&ops, def) == Some(0);
        if closure || nothing || BY_HAND.iter().any(|b| b.0 == def.name) {
            skipped.insert(def.name);
            continue;
        }
        assert!(!def.operands.is_empty(), "`{}` wants a line in BY_HAND", def.name);
        method(&ops, def, &mut text);
    }
    text.push_str("}\n");
    for (name, _) in BY_HAND {
        assert!(skipped.contains(name), "`{name}` in BY_HAND is no row, or has a method");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/traced/ops.rs");
    let formatted = rustfmt(&text);
    if std::env::var_os("TFC_ACCEPT").is_some() {
        std::fs::write(path, &formatted).unwrap();
    }
    let now = std::fs::read_to_string(path).unwrap();
    assert!(now == formatted, "src/traced/ops.rs is not what the rows say; write it by TFC_ACCEPT=1");
}

/// As the repository's formatter writes it.
fn rustfmt(text: &str) -> String {
    let mut child = std::process::Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap()
}
