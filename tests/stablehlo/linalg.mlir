// Calls of LAPACK and of XLA: expected values are those of LAPACK.
module @linalg {
  func.func @factors() {
    %a = stablehlo.constant dense<[[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [0.25, 1.5, 1.0]]> : tensor<3x3xf64>
    %s = stablehlo.constant dense<[[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]]> : tensor<3x3xf64>
    %t = stablehlo.constant dense<[[2.0, -1.0], [1.0, 3.0], [2.0, 1.0]]> : tensor<3x2xf64>
    %0 = stablehlo.cholesky %s, lower = true : tensor<3x3xf64>
    check.expect_almost_eq_const %0, dense<[[2.0, 0.0, 0.0], [0.5, 1.6583123951777, 0.0], [0.25, -0.6784005252999682, 2.1159566931467966]]> : tensor<3x3xf64>
    %1:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%s) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
    check.expect_almost_eq_const %1#0, dense<[[2.0, 0.5, 0.25], [1.0, 1.6583123951777, -0.6784005252999682], [0.5, -1.0, 2.1159566931467966]]> : tensor<3x3xf64>
    %2:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<i32>)
    check.expect_almost_eq_const %2#0, dense<[[2.0, -1.0, 0.5], [0.5, 3.5, -2.25], [0.125, 0.46428571428571425, 1.982142857142857]]> : tensor<3x3xf64>
    check.expect_eq_const %2#1, dense<[1, 2, 3]> : tensor<3xi32>
    check.expect_eq_const %2#2, dense<0> : tensor<i32>
    %3:3 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<3xi32>)
    check.expect_eq_const %3#1, dense<[0, 1, 2]> : tensor<3xi32>
    check.expect_eq_const %3#2, dense<[0, 1, 2]> : tensor<3xi32>
    %4:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%t) {mhlo.backend_config = {}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
    check.expect_almost_eq_const %4#0, dense<[[-3.0, -1.0000000000000002], [0.2, -3.1622776601683795], [0.4, 0.1622776601683793]]> : tensor<3x2xf64>
    check.expect_almost_eq_const %4#1, dense<[1.6666666666666667, 1.948683298050514]> : tensor<2xf64>
    %5 = stablehlo.custom_call @lapack_dorgqr_ffi(%4#0, %4#1) : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
    check.expect_almost_eq_const %5, dense<[[-0.6666666666666667, 0.5270462766947299], [-0.33333333333333337, -0.843274042711568], [-0.6666666666666667, -0.1054092553389459]]> : tensor<3x2xf64>
    %6:2 = stablehlo.custom_call @Qr(%t) : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
    check.expect_almost_eq_const %6#1, dense<[1.6666666666666667, 1.948683298050514]> : tensor<2xf64>
    %7 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%6#0, %6#1) : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
    check.expect_almost_eq_const %7, dense<[[-0.6666666666666667, 0.5270462766947299], [-0.33333333333333337, -0.843274042711568], [-0.6666666666666667, -0.1054092553389459]]> : tensor<3x2xf64>
    return
  }
  func.func @complexes() {
    %z = stablehlo.constant dense<[[(2.0, 0.5), (-1.0, 1.0)], [(1.0, -1.0), (3.0, 0.25)], [(2.0, 0.0), (1.0, 2.0)]]> : tensor<3x2xcomplex<f64>>
    %0:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%z) {mhlo.backend_config = {}} : (tensor<3x2xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>, tensor<2xcomplex<f64>>)
    check.expect_almost_eq_const %0#0, dense<[[(-3.2015621187164243, 0.0), (-1.0151294522759393, -3.045388356827818)], [(0.1721789839803158, -0.20880063857781425), (-2.399504522025227, 0.0)], [(0.38097962255813006, -0.03662165459749843), (0.1743804805952709, 0.11788950041178864)]]> : tensor<3x2xcomplex<f64>>
    check.expect_almost_eq_const %0#1, dense<[(1.6246950475544242, 0.15617376188860607), (1.8971499467152975, -0.18477640434436446)]> : tensor<2xcomplex<f64>>
    %1 = stablehlo.custom_call @lapack_zungqr_ffi(%0#0, %0#1) : (tensor<3x2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
    check.expect_almost_eq_const %1, dense<[[(-0.6246950475544242, -0.15617376188860607), (0.48282325568948165, 0.44216445521036757)], [(-0.3123475237772121, 0.3123475237772121), (-0.7216937085042782, 0.16009402688651236)], [(-0.6246950475544242, -6.938893903907228e-18), (-0.15247050179667854, -0.0406588004791143)]]> : tensor<3x2xcomplex<f64>>
    %b = stablehlo.constant dense<[[(2.0, 0.5), (-1.0, 1.0), (0.5, 0.0)], [(1.0, -1.0), (3.0, 0.25), (-2.0, 1.0)], [(0.25, 0.0), (1.5, 2.0), (1.0, -0.5)]]> : tensor<3x3xcomplex<f64>>
    %2:5 = stablehlo.custom_call @lapack_zgees_ffi(%b) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<i32>, tensor<i32>)
    check.expect_almost_eq_const %2#2, dense<[(2.2131819368889696, 1.4903412509664928), (1.832561631064355, 1.022652305611235), (1.9542564320466738, -2.262993556577729)]> : tensor<3xcomplex<f64>>
    // The phases of vectors are rounding: z t zᴴ is the matrix.
    %3 = stablehlo.dot_general %2#1, %2#0, contracting_dims = [1] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    %4 = chlo.conj %2#1 : tensor<3x3xcomplex<f64>> -> tensor<3x3xcomplex<f64>>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [1] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    check.expect_almost_eq_const %5, dense<[[(2.0, 0.5), (-1.0, 1.0), (0.5, 0.0)], [(1.0, -1.0), (3.0, 0.25), (-2.0, 1.0)], [(0.25, 0.0), (1.5, 2.0), (1.0, -0.5)]]> : tensor<3x3xcomplex<f64>>
    return
  }
  func.func @forms() {
    %a = stablehlo.constant dense<[[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [0.25, 1.5, 1.0]]> : tensor<3x3xf64>
    %s = stablehlo.constant dense<[[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]]> : tensor<3x3xf64>
    %0:3 = stablehlo.custom_call @lapack_dgehrd_ffi(%a) {mhlo.backend_config = {high = 3 : i32, low = 1 : i32}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<2xf64>, tensor<i32>)
    check.expect_almost_eq_const %0#0, dense<[[2.0, 0.8488746876271656, 0.7276068751089989], [-1.0307764064044151, 2.764705882352942, 2.441176470588236], [0.12310562561766053, -1.058823529411765, 1.2352941176470589]]> : tensor<3x3xf64>
    check.expect_almost_eq_const %0#1, dense<[1.970142500145332, 0.0]> : tensor<2xf64>
    check.expect_eq_const %0#2, dense<0> : tensor<i32>
    %1:5 = stablehlo.custom_call @lapack_dsytrd_ffi(%s) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>)
    check.expect_almost_eq_const %1#1, dense<[4.0, 2.5999999999999996, 5.4]> : tensor<3xf64>
    check.expect_almost_eq_const %1#2, dense<[-1.118033988749895, -0.20000000000000043]> : tensor<2xf64>
    check.expect_almost_eq_const %1#3, dense<[1.8944271909999157, 0.0]> : tensor<2xf64>
    %2:6 = stablehlo.custom_call @lapack_dgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>, tensor<i32>)
    check.expect_almost_eq_const %2#0, dense<[[2.0434497294499714, 0.30217534786534994, -0.6095468712001576], [0.0, 1.978275135275012, 3.032691207881697], [0.0, -0.9484697623570806, 1.978275135275012]]> : tensor<3x3xf64>
    check.expect_almost_eq_const %2#1, dense<[[0.8246768608152688, 0.4930832988783232, -0.27708651284958485], [0.2238738850449452, -0.7344510089791696, -0.6406732388701455], [0.5194117430620482, -0.4663159613145903, 0.7160732262782167]]> : tensor<3x3xf64>
    check.expect_almost_eq_const %2#2, dense<[2.0434497294499714, 1.978275135275012, 1.978275135275012]> : tensor<3xf64>
    check.expect_almost_eq_const %2#3, dense<[0.0, 1.6959999732435025, -1.6959999732435025]> : tensor<3xf64>
    %3:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a) {mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<i32>)
    check.expect_almost_eq_const %3#0, dense<[2.0434497294499714, 1.978275135275012, 1.978275135275012]> : tensor<3xf64>
    check.expect_almost_eq_const %3#1, dense<[0.0, 1.6959999732435025, -1.6959999732435025]> : tensor<3xf64>
    check.expect_almost_eq_const %3#2, dense<[[(0.7907404627540361, 0.0), (-0.3095954273812436, -0.14338670722498897), (-0.3095954273812436, 0.14338670722498897)], [(-0.11591187363473923, 0.0), (-0.4027420068581611, 0.5281888933727238), (-0.4027420068581611, -0.5281888933727238)], [(0.6010773312262052, 0.0), (0.6651362960817571, -0.0), (0.6651362960817571, 0.0)]]> : tensor<3x3xcomplex<f64>>
    check.expect_almost_eq_const %3#3, dense<[[(0.8246768608152693, 0.0), (-0.13036002988957854, 0.34760244050155614), (-0.13036002988957854, -0.34760244050155614)], [(0.22387388504494532, 0.0), (0.7442048073259115, -0.0), (0.7442048073259115, 0.0)], [(0.5194117430620485, 0.0), (0.31500626310158686, -0.4572844464054374), (0.31500626310158686, 0.4572844464054374)]]> : tensor<3x3xcomplex<f64>>
    return
  }
  func.func @systems() {
    %dl = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
    %d = stablehlo.constant dense<[0.5, 3.0, 1.0]> : tensor<3xf64>
    %du = stablehlo.constant dense<[2.0, -1.0, 0.0]> : tensor<3xf64>
    %b = stablehlo.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
    %0:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%dl, %d, %du, %b) {mhlo.backend_config = {}} : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>, tensor<i32>)
    check.expect_almost_eq_const %0#3, dense<[[-10.0], [3.0], [-3.0]]> : tensor<3x1xf64>
    check.expect_eq_const %0#4, dense<0> : tensor<i32>
    %t = stablehlo.constant dense<[[2.0, -1.0], [1.0, 3.0], [2.0, 1.0]]> : tensor<3x2xf64>
    %1:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%t) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)
    check.expect_almost_eq_const %1#1, dense<[3.6279853445360524, 2.6149038873028627]> : tensor<2xf64>
    // A column behind those of the values, whatever its sign: the product with its adjoint.
    %2 = stablehlo.slice %1#2 [0:3, 2:3] : (tensor<3x3xf64>) -> tensor<3x1xf64>
    %3 = stablehlo.dot_general %2, %2, contracting_dims = [1] x [1] : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x3xf64>
    check.expect_almost_eq_const %3, dense<[[0.2777777777777778, 0.2222222222222222, -0.3888888888888889], [0.2222222222222222, 0.17777777777777773, -0.31111111111111106], [-0.3888888888888889, -0.31111111111111106, 0.5444444444444444]]> : tensor<3x3xf64>
    return
  }
}
