// Trials of queues and memory under load: many pieces, commands, submissions and points at the same time, of all sizes,
// from several threads, and submissions without commands behind work that takes long.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "backplane/ext/draft/cancel.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/submissions.h"
#include "core/debugging/random_scope.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/storage.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using debugging::Random;
using Content = std::vector<std::byte>;

Content content_of(std::uint64_t seed, std::uint64_t size) {
  Content content(size);
  for (std::uint64_t at = 0; at < size; at += 8) {
    const std::uint64_t word = hash_of("traffic", seed * 0x10001 + at);
    std::memcpy(content.data() + at, &word, std::min<std::uint64_t>(8, size - at));
  }
  return content;
}

Error wrong_traffic(std::string message) {
  return Error(ErrorCode::PluginFailure, std::move(message));
}

Status expect_bytes(const Content &found, const Content &expected, std::string_view rule, std::string_view what) {
  const auto differs = std::ranges::mismatch(found, expected);
  return differs.in1 == found.end() ? Status()
                                    : Status(wrong_traffic(fmt::format(
                                          "{}: byte {} of {} is {}, expected {}", rule, differs.in1 - found.begin(),
                                          what, static_cast<int>(*differs.in1), static_cast<int>(*differs.in2))));
}

// A size that is as likely to be small as to be large, and often next to a power of two.
std::uint64_t any_size(Random &random, int bits) {
  const std::uint64_t power = std::uint64_t{1} << random.below(bits);
  return random.chance(2) ? std::max<std::uint64_t>(power + static_cast<std::uint64_t>(random.below(3)), 2) - 1
                          : power + static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(power)));
}

// --- BP-ALLOC-02: many pieces of all sizes keep their content while others come and go ---

struct HeldPiece {
  bp_memory_t memory{};
  Content content;
};

class Pieces {
 public:
  Pieces(const host::Device &device, std::uint32_t space) : device_(device), space_(space) {}
  Pieces(const Pieces &) = delete;
  Pieces &operator=(const Pieces &) = delete;
  ~Pieces() {
    for (const HeldPiece &piece : held_) {
      device_.memory()->release(device_.abi(), piece.memory.memory);
    }
  }

  bool empty() const { return held_.empty(); }
  std::uint64_t bytes() const { return bytes_; }
  Status add(std::uint64_t size, std::uint32_t alignment) {
    HeldPiece piece;
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device_.memory()->alloc(device_.abi(), space_, size, alignment, &piece.memory, diag);
    });
    BP_TRY(diagnostics.result(status, device_.id(), fmt::format("alloc of {} bytes", size)));
    piece.content = content_of(++last_, size);
    bytes_ += size;
    const bp_memory_t memory = held_.emplace_back(std::move(piece)).memory;
    if (reinterpret_cast<std::uintptr_t>(memory.host) % alignment != 0 || memory.address % alignment != 0) {
      return wrong_traffic(fmt::format("BP-ALLOC-02: a piece of {} bytes is not aligned to {}", size, alignment));
    }
    return runtime::copy(device_, {memory.memory, 0}, runtime::host_location(held_.back().content.data()), size);
  }
  Status check(std::size_t which) const {
    const HeldPiece &piece = held_[which];
    Content found(piece.content.size());
    BP_TRY(runtime::copy(device_, runtime::host_location(found.data()), {piece.memory.memory, 0}, found.size()));
    BP_TRY(expect_bytes(found, piece.content, "BP-ALLOC-02", fmt::format("a piece of {} bytes", found.size())));
    if (piece.memory.host != nullptr) {
      std::memcpy(found.data(), piece.memory.host, found.size());
      BP_TRY(expect_bytes(found, piece.content, "BP-ALLOC-02", "a piece, at its address for the host,"));
    }
    return {};
  }
  // Looks at one of the pieces, and releases it.
  Status take(Random &random) {
    const auto which = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(held_.size())));
    BP_TRY(check(which));
    bytes_ -= held_[which].content.size();
    const std::uint64_t memory = held_[which].memory.memory;
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
    device_.memory()->release(device_.abi(), memory);
    return {};
  }

 private:
  const host::Device &device_;
  const std::uint32_t space_;
  std::vector<HeldPiece> held_;
  std::uint64_t bytes_ = 0, last_ = 0;
};

Result<Verdict> keep_content(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  for (std::uint32_t space = 0; space < device.memory()->space_count; ++space) {
    const bp_space_t &stated = device.memory()->spaces[space];
    if ((stated.flags & BP_SPACE_PER_RUN) != 0) {
      continue;
    }
    const std::uint64_t most =
        std::min(stated.capacity == 0 ? UINT64_MAX : stated.capacity / 4, std::uint64_t{1} << 22);
    Random random(subject.seed_of(fmt::format("pieces/{}", space)));
    Pieces pieces(device, space);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t size = any_size(random, 19);
      const auto alignment = std::max(std::uint32_t{1} << random.below(13), stated.alignment);
      while (!pieces.empty() && (pieces.bytes() + size > most || random.chance(8))) {
        BP_TRY(pieces.take(random));
      }
      if (size <= most) {
        BP_TRY(pieces.add(size, alignment));
      }
    }
    while (!pieces.empty()) {
      BP_TRY(pieces.take(random));
    }
  }
  return Verdict();
}
Verdict keeps_content(Subject &subject) {
  return verdict_or_error(keep_content(subject));
}

// --- BP-COPY-02: from several threads at the same time ---

// Each thread has pieces of its own, and does little but copy, so that copies overlap.
Result<Verdict> copy_from_threads(Subject &subject) {
  constexpr std::size_t threads = 4;
  constexpr std::uint64_t bytes = 65'536;
  constexpr std::chrono::milliseconds most(400);
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  std::vector<Status> outcomes(threads);
  std::atomic<std::size_t> ready = 0;
  const auto work = [&](std::size_t thread) -> Status {
    Random random(subject.seed_of(fmt::format("threads/{}", thread)));
    const Content content = content_of(thread, 2 * bytes);
    Content found(bytes);
    ++ready;
    while (ready < threads) {
      std::this_thread::yield();
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100 && std::chrono::steady_clock::now() - begin < most; ++i) {
      BP_ASSIGN(const runtime::Block one, runtime::Block::allocate_on(device, 0, bytes));
      BP_ASSIGN(const runtime::Block other, runtime::Block::allocate_on(device, 0, bytes));
      for (int k = 0; k < 16; ++k) {
        const std::uint64_t size =
            k % 2 == 0 ? bytes - static_cast<std::uint64_t>(random.below(64)) : any_size(random, 16);
        const std::byte *sent = content.data() + random.below(static_cast<std::int64_t>(bytes));
        BP_TRY(runtime::copy(device, one.location(), runtime::host_location(sent), size));
        BP_TRY(runtime::copy(device, other.location(), one.location(), size));
        BP_TRY(runtime::copy(device, runtime::host_location(found.data()), other.location(), size));
        if (std::memcmp(found.data(), sent, size) != 0) {
          return wrong_traffic(fmt::format(
              "BP-COPY-02: {} bytes are changed on their way to the device and back, if other threads copy too", size));
        }
      }
    }
    return {};
  };
  std::vector<std::thread> running;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] { outcomes[thread] = work(thread); });
  }
  for (std::thread &thread : running) {
    thread.join();
  }
  for (Status &outcome : outcomes) {
    BP_TRY(std::move(outcome));
  }
  return Verdict();
}
Verdict copies_from_threads(Subject &subject) {
  return verdict_or_error(copy_from_threads(subject));
}

// --- BP-SUBMIT-01: commands of all kinds and sizes, none of which is waited for before all are submitted ---

// Two pieces, memory of the host, and what is to be in all three.
struct Mixture {
  static constexpr std::uint64_t bytes = 300'007;
  std::vector<runtime::Block> blocks;
  std::vector<Content> expected;
  Content source = content_of(77, bytes);
  std::deque<std::pair<Content, Content>> brought;  // to the host: found, expected

  static Result<Mixture> make(const host::Device &device) {
    Mixture made;
    for (std::uint64_t i = 0; i < 2; ++i) {
      BP_ASSIGN(runtime::Block block, runtime::Block::allocate_on(device, 0, bytes));
      made.expected.push_back(content_of(i, bytes));
      BP_TRY(runtime::copy(device, block.location(), runtime::host_location(made.expected[i].data()), bytes));
      made.blocks.push_back(std::move(block));
    }
    return made;
  }
  bp_loc_t at(std::size_t block, std::uint64_t offset) const { return {blocks[block].location().memory, offset}; }

  bp_command_t command(Random &random, bool fills) {
    const std::uint64_t size = any_size(random, 17);  // less than half of a piece
    // Every other range has a byte in common with the others of its kind, so that their order shows.
    const auto place = [&](std::uint64_t end) -> std::uint64_t {
      constexpr std::uint64_t common = 70'000;
      const bool is_common = random.chance(2);
      const auto before = static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(size)));
      const auto anywhere = static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(end - size)));
      return is_common ? std::min(common - std::min(before, common), end - size - 1) : anywhere;
    };
    const std::size_t block = random.chance(2) ? 1 : 0;
    switch (random.below(fills ? 5 : 4)) {
      case 0: {  // from the host
        const std::uint64_t from = place(bytes), to = place(bytes);
        std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), size,
                    expected[block].begin() + static_cast<std::ptrdiff_t>(to));
        return copy_command(at(block, to), runtime::host_location(source.data() + from), size);
      }
      case 1: {  // to the host
        const std::uint64_t from = place(bytes);
        const auto begin = expected[block].begin() + static_cast<std::ptrdiff_t>(from);
        auto &[found, wanted] =
            brought.emplace_back(Content(size), Content(begin, begin + static_cast<std::ptrdiff_t>(size)));
        return copy_command(runtime::host_location(found.data()), at(block, from), size);
      }
      case 2: {  // between two pieces
        const std::uint64_t from = place(bytes), to = place(bytes);
        std::copy_n(expected[1 - block].begin() + static_cast<std::ptrdiff_t>(from), size,
                    expected[block].begin() + static_cast<std::ptrdiff_t>(to));
        return copy_command(at(block, to), at(1 - block, from), size);
      }
      case 3: {  // within a piece, from one half to the other
        const std::uint64_t from = place(bytes / 2), to = bytes / 2 + place(bytes / 2);
        std::copy_n(expected[block].begin() + static_cast<std::ptrdiff_t>(from), size,
                    expected[block].begin() + static_cast<std::ptrdiff_t>(to));
        return copy_command(at(block, to), at(block, from), size);
      }
      default: {
        bp_command_t fill{};
        fill.kind = BP_COMMAND_FILL;
        fill.pattern_size = 1u << random.below(4);
        fill.pattern = hash_of("pattern", size);
        fill.size = (size + fill.pattern_size - 1) / fill.pattern_size * fill.pattern_size;
        const std::uint64_t to = place(bytes - 8);
        fill.to = at(block, to);
        for (std::uint64_t i = 0; i < fill.size; ++i) {
          expected[block][to + i] = static_cast<std::byte>(fill.pattern >> 8 * (i % fill.pattern_size));
        }
        return fill;
      }
    }
  }
  Status check(const host::Device &device) const {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Content found(bytes);
      BP_TRY(runtime::copy(device, runtime::host_location(found.data()), blocks[i].location(), bytes));
      BP_TRY(expect_bytes(found, expected[i], "BP-SUBMIT-01", "memory to which commands of one queue write in turn"));
    }
    for (const auto &[found, wanted] : brought) {
      BP_TRY(expect_bytes(found, wanted, "BP-SUBMIT-01", "what a queue copies to the host between other commands"));
    }
    return {};
  }
};

Result<Verdict> mix_commands(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  bool any = false;
  for (std::uint32_t queue = 0; queue < device.queue()->queue_count && device.memory() != nullptr; ++queue) {
    if ((device.queue()->queues[queue] >> BP_COMMAND_COPY & 1) == 0) {
      continue;
    }
    any = true;
    const bool fills = (device.queue()->queues[queue] >> BP_COMMAND_FILL & 1) != 0;
    Random random(subject.seed_of(fmt::format("mixture/{}", queue)));
    for (int round = 0; round < 4; ++round) {
      BP_ASSIGN(Mixture mixture, Mixture::make(device));
      {
        Submissions submissions(device);
        std::vector<bp_point_t> points;
        for (int i = 0; i < 40; ++i) {
          std::vector<bp_command_t> commands;
          do {
            commands.push_back(mixture.command(random, fills));
          } while (random.chance(2));
          BP_ASSIGN(const bp_point_t point, submissions.submit(queue, commands));
          points.push_back(point);
        }
        for (const bp_point_t point : points) {
          BP_ASSIGN(const host::Signal signal, submissions.signal_of(point));
          if (signal.status != BP_OK) {
            return failure("BP-SUBMIT-01: a submission fails: " + signal.message);
          }
        }
      }
      BP_TRY(mixture.check(device));
    }
  }
  return any ? Verdict() : Verdict{.status = CaseStatus::Unsupported, .message = "no queue copies"};
}
Verdict mixes_commands(Subject &subject) {
  return verdict_or_error(mix_commands(subject));
}

// Runs of which each reads what the one before it has written, in one submission and in one each.
Result<Verdict> chain_runs(Subject &subject) {
  constexpr std::size_t runs = 7, elements = 4096;
  constexpr std::uint64_t bytes = elements * sizeof(std::int32_t);
  BP_ASSIGN(const Backend *backend, subject.backend());
  const DevicePointer &device = backend->device();
  const std::uint32_t queue = device->memory() == nullptr ? BP_NONE : find_queue(*device, 1u << BP_COMMAND_RUN);
  if (queue == BP_NONE) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "no queue runs programs"};
  }
  BP_ASSIGN(const ir::Module module,
            text::parse_module(
                fmt::format("ENTRY main {{ x = s32[{0}] parameter(0)  ROOT r = s32[{0}] add(x, x) }}", elements)));
  BP_ASSIGN(const auto parts, DirectParts::compile(device, module));
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(device, parts));
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("chain")));
  Content expected(bytes);
  ir::store(arguments[0], parts->parameters[0], expected);
  std::vector<runtime::Block> stations;
  for (std::size_t i = 0; i <= runs; ++i) {
    BP_ASSIGN(runtime::Block block, runtime::Block::allocate_on(*device, 0, bytes));
    stations.push_back(std::move(block));
  }
  BP_TRY(runtime::copy(*device, stations[0].location(), runtime::host_location(expected.data()), bytes));
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint32_t)) {
    std::uint32_t number = 0;
    std::memcpy(&number, expected.data() + at, sizeof number);
    number <<= runs;
    std::memcpy(expected.data() + at, &number, sizeof number);
  }
  for (int round = 0; round < 6; ++round) {
    const Content nothing(bytes);
    for (std::size_t i = 1; i <= runs; ++i) {
      BP_TRY(runtime::copy(*device, stations[i].location(), runtime::host_location(nothing.data()), bytes));
    }
    std::deque<std::unique_ptr<DirectRun>> prepared;
    std::deque<std::vector<bp_loc_t>> places;
    std::deque<bp_run_t> links;
    std::vector<bp_command_t> commands;
    for (std::size_t i = 0; i < runs; ++i) {
      BP_ASSIGN(std::unique_ptr<DirectRun> run, program->prepare(arguments, {}));
      const bp_run_t &abi = *run->abi();
      auto &of_run = places.emplace_back(abi.allocations, abi.allocations + abi.allocation_count);
      for (std::size_t k = 0; k < of_run.size(); ++k) {
        const std::uint16_t kind = parts->image.view().allocations()[k].kind;
        of_run[k] = kind == BP_ALLOC_INPUT    ? stations[i].location()
                    : kind == BP_ALLOC_OUTPUT ? stations[i + 1].location()
                                              : of_run[k];
      }
      bp_run_t &link = links.emplace_back(abi);
      link.id = i + 1;
      link.allocations = of_run.data();
      prepared.push_back(std::move(run));
      bp_command_t command{};
      command.kind = BP_COMMAND_RUN;
      command.program = program->abi();
      command.run = &link;
      commands.push_back(command);
    }
    {
      Submissions submissions(*device);
      std::vector<bp_point_t> points;
      for (std::size_t i = 0; i < runs; i += round % 2 == 0 ? runs : 1) {
        BP_ASSIGN(const bp_point_t point,
                  submissions.submit(queue, std::span(commands).subspan(i, round % 2 == 0 ? runs : 1)));
        points.push_back(point);
      }
      for (const bp_point_t point : points) {
        BP_ASSIGN(const host::Signal signal, submissions.signal_of(point));
        if (signal.status != BP_OK) {
          return failure("BP-SUBMIT-01: a run fails: " + signal.message);
        }
      }
    }
    Content found(bytes);
    BP_TRY(runtime::copy(*device, runtime::host_location(found.data()), stations[runs].location(), bytes));
    BP_TRY(
        expect_bytes(found, expected, "BP-SUBMIT-01",
                     round % 2 == 0 ? "what runs of one submission hand on" : "what one run after the other hands on"));
  }
  return Verdict();
}
Verdict chains_runs(Subject &subject) {
  return verdict_or_error(chain_runs(subject));
}

// Copies of 4 MiB to memory that nobody else uses: work that takes a while.
class Delay {
 public:
  static constexpr std::uint64_t bytes = 4 << 20;
  static Result<Delay> make(const host::Device &device) {
    Delay made;
    BP_ASSIGN(made.block_, runtime::Block::allocate_on(device, 0, bytes));
    return made;
  }
  std::vector<bp_command_t> commands(std::size_t count) const {
    return {count, copy_command(block_.location(), runtime::host_location(source_.data()), bytes)};
  }

 private:
  Delay() : source_(bytes) {}
  runtime::Block block_;
  Content source_;
};

// A submission that is refused for lack of memory is repeated when those before it are done.
Result<bp_point_t> submit_patiently(Submissions &submissions, std::uint32_t queue,
                                    std::span<const bp_command_t> commands, bp_point_t before) {
  auto point = submissions.submit(queue, commands);
  if (!point.ok() && point.error().code() == ErrorCode::OutOfMemory) {
    BP_ASSIGN([[maybe_unused]] const host::Signal signal, submissions.signal_of(before));
    point = submissions.submit(queue, commands);
  }
  return point;
}

// Many commands in one submission, and many submissions behind one that takes a while.
Result<Verdict> submit_many(Subject &subject) {
  constexpr std::uint64_t count = 1100, word = 8;
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  const std::uint32_t queue = device.memory() == nullptr ? BP_NONE : find_queue(device, 1u << BP_COMMAND_COPY);
  if (queue == BP_NONE) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "no queue copies"};
  }
  BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(device, 0, count * word));
  BP_ASSIGN(const Delay delay, Delay::make(device));
  for (const bool at_once : {true, false}) {
    const Content sent = content_of(at_once ? 1 : 2, count * word);
    Content found(count * word);
    std::vector<bp_command_t> commands;
    for (std::uint64_t i = 0; i < count; ++i) {
      const bp_loc_t to = {block.location().memory, block.location().offset + i * word};
      commands.push_back(copy_command(to, runtime::host_location(sent.data() + i * word), word));
    }
    commands.push_back(copy_command(runtime::host_location(found.data()), block.location(), found.size()));
    Submissions submissions(device);
    std::vector<bp_point_t> points;
    BP_ASSIGN(const bp_point_t first, submissions.submit(queue, delay.commands(at_once ? 1 : 6)));
    points.push_back(first);
    for (std::size_t i = 0; i < commands.size(); i += at_once ? commands.size() : 1) {
      BP_ASSIGN(const bp_point_t point,
                submit_patiently(submissions, queue, std::span(commands).subspan(i, at_once ? commands.size() : 1),
                                 points.back()));
      points.push_back(point);
    }
    for (const bp_point_t point : points) {
      BP_ASSIGN(const host::Signal signal, submissions.signal_of(point));
      if (signal.status != BP_OK) {
        return failure(fmt::format("BP-SUBMIT-01: one of {} {} fails: {}", commands.size(),
                                   at_once ? "commands of a submission" : "submissions", signal.message));
      }
    }
    BP_TRY(expect_bytes(found, sent, "BP-SUBMIT-01",
                        at_once ? "what more than a thousand commands of one submission bring"
                                : "what more than a thousand submissions at the same time bring"));
  }
  return Verdict();
}
Verdict submits_many(Subject &subject) {
  return verdict_or_error(submit_many(subject));
}

// --- BP-SUBMIT-03: a submission without commands behind work ---

// Whose point is reached when what is before it is done: on the same queue, or on another one that waits.
Result<Verdict> submit_nothing_late(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  const std::uint32_t queue = device.memory() == nullptr ? BP_NONE : find_queue(device, 1u << BP_COMMAND_COPY);
  if (queue == BP_NONE) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "no queue copies"};
  }
  BP_ASSIGN(const Delay delay, Delay::make(device));
  BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(device, 0, 64));
  for (std::uint64_t round = 0; round < 6; ++round) {
    const auto other = static_cast<std::uint32_t>((queue + round % 2) % device.queue()->queue_count);
    const bool waits = other != queue;
    if (waits && device.native_sync() == nullptr) {
      continue;
    }
    const Content sent = content_of(round, 64);
    Content found(64);
    Submissions submissions(device);
    std::vector<bp_command_t> commands = delay.commands(3);
    commands.push_back(copy_command(block.location(), runtime::host_location(sent.data()), sent.size()));
    commands.push_back(copy_command(runtime::host_location(found.data()), block.location(), found.size()));
    BP_ASSIGN(const bp_point_t work, submissions.submit(queue, commands));
    if (waits) {
      BP_TRY(submissions.wait(other, work));
    }
    BP_ASSIGN(const bp_point_t after, submissions.submit(other, {}));
    BP_ASSIGN(const host::Signal signal, submissions.signal_of(after));
    const bool is_there = found == sent;
    BP_ASSIGN([[maybe_unused]] const host::Signal end, submissions.signal_of(work));
    if (signal.status != BP_OK || !is_there) {
      return failure(fmt::format("BP-SUBMIT-03: a submission without commands {} is signalled {}",
                                 waits ? "that waits for another queue" : "behind copies of its queue",
                                 signal.status != BP_OK ? "with a failure" : "before they are done"));
    }
  }
  return Verdict();
}
Verdict submits_nothing_late(Subject &subject) {
  return verdict_or_error(submit_nothing_late(subject));
}

// --- BP-SUBMIT-03: submit() does not wait for what it accepts ---

// A run that does not get the answer to its first question before submit() has returned.
struct QuestionedRun {
  bp_run_t abi;  // its ctx is this object
  std::mutex mutex{};
  std::condition_variable changed{};
  bool has_returned = false, has_asked = false, waited_in_vain = false;
  std::uint32_t answer = 0;

  static QuestionedRun &of(const bp_run_t *run) { return *static_cast<QuestionedRun *>(run->ctx); }
  static std::uint32_t is_over(const bp_run_t *run) {
    QuestionedRun &self = of(run);
    std::unique_lock lock(self.mutex);
    if (!self.has_asked) {
      self.has_asked = true;
      self.waited_in_vain = !self.changed.wait_for(lock, std::chrono::seconds(5), [&] { return self.has_returned; });
    }
    return self.answer;
  }
  static const void *get_extension(const bp_run_t *, const char *id) {
    static constexpr bp_run_cancel_t table = {&QuestionedRun::is_over};
    return std::string_view(id) == BP_EXT_CANCEL ? &table : nullptr;
  }
  explicit QuestionedRun(const bp_run_t &run) : abi(run) {
    abi.ctx = this;
    abi.get_extension = &QuestionedRun::get_extension;
  }
  void returned() {
    const std::lock_guard lock(mutex);
    has_returned = true;
    changed.notify_all();
  }
};

struct QueuedProgram {
  DevicePointer device;
  std::uint32_t queue;
  std::unique_ptr<DirectProgram> program;
  std::vector<Literal> arguments;

  static Result<QueuedProgram> make(Subject &subject, const Backend &backend) {
    BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
    const DevicePointer &device = backend.device();
    const std::uint32_t queue = find_queue(*device, 1u << BP_COMMAND_RUN);
    if (queue == BP_NONE) {
      return make_error(ErrorCode::Unsupported, "no queue runs programs");
    }
    BP_ASSIGN(const auto parts, DirectParts::compile(device, module));
    QueuedProgram made{device, queue, nullptr, {}};
    BP_ASSIGN(made.program, DirectProgram::load(device, parts));
    BP_ASSIGN(made.arguments, interpreter::random_arguments(module, subject.seed_of("traffic")));
    return made;
  }
  bp_command_t command(const bp_run_t &run) const {
    bp_command_t made{};
    made.kind = BP_COMMAND_RUN;
    made.program = program->abi();
    made.run = &run;
    return made;
  }
};

Result<Verdict> return_at_once(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  BP_ASSIGN(const QueuedProgram work, QueuedProgram::make(subject, *backend));
  BP_ASSIGN(const std::unique_ptr<DirectRun> prepared, work.program->prepare(work.arguments, {}));
  QuestionedRun run(*prepared->abi());
  const bp_command_t command = work.command(run.abi);
  Submissions submissions(*work.device);
  const auto point = submissions.submit(work.queue, {&command, 1});
  run.returned();
  BP_TRY(Status(point.ok() ? Status() : Status(point.error())));
  BP_ASSIGN([[maybe_unused]] const host::Signal signal, submissions.signal_of(*point));
  if (!run.has_asked) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "the device does not ask whether to end a run"};
  }
  return run.waited_in_vain ? failure("BP-SUBMIT-03: submit() returns only when the run that it accepts is done")
                            : Verdict();
}
Verdict returns_at_once(Subject &subject) {
  return verdict_or_error(return_at_once(subject));
}

// --- BP-WAIT-01: many points, of any timelines, for one queue and not for another ---

// Timelines whose numbers are equal in their last 32 bits.
struct FarTimelines final : layers::Interposer {
  using Interposer::Interposer;
  static bp_point_t far(bp_point_t point) { return {point.timeline << 32 | 5, point.value}; }
  bp_status queue_submit(layers::LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    return Interposer::queue_submit(device, queue, commands, command_count, far(done), diag);
  }
  bp_status native_sync_wait(layers::LayeredDevice &device, std::uint32_t queue, bp_point_t point,
                             const bp_diag_t *diag) override {
    return Interposer::native_sync_wait(device, queue, far(point), diag);
  }
  void host_signal(layers::LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    Interposer::host_signal(host, {point.timeline >> 32, point.value}, status, instr, msg);
  }
};

// Returns a point that has failed: a run that was ended early. Nothing if the device does not end it.
Result<std::optional<std::pair<bp_point_t, bp_status>>> cancel_once(const QueuedProgram &work,
                                                                    const DirectRun &prepared, Submissions &submissions,
                                                                    std::uint64_t value) {
  QuestionedRun run(*prepared.abi());
  run.answer = 1;
  run.has_returned = true;
  const bp_command_t command = work.command(run.abi);
  BP_ASSIGN(const bp_point_t point, submissions.submit(work.queue, {&command, 1}, value));
  BP_ASSIGN(const host::Signal signal, submissions.signal_of(point));
  return signal.status == BP_OK ? std::optional<std::pair<bp_point_t, bp_status>>()
                                : std::optional(std::pair(point, signal.status));
}

Result<Verdict> tell_points_apart(Subject &subject) {
  constexpr std::size_t count = 40;
  BP_ASSIGN(const Backend backend,
            load_under(subject, [](std::unique_ptr<host::Entry> below) -> std::unique_ptr<host::Entry> {
              return std::make_unique<FarTimelines>(std::move(below));
            }));
  BP_ASSIGN(const QueuedProgram work, QueuedProgram::make(subject, backend));
  BP_ASSIGN(const std::unique_ptr<DirectRun> prepared, work.program->prepare(work.arguments, {}));
  const auto queues = static_cast<std::uint32_t>(work.device->queue()->queue_count);
  Random random(subject.seed_of("points"));
  Submissions submissions(*work.device);
  const auto outcome_of_next = [&](std::uint32_t queue) -> Result<bp_status> {
    BP_ASSIGN(const bp_point_t point, submissions.submit(queue, {}));
    BP_ASSIGN(const host::Signal signal, submissions.signal_of(point));
    return signal.status;
  };
  for (int round = 0; round < 6; ++round) {
    std::vector<bp_point_t> fine;
    const auto add_fine = [&](std::size_t more) -> Status {
      for (std::size_t i = 0; i < more; ++i) {
        BP_ASSIGN(const bp_point_t point,
                  submissions.submit(static_cast<std::uint32_t>(random.below(queues)), {}, 1 + i % 3));
        fine.push_back(point);
      }
      return {};
    };
    BP_TRY(add_fine(count / 2));
    BP_ASSIGN(const auto failed, cancel_once(work, *prepared, submissions, 1 + static_cast<std::uint64_t>(round) % 3));
    if (!failed) {
      return Verdict{.status = CaseStatus::Unsupported, .message = "no run can be made to end early"};
    }
    BP_TRY(add_fine(count / 2));
    const auto [failed_point, failed_with] = *failed;
    const auto queue = static_cast<std::uint32_t>(random.below(queues));
    for (const bp_point_t point : fine) {
      BP_TRY(submissions.wait(queue, point));
    }
    BP_ASSIGN(const bp_status among_fine, outcome_of_next(queue));
    if (among_fine != BP_OK) {
      return failure(
          fmt::format("BP-WAIT-01: a submission that waits for {} points, of which none has failed, ends "
                      "with {}",
                      fine.size(), host::status_name(among_fine)));
    }
    // One among many has failed. Other queues do not wait for it, nor does the submission after the next one.
    fine.insert(fine.begin() + static_cast<std::ptrdiff_t>(random.below(static_cast<std::int64_t>(fine.size() + 1))),
                failed_point);
    for (const bp_point_t point : fine) {
      BP_TRY(submissions.wait(queue, point));
    }
    for (std::uint32_t other = 0; other < queues; ++other) {
      BP_ASSIGN(const bp_status elsewhere, other == queue ? Result<bp_status>(BP_OK) : outcome_of_next(other));
      if (elsewhere != BP_OK) {
        return failure(
            fmt::format("BP-WAIT-01: a submission to queue {} ends with {}, because queue {} is to wait for a "
                        "point that has failed",
                        other, host::status_name(elsewhere), queue));
      }
    }
    BP_ASSIGN(const bp_status with_failed, outcome_of_next(queue));
    BP_ASSIGN(const bp_status after, outcome_of_next(queue));
    if (with_failed != failed_with || after != BP_OK) {
      return failure(fmt::format(
          "BP-WAIT-01: of {} points to wait for, one has failed with {}; the next submission ends "
          "with {}, and the one after it with {}",
          fine.size(), host::status_name(failed_with), host::status_name(with_failed), host::status_name(after)));
    }
  }
  return Verdict();
}
Verdict tells_points_apart(Subject &subject) {
  return verdict_or_error(tell_points_apart(subject));
}

constexpr ContractTrial traffic_table[] = {
    {"BP-ALLOC-02/content", "bp.memory/1", keeps_content},
    {"BP-COPY-02/threads", "bp.memory/1", copies_from_threads},
    {"BP-SUBMIT-01/mixed", "bp.queue/1", mixes_commands},
    {"BP-SUBMIT-01/runs", "bp.queue/1", chains_runs},
    {"BP-SUBMIT-01/many", "bp.queue/1", submits_many},
    {"BP-SUBMIT-03/nothing_late", "bp.queue/1", submits_nothing_late},
    {"BP-SUBMIT-03/at_once", "bp.queue/1", returns_at_once},
    {"BP-WAIT-01/many", "bp.native-sync/1", tells_points_apart},
};

}  // namespace

const std::span<const ContractTrial> traffic_trials = traffic_table;

}  // namespace bp::conformance
