// Builds fusions out of kernels: instructions that are a kernel each, among them fusions that exist already.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/pass.h"

namespace bp::passes {

// Shapes that kernels walk: arrays of static dimensions in row-major order.
bool has_plain_shape(const ir::Instruction &instruction);

// A constant of one element.
bool is_scalar_constant(const ir::Instruction &instruction);

// Each kernel that needs it computes it for itself: it reads less memory than its value would take. Scalar constants,
// iotas, broadcasts.
bool is_copied_into_users(const ir::Instruction &instruction);

// What a kernel reads for an operand: what its copied operands are made of, or nothing.
std::optional<ir::InstructionId> read_for(const ir::Instruction &operand);

// A fusion to be: `kernels` in program order, instructions of one computation, of which fusions give their bodies, and the
// arrays that others need of them: kernels, or get-tuple-elements of kernels.
struct FusionPlan {
  std::vector<ir::InstructionId> kernels, results;
  ir::FusionKind kind = ir::FusionKind::Loop;
};
// Whether kernels compute an operand themselves instead of reading it.
using IsCopied = std::function<bool(ir::InstructionId)>;

// Adds the fusion and, if there are several results, its get-tuple-elements at the end of the computation; the kernels
// stay. Operands for which `is_copied` holds come along, with what they need in turn, up to a depth of 4; all others
// become parameters. Returns what stands for each result. Name, metadata and source line are those of the last result.
std::vector<ir::InstructionId> build_fusion(ir::Module &module, const FusionPlan &plan, const IsCopied &is_copied);

// Builds fusions that share no kernels, puts them in the place of their results, and removes what nobody uses then; what
// is_copied_into_users() comes along. Between them and the other instructions of a computation there must be no cycles.
// Returns whether there were any.
Result<bool> build_fusions(ir::Module &module, std::span<const FusionPlan> plans);

// Puts the instructions of fusions' bodies in their place. Returns by fusion the instructions that were added. Names are
// unique; the fused computations are gone.
Result<std::vector<std::vector<ir::InstructionId>>> take_apart(ir::Module &module,
                                                               std::span<const ir::InstructionId> fusions);

}  // namespace bp::passes
