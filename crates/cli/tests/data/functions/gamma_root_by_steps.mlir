module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>, %arg1: tensor<4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[-59.963350101410789, 98.001075418599967, -56.676285746907027, 13.931260938727968, -1.2391658386738125]> : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<[1.000000e+00, 1.9544885833814176, 4.6762791289888153, 86.360242139089053, -225.46268785411937, 200.26021238006066, -82.037225616833339, 15.90562251262117, -1.1833162112133]> : tensor<9xf64>
    %cst_1 = stablehlo.constant dense<[3.2377489177694603, 6.9152288906898418, 3.9388102529247444, 1.3330346081580755, 0.20148538954917908, 0.012371663481782003, 3.0158155350823543E-4, 2.6580697468673755E-6, 6.2397453918498331E-9]> : tensor<9xf64>
    %cst_2 = stablehlo.constant dense<[1.000000e+00, 6.02427039364742, 3.6798356385616087, 1.3770209948908132, 0.21623699359449663, 0.013420400608854318, 3.2801446468212774E-4, 2.8924786474538068E-6, 6.7901940800998127E-9]> : tensor<9xf64>
    %cst_3 = stablehlo.constant dense<[4.0554489230596245, 31.525109459989388, 57.162819224642128, 44.080507389320083, 14.684956192885803, 2.1866330685079025, -0.14025607917135449, -0.035042462682784818, -8.5745678515468544E-4]> : tensor<9xf64>
    %cst_4 = stablehlo.constant dense<[1.000000e+00, 15.779988325646675, 45.390763512887922, 41.317203825467203, 15.04253856929075, 2.5046494620830941, -0.14218292285478779, -0.038080640769157827, -9.3325948089545744E-4]> : tensor<9xf64>
    %cst_5 = stablehlo.constant dense<0.8646647167633873> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.compare GT, %arg1, %0, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %3 = stablehlo.subtract %2, %arg1 : tensor<4xf64>
    %4 = call @_where(%1, %3, %arg1) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %6 = stablehlo.compare EQ, %4, %5, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %8 = call @_where(%6, %7, %4) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %10 = stablehlo.subtract %8, %9 : tensor<4xf64>
    %11 = chlo.square %10 : tensor<4xf64> -> tensor<4xf64>
    %12 = stablehlo.multiply %10, %11 : tensor<4xf64>
    %13 = call @polyval(%cst, %11) : (tensor<5xf64>, tensor<4xf64>) -> tensor<4xf64>
    %14 = call @polyval_0(%cst_0, %11) : (tensor<9xf64>, tensor<4xf64>) -> tensor<4xf64>
    %15 = stablehlo.divide %13, %14 : tensor<4xf64>
    %16 = stablehlo.multiply %12, %15 : tensor<4xf64>
    %17 = stablehlo.add %10, %16 : tensor<4xf64>
    %cst_10 = stablehlo.constant dense<-2.5066282746310002> : tensor<f64>
    %18 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %19 = stablehlo.multiply %17, %18 : tensor<4xf64>
    %20 = stablehlo.log %8 : tensor<4xf64>
    %cst_11 = stablehlo.constant dense<-2.000000e+00> : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %22 = stablehlo.multiply %21, %20 : tensor<4xf64>
    %23 = stablehlo.sqrt %22 : tensor<4xf64>
    %24 = stablehlo.log %23 : tensor<4xf64>
    %25 = stablehlo.divide %24, %23 : tensor<4xf64>
    %26 = stablehlo.subtract %23, %25 : tensor<4xf64>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %28 = stablehlo.divide %27, %23 : tensor<4xf64>
    %29 = call @polyval_0(%cst_1, %28) : (tensor<9xf64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %30 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %31 = stablehlo.divide %30, %23 : tensor<4xf64>
    %32 = call @polyval_0(%cst_2, %31) : (tensor<9xf64>, tensor<4xf64>) -> tensor<4xf64>
    %33 = stablehlo.divide %29, %32 : tensor<4xf64>
    %34 = stablehlo.divide %33, %23 : tensor<4xf64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %35 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %36 = stablehlo.divide %35, %23 : tensor<4xf64>
    %37 = call @polyval_0(%cst_3, %36) : (tensor<9xf64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %38 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %39 = stablehlo.divide %38, %23 : tensor<4xf64>
    %40 = call @polyval_0(%cst_4, %39) : (tensor<9xf64>, tensor<4xf64>) -> tensor<4xf64>
    %41 = stablehlo.divide %37, %40 : tensor<4xf64>
    %42 = stablehlo.divide %41, %23 : tensor<4xf64>
    %43 = stablehlo.subtract %26, %34 : tensor<4xf64>
    %44 = stablehlo.subtract %26, %42 : tensor<4xf64>
    %cst_16 = stablehlo.constant dense<0.1353352832366127> : tensor<f64>
    %45 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %46 = stablehlo.compare GT, %8, %45, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_17 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %48 = stablehlo.compare GE, %23, %47, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %49 = call @_where(%48, %43, %44) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %50 = call @_where(%46, %19, %49) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_18 = stablehlo.constant dense<0.8646647167633873> : tensor<f64>
    %51 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %52 = stablehlo.compare GT, %arg1, %51, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %53 = stablehlo.negate %50 : tensor<4xf64>
    %54 = call @_where(%52, %50, %53) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_19 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %55 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %57 = stablehlo.compare EQ, %arg1, %56, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %58 = stablehlo.negate %55 : tensor<4xf64>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %59 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %60 = stablehlo.compare EQ, %arg1, %59, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %61 = call @_where(%60, %55, %54) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %62 = call @_where(%57, %58, %61) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %cst_22 = stablehlo.constant dense<9.000000e+00> : tensor<f64>
    %63 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %64 = stablehlo.multiply %63, %arg0 : tensor<4xf64>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %65 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %66 = stablehlo.divide %65, %64 : tensor<4xf64>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %67 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %68 = stablehlo.subtract %67, %66 : tensor<4xf64>
    %69 = stablehlo.sqrt %arg0 : tensor<4xf64>
    %cst_25 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %70 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %71 = stablehlo.multiply %70, %69 : tensor<4xf64>
    %72 = stablehlo.divide %62, %71 : tensor<4xf64>
    %73 = stablehlo.add %68, %72 : tensor<4xf64>
    %74 = stablehlo.multiply %73, %73 : tensor<4xf64>
    %75 = stablehlo.multiply %74, %73 : tensor<4xf64>
    %76 = stablehlo.multiply %arg0, %75 : tensor<4xf64>
    %cst_26 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %77 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %78 = stablehlo.multiply %77, %arg0 : tensor<4xf64>
    %79 = stablehlo.compare GT, %76, %78, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %80 = stablehlo.log %arg1 : tensor<4xf64>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %81 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %82 = stablehlo.add %arg0, %81 : tensor<4xf64>
    %83 = chlo.lgamma %82 : tensor<4xf64> -> tensor<4xf64>
    %84 = stablehlo.add %80, %83 : tensor<4xf64>
    %85 = stablehlo.divide %84, %arg0 : tensor<4xf64>
    %86 = stablehlo.exponential %85 : tensor<4xf64>
    %87 = call @_where(%79, %76, %86) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %88:4 = stablehlo.while(%iterArg = %arg0, %iterArg_29 = %arg1, %iterArg_30 = %c, %iterArg_31 = %87) : tensor<4xf64>, tensor<4xf64>, tensor<i64>, tensor<4xf64>
    cond {
      %c_32 = stablehlo.constant dense<10> : tensor<i64>
      %90 = stablehlo.compare LT, %iterArg_30, %c_32, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %90 = func.call @closed_call_2(%iterArg, %iterArg_29, %iterArg_31) : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      %c_32 = stablehlo.constant dense<1> : tensor<i64>
      %91 = stablehlo.add %iterArg_30, %c_32 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_29, %91, %90 : tensor<4xf64>, tensor<4xf64>, tensor<i64>, tensor<4xf64>
    }
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %89 = stablehlo.reduce(%88#3 init: %cst_28) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %89 : tensor<f64>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<4xf64>, %arg2: tensor<4xf64>) -> tensor<4xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xf64>
    return %0 : tensor<4xf64>
  }
  func.func private @polyval(%arg0: tensor<5xf64>, %arg1: tensor<4xf64>) -> tensor<4xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<5xf64>) -> tensor<0xf64>
    %2 = stablehlo.slice %arg0 [0:5] : (tensor<5xf64>) -> tensor<5xf64>
    %3 = stablehlo.slice %2 [0:1] : (tensor<5xf64>) -> tensor<1xf64>
    %4 = stablehlo.reshape %3 : (tensor<1xf64>) -> tensor<f64>
    %5 = call @closed_call(%arg1, %0, %4) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %6 = stablehlo.slice %2 [1:2] : (tensor<5xf64>) -> tensor<1xf64>
    %7 = stablehlo.reshape %6 : (tensor<1xf64>) -> tensor<f64>
    %8 = call @closed_call(%arg1, %5, %7) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %9 = stablehlo.slice %2 [2:3] : (tensor<5xf64>) -> tensor<1xf64>
    %10 = stablehlo.reshape %9 : (tensor<1xf64>) -> tensor<f64>
    %11 = call @closed_call(%arg1, %8, %10) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %12 = stablehlo.slice %2 [3:4] : (tensor<5xf64>) -> tensor<1xf64>
    %13 = stablehlo.reshape %12 : (tensor<1xf64>) -> tensor<f64>
    %14 = call @closed_call(%arg1, %11, %13) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %15 = stablehlo.slice %2 [4:5] : (tensor<5xf64>) -> tensor<1xf64>
    %16 = stablehlo.reshape %15 : (tensor<1xf64>) -> tensor<f64>
    %17 = call @closed_call(%arg1, %14, %16) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    return %17 : tensor<4xf64>
  }
  func.func private @closed_call(%arg0: tensor<4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<f64>) -> tensor<4xf64> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<4xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %2 = stablehlo.add %0, %1 : tensor<4xf64>
    return %2 : tensor<4xf64>
  }
  func.func private @polyval_0(%arg0: tensor<9xf64>, %arg1: tensor<4xf64>) -> tensor<4xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<9xf64>) -> tensor<0xf64>
    %2 = stablehlo.slice %arg0 [0:9] : (tensor<9xf64>) -> tensor<9xf64>
    %3 = stablehlo.slice %2 [0:1] : (tensor<9xf64>) -> tensor<1xf64>
    %4 = stablehlo.reshape %3 : (tensor<1xf64>) -> tensor<f64>
    %5 = call @closed_call_1(%arg1, %0, %4) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %6 = stablehlo.slice %2 [1:2] : (tensor<9xf64>) -> tensor<1xf64>
    %7 = stablehlo.reshape %6 : (tensor<1xf64>) -> tensor<f64>
    %8 = call @closed_call_1(%arg1, %5, %7) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %9 = stablehlo.slice %2 [2:3] : (tensor<9xf64>) -> tensor<1xf64>
    %10 = stablehlo.reshape %9 : (tensor<1xf64>) -> tensor<f64>
    %11 = call @closed_call_1(%arg1, %8, %10) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %12 = stablehlo.slice %2 [3:4] : (tensor<9xf64>) -> tensor<1xf64>
    %13 = stablehlo.reshape %12 : (tensor<1xf64>) -> tensor<f64>
    %14 = call @closed_call_1(%arg1, %11, %13) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %15 = stablehlo.slice %2 [4:5] : (tensor<9xf64>) -> tensor<1xf64>
    %16 = stablehlo.reshape %15 : (tensor<1xf64>) -> tensor<f64>
    %17 = call @closed_call_1(%arg1, %14, %16) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %18 = stablehlo.slice %2 [5:6] : (tensor<9xf64>) -> tensor<1xf64>
    %19 = stablehlo.reshape %18 : (tensor<1xf64>) -> tensor<f64>
    %20 = call @closed_call_1(%arg1, %17, %19) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %21 = stablehlo.slice %2 [6:7] : (tensor<9xf64>) -> tensor<1xf64>
    %22 = stablehlo.reshape %21 : (tensor<1xf64>) -> tensor<f64>
    %23 = call @closed_call_1(%arg1, %20, %22) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %24 = stablehlo.slice %2 [7:8] : (tensor<9xf64>) -> tensor<1xf64>
    %25 = stablehlo.reshape %24 : (tensor<1xf64>) -> tensor<f64>
    %26 = call @closed_call_1(%arg1, %23, %25) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %27 = stablehlo.slice %2 [8:9] : (tensor<9xf64>) -> tensor<1xf64>
    %28 = stablehlo.reshape %27 : (tensor<1xf64>) -> tensor<f64>
    %29 = call @closed_call_1(%arg1, %26, %28) : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    return %29 : tensor<4xf64>
  }
  func.func private @closed_call_1(%arg0: tensor<4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<f64>) -> tensor<4xf64> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<4xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %2 = stablehlo.add %0, %1 : tensor<4xf64>
    return %2 : tensor<4xf64>
  }
  func.func private @closed_call_2(%arg0: tensor<4xf64>, %arg1: tensor<4xf64>, %arg2: tensor<4xf64>) -> tensor<4xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.subtract %arg0, %0 : tensor<4xf64>
    %2 = stablehlo.log %arg2 : tensor<4xf64>
    %3 = stablehlo.multiply %1, %2 : tensor<4xf64>
    %4 = stablehlo.subtract %3, %arg2 : tensor<4xf64>
    %5 = chlo.lgamma %arg0 : tensor<4xf64> -> tensor<4xf64>
    %6 = stablehlo.subtract %4, %5 : tensor<4xf64>
    %7 = stablehlo.exponential %6 : tensor<4xf64>
    %8 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %9 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %10 = stablehlo.or %8, %9 : tensor<4xi1>
    %cst_0 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %12 = stablehlo.compare EQ, %arg2, %11, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %16 = stablehlo.compare EQ, %arg2, %15, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %18 = stablehlo.compare LT, %arg2, %17, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %20 = stablehlo.compare LT, %arg0, %19, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %21 = stablehlo.and %14, %16 : tensor<4xi1>
    %22 = stablehlo.or %18, %20 : tensor<4xi1>
    %23 = stablehlo.or %22, %21 : tensor<4xi1>
    %24 = stablehlo.or %23, %10 : tensor<4xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %26 = stablehlo.compare GE, %arg2, %25, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %27 = stablehlo.compare GT, %arg2, %arg0, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %28 = stablehlo.and %26, %27 : tensor<4xi1>
    %29 = stablehlo.log %arg2 : tensor<4xf64>
    %30 = stablehlo.multiply %arg0, %29 : tensor<4xf64>
    %31 = stablehlo.subtract %30, %arg2 : tensor<4xf64>
    %32 = chlo.lgamma %arg0 : tensor<4xf64> -> tensor<4xf64>
    %33 = stablehlo.subtract %31, %32 : tensor<4xf64>
    %cst_6 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
    %34 = stablehlo.log %cst_6 : tensor<f64>
    %35 = stablehlo.negate %34 : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %37 = stablehlo.compare LT, %33, %36, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %38 = stablehlo.exponential %33 : tensor<4xf64>
    %39 = stablehlo.or %16, %24 : tensor<4xi1>
    %40 = stablehlo.or %39, %37 : tensor<4xi1>
    %41 = stablehlo.or %40, %12 : tensor<4xi1>
    %42 = stablehlo.not %41 : tensor<4xi1>
    %43 = stablehlo.and %42, %28 : tensor<4xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %44 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %45 = stablehlo.subtract %44, %arg0 : tensor<4xf64>
    %46 = stablehlo.add %arg2, %45 : tensor<4xf64>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %48 = stablehlo.add %46, %47 : tensor<4xf64>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %50 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %51 = stablehlo.add %arg2, %50 : tensor<4xf64>
    %52 = stablehlo.multiply %48, %arg2 : tensor<4xf64>
    %53 = stablehlo.divide %51, %52 : tensor<4xf64>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %54 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %55 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %57 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %58 = stablehlo.negate %arg2 : tensor<4xf64>
    %59 = stablehlo.multiply %53, %58 : tensor<4xf64>
    %60 = stablehlo.subtract %57, %59 : tensor<4xf64>
    %61 = stablehlo.divide %60, %52 : tensor<4xf64>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %62:15 = stablehlo.while(%iterArg = %43, %iterArg_26 = %53, %iterArg_27 = %54, %iterArg_28 = %45, %iterArg_29 = %48, %iterArg_30 = %cst_15, %iterArg_31 = %51, %iterArg_32 = %52, %iterArg_33 = %49, %iterArg_34 = %arg2, %iterArg_35 = %55, %iterArg_36 = %56, %iterArg_37 = %57, %iterArg_38 = %58, %iterArg_39 = %61) : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<f64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    cond {
      %cst_40 = stablehlo.constant dense<2.000000e+03> : tensor<f64>
      %90 = stablehlo.compare LT, %iterArg_30, %cst_40, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %91 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      %92 = stablehlo.and %90, %91 : tensor<i1>
      stablehlo.return %92 : tensor<i1>
    } do {
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %90 = stablehlo.add %iterArg_30, %cst_40 : tensor<f64>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %91 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %92 = stablehlo.add %iterArg_28, %91 : tensor<4xf64>
      %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %93 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %94 = stablehlo.add %iterArg_29, %93 : tensor<4xf64>
      %95 = stablehlo.broadcast_in_dim %90, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %96 = stablehlo.multiply %92, %95 : tensor<4xf64>
      %97 = stablehlo.multiply %iterArg_31, %94 : tensor<4xf64>
      %98 = stablehlo.multiply %iterArg_33, %96 : tensor<4xf64>
      %99 = stablehlo.subtract %97, %98 : tensor<4xf64>
      %100 = stablehlo.multiply %iterArg_32, %94 : tensor<4xf64>
      %101 = stablehlo.multiply %iterArg_34, %96 : tensor<4xf64>
      %102 = stablehlo.subtract %100, %101 : tensor<4xf64>
      %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %103 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %104 = stablehlo.compare NE, %102, %103, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %105 = stablehlo.divide %99, %102 : tensor<4xf64>
      %106 = stablehlo.subtract %iterArg_26, %105 : tensor<4xf64>
      %107 = stablehlo.divide %106, %105 : tensor<4xf64>
      %108 = stablehlo.abs %107 : tensor<4xf64>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %109 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %110 = stablehlo.select %104, %108, %109 : tensor<4xi1>, tensor<4xf64>
      %111 = stablehlo.select %104, %105, %iterArg_26 : tensor<4xi1>, tensor<4xf64>
      %112 = stablehlo.multiply %iterArg_37, %94 : tensor<4xf64>
      %113 = stablehlo.subtract %112, %iterArg_31 : tensor<4xf64>
      %114 = stablehlo.multiply %iterArg_35, %96 : tensor<4xf64>
      %115 = stablehlo.subtract %113, %114 : tensor<4xf64>
      %116 = stablehlo.broadcast_in_dim %90, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %117 = stablehlo.multiply %iterArg_33, %116 : tensor<4xf64>
      %118 = stablehlo.add %115, %117 : tensor<4xf64>
      %119 = stablehlo.multiply %iterArg_38, %94 : tensor<4xf64>
      %120 = stablehlo.subtract %119, %iterArg_32 : tensor<4xf64>
      %121 = stablehlo.multiply %iterArg_36, %96 : tensor<4xf64>
      %122 = stablehlo.subtract %120, %121 : tensor<4xf64>
      %123 = stablehlo.broadcast_in_dim %90, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %124 = stablehlo.multiply %iterArg_34, %123 : tensor<4xf64>
      %125 = stablehlo.add %122, %124 : tensor<4xf64>
      %126 = stablehlo.multiply %111, %125 : tensor<4xf64>
      %127 = stablehlo.subtract %118, %126 : tensor<4xf64>
      %128 = stablehlo.divide %127, %102 : tensor<4xf64>
      %129 = stablehlo.select %104, %128, %iterArg_39 : tensor<4xi1>, tensor<4xf64>
      %130 = stablehlo.subtract %129, %iterArg_39 : tensor<4xf64>
      %131 = stablehlo.abs %130 : tensor<4xf64>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %132 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %133 = stablehlo.select %104, %131, %132 : tensor<4xi1>, tensor<4xf64>
      %134 = stablehlo.abs %99 : tensor<4xf64>
      %cst_46 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %135 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<f64>
      %136 = stablehlo.divide %135, %cst_46 : tensor<f64>
      %137 = stablehlo.broadcast_in_dim %136, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %138 = stablehlo.compare GT, %134, %137, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %cst_48 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %139 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %140 = stablehlo.multiply %iterArg_31, %139 : tensor<4xf64>
      %141 = stablehlo.select %138, %140, %iterArg_31 : tensor<4xi1>, tensor<4xf64>
      %cst_49 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %142 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %143 = stablehlo.multiply %99, %142 : tensor<4xf64>
      %144 = stablehlo.select %138, %143, %99 : tensor<4xi1>, tensor<4xf64>
      %cst_50 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %145 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %146 = stablehlo.multiply %iterArg_32, %145 : tensor<4xf64>
      %147 = stablehlo.select %138, %146, %iterArg_32 : tensor<4xi1>, tensor<4xf64>
      %cst_51 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %148 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %149 = stablehlo.multiply %102, %148 : tensor<4xf64>
      %150 = stablehlo.select %138, %149, %102 : tensor<4xi1>, tensor<4xf64>
      %cst_52 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %151 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %152 = stablehlo.multiply %iterArg_37, %151 : tensor<4xf64>
      %153 = stablehlo.select %138, %152, %iterArg_37 : tensor<4xi1>, tensor<4xf64>
      %cst_53 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %154 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %155 = stablehlo.multiply %iterArg_38, %154 : tensor<4xf64>
      %156 = stablehlo.select %138, %155, %iterArg_38 : tensor<4xi1>, tensor<4xf64>
      %cst_54 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %157 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %158 = stablehlo.multiply %118, %157 : tensor<4xf64>
      %159 = stablehlo.select %138, %158, %118 : tensor<4xi1>, tensor<4xf64>
      %cst_55 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %160 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %161 = stablehlo.multiply %125, %160 : tensor<4xf64>
      %162 = stablehlo.select %138, %161, %125 : tensor<4xi1>, tensor<4xf64>
      %cst_56 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %163 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %164 = stablehlo.compare GT, %110, %163, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %165 = stablehlo.and %iterArg, %164 : tensor<4xi1>
      %166 = stablehlo.select %iterArg, %111, %iterArg_26 : tensor<4xi1>, tensor<4xf64>
      %167 = stablehlo.select %iterArg, %110, %iterArg_27 : tensor<4xi1>, tensor<4xf64>
      %168 = stablehlo.select %iterArg, %92, %iterArg_28 : tensor<4xi1>, tensor<4xf64>
      %169 = stablehlo.select %iterArg, %94, %iterArg_29 : tensor<4xi1>, tensor<4xf64>
      %170 = stablehlo.select %iterArg, %144, %iterArg_31 : tensor<4xi1>, tensor<4xf64>
      %171 = stablehlo.select %iterArg, %150, %iterArg_32 : tensor<4xi1>, tensor<4xf64>
      %172 = stablehlo.select %iterArg, %141, %iterArg_33 : tensor<4xi1>, tensor<4xf64>
      %173 = stablehlo.select %iterArg, %147, %iterArg_34 : tensor<4xi1>, tensor<4xf64>
      %174 = stablehlo.select %iterArg, %153, %iterArg_35 : tensor<4xi1>, tensor<4xf64>
      %175 = stablehlo.select %iterArg, %156, %iterArg_36 : tensor<4xi1>, tensor<4xf64>
      %176 = stablehlo.select %iterArg, %159, %iterArg_37 : tensor<4xi1>, tensor<4xf64>
      %177 = stablehlo.select %iterArg, %162, %iterArg_38 : tensor<4xi1>, tensor<4xf64>
      %178 = stablehlo.select %iterArg, %129, %iterArg_39 : tensor<4xi1>, tensor<4xf64>
      stablehlo.return %165, %166, %167, %168, %169, %90, %170, %171, %172, %173, %174, %175, %176, %177, %178 : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<f64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    }
    %63 = stablehlo.multiply %62#1, %38 : tensor<4xf64>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %64 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %65 = stablehlo.subtract %64, %63 : tensor<4xf64>
    %66 = stablehlo.not %28 : tensor<4xi1>
    %67 = stablehlo.and %42, %66 : tensor<4xi1>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %68 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %69 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %70 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %71 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %72:7 = stablehlo.while(%iterArg = %67, %iterArg_26 = %arg0, %iterArg_27 = %68, %iterArg_28 = %69, %iterArg_29 = %arg2, %iterArg_30 = %70, %iterArg_31 = %71) : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %90 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %90 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %91 = stablehlo.add %iterArg_26, %90 : tensor<4xf64>
      %92 = stablehlo.divide %iterArg_29, %91 : tensor<4xf64>
      %93 = stablehlo.multiply %iterArg_30, %92 : tensor<4xf64>
      %94 = stablehlo.multiply %iterArg_27, %iterArg_29 : tensor<4xf64>
      %95 = stablehlo.multiply %91, %91 : tensor<4xf64>
      %96 = stablehlo.divide %94, %95 : tensor<4xf64>
      %97 = stablehlo.subtract %93, %96 : tensor<4xf64>
      %98 = stablehlo.add %iterArg_31, %97 : tensor<4xf64>
      %99 = stablehlo.divide %iterArg_29, %91 : tensor<4xf64>
      %100 = stablehlo.multiply %iterArg_27, %99 : tensor<4xf64>
      %101 = stablehlo.add %iterArg_28, %100 : tensor<4xf64>
      %102 = stablehlo.divide %100, %101 : tensor<4xf64>
      %cst_33 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %103 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %104 = stablehlo.compare GT, %102, %103, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %105 = stablehlo.and %iterArg, %104 : tensor<4xi1>
      %106 = stablehlo.select %iterArg, %91, %iterArg_26 : tensor<4xi1>, tensor<4xf64>
      %107 = stablehlo.select %iterArg, %100, %iterArg_27 : tensor<4xi1>, tensor<4xf64>
      %108 = stablehlo.select %iterArg, %101, %iterArg_28 : tensor<4xi1>, tensor<4xf64>
      %109 = stablehlo.select %iterArg, %iterArg_29, %iterArg_29 : tensor<4xi1>, tensor<4xf64>
      %110 = stablehlo.select %iterArg, %97, %iterArg_30 : tensor<4xi1>, tensor<4xf64>
      %111 = stablehlo.select %iterArg, %98, %iterArg_31 : tensor<4xi1>, tensor<4xf64>
      stablehlo.return %105, %106, %107, %108, %109, %110, %111 : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    }
    %73 = stablehlo.multiply %72#3, %38 : tensor<4xf64>
    %74 = stablehlo.divide %73, %arg0 : tensor<4xf64>
    %75 = stablehlo.select %28, %65, %74 : tensor<4xi1>, tensor<4xf64>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %76 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %77 = stablehlo.select %16, %76, %75 : tensor<4xi1>, tensor<4xf64>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %78 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %79 = stablehlo.select %12, %78, %77 : tensor<4xi1>, tensor<4xf64>
    %cst_23 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %80 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %81 = stablehlo.select %24, %80, %79 : tensor<4xi1>, tensor<4xf64>
    %82 = stablehlo.subtract %81, %arg1 : tensor<4xf64>
    %83 = stablehlo.divide %82, %7 : tensor<4xf64>
    %84 = stablehlo.subtract %arg2, %83 : tensor<4xf64>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %85 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %86 = stablehlo.compare GT, %84, %85, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %cst_25 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %87 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %88 = stablehlo.divide %arg2, %87 : tensor<4xf64>
    %89 = call @_where(%86, %84, %88) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    return %89 : tensor<4xf64>
  }
}
