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
// -----
// index_gt_i8_700_by_second
module {
  func.func private @program(%0: tensor<700xi8>) -> (tensor<i8>, tensor<i32>) {
    %v = stablehlo.constant dense<-100> : tensor<i8>
    %z = stablehlo.constant dense<700> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<700xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<700xi8>, tensor<700xi32>, tensor<i8>, tensor<i32>) -> (tensor<i8>, tensor<i32>)
     reducer(%a: tensor<i8>, %b: tensor<i8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GT, %b, %a : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i8>
      %s = stablehlo.compare EQ, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0, 8, 6, -6, 8, 6, -3, 3, 5, -6, -5, -6, -1, 8, -2, -3, 7, -2, -8, 2, 4, -2, 8, -9, 6, -5, 5, -1, 2, 4, 7, 1, 2, -2, -9, -6, -7, 5, -8, -6, -5, 4, -4, -1, 3, 0, -1, -3, 7, -6, 5, -6, -1, 2, -4, -5, -6, -9, -5, -6, 2, 7, -9, 3, -2, 1, 8, -2, -7, 5, 7, -5, 1, 2, -7, -9, -9, 2, 2, 8, 1, 3, -1, -8, -3, 1, 3, -4, -7, 7, -5, -9, -2, -9, 2, -8, -4, -3, 3, 6, 3, 1, -5, 2, 4, -9, 1, -6, -8, -3, 5, 2, 7, 4, -3, 1, -4, -4, 2, -6, -2, -2, 0, -5, -5, 4, -1, 7, -1, 5, 5, -7, 5, 5, 2, -9, 6, -7, 7, 3, -3, -4, 0, 5, -4, 3, -2, 2, 2, 1, -6, 7, 1, 5, -2, -9, 8, 8, 4, -2, 2, -4, -5, 6, -5, 7, 1, 4, -6, 3, 3, -9, 8, -5, 4, 5, -4, 8, -3, -4, 2, 4, 7, -7, -9, 4, 7, -3, -9, -8, -8, -6, -5, 1, -6, -1, 8, 3, -9, -3, 3, 1, -4, -3, -4, 4, 6, -9, 5, 1, 0, 1, -4, -8, -5, 4, 5, 2, 1, 8, 3, -6, 3, -2, -2, 6, 8, 7, -3, 3, -1, -3, 3, 8, -1, -1, 2, 0, 4, 3, -9, 7, 7, -9, -3, 3, -8, 7, -5, -3, -9, -5, -9, 1, 8, -9, 1, 5, 5, -1, -6, 2, -2, 5, 0, -9, 5, -6, 1, -2, -7, 1, 7, -3, 0, -4, -3, -9, 4, -2, -2, 7, -2, -9, 3, 1, -1, -6, 4, 8, -4, 5, -1, -6, -4, 8, -7, -4, -7, 3, -2, -5, -7, -4, -4, -8, -7, -4, 2, -2, 5, -9, -4, -9, -8, -9, 1, 6, 2, -2, -4, 7, 3, -1, 5, 1, -8, -3, 7, 5, -8, -3, 7, 5, -8, -2, -7, -7, -5, -2, -3, -9, 2, -3, -3, -3, -5, 3, 0, 8, 8, -7, -6, 1, -1, 6, 2, 3, -2, -5, -5, -2, 0, 7, 4, 0, 3, 3, -7, -4, 3, 5, -7, 1, 2, 5, 8, -4, -6, -5, 8, -6, -4, 1, -3, -8, -7, -3, 6, 2, -6, -5, 8, -5, -5, -5, -8, -1, 7, 4, 2, -5, 4, 0, 2, 8, 7, 0, 2, -5, 2, 6, -7, 7, -9, 4, -5, -4, -3, 0, 2, -4, 0, 7, 3, -9, 1, 6, 2, -5, -4, -7, 2, 6, -2, 5, 0, -9, -9, -4, 2, -8, 0, 4, 7, 7, -6, -4, -9, -3, -2, -9, 6, -8, -1, -8, -9, 4, -5, -6, -5, -1, -8, -5, 7, 0, 8, 0, -5, -3, 3, -5, -8, 7, -8, 7, 6, -1, -8, -2, -6, 0, -3, 0, -6, 8, -6, -2, -9, -3, 3, 8, -3, 2, -3, -7, 4, 0, 4, 5, -6, 1, -2, -5, -1, -3, 5, 4, 7, 1, -5, -9, -3, -4, 0, 4, 0, -8, -4, -2, 4, 1, 5, -4, -8, -9, 5, -8, 1, 7, 5, 4, -1, 6, -6, 0, -2, -1, -7, -4, 7, -8, 4, 0, 5, -4, -8, 6, 0, -7, -5, -9, 1, 5, 0, 8, 3, -2, 5, 6, -5, 3, 3, 5, 2, 1, -2, 0, 5, 2, 8, 5, 8, 8, -2, 7, 7, 4, 6, 7, 5, -9, -5, -9, 5, -5, 7, -9, 3, 1, 2, -6, 6, 6, 8, -8, 3, 4, 4, -8, -7, 7, -7, -3, -1, -4, 3, -4, 6, 3, -4, 6, 1, 3, -4, -7, -1, -3, -9, -1, -6, -5, -8, 7, 1, 3, -6, 3, 0, -5, -1, 0, 4, -5, 6, -4, 2, 4, 5, -5, -3, 3, -4, -5, 6, 5, -6, -7, -2, 6, -4, -9, 2, -6, -2, 2, -3, -3, -2, -7, -6, -7, 7, 0, -2, -4, 1, 7, 6, 4, 8, -1, 7, 2, 4, -5, -2, -2, -8, 5, -4, 7, -6, -7, 3, -4, 3, 4, -5, -4, -9, -3, -1, -8, 5, 6, -8, -8, -1, 3]> : tensor<700xi8>
    %expected_0 = stablehlo.constant dense<8> : tensor<i8>
    %expected_1 = stablehlo.constant dense<1> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<700xi8>) -> (tensor<i8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i8>, tensor<i8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_ge_i8_700_by_second
module {
  func.func private @program(%0: tensor<700xi8>) -> (tensor<i8>, tensor<i32>) {
    %v = stablehlo.constant dense<-100> : tensor<i8>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<700xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<700xi8>, tensor<700xi32>, tensor<i8>, tensor<i32>) -> (tensor<i8>, tensor<i32>)
     reducer(%a: tensor<i8>, %b: tensor<i8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GE, %b, %a : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i8>
      %s = stablehlo.compare NE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-3, -8, -2, -5, 5, 7, 6, -7, 0, 5, -5, -6, 7, 5, -9, -4, -8, 0, -9, 5, -1, -8, 8, -3, 5, 7, -2, -5, 8, 1, -6, 7, -5, 3, -8, 7, 5, 0, 1, 3, -2, -8, -6, 7, 2, -2, -9, 0, 6, 0, -8, -4, -9, 8, -7, 2, -8, 0, 7, -7, 2, 4, -9, 2, -7, 8, 2, 1, -9, -4, -2, 2, -1, -7, -7, -5, -9, 1, -6, 2, 1, 8, 2, -9, -9, 6, -9, -2, -7, -9, -2, -2, 7, 1, 1, -3, 2, -3, 2, 5, 1, -2, -3, 8, -8, -5, -5, -8, 6, -1, -9, 4, -5, -3, 4, -5, 6, 1, 5, 5, 4, 1, -9, 1, 3, -2, -3, 2, 0, 4, -4, -8, 0, 8, 7, -2, 1, -1, 3, -1, 3, 4, -9, -1, -8, 1, -8, -4, 7, -5, 7, 0, -7, -7, -4, -9, 5, 3, 4, -7, 2, 2, -6, 7, -9, 6, -9, -8, 6, -1, 5, 0, 0, -3, -5, -3, -3, 8, -7, -7, 0, 6, 1, 5, -9, -6, -7, -3, -4, 0, 6, 7, -6, -9, -8, 7, -4, -8, -2, -4, -4, -9, 2, 8, 2, 8, 4, -2, -3, 3, 8, -9, 7, 0, 2, -3, 6, 0, -4, -4, 4, 2, 0, -1, -9, -1, 5, -1, 4, -3, 4, 0, 0, 8, 7, 2, -2, -7, 0, 2, -4, -6, -2, 2, 1, 4, 0, 2, 1, 5, 4, -2, 8, 8, 0, 6, 0, 0, 2, -4, -7, 7, 8, 1, 5, -7, 2, -2, 7, -7, -5, -1, -3, -5, 4, -7, -3, 4, -9, -4, -7, 8, -6, 3, 4, -3, 7, -4, -7, -7, 8, -3, -3, 0, 7, -9, 1, 1, 2, -6, -2, -7, -5, -7, -8, -4, -7, 1, -4, -5, -2, 3, 2, -1, -7, -3, -1, 8, 6, 7, -4, -6, -5, -1, -6, 1, 7, -3, -6, -3, -7, 8, -8, 1, 5, 7, 3, -3, 8, 2, 1, 0, -8, 5, -6, -6, 0, -9, 5, 5, 8, 7, 0, -9, 2, 6, -3, -1, -6, -8, -9, -5, 3, -6, -7, 0, 4, 8, 4, -2, 0, 3, -2, -4, 7, -7, 4, 8, 3, 6, 1, -8, -5, -5, -1, 0, -9, 4, 3, -4, 5, -9, -9, -5, -7, 1, -8, 6, -7, -9, 8, 3, -2, 1, -7, -4, 5, -1, -3, -9, -2, -1, -4, 4, 4, -4, 1, 1, -9, 3, 6, -7, -6, -2, 7, -4, 2, -5, 7, 1, 2, -9, 2, 0, 6, 4, -8, -6, -7, -9, -6, 6, -1, 6, 6, -3, -4, 6, -2, -5, -6, -6, 7, 3, -8, -7, -5, -3, 3, 2, 3, -5, 4, -9, -4, 7, -3, -4, -3, -5, 3, 0, 0, 5, 2, -2, -1, 0, 6, 5, 2, 8, 0, 2, -1, 5, -6, -5, -1, -5, -8, -8, -7, -5, 6, -5, -9, 5, -7, 8, -9, -8, -7, 2, 7, 8, -5, 7, 8, -6, -3, 1, -4, 3, -5, -9, 4, -8, 4, 4, -3, 0, 3, 3, 7, -9, 5, -6, 5, 5, 5, -3, 5, -1, 4, 4, 7, -8, 8, -7, 6, 0, 5, 2, -1, -4, 4, 0, -2, 4, -5, 6, -5, -5, -3, 4, 7, -6, -6, -1, 4, 4, 3, -4, -8, 2, -1, -5, 8, 2, 6, -1, 1, -2, 2, -7, 0, -3, -1, 5, -2, -6, -5, 5, 8, 5, 6, 7, -5, 0, 8, 0, -3, -1, 4, 0, -1, 6, -1, 1, 4, 1, -1, 5, 4, -4, 8, -9, 5, 7, -1, -3, 6, -1, -3, -1, 5, 3, -3, -6, -7, -5, 0, -5, -6, 3, 0, -2, -8, 8, 6, 6, 5, 8, -6, -6, 5, -6, 8, 4, 3, 2, 6, -4, 7, -3, -1, -9, 3, 8, 1, -8, -7, 5, -7, -1, 1, 4, 8, -8, -7, 0, 6, -1, -2, 3, -5, -7, 1, 7, -6, 8, 4, -6, -6, -8, -9, 0, -8, -2, 0, 2, -7, 8, -7, 3, -9, 4, -5, 7, -3, 2, 6, -4, -3, -7, 4, -5, -3, 1]> : tensor<700xi8>
    %expected_0 = stablehlo.constant dense<8> : tensor<i8>
    %expected_1 = stablehlo.constant dense<683> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<700xi8>) -> (tensor<i8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i8>, tensor<i8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_i8_700_by_second
module {
  func.func private @program(%0: tensor<700xi8>) -> (tensor<i8>, tensor<i32>) {
    %v = stablehlo.constant dense<100> : tensor<i8>
    %z = stablehlo.constant dense<700> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<700xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<700xi8>, tensor<700xi32>, tensor<i8>, tensor<i32>) -> (tensor<i8>, tensor<i32>)
     reducer(%a: tensor<i8>, %b: tensor<i8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %b, %a : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i8>
      %s = stablehlo.compare EQ, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[7, -5, -4, -5, 0, 3, -6, 5, -9, -4, -5, 7, -7, 4, -2, -3, 8, -1, 5, -7, -5, 5, 4, 7, -6, 5, -5, -8, -3, 7, -8, -3, 0, 1, -8, -4, -4, -3, -8, -4, -2, -9, -3, 1, -4, -1, -3, 2, 1, -3, 3, 8, -8, 3, 6, 4, 1, -4, 5, 7, 7, 4, -7, 3, -4, -9, 7, 0, -7, -9, -2, -7, -8, 3, -6, -3, 3, 5, -6, 5, 8, -9, -2, -5, -3, 3, -5, -1, -3, 6, 8, 6, -6, 5, -5, 3, -8, -5, -4, -3, -7, -9, 3, 3, -4, -8, -3, -3, -7, -9, 2, -9, -6, 4, 5, -4, 6, 1, 5, -3, 0, 0, 6, 8, 7, -3, -3, -3, 5, 7, 3, -2, -2, 5, 2, 5, 5, -6, 1, -5, -5, 4, 0, 3, -3, -3, -3, -5, -7, -6, 6, 4, 1, 3, 2, -4, -3, -6, -7, 3, -7, -1, 4, 1, -6, -3, -7, -4, -9, -3, -5, 0, 2, 2, -9, -9, -9, -9, -7, -1, -6, 5, -3, -1, -3, 8, 6, -6, 6, -1, 3, 8, 3, 6, 4, -8, -6, -1, -6, -5, 1, -4, -5, 7, 6, 1, 8, -1, 2, -4, -4, 6, -8, 0, -2, 7, 3, 5, 2, 7, 2, -8, 2, -2, 6, 5, 1, -2, 2, 7, -6, -2, 8, 8, 1, -8, 2, 4, -5, -2, 7, 7, -4, 4, 2, 4, -3, 3, -2, 8, 3, -8, -3, 4, 2, 6, -6, -8, 6, 0, -7, -4, -2, 2, 6, -6, 1, -2, 4, 1, -4, -7, 0, 4, -9, -7, 2, -9, 4, 1, -3, 0, -2, 0, 6, -5, -8, 3, 6, 7, 4, 5, -9, 4, -5, -9, 1, 6, 7, -8, 1, 7, 1, -2, 8, 2, 6, -7, -5, -9, 3, 1, 4, -1, 6, -4, 1, 2, 0, 3, 1, -5, -4, 5, -6, -1, -4, 8, -9, 2, -6, 7, -9, -6, -9, -1, 5, -9, -1, 0, 0, 5, 0, 6, 4, 5, -2, 1, 6, 7, 8, 3, -9, 0, 4, -6, 8, 3, 8, 7, 7, -8, -7, -3, -5, 6, 7, 1, 6, 1, 6, -1, 7, -9, 5, 2, 0, 1, -8, 5, 1, 1, 5, 1, 6, 2, -8, -6, -8, -2, -5, 4, 4, -7, -1, 6, 1, 6, 3, -4, -2, -4, -6, 7, 4, -5, 7, 3, 4, 3, 2, 8, 3, -5, 8, 3, 0, 8, -4, 8, -8, -1, 1, -1, 2, 4, 7, 3, 8, -1, 1, 4, 8, -5, -7, 0, 5, 1, 5, 6, 6, 7, 2, -8, -8, -8, 1, -1, 6, -3, -9, -8, -6, -6, -5, 4, -1, -7, -2, 4, -3, 3, 5, -9, 3, 1, 0, -5, 4, -9, -1, -5, 2, 7, 4, 7, 5, 4, 8, -7, 4, -5, 1, -7, 2, 7, 7, -8, -5, 1, 1, 1, -5, 8, -1, 6, 5, -8, 6, 8, 2, -1, -6, 4, -3, 5, 5, -9, 1, -7, -3, -5, -4, 2, 4, 2, -9, 3, 5, -4, -5, 2, 5, -3, 2, -9, 3, 3, -9, -1, 8, 0, -8, -7, -8, -9, -6, 2, 5, 5, 1, 4, 5, -3, -7, 4, -1, 3, 7, -5, -1, 3, 1, -2, -5, 1, 5, 8, 3, 4, 1, 8, 3, 1, -8, -3, -4, 6, 3, -6, 0, -9, 2, 6, 4, -6, 1, 7, -4, 1, 6, -4, -8, 3, -5, -2, -5, -4, -7, 3, 1, -6, -5, -4, 4, -9, -6, -2, -6, 1, -7, 0, 3, 0, -9, -6, 8, 8, 5, -9, -1, 3, 7, -6, 2, -9, -5, 5, 8, -3, -9, -5, 1, 7, 7, -3, -2, -3, -8, 5, 0, 5, -1, 7, -7, -6, 4, 2, 6, 8, -7, -9, -4, -3, 7, -2, 1, 7, 7, -9, -6, -4, 8, -7, -6, 1, -9, 5, 8, -5, -9, 5, 0, 6, 7, -6, 6, 3, -9, 8, 0, 4, -7, -9, -2, -8, 6, -8, -6, -6, -4, 0, 1, 7, 5, 6, -7, 8, -5, 4, 2, 4, -7, -8, -7, -3, -3, 7, 2, -5]> : tensor<700xi8>
    %expected_0 = stablehlo.constant dense<-9> : tensor<i8>
    %expected_1 = stablehlo.constant dense<8> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<700xi8>) -> (tensor<i8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i8>, tensor<i8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_le_i8_700_by_second
module {
  func.func private @program(%0: tensor<700xi8>) -> (tensor<i8>, tensor<i32>) {
    %v = stablehlo.constant dense<100> : tensor<i8>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<700xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<700xi8>, tensor<700xi32>, tensor<i8>, tensor<i32>) -> (tensor<i8>, tensor<i32>)
     reducer(%a: tensor<i8>, %b: tensor<i8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LE, %b, %a : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i8>
      %s = stablehlo.compare NE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[4, 6, -8, 5, 4, 3, -8, 6, -4, 2, -6, 2, -3, 2, -9, 2, 8, -3, 5, 0, -5, -4, -5, -9, 0, 1, 2, 2, 8, 8, 6, 4, 0, 4, 4, -2, 7, -9, 5, 8, 1, -4, 2, 7, 4, -5, 1, 5, -8, -4, -9, -5, 4, -7, 1, 6, -8, 4, 1, 4, 0, -4, -9, 1, -1, -8, -1, -3, -3, 5, -7, -4, 4, 0, -1, -2, 1, 6, -4, -6, 0, -2, -4, 1, -5, 7, 2, 7, 7, -9, 4, -6, -2, 0, -2, -9, -3, -7, 0, 7, -9, -1, 7, 6, 3, 5, -1, -2, 1, 0, -7, 8, -3, -7, 3, -6, -3, -9, -4, -8, -2, 0, 5, -9, 4, 3, -9, 5, 4, -1, 2, -6, 8, -5, -8, -3, 6, 2, 3, -4, -1, 8, -9, -2, 0, -7, 4, -8, -2, 7, 7, -1, -4, -6, -5, 5, -8, -9, 8, 7, 1, 8, 8, 7, 4, -4, -2, 7, 8, 6, -7, -7, 0, 3, -4, -8, 2, -6, 8, 8, 7, -7, 1, 6, 2, 7, 3, 6, -2, -7, 8, -2, -6, 1, -7, 4, 3, -1, -5, 3, -9, -8, -9, 3, 3, -4, 5, 0, 3, 5, -4, 7, -6, 4, -3, 6, -3, -4, 8, -7, -1, 8, -4, 2, -5, 5, -2, 7, 6, 5, -6, 4, -8, 8, 3, -6, 5, -7, -9, 5, -7, 8, -2, 5, -8, 0, -3, -3, -5, -6, 4, -2, -7, -7, -5, 3, 5, 1, -7, -2, -7, -1, 0, 3, -1, 1, -5, -2, -1, -7, 6, 7, -3, -6, -5, -1, 5, 7, 6, -9, -1, 0, -1, 0, 2, -1, -7, -9, -9, 8, 0, 8, 3, -6, 6, 1, 2, -3, -9, -8, -9, -3, 6, 4, 4, -4, 1, 7, 1, 3, 7, 7, 4, 6, 5, 4, 1, 8, 6, 1, 1, -8, 4, -3, 4, -3, -6, 6, -9, 3, 3, -1, -2, -4, 8, 5, 5, -2, 6, 5, -3, -1, 4, 2, 4, 7, -1, 2, 6, 6, 8, -1, 1, -6, 1, -7, -1, -7, -7, -4, 2, -8, -6, -7, -3, -2, 8, 5, -4, -1, -6, 7, -5, -3, -7, 8, 1, 7, 6, 6, -7, 2, -7, -5, -1, 0, 3, 1, 6, -1, -3, 6, 7, -2, -5, -9, -5, -9, 2, -1, 8, 8, 6, 1, 0, -2, -4, 2, -1, 6, -1, -3, -1, 5, -4, -8, 3, -3, -3, -3, 1, -1, -9, 0, 6, -4, 7, -7, 4, 7, 5, 2, -4, -8, 2, 2, -5, -8, 5, -2, -1, -8, 8, 8, 7, -2, -6, 2, 6, 3, -2, -9, -4, 8, -4, -7, 1, -9, 2, -1, 6, -1, -9, 7, -9, 1, -5, 6, 4, -3, -8, 0, -1, 0, -1, -4, -4, 0, -3, -8, 2, 1, -7, -9, 5, -6, -9, 7, 6, 5, 6, -4, 7, 2, -2, -4, -8, -6, 4, -3, -6, -9, -9, -2, -5, -7, -9, 0, -1, 1, -7, 5, 2, 8, 2, 3, -6, 5, -4, 4, -5, 5, -9, 3, 3, -9, -3, 7, 7, 3, -4, 6, -7, 4, 5, -7, -6, 5, 2, 5, 2, -2, 3, 1, 7, -2, 7, 8, 2, -2, 3, 3, -1, -1, -6, 2, -1, -7, 7, -7, 8, -4, -7, -4, 6, 3, 1, -3, 4, 5, -4, -3, 8, 4, -5, -1, -4, -3, -1, -7, 8, -2, -6, -3, -4, -9, 0, 2, 4, -8, 7, -5, -3, -4, -6, 6, 8, -3, 3, -9, 3, -1, 0, -6, -8, -7, 3, 7, 2, -8, -3, -6, 5, -8, -3, -5, -7, -9, 3, 0, 1, 4, -8, -2, 6, 2, -1, 5, -7, 2, 6, -7, 2, 5, 3, 8, 5, 8, 3, -6, 6, 6, 1, -5, -1, -4, -6, -2, -4, 3, 4, -3, 5, -5, 2, -4, 1, -9, 3, 1, -5, 2, 3, -2, 8, 8, 3, 4, -1, -3, 3, 1, 0, 0, -8, -6, 4, -3, 7, 3, 6, -3, 5, -7, 3, -3, -4, -6, 4, -4, -9, -8, -6, 0, -4, -2, -7, -4, 1, 3]> : tensor<700xi8>
    %expected_0 = stablehlo.constant dense<-9> : tensor<i8>
    %expected_1 = stablehlo.constant dense<690> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<700xi8>) -> (tensor<i8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i8>, tensor<i8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_i8_700_by_first
module {
  func.func private @program(%0: tensor<700xi8>) -> (tensor<i8>, tensor<i32>) {
    %v = stablehlo.constant dense<-100> : tensor<i8>
    %z = stablehlo.constant dense<700> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<700xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<700xi8>, tensor<700xi32>, tensor<i8>, tensor<i32>) -> (tensor<i8>, tensor<i32>)
     reducer(%a: tensor<i8>, %b: tensor<i8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i8>
      %s = stablehlo.compare EQ, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-6, 7, 2, -3, -3, -4, 3, 4, 5, 4, -6, -5, -1, -2, -4, -7, -3, 5, 8, 0, -1, 6, 7, -1, 6, -4, -9, 7, 1, -9, -8, -2, -4, 0, -7, -2, -5, 4, -8, 4, 1, 4, -6, -4, 8, 0, 3, -6, 0, -8, 2, -9, 0, 5, -9, 0, 1, 0, 4, 3, -2, 3, 5, 2, 8, -1, 8, 4, 2, -7, 2, 2, -6, -4, -3, -7, 0, 3, -6, 6, 1, -7, -1, -8, 6, 0, -6, -1, 5, -8, 8, -5, -1, 0, 8, -7, 4, 1, 4, -8, 3, 2, -4, 2, -8, 4, -5, 7, 5, 7, -7, 4, -6, 1, 5, 3, 8, 0, 3, 3, 1, 2, 4, 1, 8, -7, -9, 4, -7, -6, 2, 4, -7, 7, 8, -1, 5, 3, 3, -9, -6, 6, 3, -4, 4, -7, -1, -2, -3, -6, -8, -4, 7, -6, -5, 7, 3, 6, -2, -1, -9, 2, -7, -5, 6, 0, -3, 5, 6, -6, 8, -2, 6, -8, -1, -8, 8, -5, 7, -8, 3, 7, -4, 4, -9, -7, -2, 2, -1, 8, 1, -3, 6, -4, -6, 3, -5, 8, 7, 1, 1, -2, -2, -7, 3, -5, -5, -6, 0, 8, 8, 5, 2, -9, -6, -9, 3, -8, 6, -3, -2, 1, -4, 6, -6, -2, -2, -7, -6, 7, -3, 1, 7, 8, 6, -7, -4, 8, 3, 7, 5, 3, 2, -9, 0, 5, -2, -4, 6, 6, 6, -9, -8, -4, 7, -1, -2, 4, 7, -1, -3, -1, -5, 6, 8, -5, 7, -3, -7, 2, -6, -1, 4, -2, 2, -5, -4, -2, -2, -7, -9, 0, 5, 3, 2, -6, -4, -6, 6, 3, -1, 7, 1, -7, -5, 6, 0, 7, -4, 4, -7, 5, 4, -4, -1, 3, 6, -5, -7, -9, 8, 6, -6, -3, 3, 7, -5, -1, -1, -8, -9, 5, -5, 4, -1, 8, -7, 3, -4, 7, -8, 0, 2, -7, -4, 8, 2, -7, 4, 1, -4, -8, 8, -3, 1, -8, 0, -9, -8, 8, 8, 1, 0, -6, -1, -5, -5, 3, 7, -6, -3, -9, -1, 5, 0, 1, 0, -3, 2, 4, -6, -7, -5, 3, 8, -3, 4, 0, -1, 3, -4, 7, 0, -1, -7, -8, 3, -7, -5, 2, -7, 1, 1, 7, -1, -4, 8, 6, -6, 0, -8, 8, -2, -4, -9, -7, 6, 3, -3, -5, -8, 1, -7, 1, -6, 7, 8, 4, 8, 3, 2, -9, 8, 6, 6, -7, -7, -9, -4, 6, -2, 1, 8, -2, 7, -6, -5, 5, -7, 2, 0, 7, 8, 7, 6, -3, -3, 5, -5, -5, -6, 8, 2, 5, -4, 0, -4, -6, 4, -9, 0, -1, 2, 5, 7, 1, 2, 8, 7, -5, -5, 8, 5, -3, -1, -5, 8, -1, 7, -7, -7, -5, 4, -4, -6, -9, -3, -7, 8, -1, 7, 0, 8, -7, -6, 5, -9, -3, 3, -5, -7, 7, -1, -5, 5, -2, -7, 2, 4, -9, 2, 0, 2, 8, 2, 8, 2, -9, 4, -9, -7, 6, -9, -2, 6, -9, 5, -3, 5, -9, 3, 5, -5, 3, 7, -6, 6, 2, -2, -4, 2, 3, 5, 4, -7, 1, -6, -5, -4, 1, -7, -7, 2, 5, 3, 6, -5, 2, 7, -9, 4, -1, -8, 2, -3, -5, 6, -9, -7, 3, 3, -9, 8, -5, -8, -1, -2, -7, 3, -6, 3, -9, 7, 1, -1, 8, 0, -1, 4, -2, -9, 4, 1, 2, -1, 3, -8, -8, -5, -3, -7, -5, 3, -3, 7, 6, -5, 5, -7, 8, -3, 6, -2, -2, 6, 0, 2, -2, -7, -9, 1, 6, 3, 3, -3, -7, -9, 2, 5, -6, 5, -4, -5, 5, 5, 6, 0, 2, 0, -8, 7, -4, -8, 4, 0, -5, 0, -1, -3, -2, -4, -4, 0, -1, 0, -8, -2, -4, -9, -4, -1, 2, -7, -3, 2, 0, -8, -9, -3, 1, 2, -9, 0, -3, 3, 1, 7, 3, -6, 8, 8, -2, -9, -9, 8, -4, 6, -5, 3, 7, -3, -9, -5, -4, -2, 7, 8, 1, -2, -7]> : tensor<700xi8>
    %expected_0 = stablehlo.constant dense<8> : tensor<i8>
    %expected_1 = stablehlo.constant dense<18> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<700xi8>) -> (tensor<i8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i8>, tensor<i8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_gt_i32_300_by_second
module {
  func.func private @program(%0: tensor<300xi32>) -> (tensor<i32>, tensor<i32>) {
    %v = stablehlo.constant dense<-100> : tensor<i32>
    %z = stablehlo.constant dense<300> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<300xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<300xi32>, tensor<300xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %b: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GT, %b, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i32>
      %s = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[8, -5, 1, 0, 0, -1, -3, 1, 7, 4, -2, -4, -4, -2, 0, -9, 2, 1, -3, 7, -6, 8, -5, 2, 3, 0, -8, -9, -4, -4, 3, 2, -4, -2, 4, 0, 4, -7, 3, -4, -2, -5, -9, -9, -4, 6, -8, -7, -7, -1, 2, -2, -5, 7, -5, 5, -9, -7, -3, 7, -6, 5, 7, 4, 2, 4, 8, 7, -4, 6, 3, 3, 0, 0, 6, 2, 8, 6, -6, -5, -6, 6, -5, 3, 0, -1, -6, 1, -2, 4, -2, -7, -9, -3, -1, -7, 3, -2, 0, 2, 8, -1, -2, 2, 5, -1, -8, 6, 2, 5, -5, -5, -8, -1, 2, 8, 1, -2, 4, -6, -5, -9, -6, -4, 1, 8, 7, 0, 2, -4, 7, -9, 8, -1, -3, -7, -9, -6, -4, 2, -2, 4, 7, 7, 2, 5, -8, 6, 3, 0, 8, -1, 8, -2, -5, 7, 2, 5, 8, 5, 8, -8, -8, -7, 2, 4, 3, 2, -9, 7, 3, -7, 4, -6, -5, -7, 1, -7, -7, -8, -6, 8, -4, -5, 1, 5, -2, 1, 7, -7, 3, 8, -3, 5, 6, -6, -6, 1, 6, -1, 1, -2, 0, -3, -1, -3, -1, -2, -1, 4, 5, -6, -2, 8, -1, 6, 1, -7, -2, 0, 7, -1, 2, -2, 1, -9, -4, -8, -3, 3, 3, -8, -2, 5, -6, 2, 3, -2, -7, 1, -4, 0, 2, 6, -8, -8, 0, -8, 8, 0, 5, 4, 3, -4, -6, 7, -3, -8, 0, -3, 2, 6, -9, 4, 3, -9, -4, 3, 8, -8, -4, -8, -1, -7, 1, 8, 6, -6, -6, -6, -2, -1, -2, -2, 2, -2, -4, -5, 3, 2, -7, 3, 1, 5, -4, 5, -4, 7, -9, -8]> : tensor<300xi32>
    %expected_0 = stablehlo.constant dense<8> : tensor<i32>
    %expected_1 = stablehlo.constant dense<0> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<300xi32>) -> (tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_ge_i32_300_by_second
module {
  func.func private @program(%0: tensor<300xi32>) -> (tensor<i32>, tensor<i32>) {
    %v = stablehlo.constant dense<-100> : tensor<i32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<300xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<300xi32>, tensor<300xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %b: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GE, %b, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i32>
      %s = stablehlo.compare NE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-7, 0, 2, -4, -9, -5, 8, -3, -8, 2, -4, -1, 6, -9, 7, 0, 3, 7, -4, 7, -4, 6, -7, 5, 7, -5, 7, 7, 2, -7, -4, -6, -9, 7, -6, 3, 8, 6, 1, -5, 3, 3, -5, 1, -4, 2, 5, 6, 6, 7, -1, -8, -2, 8, 3, -5, 2, -9, -5, 6, 5, -5, -6, 5, -6, -8, -1, 8, 0, -1, -8, 8, 5, 3, 5, 6, -1, 3, 2, 8, -2, -9, 2, -9, 5, -9, -2, 7, 2, 7, -5, -5, 0, -8, -3, -3, 0, -2, 0, 8, 8, -1, 7, -5, 1, 4, 0, 6, -7, -4, -8, 4, -7, 5, 1, -5, -5, 2, -7, -4, -6, 4, -9, 5, -6, -8, 5, -9, -9, -8, 1, -5, 5, 4, -7, -8, -3, -8, 6, 5, -3, -2, 7, 7, 4, 6, 1, 1, 8, -5, 8, -1, -5, 4, 2, -9, 6, 5, -5, 2, -1, 1, 7, 4, 3, 1, 3, -1, -1, -6, -5, 2, 8, 8, -2, 3, -5, -5, 1, -1, 1, 7, 3, -5, 7, 8, -8, -1, 2, 3, -5, -3, -4, -8, -1, -3, -2, -4, -9, 7, 7, 5, -1, 8, -1, -3, 0, 0, -2, 4, -5, -2, 2, 2, 7, -3, 8, 3, 6, -4, -2, 7, 5, 8, -4, -9, 0, -2, 8, -7, -1, -4, 1, 5, -7, -2, -4, -5, -9, -8, -9, -7, 4, 4, 6, 8, 8, -1, -7, -5, -4, -4, 4, -5, 0, -6, 2, -2, -9, 2, 7, 4, 7, 4, 0, -2, -5, -7, 1, 1, 0, 3, 1, 6, -4, -6, 8, -5, 4, -6, -3, -8, -4, 7, 3, -5, -8, -7, 3, 8, -4, -4, 7, -9, 5, -6, -3, -3, -1, 7]> : tensor<300xi32>
    %expected_0 = stablehlo.constant dense<8> : tensor<i32>
    %expected_1 = stablehlo.constant dense<289> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<300xi32>) -> (tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_i32_300_by_second
module {
  func.func private @program(%0: tensor<300xi32>) -> (tensor<i32>, tensor<i32>) {
    %v = stablehlo.constant dense<100> : tensor<i32>
    %z = stablehlo.constant dense<300> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<300xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<300xi32>, tensor<300xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %b: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %b, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i32>
      %s = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[6, 6, -3, 4, 5, -3, 0, 3, 6, -3, 0, -1, 5, 2, -3, 1, -4, -1, 1, 4, 8, 3, -7, 6, 0, -8, -1, 7, -6, 5, -6, 1, 3, 1, -2, 5, 6, -4, -7, 3, 0, 8, 3, 0, 0, 1, 8, -9, -1, -6, 5, -5, -9, -2, -1, -6, 2, 0, 7, -8, -6, -4, -8, -6, -2, 5, -9, 5, 3, 5, 4, -8, -9, 6, 3, 2, -8, -2, -4, 5, 2, -6, 5, 4, 5, -3, -6, -6, -8, -8, -9, 1, 0, -7, -1, 7, -5, 6, 8, 5, 8, -4, 4, 2, 6, 0, 5, -9, 5, 6, 8, 8, 5, -7, 5, 6, -6, -3, -4, -6, 3, 1, 8, -5, -2, 1, -8, 3, 4, -3, 0, 2, 2, -3, -4, 8, 2, 4, 2, -7, -4, 4, 4, -1, -3, -6, 4, -4, -7, -7, 8, 5, 6, 2, 6, -1, 5, -2, 0, -8, 1, -2, -1, 8, -7, 7, 6, -9, 4, -9, -3, -8, -7, -1, 8, 4, -2, -8, 5, 4, -5, 3, 1, -7, -3, 6, -2, 5, -4, 4, 8, -2, 0, 3, 3, -7, 3, 5, 0, 8, -3, -8, 3, -3, 3, -1, 2, 7, -9, -8, -6, -2, -5, 4, 2, 1, -7, -8, 3, 3, -2, -8, -7, -8, -8, -9, -9, -2, -5, -4, 5, 1, -4, -3, -8, 5, -3, 2, -8, 0, -6, 2, 6, -7, 8, 7, -1, 6, -3, -9, -9, -8, -9, 1, -2, 6, 4, -1, -9, -2, 7, -7, -1, 6, -9, 0, 1, 8, 4, 8, -3, 0, -3, -6, -4, -5, 3, -7, -2, 6, -7, 0, 3, 1, 7, -5, 5, -3, -9, -1, 7, 1, -1, 7, -2, -6, 7, -1, 3, 4]> : tensor<300xi32>
    %expected_0 = stablehlo.constant dense<-9> : tensor<i32>
    %expected_1 = stablehlo.constant dense<47> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<300xi32>) -> (tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_le_i32_300_by_second
module {
  func.func private @program(%0: tensor<300xi32>) -> (tensor<i32>, tensor<i32>) {
    %v = stablehlo.constant dense<100> : tensor<i32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<300xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<300xi32>, tensor<300xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %b: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LE, %b, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i32>
      %s = stablehlo.compare NE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-5, -7, -3, 5, -1, 3, 2, -2, -9, -6, -2, -4, 6, -7, -7, 4, -5, -6, 6, -6, 3, -4, -1, -3, 6, -5, 3, -7, -2, -1, -9, 7, -1, 8, -9, 5, -3, -9, 7, -1, -2, -7, -3, -3, -4, 6, 0, 8, 7, 5, 7, -3, -8, -3, 4, -1, -1, -4, 4, 2, -8, -1, 2, 2, 5, -1, 2, -7, 7, 6, -4, 2, -5, 0, 3, -5, -6, -4, -4, -5, -5, 8, 8, -6, -6, 0, 1, -1, 1, -3, 1, -6, 8, -6, 7, -1, 5, 2, 6, -7, 8, -7, -1, -8, 3, -8, 7, 7, 7, 2, 3, 0, 7, 7, 4, -2, -5, -2, -1, 2, -2, -4, -2, 0, -4, 7, -7, 8, 5, -6, -9, 4, -6, -7, 1, 8, 3, 8, -6, 6, 6, 5, -8, -3, 3, 6, -1, -5, -9, -9, 8, -1, 5, -9, -3, 3, -7, -6, 4, -4, 0, 7, -8, 3, -7, -5, 6, 8, -1, -9, -8, 0, -7, 8, -4, 0, 5, -1, -5, -5, 4, 6, -6, -5, -3, 8, -4, 2, -1, -4, -6, 0, 5, 0, 8, -5, 5, 4, -3, -5, 7, 0, -5, -1, -9, -8, 8, 6, -4, -2, 4, -7, -6, 5, 6, -1, -9, 8, -9, -9, -9, 5, -4, 4, -4, -9, 4, -3, -8, 7, 6, -2, -9, -7, 8, 3, 6, 0, -9, -4, 4, 1, -6, 3, 8, -8, -3, 5, -9, 0, 4, -6, 5, 2, -2, 6, -3, -1, 3, 3, -5, -5, -6, -1, 8, -6, -1, 2, -9, 6, 6, -7, -4, 4, 5, -5, -6, -8, 8, 0, -6, -9, 7, 5, -6, -1, 5, 8, 8, 5, -7, -9, 1, 0, 6, 7, -1, 0, -5, 4]> : tensor<300xi32>
    %expected_0 = stablehlo.constant dense<-9> : tensor<i32>
    %expected_1 = stablehlo.constant dense<291> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<300xi32>) -> (tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_gt_i32_300_by_first
module {
  func.func private @program(%0: tensor<300xi32>) -> (tensor<i32>, tensor<i32>) {
    %v = stablehlo.constant dense<100> : tensor<i32>
    %z = stablehlo.constant dense<300> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<300xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<300xi32>, tensor<300xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %b: tensor<i32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<i32>
      %s = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<i32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[7, -6, 1, -5, 8, -5, -3, -5, -6, -1, 7, -1, -8, -6, 5, 7, 3, -3, -8, -9, 7, 2, 7, -9, 2, 3, 4, 8, -1, 0, -4, 7, -9, 1, -9, 0, -5, 8, 2, -8, 5, 0, -3, 6, 7, 6, -4, -6, -7, -4, -6, 2, 5, 6, -8, -7, 1, 1, -1, 7, -9, -1, 0, 0, 2, -6, 5, 2, -5, -1, -5, 3, -9, 0, -5, 2, 3, -1, 6, -9, -4, -8, -3, 6, 1, -6, -6, -1, -9, -7, 5, -1, -2, -3, -1, 3, 3, -8, -4, 0, 8, 7, -3, 0, 1, -8, 0, -3, -3, -3, -5, 0, -4, -6, -7, 7, 2, -3, 5, 4, -4, -3, 3, -8, -9, 1, -2, -3, 3, 0, -5, 1, 1, 8, 3, -4, -1, 7, -5, -5, -2, -2, 8, -7, -9, 2, 3, 6, 2, 0, 8, -9, 7, 3, 2, -6, -7, 3, 3, 0, 6, 4, 3, -1, 2, 8, 3, -5, -7, -9, -8, -8, -1, 7, -8, -4, 1, 8, 1, -8, 2, 5, -6, -8, 5, -7, 6, -4, -7, -2, -6, 4, -5, -6, 6, 8, 0, 6, -2, -8, 4, 7, -1, 1, 3, 2, 3, -6, 4, 5, -3, -5, -3, 5, -8, 3, -9, 3, -5, -2, -3, -1, 6, -2, 0, -9, 2, 1, 3, 5, 7, -9, -8, 2, 5, 6, 8, 3, 3, 2, 4, 8, 7, -5, 3, -4, -7, 5, -7, -7, -4, 4, -3, 1, 4, -3, -2, -6, 0, -6, -2, -9, 6, 0, -7, 4, -3, -4, -8, -8, 2, 0, 4, -2, -8, 8, -7, 7, 8, 3, -3, -2, -5, -1, -9, -1, -7, 4, 5, 2, 8, -5, 8, -4, -5, -8, 8, -9, 4, -7]> : tensor<300xi32>
    %expected_0 = stablehlo.constant dense<-9> : tensor<i32>
    %expected_1 = stablehlo.constant dense<19> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<300xi32>) -> (tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_gt_f32_37_by_second
module {
  func.func private @program(%0: tensor<37xf32>) -> (tensor<f32>, tensor<i32>) {
    %v = stablehlo.constant dense<-100.0> : tensor<f32>
    %z = stablehlo.constant dense<37> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<37xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<37xf32>, tensor<37xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<f32>
      %s = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<f32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<f32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2.0, -4.0, 3.0, -9.0, -8.0, 5.0, 8.0, -7.0, -4.0, -2.0, -8.0, -5.0, 8.0, -3.0, -3.0, 3.0, 3.0, -7.0, 8.0, 8.0, -2.0, -8.0, 2.0, -6.0, -7.0, 6.0, 7.0, -9.0, -8.0, -4.0, -1.0, 8.0, -4.0, -1.0, -9.0, 3.0, -9.0]> : tensor<37xf32>
    %expected_0 = stablehlo.constant dense<8.0> : tensor<f32>
    %expected_1 = stablehlo.constant dense<6> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<37xf32>) -> (tensor<f32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<f32>, tensor<f32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_ge_f32_37_by_second
module {
  func.func private @program(%0: tensor<37xf32>) -> (tensor<f32>, tensor<i32>) {
    %v = stablehlo.constant dense<-100.0> : tensor<f32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<37xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<37xf32>, tensor<37xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GE, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<f32>
      %s = stablehlo.compare NE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<f32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<f32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[8.0, 5.0, -3.0, 7.0, 6.0, -5.0, -2.0, -7.0, -8.0, -3.0, -2.0, -1.0, 8.0, 4.0, -9.0, 2.0, 7.0, -2.0, 8.0, -3.0, 1.0, 3.0, 6.0, 6.0, -2.0, 8.0, 1.0, -9.0, 7.0, 1.0, -8.0, -6.0, 1.0, 8.0, 8.0, -2.0, -1.0]> : tensor<37xf32>
    %expected_0 = stablehlo.constant dense<8.0> : tensor<f32>
    %expected_1 = stablehlo.constant dense<34> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<37xf32>) -> (tensor<f32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<f32>, tensor<f32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_f32_37_by_second
module {
  func.func private @program(%0: tensor<37xf32>) -> (tensor<f32>, tensor<i32>) {
    %v = stablehlo.constant dense<100.0> : tensor<f32>
    %z = stablehlo.constant dense<37> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<37xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<37xf32>, tensor<37xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<f32>
      %s = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<f32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<f32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2.0, 7.0, 5.0, 7.0, -6.0, 6.0, 5.0, 1.0, -5.0, -5.0, 6.0, 7.0, 7.0, 4.0, 2.0, -3.0, -1.0, -6.0, 7.0, -3.0, 5.0, -5.0, -5.0, 0.0, -1.0, 7.0, 2.0, -8.0, -2.0, 7.0, 7.0, 6.0, -5.0, -8.0, -3.0, -1.0, 2.0]> : tensor<37xf32>
    %expected_0 = stablehlo.constant dense<-8.0> : tensor<f32>
    %expected_1 = stablehlo.constant dense<27> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<37xf32>) -> (tensor<f32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<f32>, tensor<f32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_le_f32_37_by_second
module {
  func.func private @program(%0: tensor<37xf32>) -> (tensor<f32>, tensor<i32>) {
    %v = stablehlo.constant dense<100.0> : tensor<f32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<37xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<37xf32>, tensor<37xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LE, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<f32>
      %s = stablehlo.compare NE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<f32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<f32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-3.0, -9.0, -4.0, -6.0, 2.0, 2.0, -2.0, -7.0, 5.0, -2.0, 8.0, -7.0, 8.0, 2.0, 8.0, -4.0, -1.0, -3.0, 8.0, 2.0, 1.0, 0.0, 6.0, -5.0, 7.0, 8.0, -2.0, -9.0, 7.0, -9.0, -5.0, 4.0, -9.0, -1.0, -3.0, -5.0, 3.0]> : tensor<37xf32>
    %expected_0 = stablehlo.constant dense<-9.0> : tensor<f32>
    %expected_1 = stablehlo.constant dense<32> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<37xf32>) -> (tensor<f32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<f32>, tensor<f32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_f32_37_by_first
module {
  func.func private @program(%0: tensor<37xf32>) -> (tensor<f32>, tensor<i32>) {
    %v = stablehlo.constant dense<-100.0> : tensor<f32>
    %z = stablehlo.constant dense<37> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<37xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<37xf32>, tensor<37xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<f32>
      %s = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<f32>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<f32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[7.0, 5.0, -6.0, 3.0, 2.0, 1.0, -8.0, 2.0, 1.0, 5.0, -8.0, 2.0, 7.0, 1.0, 4.0, -5.0, -6.0, 0.0, 7.0, 5.0, -1.0, 1.0, -4.0, 4.0, 0.0, -1.0, -1.0, -8.0, -7.0, -5.0, 6.0, 5.0, -5.0, 5.0, 0.0, 0.0, 6.0]> : tensor<37xf32>
    %expected_0 = stablehlo.constant dense<7.0> : tensor<f32>
    %expected_1 = stablehlo.constant dense<0> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<37xf32>) -> (tensor<f32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<f32>, tensor<f32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_gt_bf16_259_by_second
module {
  func.func private @program(%0: tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>) {
    %v = stablehlo.constant dense<-100.0> : tensor<bf16>
    %z = stablehlo.constant dense<259> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<259xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<259xbf16>, tensor<259xi32>, tensor<bf16>, tensor<i32>) -> (tensor<bf16>, tensor<i32>)
     reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GT, %b, %a : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<bf16>
      %s = stablehlo.compare EQ, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<bf16>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<bf16>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-8.0, -8.0, 0.0, 6.0, 3.0, 7.0, 0.0, -4.0, 1.0, 2.0, 8.0, -5.0, 5.0, -5.0, -8.0, 2.0, -5.0, -5.0, 3.0, -6.0, -3.0, -8.0, 6.0, 8.0, 6.0, 0.0, 8.0, 7.0, -6.0, 0.0, 3.0, 8.0, -5.0, 3.0, -9.0, -5.0, 4.0, 7.0, -8.0, -4.0, 2.0, -6.0, 1.0, 8.0, 5.0, 4.0, 1.0, 0.0, -5.0, 0.0, -8.0, -3.0, 5.0, -5.0, 5.0, -3.0, 7.0, -6.0, 0.0, 1.0, -8.0, -7.0, 4.0, -3.0, -2.0, -3.0, -1.0, -5.0, 5.0, 6.0, -5.0, 7.0, 5.0, -5.0, 8.0, -3.0, -6.0, -4.0, -3.0, -3.0, 3.0, 6.0, 0.0, -1.0, 7.0, 2.0, 8.0, -8.0, 4.0, -3.0, -8.0, 1.0, 8.0, -6.0, -8.0, 3.0, -4.0, -1.0, -9.0, -5.0, 7.0, -5.0, 7.0, 5.0, 4.0, 8.0, 5.0, -9.0, -1.0, -9.0, 0.0, 1.0, 4.0, -8.0, -1.0, 2.0, 8.0, -1.0, -6.0, -4.0, 3.0, -2.0, 7.0, 2.0, 3.0, -4.0, 5.0, 5.0, 6.0, 8.0, 7.0, -4.0, 5.0, -3.0, -2.0, 5.0, -1.0, -8.0, -3.0, -4.0, 0.0, -6.0, 5.0, 7.0, 8.0, 7.0, 6.0, 3.0, 6.0, 3.0, -3.0, 0.0, 6.0, 0.0, -1.0, 3.0, 5.0, 8.0, -2.0, 1.0, -2.0, -7.0, 2.0, -1.0, 3.0, -4.0, 0.0, 4.0, -8.0, -4.0, 3.0, 6.0, 0.0, -2.0, -7.0, -9.0, 0.0, -6.0, -2.0, -6.0, 3.0, -1.0, -1.0, 4.0, -5.0, 0.0, -2.0, 7.0, -7.0, 8.0, 1.0, -6.0, -5.0, 3.0, -9.0, 6.0, 4.0, 8.0, -6.0, -6.0, 6.0, 3.0, 0.0, 3.0, 8.0, -6.0, 5.0, 8.0, 4.0, 8.0, 7.0, -8.0, -1.0, -6.0, -1.0, 3.0, 2.0, 7.0, -2.0, -4.0, 7.0, -7.0, 8.0, -2.0, 6.0, -4.0, 5.0, -3.0, 1.0, -1.0, 4.0, 5.0, -1.0, -1.0, 5.0, 3.0, 4.0, 2.0, 2.0, -6.0, 8.0, 2.0, 0.0, 6.0, -9.0, -7.0, 8.0, 0.0, 2.0, -9.0, 3.0, -4.0, -4.0, -8.0, -2.0, -7.0, -1.0, -5.0, -9.0]> : tensor<259xbf16>
    %expected_0 = stablehlo.constant dense<8.0> : tensor<bf16>
    %expected_1 = stablehlo.constant dense<10> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<bf16>, tensor<bf16>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_ge_bf16_259_by_second
module {
  func.func private @program(%0: tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>) {
    %v = stablehlo.constant dense<-100.0> : tensor<bf16>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<259xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<259xbf16>, tensor<259xi32>, tensor<bf16>, tensor<i32>) -> (tensor<bf16>, tensor<i32>)
     reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GE, %b, %a : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<bf16>
      %s = stablehlo.compare NE, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<bf16>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<bf16>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2.0, -5.0, 2.0, 8.0, -6.0, 0.0, -5.0, -7.0, 4.0, 0.0, 4.0, -6.0, -3.0, 5.0, -9.0, -5.0, 6.0, -3.0, 2.0, 0.0, 3.0, 3.0, 1.0, 3.0, 6.0, -4.0, -7.0, 7.0, -2.0, 1.0, 5.0, -5.0, 5.0, 8.0, -6.0, 1.0, 3.0, 6.0, 8.0, -1.0, 1.0, 4.0, -9.0, -7.0, 8.0, -4.0, 1.0, -7.0, -5.0, -2.0, 2.0, -5.0, 6.0, -4.0, 0.0, -4.0, 6.0, -8.0, 8.0, 8.0, 0.0, 3.0, -5.0, -3.0, 5.0, -2.0, 5.0, -1.0, -3.0, 0.0, -2.0, 3.0, 6.0, -1.0, -5.0, -3.0, 2.0, 3.0, 5.0, -3.0, 2.0, 0.0, 2.0, -1.0, 7.0, 7.0, 8.0, -4.0, 4.0, -4.0, 8.0, 3.0, 2.0, 8.0, -4.0, -2.0, -9.0, 6.0, -3.0, -5.0, -8.0, 3.0, -2.0, 6.0, -1.0, -6.0, -7.0, -4.0, -5.0, 6.0, -6.0, -6.0, 4.0, 3.0, -8.0, 2.0, -3.0, -3.0, 7.0, 3.0, -5.0, -1.0, 5.0, -8.0, -1.0, 8.0, -3.0, 4.0, -8.0, 8.0, 6.0, 5.0, -9.0, 0.0, -7.0, -1.0, -4.0, 5.0, 7.0, -8.0, -7.0, 2.0, -8.0, -5.0, -9.0, 8.0, -9.0, -9.0, -1.0, 8.0, 1.0, 6.0, -7.0, -8.0, -9.0, 8.0, -6.0, 1.0, 2.0, 3.0, 7.0, -1.0, 8.0, 3.0, -1.0, -7.0, 6.0, -6.0, -4.0, -8.0, 8.0, 8.0, 0.0, -3.0, 3.0, 3.0, -2.0, -5.0, 0.0, 3.0, 5.0, 4.0, -6.0, -8.0, -2.0, 8.0, -7.0, -7.0, 4.0, -8.0, 3.0, -6.0, 6.0, 2.0, -9.0, -4.0, -4.0, 6.0, 3.0, 0.0, -9.0, -8.0, 1.0, -3.0, 8.0, -6.0, 5.0, 6.0, 3.0, 4.0, -7.0, 1.0, 1.0, 3.0, 2.0, 4.0, -1.0, -2.0, -7.0, -9.0, 0.0, 7.0, 0.0, -9.0, -7.0, -3.0, -8.0, 1.0, -8.0, -4.0, -3.0, -8.0, 1.0, 7.0, -9.0, -9.0, -9.0, -6.0, 1.0, -5.0, -5.0, -9.0, 8.0, 3.0, 1.0, -9.0, 0.0, -9.0, -1.0, -2.0, 3.0, 3.0, -5.0, 3.0, -6.0, -9.0, 0.0, -3.0, -7.0]> : tensor<259xbf16>
    %expected_0 = stablehlo.constant dense<8.0> : tensor<bf16>
    %expected_1 = stablehlo.constant dense<242> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<bf16>, tensor<bf16>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_bf16_259_by_second
module {
  func.func private @program(%0: tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>) {
    %v = stablehlo.constant dense<100.0> : tensor<bf16>
    %z = stablehlo.constant dense<259> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<259xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<259xbf16>, tensor<259xi32>, tensor<bf16>, tensor<i32>) -> (tensor<bf16>, tensor<i32>)
     reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %b, %a : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<bf16>
      %s = stablehlo.compare EQ, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<bf16>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<bf16>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2.0, 5.0, 6.0, -5.0, 4.0, -6.0, -2.0, 7.0, 7.0, 5.0, 6.0, 6.0, -4.0, -8.0, -2.0, -9.0, -6.0, -3.0, -8.0, 2.0, -6.0, -5.0, 1.0, 0.0, -5.0, -2.0, 8.0, 1.0, 1.0, -8.0, 3.0, 2.0, -7.0, 4.0, 0.0, -3.0, 5.0, -6.0, -1.0, 3.0, -5.0, 4.0, 2.0, -1.0, -6.0, 3.0, -2.0, -2.0, 8.0, 7.0, -7.0, 0.0, 3.0, -8.0, -5.0, 2.0, 0.0, 6.0, -4.0, 0.0, -6.0, -4.0, -8.0, 7.0, 0.0, 8.0, -7.0, -4.0, 2.0, -3.0, -7.0, 4.0, 6.0, -2.0, 4.0, -4.0, -4.0, -1.0, 8.0, -6.0, -4.0, 5.0, 8.0, 2.0, 2.0, 8.0, 8.0, -1.0, -5.0, 5.0, -8.0, -9.0, -4.0, 5.0, 0.0, -1.0, 8.0, 0.0, 0.0, 7.0, 3.0, -3.0, -3.0, 6.0, 2.0, -5.0, -9.0, -8.0, -6.0, -2.0, 8.0, 3.0, -8.0, 7.0, -4.0, -6.0, -3.0, 3.0, -6.0, -8.0, 2.0, -3.0, -8.0, 4.0, 5.0, 8.0, -3.0, -5.0, -8.0, 8.0, -8.0, -5.0, -9.0, -5.0, 3.0, -3.0, -2.0, -2.0, 4.0, -1.0, 7.0, -4.0, -9.0, -4.0, -6.0, -1.0, -1.0, 1.0, -9.0, 7.0, -8.0, -2.0, -3.0, 8.0, -9.0, 4.0, -1.0, -6.0, 3.0, 3.0, 2.0, 1.0, -4.0, 4.0, -7.0, -6.0, 2.0, -3.0, -4.0, 3.0, 3.0, 4.0, 7.0, -6.0, -6.0, -8.0, 2.0, 7.0, -4.0, 0.0, -4.0, -6.0, 3.0, -8.0, -3.0, -1.0, -5.0, -4.0, -6.0, -6.0, -1.0, -3.0, 5.0, -1.0, -9.0, -4.0, 6.0, -3.0, 6.0, -8.0, -5.0, -5.0, -9.0, -5.0, -8.0, -2.0, -3.0, 6.0, -2.0, 4.0, -9.0, -9.0, 1.0, 8.0, -6.0, 1.0, -9.0, 8.0, 8.0, 1.0, 5.0, 8.0, 7.0, -8.0, -3.0, 2.0, -5.0, -2.0, -3.0, -8.0, 5.0, -1.0, -5.0, 6.0, 5.0, 8.0, -2.0, 1.0, 8.0, -2.0, -7.0, 7.0, -8.0, -7.0, -1.0, 0.0, 2.0, 8.0, 4.0, 7.0, -5.0, -2.0, -1.0, -9.0, 5.0, -5.0, 4.0, 7.0, -5.0]> : tensor<259xbf16>
    %expected_0 = stablehlo.constant dense<-9.0> : tensor<bf16>
    %expected_1 = stablehlo.constant dense<15> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<bf16>, tensor<bf16>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_le_bf16_259_by_second
module {
  func.func private @program(%0: tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>) {
    %v = stablehlo.constant dense<100.0> : tensor<bf16>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<259xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<259xbf16>, tensor<259xi32>, tensor<bf16>, tensor<i32>) -> (tensor<bf16>, tensor<i32>)
     reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LE, %b, %a : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<bf16>
      %s = stablehlo.compare NE, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<bf16>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<bf16>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-3.0, 0.0, 0.0, 4.0, -4.0, 5.0, -5.0, 2.0, -6.0, -3.0, 7.0, 7.0, 7.0, -1.0, 3.0, 2.0, 1.0, 3.0, 4.0, 0.0, -3.0, 3.0, 2.0, -9.0, 6.0, -5.0, -2.0, 1.0, 6.0, 4.0, -8.0, 5.0, -7.0, 2.0, -2.0, 2.0, 4.0, 7.0, 0.0, 3.0, -4.0, -9.0, -7.0, 6.0, -7.0, 5.0, -1.0, 7.0, 4.0, -3.0, -3.0, 4.0, -5.0, 5.0, 8.0, 3.0, 4.0, 2.0, 4.0, 3.0, -6.0, -6.0, -2.0, 5.0, -9.0, -6.0, 7.0, -5.0, -1.0, 0.0, 6.0, -5.0, 7.0, -9.0, 6.0, -9.0, -1.0, -8.0, -9.0, 1.0, 6.0, 7.0, 2.0, 7.0, -7.0, 7.0, 8.0, 3.0, 8.0, -4.0, -2.0, -2.0, -9.0, -1.0, 7.0, 6.0, -5.0, 6.0, 2.0, -4.0, 2.0, -8.0, 5.0, 7.0, -5.0, -7.0, -1.0, 5.0, -4.0, 8.0, -7.0, -7.0, 4.0, 4.0, 5.0, -8.0, 1.0, -2.0, -9.0, -4.0, 8.0, 7.0, -6.0, 3.0, -4.0, -9.0, 6.0, 3.0, -9.0, 8.0, 4.0, -4.0, 4.0, -7.0, 6.0, -5.0, 0.0, 5.0, -6.0, 4.0, 1.0, 5.0, 5.0, -2.0, 4.0, 6.0, 8.0, -2.0, 5.0, 2.0, 4.0, 2.0, 7.0, -6.0, 4.0, -6.0, 2.0, 0.0, 0.0, -3.0, -4.0, 2.0, 4.0, 5.0, -3.0, 0.0, -7.0, 6.0, 3.0, -8.0, 4.0, 3.0, -3.0, -6.0, -6.0, -7.0, 1.0, -3.0, 8.0, -4.0, -9.0, -1.0, 1.0, -5.0, -8.0, 2.0, 4.0, 5.0, 7.0, -5.0, 3.0, -5.0, -9.0, 8.0, -9.0, -8.0, 5.0, -8.0, -3.0, 6.0, 6.0, 4.0, 8.0, 3.0, 2.0, 1.0, 7.0, -6.0, -1.0, -9.0, 4.0, 7.0, 7.0, 3.0, 8.0, -5.0, 3.0, 7.0, -5.0, 7.0, 0.0, 5.0, -7.0, 6.0, 5.0, -2.0, 0.0, 4.0, -4.0, -6.0, 4.0, -8.0, -9.0, -1.0, -7.0, -2.0, 0.0, 0.0, -1.0, 0.0, 2.0, 8.0, -1.0, 8.0, -3.0, 0.0, -7.0, 5.0, 5.0, -8.0, 8.0, 5.0, -4.0, -8.0, -2.0, 3.0, 7.0, 7.0, 2.0]> : tensor<259xbf16>
    %expected_0 = stablehlo.constant dense<-9.0> : tensor<bf16>
    %expected_1 = stablehlo.constant dense<232> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<bf16>, tensor<bf16>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_bf16_259_by_first
module {
  func.func private @program(%0: tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>) {
    %v = stablehlo.constant dense<-100.0> : tensor<bf16>
    %z = stablehlo.constant dense<259> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<259xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<259xbf16>, tensor<259xi32>, tensor<bf16>, tensor<i32>) -> (tensor<bf16>, tensor<i32>)
     reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<bf16>
      %s = stablehlo.compare EQ, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<bf16>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<bf16>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[1.0, 5.0, 7.0, -9.0, -6.0, -1.0, -1.0, -2.0, 5.0, -7.0, -6.0, -5.0, -3.0, -7.0, 1.0, 4.0, -5.0, -7.0, -4.0, 1.0, -5.0, 1.0, 5.0, 7.0, 1.0, 5.0, 5.0, -5.0, 1.0, -8.0, 3.0, 7.0, -4.0, 7.0, 7.0, 2.0, 8.0, 0.0, 5.0, 1.0, 4.0, 2.0, -7.0, 2.0, -1.0, -8.0, 7.0, 2.0, 2.0, -5.0, -7.0, 1.0, -9.0, 7.0, -4.0, 5.0, 5.0, -4.0, -1.0, -8.0, -7.0, -2.0, -1.0, 1.0, 1.0, 7.0, -2.0, 8.0, 3.0, 7.0, 6.0, -5.0, 7.0, -5.0, -5.0, 8.0, -9.0, -2.0, 3.0, -3.0, 6.0, -2.0, 2.0, 3.0, 4.0, 7.0, 8.0, 6.0, -8.0, 8.0, 8.0, -1.0, 6.0, 6.0, -7.0, -7.0, -2.0, 8.0, 2.0, 0.0, 0.0, 2.0, 4.0, -7.0, -6.0, 2.0, 0.0, -7.0, 4.0, 0.0, -4.0, -7.0, -4.0, -8.0, -3.0, -8.0, 0.0, 1.0, 6.0, -6.0, 3.0, -2.0, -4.0, 0.0, -2.0, -3.0, 3.0, 8.0, -3.0, 8.0, 5.0, -3.0, -6.0, 8.0, -4.0, -7.0, 2.0, 8.0, -6.0, 4.0, -4.0, 2.0, -7.0, -7.0, -7.0, -3.0, 1.0, -3.0, 8.0, 0.0, 0.0, 1.0, -6.0, 5.0, 1.0, 5.0, -7.0, -6.0, 7.0, 7.0, -3.0, -8.0, 3.0, -5.0, -2.0, 3.0, 7.0, 7.0, -7.0, 8.0, 6.0, -4.0, 7.0, 1.0, 8.0, -7.0, 7.0, -5.0, -3.0, -9.0, 2.0, -4.0, 8.0, -3.0, 8.0, -8.0, 8.0, -9.0, -3.0, -9.0, 6.0, 0.0, -2.0, 8.0, -9.0, -4.0, 0.0, -6.0, 3.0, -3.0, 4.0, -6.0, 1.0, 8.0, -7.0, 4.0, 1.0, 6.0, -6.0, -2.0, -5.0, 4.0, 3.0, 7.0, 7.0, -7.0, 3.0, 3.0, -1.0, 4.0, -6.0, -6.0, -9.0, 0.0, 4.0, 0.0, 1.0, 4.0, 5.0, -7.0, -2.0, -7.0, -7.0, 8.0, 5.0, -3.0, 0.0, -4.0, 8.0, 5.0, 4.0, 6.0, 3.0, 7.0, 6.0, 4.0, -7.0, -9.0, -4.0, 3.0, -3.0, -2.0, -4.0, -7.0, 2.0, 1.0, 1.0, -2.0, -6.0]> : tensor<259xbf16>
    %expected_0 = stablehlo.constant dense<8.0> : tensor<bf16>
    %expected_1 = stablehlo.constant dense<36> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<259xbf16>) -> (tensor<bf16>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<bf16>, tensor<bf16>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_gt_ui8_67_by_second
module {
  func.func private @program(%0: tensor<67xui8>) -> (tensor<ui8>, tensor<i32>) {
    %v = stablehlo.constant dense<0> : tensor<ui8>
    %z = stablehlo.constant dense<67> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<67xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<67xui8>, tensor<67xi32>, tensor<ui8>, tensor<i32>) -> (tensor<ui8>, tensor<i32>)
     reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GT, %b, %a : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<ui8>
      %s = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<ui8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[7, 7, 3, 8, 3, 4, 7, 0, 4, 4, 2, 2, 0, 0, 8, 2, 4, 1, 1, 5, 5, 1, 8, 3, 4, 1, 4, 5, 7, 1, 1, 7, 5, 8, 4, 0, 4, 1, 0, 2, 0, 3, 0, 5, 7, 0, 5, 3, 1, 8, 0, 7, 5, 4, 0, 6, 5, 3, 2, 3, 5, 8, 1, 7, 2, 5, 1]> : tensor<67xui8>
    %expected_0 = stablehlo.constant dense<8> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<3> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<67xui8>) -> (tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_ge_ui8_67_by_second
module {
  func.func private @program(%0: tensor<67xui8>) -> (tensor<ui8>, tensor<i32>) {
    %v = stablehlo.constant dense<0> : tensor<ui8>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<67xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<67xui8>, tensor<67xi32>, tensor<ui8>, tensor<i32>) -> (tensor<ui8>, tensor<i32>)
     reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare GE, %b, %a : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<ui8>
      %s = stablehlo.compare NE, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<ui8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[1, 0, 6, 5, 0, 3, 3, 0, 8, 2, 0, 2, 3, 4, 5, 0, 8, 1, 8, 3, 3, 0, 8, 2, 5, 1, 6, 1, 0, 1, 6, 7, 2, 8, 2, 2, 5, 8, 6, 0, 0, 3, 6, 1, 6, 2, 7, 8, 4, 8, 0, 0, 4, 6, 6, 2, 0, 5, 8, 3, 8, 1, 5, 8, 4, 5, 8]> : tensor<67xui8>
    %expected_0 = stablehlo.constant dense<8> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<66> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<67xui8>) -> (tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_ui8_67_by_second
module {
  func.func private @program(%0: tensor<67xui8>) -> (tensor<ui8>, tensor<i32>) {
    %v = stablehlo.constant dense<255> : tensor<ui8>
    %z = stablehlo.constant dense<67> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<67xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<67xui8>, tensor<67xi32>, tensor<ui8>, tensor<i32>) -> (tensor<ui8>, tensor<i32>)
     reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %b, %a : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<ui8>
      %s = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<ui8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2, 6, 5, 0, 6, 2, 3, 4, 6, 7, 2, 8, 3, 8, 4, 8, 7, 4, 5, 7, 3, 6, 8, 1, 5, 7, 7, 5, 6, 8, 0, 0, 6, 8, 0, 5, 2, 2, 4, 3, 5, 4, 4, 7, 2, 0, 7, 7, 2, 6, 0, 2, 4, 2, 3, 1, 1, 4, 0, 8, 2, 7, 6, 3, 8, 7, 2]> : tensor<67xui8>
    %expected_0 = stablehlo.constant dense<0> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<3> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<67xui8>) -> (tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_le_ui8_67_by_second
module {
  func.func private @program(%0: tensor<67xui8>) -> (tensor<ui8>, tensor<i32>) {
    %v = stablehlo.constant dense<255> : tensor<ui8>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<67xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<67xui8>, tensor<67xi32>, tensor<ui8>, tensor<i32>) -> (tensor<ui8>, tensor<i32>)
     reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LE, %b, %a : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<ui8>
      %s = stablehlo.compare NE, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare GT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.or %s, %l : tensor<i1>
      %u = stablehlo.and %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<ui8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[7, 5, 4, 5, 2, 0, 0, 1, 0, 7, 5, 8, 3, 2, 7, 5, 6, 1, 7, 7, 8, 0, 8, 6, 0, 1, 5, 3, 6, 7, 6, 4, 2, 8, 6, 3, 3, 0, 6, 0, 1, 4, 3, 4, 1, 2, 2, 0, 1, 0, 0, 2, 6, 2, 2, 2, 5, 1, 6, 6, 6, 4, 6, 6, 5, 1, 4]> : tensor<67xui8>
    %expected_0 = stablehlo.constant dense<0> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<50> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<67xui8>) -> (tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// index_lt_ui8_67_by_first
module {
  func.func private @program(%0: tensor<67xui8>) -> (tensor<ui8>, tensor<i32>) {
    %v = stablehlo.constant dense<0> : tensor<ui8>
    %z = stablehlo.constant dense<67> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<67xi32>
    %r:2 = stablehlo.reduce(%0 init: %v), (%i init: %z) across dimensions = [0]
     : (tensor<67xui8>, tensor<67xi32>, tensor<ui8>, tensor<i32>) -> (tensor<ui8>, tensor<i32>)
     reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %c = stablehlo.compare LT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %d = stablehlo.select %c, %b, %a : tensor<i1>, tensor<ui8>
      %s = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %l = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %s, %l : tensor<i1>
      %u = stablehlo.or %c, %t : tensor<i1>
      %e = stablehlo.select %u, %k, %j : tensor<i1>, tensor<i32>
      stablehlo.return %d, %e : tensor<ui8>, tensor<i32>
    }
    return %r#0, %r#1 : tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[7, 7, 4, 4, 8, 4, 8, 3, 7, 4, 2, 5, 3, 8, 2, 0, 2, 8, 8, 4, 1, 2, 8, 2, 4, 4, 8, 4, 7, 6, 4, 1, 3, 8, 6, 3, 3, 7, 1, 7, 3, 0, 0, 8, 4, 0, 5, 1, 5, 8, 0, 4, 0, 4, 4, 8, 1, 3, 1, 5, 2, 8, 8, 5, 1, 3, 1]> : tensor<67xui8>
    %expected_0 = stablehlo.constant dense<8> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<4> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<67xui8>) -> (tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// arg_max_of_ties_int8
module {
  func.func private @program(%arg0: tensor<530xi8>) -> (tensor<i64>, tensor<i64>) {
    %0 = call @argmax(%arg0) : (tensor<530xi8>) -> tensor<i64>
    %1 = call @argmin(%arg0) : (tensor<530xi8>) -> tensor<i64>
    return %0, %1 : tensor<i64>, tensor<i64>
  }
  func.func private @argmax(%arg0: tensor<530xi8>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %c = stablehlo.constant dense<-128> : tensor<i8>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<530xi8>, tensor<530xi64>, tensor<i8>, tensor<i64>) -> (tensor<i8>, tensor<i64>)
     reducer(%arg1: tensor<i8>, %arg3: tensor<i8>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i8>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i8>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @argmin(%arg0: tensor<530xi8>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %c = stablehlo.constant dense<127> : tensor<i8>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<530xi8>, tensor<530xi64>, tensor<i8>, tensor<i64>) -> (tensor<i8>, tensor<i64>)
     reducer(%arg1: tensor<i8>, %arg3: tensor<i8>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i8>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i8>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-3, 4, -9, 7, 3, -6, -2, -4, 5, 7, 2, -5, -5, 6, -2, -9, -9, 2, -3, 7, -9, -9, -2, 6, -6, -4, -3, 6, -6, -4, 5, -2, 1, 2, 0, -8, 3, -1, 5, 8, 5, -2, 1, 0, 5, -8, 4, -5, 3, -8, -7, -6, 7, -1, 5, 4, -3, -4, 6, 7, -1, -4, 4, 1, 1, -8, -2, 3, 0, -5, -9, -8, -2, 3, -5, 1, 4, 8, 0, 8, 8, -9, 7, 4, -5, 4, 7, -5, -4, 3, 3, -6, 6, -7, 5, -8, 6, -6, 8, -6, -1, 3, 3, -1, -1, -8, 7, 7, -4, -5, -6, 0, 3, -7, 4, 4, -6, 3, 3, 4, -5, 2, 6, 1, 2, -8, -3, -3, 1, -3, 3, 0, 0, -3, 4, 1, -1, 3, -8, -6, 1, -9, -7, 8, -3, -9, 1, 5, -1, -7, -5, 5, 7, 4, 8, -1, -5, -8, -8, -1, 8, -6, 6, 3, 4, 2, -1, 6, 4, -3, -6, 6, 7, 2, 5, 4, 8, 6, -3, 3, 7, 1, -6, 5, 6, -3, -8, -8, -9, -3, -8, -4, -5, 3, 4, 6, -1, -3, -6, 3, -5, -1, 1, 8, -1, -5, 6, 7, -6, 4, 0, 1, -3, 2, -5, 2, -8, -9, -1, 8, 1, 7, -5, 3, 5, 5, -7, -7, 8, -2, 7, 1, 4, -3, -5, -7, -9, 4, -9, -4, -1, 8, -9, 6, 3, -3, 3, -8, -1, -2, 5, -7, 0, -4, -9, -6, 6, -9, -8, -5, -8, 2, -6, -1, -5, 8, -7, 8, -4, -7, 6, 2, 0, -8, -7, -6, -2, 7, -8, 3, 6, -7, -2, 8, 7, -1, 2, -5, -7, -1, 3, 3, -4, -3, -9, 7, -4, 3, -6, -8, 0, -3, -7, 7, 0, 2, 0, -7, 7, -1, -5, 4, -9, 1, 8, -2, -1, -3, -9, -7, 2, -4, 2, -6, 5, 5, -6, -4, -8, 7, 5, -4, -4, 5, -3, 2, 0, -4, -2, 3, -9, 6, 8, 5, -2, -2, 2, 4, -7, 5, -6, 2, -4, 0, -1, -9, -6, -4, 8, 1, 4, 2, 0, 5, 8, -9, 2, 2, 8, -9, -9, -5, -3, -4, 1, 0, 8, -6, -6, -7, -7, 1, 5, 4, 7, -8, -3, -1, 3, 3, -1, -9, -7, -1, 2, 6, 3, -9, 7, -6, 8, 8, -7, 2, 8, 0, -3, -8, -7, 6, -4, 6, 7, -7, 0, -6, -4, -9, -9, 4, 5, -4, -2, 2, -8, 4, 5, 3, -2, -7, -9, 8, 8, -7, -5, 7, -5, -1, 7, -5, 2, -6, -5, -7, 3, -9, -1, -9, 8, 1, -7, 6, -2, 2, 4, 5, -1, 0, -4, 0, 1, -7, 4, 2, 8, 0, -7, 1, -2, 6, 6, -6, 8, -6, -5, -7, 7, 5, 7, -7, 4, 6, 5, 8, -8, -6, 2, 3, -1, 1, -1, 2, -3, -7, -8, -1, 4, 6, 7, -2, 7, 0, 7, -3, 3, 1, 8, -6, 2, 5, -6, 5, 5, -3, -3, -7, -8, 8, 6, -9, -9, -4, 1, 3, -9, 6, -1, 0, 3, -9]> : tensor<530xi8>
    %expected_0 = stablehlo.constant dense<39> : tensor<i64>
    %expected_1 = stablehlo.constant dense<2> : tensor<i64>
    %found:2 = func.call @program(%input_0) : (tensor<530xi8>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i64>, tensor<i64>
    return
  }
}
// -----
// arg_max_of_ties_int32
module {
  func.func private @program(%arg0: tensor<530xi32>) -> (tensor<i64>, tensor<i64>) {
    %0 = call @argmax(%arg0) : (tensor<530xi32>) -> tensor<i64>
    %1 = call @argmin(%arg0) : (tensor<530xi32>) -> tensor<i64>
    return %0, %1 : tensor<i64>, tensor<i64>
  }
  func.func private @argmax(%arg0: tensor<530xi32>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<530xi32>, tensor<530xi64>, tensor<i32>, tensor<i64>) -> (tensor<i32>, tensor<i64>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @argmin(%arg0: tensor<530xi32>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<530xi32>, tensor<530xi64>, tensor<i32>, tensor<i64>) -> (tensor<i32>, tensor<i64>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0, 5, -8, 5, -6, -5, 6, -9, 7, -5, 6, -2, 5, -4, 4, 6, -9, -2, 7, -2, 6, -9, 8, 8, -6, -8, -8, -3, -5, -9, 8, 7, 4, -8, -7, -2, -7, 0, -8, -3, -6, 6, -9, -8, -1, -3, 5, -1, -1, -8, 5, 8, -1, -8, -7, -9, -7, 2, 1, 7, -4, 1, 6, 5, -8, 8, 6, 7, -1, -9, -4, -4, -3, -2, -8, -8, -5, -1, 6, 0, 5, 3, 8, -8, 1, -1, -7, 4, -8, 1, 4, 2, 2, -3, 7, 6, 1, 4, -3, -1, -4, -7, 2, 0, -9, -4, 3, -8, -2, 5, 7, 0, 7, 7, -6, 0, -6, -7, 8, -7, 5, 7, 3, -5, 5, 7, 5, -6, -3, 5, -3, 3, -1, -9, -4, -5, -8, 8, 1, -1, 5, -1, 3, 3, 4, -4, 7, -1, -4, 3, -6, -6, -8, 5, 7, 0, 3, -6, -1, -9, -5, 7, 8, -7, 2, 5, 6, 5, 0, -5, -3, -8, 0, 1, -1, -4, 8, 1, 0, -9, 5, 1, -1, -5, 5, 3, 2, 6, -8, -5, -3, -6, 1, 5, 1, -3, -2, 0, 7, 4, -2, -7, 1, -7, -6, -7, -8, 8, 2, -2, 7, 0, -1, -4, -6, 1, 6, -3, -4, -6, -4, -2, 0, -3, 4, 2, -5, -6, -2, -4, 0, 1, 2, -2, 1, 6, -4, 8, 3, -3, 3, 2, 1, -1, 3, -8, 2, 0, 3, 7, -2, 3, -1, -1, 2, 0, 6, -3, -8, 5, 3, 1, -2, -2, -5, 8, 8, -4, 0, -1, 1, -2, 5, -2, -6, 5, 4, 5, 0, 0, -2, 0, 5, -7, -5, 5, 7, -2, 0, 7, 8, 1, 1, -2, 4, -9, 1, 5, 1, 8, 7, 2, -1, -5, -3, 8, -4, 2, 7, -1, 1, 2, 4, 4, -8, 8, -9, 6, -2, -4, 1, -1, 6, -9, -5, -9, 4, 7, -7, -6, 2, 5, -2, 1, -7, -3, 8, -4, 2, -3, 6, -9, 4, -1, -1, -3, 6, 7, -8, -5, -9, -4, 7, 0, -6, 5, 0, 0, 1, 5, -6, -5, -5, 3, 4, 7, 0, 7, 4, -2, -7, -2, -4, 6, 0, 2, 5, -7, 3, 1, -1, -9, -1, 8, -7, 1, -8, 0, 0, -9, 4, -3, -4, 5, -6, -9, 5, -9, -9, -7, 2, 7, 4, -9, 6, 8, 8, -6, 4, -2, -6, -8, -8, -5, 4, 8, -3, -6, 5, 3, 1, 8, -6, 8, 0, 2, -7, 8, -2, -9, -3, 2, 2, -7, -8, -2, -7, -8, 3, 1, 3, 5, -7, -5, 0, 3, 1, 6, -9, -2, -1, -1, 7, 4, -8, -7, 2, 6, -3, -7, 7, 4, 2, -4, 2, 1, 6, 8, -8, -4, 7, -4, -9, 4, 8, 7, 7, -9, 3, -1, 7, -5, -1, 2, 0, 2, 1, -4, 7, 1, 3, -1, -4, 3, 2, -5, -5, 7, -6, 0, 7, 6, -4, -7, 5, 0, -9, -3, 0, -2, -2, 4, -8, 6, 4, -3, -4, 1, 2, -6, 5, -7, -2, 3, 5, 1, 4, -4, 3, 7]> : tensor<530xi32>
    %expected_0 = stablehlo.constant dense<22> : tensor<i64>
    %expected_1 = stablehlo.constant dense<7> : tensor<i64>
    %found:2 = func.call @program(%input_0) : (tensor<530xi32>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i64>, tensor<i64>
    return
  }
}
// -----
// arg_max_of_ties_float32
module {
  func.func private @program(%arg0: tensor<530xf32>) -> (tensor<i64>, tensor<i64>) {
    %0 = call @argmax(%arg0) : (tensor<530xf32>) -> tensor<i64>
    %1 = call @argmin(%arg0) : (tensor<530xf32>) -> tensor<i64>
    return %0, %1 : tensor<i64>, tensor<i64>
  }
  func.func private @argmax(%arg0: tensor<530xf32>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<530xf32>, tensor<530xi64>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @argmin(%arg0: tensor<530xf32>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<530xf32>, tensor<530xi64>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-9.0, -2.0, 4.0, 8.0, 4.0, -9.0, -8.0, 4.0, 5.0, 7.0, -7.0, 6.0, -2.0, -6.0, -9.0, -9.0, 8.0, -3.0, 3.0, -2.0, 0.0, 1.0, -7.0, 6.0, 7.0, 2.0, 2.0, -7.0, 4.0, -4.0, -5.0, 8.0, -5.0, -9.0, -5.0, -2.0, -6.0, -1.0, -8.0, -2.0, -9.0, 2.0, 7.0, -7.0, 3.0, -6.0, -4.0, -5.0, -1.0, -7.0, 8.0, -7.0, -9.0, 7.0, -3.0, -7.0, -6.0, 6.0, 3.0, 1.0, -2.0, 1.0, -6.0, -6.0, 0.0, -9.0, 7.0, -1.0, 5.0, 4.0, -4.0, 4.0, -7.0, 1.0, -7.0, 6.0, 1.0, -4.0, -6.0, 1.0, 2.0, 4.0, -5.0, -6.0, 3.0, 6.0, 8.0, -8.0, -1.0, 2.0, 6.0, 5.0, -5.0, -5.0, -9.0, 4.0, -9.0, -8.0, 4.0, 6.0, -8.0, 4.0, 1.0, 8.0, 1.0, 4.0, -8.0, 0.0, 6.0, -1.0, 8.0, -9.0, -2.0, 5.0, -7.0, 7.0, -1.0, 5.0, 1.0, -6.0, 4.0, 4.0, 8.0, 2.0, -3.0, -9.0, -5.0, 3.0, -5.0, -4.0, 0.0, -3.0, -8.0, 6.0, -8.0, -4.0, -4.0, -2.0, -2.0, -2.0, -9.0, -7.0, -9.0, -1.0, -5.0, 1.0, -9.0, -3.0, -4.0, 7.0, -3.0, 8.0, 2.0, -2.0, 1.0, -4.0, 4.0, -5.0, 1.0, 0.0, -9.0, 6.0, -9.0, 7.0, -3.0, 2.0, 7.0, -6.0, 6.0, 2.0, -8.0, 3.0, -3.0, 4.0, -5.0, -1.0, 8.0, -6.0, 1.0, 7.0, 0.0, -6.0, 4.0, 5.0, -9.0, -9.0, 4.0, 6.0, 1.0, -6.0, 0.0, -5.0, -6.0, -6.0, 7.0, -1.0, 5.0, 0.0, 1.0, -5.0, 7.0, 4.0, 3.0, -7.0, 5.0, 7.0, -2.0, 7.0, 6.0, 3.0, 8.0, 7.0, -8.0, -1.0, -3.0, 6.0, 4.0, 7.0, -2.0, 7.0, -1.0, 7.0, 1.0, 5.0, 3.0, 2.0, -1.0, 2.0, -5.0, -9.0, -8.0, 7.0, 4.0, 6.0, -1.0, -8.0, 4.0, 3.0, -9.0, 0.0, -7.0, -6.0, 3.0, 1.0, -7.0, 0.0, -9.0, -8.0, -6.0, -4.0, -5.0, -4.0, 5.0, 5.0, 4.0, -7.0, 5.0, -4.0, 0.0, -2.0, 1.0, 8.0, -5.0, -3.0, 1.0, 8.0, -3.0, -1.0, -3.0, -3.0, -8.0, -7.0, 4.0, -6.0, -3.0, -3.0, 1.0, -9.0, -7.0, -4.0, -3.0, 1.0, 3.0, 6.0, 2.0, -1.0, -1.0, -5.0, -1.0, 6.0, -6.0, 8.0, -5.0, -1.0, -5.0, 1.0, 6.0, -6.0, 2.0, -5.0, -2.0, -2.0, -5.0, 4.0, -2.0, 4.0, 1.0, -7.0, -6.0, 3.0, -9.0, 7.0, -7.0, -8.0, 3.0, 0.0, 6.0, -6.0, -4.0, 0.0, 1.0, 5.0, -3.0, -3.0, -3.0, -5.0, -2.0, -2.0, 7.0, 4.0, -3.0, -5.0, 5.0, 8.0, -3.0, -7.0, 1.0, 2.0, 2.0, 7.0, 6.0, -9.0, -5.0, 7.0, 5.0, 3.0, -5.0, 6.0, -9.0, 3.0, -8.0, 3.0, 0.0, -6.0, 6.0, 5.0, 7.0, -6.0, 0.0, -2.0, -9.0, 4.0, -1.0, 8.0, -7.0, -8.0, 4.0, -9.0, -6.0, 6.0, -1.0, 7.0, -8.0, 7.0, -3.0, -5.0, -8.0, -8.0, -8.0, -7.0, -4.0, -6.0, 0.0, -5.0, 5.0, 8.0, -4.0, 2.0, 6.0, 6.0, -1.0, 6.0, 7.0, -2.0, -5.0, 8.0, 8.0, -9.0, 0.0, -1.0, -7.0, -8.0, 1.0, -4.0, 1.0, -8.0, 2.0, 7.0, 6.0, -6.0, -1.0, -9.0, -4.0, -6.0, -8.0, -1.0, -8.0, -5.0, -2.0, 5.0, 7.0, -6.0, -7.0, -7.0, 0.0, -2.0, -5.0, 1.0, 5.0, 2.0, 4.0, -6.0, 1.0, -3.0, 2.0, 2.0, 7.0, 7.0, -4.0, 2.0, 4.0, -2.0, -2.0, -5.0, -5.0, -7.0, -8.0, 6.0, -8.0, -3.0, 4.0, 3.0, 5.0, -6.0, -4.0, 4.0, 2.0, 1.0, -4.0, 7.0, -2.0, 1.0, -6.0, -5.0, -2.0, 0.0, -6.0, -3.0, -4.0, -5.0, -5.0, 7.0, 8.0, 2.0, 5.0, -7.0, -8.0, 7.0, -1.0, -1.0, -8.0, 4.0, -2.0, -6.0, -7.0, -7.0, 4.0, -4.0, 6.0, 0.0, -5.0, -8.0, 2.0, -2.0, 7.0, -8.0, 7.0, 0.0, -2.0, 1.0, -9.0, -3.0, -6.0, 2.0, 6.0, 0.0, 4.0, 3.0, 6.0, 6.0, 7.0, -1.0, -8.0, -6.0, 7.0, -3.0, 6.0, -8.0, -4.0, -9.0, -6.0, -2.0, 7.0, 4.0, 8.0, 7.0, 5.0, -1.0, -9.0, -7.0]> : tensor<530xf32>
    %expected_0 = stablehlo.constant dense<3> : tensor<i64>
    %expected_1 = stablehlo.constant dense<0> : tensor<i64>
    %found:2 = func.call @program(%input_0) : (tensor<530xf32>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i64>, tensor<i64>
    return
  }
}
// -----
// arg_max_of_ties_bfloat16
module {
  func.func private @program(%arg0: tensor<530xbf16>) -> (tensor<i64>, tensor<i64>) {
    %0 = call @argmax(%arg0) : (tensor<530xbf16>) -> tensor<i64>
    %1 = call @argmin(%arg0) : (tensor<530xbf16>) -> tensor<i64>
    return %0, %1 : tensor<i64>, tensor<i64>
  }
  func.func private @argmax(%arg0: tensor<530xbf16>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<530xbf16>, tensor<530xi64>, tensor<bf16>, tensor<i64>) -> (tensor<bf16>, tensor<i64>)
     reducer(%arg1: tensor<bf16>, %arg3: tensor<bf16>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<bf16>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<bf16>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @argmin(%arg0: tensor<530xbf16>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %cst = stablehlo.constant dense<0x7F80> : tensor<bf16>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<530xbf16>, tensor<530xi64>, tensor<bf16>, tensor<i64>) -> (tensor<bf16>, tensor<i64>)
     reducer(%arg1: tensor<bf16>, %arg3: tensor<bf16>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<bf16>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<bf16>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[3.0, 0.0, 7.0, 6.0, -4.0, 8.0, -6.0, -7.0, 3.0, -6.0, 0.0, 8.0, 7.0, -4.0, 8.0, 4.0, -9.0, 2.0, 3.0, -5.0, -7.0, -6.0, -2.0, -3.0, 2.0, -3.0, -5.0, -5.0, 1.0, 1.0, 2.0, 4.0, 0.0, 2.0, 4.0, -5.0, -1.0, 3.0, 2.0, -6.0, 7.0, 7.0, -7.0, 8.0, 6.0, -9.0, -5.0, 2.0, 5.0, -9.0, -3.0, 6.0, -1.0, 7.0, 6.0, -1.0, -5.0, 6.0, 6.0, -2.0, 0.0, -3.0, 1.0, -1.0, 4.0, 5.0, 1.0, -8.0, 1.0, -3.0, 7.0, -6.0, 3.0, 1.0, 2.0, 4.0, 8.0, 5.0, 6.0, 4.0, -7.0, -1.0, -2.0, -2.0, 8.0, -1.0, 3.0, 0.0, 1.0, -3.0, 4.0, 3.0, -3.0, 6.0, 8.0, -2.0, 4.0, -9.0, 0.0, 6.0, -6.0, -5.0, -2.0, 3.0, 3.0, -4.0, 2.0, 7.0, 4.0, -9.0, 6.0, 4.0, -4.0, 6.0, -7.0, -4.0, -8.0, -1.0, 0.0, 5.0, 7.0, -9.0, -1.0, -8.0, -6.0, 8.0, 6.0, 2.0, -1.0, -1.0, 5.0, 7.0, 6.0, 7.0, -1.0, 1.0, -2.0, -8.0, 4.0, 3.0, -2.0, -4.0, -6.0, 4.0, -8.0, -2.0, -9.0, -4.0, -7.0, 6.0, 4.0, -9.0, -6.0, 0.0, -9.0, -9.0, -7.0, -4.0, -6.0, 7.0, 1.0, 6.0, -4.0, -9.0, 7.0, 4.0, 5.0, 4.0, 2.0, 3.0, -3.0, 4.0, 3.0, -8.0, 8.0, -6.0, 8.0, -5.0, 7.0, -2.0, 1.0, 7.0, 8.0, 6.0, -7.0, -9.0, -7.0, -9.0, -1.0, 0.0, 4.0, 4.0, -2.0, -7.0, 7.0, 5.0, -1.0, -6.0, 4.0, 2.0, 6.0, -3.0, -1.0, -6.0, -4.0, -9.0, 1.0, -4.0, -1.0, 1.0, 5.0, -8.0, 2.0, 8.0, 7.0, 1.0, -1.0, -8.0, 7.0, -1.0, 4.0, 4.0, 3.0, -8.0, -5.0, 0.0, -9.0, -9.0, -8.0, -4.0, 2.0, 7.0, 5.0, 2.0, -4.0, 0.0, 8.0, -4.0, -4.0, -2.0, 2.0, -6.0, -6.0, 4.0, 6.0, -3.0, -5.0, -9.0, -9.0, -9.0, -1.0, -3.0, -2.0, 8.0, -4.0, -6.0, 1.0, 4.0, 3.0, -4.0, 4.0, -6.0, 2.0, 7.0, -3.0, 8.0, 8.0, 7.0, 4.0, -6.0, -2.0, -3.0, -1.0, 3.0, -9.0, 5.0, 5.0, -3.0, -1.0, -9.0, 2.0, -9.0, -9.0, -8.0, -8.0, -2.0, -2.0, 3.0, 4.0, 0.0, -2.0, -4.0, -9.0, -4.0, -5.0, -2.0, 5.0, -6.0, -3.0, -9.0, 7.0, 6.0, 5.0, 8.0, -3.0, -1.0, 6.0, 5.0, 5.0, 1.0, 8.0, 7.0, -7.0, -8.0, -5.0, -1.0, 0.0, 2.0, -4.0, -9.0, 2.0, -8.0, 4.0, -1.0, 6.0, -2.0, 4.0, -9.0, -8.0, 0.0, 0.0, 0.0, -8.0, -3.0, 0.0, -2.0, -3.0, 4.0, 5.0, 2.0, -6.0, -2.0, 3.0, -7.0, 4.0, 3.0, -4.0, 0.0, -8.0, -2.0, -6.0, -9.0, 0.0, 2.0, -3.0, -3.0, -7.0, -5.0, -5.0, 1.0, -8.0, -5.0, -1.0, -3.0, -5.0, 2.0, -4.0, 6.0, -4.0, -7.0, -5.0, -9.0, 0.0, -4.0, -1.0, 0.0, 1.0, 0.0, 4.0, -7.0, -4.0, 1.0, -3.0, -2.0, 0.0, -7.0, 8.0, 1.0, 2.0, -1.0, -6.0, 2.0, -8.0, -7.0, -5.0, 4.0, 7.0, -9.0, -3.0, -4.0, -3.0, 0.0, -4.0, 1.0, -9.0, -1.0, 1.0, -6.0, -7.0, -9.0, -9.0, -4.0, -9.0, -7.0, -9.0, 0.0, -3.0, -9.0, 0.0, -1.0, -9.0, 6.0, 1.0, -3.0, -9.0, -1.0, 6.0, 5.0, -8.0, 4.0, -4.0, 3.0, -9.0, 7.0, 1.0, 5.0, 7.0, 0.0, -5.0, 5.0, 7.0, -6.0, 6.0, -2.0, 2.0, -7.0, 5.0, 2.0, -5.0, 6.0, 8.0, 5.0, -3.0, 2.0, 8.0, -8.0, -6.0, 8.0, 8.0, -2.0, -5.0, -4.0, -1.0, 8.0, 5.0, -2.0, -3.0, 6.0, -9.0, 5.0, 7.0, -9.0, 7.0, 0.0, -4.0, 7.0, 8.0, -7.0, -7.0, -1.0, -6.0, 6.0, 1.0, 7.0, 7.0, -4.0, -8.0, 1.0, 3.0, -9.0, -3.0, 1.0, 4.0, -6.0, -2.0, 0.0, 6.0, -2.0, 0.0, -2.0, 0.0, -9.0, -2.0, -3.0, 1.0, -9.0, -1.0, 7.0, -8.0, 2.0, 7.0, 3.0, -2.0, -9.0, -8.0, 5.0, 0.0, 5.0, 1.0, 4.0, -2.0, -3.0, 0.0, 5.0, 0.0, 0.0, 1.0, -7.0, 5.0, 0.0]> : tensor<530xbf16>
    %expected_0 = stablehlo.constant dense<5> : tensor<i64>
    %expected_1 = stablehlo.constant dense<16> : tensor<i64>
    %found:2 = func.call @program(%input_0) : (tensor<530xbf16>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i64>, tensor<i64>
    return
  }
}
// -----
// arg_max_of_ties_uint8
module {
  func.func private @program(%arg0: tensor<530xui8>) -> (tensor<i64>, tensor<i64>) {
    %0 = call @argmax(%arg0) : (tensor<530xui8>) -> tensor<i64>
    %1 = call @argmin(%arg0) : (tensor<530xui8>) -> tensor<i64>
    return %0, %1 : tensor<i64>, tensor<i64>
  }
  func.func private @argmax(%arg0: tensor<530xui8>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %c = stablehlo.constant dense<0> : tensor<ui8>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<530xui8>, tensor<530xi64>, tensor<ui8>, tensor<i64>) -> (tensor<ui8>, tensor<i64>)
     reducer(%arg1: tensor<ui8>, %arg3: tensor<ui8>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<ui8>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<ui8>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @argmin(%arg0: tensor<530xui8>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<530xi64>
    %c = stablehlo.constant dense<255> : tensor<ui8>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<530xui8>, tensor<530xi64>, tensor<ui8>, tensor<i64>) -> (tensor<ui8>, tensor<i64>)
     reducer(%arg1: tensor<ui8>, %arg3: tensor<ui8>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<ui8>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<ui8>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[1, 8, 6, 0, 8, 1, 8, 8, 3, 4, 3, 6, 4, 2, 0, 1, 5, 4, 5, 0, 0, 5, 7, 5, 8, 4, 3, 2, 2, 2, 3, 2, 8, 6, 3, 4, 0, 4, 4, 3, 5, 1, 1, 1, 7, 3, 5, 4, 0, 6, 2, 3, 7, 1, 6, 0, 1, 2, 2, 8, 6, 4, 8, 8, 4, 3, 5, 8, 3, 7, 0, 2, 6, 8, 7, 4, 3, 4, 6, 3, 7, 3, 8, 6, 2, 4, 1, 6, 0, 0, 0, 6, 8, 4, 8, 5, 4, 8, 3, 2, 6, 6, 6, 5, 2, 0, 6, 3, 0, 0, 8, 1, 1, 1, 0, 0, 3, 0, 0, 4, 8, 8, 5, 4, 4, 3, 5, 4, 8, 0, 1, 4, 1, 1, 2, 4, 7, 8, 7, 6, 6, 1, 2, 2, 0, 4, 0, 4, 5, 6, 5, 2, 6, 6, 0, 0, 7, 2, 5, 3, 8, 4, 3, 7, 0, 6, 0, 2, 4, 3, 4, 8, 6, 0, 3, 0, 8, 8, 8, 3, 5, 4, 7, 5, 0, 6, 7, 3, 2, 0, 3, 2, 3, 3, 3, 0, 5, 4, 3, 8, 8, 3, 5, 1, 3, 8, 6, 3, 0, 4, 0, 3, 1, 6, 3, 3, 7, 6, 3, 6, 1, 0, 3, 3, 6, 8, 7, 0, 4, 2, 0, 7, 7, 4, 6, 4, 1, 7, 2, 3, 2, 7, 3, 6, 6, 1, 4, 5, 7, 4, 4, 1, 6, 0, 5, 4, 5, 0, 2, 0, 5, 1, 1, 8, 0, 8, 3, 6, 2, 7, 8, 1, 1, 4, 2, 8, 8, 5, 1, 4, 4, 1, 4, 6, 3, 7, 6, 7, 7, 2, 5, 6, 2, 6, 1, 1, 6, 3, 4, 7, 7, 1, 4, 3, 1, 5, 6, 8, 7, 7, 7, 7, 7, 7, 0, 0, 0, 5, 1, 8, 2, 6, 3, 8, 7, 4, 8, 0, 6, 4, 8, 5, 0, 3, 0, 4, 4, 5, 2, 7, 5, 3, 3, 2, 8, 5, 3, 5, 6, 2, 4, 5, 8, 3, 5, 7, 1, 0, 0, 8, 4, 1, 3, 3, 1, 6, 2, 5, 3, 6, 3, 7, 7, 3, 8, 2, 7, 6, 8, 8, 7, 6, 2, 5, 0, 5, 4, 6, 4, 1, 7, 1, 8, 3, 7, 4, 8, 0, 6, 2, 1, 1, 4, 8, 2, 6, 4, 8, 5, 8, 1, 6, 5, 8, 7, 8, 2, 1, 3, 2, 3, 7, 7, 1, 6, 6, 1, 6, 1, 4, 0, 5, 0, 7, 2, 8, 6, 7, 0, 5, 5, 3, 1, 5, 1, 8, 3, 6, 3, 3, 7, 6, 5, 6, 4, 3, 5, 7, 3, 2, 0, 0, 0, 5, 4, 8, 7, 1, 4, 5, 5, 7, 6, 8, 7, 6, 5, 5, 2, 3, 1, 8, 3, 7, 1, 5, 5, 1, 1, 8, 0, 6, 4, 8, 6, 7, 7, 4, 4, 7, 1, 3, 2, 8, 3, 1, 4, 0, 0, 2, 0, 0, 7, 1, 6, 3, 3, 1, 4, 2, 5, 6, 3, 4, 4, 5, 6, 5, 7, 3]> : tensor<530xui8>
    %expected_0 = stablehlo.constant dense<1> : tensor<i64>
    %expected_1 = stablehlo.constant dense<3> : tensor<i64>
    %found:2 = func.call @program(%input_0) : (tensor<530xui8>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i64>, tensor<i64>
    return
  }
}
// -----
// arg_max_with_late_nan_float32
module {
  func.func private @program(%arg0: tensor<515xf32>) -> (tensor<i64>, tensor<i64>) {
    %0 = call @argmax(%arg0) : (tensor<515xf32>) -> tensor<i64>
    %1 = call @argmin(%arg0) : (tensor<515xf32>) -> tensor<i64>
    return %0, %1 : tensor<i64>, tensor<i64>
  }
  func.func private @argmax(%arg0: tensor<515xf32>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<515xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<515xf32>, tensor<515xi64>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @argmin(%arg0: tensor<515xf32>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<515xi64>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<515xf32>, tensor<515xi64>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-1.0, -2.0, 1.0, 5.0, -8.0, 2.0, -4.0, 7.0, -4.0, 0.0, 2.0, 5.0, 7.0, 0.0, 0.0, -4.0, -8.0, -1.0, -5.0, -5.0, 1.0, 0.0, -9.0, 5.0, -2.0, -6.0, -8.0, 1.0, -4.0, 7.0, 7.0, -8.0, 1.0, 3.0, -8.0, 3.0, -3.0, 8.0, -4.0, 7.0, -6.0, -8.0, -4.0, -1.0, 0.0, -6.0, -4.0, -1.0, -3.0, 0.0, 8.0, 2.0, 5.0, -1.0, 4.0, -2.0, -7.0, -5.0, 4.0, 5.0, -8.0, 1.0, -3.0, 6.0, -6.0, 6.0, 3.0, -4.0, -7.0, 4.0, 5.0, 7.0, 5.0, 7.0, 3.0, 2.0, -3.0, -6.0, 1.0, -9.0, -5.0, 1.0, -6.0, 2.0, 7.0, -8.0, -4.0, -7.0, 2.0, -3.0, -3.0, -1.0, -9.0, -1.0, -1.0, -4.0, 1.0, 4.0, -5.0, 4.0, 8.0, -6.0, 5.0, -5.0, -7.0, -6.0, 1.0, -9.0, 6.0, 1.0, 5.0, -6.0, -8.0, -2.0, 0.0, -7.0, -7.0, -1.0, -5.0, 4.0, -6.0, 2.0, -6.0, 3.0, 6.0, 4.0, 0.0, 8.0, 0.0, -4.0, 4.0, -5.0, -6.0, -5.0, 5.0, -6.0, 8.0, -5.0, -3.0, 1.0, -3.0, 1.0, 6.0, 7.0, 5.0, 2.0, -7.0, 2.0, -1.0, 1.0, -2.0, -6.0, -8.0, 3.0, 7.0, -6.0, 7.0, -4.0, -8.0, -6.0, -2.0, 7.0, 5.0, 0.0, -2.0, 5.0, -3.0, -9.0, -5.0, 4.0, -1.0, 8.0, 1.0, 7.0, -4.0, 0.0, 7.0, 7.0, -3.0, -6.0, 2.0, -7.0, -7.0, 1.0, -3.0, 7.0, 4.0, -7.0, -5.0, -2.0, 3.0, 0.0, 4.0, 2.0, 1.0, 3.0, -9.0, 1.0, 8.0, 7.0, 2.0, 5.0, -3.0, -6.0, -4.0, 8.0, 4.0, -9.0, 3.0, 1.0, 7.0, 7.0, 4.0, 1.0, -1.0, 6.0, -7.0, -8.0, 5.0, 7.0, -6.0, -3.0, 6.0, 7.0, -5.0, -2.0, 5.0, 4.0, 1.0, -9.0, 7.0, 8.0, 3.0, 4.0, -6.0, -9.0, -6.0, -2.0, -8.0, 5.0, 5.0, -6.0, -2.0, 2.0, -4.0, -7.0, -6.0, -3.0, -1.0, -2.0, 1.0, 3.0, 7.0, -6.0, -4.0, 0.0, 3.0, 8.0, 3.0, -8.0, 5.0, 6.0, 5.0, -6.0, -3.0, -1.0, -2.0, 5.0, 6.0, -3.0, -6.0, -9.0, -7.0, -8.0, 7.0, 6.0, -9.0, 8.0, -9.0, 3.0, 0.0, 2.0, -6.0, 8.0, -7.0, 4.0, 4.0, 6.0, -5.0, -7.0, 4.0, 3.0, 1.0, -1.0, 1.0, -2.0, -9.0, 6.0, 2.0, 5.0, 2.0, -3.0, 8.0, 0.0, 2.0, 6.0, 2.0, 3.0, -5.0, -8.0, 1.0, -6.0, -3.0, 5.0, -6.0, 7.0, -8.0, -2.0, 0.0, 3.0, -3.0, 7.0, 0.0, 7.0, -1.0, -5.0, 2.0, 4.0, -1.0, -8.0, -1.0, -1.0, -4.0, 0.0, 5.0, 8.0, 0.0, 4.0, -1.0, -9.0, -4.0, 2.0, 0.0, 0.0, -4.0, 3.0, -2.0, 4.0, 1.0, -6.0, -1.0, -1.0, 2.0, -1.0, -6.0, -8.0, 6.0, 4.0, 3.0, 2.0, -9.0, 7.0, -4.0, 1.0, 7.0, 7.0, 0.0, -7.0, 7.0, -5.0, -6.0, 8.0, -5.0, -2.0, -5.0, 5.0, -6.0, -8.0, -3.0, 3.0, 8.0, 5.0, -4.0, -6.0, 5.0, -9.0, -9.0, 6.0, -1.0, -6.0, -7.0, 6.0, -1.0, -6.0, 2.0, 8.0, -8.0, 6.0, -3.0, -4.0, 1.0, 0.0, -2.0, 3.0, 2.0, -6.0, -8.0, 5.0, -3.0, 3.0, 0x7FC00000, -5.0, 2.0, 4.0, 6.0, 2.0, -5.0, -5.0, -5.0, 1.0, -7.0, 7.0, -4.0, 4.0, 2.0, -6.0, -2.0, 1.0, 5.0, -9.0, 8.0, -3.0, 8.0, -8.0, -3.0, -5.0, -4.0, 3.0, 1.0, -4.0, 1.0, -8.0, -6.0, -1.0, 2.0, 7.0, 5.0, -5.0, 8.0, 0.0, 4.0, -9.0, 1.0, -6.0, 1.0, 0.0, -3.0, -7.0, -8.0, -5.0, -1.0, 6.0, 6.0, 8.0, 4.0, -9.0, -7.0, -9.0, 3.0, 8.0, 5.0, -1.0, 2.0, -4.0, -7.0, -1.0, -1.0, 7.0, -7.0, 8.0, 7.0, -7.0, -9.0, 6.0, -6.0, 4.0, 6.0, -2.0, 0.0, -1.0, 8.0, -5.0, 5.0, -5.0, -6.0, 5.0, 2.0, 5.0, -4.0, 7.0, 4.0, 1.0, -5.0, -6.0, -9.0, 6.0, 7.0, 5.0, -5.0, -9.0, -4.0, -4.0, 5.0, -1.0, -9.0]> : tensor<515xf32>
    %expected_0 = stablehlo.constant dense<410> : tensor<i64>
    %expected_1 = stablehlo.constant dense<410> : tensor<i64>
    %found:2 = func.call @program(%input_0) : (tensor<515xf32>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i64>, tensor<i64>
    return
  }
}
// -----
// arg_max_with_late_nan_bfloat16
module {
  func.func private @program(%arg0: tensor<515xbf16>) -> (tensor<i64>, tensor<i64>) {
    %0 = call @argmax(%arg0) : (tensor<515xbf16>) -> tensor<i64>
    %1 = call @argmin(%arg0) : (tensor<515xbf16>) -> tensor<i64>
    return %0, %1 : tensor<i64>, tensor<i64>
  }
  func.func private @argmax(%arg0: tensor<515xbf16>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<515xi64>
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<515xbf16>, tensor<515xi64>, tensor<bf16>, tensor<i64>) -> (tensor<bf16>, tensor<i64>)
     reducer(%arg1: tensor<bf16>, %arg3: tensor<bf16>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<bf16>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<bf16>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @argmin(%arg0: tensor<515xbf16>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<515xi64>
    %cst = stablehlo.constant dense<0x7F80> : tensor<bf16>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<515xbf16>, tensor<515xi64>, tensor<bf16>, tensor<i64>) -> (tensor<bf16>, tensor<i64>)
     reducer(%arg1: tensor<bf16>, %arg3: tensor<bf16>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<bf16>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<bf16>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[5.0, -6.0, 6.0, 5.0, -2.0, 2.0, -1.0, 2.0, -6.0, -3.0, 5.0, 4.0, -8.0, -1.0, 6.0, 6.0, 8.0, 7.0, -1.0, -4.0, 1.0, 2.0, -6.0, -8.0, -3.0, -7.0, -9.0, 8.0, -9.0, -5.0, -5.0, -2.0, -7.0, -6.0, -1.0, 5.0, -4.0, -4.0, -1.0, -4.0, 8.0, -4.0, 2.0, -7.0, -3.0, -8.0, 1.0, 1.0, 8.0, -2.0, -8.0, 8.0, -3.0, 1.0, -1.0, -3.0, -3.0, -9.0, -8.0, -3.0, 8.0, -7.0, -4.0, 0.0, -2.0, 4.0, 7.0, 3.0, -2.0, -8.0, -8.0, -4.0, 5.0, -1.0, -2.0, 1.0, -7.0, 4.0, -5.0, -8.0, 6.0, -6.0, 3.0, -7.0, -2.0, -6.0, 8.0, 5.0, -2.0, -8.0, 6.0, 7.0, -6.0, 6.0, -3.0, -6.0, -2.0, -8.0, -1.0, -5.0, -1.0, -2.0, -8.0, -6.0, 0.0, -3.0, 0.0, -5.0, 8.0, -1.0, 7.0, -1.0, 5.0, 8.0, 1.0, 6.0, 1.0, -1.0, 7.0, -4.0, -3.0, -5.0, -6.0, -8.0, -7.0, 3.0, -5.0, -5.0, -5.0, -1.0, 3.0, -1.0, 5.0, -6.0, -1.0, 2.0, 7.0, 5.0, -4.0, -4.0, 6.0, 3.0, 7.0, 5.0, 0.0, -2.0, 8.0, -9.0, -1.0, 2.0, -8.0, 0.0, -7.0, -3.0, 6.0, 4.0, -7.0, 6.0, 4.0, -4.0, -4.0, 3.0, -7.0, 2.0, 2.0, 5.0, 1.0, 0.0, -8.0, 4.0, 2.0, 8.0, -8.0, 6.0, 5.0, -6.0, 5.0, -4.0, -4.0, -9.0, -4.0, 4.0, -6.0, 6.0, -1.0, -9.0, -5.0, 2.0, -3.0, -2.0, -1.0, -8.0, 4.0, -6.0, 4.0, -2.0, 3.0, 4.0, 1.0, -8.0, -7.0, -1.0, -8.0, -3.0, -7.0, 0.0, -8.0, 4.0, -3.0, -6.0, 3.0, 1.0, -4.0, 1.0, 2.0, 6.0, -2.0, 7.0, 3.0, 6.0, -2.0, -2.0, 4.0, 4.0, -6.0, -7.0, -5.0, 8.0, -4.0, -3.0, 2.0, 3.0, 2.0, -6.0, -4.0, -9.0, -2.0, -3.0, 2.0, 6.0, -2.0, -9.0, 5.0, -2.0, -9.0, -7.0, 8.0, -9.0, 4.0, -1.0, -3.0, 2.0, -2.0, 8.0, 4.0, 6.0, 3.0, 8.0, -9.0, 6.0, 2.0, -4.0, -3.0, -8.0, 2.0, 3.0, -7.0, -7.0, 4.0, 5.0, 6.0, -7.0, -5.0, 5.0, 8.0, -9.0, -6.0, -9.0, 7.0, -6.0, 3.0, 0.0, 4.0, 8.0, -3.0, 0.0, -3.0, 2.0, -8.0, 6.0, -8.0, -8.0, 3.0, -5.0, -4.0, -3.0, 5.0, 3.0, 5.0, -4.0, 3.0, -2.0, -1.0, -5.0, 3.0, 1.0, -3.0, -2.0, -6.0, -8.0, -6.0, -9.0, -5.0, 5.0, -8.0, -1.0, -8.0, -1.0, 1.0, -4.0, 2.0, 7.0, -4.0, 1.0, 0.0, 6.0, -9.0, -5.0, 8.0, 1.0, -3.0, 3.0, -9.0, 5.0, 3.0, 4.0, 1.0, 1.0, -2.0, 6.0, 2.0, -1.0, 7.0, -6.0, -4.0, 5.0, 6.0, -3.0, 6.0, -5.0, -9.0, -3.0, -8.0, 2.0, -8.0, -8.0, 8.0, -6.0, 3.0, 4.0, 5.0, -7.0, 7.0, 5.0, 4.0, 6.0, 5.0, 0.0, 2.0, 5.0, 3.0, 6.0, 4.0, 6.0, 8.0, -8.0, -8.0, -2.0, 2.0, 6.0, 2.0, -7.0, -9.0, 3.0, 1.0, 2.0, -9.0, 3.0, -9.0, 5.0, 1.0, -9.0, -6.0, 0.0, 3.0, -9.0, 8.0, -3.0, 1.0, -1.0, 3.0, -4.0, 8.0, -3.0, -7.0, 2.0, -1.0, -2.0, -4.0, -3.0, 0x7FC0, 6.0, 8.0, 2.0, -2.0, -6.0, 8.0, -3.0, -2.0, -4.0, 8.0, 5.0, -1.0, 3.0, -4.0, 3.0, -4.0, 0.0, -7.0, -4.0, -3.0, -5.0, 4.0, -4.0, -1.0, -2.0, -4.0, 3.0, -4.0, 3.0, 0.0, 0.0, -3.0, 1.0, -3.0, -9.0, 6.0, -8.0, 3.0, 3.0, 1.0, -4.0, 7.0, 4.0, -6.0, 2.0, 0.0, 0.0, -4.0, -7.0, -8.0, -5.0, 4.0, -7.0, -2.0, -9.0, -4.0, -6.0, -5.0, -7.0, -3.0, -1.0, -1.0, -9.0, -8.0, 7.0, -3.0, 7.0, -4.0, -1.0, -3.0, -5.0, 6.0, 4.0, 1.0, -2.0, 4.0, 6.0, -7.0, 5.0, 0.0, -8.0, 1.0, 6.0, -2.0, -6.0, 5.0, -1.0, -8.0, -2.0, -6.0, 4.0, 0.0, -5.0, 8.0, -3.0, -7.0, 0.0, 2.0, -2.0, -6.0, -9.0, -6.0, 6.0, -9.0]> : tensor<515xbf16>
    %expected_0 = stablehlo.constant dense<410> : tensor<i64>
    %expected_1 = stablehlo.constant dense<410> : tensor<i64>
    %found:2 = func.call @program(%input_0) : (tensor<515xbf16>) -> (tensor<i64>, tensor<i64>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i64>, tensor<i64>
    return
  }
}
// -----
// arg_max_of_rows
module {
  func.func private @program(%arg0: tensor<3x270xi32>) -> (tensor<3xi64>, tensor<270xi64>) {
    %0 = call @argmax(%arg0) : (tensor<3x270xi32>) -> tensor<3xi64>
    %1 = call @argmin(%arg0) : (tensor<3x270xi32>) -> tensor<270xi64>
    return %0, %1 : tensor<3xi64>, tensor<270xi64>
  }
  func.func private @argmax(%arg0: tensor<3x270xi32>) -> tensor<3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<3x270xi64>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x270xi32>, tensor<3x270xi64>, tensor<i32>, tensor<i64>) -> (tensor<3xi32>, tensor<3xi64>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i64>
    }
    return %1#1 : tensor<3xi64>
  }
  func.func private @argmin(%arg0: tensor<3x270xi32>) -> tensor<270xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<3x270xi64>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<3x270xi32>, tensor<3x270xi64>, tensor<i32>, tensor<i64>) -> (tensor<270xi32>, tensor<270xi64>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i64>
    }
    return %1#1 : tensor<270xi64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[2, -6, -9, -2, 0, -7, -2, -4, 1, 7, -5, -9, -9, 2, -2, -9, -6, -3, -1, 2, 3, 7, -5, -4, 4, 3, 4, 5, 5, 0, -1, 2, -2, 0, 7, -2, 6, 5, 7, 8, -7, 3, 7, -5, 2, 1, -5, -9, -8, -8, -9, 5, 8, 7, -1, -5, -5, 7, 6, -3, 8, -5, 5, -7, 4, 7, -8, -5, -4, 2, -6, -8, -3, 0, -4, -5, -5, -4, 3, 1, 7, -4, -4, 3, 0, 1, 3, 8, -8, -5, 6, 8, -8, 5, -5, -5, 4, 7, -6, 6, -2, 7, 3, 1, 7, 8, -7, 8, 4, -6, -7, -7, 7, -5, 5, 3, -9, 2, -2, 2, -3, -1, -7, 3, 3, 3, 5, 8, 7, 3, -5, 3, 4, -3, -3, 3, 0, 1, -3, 1, -2, 6, 6, 8, 5, 1, 3, 3, 4, 5, 0, -9, 1, 4, -8, 0, -3, 5, -9, 4, 2, 6, -2, -1, -1, 2, 8, 7, 1, -3, -6, 8, 7, 8, 0, -1, -2, 3, -6, 6, 7, 7, 8, 8, 6, -5, 3, 3, 4, 6, -1, -5, -2, 3, 7, -9, -1, 4, 0, 4, -1, 2, 2, 3, 7, -1, 4, 5, 8, 6, -2, 2, 4, -5, 3, 3, -2, -8, 2, 3, 0, 7, -1, 1, -8, 2, 6, 0, 5, 5, -5, -3, 7, 0, -4, 6, -9, -4, 5, 1, 7, -4, 8, 5, -1, -4, -6, 2, -5, -9, -1, -5, -6, -2, -2, -2, 2, 8, 5, 1, -7, 0, 8, 6, 3, 3, 5, 0, 3, 4], [8, -7, 3, 8, 8, -6, 4, -2, -5, 8, 3, -8, -6, 8, -5, -2, 0, -2, -8, 5, 2, 8, 4, -3, -9, -1, 8, 4, 1, -3, -5, -6, 2, -3, 0, -8, 6, -4, 6, 7, 7, 2, 7, 1, -7, -8, 7, 1, -5, -4, -5, 5, -4, 6, 1, -6, 5, 0, -3, 6, 1, 1, 7, -1, -7, -4, -5, 3, 1, 1, 2, 8, 0, -5, -2, 5, 3, -5, 2, 8, 7, -3, -6, 1, -6, -2, 4, -5, 7, -9, -1, 6, 7, -1, -4, -5, 6, 8, -6, 7, -3, -7, -8, -9, -2, 0, -2, 0, -2, 7, -6, 5, -2, 6, 3, 0, -7, 0, 0, -7, -2, -1, 8, 2, -9, -6, 4, 0, -5, 6, -3, 0, 4, 0, 1, 8, -6, 3, -3, -2, -2, -2, 8, -7, 2, -5, 4, 6, 2, -5, 7, 0, 4, 2, -8, -9, -6, -7, 5, -2, -6, -6, 0, -2, -9, 1, 8, -9, 8, -5, -1, -3, 3, -3, -4, -3, -7, 3, -1, -4, 4, 8, -7, 0, -6, -7, -3, -3, -2, 6, 2, 0, 4, 5, 0, 6, -1, -2, 0, -3, 8, 5, -7, -4, -2, 2, 4, 6, 1, -6, -8, -5, -1, 3, -1, -4, 7, 7, 1, 7, -6, 0, 0, -1, 4, -7, -6, -9, 4, -3, 1, 1, 3, -3, -2, 3, 1, -5, -6, -2, 1, -8, 7, -8, -4, 5, 0, -2, -8, 0, 7, -2, -4, 0, -2, 4, -1, 4, -9, 8, 3, 4, -8, -5, -8, 5, 1, -3, -3, 3], [4, 8, 2, -9, 3, -9, -3, -3, -5, 6, 2, 3, 6, 1, -4, 7, -9, -2, 7, 4, -4, 4, -8, 0, -7, -8, 1, 0, 0, -8, 3, -3, 1, 3, 5, 0, -7, 4, -9, -7, 5, -8, 0, -6, 8, -1, 6, 2, -3, 0, -9, 6, 7, -1, 3, -4, -3, -6, -9, 0, -9, -9, 1, 0, 5, 7, 7, -9, -1, -1, 7, -1, 7, 5, -9, -2, 7, -3, -8, -1, -5, 3, -1, -6, 6, -4, 8, -2, 1, -8, -3, -7, 6, 8, 0, 0, 2, -6, -6, 7, -6, -4, -6, 2, 0, -8, -3, -5, -3, -2, 0, 3, -5, -8, 4, 1, -2, 4, 4, -6, 5, -1, -1, -4, 6, 8, 1, -3, -7, -4, 7, -9, -7, -2, -3, 0, 3, -9, -9, 3, -8, 8, -5, -3, 6, -8, 2, -7, 2, 8, 0, 7, -6, 3, -6, -4, -2, -7, -9, 5, 4, 8, 8, 5, 0, -8, -8, 5, 2, -9, 0, -4, -5, 8, 6, -9, -8, -7, 7, 2, 7, 6, 5, -3, -7, 0, 8, 1, 2, 7, -2, 8, 2, 1, 3, -5, 5, -3, -6, -4, -1, 1, 6, -9, 7, 6, 8, -7, 5, 4, -3, -1, -1, -5, 2, -5, -7, 3, 8, -3, -4, 6, -5, -9, -3, 7, 2, 3, -4, -9, -6, 2, -3, -2, 8, -4, 4, 0, -7, 1, 3, -2, 1, -2, 0, -5, -2, -9, -7, 6, -8, -9, -8, 2, -8, -5, -1, 1, 2, -6, -7, 6, 1, -4, 0, -5, 5, 4, 8, 3]]> : tensor<3x270xi32>
    %expected_0 = stablehlo.constant dense<[39, 0, 1]> : tensor<3xi64>
    %expected_1 = stablehlo.constant dense<[0, 1, 0, 2, 0, 2, 2, 0, 1, 2, 0, 0, 0, 2, 1, 0, 2, 0, 1, 0, 2, 2, 2, 0, 1, 2, 2, 2, 2, 2, 1, 1, 0, 1, 1, 1, 2, 1, 2, 2, 0, 2, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 0, 2, 2, 0, 2, 2, 2, 0, 1, 1, 0, 2, 0, 2, 0, 0, 0, 1, 2, 0, 0, 1, 2, 2, 2, 0, 1, 2, 1, 2, 0, 1, 0, 1, 2, 2, 0, 1, 0, 0, 2, 2, 0, 0, 2, 1, 1, 1, 1, 2, 0, 2, 2, 0, 0, 0, 2, 2, 1, 1, 0, 1, 0, 1, 0, 0, 0, 2, 1, 1, 2, 2, 2, 2, 0, 2, 2, 0, 0, 2, 1, 2, 2, 1, 2, 1, 2, 1, 1, 2, 2, 2, 1, 1, 0, 0, 2, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 2, 2, 1, 0, 2, 0, 2, 2, 1, 1, 2, 2, 2, 0, 1, 1, 2, 1, 2, 2, 1, 1, 1, 1, 0, 2, 0, 0, 2, 1, 0, 0, 2, 2, 2, 0, 2, 1, 2, 1, 0, 0, 2, 1, 1, 1, 1, 1, 0, 1, 2, 2, 0, 1, 2, 1, 1, 2, 2, 0, 1, 1, 1, 2, 2, 2, 0, 2, 1, 0, 2, 0, 1, 2, 1, 1, 1, 2, 1, 1, 2, 0, 2, 1, 0, 2, 2, 2, 0, 2, 2, 1, 2, 1, 2, 0, 0, 1, 1, 1, 2, 1, 1, 1, 1]> : tensor<270xi64>
    %found:2 = func.call @program(%input_0) : (tensor<3x270xi32>) -> (tensor<3xi64>, tensor<270xi64>)
    check.expect_eq %found#0, %expected_0 : tensor<3xi64>, tensor<3xi64>
    check.expect_eq %found#1, %expected_1 : tensor<270xi64>, tensor<270xi64>
    return
  }
}
