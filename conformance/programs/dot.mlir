// Made by make.py. Do not edit.
// several_batch_and_contracting_dimensions
module {
  func.func private @program(%arg0: tensor<2x3x4x5x2xf32>, %arg1: tensor<2x5x2x3x3xf32>) -> (tensor<5x2x4x3xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [3, 0] x [1, 2], contracting_dims = [1, 4] x [3, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4x5x2xf32>, tensor<2x5x2x3x3xf32>) -> tensor<5x2x4x3xf32>
    return %0 : tensor<5x2x4x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[[[[-6.0, -9.0], [2.0, 3.0], [2.0, 6.0], [-5.0, -4.0], [-5.0, -4.0]], [[4.0, 8.0], [4.0, 8.0], [-1.0, 0.0], [-7.0, -5.0], [-2.0, 4.0]], [[5.0, 3.0], [-5.0, -6.0], [6.0, -1.0], [0.0, 3.0], [4.0, -7.0]], [[5.0, -1.0], [-5.0, 8.0], [1.0, -1.0], [-8.0, 7.0], [-3.0, -1.0]]], [[[-5.0, 3.0], [-8.0, 1.0], [2.0, -8.0], [0.0, 4.0], [-4.0, 2.0]], [[-1.0, -6.0], [2.0, 3.0], [-5.0, 7.0], [6.0, 3.0], [-8.0, -1.0]], [[-6.0, -6.0], [2.0, 5.0], [-9.0, 2.0], [-7.0, 4.0], [5.0, -3.0]], [[-1.0, -5.0], [8.0, -5.0], [-7.0, -4.0], [6.0, -3.0], [-8.0, 0.0]]], [[[1.0, 7.0], [4.0, -3.0], [3.0, 6.0], [3.0, 6.0], [-6.0, 4.0]], [[-4.0, 5.0], [0.0, 2.0], [5.0, -8.0], [5.0, -8.0], [3.0, -8.0]], [[-1.0, -8.0], [-5.0, 3.0], [-5.0, -7.0], [-4.0, 6.0], [4.0, -2.0]], [[-5.0, -9.0], [-1.0, 7.0], [8.0, 6.0], [0.0, 7.0], [8.0, 3.0]]]], [[[[5.0, 7.0], [2.0, 5.0], [-1.0, 8.0], [2.0, 2.0], [1.0, -5.0]], [[1.0, 6.0], [3.0, -3.0], [-5.0, 8.0], [2.0, 7.0], [0.0, 0.0]], [[8.0, 2.0], [-5.0, -3.0], [-9.0, 8.0], [-8.0, -3.0], [-2.0, -9.0]], [[-1.0, 1.0], [4.0, 3.0], [3.0, -2.0], [5.0, 7.0], [-6.0, -2.0]]], [[[-1.0, 7.0], [7.0, -8.0], [-9.0, -5.0], [-8.0, 3.0], [6.0, -9.0]], [[-5.0, 6.0], [1.0, -9.0], [1.0, -3.0], [4.0, 1.0], [0.0, 1.0]], [[1.0, 6.0], [2.0, -5.0], [-9.0, 4.0], [-1.0, 4.0], [3.0, 1.0]], [[-3.0, -1.0], [-6.0, 5.0], [0.0, 5.0], [1.0, 5.0], [-7.0, 4.0]]], [[[-4.0, -5.0], [-3.0, -1.0], [-6.0, -3.0], [-5.0, -9.0], [4.0, -6.0]], [[-3.0, -7.0], [-7.0, -8.0], [-2.0, 5.0], [0.0, 5.0], [-4.0, 4.0]], [[0.0, 2.0], [3.0, 7.0], [6.0, -1.0], [8.0, -1.0], [-5.0, 2.0]], [[-1.0, 1.0], [5.0, -1.0], [-9.0, -4.0], [-8.0, -3.0], [-2.0, -9.0]]]]]> : tensor<2x3x4x5x2xf32>
    %input_1 = stablehlo.constant dense<[[[[[6.0, 8.0, 2.0], [8.0, -1.0, 4.0], [-1.0, -8.0, 3.0]], [[-9.0, -5.0, -5.0], [1.0, -8.0, 7.0], [-6.0, -8.0, -3.0]]], [[[-3.0, 5.0, 5.0], [7.0, -6.0, 8.0], [-7.0, -2.0, -6.0]], [[-1.0, -8.0, 8.0], [-6.0, 7.0, 1.0], [-3.0, 7.0, 7.0]]], [[[4.0, 2.0, -6.0], [-6.0, -5.0, 8.0], [1.0, 6.0, 6.0]], [[6.0, -3.0, -9.0], [-4.0, -2.0, -1.0], [4.0, 3.0, -7.0]]], [[[-9.0, 6.0, 7.0], [5.0, -7.0, -4.0], [7.0, -6.0, 2.0]], [[3.0, -3.0, -4.0], [2.0, -4.0, -4.0], [4.0, 8.0, -3.0]]], [[[5.0, -3.0, 0.0], [8.0, -2.0, 5.0], [5.0, -6.0, 1.0]], [[-1.0, -7.0, -6.0], [7.0, -2.0, 3.0], [5.0, 3.0, -4.0]]]], [[[[-6.0, 4.0, -7.0], [8.0, -3.0, 2.0], [0.0, 7.0, -4.0]], [[-1.0, -3.0, 0.0], [6.0, 3.0, -1.0], [8.0, 7.0, -4.0]]], [[[-5.0, 8.0, 5.0], [3.0, 0.0, -8.0], [8.0, 6.0, 4.0]], [[-8.0, 4.0, 6.0], [7.0, 3.0, 6.0], [-7.0, 7.0, 1.0]]], [[[0.0, 6.0, 5.0], [6.0, 0.0, -7.0], [-9.0, 6.0, -1.0]], [[1.0, -2.0, -2.0], [-4.0, 0.0, 5.0], [3.0, 4.0, -3.0]]], [[[5.0, -5.0, -7.0], [-3.0, 8.0, 6.0], [-1.0, -8.0, -5.0]], [[6.0, -3.0, 4.0], [6.0, -9.0, 7.0], [-7.0, 3.0, 5.0]]], [[[0.0, 8.0, 5.0], [-7.0, 3.0, -3.0], [-3.0, -6.0, -9.0]], [[7.0, -6.0, -8.0], [-9.0, -5.0, -1.0], [-9.0, -8.0, -9.0]]]]]> : tensor<2x5x2x3x3xf32>
    %expected_0 = stablehlo.constant dense<[[[[1.0, -47.0, 12.0], [-76.0, 150.0, -96.0], [-83.0, 28.0, -18.0], [-7.0, 29.0, 24.0]], [[-27.0, -20.0, -7.0], [-22.0, 10.0, -9.0], [-21.0, -22.0, -47.0], [13.0, 38.0, -16.0]]], [[[-126.0, 56.0, -83.0], [-13.0, 84.0, 60.0], [133.0, -57.0, -37.0], [79.0, 35.0, 153.0]], [[-124.0, 1.0, -17.0], [29.0, -161.0, -104.0], [-76.0, 97.0, -58.0], [35.0, -19.0, 108.0]]], [[[-103.0, 84.0, 102.0], [145.0, 5.0, -45.0], [148.0, -21.0, -150.0], [-24.0, 115.0, 3.0]], [[25.0, -25.0, 28.0], [-7.0, 11.0, 12.0], [-5.0, 43.0, 55.0], [-52.0, -48.0, 77.0]]], [[[28.0, -44.0, -7.0], [102.0, -1.0, 30.0], [-66.0, 42.0, -7.0], [139.0, -205.0, -182.0]], [[63.0, -74.0, 23.0], [27.0, -37.0, 36.0], [19.0, 62.0, 23.0], [78.0, -158.0, 48.0]]], [[[-113.0, 9.0, -88.0], [-28.0, 81.0, 58.0], [107.0, -99.0, 21.0], [-48.0, -49.0, -64.0]], [[161.0, 116.0, 99.0], [-65.0, -49.0, -21.0], [-92.0, 26.0, 94.0], [-22.0, 114.0, 116.0]]]]> : tensor<5x2x4x3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<2x3x4x5x2xf32>, tensor<2x5x2x3x3xf32>) -> (tensor<5x2x4x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<5x2x4x3xf32>, tensor<5x2x4x3xf32>
    return
  }
}
// -----
// nothing_contracted
module {
  func.func private @program(%arg0: tensor<2x3xf32>, %arg1: tensor<4xf32>) -> (tensor<2x3x4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[4.0, -6.0, -5.0], [-1.0, -5.0, -9.0]]> : tensor<2x3xf32>
    %input_1 = stablehlo.constant dense<[1.0, -3.0, 5.0, -4.0]> : tensor<4xf32>
    %expected_0 = stablehlo.constant dense<[[[4.0, -12.0, 20.0, -16.0], [-6.0, 18.0, -30.0, 24.0], [-5.0, 15.0, -25.0, 20.0]], [[-1.0, 3.0, -5.0, 4.0], [-5.0, 15.0, -25.0, 20.0], [-9.0, 27.0, -45.0, 36.0]]]> : tensor<2x3x4xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<2x3xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>)
    check.expect_eq %found, %expected_0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    return
  }
}
// -----
// an_empty_sum
module {
  func.func private @program(%arg0: tensor<2x0xf32>, %arg1: tensor<0x3xf32>) -> (tensor<2x3xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<> : tensor<2x0xf32>
    %input_1 = stablehlo.constant dense<> : tensor<0x3xf32>
    %expected_0 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<2x0xf32>, tensor<0x3xf32>) -> (tensor<2x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
}
// -----
// integers_that_overflow
module {
  func.func private @program(%arg0: tensor<3x4xi32>, %arg1: tensor<4x2xi32>) -> (tensor<3x2xi32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xi32>, tensor<4x2xi32>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-353636343, -1686939009, 1211257881, -1725059693], [-328723738, -1846410782, 1656299362, 1970357671], [1129051509, 223764782, 516688670, 925376247]]> : tensor<3x4xi32>
    %input_1 = stablehlo.constant dense<[[796594856, 204476203], [-93607651, -1794185478], [762876801, 186837772], [1048488202, -1529901180]]> : tensor<4x2xi32>
    %expected_0 = stablehlo.constant dense<[[-1660629598, -544681087], [-1592194702, -839701750], [-581646398, -1632087977]]> : tensor<3x2xi32>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x4xi32>, tensor<4x2xi32>) -> (tensor<3x2xi32>)
    check.expect_eq %found, %expected_0 : tensor<3x2xi32>, tensor<3x2xi32>
    return
  }
}
// -----
// bytes_into_words
module {
  func.func private @program(%arg0: tensor<3x9xi8>, %arg1: tensor<9x2xi8>) -> (tensor<3x2xi32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x9xi8>, tensor<9x2xi8>) -> tensor<3x2xi32>
    return %0 : tensor<3x2xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-40, 11, -29, 11, -41, 84, -7, -82, -124], [-110, -12, 79, -40, 35, -124, -88, -31, 88], [32, -33, -12, -115, -105, 85, 22, 74, 37]]> : tensor<3x9xi8>
    %input_1 = stablehlo.constant dense<[[-57, 1], [1, -85], [89, 88], [113, -68], [72, -31], [125, -95], [88, 58], [-71, 42], [116, -39]]> : tensor<9x2xi8>
    %expected_0 = stablehlo.constant dense<[[-677, -9998], [454, 11439], [-11881, 7722]]> : tensor<3x2xi32>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x9xi8>, tensor<9x2xi8>) -> (tensor<3x2xi32>)
    check.expect_eq %found, %expected_0 : tensor<3x2xi32>, tensor<3x2xi32>
    return
  }
}
// -----
// unsigned
module {
  func.func private @program(%arg0: tensor<3x4xui16>, %arg1: tensor<5x4xui16>) -> (tensor<5x3xui16>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x4xui16>, tensor<3x4xui16>) -> tensor<5x3xui16>
    return %0 : tensor<5x3xui16>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[34992, 50870, 35101, 12212], [61414, 979, 51879, 57075], [13260, 19842, 49407, 48148]]> : tensor<3x4xui16>
    %input_1 = stablehlo.constant dense<[[3786, 40827, 64241, 63715], [33482, 15653, 4206, 7790], [49536, 38993, 5979, 18548], [60753, 41677, 20822, 51504], [13429, 53545, 24236, 25950]]> : tensor<5x4xui16>
    %expected_0 = stablehlo.constant dense<[[4411, 47501, 56889], [41724, 46631, 43756], [36213, 16188, 50391], [65004, 61287, 4368], [61226, 29271, 59578]]> : tensor<5x3xui16>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x4xui16>, tensor<5x4xui16>) -> (tensor<5x3xui16>)
    check.expect_eq %found, %expected_0 : tensor<5x3xui16>, tensor<5x3xui16>
    return
  }
}
// -----
// complex
module {
  func.func private @program(%arg0: tensor<3x4xcomplex<f32>>, %arg1: tensor<4x2xcomplex<f32>>) -> (tensor<3x2xcomplex<f32>>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
    return %0 : tensor<3x2xcomplex<f32>>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[(-8.0, -1.0), (-8.0, -2.0), (5.0, 0.0), (8.0, -5.0)], [(-2.0, -5.0), (-2.0, -3.0), (-6.0, 0.0), (3.0, 1.0)], [(4.0, 8.0), (0.0, 0.0), (2.0, -6.0), (-9.0, 3.0)]]> : tensor<3x4xcomplex<f32>>
    %input_1 = stablehlo.constant dense<[[(-3.0, -3.0), (-6.0, -6.0)], [(8.0, -2.0), (2.0, -6.0)], [(-8.0, -9.0), (-8.0, -7.0)], [(2.0, -3.0), (8.0, -6.0)]]> : tensor<4x2xcomplex<f32>>
    %expected_0 = stablehlo.constant dense<[[(-86.0, -52.0), (8.0, -25.0)], [(26.0, 48.0), (38.0, 80.0)], [(-67.0, 27.0), (-88.0, 40.0)]]> : tensor<3x2xcomplex<f32>>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>) -> (tensor<3x2xcomplex<f32>>)
    check.expect_eq %found, %expected_0 : tensor<3x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>
    return
  }
}
// -----
// half_into_single
module {
  func.func private @program(%arg0: tensor<3x5xbf16>, %arg1: tensor<5x2xbf16>) -> (tensor<3x2xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xbf16>, tensor<5x2xbf16>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[1.0, 8.0, -1.0, 1.0, -9.0], [-2.0, -6.0, 6.0, -7.0, -4.0], [-2.0, -5.0, -7.0, -8.0, 6.0]]> : tensor<3x5xbf16>
    %input_1 = stablehlo.constant dense<[[4.0, 2.0], [-8.0, 2.0], [2.0, 4.0], [-7.0, 8.0], [-9.0, 0.0]]> : tensor<5x2xbf16>
    %expected_0 = stablehlo.constant dense<[[12.0, 22.0], [137.0, -48.0], [20.0, -106.0]]> : tensor<3x2xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x5xbf16>, tensor<5x2xbf16>) -> (tensor<3x2xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x2xf32>, tensor<3x2xf32>
    return
  }
}
// -----
// predicates
module {
  func.func private @program(%arg0: tensor<3x5xi1>, %arg1: tensor<5x4xi1>) -> (tensor<3x4xi1>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xi1>, tensor<5x4xi1>) -> tensor<3x4xi1>
    return %0 : tensor<3x4xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[false, false, true, false, true], [false, false, true, false, true], [true, true, true, false, true]]> : tensor<3x5xi1>
    %input_1 = stablehlo.constant dense<[[false, false, true, true], [false, false, true, false], [false, false, true, true], [false, true, true, false], [true, true, false, false]]> : tensor<5x4xi1>
    %expected_0 = stablehlo.constant dense<[[true, true, true, true], [true, true, true, true], [true, true, true, true]]> : tensor<3x4xi1>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x5xi1>, tensor<5x4xi1>) -> (tensor<3x4xi1>)
    check.expect_eq %found, %expected_0 : tensor<3x4xi1>, tensor<3x4xi1>
    return
  }
}
// -----
// einsum_with_a_trace
module {
  func.func private @program(%arg0: tensor<3x3x2xf32>, %arg1: tensor<2x4xf32>) -> (tensor<4x3xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<3x3xui32>
    %1 = stablehlo.iota dim = 1 : tensor<3x3xui32>
    %2 = stablehlo.compare EQ, %0, %1, UNSIGNED : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x3xi1>) -> tensor<3x3x2xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3x2xf32>
    %5 = stablehlo.select %3, %arg0, %4 : tensor<3x3x2xi1>, tensor<3x3x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3x3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %7 = stablehlo.dot_general %arg1, %6, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
    return %7 : tensor<4x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[[-8.0, -3.0], [-7.0, 5.0], [-3.0, -5.0]], [[5.0, 3.0], [-4.0, 8.0], [7.0, -2.0]], [[-9.0, 7.0], [-8.0, -1.0], [7.0, -1.0]]]> : tensor<3x3x2xf32>
    %input_1 = stablehlo.constant dense<[[-7.0, -7.0, -2.0, 5.0], [2.0, 6.0, -8.0, 1.0]]> : tensor<2x4xf32>
    %expected_0 = stablehlo.constant dense<[[50.0, 44.0, -51.0], [38.0, 76.0, -55.0], [40.0, -56.0, -6.0], [-43.0, -12.0, 34.0]]> : tensor<4x3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x3x2xf32>, tensor<2x4xf32>) -> (tensor<4x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<4x3xf32>, tensor<4x3xf32>
    return
  }
}
