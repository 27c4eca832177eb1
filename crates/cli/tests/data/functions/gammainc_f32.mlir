module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.or %0, %1 : tensor<4xi1>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.compare EQ, %arg1, %3, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.compare EQ, %arg0, %5, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.compare EQ, %arg1, %7, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %10 = stablehlo.compare LT, %arg1, %9, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.compare LT, %arg0, %11, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %13 = stablehlo.and %6, %8 : tensor<4xi1>
    %14 = stablehlo.or %10, %12 : tensor<4xi1>
    %15 = stablehlo.or %14, %13 : tensor<4xi1>
    %16 = stablehlo.or %15, %2 : tensor<4xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %18 = stablehlo.compare GE, %arg1, %17, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %19 = stablehlo.compare GT, %arg1, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %20 = stablehlo.and %18, %19 : tensor<4xi1>
    %21 = stablehlo.log %arg1 : tensor<4xf32>
    %22 = stablehlo.multiply %arg0, %21 : tensor<4xf32>
    %23 = stablehlo.subtract %22, %arg1 : tensor<4xf32>
    %24 = chlo.lgamma %arg0 : tensor<4xf32> -> tensor<4xf32>
    %25 = stablehlo.subtract %23, %24 : tensor<4xf32>
    %cst_5 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %26 = stablehlo.log %cst_5 : tensor<f32>
    %27 = stablehlo.negate %26 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %29 = stablehlo.compare LT, %25, %28, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %30 = stablehlo.exponential %25 : tensor<4xf32>
    %31 = stablehlo.or %8, %16 : tensor<4xi1>
    %32 = stablehlo.or %31, %29 : tensor<4xi1>
    %33 = stablehlo.or %32, %4 : tensor<4xi1>
    %34 = stablehlo.not %33 : tensor<4xi1>
    %35 = stablehlo.and %34, %20 : tensor<4xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %37 = stablehlo.subtract %36, %arg0 : tensor<4xf32>
    %38 = stablehlo.add %arg1, %37 : tensor<4xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %40 = stablehlo.add %38, %39 : tensor<4xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %43 = stablehlo.add %arg1, %42 : tensor<4xf32>
    %44 = stablehlo.multiply %40, %arg1 : tensor<4xf32>
    %45 = stablehlo.divide %43, %44 : tensor<4xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %50 = stablehlo.negate %arg1 : tensor<4xf32>
    %51 = stablehlo.multiply %45, %50 : tensor<4xf32>
    %52 = stablehlo.subtract %49, %51 : tensor<4xf32>
    %53 = stablehlo.divide %52, %44 : tensor<4xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54:15 = stablehlo.while(%iterArg = %35, %iterArg_24 = %45, %iterArg_25 = %46, %iterArg_26 = %37, %iterArg_27 = %40, %iterArg_28 = %cst_14, %iterArg_29 = %43, %iterArg_30 = %44, %iterArg_31 = %41, %iterArg_32 = %arg1, %iterArg_33 = %47, %iterArg_34 = %48, %iterArg_35 = %49, %iterArg_36 = %50, %iterArg_37 = %53) : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %cst_38 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %75 = stablehlo.compare LT, %iterArg_28, %cst_38, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %76 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      %77 = stablehlo.and %75, %76 : tensor<i1>
      stablehlo.return %77 : tensor<i1>
    } do {
      %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %75 = stablehlo.add %iterArg_28, %cst_38 : tensor<f32>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %77 = stablehlo.add %iterArg_26, %76 : tensor<4xf32>
      %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %78 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %79 = stablehlo.add %iterArg_27, %78 : tensor<4xf32>
      %80 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %81 = stablehlo.multiply %77, %80 : tensor<4xf32>
      %82 = stablehlo.multiply %iterArg_29, %79 : tensor<4xf32>
      %83 = stablehlo.multiply %iterArg_31, %81 : tensor<4xf32>
      %84 = stablehlo.subtract %82, %83 : tensor<4xf32>
      %85 = stablehlo.multiply %iterArg_30, %79 : tensor<4xf32>
      %86 = stablehlo.multiply %iterArg_32, %81 : tensor<4xf32>
      %87 = stablehlo.subtract %85, %86 : tensor<4xf32>
      %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %88 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %89 = stablehlo.compare NE, %87, %88, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %90 = stablehlo.divide %84, %87 : tensor<4xf32>
      %91 = stablehlo.subtract %iterArg_24, %90 : tensor<4xf32>
      %92 = stablehlo.divide %91, %90 : tensor<4xf32>
      %93 = stablehlo.abs %92 : tensor<4xf32>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %94 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %95 = stablehlo.select %89, %93, %94 : tensor<4xi1>, tensor<4xf32>
      %96 = stablehlo.select %89, %90, %iterArg_24 : tensor<4xi1>, tensor<4xf32>
      %97 = stablehlo.multiply %iterArg_35, %79 : tensor<4xf32>
      %98 = stablehlo.subtract %97, %iterArg_29 : tensor<4xf32>
      %99 = stablehlo.multiply %iterArg_33, %81 : tensor<4xf32>
      %100 = stablehlo.subtract %98, %99 : tensor<4xf32>
      %101 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %102 = stablehlo.multiply %iterArg_31, %101 : tensor<4xf32>
      %103 = stablehlo.add %100, %102 : tensor<4xf32>
      %104 = stablehlo.multiply %iterArg_36, %79 : tensor<4xf32>
      %105 = stablehlo.subtract %104, %iterArg_30 : tensor<4xf32>
      %106 = stablehlo.multiply %iterArg_34, %81 : tensor<4xf32>
      %107 = stablehlo.subtract %105, %106 : tensor<4xf32>
      %108 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %109 = stablehlo.multiply %iterArg_32, %108 : tensor<4xf32>
      %110 = stablehlo.add %107, %109 : tensor<4xf32>
      %111 = stablehlo.multiply %96, %110 : tensor<4xf32>
      %112 = stablehlo.subtract %103, %111 : tensor<4xf32>
      %113 = stablehlo.divide %112, %87 : tensor<4xf32>
      %114 = stablehlo.select %89, %113, %iterArg_37 : tensor<4xi1>, tensor<4xf32>
      %115 = stablehlo.subtract %114, %iterArg_37 : tensor<4xf32>
      %116 = stablehlo.abs %115 : tensor<4xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %117 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %118 = stablehlo.select %89, %116, %117 : tensor<4xi1>, tensor<4xf32>
      %119 = stablehlo.abs %84 : tensor<4xf32>
      %cst_44 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %120 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<f32>
      %121 = stablehlo.divide %120, %cst_44 : tensor<f32>
      %122 = stablehlo.broadcast_in_dim %121, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %123 = stablehlo.compare GT, %119, %122, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %cst_46 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %124 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %125 = stablehlo.multiply %iterArg_29, %124 : tensor<4xf32>
      %126 = stablehlo.select %123, %125, %iterArg_29 : tensor<4xi1>, tensor<4xf32>
      %cst_47 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %127 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %128 = stablehlo.multiply %84, %127 : tensor<4xf32>
      %129 = stablehlo.select %123, %128, %84 : tensor<4xi1>, tensor<4xf32>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %131 = stablehlo.multiply %iterArg_30, %130 : tensor<4xf32>
      %132 = stablehlo.select %123, %131, %iterArg_30 : tensor<4xi1>, tensor<4xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %133 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %134 = stablehlo.multiply %87, %133 : tensor<4xf32>
      %135 = stablehlo.select %123, %134, %87 : tensor<4xi1>, tensor<4xf32>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %136 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %137 = stablehlo.multiply %iterArg_35, %136 : tensor<4xf32>
      %138 = stablehlo.select %123, %137, %iterArg_35 : tensor<4xi1>, tensor<4xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %139 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %140 = stablehlo.multiply %iterArg_36, %139 : tensor<4xf32>
      %141 = stablehlo.select %123, %140, %iterArg_36 : tensor<4xi1>, tensor<4xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %142 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %143 = stablehlo.multiply %103, %142 : tensor<4xf32>
      %144 = stablehlo.select %123, %143, %103 : tensor<4xi1>, tensor<4xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %145 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %146 = stablehlo.multiply %110, %145 : tensor<4xf32>
      %147 = stablehlo.select %123, %146, %110 : tensor<4xi1>, tensor<4xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %148 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %149 = stablehlo.compare GT, %95, %148, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %150 = stablehlo.and %iterArg, %149 : tensor<4xi1>
      %151 = stablehlo.select %iterArg, %96, %iterArg_24 : tensor<4xi1>, tensor<4xf32>
      %152 = stablehlo.select %iterArg, %95, %iterArg_25 : tensor<4xi1>, tensor<4xf32>
      %153 = stablehlo.select %iterArg, %77, %iterArg_26 : tensor<4xi1>, tensor<4xf32>
      %154 = stablehlo.select %iterArg, %79, %iterArg_27 : tensor<4xi1>, tensor<4xf32>
      %155 = stablehlo.select %iterArg, %129, %iterArg_29 : tensor<4xi1>, tensor<4xf32>
      %156 = stablehlo.select %iterArg, %135, %iterArg_30 : tensor<4xi1>, tensor<4xf32>
      %157 = stablehlo.select %iterArg, %126, %iterArg_31 : tensor<4xi1>, tensor<4xf32>
      %158 = stablehlo.select %iterArg, %132, %iterArg_32 : tensor<4xi1>, tensor<4xf32>
      %159 = stablehlo.select %iterArg, %138, %iterArg_33 : tensor<4xi1>, tensor<4xf32>
      %160 = stablehlo.select %iterArg, %141, %iterArg_34 : tensor<4xi1>, tensor<4xf32>
      %161 = stablehlo.select %iterArg, %144, %iterArg_35 : tensor<4xi1>, tensor<4xf32>
      %162 = stablehlo.select %iterArg, %147, %iterArg_36 : tensor<4xi1>, tensor<4xf32>
      %163 = stablehlo.select %iterArg, %114, %iterArg_37 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %150, %151, %152, %153, %154, %75, %155, %156, %157, %158, %159, %160, %161, %162, %163 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %55 = stablehlo.multiply %54#1, %30 : tensor<4xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %57 = stablehlo.subtract %56, %55 : tensor<4xf32>
    %58 = stablehlo.not %20 : tensor<4xi1>
    %59 = stablehlo.and %34, %58 : tensor<4xi1>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %64:7 = stablehlo.while(%iterArg = %59, %iterArg_24 = %arg0, %iterArg_25 = %60, %iterArg_26 = %61, %iterArg_27 = %arg1, %iterArg_28 = %62, %iterArg_29 = %63) : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %75 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %75 : tensor<i1>
    } do {
      %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %75 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %76 = stablehlo.add %iterArg_24, %75 : tensor<4xf32>
      %77 = stablehlo.divide %iterArg_27, %76 : tensor<4xf32>
      %78 = stablehlo.multiply %iterArg_28, %77 : tensor<4xf32>
      %79 = stablehlo.multiply %iterArg_25, %iterArg_27 : tensor<4xf32>
      %80 = stablehlo.multiply %76, %76 : tensor<4xf32>
      %81 = stablehlo.divide %79, %80 : tensor<4xf32>
      %82 = stablehlo.subtract %78, %81 : tensor<4xf32>
      %83 = stablehlo.add %iterArg_29, %82 : tensor<4xf32>
      %84 = stablehlo.divide %iterArg_27, %76 : tensor<4xf32>
      %85 = stablehlo.multiply %iterArg_25, %84 : tensor<4xf32>
      %86 = stablehlo.add %iterArg_26, %85 : tensor<4xf32>
      %87 = stablehlo.divide %85, %86 : tensor<4xf32>
      %cst_31 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %88 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %89 = stablehlo.compare GT, %87, %88, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %90 = stablehlo.and %iterArg, %89 : tensor<4xi1>
      %91 = stablehlo.select %iterArg, %76, %iterArg_24 : tensor<4xi1>, tensor<4xf32>
      %92 = stablehlo.select %iterArg, %85, %iterArg_25 : tensor<4xi1>, tensor<4xf32>
      %93 = stablehlo.select %iterArg, %86, %iterArg_26 : tensor<4xi1>, tensor<4xf32>
      %94 = stablehlo.select %iterArg, %iterArg_27, %iterArg_27 : tensor<4xi1>, tensor<4xf32>
      %95 = stablehlo.select %iterArg, %82, %iterArg_28 : tensor<4xi1>, tensor<4xf32>
      %96 = stablehlo.select %iterArg, %83, %iterArg_29 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %90, %91, %92, %93, %94, %95, %96 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %65 = stablehlo.multiply %64#3, %30 : tensor<4xf32>
    %66 = stablehlo.divide %65, %arg0 : tensor<4xf32>
    %67 = stablehlo.select %20, %57, %66 : tensor<4xi1>, tensor<4xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %69 = stablehlo.select %8, %68, %67 : tensor<4xi1>, tensor<4xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %71 = stablehlo.select %4, %70, %69 : tensor<4xi1>, tensor<4xf32>
    %cst_22 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %73 = stablehlo.select %16, %72, %71 : tensor<4xi1>, tensor<4xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %74 : tensor<f32>
  }
}
