// Made by make.py. Do not edit.
// operands_are_constants
module {
  func.func private @program(%0: tensor<6xf32>) -> (tensor<2x2x2xf32>, tensor<i32>) {
    %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %a = stablehlo.dynamic_reshape %0, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %t = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi64>
    %b = stablehlo.dynamic_broadcast_in_dim %a, %t, dims = [0, 2] : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
    %n = stablehlo.get_dimension_size %b, dim = 1 : (tensor<?x?x?xf32>) -> tensor<i32>
    %l = stablehlo.constant dense<[0, 1, 0]> : tensor<3xi64>
    %h = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi64>
    %p = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
    %c = stablehlo.real_dynamic_slice %b, %l, %h, %p : (tensor<?x?x?xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<2x2x2xf32>
    return %c, %n : tensor<2x2x2xf32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-9.0, -1.0, -5.0, 7.0, -7.0, -4.0]> : tensor<6xf32>
    %expected_0 = stablehlo.constant dense<[[[-9.0, -5.0], [-9.0, -5.0]], [[7.0, -4.0], [7.0, -4.0]]]> : tensor<2x2x2xf32>
    %expected_1 = stablehlo.constant dense<4> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<6xf32>) -> (tensor<2x2x2xf32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<2x2x2xf32>, tensor<2x2x2xf32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// iota_pad_gather
module {
  func.func private @program(%0: tensor<2x1xi32>) -> (tensor<2x3xi32>) {
    %s = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
    %a = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %l = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
    %h = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
    %i = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
    %b = stablehlo.dynamic_pad %a, %z, %l, %h, %i : (tensor<?x?xi32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<8x3xi32>
    %g = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
    %c = "stablehlo.dynamic_gather"(%b, %0, %g) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<8x3xi32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x3xi32>
    return %c : tensor<2x3xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[3], [7]]> : tensor<2x1xi32>
    %expected_0 = stablehlo.constant dense<[[-1, -1, -1], [2, -1, -1]]> : tensor<2x3xi32>
    %found = func.call @program(%input_0) : (tensor<2x1xi32>) -> (tensor<2x3xi32>)
    check.expect_eq %found, %expected_0 : tensor<2x3xi32>, tensor<2x3xi32>
    return
  }
}
