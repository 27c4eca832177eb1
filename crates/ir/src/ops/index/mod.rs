//! Indexing by tensors of positions: `gather` reads windows of its operand, `scatter` combines windows into it, with
//! StableHLO's dimension numbers. Each is the other's transpose, out-of-bounds indices included. `take`, `compress` and
//! `nonzero` are made of them.
mod compress;
mod derive;
mod dims;
mod gather;
mod known;
mod scatter;

pub use compress::{COMPRESS, NONZERO, TAKE};
pub use dims::IndexDims;
pub use gather::GATHER;
pub use scatter::SCATTER;

use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::batch::{Batched, Batcher};
use crate::builder::Builder;
use crate::diag::{Error, Part, Result};
use crate::extent::{CmpOp, Extent};
use crate::func::ValueId;
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::{Domain, Sample, SampleCx};
use crate::types::Type;

/// The rows.
pub static FAMILY: Family = &[&GATHER, &SCATTER, &TAKE, &COMPRESS, &NONZERO];

/// What happens to windows that do not lie inside the operand.
pub(crate) const BOUNDS: &str = "out_of_bounds";
/// The word for moving them inside.
const CLAMP: &str = "clamp";

/// `gather`; a window that leaves the operand is moved inside (`clamp`) or reads zeros.
pub(crate) fn gather(
    b: &mut Builder,
    x: ValueId,
    index: ValueId,
    dims: &IndexDims,
    sizes: Vec<Extent>,
    clamp: bool,
) -> Result<ValueId> {
    let attrs = dims.attrs(&dims::GATHER).with("slice_sizes", Attr::extents(sizes));
    let attrs = attrs.with(BOUNDS, Attr::word(if clamp { CLAMP } else { "zero" }));
    b.emit1(NewOp::new(&GATHER, &[x, index]).attrs(attrs))
}
/// `scatter`; a window that leaves the operand is moved inside (`clamp`) or dropped.
pub(crate) fn scatter(
    b: &mut Builder,
    [x, index, updates]: [ValueId; 3],
    dims: &IndexDims,
    combine: &str,
    clamp: bool,
) -> Result<ValueId> {
    let attrs = dims.attrs(&dims::SCATTER).with("combine", Attr::word(combine));
    let attrs = attrs.with(BOUNDS, Attr::word(if clamp { CLAMP } else { "drop" }));
    b.emit1(NewOp::new(&SCATTER, &[x, index, updates]).attrs(attrs))
}
/// The elements of `x` at the places `at` along its first axis, which lie inside.
pub(crate) fn rows(b: &mut Builder, x: ValueId, at: ValueId) -> Result<ValueId> {
    compress::take(b, x, at, 0, false)
}
/// `x` with `new` at the places `at` along its first axis, which lie inside and differ.
pub(crate) fn put_rows(b: &mut Builder, x: ValueId, at: ValueId, new: ValueId) -> Result<ValueId> {
    let dims = IndexDims {
        window: (1..b.ty(new).rank()).collect(),
        collapsed: vec![0],
        batch: vec![],
        index_batch: vec![],
        map: vec![0],
        vector: 1,
    };
    scatter(b, [x, at, new], &dims, "set", false)
}
/// Whether windows that leave the operand are moved inside, by an op whose default word is `default`.
pub(crate) fn clamps(attrs: &Attrs, default: &str) -> bool {
    attrs.word(BOUNDS).unwrap_or(default) == CLAMP
}
fn product(dims: &[Extent]) -> Result<Extent> {
    dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))
}
/// A window fits the operand: along each axis, or it could not be moved inside.
fn windows_fit(cx: &mut InferCx, d: &IndexDims, sizes: &[Extent], part: Part, clamp: bool) -> Result<()> {
    let x = cx.ty(0)?;
    for (a, (s, n)) in sizes.iter().zip(x.dims.iter()).enumerate() {
        // Nothing but a move inside needs an axis with an element; batch axes have one for each that is asked for.
        let single = d.collapsed.contains(&a);
        if (single && clamp) || !(single || d.batch.contains(&a)) {
            cx.demand(s, CmpOp::Le, n, part, &format!("window along axis {a}"))?;
        }
    }
    Ok(())
}

/// One way to index: shapes of operand and indices, dimension numbers, sizes of windows.
struct Case {
    x: &'static [usize],
    index: &'static [usize],
    window: &'static [usize],
    collapsed: &'static [usize],
    batch: [&'static [usize]; 2],
    map: &'static [usize],
    vector: usize,
    sizes: &'static [usize],
}
const CASE: Case =
    Case { x: &[], index: &[], window: &[], collapsed: &[], batch: [&[], &[]], map: &[0], vector: 0, sizes: &[] };
/// Rows; elements; one element; windows that overlap, by vectors along the last and the first axis; batches; nothing.
const CASES: &[Case] = &[
    Case { x: &[4, 3], index: &[3], window: &[1], collapsed: &[0], vector: 1, sizes: &[1, 3], ..CASE },
    Case { x: &[3], index: &[4, 1], collapsed: &[0], vector: 1, sizes: &[1], ..CASE },
    Case { x: &[4], collapsed: &[0], sizes: &[1], ..CASE },
    Case { x: &[4, 3], index: &[2, 2], window: &[0, 2], map: &[1, 0], vector: 1, sizes: &[2, 2], ..CASE },
    Case { x: &[3, 2], index: &[2, 3], window: &[1], collapsed: &[1], map: &[0, 1], sizes: &[2, 1], ..CASE },
    Case {
        x: &[2, 3, 2],
        index: &[3, 2],
        window: &[1],
        collapsed: &[1],
        batch: [&[0], &[1]],
        map: &[1],
        vector: 2,
        sizes: &[1, 1, 2],
    },
    Case { x: &[3], index: &[0], window: &[0], vector: 1, sizes: &[2], ..CASE },
    Case { x: &[3], index: &[2, 0], window: &[1], map: &[], vector: 1, sizes: &[2], ..CASE },
    Case { x: &[2, 3], index: &[2], window: &[0, 1], vector: 1, sizes: &[1, 0], ..CASE },
];
impl Case {
    fn dims(&self) -> IndexDims {
        IndexDims {
            window: self.window.into(),
            collapsed: self.collapsed.into(),
            batch: self.batch[0].into(),
            index_batch: self.batch[1].into(),
            map: self.map.into(),
            vector: self.vector,
        }
    }
    /// Operand and indices; these reach far outside and repeat.
    fn params(&self, cx: &SampleCx, k: usize) -> [(Type, Domain); 2] {
        let d = [DType::I64, DType::I32, DType::U32, DType::U64][k % 4];
        let index = (Type::exact(d, self.index), Domain::Ints(if d.is_signed() { -2 } else { 0 }, 4));
        [(cx.ty(self.x), Domain::Any), index]
    }
    fn sizes(&self) -> Vec<Extent> {
        self.sizes.iter().map(|&n| n.into()).collect()
    }
}
fn bounds(attrs: Attrs, clamp: bool, otherwise: &str) -> Attrs {
    attrs.with(BOUNDS, Attr::word(if clamp { CLAMP } else { otherwise }))
}
