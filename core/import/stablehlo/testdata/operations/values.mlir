// test: import
// Constants and random values.
func.func @main() -> (tensor<3xf32>) {
  %r = stablehlo.constant dense<[1.0, 0x7F800000, -2.5e-1]> : tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> f32[3] {
//   ROOT %r = f32[3] constant({1, inf, -0.25})
// }
// -----
// test: import
func.func @main() -> (tensor<3xf32>) {
  %r = stablehlo.constant dense<1.0> : tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> f32[3] {
//   %r = f32[] constant(1)
//   ROOT %r.1 = f32[3] broadcast(%r)
// }
// -----
// test: import
func.func @main() -> (tensor<9xi1>) {
  %r = stablehlo.constant dense<"0x0301"> : tensor<9xi1>
  return %r : tensor<9xi1>
}
// expect:
// HloModule module
//
// ENTRY %main () -> pred[9] {
//   ROOT %r = pred[9] constant({true, true, false, false, false, false, false, false, true})
// }
// -----
// test: import
func.func @main() -> (tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  %r = stablehlo.rng %z, %z, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> f32[3] {
//   %z = f32[] constant(0)
//   %s = s64[] constant(3)
//   %s.1 = s64[1] broadcast(%s)
//   ROOT %r = f32[3] rng(%z, %z), distribution=rng_normal
// }
// -----
// test: import
func.func @main() -> (tensor<2xui64>, tensor<3xui32>) {
  %k = stablehlo.constant dense<7> : tensor<2xui64>
  %r:2 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %r#0, %r#1 : tensor<2xui64>, tensor<3xui32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> (u64[2], u32[3]) {
//   %k = u64[] constant(7)
//   %k.1 = u64[2] broadcast(%k)
//   %r = (u64[2], u32[3]) rng-bit-generator(%k.1), algorithm=rng_three_fry
//   %r.1 = u64[2] get-tuple-element(%r), index=0
//   %r.2 = u32[3] get-tuple-element(%r), index=1
//   ROOT %tuple.5 = (u64[2], u32[3]) tuple(%r.1, %r.2)
// }
