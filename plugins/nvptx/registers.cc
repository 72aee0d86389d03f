// What ptxas said of rows of each function, in vectors of 16 bytes: the short ones of f32 take 24 to 44 registers, the
// long ones 58 to 102, those of f64 and of complex numbers 32 to 90; narrow floats are twice as many in a vector, and take
// twice as much. With 1024 threads each has 64 registers, with 512 there are 128, and with 256 all that there can be.
#include "plugins/nvptx/registers.h"

#include <algorithm>

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/nvptx/launch_plan.h"

namespace bp::nvptx {
namespace {

using emit::InstructionView;

constexpr std::size_t few_results = 4;  // of a reduction, each of which a thread has in registers

bool is_function(std::uint16_t op) {
  return (op >= BP_OP_EXPONENTIAL && op <= BP_OP_LOGISTIC) || op == BP_OP_POWER || op == BP_OP_ATAN2 ||
         op == BP_OP_REMAINDER;
}

// Functions of f32 and narrower floats that need few registers.
bool is_short(std::uint16_t op) {
  return op == BP_OP_EXPONENTIAL || op == BP_OP_EXPONENTIAL_MINUS_ONE || op == BP_OP_LOG || op == BP_OP_SQRT ||
         op == BP_OP_RSQRT || op == BP_OP_TANH || op == BP_OP_ERF || op == BP_OP_LOGISTIC;
}

RegisterNeed need_of_one(InstructionView instruction) {
  if (instruction.result_count() == 0) {
    return {max_threads_per_block, false};
  }
  const std::uint16_t op = instruction.op(), dtype = instruction.shape(0).dtype;
  if (op == BP_OP_REDUCE && instruction.result_count() > few_results) {
    return {max_threads_per_block / 4, false};
  }
  if (emit::is_complex(dtype)) {
    return {max_threads_per_block / 2, true};
  }
  if (!is_function(op) || !emit::is_float(dtype)) {
    return {max_threads_per_block, false};
  }
  const unsigned bits = emit::value_bits(dtype);
  const bool is_large = !is_short(op) || bits > 32;
  return {max_threads_per_block / (is_large ? 2 : 1) / (bits < 32 ? 2 : 1), is_large, true};
}

}  // namespace

RegisterNeed register_need(InstructionView instruction) {
  RegisterNeed all = need_of_one(instruction);
  for (std::size_t k = 0; k < instruction.calls().size(); ++k) {
    const emit::ComputationView called = instruction.called(k);
    for (std::uint32_t n = 0; n < called.instruction_count(); ++n) {
      const RegisterNeed one = register_need(instruction.module().instruction(called.first_instruction() + n));
      all = {std::min(all.max_threads, one.max_threads), all.is_large || one.is_large, all.computes || one.computes};
    }
  }
  return all;
}

// Those of 16 words were found to have room beside what is read for them, not those of 20.
RegisterNeed register_need(std::int64_t sum_bits) {
  const bool is_large = sum_bits > 16 * 32;
  return {max_threads_per_block / (is_large ? 2 : 1), is_large};
}

// Beside sums of 8 words, functions that need many found room, not beside 16.
RegisterNeed register_need(const RegisterNeed &need, std::int64_t sum_bits) {
  const RegisterNeed of_sums = register_need(sum_bits);
  const bool is_too_much = need.is_large && sum_bits > 8 * 32;
  const std::int64_t max_threads = std::min(need.max_threads, of_sums.max_threads) / (is_too_much ? 2 : 1);
  return {std::max<std::int64_t>(max_threads, max_threads_per_block / 4), need.is_large || of_sums.is_large,
          need.computes};
}

}  // namespace bp::nvptx
