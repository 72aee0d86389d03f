// test: import
// What a loop uses from outside goes with it; constants are copied.
func.func @main(%n: tensor<i32>, %step: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
   cond {
    %1 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
   } do {
    %1 = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %1 : tensor<i32>
   }
  return %0 : tensor<i32>
}
// expect:
// HloModule module
//
// %while.condition (parameter.4: (s32[], s32[])) -> pred[] {
//   %parameter.4 = (s32[], s32[]) parameter(0)
//   %get-tuple-element.5 = s32[] get-tuple-element(%parameter.4), index=0
//   %get-tuple-element.6 = s32[] get-tuple-element(%parameter.4), index=1
//   %one = s32[] constant(1)
//   ROOT %compare.8 = pred[] compare(%get-tuple-element.5, %one), direction=LT
// }
//
// %while.body (parameter.9: (s32[], s32[])) -> (s32[], s32[]) {
//   %parameter.9 = (s32[], s32[]) parameter(0)
//   %get-tuple-element.10 = s32[] get-tuple-element(%parameter.9), index=0
//   %get-tuple-element.11 = s32[] get-tuple-element(%parameter.9), index=1
//   %add.12 = s32[] add(%get-tuple-element.10, %get-tuple-element.11)
//   ROOT %tuple.13 = (s32[], s32[]) tuple(%add.12, %get-tuple-element.11)
// }
//
// ENTRY %main (n: s32[], step: s32[]) -> s32[] {
//   %n = s32[] parameter(0)
//   %step = s32[] parameter(1)
//   %one.1 = s32[] constant(1)
//   %tuple.3 = (s32[], s32[]) tuple(%n, %step)
//   %while.14 = (s32[], s32[]) while(%tuple.3), condition=%while.condition, body=%while.body
//   ROOT %get-tuple-element.15 = s32[] get-tuple-element(%while.14), index=0
//   %get-tuple-element.16 = s32[] get-tuple-element(%while.14), index=1
// }
// -----
// test: import
// What devices run, and what is fed to them, are numbers of computations.
func.func @main() -> tensor<i32> {
  %0 = "interpreter.run_parallel"() {infeed = [@queue, @queue], programs = [[@device]]} : () -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @queue() -> tensor<i32> {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  return %0 : tensor<i32>
}
func.func @device() -> tensor<i32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1:2 = "stablehlo.infeed"(%0) : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  return %1#0 : tensor<i32>
}
// expect:
// HloModule module
//
// %device () -> s32[] {
//   %after-all.1 = token[] after-all()
//   %infeed.2 = (s32[], token[]) infeed(%after-all.1)
//   ROOT %get-tuple-element.3 = s32[] get-tuple-element(%infeed.2), index=0
//   %get-tuple-element.4 = token[] get-tuple-element(%infeed.2), index=1
// }
//
// %queue () -> s32[] {
//   ROOT %constant.5 = s32[] constant(7)
// }
//
// ENTRY %main () -> s32[] {
//   ROOT %custom-call.0 = s32[] custom-call(), custom_call_target="interpreter.run_parallel", custom_call_has_side_effect=true, called_computations={%device, %queue, %queue}, backend_config={"programs":[[0]],"infeed":[1,2]}
// }
