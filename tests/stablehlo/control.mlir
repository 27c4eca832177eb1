// Calls, branches and loops, whose regions use values from around them; tuples; probes.
module {
  func.func @main() {
    %i = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %x = stablehlo.constant dense<1.0> : tensor<f64>
    %two = stablehlo.constant dense<2.0> : tensor<f64>
    %0:2 = stablehlo.while(%k = %i, %c = %x) : tensor<i32>, tensor<f64>
     cond {
      %p = stablehlo.compare LT, %k, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %c1 = func.call @twice(%c) : (tensor<f64>) -> tensor<f64>
      stablehlo.return %k1, %c1 : tensor<i32>, tensor<f64>
    }
    check.expect_eq_const %0#0, dense<5> : tensor<i32>
    check.expect_eq_const %0#1, dense<32.0> : tensor<f64>
    // An index outside takes the last branch.
    %outside = stablehlo.constant dense<-1> : tensor<i32>
    %1 = "stablehlo.case"(%outside) ({
      stablehlo.return %x : tensor<f64>
    }, {
      stablehlo.return %two : tensor<f64>
    }, {
      %3 = stablehlo.add %two, %x : tensor<f64>
      stablehlo.return %3 : tensor<f64>
    }) : (tensor<i32>) -> tensor<f64>
    check.expect_eq_const %1, dense<3.0> : tensor<f64>
    %2 = "stablehlo.case"(%one) ({
      stablehlo.return %x : tensor<f64>
    }, {
      stablehlo.return %two : tensor<f64>
    }, {
      stablehlo.return %x : tensor<f64>
    }) : (tensor<i32>) -> tensor<f64>
    check.expect_eq %2, %two : tensor<f64>
    %single = "stablehlo.case"(%one) ({
      stablehlo.return %two : tensor<f64>
    }) : (tensor<i32>) -> tensor<f64>
    check.expect_eq %single, %two : tensor<f64>
    %t = stablehlo.constant dense<true> : tensor<i1>
    %4 = "stablehlo.if"(%t) ({
      "stablehlo.return"(%two) : (tensor<f64>) -> ()
    }, {
      "stablehlo.return"(%x) : (tensor<f64>) -> ()
    }) : (tensor<i1>) -> tensor<f64>
    check.expect_eq %4, %two : tensor<f64>
    %5 = stablehlo.composite "my.twice" %two {decomposition = @twice, version = 1 : i32} : (tensor<f64>) -> tensor<f64>
    check.expect_eq_const %5, dense<4.0> : tensor<f64>
    %6:2 = stablehlo.optimization_barrier %x, %two : tensor<f64>, tensor<f64>
    check.expect_eq %6#1, %two : tensor<f64>
    %token = stablehlo.create_token : !stablehlo.token
    %later = stablehlo.after_all %token, %token : !stablehlo.token
    %both:2 = stablehlo.optimization_barrier %later, %two : !stablehlo.token, tensor<f64>
    check.expect_eq %both#1, %two : tensor<f64>
    %inner = stablehlo.tuple %one : tuple<tensor<i32>>
    %pair = stablehlo.tuple %two, %inner : tuple<tensor<f64>, tuple<tensor<i32>>>
    %same = call @same(%pair) : (tuple<tensor<f64>, tuple<tensor<i32>>>) -> tuple<tensor<f64>, tuple<tensor<i32>>>
    %7 = stablehlo.get_tuple_element %same[1] : (tuple<tensor<f64>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
    %8 = stablehlo.get_tuple_element %7[0] : (tuple<tensor<i32>>) -> tensor<i32>
    check.expect_eq_const %8, dense<1> : tensor<i32>
    %9 = interpreter.probe %8, probe_id = "here" : tensor<i32>
    check.expect_serialized_eq %9, probe_id = "here" : tensor<i32>
    %10 = stablehlo.custom_call @Sharding(%two) {mhlo.sharding = "{replicated}"} : (tensor<f64>) -> tensor<f64>
    %11 = sdy.sharding_constraint %10 <@mesh, []> : tensor<f64>
    check.expect_eq %11, %two : tensor<f64>
    "sdy.sharding_group"(%11) <{group_id = 0 : i64}> : (tensor<f64>) -> ()
    %12 = sdy.reshard %11 <@mesh, []> : tensor<f64>
    %13 = "sdy.propagation_barrier"(%12) <{allowed_direction = 0 : i32}> : (tensor<f64>) -> tensor<f64>
    check.expect_eq %13, %two : tensor<f64>
    stablehlo.custom_call @check.expect_close(%11, %two) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%11, %two) : (tensor<f64>, tensor<f64>) -> ()
    stablehlo.custom_call @check.expect_eq(%11, %two) : (tensor<f64>, tensor<f64>) -> ()
    return
  }
  func.func private @twice(%a: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.add %a, %a : tensor<f64>
    return %0 : tensor<f64>
  }
  func.func private @same(%a: tuple<tensor<f64>, tuple<tensor<i32>>>) -> tuple<tensor<f64>, tuple<tensor<i32>>> {
    return %a : tuple<tensor<f64>, tuple<tensor<i32>>>
  }
  func.func @"scan-sums"() {
    %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = chlo.scan(%x) inits(%z) dimension=0 attributes {is_reverse = true} {
    ^bb0(%e: tensor<i32>, %c: tensor<i32>):
      %1 = stablehlo.add %e, %c : tensor<i32>
      stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
    } : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
    check.expect_eq_const %0#0, dense<[6, 5, 3]> : tensor<3xi32>
    check.expect_eq_const %0#1, dense<6> : tensor<i32>
    return
  }
}
