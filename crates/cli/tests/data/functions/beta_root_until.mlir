module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf64>
    %1 = stablehlo.divide %arg0, %0 : tensor<3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %3:5 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %1, %iterArg_4 = %2) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %5 = stablehlo.subtract %iterArg_3, %iterArg_4 : tensor<3xf64>
      %6 = stablehlo.abs %5 : tensor<3xf64>
      %cst_5 = stablehlo.constant dense<9.9999999999999995E-7> : tensor<f64>
      %7 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %8 = stablehlo.multiply %7, %iterArg_3 : tensor<3xf64>
      %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %10 = stablehlo.reduce(%9 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %5 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %6 = stablehlo.subtract %iterArg, %5 : tensor<3xf64>
      %7 = stablehlo.log %iterArg_3 : tensor<3xf64>
      %8 = stablehlo.multiply %6, %7 : tensor<3xf64>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %9 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %10 = stablehlo.subtract %iterArg_1, %9 : tensor<3xf64>
      %11 = stablehlo.negate %iterArg_3 : tensor<3xf64>
      %12 = stablehlo.log_plus_one %11 : tensor<3xf64>
      %13 = stablehlo.multiply %10, %12 : tensor<3xf64>
      %14 = stablehlo.add %8, %13 : tensor<3xf64>
      %15 = stablehlo.minimum %iterArg, %iterArg_1 : tensor<3xf64>
      %16 = stablehlo.maximum %iterArg, %iterArg_1 : tensor<3xf64>
      %17 = chlo.lgamma %15 : tensor<3xf64> -> tensor<3xf64>
      %18 = chlo.lgamma %16 : tensor<3xf64> -> tensor<3xf64>
      %19 = stablehlo.add %15, %16 : tensor<3xf64>
      %20 = chlo.lgamma %19 : tensor<3xf64> -> tensor<3xf64>
      %21 = stablehlo.subtract %18, %20 : tensor<3xf64>
      %22 = stablehlo.add %17, %21 : tensor<3xf64>
      %23 = chlo.lgamma %15 : tensor<3xf64> -> tensor<3xf64>
      %24 = stablehlo.divide %15, %16 : tensor<3xf64>
      %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %26 = stablehlo.add %25, %24 : tensor<3xf64>
      %27 = stablehlo.divide %24, %26 : tensor<3xf64>
      %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %29 = stablehlo.add %28, %24 : tensor<3xf64>
      %30 = stablehlo.divide %24, %29 : tensor<3xf64>
      %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %32 = stablehlo.subtract %15, %31 : tensor<3xf64>
      %33 = stablehlo.add %16, %32 : tensor<3xf64>
      %34 = stablehlo.multiply %30, %30 : tensor<3xf64>
      %35 = stablehlo.add %30, %34 : tensor<3xf64>
      %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %37 = stablehlo.add %36, %35 : tensor<3xf64>
      %38 = stablehlo.multiply %34, %37 : tensor<3xf64>
      %39 = stablehlo.add %30, %38 : tensor<3xf64>
      %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %40 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %41 = stablehlo.add %40, %39 : tensor<3xf64>
      %42 = stablehlo.multiply %34, %41 : tensor<3xf64>
      %43 = stablehlo.add %30, %42 : tensor<3xf64>
      %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %44 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %45 = stablehlo.add %44, %43 : tensor<3xf64>
      %46 = stablehlo.multiply %34, %45 : tensor<3xf64>
      %47 = stablehlo.add %30, %46 : tensor<3xf64>
      %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %48 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %49 = stablehlo.add %48, %47 : tensor<3xf64>
      %50 = stablehlo.multiply %34, %49 : tensor<3xf64>
      %51 = stablehlo.add %30, %50 : tensor<3xf64>
      %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %52 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %53 = stablehlo.add %52, %51 : tensor<3xf64>
      %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %55 = stablehlo.divide %54, %16 : tensor<3xf64>
      %56 = stablehlo.multiply %55, %55 : tensor<3xf64>
      %cst_16 = stablehlo.constant dense<-0.0016532296278071301> : tensor<f64>
      %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %58 = stablehlo.multiply %57, %53 : tensor<3xf64>
      %59 = stablehlo.multiply %58, %56 : tensor<3xf64>
      %cst_17 = stablehlo.constant dense<8.3730803403121495E-4> : tensor<f64>
      %60 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %61 = stablehlo.multiply %60, %49 : tensor<3xf64>
      %62 = stablehlo.add %59, %61 : tensor<3xf64>
      %63 = stablehlo.multiply %62, %56 : tensor<3xf64>
      %cst_18 = stablehlo.constant dense<-5.9520293135187005E-4> : tensor<f64>
      %64 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %65 = stablehlo.multiply %64, %45 : tensor<3xf64>
      %66 = stablehlo.add %63, %65 : tensor<3xf64>
      %67 = stablehlo.multiply %66, %56 : tensor<3xf64>
      %cst_19 = stablehlo.constant dense<7.9365066682538996E-4> : tensor<f64>
      %68 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %69 = stablehlo.multiply %68, %41 : tensor<3xf64>
      %70 = stablehlo.add %67, %69 : tensor<3xf64>
      %71 = stablehlo.multiply %70, %56 : tensor<3xf64>
      %cst_20 = stablehlo.constant dense<-0.00277777777760991> : tensor<f64>
      %72 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %73 = stablehlo.multiply %72, %37 : tensor<3xf64>
      %74 = stablehlo.add %71, %73 : tensor<3xf64>
      %75 = stablehlo.multiply %74, %56 : tensor<3xf64>
      %cst_21 = stablehlo.constant dense<0.083333333333333301> : tensor<f64>
      %76 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %77 = stablehlo.add %75, %76 : tensor<3xf64>
      %78 = stablehlo.divide %27, %16 : tensor<3xf64>
      %79 = stablehlo.multiply %77, %78 : tensor<3xf64>
      %80 = stablehlo.divide %15, %16 : tensor<3xf64>
      %81 = stablehlo.log_plus_one %80 : tensor<3xf64>
      %82 = stablehlo.multiply %33, %81 : tensor<3xf64>
      %83 = stablehlo.log %16 : tensor<3xf64>
      %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %84 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %85 = stablehlo.subtract %83, %84 : tensor<3xf64>
      %86 = stablehlo.multiply %15, %85 : tensor<3xf64>
      %87 = stablehlo.compare LE, %82, %86, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %88 = stablehlo.subtract %79, %86 : tensor<3xf64>
      %89 = stablehlo.subtract %88, %82 : tensor<3xf64>
      %90 = stablehlo.subtract %79, %82 : tensor<3xf64>
      %91 = stablehlo.subtract %90, %86 : tensor<3xf64>
      %92 = func.call @_where(%87, %89, %91) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %93 = stablehlo.add %23, %92 : tensor<3xf64>
      %cst_23 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
      %94 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %95 = stablehlo.compare LT, %16, %94, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %96 = func.call @_where(%95, %22, %93) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %97 = stablehlo.subtract %14, %96 : tensor<3xf64>
      %98 = stablehlo.exponential %97 : tensor<3xf64>
      %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %99 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %100 = stablehlo.compare EQ, %iterArg, %99, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_25 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
      %101 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %102 = stablehlo.compare EQ, %iterArg_1, %101, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %103 = stablehlo.or %100, %102 : tensor<3xi1>
      %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %104 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %105 = stablehlo.compare EQ, %iterArg_1, %104, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_27 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
      %106 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %107 = stablehlo.compare EQ, %iterArg, %106, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %108 = stablehlo.or %105, %107 : tensor<3xi1>
      %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %109 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %110 = stablehlo.compare EQ, %iterArg_3, %109, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %111 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %112 = stablehlo.compare EQ, %iterArg_3, %111, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %113 = stablehlo.not %110 : tensor<3xi1>
      %114 = stablehlo.not %112 : tensor<3xi1>
      %115 = stablehlo.compare NE, %iterArg, %iterArg, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %116 = stablehlo.compare NE, %iterArg_1, %iterArg_1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %117 = stablehlo.or %115, %116 : tensor<3xi1>
      %118 = stablehlo.compare NE, %iterArg_3, %iterArg_3, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %119 = stablehlo.or %117, %118 : tensor<3xi1>
      %120 = stablehlo.and %108, %114 : tensor<3xi1>
      %121 = stablehlo.and %103, %110 : tensor<3xi1>
      %122 = stablehlo.or %120, %121 : tensor<3xi1>
      %123 = stablehlo.and %103, %113 : tensor<3xi1>
      %124 = stablehlo.and %108, %112 : tensor<3xi1>
      %125 = stablehlo.or %123, %124 : tensor<3xi1>
      %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %126 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %127 = stablehlo.compare LT, %iterArg, %126, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %128 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %129 = stablehlo.compare LT, %iterArg_1, %128, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %130 = stablehlo.or %127, %129 : tensor<3xi1>
      %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %131 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %132 = stablehlo.compare LT, %iterArg_3, %131, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %133 = stablehlo.or %130, %132 : tensor<3xi1>
      %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %134 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %135 = stablehlo.compare GT, %iterArg_3, %134, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %136 = stablehlo.or %133, %135 : tensor<3xi1>
      %137 = stablehlo.and %103, %108 : tensor<3xi1>
      %138 = stablehlo.or %137, %119 : tensor<3xi1>
      %139 = stablehlo.or %136, %138 : tensor<3xi1>
      %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %140 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %141 = stablehlo.add %iterArg, %140 : tensor<3xf64>
      %142 = stablehlo.add %iterArg, %iterArg_1 : tensor<3xf64>
      %cst_35 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %143 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %144 = stablehlo.add %142, %143 : tensor<3xf64>
      %145 = stablehlo.divide %141, %144 : tensor<3xf64>
      %146 = stablehlo.compare LT, %iterArg_3, %145, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %147 = stablehlo.select %146, %iterArg, %iterArg_1 : tensor<3xi1>, tensor<3xf64>
      %148 = stablehlo.select %146, %iterArg_1, %iterArg : tensor<3xi1>, tensor<3xf64>
      %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %149 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %150 = stablehlo.subtract %149, %iterArg_3 : tensor<3xf64>
      %151 = stablehlo.select %146, %iterArg_3, %150 : tensor<3xi1>, tensor<3xf64>
      %c = stablehlo.constant dense<0> : tensor<i64>
      %152 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_37 = stablehlo.constant dense<0> : tensor<i64>
      %153 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %154 = stablehlo.compare EQ, %152, %153, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %155 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %156 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %157 = stablehlo.select %154, %155, %156 : tensor<3xi1>, tensor<3xf64>
      %158 = stablehlo.abs %157 : tensor<3xf64>
      %cst_40 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %159 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %160 = stablehlo.compare LT, %158, %159, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_41 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %161 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %162 = stablehlo.select %160, %161, %157 : tensor<3xi1>, tensor<3xf64>
      %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %163 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %c_43 = stablehlo.constant dense<1> : tensor<i64>
      %c_44 = stablehlo.constant dense<true> : tensor<i1>
      %164:8 = stablehlo.while(%iterArg_55 = %147, %iterArg_56 = %148, %iterArg_57 = %151, %iterArg_58 = %c_43, %iterArg_59 = %c_44, %iterArg_60 = %162, %iterArg_61 = %163, %iterArg_62 = %162) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
      cond {
        %c_63 = stablehlo.constant dense<600> : tensor<i64>
        %213 = stablehlo.compare LT, %iterArg_58, %c_63, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %214 = stablehlo.and %213, %iterArg_59 : tensor<i1>
        stablehlo.return %214 : tensor<i1>
      } do {
        %213 = stablehlo.broadcast_in_dim %iterArg_58, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %c_63 = stablehlo.constant dense<2> : tensor<i64>
        %214 = stablehlo.broadcast_in_dim %c_63, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %215 = func.call @remainder(%213, %214) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
        %c_64 = stablehlo.constant dense<0> : tensor<i64>
        %216 = stablehlo.broadcast_in_dim %c_64, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %217 = stablehlo.compare EQ, %215, %216, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
        %c_65 = stablehlo.constant dense<1> : tensor<i64>
        %218 = stablehlo.broadcast_in_dim %c_65, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %219 = stablehlo.compare EQ, %213, %218, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
        %c_66 = stablehlo.constant dense<1> : tensor<i64>
        %220 = stablehlo.broadcast_in_dim %c_66, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %221 = stablehlo.subtract %213, %220 : tensor<3xi64>
        %c_67 = stablehlo.constant dense<2> : tensor<i64>
        %222 = stablehlo.broadcast_in_dim %c_67, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %223 = func.call @floor_divide(%221, %222) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
        %c_68 = stablehlo.constant dense<0> : tensor<i64>
        %224 = stablehlo.broadcast_in_dim %c_68, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %225 = stablehlo.compare EQ, %223, %224, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
        %226 = stablehlo.convert %223 : (tensor<3xi64>) -> tensor<3xf64>
        %cst_69 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %227 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %cst_70 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
        %228 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %229 = stablehlo.add %iterArg_55, %iterArg_56 : tensor<3xf64>
        %230 = stablehlo.negate %229 : tensor<3xf64>
        %231 = stablehlo.multiply %230, %iterArg_57 : tensor<3xf64>
        %232 = stablehlo.add %iterArg_55, %227 : tensor<3xf64>
        %233 = stablehlo.divide %231, %232 : tensor<3xf64>
        %234 = stablehlo.add %iterArg_55, %226 : tensor<3xf64>
        %235 = stablehlo.negate %234 : tensor<3xf64>
        %236 = stablehlo.add %iterArg_55, %iterArg_56 : tensor<3xf64>
        %237 = stablehlo.add %236, %226 : tensor<3xf64>
        %238 = stablehlo.multiply %235, %237 : tensor<3xf64>
        %239 = stablehlo.multiply %238, %iterArg_57 : tensor<3xf64>
        %240 = stablehlo.multiply %228, %226 : tensor<3xf64>
        %241 = stablehlo.add %iterArg_55, %240 : tensor<3xf64>
        %242 = stablehlo.multiply %228, %226 : tensor<3xf64>
        %243 = stablehlo.add %iterArg_55, %242 : tensor<3xf64>
        %244 = stablehlo.add %243, %227 : tensor<3xf64>
        %245 = stablehlo.multiply %241, %244 : tensor<3xf64>
        %246 = stablehlo.divide %239, %245 : tensor<3xf64>
        %247 = stablehlo.select %225, %233, %246 : tensor<3xi1>, tensor<3xf64>
        %248 = stablehlo.subtract %iterArg_56, %226 : tensor<3xf64>
        %249 = stablehlo.multiply %226, %248 : tensor<3xf64>
        %250 = stablehlo.multiply %249, %iterArg_57 : tensor<3xf64>
        %251 = stablehlo.multiply %228, %226 : tensor<3xf64>
        %252 = stablehlo.add %iterArg_55, %251 : tensor<3xf64>
        %253 = stablehlo.subtract %252, %227 : tensor<3xf64>
        %254 = stablehlo.multiply %228, %226 : tensor<3xf64>
        %255 = stablehlo.add %iterArg_55, %254 : tensor<3xf64>
        %256 = stablehlo.multiply %253, %255 : tensor<3xf64>
        %257 = stablehlo.divide %250, %256 : tensor<3xf64>
        %cst_71 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %258 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %259 = stablehlo.select %217, %247, %257 : tensor<3xi1>, tensor<3xf64>
        %260 = stablehlo.select %219, %258, %259 : tensor<3xi1>, tensor<3xf64>
        %261 = stablehlo.broadcast_in_dim %iterArg_58, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %c_72 = stablehlo.constant dense<0> : tensor<i64>
        %262 = stablehlo.broadcast_in_dim %c_72, dims = [] : (tensor<i64>) -> tensor<3xi64>
        %263 = stablehlo.compare EQ, %261, %262, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
        %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
        %264 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %cst_74 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %265 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %266 = stablehlo.select %263, %264, %265 : tensor<3xi1>, tensor<3xf64>
        %267 = stablehlo.divide %260, %iterArg_60 : tensor<3xf64>
        %268 = stablehlo.add %266, %267 : tensor<3xf64>
        %cst_75 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
        %269 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %270 = stablehlo.abs %268 : tensor<3xf64>
        %271 = stablehlo.compare LT, %270, %269, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
        %272 = stablehlo.select %271, %269, %268 : tensor<3xi1>, tensor<3xf64>
        %273 = stablehlo.multiply %260, %iterArg_61 : tensor<3xf64>
        %274 = stablehlo.add %266, %273 : tensor<3xf64>
        %275 = stablehlo.abs %274 : tensor<3xf64>
        %276 = stablehlo.compare LT, %275, %269, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
        %277 = stablehlo.select %276, %269, %274 : tensor<3xi1>, tensor<3xf64>
        %cst_76 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %278 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %279 = stablehlo.divide %278, %277 : tensor<3xf64>
        %280 = stablehlo.multiply %272, %279 : tensor<3xf64>
        %281 = stablehlo.multiply %iterArg_62, %280 : tensor<3xf64>
        %c_77 = stablehlo.constant dense<1> : tensor<i64>
        %282 = stablehlo.add %iterArg_58, %c_77 : tensor<i64>
        %cst_78 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
        %283 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %284 = stablehlo.subtract %280, %283 : tensor<3xf64>
        %285 = stablehlo.abs %284 : tensor<3xf64>
        %cst_79 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
        %286 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f64>) -> tensor<3xf64>
        %287 = stablehlo.compare GE, %285, %286, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
        %c_80 = stablehlo.constant dense<false> : tensor<i1>
        %288 = stablehlo.reduce(%287 init: %c_80) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %iterArg_55, %iterArg_56, %iterArg_57, %282, %288, %272, %279, %281 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
      }
      %165 = chlo.lgamma %148 : tensor<3xf64> -> tensor<3xf64>
      %166 = stablehlo.add %147, %148 : tensor<3xf64>
      %167 = chlo.lgamma %166 : tensor<3xf64> -> tensor<3xf64>
      %168 = stablehlo.subtract %165, %167 : tensor<3xf64>
      %169 = chlo.lgamma %147 : tensor<3xf64> -> tensor<3xf64>
      %170 = stablehlo.add %169, %168 : tensor<3xf64>
      %cst_45 = stablehlo.constant dense<4.4501477170144028E-308> : tensor<f64>
      %171 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %172 = stablehlo.compare LT, %147, %171, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %173 = stablehlo.negate %151 : tensor<3xf64>
      %174 = stablehlo.log_plus_one %173 : tensor<3xf64>
      %175 = stablehlo.multiply %174, %148 : tensor<3xf64>
      %176 = stablehlo.subtract %175, %168 : tensor<3xf64>
      %177 = stablehlo.exponential %176 : tensor<3xf64>
      %178 = stablehlo.log %151 : tensor<3xf64>
      %179 = stablehlo.multiply %178, %147 : tensor<3xf64>
      %180 = stablehlo.negate %151 : tensor<3xf64>
      %181 = stablehlo.log_plus_one %180 : tensor<3xf64>
      %182 = stablehlo.multiply %181, %148 : tensor<3xf64>
      %183 = stablehlo.add %179, %182 : tensor<3xf64>
      %184 = stablehlo.subtract %183, %170 : tensor<3xf64>
      %185 = stablehlo.exponential %184 : tensor<3xf64>
      %186 = stablehlo.divide %185, %147 : tensor<3xf64>
      %187 = stablehlo.select %172, %177, %186 : tensor<3xi1>, tensor<3xf64>
      %188 = stablehlo.multiply %164#7, %187 : tensor<3xf64>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %189 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %190 = stablehlo.subtract %189, %188 : tensor<3xf64>
      %191 = stablehlo.select %146, %188, %190 : tensor<3xi1>, tensor<3xf64>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %192 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %193 = stablehlo.select %122, %192, %191 : tensor<3xi1>, tensor<3xf64>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %194 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %195 = stablehlo.select %125, %194, %193 : tensor<3xi1>, tensor<3xf64>
      %cst_49 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %196 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %197 = stablehlo.select %139, %196, %195 : tensor<3xi1>, tensor<3xf64>
      %198 = stablehlo.subtract %197, %iterArg_2 : tensor<3xf64>
      %199 = stablehlo.divide %198, %98 : tensor<3xf64>
      %200 = stablehlo.subtract %iterArg_3, %199 : tensor<3xf64>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %201 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %202 = stablehlo.compare GE, %200, %201, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %203 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %204 = stablehlo.add %iterArg_3, %203 : tensor<3xf64>
      %cst_52 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %205 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %206 = stablehlo.divide %204, %205 : tensor<3xf64>
      %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %207 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %208 = stablehlo.compare LE, %200, %207, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_54 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %209 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %210 = stablehlo.divide %iterArg_3, %209 : tensor<3xf64>
      %211 = func.call @_where(%208, %210, %200) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %212 = func.call @_where(%202, %206, %211) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %212, %iterArg_3 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3#3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %4 : tensor<f64>
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
