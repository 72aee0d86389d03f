// Made by make.py. Do not edit.
// case_out_of_range
module {
  func.func private @program(%0: tensor<i32>, %1: tensor<3xf32>) -> (tensor<3xf32>) {
    %r = "stablehlo.case"(%0) ({
      %a = stablehlo.add %1, %1 : tensor<3xf32>
      stablehlo.return %a : tensor<3xf32>
    }, {
      %a = stablehlo.negate %1 : tensor<3xf32>
      stablehlo.return %a : tensor<3xf32>
    }, {
      %a = stablehlo.multiply %1, %1 : tensor<3xf32>
      stablehlo.return %a : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %r : tensor<3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<-5> : tensor<i32>
    %input_1 = stablehlo.constant dense<[1.0, 3.0, -8.0]> : tensor<3xf32>
    %expected_0 = stablehlo.constant dense<[1.0, 9.0, 64.0]> : tensor<3xf32>
    %found = func.call @program(%input_0, %input_1) : (tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>)
    check.expect_eq %found, %expected_0 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
// -----
// case_in_a_loop
module {
  func.func private @program(%arg0: tensor<3xf32>) -> (tensor<3xf32>) {
    %c = stablehlo.constant dense<-2> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i64>, tensor<i64>, tensor<3xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i64>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i64>
      stablehlo.return %2, %1#0, %1#1 : tensor<i64>, tensor<i64>, tensor<3xf32>
    }
    return %0#2 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.clamp %c_0, %1, %c_1 : tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %5 = stablehlo.add %arg1, %4 : tensor<3xf32>
      stablehlo.return %5 : tensor<3xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %5 = stablehlo.multiply %arg1, %4 : tensor<3xf32>
      stablehlo.return %5 : tensor<3xf32>
    }, {
      %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %5 = stablehlo.subtract %arg1, %4 : tensor<3xf32>
      stablehlo.return %5 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %0, %3 : tensor<i64>, tensor<3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[6.0, -4.0, -7.0]> : tensor<3xf32>
    %expected_0 = stablehlo.constant dense<[6.0, -14.0, -20.0]> : tensor<3xf32>
    %found = func.call @program(%input_0) : (tensor<3xf32>) -> (tensor<3xf32>)
    check.expect_eq %found, %expected_0 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
// -----
// while_of_many_values
module {
  func.func private @program(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>, %arg2: tensor<2xi32>, %arg3: tensor<2xi32>, %arg4: tensor<2xi32>, %arg5: tensor<2xi32>, %arg6: tensor<2xi32>, %arg7: tensor<2xi32>, %arg8: tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:10 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %arg3, %iterArg_4 = %arg4, %iterArg_5 = %arg5, %iterArg_6 = %arg6, %iterArg_7 = %arg7, %iterArg_8 = %arg8) : tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
    cond {
      %c_9 = stablehlo.constant dense<7> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_9 : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %iterArg, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %3 = stablehlo.multiply %iterArg_8, %2 : tensor<2xi32>
      %4 = stablehlo.add %iterArg_0, %3 : tensor<2xi32>
      stablehlo.return %1, %iterArg_1, %iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %4 : tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
    }
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9 : tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-4, 2]> : tensor<2xi32>
    %input_1 = stablehlo.constant dense<[-5, 8]> : tensor<2xi32>
    %input_2 = stablehlo.constant dense<[4, -2]> : tensor<2xi32>
    %input_3 = stablehlo.constant dense<[6, 3]> : tensor<2xi32>
    %input_4 = stablehlo.constant dense<[8, -8]> : tensor<2xi32>
    %input_5 = stablehlo.constant dense<[-9, 4]> : tensor<2xi32>
    %input_6 = stablehlo.constant dense<[-5, -5]> : tensor<2xi32>
    %input_7 = stablehlo.constant dense<[-7, 2]> : tensor<2xi32>
    %input_8 = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
    %expected_0 = stablehlo.constant dense<7> : tensor<i32>
    %expected_1 = stablehlo.constant dense<[-7, 2]> : tensor<2xi32>
    %expected_2 = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
    %expected_3 = stablehlo.constant dense<[-4, 2]> : tensor<2xi32>
    %expected_4 = stablehlo.constant dense<[-9, 10]> : tensor<2xi32>
    %expected_5 = stablehlo.constant dense<[-14, 18]> : tensor<2xi32>
    %expected_6 = stablehlo.constant dense<[-36, 57]> : tensor<2xi32>
    %expected_7 = stablehlo.constant dense<[-136, 220]> : tensor<2xi32>
    %expected_8 = stablehlo.constant dense<[-689, 1104]> : tensor<2xi32>
    %expected_9 = stablehlo.constant dense<[-4139, 6619]> : tensor<2xi32>
    %found:10 = func.call @program(%input_0, %input_1, %input_2, %input_3, %input_4, %input_5, %input_6, %input_7, %input_8) : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#2, %expected_2 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#3, %expected_3 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#4, %expected_4 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#5, %expected_5 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#6, %expected_6 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#7, %expected_7 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#8, %expected_8 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#9, %expected_9 : tensor<2xi32>, tensor<2xi32>
    return
  }
}
// -----
// while_that_never_runs
module {
  func.func private @program(%arg0: tensor<4xf32>) -> (tensor<4xf32>) {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<4xf32>
    cond {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.reduce(%iterArg init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %cst_0 = stablehlo.constant dense<1.000000e+09> : tensor<f32>
      %2 = stablehlo.compare GT, %1, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %2 = stablehlo.multiply %iterArg, %1 : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[7.0, 1.0, -7.0, 7.0]> : tensor<4xf32>
    %expected_0 = stablehlo.constant dense<[7.0, 1.0, -7.0, 7.0]> : tensor<4xf32>
    %found = func.call @program(%input_0) : (tensor<4xf32>) -> (tensor<4xf32>)
    check.expect_eq %found, %expected_0 : tensor<4xf32>, tensor<4xf32>
    return
  }
}
// -----
// nested_loops
module {
  func.func private @program(%arg0: tensor<4xi32>) -> (tensor<4xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i64>, tensor<i64>, tensor<4xi32>
    cond {
      %c_3 = stablehlo.constant dense<3> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i64>, tensor<4xi32>) -> (tensor<i64>, tensor<4xi32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i64>
      stablehlo.return %2, %1#0, %1#1 : tensor<i64>, tensor<i64>, tensor<4xi32>
    }
    return %0#2 : tensor<4xi32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<4xi32>) -> (tensor<i64>, tensor<4xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %1 = stablehlo.add %arg0, %c_0 : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %2:4 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c_1, %iterArg_3 = %1, %iterArg_4 = %arg1) : tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xi32>
    cond {
      %3 = stablehlo.compare LT, %iterArg_2, %iterArg_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.add %iterArg_2, %c_5 : tensor<i64>
      %c_6 = stablehlo.constant dense<10> : tensor<i64>
      %4 = stablehlo.multiply %iterArg, %c_6 : tensor<i64>
      %5 = stablehlo.add %4, %iterArg_2 : tensor<i64>
      %6 = func.call @_roll_static(%iterArg_4) : (tensor<4xi32>) -> tensor<4xi32>
      %7 = stablehlo.convert %5 : (tensor<i64>) -> tensor<i32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %9 = stablehlo.multiply %8, %6 : tensor<4xi32>
      %10 = stablehlo.add %iterArg_4, %9 : tensor<4xi32>
      stablehlo.return %iterArg, %3, %iterArg_3, %10 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xi32>
    }
    return %0, %2#3 : tensor<i64>, tensor<4xi32>
  }
  func.func private @_roll_static(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.slice %arg0 [3:4] : (tensor<4xi32>) -> tensor<1xi32>
    %1 = stablehlo.slice %arg0 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    return %2 : tensor<4xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[0, -3, 0, 6]> : tensor<4xi32>
    %expected_0 = stablehlo.constant dense<[5967108, -1001853, -2785860, 2028501]> : tensor<4xi32>
    %found = func.call @program(%input_0) : (tensor<4xi32>) -> (tensor<4xi32>)
    check.expect_eq %found, %expected_0 : tensor<4xi32>, tensor<4xi32>
    return
  }
}
// -----
// scan_with_state
module {
  func.func private @program(%arg0: tensor<3xi32>, %arg1: tensor<5x3xi32>) -> (tensor<3xi32>, tensor<5x3xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0, %iterArg_2 = %arg0, %iterArg_3 = %0) : tensor<5x3xi32>, tensor<i64>, tensor<3xi32>, tensor<5x3xi32>
    cond {
      %c_4 = stablehlo.constant dense<5> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<5> : tensor<i64>
      %2 = stablehlo.subtract %c_4, %iterArg_1 : tensor<i64>
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.subtract %2, %c_5 : tensor<i64>
      %4 = func.call @dynamic_index_in_dim(%iterArg, %3) : (tensor<5x3xi32>, tensor<i64>) -> tensor<3xi32>
      %5:2 = func.call @closed_call(%iterArg_2, %4) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_3, %5#1, %3) : (tensor<5x3xi32>, tensor<3xi32>, tensor<i64>) -> tensor<5x3xi32>
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %7 = stablehlo.add %iterArg_1, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %7, %5#0, %6 : tensor<5x3xi32>, tensor<i64>, tensor<3xi32>, tensor<5x3xi32>
    }
    return %1#2, %1#3 : tensor<3xi32>, tensor<5x3xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x3xi32>, %arg1: tensor<i64>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<5x3xi32>, tensor<i64>, tensor<i64>) -> tensor<1x3xi32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xi32>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @closed_call(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3xi32>
    %2 = stablehlo.add %1, %arg1 : tensor<3xi32>
    %3 = stablehlo.subtract %arg0, %arg1 : tensor<3xi32>
    return %2, %3 : tensor<3xi32>, tensor<3xi32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5x3xi32>, %arg1: tensor<3xi32>, %arg2: tensor<i64>) -> tensor<5x3xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xi32>) -> tensor<1x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<5x3xi32>, tensor<1x3xi32>, tensor<i64>, tensor<i64>) -> tensor<5x3xi32>
    return %1 : tensor<5x3xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[4, 6, 7]> : tensor<3xi32>
    %input_1 = stablehlo.constant dense<[[6, 5, 0], [-6, -3, -7], [6, 3, 7], [-3, -1, -8], [7, 0, -7]]> : tensor<5x3xi32>
    %expected_0 = stablehlo.constant dense<[234, 195, 62]> : tensor<3xi32>
    %expected_1 = stablehlo.constant dense<[[108, 90, 31], [66, 52, 26], [21, 20, -1], [18, 13, 15], [-3, 6, 14]]> : tensor<5x3xi32>
    %found:2 = func.call @program(%input_0, %input_1) : (tensor<3xi32>, tensor<5x3xi32>) -> (tensor<3xi32>, tensor<5x3xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<3xi32>, tensor<3xi32>
    check.expect_eq %found#1, %expected_1 : tensor<5x3xi32>, tensor<5x3xi32>
    return
  }
}
// -----
// conditional_of_several
module {
  func.func private @program(%arg0: tensor<i1>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<i1>) -> tensor<i32>
    %1:2 = "stablehlo.case"(%0) ({
      %2 = stablehlo.multiply %arg1, %arg2 : tensor<3xf32>
      stablehlo.return %arg2, %2 : tensor<3xf32>, tensor<3xf32>
    }, {
      %2 = stablehlo.add %arg2, %arg1 : tensor<3xf32>
      stablehlo.return %arg1, %2 : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>)
    return %1#0, %1#1 : tensor<3xf32>, tensor<3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<false> : tensor<i1>
    %input_1 = stablehlo.constant dense<[3.0, -5.0, 8.0]> : tensor<3xf32>
    %input_2 = stablehlo.constant dense<[8.0, 4.0, -5.0]> : tensor<3xf32>
    %expected_0 = stablehlo.constant dense<[8.0, 4.0, -5.0]> : tensor<3xf32>
    %expected_1 = stablehlo.constant dense<[24.0, -20.0, -40.0]> : tensor<3xf32>
    %found:2 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<3xf32>, tensor<3xf32>
    check.expect_eq %found#1, %expected_1 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
// -----
// custom_derivative
module {
  func.func private @program(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = call @relu(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.compare GT, %arg0, %1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %3:3 = call @silu(%arg0) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>)
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.multiply %0, %4 : tensor<6xf32>
    %6 = stablehlo.multiply %4, %3#0 : tensor<6xf32>
    %7 = call @silu_0(%3#1, %3#2, %arg0, %5) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.select %2, %6, %8 : tensor<6xi1>, tensor<6xf32>
    %10 = stablehlo.add %7, %9 : tensor<6xf32>
    return %10 : tensor<6xf32>
  }
  func.func private @relu(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @silu(%arg0: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<6xf32>
    %1 = stablehlo.exponential %0 : tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.add %2, %1 : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<6xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<6xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<6xf32>
    return %9, %8, %5 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
  func.func private @silu_0(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>, %arg3: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<6xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<6xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<6xf32>
    %3 = stablehlo.add %1, %2 : tensor<6xf32>
    return %3 : tensor<6xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-1.0, 6.0, 0.0, 8.0, 8.0, -6.0]> : tensor<6xf32>
    %expected_0 = stablehlo.constant dense<[0.0, 12.0591221, 0.0, 16.0160885, 16.0160885, 0.0]> : tensor<6xf32>
    %found = func.call @program(%input_0) : (tensor<6xf32>) -> (tensor<6xf32>)
    check.expect_close %found, %expected_0, max_ulp_difference = 8 : tensor<6xf32>, tensor<6xf32>
    return
  }
}
// -----
// tuples
module {
  func.func private @program(%0: tensor<3xf32>, %1: tensor<2xi32>) -> (tensor<2xi32>, tensor<3xf32>) {
    %t = stablehlo.tuple %0, %1 : tuple<tensor<3xf32>, tensor<2xi32>>
    %u = stablehlo.tuple %t, %0 : tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<3xf32>>
    %v = stablehlo.get_tuple_element %u[0] : (tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<3xf32>>) -> tuple<tensor<3xf32>, tensor<2xi32>>
    %w = stablehlo.get_tuple_element %v[1] : (tuple<tensor<3xf32>, tensor<2xi32>>) -> tensor<2xi32>
    %x = stablehlo.get_tuple_element %u[1] : (tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<3xf32>>) -> tensor<3xf32>
    return %w, %x : tensor<2xi32>, tensor<3xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[1.0, 6.0, -1.0]> : tensor<3xf32>
    %input_1 = stablehlo.constant dense<[-1, 8]> : tensor<2xi32>
    %expected_0 = stablehlo.constant dense<[-1, 8]> : tensor<2xi32>
    %expected_1 = stablehlo.constant dense<[1.0, 6.0, -1.0]> : tensor<3xf32>
    %found:2 = func.call @program(%input_0, %input_1) : (tensor<3xf32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<3xf32>)
    check.expect_eq %found#0, %expected_0 : tensor<2xi32>, tensor<2xi32>
    check.expect_eq %found#1, %expected_1 : tensor<3xf32>, tensor<3xf32>
    return
  }
}
// -----
// loop_down
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_3 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.while(%iterArg = %arg3, %iterArg_3 = %c_2) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<7> : tensor<i32>
    %input_1 = stablehlo.constant dense<1> : tensor<i32>
    %input_2 = stablehlo.constant dense<0> : tensor<i32>
    %input_3 = stablehlo.constant dense<-3> : tensor<i32>
    %expected_0 = stablehlo.constant dense<0> : tensor<i32>
    %expected_1 = stablehlo.constant dense<9295> : tensor<i32>
    %expected_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_3 = stablehlo.constant dense<4> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %expected_6 = stablehlo.constant dense<-3> : tensor<i32>
    %expected_7 = stablehlo.constant dense<1> : tensor<i32>
    %found:8 = func.call @program(%input_0, %input_1, %input_2, %input_3) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    check.expect_eq %found#6, %expected_6 : tensor<i32>, tensor<i32>
    check.expect_eq %found#7, %expected_7 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_to_zero
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<7> : tensor<i32>
    %input_1 = stablehlo.constant dense<0> : tensor<i32>
    %input_2 = stablehlo.constant dense<-1> : tensor<i32>
    %expected_0 = stablehlo.constant dense<-1> : tensor<i32>
    %expected_1 = stablehlo.constant dense<27885> : tensor<i32>
    %expected_2 = stablehlo.constant dense<-1> : tensor<i32>
    %expected_3 = stablehlo.constant dense<3> : tensor<i32>
    %expected_4 = stablehlo.constant dense<-1> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_by_three
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_3 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.while(%iterArg = %arg3, %iterArg_3 = %c_2) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.compare GT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.subtract %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<10> : tensor<i32>
    %input_1 = stablehlo.constant dense<11> : tensor<i32>
    %input_2 = stablehlo.constant dense<12> : tensor<i32>
    %input_3 = stablehlo.constant dense<1> : tensor<i32>
    %expected_0 = stablehlo.constant dense<1> : tensor<i32>
    %expected_1 = stablehlo.constant dense<142> : tensor<i32>
    %expected_2 = stablehlo.constant dense<-1> : tensor<i32>
    %expected_3 = stablehlo.constant dense<467> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0> : tensor<i32>
    %expected_5 = stablehlo.constant dense<507> : tensor<i32>
    %expected_6 = stablehlo.constant dense<1> : tensor<i32>
    %expected_7 = stablehlo.constant dense<1> : tensor<i32>
    %found:8 = func.call @program(%input_0, %input_1, %input_2, %input_3) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    check.expect_eq %found#6, %expected_6 : tensor<i32>, tensor<i32>
    check.expect_eq %found#7, %expected_7 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_to_negative
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<-5> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<-5> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<-5> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<4> : tensor<i32>
    %input_1 = stablehlo.constant dense<-4> : tensor<i32>
    %input_2 = stablehlo.constant dense<-5> : tensor<i32>
    %expected_0 = stablehlo.constant dense<-6> : tensor<i32>
    %expected_1 = stablehlo.constant dense<611> : tensor<i32>
    %expected_2 = stablehlo.constant dense<-6> : tensor<i32>
    %expected_3 = stablehlo.constant dense<-1> : tensor<i32>
    %expected_4 = stablehlo.constant dense<-5> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_with_limit_first
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LT, %c_3, %iterArg, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LT, %c_3, %iterArg, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LT, %c_3, %iterArg, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<7> : tensor<i32>
    %input_1 = stablehlo.constant dense<1> : tensor<i32>
    %input_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_0 = stablehlo.constant dense<0> : tensor<i32>
    %expected_1 = stablehlo.constant dense<9295> : tensor<i32>
    %expected_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_3 = stablehlo.constant dense<4> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_of_words
module {
  func.func private @program(%arg0: tensor<i64>, %arg1: tensor<i64>) -> (tensor<i64>, tensor<i32>, tensor<i64>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c) : tensor<i64>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<1099511627776> : tensor<i64>
      %2 = stablehlo.compare GT, %iterArg, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<274877906944> : tensor<i64>
      %2 = stablehlo.subtract %iterArg, %c_2 : tensor<i64>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.convert %iterArg : (tensor<i64>) -> tensor<i32>
      %5 = stablehlo.add %3, %4 : tensor<i32>
      stablehlo.return %2, %5 : tensor<i64>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0) : tensor<i64>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<1099511627776> : tensor<i64>
      %2 = stablehlo.compare GT, %iterArg, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<274877906944> : tensor<i64>
      %2 = stablehlo.subtract %iterArg, %c_2 : tensor<i64>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.convert %iterArg : (tensor<i64>) -> tensor<i32>
      %5 = stablehlo.add %3, %4 : tensor<i32>
      stablehlo.return %2, %5 : tensor<i64>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1 : tensor<i64>, tensor<i32>, tensor<i64>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<2199023255552> : tensor<i64>
    %input_1 = stablehlo.constant dense<1099511627776> : tensor<i64>
    %expected_0 = stablehlo.constant dense<1099511627776> : tensor<i64>
    %expected_1 = stablehlo.constant dense<81> : tensor<i32>
    %expected_2 = stablehlo.constant dense<1099511627776> : tensor<i64>
    %expected_3 = stablehlo.constant dense<1> : tensor<i32>
    %found:4 = func.call @program(%input_0, %input_1) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i32>, tensor<i64>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i64>, tensor<i64>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i64>, tensor<i64>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_of_bytes
module {
  func.func private @program(%arg0: tensor<i8>, %arg1: tensor<i8>, %arg2: tensor<i8>) -> (tensor<i8>, tensor<i32>, tensor<i8>, tensor<i32>, tensor<i8>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<-120> : tensor<i8>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<9> : tensor<i8>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<i8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<i8>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<-120> : tensor<i8>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<9> : tensor<i8>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<i8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<i8>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<-120> : tensor<i8>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<9> : tensor<i8>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<i8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<i8>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i8>, tensor<i32>, tensor<i8>, tensor<i32>, tensor<i8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<100> : tensor<i8>
    %input_1 = stablehlo.constant dense<-111> : tensor<i8>
    %input_2 = stablehlo.constant dense<-120> : tensor<i8>
    %expected_0 = stablehlo.constant dense<-125> : tensor<i8>
    %expected_1 = stablehlo.constant dense<619224779> : tensor<i32>
    %expected_2 = stablehlo.constant dense<-120> : tensor<i8>
    %expected_3 = stablehlo.constant dense<-108> : tensor<i32>
    %expected_4 = stablehlo.constant dense<-120> : tensor<i8>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i8>, tensor<i8>, tensor<i8>) -> (tensor<i8>, tensor<i32>, tensor<i8>, tensor<i32>, tensor<i8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i8>, tensor<i8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i8>, tensor<i8>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i8>, tensor<i8>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_unsigned
module {
  func.func private @program(%arg0: tensor<ui8>, %arg1: tensor<ui8>, %arg2: tensor<ui8>) -> (tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<ui8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<3> : tensor<ui8>
      %3 = stablehlo.compare GT, %iterArg, %c_3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<40> : tensor<ui8>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<ui8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<ui8>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<ui8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<3> : tensor<ui8>
      %3 = stablehlo.compare GT, %iterArg, %c_3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<40> : tensor<ui8>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<ui8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<ui8>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<ui8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<3> : tensor<ui8>
      %3 = stablehlo.compare GT, %iterArg, %c_3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<40> : tensor<ui8>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<ui8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<ui8>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<203> : tensor<ui8>
    %input_1 = stablehlo.constant dense<43> : tensor<ui8>
    %input_2 = stablehlo.constant dense<3> : tensor<ui8>
    %expected_0 = stablehlo.constant dense<3> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<22486> : tensor<i32>
    %expected_2 = stablehlo.constant dense<3> : tensor<ui8>
    %expected_3 = stablehlo.constant dense<46> : tensor<i32>
    %expected_4 = stablehlo.constant dense<3> : tensor<ui8>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<ui8>, tensor<ui8>, tensor<ui8>) -> (tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_from_highest_bit
module {
  func.func private @program(%arg0: tensor<ui32>) -> (tensor<ui32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c) : tensor<ui32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<2147483645> : tensor<ui32>
      %1 = stablehlo.compare GT, %iterArg, %c_1, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<ui32>
      %1 = stablehlo.subtract %iterArg, %c_1 : tensor<ui32>
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.multiply %iterArg_0, %c_2 : tensor<i32>
      %3 = stablehlo.convert %iterArg : (tensor<ui32>) -> tensor<i32>
      %4 = stablehlo.add %2, %3 : tensor<i32>
      stablehlo.return %1, %4 : tensor<ui32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<ui32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<2147483651> : tensor<ui32>
    %expected_0 = stablehlo.constant dense<2147483645> : tensor<ui32>
    %expected_1 = stablehlo.constant dense<1642> : tensor<i32>
    %found:2 = func.call @program(%input_0) : (tensor<ui32>) -> (tensor<ui32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui32>, tensor<ui32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_up_with_step
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<20> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<6> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_3 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<20> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<6> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<20> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<6> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.while(%iterArg = %arg3, %iterArg_3 = %c_2) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<20> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<6> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<-4> : tensor<i32>
    %input_1 = stablehlo.constant dense<2> : tensor<i32>
    %input_2 = stablehlo.constant dense<20> : tensor<i32>
    %input_3 = stablehlo.constant dense<21> : tensor<i32>
    %expected_0 = stablehlo.constant dense<20> : tensor<i32>
    %expected_1 = stablehlo.constant dense<29> : tensor<i32>
    %expected_2 = stablehlo.constant dense<20> : tensor<i32>
    %expected_3 = stablehlo.constant dense<83> : tensor<i32>
    %expected_4 = stablehlo.constant dense<20> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %expected_6 = stablehlo.constant dense<21> : tensor<i32>
    %expected_7 = stablehlo.constant dense<1> : tensor<i32>
    %found:8 = func.call @program(%input_0, %input_1, %input_2, %input_3) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    check.expect_eq %found#6, %expected_6 : tensor<i32>, tensor<i32>
    check.expect_eq %found#7, %expected_7 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_up_to_and_with
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<9> : tensor<i32>
      %4 = stablehlo.compare LE, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_3 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<9> : tensor<i32>
      %4 = stablehlo.compare LE, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<9> : tensor<i32>
      %4 = stablehlo.compare LE, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %3:2 = stablehlo.while(%iterArg = %arg3, %iterArg_3 = %c_2) : tensor<i32>, tensor<i32>
    cond {
      %c_4 = stablehlo.constant dense<9> : tensor<i32>
      %4 = stablehlo.compare LE, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.multiply %iterArg_3, %c_5 : tensor<i32>
      %6 = stablehlo.add %5, %iterArg : tensor<i32>
      stablehlo.return %4, %6 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<0> : tensor<i32>
    %input_1 = stablehlo.constant dense<1> : tensor<i32>
    %input_2 = stablehlo.constant dense<9> : tensor<i32>
    %input_3 = stablehlo.constant dense<10> : tensor<i32>
    %expected_0 = stablehlo.constant dense<10> : tensor<i32>
    %expected_1 = stablehlo.constant dense<359> : tensor<i32>
    %expected_2 = stablehlo.constant dense<11> : tensor<i32>
    %expected_3 = stablehlo.constant dense<480> : tensor<i32>
    %expected_4 = stablehlo.constant dense<11> : tensor<i32>
    %expected_5 = stablehlo.constant dense<12> : tensor<i32>
    %expected_6 = stablehlo.constant dense<10> : tensor<i32>
    %expected_7 = stablehlo.constant dense<1> : tensor<i32>
    %found:8 = func.call @program(%input_0, %input_1, %input_2, %input_3) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    check.expect_eq %found#6, %expected_6 : tensor<i32>, tensor<i32>
    check.expect_eq %found#7, %expected_7 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_up_unsigned
module {
  func.func private @program(%arg0: tensor<ui8>, %arg1: tensor<ui8>, %arg2: tensor<ui8>) -> (tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<ui8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<250> : tensor<ui8>
      %3 = stablehlo.compare LT, %iterArg, %c_3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<50> : tensor<ui8>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<ui8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<ui8>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<ui8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<250> : tensor<ui8>
      %3 = stablehlo.compare LT, %iterArg, %c_3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<50> : tensor<ui8>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<ui8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<ui8>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<ui8>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<250> : tensor<ui8>
      %3 = stablehlo.compare LT, %iterArg, %c_3, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<50> : tensor<ui8>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<ui8>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<ui8>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<0> : tensor<ui8>
    %input_1 = stablehlo.constant dense<200> : tensor<ui8>
    %input_2 = stablehlo.constant dense<250> : tensor<ui8>
    %expected_0 = stablehlo.constant dense<250> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<3143> : tensor<i32>
    %expected_2 = stablehlo.constant dense<250> : tensor<ui8>
    %expected_3 = stablehlo.constant dense<203> : tensor<i32>
    %expected_4 = stablehlo.constant dense<250> : tensor<ui8>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<ui8>, tensor<ui8>, tensor<ui8>) -> (tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_until_equal
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<12> : tensor<i32>
      %3 = stablehlo.compare NE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<12> : tensor<i32>
      %3 = stablehlo.compare NE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<12> : tensor<i32>
      %3 = stablehlo.compare NE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<-8> : tensor<i32>
    %input_1 = stablehlo.constant dense<8> : tensor<i32>
    %input_2 = stablehlo.constant dense<12> : tensor<i32>
    %expected_0 = stablehlo.constant dense<12> : tensor<i32>
    %expected_1 = stablehlo.constant dense<-493> : tensor<i32>
    %expected_2 = stablehlo.constant dense<12> : tensor<i32>
    %expected_3 = stablehlo.constant dense<11> : tensor<i32>
    %expected_4 = stablehlo.constant dense<12> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_until_equal
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare NE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare NE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare NE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<6> : tensor<i32>
    %input_1 = stablehlo.constant dense<1> : tensor<i32>
    %input_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_0 = stablehlo.constant dense<0> : tensor<i32>
    %expected_1 = stablehlo.constant dense<2734> : tensor<i32>
    %expected_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_3 = stablehlo.constant dense<4> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_until_wrapped
module {
  func.func private @program(%arg0: tensor<ui8>, %arg1: tensor<ui8>) -> (tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c) : tensor<ui8>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<ui8>
      %2 = stablehlo.compare NE, %iterArg, %c_2, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<ui8>
      %2 = stablehlo.add %iterArg, %c_2 : tensor<ui8>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %5 = stablehlo.add %3, %4 : tensor<i32>
      stablehlo.return %2, %5 : tensor<ui8>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0) : tensor<ui8>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<ui8>
      %2 = stablehlo.compare NE, %iterArg, %c_2, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<ui8>
      %2 = stablehlo.add %iterArg, %c_2 : tensor<ui8>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.convert %iterArg : (tensor<ui8>) -> tensor<i32>
      %5 = stablehlo.add %3, %4 : tensor<i32>
      stablehlo.return %2, %5 : tensor<ui8>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1 : tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<250> : tensor<ui8>
    %input_1 = stablehlo.constant dense<3> : tensor<ui8>
    %expected_0 = stablehlo.constant dense<3> : tensor<ui8>
    %expected_1 = stablehlo.constant dense<2481521> : tensor<i32>
    %expected_2 = stablehlo.constant dense<3> : tensor<ui8>
    %expected_3 = stablehlo.constant dense<1> : tensor<i32>
    %found:4 = func.call @program(%input_0, %input_1) : (tensor<ui8>, tensor<ui8>) -> (tensor<ui8>, tensor<i32>, tensor<ui8>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<ui8>, tensor<ui8>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_while_equal
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %2 = stablehlo.compare EQ, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.add %3, %iterArg : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %2 = stablehlo.compare EQ, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.add %3, %iterArg : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<5> : tensor<i32>
    %input_1 = stablehlo.constant dense<4> : tensor<i32>
    %expected_0 = stablehlo.constant dense<6> : tensor<i32>
    %expected_1 = stablehlo.constant dense<8> : tensor<i32>
    %expected_2 = stablehlo.constant dense<4> : tensor<i32>
    %expected_3 = stablehlo.constant dense<1> : tensor<i32>
    %found:4 = func.call @program(%input_0, %input_1) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_of_factors
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<500> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<500> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<500> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<1> : tensor<i32>
    %input_1 = stablehlo.constant dense<200> : tensor<i32>
    %input_2 = stablehlo.constant dense<600> : tensor<i32>
    %expected_0 = stablehlo.constant dense<729> : tensor<i32>
    %expected_1 = stablehlo.constant dense<2187> : tensor<i32>
    %expected_2 = stablehlo.constant dense<600> : tensor<i32>
    %expected_3 = stablehlo.constant dense<203> : tensor<i32>
    %expected_4 = stablehlo.constant dense<600> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_of_halves
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.shift_right_arithmetic %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.shift_right_arithmetic %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.shift_right_arithmetic %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<1000> : tensor<i32>
    %input_1 = stablehlo.constant dense<1> : tensor<i32>
    %input_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_0 = stablehlo.constant dense<0> : tensor<i32>
    %expected_1 = stablehlo.constant dense<23678479> : tensor<i32>
    %expected_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_3 = stablehlo.constant dense<4> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_of_floats
module {
  func.func private @program(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<f32>, tensor<i32>
    cond {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %3 = stablehlo.compare GT, %iterArg, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<7.500000e-01> : tensor<f32>
      %3 = stablehlo.multiply %iterArg, %cst : tensor<f32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_3 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<f32>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<f32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<f32>, tensor<i32>
    cond {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %3 = stablehlo.compare GT, %iterArg, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<7.500000e-01> : tensor<f32>
      %3 = stablehlo.multiply %iterArg, %cst : tensor<f32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_3 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<f32>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<f32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<f32>, tensor<i32>
    cond {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %3 = stablehlo.compare GT, %iterArg, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<7.500000e-01> : tensor<f32>
      %3 = stablehlo.multiply %iterArg, %cst : tensor<f32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_3 : tensor<i32>
      %5 = stablehlo.convert %iterArg : (tensor<f32>) -> tensor<i32>
      %6 = stablehlo.add %4, %5 : tensor<i32>
      stablehlo.return %3, %6 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<9.0> : tensor<f32>
    %input_1 = stablehlo.constant dense<0.5> : tensor<f32>
    %input_2 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %expected_0 = stablehlo.constant dense<0.380116224> : tensor<f32>
    %expected_1 = stablehlo.constant dense<868104> : tensor<i32>
    %expected_2 = stablehlo.constant dense<0.5> : tensor<f32>
    %expected_3 = stablehlo.constant dense<1> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<f32>, tensor<f32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<f32>, tensor<f32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<f32>, tensor<f32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_on_another_value
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<1000> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<1000> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<1000> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<0> : tensor<i32>
    %input_1 = stablehlo.constant dense<5> : tensor<i32>
    %input_2 = stablehlo.constant dense<-2> : tensor<i32>
    %expected_0 = stablehlo.constant dense<7> : tensor<i32>
    %expected_1 = stablehlo.constant dense<2730> : tensor<i32>
    %expected_2 = stablehlo.constant dense<11> : tensor<i32>
    %expected_3 = stablehlo.constant dense<2728> : tensor<i32>
    %expected_4 = stablehlo.constant dense<6> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1637> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_on_another_value
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<-1000> : tensor<i32>
      %2 = stablehlo.compare GT, %iterArg_1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<7> : tensor<i32>
      %2 = stablehlo.subtract %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.add %3, %iterArg : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<-1000> : tensor<i32>
      %2 = stablehlo.compare GT, %iterArg_1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<7> : tensor<i32>
      %2 = stablehlo.subtract %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.add %3, %iterArg : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<-8> : tensor<i32>
    %input_1 = stablehlo.constant dense<0> : tensor<i32>
    %expected_0 = stablehlo.constant dense<-43> : tensor<i32>
    %expected_1 = stablehlo.constant dense<-1131> : tensor<i32>
    %expected_2 = stablehlo.constant dense<-49> : tensor<i32>
    %expected_3 = stablehlo.constant dense<-1614> : tensor<i32>
    %found:4 = func.call @program(%input_0, %input_1) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_on_both_values
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<2000> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.and %3, %4 : tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<2000> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.and %3, %4 : tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare GT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<2000> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.and %3, %4 : tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<30> : tensor<i32>
    %input_1 = stablehlo.constant dense<3> : tensor<i32>
    %input_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_0 = stablehlo.constant dense<25> : tensor<i32>
    %expected_1 = stablehlo.constant dense<3815> : tensor<i32>
    %expected_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_3 = stablehlo.constant dense<61> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_on_either_value
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.compare GT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<100> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.subtract %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.add %3, %iterArg : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.compare GT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<100> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.subtract %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_3 : tensor<i32>
      %4 = stablehlo.add %3, %iterArg : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<9> : tensor<i32>
    %input_1 = stablehlo.constant dense<0> : tensor<i32>
    %expected_0 = stablehlo.constant dense<0> : tensor<i32>
    %expected_1 = stablehlo.constant dense<103336> : tensor<i32>
    %expected_2 = stablehlo.constant dense<-5> : tensor<i32>
    %expected_3 = stablehlo.constant dense<185> : tensor<i32>
    %found:4 = func.call @program(%input_0, %input_1) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_on_negation
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.not %3 : tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c_0) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.not %3 : tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %c_1) : tensor<i32>, tensor<i32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LE, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.not %3 : tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %c_4 : tensor<i32>
      %5 = stablehlo.add %4, %iterArg : tensor<i32>
      stablehlo.return %3, %5 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<5> : tensor<i32>
    %input_1 = stablehlo.constant dense<1> : tensor<i32>
    %input_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_0 = stablehlo.constant dense<0> : tensor<i32>
    %expected_1 = stablehlo.constant dense<790> : tensor<i32>
    %expected_2 = stablehlo.constant dense<0> : tensor<i32>
    %expected_3 = stablehlo.constant dense<4> : tensor<i32>
    %expected_4 = stablehlo.constant dense<0> : tensor<i32>
    %expected_5 = stablehlo.constant dense<1> : tensor<i32>
    %found:6 = func.call @program(%input_0, %input_1, %input_2) : (tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    check.expect_eq %found#3, %expected_3 : tensor<i32>, tensor<i32>
    check.expect_eq %found#4, %expected_4 : tensor<i32>, tensor<i32>
    check.expect_eq %found#5, %expected_5 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_to_an_operand
module {
  func.func private @program(%arg0: tensor<i32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %c) : tensor<i32>, tensor<i32>, tensor<i32>
    cond {
      %1 = stablehlo.compare GT, %iterArg, %iterArg_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.subtract %iterArg, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %iterArg_1, %c_4 : tensor<i32>
      %4 = stablehlo.add %3, %iterArg : tensor<i32>
      %5 = stablehlo.subtract %4, %iterArg_0 : tensor<i32>
      stablehlo.return %1, %2, %5 : tensor<i32>, tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1, %0#2 : tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<20> : tensor<i32>
    %input_1 = stablehlo.constant dense<-3> : tensor<i32>
    %expected_0 = stablehlo.constant dense<12> : tensor<i32>
    %expected_1 = stablehlo.constant dense<13> : tensor<i32>
    %expected_2 = stablehlo.constant dense<70532> : tensor<i32>
    %found:3 = func.call @program(%input_0, %input_1) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<i32>, tensor<i32>
    check.expect_eq %found#2, %expected_2 : tensor<i32>, tensor<i32>
    return
  }
}
// -----
// loop_down_over_elements
module {
  func.func private @program(%arg0: tensor<7x3xi32>) -> (tensor<i32>, tensor<3xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c_0, %iterArg_2 = %0) : tensor<7x3xi32>, tensor<i32>, tensor<3xi32>
    cond {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.compare GT, %iterArg_1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.subtract %iterArg_1, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %4 = stablehlo.multiply %iterArg_2, %3 : tensor<3xi32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.subtract %iterArg_1, %c_5 : tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.compare LT, %5, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<7> : tensor<i32>
      %7 = stablehlo.add %5, %c_7 : tensor<i32>
      %8 = stablehlo.select %6, %7, %5 : tensor<i1>, tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.compare LT, %c_8, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %c_11 = stablehlo.constant dense<3> : tensor<i32>
      %10 = stablehlo.add %c_10, %c_11 : tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.select %9, %10, %c_12 : tensor<i1>, tensor<i32>
      %12 = stablehlo.dynamic_slice %iterArg, %8, %11, sizes = [1, 3] : (tensor<7x3xi32>, tensor<i32>, tensor<i32>) -> tensor<1x3xi32>
      %13 = stablehlo.reshape %12 : (tensor<1x3xi32>) -> tensor<3xi32>
      %14 = stablehlo.add %4, %13 : tensor<3xi32>
      stablehlo.return %iterArg, %2, %14 : tensor<7x3xi32>, tensor<i32>, tensor<3xi32>
    }
    return %1#1, %1#2 : tensor<i32>, tensor<3xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-4, 5, -3], [1, -1, 3], [-3, -8, -4], [2, 2, 8], [-5, -2, 8], [-7, 3, 8], [7, 3, 7]]> : tensor<7x3xi32>
    %expected_0 = stablehlo.constant dense<0> : tensor<i32>
    %expected_1 = stablehlo.constant dense<[146, 243, 883]> : tensor<3xi32>
    %found:2 = func.call @program(%input_0) : (tensor<7x3xi32>) -> (tensor<i32>, tensor<3xi32>)
    check.expect_eq %found#0, %expected_0 : tensor<i32>, tensor<i32>
    check.expect_eq %found#1, %expected_1 : tensor<3xi32>, tensor<3xi32>
    return
  }
}
// -----
// loop_down_in_a_loop
module {
  func.func private @program(%arg0: tensor<3xi32>) -> (tensor<3xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i64>, tensor<i64>, tensor<3xi32>
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i64>, tensor<3xi32>) -> (tensor<i64>, tensor<3xi32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i64>
      stablehlo.return %2, %1#0, %1#1 : tensor<i64>, tensor<i64>, tensor<3xi32>
    }
    return %0#2 : tensor<3xi32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<3xi32>) -> (tensor<i64>, tensor<3xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c_0, %iterArg_2 = %arg1) : tensor<i64>, tensor<i32>, tensor<3xi32>
    cond {
      %2 = stablehlo.convert %iterArg : (tensor<i64>) -> tensor<i32>
      %3 = stablehlo.compare GT, %iterArg_1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %2 = stablehlo.subtract %iterArg_1, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<2> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %4 = stablehlo.multiply %iterArg_2, %3 : tensor<3xi32>
      %5 = stablehlo.broadcast_in_dim %iterArg_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %6 = stablehlo.add %4, %5 : tensor<3xi32>
      stablehlo.return %iterArg, %2, %6 : tensor<i64>, tensor<i32>, tensor<3xi32>
    }
    return %0, %1#2 : tensor<i64>, tensor<3xi32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[-6, 4, 3]> : tensor<3xi32>
    %expected_0 = stablehlo.constant dense<[-1833, 39127, 35031]> : tensor<3xi32>
    %found = func.call @program(%input_0) : (tensor<3xi32>) -> (tensor<3xi32>)
    check.expect_eq %found, %expected_0 : tensor<3xi32>, tensor<3xi32>
    return
  }
}
