// The dependences of a plan's commands, compared with the plain rule: if two commands use the same byte, and one of
// them writes it, the later one waits for the earlier one. So buffers may share memory, and only commands that share it
// are ordered.
#include "plugins/gpu/dependences.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

namespace bp::gpu::tests {
namespace {

// The use of bytes of one allocation by a command.
struct Use {
  std::uint64_t begin, end;
  bool is_written;
  std::uint32_t allocation = 0;
};

void add_launch(LaunchPlan &plan, const std::vector<Use> &uses) {
  Command &command = plan.commands.emplace_back();
  command.kind = CommandKind::Launch;
  command.first = static_cast<std::uint32_t>(plan.ranges.size());
  command.count = static_cast<std::uint32_t>(uses.size());
  for (const Use &use : uses) {
    plan.ranges.push_back({use.allocation, use.is_written, use.begin, use.end - use.begin});
  }
}

LaunchPlan plan_of(const std::vector<std::vector<Use>> &launches, const std::vector<std::uint32_t> &memory_of = {0}) {
  LaunchPlan plan;
  for (const auto &uses : launches) {
    add_launch(plan, uses);
  }
  add_dependences(plan, memory_of);
  return plan;
}

std::vector<std::uint32_t> waits_for(const LaunchPlan &plan, std::size_t command) {
  const auto dependences = dependences_of(plan, plan.commands[command]);
  return {dependences.begin(), dependences.end()};
}

bool conflict(const LaunchPlan &plan, std::size_t a, std::size_t b) {
  for (const MemoryRange &one : ranges_of(plan, plan.commands[a])) {
    for (const MemoryRange &other : ranges_of(plan, plan.commands[b])) {
      if ((one.is_written | other.is_written) != 0 && one.offset < other.offset + other.size &&
          other.offset < one.offset + one.size) {
        return true;
      }
    }
  }
  return false;
}

// Whether each command waits for another, itself or through others.
std::vector<std::vector<bool>> closure(std::size_t count, const std::function<bool(std::size_t, std::size_t)> &edge) {
  std::vector<std::vector<bool>> waits(count, std::vector<bool>(count));
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t a = b; a-- > 0;) {
      if (edge(a, b)) {
        waits[b][a] = true;
        for (std::size_t c = 0; c < a; ++c) {
          waits[b][c] = waits[b][c] || waits[a][c];
        }
      }
    }
  }
  return waits;
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a command waits for the writers of what it reads, and the users of what it writes") {
  const bool writes = true, reads = false;
  const LaunchPlan plan = plan_of({{{0, 8, writes}},
                                   {{0, 8, reads}, {8, 16, writes}},
                                   {{0, 8, reads}, {16, 24, writes}},
                                   {{8, 24, reads}, {0, 8, writes}},
                                   {{24, 32, writes}},
                                   {{7, 9, reads}}});
  CHECK(waits_for(plan, 0) == Numbers{});
  CHECK(waits_for(plan, 1) == Numbers{0});
  CHECK(waits_for(plan, 2) == Numbers{0});     // both read
  CHECK(waits_for(plan, 3) == Numbers{1, 2});  // and 0 through them
  CHECK(waits_for(plan, 4) == Numbers{});
  CHECK(waits_for(plan, 5) == Numbers{3});  // and 1 through it
}

TEST_CASE("chains that share memory are ordered, others are not") {
  const auto chains = [](std::uint64_t second) {
    return plan_of({{{0, 8, true}},
                    {{0, 8, false}, {8, 16, true}},
                    {{second, second + 8, true}},
                    {{second, second + 8, false}, {second + 8, second + 16, true}}});
  };
  CHECK(waits_for(chains(0), 2) == Numbers{1});
  CHECK(waits_for(chains(100), 2) == Numbers{});
  CHECK(waits_for(chains(100), 3) == Numbers{2});
}

TEST_CASE("an output that was donated an input is that input") {
  const std::vector<std::vector<Use>> launches = {{{0, 8, false, 0}}, {{0, 8, true, 1}}};
  CHECK(waits_for(plan_of(launches, {0, 1}), 1) == Numbers{});
  CHECK(waits_for(plan_of(launches, {0, 0}), 1) == Numbers{0});
}

TEST_CASE("segments end at jumps and begin at targets of jumps") {
  LaunchPlan plan;
  const auto jump = [&](CommandKind kind, std::uint32_t target) {
    plan.commands.emplace_back().kind = kind;
    plan.commands.back().target = target;
  };
  for (int i = 0; i < 3; ++i) {
    add_launch(plan, {{0, 8, true}});  // 0 to 2
  }
  jump(CommandKind::JumpUnless, 6);
  add_launch(plan, {{0, 8, true}});
  jump(CommandKind::Jump, 1);
  add_launch(plan, {{0, 8, true}});  // 6
  plan.ranges.push_back({0, 0, 0, 1});
  plan.commands[3].first = static_cast<std::uint32_t>(plan.ranges.size() - 1);
  Numbers bounds;
  for (const Segment &segment : segments(plan)) {
    bounds.insert(bounds.end(), {segment.begin, segment.end});
  }
  CHECK(bounds == Numbers{0, 1, 1, 3, 4, 5, 6, 7});
  add_dependences(plan, Numbers{0});
  CHECK(waits_for(plan, 1) == Numbers{});  // what came before is over
  CHECK(waits_for(plan, 2) == Numbers{1});
}

TEST_CASE("random commands wait for what they have to, and little else") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t count = 2 + random() % 60, bytes = 4u << random() % 6;
    LaunchPlan plan;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<Use> uses(1 + random() % 3);
      for (Use &use : uses) {
        use.begin = random() % bytes;
        use.end = use.begin + 1 + random() % (bytes / 2);
        use.is_written = random() % 3 == 0;
      }
      add_launch(plan, uses);
    }
    add_dependences(plan, Numbers{0});
    const auto found = closure(count, [&](std::size_t a, std::size_t b) {
      const auto dependences = dependences_of(plan, plan.commands[b]);
      return std::ranges::find(dependences, a) != dependences.end();
    });
    const auto expected = closure(count, [&](std::size_t a, std::size_t b) { return conflict(plan, a, b); });
    CHECK((found == expected));
    // An order that the dependences allow has each command once, after those.
    const std::vector<std::uint32_t> order = last_first(plan, {0, count});
    Numbers position(count, UINT32_MAX);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      position[order[i]] = i;
    }
    REQUIRE(order.size() == count);
    for (std::uint32_t c = 0; c < count; ++c) {
      for (const std::uint32_t before : waits_for(plan, c)) {
        CHECK(position[before] < position[c]);
      }
    }
  }
}

TEST_CASE("many readers and many pieces stay few dependences, and nothing is forgotten") {
  // Slices that are written one by one, read as a whole by many, and written again.
  for (const std::uint32_t count : {40u, 5000u}) {
    LaunchPlan plan;
    for (std::uint32_t round = 0; round < 2; ++round) {
      for (std::uint64_t i = 0; i < count; ++i) {
        add_launch(plan, {{i * 8, i * 8 + 8, true}});
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        add_launch(plan, {{0, std::uint64_t{count} * 8, false}});
      }
    }
    add_dependences(plan, Numbers{0});
    CHECK(plan.dependences.size() < std::size_t{count} * 80);
    if (count < 100) {
      const auto found = closure(plan.commands.size(), [&](std::size_t a, std::size_t b) {
        const auto dependences = dependences_of(plan, plan.commands[b]);
        return std::ranges::find(dependences, a) != dependences.end();
      });
      for (std::size_t b = 0; b < plan.commands.size(); ++b) {
        for (std::size_t a = 0; a < b; ++a) {
          CHECK((found[b][a] || !conflict(plan, a, b)));
        }
      }
    }
  }
}

}  // namespace bp::gpu::tests
