//! The methods of `src/traced/ops.rs` and `src/eager/rows.rs`, and the options of `src/options.rs`, are what the rows say: `TFC_ACCEPT=1`
//! writes them anew.
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use tfc_ir::op::{Slot, SlotDefault, SlotKind};
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
    ("matmul", "has no options"),
    ("reshape", "takes a shape, in two orders"),
];
/// What a row would be called that is a word of Rust, or something else on every value.
const RENAMED: &[(&str, &str)] = &[("clamp", "clamp_from"), ("slice", "slice_range")];

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

/// Which tensors methods are of.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Traced,
    Eager,
}
impl Way {
    fn tensor(self) -> &'static str {
        match self {
            Way::Traced => "TracedTensor",
            Way::Eager => "EagerTensor",
        }
    }
    fn place(self) -> &'static str {
        match self {
            Way::Traced => ", Location::caller()",
            Way::Eager => "",
        }
    }
}

/// The Rust type of an attribute, and how it becomes a value.
fn parameter(kind: SlotKind, name: &str, way: Way) -> (&'static str, String) {
    match kind {
        SlotKind::Int => ("i64", format!("{name}.into()")),
        SlotKind::Ints | SlotKind::IntOrInts => ("impl IntoInts", format!("Value::Ints({name}.into_ints())")),
        SlotKind::IntLists => ("&[&[usize]]", format!("{name}.into()")),
        SlotKind::Float => ("f64", format!("{name}.into()")),
        SlotKind::Bool => ("bool", format!("{name}.into()")),
        SlotKind::Str | SlotKind::Word(_) => ("&str", format!("{name}.into()")),
        SlotKind::Words(_) => ("&[&str]", format!("{name}.into()")),
        SlotKind::FloatOrWord(_) => ("impl Into<Value>", format!("{name}.into()")),
        SlotKind::Extent if way == Way::Eager => ("usize", format!("{name}.into()")),
        SlotKind::Extents if way == Way::Eager => ("impl IntoInts", format!("Value::Ints({name}.into_ints())")),
        SlotKind::Extent => ("impl Into<Dim>", format!("Value::Dims(vec![{name}.into()])")),
        SlotKind::Extents => ("impl IntoDims", format!("dims({name})")),
        SlotKind::Literal => ("Tensor", format!("{name}.into()")),
        SlotKind::Axes | SlotKind::Func | SlotKind::Data => unreachable!("such a row has no method"),
    }
}

/// The name of the row's method.
fn plain(def: &OpDef) -> String {
    let plain = def.name.strip_prefix("linalg.").or(def.name.strip_prefix("fft.")).unwrap_or(def.name);
    RENAMED.iter().find(|r| r.0 == def.name).map_or(plain, |r| r.1).replace('.', "_")
}
/// The name of the type of the row's options.
fn options_of(def: &OpDef) -> String {
    let capital =
        |w: &str| w.chars().take(1).map(|c| c.to_ascii_uppercase()).chain(w.chars().skip(1)).collect::<String>();
    plain(def).split('_').map(capital).collect()
}
fn optional(def: &OpDef) -> Vec<&Slot> {
    def.slots.iter().filter(|s| !parameters(s)).collect()
}
/// Attributes that are parameters of the method: in Rust the axes are said, all of them too.
fn parameters(s: &Slot) -> bool {
    matches!(s.default, SlotDefault::Required | SlotDefault::AllAxes)
}
fn documented(def: &OpDef) -> String {
    let doc: Vec<&str> = def.doc.split("\n\n").next().unwrap_or_default().split_whitespace().collect();
    doc.join(" ").replace('[', "\\[").replace(']', "\\]").replace('<', "\\<")
}

/// The type of the row's options.
fn options(def: &OpDef, out: &mut String) {
    let all = optional(def);
    if all.is_empty() {
        return;
    }
    let name = options_of(def);
    writeln!(out, "options! {{ {name} \"{}\"", def.name).unwrap();
    for s in all {
        let default = match s.default {
            SlotDefault::Required | SlotDefault::AllAxes | SlotDefault::Absent => String::new(),
            SlotDefault::Int(i) => format!("; {i} unless set"),
            SlotDefault::Bool(b) => format!("; `{b}` unless set"),
            SlotDefault::Word(w) => format!("; `{w}` unless set"),
            SlotDefault::Float(x) => format!("; {x:?} unless set"),
        };
        let words = match s.kind {
            SlotKind::Word(w) | SlotKind::Words(w) | SlotKind::FloatOrWord(w) => {
                format!(": {}", w.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "))
            }
            _ => String::new(),
        };
        let (ty, value) = parameter(s.kind, s.name, Way::Traced);
        writeln!(out, "    \"The attribute `{}`{words}{default}.\" {}: {ty} => {value};", s.name, s.name).unwrap();
    }
    writeln!(out, "}}").unwrap();
}

fn method(ops: &Arc<OpSet>, def: &'static OpDef, way: Way, out: &mut String) {
    let (plain, tensor, place) = (plain(def), way.tensor(), way.place());
    let many = def.operands.last().is_some_and(|o| o.ends_with('…'));
    let fixed = def.operands.len() - usize::from(many);
    let elementwise = def.scalar.is_some() && def.slots.is_empty() && !many && fixed >= 2;
    let mut params = String::new();
    let mut operands = vec!["self".to_owned()];
    for o in def.operands.iter().skip(1).take(fixed.max(1) - 1) {
        write!(params, ", {o}: &{tensor}").unwrap();
        operands.push((*o).to_owned());
    }
    let list = if many {
        // The first of any number is `self`.
        write!(params, ", others: &[&{tensor}]").unwrap();
        format!("&[&[{}][..], others].concat()", operands.join(", "))
    } else {
        format!("&[{}]", operands.join(", "))
    };
    let mut values = vec![];
    for s in def.slots.iter().filter(|s| parameters(s)) {
        let (ty, value) = parameter(s.kind, s.name, way);
        write!(params, ", {}: {ty}", s.name).unwrap();
        values.push(format!("(\"{}\", {value})", s.name));
    }
    let typed = match (def.needs_type, way) {
        (true, Way::Traced) => {
            write!(params, ", dtype: DType, shape: impl IntoDims").unwrap();
            "Some((dtype, shape.into_dims()))"
        }
        (true, Way::Eager) => {
            write!(params, ", dtype: DType, shape: impl AsRef<[usize]>").unwrap();
            "Some((dtype, shape.as_ref()))"
        }
        (false, _) => "None",
    };
    let (ty, call) = match results(ops, def) {
        Some(1) => (tensor.to_owned(), "generated_1"),
        Some(n) if n > 1 => (format!("[{tensor}; {n}]"), "generated_n"),
        _ => (format!("Vec<{tensor}>"), "generated"),
    };
    let doc = documented(def);
    let head = |out: &mut String, extra: &str| {
        writeln!(out, "    /// {doc}{extra}").unwrap();
        writeln!(out, "    ///").unwrap();
        writeln!(out, "    /// # Errors").unwrap();
        writeln!(out, "    /// Those of the op `{}`.", def.name).unwrap();
        writeln!(out, "    #[track_caller]").unwrap();
        if params.matches(',').count() > 5 {
            writeln!(out, "    #[allow(clippy::too_many_arguments, reason = \"what the op takes\")]").unwrap();
        }
    };
    head(out, if elementwise { " Operands are repeated to one shape." } else { "" });
    writeln!(out, "    pub fn {plain}(&self{params}) -> Result<{ty}> {{").unwrap();
    writeln!(out, "        static ROW: Row = Row::of(\"{}\");", def.name).unwrap();
    let values = values.join(", ");
    if elementwise {
        writeln!(out, "        {tensor}::elementwise(&ROW, {list}{place})").unwrap();
    } else {
        writeln!(out, "        {call}(&ROW, {list}, vec![{values}], {typed}{place})").unwrap();
    }
    writeln!(out, "    }}").unwrap();
    if !optional(def).is_empty() {
        let all = optional(def).into_iter().map(|o| format!("`{}`", o.name)).collect::<Vec<_>>().join(", ");
        head(out, &format!("\n    ///\n    /// The options are {all}."));
        writeln!(
            out,
            "    pub fn {plain}_with(&self{params}, options: options::{}) -> Result<{ty}> {{",
            options_of(def)
        )
        .unwrap();
        writeln!(out, "        static ROW: Row = Row::of(\"{}\");", def.name).unwrap();
        let all = if values.is_empty() { "options.0".to_owned() } else { format!("options.with(vec![{values}])") };
        writeln!(out, "        {call}(&ROW, {list}, {all}, {typed}{place})").unwrap();
        writeln!(out, "    }}").unwrap();
    }
}

/// The rows that have a generated method.
fn rows(ops: &Arc<OpSet>) -> Vec<&'static OpDef> {
    let (mut rows, mut skipped) = (vec![], BTreeSet::new());
    for def in ops.iter() {
        // Regions and callees come from closures: `control.rs`, `ad.rs`.
        let closure = !def.regions.is_empty() && def.regions.iter().any(|r| !r.ends_with('?')) || def.calls();
        // What only checks or prints gives no tensor to ask for.
        let nothing = !closure && !BY_HAND.iter().any(|b| b.0 == def.name) && results(ops, def) == Some(0);
        if closure || nothing || BY_HAND.iter().any(|b| b.0 == def.name) {
            skipped.insert(def.name);
            continue;
        }
        assert!(!def.operands.is_empty(), "`{}` wants a line in BY_HAND", def.name);
        rows.push(def);
    }
    for (name, _) in BY_HAND {
        assert!(skipped.contains(name), "`{name}` in BY_HAND is no row, or has a method");
    }
    rows
}

#[test]
fn every_row_is_a_method() {
    let ops = Arc::new(OpSet::core());
    let rows = rows(&ops);
    let head = "Generated from the rows by the test `ops` (`TFC_ACCEPT=1`): not to be edited.";
    let operators =
        "#![allow(clippy::should_implement_trait, reason = \"operators are these methods; both are there\")]";
    let mut traced = format!(
        "//! One method a row. {head}\n{operators}\n\
         use super::apply::{{generated, generated_1, generated_n}};\n\
         use super::dim::{{Dim, IntoDims}};\n\
         use super::graph::TracedTensor;\n\
         use crate::options;\n\
         use crate::value::{{IntoInts, Row, Value, dims}};\n\
         use std::panic::Location;\n\
         use tfc_ir::{{DType, Result}};\n\n\
         impl TracedTensor {{\n"
    );
    let mut eager = format!(
        "//! One method a row, of eager tensors. {head}\n{operators}\n\
         use super::ops::{{generated, generated_1, generated_n}};\n\
         use super::tensor::EagerTensor;\n\
         use crate::options;\n\
         use crate::value::{{IntoInts, Row, Value}};\n\
         use tfc_ir::{{DType, Result}};\n\n\
         impl EagerTensor {{\n"
    );
    let mut structs = format!(
        "//! Options of methods that are rows, one type each: `x.cumsum_with(0, options::Cumsum::new().reverse(true))`.\n\
         //!\n//! {head}\n\
         use crate::traced::{{Dim, IntoDims}};\n\
         use crate::value::{{IntoInts, Options, Value, dims, options}};\n\n"
    );
    for def in rows {
        method(&ops, def, Way::Traced, &mut traced);
        method(&ops, def, Way::Eager, &mut eager);
        options(def, &mut structs);
    }
    for (file, text) in [("traced/ops.rs", traced + "}\n"), ("eager/rows.rs", eager + "}\n"), ("options.rs", structs)] {
        let path = format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"));
        let formatted = rustfmt(&text);
        if std::env::var_os("TFC_ACCEPT").is_some() {
            std::fs::write(&path, &formatted).unwrap();
        }
        let now = std::fs::read_to_string(&path).unwrap();
        assert!(now == formatted, "src/{file} is not what the rows say; write it by TFC_ACCEPT=1");
    }
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
