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
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %88 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %89:4 = stablehlo.while(%iterArg = %arg0, %iterArg_30 = %arg1, %iterArg_31 = %87, %iterArg_32 = %88) : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    cond {
      %91 = stablehlo.subtract %iterArg_31, %iterArg_32 : tensor<4xf64>
      %92 = stablehlo.abs %91 : tensor<4xf64>
      %cst_33 = stablehlo.constant dense<9.9999999999999995E-7> : tensor<f64>
      %93 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %94 = stablehlo.multiply %93, %iterArg_31 : tensor<4xf64>
      %95 = stablehlo.compare GT, %92, %94, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %96 = stablehlo.reduce(%95 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %96 : tensor<i1>
    } do {
      %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %91 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %92 = stablehlo.subtract %iterArg, %91 : tensor<4xf64>
      %93 = stablehlo.log %iterArg_31 : tensor<4xf64>
      %94 = stablehlo.multiply %92, %93 : tensor<4xf64>
      %95 = stablehlo.subtract %94, %iterArg_31 : tensor<4xf64>
      %96 = chlo.lgamma %iterArg : tensor<4xf64> -> tensor<4xf64>
      %97 = stablehlo.subtract %95, %96 : tensor<4xf64>
      %98 = stablehlo.exponential %97 : tensor<4xf64>
      %99 = stablehlo.compare NE, %iterArg, %iterArg, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %100 = stablehlo.compare NE, %iterArg_31, %iterArg_31, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %101 = stablehlo.or %99, %100 : tensor<4xi1>
      %cst_34 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
      %102 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %103 = stablehlo.compare EQ, %iterArg_31, %102, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %104 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %105 = stablehlo.compare EQ, %iterArg, %104, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %106 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %107 = stablehlo.compare EQ, %iterArg_31, %106, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %108 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %109 = stablehlo.compare LT, %iterArg_31, %108, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %110 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %111 = stablehlo.compare LT, %iterArg, %110, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %112 = stablehlo.and %105, %107 : tensor<4xi1>
      %113 = stablehlo.or %109, %111 : tensor<4xi1>
      %114 = stablehlo.or %113, %112 : tensor<4xi1>
      %115 = stablehlo.or %114, %101 : tensor<4xi1>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %116 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %117 = stablehlo.compare GE, %iterArg_31, %116, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %118 = stablehlo.compare GT, %iterArg_31, %iterArg, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %119 = stablehlo.and %117, %118 : tensor<4xi1>
      %120 = stablehlo.log %iterArg_31 : tensor<4xf64>
      %121 = stablehlo.multiply %iterArg, %120 : tensor<4xf64>
      %122 = stablehlo.subtract %121, %iterArg_31 : tensor<4xf64>
      %123 = chlo.lgamma %iterArg : tensor<4xf64> -> tensor<4xf64>
      %124 = stablehlo.subtract %122, %123 : tensor<4xf64>
      %cst_40 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
      %125 = stablehlo.log %cst_40 : tensor<f64>
      %126 = stablehlo.negate %125 : tensor<f64>
      %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %128 = stablehlo.compare LT, %124, %127, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %129 = stablehlo.exponential %124 : tensor<4xf64>
      %130 = stablehlo.or %107, %115 : tensor<4xi1>
      %131 = stablehlo.or %130, %128 : tensor<4xi1>
      %132 = stablehlo.or %131, %103 : tensor<4xi1>
      %133 = stablehlo.not %132 : tensor<4xi1>
      %134 = stablehlo.and %133, %119 : tensor<4xi1>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %135 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %136 = stablehlo.subtract %135, %iterArg : tensor<4xf64>
      %137 = stablehlo.add %iterArg_31, %136 : tensor<4xf64>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %138 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %139 = stablehlo.add %137, %138 : tensor<4xf64>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %140 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %141 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %142 = stablehlo.add %iterArg_31, %141 : tensor<4xf64>
      %143 = stablehlo.multiply %139, %iterArg_31 : tensor<4xf64>
      %144 = stablehlo.divide %142, %143 : tensor<4xf64>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %145 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %146 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %147 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %148 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %149 = stablehlo.negate %iterArg_31 : tensor<4xf64>
      %150 = stablehlo.multiply %144, %149 : tensor<4xf64>
      %151 = stablehlo.subtract %148, %150 : tensor<4xf64>
      %152 = stablehlo.divide %151, %143 : tensor<4xf64>
      %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %153:15 = stablehlo.while(%iterArg_60 = %134, %iterArg_61 = %144, %iterArg_62 = %145, %iterArg_63 = %136, %iterArg_64 = %139, %iterArg_65 = %cst_49, %iterArg_66 = %142, %iterArg_67 = %143, %iterArg_68 = %140, %iterArg_69 = %iterArg_31, %iterArg_70 = %146, %iterArg_71 = %147, %iterArg_72 = %148, %iterArg_73 = %149, %iterArg_74 = %152) : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<f64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
      cond {
        %cst_75 = stablehlo.constant dense<2.000000e+03> : tensor<f64>
        %181 = stablehlo.compare LT, %iterArg_65, %cst_75, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
        %c = stablehlo.constant dense<false> : tensor<i1>
        %182 = stablehlo.reduce(%iterArg_60 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
        %183 = stablehlo.and %181, %182 : tensor<i1>
        stablehlo.return %183 : tensor<i1>
      } do {
        %cst_75 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %181 = stablehlo.add %iterArg_65, %cst_75 : tensor<f64>
        %cst_76 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %182 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %183 = stablehlo.add %iterArg_63, %182 : tensor<4xf64>
        %cst_77 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
        %184 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %185 = stablehlo.add %iterArg_64, %184 : tensor<4xf64>
        %186 = stablehlo.broadcast_in_dim %181, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %187 = stablehlo.multiply %183, %186 : tensor<4xf64>
        %188 = stablehlo.multiply %iterArg_66, %185 : tensor<4xf64>
        %189 = stablehlo.multiply %iterArg_68, %187 : tensor<4xf64>
        %190 = stablehlo.subtract %188, %189 : tensor<4xf64>
        %191 = stablehlo.multiply %iterArg_67, %185 : tensor<4xf64>
        %192 = stablehlo.multiply %iterArg_69, %187 : tensor<4xf64>
        %193 = stablehlo.subtract %191, %192 : tensor<4xf64>
        %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
        %194 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %195 = stablehlo.compare NE, %193, %194, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
        %196 = stablehlo.divide %190, %193 : tensor<4xf64>
        %197 = stablehlo.subtract %iterArg_61, %196 : tensor<4xf64>
        %198 = stablehlo.divide %197, %196 : tensor<4xf64>
        %199 = stablehlo.abs %198 : tensor<4xf64>
        %cst_79 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %200 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %201 = stablehlo.select %195, %199, %200 : tensor<4xi1>, tensor<4xf64>
        %202 = stablehlo.select %195, %196, %iterArg_61 : tensor<4xi1>, tensor<4xf64>
        %203 = stablehlo.multiply %iterArg_72, %185 : tensor<4xf64>
        %204 = stablehlo.subtract %203, %iterArg_66 : tensor<4xf64>
        %205 = stablehlo.multiply %iterArg_70, %187 : tensor<4xf64>
        %206 = stablehlo.subtract %204, %205 : tensor<4xf64>
        %207 = stablehlo.broadcast_in_dim %181, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %208 = stablehlo.multiply %iterArg_68, %207 : tensor<4xf64>
        %209 = stablehlo.add %206, %208 : tensor<4xf64>
        %210 = stablehlo.multiply %iterArg_73, %185 : tensor<4xf64>
        %211 = stablehlo.subtract %210, %iterArg_67 : tensor<4xf64>
        %212 = stablehlo.multiply %iterArg_71, %187 : tensor<4xf64>
        %213 = stablehlo.subtract %211, %212 : tensor<4xf64>
        %214 = stablehlo.broadcast_in_dim %181, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %215 = stablehlo.multiply %iterArg_69, %214 : tensor<4xf64>
        %216 = stablehlo.add %213, %215 : tensor<4xf64>
        %217 = stablehlo.multiply %202, %216 : tensor<4xf64>
        %218 = stablehlo.subtract %209, %217 : tensor<4xf64>
        %219 = stablehlo.divide %218, %193 : tensor<4xf64>
        %220 = stablehlo.select %195, %219, %iterArg_74 : tensor<4xi1>, tensor<4xf64>
        %221 = stablehlo.subtract %220, %iterArg_74 : tensor<4xf64>
        %222 = stablehlo.abs %221 : tensor<4xf64>
        %cst_80 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %223 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %224 = stablehlo.select %195, %222, %223 : tensor<4xi1>, tensor<4xf64>
        %225 = stablehlo.abs %190 : tensor<4xf64>
        %cst_81 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %cst_82 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %226 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f64>) -> tensor<f64>
        %227 = stablehlo.divide %226, %cst_81 : tensor<f64>
        %228 = stablehlo.broadcast_in_dim %227, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %229 = stablehlo.compare GT, %225, %228, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
        %cst_83 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %230 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %231 = stablehlo.multiply %iterArg_66, %230 : tensor<4xf64>
        %232 = stablehlo.select %229, %231, %iterArg_66 : tensor<4xi1>, tensor<4xf64>
        %cst_84 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %233 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %234 = stablehlo.multiply %190, %233 : tensor<4xf64>
        %235 = stablehlo.select %229, %234, %190 : tensor<4xi1>, tensor<4xf64>
        %cst_85 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %236 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %237 = stablehlo.multiply %iterArg_67, %236 : tensor<4xf64>
        %238 = stablehlo.select %229, %237, %iterArg_67 : tensor<4xi1>, tensor<4xf64>
        %cst_86 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %239 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %240 = stablehlo.multiply %193, %239 : tensor<4xf64>
        %241 = stablehlo.select %229, %240, %193 : tensor<4xi1>, tensor<4xf64>
        %cst_87 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %242 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %243 = stablehlo.multiply %iterArg_72, %242 : tensor<4xf64>
        %244 = stablehlo.select %229, %243, %iterArg_72 : tensor<4xi1>, tensor<4xf64>
        %cst_88 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %245 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %246 = stablehlo.multiply %iterArg_73, %245 : tensor<4xf64>
        %247 = stablehlo.select %229, %246, %iterArg_73 : tensor<4xi1>, tensor<4xf64>
        %cst_89 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %248 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %249 = stablehlo.multiply %209, %248 : tensor<4xf64>
        %250 = stablehlo.select %229, %249, %209 : tensor<4xi1>, tensor<4xf64>
        %cst_90 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %251 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %252 = stablehlo.multiply %216, %251 : tensor<4xf64>
        %253 = stablehlo.select %229, %252, %216 : tensor<4xi1>, tensor<4xf64>
        %cst_91 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %254 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %255 = stablehlo.compare GT, %201, %254, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
        %256 = stablehlo.and %iterArg_60, %255 : tensor<4xi1>
        %257 = stablehlo.select %iterArg_60, %202, %iterArg_61 : tensor<4xi1>, tensor<4xf64>
        %258 = stablehlo.select %iterArg_60, %201, %iterArg_62 : tensor<4xi1>, tensor<4xf64>
        %259 = stablehlo.select %iterArg_60, %183, %iterArg_63 : tensor<4xi1>, tensor<4xf64>
        %260 = stablehlo.select %iterArg_60, %185, %iterArg_64 : tensor<4xi1>, tensor<4xf64>
        %261 = stablehlo.select %iterArg_60, %235, %iterArg_66 : tensor<4xi1>, tensor<4xf64>
        %262 = stablehlo.select %iterArg_60, %241, %iterArg_67 : tensor<4xi1>, tensor<4xf64>
        %263 = stablehlo.select %iterArg_60, %232, %iterArg_68 : tensor<4xi1>, tensor<4xf64>
        %264 = stablehlo.select %iterArg_60, %238, %iterArg_69 : tensor<4xi1>, tensor<4xf64>
        %265 = stablehlo.select %iterArg_60, %244, %iterArg_70 : tensor<4xi1>, tensor<4xf64>
        %266 = stablehlo.select %iterArg_60, %247, %iterArg_71 : tensor<4xi1>, tensor<4xf64>
        %267 = stablehlo.select %iterArg_60, %250, %iterArg_72 : tensor<4xi1>, tensor<4xf64>
        %268 = stablehlo.select %iterArg_60, %253, %iterArg_73 : tensor<4xi1>, tensor<4xf64>
        %269 = stablehlo.select %iterArg_60, %220, %iterArg_74 : tensor<4xi1>, tensor<4xf64>
        stablehlo.return %256, %257, %258, %259, %260, %181, %261, %262, %263, %264, %265, %266, %267, %268, %269 : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<f64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
      }
      %154 = stablehlo.multiply %153#1, %129 : tensor<4xf64>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %155 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %156 = stablehlo.subtract %155, %154 : tensor<4xf64>
      %157 = stablehlo.not %119 : tensor<4xi1>
      %158 = stablehlo.and %133, %157 : tensor<4xi1>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %159 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %160 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %161 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %162 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %163:7 = stablehlo.while(%iterArg_60 = %158, %iterArg_61 = %iterArg, %iterArg_62 = %159, %iterArg_63 = %160, %iterArg_64 = %iterArg_31, %iterArg_65 = %161, %iterArg_66 = %162) : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
      cond {
        %c = stablehlo.constant dense<false> : tensor<i1>
        %181 = stablehlo.reduce(%iterArg_60 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %181 : tensor<i1>
      } do {
        %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %181 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %182 = stablehlo.add %iterArg_61, %181 : tensor<4xf64>
        %183 = stablehlo.divide %iterArg_64, %182 : tensor<4xf64>
        %184 = stablehlo.multiply %iterArg_65, %183 : tensor<4xf64>
        %185 = stablehlo.multiply %iterArg_62, %iterArg_64 : tensor<4xf64>
        %186 = stablehlo.multiply %182, %182 : tensor<4xf64>
        %187 = stablehlo.divide %185, %186 : tensor<4xf64>
        %188 = stablehlo.subtract %184, %187 : tensor<4xf64>
        %189 = stablehlo.add %iterArg_66, %188 : tensor<4xf64>
        %190 = stablehlo.divide %iterArg_64, %182 : tensor<4xf64>
        %191 = stablehlo.multiply %iterArg_62, %190 : tensor<4xf64>
        %192 = stablehlo.add %iterArg_63, %191 : tensor<4xf64>
        %193 = stablehlo.divide %191, %192 : tensor<4xf64>
        %cst_68 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
        %194 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f64>) -> tensor<4xf64>
        %195 = stablehlo.compare GT, %193, %194, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
        %196 = stablehlo.and %iterArg_60, %195 : tensor<4xi1>
        %197 = stablehlo.select %iterArg_60, %182, %iterArg_61 : tensor<4xi1>, tensor<4xf64>
        %198 = stablehlo.select %iterArg_60, %191, %iterArg_62 : tensor<4xi1>, tensor<4xf64>
        %199 = stablehlo.select %iterArg_60, %192, %iterArg_63 : tensor<4xi1>, tensor<4xf64>
        %200 = stablehlo.select %iterArg_60, %iterArg_64, %iterArg_64 : tensor<4xi1>, tensor<4xf64>
        %201 = stablehlo.select %iterArg_60, %188, %iterArg_65 : tensor<4xi1>, tensor<4xf64>
        %202 = stablehlo.select %iterArg_60, %189, %iterArg_66 : tensor<4xi1>, tensor<4xf64>
        stablehlo.return %196, %197, %198, %199, %200, %201, %202 : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
      }
      %164 = stablehlo.multiply %163#3, %129 : tensor<4xf64>
      %165 = stablehlo.divide %164, %iterArg : tensor<4xf64>
      %166 = stablehlo.select %119, %156, %165 : tensor<4xi1>, tensor<4xf64>
      %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %167 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %168 = stablehlo.select %107, %167, %166 : tensor<4xi1>, tensor<4xf64>
      %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %169 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %170 = stablehlo.select %103, %169, %168 : tensor<4xi1>, tensor<4xf64>
      %cst_57 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %171 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %172 = stablehlo.select %115, %171, %170 : tensor<4xi1>, tensor<4xf64>
      %173 = stablehlo.subtract %172, %iterArg_30 : tensor<4xf64>
      %174 = stablehlo.divide %173, %98 : tensor<4xf64>
      %175 = stablehlo.subtract %iterArg_31, %174 : tensor<4xf64>
      %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %176 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %177 = stablehlo.compare GT, %175, %176, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
      %cst_59 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %178 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f64>) -> tensor<4xf64>
      %179 = stablehlo.divide %iterArg_31, %178 : tensor<4xf64>
      %180 = func.call @_where_2(%177, %175, %179) : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      stablehlo.return %iterArg, %iterArg_30, %180, %iterArg_31 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
    }
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %90 = stablehlo.reduce(%89#2 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %90 : tensor<f64>
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
  func.func private @_where_2(%arg0: tensor<4xi1>, %arg1: tensor<4xf64>, %arg2: tensor<4xf64>) -> tensor<4xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xf64>
    return %0 : tensor<4xf64>
  }
}
