// test: import
// In the spelling of Reactant (Julia): a donated argument, and attributes of its dialect. Written for this test.
module @reactant_update attributes {mhlo.num_partitions = 1 : i64, mhlo.num_replicas = 1 : i64} {
  func.func @main(%arg0: tensor<3x2xf32> {enzymexla.memory_effects = [], tf.aliasing_output = 0 : i32}, %arg1: tensor<3x2xf32> {enzymexla.memory_effects = []}) -> tensor<3x2xf32> attributes {enzymexla.memory_effects = []} {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<3x2xf32>
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] {enzymexla.symmetric_matrix = []} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.multiply %arg1, %cst : tensor<3x2xf32>
    %3 = stablehlo.add %1, %2 : tensor<3x2xf32>
    return %3 : tensor<3x2xf32>
  }
}
// expect:
// HloModule reactant_update, input_output_alias={ {}: (0, {}, may-alias) }
//
// ENTRY %main (arg0: f32[3,2], arg1: f32[3,2]) -> f32[3,2] {
//   %arg0 = f32[3,2] parameter(0)
//   %arg1 = f32[3,2] parameter(1)
//   %cst = f32[] constant(2)
//   %cst.1 = f32[3,2] broadcast(%cst)
//   %transpose.4 = f32[2,3] transpose(%arg0), dimensions={1,0}
//   %transpose.5 = f32[3,2] transpose(%transpose.4), dimensions={1,0}
//   %multiply.6 = f32[3,2] multiply(%arg1, %cst.1)
//   ROOT %add.7 = f32[3,2] add(%transpose.5, %multiply.6)
// }
