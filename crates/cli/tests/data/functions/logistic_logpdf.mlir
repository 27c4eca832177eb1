module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %1 = stablehlo.subtract %arg0, %0 : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.divide %1, %2 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %5 = stablehlo.divide %3, %4 : tensor<5xf64>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %6 = stablehlo.negate %cst_2 : tensor<f64>
    %7 = stablehlo.negate %5 : tensor<5xf64>
    %8 = stablehlo.maximum %5, %7 : tensor<5xf64>
    %9 = stablehlo.subtract %5, %7 : tensor<5xf64>
    %10 = stablehlo.compare NE, %9, %9, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %11 = stablehlo.add %5, %7 : tensor<5xf64>
    %12 = stablehlo.abs %9 : tensor<5xf64>
    %13 = stablehlo.negate %12 : tensor<5xf64>
    %14 = stablehlo.exponential %13 : tensor<5xf64>
    %15 = stablehlo.log_plus_one %14 : tensor<5xf64>
    %16 = stablehlo.add %8, %15 : tensor<5xf64>
    %17 = stablehlo.select %10, %11, %16 : tensor<5xi1>, tensor<5xf64>
    %18 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %19 = stablehlo.multiply %18, %17 : tensor<5xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %20 = stablehlo.log %cst_3 : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %22 = stablehlo.subtract %19, %21 : tensor<5xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %23 = stablehlo.reduce(%22 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    return %23 : tensor<f64>
  }
}
