// Extents that the caller decides, as `jax.export` writes them: the mean of the products of rows, and the positions.
module @symbolic attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%arg0: tensor<?x?xf64>, %arg1: tensor<?xf64>) -> (tensor<?xf64> {jax.result_info = "result[0]"}, tensor<?x2xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x?xf64>) -> tensor<i32>
    %1 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<?x?xf64>) -> tensor<i32>
    %2 = stablehlo.get_dimension_size %arg1, dim = 0 : (tensor<?xf64>) -> tensor<i32>
    %3 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%3, %0) {api_version = 2 : i32, error_message = "Expected value >= 1 for dimension variable 'm'. Using the following specifications", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %4 = stablehlo.compare EQ, %2, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%4, %2, %1) {api_version = 2 : i32, error_message = "Found inconsistency", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
    %5 = stablehlo.remainder %0, %c_1 : tensor<i32>
    %6 = stablehlo.compare EQ, %5, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%6, %0) {api_version = 2 : i32, error_message = "The number of rows is odd. Using the following specifications", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %7:2 = call @_wrapped_jax_export_main(%0, %1, %arg0, %arg1) : (tensor<i32>, tensor<i32>, tensor<?x?xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?x2xi32>)
    return %7#0, %7#1 : tensor<?xf64>, tensor<?x2xi32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {jax.global_constant = "m"}, %arg1: tensor<i32> {jax.global_constant = "k"}, %arg2: tensor<?x?xf64>, %arg3: tensor<?xf64>) -> (tensor<?xf64>, tensor<?x2xi32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f64>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %0 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %arg1 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %3 = stablehlo.dynamic_broadcast_in_dim %arg3, %2, dims = [1] : (tensor<?xf64>, tensor<2xi32>) -> tensor<?x?xf64>
    %4 = stablehlo.multiply %arg2, %3 : tensor<?x?xf64>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf64>, tensor<f64>) -> tensor<?xf64>
    %6 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f64>
    %7 = stablehlo.dynamic_broadcast_in_dim %6, %0, dims = [] : (tensor<f64>, tensor<1xi32>) -> tensor<?xf64>
    %8 = stablehlo.divide %5, %7 : tensor<?xf64>
    %9 = stablehlo.concatenate %0, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %10 = stablehlo.dynamic_iota %9, dim = 0 : (tensor<2xi32>) -> tensor<?x2xi32>
    return %8, %10 : tensor<?xf64>, tensor<?x2xi32>
  }
}
