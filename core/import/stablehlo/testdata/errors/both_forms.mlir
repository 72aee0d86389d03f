// test: import
// Wrong type, in the pretty form.
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.negate %x : (tensor<4xi32>) -> tensor<4xi32>
  return
}
// expect:
// 4:30: operand 0 is written as tensor<4xi32>, but its type is tensor<4xf32>
// -----
// test: import
// Wrong type, in the generic form.
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.negate"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}
// expect:
// 4:33: operand 0 is written as tensor<4xi32>, but its type is tensor<4xf32>
// -----
// test: import
// Operands of two types, in the pretty form.
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %0 = stablehlo.multiply %x, %y : tensor<4xf32>
  return
}
// expect:
// 4:8: stablehlo.multiply: operand 0 is tensor<4xf32> and operand 1 is tensor<2xf32>, expected the same type
// -----
// test: import
// Operands of two types, in the generic form.
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %0 = "stablehlo.multiply"(%x, %y) : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:9: stablehlo.multiply: operand 0 is tensor<4xf32> and operand 1 is tensor<2xf32>, expected the same type
// -----
// test: import
// Result of another type, in the pretty form.
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.negate %x : (tensor<4xf32>) -> tensor<2xf32>
  return
}
// expect:
// 4:8: stablehlo.negate: operand 0 is tensor<4xf32> and result 0 is tensor<2xf32>, expected the same type
// -----
// test: import
// Result of another type, in the generic form.
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<2xf32>
  return
}
// expect:
// 4:9: stablehlo.negate: operand 0 is tensor<4xf32> and result 0 is tensor<2xf32>, expected the same type
// -----
// test: import
// Missing attribute, in the pretty form.
func.func @main() {
  %0 = stablehlo.iota : tensor<4xf32>
  return
}
// expect:
// 4:8: stablehlo.iota needs the attribute 'iota_dimension', dim in the pretty form
// -----
// test: import
// Missing attribute, in the generic form.
func.func @main() {
  %0 = "stablehlo.iota"() : () -> tensor<4xf32>
  return
}
// expect:
// 4:9: stablehlo.iota needs the attribute 'iota_dimension', dim in the pretty form
// -----
// test: import
// Undefined value, in the pretty form.
func.func @main() {
  %0 = stablehlo.negate %w : tensor<4xf32>
  return
}
// expect:
// 4:25: %w is not defined before its use
// -----
// test: import
// Undefined value, in the generic form.
func.func @main() {
  %0 = "stablehlo.negate"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:27: %w is not defined before its use
// -----
// test: import
// Undefined function, in the pretty form.
func.func @main(%x: tensor<4xf32>) {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:18: there is no function @f
// -----
// test: import
// Undefined function, in the generic form.
func.func @main(%x: tensor<4xf32>) {
  %0 = "func.call"(%x) <{callee = @f}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:35: there is no function @f
// -----
// test: import
// Cycle of values, in the pretty form.
func.func @main() {
  %0 = stablehlo.negate %0 : tensor<4xf32>
  return
}
// expect:
// 4:25: %0 is not defined before its use
// -----
// test: import
// Cycle of values, in the generic form.
func.func @main() {
  %0 = "stablehlo.negate"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:27: %0 is not defined before its use
// -----
// test: import
// Cycle of calls, in the pretty form.
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %0 = func.call @main(%x, %y) : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:8: call.2: the call of main is recursive
// -----
// test: import
// Cycle of calls, in the generic form.
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  "func.call"(%x, %y) <{callee = @main}> : (tensor<4xf32>, tensor<2xf32>) -> ()
  return
}
// expect:
// 4:4: call.2: the call of main is recursive
// -----
// test: import
// Redefined value, in the pretty form.
func.func @main(%x: tensor<4xf32>) {
  %x = stablehlo.negate %x : tensor<4xf32>
  return
}
// expect:
// 4:3: %x is already defined in line 3
// -----
// test: import
// Redefined value, in the generic form.
func.func @main(%x: tensor<4xf32>) {
  %x = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:3: %x is already defined in line 3
// -----
// test: import
// Literal that does not fit, in the pretty form.
func.func @main() {
  %0 = stablehlo.constant dense<[1, 300]> : tensor<2xi8>
  return
}
// expect:
// 4:37: 300 is out of the range of i8
// -----
// test: import
// Literal that does not fit, in the generic form.
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<[1, 300]> : tensor<2xi8>}> : () -> tensor<2xi8>
  return
}
// expect:
// 4:51: 300 is out of the range of i8
// -----
// test: import
// Literal of another size, in the pretty form.
func.func @main() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
  return
}
// expect:
// 4:33: 2 elements in dimension 0 of tensor<3xi32>, expected 3
// -----
// test: import
// Literal of another size, in the generic form.
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<3xi32>}> : () -> tensor<3xi32>
  return
}
// expect:
// 4:47: 2 elements in dimension 0 of tensor<3xi32>, expected 3
// -----
// test: import
// Dialect that is not supported, in the pretty form.
func.func @main(%x: tensor<4xf32>) {
  %0 = linalg.exp %x : tensor<4xf32>
  return
}
// expect:
// 4:8: unknown operation linalg.exp
// -----
// test: import
// Dialect that is not supported, in the generic form.
func.func @main(%x: tensor<4xf32>) {
  %0 = "linalg.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 4:9: unknown operation linalg.exp
