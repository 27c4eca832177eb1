//! Matrices in memory of a block's own, as complex numbers of double precision whatever they hold, column after column: what the
//! kernels of [`super::reflections`] and [`super::jacobi`] begin and end with. Elements are scaled by a power of 2, so that squares of
//! the largest are numbers.
//!
//! Matrices of at most 32 rows and columns have a warp each, several of a block, and their memory is shared memory: the text is the same
//! with lanes in the place of threads.
use tfc_ir::{Code, DType, Error, Result};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Site, beside, long, param, step, warps};
use crate::device::{Arg, Shape};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::blocks;
use crate::text::Kernel;
use crate::text::scalar::ctype;
use tfc_device::steps::matrices::{Reported, batches, of_matrix};

/// Threads of a block that has a matrix.
const BLOCK: u32 = 64;
/// Bytes that blocks at work may have together.
const WORK: usize = 1 << 28;
/// Numbers of 16 bytes that the warps of a block have in shared memory: one matrix of 32 rows and columns with what belongs to it.
const SHARED: usize = 2800;
/// Warps of a block, at most.
const WARPS: usize = 8;

/// The text of a kernel of warps from that of blocks.
fn of_warps(text: &str) -> String {
    let head = format!(
        "  SHARED(c64, own, {SHARED});
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const i64 group = (i64)blockIdx.x * (blockDim.x / 32) + warp, groups = (i64)gridDim.x * (blockDim.x / 32);
"
    );
    let pairs = [
        ("threadIdx.x", "lane"),
        ("blockDim.x", "32"),
        ("(i64)blockIdx.x * room", "warp * room"),
        ("blockIdx.x", "group"),
        ("gridDim.x", "groups"),
        ("__syncthreads()", "__syncwarp()"),
        ("work(i * 16)", "own[i]"),
        ("moved[", "moved[32 * warp + "),
        ("said[", "said[2 * warp + "),
        ("SHARED(i32, moved, 64)", "SHARED(i32, moved, 256)"),
        ("SHARED(f64, said, 2)", "SHARED(f64, said, 16)"),
    ];
    head + &pairs.iter().fold(text.to_owned(), |t, (from, to)| t.replace(from, to))
}

/// A kernel for matrices `m × n`, of which a block has one at a time. Its text has `get(i)` and `put(i, z)` for number `i` of the block's
/// memory (`x` is where the matrix begins, as `i + j * m`), `good` (is it finite?) and `undo`, by which results are scaled back.
pub(super) struct Own {
    kernel: String,
    /// A warp a matrix.
    small: String,
    rank: usize,
    reported: Reported,
    /// How many axes results have of their own.
    own: Vec<usize>,
    /// Numbers that a matrix `m × n` needs in all.
    room: fn(usize, usize) -> usize,
}
/// What differs between these kernels.
pub(super) struct Parts<'a> {
    /// The first part of its name.
    pub(super) name: &'a str,
    /// Results: what they are called, and how many axes they have of their own.
    pub(super) results: &'a [(&'a str, usize)],
    /// Numbers of memory.
    pub(super) room: fn(usize, usize) -> usize,
    /// From the matrix, scaled, to what results are made of.
    pub(super) body: String,
    /// Writes results.
    pub(super) store: String,
}
/// A number of the block's memory, times `undo` or not, as an element.
pub(super) fn element(d: DType, z: &str) -> String {
    match d {
        DType::F32 => format!("(f32)({z}).re"),
        DType::C32 => format!("c32{{(f32)({z}).re, (f32)({z}).im}}"),
        DType::C64 => z.to_owned(),
        _ => format!("({z}).re"),
    }
}
impl Own {
    pub(super) fn of(site: &Site, texts: &mut Texts, parts: &Parts) -> Result<Own> {
        let ty = site.operand(0)?;
        let (d, rank) = (ty.dtype, beside(ty.rank() - 2));
        let reported = Reported::of(site, d)?;
        let t = ctype(d);
        let loaded = if d.is_complex() { "c64{(f64)z.re, (f64)z.im}" } else { "c64{(f64)z, 0}" };
        let mut params = vec![param(format!("In<{t}>"), "a")];
        let mut places = String::new();
        let mut fill = String::new();
        for (i, &(name, own)) in parts.results.iter().enumerate() {
            let result = ctype(site.result(i)?.dtype);
            params.push(param(format!("Out<{result}>"), name));
            places.push_str(&format!("    const i64 {name}_ = at.place({}, i_);\n", i + 1));
            let nan = match site.result(i)?.dtype {
                DType::I64 => "0".to_owned(),
                d if d.is_complex() => format!("{result}{{0.0 / 0.0, 0.0 / 0.0}}").replace("0.0 / 0.0", &nan(d.real())),
                d => nan(d),
            };
            let [rows, cols] = if own == 1 {
                [format!("{name}_rows"), "1".into()]
            } else {
                ["rows", "cols"].map(|e| format!("{name}_{e}"))
            };
            let place = if own == 1 {
                format!("{name}_ + e * {name}_row")
            } else {
                format!("{name}_ + e % {rows} * {name}_row + e / {rows} * {name}_col")
            };
            fill.push_str(&format!(
                "      for (i64 e = threadIdx.x; e < {rows} * {cols}; e += blockDim.x) {name}({place}) = {nan};\n"
            ));
        }
        params.extend([param("Out<i32>", "bad"), param("Out<c64>", "work")]);
        params.extend(["m", "n", "room", "a_row", "a_col"].map(|x| param("i64", x)));
        for &(name, own) in parts.results {
            let all = ["rows", "row", "cols", "col"];
            params.extend(all[..2 * own].iter().map(|e| param("i64", &format!("{name}_{e}"))));
        }
        params.push(param(format!("Loops<{rank}, {}>", parts.results.len() + 1), "at"));
        let failed = if reported.nan { "!good" } else { "false" };
        let (body, store) = (&parts.body, &parts.store);
        let text = format!(
            "  SHARED(f64, said, 2);
  SHARED(i32, moved, {BLOCK});
  const i64 x = (i64)blockIdx.x * room;
  const auto get = [&](i64 i) -> c64 {{ return work(i * 16); }};
  const auto put = [&](i64 i, c64 z) {{ work(i * 16) = z; }};
  const auto times = [](c64 z, f64 by) {{ return c64{{z.re * by, z.im * by}}; }};
  const auto length = [](f64 a, f64 b) {{
    const f64 most = fmax(fabs(a), fabs(b));
    if (!(most > 0)) return most;
    const f64 p = a / most, q = b / most;
    return most * sqrt(p * p + q * q);
  }};
  for (i64 k_ = blockIdx.x; k_ < at.count(); k_ += gridDim.x) {{
    const auto i_ = at.index(k_);
    const i64 a_ = at.place(0, i_);
{places}    for (i64 e = threadIdx.x; e < m * n; e += blockDim.x) {{
      const {t} z = a(a_ + e % m * a_row + e / m * a_col);
      put(x + e, {loaded});
    }}
    __syncthreads();
    if (threadIdx.x == 0) {{
      bool finite = true;
      f64 most = 0, by = 1;
      for (i64 e = 0; e < m * n; e++) {{
        const c64 z = get(x + e);
        finite = finite && z.re - z.re == 0 && z.im - z.im == 0;
        most = fmax(most, fmax(fabs(z.re), fabs(z.im)));
      }}
      // The power of 2 that makes the largest part a number from 1 to 2; not the whole way from a subnormal one.
      if (finite && most > 0) {{
        while (most * by >= 2 && by > 1e-300) by *= 0.5;
        while (most * by < 1 && by < 1e300) by *= 2;
      }}
      said[0] = finite ? 1 : 0;
      said[1] = by;
    }}
    __syncthreads();
    bool good = said[0] != 0;
    const f64 by = said[1], undo = 1 / by;
    for (i64 e = threadIdx.x; e < m * n; e += blockDim.x) put(x + e, times(get(x + e), by));
    __syncthreads();
    if (good) {{
{body}    }}
    if (threadIdx.x == 0) bad(k_ * 4) = good ? 0 : 1;
    if ({failed}) {{
{fill}    }} else if (good) {{
{store}    }}
    __syncthreads();
  }}
"
        );
        let name = format!("{}_{t}", parts.name);
        let name = if reported.nan { format!("{name}_or_nan") } else { name };
        let body = of_warps(&text);
        let small = texts.add(Kernel { name: format!("{name}_warps"), params: params.clone(), body });
        let kernel = texts.add(Kernel { name, params, body: text });
        let own = parts.results.iter().map(|r| r.1).collect();
        Ok(Own { kernel, small, rank, reported, own, room: parts.room })
    }
}
fn nan(d: DType) -> String {
    if d == DType::F32 { "(f32)(0.0 / 0.0)".into() } else { "(0.0 / 0.0)".into() }
}
impl super::Step for Own {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[a], results) = (&s.args[..], &s.dsts[..]) else { return Err(super::misfit()) };
        let ([m, n], batch) = ([frame.dims(a)[0], frame.dims(a)[1]], frame.dims(a)[2..].to_vec());
        let slots: Vec<(Slot, usize)> =
            [(a, 2)].into_iter().chain(results.iter().copied().zip(self.own.iter().copied())).collect();
        let (at, count) = batches(frame, &slots, self.rank);
        if count == 0 || results.iter().all(|&r| frame.len(r).is_ok_and(|n| n == 0)) {
            return Ok(());
        }
        let large = || Error::new(Code::E0406, "a batch is too large");
        let room = (self.room)(m, n).max(1);
        let bytes = room.checked_mul(16).ok_or_else(large)?;
        let small = m.max(n) <= warps::MOST && room <= SHARED;
        let (kernel, shape) = match small {
            true => (&self.small, several(count, room)),
            false => (&self.kernel, blocks(count.min((WORK / bytes).max(1)), BLOCK)),
        };
        // Warps have theirs in shared memory.
        let bytes = if small { Some(16) } else { bytes.checked_mul(shape.grid[0] as usize) };
        let work = frame.scratch(ctx, 1, bytes.ok_or_else(large)?)?;
        let pointers = slots.iter().map(|&(s, _)| Arg::Ptr(frame.ptr[s as usize])).collect();
        let [ar, ac] = of_matrix(frame, a);
        let mut rest = vec![Arg::Ptr(work), long(m), long(n), long(room), step(ar), step(ac)];
        for &(r, own) in &slots[1..] {
            let (dims, by) = (frame.dims(r), of_matrix(frame, r));
            rest.extend((0..own).flat_map(|axis| [long(dims[axis]), step(by[axis])]));
        }
        rest.push(at);
        self.reported.launch((frame, ctx), kernel, shape, (pointers, rest), &batch)
    }
}
/// Blocks of warps for so many matrices, each of which needs that many numbers.
fn several(count: usize, room: usize) -> Shape {
    let each = (SHARED / room).clamp(1, WARPS).min(count);
    blocks(count.div_ceil(each), 32 * each as u32)
}
/// Entry `(i, j)` of the result `name`, in a text.
pub(super) fn place(name: &str, i: &str, j: &str) -> String {
    format!("{name}({name}_ + ({i}) * {name}_row + ({j}) * {name}_col)")
}
