#loc1 = loc("x")
#loc5 = loc("reduce_window_max")
#loc9 = loc("reduce_window_max:"(#loc5))
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<1x7x7x2xf32>) -> tensor<1x4x4x2xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<1x7x7x2xf32> loc("x")):
    %0 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32> loc(#loc13)
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<f32> loc(#loc13)
    %2 = "stablehlo.reduce_window"(%arg0, %1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32> loc("reduce_window_max:"(#loc5)), %arg2: tensor<f32> loc("reduce_window_max:"(#loc5))):
      %3 = "stablehlo.maximum"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(#loc13)
      "stablehlo.return"(%3) : (tensor<f32>) -> () loc(#loc13)
    }) : (tensor<1x7x7x2xf32>, tensor<f32>) -> tensor<1x4x4x2xf32> loc(#loc13)
    "func.return"(%2) : (tensor<1x4x4x2xf32>) -> () loc(#loc12)
  }) : () -> () loc(#loc)
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> () loc(#loc)
#loc = loc(unknown)
#loc2 = loc("/home/me/code/core/import/tests/spellings/make.py":25:27 to :102)
#loc3 = loc("/home/me/code/core/import/tests/spellings/make.py":49:18 to :53)
#loc4 = loc("/home/me/code/core/import/tests/spellings/make.py":60:4 to :10)
#loc6 = loc("<lambda>"(#loc2))
#loc7 = loc("main"(#loc3))
#loc8 = loc("<module>"(#loc4))
#loc10 = loc(callsite(#loc7 at #loc8))
#loc11 = loc(callsite(#loc6 at #loc10))
#loc12 = loc("jit(<lambda>)"(#loc10))
#loc13 = loc("jit(<lambda>)/reduce_window_max"(#loc11))
