//! Direct tensors: repetition and promotion by their tables, ops against plain Rust, files.
use tfc_api::prelude::*;

fn rows<R: Rows>(r: R) -> Tensor {
    Tensor::from_rows(r).unwrap()
}
#[track_caller]
fn fails<T>(r: Result<T>, code: &str, words: &str) {
    let e = r.err().expect("an error is expected");
    assert_eq!(e.data().code.name(), code, "{e}");
    assert!(e.to_string().contains(words), "`{words}` is expected: {e}");
}

#[test]
fn dtypes_go_together_as_the_table_says() {
    use DType::*;
    const ORDER: [DType; 9] = [Bool, I32, I64, U32, U64, F32, F64, C32, C64];
    const TABLE: [[DType; 9]; 9] = [
        [Bool, I32, I64, U32, U64, F32, F64, C32, C64],
        [I32, I32, I64, I64, F64, F64, F64, C64, C64],
        [I64, I64, I64, I64, F64, F64, F64, C64, C64],
        [U32, I64, I64, U32, U64, F64, F64, C64, C64],
        [U64, F64, F64, U64, U64, F64, F64, C64, C64],
        [F32, F64, F64, F64, F64, F32, F64, C32, C64],
        [F64, F64, F64, F64, F64, F64, F64, C64, C64],
        [C32, C64, C64, C64, C64, C32, C64, C32, C64],
        [C64; 9],
    ];
    let mut ctx = DirectContext::new();
    for (a, row) in ORDER.into_iter().zip(TABLE) {
        for (b, want) in ORDER.into_iter().zip(row) {
            assert_eq!(promote(a, b), want, "{a} {b}");
            let (x, y) = (Tensor::ones(a, &[2, 1]).unwrap(), Tensor::ones(b, &[3]).unwrap());
            let same = x.eq(&y, &mut ctx).unwrap();
            assert_eq!((same.shape(), same.to_vec::<bool>().unwrap()), (&[2, 3][..], vec![true; 6]), "{a} {b}");
            if want != Bool {
                let sum = x.add(&y, &mut ctx).unwrap();
                assert!(sum.same(&Tensor::full(&[2, 3], 2i32).unwrap().convert(want, &mut ctx).unwrap()), "{a} {b}");
            }
        }
    }
}

#[test]
fn ops_run_at_once() {
    let mut ctx = DirectContext::with_cpu_backend(CpuBackend::new().threads(1));
    let a = rows([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(a.reduce_sum(&[0], &mut ctx).unwrap().to_vec::<f64>().unwrap(), [5.0, 7.0, 9.0]);
    assert_eq!(a.reduce_max(&[0, 1], &mut ctx).unwrap().item(), Some(6.0));
    assert_eq!(a.mean(&[1], &mut ctx).unwrap().to_vec::<f64>().unwrap(), [2.0, 5.0]);
    let product = a.matmul(&a.t(), &mut ctx).unwrap();
    assert_eq!(product.to_vec::<f64>().unwrap(), [14.0, 32.0, 32.0, 77.0]);
    // Further axes repeat, as do integers beside floats.
    let many = a.broadcast([4, 2, 3]).unwrap().matmul(&rows([[1], [0], [2]]), &mut ctx).unwrap();
    assert_eq!((many.shape(), many.to_vec::<f64>().unwrap()), (&[4, 2, 1][..], [7.0, 16.0].repeat(4)));
    let back = a.reverse(&[1]).unwrap().sub(&rows([[1.0], [2.0]]), &mut ctx).unwrap();
    assert_eq!(back.to_vec::<f64>().unwrap(), [2.0, 1.0, 0.0, 4.0, 3.0, 2.0]);
    let joined = a.concat(&[&rows([[7, 8, 9]])], 0, &mut ctx).unwrap();
    assert_eq!(joined.to_vec::<f64>().unwrap(), (1..10).map(f64::from).collect::<Vec<_>>());
    let chosen = a.gt(&rows(3.5), &mut ctx).unwrap().select(&a, &rows([0]), &mut ctx).unwrap();
    assert_eq!(chosen.to_vec::<f64>().unwrap(), [0.0, 0.0, 0.0, 4.0, 5.0, 6.0]);
    assert_eq!(a.scale(0.5, &mut ctx).unwrap().get::<f64>(&[1, 2]), Some(3.0));
    assert_eq!(rows([0.0]).exp(&mut ctx).unwrap().item(), Some(1.0));
    let p = rows([0.0, 0.0]).softmax(0, &mut ctx).unwrap();
    assert_eq!(p.to_vec::<f64>().unwrap(), [0.5, 0.5]);
}

#[test]
fn what_is_wrong_is_said() {
    let mut ctx = DirectContext::new();
    let (a, b) = (rows([1.0, 2.0]), rows([1.0, 2.0, 3.0]));
    fails(a.add(&b, &mut ctx), "E1026", "[2] and [3]");
    fails(a.matmul(&b, &mut ctx), "E0204", "2");
    fails(a.reduce_sum(&[1], &mut ctx), "E0212", &format!("called at {}:{}:", file!(), line!()));
    fails(a.matmul(&rows(1.0), &mut ctx), "E1028", "matrix product");
    fails(rows([1]).scale(0.5, &mut ctx), "E1029", "0.5");
    fails(a.reduce_sum(&[1], &mut ctx), "E0212", "1");
    fails(rows([1]).sin(&mut ctx), "E0203", "i32");
    fails(rows([C64::new(1.0, 1.0)]).convert(DType::F64, &mut ctx), "E0203", "c64");
}

#[test]
fn errors_do_not_stay_in_the_cache() {
    let mut ctx = DirectContext::new();
    let a = rows([[1.0, 2.0], [3.0, 4.0]]);
    fails(a.matmul(&rows([1.0, 2.0, 3.0]), &mut ctx), "E0204", "3");
    assert_eq!(a.matmul(&rows([1.0, 1.0]), &mut ctx).unwrap().to_vec::<f64>().unwrap(), [3.0, 7.0]);
    assert_eq!(ctx.cache_stats().entries, 1);
}

#[test]
fn files_hold_what_was_saved() {
    let dir = std::env::temp_dir().join(format!("tfc-api-files-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let (a, b) = (rows([[1.5, -2.0], [0.0, 4.0]]), rows([1, 2, 3]));
    for name in ["both.npz", "both.safetensors"] {
        let path = dir.join(name);
        save_all(&path, &[("a", &a), ("b", &b)]).unwrap();
        assert!(load_named(&path, "a").unwrap().same(&a) && load_named(&path, "b").unwrap().same(&b));
        fails(Tensor::load(&path), "E0604", "a");
    }
    let path = dir.join("one.npy");
    a.t().save(&path).unwrap();
    assert!(Tensor::load(&path).unwrap().same(&a.t()));
    fails(save_all(&path, &[("a", &a), ("b", &b)]), "E0610", "one array");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn random_tensors_are_those_of_the_command_line() {
    let spec = tfc_frontend::data::Spec::parse("randn:3").unwrap();
    let want = spec.resolve(DType::F64, Some(&[2, 5]), &tfc_ir::Budget::unlimited()).unwrap();
    assert!(Tensor::randn(DType::F64, [2, 5], 3).unwrap().same(&want));
    let u = Tensor::uniform(DType::F32, [1000], 1).unwrap().to_vec::<f32>().unwrap();
    assert!(u.iter().all(|x| (0.0..1.0).contains(x)) && u.iter().any(|x| *x > 0.99));
    fails(Tensor::randn(DType::I64, [2], 1), "E0606", "i64");
}
