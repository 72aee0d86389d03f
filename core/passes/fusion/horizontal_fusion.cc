// Merges small kernels that do not depend on each other into one kernel with several results, because starting them
// takes longer than running them. Kernels at the same depth (the length of the longest chain of instructions before
// them) cannot depend on each other, and merging at several depths cannot make a cycle, because every edge leads to a
// greater depth. A kernel that reads an array and one that reuses its memory (overwritten_arrays.h) are not merged,
// unless the first reads at the indices that the second writes.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/call_graph.h"
#include "core/analysis/users.h"
#include "core/passes/fusion/fusion_builder.h"
#include "core/passes/fusion/kernel.h"
#include "core/passes/fusion/overwritten_arrays.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;

class HorizontalFuser {
 public:
  HorizontalFuser(const ir::Module &module, const analysis::CallGraph &graph, const analysis::Users &users,
                  const FusionLimits &limits, ir::ComputationId computation)
      : module_(module),
        users_(users),
        limits_(limits),
        computation_(computation),
        overwritten_(module, graph, computation) {}

  void run(std::vector<FusionPlan> &plans) const {
    const ir::Computation computation = module_.computation(computation_);
    const std::vector<bool> is_pinned = control_ordered(computation);
    std::unordered_map<InstructionId, std::size_t> depths;
    std::map<std::size_t, std::vector<Candidate>> by_depth;
    std::size_t position = 0;
    for (Instruction instruction : computation.instructions()) {
      std::size_t depth = 0;
      for (auto needs : {instruction.operands(), instruction.control_predecessors()}) {
        for (InstructionId needed : needs) {
          depth = std::max(depth, depths.at(needed) + 1);
        }
      }
      depths[instruction.id()] = depth;
      ++position;
      const bool stays = index(instruction.id()) < is_pinned.size() && is_pinned[index(instruction.id())];
      const bool is_used = users_.is_used(instruction.id()) || instruction == computation.root();
      if (stays || !is_used || !instruction.shape().is_array() ||
          accessed_bytes(instruction) >= limits_.small_kernel_bytes) {
        continue;
      }
      auto kernel = describe_kernel(instruction);
      if (kernel && kernel->reduced.empty() && instruction.opcode() != ir::Opcode::Reshape) {
        by_depth[depth].push_back({instruction.id(), position, std::move(*kernel)});
      }
    }
    constexpr int max_rounds = 2;
    for (auto &[depth, candidates] : by_depth) {
      for (int round = 0; round < max_rounds && !candidates.empty(); ++round) {
        candidates = divide(std::move(candidates), plans);
      }
    }
  }

 private:
  struct Candidate {
    InstructionId id;
    std::size_t position;
    Kernel kernel;
  };

  std::int64_t accessed_bytes(const Instruction &instruction) const {
    std::int64_t bytes = instruction.shape().byte_size();
    for (InstructionId operand : instruction.operands()) {
      const ir::Shape &shape = module_.instruction(operand).shape();
      bytes += shape.is_array() ? std::min(shape.byte_size(), limits_.small_kernel_bytes) : 0;  // tuples may be large
    }
    return bytes;
  }

  bool would_need_copy(const Candidate &maker, const Candidate &reader) const {
    return overwritten_.would_need_copy(module_.instruction(maker.id), module_.instruction(reader.id), reader.kernel);
  }

  // Divides a list of kernels, in program order, where the limits are reached. Returns the kernels that would need a
  // copy if they were merged with one before them.
  std::vector<Candidate> divide(std::vector<Candidate> candidates, std::vector<FusionPlan> &plans) const {
    std::vector<Candidate> apart;
    FusionPlan plan;
    std::vector<const Candidate *> members;
    std::unordered_set<InstructionId> operands;
    std::size_t size = 0, first = 0;
    const auto finish = [&] {
      if (plan.kernels.size() > 1) {
        plan.results = plan.kernels;
        plans.push_back(std::move(plan));
      }
      plan = {};
      members.clear();
      operands.clear();
      size = 0;
    };
    for (Candidate &candidate : candidates) {
      if (std::ranges::any_of(members, [&](const Candidate *member) {
            return would_need_copy(*member, candidate) || would_need_copy(candidate, *member);
          })) {
        apart.push_back(std::move(candidate));
        continue;
      }
      const auto own = module_.instruction(candidate.id).operands();
      const bool fits = size + candidate.kernel.size <= limits_.max_instructions &&
                        operands.size() + own.size() + plan.kernels.size() + 1 <= limits_.max_values &&
                        (plan.kernels.empty() || candidate.position < first + farthest_fused);
      if (!fits) {
        finish();
      }
      if (plan.kernels.empty()) {
        first = candidate.position;
      }
      plan.kernels.push_back(candidate.id);
      members.push_back(&candidate);
      operands.insert(own.begin(), own.end());
      size += candidate.kernel.size;
    }
    finish();
    return apart;
  }

  const ir::Module &module_;
  const analysis::Users &users_;
  const FusionLimits &limits_;
  ir::ComputationId computation_;
  OverwrittenArrays overwritten_;
};

}  // namespace

Result<bool> horizontal_fusion(ir::Module &module, const PassContext &context) {
  if (!context.fusion.results || context.fusion.small_kernel_bytes == 0) {
    return false;
  }
  const analysis::CallGraph graph(module);
  const analysis::Users users(module);
  std::vector<FusionPlan> plans;
  for (ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      HorizontalFuser(module, graph, users, context.fusion, id).run(plans);
    }
  }
  return build_fusions(module, plans);
}

}  // namespace bp::passes
