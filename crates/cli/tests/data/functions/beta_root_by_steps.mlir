module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf64>
    %1 = stablehlo.divide %arg0, %0 : tensor<3xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %c, %iterArg_3 = %1) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<3xf64>
    cond {
      %c_4 = stablehlo.constant dense<12> : tensor<i64>
      %4 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @closed_call(%iterArg, %iterArg_0, %iterArg_1, %iterArg_3) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %c_4 = stablehlo.constant dense<1> : tensor<i64>
      %5 = stablehlo.add %iterArg_2, %c_4 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %5, %4 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<3xf64>
    }
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.reduce(%2#4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @closed_call(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>, %arg3: tensor<3xf64>) -> tensor<3xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.subtract %arg0, %0 : tensor<3xf64>
    %2 = stablehlo.log %arg3 : tensor<3xf64>
    %3 = stablehlo.multiply %1, %2 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.subtract %arg1, %4 : tensor<3xf64>
    %6 = stablehlo.negate %arg3 : tensor<3xf64>
    %7 = stablehlo.log_plus_one %6 : tensor<3xf64>
    %8 = stablehlo.multiply %5, %7 : tensor<3xf64>
    %9 = stablehlo.add %3, %8 : tensor<3xf64>
    %10 = stablehlo.minimum %arg0, %arg1 : tensor<3xf64>
    %11 = stablehlo.maximum %arg0, %arg1 : tensor<3xf64>
    %12 = chlo.lgamma %10 : tensor<3xf64> -> tensor<3xf64>
    %13 = chlo.lgamma %11 : tensor<3xf64> -> tensor<3xf64>
    %14 = stablehlo.add %10, %11 : tensor<3xf64>
    %15 = chlo.lgamma %14 : tensor<3xf64> -> tensor<3xf64>
    %16 = stablehlo.subtract %13, %15 : tensor<3xf64>
    %17 = stablehlo.add %12, %16 : tensor<3xf64>
    %18 = chlo.lgamma %10 : tensor<3xf64> -> tensor<3xf64>
    %19 = stablehlo.divide %10, %11 : tensor<3xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %20 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %21 = stablehlo.add %20, %19 : tensor<3xf64>
    %22 = stablehlo.divide %19, %21 : tensor<3xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %23 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %24 = stablehlo.add %23, %19 : tensor<3xf64>
    %25 = stablehlo.divide %19, %24 : tensor<3xf64>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %27 = stablehlo.subtract %10, %26 : tensor<3xf64>
    %28 = stablehlo.add %11, %27 : tensor<3xf64>
    %29 = stablehlo.multiply %25, %25 : tensor<3xf64>
    %30 = stablehlo.add %25, %29 : tensor<3xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %31 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %32 = stablehlo.add %31, %30 : tensor<3xf64>
    %33 = stablehlo.multiply %29, %32 : tensor<3xf64>
    %34 = stablehlo.add %25, %33 : tensor<3xf64>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %35 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %36 = stablehlo.add %35, %34 : tensor<3xf64>
    %37 = stablehlo.multiply %29, %36 : tensor<3xf64>
    %38 = stablehlo.add %25, %37 : tensor<3xf64>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %39 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %40 = stablehlo.add %39, %38 : tensor<3xf64>
    %41 = stablehlo.multiply %29, %40 : tensor<3xf64>
    %42 = stablehlo.add %25, %41 : tensor<3xf64>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %43 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %44 = stablehlo.add %43, %42 : tensor<3xf64>
    %45 = stablehlo.multiply %29, %44 : tensor<3xf64>
    %46 = stablehlo.add %25, %45 : tensor<3xf64>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %48 = stablehlo.add %47, %46 : tensor<3xf64>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %50 = stablehlo.divide %49, %11 : tensor<3xf64>
    %51 = stablehlo.multiply %50, %50 : tensor<3xf64>
    %cst_10 = stablehlo.constant dense<-0.0016532296278071301> : tensor<f64>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %53 = stablehlo.multiply %52, %48 : tensor<3xf64>
    %54 = stablehlo.multiply %53, %51 : tensor<3xf64>
    %cst_11 = stablehlo.constant dense<8.3730803403121495E-4> : tensor<f64>
    %55 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %56 = stablehlo.multiply %55, %44 : tensor<3xf64>
    %57 = stablehlo.add %54, %56 : tensor<3xf64>
    %58 = stablehlo.multiply %57, %51 : tensor<3xf64>
    %cst_12 = stablehlo.constant dense<-5.9520293135187005E-4> : tensor<f64>
    %59 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %60 = stablehlo.multiply %59, %40 : tensor<3xf64>
    %61 = stablehlo.add %58, %60 : tensor<3xf64>
    %62 = stablehlo.multiply %61, %51 : tensor<3xf64>
    %cst_13 = stablehlo.constant dense<7.9365066682538996E-4> : tensor<f64>
    %63 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %64 = stablehlo.multiply %63, %36 : tensor<3xf64>
    %65 = stablehlo.add %62, %64 : tensor<3xf64>
    %66 = stablehlo.multiply %65, %51 : tensor<3xf64>
    %cst_14 = stablehlo.constant dense<-0.00277777777760991> : tensor<f64>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %68 = stablehlo.multiply %67, %32 : tensor<3xf64>
    %69 = stablehlo.add %66, %68 : tensor<3xf64>
    %70 = stablehlo.multiply %69, %51 : tensor<3xf64>
    %cst_15 = stablehlo.constant dense<0.083333333333333301> : tensor<f64>
    %71 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %72 = stablehlo.add %70, %71 : tensor<3xf64>
    %73 = stablehlo.divide %22, %11 : tensor<3xf64>
    %74 = stablehlo.multiply %72, %73 : tensor<3xf64>
    %75 = stablehlo.divide %10, %11 : tensor<3xf64>
    %76 = stablehlo.log_plus_one %75 : tensor<3xf64>
    %77 = stablehlo.multiply %28, %76 : tensor<3xf64>
    %78 = stablehlo.log %11 : tensor<3xf64>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %79 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %80 = stablehlo.subtract %78, %79 : tensor<3xf64>
    %81 = stablehlo.multiply %10, %80 : tensor<3xf64>
    %82 = stablehlo.compare LE, %77, %81, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %83 = stablehlo.subtract %74, %81 : tensor<3xf64>
    %84 = stablehlo.subtract %83, %77 : tensor<3xf64>
    %85 = stablehlo.subtract %74, %77 : tensor<3xf64>
    %86 = stablehlo.subtract %85, %81 : tensor<3xf64>
    %87 = call @_where(%82, %84, %86) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %88 = stablehlo.add %18, %87 : tensor<3xf64>
    %cst_17 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %89 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %90 = stablehlo.compare LT, %11, %89, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %91 = call @_where(%90, %17, %88) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %92 = stablehlo.subtract %9, %91 : tensor<3xf64>
    %93 = stablehlo.exponential %92 : tensor<3xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %94 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %95 = stablehlo.compare EQ, %arg0, %94, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_19 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %96 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %97 = stablehlo.compare EQ, %arg1, %96, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %98 = stablehlo.or %95, %97 : tensor<3xi1>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %99 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %100 = stablehlo.compare EQ, %arg1, %99, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_21 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %101 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %102 = stablehlo.compare EQ, %arg0, %101, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %103 = stablehlo.or %100, %102 : tensor<3xi1>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %104 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %105 = stablehlo.compare EQ, %arg3, %104, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %106 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %107 = stablehlo.compare EQ, %arg3, %106, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %108 = stablehlo.not %105 : tensor<3xi1>
    %109 = stablehlo.not %107 : tensor<3xi1>
    %110 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %111 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %112 = stablehlo.or %110, %111 : tensor<3xi1>
    %113 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %114 = stablehlo.or %112, %113 : tensor<3xi1>
    %115 = stablehlo.and %103, %109 : tensor<3xi1>
    %116 = stablehlo.and %98, %105 : tensor<3xi1>
    %117 = stablehlo.or %115, %116 : tensor<3xi1>
    %118 = stablehlo.and %98, %108 : tensor<3xi1>
    %119 = stablehlo.and %103, %107 : tensor<3xi1>
    %120 = stablehlo.or %118, %119 : tensor<3xi1>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %121 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %122 = stablehlo.compare LT, %arg0, %121, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %123 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %124 = stablehlo.compare LT, %arg1, %123, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %125 = stablehlo.or %122, %124 : tensor<3xi1>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %126 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %127 = stablehlo.compare LT, %arg3, %126, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %128 = stablehlo.or %125, %127 : tensor<3xi1>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %129 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %130 = stablehlo.compare GT, %arg3, %129, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %131 = stablehlo.or %128, %130 : tensor<3xi1>
    %132 = stablehlo.and %98, %103 : tensor<3xi1>
    %133 = stablehlo.or %132, %114 : tensor<3xi1>
    %134 = stablehlo.or %131, %133 : tensor<3xi1>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %135 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %136 = stablehlo.add %arg0, %135 : tensor<3xf64>
    %137 = stablehlo.add %arg0, %arg1 : tensor<3xf64>
    %cst_29 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %138 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %139 = stablehlo.add %137, %138 : tensor<3xf64>
    %140 = stablehlo.divide %136, %139 : tensor<3xf64>
    %141 = stablehlo.compare LT, %arg3, %140, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %142 = stablehlo.select %141, %arg0, %arg1 : tensor<3xi1>, tensor<3xf64>
    %143 = stablehlo.select %141, %arg1, %arg0 : tensor<3xi1>, tensor<3xf64>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %144 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %145 = stablehlo.subtract %144, %arg3 : tensor<3xf64>
    %146 = stablehlo.select %141, %arg3, %145 : tensor<3xi1>, tensor<3xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %147 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %c_31 = stablehlo.constant dense<0> : tensor<i64>
    %148 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %149 = stablehlo.compare EQ, %147, %148, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %150 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %151 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %152 = stablehlo.select %149, %150, %151 : tensor<3xi1>, tensor<3xf64>
    %153 = stablehlo.abs %152 : tensor<3xf64>
    %cst_34 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %154 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %155 = stablehlo.compare LT, %153, %154, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_35 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %156 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %157 = stablehlo.select %155, %156, %152 : tensor<3xi1>, tensor<3xf64>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %158 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %c_37 = stablehlo.constant dense<1> : tensor<i64>
    %c_38 = stablehlo.constant dense<true> : tensor<i1>
    %159:8 = stablehlo.while(%iterArg = %142, %iterArg_49 = %143, %iterArg_50 = %146, %iterArg_51 = %c_37, %iterArg_52 = %c_38, %iterArg_53 = %157, %iterArg_54 = %158, %iterArg_55 = %157) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %c_56 = stablehlo.constant dense<600> : tensor<i64>
      %208 = stablehlo.compare LT, %iterArg_51, %c_56, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %209 = stablehlo.and %208, %iterArg_52 : tensor<i1>
      stablehlo.return %209 : tensor<i1>
    } do {
      %208 = stablehlo.broadcast_in_dim %iterArg_51, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_56 = stablehlo.constant dense<2> : tensor<i64>
      %209 = stablehlo.broadcast_in_dim %c_56, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %210 = func.call @remainder(%208, %209) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_57 = stablehlo.constant dense<0> : tensor<i64>
      %211 = stablehlo.broadcast_in_dim %c_57, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %212 = stablehlo.compare EQ, %210, %211, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_58 = stablehlo.constant dense<1> : tensor<i64>
      %213 = stablehlo.broadcast_in_dim %c_58, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %214 = stablehlo.compare EQ, %208, %213, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_59 = stablehlo.constant dense<1> : tensor<i64>
      %215 = stablehlo.broadcast_in_dim %c_59, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %216 = stablehlo.subtract %208, %215 : tensor<3xi64>
      %c_60 = stablehlo.constant dense<2> : tensor<i64>
      %217 = stablehlo.broadcast_in_dim %c_60, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %218 = func.call @floor_divide(%216, %217) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_61 = stablehlo.constant dense<0> : tensor<i64>
      %219 = stablehlo.broadcast_in_dim %c_61, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %220 = stablehlo.compare EQ, %218, %219, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %221 = stablehlo.convert %218 : (tensor<3xi64>) -> tensor<3xf64>
      %cst_62 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %222 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_63 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %223 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %224 = stablehlo.add %iterArg, %iterArg_49 : tensor<3xf64>
      %225 = stablehlo.negate %224 : tensor<3xf64>
      %226 = stablehlo.multiply %225, %iterArg_50 : tensor<3xf64>
      %227 = stablehlo.add %iterArg, %222 : tensor<3xf64>
      %228 = stablehlo.divide %226, %227 : tensor<3xf64>
      %229 = stablehlo.add %iterArg, %221 : tensor<3xf64>
      %230 = stablehlo.negate %229 : tensor<3xf64>
      %231 = stablehlo.add %iterArg, %iterArg_49 : tensor<3xf64>
      %232 = stablehlo.add %231, %221 : tensor<3xf64>
      %233 = stablehlo.multiply %230, %232 : tensor<3xf64>
      %234 = stablehlo.multiply %233, %iterArg_50 : tensor<3xf64>
      %235 = stablehlo.multiply %223, %221 : tensor<3xf64>
      %236 = stablehlo.add %iterArg, %235 : tensor<3xf64>
      %237 = stablehlo.multiply %223, %221 : tensor<3xf64>
      %238 = stablehlo.add %iterArg, %237 : tensor<3xf64>
      %239 = stablehlo.add %238, %222 : tensor<3xf64>
      %240 = stablehlo.multiply %236, %239 : tensor<3xf64>
      %241 = stablehlo.divide %234, %240 : tensor<3xf64>
      %242 = stablehlo.select %220, %228, %241 : tensor<3xi1>, tensor<3xf64>
      %243 = stablehlo.subtract %iterArg_49, %221 : tensor<3xf64>
      %244 = stablehlo.multiply %221, %243 : tensor<3xf64>
      %245 = stablehlo.multiply %244, %iterArg_50 : tensor<3xf64>
      %246 = stablehlo.multiply %223, %221 : tensor<3xf64>
      %247 = stablehlo.add %iterArg, %246 : tensor<3xf64>
      %248 = stablehlo.subtract %247, %222 : tensor<3xf64>
      %249 = stablehlo.multiply %223, %221 : tensor<3xf64>
      %250 = stablehlo.add %iterArg, %249 : tensor<3xf64>
      %251 = stablehlo.multiply %248, %250 : tensor<3xf64>
      %252 = stablehlo.divide %245, %251 : tensor<3xf64>
      %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %253 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %254 = stablehlo.select %212, %242, %252 : tensor<3xi1>, tensor<3xf64>
      %255 = stablehlo.select %214, %253, %254 : tensor<3xi1>, tensor<3xf64>
      %256 = stablehlo.broadcast_in_dim %iterArg_51, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_65 = stablehlo.constant dense<0> : tensor<i64>
      %257 = stablehlo.broadcast_in_dim %c_65, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %258 = stablehlo.compare EQ, %256, %257, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %259 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %260 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %261 = stablehlo.select %258, %259, %260 : tensor<3xi1>, tensor<3xf64>
      %262 = stablehlo.divide %255, %iterArg_53 : tensor<3xf64>
      %263 = stablehlo.add %261, %262 : tensor<3xf64>
      %cst_68 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %264 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %265 = stablehlo.abs %263 : tensor<3xf64>
      %266 = stablehlo.compare LT, %265, %264, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %267 = stablehlo.select %266, %264, %263 : tensor<3xi1>, tensor<3xf64>
      %268 = stablehlo.multiply %255, %iterArg_54 : tensor<3xf64>
      %269 = stablehlo.add %261, %268 : tensor<3xf64>
      %270 = stablehlo.abs %269 : tensor<3xf64>
      %271 = stablehlo.compare LT, %270, %264, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %272 = stablehlo.select %271, %264, %269 : tensor<3xi1>, tensor<3xf64>
      %cst_69 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %273 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %274 = stablehlo.divide %273, %272 : tensor<3xf64>
      %275 = stablehlo.multiply %267, %274 : tensor<3xf64>
      %276 = stablehlo.multiply %iterArg_55, %275 : tensor<3xf64>
      %c_70 = stablehlo.constant dense<1> : tensor<i64>
      %277 = stablehlo.add %iterArg_51, %c_70 : tensor<i64>
      %cst_71 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %278 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %279 = stablehlo.subtract %275, %278 : tensor<3xf64>
      %280 = stablehlo.abs %279 : tensor<3xf64>
      %cst_72 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %281 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %282 = stablehlo.compare GE, %280, %281, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %c_73 = stablehlo.constant dense<false> : tensor<i1>
      %283 = stablehlo.reduce(%282 init: %c_73) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_49, %iterArg_50, %277, %283, %267, %274, %276 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %160 = chlo.lgamma %143 : tensor<3xf64> -> tensor<3xf64>
    %161 = stablehlo.add %142, %143 : tensor<3xf64>
    %162 = chlo.lgamma %161 : tensor<3xf64> -> tensor<3xf64>
    %163 = stablehlo.subtract %160, %162 : tensor<3xf64>
    %164 = chlo.lgamma %142 : tensor<3xf64> -> tensor<3xf64>
    %165 = stablehlo.add %164, %163 : tensor<3xf64>
    %cst_39 = stablehlo.constant dense<4.4501477170144028E-308> : tensor<f64>
    %166 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %167 = stablehlo.compare LT, %142, %166, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %168 = stablehlo.negate %146 : tensor<3xf64>
    %169 = stablehlo.log_plus_one %168 : tensor<3xf64>
    %170 = stablehlo.multiply %169, %143 : tensor<3xf64>
    %171 = stablehlo.subtract %170, %163 : tensor<3xf64>
    %172 = stablehlo.exponential %171 : tensor<3xf64>
    %173 = stablehlo.log %146 : tensor<3xf64>
    %174 = stablehlo.multiply %173, %142 : tensor<3xf64>
    %175 = stablehlo.negate %146 : tensor<3xf64>
    %176 = stablehlo.log_plus_one %175 : tensor<3xf64>
    %177 = stablehlo.multiply %176, %143 : tensor<3xf64>
    %178 = stablehlo.add %174, %177 : tensor<3xf64>
    %179 = stablehlo.subtract %178, %165 : tensor<3xf64>
    %180 = stablehlo.exponential %179 : tensor<3xf64>
    %181 = stablehlo.divide %180, %142 : tensor<3xf64>
    %182 = stablehlo.select %167, %172, %181 : tensor<3xi1>, tensor<3xf64>
    %183 = stablehlo.multiply %159#7, %182 : tensor<3xf64>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %184 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %185 = stablehlo.subtract %184, %183 : tensor<3xf64>
    %186 = stablehlo.select %141, %183, %185 : tensor<3xi1>, tensor<3xf64>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %187 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %188 = stablehlo.select %117, %187, %186 : tensor<3xi1>, tensor<3xf64>
    %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %189 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %190 = stablehlo.select %120, %189, %188 : tensor<3xi1>, tensor<3xf64>
    %cst_43 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %191 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %192 = stablehlo.select %134, %191, %190 : tensor<3xi1>, tensor<3xf64>
    %193 = stablehlo.subtract %192, %arg2 : tensor<3xf64>
    %194 = stablehlo.divide %193, %93 : tensor<3xf64>
    %195 = stablehlo.subtract %arg3, %194 : tensor<3xf64>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %196 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %197 = stablehlo.compare GE, %195, %196, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %198 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %199 = stablehlo.add %arg3, %198 : tensor<3xf64>
    %cst_46 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %200 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %201 = stablehlo.divide %199, %200 : tensor<3xf64>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %202 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %203 = stablehlo.compare LE, %195, %202, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_48 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %204 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %205 = stablehlo.divide %arg3, %204 : tensor<3xf64>
    %206 = call @_where(%203, %205, %195) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %207 = call @_where(%197, %201, %206) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    return %207 : tensor<3xf64>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func private @remainder(%arg0: tensor<3xi64>, %arg1: tensor<3xi64>) -> tensor<3xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %3 = call @_where_0(%1, %2, %arg1) : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.and %11, %6 : tensor<3xi1>
    %13 = stablehlo.add %4, %3 : tensor<3xi64>
    %14 = stablehlo.select %12, %13, %4 : tensor<3xi1>, tensor<3xi64>
    return %14 : tensor<3xi64>
  }
  func.func private @_where_0(%arg0: tensor<3xi1>, %arg1: tensor<3xi64>, %arg2: tensor<3xi64>) -> tensor<3xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi64>
    return %0 : tensor<3xi64>
  }
  func.func private @floor_divide(%arg0: tensor<3xi64>, %arg1: tensor<3xi64>) -> tensor<3xi64> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<3xi64>
    %1 = stablehlo.sign %arg0 : tensor<3xi64>
    %2 = stablehlo.sign %arg1 : tensor<3xi64>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %9 = stablehlo.convert %8 : tensor<3xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.convert %11 : tensor<3xi1>
    %13 = stablehlo.and %9, %12 : tensor<3xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %15 = stablehlo.subtract %0, %14 : tensor<3xi64>
    %16 = call @_where_1(%13, %15, %0) : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
    return %16 : tensor<3xi64>
  }
  func.func private @_where_1(%arg0: tensor<3xi1>, %arg1: tensor<3xi64>, %arg2: tensor<3xi64>) -> tensor<3xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi64>
    return %0 : tensor<3xi64>
  }
}
