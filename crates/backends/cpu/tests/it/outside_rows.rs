//! Rows of families from outside: a row is itself, whatever its name. One that has the name of a built-in op, in an op set
//! that holds it instead, gets the kernel that was added for it or none; never the built-in rule, whose addresses rest on
//! types that the row does not have.
use std::sync::Arc;

use tfc_cpu as cpu;
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp as interp;
use tfc_interp::Interp;
use tfc_ir::op::Loops;
use tfc_ir::ops::contract::{DOT_GENERAL, DotDims};
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
    Tensor::from_logical(&[4], vec![1.0, 2.0, 3.0, 4.0]).unwrap()
}
fn ramp(_: &Attrs, args: &[Tensor]) -> Result<Vec<Tensor>> {
    let first = args[0].get::<f64>(&[0]).unwrap();
    Ok(vec![Tensor::from_logical(&[MANY], (0..MANY).map(|i| first + i as f64).collect()).unwrap()])
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
    r.map_or_else(|e: Error| e.data().code.name(), |_| "runs")
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
        Ok(vec![
            Tensor::from_logical(&[4], args[0].to_logical::<f64>().unwrap().iter().map(|x| x + 1.0).collect()).unwrap(),
        ])
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

/// Products by naive sums, column by column; some say when columns are ready.
#[derive(Debug)]
struct Naive {
    joins: bool,
    /// Columns that are ready at once; none are said to be where that is 0.
    step: usize,
    /// Columns that are said to be ready.
    most: usize,
}
impl cpu::Kernel for Naive {
    fn joins(&self, _: &cpu::Site) -> bool {
        self.joins
    }
    fn run(&self, cx: &mut cpu::KernelCx) -> Result<()> {
        let mut o = cx.open::<()>()?;
        let (a, b) = (o.operands[0], o.operands[1]);
        let y = &mut o.results[0];
        let [m, n] = [y.shape()[0], y.shape()[1]];
        for j in 0..n {
            for i in 0..m {
                let term = |k: usize| Some(a.get::<f64>(&[i, k])? * b.get::<f64>(&[k, j])?);
                y.set(&[i, j], (0..a.shape()[1]).filter_map(term).sum::<f64>());
            }
            if self.step > 0 && (j + 1) % self.step == 0 {
                // Said twice, it counts once.
                y.ready((j + 1).min(self.most))?;
                y.ready(j.min(self.most))?;
            }
        }
        Ok(())
    }
}
/// A kernel that takes the region which reads its result has it applied to each element once, when that is ready or afterwards,
/// and to the bits of a step of its own.
#[test]
fn a_kernel_from_outside_takes_the_region_that_reads_its_result() {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let ty = |dims: &[usize]| Type::exact(DType::F64, dims);
    let whole = ty(&[5, 7]);
    let (x, w) = (b.param(ty(&[5, 3]), "x"), b.param(ty(&[3, 7]), "w"));
    let (bias, r) = (b.param(ty(&[7]), "bias"), b.param(whole.clone(), "r"));
    let dims = DotDims { contract: [vec![1], vec![0]], ..DotDims::default() };
    let p = b.dot(x, w, &dims).unwrap();
    let params = [(whole.clone(), "p"), (ty(&[7]), "bias"), (whole.clone(), "r")];
    let body = b
        .region("body", &params, |b, v| {
            let over = b.broadcast(v[1], &whole, &[1])?;
            let h = b.add(v[0], over)?;
            let y = b.sub(h, v[2])?;
            Ok(vec![y, b.mul(y, h)?])
        })
        .unwrap();
    let ys = b.emit(NewOp::new(&fused::FUSED, &[p, bias, r]).regions(vec![body])).unwrap();
    let f = m.add(b.finish(ys).unwrap());
    let numbers = |dims: &[usize], by: usize| {
        let n: usize = dims.iter().product();
        Tensor::from_logical(dims, (0..n).map(|i| ((i * by) % 11) as f64 / 3.0 - 1.5).collect()).unwrap()
    };
    let args = [numbers(&[5, 3], 7), numbers(&[3, 7], 5), numbers(&[7], 3), numbers(&[5, 7], 4)];
    let with =
        |joins, step, most| cpu::Kernels::core().with_kernel(&DOT_GENERAL, move |_| Ok(Naive { joins, step, most }));
    let compiled = |kernels| Cpu::compile(&m, f, &CompileOptions { kernels, ..CompileOptions::default() }).unwrap();
    let apart = compiled(with(false, 0, 0));
    assert!(!apart.describe().contains("on parts of it"), "{}", apart.describe());
    let want = apart.run(&args, &RunOptions::default()).unwrap();
    for (step, most) in [(0, 0), (1, 7), (2, 7), (3, 7), (7, 7), (2, 5), (9, 9), (3, 1)] {
        let exe = compiled(with(true, step, most));
        assert!(exe.describe().contains("on parts of it"), "{}", exe.describe());
        for call in 0..3 {
            let got = exe.run(&args, &RunOptions::default()).unwrap();
            assert!(got.iter().zip(&want).all(|(g, w)| g.same(w)), "{step} {most}, call {call}: {got:?}\n{want:?}");
        }
    }
}
