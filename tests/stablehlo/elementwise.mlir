// Every elementwise op on values that are known exactly, or to a tolerance.
module @elementwise attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main() {
    %x = stablehlo.constant dense<[0.5, -1.5, 2.0]> : tensor<3xf64>
    %y = "stablehlo.constant"() <{value = dense<[2.0, 4.0, -0.5]> : tensor<3xf64>}> : () -> tensor<3xf64>
    %0 = stablehlo.add %x, %y : tensor<3xf64>
    check.expect_eq_const %0, dense<[2.5, 2.5, 1.5]> : tensor<3xf64>
    %1 = stablehlo.subtract %x, %y : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_eq_const %1, dense<[-1.5, -5.5, 2.5]> : tensor<3xf64>
    %2 = "stablehlo.multiply"(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    check.expect_eq_const %2, dense<[1.0, -6.0, -1.0]> : tensor<3xf64>
    %3 = stablehlo.divide %x, %y : tensor<3xf64>
    check.expect_eq_const %3, dense<[0.25, -0.375, -4.0]> : tensor<3xf64>
    %4 = stablehlo.remainder %x, %y : tensor<3xf64>
    check.expect_eq_const %4, dense<[0.5, -1.5, 0.0]> : tensor<3xf64>
    %5 = stablehlo.maximum %x, %y : tensor<3xf64>
    check.expect_eq_const %5, dense<[2.0, 4.0, 2.0]> : tensor<3xf64>
    %6 = stablehlo.minimum %x, %y : tensor<3xf64>
    check.expect_eq_const %6, dense<[0.5, -1.5, -0.5]> : tensor<3xf64>
    %7 = stablehlo.abs %x : tensor<3xf64>
    check.expect_eq_const %7, dense<[0.5, 1.5, 2.0]> : tensor<3xf64>
    %8 = stablehlo.power %7, %y : tensor<3xf64>
    check.expect_close %8, %8, max_ulp_difference = 0 : tensor<3xf64>, tensor<3xf64>
    check.expect_almost_eq_const %8, dense<[0.25, 5.0625, 0.70710678]> : tensor<3xf64>
    %9 = stablehlo.negate %x : tensor<3xf64>
    check.expect_eq_const %9, dense<[-0.5, 1.5, -2.0]> : tensor<3xf64>
    %10 = stablehlo.sign %x : tensor<3xf64>
    check.expect_eq_const %10, dense<[1.0, -1.0, 1.0]> : tensor<3xf64>
    %11 = stablehlo.floor %x : tensor<3xf64>
    check.expect_eq_const %11, dense<[0.0, -2.0, 2.0]> : tensor<3xf64>
    %12 = stablehlo.ceil %x : tensor<3xf64>
    check.expect_eq_const %12, dense<[1.0, -1.0, 2.0]> : tensor<3xf64>
    %13 = stablehlo.round_nearest_afz %x : tensor<3xf64>
    check.expect_eq_const %13, dense<[1.0, -2.0, 2.0]> : tensor<3xf64>
    %14 = stablehlo.round_nearest_even %x : tensor<3xf64>
    check.expect_eq_const %14, dense<[0.0, -2.0, 2.0]> : tensor<3xf64>
    %15 = stablehlo.sqrt %7 : tensor<3xf64>
    check.expect_almost_eq_const %15, dense<[0.70710678, 1.22474487, 1.41421356]> : tensor<3xf64>
    %16 = stablehlo.rsqrt %7 : tensor<3xf64>
    check.expect_almost_eq_const %16, dense<[1.41421356, 0.81649658, 0.70710678]> : tensor<3xf64>
    %17 = stablehlo.cbrt %x : tensor<3xf64>
    check.expect_almost_eq_const %17, dense<[0.79370052, -1.14471424, 1.25992105]> : tensor<3xf64>
    %18 = stablehlo.exponential %x : tensor<3xf64>
    check.expect_almost_eq_const %18, dense<[1.64872127, 0.22313016, 7.38905610]> : tensor<3xf64>
    %19 = stablehlo.exponential_minus_one %x : tensor<3xf64>
    check.expect_almost_eq_const %19, dense<[0.64872127, -0.77686984, 6.38905610]> : tensor<3xf64>
    %20 = stablehlo.log %7 : tensor<3xf64>
    check.expect_almost_eq_const %20, dense<[-0.69314718, 0.40546511, 0.69314718]> : tensor<3xf64>
    %21 = stablehlo.log_plus_one %7 : tensor<3xf64>
    check.expect_almost_eq_const %21, dense<[0.40546511, 0.91629073, 1.09861229]> : tensor<3xf64>
    %22 = stablehlo.logistic %x : tensor<3xf64>
    check.expect_almost_eq_const %22, dense<[0.62245933, 0.18242552, 0.88079708]> : tensor<3xf64>
    %23 = stablehlo.sine %x : tensor<3xf64>
    check.expect_almost_eq_const %23, dense<[0.47942554, -0.99749499, 0.90929743]> : tensor<3xf64>
    %24 = stablehlo.cosine %x : tensor<3xf64>
    check.expect_almost_eq_const %24, dense<[0.87758256, 0.07073720, -0.41614684]> : tensor<3xf64>
    %25 = stablehlo.tan %x : tensor<3xf64>
    check.expect_almost_eq_const %25, dense<[0.54630249, -14.10141995, -2.18503986]> : tensor<3xf64>
    %26 = stablehlo.tanh %x : tensor<3xf64>
    check.expect_almost_eq_const %26, dense<[0.46211716, -0.90514825, 0.96402758]> : tensor<3xf64>
    %27 = stablehlo.atan2 %x, %y : tensor<3xf64>
    check.expect_almost_eq_const %27, dense<[0.24497866, -0.35877067, 1.81577499]> : tensor<3xf64>
    %28 = stablehlo.is_finite %x : (tensor<3xf64>) -> tensor<3xi1>
    check.expect_eq_const %28, dense<true> : tensor<3xi1>
    %lo = stablehlo.constant dense<-1.0> : tensor<f64>
    %hi = stablehlo.constant dense<1.0> : tensor<f64>
    %29 = stablehlo.clamp %lo, %x, %hi : (tensor<f64>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    check.expect_eq_const %29, dense<[0.5, -1.0, 1.0]> : tensor<3xf64>
    %30 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    check.expect_eq_const %30, dense<[false, false, true]> : tensor<3xi1>
    %31 = stablehlo.select %30, %x, %y : tensor<3xi1>, tensor<3xf64>
    check.expect_eq_const %31, dense<[2.0, 4.0, 2.0]> : tensor<3xf64>
    %32 = stablehlo.convert %x : (tensor<3xf64>) -> tensor<3xi32>
    check.expect_eq_const %32, dense<[0, -1, 2]> : tensor<3xi32>
    %third = stablehlo.constant dense<0.33333333> : tensor<f64>
    %33 = stablehlo.reduce_precision %third, format = e5m2 : tensor<f64>
    check.expect_eq_const %33, dense<0.3125> : tensor<f64>
    return
  }
  func.func @integers() {
    %a = stablehlo.constant dense<[7, -7, 5, -2147483648]> : tensor<4xi32>
    %b = stablehlo.constant dense<[2, 2, 0, -1]> : tensor<4xi32>
    %0 = stablehlo.divide %a, %b : tensor<4xi32>
    check.expect_eq_const %0, dense<[3, -3, -1, -2147483648]> : tensor<4xi32>
    %1 = stablehlo.remainder %a, %b : tensor<4xi32>
    check.expect_eq_const %1, dense<[1, -1, 5, 0]> : tensor<4xi32>
    %2 = stablehlo.popcnt %a : tensor<4xi32>
    check.expect_eq_const %2, dense<[3, 30, 2, 1]> : tensor<4xi32>
    %3 = stablehlo.count_leading_zeros %a : tensor<4xi32>
    check.expect_eq_const %3, dense<[29, 0, 29, 0]> : tensor<4xi32>
    %4 = stablehlo.and %a, %b : tensor<4xi32>
    check.expect_eq_const %4, dense<[2, 0, 0, -2147483648]> : tensor<4xi32>
    %5 = stablehlo.or %a, %b : tensor<4xi32>
    check.expect_eq_const %5, dense<[7, -5, 5, -1]> : tensor<4xi32>
    %6 = stablehlo.xor %a, %b : tensor<4xi32>
    check.expect_eq_const %6, dense<[5, -5, 5, 2147483647]> : tensor<4xi32>
    %7 = stablehlo.not %b : tensor<4xi32>
    check.expect_eq_const %7, dense<[-3, -3, -1, 0]> : tensor<4xi32>
    %n = stablehlo.constant dense<[1, 31, 32, 40]> : tensor<4xi32>
    %8 = stablehlo.shift_left %a, %n : tensor<4xi32>
    check.expect_eq_const %8, dense<[14, -2147483648, 0, 0]> : tensor<4xi32>
    %9 = stablehlo.shift_right_logical %a, %n : tensor<4xi32>
    check.expect_eq_const %9, dense<[3, 1, 0, 0]> : tensor<4xi32>
    %10 = stablehlo.shift_right_arithmetic %a, %n : tensor<4xi32>
    check.expect_eq_const %10, dense<[3, -1, 0, -1]> : tensor<4xi32>
    %11 = "chlo.mulhi"(%a, %a) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    check.expect_eq_const %11, dense<[0, 0, 0, 1073741824]> : tensor<4xi32>
    // Truth values add as or, multiply as and.
    %t = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
    %f = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
    %12 = stablehlo.add %t, %f : tensor<3xi1>
    check.expect_eq_const %12, dense<[true, true, false]> : tensor<3xi1>
    %13 = stablehlo.multiply %t, %f : tensor<3xi1>
    check.expect_eq_const %13, dense<[true, false, false]> : tensor<3xi1>
    %14 = stablehlo.maximum %t, %f : tensor<3xi1>
    check.expect_eq_const %14, dense<[true, true, false]> : tensor<3xi1>
    func.return
  }
  func.func @complex() {
    %re = stablehlo.constant dense<[3.0, -1.0]> : tensor<2xf64>
    %im = stablehlo.constant dense<[4.0, 0.5]> : tensor<2xf64>
    %z = stablehlo.complex %re, %im : tensor<2xcomplex<f64>>
    check.expect_eq_const %z, dense<[(3.0, 4.0), (-1.0, 0.5)]> : tensor<2xcomplex<f64>>
    %0 = stablehlo.real %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
    check.expect_eq %0, %re : tensor<2xf64>
    %1 = stablehlo.imag %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
    check.expect_eq %1, %im : tensor<2xf64>
    %2 = stablehlo.abs %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
    check.expect_almost_eq_const %2, dense<[5.0, 1.11803399]> : tensor<2xf64>
    %w = stablehlo.constant dense<[(3.0, 5.0), (-2.0, 9.0)]> : tensor<2xcomplex<f64>>
    %3 = stablehlo.maximum %z, %w : tensor<2xcomplex<f64>>
    check.expect_eq_const %3, dense<[(3.0, 5.0), (-1.0, 0.5)]> : tensor<2xcomplex<f64>>
    %4 = "chlo.square"(%z) : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
    check.expect_eq_const %4, dense<[(-7.0, 24.0), (0.75, -1.0)]> : tensor<2xcomplex<f64>>
    %5 = chlo.conj %z : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
    check.expect_eq_const %5, dense<[(3.0, -4.0), (-1.0, -0.5)]> : tensor<2xcomplex<f64>>
    %6 = stablehlo.convert %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
    check.expect_eq %6, %re : tensor<2xf64>
    %7 = stablehlo.convert %re : (tensor<2xf64>) -> tensor<2xcomplex<f64>>
    check.expect_eq_const %7, dense<[(3.0, 0.0), (-1.0, 0.0)]> : tensor<2xcomplex<f64>>
    return
  }
  func.func @chlo() {
    %x = stablehlo.constant dense<[0.5, -0.25]> : tensor<2xf64>
    %0 = chlo.acos %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %0, dense<[1.04719755, 1.82347658]> : tensor<2xf64>
    %1 = chlo.asin %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %1, dense<[0.52359878, -0.25268026]> : tensor<2xf64>
    %2 = chlo.atan %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %2, dense<[0.46364761, -0.24497866]> : tensor<2xf64>
    %3 = chlo.asinh %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %3, dense<[0.48121183, -0.24746646]> : tensor<2xf64>
    %4 = chlo.atanh %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %4, dense<[0.54930614, -0.25541281]> : tensor<2xf64>
    %5 = chlo.cosh %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %5, dense<[1.12762597, 1.03141310]> : tensor<2xf64>
    %6 = chlo.acosh %5 : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %6, dense<[0.5, 0.25]> : tensor<2xf64>
    %7 = chlo.sinh %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %7, dense<[0.52109531, -0.25261232]> : tensor<2xf64>
    %8 = chlo.tan %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %8, dense<[0.54630249, -0.25534192]> : tensor<2xf64>
    %9 = chlo.erf %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %9, dense<[0.52049988, -0.27632639]> : tensor<2xf64>
    %10 = chlo.erfc %x : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %10, dense<[0.47950012, 1.27632639]> : tensor<2xf64>
    %11 = chlo.erf_inv %9 : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq %11, %x : tensor<2xf64>
    %p = stablehlo.constant dense<[4.0, 5.0]> : tensor<2xf64>
    %12 = chlo.lgamma %p : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %12, dense<[1.79175947, 3.17805383]> : tensor<2xf64>
    %13 = chlo.digamma %p : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %13, dense<[1.25611767, 1.50611767]> : tensor<2xf64>
    %one = "chlo.constant_like"(%p) <{value = 1.0 : f64}> : (tensor<2xf64>) -> tensor<2xf64>
    %14 = chlo.polygamma %one, %p : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %14, dense<[0.28382296, 0.22132296]> : tensor<2xf64>
    %15 = chlo.zeta %p, %one : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %15, dense<[1.08232323, 1.03692776]> : tensor<2xf64>
    %16 = chlo.bessel_i1e %one : tensor<2xf64> -> tensor<2xf64>
    check.expect_almost_eq_const %16, dense<0.20791042> : tensor<2xf64>
    %17 = chlo.next_after %one, %p : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
    check.expect_eq_const %17, dense<0x3FF0000000000001> : tensor<2xf64>
    %v = stablehlo.constant dense<[0x7FF0000000000000, 0xFFF0000000000000]> : tensor<2xf64>
    %18 = chlo.is_inf %v : tensor<2xf64> -> tensor<2xi1>
    check.expect_eq_const %18, dense<true> : tensor<2xi1>
    %19 = chlo.is_pos_inf %v : tensor<2xf64> -> tensor<2xi1>
    check.expect_eq_const %19, dense<[true, false]> : tensor<2xi1>
    %20 = chlo.is_neg_inf %v : tensor<2xf64> -> tensor<2xi1>
    check.expect_eq_const %20, dense<[false, true]> : tensor<2xi1>
    return
  }
  // −NaN < −1 < −0 < 0 < NaN
  func.func @total_order() {
    %a = stablehlo.constant dense<[0xFFC00000, -1.0, -0.0, 0.0]> : tensor<4xf32>
    %b = stablehlo.constant dense<[-1.0, -0.0, 0.0, 0x7FC00000]> : tensor<4xf32>
    %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    check.expect_eq_const %0, dense<[true, true, true, true]> : tensor<4xi1>
    %1 = "stablehlo.compare"(%b, %a) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    check.expect_eq_const %1, dense<false> : tensor<4xi1>
    return
  }
  // The same as older versions of JAX write them.
  func.func @calls() {
    %x = stablehlo.constant dense<[0.5, -0.25]> : tensor<2xf64>
    %0 = stablehlo.custom_call @mhlo.acos(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %0, dense<[1.04719755, 1.82347658]> : tensor<2xf64>
    %1 = stablehlo.custom_call @mhlo.asin(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %1, dense<[0.52359878, -0.25268026]> : tensor<2xf64>
    %2 = stablehlo.custom_call @mhlo.asinh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %2, dense<[0.48121183, -0.24746646]> : tensor<2xf64>
    %3 = stablehlo.custom_call @mhlo.atanh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %3, dense<[0.54930614, -0.25541281]> : tensor<2xf64>
    %4 = stablehlo.custom_call @mhlo.cosh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %4, dense<[1.12762597, 1.03141310]> : tensor<2xf64>
    %5 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %5, dense<[0.52049988, -0.27632639]> : tensor<2xf64>
    %6 = stablehlo.custom_call @mhlo.sinh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %6, dense<[0.52109531, -0.25261232]> : tensor<2xf64>
    %7 = stablehlo.custom_call @mhlo.tan(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %7, dense<[0.54630249, -0.25534192]> : tensor<2xf64>
    %8 = stablehlo.custom_call @mhlo.acosh(%4) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
    check.expect_almost_eq_const %8, dense<[0.5, 0.25]> : tensor<2xf64>
    %9:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 1 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> (tensor<1xf64>, tensor<1xi32>)
    check.expect_eq_const %9#0, dense<[0.5]> : tensor<1xf64>
    check.expect_eq_const %9#1, dense<[0]> : tensor<1xi32>
    return
  }
}
