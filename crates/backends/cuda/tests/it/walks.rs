//! Which kernel a call of a region takes, and that each gives what the interpreter does: sizes at the edges of packs, tiles and blocks,
//! views that are not aligned, run backwards or lie across, every element type. Kernels run on this machine, which watches every access.

use std::sync::{Arc, Mutex};

use crate::common::{differs, run};
use tfc_api::Kernels;
use tfc_cuda::Cuda;
use tfc_cuda::backend::Program;
use tfc_cuda::device::{Arg, Device, Module, Ptr, Shape};
use tfc_cuda::host::Host;
use tfc_cuda::text::Source;
use tfc_engine::{Backend, Executable, Options};
use tfc_interp::Oracle;
use tfc_ir::{C32, C64, DType, OpSet, Result, Tensor};
use tfc_testkit::Need;

/// A launch: kernel, blocks, threads of a block; of teams the threads, the step between them, and whether they take neighbours.
#[derive(Clone, Debug)]
struct Launch {
    kernel: String,
    shape: Shape,
    team: Option<[u32; 3]>,
}
type Notes = Arc<Mutex<Vec<Launch>>>;
/// This machine, with a note of each launch; in kernels, one text may stand for another.
struct Noting(Host, Notes, Option<[&'static str; 2]>);
struct NotingModule(Box<dyn Module>, Notes);
impl Device for Noting {
    fn describe(&self) -> String {
        self.0.describe()
    }
    fn alloc(&self, bytes: usize) -> Result<Ptr> {
        self.0.alloc(bytes)
    }
    fn free(&self, p: Ptr) {
        self.0.free(p);
    }
    fn upload(&self, to: Ptr, from: &[u8]) -> Result<()> {
        self.0.upload(to, from)
    }
    fn download(&self, from: Ptr, to: &mut [u8]) -> Result<()> {
        self.0.download(from, to)
    }
    fn copy(&self, to: Ptr, from: Ptr, bytes: usize) -> Result<()> {
        self.0.copy(to, from, bytes)
    }
    fn load(&self, source: &Source) -> Result<Box<dyn Module>> {
        let mut source = source.clone();
        if let Some([right, wrong]) = self.2 {
            let planted = source
                .kernels
                .iter_mut()
                .filter(|k| k.body.contains(right))
                .map(|k| k.body = k.body.replace(right, wrong));
            assert!(planted.count() > 0, "`{right}` is in no kernel");
        }
        Ok(Box::new(NotingModule(self.0.load(&source)?, self.1.clone())))
    }
}
impl Module for NotingModule {
    fn launch(&self, kernel: &str, shape: Shape, args: &[Arg]) -> Result<()> {
        let team = args.iter().find_map(|a| match a {
            Arg::Words(w) => <[u32; 3]>::try_from(w.as_slice()).ok(),
            _ => None,
        });
        self.1.lock().unwrap().push(Launch { kernel: kernel.into(), shape, team });
        self.0.launch(kernel, shape, args)
    }
}
/// A function `@f`, compiled for this machine and for the interpreter.
struct Both {
    cuda: Program,
    oracle: Box<dyn Executable>,
    notes: Notes,
}
/// `None`, said aloud, where this machine has no C++ compiler.
fn both(text: &str) -> Option<Both> {
    planted(text, None)
}
fn planted(text: &str, fault: Option<[&'static str; 2]>) -> Option<Both> {
    let host = Need::Cxx.found(Host::new())?;
    let notes = Notes::default();
    let cuda = Cuda::new(Arc::new(Noting(host, notes.clone(), fault)));
    let ops = Arc::new(OpSet::core());
    let m = tfc_frontend::text::parse_module(text.as_bytes(), &ops).unwrap_or_else(|e| panic!("{text}\n{e:?}")).module;
    let f = m.find("f").unwrap();
    let (ready, g) = crate::common::ready(&m, f).unwrap();
    let mut plain = m.fork();
    tfc_passes::level(0).run(&mut plain, &mut |_| {}).unwrap();
    let oracle = Oracle(Kernels::default().interp).compile(plain, f, &Options::default()).unwrap();
    let cuda = cuda.compile_all(&[(&ready, g)], false).unwrap().pop().unwrap().unwrap();
    Some(Both { cuda, oracle, notes })
}
impl Both {
    /// Runs both, compares, and says what kernels of the function's regions were launched. Twice: the bits are the same.
    fn run(&self, args: &[Tensor]) -> Vec<Launch> {
        self.notes.lock().unwrap().clear();
        let shapes: Vec<_> = args.iter().map(|a| (a.dtype(), a.shape().to_vec())).collect();
        let want = run(&*self.oracle, args).unwrap_or_else(|e| panic!("{shapes:?}: {e}"));
        let got = run(&self.cuda, args).unwrap_or_else(|e| panic!("{shapes:?}: {e} {:?}", e.data().notes));
        let launches = self.notes.lock().unwrap().clone();
        if let Some(why) = want.iter().zip(&got).find_map(|(w, g)| differs(w, g)) {
            panic!("{shapes:?} by {launches:?}: {why}");
        }
        let again = run(&self.cuda, args).unwrap();
        assert!(got.iter().zip(&again).all(|(a, b)| a.same(b)), "{shapes:?}: other bits the second time");
        launches.into_iter().filter(|l| l.kernel.starts_with("f_")).collect()
    }
    /// The same, where one kernel is launched, or none.
    fn one(&self, args: &[Tensor]) -> Option<Launch> {
        let mut all = self.run(args);
        assert!(all.len() < 2, "{all:?}");
        all.pop()
    }
    /// The same: what kernels are called, without `f_`.
    fn names(&self, args: &[Tensor]) -> Vec<String> {
        self.run(args).into_iter().map(|l| l.kernel[2..].to_owned()).collect()
    }
}
/// Elements that are different and of which sums are exact enough.
fn tensor(d: DType, shape: &[usize], seed: u64) -> Tensor {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 33) as i64
    };
    let real = |x: i64| (x % 2001) as f64 / 500.0 - 2.0;
    match d {
        DType::Bool => Tensor::from_fn(shape, |_| next() % 2 == 0),
        DType::I32 => Tensor::from_fn(shape, |_| (next() % 2001 - 1000) as i32),
        DType::I64 => Tensor::from_fn(shape, |_| next() % 2001 - 1000),
        DType::U32 => Tensor::from_fn(shape, |_| (next() % 2001) as u32),
        DType::U64 => Tensor::from_fn(shape, |_| (next() % 2001) as u64),
        DType::F32 => Tensor::from_fn(shape, |_| real(next()) as f32),
        DType::F64 => Tensor::from_fn(shape, |_| real(next())),
        DType::C32 => Tensor::from_fn(shape, |_| C32::new(real(next()) as f32, real(next()) as f32)),
        _ => Tensor::from_fn(shape, |_| C64::new(real(next()), real(next()))),
    }
    .unwrap()
}
/// An op that joins two elements of a type.
fn join(d: DType) -> &'static str {
    if d == DType::Bool { "xor" } else { "add" }
}
fn program(head: &str, body: &str) -> String {
    format!("tfir 1.0\nexport func @f{head} {{\n{body}\n  return %y\n}}\n")
}

#[test]
fn packs_of_every_type_at_every_edge() {
    for d in DType::WIDE {
        let text = program(
            &format!("<n>(%a: {d}[n], %b: {d}[n]) -> (y: {d}[n])"),
            &format!("  %y: {d}[n] = {}(%a, %b)", join(d)),
        );
        let Some(f) = both(&text) else { return };
        for n in [0, 1, 15, 16, 17, 31, 33, 1023].into_iter().chain(1024..1041).chain([4096, 10_007]) {
            let args = [tensor(d, &[n], 1), tensor(d, &[n], 2)];
            let expected: &[&str] = match n {
                0 => &[],
                n if n >= 1024 && d.size() < 16 => &["y_packs"],
                _ => &["y"],
            };
            assert_eq!(f.names(&args), expected, "{d} {n}");
            // Backwards there are no neighbours for an access to take.
            let expected: &[&str] = if n > 0 { &["y"] } else { &[] };
            let back = args[1].reverse(&[0]).unwrap();
            if n > 1 {
                assert_eq!(f.names(&[args[0].clone(), back]), expected, "{d} {n} backwards");
            }
        }
    }
}
#[test]
fn packs_of_several_types_and_scalars() {
    let text = program(
        "<n>(%p: bool[n], %a: f32[n], %b: f64[n], %s: f32[]) -> (y: f64[n])",
        "  %c: f64[n] = convert(%a)
  %e: f64[n] = select(%p, %b, %c)
  %s1: f64[] = convert(%s)
  %s2: f64[n] = broadcast_in_dim(%s1, dims = [])
  %y: f64[n] = mul(%e, %s2)",
    );
    let Some(f) = both(&text) else { return };
    for n in [1, 17, 1023, 1024, 1025, 3001] {
        let args = [
            tensor(DType::Bool, &[n], 1),
            tensor(DType::F32, &[n], 2),
            tensor(DType::F64, &[n], 3),
            Tensor::full(&[], 1.5f32).unwrap(),
        ];
        let last = f.names(&args).pop().unwrap();
        assert_eq!(last, if n < 1024 { "y" } else { "y_packs" }, "{n}");
    }
}
/// Of an operand that begins between two packs, elements are read one by one; of rows too that do, though the operand does not.
#[test]
fn what_is_not_aligned_is_not_packed() {
    let text = program(
        "<n>(%a: f32[n + 4], %b: f32[n]) -> (y: f32[n])",
        "  %c: f32[n] = slice(%a, start = [1], limit = shape[n + 1])\n  %y: f32[n] = add(%c, %b)",
    );
    let Some(f) = both(&text) else { return };
    let args = |n: usize| [tensor(DType::F32, &[n + 4], 1), tensor(DType::F32, &[n], 2)];
    assert_eq!(f.names(&args(2048)), ["y"]);
    let Some(f) = both(&text.replace("start = [1], limit = shape[n + 1]", "start = [4], limit = shape[n + 4]")) else {
        return;
    };
    assert_eq!(f.names(&args(2048)), ["y_packs"]);
    let Some(f) = both(&program(
        "<n, m>(%a: f32[n + 4, m], %b: f32[n, m], %c: f32[n]) -> (y: f32[n, m])",
        "  %d: f32[n, m] = slice(%a, start = [4, 0], limit = shape[n + 4, m])
  %e: f32[n, m] = broadcast_in_dim(%c, dims = [0])
  %g: f32[n, m] = add(%d, %b)
  %y: f32[n, m] = mul(%g, %e)",
    )) else {
        return;
    };
    for (n, m, name) in [(64, 32, "y_packs"), (63, 32, "y_strided"), (66, 32, "y_strided"), (68, 33, "y_packs")] {
        let args = [tensor(DType::F32, &[n + 4, m], 1), tensor(DType::F32, &[n, m], 2), tensor(DType::F32, &[n], 3)];
        assert_eq!(f.names(&args), [name], "{n} {m}");
    }
}
#[test]
fn tiles_of_every_type_at_every_edge() {
    for d in DType::WIDE {
        let text = program(
            &format!("<n, m>(%a: {d}[n, m], %b: {d}[m, n]) -> (y: {d}[n, m])"),
            &format!("  %t: {d}[n, m] = transpose(%b, perm = [1, 0])\n  %y: {d}[n, m] = {}(%a, %t)", join(d)),
        );
        let Some(f) = both(&text) else { return };
        for (n, m) in [
            (0, 5),
            (1, 2000),
            (2000, 1),
            (15, 80),
            (16, 64),
            (17, 64),
            (31, 33),
            (32, 32),
            (33, 31),
            (64, 96),
            (100, 70),
        ] {
            let args = [tensor(d, &[n, m], 1), tensor(d, &[m, n], 2)];
            let names = f.names(&args);
            let tiles = n >= 16 && m >= 16 && n * m >= 1024;
            if n * m == 0 {
                assert!(names.is_empty(), "{d} {n} {m}");
            } else {
                assert_eq!(names[0].ends_with("_tiles"), tiles, "{d} {n} {m} {names:?}");
            }
            if tiles {
                // Backwards along both axes, and what lies across as its own transpose.
                let back = args[1].reverse(&[0]).unwrap();
                assert_eq!(f.names(&[args[0].reverse(&[1]).unwrap(), back]), ["y_tiles"], "{d} {n} {m} backwards");
                let (a, b) = (tensor(d, &[m, n], 3).t(), tensor(d, &[n, m], 4).t());
                assert_eq!(f.names(&[a, b]), ["y_tiles"], "{d} {n} {m} across");
            }
        }
    }
}
#[test]
fn tiles_of_batches() {
    let Some(f) = both(&program(
        "<n, m, k>(%a: f32[n, k, m], %b: f64[m, k, n], %c: f32[m]) -> (y: f64[n, k, m])",
        "  %t: f64[n, k, m] = transpose(%b, perm = [2, 1, 0])
  %d: f64[n, k, m] = convert(%a)
  %e: f64[m] = convert(%c)
  %g: f64[n, k, m] = broadcast_in_dim(%e, dims = [2])
  %h: f64[n, k, m] = add(%d, %t)
  %y: f64[n, k, m] = mul(%h, %g)",
    )) else {
        return;
    };
    for (n, m, k) in [(33, 40, 3), (64, 17, 5), (16, 16, 4)] {
        let args = [tensor(DType::F32, &[n, k, m], 1), tensor(DType::F64, &[m, k, n], 2), tensor(DType::F32, &[m], 3)];
        let names = f.names(&args);
        assert!(names.contains(&"h_tiles".into()), "{n} {m} {k} {names:?}");
    }
}
/// Reductions along the fast axis have threads side by side in a row, those along the slow one side by side in columns.
#[test]
fn teams_along_rows_and_across_columns() {
    for d in DType::WIDE {
        let reduce = if d == DType::Bool { "reduce_or" } else { "reduce_sum" };
        let result = d;
        for axis in [0, 1] {
            let kept = ["m", "n"][axis];
            let text = program(
                &format!("<n, m>(%x: {d}[n, m]) -> (y: {result}[{kept}])"),
                &format!("  %y: {result}[{kept}] = {reduce}(%x, axes = [{axis}])"),
            );
            let Some(f) = both(&text) else { return };
            for (n, m) in
                [(0, 3), (3, 0), (1, 1), (1, 33), (5, 7), (15, 17), (16, 16), (31, 33), (64, 8), (40, 300), (257, 65)]
            {
                let x = tensor(d, &[n, m], 7);
                let launch = f.one(std::slice::from_ref(&x));
                let (rows, long) = if axis == 0 { (m, n) } else { (n, m) };
                let Some(l) = launch else {
                    assert_eq!(rows, 0, "{d} {n} {m}");
                    continue;
                };
                let [lanes, step, packed] = l.team.unwrap();
                let columns = axis == 1 && n >= 8 && m > 1;
                assert_eq!(step > 1, columns, "{d} {n} {m} {l:?}");
                assert!(lanes as usize <= long.next_power_of_two(), "{d} {n} {m} {l:?}");
                let pack = 16 / d.size();
                let along = if axis == 0 { n > 1 && (n % pack == 0 || m == 1) } else { n == 1 && m > 1 };
                let whole = pack > 1 && along;
                assert_eq!(packed == 1, whole, "{d} {n} {m} {l:?}");
                // The transpose of what lies the other way is walked the other way, and backwards too.
                if n * m > 1 {
                    f.run(&[tensor(d, &[m, n], 8).t()]);
                    f.run(&[x.reverse(&[axis]).unwrap()]);
                    f.run(&[x.reverse(&[1 - axis]).unwrap()]);
                }
            }
        }
    }
}
/// Axes that are no one loop.
#[test]
fn teams_of_several_axes() {
    let Some(f) =
        both(&program("<n, m, k>(%x: f32[n, m, k]) -> (y: f32[m])", "  %y: f32[m] = reduce_sum(%x, axes = [0, 2])"))
    else {
        return;
    };
    for (n, m, k) in [(1, 1, 1), (5, 3, 7), (33, 10, 9), (16, 1, 5), (2, 40, 1)] {
        let name = if n > 1 && m > 1 && k > 1 { "y_strided" } else { "y" };
        assert_eq!(f.names(&[tensor(DType::F32, &[n, m, k], 1)]), [name], "{n} {m} {k}");
    }
    f.run(&[tensor(DType::F32, &[0, 3, 4], 1)]);
}
#[test]
fn rows_that_stay_in_registers() {
    for (d, big) in [("f32", 20_000), ("f64", 10_000)] {
        let dtype = if d == "f32" { DType::F32 } else { DType::F64 };
        for axis in [0, 1] {
            let Some(f) = both(&program(
                &format!("<n, m>(%x: {d}[n, m]) -> (y: {d}[n, m])"),
                &format!("  %y: {d}[n, m] = softmax(%x, axis = {axis})"),
            )) else {
                return;
            };
            let long = [1, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 500, 512, 1000, 2049];
            for n in long.into_iter().chain(if axis == 0 { vec![big, 33_000] } else { vec![] }) {
                let rows = if n > 1000 { 2 } else { 9 };
                let shape = if axis == 0 { [n, rows] } else { [rows, n] };
                let x = tensor(dtype, &shape, 5);
                let names = f.names(std::slice::from_ref(&x));
                assert_eq!(names.len(), 1);
                let once = (64..33_000).contains(&n);
                assert_eq!(names[0].contains("_once"), once, "{d} {axis} {n} {names:?}");
                // Across, and not aligned.
                f.run(&[x.reverse(&[axis]).unwrap()]);
                f.run(&[tensor(dtype, &[shape[1], shape[0]], 6).t()]);
            }
        }
    }
}
#[test]
fn a_layer_that_is_normalised() {
    let text = include_str!("../../../../../tests/ir/cuda/layer_norm.tfir").replace("@main", "@f");
    let Some(f) = both(&text) else { return };
    for (n, m) in [(3, 5), (7, 64), (4, 100), (12, 257), (2, 1100)] {
        let names = f.names(&[tensor(DType::F32, &[n, m], 1), tensor(DType::F32, &[m], 2)]);
        assert_eq!(names.last().unwrap().contains("_once"), m >= 64, "{n} {m} {names:?}");
        f.run(&[tensor(DType::F32, &[m, n], 1).t(), tensor(DType::F32, &[m], 2).reverse(&[0]).unwrap()]);
    }
}
/// A long row is shared out among blocks, by its size alone.
#[test]
fn long_rows_in_parts() {
    for d in DType::WIDE {
        let Some(f) = both(&program(
            &format!("<n>(%x: {d}[n]) -> (y: {d}[])"),
            &format!("  %y: {d}[] = {}(%x, axes = [0])", if d == DType::Bool { "reduce_and" } else { "reduce_sum" }),
        )) else {
            return;
        };
        for n in [1, 1000, 8191, 8192, 8193, 30_000] {
            let x = if d == DType::Bool {
                Tensor::from_fn([n], |i| i[0] + 2 != n || n == 8192).unwrap()
            } else {
                tensor(d, &[n], 3)
            };
            let expected: &[&str] = if n < 8192 { &["y"] } else { &["y_parts", "y_fold"] };
            let launches = f.run(std::slice::from_ref(&x));
            assert_eq!(launches.iter().map(|l| &l.kernel[2..]).collect::<Vec<_>>(), expected, "{d} {n}");
            // As many parts as there are 4096 elements, rounded, so that each begins at a multiple of 256.
            let parts = if n < 8192 { 1 } else { n.div_ceil(n.div_ceil(n / 4096).next_multiple_of(256)) };
            assert_eq!(launches[0].shape.grid, [1, parts as u32, 1], "{d} {n}");
            assert_eq!(f.names(&[x.reverse(&[0]).unwrap()]), expected, "{d} {n} backwards");
        }
    }
}
/// What comes before and after the fold of a long row, along rows and across columns.
#[test]
fn what_parts_leave_is_folded_and_goes_on() {
    let text = |axis: usize, kept: &str| {
        program(
            &format!("<n, m>(%x: f32[n, m], %c: f32[{kept}]) -> (y: f32[{kept}])"),
            &format!(
                "  %e: f32[{kept}] = exp(%c)
  %g: f32[n, m] = broadcast_in_dim(%e, dims = [{}])
  %s: f32[n, m] = mul(%x, %g)
  %z: f32[{kept}] = reduce_sum(%s, axes = [{axis}])
  %q: f32[{kept}] = mul(%z, %z)
  %y: f32[{kept}] = add(%q, %e)",
                1 - axis
            ),
        )
    };
    for (axis, kept) in [(0, "m"), (1, "n")] {
        let Some(f) = both(&text(axis, kept)) else { return };
        for (rows, long) in [(1, 9000), (2, 8192), (3, 20_001), (40, 3000), (33, 1023)] {
            let shape = if axis == 0 { [long, rows] } else { [rows, long] };
            let names = f.names(&[tensor(DType::F32, &shape, 1), tensor(DType::F32, &[rows], 2)]);
            // Columns have fewer threads each, and are shared out sooner.
            let parts = long >= if axis == 1 && rows >= 8 { 1024 } else { 8192 };
            assert_eq!(names.contains(&"z_fold".into()), parts, "{axis} {rows} {long} {names:?}");
        }
    }
}

/// What is wrong in a walk is found: an end that is one too far, a result of all threads, blocks that do the same.
#[test]
fn planted_faults_are_found() {
    let add = program("<n>(%a: f32[n], %b: f32[n]) -> (y: f32[n])", "  %y: f32[n] = add(%a, %b)");
    let turned = program(
        "<n, m>(%a: f32[n, m], %b: f32[m, n]) -> (y: f32[n, m])",
        "  %t: f32[n, m] = transpose(%b, perm = [1, 0])\n  %y: f32[n, m] = add(%a, %t)",
    );
    let sum = program("<n>(%x: f32[n]) -> (y: f32[])", "  %y: f32[] = reduce_sum(%x, axes = [0])");
    let softmax = program("<n, m>(%x: f32[n, m]) -> (y: f32[n, m])", "  %y: f32[n, m] = softmax(%x, axis = 0)");
    let x = |shape: &[usize]| tensor(DType::F32, shape, 1);
    let cases: [(&str, [&'static str; 2], Vec<Tensor>, &str, &str); 8] = [
        (&add, ["(at.count());", "(at.count() + 4);"], vec![x(&[1024]), x(&[1024])], "f_y_packs", "behind its memory"),
        (&add, ["(at.count());", "(at.count() + 1);"], vec![x(&[1025]), x(&[1025])], "f_y_packs", "behind its memory"),
        (&turned, ["tile(at, t)", "tile(at, 0)"], vec![x(&[64, 48]), x(&[48, 64])], "f_y_tiles", "in the same launch"),
        (&sum, ["if (has && team.lane() == 0)", "if (has)"], vec![x(&[100])], "f_y", "without a barrier"),
        (&sum, ["(0, has ? row.count() : 0)", "(0, row.count() + 1)"], vec![x(&[100])], "f_y", "behind its memory"),
        (
            &sum,
            ["(blockIdx.y * kept.count() +", "(kept.count() - 1 +"],
            vec![x(&[9000])],
            "f_y_parts",
            "in the same launch",
        ),
        (&sum, ["p < parts", "p <= parts"], vec![x(&[9000])], "f_y_fold", "of `part0`"),
        (&softmax, ["(has ? row.count() : 0)", "(row.count() + 1)"], vec![x(&[70, 3])], "f_y_once4", "`"),
    ];
    for (text, fault, args, kernel, what) in cases {
        let Some(f) = planted(text, Some(fault)) else { return };
        let e = run(&f.cuda, &args).map(|_| ()).unwrap_err();
        assert_eq!(e.data().code.name(), "E1303", "{fault:?}: {e}");
        let said = e.to_string();
        assert!(said.contains(&format!("kernel `{kernel}`")) && said.contains(what), "{fault:?}: {said}");
    }
}
