// Made by make.py. Do not edit.
// several_dimensions
module {
  func.func private @program(%arg0: tensor<2x3x2x4xf32>) -> (tensor<3x4xf32>, tensor<2x2xf32>, tensor<f32>, tensor<2x3x2xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x2x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1, 3] : (tensor<2x3x2x4xf32>, tensor<f32>) -> tensor<2x2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.multiply across dimensions = [0, 1, 2, 3] : (tensor<2x3x2x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.minimum across dimensions = [3] : (tensor<2x3x2x4xf32>, tensor<f32>) -> tensor<2x3x2xf32>
    return %0, %1, %2, %3 : tensor<3x4xf32>, tensor<2x2xf32>, tensor<f32>, tensor<2x3x2xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[[[-3.0, 0.0, -0.5, -1.0], [2.5, 2.0, 1.5, 1.5]], [[2.0, 2.5, 2.5, 3.5], [-0.5, -4.5, -2.0, 1.5]], [[-1.0, 2.0, -1.0, -3.5], [2.5, -4.0, -2.5, -3.0]]], [[[3.0, 1.5, -2.0, -4.0], [2.5, -4.5, -1.0, 3.0]], [[2.0, 1.5, -4.5, 1.5], [2.0, 3.5, 2.0, 3.5]], [[2.5, 2.5, -2.5, 0.0], [0.0, 3.0, -0.5, 4.0]]]]> : tensor<2x3x2x4xf32>
    %expected_0 = stablehlo.constant dense<[[5.0, -1.0, -2.0, -0.5], [5.5, 3.0, -2.0, 10.0], [4.0, 3.5, -6.5, -2.5]]> : tensor<3x4xf32>
    %expected_1 = stablehlo.constant dense<[[3.5, 2.5], [3.0, 4.0]]> : tensor<2x2xf32>
    %expected_2 = stablehlo.constant dense<-0.0> : tensor<f32>
    %expected_3 = stablehlo.constant dense<[[[-3.0, 1.5], [2.0, -4.5], [-3.5, -4.0]], [[-4.0, -4.5], [-4.5, 2.0], [-2.5, -0.5]]]> : tensor<2x3x2xf32>
    %found:4 = func.call @program(%input_0) : (tensor<2x3x2x4xf32>) -> (tensor<3x4xf32>, tensor<2x2xf32>, tensor<f32>, tensor<2x3x2xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<3x4xf32>, tensor<3x4xf32>
    check.expect_eq %found#1, %expected_1 : tensor<2x2xf32>, tensor<2x2xf32>
    check.expect_eq %found#2, %expected_2 : tensor<f32>, tensor<f32>
    check.expect_eq %found#3, %expected_3 : tensor<2x3x2xf32>, tensor<2x3x2xf32>
    return
  }
}
// -----
// max_with_nan
module {
  func.func private @program(%arg0: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.minimum across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    return %0, %1 : tensor<4xf32>, tensor<3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[0.0, -0.0, 0x7F800000, 0xFF800000], [0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38], [1.0, -1.0, 0.5, -2.5]]> : tensor<3x4xf32>
    %expected_0 = stablehlo.constant dense<[0x7FC00000, 1.17549435e-38, 0x7F800000, 3.40282347e+38]> : tensor<4xf32>
    %expected_1 = stablehlo.constant dense<[0xFF800000, 0x7FC00000, -2.5]> : tensor<3xf32>
    %found:2 = func.call @program(%input_0) : (tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<4xf32>, tensor<4xf32>
    check.expect_eq %found#1, %expected_1 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
// -----
// nothing_to_add
module {
  func.func private @program(%arg0: tensor<3x0xf32>) -> (tensor<3xf32>, tensor<0xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3x0xf32>, tensor<f32>) -> tensor<0xf32>
    return %0, %1 : tensor<3xf32>, tensor<0xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<> : tensor<3x0xf32>
    %expected_0 = stablehlo.constant dense<[0.0, 0.0, 0.0]> : tensor<3xf32>
    %expected_1 = stablehlo.constant dense<> : tensor<0xf32>
    %found:2 = func.call @program(%input_0) : (tensor<3x0xf32>) -> (tensor<3xf32>, tensor<0xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<3xf32>, tensor<3xf32>
    check.expect_eq %found#1, %expected_1 : tensor<0xf32>, tensor<0xf32>
    return
  }
}
// -----
// words
module {
  func.func private @program(%arg0: tensor<5x7xi32>) -> (tensor<7xi64>, tensor<5xi32>, tensor<7xi32>) {
    %0 = stablehlo.convert %arg0 : (tensor<5x7xi32>) -> tensor<5x7xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<5x7xi64>, tensor<i64>) -> tensor<7xi64>
    %2 = call @reduce(%arg0) : (tensor<5x7xi32>) -> tensor<5xi32>
    %3 = call @reduce_0(%arg0) : (tensor<5x7xi32>) -> tensor<7xi32>
    return %1, %2, %3 : tensor<7xi64>, tensor<5xi32>, tensor<7xi32>
  }
  func.func private @reduce(%arg0: tensor<5x7xi32>) -> tensor<5xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.xor across dimensions = [1] : (tensor<5x7xi32>, tensor<i32>) -> tensor<5xi32>
    return %0 : tensor<5xi32>
  }
  func.func private @reduce_0(%arg0: tensor<5x7xi32>) -> tensor<7xi32> {
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.and across dimensions = [0] : (tensor<5x7xi32>, tensor<i32>) -> tensor<7xi32>
    return %0 : tensor<7xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-1484477448, -1845059926, 1109168622, -1483501519, -1932593611, -1658779414, -123785140], [-1549222046, -1440206498, -1994976068, -371493546, -222384016, 1884707217, -365971513], [-1142984013, 1820147794, 714454016, 591151479, 1218749451, -2089151216, 1938127780], [323345866, -1119918908, 338893307, -1744686024, -669709492, -1595207200, -1395749037], [94028330, -1922354626, 860036165, -825952718, -1271824009, -1788240842, -250470232]]> : tensor<5x7xi32>
    %expected_0 = stablehlo.constant dense<[-3759309311, -4507392164, 1027576042, -3834482328, -2877761677, -5246671455, -197848142]> : tensor<7xi64>
    %expected_1 = stablehlo.constant dense<[964557342, 25932272, 1716522281, -159710926, -1522784374]> : tensor<5xi32>
    %expected_2 = stablehlo.constant dense<[16777216, 0, 4096, 16, 0, 0, 536870912]> : tensor<7xi32>
    %found:3 = func.call @program(%input_0) : (tensor<5x7xi32>) -> (tensor<7xi64>, tensor<5xi32>, tensor<7xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<7xi64>, tensor<7xi64>
    check.expect_eq %found#1, %expected_1 : tensor<5xi32>, tensor<5xi32>
    check.expect_eq %found#2, %expected_2 : tensor<7xi32>, tensor<7xi32>
    return
  }
}
// -----
// two_values
module {
  func.func private @program(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %c = stablehlo.constant dense<-99> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.reduce(%arg0 init: %c), (%arg1 init: %c_0) across dimensions = [1] : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
     reducer(%arg2: tensor<i32>, %arg4: tensor<i32>) (%arg3: tensor<i32>, %arg5: tensor<i32>)  {
      %1 = stablehlo.maximum %arg2, %arg4 : tensor<i32>
      %2 = stablehlo.compare GE, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = func.call @_where(%2, %arg3, %arg5) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<2xi32>, tensor<2xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[3, 9, 9], [2, 2, 1]]> : tensor<2x3xi32>
    %input_1 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    %expected_0 = stablehlo.constant dense<[9, 2]> : tensor<2xi32>
    %expected_1 = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
    %found:2 = func.call @program(%input_0, %input_1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#1, %expected_1 : tensor<2xi32>, tensor<2xi32>
    return
  }
}
// -----
// any_and_all
module {
  func.func private @program(%arg0: tensor<4x5xi1>) -> (tensor<5xi1>, tensor<4xi1>) {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4x5xi1>, tensor<i1>) -> tensor<5xi1>
    %c_0 = stablehlo.constant dense<true> : tensor<i1>
    %1 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.and across dimensions = [1] : (tensor<4x5xi1>, tensor<i1>) -> tensor<4xi1>
    return %0, %1 : tensor<5xi1>, tensor<4xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[true, false, true, true, true], [true, true, true, true, true], [true, false, false, false, true], [false, true, false, true, true]]> : tensor<4x5xi1>
    %expected_0 = stablehlo.constant dense<[true, true, true, true, true]> : tensor<5xi1>
    %expected_1 = stablehlo.constant dense<[false, true, false, false]> : tensor<4xi1>
    %found:2 = func.call @program(%input_0) : (tensor<4x5xi1>) -> (tensor<5xi1>, tensor<4xi1>)
    check.expect_eq %found#0, %expected_0 : tensor<5xi1>, tensor<5xi1>
    check.expect_eq %found#1, %expected_1 : tensor<4xi1>, tensor<4xi1>
    return
  }
}
