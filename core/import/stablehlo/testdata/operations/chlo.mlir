// test: import
// Operations of chlo.
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = "chlo.constant_like"(%v) {value = 1.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   %r = f64[] constant(1.5)
//   %r.1 = f32[] convert(%r)
//   ROOT %r.2 = f32[3] broadcast(%r.1)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xi1>) {
  %r = chlo.is_pos_inf %v : tensor<3xf32> -> tensor<3xi1>
  return %r : tensor<3xi1>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> pred[3] {
//   %v = f32[3] parameter(0)
//   %r = f32[] constant(inf)
//   %r.1 = f32[3] broadcast(%r)
//   ROOT %r.2 = pred[3] compare(%v, %r.1), direction=EQ
// }
// -----
// test: import
func.func @main(%c: tensor<3xcomplex<f32>>) -> (tensor<3xcomplex<f32>>) {
  %r = chlo.conj %c : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
  return %r : tensor<3xcomplex<f32>>
}
// expect:
// HloModule module
//
// ENTRY %main (c: c64[3]) -> c64[3] {
//   %c = c64[3] parameter(0)
//   %r = f32[3] real(%c)
//   %r.1 = f32[3] imag(%c)
//   %r.2 = f32[3] negate(%r.1)
//   ROOT %r.3 = c64[3] complex(%r, %r.2)
// }
// -----
// test: import
func.func @main() -> (tensor<3xf32>) {
  %r = chlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> f32[3] {
//   ROOT %r = f32[3] constant({1, 2, 3})
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>) {
  %a = stablehlo.constant dense<6> : tensor<1xi32>
  %r = chlo.dynamic_reshape %x, %a : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[6] {
//   %x = f32[2,3] parameter(0)
//   %a = s32[] constant(6)
//   %a.1 = s32[1] broadcast(%a)
//   ROOT %r = f32[6] reshape(%x)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xi32>) {
  %i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>
  %r = chlo.mulhi %i, %i : tensor<3xi32>, tensor<3xi32> -> tensor<3xi32>
  return %r : tensor<3xi32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> s32[3] {
//   %v = f32[3] parameter(0)
//   %i = s32[3] convert(%v)
//   ROOT %r = s32[3] mulhi(%i, %i)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = chlo.tan %v : tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] tan(%v)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = chlo.square %v : tensor<3xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] multiply(%v, %v)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xi1>) {
  %r = chlo.is_inf %v : tensor<3xf32> -> tensor<3xi1>
  return %r : tensor<3xi1>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> pred[3] {
//   %v = f32[3] parameter(0)
//   %r = f32[] constant(inf)
//   %r.1 = f32[3] broadcast(%r)
//   %r.2 = f32[3] abs(%v)
//   ROOT %r.3 = pred[3] compare(%r.2, %r.1), direction=EQ
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xi1>) {
  %r = chlo.is_neg_inf %v : tensor<3xf32> -> tensor<3xi1>
  return %r : tensor<3xi1>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> pred[3] {
//   %v = f32[3] parameter(0)
//   %r = f32[] constant(-inf)
//   %r.1 = f32[3] broadcast(%r)
//   ROOT %r.2 = pred[3] compare(%v, %r.1), direction=EQ
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %r, %q = chlo.scan(%x) inits(%z) dimension=1 {
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %s = stablehlo.add %a, %b : tensor<2xf32>
    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// %scan.computation (a: f32[2], b: f32[2]) -> (f32[2], f32[2]) {
//   %a = f32[2] parameter(0)
//   %b = f32[2] parameter(1)
//   %s = f32[2] add(%a, %b)
//   ROOT %tuple.6 = (f32[2], f32[2]) tuple(%s, %s)
// }
//
// ENTRY %main (x: f32[2,3]) -> f32[2,3] {
//   %x = f32[2,3] parameter(0)
//   %z = f32[] constant(0)
//   %z.1 = f32[2] broadcast(%z)
//   %r = (f32[2,3], f32[2]) scan(%x, %z.1), dimensions={1}, num_carries=1, to_apply=%scan.computation
//   ROOT %r.1 = f32[2,3] get-tuple-element(%r), index=0
//   %r.2 = f32[2] get-tuple-element(%r), index=1
// }
