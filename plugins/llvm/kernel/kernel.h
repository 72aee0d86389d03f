// The code of one instruction: the loops that compute its results in memory from its operands in memory. Control flow
// is in program.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugins/llvm/contraction/gpu/shape.h"
#include "plugins/llvm/generator/index.h"
#include "plugins/llvm/generator/kernel_site.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/kernel/row_fusion.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// Returns why no code can be generated for an instruction, which is well-typed; empty if it can. Depends only on the
// instruction, its shapes, the computations it calls, and whether the target is threaded. If empty, the instruction can
// be emitted. Control flow is accepted; its callees are not checked.
std::string kernel_problem(InstructionView instruction, const VectorTarget &target);

// Whether the op does nothing at run time unless operand and result are in different memory; then the bytes are copied.
bool is_forwarding(std::uint16_t op);
bool is_control_flow(std::uint16_t op);
// Whether the instruction reads and writes arrays itself instead of element by element through a Generator.
bool has_memory_kernel(InstructionView instruction);
// Returns the instruction if it is a scatter, or the scatter in which a fusion of one result ends.
std::optional<InstructionView> scatter_in(InstructionView instruction);
// Returns the operand with the initial value of result i of such an instruction.
std::size_t scattered_operand(InstructionView instruction, std::size_t i);

// Work that a team does better than threads by themselves: the rows or columns of an instruction, tiles of an
// instruction with crossing operands (find_crossing()), or parts of the result of a dot or convolution. All functions
// require kernel_problem() to be empty.
std::optional<RowFusion> rows_for_team(InstructionView instruction);
std::optional<RowFusion> columns_for_team(InstructionView instruction);
struct ColumnWork {
  std::int64_t items, length;    // an item has as many neighbouring columns as a vector has lanes
  std::int64_t row_bytes;        // bytes of an item in one row
  std::int64_t sum_bits = 0;     // bits of the sums that a member keeps for an item
  std::int64_t shown_bytes = 0;  // bytes in the team's memory per group of members that can exchange values
};
ColumnWork column_work(llvm::LLVMContext &context, InstructionView instruction, const RowFusion &columns,
                       const VectorTarget &target);
std::optional<TeamWork> contraction_for_team(llvm::LLVMContext &context, InstructionView instruction,
                                             const VectorTarget &target);

// Whether the kernel of a dot or convolution can compute an operand where it reads it.
bool computes_operand(InstructionView contraction, std::size_t operand, const VectorTarget &target);

// Returns the number of ops that a kernel executes to compute the operands of a contraction, where an element that is
// computed several times counts several times. Returns 0 if it has no contraction, or if the operands are in memory.
// Requires kernel_problem() to be empty.
double prologue_operations(InstructionView instruction, const VectorTarget &target);

// Returns the bytes of memory that all calls for one instruction share, in which steps pass results to later steps.
std::int64_t common_bytes(InstructionView instruction, const VectorTarget &target);

// Emits the kernel into the builder's block, which then ends without a terminator. On a threaded target, whose threads
// do not wait for each other, the results of a scatter must already contain the array into which it scatters. team: the
// threads that do item site.begin of an instruction that is suited to teams, with the team's memory instead of
// site.scratch; null if a call does a range of items.
KernelWork emit_kernel(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target,
                       Team *team = nullptr);

}  // namespace bp::emit
