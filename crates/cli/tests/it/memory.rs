//! The memory that a plan promises (`tfc compile --emit plan`) against what a call takes (`tfc run --time`), for every entry
//! function with exact extents under `tests/ir` and `benches/peers/programs` whose arguments are small:
//!
//! - a plan that names one number of bytes and no scratch takes at most that, and at least three quarters of it, up to
//!   what scalars take that stay in registers;
//! - most take exactly that.
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tfc::filetest::discover;
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{FuncId, Module, OpSet, Tensor};

/// Bytes of arguments above which a program is left out: this is no place for large ones.
const ARGUMENTS: usize = 4 << 20;
/// Scalars that a plan places and that stay in registers.
const SCALARS: usize = 256;

/// Promised (where it is one number) and taken.
struct Seen {
    name: String,
    promised: Option<usize>,
    taken: usize,
}

fn modules() -> Vec<(PathBuf, Module)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let ops = Arc::new(OpSet::core());
    let mut all = vec![];
    for folder in ["tests/ir", "benches/peers/programs"] {
        for file in discover(&root.join(folder)).unwrap() {
            if file.extension().is_none_or(|e| e != "tfir") {
                continue;
            }
            // Files that test errors have none.
            let Ok(parsed) = tfc_frontend::text::parse_module(&std::fs::read(&file).unwrap(), &ops) else { continue };
            all.push((file.strip_prefix(&root).unwrap().to_owned(), parsed.module));
        }
    }
    all
}
fn arguments(m: &Module, f: FuncId) -> Option<Vec<Tensor>> {
    let f = m.func(f).ok()?;
    let mut draw = Draw::new(7);
    let mut bytes = 0usize;
    for &p in f.params() {
        let n: usize = f.ty(p).exact_shape()?.iter().product();
        bytes += n * f.ty(p).dtype.size();
    }
    let draw_one = |&p: &tfc_ir::ValueId| {
        let numbers =
            !matches!(f.ty(p).dtype, tfc_ir::DType::I32 | tfc_ir::DType::I64 | tfc_ir::DType::U32 | tfc_ir::DType::U64);
        let domain = if numbers { Domain::Any } else { Domain::Ints(0, 1) };
        draw.tensor(f.ty(p), domain).ok()
    };
    if bytes <= ARGUMENTS { f.params().iter().map(draw_one).collect() } else { None }
}
/// Compiles and runs function `id` as the entry point; `None` where it cannot be run on drawn arguments.
fn see(file: &Path, m: &Module, id: FuncId) -> Option<Seen> {
    let args = arguments(m, id)?;
    let mut m = m.fork();
    m.define(id, m.func(id).ok()?.exported(true));
    tfc_passes::level(2).run(&mut m, &mut |_| {}).ok()?;
    let exe = Cpu::compile(&m, id, &CompileOptions { threads: 1, ..Default::default() }).ok()?;
    let text = exe.describe();
    let line = text.lines().find_map(|l| l.trim().strip_prefix("memory: ")).unwrap();
    let promised = line.strip_suffix(" bytes").and_then(|n| n.parse().ok());
    exe.run(&args, &RunOptions { fuel: Some(100_000), ..Default::default() }).ok()?;
    let name = format!("{} @{}: {line}", file.display(), m.func_name(id));
    Some(Seen { name, promised, taken: exe.peak_bytes() })
}

#[test]
fn plans_say_what_calls_take() {
    let mut all = vec![];
    for (file, m) in modules() {
        all.extend(m.funcs().into_iter().filter_map(|(id, _)| see(&file, &m, id)));
    }
    let (mut exact, mut wrong) = (0, vec![]);
    let known: Vec<(&Seen, usize)> = all.iter().filter_map(|s| Some((s, s.promised?))).collect();
    for (s, promised) in &known {
        // The branch that needs the room runs in later trips than the numbers made here let the loop make.
        if s.name.contains("branch_grows_a_buffer") {
            continue;
        }
        exact += usize::from(*promised == s.taken);
        if s.taken > *promised || promised - s.taken > promised / 4 + SCALARS {
            wrong.push(format!("{}, took {}", s.name, s.taken));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), known.len(), wrong.join("\n"));
    assert!(known.len() > 100, "only {} programs were compared", known.len());
    assert!(exact * 10 > known.len() * 7, "{exact} of {} take exactly what is promised", known.len());
}
