//! What is trapped, and where it comes from.
use tfc_api::prelude::*;
use tfc_api::trap::find;
use tfc_ir::Budget;

#[test]
fn only_what_is_asked_is_caught() {
    let t = [Tensor::from_logical(&[3], vec![1.0, f64::INFINITY, f64::NAN]).unwrap()];
    let names = ["x".to_owned()];
    let find = |t: &[Tensor], traps: &[Trap]| find(&names, t, traps, &Budget::unlimited()).unwrap();
    assert!(find(&t, &[]).is_none());
    assert!(find(&t, &[Trap::Nan]).unwrap().1.contains("nan (element 2"));
    assert!(find(&t, &[Trap::Nan, Trap::Inf]).unwrap().1.contains("inf (element 1"));
    assert!(find(&[Tensor::scalar(C32::new(0.0, f32::NAN))], &[Trap::Nan]).is_some());
    assert!(find(&[Tensor::scalar(1i64)], &[Trap::Nan]).is_none());
    for dtype in [DType::F16, DType::BF16, DType::F8E5M2] {
        let small = Tensor::from_reals(dtype, &[3], [1.0, f64::INFINITY, f64::NAN]).unwrap();
        assert!(find(&[small], &[Trap::Inf]).unwrap().1.contains("inf (element 1"), "{dtype}");
    }
    // A view that repeats them without end: the place is that in the view.
    let wide = Tensor::view(t[0].data().clone(), vec![1 << 20, 3, 1 << 20], vec![0, 1, 0], 0).unwrap();
    assert!(find(&[wide], &[Trap::Nan]).unwrap().1.contains("(element 2097152 in"));
}

/// The op that makes it, its place, and the input that it came in by; nothing where there is none.
#[test]
fn where_it_comes_from() {
    let text = "tfir 1.1\nexport func @f<n>(%x: f64[n]) -> f64[] {\n  %l = log(%x)\n  %e = exp(%l)\n  return reduce_sum(%l, axes = [0])\n}\n";
    let program = GraphProgram::parse(text).unwrap();
    let given = |x: &[f64]| [Tensor::from_logical(&[x.len()], x.to_vec()).unwrap()];
    assert!(program.explain(&given(&[1.0, 2.0]), &[Trap::Nan]).unwrap().is_none());
    let said = program.explain(&given(&[1.0, -2.0]), &[Trap::Nan]).unwrap().unwrap().to_string();
    assert!(said.contains("E0732") && said.contains("which `log` makes") && said.contains(":3:"), "{said}");
    let said = program.explain(&given(&[f64::NAN]), &[Trap::Nan]).unwrap().unwrap().to_string();
    assert!(said.contains("comes from the input `x`"), "{said}");
    assert!(program.explain(&given(&[0.0]), &[Trap::Nan]).unwrap().is_none());
    assert!(program.explain(&given(&[0.0]), &[Trap::Inf]).unwrap().is_some());
    // Of a derivative: √0 has a slope without a bound, which times 0 is NaN.
    let text = "tfir 1.1\nexport func @f(%x: f64[]) -> f64[] {\n  %s = mul(%x, %x)\n  return sqrt(%s)\n}\n";
    let slope = GraphProgram::parse(text).unwrap().derivative(Derivative::Grad, &[0]).unwrap();
    let said = slope.explain(&[Tensor::scalar(0.0)], &[Trap::Nan]).unwrap().unwrap().to_string();
    assert!(said.contains("makes"), "{said}");
}

/// A program that JAX wrote says where in Python: here, and where a run fails.
#[test]
fn places_in_python() {
    let text = r##"module @jit_f {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.log %arg0 : tensor<2xf32> loc(#loc1)
    return %0 : tensor<2xf32>
  }
}
#loc1 = loc("model.py":7:11)
"##;
    let program =
        GraphProgram::parse_bytes(text.as_bytes(), true, &std::sync::Arc::new(tfc_ir::OpSet::core())).unwrap();
    let given = [Tensor::from_logical(&[2], vec![1.0f32, -1.0]).unwrap()];
    let said = program.explain(&given, &[Trap::Nan]).unwrap().unwrap().to_string();
    assert!(said.contains("which `log` makes") && said.contains("model.py:7:11"), "{said}");
}
