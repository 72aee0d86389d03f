// An iteration ends with moves of values that it has made, from the memory `made` to the memory `carried`, where the
// next iteration reads them. If such a move is left out, the next iteration exchanges the two in all of its reads and
// writes: it finds the value where it was made, and leaves its own at `carried`, where the loop's results are, too.
// This loses no value, because the bytes at `made` before an iteration are not a value of the loop.
#include "plugins/gpu/two_iterations.h"

#include <algorithm>
#include <span>

#include "plugins/llvm/kernel/call.h"

namespace bp::gpu {
namespace {

using emit::Location;

struct Exchange {
  Location made, carried;
  std::size_t move;  // index of the command that is left out
};

bool contains(const Location &whole, const Location &part) {
  return whole.overlaps(part) && whole.offset <= part.offset && part.offset + part.size <= whole.offset + whole.size;
}

class Iteration {
 public:
  Iteration(LaunchPlan &plan, std::uint32_t first, const emit::ModuleView &module, emit::ComputationView body)
      : plan_(plan), module_(module), commands_(plan.commands.begin() + first, plan.commands.end()) {
    for (const std::uint32_t parameter : body.parameters()) {
      if (const Location location = emit::location_of(module, parameter); location.exists() && location.size > 0) {
        parameters_.push_back(location);
      }
    }
  }

  std::vector<Command> twice() {
    for (std::size_t n = 0; n < commands_.size(); ++n) {
      if (commands_[n].kind == CommandKind::Move) {
        const auto ranges = ranges_of(plan_, commands_[n]);
        const Exchange exchange = {location(ranges[1]), location(ranges[0]), n};
        if (is_possible(exchange)) {
          exchanges_.push_back(exchange);
        }
      }
    }
    std::vector<Command> result;
    if (!exchanges_.empty()) {
      add(result, false);
      add(result, true);
    }
    return result;
  }

 private:
  Location location(const MemoryRange &range) const {
    Location result = {range.allocation, range.allocation, range.offset, range.size};
    if (range.allocation < module_.allocations().size()) {
      const bp_allocation_t &allocation = module_.allocations()[range.allocation];
      if (allocation.kind == BP_ALLOC_OUTPUT && allocation.alias != BP_NONE) {
        result.memory = allocation.alias;
      }
    }
    return result;
  }
  // Whether an iteration may write the memory, and its alignment is the maximum that kernels rely on, so that they work
  // on either of two such memories.
  bool is_usable(const Location &memory) const {
    constexpr std::uint64_t max_alignment = 64;
    if (memory.allocation >= module_.allocations().size()) {
      return false;
    }
    const auto kind = module_.allocations()[memory.allocation].kind;
    return (kind == BP_ALLOC_TEMP || kind == BP_ALLOC_OUTPUT) && emit::alignment_of(module_, memory) == max_alignment;
  }
  bool is_possible(const Exchange &exchange) const {
    const auto &[made, carried, move] = exchange;
    if (made.size != carried.size || made.overlaps(carried) || !is_usable(made) || !is_usable(carried)) {
      return false;
    }
    const auto is_carried = [&](const Location &parameter) {
      return parameter.same(carried) && parameter.size == carried.size;
    };
    if (std::ranges::none_of(parameters_, is_carried) ||
        std::ranges::any_of(parameters_, [&](const Location &parameter) {
          return parameter.overlaps(made) || (parameter.overlaps(carried) && !is_carried(parameter));
        })) {
      return false;
    }
    const auto overlaps = [&](const Location &memory) { return memory.overlaps(made) || memory.overlaps(carried); };
    if (std::ranges::any_of(exchanges_,
                            [&](const Exchange &other) { return overlaps(other.made) || overlaps(other.carried); })) {
      return false;
    }
    for (std::size_t n = 0; n < commands_.size(); ++n) {
      for (const MemoryRange &range : ranges_of(plan_, commands_[n])) {
        const Location used = location(range);
        if (overlaps(used) && !contains(made, used) && !contains(carried, used)) {
          return false;
        }
        // The value that is passed on must be the one that was moved.
        if (n > move && (used.overlaps(carried) || (used.overlaps(made) && range.is_written != 0))) {
          return false;
        }
      }
    }
    return true;
  }

  MemoryRange exchanged(MemoryRange range) const {
    const Location used = location(range);
    for (const Exchange &exchange : exchanges_) {
      for (const auto &[from, to] : {std::pair(exchange.made, exchange.carried), {exchange.carried, exchange.made}}) {
        if (from.overlaps(used)) {
          return {to.allocation, range.is_written, to.offset + (range.offset - from.offset), range.size};
        }
      }
    }
    return range;
  }
  void add(std::vector<Command> &result, bool exchanges_ranges) {
    for (std::size_t n = 0; n < commands_.size(); ++n) {
      if (std::ranges::any_of(exchanges_, [&](const Exchange &exchange) { return exchange.move == n; })) {
        continue;
      }
      Command &command = result.emplace_back(commands_[n]);
      if (exchanges_ranges) {
        const auto ranges = ranges_of(plan_, command);
        std::vector<MemoryRange> others(ranges.begin(), ranges.end());
        std::ranges::transform(others, others.begin(), [&](const MemoryRange &range) { return exchanged(range); });
        command.first = static_cast<std::uint32_t>(plan_.ranges.size());
        plan_.ranges.insert(plan_.ranges.end(), others.begin(), others.end());
      }
    }
  }

  LaunchPlan &plan_;
  const emit::ModuleView &module_;
  std::vector<Command> commands_;
  std::vector<Location> parameters_;
  std::vector<Exchange> exchanges_;
};

}  // namespace

std::vector<Command> two_iterations(LaunchPlan &plan, std::uint32_t first, const emit::ModuleView &module,
                                    emit::ComputationView body) {
  return Iteration(plan, first, module, body).twice();
}

}  // namespace bp::gpu
