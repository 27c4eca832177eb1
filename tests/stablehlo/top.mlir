// The first elements by a comparator, and the greatest, as many as an extent says.
module attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main() {
    %x = stablehlo.constant dense<[[3.0, 1.0], [2.0, 9.0], [7.0, 4.0]]> : tensor<3x2xf64>
    %least = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %none = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<3x2xi32>
    %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %least, %none) {called_computations = [@greater], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<3x2xf64>, tensor<3x2xi32>, tensor<f64>, tensor<i32>) -> (tensor<2x2xf64>, tensor<2x2xi32>)
    check.expect_eq_const %0#0, dense<[[7.0, 9.0], [3.0, 4.0]]> : tensor<2x2xf64>
    check.expect_eq_const %0#1, dense<[[2, 1], [0, 2]]> : tensor<2x2xi32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %line = stablehlo.constant dense<[3.0, 1.0, 7.0]> : tensor<3xf64>
    %1:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%line, %two) : (tensor<3xf64>, tensor<i32>) -> (tensor<2xf64>, tensor<2xi32>)
    check.expect_eq_const %1#0, dense<[7.0, 3.0]> : tensor<2xf64>
    check.expect_eq_const %1#1, dense<[2, 0]> : tensor<2xi32>
    %2 = stablehlo.custom_call @TopK(%line) {called_computations = [@first]} : (tensor<3xf64>) -> tuple<tensor<2xf64>, tensor<2xi32>>
    %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<2xf64>, tensor<2xi32>>) -> tensor<2xf64>
    %4 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<2xf64>, tensor<2xi32>>) -> tensor<2xi32>
    check.expect_eq_const %3, dense<[7.0, 3.0]> : tensor<2xf64>
    check.expect_eq_const %4, dense<[2, 0]> : tensor<2xi32>
    return
  }
  func.func private @greater(%a: tensor<f64>, %b: tensor<f64>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @first(%a: tensor<f64>, %b: tensor<f64>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
    return %0 : tensor<i1>
  }
}
