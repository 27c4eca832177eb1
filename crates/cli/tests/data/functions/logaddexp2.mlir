module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<3xf64>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<3xf64>
    %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %3 = stablehlo.add %arg0, %arg1 : tensor<3xf64>
    %4 = stablehlo.abs %1 : tensor<3xf64>
    %5 = stablehlo.negate %4 : tensor<3xf64>
    %cst = stablehlo.constant dense<0.69314718055994529> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %7 = stablehlo.multiply %6, %5 : tensor<3xf64>
    %8 = stablehlo.exponential %7 : tensor<3xf64>
    %9 = stablehlo.log_plus_one %8 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<1.4426950408889634> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %11 = stablehlo.multiply %10, %9 : tensor<3xf64>
    %12 = stablehlo.add %0, %11 : tensor<3xf64>
    %13 = stablehlo.select %2, %3, %12 : tensor<3xi1>, tensor<3xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %14 : tensor<f64>
  }
}
