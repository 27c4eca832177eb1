//! A row is complete: documented, sampled, with a reason for whatever it lacks; what its samples are prints, reads back,
//! verifies, and is compiled by every backend.
use std::collections::BTreeSet;

use tfc_ir::op::{Batch, Expand, Law, Linearize};
use tfc_ir::sample::Sample;
use tfc_ir::{Module, OpDef, print, verify};

use crate::context::{Checked, Cx, Found, compile, listed, lowered};

pub(crate) fn sweep(cx: &Cx, def: &'static OpDef, found: &mut Found) {
    reasons(def, found);
    let mut samples = 0;
    for dtype in tfc_ir::sample::DTYPES {
        let (m, list) = cx.samples_or_fault(def, dtype, found);
        samples += list.len();
        if !list.is_empty() {
            let name = |f: String| format!("{dtype}: {f}");
            of_samples(cx, &m, &list).into_iter().for_each(|f| found.fault(name(f)));
        }
    }
    found.cases += samples;
    match (samples, listed(cx.exceptions.no_sample, def)) {
        (0, false) => found.fault("no sample for any dtype"),
        (1.., true) => found.fault("it is listed as a row without a sample, and has some"),
        _ => {}
    }
}
/// What a row does not have, it has a reason for.
fn reasons(def: &OpDef, found: &mut Found) {
    if def.doc.is_empty() {
        found.fault("no documentation");
    }
    let expands = matches!(def.expand, Expand::Composite(_) | Expand::Derivative(_));
    if matches!(def.linearize, Linearize::Never("no rule is written")) && !expands {
        found.fault("no derivative and no reason");
    }
    match def.batch {
        Batch::Never(why) if why.is_empty() || why == Batch::UNWRITTEN => {
            found.fault("no rule for many indices and no reason");
        }
        Batch::Expand if !expands => found.fault("it is batched by an expansion that it does not have"),
        _ => {}
    }
    if matches!(def.law, Law::None("")) {
        found.fault("no law and no reason");
    }
}
/// What is wrong with the samples of one dtype, each fault once.
fn of_samples(cx: &Cx, m: &Module, list: &[Sample]) -> BTreeSet<String> {
    let mut faults = BTreeSet::new();
    for s in list {
        let Ok(f) = m.func(s.func) else {
            faults.insert("a sample's function is not in the module".into());
            continue;
        };
        if f.params().len() != s.domains.len() {
            faults.insert(format!("{} domains for {} parameters", s.domains.len(), f.params().len()));
        }
        if f.params().iter().any(|&p| !f.ty(p).is_exact()) {
            faults.insert("a parameter of a sample has an extent that is no number".into());
        } else if let Err(e) = s.inputs(m, 7) {
            faults.insert(format!("its inputs cannot be drawn: {e}"));
        }
    }
    for (f, e) in verify::module(m) {
        faults.insert(format!("@{} does not verify: {e}", f.name));
    }
    faults.extend(reads_back(cx, m).err());
    match lowered(m, 0) {
        Ok(plain) => faults.extend(list.iter().flat_map(|s| compiled(cx, &plain, s))),
        Err(e) => drop(faults.insert(e)),
    }
    faults
}
/// What a module prints is read as a module that prints the same.
pub(crate) fn reads_back(cx: &Cx, m: &Module) -> Checked {
    let text = print::module(m);
    match tfc_frontend::text::parse_module(text.as_bytes(), &cx.ops) {
        Ok(p) if print::module(&p.module) == text => Ok(()),
        Ok(p) => Err(format!("reads back as something else:\n{text}\n{}", print::module(&p.module))),
        Err(d) => {
            let first = d.first().map(ToString::to_string).unwrap_or_default();
            Err(format!("does not read back: {first}\n{text}"))
        }
    }
}
/// What backends say against a sample.
fn compiled(cx: &Cx, m: &Module, s: &Sample) -> Vec<String> {
    let mut faults = vec![];
    for b in cx.kernels.backends() {
        match compile(&*b, m, s.func, 1) {
            Ok(_) if b.runs(m, s.func) => {}
            Ok(_) => faults.push(format!("{} has no kernel for an op of it", b.name())),
            Err(e) => faults.push(e),
        }
    }
    faults
}
