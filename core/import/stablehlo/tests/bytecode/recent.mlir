// What came later: composites, dictionaries, dot algorithms, accuracies, meshes and shardings, narrow floats.
module @recent attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<4x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}p1]>}) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.exponential"(%0) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {?}]> : tensor<8x4xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<4x4xf32>) {
      %b = stablehlo.tanh %a : tensor<4x4xf32>
      sdy.return %b : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.composite "my.square" %3 {composite_attributes = {a = 1 : i32, b = "text", c = [1, 2.0], d = {e = true}}, decomposition = @square, version = 3 : i32} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = stablehlo.custom_call @typed(%4) {api_version = 4 : i32, backend_config = {axis = 1 : i64, name = "n", scale = 0.5 : f32, kind = 76 : ui8}, mhlo.frontend_attributes = {key = "value"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.constant dense<[0.5, 6.0, -1.0]> : tensor<3xf4E2M1FN>
    %7 = stablehlo.constant dense<[0.5, 448.0, -1.0]> : tensor<3xf8E4M3FN>
    %8 = stablehlo.constant dense<1> : tensor<2xi2>
    return %5 : tensor<8x4xf32>
  }
  func.func private @square(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
  func.func private @batched(%a: tensor<2x4x6xf32>, %i: tensor<2x3x1xi64>) -> tensor<2x3x6xf32> {
    %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>} : (tensor<2x4x6xf32>, tensor<2x3x1xi64>) -> tensor<2x3x6xf32>
    return %0 : tensor<2x3x6xf32>
  }
}
