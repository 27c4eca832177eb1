//! Factorisations as engines call them: found by an op's row and element type, of one matrix or of a group of small ones; where
//! the usual way fails, the sure one is taken, and where that does, the op's error is made or its NaN.
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use faer::Par;
use faer::dyn_stack::{MemStack, StackReq};
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{Attrs, C32, C64, Code, DType, Error, OpDef};

use super::cholesky::Cholesky;
use super::eigh::Eigh;
use super::factorisation::Factorisation;
use super::householder::QrFactor;
use super::lanes::{Block, Group};
use super::lu::{Lu, Solve};
use super::matrix::{In, Many, Out};
use super::qr::{Qr, QrPivoted};
use super::spectral::{Eig, Hessenberg, Logm, Schur, Sqrtm};
use super::svd::Svd;
use super::tridiagonal::Tridiagonal;
use super::{Failed, Field};

/// Most operands, and most results, that an op has.
pub const MOST: usize = 4;

static RETRIES: AtomicU64 = AtomicU64::new(0);
/// How many matrices, in this process, the usual way failed on and the slower one did not: for tests and for debugging.
pub fn retries() -> u64 {
    RETRIES.load(Ordering::Relaxed)
}

/// A row and its factorisation.
pub struct OfRow {
    /// The row.
    pub row: &'static OpDef,
    fails: &'static str,
    lower: bool,
    code: Code,
    typed: fn(&Attrs, DType) -> Option<Box<dyn Typed>>,
}
/// Every factorisation: what engines have for rows of linear algebra. A `static`, since each crate that names a `const` compiles
/// again what that refers to: all of them, for every element type.
pub static ALL: [OfRow; 15] = [
    entry::<Svd>(),
    entry::<Qr>(),
    entry::<QrPivoted>(),
    entry::<Eigh>(),
    entry::<Cholesky>(),
    entry::<Lu>(),
    entry::<Solve>(),
    entry::<QrFactor>(),
    entry::<Hessenberg>(),
    entry::<Schur>(),
    entry::<Eig>(),
    entry::<Sqrtm>(),
    entry::<Logm>(),
    entry::<Triangular>(),
    entry::<Tridiagonal>(),
];

const fn entry<F: Factorisation>() -> OfRow {
    OfRow { row: F::ROW, fails: F::FAILS, lower: F::LOWER, code: F::CODE, typed: typed::<F> }
}
fn typed<F: Factorisation>(attrs: &Attrs, dtype: DType) -> Option<Box<dyn Typed>> {
    let f = F::of(attrs);
    Some(match dtype {
        DType::F32 => Box::new(Of::<F, f32>(f, PhantomData)),
        DType::F64 => Box::new(Of::<F, f64>(f, PhantomData)),
        DType::C32 => Box::new(Of::<F, C32>(f, PhantomData)),
        DType::C64 => Box::new(Of::<F, C64>(f, PhantomData)),
        _ => return None,
    })
}

/// A factorisation of matrices of one element type: compiled in this crate, not where it is called.
trait Typed: fmt::Debug + Send + Sync {
    fn scratch(&self, m: usize, n: usize) -> StackReq;
    fn run(&self, ins: &[In], outs: &mut [Out], par: Par, stack: &mut MemStack) -> Result<(), Failed>;
    fn lanes(&self) -> Option<Box<dyn Block>>;
}
#[derive(Debug)]
struct Of<F, T>(F, PhantomData<T>);
impl<F: Factorisation, T: Field> Typed for Of<F, T> {
    fn scratch(&self, m: usize, n: usize) -> StackReq {
        let first = T::own::<F>().map_or_else(|| F::scratch::<T>(m, n), |own| (own.scratch)(m, n));
        first.or(F::sure_scratch(m, n))
    }
    fn run(&self, ins: &[In], outs: &mut [Out], par: Par, stack: &mut MemStack) -> Result<(), Failed> {
        let first = match T::own::<F>() {
            Some(own) => (own.run)(ins, outs, stack),
            None => self.0.share::<T>(ins, outs, par, stack),
        };
        first.or_else(|_| {
            self.0.sure::<T>(ins, outs, stack)?;
            RETRIES.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }
    fn lanes(&self) -> Option<Box<dyn Block>> {
        T::lanes::<F>(&self.0)
    }
}

/// The factorisation of an op.
#[derive(Debug)]
pub struct Factor {
    row: &'static OpDef,
    fails: &'static str,
    /// It reads the lower triangle of its operand alone.
    lower: bool,
    code: Code,
    typed: Box<dyn Typed>,
    /// For small matrices, many at once.
    lanes: Option<Box<dyn Block>>,
    /// Whether the op gives NaN where the factorisation fails.
    nan: bool,
}
impl Factor {
    /// Of an op of that row with these attributes, whose operand 0 has that dtype.
    ///
    /// # Errors
    /// `E0801` where there is none.
    pub fn of(row: &OpDef, attrs: &Attrs, dtype: DType) -> tfc_ir::Result<Factor> {
        let entry = ALL.iter().find(|e| e.row.is(row));
        let made = entry.and_then(|e| Some((e, (e.typed)(attrs, dtype)?)));
        let (&OfRow { row, fails, lower, code, .. }, typed) =
            made.ok_or_else(|| Error::new(Code::E0801, format!("`{}` is not defined on {dtype}", row.name)))?;
        let lanes = typed.lanes();
        Ok(Factor { row, fails, lower, code, typed, lanes, nan: attrs.word("on_fail") == Some("nan") })
    }
    /// The name of the op.
    pub fn name(&self) -> &'static str {
        self.row.name
    }
    /// Memory that it needs where operand 0 is `m × n`; none where that is empty.
    pub fn scratch(&self, m: usize, n: usize) -> StackReq {
        if m == 0 || n == 0 {
            return StackReq::EMPTY;
        }
        let one = self.typed.scratch(m, n);
        match &self.lanes {
            Some(b) if m.max(n) <= b.limit() => {
                one.or(StackReq::new_aligned::<u8>(b.bytes(m, n, 1).max(b.bytes(m, n, b.width())), 64))
            }
            _ => one,
        }
    }
    /// The way of small matrices, for operands of these extents.
    fn small(&self, mut dims: impl Iterator<Item = [usize; 2]>) -> Option<&dyn Block> {
        self.lanes.as_deref().filter(|b| dims.all(|[m, n]| m >= 1 && n >= 1 && m.max(n) <= b.limit()))
    }
    /// How many matrices [`Factor::run_many`] takes at once, of operands of these extents; `None` where it takes none.
    pub fn width(&self, dims: impl Iterator<Item = [usize; 2]>) -> Option<usize> {
        self.small(dims).map(Block::width)
    }
    /// Computes the results of a group of matrices, each with the bits that [`Factor::run`] gives; gives those (as bits) that are to
    /// be computed one by one, of which nothing is written.
    ///
    /// # Safety
    /// There are as many operands and results as the op has, with its extents and element types, and [`Factor::width`]
    /// matrices or fewer of each; while this runs, nobody writes the operands', and nobody reads or writes the results'.
    pub unsafe fn run_many(&self, group: &Group, stack: &mut MemStack) -> u32 {
        let (all, Some(a)) = (!0 >> (32 - group.count.clamp(1, 32)), group.ins.first()) else { return 0 };
        let Some(block) = self.small(group.ins.iter().map(|x| x.dims)) else { return all };
        let (memory, _) = stack.make_aligned_uninit::<u8>(block.bytes(a.dims[0], a.dims[1], group.count), 64);
        // SAFETY: by contract, and the memory is as much as it asks for.
        unsafe { block.run(group, memory.as_mut_ptr().cast()) }
    }
    /// The same of one matrix. Returns whether there was a result.
    ///
    /// # Safety
    /// As [`Factor::run`].
    unsafe fn run_small(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> bool {
        if self.small(ins.iter().map(In::dims)).is_none() {
            return false;
        }
        let (mut operands, mut results) = ([Many::NONE; MOST], [Many::NONE; MOST]);
        let (Some(operands), Some(results)) = (operands.get_mut(..ins.len()), results.get_mut(..outs.len())) else {
            return false;
        };
        operands.iter_mut().zip(ins).for_each(|(to, x)| *to = x.many());
        results.iter_mut().zip(outs).for_each(|(to, x)| *to = x.many());
        // SAFETY: they are those of the op by contract, and borrowed.
        unsafe { self.run_many(&Group { ins: operands, outs: results, count: 1 }, stack) == 0 }
    }
    /// Computes the results of one matrix; those of one that it cannot factor are NaN, where the op asks for that.
    ///
    /// # Safety
    /// There are as many operands and results as the op has, with the element types and extents that it has for operand 0:
    /// nobody compares them.
    ///
    /// # Errors
    /// [`Failed`], where it does not.
    pub unsafe fn run(&self, ins: &[In], outs: &mut [Out], stack: &mut MemStack) -> Result<(), Failed> {
        // SAFETY: by contract.
        unsafe { self.share(ins, outs, Par::Seq, stack) }
    }
    /// [`Factor::run`] with these threads to share it: the bits do not depend on them.
    ///
    /// # Safety
    /// As [`Factor::run`].
    ///
    /// # Errors
    /// [`Failed`], where it does not.
    pub unsafe fn share(&self, ins: &[In], outs: &mut [Out], par: Par, stack: &mut MemStack) -> Result<(), Failed> {
        // SAFETY: by contract.
        if unsafe { self.run_small(ins, outs, stack) } {
            return Ok(());
        }
        let done = self.typed.run(ins, outs, par, stack);
        if done.is_err() && self.nan {
            outs.iter_mut().for_each(Out::spoil);
            return Ok(());
        }
        done
    }
    /// The op's error at matrix `i` of a batch of these extents, first axis fastest. It says which of its causes it was where the
    /// operands of that matrix are at hand.
    pub fn failed(&self, batch: &[usize], i: usize, ins: Option<&[In]>) -> Error {
        let at = batch.iter().scan(i, |rest, &n| {
            let here = *rest % n.max(1);
            *rest /= n.max(1);
            Some(here)
        });
        let which =
            if batch.is_empty() { String::new() } else { format!(" at {:?} of the batch", at.collect::<Vec<_>>()) };
        let name = self.name();
        let text = match ins.map(|all| all.iter().enumerate().all(|(k, x)| x.finite(self.lower && k == 0))) {
            None => format!("the matrix{which} holds a NaN or an infinity, or `{name}` of it {}", self.fails),
            Some(false) => format!("the matrix{which} that `{name}` is given holds a NaN or an infinity"),
            Some(true) => {
                return Error::new(self.code, format!("`{name}` of the matrix{which} {}", self.fails))
                    .help("`on_fail = nan` gives NaN instead");
            }
        };
        Error::new(self.code, text).help(
            "`on_fail = nan` gives NaN instead; `check` the operand with `is_finite` to find out where it comes from",
        )
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use faer::{Mat, MatMut};

    /// A factorisation that fails on everything, and gives 1 the sure way.
    #[derive(Debug)]
    struct Unsure;
    impl Factorisation for Unsure {
        const ROW: &'static OpDef = &tfc_ir::ops::linalg::CHOLESKY;
        fn of(_: &Attrs) -> Unsure {
            Unsure
        }
        fn scratch<T: Field>(_: usize, _: usize) -> StackReq {
            StackReq::EMPTY
        }
        fn run<T: Field>(&self, _: &[In], _: &mut [Out], _: &mut MemStack) -> Result<(), Failed> {
            Err(Failed)
        }
        fn sure<T: Field>(&self, _: &[In], outs: &mut [Out], _: &mut MemStack) -> Result<(), Failed> {
            let mut x: MatMut<T> = outs[0].typed()?;
            x.fill(T::of_parts(1.0, 0.0));
            Ok(())
        }
    }
    fn what_fails_is_done_again_and_counted() {
        let mut x = Mat::<f64>::zeros(1, 1);
        let before = retries();
        let f = Of::<Unsure, f64>(Unsure, PhantomData);
        let mut memory = [];
        f.run(&[], &mut [Out::F64(x.as_mut())], Par::Seq, MemStack::new(&mut memory)).unwrap();
        assert_eq!(x[(0, 0)], 1.0);
        assert!(retries() > before);
    }

    /// Threads are of no account to the bits: of vectors, of solutions.
    fn shared_work_has_the_bits_of_one_thread() {
        let entry = |i: usize, j: usize| ((i * 37 + j * 91 + i * j * 13) % 101) as f64 / 50.0 - 1.0;
        for n in [1, 33, 150, 301] {
            let a = Mat::from_fn(n, n, |i, j| entry(i, j) + f64::from(i == j) * 8.0);
            let c = Mat::from_fn(n, n, |i, j| C64::new(entry(i.max(j), i.min(j)), 0.0));
            let run = |par: Par| {
                let (mut w, mut v, mut x) = (Mat::<f64>::zeros(n, 1), Mat::<C64>::zeros(n, n), Mat::<f64>::zeros(n, n));
                let by = |row: &OpDef, ins: &[In], outs: &mut [Out], d: DType| {
                    let f = Factor::of(row, &Attrs::none(), d).unwrap();
                    let mut memory = faer::dyn_stack::MemBuffer::new(f.scratch(n, n));
                    // SAFETY: operands and results are those of the op.
                    unsafe { f.share(ins, outs, par, MemStack::new(&mut memory)) }.unwrap();
                };
                let mut outs = [Out::F64(w.as_mut()), Out::C64(v.as_mut())];
                by(&tfc_ir::ops::linalg::EIGH, &[In::C64(c.as_ref())], &mut outs, DType::C64);
                let ins = [In::F64(a.as_ref()), In::F64(a.as_ref().transpose())];
                by(&tfc_ir::ops::linalg::SOLVE, &ins, &mut [Out::F64(x.as_mut())], DType::F64);
                (w, v, x)
            };
            let one = run(Par::Seq);
            for threads in [2, 3] {
                assert!(run(Par::rayon(threads)) == one, "n = {n}, {threads} threads");
            }
        }
    }
    /// All of them.
    pub const ALL: &[fn()] = &[what_fails_is_done_again_and_counted, shared_work_has_the_bits_of_one_thread];
}
