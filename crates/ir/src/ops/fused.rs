//! `fused`: elementwise statements that a backend runs in one pass over memory.
use crate::code::Code;
use crate::diag::{Error, Part, Result};
use crate::func::{Func, OpId};
use crate::infer::InferCx;
use crate::op::*;
use crate::sample::Domain;
use crate::types::Type;

/// `fused`.
pub static FUSED: OpDef = OpDef {
    name: "fused",
    doc: "Runs the statements of `body` together: `fused(%a, …) { body(%x: T, …) {… yield %y, …} }`. The parameters of \
          `body` stand for the operands, the results are what it yields. Made by the pass `fuse`, after derivatives.",
    operands: &["x…"],
    regions: &["body"],
    infer: infer_fused,
    linearize: Linearize::Never("the pass `fuse` runs after derivatives are taken"),
    batch: Batch::Never("the pass `fuse` runs after functions are batched"),
    control: Control { ports: Some(Ports { of: ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }), ..Control::NONE },
    sample: |cx| {
        if !cx.dtype.is_inexact() {
            return Ok(vec![]);
        }
        let ty = cx.ty(&[2, 3]);
        Ok(vec![cx.program(&[(ty.clone(), Domain::Any), (ty.clone(), Domain::Any)], |b, x| {
            let body = b.region("body", &[(ty.clone(), "a"), (ty, "b")], |b, p| {
                let m = b.mul(p[0], p[1])?;
                let s = b.sin(m)?;
                Ok(vec![s, m])
            })?;
            b.emit(NewOp::new(&FUSED, x).regions(vec![body]))
        })?])
    },
    ..OpDef::BASE
};
/// The rows.
pub static FAMILY: Family = &[&FUSED];

fn infer_fused(cx: &mut InferCx) -> Result<Vec<Type>> {
    let (want, got) = (cx.types(), cx.region_params(0));
    if want.len() != got.len() {
        return Err(Error::new(
            Code::E0215,
            format!("`body` has {} parameters, {} are handed to it", got.len(), want.len()),
        )
        .at(Part::Region(0)));
    }
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        cx.agree(g, w, Part::Region(0), &format!("parameter {i} of `body`"))?;
    }
    Ok(cx.region_yields(0))
}
fn ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    let port = |kind| Port { kind, operand: None, params: vec![], yields: vec![], result: None };
    let ins = (0..op.operands.len()).map(|i| Port { operand: Some(i), params: vec![(0, i)], ..port(PortKind::In) });
    let outs = (0..op.results.len()).map(|i| Port { yields: vec![(0, i)], result: Some(i), ..port(PortKind::Out) });
    ins.chain(outs).collect()
}
