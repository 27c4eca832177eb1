// Sliding windows: pooling, its gradient by selection, a convolution in groups, padding that takes part.
module @windows {
  func.func public @main() {
    %x = stablehlo.constant dense<[[3.0, 1.0, 4.0, 1.0], [5.0, 9.0, 2.0, 6.0], [5.0, 3.0, 5.0, 8.0], [9.0, 7.0, 9.0, 3.0]]> : tensor<4x4xf64>
    %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %most = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %m = stablehlo.maximum %a, %b : tensor<f64>
      stablehlo.return %m : tensor<f64>
    }) : (tensor<4x4xf64>, tensor<f64>) -> tensor<2x2xf64>
    check.expect_eq_const %most, dense<[[9.0, 6.0], [9.0, 9.0]]> : tensor<2x2xf64>
    %ones = stablehlo.constant dense<1.0> : tensor<2x2xf64>
    %back = "stablehlo.select_and_scatter"(%x, %ones, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %p = stablehlo.compare GE, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %s = stablehlo.add %a, %b : tensor<f64>
      stablehlo.return %s : tensor<f64>
    }) : (tensor<4x4xf64>, tensor<2x2xf64>, tensor<f64>) -> tensor<4x4xf64>
    check.expect_eq_const %back, dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]]> : tensor<4x4xf64>
    %line = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
    // Each element of the padding is the initial value: it counts as often as it lies in a window.
    %sums = "stablehlo.reduce_window"(%line, %one) <{window_dimensions = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %s = stablehlo.add %a, %b : tensor<f64>
      stablehlo.return %s : tensor<f64>
    }) : (tensor<3xf64>, tensor<f64>) -> tensor<4xf64>
    check.expect_eq_const %sums, dense<[3.0, 4.0, 6.0, 5.0]> : tensor<4xf64>
    %in = stablehlo.constant dense<[[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]]> : tensor<1x2x3xf64>
    %kernel = stablehlo.constant dense<[[[1.0, 2.0]], [[1.0, -1.0]]]> : tensor<2x1x2xf64>
    %out = stablehlo.convolution(%in, %kernel) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x3xf64>, tensor<2x1x2xf64>) -> tensor<1x2x3xf64>
    check.expect_eq_const %out, dense<[[[2.0, 5.0, 8.0], [-10.0, -10.0, -10.0]]]> : tensor<1x2x3xf64>
    // Products of bytes beyond what a byte holds, as integers and as floats.
    %bytes = stablehlo.constant dense<[[[100, 100, -100]]]> : tensor<1x1x3xi8>
    %two = stablehlo.constant dense<[[[2, 1]]]> : tensor<1x1x2xi8>
    %wide = stablehlo.convolution(%bytes, %two) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xi8>, tensor<1x1x2xi8>) -> tensor<1x1x2xi32>
    check.expect_eq_const %wide, dense<[[[300, 100]]]> : tensor<1x1x2xi32>
    %real = stablehlo.convolution(%bytes, %two) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xi8>, tensor<1x1x2xi8>) -> tensor<1x1x2xf32>
    check.expect_eq_const %real, dense<[[[300.0, 100.0]]]> : tensor<1x1x2xf32>
    return
  }
}
