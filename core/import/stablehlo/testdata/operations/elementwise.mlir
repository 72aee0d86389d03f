// test: import
// Elementwise operations and movements.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = stablehlo.abs %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[2,3] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[2,3] abs(%x)
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.abs"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[2,3] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[2,3] abs(%x)
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
  %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[3,2] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[3,2] transpose(%x), dimensions={1,0}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xi1>) {
  %r = stablehlo.compare LT, %v, %v, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> pred[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = pred[3] compare(%v, %v), direction=LT, type=TOTALORDER
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<1x2xf32>) {
  %r = stablehlo.slice %x [1:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[1,2] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[1,2] slice(%x), slice={[1:2], [0:3:2]}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.reduce_precision %v, format = e5m10 : tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] reduce-precision(%v), exponent_bits=5, mantissa_bits=10
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.exponential %v {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] exponential(%v), result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}
// }
// -----
// test: import
func.func @main(%c: tensor<3xcomplex<f32>>) -> (tensor<3xi32>) {
  %r = stablehlo.convert %c : (tensor<3xcomplex<f32>>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}
// expect:
// HloModule module
//
// ENTRY %main (c: c64[3]) -> s32[3] {
//   %c = c64[3] parameter(0)
//   %r = f32[3] real(%c)
//   ROOT %r.1 = s32[3] convert(%r)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.abs %v : tensor<3xf32> loc(fused["a/b"("m.py":3:7), unknown])
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] abs(%v), metadata={op_name="a/b" source_file="m.py" source_line=3 source_column=7}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.logistic %v : tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] logistic(%v)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<2x3xf32>) {
  %r = stablehlo.broadcast %v, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[2,3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[2,3] broadcast(%v), dimensions={1}
// }
// -----
// test: import
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %copied = mhlo.copy %x : tensor<4xf32>
  %acos = mhlo.acos %copied : tensor<4xf32>
  %acosh = mhlo.acosh %acos : tensor<4xf32>
  %asin = mhlo.asin %acosh : tensor<4xf32>
  %asinh = mhlo.asinh %asin : tensor<4xf32>
  %atanh = mhlo.atanh %asinh : tensor<4xf32>
  %cosh = mhlo.cosh %atanh : tensor<4xf32>
  %erf = mhlo.erf %cosh : tensor<4xf32>
  %sinh = mhlo.sinh %erf : tensor<4xf32>
  return %sinh : tensor<4xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[4]) -> f32[4] {
//   %x = f32[4] parameter(0)
//   %copied = f32[4] copy(%x)
//   %acos = f32[4] acos(%copied)
//   %acosh = f32[4] acosh(%acos)
//   %asin = f32[4] asin(%acosh)
//   %asinh = f32[4] asinh(%asin)
//   %atanh = f32[4] atanh(%asinh)
//   %cosh = f32[4] cosh(%atanh)
//   %erf = f32[4] erf(%cosh)
//   ROOT %sinh = f32[4] sinh(%erf)
// }
