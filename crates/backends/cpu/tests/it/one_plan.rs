//! One compiled program serves all sizes: symbolic extents, ranks that a truncation decides, a carry that grows at each
//! trip, and stacks of a loop without a bound. It is compiled once and run at 200 different sizes; what it returns is what
//! the interpreter returns; memory that a larger call needed is used again, and no call disturbs what an earlier one gave.
use std::collections::BTreeSet;
use std::sync::Arc;
use tfc_cpu::{CompileOptions, Cpu, Executable, RunOptions};
use tfc_interp as interp;
use tfc_interp::Interp;
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::*;

const PROGRAM: &str = "\
tfir 1.0
export func @main<m, n>(%a: f64[m, n], %tol: f64[], %k: i64[])
    -> (low: f64[m, n], s: f64[?r], grown: f64[?g], trace: f64[?t], before: f64[m, n]) where ?r <= min(m, n) {
  %before = tanh(%a)
  %u: f64[m, ?r], %s: f64[?r], %vt: f64[?r, n] = linalg.svd_trunc(%a, %tol)
  %zero = const(0)
  %grown: f64[?g], %trips: i64[] = while(%s, %zero) {
    cond(%c: f64[?i], %t: i64[]) {
      %go = lt(%t, %k)
      yield %go
    }
    body(%c: f64[?i], %t: i64[]) {
      %half: f64[?i] = const(splat = 0.5)
      %small = mul(%c, %half)
      %both: f64[2*?i] = concat(%c, %small, axis = 0)
      %one = const(1)
      %next = add(%t, %one)
      yield %both, %next
    }
  }
  %end: i64[], %trace: f64[?t] = while(%zero) {
    cond(%t: i64[]) {
      %go = lt(%t, %k)
      yield %go
    }
    body(%t: i64[]) {
      %x: f64[] = convert(%t)
      %sum = reduce_sum(%before, axes = [0, 1])
      %y = add(%x, %sum)
      %one = const(1)
      %next = add(%t, %one)
      yield %next, %y
    }
  }
  %sb: f64[m, ?r] = broadcast_in_dim(%s, dims = [1])
  %us = mul(%u, %sb)
  %low = dot_general(%us, %vt, contract = [[1], [0]])
  return %low, %s, %grown, %trace, %before
}
func @loss<m, n>(%a: f64[m, n], %tol: f64[], %k: i64[]) -> f64[] {
  %low, %s, %grown, %trace, %before = call(@main, %a, %tol, %k)
  %f = sin(%low)
  %l = reduce_sum(%f, axes = [0, 1])
  %gg = mul(%grown, %grown)
  %g = reduce_sum(%gg, axes = [0])
  %t = reduce_sum(%trace, axes = [0])
  %bb = mul(%before, %low)
  %b = reduce_sum(%bb, axes = [0, 1])
  %y = add(%l, %g)
  %z = add(%y, %t)
  %w = add(%z, %b)
  return %w
}
export func @slope<m, n>(%a: f64[m, n], %tol: f64[], %k: i64[]) -> (value: f64[], da: f64[m, n]) {
  %v, %g = value_and_grad(@loss, %a, %tol, %k, wrt = [0])
  return %v, %g
}
";

/// Shape, rank and trips of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    m: usize,
    n: usize,
    rank: usize,
    trips: i64,
}
/// 200 different ones, small and large in turn, with empty matrices and no trip among them.
fn sizes() -> Vec<Size> {
    let mut draw = Draw::new(3);
    let mut below = |n: usize| (draw.bits() % n as u64) as usize;
    let mut all = BTreeSet::new();
    let mut list = vec![];
    while list.len() < 200 {
        let (m, n) = (below(12), below(12));
        let rank = if m.min(n) == 0 { 0 } else { 1 + below(m.min(n)) };
        let s = Size { m, n, rank, trips: below(5) as i64 };
        if all.insert(s) {
            list.push(s);
        }
    }
    list
}
/// A matrix of that shape and rank with singular values of order one, and the other arguments.
fn args(s: Size, seed: u64) -> Vec<Tensor> {
    let mut draw = Draw::new(seed);
    let mut random = |shape: &[usize]| {
        let t = draw.tensor(&Type::exact(DType::F64, shape), Domain::Range(-1.0, 1.0)).unwrap();
        t.to_logical::<f64>().unwrap()
    };
    let (x, y) = (random(&[s.m, s.rank]), random(&[s.rank, s.n]));
    let mut a = vec![0.0; s.m * s.n];
    for i in 0..s.m {
        for j in 0..s.n {
            a[i * s.n + j] = (0..s.rank).map(|r| x[i * s.rank + r] * y[r * s.n + j]).sum();
        }
    }
    vec![Tensor::from_logical(&[s.m, s.n], a).unwrap(), Tensor::scalar(1e-9f64), Tensor::scalar(s.trips)]
}
fn module() -> Module {
    let ops = Arc::new(OpSet::core());
    let mut m = match tfc_frontend::text::parse_module(PROGRAM.as_bytes(), &ops) {
        Ok(p) => p.module,
        Err(d) => panic!("{}", d[0]),
    };
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    m
}
fn close(a: &Tensor, b: &Tensor, tolerance: f64) -> bool {
    let (x, y) = (a.to_logical::<f64>().unwrap(), b.to_logical::<f64>().unwrap());
    a.shape() == b.shape() && x.iter().zip(&y).all(|(x, y)| (x - y).abs() <= tolerance * (1.0 + y.abs()))
}
/// A function that is compiled once, and how often it was.
struct Once<'m> {
    m: &'m Module,
    f: FuncId,
    exe: Executable,
    plan: String,
}
impl Once<'_> {
    fn new<'m>(m: &'m Module, name: &str) -> Once<'m> {
        let f = m.find(name).unwrap();
        let exe = Cpu::compile(m, f, &CompileOptions::default()).unwrap();
        let plan = exe.describe();
        Once { m, f, exe, plan }
    }
    fn run(&mut self, args: &[Tensor]) -> Vec<Tensor> {
        let r = self.exe.run(args, &RunOptions::default()).unwrap();
        assert_eq!(self.exe.describe(), self.plan, "the plan has changed");
        r
    }
    fn oracle(&self, args: &[Tensor]) -> Vec<Tensor> {
        Interp::new(self.m).run(self.f, args, &interp::RunOptions::default()).unwrap()
    }
}
fn bytes(list: &[Tensor]) -> usize {
    list.iter().map(|t| t.len() * t.dtype().size()).sum()
}

#[test]
fn two_hundred_sizes_through_one_compilation() {
    let m = module();
    let mut program = Once::new(&m, "main");
    let sizes = sizes();
    let mut given: Vec<(Vec<Tensor>, Vec<Vec<f64>>)> = vec![];
    let copy = |r: &[Tensor]| r.iter().map(|t| t.to_logical::<f64>().unwrap()).collect::<Vec<_>>();
    for (i, &s) in sizes.iter().enumerate() {
        let x = args(s, i as u64);
        let (got, want) = (program.run(&x), program.oracle(&x));
        for (k, (g, w)) in got.iter().zip(&want).enumerate() {
            assert!(close(g, w, 1e-9), "{s:?}, result {k}: {g:?} and {w:?}");
        }
        // What is known without any engine.
        assert_eq!(got[1].shape(), [s.rank], "{s:?}");
        assert_eq!(got[2].shape(), [s.rank << s.trips], "{s:?}");
        assert_eq!(got[3].shape(), [s.trips as usize], "{s:?}");
        assert!(close(&got[0], &x[0], 1e-8), "{s:?}: nothing but noise was cut");
        let tanh: Vec<f64> = x[0].to_logical::<f64>().unwrap().iter().map(|x| x.tanh()).collect();
        let before = Tensor::from_logical(&[s.m, s.n], tanh).unwrap();
        assert!(close(&got[4], &before, 1e-12), "{s:?}: a value from before the loops was disturbed");
        let kept = copy(&got);
        given.push((got, kept));
    }
    for ((got, kept), s) in given.iter().zip(&sizes) {
        assert!(copy(got) == *kept, "a later call has changed the results for {s:?}");
    }
}

/// Once the program has run at every size nothing is allocated any more but the results themselves.
fn settles(name: &str) {
    let m = module();
    let mut program = Once::new(&m, name);
    let sizes = sizes();
    let mut most = 0;
    for (i, &s) in sizes.iter().enumerate() {
        program.run(&args(s, i as u64));
        most = most.max(program.exe.peak_bytes());
    }
    let none = Size { m: 0, n: 0, rank: 0, trips: 0 };
    program.run(&args(none, 0));
    let held = program.exe.peak_bytes();
    assert!(held > 0 && held <= most, "{held} bytes are held, {most} at most before");
    // From now on the peak of a call depends on its own sizes alone: what it hands out, and nothing kept.
    let mut pass = |order: &mut dyn Iterator<Item = usize>| {
        let mut peaks = vec![0; sizes.len()];
        for i in order {
            let r = program.run(&args(sizes[i], i as u64));
            peaks[i] = program.exe.peak_bytes();
            let (own, given) = (peaks[i] - held, bytes(&r));
            // Storage of a result that grows is doubled, that of a factorisation is cut to the rank; it has scratch memory.
            assert!(
                own <= 4 * given + (64 << 10),
                "{:?}: {own} bytes besides what is held, for {given} of results",
                sizes[i]
            );
        }
        program.run(&args(none, 0));
        assert_eq!(program.exe.peak_bytes(), held, "a pass has left more memory behind");
        peaks
    };
    let second = pass(&mut (0..sizes.len()).rev());
    let third = pass(&mut (0..sizes.len()));
    assert_eq!(second, third, "what a call allocates depends on the calls before it");
    program.exe.release();
    program.run(&args(none, 0));
    assert!(program.exe.peak_bytes() < held, "released memory is still counted");
}
#[test]
fn a_second_pass_allocates_nothing_new() {
    settles("main");
}
#[test]
fn a_second_pass_of_the_gradient_allocates_nothing_new() {
    settles("slope");
}
#[test]
fn gradients_at_two_hundred_sizes_through_one_compilation() {
    let m = module();
    let mut program = Once::new(&m, "slope");
    for (i, &s) in sizes().iter().enumerate() {
        // Singular values far apart: gradients of nearly equal ones differ between roundings.
        let x = args(s, i as u64);
        let (got, want) = (program.run(&x), program.oracle(&x));
        for (k, (g, w)) in got.iter().zip(&want).enumerate() {
            assert!(close(g, w, 1e-6), "{s:?}, result {k}: {g:?} and {w:?}");
        }
    }
}
