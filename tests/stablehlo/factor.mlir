// Cholesky and LU factors, as ops and as calls of LAPACK: of [[4, 2], [2, 5]] the first is [[2, 0], [1, 2]]; [[1, 2], [4, 6]]
// exchanges its rows.
module {
  func.func @main() {
    %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf64>
    %0 = "stablehlo.cholesky"(%a) {lower = true} : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %l = call @lower(%0) : (tensor<2x2xf64>) -> tensor<2x2xf64>
    check.expect_eq_const %l, dense<[[2.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf64>
    %1:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
    %m = call @lower(%1#0) : (tensor<2x2xf64>) -> tensor<2x2xf64>
    check.expect_eq %m, %l : tensor<2x2xf64>
    check.expect_eq_const %1#1, dense<0> : tensor<i32>
    %b = stablehlo.constant dense<[[1.0, 2.0], [4.0, 6.0]]> : tensor<2x2xf64>
    %2:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%b) {api_version = 4 : i32, mhlo.backend_config = {}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<i32>)
    check.expect_eq_const %2#0, dense<[[4.0, 6.0], [0.25, 0.5]]> : tensor<2x2xf64>
    check.expect_eq_const %2#1, dense<2> : tensor<2xi32>
    check.expect_eq_const %2#2, dense<0> : tensor<i32>
    %3:3 = stablehlo.custom_call @LuDecomposition(%b) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq %3#0, %2#0 : tensor<2x2xf64>
    check.expect_eq_const %3#1, dense<1> : tensor<2xi32>
    check.expect_eq_const %3#2, dense<[1, 0]> : tensor<2xi32>
    return
  }
  func.func private @lower(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
    %i = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %j = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %p = stablehlo.compare GE, %i, %j : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %zero = stablehlo.constant dense<0.0> : tensor<2x2xf64>
    %0 = stablehlo.select %p, %x, %zero : tensor<2x2xi1>, tensor<2x2xf64>
    return %0 : tensor<2x2xf64>
  }
}
