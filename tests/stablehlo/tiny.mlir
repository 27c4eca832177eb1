// Elements of at most eight bits.
func.func @main() {
  %a = stablehlo.constant dense<[7, -8, 3]> : tensor<3xi4>
  %0 = stablehlo.add %a, %a : tensor<3xi4>
  check.expect_eq_const %0, dense<[-2, 0, 6]> : tensor<3xi4>
  %1 = stablehlo.convert %a : (tensor<3xi4>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[7.0, -8.0, 3.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<"0x0F08FF"> : tensor<3xui4>
  check.expect_eq_const %b, dense<[15, 8, 15]> : tensor<3xui4>
  %2 = stablehlo.bitcast_convert %a : (tensor<3xi4>) -> tensor<3xui4>
  check.expect_eq_const %2, dense<[7, 8, 3]> : tensor<3xui4>
  %c = stablehlo.constant dense<[1.0, -2.0, 0x7F, 448.0]> : tensor<4xf8E4M3FN>
  %3 = stablehlo.bitcast_convert %c : (tensor<4xf8E4M3FN>) -> tensor<4xui8>
  check.expect_eq_const %3, dense<[56, 192, 127, 126]> : tensor<4xui8>
  %4 = stablehlo.bitcast_convert %3 : (tensor<4xui8>) -> tensor<4x2xf4E2M1FN>
  %5 = stablehlo.convert %4 : (tensor<4x2xf4E2M1FN>) -> tensor<4x2xf32>
  check.expect_eq_const %5, dense<[[-0.0, 1.5], [0.0, -2.0], [-6.0, 6.0], [-4.0, 6.0]]> : tensor<4x2xf32>
  %d = stablehlo.constant dense<[[1.0, 0.5], [2.0, 1.0]]> : tensor<2x2xf8E5M2>
  %6 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [0] : (tensor<2x2xf8E5M2>, tensor<2x2xf8E5M2>) -> tensor<2x2xf32>
  check.expect_eq_const %6, dense<[[2.0, 1.0], [4.0, 2.0]]> : tensor<2x2xf32>
  %e = stablehlo.constant dense<[1, 0, -2]> : tensor<3xi2>
  %f = stablehlo.constant dense<[1, 3]> : tensor<2xui2>
  %g = stablehlo.constant dense<[0.1, 0x1F]> : tensor<2xf6E2M3FN>
  %7 = stablehlo.convert %g : (tensor<2xf6E2M3FN>) -> tensor<2xf8E3M4>
  check.expect_eq_const %7, dense<[0.125, 7.5]> : tensor<2xf8E3M4>
  return
}
