// What StableHLO 0.9.0 had already: types, attributes of each kind, regions that use values from outside, calls.
module @old attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4x8xf32> {mhlo.layout_mode = "default", tf.aliasing_output = 0 : i32}, %n: tensor<i32>) -> (tensor<4x8xf32> {jax.result_info = "a"}, tensor<i32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %table = stablehlo.constant dense<[[1, -2, 3], [4, 5, 2147483647]]> : tensor<2x3xi32>
    %flags = stablehlo.constant dense<[true, false, true, true, false, false, true, false, true]> : tensor<9xi1>
    %all = stablehlo.constant dense<true> : tensor<17xi1>
    %none = stablehlo.constant dense<> : tensor<0x4xf32>
    %halves = stablehlo.constant dense<[0.5, -1.5, 0x7C00]> : tensor<3xf16>
    %brains = stablehlo.constant dense<2.0> : tensor<5xbf16>
    %complex = stablehlo.constant dense<[(1.0, -2.0), (0.0, 3.0)]> : tensor<2xcomplex<f32>>
    %wide = stablehlo.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
    %nibbles = stablehlo.constant dense<[-8, 7, 0]> : tensor<3xi4>
    %limit = stablehlo.constant dense<10> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %loop:2 = "stablehlo.while"(%x, %n) ({
    ^bb0(%a: tensor<4x8xf32>, %i: tensor<i32>):
      %less = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }, {
    ^bb0(%a: tensor<4x8xf32>, %i: tensor<i32>):
      %next = stablehlo.add %i, %one : tensor<i32>
      %sum = "stablehlo.reduce"(%a, %zero) ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %r = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %r : tensor<f32>
      }) {dimensions = array<i64: 0, 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %spread = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %b = func.call @scale(%a, %spread) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %b, %next : tensor<4x8xf32>, tensor<i32>
    }) : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x8xf32>, tensor<i32>)
    return %loop#0, %loop#1 : tensor<4x8xf32>, tensor<i32>
  }
  func.func private @scale(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.maximum %x, %y : tensor<4x8xf32>
    %1 = stablehlo.convert %0 : (tensor<4x8xf32>) -> tensor<4x8xf64>
    %2 = stablehlo.convert %1 : (tensor<4x8xf64>) -> tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
  func.func private @windows(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>, %z: tensor<f32>) -> tensor<1x7x3x4xf32> {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x7x3x4xf32>
    return %0 : tensor<1x7x3x4xf32>
  }
  func.func private @dots(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  }
  func.func private @others(%a: tensor<4x6xf32>, %i: tensor<2x1xi32>, %s: tensor<i32>, %t: !stablehlo.token) -> tensor<2x6xf32> {
    %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>, indices_are_sorted = true} : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
    %1:2 = "stablehlo.sort"(%0, %0) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %u: tensor<f32>):
      %2 = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
    %3 = stablehlo.custom_call @target(%1#0) {api_version = 2 : i32, backend_config = "a \22quoted\22 text", has_side_effect = true, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %4 = stablehlo.after_all %t : !stablehlo.token
    return %3 : tensor<2x6xf32>
  }
}
