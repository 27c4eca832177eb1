module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @gammasgn(%arg0) : (tensor<6xf64>) -> tensor<6xf64>
    %1 = chlo.lgamma %arg0 : tensor<6xf64> -> tensor<6xf64>
    %2 = stablehlo.exponential %1 : tensor<6xf64>
    %3 = stablehlo.multiply %0, %2 : tensor<6xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    return %4 : tensor<f64>
  }
  func.func private @gammasgn(%arg0: tensor<6xf64>) -> tensor<6xf64> {
    %0 = stablehlo.floor %arg0 : tensor<6xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.compare LT, %arg0, %1, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %3 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %4 = stablehlo.and %2, %3 : tensor<6xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %6 = stablehlo.or %4, %5 : tensor<6xi1>
    %c = stablehlo.constant dense<2> : tensor<i64>
    %7 = call @remainder(%0, %c) : (tensor<6xf64>, tensor<i64>) -> tensor<6xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %9 = stablehlo.compare NE, %7, %8, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %10 = stablehlo.and %2, %9 : tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %13 = call @signbit(%arg0) : (tensor<6xf64>) -> tensor<6xi1>
    %14 = stablehlo.and %12, %13 : tensor<6xi1>
    %15 = stablehlo.or %10, %14 : tensor<6xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [1] : (tensor<6xi1>) -> tensor<1x6xi1>
    %18 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<6xi1>) -> tensor<1x6xi1>
    %19 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<6xi1>) -> tensor<1x6xi1>
    %20 = stablehlo.concatenate %17, %18, %19, dim = 0 : (tensor<1x6xi1>, tensor<1x6xi1>, tensor<1x6xi1>) -> tensor<3x6xi1>
    %21 = call @argmax(%20) : (tensor<3x6xi1>) -> tensor<6xi64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %c_6 = stablehlo.constant dense<1> : tensor<i64>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %26 = stablehlo.compare LT, %21, %25, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i64>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %28 = stablehlo.compare LT, %21, %27, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %29 = stablehlo.select %28, %23, %24 : tensor<6xi1>, tensor<6xf64>
    %30 = stablehlo.select %26, %22, %29 : tensor<6xi1>, tensor<6xf64>
    return %30 : tensor<6xf64>
  }
  func.func private @remainder(%arg0: tensor<6xf64>, %arg1: tensor<i64>) -> tensor<6xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.remainder %arg0, %1 : tensor<6xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %10 = stablehlo.and %9, %4 : tensor<6xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %12 = stablehlo.add %2, %11 : tensor<6xf64>
    %13 = stablehlo.select %10, %12, %2 : tensor<6xi1>, tensor<6xf64>
    return %13 : tensor<6xf64>
  }
  func.func private @signbit(%arg0: tensor<6xf64>) -> tensor<6xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<6xf64>) -> tensor<6xi64>
    %c = stablehlo.constant dense<63> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<6xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %5 = stablehlo.convert %4 : tensor<6xi1>
    return %5 : tensor<6xi1>
  }
  func.func private @argmax(%arg0: tensor<3x6xi1>) -> tensor<6xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<3x6xi64>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<3x6xi1>, tensor<3x6xi64>, tensor<i1>, tensor<i64>) -> (tensor<6xi1>, tensor<6xi64>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i64>
    }
    return %1#1 : tensor<6xi64>
  }
}
