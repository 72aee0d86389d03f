#include "core/buffers/schedule_search.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>

namespace bp::buffers {
namespace {

using Set = std::uint64_t;  // a set of instructions, one bit each

// Maximum number of instructions that make values in a section that is searched.
constexpr Number max_makers = 20;
// Maximum budget for one section of a larger computation.
constexpr std::size_t section_budget = 4000;

constexpr Set bit(Number i) {
  return Set{1} << i;
}

class Search {
 public:
  Search(const ScheduleGraph &graph, std::int64_t below, std::size_t &budget)
      : graph_(graph),
        below_(below),
        budget_(budget),
        cost_(1 + graph.size.size() / max_searched),
        waits_for_(graph.count()) {
    for (Number i = 0; i < graph.count(); ++i) {
      for (Number before : graph.before[i]) {
        waits_for_[i] |= bit(before);
      }
    }
  }

  std::optional<Order> run() {
    Set all = graph_.count() == max_searched ? ~Set{0} : bit(graph_.count()) - 1;
    push({0, LiveMemory(graph_).live(), none, 0});
    while (!queue_.empty()) {
      std::uint32_t at = queue_.top().second;
      queue_.pop();
      const State state = states_[at];
      if (state.done == all) {
        return order_to(at);
      }
      if (best_.at(state.done) < state.peak) {
        continue;
      }
      if (budget_ == 0) {
        return std::nullopt;
      }
      budget_ -= std::min(budget_, cost_);
      expand(at, state);
    }
    return std::nullopt;
  }

 private:
  struct State {
    Set done;
    std::int64_t peak;
    std::uint32_t previous;  // index of a state
    Number last;             // instruction that led to this state
  };
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  void push(const State &state) {
    auto [found, is_new] = best_.emplace(state.done, state.peak);
    if (state.peak >= below_ || (!is_new && found->second <= state.peak)) {
      return;
    }
    found->second = state.peak;
    states_.push_back(state);
    // Among equal peaks, the state in which more instructions have run comes first.
    queue_.emplace(std::pair(-state.peak, std::popcount(state.done)), static_cast<std::uint32_t>(states_.size() - 1));
  }

  Order order_to(std::uint32_t at) const {
    Order order;
    for (; states_[at].previous != none; at = states_[at].previous) {
      order.push_back(states_[at].last);
    }
    std::ranges::reverse(order);
    return order;
  }

  void expand(std::uint32_t at, const State &state) {
    LiveMemory memory(graph_);
    for (Number i : order_to(at)) {
      memory.run(i);
    }
    std::vector<State> next;
    for (Number i = 0; i < graph_.count(); ++i) {
      if ((state.done & bit(i)) != 0 || (waits_for_[i] & ~state.done) != 0) {
        continue;
      }
      LiveMemory after = memory;
      std::int64_t most = after.run(i);
      next.push_back({state.done | bit(i), std::max(state.peak, most), at, i});
      // An instruction that does not raise the peak, and after which no more values of any size are live than before,
      // can run now: any instruction before it would only find more memory in use.
      if (most <= state.peak && after.holds_no_more_than(memory)) {
        push(next.back());
        return;
      }
    }
    std::ranges::for_each(next, [&](const State &other) { push(other); });
  }

  const ScheduleGraph &graph_;
  std::int64_t below_;
  std::size_t &budget_, cost_;
  std::vector<Set> waits_for_;
  std::vector<State> states_;
  std::unordered_map<Set, std::int64_t> best_;  // lowest peak with which a set was reached
  using Key = std::pair<std::int64_t, int>;
  std::priority_queue<std::pair<Key, std::uint32_t>> queue_;
};

// Makes a graph of order[begin, end) alone, numbered from 0 in that order.
class SectionMaker {
 public:
  SectionMaker(const ScheduleGraph &graph, const Order &order, std::size_t begin, std::size_t end)
      : graph_(graph),
        memory_(graph),
        order_(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end)) {
    for (std::size_t i = 0; i < begin; ++i) {
      memory_.run(order[i]);
    }
  }

  ScheduleGraph run() {
    std::unordered_map<Number, Number> numbers;
    for (Number i = 0; i < order_.size(); ++i) {
      numbers.emplace(order_[i], i);
    }
    for (Number original : order_) {
      section_.ids.push_back(graph_.ids[original]);
      section_.inner_peak.push_back(graph_.inner_peak[original]);
      section_.made.push_back(values_of(graph_.made[original]));
      section_.read.push_back(values_of(graph_.read[original]));
      auto &before = section_.before.emplace_back();
      for (Number other : graph_.before[original]) {
        if (auto found = numbers.find(other); found != numbers.end()) {
          before.push_back(found->second);
        }
      }
    }
    for (const auto &[original, value] : values_) {
      for (Number operand : graph_.overwritable[original]) {
        if (auto found = values_.find(operand); found != values_.end()) {
          section_.overwritable[value].push_back(found->second);
        }
      }
    }
    // Values that are live through the whole section occupy the free slots first.
    for (const auto &[original, of_class] : classes_) {
      auto here = std::ranges::count(section_.initial, of_class, [&](Number v) { return section_.size_class[v]; });
      section_.class_slots[of_class] -= std::min(section_.class_slots[of_class], memory_.count(original) - here);
    }
    section_.base = memory_.live() - LiveMemory(section_).live();
    return std::move(section_);
  }

 private:
  Number value_of(Number original) {
    auto [found, is_new] = values_.emplace(original, 0);
    if (is_new) {
      Number class_original = graph_.size_class[original];
      auto [of_class, is_new_class] = classes_.emplace(class_original, static_cast<Number>(classes_.size()));
      if (is_new_class) {
        section_.class_slots.push_back(graph_.class_slots[class_original]);
      }
      found->second = section_.add_value(graph_.size[original], of_class->second);
      section_.readers.push_back(memory_.readers_left(original));
      if (memory_.is_live(original)) {
        section_.initial.push_back(found->second);
      }
    }
    return found->second;
  }
  std::vector<Number> values_of(const std::vector<Number> &originals) {
    std::vector<Number> values;
    std::ranges::transform(originals, std::back_inserter(values), [&](Number original) { return value_of(original); });
    return values;
  }

  const ScheduleGraph &graph_;
  LiveMemory memory_;
  Order order_;
  ScheduleGraph section_;
  std::unordered_map<Number, Number> values_, classes_;  // from numbers in the graph to numbers in the section
};

// Returns the range around order[at] that is searched: as many instructions before as after it, of which at most
// max_makers make values.
std::pair<std::size_t, std::size_t> around(const ScheduleGraph &graph, const Order &order, std::size_t at) {
  std::size_t begin = at, end = at + 1, makers = 1;
  auto is_maker = [&](std::size_t i) { return graph.made[order[i]].empty() ? 0u : 1u; };
  bool grows = true;
  while (grows) {
    grows = false;
    for (bool forward : {false, true}) {
      bool can = forward ? end < order.size() : begin > 0;
      std::size_t next = forward ? end : begin - 1;
      if (can && end - begin < max_searched && makers + is_maker(next) <= max_makers) {
        makers += is_maker(next);
        (forward ? end : begin) = forward ? end + 1 : next;
        grows = true;
      }
    }
  }
  return {begin, end};
}

}  // namespace

std::optional<Order> search_order(const ScheduleGraph &graph, std::int64_t below, std::size_t &budget) {
  return Search(graph, below, budget).run();
}

void improve_order(const ScheduleGraph &graph, Order &order, std::size_t &budget) {
  std::int64_t bound = min_peak(graph);
  if (graph.count() <= max_searched) {
    if (std::int64_t peak = peak_of(graph, order); peak > bound) {
      if (auto better = search_order(graph, peak, budget)) {
        order = std::move(*better);
      }
    }
    return;
  }
  while (budget > 0) {
    LiveMemory memory(graph);
    std::int64_t peak = -1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (std::int64_t most = memory.run(order[i]); most > peak) {
        peak = most;
        at = i;
      }
    }
    if (peak <= bound) {
      return;
    }
    auto [begin, end] = around(graph, order, at);
    ScheduleGraph section = SectionMaker(graph, order, begin, end).run();
    std::size_t spent = std::min(budget, section_budget);
    budget -= spent;
    auto better = search_order(section, peak, spent);
    budget += spent;
    if (!better) {
      return;
    }
    Order before(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = 0; i < better->size(); ++i) {
      order[begin + i] = before[(*better)[i]];
    }
  }
}

}  // namespace bp::buffers
