//! Rows that say where the elements of their results come from (`element`) say what they do: on each sample the interpreter's result is
//! made of the elements named.
use tfc_interp::{Interp, RunOptions};
use tfc_ir::op::Moved;
use tfc_ir::sample::SampleCx;
use tfc_ir::{BODY, DType, Func, Module, Op, OpSet, Tensor};

/// Element `index` of a tensor of real numbers.
fn at(t: &Tensor, index: &[usize]) -> f64 {
    let place = t.shape().iter().zip(index).fold(0, |at, (&n, &i)| at * n + i);
    t.to_logical::<f64>().unwrap()[place]
}
#[test]
fn results_are_made_of_the_elements_named() {
    let ops = std::sync::Arc::new(OpSet::core());
    let (mut rows, mut elements) = (0, 0);
    for def in ops.iter() {
        let Some(element) = def.movement.element else { continue };
        rows += 1;
        let m = Module::new(ops.clone());
        for s in (def.sample)(&SampleCx { m: &m, def, dtype: DType::F64 }).unwrap() {
            let f = m.func(s.func).unwrap();
            let args = s.inputs(&m, 3).unwrap();
            let mut found = vec![];
            f.walk(BODY, &mut |o| found.extend((f.op(o).def.name == def.name).then_some(o)));
            let op = f.op(found[0]);
            let exact = op.operands.iter().chain(&op.results).all(|&v| f.ty(v).is_exact());
            if found.len() != 1 || !exact || *f.returns() != *op.results || f.ty(op.results[0]).dtype != DType::F64 {
                continue;
            }
            let operand = |k: usize| f.params().iter().position(|&p| p == op.operands[k]).map(|i| &args[i]);
            let y = Interp::new(&m).run(s.func, &args, &RunOptions::default()).unwrap().remove(0);
            // Values decide where its window is, unless it is a single number: of constants a test of its own asks.
            if def.name.starts_with("dynamic_") && y.rank() > 0 {
                assert_eq!(element(&f, op, &vec![0; y.rank()]), None, "{}", def.name);
                continue;
            }
            for i in 0..y.shape().iter().product() {
                let (mut index, mut rest) = (vec![0; y.shape().len()], i);
                for (o, &n) in index.iter_mut().zip(y.shape()).rev() {
                    (*o, rest) = (rest % n, rest / n);
                }
                let (k, from) =
                    element(&f, op, &index).unwrap_or_else(|| panic!("{}: {index:?} is not said", def.name));
                let Some(x) = operand(k) else { continue };
                elements += 1;
                assert_eq!(at(&y, &index), at(x, &from), "{}: {index:?} from {from:?} of operand {k}", def.name);
            }
        }
    }
    assert!(rows >= 7 && elements > 300, "{rows} rows, {elements} elements");
}
/// Rows that read or write a window where scalars say know the place of constants, which are clamped.
#[test]
fn windows_stand_where_constants_say() {
    let text = "tfir 1.0
func @read(%x: f64[4, 3], %u: f64[2, 2]) -> f64[2, 2] {
  %i = const(1)
  %j = const(5)
  %y = dynamic_slice(%x, %i, %j, sizes = [2, 2])
  return %y
}
func @write(%x: f64[4, 3], %u: f64[2, 2]) -> f64[4, 3] {
  %i: i32[] = const(-7)
  %j: i32[] = const(1)
  %y = dynamic_update_slice(%x, %u, %i, %j)
  return %y
}
func @open(%x: f64[4, 3], %i: i64[]) -> f64[4, 3] {
  %u: f64[1, 1] = const(splat = 1.0)
  %y = dynamic_update_slice(%x, %u, %i, %i)
  return %y
}
";
    let m = tfc_frontend::text::parse_module(text.as_bytes(), &std::sync::Arc::new(OpSet::core())).unwrap().module;
    let numbers = |n: usize, from: f64| (0..n).map(|i| from + i as f64).collect::<Vec<f64>>();
    let args = [
        Tensor::from_logical(&[4, 3], numbers(12, 0.0)).unwrap(),
        Tensor::from_logical(&[2, 2], numbers(4, 100.0)).unwrap(),
    ];
    for name in ["read", "write"] {
        let id = m.find(name).unwrap();
        let f = m.func(id).unwrap();
        let y = Interp::new(&m).run(id, &args, &RunOptions::default()).unwrap().remove(0);
        let op = f.def_op(f.returns()[0]).unwrap();
        let element = op.def.movement.element.unwrap();
        let moved = op.def.movement.moved.map(|moved| moved(&f, op).unwrap());
        assert_eq!(moved.is_some(), name == "write");
        for i in 0..y.shape()[0] {
            for j in 0..y.shape()[1] {
                let (k, place) = element(&f, op, &[i, j]).unwrap();
                assert_eq!(at(&y, &[i, j]), at(&args[k], &place), "{name} {i} {j}");
                if let Some(way) = &moved {
                    assert_eq!(from(way, &f, op, &[i, j]), (k, place), "{name} {i} {j}");
                }
            }
        }
    }
    let f = m.func(m.find("open").unwrap()).unwrap();
    let op = f.def_op(f.returns()[0]).unwrap();
    assert_eq!(op.def.movement.element.unwrap()(&f, op, &[0, 0]), None);
}
/// Where element `index` of the result comes from, as the column `moved` says: operand and index in the operand.
fn from(moved: &Moved, f: &Func, op: &Op, index: &[usize]) -> (usize, Vec<usize>) {
    let shape = |k: usize| f.ty(op.operands[k]).exact_shape().unwrap();
    let mut index = index.to_vec();
    match moved {
        Moved::Window(start) => (0, index.iter().zip(start).map(|(i, s)| i + s).collect()),
        Moved::Joined(axis) => {
            let mut k = 0;
            while index[*axis] >= shape(k)[*axis] {
                index[*axis] -= shape(k)[*axis];
                k += 1;
            }
            (k, index)
        }
        Moved::Surrounded(widths) => {
            let inside = index.iter().zip(widths).zip(shape(0)).all(|((&i, w), n)| i >= w[0] && i < w[0] + n);
            match inside {
                true => (0, index.iter().zip(widths).map(|(i, w)| i - w[0]).collect()),
                false => (1, vec![]),
            }
        }
        Moved::Replaced(start) => {
            let inside = index.iter().zip(start).zip(shape(1)).all(|((&i, &s), n)| (s..s + n).contains(&i));
            match inside {
                true => (1, index.iter().zip(start).map(|(i, s)| i - s).collect()),
                false => (0, index),
            }
        }
    }
}
#[test]
fn rows_that_say_how_they_move_elements_agree_with_where_the_elements_come_from() {
    let ops = std::sync::Arc::new(OpSet::core());
    let mut elements = std::collections::BTreeMap::new();
    for def in ops.iter() {
        let Some(moved) = def.movement.moved else { continue };
        let element =
            def.movement.element.unwrap_or_else(|| panic!("{} says how it moves elements, not where from", def.name));
        let m = Module::new(ops.clone());
        for s in (def.sample)(&SampleCx { m: &m, def, dtype: DType::F64 }).unwrap() {
            let f = m.func(s.func).unwrap();
            f.walk(BODY, &mut |o| {
                let op = f.op(o);
                let exact = op.operands.iter().chain(&op.results).all(|&v| f.ty(v).is_exact());
                let Some(way) = (op.def.is(def) && exact).then(|| moved(&f, op)).flatten() else { return };
                let shape = f.ty(op.results[0]).exact_shape().unwrap();
                for i in 0..shape.iter().product() {
                    let (mut index, mut rest) = (vec![0; shape.len()], i);
                    for (o, &n) in index.iter_mut().zip(&shape).rev() {
                        (*o, rest) = (rest % n, rest / n);
                    }
                    *elements.entry(def.name).or_insert(0) += 1;
                    assert_eq!(Some(from(&way, &f, op, &index)), element(&f, op, &index), "{} at {index:?}", def.name);
                }
            });
        }
    }
    let rows: Vec<_> = elements.keys().copied().collect();
    assert_eq!(rows, ["concat", "dynamic_update_slice", "pad", "slice"]);
    // Windows of `dynamic_update_slice` begin where parameters say, but for scalars: the test above has constants.
    assert!(elements.iter().all(|(&row, &n)| n >= if row == "dynamic_update_slice" { 1 } else { 4 }), "{elements:?}");
}
