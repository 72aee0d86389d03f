// Made by make.py. Do not edit.
// reduce_precision
module {
  func.func private @program(%arg0: tensor<37xf32>) -> (tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>) {
    %0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<37xf32>
    %1 = stablehlo.reduce_precision %arg0, format = e8m7 : tensor<37xf32>
    %2 = stablehlo.reduce_precision %arg0, format = e4m3 : tensor<37xf32>
    %3 = stablehlo.reduce_precision %arg0, format = e2m0 : tensor<37xf32>
    %4 = stablehlo.reduce_precision %arg0, format = e8m23 : tensor<37xf32>
    return %0, %1, %2, %3, %4 : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0862442255, -0.812281668, -1.46884298, -2.01579928, 1.01861775, -1.01673114, 0.110031448, -1.08327913, -0.52622956, 1.01947951, 0.43299821, -0.144922197, -0.502013087, 0.977589846, 0.706607223, 0.726294935, 1.0739212, 1.18103313, -1.12028348, 0.522506952, 65519.0, 65520.0, 5.99999979e-08, 2.99999989e-08, 9.9999461e-41]> : tensor<37xf32>
    %expected_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 0x7F800000, 1.0, -1.0, 0.5, -2.5, 0.0862426758, -0.8125, -1.46875, -2.015625, 1.01855469, -1.01660156, 0.110046387, -1.08300781, -0.526367188, 1.01953125, 0.433105469, -0.144897461, -0.501953125, 0.977539062, 0.706542969, 0.726074219, 1.07421875, 1.18066406, -1.12011719, 0.522460938, 65504.0, 0x7F800000, 0.0, 0.0, 0.0]> : tensor<37xf32>
    %expected_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -2.99383717e-38, 0x7F800000, 1.0, -1.0, 0.5, -2.5, 0.0864257812, -0.8125, -1.46875, -2.015625, 1.015625, -1.015625, 0.109863281, -1.0859375, -0.52734375, 1.015625, 0.43359375, -0.14453125, -0.50390625, 0.9765625, 0.70703125, 0.7265625, 1.0703125, 1.1796875, -1.1171875, 0.5234375, 65536.0, 65536.0, 6.00703061e-08, 3.0035153e-08, 9.18354962e-41]> : tensor<37xf32>
    %expected_2 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 0x7F800000, 1.0, -1.0, 0.5, -2.5, 0.0859375, -0.8125, -1.5, -2.0, 1.0, -1.0, 0.109375, -1.125, -0.5, 1.0, 0.4375, -0.140625, -0.5, 1.0, 0.6875, 0.75, 1.125, 1.125, -1.125, 0.5, 0x7F800000, 0x7F800000, 0.0, 0.0, 0.0]> : tensor<37xf32>
    %expected_3 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 0x7F800000, 1.0, -1.0, 0.0, -2.0, 0.0, -1.0, -1.0, -2.0, 1.0, -1.0, 0.0, -1.0, -0.0, 1.0, 0.0, -0.0, -0.0, 1.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.0, 0x7F800000, 0x7F800000, 0.0, 0.0, 0.0]> : tensor<37xf32>
    %expected_4 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0862442255, -0.812281668, -1.46884298, -2.01579928, 1.01861775, -1.01673114, 0.110031448, -1.08327913, -0.52622956, 1.01947951, 0.43299821, -0.144922197, -0.502013087, 0.977589846, 0.706607223, 0.726294935, 1.0739212, 1.18103313, -1.12028348, 0.522506952, 65519.0, 65520.0, 5.99999979e-08, 2.99999989e-08, 9.9999461e-41]> : tensor<37xf32>
    %found:5 = func.call @program(%input_0) : (tensor<37xf32>) -> (tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<37xf32>, tensor<37xf32>
    check.expect_eq %found#1, %expected_1 : tensor<37xf32>, tensor<37xf32>
    check.expect_eq %found#2, %expected_2 : tensor<37xf32>, tensor<37xf32>
    check.expect_eq %found#3, %expected_3 : tensor<37xf32>, tensor<37xf32>
    check.expect_eq %found#4, %expected_4 : tensor<37xf32>, tensor<37xf32>
    return
  }
}
// -----
// min_max_and_clamp
module {
  func.func private @program(%arg0: tensor<144xf32>, %arg1: tensor<144xf32>) -> (tensor<144xf32>, tensor<144xf32>, tensor<144xf32>) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<144xf32>
    %1 = stablehlo.minimum %arg0, %arg1 : tensor<144xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<144xf32>
    %3 = stablehlo.clamp %arg0, %arg1, %2 : tensor<144xf32>
    return %0, %1, %3 : tensor<144xf32>, tensor<144xf32>, tensor<144xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %input_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_0 = stablehlo.constant dense<[0.0, 0.0, 0x7F800000, 0.0, 0x7FC00000, 1.17549435e-38, 0.0, 3.40282347e+38, 1.0, 0.0, 0.5, 0.0, 0.0, -0.0, 0x7F800000, -0.0, 0x7FC00000, 1.17549435e-38, -0.0, 3.40282347e+38, 1.0, -0.0, 0.5, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 0x7F800000, 1.17549435e-38, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 3.40282347e+38, 1.0, 1.17549435e-38, 0.5, 1.17549435e-38, 0.0, -0.0, 0x7F800000, -3.00000009e-38, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -3.00000009e-38, 0.5, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 0x7F800000, 3.40282347e+38, 0x7FC00000, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 0x7F800000, 1.0, 0x7FC00000, 1.0, 1.0, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 0.0, -0.0, 0x7F800000, -1.0, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -1.0, 0.5, 0.5, 0x7F800000, 0.5, 0x7FC00000, 0.5, 0.5, 3.40282347e+38, 1.0, 0.5, 0.5, 0.5, 0.0, -0.0, 0x7F800000, -2.5, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_1 = stablehlo.constant dense<[0.0, -0.0, 0.0, 0xFF800000, 0x7FC00000, 0.0, -3.00000009e-38, 0.0, 0.0, -1.0, 0.0, -2.5, -0.0, -0.0, -0.0, 0xFF800000, 0xFFC00000, -0.0, -3.00000009e-38, -0.0, -0.0, -1.0, -0.0, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFFC00000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0.0, -0.0, 1.17549435e-38, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 1.17549435e-38, 1.17549435e-38, -1.0, 1.17549435e-38, -2.5, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 0xFF800000, 0xFFC00000, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -1.0, -3.00000009e-38, -2.5, 0.0, -0.0, 3.40282347e+38, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 1.0, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 1.0, 1.0, -1.0, 0.5, -2.5, -1.0, -1.0, -1.0, 0xFF800000, 0xFFC00000, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -2.5, 0.0, -0.0, 0.5, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 0.5, 0.5, -1.0, 0.5, -2.5, -2.5, -2.5, -2.5, 0xFF800000, 0xFFC00000, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %expected_2 = stablehlo.constant dense<[0.0, 0.0, 1.0, 0.0, 0x7FC00000, 1.17549435e-38, 0.0, 1.0, 1.0, 0.0, 0.5, 0.0, 0.0, -0.0, 1.0, -0.0, 0x7FC00000, 1.17549435e-38, -0.0, 1.0, 1.0, -0.0, 0.5, -0.0, 1.0, 1.0, 1.0, 1.0, 0x7FC00000, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -0.0, 1.0, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 1.0, 1.0, -1.0, 0.5, -2.5, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.0, 1.17549435e-38, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.0, 1.0, 1.17549435e-38, 0.5, 1.17549435e-38, 0.0, -0.0, 1.0, -3.00000009e-38, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 1.0, 1.0, -3.00000009e-38, 0.5, -3.00000009e-38, 1.0, 1.0, 1.0, 1.0, 0x7FC00000, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FC00000, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, -0.0, 1.0, -1.0, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 1.0, 1.0, -1.0, 0.5, -1.0, 0.5, 0.5, 1.0, 0.5, 0x7FC00000, 0.5, 0.5, 1.0, 1.0, 0.5, 0.5, 0.5, 0.0, -0.0, 1.0, -2.5, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 1.0, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %found:3 = func.call @program(%input_0, %input_1) : (tensor<144xf32>, tensor<144xf32>) -> (tensor<144xf32>, tensor<144xf32>, tensor<144xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<144xf32>, tensor<144xf32>
    check.expect_eq %found#1, %expected_1 : tensor<144xf32>, tensor<144xf32>
    check.expect_eq %found#2, %expected_2 : tensor<144xf32>, tensor<144xf32>
    return
  }
}
// -----
// comparisons
module {
  func.func private @program(%arg0: tensor<144xf32>, %arg1: tensor<144xf32>) -> (tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>) {
    %0 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
    %1 = stablehlo.compare LE, %arg0, %arg1, FLOAT : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
    %2 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
    %3 = stablehlo.compare NE, %arg0, %arg1, FLOAT : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
    %4 = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
    %5 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
    return %0, %1, %2, %3, %4, %5 : tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %input_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_0 = stablehlo.constant dense<[false, false, true, false, false, true, false, true, true, false, true, false, false, false, true, false, false, true, false, true, true, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, true, true, true, false, false, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, true, true, false, true, false, true, true, true, false, false, true, false, true, true, false, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, true, false, false, false, false, true, true, true, false, false, true, true, true, true, false, true, false, false, false, true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, true, true, false]> : tensor<144xi1>
    %expected_1 = stablehlo.constant dense<[true, true, true, false, false, true, false, true, true, false, true, false, true, true, true, false, false, true, false, true, true, false, true, false, false, false, true, false, false, false, false, false, false, false, false, false, true, true, true, true, false, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, true, false, true, true, false, true, false, true, true, true, false, false, true, true, true, true, false, true, false, false, false, true, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, true, true, false, false, false, true, true, true, false, false, true, true, true, true, true, true, false, false, false, true, false, false, false, false, true, true, false, true, false, true, true, true, false, false, true, true, true, true, true, true, true]> : tensor<144xi1>
    %expected_2 = stablehlo.constant dense<[true, true, false, false, false, false, false, false, false, false, false, false, true, true, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, true]> : tensor<144xi1>
    %expected_3 = stablehlo.constant dense<[false, false, true, true, true, true, true, true, true, true, true, true, false, false, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, true, true, true, true, false]> : tensor<144xi1>
    %expected_4 = stablehlo.constant dense<[true, true, false, true, false, false, true, false, false, true, false, true, true, true, false, true, false, false, true, false, false, true, false, true, true, true, true, true, false, true, true, true, true, true, true, true, false, false, false, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true, true, false, true, false, true, true, false, false, true, false, true, false, false, false, true, false, false, true, false, false, true, false, true, true, true, false, true, false, true, true, true, true, true, true, true, true, true, false, true, false, true, true, false, true, true, true, true, false, false, false, true, false, false, false, false, false, true, false, true, true, true, false, true, false, true, true, false, false, true, true, true, false, false, false, true, false, false, false, false, false, false, false, true]> : tensor<144xi1>
    %expected_5 = stablehlo.constant dense<[false, false, false, true, false, false, true, false, false, true, false, true, false, false, false, true, false, false, true, false, false, true, false, true, true, true, false, true, false, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true, true, false, true, false, false, true, false, false, true, false, true, false, false, false, true, false, false, false, false, false, true, false, true, true, true, false, true, false, true, true, false, true, true, true, true, true, true, false, true, false, true, true, false, false, true, true, true, false, false, false, true, false, false, false, false, false, false, false, true, true, true, false, true, false, true, true, false, false, true, false, true, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<144xi1>
    %found:6 = func.call @program(%input_0, %input_1) : (tensor<144xf32>, tensor<144xf32>) -> (tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>, tensor<144xi1>)
    check.expect_eq %found#0, %expected_0 : tensor<144xi1>, tensor<144xi1>
    check.expect_eq %found#1, %expected_1 : tensor<144xi1>, tensor<144xi1>
    check.expect_eq %found#2, %expected_2 : tensor<144xi1>, tensor<144xi1>
    check.expect_eq %found#3, %expected_3 : tensor<144xi1>, tensor<144xi1>
    check.expect_eq %found#4, %expected_4 : tensor<144xi1>, tensor<144xi1>
    check.expect_eq %found#5, %expected_5 : tensor<144xi1>, tensor<144xi1>
    return
  }
}
// -----
// total_order_comparison
module {
  func.func private @program(%0: tensor<144xf32>, %1: tensor<144xf32>) -> (tensor<144xi1>) {
    %r = stablehlo.compare LE, %0, %1, TOTALORDER : (tensor<144xf32>, tensor<144xf32>) -> tensor<144xi1>
    return %r : tensor<144xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %input_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_0 = stablehlo.constant dense<[true, false, true, false, true, true, false, true, true, false, true, false, true, true, true, false, true, true, false, true, true, false, true, false, false, false, true, false, true, false, false, false, false, false, false, false, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, true, false, false, false, false, false, false, false, false, false, true, false, true, true, false, true, true, false, true, false, true, true, true, false, true, true, true, true, true, false, true, false, false, false, true, false, true, false, false, true, false, false, false, false, false, false, true, false, true, false, false, true, true, false, false, false, true, true, true, false, true, true, true, true, true, true, true, false, false, false, true, false, true, false, false, true, true, false, true, false, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<144xi1>
    %found = func.call @program(%input_0, %input_1) : (tensor<144xf32>, tensor<144xf32>) -> (tensor<144xi1>)
    check.expect_eq %found, %expected_0 : tensor<144xi1>, tensor<144xi1>
    return
  }
}
// -----
// remainder_of_specials
module {
  func.func private @program(%arg0: tensor<144xf32>, %arg1: tensor<144xf32>) -> (tensor<144xf32>) {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<144xf32>
    return %0 : tensor<144xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %input_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_0 = stablehlo.constant dense<[0xFFC00000, 0xFFC00000, 0.0, 0.0, 0x7FC00000, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFFC00000, 0xFFC00000, -0.0, -0.0, 0x7FC00000, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0x7FC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0x7FC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0xFFC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0xFFC00000, 0xFFC00000, 1.17549435e-38, 1.17549435e-38, 0x7FC00000, 0.0, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 0xFFC00000, 0xFFC00000, -3.00000009e-38, -3.00000009e-38, 0x7FC00000, -6.49011384e-39, -0.0, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 0xFFC00000, 0xFFC00000, 3.40282347e+38, 3.40282347e+38, 0x7FC00000, 0.0, 2.74988008e-38, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFFC00000, 0xFFC00000, 1.0, 1.0, 0x7FC00000, 0.0, 1.75387076e-39, 1.0, 0.0, 0.0, 0.0, 1.0, 0xFFC00000, 0xFFC00000, -1.0, -1.0, 0x7FC00000, -0.0, -1.75387076e-39, -1.0, -0.0, -0.0, -0.0, -1.0, 0xFFC00000, 0xFFC00000, 0.5, 0.5, 0x7FC00000, 0.0, 1.58769358e-38, 0.5, 0.5, 0.5, 0.0, 0.5, 0xFFC00000, 0xFFC00000, -2.5, -2.5, 0x7FC00000, -0.0, -1.93846773e-38, -2.5, -0.5, -0.5, -0.0, -0.0]> : tensor<144xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<144xf32>, tensor<144xf32>) -> (tensor<144xf32>)
    check.expect_eq %found, %expected_0 : tensor<144xf32>, tensor<144xf32>
    return
  }
}
// -----
// powers_of_specials
module {
  func.func private @program(%arg0: tensor<144xf32>, %arg1: tensor<144xf32>) -> (tensor<144xf32>) {
    %0 = stablehlo.power %arg0, %arg1 : tensor<144xf32>
    return %0 : tensor<144xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %input_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_0 = stablehlo.constant dense<[1.0, 1.0, 0.0, 0x7F800000, 0x7FC00000, 0.0, 0x7F800000, 0.0, 0.0, 0x7F800000, 0.0, 0x7F800000, 1.0, 1.0, 0.0, 0x7F800000, 0x7FC00000, 0.0, 0x7F800000, 0.0, -0.0, 0xFF800000, 0.0, 0x7F800000, 1.0, 1.0, 0x7F800000, 0.0, 0x7FC00000, 0x7F800000, 0.0, 0x7F800000, 0x7F800000, 0.0, 0x7F800000, 0.0, 1.0, 1.0, 0x7F800000, 0.0, 0x7FC00000, 0x7F800000, 0.0, 0x7F800000, 0xFF800000, -0.0, 0x7F800000, 0.0, 1.0, 1.0, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.0, 1.0, 0.0, 0x7F800000, 0x7FC00000, 1.0, 1.0, 0.0, 1.17549435e-38, 8.50705917e+37, 1.08420217e-19, 0x7F800000, 1.0, 1.0, 0.0, 0x7F800000, 0x7FC00000, 0xFFC00000, 0xFFC00000, 0.0, -3.00000009e-38, -3.33333314e+37, 0xFFC00000, 0xFFC00000, 1.0, 1.0, 0x7F800000, 0.0, 0x7FC00000, 1.0, 1.0, 0x7F800000, 3.40282347e+38, 0.0, 1.8446743e+19, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7FC00000, 0xFFC00000, 0xFFC00000, 1.0, -1.0, -1.0, 0xFFC00000, 0xFFC00000, 1.0, 1.0, 0.0, 0x7F800000, 0x7FC00000, 1.0, 1.0, 0.0, 0.5, 2.0, 0.707106769, 5.65685415, 1.0, 1.0, 0x7F800000, 0.0, 0x7FC00000, 0xFFC00000, 0xFFC00000, 0x7F800000, -2.5, -0.400000006, 0xFFC00000, 0xFFC00000]> : tensor<144xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<144xf32>, tensor<144xf32>) -> (tensor<144xf32>)
    check.expect_close %found, %expected_0, max_ulp_difference = 3 : tensor<144xf32>, tensor<144xf32>
    return
  }
}
// -----
// atan2_of_specials
module {
  func.func private @program(%arg0: tensor<144xf32>, %arg1: tensor<144xf32>) -> (tensor<144xf32>) {
    %0 = stablehlo.atan2 %arg0, %arg1 : tensor<144xf32>
    return %0 : tensor<144xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %input_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_0 = stablehlo.constant dense<[0.0, 3.14159274, 0.0, 3.14159274, 0x7FC00000, 0.0, 3.14159274, 0.0, 0.0, 3.14159274, 0.0, 3.14159274, -0.0, -3.14159274, -0.0, -3.14159274, 0x7FC00000, -0.0, -3.14159274, -0.0, -0.0, -3.14159274, -0.0, -3.14159274, 1.57079637, 1.57079637, 0.785398185, 2.3561945, 0x7FC00000, 1.57079637, 1.57079637, 1.57079637, 1.57079637, 1.57079637, 1.57079637, 1.57079637, -1.57079637, -1.57079637, -0.785398185, -2.3561945, 0x7FC00000, -1.57079637, -1.57079637, -1.57079637, -1.57079637, -1.57079637, -1.57079637, -1.57079637, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.57079637, 1.57079637, 0.0, 3.14159274, 0x7FC00000, 0.785398185, 2.76814795, 0.0, 1.17549435e-38, 3.14159274, 2.3509887e-38, 3.14159274, -1.57079637, -1.57079637, -0.0, -3.14159274, 0x7FC00000, -1.19735157, -2.3561945, -0.0, -3.00000009e-38, -3.14159274, -6.00000017e-38, -3.14159274, 1.57079637, 1.57079637, 0.0, 3.14159274, 0x7FC00000, 1.57079637, 1.57079625, 0.785398185, 1.57079637, 1.57079625, 1.57079637, 1.57079625, 1.57079637, 1.57079637, 0.0, 3.14159274, 0x7FC00000, 1.57079637, 1.57079625, 0.0, 0.785398185, 2.3561945, 1.10714877, 2.76108623, -1.57079637, -1.57079637, -0.0, -3.14159274, 0x7FC00000, -1.57079637, -1.57079625, -0.0, -0.785398185, -2.3561945, -1.10714877, -2.76108623, 1.57079637, 1.57079637, 0.0, 3.14159274, 0x7FC00000, 1.57079637, 1.57079625, 0.0, 0.463647604, 2.67794514, 0.785398185, 2.94419718, -1.57079637, -1.57079637, -0.0, -3.14159274, 0x7FC00000, -1.57079637, -1.57079625, -0.0, -1.19028997, -1.95130265, -1.37340081, -2.3561945]> : tensor<144xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<144xf32>, tensor<144xf32>) -> (tensor<144xf32>)
    check.expect_close %found, %expected_0, max_ulp_difference = 3 : tensor<144xf32>, tensor<144xf32>
    return
  }
}
// -----
// rounding
module {
  func.func private @program(%arg0: tensor<17xf32>) -> (tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xi1>) {
    %0 = stablehlo.round_nearest_afz %arg0 : tensor<17xf32>
    %1 = stablehlo.round_nearest_even %arg0 : tensor<17xf32>
    %2 = stablehlo.floor %arg0 : tensor<17xf32>
    %3 = stablehlo.ceil %arg0 : tensor<17xf32>
    %4 = stablehlo.sign %arg0 : tensor<17xf32>
    %5 = stablehlo.is_finite %arg0 : (tensor<17xf32>) -> tensor<17xi1>
    return %0, %1, %2, %3, %4, %5 : tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 1.5, 2.5, -0.5, 0.49999997, 8388609.0]> : tensor<17xf32>
    %expected_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 3.40282347e+38, 1.0, -1.0, 1.0, -3.0, 2.0, 3.0, -1.0, 0.0, 8388609.0]> : tensor<17xf32>
    %expected_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -0.0, 3.40282347e+38, 1.0, -1.0, 0.0, -2.0, 2.0, 2.0, -0.0, 0.0, 8388609.0]> : tensor<17xf32>
    %expected_2 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0.0, -1.0, 3.40282347e+38, 1.0, -1.0, 0.0, -3.0, 1.0, 2.0, -1.0, 0.0, 8388609.0]> : tensor<17xf32>
    %expected_3 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0, -0.0, 3.40282347e+38, 1.0, -1.0, 1.0, -2.0, 2.0, 3.0, -0.0, 1.0, 8388609.0]> : tensor<17xf32>
    %expected_4 = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FC00000, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0]> : tensor<17xf32>
    %expected_5 = stablehlo.constant dense<[true, true, false, false, false, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<17xi1>
    %found:6 = func.call @program(%input_0) : (tensor<17xf32>) -> (tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xi1>)
    check.expect_eq %found#0, %expected_0 : tensor<17xf32>, tensor<17xf32>
    check.expect_eq %found#1, %expected_1 : tensor<17xf32>, tensor<17xf32>
    check.expect_eq %found#2, %expected_2 : tensor<17xf32>, tensor<17xf32>
    check.expect_eq %found#3, %expected_3 : tensor<17xf32>, tensor<17xf32>
    check.expect_eq %found#4, %expected_4 : tensor<17xf32>, tensor<17xf32>
    check.expect_eq %found#5, %expected_5 : tensor<17xi1>, tensor<17xi1>
    return
  }
}
// -----
// functions_of_specials
module {
  func.func private @program(%arg0: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
    %0 = stablehlo.exponential %arg0 : tensor<12xf32>
    %1 = stablehlo.exponential_minus_one %arg0 : tensor<12xf32>
    %2 = stablehlo.log %arg0 : tensor<12xf32>
    %3 = stablehlo.log_plus_one %arg0 : tensor<12xf32>
    %4 = stablehlo.tanh %arg0 : tensor<12xf32>
    %5 = stablehlo.negate %arg0 : tensor<12xf32>
    %6 = stablehlo.exponential %5 : tensor<12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.add %7, %6 : tensor<12xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %10 = stablehlo.divide %9, %8 : tensor<12xf32>
    %11 = stablehlo.sqrt %arg0 : tensor<12xf32>
    %12 = stablehlo.rsqrt %arg0 : tensor<12xf32>
    %13 = stablehlo.cbrt %arg0 : tensor<12xf32>
    %14 = stablehlo.sine %arg0 : tensor<12xf32>
    %15 = stablehlo.cosine %arg0 : tensor<12xf32>
    %16 = stablehlo.tan %arg0 : tensor<12xf32>
    return %0, %1, %2, %3, %4, %10, %11, %12, %13, %14, %15, %16 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<12xf32>
    %expected_0 = stablehlo.constant dense<[1.0, 1.0, 0x7F800000, 0.0, 0x7FC00000, 1.0, 1.0, 0x7F800000, 2.71828175, 0.36787945, 1.64872122, 0.0820849985]> : tensor<12xf32>
    %expected_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, -1.0, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 0x7F800000, 1.71828175, -0.63212055, 0.648721278, -0.917914987]> : tensor<12xf32>
    %expected_2 = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0x7F800000, 0xFFFFFFFF, 0xFFFFFFFF, -87.3365479, 0xFFFFFFFF, 88.7228394, 0.0, 0xFFFFFFFF, -0.693147182, 0xFFFFFFFF]> : tensor<12xf32>
    %expected_3 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFFFFFFFF, 0xFFFFFFFF, 1.17549435e-38, -3.00000009e-38, 88.7228394, 0.693147182, 0xFF800000, 0.405465096, 0xFFFFFFFF]> : tensor<12xf32>
    %expected_4 = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 1.0, 0.761594176, -0.761594176, 0.462117165, -0.986614347]> : tensor<12xf32>
    %expected_5 = stablehlo.constant dense<[0.5, 0.5, 1.0, 0.0, 0xFFC00000, 0.5, 0.5, 1.0, 0.731058598, 0.268941432, 0.622459352, 0.0758581758]> : tensor<12xf32>
    %expected_6 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFFC00000, 0x7FC00000, 1.08420217e-19, 0xFFC00000, 1.8446743e+19, 1.0, 0xFFC00000, 0.707106769, 0xFFC00000]> : tensor<12xf32>
    %expected_7 = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0.0, 0xFFC00000, 0x7FC00000, 9.22337204e+18, 0xFFC00000, 5.42101086e-20, 1.0, 0xFFC00000, 1.41421354, 0xFFC00000]> : tensor<12xf32>
    %expected_8 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 2.27373675e-13, -3.10723262e-13, 6.98146357e+12, 1.0, -1.0, 0.793700516, -1.35720885]> : tensor<12xf32>
    %expected_9 = stablehlo.constant dense<[0.0, -0.0, 0xFFC00000, 0xFFC00000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, -0.521876514, 0.841470957, -0.841470957, 0.47942555, -0.598472118]> : tensor<12xf32>
    %expected_10 = stablehlo.constant dense<[1.0, 1.0, 0xFFC00000, 0xFFC00000, 0x7FC00000, 1.0, 1.0, 0.853021026, 0.540302277, 0.540302277, 0.87758255, -0.801143587]> : tensor<12xf32>
    %expected_11 = stablehlo.constant dense<[0.0, -0.0, 0xFFC00000, 0xFFC00000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, -0.611797929, 1.55740774, -1.55740774, 0.546302497, 0.747022331]> : tensor<12xf32>
    %found:12 = func.call @program(%input_0) : (tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>)
    check.expect_close %found#0, %expected_0, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#1, %expected_1, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#2, %expected_2, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#3, %expected_3, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#4, %expected_4, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#5, %expected_5, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#6, %expected_6, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#7, %expected_7, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#8, %expected_8, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#9, %expected_9, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#10, %expected_10, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#11, %expected_11, max_ulp_difference = 3 : tensor<12xf32>, tensor<12xf32>
    return
  }
}
// -----
// chlo_functions
module {
  func.func private @program(%arg0: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
    %0 = chlo.erf %arg0 : tensor<12xf32> -> tensor<12xf32>
    %1 = chlo.erfc %arg0 : tensor<12xf32> -> tensor<12xf32>
    %2 = chlo.lgamma %arg0 : tensor<12xf32> -> tensor<12xf32>
    %3 = chlo.digamma %arg0 : tensor<12xf32> -> tensor<12xf32>
    %4 = chlo.asinh %arg0 : tensor<12xf32> -> tensor<12xf32>
    %5 = chlo.sinh %arg0 : tensor<12xf32> -> tensor<12xf32>
    %6 = chlo.cosh %arg0 : tensor<12xf32> -> tensor<12xf32>
    %7 = chlo.atan %arg0 : tensor<12xf32> -> tensor<12xf32>
    %8 = chlo.bessel_i1e %arg0 : tensor<12xf32> -> tensor<12xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-3.29999995, -2.69090915, -2.0818181, -1.4727273, -0.863636374, -0.25454545, 0.354545444, 0.963636339, 1.57272732, 2.18181825, 2.79090905, 3.4000001]> : tensor<12xf32>
    %expected_0 = stablehlo.constant dense<[-0.99999696, -0.999858499, -0.996761441, -0.962726057, -0.778052628, -0.281139135, 0.383912444, 0.827050507, 0.973863125, 0.997968316, 0.999920845, 0.99999845]> : tensor<12xf32>
    %expected_1 = stablehlo.constant dense<[1.9999969, 1.9998585, 1.99676144, 1.96272612, 1.77805269, 1.28113914, 0.616087556, 0.172949463, 0.0261368528, 0.00203171303, 7.91559069e-05, 1.52199232e-06]> : tensor<12xf32>
    %expected_2 = stablehlo.constant dense<[-0.824355662, -0.0809446648, 1.74433696, 0.882715821, 2.0746851, 1.57651889, 0.921171129, 0.0220969897, -0.115707763, 0.0871462822, 0.509079158, 1.09232819]> : tensor<12xf32>
    %expected_3 = stablehlo.constant dense<[3.62035418, -0.983835757, 12.9064617, 0.959526002, -6.54826975, 2.83110166, -2.92955589, -0.638674915, 0.10237024, 0.533823192, 0.836645544, 1.06956792]> : tensor<12xf32>
    %expected_4 = stablehlo.constant dense<[-1.90927398, -1.71588981, -1.4796381, -1.1795392, -0.781592607, -0.251873821, 0.347508758, 0.855425417, 1.23443961, 1.52211094, 1.75016689, 1.93787932]> : tensor<12xf32>
    %expected_5 = stablehlo.constant dense<[-13.5378771, -7.33862782, -3.94716597, -2.06590676, -0.975071788, -0.257303178, 0.362020135, 1.11985385, 2.30614829, 4.37478495, 8.11723042, 14.9653645]> : tensor<12xf32>
    %expected_6 = stablehlo.constant dense<[13.5747604, 7.40644741, 4.07186937, 2.29520607, 1.39669788, 1.03257203, 1.06351233, 1.50135696, 2.51362705, 4.48762083, 8.1785965, 14.9987383]> : tensor<12xf32>
    %expected_7 = stablehlo.constant dense<[-1.27656174, -1.21499085, -1.1229924, -0.974295378, -0.712357581, -0.249252141, 0.340718448, 0.766881764, 1.00444126, 1.14103401, 1.22674108, 1.28474486]> : tensor<12xf32>
    %expected_8 = stablehlo.constant dense<[-0.191090167, -0.202877149, -0.214035705, -0.218953967, -0.199576259, -0.099471882, 0.126319677, 0.205993026, 0.219073281, 0.212398231, 0.200915813, 0.189229846]> : tensor<12xf32>
    %found:9 = func.call @program(%input_0) : (tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>)
    check.expect_close %found#0, %expected_0, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#1, %expected_1, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#2, %expected_2, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#3, %expected_3, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#4, %expected_4, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#5, %expected_5, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#6, %expected_6, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#7, %expected_7, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#8, %expected_8, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    return
  }
}
// -----
// inverse_functions
module {
  func.func private @program(%arg0: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
    %0 = chlo.erf_inv %arg0 : tensor<9xf32> -> tensor<9xf32>
    %1 = chlo.asin %arg0 : tensor<9xf32> -> tensor<9xf32>
    %2 = chlo.acos %arg0 : tensor<9xf32> -> tensor<9xf32>
    %3 = chlo.atanh %arg0 : tensor<9xf32> -> tensor<9xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<9xf32>
    %6 = chlo.acosh %5 : tensor<9xf32> -> tensor<9xf32>
    return %0, %1, %2, %3, %6 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-1.0, -0.999000013, -0.5, -0.0, 0.0, 0.25, 0.75, 0.999000013, 1.0]> : tensor<9xf32>
    %expected_0 = stablehlo.constant dense<[0xFF800000, -2.32675624, -0.476936281, 0.0, 0.0, 0.225312054, 0.813419819, 2.32675624, 0x7F800000]> : tensor<9xf32>
    %expected_1 = stablehlo.constant dense<[-1.57079637, -1.52607155, -0.52359879, -0.0, 0.0, 0.252680242, 0.848062098, 1.52607155, 1.57079637]> : tensor<9xf32>
    %expected_2 = stablehlo.constant dense<[3.14159274, 3.0968678, 2.09439516, 1.57079637, 1.57079637, 1.31811607, 0.722734272, 0.0447247997, 0.0]> : tensor<9xf32>
    %expected_3 = stablehlo.constant dense<[0xFF800000, -3.80020761, -0.549306154, -0.0, 0.0, 0.255412817, 0.972955048, 3.80020761, 0x7F800000]> : tensor<9xf32>
    %expected_4 = stablehlo.constant dense<[0.0, 0.0447160117, 0.962423623, 1.31695795, 1.31695795, 1.45057452, 1.66991901, 1.76239359, 1.76274717]> : tensor<9xf32>
    %found:5 = func.call @program(%input_0) : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
    check.expect_close %found#0, %expected_0, max_ulp_difference = 8 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %found#1, %expected_1, max_ulp_difference = 8 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %found#2, %expected_2, max_ulp_difference = 8 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %found#3, %expected_3, max_ulp_difference = 8 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %found#4, %expected_4, max_ulp_difference = 8 : tensor<9xf32>, tensor<9xf32>
    return
  }
}
// -----
// zeta_and_polygamma
module {
  func.func private @program(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = chlo.zeta %arg0, %arg1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %1 = stablehlo.floor %arg0 : tensor<3xf32>
    %2 = chlo.polygamma %1, %arg1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    return %0, %2 : tensor<3xf32>, tensor<3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2.0, 3.5, 5.0]> : tensor<3xf32>
    %input_1 = stablehlo.constant dense<[0.5, 2.0, 7.25]> : tensor<3xf32>
    %expected_0 = stablehlo.constant dense<[4.93480206, 0.126733869, 0.000118281583]> : tensor<3xf32>
    %expected_1 = stablehlo.constant dense<[-16.8287964, 0.4939394, 0.00166735752]> : tensor<3xf32>
    %found:2 = func.call @program(%input_0, %input_1) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    check.expect_close %found#0, %expected_0, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    check.expect_close %found#1, %expected_1, max_ulp_difference = 16 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
// -----
// subnormal_numbers
module {
  func.func private @program(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xi1>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xf64>, tensor<64xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<64xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<64xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %4 = stablehlo.divide %arg0, %3 : tensor<64xf32>
    %5 = stablehlo.maximum %arg0, %arg1 : tensor<64xf32>
    %6 = stablehlo.minimum %arg0, %arg1 : tensor<64xf32>
    %7 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %8 = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %9 = stablehlo.ceil %arg0 : tensor<64xf32>
    %10 = stablehlo.floor %arg0 : tensor<64xf32>
    %11 = stablehlo.sign %arg0 : tensor<64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %13 = stablehlo.compare NE, %arg0, %12, FLOAT : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %14 = stablehlo.convert %13 : tensor<64xi1>
    %15 = stablehlo.convert %arg0 : (tensor<64xf32>) -> tensor<64xf64>
    %16 = chlo.next_after %arg0, %arg1 : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
    return %0, %2, %4, %5, %6, %7, %8, %9, %10, %11, %14, %15, %16 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xi1>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xf64>, tensor<64xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[1.40129846e-45, 1.40129846e-45, 1.40129846e-45, 1.40129846e-45, 1.40129846e-45, 1.40129846e-45, 1.40129846e-45, 1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<64xf32>
    %input_1 = stablehlo.constant dense<[1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0]> : tensor<64xf32>
    %expected_0 = stablehlo.constant dense<[2.80259693e-45, 0.0, 5.00000108e-39, -1.17549407e-38, 1.40129846e-45, 1.40129846e-45, 1.17549449e-38, 1.0, 0.0, -2.80259693e-45, 4.99999827e-39, -1.17549435e-38, -1.40129846e-45, -1.40129846e-45, 1.17549421e-38, 1.0, 5.00000108e-39, 4.99999827e-39, 9.99999935e-39, -6.75494243e-39, 4.99999968e-39, 4.99999968e-39, 1.67549432e-38, 1.0, -1.17549407e-38, -1.17549435e-38, -6.75494243e-39, -2.35098842e-38, -1.17549421e-38, -1.17549421e-38, 1.40129846e-45, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, 0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.17549449e-38, 1.17549421e-38, 1.67549432e-38, 1.40129846e-45, 1.17549435e-38, 1.17549435e-38, 2.3509887e-38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0]> : tensor<64xf32>
    %expected_1 = stablehlo.constant dense<[2.80259693e-45, 2.80259693e-45, 2.80259693e-45, 2.80259693e-45, 2.80259693e-45, 2.80259693e-45, 2.80259693e-45, 2.80259693e-45, -2.80259693e-45, -2.80259693e-45, -2.80259693e-45, -2.80259693e-45, -2.80259693e-45, -2.80259693e-45, -2.80259693e-45, -2.80259693e-45, 9.99999935e-39, 9.99999935e-39, 9.99999935e-39, 9.99999935e-39, 9.99999935e-39, 9.99999935e-39, 9.99999935e-39, 9.99999935e-39, -2.35098842e-38, -2.35098842e-38, -2.35098842e-38, -2.35098842e-38, -2.35098842e-38, -2.35098842e-38, -2.35098842e-38, -2.35098842e-38, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 2.3509887e-38, 2.3509887e-38, 2.3509887e-38, 2.3509887e-38, 2.3509887e-38, 2.3509887e-38, 2.3509887e-38, 2.3509887e-38, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]> : tensor<64xf32>
    %expected_2 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.25000027e-39, 1.25000027e-39, 1.25000027e-39, 1.25000027e-39, 1.25000027e-39, 1.25000027e-39, 1.25000027e-39, 1.25000027e-39, -2.93873588e-39, -2.93873588e-39, -2.93873588e-39, -2.93873588e-39, -2.93873588e-39, -2.93873588e-39, -2.93873588e-39, -2.93873588e-39, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 2.93873588e-39, 2.93873588e-39, 2.93873588e-39, 2.93873588e-39, 2.93873588e-39, 2.93873588e-39, 2.93873588e-39, 2.93873588e-39, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]> : tensor<64xf32>
    %expected_3 = stablehlo.constant dense<[1.40129846e-45, 1.40129846e-45, 4.99999968e-39, 1.40129846e-45, 1.40129846e-45, 1.40129846e-45, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.40129846e-45, 0.0, -0.0, 1.17549435e-38, 1.0, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 4.99999968e-39, 1.17549435e-38, 1.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, 0.0, 4.99999968e-39, 0.0, 0.0, -0.0, 1.17549435e-38, 1.0, 1.40129846e-45, -0.0, 4.99999968e-39, -0.0, 0.0, -0.0, 1.17549435e-38, 1.0, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<64xf32>
    %expected_4 = stablehlo.constant dense<[1.40129846e-45, -1.40129846e-45, 1.40129846e-45, -1.17549421e-38, 0.0, -0.0, 1.40129846e-45, 1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.17549421e-38, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, -1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 4.99999968e-39, 4.99999968e-39, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, -1.17549421e-38, 0.0, -1.40129846e-45, 0.0, -1.17549421e-38, 0.0, -0.0, 0.0, 0.0, -0.0, -1.40129846e-45, -0.0, -1.17549421e-38, 0.0, -0.0, -0.0, -0.0, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.17549435e-38, 1.40129846e-45, -1.40129846e-45, 4.99999968e-39, -1.17549421e-38, 0.0, -0.0, 1.17549435e-38, 1.0]> : tensor<64xf32>
    %expected_5 = stablehlo.constant dense<[false, false, true, false, false, false, true, true, true, false, true, false, true, true, true, true, false, false, false, false, false, false, true, true, true, true, true, false, true, true, true, true, true, false, true, false, false, false, true, true, true, false, true, false, false, false, true, true, false, false, false, false, false, false, false, true, false, false, false, false, false, false, false, false]> : tensor<64xi1>
    %expected_6 = stablehlo.constant dense<[true, true, false, true, true, true, false, false, false, true, false, true, false, false, false, false, true, true, true, true, true, true, false, false, false, false, false, true, false, false, false, false, false, true, false, true, true, true, false, false, false, true, false, true, true, true, false, false, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true]> : tensor<64xi1>
    %expected_7 = stablehlo.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<64xf32>
    %expected_8 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<64xf32>
    %expected_9 = stablehlo.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<64xf32>
    %expected_10 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<64xi1>
    %expected_11 = stablehlo.constant dense<[1.4012984643248171e-45, 1.4012984643248171e-45, 1.4012984643248171e-45, 1.4012984643248171e-45, 1.4012984643248171e-45, 1.4012984643248171e-45, 1.4012984643248171e-45, 1.4012984643248171e-45, -1.4012984643248171e-45, -1.4012984643248171e-45, -1.4012984643248171e-45, -1.4012984643248171e-45, -1.4012984643248171e-45, -1.4012984643248171e-45, -1.4012984643248171e-45, -1.4012984643248171e-45, 4.999999675228202e-39, 4.999999675228202e-39, 4.999999675228202e-39, 4.999999675228202e-39, 4.999999675228202e-39, 4.999999675228202e-39, 4.999999675228202e-39, 4.999999675228202e-39, -1.1754942106924411e-38, -1.1754942106924411e-38, -1.1754942106924411e-38, -1.1754942106924411e-38, -1.1754942106924411e-38, -1.1754942106924411e-38, -1.1754942106924411e-38, -1.1754942106924411e-38, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<64xf64>
    %expected_12 = stablehlo.constant dense<[1.40129846e-45, 0.0, 2.80259693e-45, 0.0, 0.0, 0.0, 2.80259693e-45, 2.80259693e-45, -0.0, -1.40129846e-45, -0.0, -2.80259693e-45, -0.0, -0.0, -0.0, -0.0, 4.99999827e-39, 4.99999827e-39, 4.99999968e-39, 4.99999827e-39, 4.99999827e-39, 4.99999827e-39, 5.00000108e-39, 5.00000108e-39, -1.17549407e-38, -1.17549407e-38, -1.17549407e-38, -1.17549421e-38, -1.17549407e-38, -1.17549407e-38, -1.17549407e-38, -1.17549407e-38, 1.40129846e-45, -1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 0.0, -0.0, 1.40129846e-45, 1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 0.0, -0.0, 1.40129846e-45, 1.40129846e-45, 1.17549421e-38, 1.17549421e-38, 1.17549421e-38, 1.17549421e-38, 1.17549421e-38, 1.17549421e-38, 1.17549435e-38, 1.17549449e-38, 0.99999994, 0.99999994, 0.99999994, 0.99999994, 0.99999994, 0.99999994, 0.99999994, 1.0]> : tensor<64xf32>
    %found:13 = func.call @program(%input_0, %input_1) : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xi1>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xi1>, tensor<64xf64>, tensor<64xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#1, %expected_1 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#2, %expected_2 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#3, %expected_3 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#4, %expected_4 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#5, %expected_5 : tensor<64xi1>, tensor<64xi1>
    check.expect_eq %found#6, %expected_6 : tensor<64xi1>, tensor<64xi1>
    check.expect_eq %found#7, %expected_7 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#8, %expected_8 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#9, %expected_9 : tensor<64xf32>, tensor<64xf32>
    check.expect_eq %found#10, %expected_10 : tensor<64xi1>, tensor<64xi1>
    check.expect_eq %found#11, %expected_11 : tensor<64xf64>, tensor<64xf64>
    check.expect_eq %found#12, %expected_12 : tensor<64xf32>, tensor<64xf32>
    return
  }
}
// -----
// next_after
module {
  func.func private @program(%arg0: tensor<144xf32>, %arg1: tensor<144xf32>) -> (tensor<144xf32>) {
    %0 = chlo.next_after %arg0, %arg1 : tensor<144xf32>, tensor<144xf32> -> tensor<144xf32>
    return %0 : tensor<144xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, 1.17549435e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, -3.00000009e-38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5, -2.5]> : tensor<144xf32>
    %input_1 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<144xf32>
    %expected_0 = stablehlo.constant dense<[0.0, -0.0, 1.40129846e-45, -1.40129846e-45, 0x7FC00000, 1.40129846e-45, -1.40129846e-45, 1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 0.0, -0.0, 1.40129846e-45, -1.40129846e-45, 0x7FC00000, 1.40129846e-45, -1.40129846e-45, 1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 1.40129846e-45, -1.40129846e-45, 3.40282347e+38, 3.40282347e+38, 0x7F800000, 3.40282347e+38, 0x7FC00000, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, 3.40282347e+38, -3.40282347e+38, -3.40282347e+38, -3.40282347e+38, 0xFF800000, 0x7FC00000, -3.40282347e+38, -3.40282347e+38, -3.40282347e+38, -3.40282347e+38, -3.40282347e+38, -3.40282347e+38, -3.40282347e+38, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 1.17549421e-38, 1.17549421e-38, 1.17549449e-38, 1.17549421e-38, 0x7FC00000, 1.17549435e-38, 1.17549421e-38, 1.17549449e-38, 1.17549449e-38, 1.17549421e-38, 1.17549449e-38, 1.17549421e-38, -2.99999981e-38, -2.99999981e-38, -2.99999981e-38, -3.00000037e-38, 0x7FC00000, -2.99999981e-38, -3.00000009e-38, -2.99999981e-38, -2.99999981e-38, -3.00000037e-38, -2.99999981e-38, -3.00000037e-38, 3.40282326e+38, 3.40282326e+38, 0x7F800000, 3.40282326e+38, 0x7FC00000, 3.40282326e+38, 3.40282326e+38, 3.40282347e+38, 3.40282326e+38, 3.40282326e+38, 3.40282326e+38, 3.40282326e+38, 0.99999994, 0.99999994, 1.00000012, 0.99999994, 0x7FC00000, 0.99999994, 0.99999994, 1.00000012, 1.0, 0.99999994, 0.99999994, 0.99999994, -0.99999994, -0.99999994, -0.99999994, -1.00000012, 0x7FC00000, -0.99999994, -0.99999994, -0.99999994, -0.99999994, -1.0, -0.99999994, -1.00000012, 0.49999997, 0.49999997, 0.50000006, 0.49999997, 0x7FC00000, 0.49999997, 0.49999997, 0.50000006, 0.50000006, 0.49999997, 0.5, 0.49999997, -2.49999976, -2.49999976, -2.49999976, -2.50000024, 0x7FC00000, -2.49999976, -2.49999976, -2.49999976, -2.49999976, -2.49999976, -2.49999976, -2.5]> : tensor<144xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<144xf32>, tensor<144xf32>) -> (tensor<144xf32>)
    check.expect_eq %found, %expected_0 : tensor<144xf32>, tensor<144xf32>
    return
  }
}
// -----
// half_precision_chain
module {
  func.func private @program(%arg0: tensor<20xf16>) -> (tensor<20xf16>) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<20xf16>
    %1 = stablehlo.add %0, %arg0 : tensor<20xf16>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<20xf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<20xf16>
    %4 = stablehlo.divide %1, %3 : tensor<20xf16>
    return %4 : tensor<20xf16>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-0.72265625, 0.129638672, 0.585449219, 0.909179688, 0.60546875, -1.91894531, -0.137573242, 1.32617188, -0.0402832031, 0.169311523, 2.4921875, -0.262695312, -0.895996094, 0.877441406, -0.916503906, -0.387939453, 1.74023438, 1.13574219, 0.480712891, -0.775390625]> : tensor<20xf16>
    %expected_0 = stablehlo.constant dense<[0.0537719727, -0.0510253906, -0.384521484, -0.831054688, -0.406005859, -0.358398438, 0.0378417969, -1.84375, 0.0127182007, -0.0699462891, -17.140625, 0.0593566895, 0.02394104, -0.775878906, 0.0195770264, 0.0700683594, -3.78515625, -1.30078125, -0.282470703, 0.0461730957]> : tensor<20xf16>
    %found = func.call @program(%input_0) : (tensor<20xf16>) -> (tensor<20xf16>)
    check.expect_eq %found, %expected_0 : tensor<20xf16>, tensor<20xf16>
    return
  }
}
// -----
// bfloat_chain
module {
  func.func private @program(%arg0: tensor<20xbf16>) -> (tensor<20xbf16>) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<20xbf16>
    %1 = stablehlo.add %0, %arg0 : tensor<20xbf16>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<20xbf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<20xbf16>
    %4 = stablehlo.divide %1, %3 : tensor<20xbf16>
    return %4 : tensor<20xbf16>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0114746094, 1.65625, 0.0217285156, 0.263671875, 1.78125, 0.67578125, -0.88671875, -1.2109375, 0.291015625, -0.64453125, 0.40234375, 0.6953125, -0.5703125, 0.68359375, -0.3515625, -0.263671875, 1.75, -0.640625, -0.4921875, 0.046875]> : tensor<20xbf16>
    %expected_0 = stablehlo.constant dense<[-0.00389099121, -3.28125, -0.00744628906, -0.121582031, -4.0625, -0.486328125, 0.0261230469, -0.0610351562, -0.138671875, 0.0629882812, -0.216796875, -0.51171875, 0.068359375, -0.49609375, 0.068359375, 0.0595703125, -3.84375, 0.0634765625, 0.0712890625, -0.0166015625]> : tensor<20xbf16>
    %found = func.call @program(%input_0) : (tensor<20xbf16>) -> (tensor<20xbf16>)
    check.expect_eq %found, %expected_0 : tensor<20xbf16>, tensor<20xbf16>
    return
  }
}
// -----
// eight_bits
module {
  func.func private @program(%arg0: tensor<30xf32>) -> (tensor<30xf8E4M3FN>, tensor<30xf8E5M2>, tensor<30xf8E4M3B11FNUZ>) {
    %0 = stablehlo.convert %arg0 : (tensor<30xf32>) -> tensor<30xf8E4M3FN>
    %1 = stablehlo.convert %arg0 : (tensor<30xf32>) -> tensor<30xf8E5M2>
    %2 = stablehlo.convert %arg0 : (tensor<30xf32>) -> tensor<30xf8E4M3B11FNUZ>
    return %0, %1, %2 : tensor<30xf8E4M3FN>, tensor<30xf8E5M2>, tensor<30xf8E4M3B11FNUZ>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 448.0, 464.0, 500.0, 0.00100000005, 0.0009765625, 57344.0, 61440.0, 0.100000001, 0.178713173, -0.361436605, 1.23717785, 1.36285949, -0.4126468, 0.118582249, -1.96001124, 0.156549692, 0.314125389, -0.409263194, -0.0651347861, -2.14278841, -0.45163855, 1.0734092, -0.0187104102, -2.05137157, -0.470479131, 0.190284267, 0.0790781602, -1.38852024]> : tensor<30xf32>
    %expected_0 = stablehlo.constant dense<[0.0, -0.0, 448.0, 448.0, 0x7F, 0.001953125, 0.0, 0x7F, 0x7F, 0.1015625, 0.171875, -0.375, 1.25, 1.375, -0.40625, 0.1171875, -2.0, 0.15625, 0.3125, -0.40625, -0.0625, -2.25, -0.4375, 1.125, -0.01953125, -2.0, -0.46875, 0.1875, 0.078125, -1.375]> : tensor<30xf8E4M3FN>
    %expected_1 = stablehlo.constant dense<[0.0, -0.0, 448.0, 448.0, 512.0, 0.0009765625, 0.0009765625, 57344.0, 0x7C, 0.09375, 0.1875, -0.375, 1.25, 1.25, -0.4375, 0.125, -2.0, 0.15625, 0.3125, -0.4375, -0.0625, -2.0, -0.4375, 1.0, -0.01953125, -2.0, -0.5, 0.1875, 0.078125, -1.5]> : tensor<30xf8E5M2>
    %expected_2 = stablehlo.constant dense<[0.0, 0.0, 0x80, 0x80, 0x80, 0.0009765625, 0.0009765625, 0x80, 0x80, 0.1015625, 0.171875, -0.375, 1.25, 1.375, -0.40625, 0.1171875, -2.0, 0.15625, 0.3125, -0.40625, -0.0625, -2.25, -0.4375, 1.125, -0.01953125, -2.0, -0.46875, 0.1875, 0.078125, -1.375]> : tensor<30xf8E4M3B11FNUZ>
    %found:3 = func.call @program(%input_0) : (tensor<30xf32>) -> (tensor<30xf8E4M3FN>, tensor<30xf8E5M2>, tensor<30xf8E4M3B11FNUZ>)
    check.expect_eq %found#0, %expected_0 : tensor<30xf8E4M3FN>, tensor<30xf8E4M3FN>
    check.expect_eq %found#1, %expected_1 : tensor<30xf8E5M2>, tensor<30xf8E5M2>
    check.expect_eq %found#2, %expected_2 : tensor<30xf8E4M3B11FNUZ>, tensor<30xf8E4M3B11FNUZ>
    return
  }
}
// -----
// bits_of_floats
module {
  func.func private @program(%arg0: tensor<12xf32>) -> (tensor<12xi32>, tensor<12x4xui8>) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<12xf32>) -> tensor<12xi32>
    %1 = stablehlo.bitcast_convert %arg0 : (tensor<12xf32>) -> tensor<12x4xui8>
    return %0, %1 : tensor<12xi32>, tensor<12x4xui8>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<12xf32>
    %expected_0 = stablehlo.constant dense<[0, -2147483648, 2139095040, -8388608, 2143289344, 8388608, -2128390682, 2139095039, 1065353216, -1082130432, 1056964608, -1071644672]> : tensor<12xi32>
    %expected_1 = stablehlo.constant dense<[[0, 0, 0, 0], [0, 0, 0, 128], [0, 0, 128, 127], [0, 0, 128, 255], [0, 0, 192, 127], [0, 0, 128, 0], [230, 85, 35, 129], [255, 255, 127, 127], [0, 0, 128, 63], [0, 0, 128, 191], [0, 0, 0, 63], [0, 0, 32, 192]]> : tensor<12x4xui8>
    %found:2 = func.call @program(%input_0) : (tensor<12xf32>) -> (tensor<12xi32>, tensor<12x4xui8>)
    check.expect_eq %found#0, %expected_0 : tensor<12xi32>, tensor<12xi32>
    check.expect_eq %found#1, %expected_1 : tensor<12x4xui8>, tensor<12x4xui8>
    return
  }
}
