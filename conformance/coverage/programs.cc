#include "conformance/coverage/programs.h"

#include <fmt/format.h>
#include <boost/algorithm/string.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace bp::coverage {
namespace {

using ir::ElementType;
using ir::Opcode;

// Placeholders in all texts:
//   $   the element type      $P  type of the parts of a complex type, otherwise the element type itself
//   $C  the complex type with parts of that type      $U  the unsigned type of the same width
//   $1  a number
//   %n  the size, %2n twice that, %n+3 and %2n+2 more than that
//
// A program of one instruction, with a parameter for each operand.
struct Form {
  Opcode opcode;
  std::string_view operands, result, attributes = {};
  std::string_view types = {};  // the element types that have this form, which is an extreme one; empty: all
};
// Types for which loops over indices and positions differ.
constexpr std::string_view some_types = "pred s8 s32 bf16 f32";
constexpr Form forms[] = {
    {Opcode::Abs, "$[%n]", "$P[%n]"},
    {Opcode::Real, "$[%n]", "$P[%n]"},
    {Opcode::Imag, "$[%n]", "$P[%n]"},
    {Opcode::IsFinite, "$[%n]", "pred[%n]"},
    {Opcode::ReducePrecision, "$[%n]", "$[%n]", "exponent_bits=3, mantissa_bits=1"},
    {Opcode::Compare, "$[%n] $[%n]", "pred[%n]", "direction=EQ"},
    {Opcode::Compare, "$[%n] $[%n]", "pred[%n]", "direction=LT"},
    {Opcode::Compare, "$[%n] $[%n]", "pred[%n]", "direction=LT, type=TOTALORDER"},
    {Opcode::Complex, "$[%n] $[%n]", "$C[%n]"},
    {Opcode::StochasticConvert, "$[%n] $U[%n]", "s8[%n]"},
    {Opcode::Select, "pred[%n] $[%n] $[%n]", "$[%n]"},
    {Opcode::Select, "pred[] $[%n] $[%n]", "$[%n]"},
    {Opcode::Clamp, "$[%n] $[%n] $[%n]", "$[%n]"},
    {Opcode::Clamp, "$[] $[%n] $[]", "$[%n]"},
    {Opcode::Broadcast, "$[%n]", "$[%n,3]", "dimensions={0}"},
    {Opcode::Broadcast, "$[]", "$[%n]", "dimensions={}"},
    {Opcode::Iota, "", "$[%n]", "iota_dimension=0"},
    {Opcode::Reshape, "$[%2n]", "$[2,%n]"},
    {Opcode::Reshape, "$[2,%n]", "$[%2n]"},
    {Opcode::Reshape, "$[2,140003]{0,1}", "$[280006]", "", some_types},
    {Opcode::Bitcast, "$[%2n]", "$[2,%n]"},
    {Opcode::Transpose, "$[%n,3]", "$[3,%n]", "dimensions={1,0}"},
    {Opcode::Reverse, "$[%n]", "$[%n]", "dimensions={0}"},
    {Opcode::Slice, "$[%n+4]", "$[%n]", "slice={[1:%n+1]}"},
    {Opcode::Slice, "$[%2n]", "$[%n]", "slice={[0:%2n:2]}"},
    {Opcode::DynamicSlice, "$[%n+3] s32[]", "$[%n]", "dynamic_slice_sizes={%n}"},
    {Opcode::DynamicUpdateSlice, "$[%n+3] $[%n] s32[]", "$[%n+3]"},
    {Opcode::Concatenate, "$[%n] $[3]", "$[%n+3]", "dimensions={0}"},
    {Opcode::Pad, "$[%n] $[]", "$[%2n+2]", "padding=1_2_1"},
    // Small results at positions for which 32 bits are too few.
    {Opcode::Pad, "$[41] $[]", "$[40]", "padding=-4294967296_15_107374182", some_types},
    {Opcode::Pad, "$[41] $[]", "$[40]", "padding=19_-2147483700_53687092", some_types},
    {Opcode::Gather, "$[4,3] s32[%n]", "$[%n,3]",
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"},
    {Opcode::Scatter, "$[4,3] s32[%n] $[%n,3]", "$[4,3]",
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=sum"},
    {Opcode::Scatter, "$[4,3] s32[%n] $[%n,3]", "$[4,3]",
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=largest"},
    {Opcode::Scatter, "$[4,3] s32[%n] $[%n,3]", "$[4,3]",
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=smallest"},
    // Indices that would be negative if they had a sign.
    {Opcode::DynamicSlice, "$[251] u8[]", "$[5]", "dynamic_slice_sizes={5}", some_types},
    {Opcode::DynamicSlice, "$[40000] u16[]", "$[5]", "dynamic_slice_sizes={5}", some_types},
    {Opcode::DynamicSlice, "$[251] u32[]", "$[5]", "dynamic_slice_sizes={5}", some_types},
    {Opcode::DynamicSlice, "$[251] u64[]", "$[5]", "dynamic_slice_sizes={5}", some_types},
    {Opcode::DynamicUpdateSlice, "$[251] $[5] u8[]", "$[251]", "", some_types},
    {Opcode::DynamicUpdateSlice, "$[40000] $[5] u16[]", "$[40000]", "", some_types},
    {Opcode::DynamicUpdateSlice, "$[251] $[5] u32[]", "$[251]", "", some_types},
    {Opcode::DynamicUpdateSlice, "$[251] $[5] u64[]", "$[251]", "", some_types},
    {Opcode::Gather, "$[40000] u16[%n]", "$[%n]",
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}", some_types},
    {Opcode::Scatter, "$[40000] u16[%n] $[%n]", "$[40000]",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=sum",
     some_types},
    {Opcode::Gather, "$[251] u8[%n]", "$[%n]",
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}", some_types},
    {Opcode::Scatter, "$[251] u8[%n] $[%n]", "$[251]",
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=sum",
     some_types},
    {Opcode::Sort, "$[%n]", "$[%n]", "dimensions={0}, is_stable=true, to_apply=less"},
    {Opcode::Sort, "$[%n] s32[%n]", "($[%n], s32[%n])", "dimensions={0}, is_stable=true, to_apply=less_by_first"},
    {Opcode::TopK, "$[2,%n+3]", "($[2,3], s32[2,3])", "k=3"},
    {Opcode::TopK, "$[66001]", "($[3], s32[3])", "k=3", "f32"},
    {Opcode::Tuple, "$[%n] $[2]", "($[%n], $[2])"},
    {Opcode::GetDimensionSize, "$[%n]", "s32[]", "dimensions={0}"},
    {Opcode::Shuffle, "$[%n]", "$[%n]", "dimensions={0}, mode=rotate, shifts={1}"},
    {Opcode::Reduce, "$[2,%n] $[]", "$[2]", "dimensions={1}, to_apply=sum"},
    {Opcode::Reduce, "$[%n,3] $[]", "$[3]", "dimensions={0}, to_apply=sum"},
    {Opcode::Reduce, "$[%n] $[]", "$[]", "dimensions={0}, to_apply=largest"},
    {Opcode::Reduce, "$[%n] $[]", "$[]", "dimensions={0}, to_apply=smallest"},
    {Opcode::ReduceWindow, "$[%n+2] $[]", "$[%n]", "window={size=3}, to_apply=sum"},
    {Opcode::ReduceWindow, "$[%n] $[]", "$[%n]", "window={size=3 pad=1_1}, to_apply=largest"},
    {Opcode::ReduceWindow, "$[41] $[]", "$[40]",
     "window={size=5 rhs_dilate=1073741824 lhs_dilate=107374183 pad=0_15}, to_apply=sum", some_types},
    // Functions in which the order counts, on arrays that begin or end at each element.
    {Opcode::ReduceWindow, "$[67] $[67] $[] $[]", "($[67], $[67])", "window={size=67 pad=0_66}, to_apply=compose",
     "s8 s32 u16"},
    {Opcode::ReduceWindow, "$[67] $[67] $[] $[]", "($[67], $[67])", "window={size=67 pad=66_0}, to_apply=compose",
     "s8 s32 u16"},
    {Opcode::Reduce, "$[3,67] $[3,67] $[] $[]", "($[3], $[3])", "dimensions={1}, to_apply=compose", "s8 s32 u16"},
    // Sums up to each element of long lines, from either end.
    {Opcode::ReduceWindow, "$[3,5003] $[]", "$[3,5003]", "window={size=1x5003 pad=0_0x5002_0}, to_apply=sum",
     "s32 f32"},
    {Opcode::ReduceWindow, "$[3,5003] $[]", "$[3,5003]", "window={size=1x5003 pad=0_0x0_5002}, to_apply=sum",
     "s32 f32"},
    // Dimensions that are in another order in memory, or far apart, and parts that are combined at the end.
    {Opcode::Reduce, "$[3,67]{0,1} $[3,67]{0,1} $[] $[]", "($[], $[])", "dimensions={0,1}, to_apply=compose",
     "s8 s32 u16"},
    {Opcode::Reduce, "$[41,5,67]{0,2,1} $[41,5,67]{0,2,1} $[] $[]", "($[5], $[5])",
     "dimensions={0,2}, to_apply=compose", "s8 s32 u16"},
    {Opcode::Reduce, "$[3,51,37] $[3,51,37] $[] $[]", "($[37], $[37])", "dimensions={0,1}, to_apply=compose",
     "s8 s32 u16"},
    {Opcode::Reduce, "$[2,4099,3] $[2,4099,3] $[] $[]", "($[3], $[3])", "dimensions={0,1}, to_apply=compose",
     "s8 s32 u16"},
    {Opcode::Reduce, "$[3,40009] $[3,40009] $[] $[]", "($[], $[])", "dimensions={0,1}, to_apply=compose", "s8 s32 u16"},
    {Opcode::SelectAndScatter, "$[%2n] $[%n] $[]", "$[%2n]", "window={size=2 stride=2}, select=not_less, scatter=sum"},
    {Opcode::Map, "$[%n] $[%n]", "$[%n]", "dimensions={0}, to_apply=sum"},
    {Opcode::Scan, "$[%n] $[]", "($[%n], $[])", "dimensions={0}, num_carries=1, to_apply=step"},
    {Opcode::BatchNormTraining, "$[%n,2] $[2] $[2]", "($[%n,2], $[2], $[2])", "epsilon=0.25, feature_index=1"},
    {Opcode::BatchNormInference, "$[%n,2] $[2] $[2] $[2] $[2]", "$[%n,2]", "epsilon=0.25, feature_index=1"},
    {Opcode::BatchNormGrad, "$[%n,2] $[2] $[2] $[2] $[%n,2]", "($[%n,2], $[2], $[2])", "epsilon=0.25, feature_index=1"},
    {Opcode::Dot, "$[2,%n] $[%n,4]", "$[2,4]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {Opcode::Dot, "$[2,%n,3] $[2,3]", "$[2,%n]",
     "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
    {Opcode::Dot, "$[24,32] $[32,40]", "$W[24,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {Opcode::Dot, "$[131,%n] $[%n,67]", "$[131,67]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {Opcode::Dot, "$[1,%n] $[%n,5]", "$[1,5]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {Opcode::Dot, "$[7,65,129] $[7,70,129]", "$[65,70]", "lhs_contracting_dims={0,2}, rhs_contracting_dims={0,2}",
     "s32 bf16 f32"},
    {Opcode::Dot, "$[33,3,515] $[3,34,515]", "$[33,34]", "lhs_contracting_dims={1,2}, rhs_contracting_dims={0,2}",
     "s32 bf16 f32"},
    {Opcode::Dot, "$[515,3,33] $[34,515,3]", "$[33,34]", "lhs_contracting_dims={1,0}, rhs_contracting_dims={2,1}",
     "s32 bf16 f32"},
    {Opcode::Dot, "$[3,9,2,515] $[515,2,3,8]", "$[9,8]", "lhs_contracting_dims={0,2,3}, rhs_contracting_dims={2,1,0}",
     "s32 bf16 f32"},
    {Opcode::ScaledDot, "$[2,%2n] $[3,%2n] f8e8m0fnu[2,%n] f8e8m0fnu[3,%n]", "f32[2,3]",
     "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {Opcode::Convolution, "$[1,%n+1,4,2] $[2,2,2,3]", "$[1,%n,3,3]", "window={size=2x2}, dim_labels=b01f_01io->b01f"},
    {Opcode::Convolution, "$[1,41,3] $[5,3,4]", "$[1,40,4]",
     "window={size=5 rhs_dilate=1073741824 lhs_dilate=107374183 pad=0_15}, dim_labels=b0f_0io->b0f", some_types},
    {Opcode::Conditional, "pred[] $[%n] $[%n]", "$[%n]", "true_computation=twice, false_computation=same"},
    {Opcode::Conditional, "s32[] $[%n] $[%n] $[%n]", "$[%n]", "branch_computations={twice, same, same}"},
    {Opcode::Call, "$[%n]", "$[%n]", "to_apply=twice"},
    {Opcode::Fusion, "$[%n]", "$[%n]", "kind=kLoop, calls=twice"},
    {Opcode::CustomCall, "$[%n]", "$[%n]", "custom_call_target=\"interpreter.probe\""},
    {Opcode::OptimizationBarrier, "$[%n]", "$[%n]"},
    {Opcode::AfterAll, "", "token[]"},
    {Opcode::Domain, "$[%n]", "$[%n]", "domain={kind=\"sharding\", entry={maximal device=0}, exit={maximal device=1}}"},
    {Opcode::Rng, "$[] $[]", "$[%n]", "distribution=rng_uniform"},
    {Opcode::Rng, "$[] $[]", "$[%n]", "distribution=rng_normal"},
    {Opcode::RngBitGenerator, "u64[2]", "(u64[2], $[%n])", "algorithm=rng_three_fry"},
    {Opcode::RngBitGenerator, "u64[3]", "(u64[3], $[%n])", "algorithm=rng_philox"},
    {Opcode::RngGetAndUpdateState, "", "u64[2]", "delta=1"},
    {Opcode::Fft, "$[%n,8]", "$[%n,8]", "fft_type=FFT, fft_length={8}"},
    {Opcode::Fft, "$[%n,8]", "$[%n,8]", "fft_type=IFFT, fft_length={8}"},
    {Opcode::Fft, "$[%n,9]", "$[%n,9]", "fft_type=IFFT, fft_length={9}"},
    {Opcode::Fft, "$[%n,8]", "$C[%n,5]", "fft_type=RFFT, fft_length={8}"},
    {Opcode::Fft, "$[%n,5]", "$P[%n,8]", "fft_type=IRFFT, fft_length={8}"},
    {Opcode::Fft, "$[%n,5]", "$P[%n,9]", "fft_type=IRFFT, fft_length={9}"},
    {Opcode::TriangularSolve, "$[3,3] $[3,%n]", "$[3,%n]",
     "left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE"},
    {Opcode::AllGather, "$[%n]", "$[%n]", "dimensions={0}, replica_groups={{0}}"},
    {Opcode::AllReduce, "$[%n]", "$[%n]", "replica_groups={{0}}, to_apply=sum"},
    {Opcode::ReduceScatter, "$[%n]", "$[%n]", "dimensions={0}, replica_groups={{0}}, to_apply=sum"},
    {Opcode::AllToAll, "$[%n]", "$[%n]", "dimensions={0}, replica_groups={{0}}"},
    {Opcode::CollectiveBroadcast, "$[%n]", "$[%n]", "replica_groups={{0}}"},
    {Opcode::CollectivePermute, "$[%n]", "$[%n]", "source_target_pairs={{0,0}}"},
    {Opcode::CollectivePermute, "$[%n]", "$[%n]", "source_target_pairs={}"},
    {Opcode::CollectiveReduce, "$[%n]", "$[%n]", "replica_groups={{0}}, to_apply=sum"},
    {Opcode::ReplicaId, "", "u32[]"},
    {Opcode::PartitionId, "", "u32[]"},
};

// Bodies of the entry computation, for ops whose programs need more than parameters and one instruction. Several ops
// may share one.
struct Body {
  std::vector<Opcode> opcodes;
  std::string_view text;
};
const std::vector<Body> &bodies() {
  static const std::vector<Body> all = {
      {{Opcode::AddDependency}, "x = $[%n] parameter(0)  t = token[] after-all()  ROOT r = $[%n] add-dependency(x, t)"},
      {{Opcode::Parameter}, "ROOT x = $[%n] parameter(0)"},
      {{Opcode::Constant}, "ROOT c = $[3] constant({$1, $1, $1})"},
      {{Opcode::GetTupleElement}, "t = ($[%n], s32[]) parameter(0)  ROOT r = $[%n] get-tuple-element(t), index=0"},
      {{Opcode::DynamicReshape, Opcode::SetDimensionSize, Opcode::GetDimensionSize},
       "x = $[6] parameter(0)  z = $[] parameter(1)  n = s32[] constant(4)  "
       "d = $[<=6] set-dimension-size(x, n), dimensions={0}  s = s32[] get-dimension-size(d), dimensions={0}  "
       "e = $[<=6] dynamic-reshape(d, s)  ROOT r = $[] reduce(e, z), dimensions={0}, to_apply=sum"},
      {{Opcode::Shuffle},
       "x = $[3] parameter(0)  ROOT r = $[3] shuffle(x), dimensions={0}, mode=permute, indices={2,0,1}"},
      {{Opcode::RaggedDot},
       "x = $[5,3] parameter(0)  y = $[2,3,4] parameter(1)  n = s32[2] constant({2, 3})  ROOT r = $[5,4] "
       "ragged-dot(x, y, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
       "rhs_group_dims={0}"},
      {{Opcode::While},
       "n = s32[] constant(0)  x = $[%n] parameter(0)  t = (s32[], $[%n]) tuple(n, x)  "
       "ROOT r = (s32[], $[%n]) while(t), condition=below_three, body=twice_each"},
      {{Opcode::Cholesky},
       "c = f32[2,2] constant({{4, 1}, {1, 3}})  x = $[2,2] convert(c)  ROOT r = $[2,2] cholesky(x), lower=true"},
      {{Opcode::RaggedAllToAll},
       "x = $[5] parameter(0)  y = $[5] parameter(1)  from = s32[1] constant({1})  size = s32[1] constant({2})  "
       "ROOT r = $[5] ragged-all-to-all(x, y, from, size, from, size), replica_groups={{0}}"},
      {{Opcode::AllGatherStart, Opcode::AllGatherDone},
       "x = $[%n] parameter(0)  s = ($[%n], $[%n]) all-gather-start(x), dimensions={0}, replica_groups={{0}}  "
       "ROOT r = $[%n] all-gather-done(s)"},
      {{Opcode::AllReduceStart, Opcode::AllReduceDone},
       "x = $[%n] parameter(0)  s = $[%n] all-reduce-start(x), replica_groups={{0}}, to_apply=sum  "
       "ROOT r = $[%n] all-reduce-done(s)"},
      {{Opcode::CollectivePermuteStart, Opcode::CollectivePermuteDone},
       "x = $[%n] parameter(0)  s = ($[%n], $[%n], u32[], u32[]) collective-permute-start(x), "
       "source_target_pairs={{0,0}}  ROOT r = $[%n] collective-permute-done(s)"},
      {{Opcode::AsyncStart, Opcode::AsyncUpdate, Opcode::AsyncDone},
       "x = $[%n] parameter(0)  s = (($[%n]), $[%n], u32[]) async-start(x), calls=twice  "
       "u = (($[%n]), $[%n], u32[]) async-update(s)  ROOT r = $[%n] async-done(u)"},
      {{Opcode::CopyStart, Opcode::CopyDone},
       "x = $[%n] parameter(0)  s = ($[%n], $[%n], u32[]) copy-start(x)  ROOT r = $[%n] copy-done(s)"},
      {{Opcode::Send, Opcode::SendDone},
       "x = $[%n] parameter(0)  t = token[] after-all()  s = ($[%n], u32[], token[]) send(x, t), channel_id=1  "
       "ROOT r = token[] send-done(s), channel_id=1"},
      {{Opcode::Recv, Opcode::RecvDone},
       "t = token[] after-all()  s = ($[%n], u32[], token[]) recv(t), channel_id=1  "
       "ROOT r = ($[%n], token[]) recv-done(s), channel_id=1"},
      {{Opcode::Infeed}, "t = token[] after-all()  ROOT r = ($[%n], token[]) infeed(t)"},
      {{Opcode::Outfeed},
       "x = $[%n] parameter(0)  t = token[] after-all()  ROOT r = token[] outfeed(x, t), outfeed_shape=$[%n]"},
  };
  return all;
}

// The computations that attributes refer to, each after those that it calls; complex numbers are compared by their real
// parts, and have no maximum.
constexpr std::string_view computations[] = {
    R"(sum { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] add(a, b) }
)",
    R"(largest { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] &(a, b) }
)",
    R"(smallest { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] ~(a, b) }
)",
    R"(less { a = $[] parameter(0)  b = $[] parameter(1)  @  ROOT r = pred[] compare(x, y), direction=LT }
)",
    R"(less_by_first {
  a = $[] parameter(0)  b = $[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)  @
  ROOT r = pred[] compare(x, y), direction=LT
}
)",
    R"(not_less { a = $[] parameter(0)  b = $[] parameter(1)  @  ROOT r = pred[] compare(x, y), direction=GE }
)",
    // The function x -> (2a + 1)x + b of (2c + 1)x + d. Odd factors lose no bit, however many there are.
    R"(compose {
  a = $[] parameter(0)  b = $[] parameter(1)  c = $[] parameter(2)  d = $[] parameter(3)
  e = $[] multiply(a, c)  f = $[] add(e, e)  g = $[] add(a, c)  h = $[] add(f, g)
  i = $[] multiply(a, d)  j = $[] add(i, i)  k = $[] add(j, d)  l = $[] add(k, b)  ROOT r = ($[], $[]) tuple(h, l)
}
)",
    R"(step { x = $[] parameter(0)  y = $[] parameter(1)  s = $[] add(x, y)  ROOT r = ($[], $[]) tuple(s, s) }
)",
    R"(twice { x = $[%n] parameter(0)  ROOT r = $[%n] add(x, x) }
)",
    R"(same { ROOT x = $[%n] parameter(0) }
)",
    R"(below_three {
  t = (s32[], $[%n]) parameter(0)  n = s32[] get-tuple-element(t), index=0  m = s32[] constant(3)
  ROOT r = pred[] compare(n, m), direction=LT
}
)",
    R"(twice_each {
  t = (s32[], $[%n]) parameter(0)  n = s32[] get-tuple-element(t), index=0  x = $[%n] get-tuple-element(t), index=1
  one = s32[] constant(1)  m = s32[] add(n, one)  y = $[%n] add(x, x)  ROOT r = (s32[], $[%n]) tuple(m, y)
}
)"};
constexpr std::string_view compared = "x = $[] copy(a)  y = $[] copy(b)";
constexpr std::string_view compared_complex = "x = $P[] real(a)  y = $P[] real(b)";

bool mentions(std::string_view text, std::string_view word) {
  const auto is_of_name = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_of_name(at - 1)) && !is_of_name(at + word.size())) {
      return true;
    }
  }
  return false;
}

// Returns the program with this entry computation and those that it calls, so that nothing else is in a message.
std::string with_computations(std::string program) {
  for (auto one = std::rbegin(computations); one != std::rend(computations); ++one) {
    if (mentions(program, one->substr(0, one->find(' ')))) {
      program.insert(0, *one);
    }
  }
  return program;
}

std::string_view unsigned_type(ElementType type) {
  for (const ir::ElementTypeInfo &row : ir::element_types()) {
    if (ir::is_unsigned(row.type) && row.bits == ir::bit_width(type)) {
      return row.text;
    }
  }
  return "u8";  // the verifier rejects it with a type of another width
}

// Returns the type in which products of narrow numbers are usually added.
ElementType type_of_sums(ElementType type) {
  switch (type) {
    case ElementType::S8: return ElementType::S32;
    case ElementType::U8: return ElementType::U32;
    case ElementType::BF16:
    case ElementType::F16: return ElementType::F32;
    default: return type;
  }
}

std::string for_type(std::string text, ElementType type) {
  const ElementType part = ir::is_complex(type) ? ir::real_part_type(type) : type;
  boost::replace_all(text, "@", ir::is_complex(type) ? compared_complex : compared);
  boost::replace_all(text, "&", ir::is_complex(type) ? "add" : "maximum");
  boost::replace_all(text, "~", ir::is_complex(type) ? "add" : "minimum");
  boost::replace_all(text, "$P", ir::to_string(part));
  boost::replace_all(text, "$C", part == ElementType::F64 ? "c128" : "c64");
  boost::replace_all(text, "$U", unsigned_type(type));
  boost::replace_all(text, "$W", ir::to_string(type_of_sums(type)));
  boost::replace_all(text, "$1", ir::is_complex(type) ? "(1, 2)" : type == ElementType::S1 ? "-1" : "1");
  boost::replace_all(text, "$", ir::to_string(type));
  return text;
}

std::string body_of(const Form &form) {
  std::string text, names;
  std::vector<std::string> operands;
  if (!form.operands.empty()) {
    boost::split(operands, form.operands, boost::is_any_of(" "));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += fmt::format("p{} = {} parameter({})  ", i, operands[i], i);
    names += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
  }
  return text + fmt::format("ROOT r = {} {}({}){}{}", form.result, ir::to_string(form.opcode), names,
                            form.attributes.empty() ? "" : ", ", form.attributes);
}

// Conversions to every type; of bits, to every type of the same width, and between bytes and the parts of bytes.
std::vector<Program> conversions(Opcode opcode, ElementType from) {
  std::vector<Program> bodies;
  const auto add = [&](const ir::ElementTypeInfo &to, std::string_view operand_sizes, std::string_view result_sizes) {
    bodies.push_back({.variant = std::string(to.text),
                      .text = fmt::format("x = ${} parameter(0)  ROOT r = {}{} {}(x)", operand_sizes, to.text,
                                          result_sizes, ir::to_string(opcode)),
                      .is_extreme = operand_sizes != result_sizes});
  };
  for (const ir::ElementTypeInfo &to : ir::element_types()) {
    const int bits = ir::bit_width(from);
    if (ir::is_opaque(to.type)) {
      continue;
    }
    if (opcode == Opcode::Convert || to.bits == bits) {
      add(to, "[%n]", "[%n]");
    } else if (from == ElementType::U8 && to.bits < 8 && 8 % to.bits == 0) {
      add(to, "[%n]", fmt::format("[%n,{}]", 8 / to.bits));
    } else if (to.type == ElementType::U8 && bits < 8 && 8 % bits == 0) {
      add(to, fmt::format("[%n,{}]", 8 / bits), "[%n]");
    }
  }
  return bodies;
}

// Returns the entry computations of an op, still with $ and %.
std::vector<Program> entries(Opcode opcode, ElementType type) {
  if (opcode == Opcode::Convert || opcode == Opcode::BitcastConvert) {
    return conversions(opcode, type);
  }
  std::vector<Program> result;
  const auto add = [&](std::string text, bool is_extreme = false) {
    result.push_back({.variant = result.empty() ? "" : std::to_string(result.size() + 1),
                      .text = std::move(text),
                      .is_extreme = is_extreme});
  };
  for (const Form &form : forms) {
    if (form.opcode == opcode && (form.types.empty() || mentions(form.types, ir::to_string(type)))) {
      add(body_of(form), !form.types.empty());
    }
  }
  for (const Body &body : bodies()) {
    if (std::ranges::find(body.opcodes, opcode) != body.opcodes.end()) {
      add(std::string(body.text));
    }
  }
  const ir::OpInfo &op = ir::info(opcode);
  if (result.empty() && op.has(ir::Trait::Elementwise)) {
    std::string operands = "$[%n]";
    for (int i = 1; i < op.min_operands; ++i) {
      operands += " $[%n]";
    }
    add(body_of({opcode, operands, "$[%n]"}));
  }
  return result;
}

// Replaces % by numbers. Returns false if this text cannot have such a size.
bool put_sizes(std::string &text, const Size &size) {
  if (size.rank != 1) {
    boost::replace_all(text, "[%n]", size.rank == 0 ? "[]" : fmt::format("[3,{}]", size.n));
    return text.find('%') == std::string::npos;
  }
  for (std::size_t at; (at = text.find('%')) != std::string::npos;) {
    std::size_t end = at + 1;
    std::int64_t value = size.n;
    if (text[end] == '2') {
      value *= 2;
      ++end;
    }
    ++end;  // skips the n
    if (text[end] == '+') {
      value += text[end + 1] - '0';
      end += 2;
    }
    text.replace(at, end - at, std::to_string(value));
  }
  return true;
}

}  // namespace

std::vector<Program> programs(Opcode opcode, ElementType type, const Size &size) {
  std::vector<Program> result;
  for (const Program &one : entries(opcode, type)) {
    const std::string &entry = one.text;
    std::string text = with_computations("ENTRY main { " + entry + " }\n");
    const bool has_size = entry.find('%') != std::string::npos;
    if (put_sizes(text, has_size ? size : Size())) {
      result.push_back({one.variant, for_type(std::move(text), type), has_size, one.is_extreme});
    }
  }
  return result;
}

bool is_typeless(Opcode opcode) {
  return std::ranges::all_of(entries(opcode, ElementType::F32),
                             [](const Program &entry) { return entry.text.find('$') == std::string::npos; });
}

bool is_random(Opcode opcode) {
  return opcode == Opcode::Rng || opcode == Opcode::RngGetAndUpdateState;
}

}  // namespace bp::coverage
