module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.500000e-01> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %1 = call @log_sigmoid(%arg0) : (tensor<5xf64>) -> tensor<5xf64>
    %2 = stablehlo.negate %arg0 : tensor<5xf64>
    %3 = call @log_sigmoid(%2) : (tensor<5xf64>) -> tensor<5xf64>
    %4 = stablehlo.negate %0 : tensor<5xf64>
    %5 = stablehlo.multiply %4, %1 : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %7 = stablehlo.subtract %6, %0 : tensor<5xf64>
    %8 = stablehlo.multiply %7, %3 : tensor<5xf64>
    %9 = stablehlo.subtract %5, %8 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    return %10 : tensor<f64>
  }
  func.func private @log_sigmoid(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %0 = stablehlo.negate %arg0 : tensor<5xf64>
    %1 = call @softplus(%0) : (tensor<5xf64>) -> tensor<5xf64>
    %2 = stablehlo.negate %1 : tensor<5xf64>
    return %2 : tensor<5xf64>
  }
  func.func private @softplus(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<5xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<5xf64>
    %7 = stablehlo.abs %3 : tensor<5xf64>
    %8 = stablehlo.negate %7 : tensor<5xf64>
    %9 = stablehlo.exponential %8 : tensor<5xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<5xf64>
    %11 = stablehlo.add %1, %10 : tensor<5xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<5xi1>, tensor<5xf64>
    return %12 : tensor<5xf64>
  }
}
