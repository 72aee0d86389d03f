// Declarations of the functions that lower operators, from the rows of operators.def.
#pragma once

#include "core/import/onnx/node.h"

namespace bp::import::onnx {

// Lower an operator that applies one opcode to each element; operands are broadcast to each other.
template <Opcode opcode>
Values lower_unary(const Node &node) {
  return {apply(opcode, node.input(0))};
}
template <Opcode opcode>
Values lower_binary(const Node &node) {
  return {apply(opcode, node.input(0), node.input(1))};
}

// Returns numbers that are an attribute in the first versions, and later an input.
Integers listed_numbers(const Node &node, std::int64_t first_with_input, std::string_view attribute, std::size_t input);

// Gives the dimensions of an array from the first one on the sizes of this list that only a run tells.
Array with_sizes(Array x, const SizeIntegers &sizes);

#define BP_ONNX_OPERATOR(name, first, last, function) Values lower_##function(const Node &node);
#define BP_ONNX_DOMAIN(domain, name, first, last, function) Values lower_##function(const Node &node);
#define BP_ONNX_UNARY(name, first, last, opcode)
#define BP_ONNX_BINARY(name, first, last, opcode)
#define BP_ONNX_BOUNDED(name)
#define BP_ONNX_BATCH(name)
#define BP_ONNX_BROADCAST(name)
#include "core/import/onnx/operators.def"

}  // namespace bp::import::onnx
