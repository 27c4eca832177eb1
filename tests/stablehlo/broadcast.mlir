// CHLO's ops on operands of different shapes, and contractions of which an axis is cut into groups.
module {
  func.func @main() {
    %row = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
    %column = stablehlo.constant dense<[[1.0], [10.0]]> : tensor<2x1xf64>
    %two = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf64>
    %one = stablehlo.constant dense<2.0> : tensor<f64>
    %0 = chlo.broadcast_multiply %row, %column : (tensor<3xf64>, tensor<2x1xf64>) -> tensor<2x3xf64>
    check.expect_eq_const %0, dense<[[1.0, 2.0, 4.0], [10.0, 20.0, 40.0]]> : tensor<2x3xf64>
    %1 = "chlo.broadcast_subtract"(%0, %two) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf64>, tensor<2xf64>) -> tensor<2x3xf64>
    check.expect_eq_const %1, dense<[[-4.0, -3.0, -1.0], [3.0, 13.0, 33.0]]> : tensor<2x3xf64>
    %2 = chlo.broadcast_compare %0, %one {comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xi1>
    check.expect_eq_const %2, dense<[[false, false, true], [true, true, true]]> : tensor<2x3xi1>
    %3 = chlo.broadcast_select %2, %one, %0 : (tensor<2x3xi1>, tensor<f64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    check.expect_eq_const %3, dense<[[1.0, 2.0, 2.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf64>
    %id = stablehlo.replica_id : tensor<ui32>
    check.expect_eq_const %id, dense<0> : tensor<ui32>
    %7 = chlo.broadcast_add %row, %one : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    check.expect_eq_const %7, dense<[3.0, 4.0, 6.0]> : tensor<3xf64>
    %8 = chlo.broadcast_divide %row, %one : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    check.expect_eq_const %8, dense<[0.5, 1.0, 2.0]> : tensor<3xf64>
    %9 = chlo.broadcast_maximum %row, %one : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    check.expect_eq_const %9, dense<[2.0, 2.0, 4.0]> : tensor<3xf64>
    %10 = chlo.broadcast_minimum %one, %row : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_eq_const %10, dense<[1.0, 2.0, 2.0]> : tensor<3xf64>
    %11 = chlo.broadcast_power %row, %one : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    check.expect_eq_const %11, dense<[1.0, 4.0, 16.0]> : tensor<3xf64>
    %12 = chlo.broadcast_remainder %two, %one : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
    check.expect_eq_const %12, dense<1.0> : tensor<2xf64>
    %nil = chlo.constant dense<0.0> : tensor<f64>
    %13 = chlo.broadcast_atan2 %nil, %row : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_eq_const %13, dense<0.0> : tensor<3xf64>
    %14 = chlo.broadcast_complex %row, %one : (tensor<3xf64>, tensor<f64>) -> tensor<3xcomplex<f64>>
    check.expect_eq_const %14, dense<[(1.0, 2.0), (2.0, 2.0), (4.0, 2.0)]> : tensor<3xcomplex<f64>>
    %15 = chlo.broadcast_next_after %row, %row : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_eq %15, %row : tensor<3xf64>
    %16 = chlo.broadcast_polygamma %nil, %one : (tensor<f64>, tensor<f64>) -> tensor<f64>
    check.expect_almost_eq_const %16, dense<0.42278433509846713> {tolerance = 1.0e-14 : f64} : tensor<f64>
    %17 = chlo.broadcast_zeta %one, %row : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_almost_eq_const %17, dense<[1.6449340668482264, 0.6449340668482264, 0.28382295573711535]> {tolerance = 1.0e-14 : f64} : tensor<3xf64>
    %i = stablehlo.constant dense<[-8, 12]> : tensor<2xi32>
    %j = stablehlo.constant dense<2> : tensor<i32>
    %18 = chlo.broadcast_and %i, %j : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    check.expect_eq_const %18, dense<0> : tensor<2xi32>
    %19 = chlo.broadcast_or %i, %j : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    check.expect_eq_const %19, dense<[-6, 14]> : tensor<2xi32>
    %20 = chlo.broadcast_xor %i, %19 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    check.expect_eq_const %20, dense<2> : tensor<2xi32>
    %21 = chlo.broadcast_shift_left %i, %j : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    check.expect_eq_const %21, dense<[-32, 48]> : tensor<2xi32>
    %22 = chlo.broadcast_shift_right_arithmetic %i, %j : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    check.expect_eq_const %22, dense<[-2, 3]> : tensor<2xi32>
    %23 = chlo.broadcast_shift_right_logical %i, %j : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    check.expect_eq_const %23, dense<[1073741822, 3]> : tensor<2xi32>
    %part = stablehlo.partition_id : tensor<ui32>
    check.expect_eq %part, %id : tensor<ui32>
    %shape = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
    %24 = "chlo.dynamic_reshape"(%row, %shape) : (tensor<3xf64>, tensor<2xi32>) -> tensor<3x1xf64>
    check.expect_eq_const %24, dense<[[1.0], [2.0], [4.0]]> : tensor<3x1xf64>

    // Rows 0 and 1 with the first matrix, row 2 with the second, row 3 with none.
    %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf64>
    %y = stablehlo.constant dense<[[[1.0], [1.0]], [[10.0], [100.0]]]> : tensor<2x2x1xf64>
    %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
    %4 = "chlo.ragged_dot"(%x, %y, %sizes) {
      ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
        lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]
      >
    } : (tensor<4x2xf64>, tensor<2x2x1xf64>, tensor<2xi32>) -> tensor<4x1xf64>
    check.expect_eq_const %4, dense<[[3.0], [7.0], [650.0], [0.0]]> : tensor<4x1xf64>
    // A group a result: products of the columns that are rows 0 and 1, and row 2.
    %z = stablehlo.constant dense<[[1.0], [10.0], [100.0], [1000.0]]> : tensor<4x1xf64>
    %5 = "chlo.ragged_dot"(%x, %z, %sizes) {
      ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]
      >
    } : (tensor<4x2xf64>, tensor<4x1xf64>, tensor<2xi32>) -> tensor<2x2x1xf64>
    check.expect_eq_const %5, dense<[[[31.0], [42.0]], [[500.0], [600.0]]]> : tensor<2x2x1xf64>
    // The batch axis in groups: what is in none is 0.
    %6 = "chlo.ragged_dot"(%x, %x, %sizes) {
      ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]
      >
    } : (tensor<4x2xf64>, tensor<4x2xf64>, tensor<2xi32>) -> tensor<4xf64>
    check.expect_eq_const %6, dense<[5.0, 25.0, 61.0, 0.0]> : tensor<4xf64>
    return
  }
}
