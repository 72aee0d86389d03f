// test: import match=ROOT.*
// What operands and results may be, how many there are, and how they relate.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// ROOT %tuple.3 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.add"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.add has 1 operand, expected 2
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
// expect:
// 3:4: stablehlo.add has 0 results, expected 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r:2 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
// expect:
// 3:11: stablehlo.add has 2 results, expected 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  %r = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.add: elements of tensor<4xf32> and tensor<4xi32> differ, expected equal ones
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: !stablehlo.token) {
  %r = "stablehlo.add"(%a, %b) : (tensor<4xf32>, !stablehlo.token) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.add: operand 1 is !stablehlo.token, expected a tensor of any elements
// -----
// test: import
func.func @main(%a: tensor<4xui8>) {
  %r = "stablehlo.abs"(%a) : (tensor<4xui8>) -> (tensor<4xui8>)
  return
}
// expect:
// 3:9: stablehlo.abs: operand 0 is tensor<4xui8>, expected a tensor of signed integers or floats or complex numbers or elements quantized with one scale
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xcomplex<f32>>) {
  %r = "stablehlo.abs"(%a) : (tensor<4xcomplex<f32>>) -> (tensor<4xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xi32>) {
  %r = "stablehlo.cosine"(%a) : (tensor<4xi32>) -> (tensor<4xi32>)
  return
}
// expect:
// 3:9: stablehlo.cosine: operand 0 is tensor<4xi32>, expected a tensor of floats or complex numbers or elements quantized with one scale
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.cosine"(%a) : (tensor<4xf32>) -> (tensor<4xf64>)
  return
}
// expect:
// 3:9: stablehlo.cosine: operand 0 is tensor<4xf32> and result 0 is tensor<4xf64>, expected the same type
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.cosine"(%a) : (tensor<4xf32>) -> (tensor<5xf32>)
  return
}
// expect:
// 3:9: stablehlo.cosine: operand 0 is tensor<4xf32> and result 0 is tensor<5xf32>, expected the same type
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.cosine"(%a) : (tensor<4xf32>) -> (tensor<?xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.popcnt"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.popcnt: operand 0 is tensor<4xf32>, expected a tensor of integers
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.not"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.not: operand 0 is tensor<4xf32>, expected a tensor of i1 or integers
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = "stablehlo.and"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.and: operand 0 is tensor<4xf32>, expected a tensor of i1 or integers
// -----
// test: import
func.func @main(%a: tensor<4xcomplex<f32>>) {
  %r = "stablehlo.ceil"(%a) : (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)
  return
}
// expect:
// 3:9: stablehlo.ceil: operand 0 is tensor<4xcomplex<f32>>, expected a tensor of floats or elements quantized with one scale
// -----
// test: import
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  %r = "stablehlo.complex"(%a, %b) : (tensor<4xf16>, tensor<4xf16>) -> (tensor<4xcomplex<f32>>)
  return
}
// expect:
// 3:9: stablehlo.complex: operand 0 is tensor<4xf16>, expected a tensor of f32 or f64
// -----
// test: import
func.func @main(%a: tensor<4xi32>) {
  %r = "stablehlo.is_finite"(%a) : (tensor<4xi32>) -> (tensor<4xi1>)
  return
}
// expect:
// 3:9: stablehlo.is_finite: operand 0 is tensor<4xi32>, expected a tensor of floats or elements quantized with one scale
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.is_finite"(%a) : (tensor<4xf32>) -> (tensor<4xi32>)
  return
}
// expect:
// 3:9: stablehlo.is_finite: result 0 is tensor<4xi32>, expected a tensor of i1
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  %r = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xi1>)
  return
}
// expect:
// 3:9: stablehlo.compare: operand 0 is tensor<4xf32> and operand 1 is tensor<4xi32>, expected the same elements
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xi32>) {
  %r = "stablehlo.clamp"(%a, %b, %c) : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.clamp: operand 0 is tensor<4xf32> and operand 2 is tensor<4xi32>, expected the same elements
// -----
// test: import
func.func @main(%a: tensor<4xi1>, %b: tensor<4xf32>, %c: tensor<4xf64>) {
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.select of tensor<4xf32> and tensor<4xf64> to tensor<4xf32>, expected the same type
// -----
// test: import
func.func @main(%a: tensor<4xi32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.select: operand 0 is tensor<4xi32>, expected a tensor of i1
// -----
// test: import
func.func @main(%a: tensor<2x2xi32>) {
  %r = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<2x2xi32>) -> (tensor<2x2xi32>)
  return
}
// expect:
// 3:9: stablehlo.cholesky: operand 0 is tensor<2x2xi32>, expected a tensor of floats or complex numbers or elements quantized with one scale
// -----
// test: import
func.func @main(%a: tensor<4xi32>) {
  %r = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>}> : (tensor<4xi32>) -> (tensor<4xcomplex<f32>>)
  return
}
// expect:
// 3:9: stablehlo.fft: operand 0 is tensor<4xi32>, expected a tensor of floats or complex numbers
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<1xi32>) {
  %r = "stablehlo.dynamic_slice"(%a, %b) <{slice_sizes = array<i64: 2>}> : (tensor<4xf32>, tensor<1xi32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_slice: operand 1 is tensor<1xi32>, expected a scalar of integers
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) {
  %r = "stablehlo.dynamic_slice"(%a, %b) <{slice_sizes = array<i64: 2>}> : (tensor<4xf32>, tensor<f32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_slice: operand 1 is tensor<f32>, expected a scalar of integers
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  %r = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<4xf32>, tensor<1xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.pad: operand 1 is tensor<1xf32>, expected a scalar of any elements not quantized by dimension
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  %r = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<4xi32>) -> (tensor<8xf32>)
  return
}
// expect:
// 3:9: stablehlo.concatenate: operand 0 is tensor<4xf32> and operand 1 is tensor<4xi32>, expected the same elements
// -----
// test: import
func.func @main(%a: tensor<f32>) {
  %r = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 4>}> : (tensor<f32>) -> (tensor<4x4xf32>)
  return
}
// expect:
// 3:9: stablehlo.broadcast of tensor<f32> to tensor<4x4xf32>, expected the sizes of the operand after those of broadcast_sizes
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 2>}> : (tensor<4xf32>) -> (tensor<2x4xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<3x1xf32>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0, 0>}> : (tensor<3x1xf32>) -> (tensor<3x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.broadcast_in_dim: dimension 0 is twice in broadcast_dimensions, expected once
// -----
// test: import
func.func @main(%a: tensor<?x2xf32>) {
  %r = "stablehlo.reshape"(%a) : (tensor<?x2xf32>) -> (tensor<?xf32>)
  return
}
// expect:
// 3:9: stablehlo.reshape: result 0 is tensor<?xf32>, expected known sizes, or one that is bounded
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0>}> : (tensor<4xf32>) -> (tensor<?x4xf32>)
  return
}
// expect:
// 3:9: result 0 is written as tensor<?x4xf32>, but its type is tensor<4xf32>
// -----
// test: import
func.func @main() {
  %r = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> (tensor<?xf32>)
  return
}
// expect:
// 3:9: stablehlo.iota: result 0 is tensor<?xf32>, expected known sizes
// -----
// test: import
func.func @main() {
  %r = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> (tensor<4xi1>)
  return
}
// expect:
// 3:9: stablehlo.iota: result 0 is tensor<4xi1>, expected a tensor of integers or floats or complex numbers or elements quantized with one scale
// -----
// test: import
func.func @main(%a: tensor<2x1xi32>) {
  %r = "stablehlo.dynamic_iota"(%a) <{iota_dimension = 0 : i64}> : (tensor<2x1xi32>) -> (tensor<4x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_iota: operand 0 is tensor<2x1xi32>, expected a vector of integers
// -----
// test: import
func.func @main(%a: tensor<1xi32>) {
  "stablehlo.dynamic_iota"(%a) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) -> ()
  return
}
// expect:
// 3:4: stablehlo.dynamic_iota has 0 results, expected 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<2xi32>) {
  %r = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_reshape: operand 1 gives 2 sizes, expected one for each dimension of the result, tensor<4xf32>
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<?xi32>) {
  %r = "stablehlo.dynamic_reshape"(%a, %b) : (tensor<4xf32>, tensor<?xi32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_reshape: operand 1 is tensor<?xi32>, expected known sizes
// -----
// test: import
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3x1xi32>, %c: tensor<1xi32>) {
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x2xf32>, tensor<3x1xi32>, tensor<1xi32>) -> (tensor<3x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.dynamic_gather: operand 2 gives 1 sizes, expected one for each dimension of operand 0, tensor<4x2xf32>
// -----
// test: import
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3x1xf32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf32>, tensor<3x1xf32>) -> (tensor<3x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.gather: operand 1 is tensor<3x1xf32>, expected a tensor of integers
// -----
// test: import
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3x1xf32>, %c: tensor<3x2xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<3x1xf32>, tensor<3x2xf32>) -> (tensor<4x2xf32>)
  return
}
// expect:
// 3:9: stablehlo.scatter: the indices are tensor<3x1xf32>, expected integers
// -----
// test: import
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<2xi32>) {
  %r = "stablehlo.rng"(%a, %b, %c) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.rng: operand 2 gives 2 sizes, expected one for each dimension of the result, tensor<4xf32>
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>, %c: tensor<1xi32>) {
  %r = "stablehlo.rng"(%a, %b, %c) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<4xf32>, tensor<f32>, tensor<1xi32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.rng: operand 0 is tensor<4xf32>, expected a scalar of i1 or integers or floats
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3x1xf32>) {
  %r = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x1xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:9: stablehlo.batch_norm_inference: operand 4 is tensor<3x1xf32>, expected a vector of floats or elements quantized with one scale
// -----
// test: import
func.func @main(%a: tensor<i64>) {
  %r = "stablehlo.case"(%a) ({
    %x = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i64>) -> (tensor<f32>)
  return
}
// expect:
// 3:9: stablehlo.case: operand 0 is tensor<i64>, expected a tensor of i32
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.optimization_barrier"(%a) : (tensor<4xf32>) -> (tensor<4xf64>)
  return
}
// expect:
// 3:9: stablehlo.optimization_barrier: operand 0 is tensor<4xf32> and result 0 is tensor<4xf64>, expected the same type
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.after_all"(%a) : (tensor<4xf32>) -> (!stablehlo.token)
  return
}
// expect:
// 3:9: stablehlo.after_all: operand 0 is tensor<4xf32>, expected a token
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.get_dimension_size"(%a) <{dimension = 0 : i64}> : (tensor<4xf32>) -> (tensor<i64>)
  return
}
// expect:
// 3:9: stablehlo.get_dimension_size: result 0 is tensor<i64>, expected a tensor of i32
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<i64>) {
  %r = "stablehlo.set_dimension_size"(%a, %b) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.set_dimension_size: operand 1 is tensor<i64>, expected a tensor of i32
// -----
// test: import
func.func @main() {
  %r = "stablehlo.partition_id"() : () -> (tensor<i32>)
  return
}
// expect:
// 3:9: stablehlo.partition_id: result 0 is tensor<i32>, expected a tensor of ui32
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.tuple"(%a) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.tuple: result 0 is tensor<4xf32>, expected a tuple
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.get_tuple_element"(%a) <{index = 0 : i32}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.get_tuple_element: operand 0 is tensor<4xf32>, expected a tuple
// -----
// test: import
func.func @main(%a: tensor<4xi32>) {
  %r = "chlo.erf"(%a) : (tensor<4xi32>) -> (tensor<4xi32>)
  return
}
// expect:
// 3:9: chlo.erf: operand 0 is tensor<4xi32>, expected a tensor of floats
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  %r = "chlo.broadcast_divide"(%a, %b) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: chlo.broadcast_divide: operand 0 is tensor<4xf32> and operand 1 is tensor<4xi32>, expected the same elements
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = "chlo.broadcast_complex"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: chlo.broadcast_complex: result 0 is tensor<4xf32>, expected a tensor of complex numbers
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r:2 = "chlo.top_k"(%a) <{k = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}
// expect:
// 3:11: chlo.top_k: result 1 is tensor<2xi64>, expected a tensor of i32
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "chlo.constant_like"(%a) <{value = 1.0 : f64}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:43: the value is of f64, expected f32 as the result
// -----
// test: import
func.func @main() { return }
func.func @unused(%a: tensor<4xi32>) {
  %r = stablehlo.cosine %a : tensor<4xi32>
  return
}
// expect:
// 4:8: stablehlo.cosine: operand 0 is tensor<4xi32>, expected a tensor of floats or complex numbers or elements quantized with one scale
// -----
// test: import
func.func @main(%p: tensor<i1>, %a: tensor<4xi32>) {
  %r = "stablehlo.if"(%p) ({
    %x = stablehlo.sine %a : tensor<4xi32>
    stablehlo.return %x : tensor<4xi32>
  }, {
    stablehlo.return %a : tensor<4xi32>
  }) : (tensor<i1>) -> tensor<4xi32>
  return
}
// expect:
// 4:10: stablehlo.sine: operand 0 is tensor<4xi32>, expected a tensor of floats or complex numbers or elements quantized with one scale
