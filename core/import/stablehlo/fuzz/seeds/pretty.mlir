#loc = loc("model.py":3:4)
!pair = tuple<tensor<2xf32>, tensor<i32>>
module @all attributes {mhlo.num_partitions = 1 : i32, jax.uses = unit} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<2x3xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 0 : i32} loc(#loc), %n: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = "[0]"}, tensor<i32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %c = stablehlo.constant dense<"0x0100000002000000"> : tensor<2xi32>
    %z = stablehlo.constant dense<[(1.0, 2.0), (3.0, -4.0e-1)]> : tensor<2xcomplex<f32>>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> loc("sum"(#loc))
    %1:2 = stablehlo.reduce(%0 init: %cst), (%c init: %n) across dimensions = [0] : (tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<i32>, %e: tensor<i32>)  {
      %9 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %10 = stablehlo.select %9, %d, %e : tensor<i1>, tensor<i32>
      %11 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %11, %10 : tensor<f32>, tensor<i32>
    }
    %2:2 = stablehlo.while(%i = %n, %x = %arg0) : tensor<i32>, tensor<2x3xf32>
     cond {
      %9 = stablehlo.compare LT, %i, %1#1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
     } do {
      %9 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %i, %9 : tensor<i32>
      stablehlo.return %10, %x : tensor<i32>, tensor<2x3xf32>
     }
    %3 = stablehlo.dot_general %arg0, %2#1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
    %4 = stablehlo.slice %arg0 [0:2:1, 1:3] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.custom_call @check.expect_eq(%4, %4) {has_side_effect = true, api_version = 2 : i32, backend_config = "a"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
    %6:2 = chlo.top_k(%3, k = 1) : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi32>)
    %7 = stablehlo.tuple %5, %n : !pair
    %8 = stablehlo.get_tuple_element %7[1] : (!pair) -> tensor<i32>
    %9 = chlo.lgamma %5 : tensor<2xf32> -> tensor<2xf32>
    %10 = stablehlo.composite "my.op" %9 {decomposition = @twice, composite_attributes = {n = 1 : i64}, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    %11 = call @twice(%10) : (tensor<2xf32>) -> tensor<2xf32>
    %12 = stablehlo.pad %11, %cst, low = [1], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %13 = stablehlo.reduce_precision %12, format = e5m10 : tensor<2xf32>
    return %2#1, %8 : tensor<2x3xf32>, tensor<i32>
  }
  func.func private @twice(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
