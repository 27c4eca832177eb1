//! What the machine can do at most, measured here and now: what the rates of steps are held against. Bytes a second depend on the level of the
//! caches in which they stay, operations a second on the bytes of an element.
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tfc_engine::{Backend, Limits, Options, StepTime};
use tfc_ir::ops::contract::DotDims;
use tfc_ir::{Builder, DType, Module, OpSet, Result, Tensor, Type};

/// Bytes that are copied, half of them read and half written: from the first-level cache to memory.
const SIZES: [usize; 4] = [16 << 10, 256 << 10, 4 << 20, 64 << 20];
/// How long each rate is looked for.
const TIME: Duration = Duration::from_millis(10);
/// Rows, columns and summands of the product whose rate is the limit of operations.
const PRODUCT: usize = 384;

/// The rates.
pub(crate) struct Rates {
    /// Bytes a nanosecond, by size.
    bytes: [f64; SIZES.len()],
    /// Operations a nanosecond on elements of four bytes, and of eight and more.
    operations: [f64; 2],
}
impl Rates {
    /// Measures them with so many threads.
    ///
    /// # Errors
    /// Whatever the backend reports of a product of matrices.
    pub(crate) fn measure(ops: &Arc<OpSet>, backend: &dyn Backend, threads: usize) -> Result<Rates> {
        let threads = tfc_cpu::threads_of(threads);
        let bytes = SIZES.map(|n| copied(n / threads, threads));
        let product = |dtype| product(ops, backend, threads, dtype);
        Ok(Rates { bytes, operations: [product(DType::F32)?, product(DType::F64)?] })
    }
    /// The greater of the two shares that a step has of what the machine can do.
    pub(crate) fn share(&self, s: &StepTime) -> f64 {
        let nanos = s.nanos.max(1) as f64;
        let each = s.bytes / s.times.max(1);
        let level = SIZES.iter().position(|&n| each <= n as u64).unwrap_or(SIZES.len() - 1);
        let most = self.operations[usize::from(s.element > 4)];
        (s.bytes as f64 / nanos / self.bytes[level]).max(s.operations as f64 / nanos / most)
    }
}
/// Bytes a nanosecond that copies of `n / 2` bytes read and write on each of some threads.
fn copied(n: usize, threads: usize) -> f64 {
    let one = || {
        let (from, mut to) = (vec![1u8; n / 2], vec![0u8; n / 2]);
        let (start, mut best) = (Instant::now(), f64::INFINITY);
        // Short copies are timed by many.
        let many = (1 << 20) / n.max(1) + 1;
        while start.elapsed() < TIME {
            let at = Instant::now();
            for _ in 0..many {
                to.copy_from_slice(black_box(&from));
                black_box(&mut to);
            }
            best = best.min(at.elapsed().as_nanos().max(1) as f64 / many as f64);
        }
        n as f64 / best
    };
    std::thread::scope(|s| {
        let all: Vec<_> = (0..threads).map(|_| s.spawn(one)).collect();
        all.into_iter().filter_map(|t| t.join().ok()).sum()
    })
}
/// Operations a nanosecond of a product of matrices.
fn product(ops: &Arc<OpSet>, backend: &dyn Backend, threads: usize, dtype: DType) -> Result<f64> {
    let m = Module::new(ops.clone());
    let mut b = Builder::new(&m, "product");
    let ty = Type::exact(dtype, &[PRODUCT, PRODUCT]);
    let (x, y) = (b.param(ty.clone(), "x"), b.param(ty, "y"));
    let dims = DotDims { contract: [vec![1], vec![0]], ..DotDims::default() };
    let z = b.dot(x, y, &dims)?;
    let f = b.finish(vec![z])?;
    let f = m.add(f);
    let compiled = backend.compile(m, f, &Options { threads, ..Options::default() })?;
    let ones = Tensor::ones(dtype, &[PRODUCT, PRODUCT])?;
    let (arguments, limits) = ([ones.clone(), ones], Limits::default());
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed() < TIME {
        let at = Instant::now();
        black_box(compiled.run(&arguments, &limits)?);
        best = best.min(at.elapsed().as_nanos().max(1) as f64);
    }
    Ok(2.0 * (PRODUCT * PRODUCT * PRODUCT) as f64 / best)
}
