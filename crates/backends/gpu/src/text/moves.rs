//! Kernels that have no region: copies between strides, and products.
use tfc_device::steps::contract::dot_loops;
use tfc_ir::{DType, Result, ScalarOp};
use tfc_plan::plan::{Dot, Plan};

use super::scalar::{Functions, literal};
use super::{Kernel, Nest, over, param, read, type_of, write};

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
/// A product, by tiles of 16 rows and columns in memory of the workgroup. Sums run along the contracted axes in their order.
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
    let zero = match dtype {
        DType::Bool => "0u".to_owned(),
        d => literal([0; 16], d),
    };
    let left =
        read(dtype, "a_", &format!("{} + {} + {}", batch.place(0, "z"), rows.place(0, "r"), inner.place(0, "q")));
    let right =
        read(dtype, "b_", &format!("{} + {} + {}", batch.place(1, "z"), cols.place(0, "c"), inner.place(1, "q")));
    let (left, right) = (side(d.conj[0], &left, functions)?, side(d.conj[1], &right, functions)?);
    let product = functions.apply(ScalarOp::Mul, &[("l", dtype), ("r", dtype)], dtype)?;
    let sum = functions.apply(ScalarOp::Add, &[("sum", dtype), (product.as_str(), dtype)], dtype)?;
    let place = format!("{} + {} + {}", batch.place(2, "z"), rows.place(1, "r"), cols.place(1, "c"));
    let store = write(dtype, "c_", &place, "sum");
    let body = format!(
        "  let tx = i32(thread % 16u);
  let ty = i32(thread / 16u);
  let height = {height};
  let width = {width};
  let depth = {depth};
  let across = (width + 15) / 16;
  let down = (height + 15) / 16;
  for (var tile = i32(block.x); tile < across * down * {count}; tile += i32(blocks.x)) {{
    let e = tile / (across * down);
    {batch_index}
    let i = tile % down * 16 + ty;
    let j = tile / down % across * 16 + tx;
    var sum = {zero_sum};
    for (var s = 0; s < depth; s += 16) {{
      var l = {zero_sum};
      if i < height && s + tx < depth {{
        {row_index} let u = s + tx; {left_index}
        l = {left};
      }}
      left[thread] = l;
      var r = {zero_sum};
      if j < width && s + ty < depth {{
        {col_index} let u = s + ty; {left_index}
        r = {right};
      }}
      right[thread] = r;
      workgroupBarrier();
      for (var q = 0; q < 16 && s + q < depth; q++) {{
        let l = left[ty * 16 + q];
        let r = right[q * 16 + tx];
        sum = {sum};
      }}
      workgroupBarrier();
    }}
    if i < height && j < width {{
      {row_index} {col_index}
      {store}
    }}
  }}
",
        height = rows.count(),
        width = cols.count(),
        depth = inner.count(),
        count = batch.count(),
        batch_index = batch.index("e", "z"),
        row_index = rows.index("i", "r"),
        col_index = cols.index("j", "c"),
        left_index = inner.index("u", "q"),
        zero_sum = format!("{t}({zero})"),
    );
    let conj = match d.conj.map(|c| c && dtype.is_complex()) {
        [false, false] => "",
        [true, false] => "_conj_left",
        [false, true] => "_conj_right",
        [true, true] => "_conj_both",
    };
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
            param(format!("Shared<{t}, 256>"), "left"),
            param(format!("Shared<{t}, 256>"), "right"),
        ],
        body,
    })
}
