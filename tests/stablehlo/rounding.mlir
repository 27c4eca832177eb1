// Extents by divisions that round down, as `jnp.remainder` and `jnp.floor_divide` are written: the elements moved by one place
// round the end, as many positions as half of the extent, rounded up, and pairs where there are such.
module @rounding attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%arg0: tensor<?xf64>, %arg1: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xi32>, tensor<?x2xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %c_0 = stablehlo.constant dense<2> : tensor<i64>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf64>) -> tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.compare GE, %1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %1) {api_version = 2 : i32, error_message = "Expected value >= 1 for dimension variable 'n'. Using the following specifications", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
    %3 = stablehlo.get_dimension_size %arg1, dim = 0 : (tensor<?xf64>) -> tensor<i32>
    %4 = stablehlo.convert %3 : (tensor<i32>) -> tensor<i64>
    %5 = call @floor_divide(%4, %c_0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %6:3 = call @_wrapped_jax_export_main(%1, %5, %arg0, %arg1) : (tensor<i64>, tensor<i64>, tensor<?xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?xi32>, tensor<?x2xf64>)
    return %6#0, %6#1, %6#2 : tensor<?xf64>, tensor<?xi32>, tensor<?x2xf64>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i64> {jax.global_constant = "n"}, %arg1: tensor<i64> {jax.global_constant = "k"}, %arg2: tensor<?xf64>, %arg3: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xi32>, tensor<?x2xf64>) {
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %c_0 = stablehlo.constant dense<2> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi64>
    %c_2 = stablehlo.constant dense<1> : tensor<1xi64>
    %c_3 = stablehlo.constant dense<2> : tensor<1xi64>
    %0 = call @remainder(%c, %arg0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %1 = stablehlo.reshape %0 : (tensor<i64>) -> tensor<1xi64>
    %2 = stablehlo.reshape %arg0 : (tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.real_dynamic_slice %arg2, %1, %2, %c_2 : (tensor<?xf64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf64>
    %4 = stablehlo.real_dynamic_slice %arg2, %c_1, %1, %c_2 : (tensor<?xf64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf64>
    %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %6 = stablehlo.multiply %arg0, %c : tensor<i64>
    %7 = call @floor_divide(%6, %c_0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %8 = stablehlo.multiply %7, %c : tensor<i64>
    %9 = stablehlo.reshape %8 : (tensor<i64>) -> tensor<1xi64>
    %10 = stablehlo.dynamic_iota %9, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
    %11 = stablehlo.reshape %arg1 : (tensor<i64>) -> tensor<1xi64>
    %12 = stablehlo.concatenate %11, %c_3, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %13 = stablehlo.dynamic_reshape %arg3, %12 : (tensor<?xf64>, tensor<2xi64>) -> tensor<?x2xf64>
    return %5, %10, %13 : tensor<?xf64>, tensor<?xi32>, tensor<?x2xf64>
  }
  func.func private @floor_divide(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<i64> {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.divide %arg0, %arg1 : tensor<i64>
    %1 = stablehlo.sign %arg0 : tensor<i64>
    %2 = stablehlo.sign %arg1 : tensor<i64>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<i64>
    %5 = stablehlo.compare NE, %4, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %6 = stablehlo.and %3, %5 : tensor<i1>
    %7 = stablehlo.subtract %0, %c : tensor<i64>
    %8 = stablehlo.select %6, %7, %0 : tensor<i1>, tensor<i64>
    return %8 : tensor<i64>
  }
  func.func private @remainder(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<i64> {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.compare EQ, %arg1, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = stablehlo.select %0, %c, %arg1 : tensor<i1>, tensor<i64>
    %2 = stablehlo.remainder %arg0, %1 : tensor<i64>
    %3 = stablehlo.compare NE, %2, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = stablehlo.compare LT, %2, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %5 = stablehlo.compare LT, %1, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %6, %3 : tensor<i1>
    %8 = stablehlo.add %2, %1 : tensor<i64>
    %9 = stablehlo.select %7, %8, %2 : tensor<i1>, tensor<i64>
    return %9 : tensor<i64>
  }
}
