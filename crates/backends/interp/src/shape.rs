//! Ops that move elements: each element of the result is looked up by its index, and nothing is computed.
use super::OpCx;
use super::grid::{Grid, build, typed};
use tfc_ir::{Code, Element, Error, Result, Tensor};

/// A list attribute, or `default` for each of `n` axes.
fn per_axis(cx: &OpCx, name: &str, n: usize, default: usize) -> Vec<usize> {
    if cx.attrs().get(name).is_some() { cx.attrs().indices(name) } else { vec![default; n] }
}

pub(super) fn reshape(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let x = cx.arg(0)?;
    let from: usize = x.len();
    if from != tfc_ir::tensor::element_count(&shape)? {
        return Err(Error::new(
            Code::E0420,
            format!("`reshape` from {:?} to {shape:?}: element counts differ", x.shape()),
        ));
    }
    let first = cx.attrs().word("order") == Some("first");
    typed!(dtype, T => Ok(vec![if first {
        Tensor::from_column_major(&shape, x.t().to_vec::<T>()?)?
    } else {
        Tensor::from_logical(&shape, x.to_vec::<T>()?)?
    }]))
}

pub(super) fn transpose(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let perm = cx.attrs().indices("perm");
    Ok(vec![cx.arg(0)?.permuted(&perm)?])
}

pub(super) fn broadcast_in_dim(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let dims = cx.attrs().indices("dims");
    // An axis is expanded only where its extent is the literal 1 (TFIR §5).
    let x = cx.arg(0)?;
    let operand = cx.func().ty(cx.op().operands[0]).clone();
    let expand: Vec<bool> = operand.dims.iter().map(|d| d.as_exact() == Some(1)).collect();
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        let mut at = vec![0; x.rank()];
        Ok(vec![build(&shape, |ix| {
            for (k, &d) in dims.iter().enumerate() {
                at[k] = if expand[k] { 0 } else { ix[d] };
            }
            g.at(&at)
        })?])
    })
}

pub(super) fn slice(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let x = cx.arg(0)?;
    let (start, limit) = (cx.extents("start")?, cx.extents("limit")?);
    let stride = per_axis(cx, "stride", x.rank(), 1);
    for (a, (&s, &n)) in start.iter().zip(x.shape()).enumerate() {
        let l = limit.get(a).copied().unwrap_or(s);
        if s < 0 || l < s || l > n as i64 {
            return Err(Error::new(Code::E0420, format!("`slice` of axis {a} from {s} to {l} leaves its extent {n}")));
        }
    }
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(&shape, |ix| {
            let at: Vec<usize> = ix.iter().enumerate().map(|(a, &i)| start[a] as usize + i * stride[a]).collect();
            g.at(&at)
        })?])
    })
}

pub(super) fn pad(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let (x, v) = (cx.arg(0)?, cx.arg(1)?);
    let low = cx.extents("low")?;
    let interior = per_axis(cx, "interior", x.rank(), 0);
    typed!(dtype, T => {
        let (g, fill) = (Grid::<T>::of(x)?, Grid::<T>::of(v)?.at(&[]));
        Ok(vec![build(&shape, |ix| {
            let mut at = Vec::with_capacity(ix.len());
            for (a, &i) in ix.iter().enumerate() {
                let (p, step) = (i as i64 - low[a], interior[a] as i64 + 1);
                if p < 0 || p % step != 0 || p / step >= x.shape()[a] as i64 {
                    return fill;
                }
                at.push((p / step) as usize);
            }
            g.at(&at)
        })?])
    })
}

pub(super) fn concat(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let axis = cx.attrs().int("axis") as usize;
    typed!(dtype, T => {
        let parts = cx.args().iter().map(Grid::<T>::of).collect::<Result<Vec<_>>>()?;
        let extents: Vec<usize> = cx.args().iter().map(|t| t.shape()[axis]).collect();
        Ok(vec![build(&shape, |ix| {
            let (mut k, mut at) = (0, ix.to_vec());
            while at[axis] >= extents[k] {
                at[axis] -= extents[k];
                k += 1;
            }
            parts[k].at(&at)
        })?])
    })
}

pub(super) fn reverse(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let axes = cx.attrs().indices("axes");
    let x = cx.arg(0)?;
    typed!(x.dtype(), T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(x.shape(), |ix| {
            let flip = |(a, &i): (usize, &usize)| if axes.contains(&a) { x.shape()[a] - 1 - i } else { i };
            let at: Vec<usize> = ix.iter().enumerate().map(flip).collect();
            g.at(&at)
        })?])
    })
}

pub(super) fn windows(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let (axes, steps) = (cx.attrs().indices("axes"), sliding(cx)?);
    let x = cx.arg(0)?;
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(&shape, |ix| g.at(&inside(ix, &axes, &steps)))?])
    })
}
/// Stride and dilation of sliding windows along each of their axes.
pub(super) fn sliding(cx: &OpCx) -> Result<Vec<[usize; 2]>> {
    let n = cx.attrs().indices("axes").len();
    let list =
        |name| -> Result<Vec<i64>> { if cx.attrs().get(name).is_some() { cx.extents(name) } else { Ok(vec![1; n]) } };
    Ok(list("stride")?.iter().zip(list("dilation")?).map(|(&s, d)| [s as usize, d as usize]).collect())
}
/// The index of what stands at index `ix` of windows.
pub(super) fn inside(ix: &[usize], axes: &[usize], steps: &[[usize; 2]]) -> Vec<usize> {
    let (at, within) = ix.split_at(ix.len() - axes.len());
    let mut at = at.to_vec();
    for ((&a, &k), [stride, dilation]) in axes.iter().zip(within).zip(steps) {
        at[a] = at[a] * stride + k * dilation;
    }
    at
}

/// Starts of a dynamic slice of `sizes`, clamped so that it lies inside.
fn starts(indices: &[Tensor], shape: &[usize], sizes: &[usize]) -> Result<Vec<usize>> {
    let mut out = vec![];
    for ((t, &n), &size) in indices.iter().zip(shape).zip(sizes) {
        let i: i128 = match (t.item::<i64>(), t.item::<i32>(), t.item::<u32>(), t.item::<u64>()) {
            (Some(i), ..) => i.into(),
            (_, Some(i), ..) => i.into(),
            (_, _, Some(i), _) => i.into(),
            (.., Some(i)) => i.into(),
            _ => return Err(Error::bug(Code::E0718, "an index is one integer")),
        };
        let last = n
            .checked_sub(size)
            .ok_or_else(|| Error::new(Code::E0420, format!("a slice of {size} does not fit an axis of extent {n}")))?;
        out.push(i.clamp(0, last as i128) as usize);
    }
    Ok(out)
}

pub(super) fn dynamic_slice(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let x = cx.arg(0)?;
    let start = starts(&cx.args()[1..], x.shape(), &shape)?;
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(&shape, |ix| {
            let at: Vec<usize> = ix.iter().zip(&start).map(|(i, s)| i + s).collect();
            g.at(&at)
        })?])
    })
}

pub(super) fn dynamic_update_slice(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (x, u) = (cx.arg(0)?, cx.arg(1)?);
    let start = starts(&cx.args()[2..], x.shape(), u.shape())?;
    typed!(x.dtype(), T => {
        let (g, new) = (Grid::<T>::of(x)?, Grid::<T>::of(u)?);
        Ok(vec![build(x.shape(), |ix| {
            let inside = ix.iter().enumerate().all(|(a, &i)| i >= start[a] && i - start[a] < u.shape()[a]);
            let at: Vec<usize> = ix.iter().zip(&start).map(|(i, s)| i.wrapping_sub(*s)).collect();
            if inside { new.at(&at) } else { g.at(ix) }
        })?])
    })
}

/// `take_prefix`, `pad_suffix`: the operand where it reaches, zero beyond.
pub(super) fn resize(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let x = cx.arg(0)?;
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        let inside = |ix: &[usize]| ix.iter().zip(x.shape()).all(|(i, n)| i < n);
        Ok(vec![build(&shape, |ix| if inside(ix) { g.at(ix) } else { T::default() })?])
    })
}

/// `tril`, `triu`: keeps `j - i <= k` or `j - i >= k` in the first two axes, zero elsewhere.
pub(super) fn triangle(cx: &mut OpCx, keep: fn(i64, i64) -> bool) -> Result<Vec<Tensor>> {
    let k = cx.attrs().int("k");
    let x = cx.arg(0)?;
    typed!(x.dtype(), T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(x.shape(), |ix| {
            if keep(ix[1] as i64 - ix[0] as i64, k) { g.at(ix) } else { T::default() }
        })?])
    })
}
pub(super) fn tril(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    triangle(cx, |d, k| d <= k)
}
pub(super) fn triu(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    triangle(cx, |d, k| d >= k)
}

/// `extract_diag`: elements `[i, i, …]` of the two leading axes.
pub(super) fn extract_diag(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let x = cx.arg(0)?;
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(&shape, |ix| {
            let at: Vec<usize> = ix.first().into_iter().chain(ix).copied().collect();
            g.at(&at)
        })?])
    })
}
/// `embed_diag`: the leading axis on the main diagonal of two, zero elsewhere.
pub(super) fn embed_diag(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let x = cx.arg(0)?;
    typed!(dtype, T => {
        let g = Grid::<T>::of(x)?;
        Ok(vec![build(&shape, |ix| if ix[0] == ix[1] { g.at(&ix[1..]) } else { T::default() })?])
    })
}

/// The bytes of the elements in logical order, little-endian.
fn bytes_of(x: &Tensor) -> Result<Vec<u8>> {
    use tfc_ir::small::Small;
    use tfc_ir::{C32, C64, DType, with_small_float, with_small_int};
    fn small<T: Small>(x: &Tensor) -> Vec<u8> {
        list::<T>(x).iter().flat_map(|v| v.bits().to_le_bytes().into_iter().take(size_of::<T>())).collect()
    }
    fn list<T: Element>(x: &Tensor) -> Vec<T> {
        x.to_logical::<T>().unwrap_or_default()
    }
    let mut out = vec![];
    match x.dtype() {
        DType::Bool => out.extend(list::<bool>(x).iter().map(|&b| u8::from(b))),
        DType::I32 => list::<i32>(x).iter().for_each(|v| out.extend(v.to_le_bytes())),
        DType::I64 => list::<i64>(x).iter().for_each(|v| out.extend(v.to_le_bytes())),
        DType::U32 => list::<u32>(x).iter().for_each(|v| out.extend(v.to_le_bytes())),
        DType::U64 => list::<u64>(x).iter().for_each(|v| out.extend(v.to_le_bytes())),
        DType::F32 => list::<f32>(x).iter().for_each(|v| out.extend(v.to_le_bytes())),
        DType::F64 => list::<f64>(x).iter().for_each(|v| out.extend(v.to_le_bytes())),
        DType::C32 => {
            for z in list::<C32>(x) {
                out.extend(z.re.to_le_bytes());
                out.extend(z.im.to_le_bytes());
            }
        }
        DType::C64 => {
            for z in list::<C64>(x) {
                out.extend(z.re.to_le_bytes());
                out.extend(z.im.to_le_bytes());
            }
        }
        d => with_small_float!(d, T => out = small::<T>(x), _ => with_small_int!(d, T => out = small::<T>(x), _ => {})),
    }
    Ok(out)
}
/// `bitcast`: the same bits in logical order, those of each element from the lowest on, read as the result's dtype.
pub(super) fn bitcast(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (dtype, shape) = cx.result_shape(0)?;
    let x = cx.arg(0)?;
    let bit = |b: &[u8], i: usize| b[i / 8] >> (i % 8) & 1;
    let (used, size) = (x.dtype().bits() as usize, x.dtype().size());
    let bytes = bytes_of(x)?;
    let bits: Vec<u8> = bytes.chunks_exact(size).flat_map(|b| (0..used).map(move |i| bit(b, i))).collect();
    let (used, size) = (dtype.bits() as usize, dtype.size());
    let bytes = bits.chunks_exact(used).flat_map(|bits| {
        let byte = |k: usize| bits.iter().skip(8 * k).take(8).rev().fold(0, |n, b| n << 1 | b);
        (0..size).map(byte).collect::<Vec<u8>>()
    });
    Ok(vec![super::constant::from_bytes(dtype, &shape, &bytes.collect::<Vec<u8>>())?])
}

/// Rounds to `exponent` bits of exponent and `mantissa` bits of mantissa, half to even; then overflow becomes infinite and
/// subnormals of a format with fewer exponent bits become zero (StableHLO `reduce_precision`).
macro_rules! rounded {
    ($name:ident, $t:ident, $bits:ident, $mantissa:literal, $exponent:literal) => {
        fn $name(x: $t, exponent: i64, mantissa: i64) -> $t {
            if !x.is_finite() {
                return x;
            }
            let mut bits = x.to_bits();
            if mantissa < $mantissa {
                let drop = $mantissa - mantissa.max(0);
                let odd = (bits >> drop) & 1;
                bits = (bits + odd + ((1 << (drop - 1)) - 1)) >> drop << drop;
            }
            let field = ((bits >> $mantissa) & ((1 << $exponent) - 1)) as i64;
            let (own, kept) = ((1i64 << ($exponent - 1)) - 1, (1i64 << (exponent.clamp(1, $exponent) - 1)) - 1);
            if exponent < $exponent && field > own + kept {
                $t::INFINITY.copysign(x)
            } else if exponent < $exponent && field <= own - kept {
                (0.0 as $t).copysign(x)
            } else {
                $t::from_bits(bits)
            }
        }
    };
}
rounded!(rounded32, f32, u32, 23, 8);
rounded!(rounded64, f64, u64, 52, 11);

/// `reduce_precision`.
pub(super) fn reduce_precision(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let (e, m) = (cx.attrs().int("exponent"), cx.attrs().int("mantissa"));
    let x = cx.arg(0)?;
    if let Ok(g) = Grid::<f32>::of(x) {
        return Ok(vec![build(x.shape(), |ix| rounded32(g.at(ix), e, m))?]);
    }
    let g = Grid::<f64>::of(x)?;
    Ok(vec![build(x.shape(), |ix| rounded64(g.at(ix), e, m))?])
}
