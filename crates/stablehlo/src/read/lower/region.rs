//! Regions: those of the IR, and regions of the text whose statements run right where their op stands.
use super::super::ast::{AttrKind, Block, Func, Op, Word};
use super::func::{FuncCx, IntoStop, Slot, hint};
use super::probes::{Lists, Probes};
use super::{Made, types};
use tfc_ir::builder::Opened;
use tfc_ir::{Code, DType, Diagnostic, Extent, RegionId, Type, ValueId};

impl<'a> FuncCx<'a> {
    /// The region of that number.
    pub(super) fn block(&self, op: &'a Op<'a>, i: usize) -> Made<&'a Block<'a>> {
        op.regions.get(i).ok_or_else(|| {
            let text = format!("`{}` has {} regions, and no #{i}", op.name.text, op.regions.len());
            Diagnostic::error(Code::E0244, op.span, text).help("write it: `({ … })`").into_stop()
        })
    }
    /// Names of the parameters of a region that gets values of these types.
    fn region_params(&self, op: &'a Op<'a>, block: &'a Block<'a>, types: &[Type]) -> Made<Vec<Word<'a>>> {
        if block.params.is_empty() && op.bound.len() == types.len() {
            return Ok(op.bound.clone());
        }
        if block.params.len() != types.len() {
            let text =
                format!("a region of `{}` takes {} values, not {}", op.name.text, types.len(), block.params.len());
            return Err(Diagnostic::error(Code::E0244, block.span, text)
                .help("write its parameters: `^bb0(%a: T, …):`")
                .into_stop());
        }
        for (p, t) in block.params.iter().zip(types) {
            let written = types::pattern(&p.ty)?;
            if !written.fits(t) {
                let text = format!("`%{}` is {} here, not {}", p.name.text, self.show(t), written.show());
                return Err(Diagnostic::error(Code::E0245, p.ty.span, text)
                    .help("write the type that it gets")
                    .into_stop());
            }
        }
        Ok(block.params.iter().map(|p| p.name).collect())
    }
    /// A region of the IR: parameters of these types, then what the text says.
    pub(super) fn region(
        &mut self,
        label: &str,
        op: &'a Op<'a>,
        block: &'a Block<'a>,
        types: &[Type],
    ) -> Made<RegionId> {
        let (region, lists) = self.observed(label, op, block, types)?;
        if !lists.is_empty() {
            let seen = lists.into_iter().map(|l| (l.0, vec![])).collect();
            self.no_probes(op, &seen)?;
        }
        Ok(region)
    }
    /// The same, with the lists of what probes in it see, which it does not yield yet.
    pub(super) fn observed(
        &mut self,
        label: &str,
        op: &'a Op<'a>,
        block: &'a Block<'a>,
        types: &[Type],
    ) -> Made<(RegionId, Lists<'a>)> {
        let all: Vec<usize> = (0..types.len()).collect();
        let (opened, made, probes) = self.opened(label, op, block, types, &all)?;
        let made = made.and_then(|slots| self.ones(&slots));
        let made = made.and_then(|values| Ok((values, self.lists(probes)?)));
        let (made, lists) = match made {
            Ok((values, lists)) => (Ok(values), lists),
            Err(stop) => (Err(stop), vec![]),
        };
        Ok((self.closed(opened, made)?, lists))
    }
    /// Reads a region that becomes something else, for what is wrong in it: its parameters, its statements, and whether it
    /// hands on scalars of these dtypes.
    pub(super) fn checked_region(
        &mut self,
        op: &'a Op<'a>,
        block: &'a Block<'a>,
        types: &[Type],
        gives: &[DType],
    ) -> Made<()> {
        let all: Vec<usize> = (0..types.len()).collect();
        let (opened, made, _) = self.opened("combine", op, block, types, &all)?;
        self.b.suspend(opened);
        let values = made.and_then(|slots| self.ones(&slots))?;
        let given: Vec<&Type> = values.iter().map(|&v| self.b.func().ty(v)).collect();
        if given.len() == gives.len() && given.iter().zip(gives).all(|(t, d)| t.is_scalar() && t.dtype == *d) {
            return Ok(());
        }
        let list = |l: Vec<String>| l.join(", ");
        let text = format!(
            "the region of `{}` gives {}, not {}",
            op.name.text,
            list(given.iter().map(|t| self.show(t)).collect()),
            list(gives.iter().map(|d| format!("{d}[]")).collect())
        );
        Err(Diagnostic::error(Code::E0244, block.span, text)
            .help("it combines two elements to one of the same type")
            .into_stop())
    }
    /// Ends a region with what it yields, or leaves it out where something in it failed.
    pub(super) fn closed(&mut self, opened: Opened, made: Made<Vec<ValueId>>) -> Made<RegionId> {
        match made {
            Ok(values) => Ok(self.b.close(opened, values)),
            Err(stop) => {
                self.b.suspend(opened);
                Err(stop)
            }
        }
    }
    /// The same of some of the parameters and one of the results; `None` where that depends on other parameters.
    pub(super) fn part_of_region(
        &mut self,
        label: &str,
        op: &'a Op<'a>,
        block: &'a Block<'a>,
        types: &[Type],
        params: &[usize],
        result: usize,
    ) -> Made<Option<RegionId>> {
        let (opened, made, probes) = self.opened(label, op, block, types, params)?;
        let made = made.and_then(|slots| self.no_probes(op, &probes).map(|()| slots));
        let one = made.map(|slots| match slots.get(result) {
            Some(Slot::One(v)) => Some(*v),
            _ => None,
        });
        match one {
            Ok(None) => {
                self.b.suspend(opened);
                Ok(None)
            }
            Ok(Some(v)) => self.closed(opened, Ok(vec![v])).map(Some),
            Err(stop) => self.closed(opened, Err(stop)).map(Some),
        }
    }
    /// A region that is open, with those of the parameters; the others are nothing in it. What it hands on, and what probes
    /// in it have seen.
    fn opened(
        &mut self,
        label: &str,
        op: &'a Op<'a>,
        block: &'a Block<'a>,
        types: &[Type],
        params: &[usize],
    ) -> Made<(Opened, Made<Vec<Slot>>, Probes<'a>)> {
        let words = self.region_params(op, block, types)?;
        let opened = self.b.open(label);
        self.enter();
        self.probes.push(Probes::new());
        for (i, (w, t)) in words.into_iter().zip(types).enumerate() {
            let slot = match params.contains(&i) {
                true => Slot::One(self.b.param(t.clone(), &hint(w.text))),
                false => Slot::Lost,
            };
            self.define(w, vec![slot]);
        }
        let made = self.body(block, false);
        self.leave();
        Ok((opened, made, self.probes.pop().unwrap_or_default()))
    }
    /// The function under `key`, of so many parameters.
    pub(super) fn called(&self, op: &'a Op<'a>, key: &str, count: usize) -> Made<&'a Func<'a>> {
        let name = match self.need(op, key)?.kind {
            AttrKind::List(ref l) => {
                l.first().and_then(|a| if let AttrKind::Symbol(s) = a.kind { Some(s) } else { None })
            }
            AttrKind::Symbol(s) => Some(s),
            _ => None,
        };
        let called = name.and_then(|n| self.file.funcs.get(n)).and_then(|f| self.file.file.funcs.get(f.1));
        called.filter(|f| f.params.len() == count).ok_or_else(|| {
            let text = format!("`{key}` is no function of {count} values of this file");
            Diagnostic::error(Code::E0302, op.span, text).help("it is written `[@name]`").into_stop()
        })
    }
    /// A region that is the function under `key`.
    pub(super) fn called_region(&mut self, op: &'a Op<'a>, label: &str, key: &str, types: &[Type]) -> Made<RegionId> {
        let f = self.called(op, key, types.len())?;
        let opened = self.b.open(label);
        let params = types.iter().map(|t| Slot::One(self.b.param(t.clone(), ""))).collect();
        let made = self.inline(f, params).and_then(|slots| self.ones(&slots));
        self.closed(opened, made)
    }
    /// The statements of a region of scalars, right here, on tensors of extents `dims`: what it hands on.
    pub(super) fn lifted(
        &mut self,
        op: &'a Op<'a>,
        block: &'a Block<'a>,
        args: &[ValueId],
        dims: &[Extent],
    ) -> Made<Vec<ValueId>> {
        let types: Vec<Type> = args.iter().map(|&v| Type::scalar(self.b.func().ty(v).dtype)).collect();
        let outer = self.lift.replace(dims.to_vec());
        let made = self.inlined(op, block, args, &types);
        self.lift = outer;
        let mut out = made?;
        // A region may hand on a scalar from outside.
        for v in &mut out {
            let ty = self.b.ty(*v);
            if ty.is_scalar() {
                *v = self.b.broadcast(*v, &Type::new(ty.dtype, dims), &[])?;
            }
        }
        Ok(out)
    }
    /// The statements of a region, right here, whose parameters, of these types, stand for `args`: what it hands on.
    pub(super) fn inlined(
        &mut self,
        op: &'a Op<'a>,
        block: &'a Block<'a>,
        args: &[ValueId],
        types: &[Type],
    ) -> Made<Vec<ValueId>> {
        let words = self.region_params(op, block, types)?;
        self.enter();
        for (w, &v) in words.into_iter().zip(args) {
            self.define(w, vec![Slot::One(v)]);
        }
        let made = self.body(block, false).and_then(|slots| self.ones(&slots));
        self.leave();
        made
    }
}
