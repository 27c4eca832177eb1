module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.subtract %0, %arg0 : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.compare EQ, %2, %4, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %7 = stablehlo.compare EQ, %3, %6, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %8 = stablehlo.or %5, %7 : tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %10 = stablehlo.compare EQ, %3, %9, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %12 = stablehlo.compare EQ, %2, %11, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %13 = stablehlo.or %10, %12 : tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %15 = stablehlo.compare EQ, %1, %14, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %17 = stablehlo.compare EQ, %1, %16, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %18 = stablehlo.not %15 : tensor<3xi1>
    %19 = stablehlo.not %17 : tensor<3xi1>
    %20 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %21 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %22 = stablehlo.or %20, %21 : tensor<3xi1>
    %23 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %24 = stablehlo.or %22, %23 : tensor<3xi1>
    %25 = stablehlo.and %13, %19 : tensor<3xi1>
    %26 = stablehlo.and %8, %15 : tensor<3xi1>
    %27 = stablehlo.or %25, %26 : tensor<3xi1>
    %28 = stablehlo.and %8, %18 : tensor<3xi1>
    %29 = stablehlo.and %13, %17 : tensor<3xi1>
    %30 = stablehlo.or %28, %29 : tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %32 = stablehlo.compare LT, %2, %31, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %33 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %34 = stablehlo.compare LT, %3, %33, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %35 = stablehlo.or %32, %34 : tensor<3xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %37 = stablehlo.compare LT, %1, %36, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %38 = stablehlo.or %35, %37 : tensor<3xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %39 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %40 = stablehlo.compare GT, %1, %39, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %41 = stablehlo.or %38, %40 : tensor<3xi1>
    %42 = stablehlo.and %8, %13 : tensor<3xi1>
    %43 = stablehlo.or %42, %24 : tensor<3xi1>
    %44 = stablehlo.or %41, %43 : tensor<3xi1>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %45 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %46 = stablehlo.add %2, %45 : tensor<3xf64>
    %47 = stablehlo.add %2, %3 : tensor<3xf64>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %48 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %49 = stablehlo.add %47, %48 : tensor<3xf64>
    %50 = stablehlo.divide %46, %49 : tensor<3xf64>
    %51 = stablehlo.compare LT, %1, %50, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %52 = stablehlo.select %51, %2, %3 : tensor<3xi1>, tensor<3xf64>
    %53 = stablehlo.select %51, %3, %2 : tensor<3xi1>, tensor<3xf64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %54 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %55 = stablehlo.subtract %54, %1 : tensor<3xf64>
    %56 = stablehlo.select %51, %1, %55 : tensor<3xi1>, tensor<3xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %57 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %c_15 = stablehlo.constant dense<0> : tensor<i64>
    %58 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %59 = stablehlo.compare EQ, %57, %58, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %62 = stablehlo.select %59, %60, %61 : tensor<3xi1>, tensor<3xf64>
    %63 = stablehlo.abs %62 : tensor<3xf64>
    %cst_18 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %64 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %65 = stablehlo.compare LT, %63, %64, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %cst_19 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %66 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %67 = stablehlo.select %65, %66, %62 : tensor<3xi1>, tensor<3xf64>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %c_21 = stablehlo.constant dense<1> : tensor<i64>
    %c_22 = stablehlo.constant dense<true> : tensor<i1>
    %69:8 = stablehlo.while(%iterArg = %52, %iterArg_29 = %53, %iterArg_30 = %56, %iterArg_31 = %c_21, %iterArg_32 = %c_22, %iterArg_33 = %67, %iterArg_34 = %68, %iterArg_35 = %67) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    cond {
      %c_36 = stablehlo.constant dense<600> : tensor<i64>
      %104 = stablehlo.compare LT, %iterArg_31, %c_36, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %105 = stablehlo.and %104, %iterArg_32 : tensor<i1>
      stablehlo.return %105 : tensor<i1>
    } do {
      %104 = stablehlo.broadcast_in_dim %iterArg_31, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_36 = stablehlo.constant dense<2> : tensor<i64>
      %105 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %106 = func.call @remainder(%104, %105) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_37 = stablehlo.constant dense<0> : tensor<i64>
      %107 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %108 = stablehlo.compare EQ, %106, %107, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_38 = stablehlo.constant dense<1> : tensor<i64>
      %109 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %110 = stablehlo.compare EQ, %104, %109, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_39 = stablehlo.constant dense<1> : tensor<i64>
      %111 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %112 = stablehlo.subtract %104, %111 : tensor<3xi64>
      %c_40 = stablehlo.constant dense<2> : tensor<i64>
      %113 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %114 = func.call @floor_divide(%112, %113) : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %c_41 = stablehlo.constant dense<0> : tensor<i64>
      %115 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %116 = stablehlo.compare EQ, %114, %115, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %117 = stablehlo.convert %114 : (tensor<3xi64>) -> tensor<3xf64>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %118 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_43 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %119 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %120 = stablehlo.add %iterArg, %iterArg_29 : tensor<3xf64>
      %121 = stablehlo.negate %120 : tensor<3xf64>
      %122 = stablehlo.multiply %121, %iterArg_30 : tensor<3xf64>
      %123 = stablehlo.add %iterArg, %118 : tensor<3xf64>
      %124 = stablehlo.divide %122, %123 : tensor<3xf64>
      %125 = stablehlo.add %iterArg, %117 : tensor<3xf64>
      %126 = stablehlo.negate %125 : tensor<3xf64>
      %127 = stablehlo.add %iterArg, %iterArg_29 : tensor<3xf64>
      %128 = stablehlo.add %127, %117 : tensor<3xf64>
      %129 = stablehlo.multiply %126, %128 : tensor<3xf64>
      %130 = stablehlo.multiply %129, %iterArg_30 : tensor<3xf64>
      %131 = stablehlo.multiply %119, %117 : tensor<3xf64>
      %132 = stablehlo.add %iterArg, %131 : tensor<3xf64>
      %133 = stablehlo.multiply %119, %117 : tensor<3xf64>
      %134 = stablehlo.add %iterArg, %133 : tensor<3xf64>
      %135 = stablehlo.add %134, %118 : tensor<3xf64>
      %136 = stablehlo.multiply %132, %135 : tensor<3xf64>
      %137 = stablehlo.divide %130, %136 : tensor<3xf64>
      %138 = stablehlo.select %116, %124, %137 : tensor<3xi1>, tensor<3xf64>
      %139 = stablehlo.subtract %iterArg_29, %117 : tensor<3xf64>
      %140 = stablehlo.multiply %117, %139 : tensor<3xf64>
      %141 = stablehlo.multiply %140, %iterArg_30 : tensor<3xf64>
      %142 = stablehlo.multiply %119, %117 : tensor<3xf64>
      %143 = stablehlo.add %iterArg, %142 : tensor<3xf64>
      %144 = stablehlo.subtract %143, %118 : tensor<3xf64>
      %145 = stablehlo.multiply %119, %117 : tensor<3xf64>
      %146 = stablehlo.add %iterArg, %145 : tensor<3xf64>
      %147 = stablehlo.multiply %144, %146 : tensor<3xf64>
      %148 = stablehlo.divide %141, %147 : tensor<3xf64>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %149 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %150 = stablehlo.select %108, %138, %148 : tensor<3xi1>, tensor<3xf64>
      %151 = stablehlo.select %110, %149, %150 : tensor<3xi1>, tensor<3xf64>
      %152 = stablehlo.broadcast_in_dim %iterArg_31, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %c_45 = stablehlo.constant dense<0> : tensor<i64>
      %153 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %154 = stablehlo.compare EQ, %152, %153, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %155 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %156 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %157 = stablehlo.select %154, %155, %156 : tensor<3xi1>, tensor<3xf64>
      %158 = stablehlo.divide %151, %iterArg_33 : tensor<3xf64>
      %159 = stablehlo.add %157, %158 : tensor<3xf64>
      %cst_48 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %160 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %161 = stablehlo.abs %159 : tensor<3xf64>
      %162 = stablehlo.compare LT, %161, %160, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %163 = stablehlo.select %162, %160, %159 : tensor<3xi1>, tensor<3xf64>
      %164 = stablehlo.multiply %151, %iterArg_34 : tensor<3xf64>
      %165 = stablehlo.add %157, %164 : tensor<3xf64>
      %166 = stablehlo.abs %165 : tensor<3xf64>
      %167 = stablehlo.compare LT, %166, %160, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %168 = stablehlo.select %167, %160, %165 : tensor<3xi1>, tensor<3xf64>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %169 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %170 = stablehlo.divide %169, %168 : tensor<3xf64>
      %171 = stablehlo.multiply %163, %170 : tensor<3xf64>
      %172 = stablehlo.multiply %iterArg_35, %171 : tensor<3xf64>
      %c_50 = stablehlo.constant dense<1> : tensor<i64>
      %173 = stablehlo.add %iterArg_31, %c_50 : tensor<i64>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %174 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %175 = stablehlo.subtract %171, %174 : tensor<3xf64>
      %176 = stablehlo.abs %175 : tensor<3xf64>
      %cst_52 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %177 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %178 = stablehlo.compare GE, %176, %177, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
      %c_53 = stablehlo.constant dense<false> : tensor<i1>
      %179 = stablehlo.reduce(%178 init: %c_53) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_29, %iterArg_30, %173, %179, %163, %170, %172 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>, tensor<i1>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    }
    %70 = chlo.lgamma %53 : tensor<3xf64> -> tensor<3xf64>
    %71 = stablehlo.add %52, %53 : tensor<3xf64>
    %72 = chlo.lgamma %71 : tensor<3xf64> -> tensor<3xf64>
    %73 = stablehlo.subtract %70, %72 : tensor<3xf64>
    %74 = chlo.lgamma %52 : tensor<3xf64> -> tensor<3xf64>
    %75 = stablehlo.add %74, %73 : tensor<3xf64>
    %cst_23 = stablehlo.constant dense<4.4501477170144028E-308> : tensor<f64>
    %76 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %77 = stablehlo.compare LT, %52, %76, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %78 = stablehlo.negate %56 : tensor<3xf64>
    %79 = stablehlo.log_plus_one %78 : tensor<3xf64>
    %80 = stablehlo.multiply %79, %53 : tensor<3xf64>
    %81 = stablehlo.subtract %80, %73 : tensor<3xf64>
    %82 = stablehlo.exponential %81 : tensor<3xf64>
    %83 = stablehlo.log %56 : tensor<3xf64>
    %84 = stablehlo.multiply %83, %52 : tensor<3xf64>
    %85 = stablehlo.negate %56 : tensor<3xf64>
    %86 = stablehlo.log_plus_one %85 : tensor<3xf64>
    %87 = stablehlo.multiply %86, %53 : tensor<3xf64>
    %88 = stablehlo.add %84, %87 : tensor<3xf64>
    %89 = stablehlo.subtract %88, %75 : tensor<3xf64>
    %90 = stablehlo.exponential %89 : tensor<3xf64>
    %91 = stablehlo.divide %90, %52 : tensor<3xf64>
    %92 = stablehlo.select %77, %82, %91 : tensor<3xi1>, tensor<3xf64>
    %93 = stablehlo.multiply %69#7, %92 : tensor<3xf64>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %94 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %95 = stablehlo.subtract %94, %93 : tensor<3xf64>
    %96 = stablehlo.select %51, %93, %95 : tensor<3xi1>, tensor<3xf64>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %97 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %98 = stablehlo.select %27, %97, %96 : tensor<3xi1>, tensor<3xf64>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %99 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %100 = stablehlo.select %30, %99, %98 : tensor<3xi1>, tensor<3xf64>
    %cst_27 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %101 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %102 = stablehlo.select %44, %101, %100 : tensor<3xi1>, tensor<3xf64>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %103 = stablehlo.reduce(%102 init: %cst_28) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %103 : tensor<f64>
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
