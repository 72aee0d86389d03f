// Sizes that an argument states, and an assertion about them.
func.func public @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %four = stablehlo.constant dense<4> : tensor<1xi64>
  %rows = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %sizes = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %i = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi64>) -> tensor<?x4xf32>
  %least = stablehlo.constant dense<2> : tensor<i64>
  %enough = stablehlo.compare GE, %n, %least, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %n) {error_message = "n is {0}", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
  %r = call @add(%n, %i, %x) : (tensor<i64>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
func.func private @add(%n: tensor<i64>, %a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = stablehlo.add %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// -----
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %y, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %limit = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %v = stablehlo.dynamic_reshape %y, %limit : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %r = stablehlo.real_dynamic_slice %v, %zero, %limit, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
