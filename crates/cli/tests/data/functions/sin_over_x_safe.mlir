module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<4xi1>, tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
    %5 = stablehlo.sine %4 : tensor<4xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %7 = stablehlo.compare EQ, %arg0, %6, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %8 = call @_where(%7, %cst_3, %arg0) : (tensor<4xi1>, tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
    %9 = stablehlo.divide %5, %8 : tensor<4xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %10 = call @_where(%1, %cst_4, %9) : (tensor<4xi1>, tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%10 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %11 : tensor<f64>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<f64>, %arg2: tensor<4xf64>) -> tensor<4xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<4xi1>, tensor<4xf64>
    return %2 : tensor<4xf64>
  }
}
