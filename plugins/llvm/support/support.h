// What can be compiled, in parts that kernel_problem() (kernel.h) puts together. Everything the emitters rely on is
// checked here, so that no module, however odd, leads them astray: numbers of operands, lengths and ranges of
// attributes, dimensions that must agree. Each function says what is wrong, as the end of a sentence that begins with
// the instruction's name; empty: nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

using Numbers = std::span<const std::int64_t>;

// Different dimensions of an array of this rank.
bool all_below(Numbers dims, std::size_t rank);
bool same_dims(const Shape &a, const Shape &b);

// What is wrong with any instruction: with element types and layouts of operands and results, or with the number of
// results. Some ops want elements in bytes of their own.
std::string types_problem(InstructionView instruction);
std::string packing_problem(InstructionView instruction);
std::string result_count_problem(InstructionView instruction);

// The computation works on scalars alone.
std::string scalar_computation_problem(ComputationView computation, std::size_t parameters, std::size_t roots);
std::string window_problem(Numbers window, std::size_t rank);

// What is wrong with single ops, or a few that are alike. Types and the number of results are checked already.
std::string shape_op_problem(InstructionView instruction);
std::string bitcast_convert_problem(InstructionView instruction);
std::string dynamic_slice_problem(InstructionView instruction);
std::string gather_problem(InstructionView instruction);
std::string map_problem(InstructionView instruction);
std::string reduce_problem(InstructionView instruction);
std::string scatter_problem(InstructionView instruction);
std::string select_and_scatter_problem(InstructionView instruction);
std::string sort_problem(InstructionView instruction);
std::string topk_problem(InstructionView instruction);
std::string fft_problem(InstructionView instruction);
std::string dot_problem(InstructionView instruction);
std::string convolution_problem(InstructionView instruction);

}  // namespace bp::emit
