// These are measurements of `ptxas`, for rows of each function, in vectors of 16 bytes: the short functions of f32 take
// 24 to 44 registers, the long ones 58 to 102, those of f64 and of complex numbers 32 to 90; narrow floats are twice as
// many in a vector, and take twice as much. With 1024 threads each has 64 registers, with 512 there are 128, and with
// 256 each has the maximum that a thread can have.
#include "plugins/nvptx/registers.h"

#include <algorithm>

#include "plugin_api/c/op_facts.h"
#include "plugins/gpu/launch_plan.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::nvptx {
namespace {

using emit::InstructionView;
using gpu::max_threads_per_block;
using gpu::RegisterNeed;

constexpr std::size_t few_results = 4;  // of a reduction, each of which a thread keeps in registers

// Whether the op is a function that needs few registers for f32 and narrower floats.
bool is_short(std::uint16_t op) {
  return op == BP_OP_EXPONENTIAL || op == BP_OP_EXPONENTIAL_MINUS_ONE || op == BP_OP_LOG || op == BP_OP_SQRT ||
         op == BP_OP_RSQRT || op == BP_OP_TANH || op == BP_OP_ERF || op == BP_OP_LOGISTIC;
}

class MeasuredRegisters final : public gpu::RegisterModel {
 public:
  // Sums of 16 words were found to leave enough room for what is read for them, but not sums of 20.
  RegisterNeed of_sums(std::int64_t sum_bits) const override {
    const bool is_large = sum_bits > 16 * 32;
    return {max_threads_per_block / (is_large ? 2 : 1), is_large};
  }
  // Functions that need many registers were found to have enough next to sums of 8 words, but not next to 16.
  RegisterNeed with_sums(const RegisterNeed &need, std::int64_t sum_bits) const override {
    const RegisterNeed sums = of_sums(sum_bits);
    const bool is_too_much = need.fills_multiprocessor && sum_bits > 8 * 32;
    const std::int64_t max_threads = std::min(need.max_threads, sums.max_threads) / (is_too_much ? 2 : 1);
    return {std::max<std::int64_t>(max_threads, max_threads_per_block / 4),
            need.fills_multiprocessor || sums.fills_multiprocessor, need.lowers_occupancy};
  }

 protected:
  RegisterNeed of_one(InstructionView instruction) const override {
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
    if ((bp_op_facts(op)->traits & BP_TRAIT_FUNCTION) == 0 || !emit::is_float(dtype)) {
      return {max_threads_per_block, false};
    }
    const unsigned bits = emit::value_bits(dtype);
    const bool is_large = !is_short(op) || bits > 32;
    return {max_threads_per_block / (is_large ? 2 : 1) / (bits < 32 ? 2 : 1), is_large, true};
  }
};

constexpr MeasuredRegisters model;

}  // namespace

const gpu::RegisterModel &register_model() {
  return model;
}

}  // namespace bp::nvptx
