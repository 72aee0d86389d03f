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
  std::vector<Change> changes;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const Value &value = dataflow.values()[i];
    auto slice = plan.slice(value.instruction, value.position);
    if (slice && plan.allocations[slice->allocation].kind == AllocationKind::Temporary) {
      changes.push_back({ranges[i].begin, true, static_cast<ValueId>(i)});
      changes.push_back({ranges[i].end + 1, false, static_cast<ValueId>(i)});
    }
  }
  std::ranges::sort(changes, [](const Change &a, const Change &b) {
    return std::tuple(a.at, a.begins, a.value) < std::tuple(b.at, b.begins, b.value);
  });
  // Values that share a slice at one tick (an operand and what overwrites it) count once.
  std::map<std::pair<std::uint32_t, std::int64_t>, int> holders;
  auto key = [&](ValueId value) {
    Slice slice = *plan.slice(dataflow.value(value).instruction, dataflow.value(value).position);
    return std::pair(slice.allocation, slice.offset);
  };
  // By memory space: live bytes and their maximum.
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> spaces;
  std::int64_t live = 0, most = 0;
  Tick peak = 0;
  for (const Change &change : changes) {
    std::int64_t size = dataflow.value(change.value).size;
    if (size == 0) {
      continue;
    }
    int &count = holders[key(change.value)];
    std::int64_t growth = 0;
    if (change.begins && count++ == 0) {
      growth = size;
    } else if (!change.begins && --count == 0) {
      growth = -size;
    }
    auto &[live_here, max_here] = spaces[dataflow.value(change.value).memory_space];
    live_here += growth;
    max_here = std::max(max_here, live_here);
    live += growth;
    if (live > most) {
      most = live;
      peak = change.at;
    }
    if (statistics.live_bytes.empty() || statistics.live_bytes.back().first != change.at) {
      statistics.live_bytes.emplace_back(change.at, 0);
    }
    statistics.live_bytes.back().second = live;
  }
  for (const auto &[space, bytes] : spaces) {
    statistics.temporary_lower_bound += bytes.second;
  }
  statistics.peak_tick = peak;
  std::map<std::pair<std::uint32_t, std::int64_t>, MemoryStatistics::LiveArray> at_peak;
  for (const Change &change : changes) {
    const LiveRange &range = ranges[index(change.value)];
    const Value &value = dataflow.value(change.value);
    if (change.begins && value.size > 0 && range.begin <= peak && peak <= range.end) {
      at_peak[key(change.value)] = {value.instruction, value.position, *plan.slice(value.instruction, value.position)};
    }
  }
  for (const auto &[where, array] : at_peak) {
    statistics.live_at_peak.push_back(array);
  }
  std::ranges::stable_sort(statistics.live_at_peak, std::greater(), [](const auto &array) { return array.slice.size; });
  for (Tick tick = peak; most > 0 && tick < timeline.instructions.size() && statistics.peak == ir::no_instruction;
       ++tick) {
    statistics.peak = timeline.instructions[tick];
  }
  return statistics;
}

}  // namespace bp::buffers
