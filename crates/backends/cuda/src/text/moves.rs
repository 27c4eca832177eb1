//! Kernels that have no region: copies between strides, fills, products.
use tfc_device::region::PACK;
use tfc_device::steps::contract::{conjugated, dot_loops};
use tfc_ir::{DType, Result, ScalarOp};
use tfc_plan::plan::{Dot, Plan};

use super::scalar::{Functions, ctype, literal};
use super::{Kernel, Param};

/// An unsigned word of so many bytes: copies move bits.
pub fn word(size: usize) -> &'static str {
    match size {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "c64",
    }
}
fn param(ty: String, name: &str) -> Param {
    Param { ty, name: name.into() }
}
/// Copies elements of that size along so many loops.
pub fn copy(size: usize, rank: usize) -> Kernel {
    let t = word(size);
    Kernel {
        name: format!("copy_{t}_{rank}"),
        params: vec![param(format!("In<{t}>"), "from"), param(format!("Out<{t}>"), "to"), param(format!("Loops<{rank}, 2>"), "at")],
        body: "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {\n    const auto x = at.index(i);\n    \
               to(at.place(1, x)) = from(at.place(0, x));\n  }\n"
            .into(),
    }
}
/// The same by packs of neighbours, which lie so on both sides.
pub fn copy_packs(size: usize, rank: usize) -> Kernel {
    let (t, n) = (word(size), PACK / size);
    Kernel {
        name: format!("copy_{t}_{rank}_packs"),
        params: vec![
            param(format!("In<{t}>"), "from"),
            param(format!("Out<{t}>"), "to"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body: format!(
            "  for (auto i = chunks_of_grid<{n}>(at.count()); i.more(); i.next()) {{\n    const auto x = at.index(i.at);\n    \
             Pack<{t}, {n}> v;\n    i.read(v, from, at.place(0, x), at.stride[0][0]);\n    \
             i.write(v, to, at.place(1, x), at.stride[1][0]);\n  }}\n"
        ),
    }
}
/// The same by tiles, where neighbours lie along another loop on one side.
pub fn copy_tiles(size: usize, rank: usize) -> Kernel {
    let t = word(size);
    Kernel {
        name: format!("copy_{t}_{rank}_tiles"),
        params: vec![
            param(format!("In<{t}>"), "from"),
            param(format!("Out<{t}>"), "to"),
            param(format!("Loops<{rank}, 2>"), "at"),
        ],
        body: format!(
            "  for (i64 t = blockIdx.x; t < tiles(at); t += gridDim.x) {{\n    const auto i = tile(at, t);\n    \
             Pack<{t}, 4> v;\n    i.read(v, from, at.place(0, i.x), at.stride[0]);\n    \
             i.write(v, to, at.place(1, i.x), at.stride[1]);\n  }}\n"
        ),
    }
}
/// Copies conjugates: along a column, from column to column, from matrix to matrix.
///
/// # Errors
/// `E1304` where the element type has none.
pub fn conjugate(dtype: DType, functions: &mut Functions) -> Result<Kernel> {
    let t = ctype(dtype);
    let value = functions.apply(ScalarOp::Conj, &[("z", dtype)], dtype)?;
    Ok(Kernel {
        name: format!("conjugate_{t}"),
        params: vec![
            param(format!("In<{t}>"), "from"),
            param(format!("Out<{t}>"), "to"),
            param("Loops<3, 2>".into(), "at"),
        ],
        body: format!(
            "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {{\n    const auto x = at.index(i);\n    \
             const {t} z = from(at.place(0, x));\n    to(at.place(1, x)) = {value};\n  }}\n"
        ),
    })
}
/// Fills with one element, that an address names.
pub fn fill(size: usize, rank: usize) -> Kernel {
    let t = word(size);
    Kernel {
        name: format!("fill_{t}_{rank}"),
        params: vec![
            param(format!("In<{t}>"), "value"),
            param(format!("Out<{t}>"), "to"),
            param(format!("Loops<{rank}, 1>"), "at"),
        ],
        body: "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {\n    \
               to(at.place(0, at.index(i))) = value(0);\n  }\n"
            .into(),
    }
}
/// A product, by tiles in shared memory. Sums run along the contracted axes in their order.
///
/// # Errors
/// `E1304` where the element type has no product.
pub fn dot(plan: &Plan, d: &Dot, functions: &mut Functions) -> Result<Kernel> {
    let dtype = plan.slots[d.out as usize].dtype;
    let t = ctype(dtype);
    let [m, n, k, b] = dot_loops(d);
    let side = |conj: bool, e: &str, functions: &mut Functions| match conj && dtype.is_complex() {
        true => functions.apply(ScalarOp::Conj, &[(e, dtype)], dtype),
        false => Ok(e.to_owned()),
    };
    let zero = literal([0; 16], dtype);
    let left = side(
        d.conj[0],
        "a(batch.place(0, z) + rows.place(0, rows.index(i)) + inner.place(0, inner.index(p + tx)))",
        functions,
    )?;
    let right = side(
        d.conj[1],
        "b(batch.place(1, z) + cols.place(0, cols.index(j)) + inner.place(1, inner.index(p + ty)))",
        functions,
    )?;
    let product = functions.apply(ScalarOp::Mul, &[("l", dtype), ("r", dtype)], dtype)?;
    let sum = functions.apply(ScalarOp::Add, &[("sum", dtype), (product.as_str(), dtype)], dtype)?;
    let body = format!(
        "  SHARED({t}, left, 256);
  SHARED({t}, right, 256);
  const u32 tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const i64 across = (cols.count() + 15) / 16, down = (rows.count() + 15) / 16;
  for (i64 tile = blockIdx.x; tile < across * down * batch.count(); tile += gridDim.x) {{
    const auto z = batch.index(tile / (across * down));
    const i64 i = tile % down * 16 + ty, j = tile / down % across * 16 + tx;
    {t} sum = {zero};
    for (i64 p = 0; p < inner.count(); p += 16) {{
      left[ty * 16 + tx] = i < rows.count() && p + tx < inner.count() ? {left} : {zero};
      right[ty * 16 + tx] = j < cols.count() && p + ty < inner.count() ? {right} : {zero};
      __syncthreads();
      for (u32 q = 0; q < 16 && p + q < inner.count(); q++) {{
        const {t} l = left[ty * 16 + q], r = right[q * 16 + tx];
        sum = {sum};
      }}
      __syncthreads();
    }}
    if (i < rows.count() && j < cols.count())
      c(batch.place(2, z) + rows.place(1, rows.index(i)) + cols.place(1, cols.index(j))) = sum;
  }}
"
    );
    let conj = conjugated(d.conj.map(|c| c && dtype.is_complex()));
    Ok(Kernel {
        name: format!("dot_{t}{conj}"),
        params: vec![
            param(format!("In<{t}>"), "a"),
            param(format!("In<{t}>"), "b"),
            param(format!("Out<{t}>"), "c"),
            param(format!("Loops<{m}, 2>"), "rows"),
            param(format!("Loops<{n}, 2>"), "cols"),
            param(format!("Loops<{k}, 2>"), "inner"),
            param(format!("Loops<{b}, 3>"), "batch"),
        ],
        body,
    })
}
