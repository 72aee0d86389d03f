// test: import
// Types and literals.
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<2xf33>
  return
}
// expect:
// 4:47: unknown type 'f33'
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<2
  return
}
// expect:
// 4:3: expected 'x' after a size, found 'return'
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<99999999999999999999xf32>
  return
}
// expect:
// 3:45: the size 99999999999999999999 does not fit into 64 bits
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<1> : tensor<?xf32>
  return
}
// expect:
// 3:27: a literal of type tensor<?xf32>, expected a tensor of known sizes
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>
  return
}
// expect:
// 3:40: more than 2 elements in dimension 0 of tensor<2xi32>
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<[1]> : tensor<2xi32>
  return
}
// expect:
// 3:33: 1 elements in dimension 0 of tensor<2xi32>, expected 2
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>
  return
}
// expect:
// 3:42: 1 elements in dimension 1 of tensor<2x2xi32>, expected 2
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<300> : tensor<i8>
  return
}
// expect:
// 3:33: 300 is out of the range of i8
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<-1> : tensor<ui8>
  return
}
// expect:
// 3:33: -1 is out of the range of ui8
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<1.5> : tensor<i8>
  return
}
// expect:
// 3:33: expected an integer (i8), found '1.5'
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<2> : tensor<i1>
  return
}
// expect:
// 3:33: expected true, false, 0 or 1, found '2'
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<x> : tensor<f32>
  return
}
// expect:
// 3:33: expected a number (f32), found 'x'
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<0x123456789> : tensor<f32>
  return
}
// expect:
// 3:33: expected the 32 bits of an element (f32), found '0x123456789'
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<(1.0, 2.0> : tensor<complex<f32>>
  return
}
// expect:
// 3:42: expected ')' after a complex number, found '>'
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<"0x00"> : tensor<2xf32>
  return
}
// expect:
// 3:33: 1 bytes for the 2 elements of tensor<2xf32>, expected 4 each
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<"0x0000000g"> : tensor<f32>
  return
}
// expect:
// 3:33: 'g' in a string of hexadecimal digits
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<> : tensor<2xf32>
  return
}
// expect:
// 3:33: no values for the 2 elements of tensor<2xf32>
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense_resource<a> : tensor<2xf32>
  return
}
// expect:
// 3:27: a dense_resource literal: expected dense<...>, with the values in the text
// -----
// test: import
func.func @main() {
  %0 = stablehlo.constant dense<1
  return
}
// expect:
// 3:27: a literal is not closed: expected '>' before the end of the text
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : tensor<4xcomplex<f16>>
  return
}
// expect:
// 3:44: complex numbers of f16, expected f32 or f64
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : !foo
  return
}
// expect:
// 3:27: unknown type !foo
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : tensor<4x!quant.uniform<i8:f32, -1.0>>
  return
}
// expect:
// 3:59: the scale -1, expected a positive f32
// -----
// test: import
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.abs %x : tensor<?xf32, #stablehlo.bounds<4, 5>>
  return
}
// expect:
// 3:62: the bound 5 of dimension 1 of tensor<?xf32, #stablehlo.bounds<4>>, expected one for each '?'
