// Tight problems: the search continues in a valley, a run of sections with equal floors between higher ones. In a
// section of a valley, the choices are the items below which nothing else would fit, or no item; then the floor is
// raised to where the next item may lie. So there are few choices; the strategy decides which valley is next, and the
// order of the choices. Loose problems: any packing can be laid by ascending offsets, so that the next item is one
// whose lowest offset is below the lowest possible end of any item; all floors are then raised to its offset.
//
// Besides the pruning by the skyline, three rules keep the tree small:
// - where no item that is left crosses a border of sections, both sides are searched independently, and if one has no
//   solution, no other way to lay the first is tried;
// - a skyline with the same items left is never searched twice;
// - of equal items, one is tried.
#include "core/packing/skyline_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace bp::packing {
namespace {

constexpr std::size_t max_dead_ends = 4'000'000;
constexpr std::uint32_t raise_floor = static_cast<std::uint32_t>(-1);  // the choice to lay no item

}  // namespace

void SkylineSearch::set_order(const Strategy &strategy) {
  strategy_ = strategy;
  const std::vector<Item> &items = skyline_.items();
  rank_.resize(items.size());
  merit_.resize(items.size());
  is_no_valley_.assign(skyline_.section_count(), 0);
  several_times_.clear();
  std::mt19937_64 random(strategy.seed);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    std::uint32_t sections = 0;
    for (Range range : skyline_.ranges(i)) {
      sections += range.end - range.begin;
    }
    if (skyline_.ranges(i).size() > 1) {
      several_times_.push_back(i);
    }
    double noise = static_cast<double>(random() >> 11) * 0x1p-53;
    rank_[i] = strategy.length * std::log(static_cast<double>(sections)) +
               strategy.size * std::log(static_cast<double>(items[i].size)) + strategy.noise * noise +
               nudge_of(strategy, i);
  }
}

bool SkylineSearch::give_up(const std::atomic<std::int64_t> &steps, std::int64_t patience, Clock::time_point deadline) {
  std::int64_t taken = steps_taken();
  if (skyline_.laid_area() > max_laid_) {
    max_laid_ = skyline_.laid_area();
    last_progress_ = taken;
  }
  if (taken >= next_look_at_clock_) {
    next_look_at_clock_ = taken + 100'000;
    if (Clock::now() >= deadline) {
      return true;
    }
  }
  return taken - last_progress_ >= patience || taken >= steps.load(std::memory_order_relaxed);
}

SkylineSearch::Outcome SkylineSearch::run(const Strategy &strategy, const std::atomic<std::int64_t> &steps,
                                          std::int64_t patience, Clock::time_point deadline) {
  steps_ = next_look_at_clock_ = last_progress_ = 0;
  max_laid_ = 0;
  if (!skyline_.clear()) {
    return Outcome::Impossible;
  }
  set_order(strategy);
  parts_.clear();
  frames_.clear();
  choices_.clear();
  std::uint32_t part = split({0, skyline_.section_count()}, nobody, nobody);
  while (part != nobody) {
    if (give_up(steps, patience, deadline)) {
      return Outcome::GaveUp;
    }
    std::uint32_t frame = parts_[part].frame;  // the frame that makes the next choice
    if (open(Part(parts_[part]))) {
      frame = static_cast<std::uint32_t>(frames_.size() - 1);
    }
    while (true) {
      if (frame == nobody) {
        return Outcome::Impossible;
      }
      frames_.resize(frame + 1);
      if (advance(frames_[frame])) {
        break;
      }
      if (dead_ends_.size() < max_dead_ends) {
        dead_ends_.insert(frames_[frame].hash);
      }
      frame = frames_[frame].parent;
    }
    part = split(frames_[frame].sections, frame, frames_[frame].next_part);
  }
  return Outcome::Found;
}

// Splits those sections into parts that share no item still to be laid, and puts them before `next`, the shortest
// first.
std::uint32_t SkylineSearch::split(Range sections, std::uint32_t frame, std::uint32_t next) {
  std::size_t first = parts_.size();
  for (std::uint32_t begin = sections.begin, end = begin; begin < sections.end; begin = end) {
    do {
      ++end;
    } while (end < sections.end && skyline_.is_crossed(end));
    if (end > begin + 1 || !skyline_.is_done(begin)) {
      parts_.push_back({{begin, end}, frame, nobody});
    }
  }
  steps_ += sections.end - sections.begin;
  auto length = [](const Part &part) { return part.sections.end - part.sections.begin; };
  std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(first), parts_.end(),
            [&](const Part &a, const Part &b) { return length(a) > length(b); });
  for (std::size_t i = first; i < parts_.size(); ++i) {
    parts_[i].next = next;
    next = static_cast<std::uint32_t>(i);
  }
  return next;
}

// Determines the choices for a part. Returns false if the part is known to have no solution.
bool SkylineSearch::open(const Part &part) {
  std::uint64_t hash = skyline_.hash(part.sections);
  if (dead_ends_.contains(hash)) {
    return false;
  }
  Frame &frame = frames_.emplace_back();
  frame.sections = part.sections;
  frame.parent = part.frame;
  frame.next_part = part.next;
  frame.parts_end = static_cast<std::uint32_t>(parts_.size());
  frame.mark = skyline_.mark();
  frame.hash = hash;
  frame.choices_begin = choices_.size();
  collect_choices(frame);
  frame.untried_end = frame.choices_end = choices_.size();
  return true;
}

void SkylineSearch::collect_choices(Frame &frame) {
  if (strategy_.method == Strategy::Method::Rising) {
    std::int64_t lowest_end = Skyline::no_height;
    for (std::uint32_t section = frame.sections.begin; section < frame.sections.end; ++section) {
      for (std::uint32_t item : skyline_.beginning_in(section)) {
        if (!skyline_.is_laid(item)) {
          choices_.push_back(item);
          lowest_end = std::min(lowest_end, skyline_.lowest(item) + skyline_.items()[item].size);
        }
      }
    }
    steps_ += 4 * static_cast<std::int64_t>(choices_.size() - frame.choices_begin);
    auto begin = choices_.begin() + static_cast<std::ptrdiff_t>(frame.choices_begin);
    choices_.erase(
        std::remove_if(begin, choices_.end(), [&](std::uint32_t item) { return skyline_.lowest(item) >= lowest_end; }),
        choices_.end());
  } else {
    frame.valley = find_valley(frame.sections);
    if (skyline_.slack(frame.valley) > 0) {
      choices_.push_back(raise_floor);
    }
    std::ranges::copy_if(skyline_.needed_in(frame.valley), std::back_inserter(choices_),
                         [&](std::uint32_t item) { return !skyline_.is_laid(item) && skyline_.may_be_laid(item); });
  }
  auto begin = choices_.begin() + static_cast<std::ptrdiff_t>(frame.choices_begin);
  if (begin != choices_.end() && *begin == raise_floor) {
    ++begin;
  }
  steps_ += 20 * (choices_.end() - begin);
  std::for_each(begin, choices_.end(), [&](std::uint32_t item) { merit_[item] = merit(item, frame); });
  std::sort(begin, choices_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(merit_[a], b) < std::pair(merit_[b], a); });
}

// Tries the next choice that is possible. Returns false if there is none.
bool SkylineSearch::advance(Frame &frame) {
  parts_.resize(frame.parts_end);
  choices_.resize(frame.choices_end);
  while (frame.untried_end > frame.choices_begin) {
    skyline_.rewind(frame.mark);
    if (try_choice(frame, choices_[--frame.untried_end])) {
      return true;
    }
  }
  skyline_.rewind(frame.mark);
  return false;
}

bool SkylineSearch::try_choice(const Frame &frame, std::uint32_t choice) {
  if (choice == raise_floor) {
    return skyline_.raise_above(frame.valley);
  }
  auto tried = std::span(choices_).subspan(frame.untried_end + 1);
  if (std::ranges::any_of(tried, [&](std::uint32_t other) { return is_equal(choice, other); }) ||
      !skyline_.lay(choice)) {
    return false;
  }
  return frame.valley != nobody || skyline_.raise_all(frame.sections, skyline_.offsets()[choice]);
}

bool SkylineSearch::is_equal(std::uint32_t a, std::uint32_t b) const {
  const Item &first = skyline_.items()[a], &second = skyline_.items()[b];
  return first.size == second.size && first.alignment == second.alignment && first.needed == second.needed;
}

double SkylineSearch::merit(std::uint32_t item, const Frame &frame) const {
  if (frame.valley == nobody) {
    return rank_[item];
  }
  Range own = skyline_.hull(item);
  double wasted = 0;
  skyline_.for_each_section(item, [&](std::uint32_t section) {
    if (std::int64_t gap = skyline_.lowest(item) - skyline_.floor(section); gap > 0) {
      wasted = std::max(wasted, static_cast<double>(gap) / static_cast<double>(skyline_.slack(section)));
    }
  });
  double left = own.begin == frame.sections.begin ? strategy_.border : merit_of_side(item, own.begin, own.begin - 1);
  double right = own.end == frame.sections.end ? strategy_.border : merit_of_side(item, own.end - 1, own.end);
  return rank_[item] + left + right - strategy_.waste * wasted;
}

double SkylineSearch::merit_of_side(std::uint32_t item, std::uint32_t inside, std::uint32_t beyond) const {
  std::int64_t bottom = skyline_.lowest(item), top = bottom + skyline_.items()[item].size;
  std::int64_t wall = skyline_.floor(beyond), step = std::abs(wall - top);
  if (wall <= bottom) {
    return 0;
  }
  std::int64_t slack = skyline_.slack(wall > top ? inside : beyond);
  double level = step == 0 ? 1 : step < slack ? 0.5 * (1 - static_cast<double>(step) / static_cast<double>(slack)) : 0;
  return strategy_.border + strategy_.level * level;
}

// Returns the tightest section of the valley that the strategy prefers.
std::uint32_t SkylineSearch::find_valley(Range sections) {
  steps_ += 3 * (sections.end - sections.begin);
  auto height = [&](std::uint32_t section) {
    return skyline_.is_done(section) ? Skyline::no_height : skyline_.floor(section);
  };
  // An item that is needed several times can lie on the floor there once others have filled lower sections elsewhere.
  for (std::uint32_t item : several_times_) {
    if (!skyline_.is_laid(item) && !skyline_.may_be_laid(item)) {
      skyline_.for_each_section(
          item, [&](std::uint32_t s) { is_no_valley_[s] |= skyline_.floor(s) == skyline_.lowest(item) ? 1 : 0; });
    }
  }
  std::uint32_t best = nobody;
  double best_score = std::numeric_limits<double>::infinity();
  for (std::uint32_t begin = sections.begin, end = begin; begin < sections.end; begin = end) {
    std::int64_t floor = height(begin);
    bool is_valley = floor < Skyline::no_height && (begin == sections.begin || height(begin - 1) > floor);
    std::uint32_t tightest = begin;
    for (; end < sections.end && height(end) == floor; ++end) {
      is_valley = is_valley && is_no_valley_[end] == 0;
      tightest = skyline_.slack(end) < skyline_.slack(tightest) ? end : tightest;
    }
    if (!is_valley || (end < sections.end && height(end) < floor)) {
      continue;
    }
    double score = static_cast<double>(floor) + strategy_.tightness * static_cast<double>(skyline_.slack(tightest));
    if (score < best_score || (score == best_score && strategy_.prefers_late)) {
      best_score = score;
      best = tightest;
    }
  }
  for (std::uint32_t item : several_times_) {
    skyline_.for_each_section(item, [&](std::uint32_t s) { is_no_valley_[s] = 0; });
  }
  return best;
}

}  // namespace bp::packing
