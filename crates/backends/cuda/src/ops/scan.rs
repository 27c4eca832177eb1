//! Running folds of long lines: a block a line, or several blocks a line. A block takes tiles of 8 elements a thread through shared
//! memory, so that neighbours in memory are read by neighbours in a warp; its order of folding follows from its number of threads, and
//! that from the length of the line.
//!
//! Several blocks a line, where lines are long and few: a fold that is exact (integers, the larger, the smaller) takes one pass, in
//! which each tile looks back at what those before it have handed on (Merrill & Garland 2016). Where rounding depends on the order
//! it takes two, so that the order follows from sizes alone: the folds of the parts of a line, then each part anew from the fold of those
//! before it.
use tfc_ir::{Code, Error, Result};
use tfc_plan::space::Space;

use super::{long, param, step};
use crate::device::{Arg, Ptr, Shape};
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{blocks, loops, threads};
use crate::text::Kernel;

/// Elements of a thread.
const ITEMS: usize = 8;
/// Threads of a block that has a line or a part of one, at most.
const BLOCK: usize = 256;
/// Elements of a tile of such a block.
const TILE: usize = ITEMS * BLOCK;
/// Lines of more elements are taken by several blocks, where there are fewer than [`FEW`] of them.
const LONG: usize = 4 * TILE;
const FEW: usize = 256;
/// Parts of a line, at most: a block folds what those before it have, four a thread.
const MOST_PARTS: usize = 4 * BLOCK;

/// A running fold, as text.
pub(super) struct Fold<'a> {
    /// What kernels are called.
    pub(super) name: &'a str,
    /// The type of elements.
    pub(super) element: &'a str,
    /// What is folded: its type, the bytes of one, and the one that changes nothing.
    pub(super) acc: &'a str,
    pub(super) size: usize,
    pub(super) none: &'a str,
    /// The expression in C of what is taken of an element `e`.
    pub(super) take: &'a str,
    /// The expression in C that joins `a`, which comes before, and `b`.
    pub(super) fold: &'a str,
    /// An element of the result, from `all`.
    pub(super) value: &'a str,
    /// The order of folding changes nothing, and what is folded has 4 or 8 bytes.
    pub(super) exact: bool,
}
/// Kernels of a running fold.
pub(super) struct Scan {
    line: String,
    far: Far,
    rank: usize,
    size: usize,
}
enum Far {
    LookBack { begin: String, kernel: String },
    Parts { partials: String, rest: String },
}
/// Lines to be folded: where the first begins in operand and result, bytes from element to element, how many, and loops over lines.
pub(super) struct Lines<'a> {
    pub(super) first: [Ptr; 2],
    pub(super) by: [isize; 2],
    pub(super) n: usize,
    pub(super) at: &'a Space,
}
/// What a thread has of a tile, and the fold of the tile.
const LOCAL: &str = "      const i64 left = end - first;
      for (i64 i = threadIdx.x; i < items && i < left; i += blockDim.x) tile[in_tile(i)] = x(x0 + (first + i) * from);
      __syncthreads();
      ACC own[8], start, sum = none;
      for (u32 j = 0; j < 8; j++)
        if (mine + j < left) {
          const T e = tile[in_tile(mine + j)];
          sum = fold(sum, take(e));
          own[j] = sum;
        }
      const ACC whole = scan_block(sum, none, start, fold);
";
/// Results of a tile, whose elements follow `before`.
const APPLY: &str = "      start = fold(before, start);
      for (u32 j = 0; j < 8; j++)
        if (mine + j < left) {
          const ACC all = fold(start, own[j]);
          tile[in_tile(mine + j)] = value(all);
        }
      __syncthreads();
      for (i64 i = threadIdx.x; i < items && i < left; i += blockDim.x) y(y0 + (first + i) * to) = tile[in_tile(i)];
";
impl Scan {
    pub(super) fn of(texts: &mut Texts, f: &Fold, rank: usize) -> Result<Scan> {
        for section in ["scan", "look_back"].iter().take(1 + usize::from(f.exact)) {
            texts.functions.section(section)?;
        }
        let head = format!(
            "  SHARED(T, tile, {});
  const i64 items = blockDim.x * 8;
  const u32 mine = threadIdx.x * 8;
  const ACC none = {};
  const auto take = [](T e) -> ACC {{ return {}; }};
  const auto fold = [](ACC a, ACC b) -> ACC {{ return {}; }};
  const auto value = [](ACC all) -> T {{ return {}; }};
",
            TILE + TILE / 32,
            f.none,
            f.take,
            f.fold,
            f.value
        );
        let typed = |s: &str| s.replace("ACC", f.acc).replace("<T>", &format!("<{}>", f.element));
        let mut write = |how: &str, params: &[(&str, &str)], loops: &str, body: &str| {
            let mut all: Vec<_> = params.iter().map(|&(ty, name)| param(typed(ty), name)).collect();
            all.push(param(loops, "at"));
            let body = typed(&format!("{head}{body}"))
                .replace("SHARED(T,", &format!("SHARED({},", f.element))
                .replace("(T e)", &format!("({} e)", f.element))
                .replace("-> T ", &format!("-> {} ", f.element))
                .replace("const T ", &format!("const {} ", f.element));
            texts.add(Kernel { name: format!("{}_{how}", f.name), params: all, body })
        };
        let both = format!("Loops<{rank}, 2>");
        let (x, y, n, from, to) = (("In<T>", "x"), ("Out<T>", "y"), ("i64", "n"), ("i64", "from"), ("i64", "to"));
        let line = write(
            "line",
            &[x, y, n, from, to],
            &both,
            &format!(
                "  for (i64 k = blockIdx.x; k < at.count(); k += gridDim.x) {{
    const auto x_ = at.index(k);
    const i64 x0 = at.place(0, x_), y0 = at.place(1, x_), end = n;
    ACC before = none;
    for (i64 first = 0; first < n; first += items) {{
{LOCAL}{APPLY}      before = fold(before, whole);
    }}
  }}
"
            ),
        );
        let far = if f.exact {
            let words = [("Out<u64>", "sum_"), ("Out<u64>", "all_"), ("Out<u32>", "flag"), ("Out<u32>", "ticket")];
            let kernel = write(
                "look_back",
                &[&[x, y], &words[..], &[n, from, to, ("i64", "tiles")]].concat(),
                &both,
                &format!(
                    "  SHARED(u32, turn, 1);
  SHARED(ACC, prefix, 1);
  // Tiles in the order in which blocks begin: a tile waits only for tiles whose blocks are at work.
  if (threadIdx.x == 0) turn[0] = atomicAdd(&ticket(0), 1u);
  __syncthreads();
  const u32 number = turn[0];
  const i64 k = number / tiles, t = number % tiles, first = t * items, end = n;
  const auto x_ = at.index(k);
  const i64 x0 = at.place(0, x_), y0 = at.place(1, x_);
{LOCAL}      if (threadIdx.x < 32) {{
        ACC known = none;
        if (t > 0) {{
          if (threadIdx.x == 0) {{
            atomicExch(&sum_(number * (i64)8), as_word(whole));
            __threadfence();
            atomicExch(&flag(number * (i64)4), 1u);
          }}
          __syncwarp();
          known = look_back(flag, sum_, all_, number - t, t, none, fold);
        }}
        if (threadIdx.x == 0) {{
          prefix[0] = known;
          atomicExch(&all_(number * (i64)8), as_word(fold(known, whole)));
          __threadfence();
          atomicExch(&flag(number * (i64)4), 2u);
        }}
      }}
      __syncthreads();
      const ACC before = prefix[0];
{APPLY}"
                ),
            );
            let begin = texts.add(Kernel {
                name: "look_back_begin".into(),
                params: vec![param("Out<u32>", "words"), param("i64", "n")],
                body: "  for (i64 i = thread_of_grid(); i < n; i += threads_of_grid()) words(i * 4) = 0;\n".into(),
            });
            Far::LookBack { begin, kernel }
        } else {
            let part = "  for (i64 q = blockIdx.x; q < at.count() * parts; q += gridDim.x) {
    const i64 k = q / parts, part = q % parts, begin = part * length, end = begin + length < n ? begin + length : n;
    const auto x_ = at.index(k);
";
            let sizes = [n, from, ("i64", "length"), ("i64", "parts")];
            let partials = write(
                "parts",
                &[&[x, ("Out<ACC>", "partial")], &sizes[..]].concat(),
                &both,
                &format!(
                    "{part}    const i64 x0 = at.place(0, x_);
    ACC before = none;
    for (i64 first = begin; first < end; first += items) {{
{LOCAL}      before = fold(before, whole);
    }}
    if (threadIdx.x == 0) partial(q * {size}) = before;
  }}
",
                    size = f.size
                ),
            );
            let rest = write(
                "from_parts",
                &[&[x, y, ("In<ACC>", "partial")], &sizes[..], &[to]].concat(),
                &both,
                &format!(
                    "{part}    const i64 x0 = at.place(0, x_), y0 = at.place(1, x_);
    ACC parts_before = none, mine_before;
    for (i64 p = threadIdx.x * 4; p < threadIdx.x * 4 + 4 && p < part; p++) {{
      const ACC e = partial((k * parts + p) * {size});
      parts_before = fold(parts_before, e);
    }}
    ACC before = scan_block(parts_before, none, mine_before, fold);
    for (i64 first = begin; first < end; first += items) {{
{LOCAL}{APPLY}      before = fold(before, whole);
    }}
  }}
",
                    size = f.size
                ),
            );
            Far::Parts { partials, rest }
        };
        Ok(Scan { line, far, rank, size: f.size })
    }
    /// Folds lines; scratch number `i` is its own.
    pub(super) fn run(&self, (frame, ctx): (&mut Frame, &mut Ctx), i: usize, l: &Lines) -> Result<()> {
        let count = l.at.len();
        if l.n == 0 || count == 0 {
            return Ok(());
        }
        let [x, y] = l.first.map(Arg::Ptr);
        let [from, to] = l.by.map(step);
        let (n, at) = (long(l.n), loops(l.at, self.rank));
        let tiles = l.n.div_ceil(TILE);
        if l.n <= LONG || count >= FEW || tiles.saturating_mul(count) > i32::MAX as usize {
            let block = l.n.div_ceil(ITEMS).next_power_of_two().clamp(32, BLOCK);
            return ctx.module.launch(&self.line, blocks(count, block as u32), &[x, y, n, from, to, at]);
        }
        let large = || Error::new(Code::E0406, "running folds of too many lines");
        match &self.far {
            Far::LookBack { begin, kernel } => {
                // Two words of 8 bytes and one of 4 for each tile, and the ticket.
                let all = tiles * count;
                let words = all.checked_mul(5).and_then(|w| w.checked_add(1)).ok_or_else(large)?;
                let p = frame.scratch(ctx, i, words.checked_mul(4).ok_or_else(large)?)?;
                ctx.module.launch(begin, threads(words), &[Arg::Ptr(p), long(words)])?;
                let [sums, alls, flags, ticket] = [0, 8, 16, 20].map(|b| Arg::Ptr(p.at((all * b) as isize)));
                let shape = Shape { grid: [all as u32, 1, 1], block: [BLOCK as u32, 1, 1] };
                let args = [x, y, sums, alls, flags, ticket, n, from, to, long(tiles), at];
                ctx.module.launch(kernel, shape, &args)
            }
            Far::Parts { partials, rest } => {
                let length = tiles.div_ceil(MOST_PARTS) * TILE;
                let parts = l.n.div_ceil(length);
                let bytes = parts.checked_mul(count).and_then(|b| b.checked_mul(self.size)).ok_or_else(large)?;
                let partial = Arg::Ptr(frame.scratch(ctx, i, bytes)?);
                let shape = blocks(parts * count, BLOCK as u32);
                let sizes = [n, from, long(length), long(parts)];
                let args = [&[x.clone(), partial.clone()], &sizes[..], std::slice::from_ref(&at)].concat();
                ctx.module.launch(partials, shape, &args)?;
                ctx.module.launch(rest, shape, &[&[x, y, partial], &sizes[..], &[to, at]].concat())
            }
        }
    }
}
