// Probes in regions: what is seen is counted over trips and branches, in the order in which it is seen.
module {
  func.func @trips() {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %x = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf64>
    %0:2 = stablehlo.while(%k = %zero, %c = %x) : tensor<i32>, tensor<2xf64>
     cond {
      %p = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %d = stablehlo.add %c, %c : tensor<2xf64>
      %e = interpreter.probe %d, probe_id = "doubled" : tensor<2xf64>
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %k2 = interpreter.probe %k1, probe_id = "count" : tensor<i32>
      stablehlo.return %k2, %e : tensor<i32>, tensor<2xf64>
    }
    %1 = stablehlo.constant dense<[2.0, 6.0]> : tensor<2xf64>
    %2 = stablehlo.constant dense<[4.0, 12.0]> : tensor<2xf64>
    %3 = stablehlo.constant dense<[8.0, 24.0]> : tensor<2xf64>
    check.expect_serialized_eq %1, probe_id = "doubled" : tensor<2xf64>
    check.expect_serialized_eq %2, probe_id = "doubled", iter = 1 : tensor<2xf64>
    check.expect_serialized_eq %3, probe_id = "doubled", iter = 2 : tensor<2xf64>
    check.expect_serialized_eq %three, probe_id = "count", iter = 2 : tensor<i32>
    return
  }
  // A loop in a loop that takes one trip more each time, and a branch that sees something in one trip only.
  func.func @nested() {
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %two = stablehlo.constant dense<2> : tensor<i64>
    %three = stablehlo.constant dense<3> : tensor<i64>
    %before = interpreter.probe %three, probe_id = "inner" : tensor<i64>
    %0 = stablehlo.while(%i = %zero) : tensor<i64>
     cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %1 = stablehlo.while(%j = %zero) : tensor<i64>
       cond {
        %p = stablehlo.compare LT, %j, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j1 = stablehlo.add %j, %one : tensor<i64>
        %j2 = interpreter.probe %j1, probe_id = "inner" : tensor<i64>
        stablehlo.return %j2 : tensor<i64>
      }
      %2 = "stablehlo.case"(%i) ({
        stablehlo.return %zero : tensor<i64>
      }, {
        %seen = interpreter.probe %i, probe_id = "branch" : tensor<i64>
        stablehlo.return %seen : tensor<i64>
      }, {
        stablehlo.return %two : tensor<i64>
      }) : (tensor<i64>) -> tensor<i64>
      check.expect_eq %2, %i : tensor<i64>
      %i1 = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %i1 : tensor<i64>
    }
    check.expect_eq %0, %three : tensor<i64>
    check.expect_serialized_eq %three, probe_id = "inner" : tensor<i64>
    check.expect_serialized_eq %one, probe_id = "inner", iter = 1 : tensor<i64>
    check.expect_serialized_eq %one, probe_id = "inner", iter = 2 : tensor<i64>
    check.expect_serialized_eq %two, probe_id = "inner", iter = 3 : tensor<i64>
    check.expect_serialized_eq %one, probe_id = "branch" : tensor<i64>
    return
  }
}
