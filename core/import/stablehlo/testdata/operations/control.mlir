// test: import
// Calls and control flow.
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.custom_call @f(%v) {api_version = 2 : i32, backend_config = "a\22b", has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] custom-call(%v), custom_call_target="f", custom_call_has_side_effect=true, output_to_operand_aliasing={{}: (0, {})}, api_version=API_VERSION_STATUS_RETURNING, backend_config="a\"b"
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.custom_call @f(%v) {api_version = 4 : i32, backend_config = {a = 1 : i32, b = "c"}} : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] custom-call(%v), custom_call_target="f", api_version=API_VERSION_TYPED_FFI, backend_config={a = 1 : i32, b = "c"}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.custom_call @mhlo.erf(%v) : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] erf(%v)
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>, %p: tensor<i1>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2x3xf32>
  }, {
    %a = stablehlo.negate %x : tensor<2x3xf32>
    stablehlo.return %a : tensor<2x3xf32>
  }) : (tensor<i1>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// %if.branch_0 (parameter.2: f32[2,3]) -> f32[2,3] {
//   ROOT %parameter.2 = f32[2,3] parameter(0)
// }
//
// %if.branch_1 (parameter.3: f32[2,3]) -> f32[2,3] {
//   %parameter.3 = f32[2,3] parameter(0)
//   ROOT %a = f32[2,3] negate(%parameter.3)
// }
//
// ENTRY %main (x: f32[2,3], p: pred[]) -> f32[2,3] {
//   %x = f32[2,3] parameter(0)
//   %p = pred[] parameter(1)
//   ROOT %r = f32[2,3] conditional(%p, %x, %x), true_computation=%if.branch_0, false_computation=%if.branch_1
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>, %n: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
  %r:2 = stablehlo.optimization_barrier %v, %n : tensor<3xf32>, tensor<i32>
  return %r#0, %r#1 : tensor<3xf32>, tensor<i32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3], n: s32[]) -> (f32[3], s32[]) {
//   %v = f32[3] parameter(0)
//   %n = s32[] parameter(1)
//   %r = (f32[3], s32[]) tuple(%v, %n)
//   %r.1 = (f32[3], s32[]) opt-barrier(%r)
//   %r.2 = f32[3] get-tuple-element(%r.1), index=0
//   %r.3 = s32[] get-tuple-element(%r.1), index=1
//   ROOT %tuple.6 = (f32[3], s32[]) tuple(%r.2, %r.3)
// }
// -----
// test: import
// Layouts that are not row-major stay.
func.func @main(%a: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %r:2 = stablehlo.custom_call @f(%a, %n) {api_version = 4 : i32, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<3xf32>
}
// expect:
// HloModule module, entry_computation_layout={(f32[2,3], s32[])->(f32[2,3], f32[3])}
//
// ENTRY %main (a: f32[2,3], n: s32[]) -> (f32[2,3], f32[3]) {
//   %a = f32[2,3] parameter(0)
//   %n = s32[] parameter(1)
//   %r = (f32[2,3]{0,1}, f32[3]) custom-call(%a, %n), custom_call_target="f", operand_layout_constraints={f32[2,3]{0,1}, s32[]}, api_version=API_VERSION_TYPED_FFI
//   %r.1 = f32[2,3]{0,1} get-tuple-element(%r), index=0
//   %r.2 = f32[3] get-tuple-element(%r), index=1
//   ROOT %tuple.5 = (f32[2,3]{0,1}, f32[3]) tuple(%r.1, %r.2)
// }
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = stablehlo.custom_call @f(%a) {api_version = 4 : i32, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (a: f32[2,3]) -> f32[2,3] {
//   %a = f32[2,3] parameter(0)
//   ROOT %r = f32[2,3] custom-call(%a), custom_call_target="f", api_version=API_VERSION_TYPED_FFI
// }
// -----
// test: import
// An empty text does not hide the dictionary.
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %r#0 : tensor<2x2xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (a: f32[2,2]) -> f32[2,2] {
//   %a = f32[2,2] parameter(0)
//   %r = (f32[2,2], s32[]) custom-call(%a), custom_call_target="lapack_spotrf_ffi", backend_config={uplo = 76 : ui8}
//   ROOT %r.1 = f32[2,2] get-tuple-element(%r), index=0
//   %r.2 = s32[] get-tuple-element(%r), index=1
// }
