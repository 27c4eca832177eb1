//! Builds a sample's function again through the builder, with other extents in place of its exact ones. Nothing is copied:
//! every op is inferred anew.
use std::collections::{BTreeMap, BTreeSet};
use tfc_ir::Code;
use tfc_ir::extent::{Atom, ExistId};
use tfc_ir::*;

/// What becomes of an exact extent of a parameter.
#[derive(Clone)]
pub enum How {
    /// These extents in place of those; the others stay.
    At(BTreeMap<i64, i64>),
    /// One symbol for each.
    Symbols,
    /// One existential for each: the parameters are longer by symbols `n… ≥ ?r…`, and are cut to `?r…`, whose values are
    /// further parameters, before anything else happens.
    Existentials,
}
/// An axis of a parameter: the parameter, the axis.
pub type Axis = (usize, usize);
/// The function that was made.
pub struct Made {
    /// It, in the module.
    pub func: FuncId,
    /// For each further `i64[]` parameter the extent it stands for.
    pub cuts: Vec<i64>,
}

struct Again<'s> {
    src: &'s Func,
    map: Map,
    how: &'s How,
    /// What exact extents of the sample have become.
    known: BTreeMap<i64, Extent>,
}
/// `src` with other extents for all axes of parameters but those in `kept`; with `loss`, one real number made of its
/// results.
pub fn again(m: &Module, src: &Func, how: &How, kept: &BTreeSet<Axis>, loss: bool) -> Result<Made> {
    let mut b = Builder::new(m, &format!("{}.again", src.name));
    let mut a = Again { src, how, map: Map::new(), known: BTreeMap::new() };
    let cuts = a.header(&mut b, kept)?;
    a.body(&mut b, BODY)?;
    let mut ys = a.map.all(src.returns())?;
    if loss {
        ys = vec![sum_of_squares(&mut b, &ys)?];
    } else {
        pack(&mut b, &ys);
    }
    let f = b.finish(ys)?;
    Ok(Made { func: m.add(f), cuts })
}
/// The module with one function of it and what that calls: passes and the verifier look at every function there is.
pub fn alone(m: &Module, f: FuncId) -> Module {
    let own = m.fork();
    let called: BTreeSet<FuncId> = m.callees_first([f], |_| false).into_iter().collect();
    own.funcs().iter().filter(|(g, _)| !called.contains(g)).for_each(|(g, _)| own.remove(*g));
    own
}
/// Axes of parameters that `how` may change.
pub fn axes(src: &Func) -> Vec<Axis> {
    let rank = |p: usize| src.ty(src.params()[p]).rank();
    (0..src.params().len()).flat_map(|p| (0..rank(p)).map(move |k| (p, k))).collect()
}
impl Again<'_> {
    fn header(&mut self, b: &mut Builder, kept: &BTreeSet<Axis>) -> Result<Vec<i64>> {
        let mut symbols: BTreeMap<i64, Extent> = BTreeMap::new();
        let mut params = vec![];
        for (i, &p) in self.src.params().iter().enumerate() {
            let ty = self.src.ty(p);
            let mut dims = vec![];
            for (k, d) in ty.dims.iter().enumerate() {
                let exact = d.as_exact();
                let v = exact.ok_or_else(|| Error::new(Code::E0299, "parameters of samples are exact in shape"))?;
                dims.push(match self.how {
                    _ if kept.contains(&(i, k)) => d.clone(),
                    How::At(to) => Extent::exact(to.get(&v).copied().unwrap_or(v)),
                    _ => symbols
                        .entry(v)
                        .or_insert_with(|| Extent::sym(b.sym(&format!("n{v}"), Span::default())))
                        .clone(),
                });
                if !kept.contains(&(i, k)) {
                    self.known.insert(v, dims[k].clone());
                }
            }
            params.push(b.param(ty.with_dims(dims), &self.src.value(p).name));
        }
        let mut cuts = vec![];
        if matches!(self.how, How::Existentials) {
            for (&v, n) in &symbols {
                let k = b.param(Type::scalar(DType::I64), &format!("k{v}"));
                cuts.push((v, n.clone(), k));
            }
            for (v, n, k) in &cuts {
                let r = Extent::exist(b.exist(&format!("r{v}"), Span::default()));
                let mut op = NewOp::new(&tfc_ir::ops::extents::EXTENT, &[*k]);
                op.attrs.set("extent", Attr::extent(r.clone()));
                op.wheres = vec![Constraint { lhs: r.clone(), op: CmpOp::Le, rhs: n.clone() }];
                b.emit(op)?;
                self.known.insert(*v, r);
            }
        }
        for (i, (&p, &q)) in self.src.params().iter().zip(&params).enumerate() {
            let mut q = q;
            for (k, d) in self.src.ty(p).dims.iter().enumerate() {
                if let Some(r) = d.as_exact().and_then(|v| self.known.get(&v))
                    && !cuts.is_empty()
                    && !kept.contains(&(i, k))
                {
                    q = b.take_prefix(q, k, r)?;
                }
            }
            self.map.insert(p, q);
        }
        Ok(cuts.iter().map(|c| c.0).collect())
    }
    fn body(&mut self, b: &mut Builder, r: RegionId) -> Result<()> {
        let src = self.src;
        src.region(r).ops.iter().try_for_each(|&o| self.op(b, src.op(o)))
    }
    fn op(&mut self, b: &mut Builder, op: &Op) -> Result<()> {
        let src = self.src;
        let operands = self.map.all(&op.operands)?;
        let mut regions = vec![];
        for &r in &op.regions {
            let (o, outside) = (b.open(&src.region(r).label), self.known.clone());
            for &p in &src.region(r).params {
                b.bind_fresh(src, &src.ty(p).dims, &mut self.map);
                let q = b.param(self.ty(src.ty(p))?, &src.value(p).name);
                self.map.insert(p, q);
            }
            for c in &src.region(r).wheres {
                let c = self.constraint(c)?;
                b.assume(c.clone());
                b.func_mut().regions[o.region.ix()].wheres.push(c);
            }
            self.body(b, r)?;
            let ys = self.map.all(&src.region(r).yields)?;
            regions.push(b.close(o, ys));
            self.known = outside;
        }
        let mut new = NewOp::new(op.def, &operands).regions(regions);
        for (k, a) in op.attrs.iter() {
            if op.def.demands {
                // `extent` binds what it names.
                if let Attr::Extents(v) = a {
                    b.bind_fresh(src, v, &mut self.map);
                }
            }
            new.attrs.set(k, self.attr(b.module(), a)?);
        }
        if op.def.demands {
            new.wheres = op.said().map(|c| self.constraint(c)).collect::<Result<_>>()?;
        }
        let types = || op.results.iter().map(|&r| self.ty(src.ty(r))).collect::<Result<Vec<_>>>();
        if op.def.needs_type || op.attrs.get("splat").is_some() {
            new.declared = Some(types()?);
        } else if op.attrs.get("bytes").is_some() {
            new.declared = Some(src.types(&op.results));
        }
        let results = b.emit(new)?;
        for (&old, &new) in op.results.iter().zip(&results) {
            self.map.insert(old, new);
            let ty = b.ty(new);
            for (x, y) in src.ty(old).dims.iter().zip(ty.dims.iter()) {
                if let Some(v) = x.as_exact() {
                    self.known.entry(v).or_insert_with(|| y.clone());
                } else if let Some(Atom::Exist(r)) = x.as_atom()
                    && self.map.exist(r).is_none()
                {
                    self.map.bind(r, y.clone());
                }
            }
        }
        Ok(())
    }
    /// What an extent of a type has become: where nothing of that size is known, a product of what is.
    fn size(&self, e: &Extent) -> Result<Extent> {
        let Some(v) = e.as_exact() else { return self.map.extent(e) };
        if let Some(x) = self.known.get(&v) {
            return Ok(x.clone());
        }
        let pairs = || self.known.iter().flat_map(|x| self.known.iter().map(move |y| (x, y)));
        if let Some((x, y)) = pairs().find(|(x, y)| *x.0 > 1 && *y.0 > 1 && x.0 * y.0 == v) {
            return x.1.mul(y.1);
        }
        Ok(e.clone())
    }
    fn ty(&self, t: &Type) -> Result<Type> {
        Ok(t.with_dims(t.dims.iter().map(|d| self.size(d)).collect::<Result<Vec<_>>>()?))
    }
    /// Attributes say 0 and 1 for other reasons than that an extent is so large.
    fn attr(&self, m: &Module, a: &Attr) -> Result<Attr> {
        if let Attr::Sym(s) = a {
            return self.callee(m, s);
        }
        let Attr::Extents(v) = a else { return self.map.attr(a) };
        let one = |e: &Extent| match e.as_exact() {
            Some(v) if v > 1 => Ok(self.known.get(&v).cloned().unwrap_or_else(|| e.clone())),
            Some(_) => Ok(e.clone()),
            None => self.map.extent(e),
        };
        Ok(Attr::Extents(v.iter().map(one).collect::<Result<_>>()?))
    }
    /// The same function for any extents, which follow from the operands.
    fn callee(&self, m: &Module, s: &SymRef) -> Result<Attr> {
        let f = m.func(s.func)?;
        if !f.syms.is_empty() {
            return self.map.attr(&Attr::Sym(s.clone()));
        }
        let how = if let How::At(_) = self.how { self.how.clone() } else { How::Symbols };
        Ok(Attr::Sym(again(m, &f, &how, &BTreeSet::new(), false)?.func.into()))
    }
    fn constraint(&self, c: &Constraint) -> Result<Constraint> {
        Ok(Constraint { lhs: self.size(&c.lhs)?, op: c.op, rhs: self.size(&c.rhs)? })
    }
}
/// The sum of |y|² over all floating and complex results.
fn sum_of_squares(b: &mut Builder, ys: &[ValueId]) -> Result<ValueId> {
    let mut sum = b.splat(&Type::scalar(DType::F64), 0.0)?;
    for &y in ys {
        let ty = b.ty(y);
        if !ty.dtype.is_inexact() {
            continue;
        }
        let c = b.conj_if_complex(y)?;
        let mut s = b.mul(c, y)?;
        if ty.dtype.is_complex() {
            s = b.real(s)?;
        }
        let s = b.reduce_sum(s, &(0..ty.rank()).collect::<Vec<_>>())?;
        let s = b.convert(s, DType::F64)?;
        sum = b.add(sum, s)?;
    }
    Ok(sum)
}
/// Result types of the header: each extent that something binds in the body is one of the header's own.
fn pack(b: &mut Builder, ys: &[ValueId]) {
    let mut own: Vec<(Extent, Extent)> = vec![];
    let mut types = vec![];
    for &y in ys {
        let ty = b.ty(y);
        let mut dims = vec![];
        for d in ty.dims.iter() {
            if !d.mentions_existential() {
                dims.push(d.clone());
                continue;
            }
            let known = own.iter().find(|o| o.0 == *d).map(|o| o.1.clone());
            dims.push(known.unwrap_or_else(|| {
                let id: ExistId = b.exist(&format!("h{}", own.len()), Span::default());
                b.func_mut().exists[id.0 as usize].binder = Some(Binder::Header);
                own.push((d.clone(), Extent::exist(id)));
                Extent::exist(id)
            }));
        }
        types.push(ty.with_dims(dims));
    }
    b.func_mut().result_types = types;
}
