#include "core/buffers/statistics.h"

#include <algorithm>
#include <map>

#include "core/buffers/live_range.h"

namespace bp::buffers {
namespace {

// A block of temporary memory that is in use from one tick to another. In-place results follow each other in one block,
// so blocks are identified by their slices, not by values.
struct Change {
  Tick at;
  bool begins;
  ValueId value;
};

// The temporary values of a plan over time.
class Temporaries {
 public:
  Temporaries(const Plan &plan, const Dataflow &dataflow, const std::vector<LiveRange> &ranges)
      : plan_(plan), dataflow_(dataflow), ranges_(ranges) {
    for (std::uint32_t i = 0; i < ranges.size(); ++i) {
      const Value &value = dataflow.values()[i];
      auto slice = plan.slice(value.instruction, value.position);
      if (slice && plan.allocations[slice->allocation].kind == AllocationKind::Temporary) {
        changes_.push_back({ranges[i].begin, true, static_cast<ValueId>(i)});
        changes_.push_back({ranges[i].end + 1, false, static_cast<ValueId>(i)});
      }
    }
    std::ranges::sort(changes_, [](const Change &a, const Change &b) {
      return std::tuple(a.at, a.begins, a.value) < std::tuple(b.at, b.begins, b.value);
    });
  }

  // Sets the live bytes over time, their lower bound and the tick of their peak. Returns the bytes at the peak.
  std::int64_t follow(MemoryStatistics &statistics) const {
    // Values that share a slice at one tick (an operand and what overwrites it) count once.
    std::map<Location, int> holders;
    // By memory space: live bytes and their maximum.
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> spaces;
    std::int64_t live = 0, most = 0;
    for (const Change &change : changes_) {
      std::int64_t size = dataflow_.value(change.value).size;
      if (size == 0) {
        continue;
      }
      int &count = holders[location(change.value)];
      std::int64_t growth = 0;
      if (change.begins && count++ == 0) {
        growth = size;
      } else if (!change.begins && --count == 0) {
        growth = -size;
      }
      auto &[live_here, max_here] = spaces[dataflow_.value(change.value).memory_space];
      live_here += growth;
      max_here = std::max(max_here, live_here);
      live += growth;
      if (live > most) {
        most = live;
        statistics.peak_tick = change.at;
      }
      if (statistics.live_bytes.empty() || statistics.live_bytes.back().first != change.at) {
        statistics.live_bytes.emplace_back(change.at, 0);
      }
      statistics.live_bytes.back().second = live;
    }
    for (const auto &[space, bytes] : spaces) {
      statistics.temporary_lower_bound += bytes.second;
    }
    return most;
  }

  // Returns the arrays at a tick, the largest first.
  std::vector<MemoryStatistics::LiveArray> arrays_at(Tick tick) const {
    std::map<Location, MemoryStatistics::LiveArray> at_tick;
    for (const Change &change : changes_) {
      const LiveRange &range = ranges_[index(change.value)];
      const Value &value = dataflow_.value(change.value);
      if (change.begins && value.size > 0 && range.begin <= tick && tick <= range.end) {
        at_tick[location(change.value)] = {value.instruction, value.position, slice(change.value)};
      }
    }
    std::vector<MemoryStatistics::LiveArray> arrays;
    for (const auto &[where, array] : at_tick) {
      arrays.push_back(array);
    }
    std::ranges::stable_sort(arrays, std::greater(), [](const auto &array) { return array.slice.size; });
    return arrays;
  }

 private:
  using Location = std::pair<std::uint32_t, std::int64_t>;  // allocation and offset

  Slice slice(ValueId value) const {
    return *plan_.slice(dataflow_.value(value).instruction, dataflow_.value(value).position);
  }
  Location location(ValueId value) const {
    const Slice at = slice(value);
    return {at.allocation, at.offset};
  }

  const Plan &plan_;
  const Dataflow &dataflow_;
  const std::vector<LiveRange> &ranges_;
  std::vector<Change> changes_;  // by tick
};

}  // namespace

Result<MemoryStatistics> measure(const ir::Module &module, const Plan &plan) {
  MemoryStatistics statistics;
  statistics.input_bytes = plan.bytes(AllocationKind::Input);
  statistics.output_bytes = plan.bytes(AllocationKind::Output);
  statistics.temporary_bytes = plan.bytes(AllocationKind::Temporary);
  statistics.constant_bytes = plan.bytes(AllocationKind::Constant);
  statistics.total_bytes = plan.total_bytes();
  for (const Allocation &allocation : plan.allocations) {
    statistics.donated_bytes += allocation.alias >= 0 ? allocation.size : 0;
  }

  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  Timeline timeline = flatten_schedule(dataflow);
  std::vector<LiveRange> ranges = live_ranges(dataflow, timeline);
  const Temporaries temporaries(plan, dataflow, ranges);
  const std::int64_t most = temporaries.follow(statistics);
  statistics.live_at_peak = temporaries.arrays_at(statistics.peak_tick);
  for (Tick tick = statistics.peak_tick;
       most > 0 && tick < timeline.instructions.size() && statistics.peak == ir::no_instruction; ++tick) {
    statistics.peak = timeline.instructions[tick];
  }
  return statistics;
}

}  // namespace bp::buffers
