module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.subtract %arg0, %0 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %3 = stablehlo.divide %1, %2 : tensor<3xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %6 = stablehlo.clamp %4, %3, %5 : tensor<3xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %8 = stablehlo.compare EQ, %arg1, %7, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %10 = stablehlo.compare EQ, %arg2, %9, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %11 = stablehlo.or %8, %10 : tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %13 = stablehlo.compare EQ, %arg2, %12, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %15 = stablehlo.compare EQ, %arg1, %14, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %16 = stablehlo.or %13, %15 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %18 = stablehlo.compare EQ, %6, %17, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %20 = stablehlo.compare EQ, %6, %19, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %21 = stablehlo.not %18 : tensor<3xi1>
    %22 = stablehlo.not %20 : tensor<3xi1>
    %23 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %24 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %25 = stablehlo.or %23, %24 : tensor<3xi1>
    %26 = stablehlo.compare NE, %6, %6, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %27 = stablehlo.or %25, %26 : tensor<3xi1>
    %28 = stablehlo.and %16, %22 : tensor<3xi1>
    %29 = stablehlo.and %11, %18 : tensor<3xi1>
    %30 = stablehlo.or %28, %29 : tensor<3xi1>
    %31 = stablehlo.and %11, %21 : tensor<3xi1>
    %32 = stablehlo.and %16, %20 : tensor<3xi1>
    %33 = stablehlo.or %31, %32 : tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %35 = stablehlo.compare LT, %arg1, %34, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %37 = stablehlo.compare LT, %arg2, %36, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %38 = stablehlo.or %35, %37 : tensor<3xi1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %39 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %40 = stablehlo.compare LT, %6, %39, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %41 = stablehlo.or %38, %40 : tensor<3xi1>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %43 = stablehlo.compare GT, %6, %42, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %44 = stablehlo.or %41, %43 : tensor<3xi1>
    %45 = stablehlo.and %11, %16 : tensor<3xi1>
    %46 = stablehlo.or %45, %27 : tensor<3xi1>
    %47 = stablehlo.or %44, %46 : tensor<3xi1>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %48 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %49 = stablehlo.add %arg1, %48 : tensor<3xf64>
    %50 = stablehlo.add %arg1, %arg2 : tensor<3xf64>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %51 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %52 = stablehlo.add %50, %51 : tensor<3xf64>
    %53 = stablehlo.divide %49, %52 : tensor<3xf64>
    %54 = stablehlo.compare LT, %6, %53, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %55 = stablehlo.select %54, %arg1, %arg2 : tensor<3xi1>, tensor<3xf64>
    %56 = stablehlo.select %54, %arg2, %arg1 : tensor<3xi1>, tensor<3xf64>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %57 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %58 = stablehlo.subtract %57, %6 : tensor<3xf64>
    %59 = stablehlo.select %54, %6, %58 : tensor<3xi1>, tensor<3xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %60 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %c_16 = stablehlo.constant dense<0> : tensor<i64>
    %61 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %62 = stablehlo.compare EQ, %60, %61, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %63 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %64 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %65 = stablehlo.select %62, %63, %64 : tensor<3xi1>, tensor<3xf64>
    %66 = stablehlo.abs %65 : tensor<3xf64>
    %cst_19 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %67 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %68 = stablehlo.compare LT, %66, %67, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_20 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %69 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %70 = stablehlo.select %68, %69, %65 : tensor<3xi1>, tensor<3xf64>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %71 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %c_22 = stablehlo.constant dense<1> : tensor<i64>
    %c_23 = stablehlo.constant dense<true> : tensor<i1>
    %72:8 = stablehlo.while(%iterArg = %55, %iterArg_30 = %56, %iterArg_31 = %59, %iterArg_32 = %c_22, %iterArg_33 = %c_23, %iterArg_34 = %70, %iterArg_35 = %71, %iterArg_36 = %70) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %c_37 = stablehlo.constant dense<600> : tensor<i64>
      %107 = stablehlo.compare LT, %iterArg_32, %c_37, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %108 = stablehlo.and %107, %iterArg_33 : tensor<i1>
      stablehlo.return %108 : tensor<i1>
    } do {
      %107 = stablehlo.broadcast_in_dim %iterArg_32, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_37 = stablehlo.constant dense<2> : tensor<i64>
      %108 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %109 = func.call @remainder(%107, %108) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_38 = stablehlo.constant dense<0> : tensor<i64>
      %110 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %111 = stablehlo.compare EQ, %109, %110, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_39 = stablehlo.constant dense<1> : tensor<i64>
      %112 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %113 = stablehlo.compare EQ, %107, %112, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_40 = stablehlo.constant dense<1> : tensor<i64>
      %114 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %115 = stablehlo.subtract %107, %114 : tensor<3xi64>
      %c_41 = stablehlo.constant dense<2> : tensor<i64>
      %116 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %117 = func.call @floor_divide(%115, %116) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_42 = stablehlo.constant dense<0> : tensor<i64>
      %118 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %119 = stablehlo.compare EQ, %117, %118, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %120 = stablehlo.convert %117 : (tensor<3xi64>) -> tensor<3xf64>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %121 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %122 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %123 = stablehlo.add %iterArg, %iterArg_30 : tensor<3xf64>
      %124 = stablehlo.negate %123 : tensor<3xf64>
      %125 = stablehlo.multiply %124, %iterArg_31 : tensor<3xf64>
      %126 = stablehlo.add %iterArg, %121 : tensor<3xf64>
      %127 = stablehlo.divide %125, %126 : tensor<3xf64>
      %128 = stablehlo.add %iterArg, %120 : tensor<3xf64>
      %129 = stablehlo.negate %128 : tensor<3xf64>
      %130 = stablehlo.add %iterArg, %iterArg_30 : tensor<3xf64>
      %131 = stablehlo.add %130, %120 : tensor<3xf64>
      %132 = stablehlo.multiply %129, %131 : tensor<3xf64>
      %133 = stablehlo.multiply %132, %iterArg_31 : tensor<3xf64>
      %134 = stablehlo.multiply %122, %120 : tensor<3xf64>
      %135 = stablehlo.add %iterArg, %134 : tensor<3xf64>
      %136 = stablehlo.multiply %122, %120 : tensor<3xf64>
      %137 = stablehlo.add %iterArg, %136 : tensor<3xf64>
      %138 = stablehlo.add %137, %121 : tensor<3xf64>
      %139 = stablehlo.multiply %135, %138 : tensor<3xf64>
      %140 = stablehlo.divide %133, %139 : tensor<3xf64>
      %141 = stablehlo.select %119, %127, %140 : tensor<3xi1>, tensor<3xf64>
      %142 = stablehlo.subtract %iterArg_30, %120 : tensor<3xf64>
      %143 = stablehlo.multiply %120, %142 : tensor<3xf64>
      %144 = stablehlo.multiply %143, %iterArg_31 : tensor<3xf64>
      %145 = stablehlo.multiply %122, %120 : tensor<3xf64>
      %146 = stablehlo.add %iterArg, %145 : tensor<3xf64>
      %147 = stablehlo.subtract %146, %121 : tensor<3xf64>
      %148 = stablehlo.multiply %122, %120 : tensor<3xf64>
      %149 = stablehlo.add %iterArg, %148 : tensor<3xf64>
      %150 = stablehlo.multiply %147, %149 : tensor<3xf64>
      %151 = stablehlo.divide %144, %150 : tensor<3xf64>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %152 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %153 = stablehlo.select %111, %141, %151 : tensor<3xi1>, tensor<3xf64>
      %154 = stablehlo.select %113, %152, %153 : tensor<3xi1>, tensor<3xf64>
      %155 = stablehlo.broadcast_in_dim %iterArg_32, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_46 = stablehlo.constant dense<0> : tensor<i64>
      %156 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %157 = stablehlo.compare EQ, %155, %156, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %158 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %159 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %160 = stablehlo.select %157, %158, %159 : tensor<3xi1>, tensor<3xf64>
      %161 = stablehlo.divide %154, %iterArg_34 : tensor<3xf64>
      %162 = stablehlo.add %160, %161 : tensor<3xf64>
      %cst_49 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %163 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %164 = stablehlo.abs %162 : tensor<3xf64>
      %165 = stablehlo.compare LT, %164, %163, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %166 = stablehlo.select %165, %163, %162 : tensor<3xi1>, tensor<3xf64>
      %167 = stablehlo.multiply %154, %iterArg_35 : tensor<3xf64>
      %168 = stablehlo.add %160, %167 : tensor<3xf64>
      %169 = stablehlo.abs %168 : tensor<3xf64>
      %170 = stablehlo.compare LT, %169, %163, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %171 = stablehlo.select %170, %163, %168 : tensor<3xi1>, tensor<3xf64>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %172 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %173 = stablehlo.divide %172, %171 : tensor<3xf64>
      %174 = stablehlo.multiply %166, %173 : tensor<3xf64>
      %175 = stablehlo.multiply %iterArg_36, %174 : tensor<3xf64>
      %c_51 = stablehlo.constant dense<1> : tensor<i64>
      %176 = stablehlo.add %iterArg_32, %c_51 : tensor<i64>
      %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %177 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %178 = stablehlo.subtract %174, %177 : tensor<3xf64>
      %179 = stablehlo.abs %178 : tensor<3xf64>
      %cst_53 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %180 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %181 = stablehlo.compare GE, %179, %180, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %c_54 = stablehlo.constant dense<false> : tensor<i1>
      %182 = stablehlo.reduce(%181 init: %c_54) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_30, %iterArg_31, %176, %182, %166, %173, %175 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %73 = chlo.lgamma %56 : tensor<3xf64> -> tensor<3xf64>
    %74 = stablehlo.add %55, %56 : tensor<3xf64>
    %75 = chlo.lgamma %74 : tensor<3xf64> -> tensor<3xf64>
    %76 = stablehlo.subtract %73, %75 : tensor<3xf64>
    %77 = chlo.lgamma %55 : tensor<3xf64> -> tensor<3xf64>
    %78 = stablehlo.add %77, %76 : tensor<3xf64>
    %cst_24 = stablehlo.constant dense<4.4501477170144028E-308> : tensor<f64>
    %79 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %80 = stablehlo.compare LT, %55, %79, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %81 = stablehlo.negate %59 : tensor<3xf64>
    %82 = stablehlo.log_plus_one %81 : tensor<3xf64>
    %83 = stablehlo.multiply %82, %56 : tensor<3xf64>
    %84 = stablehlo.subtract %83, %76 : tensor<3xf64>
    %85 = stablehlo.exponential %84 : tensor<3xf64>
    %86 = stablehlo.log %59 : tensor<3xf64>
    %87 = stablehlo.multiply %86, %55 : tensor<3xf64>
    %88 = stablehlo.negate %59 : tensor<3xf64>
    %89 = stablehlo.log_plus_one %88 : tensor<3xf64>
    %90 = stablehlo.multiply %89, %56 : tensor<3xf64>
    %91 = stablehlo.add %87, %90 : tensor<3xf64>
    %92 = stablehlo.subtract %91, %78 : tensor<3xf64>
    %93 = stablehlo.exponential %92 : tensor<3xf64>
    %94 = stablehlo.divide %93, %55 : tensor<3xf64>
    %95 = stablehlo.select %80, %85, %94 : tensor<3xi1>, tensor<3xf64>
    %96 = stablehlo.multiply %72#7, %95 : tensor<3xf64>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %97 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %98 = stablehlo.subtract %97, %96 : tensor<3xf64>
    %99 = stablehlo.select %54, %96, %98 : tensor<3xi1>, tensor<3xf64>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %100 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %101 = stablehlo.select %30, %100, %99 : tensor<3xi1>, tensor<3xf64>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %102 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %103 = stablehlo.select %33, %102, %101 : tensor<3xi1>, tensor<3xf64>
    %cst_28 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %104 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %105 = stablehlo.select %47, %104, %103 : tensor<3xi1>, tensor<3xf64>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %106 = stablehlo.reduce(%105 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %106 : tensor<f64>
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
