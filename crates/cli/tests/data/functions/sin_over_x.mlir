module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %2 = stablehlo.sine %arg0 : tensor<5xf64>
    %3 = stablehlo.divide %2, %arg0 : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = call @_where(%1, %cst_0, %3) : (tensor<5xi1>, tensor<f64>, tensor<5xf64>) -> tensor<5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @_where(%arg0: tensor<5xi1>, %arg1: tensor<f64>, %arg2: tensor<5xf64>) -> tensor<5xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<5xi1>, tensor<5xf64>
    return %2 : tensor<5xf64>
  }
}
