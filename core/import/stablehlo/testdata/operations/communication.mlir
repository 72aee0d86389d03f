// test: import
// Collectives, transfers and tokens.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, use_global_device_ids} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// expect:
// HloModule module
//
// %all_reduce.computation (a: f32[], b: f32[]) -> f32[] {
//   %a = f32[] parameter(0)
//   %b = f32[] parameter(1)
//   ROOT %s = f32[] add(%a, %b)
// }
//
// ENTRY %main (x: f32[2,3]) -> f32[2,3] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[2,3] all-reduce(%x), to_apply=%all_reduce.computation, replica_groups={{0,1},{2}}, channel_id=7, use_global_device_ids=true
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>, %t: !stablehlo.token) -> (!stablehlo.token) {
  %r = "stablehlo.outfeed"(%x, %n, %t) {outfeed_config = "z"} : (tensor<2x3xf32>, tensor<i32>, !stablehlo.token) -> !stablehlo.token
  return %r : !stablehlo.token
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3], n: s32[], t: token[]) -> token[] {
//   %x = f32[2,3] parameter(0)
//   %n = s32[] parameter(1)
//   %t = token[] parameter(2)
//   %r = (f32[2,3], s32[]) tuple(%x, %n)
//   ROOT %r.1 = token[] outfeed(%r, %t), outfeed_config="z", outfeed_shape=(f32[2,3]{1,0}, s32[])
// }
// -----
// test: import
func.func @main(%t: !stablehlo.token) -> (!stablehlo.token) {
  %r = stablehlo.after_all %t, %t : !stablehlo.token
  return %r : !stablehlo.token
}
// expect:
// HloModule module
//
// ENTRY %main (t: token[]) -> token[] {
//   %t = token[] parameter(0)
//   ROOT %r = token[] after-all(%t, %t)
// }
// -----
// test: import
func.func @main() -> (!stablehlo.token) {
  %r = stablehlo.create_token : !stablehlo.token
  return %r : !stablehlo.token
}
// expect:
// HloModule module
//
// ENTRY %main () -> token[] {
//   ROOT %r = token[] after-all()
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %f = "stablehlo.async_start"(%v) ({
    ^bb0(%a: tensor<3xf32>):
    %s = stablehlo.negate %a : tensor<3xf32>
    stablehlo.return %s : tensor<3xf32>
  }) : (tensor<3xf32>) -> !stablehlo.future<tensor<3xf32>>
  %r = stablehlo.async_done %f : (!stablehlo.future<tensor<3xf32>>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %s = f32[3] negate(%v)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>, %n: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
  %f = "stablehlo.async_start"(%v, %n) ({
    ^bb0(%a: tensor<3xf32>, %b: tensor<i32>):
    stablehlo.return %a, %b : tensor<3xf32>, tensor<i32>
  }) : (tensor<3xf32>, tensor<i32>) -> !stablehlo.future<tensor<3xf32>, tensor<i32>>
  %r:2 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<3xf32>, tensor<i32>>) -> (tensor<3xf32>, tensor<i32>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<i32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3], n: s32[]) -> (f32[3], s32[]) {
//   %v = f32[3] parameter(0)
//   %n = s32[] parameter(1)
//   %f = (f32[3], s32[]) tuple(%v, %n)
//   %r = f32[3] get-tuple-element(%f), index=0
//   %r.1 = s32[] get-tuple-element(%f), index=1
//   ROOT %tuple.5 = (f32[3], s32[]) tuple(%r, %r.1)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<6xf32>) {
  %r = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}> : (tensor<3xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[6] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[6] all-gather(%v), dimensions={0}, replica_groups={{0,1}}, channel_id=1
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = "stablehlo.collective_broadcast"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] collective-broadcast(%v), replica_groups={{0,1}}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] collective-permute(%v), source_target_pairs={{0,1}}
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %w = stablehlo.constant dense<1> : tensor<1xi32>
  %r = "stablehlo.collective_reduce"(%v, %w) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// %collective_reduce.computation (a: f32[], b: f32[]) -> f32[] {
//   %a = f32[] parameter(0)
//   %b = f32[] parameter(1)
//   ROOT %s = f32[] add(%a, %b)
// }
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   %w = s32[] constant(1)
//   %w.1 = s32[1] broadcast(%w)
//   ROOT %r = f32[3] collective-reduce(%v, %w.1), to_apply=%collective_reduce.computation, replica_groups={{0,1}}, has_dynamic_root=true
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = "stablehlo.cross-replica-sum"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// expect:
// HloModule module
//
// %add.f32 (lhs: f32[], rhs: f32[]) -> f32[] {
//   %lhs = f32[] parameter(0)
//   %rhs = f32[] parameter(1)
//   ROOT %add.3 = f32[] add(%lhs, %rhs)
// }
//
// ENTRY %main (v: f32[3]) -> f32[3] {
//   %v = f32[3] parameter(0)
//   ROOT %r = f32[3] all-reduce(%v), to_apply=%add.f32, replica_groups={{0,1}}
// }
// -----
// test: import
func.func @main(%x: tensor<2x3xf32>) -> (tensor<1x3xf32>) {
  %r = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}
// expect:
// HloModule module
//
// %reduce_scatter.computation (a: f32[], b: f32[]) -> f32[] {
//   %a = f32[] parameter(0)
//   %b = f32[] parameter(1)
//   ROOT %s = f32[] add(%a, %b)
// }
//
// ENTRY %main (x: f32[2,3]) -> f32[1,3] {
//   %x = f32[2,3] parameter(0)
//   ROOT %r = f32[1,3] reduce-scatter(%x), dimensions={0}, to_apply=%reduce_scatter.computation, replica_groups={{0,1}}
// }
// -----
// test: import
func.func @main() -> (tensor<ui32>) {
  %r = stablehlo.partition_id : tensor<ui32>
  return %r : tensor<ui32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> u32[] {
//   ROOT %r = u32[] partition-id()
// }
// -----
// test: import
func.func @main() -> (tensor<ui32>) {
  %r = stablehlo.replica_id : tensor<ui32>
  return %r : tensor<ui32>
}
// expect:
// HloModule module
//
// ENTRY %main () -> u32[] {
//   ROOT %r = u32[] replica-id()
// }
// -----
// test: import
func.func @main(%t: !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%t) <{infeed_config = "z", layout = [[0]]}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  return %r#0, %r#1 : tensor<3xf32>, !stablehlo.token
}
// expect:
// HloModule module
//
// ENTRY %main (t: token[]) -> (f32[3], token[]) {
//   %t = token[] parameter(0)
//   %r = (f32[3], token[]) infeed(%t), infeed_config="z"
//   %r.1 = f32[3] get-tuple-element(%r), index=0
//   %r.2 = token[] get-tuple-element(%r), index=1
//   ROOT %tuple.4 = (f32[3], token[]) tuple(%r.1, %r.2)
// }
// -----
// test: import
func.func @main(%t: !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  return %r#0, %r#1 : tensor<3xf32>, !stablehlo.token
}
// expect:
// HloModule module
//
// ENTRY %main (t: token[]) -> (f32[3], token[]) {
//   %t = token[] parameter(0)
//   %r = (f32[3], u32[], token[]) recv(%t), channel_id=5, is_host_transfer=true
//   %r.1 = (f32[3], token[]) recv-done(%r), channel_id=5, is_host_transfer=true
//   %r.2 = f32[3] get-tuple-element(%r.1), index=0
//   %r.3 = token[] get-tuple-element(%r.1), index=1
//   ROOT %tuple.5 = (f32[3], token[]) tuple(%r.2, %r.3)
// }
// -----
// test: import
func.func @main(%v: tensor<3xf32>, %t: !stablehlo.token) -> (!stablehlo.token) {
  %r = "stablehlo.send"(%v, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %r : !stablehlo.token
}
// expect:
// HloModule module
//
// ENTRY %main (v: f32[3], t: token[]) -> token[] {
//   %v = f32[3] parameter(0)
//   %t = token[] parameter(1)
//   %r = (f32[3], u32[], token[]) send(%v, %t), channel_id=5, is_host_transfer=true
//   ROOT %r.1 = token[] send-done(%r), channel_id=5, is_host_transfer=true
// }
