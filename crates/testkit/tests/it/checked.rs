//! Safe Rust reaches no engine with a function that nothing has checked: whatever is put together by hand, copied from a
//! function that was, or taken from another module is verified before it is compiled.
use std::sync::Arc;
use tfc_cpu::{CompileOptions, Cpu};
use tfc_ir::ops::elementwise::{ADD, NEG};
use tfc_ir::verify::Checked;
use tfc_ir::{BODY, Builder, CmpOp, Constraint, DType, Error, Extent, Finished, Func, Map, Module, NewOp, OpSet, Type};

fn module(text: &str) -> Module {
    let parsed = tfc_frontend::text::parse_module(format!("tfir 1.0\n{text}").as_bytes(), &Arc::new(OpSet::core()));
    parsed.unwrap_or_else(|d| panic!("{d:?}")).module
}
fn vector(n: i64) -> Type {
    Type::new(DType::F64, [Extent::exact(n)])
}
/// Compiling `f` as a function of `m` gives this error.
#[track_caller]
fn refused(m: &Module, f: impl Into<Finished>, code: &str) {
    let e = Cpu::compile(m, m.add(f), &CompileOptions::default()).expect_err("an error is expected");
    assert_eq!(e.data().code.name(), code, "{e}");
}
/// `neg` of a vector of two.
fn negated(m: &Module) -> Finished {
    let mut b = Builder::new(m, "f");
    let x = b.param(vector(2), "x");
    let y = b.emit(NewOp::new(&NEG, &[x])).unwrap();
    b.finish(y).unwrap()
}

#[test]
fn functions_changed_by_hand() -> Result<(), Error> {
    let m = module("");
    let made = negated(&m);
    assert!(Cpu::compile(&m, m.add(made.clone()), &CompileOptions::default()).is_ok());
    let mut f = Func::clone(&made);
    f.values[1].ty = vector(1000);
    f.result_types[0] = vector(1000);
    refused(&m, f, "E0206");
    let mut b = Builder::new(&m, "g");
    let x = b.param(vector(2), "x");
    let y = b.emit1(NewOp::new(&NEG, &[x]))?;
    b.func_mut().values[x.ix()].ty = vector(1);
    refused(&m, b.finish(vec![y])?, "E0206");
    Ok(())
}
#[test]
fn copies_of_what_is_no_copy() -> Result<(), Error> {
    let m = module("");
    let src = negated(&m);
    // A smaller operand in the place of the one that was checked.
    let mut b = Builder::new(&m, "g");
    let (small, mut map) = (b.param(vector(1), "x"), Map::new());
    map.insert(src.params()[0], small);
    let y = b.copy(&src, src.body().ops[0], &mut map)?;
    refused(&m, b.finish(y.to_vec())?, "E0206");
    // An op of a function that nobody has checked.
    let mut raw = Func::clone(&src);
    raw.values[1].ty = vector(1000);
    let mut b = Builder::new(&m, "h");
    let (x, mut map) = (b.param(vector(2), "x"), Map::new());
    map.insert(raw.params()[0], x);
    let y = b.copy(&raw, raw.body().ops[0], &mut map)?;
    refused(&m, b.finish(y.to_vec())?, "E0206");
    Ok(())
}
#[test]
fn regions_that_an_op_holds_already() -> Result<(), Error> {
    let m = module(
        "func @f(%x: f64[2], %p: bool[]) -> f64[2] {
  %y = cond(%p) {
    then() {
      %a = neg(%x)
      yield %a
    }
    else() {
      yield %x
    }
  }
  return %y
}
",
    );
    let src = m.func(m.find("f").expect("@f"))?;
    let mut b = Builder::new(&m, "g");
    let mut map = Map::new();
    b.copy_header(&src, &mut map)?;
    let y = b.copy(&src, src.body().ops[0], &mut map)?;
    let then = b.func().op(b.func().body().ops[0]).regions[0];
    let late = b.emit1(NewOp::new(&ADD, &[y[0], y[0]]))?;
    // What comes later than the branch is read in it.
    b.set_at(then);
    let z = b.emit1(NewOp::new(&NEG, &[late]))?;
    b.set_yields(then, vec![z]);
    b.set_at(BODY);
    refused(&m, b.finish(y.to_vec())?, "E0303");
    Ok(())
}
/// What only a region's op demands is no fact of a function's body.
#[test]
fn facts_that_nobody_demands() -> Result<(), Error> {
    let m = module("");
    let mut b = Builder::new(&m, "f");
    let n = Extent::sym(b.sym("n", Default::default()));
    let x = b.param(Type::new(DType::F64, [n.clone()]), "x");
    b.region_where(Constraint { lhs: Extent::exact(4), op: CmpOp::Le, rhs: n });
    let y = b.take_prefix(x, 0, &Extent::exact(4))?;
    refused(&m, b.finish(vec![y])?, "E0417");
    Ok(())
}
#[test]
fn functions_of_other_modules() -> Result<(), Error> {
    let text = |n: u32| {
        format!(
            "func @g(%x: f64[{n}]) -> f64[{n}] {{\n  return %x\n}}\nfunc @f(%x: f64[{n}]) -> f64[{n}] {{\n  %y = call(@g, %x)\n  return %y\n}}\n"
        )
    };
    let (one, two) = (module(&text(1)), module(&text(2)));
    let f = two.func(two.find("f").expect("@f"))?;
    refused(&one, (*f).clone(), "E0204");
    // Two forks give the same number to different functions.
    let (m, mut both) = (module(""), vec![]);
    for n in [1, 1000] {
        let fork = m.fork();
        let mut b = Builder::new(&fork, "callee");
        let x = b.param(vector(n), "x");
        let g = fork.add(b.finish(vec![x])?);
        let mut b = Builder::new(&fork, "caller");
        let x = b.param(vector(n), "x");
        let y = b.call(g, None, &[x])?.0;
        let made = b.finish(y)?;
        both.push((fork, made));
    }
    let (_, foreign) = both.pop().expect("two");
    let (fork, own) = both.pop().expect("two");
    assert!(Checked::of(&fork, fork.add(own)).is_ok());
    refused(&fork, foreign, "E0204");
    Ok(())
}
