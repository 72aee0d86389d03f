// Checks of what can be compiled, in parts that kernel_problem() (kernel.h) combines. Everything on which the emitters
// rely is checked here, so that no module, however unusual, makes them fail: numbers of operands, lengths and ranges of
// attributes, dimensions that must agree. Each function returns what is wrong, as the end of a sentence that begins
// with the instruction's name; empty if nothing is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

using Numbers = std::span<const std::int64_t>;

// Whether `dims` are different dimensions of an array of this rank.
bool all_below(Numbers dims, std::size_t rank);
bool same_dims(const Shape &a, const Shape &b);

// Problems of any instruction: element types and layouts of operands and results; elements that share a byte, which
// some ops do not accept; the number of results.
std::string types_problem(InstructionView instruction);
std::string packing_problem(InstructionView instruction);
std::string result_count_problem(InstructionView instruction);

// Checks that the computation works on scalars only.
std::string scalar_computation_problem(ComputationView computation, std::size_t parameters, std::size_t roots);
std::string window_problem(Numbers window, std::size_t rank);

// Problems of single ops, or of a few similar ones. Require that types and the number of results have been checked.
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
