// test: import f32[7] u64[2]
// Random bits.
func.func @main(%x: tensor<?xf32>, %s: tensor<2xui64>) -> tensor<?xui32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %size) {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
  return %r#1 : tensor<?xui32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[7], s: u64[2]) -> u32[7] {
//   %x = f32[7] parameter(0)
//   %s = u64[2] parameter(1)
//   %n = s32[] constant(7)
//   %size = s32[1] reshape(%n)
//   %r = (u64[2], u32[7]) rng-bit-generator(%s), algorithm=rng_three_fry
//   %r.1 = u64[2] get-tuple-element(%r), index=0
//   ROOT %r.2 = u32[7] get-tuple-element(%r), index=1
// }
// -----
// test: import f32[7] u64[2]
// An algorithm that there is not.
func.func @main(%x: tensor<?xf32>, %s: tensor<2xui64>) -> tensor<?xui32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %size) {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm DICE>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
  return %r#1 : tensor<?xui32>
}
// expect:
// 6:10: algorithm DICE and 2 results, expected DEFAULT, THREE_FRY or PHILOX, and a state and bits
// note: sizes come from parameter 0 (x), given as f32[7]
// -----
// test: import f32[7] u64[2]
// The largest elements.
func.func @main(%x: tensor<?xf32>, %s: tensor<2xui64>) -> tensor<?xi32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %two) : (tensor<?xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
  return %r#1 : tensor<?xi32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[7], s: u64[2]) -> s32[2] {
//   %x = f32[7] parameter(0)
//   %s = u64[2] parameter(1)
//   %two = s32[] constant(2)
//   %r = (f32[2], s32[2]) topk(%x), k=2
//   %r.1 = f32[2] get-tuple-element(%r), index=0
//   ROOT %r.2 = s32[2] get-tuple-element(%r), index=1
// }
// -----
// test: import f32[7] u64[2]
// The number of elements is not a size.
func.func @main(%x: tensor<?xf32>, %s: tensor<2xui64>) -> tensor<?xi32> {
  %r:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %s) : (tensor<?xf32>, tensor<2xui64>) -> (tensor<?xf32>, tensor<?xi32>)
  return %r#1 : tensor<?xi32>
}
// expect:
// 4:10: stablehlo.custom_call: the numbers of elements are not known
// note: sizes depend on the value of parameter 1 (s): give it, as in --value 1=8,8
// -----
// test: import f32[2,3,3]
// Results whose sizes are operands, as JAX writes LAPACK's routines.
func.func @main(%x: tensor<?x3x3xf32>) -> (tensor<?x3x3xf32>, tensor<?xi32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3x3xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %sizes = stablehlo.concatenate %size, %three, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %r:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x, %sizes, %size) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]} : (tensor<?x3x3xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x3x3xf32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?x3x3xf32>, tensor<?xi32>
}
// expect:
// HloModule module, entry_computation_layout={(f32[2,3,3])->(f32[2,3,3], s32[2])}
//
// ENTRY %main (x: f32[2,3,3]) -> (f32[2,3,3], s32[2]) {
//   %x = f32[2,3,3] parameter(0)
//   %n = s32[] constant(2)
//   %size = s32[1] reshape(%n)
//   %three = s32[] constant(3)
//   %three.1 = s32[1] broadcast(%three)
//   %sizes = s32[3] concatenate(%size, %three.1, %three.1), dimensions={0}
//   %r = (f32[2,3,3]{1,2,0}, s32[2]) custom-call(%x), custom_call_target="lapack_spotrf_ffi", operand_layout_constraints={f32[2,3,3]{1,2,0}}, backend_config={uplo = 76 : ui8}
//   %r.1 = f32[2,3,3]{1,2,0} get-tuple-element(%r), index=0
//   %r.2 = s32[2] get-tuple-element(%r), index=1
//   ROOT %tuple.9 = (f32[2,3,3]{1,2,0}, s32[2]) tuple(%r.1, %r.2)
// }
// -----
// test: import f32[2]
// Sizes for one of two results, and sizes that are no operand.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.custom_call @f(%x, %size) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>} : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 6:8: indices_of_shape_operands is 1,2, expected an operand's index, from 0 to 1, for each of 1 results
// note: sizes come from parameter 0 (x), given as f32[2]
// -----
// test: import f32[2]
// One size for a result of two dimensions.
func.func @main(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.custom_call @f(%x, %size) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<?xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// 6:8: stablehlo.custom_call: the sizes are 2, expected 2 numbers of at least 0
// note: sizes come from parameter 0 (x), given as f32[2]
// -----
// test: import f32[2] s32[1]
// A size that is not known.
func.func @main(%x: tensor<?xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {
  %r = stablehlo.custom_call @f(%x, %s) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 4:8: stablehlo.custom_call: the sizes of the result are not known
// note: sizes depend on the value of parameter 1 (s): give it, as in --value 1=8
