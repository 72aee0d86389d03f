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
