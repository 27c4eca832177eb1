//! Sample programs of `einsum`: every form of its text.
use super::EINSUM;
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::diag::Result;
use crate::op::NewOp;
use crate::sample::{Domain, Sample, SampleCx};

/// The text, the operands, attributes.
type Case = (&'static str, &'static [&'static [usize]], &'static [(&'static str, Value)]);
enum Value {
    Ints(&'static [i64]),
    Lists(&'static [&'static [usize]]),
    Int(i64),
    Word(&'static str),
}
const CASES: &[Case] = &[
    ("ij,jk->ik", &[&[2, 3], &[3, 4]], &[]),
    ("ij,jk", &[&[2, 3], &[3, 4]], &[("conj", Value::Ints(&[0]))]),
    ("", &[&[]], &[("conj", Value::Ints(&[0]))]),
    ("ij->j", &[&[2, 3]], &[]),
    ("iij->ji", &[&[3, 3, 2]], &[]),
    ("ii->", &[&[3, 3]], &[]),
    ("i->ii", &[&[3]], &[]),
    ("i,j->jij", &[&[3], &[2]], &[]),
    ("bij,bjk->bik", &[&[2, 2, 3], &[2, 3, 4]], &[("conj", Value::Ints(&[1]))]),
    ("...ij,...jk->...ik", &[&[2, 3, 4], &[4, 3]], &[]),
    ("ai,bi,ci->abc", &[&[2, 3], &[3, 3], &[4, 3]], &[("conj", Value::Ints(&[0, 2]))]),
    ("ij,j,jk->ik", &[&[2, 3], &[3], &[3, 2]], &[]),
    ("ij,kl,i->", &[&[2, 3], &[4, 2], &[2]], &[("minimize", Value::Word("size"))]),
    ("ij,jk,kl->li", &[&[2, 3], &[3, 4], &[4, 2]], &[("path", Value::Lists(&[&[1, 2], &[0, 1]]))]),
    ("(0 1,1 2),2 3->0 3", &[&[2, 3], &[3, 4], &[4, 2]], &[("minimize", Value::Word("both"))]),
    ("ij,jk,kl->il", &[&[2, 3], &[3, 4], &[4, 2]], &[("memory_limit", Value::Int(2)), ("conj", Value::Ints(&[1]))]),
    ("ij,jk->ik", &[&[2, 0], &[0, 3]], &[]),
];

pub(super) fn sample(cx: &SampleCx) -> Result<Vec<Sample>> {
    if cx.dtype == DType::Bool {
        return Ok(vec![]);
    }
    let mut out = vec![];
    for (text, shapes, attrs) in CASES {
        let mut a = Attrs::of([("spec", Attr::Str((*text).into()))]);
        for (k, v) in *attrs {
            a.set(
                k,
                match v {
                    Value::Ints(l) => Attr::ints(l),
                    Value::Lists(l) => Attr::int_lists(l),
                    Value::Int(i) => Attr::Int(*i),
                    Value::Word(w) => Attr::word(w),
                },
            );
        }
        let params: Vec<_> = shapes.iter().map(|s| (cx.ty(s), Domain::Any)).collect();
        out.push(cx.op(&params, a, None)?);
    }
    // One value as several operands.
    let x = (cx.ty(&[2, 3]), Domain::Any);
    out.push(cx.program(&[x], |b, x| {
        let spec = Attr::Str("ij,ik->jk".into());
        b.emit(NewOp::new(&EINSUM, &[x[0], x[0]]).attr("spec", spec).attr("conj", Attr::ints(&[0usize])))
    })?);
    Ok(out)
}
