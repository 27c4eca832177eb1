// Extents that operands say: a running sum by windows that reach to the first element, a convolution with its padding, the
// first elements as many as a value says; several operands scattered at once; a reduction by a region over such extents.
module attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%x: tensor<?xf64>, %k: tensor<i32>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf64>) -> tensor<i32>
    %0:4 = call @inner(%n, %x, %k) : (tensor<i32>, tensor<?xf64>, tensor<i32>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>
  }
  func.func private @inner(%n: tensor<i32> {jax.global_constant = "n"}, %x: tensor<?xf64>, %k: tensor<i32>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %none = stablehlo.constant dense<0> : tensor<1xi32>
    %less = stablehlo.constant dense<-1> : tensor<i32>
    %m = stablehlo.add %n, %less : tensor<i32>
    %low = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %ends = stablehlo.concatenate %low, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %pad = stablehlo.reshape %ends : (tensor<2xi32>) -> tensor<1x2xi32>
    %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %size, %one, %one, %one, %pad) {called_computations = [@sum]} : (tensor<?xf64>, tensor<f64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf64>
    %kernel = stablehlo.constant dense<[[[1.0, 10.0]]]> : tensor<1x1x2xf64>
    %unit = stablehlo.constant dense<1> : tensor<1xi32>
    %three = stablehlo.concatenate %unit, %unit, %size, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %signal = stablehlo.dynamic_reshape %x, %three : (tensor<?xf64>, tensor<3xi32>) -> tensor<1x1x?xf64>
    %by = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>
    %1 = "stablehlo.dynamic_conv"(%signal, %kernel, %by) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64} : (tensor<1x1x?xf64>, tensor<1x1x2xf64>, tensor<1x2xi32>) -> tensor<1x1x?xf64>
    %2 = stablehlo.dynamic_reshape %1, %size : (tensor<1x1x?xf64>, tensor<1xi32>) -> tensor<?xf64>
    %3 = stablehlo.set_dimension_size %x, %k, dim = 0 : (tensor<?xf64>, tensor<i32>) -> tensor<?xf64, #stablehlo.bounds<9>>
    %4 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
     reducer(%a: tensor<f64>, %b: tensor<f64>) {
      %s = stablehlo.multiply %b, %b : tensor<f64>
      %t = stablehlo.add %a, %s : tensor<f64>
      stablehlo.return %t : tensor<f64>
    }
    return %0, %2, %3, %4 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<f64>
  }
  func.func private @sum(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.add %a, %b : tensor<f64>
    return %0 : tensor<f64>
  }
  func.func public @several() {
    %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
    %i = stablehlo.constant dense<[4, 5, 6]> : tensor<3xi32>
    %at = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>
    %u = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf64>
    %j = stablehlo.constant dense<[7, 1]> : tensor<2xi32>
    %0:3 = "stablehlo.scatter"(%x, %i, %x, %at, %u, %j, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<i32>, %c: tensor<f64>, %d: tensor<f64>, %e: tensor<i32>, %f: tensor<f64>):
      %s = stablehlo.add %a, %d : tensor<f64>
      %t = stablehlo.maximum %e, %b : tensor<i32>
      %p = stablehlo.subtract %f, %c : tensor<f64>
      stablehlo.return %s, %t, %p : tensor<f64>, tensor<i32>, tensor<f64>
    }) : (tensor<3xf64>, tensor<3xi32>, tensor<3xf64>, tensor<2x1xi32>, tensor<2xf64>, tensor<2xi32>, tensor<2xf64>) -> (tensor<3xf64>, tensor<3xi32>, tensor<3xf64>)
    check.expect_eq_const %0#0, dense<[11.0, 2.0, 23.0]> : tensor<3xf64>
    check.expect_eq_const %0#1, dense<[7, 5, 6]> : tensor<3xi32>
    check.expect_eq_const %0#2, dense<[9.0, 2.0, 17.0]> : tensor<3xf64>
    return
  }
}
