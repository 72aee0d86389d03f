// Elementwise ops on values in registers: scalars or vectors, in compute types (element_type.h).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <span>
#include <string>

#include "plugins/llvm/module_view.h"

namespace bp::emit {

bool is_elementwise(std::uint16_t op);
// Returns why emit_elementwise cannot compile this instruction; empty if it can. Only for elementwise ops.
std::string elementwise_problem(InstructionView instruction);

// Emits an elementwise op. Operands are all scalars or all vectors of the same number of lanes. The insertion point may
// move to a new block.
llvm::Value *emit_elementwise(llvm::IRBuilderBase &builder, InstructionView instruction,
                              std::span<llvm::Value *const> operands);

// Returns a number that is not complex as an unsigned integer in the same order; that of floats is the total order.
llvm::Value *order_bits(llvm::IRBuilderBase &builder, std::uint16_t dtype, llvm::Value *value);

// Emits one binary op, given by its number, as reductions use it.
llvm::Value *emit_binary(llvm::IRBuilderBase &builder, std::uint16_t op, std::uint16_t dtype, llvm::Value *x,
                         llvm::Value *y);

}  // namespace bp::emit
