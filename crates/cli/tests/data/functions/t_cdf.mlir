module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.divide %arg1, %0 : tensor<3xf64>
    %2 = stablehlo.multiply %arg0, %arg0 : tensor<3xf64>
    %3 = stablehlo.add %arg1, %2 : tensor<3xf64>
    %4 = stablehlo.divide %arg1, %3 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %7 = stablehlo.compare EQ, %1, %6, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_2 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %9 = stablehlo.compare EQ, %5, %8, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %10 = stablehlo.or %7, %9 : tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %12 = stablehlo.compare EQ, %5, %11, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %14 = stablehlo.compare EQ, %1, %13, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %15 = stablehlo.or %12, %14 : tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %17 = stablehlo.compare EQ, %4, %16, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %19 = stablehlo.compare EQ, %4, %18, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %20 = stablehlo.not %17 : tensor<3xi1>
    %21 = stablehlo.not %19 : tensor<3xi1>
    %22 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %23 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %24 = stablehlo.or %22, %23 : tensor<3xi1>
    %25 = stablehlo.compare NE, %4, %4, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %26 = stablehlo.or %24, %25 : tensor<3xi1>
    %27 = stablehlo.and %15, %21 : tensor<3xi1>
    %28 = stablehlo.and %10, %17 : tensor<3xi1>
    %29 = stablehlo.or %27, %28 : tensor<3xi1>
    %30 = stablehlo.and %10, %20 : tensor<3xi1>
    %31 = stablehlo.and %15, %19 : tensor<3xi1>
    %32 = stablehlo.or %30, %31 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %33 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %34 = stablehlo.compare LT, %1, %33, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %35 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %36 = stablehlo.compare LT, %5, %35, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %37 = stablehlo.or %34, %36 : tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %38 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %39 = stablehlo.compare LT, %4, %38, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %40 = stablehlo.or %37, %39 : tensor<3xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %41 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %42 = stablehlo.compare GT, %4, %41, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %43 = stablehlo.or %40, %42 : tensor<3xi1>
    %44 = stablehlo.and %10, %15 : tensor<3xi1>
    %45 = stablehlo.or %44, %26 : tensor<3xi1>
    %46 = stablehlo.or %43, %45 : tensor<3xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %48 = stablehlo.add %1, %47 : tensor<3xf64>
    %49 = stablehlo.add %1, %5 : tensor<3xf64>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %50 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %51 = stablehlo.add %49, %50 : tensor<3xf64>
    %52 = stablehlo.divide %48, %51 : tensor<3xf64>
    %53 = stablehlo.compare LT, %4, %52, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %54 = stablehlo.select %53, %1, %5 : tensor<3xi1>, tensor<3xf64>
    %55 = stablehlo.select %53, %5, %1 : tensor<3xi1>, tensor<3xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %57 = stablehlo.subtract %56, %4 : tensor<3xf64>
    %58 = stablehlo.select %53, %4, %57 : tensor<3xi1>, tensor<3xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %59 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %c_14 = stablehlo.constant dense<0> : tensor<i64>
    %60 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %61 = stablehlo.compare EQ, %59, %60, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %62 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %63 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %64 = stablehlo.select %61, %62, %63 : tensor<3xi1>, tensor<3xf64>
    %65 = stablehlo.abs %64 : tensor<3xf64>
    %cst_17 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %66 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %67 = stablehlo.compare LT, %65, %66, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_18 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %68 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %69 = stablehlo.select %67, %68, %64 : tensor<3xi1>, tensor<3xf64>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %70 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %c_20 = stablehlo.constant dense<1> : tensor<i64>
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %71:8 = stablehlo.while(%iterArg = %54, %iterArg_30 = %55, %iterArg_31 = %58, %iterArg_32 = %c_20, %iterArg_33 = %c_21, %iterArg_34 = %69, %iterArg_35 = %70, %iterArg_36 = %69) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %c_37 = stablehlo.constant dense<600> : tensor<i64>
      %110 = stablehlo.compare LT, %iterArg_32, %c_37, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %111 = stablehlo.and %110, %iterArg_33 : tensor<i1>
      stablehlo.return %111 : tensor<i1>
    } do {
      %110 = stablehlo.broadcast_in_dim %iterArg_32, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_37 = stablehlo.constant dense<2> : tensor<i64>
      %111 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %112 = func.call @remainder(%110, %111) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_38 = stablehlo.constant dense<0> : tensor<i64>
      %113 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %114 = stablehlo.compare EQ, %112, %113, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_39 = stablehlo.constant dense<1> : tensor<i64>
      %115 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %116 = stablehlo.compare EQ, %110, %115, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_40 = stablehlo.constant dense<1> : tensor<i64>
      %117 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %118 = stablehlo.subtract %110, %117 : tensor<3xi64>
      %c_41 = stablehlo.constant dense<2> : tensor<i64>
      %119 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %120 = func.call @floor_divide(%118, %119) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_42 = stablehlo.constant dense<0> : tensor<i64>
      %121 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %122 = stablehlo.compare EQ, %120, %121, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %123 = stablehlo.convert %120 : (tensor<3xi64>) -> tensor<3xf64>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %124 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %125 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %126 = stablehlo.add %iterArg, %iterArg_30 : tensor<3xf64>
      %127 = stablehlo.negate %126 : tensor<3xf64>
      %128 = stablehlo.multiply %127, %iterArg_31 : tensor<3xf64>
      %129 = stablehlo.add %iterArg, %124 : tensor<3xf64>
      %130 = stablehlo.divide %128, %129 : tensor<3xf64>
      %131 = stablehlo.add %iterArg, %123 : tensor<3xf64>
      %132 = stablehlo.negate %131 : tensor<3xf64>
      %133 = stablehlo.add %iterArg, %iterArg_30 : tensor<3xf64>
      %134 = stablehlo.add %133, %123 : tensor<3xf64>
      %135 = stablehlo.multiply %132, %134 : tensor<3xf64>
      %136 = stablehlo.multiply %135, %iterArg_31 : tensor<3xf64>
      %137 = stablehlo.multiply %125, %123 : tensor<3xf64>
      %138 = stablehlo.add %iterArg, %137 : tensor<3xf64>
      %139 = stablehlo.multiply %125, %123 : tensor<3xf64>
      %140 = stablehlo.add %iterArg, %139 : tensor<3xf64>
      %141 = stablehlo.add %140, %124 : tensor<3xf64>
      %142 = stablehlo.multiply %138, %141 : tensor<3xf64>
      %143 = stablehlo.divide %136, %142 : tensor<3xf64>
      %144 = stablehlo.select %122, %130, %143 : tensor<3xi1>, tensor<3xf64>
      %145 = stablehlo.subtract %iterArg_30, %123 : tensor<3xf64>
      %146 = stablehlo.multiply %123, %145 : tensor<3xf64>
      %147 = stablehlo.multiply %146, %iterArg_31 : tensor<3xf64>
      %148 = stablehlo.multiply %125, %123 : tensor<3xf64>
      %149 = stablehlo.add %iterArg, %148 : tensor<3xf64>
      %150 = stablehlo.subtract %149, %124 : tensor<3xf64>
      %151 = stablehlo.multiply %125, %123 : tensor<3xf64>
      %152 = stablehlo.add %iterArg, %151 : tensor<3xf64>
      %153 = stablehlo.multiply %150, %152 : tensor<3xf64>
      %154 = stablehlo.divide %147, %153 : tensor<3xf64>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %155 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %156 = stablehlo.select %114, %144, %154 : tensor<3xi1>, tensor<3xf64>
      %157 = stablehlo.select %116, %155, %156 : tensor<3xi1>, tensor<3xf64>
      %158 = stablehlo.broadcast_in_dim %iterArg_32, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_46 = stablehlo.constant dense<0> : tensor<i64>
      %159 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %160 = stablehlo.compare EQ, %158, %159, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %161 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %162 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %163 = stablehlo.select %160, %161, %162 : tensor<3xi1>, tensor<3xf64>
      %164 = stablehlo.divide %157, %iterArg_34 : tensor<3xf64>
      %165 = stablehlo.add %163, %164 : tensor<3xf64>
      %cst_49 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %166 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %167 = stablehlo.abs %165 : tensor<3xf64>
      %168 = stablehlo.compare LT, %167, %166, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %169 = stablehlo.select %168, %166, %165 : tensor<3xi1>, tensor<3xf64>
      %170 = stablehlo.multiply %157, %iterArg_35 : tensor<3xf64>
      %171 = stablehlo.add %163, %170 : tensor<3xf64>
      %172 = stablehlo.abs %171 : tensor<3xf64>
      %173 = stablehlo.compare LT, %172, %166, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %174 = stablehlo.select %173, %166, %171 : tensor<3xi1>, tensor<3xf64>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %175 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %176 = stablehlo.divide %175, %174 : tensor<3xf64>
      %177 = stablehlo.multiply %169, %176 : tensor<3xf64>
      %178 = stablehlo.multiply %iterArg_36, %177 : tensor<3xf64>
      %c_51 = stablehlo.constant dense<1> : tensor<i64>
      %179 = stablehlo.add %iterArg_32, %c_51 : tensor<i64>
      %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %180 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %181 = stablehlo.subtract %177, %180 : tensor<3xf64>
      %182 = stablehlo.abs %181 : tensor<3xf64>
      %cst_53 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %183 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %184 = stablehlo.compare GE, %182, %183, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %c_54 = stablehlo.constant dense<false> : tensor<i1>
      %185 = stablehlo.reduce(%184 init: %c_54) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_30, %iterArg_31, %179, %185, %169, %176, %178 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %72 = chlo.lgamma %55 : tensor<3xf64> -> tensor<3xf64>
    %73 = stablehlo.add %54, %55 : tensor<3xf64>
    %74 = chlo.lgamma %73 : tensor<3xf64> -> tensor<3xf64>
    %75 = stablehlo.subtract %72, %74 : tensor<3xf64>
    %76 = chlo.lgamma %54 : tensor<3xf64> -> tensor<3xf64>
    %77 = stablehlo.add %76, %75 : tensor<3xf64>
    %cst_22 = stablehlo.constant dense<4.4501477170144028E-308> : tensor<f64>
    %78 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %79 = stablehlo.compare LT, %54, %78, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %80 = stablehlo.negate %58 : tensor<3xf64>
    %81 = stablehlo.log_plus_one %80 : tensor<3xf64>
    %82 = stablehlo.multiply %81, %55 : tensor<3xf64>
    %83 = stablehlo.subtract %82, %75 : tensor<3xf64>
    %84 = stablehlo.exponential %83 : tensor<3xf64>
    %85 = stablehlo.log %58 : tensor<3xf64>
    %86 = stablehlo.multiply %85, %54 : tensor<3xf64>
    %87 = stablehlo.negate %58 : tensor<3xf64>
    %88 = stablehlo.log_plus_one %87 : tensor<3xf64>
    %89 = stablehlo.multiply %88, %55 : tensor<3xf64>
    %90 = stablehlo.add %86, %89 : tensor<3xf64>
    %91 = stablehlo.subtract %90, %77 : tensor<3xf64>
    %92 = stablehlo.exponential %91 : tensor<3xf64>
    %93 = stablehlo.divide %92, %54 : tensor<3xf64>
    %94 = stablehlo.select %79, %84, %93 : tensor<3xi1>, tensor<3xf64>
    %95 = stablehlo.multiply %71#7, %94 : tensor<3xf64>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %96 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %97 = stablehlo.subtract %96, %95 : tensor<3xf64>
    %98 = stablehlo.select %53, %95, %97 : tensor<3xi1>, tensor<3xf64>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %99 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %100 = stablehlo.select %29, %99, %98 : tensor<3xi1>, tensor<3xf64>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %101 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %102 = stablehlo.select %32, %101, %100 : tensor<3xi1>, tensor<3xf64>
    %cst_26 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %103 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %104 = stablehlo.select %46, %103, %102 : tensor<3xi1>, tensor<3xf64>
    %cst_27 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %105 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %106 = stablehlo.divide %104, %105 : tensor<3xf64>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %107 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %108 = stablehlo.subtract %107, %106 : tensor<3xf64>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %109 = stablehlo.reduce(%108 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %109 : tensor<f64>
  }
  func.func private @remainder(%arg0: tensor<3xi64>, %arg1: tensor<3xi64>) -> tensor<3xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %3 = call @_where(%1, %2, %arg1) : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
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
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xi64>, %arg2: tensor<3xi64>) -> tensor<3xi64> {
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
    %16 = call @_where_0(%13, %15, %0) : (tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
    return %16 : tensor<3xi64>
  }
  func.func private @_where_0(%arg0: tensor<3xi1>, %arg1: tensor<3xi64>, %arg2: tensor<3xi64>) -> tensor<3xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi64>
    return %0 : tensor<3xi64>
  }
}
