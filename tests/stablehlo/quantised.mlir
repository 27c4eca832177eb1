// Integers that stand for numbers: those of results and arguments are the integers.
func.func @main() {
  %x = stablehlo.constant dense<[1.3, -70.0, 200.0]> : tensor<3xf32>
  // 2.6 is nearest to 3; what lies beyond is an end.
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<u8:f32, 0.5:128>>
  %0 = stablehlo.uniform_dequantize %q : (tensor<3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[1.5, -64.0, 63.5]> : tensor<3xf32>
  %1 = stablehlo.add %q, %q : tensor<3x!quant.uniform<u8:f32, 0.5:128>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[3.0, -64.0, 63.5]> : tensor<3xf32>
  // Another scale, and ends of its own.
  %3 = stablehlo.uniform_quantize %q : (tensor<3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3x!quant.uniform<i8<-100:100>:f32, 0.25>>
  %4 = stablehlo.uniform_dequantize %3 : (tensor<3x!quant.uniform<i8<-100:100>:f32, 0.25>>) -> tensor<3xf32>
  check.expect_eq_const %4, dense<[1.5, -25.0, 25.0]> : tensor<3xf32>
  // A scale each row; a product with plain numbers, and one of quantized ones into 32 bits, to which others are added.
  %w = stablehlo.constant() {value = dense<[[1, 3, 5], [2, 4, -6]]> : tensor<2x3xi8>} : () -> tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>
  %5 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>, tensor<3xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %5, dense<[330.0, -369.35]> : tensor<2xf32>
  %6 = stablehlo.dot_general %w, %q, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>, tensor<3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x!quant.uniform<i32:f32, 0.125>>
  %c = stablehlo.constant() {value = dense<[4, -8]> : tensor<2xi32>} : () -> tensor<2x!quant.uniform<i32:f32, 0.125>>
  %7 = stablehlo.add %6, %c : tensor<2x!quant.uniform<i32:f32, 0.125>>
  %8 = func.call @clamped(%7) : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x!quant.uniform<i32:f32, 0.125>>
  %9 = stablehlo.uniform_dequantize %8 : (tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2xf32>
  check.expect_eq_const %9, dense<[63.5, -100.0]> : tensor<2xf32>
  %10 = stablehlo.transpose %w, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>) -> tensor<3x2x!quant.uniform<i8<-127:127>:f32:1, {0.5:1, 0.25}>>
  %11 = stablehlo.uniform_dequantize %10 : (tensor<3x2x!quant.uniform<i8<-127:127>:f32:1, {0.5:1, 0.25}>>) -> tensor<3x2xf32>
  check.expect_eq_const %11, dense<[[0.0, 0.5], [1.0, 1.0], [2.0, -1.5]]> : tensor<3x2xf32>
  %i = stablehlo.constant dense<1.0> : tensor<1x1x4x4xf32>
  %k = stablehlo.constant() {value = dense<2> : tensor<1x1x3x3xi8>} : () -> tensor<1x1x3x3x!quant.uniform<i8:f32, 0.5:1>>
  %12 = stablehlo.convolution(%i, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x1x2x2xf32>
  check.expect_eq_const %12, dense<4.5> : tensor<1x1x2x2xf32>
  return
}
func.func private @clamped(%x: tensor<2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x!quant.uniform<i32:f32, 0.125>> {
  %low = stablehlo.constant() {value = dense<-800> : tensor<i32>} : () -> tensor<!quant.uniform<i32:f32, 0.125>>
  %high = stablehlo.constant() {value = dense<800> : tensor<i32>} : () -> tensor<!quant.uniform<i32:f32, 0.125>>
  %y = stablehlo.clamp %low, %x, %high : (tensor<!quant.uniform<i32:f32, 0.125>>, tensor<2x!quant.uniform<i32:f32, 0.125>>, tensor<!quant.uniform<i32:f32, 0.125>>) -> tensor<2x!quant.uniform<i32:f32, 0.125>>
  return %y : tensor<2x!quant.uniform<i32:f32, 0.125>>
}
