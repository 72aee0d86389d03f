// Time is cut into sections, in each of which the same items are needed; of neighbours, only those are kept whose items
// are not all needed in the other too. Items are laid from the bottom up. The floor of a section is where its next item
// may lie at the lowest, its slack is what may still be wasted there: height - floor - all sizes to come.
//
// Tight problems: the search goes on in a valley, a run of sections of equal floors between higher ones. On the floor of
// a section of a valley lies one of the items that fit in flat, or nothing, then the floor is raised to where the next
// may lie. So few things can come next; which valley, and in which order, is the strategy's affair.
// Loose problems: any packing can be laid by rising offsets, so that the next item is one that can lie lower than the
// lowest end of any; every floor then rises with it.
//
// Four things keep the tree small:
// - a floor rises at once to the lowest place that any item of its section can have, so that waste shows early;
// - where no item to come crosses a border of sections, both sides are searched on their own, and if one has no
//   solution, no other way to lay the first is tried;
// - a skyline with the same items to come is never searched twice;
// - of equal items, one is tried.
#include "core/packing/skyline_search.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace bp::packing {
namespace {

constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t max_items = 20'000, max_incidences = 4'000'000;
constexpr std::size_t max_dead_ends = 4'000'000;
constexpr std::uint32_t raise_floor = static_cast<std::uint32_t>(-1);  // a choice that is no item
constexpr std::uint32_t nobody = static_cast<std::uint32_t>(-1);

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

struct Range {
  std::uint32_t begin = 0, end = 0;  // of sections
};

}  // namespace

class SkylineSearch::State {
 public:
  State(std::span<const Item> items, std::int64_t height);

  Outcome run(const Strategy &strategy, std::int64_t steps, Clock::time_point deadline);

  std::int64_t steps_taken() const { return steps_; }
  const std::vector<std::int64_t> &offsets() const { return offsets_; }
  bool is_too_large() const { return items_.size() > max_items || incidences_ > max_incidences; }
  std::int64_t descent() const { return static_cast<std::int64_t>(items_.size() * incidences_); }

 private:
  // A part of time that is searched on its own.
  struct Part {
    Range sections;
    std::uint32_t frame = nobody;  // whose choice made it: if it has no solution, that choice was wrong
    std::uint32_t next = nobody;   // the part to be searched after this one
  };
  // A valley and what may come next in it.
  struct Frame {
    Range sections;
    std::uint32_t parent = nobody;  // the frame of the part
    std::uint32_t next_part = nobody, parts_end = 0;
    std::uint32_t valley = nobody;                                    // a section of it
    std::size_t choices_begin = 0, untried_end = 0, choices_end = 0;  // in choices_; the last is tried first
    std::size_t trail_end = 0;
    std::uint64_t hash = 0;
  };
  struct Change {
    std::int64_t *place;  // or nothing: the item was laid
    std::int64_t value;   // before
    std::uint32_t item;
  };

  void make_sections(std::span<const Item> items);
  void set_order(const Strategy &strategy);
  bool begin();
  bool give_up();
  std::uint32_t split(Range sections, std::uint32_t frame, std::uint32_t next);
  bool open(const Part &part);
  bool advance(Frame &frame);
  std::uint32_t find_valley(Range sections);
  double snugness(std::uint32_t item, const Frame &frame) const;
  bool lay(std::uint32_t item);
  bool raise(std::uint32_t section, std::int64_t floor);
  bool raise_all(Range sections, std::int64_t floor);
  bool raise_above(std::uint32_t section);
  bool lift_items(std::uint32_t section, std::int64_t floor);
  bool close_gaps();
  bool is_flat(std::uint32_t item) const;
  void set(std::int64_t &place, std::int64_t value) {
    trail_.push_back({&place, place, 0});
    place = value;
  }
  void rewind(std::size_t trail_end);
  void remember(std::uint64_t dead_end) {
    if (dead_ends_.size() < max_dead_ends) {
      dead_ends_.insert(dead_end);
    }
  }
  template <typename Visit>
  void for_each_section(std::uint32_t item, Visit visit) const {
    for (Range range : ranges_[item]) {
      for (std::uint32_t section = range.begin; section < range.end; ++section) {
        visit(section);
      }
    }
  }
  bool covers(std::uint32_t item, std::uint32_t section) const {
    return std::ranges::any_of(ranges_[item], [&](Range r) { return r.begin <= section && section < r.end; });
  }
  Range hull(std::uint32_t item) const { return {ranges_[item].front().begin, ranges_[item].back().end}; }

  std::int64_t height_;
  std::size_t incidences_ = 0;  // of items and sections
  std::int64_t unit_ = 0;       // divides all sizes, so that ends differ by as much
  std::vector<Item> items_;
  std::vector<std::vector<Range>> ranges_;                // by item: its sections
  std::vector<std::vector<std::uint32_t>> needed_in_;     // by section: its items
  std::vector<std::vector<std::uint32_t>> beginning_in_;  // by section: the items whose first it is

  std::vector<std::int64_t> floor_, slack_;  // by section
  std::vector<std::int64_t> lowest_;         // by item: where it may lie at the lowest
  std::vector<char> is_laid_;
  std::vector<std::int64_t> offsets_;  // by item, where it is laid
  std::vector<double> trouble_;        // by section: how many dead ends were found there
  std::vector<double> rank_;           // by item: what the order says
  std::vector<double> merit_;          // by item that can come next: the highest is tried first
  boost::unordered_flat_set<std::uint64_t> dead_ends_;

  Strategy strategy_;
  double border_merit_ = 0, level_merit_ = 0;  // see snugness()
  std::vector<Part> parts_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> choices_;
  std::vector<Change> trail_;
  std::int64_t steps_ = 0, most_steps_ = 0, next_look_at_clock_ = 0;
  Clock::time_point deadline_;

  // Used within one step.
  std::vector<std::uint32_t> coming_, lifted_;
  std::vector<std::uint32_t> run_begin_, run_end_;
  std::vector<std::int32_t> choice_count_;
  std::vector<char> is_no_valley_;
  std::vector<std::uint32_t> touched_at_;
  std::uint32_t touch_ = 0;
};

SkylineSearch::State::State(std::span<const Item> items, std::int64_t height)
    : height_(height), items_(items.begin(), items.end()) {
  for (const Item &item : items) {
    unit_ = std::gcd(std::gcd(unit_, item.size), item.alignment > 1 ? item.alignment : 0);
  }
  make_sections(items);
  std::size_t sections = needed_in_.size();
  trouble_.assign(sections, 1);
  rank_.resize(items.size());
  merit_.resize(items.size());
  run_begin_.resize(sections);
  run_end_.resize(sections);
  touched_at_.assign(sections, 0);
}

void SkylineSearch::State::make_sections(std::span<const Item> items) {
  std::vector<std::pair<std::int64_t, bool>> borders;  // time, something starts there
  for (const Item &item : items) {
    for (auto [begin, end] : item.needed) {
      if (begin < end) {
        borders.emplace_back(begin, true);
        borders.emplace_back(end, false);
      }
    }
  }
  std::ranges::sort(borders);  // at one time, ends come first
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    if (borders[i].second && !borders[i + 1].second) {
      times.push_back(borders[i].first);
    }
  }
  auto section_at = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  ranges_.resize(items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    for (auto [begin, end] : items[i].needed) {
      if (begin < end) {
        ranges_[i].push_back({section_at(begin), section_at(end)});
        incidences_ += ranges_[i].back().end - ranges_[i].back().begin;
      }
    }
  }
  if (is_too_large()) {
    return;
  }
  needed_in_.resize(times.size());
  beginning_in_.resize(times.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    for_each_section(i, [&](std::uint32_t section) { needed_in_[section].push_back(i); });
    beginning_in_[ranges_[i].front().begin].push_back(i);
  }
}

void SkylineSearch::State::set_order(const Strategy &strategy) {
  strategy_ = strategy;
  std::mt19937_64 random(strategy.variant);
  struct Weights {
    double amplitude, border, level;  // of the noise; see snugness()
  };
  constexpr std::array variants = {Weights{0, 0, 1},     Weights{0.005, 0.2, 0.5}, Weights{0.02, 0.1, 1},
                                   Weights{0, 0.5, 1},   Weights{0.005, 0, 0},     Weights{0.1, 0, 1},
                                   Weights{0.02, 1, 0.2}};
  auto [amplitude, border, level] = variants[strategy.variant / 2 % variants.size()];
  border_merit_ = border;
  level_merit_ = level;
  std::uniform_real_distribution<double> noise(0, amplitude);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    std::size_t sections = 0;
    for (Range range : ranges_[i]) {
      sections += range.end - range.begin;
    }
    double length = std::log(static_cast<double>(sections)), size = std::log(static_cast<double>(items_[i].size));
    switch (strategy.order) {
      case Strategy::Order::Longest: rank_[i] = length + size / 100; break;
      case Strategy::Order::Largest: rank_[i] = size + length / 100; break;
      case Strategy::Order::Area: rank_[i] = length + size; break;
    }
    rank_[i] += noise(random);
  }
}

// Nothing laid yet. False if it cannot be done.
bool SkylineSearch::State::begin() {
  offsets_.assign(items_.size(), -1);
  floor_.assign(needed_in_.size(), 0);
  slack_.assign(needed_in_.size(), height_);
  lowest_.assign(items_.size(), 0);
  is_laid_.assign(items_.size(), 0);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    for_each_section(i, [&](std::uint32_t section) { slack_[section] -= items_[i].size; });
  }
  parts_.clear();
  frames_.clear();
  choices_.clear();
  trail_.clear();
  steps_ = static_cast<std::int64_t>(20 * items_.size() + incidences_);
  next_look_at_clock_ = 0;
  return std::ranges::all_of(slack_, [](std::int64_t slack) { return slack >= 0; });
}

bool SkylineSearch::State::give_up() {
  if (steps_ >= next_look_at_clock_) {
    next_look_at_clock_ = steps_ + 100'000;
    if (Clock::now() >= deadline_) {
      return true;
    }
  }
  return steps_ >= most_steps_;
}

SkylineSearch::Outcome SkylineSearch::State::run(const Strategy &strategy, std::int64_t steps,
                                                 Clock::time_point deadline) {
  set_order(strategy);
  most_steps_ = steps;
  deadline_ = deadline;
  if (!begin()) {
    return Outcome::Impossible;
  }
  std::uint32_t part = split({0, static_cast<std::uint32_t>(needed_in_.size())}, nobody, nobody);
  while (part != nobody) {
    if (give_up()) {
      return Outcome::GaveUp;
    }
    std::uint32_t frame = nobody;  // which chooses next
    if (open(Part(parts_[part]))) {
      frame = static_cast<std::uint32_t>(frames_.size() - 1);
    } else {
      frame = parts_[part].frame;
    }
    while (true) {
      if (frame == nobody) {
        return Outcome::Impossible;
      }
      frames_.resize(frame + 1);
      if (advance(frames_[frame])) {
        break;
      }
      remember(frames_[frame].hash);
      frame = frames_[frame].parent;
    }
    part = split(frames_[frame].sections, frame, frames_[frame].next_part);
  }
  return Outcome::Found;
}

// The parts into which the items to come divide those sections, before `next`; the shortest first.
std::uint32_t SkylineSearch::State::split(Range sections, std::uint32_t frame, std::uint32_t next) {
  std::size_t first = parts_.size();
  std::uint32_t end = 0;
  for (std::uint32_t section = sections.begin; section < sections.end; ++section) {
    for (std::uint32_t item : beginning_in_[section]) {
      if (!is_laid_[item]) {
        if (parts_.size() == first || section >= end) {
          parts_.push_back({{section, section}, frame, nobody});
          end = section;
        }
        end = std::max(end, hull(item).end);
        parts_.back().sections.end = end;
      }
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

// Finds out what can come next in a part. False if it is known to have no solution.
bool SkylineSearch::State::open(const Part &part) {
  Range sections = part.sections;
  coming_.clear();
  std::uint64_t hash = 0;
  for (std::uint32_t section = sections.begin; section < sections.end; ++section) {
    hash ^= mix(static_cast<std::uint64_t>(floor_[section]) * 1'000'003u + section);
    for (std::uint32_t item : beginning_in_[section]) {
      if (!is_laid_[item]) {
        coming_.push_back(item);
        hash ^= mix(~static_cast<std::uint64_t>(item));
      }
    }
  }
  if (dead_ends_.contains(hash)) {
    return false;
  }
  Frame &frame = frames_.emplace_back();
  frame.sections = sections;
  frame.parent = part.frame;
  frame.next_part = part.next;
  frame.parts_end = static_cast<std::uint32_t>(parts_.size());
  frame.trail_end = trail_.size();
  frame.hash = hash;
  frame.choices_begin = choices_.size();
  if (strategy_.place == Strategy::Place::Anywhere) {
    std::int64_t lowest_end = infinite;
    for (std::uint32_t item : coming_) {
      lowest_end = std::min(lowest_end, lowest_[item] + items_[item].size);
    }
    std::ranges::copy_if(coming_, std::back_inserter(choices_),
                         [&](std::uint32_t item) { return lowest_[item] < lowest_end; });
    steps_ += 20 * static_cast<std::int64_t>(choices_.size());
  } else {
    frame.valley = find_valley(sections);
    std::ranges::copy_if(coming_, std::back_inserter(choices_),
                         [&](std::uint32_t item) { return covers(item, frame.valley) && is_flat(item); });
  }
  auto first_choice = [&] { return choices_.begin() + static_cast<std::ptrdiff_t>(frame.choices_begin); };
  for (auto choice = first_choice(); choice != choices_.end(); ++choice) {
    merit_[*choice] = rank_[*choice] + (frame.valley == nobody ? 0 : snugness(*choice, frame));
  }
  std::sort(first_choice(), choices_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(merit_[a], b) < std::pair(merit_[b], a); });
  if (frame.valley != nobody && slack_[frame.valley] > 0) {
    choices_.insert(first_choice(), raise_floor);
  }
  frame.untried_end = frame.choices_end = choices_.size();
  return true;
}

// Tries the next choice that leads on. False if none does.
bool SkylineSearch::State::advance(Frame &frame) {
  parts_.resize(frame.parts_end);
  choices_.resize(frame.choices_end);
  while (frame.untried_end > frame.choices_begin) {
    rewind(frame.trail_end);
    std::uint32_t choice = choices_[--frame.untried_end];
    if (choice == raise_floor) {
      if (raise_above(frame.valley)) {
        return true;
      }
      continue;
    }
    auto is_equal = [&](std::uint32_t tried) {
      if (tried == raise_floor) {
        return false;
      }
      const Item &a = items_[tried], &b = items_[choice];
      return a.size == b.size && a.alignment == b.alignment && a.needed == b.needed;
    };
    bool was_tried = std::ranges::any_of(std::span(choices_).subspan(frame.untried_end + 1), is_equal);
    bool rises = strategy_.place == Strategy::Place::Anywhere;
    if (!was_tried && lay(choice) && (!rises || raise_all(frame.sections, offsets_[choice]))) {
      return true;
    }
  }
  rewind(frame.trail_end);
  return false;
}

bool SkylineSearch::State::is_flat(std::uint32_t item) const {
  std::int64_t floor = floor_[ranges_[item].front().begin];
  return std::ranges::all_of(ranges_[item],
                             [&](Range r) { return run_end_[r.begin] >= r.end && floor_[r.begin] == floor; });
}

// An item that reaches to the border of its valley, and still more one that ends level with what is beyond, leaves
// fewer corners to be filled.
double SkylineSearch::State::snugness(std::uint32_t item, const Frame &frame) const {
  Range valley = {run_begin_[frame.valley], run_end_[frame.valley]}, own = hull(item);
  std::int64_t top = lowest_[item] + items_[item].size;
  double snugness = 0;
  if (own.begin == valley.begin) {
    snugness +=
        own.begin > frame.sections.begin && floor_[own.begin - 1] == top ? border_merit_ + level_merit_ : border_merit_;
  }
  if (own.end == valley.end) {
    snugness += own.end < frame.sections.end && floor_[own.end] == top ? border_merit_ + level_merit_ : border_merit_;
  }
  return snugness;
}

// The section of a valley that the strategy prefers. Sets the runs of equal floors.
std::uint32_t SkylineSearch::State::find_valley(Range sections) {
  steps_ += 4 * static_cast<std::int64_t>(coming_.size()) + 6 * (sections.end - sections.begin);
  for (std::uint32_t s = sections.begin; s < sections.end; ++s) {
    run_begin_[s] = s > sections.begin && floor_[s] == floor_[s - 1] ? run_begin_[s - 1] : s;
  }
  for (std::uint32_t s = sections.end; s-- > sections.begin;) {
    run_end_[s] = s + 1 < sections.end && floor_[s] == floor_[s + 1] ? run_end_[s + 1] : s + 1;
  }
  std::uint32_t length = sections.end - sections.begin;
  choice_count_.assign(length + 1, 0);
  is_no_valley_.assign(length, 0);
  for (std::uint32_t item : coming_) {
    if (is_flat(item)) {
      for (Range range : ranges_[item]) {
        ++choice_count_[range.begin - sections.begin];
        --choice_count_[range.end - sections.begin];
      }
    } else if (ranges_[item].size() > 1) {
      // It can lie on the floor there, once others have filled what lies lower elsewhere.
      for_each_section(item, [&](std::uint32_t s) { is_no_valley_[s - sections.begin] |= floor_[s] == lowest_[item]; });
    }
  }
  std::uint32_t best = sections.begin;
  double best_score = std::numeric_limits<double>::infinity();
  std::int32_t count = 0;
  auto relative = [&](std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(height_); };
  for (std::uint32_t s = sections.begin; s < sections.end; ++s) {
    count += choice_count_[s - sections.begin];
    std::uint32_t begin = run_begin_[s], end = run_end_[s];
    if (is_no_valley_[s - sections.begin] || (begin > sections.begin && floor_[begin - 1] < floor_[s]) ||
        (end < sections.end && floor_[end] < floor_[s]) || count == 0) {
      continue;
    }
    double choices = count + (slack_[s] > 0 ? 1 : 0), score = 0;
    switch (strategy_.place) {
      case Strategy::Place::FewestChoices: score = choices + 0.5 * relative(floor_[s]); break;
      case Strategy::Place::Troublesome: score = choices / trouble_[s]; break;
      case Strategy::Place::LowestTightest: score = relative(floor_[s]) + 1e-6 * relative(slack_[s]); break;
      case Strategy::Place::ForcedOrLowest: score = std::min(choices, 2.0) + relative(floor_[s]); break;
      case Strategy::Place::Anywhere: break;
    }
    if (score < best_score || (score == best_score && strategy_.variant % 2 == 1)) {
      best_score = score;
      best = s;
    }
  }
  return best;
}

// Each of the following is false if some section would waste more than it may, or an item would lie too high.

bool SkylineSearch::State::lay(std::uint32_t item) {
  std::int64_t offset = lowest_[item], top = offset + items_[item].size;
  lifted_.clear();
  offsets_[item] = offset;
  is_laid_[item] = 1;
  trail_.push_back({nullptr, 0, item});
  bool fits = true;
  for_each_section(item, [&](std::uint32_t section) {
    if (fits) {
      std::int64_t wasted = offset - floor_[section];
      if (wasted > slack_[section]) {
        trouble_[section] += 1;
        fits = false;
      } else {
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

// Nothing that is to come lies lower than that.
bool SkylineSearch::State::raise_all(Range sections, std::int64_t floor) {
  lifted_.clear();
  for (std::uint32_t section = sections.begin; section < sections.end; ++section) {
    bool is_done = std::ranges::all_of(needed_in_[section], [&](std::uint32_t item) { return is_laid_[item] != 0; });
    if (floor_[section] < floor && !is_done && (!raise(section, floor) || !lift_items(section, floor))) {
      return false;
    }
  }
  return close_gaps();
}

// Nothing of what is to come lies on the floor of that section: the next lies on an item that is no part of it.
bool SkylineSearch::State::raise_above(std::uint32_t section) {
  std::int64_t floor = floor_[section], next = infinite;
  for (std::uint32_t item : needed_in_[section]) {
    if (is_laid_[item]) {
      continue;
    }
    if (lowest_[item] > floor) {
      next = std::min(next, lowest_[item]);
      continue;
    }
    for_each_section(item, [&](std::uint32_t s) {
      steps_ += static_cast<std::int64_t>(needed_in_[s].size());
      for (std::uint32_t other : needed_in_[s]) {
        // If it lies high enough to matter at all, it ends above the floor.
        std::int64_t end = std::max(lowest_[other] + items_[other].size, floor + unit_);
        if (!is_laid_[other] && end < next && !covers(other, section)) {
          next = end;
        }
      }
    });
  }
  lifted_.clear();
  return next != infinite && raise(section, next) && lift_items(section, next) && close_gaps();
}

bool SkylineSearch::State::raise(std::uint32_t section, std::int64_t floor) {
  std::int64_t wasted = floor - floor_[section];
  if (wasted > slack_[section]) {
    trouble_[section] += 1;
    return false;
  }
  set(slack_[section], slack_[section] - wasted);
  set(floor_[section], floor);
  return true;
}

bool SkylineSearch::State::lift_items(std::uint32_t section, std::int64_t floor) {
  steps_ += static_cast<std::int64_t>(needed_in_[section].size());
  for (std::uint32_t item : needed_in_[section]) {
    if (!is_laid_[item] && lowest_[item] < floor) {
      std::int64_t lowest = align_up(floor, items_[item].alignment);
      if (lowest > height_ - items_[item].size) {
        trouble_[section] += 1;
        return false;
      }
      set(lowest_[item], lowest);
      lifted_.push_back(item);
    }
  }
  return true;
}

// Raises floors to where the next item can lie, in all sections of lifted items.
bool SkylineSearch::State::close_gaps() {
  ++touch_;
  for (std::uint32_t item : lifted_) {
    bool fits = true;
    for_each_section(item, [&](std::uint32_t section) {
      if (!fits || touched_at_[section] == touch_) {
        return;
      }
      touched_at_[section] = touch_;
      std::int64_t lowest = infinite;
      steps_ += static_cast<std::int64_t>(needed_in_[section].size());
      for (std::uint32_t other : needed_in_[section]) {
        if (!is_laid_[other]) {
          lowest = std::min(lowest, lowest_[other]);
        }
      }
      if (lowest != infinite && lowest > floor_[section]) {
        fits = raise(section, lowest);
      }
    });
    if (!fits) {
      return false;
    }
  }
  return true;
}

void SkylineSearch::State::rewind(std::size_t trail_end) {
  while (trail_.size() > trail_end) {
    const Change &change = trail_.back();
    if (change.place != nullptr) {
      *change.place = change.value;
    } else {
      is_laid_[change.item] = 0;
    }
    trail_.pop_back();
  }
}

SkylineSearch::SkylineSearch(std::span<const Item> items, std::int64_t height)
    : state_(std::make_unique<State>(items, height)) {}
SkylineSearch::~SkylineSearch() = default;

SkylineSearch::Outcome SkylineSearch::run(const Strategy &strategy, std::int64_t steps, Clock::time_point deadline) {
  return state_->run(strategy, steps, deadline);
}

bool SkylineSearch::is_too_large() const {
  return state_->is_too_large();
}

std::int64_t SkylineSearch::descent() const {
  return state_->descent();
}

std::int64_t SkylineSearch::steps_taken() const {
  return state_->steps_taken();
}

const std::vector<std::int64_t> &SkylineSearch::offsets() const {
  return state_->offsets();
}

}  // namespace bp::packing
