module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<2xf64>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<2xf64>
    %2 = stablehlo.abs %1 : tensor<2xf64>
    %3 = stablehlo.negate %2 : tensor<2xf64>
    %4 = stablehlo.exponential %3 : tensor<2xf64>
    %5 = stablehlo.log_plus_one %4 : tensor<2xf64>
    %6 = stablehlo.add %0, %5 : tensor<2xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    return %7 : tensor<f64>
  }
}
