//! Making tensors and viewing them: what is refused, and views against elements picked one by one.
use tfc_ir::{C64, DType, Slice, Tensor, TypedTensor};

#[track_caller]
fn fails<T>(r: tfc_ir::Result<T>, code: &str, words: &str) {
    let e = r.err().expect("an error is expected");
    assert_eq!(e.data().code.name(), code, "{e}");
    assert!(e.to_string().contains(words) && e.data().help.is_some(), "`{words}` is expected: {e}");
}
/// Element `[i, j, k]` is `100i + 10j + k`.
fn counted() -> Tensor {
    Tensor::from_fn([2, 3, 4], |i| (100 * i[0] + 10 * i[1] + i[2]) as i64).unwrap()
}

#[test]
fn what_does_not_fit_is_refused() {
    fails(Tensor::from_vec_col_major([2, 2], vec![1.0]), "E1020", "1 elements do not fill");
    fails(Tensor::from_rows([vec![1, 2], vec![3]]), "E1021", "[2, 2]");
    fails(Tensor::arange(0, 1, 0), "E1027", "steps of 0");
    fails(Tensor::arange(0.0, f64::INFINITY, 1.0), "E1027", "inf");
    fails(Tensor::linspace(f64::NAN, 1.0, 3), "E1027", "NaN");
    let t = counted();
    fails(t.slice_axis(3, ..), "E1022", "no axis 3");
    fails(t.slice(&[Slice::ALL; 4]), "E1022", "4 slices");
    fails(t.transpose(&[0, 1, 1]), "E1022", "[0, 1, 1]");
    fails(t.reverse(&[5]), "E1022", "no axis 5");
    fails(t.slice_axis(1, 3usize), "E1023", "3 lies outside axis 1");
    fails(t.slice_axis(1, -4isize), "E1023", "-4 lies outside");
    fails(t.slice_axis(2, 1usize..5), "E1023", "5 lies outside axis 2");
    fails(t.slice_axis(2, Slice::ALL.by(0)), "E1023", "is 0");
    fails(t.reshape([5, 5]), "E1020", "25");
    fails(t.broadcast([3, 4]), "E1026", "[3, 4]");
    fails(t.broadcast([2, 3, 5]), "E1026", "[2, 3, 5]");
    fails(t.t().as_slice::<i64>(), "E1024", "one after the other");
    fails(t.as_slice::<f64>(), "E1025", "the tensor is i64, not f64");
    fails(t.iter::<i32>(), "E1025", "i32");
    fails(TypedTensor::<u32>::try_from(t), "E1025", "u32");
    assert_eq!(Tensor::from_ints(DType::F16, &[1], [1]).unwrap_err().data().code.name(), "E0718");
    assert_eq!(Tensor::from_reals(DType::I8, &[1], [1.0]).unwrap_err().data().code.name(), "E0718");
    assert_eq!(Tensor::from_fn([usize::MAX, 2], |_| 0).unwrap_err().data().code.name(), "E0406");
}

/// A view is made inside its storage or not at all, whatever the numbers are.
#[test]
fn views_lie_in_their_storage() {
    let view = |shape: &[usize], strides: &[isize], offset: usize| {
        Tensor::with_strides(shape, strides.to_vec(), offset, vec![1.0, 2.0, 3.0, 4.0])
    };
    assert_eq!(view(&[2, 2], &[2, -1], 1).unwrap().to_vec::<f64>().unwrap(), [2.0, 1.0, 4.0, 3.0]);
    fails(view(&[2], &[4], 0), "E1034", "leaves its storage of 4 elements");
    fails(view(&[2], &[-1], 0), "E1034", "leaves");
    fails(view(&[], &[], 4), "E1034", "leaves");
    fails(view(&[1], &[1], usize::MAX), "E1034", "leaves");
    fails(view(&[2, 2], &[1], 0), "E1034", "not one an axis");
    let (far, back) = (isize::MAX, isize::MIN);
    for strides in [[far, far], [far, back], [back, back], [1 << 62, -(1 << 62)]] {
        fails(view(&[3, 3], &strides, 0), "E1034", "leaves");
        fails(view(&[1 << 29, 1 << 29], &strides, 0), "E1034", "leaves");
    }
    // Reaches that cancel only where sums wrap.
    fails(view(&[3, 3, 2], &[1 << 62, 1 << 62, 1], 0), "E1034", "leaves");
    assert_eq!(view(&[usize::MAX, 2], &[0, 0], 0).unwrap_err().data().code.name(), "E0406");
    assert_eq!(view(&[usize::MAX, 0], &[0, 0], 0).unwrap_err().data().code.name(), "E0406");
    // What no step leads to may be anywhere.
    let one = view(&[1, 1], &[far, back], 3).unwrap();
    assert_eq!((one.iter::<f64>().unwrap().collect::<Vec<_>>(), one.item()), (vec![4.0], Some(4.0)));
    one.for_each_index(|i| assert_eq!(i, 3));
    assert_eq!(one.slice(&[Slice::ALL.by(far)]).unwrap().to_vec::<f64>().unwrap(), [4.0]);
    let t = counted();
    for perm in [&[0, 0, 1][..], &[0, 1], &[0, 1, 3], &[0, 1, 2, 2], &[]] {
        fails(t.permuted(perm), "E1022", "does not order");
    }
    fails(Tensor::from_logical(&[2], vec![1.0]), "E1020", "1 elements");
    fails(Tensor::from_column_major(&[2], vec![1.0; 3]), "E1020", "3 elements");
}

/// Extents beside a 0 multiply to more than there are numbers for.
#[test]
fn tensors_without_elements_may_be_long() {
    let long = isize::MAX as usize;
    let t = Tensor::zeros(DType::F64, &[long, long, 0]).unwrap();
    assert!(t.is_empty() && t.to_vec::<f64>().unwrap().is_empty() && t.t().dense().unwrap().same(&t.t()));
    assert_eq!(t.to_string(), format!("f64[{long}, {long}, 0] = []"));
    assert_eq!(t.slice(&[Slice::At(-1), Slice::range(5, -7)]).unwrap().shape(), [long - 12, 0]);
    assert_eq!(t.slice_axis(0, Slice::ALL.by(-1)).unwrap().shape(), t.shape());
    assert_eq!(t.reshape([0, long]).unwrap().shape(), [0, long]);
    assert_eq!(t.permuted(&[2, 0, 1]).unwrap().iter::<f64>().unwrap().len(), 0);
    let apart = Tensor::with_strides(&[3, 0], vec![isize::MIN, 7], 100, vec![1.0]).unwrap();
    assert_eq!((apart.offset(), apart.strides()), (0, &[0, 0][..]));
    assert_eq!(apart.to_vec::<f64>().unwrap(), [0.0; 0]);
}

/// A copy that there is no memory for is an error.
#[test]
fn repeated_elements_are_too_many_to_copy() {
    let t = Tensor::zeros(DType::F64, &[1]).unwrap().broadcast([1 << 58]).unwrap();
    assert_eq!(t.to_vec::<f64>().unwrap_err().data().code.name(), "E0705");
    assert_eq!(t.dense().unwrap_err().data().code.name(), "E0705");
    assert!(t.to_logical::<f64>().is_none());
    assert!(t.to_string().starts_with("f64[288230376151711744]"));
}

#[test]
fn ranges_and_constants() {
    assert_eq!(Tensor::arange(0u64, 7, 3).unwrap().to_vec::<u64>().unwrap(), [0, 3, 6]);
    assert_eq!(Tensor::arange(0.0f32, 1.0, 0.25).unwrap().to_vec::<f32>().unwrap(), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(Tensor::arange(3, 3, -1).unwrap().len(), 0);
    assert_eq!(Tensor::arange(i64::MAX - 1, i64::MAX, 5).unwrap().to_vec::<i64>().unwrap(), [i64::MAX - 1]);
    let line = Tensor::linspace(-1.0, 1.0, 5).unwrap();
    assert_eq!(line.to_vec::<f64>().unwrap(), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    assert_eq!(Tensor::linspace(2.0, 3.0, 1).unwrap().to_vec::<f64>().unwrap(), [2.0]);
    assert_eq!(Tensor::linspace(-f64::MAX, f64::MAX, 3).unwrap().get::<f64>(&[1]), Some(0.0));
    let one = C64::new(1.0, 0.0);
    assert_eq!(TypedTensor::<C64>::eye(2).unwrap().to_logical(), [one, C64::default(), C64::default(), one]);
    assert_eq!(Tensor::from_rows([[[1.5f32]]]).unwrap().shape(), [1, 1, 1]);
    assert_eq!(Tensor::from_rows(Vec::<[i32; 3]>::new()).unwrap().shape(), [0, 0]);
    assert_eq!(Tensor::from_rows(2.0).unwrap().rank(), 0);
}

#[test]
fn slices_pick_what_they_say() {
    let t = counted();
    for (axis, n) in [(0usize, 2isize), (1, 3), (2, 4)] {
        for start in 0..=n {
            for stop in 0..=n {
                for step in [-3, -2, -1, 1, 2, 3] {
                    let (a, b) = (start as usize, stop as usize);
                    let got = t.slice_axis(axis, Slice::from(a..b).by(step)).unwrap();
                    let mut want = vec![];
                    let mut i = if step < 0 { start.min(n - 1) } else { start };
                    while if step > 0 { i < stop } else { i > stop } {
                        want.push(i as usize);
                        i += step;
                    }
                    assert_eq!(got.shape()[axis], want.len(), "axis {axis}, {start}..{stop} by {step}");
                    let mut at = 0;
                    let mut index = vec![];
                    got.for_each_index(|_| at += 1);
                    assert_eq!(at, got.len());
                    for (k, &w) in want.iter().enumerate() {
                        index.clear();
                        index.resize(3, 1);
                        let (mut from, mut to) = (index.clone(), index.clone());
                        (from[axis], to[axis]) = (w, k);
                        assert_eq!(got.get::<i64>(&to), t.get::<i64>(&from));
                    }
                }
            }
        }
    }
    let back = t.slice(&[Slice::At(-1), Slice::ALL.by(-2), Slice::range(1, -1)]).unwrap();
    assert_eq!(back.to_vec::<i64>().unwrap(), [121, 122, 101, 102]);
    assert!(back.data().same_storage(t.data()));
    assert_eq!(t.slice_axis(2, 0..=3).unwrap().shape(), [2, 3, 4]);
    assert_eq!(t.slice_axis(2, ..2).unwrap().shape(), [2, 3, 2]);
}

#[test]
fn reshapes_share_storage_where_strides_can_say_it() {
    let t = counted();
    for shape in [&[6, 4][..], &[2, 12], &[24], &[1, 6, 1, 4], &[3, 2, 4], &[2, 3, 2, 2]] {
        let first = t.reshape(shape).unwrap();
        assert!(first.data().same_storage(t.data()), "{shape:?}");
        assert_eq!(first.to_column_major::<i64>(), t.to_column_major::<i64>());
        let last = t.reshape_c(shape).unwrap();
        assert_eq!(last.to_logical::<i64>(), t.to_logical::<i64>());
        assert_eq!((first.shape(), last.shape()), (shape, shape));
    }
    let rows = t.t().dense().unwrap().t();
    assert!(rows.reshape_c([4, 6]).unwrap().data().same_storage(rows.data()));
    // Part of an axis, split; every other element, joined.
    let part = t.slice_axis(2, Slice::ALL.by(2)).unwrap();
    assert!(part.reshape([6, 2]).unwrap().data().same_storage(t.data()));
    let joined = t.slice_axis(0, 0..1usize).unwrap().reshape([12]).unwrap();
    assert!(joined.data().same_storage(t.data()));
    assert_eq!(joined.to_logical::<i64>(), t.slice_axis(0, 0usize).unwrap().to_column_major::<i64>());
    let apart = t.slice_axis(1, 0..2usize).unwrap().reshape([8, 2]).unwrap();
    assert!(!apart.data().same_storage(t.data()));
    assert_eq!(Tensor::zeros(DType::F32, &[0, 3]).unwrap().reshape([5, 0]).unwrap().shape(), [5, 0]);
}

#[test]
fn broadcasts_repeat() {
    let t = Tensor::from_rows([[1, 2, 3]]).unwrap().broadcast([2, 2, 3]).unwrap();
    assert_eq!(t.to_vec::<i32>().unwrap(), [1, 2, 3].repeat(4));
    assert_eq!(t.data().len(), 3);
    assert_eq!(Tensor::scalar(7).broadcast([2]).unwrap().to_vec::<i32>().unwrap(), [7, 7]);
    assert_eq!(Tensor::scalar(7).broadcast([0]).unwrap().len(), 0);
}

#[test]
fn iteration_knows_its_length() {
    let t = counted().t();
    let mut all = t.iter::<i64>().unwrap();
    assert_eq!(all.len(), 24);
    assert_eq!(all.next(), Some(0));
    assert_eq!((all.len(), all.collect::<Vec<_>>()), (23, t.to_logical::<i64>().unwrap()[1..].to_vec()));
}

#[test]
fn values_are_shown_with_their_type() {
    assert_eq!(Tensor::scalar(1.5).to_string(), "f64[] = 1.5");
    assert_eq!(
        format!("{:?}", TypedTensor::from_rows([[true], [false]]).unwrap()),
        "bool[2, 1] =\n  [[ true],\n   [false]]"
    );
}
/// Elements in logical order, whichever axis lies side by side and however long axes are: as the indices say, one by one.
#[test]
fn strided_elements_are_copied_in_order() {
    let shape = [3, 37, 18];
    let dense = Tensor::from_column_major(&shape, (0..3 * 37 * 18).map(f64::from).collect()).unwrap();
    let back = dense.reverse(&[1]).unwrap();
    let part = dense.slice(&[Slice::ALL, Slice::range(1, 36).by(2), Slice::ALL.by(-1)]).unwrap();
    let flat = dense.slice(&[Slice::range(1, 2), Slice::ALL, Slice::ALL]).unwrap();
    let repeated = Tensor::from_column_major(&[37, 1], (0..37).map(f64::from).collect()).unwrap();
    let repeated = repeated.broadcast([2, 37, 19]).unwrap();
    for t in [dense, back, part, flat, repeated] {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let v = t.permuted(&order).unwrap();
            let all = v.storage::<f64>().unwrap();
            let mut want = vec![];
            v.for_each_index(|i| want.push(all[i]));
            assert_eq!(v.to_vec::<f64>().unwrap(), want, "{:?} {:?}", v.shape(), v.strides());
        }
    }
}
