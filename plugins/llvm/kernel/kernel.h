// One instruction as code: the loops that compute its results in memory from its operands in memory. Control flow is
// not here but in program.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/llvm/kernel/crossing.h"
#include "plugins/llvm/kernel/row_fusion.h"

namespace bp::emit {

struct KernelSite {
  InstructionView instruction;
  std::vector<llvm::Value *> operands;  // pointers; null where the operand is a constant known at compile time
  std::vector<llvm::Value *> results;   // pointers
  std::vector<int> in_place;            // for each result: the operand that lies in the same memory, or -1
  llvm::Value *scratch;                 // KernelWork::scratch_bytes, aligned to 64
  llvm::Value *begin, *end;             // i64: the part of the work that this call does
  llvm::Value *common = nullptr;        // common_bytes() that all calls share, aligned to 64; null for 0
};

// Items that are done in order: all of a step before those of the next. Each round does the same steps again, with
// items of its own; their numbers go on.
struct KernelSteps {
  std::int64_t rounds = 1;
  std::vector<std::int64_t> items;  // by step
  std::int64_t items_of_round() const;
};

// What one call of a kernel needs and how it can be shared out: parts [begin, end) of [0, items) write disjoint memory
// and may run at the same time, each on a scratch of its own. On a threaded target, where an item is a thread's and all
// run at the same time, only what is one item needs scratch.
struct KernelWork {
  std::int64_t scratch_bytes = 0;
  std::int64_t items = 1;
  std::vector<KernelSteps> steps = {};  // one after the other, as many items as these are; empty: any order will do
};

// Why no code can be generated for an instruction; empty if it can. Looks at nothing but the instruction, its shapes
// and what it calls, and whether the target is threaded; whatever passes can be emitted. Control flow passes if it is
// well formed: its callees are not looked at.
std::string kernel_problem(InstructionView instruction, const VectorTarget &target);

// Ops that leave no trace at run time unless operand and result lie apart; then the bytes are copied.
bool is_forwarding(std::uint16_t op);
bool is_control_flow(std::uint16_t op);
// Instructions that read and write arrays by themselves, not element by element through a Generator.
bool works_in_memory(InstructionView instruction);
// The scatter that an instruction is, or that a fusion of one result ends in.
std::optional<InstructionView> scatter_in(InstructionView instruction);
// The operand that holds result i of such an instruction before it.
std::size_t scattered_operand(InstructionView instruction, std::size_t i);

// What a team does better than threads by themselves: the rows or columns of an instruction, tiles of one that crosses
// its operands (find_crossing()), or parts of the result of a dot or convolution. All expect kernel_problem() to be
// empty.
std::optional<RowFusion> rows_for_team(InstructionView instruction);
std::optional<RowFusion> columns_for_team(InstructionView instruction);
struct ColumnWork {
  std::int64_t items, length;    // an item is as many neighbouring columns as a vector has lanes
  std::int64_t row_bytes;        // of an item in one row
  std::int64_t sum_bits = 0;     // that a member keeps of an item
  std::int64_t shown_bytes = 0;  // in the team's memory, by each group of members that can exchange values
};
ColumnWork column_work(llvm::LLVMContext &context, InstructionView instruction, const RowFusion &columns,
                       const VectorTarget &target);
std::optional<TeamWork> contraction_for_team(llvm::LLVMContext &context, InstructionView instruction,
                                             const VectorTarget &target);

// What a kernel does before it multiplies: an op for each element of an operand, as often as one is computed again. 0:
// it multiplies nothing, or what lies in memory. Expects kernel_problem() to be empty.
double prologue_operations(InstructionView instruction, const VectorTarget &target);

// Memory that all calls for one instruction share, for what steps hand on to each other.
std::int64_t common_bytes(InstructionView instruction, const VectorTarget &target);

// Emits into the builder's block, which then ends without a terminator. On a threaded target, whose threads do not wait
// for each other, the results of a scatter must hold what it is scattered into already. team: the threads that do item
// site.begin of an instruction that is for a team, in the team's memory in place of site.scratch; null if a call does a
// range of items.
KernelWork emit_kernel(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target,
                       Team *team = nullptr);

// Kernels of single ops, with the same contract. generator has the operands bound. What returns one number returns the
// number of items.
std::int64_t emit_scatter(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                          const VectorTarget &target);
std::int64_t emit_select_and_scatter(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                                     const VectorTarget &target);
std::int64_t emit_sort(Generator &generator, KernelBuilder &builder, const KernelSite &site);
KernelWork emit_fft(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target);
KernelWork emit_rows(Generator &generator, KernelBuilder &builder, const KernelSite &site, const VectorTarget &target,
                     const RowFusion &rows, Team *team = nullptr);
KernelWork emit_crossing(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Crossing &crossing,
                         Team &team);
// large: coordinates need 64 bits.
KernelWork emit_contraction(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target, bool large,
                            Team *team);

}  // namespace bp::emit
