// Instructions become launches in schedule order. Control flow becomes jumps around the commands of the computations
// that it calls, each of which is called once (flatten-call-graph). If it costs little (guarded_cost.h), all branches
// and several iterations become guarded launches without a jump, so that the host need not ask the GPU which are
// wanted. Instructions whose results are not needed are left out (needed_values.h).
#include "plugins/gpu/compiler.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "plugins/gpu/guarded_cost.h"
#include "plugins/gpu/launch_problem.h"
#include "plugins/gpu/needed_values.h"
#include "plugins/gpu/plan_builder.h"
#include "plugins/gpu/trip_count.h"
#include "plugins/gpu/two_iterations.h"
#include "plugins/llvm/kernel/call.h"
#include "plugins/llvm/kernel/kernel.h"

namespace bp::gpu {

using plugin::Result;
using plugin::Status;
namespace {

using emit::ComputationView;
using emit::InstructionView;
using emit::Location;

constexpr std::uint64_t commands_together = 64;  // of several iterations of a loop

class Compiler {
 public:
  Compiler(const emit::ModuleView &module, const Threads &threads, llvm::Module &code)
      : module_(module),
        threads_(threads),
        code_(code),
        costs_(module, threads.target()),
        needed_(module),
        builder_(module, threads, code, plan_) {}

  Result<LaunchPlan> run() {
    BP_TRY(computation(module_.entry()));
    builder_.finish();
    threads_.finish(code_, plan_.kernel_count);
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(code_, &stream)) {
      return plugin::Error(BP_INTERNAL, "generated code is malformed: " + message);
    }
    return std::move(plan_);
  }

 private:
  Status computation(ComputationView computation) {
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      BP_TRY(instruction(module_.instruction(computation.first_instruction() + n)));
    }
    return {};
  }

  void move_needed(InstructionView origin, std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
    for (std::size_t k = 0; k < std::min(from.size(), to.size()); ++k) {
      if (needed_.contains(to[k])) {
        builder_.move(origin, from[k], to[k]);
      }
    }
  }

  Status loop(InstructionView i) {
    const ComputationView condition = i.called(0), body = i.called(1);
    move_needed(i, i.operands(), body.parameters());
    if (const auto iterations = trip_count(i)) {
      BP_TRY(repeat(i, body, *iterations));
      return loop_results(i, body);
    }
    if (const std::uint64_t together = max_guarded / costs_.of_iteration(i); together > 1) {
      BP_TRY(guarded_iterations(i, together));
      return loop_results(i, body);
    }
    const std::uint32_t start = builder_.here();
    move_needed(i, body.parameters(), condition.parameters());
    BP_TRY(computation(condition));
    const std::uint32_t exit = builder_.jump_unless(i, range_of(emit::location_of(module_, condition.roots()[0]), 1));
    BP_TRY(computation(body));
    move_needed(i, body.roots(), body.parameters());
    builder_.jump(i, start);
    plan_.commands[exit].target = builder_.here();
    return loop_results(i, body);
  }

  // Starts `together` iterations each time before the host asks whether the loop goes on: those after the last one are
  // not wanted. The condition of the first iteration needs no guard.
  Status guarded_iterations(InstructionView i, std::uint64_t together) {
    const MemoryRange goes_on = builder_.new_guards(1);
    const std::uint32_t start = builder_.here();
    BP_TRY(guarded_iteration(i, goes_on));
    const std::uint32_t again = builder_.here();
    BP_TRY(builder_.guarded(goes_on, [&] { return guarded_iteration(i, goes_on); }));
    builder_.write_again(again, builder_.here() - again, together - 2);
    const std::uint32_t exit = builder_.jump_unless(i, goes_on);
    builder_.jump(i, start);
    plan_.commands[exit].target = builder_.here();
    return {};
  }
  Status guarded_iteration(InstructionView i, const MemoryRange &goes_on) {
    const ComputationView condition = i.called(0), body = i.called(1);
    move_needed(i, body.parameters(), condition.parameters());
    BP_TRY(computation(condition));
    builder_.choose(i, condition.roots()[0], goes_on);
    return builder_.guarded(goes_on, [&] {
      Status status = computation(body);
      move_needed(i, body.roots(), body.parameters());
      return status;
    });
  }

  // A loop without a condition: the host need not wait for the GPU before the next iteration. Short iterations are
  // written out several times, so that the GPU gets more commands at once; two of them together need fewer moves
  // (two_iterations.h).
  Status repeat(InstructionView i, ComputationView body, std::uint64_t iterations) {
    std::uint32_t start = builder_.here();
    if (iterations == 0) {
      return {};
    }
    BP_TRY(computation(body));
    move_needed(i, body.roots(), body.parameters());
    if (builder_.here() == start) {
      return {};
    }
    const auto is_straight = [](const Command &command) { return !jumps(command.kind); };
    const bool is_one_segment = std::all_of(plan_.commands.begin() + start, plan_.commands.end(), is_straight);
    if (is_one_segment && iterations > 1) {
      if (const std::vector<Command> pair = two_iterations(plan_, start, module_, body); !pair.empty()) {
        if (iterations % 2 == 0) {
          plan_.commands.resize(start);
        }
        start = builder_.here();  // after the odd iteration
        plan_.commands.insert(plan_.commands.end(), pair.begin(), pair.end());
        iterations /= 2;
      }
    }
    const std::uint64_t length = builder_.here() - start;
    const std::uint64_t together =
        is_one_segment ? std::clamp<std::uint64_t>(commands_together / length, 1, iterations) : 1;
    builder_.write_again(start, length, together - 1);
    if (iterations >= 2 * together) {
      Command &again = builder_.add(CommandKind::Repeat, i);
      again.target = start;
      again.size = iterations / together;
    }
    builder_.write_again(start, length, iterations % together);
    return {};
  }
  Status loop_results(InstructionView i, ComputationView body) {
    move_needed(i, body.parameters(), results_of(i));
    return {};
  }

  Status branch(InstructionView i, std::size_t which, std::size_t first_operand) {
    const ComputationView callee = i.called(which);
    move_needed(i, i.operands().subspan(first_operand), callee.parameters());
    BP_TRY(computation(callee));
    move_needed(i, callee.roots(), results_of(i));
    return {};
  }

  Status branches(InstructionView i) {
    const Location selector = emit::location_of(module_, i.operand(0));
    if (!selector.exists()) {
      return emit::error_at(i, BP_INTERNAL, "has a selector without memory");
    }
    const auto count = static_cast<std::uint32_t>(i.calls().size());
    if (costs_.of(i) <= max_guarded) {
      return guarded_branches(i, builder_.new_guards(count));
    }
    const bool is_pred = i.operand_shape(0).dtype == BP_DTYPE_PRED;
    std::uint32_t choice = 0;
    const auto first_target = static_cast<std::uint32_t>(plan_.targets.size());
    if (is_pred) {
      choice = builder_.jump_unless(i, range_of(selector, 1));  // if a pred selects, branch 0 is for true
    } else {
      Command &command = builder_.add(CommandKind::Switch, i);
      command.count = count;
      command.target = first_target;
      plan_.ranges.push_back(range_of(selector, 4));
      plan_.targets.resize(plan_.targets.size() + count);
    }
    std::vector<std::uint32_t> exits;
    std::size_t operand = 1;
    for (std::uint32_t k = 0; k < count; ++k) {
      if (!is_pred) {
        plan_.targets[first_target + k] = builder_.here();
      } else if (k == 1) {
        plan_.commands[choice].target = builder_.here();
      }
      BP_TRY(branch(i, k, operand));
      operand += i.called(k).parameters().size();
      exits.push_back(builder_.here());
      builder_.jump(i, 0);
    }
    for (std::uint32_t exit : exits) {
      plan_.commands[exit].target = builder_.here();
    }
    return {};
  }

  Status guarded_branches(InstructionView i, const MemoryRange &guards) {
    builder_.choose(i, i.operand(0), guards);
    std::size_t operand = 1;
    for (std::uint32_t k = 0; k < guards.size; ++k) {
      BP_TRY(builder_.guarded({guards.allocation, 0, guards.offset + k, 1}, [&] { return branch(i, k, operand); }));
      operand += i.called(k).parameters().size();
    }
    return {};
  }

  Status instruction(InstructionView i) {
    if (const std::string problem = launch_problem(i, threads_.target()); !problem.empty()) {
      return emit::error_at(i, BP_UNSUPPORTED, problem);
    }
    const std::uint16_t op = i.op();
    if (op == BP_OP_PARAMETER || op == BP_OP_CONSTANT || !needed_.contains(i)) {
      return {};
    }
    if (emit::is_forwarding(op)) {
      for (std::size_t k = 0; k < std::min(i.result_count(), i.operand_count()); ++k) {
        builder_.move(i, i.operand(k), i.result(k));
      }
      return {};
    }
    for (const std::uint32_t callee : i.calls()) {
      if (emit::is_control_flow(op) && module_.computation(callee).embedded()) {
        return emit::error_at(i, BP_INTERNAL, "calls an embedded computation as control flow");
      }
    }
    switch (op) {
      case BP_OP_WHILE: return loop(i);
      case BP_OP_CONDITIONAL: return branches(i);
      case BP_OP_CALL: return branch(i, 0, 0);
      default: break;
    }
    if (const std::string problem = emit::memory_problem(i); !problem.empty()) {
      return emit::error_at(i, BP_INTERNAL, problem);
    }
    if (emit::has_no_elements(i)) {
      return {};
    }
    if (op == BP_OP_RNG_GET_AND_UPDATE_STATE) {
      builder_.launch_random_state(i);
      return {};
    }
    if (op == BP_OP_COPY && emit::same_storage(i.shape(), i.operand_shape(0))) {
      builder_.move(i, i.operand(0), i.result());
      return {};
    }
    if (emit::scatter_in(i)) {  // works in place, on a copy
      for (std::size_t k = 0; k < i.result_count(); ++k) {
        builder_.move(i, i.operand(emit::scattered_operand(i, k)), i.result(k));
      }
    }
    return builder_.launch(i);
  }

  const emit::ModuleView &module_;
  const Threads &threads_;
  llvm::Module &code_;
  LaunchPlan plan_;
  GuardedCost costs_;
  NeededValues needed_;
  PlanBuilder builder_;
};

}  // namespace

Result<LaunchPlan> compile(const emit::ModuleView &module, const Threads &threads, llvm::Module &code) {
  if (!module.final()) {
    return plugin::Error(
        BP_INVALID, "the module is at stage " + std::to_string(module.image().stage) + ", expected the final stage");
  }
  return Compiler(module, threads, code).run();
}

}  // namespace bp::gpu
