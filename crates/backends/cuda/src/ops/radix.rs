//! Long lines by their keys: radix sort from the lowest digit of 8 bits to the highest, keys from the last to the first. A pass counts
//! the digits of each tile, adds the counts up in the order of digits and, of one digit, of tiles, and moves elements to where these sums
//! say, those of one digit in their order: equal keys stay as they stood. What is moved is bits of keys and places of elements; elements
//! themselves are moved once, by the caller.
use tfc_ir::{Code, DType, Error, Result, ScalarOp};
use tfc_plan::plan::Slot;
use tfc_plan::space::Space;

use super::scan::{Fold, Lines, Scan};
use super::{long, param};
use crate::device::{Arg, Ptr};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, threads};
use crate::text::Kernel;
use crate::text::scalar::ctype;

/// Elements of a tile, which a block of 256 threads has.
const TILE: usize = 2048;
const BLOCK: u32 = 256;
/// Values of a digit.
const DIGITS: usize = 256;

/// Kernels for one key.
struct Key {
    bits: String,
    passes: Passes,
    /// Digits of it that differ at all.
    digits: usize,
}
/// Kernels for a list of keys.
pub(super) struct Radix {
    keys: Vec<Key>,
}
/// The lines to be sorted: how many, of how many elements, and the loops over them for a slot.
pub(super) struct Sorted<'a> {
    pub(super) lines: usize,
    pub(super) n: usize,
    pub(super) keys: &'a [Slot],
    pub(super) axis: usize,
    pub(super) nest: &'a dyn Fn(&Frame, &[Slot]) -> Arg,
}
fn large() -> Error {
    Error::new(Code::E0406, "the places of a sort are too many")
}
impl Radix {
    pub(super) fn of(texts: &mut Texts, dtypes: &[DType], rank: usize) -> Result<Radix> {
        texts.functions.section("sort_bits")?;
        Ok(Radix { keys: dtypes.iter().map(|&d| Key::of(texts, d, rank)).collect::<Result<_>>()? })
    }
    /// The order of each line as `u32`: which element comes first, and so on. Scratch from number `i` on is its own.
    pub(super) fn run(&self, (frame, ctx): (&mut Frame, &mut Ctx), i: usize, s: &Sorted) -> Result<Ptr> {
        let all = s.lines.checked_mul(s.n).ok_or_else(large)?;
        let widest = self.keys.iter().map(|k| k.passes.size).max().unwrap_or(4);
        let mut b = Buffers::of((frame, ctx), i, (s.lines, s.n), widest)?;
        for (k, key) in self.keys.iter().enumerate().rev() {
            let slot = s.keys[k];
            let by = super::step(frame.strides(slot)[s.axis]);
            let fresh = long(usize::from(k + 1 == self.keys.len()));
            let at = (s.nest)(frame, &[slot]);
            let from = Arg::Ptr(frame.ptr[slot as usize]);
            let args = [from, Arg::Ptr(b.bits[0]), Arg::Ptr(b.order[0]), long(s.n), by, fresh, at];
            ctx.module.launch(&key.bits, threads(all), &args)?;
            key.passes.run((frame, ctx), i + Buffers::SCRATCH, &mut b, key.digits)?;
        }
        Ok(b.order[0])
    }
}
/// Bits of keys and places of elements of lines, and room for as many.
pub(super) struct Buffers {
    pub(super) bits: [Ptr; 2],
    pub(super) order: [Ptr; 2],
    lines: usize,
    n: usize,
}
impl Buffers {
    /// Numbers of scratch that they take.
    pub(super) const SCRATCH: usize = 4;
    /// In scratch from number `i` on, for bits of `size` bytes.
    pub(super) fn of(
        (frame, ctx): (&mut Frame, &mut Ctx),
        i: usize,
        (lines, n): (usize, usize),
        size: usize,
    ) -> Result<Buffers> {
        let room = |bytes: usize| lines.checked_mul(n).and_then(|all| all.checked_mul(bytes)).ok_or_else(large);
        let bits = [frame.scratch(ctx, i, room(size)?)?, frame.scratch(ctx, i + 1, room(size)?)?];
        let order = [frame.scratch(ctx, i + 2, room(4)?)?, frame.scratch(ctx, i + 3, room(4)?)?];
        Ok(Buffers { bits, order, lines, n })
    }
}
/// Kernels of passes over bits.
pub(super) struct Passes {
    count: String,
    spread: String,
    sums: Scan,
    /// Bytes of the bits of a key: 4 or 8.
    size: usize,
}
impl Passes {
    /// Sorts what is in the first buffers by so many digits, the lowest first; it ends there. Scratch from number `i` on is its own.
    pub(super) fn run(
        &self,
        (frame, ctx): (&mut Frame, &mut Ctx),
        i: usize,
        b: &mut Buffers,
        digits: usize,
    ) -> Result<()> {
        let tiles = b.n.div_ceil(TILE);
        let counted = b.lines.checked_mul(tiles).and_then(|t| t.checked_mul(DIGITS * 4)).ok_or_else(large)?;
        let counts = frame.scratch(ctx, i, counted)?;
        let shape = blocks(b.lines.saturating_mul(tiles), BLOCK);
        let mut at = Space::default();
        at.clear(2);
        at.push(b.lines, false, |_| (tiles * DIGITS * 4) as isize);
        for digit in 0..digits {
            let sizes = [long(b.n), long(8 * digit), long(tiles), long(b.lines)];
            let args = [&[Arg::Ptr(b.bits[0]), Arg::Ptr(counts)], &sizes[..]].concat();
            ctx.module.launch(&self.count, shape, &args)?;
            let lines = Lines { first: [counts; 2], by: [4; 2], n: tiles * DIGITS, at: &at };
            self.sums.run((frame, ctx), i + 1, &lines)?;
            let pointers = [b.bits[0], b.order[0], counts, b.bits[1], b.order[1]].map(Arg::Ptr);
            ctx.module.launch(&self.spread, shape, &[&pointers[..], &sizes[..]].concat())?;
            b.bits.swap(0, 1);
            b.order.swap(0, 1);
        }
        Ok(())
    }
}
/// Tiles of lines, in turn.
const TILES: &str = "  for (i64 q = blockIdx.x; q < lines * tiles; q += gridDim.x) {
    const i64 line = q / tiles, tile = q % tiles, first = tile * 2048, m = n - first < 2048 ? n - first : 2048;
";
impl Key {
    fn of(texts: &mut Texts, d: DType, rank: usize) -> Result<Key> {
        let t = ctype(d);
        let size = if d.size() == 8 { 8 } else { 4 };
        let bits = texts.add(Kernel {
            name: format!("sort_bits_{t}"),
            params: vec![
                param(format!("In<{t}>"), "key"),
                param(if size == 8 { "Out<u64>" } else { "Out<u32>" }, "bits"),
                param("Out<u32>", "order"),
                param("i64", "n"),
                param("i64", "step"),
                param("i64", "fresh"),
                param(format!("Loops<{rank}, 1>"), "lines"),
            ],
            body: format!(
                "  for (i64 g = thread_of_grid(); g < lines.count() * n; g += threads_of_grid()) {{
    const auto x_ = lines.index(g / n);
    i64 i = g % n;
    if (fresh != 0) order(g * 4) = (u32)i;
    else i = order(g * 4);
    const {t} x = key(lines.place(0, x_) + i * step);
    bits(g * {size}) = sort_bits(x);
  }}
"
            ),
        });
        let digits = if d == DType::Bool { 1 } else { size };
        Ok(Key { bits, passes: Passes::of(texts, size)?, digits })
    }
}
impl Passes {
    pub(super) fn of(texts: &mut Texts, size: usize) -> Result<Passes> {
        texts.functions.section("radix")?;
        let u = if size == 8 { "u64" } else { "u32" };
        let fold = texts.functions.combine(ScalarOp::Add, "a", "b", DType::U32)?;
        let sums = Fold {
            name: "sort_sums",
            element: "u32",
            acc: "u32",
            size: 4,
            none: "0",
            take: "e",
            fold: &fold,
            value: "all",
            exact: true,
        };
        let sums = Scan::of(texts, &sums, 1)?;
        let sizes = ["n", "shift", "tiles", "lines"].map(|x| param("i64", x));
        let mut params = vec![param(format!("In<{u}>"), "bits"), param("Out<u32>", "counts")];
        params.extend(sizes.clone());
        let count = texts.add(Kernel {
            name: format!("sort_count_{u}"),
            params,
            body: format!(
                "  SHARED(u32, count, 256);
{TILES}    count[threadIdx.x] = 0;
    __syncthreads();
    for (i64 i = threadIdx.x; i < m; i += 256) atomicAdd(&count[(u32)(bits((line * n + first + i) * {size}) >> shift & 255)], 1u);
    __syncthreads();
    counts(((line * 256 + threadIdx.x) * tiles + tile) * 4) = count[threadIdx.x];
  }}
"
            ),
        });
        let mut params = vec![
            param(format!("In<{u}>"), "bits"),
            param("In<u32>", "order"),
            param("In<u32>", "sums"),
            param(format!("Out<{u}>"), "bits_to"),
            param("Out<u32>", "order_to"),
        ];
        params.extend(sizes);
        let spread = texts.add(Kernel {
            name: format!("sort_spread_{u}"),
            params,
            body: format!(
                "  SHARED(u32, seen, 2048);
  SHARED({u}, bits_here, 2048);
  SHARED(u32, order_here, 2048);
  SHARED(u32, first_here, 256);
  SHARED(u32, first_there, 256);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, mine = warp * 256 + lane;
{TILES}    for (u32 i = threadIdx.x; i < 2048; i += 256) seen[i] = 0;
    __syncthreads();
    // A warp has 256 neighbours: of each, how many of its digit stand before it there.
    {u} own[8];
    u32 place[8], before[8];
    for (u32 s = 0; s < 8; s++) {{
      const bool one = mine + s * 32 < m;
      own[s] = 0;
      if (one) {{
        own[s] = bits((line * n + first + mine + s * 32) * {size});
        place[s] = order((line * n + first + mine + s * 32) * 4);
      }}
      const u32 digit = (u32)(own[s] >> shift & 255), same = same_digit(digit, one), lower = same & ((1u << lane) - 1);
      if (one) before[s] = seen[warp * 256 + digit] + __popc(lower);
      __syncwarp();
      if (one && lower == 0) seen[warp * 256 + digit] += __popc(same);
      __syncwarp();
    }}
    __syncthreads();
    u32 all = 0, start;
    for (u32 w = 0; w < 8; w++) {{
      const u32 here = seen[w * 256 + threadIdx.x];
      seen[w * 256 + threadIdx.x] = all;
      all += here;
    }}
    scan_block(all, 0u, start, [](u32 a, u32 b) {{ return a + b; }});
    first_here[threadIdx.x] = start;
    const i64 at = (line * 256 + threadIdx.x) * tiles + tile;
    first_there[threadIdx.x] = threadIdx.x == 0 && tile == 0 ? 0u : sums((at - 1) * 4);
    __syncthreads();
    for (u32 s = 0; s < 8; s++)
      if (mine + s * 32 < m) {{
        const u32 digit = (u32)(own[s] >> shift & 255), to = first_here[digit] + seen[warp * 256 + digit] + before[s];
        bits_here[to] = own[s];
        order_here[to] = place[s];
      }}
    __syncthreads();
    // Neighbours of one digit go to neighbours.
    for (i64 i = threadIdx.x; i < m; i += 256) {{
      const {u} b = bits_here[i];
      const u32 digit = (u32)(b >> shift & 255);
      const i64 to = line * n + first_there[digit] + (i - first_here[digit]);
      bits_to(to * {size}) = b;
      order_to(to * 4) = order_here[i];
    }}
    __syncthreads();
  }}
"
            ),
        });
        Ok(Passes { count, spread, sums, size })
    }
}
