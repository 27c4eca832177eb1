//! `dot_general`: here batch axes come first, there last, and `out` permutes them.
use tfc_ir::Result;
use tfc_ir::ops::contract::{DOT_GENERAL, DotDims};

use super::Rows;
use super::elementwise::conj;
use crate::write::cx::Cx;
use crate::write::table::Spelling::By;
use crate::write::writer::Val;

pub(super) const ROWS: Rows = &[(&DOT_GENERAL, By(dot))];

pub(super) fn dot(cx: &mut Cx) -> Result<Vec<Val>> {
    let d = DotDims::of(cx.attrs())?;
    let (mut x, mut y) = (cx.arg(0)?, cx.arg(1)?);
    if d.conj_lhs {
        x = conj(cx, &x);
    }
    if d.conj_rhs {
        y = conj(cx, &y);
    }
    let product = cx.dot(&x, &y, [&d.batch[0], &d.batch[1]], [&d.contract[0], &d.contract[1]]);
    let (kept, rank) = (d.batch[0].len(), product.rank());
    let free = rank.saturating_sub(kept);
    // Axis `i` of (free, batch) is an axis of (batch, free).
    let at = |i: usize| if i < free { kept + i } else { i - free };
    let perm: Vec<usize> = match &d.out {
        Some(out) => out.iter().map(|&i| at(i)).collect(),
        None => (0..rank).map(at).collect(),
    };
    Ok(vec![cx.transpose(&product, &perm)])
}
