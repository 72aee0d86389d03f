#include "plugins/gpu/guarded_cost.h"

#include <algorithm>

#include "plugins/gpu/kernel_set.h"
#include "plugins/gpu/launch_problem.h"
#include "plugins/gpu/trip_count.h"
#include "plugins/llvm/kernel/call.h"
#include "plugins/llvm/kernel/kernel.h"

namespace bp::gpu {

using emit::ComputationView;
using emit::InstructionView;

namespace {

constexpr std::uint64_t too_much = max_guarded + 1;
static_assert(max_guarded <= max_choices);  // a conditional costs at least 1 for each of its branches
// Blocks that do nothing take time, too: the blocks for this number of result bytes cost as much as another launch.
constexpr std::uint64_t bytes_of_launch = 8 << 20;

std::uint64_t of_launch(std::uint64_t bytes) {
  return 1 + bytes / bytes_of_launch;
}

}  // namespace

std::vector<std::uint32_t> results_of(InstructionView i) {
  std::vector<std::uint32_t> results;
  for (std::size_t r = 0; r < i.result_count(); ++r) {
    results.push_back(i.result(r));
  }
  return results;
}

std::uint64_t moved_bytes(const emit::ModuleView &module, std::uint32_t from_value, std::uint32_t to_value) {
  const emit::Location from = emit::location_of(module, from_value), to = emit::location_of(module, to_value);
  return from.exists() && to.exists() && !from.same(to) ? std::min(from.size, to.size) : 0;
}

std::uint64_t GuardedCost::of(InstructionView i) {
  const std::uint16_t op = i.op();
  if (!launch_problem(i, target_).empty()) {
    return too_much;
  }
  switch (op) {
    case BP_OP_PARAMETER:
    case BP_OP_CONSTANT: return 0;
    case BP_OP_CALL: return of_branch(i, 0, 0);
    case BP_OP_CONDITIONAL: {
      std::uint64_t cost = 1;  // of choosing the branch
      for (std::size_t k = 0, operand = 1; k < i.calls().size(); ++k) {
        cost += std::max<std::uint64_t>(of_branch(i, k, operand), 1);
        operand += i.called(k).parameters().size();
      }
      return cost;
    }
    case BP_OP_WHILE: {
      const auto iterations = trip_count(i);
      if (!iterations) {
        return too_much;
      }
      const ComputationView body = i.called(1);
      const std::uint64_t of_iteration = of(body) + of_moves(body.roots(), body.parameters());
      return of_moves(i.operands(), body.parameters()) + std::min(*iterations, too_much) * of_iteration +
             of_moves(body.parameters(), results_of(i));
    }
    default: break;
  }
  if (emit::is_forwarding(op) || (op == BP_OP_COPY && emit::same_storage(i.shape(), i.operand_shape(0)))) {
    return of_moves(i.operands(), results_of(i));
  }
  if (emit::has_no_elements(i)) {
    return 0;
  }
  std::uint64_t bytes = 0, launches = 1;
  for (const std::uint32_t result : results_of(i)) {
    bytes += static_cast<std::uint64_t>(module_.shape_of(result).bytes());
  }
  if (op == BP_OP_SORT) {
    const auto sort = sort_for_team(i, target_);
    launches += sort ? static_cast<std::uint64_t>(sort->tiles.passes()) : 0;
  }
  const std::uint64_t of_copies =
      emit::scatter_in(i) ? of_moves(i.operands().subspan(emit::scattered_operand(i, 0)), results_of(i)) : 0;
  return launches * of_launch(bytes) + of_copies;
}

std::uint64_t GuardedCost::of_iteration(InstructionView loop) {
  const ComputationView condition = loop.called(0), body = loop.called(1);
  return of_moves(body.parameters(), condition.parameters()) + of(condition) + 1 + of(body) +
         of_moves(body.roots(), body.parameters());
}

std::uint64_t GuardedCost::of(ComputationView computation) {
  std::optional<std::uint64_t> &cost = of_computations_[computation.id()];
  if (!cost) {
    std::uint64_t sum = 0;
    for (std::uint32_t n = 0; n < computation.instruction_count() && sum <= max_guarded; ++n) {
      sum += of(module_.instruction(computation.first_instruction() + n));
    }
    cost = std::min(sum, too_much);
  }
  return *cost;
}

std::uint64_t GuardedCost::of_branch(InstructionView i, std::size_t which, std::size_t first_operand) {
  const ComputationView callee = i.called(which);
  return of_moves(i.operands().subspan(first_operand), callee.parameters()) + of(callee) +
         of_moves(callee.roots(), results_of(i));
}

std::uint64_t GuardedCost::of_moves(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) const {
  std::uint64_t cost = 0;
  for (std::size_t k = 0; k < std::min(from.size(), to.size()); ++k) {
    const std::uint64_t bytes = moved_bytes(module_, from[k], to[k]);
    cost += bytes > 0 ? of_launch(bytes) : 0;
  }
  return cost;
}

}  // namespace bp::gpu
