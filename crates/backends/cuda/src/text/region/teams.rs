//! Walks of regions that reduce: teams of threads, a kept index each.
use tfc_ir::{DType, Result, ScalarOp};
use tfc_plan::region::body::{Node, Role};
use tfc_plan::region::phases::Part;

use super::super::scalar::{ctype, identity};
use super::write::Writer;
use super::{SCARCE, Walk};

/// A fold of a phase.
struct Fold {
    op: ScalarOp,
    /// Which operand or kept value it is.
    k: u32,
    dtype: DType,
    /// Variable of the reduction.
    name: String,
}
impl Writer<'_, '_> {
    pub(super) fn teams(&mut self) -> Result<()> {
        let site = self.site;
        if self.form.walk == Walk::Parts {
            self.line("const i64 from = blockIdx.y * section, end = from + section;");
            self.line("const i64 to = end < row.count() ? end : row.count();");
        }
        self.open("for (i64 first = team.first(); first < kept.count(); first += team.stride()) {");
        self.line("const bool has = first + team.mine() < kept.count();");
        self.line("const auto at = kept.index(has ? first + team.mine() : first);");
        self.held.clear();
        if let Walk::Once(chunks) = self.form.walk {
            self.line(&format!("const auto i = team.held<{}, {chunks}>(has ? row.count() : 0);", site.pack()));
        }
        for p in &site.cutting.parts {
            match (p.kept, self.form.walk) {
                (true, _) => self.body(p)?,
                (false, Walk::Fold) => self.folded(p)?,
                (false, Walk::Once(chunks)) => self.once(p, chunks)?,
                (false, _) => self.phase(p)?,
            }
            if !p.kept && self.form.walk == Walk::Parts {
                // What follows needs the folds of all parts.
                break;
            }
        }
        self.close();
        Ok(())
    }
    /// Declares what a phase folds.
    fn folds(&mut self, p: &Part) -> Result<Vec<Fold>> {
        let mut folds = vec![];
        for n in &p.region.body {
            let Node::Red(op, o, _) = *n else { continue };
            let k = p.operands[o as usize];
            let dtype = p.region.operands[o as usize].dtype;
            let name = if k >= self.site.first_kept() { self.declare(k) } else { self.variable("s") };
            self.line(&format!("{} {name} = {};", ctype(dtype), identity(op, dtype)?));
            folds.push(Fold { op, k, dtype, name });
        }
        Ok(folds)
    }
    /// A phase along a row, or along a part of it.
    fn phase(&mut self, p: &Part) -> Result<()> {
        let folds = self.folds(p)?;
        self.still(p)?;
        let parts = self.form.walk == Walk::Parts;
        if self.form.reduced <= 1 {
            let n = self.site.pack();
            let (from, to) = if parts { ("from", "has ? to : from") } else { ("0", "has ? row.count() : 0") };
            self.open(&format!("for (auto i = team.chunk<{n}>({from}, {to}); i.more(); i.next()) {{"));
            self.lanes = true;
            self.line("const auto x = row.index(i.at);");
            let (ins, outs) = (self.touched(p, Role::In), self.touched(p, Role::Out));
            let mut all = ins.clone();
            all.extend(outs.iter().filter(|k| !ins.contains(k)));
            self.arrays(&all, n)?;
            ins.iter().try_for_each(|&k| self.moved("read", k))?;
            self.each(n, |w| w.combined(p, &folds))?;
            self.lanes = true;
            outs.iter().try_for_each(|&k| self.moved("write", k))?;
            self.lanes = false;
            self.close();
        } else {
            self.open("for (i64 i = team.lane(); has && i < row.count(); i += team.lanes) {");
            self.line("const auto x = row.index(i);");
            self.combined(p, &folds)?;
            self.close();
        }
        self.joined(folds)
    }
    /// A phase of a row that stays in registers: what is read is read once, what is written is written by the last phase that has
    /// something to say about it.
    fn once(&mut self, p: &Part, chunks: usize) -> Result<()> {
        let (site, n) = (self.site, self.site.pack());
        let folds = self.folds(p)?;
        self.still(p)?;
        let (ins, outs) = (self.touched(p, Role::In), self.touched(p, Role::Out));
        let with = |q: &Part, k: u32| q.operands.contains(&k);
        let only_here = |k: u32| site.phases().filter(|q| with(q, k)).count() == 1;
        let mut fresh: Vec<u32> = ins.iter().chain(&outs).copied().filter(|k| !self.held.contains(k)).collect();
        fresh.sort_unstable();
        fresh.dedup();
        let (passing, held): (Vec<u32>, Vec<u32>) = fresh.iter().partition(|&&k| chunks >= SCARCE && only_here(k));
        self.passing.clone_from(&passing);
        self.arrays(&held, n)?;
        self.held.extend(&held);
        let last = |k: u32| {
            let mut later = site.phases().skip_while(|q| !std::ptr::eq(*q, p)).skip(1);
            !later.any(|q| q.operands.iter().zip(&q.region.operands).any(|(&o, x)| o == k && x.role == Role::Out))
        };
        let read: Vec<u32> = ins.iter().copied().filter(|k| fresh.contains(k)).collect();
        let written: Vec<u32> = outs.iter().copied().filter(|&k| k < site.operands() && last(k)).collect();
        let moved = |w: &mut Self, how: &str, all: &[u32], pass: bool| {
            all.iter().filter(|k| passing.contains(k) == pass).try_for_each(|&k| w.moved(how, k))
        };
        moved(self, "read", &read, false)?;
        self.line("#pragma unroll");
        self.open(&format!("for (int c = 0; c < {chunks}; c++) {{"));
        self.arrays(&passing, n)?;
        moved(self, "read", &read, true)?;
        self.each(n, |w| w.combined(p, &folds))?;
        moved(self, "write", &written, true)?;
        self.close();
        moved(self, "write", &written, false)?;
        self.joined(folds)
    }
    /// A phase that parts have folded: their folds are folded.
    fn folded(&mut self, p: &Part) -> Result<()> {
        let folds = self.folds(p)?;
        self.open("for (i64 p = team.lane(); has && p < parts; p += team.lanes) {");
        for (i, f) in folds.iter().enumerate() {
            let v = self.variable("t");
            let size = f.dtype.size();
            self.line(&format!(
                "const {} {v} = part{i}((p * kept.count() + first + team.mine()) * {size});",
                ctype(f.dtype)
            ));
            let e = self.functions.combine(f.op, &f.name, &v, f.dtype)?;
            self.line(&format!("{} = {e};", f.name));
        }
        self.close();
        self.joined(folds)
    }
    /// Values of a phase, what it stores and what it folds.
    fn combined(&mut self, p: &Part, folds: &[Fold]) -> Result<()> {
        let names = self.nodes(p)?;
        let mut next = folds.iter();
        for n in &p.region.body {
            match *n {
                Node::Store(o, x) => self.store(p, o, &names[x as usize])?,
                Node::Red(_, _, x) => {
                    if let Some(f) = next.next() {
                        let e = self.functions.combine(f.op, &f.name, &names[x as usize], f.dtype)?;
                        self.line(&format!("{} = {e};", f.name));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
    /// What the threads of a team have, folded.
    fn joined(&mut self, folds: Vec<Fold>) -> Result<()> {
        for (i, Fold { op, k, dtype, name }) in folds.into_iter().enumerate() {
            let t = ctype(dtype);
            let e = self.functions.combine(op, "a", "b", dtype)?;
            self.line(&format!("{name} = fold_team({name}, team, []({t} a, {t} b) {{ return {e}; }});"));
            if self.form.walk == Walk::Parts {
                let size = dtype.size();
                self.line(&format!(
                    "if (has && team.lane() == 0) part{i}((blockIdx.y * kept.count() + first + team.mine()) * {size}) = {name};"
                ));
            } else if k < self.site.operands() {
                self.store_kept(k, &name);
            }
        }
        Ok(())
    }
}
