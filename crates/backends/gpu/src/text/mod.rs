//! WGSL: what the kernels of a program are written as.
//!
//! A kernel is a module of its own: its parameters (`struct P`), the buffers that it reads and writes, the functions that it makes use
//! of, and `main`. Places are counted in bytes, as strides are. Of what a compiler may do to floats, the language promises little:
//! [`scalar`] says what is done about it.
pub mod moves;
pub mod region;
pub mod scalar;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub use tfc_device::steps::param;
pub use tfc_device::text::{Kernel, Param, Source};
use tfc_ir::DType;

/// Threads of a workgroup of every kernel.
pub const GROUP: u32 = 256;

/// A type as WGSL writes it.
pub fn type_of(d: DType) -> &'static str {
    match d {
        DType::Bool => "bool",
        DType::I32 => "i32",
        DType::U32 => "u32",
        DType::I64 => "long",
        DType::U64 => "ulong",
        DType::C32 => "c32",
        _ => "f32",
    }
}
/// A value whose type is not left to a literal.
pub fn typed(value: &str, d: DType) -> String {
    match d {
        DType::F32 | DType::I32 => format!("{}({value})", type_of(d)),
        _ => value.to_owned(),
    }
}
/// Whether kernels have numbers of that type.
pub fn takes(d: DType) -> bool {
    matches!(d, DType::Bool | DType::I32 | DType::U32 | DType::I64 | DType::U64 | DType::F32 | DType::C32)
}
/// The field that says where the first element of an operand lies in its buffer.
fn at(name: &str) -> String {
    format!("p.{name}{}at", if name.ends_with('_') { "" } else { "_" })
}
/// The element of an operand that lies `place` bytes behind its first one.
pub fn read(d: DType, name: &str, place: &str) -> String {
    let place = format!("{} + {place}", at(name));
    match d.size() {
        1 => format!("(extractBits(atomicLoad(&{name}[({place}) >> 2]), u32(({place}) & 3) * 8u, 8u) != 0u)"),
        8 => format!("{name}[({place}) >> 3]"),
        _ => format!("{name}[({place}) >> 2]"),
    }
}
/// The statement that writes it. Flags have a byte each, and the others of their word stay what they are.
pub fn write(d: DType, name: &str, place: &str, value: &str) -> String {
    let place = format!("{} + {place}", at(name));
    match d.size() {
        1 => format!(
            "{{ let b = {place}; let by = u32(b & 3) * 8u; atomicAnd(&{name}[b >> 2], ~(255u << by)); \
             atomicOr(&{name}[b >> 2], select(0u, 1u, {value}) << by); }}"
        ),
        8 => format!("{name}[({place}) >> 3] = {value};"),
        _ => format!("{name}[({place}) >> 2] = {value};"),
    }
}
/// A loop nest that is a parameter: `Loops<rank, operands>`.
#[derive(Clone, Copy, Debug)]
pub struct Nest<'a> {
    /// Name of the parameter.
    pub name: &'a str,
    /// Number of loops.
    pub rank: usize,
}
impl Nest<'_> {
    /// Number of elements.
    pub fn count(&self) -> String {
        let all: Vec<String> = (0..self.rank.max(1)).map(|r| format!("p.{}_n{r}", self.name)).collect();
        all.join(" * ")
    }
    /// Statements that say the index along each loop, `x0` and so on for `x`, of element `i`; the first loop is the fastest.
    pub fn index(&self, i: &str, x: &str) -> String {
        let n = |r: usize| format!("p.{}_n{r}", self.name);
        if self.rank <= 1 {
            return format!("let {x}0 = {i};");
        }
        let mut out = format!("let {x}0 = {i} % {};", n(0));
        let mut before = n(0);
        for r in 1..self.rank {
            let _ = match r + 1 == self.rank {
                true => write!(out, " let {x}{r} = {i} / ({before});"),
                false => write!(out, " let {x}{r} = {i} / ({before}) % {};", n(r)),
            };
            before = format!("{before} * {}", n(r));
        }
        out
    }
    /// Bytes from the first element of operand `k` to the one at the index `x`.
    pub fn place(&self, k: usize, x: &str) -> String {
        let all: Vec<String> = (0..self.rank.max(1)).map(|r| format!("{x}{r} * p.{}_{k}_{r}", self.name)).collect();
        all.join(" + ")
    }
}
/// The number of a thread among those of the grid, and how many there are.
pub const NUMBER: &str = "i32(block.x * 256u + thread)";
const _: () = assert!(GROUP == 256);
const NUMBERS: &str = "i32(blocks.x * 256u)";
/// The head of the loop in which all threads of the grid share `count` elements.
pub fn shared_out(count: &str) -> String {
    format!("for (var i = {NUMBER}; i < {count}; i += {NUMBERS}) {{")
}
/// The loop in which all threads of the grid share `count` elements, around these lines.
pub fn over(count: &str, lines: &str) -> String {
    format!("  {}\n{lines}  }}\n", shared_out(count))
}

/// What a parameter is for a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A buffer.
    Buffer,
    /// Loops and strides: so many loops, of so many operands.
    Loops(usize, usize),
    /// So many words.
    Words(usize),
    /// Memory that a workgroup shares: no argument.
    Shared,
}
/// What a type of a parameter means.
pub fn kind(ty: &str) -> Kind {
    let numbers = |inside: &str| -> Vec<usize> {
        inside.trim_end_matches('>').split(',').filter_map(|n| n.trim().parse().ok()).collect()
    };
    match ty.split_once('<') {
        Some(("In" | "Out", _)) => Kind::Buffer,
        Some(("Loops", inside)) => match numbers(inside)[..] {
            [rank, operands] => Kind::Loops(rank.max(1), operands.max(1)),
            _ => Kind::Words(0),
        },
        Some(("Starts", inside)) => Kind::Words(2 * numbers(inside).first().copied().unwrap_or(1) + 2),
        Some(("Team", _)) => Kind::Words(3),
        Some(("Shared", _)) => Kind::Shared,
        _ => Kind::Words(1),
    }
}
/// The fields of a parameter, each with its type.
fn fields(q: &Param) -> Vec<String> {
    let name = &q.name;
    match (kind(&q.ty), q.ty.split('<').next()) {
        (Kind::Loops(rank, operands), _) => {
            let n = (0..rank).map(|r| format!("{name}_n{r}: i32"));
            n.chain((0..operands).flat_map(|k| (0..rank).map(move |r| format!("{name}_{k}_{r}: i32")))).collect()
        }
        (Kind::Words(_), Some("Team")) => ["lanes", "step", "packed"].map(|f| format!("{name}_{f}: u32")).to_vec(),
        (Kind::Words(n), Some("Starts")) => {
            let c = (n - 2) / 2;
            let last = (0..c).map(|k| format!("{name}_last{k}: i32"));
            let each = last.chain((0..c).map(|k| format!("{name}_stride{k}: i32")));
            each.chain(["vector", "fits"].map(|f| format!("{name}_{f}: i32"))).collect()
        }
        (Kind::Words(_), ty) => vec![format!("{name}: {}", if ty == Some("f32") { "f32" } else { "i32" })],
        _ => vec![],
    }
}
/// The kernel as a module, with those functions of `functions` that it makes use of.
pub fn module(k: &Kernel, functions: &str) -> String {
    let buffers: Vec<&Param> = k.params.iter().filter(|q| kind(&q.ty) == Kind::Buffer).collect();
    let mut all: Vec<String> = buffers.iter().map(|q| format!("{}: i32", &at(&q.name)[2..])).collect();
    all.extend(k.params.iter().flat_map(fields));
    all.extend(["threads: u32".into(), "zero: u32".into()]);
    let mut declared = String::new();
    for (i, q) in buffers.iter().enumerate() {
        let of = q.ty.split_once('<').map_or("", |t| t.1.trim_end_matches('>'));
        let of = if of == "bool" { "atomic<u32>" } else { of };
        let _ = writeln!(declared, "@group(0) @binding({i}) var<storage, read_write> {}: array<{of}>;", q.name);
    }
    let _ = writeln!(declared, "@group(0) @binding({}) var<uniform> p: P;", buffers.len());
    for q in k.params.iter().filter(|q| kind(&q.ty) == Kind::Shared) {
        let of = q.ty.split_once('<').map_or("", |t| &t.1[..t.1.len() - 1]);
        let _ = writeln!(declared, "var<workgroup> {}: array<{of}>;", q.name);
    }
    // What a kernel does not touch would have no place among what is bound.
    let idle: Vec<&&Param> = buffers.iter().filter(|q| !words(&k.body).any(|w| w == q.name)).collect();
    let idle: String = idle.iter().map(|q| format!("  _ = arrayLength(&{});\n", q.name)).collect();
    let idle = if words(&k.body).any(|w| w == "p") { idle } else { format!("{idle}  _ = p.zero;\n") };
    let main = format!(
        "@compute @workgroup_size({GROUP}) fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) block: vec3<u32>, @builtin(num_workgroups) blocks: vec3<u32>) {{
{idle}{}}}
",
        k.body
    );
    let used = needed(functions, &main);
    let text = format!("{declared}{used}{main}");
    let aliases: String = [("long", "u32"), ("ulong", "u32"), ("c32", "f32")]
        .iter()
        .filter(|a| words(&text).any(|w| w == a.0))
        .map(|a| format!("alias {} = vec2<{}>;\n", a.0, a.1))
        .collect();
    format!("// {}\n{aliases}struct P {{ {} }}\n{text}", k.name, all.join(", "))
}
/// Identifiers and other words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty())
}
/// The functions of a text, each with the lines of its comment, that a text makes use of, directly or not.
fn needed(functions: &str, by: &str) -> String {
    let mut all: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for part in functions.split_inclusive("\n}\n").flat_map(one_line_each) {
        let at = part.as_ptr() as usize - functions.as_ptr() as usize;
        let head = part.lines().find(|l| l.starts_with("fn ") || l.starts_with("const "));
        if let Some(name) = head.and_then(|l| words(l).nth(1)) {
            all.insert(name, (at, part));
        }
    }
    let mut used: BTreeSet<(usize, &str)> = BTreeSet::new();
    let mut open: Vec<&str> = vec![by];
    while let Some(text) = open.pop() {
        for w in words(text) {
            if let Some(&part) = all.get(w)
                && used.insert(part)
            {
                open.push(part.1);
            }
        }
    }
    used.into_iter().map(|u| u.1).collect()
}
/// A text whose last function may stand behind functions and constants of one line, cut behind each of these.
fn one_line_each(text: &str) -> Vec<&str> {
    let mut all = vec![];
    let mut rest = text;
    loop {
        let mut at = 0;
        let cut = rest.split_inclusive('\n').find_map(|l| {
            at += l.len();
            let whole = (l.starts_with("fn ") && l.trim_end().ends_with('}')) || l.starts_with("const ");
            whole.then_some(at)
        });
        match cut {
            Some(at) if at < rest.len() => {
                all.push(&rest[..at]);
                rest = &rest[at..];
            }
            _ => {
                all.push(rest);
                return all;
            }
        }
    }
}
