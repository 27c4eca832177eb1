module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<14xf64>, %arg1: tensor<14xf64>, %arg2: tensor<14xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %cst_0 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %3 = stablehlo.compare EQ, %arg1, %2, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %4 = stablehlo.or %1, %3 : tensor<14xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %6 = stablehlo.compare EQ, %arg1, %5, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %cst_2 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %8 = stablehlo.compare EQ, %arg0, %7, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %9 = stablehlo.or %6, %8 : tensor<14xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %11 = stablehlo.compare EQ, %arg2, %10, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %13 = stablehlo.compare EQ, %arg2, %12, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %14 = stablehlo.not %11 : tensor<14xi1>
    %15 = stablehlo.not %13 : tensor<14xi1>
    %16 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %17 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %18 = stablehlo.or %16, %17 : tensor<14xi1>
    %19 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %20 = stablehlo.or %18, %19 : tensor<14xi1>
    %21 = stablehlo.and %9, %15 : tensor<14xi1>
    %22 = stablehlo.and %4, %11 : tensor<14xi1>
    %23 = stablehlo.or %21, %22 : tensor<14xi1>
    %24 = stablehlo.and %4, %14 : tensor<14xi1>
    %25 = stablehlo.and %9, %13 : tensor<14xi1>
    %26 = stablehlo.or %24, %25 : tensor<14xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %28 = stablehlo.compare LT, %arg0, %27, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %30 = stablehlo.compare LT, %arg1, %29, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %31 = stablehlo.or %28, %30 : tensor<14xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %33 = stablehlo.compare LT, %arg2, %32, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %34 = stablehlo.or %31, %33 : tensor<14xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %35 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %36 = stablehlo.compare GT, %arg2, %35, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %37 = stablehlo.or %34, %36 : tensor<14xi1>
    %38 = stablehlo.and %4, %9 : tensor<14xi1>
    %39 = stablehlo.or %38, %20 : tensor<14xi1>
    %40 = stablehlo.or %37, %39 : tensor<14xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %42 = stablehlo.add %arg0, %41 : tensor<14xf64>
    %43 = stablehlo.add %arg0, %arg1 : tensor<14xf64>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %45 = stablehlo.add %43, %44 : tensor<14xf64>
    %46 = stablehlo.divide %42, %45 : tensor<14xf64>
    %47 = stablehlo.compare LT, %arg2, %46, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %48 = stablehlo.select %47, %arg0, %arg1 : tensor<14xi1>, tensor<14xf64>
    %49 = stablehlo.select %47, %arg1, %arg0 : tensor<14xi1>, tensor<14xf64>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %50 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %51 = stablehlo.subtract %50, %arg2 : tensor<14xf64>
    %52 = stablehlo.select %47, %arg2, %51 : tensor<14xi1>, tensor<14xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %53 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %c_12 = stablehlo.constant dense<0> : tensor<i64>
    %54 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %55 = stablehlo.compare EQ, %53, %54, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %57 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %58 = stablehlo.select %55, %56, %57 : tensor<14xi1>, tensor<14xf64>
    %59 = stablehlo.abs %58 : tensor<14xf64>
    %cst_15 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %60 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %61 = stablehlo.compare LT, %59, %60, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %cst_16 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
    %62 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %63 = stablehlo.select %61, %62, %58 : tensor<14xi1>, tensor<14xf64>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %64 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %c_18 = stablehlo.constant dense<1> : tensor<i64>
    %c_19 = stablehlo.constant dense<true> : tensor<i1>
    %65:8 = stablehlo.while(%iterArg = %48, %iterArg_26 = %49, %iterArg_27 = %52, %iterArg_28 = %c_18, %iterArg_29 = %c_19, %iterArg_30 = %63, %iterArg_31 = %64, %iterArg_32 = %63) : tensor<14xf64>, tensor<14xf64>, tensor<14xf64>, tensor<i64>, tensor<i1>, tensor<14xf64>, tensor<14xf64>, tensor<14xf64>
    cond {
      %c_33 = stablehlo.constant dense<600> : tensor<i64>
      %100 = stablehlo.compare LT, %iterArg_28, %c_33, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %101 = stablehlo.and %100, %iterArg_29 : tensor<i1>
      stablehlo.return %101 : tensor<i1>
    } do {
      %100 = stablehlo.broadcast_in_dim %iterArg_28, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %c_33 = stablehlo.constant dense<2> : tensor<i64>
      %101 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %102 = func.call @remainder(%100, %101) : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi64>
      %c_34 = stablehlo.constant dense<0> : tensor<i64>
      %103 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %104 = stablehlo.compare EQ, %102, %103, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
      %c_35 = stablehlo.constant dense<1> : tensor<i64>
      %105 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %106 = stablehlo.compare EQ, %100, %105, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
      %c_36 = stablehlo.constant dense<1> : tensor<i64>
      %107 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %108 = stablehlo.subtract %100, %107 : tensor<14xi64>
      %c_37 = stablehlo.constant dense<2> : tensor<i64>
      %109 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %110 = func.call @floor_divide(%108, %109) : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi64>
      %c_38 = stablehlo.constant dense<0> : tensor<i64>
      %111 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %112 = stablehlo.compare EQ, %110, %111, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
      %113 = stablehlo.convert %110 : (tensor<14xi64>) -> tensor<14xf64>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %114 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %115 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %116 = stablehlo.add %iterArg, %iterArg_26 : tensor<14xf64>
      %117 = stablehlo.negate %116 : tensor<14xf64>
      %118 = stablehlo.multiply %117, %iterArg_27 : tensor<14xf64>
      %119 = stablehlo.add %iterArg, %114 : tensor<14xf64>
      %120 = stablehlo.divide %118, %119 : tensor<14xf64>
      %121 = stablehlo.add %iterArg, %113 : tensor<14xf64>
      %122 = stablehlo.negate %121 : tensor<14xf64>
      %123 = stablehlo.add %iterArg, %iterArg_26 : tensor<14xf64>
      %124 = stablehlo.add %123, %113 : tensor<14xf64>
      %125 = stablehlo.multiply %122, %124 : tensor<14xf64>
      %126 = stablehlo.multiply %125, %iterArg_27 : tensor<14xf64>
      %127 = stablehlo.multiply %115, %113 : tensor<14xf64>
      %128 = stablehlo.add %iterArg, %127 : tensor<14xf64>
      %129 = stablehlo.multiply %115, %113 : tensor<14xf64>
      %130 = stablehlo.add %iterArg, %129 : tensor<14xf64>
      %131 = stablehlo.add %130, %114 : tensor<14xf64>
      %132 = stablehlo.multiply %128, %131 : tensor<14xf64>
      %133 = stablehlo.divide %126, %132 : tensor<14xf64>
      %134 = stablehlo.select %112, %120, %133 : tensor<14xi1>, tensor<14xf64>
      %135 = stablehlo.subtract %iterArg_26, %113 : tensor<14xf64>
      %136 = stablehlo.multiply %113, %135 : tensor<14xf64>
      %137 = stablehlo.multiply %136, %iterArg_27 : tensor<14xf64>
      %138 = stablehlo.multiply %115, %113 : tensor<14xf64>
      %139 = stablehlo.add %iterArg, %138 : tensor<14xf64>
      %140 = stablehlo.subtract %139, %114 : tensor<14xf64>
      %141 = stablehlo.multiply %115, %113 : tensor<14xf64>
      %142 = stablehlo.add %iterArg, %141 : tensor<14xf64>
      %143 = stablehlo.multiply %140, %142 : tensor<14xf64>
      %144 = stablehlo.divide %137, %143 : tensor<14xf64>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %145 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %146 = stablehlo.select %104, %134, %144 : tensor<14xi1>, tensor<14xf64>
      %147 = stablehlo.select %106, %145, %146 : tensor<14xi1>, tensor<14xf64>
      %148 = stablehlo.broadcast_in_dim %iterArg_28, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %c_42 = stablehlo.constant dense<0> : tensor<i64>
      %149 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i64>) -> tensor<14xi64>
      %150 = stablehlo.compare EQ, %148, %149, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
      %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %151 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %152 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %153 = stablehlo.select %150, %151, %152 : tensor<14xi1>, tensor<14xf64>
      %154 = stablehlo.divide %147, %iterArg_30 : tensor<14xf64>
      %155 = stablehlo.add %153, %154 : tensor<14xf64>
      %cst_45 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %156 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %157 = stablehlo.abs %155 : tensor<14xf64>
      %158 = stablehlo.compare LT, %157, %156, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
      %159 = stablehlo.select %158, %156, %155 : tensor<14xi1>, tensor<14xf64>
      %160 = stablehlo.multiply %147, %iterArg_31 : tensor<14xf64>
      %161 = stablehlo.add %153, %160 : tensor<14xf64>
      %162 = stablehlo.abs %161 : tensor<14xf64>
      %163 = stablehlo.compare LT, %162, %156, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
      %164 = stablehlo.select %163, %156, %161 : tensor<14xi1>, tensor<14xf64>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %165 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %166 = stablehlo.divide %165, %164 : tensor<14xf64>
      %167 = stablehlo.multiply %159, %166 : tensor<14xf64>
      %168 = stablehlo.multiply %iterArg_32, %167 : tensor<14xf64>
      %c_47 = stablehlo.constant dense<1> : tensor<i64>
      %169 = stablehlo.add %iterArg_28, %c_47 : tensor<i64>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %170 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %171 = stablehlo.subtract %167, %170 : tensor<14xf64>
      %172 = stablehlo.abs %171 : tensor<14xf64>
      %cst_49 = stablehlo.constant dense<1.1102230246251565E-16> : tensor<f64>
      %173 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<14xf64>
      %174 = stablehlo.compare GE, %172, %173, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
      %c_50 = stablehlo.constant dense<false> : tensor<i1>
      %175 = stablehlo.reduce(%174 init: %c_50) applies stablehlo.or across dimensions = [0] : (tensor<14xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_26, %iterArg_27, %169, %175, %159, %166, %168 : tensor<14xf64>, tensor<14xf64>, tensor<14xf64>, tensor<i64>, tensor<i1>, tensor<14xf64>, tensor<14xf64>, tensor<14xf64>
    }
    %66 = chlo.lgamma %49 : tensor<14xf64> -> tensor<14xf64>
    %67 = stablehlo.add %48, %49 : tensor<14xf64>
    %68 = chlo.lgamma %67 : tensor<14xf64> -> tensor<14xf64>
    %69 = stablehlo.subtract %66, %68 : tensor<14xf64>
    %70 = chlo.lgamma %48 : tensor<14xf64> -> tensor<14xf64>
    %71 = stablehlo.add %70, %69 : tensor<14xf64>
    %cst_20 = stablehlo.constant dense<4.4501477170144028E-308> : tensor<f64>
    %72 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %73 = stablehlo.compare LT, %48, %72, FLOAT : (tensor<14xf64>, tensor<14xf64>) -> tensor<14xi1>
    %74 = stablehlo.negate %52 : tensor<14xf64>
    %75 = stablehlo.log_plus_one %74 : tensor<14xf64>
    %76 = stablehlo.multiply %75, %49 : tensor<14xf64>
    %77 = stablehlo.subtract %76, %69 : tensor<14xf64>
    %78 = stablehlo.exponential %77 : tensor<14xf64>
    %79 = stablehlo.log %52 : tensor<14xf64>
    %80 = stablehlo.multiply %79, %48 : tensor<14xf64>
    %81 = stablehlo.negate %52 : tensor<14xf64>
    %82 = stablehlo.log_plus_one %81 : tensor<14xf64>
    %83 = stablehlo.multiply %82, %49 : tensor<14xf64>
    %84 = stablehlo.add %80, %83 : tensor<14xf64>
    %85 = stablehlo.subtract %84, %71 : tensor<14xf64>
    %86 = stablehlo.exponential %85 : tensor<14xf64>
    %87 = stablehlo.divide %86, %48 : tensor<14xf64>
    %88 = stablehlo.select %73, %78, %87 : tensor<14xi1>, tensor<14xf64>
    %89 = stablehlo.multiply %65#7, %88 : tensor<14xf64>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %90 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %91 = stablehlo.subtract %90, %89 : tensor<14xf64>
    %92 = stablehlo.select %47, %89, %91 : tensor<14xi1>, tensor<14xf64>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %93 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %94 = stablehlo.select %23, %93, %92 : tensor<14xi1>, tensor<14xf64>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %95 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %96 = stablehlo.select %26, %95, %94 : tensor<14xi1>, tensor<14xf64>
    %cst_24 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %97 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<14xf64>
    %98 = stablehlo.select %40, %97, %96 : tensor<14xi1>, tensor<14xf64>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %99 = stablehlo.reduce(%98 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<14xf64>, tensor<f64>) -> tensor<f64>
    return %99 : tensor<f64>
  }
  func.func private @remainder(%arg0: tensor<14xi64>, %arg1: tensor<14xi64>) -> tensor<14xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %3 = call @_where(%1, %2, %arg1) : (tensor<14xi1>, tensor<14xi64>, tensor<14xi64>) -> tensor<14xi64>
    %4 = stablehlo.remainder %arg0, %3 : tensor<14xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<14xi1>, tensor<14xi1>) -> tensor<14xi1>
    %12 = stablehlo.and %11, %6 : tensor<14xi1>
    %13 = stablehlo.add %4, %3 : tensor<14xi64>
    %14 = stablehlo.select %12, %13, %4 : tensor<14xi1>, tensor<14xi64>
    return %14 : tensor<14xi64>
  }
  func.func private @_where(%arg0: tensor<14xi1>, %arg1: tensor<14xi64>, %arg2: tensor<14xi64>) -> tensor<14xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<14xi1>, tensor<14xi64>
    return %0 : tensor<14xi64>
  }
  func.func private @floor_divide(%arg0: tensor<14xi64>, %arg1: tensor<14xi64>) -> tensor<14xi64> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<14xi64>
    %1 = stablehlo.sign %arg0 : tensor<14xi64>
    %2 = stablehlo.sign %arg1 : tensor<14xi64>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<14xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<14xi64>, tensor<14xi64>) -> tensor<14xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<14xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<14xi1>, tensor<14xi1>) -> tensor<14xi1>
    %9 = stablehlo.convert %8 : tensor<14xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<14xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<14xi1>, tensor<14xi1>) -> tensor<14xi1>
    %12 = stablehlo.convert %11 : tensor<14xi1>
    %13 = stablehlo.and %9, %12 : tensor<14xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<14xi64>
    %15 = stablehlo.subtract %0, %14 : tensor<14xi64>
    %16 = call @_where_0(%13, %15, %0) : (tensor<14xi1>, tensor<14xi64>, tensor<14xi64>) -> tensor<14xi64>
    return %16 : tensor<14xi64>
  }
  func.func private @_where_0(%arg0: tensor<14xi1>, %arg1: tensor<14xi64>, %arg2: tensor<14xi64>) -> tensor<14xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<14xi1>, tensor<14xi64>
    return %0 : tensor<14xi64>
  }
}
