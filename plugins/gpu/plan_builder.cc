#include "plugins/gpu/plan_builder.h"

#include <algorithm>

#include "plugins/gpu/dependences.h"
#include "plugins/gpu/guarded_cost.h"

namespace bp::gpu {

using plugin::Status;

using emit::InstructionView;
using emit::Location;

namespace {

constexpr std::int64_t max_blocks = INT32_MAX;

// An output with a donated input has the memory of that input.
std::vector<std::uint32_t> memory_of_allocations(const emit::ModuleView &module) {
  std::vector<std::uint32_t> memory_of;
  for (const bp_allocation_t &allocation : module.allocations()) {
    const bool is_donated = allocation.kind == BP_ALLOC_OUTPUT && allocation.alias != BP_NONE;
    memory_of.push_back(is_donated ? allocation.alias : static_cast<std::uint32_t>(memory_of.size()));
  }
  memory_of.push_back(static_cast<std::uint32_t>(memory_of.size()));  // scratch
  return memory_of;
}

}  // namespace

MemoryRange range_of(const Location &location, std::uint64_t size, bool is_written) {
  return {location.allocation, is_written, location.offset, size};
}

PlanBuilder::PlanBuilder(const emit::ModuleView &module, const Threads &threads, llvm::Module &code, LaunchPlan &plan)
    : module_(module),
      threads_(threads),
      plan_(plan),
      kernels_(code, threads),
      scratch_(static_cast<std::uint32_t>(module.allocations().size())) {}

void PlanBuilder::finish() {
  for (MemoryRange &range : plan_.ranges) {
    if (range.allocation > scratch_) {  // guards come after the scratch memory of kernels
      range.allocation = scratch_;
      range.offset += plan_.scratch_bytes;
    }
  }
  plan_.scratch_bytes += guard_bytes_;
  for (const bp_allocation_t &allocation : module_.allocations()) {
    plan_.allocation_sizes.push_back(allocation.size);
  }
  plan_.allocation_sizes.push_back(plan_.scratch_bytes);
  plan_.kernel_count = kernels_.count();
  add_dependences(plan_, memory_of_allocations(module_));
}

Command &PlanBuilder::add(CommandKind kind, InstructionView origin) {
  Command &command = plan_.commands.emplace_back();
  command.kind = kind;
  command.origin = origin.id();
  command.first = static_cast<std::uint32_t>(plan_.ranges.size());
  return command;
}

MemoryRange PlanBuilder::range_in_scratch(std::uint64_t offset, std::uint64_t size, bool is_written) const {
  return {scratch_, is_written, offset, size};
}

std::uint32_t PlanBuilder::jump_unless(InstructionView origin, const MemoryRange &condition) {
  add(CommandKind::JumpUnless, origin);
  plan_.ranges.push_back(condition);
  return here() - 1;
}

void PlanBuilder::move(InstructionView origin, std::uint32_t from_value, std::uint32_t to_value) {
  const std::uint64_t size = moved_bytes(module_, from_value, to_value);
  if (size == 0) {
    return;
  }
  const Location from = emit::location_of(module_, from_value), to = emit::location_of(module_, to_value);
  if (guard_) {
    const std::uint64_t alignment = std::min(emit::alignment_of(module_, from), emit::alignment_of(module_, to));
    add_launch(origin, kernels_.of_move(size, alignment),
               {range_of(to, size, true), range_of(from, size), {to.allocation, 0, to.offset + size - 1, 0}});
    return;
  }
  add(CommandKind::Move, origin).size = size;
  plan_.ranges.insert(plan_.ranges.end(), {range_of(to, size, true), range_of(from, size)});
}

void PlanBuilder::write_again(std::uint32_t first, std::uint64_t length, std::uint64_t times) {
  for (std::uint64_t n = 0; n < length * times; ++n) {
    plan_.commands.push_back(Command(plan_.commands[first + n % length]));
  }
}

MemoryRange PlanBuilder::new_guards(std::uint32_t count) {
  return {scratch_ + 1, 0, std::exchange(guard_bytes_, guard_bytes_ + count), count};
}

void PlanBuilder::choose(InstructionView origin, std::uint32_t selector, MemoryRange guards) {
  const bool is_pred = module_.shape_of(selector).dtype == BP_DTYPE_PRED;
  guards.is_written = 1;
  add_launch(origin, kernels_.of_choice(static_cast<std::uint32_t>(guards.size), is_pred, guard_.has_value()),
             {range_of(emit::location_of(module_, selector), is_pred ? 1 : 4), guards});
}

Status PlanBuilder::launch(InstructionView i) {
  const emit::KernelCall call = emit::kernel_call(i);
  if (i.op() == BP_OP_SORT) {
    if (const auto sort = sort_for_team(i, threads_.target())) {
      return launch_sort(i, call, *sort);
    }
  }
  const Kernel &kernel = kernels_.of_call(i, call, guard_.has_value());
  BP_TRY(check(i, kernel));
  plan_.scratch_bytes = std::max(plan_.scratch_bytes, kernel.scratch_bytes);
  std::vector<MemoryRange> arguments;
  for (const emit::KernelArgument &argument : call.arguments) {
    arguments.push_back(range_of(argument.location, argument.location.size, argument.is_written));
  }
  arguments.push_back(range_in_scratch(0, kernel.scratch_bytes, kernel.scratch_bytes > 0));
  add_launch(i, kernel, arguments);
  return {};
}

// Tiles are sorted, then merged in passes that alternate between scratch memory and the results, so that the last pass
// writes the results.
Status PlanBuilder::launch_sort(InstructionView i, const emit::KernelCall &call, const TeamSort &sort) {
  std::vector<MemoryRange> operands, results, scratch;
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < i.operand_count(); ++k) {
    const auto of_one = static_cast<std::uint64_t>(i.shape(k).bytes());
    operands.push_back(range_of(emit::location_of(module_, i.operand(k)), of_one));
    results.push_back(range_of(emit::location_of(module_, i.result(k)), of_one));
    scratch.push_back(range_in_scratch(bytes, of_one));
    bytes += (of_one + 63) / 64 * 64;
  }
  const int passes = sort.tiles.passes();
  if (passes > 0) {
    plan_.scratch_bytes = std::max(plan_.scratch_bytes, bytes);
  }
  const auto written_by = [&](int pass) { return (passes - pass) % 2 == 0 ? results : scratch; };
  for (int pass = 0; pass <= passes; ++pass) {
    const bool merges = pass > 0;
    std::vector<MemoryRange> arguments = merges ? written_by(pass - 1) : operands;
    for (MemoryRange to : written_by(pass)) {
      to.is_written = 1;
      arguments.push_back(to);
    }
    if (merges) {  // their distance counts elements; scratch memory has more bytes than a line has elements
      arguments.push_back(range_in_scratch(0, 0));
      arguments.push_back(range_in_scratch(static_cast<std::uint64_t>(sort.tiles.tile()) << (pass - 1), 0));
    }
    const Kernel &kernel = kernels_.of_sort(i, call, sort, merges, guard_.has_value());
    BP_TRY(check(i, kernel));
    add_launch(i, kernel, arguments);
  }
  return {};
}

void PlanBuilder::launch_random_state(InstructionView i) {
  const Location state = emit::location_of(module_, i.result());
  add_launch(i, kernels_.of_random_state(i, guard_.has_value()), {range_of(state, state.size, true)});
}

Status PlanBuilder::check(InstructionView i, const Kernel &kernel) {
  if (kernel.blocks > max_blocks) {
    return emit::error_at(i, BP_UNSUPPORTED, "has more elements than a grid has threads");
  }
  if (kernel.shared_bytes > threads_.target().max_shared_bytes) {
    return emit::error_at(i, BP_INTERNAL,
                          "has a kernel that needs " + std::to_string(kernel.shared_bytes) +
                              " bytes of shared memory, expected at most " +
                              std::to_string(threads_.target().max_shared_bytes));
  }
  return {};
}

void PlanBuilder::add_launch(InstructionView i, const Kernel &kernel, const std::vector<MemoryRange> &arguments) {
  Command &command = add(CommandKind::Launch, i);
  command.kernel = kernel.number;
  command.grid = {static_cast<std::uint32_t>(kernel.blocks), kernel.threads, kernel.shared_bytes};
  plan_.ranges.insert(plan_.ranges.end(), arguments.begin(), arguments.end());
  if (guard_) {
    plan_.ranges.push_back(*guard_);
  }
  command.count = static_cast<std::uint32_t>(plan_.ranges.size()) - command.first;
  command.first_map = static_cast<std::uint32_t>(plan_.maps.size());
  command.map_count = static_cast<std::uint32_t>(kernel.maps.size());
  plan_.maps.insert(plan_.maps.end(), kernel.maps.begin(), kernel.maps.end());
}

}  // namespace bp::gpu
