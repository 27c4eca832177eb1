// Reflections as LAPACK packs them: products with them from either side, with pivoted columns, of a symmetric matrix of which
// the upper triangle is read; singular values by either name.
module {
  func.func @products() {
    %a = stablehlo.constant dense<[[2.0, -1.0], [1.0, 3.0], [2.0, 4.0]]> : tensor<3x2xf64>
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
    // The adjoint of Q takes A to R, below which nothing is left.
    %1 = stablehlo.custom_call @lapack_dormqr_ffi(%0#0, %0#1, %a) {api_version = 4 : i32, mhlo.backend_config = {left = true, transpose = true}} : (tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    check.expect_almost_eq_const %1, dense<[[-3.0, -3.0], [0.0, -4.123105625617661], [0.0, 0.0]]> : tensor<3x2xf64>
    %2 = stablehlo.custom_call @lapack_dormqr_ffi(%0#0, %0#1, %1) {api_version = 4 : i32, mhlo.backend_config = {left = true, transpose = false}} : (tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    check.expect_almost_eq %2, %a : tensor<3x2xf64>
    %3 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf64>) -> tensor<2x3xf64>
    %4 = stablehlo.custom_call @lapack_dormqr_ffi(%0#0, %0#1, %3) {api_version = 4 : i32, mhlo.backend_config = {left = false, transpose = false}} : (tensor<3x2xf64>, tensor<2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<2x3xf64>) -> tensor<3x2xf64>
    check.expect_almost_eq %5, %1 : tensor<3x2xf64>
    %6 = stablehlo.custom_call @lapack_dormqr_ffi(%0#0, %0#1, %4) {api_version = 4 : i32, mhlo.backend_config = {left = false, transpose = true}} : (tensor<3x2xf64>, tensor<2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    check.expect_almost_eq %6, %3 : tensor<2x3xf64>
    return
  }
  // Of two matrices the first has its columns exchanged.
  func.func @pivoted() {
    %a = stablehlo.constant dense<[[[1.0, 3.0], [0.0, 4.0]], [[3.0, 1.0], [4.0, 0.0]]]> : tensor<2x2x2xf64>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %free = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %0:3 = stablehlo.custom_call @lapack_dgeqp3_ffi(%a, %free) {api_version = 4 : i32, mhlo.backend_config = {}} : (tensor<2x2x2xf64>, tensor<2x2xi32>) -> (tensor<2x2x2xf64>, tensor<2x2xi32>, tensor<2x2xf64>)
    check.expect_eq_const %0#1, dense<[[2, 1], [1, 2]]> : tensor<2x2xi32>
    check.expect_almost_eq_const %0#0, dense<[[[-5.0, -0.6], [0.5, -0.8]], [[-5.0, -0.6], [0.5, -0.8]]]> : tensor<2x2x2xf64>
    check.expect_almost_eq_const %0#2, dense<[[1.6, 0.0], [1.6, 0.0]]> : tensor<2x2xf64>
    return
  }
  // The numbers are those of LAPACK's dsytrd.
  func.func @upper_triangle() {
    %a = stablehlo.constant dense<[[4.0, 1.0, 2.0], [7.0, 3.0, -2.0], [8.0, 9.0, 5.0]]> : tensor<3x3xf64>
    %0:5 = stablehlo.custom_call @lapack_dsytrd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>)
    check.expect_almost_eq_const %0#0, dense<[[4.5, 0.5, -0.41421356237], [7.0, 2.5, 2.82842712475], [8.0, 9.0, 5.0]]> : tensor<3x3xf64>
    check.expect_almost_eq_const %0#1, dense<[4.5, 2.5, 5.0]> : tensor<3xf64>
    check.expect_almost_eq_const %0#2, dense<[0.5, 2.82842712475]> : tensor<2xf64>
    check.expect_almost_eq_const %0#3, dense<[0.0, 1.70710678119]> : tensor<2xf64>
    return
  }
  func.func @singular_values() {
    %a = stablehlo.constant dense<[[0.0, 2.0], [3.0, 0.0], [0.0, 0.0]]> : tensor<3x2xf64>
    %0:5 = stablehlo.custom_call @lapack_dgesvd_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {mode = 83 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>, tensor<2x2xf64>, tensor<i32>)
    check.expect_almost_eq_const %0#1, dense<[3.0, 2.0]> : tensor<2xf64>
    %1 = stablehlo.broadcast_in_dim %0#1, dims = [1] : (tensor<2xf64>) -> tensor<3x2xf64>
    %2 = stablehlo.multiply %0#2, %1 : tensor<3x2xf64>
    %3 = stablehlo.dot_general %2, %0#3, contracting_dims = [1] x [0] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
    check.expect_almost_eq %3, %a : tensor<3x2xf64>
    return
  }
}
