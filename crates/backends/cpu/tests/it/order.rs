//! Running reductions and sorting on tensors large enough for threads, panels and radix passes: the CPU engine gives the
//! same bits for any number of threads, and the interpreter's numbers.
use std::sync::Arc;

use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::ops::order;
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{Attr, Builder, DType, Module, NewOp, OpDef, OpSet, Tensor, Type};

/// A copy with the last axis fastest.
fn rows(t: &Tensor) -> Tensor {
    tfc_ir::with_dtype!(t.dtype(), T => Tensor::from_logical(t.shape(), t.to_logical::<T>().unwrap()).unwrap())
}
fn reals(t: &Tensor) -> Vec<f64> {
    match t.dtype() {
        DType::F32 => t.to_logical::<f32>().unwrap().into_iter().map(f64::from).collect(),
        _ => t.to_logical::<f64>().unwrap(),
    }
}
/// Runs the op with these attributes on `xs` in both layouts with one and three threads; all results have the same bits
/// in all of them.
fn on_cpu(def: &'static OpDef, xs: &[Tensor], attrs: &[(&'static str, Attr)]) -> (Vec<Tensor>, Vec<Tensor>) {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let ps: Vec<_> = xs.iter().map(|x| b.param(Type::exact(x.dtype(), x.shape()), "x")).collect();
    let mut op = NewOp::new(def, &ps);
    attrs.iter().for_each(|(k, a)| op.attrs.set(k, a.clone()));
    let ys = b.emit(op).unwrap();
    let f = m.add(b.finish(ys).unwrap());
    let mut first: Option<Vec<Tensor>> = None;
    for threads in [1, 3] {
        let exe = Cpu::compile(&m, f, &CompileOptions { threads, ..CompileOptions::default() }).unwrap();
        for args in [xs.iter().map(|t| t.dense().unwrap()).collect::<Vec<_>>(), xs.iter().map(rows).collect()] {
            let got = exe.run(&args, &RunOptions::default()).unwrap();
            match &first {
                None => first = Some(got),
                Some(want) => {
                    let same = got.iter().zip(want).all(|(g, w)| g.same(w));
                    assert!(same, "{} of {:?}: {threads} threads or the layout change bits", def.name, xs[0].shape());
                }
            }
        }
    }
    (first.unwrap(), Interp::new(&m).run(f, xs, &InterpOptions::default()).unwrap())
}

#[test]
fn running_reductions() {
    let rows = [&order::CUMSUM, &order::CUMPROD, &order::CUMMAX, &order::CUMMIN, &order::CUMLOGSUMEXP];
    let mut count = 0;
    for (k, def) in rows.into_iter().enumerate() {
        for dtype in [DType::F32, DType::F64] {
            for (shape, axis) in [(&[300, 400][..], 0), (&[300, 400], 1), (&[7, 100, 130], 1), (&[100_000], 0)] {
                let mut draw = Draw::new(k as u64);
                let x = draw.tensor(&Type::exact(dtype, shape), Domain::Range(-1.0, 1.0)).unwrap();
                for reverse in [false, true] {
                    let attrs = [("axis", Attr::Int(axis)), ("reverse", Attr::Bool(reverse))];
                    let (got, want) = on_cpu(def, std::slice::from_ref(&x), &attrs);
                    let tolerance = if dtype == DType::F32 { 1e-5 } else { 1e-12 };
                    for (g, w) in reals(&got[0]).into_iter().zip(reals(&want[0])) {
                        assert!((g - w).abs() <= tolerance * (1.0 + w.abs()), "{} {shape:?}: {g}, {w}", def.name);
                    }
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 80);
}

/// A tensor with many ties and, where floating, zeros of both signs and NaN.
fn keys(dtype: DType, shape: &[usize], draw: &mut Draw) -> Tensor {
    let special = [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY];
    let n: usize = shape.iter().product();
    let mut floats = |_| match draw.bits() % 8 {
        i @ 0..5 => special[i as usize],
        _ => (draw.unit() - 0.5) * 1e3,
    };
    match dtype {
        DType::F32 => Tensor::from_logical(shape, (0..n).map(|i| floats(i) as f32).collect()).unwrap(),
        DType::F64 => Tensor::from_logical(shape, (0..n).map(floats).collect()).unwrap(),
        _ => draw.tensor(&Type::exact(dtype, shape), Domain::Ints(0, 50)).unwrap(),
    }
}
#[test]
fn sorting() {
    let dtypes = [DType::Bool, DType::I32, DType::I64, DType::U32, DType::U64, DType::F32, DType::F64];
    for (k, dtype) in dtypes.into_iter().enumerate() {
        for (shape, axis) in [(&[40, 300][..], 0), (&[40, 300], 1), (&[2500], 0), (&[3, 70, 50], 1)] {
            let mut draw = Draw::new(k as u64);
            let x = keys(dtype, shape, &mut draw);
            let y = draw.tensor(&Type::exact(DType::C64, shape), Domain::Any).unwrap();
            let z = keys(DType::F64, shape, &mut draw);
            let axis = ("axis", Attr::Int(axis));
            for (xs, keys) in [(vec![x.clone()], 1), (vec![x.clone(), y.clone()], 1), (vec![x, z, y], 2)] {
                let attrs = [axis.clone(), ("keys", Attr::Int(keys))];
                let (got, want) = on_cpu(&order::SORT, &xs, &attrs);
                let same = got.iter().zip(&want).all(|(g, w)| g.same(w));
                assert!(same, "{dtype} {shape:?}, {} operands: another order than the interpreter's", xs.len());
            }
        }
    }
}
/// Large integers of every sign: all bytes of the keys count.
#[test]
fn sorting_all_bits() {
    let mut draw = Draw::new(3);
    let bits: Vec<u64> = (0..20_000).map(|_| draw.bits()).collect();
    let mut want: Vec<i64> = bits.iter().map(|&b| b as i64).collect();
    let signed = Tensor::from_logical(&[20_000], want.clone()).unwrap();
    want.sort_unstable();
    let (got, _) = on_cpu(&order::SORT, &[signed], &[]);
    assert!(got[0].same(&Tensor::from_logical(&[20_000], want).unwrap()));
    let floats: Vec<f64> = bits.iter().map(|&b| f64::from_bits(b)).collect();
    let mut want: Vec<f64> = floats.iter().copied().filter(|x| !x.is_nan()).collect();
    want.sort_unstable_by(f64::total_cmp);
    want.resize(floats.len(), f64::NAN);
    let (got, _) = on_cpu(&order::SORT, &[Tensor::from_logical(&[20_000], floats).unwrap()], &[]);
    assert!(got[0].same(&Tensor::from_logical(&[20_000], want).unwrap()));
}
/// Keys whose high halves are often equal, with a payload: the low halves decide, then the place.
#[test]
fn sorting_by_low_bits() {
    let mut draw = Draw::new(4);
    let n = 20_000;
    for (high, low) in [(3, u64::MAX >> 34), (1, 15), (1 << 20, u64::MAX >> 30), (u64::MAX, 0)] {
        let keys: Vec<u64> = (0..n).map(|_| (draw.bits() & high) << 40 | (draw.bits() & low)).collect();
        let mut want: Vec<i64> = (0..n).collect();
        want.sort_by_key(|&i| keys[i as usize]);
        let places = Tensor::from_logical(&[n as usize], (0..n).collect()).unwrap();
        let (got, _) = on_cpu(&order::SORT, &[Tensor::from_logical(&[n as usize], keys).unwrap(), places], &[]);
        assert!(got[1].same(&Tensor::from_logical(&[n as usize], want).unwrap()), "{high:x} {low:x}");
    }
}
