//! Large matrices by CUDA's libraries, small ones by kernels of this crate: which, is known when a program runs. A library works on
//! copies, first axis fastest, one matrix after the other; kernels here make them, and make results of what it leaves: triangles, and
//! signs and phases as the rows say. Matrices with a NaN or an infinity are found before, and replaced by zeros, since a library may
//! do anything with them.
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{Code, DType, Error, Result};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Site, Step, beside, long, misfit, step};
use crate::device::{Arg, Ptr};
use crate::libraries::{Call, Libraries, Routine, Substitution};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::threads;
use tfc_device::steps::matrices::{Reported, batches, of_matrix};

mod text;
use text::{gather, look, permute, phases, pivots, scatter};

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// `linalg.cholesky`.
    Cholesky,
    /// `linalg.lu_factor`.
    Lu,
    /// `linalg.qr_factor`.
    Packed,
    /// `linalg.qr`.
    Qr,
    /// `linalg.eigh`; in the order of moduli.
    Eigh(bool),
    /// `linalg.svd`.
    Svd,
    /// `linalg.eig` without its vectors.
    Values,
    /// `linalg.solve`.
    Solve,
    /// `linalg.triangular_solve`.
    Triangular(Triangular),
}
/// Bits of how a copy is made and a result is taken.
mod flag {
    /// Nothing above the diagonal.
    pub(super) const LOWER: usize = 1;
    /// Nothing below the diagonal.
    pub(super) const UPPER: usize = 2;
    /// The adjoint.
    pub(super) const ADJOINT: usize = 4;
    /// A factor for each column; its conjugate.
    pub(super) const COLUMNS: usize = 8;
    pub(super) const CONJ_COLUMNS: usize = 16;
    /// A factor for each row; its conjugate.
    pub(super) const PLAIN_ROWS: usize = 32;
    pub(super) const CONJ_ROWS: usize = 64;
    /// Columns in an order of their own; rows.
    pub(super) const ORDER: usize = 128;
    /// NaN where there is no result.
    pub(super) const NAN: usize = 512;
    /// The Hermitian part.
    pub(super) const HERMITIAN: usize = 1024;
    /// Times the power of 2 that makes the largest part of an element a number from 1 to 2.
    pub(super) const SCALE: usize = 4096;
    /// Times the power of 2 that undoes that; on and above the diagonal.
    pub(super) const UNDO: usize = 8192;
    pub(super) const UNDO_UPPER: usize = 16384;
    /// Phases of the diagonal, not of leading entries.
    pub(super) const DIAGONAL: usize = 2048;
}
/// Columns up to which singular values are found by Jacobi's method.
const JACOBI: usize = 256;

/// `linalg.eig` where nobody asks for vectors, as `linalg.eigvals` does: by a library alone.
pub(super) fn values(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let f = &site.plan.func;
    let vectors = site.op().results.get(1..).unwrap_or_default();
    let among = |all: &[tfc_ir::ValueId]| vectors.iter().any(|v| all.contains(v));
    let mut asked = among(f.returns());
    f.walk(tfc_ir::BODY, &mut |o| {
        let op = f.op(o);
        asked |= among(&op.operands) || op.regions.iter().any(|&r| among(&f.region(r).yields));
    });
    if asked {
        return Err(site
            .unsupported::<crate::Cpp>("with its vectors")
            .note("CUDA's `cusolverDnXgeev` has right vectors only, and this op gives left ones too; `linalg.eigvals` is there"));
    }
    Ok(Box::new(Values(Large::of(site, texts, What::Values)?)))
}
struct Values(Large);
impl Step for Values {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        match ctx.device.libraries() {
            Some(l) => self.0.run(frame, ctx, s, l),
            None => Err(Error::new(Code::E1304, "the cuda backend has no kernel for `linalg.eig`")
                .note("its eigenvalues come from cuSOLVER, and this device does without libraries")
                .help("use the backend cpu or xla")),
        }
    }
}
/// The error that the library which is there does not have a routine.
fn older(what: What) -> Error {
    Error::new(Code::E1306, format!("this cuSOLVER is too old for {what:?}"))
        .note("`cusolverDnXgeev` came with CUDA 12.6")
        .help("install a later one; its files lie beside those of NVRTC")
}
/// A step by a library or by kernels.
struct Either {
    own: Box<dyn Step>,
    large: Large,
}
/// A step that leaves large matrices to a library, where the device has it; `own` makes the one for all others.
pub(super) fn or(
    site: &Site,
    texts: &mut Texts,
    what: What,
    own: fn(&Site, &mut Texts) -> Result<Box<dyn Step>>,
) -> Result<Box<dyn Step>> {
    Ok(Box::new(Either { own: own(site, texts)?, large: Large::of(site, texts, what)? }))
}
impl Step for Either {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let large = s.args.first().is_some_and(|&a| {
            let d = frame.dims(a);
            let (most, least) = (d[0].max(d[1]), d[0].min(d[1]));
            let fits = s.args.iter().all(|&a| frame.dims(a).iter().all(|&n| n < i32::MAX as usize));
            ctx.device.libraries().is_some_and(|l| fits && least > 0 && most >= l.least_matrix())
        });
        match ctx.device.libraries().filter(|_| large) {
            Some(libraries) => self.large.run(frame, ctx, s, libraries),
            None => self.own.run(frame, ctx, s),
        }
    }
}
/// The kernels around a library.
struct Large {
    what: What,
    d: DType,
    rank: usize,
    look: String,
    gather: String,
    phases: String,
    scatter: String,
    /// Name of the kernel that scatters real results; `scatter_complex` scatters complex ones.
    scatter_real: String,
    scatter_complex: String,
    pivots: String,
    permute: String,
    reported: Option<Reported>,
}
/// Matrices as a library has them.
#[derive(Clone, Copy)]
struct Dense {
    at: Ptr,
    rows: usize,
    cols: usize,
}
impl Dense {
    fn of(&self, k: usize, d: DType) -> Ptr {
        self.at.at((k * self.rows * self.cols * d.size()) as isize)
    }
}
/// What scatters have in common.
struct Words {
    bad: Ptr,
    info: Ptr,
    /// The largest exponent in a matrix.
    most: Ptr,
    count: usize,
}
impl Large {
    fn of(site: &Site, texts: &mut Texts, what: What) -> Result<Large> {
        let ty = site.operand(0)?;
        let (d, rank) = (ty.dtype, beside(ty.rank() - 2));
        let reported = match what {
            What::Triangular(_) => None,
            _ => Some(Reported::of(site, d)?),
        };
        let (look, gather, phases) = (look(texts, d, rank)?, gather(texts, d, rank)?, phases(texts, d)?);
        let complex = if d.real() == DType::F32 { DType::C32 } else { DType::C64 };
        let [scatter, scatter_real, scatter_complex] = [d, d.real(), complex].map(|d| scatter(texts, d, rank));
        let (scatter, scatter_real, scatter_complex) = (scatter?, scatter_real?, scatter_complex?);
        let (pivots, permute) = (pivots(texts, rank), permute(texts, d)?);
        Ok(Large {
            what,
            d,
            rank,
            look,
            gather,
            phases,
            scatter,
            scatter_real,
            scatter_complex,
            pivots,
            permute,
            reported,
        })
    }
    fn room(&self, frame: &mut Frame, ctx: &mut Ctx, i: usize, parts: &[usize]) -> Result<Ptr> {
        let bytes = parts.iter().try_fold(1usize, |a, &b| a.checked_mul(b));
        frame.scratch(ctx, i, bytes.ok_or_else(|| Error::new(Code::E0406, "a batch is too large"))?)
    }
    /// A copy of the matrices of a slot.
    fn copy(&self, frame: &Frame, ctx: &mut Ctx, s: Slot, to: Dense, (w, how): (&Words, usize)) -> Result<()> {
        let dims = frame.dims(s);
        let (m, n) = (dims[0], dims[1]);
        let [row, col] = of_matrix(frame, s);
        let (at, count) = batches(frame, &[(s, 2)], self.rank);
        let args = [
            Arg::Ptr(frame.ptr[s as usize]),
            Arg::Ptr(to.at),
            Arg::Ptr(w.bad),
            Arg::Ptr(w.most),
            long(m),
            long(n),
            step(row),
            step(col),
            long(how),
            at,
        ];
        ctx.module.launch(&self.gather, threads(count.saturating_mul(m).saturating_mul(n)), &args)
    }
    /// Results of the op.
    fn result(&self, frame: &Frame, ctx: &mut Ctx, w: &Words, r: &Taken) -> Result<()> {
        let (s, dims) = (r.slot, frame.dims(r.slot));
        let (rows, cols) = (dims[0], if r.own == 2 { dims[1] } else { 1 });
        let [row, col] = of_matrix(frame, s);
        let (at, count) = batches(frame, &[(s, r.own)], self.rank);
        let nan = if self.reported.as_ref().is_some_and(|r| r.nan) { flag::NAN } else { 0 };
        let args = [
            Arg::Ptr(r.from.at),
            Arg::Ptr(w.bad),
            Arg::Ptr(w.info),
            Arg::Ptr(w.most),
            Arg::Ptr(r.phase.unwrap_or(r.from.at)),
            Arg::Ptr(r.order.unwrap_or(r.from.at)),
            Arg::Ptr(frame.ptr[s as usize]),
            long(rows),
            long(cols),
            step(row),
            step(if r.own == 2 { col } else { 0 }),
            long(r.from.rows),
            long(r.from.rows * r.from.cols),
            long(r.how | nan),
            at,
        ];
        let kernel = match (r.real, r.complex) {
            (true, _) => &self.scatter_real,
            (_, true) => &self.scatter_complex,
            _ => &self.scatter,
        };
        ctx.module.launch(kernel, threads(count.saturating_mul(rows).saturating_mul(cols)), &args)
    }
    /// Phases of columns of matrices, of their adjoints, or of their diagonals: `cols` for each.
    fn phases(
        &self,
        ctx: &mut Ctx,
        w: &Words,
        from: Dense,
        to: Ptr,
        (rows, cols, how): (usize, usize, usize),
    ) -> Result<()> {
        let args = [
            Arg::Ptr(from.at),
            Arg::Ptr(to),
            long(rows),
            long(cols),
            long(from.rows),
            long(from.rows * from.cols),
            long(w.count),
            long(how),
        ];
        ctx.module.launch(&self.phases, threads(w.count.saturating_mul(cols)), &args)
    }
    /// Reports matrices that have no result, where the op does not ask for NaN.
    fn report(&self, ctx: &mut Ctx, w: &Words, batch: &[usize]) -> Result<()> {
        let Some(r) = self.reported.as_ref().filter(|r| !r.nan) else { return Ok(()) };
        let mut words = vec![0u8; w.count * 8];
        ctx.download(w.bad, &mut words)?;
        // What is no failure of the op: a pivot that is 0.
        let both = if self.fails() { 2 } else { 1 };
        let failed = |i: usize| (0..both).any(|h| words[4 * (h * w.count + i)..][..4] != [0; 4]);
        match (0..w.count).find(|&i| failed(i)) {
            Some(i) => Err(r.factor.failed(batch, i, None)),
            None => Ok(()),
        }
    }
    /// Whether what a library reports of a matrix means that there is no result.
    fn fails(&self) -> bool {
        matches!(self.what, What::Cholesky | What::Eigh(_) | What::Svd | What::Values)
    }
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep, lib: &dyn Libraries) -> Result<()> {
        let (Some(&a), d) = (s.args.first(), self.d) else { return Err(misfit()) };
        let (m, n, batch) = (frame.dims(a)[0], frame.dims(a)[1], frame.dims(a)[2..].to_vec());
        let count: usize = batch.iter().product();
        if count == 0 || s.dsts.iter().all(|&r| frame.len(r).is_ok_and(|n| n == 0)) {
            return Ok(());
        }
        let bad = self.room(frame, ctx, 0, &[count, 12])?;
        let [info, most] = [1, 2].map(|i| bad.at((count * 4 * i) as isize));
        let w = Words { bad, info, most, count };
        ctx.device.upload(bad, &vec![0; count * 12])?;
        if let What::Triangular(of) = self.what {
            return self.triangular(frame, ctx, s, lib, (&w, of));
        }
        let half = if self.what == What::Cholesky { flag::LOWER } else { 0 };
        let (at, _) = batches(frame, &[(a, 2)], self.rank);
        let [row, col] = of_matrix(frame, a);
        let mut args = [frame.ptr[a as usize], bad, most].map(Arg::Ptr).to_vec();
        args.extend([long(m), long(n), step(row), step(col), long(half), at]);
        ctx.module.launch(&self.look, threads(count.saturating_mul(m).saturating_mul(n)), &args)?;
        let turned = self.what == What::Svd && m < n;
        let how = match self.what {
            What::Cholesky => flag::LOWER,
            What::Eigh(_) => flag::HERMITIAN | flag::SCALE,
            What::Svd if turned => flag::ADJOINT | flag::SCALE,
            What::Svd | What::Qr | What::Packed | What::Values => flag::SCALE,
            _ => 0,
        };
        let (rows, cols) = if turned { (n, m) } else { (m, n) };
        let x = Dense { at: self.room(frame, ctx, 1, &[count, m, n, d.size()])?, rows, cols };
        self.copy(frame, ctx, a, x, (&w, how))?;
        // A routine on each matrix.
        let each = |routine: &dyn Fn(usize) -> Routine| -> Result<()> {
            (0..count).try_for_each(|k| {
                let info = w.info.at((k * 4) as isize);
                lib.solver(&Call { routine: routine(k), dtype: d, a: x.of(k, d), info })
            })
        };
        let few = rows.min(cols);
        match (self.what, &s.dsts[..]) {
            (What::Cholesky, &[l]) => {
                each(&|_| Routine::Cholesky { n })?;
                self.result(frame, ctx, &w, &Taken { how: flag::LOWER, ..Taken::of(l, x) })?;
            }
            (What::Lu, &[lu, pivots, p]) => {
                let places = Dense { at: self.room(frame, ctx, 2, &[count, few, 8])?, rows: few, cols: 1 };
                each(&|k| Routine::Lu { m, n, pivots: places.of(k, DType::I64) })?;
                self.result(frame, ctx, &w, &Taken::of(lu, x))?;
                let nan = self.reported.as_ref().is_some_and(|r| r.nan);
                let (at, _) = batches(frame, &[(pivots, 1), (p, 1)], self.rank);
                let args = [
                    Arg::Ptr(places.at),
                    Arg::Ptr(frame.ptr[pivots as usize]),
                    Arg::Ptr(frame.ptr[p as usize]),
                    Arg::Ptr(w.bad),
                    long(m),
                    long(few),
                    step(of_matrix(frame, pivots)[0]),
                    step(of_matrix(frame, p)[0]),
                    long(usize::from(nan)),
                    at,
                ];
                ctx.module.launch(&self.pivots, threads(count), &args)?;
            }
            (What::Packed, &[qr, tau]) => {
                let factors = Dense { at: self.room(frame, ctx, 2, &[count, few, d.size()])?, rows: few, cols: 1 };
                each(&|k| Routine::Qr { m, n, tau: factors.of(k, d) })?;
                self.result(frame, ctx, &w, &Taken { how: flag::UNDO_UPPER, ..Taken::of(qr, x) })?;
                self.result(frame, ctx, &w, &Taken { own: 1, ..Taken::of(tau, factors) })?;
            }
            (What::Qr, &[q, r]) => {
                let factors = Dense { at: self.room(frame, ctx, 2, &[count, few, d.size()])?, rows: few, cols: 1 };
                let phase = self.room(frame, ctx, 3, &[count, few, d.size()])?;
                each(&|k| Routine::Qr { m, n, tau: factors.of(k, d) })?;
                self.phases(ctx, &w, x, phase, (m, few, flag::DIAGONAL))?;
                // `phase` makes an entry of the diagonal real: a factor of rows of `r`, its conjugate one of columns of `q`.
                let how = flag::UPPER | flag::PLAIN_ROWS | flag::UNDO;
                self.result(frame, ctx, &w, &Taken { how, phase: Some(phase), ..Taken::of(r, x) })?;
                each(&|k| Routine::Reflections { m, n: few, k: few, tau: factors.of(k, d) })?;
                let how = flag::CONJ_COLUMNS;
                self.result(frame, ctx, &w, &Taken { how, phase: Some(phase), ..Taken::of(q, x) })?;
            }
            (What::Eigh(by_modulus), &[values, v]) => {
                let real = d.real();
                let found = Dense { at: self.room(frame, ctx, 2, &[count, n, real.size()])?, rows: n, cols: 1 };
                let phase = self.room(frame, ctx, 3, &[count, n, d.size()])?;
                let together = Routine::Eigens { n, values: found.at, count };
                if count > 1 && lib.has(&together)? {
                    lib.solver(&Call { routine: together, dtype: d, a: x.at, info: w.info })?;
                } else {
                    each(&|k| Routine::Eigen { n, values: found.of(k, real) })?;
                }
                self.phases(ctx, &w, x, phase, (n, n, 0))?;
                let order = if by_modulus { Some(self.by_modulus(frame, ctx, found, count)?) } else { None };
                let ordered = if by_modulus { flag::ORDER } else { 0 };
                let w_ =
                    Taken { how: ordered << 1 | flag::UNDO, own: 1, real: true, order, ..Taken::of(values, found) };
                self.result(frame, ctx, &w, &w_)?;
                let how = flag::COLUMNS | ordered;
                self.result(frame, ctx, &w, &Taken { how, phase: Some(phase), order, ..Taken::of(v, x) })?;
            }
            (What::Svd, &[u, values, vt]) => {
                let real = d.real();
                let found = Dense { at: self.room(frame, ctx, 2, &[count, few, real.size()])?, rows: few, cols: 1 };
                let phase = self.room(frame, ctx, 3, &[count, few, d.size()])?;
                let left = Dense { at: self.room(frame, ctx, 4, &[count, rows, few, d.size()])?, rows, cols: few };
                let right = Dense { at: self.room(frame, ctx, 5, &[count, few, few, d.size()])?, rows: few, cols: few };
                let of = |k: usize| (found.of(k, real), left.of(k, d), right.of(k, d));
                let jacobi = |k: usize| {
                    let (s, u, v) = of(k);
                    Routine::Jacobi { m: rows, n: cols, s, u, v }
                };
                let turns = cols <= JACOBI && lib.has(&jacobi(0))?;
                if turns {
                    each(&jacobi)?;
                } else {
                    each(&|k| {
                        let (s, u, vt) = of(k);
                        Routine::Svd { m: rows, n: cols, s, u, vt }
                    })?;
                }
                // Of the adjoint of a wide matrix, right vectors are on the left: `v` as it is, `vt` as its adjoint.
                let (first, second) = if turned { (right, left) } else { (left, right) };
                let adjoint = if turned && !turns { flag::ADJOINT } else { 0 };
                self.phases(ctx, &w, first, phase, (m, few, adjoint))?;
                let phase = Some(phase);
                let how = flag::COLUMNS | adjoint;
                self.result(frame, ctx, &w, &Taken { how, phase, ..Taken::of(u, first) })?;
                self.result(
                    frame,
                    ctx,
                    &w,
                    &Taken { how: flag::UNDO, own: 1, real: true, ..Taken::of(values, found) },
                )?;
                // Of an adjoint the phases that a kernel takes are turned once more.
                let how = if turns { flag::PLAIN_ROWS | flag::ADJOINT } else { flag::CONJ_ROWS | adjoint };
                self.result(frame, ctx, &w, &Taken { how, phase, ..Taken::of(vt, second) })?;
            }
            (What::Values, &[values, ..]) => {
                let complex = frame.decl(values).dtype;
                let found = Dense { at: self.room(frame, ctx, 2, &[count, n, complex.size()])?, rows: n, cols: 1 };
                let routine = |k: usize| Routine::General { n, values: found.of(k, complex) };
                if !lib.has(&routine(0))? {
                    return Err(older(self.what));
                }
                each(&routine)?;
                let how = flag::UNDO;
                self.result(frame, ctx, &w, &Taken { how, own: 1, complex: true, ..Taken::of(values, found) })?;
            }
            (What::Solve, &[to]) => self.solve(frame, ctx, lib, (s.args.get(1).copied(), to), (&w, x))?,
            _ => return Err(misfit()),
        }
        self.report(ctx, &w, &batch)
    }
    /// Eigenvalues by descending modulus, of equal ones the positive first: where they were.
    fn by_modulus(&self, frame: &mut Frame, ctx: &mut Ctx, found: Dense, count: usize) -> Result<Ptr> {
        let (n, real) = (found.rows, self.d.real());
        let mut bytes = vec![0; count * n * real.size()];
        ctx.download(found.at, &mut bytes)?;
        let values: Vec<f64> = bytes.chunks(real.size()).map(|b| super::super::run::frame::real(real, b)).collect();
        let mut words = vec![];
        for w in values.chunks(n) {
            let mut order: Vec<usize> = (0..n).rev().collect();
            // Descending before: it stays so among equal moduli.
            order.sort_by(|&a, &b| w[b].abs().total_cmp(&w[a].abs()));
            words.extend(order.iter().flat_map(|&i| (i as i64).to_le_bytes()));
        }
        let at = self.room(frame, ctx, 4, &[count, n, 8])?;
        ctx.device.upload(at, &words)?;
        Ok(at)
    }
    /// From the copy: factors, the right-hand sides in the order of pivots, and two triangular systems.
    fn solve(
        &self,
        frame: &mut Frame,
        ctx: &mut Ctx,
        lib: &dyn Libraries,
        (b, to): (Option<Slot>, Slot),
        (w, x): (&Words, Dense),
    ) -> Result<()> {
        let (Some(b), d, n) = (b, self.d, x.rows) else { return Err(misfit()) };
        let columns = frame.dims(b)[1];
        let places = Dense { at: self.room(frame, ctx, 2, &[w.count, n, 8])?, rows: n, cols: 1 };
        let y = Dense { at: self.room(frame, ctx, 3, &[w.count, n, columns, d.size()])?, rows: n, cols: columns };
        self.copy(frame, ctx, b, y, (w, 0))?;
        for k in 0..w.count {
            let info = w.info.at((k * 4) as isize);
            let pivots = places.of(k, DType::I64);
            lib.solver(&Call { routine: Routine::Lu { m: n, n, pivots }, dtype: d, a: x.of(k, d), info })?;
        }
        let args = [Arg::Ptr(places.at), Arg::Ptr(y.at), long(n), long(columns), long(w.count)];
        ctx.module.launch(&self.permute, threads(w.count.saturating_mul(columns)), &args)?;
        for k in 0..w.count {
            for lower in [true, false] {
                let (a, b) = ((x.of(k, d), n), (y.of(k, d), n));
                let (left, mn) = (true, [n, columns]);
                let s = Substitution { dtype: d, left, lower, transpose: false, conj: false, unit: lower, mn, a, b };
                lib.substitution(&s)?;
            }
        }
        self.result(frame, ctx, w, &Taken::of(to, y))
    }
    fn triangular(
        &self,
        frame: &mut Frame,
        ctx: &mut Ctx,
        s: &KernelStep,
        lib: &dyn Libraries,
        (w, of): (&Words, Triangular),
    ) -> Result<()> {
        let (&[a, b], &[x], d) = (&s.args[..], &s.dsts[..], self.d) else { return Err(misfit()) };
        let (n, [rows, cols]) = (frame.dims(a)[0], [frame.dims(b)[0], frame.dims(b)[1]]);
        let half = if of.lower { flag::LOWER } else { flag::UPPER };
        let m = Dense { at: self.room(frame, ctx, 1, &[w.count, n, n, d.size()])?, rows: n, cols: n };
        let y = Dense { at: self.room(frame, ctx, 2, &[w.count, rows, cols, d.size()])?, rows, cols };
        self.copy(frame, ctx, a, m, (w, half))?;
        self.copy(frame, ctx, b, y, (w, 0))?;
        // A conjugate that is not transposed does not occur: `op` is nothing, the transpose or the adjoint.
        let Triangular { left, lower, transpose, conj, unit } = of;
        (0..w.count).try_for_each(|k| {
            let (a, b, mn) = ((m.of(k, d), n), (y.of(k, d), rows), [rows, cols]);
            lib.substitution(&Substitution { dtype: d, left, lower, transpose, conj, unit, mn, a, b })
        })?;
        self.result(frame, ctx, w, &Taken::of(x, y))
    }
}
/// What a result is made of.
struct Taken {
    slot: Slot,
    /// Axes of a matrix or vector.
    own: usize,
    /// Whether the elements are real, or complex, whatever those of the matrix are.
    real: bool,
    complex: bool,
    from: Dense,
    how: usize,
    phase: Option<Ptr>,
    order: Option<Ptr>,
}
impl Taken {
    fn of(slot: Slot, from: Dense) -> Taken {
        Taken { slot, own: 2, real: false, complex: false, from, how: 0, phase: None, order: None }
    }
}
