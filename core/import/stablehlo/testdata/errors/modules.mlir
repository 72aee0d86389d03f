// test: import
// A text without anything.
// expect:
// 1:1: there is no function @main
// -----
// test: import
module {
// expect:
// 3:1: expected an operation, found the end of the text
// -----
// test: import
module { func.func @main() { return } } x
// expect:
// 2:41: expected the end of the text after the module, found 'x'
// -----
// test: import
func.func main() { return }
// expect:
// 2:11: expected the name of a function, as in @main, found 'main'
// -----
// test: import
func.func @main(%a: tensor<2xf32>, %a: tensor<2xf32>) { return }
// expect:
// 2:36: %a is already defined in line 2
// -----
// test: import
func.func @main() { return }
func.func @main() { return }
// expect:
// 3:1: @main is defined twice
// -----
// test: import
func.func @main() { }
// expect:
// 2:19: the region does not end with a return
// -----
// test: import
func.func @main() { return return }
// expect:
// 2:21: a return before the end of a region
// -----
// test: import
func.func @main() -> tensor<f32> { return }
// expect:
// 2:36: 0 values are returned, expected 1
// -----
// test: import
func.func @main(%a: tensor<i32>) -> tensor<f32> { return %a : tensor<i32> }
// expect:
// 2:51: value 0 that is returned is tensor<i32>, expected tensor<f32>
// -----
// test: import
func.func @main() { ^a: return ^b: return }
// expect:
// 2:32: a region of several blocks
// -----
// test: import
func.func @f(%a: tensor<f32>) { return }
func.func @g(%a: tensor<f32>) { return }
// expect:
// 1:1: there is no function @main
// -----
// test: import
func.func @main() { call @f() : () -> () return }
// expect:
// 2:26: there is no function @f
// -----
// test: import
func.func @main() { call @f() : () -> () return }
func.func private @f()
// expect:
// 2:26: @f has no body
// -----
// test: import
func.func @main() { call @f() : () -> () return }
func.func @f(%a: tensor<f32>) { return }
// expect:
// 2:21: @f is given 0 arguments, expected 1
// -----
// test: import
func.func @main() { call @main() : () -> () return }
// expect:
// 2:21: call.0: the call of main is recursive
// -----
// test: import
func.func @main() { call @f() : () -> () return }
func.func @f() { call @g() : () -> () return }
func.func @g() { call @f() : () -> () return }
// expect:
// 3:18: call.2: the call of g is recursive
// -----
// test: import
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
%0 = stablehlo.abs %a : tensor<?xf32>
return %0 : tensor<?xf32> }
// expect:
// 3:6: stablehlo.abs: a size is not known: tensor<?xf32>
// note: sizes of parameter 0 (a), tensor<?xf32>, are not known: give them, as in --shape 0=8
// -----
// test: import
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
%0 = call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>
return %0 : tensor<?xf32> }
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }
// expect:
// 2:1: func.func: the sizes of the parameters of @main are not known
// note: sizes of parameter 0 (a), tensor<?xf32>, are not known: give them, as in --shape 0=8
// -----
// test: import
module @m attributes {mhlo.num_replicas = "x"} { func.func @main() { return } }
// expect:
// 2:43: expected an integer
// -----
// test: import
module @m attributes {a = 1, a = 2} { func.func @main() { return } }
// expect:
// 2:30: attribute 'a' is given twice
