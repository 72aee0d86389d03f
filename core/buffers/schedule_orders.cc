#include "core/buffers/schedule_orders.h"

#include <algorithm>
#include <set>

namespace bp::buffers {
namespace {

using Edges = std::vector<std::vector<Number>>;

constexpr std::int64_t max_sum = std::int64_t{1} << 61;

// Orders the instructions that are ready, lowest key first: `key(i)` is called when i becomes ready and whenever `ran`
// reports that it changed.
template <class Key, class Ran>
Order list_order(const Edges &before, const Edges &after, Key &&key, Ran &&ran) {
  auto count = static_cast<Number>(before.size());
  std::vector<Number> waits_for(count);
  using Entry = std::pair<std::int64_t, Number>;
  std::set<Entry> ready;  // ascending
  std::vector<std::int64_t> key_of(count);
  std::vector<bool> is_ready(count);
  auto make_ready = [&](Number i) {
    key_of[i] = key(i);
    is_ready[i] = true;
    ready.emplace(key_of[i], i);
  };
  for (Number i = 0; i < count; ++i) {
    waits_for[i] = static_cast<Number>(before[i].size());
    if (waits_for[i] == 0) {
      make_ready(i);
    }
  }
  Order order;
  while (!ready.empty()) {
    Number i = ready.begin()->second;
    ready.erase(ready.begin());
    is_ready[i] = false;
    order.push_back(i);
    for (Number next : after[i]) {
      if (--waits_for[next] == 0) {
        make_ready(next);
      }
    }
    ran(i, [&](Number changed) {
      if (is_ready[changed]) {
        ready.erase({key_of[changed], changed});
        make_ready(changed);
      }
    });
  }
  return order;
}

// Post-order from the instructions without successors, in the order of `base`; visits predecessors in the order of
// `visits`.
Order visit_all(const ScheduleGraph &graph, const Order &base, const Edges &visits) {
  Order order;
  std::vector<bool> is_visited(graph.count());
  std::vector<std::pair<Number, std::size_t>> stack;  // instruction and number of its visits that are done
  for (Number root : base) {
    if (!graph.after[root].empty()) {
      continue;
    }
    stack.emplace_back(root, 0);
    is_visited[root] = true;
    while (!stack.empty()) {
      auto &[i, done] = stack.back();
      if (done == visits[i].size()) {
        order.push_back(i);
        stack.pop_back();
        continue;
      }
      Number next = visits[i][done++];
      if (!is_visited[next]) {
        is_visited[next] = true;
        stack.emplace_back(next, 0);
      }
    }
  }
  return order;
}

}  // namespace

Order program_order(const ScheduleGraph &graph) {
  auto key = [](Number i) { return static_cast<std::int64_t>(i); };
  return list_order(graph.before, graph.after, key, [](Number, auto &&) {});
}

// When a value has only one reader left, that reader's key changes; the sum of the remaining readers' numbers
// identifies it.
Order min_growth_order(const ScheduleGraph &graph) {
  std::vector<Number> readers = graph.readers;
  std::vector<std::uint64_t> reader_sums(graph.size.size());
  for (Number i = 0; i < graph.count(); ++i) {
    for (Number value : graph.read[i]) {
      reader_sums[value] += i;
    }
  }
  auto growth = [&](Number i) {
    std::int64_t bytes = 0;
    for (Number value : graph.made[i]) {
      bytes += graph.size[value];
    }
    for (Number value : graph.read[i]) {
      bytes -= readers[value] == 1 ? graph.size[value] : 0;
    }
    return bytes;
  };
  auto ran = [&](Number i, auto &&update) {
    for (Number value : graph.read[i]) {
      reader_sums[value] -= i;
      if (--readers[value] == 1 && reader_sums[value] < graph.count()) {
        update(static_cast<Number>(reader_sums[value]));
      }
    }
  };
  return list_order(graph.before, graph.after, growth, ran);
}

Order backward_order(const ScheduleGraph &graph) {
  Edges readers_of(graph.size.size());
  std::vector<bool> is_needed(graph.size.size());  // by instructions that run later
  for (Number i = 0; i < graph.count(); ++i) {
    for (Number value : graph.read[i]) {
      readers_of[value].push_back(i);
    }
  }
  for (Number value = 0; value < graph.size.size(); ++value) {
    is_needed[value] = graph.readers[value] > readers_of[value].size();  // the root shows it
  }
  auto growth = [&](Number i) {
    std::int64_t bytes = 0;
    for (Number value : graph.read[i]) {
      bytes += is_needed[value] ? 0 : graph.size[value];
    }
    for (Number value : graph.made[i]) {
      bytes -= is_needed[value] ? graph.size[value] : 0;
    }
    return bytes;
  };
  auto ran = [&](Number i, auto &&update) {
    for (Number value : graph.read[i]) {
      if (!is_needed[value]) {
        is_needed[value] = true;
        std::ranges::for_each(readers_of[value], update);
      }
    }
  };
  Order order = list_order(graph.after, graph.before, growth, ran);
  std::ranges::reverse(order);
  return order;
}

Order post_order(const ScheduleGraph &graph, const Order &base) {
  return visit_all(graph, base, graph.before);
}

Order depth_first_order(const ScheduleGraph &graph, const Order &base) {
  std::vector<std::int64_t> need(graph.count()), left(graph.count());
  Edges visits(graph.count());
  for (Number i : base) {
    for (Number value : graph.made[i]) {
      left[i] += graph.size[value];
    }
    visits[i] = graph.before[i];
    std::ranges::stable_sort(visits[i], [&](Number a, Number b) { return need[a] - left[a] > need[b] - left[b]; });
    std::int64_t held = 0;
    for (Number before : visits[i]) {
      need[i] = std::max(need[i], held + need[before]);
      held = std::min(held + left[before], max_sum);  // a tuple's parts may count many times
    }
    need[i] = std::max(need[i], held + left[i] + graph.inner_peak[i]);
    if (graph.made[i].empty()) {
      left[i] = held;  // a tuple keeps its elements
    }
  }
  return visit_all(graph, base, visits);
}

}  // namespace bp::buffers
