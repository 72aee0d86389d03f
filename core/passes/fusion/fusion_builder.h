// Builds fusions out of kernels. Each instruction outside fusions is a kernel, and so is each existing fusion.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/pass.h"

namespace bp::passes {

// Whether the shape is one that kernels walk over: a static array in row-major order.
bool has_plain_shape(const ir::Instruction &instruction);

// Whether the instruction is a constant of one element.
bool is_scalar_constant(const ir::Instruction &instruction);

// Whether each kernel that needs the value computes it itself, because that reads less memory than the value takes.
// True for scalar constants, iotas and broadcasts.
bool is_copied_into_users(const ir::Instruction &instruction);

// Returns the array that a kernel reads for an operand: if the operand is copied into the kernel, the array it is
// computed from, or nothing.
std::optional<ir::InstructionId> read_for(const ir::Instruction &operand);

// A fusion to build. `kernels`: instructions of one computation, in program order; existing fusions are replaced by
// their bodies. `results`: arrays that are used outside: kernels, or get-tuple-elements of kernels.
struct FusionPlan {
  std::vector<ir::InstructionId> kernels, results;
  ir::FusionKind kind = ir::FusionKind::Loop;
};
// Whether kernels compute an operand themselves instead of reading it.
using IsCopied = std::function<bool(ir::InstructionId)>;

// Adds the fusion and, if it has several results, its get-tuple-elements at the end of the computation; the kernels are
// not removed. Operands for which `is_copied` holds are copied into it, with their operands in turn, up to a depth of
// 4; all other operands become parameters. Returns the replacement of each result. Name, metadata and source line are
// those of the last result.
std::vector<ir::InstructionId> build_fusion(ir::Module &module, const FusionPlan &plan, const IsCopied &is_copied);

// Builds fusions that share no kernels, replaces their results by them, and removes instructions that are then unused.
// Operands are copied according to is_copied_into_users(). The fusions must not make cycles with each other or with
// other instructions of a computation. Returns whether there were any fusions.
Result<bool> build_fusions(ir::Module &module, std::span<const FusionPlan> plans);

// Replaces fusions by the instructions of their bodies. Returns, by fusion, the instructions added. Names are unique
// afterwards, and the fused computations are removed.
Result<std::vector<std::vector<ir::InstructionId>>> take_apart(ir::Module &module,
                                                               std::span<const ir::InstructionId> fusions);

}  // namespace bp::passes
