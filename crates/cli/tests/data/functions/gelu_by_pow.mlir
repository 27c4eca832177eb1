module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.power %arg0, %2 : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<4.471500e-02> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %5 = stablehlo.multiply %4, %3 : tensor<5xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<5xf64>
    %cst_2 = stablehlo.constant dense<0.79788456080286541> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %8 = stablehlo.multiply %7, %6 : tensor<5xf64>
    %9 = stablehlo.tanh %8 : tensor<5xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %11 = stablehlo.add %10, %9 : tensor<5xf64>
    %12 = stablehlo.multiply %1, %11 : tensor<5xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    return %13 : tensor<f64>
  }
}
