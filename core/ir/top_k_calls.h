// Custom calls that return the first elements in the order of a comparator, by the names that XLA gives them:
//   TopK: an array, whose first elements along its last dimension are returned with their positions (s32).
//   ApproxTopK: m arrays and m initial values; returns m arrays that are shorter along one dimension.
// Source of the semantics: TopkDecomposer in XLA's topk_rewriter.cc, and approx_topk.h.
#pragma once

#include <optional>

#include "core/ir/module.h"

namespace bp::ir {

// Returns the dimension that such a call shortens; nothing if it is neither of the two, or is not well-formed.
std::optional<std::size_t> top_k_dimension(const Instruction &call);

}  // namespace bp::ir
