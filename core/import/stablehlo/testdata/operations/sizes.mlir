// test: import
// Sizes that are known, and sizes that are not.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<i32>) {
  %r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  return %r : tensor<i32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> s32[] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = s32[] constant(3)
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>) {
  %a = stablehlo.constant dense<6> : tensor<1xi32>
  %b = stablehlo.dynamic_reshape %x, %a : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %r = stablehlo.dynamic_reshape %b, %a : (tensor<?xf32>, tensor<1xi32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[6] {
//   %x = f32[2,3] parameter(0)
//   %a = s32[] constant(6)
//   %a.1 = s32[1] broadcast(%a)
//   %b = f32[6] reshape(%x)
//   ROOT %r = f32[6] reshape(%b)
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x?xf32, #stablehlo.bounds<?, 3>>) {
  %r = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  return %r : tensor<2x?xf32, #stablehlo.bounds<?, 3>>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3], n: s32[]) -> f32[2,<=3] {
//   %x = f32[2,3] parameter(0)
//   %n = s32[] parameter(1)
//   ROOT %r = f32[2,<=3] set-dimension-size(%x, %n), dimensions={1}
// }
// -----
// test: import
func.func @main() -> (tensor<1x1x1xf32>) {
  %a = stablehlo.constant dense<1.0> : tensor<1x1x3xf32>
  %w = stablehlo.constant dense<2.0> : tensor<1x1x5xf32>
  %d = stablehlo.constant dense<1> : tensor<1x2xi32>
  %r = "stablehlo.dynamic_conv"(%a, %w, %d) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x1x3xf32>, tensor<1x1x5xf32>, tensor<1x2xi32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> f32[1,1,1] {
//   %a = f32[] constant(1)
//   %a.1 = f32[1,1,3] broadcast(%a)
//   %w = f32[] constant(2)
//   %w.1 = f32[1,1,5] broadcast(%w)
//   %d = s32[] constant(1)
//   %d.1 = s32[1,2] broadcast(%d)
//   ROOT %r = f32[1,1,1] convolution(%a.1, %w.1), window={size=5 pad=1_1}, dim_labels=bf0_oi0->bf0
// }
