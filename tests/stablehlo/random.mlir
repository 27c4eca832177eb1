// Random bits, as XLA's CPU client makes them of these states.
func.func @main() {
  %s = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
  %state, %bits = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %state, dense<[81985529216486895, 18364758544493064722]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<[516242754, 3483603125, 4062402306, 3877632279, 3410436889]> : tensor<5xui32>
  %state1, %bits1 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x1xui64>)
  check.expect_eq_const %bits1, dense<[[14961961494634642754], [16654303828281349890]]> : tensor<2x1xui64>
  %state3, %bits3 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf32>)
  %same = stablehlo.bitcast_convert %bits3 : (tensor<5xf32>) -> tensor<5xui32>
  check.expect_eq %same, %bits : tensor<5xui32>
  return
}
// Two words of a counter are neighbours along the first axis of even extent, else along the longest.
func.func @threefry() {
  %s = stablehlo.constant dense<[81985529216486895, 18364758544493064720]> : tensor<2xui64>
  %state, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq_const %state, dense<[81985529216486895, 18364758544493064723]> : tensor<2xui64>
  check.expect_eq_const %bits, dense<"0x7FA3D4AE024DCCC34E26E5AE11D130112E408E797ADA89B0"> : tensor<2x3xui32>
  %state1, %bits1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  check.expect_eq_const %state1, dense<[81985529216486895, 18364758544493064729]> : tensor<2xui64>
  %row = stablehlo.slice %bits1 [1:2, 0:5] : (tensor<3x5xui32>) -> tensor<1x5xui32>
  check.expect_eq_const %row, dense<"0xA805B149998D0AAF1022E5E88241E9DD789AA3F0"> : tensor<1x5xui32>
  %state2, %bits2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  check.expect_eq_const %bits2, dense<[1238719771404706687, 8759008894879812866]> : tensor<2xui64>
  return
}
