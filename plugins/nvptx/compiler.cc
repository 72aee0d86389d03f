// Instructions become launches in schedule order, control flow jumps, written where it stands: computations are called
// once (flatten-call-graph). Small control flow becomes launches that are guarded (kernel_set.h): all of its commands are
// started, and those that are not wanted do nothing. So the host does not wait, and what may run at the same time may be of
// different branches. A branch that is not taken writes nothing, so branches may share memory all the same.
#include "plugins/nvptx/compiler.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "plugins/llvm/kernel_call.h"
#include "plugins/nvptx/dependences.h"
#include "plugins/nvptx/guarded_cost.h"
#include "plugins/nvptx/kernel_set.h"
#include "plugins/nvptx/loop_rounds.h"

namespace bp::nvptx {
namespace {

using emit::ComputationView;
using emit::InstructionView;
using emit::Location;

constexpr std::int64_t max_blocks = INT32_MAX;
constexpr std::uint64_t commands_together = 64;  // of a loop's rounds

class Compiler {
 public:
  Compiler(const emit::ModuleView &module, const Target &target, const Threads &threads, llvm::Module &code,
           LaunchPlan &plan, emit::Problem &problem)
      : module_(module),
        target_(target),
        threads_(threads),
        code_(code),
        plan_(plan),
        problem_(problem),
        costs_(module),
        kernels_(code, threads) {}

  bool run() {
    for (const bp_allocation_t &allocation : module_.allocations()) {
      plan_.allocation_sizes.push_back(allocation.size);
    }
    // The last one is scratch, of a size that is known in the end.
    plan_.allocation_sizes.push_back(0);
    if (!computation(module_.entry())) {
      return false;
    }
    add_guards_to_scratch();
    plan_.allocation_sizes.back() = plan_.scratch_bytes;
    add_dependences(plan_, memory_of_allocations());
    plan_.kernel_count = kernels_.count();
    threads_.finish(code_, plan_.kernel_count);
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(code_, &stream)) {
      problem_.message = "generated code is malformed: " + message;
      return false;
    }
    return true;
  }

 private:
  bool fail(InstructionView instruction, const std::string &message, bool unsupported = false) {
    problem_ = {instruction.id(), unsupported, std::string(instruction.name()) + " " + message};
    return false;
  }

  // --- commands ---

  std::uint32_t here() const { return static_cast<std::uint32_t>(plan_.commands.size()); }
  Command &add(CommandKind kind, InstructionView origin) {
    Command &command = plan_.commands.emplace_back();
    command.kind = kind;
    command.origin = origin.id();
    command.first = static_cast<std::uint32_t>(plan_.places.size());
    return command;
  }
  static Place place_of(const Location &location, std::uint64_t size, bool is_written = false) {
    return {location.allocation, is_written, location.offset, size};
  }
  Place place_in_scratch(std::uint64_t offset, std::uint64_t size, bool is_written = false) const {
    return {static_cast<std::uint32_t>(plan_.allocation_sizes.size() - 1), is_written, offset, size};
  }
  void add_place(const Location &location, std::uint64_t size, bool is_written = false) {
    plan_.places.push_back(place_of(location, size, is_written));
  }
  // An output that was donated an input is that input.
  std::vector<std::uint32_t> memory_of_allocations() const {
    std::vector<std::uint32_t> memory_of;
    for (const bp_allocation_t &allocation : module_.allocations()) {
      const bool is_donated = allocation.kind == BP_ALLOC_OUTPUT && allocation.alias != BP_NONE;
      memory_of.push_back(is_donated ? allocation.alias : static_cast<std::uint32_t>(memory_of.size()));
    }
    memory_of.push_back(static_cast<std::uint32_t>(memory_of.size()));  // scratch
    return memory_of;
  }

  void move(InstructionView origin, std::uint32_t from_value, std::uint32_t to_value) {
    const std::uint64_t size = moved_bytes(module_, from_value, to_value);
    if (size == 0) {
      return;
    }
    const Location from = emit::location_of(module_, from_value), to = emit::location_of(module_, to_value);
    if (guard_) {
      const std::uint64_t alignment = std::min(emit::alignment_of(module_, from), emit::alignment_of(module_, to));
      add_launch(origin, kernels_.of_move(size, alignment),
                 {place_of(to, size, true), place_of(from, size), {to.allocation, 0, to.offset + size - 1, 0}});
      return;
    }
    add(CommandKind::Move, origin).size = size;
    add_place(to, size, true);
    add_place(from, size);
  }
  void move_all(InstructionView origin, std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
      move(origin, from[i], to[i]);
    }
  }
  void jump(InstructionView origin, std::uint32_t target) { add(CommandKind::Jump, origin).target = target; }
  // Where to is said later.
  std::uint32_t jump_unless(InstructionView origin, const Place &condition) {
    add(CommandKind::JumpUnless, origin);
    plan_.places.push_back(condition);
    return here() - 1;
  }
  std::uint32_t jump_unless(InstructionView origin, std::uint32_t value) {
    return jump_unless(origin, place_of(emit::location_of(module_, value), 1));
  }

  // --- guards ---

  // Bytes of their own, so that what is guarded waits for its own choice only. Until the end they are an allocation after
  // scratch.
  Place new_guards(std::uint32_t count) {
    const std::uint64_t first = std::exchange(guard_bytes_, guard_bytes_ + count);
    return {static_cast<std::uint32_t>(plan_.allocation_sizes.size()), 0, first, count};
  }
  void add_guards_to_scratch() {
    const auto scratch = static_cast<std::uint32_t>(plan_.allocation_sizes.size() - 1);
    for (Place &place : plan_.places) {
      if (place.allocation > scratch) {
        place.allocation = scratch;
        place.offset += plan_.scratch_bytes;
      }
    }
    plan_.scratch_bytes += guard_bytes_;
  }
  // Which of the branches that have these guards is wanted: one, if what is around it is.
  void choose(InstructionView i, std::uint32_t selector, Place guards) {
    const Location location = emit::location_of(module_, selector);
    const bool is_pred = module_.shape_of(selector).dtype == BP_DTYPE_PRED;
    guards.is_written = 1;
    add_launch(i, kernels_.of_choice(static_cast<std::uint32_t>(guards.size), is_pred, guard_.has_value()),
               {place_of(location, is_pred ? 1 : 4), guards});
  }
  // What `emit` adds is done if the byte at `guard` is not 0.
  template <class Emit>
  bool guarded(const Place &guard, Emit emit) {
    const auto around = std::exchange(guard_, guard);
    const bool is_emitted = emit();
    guard_ = around;
    return is_emitted;
  }

  // --- control flow ---

  bool computation(ComputationView computation) {
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      if (!instruction(module_.instruction(computation.first_instruction() + n))) {
        return false;
      }
    }
    return true;
  }

  bool loop(InstructionView i) {
    const ComputationView condition = i.called(0), body = i.called(1);
    move_all(i, i.operands(), body.parameters());
    if (const auto rounds = loop_rounds(i)) {
      return repeat(i, body, *rounds) && loop_results(i, body);
    }
    if (const std::uint64_t together = most_guarded / costs_.of_round(i); together > 1) {
      return guarded_rounds(i, together) && loop_results(i, body);
    }
    const std::uint32_t start = here();
    move_all(i, body.parameters(), condition.parameters());
    if (!computation(condition)) {
      return false;
    }
    const std::uint32_t exit = jump_unless(i, condition.roots()[0]);
    if (!computation(body)) {
      return false;
    }
    move_all(i, body.roots(), body.parameters());
    jump(i, start);
    plan_.commands[exit].target = here();
    return loop_results(i, body);
  }

  // So many rounds, of which those after the last one are not wanted, for each time that the host asks whether there are more.
  // The first one needs no guard for its condition.
  bool guarded_rounds(InstructionView i, std::uint64_t together) {
    const Place goes_on = new_guards(1);
    const std::uint32_t start = here();
    if (!guarded_round(i, goes_on)) {
      return false;
    }
    const std::uint32_t again = here();
    if (!guarded(goes_on, [&] { return guarded_round(i, goes_on); })) {
      return false;
    }
    write_again(again, here() - again, together - 2);
    const std::uint32_t exit = jump_unless(i, goes_on);
    jump(i, start);
    plan_.commands[exit].target = here();
    return true;
  }
  bool guarded_round(InstructionView i, const Place &goes_on) {
    const ComputationView condition = i.called(0), body = i.called(1);
    move_all(i, body.parameters(), condition.parameters());
    if (!computation(condition)) {
      return false;
    }
    choose(i, condition.roots()[0], goes_on);
    return guarded(goes_on, [&] {
      const bool is_emitted = computation(body);
      move_all(i, body.roots(), body.parameters());
      return is_emitted;
    });
  }

  // Without a condition: nobody has to wait for the GPU before the next round. Short rounds are written out several times, so
  // that the GPU gets more commands at once.
  bool repeat(InstructionView i, ComputationView body, std::uint64_t rounds) {
    const std::uint32_t start = here();
    if (rounds == 0) {
      return true;
    }
    if (!computation(body)) {
      return false;
    }
    move_all(i, body.roots(), body.parameters());
    const std::uint64_t length = here() - start;
    if (length == 0) {
      return true;
    }
    const auto is_straight = [](const Command &command) { return !jumps(command.kind); };
    const bool is_one_segment = std::all_of(plan_.commands.begin() + start, plan_.commands.end(), is_straight);
    const std::uint64_t together =
        is_one_segment ? std::clamp<std::uint64_t>(commands_together / length, 1, rounds) : 1;
    write_again(start, length, together - 1);
    if (rounds >= 2 * together) {
      Command &again = add(CommandKind::Repeat, i);
      again.target = start;
      again.size = rounds / together;
    }
    write_again(start, length, rounds % together);
    return true;
  }
  // So many commands, so many times more.
  void write_again(std::uint32_t first, std::uint64_t length, std::uint64_t times) {
    for (std::uint64_t n = 0; n < length * times; ++n) {
      plan_.commands.push_back(Command(plan_.commands[first + n % length]));
    }
  }

  bool loop_results(InstructionView i, ComputationView body) {
    std::vector<std::uint32_t> results;
    for (std::size_t r = 0; r < i.result_count(); ++r) {
      results.push_back(i.result(r));
    }
    move_all(i, body.parameters(), results);
    return true;
  }

  bool branch(InstructionView i, std::size_t which, std::size_t first_operand) {
    const ComputationView callee = i.called(which);
    move_all(i, i.operands().subspan(first_operand), callee.parameters());
    if (!computation(callee)) {
      return false;
    }
    for (std::size_t r = 0; r < callee.roots().size(); ++r) {
      move(i, callee.roots()[r], i.result(r));
    }
    return true;
  }

  bool branches(InstructionView i) {
    const Location selector = emit::location_of(module_, i.operand(0));
    if (!selector.exists()) {
      return fail(i, "has a selector without memory");
    }
    const auto count = static_cast<std::uint32_t>(i.calls().size());
    if (costs_.of(i) <= most_guarded) {
      return guarded_branches(i, new_guards(count));
    }
    const bool is_pred = i.operand_shape(0).dtype == BP_DTYPE_PRED;
    std::uint32_t choice = 0;
    const auto first_target = static_cast<std::uint32_t>(plan_.targets.size());
    if (is_pred) {
      choice = jump_unless(i, i.operand(0));  // of a pred true is branch 0
    } else {
      Command &command = add(CommandKind::Switch, i);
      command.count = count;
      command.target = first_target;
      add_place(selector, 4);
      plan_.targets.resize(plan_.targets.size() + count);
    }
    std::vector<std::uint32_t> exits;
    std::size_t operand = 1;
    for (std::uint32_t k = 0; k < count; ++k) {
      if (!is_pred) {
        plan_.targets[first_target + k] = here();
      } else if (k == 1) {
        plan_.commands[choice].target = here();
      }
      if (!branch(i, k, operand)) {
        return false;
      }
      operand += i.called(k).parameters().size();
      exits.push_back(here());
      jump(i, 0);
    }
    for (std::uint32_t exit : exits) {
      plan_.commands[exit].target = here();
    }
    return true;
  }

  bool guarded_branches(InstructionView i, const Place &guards) {
    choose(i, i.operand(0), guards);
    std::size_t operand = 1;
    for (std::uint32_t k = 0; k < guards.size; ++k) {
      if (!guarded({guards.allocation, 0, guards.offset + k, 1}, [&] { return branch(i, k, operand); })) {
        return false;
      }
      operand += i.called(k).parameters().size();
    }
    return true;
  }

  bool instruction(InstructionView i) {
    if (const std::string problem = launch_problem(i, target_); !problem.empty()) {
      return fail(i, problem, true);
    }
    const std::uint16_t op = i.op();
    if (op == BP_OP_PARAMETER || op == BP_OP_CONSTANT) {
      return true;
    }
    if (emit::is_forwarding(op)) {
      for (std::size_t k = 0; k < std::min(i.result_count(), i.operand_count()); ++k) {
        move(i, i.operand(k), i.result(k));
      }
      return true;
    }
    for (const std::uint32_t callee : i.calls()) {
      if (emit::is_control_flow(op) && module_.computation(callee).embedded()) {
        return fail(i, "calls an embedded computation as control flow");
      }
    }
    switch (op) {
      case BP_OP_WHILE: return loop(i);
      case BP_OP_CONDITIONAL: return branches(i);
      case BP_OP_CALL: return branch(i, 0, 0);
      default: break;
    }
    if (const std::string problem = emit::memory_problem(i); !problem.empty()) {
      return fail(i, problem);
    }
    if (emit::has_no_elements(i)) {
      return true;
    }
    if (op == BP_OP_RNG_GET_AND_UPDATE_STATE) {
      launch_random_state(i);
      return true;
    }
    if (op == BP_OP_COPY && emit::same_storage(i.shape(), i.operand_shape(0))) {
      move(i, i.operand(0), i.result());
      return true;
    }
    if (emit::scatter_in(i)) {  // into a copy
      for (std::size_t k = 0; k < i.result_count(); ++k) {
        move(i, i.operand(emit::scattered_operand(i, k)), i.result(k));
      }
    }
    return launch(i);
  }

  // --- launches ---

  bool launch(InstructionView i) {
    const emit::KernelCall call = emit::kernel_call(i);
    if (i.op() == BP_OP_SORT) {
      if (const auto sort = sort_for_team(i)) {
        return launch_sort(i, call, *sort);
      }
    }
    const Kernel &kernel = kernels_.of_call(i, call, guard_.has_value());
    if (!can_start(i, kernel)) {
      return false;
    }
    plan_.scratch_bytes = std::max(plan_.scratch_bytes, kernel.scratch_bytes);
    std::vector<Place> arguments;
    for (const emit::KernelArgument &argument : call.arguments) {
      arguments.push_back(place_of(argument.location, argument.location.size, argument.is_written));
    }
    arguments.push_back(place_in_scratch(0, kernel.scratch_bytes, kernel.scratch_bytes > 0));
    add_launch(i, kernel, arguments);
    return true;
  }

  // Tiles are sorted, then merged pass by pass, to scratch and back, so that the last pass is the one to the results.
  bool launch_sort(InstructionView i, const emit::KernelCall &call, const TeamSort &sort) {
    std::vector<Place> operands, results, scratch;
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < i.operand_count(); ++k) {
      const auto of_one = static_cast<std::uint64_t>(i.shape(k).bytes());
      operands.push_back(place_of(emit::location_of(module_, i.operand(k)), of_one));
      results.push_back(place_of(emit::location_of(module_, i.result(k)), of_one));
      scratch.push_back(place_in_scratch(bytes, of_one));
      bytes += (of_one + 63) / 64 * 64;
    }
    const int passes = sort.tiles.passes();
    if (passes > 0) {
      plan_.scratch_bytes = std::max(plan_.scratch_bytes, bytes);
    }
    const auto written_by = [&](int pass) { return (passes - pass) % 2 == 0 ? results : scratch; };
    for (int pass = 0; pass <= passes; ++pass) {
      const bool merges = pass > 0;
      std::vector<Place> arguments = merges ? written_by(pass - 1) : operands;
      for (Place to : written_by(pass)) {
        to.is_written = 1;
        arguments.push_back(to);
      }
      if (merges) {  // scratch has more bytes than a line has elements
        arguments.push_back(place_in_scratch(0, 0));
        arguments.push_back(place_in_scratch(static_cast<std::uint64_t>(sort.tiles.tile()) << (pass - 1), 0));
      }
      const Kernel &kernel = kernels_.of_sort(i, call, sort, merges, guard_.has_value());
      if (!can_start(i, kernel)) {
        return false;
      }
      add_launch(i, kernel, arguments);
    }
    return true;
  }

  void launch_random_state(InstructionView i) {
    const Location state = emit::location_of(module_, i.result());
    add_launch(i, kernels_.of_random_state(i, guard_.has_value()), {place_of(state, state.size, true)});
  }

  bool can_start(InstructionView i, const Kernel &kernel) {
    if (kernel.blocks > max_blocks) {
      return fail(i, "has more elements than a grid has threads", true);
    }
    if (kernel.shared_bytes > threads_.whole_shared_bytes()) {
      return fail(i, "has a kernel that needs " + std::to_string(kernel.shared_bytes) +
                         " bytes of shared memory, expected at most " + std::to_string(threads_.whole_shared_bytes()));
    }
    return true;
  }
  // The guard is the last argument.
  void add_launch(InstructionView i, const Kernel &kernel, const std::vector<Place> &arguments) {
    Command &command = add(CommandKind::Launch, i);
    command.kernel = kernel.number;
    command.grid = {static_cast<std::uint32_t>(kernel.blocks), kernel.threads, kernel.shared_bytes};
    plan_.places.insert(plan_.places.end(), arguments.begin(), arguments.end());
    if (guard_) {
      plan_.places.push_back(*guard_);
    }
    command.count = static_cast<std::uint32_t>(plan_.places.size()) - command.first;
    command.first_map = static_cast<std::uint32_t>(plan_.maps.size());
    command.map_count = static_cast<std::uint32_t>(kernel.maps.size());
    plan_.maps.insert(plan_.maps.end(), kernel.maps.begin(), kernel.maps.end());
  }

  const emit::ModuleView &module_;
  const Target &target_;
  const Threads &threads_;
  llvm::Module &code_;
  LaunchPlan &plan_;
  emit::Problem &problem_;
  GuardedCost costs_;
  KernelSet kernels_;
  std::optional<Place> guard_;  // of what is added
  std::uint64_t guard_bytes_ = 0;
};

}  // namespace

std::string launch_problem(InstructionView instruction, const Target &target) {
  const std::uint16_t op = instruction.op();
  const std::string problem = emit::kernel_problem(instruction, thread_target);
  const bool has_kernel =
      op != BP_OP_PARAMETER && op != BP_OP_CONSTANT && !emit::is_forwarding(op) && !emit::is_control_flow(op);
  // Each operand and result, scratch, of which the merges of a sort take two places, and a guard.
  const std::size_t parameters = instruction.operand_count() + instruction.result_count() + (op == BP_OP_SORT ? 3 : 2);
  if (!problem.empty() || !has_kernel || parameters <= most_parameters(target)) {
    return problem;
  }
  return "needs a kernel of " + std::to_string(parameters) + " parameters, expected at most " +
         std::to_string(most_parameters(target)) + " for " + target.text();
}

bool compile(const emit::ModuleView &module, const Target &target, const Threads &threads, llvm::Module &code,
             LaunchPlan &plan, emit::Problem &problem) {
  if (!module.final()) {
    problem.message = "the module is at stage " + std::to_string(module.image().stage) + ", expected the final stage";
    return false;
  }
  return Compiler(module, target, threads, code, plan, problem).run();
}

}  // namespace bp::nvptx
