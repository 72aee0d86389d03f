// Every operation of StableHLO 1.20 and of chlo is imported, or refused with a reason; and the instructions for
// operations that neither the corpora nor conformance/programs contain.
#include <catch2/catch.hpp>

#include "core/import/stablehlo/operations.h"
#include "core/import/stablehlo/tests/one_operation.h"

namespace bp::import::stablehlo {
namespace {

constexpr std::string_view stablehlo_operations[] = {"abs",
                                                     "add",
                                                     "after_all",
                                                     "all_gather",
                                                     "all_reduce",
                                                     "all_to_all",
                                                     "and",
                                                     "async_done",
                                                     "async_start",
                                                     "atan2",
                                                     "batch_norm_grad",
                                                     "batch_norm_inference",
                                                     "batch_norm_training",
                                                     "bitcast_convert",
                                                     "broadcast",
                                                     "broadcast_in_dim",
                                                     "case",
                                                     "cbrt",
                                                     "ceil",
                                                     "cholesky",
                                                     "clamp",
                                                     "collective_broadcast",
                                                     "collective_permute",
                                                     "compare",
                                                     "complex",
                                                     "composite",
                                                     "compute_reshape_shape",
                                                     "concatenate",
                                                     "constant",
                                                     "convert",
                                                     "convolution",
                                                     "cosine",
                                                     "count_leading_zeros",
                                                     "create_token",
                                                     "cross-replica-sum",
                                                     "cstr_reshapable",
                                                     "custom_call",
                                                     "divide",
                                                     "dot",
                                                     "dot_general",
                                                     "dynamic_broadcast_in_dim",
                                                     "dynamic_conv",
                                                     "dynamic_gather",
                                                     "dynamic_iota",
                                                     "dynamic_pad",
                                                     "dynamic_reshape",
                                                     "dynamic_slice",
                                                     "dynamic_update_slice",
                                                     "einsum",
                                                     "exponential",
                                                     "exponential_minus_one",
                                                     "fft",
                                                     "floor",
                                                     "gather",
                                                     "get_dimension_size",
                                                     "get_tuple_element",
                                                     "if",
                                                     "imag",
                                                     "infeed",
                                                     "iota",
                                                     "is_finite",
                                                     "log",
                                                     "log_plus_one",
                                                     "logistic",
                                                     "map",
                                                     "maximum",
                                                     "minimum",
                                                     "multiply",
                                                     "negate",
                                                     "not",
                                                     "optimization_barrier",
                                                     "or",
                                                     "outfeed",
                                                     "pad",
                                                     "partition_id",
                                                     "popcnt",
                                                     "power",
                                                     "real",
                                                     "real_dynamic_slice",
                                                     "recv",
                                                     "reduce",
                                                     "reduce_precision",
                                                     "reduce_scatter",
                                                     "reduce_window",
                                                     "remainder",
                                                     "replica_id",
                                                     "reshape",
                                                     "return",
                                                     "reverse",
                                                     "rng",
                                                     "rng_bit_generator",
                                                     "round_nearest_afz",
                                                     "round_nearest_even",
                                                     "rsqrt",
                                                     "scatter",
                                                     "select",
                                                     "select_and_scatter",
                                                     "send",
                                                     "set_dimension_size",
                                                     "shift_left",
                                                     "shift_right_arithmetic",
                                                     "shift_right_logical",
                                                     "sign",
                                                     "sine",
                                                     "slice",
                                                     "sort",
                                                     "sqrt",
                                                     "subtract",
                                                     "tan",
                                                     "tanh",
                                                     "torch_index_select",
                                                     "transpose",
                                                     "triangular_solve",
                                                     "tuple",
                                                     "unary_einsum",
                                                     "uniform_dequantize",
                                                     "uniform_quantize",
                                                     "while",
                                                     "xor"};

constexpr std::string_view chlo_operations[] = {"_asin_acos_kernel",
                                                "acos",
                                                "acosh",
                                                "asin",
                                                "asinh",
                                                "atan",
                                                "atanh",
                                                "bessel_i1e",
                                                "broadcast_add",
                                                "broadcast_and",
                                                "broadcast_atan2",
                                                "broadcast_compare",
                                                "broadcast_complex",
                                                "broadcast_divide",
                                                "broadcast_maximum",
                                                "broadcast_minimum",
                                                "broadcast_multiply",
                                                "broadcast_next_after",
                                                "broadcast_or",
                                                "broadcast_polygamma",
                                                "broadcast_power",
                                                "broadcast_remainder",
                                                "broadcast_select",
                                                "broadcast_shift_left",
                                                "broadcast_shift_right_arithmetic",
                                                "broadcast_shift_right_logical",
                                                "broadcast_subtract",
                                                "broadcast_xor",
                                                "broadcast_zeta",
                                                "conj",
                                                "constant",
                                                "constant_like",
                                                "cosh",
                                                "digamma",
                                                "dynamic_reshape",
                                                "erf",
                                                "erf_inv",
                                                "erfc",
                                                "is_inf",
                                                "is_neg_inf",
                                                "is_pos_inf",
                                                "lgamma",
                                                "minimum_broadcast_shapes",
                                                "mulhi",
                                                "next_after",
                                                "polygamma",
                                                "ragged_dot",
                                                "scan",
                                                "sinh",
                                                "square",
                                                "tan",
                                                "top_k",
                                                "zeta"};

std::string fate_of(const std::string &name) {
  return find_row(name) != nullptr ? "imported" : std::string(reason_to_refuse(name));
}

}  // namespace

TEST_CASE("every operation is imported, or refused with a reason") {
  for (std::string_view name : stablehlo_operations) {
    INFO(name);
    CHECK(fate_of(fmt::format("stablehlo.{}", name)) != "");
  }
  for (std::string_view name : chlo_operations) {
    INFO(name);
    CHECK(fate_of(fmt::format("chlo.{}", name)) != "");
  }
}

TEST_CASE("operations that few programs have") {
  const Case table[] = {
      {"tensor<3xf32>", "%r = stablehlo.logistic %v : tensor<3xf32>", "%r = f32[3]{0} logistic(%v)"},
      {"tensor<2x3xf32>", "%r = stablehlo.broadcast %v, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>",
       "%r = f32[2,3]{1,0} broadcast(%v), dimensions={1}"},
      {"tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>",
       "%r:3 = \"stablehlo.batch_norm_grad\"(%x, %v, %v, %v, %x) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : "
       "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, "
       "tensor<3xf32>, tensor<3xf32>)",
       "%r = (f32[2,3]{1,0}, f32[3]{0}, f32[3]{0}) batch-norm-grad(%x, %v, %v, %v, %x), epsilon=0.001, "
       "feature_index=1"},
      {"tensor<2x3xf32>",
       "%r = \"stablehlo.batch_norm_inference\"(%x, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : "
       "i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
       "%r = f32[2,3]{1,0} batch-norm-inference(%x, %v, %v, %v, %v), epsilon=0.001, feature_index=1"},
      {"tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>",
       "%r:3 = \"stablehlo.batch_norm_training\"(%x, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : "
       "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)",
       "%r = (f32[2,3]{1,0}, f32[3]{0}, f32[3]{0}) batch-norm-training(%x, %v, %v), epsilon=0.001, feature_index=1"},
      {"tensor<3xf32>",
       "%r = \"stablehlo.map\"(%v, %v) <{dimensions = array<i64: 0>}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s "
       "= stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : (tensor<3xf32>, tensor<3xf32>) "
       "-> tensor<3xf32>",
       "%r = f32[3]{0} map(%v, %v), to_apply=%map.computation, dimensions={0}"},
      {"tensor<3xf32>",
       "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%s = stablehlo.constant dense<3> : tensor<1xi64>\n%r = "
       "stablehlo.rng %z, %z, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>",
       "%r = f32[3]{0} rng(%z, %z), distribution=rng_normal"},
      {"tensor<2xui64>, tensor<3xui32>",
       "%k = stablehlo.constant dense<7> : tensor<2xui64>\n%r:2 = stablehlo.rng_bit_generator %k, algorithm = "
       "THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)",
       "%r = (u64[2]{0}, u32[3]{0}) rng-bit-generator(%k.1), algorithm=rng_three_fry"},
      {"tensor<3x2xf32>", "%r = stablehlo.unary_einsum %x, config = \"ab->ba\" : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "%r = f32[3,2]{1,0} transpose(%x), dimensions={1,0}"},
      {"tensor<3xf32>",
       "%r = \"stablehlo.unary_einsum\"(%x) <{einsum_config = \"ab->b\"}> : (tensor<2x3xf32>) -> tensor<3xf32>",
       "%r.2 = f32[3]{0} transpose(%r.1), dimensions={0}"},
      {"!stablehlo.token", "%r = stablehlo.after_all %t, %t : !stablehlo.token", "%r = token[] after-all(%t, %t)"},
      {"!stablehlo.token", "%r = stablehlo.create_token : !stablehlo.token", "%r = token[] after-all()"},
      {"tensor<3xf32>",
       "%f = \"stablehlo.async_start\"(%v) ({\n^bb0(%a: tensor<3xf32>):\n%s = stablehlo.negate %a : "
       "tensor<3xf32>\nstablehlo.return %s : tensor<3xf32>\n}) : (tensor<3xf32>) -> "
       "!stablehlo.future<tensor<3xf32>>\n%r = stablehlo.async_done %f : (!stablehlo.future<tensor<3xf32>>) -> "
       "tensor<3xf32>",
       "%s = f32[3]{0} negate(%v)"},
      {"tensor<3xf32>, tensor<i32>",
       "%f = \"stablehlo.async_start\"(%v, %n) ({\n^bb0(%a: tensor<3xf32>, %b: tensor<i32>):\nstablehlo.return %a, %b "
       ": tensor<3xf32>, tensor<i32>\n}) : (tensor<3xf32>, tensor<i32>) -> !stablehlo.future<tensor<3xf32>, "
       "tensor<i32>>\n%r:2 = \"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<3xf32>, tensor<i32>>) -> "
       "(tensor<3xf32>, tensor<i32>)",
       "%f = (f32[3]{0}, s32[]) tuple(%v, %n)"},
      {"tensor<3xf32>, tensor<i32>", "%r:2 = stablehlo.optimization_barrier %v, %n : tensor<3xf32>, tensor<i32>",
       "%r = (f32[3]{0}, s32[]) tuple(%v, %n)"},
      {"tensor<1x1x1xf32>",
       "%a = stablehlo.constant dense<1.0> : tensor<1x1x3xf32>\n%w = stablehlo.constant dense<2.0> : "
       "tensor<1x1x5xf32>\n%d = stablehlo.constant dense<1> : tensor<1x2xi32>\n%r = \"stablehlo.dynamic_conv\"(%a, %w, "
       "%d) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, "
       "batch_group_count = 1 : i64}> : (tensor<1x1x3xf32>, tensor<1x1x5xf32>, tensor<1x2xi32>) -> tensor<1x1x1xf32>",
       "%r = f32[1,1,1]{2,1,0} convolution(%a.1, %w.1), window={size=5 pad=1_1}, dim_labels=bf0_oi0->bf0"},
      {"tensor<3xf32>", "%r = chlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>",
       "%r = f32[3]{0} constant({1, 2, 3})"},
      {"tensor<6xf32>",
       "%a = stablehlo.constant dense<6> : tensor<1xi32>\n%r = chlo.dynamic_reshape %x, %a : (tensor<2x3xf32>, "
       "tensor<1xi32>) -> tensor<6xf32>",
       "%r = f32[6]{0} reshape(%x)"},
      {"tensor<3xi32>",
       "%i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>\n%r = chlo.mulhi %i, %i : tensor<3xi32>, "
       "tensor<3xi32> -> tensor<3xi32>",
       "%r = s32[3]{0} mulhi(%i, %i)"},
      {"tensor<3xf32>", "%r = chlo.tan %v : tensor<3xf32> -> tensor<3xf32>", "%r = f32[3]{0} tan(%v)"},
      {"tensor<3xf32>", "%r = chlo.square %v : tensor<3xf32> -> tensor<3xf32>", "%r = f32[3]{0} multiply(%v, %v)"},
      {"tensor<3xi1>", "%r = chlo.is_inf %v : tensor<3xf32> -> tensor<3xi1>",
       "%r.3 = pred[3]{0} compare(%r.2, %r.1), direction=EQ"},
      {"tensor<3xi1>", "%r = chlo.is_neg_inf %v : tensor<3xf32> -> tensor<3xi1>",
       "%r.2 = pred[3]{0} compare(%v, %r.1), direction=EQ"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_atan2 %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} atan2(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_divide %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} divide(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_maximum %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) "
       "-> tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} maximum(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_minimum %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) "
       "-> tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} minimum(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_multiply %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) "
       "-> tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} multiply(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_power %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} power(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_remainder %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) "
       "-> tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} remainder(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_subtract %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) "
       "-> tensor<2x3xf32>",
       "%r.1 = f32[2,3]{1,0} subtract(%x, %r)"},
      {"tensor<3xi32>",
       "%i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>\n%r = chlo.broadcast_and %i, %n : (tensor<3xi32>, "
       "tensor<i32>) -> tensor<3xi32>",
       "%r.1 = s32[3]{0} and(%i, %r)"},
      {"tensor<3xi32>",
       "%i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>\n%r = chlo.broadcast_or %i, %n : (tensor<3xi32>, "
       "tensor<i32>) -> tensor<3xi32>",
       "%r.1 = s32[3]{0} or(%i, %r)"},
      {"tensor<3xi32>",
       "%i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>\n%r = chlo.broadcast_xor %i, %n : (tensor<3xi32>, "
       "tensor<i32>) -> tensor<3xi32>",
       "%r.1 = s32[3]{0} xor(%i, %r)"},
      {"tensor<3xi32>",
       "%i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>\n%r = chlo.broadcast_shift_left %i, %n : "
       "(tensor<3xi32>, tensor<i32>) -> tensor<3xi32>",
       "%r.1 = s32[3]{0} shift-left(%i, %r)"},
      {"tensor<3xi32>",
       "%i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>\n%r = chlo.broadcast_shift_right_arithmetic %i, "
       "%n : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>",
       "%r.1 = s32[3]{0} shift-right-arithmetic(%i, %r)"},
      {"tensor<3xi32>",
       "%i = stablehlo.convert %v : (tensor<3xf32>) -> tensor<3xi32>\n%r = chlo.broadcast_shift_right_logical %i, %n : "
       "(tensor<3xi32>, tensor<i32>) -> tensor<3xi32>",
       "%r.1 = s32[3]{0} shift-right-logical(%i, %r)"},
      {"tensor<2x3xi1>",
       "%r = chlo.broadcast_compare %x, %v {comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x3xf32>, "
       "tensor<3xf32>) -> tensor<2x3xi1>",
       "%r.1 = pred[2,3]{1,0} compare(%x, %r), direction=GT"},
      {"tensor<2x3xcomplex<f32>>",
       "%r = chlo.broadcast_complex %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>",
       "%r.1 = c64[2,3]{1,0} complex(%x, %r)"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_select %p, %x, %v : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
       "%r.2 = f32[2,3]{1,0} select(%r, %x, %r.1)"},
      {"tensor<2x3xf32>", "%r = chlo.broadcast_next_after %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
       "%r.27 = f32[2,3]{1,0} select(%r.26, %r.23, %r.22)"},
      {"tensor<2x3xf32>", "%r = chlo.broadcast_polygamma %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
       "%r.607 = f32[2,3]{1,0} convert(%r.606)"},
      {"tensor<2x3xf32>", "%r = chlo.broadcast_zeta %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
       "%r.235 = f32[2,3]{1,0} convert(%r.234)"},
      {"tensor<6xf32>",
       "%r = \"stablehlo.all_gather\"(%v) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}> : (tensor<3xf32>) -> "
       "tensor<6xf32>",
       "%r = f32[6]{0} all-gather(%v), dimensions={0}, replica_groups={{0,1}}, channel_id=1"},
      {"tensor<3xf32>",
       "%r = \"stablehlo.collective_broadcast\"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : "
       "(tensor<3xf32>) -> tensor<3xf32>",
       "%r = f32[3]{0} collective-broadcast(%v), replica_groups={{0,1}}"},
      {"tensor<3xf32>",
       "%r = \"stablehlo.collective_permute\"(%v) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : "
       "(tensor<3xf32>) -> tensor<3xf32>",
       "%r = f32[3]{0} collective-permute(%v), source_target_pairs={{0,1}}"},
      {"tensor<3xf32>",
       "%w = stablehlo.constant dense<1> : tensor<1xi32>\n%r = \"stablehlo.collective_reduce\"(%v, %w) "
       "<{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> ({\n^bb0(%a: tensor<f32>, %b: "
       "tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : "
       "(tensor<3xf32>, "
       "tensor<1xi32>) -> tensor<3xf32>",
       "%r = f32[3]{0} collective-reduce(%v, %w.1), to_apply=%collective_reduce.computation, replica_groups={{0,1}}, "
       "has_dynamic_root=true"},
      {"tensor<3xf32>",
       "%r = \"stablehlo.cross-replica-sum\"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : "
       "(tensor<3xf32>) -> tensor<3xf32>",
       "%r = f32[3]{0} all-reduce(%v), to_apply=%add.f32, replica_groups={{0,1}}"},
      {"tensor<1x3xf32>",
       "%r = \"stablehlo.reduce_scatter\"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension "
       "= 0 : i64}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : "
       "tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : (tensor<2x3xf32>) -> tensor<1x3xf32>",
       "%r = f32[1,3]{1,0} reduce-scatter(%x), dimensions={0}, to_apply=%reduce_scatter.computation, "
       "replica_groups={{0,1}}"},
      {"tensor<ui32>", "%r = stablehlo.partition_id : tensor<ui32>", "%r = u32[] partition-id()"},
      {"tensor<ui32>", "%r = stablehlo.replica_id : tensor<ui32>", "%r = u32[] replica-id()"},
      {"tensor<3xf32>, !stablehlo.token",
       "%r:2 = \"stablehlo.infeed\"(%t) <{infeed_config = \"z\", layout = [[0]]}> : (!stablehlo.token) -> "
       "(tensor<3xf32>, !stablehlo.token)",
       "%r = (f32[3]{0}, token[]) infeed(%t), infeed_config=\"z\""},
      {"tensor<3xf32>, !stablehlo.token",
       "%r:2 = \"stablehlo.recv\"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, "
       "is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)",
       "%r = (f32[3]{0}, u32[], token[]) recv(%t), channel_id=5, is_host_transfer=true"},
      {"!stablehlo.token",
       "%r = \"stablehlo.send\"(%v, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, "
       "is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token",
       "%r = (f32[3]{0}, u32[], token[]) send(%v, %t), channel_id=5, is_host_transfer=true"},
      {"tensor<3xf32>",
       "%r = sdy.manual_computation(%v) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={\"a\"} (%a: "
       "tensor<3xf32>) {\n%s = stablehlo.negate %a : tensor<3xf32>\nsdy.return %s : tensor<3xf32>\n} : (tensor<3xf32>) "
       "-> tensor<3xf32>",
       "%r.2 = f32[3]{0} custom-call(%r.1), custom_call_target=\"xla.sdy.LocalToGlobalShape\", "
       "custom_call_has_side_effect=true, "
       "frontend_attributes={xla.sdy.manual_axes=\"#sdy<manual_axes{\\\"a\\\"}>\",xla.sdy."
       "out_shardings=\"#sdy.sharding_per_value<[<@m,[{}]>]>\"}"},
      {"tensor<3xf32>",
       "%r = \"sdy.manual_computation\"(%v) <{in_shardings = #sdy.sharding_per_value<[<@m, [{\"a\"}]>]>, manual_axes = "
       "#sdy<manual_axes{\"a\"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{}]>]>}> ({\n^bb0(%a: "
       "tensor<3xf32>):\n%s = stablehlo.negate %a : tensor<3xf32>\n\"sdy.return\"(%s) : (tensor<3xf32>) -> ()\n}) : "
       "(tensor<3xf32>) -> tensor<3xf32>",
       "%r.2 = f32[3]{0} custom-call(%r.1), custom_call_target=\"xla.sdy.LocalToGlobalShape\", "
       "custom_call_has_side_effect=true, "
       "frontend_attributes={xla.sdy.manual_axes=\"#sdy<manual_axes{\\\"a\\\"}>\",xla.sdy."
       "out_shardings=\"#sdy.sharding_per_value<[<@m,[{}]>]>\"}"},
      {"tensor<3xf32>", "%r = sdy.sharding_constraint %v <@m, [{\"a\"}]> : tensor<3xf32>",
       "%r = f32[3]{0} custom-call(%v), custom_call_target=\"Sharding\", frontend_attributes={xla.sdy.sharding=\"#sdy."
       "sharding_per_value<[<@m,[{\\\"a\\\"}]>]>\"}"},
      {"tensor<3xf32>",
       "%r = \"sdy.sharding_constraint\"(%v) <{sharding = #sdy.sharding<@m, [{\"a\"}]>}> : (tensor<3xf32>) -> "
       "tensor<3xf32>",
       "%r = f32[3]{0} custom-call(%v), custom_call_target=\"Sharding\", frontend_attributes={xla.sdy.sharding=\"#sdy."
       "sharding_per_value<[<@m,[{\\\"a\\\"}]>]>\"}"},
      {"tensor<2x3xf32>",
       "%z = stablehlo.constant dense<0.0> : tensor<2xf32>\n%r, %q = chlo.scan(%x) inits(%z) dimension=1 {\n^bb0(%a: "
       "tensor<2xf32>, %b: tensor<2xf32>):\n%s = stablehlo.add %a, %b : tensor<2xf32>\nstablehlo.return %s, %s : "
       "tensor<2xf32>, tensor<2xf32>\n} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)",
       "%r = (f32[2,3]{1,0}, f32[2]{0}) scan(%x, %z.1), dimensions={1}, num_carries=1, to_apply=%scan.computation"},
  };
  for (const Case &test : table) {
    INFO(test.body);
    CHECK_THAT(printed(test.results, test.body), Catch::Contains(std::string(test.root)));
  }
}

}  // namespace bp::import::stablehlo
