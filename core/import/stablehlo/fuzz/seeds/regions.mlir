module {
sdy.mesh @m = <["a"=1]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %1 = stablehlo.unary_einsum %0, config = "a->" : (tensor<3xcomplex<f32>>) -> tensor<complex<f32>>
  %2 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %s = chlo.lgamma %a : tensor<f32> -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.async_start"(%2) ({
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a, %a : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>, tensor<4xf32>>
  %4:2 = stablehlo.async_done %3 : (!stablehlo.future<tensor<4xf32>, tensor<4xf32>>) -> (tensor<4xf32>, tensor<4xf32>)
  %5 = sdy.manual_computation(%4#1) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %6 = "interpreter.run_parallel"(%5) {infeed = [@queue], programs = [[@device]]} : (tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32>
}
func.func @queue() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @device(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1:2 = "stablehlo.infeed"(%0) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %1#0 : tensor<4xf32>
}
}
