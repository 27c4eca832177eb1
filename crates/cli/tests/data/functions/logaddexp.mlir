module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>, %arg1: tensor<4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<4xf64>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<4xf64>
    %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %3 = stablehlo.add %arg0, %arg1 : tensor<4xf64>
    %4 = stablehlo.abs %1 : tensor<4xf64>
    %5 = stablehlo.negate %4 : tensor<4xf64>
    %6 = stablehlo.exponential %5 : tensor<4xf64>
    %7 = stablehlo.log_plus_one %6 : tensor<4xf64>
    %8 = stablehlo.add %0, %7 : tensor<4xf64>
    %9 = stablehlo.select %2, %3, %8 : tensor<4xi1>, tensor<4xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %10 : tensor<f64>
  }
}
