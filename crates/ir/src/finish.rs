//! Ends of functions: the header's types are those that are returned, or what is returned keeps what the header promises.
use crate::binders::Apart;
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::{Atom, CmpOp, Constraint, ExistId, Extent, Facts, Truth};
use crate::func::*;
use std::collections::{HashMap, HashSet};

impl Builder<'_> {
    /// Ends the function. Where result types were declared in the header, the returned values must instantiate them;
    /// else the header takes theirs.
    pub fn finish(mut self, returns: Vec<ValueId>) -> Result<Finished> {
        self.header_of(&returns);
        self.check_header()?;
        if self.mends {
            self.keep_promises(&returns)?;
        }
        self.check_returns(&returns)?;
        self.f.result_names.resize(returns.len(), None);
        Ok(self.end(returns))
    }
    /// Ends a function that is made of checked parts (a pass's rewriting): what its header says is known to hold, but
    /// perhaps by a statement that is gone; what is not known here is stated.
    pub fn finish_rewritten(mut self, returns: Vec<ValueId>) -> Result<Finished> {
        self.header_of(&returns);
        self.keep_promises(&returns)?;
        self.f.result_names.resize(returns.len(), None);
        Ok(self.end(returns))
    }
    fn end(mut self, returns: Vec<ValueId>) -> Finished {
        let body = |&v: &ValueId| self.f.values.get(v.ix()).is_some_and(|x| x.region == BODY);
        let checked = !self.unchecked && returns.iter().all(body) && returns.len() == self.f.result_types.len();
        self.f.regions[0].yields = returns;
        self.f.effect = self.module().region_effect(&self.f, BODY);
        let key = checked.then(|| self.module().key());
        Finished::sealed(self.f, key)
    }
    /// States what the header says of `returns` and is not known.
    fn keep_promises(&mut self, returns: &[ValueId]) -> Result<()> {
        let (types, wheres) = self.promises(returns)?;
        self.state(types.into_iter().map(|p| p.2).chain(wheres.into_iter().map(|p| p.1)))
    }
    /// Where the header declares no results, it takes the types of `returns`. A caller learns an extent from a result that
    /// shows it whole: what none shows gets a name of the header's own.
    fn header_of(&mut self, returns: &[ValueId]) {
        if !self.f.result_types.is_empty() || returns.is_empty() {
            return;
        }
        let mut types = self.f.types(returns);
        for (t, promised) in types.iter_mut().zip(std::mem::take(&mut self.promised)) {
            if let Some(p) = promised.filter(|p| !p.mentions_existential()) {
                *t = p;
            }
        }
        let shown: HashSet<Atom> = types.iter().flat_map(|t| t.dims.iter().filter_map(Extent::as_atom)).collect();
        let mut named: Vec<(Extent, Extent)> = vec![];
        for t in types.iter_mut().filter(|t| t.mentions_existential()) {
            let mut dims = t.dims.to_vec();
            for d in &mut dims {
                let mut hidden = false;
                d.for_each_atom(&mut |a| hidden |= matches!(a, Atom::Exist(_)) && !shown.contains(&a));
                if !hidden {
                    continue;
                }
                let known = named.iter().find(|n| n.0 == *d).map(|n| n.1.clone());
                let e = known.unwrap_or_else(|| {
                    let span = self.f.span;
                    self.f.exists.push(ExistDecl {
                        name: "r".into(),
                        span,
                        region: BODY,
                        binder: Some(Binder::Header),
                    });
                    let e = Extent::exist(ExistId(self.f.exists.len() as u32 - 1));
                    named.push((d.clone(), e.clone()));
                    e
                });
                *d = e;
            }
            *t = t.with_dims(dims);
        }
        self.f.result_types = types;
    }
    /// `where` can hold, and the extents of an entry point follow from its arguments.
    fn check_header(&self) -> Result<()> {
        let mut facts = Facts::new();
        self.f.wheres.iter().for_each(|c| facts.assume(c.clone()));
        if facts.contradictory() {
            let list: Vec<_> = self.f.wheres.iter().map(|c| c.display(&self.f).to_string()).collect();
            return Err(
                Error::new(Code::E0414, format!("`where {}` can never hold", list.join(", "))).or_span(self.f.span)
            );
        }
        if self.f.export
            && let Some(s) = self.f.open_extent()
        {
            return Err(Error::new(
                Code::E0415,
                format!("extent `{}` of @{} does not follow from its arguments", s.name, self.f.name),
            )
            .or_span(s.span)
            .help(format!(
                "an entry point is called with tensors alone: some argument needs a plain `{0}` as an extent; without `export` it runs with `--bind {0}=…`",
                s.name
            )));
        }
        Ok(())
    }
    fn check_returns(&self, returns: &[ValueId]) -> Result<()> {
        let want = &self.f.result_types;
        if want.len() != returns.len() {
            return Err(Error::new(
                Code::E0208,
                format!("@{} has {} results, but returns {}", self.f.name, want.len(), returns.len()),
            ));
        }
        let (types, wheres) = self.promises(returns)?;
        let holds = |c: &Constraint| self.facts().prove(c) == Truth::Yes;
        if let Some((i, k, c)) = types.into_iter().find(|p| !holds(&p.2)) {
            let (w, got) = (&want[i], self.f.ty(returns[i]));
            let names = Apart::of(&self.f, w.dims.iter().chain(got.dims.iter()).chain([&c.lhs, &c.rhs]));
            let (x, y) = (names.extent(&c.lhs), names.extent(&c.rhs));
            // What the header calls this extent is another one, where an earlier result has brought it.
            let is = match w.dims.get(k).filter(|d| **d != c.lhs) {
                Some(d) => format!(", where {} is {x}", names.extent(d)),
                None => String::new(),
            };
            let help = match (self.facts().prove(&c), names.alike()) {
                (Truth::No, _) => "write the type that is returned".to_owned(),
                (_, true) => "write the type that is returned, with a name of its own for each extent".to_owned(),
                (_, false) => {
                    format!("add `guard() where {x} == {y}` before `return`, or write the type that is returned")
                }
            };
            let text = format!(
                "result {i} of @{} is {}, but {} is returned (axis {k}){is}",
                self.f.name,
                names.ty(w),
                names.ty(got)
            );
            return Err(names.told(Error::new(Code::E0208, text).operand(i).help(help)));
        }
        if let Some((c, _)) = wheres.into_iter().find(|p| !holds(&p.1)) {
            return Err(Error::new(
                Code::E0409,
                format!("`where {}` of the results is not known to hold at `return`", c.display(&self.f)),
            )
            .help("add the same `guard() where …` before `return`"));
        }
        Ok(())
    }
    /// What the header promises of `returns`, beside what is so by its form: equal extents with result and axis, and
    /// each `where` as it is written and of these values.
    #[expect(clippy::type_complexity, reason = "two lists that two readers take apart")]
    fn promises(
        &self,
        returns: &[ValueId],
    ) -> Result<(Vec<(usize, usize, Constraint)>, Vec<(Constraint, Constraint)>)> {
        let want = &self.f.result_types;
        let mut pack: HashMap<ExistId, Extent> = HashMap::new();
        for (i, (w, &v)) in want.iter().zip(returns).enumerate() {
            let got = self.f.ty(v);
            if w.dtype != got.dtype || w.rank() != got.rank() {
                return Err(Error::new(
                    Code::E0208,
                    format!(
                        "result {i} of @{} is {}, but {} is returned",
                        self.f.name,
                        w.display(&self.f),
                        got.display(&self.f)
                    ),
                )
                .operand(i));
            }
            for (x, y) in w.dims.iter().zip(got.dims.iter()) {
                if let Some(Atom::Exist(r)) = x.as_atom() {
                    pack.entry(r).or_insert_with(|| y.clone());
                }
            }
        }
        let inst = |e: &Extent| e.subst(&|a| if let Atom::Exist(r) = a { pack.get(&r).cloned() } else { None });
        let mut types = vec![];
        for (i, (w, &v)) in want.iter().zip(returns).enumerate() {
            for (k, (x, y)) in w.dims.iter().zip(self.f.ty(v).dims.iter()).enumerate() {
                let x = inst(x)?;
                if x != *y {
                    types.push((i, k, Constraint { lhs: x, op: CmpOp::Eq, rhs: y.clone() }));
                }
            }
        }
        let mut wheres = vec![];
        for c in self.f.wheres.iter().filter(|c| c.lhs.mentions_existential() || c.rhs.mentions_existential()) {
            wheres.push((c.clone(), Constraint { lhs: inst(&c.lhs)?, op: c.op, rhs: inst(&c.rhs)? }));
        }
        Ok((types, wheres))
    }
}
