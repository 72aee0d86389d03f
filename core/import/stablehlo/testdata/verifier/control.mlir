// test: import match=ROOT.*
// Loops and custom calls.
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) {
  %r:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<i32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<i32>):
    stablehlo.return %x0, %x1 : tensor<4xf32>, tensor<i32>
  }) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  return
}
// expect:
// ROOT %t = pred[] constant(false)
// ROOT %tuple.10 = (f32[4], s32[]) tuple(%r.2, %r.3)
// ROOT %tuple.14 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) {
  %r:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<4xi32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<i32>):
    stablehlo.return %x0, %x1 : tensor<4xf32>, tensor<i32>
  }) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  return
}
// expect:
// 3:11: stablehlo.while: the condition takes tensor<4xi32> as value 1, expected tensor<i32> as operand 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) {
  %r:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<i32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<4xi32>, %x1: tensor<i32>):
    stablehlo.return %x0, %x1 : tensor<4xi32>, tensor<i32>
  }) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  return
}
// expect:
// 3:11: stablehlo.while: the body takes tensor<4xi32> as value 0, expected tensor<4xf32> as operand 0
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) {
  %r:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%x0: tensor<4xf32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<i32>):
    stablehlo.return %x0, %x1 : tensor<4xf32>, tensor<i32>
  }) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  return
}
// expect:
// 3:11: stablehlo.while: the condition takes 1 values, expected 2
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) {
  %r:2 = "stablehlo.while"(%a, %b) ({
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<i32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<4xf32>, %x1: tensor<i32>):
    stablehlo.return %x0 : tensor<4xf32>
  }) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
  return
}
// expect:
// 3:11: stablehlo.while: the body returns 1 values, expected 2
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x0: tensor<?xf32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<?xf32>):
    stablehlo.return %x0 : tensor<?xf32>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// ROOT %t = pred[] constant(false)
// ROOT %parameter.3 = f32[4] parameter(0)
// ROOT %tuple.5 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x0: tensor<4xf32>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<4xf32>):
    stablehlo.return %x0 : tensor<4xf32>
  }) : (tensor<4xf32>) -> (tensor<5xf32>)
  return
}
// expect:
// 3:9: stablehlo.while: the loop results in tensor<5xf32> as value 0, expected tensor<4xf32> as operand 0
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x0: tensor<2x!quant.uniform<i8:f32, 0.25:1>>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<2x!quant.uniform<i8:f32, 0.25:1>>):
    stablehlo.return %x0 : tensor<2x!quant.uniform<i8:f32, 0.25:1>>
  }) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// ROOT %t = pred[] constant(false)
// ROOT %parameter.3 = s8[2] parameter(0)
// ROOT %tuple.5 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x0: tensor<2xi8>):
    %t = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x0: tensor<2xi8>):
    stablehlo.return %x0 : tensor<2xi8>
  }) : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<2x!quant.uniform<i8:f32, 0.5:1>>)
  return
}
// expect:
// 3:9: stablehlo.while: the condition takes tensor<2xi8> as value 0, expected tensor<2x!quant.uniform<i8:f32, ...>> as operand 0
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:9: stablehlo.custom_call has layouts of its operands alone, expected layouts of both operands and results
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:80: 2 layouts of operands, expected 1
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:132: 0 layouts of results, expected 1
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:81: a layout of 2 numbers for operand tensor<2x3xf32>, expected each of its 2 dimensions once
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:81: a layout of 1 numbers for operand tensor<2x3xf32>, expected each of its 2 dimensions once
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]}> : (!stablehlo.token) -> (!stablehlo.token)
  return
}
// expect:
// 3:81: a layout of 1 numbers for operand !stablehlo.token, expected each of its 0 dimensions once
// -----
// test: import
func.func @main(%a: tuple<tensor<2x3xf32>>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tuple<tensor<2x3xf32>>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:81: a layout of 0 numbers for operand tuple<tensor<2x3xf32>>, expected no tuple where layouts are given
// -----
// test: import match=ROOT.*
func.func @main() {
  %r = "stablehlo.custom_call"() <{call_target_name = "f", operand_layouts = [], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}> : () -> (tuple<tensor<2x3xf32>, tensor<4xf32>>)
  return
}
// expect:
// ROOT %tuple.1 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", backend_config = {a = 1 : i64}}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:79: 'backend_config' is {a = 1}, expected a string with api_version 1
// -----
// test: import
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", backend_config = "a", api_version = 4 : i32}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// 3:79: 'backend_config' is "a", expected a dictionary with api_version 4
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", backend_config = {a = 1 : i64}, api_version = 4 : i32}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x3xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "f", backend_config = "a", api_version = 2 : i32}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
// What is still to be computed has no dimensions, and so a layout of none.
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.async_start"(%a) ({
    ^bb0(%b: tensor<2xf32>):
      %3 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %3 : tensor<2xf32>
    }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  stablehlo.custom_call @control_dep(%0, %1) {has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], result_layouts = []} : (!stablehlo.future<tensor<2xf32>>, tensor<2xf32>) -> ()
  return %1 : tensor<2xf32>
}
// expect:
// HloModule module
//
// ENTRY %main (a: f32[2]) -> f32[2] {
//   %a = f32[2] parameter(0)
//   ROOT %all-gather.1 = f32[2] all-gather(%a), dimensions={0}, replica_groups={{0}}, channel_id=1, use_global_device_ids=true
//   %custom-call.2 = () custom-call(%all-gather.1, %all-gather.1), custom_call_target="control_dep", custom_call_has_side_effect=true
// }
