#include "core/packing/heaps.h"

#include <algorithm>

#include "core/packing/best_fit.h"

namespace bp::packing {
namespace {

// Adds further heaps in one pass over time: each item lies above those that are in the last heap when it begins, or
// starts a new heap. No heap is higher than the limit.
void stack(std::span<const Item> items, std::vector<std::uint32_t> waiting, std::int64_t limit, Heaps &heaps) {
  struct Live {
    std::int64_t until, top;
  };
  std::vector<Live> live;  // by ascending top; an entry that has ended stays while a later one above it has not
  std::ranges::stable_sort(waiting, {}, [&](std::uint32_t i) { return items[i].needed.front().first; });
  for (bool is_first = true; std::uint32_t i : waiting) {
    const auto begin = items[i].needed.front().first, end = items[i].needed.back().second;
    while (!live.empty() && live.back().until <= begin) {
      live.pop_back();
    }
    std::int64_t offset = align_up(live.empty() ? 0 : live.back().top, items[i].alignment);
    if (is_first || offset > limit - items[i].size) {
      heaps.heights.push_back(0);
      live.clear();
      offset = 0;
      is_first = false;
    }
    live.push_back({end, offset + items[i].size});
    heaps.heap[i] = static_cast<std::uint32_t>(heaps.heights.size() - 1);
    heaps.offsets[i] = offset;
    heaps.heights.back() = std::max(heaps.heights.back(), live.back().top);
  }
}

}  // namespace

Heaps pack_in_heaps(std::span<const Item> items, std::int64_t limit, const Options &options) {
  if (lower_bound(items) <= limit) {
    Packing whole = pack(items, options);
    if (whole.height <= limit) {
      return {std::vector<std::uint32_t>(items.size(), 0), std::move(whole.offsets), {whole.height}};
    }
  }
  Heaps heaps;
  heaps.heap.resize(items.size());
  heaps.offsets.resize(items.size());
  // Items that go into a heap below the limit, and items that are larger than the limit.
  std::vector<std::uint32_t> waiting, too_large;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    (items[i].size > limit && items[i].preset < 0 ? too_large : waiting).push_back(i);
  }
  // The first heap takes all presets, even after the deadline.
  while (!waiting.empty() && (heaps.heights.empty() || BestFit::Clock::now() < options.deadline)) {
    std::vector<Item> candidates;
    for (std::uint32_t i : waiting) {
      candidates.push_back(items[i]);
    }
    Packing placed = BestFit(candidates, options.deadline).by_size_below(limit);
    std::vector<std::uint32_t> chosen, left;
    std::vector<Item> together;
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (placed.offsets[i] < 0) {
        left.push_back(waiting[i]);
        continue;
      }
      chosen.push_back(waiting[i]);
      together.push_back(items[waiting[i]]);
      offsets.push_back(placed.offsets[i]);
    }
    Packing packed = pack(together, options);
    if (packed.height > placed.height) {
      packed = {std::move(offsets), placed.height};
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      heaps.heap[chosen[i]] = static_cast<std::uint32_t>(heaps.heights.size());
      heaps.offsets[chosen[i]] = packed.offsets[i];
    }
    heaps.heights.push_back(packed.height);
    waiting = std::move(left);
  }
  stack(items, std::move(waiting), limit, heaps);
  for (std::uint32_t i : too_large) {
    heaps.heap[i] = static_cast<std::uint32_t>(heaps.heights.size());
    heaps.heights.push_back(items[i].size);
  }
  return heaps;
}

Status check(std::span<const Item> items, const Heaps &heaps) {
  std::vector<std::vector<Item>> members(heaps.heights.size());
  std::vector<Packing> packings(heaps.heights.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    members[heaps.heap[i]].push_back(items[i]);
    packings[heaps.heap[i]].offsets.push_back(heaps.offsets[i]);
  }
  for (std::size_t heap = 0; heap < packings.size(); ++heap) {
    packings[heap].height = heaps.heights[heap];
    BP_TRY(check(members[heap], packings[heap]));
  }
  return {};
}

}  // namespace bp::packing
