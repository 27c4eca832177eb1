// Batch normalisation over all axes but the last: mean [2, 3], variance [1, 1]. Expected values by NumPy.
module {
  func.func @main() {
    %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf64>
    %scale = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
    %offset = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf64>
    %ct = stablehlo.constant dense<[[[1.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf64>
    %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 0.25 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
    check.expect_almost_eq_const %0#0, dense<[[[0.10557280900008414, -2.7888543819998315], [1.8944271909999157, 0.7888543819998317]], [[1.8944271909999157, 0.7888543819998317], [0.10557280900008414, -2.7888543819998315]]]> {tolerance = 1.0e-14 : f64} : tensor<2x2x2xf64>
    check.expect_eq_const %0#1, dense<[2.0, 3.0]> : tensor<2xf64>
    check.expect_eq_const %0#2, dense<1.0> : tensor<2xf64>
    %1 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %0#1, %0#2) <{epsilon = 0.25 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2x2xf64>
    check.expect_eq %1, %0#0 : tensor<2x2x2xf64>
    %2:3 = "stablehlo.batch_norm_grad"(%x, %scale, %0#1, %0#2, %ct) <{epsilon = 0.25 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
    check.expect_almost_eq_const %2#0, dense<[[[0.8944271909999159, -0.2683281572999748], [0.0, 1.1627553482998907]], [[0.0, -0.626099033699941], [-0.8944271909999159, -0.2683281572999748]]]> {tolerance = 1.0e-14 : f64} : tensor<2x2x2xf64>
    check.expect_almost_eq_const %2#1, dense<[0.0, 2.6832815729997477]> {tolerance = 1.0e-14 : f64} : tensor<2xf64>
    check.expect_eq_const %2#2, dense<[0.0, 3.0]> : tensor<2xf64>
    return
  }
}
