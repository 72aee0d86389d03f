module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<8x5xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<3x4xf32>
    %cst = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst, low = [1, -1], high = [0, 2], interior = [2, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<8x5xf32>
    return %1 : tensor<8x5xf32>
  }
}
