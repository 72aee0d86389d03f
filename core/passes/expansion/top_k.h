// Sorts of which only the beginning is used, as frameworks write topk.
#pragma once

#include <optional>

#include "core/passes/array_builder.h"

namespace bp::passes {

// Returns whether a comparator puts larger values of the first sorted array first; false if it puts smaller ones first,
// nothing if it compares anything else. needs_total_order: whether it has to order all floats.
std::optional<bool> puts_largest_first(const ir::Computation &comparator, bool needs_total_order);

// Returns whether a computation returns the largest elements along the last dimension of its only operand, and their
// positions (s32), as a stable sort does; false if it returns the smallest ones, nothing if it returns anything else.
std::optional<bool> returns_largest(const ir::Computation &computation);

// Adds a topk of k elements.
ir::InstructionId add_top_k(ArrayBuilder &b, ir::InstructionId operand, std::int64_t k, bool is_largest);

}  // namespace bp::passes
