#include "core/packing/heaps.h"

#include "core/packing/best_fit.h"

namespace bp::packing {

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
  std::vector<std::uint32_t> waiting, too_large;  // items
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    (items[i].size > limit && items[i].preset < 0 ? too_large : waiting).push_back(i);
  }
  while (!waiting.empty()) {
    std::vector<Item> candidates;
    for (std::uint32_t i : waiting) {
      candidates.push_back(items[i]);
    }
    Packing placed = BestFit(candidates).by_size_below(limit);
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
