module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf64>, %arg1: tensor<16xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %1 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %2 = stablehlo.or %0, %1 : tensor<16xi1>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %4 = stablehlo.compare EQ, %arg1, %3, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %6 = stablehlo.compare EQ, %arg0, %5, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %8 = stablehlo.compare EQ, %arg1, %7, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %10 = stablehlo.compare LT, %arg1, %9, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %12 = stablehlo.compare LT, %arg0, %11, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %13 = stablehlo.and %6, %8 : tensor<16xi1>
    %14 = stablehlo.or %10, %12 : tensor<16xi1>
    %15 = stablehlo.or %14, %13 : tensor<16xi1>
    %16 = stablehlo.or %15, %2 : tensor<16xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %18 = stablehlo.compare GE, %arg1, %17, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %19 = stablehlo.compare GT, %arg1, %arg0, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %20 = stablehlo.and %18, %19 : tensor<16xi1>
    %21 = stablehlo.log %arg1 : tensor<16xf64>
    %22 = stablehlo.multiply %arg0, %21 : tensor<16xf64>
    %23 = stablehlo.subtract %22, %arg1 : tensor<16xf64>
    %24 = chlo.lgamma %arg0 : tensor<16xf64> -> tensor<16xf64>
    %25 = stablehlo.subtract %23, %24 : tensor<16xf64>
    %cst_5 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
    %26 = stablehlo.log %cst_5 : tensor<f64>
    %27 = stablehlo.negate %26 : tensor<f64>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %29 = stablehlo.compare LT, %25, %28, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
    %30 = stablehlo.exponential %25 : tensor<16xf64>
    %31 = stablehlo.or %8, %16 : tensor<16xi1>
    %32 = stablehlo.or %31, %29 : tensor<16xi1>
    %33 = stablehlo.or %32, %4 : tensor<16xi1>
    %34 = stablehlo.not %33 : tensor<16xi1>
    %35 = stablehlo.and %34, %20 : tensor<16xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %37 = stablehlo.subtract %36, %arg0 : tensor<16xf64>
    %38 = stablehlo.add %arg1, %37 : tensor<16xf64>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %40 = stablehlo.add %38, %39 : tensor<16xf64>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %43 = stablehlo.add %arg1, %42 : tensor<16xf64>
    %44 = stablehlo.multiply %40, %arg1 : tensor<16xf64>
    %45 = stablehlo.divide %43, %44 : tensor<16xf64>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %50 = stablehlo.negate %arg1 : tensor<16xf64>
    %51 = stablehlo.multiply %45, %50 : tensor<16xf64>
    %52 = stablehlo.subtract %49, %51 : tensor<16xf64>
    %53 = stablehlo.divide %52, %44 : tensor<16xf64>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %54:15 = stablehlo.while(%iterArg = %35, %iterArg_24 = %45, %iterArg_25 = %46, %iterArg_26 = %37, %iterArg_27 = %40, %iterArg_28 = %cst_14, %iterArg_29 = %43, %iterArg_30 = %44, %iterArg_31 = %41, %iterArg_32 = %arg1, %iterArg_33 = %47, %iterArg_34 = %48, %iterArg_35 = %49, %iterArg_36 = %50, %iterArg_37 = %53) : tensor<16xi1>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<f64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>
    cond {
      %cst_38 = stablehlo.constant dense<2.000000e+03> : tensor<f64>
      %75 = stablehlo.compare LT, %iterArg_28, %cst_38, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %76 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<16xi1>, tensor<i1>) -> tensor<i1>
      %77 = stablehlo.and %75, %76 : tensor<i1>
      stablehlo.return %77 : tensor<i1>
    } do {
      %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %75 = stablehlo.add %iterArg_28, %cst_38 : tensor<f64>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %76 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %77 = stablehlo.add %iterArg_26, %76 : tensor<16xf64>
      %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %78 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %79 = stablehlo.add %iterArg_27, %78 : tensor<16xf64>
      %80 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %81 = stablehlo.multiply %77, %80 : tensor<16xf64>
      %82 = stablehlo.multiply %iterArg_29, %79 : tensor<16xf64>
      %83 = stablehlo.multiply %iterArg_31, %81 : tensor<16xf64>
      %84 = stablehlo.subtract %82, %83 : tensor<16xf64>
      %85 = stablehlo.multiply %iterArg_30, %79 : tensor<16xf64>
      %86 = stablehlo.multiply %iterArg_32, %81 : tensor<16xf64>
      %87 = stablehlo.subtract %85, %86 : tensor<16xf64>
      %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %88 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %89 = stablehlo.compare NE, %87, %88, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
      %90 = stablehlo.divide %84, %87 : tensor<16xf64>
      %91 = stablehlo.subtract %iterArg_24, %90 : tensor<16xf64>
      %92 = stablehlo.divide %91, %90 : tensor<16xf64>
      %93 = stablehlo.abs %92 : tensor<16xf64>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %94 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %95 = stablehlo.select %89, %93, %94 : tensor<16xi1>, tensor<16xf64>
      %96 = stablehlo.select %89, %90, %iterArg_24 : tensor<16xi1>, tensor<16xf64>
      %97 = stablehlo.multiply %iterArg_35, %79 : tensor<16xf64>
      %98 = stablehlo.subtract %97, %iterArg_29 : tensor<16xf64>
      %99 = stablehlo.multiply %iterArg_33, %81 : tensor<16xf64>
      %100 = stablehlo.subtract %98, %99 : tensor<16xf64>
      %101 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %102 = stablehlo.multiply %iterArg_31, %101 : tensor<16xf64>
      %103 = stablehlo.add %100, %102 : tensor<16xf64>
      %104 = stablehlo.multiply %iterArg_36, %79 : tensor<16xf64>
      %105 = stablehlo.subtract %104, %iterArg_30 : tensor<16xf64>
      %106 = stablehlo.multiply %iterArg_34, %81 : tensor<16xf64>
      %107 = stablehlo.subtract %105, %106 : tensor<16xf64>
      %108 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %109 = stablehlo.multiply %iterArg_32, %108 : tensor<16xf64>
      %110 = stablehlo.add %107, %109 : tensor<16xf64>
      %111 = stablehlo.multiply %96, %110 : tensor<16xf64>
      %112 = stablehlo.subtract %103, %111 : tensor<16xf64>
      %113 = stablehlo.divide %112, %87 : tensor<16xf64>
      %114 = stablehlo.select %89, %113, %iterArg_37 : tensor<16xi1>, tensor<16xf64>
      %115 = stablehlo.subtract %114, %iterArg_37 : tensor<16xf64>
      %116 = stablehlo.abs %115 : tensor<16xf64>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %117 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %118 = stablehlo.select %89, %116, %117 : tensor<16xi1>, tensor<16xf64>
      %119 = stablehlo.abs %84 : tensor<16xf64>
      %cst_44 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %120 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<f64>
      %121 = stablehlo.divide %120, %cst_44 : tensor<f64>
      %122 = stablehlo.broadcast_in_dim %121, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %123 = stablehlo.compare GT, %119, %122, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
      %cst_46 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %124 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %125 = stablehlo.multiply %iterArg_29, %124 : tensor<16xf64>
      %126 = stablehlo.select %123, %125, %iterArg_29 : tensor<16xi1>, tensor<16xf64>
      %cst_47 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %127 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %128 = stablehlo.multiply %84, %127 : tensor<16xf64>
      %129 = stablehlo.select %123, %128, %84 : tensor<16xi1>, tensor<16xf64>
      %cst_48 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %130 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %131 = stablehlo.multiply %iterArg_30, %130 : tensor<16xf64>
      %132 = stablehlo.select %123, %131, %iterArg_30 : tensor<16xi1>, tensor<16xf64>
      %cst_49 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %133 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %134 = stablehlo.multiply %87, %133 : tensor<16xf64>
      %135 = stablehlo.select %123, %134, %87 : tensor<16xi1>, tensor<16xf64>
      %cst_50 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %136 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %137 = stablehlo.multiply %iterArg_35, %136 : tensor<16xf64>
      %138 = stablehlo.select %123, %137, %iterArg_35 : tensor<16xi1>, tensor<16xf64>
      %cst_51 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %139 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %140 = stablehlo.multiply %iterArg_36, %139 : tensor<16xf64>
      %141 = stablehlo.select %123, %140, %iterArg_36 : tensor<16xi1>, tensor<16xf64>
      %cst_52 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %142 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %143 = stablehlo.multiply %103, %142 : tensor<16xf64>
      %144 = stablehlo.select %123, %143, %103 : tensor<16xi1>, tensor<16xf64>
      %cst_53 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %145 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %146 = stablehlo.multiply %110, %145 : tensor<16xf64>
      %147 = stablehlo.select %123, %146, %110 : tensor<16xi1>, tensor<16xf64>
      %cst_54 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %148 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %149 = stablehlo.compare GT, %95, %148, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
      %150 = stablehlo.and %iterArg, %149 : tensor<16xi1>
      %151 = stablehlo.select %iterArg, %96, %iterArg_24 : tensor<16xi1>, tensor<16xf64>
      %152 = stablehlo.select %iterArg, %95, %iterArg_25 : tensor<16xi1>, tensor<16xf64>
      %153 = stablehlo.select %iterArg, %77, %iterArg_26 : tensor<16xi1>, tensor<16xf64>
      %154 = stablehlo.select %iterArg, %79, %iterArg_27 : tensor<16xi1>, tensor<16xf64>
      %155 = stablehlo.select %iterArg, %129, %iterArg_29 : tensor<16xi1>, tensor<16xf64>
      %156 = stablehlo.select %iterArg, %135, %iterArg_30 : tensor<16xi1>, tensor<16xf64>
      %157 = stablehlo.select %iterArg, %126, %iterArg_31 : tensor<16xi1>, tensor<16xf64>
      %158 = stablehlo.select %iterArg, %132, %iterArg_32 : tensor<16xi1>, tensor<16xf64>
      %159 = stablehlo.select %iterArg, %138, %iterArg_33 : tensor<16xi1>, tensor<16xf64>
      %160 = stablehlo.select %iterArg, %141, %iterArg_34 : tensor<16xi1>, tensor<16xf64>
      %161 = stablehlo.select %iterArg, %144, %iterArg_35 : tensor<16xi1>, tensor<16xf64>
      %162 = stablehlo.select %iterArg, %147, %iterArg_36 : tensor<16xi1>, tensor<16xf64>
      %163 = stablehlo.select %iterArg, %114, %iterArg_37 : tensor<16xi1>, tensor<16xf64>
      stablehlo.return %150, %151, %152, %153, %154, %75, %155, %156, %157, %158, %159, %160, %161, %162, %163 : tensor<16xi1>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<f64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>
    }
    %55 = stablehlo.multiply %54#1, %30 : tensor<16xf64>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %57 = stablehlo.subtract %56, %55 : tensor<16xf64>
    %58 = stablehlo.not %20 : tensor<16xi1>
    %59 = stablehlo.and %34, %58 : tensor<16xi1>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %64:7 = stablehlo.while(%iterArg = %59, %iterArg_24 = %arg0, %iterArg_25 = %60, %iterArg_26 = %61, %iterArg_27 = %arg1, %iterArg_28 = %62, %iterArg_29 = %63) : tensor<16xi1>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %75 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<16xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %75 : tensor<i1>
    } do {
      %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %75 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %76 = stablehlo.add %iterArg_24, %75 : tensor<16xf64>
      %77 = stablehlo.divide %iterArg_27, %76 : tensor<16xf64>
      %78 = stablehlo.multiply %iterArg_28, %77 : tensor<16xf64>
      %79 = stablehlo.multiply %iterArg_25, %iterArg_27 : tensor<16xf64>
      %80 = stablehlo.multiply %76, %76 : tensor<16xf64>
      %81 = stablehlo.divide %79, %80 : tensor<16xf64>
      %82 = stablehlo.subtract %78, %81 : tensor<16xf64>
      %83 = stablehlo.add %iterArg_29, %82 : tensor<16xf64>
      %84 = stablehlo.divide %iterArg_27, %76 : tensor<16xf64>
      %85 = stablehlo.multiply %iterArg_25, %84 : tensor<16xf64>
      %86 = stablehlo.add %iterArg_26, %85 : tensor<16xf64>
      %87 = stablehlo.divide %85, %86 : tensor<16xf64>
      %cst_31 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %88 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f64>) -> tensor<16xf64>
      %89 = stablehlo.compare GT, %87, %88, FLOAT : (tensor<16xf64>, tensor<16xf64>) -> tensor<16xi1>
      %90 = stablehlo.and %iterArg, %89 : tensor<16xi1>
      %91 = stablehlo.select %iterArg, %76, %iterArg_24 : tensor<16xi1>, tensor<16xf64>
      %92 = stablehlo.select %iterArg, %85, %iterArg_25 : tensor<16xi1>, tensor<16xf64>
      %93 = stablehlo.select %iterArg, %86, %iterArg_26 : tensor<16xi1>, tensor<16xf64>
      %94 = stablehlo.select %iterArg, %iterArg_27, %iterArg_27 : tensor<16xi1>, tensor<16xf64>
      %95 = stablehlo.select %iterArg, %82, %iterArg_28 : tensor<16xi1>, tensor<16xf64>
      %96 = stablehlo.select %iterArg, %83, %iterArg_29 : tensor<16xi1>, tensor<16xf64>
      stablehlo.return %90, %91, %92, %93, %94, %95, %96 : tensor<16xi1>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>, tensor<16xf64>
    }
    %65 = stablehlo.multiply %64#3, %30 : tensor<16xf64>
    %66 = stablehlo.divide %65, %arg0 : tensor<16xf64>
    %67 = stablehlo.select %20, %57, %66 : tensor<16xi1>, tensor<16xf64>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %69 = stablehlo.select %8, %68, %67 : tensor<16xi1>, tensor<16xf64>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %70 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %71 = stablehlo.select %4, %70, %69 : tensor<16xi1>, tensor<16xf64>
    %cst_22 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %73 = stablehlo.select %16, %72, %71 : tensor<16xi1>, tensor<16xf64>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %74 = stablehlo.reduce(%73 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<16xf64>, tensor<f64>) -> tensor<f64>
    return %74 : tensor<f64>
  }
}
