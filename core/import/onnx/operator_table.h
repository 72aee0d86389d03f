// The table of operators (operators.def), and the functions that lower them.
#pragma once

#include <span>
#include <string_view>

#include "core/import/onnx/node.h"

namespace bp::import::onnx {

// Lowers a node; returns its outputs, in order. Errors are kept by the builder. The semantics are those that
// https://onnx.ai/onnx/operators says of the version of the node's operator.
using LowerNode = Values (*)(const Node &node);

struct Operator {
  std::string_view domain, name;
  std::int64_t first_version, last_version;  // of the operators' versions for which the row holds
  LowerNode lower;
};

constexpr std::int64_t newest_known_set = 28;  // of ai.onnx: the table was made for it

std::span<const Operator> all_operators();
// Returns the row of an operator in a version; nullptr if there is none.
const Operator *find_operator(std::string_view domain, std::string_view name, std::int64_t version);

// Whether an operator takes inputs whose sizes only a run tells, as they are.
bool takes_bounded_sizes(const Operator &row, const Values &inputs);
// Whether an operator computes the elements of dimension 0 of the first input by themselves.
bool takes_bounded_batch(const Operator &row);
// Whether an operator broadcasts its inputs to each other, as in NumPy.
bool broadcasts_inputs(const Operator &row, std::int64_t version);

}  // namespace bp::import::onnx
