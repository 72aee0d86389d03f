// test: import match=ROOT.*
// Groups of replicas, channels, reducers, transfers.
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:80: replica 0 is twice in replica_groups, expected once
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:80: replica 1 is not in replica_groups, expected 0 to 1
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:80: replica -1 in replica_groups, expected at least 0
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:80: 'replica_groups' is tensor<2xi64>, expected a tensor of two dimensions
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi32>}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:80: 'replica_groups' of stablehlo.all_gather is dense<...> : tensor<1x2xi32>, expected groups as in dense<[[0, 1]]> : tensor<1x2xi64>
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = "all"}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:80: 'replica_groups' of stablehlo.all_gather is "all", expected groups as in dense<[[0, 1]]> : tensor<1x2xi64>
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, use_global_device_ids}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:9: stablehlo.all_gather needs the attribute 'replica_groups'
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>, use_global_device_ids}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:9: stablehlo.all_gather: the channel is -1, expected at least 0 with use_global_device_ids
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<> : tensor<0x0xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:80: there are no replica_groups, expected some with use_global_device_ids
// -----
// test: import
func.func @main(%a: tensor<2x0xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x0xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:9: stablehlo.all_gather: dimension 1 of tensor<2x0xf32> is empty, expected elements
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<2x8xf64>)
  return
}
// expect:
// 3:9: stablehlo.all_gather: operand 0 is tensor<2x4xf32> and result 0 is tensor<2x8xf64>, expected the same elements
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<2x8xf32>)
  return
}
// expect:
// 3:54: 'all_gather_dim' of stablehlo.all_gather is -1 of i64, expected an integer of 64 bits, at least 0
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// ROOT %s = f32[] add(%x, %y)
// ROOT %tuple.5 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:54: replica 1 is twice in replica_groups, expected once
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.all_reduce: the channel is 0, expected at least 1 with use_global_device_ids
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
// expect:
// ROOT %s = f32[] add(%x, %y)
// ROOT %tuple.8 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.all_reduce: the reducer returns tensor<i32> for operand 0 of type tensor<4xf32>, expected a scalar of its elements
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    %s = stablehlo.add %x, %y : tensor<2xf32>
    stablehlo.return %s : tensor<2xf32>
  }) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.all_reduce: the reducer returns tensor<2xf32> for operand 0 of type tensor<4xf32>, expected a scalar of its elements
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.all_reduce has 0 regions, expected 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> (tensor<4xf64>)
  return
}
// expect:
// 3:9: stablehlo.all_reduce: result 0 is tensor<4xf64>, expected elements of tensor<f32> as the reducer returns
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> (tensor<2xf32>)
  return
}
// expect:
// ROOT %s = f32[] add(%x, %y)
// ROOT %tuple.5 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xf32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.reduce_scatter: the reducer returns tensor<i32> for operand 0 of type tensor<4xf32>, expected a scalar of its elements
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.reduce_scatter: the reducer takes 1 values and returns 1, expected 2 and 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return
  }) : (tensor<4xf32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.reduce_scatter: the reducer takes 2 values and returns 0, expected 2 and 1
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> (tensor<2xf32>)
  return
}
// expect:
// 3:9: stablehlo.reduce_scatter: the reducer takes tensor<i32> and returns tensor<f32>, expected the same
// -----
// test: import
func.func @main(%a: tensor<0xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<0xf32>) -> (tensor<0xf32>)
  return
}
// expect:
// 3:9: stablehlo.reduce_scatter: dimension 0 of tensor<0xf32> is empty, expected elements
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<4x2xf32>)
  return
}
// expect:
// ROOT %tuple.5 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2x4xf32>) -> (tensor<4x2xf32>)
  return
}
// expect:
// 3:132: the groups are of 3 replicas, expected 2
// -----
// test: import
func.func @main(%a: tensor<2x4xf32>) {
  %r = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> (tensor<4x2xf32>)
  return
}
// expect:
// 3:106: 'split_count' of stablehlo.all_to_all is 0 of i64, expected an integer of 64 bits, at least 1
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[1, 3]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:64: replica 1 is twice in replica_groups, expected once
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:64: replica -1 in replica_groups, expected at least 0
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// ROOT %tuple.2 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:67: 'source_target_pairs' has rows of 4 numbers, expected pairs
// -----
// test: import
func.func @main(%a: tensor<4xf32>) {
  %r = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// expect:
// 3:67: 'source_target_pairs' is tensor<2xi64>, expected a tensor of two dimensions
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>, %b: !stablehlo.token) {
  %r = "stablehlo.send"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token)
  return
}
// expect:
// ROOT %tuple.4 = () tuple()
// -----
// test: import match=ROOT.*
func.func @main(%a: tensor<4xf32>, %b: !stablehlo.token) {
  %r = "stablehlo.send"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token)
  return
}
// expect:
// ROOT %tuple.4 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: !stablehlo.token) {
  %r = "stablehlo.send"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token)
  return
}
// expect:
// 3:9: stablehlo.send: the channel is of type 3, expected 2, to the host
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: !stablehlo.token) {
  %r = "stablehlo.send"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token)
  return
}
// expect:
// 3:9: stablehlo.send: the channel is of type 2, expected 1, between devices
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: !stablehlo.token) {
  %r = "stablehlo.send"(%a, %b) <{is_host_transfer = false}> : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token)
  return
}
// expect:
// 3:9: stablehlo.send needs the attribute 'channel_handle'
// -----
// test: import match=ROOT.*
func.func @main(%a: !stablehlo.token) {
  %r = "stablehlo.send"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (!stablehlo.token)
  return
}
// expect:
// ROOT %tuple.4 = () tuple()
// -----
// test: import
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = "stablehlo.send"(%a, %b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>, tensor<4xf32>) -> (!stablehlo.token)
  return
}
// expect:
// 3:9: stablehlo.send: operand 1 is tensor<4xf32>, expected a token
// -----
// test: import match=ROOT.*
func.func @main(%a: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// expect:
// ROOT %tuple.5 = () tuple()
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// expect:
// 3:11: stablehlo.recv: the channel is of type 2, expected 3, from the host
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.recv has 1 results, expected a token as the last one
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}
// expect:
// 3:11: stablehlo.recv: result 0 is !stablehlo.token, expected a tensor
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<?xf32>, !stablehlo.token)
  return
}
// expect:
// 3:11: stablehlo.recv: result 0 is tensor<?xf32>, expected known sizes
// -----
// test: import match=ROOT.*
func.func @main(%a: !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%a) <{layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// expect:
// ROOT %tuple.4 = () tuple()
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%a) <{layout = [[0], [0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// expect:
// 3:44: the layout is [[0], [0]], expected a list for each of the 1 tensors
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%a) <{layout = [0]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// expect:
// 3:45: the layout of result 0 is 0, expected integers as in [1, 0]
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  %r = "stablehlo.infeed"(%a) : (!stablehlo.token) -> (tensor<4xf32>)
  return
}
// expect:
// 3:9: stablehlo.infeed has 1 results, expected a token as the last one
// -----
// test: import
func.func @main(%a: !stablehlo.token) {
  "stablehlo.infeed"(%a) : (!stablehlo.token) -> ()
  return
}
// expect:
// 3:4: stablehlo.infeed has 0 results, expected a token as the last one
