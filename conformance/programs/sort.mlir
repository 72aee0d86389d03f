// Made by make.py. Do not edit.
// nan_and_signed_zeros
module {
  func.func private @program(%arg0: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xi64>) {
    %0 = call @sort(%arg0) : (tensor<12xf32>) -> tensor<12xf32>
    %1 = call @argsort(%arg0) : (tensor<12xf32>) -> tensor<12xi64>
    return %0, %1 : tensor<12xf32>, tensor<12xi64>
  }
  func.func private @sort(%arg0: tensor<12xf32>) -> tensor<12xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<12xf32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
  func.func private @argsort(%arg0: tensor<12xf32>) -> tensor<12xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<12xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<12xf32>, tensor<12xi64>) -> (tensor<12xf32>, tensor<12xi64>)
    return %1#1 : tensor<12xi64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<12xf32>
    %expected_0 = stablehlo.constant dense<[0xFF800000, -2.5, -1.0, -3.00000009e-38, 0.0, -0.0, 1.17549435e-38, 0.5, 1.0, 3.40282347e+38, 0x7F800000, 0x7FC00000]> : tensor<12xf32>
    %expected_1 = stablehlo.constant dense<[3, 11, 9, 6, 0, 1, 5, 10, 8, 7, 2, 4]> : tensor<12xi64>
    %found:2 = func.call @program(%input_0) : (tensor<12xf32>) -> (tensor<12xf32>, tensor<12xi64>)
    check.expect_eq %found#0, %expected_0 : tensor<12xf32>, tensor<12xf32>
    check.expect_eq %found#1, %expected_1 : tensor<12xi64>, tensor<12xi64>
    return
  }
}
// -----
// descending_is_stable
module {
  func.func private @program(%arg0: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xi64>) {
    %0 = stablehlo.negate %arg0 : tensor<12xf32>
    %1 = stablehlo.iota dim = 0 : tensor<12xi64>
    %2:2 = "stablehlo.sort"(%0, %1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.select %3, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %6 = stablehlo.select %5, %cst_1, %4 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.select %7, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %10 = stablehlo.select %9, %cst_4, %8 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare LT, %6, %10, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<12xf32>, tensor<12xi64>) -> (tensor<12xf32>, tensor<12xi64>)
    return %2#0, %2#1 : tensor<12xf32>, tensor<12xi64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[3.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 3.0, 2.0, 1.0, 1.0]> : tensor<12xf32>
    %expected_0 = stablehlo.constant dense<[-3.0, -3.0, -2.0, -2.0, -1.0, -1.0, -1.0, -1.0, -0.0, -0.0, -0.0, -0.0]> : tensor<12xf32>
    %expected_1 = stablehlo.constant dense<[0, 8, 3, 9, 2, 7, 10, 11, 1, 4, 5, 6]> : tensor<12xi64>
    %found:2 = func.call @program(%input_0) : (tensor<12xf32>) -> (tensor<12xf32>, tensor<12xi64>)
    check.expect_eq %found#0, %expected_0 : tensor<12xf32>, tensor<12xf32>
    check.expect_eq %found#1, %expected_1 : tensor<12xi64>, tensor<12xi64>
    return
  }
}
// -----
// two_keys
module {
  func.func private @program(%arg0: tensor<8x3xf32>, %arg1: tensor<8x3xi32>, %arg2: tensor<8x3xi8>) -> (tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x3xi8>) {
    %0:3 = "stablehlo.sort"(%arg0, %arg1, %arg2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i8>, %arg8: tensor<i8>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg3, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg3 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg4, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg4 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %arg5, %arg6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %10 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %11 = stablehlo.compare EQ, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %12 = stablehlo.and %11, %9 : tensor<i1>
      %13 = stablehlo.or %10, %12 : tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x3xi8>) -> (tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x3xi8>)
    return %0#0, %0#1, %0#2 : tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x3xi8>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[2.0, 0.0, 1.0], [1.0, 2.0, 2.0], [1.0, 2.0, 1.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0], [1.0, 0.0, 2.0], [1.0, 1.0, 2.0], [1.0, 2.0, 1.0]]> : tensor<8x3xf32>
    %input_1 = stablehlo.constant dense<[[1, 1, 1], [2, 1, 0], [2, 1, 1], [0, 1, 2], [0, 2, 2], [1, 2, 0], [0, 2, 2], [1, 0, 0]]> : tensor<8x3xi32>
    %input_2 = stablehlo.constant dense<[[-5, 6, -5], [-7, 3, -1], [3, 0, 7], [-8, -1, 5], [-5, -9, 8], [0, 5, -6], [3, -5, -2], [-7, 6, -9]]> : tensor<8x3xi8>
    %expected_0 = stablehlo.constant dense<[[1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]> : tensor<8x3xf32>
    %expected_1 = stablehlo.constant dense<[[0, 1, 0], [0, 2, 1], [1, 2, 1], [1, 2, 2], [2, 0, 2], [2, 1, 0], [0, 1, 0], [1, 1, 2]]> : tensor<8x3xi32>
    %expected_2 = stablehlo.constant dense<[[-8, 6, -9], [3, 5, -5], [0, -9, 7], [-7, -5, 5], [-7, 6, 8], [3, 3, -1], [-5, 0, -6], [-5, -1, -2]]> : tensor<8x3xi8>
    %found:3 = func.call @program(%input_0, %input_1, %input_2) : (tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x3xi8>) -> (tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x3xi8>)
    check.expect_eq %found#0, %expected_0 : tensor<8x3xf32>, tensor<8x3xf32>
    check.expect_eq %found#1, %expected_1 : tensor<8x3xi32>, tensor<8x3xi32>
    check.expect_eq %found#2, %expected_2 : tensor<8x3xi8>, tensor<8x3xi8>
    return
  }
}
// -----
// unsigned_bytes
module {
  func.func private @program(%arg0: tensor<17xui8>) -> (tensor<17xui8>) {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui8>, %arg2: tensor<ui8>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<17xui8>) -> tensor<17xui8>
    return %0 : tensor<17xui8>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[221, 97, 111, 175, 136, 18, 164, 107, 11, 136, 208, 236, 126, 13, 20, 212, 16]> : tensor<17xui8>
    %expected_0 = stablehlo.constant dense<[11, 13, 16, 18, 20, 97, 107, 111, 126, 136, 136, 164, 175, 208, 212, 221, 236]> : tensor<17xui8>
    %found = func.call @program(%input_0) : (tensor<17xui8>) -> (tensor<17xui8>)
    check.expect_eq %found, %expected_0 : tensor<17xui8>, tensor<17xui8>
    return
  }
}
// -----
// total_order
module {
  func.func private @program(%0: tensor<12xf32>) -> (tensor<12xi32>) {
    %r = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }) : (tensor<12xf32>) -> tensor<12xf32>
    %b = stablehlo.bitcast_convert %r : (tensor<12xf32>) -> tensor<12xi32>
    return %b : tensor<12xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<12xf32>
    %expected_0 = stablehlo.constant dense<[2143289344, 2139095040, 2139095039, 1065353216, 1056964608, 8388608, 0, -2147483648, -2128390682, -1082130432, -1071644672, -8388608]> : tensor<12xi32>
    %found = func.call @program(%input_0) : (tensor<12xf32>) -> (tensor<12xi32>)
    check.expect_eq %found, %expected_0 : tensor<12xi32>, tensor<12xi32>
    return
  }
}
// -----
// by_remainder
module {
  func.func private @program(%0: tensor<2x9xi32>, %1: tensor<2x9xf32>) -> (tensor<2x9xi32>, tensor<2x9xf32>) {
    %k = stablehlo.constant dense<5> : tensor<i32>
    %r:2 = "stablehlo.sort"(%0, %1) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
        %x = stablehlo.remainder %a, %k : tensor<i32>
        %y = stablehlo.remainder %b, %k : tensor<i32>
        %l = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
    }) : (tensor<2x9xi32>, tensor<2x9xf32>) -> (tensor<2x9xi32>, tensor<2x9xf32>)
    return %r#0, %r#1 : tensor<2x9xi32>, tensor<2x9xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-48, -25, -18, -6, 24, -3, 10, -22, 49], [-9, 16, 48, 13, -48, -45, 35, -21, -49]]> : tensor<2x9xi32>
    %input_1 = stablehlo.constant dense<[[8.0, -9.0, 2.0, 8.0, 4.0, 6.0, 3.0, -6.0, -9.0], [-3.0, 0.0, -8.0, 5.0, -7.0, 0.0, -4.0, -5.0, -4.0]]> : tensor<2x9xf32>
    %expected_0 = stablehlo.constant dense<[[-48, -18, -3, -22, -6, -25, 10, 24, 49], [-9, -49, -48, -21, -45, 35, 16, 48, 13]]> : tensor<2x9xi32>
    %expected_1 = stablehlo.constant dense<[[8.0, 2.0, 6.0, -6.0, 8.0, -9.0, 3.0, 4.0, -9.0], [-3.0, -4.0, -7.0, -5.0, 0.0, -4.0, 0.0, -8.0, 5.0]]> : tensor<2x9xf32>
    %found:2 = func.call @program(%input_0, %input_1) : (tensor<2x9xi32>, tensor<2x9xf32>) -> (tensor<2x9xi32>, tensor<2x9xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<2x9xi32>, tensor<2x9xi32>
    check.expect_eq %found#1, %expected_1 : tensor<2x9xf32>, tensor<2x9xf32>
    return
  }
}
// -----
// top_k_with_ties
module {
  func.func private @program(%arg0: tensor<3x9xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>) {
    %values, %indices = chlo.top_k(%arg0, k = 4) : tensor<3x9xf32> -> (tensor<3x4xf32>, tensor<3x4xi32>)
    return %values, %indices : tensor<3x4xf32>, tensor<3x4xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[1.0, 0.0, 3.0, 0.0, 3.0, 3.0, 3.0, 1.0, 2.0], [2.0, 1.0, 2.0, 3.0, 0.0, 2.0, 3.0, 0.0, 3.0], [0.0, 2.0, 3.0, 3.0, 0.0, 1.0, 1.0, 2.0, 2.0]]> : tensor<3x9xf32>
    %expected_0 = stablehlo.constant dense<[[3.0, 3.0, 3.0, 3.0], [3.0, 3.0, 3.0, 2.0], [3.0, 3.0, 2.0, 2.0]]> : tensor<3x4xf32>
    %expected_1 = stablehlo.constant dense<[[2, 4, 5, 6], [3, 6, 8, 0], [2, 3, 1, 7]]> : tensor<3x4xi32>
    %found:2 = func.call @program(%input_0) : (tensor<3x9xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<3x4xf32>, tensor<3x4xf32>
    check.expect_eq %found#1, %expected_1 : tensor<3x4xi32>, tensor<3x4xi32>
    return
  }
}
// -----
// arg_max_with_nan
module {
  func.func private @program(%arg0: tensor<3x4xf32>) -> (tensor<3xi64>, tensor<4xi64>) {
    %0 = call @argmax(%arg0) : (tensor<3x4xf32>) -> tensor<3xi64>
    %1 = call @argmin(%arg0) : (tensor<3x4xf32>) -> tensor<4xi64>
    return %0, %1 : tensor<3xi64>, tensor<4xi64>
  }
  func.func private @argmax(%arg0: tensor<3x4xf32>) -> tensor<3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xi64>)
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
    return %1#1 : tensor<3xi64>
  }
  func.func private @argmin(%arg0: tensor<3x4xf32>) -> tensor<4xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<3x4xf32>, tensor<3x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xi64>)
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
    return %1#1 : tensor<4xi64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[0.0, -0.0, 0x7F800000, 0xFF800000], [0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38], [1.0, -1.0, 0.5, -2.5]]> : tensor<3x4xf32>
    %expected_0 = stablehlo.constant dense<[2, 0, 0]> : tensor<3xi64>
    %expected_1 = stablehlo.constant dense<[1, 2, 1, 0]> : tensor<4xi64>
    %found:2 = func.call @program(%input_0) : (tensor<3x4xf32>) -> (tensor<3xi64>, tensor<4xi64>)
    check.expect_eq %found#0, %expected_0 : tensor<3xi64>, tensor<3xi64>
    check.expect_eq %found#1, %expected_1 : tensor<4xi64>, tensor<4xi64>
    return
  }
}
