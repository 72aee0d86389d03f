// Made by make.py. Do not edit.
// gather_out_of_bounds_clips
module {
  func.func private @program(%arg0: tensor<5x6xf32>, %arg1: tensor<4x1xi32>) -> (tensor<4x6xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<4x1xi32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-4.0, -2.0, 1.0, 7.0, -9.0, 2.0], [-4.0, 2.0, -7.0, 3.0, -5.0, 4.0], [7.0, 2.0, -9.0, -6.0, -5.0, -8.0], [-1.0, -6.0, 6.0, 0.0, -2.0, 8.0], [-7.0, 0.0, 1.0, -3.0, 0.0, -2.0]]> : tensor<5x6xf32>
    %input_1 = stablehlo.constant dense<[[-3], [9], [2], [4]]> : tensor<4x1xi32>
    %expected_0 = stablehlo.constant dense<[[-4.0, -2.0, 1.0, 7.0, -9.0, 2.0], [-7.0, 0.0, 1.0, -3.0, 0.0, -2.0], [7.0, 2.0, -9.0, -6.0, -5.0, -8.0], [-7.0, 0.0, 1.0, -3.0, 0.0, -2.0]]> : tensor<4x6xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<5x6xf32>, tensor<4x1xi32>) -> (tensor<4x6xf32>)
    check.expect_eq %found, %expected_0 : tensor<4x6xf32>, tensor<4x6xf32>
    return
  }
}
// -----
// gather_out_of_bounds_fills
module {
  func.func private @program(%arg0: tensor<5x6xf32>, %arg1: tensor<4x2xi32>) -> (tensor<4xf32>) {
    %c = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x2xi32>
    %1 = stablehlo.compare GE, %arg1, %0, SIGNED : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x2xi1>
    %2 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xi32>) -> tensor<1x2xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x2xi32>) -> tensor<4x2xi32>
    %4 = stablehlo.compare LE, %arg1, %3, SIGNED : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x2xi1>
    %5 = stablehlo.and %1, %4 : tensor<4x2xi1>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %6 = stablehlo.reduce(%5 init: %c_1) applies stablehlo.and across dimensions = [1] : (tensor<4x2xi1>, tensor<i1>) -> tensor<4xi1>
    %7 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<4x2xi32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.select %6, %7, %8 : tensor<4xi1>, tensor<4xf32>
    return %9 : tensor<4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[0.0, -9.0, -7.0, 8.0, 5.0, -5.0], [0.0, 3.0, 0.0, -6.0, -1.0, -5.0], [-1.0, 8.0, 5.0, 0.0, 0.0, 6.0], [-9.0, 7.0, -4.0, -2.0, -5.0, 2.0], [0.0, -4.0, 5.0, 0.0, -5.0, -5.0]]> : tensor<5x6xf32>
    %input_1 = stablehlo.constant dense<[[-3, 1], [4, 5], [2, 2], [5, 0]]> : tensor<4x2xi32>
    %expected_0 = stablehlo.constant dense<[0x7FC00000, -5.0, 5.0, 0x7FC00000]> : tensor<4xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<5x6xf32>, tensor<4x2xi32>) -> (tensor<4xf32>)
    check.expect_eq %found, %expected_0 : tensor<4xf32>, tensor<4xf32>
    return
  }
}
// -----
// gather_windows_at_the_edge
module {
  func.func private @program(%arg0: tensor<5x6xf32>, %arg1: tensor<3x2xi32>) -> (tensor<3x3x2xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3, 2>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3x3x2xf32>
    return %0 : tensor<3x3x2xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[5.0, 6.0, -5.0, 5.0, 8.0, 3.0], [1.0, -7.0, 7.0, 7.0, 2.0, 7.0], [-4.0, -9.0, 8.0, 6.0, -2.0, -1.0], [0.0, 6.0, 0.0, -8.0, -1.0, -4.0], [7.0, 6.0, -6.0, -3.0, -3.0, 6.0]]> : tensor<5x6xf32>
    %input_1 = stablehlo.constant dense<[[3, 4], [-1, 3], [1, 1]]> : tensor<3x2xi32>
    %expected_0 = stablehlo.constant dense<[[[6.0, -2.0], [-8.0, -1.0], [-3.0, -3.0]], [[-4.0, -9.0], [0.0, 6.0], [7.0, 6.0]], [[-7.0, 7.0], [-9.0, 8.0], [6.0, 0.0]]]> : tensor<3x3x2xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<5x6xf32>, tensor<3x2xi32>) -> (tensor<3x3x2xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x3x2xf32>, tensor<3x3x2xf32>
    return
  }
}
// -----
// gather_with_wide_indices
module {
  func.func private @program(%arg0: tensor<4x3xf32>, %arg1: tensor<3x1xi64>) -> (tensor<3x3xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<3x1xi64>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-4.0, 5.0, 7.0], [-5.0, -6.0, 1.0], [-4.0, 3.0, -1.0], [5.0, -8.0, -4.0]]> : tensor<4x3xf32>
    %input_1 = stablehlo.constant dense<[[1099511627776], [-1099511627776], [3]]> : tensor<3x1xi64>
    %expected_0 = stablehlo.constant dense<[[5.0, -8.0, -4.0], [-4.0, 5.0, 7.0], [5.0, -8.0, -4.0]]> : tensor<3x3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<4x3xf32>, tensor<3x1xi64>) -> (tensor<3x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x3xf32>, tensor<3x3xf32>
    return
  }
}
// -----
// gather_with_unsigned_bytes
module {
  func.func private @program(%arg0: tensor<200xf32>, %arg1: tensor<4x1xui8>) -> (tensor<4xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<200xf32>, tensor<4x1xui8>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-9.0, -1.0, 5.0, 6.0, -7.0, 1.0, 4.0, -3.0, -8.0, 3.0, 7.0, -7.0, 1.0, 2.0, 6.0, -3.0, 0.0, 2.0, 5.0, 0.0, 8.0, -8.0, -9.0, -1.0, -5.0, -9.0, -6.0, -8.0, 1.0, -2.0, -7.0, -9.0, 3.0, 3.0, 4.0, 5.0, 7.0, 2.0, -8.0, -7.0, 8.0, -5.0, 8.0, 6.0, -7.0, -7.0, -4.0, -1.0, -5.0, -7.0, 7.0, -5.0, -9.0, 5.0, 7.0, 7.0, 0.0, -1.0, -9.0, 8.0, 4.0, -2.0, -9.0, -9.0, 3.0, 8.0, -2.0, -8.0, 4.0, -1.0, -6.0, 0.0, 7.0, -6.0, -3.0, 5.0, 0.0, 2.0, -9.0, 7.0, 4.0, -4.0, -7.0, 3.0, 2.0, -6.0, -5.0, 1.0, 5.0, 0.0, 1.0, -4.0, -3.0, -9.0, 5.0, 6.0, -7.0, 5.0, -9.0, 3.0, 8.0, -1.0, -4.0, 0.0, 0.0, 7.0, 2.0, 5.0, 2.0, -3.0, 7.0, 5.0, 3.0, -5.0, 0.0, -7.0, -7.0, 0.0, -6.0, 3.0, -8.0, -5.0, -2.0, 7.0, -8.0, -2.0, 6.0, 8.0, 8.0, -9.0, 8.0, 6.0, -9.0, 0.0, 4.0, -7.0, -6.0, -4.0, -1.0, 6.0, -1.0, 7.0, 2.0, 4.0, -5.0, 3.0, 8.0, 0.0, 2.0, 7.0, -9.0, 7.0, 8.0, -9.0, -4.0, -4.0, -8.0, 8.0, -1.0, 0.0, -9.0, -2.0, 5.0, 2.0, -8.0, -6.0, -4.0, 2.0, 8.0, -5.0, 1.0, -3.0, 7.0, 6.0, 8.0, 4.0, -6.0, -1.0, -5.0, -9.0, -3.0, 8.0, -9.0, 1.0, 3.0, 8.0, -2.0, 3.0, -4.0, -3.0, 6.0, -2.0, -7.0, -6.0, -7.0, -6.0, -2.0, 5.0, -4.0, -3.0]> : tensor<200xf32>
    %input_1 = stablehlo.constant dense<[[199], [255], [128], [0]]> : tensor<4x1xui8>
    %expected_0 = stablehlo.constant dense<[-3.0, -3.0, 8.0, -9.0]> : tensor<4xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<200xf32>, tensor<4x1xui8>) -> (tensor<4xf32>)
    check.expect_eq %found, %expected_0 : tensor<4xf32>, tensor<4xf32>
    return
  }
}
// -----
// gather_batching_dimensions
module {
  func.func private @program(%arg0: tensor<3x5x2xf32>, %arg1: tensor<3x2x1xi32>) -> (tensor<3x2x2xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x5x2xf32>, tensor<3x2x1xi32>) -> tensor<3x2x2xf32>
    return %0 : tensor<3x2x2xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[[-8.0, -4.0], [-3.0, -6.0], [7.0, -4.0], [7.0, -5.0], [-6.0, 1.0]], [[-7.0, -2.0], [-8.0, -5.0], [-2.0, 8.0], [-2.0, -9.0], [1.0, 6.0]], [[3.0, 2.0], [-9.0, -6.0], [-8.0, -6.0], [-6.0, 1.0], [3.0, -6.0]]]> : tensor<3x5x2xf32>
    %input_1 = stablehlo.constant dense<[[[4], [0]], [[9], [-1]], [[2], [2]]]> : tensor<3x2x1xi32>
    %expected_0 = stablehlo.constant dense<[[[-6.0, 1.0], [-8.0, -4.0]], [[1.0, 6.0], [-7.0, -2.0]], [[-8.0, -6.0], [-8.0, -6.0]]]> : tensor<3x2x2xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<3x5x2xf32>, tensor<3x2x1xi32>) -> (tensor<3x2x2xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x2x2xf32>, tensor<3x2x2xf32>
    return
  }
}
// -----
// scatter_add_duplicates
module {
  func.func private @program(%arg0: tensor<5xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4xf32>) -> (tensor<5xf32>) {
    %c = stablehlo.constant dense<4> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.minimum %c, %0 : tensor<1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi32>) -> tensor<4x1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %4 = stablehlo.clamp %3, %arg1, %2 : tensor<4x1xi32>
    %5 = "stablehlo.scatter"(%arg0, %4, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %6 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<5xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<5xf32>
    return %5 : tensor<5xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-2.0, -9.0, 7.0, 2.0, 1.0]> : tensor<5xf32>
    %input_1 = stablehlo.constant dense<[[1], [1], [4], [1]]> : tensor<4x1xi32>
    %input_2 = stablehlo.constant dense<[-5.0, 2.0, -3.0, -5.0]> : tensor<4xf32>
    %expected_0 = stablehlo.constant dense<[-2.0, -17.0, 7.0, 2.0, -2.0]> : tensor<5xf32>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<5xf32>, tensor<4x1xi32>, tensor<4xf32>) -> (tensor<5xf32>)
    check.expect_eq %found, %expected_0 : tensor<5xf32>, tensor<5xf32>
    return
  }
}
// -----
// scatter_drops_out_of_bounds
module {
  func.func private @program(%arg0: tensor<5xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4xf32>) -> (tensor<5xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<5xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[8.0, -1.0, 7.0, -9.0, 0.0]> : tensor<5xf32>
    %input_1 = stablehlo.constant dense<[[-1], [5], [4], [2]]> : tensor<4x1xi32>
    %input_2 = stablehlo.constant dense<[4.0, -4.0, -4.0, -9.0]> : tensor<4xf32>
    %expected_0 = stablehlo.constant dense<[8.0, -1.0, -2.0, -9.0, -4.0]> : tensor<5xf32>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<5xf32>, tensor<4x1xi32>, tensor<4xf32>) -> (tensor<5xf32>)
    check.expect_eq %found, %expected_0 : tensor<5xf32>, tensor<5xf32>
    return
  }
}
// -----
// scatter_window_over_the_edge
module {
  func.func private @program(%arg0: tensor<5x4xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2x4xf32>) -> (tensor<5x4xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[6.0, -8.0, 2.0, -5.0], [4.0, 2.0, 7.0, 8.0], [1.0, -4.0, 8.0, -7.0], [-3.0, -4.0, 3.0, 1.0], [-8.0, 6.0, 8.0, -3.0]]> : tensor<5x4xf32>
    %input_1 = stablehlo.constant dense<[[4], [3], [0]]> : tensor<3x1xi32>
    %input_2 = stablehlo.constant dense<[[[-3.0, -9.0, -4.0, -4.0], [-8.0, -1.0, 5.0, -7.0]], [[8.0, 0.0, -6.0, -1.0], [-9.0, -7.0, 3.0, -7.0]], [[1.0, 2.0, 2.0, 5.0], [4.0, -5.0, 2.0, -5.0]]]> : tensor<3x2x4xf32>
    %expected_0 = stablehlo.constant dense<[[7.0, -6.0, 4.0, 0.0], [8.0, -3.0, 9.0, 3.0], [1.0, -4.0, 8.0, -7.0], [5.0, -4.0, -3.0, 0.0], [-17.0, -1.0, 11.0, -10.0]]> : tensor<5x4xf32>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>) -> (tensor<5x4xf32>)
    check.expect_eq %found, %expected_0 : tensor<5x4xf32>, tensor<5x4xf32>
    return
  }
}
// -----
// scatter_batching_dimensions
module {
  func.func private @program(%arg0: tensor<3x5xf32>, %arg1: tensor<3x2x1xi32>, %arg2: tensor<3x2xf32>) -> (tensor<3x5xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x5xf32>, tensor<3x2x1xi32>, tensor<3x2xf32>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[8.0, -4.0, -1.0, -9.0, 7.0], [-2.0, -6.0, 3.0, -2.0, 0.0], [5.0, 2.0, -2.0, 6.0, -3.0]]> : tensor<3x5xf32>
    %input_1 = stablehlo.constant dense<[[[4], [0]], [[9], [-1]], [[2], [2]]]> : tensor<3x2x1xi32>
    %input_2 = stablehlo.constant dense<[[-1.0, -1.0], [-6.0, 3.0], [-8.0, 8.0]]> : tensor<3x2xf32>
    %expected_0 = stablehlo.constant dense<[[7.0, -4.0, -1.0, -9.0, 6.0], [-2.0, -6.0, 3.0, -2.0, 0.0], [5.0, 2.0, -2.0, 6.0, -3.0]]> : tensor<3x5xf32>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<3x5xf32>, tensor<3x2x1xi32>, tensor<3x2xf32>) -> (tensor<3x5xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x5xf32>, tensor<3x5xf32>
    return
  }
}
// -----
// scatter_multiply_clips
module {
  func.func private @program(%arg0: tensor<4x3xi32>, %arg1: tensor<2x1xi32>, %arg2: tensor<2x3xi32>) -> (tensor<4x3xi32>) {
    %c = stablehlo.constant dense<3> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.minimum %c, %0 : tensor<1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi32>) -> tensor<2x1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %4 = stablehlo.clamp %3, %arg1, %2 : tensor<2x1xi32>
    %5 = "stablehlo.scatter"(%arg0, %4, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %6 = stablehlo.multiply %arg3, %arg4 : tensor<i32>
      stablehlo.return %6 : tensor<i32>
    }) : (tensor<4x3xi32>, tensor<2x1xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
    return %5 : tensor<4x3xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-7, 5, 8], [-3, -3, 2], [4, 7, -6], [5, -8, 4]]> : tensor<4x3xi32>
    %input_1 = stablehlo.constant dense<[[7], [-2]]> : tensor<2x1xi32>
    %input_2 = stablehlo.constant dense<[[2, -1, -9], [4, -2, -5]]> : tensor<2x3xi32>
    %expected_0 = stablehlo.constant dense<[[-28, -10, -40], [-3, -3, 2], [4, 7, -6], [10, 8, -36]]> : tensor<4x3xi32>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<4x3xi32>, tensor<2x1xi32>, tensor<2x3xi32>) -> (tensor<4x3xi32>)
    check.expect_eq %found, %expected_0 : tensor<4x3xi32>, tensor<4x3xi32>
    return
  }
}
// -----
// scatter_max_with_nan
module {
  func.func private @program(%arg0: tensor<12xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3xf32>) -> (tensor<12xf32>) {
    %c = stablehlo.constant dense<11> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.minimum %c, %0 : tensor<1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi32>) -> tensor<3x1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %4 = stablehlo.clamp %3, %arg1, %2 : tensor<3x1xi32>
    %5 = "stablehlo.scatter"(%arg0, %4, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %6 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<12xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<12xf32>
    return %5 : tensor<12xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 1.0, -1.0, 0.5, -2.5]> : tensor<12xf32>
    %input_1 = stablehlo.constant dense<[[0], [4], [8]]> : tensor<3x1xi32>
    %input_2 = stablehlo.constant dense<[0x7FC00000, 1.0, 0x7FC00000]> : tensor<3xf32>
    %expected_0 = stablehlo.constant dense<[0x7FC00000, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.17549435e-38, -3.00000009e-38, 3.40282347e+38, 0x7FC00000, -1.0, 0.5, -2.5]> : tensor<12xf32>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<12xf32>, tensor<3x1xi32>, tensor<3xf32>) -> (tensor<12xf32>)
    check.expect_eq %found, %expected_0 : tensor<12xf32>, tensor<12xf32>
    return
  }
}
// -----
// scatter_replaces
module {
  func.func private @program(%arg0: tensor<6xi8>, %arg1: tensor<2x1xi32>, %arg2: tensor<2xi8>) -> (tensor<6xi8>) {
    %c = stablehlo.constant dense<5> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.minimum %c, %0 : tensor<1xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<1xi32>) -> tensor<2x1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %4 = stablehlo.clamp %3, %arg1, %2 : tensor<2x1xi32>
    %5 = "stablehlo.scatter"(%arg0, %4, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i8>, %arg4: tensor<i8>):
      stablehlo.return %arg4 : tensor<i8>
    }) : (tensor<6xi8>, tensor<2x1xi32>, tensor<2xi8>) -> tensor<6xi8>
    return %5 : tensor<6xi8>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[8, -2, 1, -1, -9, 2]> : tensor<6xi8>
    %input_1 = stablehlo.constant dense<[[5], [0]]> : tensor<2x1xi32>
    %input_2 = stablehlo.constant dense<[-3, -5]> : tensor<2xi8>
    %expected_0 = stablehlo.constant dense<[-5, -2, 1, -1, -9, -3]> : tensor<6xi8>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<6xi8>, tensor<2x1xi32>, tensor<2xi8>) -> (tensor<6xi8>)
    check.expect_eq %found, %expected_0 : tensor<6xi8>, tensor<6xi8>
    return
  }
}
// -----
// scatter_two_values
module {
  func.func private @program(%0: tensor<5xf32>, %1: tensor<5xi32>, %2: tensor<4x1xi32>, %3: tensor<4xf32>, %4: tensor<4xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
    %r:2 = "stablehlo.scatter"(%0, %1, %2, %3, %4) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false,
      unique_indices = false}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
        %s = stablehlo.add %a, %c : tensor<f32>
        %m = stablehlo.maximum %b, %d : tensor<i32>
        stablehlo.return %s, %m : tensor<f32>, tensor<i32>
    }) : (tensor<5xf32>, tensor<5xi32>, tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<5xf32>, tensor<5xi32>)
    return %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-9.0, -4.0, 3.0, -2.0, -6.0]> : tensor<5xf32>
    %input_1 = stablehlo.constant dense<[7, 6, -6, -3, -2]> : tensor<5xi32>
    %input_2 = stablehlo.constant dense<[[3], [3], [0], [6]]> : tensor<4x1xi32>
    %input_3 = stablehlo.constant dense<[0.0, 3.0, 7.0, 3.0]> : tensor<4xf32>
    %input_4 = stablehlo.constant dense<[-3, 4, -4, 5]> : tensor<4xi32>
    %expected_0 = stablehlo.constant dense<[-2.0, -4.0, 3.0, 1.0, -6.0]> : tensor<5xf32>
    %expected_1 = stablehlo.constant dense<[7, 6, -6, 4, -2]> : tensor<5xi32>
    %found:2 = func.call @program(%input_0, %input_1, %input_2, %input_3, %input_4) : (tensor<5xf32>, tensor<5xi32>, tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<5xf32>, tensor<5xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<5xf32>, tensor<5xf32>
    check.expect_eq %found#1, %expected_1 : tensor<5xi32>, tensor<5xi32>
    return
  }
}
// -----
// dynamic_slice_clamps
module {
  func.func private @program(%arg0: tensor<5x4xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<3x2xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare LT, %arg2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %4 = stablehlo.add %arg2, %c_2 : tensor<i32>
    %5 = stablehlo.select %3, %4, %arg2 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %2, %5, sizes = [3, 2] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    return %6 : tensor<3x2xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-4.0, -8.0, 2.0, 6.0], [-4.0, 2.0, 7.0, -2.0], [7.0, -7.0, -9.0, 8.0], [4.0, -5.0, 2.0, 6.0], [-3.0, 8.0, -6.0, -3.0]]> : tensor<5x4xf32>
    %input_1 = stablehlo.constant dense<-7> : tensor<i32>
    %input_2 = stablehlo.constant dense<100> : tensor<i32>
    %expected_0 = stablehlo.constant dense<[[2.0, 6.0], [7.0, -2.0], [-9.0, 8.0]]> : tensor<3x2xf32>
    %found = func.call @program(%input_0, %input_1, %input_2) : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> (tensor<3x2xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x2xf32>, tensor<3x2xf32>
    return
  }
}
// -----
// dynamic_slice_unsigned_start
module {
  func.func private @program(%0: tensor<9xi32>, %1: tensor<ui32>) -> (tensor<3xi32>) {
    %r = stablehlo.dynamic_slice %0, %1, sizes = [3] : (tensor<9xi32>, tensor<ui32>) -> tensor<3xi32>
    return %r : tensor<3xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8]> : tensor<9xi32>
    %input_1 = stablehlo.constant dense<4000000000> : tensor<ui32>
    %expected_0 = stablehlo.constant dense<[6, 7, 8]> : tensor<3xi32>
    %found = func.call @program(%input_0, %input_1) : (tensor<9xi32>, tensor<ui32>) -> (tensor<3xi32>)
    check.expect_eq %found, %expected_0 : tensor<3xi32>, tensor<3xi32>
    return
  }
}
// -----
// dynamic_update_slice_clamps
module {
  func.func private @program(%arg0: tensor<5x4xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<i64>, %arg3: tensor<i64>) -> (tensor<5x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<5> : tensor<i64>
    %1 = stablehlo.add %arg2, %c_0 : tensor<i64>
    %2 = stablehlo.select %0, %1, %arg2 : tensor<i1>, tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.compare LT, %arg3, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<4> : tensor<i64>
    %4 = stablehlo.add %arg3, %c_2 : tensor<i64>
    %5 = stablehlo.select %3, %4, %arg3 : tensor<i1>, tensor<i64>
    %6 = stablehlo.dynamic_update_slice %arg0, %arg1, %2, %5 : (tensor<5x4xf32>, tensor<3x2xf32>, tensor<i64>, tensor<i64>) -> tensor<5x4xf32>
    return %6 : tensor<5x4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-5.0, 6.0, -3.0, -8.0], [5.0, -9.0, -6.0, 2.0], [-7.0, -8.0, 3.0, 4.0], [-5.0, -3.0, -3.0, -3.0], [3.0, 0.0, -2.0, -5.0]]> : tensor<5x4xf32>
    %input_1 = stablehlo.constant dense<[[-8.0, -9.0], [4.0, -6.0], [-8.0, 6.0]]> : tensor<3x2xf32>
    %input_2 = stablehlo.constant dense<-1> : tensor<i64>
    %input_3 = stablehlo.constant dense<1099511627776> : tensor<i64>
    %expected_0 = stablehlo.constant dense<[[-5.0, 6.0, -3.0, -8.0], [5.0, -9.0, -6.0, 2.0], [-7.0, -8.0, -8.0, -9.0], [-5.0, -3.0, 4.0, -6.0], [3.0, 0.0, -8.0, 6.0]]> : tensor<5x4xf32>
    %found = func.call @program(%input_0, %input_1, %input_2, %input_3) : (tensor<5x4xf32>, tensor<3x2xf32>, tensor<i64>, tensor<i64>) -> (tensor<5x4xf32>)
    check.expect_eq %found, %expected_0 : tensor<5x4xf32>, tensor<5x4xf32>
    return
  }
}
// -----
// pad_negative_and_interior
module {
  func.func private @program(%arg0: tensor<4x5xf32>) -> (tensor<8x14xf32>) {
    %cst = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [-1, 3], high = [2, -2], interior = [1, 2] : (tensor<4x5xf32>, tensor<f32>) -> tensor<8x14xf32>
    return %0 : tensor<8x14xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-1.0, 1.0, -2.0, 3.0, -5.0], [1.0, -9.0, 2.0, 7.0, 7.0], [-3.0, -6.0, 7.0, -3.0, -4.0], [-5.0, -9.0, -8.0, 5.0, -3.0]]> : tensor<4x5xf32>
    %expected_0 = stablehlo.constant dense<[[7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0], [7.0, 7.0, 7.0, 1.0, 7.0, 7.0, -9.0, 7.0, 7.0, 2.0, 7.0, 7.0, 7.0, 7.0], [7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0], [7.0, 7.0, 7.0, -3.0, 7.0, 7.0, -6.0, 7.0, 7.0, 7.0, 7.0, 7.0, -3.0, 7.0], [7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0], [7.0, 7.0, 7.0, -5.0, 7.0, 7.0, -9.0, 7.0, 7.0, -8.0, 7.0, 7.0, 5.0, 7.0], [7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0], [7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0]]> : tensor<8x14xf32>
    %found = func.call @program(%input_0) : (tensor<4x5xf32>) -> (tensor<8x14xf32>)
    check.expect_eq %found, %expected_0 : tensor<8x14xf32>, tensor<8x14xf32>
    return
  }
}
// -----
// pad_all_away
module {
  func.func private @program(%arg0: tensor<4x5xf32>) -> (tensor<0x5xf32>) {
    %cst = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [-2, 0], high = [-2, 0], interior = [0, 0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<0x5xf32>
    return %0 : tensor<0x5xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-9.0, -4.0, 4.0, -8.0, 7.0], [-5.0, -2.0, -4.0, -5.0, -7.0], [-7.0, 4.0, 0.0, 3.0, -5.0], [0.0, -2.0, 2.0, -3.0, -8.0]]> : tensor<4x5xf32>
    %expected_0 = stablehlo.constant dense<> : tensor<0x5xf32>
    %found = func.call @program(%input_0) : (tensor<4x5xf32>) -> (tensor<0x5xf32>)
    check.expect_eq %found, %expected_0 : tensor<0x5xf32>, tensor<0x5xf32>
    return
  }
}
// -----
// slices_reversed_and_joined
module {
  func.func private @program(%arg0: tensor<5x8xf32>) -> (tensor<3x4xf32>) {
    %0 = stablehlo.slice %arg0 [0:5:2, 1:7:3] : (tensor<5x8xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.slice %arg0 [0:5:2, 3:7:3] : (tensor<5x8xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.reverse %1, dims = [0, 1] : tensor<3x2xf32>
    %3 = stablehlo.concatenate %0, %2, dim = 1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
    %4 = stablehlo.reverse %3, dims = [1] : tensor<3x4xf32>
    return %4 : tensor<3x4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-5.0, -8.0, 0.0, -2.0, -2.0, 2.0, 2.0, -9.0], [6.0, -8.0, -4.0, 2.0, 7.0, 0.0, -4.0, 6.0], [-5.0, -7.0, 8.0, 5.0, -9.0, 4.0, 3.0, 0.0], [7.0, 8.0, 4.0, 4.0, -6.0, -3.0, 2.0, -3.0], [6.0, 1.0, -8.0, 1.0, 5.0, 2.0, 2.0, 5.0]]> : tensor<5x8xf32>
    %expected_0 = stablehlo.constant dense<[[1.0, 2.0, -2.0, -8.0], [5.0, 3.0, -9.0, -7.0], [-2.0, 2.0, 5.0, 1.0]]> : tensor<3x4xf32>
    %found = func.call @program(%input_0) : (tensor<5x8xf32>) -> (tensor<3x4xf32>)
    check.expect_eq %found, %expected_0 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
}
// -----
// torch_index_select
module {
  func.func private @program(%0: tensor<2x3x4xf32>, %1: tensor<2x5xi32>) -> (tensor<2x3x5xf32>) {
    %r = "stablehlo.torch_index_select"(%0, %1) <{batch_dims = 1 : i64, dim = 2 : i64}> : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x3x5xf32>
    return %r : tensor<2x3x5xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[[6.0, -8.0, -1.0, 1.0], [0.0, -5.0, -2.0, -1.0], [-9.0, 1.0, -5.0, -1.0]], [[-6.0, 4.0, -8.0, -6.0], [6.0, 2.0, 6.0, -3.0], [4.0, 5.0, 0.0, -1.0]]]> : tensor<2x3x4xf32>
    %input_1 = stablehlo.constant dense<[[0, 2, 0, 1, 3], [3, 3, 3, 2, 3]]> : tensor<2x5xi32>
    %expected_0 = stablehlo.constant dense<[[[6.0, -1.0, 6.0, -8.0, 1.0], [0.0, -2.0, 0.0, -5.0, -1.0], [-9.0, -5.0, -9.0, 1.0, -1.0]], [[-6.0, -6.0, -6.0, -8.0, -6.0], [-3.0, -3.0, -3.0, 6.0, -3.0], [-1.0, -1.0, -1.0, 0.0, -1.0]]]> : tensor<2x3x5xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> (tensor<2x3x5xf32>)
    check.expect_eq %found, %expected_0 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    return
  }
}
