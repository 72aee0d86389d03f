#include "core/packing/ejection.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace bp::packing {
namespace {

constexpr std::int64_t steps_per_item = 1'000, steps_per_concurrent = 100;
constexpr std::int64_t steps_per_look_at_clock = 200'000;
constexpr double dearer_each_time = 2;  // cost added per ejection, as a multiple of the item's area
constexpr double noise = 0.2;
constexpr double progress = 0.99;  // the area that is out must fall to this fraction of its minimum so far

}  // namespace

Ejection::Ejection(std::span<const Item> items) : items_(items), is_laid_(items.size()), stamps_(items.size()) {
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    double duration = 0;
    for (auto [begin, end] : items[i].needed) {
      if (begin < end && items[i].size > 0) {
        needs_.push_back({begin, end, i});
        duration += static_cast<double>(end) - static_cast<double>(begin);
      }
    }
    sizes_.push_back(items[i].size);
    areas_.push_back(static_cast<double>(items[i].size) * duration);
  }
  std::ranges::sort(needs_, {}, &Need::begin);
  leaves_ = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(needs_.size(), 1)));
  last_end_.assign(2 * static_cast<std::size_t>(leaves_), std::numeric_limits<std::int64_t>::min());
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    last_end_[leaves_ + i] = needs_[i].end;
  }
  for (std::uint32_t i = leaves_ - 1; i > 0; --i) {
    last_end_[i] = std::max(last_end_[2 * i], last_end_[2 * i + 1]);
  }
}

void Ejection::begin(std::span<const std::int64_t> offsets) {
  offsets_.assign(offsets.begin(), offsets.end());
  costs_ = areas_;
  out_.clear();
  area_out_ = 0;
  std::ranges::transform(areas_, is_laid_.begin(), [](double area) { return area > 0 ? 1 : 0; });
}

void Ejection::lower(std::int64_t height) {
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (is_laid_[i] != 0 && items_[i].preset < 0 && offsets_[i] + sizes_[i] > height) {
      take_out(i);
    }
  }
}

void Ejection::take_out(std::uint32_t item) {
  is_laid_[item] = 0;
  out_.push_back(item);
  area_out_ += areas_[item];
  std::ranges::push_heap(out_, {}, [&](std::uint32_t i) { return costs_[i]; });
}

bool Ejection::run(std::int64_t height, std::int64_t steps, std::int64_t patience, Clock::time_point deadline) {
  steps_ = 0;
  std::int64_t next_look_at_clock = 0, last_progress = 0;
  double min_out = area_out_;
  while (!out_.empty()) {
    if (area_out_ < progress * min_out) {
      min_out = area_out_;
      last_progress = steps_;
    }
    if (steps_ >= next_look_at_clock) {
      next_look_at_clock = steps_ + steps_per_look_at_clock;
      if (Clock::now() >= deadline) {
        return false;
      }
    }
    const Position position = find_position(out_.front(), height);
    if (position.offset < 0 || steps_ >= steps || steps_ - last_progress >= patience) {
      return false;
    }
    std::ranges::pop_heap(out_, {}, [&](std::uint32_t i) { return costs_[i]; });
    const std::uint32_t item = out_.back();
    out_.pop_back();
    area_out_ -= areas_[item];
    lay(item, position);
  }
  return true;
}

void Ejection::lay(std::uint32_t item, Position position) {
  if (!position.is_free) {
    costs_[item] += dearer_each_time * areas_[item];
    for (std::uint32_t other : concurrent_) {
      if (offsets_[other] < position.offset + sizes_[item] && position.offset < offsets_[other] + sizes_[other]) {
        take_out(other);
      }
    }
  }
  offsets_[item] = position.offset;
  is_laid_[item] = 1;
}

void Ejection::find_concurrent(std::uint32_t item) {
  concurrent_.clear();
  stamps_[item] = ++current_stamp_;
  for (auto [begin, end] : items_[item].needed) {
    if (begin < end) {
      visit_needs(begin, end);
    }
  }
  steps_ += steps_per_item + steps_per_concurrent * static_cast<std::int64_t>(concurrent_.size());
}

void Ejection::visit_needs(std::int64_t begin, std::int64_t end) {
  const auto limit =
      static_cast<std::uint32_t>(std::ranges::lower_bound(needs_, end, {}, &Need::begin) - needs_.begin());
  auto walk = [&](auto &&self, std::uint32_t node, std::uint32_t first, std::uint32_t count) -> void {
    if (first >= limit || last_end_[node] <= begin) {
      return;
    }
    if (count > 1) {
      self(self, 2 * node, first, count / 2);
      self(self, 2 * node + 1, first + count / 2, count / 2);
      return;
    }
    const std::uint32_t other = needs_[first].item;
    if (is_laid_[other] != 0 && stamps_[other] != current_stamp_) {
      stamps_[other] = current_stamp_;
      concurrent_.push_back(other);
    }
  };
  walk(walk, 1, 0, leaves_);
}

void Ejection::sort_marks() {
  bottoms_.clear();
  tops_.clear();
  for (std::uint32_t other : concurrent_) {
    const Mark bottom{offsets_[other], costs_[other], items_[other].preset >= 0 ? 1 : 0};
    bottoms_.push_back(bottom);
    tops_.push_back({bottom.offset + sizes_[other], bottom.cost, bottom.is_preset});
  }
  std::ranges::sort(bottoms_, {}, &Mark::offset);
  std::ranges::sort(tops_, {}, &Mark::offset);
}

// Returns the smallest gap that the item fits into; if there is none, the position where the items in the way have the
// lowest total cost: at the bottom, directly on or below another item, or directly below the height. An item is in the
// way if both would take the same address.
Ejection::Position Ejection::find_position(std::uint32_t item, std::int64_t height) {
  find_concurrent(item);
  sort_marks();
  const std::int64_t size = sizes_[item], alignment = items_[item].alignment;
  Position best;
  for (bool is_on_top : {true, false}) {
    std::size_t begun = 0, ended = 0;
    double cost = 0;
    std::int32_t presets = 0;
    for (std::size_t i = 0; i <= concurrent_.size(); ++i) {
      const std::int64_t offset =
          is_on_top ? align_up(i == 0 ? 0 : tops_[i - 1].offset, alignment)
                    : ((i < concurrent_.size() ? std::min(bottoms_[i].offset, height) : height) - size) / alignment *
                          alignment;
      if (offset < 0 || offset > height - size) {
        continue;
      }
      for (; begun < concurrent_.size() && bottoms_[begun].offset < offset + size; ++begun) {
        cost += bottoms_[begun].cost;
        presets += bottoms_[begun].is_preset;
      }
      for (; ended < concurrent_.size() && tops_[ended].offset <= offset; ++ended) {
        cost -= tops_[ended].cost;
        presets -= tops_[ended].is_preset;
      }
      Position position{offset, begun == ended, 0};
      if (presets > 0 || (best.is_free && !position.is_free)) {
        continue;
      }
      if (position.is_free) {
        const std::int64_t end = begun < concurrent_.size() ? bottoms_[begun].offset : height;
        position.measure = static_cast<double>(end - (i == 0 ? 0 : tops_[ended - 1].offset));
      } else {
        position.measure = cost * (1 + noise * random_.uniform());
      }
      if (best.offset < 0 || position.is_free > best.is_free || position.measure < best.measure) {
        best = position;
      }
    }
    if (best.is_free) {
      break;
    }
  }
  return best;
}

}  // namespace bp::packing
