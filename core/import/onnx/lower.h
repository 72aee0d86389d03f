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

#define BP_ONNX_OPERATOR(name, first, last, function) Values lower_##function(const Node &node);
#define BP_ONNX_TRAINING(name, first, last, function) Values lower_##function(const Node &node);
#define BP_ONNX_UNARY(name, first, last, opcode)
#define BP_ONNX_BINARY(name, first, last, opcode)
#include "core/import/onnx/operators.def"

}  // namespace bp::import::onnx
