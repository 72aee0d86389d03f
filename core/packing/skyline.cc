#include "core/packing/skyline.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace bp::packing {
namespace {

constexpr std::size_t max_incidences = 4'000'000;

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

Skyline::Skyline(std::span<const Item> items, std::int64_t height)
    : height_(height), items_(items.begin(), items.end()) {
  for (const Item &item : items) {
    unit_ = std::gcd(std::gcd(unit_, item.size), item.alignment > 1 ? item.alignment : 0);
  }
  make_sections();
  visit_stamps_.assign(needed_in_.size(), 0);
}

bool Skyline::is_too_large() const {
  return items_.size() > max_items || incidences_ > max_incidences;
}

void Skyline::make_sections() {
  std::vector<std::pair<std::int64_t, bool>> borders;  // time, and whether an item begins there
  for (const Item &item : items_) {
    for (auto [begin, end] : item.needed) {
      if (begin < end) {
        borders.emplace_back(begin, true);
        borders.emplace_back(end, false);
      }
    }
  }
  std::ranges::sort(borders);  // at equal times, ends come first
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    if (borders[i].second && !borders[i + 1].second) {
      times.push_back(borders[i].first);
    }
  }
  auto section_at = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  ranges_.resize(items_.size());
  areas_.resize(items_.size());
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    for (auto [begin, end] : items_[i].needed) {
      if (begin < end) {
        ranges_[i].push_back({section_at(begin), section_at(end)});
        std::uint32_t sections = ranges_[i].back().end - ranges_[i].back().begin;
        incidences_ += sections;
        areas_[i] += static_cast<double>(items_[i].size) * sections;
      }
    }
  }
  if (is_too_large()) {
    return;
  }
  needed_in_.resize(times.size());
  beginning_in_.resize(times.size());
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    for_each_section(i, [&](std::uint32_t section) { needed_in_[section].push_back(i); });
    beginning_in_[hull(i).begin].push_back(i);
  }
}

bool Skyline::covers(std::uint32_t item, std::uint32_t section) const {
  return std::ranges::any_of(ranges_[item], [&](Range r) { return r.begin <= section && section < r.end; });
}

std::uint64_t Skyline::hash(Range sections) const {
  steps_ += 2 * (sections.end - sections.begin);
  std::uint64_t hash = 0;
  for (std::uint32_t section = sections.begin; section < sections.end; ++section) {
    hash ^= mix(static_cast<std::uint64_t>(floor_[section]) * 1'000'003u + section) ^ coming_hash_[section];
  }
  return hash;
}

bool Skyline::is_flat(std::uint32_t item) const {
  bool flat = true;
  for_each_section(item, [&](std::uint32_t section) { flat = flat && floor_[section] == lowest_[item]; });
  return flat;
}

bool Skyline::may_be_laid(std::uint32_t item) const {
  std::int64_t lowest = lowest_[item];
  bool can = true;
  for_each_section(item, [&](std::uint32_t section) { can = can && lowest - floor_[section] <= slack_[section]; });
  for_each_section(item, [&](std::uint32_t section) {
    if (can && floor_[section] < lowest) {
      const std::vector<std::uint32_t> &others = needed_in_[section];
      steps_ += static_cast<std::int64_t>(others.size());
      can = std::ranges::none_of(others, [&](std::uint32_t other) {
        return other != item && !is_laid(other) && lowest_[other] + items_[other].size <= lowest;
      });
    }
  });
  return can;
}

void Skyline::count(std::uint32_t item, std::int32_t more) {
  for_each_section(item, [&](std::uint32_t section) { coming_in_[section] += more; });
  laid_area_ -= more * areas_[item];
  Range all = hull(item);
  for (std::uint32_t section = all.begin + 1; section < all.end; ++section) {
    crossing_[section] += more;
  }
  coming_hash_[all.begin] ^= mix(~static_cast<std::uint64_t>(item));
}

bool Skyline::clear() {
  offsets_.assign(items_.size(), -1);
  floor_.assign(section_count(), 0);
  slack_.assign(section_count(), height_);
  lowest_.assign(items_.size(), 0);
  is_laid_.assign(items_.size(), 0);
  coming_in_.assign(section_count(), 0);
  crossing_.assign(section_count(), 0);
  coming_hash_.assign(section_count(), 0);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    for_each_section(i, [&](std::uint32_t section) { slack_[section] -= items_[i].size; });
    count(i, 1);
  }
  trail_.clear();
  laid_area_ = 0;
  steps_ = static_cast<std::int64_t>(20 * items_.size() + 4 * incidences_);
  return std::ranges::all_of(slack_, [](std::int64_t slack) { return slack >= 0; });
}

bool Skyline::lay(std::uint32_t item) {
  std::int64_t offset = lowest_[item], top = offset + items_[item].size;
  lifted_.clear();
  offsets_[item] = offset;
  is_laid_[item] = 1;
  count(item, -1);
  trail_.push_back({nullptr, 0, item});
  bool fits = true;
  for_each_section(item, [&](std::uint32_t section) {
    if (fits) {
      std::int64_t wasted = offset - floor_[section];
      fits = wasted <= slack_[section];
      if (fits) {
        if (wasted > 0) {
          set(slack_[section], slack_[section] - wasted);
        }
        set(floor_[section], top);
        fits = lift_items(section, top);
      }
    }
  });
  return fits && close_gaps();
}

bool Skyline::raise_all(Range sections, std::int64_t floor) {
  lifted_.clear();
  for (std::uint32_t section = sections.begin; section < sections.end; ++section) {
    if (floor_[section] < floor && !is_done(section) && (!raise(section, floor) || !lift_items(section, floor))) {
      return false;
    }
  }
  return close_gaps();
}

// The next item in the section lies either on an item that is not needed in the section or, if it cannot be laid now,
// at its lowest offset.
bool Skyline::raise_above(std::uint32_t section) {
  std::int64_t floor = floor_[section], next = Skyline::no_height;
  for (std::uint32_t item : needed_in_[section]) {
    if (is_laid(item)) {
      continue;
    }
    if (lowest_[item] > floor && !may_be_laid(item)) {
      next = std::min(next, lowest_[item]);
      continue;
    }
    // If another item lies high enough to matter, it ends above the lowest offset of this one.
    std::int64_t least = lowest_[item] + unit_;
    for_each_section(item, [&](std::uint32_t s) {
      if (least >= next) {
        return;
      }
      steps_ += static_cast<std::int64_t>(needed_in_[s].size());
      for (std::uint32_t other : needed_in_[s]) {
        std::int64_t end = std::max(lowest_[other] + items_[other].size, least);
        if (!is_laid(other) && end < next && !covers(other, section)) {
          next = end;
        }
      }
    });
  }
  lifted_.clear();
  return next != Skyline::no_height && raise(section, next) && lift_items(section, next) && close_gaps();
}

bool Skyline::raise(std::uint32_t section, std::int64_t floor) {
  std::int64_t wasted = floor - floor_[section];
  if (wasted > slack_[section]) {
    return false;
  }
  set(slack_[section], slack_[section] - wasted);
  set(floor_[section], floor);
  return true;
}

bool Skyline::lift_items(std::uint32_t section, std::int64_t floor) {
  steps_ += static_cast<std::int64_t>(needed_in_[section].size());
  for (std::uint32_t item : needed_in_[section]) {
    if (!is_laid(item) && lowest_[item] < floor) {
      std::int64_t lowest = align_up(floor, items_[item].alignment);
      if (lowest > height_ - items_[item].size) {
        return false;
      }
      set(lowest_[item], lowest);
      lifted_.push_back(item);
    }
  }
  return true;
}

// Raises the floors to the lowest offset of the next item, in all sections of lifted items.
bool Skyline::close_gaps() {
  ++current_stamp_;
  for (std::uint32_t item : lifted_) {
    bool fits = true;
    for_each_section(item, [&](std::uint32_t section) {
      if (!fits || visit_stamps_[section] == current_stamp_) {
        return;
      }
      visit_stamps_[section] = current_stamp_;
      std::int64_t lowest = Skyline::no_height;
      steps_ += static_cast<std::int64_t>(needed_in_[section].size());
      for (std::uint32_t other : needed_in_[section]) {
        if (!is_laid(other)) {
          lowest = std::min(lowest, lowest_[other]);
        }
      }
      if (lowest != Skyline::no_height && lowest > floor_[section]) {
        fits = raise(section, lowest);
      }
    });
    if (!fits) {
      return false;
    }
  }
  return true;
}

void Skyline::rewind(std::size_t mark) {
  while (trail_.size() > mark) {
    const Change &change = trail_.back();
    if (change.place != nullptr) {
      *change.place = change.value;
    } else {
      is_laid_[change.item] = 0;
      count(change.item, 1);
    }
    trail_.pop_back();
  }
}

}  // namespace bp::packing
