// test: import
// Operations.
func.func @main() {
  %0 = stablehlo.abs %z : tensor<4xf32>
  return
}
// expect:
// 4:22: %z is not defined before its use
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x#1 : tensor<4xf32>
  return
}
// expect:
// 3:22: %x has 1 result, there is no number 1
// -----
// test: import
func.func @main() {
  %0 = stablehlo.abs : tensor<4xf32>
  return
}
// expect:
// 3:8: stablehlo.abs has 0 operands, expected 1
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %x = stablehlo.abs %x : tensor<4xf32>
  return
}
// expect:
// 3:3: %x is already defined in line 2
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0:2 = stablehlo.abs %x : tensor<4xf32>
  return
}
// expect:
// 3:3: stablehlo.abs has 1 result, but 2 are named
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x
  return
}
// expect:
// 4:3: expected ':' and the type of stablehlo.abs, found 'return'
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// expect:
// 3:27: operand 0 is written as tensor<2xf32>, but its type is tensor<4xf32>
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.abs"(%x) {foo = 1} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:35: stablehlo.abs has no attribute 'foo'
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.transpose"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:9: stablehlo.transpose needs the attribute 'permutation', dims in the pretty form
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.transpose %x, dims = [a] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:39: 'permutation' of stablehlo.transpose is [a], expected integers as in array<i64: 0, 1>
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.transpose %x, dims = [0], dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:49: attribute 'dims' is given twice
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.compare FOO, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
// expect:
// 3:26: unknown value FOO of 'direction'
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [3] : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}
// expect:
// 3:8: the broadcast dimension 3 is not one of tensor<4x4xf32>
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.slice %x [0:2:] : (tensor<4xf32>) -> tensor<2xf32>
  return
}
// expect:
// 3:32: expected the stride of a slice, found ']'
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %x, format = 5 : tensor<4xf32>
  return
}
// expect:
// 3:48: expected a format as in e5m10, found 5
// -----
// test: import
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return
}
// expect:
// 3:8: stablehlo.add: operand 0 is tensor<4xf32> and operand 1 is tensor<2xf32>, expected the same sizes
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.while"(%x) ({}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:9: stablehlo.while has 1 region, expected 2
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.reduce"(%x, %x) <{dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
// expect:
// 3:9: stablehlo.reduce has 0 regions, expected 1
// -----
// test: import
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %i = stablehlo.convert %y : (tensor<2xf32>) -> tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = 1, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}
// expect:
// 4:57: expected dimension numbers as in #stablehlo.gather<offset_dims = [0], ...>
// -----
// test: import
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, b]x[0, i, o]->[b, 0, f], window = {} : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:59: a dimension of a convolution is given twice
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return
}
// expect:
// 3:8: unknown operation arith.addf
// -----
// test: import
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %s = stablehlo.slice %y [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %i = stablehlo.convert %s : (tensor<1xf32>) -> tensor<1xi32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dynamic_pad %x, %z, %i, %i, %i : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
  return
}
// expect:
// 6:8: stablehlo.dynamic_pad: the low paddings are not known
// note: 2:1: sizes depend on y, a parameter whose elements only a run knows
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %w = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0, 4.0}>>
  %0 = stablehlo.dot_general %q, %w, contracting_dims = [0] x [0] : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0, 4.0}>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  return
}
// expect:
// 5:8: stablehlo.dot_general: operand 1 is quantized along dimension 0, expected one that is not contracted
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = mhlo.add %x, %x : tensor<4xf32>
  return
}
// expect:
// 3:8: mhlo.add is not supported: mhlo is the dialect before StableHLO: convert it with mlir-hlo-opt --hlo-legalize-to-stablehlo
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = "sdy.all_gather"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:9: sdy.all_gather is not supported: it divides the program among devices: partition the program first
// -----
// test: import
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %0 = chlo.minimum_broadcast_shapes %x, %y : tensor<4xf32>, tensor<2xf32> -> tensor<1xindex>
  return
}
// expect:
// 3:8: chlo.minimum_broadcast_shapes is not supported: its results are shapes that only a run knows
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = sdy.sharding_constraint %x foo : tensor<4xf32>
  return
}
// expect:
// 3:35: expected '<' before a sharding, found 'foo'
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = sdy.sharding_constraint %x <@m, [{}]> : (tensor<4xf32>) -> tensor<2xf32>
  return
}
// expect:
// 3:8: result 0 is written as tensor<2xf32>, but its type is tensor<4xf32>
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[] manual_axes={} () { sdy.return } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:8: sdy.manual_computation has 1 operand, expected 0
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[] manual_axes={} (%a: tensor<2xf32>) { sdy.return } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:8: its region returns 0 values, expected 1
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}]> out_shardings=[]
  return
}
// expect:
// 5:1: expected ']' in in_shardings, found '}'
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) ({ ^bb0(%a: tensor<2xf32>): stablehlo.return %a : tensor<2xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}
// expect:
// 3:9: its region takes tensor<2xf32> as value 0, expected tensor<4xf32>
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) ({ ^bb0(%a: tensor<4xf32>): stablehlo.return %a : tensor<4xf32> }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}
// expect:
// 3:9: result 0 is written as !stablehlo.future<tensor<2xf32>>, but its type is tensor<4xf32>
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.unary_einsum %x, config = "a" : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// expect:
// 3:44: expected a config as in "ab->ba"
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.unary_einsum %x, config = "a->aa" : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}
// expect:
// 3:8: stablehlo.unary_einsum: "a->aa" for tensor<4xf32>
// -----
// test: import
func.func @main() {
  %0 = chlo.lgamma %c : tensor<f32> -> tensor<f32>
  return
}
// expect:
// 3:20: %c is not defined before its use
// -----
// test: import
func.func @main() {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0 = chlo.lgamma %c : tensor<i32> -> tensor<i32>
  return
}
// expect:
// 4:8: chlo.lgamma: operand 0 is tensor<i32>, expected a tensor of floats
// -----
// test: import
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) { %s = stablehlo.slice %y [0:1] : (tensor<2xf32>) -> tensor<1xf32> stablehlo.return %a : tensor<f32> }
  return
}
// expect:
// 4:8: stablehlo.reduce: its region uses y from outside, which is not computed from constants
