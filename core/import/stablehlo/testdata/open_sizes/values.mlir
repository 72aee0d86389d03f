// test: import s64[] f32[3,4]
// A value on which sizes depend follows from the shapes.
func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %four = stablehlo.constant dense<4> : tensor<1xi64>
  %rows = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %sizes = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %i = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi64>) -> tensor<?x4xf32>
  %r = stablehlo.add %i, %x : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (n: s64[], x: f32[3,4]) -> f32[3,4] {
//   %n = s64[] parameter(0)
//   %constant.1 = s64[] constant(3)
//   %x = f32[3,4] parameter(1)
//   %four = s64[] constant(4)
//   %four.1 = s64[1] broadcast(%four)
//   %rows = s64[1] reshape(%constant.1)
//   %sizes = s64[2] concatenate(%rows, %four.1), dimensions={0}
//   %i = f32[3,4] iota(), iota_dimension=0
//   ROOT %r = f32[3,4] add(%i, %x)
// }
// -----
// test: import x:3x4 n=5
// A value that contradicts a shape.
func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %four = stablehlo.constant dense<4> : tensor<1xi64>
  %rows = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %sizes = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %i = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi64>) -> tensor<?x4xf32>
  %r = stablehlo.add %i, %x : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// expect:
// 8:8: operand 1 has shape f32[3,4], expected f32[5,4]
// note: sizes come from parameter 0 (n), whose value is 5; parameter 1 (x), given as f32[3,4]
// -----
// test: import 0:3 %y:4
// Shapes that contradict each other.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = stablehlo.negate %x : tensor<?xf32>
  %r = stablehlo.add %a, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 5:8: operand 1 has shape f32[4], expected f32[3]
// note: sizes come from parameter 0 (x), given as f32[3]; parameter 1 (y), given as f32[4]
// -----
// test: import x:3 y:4
// Shapes that contradict each other where a size is an operand.
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_reshape %y, %size : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 6:8: r: the result f32[3] has 3 elements, expected 4 as in f32[4]
// note: sizes come from parameter 0 (x), given as f32[3]; parameter 1 (y), given as f32[4]
// -----
// test: import x:3 match=note.*
// Several values agree: the limit of a slice.
func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %limit = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.real_dynamic_slice %x, %zero, %limit, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 7:8: stablehlo.real_dynamic_slice: the limits are not known
// note: sizes depend on the value of parameter 0 (n): give it, as in --value 0=8
// note: it does not follow from the shapes that are given: several values agree with them
// -----
// test: import x:3 n=2 match=ROOT.*
// The same, with the value.
func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %limit = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.real_dynamic_slice %x, %zero, %limit, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// ROOT %r = f32[2] slice(%x), slice={[0:2]}
// -----
// test: import a:3 b:5 match=\w+\S+ = s64\[\] constant.*
// Two values, each a size, are found together.
func.func @main(%m: tensor<i64>, %n: tensor<i64>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %rows = stablehlo.reshape %m : (tensor<i64>) -> tensor<1xi64>
  %columns = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %sizes = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %x = stablehlo.dynamic_broadcast_in_dim %a, %sizes, dims = [0] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %y = stablehlo.dynamic_broadcast_in_dim %b, %sizes, dims = [1] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r = stablehlo.add %x, %y : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// constant.1 = s64[] constant(3)
// constant.3 = s64[] constant(5)
// -----
// test: import sizes=2,3 match=ROOT.*
// All elements of an array are sizes.
func.func @main(%sizes: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// ROOT %r = f32[2,3] iota(), iota_dimension=0
// -----
// test: import
// An array of sizes that is not given.
func.func @main(%sizes: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// 4:8: stablehlo.dynamic_iota: the sizes of the result are not known
// note: sizes depend on the value of parameter 0 (sizes): give it, as in --value 0=8,8
// -----
// test: import sizes=2,3,4
// Too many elements.
func.func @main(%sizes: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// 3:1: 3 values are given for parameter 0, but its type is tensor<2xi32>
// -----
// test: import sizes=2,3000000000
// An element that the type cannot hold.
func.func @main(%sizes: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// 3:1: the value given for parameter 0 is 2,3000000000, but its type is tensor<2xi32>
// -----
// test: import sizes=2,-1
// A size below 0.
func.func @main(%sizes: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// 4:8: stablehlo.dynamic_iota: the sizes are 2,-1, expected 2 numbers of at least 0
// note: sizes come from parameter 0 (sizes), whose value is 2,-1
// -----
// test: import sizes=4000000000000000000,4000000000000000000
// More elements than there can be.
func.func @main(%sizes: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
// expect:
// 4:8: r: the shape f32[4000000000000000000,4000000000000000000] is too large
// note: sizes come from parameter 0 (sizes), whose value is 4000000000000000000,4000000000000000000
// -----
// test: import x:3
// A size that only a run knows.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %first = stablehlo.slice %x [0:1] : (tensor<?xf32>) -> tensor<1xf32>
  %n = stablehlo.convert %first : (tensor<1xf32>) -> tensor<1xi32>
  %m = stablehlo.add %n, %n : tensor<1xi32>
  %r = stablehlo.dynamic_iota %m, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 8:8: stablehlo.dynamic_iota: the sizes of the result are not known
// note: 3:1: sizes depend on x, a parameter whose elements only a run knows
// -----
// test: import x:3 n=2
// A size that is computed from a value, but not while the program is read.
func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %m = stablehlo.popcnt %n : tensor<i32>
  %size = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// expect:
// 6:8: stablehlo.dynamic_iota: the sizes of the result are not known
// note: 4:8: sizes depend on m, a popcnt that overflows, or is not evaluated while a program is read
// -----
// test: import y:3
// A parameter that there is not.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }
// expect:
// 3:1: sizes of parameter y are given, expected a number from 0 to 0, or one of the names x
// -----
// test: import x:3 0:4
// The same parameter twice.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }
// expect:
// 3:1: sizes of parameter 0 are given twice, as 3 and as 4
// -----
// test: import x=3
// A value of floats.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }
// expect:
// 3:1: a value is given for parameter 0, but its type is tensor<?xf32>, expected integers or truth values
// -----
// test: import x:3
// One of two parameters is left open.
func.func @main(%x: tensor<?xf32>, %y: tensor<2x?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }
// expect:
// 3:1: func.func: the sizes of the parameters of @main are not known
// note: sizes of parameter 1 (y), tensor<2x?xf32>, are not known: give them, as in --shape 1=2x8
// -----
// test: import x:9
// A size above its bound.
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %r = stablehlo.negate %x : tensor<?xf32, #stablehlo.bounds<8>>
  return %r : tensor<?xf32, #stablehlo.bounds<8>>
}
// expect:
// 3:1: the shape given for parameter 0 is f32[9], but its type is tensor<?xf32, #stablehlo.bounds<8>>: dimension 0 is at most 8
// -----
// test: import x:5 match=ROOT.*
// A size up to its bound.
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %r = stablehlo.negate %x : tensor<?xf32, #stablehlo.bounds<8>>
  return %r : tensor<?xf32, #stablehlo.bounds<8>>
}
// expect:
// ROOT %r = f32[5] negate(%x)
