//! What `interpreter.probe` sees: a value, or in a region that may run any number of times, or not at all, a list of values
//! along a further, last axis. A region hands its lists on as results of its op, so that they join the list of the id around
//! it, in the order in which the values were seen.
use super::super::ast::Op;
use super::func::{FuncCx, IntoStop};
use super::{Made, args};
use std::collections::{BTreeMap, BTreeSet};
use tfc_ir::ops::elementwise::LT;
use tfc_ir::ops::extents::CHECK;
use tfc_ir::ops::shape::CONCAT;
use tfc_ir::{Attr, Code, DType, Diagnostic, Extent, NewOp, RegionId, Type, ValueId};

/// What has been seen under one id.
#[derive(Clone, Copy)]
pub(super) enum Seen {
    One(ValueId),
    /// Any number of values, along the last axis.
    List(ValueId),
}
/// What a region has seen, by id.
pub(super) type Probes<'a> = BTreeMap<&'a str, Vec<Seen>>;
/// What a region hands on, by id.
pub(super) type Lists<'a> = Vec<(&'a str, ValueId)>;

impl<'a> FuncCx<'a> {
    pub(super) fn see(&mut self, id: &'a str, seen: Seen) {
        if let Some(here) = self.probes.last_mut() {
            here.entry(id).or_default().push(seen);
        }
    }
    /// What has been seen under an id, here or around.
    pub(super) fn seen(&self, id: &str) -> Option<&[Seen]> {
        self.probes.iter().rev().find_map(|p| p.get(id)).map(Vec::as_slice)
    }
    /// The values as one list.
    fn listed(&mut self, all: &[Seen]) -> Made<ValueId> {
        let mut lists = vec![];
        for s in all {
            lists.push(match *s {
                Seen::List(v) => v,
                Seen::One(v) => {
                    let ty = self.b.ty(v);
                    let dims: Vec<Extent> = ty.dims.iter().cloned().chain([Extent::exact(1)]).collect();
                    self.b.reshape(v, &ty.with_dims(dims))?
                }
            });
        }
        if let [one] = lists.as_slice() {
            return Ok(*one);
        }
        let last = lists.first().map_or(0, |&v| self.b.ty(v).rank().saturating_sub(1));
        Ok(self.b.emit1(NewOp::new(&CONCAT, &lists).attr("axis", Attr::Int(last as i64)))?)
    }
    /// What a region has seen as lists; it is still open.
    pub(super) fn lists(&mut self, probes: Probes<'a>) -> Made<Lists<'a>> {
        probes.into_iter().map(|(id, all)| Ok((id, self.listed(&all)?))).collect()
    }
    /// Refuses probes in a region whose op has no way to hand them on.
    pub(super) fn no_probes(&self, op: &Op, probes: &Probes<'a>) -> Made<()> {
        match probes.keys().next() {
            None => Ok(()),
            Some(id) => {
                let text = format!("the probe `{id}` stands in a region of `{}` and is not read there", op.name.text);
                let d = Diagnostic::error(Code::E0240, op.span, text);
                Err(d.help("probes are read in functions, branches and bodies of `while`").into_stop())
            }
        }
    }
    /// Lets regions of which one runs yield the same lists, empty where a region has none of the id. Which ids.
    pub(super) fn share_lists(&mut self, op: &Op, regions: &[(RegionId, Lists<'a>)]) -> Made<Vec<&'a str>> {
        let ids: BTreeSet<&'a str> = regions.iter().flat_map(|r| &r.1).map(|l| l.0).collect();
        for (region, lists) in regions {
            let mut yields = self.b.func().region(*region).yields.clone();
            for &id in &ids {
                let of = |l: &Lists<'a>| l.iter().find(|l| l.0 == id).map(|l| l.1);
                let own = match of(lists) {
                    Some(v) => v,
                    None => {
                        let other = regions.iter().find_map(|r| of(&r.1)).map(|v| self.b.ty(v));
                        let shape = other.as_ref().and_then(|t| Type::exact_shape(&t.without(&[t.rank() - 1])));
                        let (Some(ty), Some(mut shape)) = (other, shape) else {
                            let text = format!("the probe `{id}` has an extent in one branch that the others lack");
                            let d = Diagnostic::error(Code::E0240, op.span, text);
                            return Err(d.help("probe what the branches hand on").into_stop());
                        };
                        shape.push(0);
                        let back = self.b.set_at(*region);
                        let empty = self.b.zeros(&Type::exact(ty.dtype, &shape));
                        self.b.set_at(back);
                        empty?
                    }
                };
                yields.push(own);
            }
            self.b.set_yields(*region, yields);
        }
        Ok(ids.into_iter().collect())
    }
    /// The value of that number among those seen under `id`; where only running tells how many there are, it is asserted
    /// that there is one.
    pub(super) fn seen_at(&mut self, op: &'a Op<'a>, id: &str, number: i64) -> Made<ValueId> {
        let Some(all) = self.seen(id).map(<[Seen]>::to_vec) else {
            let text = format!("no `interpreter.probe` of this function has the id `{id}`");
            return Err(args::wrong(op.span, text, "a probe comes before what is compared with it"));
        };
        let known = all.iter().position(|s| matches!(s, Seen::List(_))).unwrap_or(all.len());
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(&Seen::One(v)) = all.get(at).filter(|_| at < known) {
            return Ok(v);
        }
        if known == all.len() {
            let text = format!("the probe `{id}` sees {known} values, and none of number {number}");
            return Err(args::wrong(op.span, text, "values are counted from 0"));
        }
        let (list, i) = (self.listed(&all[known..])?, number - known as i64);
        let ty = self.b.ty(list);
        let last = ty.rank().saturating_sub(1);
        let own = ty.without(&[last]);
        let index = self.b.splat(&Type::scalar(DType::I64), i as f64)?;
        let count = self.b.dim_value(ty.dims[last].clone())?;
        let there = self.b.emit1(NewOp::new(&LT, &[index, count]))?;
        let text = format!("the probe `{id}` has seen no value of number {number}");
        self.b.emit(NewOp::new(&CHECK, &[there]).attr("message", Attr::Str(text.as_str().into())))?;
        let mut at = vec![self.b.splat(&Type::scalar(DType::I64), 0.0)?; last];
        at.push(index);
        let sizes = own.dims.iter().cloned().chain([Extent::exact(1)]).collect();
        let part = self.b.dynamic_slice(list, &at, sizes)?;
        Ok(self.b.reshape(part, &own)?)
    }
}
