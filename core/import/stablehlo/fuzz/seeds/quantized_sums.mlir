func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %w: tensor<1x2x2xf32>) -> tensor<2x2xf32> {
  %a = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %b = stablehlo.uniform_quantize %y : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.125>>
  %c = stablehlo.uniform_quantize %w : (tensor<1x2x2xf32>) -> tensor<1x2x2x!quant.uniform<ui8:f32, 0.5:128>>
  %1 = stablehlo.convolution(%c, %c) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x2x!quant.uniform<ui8:f32, 0.5:128>>, tensor<1x2x2x!quant.uniform<ui8:f32, 0.5:128>>) -> tensor<1x3x1x!quant.uniform<i32:f32, 0.25>>
  %2 = stablehlo.uniform_dequantize %0 : (tensor<2x2x!quant.uniform<i32:f32, 0.125>>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
