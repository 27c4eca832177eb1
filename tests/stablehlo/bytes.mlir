// `ui8` within a program: what `jnp.bitwise_count` makes, moves, compares and adds.
module @bytes {
  func.func private @count(%x: tensor<4xi32>) -> tensor<4xui8> {
    %0 = stablehlo.popcnt %x : tensor<4xi32>
    %1 = stablehlo.convert %0 : (tensor<4xi32>) -> tensor<4xui8>
    return %1 : tensor<4xui8>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[0, 7, -1, 256]> : tensor<4xi32>
    %n = call @count(%x) : (tensor<4xi32>) -> tensor<4xui8>
    %wide = stablehlo.convert %n : (tensor<4xui8>) -> tensor<4xi32>
    check.expect_eq_const %wide, dense<[0, 3, 32, 1]> : tensor<4xi32>
    // Sums and complements wrap at 256.
    %most = stablehlo.constant dense<250> : tensor<ui8>
    %all = stablehlo.broadcast_in_dim %most, dims = [] : (tensor<ui8>) -> tensor<4xui8>
    %sum = stablehlo.add %n, %all : tensor<4xui8>
    %not = stablehlo.not %sum : tensor<4xui8>
    %s = stablehlo.convert %sum : (tensor<4xui8>) -> tensor<4xf32>
    %t = stablehlo.convert %not : (tensor<4xui8>) -> tensor<4xui32>
    check.expect_eq_const %s, dense<[250.0, 253.0, 26.0, 251.0]> : tensor<4xf32>
    check.expect_eq_const %t, dense<[5, 2, 229, 4]> : tensor<4xui32>
    // So do integers that become bytes.
    %cut = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xui8>
    %p = stablehlo.compare GT, %cut, %n, UNSIGNED : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
    %c = stablehlo.select %p, %cut, %n : tensor<4xi1>, tensor<4xui8>
    %d = stablehlo.convert %c : (tensor<4xui8>) -> tensor<4xi32>
    check.expect_eq_const %d, dense<[0, 7, 255, 1]> : tensor<4xi32>
    %bytes = stablehlo.constant dense<"0x00FF0180"> : tensor<4xui8>
    %e = stablehlo.convert %bytes : (tensor<4xui8>) -> tensor<4xi32>
    check.expect_eq_const %e, dense<[0, 255, 1, 128]> : tensor<4xi32>
    // As `jnp.packbits` makes them.
    %i = stablehlo.iota dim = 0 : tensor<4xui8>
    %back = stablehlo.reverse %i, dims = [0] : tensor<4xui8>
    %ones = stablehlo.constant dense<1> : tensor<4xui8>
    %places = stablehlo.shift_left %ones, %back : tensor<4xui8>
    %f = stablehlo.convert %places : (tensor<4xui8>) -> tensor<4xi32>
    check.expect_eq_const %f, dense<[8, 4, 2, 1]> : tensor<4xi32>
    return
  }
}
