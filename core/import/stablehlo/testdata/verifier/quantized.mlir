// test: import match=ROOT.*
// Quantized types, and operations on them.
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<u8:f32, 0.5>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<u8:f32, 0.5>>) -> (tensor<2x!quant.uniform<u8:f32, 0.5>>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8<-129:127>:f32, 0.5>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8<-129:127>:f32, 0.5>>) -> (tensor<2x!quant.uniform<i8<-129:127>:f32, 0.5>>)
  return
}
// expect:
// 2:48: the stored values -129 to 127, expected a range in -128 to 127
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8<-10:128>:f32, 0.5>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8<-10:128>:f32, 0.5>>) -> (tensor<2x!quant.uniform<i8<-10:128>:f32, 0.5>>)
  return
}
// expect:
// 2:48: the stored values -10 to 128, expected a range in -128 to 127
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8<5:5>:f32, 0.5>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8<5:5>:f32, 0.5>>) -> (tensor<2x!quant.uniform<i8<5:5>:f32, 0.5>>)
  return
}
// expect:
// 2:48: the stored values 5 to 5, expected a range in -128 to 127
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:128>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32, 0.5:128>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:128>>)
  return
}
// expect:
// 2:57: the zero point 128, expected -128 to 127 as what is stored
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8<-10:10>:f32, 0.5:11>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8<-10:10>:f32, 0.5:11>>) -> (tensor<2x!quant.uniform<i8<-10:10>:f32, 0.5:11>>)
  return
}
// expect:
// 2:65: the zero point 11, expected -10 to 10 as what is stored
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<u8:f32, 0.5:-1>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<u8:f32, 0.5:-1>>) -> (tensor<2x!quant.uniform<u8:f32, 0.5:-1>>)
  return
}
// expect:
// 2:57: the zero point -1, expected 0 to 255 as what is stored
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f16, 1.0e10>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f16, 1.0e10>>) -> (tensor<2x!quant.uniform<i8:f16, 1.0e10>>)
  return
}
// expect:
// 2:53: the scale 10000000000, expected a positive f16
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 1.0e-50>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32, 1.0e-50>>) -> (tensor<2x!quant.uniform<i8:f32, 1.0e-50>>)
  return
}
// expect:
// 2:53: the scale 1e-50, expected a positive f32
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i64:f32, 0.5>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i64:f32, 0.5>>) -> (tensor<2x!quant.uniform<i64:f32, 0.5>>)
  return
}
// expect:
// 2:45: the storage type i64, expected integers of at most 32 bits
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<si8:f32, 0.5>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<si8:f32, 0.5>>) -> (tensor<2x!quant.uniform<si8:f32, 0.5>>)
  return
}
// expect:
// 2:45: the storage type si8, expected i8, u8 and the like
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:i32, 0.5>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:i32, 0.5>>) -> (tensor<2x!quant.uniform<i8:i32, 0.5>>)
  return
}
// expect:
// 2:48: the expressed type i32, expected floats
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25:200}>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25:200}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25:200}>>)
  return
}
// expect:
// 2:66: the zero point 200, expected -128 to 127 as what is stored
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5}>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32:0, {0.5}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5}>>)
  return
}
// expect:
// 2:21: 1 scales for dimension 0 of tensor<2x!quant.uniform<i8:f32:0, ...>>
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.cosine"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.25:1>>)
  return
}
// expect:
// ROOT %tuple.22 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.cosine"(%a) : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.cosine: operand 0 is tensor<2x!quant.uniform<i8:f32:0, ...>>, expected a tensor of floats or complex numbers or elements quantized with one scale
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.cosine"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.cosine: operand 0 is tensor<2x!quant.uniform<i8:f32, ...>> and result 0 is tensor<2xf32>, expected the same type
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.cosine"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8<-127:127>:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.cosine: operand 0 is tensor<2x!quant.uniform<i8:f32, ...>> and result 0 is tensor<2x!quant.uniform<i8:f32, ...>>, expected the same type
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.popcnt"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.popcnt: operand 0 is tensor<2x!quant.uniform<i8:f32, ...>>, expected a tensor of integers
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.convert"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.convert: operand 0 is tensor<2x!quant.uniform<i8:f32, ...>>, expected a tensor of floats or i1 or integers or complex numbers
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.abs"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2xi8>)
  return
}
// expect:
// 3:9: stablehlo.abs: elements of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2xi8> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.abs"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.abs: elements of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2xf32> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2xcomplex<f32>>) {
  %r = "stablehlo.abs"(%a) : (tensor<2xcomplex<f32>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.abs: elements of tensor<2xcomplex<f32>> and tensor<2x!quant.uniform<i8:f32, ...>> differ, expected equal ones
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.25:1>>) {
  %r = "stablehlo.maximum"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.25:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// ROOT %tuple.30 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2xf32>) {
  %r = "stablehlo.maximum"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2xf32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.maximum: operand 0 is tensor<2x!quant.uniform<i8:f32, ...>> and operand 1 is tensor<2xf32>, expected the same type
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %b: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.maximum"(%a, %b) : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.maximum: operand 0 is tensor<2x!quant.uniform<i8:f32:0, ...>>, expected a tensor of any elements not quantized by dimension
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.25:1>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.25:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.25:1>>)
  return
}
// expect:
// ROOT %tuple.30 = () tuple()
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %b: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.125}>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.125}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// ROOT %tuple.30 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2xf32>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2xf32>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.add of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2xf32> to tensor<2x!quant.uniform<i8:f32, ...>>, expected all quantized or none
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i16:f32, 0.5>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i16:f32, 0.5>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.add: elements of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2x!quant.uniform<i16:f32, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i8:f16, 0.5>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f16, 0.5>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.add: expressed types of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2x!quant.uniform<i8:f16, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %b: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.add of tensor<2x!quant.uniform<i8:f32:0, ...>> and tensor<2x!quant.uniform<i8:f32:0, ...>> to tensor<2x!quant.uniform<i8:f32, ...>>, expected the result quantized by dimension if an operand is
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.add of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2x!quant.uniform<i8:f32, ...>> to tensor<2x!quant.uniform<i8:f32:0, ...>>, expected the result quantized by dimension if an operand is
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %b: tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.add: quantized dimensions of tensor<2x2x!quant.uniform<i8:f32:1, ...>> and tensor<2x2x!quant.uniform<i8:f32:0, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.add: elements of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2x!quant.uniform<i8:f32:0, ...>> differ, expected equal ones
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.transpose: the quantized dimension 0 of the result is dimension 1 of the operand, expected 0, which is quantized
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.25:1>>)
  return
}
// expect:
// 3:9: stablehlo.transpose: scales and zero points of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2x!quant.uniform<i8:f32, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0>}> : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.transpose: operand 0 is tensor<2x!quant.uniform<i8:f32, ...>> and result 0 is tensor<2x!quant.uniform<i8:f32:0, ...>>, expected the same elements
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.reshape"(%a) : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.reshape"(%a) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.reshape: tensor<2x2x!quant.uniform<i8:f32:0, ...>> becomes tensor<2x2x!quant.uniform<i8:f32:1, ...>>, expected the quantized dimension to stay as it is
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.reshape"(%a) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x1x!quant.uniform<i8:f32, 0.25:1>>)
  return
}
// expect:
// 3:9: stablehlo.reshape: scales and zero points of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2x1x!quant.uniform<i8:f32, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.reshape"(%a) : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.reshape: operand 0 is tensor<2x!quant.uniform<i8:f32:0, ...>> and result 0 is tensor<2x!quant.uniform<i8:f32, ...>>, expected the same elements
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.broadcast_in_dim: the quantized dimension 0 of the operand becomes dimension 1, expected 0, which is quantized in the result
// -----
// test: import
func.func @main(%a: tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) -> (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.broadcast_in_dim: scales and zero points of tensor<1x!quant.uniform<i8:f32:0, ...>> and tensor<2x!quant.uniform<i8:f32:0, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.25:1>>)
  return
}
// expect:
// 3:9: stablehlo.broadcast_in_dim: scales and zero points of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<3x2x!quant.uniform<i8:f32, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.25:1>>)
  return
}
// expect:
// 3:9: stablehlo.slice: operand 0 is tensor<4x!quant.uniform<i8:f32, ...>> and result 0 is tensor<2x!quant.uniform<i8:f32, ...>>, expected the same elements
// -----
// test: import
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<i32>) {
  %r = "stablehlo.dynamic_slice"(%a, %b) <{slice_sizes = array<i64: 2>}> : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<i32>) -> (tensor<2xi8>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_slice: operand 0 is tensor<4x!quant.uniform<i8:f32, ...>> and result 0 is tensor<2xi8>, expected the same elements
// -----
// test: import
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.25:1>>, %c: tensor<i32>) {
  %r = "stablehlo.dynamic_update_slice"(%a, %b, %c) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.25:1>>, tensor<i32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_update_slice of tensor<2x!quant.uniform<i8:f32, ...>> in tensor<4x!quant.uniform<i8:f32, ...>>, expected elements of the same type
// -----
// test: import
func.func @main(%a: tensor<2xi1>, %b: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %c: tensor<2x!quant.uniform<i8:f32, 0.25:1>>) {
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<2xi1>, tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.25:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.select of tensor<2x!quant.uniform<i8:f32, ...>> and tensor<2x!quant.uniform<i8:f32, ...>> to tensor<2x!quant.uniform<i8:f32, ...>>, expected the same type
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x2x!quant.uniform<i32:f32, 2.0>>)
  return
}
// expect:
// ROOT %tuple.28 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5>>)
  return
}
// expect:
// 3:9: stablehlo.dot_general: operand 1 is quantized with a zero point other than 0, expected 0
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2xf32>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5>>)
  return
}
// expect:
// 3:9: stablehlo.dot_general of tensor<2x2x!quant.uniform<i8:f32, ...>> and tensor<2x2xf32> to tensor<2x2x!quant.uniform<i8:f32, ...>>, expected operand 1 quantized, and operand 0 and the result quantized both or neither
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.dot_general of tensor<2x2x!quant.uniform<i8:f32, ...>> and tensor<2x2x!quant.uniform<i8:f32, ...>> to tensor<2x2xf32>, expected operand 1 quantized, and operand 0 and the result quantized both or neither
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x2xf32>)
  return
}
// expect:
// ROOT %tuple.10 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i16:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i16:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5>>)
  return
}
// expect:
// 3:9: stablehlo.dot_general: storage types of tensor<2x2x!quant.uniform<i16:f32, ...>> and tensor<2x2x!quant.uniform<i8:f32, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f16, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f16, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5>>)
  return
}
// expect:
// 3:9: stablehlo.dot_general: expressed types of tensor<2x2x!quant.uniform<i8:f32, ...>> and tensor<2x2x!quant.uniform<i8:f16, ...>> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.dot_general: operand 1 is quantized along dimension 0, expected one that is not contracted
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  return
}
// expect:
// 3:9: stablehlo.dot_general: the result is tensor<2x2x!quant.uniform<i8:f32:1, ...>> with operand 1 tensor<2x2x!quant.uniform<i8:f32, ...>>, expected one scale in both
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>)
  return
}
// expect:
// ROOT %tuple.28 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5>>)
  return
}
// expect:
// 3:9: stablehlo.dot_general: operand 0 is tensor<2x2x!quant.uniform<i8:f32:0, ...>>, expected a tensor of any elements not quantized by dimension
// -----
// test: import
func.func @main(%a: tensor<1x4x2xf32>, %b: tensor<1x2x3xbf16>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xbf16>) -> (tensor<1x4x3xf32>)
  return
}
// expect:
// 3:9: stablehlo.convolution: elements of tensor<1x4x2xf32> and tensor<1x2x3xbf16> differ, expected equal ones
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<1x2x2x!quant.uniform<i8:f32, 0.5>>) -> (tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>)
  return
}
// expect:
// ROOT %tuple.28 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<1x2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> (tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>)
  return
}
// expect:
// 3:9: stablehlo.convolution: operand 1 is quantized along dimension 1, expected 2, its kernel_output_feature_dimension
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x2x2x!quant.uniform<i8:f32:2, {0.5, 0.25}>>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5>>, tensor<1x2x2x!quant.uniform<i8:f32:2, {0.5, 0.25}>>) -> (tensor<1x4x2x!quant.uniform<i8:f32:2, {0.5, 0.25}>>)
  return
}
// expect:
// ROOT %tuple.28 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2xf32>) {
  %r = "stablehlo.uniform_quantize"(%a) : (tensor<2xf32>) -> (tensor<3x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.uniform_quantize: operand 0 is tensor<2xf32> and result 0 is tensor<3x!quant.uniform<i8:f32, ...>>, expected the same sizes
// -----
// test: import
func.func @main(%a: tensor<2xi32>) {
  %r = "stablehlo.uniform_quantize"(%a) : (tensor<2xi32>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.uniform_quantize: operand 0 is tensor<2xi32>, expected a tensor of floats or elements quantized with one scale or elements quantized by dimension
// -----
// test: import
func.func @main(%a: tensor<2xi8>) {
  %r = "stablehlo.uniform_dequantize"(%a) : (tensor<2xi8>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.uniform_dequantize: operand 0 is tensor<2xi8>, expected a tensor of elements quantized with one scale or elements quantized by dimension
