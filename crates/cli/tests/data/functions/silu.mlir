module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @silu(%arg0) : (tensor<6xf64>) -> tensor<6xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @silu(%arg0: tensor<6xf64>) -> tensor<6xf64> {
    %0 = stablehlo.negate %arg0 : tensor<6xf64>
    %1 = stablehlo.exponential %0 : tensor<6xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %3 = stablehlo.add %2, %1 : tensor<6xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %5 = stablehlo.divide %4, %3 : tensor<6xf64>
    %6 = stablehlo.multiply %arg0, %5 : tensor<6xf64>
    return %6 : tensor<6xf64>
  }
}
