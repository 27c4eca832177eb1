module @jit_loops attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>) -> (tensor<4xf64> {jax.result_info = "result[0]"}, tensor<f64> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:4 = stablehlo.while(%iterArg = %arg0, %iterArg_6 = %c_0, %iterArg_7 = %c, %iterArg_8 = %arg0) : tensor<4xf64>, tensor<i64>, tensor<i64>, tensor<4xf64>
    cond {
      %c_9 = stablehlo.constant dense<5> : tensor<i64>
      %9 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9:2 = func.call @closed_call(%iterArg, %iterArg_7, %iterArg_8) : (tensor<4xf64>, tensor<i64>, tensor<4xf64>) -> (tensor<i64>, tensor<4xf64>)
      %c_9 = stablehlo.constant dense<1> : tensor<i64>
      %10 = stablehlo.add %iterArg_6, %c_9 : tensor<i64>
      stablehlo.return %iterArg, %10, %9#0, %9#1 : tensor<4xf64>, tensor<i64>, tensor<i64>, tensor<4xf64>
    }
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %2:4 = stablehlo.while(%iterArg = %0#3, %iterArg_6 = %c_2, %iterArg_7 = %cst, %iterArg_8 = %1) : tensor<4xf64>, tensor<i64>, tensor<f64>, tensor<4xf64>
    cond {
      %c_9 = stablehlo.constant dense<4> : tensor<i64>
      %9 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<4xf64>, tensor<i64>) -> tensor<f64>
      %10:2 = func.call @closed_call_0(%iterArg_7, %9) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
      %11 = func.call @dynamic_update_index_in_dim(%iterArg_8, %10#1, %iterArg_6) : (tensor<4xf64>, tensor<f64>, tensor<i64>) -> tensor<4xf64>
      %c_9 = stablehlo.constant dense<1> : tensor<i64>
      %12 = stablehlo.add %iterArg_6, %c_9 : tensor<i64>
      stablehlo.return %iterArg, %12, %10#0, %11 : tensor<4xf64>, tensor<i64>, tensor<f64>, tensor<4xf64>
    }
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.compare GT, %2#2, %cst_3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %4 = stablehlo.convert %3 : (tensor<i1>) -> tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      %9 = stablehlo.negate %2#3 : tensor<4xf64>
      stablehlo.return %9 : tensor<4xf64>
    }, {
      stablehlo.return %2#3 : tensor<4xf64>
    }) : (tensor<i32>) -> tensor<4xf64>
    %6 = stablehlo.convert %2#2 : (tensor<f64>) -> tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %7 = stablehlo.clamp %c_4, %6, %c_5 : tensor<i32>
    %8 = "stablehlo.case"(%7) ({
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      stablehlo.return %cst_6 : tensor<f64>
    }, {
      stablehlo.return %2#2 : tensor<f64>
    }, {
      %9 = stablehlo.multiply %2#2, %2#2 : tensor<f64>
      stablehlo.return %9 : tensor<f64>
    }) : (tensor<i32>) -> tensor<f64>
    return %5, %8 : tensor<4xf64>, tensor<f64>
  }
  func.func private @closed_call(%arg0: tensor<4xf64>, %arg1: tensor<i64>, %arg2: tensor<4xf64>) -> (tensor<i64>, tensor<4xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %2 = stablehlo.multiply %arg2, %1 : tensor<4xf64>
    %3 = stablehlo.sine %arg0 : tensor<4xf64>
    %4 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %6 = stablehlo.multiply %3, %5 : tensor<4xf64>
    %7 = stablehlo.add %2, %6 : tensor<4xf64>
    return %0, %7 : tensor<i64>, tensor<4xf64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4xf64>, %arg1: tensor<i64>) -> tensor<f64> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<4xf64>, tensor<i64>) -> tensor<1xf64>
    %1 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @closed_call_0(%arg0: tensor<f64>, %arg1: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    %0 = stablehlo.convert %arg0 : tensor<f64>
    %1 = stablehlo.add %0, %arg1 : tensor<f64>
    %2 = stablehlo.convert %arg0 : tensor<f64>
    %3 = stablehlo.multiply %2, %arg1 : tensor<f64>
    return %1, %3 : tensor<f64>, tensor<f64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4xf64>, %arg1: tensor<f64>, %arg2: tensor<i64>) -> tensor<4xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<4xf64>, tensor<1xf64>, tensor<i64>) -> tensor<4xf64>
    return %1 : tensor<4xf64>
  }
}
