//! A header that follows from the body shows existentials of the body beside its own: no two of them share a name.
use std::sync::Arc;
use tfc_ir::ops::shape::TAKE_PREFIX;
use tfc_ir::*;

#[test]
fn an_existential_of_the_body_that_the_header_shows_keeps_its_name_to_itself() -> Result<()> {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "cut");
    let n = Extent::sym(b.sym("n", Span::default()));
    let x = b.param(Type::new(DType::F64, vec![n]), "x");
    let k = b.param(Type::scalar(DType::I64), "k");
    // The prefix is one longer than the existential, which no axis then shows by itself.
    let short = |b: &mut Builder, name: &str, more: i64| {
        let e = Extent::exist(b.exist(name, Span::default()));
        let len = e.add(&Extent::exact(more))?;
        b.bind_extent(k, e, vec![])?;
        b.assume(Constraint { lhs: len.clone(), op: CmpOp::Le, rhs: b.ty(x).dims[0].clone() });
        b.emit1(NewOp::new(&TAKE_PREFIX, &[x]).attr("axis", Attr::Int(0)).types(vec![Type::new(DType::F64, vec![len])]))
    };
    let hidden = short(&mut b, "s", 1)?;
    let shown = short(&mut b, "r", 0)?;
    let f = b.finish(vec![hidden, shown])?;
    m.add(f);
    let text = print::module(&m);
    assert!(text.contains("-> (f64[?r_2], f64[?r])"), "{text}");
    Ok(())
}
