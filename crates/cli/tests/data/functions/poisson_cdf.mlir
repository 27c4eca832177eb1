module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.subtract %cst, %cst_0 : tensor<f64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %1 = stablehlo.add %cst_1, %0 : tensor<f64>
    %2 = stablehlo.floor %1 : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %6 = stablehlo.or %4, %5 : tensor<3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %8 = stablehlo.compare EQ, %3, %7, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %10 = stablehlo.compare EQ, %arg0, %9, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %14 = stablehlo.compare LT, %arg0, %13, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %16 = stablehlo.compare LT, %3, %15, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %17 = stablehlo.and %8, %10 : tensor<3xi1>
    %18 = stablehlo.or %14, %16 : tensor<3xi1>
    %19 = stablehlo.or %18, %17 : tensor<3xi1>
    %20 = stablehlo.or %19, %6 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %22 = stablehlo.compare LT, %arg0, %21, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %23 = stablehlo.compare LT, %arg0, %3, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %24 = stablehlo.or %22, %23 : tensor<3xi1>
    %25 = stablehlo.log %arg0 : tensor<3xf64>
    %26 = stablehlo.multiply %3, %25 : tensor<3xf64>
    %27 = stablehlo.subtract %26, %arg0 : tensor<3xf64>
    %28 = chlo.lgamma %3 : tensor<3xf64> -> tensor<3xf64>
    %29 = stablehlo.subtract %27, %28 : tensor<3xf64>
    %cst_8 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
    %30 = stablehlo.log %cst_8 : tensor<f64>
    %31 = stablehlo.negate %30 : tensor<f64>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %33 = stablehlo.compare LT, %29, %32, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %34 = stablehlo.or %20, %33 : tensor<3xi1>
    %35 = stablehlo.or %34, %12 : tensor<3xi1>
    %36 = stablehlo.or %35, %8 : tensor<3xi1>
    %37 = stablehlo.not %36 : tensor<3xi1>
    %38 = stablehlo.exponential %29 : tensor<3xf64>
    %39 = stablehlo.and %37, %24 : tensor<3xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %41 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %44:7 = stablehlo.while(%iterArg = %39, %iterArg_28 = %3, %iterArg_29 = %40, %iterArg_30 = %41, %iterArg_31 = %arg0, %iterArg_32 = %42, %iterArg_33 = %43) : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %80 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %80 : tensor<i1>
    } do {
      %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %80 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %81 = stablehlo.add %iterArg_28, %80 : tensor<3xf64>
      %82 = stablehlo.divide %iterArg_31, %81 : tensor<3xf64>
      %83 = stablehlo.multiply %iterArg_32, %82 : tensor<3xf64>
      %84 = stablehlo.multiply %iterArg_29, %iterArg_31 : tensor<3xf64>
      %85 = stablehlo.multiply %81, %81 : tensor<3xf64>
      %86 = stablehlo.divide %84, %85 : tensor<3xf64>
      %87 = stablehlo.subtract %83, %86 : tensor<3xf64>
      %88 = stablehlo.add %iterArg_33, %87 : tensor<3xf64>
      %89 = stablehlo.divide %iterArg_31, %81 : tensor<3xf64>
      %90 = stablehlo.multiply %iterArg_29, %89 : tensor<3xf64>
      %91 = stablehlo.add %iterArg_30, %90 : tensor<3xf64>
      %92 = stablehlo.divide %90, %91 : tensor<3xf64>
      %cst_35 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %93 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %94 = stablehlo.compare GT, %92, %93, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %95 = stablehlo.and %iterArg, %94 : tensor<3xi1>
      %96 = stablehlo.select %iterArg, %81, %iterArg_28 : tensor<3xi1>, tensor<3xf64>
      %97 = stablehlo.select %iterArg, %90, %iterArg_29 : tensor<3xi1>, tensor<3xf64>
      %98 = stablehlo.select %iterArg, %91, %iterArg_30 : tensor<3xi1>, tensor<3xf64>
      %99 = stablehlo.select %iterArg, %iterArg_31, %iterArg_31 : tensor<3xi1>, tensor<3xf64>
      %100 = stablehlo.select %iterArg, %87, %iterArg_32 : tensor<3xi1>, tensor<3xf64>
      %101 = stablehlo.select %iterArg, %88, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      stablehlo.return %95, %96, %97, %98, %99, %100, %101 : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %45 = stablehlo.multiply %44#3, %38 : tensor<3xf64>
    %46 = stablehlo.divide %45, %3 : tensor<3xf64>
    %47 = stablehlo.not %24 : tensor<3xi1>
    %48 = stablehlo.and %37, %47 : tensor<3xi1>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %50 = stablehlo.subtract %49, %3 : tensor<3xf64>
    %51 = stablehlo.add %arg0, %50 : tensor<3xf64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %52 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %53 = stablehlo.add %51, %52 : tensor<3xf64>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %55 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %56 = stablehlo.add %arg0, %55 : tensor<3xf64>
    %57 = stablehlo.multiply %53, %arg0 : tensor<3xf64>
    %58 = stablehlo.divide %56, %57 : tensor<3xf64>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %59 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %60 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %61 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %62 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %63 = stablehlo.negate %arg0 : tensor<3xf64>
    %64 = stablehlo.multiply %58, %63 : tensor<3xf64>
    %65 = stablehlo.subtract %62, %64 : tensor<3xf64>
    %66 = stablehlo.divide %65, %57 : tensor<3xf64>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %67:15 = stablehlo.while(%iterArg = %48, %iterArg_28 = %58, %iterArg_29 = %59, %iterArg_30 = %50, %iterArg_31 = %53, %iterArg_32 = %cst_21, %iterArg_33 = %56, %iterArg_34 = %57, %iterArg_35 = %54, %iterArg_36 = %arg0, %iterArg_37 = %60, %iterArg_38 = %61, %iterArg_39 = %62, %iterArg_40 = %63, %iterArg_41 = %66) : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %cst_42 = stablehlo.constant dense<2.000000e+03> : tensor<f64>
      %80 = stablehlo.compare LT, %iterArg_32, %cst_42, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %81 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %82 = stablehlo.and %80, %81 : tensor<i1>
      stablehlo.return %82 : tensor<i1>
    } do {
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %80 = stablehlo.add %iterArg_32, %cst_42 : tensor<f64>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %81 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %82 = stablehlo.add %iterArg_30, %81 : tensor<3xf64>
      %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %83 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %84 = stablehlo.add %iterArg_31, %83 : tensor<3xf64>
      %85 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %86 = stablehlo.multiply %82, %85 : tensor<3xf64>
      %87 = stablehlo.multiply %iterArg_33, %84 : tensor<3xf64>
      %88 = stablehlo.multiply %iterArg_35, %86 : tensor<3xf64>
      %89 = stablehlo.subtract %87, %88 : tensor<3xf64>
      %90 = stablehlo.multiply %iterArg_34, %84 : tensor<3xf64>
      %91 = stablehlo.multiply %iterArg_36, %86 : tensor<3xf64>
      %92 = stablehlo.subtract %90, %91 : tensor<3xf64>
      %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %93 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %94 = stablehlo.compare NE, %92, %93, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %95 = stablehlo.divide %89, %92 : tensor<3xf64>
      %96 = stablehlo.subtract %iterArg_28, %95 : tensor<3xf64>
      %97 = stablehlo.divide %96, %95 : tensor<3xf64>
      %98 = stablehlo.abs %97 : tensor<3xf64>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %99 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %100 = stablehlo.select %94, %98, %99 : tensor<3xi1>, tensor<3xf64>
      %101 = stablehlo.select %94, %95, %iterArg_28 : tensor<3xi1>, tensor<3xf64>
      %102 = stablehlo.multiply %iterArg_39, %84 : tensor<3xf64>
      %103 = stablehlo.subtract %102, %iterArg_33 : tensor<3xf64>
      %104 = stablehlo.multiply %iterArg_37, %86 : tensor<3xf64>
      %105 = stablehlo.subtract %103, %104 : tensor<3xf64>
      %106 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %107 = stablehlo.multiply %iterArg_35, %106 : tensor<3xf64>
      %108 = stablehlo.add %105, %107 : tensor<3xf64>
      %109 = stablehlo.multiply %iterArg_40, %84 : tensor<3xf64>
      %110 = stablehlo.subtract %109, %iterArg_34 : tensor<3xf64>
      %111 = stablehlo.multiply %iterArg_38, %86 : tensor<3xf64>
      %112 = stablehlo.subtract %110, %111 : tensor<3xf64>
      %113 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %114 = stablehlo.multiply %iterArg_36, %113 : tensor<3xf64>
      %115 = stablehlo.add %112, %114 : tensor<3xf64>
      %116 = stablehlo.multiply %101, %115 : tensor<3xf64>
      %117 = stablehlo.subtract %108, %116 : tensor<3xf64>
      %118 = stablehlo.divide %117, %92 : tensor<3xf64>
      %119 = stablehlo.select %94, %118, %iterArg_41 : tensor<3xi1>, tensor<3xf64>
      %120 = stablehlo.subtract %119, %iterArg_41 : tensor<3xf64>
      %121 = stablehlo.abs %120 : tensor<3xf64>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %122 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %123 = stablehlo.select %94, %121, %122 : tensor<3xi1>, tensor<3xf64>
      %124 = stablehlo.abs %89 : tensor<3xf64>
      %cst_48 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %125 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<f64>
      %126 = stablehlo.divide %125, %cst_48 : tensor<f64>
      %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %128 = stablehlo.compare GT, %124, %127, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %cst_50 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %129 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %130 = stablehlo.multiply %iterArg_33, %129 : tensor<3xf64>
      %131 = stablehlo.select %128, %130, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      %cst_51 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %132 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %133 = stablehlo.multiply %89, %132 : tensor<3xf64>
      %134 = stablehlo.select %128, %133, %89 : tensor<3xi1>, tensor<3xf64>
      %cst_52 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %135 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %136 = stablehlo.multiply %iterArg_34, %135 : tensor<3xf64>
      %137 = stablehlo.select %128, %136, %iterArg_34 : tensor<3xi1>, tensor<3xf64>
      %cst_53 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %138 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %139 = stablehlo.multiply %92, %138 : tensor<3xf64>
      %140 = stablehlo.select %128, %139, %92 : tensor<3xi1>, tensor<3xf64>
      %cst_54 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %141 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %142 = stablehlo.multiply %iterArg_39, %141 : tensor<3xf64>
      %143 = stablehlo.select %128, %142, %iterArg_39 : tensor<3xi1>, tensor<3xf64>
      %cst_55 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %144 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %145 = stablehlo.multiply %iterArg_40, %144 : tensor<3xf64>
      %146 = stablehlo.select %128, %145, %iterArg_40 : tensor<3xi1>, tensor<3xf64>
      %cst_56 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %147 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %148 = stablehlo.multiply %108, %147 : tensor<3xf64>
      %149 = stablehlo.select %128, %148, %108 : tensor<3xi1>, tensor<3xf64>
      %cst_57 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %150 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %151 = stablehlo.multiply %115, %150 : tensor<3xf64>
      %152 = stablehlo.select %128, %151, %115 : tensor<3xi1>, tensor<3xf64>
      %cst_58 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
      %153 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %154 = stablehlo.compare GT, %100, %153, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %155 = stablehlo.and %iterArg, %154 : tensor<3xi1>
      %156 = stablehlo.select %iterArg, %101, %iterArg_28 : tensor<3xi1>, tensor<3xf64>
      %157 = stablehlo.select %iterArg, %100, %iterArg_29 : tensor<3xi1>, tensor<3xf64>
      %158 = stablehlo.select %iterArg, %82, %iterArg_30 : tensor<3xi1>, tensor<3xf64>
      %159 = stablehlo.select %iterArg, %84, %iterArg_31 : tensor<3xi1>, tensor<3xf64>
      %160 = stablehlo.select %iterArg, %134, %iterArg_33 : tensor<3xi1>, tensor<3xf64>
      %161 = stablehlo.select %iterArg, %140, %iterArg_34 : tensor<3xi1>, tensor<3xf64>
      %162 = stablehlo.select %iterArg, %131, %iterArg_35 : tensor<3xi1>, tensor<3xf64>
      %163 = stablehlo.select %iterArg, %137, %iterArg_36 : tensor<3xi1>, tensor<3xf64>
      %164 = stablehlo.select %iterArg, %143, %iterArg_37 : tensor<3xi1>, tensor<3xf64>
      %165 = stablehlo.select %iterArg, %146, %iterArg_38 : tensor<3xi1>, tensor<3xf64>
      %166 = stablehlo.select %iterArg, %149, %iterArg_39 : tensor<3xi1>, tensor<3xf64>
      %167 = stablehlo.select %iterArg, %152, %iterArg_40 : tensor<3xi1>, tensor<3xf64>
      %168 = stablehlo.select %iterArg, %119, %iterArg_41 : tensor<3xi1>, tensor<3xf64>
      stablehlo.return %155, %156, %157, %158, %159, %80, %160, %161, %162, %163, %164, %165, %166, %167, %168 : tensor<3xi1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %68 = stablehlo.multiply %67#1, %38 : tensor<3xf64>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %69 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %70 = stablehlo.subtract %69, %46 : tensor<3xf64>
    %71 = stablehlo.select %24, %70, %68 : tensor<3xi1>, tensor<3xf64>
    %72 = stablehlo.or %12, %8 : tensor<3xi1>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %74 = stablehlo.select %72, %73, %71 : tensor<3xi1>, tensor<3xf64>
    %cst_24 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %75 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %76 = stablehlo.select %20, %75, %74 : tensor<3xi1>, tensor<3xf64>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %77 = stablehlo.compare LT, %0, %cst_25, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %78 = call @_where(%77, %cst_26, %76) : (tensor<i1>, tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %79 = stablehlo.reduce(%78 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %79 : tensor<f64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f64>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<3xf64>
    return %1 : tensor<3xf64>
  }
}
