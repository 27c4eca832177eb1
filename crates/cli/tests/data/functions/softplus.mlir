module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @softplus(%arg0) : (tensor<6xf64>) -> tensor<6xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @softplus(%arg0: tensor<6xf64>) -> tensor<6xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<6xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<6xf64>
    %7 = stablehlo.abs %3 : tensor<6xf64>
    %8 = stablehlo.negate %7 : tensor<6xf64>
    %9 = stablehlo.exponential %8 : tensor<6xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<6xf64>
    %11 = stablehlo.add %1, %10 : tensor<6xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<6xi1>, tensor<6xf64>
    return %12 : tensor<6xf64>
  }
}
