#include "plugins/gpu/dependences.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

namespace bp::gpu {
namespace {

constexpr std::uint32_t nobody = UINT32_MAX;
// A reader beyond these limits is treated as a writer, and so represents all readers before it.
constexpr std::size_t max_readers = 32, max_pieces = 32;
// The max number of dependences of a dependence that are checked for being dependences of the command, too.
constexpr std::uint32_t max_looked_through = 16;

// The history of a memory: its pieces, each with the command that wrote it last and those that have read it since. Each
// reader waits for that writer.
class History {
 public:
  // Appends to `before` the commands for which a command that reads or writes the bytes [begin, end) has to wait.
  void read(std::uint64_t begin, std::uint64_t end, std::uint32_t command, std::vector<std::uint32_t> &before) {
    const auto [first, last] = pieces(begin, end);
    std::size_t count = 0;
    bool is_crowded = false;
    for (auto piece = first; piece != last; ++piece) {
      is_crowded |= ++count > max_pieces || piece->second.readers.size() >= max_readers;
    }
    if (is_crowded) {
      write(begin, end, command, before);
      return;
    }
    std::uint64_t at = begin;
    for (auto piece = first; piece != last; ++piece) {
      if (at < piece->first) {
        pieces_.emplace_hint(piece, at, Piece{piece->first, nobody, {command}});
      }
      before.push_back(piece->second.writer);
      piece->second.readers.push_back(command);
      at = piece->second.end;
    }
    if (at < end) {
      pieces_.emplace_hint(last, at, Piece{end, nobody, {command}});
    }
  }

  void write(std::uint64_t begin, std::uint64_t end, std::uint32_t command, std::vector<std::uint32_t> &before) {
    const auto [first, last] = pieces(begin, end);
    for (auto piece = first; piece != last; ++piece) {
      if (piece->second.readers.empty()) {
        before.push_back(piece->second.writer);
      }
      before.insert(before.end(), piece->second.readers.begin(), piece->second.readers.end());
    }
    pieces_.emplace_hint(pieces_.erase(first, last), begin, Piece{end, command, {}});
  }

 private:
  struct Piece {
    std::uint64_t end = 0;
    std::uint32_t writer = nobody;
    std::vector<std::uint32_t> readers;
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by begin; bytes in no piece were not used yet

  // Splits a piece that begins before `at` and ends after it.
  Pieces::iterator split(std::uint64_t at) {
    const auto next = pieces_.lower_bound(at);
    if (next == pieces_.begin()) {
      return next;
    }
    Piece &before = std::prev(next)->second;
    if (before.end <= at) {
      return next;
    }
    Piece after = before;
    before.end = at;
    return pieces_.emplace_hint(next, at, std::move(after));
  }
  // Returns the pieces in [begin, end), after splitting those that reach out of it.
  std::pair<Pieces::iterator, Pieces::iterator> pieces(std::uint64_t begin, std::uint64_t end) {
    split(begin);
    const auto last = split(end);
    return {pieces_.lower_bound(begin), last};
  }

  Pieces pieces_;
};

class Finder {
 public:
  Finder(LaunchPlan &plan, std::span<const std::uint32_t> memory_of)
      : plan_(plan), memory_of_(memory_of), seen_by_(plan.commands.size(), nobody) {}

  void run(const Segment &segment) {
    // Memory that no command writes, such as that of weights, orders nothing.
    std::unordered_map<std::uint32_t, History> histories;
    for (std::uint32_t c = segment.begin; c < segment.end; ++c) {
      for (const MemoryRange &range : ranges(c)) {
        if (range.is_written != 0 && range.size > 0) {
          histories.try_emplace(memory_of_[range.allocation]);
        }
      }
    }
    std::vector<std::uint32_t> before;
    for (std::uint32_t c = segment.begin; c < segment.end; ++c) {
      before.clear();
      for (const MemoryRange &range : ranges(c)) {
        const auto history = histories.find(memory_of_[range.allocation]);
        if (range.size > 0 && history != histories.end()) {
          const auto use = range.is_written != 0 ? &History::write : &History::read;
          (history->second.*use)(range.offset, range.offset + range.size, c, before);
        }
      }
      keep(c, before);
    }
  }

 private:
  std::span<const MemoryRange> ranges(std::uint32_t command) const { return ranges_of(plan_, plan_.commands[command]); }

  // Keeps the dependences of a command, except for those that others of them wait for.
  void keep(std::uint32_t command, std::vector<std::uint32_t> &before) {
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    std::erase_if(before, [&](std::uint32_t one) { return one == nobody || one == command; });
    for (const std::uint32_t one : before) {
      if (plan_.commands[one].dependence_count <= max_looked_through) {
        for (const std::uint32_t earlier : dependences_of(plan_, plan_.commands[one])) {
          seen_by_[earlier] = command;
        }
      }
    }
    Command &waiting = plan_.commands[command];
    waiting.first_dependence = static_cast<std::uint32_t>(plan_.dependences.size());
    for (const std::uint32_t one : before) {
      if (seen_by_[one] != command) {
        plan_.dependences.push_back(one);
      }
    }
    waiting.dependence_count = static_cast<std::uint32_t>(plan_.dependences.size()) - waiting.first_dependence;
  }

  LaunchPlan &plan_;
  std::span<const std::uint32_t> memory_of_;
  std::vector<std::uint32_t> seen_by_;  // by command: the last command that waits for it through another one
};

}  // namespace

std::vector<Segment> segments(const LaunchPlan &plan) {
  std::vector<bool> is_target(plan.commands.size() + 1);
  for (const Command &command : plan.commands) {
    if (jumps(command.kind) && command.kind != CommandKind::Switch) {
      is_target[command.target] = true;
    }
  }
  for (const std::uint32_t target : plan.targets) {
    is_target[target] = true;
  }
  std::vector<Segment> found;
  bool is_open = false;
  for (std::uint32_t c = 0; c < plan.commands.size(); ++c) {
    const bool is_straight = !jumps(plan.commands[c].kind);
    if (is_straight && (!is_open || is_target[c])) {
      found.push_back({c, c});
    }
    is_open = is_straight;
    if (is_open) {
      found.back().end = c + 1;
    }
  }
  return found;
}

void add_dependences(LaunchPlan &plan, std::span<const std::uint32_t> memory_of) {
  Finder finder(plan, memory_of);
  for (const Segment &segment : segments(plan)) {
    finder.run(segment);
  }
}

std::vector<std::uint32_t> last_first(const LaunchPlan &plan, const Segment &segment) {
  std::vector<std::uint32_t> waits_for(segment.size());
  std::vector<std::vector<std::uint32_t>> waiting(segment.size());
  std::priority_queue<std::uint32_t> ready;
  for (std::uint32_t c = segment.begin; c < segment.end; ++c) {
    const auto dependences = dependences_of(plan, plan.commands[c]);
    waits_for[c - segment.begin] = static_cast<std::uint32_t>(dependences.size());
    for (const std::uint32_t before : dependences) {
      waiting[before - segment.begin].push_back(c);
    }
    if (dependences.empty()) {
      ready.push(c);
    }
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::uint32_t c : waiting[next - segment.begin]) {
      if (--waits_for[c - segment.begin] == 0) {
        ready.push(c);
      }
    }
  }
  return order;
}

}  // namespace bp::gpu
