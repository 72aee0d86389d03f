module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.reduce_precision %arg0, format = e5m7 : tensor<8xf32>
    %1 = stablehlo.convert %0 : (tensor<8xf32>) -> tensor<8xbf16>
    return %1 : tensor<8xbf16>
  }
}
