module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<2xf64>) -> tensor<1xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %2 = stablehlo.compare LE, %0, %1, FLOAT : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %4 = call @_where(%2, %3, %arg0) : (tensor<1xi1>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %5 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<f64>
    %6 = call @norm_0(%4) : (tensor<2xf64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.compare LE, %5, %cst_1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = call @_where_1(%7, %cst_2, %6) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [] : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %9 : tensor<f64>
  }
  func.func private @norm(%arg0: tensor<2xf64>) -> tensor<1xf64> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %3 = stablehlo.sqrt %2 : tensor<1xf64>
    return %3 : tensor<1xf64>
  }
  func.func private @_where(%arg0: tensor<1xi1>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<1xi1>) -> tensor<2xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<2xi1>, tensor<2xf64>
    return %1 : tensor<2xf64>
  }
  func.func private @norm_0(%arg0: tensor<2xf64>) -> tensor<f64> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %2 = stablehlo.sqrt %1 : tensor<f64>
    return %2 : tensor<f64>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f64>
    return %1 : tensor<f64>
  }
}
