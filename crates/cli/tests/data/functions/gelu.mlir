module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<8xf64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<8xf64>
    %cst = stablehlo.constant dense<4.471500e-02> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<8xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<8xf64>
    %4 = stablehlo.add %arg0, %3 : tensor<8xf64>
    %cst_0 = stablehlo.constant dense<0.79788456080286541> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<8xf64>
    %6 = stablehlo.multiply %5, %4 : tensor<8xf64>
    %7 = stablehlo.tanh %6 : tensor<8xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<8xf64>
    %9 = stablehlo.add %8, %7 : tensor<8xf64>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<8xf64>
    %11 = stablehlo.multiply %10, %9 : tensor<8xf64>
    %12 = stablehlo.multiply %arg0, %11 : tensor<8xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    return %13 : tensor<f64>
  }
}
