//! The text of kernels, to be read: `INSTA_UPDATE=always cargo test -p tfc-cuda --test text` writes it anew.
use std::sync::Arc;

use tfc_cuda::Cuda;
use tfc_ir::OpSet;

/// The kernels of `@f`, without what all texts begin with.
fn text(program: &str) -> String {
    let ops = Arc::new(OpSet::core());
    let mut m = tfc_frontend::text::parse_module(format!("tfir 1.0\n{program}").as_bytes(), &ops).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("f").unwrap();
    let source = Cuda::of_environment().source(&[(&m, f)], false).unwrap();
    // Copies for slots whose strides ask for them are the same everywhere.
    source.kernels.iter().filter(|k| !k.name.starts_with("copy_")).map(|k| k.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn softmax_in_three_phases() {
    insta::assert_snapshot!(text(
        "export func @f<n, m>(%x: f32[n, m]) -> (y: f32[n, m]) {
           %y: f32[n, m] = softmax(%x, axis = 1)
           return %y
         }"
    ));
}
#[test]
fn a_layer_is_normalised() {
    insta::assert_snapshot!(text(
        "export func @f<n, m>(%x: f32[n, m], %gain: f32[m]) -> (y: f32[n, m]) {
           %sum: f32[n] = reduce_sum(%x, axes = [1])
           %count: i64[] = dim_value(shape[m])
           %number: f32[] = convert(%count)
           %numbers: f32[n] = broadcast_in_dim(%number, dims = [])
           %mean: f32[n] = div(%sum, %numbers)
           %means: f32[n, m] = broadcast_in_dim(%mean, dims = [0])
           %d: f32[n, m] = sub(%x, %means)
           %square: f32[n, m] = mul(%d, %d)
           %squares: f32[n] = reduce_sum(%square, axes = [1])
           %variance: f32[n] = div(%squares, %numbers)
           %r: f32[n] = rsqrt(%variance)
           %rs: f32[n, m] = broadcast_in_dim(%r, dims = [0])
           %scaled: f32[n, m] = mul(%d, %rs)
           %gains: f32[n, m] = broadcast_in_dim(%gain, dims = [1])
           %y: f32[n, m] = mul(%scaled, %gains)
           return %y
         }"
    ));
}
#[test]
fn a_transpose_is_read_by_strides() {
    insta::assert_snapshot!(text(
        "export func @f<n, m>(%a: f64[n, m], %b: f64[m, n]) -> (y: f64[n, m]) {
           %t: f64[n, m] = transpose(%b, perm = [1, 0])
           %y: f64[n, m] = add(%a, %t)
           return %y
         }"
    ));
}
#[test]
fn elementary_functions_are_recorded() {
    let ops = Arc::new(OpSet::core());
    let mut m = tfc_frontend::text::parse_module(
        b"tfir 1.0\nexport func @f<n>(%x: f32[n]) -> (y: f32[n]) {\n  %y: f32[n] = exp(%x)\n  return %y\n}",
        &ops,
    )
    .unwrap()
    .module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("f").unwrap();
    insta::assert_snapshot!(Cuda::of_environment().source(&[(&m, f)], false).unwrap().functions.text());
}
