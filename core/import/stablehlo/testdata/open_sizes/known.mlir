// test: import f32[3,4] f32[3,4]
// Sizes that are left open follow from the shapes of the parameters.
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (a: f32[3,4], b: f32[3,4]) -> f32[3,4] {
//   %a = f32[3,4] parameter(0)
//   %b = f32[3,4] parameter(1)
//   ROOT %r = f32[3,4] add(%a, %b)
// }
// -----
// test: import f32[3,2]
// A size is the argument of an inner function, and checked, as exported by jax.export; a check that holds leaves nothing.
func.func public @main(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %enough = stablehlo.compare GE, %b, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %b, %two) {api_version = 2 : i32, error_message = "b is {0}, not {1} at least", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %r = call @inner(%b, %x) : (tensor<i32>, tensor<?x2xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @inner(%b: tensor<i32>, %x: tensor<?x2xf32>) -> tensor<?xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %product = stablehlo.multiply %b, %two : tensor<i32>
  %size = stablehlo.reshape %product : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %x, %size : (tensor<?x2xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[3,2]) -> f32[6] {
//   %x = f32[3,2] parameter(0)
//   %two = s32[] constant(2)
//   %b = s32[] constant(3)
//   %enough = pred[] compare(%b, %two), direction=GE, type=SIGNED
//   %two.1 = s32[] constant(2)
//   %product = s32[] multiply(%b, %two.1)
//   %size = s32[1] reshape(%product)
//   ROOT %r = f32[6] reshape(%x)
// }
// -----
// test: import f32[8]
// A check of sizes may call functions.
func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %rest = call @modulo(%n, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %holds = stablehlo.compare EQ, %rest, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %n) {error_message = "{0} is odd", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<?xf32>
}
func.func private @modulo(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.remainder %a, %b : tensor<i32>
  return %r : tensor<i32>
}
// expect:
// HloModule module
//
// ENTRY %main (x: f32[8]) -> f32[8] {
//   ROOT %x = f32[8] parameter(0)
//   %zero = s32[] constant(0)
//   %two = s32[] constant(2)
//   %n = s32[] constant(8)
//   %r = s32[] remainder(%n, %two)
//   %holds = pred[] compare(%r, %zero), direction=EQ, type=SIGNED
// }
// -----
// test: import f32[7] match=\w+_iota = \S+
// Sizes are computed as programs compute them, here with 7 and 3.
func.func @main(%x: tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %add = stablehlo.add %n, %three : tensor<i32>
  %add_size = stablehlo.reshape %add : (tensor<i32>) -> tensor<1xi32>
  %add_iota = stablehlo.dynamic_iota %add_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %subtract = stablehlo.subtract %n, %three : tensor<i32>
  %subtract_size = stablehlo.reshape %subtract : (tensor<i32>) -> tensor<1xi32>
  %subtract_iota = stablehlo.dynamic_iota %subtract_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %divide = stablehlo.divide %n, %three : tensor<i32>
  %divide_size = stablehlo.reshape %divide : (tensor<i32>) -> tensor<1xi32>
  %divide_iota = stablehlo.dynamic_iota %divide_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %remainder = stablehlo.remainder %n, %three : tensor<i32>
  %remainder_size = stablehlo.reshape %remainder : (tensor<i32>) -> tensor<1xi32>
  %remainder_iota = stablehlo.dynamic_iota %remainder_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %maximum = stablehlo.maximum %n, %three : tensor<i32>
  %maximum_size = stablehlo.reshape %maximum : (tensor<i32>) -> tensor<1xi32>
  %maximum_iota = stablehlo.dynamic_iota %maximum_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %minimum = stablehlo.minimum %n, %three : tensor<i32>
  %minimum_size = stablehlo.reshape %minimum : (tensor<i32>) -> tensor<1xi32>
  %minimum_iota = stablehlo.dynamic_iota %minimum_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %clamp = stablehlo.clamp %three, %n, %three : tensor<i32>
  %clamp_size = stablehlo.reshape %clamp : (tensor<i32>) -> tensor<1xi32>
  %clamp_iota = stablehlo.dynamic_iota %clamp_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %m = stablehlo.negate %n : tensor<i32>
  %s = stablehlo.sign %m : tensor<i32>
  %multiply = stablehlo.multiply %m, %s : tensor<i32>
  %multiply_size = stablehlo.reshape %multiply : (tensor<i32>) -> tensor<1xi32>
  %multiply_iota = stablehlo.dynamic_iota %multiply_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %c = stablehlo.compare LT, %n, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %d = stablehlo.not %c : tensor<i1>
  %select = stablehlo.select %d, %n, %three : tensor<i1>, tensor<i32>
  %select_size = stablehlo.reshape %select : (tensor<i32>) -> tensor<1xi32>
  %select_iota = stablehlo.dynamic_iota %select_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return
}
// expect:
// add_iota = s32[10]
// subtract_iota = s32[4]
// divide_iota = s32[2]
// remainder_iota = s32[1]
// maximum_iota = s32[7]
// minimum_iota = s32[3]
// clamp_iota = s32[3]
// multiply_iota = s32[7]
// select_iota = s32[7]
// -----
// test: import f32[7] match=ROOT.*
// What functions of sizes and truth values give is known: the larger of the size and 4.
func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %is_less = stablehlo.compare LT, %n, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %m = call @where(%is_less, %four, %n) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
  %size = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %i : tensor<?xi32>
}
func.func private @where(%c: tensor<i1>, %a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.select %c, %a, %b : tensor<i1>, tensor<i32>
  return %r : tensor<i32>
}
// expect:
// ROOT %i = s32[7] iota(), iota_dimension=0
// -----
// test: import f32[2] match=ROOT.*
// The same with a smaller size.
func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %is_less = stablehlo.compare LT, %n, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %m = call @where(%is_less, %four, %n) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
  %size = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %i : tensor<?xi32>
}
func.func private @where(%c: tensor<i1>, %a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.select %c, %a, %b : tensor<i1>, tensor<i32>
  return %r : tensor<i32>
}
// expect:
// ROOT %i = s32[4] iota(), iota_dimension=0
