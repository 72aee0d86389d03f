// Made by make.py. Do not edit.
// sum_dilated
module {
  func.func private @program(%arg0: tensor<6x7xf32>) -> (tensor<6x18xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 2, 3>, padding = dense<[[1, 2], [0, 3]]> : tensor<2x2xi64>, window_dilations = array<i64: 3, 2>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6x18xf32>
    return %1 : tensor<6x18xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-9.0, -6.0, 1.0, 7.0, 1.0, -5.0, 4.0], [5.0, 0.0, -7.0, 6.0, -7.0, -2.0, 7.0], [-2.0, 1.0, 2.0, -2.0, -1.0, 7.0, 0.0], [5.0, 2.0, 8.0, 1.0, 7.0, 3.0, 3.0], [-4.0, -1.0, -8.0, 5.0, 8.0, -9.0, -8.0], [-7.0, 1.0, 6.0, 6.0, 8.0, -7.0, -3.0]]> : tensor<6x7xf32>
    %expected_0 = stablehlo.constant dense<[[5.0, 0.0, -7.0, 0.0, -7.0, 6.0, -7.0, 6.0, -7.0, 6.0, -7.0, -2.0, -7.0, -2.0, 7.0, -2.0, 7.0, 0.0], [-2.0, 1.0, 2.0, 1.0, 2.0, -2.0, 2.0, -2.0, -1.0, -2.0, -1.0, 7.0, -1.0, 7.0, 0.0, 7.0, 0.0, 0.0], [5.0, 2.0, 8.0, 2.0, 8.0, 1.0, 8.0, 1.0, 7.0, 1.0, 7.0, 3.0, 7.0, 3.0, 3.0, 3.0, 3.0, 0.0], [-4.0, -1.0, -8.0, -1.0, -8.0, 5.0, -8.0, 5.0, 8.0, 5.0, 8.0, -9.0, 8.0, -9.0, -8.0, -9.0, -8.0, 0.0], [-7.0, 1.0, 6.0, 1.0, 6.0, 6.0, 6.0, 6.0, 8.0, 6.0, 8.0, -7.0, 8.0, -7.0, -3.0, -7.0, -3.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<6x18xf32>
    %found = func.call @program(%input_0) : (tensor<6x7xf32>) -> (tensor<6x18xf32>)
    check.expect_eq %found, %expected_0 : tensor<6x18xf32>, tensor<6x18xf32>
    return
  }
}
// -----
// max_negative_padding
module {
  func.func private @program(%arg0: tensor<7x6xf32>) -> (tensor<6x3xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[-1, 2], [2, -2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<7x6xf32>, tensor<f32>) -> tensor<6x3xf32>
    return %1 : tensor<6x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-5.0, 2.0, 6.0, 1.0, -5.0, -6.0], [8.0, -5.0, 5.0, 2.0, 6.0, -9.0], [2.0, 6.0, 2.0, -9.0, 0.0, 1.0], [3.0, -6.0, 3.0, 6.0, 2.0, -3.0], [2.0, -1.0, -8.0, 6.0, 6.0, 0.0], [5.0, -2.0, 6.0, -8.0, 8.0, -4.0], [-7.0, 1.0, 8.0, 4.0, 7.0, -5.0]]> : tensor<7x6xf32>
    %expected_0 = stablehlo.constant dense<[[0xFF800000, 8.0, 6.0], [0xFF800000, 6.0, 6.0], [0xFF800000, 5.0, 6.0], [0xFF800000, 5.0, 8.0], [0xFF800000, 5.0, 8.0], [0xFF800000, 1.0, 8.0]]> : tensor<6x3xf32>
    %found = func.call @program(%input_0) : (tensor<7x6xf32>) -> (tensor<6x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<6x3xf32>, tensor<6x3xf32>
    return
  }
}
// -----
// min_of_padding_alone
module {
  func.func private @program(%arg0: tensor<4xf32>) -> (tensor<10xf32>) {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[4, 3]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.minimum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<10xf32>
    return %1 : tensor<10xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[6.0, 5.0, 4.0, -9.0]> : tensor<4xf32>
    %expected_0 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 6.0, 5.0, 4.0, -9.0, -9.0, 0x7F800000, 0x7F800000]> : tensor<10xf32>
    %found = func.call @program(%input_0) : (tensor<4xf32>) -> (tensor<10xf32>)
    check.expect_eq %found, %expected_0 : tensor<10xf32>, tensor<10xf32>
    return
  }
}
// -----
// product_of_words
module {
  func.func private @program(%arg0: tensor<6x5xi32>) -> (tensor<3x7xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 1], [2, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<6x5xi32>, tensor<i32>) -> tensor<3x7xi32>
    return %0 : tensor<3x7xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[5, 7, -1, -3, -3], [-6, -3, 7, 1, 0], [-2, 8, 8, -3, 3], [-6, -8, -8, 2, -7], [-7, -9, 7, 5, 7], [-3, -3, 1, -4, -2]]> : tensor<6x5xi32>
    %expected_0 = stablehlo.constant dense<[[-30, 630, -4410, -441, 0, 0, 0], [-72, -13824, 6193152, 516096, 0, 0, 0], [-126, 27216, -1524096, -483840, 219520, -3920, 98]]> : tensor<3x7xi32>
    %found = func.call @program(%input_0) : (tensor<6x5xi32>) -> (tensor<3x7xi32>)
    check.expect_eq %found, %expected_0 : tensor<3x7xi32>, tensor<3x7xi32>
    return
  }
}
// -----
// max_with_nan
module {
  func.func private @program(%arg0: tensor<3x4xf32>) -> (tensor<3x4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[0.0, -0.0, 0x7F800000, 0xFF800000], [0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38], [1.0, -1.0, 0.5, -2.5]]> : tensor<3x4xf32>
    %expected_0 = stablehlo.constant dense<[[0x7FC00000, 0x7F800000, 0x7F800000, 3.40282347e+38], [0x7FC00000, 0.5, 3.40282347e+38, 3.40282347e+38], [1.0, 0.5, 0.5, -2.5]]> : tensor<3x4xf32>
    %found = func.call @program(%input_0) : (tensor<3x4xf32>) -> (tensor<3x4xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
}
// -----
// and_of_predicates
module {
  func.func private @program(%arg0: tensor<5x6xi1>) -> (tensor<4x3xi1>) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg1: tensor<i1>, %arg2: tensor<i1>):
      %1 = stablehlo.and %arg1, %arg2 : tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<5x6xi1>, tensor<i1>) -> tensor<4x3xi1>
    return %0 : tensor<4x3xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[true, true, true, true, true, false], [true, true, true, true, true, true], [true, true, true, true, false, false], [true, true, true, true, true, true], [true, true, true, true, true, false]]> : tensor<5x6xi1>
    %expected_0 = stablehlo.constant dense<[[true, true, false], [true, true, false], [true, true, false], [true, true, false]]> : tensor<4x3xi1>
    %found = func.call @program(%input_0) : (tensor<5x6xi1>) -> (tensor<4x3xi1>)
    check.expect_eq %found, %expected_0 : tensor<4x3xi1>, tensor<4x3xi1>
    return
  }
}
// -----
// two_values
module {
  func.func private @program(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %cst, %c) <{base_dilations = array<i64: 1>, padding = dense<[[1, 2]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<i32>):
      %1 = stablehlo.compare GE, %arg2, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = func.call @_where(%1, %arg2, %arg4) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %3 = stablehlo.compare GE, %arg2, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = func.call @_where_0(%3, %arg3, %arg5) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %2, %4 : tensor<f32>, tensor<i32>
    }) : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
    return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[3.0, 7.0, 7.0, 1.0, 7.0, 2.0, 2.0, 9.0]> : tensor<8xf32>
    %input_1 = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
    %expected_0 = stablehlo.constant dense<[7.0, 7.0, 7.0, 9.0, 9.0]> : tensor<5xf32>
    %expected_1 = stablehlo.constant dense<[1, 1, 4, 7, 7]> : tensor<5xi32>
    %found:2 = func.call @program(%input_0, %input_1) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<5xf32>, tensor<5xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<5xf32>, tensor<5xf32>
    check.expect_eq %found#1, %expected_1 : tensor<5xi32>, tensor<5xi32>
    return
  }
}
// -----
// not_commutative_inside
module {
  func.func private @program(%arg0: tensor<4x6xf32>) -> (tensor<2x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.multiply %arg2, %arg2 : tensor<f32>
      %2 = stablehlo.add %arg1, %1 : tensor<f32>
      %3 = stablehlo.subtract %2, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[3.0, -2.0, -3.0, -8.0, -6.0, -3.0], [-5.0, 0.0, 5.0, 8.0, 5.0, -6.0], [-2.0, -2.0, 0.0, -4.0, 7.0, -5.0], [3.0, -9.0, 3.0, -7.0, 8.0, 3.0]]> : tensor<4x6xf32>
    %expected_0 = stablehlo.constant dense<[[42.0, 160.0, 116.0], [108.0, 82.0, 134.0]]> : tensor<2x3xf32>
    %found = func.call @program(%input_0) : (tensor<4x6xf32>) -> (tensor<2x3xf32>)
    check.expect_close %found, %expected_0, max_ulp_difference = 8 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
}
// -----
// cumulative_sums
module {
  func.func private @program(%arg0: tensor<4x5xi32>) -> (tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>) {
    %0 = call @cumsum(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %1 = call @cumsum_0(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %2 = call @cumprod(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %3 = call @cummax(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    %4 = call @cummin(%arg0) : (tensor<4x5xi32>) -> tensor<4x5xi32>
    return %0, %1, %2, %3, %4 : tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>
  }
  func.func private @cumsum(%arg0: tensor<4x5xi32>) -> tensor<4x5xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4x5xi32>, tensor<i32>) -> tensor<4x5xi32>
    return %1 : tensor<4x5xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<4x5xi32>) -> tensor<4x5xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4x5xi32>, tensor<i32>) -> tensor<4x5xi32>
    return %1 : tensor<4x5xi32>
  }
  func.func private @cumprod(%arg0: tensor<4x5xi32>) -> tensor<4x5xi32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<4x5xi32>, tensor<i32>) -> tensor<4x5xi32>
    return %0 : tensor<4x5xi32>
  }
  func.func private @cummax(%arg0: tensor<4x5xi32>) -> tensor<4x5xi32> {
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4x5xi32>, tensor<i32>) -> tensor<4x5xi32>
    return %1 : tensor<4x5xi32>
  }
  func.func private @cummin(%arg0: tensor<4x5xi32>) -> tensor<4x5xi32> {
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.minimum %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4x5xi32>, tensor<i32>) -> tensor<4x5xi32>
    return %1 : tensor<4x5xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[5, -5, -3, 6, -7], [-3, 8, -1, -3, 0], [-3, -7, 2, 3, -2], [3, 8, -5, -7, 4]]> : tensor<4x5xi32>
    %expected_0 = stablehlo.constant dense<[[5, 0, -3, 3, -4], [-3, 5, 4, 1, 1], [-3, -10, -8, -5, -7], [3, 11, 6, -1, 3]]> : tensor<4x5xi32>
    %expected_1 = stablehlo.constant dense<[[2, 4, -7, -1, -5], [-3, 9, -4, -7, 2], [0, 1, -3, -4, 2], [3, 8, -5, -7, 4]]> : tensor<4x5xi32>
    %expected_2 = stablehlo.constant dense<[[5, -25, 75, 450, -3150], [-3, -24, 24, -72, 0], [-3, 21, 42, 126, -252], [3, 24, -120, 840, 3360]]> : tensor<4x5xi32>
    %expected_3 = stablehlo.constant dense<[[5, -5, -3, 6, -7], [5, 8, -1, 6, 0], [5, 8, 2, 6, 0], [5, 8, 2, 6, 4]]> : tensor<4x5xi32>
    %expected_4 = stablehlo.constant dense<[[-7, -7, -7, -7, -7], [-3, -3, -3, -3, 0], [-7, -7, -2, -2, -2], [-7, -7, -7, -7, 4]]> : tensor<4x5xi32>
    %found:5 = func.call @program(%input_0) : (tensor<4x5xi32>) -> (tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>, tensor<4x5xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<4x5xi32>, tensor<4x5xi32>
    check.expect_eq %found#1, %expected_1 : tensor<4x5xi32>, tensor<4x5xi32>
    check.expect_eq %found#2, %expected_2 : tensor<4x5xi32>, tensor<4x5xi32>
    check.expect_eq %found#3, %expected_3 : tensor<4x5xi32>, tensor<4x5xi32>
    check.expect_eq %found#4, %expected_4 : tensor<4x5xi32>, tensor<4x5xi32>
    return
  }
}
// -----
// select_and_scatter_ties
module {
  func.func private @program(%0: tensor<3x6xf32>, %1: tensor<3x3xf32>) -> (tensor<3x6xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r = "stablehlo.select_and_scatter"(%0, %1, %z) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>,
      padding = dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    return %r : tensor<3x6xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[1.0, 1.0, 2.0, 2.0, 0.0, 0.0], [1.0, 2.0, 2.0, 1.0, 0.0, 0.0], [3.0, 3.0, 3.0, 3.0, 3.0, 3.0]]> : tensor<3x6xf32>
    %input_1 = stablehlo.constant dense<[[0.0, -9.0, -4.0], [4.0, -3.0, -8.0], [3.0, 8.0, -1.0]]> : tensor<3x3xf32>
    %expected_0 = stablehlo.constant dense<[[0.0, 0.0, -12.0, -12.0, 0.0, 0.0], [0.0, 4.0, 0.0, 0.0, 0.0, 0.0], [3.0, 8.0, 0.0, -1.0, 0.0, 0.0]]> : tensor<3x6xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x6xf32>, tensor<3x3xf32>) -> (tensor<3x6xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x6xf32>, tensor<3x6xf32>
    return
  }
}
// -----
// select_and_scatter_strict
module {
  func.func private @program(%0: tensor<9xi32>, %1: tensor<4xi32>) -> (tensor<9xi32>) {
    %z = stablehlo.constant dense<10> : tensor<i32>
    %r = "stablehlo.select_and_scatter"(%0, %1, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }, {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
    }) : (tensor<9xi32>, tensor<4xi32>, tensor<i32>) -> tensor<9xi32>
    return %r : tensor<9xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[1, 5, 5, 5, 2, 2, 2, 7, 7]> : tensor<9xi32>
    %input_1 = stablehlo.constant dense<[0, -1, -8, 6]> : tensor<4xi32>
    %expected_0 = stablehlo.constant dense<[10, 10, 10, 9, 10, 10, 2, 10, 16]> : tensor<9xi32>
    %found = func.call @program(%input_0, %input_1) : (tensor<9xi32>, tensor<4xi32>) -> (tensor<9xi32>)
    check.expect_eq %found, %expected_0 : tensor<9xi32>, tensor<9xi32>
    return
  }
}
