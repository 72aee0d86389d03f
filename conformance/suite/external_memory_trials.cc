// Trials of memory that the device did not allocate (bp.external-memory/draft-1): it is used where it is, is not
// written unless that is allowed, and is given back.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/library.h"
#include "conformance/suite/shared_area.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
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

Status import_in_place(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  BP_ASSIGN(const SharedArea area, SharedArea::create(area_bytes));
  BP_ASSIGN(const runtime::Block block, runtime::Block::import_from(device, space, handle_of(area, kind)));
  return expect_same_memory(device, block.location(), area.bytes(), "BP-IMPORT-01");
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

// --- BP-IMPORT-02: nothing writes to READ_ONLY memory ---

Status refuse_writes(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  BP_ASSIGN(const SharedArea area, SharedArea::create(area_bytes));
  fill_with(area.bytes(), 1);
  const std::vector<std::byte> before(area.bytes().begin(), area.bytes().end());
  std::vector<std::byte> other(area_bytes, std::byte{0x5a});
  {
    BP_ASSIGN(const runtime::Block block,
              runtime::Block::import_from(device, space, handle_of(area, kind, BP_HANDLE_READ_ONLY)));
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device.memory()->copy(device.abi(), block.location(), runtime::host_location(other.data()), 100, diag);
    });
    if (status != BP_INVALID) {
      return broken_import(fmt::format("BP-IMPORT-02: a copy to READ_ONLY memory returns \"{}\", expected \"{}\"",
                                       host::status_name(status), host::status_name(BP_INVALID)));
    }
    BP_TRY(runtime::copy(device, runtime::host_location(other.data()), block.location(), other.size()));
    BP_TRY(expect_equal(other, before, "BP-IMPORT-02", "in a copy of READ_ONLY memory"));
  }
  return expect_equal(area.bytes(), before, "BP-IMPORT-02", "READ_ONLY memory is changed:");
}
Verdict refuses_writes(Subject &subject) {
  return run_on_kinds(subject, false, refuse_writes);
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
  return status == expected && piece.memory == 0
             ? Status()
             : Status(broken_import(fmt::format(
                   "BP-IMPORT-04: an import of {} returns \"{}\"{}, expected \"{}\"", what, host::status_name(status),
                   status != BP_OK && piece.memory != 0 ? " and writes a handle" : "", host::status_name(expected))));
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
    handle.offset = 0;
    handle.size = area_bytes + 1;
    BP_TRY(expect_refused(device, space, handle, BP_INVALID, "one byte more than the file has"));
    handle.size = UINT64_MAX;
    BP_TRY(expect_refused(device, space, handle, BP_INVALID, "2^64 - 1 bytes of a file"));
  }
  return {};
}
Verdict refuses_handles(Subject &subject) {
  return run_on_kinds(subject, false, refuse_handle);
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

Status import_beside(const host::Device &device, std::uint32_t space, std::uint32_t kind) {
  constexpr int imports = 4;
  if (!has_testable_capacity(device, space)) {
    return {};
  }
  BP_ASSIGN(const SharedArea area, SharedArea::create(device.memory()->spaces[space].capacity / imports));
  std::vector<runtime::Block> imported;
  for (int i = 0; i < imports; ++i) {
    BP_ASSIGN(runtime::Block block, runtime::Block::import_from(device, space, handle_of(area, kind)));
    imported.push_back(std::move(block));
  }
  return expect_room(device, space, "BP-IMPORT-05", "beside imported memory of the size of the space");
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
  int files = 0;
  for (int round = 0; round <= rounds; ++round) {
    BP_ASSIGN(const runtime::Block block, runtime::Block::allocate_on(device, space, size));
    BP_ASSIGN(const bp_handle_t handle, export_block(device, block, kind));
    close(static_cast<int>(handle.value));
    for (const std::uint32_t refused : {std::uint32_t{BP_HANDLE_HOST}, unknown_kind}) {
      const auto made = export_block(device, block, refused);
      if (made.ok() || made.error().code() != ErrorCode::Unsupported) {
        return broken_import(fmt::format("BP-EXPORT-02: an export as kind {} is not refused with \"{}\"", refused,
                                         host::status_name(BP_UNSUPPORTED)));
      }
    }
    files = round == 0 ? count_files() : files;
  }
  if (const int more = count_files() - files; more > tolerated) {
    return broken_import(fmt::format("BP-EXPORT-02: after {} exports, {} more descriptors are open", rounds, more));
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
    {"BP-IMPORT-02", "bp.external-memory/draft-1", refuses_writes},
    {"BP-IMPORT-03", "bp.external-memory/draft-1", gives_back},
    {"BP-IMPORT-04", "bp.external-memory/draft-1", refuses_handles},
    {"BP-IMPORT-05", "bp.external-memory/draft-1", imports_beside},
    {"BP-EXPORT-01", "bp.external-memory/draft-1", exports_in_place},
    {"BP-EXPORT-02", "bp.external-memory/draft-1", exports_often},
};

}  // namespace

const std::span<const ContractTrial> external_memory_trials = external_memory_table;

}  // namespace bp::conformance
