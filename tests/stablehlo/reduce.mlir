// Reductions in the short and the long form, sorting, gathering, scattering, linear systems.
#row = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
module {
  func.func @main() {
    %x = stablehlo.constant dense<[[3.0, 1.0, 2.0], [0.5, 4.0, 4.0]]> : tensor<2x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ten = stablehlo.constant dense<10.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    check.expect_eq_const %0, dense<[6.0, 8.5]> : tensor<2xf32>
    // An initial value that is not the identity is combined in.
    %1 = stablehlo.reduce(%x init: %ten) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    check.expect_eq_const %1, dense<24.5> : tensor<f32>
    %2 = "stablehlo.reduce"(%x, %least) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %b, %a : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    check.expect_eq_const %2, dense<[3.0, 4.0, 4.0]> : tensor<3xf32>
    // The greatest and its place, as JAX writes them.
    %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = stablehlo.reduce(%x init: %least), (%i init: %c) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %p = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %q = stablehlo.or %p, %n : tensor<i1>
      %e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %e, %l : tensor<i1>
      %u = stablehlo.or %q, %t : tensor<i1>
      %v = stablehlo.select %q, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %u, %j, %k : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
    check.expect_eq_const %3#0, dense<[3.0, 4.0]> : tensor<2xf32>
    check.expect_eq_const %3#1, dense<[0, 1]> : tensor<2xi32>
    // Any other reducer takes the elements in order: ((10 − 3) − 1) − 2.
    %4 = stablehlo.reduce(%x init: %ten) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %d = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %d : tensor<f32>
    }
    check.expect_eq_const %4, dense<[4.0, 1.5]> : tensor<2xf32>
    %5 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %d = stablehlo.constant dense<2.0> : tensor<f32>
      %f = stablehlo.multiply %a, %d : tensor<f32>
      %g = stablehlo.subtract %f, %b : tensor<f32>
      stablehlo.return %g : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    check.expect_eq %5, %x : tensor<2x3xf32>
    return
  }
  func.func @places() {
    %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
    %at = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi32>
    %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #row, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    check.expect_eq_const %0, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
    %u = stablehlo.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>
    %1 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%old: tensor<i32>, %new: tensor<i32>):
      %s = stablehlo.add %old, %new : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
    check.expect_eq_const %1, dense<[[31, 42], [3, 4], [15, 26]]> : tensor<3x2xi32>
    %2 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%old: tensor<i32>, %new: tensor<i32>):
      %s = stablehlo.subtract %new, %old : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
    check.expect_eq_const %2, dense<[[29, 38], [3, 4], [5, 14]]> : tensor<3x2xi32>
    return
  }
  func.func @order() {
    %k = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
    %v = stablehlo.constant dense<[0.3, 0.1, 0.2]> : tensor<3xf64>
    %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f64>, %d: tensor<f64>):
      %p = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<3xi32>, tensor<3xf64>) -> (tensor<3xi32>, tensor<3xf64>)
    check.expect_eq_const %0#0, dense<[3, 2, 1]> : tensor<3xi32>
    check.expect_eq_const %0#1, dense<[0.3, 0.2, 0.1]> : tensor<3xf64>
    %1:2 = chlo.top_k(%k, k = 2) : tensor<3xi32> -> (tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %1#0, dense<[3, 2]> : tensor<2xi32>
    check.expect_eq_const %1#1, dense<[0, 2]> : tensor<2xi32>
    return
  }
  func.func @systems() {
    %a = stablehlo.constant dense<[[[2.0, 9.0], [1.0, 4.0]]]> : tensor<1x2x2xf64>
    %b = stablehlo.constant dense<[[[2.0], [9.0]]]> : tensor<1x2x1xf64>
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<1x2x2xf64>, tensor<1x2x1xf64>) -> tensor<1x2x1xf64>
    check.expect_eq_const %0, dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf64>
    %1 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<1x2x2xf64>, tensor<1x2x1xf64>) -> tensor<1x2x1xf64>
    check.expect_eq_const %1, dense<[[[-0.125], [2.25]]]> : tensor<1x2x1xf64>
    // Only the lower triangle [[2, 1], [1, 4]] counts: w = 3 ∓ sqrt 2.
    %2:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>, tensor<1xi32>)
    check.expect_almost_eq_const %2#1, dense<[[1.58578644, 4.41421356]]> : tensor<1x2xf64>
    check.expect_eq_const %2#2, dense<0> : tensor<1xi32>
    %3:2 = stablehlo.custom_call @Eigh(%a) {backend_config = "1,1,100,1e-6"} : (tensor<1x2x2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>)
    check.expect_almost_eq %3#1, %2#1 : tensor<1x2xf64>
    %d = stablehlo.constant dense<[[0.0, 3.0], [-2.0, 0.0]]> : tensor<2x2xf64>
    %4:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%d) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<i32>)
    check.expect_almost_eq_const %4#1, dense<[3.0, 2.0]> : tensor<2xf64>
    return
  }
}
