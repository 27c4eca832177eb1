module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.subtract %arg0, %0 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %3 = stablehlo.divide %1, %2 : tensor<3xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %6 = stablehlo.clamp %4, %3, %5 : tensor<3xf64>
    %7 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %8 = stablehlo.compare NE, %6, %6, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %9 = stablehlo.or %7, %8 : tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %11 = stablehlo.compare EQ, %6, %10, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %13 = stablehlo.compare EQ, %arg1, %12, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %15 = stablehlo.compare EQ, %6, %14, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %17 = stablehlo.compare LT, %6, %16, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %18 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %19 = stablehlo.compare LT, %arg1, %18, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %20 = stablehlo.and %13, %15 : tensor<3xi1>
    %21 = stablehlo.or %17, %19 : tensor<3xi1>
    %22 = stablehlo.or %21, %20 : tensor<3xi1>
    %23 = stablehlo.or %22, %9 : tensor<3xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %25 = stablehlo.compare GE, %6, %24, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %26 = stablehlo.compare GT, %6, %arg1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %27 = stablehlo.and %25, %26 : tensor<3xi1>
    %28 = stablehlo.log %6 : tensor<3xf64>
    %29 = stablehlo.multiply %arg1, %28 : tensor<3xf64>
    %30 = stablehlo.subtract %29, %6 : tensor<3xf64>
    %31 = chlo.lgamma %arg1 : tensor<3xf64> -> tensor<3xf64>
    %32 = stablehlo.subtract %30, %31 : tensor<3xf64>
    %cst_9 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
    %33 = stablehlo.log %cst_9 : tensor<f64>
    %34 = stablehlo.negate %33 : tensor<f64>
    %35 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %36 = stablehlo.compare LT, %32, %35, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %37 = stablehlo.exponential %32 : tensor<3xf64>
    %38 = stablehlo.or %15, %23 : tensor<3xi1>
    %39 = stablehlo.or %38, %36 : tensor<3xi1>
    %40 = stablehlo.or %39, %11 : tensor<3xi1>
    %41 = stablehlo.not %40 : tensor<3xi1>
    %42 = stablehlo.and %41, %27 : tensor<3xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %43 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %44 = stablehlo.subtract %43, %arg1 : tensor<3xf64>
    %45 = stablehlo.add %6, %44 : tensor<3xf64>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %46 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %47 = stablehlo.add %45, %46 : tensor<3xf64>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %50 = stablehlo.add %6, %49 : tensor<3xf64>
    %51 = stablehlo.multiply %47, %6 : tensor<3xf64>
    %52 = stablehlo.divide %50, %51 : tensor<3xf64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %53 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %55 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %57 = stablehlo.negate %6 : tensor<3xf64>
    %58 = stablehlo.multiply %52, %57 : tensor<3xf64>
    %59 = stablehlo.subtract %56, %58 : tensor<3xf64>
    %60 = stablehlo.divide %59, %51 : tensor<3xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %61:15 = stablehlo.while(%iterArg = %42, %iterArg_28 = %52, %iterArg_29 = %53, %iterArg_30 = %44, %iterArg_31 = %47, %iterArg_32 = %cst_18, %iterArg_33 = %50, %iterArg_34 = %51, %iterArg_35 = %48, %iterArg_36 = %6, %iterArg_37 = %54, %iterArg_38 = %55, %iterArg_39 = %56, %iterArg_40 = %57, %iterArg_41 = %60) : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %cst_42 = stablehlo.constant dense<2.000000e+03> : tensor<f64>
      %82 = stablehlo.compare LT, %iterArg_32, %cst_42, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %83 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %84 = stablehlo.and %82, %83 : tensor<i1>
      stablehlo.return %84 : tensor<i1>
    } do {
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %82 = stablehlo.add %iterArg_32, %cst_42 : tensor<f64>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %83 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %84 = stablehlo.add %iterArg_30, %83 : tensor<3xf64>
      %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %85 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %86 = stablehlo.add %iterArg_31, %85 : tensor<3xf64>
      %87 = stablehlo.broadcast_in_dim %82, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %88 = stablehlo.multiply %84, %87 : tensor<3xf64>
      %89 = stablehlo.multiply %iterArg_33, %86 : tensor<3xf64>
      %90 = stablehlo.multiply %iterArg_35, %88 : tensor<3xf64>
      %91 = stablehlo.subtract %89, %90 : tensor<3xf64>
      %92 = stablehlo.multiply %iterArg_34, %86 : tensor<3xf64>
      %93 = stablehlo.multiply %iterArg_36, %88 : tensor<3xf64>
      %94 = stablehlo.subtract %92, %93 : tensor<3xf64>
      %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %95 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %96 = stablehlo.compare NE, %94, %95, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %97 = stablehlo.divide %91, %94 : tensor<3xf64>
      %98 = stablehlo.subtract %iterArg_28, %97 : tensor<3xf64>
      %99 = stablehlo.divide %98, %97 : tensor<3xf64>
      %100 = stablehlo.abs %99 : tensor<3xf64>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %101 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %102 = stablehlo.select %96, %100, %101 : tensor<3xi1>, tensor<3xf64>
      %103 = stablehlo.select %96, %97, %iterArg_28 : tensor<3xi1>, tensor<3xf64>
      %104 = stablehlo.multiply %iterArg_39, %86 : tensor<3xf64>
      %105 = stablehlo.subtract %104, %iterArg_33 : tensor<3xf64>
      %106 = stablehlo.multiply %iterArg_37, %88 : tensor<3xf64>
      %107 = stablehlo.subtract %105, %106 : tensor<3xf64>
      %108 = stablehlo.broadcast_in_dim %82, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %109 = stablehlo.multiply %iterArg_35, %108 : tensor<3xf64>
      %110 = stablehlo.add %107, %109 : tensor<3xf64>
      %111 = stablehlo.multiply %iterArg_40, %86 : tensor<3xf64>
      %112 = stablehlo.subtract %111, %iterArg_34 : tensor<3xf64>
      %113 = stablehlo.multiply %iterArg_38, %88 : tensor<3xf64>
      %114 = stablehlo.subtract %112, %113 : tensor<3xf64>
      %115 = stablehlo.broadcast_in_dim %82, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %116 = stablehlo.multiply %iterArg_36, %115 : tensor<3xf64>
      %117 = stablehlo.add %114, %116 : tensor<3xf64>
      %118 = stablehlo.multiply %103, %117 : tensor<3xf64>
      %119 = stablehlo.subtract %110, %118 : tensor<3xf64>
      %120 = stablehlo.divide %119, %94 : tensor<3xf64>
      %121 = stablehlo.select %96, %120, %iterArg_41 : tensor<3xi1>, tensor<3xf64>
      %122 = stablehlo.subtract %121, %iterArg_41 : tensor<3xf64>
      %123 = stablehlo.abs %122 : tensor<3xf64>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %124 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %125 = stablehlo.select %96, %123, %124 : tensor<3xi1>, tensor<3xf64>
      %126 = stablehlo.abs %91 : tensor<3xf64>
      %cst_48 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %127 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<f64>
      %128 = stablehlo.divide %127, %cst_48 : tensor<f64>
      %129 = stablehlo.broadcast_in_dim %128, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %130 = stablehlo.compare GT, %126, %129, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_50 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %131 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %132 = stablehlo.multiply %iterArg_33, %131 : tensor<3xf64>
      %133 = stablehlo.select %130, %132, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      %cst_51 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %134 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %135 = stablehlo.multiply %91, %134 : tensor<3xf64>
      %136 = stablehlo.select %130, %135, %91 : tensor<3xi1>, tensor<3xf64>
      %cst_52 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %137 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %138 = stablehlo.multiply %iterArg_34, %137 : tensor<3xf64>
      %139 = stablehlo.select %130, %138, %iterArg_34 : tensor<3xi1>, tensor<3xf64>
      %cst_53 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %140 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %141 = stablehlo.multiply %94, %140 : tensor<3xf64>
      %142 = stablehlo.select %130, %141, %94 : tensor<3xi1>, tensor<3xf64>
      %cst_54 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %143 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %144 = stablehlo.multiply %iterArg_39, %143 : tensor<3xf64>
      %145 = stablehlo.select %130, %144, %iterArg_39 : tensor<3xi1>, tensor<3xf64>
      %cst_55 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %146 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %147 = stablehlo.multiply %iterArg_40, %146 : tensor<3xf64>
      %148 = stablehlo.select %130, %147, %iterArg_40 : tensor<3xi1>, tensor<3xf64>
      %cst_56 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %149 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %150 = stablehlo.multiply %110, %149 : tensor<3xf64>
      %151 = stablehlo.select %130, %150, %110 : tensor<3xi1>, tensor<3xf64>
      %cst_57 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %152 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %153 = stablehlo.multiply %117, %152 : tensor<3xf64>
      %154 = stablehlo.select %130, %153, %117 : tensor<3xi1>, tensor<3xf64>
      %cst_58 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %155 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %156 = stablehlo.compare GT, %102, %155, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %157 = stablehlo.and %iterArg, %156 : tensor<3xi1>
      %158 = stablehlo.select %iterArg, %103, %iterArg_28 : tensor<3xi1>, tensor<3xf64>
      %159 = stablehlo.select %iterArg, %102, %iterArg_29 : tensor<3xi1>, tensor<3xf64>
      %160 = stablehlo.select %iterArg, %84, %iterArg_30 : tensor<3xi1>, tensor<3xf64>
      %161 = stablehlo.select %iterArg, %86, %iterArg_31 : tensor<3xi1>, tensor<3xf64>
      %162 = stablehlo.select %iterArg, %136, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      %163 = stablehlo.select %iterArg, %142, %iterArg_34 : tensor<3xi1>, tensor<3xf64>
      %164 = stablehlo.select %iterArg, %133, %iterArg_35 : tensor<3xi1>, tensor<3xf64>
      %165 = stablehlo.select %iterArg, %139, %iterArg_36 : tensor<3xi1>, tensor<3xf64>
      %166 = stablehlo.select %iterArg, %145, %iterArg_37 : tensor<3xi1>, tensor<3xf64>
      %167 = stablehlo.select %iterArg, %148, %iterArg_38 : tensor<3xi1>, tensor<3xf64>
      %168 = stablehlo.select %iterArg, %151, %iterArg_39 : tensor<3xi1>, tensor<3xf64>
      %169 = stablehlo.select %iterArg, %154, %iterArg_40 : tensor<3xi1>, tensor<3xf64>
      %170 = stablehlo.select %iterArg, %121, %iterArg_41 : tensor<3xi1>, tensor<3xf64>
      stablehlo.return %157, %158, %159, %160, %161, %82, %162, %163, %164, %165, %166, %167, %168, %169, %170 : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %62 = stablehlo.multiply %61#1, %37 : tensor<3xf64>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %64 = stablehlo.subtract %63, %62 : tensor<3xf64>
    %65 = stablehlo.not %27 : tensor<3xi1>
    %66 = stablehlo.and %41, %65 : tensor<3xi1>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %67 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %68 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %69 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %70 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %71:7 = stablehlo.while(%iterArg = %66, %iterArg_28 = %arg1, %iterArg_29 = %67, %iterArg_30 = %68, %iterArg_31 = %6, %iterArg_32 = %69, %iterArg_33 = %70) : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %82 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %82 : tensor<i1>
    } do {
      %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %82 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %83 = stablehlo.add %iterArg_28, %82 : tensor<3xf64>
      %84 = stablehlo.divide %iterArg_31, %83 : tensor<3xf64>
      %85 = stablehlo.multiply %iterArg_32, %84 : tensor<3xf64>
      %86 = stablehlo.multiply %iterArg_29, %iterArg_31 : tensor<3xf64>
      %87 = stablehlo.multiply %83, %83 : tensor<3xf64>
      %88 = stablehlo.divide %86, %87 : tensor<3xf64>
      %89 = stablehlo.subtract %85, %88 : tensor<3xf64>
      %90 = stablehlo.add %iterArg_33, %89 : tensor<3xf64>
      %91 = stablehlo.divide %iterArg_31, %83 : tensor<3xf64>
      %92 = stablehlo.multiply %iterArg_29, %91 : tensor<3xf64>
      %93 = stablehlo.add %iterArg_30, %92 : tensor<3xf64>
      %94 = stablehlo.divide %92, %93 : tensor<3xf64>
      %cst_35 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %95 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %96 = stablehlo.compare GT, %94, %95, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %97 = stablehlo.and %iterArg, %96 : tensor<3xi1>
      %98 = stablehlo.select %iterArg, %83, %iterArg_28 : tensor<3xi1>, tensor<3xf64>
      %99 = stablehlo.select %iterArg, %92, %iterArg_29 : tensor<3xi1>, tensor<3xf64>
      %100 = stablehlo.select %iterArg, %93, %iterArg_30 : tensor<3xi1>, tensor<3xf64>
      %101 = stablehlo.select %iterArg, %iterArg_31, %iterArg_31 : tensor<3xi1>, tensor<3xf64>
      %102 = stablehlo.select %iterArg, %89, %iterArg_32 : tensor<3xi1>, tensor<3xf64>
      %103 = stablehlo.select %iterArg, %90, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      stablehlo.return %97, %98, %99, %100, %101, %102, %103 : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %72 = stablehlo.multiply %71#3, %37 : tensor<3xf64>
    %73 = stablehlo.divide %72, %arg1 : tensor<3xf64>
    %74 = stablehlo.select %27, %64, %73 : tensor<3xi1>, tensor<3xf64>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %75 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %76 = stablehlo.select %15, %75, %74 : tensor<3xi1>, tensor<3xf64>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %77 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %78 = stablehlo.select %11, %77, %76 : tensor<3xi1>, tensor<3xf64>
    %cst_26 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %79 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %80 = stablehlo.select %23, %79, %78 : tensor<3xi1>, tensor<3xf64>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %81 = stablehlo.reduce(%80 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %81 : tensor<f64>
  }
}
