// test: import
// Operations on whole arrays.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x2xf32>) {
  %r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[2,2] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[2,2] dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, operand_precision={highest,default}
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x2xf32>) {
  %r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[2,2] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[2,2] dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, algorithm=dot_bf16_bf16_f32_x3
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x3xf32>) {
  %r = stablehlo.einsum %x, %x, config = "ab,ac->cb" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3]) -> f32[3,3] {
//   %x = f32[2,3] parameter(0)
//   %r = f32[3,3] dot(%x, %x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
//   ROOT %r.1 = f32[3,3] transpose(%r), dimensions={1,0}
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3], v: f32[3]) -> (f32[2,3], f32[3], f32[3]) {
//   %x = f32[2,3] parameter(0)
//   %v = f32[3] parameter(1)
//   %r = (f32[2,3], f32[3], f32[3]) batch-norm-grad(%x, %v, %v, %v, %x), epsilon=0.001, feature_index=1
//   %r.1 = f32[2,3] get-tuple-element(%r), index=0
//   %r.2 = f32[3] get-tuple-element(%r), index=1
//   %r.3 = f32[3] get-tuple-element(%r), index=2
//   ROOT %tuple.6 = (f32[2,3], f32[3], f32[3]) tuple(%r.1, %r.2, %r.3)
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3], v: f32[3]) -> f32[2,3] {
//   %x = f32[2,3] parameter(0)
//   %v = f32[3] parameter(1)
//   ROOT %r = f32[2,3] batch-norm-inference(%x, %v, %v, %v, %v), epsilon=0.001, feature_index=1
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3], v: f32[3]) -> (f32[2,3], f32[3], f32[3]) {
//   %x = f32[2,3] parameter(0)
//   %v = f32[3] parameter(1)
//   %r = (f32[2,3], f32[3], f32[3]) batch-norm-training(%x, %v, %v), epsilon=0.001, feature_index=1
//   %r.1 = f32[2,3] get-tuple-element(%r), index=0
//   %r.2 = f32[3] get-tuple-element(%r), index=1
//   %r.3 = f32[3] get-tuple-element(%r), index=2
//   ROOT %tuple.6 = (f32[2,3], f32[3], f32[3]) tuple(%r.1, %r.2, %r.3)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = "stablehlo.map"(%v, %v) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// %map.computation (a: f32[], b: f32[]) -> f32[] {
//   %a = f32[] parameter(0)
//   %b = f32[] parameter(1)
//   ROOT %s = f32[] add(%a, %b)
// }
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] map(%v, %v), to_apply=%map.computation, dimensions={0}
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
  %r = stablehlo.unary_einsum %x, config = "ab->ba" : (tensor<2x3xf32>) -> tensor<3x2xf32>
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
func.func @main(%x: tensor<2x3xf32>) -> (tensor<3xf32>) {
  %r = "stablehlo.unary_einsum"(%x) <{einsum_config = "ab->b"}> : (tensor<2x3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// %add.f32 (lhs: f32[], rhs: f32[]) -> f32[] {
//   %lhs = f32[] parameter(0)
//   %rhs = f32[] parameter(1)
//   ROOT %add.4 = f32[] add(%lhs, %rhs)
// }
//
// ENTRY %main (x: f32[2,3]) -> f32[3] {
//   %x = f32[2,3] parameter(0)
//   %r = f32[] constant(0)
//   %r.1 = f32[3] reduce(%x, %r), dimensions={0}, to_apply=%add.f32
//   ROOT %r.2 = f32[3] transpose(%r.1), dimensions={0}
// }
// -----
// test: import
// The converter of XLA repeats shape and layout of a result.
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[3,2]{0,1}"} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (a: f32[2,3]) -> f32[3,2] {
//   %a = f32[2,3] parameter(0)
//   ROOT %transpose.1 = f32[3,2] transpose(%a), dimensions={1,0}
// }
