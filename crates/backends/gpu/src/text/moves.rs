//! Kernels that have no region: copies between strides, and products.
use std::fmt::Write as _;

use tfc_device::steps::contract::{conjugated, dot_loops};
use tfc_ir::{DType, Result, ScalarOp};
use tfc_plan::plan::{Dot, Plan};

use super::scalar::{Functions, literal};
use super::{GROUP, Kernel, Nest, over, param, read, type_of, typed, write};

/// What elements of so many bytes are moved as.
pub fn word(size: usize) -> Option<DType> {
    match size {
        1 => Some(DType::Bool),
        4 => Some(DType::U32),
        8 => Some(DType::U64),
        _ => None,
    }
}
/// Copies elements of that size along so many loops.
pub fn copy(size: usize, rank: usize) -> Option<Kernel> {
    let d = word(size)?;
    let (t, at) = (type_of(d), Nest { name: "at", rank });
    let value = read(d, "from_", &at.place(0, "x"));
    let lines = format!("    {}\n    {}\n", at.index("i", "x"), write(d, "to_", &at.place(1, "x"), &value));
    Some(Kernel {
        name: format!("copy_{t}_{rank}"),
        params: vec![
            param(format!("In<{t}>"), "from_"),
            param(format!("Out<{t}>"), "to_"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body: over(&at.count(), &lines),
    })
}
/// Rows and columns of a tile, what is multiplied of them at a time, and rows and columns of a thread.
const TILE: usize = 64;
const DEPTH: usize = 16;
const OWN: usize = 4;

/// A product, by tiles in memory of the workgroup. Sums run along the contracted axes in their order.
///
/// # Errors
/// `E1304` where the element type has no product.
pub fn dot(plan: &Plan, d: &Dot, functions: &mut Functions) -> Result<Kernel> {
    let dtype = plan.slots[d.out as usize].dtype;
    let t = type_of(dtype);
    let [m, n, k, b] = dot_loops(d);
    let [rows, cols, inner, batch] =
        [("rows", m), ("cols", n), ("inner", k), ("batch", b)].map(|(name, rank)| Nest { name, rank });
    let side = |conj: bool, e: &str, f: &mut Functions| match conj && dtype.is_complex() {
        true => f.apply(ScalarOp::Conj, &[(e, dtype)], dtype),
        false => Ok(e.to_owned()),
    };
    let zero = typed(&literal([0; 16], dtype), dtype);
    let left =
        read(dtype, "a_", &format!("{} + {} + {}", batch.place(0, "z"), rows.place(0, "r"), inner.place(0, "q")));
    let right =
        read(dtype, "b_", &format!("{} + {} + {}", batch.place(1, "z"), cols.place(0, "c"), inner.place(1, "q")));
    let (left, right) = (side(d.conj[0], &left, functions)?, side(d.conj[1], &right, functions)?);
    let place = format!("{} + {} + {}", batch.place(2, "z"), rows.place(1, "r"), cols.place(1, "c"));
    let all = || (0..OWN).flat_map(|i| (0..OWN).map(move |j| (i, j)));
    let (mut sums, mut loads, mut adds, mut stores) = (String::new(), String::new(), String::new(), String::new());
    for i in 0..OWN {
        let _ = writeln!(loads, "        let l{i} = left[q * {TILE} + ty * {OWN} + {i}];");
        let _ = writeln!(loads, "        let r{i} = right[q * {TILE} + tx * {OWN} + {i}];");
    }
    for (i, j) in all() {
        let (sum, l, r) = (format!("s{i}{j}"), format!("l{i}"), format!("r{j}"));
        let product = functions.apply(ScalarOp::Mul, &[(&l, dtype), (&r, dtype)], dtype)?;
        let next = functions.apply(ScalarOp::Add, &[(&sum, dtype), (&product, dtype)], dtype)?;
        let _ = writeln!(sums, "    var {sum} = {zero};");
        let _ = writeln!(adds, "        {sum} = {next};");
        let _ = writeln!(
            stores,
            "    {{ let i = i0 + ty * {OWN} + {i}; let j = j0 + tx * {OWN} + {j}; \
             if i < height && j < width {{ {} {} {} }} }}",
            rows.index("i", "r"),
            cols.index("j", "c"),
            write(dtype, "c_", &place, &sum)
        );
    }
    let body = format!(
        "  let tx = i32(thread % 16u);
  let ty = i32(thread / 16u);
  let height = {height};
  let width = {width};
  let depth = {depth};
  let across = (width + {TILE} - 1) / {TILE};
  let down = (height + {TILE} - 1) / {TILE};
  for (var tile = i32(block.x); tile < across * down * {count}; tile += i32(blocks.x)) {{
    let e = tile / (across * down);
    {batch_index}
    let i0 = tile % down * {TILE};
    let j0 = tile / down % across * {TILE};
    let some = i0 + ty * {OWN} < height && j0 + tx * {OWN} < width;
{sums}    for (var s = 0; s < depth; s += {DEPTH}) {{
      for (var e = i32(thread); e < {TILE} * {DEPTH}; e += {GROUP}) {{
        let i = i0 + e % {TILE};
        let u = s + e / {TILE};
        var l = {zero};
        if i < height && u < depth {{ {row_index} {left_index} l = {left}; }}
        left[e] = l;
        let j = j0 + e / {DEPTH};
        let v = s + e % {DEPTH};
        var r = {zero};
        if j < width && v < depth {{ {col_index} {right_index} r = {right}; }}
        right[e % {DEPTH} * {TILE} + e / {DEPTH}] = r;
      }}
      workgroupBarrier();
      for (var q = 0; some && q < min({DEPTH}, depth - s); q++) {{
{loads}{adds}      }}
      workgroupBarrier();
    }}
{stores}  }}
",
        height = rows.count(),
        width = cols.count(),
        depth = inner.count(),
        count = batch.count(),
        batch_index = batch.index("e", "z"),
        row_index = rows.index("i", "r"),
        col_index = cols.index("j", "c"),
        left_index = inner.index("u", "q"),
        right_index = inner.index("v", "q"),
    );
    let conj = conjugated(d.conj.map(|c| c && dtype.is_complex()));
    Ok(Kernel {
        name: format!("dot_{t}{conj}"),
        params: vec![
            param(format!("In<{t}>"), "a_"),
            param(format!("In<{t}>"), "b_"),
            param(format!("Out<{t}>"), "c_"),
            param(format!("Loops<{m}, 2>"), "rows"),
            param(format!("Loops<{n}, 2>"), "cols"),
            param(format!("Loops<{k}, 2>"), "inner"),
            param(format!("Loops<{b}, 3>"), "batch"),
            param(format!("Shared<{t}, {}>", TILE * DEPTH), "left"),
            param(format!("Shared<{t}, {}>", TILE * DEPTH), "right"),
        ],
        body,
    })
}
