//! Matrices on which factorisations are hard: equal and vanishing values, dependent columns, values of many sizes, numbers
//! whose squares overflow or vanish, single rows and columns, none at all.
use super::*;

/// A matrix, or several: extents, then an entry by row, column and number of the matrix.
pub(super) struct Hard {
    pub(super) shape: Vec<usize>,
    entries: fn(usize, usize, usize) -> (f64, f64),
    scale: Scale,
}
/// What all entries are multiplied by.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    One,
    /// Squares overflow in the dtype.
    Large,
    /// Squares vanish in the dtype.
    Small,
}
/// Numbers between −1 and 1 without a pattern.
fn mixed(i: usize, j: usize) -> f64 {
    let x = (i as f64 * 12.9898 + j as f64 * 78.233 + 0.5).sin() * 43758.5453;
    2.0 * (x - x.floor()) - 1.0
}
fn when(yes: bool) -> f64 {
    if yes { 1.0 } else { 0.0 }
}
/// All of them; real dtypes take the real parts.
pub(super) fn matrices() -> Vec<Hard> {
    let one = |shape: &[usize], entries: fn(usize, usize, usize) -> (f64, f64)| Hard {
        shape: shape.to_vec(),
        entries,
        scale: Scale::One,
    };
    let mut out = vec![
        // All values are equal, or 0.
        one(&[3, 3], |_, _, _| (0.0, 0.0)),
        one(&[2, 4], |_, _, _| (-0.0, 0.0)),
        one(&[4, 4], |i, j, _| (when(i == j), 0.0)),
        one(&[5, 3], |i, j, _| (-when(i == j + 1), 0.0)),
        // A unitary matrix: Fourier's, whose real part has values that are equal in pairs.
        one(&[4, 4], |i, j, _| {
            let t = std::f64::consts::FRAC_PI_2 * ((i * j) % 4) as f64;
            (t.cos(), t.sin())
        }),
        // Eigenvalues of both signs and one modulus; one that is double.
        one(&[2, 2], |i, j, _| (when(i != j), 0.0)),
        one(&[3, 3], |i, j, _| (when(i + j == 2), 0.0)),
        one(&[4, 4], |i, j, _| (when(i != j), 0.0)),
        // Rank 1: equal entries, of equal moduli, all of them candidates for the phase.
        one(&[4, 3], |_, _, _| (1.0, 0.0)),
        one(&[3, 4], |i, j, _| (1.0, if (i + j) % 2 == 0 { 1.0 } else { -1.0 })),
        one(&[3, 3], |i, j, _| ((i + 1) as f64 * (j + 1) as f64, i as f64 - j as f64)),
        // Equal columns, a column of zeros, a row of zeros.
        one(&[4, 4], |i, j, _| (mixed(i, j % 2), mixed(j % 2, i))),
        one(&[4, 3], |i, j, _| if j == 1 { (0.0, 0.0) } else { (mixed(i, j), 0.3) }),
        one(&[3, 4], |i, j, _| if i == 0 { (0.0, 0.0) } else { (mixed(i, j), mixed(j, i)) }),
        // Nilpotent: no eigenvector but one, all singular values 1 but one.
        one(&[4, 4], |i, j, _| (when(j == i + 1), 0.0)),
        // Hilbert's: the smallest values are below rounding.
        one(&[8, 8], |i, j, _| (1.0 / (i + j + 1) as f64, 0.0)),
        // Values of many sizes along and across.
        one(&[6, 6], |i, j, _| (when(i == j) * 10f64.powi(-3 * i as i32), 0.0)),
        one(&[5, 6], |i, j, _| (mixed(i, j) * 10f64.powi(2 * i as i32 - 3 * j as i32), mixed(j, i) * 1e-3)),
        // Kahan's: pivoting finds nothing to exchange, and the last pivot says little of the least value.
        one(&[8, 8], |i, j, _| {
            let (s, c) = (0.96f64, 0.28f64);
            let row = s.powi(i as i32);
            (
                if i == j {
                    row
                } else if j > i {
                    -c * row
                } else {
                    0.0
                },
                0.0,
            )
        }),
        // Wilkinson's: eigenvalues in pairs that differ by less than can be told.
        one(&[21, 21], |i, j, _| {
            let d = (i as f64 - 10.0).abs();
            (if i == j { d } else { when(i.abs_diff(j) == 1) }, 0.0)
        }),
        // Rank 3, larger than the blocks that kernels work in.
        one(&[40, 33], |i, j, _| {
            let f = |k: usize| mixed(i, 100 + k) * mixed(200 + k, j);
            (f(0) + f(1) + f(2), 0.0)
        }),
        one(&[33, 40], |i, j, _| (mixed(i, j), mixed(j, i))),
        one(&[37, 37], |i, j, _| (mixed(i.min(j), i.max(j)), 0.0)),
        // One row, one column, one number.
        one(&[1, 5], |_, j, _| (mixed(3, j), -1.0)),
        one(&[5, 1], |i, _, _| (-mixed(i, 7), 0.5)),
        one(&[1, 1], |_, _, _| (-2.5, 0.0)),
        one(&[1, 1], |_, _, _| (0.0, 0.0)),
        one(&[1, 1], |_, _, _| (-0.6, 0.8)),
        // None.
        one(&[0, 0], |_, _, _| (0.0, 0.0)),
        one(&[0, 3], |_, _, _| (0.0, 0.0)),
        one(&[3, 0], |_, _, _| (0.0, 0.0)),
        one(&[2, 2, 0], |_, _, _| (0.0, 0.0)),
        // Several of a kind, and each of another.
        one(&[3, 3, 4], |i, j, b| match b {
            0 => (0.0, 0.0),
            1 => (when(i == j), 0.0),
            2 => (1.0, 0.0),
            _ => (mixed(i, j), mixed(j, i)),
        }),
        one(&[2, 3, 1, 2], |i, j, b| (mixed(i + b, j), when(b == 1))),
    ];
    for scale in [Scale::Large, Scale::Small] {
        for shape in [[4, 3], [3, 4], [4, 4]] {
            out.push(Hard { shape: shape.to_vec(), entries: |i, j, _| (mixed(i, j), mixed(j, i)), scale });
        }
    }
    out
}
impl Hard {
    /// Whether the matrix is square.
    pub(super) fn is_square(&self) -> bool {
        self.shape[0] == self.shape[1]
    }
    /// Whether the squares of the elements are numbers of every dtype.
    pub(super) fn is_moderate(&self) -> bool {
        self.scale == Scale::One
    }
    /// As a constant of that dtype.
    pub(super) fn value(&self, b: &mut Builder, dtype: DType) -> Result<ValueId> {
        let most = if dtype.real() == DType::F32 { 1e22 } else { 1e160 };
        let scale = match self.scale {
            Scale::One => 1.0,
            Scale::Large => most,
            Scale::Small => 1.0 / most,
        };
        let (rows, columns) = (self.shape[0], self.shape[1]);
        let many: usize = self.shape[2..].iter().product();
        let mut list = vec![];
        for i in 0..rows {
            for j in 0..columns {
                for n in 0..many {
                    let (re, im) = (self.entries)(i, j, n);
                    list.push((scale * re, scale * im));
                }
            }
        }
        let shape = &self.shape;
        let t = match dtype {
            DType::F32 => Tensor::from_logical(shape, list.iter().map(|z| z.0 as f32).collect()),
            DType::C32 => Tensor::from_logical(shape, list.iter().map(|z| C32::new(z.0 as f32, z.1 as f32)).collect()),
            DType::C64 => Tensor::from_logical(shape, list.iter().map(|z| C64::new(z.0, z.1)).collect()),
            _ => Tensor::from_logical(shape, list.iter().map(|z| z.0).collect()),
        }?;
        b.emit1(NewOp::new(&crate::ops::constant::CONST, &[]).attr("value", Attr::Tensor(t)))
    }
}
/// A program for each of those matrices that `fits`: the row on it, with each of these attributes and further operands.
pub(super) fn on_each(
    cx: &SampleCx,
    fits: fn(&Hard) -> bool,
    attrs: &[Attrs],
    more: fn(&mut Builder, DType, &Hard, usize) -> Result<Vec<ValueId>>,
) -> Result<Vec<Sample>> {
    if !cx.dtype.is_field() {
        return Ok(vec![]);
    }
    let mut out = vec![];
    for h in matrices().iter().filter(|h| fits(h)) {
        for (k, attrs) in attrs.iter().enumerate() {
            out.push(cx.program(&[], |b, _| {
                let mut xs = vec![h.value(b, cx.dtype)?];
                xs.extend(more(b, cx.dtype, h, k)?);
                b.emit(NewOp::new(cx.def, &xs).attrs(attrs.clone()))
            })?);
        }
    }
    Ok(out)
}
/// As [`on_each`] without further operands, and with `on_fail = nan` a batch in which one matrix has a NaN and one an
/// infinity.
pub(super) fn factorisation(cx: &SampleCx, fits: fn(&Hard) -> bool, attrs: &[Attrs]) -> Result<Vec<Sample>> {
    let mut out = on_each(cx, fits, attrs, |_, _, _, _| Ok(vec![]))?;
    let broken = Hard {
        shape: vec![3, 3, 4],
        entries: |i, j, b| match (b, i, j) {
            (1, 0, 2) => (f64::NAN, 0.0),
            (3, 2, 1) => (f64::NEG_INFINITY, 0.0),
            _ => (mixed(i + b, j), mixed(j, i)),
        },
        scale: Scale::One,
    };
    if cx.dtype.is_field() {
        out.push(cx.program(&[], |b, _| {
            let x = broken.value(b, cx.dtype)?;
            b.emit(NewOp::new(cx.def, &[x]).attr("on_fail", Attr::word("nan")))
        })?);
    }
    Ok(out)
}
/// Truncations: each matrix by each rule, some with bounds.
pub(super) fn truncation(cx: &SampleCx, fits: fn(&Hard) -> bool, rules: &[&str]) -> Result<Vec<Sample>> {
    let extent = |n: i64| Attr::extent(Extent::exact(n));
    let mut attrs: Vec<Attrs> = rules
        .iter()
        .map(|r| if *r == "relative" { Attrs::none() } else { Attrs::of([("rule", Attr::word(r))]) })
        .collect();
    let plain = attrs[0].clone();
    attrs.push(plain.clone().with("max_rank", extent(2)).with("min_rank", extent(0)));
    attrs.push(plain.with("min_rank", extent(2)));
    on_each(cx, fits, &attrs, |b, dtype, _, k| {
        let tol = [1e-3, 0.4, 0.05, 0.5, 0.0][k % 5];
        Ok(vec![b.splat(&Type::scalar(dtype.real()), tol)?])
    })
}
/// One matrix, not a batch.
pub(super) fn single(h: &Hard) -> bool {
    h.shape.len() == 2
}
