//! `tfc ops --table`: for every op what its samples really did, read from the reports of the sweeps and from the judge of exports.
//! Where something did not run there is one of a few reasons, each of which is checked against the row or against what ran.
//!
//! `TFC_ACCEPT=1 cargo test -p tfc-testkit --test it core_rows::table` rewrites the file that `tfc` carries.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tfc_cuda::Cuda;
use tfc_device::backend::OnDevice;
use tfc_device::dialect::Dialect;
use tfc_gpu::Gpu;
use tfc_ir::op::Linearize;
use tfc_ir::sample::SampleCx;
use tfc_ir::{DType, Error, FuncId, Module, OpDef, OpSet, Result};
use tfc_testkit::{Part, Sweep};

use crate::core_rows::swept;
use crate::judge::{NO_SAMPLE, REFUSED, each_row, judged};

/// Every reason that there is: of mathematics, or of the target. A cell refers to it by its number.
const REASONS: &[&str] = &[
    "real numbers only: complex ones have no order, or there is no such function of them",
    "integers are refused (E0203): the op has quotients, roots, transcendental functions, parts or tolerances",
    "of bits, or of words",
    "no arithmetic on bool",
    "one dtype by definition: extents are i64, keys u32, transforms complex",
    "any dtype is taken: samples have those with derivatives, the random typed programs the others",
    "integers, bool and bits have no derivative",
    "locally constant: an index, a comparison, or made without a differentiable operand",
    "refused with E0503: what a derivative would be of is a choice that jumps, a factor that other ops differentiate, or made by a pass",
    "no sample: the derivative ops are expanded, and run in every other row's columns; load needs a file",
    "no operand has an extent that may differ, those of the result are written",
    "refused when it runs: the extent is bound to a value that is not 0",
    "StableHLO's regions of scatter take no values from outside",
    "CUDA: a Schur form is one long chain of small steps, each of which waits for the one before, and CUDA's libraries have none",
    "WGSL: there is no kernel yet, or the row is of element types that it does not take (it takes bool, i32, u32, i64, u64, f32, c32)",
];
/// Reasons by name.
mod why {
    pub(super) const REAL: usize = 0;
    pub(super) const FIELD: usize = 1;
    pub(super) const BITS: usize = 2;
    pub(super) const BOOL: usize = 3;
    pub(super) const ONE: usize = 4;
    pub(super) const HANDED_ON: usize = 5;
    pub(super) const DISCRETE: usize = 6;
    pub(super) const CONSTANT: usize = 7;
    pub(super) const REFUSED: usize = 8;
    pub(super) const NO_SAMPLE: usize = 9;
    pub(super) const WRITTEN: usize = 10;
    pub(super) const BOUND: usize = 11;
    /// The reasons of exports, in the order of `crate::judge::REFUSED`.
    pub(super) const EXPORT: [usize; 1] = [12];
    pub(super) const CHAIN: usize = 13;
    pub(super) const WGSL: usize = 14;
}
/// Ops that have a Schur form inside, in what samples with which attributes or not ([`why::CHAIN`]).
const CHAINS: &[&str] =
    &["linalg.eig", "linalg.frechet", "linalg.hessenberg", "linalg.logm", "linalg.schur", "linalg.sqrtm"];
/// Ops that take values of any dtype, and do with them what their regions or callees do, or sums of products.
const HANDED_ON: &[&str] = &[
    "call",
    "checkpoint",
    "cond",
    "switch",
    "while",
    "scan",
    "fused",
    "reduce",
    "reduce_window",
    "select_and_scatter",
    "conv",
];
/// Ops of one dtype, or of one kind of dtypes, by what they are for.
const ONE: &[&str] = &["dim_value", "random.split", "fft.fft", "fft.ifft", "fft.irfft"];

/// Ops whose operands are scalars, or keys of fixed length.
const WRITTEN: &[&str] = &[
    "const",
    "dim_value",
    "iota",
    "linspace",
    "rng_bit_generator",
    "random.bits",
    "random.fold_in",
    "random.key",
    "random.normal",
    "random.split",
    "random.uniform",
];

const KINDS: [(&str, &[DType]); 4] = [
    ("bool", &[DType::Bool]),
    ("int", &[DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64, DType::I4]),
    ("float", &[DType::BF16, DType::F16, DType::F32, DType::F64, DType::F8E5M2]),
    ("complex", &[DType::C32, DType::C64]),
];

/// What samples of one op did.
struct Seen {
    def: &'static OpDef,
    dtypes: Vec<DType>,
    exported: BTreeSet<DType>,
    refused: BTreeSet<String>,
    /// Samples for which kernels were written, and those for which there is none.
    kernels: usize,
    without: BTreeSet<String>,
    /// Samples of the element types that WGSL takes, with kernels and without.
    modules: usize,
    no_module: usize,
}
impl Seen {
    fn ran(&self, dtype: DType, part: Part) -> bool {
        let sweeps = [Sweep::Engines, Sweep::Derivatives, Sweep::Extents];
        sweeps.iter().any(|&s| swept(s).ran(self.def.name, dtype, part))
    }
    /// Why an op does not take every dtype.
    fn other_dtypes(&self) -> Option<usize> {
        let has = |kind: usize| KINDS[kind].1.iter().any(|d| self.dtypes.contains(d));
        if HANDED_ON.contains(&self.def.name) {
            return Some(why::HANDED_ON);
        }
        if ONE.contains(&self.def.name) {
            return Some(why::ONE);
        }
        match [has(0), has(1), has(2), has(3)] {
            [true, true, true, true] => None,
            [_, true, false, false] => Some(why::BITS),
            [_, _, true, false] => Some(why::REAL),
            [false, false, true, true] => Some(why::FIELD),
            [false, true, true, true] => Some(why::BOOL),
            kinds => panic!("hole: {} has samples of {kinds:?} alone", self.def.name),
        }
    }
    fn dtype_cell(&self) -> String {
        let mut words = vec![];
        for (word, list) in KINDS {
            let have: Vec<DType> = list.iter().copied().filter(|d| self.dtypes.contains(d)).collect();
            match have.len() {
                0 => {}
                n if n == list.len() => words.push(word),
                _ => words.extend(have.iter().map(|d| d.name())),
            }
        }
        let note = self.other_dtypes().map(|r| format!(" [{}]", r + 1)).unwrap_or_default();
        format!("{}{note}", words.join(" "))
    }
    /// `yes` where this ran with every dtype asked for, else the reason, else a hole.
    fn cell(&self, what: &str, asked: &[DType], part: Part, reason: Option<usize>) -> String {
        let missing: Vec<DType> = asked.iter().copied().filter(|&d| !self.ran(d, part)).collect();
        match (missing.len(), reason) {
            (0, _) if !asked.is_empty() => "yes".into(),
            (n, Some(r)) if n == asked.len() => format!("no [{}]", r + 1),
            _ => panic!("hole: {} does not run {what} with {missing:?}", self.def.name),
        }
    }
    fn derivative(&self, what: &str, part: Part) -> String {
        let asked: Vec<DType> = self.dtypes.iter().copied().filter(|d| d.is_inexact()).collect();
        let reason = match self.def.linearize {
            _ if asked.is_empty() => Some(why::DISCRETE),
            Linearize::Zero => Some(why::CONSTANT),
            Linearize::Never(_) if asked.iter().all(|&d| self.ran(d, Part::NoDerivative)) => Some(why::REFUSED),
            _ => None,
        };
        self.cell(what, &asked, part, reason)
    }
    fn empty(&self) -> String {
        let refused = self.dtypes.iter().all(|&d| self.ran(d, Part::EmptyRefused));
        let reason = if refused { Some(why::BOUND) } else { WRITTEN.contains(&self.def.name).then_some(why::WRITTEN) };
        self.cell("extent 0", &self.dtypes, Part::Empty, reason)
    }
    fn export(&self) -> String {
        let listed = REFUSED.iter().position(|r| r.1.contains(&self.def.name)).map(|i| why::EXPORT[i] + 1);
        let all = self.dtypes.iter().all(|d| self.exported.contains(d));
        match (all, listed, self.refused.is_empty()) {
            (true, None, true) => "yes".into(),
            (true, Some(r), false) => format!("partly [{r}]"),
            (false, Some(r), false) if self.exported.is_empty() => format!("no [{r}]"),
            _ => panic!("hole: {} is exported with {:?}; refused: {:?}", self.def.name, self.exported, self.refused),
        }
    }
    /// Kernels are written for each sample; that they are right is judged where they run (`cuda/tests/rows.rs`).
    fn cuda(&self) -> String {
        let r = why::CHAIN + 1;
        match (CHAINS.contains(&self.def.name), self.kernels, self.without.is_empty()) {
            (false, 1.., true) => "yes".into(),
            (true, 0, false) => format!("no [{r}]"),
            (true, 1.., false) => format!("partly [{r}]"),
            _ => panic!("hole: {} has {} samples with kernels, and {:?}", self.def.name, self.kernels, self.without),
        }
    }
    /// The same of WGSL, of the element types that it takes: where they run is `gpu/tests/it/rows.rs`.
    fn gpu(&self) -> String {
        let r = why::WGSL + 1;
        match (self.modules, self.no_module) {
            (1.., 0) => "yes".into(),
            (1.., _) => format!("partly [{r}]"),
            _ => format!("no [{r}]"),
        }
    }
    fn line(&self) -> String {
        let cells = [
            self.def.name.to_owned(),
            self.dtype_cell(),
            self.derivative("jvp", Part::Jvp),
            self.derivative("vjp", Part::Vjp),
            self.derivative("second derivatives", Part::Second),
            self.empty(),
            self.cell("interp", &self.dtypes, Part::Interp, None),
            self.cell("cpu", &self.dtypes, Part::Others, None),
            self.export(),
            self.cuda(),
            self.gpu(),
        ];
        cells.join("\t")
    }
}

/// Writes the kernels of a function at optimisation level 2.
fn kernels<D: Dialect>(backend: &OnDevice<D>, m: &Module, f: FuncId) -> Result<()> {
    let mut m = m.fork();
    let name = m.func_name(f).to_string();
    tfc_passes::level(2).run(&mut m, &mut |_| {}).map_err(|e| e.error)?;
    let f = m.find(&name).unwrap_or(f);
    backend.source(&[(&m, f)], false).map(drop)
}

/// What came of the row's samples, apart from exports.
fn seen(ops: &Arc<OpSet>, def: &'static OpDef, (cuda, gpu): (&Cuda, &Gpu)) -> Seen {
    let mut seen = Seen {
        def,
        dtypes: vec![],
        exported: BTreeSet::new(),
        refused: BTreeSet::new(),
        kernels: 0,
        without: BTreeSet::new(),
        modules: 0,
        no_module: 0,
    };
    for dtype in tfc_ir::sample::DTYPES {
        let m = Module::new(ops.clone());
        let samples = (def.sample)(&SampleCx { m: &m, def, dtype }).unwrap();
        seen.dtypes.extend((!samples.is_empty()).then_some(dtype));
        for s in &samples {
            match kernels(cuda, &m, s.func) {
                Ok(()) => seen.kernels += 1,
                Err(e) if e.data().code.name() == "E1304" => drop(seen.without.insert(e.data().message.clone())),
                // A sample that no engine runs is in the other columns.
                Err(_) => {}
            }
            if !tfc_gpu::text::takes(dtype) {
                continue;
            }
            match kernels(gpu, &m, s.func) {
                Ok(()) => seen.modules += 1,
                Err(e) if e.data().code.name() == "E1304" => seen.no_module += 1,
                Err(_) => {}
            }
        }
    }
    seen
}

#[test]
fn table_is_what_samples_did_and_has_no_hole() {
    let ops = Arc::new(OpSet::core());
    let mut text = String::from("op\tdtypes\tjvp\tvjp\tsecond order\textent 0\tinterp\tcpu\texport\tcuda\tgpu\n");
    let cuda = Cuda::opened_by(|| Err(Error::new(tfc_ir::Code::E1301, "no device is needed")));
    let gpu = Gpu::opened_by(|| Err(Error::new(tfc_ir::Code::E1305, "no device is needed")));
    let all = each_row(&ops.iter().collect::<Vec<_>>(), |_, def| seen(&ops, def, (&cuda, &gpu)));
    for mut seen in all {
        let (def, judged) = (seen.def, &judged()[seen.def.name]);
        assert!(judged.wrong.is_empty(), "{:?}", judged.wrong);
        seen.exported = judged.same.iter().copied().collect();
        seen.refused = judged.refused.clone();
        if seen.dtypes.is_empty() {
            assert!(NO_SAMPLE.iter().any(|n| n.0 == def.name), "hole: {} has no sample", def.name);
            text += &format!("{}\tno [{}]{}\n", def.name, why::NO_SAMPLE + 1, "\t".repeat(9));
        } else {
            text += &seen.line();
            text.push('\n');
        }
    }
    // Every reason is needed, and there are few.
    assert!(REASONS.len() <= 15);
    let used: BTreeMap<usize, bool> = (1..=REASONS.len()).map(|i| (i, text.contains(&format!("[{i}]")))).collect();
    assert!(used.values().all(|u| *u), "reasons that nothing needs: {used:?}\n{text}");
    text.push('\n');
    REASONS.iter().enumerate().for_each(|(i, r)| text += &format!("[{}] {r}\n", i + 1));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/src/cmd/ops_table.txt");
    if std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1") {
        std::fs::write(path, text).unwrap();
    } else {
        let now = std::fs::read_to_string(path).unwrap();
        assert_eq!(now, text, "run it with TFC_ACCEPT=1");
    }
}
