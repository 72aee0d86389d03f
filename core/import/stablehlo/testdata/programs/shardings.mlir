// test: import
// What is said of devices is kept. Written as by JAX, and kept as by XLA's export.
module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
  sdy.mesh @other = <["x"=8]>
  func.func public @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
    %s = stablehlo.add %y, %y {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"x"}]>]>} : tensor<8xf32>
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a", "b"} (%local: tensor<4x2xf32>) {
      %n = stablehlo.negate %local : tensor<4x2xf32>
      sdy.return %n : tensor<4x2xf32>
    } : (tensor<8x8xf32>) -> tensor<8x2xf32>
    return %0, %s : tensor<8x2xf32>, tensor<8xf32>
  }
}
// expect:
// HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2,"b"=4]>, other = #sdy.mesh<["x"=8]>}}
//
// %xla.sdy.manual_computation_body (local: f32[4,2]) -> f32[4,2] {
//   %local = f32[4,2] parameter(0)
//   ROOT %n = f32[4,2] negate(%local)
// }
//
// ENTRY %main (x: f32[8,8], y: f32[8]) -> (f32[8,2], f32[8]) {
//   %x = f32[8,8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh,[{\"a\"},{\"b\"}]>"}
//   %y = f32[8] parameter(1), sharding={devices=[8]<=[8]}
//   %s = f32[8] add(%y, %y), frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@other,[{\"x\"}]>]>"}
//   %custom-call.3 = f32[4,2] custom-call(%x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh,[{\"a\"},{\"b\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\",\"b\"}>"}
//   %call.6 = f32[4,2] call(%custom-call.3), to_apply=%xla.sdy.manual_computation_body
//   %custom-call.7 = f32[8,2] custom-call(%call.6), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"a\",\"b\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh,[{\"a\"},{}]>]>"}
//   %custom-call.8 = f32[8,2] custom-call(%custom-call.7), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh,[{\"a\"},{}]>]>"}
//   %custom-call.9 = f32[8] custom-call(%s), custom_call_target="Sharding", sharding={replicated}
//   ROOT %tuple.10 = (f32[8,2], f32[8]) tuple(%custom-call.8, %custom-call.9)
// }
// -----
// test: import
// A sharding may be empty, no text of HLO, or written with blanks.
func.func public @main(%x: tensor<f32> {mhlo.sharding = ""},
               %y: tensor<f32> {mhlo.sharding = "\08\01"}, %z: tensor<f32> {mhlo.sharding = "{ replicated }"}) -> tensor<f32> {
  return %x : tensor<f32>
  }
// expect:
// HloModule module
//
// ENTRY %main (x: f32[], y: f32[], z: f32[]) -> f32[] {
//   ROOT %x = f32[] parameter(0)
//   %y = f32[] parameter(1), frontend_attributes={mhlo.sharding="\010\001"}
//   %z = f32[] parameter(2), sharding={replicated}
// }
