// Derivatives as Enzyme writes them: f(x, n) = (sum of n x³, x), of which the second result counts for nothing.
module {
  func.func @f(%x: tensor<2xf64>, %n: tensor<f64>) -> (tensor<f64>, tensor<2xf64>) {
    %c = stablehlo.constant dense<0.0> : tensor<f64>
    %0 = stablehlo.multiply %x, %x : tensor<2xf64>
    %1 = stablehlo.multiply %0, %x : tensor<2xf64>
    %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %3 = stablehlo.multiply %2, %n : tensor<f64>
    return %3, %x : tensor<f64>, tensor<2xf64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
    %n = stablehlo.constant dense<2.0> : tensor<f64>
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %d = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf64>
    %0:2 = enzyme.autodiff @f(%x, %n, %one) {
      activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_const>],
      ret_activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_constnoneed>]
    } : (tensor<2xf64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<2xf64>)
    check.expect_eq_const %0#0, dense<18.0> : tensor<f64>
    check.expect_eq_const %0#1, dense<[6.0, 24.0]> : tensor<2xf64>
    %1:2 = enzyme.autodiff @f(%x, %n, %one) {
      activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>],
      ret_activity = [#enzyme<activity enzyme_activenoneed>, #enzyme<activity enzyme_constnoneed>]
    } : (tensor<2xf64>, tensor<f64>, tensor<f64>) -> (tensor<2xf64>, tensor<f64>)
    check.expect_eq_const %1#0, dense<[6.0, 24.0]> : tensor<2xf64>
    check.expect_eq_const %1#1, dense<9.0> : tensor<f64>
    %2:3 = enzyme.fwddiff @f(%x, %d, %n) {
      activity = [#enzyme<activity enzyme_dup>, #enzyme<activity enzyme_const>],
      ret_activity = [#enzyme<activity enzyme_dup>, #enzyme<activity enzyme_dupnoneed>]
    } : (tensor<2xf64>, tensor<2xf64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<2xf64>)
    check.expect_eq_const %2#0, dense<18.0> : tensor<f64>
    check.expect_eq_const %2#1, dense<-18.0> : tensor<f64>
    check.expect_eq %2#2, %d : tensor<2xf64>
    // Several directions at once: tangents and cotangents have a first axis.
    %ds = stablehlo.constant dense<[[1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]> : tensor<3x2xf64>
    %3:3 = enzyme.fwddiff @f(%x, %ds, %n) {
      activity = [#enzyme<activity enzyme_dup>, #enzyme<activity enzyme_const>],
      ret_activity = [#enzyme<activity enzyme_dup>, #enzyme<activity enzyme_dupnoneed>],
      width = 3 : i64
    } : (tensor<2xf64>, tensor<3x2xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>, tensor<3x2xf64>)
    check.expect_eq_const %3#0, dense<18.0> : tensor<f64>
    check.expect_eq_const %3#1, dense<[-18.0, 6.0, 24.0]> : tensor<3xf64>
    check.expect_eq %3#2, %ds : tensor<3x2xf64>
    %cts = stablehlo.constant dense<[1.0, 0.5]> : tensor<2xf64>
    %4:3 = enzyme.autodiff @f(%x, %n, %cts) {
      activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_active>],
      ret_activity = [#enzyme<activity enzyme_active>, #enzyme<activity enzyme_constnoneed>],
      width = 2 : i64
    } : (tensor<2xf64>, tensor<f64>, tensor<2xf64>) -> (tensor<f64>, tensor<2x2xf64>, tensor<2xf64>)
    check.expect_eq_const %4#0, dense<18.0> : tensor<f64>
    check.expect_eq_const %4#1, dense<[[6.0, 24.0], [3.0, 12.0]]> : tensor<2x2xf64>
    check.expect_eq_const %4#2, dense<[9.0, 4.5]> : tensor<2xf64>
    return
  }
}
