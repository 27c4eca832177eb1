//! Factorisations on both engines: the same bits for any number of threads and any layout of the operand, at sizes on
//! both sides of the library's thresholds, and in the scratch memory that was asked for.
use std::sync::Arc;

use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::ops::linalg::{EIGH, QR, QR_PIVOTED, SVD, TRIANGULAR_SOLVE};
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{Builder, DType, FuncId, Module, NewOp, OpDef, OpSet, Tensor, Type};

fn program(m: &Module, def: &'static OpDef, operands: &[Type]) -> FuncId {
    let mut b = Builder::new(m, def.name);
    let xs: Vec<_> = operands.iter().map(|t| b.param(t.clone(), "x")).collect();
    let ys = b.emit(NewOp::new(def, &xs)).unwrap();
    m.add(b.finish(ys).unwrap())
}
fn run(m: &Module, f: FuncId, args: &[Tensor], threads: usize) -> Vec<Tensor> {
    let options = CompileOptions { threads, ..CompileOptions::default() };
    let exe = Cpu::compile(m, f, &options).unwrap();
    exe.run(args, &RunOptions::default()).unwrap()
}

#[test]
fn engines_layouts_and_threads_agree_to_the_bit() {
    let rows = [(&SVD, false), (&QR, false), (&QR_PIVOTED, false), (&EIGH, true), (&TRIANGULAR_SOLVE, true)];
    let shapes: &[&[usize]] = &[&[9, 6, 40], &[6, 9, 5, 3], &[7, 7, 30], &[140, 135], &[133, 20], &[20, 133], &[1, 1]];
    let mut count = 0;
    for (def, square) in rows {
        for dtype in [DType::F32, DType::F64, DType::C32, DType::C64] {
            for shape in shapes {
                let mut shape = shape.to_vec();
                if square {
                    shape[1] = shape[0];
                }
                let ty = Type::exact(dtype, &shape);
                let operands = vec![ty.clone(); def.operands.len()];
                let m = Module::new(Arc::new(OpSet::core()));
                let f = program(&m, def, &operands);
                let mut draw = Draw::new(7);
                // Last axis fastest; then first axis fastest.
                let rows: Vec<Tensor> = operands.iter().map(|t| draw.tensor(t, Domain::Any).unwrap()).collect();
                let columns: Vec<Tensor> = rows.iter().map(|t| t.dense().unwrap()).collect();
                let want = Interp::new(&m).run(f, &rows, &InterpOptions::default()).unwrap();
                for got in [run(&m, f, &rows, 1), run(&m, f, &rows, 4), run(&m, f, &columns, 3)] {
                    assert_eq!(got.len(), want.len());
                    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
                        assert!(g.same(w), "{} on {dtype}{shape:?}, result {i}", def.name);
                        count += 1;
                    }
                }
            }
        }
    }
    assert_eq!(count, (3 + 2 + 3 + 2 + 1) * 4 * 7 * 3);
}

/// A plan serves the next call in the memory of the last, also where one was refused.
#[test]
fn a_plan_survives_a_failed_matrix() {
    let m = Module::new(Arc::new(OpSet::core()));
    let f = program(&m, &SVD, &[Type::exact(DType::F64, &[2, 2, 3])]);
    let exe = Cpu::compile(&m, f, &CompileOptions::default()).unwrap();
    let mut list: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
    let good = Tensor::from_logical(&[2, 2, 3], list.clone()).unwrap();
    let first = exe.run(std::slice::from_ref(&good), &RunOptions::default()).unwrap();
    list[4] = f64::NAN;
    let bad = Tensor::from_logical(&[2, 2, 3], list).unwrap();
    let e = exe.run(&[bad], &RunOptions::default()).unwrap_err();
    assert_eq!(e.data().code.name(), "E0740");
    assert!(e.to_string().contains("[1]"), "{e}");
    let again = exe.run(&[good], &RunOptions::default()).unwrap();
    assert!(first.iter().zip(&again).all(|(a, b)| a.same(b)));
}
