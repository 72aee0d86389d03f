// test: import
// Nothing is given.
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// 4:8: stablehlo.add: a size is not known: tensor<?x4xf32>
// note: sizes of parameter 0 (a), tensor<?x4xf32>; parameter 1 (b), tensor<?x4xf32>, are not known: give them, as in --shape 0=8x4 1=8x4
// -----
// test: import f32[3,4]
// Too few shapes.
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// 3:1: 1 shapes are given, but @main has 2 parameters
// -----
// test: import f32[3,5] f32[3,5]
// A size that is not open is another.
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// 3:1: the shape given for parameter 0 is f32[3,5], but its type is tensor<?x4xf32>
// -----
// test: import f64[3,4] f64[3,4]
// The elements have another type.
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// 3:1: the shape given for parameter 0 is f64[3,4], but its type is tensor<?x4xf32>
// -----
// test: import f32[<=3,4] f32[3,4]
// A dynamic size.
func.func @main(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// 3:1: the shape given for parameter 0 is f32[<=3,4], but its type is tensor<?x4xf32>
// -----
// test: import f32[1,2]
// A check does not hold.
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
// 7:3: b is 1, not 2 at least
// note: sizes come from parameter 0 (x), given as f32[1,2]
// -----
// test: import f32[7]
// Nor does this one, which calls a function.
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
// 9:3: 7 is odd
// note: sizes come from parameter 0 (x), given as f32[7]
// -----
// test: import f32[7]
// A division by zero.
func.func @main(%x: tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.divide %n, %zero : tensor<i32>
  %r_size = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %r_iota = stablehlo.dynamic_iota %r_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return
}
// expect:
// 8:13: stablehlo.dynamic_iota: the sizes of the result are not known
// note: 6:8: sizes depend on r, a divide that overflows, or is not evaluated while a program is read
// -----
// test: import f32[7]
// A size that overflows.
func.func @main(%x: tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %many = stablehlo.constant dense<2147483647> : tensor<i32>
  %r = stablehlo.multiply %n, %many : tensor<i32>
  %r_size = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %r_iota = stablehlo.dynamic_iota %r_size, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return
}
// expect:
// 8:13: stablehlo.dynamic_iota: the sizes of the result are not known
// note: 6:8: sizes depend on r, a multiply that overflows, or is not evaluated while a program is read
// -----
// test: import f32[3]
// Functions that call each other without an end.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @main(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 4:8: func.call: functions with unknown sizes call each other more than 128 levels deep
// note: sizes come from parameter 0 (x), given as f32[3]
