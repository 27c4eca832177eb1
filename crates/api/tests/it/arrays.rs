//! Arrays of other crates: elements stay where they are.
#![cfg(any(feature = "ndarray", feature = "faer"))]
use tfc_api::prelude::*;

fn counted() -> Tensor {
    Tensor::from_fn([2, 3, 4], |i| (100 * i[0] + 10 * i[1] + i[2]) as f64).unwrap()
}

#[cfg(feature = "ndarray")]
#[test]
fn views_of_ndarray_share_memory() {
    let t = counted();
    let views = [
        t.clone(),
        t.t(),
        t.reverse(&[0, 2]).unwrap(),
        t.slice(&[Slice::At(1), Slice::ALL.by(-2), (1..).into()]).unwrap(),
        t.slice_axis(1, 1..1usize).unwrap(),
        Tensor::scalar(3.0).broadcast([2, 5]).unwrap(),
    ];
    for v in views {
        let a = v.view_nd::<f64>().unwrap();
        assert_eq!(a.shape(), v.shape());
        assert_eq!(a.iter().copied().collect::<Vec<_>>(), v.to_vec::<f64>().unwrap());
        let memory = v.storage::<f64>().unwrap().as_ptr_range();
        assert!(a.iter().all(|x| memory.contains(&std::ptr::from_ref(x))));
    }
    assert_eq!(t.view_nd::<f32>().unwrap_err().data().code.name(), "E1025");
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_of_ndarray_are_taken_as_they_are() {
    use ndarray::{Array, Axis, IxDyn, ShapeBuilder};
    let mut a = Array::from_shape_fn(IxDyn(&[2, 3, 4]).f(), |i| i[0] * 12 + i[1] * 4 + i[2]).mapv(|x| x as u64);
    a.invert_axis(Axis(1));
    a.swap_axes(0, 2);
    let (at, want) = (a.iter().next().map(std::ptr::from_ref), a.iter().copied().collect::<Vec<_>>());
    let t = from_array(a).unwrap();
    assert_eq!((t.shape(), t.to_vec::<u64>().unwrap()), (&[4, 3, 2][..], want));
    assert_eq!(t.storage::<u64>().unwrap().get(t.offset()).map(std::ptr::from_ref), at);
    assert_eq!(from_array(Array::<i32, _>::zeros(IxDyn(&[0, 2]))).unwrap().shape(), [0, 2]);
}

#[cfg(feature = "faer")]
#[test]
fn views_of_faer_share_memory() {
    let t = counted();
    for v in [t.slice_axis(0, 1usize).unwrap(), t.slice_axis(2, -1isize).unwrap().t().reverse(&[1]).unwrap()] {
        let m = v.view_mat::<f64>().unwrap();
        assert_eq!((m.nrows(), m.ncols()), (v.shape()[0], v.shape()[1]));
        let memory = v.storage::<f64>().unwrap().as_ptr_range();
        for i in 0..m.nrows() {
            for j in 0..m.ncols() {
                assert_eq!(Some(m[(i, j)]), v.get(&[i, j]));
                assert!(memory.contains(&std::ptr::from_ref(&m[(i, j)])));
            }
        }
        assert!(from_mat(m).unwrap().same(&v));
    }
    assert_eq!(t.view_mat::<f64>().unwrap_err().data().code.name(), "E1022");
    let row = t.slice(&[Slice::At(0), Slice::At(0)]).unwrap().reshape([1, 4]).unwrap();
    assert_eq!(row.view_mat::<f32>().unwrap_err().data().code.name(), "E1025");
}

#[cfg(feature = "faer")]
#[test]
fn matrices_of_faer_are_taken_as_they_are() {
    use faer::Mat;
    let taken = |rows: usize, columns: usize| {
        let m = Mat::from_fn(rows, columns, |i, j| (100 * i + j) as f64);
        let (at, stride) = (m.as_ptr(), m.col_stride());
        let t = from_owned_mat(m).unwrap();
        assert_eq!(t.shape(), [rows, columns]);
        for i in 0..rows {
            for j in 0..columns {
                assert_eq!(t.get::<f64>(&[i, j]), Some((100 * i + j) as f64));
            }
        }
        let stays = t.storage::<f64>().unwrap().as_ptr() == at;
        assert_eq!(stays, rows * columns > 0 && (columns == 1 || stride == rows as isize), "{rows} {columns}");
        // Storage of others is not written: an op that could reuse it makes its own.
        let sum = from_owned_mat(Mat::from_fn(rows, columns, |_, _| 1.0)).unwrap();
        let both = t.clone().add(&sum, &mut DirectContext::new()).unwrap();
        assert_eq!((t.get::<f64>(&[0, 0]).map(|x| x + 1.0)), both.get::<f64>(&[0, 0]));
        stays
    };
    assert!(taken(16, 5) && taken(64, 64) && taken(3, 1));
    assert!(!taken(3, 2) && !taken(0, 4) && !taken(4, 0));
}
