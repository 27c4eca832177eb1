//! `gather` and `scatter` with random dimension numbers, in every layout and on tensors large enough for threads: the CPU
//! engine gives the interpreter's bits.
use std::sync::Arc;

use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::ops::constant::CONST;
use tfc_ir::ops::index::{GATHER, SCATTER};
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{Attr, Attrs, Builder, DType, Element, Extent, Module, NewOp, OpDef, OpSet, Tensor, Type};

/// A copy with the last axis fastest.
fn rows(t: &Tensor) -> Tensor {
    tfc_ir::with_dtype!(t.dtype(), T => Tensor::from_logical(t.shape(), t.to_logical::<T>().unwrap()).unwrap())
}
/// A view of every other element of a larger tensor, backwards.
fn backwards(t: &Tensor) -> Tensor {
    let wide: Vec<usize> = t.shape().iter().map(|n| 2 * n).collect();
    tfc_ir::with_dtype!(t.dtype(), T => {
        let mut v = vec![T::default(); wide.iter().product()];
        let mut strides = vec![0isize; wide.len()];
        let mut step = 1;
        for a in (0..wide.len()).rev() {
            strides[a] = -2 * step;
            step *= wide[a] as isize;
        }
        let last: isize = t.shape().iter().zip(&strides).map(|(&n, s)| -(n.max(1) as isize - 1) * s).sum();
        for (k, x) in t.to_logical::<T>().unwrap().into_iter().enumerate() {
            let (mut k, mut at) = (k, last);
            for a in (0..wide.len()).rev() {
                at += (k % t.shape()[a]) as isize * strides[a];
                k /= t.shape()[a];
            }
            v[at as usize] = x;
        }
        Tensor::view(T::wrap(Arc::new(v.into())), t.shape().to_vec(), strides, last as usize).unwrap()
    })
}
/// Runs the op by both engines, with one and three threads, on all layouts: the bits are the same.
fn check(def: &'static OpDef, xs: &[Tensor], attrs: &Attrs) {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let ps: Vec<_> = xs.iter().map(|x| b.param(Type::exact(x.dtype(), x.shape()), "x")).collect();
    let ys = b.emit(NewOp::new(def, &ps).attrs(attrs.clone())).unwrap_or_else(|e| panic!("{attrs:?}: {e}"));
    let f = m.add(b.finish(ys).unwrap());
    let want = &Interp::new(&m).run(f, xs, &InterpOptions::default()).unwrap()[0];
    for threads in [1, 3] {
        let exe = Cpu::compile(&m, f, &CompileOptions { threads, ..CompileOptions::default() }).unwrap();
        let layouts: [fn(&Tensor) -> Tensor; 3] = [|t| t.dense().unwrap(), rows, backwards];
        for layout in layouts {
            let args: Vec<Tensor> = xs.iter().map(layout).collect();
            let got = &exe.run(&args, &RunOptions::default()).unwrap()[0];
            let shapes: Vec<_> = xs.iter().map(Tensor::shape).collect();
            assert!(got.same(want), "{} on {} {shapes:?}, {threads} threads, {attrs:?}", def.name, xs[0].dtype());
        }
    }
}

/// Random choices.
struct Choose(Draw);
impl Choose {
    fn below(&mut self, n: usize) -> usize {
        (self.0.bits() % n as u64) as usize
    }
    fn shuffle(&mut self, v: &mut [usize]) {
        (1..v.len()).for_each(|i| v.swap(i, self.below(i + 1)));
    }
    fn tensor(&mut self, dtype: DType, shape: &[usize], domain: Domain) -> Tensor {
        self.0.tensor(&Type::exact(dtype, shape), domain).unwrap()
    }
    /// Indices around the valid ones.
    fn indices(&mut self, shape: &[usize], most: i64) -> Tensor {
        let d = [DType::I32, DType::I64, DType::U32, DType::U64][self.below(4)];
        self.tensor(d, shape, Domain::Ints(if d.is_signed() { -1 } else { 0 }, most))
    }
}
/// One way to index: operand, indices, shape of result or updates, sizes of windows, lists in the order of the row.
struct Case {
    x: Tensor,
    index: Tensor,
    windowed: Vec<usize>,
    sizes: Vec<usize>,
    lists: [Vec<usize>; 5],
    vector: usize,
}
fn case(c: &mut Choose, dtypes: &[DType]) -> Case {
    let rank = 1 + c.below(4);
    let shape: Vec<usize> = (0..rank).map(|_| 1 + c.below(4)).collect();
    let role: Vec<usize> = (0..rank).map(|_| c.below(4)).collect();
    let of = |r: &[usize]| (0..rank).filter(|&a| r.contains(&role[a])).collect::<Vec<_>>();
    let (collapsed, batch, walked) = (of(&[0]), of(&[1]), of(&[2, 3]));
    let mut sizes = vec![1; rank];
    walked.iter().for_each(|&a| sizes[a] = c.below(shape[a] + 1));
    let mut map = of(&[0, 2]);
    c.shuffle(&mut map);
    // Axes of the indices: one for each batch axis of the operand, free ones, then the vector's.
    let free = c.below(3);
    let mut axes: Vec<usize> = (0..batch.len() + free).collect();
    c.shuffle(&mut axes);
    let extent: Vec<usize> = axes.iter().map(|&k| batch.get(k).map_or_else(|| c.below(4), |&a| shape[a])).collect();
    let bare = map.len() == 1 && c.below(2) == 0;
    let vector = if bare { axes.len() } else { c.below(axes.len() + 1) };
    let at = |k: usize| k + usize::from(!bare && k >= vector);
    let pairs = (0..batch.len()).map(|k| at(axes.iter().position(|&q| q == k).unwrap())).collect();
    let mut index = extent.clone();
    if !bare {
        index.insert(vector, map.len());
    }
    // Which axes of the result walk windows.
    let mut places: Vec<usize> = (0..extent.len() + walked.len()).collect();
    c.shuffle(&mut places);
    let mut window = places[..walked.len()].to_vec();
    window.sort_unstable();
    let (mut inner, mut outer) = (walked.iter().map(|&a| sizes[a]), extent.iter().copied());
    let windowed = (0..places.len())
        .map(|a| if window.contains(&a) { inner.next().unwrap() } else { outer.next().unwrap() })
        .collect();
    let dtype = dtypes[c.below(dtypes.len())];
    let x = c.tensor(dtype, &shape, Domain::Any);
    let index = c.indices(&index, 4);
    Case { x, index, windowed, sizes, lists: [window, collapsed, batch, pairs, map], vector }
}
fn attrs(case: &Case, names: [&'static str; 5]) -> Attrs {
    let lists = names.into_iter().zip(&case.lists).map(|(n, l)| (n, Attr::ints(l)));
    Attrs::of(lists.chain([("index_vector_dim", Attr::Int(case.vector as i64))]))
}
fn gathers(case: &Case) {
    let names = [
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    ];
    let sizes: Vec<Extent> = case.sizes.iter().map(|&n| n.into()).collect();
    for bounds in ["clamp", "zero"] {
        let attrs = attrs(case, names).with("slice_sizes", Attr::extents(sizes.clone()));
        check(&GATHER, &[case.x.clone(), case.index.clone()], &attrs.with("out_of_bounds", Attr::word(bounds)));
    }
}
fn scatters(c: &mut Choose, case: &Case, combines: &[&str]) {
    let names = [
        "update_window_dims",
        "inserted_window_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims",
    ];
    let d = case.x.dtype();
    let u = c.tensor(d, &case.windowed, Domain::Any);
    for &combine in combines {
        let takes = match combine {
            "set" => true,
            "add" | "mul" => d != DType::Bool,
            _ => !d.is_complex(),
        };
        for bounds in ["drop", "clamp"].into_iter().filter(|_| takes) {
            let attrs = attrs(case, names).with("combine", Attr::word(combine));
            let attrs = attrs.with("out_of_bounds", Attr::word(bounds));
            check(&SCATTER, &[case.x.clone(), case.index.clone(), u.clone()], &attrs);
        }
    }
}

#[test]
fn random_dimension_numbers() {
    let mut c = Choose(Draw::new(7));
    for _ in 0..150 {
        let one = case(&mut c, &DType::ALL);
        gathers(&one);
        scatters(&mut c, &one, &["set"]);
        // What combines small numbers is widened before.
        let one = case(&mut c, &DType::WIDE);
        scatters(&mut c, &one, &["add", "mul", "min", "max"]);
    }
}
/// Long axes along windows and along indices, with many repeated places.
#[test]
fn large() {
    let mut c = Choose(Draw::new(8));
    let mut one =
        |shape: &[usize], index: &[usize], windowed: &[usize], sizes: &[usize], window: usize, axis: usize| {
            let case = Case {
                x: c.tensor(DType::F64, shape, Domain::Range(-1.0, 1.0)),
                index: c.indices(index, shape[axis] as i64),
                windowed: windowed.to_vec(),
                sizes: sizes.to_vec(),
                lists: [if shape.len() > 1 { vec![window] } else { vec![] }, vec![axis], vec![], vec![], vec![axis]],
                vector: index.len(),
            };
            gathers(&case);
            scatters(&mut c, &case, &["add"]);
        };
    one(&[300, 500], &[400], &[400, 500], &[1, 500], 1, 0);
    one(&[300, 500], &[400], &[300, 400], &[300, 1], 0, 1);
    one(&[5, 70_000], &[2], &[2, 70_000], &[1, 70_000], 1, 0);
    one(&[1000], &[150_000], &[150_000], &[1], 0, 0);
    one(&[1000], &[300, 400], &[300, 400], &[1], 0, 0);
}

/// Windows lie in the result of `gather` as they do in the operand, and in that of `scatter` to one number as in the updates.
#[test]
fn windows_lie_as_they_did() {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    let (real, index) = (|shape: &[usize]| Type::exact(DType::F64, shape), Type::exact(DType::I32, &[3]));
    let (x, i, u) = (b.param(real(&[6, 4]), "x"), b.param(index, "i"), b.param(real(&[3, 4]), "u"));
    let list = |names: [&'static str; 3]| {
        let lists = names.into_iter().zip([[1], [0], [0]]).map(|(n, l)| (n, Attr::ints(&l)));
        Attrs::of(lists.chain([("index_vector_dim", Attr::Int(1))]))
    };
    let attrs = list(["offset_dims", "collapsed_slice_dims", "start_index_map"]);
    let sizes = Attr::extents([1usize.into(), 4usize.into()].into_iter().collect::<Vec<Extent>>());
    let taken = b.emit1(NewOp::new(&GATHER, &[x, i]).attrs(attrs.with("slice_sizes", sizes))).unwrap();
    let zeros = NewOp::new(&CONST, &[]).attr("splat", Attr::Tensor(Tensor::scalar(0.0f64))).types(vec![real(&[6, 4])]);
    let zeros = b.emit1(zeros).unwrap();
    let attrs = list(["update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"]);
    let added = NewOp::new(&SCATTER, &[zeros, i, u]).attrs(attrs.with("combine", Attr::word("add")));
    let added = b.emit1(added).unwrap();
    let f = m.add(b.finish(vec![taken, added]).unwrap());
    let mut c = Choose(Draw::new(9));
    let mut real = |shape: &[usize]| c.tensor(DType::F64, shape, Domain::Range(-1.0, 1.0));
    let (x, u) = (real(&[6, 4]), real(&[3, 4]));
    let i = Tensor::from_logical(&[3], vec![5i32, 0, 5]).unwrap();
    let layouts: [(fn(&Tensor) -> Tensor, _); 2] =
        [(rows, [[4, 1], [4, 1]]), (|t| t.dense().unwrap(), [[1, 3], [1, 6]])];
    for (layout, want) in layouts {
        let exe = Cpu::compile(&m, f, &CompileOptions::default()).unwrap();
        let got = exe.run(&[layout(&x), i.clone(), layout(&u)], &RunOptions::default()).unwrap();
        assert_eq!([got[0].strides(), got[1].strides()], [&want[0][..], &want[1][..]]);
    }
}
