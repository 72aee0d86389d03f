// test: import
// Attributes: which there must be, of what kind, within which limits.
func.func @main() {
  %r = "stablehlo.iota"() <{iota_dimension = -1 : i64}> : () -> (tensor<4xf32>)
  return
}
// expect:
// 4:46: 'iota_dimension' of stablehlo.iota is -1 of i64, expected an integer of 64 bits, at least 0
// -----
// test: import
func.func @main() {
  %r = "stablehlo.iota"() <{iota_dimension = 0 : i32}> : () -> (tensor<4xf32>)
  return
}
// expect:
// 3:46: 'iota_dimension' of stablehlo.iota is 0 of i32, expected an integer of 64 bits, at least 0
// -----
// test: import
func.func @main() {
  %r = "stablehlo.iota"() <{iota_dimension = true}> : () -> (tensor<4xf32>)
  return
}
// expect:
// 3:46: 'iota_dimension' of stablehlo.iota is true, expected an integer of 64 bits, at least 0
// -----
// test: import
func.func @main() {
  %r = "stablehlo.iota"() : () -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.iota needs the attribute 'iota_dimension', dim in the pretty form
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.concatenate"(%a) <{dimension = -1 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:50: 'dimension' of stablehlo.concatenate is -1 of i64, expected an integer of 64 bits, at least 0
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.get_dimension_size"(%a) <{dimension = -1 : i64}> : (tensor<4xf32>) -> (tensor<i32>)
  return
}
// expect:
// 3:57: 'dimension' of stablehlo.get_dimension_size is -1 of i64, expected an integer of 64 bits, at least 0
// -----
// test: import
func.func @main(%a: tuple<tensor<f32>>) {
  %r = "stablehlo.get_tuple_element"(%a) <{index = 0 : i64}> : (tuple<tensor<f32>>) -> (tensor<f32>)
  return
}
// expect:
// 3:52: 'index' of stablehlo.get_tuple_element is 0 of i64, expected an integer of 32 bits, at least 0
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reduce_precision"(%a) <{exponent_bits = 0 : i32, mantissa_bits = 10 : i32}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:59: 'exponent_bits' of stablehlo.reduce_precision is 0 of i32, expected an integer of 32 bits, at least 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:84: 'mantissa_bits' of stablehlo.reduce_precision is -1 of i32, expected an integer of 32 bits, at least 0
// -----
// test: import
func.func @main(%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> (tensor<1x4x3xf32>)
  return
}
// expect:
// 3:9: stablehlo.convolution needs the attribute 'feature_group_count'
// -----
// test: import
func.func @main(%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 0 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> (tensor<1x4x3xf32>)
  return
}
// expect:
// 3:162: 'feature_group_count' of stablehlo.convolution is 0 of i64, expected an integer of 64 bits, at least 1
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> (tensor<1x4x3xf32>)
  return
}
// expect:
// ROOT %tuple.3 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, padding = dense<0> : tensor<1x2xi32>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> (tensor<1x4x3xf32>)
  return
}
// expect:
// 3:181: 'padding' of stablehlo.convolution is dense<...> : tensor<1x2xi32>, expected integers as in dense<[[0, 1]]> : tensor<1x2xi64>
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.triangular_solve needs the attribute 'unit_diagonal'
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = 1 : i64, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:59: 'left_side' of stablehlo.triangular_solve is 1 of i64, expected true or false
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0 : f64, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:73: 'epsilon' of stablehlo.batch_norm_inference is 1.0 of f64, expected a number with a point, of f32
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i32: 1, 0>}> : (tensor<2x3xf32>) -> (tensor<3x2xf32>)
  return
}
// expect:
// 3:50: 'permutation' of stablehlo.transpose is [1, 0] of i32, expected integers as in array<i64: 0, 1>
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.slice needs the attribute 'strides'
// -----
// test: import
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3xi32>) {
  %r = "stablehlo.torch_index_select"(%a, %b) <{dim = 0 : i64}> : (tensor<4x2xf32>, tensor<3xi32>) -> (tensor<3x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.torch_index_select needs the attribute 'batch_dims'
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r:2 = "chlo.top_k"(%a) <{k = 2 : i32}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}
// expect:
// 3:33: 'k' of chlo.top_k is 2 of i32, expected an integer of 64 bits
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.sort"(%a) <{dimension = 0 : i32}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:43: 'dimension' of stablehlo.sort is 0 of i32, expected an integer of 64 bits
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "chlo.constant_like"(%a) <{value = 1 : f32}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:47: tensor<f32> as the type of 1, expected integers
// -----
// test: import
func.func @main(%a: tensor<4xi32>) {
  %r = "chlo.constant_like"(%a) <{value = 1.5 : i32}> : (tensor<4xi32>) -> (tensor<4xi32>)
  return
}
// expect:
// 3:49: tensor<i32> as the type of 1.5, expected floats
// -----
// test: import
func.func @main(%a: tensor<4xi32>, %b: tensor<i32>) {
  %r:2 = "chlo.scan"(%a, %b) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x, %y : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}
// expect:
// 3:11: chlo.scan: 'resultSegmentSizes' is [], expected two numbers whose sum is 2
// -----
// test: import
func.func @main(%a: tensor<4xi32>, %b: tensor<i32>) {
  %r:2 = "chlo.scan"(%a, %b) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 2, -1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x, %y : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}
// expect:
// 3:11: chlo.scan: 'resultSegmentSizes' is [2, -1], expected two numbers whose sum is 2
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xi32>, %b: tensor<i32>) {
  %r:2 = "chlo.scan"(%a, %b) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x, %y : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return
}
// expect:
// ROOT %tuple.4 = (s32[], s32[]) tuple(%x, %y)
// ROOT %tuple.8 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", api_version = 1 : i64}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:76: 'api_version' of stablehlo.custom_call is 1 of i64, expected an integer of 32 bits
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:90: 'atol' of the accuracy is -1.0, expected at least 0
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<ulps = -1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:90: 'ulps' of the accuracy is -1, expected at least 0
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:90: 'ulps' of the accuracy is 1, expected 0 with the mode DEFAULT
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<rtol = 0.5, mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:90: 'rtol' of the accuracy is 0.5, expected 0 with the mode HIGHEST
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<ulps = 1>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:56: 'result_accuracy' is {ulps = 1}, expected the mode DEFAULT, HIGHEST or TOLERANCE
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<LOW>>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:56: 'result_accuracy' is {mode = LOW}, expected the mode DEFAULT, HIGHEST or TOLERANCE
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<ulps = 1.5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:90: 'ulps' of the accuracy is 1.5, expected atol = 0.0, rtol = 0.0, ulps = 0 or mode
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = 0.5, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// ROOT %tuple.3 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:162: the algorithm is {lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false}, expected one that some hardware has
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 2, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:162: the algorithm is {lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 2, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false}, expected one that some hardware has
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:162: the algorithm is {lhs_precision_type = tf32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false}, expected one that some hardware has
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = true>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:162: the algorithm is {lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = true}, expected one that some hardware has
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E5M2, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// ROOT %tuple.3 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:170: the precision HIGH with an algorithm, expected DEFAULT
// -----
// test: import
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      use_global_device_ids = true} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// expect:
// 8:31: 'use_global_device_ids' of stablehlo.all_reduce is true, expected only its name
// -----
// test: import
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.cholesky"(%a) {lower} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// expect:
// 3:34: 'lower' of stablehlo.cholesky is unit, expected true or false
