// test: import
// Operations of chlo broadcast an operand along the dimensions that are given.
func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  %add = chlo.broadcast_add %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %atan2 = chlo.broadcast_atan2 %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %divide = chlo.broadcast_divide %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %maximum = chlo.broadcast_maximum %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %minimum = chlo.broadcast_minimum %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %multiply = chlo.broadcast_multiply %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %power = chlo.broadcast_power %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %remainder = chlo.broadcast_remainder %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %subtract = chlo.broadcast_subtract %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3], v: f32[3]) -> () {
//   %x = f32[2,3] parameter(0)
//   %v = f32[3] parameter(1)
//   %add = f32[2,3] broadcast(%v), dimensions={1}
//   %add.1 = f32[2,3] add(%x, %add)
//   %atan2 = f32[2,3] broadcast(%v), dimensions={1}
//   %atan2.1 = f32[2,3] atan2(%x, %atan2)
//   %divide = f32[2,3] broadcast(%v), dimensions={1}
//   %divide.1 = f32[2,3] divide(%x, %divide)
//   %maximum = f32[2,3] broadcast(%v), dimensions={1}
//   %maximum.1 = f32[2,3] maximum(%x, %maximum)
//   %minimum = f32[2,3] broadcast(%v), dimensions={1}
//   %minimum.1 = f32[2,3] minimum(%x, %minimum)
//   %multiply = f32[2,3] broadcast(%v), dimensions={1}
//   %multiply.1 = f32[2,3] multiply(%x, %multiply)
//   %power = f32[2,3] broadcast(%v), dimensions={1}
//   %power.1 = f32[2,3] power(%x, %power)
//   %remainder = f32[2,3] broadcast(%v), dimensions={1}
//   %remainder.1 = f32[2,3] remainder(%x, %remainder)
//   %subtract = f32[2,3] broadcast(%v), dimensions={1}
//   %subtract.1 = f32[2,3] subtract(%x, %subtract)
//   ROOT %tuple.20 = () tuple()
// }
// -----
// test: import
// A scalar is broadcast to all dimensions.
func.func @main(%i: tensor<3xi32>, %n: tensor<i32>) {
  %and = chlo.broadcast_and %i, %n : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %or = chlo.broadcast_or %i, %n : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %xor = chlo.broadcast_xor %i, %n : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %shift_left = chlo.broadcast_shift_left %i, %n : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %shift_right_arithmetic = chlo.broadcast_shift_right_arithmetic %i, %n : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %shift_right_logical = chlo.broadcast_shift_right_logical %i, %n : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return
}
// expect:
// HloModule module
//
// ENTRY %main (i: s32[3], n: s32[]) -> () {
//   %i = s32[3] parameter(0)
//   %n = s32[] parameter(1)
//   %and = s32[3] broadcast(%n), dimensions={}
//   %and.1 = s32[3] and(%i, %and)
//   %or = s32[3] broadcast(%n), dimensions={}
//   %or.1 = s32[3] or(%i, %or)
//   %xor = s32[3] broadcast(%n), dimensions={}
//   %xor.1 = s32[3] xor(%i, %xor)
//   %shift_left = s32[3] broadcast(%n), dimensions={}
//   %shift_left.1 = s32[3] shift-left(%i, %shift_left)
//   %shift_right_arithmetic = s32[3] broadcast(%n), dimensions={}
//   %shift_right_arithmetic.1 = s32[3] shift-right-arithmetic(%i, %shift_right_arithmetic)
//   %shift_right_logical = s32[3] broadcast(%n), dimensions={}
//   %shift_right_logical.1 = s32[3] shift-right-logical(%i, %shift_right_logical)
//   ROOT %tuple.14 = () tuple()
// }
// -----
// test: import
// Without dimensions those of the operand are the last.
func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %p: tensor<i1>) {
  %compare = chlo.broadcast_compare %x, %v {comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %complex = chlo.broadcast_complex %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  %select = chlo.broadcast_select %p, %x, %v : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[2,3], v: f32[3], p: pred[]) -> () {
//   %x = f32[2,3] parameter(0)
//   %v = f32[3] parameter(1)
//   %p = pred[] parameter(2)
//   %compare = f32[2,3] broadcast(%v), dimensions={1}
//   %compare.1 = pred[2,3] compare(%x, %compare), direction=GT
//   %complex = f32[2,3] broadcast(%v), dimensions={1}
//   %complex.1 = c64[2,3] complex(%x, %complex)
//   %select = pred[2,3] broadcast(%p), dimensions={}
//   %select.1 = f32[2,3] broadcast(%v), dimensions={1}
//   %select.2 = f32[2,3] select(%select, %x, %select.1)
//   ROOT %tuple.10 = () tuple()
// }
// -----
// test: import match=broadcast\(%v\).*
// Functions of many instructions.
func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  %next_after = chlo.broadcast_next_after %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %polygamma = chlo.broadcast_polygamma %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %zeta = chlo.broadcast_zeta %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
// expect:
// broadcast(%v), dimensions={1} x3
