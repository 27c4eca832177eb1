// Loops as `lax.scan` and `lax.fori_loop` leave them: a counter, values read and buffers written by index.
module {
  func.func @main() {
    %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
    %zero = stablehlo.constant dense<0.0> : tensor<2xf64>
    %ys = stablehlo.constant dense<0.0> : tensor<3x2xf64>
    %start = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%a = %x, %i = %start, %s = %zero, %y = %ys) : tensor<3x2xf64>, tensor<i32>, tensor<2xf64>, tensor<3x2xf64>
     cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %row = func.call @read(%a, %i) : (tensor<3x2xf64>, tensor<i32>) -> tensor<2xf64>
      %s1 = stablehlo.add %s, %row : tensor<2xf64>
      %y1 = func.call @write(%y, %s1, %i) : (tensor<3x2xf64>, tensor<2xf64>, tensor<i32>) -> tensor<3x2xf64>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %i1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %a, %i1, %s1, %y1 : tensor<3x2xf64>, tensor<i32>, tensor<2xf64>, tensor<3x2xf64>
    }
    check.expect_eq_const %0#1, dense<3> : tensor<i32>
    check.expect_eq_const %0#2, dense<[9.0, 12.0]> : tensor<2xf64>
    check.expect_eq_const %0#3, dense<[[1.0, 2.0], [4.0, 6.0], [9.0, 12.0]]> : tensor<3x2xf64>
    // From the last row to the first.
    %1:4 = stablehlo.while(%a = %x, %i = %start, %s = %zero, %y = %ys) : tensor<3x2xf64>, tensor<i32>, tensor<2xf64>, tensor<3x2xf64>
     cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %left = stablehlo.subtract %n, %i : tensor<i32>
      %j = stablehlo.subtract %left, %one : tensor<i32>
      %row = func.call @read(%a, %j) : (tensor<3x2xf64>, tensor<i32>) -> tensor<2xf64>
      %s1 = stablehlo.add %s, %row : tensor<2xf64>
      %y1 = func.call @write(%y, %s1, %j) : (tensor<3x2xf64>, tensor<2xf64>, tensor<i32>) -> tensor<3x2xf64>
      %i1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %a, %i1, %s1, %y1 : tensor<3x2xf64>, tensor<i32>, tensor<2xf64>, tensor<3x2xf64>
    }
    check.expect_eq_const %1#3, dense<[[9.0, 12.0], [8.0, 10.0], [5.0, 6.0]]> : tensor<3x2xf64>
    // How often is a value.
    %often = stablehlo.constant dense<5> : tensor<i64>
    %two = stablehlo.constant dense<2> : tensor<i64>
    %2:3 = stablehlo.while(%i = %two, %n = %often, %s = %zero) : tensor<i64>, tensor<i64>, tensor<2xf64>
     cond {
      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i64>
      %v = stablehlo.convert %i : (tensor<i64>) -> tensor<f64>
      %vs = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %s1 = stablehlo.add %s, %vs : tensor<2xf64>
      %i1 = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %i1, %n, %s1 : tensor<i64>, tensor<i64>, tensor<2xf64>
    }
    check.expect_eq_const %2#2, dense<[9.0, 9.0]> : tensor<2xf64>
    return
  }
  // An index below zero counts from the end.
  func.func private @read(%x: tensor<3x2xf64>, %i: tensor<i32>) -> tensor<2xf64> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %below = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %wrapped = stablehlo.add %i, %n : tensor<i32>
    %j = stablehlo.select %below, %wrapped, %i : tensor<i1>, tensor<i32>
    %w = stablehlo.dynamic_slice %x, %j, %zero, sizes = [1, 2] : (tensor<3x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
    %row = stablehlo.reshape %w : (tensor<1x2xf64>) -> tensor<2xf64>
    return %row : tensor<2xf64>
  }
  func.func private @write(%y: tensor<3x2xf64>, %row: tensor<2xf64>, %i: tensor<i32>) -> tensor<3x2xf64> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %w = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<2xf64>) -> tensor<1x2xf64>
    %y1 = stablehlo.dynamic_update_slice %y, %w, %i, %zero : (tensor<3x2xf64>, tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<3x2xf64>
    return %y1 : tensor<3x2xf64>
  }
}
