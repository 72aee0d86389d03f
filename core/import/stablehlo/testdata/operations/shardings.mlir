// test: import
// Shardings of sdy.
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = sdy.manual_computation(%v) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"a"} (%a: tensor<3xf32>) {
    %s = stablehlo.negate %a : tensor<3xf32>
    sdy.return %s : tensor<3xf32>
  } : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// %xla.sdy.manual_computation_body (a: f32[3]) -> f32[3] {
//   %a = f32[3] parameter(0)
//   ROOT %s = f32[3] negate(%a)
// }
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   %r = f32[3] custom-call(%v), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@m,[{}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
//   %r.1 = f32[3] call(%r), to_apply=%xla.sdy.manual_computation_body
//   ROOT %r.2 = f32[3] custom-call(%r.1), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@m,[{}]>]>"}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = "sdy.manual_computation"(%v) <{in_shardings = #sdy.sharding_per_value<[<@m, [{"a"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{}]>]>}> ({
    ^bb0(%a: tensor<3xf32>):
    %s = stablehlo.negate %a : tensor<3xf32>
    "sdy.return"(%s) : (tensor<3xf32>) -> ()
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// %xla.sdy.manual_computation_body (a: f32[3]) -> f32[3] {
//   %a = f32[3] parameter(0)
//   ROOT %s = f32[3] negate(%a)
// }
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   %r = f32[3] custom-call(%v), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@m,[{\"a\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
//   %r.1 = f32[3] call(%r), to_apply=%xla.sdy.manual_computation_body
//   ROOT %r.2 = f32[3] custom-call(%r.1), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@m,[{}]>]>"}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = sdy.sharding_constraint %v <@m, [{"a"}]> : tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] custom-call(%v), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@m,[{\"a\"}]>]>"}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = "sdy.sharding_constraint"(%v) <{sharding = #sdy.sharding<@m, [{"a"}]>}> : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] custom-call(%v), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@m,[{\"a\"}]>]>"}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  sdy.sharding_group %v group_id=21 : tensor<3xf32>
  return %v : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   ROOT %v = f32[3] parameter(0)
//   %custom-call.1 = () custom-call(%v), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="21"}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  "sdy.sharding_group"(%v) <{group_id = 21 : i64}> : (tensor<3xf32>) -> ()
  return %v : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   ROOT %v = f32[3] parameter(0)
//   %custom-call.1 = () custom-call(%v), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="21"}
// }
// -----
// test: import match=parameter.*
func.func @main(%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>", k = "v"}}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// expect:
// parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}]>",k="v"}
