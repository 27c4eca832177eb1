//! Rows of families from outside: a row is itself, whatever its name. One that has the name of a built-in op, in an op set
//! that holds it instead, gets the kernel that was added for it or none; never the built-in rule, whose addresses rest on
//! types that the row does not have.
use std::sync::Arc;

use tfc_backends::cpu::{self, CompileOptions, Cpu, RunOptions};
use tfc_backends::interp::{self, Interp};
use tfc_ir::op::Loops;
use tfc_ir::ops::{elementwise, fused};
use tfc_ir::{
    Attrs, Builder, DType, Error, Family, FuncId, InferCx, Module, NewOp, OpDef, OpSet, Result, ScalarOp, Tensor, Type,
};

/// Elements that the rows promise, of an operand of four.
const MANY: usize = 1000;

fn many(_: &mut InferCx) -> Result<Vec<Type>> {
    Ok(vec![Type::exact(DType::F64, &[MANY])])
}
fn same(cx: &mut InferCx) -> Result<Vec<Type>> {
    Ok(vec![cx.ty(0)?])
}
fn leaked(def: OpDef) -> &'static OpDef {
    Box::leak(Box::new(def))
}
/// A module of these rows alone.
fn module(rows: Vec<&'static OpDef>) -> Module {
    let family: Family = Box::leak(rows.into_boxed_slice());
    Module::new(Arc::new(OpSet::empty().with(family).unwrap()))
}
/// The row on a parameter `f64[4]`.
fn on_four(m: &Module, def: &'static OpDef) -> FuncId {
    let mut b = Builder::new(m, "f");
    let x = b.param(Type::exact(DType::F64, &[4]), "x");
    let xs = vec![x; def.operands.len()];
    let ys = b.emit(NewOp::new(def, &xs)).unwrap();
    m.add(b.finish(ys).unwrap())
}
fn four() -> Tensor {
    Tensor::from_logical(&[4], vec![1.0, 2.0, 3.0, 4.0])
}
fn ramp(_: &Attrs, args: &[Tensor]) -> Result<Vec<Tensor>> {
    let first = args[0].get::<f64>(&[0]).unwrap();
    Ok(vec![Tensor::from_logical(&[MANY], (0..MANY).map(|i| first + i as f64).collect())])
}
fn cpu(m: &Module, f: FuncId, kernels: cpu::Kernels, args: &[Tensor]) -> Result<Vec<Tensor>> {
    let exe = Cpu::compile(m, f, &CompileOptions { kernels, ..CompileOptions::default() })?;
    exe.run(args, &RunOptions::default())?;
    exe.run(args, &RunOptions::default())
}
fn oracle(m: &Module, f: FuncId, kernels: interp::Kernels, args: &[Tensor]) -> Result<Vec<Tensor>> {
    Interp::new(m).with_kernels(kernels).run(f, args, &interp::RunOptions::default())
}
fn code(r: Result<Vec<Tensor>>) -> &'static str {
    r.map_or_else(|e: Error| e.data().code, |_| "runs")
}

#[test]
fn a_row_of_a_built_in_name_gets_its_own_kernel_or_none() {
    let mut rows = 0;
    for built_in in OpSet::core().iter() {
        let def = leaked(OpDef { name: built_in.name, operands: &["x"], infer: many, ..OpDef::BASE });
        let m = module(vec![def]);
        let f = on_four(&m, def);
        assert_eq!(code(cpu(&m, f, cpu::Kernels::core(), &[four()])), "E0801", "cpu, {}", def.name);
        assert_eq!(code(oracle(&m, f, interp::Kernels::core(), &[four()])), "E0801", "interp, {}", def.name);
        let want = ramp(&Attrs::none(), &[four()]).unwrap();
        let got = cpu(&m, f, cpu::Kernels::core().with(def, ramp), &[four()]).unwrap();
        assert!(got[0].same(&want[0]), "cpu, {}", def.name);
        let kernels = interp::Kernels::core().with(def, |cx| ramp(cx.attrs(), cx.args()));
        let got = oracle(&m, f, kernels, &[four()]).unwrap();
        assert!(got[0].same(&want[0]), "interp, {}", def.name);
        rows += 1;
    }
    assert!(rows > 120, "only {rows} rows");
}

#[test]
fn a_row_that_says_it_is_elementwise_has_types_of_one_shape() {
    for (operands, scalar) in [(1, ScalarOp::Neg), (2, ScalarOp::Add), (3, ScalarOp::Neg)] {
        for (infer, alike) in [(many as fn(&mut InferCx) -> Result<Vec<Type>>, false), (same, true)] {
            let def = leaked(OpDef {
                name: "neg",
                operands: &["x", "y", "z"][..operands],
                infer,
                scalar: Some(scalar),
                ..OpDef::BASE
            });
            let m = module(vec![def]);
            let f = on_four(&m, def);
            let fits = scalar.arity() == operands && alike;
            assert_eq!(
                code(cpu(&m, f, cpu::Kernels::core(), &[four()])),
                if fits { "runs" } else { "E0802" },
                "{operands}"
            );
            assert_eq!(code(oracle(&m, f, interp::Kernels::core(), &[four()])) == "runs", fits, "{operands}");
        }
    }
    // A fold of a vector that claims to be a function of one number, among other scalars.
    fn number(_: &mut InferCx) -> Result<Vec<Type>> {
        Ok(vec![Type::scalar(DType::F64)])
    }
    let def =
        leaked(OpDef { name: "tanh", operands: &["x"], infer: number, scalar: Some(ScalarOp::Tanh), ..OpDef::BASE });
    let m = module(vec![def, &elementwise::SIN, &elementwise::COS]);
    let mut b = Builder::new(&m, "f");
    let x = b.param(Type::exact(DType::F64, &[4]), "x");
    let y = b.emit(NewOp::new(def, &[x])).unwrap()[0];
    let s = b.sin(y).unwrap();
    let c = b.cos(s).unwrap();
    let f = m.add(b.finish(vec![c]).unwrap());
    assert_eq!(code(cpu(&m, f, cpu::Kernels::core(), &[four()])), "E0802");
}

/// What a fused region reads as strides, folds and constants are rows as well.
#[test]
fn rows_in_fused_regions_are_themselves() {
    fn one_more(_: &Attrs, args: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![Tensor::from_logical(&[4], args[0].to_logical::<f64>().unwrap().iter().map(|x| x + 1.0).collect())])
    }
    for name in ["transpose", "broadcast_in_dim", "reduce_sum", "const"] {
        let loops = if name == "reduce_sum" { Loops::Fold(ScalarOp::Add) } else { Loops::Own };
        let def = leaked(OpDef { name, operands: &["x"], infer: same, loops, ..OpDef::BASE });
        let m = module(vec![def, &fused::FUSED, &elementwise::MUL]);
        let mut b = Builder::new(&m, "f");
        let ty = Type::exact(DType::F64, &[4]);
        let x = b.param(ty.clone(), "x");
        let body = b
            .region("body", &[(ty.clone(), "p")], |b, p| {
                let y = b.emit(NewOp::new(def, &[p[0]]))?[0];
                Ok(vec![b.mul(y, y)?])
            })
            .unwrap();
        let y = b.emit(NewOp::new(&fused::FUSED, &[x]).regions(vec![body])).unwrap();
        let f = m.add(b.finish(y).unwrap());
        assert_eq!(code(cpu(&m, f, cpu::Kernels::core(), &[four()])), "E0801", "{name}");
        let got = cpu(&m, f, cpu::Kernels::core().with(def, one_more), &[four()]).unwrap();
        assert_eq!(got[0].to_logical::<f64>().unwrap(), [4.0, 9.0, 16.0, 25.0], "{name}");
        let kernels = interp::Kernels::core().with(def, |cx| one_more(cx.attrs(), cx.args()));
        let want = oracle(&m, f, kernels, &[four()]).unwrap();
        assert!(got[0].same(&want[0]), "{name}");
    }
}
