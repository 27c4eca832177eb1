// Fourier transforms along the last axes.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %half = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<2x4xf64>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %half, dense<[[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)], [(1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)]]> : tensor<2x3xcomplex<f64>>
  %back = stablehlo.fft %half, type = IRFFT, length = [4] : (tensor<2x3xcomplex<f64>>) -> tensor<2x4xf64>
  check.expect_almost_eq %back, %x : tensor<2x4xf64>
  // Of an odd length the last number has a partner.
  %odd = stablehlo.fft %half, type = IRFFT, length = [5] : (tensor<2x3xcomplex<f64>>) -> tensor<2x5xf64>
  %again = stablehlo.fft %odd, type = RFFT, length = [5] : (tensor<2x5xf64>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq %again, %half : tensor<2x3xcomplex<f64>>
  %both = stablehlo.fft %x, type = RFFT, length = [2, 4] : (tensor<2x4xf64>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %both, dense<[[(11.0, 0.0), (-2.0, 1.0), (-3.0, 0.0)], [(9.0, 0.0), (-2.0, 3.0), (-1.0, 0.0)]]> : tensor<2x3xcomplex<f64>>
  return
}
func.func @complex() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]> : tensor<3xcomplex<f32>>
  %0 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 3>}> : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_almost_eq_const %0, dense<[(0.0, 1.0), (2.36602545, -1.3660254), (0.633974612, 0.366025388)]> : tensor<3xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IFFT, length = [3] : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_almost_eq %1, %x : tensor<3xcomplex<f32>>
  return
}
func.func @empty() {
  %x = stablehlo.constant dense<> : tensor<2x0xf32>
  %0 = stablehlo.fft %x, type = RFFT, length = [0] : (tensor<2x0xf32>) -> tensor<2x0xcomplex<f32>>
  check.expect_eq_const %0, dense<> : tensor<2x0xcomplex<f32>>
  return
}
