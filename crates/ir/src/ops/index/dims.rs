//! The dimension numbers that `gather` and `scatter` share, as StableHLO defines them, and their verification.
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::extent::Extent;
use crate::infer::InferCx;
use crate::types::Type;

/// How the axes of operand, indices and windows belong together. A *window* is a box of the operand; the axes of the
/// result of `gather` (of the updates of `scatter`) are *window axes*, which walk it, and *batch axes*, which walk the
/// indices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IndexDims {
    /// Window axes of the result or the updates: `offset_dims`, `update_window_dims`. Ascending.
    pub window: Vec<usize>,
    /// Operand axes along which a window has one element and no axis: `collapsed_slice_dims`, `inserted_window_dims`.
    pub collapsed: Vec<usize>,
    /// Operand axes that are walked together with an axis of the indices: `operand_batching_dims`, `input_batching_dims`.
    pub batch: Vec<usize>,
    /// Those axes of the indices: `start_indices_batching_dims`, `scatter_indices_batching_dims`.
    pub index_batch: Vec<usize>,
    /// The operand axis of each component of an index vector: `start_index_map`, `scatter_dims_to_operand_dims`.
    pub map: Vec<usize>,
    /// The axis of the indices that holds index vectors; their rank where each element is an index by itself.
    pub vector: usize,
}

/// What the dimension numbers are called by an op.
pub(super) struct Names {
    pub(super) window: &'static str,
    pub(super) collapsed: &'static str,
    pub(super) batch: &'static str,
    pub(super) index_batch: &'static str,
    pub(super) map: &'static str,
}
pub(super) const VECTOR: &str = "index_vector_dim";
pub(super) const GATHER: Names = Names {
    window: "offset_dims",
    collapsed: "collapsed_slice_dims",
    batch: "operand_batching_dims",
    index_batch: "start_indices_batching_dims",
    map: "start_index_map",
};
pub(super) const SCATTER: Names = Names {
    window: "update_window_dims",
    collapsed: "inserted_window_dims",
    batch: "input_batching_dims",
    index_batch: "scatter_indices_batching_dims",
    map: "scatter_dims_to_operand_dims",
};

impl IndexDims {
    /// The dimension numbers of a `gather` whose indices have this type.
    pub fn of_gather(attrs: &Attrs, index: &Type) -> IndexDims {
        IndexDims::read(attrs, &GATHER, index)
    }
    /// The dimension numbers of a `scatter` whose indices have this type.
    pub fn of_scatter(attrs: &Attrs, index: &Type) -> IndexDims {
        IndexDims::read(attrs, &SCATTER, index)
    }
    fn read(attrs: &Attrs, names: &Names, index: &Type) -> IndexDims {
        let vector = match attrs.get(VECTOR) {
            Some(Attr::Int(i)) => *i as usize,
            _ => index.rank(),
        };
        let map = match attrs.get(names.map) {
            Some(_) => attrs.indices(names.map),
            None => (0..components(index, vector).unwrap_or(0)).collect(),
        };
        IndexDims {
            window: attrs.indices(names.window),
            collapsed: attrs.indices(names.collapsed),
            batch: attrs.indices(names.batch),
            index_batch: attrs.indices(names.index_batch),
            map,
            vector,
        }
    }
    /// The dimension numbers as attributes (inference drops those that say what absence means).
    pub(super) fn attrs(&self, names: &Names) -> Attrs {
        Attrs::of([
            (names.window, Attr::ints(&self.window)),
            (names.collapsed, Attr::ints(&self.collapsed)),
            (names.batch, Attr::ints(&self.batch)),
            (names.index_batch, Attr::ints(&self.index_batch)),
            (names.map, Attr::ints(&self.map)),
            (VECTOR, Attr::Int(self.vector as i64)),
        ])
    }
    /// With one more axis in front of the operand (`operand`), of the indices (`index`) and of the result or the updates: walked
    /// together where both have it, else by windows or by the indices.
    pub(crate) fn batched(&self, operand: bool, index: bool) -> IndexDims {
        let up = |v: &[usize], by: bool| v.iter().map(|a| a + usize::from(by)).collect::<Vec<_>>();
        let mut d = IndexDims {
            window: up(&self.window, true),
            collapsed: up(&self.collapsed, operand),
            batch: up(&self.batch, operand),
            index_batch: up(&self.index_batch, index),
            map: up(&self.map, operand),
            vector: self.vector + usize::from(index),
        };
        match (operand, index) {
            (true, true) => {
                d.batch.insert(0, 0);
                d.index_batch.insert(0, 0);
            }
            (true, false) => d.window.insert(0, 0),
            _ => {}
        }
        d
    }
    /// Axes of the indices that batch axes walk, in order.
    pub fn index_axes(&self, index_rank: usize) -> Vec<usize> {
        (0..index_rank).filter(|&a| a != self.vector).collect()
    }
    /// Batch axes of a result or of updates of this rank, in order.
    pub fn batch_axes(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|a| !self.window.contains(a)).collect()
    }
    /// The operand axes that the window axes walk, in order.
    pub fn window_axes(&self, operand_rank: usize) -> Vec<usize> {
        (0..operand_rank).filter(|a| !self.collapsed.contains(a) && !self.batch.contains(a)).collect()
    }
    /// The type of the result of a `gather` with windows of these sizes.
    pub(super) fn result(&self, x: &Type, index: &Type, sizes: &[Extent]) -> Type {
        let rank = index.rank() - usize::from(self.vector < index.rank()) + self.window.len();
        let mut batch = self.index_axes(index.rank()).into_iter().map(|a| index.dims[a].clone());
        let mut window = self.window_axes(x.rank()).into_iter().map(|a| sizes[a].clone());
        let dims = (0..rank).filter_map(|a| if self.window.contains(&a) { window.next() } else { batch.next() });
        x.with_dims(dims.collect::<Vec<_>>())
    }
    /// Sizes of the windows that updates of type `u` fill, one per axis of an operand of that rank.
    pub(super) fn sizes(&self, u: &Type, operand_rank: usize) -> Vec<Extent> {
        let mut sizes = vec![Extent::exact(1); operand_rank];
        for (a, &w) in self.window_axes(operand_rank).into_iter().zip(&self.window) {
            sizes[a] = u.dims[w].clone();
        }
        sizes
    }
    /// Reads and verifies the dimension numbers of an op on operand 0 and indices 1; those that say what absence means
    /// are dropped.
    pub(super) fn check(cx: &mut InferCx, names: &Names) -> Result<IndexDims> {
        cx.want_dtype(1, DType::is_index, "integer indices of 32 or 64 bits")
            .map_err(|e| e.help("insert `convert`"))?;
        let (x, index) = (cx.ty(0)?, cx.ty(1)?);
        let vector = vector_axis(cx, &index)?;
        let batch_rank = index.rank() - usize::from(vector < index.rank());
        let windows = cx.attrs().indices(names.window).len() + batch_rank;
        let mut d = IndexDims {
            window: ascending(cx, names.window, windows)?,
            collapsed: ascending(cx, names.collapsed, x.rank())?,
            batch: ascending(cx, names.batch, x.rank())?,
            index_batch: cx.axes(names.index_batch, index.rank())?,
            map: cx.axes(names.map, x.rank())?,
            vector,
        };
        apart(cx, (names.collapsed, &d.collapsed), (names.batch, &d.batch))?;
        apart(cx, (names.map, &d.map), (names.batch, &d.batch))?;
        if d.index_batch.contains(&vector) {
            let text = format!("axis {vector} of the indices holds the index vectors: it cannot be a batch axis");
            return Err(Error::new(Code::E0213, text).attr(names.index_batch));
        }
        d.check_batch(cx, names, &x, &index)?;
        d.check_map(cx, names, &x, &index)?;
        let axes = d.window_axes(x.rank()).len();
        if d.window.len() != axes {
            let (got, s) = (d.window.len(), if d.window.len() == 1 { "y" } else { "ies" });
            let text = format!("`{}` has {got} entr{s}, but windows have {axes} axes", names.window);
            return Err(Error::new(Code::E0228, text).attr(names.window).help(format!(
                "a window has the operand's axes without those of `{}` and `{}`",
                names.collapsed, names.batch
            )));
        }
        for name in [names.window, names.collapsed, names.batch, names.index_batch] {
            if matches!(cx.attrs().get(name), Some(Attr::List(l)) if l.is_empty()) {
                cx.remove_attr(name);
            }
        }
        if vector == index.rank() {
            cx.remove_attr(VECTOR);
        }
        Ok(d)
    }
    /// Batch axes of operand and indices come in pairs of equal extent.
    fn check_batch(&self, cx: &mut InferCx, names: &Names, x: &Type, index: &Type) -> Result<()> {
        if self.batch.len() != self.index_batch.len() {
            let (a, b) = (self.batch.len(), self.index_batch.len());
            let text = format!("`{}` has {a} entries, `{}` {b}", names.batch, names.index_batch);
            return Err(Error::new(Code::E0228, text)
                .attr(names.index_batch)
                .help("each batch axis of the operand is walked together with one of the indices"));
        }
        for (&a, &b) in self.batch.iter().zip(&self.index_batch) {
            let what = || format!("axis {a} of operand 0 and axis {b} of operand 1");
            cx.equal(&x.dims[a], &index.dims[b], Part::Operand(1), what)?;
        }
        Ok(())
    }
    /// One operand axis for each component of an index vector; left out, they are the first ones.
    fn check_map(&mut self, cx: &mut InferCx, names: &Names, x: &Type, index: &Type) -> Result<()> {
        let n = components(index, self.vector);
        match (cx.attrs().get(names.map).is_some(), n) {
            (false, Some(n)) if n <= x.rank() => {
                self.map = (0..n).collect();
                apart(cx, (names.map, &self.map), (names.batch, &self.batch))
                    .map_err(|e| e.help(format!("`{}` is [0, 1, …] unless given", names.map)))?;
            }
            (false, Some(n)) => {
                let text = format!("index vectors have {n} components, but the operand has {} axes", x.rank());
                return Err(Error::new(Code::E0228, text).operand(1));
            }
            (false, None) => {
                let text = format!("`{}` needs `{}`", cx.def().name, names.map);
                return Err(
                    Error::new(Code::E0222, text).help("the number of components of an index vector is not exact")
                );
            }
            (true, Some(n)) if n != self.map.len() => {
                let text = format!("`{}` has {} entries for index vectors of {n}", names.map, self.map.len());
                return Err(Error::new(Code::E0228, text)
                    .attr(names.map)
                    .help("it names the operand axis of each component of an index vector"));
            }
            (true, Some(_)) => {
                if self.map.iter().enumerate().all(|(i, &a)| i == a) {
                    cx.remove_attr(names.map);
                }
            }
            (true, None) => {
                let (v, n) = (self.vector, Extent::exact(self.map.len() as i64));
                let what = || format!("axis {v} of operand 1 and the number of entries of `{}`", names.map);
                cx.equal(&index.dims[v], &n, Part::Operand(1), what)?;
            }
        }
        Ok(())
    }
}
/// Components of an index vector, where that is exact.
fn components(index: &Type, vector: usize) -> Option<usize> {
    match index.dims.get(vector) {
        Some(n) => n.as_exact().and_then(|n| usize::try_from(n).ok()),
        None => Some(1),
    }
}
fn vector_axis(cx: &InferCx, index: &Type) -> Result<usize> {
    let v = match cx.attrs().get(VECTOR) {
        Some(Attr::Int(i)) => *i,
        _ => index.rank() as i64,
    };
    usize::try_from(v).ok().filter(|&v| v <= index.rank()).ok_or_else(|| {
        Error::new(Code::E0212, format!("axis {v} is out of range for indices of rank {}", index.rank()))
            .attr(VECTOR)
            .help("give the rank itself where each element is an index")
    })
}
/// A list of axes in ascending order.
fn ascending(cx: &InferCx, name: &'static str, rank: usize) -> Result<Vec<usize>> {
    let v = cx.axes(name, rank)?;
    if v.is_sorted() {
        return Ok(v);
    }
    Err(Error::new(Code::E0227, format!("`{name}` is not in ascending order"))
        .attr(name)
        .help("axes keep their order: move them by `transpose`"))
}
/// Two lists of operand axes have none in common.
fn apart(cx: &InferCx, a: (&'static str, &[usize]), b: (&'static str, &[usize])) -> Result<()> {
    match a.1.iter().find(|i| b.1.contains(i)) {
        None => Ok(()),
        Some(i) => Err(Error::new(Code::E0213, format!("axis {i} is named by `{}` and `{}`", a.0, b.0))
            .attr(if cx.attrs().get(a.0).is_some() { a.0 } else { b.0 })),
    }
}
