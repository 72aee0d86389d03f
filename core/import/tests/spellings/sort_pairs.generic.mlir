#loc1 = loc("k")
#loc2 = loc("v")
#loc6 = loc("sort")
#loc10 = loc("sort:"(#loc6))
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<17xi32>, tensor<17xf32>) -> (tensor<17xi32>, tensor<17xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<17xi32> loc("k"), %arg1: tensor<17xf32> loc("v")):
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32> loc("sort:"(#loc6)), %arg3: tensor<i32> loc("sort:"(#loc6)), %arg4: tensor<f32> loc("sort:"(#loc6)), %arg5: tensor<f32> loc("sort:"(#loc6))):
      %1 = "stablehlo.compare"(%arg2, %arg3) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1> loc(#loc16)
      "stablehlo.return"(%1) : (tensor<i1>) -> () loc(#loc14)
    }) : (tensor<17xi32>, tensor<17xf32>) -> (tensor<17xi32>, tensor<17xf32>) loc(#loc14)
    "func.return"(%0#0, %0#1) : (tensor<17xi32>, tensor<17xf32>) -> () loc(#loc13)
  }) : () -> () loc(#loc)
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> () loc(#loc)
#loc = loc(unknown)
#loc3 = loc("/home/me/code/core/import/tests/spellings/make.py":29:32 to :60)
#loc4 = loc("/home/me/code/core/import/tests/spellings/make.py":49:18 to :53)
#loc5 = loc("/home/me/code/core/import/tests/spellings/make.py":60:4 to :10)
#loc7 = loc("<lambda>"(#loc3))
#loc8 = loc("main"(#loc4))
#loc9 = loc("<module>"(#loc5))
#loc11 = loc(callsite(#loc8 at #loc9))
#loc12 = loc(callsite(#loc7 at #loc11))
#loc13 = loc("jit(<lambda>)"(#loc11))
#loc14 = loc("jit(<lambda>)/sort"(#loc12))
#loc15 = loc(callsite(#loc7 at #loc12))
#loc16 = loc("jit(<lambda>)/lt_to"(#loc15))
