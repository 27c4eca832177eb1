//! A determinant by expansion along rows, from the last row upwards. Minors of the last `m` rows are as many as there are sets of `m` columns, and
//! each is computed once: `ℓ 2^(ℓ−1)` products in all, where the expansion that computes a minor wherever it occurs takes more than `ℓ!`.
use super::{array, constant, indices, wrong};
use crate::Job;
use serde_json::Value;
use tfc::prelude::*;

pub(super) fn job(gradient: bool, given: &Value) -> Result<Job> {
    let n = super::count(given, "ell")?;
    if !(1..=20).contains(&n) {
        return Err(wrong(format!("a determinant of {n} rows by minors")));
    }
    // Row by row: column `i` of the tensor is row `i` of the matrix.
    super::scalar_or_gradient(gradient, super::input("A", array(given, "A")?)?, |a| {
        let mut minors = a.slice_range([n * (n - 1)], [n * n])?;
        let mut sets: Vec<u32> = (0..n).map(|c| 1 << c).collect();
        for m in 2..=n {
            let next: Vec<u32> = (0_u32..1 << n).filter(|s| s.count_ones() as usize == m).collect();
            let place = |s: u32| sets.binary_search(&s).ok().and_then(|i| i64::try_from(i).ok());
            let (mut columns, mut smaller, mut signs) = (vec![], vec![], vec![]);
            for &set in &next {
                let mut sign = 1.0;
                for c in (0..n).filter(|c| set & (1 << c) != 0) {
                    columns.push(i64::try_from(n * (n - m) + c).unwrap_or(0));
                    smaller.push(place(set & !(1 << c)).ok_or_else(|| wrong("a set of columns is missing"))?);
                    signs.push(sign);
                    sign = -sign;
                }
            }
            let of_row = (a.take(&indices(columns)?, 0)? * constant(&[m * next.len()], signs)?)?;
            let terms = (of_row * minors.take(&indices(smaller)?, 0)?)?;
            minors = terms.reshape([m, next.len()])?.reduce_sum([0])?;
            sets = next;
        }
        minors.sum()
    })
}
