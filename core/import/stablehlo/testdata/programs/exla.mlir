// test: import
// In the spelling of EXLA (Elixir). Written for this test.
module {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<4xf32>, tensor<f32>) {
    %0 = stablehlo.cosine %arg0 : tensor<4xf32>
    %1 = stablehlo.convert %arg1 : (tensor<4xi32>) -> tensor<4xf32>
    %2 = stablehlo.sine %1 : tensor<4xf32>
    %3 = stablehlo.add %0, %2 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = "stablehlo.reduce"(%3, %cst) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %5 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %3, %4 : tensor<4xf32>, tensor<f32>
  }
}
// expect:
// HloModule module
//
// %reduce.computation (arg2: f32[], arg3: f32[]) -> f32[] {
//   %arg2 = f32[] parameter(0)
//   %arg3 = f32[] parameter(1)
//   ROOT %add.9 = f32[] add(%arg2, %arg3)
// }
//
// ENTRY %main (arg0: f32[4], arg1: s32[4]) -> (f32[4], f32[]) {
//   %arg0 = f32[4] parameter(0)
//   %arg1 = s32[4] parameter(1)
//   %cosine.2 = f32[4] cosine(%arg0)
//   %convert.3 = f32[4] convert(%arg1)
//   %sine.4 = f32[4] sine(%convert.3)
//   %add.5 = f32[4] add(%cosine.2, %sine.4)
//   %cst = f32[] constant(0)
//   %reduce.10 = f32[] reduce(%add.5, %cst), dimensions={0}, to_apply=%reduce.computation
//   ROOT %tuple.11 = (f32[4], f32[]) tuple(%add.5, %reduce.10)
// }
