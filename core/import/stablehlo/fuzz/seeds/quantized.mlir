func.func @main(%x: tensor<2xf32>, %n: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>
  %1 = stablehlo.add %0, %0 : tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>) -> tensor<2xf32>
  %3 = stablehlo.get_dimension_size %n, dim = 0 : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<i32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %4 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0] : (tensor<2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %5 = stablehlo.abs %4 : tensor<?x?xf32>
  check.expect_almost_eq_const %2, dense<[0x7FC00000, 1.0]> : tensor<2xf32> {tolerance = 0.1 : f64}
  return %2 : tensor<2xf32>
}
