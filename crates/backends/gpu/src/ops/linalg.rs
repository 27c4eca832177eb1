//! Linear algebra in single precision: a workgroup a matrix, a thread a right-hand side of a triangular system. Numbers are those of the
//! textbook's order of operations (Golub & Van Loan, Matrix Computations, §3.1, §3.4, §4.2, §4.3).
use tfc_device::device::Arg;
use tfc_device::run::frame::{Ctx, Frame};
use tfc_device::run::launch::threads;
use tfc_device::steps::matrices::{Cholesky, Lu, Reported, Substitution, batches, of_matrix};
use tfc_device::steps::{beside, long, misfit, step};
use tfc_ir::ops::linalg::Triangular;
use tfc_ir::{Code, DType, Error, Result, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Made, Rows, Site, Step, Wgsl, Written};
use crate::text::{GROUP, Kernel, Nest, Param, over, param};

pub(super) fn core() -> Rows<Wgsl> {
    vec![
        (&ops::linalg::CHOLESKY, cholesky),
        (&ops::linalg::LU_FACTOR, lu),
        (&ops::linalg::TRIANGULAR_SOLVE, triangular),
        (&ops::linalg::TRIDIAGONAL_SOLVE, tridiagonal),
    ]
}
/// The loops over matrices, and what is reported of them.
fn of(site: &Site, operand: usize, texts: Written) -> Result<(usize, Reported)> {
    let ty = site.operand(operand)?;
    if ty.dtype != DType::F32 {
        return Err(site.unsupported::<Wgsl>(&format!("of {}", ty.dtype)));
    }
    texts.functions.need("is_finite");
    Ok((beside(ty.rank() - 2), Reported::of(site, ty.dtype)?))
}
/// An entry of a matrix `m` that begins at `m0` bytes.
fn entry(m: &str, i: &str, j: &str) -> String {
    format!("{m}_[(p.{m}_at + {m}0 + ({i}) * p.{m}_row + ({j}) * p.{m}_col) >> 2]")
}
/// All of a matrix of so many rows and columns, where `bad` says so.
fn fill(nan: bool, m: &str, rows: &str, cols: &str) -> String {
    if !nan {
        return String::new();
    }
    format!(
        "    if bad_[(p.bad_at >> 2) + k] != 0 {{
      for (var e = i32(thread); e < {rows} * {cols}; e += {GROUP}) {{ {} = bitcast<f32>(0x7fc00000u | p.zero); }}
    }}
    storageBarrier();
",
        entry(m, &format!("e % {rows}"), &format!("e / {rows}"))
    )
}
fn name(base: &str, nan: bool) -> String {
    if nan { format!("{base}_or_nan_f32") } else { format!("{base}_f32") }
}
fn longs(names: &[&str]) -> Vec<Param> {
    names.iter().map(|n| param("i64", n)).collect()
}
fn cholesky(site: &Site, texts: Written) -> Made {
    let (rank, reported) = of(site, 0, texts)?;
    let at = Nest { name: "at", rank };
    let l = |i: &str, j: &str| entry("l", i, j);
    let body = format!(
        "  for (var k = i32(block.x); k < {count}; k += i32(blocks.x)) {{
    {index}
    let a0 = {a0};
    let l0 = {l0};
    if thread == 0u {{ bad_[(p.bad_at >> 2) + k] = 0; }}
    for (var e = i32(thread); e < p.n * p.n; e += {GROUP}) {{
      let i = e % p.n;
      let j = e / p.n;
      var v = 0.0;
      if i >= j {{ v = {a}; }}
      {lij} = v;
    }}
    storageBarrier();
    for (var j = 0; j < p.n; j++) {{
      if thread == 0u {{
        let x = {ljj};
        if !(x > 0.0 && is_finite(x)) {{ bad_[(p.bad_at >> 2) + k] = 1; }}
        pivot[0] = sqrt(x);
        {ljj} = pivot[0];
      }}
      storageBarrier();
      workgroupBarrier();
      let root = pivot[0];
      for (var i = j + 1 + i32(thread); i < p.n; i += {GROUP}) {{ {lij} = {lij} / root; }}
      storageBarrier();
      let rest = p.n - j - 1;
      for (var e = i32(thread); e < rest * rest; e += {GROUP}) {{
        let i = j + 1 + e % rest;
        let c = j + 1 + e / rest;
        if i >= c {{ {lic} = {lic} - {lij} * {lcj}; }}
      }}
      storageBarrier();
      workgroupBarrier();
    }}
{fill}  }}
",
        count = at.count(),
        index = at.index("k", "x"),
        a0 = at.place(0, "x"),
        l0 = at.place(1, "x"),
        a = entry("a", "i", "j"),
        lij = l("i", "j"),
        ljj = l("j", "j"),
        lic = l("i", "c"),
        lcj = l("c", "j"),
        fill = fill(reported.nan, "l", "p.n", "p.n"),
    );
    let mut params = vec![param("In<f32>", "a_"), param("Out<f32>", "l_"), param("Out<i32>", "bad_")];
    params.extend(longs(&["n", "a_row", "a_col", "l_row", "l_col"]));
    params.extend([param(format!("Loops<{rank}, 2>"), "at"), param("Shared<f32, 1>", "pivot")]);
    let kernel = texts.add(Kernel { name: name("cholesky", reported.nan), params, body });
    Ok(Box::new(Cholesky { kernel, small: None, rank, reported }))
}
fn lu(site: &Site, texts: Written) -> Made {
    let (rank, reported) = of(site, 0, texts)?;
    let at = Nest { name: "at", rank };
    let u = |i: &str, j: &str| entry("u", i, j);
    let long = |name: &str, i: &str| format!("{name}_[(p.{name}_at + {name}0 + ({i}) * p.{name}_row) >> 3]");
    let body = format!(
        "  for (var k = i32(block.x); k < {count}; k += i32(blocks.x)) {{
    {index}
    let a0 = {a0};
    let u0 = {u0};
    let s0 = {s0};
    let r0 = {r0};
    if thread == 0u {{ bad_[(p.bad_at >> 2) + k] = 0; }}
    storageBarrier();
    for (var e = i32(thread); e < p.m * p.n; e += {GROUP}) {{
      let i = e % p.m;
      let j = e / p.m;
      let x = {aij};
      {uij} = x;
      if !is_finite(x) {{ bad_[(p.bad_at >> 2) + k] = 1; }}
    }}
    for (var i = i32(thread); i < p.m; i += {GROUP}) {{ {ri} = long(u32(i), 0u); }}
    storageBarrier();
    for (var j = 0; j < min(p.m, p.n); j++) {{
      if thread == 0u {{
        var top = j;
        var most = -1.0;
        for (var i = j; i < p.m; i++) {{
          let size = abs({uij});
          if size > most {{ most = size; top = i; }}
        }}
        found[0] = top;
        {sj} = long(u32(top), 0u);
        let row = {rj};
        {rj} = {rtop};
        {rtop} = row;
      }}
      storageBarrier();
      workgroupBarrier();
      let top = found[0];
      if top != j {{
        for (var c = i32(thread); c < p.n; c += {GROUP}) {{
          let x = {ujc};
          {ujc} = {utopc};
          {utopc} = x;
        }}
      }}
      storageBarrier();
      let pivot = {ujj};
      // A column without a pivot is left as it is.
      if pivot != 0.0 {{
        for (var i = j + 1 + i32(thread); i < p.m; i += {GROUP}) {{ {uij} = {uij} / pivot; }}
      }}
      storageBarrier();
      let below = p.m - j - 1;
      let behind = p.n - j - 1;
      for (var e = i32(thread); e < below * behind; e += {GROUP}) {{
        let i = j + 1 + e % below;
        let c = j + 1 + e / below;
        {uic} = {uic} - {uij} * {ujc};
      }}
      storageBarrier();
      workgroupBarrier();
    }}
{fill}  }}
",
        count = at.count(),
        index = at.index("k", "x"),
        a0 = at.place(0, "x"),
        u0 = at.place(1, "x"),
        s0 = at.place(2, "x"),
        r0 = at.place(3, "x"),
        aij = entry("a", "i", "j"),
        uij = u("i", "j"),
        ujj = u("j", "j"),
        ujc = u("j", "c"),
        uic = u("i", "c"),
        utopc = u("top", "c"),
        sj = long("s", "j"),
        ri = long("r", "i"),
        rj = long("r", "j"),
        rtop = long("r", "top"),
        fill = fill(reported.nan, "u", "p.m", "p.n"),
    );
    let mut params = vec![param("In<f32>", "a_"), param("Out<f32>", "u_"), param("Out<long>", "s_")];
    params.extend([param("Out<long>", "r_"), param("Out<i32>", "bad_")]);
    params.extend(longs(&["m", "n", "a_row", "a_col", "u_row", "u_col", "s_row", "r_row"]));
    params.extend([param(format!("Loops<{rank}, 4>"), "at"), param("Shared<i32, 1>", "found")]);
    let kernel = texts.add(Kernel { name: name("lu_factor", reported.nan), params, body });
    Ok(Box::new(Lu { kernel, small: None, rank, reported }))
}
fn triangular(site: &Site, texts: Written) -> Made {
    let (a, of) = (site.operand(0)?, Triangular::of(site.attrs()));
    if a.dtype != DType::F32 {
        return Err(site.unsupported::<Wgsl>(&format!("of {}", a.dtype)));
    }
    let rank = beside(a.rank() - 2);
    let at = Nest { name: "at", rank };
    let quotient = if of.unit { String::new() } else { format!("      sum = sum / {};\n", entry("a", "i", "i")) };
    // As `op(a) · x = b` with a lower or an upper `op(a)`: strides of both have been exchanged where they have to be.
    let lines = format!(
        "    let system = i / p.columns;
    let c = i % p.columns;
    {}
    let a0 = {};
    let b0 = {};
    let y0 = {};
    for (var l = 0; l < p.n; l++) {{
      let i = select(p.n - 1 - l, l, p.lower != 0);
      var sum = {};
      for (var q = 0; q < l; q++) {{
        let j = select(p.n - 1 - q, q, p.lower != 0);
        sum = sum - {} * {};
      }}
{quotient}      {} = sum;
    }}
",
        at.index("system", "x"),
        at.place(0, "x"),
        at.place(1, "x"),
        at.place(2, "x"),
        entry("b", "i", "c"),
        entry("a", "i", "j"),
        entry("y", "j", "c"),
        entry("y", "i", "c"),
    );
    let mut params = vec![param("In<f32>", "a_"), param("In<f32>", "b_"), param("Out<f32>", "y_")];
    params.extend(longs(&["n", "columns", "lower", "a_row", "a_col", "b_row", "b_col", "y_row", "y_col"]));
    params.push(param(format!("Loops<{rank}, 3>"), "at"));
    let word = if of.unit { "_unit" } else { "" };
    let body = over(&format!("{} * p.columns", at.count()), &lines);
    let kernel = texts.add(Kernel { name: format!("triangular_solve{word}_f32"), params, body });
    Ok(Box::new(Substitution { of, kernel, rank }))
}

/// Tridiagonal systems, a thread a system: elimination with pivots between neighbours.
struct Tridiagonal {
    kernel: String,
    rank: usize,
    reported: Reported,
}
fn tridiagonal(site: &Site, texts: Written) -> Made {
    let (rank, reported) = of(site, 3, texts)?;
    let at = Nest { name: "at", rank };
    let x = |i: &str| entry("y", i, "c");
    let vector = |v: &str, i: &str| format!("{v}_[(p.{v}_at + {v}0 + ({i}) * p.{v}_row) >> 2]");
    // The diagonal and the two above it as elimination leaves them.
    let work = |d: usize, i: &str| format!("work_[(p.work_at >> 2) + (3 * i + {d}) * p.n + {i}]");
    let fill = match reported.nan {
        true => format!(
            "    if !good {{ for (var e = 0; e < p.n * p.columns; e++) {{ {} = bitcast<f32>(0x7fc00000u | p.zero); }} }}\n",
            entry("y", "e % p.n", "e / p.n")
        ),
        false => String::new(),
    };
    let lines = format!(
        "    {index}
    let l0 = {l0};
    let d0 = {d0};
    let u0 = {u0};
    let b0 = {b0};
    let y0 = {y0};
    var good = true;
    for (var j = 0; j < p.n; j++) {{
      let here = {dj};
      good = good && is_finite(here);
      {w0j} = here;
      {w1j} = 0.0;
      {w2j} = 0.0;
      if j + 1 < p.n {{
        let up = {uj};
        good = good && is_finite(up) && is_finite({ljn});
        {w1j} = up;
      }}
      for (var c = 0; c < p.columns; c++) {{
        let v = {bjc};
        good = good && is_finite(v);
        {xj} = v;
      }}
    }}
    for (var j = 0; j + 1 < p.n; j++) {{
      let here = {w0j};
      let low = {ljn};
      let next = {w0n};
      let up = {w1j};
      let far = {w1n};
      if abs(here) >= abs(low) {{
        if here == 0.0 {{ good = false; continue; }}
        let f = low / here;
        {w0n} = next - f * up;
        for (var c = 0; c < p.columns; c++) {{ {xn} = {xn} - f * {xj}; }}
      }} else {{
        let f = here / low;
        {w0j} = low;
        {w1j} = next;
        {w2j} = far;
        {w0n} = up - f * next;
        {w1n} = -(f * far);
        for (var c = 0; c < p.columns; c++) {{
          let v = {xj};
          {xj} = {xn};
          {xn} = v - f * {xj};
        }}
      }}
    }}
    for (var j = p.n - 1; j >= 0; j--) {{
      let pivot = {w0j};
      if pivot == 0.0 {{ good = false; }}
      for (var c = 0; c < p.columns; c++) {{
        var v = {xj};
        if j + 1 < p.n {{ v = v - {w1j} * {xn}; }}
        if j + 2 < p.n {{ v = v - {w2j} * {xnn}; }}
        {xj} = v / pivot;
      }}
    }}
    bad_[(p.bad_at >> 2) + i] = select(1, 0, good);
{fill}",
        index = at.index("i", "x"),
        l0 = at.place(0, "x"),
        d0 = at.place(1, "x"),
        u0 = at.place(2, "x"),
        b0 = at.place(3, "x"),
        y0 = at.place(4, "x"),
        dj = vector("d", "j"),
        uj = vector("u", "j"),
        ljn = vector("l", "j + 1"),
        bjc = entry("b", "j", "c"),
        w0j = work(0, "j"),
        w1j = work(1, "j"),
        w2j = work(2, "j"),
        w0n = work(0, "j + 1"),
        w1n = work(1, "j + 1"),
        xj = x("j"),
        xn = x("j + 1"),
        xnn = x("j + 2"),
    );
    let mut params: Vec<Param> = ["l_", "d_", "u_", "b_"].map(|v| param("In<f32>", v)).to_vec();
    params.extend([param("Out<f32>", "y_"), param("Out<f32>", "work_"), param("Out<i32>", "bad_")]);
    params.extend(longs(&["n", "columns", "l_row", "d_row", "u_row", "b_row", "b_col", "y_row", "y_col"]));
    params.push(param(format!("Loops<{rank}, 5>"), "at"));
    let name = name("tridiagonal_solve", reported.nan);
    let kernel = texts.add(Kernel { name, params, body: over(&at.count(), &lines) });
    Ok(Box::new(Tridiagonal { kernel, rank, reported }))
}
impl Step for Tridiagonal {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, s: &KernelStep) -> Result<()> {
        let (&[dl, d, du, b], &[x]) = (&s.args[..], &s.dsts[..]) else { return Err(misfit()) };
        let (n, columns, batch) = (frame.dims(b)[0], frame.dims(b)[1], frame.dims(b)[2..].to_vec());
        let (at, count) = batches(frame, &[(dl, 1), (d, 1), (du, 1), (b, 2), (x, 2)], self.rank);
        if n == 0 || count == 0 {
            return Ok(());
        }
        let bytes = count.checked_mul(12).and_then(|k| k.checked_mul(n));
        let work = frame.scratch(ctx, 1, bytes.ok_or_else(|| Error::new(Code::E0406, "a batch is too large"))?)?;
        let row = |s: Slot| step(of_matrix(frame, s)[0]);
        let ([br, bc], [xr, xc]) = (of_matrix(frame, b), of_matrix(frame, x));
        let rest = vec![long(n), long(columns), row(dl), row(d), row(du), step(br), step(bc), step(xr), step(xc), at];
        let mut pointers = [dl, d, du, b, x].map(|s| Arg::Ptr(frame.ptr[s as usize])).to_vec();
        pointers.push(Arg::Ptr(work));
        self.reported.launch((frame, ctx), &self.kernel, threads(count), (pointers, rest), &batch)
    }
}
