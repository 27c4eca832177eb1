module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[0.410727471, 0.401696622], [-0.337913424, 0.192781657]]> : tensor<2x2xf32>
    %cst_0 = stablehlo.constant dense<[[0.428254962, 0.903657793], [0.903657793, -0.428255141]]> : tensor<2x2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_2 = stablehlo.constant dense<[[0.368150681, 0.243616357], [0.571423292, 1.21141493]]> : tensor<2x2xf32>
    %cst_3 = stablehlo.constant dense<[[-0.578293681, 0.81582868], [0.81582868, 0.578293681]]> : tensor<2x2xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_5 = stablehlo.constant dense<[[-0.0166137703, 0.984177291], [0.394265115, -0.957090258]]> : tensor<2x2xf32>
    %cst_6 = stablehlo.constant dense<[[0.924661278, 0.380790502], [-0.380790502, 0.924661338]]> : tensor<2x2xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_8 = stablehlo.constant dense<[[0.973780214, 1.05862653], [0.00964161194, -0.17919071]]> : tensor<2x2xf32>
    %cst_9 = stablehlo.constant dense<[[0.871805071, -0.489853173], [0.489853173, 0.871804953]]> : tensor<2x2xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_11 = stablehlo.constant dense<[[-3.281310e-02, -0.782680869], [0.935604631, 0.21726276]]> : tensor<2x2xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_13 = stablehlo.constant dense<[[0.78771162, -0.616044164], [0.616044164, 0.78771162]]> : tensor<2x2xf32>
    %cst_14 = stablehlo.constant dense<[[-0.887459337, -1.3040427], [-0.0728891864, 0.523525655]]> : tensor<2x2xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_16 = stablehlo.constant dense<[[0.31352663, 0.949579358], [0.949579358, -0.31352669]]> : tensor<2x2xf32>
    %cst_17 = stablehlo.constant dense<[[-0.922384142, -0.0110958153], [0.00595670426, 0.908906161]]> : tensor<2x2xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_19 = stablehlo.constant dense<[[0.924630045, -0.380866379], [-0.380866379, -0.924630105]]> : tensor<2x2xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.convert %cst : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %3 = stablehlo.convert %cst_0 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %4 = stablehlo.convert %cst_1 : (tensor<2xf32>) -> tensor<2xf64>
    %5 = stablehlo.dot_general %0, %3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %6 = stablehlo.add %5, %4 : tensor<2xf64>
    %7 = stablehlo.add %2, %6 : tensor<2xf64>
    %8 = stablehlo.negate %7 : tensor<2xf64>
    %9 = stablehlo.exponential %8 : tensor<2xf64>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %11 = stablehlo.add %10, %9 : tensor<2xf64>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %13 = stablehlo.divide %12, %11 : tensor<2xf64>
    %14 = stablehlo.convert %cst_2 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %15 = stablehlo.dot_general %arg0, %14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %16 = stablehlo.convert %cst_3 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %17 = stablehlo.convert %cst_4 : (tensor<2xf32>) -> tensor<2xf64>
    %18 = stablehlo.dot_general %0, %16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %19 = stablehlo.add %18, %17 : tensor<2xf64>
    %20 = stablehlo.add %15, %19 : tensor<2xf64>
    %21 = stablehlo.negate %20 : tensor<2xf64>
    %22 = stablehlo.exponential %21 : tensor<2xf64>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %23 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %24 = stablehlo.add %23, %22 : tensor<2xf64>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %26 = stablehlo.divide %25, %24 : tensor<2xf64>
    %27 = stablehlo.convert %cst_5 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %28 = stablehlo.dot_general %arg0, %27, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %29 = stablehlo.convert %cst_6 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %30 = stablehlo.convert %cst_7 : (tensor<2xf32>) -> tensor<2xf64>
    %31 = stablehlo.dot_general %0, %29, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %32 = stablehlo.add %31, %30 : tensor<2xf64>
    %33 = stablehlo.add %28, %32 : tensor<2xf64>
    %34 = stablehlo.tanh %33 : tensor<2xf64>
    %35 = stablehlo.convert %cst_8 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %36 = stablehlo.dot_general %arg0, %35, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %37 = stablehlo.convert %cst_9 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %38 = stablehlo.convert %cst_10 : (tensor<2xf32>) -> tensor<2xf64>
    %39 = stablehlo.dot_general %0, %37, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %40 = stablehlo.add %39, %38 : tensor<2xf64>
    %41 = stablehlo.add %36, %40 : tensor<2xf64>
    %42 = stablehlo.negate %41 : tensor<2xf64>
    %43 = stablehlo.exponential %42 : tensor<2xf64>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %44 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %45 = stablehlo.add %44, %43 : tensor<2xf64>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %46 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %47 = stablehlo.divide %46, %45 : tensor<2xf64>
    %48 = stablehlo.multiply %26, %0 : tensor<2xf64>
    %49 = stablehlo.multiply %13, %34 : tensor<2xf64>
    %50 = stablehlo.add %48, %49 : tensor<2xf64>
    %51 = stablehlo.tanh %50 : tensor<2xf64>
    %52 = stablehlo.multiply %47, %51 : tensor<2xf64>
    %53 = stablehlo.convert %cst_11 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %54 = stablehlo.convert %cst_12 : (tensor<2xf32>) -> tensor<2xf64>
    %55 = stablehlo.dot_general %arg0, %53, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %56 = stablehlo.add %55, %54 : tensor<2xf64>
    %57 = stablehlo.convert %cst_13 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %58 = stablehlo.dot_general %0, %57, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %59 = stablehlo.add %56, %58 : tensor<2xf64>
    %60 = stablehlo.negate %59 : tensor<2xf64>
    %61 = stablehlo.exponential %60 : tensor<2xf64>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %62 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %63 = stablehlo.add %62, %61 : tensor<2xf64>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %64 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %65 = stablehlo.divide %64, %63 : tensor<2xf64>
    %66 = stablehlo.convert %cst_14 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %67 = stablehlo.convert %cst_15 : (tensor<2xf32>) -> tensor<2xf64>
    %68 = stablehlo.dot_general %arg0, %66, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %69 = stablehlo.add %68, %67 : tensor<2xf64>
    %70 = stablehlo.convert %cst_16 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %71 = stablehlo.dot_general %0, %70, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %72 = stablehlo.add %69, %71 : tensor<2xf64>
    %73 = stablehlo.negate %72 : tensor<2xf64>
    %74 = stablehlo.exponential %73 : tensor<2xf64>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %75 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %76 = stablehlo.add %75, %74 : tensor<2xf64>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %77 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %78 = stablehlo.divide %77, %76 : tensor<2xf64>
    %79 = stablehlo.convert %cst_17 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %80 = stablehlo.convert %cst_18 : (tensor<2xf32>) -> tensor<2xf64>
    %81 = stablehlo.dot_general %arg0, %79, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %82 = stablehlo.add %81, %80 : tensor<2xf64>
    %83 = stablehlo.convert %cst_19 : (tensor<2x2xf32>) -> tensor<2x2xf64>
    %84 = stablehlo.convert %cst_20 : (tensor<2xf32>) -> tensor<2xf64>
    %85 = stablehlo.dot_general %0, %83, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf64>, tensor<2x2xf64>) -> tensor<2xf64>
    %86 = stablehlo.add %85, %84 : tensor<2xf64>
    %87 = stablehlo.multiply %65, %86 : tensor<2xf64>
    %88 = stablehlo.add %82, %87 : tensor<2xf64>
    %89 = stablehlo.tanh %88 : tensor<2xf64>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %90 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %91 = stablehlo.subtract %90, %78 : tensor<2xf64>
    %92 = stablehlo.multiply %91, %89 : tensor<2xf64>
    %93 = stablehlo.multiply %78, %0 : tensor<2xf64>
    %94 = stablehlo.add %92, %93 : tensor<2xf64>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %95 = stablehlo.reduce(%52 init: %cst_33) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %96 = stablehlo.reduce(%94 init: %cst_34) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %97 = stablehlo.add %95, %96 : tensor<f64>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %98 = stablehlo.reduce(%97 init: %cst_35) applies stablehlo.add across dimensions = [] : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %98 : tensor<f64>
  }
}
