// Trials of memory that the device did not allocate (bp.external-memory/draft-1): it is used where it is, is not
// written unless that is allowed, and is given back.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/library.h"
#include "conformance/suite/shared_area.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/submissions.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/storage.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

constexpr std::uint64_t page = 4096, area_bytes = 4 * page;

Error broken_import(std::string message) {
  return Error(ErrorCode::PluginFailure, std::move(message));
}

bp_handle_t file_handle(int file, std::uint64_t offset, std::uint64_t size, std::uint32_t flags = 0) {
  return {BP_HANDLE_FD, flags, static_cast<std::uint64_t>(file), offset, size};
}

bp_handle_t handle_of(const SharedArea &area, std::uint32_t kind, std::uint32_t flags = 0) {
  return kind == BP_HANDLE_FD ? file_handle(area.file(), 0, area.bytes().size(), flags)
                              : runtime::host_handle(area.bytes(), flags != 0);
}

void fill_with(std::span<std::byte> bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(hash_of("external", seed + i / 8) >> i % 8 * 8);
  }
}

// Calls the trial for each space and each kind of handle that it imports or exports. Unsupported if there are none.
Result<Verdict> for_each_kind(const host::Device &device, bool exports,
                              const std::function<Status(std::uint32_t space, std::uint32_t kind)> &trial) {
  bool any = false;
  for (std::uint32_t space = 0; space < device.memory()->space_count; ++space) {
    const bp_external_support_t &support = device.external_memory()->support[space];
    for (const std::uint32_t kind : {BP_HANDLE_HOST, BP_HANDLE_FD}) {
      if (((exports ? support.exports : support.imports) >> kind & 1) != 0) {
        any = true;
        BP_TRY(trial(space, kind));
      }
    }
  }
  return any ? Verdict()
             : Verdict{.status = CaseStatus::Unsupported,
                       .message = fmt::format("no space {} memory", exports ? "exports" : "imports")};
}

using KindTrial = Status (*)(const host::Device &device, std::uint32_t space, std::uint32_t kind);
Verdict run_on_kinds(Subject &subject, bool exports, KindTrial trial) {
  const Result<const Backend *> backend = subject.backend();
  if (!backend.ok()) {
    return failure(backend.error().to_string());
  }
  const host::Device &device = *(*backend)->device();
  return verdict_or_error(for_each_kind(
      device, exports, [&](std::uint32_t space, std::uint32_t kind) { return trial(device, space, kind); }));
}

// Says at which byte two ranges differ.
Status expect_equal(std::span<const std::byte> found, std::span<const std::byte> expected, std::string_view rule,
                    std::string_view when) {
  const auto differs = std::ranges::mismatch(found, expected);
  return differs.in1 == found.end() ? Status()
                                    : Status(broken_import(fmt::format(
                                          "{}: {} byte {} is {}, expected {}", rule, when, differs.in1 - found.begin(),
                                          static_cast<int>(*differs.in1), static_cast<int>(*differs.in2))));
}

// Whether the device's piece and the memory that is mapped here are the same memory.
Status expect_same_memory(const host::Device &device, bp_loc_t piece, std::span<std::byte> memory,
                          std::string_view rule) {
  std::vector<std::byte> copy(memory.size());
  for (const std::uint64_t seed : {1, 2}) {
    fill_with(memory, seed);
    BP_TRY(runtime::copy(device, runtime::host_location(copy.data()), piece, copy.size()));
    BP_TRY(expect_equal(copy, memory, rule, "after the host has written to the memory, in what the device reads,"));
    fill_with(copy, seed + 10);
    BP_TRY(runtime::copy(device, piece, runtime::host_location(copy.data()), copy.size()));
    BP_TRY(expect_equal(memory, copy, rule, "after the device has written to the memory, in what the host reads,"));
  }
  return {};
}

// --- BP-IMPORT-01: the piece is the memory itself ---

// Imports the bytes of an area from `offset` on, of which `in_value` are part of the address if it is that of the host,
// and expects that they are the piece, and that nothing beside them is written.
Status import_range(const host::Device &device, std::uint32_t space, std::uint32_t kind, std::uint64_t in_value,
                    std::uint64_t offset, std::uint64_t size) {
  BP_ASSIGN(const SharedArea area, SharedArea::create(area_bytes));
  fill_with(area.bytes(), 20);
  const std::vector<std::byte> before(area.bytes().begin(), area.bytes().end());
  bp_handle_t handle = handle_of(area, kind);
  const std::uint64_t shift = kind == BP_HANDLE_HOST ? in_value : 0;
  handle.value += shift;
  handle.offset = offset - shift;
  handle.size = size;
  const std::span<std::byte> bytes = area.bytes();
  {
    BP_ASSIGN(const runtime::Block block, runtime::Block::import_from(device, space, handle));
    BP_ASSIGN(const runtime::Block again, runtime::Block::import_from(device, space, handle));
    BP_TRY(expect_same_memory(device, block.location(), bytes.subspan(offset, size), "BP-IMPORT-01"));
    BP_TRY(expect_same_memory(device, again.location(), bytes.subspan(offset, size), "BP-IMPORT-01"));
  }
  BP_TRY(expect_equal(bytes.first(offset), std::span(before).first(offset), "BP-IMPORT-01",
                      "of the memory before that which was imported"));
  return expect_equal(bytes.subspan(offset + size), std::span(before).subspan(offset + size), "BP-IMPORT-01",
                      fmt::format("after the {} bytes that were imported", size));
}

// The bytes of a command are there when it is done, whether or not another command comes.
Status write_at_once(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  BP_ASSIGN(const SharedArea area, SharedArea::create(area_bytes));
  BP_ASSIGN(const runtime::Block block, runtime::Block::import_from(device, space, handle_of(area, kind)));
  std::vector<std::byte> expected(area_bytes), content(area_bytes);
  fill_with(content, 30);
  for (const std::uint32_t command_kind : {BP_COMMAND_FILL, BP_COMMAND_COPY}) {
    const std::uint32_t queue = find_queue(device, 1u << command_kind);
    for (const std::uint64_t size : {1, 2, 4, 8, 12, 64, 4096}) {
      for (const std::uint32_t pattern_size : {1, 2, 4, 8}) {
        if (queue == BP_NONE || size % pattern_size != 0) {
          continue;
        }
        const std::uint64_t at = 2 * size + pattern_size;
        bp_command_t command = copy_command({block.location().memory, block.location().offset + at},
                                            runtime::host_location(content.data() + pattern_size), size);
        if (command_kind == BP_COMMAND_FILL) {
          command.kind = BP_COMMAND_FILL;
          command.from = {};
          std::memcpy(&command.pattern, content.data() + pattern_size, pattern_size);
          command.pattern_size = pattern_size;
        }
        for (std::uint64_t i = 0; i < size; ++i) {
          expected[at + i] = content[pattern_size + (command_kind == BP_COMMAND_FILL ? i % pattern_size : i)];
        }
        Submissions submissions(device);
        BP_TRY(submissions.run(queue, {&command, 1}));
        BP_TRY(expect_equal(area.bytes(), expected, "BP-IMPORT-01",
                            fmt::format("after a {} of {} bytes and no other command, in imported memory",
                                        command_kind == BP_COMMAND_FILL ? "fill" : "copy", size)));
      }
    }
  }
  return {};
}

// A file of more than 4 GiB, of which only the imported part takes memory.
Status import_far(const host::Device &device, std::uint32_t space) {
  const std::uint64_t begin = (std::uint64_t{1} << 32) + page;
  const int file = memfd_create("conform", MFD_CLOEXEC);
  const auto import_it = [&]() -> Status {
    if (file < 0 || ftruncate(file, static_cast<off_t>(begin + page)) != 0) {
      return {};  // the system has no such files
    }
    std::vector<std::byte> content(page), found(page);
    fill_with(content, 5);
    BP_ASSIGN(const runtime::Block block,
              runtime::Block::import_from(device, space, file_handle(file, begin, content.size())));
    BP_TRY(runtime::copy(device, block.location(), runtime::host_location(content.data()), content.size()));
    const ssize_t got = pread(file, found.data(), found.size(), static_cast<off_t>(begin));
    found.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return expect_equal(found, content, "BP-IMPORT-01", "in a file, after the 4 GiB before the imported part,");
  };
  Status status = import_it();
  if (file >= 0) {
    close(file);
  }
  return status;
}

// A file on a disk, that may only be read.
Status import_file_for_reading(const host::Device &device, std::uint32_t space) {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  std::vector<std::byte> content(page + 777), found(content.size());
  if (file < 0 || pread(file, content.data(), content.size(), page) != static_cast<ssize_t>(content.size())) {
    return {};
  }
  const auto block =
      runtime::Block::import_from(device, space, file_handle(file, page, content.size(), BP_HANDLE_READ_ONLY));
  close(file);
  if (!block.ok()) {
    return broken_import("BP-IMPORT-01: a file that is open for reading is not imported as READ_ONLY memory: " +
                         block.error().to_string());
  }
  BP_TRY(runtime::copy(device, runtime::host_location(found.data()), block->location(), found.size()));
  return expect_equal(found, content, "BP-IMPORT-01", "in a file on a disk");
}

Status import_in_place(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  const bp_external_support_t &support = device.external_memory()->support[space];
  const std::uint64_t step =
      std::min<std::uint64_t>(kind == BP_HANDLE_FD ? support.file_alignment : support.host_alignment, page);
  BP_TRY(import_range(device, space, kind, 0, 0, area_bytes));
  BP_TRY(import_range(device, space, kind, 0, step, area_bytes - step));
  BP_TRY(import_range(device, space, kind, step, 2 * step, area_bytes - 2 * step - 1));
  BP_TRY(import_range(device, space, kind, page, page, 1));
  BP_TRY(import_range(device, space, kind, page, page + step, page + 777));
  BP_TRY(write_at_once(device, space, kind));
  if (kind == BP_HANDLE_FD) {
    BP_TRY(import_file_for_reading(device, space));
    BP_TRY(import_far(device, space));
  }
  return {};
}
Verdict imports_in_place(Subject &subject) {
  return run_on_kinds(subject, false, import_in_place);
}

// Programs read the memory, too, in each run as it is then.
Result<Verdict> run_in_place(Subject &subject) {
  constexpr std::int64_t count = 1024;
  BP_ASSIGN(const Backend *backend, subject.backend());
  if (!runtime::can_import(*backend->device(), 0, BP_HANDLE_HOST)) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "space 0 does not import memory of the host"};
  }
  BP_ASSIGN(const ir::Module module,
            text::parse_module(fmt::format("HloModule doubled\nENTRY main {{ x = f32[{0}] parameter(0)  ROOT r = "
                                           "f32[{0}] add(x, x) }}",
                                           count)));
  BP_ASSIGN(const auto compiled, subject.compile("external", module));
  BP_ASSIGN(const SharedArea area, SharedArea::create(count * sizeof(float)));
  auto *numbers = reinterpret_cast<float *>(area.bytes().data());
  const std::shared_ptr<const std::byte[]> bytes(area.bytes().data(), [](const std::byte *) {});
  const Literal literal = Literal::borrowed(module.entry().parameter(0).shape(), bytes);
  BP_ASSIGN(auto array, runtime::DeviceArray::borrow(backend->device(), literal));
  for (const float first : {3.0f, 5.0f}) {
    for (std::int64_t i = 0; i < count; ++i) {
      numbers[i] = first + static_cast<float>(i);
    }
    BP_ASSIGN(std::vector<runtime::Value> results, compiled->executable.run_on_device({runtime::Value(array)}));
    BP_ASSIGN(const Literal result, std::move(results.front()).literal());
    for (std::int64_t i = 0; i < count; ++i) {
      float found = 0;
      std::memcpy(&found, result.bytes().data() + i * static_cast<std::int64_t>(sizeof found), sizeof found);
      if (const float expected = 2 * (first + static_cast<float>(i)); found != expected) {
        return failure(fmt::format("BP-IMPORT-01: a run reads element {} of imported memory as {}, expected {}", i,
                                   found / 2, expected / 2));
      }
    }
  }
  return Verdict();
}
Verdict runs_in_place(Subject &subject) {
  return verdict_or_error(run_in_place(subject));
}

// A program whose input and output may lie anywhere.
struct Doubling {
  static constexpr std::uint64_t size = 1024 * sizeof(float);
  DevicePointer device;
  std::shared_ptr<const DirectParts> parts;
  std::unique_ptr<DirectProgram> program;
  std::vector<Literal> arguments;
  DirectProgram::Outputs expected;

  static Result<Doubling> make(Subject &subject) {
    BP_ASSIGN(const Backend *backend, subject.backend());
    BP_ASSIGN(const ir::Module module,
              text::parse_module("HloModule doubled\nENTRY main { x = f32[1024] parameter(0)  ROOT r = f32[1024] "
                                 "add(x, x) }"));
    Doubling made;
    made.device = backend->device();
    BP_ASSIGN(made.parts, DirectParts::compile(made.device, module));
    BP_ASSIGN(made.program, DirectProgram::load(made.device, made.parts));
    BP_ASSIGN(made.arguments, interpreter::random_arguments(module, subject.seed_of("external")));
    BP_ASSIGN(made.expected, made.program->run(made.arguments, {}));
    return made;
  }
  // Runs it by run(), or as a command of a queue.
  Result<bp_status> run(bp_loc_t input, bp_loc_t output, bool by_queue) const {
    BP_ASSIGN(const std::unique_ptr<DirectRun> prepared, program->prepare(arguments, {}));
    bp_run_t changed = *prepared->abi();
    std::vector<bp_loc_t> places(changed.allocations, changed.allocations + changed.allocation_count);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint16_t kind = parts->image.view().allocations()[i].kind;
      places[i] = kind == BP_ALLOC_INPUT ? input : kind == BP_ALLOC_OUTPUT ? output : places[i];
    }
    changed.allocations = places.data();
    const std::uint32_t queue = by_queue ? find_queue(*device, 1u << BP_COMMAND_RUN) : BP_NONE;
    if (queue == BP_NONE) {
      host::Diagnostics diagnostics;
      return diagnostics.call(
          [&](const bp_diag_t *diag) { return program->abi()->run(program->abi(), &changed, diag); });
    }
    bp_command_t command{};
    command.kind = BP_COMMAND_RUN;
    command.program = program->abi();
    command.run = &changed;
    Submissions submissions(*device);
    const auto point = submissions.submit(queue, {&command, 1});
    if (!point.ok()) {
      return bp_status{BP_INTERNAL};
    }
    BP_ASSIGN(const host::Signal signal, submissions.signal_of(*point));
    return signal.status;
  }
};

// Programs read what is imported, READ_ONLY or not, and write to it.
Result<Verdict> run_both_ways(Subject &subject) {
  BP_ASSIGN(const Doubling doubling, Doubling::make(subject));
  const host::Device &device = *doubling.device;
  std::vector<std::byte> input(Doubling::size);
  ir::store(doubling.arguments[0], doubling.parts->parameters[0], input);
  return for_each_kind(device, false, [&](std::uint32_t space, std::uint32_t kind) -> Status {
    if (space != 0) {
      return {};
    }
    for (const bool by_queue : {false, true}) {
      BP_ASSIGN(const SharedArea from, SharedArea::create(area_bytes));
      BP_ASSIGN(const SharedArea to, SharedArea::create(area_bytes));
      std::ranges::copy(input, from.bytes().begin());
      BP_ASSIGN(const runtime::Block source,
                runtime::Block::import_from(device, space,
                                            handle_of(from, kind, by_queue ? std::uint32_t{BP_HANDLE_READ_ONLY} : 0)));
      BP_ASSIGN(const runtime::Block target, runtime::Block::import_from(device, space, handle_of(to, kind)));
      BP_ASSIGN(const bp_status status, doubling.run(source.location(), target.location(), by_queue));
      if (status != BP_OK) {
        return broken_import(fmt::format("BP-IMPORT-01: a run from imported memory{} to imported memory ends with {}",
                                         by_queue ? " that is READ_ONLY" : "", host::status_name(status)));
      }
      BP_TRY(expect_equal(to.bytes().first(Doubling::size), doubling.expected[0], "BP-IMPORT-01",
                          "in imported memory that a run has written to,"));
      BP_TRY(expect_equal(from.bytes().first(Doubling::size), input, "BP-IMPORT-01",
                          "in imported memory that a run has read"));
    }
    return {};
  });
}
Verdict runs_both_ways(Subject &subject) {
  return verdict_or_error(run_both_ways(subject));
}

// --- BP-IMPORT-02: nothing writes to READ_ONLY memory ---

// Tries to write to a READ_ONLY piece in one of several ways. Returns the status of the attempt.
using Attempt = std::function<Result<bp_status>(bp_loc_t place)>;
Status expect_unwritten(const host::Device &device, std::uint32_t space, std::uint32_t kind, std::string_view what,
                        std::optional<bp_status> expected, const Attempt &attempt) {
  BP_ASSIGN(const SharedArea area, SharedArea::create(area_bytes));
  fill_with(area.bytes(), 1);
  const std::vector<std::byte> before(area.bytes().begin(), area.bytes().end());
  {
    BP_ASSIGN(const runtime::Block block,
              runtime::Block::import_from(device, space, handle_of(area, kind, BP_HANDLE_READ_ONLY)));
    BP_ASSIGN(const bp_status status, attempt(block.location()));
    if (status == BP_OK || (expected && status != *expected)) {
      return broken_import(fmt::format("BP-IMPORT-02: {} READ_ONLY memory returns \"{}\", expected \"{}\"", what,
                                       host::status_name(status), host::status_name(expected.value_or(BP_INVALID))));
    }
    std::vector<std::byte> found(area_bytes);
    BP_TRY(runtime::copy(device, runtime::host_location(found.data()), block.location(), found.size()));
    BP_TRY(expect_equal(found, before, "BP-IMPORT-02", "in a copy of READ_ONLY memory"));
  }
  return expect_equal(area.bytes(), before, "BP-IMPORT-02", fmt::format("after {} READ_ONLY memory", what));
}

Status refuse_writes(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  const std::vector<std::byte> other(area_bytes, std::byte{0x5a});
  BP_ASSIGN(const runtime::Block piece, runtime::Block::allocate_on(device, space, area_bytes));
  BP_TRY(runtime::copy(device, piece.location(), runtime::host_location(other.data()), other.size()));
  const bp_loc_t host_memory = runtime::host_location(other.data());
  for (const auto &[from, offset, size] : {std::tuple{host_memory, std::uint64_t{0}, std::uint64_t{100}},
                                           {host_memory, area_bytes - 1, 1},
                                           {piece.location(), page + 3, page}}) {
    const auto copied = [&, from = from, offset = offset, size = size](bp_loc_t place) -> Result<bp_status> {
      host::Diagnostics diagnostics;
      return diagnostics.call([&](const bp_diag_t *diag) {
        return device.memory()->copy(device.abi(), {place.memory, place.offset + offset}, from, size, diag);
      });
    };
    BP_TRY(expect_unwritten(device, space, kind, "a copy to", BP_INVALID, copied));
  }
  for (const std::uint32_t command_kind : {BP_COMMAND_COPY, BP_COMMAND_FILL}) {
    const std::uint32_t queue = find_queue(device, 1u << command_kind);
    const auto submitted = [&](bp_loc_t place) -> Result<bp_status> {
      bp_command_t command = copy_command(place, piece.location(), page);
      command.kind = command_kind;
      command.pattern_size = command_kind == BP_COMMAND_FILL ? 4 : 0;
      Submissions submissions(device);
      const auto point = submissions.submit(queue, {&command, 1});
      if (!point.ok()) {
        return bp_status{BP_INVALID};
      }
      BP_ASSIGN(const host::Signal signal, submissions.signal_of(*point));
      return signal.status;
    };
    if (queue != BP_NONE) {
      BP_TRY(expect_unwritten(device, space, kind,
                              command_kind == BP_COMMAND_COPY ? "a queue's copy to" : "a queue's fill of", std::nullopt,
                              submitted));
    }
  }
  return {};
}
Verdict refuses_writes(Subject &subject) {
  return run_on_kinds(subject, false, refuse_writes);
}

// Nor does a run, and it does not end as if it had.
Result<Verdict> refuse_output(Subject &subject) {
  BP_ASSIGN(const Doubling doubling, Doubling::make(subject));
  const host::Device &device = *doubling.device;
  BP_ASSIGN(const runtime::Block input, runtime::Block::allocate_on(device, 0, Doubling::size));
  return for_each_kind(device, false, [&](std::uint32_t space, std::uint32_t kind) -> Status {
    for (const bool by_queue : {false, true}) {
      if (space == 0) {
        BP_TRY(expect_unwritten(device, space, kind, "a run whose output is in", std::nullopt,
                                [&](bp_loc_t place) { return doubling.run(input.location(), place, by_queue); }));
      }
    }
    return {};
  });
}
Verdict refuses_output(Subject &subject) {
  return verdict_or_error(refuse_output(subject));
}

// --- BP-IMPORT-03: descriptors stay the caller's, and release() gives everything back ---

Status give_back(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  constexpr int rounds = 64, tolerated = 4;
  int files = 0, mappings = 0;
  for (int round = 0; round <= rounds; ++round) {
    BP_ASSIGN(SharedArea area, SharedArea::create(area_bytes));
    const int copy = kind == BP_HANDLE_FD ? fcntl(area.file(), F_DUPFD_CLOEXEC, 0) : -1;
    const bp_handle_t handle =
        kind == BP_HANDLE_FD ? file_handle(copy, 0, area_bytes) : runtime::host_handle(area.bytes(), false);
    BP_ASSIGN(const runtime::Block block, runtime::Block::import_from(device, space, handle));
    if (kind == BP_HANDLE_FD && close(copy) != 0) {
      return broken_import("BP-IMPORT-03: import_memory() has closed the descriptor, which is the caller's");
    }
    BP_TRY(expect_same_memory(device, block.location(), area.bytes(), "BP-IMPORT-03"));
    if (round == 0) {
      files = count_files();
      mappings = count_mappings();
    }
  }
  const int more_files = count_files() - files, more_mappings = count_mappings() - mappings;
  if (more_files > tolerated || more_mappings > tolerated) {
    return broken_import(fmt::format(
        "BP-IMPORT-03: after {} imports and releases, {} more descriptors are open and {} more mappings exist", rounds,
        more_files, more_mappings));
  }
  return {};
}
Verdict gives_back(Subject &subject) {
  return run_on_kinds(subject, false, give_back);
}

// --- BP-IMPORT-04: what cannot be imported is refused ---

Status expect_refused(const host::Device &device, std::uint32_t space, const bp_handle_t &handle, bp_status expected,
                      std::string_view what) {
  bp_memory_t piece{};
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.external_memory()->import_memory(device.abi(), space, &handle, &piece, diag);
  });
  if (status == BP_OK) {
    device.memory()->release(device.abi(), piece.memory);
  }
  return status == expected && piece.memory == 0 && piece.host == nullptr && piece.address == 0
             ? Status()
             : Status(broken_import(fmt::format(
                   "BP-IMPORT-04: an import of {} returns \"{}\"{}, expected \"{}\"", what, host::status_name(status),
                   status != BP_OK && status == expected ? " and writes a piece" : "", host::status_name(expected))));
}

// Imports of bytes after the end of a file.
Status refuse_beyond_end(const host::Device &device, std::uint32_t space, const SharedArea &area) {
  const std::uint64_t size = area.bytes().size(), of_page = size / page * page;
  BP_TRY(expect_refused(device, space, file_handle(area.file(), 0, size + 1), BP_INVALID,
                        "one byte more than the file has"));
  BP_TRY(expect_refused(device, space, file_handle(area.file(), page, size - page + 1), BP_INVALID,
                        "the end of a file and one byte more"));
  return expect_refused(device, space, file_handle(area.file(), of_page, size - of_page + 1), BP_INVALID,
                        "the bytes in the last page of a file and one byte more");
}

Status refuse_handle(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  constexpr std::uint32_t unknown_kind = 29;
  const bp_external_support_t &support = device.external_memory()->support[space];
  BP_ASSIGN(const SharedArea area, SharedArea::create(area_bytes));
  bp_handle_t handle = handle_of(area, kind);
  handle.size = 0;
  BP_TRY(expect_refused(device, space, handle, BP_INVALID, "no bytes"));
  handle.size = page;
  handle.kind = unknown_kind;
  BP_TRY(expect_refused(device, space, handle, BP_UNSUPPORTED, "a handle of an unknown kind"));
  handle.kind = kind;
  const std::uint32_t alignment = kind == BP_HANDLE_FD ? support.file_alignment : support.host_alignment;
  if (alignment > 1) {
    handle.offset = alignment / 2;
    BP_TRY(
        expect_refused(device, space, handle, BP_INVALID,
                       fmt::format("memory that is aligned to {}, where {} is required,", alignment / 2, alignment)));
  }
  if (kind == BP_HANDLE_FD) {
    BP_TRY(refuse_beyond_end(device, space, area));
    // The rest of the last page can be mapped, but is not the file's.
    BP_ASSIGN(const SharedArea in_last_page, SharedArea::create(area_bytes - 777));
    BP_TRY(refuse_beyond_end(device, space, in_last_page));
    handle.offset = UINT64_MAX - page + 1;
    handle.size = 2 * page;
    BP_TRY(expect_refused(device, space, handle, BP_INVALID, "bytes whose end is beyond 2^64"));
    handle.offset = 0;
    handle.size = UINT64_MAX;
    BP_TRY(expect_refused(device, space, handle, BP_INVALID, "2^64 - 1 bytes of a file"));
  }
  return {};
}
// No space takes a kind that it does not list, also where others do.
Result<Verdict> refuse_kinds(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  BP_ASSIGN(const SharedArea area, SharedArea::create(area_bytes));
  for (std::uint32_t space = 0; space < device.memory()->space_count; ++space) {
    for (const std::uint32_t kind : {BP_HANDLE_HOST, BP_HANDLE_FD}) {
      if ((device.external_memory()->support[space].imports >> kind & 1) == 0) {
        BP_TRY(expect_refused(device, space, handle_of(area, kind), BP_UNSUPPORTED,
                              fmt::format("kind {}, which space {} does not import,", kind, space)));
      }
    }
  }
  return for_each_kind(device, false,
                       [&](std::uint32_t space, std::uint32_t kind) { return refuse_handle(device, space, kind); });
}
Verdict refuses_handles(Subject &subject) {
  return verdict_or_error(refuse_kinds(subject));
}

// --- BP-IMPORT-05, BP-EXPORT-02: neither takes anything of the capacity ---

constexpr int parts_of_space = 8, least_parts = 6;

// Allocates three quarters of a space, if its capacity is known and not more than a test should take.
Status expect_room(const host::Device &device, std::uint32_t space, std::string_view rule, std::string_view when) {
  std::vector<runtime::Block> pieces;
  while (pieces.size() < least_parts) {
    auto piece = runtime::Block::allocate_on(device, space, device.memory()->spaces[space].capacity / parts_of_space);
    if (!piece.ok()) {
      return broken_import(fmt::format("{}: {}, less than three quarters of space {} can be allocated: {}", rule, when,
                                       space, piece.error().to_string()));
    }
    pieces.push_back(std::move(piece).value());
  }
  return {};
}

bool has_testable_capacity(const host::Device &device, std::uint32_t space) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28;
  const bp_space_t &stated = device.memory()->spaces[space];
  return (stated.flags & BP_SPACE_PER_RUN) == 0 && stated.capacity >= area_bytes && stated.capacity <= most;
}

// The free bytes of a space, by the device's own account; nothing if it does not tell.
std::optional<std::uint64_t> told_free(const host::Device &device, std::uint32_t space) {
  struct Told {
    std::uint32_t space;
    std::optional<std::uint64_t> free;
  } told{space, std::nullopt};
  const bp_fact_receiver_t receiver = {
      &told, [](const bp_fact_receiver_t *self, const bp_fact_t *fact) {
        auto &heard = *static_cast<Told *>(self->ctx);
        if (std::string_view(fact->name) == "memory.free" && fact->space == heard.space) {
          heard.free = fact->integer;
        }
      }};
  if (device.device_info() != nullptr) {
    host::Diagnostics diagnostics;
    diagnostics.call(
        [&](const bp_diag_t *diag) { return device.device_info()->report(device.abi(), &receiver, diag); });
  }
  return told.free;
}
Status expect_free(const host::Device &device, std::uint32_t space, std::optional<std::uint64_t> before,
                   std::string_view rule, std::string_view when) {
  const std::optional<std::uint64_t> now = told_free(device, space);
  return now == before ? Status()
                       : Status(broken_import(fmt::format("{}: {}, {} bytes of space {} are free, before {}", rule,
                                                          when, now.value_or(0), space, before.value_or(0))));
}

// The number of sixteenths of a space that can be allocated, up to twenty: a space may have more than it states.
constexpr std::size_t most_parts = 20;
std::size_t count_parts(const host::Device &device, std::uint32_t space) {
  constexpr std::uint64_t parts = 16;
  std::vector<runtime::Block> pieces;
  while (pieces.size() < most_parts) {
    auto piece = runtime::Block::allocate_on(device, space, device.memory()->spaces[space].capacity / parts);
    if (!piece.ok()) {
      break;
    }
    pieces.push_back(std::move(piece).value());
  }
  return pieces.size();
}

Status import_beside(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  constexpr int imports = 4;
  if (!has_testable_capacity(device, space)) {
    return {};
  }
  const std::optional<std::uint64_t> free = told_free(device, space);
  const std::size_t parts = count_parts(device, space);
  BP_ASSIGN(const SharedArea area, SharedArea::create(device.memory()->spaces[space].capacity / imports));
  std::vector<runtime::Block> imported;
  for (int i = 0; i < imports; ++i) {
    BP_ASSIGN(runtime::Block block, runtime::Block::import_from(device, space, handle_of(area, kind)));
    imported.push_back(std::move(block));
  }
  BP_TRY(expect_free(device, space, free, "BP-IMPORT-05", "beside imported memory"));
  BP_TRY(expect_room(device, space, "BP-IMPORT-05", "beside imported memory of the size of the space"));
  // Nor does the release give the space anything.
  BP_ASSIGN(const runtime::Block own,
            runtime::Block::allocate_on(device, space, device.memory()->spaces[space].capacity / parts_of_space));
  const std::optional<std::uint64_t> less = told_free(device, space);
  imported.clear();
  BP_TRY(expect_free(device, space, less, "BP-IMPORT-05", "after the release of imported memory"));
  if (const std::size_t now = count_parts(device, space); parts < most_parts && now > parts - 1) {
    return broken_import(
        fmt::format("BP-IMPORT-05: after the release of imported memory, {} sixteenths of space {} can "
                    "be allocated beside an eighth, before {} in all",
                    now, space, parts));
  }
  return {};
}
Verdict imports_beside(Subject &subject) {
  return run_on_kinds(subject, false, import_beside);
}

// --- BP-EXPORT-01: the handle is the memory itself ---

Result<bp_handle_t> export_block(const host::Device &device, const runtime::Block &block, std::uint32_t kind) {
  bp_handle_t handle{};
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.external_memory()->export_memory(device.abi(), block.location().memory, kind, &handle, diag);
  });
  BP_TRY(diagnostics.result(status, device.id(), "export_memory"));
  if (handle.kind != kind || handle.size < block.size()) {
    return broken_import(fmt::format("BP-EXPORT-01: a piece of {} bytes is exported as {} bytes of kind {}",
                                     block.size(), handle.size, handle.kind));
  }
  return handle;
}

Status export_in_place(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  BP_ASSIGN(runtime::Block block, runtime::Block::allocate_on(device, space, area_bytes));
  std::vector<std::byte> content(area_bytes);
  fill_with(content, 3);
  BP_TRY(runtime::copy(device, block.location(), runtime::host_location(content.data()), content.size()));
  BP_ASSIGN(const bp_handle_t handle, export_block(device, block, kind));
  BP_ASSIGN(const SharedArea area, SharedArea::adopt(handle));
  const std::span<std::byte> bytes = area.bytes().first(area_bytes);
  BP_TRY(expect_equal(bytes, content, "BP-EXPORT-02", "in what a mapping of the exported piece shows,"));
  BP_TRY(expect_same_memory(device, block.location(), bytes, "BP-EXPORT-01"));
  // A second handle stands for the same memory, and so does a piece that is made of one again.
  BP_ASSIGN(const bp_handle_t other_handle, export_block(device, block, kind));
  BP_ASSIGN(const SharedArea other, SharedArea::adopt(other_handle));
  BP_TRY(expect_same_memory(device, block.location(), bytes, "BP-EXPORT-01"));
  BP_TRY(expect_same_memory(device, block.location(), other.bytes().first(area_bytes), "BP-EXPORT-01"));
  if (runtime::can_import(device, space, kind)) {
    BP_ASSIGN(const runtime::Block again, runtime::Block::import_from(device, space, handle));
    BP_TRY(expect_same_memory(device, again.location(), bytes, "BP-EXPORT-01"));
    content.assign(bytes.begin(), bytes.end());
    std::vector<std::byte> seen(area_bytes);
    BP_TRY(runtime::copy(device, runtime::host_location(seen.data()), block.location(), seen.size()));
    BP_TRY(expect_equal(seen, content, "BP-EXPORT-01", "in a piece that was exported and imported again"));
  }
  // The owner of each handle closes its descriptor, whether or not others exist.
  for (int i = 0; i < 4; ++i) {
    BP_ASSIGN(const bp_handle_t next, export_block(device, block, kind));
    BP_ASSIGN(const SharedArea closed, SharedArea::adopt(next));
    BP_TRY(expect_same_memory(device, block.location(), closed.bytes().first(area_bytes), "BP-EXPORT-01"));
  }
  content.assign(bytes.begin(), bytes.end());
  block = runtime::Block();
  return expect_equal(bytes, content, "BP-EXPORT-01", "after release() of the exported piece");
}
Verdict exports_in_place(Subject &subject) {
  return run_on_kinds(subject, true, export_in_place);
}

// --- BP-EXPORT-02 ---

Status export_often(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  constexpr int rounds = 32, tolerated = 4;
  constexpr std::uint32_t unknown_kind = 29;
  const std::uint64_t size =
      has_testable_capacity(device, space) ? device.memory()->spaces[space].capacity / parts_of_space : area_bytes;
  int files = 0, mappings = 0;
  for (int round = 0; round <= rounds; ++round) {
    BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(device, space, size));
    const std::optional<std::uint64_t> free = told_free(device, space);
    BP_ASSIGN(const bp_handle_t handle, export_block(device, block, kind));
    BP_TRY(expect_free(device, space, free, "BP-EXPORT-02", "after an export"));
    close(static_cast<int>(handle.value));
    for (const std::uint32_t refused : {std::uint32_t{BP_HANDLE_HOST}, unknown_kind}) {
      const auto made = export_block(device, block, refused);
      if (made.ok() || made.error().code() != ErrorCode::Unsupported) {
        return broken_import(fmt::format("BP-EXPORT-02: an export as kind {} is not refused with \"{}\"", refused,
                                         host::status_name(BP_UNSUPPORTED)));
      }
    }
    files = round == 0 ? count_files() : files;
    mappings = round == 0 ? count_mappings() : mappings;
  }
  const int more_files = count_files() - files, more_mappings = count_mappings() - mappings;
  if (more_files > tolerated || more_mappings > tolerated) {
    return broken_import(
        fmt::format("BP-EXPORT-02: after {} exports, {} more descriptors are open and {} more mappings "
                    "exist",
                    rounds, more_files, more_mappings));
  }
  return has_testable_capacity(device, space)
             ? expect_room(device, space, "BP-EXPORT-02", "after pieces were exported and released")
             : Status();
}
Verdict exports_often(Subject &subject) {
  return run_on_kinds(subject, true, export_often);
}

constexpr ContractTrial external_memory_table[] = {
    {"BP-IMPORT-01/copies", "bp.external-memory/draft-1", imports_in_place},
    {"BP-IMPORT-01/runs", "bp.external-memory/draft-1", runs_in_place},
    {"BP-IMPORT-01/outputs", "bp.external-memory/draft-1", runs_both_ways},
    {"BP-IMPORT-02", "bp.external-memory/draft-1", refuses_writes},
    {"BP-IMPORT-02/outputs", "bp.external-memory/draft-1", refuses_output},
    {"BP-IMPORT-03", "bp.external-memory/draft-1", gives_back},
    {"BP-IMPORT-04", "bp.external-memory/draft-1", refuses_handles},
    {"BP-IMPORT-05", "bp.external-memory/draft-1", imports_beside},
    {"BP-EXPORT-01", "bp.external-memory/draft-1", exports_in_place},
    {"BP-EXPORT-02", "bp.external-memory/draft-1", exports_often},
};

}  // namespace

const std::span<const ContractTrial> external_memory_trials = external_memory_table;

}  // namespace bp::conformance
