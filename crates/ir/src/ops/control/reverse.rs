//! The transpose of a linear `scan`: carries run backwards; cotangents of captured values are summed in extra carries;
//! non-linear slices are read again.
use super::loops::ScanDims;
use crate::derive::Transposer;
use crate::diag::{Error, Result};
use crate::func::{OpId, ValueId};

pub(super) fn tr_scan(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let d = ScanDims::of(&src, &op)?;
    let (k, body) = (d.carry, src.region(op.regions[0]));
    if body.params[..k].iter().any(|&p| !cx.linear(p)) {
        return Err(Error::new("E0505", "this scan mixes linear and non-linear carries")
            .help("linearize the function first: that separates them"));
    }
    let caps = cx.linear_captures(op.regions[0]);
    let (mut operands, mut cut) = (vec![], vec![]);
    for i in 0..k {
        operands.push(cx.or_zero(ct[i], op.results[i])?);
    }
    for &v in &caps {
        operands.push(cx.or_zero(None, v)?);
    }
    let collected: Vec<_> = (k..op.results.len()).filter(|&i| cx.linear(op.results[i]) && ct[i].is_some()).collect();
    for &i in &collected {
        operands.push(cx.or_zero(ct[i], op.results[i])?);
        cut.push(d.stack[i - k]);
    }
    let fixed: Vec<_> = (k..op.operands.len()).filter(|&i| !cx.linear(op.operands[i])).collect();
    for &i in &fixed {
        operands.push(cx.val(op.operands[i])?);
        cut.push(d.cut[i - k]);
    }
    let length = cx.extent(&d.length)?;

    let opened = cx.b.open(&body.label);
    let mut cts: Vec<Option<ValueId>> = vec![];
    for (&y, &p) in body.yields[..k].iter().zip(&body.params) {
        let ty = cx.ty(y)?;
        let name = src.value(p).name.replacen("d_", "ct_", 1);
        cts.push(Some(cx.b.param(ty, &name)));
    }
    let mut sums = vec![];
    for &v in &caps {
        let ty = cx.ty(v)?;
        sums.push(cx.b.param(ty, "sum"));
    }
    for i in k..op.results.len() {
        cts.push(if collected.contains(&i) {
            let ty = cx.ty(body.yields[i])?;
            Some(cx.b.param(ty, "ct"))
        } else {
            None
        });
    }
    for &i in &fixed {
        let p = body.params[i];
        let ty = cx.ty(p)?;
        let q = cx.b.param(ty, &src.value(p).name);
        cx.bind(p, q);
    }
    let (ps, inner) = cx.region(op.regions[0], &cts)?;
    let mut ys = vec![];
    for i in 0..k {
        ys.push(cx.or_zero(ps[i], body.params[i])?);
    }
    for (sum, c) in sums.into_iter().zip(inner) {
        ys.push(match c {
            Some(c) => cx.b.add(sum, c)?,
            None => sum,
        });
    }
    let mut stack = vec![];
    for i in k..op.operands.len() {
        if cx.linear(body.params[i]) {
            ys.push(cx.or_zero(ps[i], body.params[i])?);
            stack.push(d.cut[i - k]);
        }
    }
    let region = cx.b.close(opened, ys);
    let rd = ScanDims { carry: k + caps.len(), length, cut, stack, reverse: !d.reverse };
    let rs = cx.b.scan(&operands, &rd, region)?;
    for (i, &v) in caps.iter().enumerate() {
        cx.accumulate(v, rs[k + i])?;
    }
    let mut stacked = rs[k + caps.len()..].iter();
    Ok((0..op.operands.len())
        .map(|i| {
            if i < k {
                Some(rs[i])
            } else if cx.linear(body.params[i]) {
                stacked.next().copied()
            } else {
                None
            }
        })
        .collect())
}
