// Ops that move, repeat, cut and join; contractions; extents as operands.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %1, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %2 = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
  check.expect_eq_const %2, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  %3 = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %3, dense<[[1, 3], [4, 6]]> : tensor<2x2xi32>
  %4 = "stablehlo.slice"(%x) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 2, 2>, strides = array<i64: 1, 1>}> : (tensor<2x3xi32>) -> tensor<1x2xi32>
  check.expect_eq_const %4, dense<[[4, 5]]> : tensor<1x2xi32>
  %5 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  check.expect_eq_const %5, dense<[[1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]]> : tensor<4x3xi32>
  %z = stablehlo.constant dense<9> : tensor<i32>
  // Cut by one in front of the first axis, padded and spread along the second.
  %6 = stablehlo.pad %x, %z, low = [-1, 1], high = [0, -1], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<1x5xi32>
  check.expect_eq_const %6, dense<[[9, 4, 9, 5, 9]]> : tensor<1x5xi32>
  %7 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %7, dense<9> : tensor<2xi32>
  %8 = "stablehlo.broadcast"(%7) <{broadcast_sizes = array<i64: 2>}> : (tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %8, dense<9> : tensor<2x2xi32>
  %9 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  check.expect_eq_const %9, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %10 = stablehlo.dynamic_slice %x, %z, %one, sizes = [1, 2] : (tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<1x2xi32>
  check.expect_eq_const %10, dense<[[5, 6]]> : tensor<1x2xi32>
  %11 = stablehlo.dynamic_update_slice %x, %10, %one, %one : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %11, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %12 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xi32>) -> tensor<i32>
  check.expect_eq_const %12, dense<3> : tensor<i32>
  return
}
func.func @bits() {
  %x = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xui32>
  check.expect_eq_const %0, dense<[1065353216, 3221225472]> : tensor<2xui32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2xui32>) -> tensor<2x32xi1>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x32xi1>) -> tensor<2xf32>
  check.expect_eq %2, %x : tensor<2xf32>
  return
}
func.func @contractions() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = stablehlo.dot %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[7.0, 10.0], [15.0, 22.0]]> : tensor<2x2xf32>
  // Batch axes come first in the result.
  %1 = stablehlo.dot_general %x, %x, batching_dims = [1] x [0], contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[7.0, 22.0]> : tensor<2xf32>
  %2 = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf64>
  check.expect_eq_const %2, dense<[[5.0, 11.0], [11.0, 25.0]]> : tensor<2x2xf64>
  return
}
func.func @dynamic() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %shape = stablehlo.constant dense<2> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.dynamic_broadcast_in_dim %z, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %2, dense<0> : tensor<2x2xi32>
  %a = stablehlo.constant dense<[1]> : tensor<1xi64>
  %b = stablehlo.constant dense<[4]> : tensor<1xi64>
  %3 = stablehlo.real_dynamic_slice %x, %a, %b, %a : (tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi32>
  check.expect_eq_const %3, dense<[2, 3, 4]> : tensor<3xi32>
  %n = stablehlo.constant dense<[0]> : tensor<1xi64>
  %4 = stablehlo.dynamic_pad %x, %z, %a, %n, %n : (tensor<4xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi32>
  check.expect_eq_const %4, dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %sizes = stablehlo.constant dense<[1]> : tensor<1xi64>
  %at = stablehlo.constant dense<[[3], [0]]> : tensor<2x1xi64>
  %5 = "stablehlo.dynamic_gather"(%x, %at, %sizes) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4xi32>, tensor<2x1xi64>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %5, dense<[4, 1]> : tensor<2xi32>
  return
}
