module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %1 = stablehlo.subtract %arg0, %0 : tensor<6xf64>
    %2 = stablehlo.negate %1 : tensor<6xf64>
    %3 = stablehlo.maximum %1, %2 : tensor<6xf64>
    %4 = stablehlo.subtract %1, %2 : tensor<6xf64>
    %5 = stablehlo.compare NE, %4, %4, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %6 = stablehlo.add %1, %2 : tensor<6xf64>
    %7 = stablehlo.abs %4 : tensor<6xf64>
    %8 = stablehlo.negate %7 : tensor<6xf64>
    %9 = stablehlo.exponential %8 : tensor<6xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<6xf64>
    %11 = stablehlo.add %3, %10 : tensor<6xf64>
    %12 = stablehlo.select %5, %6, %11 : tensor<6xi1>, tensor<6xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %13 = stablehlo.log %cst_0 : tensor<f64>
    %14 = stablehlo.convert %13 : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %16 = stablehlo.subtract %12, %15 : tensor<6xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %17 = stablehlo.reduce(%16 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    return %17 : tensor<f64>
  }
}
