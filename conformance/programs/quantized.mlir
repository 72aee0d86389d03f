// Made by make.py. Do not edit.
// dot
module {
  func.func private @program(%0: tensor<4x7xf32>, %1: tensor<7x3xf32>) -> (tensor<4x3xf32>) {
    %a = stablehlo.uniform_quantize %0 : (tensor<4x7xf32>) -> tensor<4x7x!quant.uniform<i8:f32, 0.5:3>>
    %b = stablehlo.uniform_quantize %1 : (tensor<7x3xf32>) -> tensor<7x3x!quant.uniform<i8:f32, 0.25>>
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x7x!quant.uniform<i8:f32, 0.5:3>>,
      tensor<7x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<4x3x!quant.uniform<i8:f32, 2.0:1>>
    %r = stablehlo.uniform_dequantize %c : (tensor<4x3x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<4x3xf32>
    return %r : tensor<4x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[6.0, 5.0, -7.0, 0.0, 1.0, 5.0, -6.0], [2.0, -6.0, 8.0, -9.0, -1.0, 0.0, 2.0], [-3.0, -2.0, -9.0, -6.0, 0.0, -3.0, 1.0], [-7.0, 7.0, 0.0, 1.0, -8.0, 6.0, -7.0]]> : tensor<4x7xf32>
    %input_1 = stablehlo.constant dense<[[3.0, 2.0, -7.0], [-4.0, -6.0, 2.0], [0.0, -5.0, -8.0], [0.0, -6.0, -3.0], [3.0, -7.0, 8.0], [-4.0, 1.0, -7.0], [7.0, -6.0, 2.0]]> : tensor<7x3xf32>
    %expected_0 = stablehlo.constant dense<[[-62.0, 50.0, -14.0], [42.0, 50.0, -66.0], [18.0, 78.0, 130.0], [-146.0, 42.0, -60.0]]> : tensor<4x3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<4x7xf32>, tensor<7x3xf32>) -> (tensor<4x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<4x3xf32>, tensor<4x3xf32>
    return
  }
}
// -----
// batches_with_a_scale_for_each_column
module {
  func.func private @program(%0: tensor<2x4x5xf32>, %1: tensor<3x2x5xf32>) -> (tensor<2x4x3xf32>) {
    %a = stablehlo.uniform_quantize %0 : (tensor<2x4x5xf32>) -> tensor<2x4x5x!quant.uniform<i8:f32, 0.5:3>>
    %b = stablehlo.uniform_quantize %1 : (tensor<3x2x5xf32>) -> tensor<3x2x5x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0, 2.0:0}>>
    %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [2]
      : (tensor<2x4x5x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x5x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0, 2.0:0}>>)
      -> tensor<2x4x3x!quant.uniform<i8:f32, 1.0:0>>
    %r = stablehlo.uniform_dequantize %c : (tensor<2x4x3x!quant.uniform<i8:f32, 1.0:0>>) -> tensor<2x4x3xf32>
    return %r : tensor<2x4x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[[6.0, 8.0, -9.0, 7.0, -4.0], [-6.0, 0.0, -4.0, -5.0, 1.0], [-4.0, -8.0, 3.0, -3.0, 4.0], [-6.0, -4.0, -2.0, 0.0, -2.0]], [[2.0, -3.0, -1.0, -3.0, 7.0], [4.0, -6.0, -5.0, -9.0, -9.0], [5.0, 1.0, -4.0, -1.0, -3.0], [3.0, -9.0, -1.0, 8.0, 8.0]]]> : tensor<2x4x5xf32>
    %input_1 = stablehlo.constant dense<[[[-3.0, 1.0, 6.0, 4.0, -5.0], [-4.0, 6.0, -7.0, 2.0, 0.0]], [[3.0, 3.0, -7.0, 7.0, -7.0], [-9.0, -5.0, -7.0, 8.0, -6.0]], [[2.0, -4.0, 5.0, -2.0, -3.0], [7.0, 3.0, 3.0, -2.0, -1.0]]]> : tensor<3x2x5xf32>
    %expected_0 = stablehlo.constant dense<[[[-16.0, 127.0, -54.0], [-31.0, -32.0, -22.0], [-10.0, -106.0, 26.0], [12.0, -2.0, 4.0]], [[-25.0, -62.0, 6.0], [-35.0, 11.0, 6.0], [12.0, -12.0, 30.0], [-43.0, 41.0, -32.0]]]> : tensor<2x4x3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<2x4x5xf32>, tensor<3x2x5xf32>) -> (tensor<2x4x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<2x4x3xf32>, tensor<2x4x3xf32>
    return
  }
}
// -----
// convolution_padded_with_zero_points
module {
  func.func private @program(%0: tensor<1x6x2xf32>, %1: tensor<3x2x3xf32>) -> (tensor<1x6x3xf32>) {
    %a = stablehlo.uniform_quantize %0 : (tensor<1x6x2xf32>) -> tensor<1x6x2x!quant.uniform<i8:f32, 0.5:9>>
    %b = stablehlo.uniform_quantize %1 : (tensor<3x2x3xf32>) -> tensor<3x2x3x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0, 2.0:0}>>
    %c = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x2x!quant.uniform<i8:f32, 0.5:9>>,
      tensor<3x2x3x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0, 2.0:0}>>) -> tensor<1x6x3x!quant.uniform<i8:f32, 1.0:0>>
    %r = stablehlo.uniform_dequantize %c : (tensor<1x6x3x!quant.uniform<i8:f32, 1.0:0>>) -> tensor<1x6x3xf32>
    return %r : tensor<1x6x3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[[-9.0, -9.0], [6.0, 3.0], [-9.0, 3.0], [-7.0, -8.0], [3.0, 2.0], [5.0, -5.0]]]> : tensor<1x6x2xf32>
    %input_1 = stablehlo.constant dense<[[[-7.0, -5.0, 6.0], [1.0, -4.0, 5.0]], [[-4.0, -7.0, -2.0], [6.0, 1.0, -5.0]], [[-1.0, 5.0, -5.0], [-3.0, -1.0, -1.0]]]> : tensor<3x2x3xf32>
    %expected_0 = stablehlo.constant dense<[[[-33.0, 81.0, 30.0], [48.0, -6.0, -78.0], [46.0, -3.0, 82.0], [37.0, 87.0, -8.0], [51.0, 78.0, -108.0], [-69.0, -63.0, 36.0]]]> : tensor<1x6x3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<1x6x2xf32>, tensor<3x2x3xf32>) -> (tensor<1x6x3xf32>)
    check.expect_eq %found, %expected_0 : tensor<1x6x3xf32>, tensor<1x6x3xf32>
    return
  }
}
