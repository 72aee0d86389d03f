// Made by make.py. Do not edit.
// arithmetic_wraps
module {
  func.func private @program(%arg0: tensor<64xi32>, %arg1: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<64xi32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<64xi32>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<64xi32>
    %3 = stablehlo.negate %arg0 : tensor<64xi32>
    %4 = stablehlo.abs %arg0 : tensor<64xi32>
    %5 = stablehlo.sign %arg0 : tensor<64xi32>
    return %0, %1, %2, %3, %4, %5 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647]> : tensor<64xi32>
    %input_1 = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -7, -7, -7, -7, -7, -7, -7, -7, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<64xi32>
    %expected_0 = stablehlo.constant dense<[0, 1, 2147483641, 2147483647, -2147483648, -2147483647, -2147483645, -1, 1, 2, 2147483642, -2147483648, -2147483647, -2147483646, -2147483644, 0, 2147483641, 2147483642, -14, -8, -7, -6, -4, 2147483640, 2147483647, -2147483648, -8, -2, -1, 0, 2, 2147483646, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483647, -2147483646, -6, 0, 1, 2, 4, -2147483648, -2147483645, -2147483644, -4, 2, 3, 4, 6, -2147483646, -1, 0, 2147483640, 2147483646, 2147483647, -2147483648, -2147483646, -2]> : tensor<64xi32>
    %expected_1 = stablehlo.constant dense<[0, 1, 2147483641, 2147483647, -2147483648, -2147483647, -2147483645, -1, -1, 0, 2147483640, 2147483646, 2147483647, -2147483648, -2147483646, -2, -2147483641, -2147483640, 0, 6, 7, 8, 10, -2147483642, -2147483647, -2147483646, -6, 0, 1, 2, 4, -2147483648, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, 2147483647, -2147483648, -8, -2, -1, 0, 2, 2147483646, 2147483645, 2147483646, -10, -4, -3, -2, 0, 2147483644, 1, 2, 2147483642, -2147483648, -2147483647, -2147483646, -2147483644, 0]> : tensor<64xi32>
    %expected_2 = stablehlo.constant dense<[0, -2147483648, -2147483648, -2147483648, 0, -2147483648, -2147483648, -2147483648, -2147483648, 1, 2147483641, 2147483647, 0, -2147483647, -2147483645, -1, -2147483648, 2147483641, 49, 7, 0, -7, -21, -2147483641, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, 0, 0, 0, 0, 0, 0, 0, 0, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483645, -21, -3, 0, 3, 9, 2147483645, -2147483648, -1, -2147483641, -2147483647, 0, 2147483647, 2147483645, 1]> : tensor<64xi32>
    %expected_3 = stablehlo.constant dense<[-2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647]> : tensor<64xi32>
    %expected_4 = stablehlo.constant dense<[-2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647, -2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647, -2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647, -2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647, -2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647, -2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647, -2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647, -2147483648, 2147483647, 7, 1, 0, 1, 3, 2147483647]> : tensor<64xi32>
    %expected_5 = stablehlo.constant dense<[-1, -1, -1, -1, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 1, 1]> : tensor<64xi32>
    %found:6 = func.call @program(%input_0, %input_1) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<64xi32>, tensor<64xi32>
    check.expect_eq %found#1, %expected_1 : tensor<64xi32>, tensor<64xi32>
    check.expect_eq %found#2, %expected_2 : tensor<64xi32>, tensor<64xi32>
    check.expect_eq %found#3, %expected_3 : tensor<64xi32>, tensor<64xi32>
    check.expect_eq %found#4, %expected_4 : tensor<64xi32>, tensor<64xi32>
    check.expect_eq %found#5, %expected_5 : tensor<64xi32>, tensor<64xi32>
    return
  }
}
// -----
// division_and_remainder
module {
  func.func private @program(%arg0: tensor<64xi32>, %arg1: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>) {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<64xi32>
    %1 = stablehlo.remainder %arg0, %arg1 : tensor<64xi32>
    return %0, %1 : tensor<64xi32>, tensor<64xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647]> : tensor<64xi32>
    %input_1 = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -7, -7, -7, -7, -7, -7, -7, -7, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<64xi32>
    %expected_0 = stablehlo.constant dense<[1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, -1, 306783378, 306783378, 1, 0, 0, 0, 0, -306783378, -2147483648, 2147483647, 7, 1, 0, -1, -3, -2147483647, -1, -1, -1, -1, -1, -1, -1, -1, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, -715827882, -715827882, -2, 0, 0, 0, 1, 715827882, -1, -1, 0, 0, 0, 0, 0, 1]> : tensor<64xi32>
    %expected_1 = stablehlo.constant dense<[0, -2147483647, -7, -1, 0, 1, 3, 2147483647, -1, 0, -7, -1, 0, 1, 3, 0, -2, -1, 0, -1, 0, 1, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, -2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647, 0, 0, 0, 0, 0, 0, 0, 0, -2, -1, -1, -1, 0, 1, 0, 1, -1, 0, -7, -1, 0, 1, 3, 0]> : tensor<64xi32>
    %found:2 = func.call @program(%input_0, %input_1) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<64xi32>, tensor<64xi32>
    check.expect_eq %found#1, %expected_1 : tensor<64xi32>, tensor<64xi32>
    return
  }
}
// -----
// unsigned_division
module {
  func.func private @program(%arg0: tensor<64xui32>, %arg1: tensor<64xui32>) -> (tensor<64xui32>, tensor<64xui32>, tensor<64xui32>) {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<64xui32>
    %1 = stablehlo.remainder %arg0, %arg1 : tensor<64xui32>
    %2 = stablehlo.maximum %arg0, %arg1 : tensor<64xui32>
    return %0, %1, %2 : tensor<64xui32>, tensor<64xui32>, tensor<64xui32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647]> : tensor<64xui32>
    %input_1 = stablehlo.constant dense<[2147483648, 2147483648, 2147483648, 2147483648, 2147483648, 2147483648, 2147483648, 2147483648, 2147483649, 2147483649, 2147483649, 2147483649, 2147483649, 2147483649, 2147483649, 2147483649, 4294967289, 4294967289, 4294967289, 4294967289, 4294967289, 4294967289, 4294967289, 4294967289, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<64xui32>
    %expected_0 = stablehlo.constant dense<[1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 715827882, 715827883, 1431655763, 1431655765, 0, 0, 1, 715827882, 1, 1, 1, 2, 0, 0, 0, 1]> : tensor<64xui32>
    %expected_1 = stablehlo.constant dense<[0, 1, 2147483641, 2147483647, 0, 1, 3, 2147483647, 2147483648, 0, 2147483640, 2147483646, 0, 1, 3, 2147483647, 2147483648, 2147483649, 0, 6, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 0, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 1, 1, 2, 2147483642, 1, 0, 1, 3, 0]> : tensor<64xui32>
    %expected_2 = stablehlo.constant dense<[2147483648, 2147483649, 4294967289, 4294967295, 2147483648, 2147483648, 2147483648, 2147483648, 2147483649, 2147483649, 4294967289, 4294967295, 2147483649, 2147483649, 2147483649, 2147483649, 4294967289, 4294967289, 4294967289, 4294967295, 4294967289, 4294967289, 4294967289, 4294967289, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 2147483648, 2147483649, 4294967289, 4294967295, 0, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 1, 1, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 3, 3, 3, 2147483647, 2147483648, 2147483649, 4294967289, 4294967295, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<64xui32>
    %found:3 = func.call @program(%input_0, %input_1) : (tensor<64xui32>, tensor<64xui32>) -> (tensor<64xui32>, tensor<64xui32>, tensor<64xui32>)
    check.expect_eq %found#0, %expected_0 : tensor<64xui32>, tensor<64xui32>
    check.expect_eq %found#1, %expected_1 : tensor<64xui32>, tensor<64xui32>
    check.expect_eq %found#2, %expected_2 : tensor<64xui32>, tensor<64xui32>
    return
  }
}
// -----
// powers
module {
  func.func private @program(%arg0: tensor<40xi32>, %arg1: tensor<40xi32>) -> (tensor<40xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %1 = stablehlo.compare EQ, %arg0, %0, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %3 = stablehlo.compare NE, %arg1, %2, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %4 = stablehlo.and %1, %3 : tensor<40xi1>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %5 = call @_where(%4, %c_1, %c_2) : (tensor<40xi1>, tensor<i32>, tensor<i32>) -> tensor<40xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %7 = stablehlo.and %arg1, %6 : tensor<40xi32>
    %8 = stablehlo.multiply %5, %arg0 : tensor<40xi32>
    %9 = call @_where_0(%7, %8, %5) : (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    %10 = stablehlo.multiply %arg0, %arg0 : tensor<40xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %12 = stablehlo.shift_right_logical %arg1, %11 : tensor<40xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %14 = stablehlo.and %12, %13 : tensor<40xi32>
    %15 = stablehlo.multiply %9, %10 : tensor<40xi32>
    %16 = call @_where_0(%14, %15, %9) : (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    %17 = stablehlo.multiply %10, %10 : tensor<40xi32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %19 = stablehlo.shift_right_logical %12, %18 : tensor<40xi32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %21 = stablehlo.and %19, %20 : tensor<40xi32>
    %22 = stablehlo.multiply %16, %17 : tensor<40xi32>
    %23 = call @_where_0(%21, %22, %16) : (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    %24 = stablehlo.multiply %17, %17 : tensor<40xi32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %26 = stablehlo.shift_right_logical %19, %25 : tensor<40xi32>
    %c_9 = stablehlo.constant dense<1> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %28 = stablehlo.and %26, %27 : tensor<40xi32>
    %29 = stablehlo.multiply %23, %24 : tensor<40xi32>
    %30 = call @_where_0(%28, %29, %23) : (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    %31 = stablehlo.multiply %24, %24 : tensor<40xi32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %33 = stablehlo.shift_right_logical %26, %32 : tensor<40xi32>
    %c_11 = stablehlo.constant dense<1> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %35 = stablehlo.and %33, %34 : tensor<40xi32>
    %36 = stablehlo.multiply %30, %31 : tensor<40xi32>
    %37 = call @_where_0(%35, %36, %30) : (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    %38 = stablehlo.multiply %31, %31 : tensor<40xi32>
    %c_12 = stablehlo.constant dense<1> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %40 = stablehlo.shift_right_logical %33, %39 : tensor<40xi32>
    %c_13 = stablehlo.constant dense<1> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %42 = stablehlo.and %40, %41 : tensor<40xi32>
    %43 = stablehlo.multiply %37, %38 : tensor<40xi32>
    %44 = call @_where_0(%42, %43, %37) : (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    return %44 : tensor<40xi32>
  }
  func.func private @_where(%arg0: tensor<40xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<40xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<40xi1>, tensor<40xi32>
    return %2 : tensor<40xi32>
  }
  func.func private @_where_0(%arg0: tensor<40xi32>, %arg1: tensor<40xi32>, %arg2: tensor<40xi32>) -> tensor<40xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %1 = stablehlo.compare NE, %arg0, %0, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %2 = stablehlo.select %1, %arg1, %arg2 : tensor<40xi1>, tensor<40xi32>
    return %2 : tensor<40xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -7, -7, -7, -7, -7, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<40xi32>
    %input_1 = stablehlo.constant dense<[0, 1, 2, 31, 32, 0, 1, 2, 31, 32, 0, 1, 2, 31, 32, 0, 1, 2, 31, 32, 0, 1, 2, 31, 32, 0, 1, 2, 31, 32, 0, 1, 2, 31, 32, 0, 1, 2, 31, 32]> : tensor<40xi32>
    %expected_0 = stablehlo.constant dense<[1, -2147483648, 0, 0, 0, 1, -2147483647, 1, -2147483647, 1, 1, -7, 49, -265001655, 1855011585, 1, -1, 1, -1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 9, 1264544299, -501334399, 1, 2147483647, 1, 2147483647, 1]> : tensor<40xi32>
    %found = func.call @program(%input_0, %input_1) : (tensor<40xi32>, tensor<40xi32>) -> (tensor<40xi32>)
    check.expect_eq %found, %expected_0 : tensor<40xi32>, tensor<40xi32>
    return
  }
}
// -----
// powers_negative
module {
  func.func private @program(%0: tensor<5xi32>, %1: tensor<5xi32>) -> (tensor<5xi32>) {
    %r = stablehlo.power %0, %1 : tensor<5xi32>
    return %r : tensor<5xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[1, -1, -1, 2, 5]> : tensor<5xi32>
    %input_1 = stablehlo.constant dense<[-3, -3, -2, -1, -5]> : tensor<5xi32>
    %expected_0 = stablehlo.constant dense<[1, -1, 1, 0, 0]> : tensor<5xi32>
    %found = func.call @program(%input_0, %input_1) : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>)
    check.expect_eq %found, %expected_0 : tensor<5xi32>, tensor<5xi32>
    return
  }
}
// -----
// shifts
module {
  func.func private @program(%arg0: tensor<48xi32>, %arg1: tensor<48xi32>) -> (tensor<48xi32>, tensor<48xi32>, tensor<48xi32>) {
    %0 = stablehlo.shift_left %arg0, %arg1 : tensor<48xi32>
    %1 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<48xi32>
    %2 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<48xi32>
    return %0, %1, %2 : tensor<48xi32>, tensor<48xi32>, tensor<48xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483648, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -2147483647, -7, -7, -7, -7, -7, -7, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647, 2147483647]> : tensor<48xi32>
    %input_1 = stablehlo.constant dense<[0, 1, 31, 32, 33, -1, 0, 1, 31, 32, 33, -1, 0, 1, 31, 32, 33, -1, 0, 1, 31, 32, 33, -1, 0, 1, 31, 32, 33, -1, 0, 1, 31, 32, 33, -1, 0, 1, 31, 32, 33, -1, 0, 1, 31, 32, 33, -1]> : tensor<48xi32>
    %expected_0 = stablehlo.constant dense<[-2147483648, 0, 0, 0, 0, 0, -2147483647, 2, -2147483648, 0, 0, 0, -7, -14, -2147483648, 0, 0, 0, -1, -2, -2147483648, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, -2147483648, 0, 0, 0, 3, 6, -2147483648, 0, 0, 0, 2147483647, -2, -2147483648, 0, 0, 0]> : tensor<48xi32>
    %expected_1 = stablehlo.constant dense<[-2147483648, 1073741824, 1, 0, 0, 0, -2147483647, 1073741824, 1, 0, 0, 0, -7, 2147483644, 1, 0, 0, 0, -1, 2147483647, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 2147483647, 1073741823, 0, 0, 0, 0]> : tensor<48xi32>
    %expected_2 = stablehlo.constant dense<[-2147483648, -1073741824, -1, -1, -1, -1, -2147483647, -1073741824, -1, -1, -1, -1, -7, -4, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 2147483647, 1073741823, 0, 0, 0, 0]> : tensor<48xi32>
    %found:3 = func.call @program(%input_0, %input_1) : (tensor<48xi32>, tensor<48xi32>) -> (tensor<48xi32>, tensor<48xi32>, tensor<48xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<48xi32>, tensor<48xi32>
    check.expect_eq %found#1, %expected_1 : tensor<48xi32>, tensor<48xi32>
    check.expect_eq %found#2, %expected_2 : tensor<48xi32>, tensor<48xi32>
    return
  }
}
// -----
// bytes
module {
  func.func private @program(%arg0: tensor<32xi8>, %arg1: tensor<32xi8>) -> (tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<32xi8>
    %1 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<32xi8>
    %2 = stablehlo.count_leading_zeros %arg0 : tensor<32xi8>
    %3 = stablehlo.popcnt %arg1 : tensor<32xi8>
    %4 = stablehlo.maximum %arg0, %arg1 : tensor<32xi8>
    %5 = stablehlo.not %arg1 : tensor<32xi8>
    %6 = stablehlo.xor %arg0, %5 : tensor<32xi8>
    return %0, %1, %2, %3, %4, %6 : tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-39, 13, 126, 116, -14, -57, -31, -72, 28, -104, 125, 35, 70, 17, 44, 16, -113, -103, 79, -10, 59, -1, 102, 40, 65, -66, -55, 18, 13, -97, -109, -122]> : tensor<32xi8>
    %input_1 = stablehlo.constant dense<[-49, -39, 70, 14, -26, -60, 101, 44, -90, -73, -28, -95, -94, 114, 89, -72, -36, -83, 95, -62, -12, -75, -36, -111, -82, 59, -5, -125, -103, 34, 63, 127]> : tensor<32xi8>
    %expected_0 = stablehlo.constant dense<[119, 5, 116, 88, 108, 92, -59, -96, 40, -88, 84, 3, 76, -110, 76, -128, -28, 101, 81, 108, 60, 75, -88, -88, 46, -54, 19, 54, -59, 30, 45, 122]> : tensor<32xi8>
    %expected_1 = stablehlo.constant dense<[-1, 0, 0, 0, -1, -1, -1, -1, 0, -1, 0, 0, 0, 0, 0, 0, -1, -1, 0, -1, 0, -1, 0, 0, 0, -1, -1, 0, 0, -1, -1, -1]> : tensor<32xi8>
    %expected_2 = stablehlo.constant dense<[0, 4, 1, 1, 0, 0, 0, 0, 3, 0, 1, 2, 1, 3, 2, 3, 0, 0, 1, 0, 2, 0, 1, 2, 1, 0, 0, 3, 4, 0, 0, 0]> : tensor<32xi8>
    %expected_3 = stablehlo.constant dense<[6, 5, 3, 3, 5, 3, 4, 3, 4, 6, 4, 3, 3, 4, 4, 4, 5, 5, 6, 3, 5, 5, 5, 3, 5, 5, 7, 3, 4, 2, 6, 7]> : tensor<32xi8>
    %expected_4 = stablehlo.constant dense<[-39, 13, 126, 116, -14, -57, 101, 44, 28, -73, 125, 35, 70, 114, 89, 16, -36, -83, 95, -10, 59, -1, 102, 40, 65, 59, -5, 18, 13, 34, 63, 127]> : tensor<32xi8>
    %expected_5 = stablehlo.constant dense<[-23, 43, -57, -123, -21, -4, 123, 107, 69, -48, 102, 125, 27, -100, -118, 87, -84, -53, -17, -53, 48, -75, 69, 70, 16, 122, -51, 110, 107, 66, 83, 6]> : tensor<32xi8>
    %found:6 = func.call @program(%input_0, %input_1) : (tensor<32xi8>, tensor<32xi8>) -> (tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>, tensor<32xi8>)
    check.expect_eq %found#0, %expected_0 : tensor<32xi8>, tensor<32xi8>
    check.expect_eq %found#1, %expected_1 : tensor<32xi8>, tensor<32xi8>
    check.expect_eq %found#2, %expected_2 : tensor<32xi8>, tensor<32xi8>
    check.expect_eq %found#3, %expected_3 : tensor<32xi8>, tensor<32xi8>
    check.expect_eq %found#4, %expected_4 : tensor<32xi8>, tensor<32xi8>
    check.expect_eq %found#5, %expected_5 : tensor<32xi8>, tensor<32xi8>
    return
  }
}
// -----
// long_words
module {
  func.func private @program(%arg0: tensor<9xi64>, %arg1: tensor<9xi64>) -> (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi1>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<9xi64>
    %1 = call @floor_divide(%arg0, %arg1) : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
    %2 = stablehlo.remainder %arg0, %arg1 : tensor<9xi64>
    %3 = stablehlo.count_leading_zeros %arg0 : tensor<9xi64>
    %4 = stablehlo.compare LT, %arg0, %arg1, SIGNED : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi1>
    return %0, %1, %2, %3, %4 : tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi1>
  }
  func.func private @floor_divide(%arg0: tensor<9xi64>, %arg1: tensor<9xi64>) -> tensor<9xi64> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<9xi64>
    %1 = stablehlo.sign %arg0 : tensor<9xi64>
    %2 = stablehlo.sign %arg1 : tensor<9xi64>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<9xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<9xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi1>
    %7 = stablehlo.and %3, %6 : tensor<9xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<9xi64>
    %9 = stablehlo.subtract %0, %8 : tensor<9xi64>
    %10 = call @_where(%7, %9, %0) : (tensor<9xi1>, tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
    return %10 : tensor<9xi64>
  }
  func.func private @_where(%arg0: tensor<9xi1>, %arg1: tensor<9xi64>, %arg2: tensor<9xi64>) -> tensor<9xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<9xi1>, tensor<9xi64>
    return %0 : tensor<9xi64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[2122074780927615950, -1720420317016695542, 405873924349478008, -2866535098820140444, -6954823140002066931, -3390173483382974273, 3038245273229506129, -8334935478691373058, 4825808693905366011]> : tensor<9xi64>
    %input_1 = stablehlo.constant dense<[1171492017941930865, -8135682899990654372, -1745725881205498, 5262215209000901629, 77494579944562755, -1364385463868019706, -4587330072277048681, -8702819898262099015, 6847225338390381059]> : tensor<9xi64>
    %expected_0 = stablehlo.constant dense<[-7020931360406521874, -898481093579070568, 1959573366699406032, -6107424007966275372, -4831003425088615065, 1090863064703461498, -7873147925526361145, 780559239623477390, -4475796885234136591]> : tensor<9xi64>
    %expected_1 = stablehlo.constant dense<[1, 0, -233, -1, -90, 2, -1, 0, 0]> : tensor<9xi64>
    %expected_2 = stablehlo.constant dense<[950582762985685085, -1720420317016695542, 865519909802472, -2866535098820140444, -57805524935981736, -661402555646934861, 3038245273229506129, -8334935478691373058, 4825808693905366011]> : tensor<9xi64>
    %expected_3 = stablehlo.constant dense<[3, 0, 5, 0, 0, 0, 2, 0, 1]> : tensor<9xi64>
    %expected_4 = stablehlo.constant dense<[false, false, false, true, true, true, false, false, true]> : tensor<9xi1>
    %found:5 = func.call @program(%input_0, %input_1) : (tensor<9xi64>, tensor<9xi64>) -> (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi1>)
    check.expect_eq %found#0, %expected_0 : tensor<9xi64>, tensor<9xi64>
    check.expect_eq %found#1, %expected_1 : tensor<9xi64>, tensor<9xi64>
    check.expect_eq %found#2, %expected_2 : tensor<9xi64>, tensor<9xi64>
    check.expect_eq %found#3, %expected_3 : tensor<9xi64>, tensor<9xi64>
    check.expect_eq %found#4, %expected_4 : tensor<9xi1>, tensor<9xi1>
    return
  }
}
// -----
// unsigned_long_words
module {
  func.func private @program(%arg0: tensor<9xui64>, %arg1: tensor<9xui64>) -> (tensor<9xui64>, tensor<9xui64>, tensor<9xf32>, tensor<9xi1>) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<9xui64>
    %1 = stablehlo.divide %arg0, %arg1 : tensor<9xui64>
    %2 = stablehlo.convert %arg0 : (tensor<9xui64>) -> tensor<9xf32>
    %3 = stablehlo.compare LT, %arg0, %arg1, UNSIGNED : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xi1>
    return %0, %1, %2, %3 : tensor<9xui64>, tensor<9xui64>, tensor<9xf32>, tensor<9xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[15754415367658731600, 17497802620762048299, 2456620547216571230, 10202884229170114354, 7390438569466912166, 10956094585610399773, 4271973524055683172, 8772656131648857837, 982414879711776982]> : tensor<9xui64>
    %input_1 = stablehlo.constant dense<[12651660085698874158, 10498220178499954212, 16293707598220740424, 2675644816748520274, 9041656241582063790, 6299360678783092390, 5106968246102237104, 16309806058907664937, 8275613366066967845]> : tensor<9xui64>
    %expected_0 = stablehlo.constant dense<[5472912803912486496, 6283992723947627532, 4141660381881746544, 12046849311947486212, 9613520121087665876, 3515742440454709454, 10036401122489884864, 5927064083521836533, 13119349319896300782]> : tensor<9xui64>
    %expected_1 = stablehlo.constant dense<[1, 1, 0, 3, 0, 1, 0, 0, 0]> : tensor<9xui64>
    %expected_2 = stablehlo.constant dense<[1.5754415e+19, 1.74978029e+19, 2.45662041e+18, 1.02028841e+19, 7.39043832e+18, 1.09560946e+19, 4.27197348e+18, 8.77265638e+18, 9.82414876e+17]> : tensor<9xf32>
    %expected_3 = stablehlo.constant dense<[false, false, true, false, true, false, true, true, true]> : tensor<9xi1>
    %found:4 = func.call @program(%input_0, %input_1) : (tensor<9xui64>, tensor<9xui64>) -> (tensor<9xui64>, tensor<9xui64>, tensor<9xf32>, tensor<9xi1>)
    check.expect_eq %found#0, %expected_0 : tensor<9xui64>, tensor<9xui64>
    check.expect_eq %found#1, %expected_1 : tensor<9xui64>, tensor<9xui64>
    check.expect_eq %found#2, %expected_2 : tensor<9xf32>, tensor<9xf32>
    check.expect_eq %found#3, %expected_3 : tensor<9xi1>, tensor<9xi1>
    return
  }
}
// -----
// narrow
module {
  func.func private @program(%arg0: tensor<16xi4>, %arg1: tensor<16xi4>) -> (tensor<16xi4>, tensor<16xi4>, tensor<16xi4>, tensor<16xi32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<16xi4>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<16xi4>
    %2 = stablehlo.maximum %arg0, %arg1 : tensor<16xi4>
    %3 = stablehlo.convert %arg0 : (tensor<16xi4>) -> tensor<16xi32>
    return %0, %1, %2, %3 : tensor<16xi4>, tensor<16xi4>, tensor<16xi4>, tensor<16xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[5, 6, -6, 2, -6, -3, 6, -5, 6, 6, 7, 6, 7, -5, 6, -2]> : tensor<16xi4>
    %input_1 = stablehlo.constant dense<[7, 3, -1, 1, -6, -2, 7, -6, -5, -5, -7, 7, 0, 7, -2, -8]> : tensor<16xi4>
    %expected_0 = stablehlo.constant dense<[-4, -7, -7, 3, 4, -5, -3, 5, 1, 1, 0, -3, 7, 2, 4, 6]> : tensor<16xi4>
    %expected_1 = stablehlo.constant dense<[3, 2, 6, 2, 4, 6, -6, -2, 2, 2, -1, -6, 0, -3, 4, 0]> : tensor<16xi4>
    %expected_2 = stablehlo.constant dense<[7, 6, -1, 2, -6, -2, 7, -5, 6, 6, 7, 7, 7, 7, 6, -2]> : tensor<16xi4>
    %expected_3 = stablehlo.constant dense<[5, 6, -6, 2, -6, -3, 6, -5, 6, 6, 7, 6, 7, -5, 6, -2]> : tensor<16xi32>
    %found:4 = func.call @program(%input_0, %input_1) : (tensor<16xi4>, tensor<16xi4>) -> (tensor<16xi4>, tensor<16xi4>, tensor<16xi4>, tensor<16xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<16xi4>, tensor<16xi4>
    check.expect_eq %found#1, %expected_1 : tensor<16xi4>, tensor<16xi4>
    check.expect_eq %found#2, %expected_2 : tensor<16xi4>, tensor<16xi4>
    check.expect_eq %found#3, %expected_3 : tensor<16xi32>, tensor<16xi32>
    return
  }
}
// -----
// predicates
module {
  func.func private @program(%arg0: tensor<4xi1>, %arg1: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.and %arg0, %arg1 : tensor<4xi1>
    %1 = stablehlo.or %arg0, %arg1 : tensor<4xi1>
    %2 = stablehlo.xor %arg0, %arg1 : tensor<4xi1>
    %3 = stablehlo.not %arg0 : tensor<4xi1>
    %4 = stablehlo.compare LT, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %5 = stablehlo.maximum %arg0, %arg1 : tensor<4xi1>
    %6 = stablehlo.minimum %arg0, %arg1 : tensor<4xi1>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %input_1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    %expected_0 = stablehlo.constant dense<[false, false, false, true]> : tensor<4xi1>
    %expected_1 = stablehlo.constant dense<[false, true, true, true]> : tensor<4xi1>
    %expected_2 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
    %expected_3 = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
    %expected_4 = stablehlo.constant dense<[false, true, false, false]> : tensor<4xi1>
    %expected_5 = stablehlo.constant dense<[false, true, true, true]> : tensor<4xi1>
    %expected_6 = stablehlo.constant dense<[false, false, false, true]> : tensor<4xi1>
    %found:7 = func.call @program(%input_0, %input_1) : (tensor<4xi1>, tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>)
    check.expect_eq %found#0, %expected_0 : tensor<4xi1>, tensor<4xi1>
    check.expect_eq %found#1, %expected_1 : tensor<4xi1>, tensor<4xi1>
    check.expect_eq %found#2, %expected_2 : tensor<4xi1>, tensor<4xi1>
    check.expect_eq %found#3, %expected_3 : tensor<4xi1>, tensor<4xi1>
    check.expect_eq %found#4, %expected_4 : tensor<4xi1>, tensor<4xi1>
    check.expect_eq %found#5, %expected_5 : tensor<4xi1>, tensor<4xi1>
    check.expect_eq %found#6, %expected_6 : tensor<4xi1>, tensor<4xi1>
    return
  }
}
// -----
// floats_to_integers
module {
  func.func private @program(%arg0: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xui8>, tensor<8xi8>, tensor<8xi1>) {
    %0 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xi32>
    %1 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xui8>
    %2 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xi8>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.compare NE, %arg0, %3, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %5 = stablehlo.convert %4 : tensor<8xi1>
    return %0, %1, %2, %5 : tensor<8xi32>, tensor<8xui8>, tensor<8xi8>, tensor<8xi1>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.899999976, -0.899999976, 1.5, 127.900002, -0.899999976, 99.9899979, 0.0, -0.0]> : tensor<8xf32>
    %expected_0 = stablehlo.constant dense<[0, 0, 1, 127, 0, 99, 0, 0]> : tensor<8xi32>
    %expected_1 = stablehlo.constant dense<[0, 0, 1, 127, 0, 99, 0, 0]> : tensor<8xui8>
    %expected_2 = stablehlo.constant dense<[0, 0, 1, 127, 0, 99, 0, 0]> : tensor<8xi8>
    %expected_3 = stablehlo.constant dense<[true, true, true, true, true, true, false, false]> : tensor<8xi1>
    %found:4 = func.call @program(%input_0) : (tensor<8xf32>) -> (tensor<8xi32>, tensor<8xui8>, tensor<8xi8>, tensor<8xi1>)
    check.expect_eq %found#0, %expected_0 : tensor<8xi32>, tensor<8xi32>
    check.expect_eq %found#1, %expected_1 : tensor<8xui8>, tensor<8xui8>
    check.expect_eq %found#2, %expected_2 : tensor<8xi8>, tensor<8xi8>
    check.expect_eq %found#3, %expected_3 : tensor<8xi1>, tensor<8xi1>
    return
  }
}
// -----
// floats_out_of_range
module {
  func.func private @program(%arg0: tensor<6xf32>) -> (tensor<6xi32>, tensor<6xi64>, tensor<6xui32>) {
    %0 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xi32>
    %1 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xi64>
    %2 = stablehlo.convert %arg0 : (tensor<6xf32>) -> tensor<6xui32>
    return %0, %1, %2 : tensor<6xi32>, tensor<6xi64>, tensor<6xui32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[3e+09, -3e+09, 0x7F800000, 0xFF800000, 0x7FC00000, 1.00000002e+30]> : tensor<6xf32>
    %expected_0 = stablehlo.constant dense<[2147483647, -2147483648, 2147483647, -2147483648, 0, 2147483647]> : tensor<6xi32>
    %expected_1 = stablehlo.constant dense<[3000000000, -3000000000, 9223372036854775807, -9223372036854775808, 0, 9223372036854775807]> : tensor<6xi64>
    %expected_2 = stablehlo.constant dense<[3000000000, 0, 4294967295, 0, 0, 4294967295]> : tensor<6xui32>
    %found:3 = func.call @program(%input_0) : (tensor<6xf32>) -> (tensor<6xi32>, tensor<6xi64>, tensor<6xui32>)
    check.expect_eq %found#0, %expected_0 : tensor<6xi32>, tensor<6xi32>
    check.expect_eq %found#1, %expected_1 : tensor<6xi64>, tensor<6xi64>
    check.expect_eq %found#2, %expected_2 : tensor<6xui32>, tensor<6xui32>
    return
  }
}
// -----
// narrowing_wraps
module {
  func.func private @program(%arg0: tensor<8xi32>) -> (tensor<8xi8>, tensor<8xui16>, tensor<8xi64>) {
    %0 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xi8>
    %1 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xui16>
    %2 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xi64>
    return %0, %1, %2 : tensor<8xi8>, tensor<8xui16>, tensor<8xi64>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647]> : tensor<8xi32>
    %expected_0 = stablehlo.constant dense<[0, 1, -7, -1, 0, 1, 3, -1]> : tensor<8xi8>
    %expected_1 = stablehlo.constant dense<[0, 1, 65529, 65535, 0, 1, 3, 65535]> : tensor<8xui16>
    %expected_2 = stablehlo.constant dense<[-2147483648, -2147483647, -7, -1, 0, 1, 3, 2147483647]> : tensor<8xi64>
    %found:3 = func.call @program(%input_0) : (tensor<8xi32>) -> (tensor<8xi8>, tensor<8xui16>, tensor<8xi64>)
    check.expect_eq %found#0, %expected_0 : tensor<8xi8>, tensor<8xi8>
    check.expect_eq %found#1, %expected_1 : tensor<8xui16>, tensor<8xui16>
    check.expect_eq %found#2, %expected_2 : tensor<8xi64>, tensor<8xi64>
    return
  }
}
