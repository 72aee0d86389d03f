#loc1 = loc("x")
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x9xf32> loc("x")):
    %0:2 = "chlo.top_k"(%arg0) <{k = 3 : i64}> : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) loc(#loc11)
    "func.return"(%0#0, %0#1) : (tensor<2x3xf32>, tensor<2x3xi32>) -> () loc(#loc10)
  }) : () -> () loc(#loc)
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> () loc(#loc)
#loc = loc(unknown)
#loc2 = loc("/home/me/code/core/import/tests/spellings/make.py":30:24 to :39)
#loc3 = loc("/home/me/code/core/import/tests/spellings/make.py":49:18 to :53)
#loc4 = loc("/home/me/code/core/import/tests/spellings/make.py":60:4 to :10)
#loc5 = loc("<lambda>"(#loc2))
#loc6 = loc("main"(#loc3))
#loc7 = loc("<module>"(#loc4))
#loc8 = loc(callsite(#loc6 at #loc7))
#loc9 = loc(callsite(#loc5 at #loc8))
#loc10 = loc("jit(<lambda>)"(#loc8))
#loc11 = loc("jit(<lambda>)/top_k"(#loc9))
