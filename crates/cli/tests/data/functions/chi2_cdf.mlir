module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.divide %arg1, %0 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<3xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %4 = stablehlo.multiply %cst_1, %cst_2 : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %6 = stablehlo.divide %3, %5 : tensor<3xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_4 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %9 = stablehlo.clamp %7, %6, %8 : tensor<3xf64>
    %10 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %9, %9, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %12 = stablehlo.or %10, %11 : tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %14 = stablehlo.compare EQ, %9, %13, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %16 = stablehlo.compare EQ, %1, %15, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %18 = stablehlo.compare EQ, %9, %17, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %20 = stablehlo.compare LT, %9, %19, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %22 = stablehlo.compare LT, %1, %21, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %23 = stablehlo.and %16, %18 : tensor<3xi1>
    %24 = stablehlo.or %20, %22 : tensor<3xi1>
    %25 = stablehlo.or %24, %23 : tensor<3xi1>
    %26 = stablehlo.or %25, %12 : tensor<3xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %28 = stablehlo.compare GE, %9, %27, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %29 = stablehlo.compare GT, %9, %1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %30 = stablehlo.and %28, %29 : tensor<3xi1>
    %31 = stablehlo.log %9 : tensor<3xf64>
    %32 = stablehlo.multiply %1, %31 : tensor<3xf64>
    %33 = stablehlo.subtract %32, %9 : tensor<3xf64>
    %34 = chlo.lgamma %1 : tensor<3xf64> -> tensor<3xf64>
    %35 = stablehlo.subtract %33, %34 : tensor<3xf64>
    %cst_11 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
    %36 = stablehlo.log %cst_11 : tensor<f64>
    %37 = stablehlo.negate %36 : tensor<f64>
    %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %39 = stablehlo.compare LT, %35, %38, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %40 = stablehlo.exponential %35 : tensor<3xf64>
    %41 = stablehlo.or %18, %26 : tensor<3xi1>
    %42 = stablehlo.or %41, %39 : tensor<3xi1>
    %43 = stablehlo.or %42, %14 : tensor<3xi1>
    %44 = stablehlo.not %43 : tensor<3xi1>
    %45 = stablehlo.and %44, %30 : tensor<3xi1>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %46 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %47 = stablehlo.subtract %46, %1 : tensor<3xf64>
    %48 = stablehlo.add %9, %47 : tensor<3xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %50 = stablehlo.add %48, %49 : tensor<3xf64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %51 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %52 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %53 = stablehlo.add %9, %52 : tensor<3xf64>
    %54 = stablehlo.multiply %50, %9 : tensor<3xf64>
    %55 = stablehlo.divide %53, %54 : tensor<3xf64>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %57 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %58 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %59 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %60 = stablehlo.negate %9 : tensor<3xf64>
    %61 = stablehlo.multiply %55, %60 : tensor<3xf64>
    %62 = stablehlo.subtract %59, %61 : tensor<3xf64>
    %63 = stablehlo.divide %62, %54 : tensor<3xf64>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %64:15 = stablehlo.while(%iterArg = %45, %iterArg_30 = %55, %iterArg_31 = %56, %iterArg_32 = %47, %iterArg_33 = %50, %iterArg_34 = %cst_20, %iterArg_35 = %53, %iterArg_36 = %54, %iterArg_37 = %51, %iterArg_38 = %9, %iterArg_39 = %57, %iterArg_40 = %58, %iterArg_41 = %59, %iterArg_42 = %60, %iterArg_43 = %63) : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %cst_44 = stablehlo.constant dense<2.000000e+03> : tensor<f64>
      %85 = stablehlo.compare LT, %iterArg_34, %cst_44, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %87 = stablehlo.and %85, %86 : tensor<i1>
      stablehlo.return %87 : tensor<i1>
    } do {
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %85 = stablehlo.add %iterArg_34, %cst_44 : tensor<f64>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %86 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %87 = stablehlo.add %iterArg_32, %86 : tensor<3xf64>
      %cst_46 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %88 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %89 = stablehlo.add %iterArg_33, %88 : tensor<3xf64>
      %90 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %91 = stablehlo.multiply %87, %90 : tensor<3xf64>
      %92 = stablehlo.multiply %iterArg_35, %89 : tensor<3xf64>
      %93 = stablehlo.multiply %iterArg_37, %91 : tensor<3xf64>
      %94 = stablehlo.subtract %92, %93 : tensor<3xf64>
      %95 = stablehlo.multiply %iterArg_36, %89 : tensor<3xf64>
      %96 = stablehlo.multiply %iterArg_38, %91 : tensor<3xf64>
      %97 = stablehlo.subtract %95, %96 : tensor<3xf64>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %98 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %99 = stablehlo.compare NE, %97, %98, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %100 = stablehlo.divide %94, %97 : tensor<3xf64>
      %101 = stablehlo.subtract %iterArg_30, %100 : tensor<3xf64>
      %102 = stablehlo.divide %101, %100 : tensor<3xf64>
      %103 = stablehlo.abs %102 : tensor<3xf64>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %104 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %105 = stablehlo.select %99, %103, %104 : tensor<3xi1>, tensor<3xf64>
      %106 = stablehlo.select %99, %100, %iterArg_30 : tensor<3xi1>, tensor<3xf64>
      %107 = stablehlo.multiply %iterArg_41, %89 : tensor<3xf64>
      %108 = stablehlo.subtract %107, %iterArg_35 : tensor<3xf64>
      %109 = stablehlo.multiply %iterArg_39, %91 : tensor<3xf64>
      %110 = stablehlo.subtract %108, %109 : tensor<3xf64>
      %111 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %112 = stablehlo.multiply %iterArg_37, %111 : tensor<3xf64>
      %113 = stablehlo.add %110, %112 : tensor<3xf64>
      %114 = stablehlo.multiply %iterArg_42, %89 : tensor<3xf64>
      %115 = stablehlo.subtract %114, %iterArg_36 : tensor<3xf64>
      %116 = stablehlo.multiply %iterArg_40, %91 : tensor<3xf64>
      %117 = stablehlo.subtract %115, %116 : tensor<3xf64>
      %118 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %119 = stablehlo.multiply %iterArg_38, %118 : tensor<3xf64>
      %120 = stablehlo.add %117, %119 : tensor<3xf64>
      %121 = stablehlo.multiply %106, %120 : tensor<3xf64>
      %122 = stablehlo.subtract %113, %121 : tensor<3xf64>
      %123 = stablehlo.divide %122, %97 : tensor<3xf64>
      %124 = stablehlo.select %99, %123, %iterArg_43 : tensor<3xi1>, tensor<3xf64>
      %125 = stablehlo.subtract %124, %iterArg_43 : tensor<3xf64>
      %126 = stablehlo.abs %125 : tensor<3xf64>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %127 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %128 = stablehlo.select %99, %126, %127 : tensor<3xi1>, tensor<3xf64>
      %129 = stablehlo.abs %94 : tensor<3xf64>
      %cst_50 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %130 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<f64>
      %131 = stablehlo.divide %130, %cst_50 : tensor<f64>
      %132 = stablehlo.broadcast_in_dim %131, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %133 = stablehlo.compare GT, %129, %132, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_52 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %134 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %135 = stablehlo.multiply %iterArg_35, %134 : tensor<3xf64>
      %136 = stablehlo.select %133, %135, %iterArg_35 : tensor<3xi1>, tensor<3xf64>
      %cst_53 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %137 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %138 = stablehlo.multiply %94, %137 : tensor<3xf64>
      %139 = stablehlo.select %133, %138, %94 : tensor<3xi1>, tensor<3xf64>
      %cst_54 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %140 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %141 = stablehlo.multiply %iterArg_36, %140 : tensor<3xf64>
      %142 = stablehlo.select %133, %141, %iterArg_36 : tensor<3xi1>, tensor<3xf64>
      %cst_55 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %143 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %144 = stablehlo.multiply %97, %143 : tensor<3xf64>
      %145 = stablehlo.select %133, %144, %97 : tensor<3xi1>, tensor<3xf64>
      %cst_56 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %146 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %147 = stablehlo.multiply %iterArg_41, %146 : tensor<3xf64>
      %148 = stablehlo.select %133, %147, %iterArg_41 : tensor<3xi1>, tensor<3xf64>
      %cst_57 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %149 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %150 = stablehlo.multiply %iterArg_42, %149 : tensor<3xf64>
      %151 = stablehlo.select %133, %150, %iterArg_42 : tensor<3xi1>, tensor<3xf64>
      %cst_58 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %152 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %153 = stablehlo.multiply %113, %152 : tensor<3xf64>
      %154 = stablehlo.select %133, %153, %113 : tensor<3xi1>, tensor<3xf64>
      %cst_59 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %155 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %156 = stablehlo.multiply %120, %155 : tensor<3xf64>
      %157 = stablehlo.select %133, %156, %120 : tensor<3xi1>, tensor<3xf64>
      %cst_60 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %158 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %159 = stablehlo.compare GT, %105, %158, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %160 = stablehlo.and %iterArg, %159 : tensor<3xi1>
      %161 = stablehlo.select %iterArg, %106, %iterArg_30 : tensor<3xi1>, tensor<3xf64>
      %162 = stablehlo.select %iterArg, %105, %iterArg_31 : tensor<3xi1>, tensor<3xf64>
      %163 = stablehlo.select %iterArg, %87, %iterArg_32 : tensor<3xi1>, tensor<3xf64>
      %164 = stablehlo.select %iterArg, %89, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      %165 = stablehlo.select %iterArg, %139, %iterArg_35 : tensor<3xi1>, tensor<3xf64>
      %166 = stablehlo.select %iterArg, %145, %iterArg_36 : tensor<3xi1>, tensor<3xf64>
      %167 = stablehlo.select %iterArg, %136, %iterArg_37 : tensor<3xi1>, tensor<3xf64>
      %168 = stablehlo.select %iterArg, %142, %iterArg_38 : tensor<3xi1>, tensor<3xf64>
      %169 = stablehlo.select %iterArg, %148, %iterArg_39 : tensor<3xi1>, tensor<3xf64>
      %170 = stablehlo.select %iterArg, %151, %iterArg_40 : tensor<3xi1>, tensor<3xf64>
      %171 = stablehlo.select %iterArg, %154, %iterArg_41 : tensor<3xi1>, tensor<3xf64>
      %172 = stablehlo.select %iterArg, %157, %iterArg_42 : tensor<3xi1>, tensor<3xf64>
      %173 = stablehlo.select %iterArg, %124, %iterArg_43 : tensor<3xi1>, tensor<3xf64>
      stablehlo.return %160, %161, %162, %163, %164, %85, %165, %166, %167, %168, %169, %170, %171, %172, %173 : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %65 = stablehlo.multiply %64#1, %40 : tensor<3xf64>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %66 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %67 = stablehlo.subtract %66, %65 : tensor<3xf64>
    %68 = stablehlo.not %30 : tensor<3xi1>
    %69 = stablehlo.and %44, %68 : tensor<3xi1>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %70 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %71 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %72 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %73 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %74:7 = stablehlo.while(%iterArg = %69, %iterArg_30 = %1, %iterArg_31 = %70, %iterArg_32 = %71, %iterArg_33 = %9, %iterArg_34 = %72, %iterArg_35 = %73) : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %85 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %85 : tensor<i1>
    } do {
      %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %85 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %86 = stablehlo.add %iterArg_30, %85 : tensor<3xf64>
      %87 = stablehlo.divide %iterArg_33, %86 : tensor<3xf64>
      %88 = stablehlo.multiply %iterArg_34, %87 : tensor<3xf64>
      %89 = stablehlo.multiply %iterArg_31, %iterArg_33 : tensor<3xf64>
      %90 = stablehlo.multiply %86, %86 : tensor<3xf64>
      %91 = stablehlo.divide %89, %90 : tensor<3xf64>
      %92 = stablehlo.subtract %88, %91 : tensor<3xf64>
      %93 = stablehlo.add %iterArg_35, %92 : tensor<3xf64>
      %94 = stablehlo.divide %iterArg_33, %86 : tensor<3xf64>
      %95 = stablehlo.multiply %iterArg_31, %94 : tensor<3xf64>
      %96 = stablehlo.add %iterArg_32, %95 : tensor<3xf64>
      %97 = stablehlo.divide %95, %96 : tensor<3xf64>
      %cst_37 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %98 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %99 = stablehlo.compare GT, %97, %98, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %100 = stablehlo.and %iterArg, %99 : tensor<3xi1>
      %101 = stablehlo.select %iterArg, %86, %iterArg_30 : tensor<3xi1>, tensor<3xf64>
      %102 = stablehlo.select %iterArg, %95, %iterArg_31 : tensor<3xi1>, tensor<3xf64>
      %103 = stablehlo.select %iterArg, %96, %iterArg_32 : tensor<3xi1>, tensor<3xf64>
      %104 = stablehlo.select %iterArg, %iterArg_33, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      %105 = stablehlo.select %iterArg, %92, %iterArg_34 : tensor<3xi1>, tensor<3xf64>
      %106 = stablehlo.select %iterArg, %93, %iterArg_35 : tensor<3xi1>, tensor<3xf64>
      stablehlo.return %100, %101, %102, %103, %104, %105, %106 : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %75 = stablehlo.multiply %74#3, %40 : tensor<3xf64>
    %76 = stablehlo.divide %75, %1 : tensor<3xf64>
    %77 = stablehlo.select %30, %67, %76 : tensor<3xi1>, tensor<3xf64>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %78 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %79 = stablehlo.select %18, %78, %77 : tensor<3xi1>, tensor<3xf64>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %80 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %81 = stablehlo.select %14, %80, %79 : tensor<3xi1>, tensor<3xf64>
    %cst_28 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %82 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %83 = stablehlo.select %26, %82, %81 : tensor<3xi1>, tensor<3xf64>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %84 = stablehlo.reduce(%83 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %84 : tensor<f64>
  }
}
