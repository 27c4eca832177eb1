//! Functions run for many indices at once: each value that depends on the index gets one more axis, the batch axis, of one
//! extent for all. The sweep goes through a function op by op; how an op is run for all indices is the column `batch` of its
//! row. What does not depend on the index is computed once.
//!
//! A rule may put the batch axis of a result where it costs least; where a value needs it elsewhere it is moved there
//! ([`Batcher::at`]). The batch extent is one more symbol of the function, behind its own. Memoisation and the expansion of
//! composites live in the passes crate, behind [`Batches`].
use crate::attr::Attrs;
use crate::builder::{Builder, Opened};
use crate::code::Code;
use crate::diag::{Error, Result, Span};
use crate::extent::{Atom, Extent};
use crate::func::{BODY, Finished, Func, Op, OpId, RegionId, ValueId};
use crate::map::Map;
use crate::mesh::Sharding;
use crate::module::{FuncId, Module};
use crate::op::{Batch, NewOp};
use crate::ops::index;
use crate::outside;
use crate::types::Type;
use std::sync::Arc;

/// A value, and the axis of it along which the index runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batched {
    /// The value.
    pub value: ValueId,
    /// The batch axis; `None`: it is the same for every index.
    pub axis: Option<usize>,
}
impl Batched {
    /// Batched along `axis`.
    pub fn along(value: ValueId, axis: usize) -> Batched {
        Batched { value, axis: Some(axis) }
    }
}
/// A function for all indices at once.
#[derive(Clone, Debug)]
pub struct BatchedFunc {
    /// The function. Its extent parameters are those of the original, then the batch extent.
    pub func: FuncId,
    /// The batch axis of each result, where it has one.
    pub axes: Vec<Option<usize>>,
}
/// What rules ask of whoever drives the sweep.
pub trait Batches {
    /// The module.
    fn module(&self) -> &Module;
    /// `f` where parameter `i` is batched along `axes[i]`: each function once per list of axes.
    fn batch(&self, f: FuncId, axes: &[Option<usize>]) -> Result<Arc<BatchedFunc>>;
    /// As [`Batches::batch`], with result `i` at `outs[i]` (`None`: it must not depend on the index).
    fn batch_to(&self, f: FuncId, axes: &[Option<usize>], outs: &[Option<usize>]) -> Result<Arc<BatchedFunc>>;
}

/// `src` for all indices: parameter `i` has the batch axis `axes[i]`, result `i` gets it at `outs[i]` (`None`: it must not
/// depend on the index; without `outs` where it comes to lie). Gives the axes of the results as well.
///
/// # Errors
/// `E0508` where an op that depends on the index has no rule, or a result that may not depend on it does; `E0212` for an axis
/// that a value does not have.
pub fn batch_func(
    driver: &dyn Batches,
    src: Arc<Finished>,
    axes: &[Option<usize>],
    outs: Option<&[Option<usize>]>,
    name: &str,
) -> Result<(Finished, Vec<Option<usize>>)> {
    let mut b = Builder::new(driver.module(), name);
    b.mend();
    b.copy_syms(&src);
    b.f.span = src.span;
    let taken = |n: &str| src.syms.iter().any(|s| *s.name == *n);
    let free = crate::copy::free_name("batch", taken);
    let extent = Extent::sym(b.sym(&free, Span::default()));
    let mut cx = Batcher {
        driver,
        b,
        extent,
        map: Map::new(),
        axes: vec![None; src.values.len()],
        fewer: vec![],
        src: src.clone(),
    };
    let params = src.params().to_vec();
    cx.params(&params, axes)?;
    cx.sweep(BODY)?;
    let mut returns = vec![];
    let mut at = vec![];
    for (i, &y) in src.returns().iter().enumerate() {
        let y = cx.value(y)?;
        let want = match outs {
            Some(list) => list.get(i).copied().flatten(),
            None => y.axis,
        };
        returns.push(match want {
            Some(axis) => cx.at(y, axis).map_err(|e| e.context(format!("result {i} of @{}: ", src.name)))?,
            None if y.axis.is_none() => y.value,
            None => {
                let text = format!("result {i} of @{} differs from index to index", src.name);
                return Err(Error::new(Code::E0508, text).help("give it a batch axis"));
            }
        });
        at.push(want);
    }
    let f = &mut cx.b.f;
    f.result_names = src.result_names.clone();
    f.with = src.with.clone();
    f.with.remove("batch");
    f.with.remove("batch_out");
    // A rule is for one index.
    f.with.remove("jvp");
    f.with.remove("vjp");
    Ok((cx.b.finish(returns)?, at))
}

/// What batch rules see.
pub struct Batcher<'m> {
    /// Whoever drives the sweep.
    pub driver: &'m dyn Batches,
    /// The function for one index.
    pub src: Arc<Finished>,
    /// The function being built, at the insertion point.
    pub b: Builder<'m>,
    /// The batch extent.
    pub extent: Extent,
    map: Map,
    axes: Vec<Option<usize>>,
    /// Where the sweep is at fewer indices than all: their places among those around, and how many these are.
    fewer: Vec<(ValueId, Extent)>,
}
impl Batcher<'_> {
    /// Op `o` of the source.
    pub fn op(&self, o: OpId) -> Op {
        self.src.op(o).clone()
    }
    /// What a source value has become.
    pub fn value(&self, v: ValueId) -> Result<Batched> {
        Ok(Batched { value: self.map.value(v)?, axis: self.axes[v.ix()] })
    }
    /// Sets what a source value becomes (a region parameter; results are set by what a rule gives).
    pub fn set(&mut self, v: ValueId, new: Batched) {
        self.map.insert(v, new.value);
        self.axes[v.ix()] = new.axis;
        // Extents that the value binds for one index, it binds for all.
        let ty = self.b.ty(new.value);
        let own: Vec<Extent> =
            ty.dims.iter().enumerate().filter(|(i, _)| new.axis != Some(*i)).map(|(_, d)| d.clone()).collect();
        for (old, new) in self.src.ty(v).dims.iter().zip(own) {
            if let Some(Atom::Exist(r)) = old.as_atom()
                && self.map.exist(r).is_none()
            {
                self.map.bind(r, new);
            }
        }
        let name = self.src.value(v).name.clone();
        self.b.hint(new.value, name);
        if let Some(s) = self.sharding(v, new.axis) {
            self.b.shard_as(new.value, s);
        }
    }
    /// How a value is cut over devices; the batch axis is not.
    fn sharding(&self, v: ValueId, axis: Option<usize>) -> Option<Arc<Sharding>> {
        let mut s = Sharding::clone(self.src.sharding(v)?);
        if let Some(a) = axis {
            s.0.insert(a.min(s.0.len()), vec![]);
        }
        Some(Arc::new(s))
    }
    /// The type that a source value has for one index.
    pub fn ty(&self, v: ValueId) -> Result<Type> {
        self.map.ty(self.src.ty(v))
    }
    /// The type of a result that is about to be made, with the batch axis at `axis`: extents that it binds are new ones here.
    pub fn bound_type(&mut self, v: ValueId, axis: Option<usize>) -> Result<Type> {
        let src = self.src.clone();
        self.b.bind_fresh(&src, &src.ty(v).dims, &mut self.map);
        let ty = self.ty(v)?;
        Ok(match axis {
            Some(a) => ty.with_axis(a, self.extent.clone()),
            None => ty,
        })
    }
    /// An extent of the source, for the function being built.
    pub fn map_extent(&self, e: &Extent) -> Result<Extent> {
        self.map.extent(e)
    }
    /// Attributes of the source, for the function being built.
    pub fn attrs(&self, a: &Attrs) -> Result<Attrs> {
        self.map.attrs(a)
    }
    /// The value with its batch axis at `axis`: moved there, or repeated where it is the same for every index. `E0212` where
    /// the value has not so many axes.
    pub fn at(&mut self, x: Batched, axis: usize) -> Result<ValueId> {
        let ty = self.b.ty(x.value);
        let rank = ty.rank() - usize::from(x.axis.is_some());
        if axis > rank {
            return Err(Error::new(Code::E0212, format!("batch axis {axis} is out of range for {rank} other axes")));
        }
        match x.axis {
            Some(a) => {
                let mut perm: Vec<usize> = (0..ty.rank()).filter(|&i| i != a).collect();
                perm.insert(axis, a);
                self.b.transpose(x.value, &perm)
            }
            None => {
                let wide = ty.with_axis(axis, self.extent.clone());
                let dims: Vec<usize> = (0..rank).map(|i| if i < axis { i } else { i + 1 }).collect();
                self.b.broadcast(x.value, &wide, &dims)
            }
        }
    }
    /// As [`Batcher::at`], behind all other axes.
    pub fn last(&mut self, x: Batched) -> Result<ValueId> {
        let rank = self.b.func().ty(x.value).rank() - usize::from(x.axis.is_some());
        self.at(x, rank)
    }
    /// Op `o` on operands for all indices, with these attributes and with its regions as they are. Its results have the types that they have for one index
    /// and the batch axis at `place` of these.
    pub fn again(
        &mut self,
        o: OpId,
        operands: &[ValueId],
        attrs: Attrs,
        place: impl Fn(&Type) -> usize,
    ) -> Result<Vec<Batched>> {
        let op = self.op(o);
        let mut new = NewOp::new(op.def, operands).attrs(attrs);
        let src = self.src.clone();
        for &r in &op.regions {
            if src.captures(r).iter().any(|v| self.axes[v.ix()].is_some()) {
                return Err(refused(&op, "its region uses from outside what differs from index to index"));
            }
            new.regions.push(self.b.copy_region(&src, r, &mut self.map)?);
        }
        let mut types = vec![];
        for &r in &op.results {
            let ty = self.ty(r)?;
            let axis = place(&ty);
            types.push((ty.with_axis(axis, self.extent.clone()), axis));
        }
        new.declared = Some(types.iter().map(|t| t.0.clone()).collect());
        let ys = self.b.emit(new)?;
        Ok(ys.into_iter().zip(types).map(|(y, t)| Batched::along(y, t.1)).collect())
    }
    /// Opens a copy of region `r` whose parameter `i` has the batch axis `axes[i]`, and runs the region there; gives what it
    /// yields. The caller may build more and closes it.
    pub fn region(&mut self, r: RegionId, axes: &[Option<usize>]) -> Result<(Opened, Vec<Batched>)> {
        let src = self.src.clone();
        let opened = self.b.open(&src.region(r).label);
        self.params(&src.region(r).params, axes)?;
        for c in &src.region(r).wheres {
            let c = self.map.constraint(c)?;
            self.b.region_where(c);
        }
        self.sweep(r)?;
        let ys = src.region(r).yields.iter().map(|&y| self.value(y)).collect::<Result<_>>()?;
        Ok((opened, ys))
    }
    /// Runs region `r` where the sweep is, its parameters being `args`: what it yields.
    pub(crate) fn inline(&mut self, r: RegionId, args: &[Batched]) -> Result<Vec<Batched>> {
        let src = self.src.clone();
        for (&p, &x) in src.region(r).params.iter().zip(args) {
            self.set(p, x);
        }
        self.sweep(r)?;
        src.region(r).yields.iter().map(|&y| self.value(y)).collect()
    }
    /// Does something for fewer indices, `extent` in number, at the places `at` among those that there are.
    pub(crate) fn within<T>(
        &mut self,
        extent: Extent,
        at: ValueId,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let all = std::mem::replace(&mut self.extent, extent);
        self.fewer.push((at, all));
        let done = work(self);
        if let Some((_, all)) = self.fewer.pop() {
            self.extent = all;
        }
        done
    }
    /// The numbers of the indices at hand, `i64[k]`, and how many there are in all; `None` where all are at hand.
    pub(crate) fn numbers(&mut self) -> Result<Option<(ValueId, Extent)>> {
        let Some(((at, all), outer)) = self.fewer.split_last() else { return Ok(None) };
        let (mut at, mut all) = (*at, all.clone());
        for (places, more) in outer.iter().rev() {
            at = index::rows(&mut self.b, *places, at)?;
            all = more.clone();
        }
        Ok(Some((at, all)))
    }
    /// `x`, whose first axis is that of the indices at hand, for all indices: `fill` at the others.
    pub(crate) fn for_all(&mut self, x: ValueId, fill: f64) -> Result<ValueId> {
        let Some((at, all)) = self.numbers()? else { return Ok(x) };
        let ty = self.b.ty(x).without(&[0]).with_axis(0, all);
        let whole = self.b.splat(&ty, fill)?;
        index::put_rows(&mut self.b, whole, at, x)
    }
    /// Which values that region `r` yields depend on the index, if those of its parameters do where `params` says? A region op
    /// within counts as one op: all of its results, if anything it takes.
    pub fn depends(&self, r: RegionId, params: &[bool]) -> Vec<bool> {
        let src = &self.src;
        let mut on: Vec<bool> = self.axes.iter().map(Option::is_some).collect();
        for (&p, &yes) in src.region(r).params.iter().zip(params) {
            on[p.ix()] = yes;
        }
        for &o in &src.region(r).ops {
            let op = src.op(o);
            let taken = op.operands.iter().copied().chain(op.regions.iter().flat_map(|&q| src.captures(q)));
            let yes = taken.into_iter().any(|v| on[v.ix()]);
            op.results.iter().for_each(|y| on[y.ix()] = yes);
        }
        src.region(r).yields.iter().map(|y| on[y.ix()]).collect()
    }
    /// Parameters of the region at the insertion point for those of the source.
    fn params(&mut self, params: &[ValueId], axes: &[Option<usize>]) -> Result<()> {
        let src = self.src.clone();
        for (i, &p) in params.iter().enumerate() {
            self.b.bind_fresh(&src, &src.ty(p).dims, &mut self.map);
            let (mut ty, axis) = (self.ty(p)?, axes.get(i).copied().flatten());
            if let Some(a) = axis {
                if a > ty.rank() {
                    let text = format!("batch axis {a} of parameter {i} is out of range for {} other axes", ty.rank());
                    return Err(Error::new(Code::E0212, text).or_span(src.value(p).span));
                }
                ty = ty.with_axis(a, self.extent.clone());
            }
            let value = self.b.param_like(ty, &src, p);
            if let Some(s) = self.sharding(p, axis) {
                self.b.shard(value, s);
            }
            self.set(p, Batched { value, axis });
        }
        Ok(())
    }
    fn sweep(&mut self, r: RegionId) -> Result<()> {
        let src = self.src.clone();
        for &o in &src.region(r).ops {
            let op = src.op(o);
            let old = self.b.set_loc(op.loc, op.span);
            self.one(&src, o).map_err(|e| e.or_span(op.span))?;
            self.b.set_loc(old.0, old.1);
        }
        Ok(())
    }
    fn one(&mut self, src: &Func, o: OpId) -> Result<()> {
        let op = src.op(o);
        let xs = op.operands.iter().map(|&x| self.value(x)).collect::<Result<Vec<_>>>()?;
        let captured = |r: &RegionId| src.captures(*r).iter().any(|v| self.axes[v.ix()].is_some());
        if xs.iter().all(|x| x.axis.is_none()) && !op.regions.iter().any(captured) {
            self.b.copy(src, o, &mut self.map)?;
            return Ok(());
        }
        let ys = match op.def.batch {
            Batch::Elementwise => self.elementwise(o, &xs)?,
            Batch::Rule(rule) => outside::column(op.def, "batch", || rule(self, o, &xs))?,
            Batch::Expand => return Err(refused(op, "it stands for its expansion, which comes first")),
            Batch::Never(why) => return Err(refused(op, why)),
        };
        for (&old, new) in op.results.iter().zip(ys) {
            self.set(old, new);
        }
        Ok(())
    }
    /// Every operand has the batch axis where the first one of full rank has it. Scalars that go with every element of the
    /// others stay scalars while they are the same for every index.
    pub(crate) fn elementwise(&mut self, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
        let op = self.op(o);
        let types = op.operands.iter().map(|&x| self.ty(x)).collect::<Result<Vec<_>>>()?;
        let Some(full) = types.iter().max_by_key(|t| t.rank()).cloned() else { return Ok(vec![]) };
        let whole = |i: usize| types[i].rank() == full.rank();
        let axis = (0..xs.len()).filter(|&i| whole(i)).find_map(|i| xs[i].axis).unwrap_or(full.rank());
        let mut operands = vec![];
        for (i, &x) in xs.iter().enumerate() {
            operands.push(if whole(i) {
                self.at(x, axis)?
            } else if x.axis.is_none() {
                x.value
            } else {
                let wide = full.with_axis(axis, self.extent.clone()).with_dtype(types[i].dtype);
                self.b.broadcast(x.value, &wide, &[axis])?
            });
        }
        let attrs = self.attrs(&op.attrs)?;
        self.again(o, &operands, attrs, |_| axis)
    }
}
/// An op cannot be run for all indices at once.
pub fn refused(op: &Op, why: &str) -> Error {
    Error::new(Code::E0508, format!("`{}` cannot be batched: {why}", op.def.name))
        .help("move it out of the function, or write a `scan` over the indices")
}

/// An axis of a value for one index, as that of the value whose batch axis is `batch`.
pub fn shifted(axis: usize, batch: usize) -> usize {
    if axis < batch { axis } else { axis + 1 }
}
/// A rule: the matrices are the two leading axes, so every batch axis goes behind them; so do those of results.
pub fn trailing(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let attrs = cx.attrs(&cx.op(o).attrs)?;
    let xs = xs.iter().map(|&x| cx.last(x)).collect::<Result<Vec<_>>>()?;
    cx.again(o, &xs, attrs, Type::rank)
}
/// A rule for ops of operands of one rank whose attribute `name` names axes of them that all results keep: each operand has
/// the batch axis where the first batched one has it, and so have the results.
pub fn along(cx: &mut Batcher, o: OpId, xs: &[Batched], name: &'static str) -> Result<Vec<Batched>> {
    let axis = xs.iter().find_map(|x| x.axis).unwrap_or(0);
    let op = cx.op(o);
    let attrs = shift(cx.attrs(&op.attrs)?, name, axis);
    let xs = xs.iter().map(|&x| cx.at(x, axis)).collect::<Result<Vec<_>>>()?;
    cx.again(o, &xs, attrs, |_| axis)
}
/// Attributes whose `name`, an axis or a list of axes, is that of operands with a batch axis.
pub fn shift(attrs: Attrs, name: &'static str, batch: usize) -> Attrs {
    use crate::attr::Attr;
    let to = |i: &i64| Attr::Int(usize::try_from(*i).map_or(*i, |a| shifted(a, batch) as i64));
    match attrs.get(name) {
        Some(Attr::Int(i)) => {
            let i = to(i);
            attrs.with(name, i)
        }
        Some(Attr::List(l)) => {
            let l = l.iter().map(|a| if let Attr::Int(i) = a { to(i) } else { a.clone() }).collect();
            attrs.with(name, Attr::List(l))
        }
        _ => attrs,
    }
}
