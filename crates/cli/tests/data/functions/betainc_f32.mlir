module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.compare EQ, %arg1, %2, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %4 = stablehlo.or %1, %3 : tensor<4xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.compare EQ, %arg1, %5, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.compare EQ, %arg0, %7, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %9 = stablehlo.or %6, %8 : tensor<4xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.compare EQ, %arg2, %10, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.compare EQ, %arg2, %12, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %14 = stablehlo.not %11 : tensor<4xi1>
    %15 = stablehlo.not %13 : tensor<4xi1>
    %16 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %17 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %18 = stablehlo.or %16, %17 : tensor<4xi1>
    %19 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %20 = stablehlo.or %18, %19 : tensor<4xi1>
    %21 = stablehlo.and %9, %15 : tensor<4xi1>
    %22 = stablehlo.and %4, %11 : tensor<4xi1>
    %23 = stablehlo.or %21, %22 : tensor<4xi1>
    %24 = stablehlo.and %4, %14 : tensor<4xi1>
    %25 = stablehlo.and %9, %13 : tensor<4xi1>
    %26 = stablehlo.or %24, %25 : tensor<4xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %28 = stablehlo.compare LT, %arg0, %27, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %30 = stablehlo.compare LT, %arg1, %29, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %31 = stablehlo.or %28, %30 : tensor<4xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %33 = stablehlo.compare LT, %arg2, %32, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %34 = stablehlo.or %31, %33 : tensor<4xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %36 = stablehlo.compare GT, %arg2, %35, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %37 = stablehlo.or %34, %36 : tensor<4xi1>
    %38 = stablehlo.and %4, %9 : tensor<4xi1>
    %39 = stablehlo.or %38, %20 : tensor<4xi1>
    %40 = stablehlo.or %37, %39 : tensor<4xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %42 = stablehlo.add %arg0, %41 : tensor<4xf32>
    %43 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %45 = stablehlo.add %43, %44 : tensor<4xf32>
    %46 = stablehlo.divide %42, %45 : tensor<4xf32>
    %47 = stablehlo.compare LT, %arg2, %46, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %48 = stablehlo.select %47, %arg0, %arg1 : tensor<4xi1>, tensor<4xf32>
    %49 = stablehlo.select %47, %arg1, %arg0 : tensor<4xi1>, tensor<4xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %51 = stablehlo.subtract %50, %arg2 : tensor<4xf32>
    %52 = stablehlo.select %47, %arg2, %51 : tensor<4xi1>, tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %53 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %55 = stablehlo.compare EQ, %53, %54, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %58 = stablehlo.select %55, %56, %57 : tensor<4xi1>, tensor<4xf32>
    %59 = stablehlo.abs %58 : tensor<4xf32>
    %cst_15 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %61 = stablehlo.compare LT, %59, %60, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_16 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %63 = stablehlo.select %61, %62, %58 : tensor<4xi1>, tensor<4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c_18 = stablehlo.constant dense<1> : tensor<i32>
    %c_19 = stablehlo.constant dense<true> : tensor<i1>
    %65:8 = stablehlo.while(%iterArg = %48, %iterArg_26 = %49, %iterArg_27 = %52, %iterArg_28 = %c_18, %iterArg_29 = %c_19, %iterArg_30 = %63, %iterArg_31 = %64, %iterArg_32 = %63) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c_33 = stablehlo.constant dense<200> : tensor<i32>
      %100 = stablehlo.compare LT, %iterArg_28, %c_33, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %101 = stablehlo.and %100, %iterArg_29 : tensor<i1>
      stablehlo.return %101 : tensor<i1>
    } do {
      %100 = stablehlo.broadcast_in_dim %iterArg_28, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %c_33 = stablehlo.constant dense<2> : tensor<i32>
      %101 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %102 = func.call @remainder(%100, %101) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %c_34 = stablehlo.constant dense<0> : tensor<i32>
      %103 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %104 = stablehlo.compare EQ, %102, %103, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_35 = stablehlo.constant dense<1> : tensor<i32>
      %105 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %106 = stablehlo.compare EQ, %100, %105, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_36 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %108 = stablehlo.subtract %100, %107 : tensor<4xi32>
      %c_37 = stablehlo.constant dense<2> : tensor<i32>
      %109 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %110 = func.call @floor_divide(%108, %109) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %c_38 = stablehlo.constant dense<0> : tensor<i32>
      %111 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %112 = stablehlo.compare EQ, %110, %111, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %113 = stablehlo.convert %110 : (tensor<4xi32>) -> tensor<4xf32>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %114 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %115 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %116 = stablehlo.add %iterArg, %iterArg_26 : tensor<4xf32>
      %117 = stablehlo.negate %116 : tensor<4xf32>
      %118 = stablehlo.multiply %117, %iterArg_27 : tensor<4xf32>
      %119 = stablehlo.add %iterArg, %114 : tensor<4xf32>
      %120 = stablehlo.divide %118, %119 : tensor<4xf32>
      %121 = stablehlo.add %iterArg, %113 : tensor<4xf32>
      %122 = stablehlo.negate %121 : tensor<4xf32>
      %123 = stablehlo.add %iterArg, %iterArg_26 : tensor<4xf32>
      %124 = stablehlo.add %123, %113 : tensor<4xf32>
      %125 = stablehlo.multiply %122, %124 : tensor<4xf32>
      %126 = stablehlo.multiply %125, %iterArg_27 : tensor<4xf32>
      %127 = stablehlo.multiply %115, %113 : tensor<4xf32>
      %128 = stablehlo.add %iterArg, %127 : tensor<4xf32>
      %129 = stablehlo.multiply %115, %113 : tensor<4xf32>
      %130 = stablehlo.add %iterArg, %129 : tensor<4xf32>
      %131 = stablehlo.add %130, %114 : tensor<4xf32>
      %132 = stablehlo.multiply %128, %131 : tensor<4xf32>
      %133 = stablehlo.divide %126, %132 : tensor<4xf32>
      %134 = stablehlo.select %112, %120, %133 : tensor<4xi1>, tensor<4xf32>
      %135 = stablehlo.subtract %iterArg_26, %113 : tensor<4xf32>
      %136 = stablehlo.multiply %113, %135 : tensor<4xf32>
      %137 = stablehlo.multiply %136, %iterArg_27 : tensor<4xf32>
      %138 = stablehlo.multiply %115, %113 : tensor<4xf32>
      %139 = stablehlo.add %iterArg, %138 : tensor<4xf32>
      %140 = stablehlo.subtract %139, %114 : tensor<4xf32>
      %141 = stablehlo.multiply %115, %113 : tensor<4xf32>
      %142 = stablehlo.add %iterArg, %141 : tensor<4xf32>
      %143 = stablehlo.multiply %140, %142 : tensor<4xf32>
      %144 = stablehlo.divide %137, %143 : tensor<4xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %145 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %146 = stablehlo.select %104, %134, %144 : tensor<4xi1>, tensor<4xf32>
      %147 = stablehlo.select %106, %145, %146 : tensor<4xi1>, tensor<4xf32>
      %148 = stablehlo.broadcast_in_dim %iterArg_28, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %c_42 = stablehlo.constant dense<0> : tensor<i32>
      %149 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %150 = stablehlo.compare EQ, %148, %149, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %151 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %152 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %153 = stablehlo.select %150, %151, %152 : tensor<4xi1>, tensor<4xf32>
      %154 = stablehlo.divide %147, %iterArg_30 : tensor<4xf32>
      %155 = stablehlo.add %153, %154 : tensor<4xf32>
      %cst_45 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %156 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %157 = stablehlo.abs %155 : tensor<4xf32>
      %158 = stablehlo.compare LT, %157, %156, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %159 = stablehlo.select %158, %156, %155 : tensor<4xi1>, tensor<4xf32>
      %160 = stablehlo.multiply %147, %iterArg_31 : tensor<4xf32>
      %161 = stablehlo.add %153, %160 : tensor<4xf32>
      %162 = stablehlo.abs %161 : tensor<4xf32>
      %163 = stablehlo.compare LT, %162, %156, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %164 = stablehlo.select %163, %156, %161 : tensor<4xi1>, tensor<4xf32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %165 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %166 = stablehlo.divide %165, %164 : tensor<4xf32>
      %167 = stablehlo.multiply %159, %166 : tensor<4xf32>
      %168 = stablehlo.multiply %iterArg_32, %167 : tensor<4xf32>
      %c_47 = stablehlo.constant dense<1> : tensor<i32>
      %169 = stablehlo.add %iterArg_28, %c_47 : tensor<i32>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %170 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %171 = stablehlo.subtract %167, %170 : tensor<4xf32>
      %172 = stablehlo.abs %171 : tensor<4xf32>
      %cst_49 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %173 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %174 = stablehlo.compare GE, %172, %173, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %c_50 = stablehlo.constant dense<false> : tensor<i1>
      %175 = stablehlo.reduce(%174 init: %c_50) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_26, %iterArg_27, %169, %175, %159, %166, %168 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %66 = chlo.lgamma %49 : tensor<4xf32> -> tensor<4xf32>
    %67 = stablehlo.add %48, %49 : tensor<4xf32>
    %68 = chlo.lgamma %67 : tensor<4xf32> -> tensor<4xf32>
    %69 = stablehlo.subtract %66, %68 : tensor<4xf32>
    %70 = chlo.lgamma %48 : tensor<4xf32> -> tensor<4xf32>
    %71 = stablehlo.add %70, %69 : tensor<4xf32>
    %cst_20 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %73 = stablehlo.compare LT, %48, %72, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %74 = stablehlo.negate %52 : tensor<4xf32>
    %75 = stablehlo.log_plus_one %74 : tensor<4xf32>
    %76 = stablehlo.multiply %75, %49 : tensor<4xf32>
    %77 = stablehlo.subtract %76, %69 : tensor<4xf32>
    %78 = stablehlo.exponential %77 : tensor<4xf32>
    %79 = stablehlo.log %52 : tensor<4xf32>
    %80 = stablehlo.multiply %79, %48 : tensor<4xf32>
    %81 = stablehlo.negate %52 : tensor<4xf32>
    %82 = stablehlo.log_plus_one %81 : tensor<4xf32>
    %83 = stablehlo.multiply %82, %49 : tensor<4xf32>
    %84 = stablehlo.add %80, %83 : tensor<4xf32>
    %85 = stablehlo.subtract %84, %71 : tensor<4xf32>
    %86 = stablehlo.exponential %85 : tensor<4xf32>
    %87 = stablehlo.divide %86, %48 : tensor<4xf32>
    %88 = stablehlo.select %73, %78, %87 : tensor<4xi1>, tensor<4xf32>
    %89 = stablehlo.multiply %65#7, %88 : tensor<4xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %91 = stablehlo.subtract %90, %89 : tensor<4xf32>
    %92 = stablehlo.select %47, %89, %91 : tensor<4xi1>, tensor<4xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %94 = stablehlo.select %23, %93, %92 : tensor<4xi1>, tensor<4xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %96 = stablehlo.select %26, %95, %94 : tensor<4xi1>, tensor<4xf32>
    %cst_24 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %98 = stablehlo.select %40, %97, %96 : tensor<4xi1>, tensor<4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %99 : tensor<f32>
  }
  func.func private @remainder(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %12 = stablehlo.and %11, %6 : tensor<4xi1>
    %13 = stablehlo.add %4, %3 : tensor<4xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<4xi1>, tensor<4xi32>
    return %14 : tensor<4xi32>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @floor_divide(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<4xi32>
    %1 = stablehlo.sign %arg0 : tensor<4xi32>
    %2 = stablehlo.sign %arg1 : tensor<4xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %9 = stablehlo.convert %8 : tensor<4xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %12 = stablehlo.convert %11 : tensor<4xi1>
    %13 = stablehlo.and %9, %12 : tensor<4xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<4xi32>
    %16 = call @_where_0(%13, %15, %0) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    return %16 : tensor<4xi32>
  }
  func.func private @_where_0(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
