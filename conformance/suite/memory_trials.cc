// Trials of the device's memory: copies and fills of any size at any place, and as much memory as the device states.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/submissions.h"
#include "core/debugging/random_scope.h"

namespace bp::conformance {
namespace {

using Bytes = std::vector<std::byte>;

// A piece of a device's memory, and what it must contain.
struct Mirrored {
  runtime::Block block;
  Bytes content;

  bp_loc_t at(std::uint64_t offset) const { return {block.location().memory, block.location().offset + offset}; }
};

Bytes random_bytes(debugging::Random &random, std::uint64_t size) {
  Bytes bytes(size);
  for (std::byte &byte : bytes) {
    byte = static_cast<std::byte>(random.below(256));
  }
  return bytes;
}

Result<Mirrored> make_mirrored(const host::Device &device, std::uint32_t space, std::uint64_t size,
                               debugging::Random &random) {
  Mirrored made;
  BP_ASSIGN(made.block, runtime::Block::allocate_on(device, space, size));
  made.content = random_bytes(random, size);
  BP_TRY(runtime::copy(device, made.at(0), runtime::host_location(made.content.data()), size));
  return made;
}

Status expect_content(const host::Device &device, const Mirrored &piece, std::string_view after) {
  Bytes found(piece.content.size());
  BP_TRY(runtime::copy(device, runtime::host_location(found.data()), piece.at(0), found.size()));
  const auto differs = std::ranges::mismatch(found, piece.content);
  return differs.in1 == found.end()
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure, "after {} byte {} of the memory is {}, expected {}", after,
                                 differs.in1 - found.begin(), static_cast<int>(*differs.in1),
                                 static_cast<int>(*differs.in2)));
}

// --- BP-COPY-02: copies of any size, from any byte to any byte ---

using Copy = std::function<Status(bp_loc_t to, bp_loc_t from, std::uint64_t size)>;

Status copy_everywhere(const host::Device &device, std::uint32_t space, const Copy &copy, debugging::Random &random) {
  constexpr std::uint64_t piece_bytes = 4099;
  constexpr std::uint64_t sizes[] = {1, 2, 3, 5, 6, 7, 9, 15, 17, 31, 63, 65, 127, 255, 1021};
  BP_ASSIGN(Mirrored one, make_mirrored(device, space, piece_bytes, random));
  BP_ASSIGN(Mirrored other, make_mirrored(device, space, piece_bytes, random));
  Bytes host = random_bytes(random, piece_bytes);
  std::uint64_t place = 1;
  for (const std::uint64_t size : sizes) {
    // Two places that are far apart, at all distances from a multiple of 16.
    place = (place + 5) % 16;
    const std::uint64_t from = place + 16 * static_cast<std::uint64_t>(random.below(60));
    const std::uint64_t to = 2048 + (place * 3 + 1) % 16 + 16 * static_cast<std::uint64_t>(random.below(60));
    const auto expected = [&](const Bytes &source, Bytes &target) {
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), size,
                  target.begin() + static_cast<std::ptrdiff_t>(to));
    };
    BP_TRY(copy(one.at(to), runtime::host_location(host.data() + from), size));
    expected(host, one.content);
    BP_TRY(expect_content(device, one, fmt::format("a copy of {} bytes from the host to offset {}", size, to)));
    BP_TRY(copy(other.at(to), one.at(from), size));
    expected(one.content, other.content);
    BP_TRY(expect_content(
        device, other, fmt::format("a copy of {} bytes from offset {} to offset {} of other memory", size, from, to)));
    BP_TRY(copy(other.at(to), other.at(from), size));
    expected(other.content, other.content);
    BP_TRY(expect_content(
        device, other,
        fmt::format("a copy of {} bytes from offset {} to offset {} of the same memory", size, from, to)));
    Bytes received = host;
    BP_TRY(copy(runtime::host_location(received.data() + to), other.at(from), size));
    expected(other.content, host);
    if (received != host) {
      return make_error(ErrorCode::PluginFailure, "a copy of {} bytes from offset {} to the host brings other bytes",
                        size, from);
    }
    BP_TRY(copy(runtime::host_location(received.data() + from), runtime::host_location(host.data() + to), size));
    std::copy_n(host.begin() + static_cast<std::ptrdiff_t>(to), size, host.begin() + static_cast<std::ptrdiff_t>(from));
    if (received != host) {
      return make_error(ErrorCode::PluginFailure,
                        "a copy of {} bytes from memory of the host to the host brings other "
                        "bytes",
                        size);
    }
  }
  return {};
}

// Copies of sizes around powers of two and their multiples, in which devices cut what they move: to the device, within
// a piece, and back to the host and on there.
Status copy_multiples(const host::Device &device, std::uint32_t space, const Copy &copy, debugging::Random &random) {
  constexpr std::uint64_t largest = std::uint64_t{3} << 18, half = largest + 64;
  auto block = runtime::Block::allocate_on(device, space, 2 * half);
  if (!block.ok()) {
    return {};  // the memory is too small for that
  }
  const Bytes sent = random_bytes(random, half);
  Bytes found(half), moved(half);
  for (std::uint64_t power = 64; power <= std::uint64_t{1} << 18; power *= 2) {
    const std::uint64_t multiple = power * (1 + static_cast<std::uint64_t>(random.below(3)));
    for (const std::uint64_t size :
         {multiple - 1, multiple, multiple + 1 + static_cast<std::uint64_t>(random.below(48))}) {
      const auto from = static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(half - size + 1)));
      const bp_loc_t begin = {block->location().memory, block->location().offset + random.below(4)};
      const bp_loc_t second = {begin.memory, begin.offset + half - 4};
      BP_TRY(copy(begin, runtime::host_location(sent.data() + from), size));
      BP_TRY(copy(second, begin, size));
      std::fill_n(found.begin(), size + 1, std::byte{0x77});
      std::fill_n(moved.begin(), size + 1, std::byte{0x77});
      BP_TRY(copy(runtime::host_location(found.data()), second, size));
      BP_TRY(copy(runtime::host_location(moved.data()), runtime::host_location(found.data()), size));
      const std::byte *expected = sent.data() + from;
      for (const auto &[bytes, where] : {std::pair{&found, "within the device and back"}, {&moved, "on the host"}}) {
        const auto differs = std::mismatch(expected, expected + size, bytes->data());
        if (differs.first != expected + size || (*bytes)[size] != std::byte{0x77}) {
          return make_error(ErrorCode::PluginFailure, "after copies of {} bytes to the device, {}, byte {} is wrong",
                            size, where, differs.first - expected);
        }
      }
    }
  }
  return {};
}

// Copies more than the pieces in which devices move bytes: there and back, and within the device. Memory of less than
// that is not tested.
Status copy_much(const host::Device &device, std::uint32_t space, const Copy &copy, bool is_full,
                 debugging::Random &random) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  for (const std::uint64_t size : {mib + 1, 4 * mib + 3, (is_full ? 64 : 16) * mib + 7}) {
    auto first = runtime::Block::allocate_on(device, space, size),
         second = runtime::Block::allocate_on(device, space, size);
    if (!first.ok() || !second.ok()) {
      return {};
    }
    std::vector<std::uint64_t> sent(size / 8 + 1), received(size / 8 + 1);
    for (std::uint64_t &word : sent) {
      word = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 62));
    }
    const auto expect_same = [&](std::string_view way) -> Status {
      const auto *x = reinterpret_cast<const std::byte *>(sent.data());
      const auto *y = reinterpret_cast<const std::byte *>(received.data());
      const auto differs = std::mismatch(x, x + size, y);
      return differs.first == x + size
                 ? Status()
                 : Status(make_error(ErrorCode::PluginFailure, "after {} of {} bytes byte {} is {}, expected {}", way,
                                     size, differs.first - x, static_cast<int>(*differs.second),
                                     static_cast<int>(*differs.first)));
    };
    BP_TRY(copy(first->location(), runtime::host_location(sent.data()), size));
    BP_TRY(copy(runtime::host_location(received.data()), first->location(), size));
    BP_TRY(expect_same("a copy to the device and one back"));
    BP_TRY(copy(second->location(), first->location(), size));
    std::ranges::fill(received, 0);
    BP_TRY(copy(runtime::host_location(received.data()), second->location(), size));
    BP_TRY(expect_same("a copy to the device, one within it and one back"));
  }
  return {};
}

// Copies between places of the host, which need no memory of the device. One may be refused.
Status copy_on_host(const host::Device &device, debugging::Random &random) {
  for (const std::uint64_t size : {1, 7, 64, 4099}) {
    const Bytes from = random_bytes(random, size);
    Bytes to(size);
    if (runtime::copy(device, runtime::host_location(to.data()), runtime::host_location(from.data()), size).ok() &&
        to != from) {
      return make_error(ErrorCode::PluginFailure, "a copy of {} bytes on the host brings other bytes", size);
    }
  }
  return {};
}

bool lasts(const bp_space_t &space) {
  return (space.flags & BP_SPACE_PER_RUN) == 0;
}

Result<Verdict> copy_at_any_place(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  const Copy by_call = [&](bp_loc_t to, bp_loc_t from, std::uint64_t size) {
    return runtime::copy(device, to, from, size);
  };
  debugging::Random of_host(subject.seed_of("copies/host"));
  BP_TRY(copy_on_host(device, of_host));
  for (std::uint32_t space = 0; space < device.memory()->space_count; ++space) {
    if (lasts(device.memory()->spaces[space])) {
      debugging::Random random(subject.seed_of(fmt::format("copies/{}", space)));
      BP_TRY(copy_everywhere(device, space, by_call, random));
      BP_TRY(copy_multiples(device, space, by_call, random));
      BP_TRY(copy_much(device, space, by_call, subject.is_full(), random));
      if (const std::uint32_t queue = find_queue(device, 1u << BP_COMMAND_COPY); queue != BP_NONE) {
        Submissions submissions(device);
        const Copy by_queue = [&](bp_loc_t to, bp_loc_t from, std::uint64_t size) {
          const bp_command_t command = copy_command(to, from, size);
          return submissions.run(queue, {&command, 1});
        };
        BP_TRY(copy_everywhere(device, space, by_queue, random));
        BP_TRY(copy_multiples(device, space, by_queue, random));
        BP_TRY(copy_much(device, space, by_queue, subject.is_full(), random));
      }
    }
  }
  return Verdict();
}
Verdict copies_at_any_place(Subject &subject) {
  return verdict_or_error(copy_at_any_place(subject));
}

// --- BP-FILL-01: fills of any length, from any byte ---

// A fill of more than a few MiB, and nothing of what is beside it.
Status fill_much(const host::Device &device, std::uint32_t queue, Submissions &submissions) {
  constexpr std::uint64_t bytes = 5'000'008, beside = 24;
  auto block = runtime::Block::allocate_on(device, 0, bytes + 2 * beside);
  if (!block.ok()) {
    return {};
  }
  Bytes content(bytes + 2 * beside, std::byte{0x3c}), found(content.size());
  BP_TRY(runtime::copy(device, block->location(), runtime::host_location(content.data()), content.size()));
  bp_command_t command{};
  command.kind = BP_COMMAND_FILL;
  command.pattern_size = 8;
  command.pattern = hash_of("pattern", bytes);
  command.size = bytes;
  command.to = {block->location().memory, block->location().offset + beside};
  for (std::uint64_t at = beside; at < beside + bytes; at += 8) {
    std::memcpy(content.data() + at, &command.pattern, 8);
  }
  BP_TRY(submissions.run(queue, {&command, 1}));
  BP_TRY(runtime::copy(device, runtime::host_location(found.data()), block->location(), found.size()));
  const auto differs = std::mismatch(found.data(), found.data() + found.size(), content.data());
  return differs.first == found.data() + found.size()
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure,
                                 "after a fill of {} bytes byte {} of the memory is {}, "
                                 "expected {}",
                                 bytes, differs.first - found.data(), static_cast<int>(*differs.first),
                                 static_cast<int>(*differs.second)));
}

Result<Verdict> fill_at_any_place(Subject &subject) {
  constexpr std::uint64_t piece_bytes = 200'003;
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  const std::uint32_t queue = find_queue(device, 1u << BP_COMMAND_FILL);
  if (queue == BP_NONE || device.memory() == nullptr) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "no queue fills memory"};
  }
  debugging::Random random(subject.seed_of("fills"));
  BP_ASSIGN(Mirrored piece, make_mirrored(device, 0, piece_bytes, random));
  Submissions submissions(device);
  for (const std::uint32_t pattern_size : {1u, 2u, 4u, 8u}) {
    // None, short ones of any number of patterns, one of more than 64 KiB, and one of more than 128 KiB.
    std::vector<std::uint64_t> sizes = {0, 8, 296, 70'008, 150'000};
    for (int bits = 1; bits < 10; ++bits) {
      sizes.push_back(pattern_size * static_cast<std::uint64_t>(random.between(1, std::int64_t{1} << bits)));
    }
    for (const std::uint64_t bytes : sizes) {
      bp_command_t command{};
      command.kind = BP_COMMAND_FILL;
      command.pattern_size = pattern_size;
      command.pattern = hash_of("pattern", bytes + pattern_size);  // only its low bytes count
      command.size = bytes;
      const std::uint64_t offset =
          1 + static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(piece_bytes - command.size - 1)));
      command.to = piece.at(offset);
      for (std::uint64_t i = 0; i < command.size; ++i) {
        piece.content[offset + i] = static_cast<std::byte>(command.pattern >> 8 * (i % pattern_size));
      }
      BP_TRY(submissions.run(queue, {&command, 1}));
      BP_TRY(expect_content(device, piece,
                            fmt::format("a fill of {} bytes at offset {} with a pattern of {} bytes", command.size,
                                        offset, pattern_size)));
    }
  }
  return verdict_of(fill_much(device, queue, submissions));
}
Verdict fills_at_any_place(Subject &subject) {
  return verdict_or_error(fill_at_any_place(subject));
}

// --- BP-SPACE-01: a device that nobody else uses has three quarters of what it states, and does not share it ---

constexpr int pieces_per_space = 8, least_pieces = 6;

// Allocates that much of a space; PluginFailure if it cannot.
Result<std::vector<runtime::Block>> take_most(const host::Device &device, std::uint32_t space, std::string_view when) {
  const std::uint64_t capacity = device.memory()->spaces[space].capacity;
  std::vector<runtime::Block> pieces;
  while (pieces.size() < least_pieces) {
    Result<runtime::Block> piece = runtime::Block::allocate_on(device, space, capacity / pieces_per_space);
    if (!piece.ok()) {
      return make_error(ErrorCode::PluginFailure,
                        "BP-SPACE-01: space {} has {} bytes, but {} it has no room for {}: {}", space, capacity, when,
                        (pieces.size() + 1) * (capacity / pieces_per_space), piece.error().to_string());
    }
    pieces.push_back(std::move(piece).value());
  }
  return pieces;
}

// On one device, and on a second one if the machine has two.
Result<Verdict> has_its_memory(Subject &subject) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;  // the memory of an emulated device is the host's
  subject.unload();                                       // nobody else uses the device
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  BP_ASSIGN(const std::uint32_t instances, library->probe(subject.device_id()));
  BP_ASSIGN(const DevicePointer device, make_device(library, subject));
  DevicePointer second;
  if (instances > 1) {
    BP_ASSIGN(second, make_device(library, subject, 1));
  }
  bool any_known = false;
  for (std::uint32_t space = 0; space < device->memory()->space_count; ++space) {
    const bp_space_t &stated = device->memory()->spaces[space];
    if (!lasts(stated) || stated.capacity < pieces_per_space || stated.capacity > most) {
      continue;
    }
    any_known = true;
    BP_ASSIGN(const std::vector<runtime::Block> pieces, take_most(*device, space, "on an idle device"));
    if (second != nullptr) {
      BP_ASSIGN(const std::vector<runtime::Block> others, take_most(*second, space, "while another device is full"));
    }
  }
  return any_known ? Verdict()
                   : Verdict{.status = CaseStatus::Unsupported,
                             .message = "the device states no capacity, or more than a test should allocate"};
}
Verdict has_stated_memory(Subject &subject) {
  return verdict_or_error(has_its_memory(subject));
}

constexpr ContractTrial memory_table[] = {
    {"BP-COPY-02", "bp.memory/1", copies_at_any_place},
    {"BP-FILL-01", "bp.queue/1", fills_at_any_place},
    {"BP-SPACE-01", "bp.memory/1", has_stated_memory},
};

}  // namespace

const std::span<const ContractTrial> memory_trials = memory_table;

}  // namespace bp::conformance
