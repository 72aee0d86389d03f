module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xf32>, %arg1: tensor<7xf32>) -> (tensor<7xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<7xcomplex<f32>>
    %cst = stablehlo.constant dense<(3.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<7xcomplex<f32>>
    %2 = stablehlo.multiply %0, %1 : tensor<7xcomplex<f32>>
    %3 = stablehlo.complex %arg1, %arg0 : tensor<7xcomplex<f32>>
    %4 = stablehlo.divide %2, %3 : tensor<7xcomplex<f32>>
    %5 = stablehlo.abs %4 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
    return %5 : tensor<7xf32>
  }
}
