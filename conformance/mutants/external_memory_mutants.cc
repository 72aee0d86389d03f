// Faults of memory that the device did not allocate, added to the plugin `npu`, which imports and exports memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "conformance/mutants/fault.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

// The body gets a copy of the handle, which it may change, and calls next().
template <class Body>
Fault at_import(Body body) {
  return {.external_memory_import_memory = [body](const auto &next, layers::LayeredDevice &device, std::uint32_t space,
                                                  const bp_handle_t *handle, bp_memory_t *out, const bp_diag_t *diag) {
    bp_handle_t changed = *handle;
    return body([&] { return next(space, &changed, out, diag); }, device, changed, out, diag);
  }};
}
template <class Body>
Fault at_export(Body body) {
  return {.external_memory_export_memory = [body](const auto &next, layers::LayeredDevice &device, std::uint64_t memory,
                                                  std::uint32_t kind, bp_handle_t *out, const bp_diag_t *diag) {
    return body([&] { return next(memory, kind, out, diag); }, device, kind, out, diag);
  }};
}

// Allocates a piece below the layer that nobody releases, in space 0.
bp_status take_memory(layers::LayeredDevice &device, std::uint64_t size, const bp_diag_t *diag) {
  constexpr std::uint32_t alignment = 64;
  bp_memory_t piece{};
  return device.memory->alloc(device.below, 0, size, alignment, &piece, diag);
}

// Fills of at most 8 bytes are done together with the next submission or copy.
Fault small_fills_posted() {
  struct Posted {
    std::mutex mutex;
    std::vector<bp_command_t> fills;
  };
  auto posted = std::make_shared<Posted>();
  Fault fault;
  fault.queue_submit = [posted](const auto &next, layers::LayeredDevice &, std::uint32_t queue,
                                const bp_command_t *commands, std::uint32_t command_count, bp_point_t done,
                                const bp_diag_t *diag) {
    const std::lock_guard lock(posted->mutex);
    std::vector<bp_command_t> now = std::exchange(posted->fills, {});
    now.insert(now.end(), commands, commands + command_count);
    if (!now.empty() && now.back().kind == BP_COMMAND_FILL && now.back().size <= 8) {
      posted->fills.push_back(now.back());
      now.pop_back();
    }
    return next(queue, now.data(), static_cast<std::uint32_t>(now.size()), done, diag);
  };
  fault.memory_copy = [posted](const auto &next, layers::LayeredDevice &device, bp_loc_t, bp_loc_t, std::uint64_t,
                               const bp_diag_t *diag) {
    const std::lock_guard lock(posted->mutex);
    for (const bp_command_t &fill : std::exchange(posted->fills, {})) {
      std::array<char, 8> bytes{};
      for (std::size_t i = 0; i < fill.size; ++i) {
        bytes[i] = static_cast<char>(fill.pattern >> 8 * (i % fill.pattern_size));
      }
      device.memory->copy(device.below, fill.to, {0, reinterpret_cast<std::uint64_t>(bytes.data())}, fill.size, diag);
    }
    return next();
  };
  return fault;
}

constexpr Mutant external_memory_mutant_table[] = {
    {"import-copies", "memory", "import_memory() copies memory of the host instead of using it where it is", "npu",
     "contract/BP-IMPORT-01/*",
     [] {
       return at_import([](const auto &next, layers::LayeredDevice &device, bp_handle_t &handle, bp_memory_t *out,
                           const bp_diag_t *diag) -> bp_status {
         if (handle.kind != BP_HANDLE_HOST || handle.size == 0) {
           return next();
         }
         constexpr std::uint32_t alignment = 64;
         const bp_status status = device.memory->alloc(device.below, 0, handle.size, alignment, out, diag);
         return status != BP_OK ? status
                                : device.memory->copy(device.below, {out->memory, 0}, {0, handle.value + handle.offset},
                                                      handle.size, diag);
       });
     }},
    {"import-private-file", "memory", "import_memory() maps files so that the writes of the host are not seen", "npu",
     "contract/BP-IMPORT-01/copies",
     [] {
       return at_import([](const auto &next, layers::LayeredDevice &, bp_handle_t &handle, bp_memory_t *,
                           const bp_diag_t *) -> bp_status {
         if (handle.kind != BP_HANDLE_FD) {
           return next();
         }
         const int copy = memfd_create("mutant", MFD_CLOEXEC);
         std::vector<char> bytes(4096);
         for (off_t at = 0;;) {
           const ssize_t got = pread(static_cast<int>(handle.value), bytes.data(), bytes.size(), at);
           if (got <= 0 || pwrite(copy, bytes.data(), static_cast<std::size_t>(got), at) != got) {
             break;
           }
           at += got;
         }
         handle.value = static_cast<std::uint64_t>(copy);
         const bp_status status = next();
         close(copy);
         return status;
       });
     }},
    {"import-ignores-read-only", "memory", "import_memory() ignores READ_ONLY", "npu", "contract/BP-IMPORT-02",
     [] {
       return at_import(
           [](const auto &next, layers::LayeredDevice &, bp_handle_t &handle, bp_memory_t *, const bp_diag_t *) {
             handle.flags = 0;
             return next();
           });
     }},
    {"import-leaks-descriptors", "memory", "import_memory() duplicates descriptors that nobody closes", "npu",
     "contract/BP-IMPORT-03",
     [] {
       return at_import(
           [](const auto &next, layers::LayeredDevice &, bp_handle_t &handle, bp_memory_t *, const bp_diag_t *) {
             if (handle.kind == BP_HANDLE_FD) {
               fcntl(static_cast<int>(handle.value), F_DUPFD_CLOEXEC, 0);
             }
             return next();
           });
     }},
    {"import-closes-descriptor", "memory", "import_memory() closes the descriptor of the caller", "npu",
     "contract/BP-IMPORT-03",
     [] {
       return at_import(
           [](const auto &next, layers::LayeredDevice &, bp_handle_t &handle, bp_memory_t *, const bp_diag_t *) {
             const bp_status status = next();
             if (status == BP_OK && handle.kind == BP_HANDLE_FD) {
               close(static_cast<int>(handle.value));
             }
             return status;
           });
     }},
    {"import-guesses-kind", "memory", "import_memory() takes handles of unknown kinds for addresses", "npu",
     "contract/BP-IMPORT-04",
     [] {
       return at_import(
           [](const auto &next, layers::LayeredDevice &, bp_handle_t &handle, bp_memory_t *, const bp_diag_t *) {
             handle.kind = handle.kind > BP_HANDLE_FD ? std::uint32_t{BP_HANDLE_HOST} : handle.kind;
             return next();
           });
     }},
    {"import-rounds-size", "memory", "import_memory() cuts what is after the end of a file off", "npu",
     "contract/BP-IMPORT-04",
     [] {
       return at_import(
           [](const auto &next, layers::LayeredDevice &, bp_handle_t &handle, bp_memory_t *, const bp_diag_t *) {
             if (handle.kind == BP_HANDLE_FD) {
               const off_t end = lseek(static_cast<int>(handle.value), 0, SEEK_END);
               handle.size = std::min(handle.size, static_cast<std::uint64_t>(end) - handle.offset);
             }
             return next();
           });
     }},
    {"import-to-end-of-page", "memory", "import_memory() takes what is after the end of a file in its last page", "npu",
     "contract/BP-IMPORT-04",
     [] {
       return at_import([](const auto &next, layers::LayeredDevice &, bp_handle_t &handle, bp_memory_t *,
                           const bp_diag_t *) {
         constexpr std::uint64_t page = 4096;
         if (handle.kind == BP_HANDLE_FD) {
           const auto end = static_cast<std::uint64_t>(lseek(static_cast<int>(handle.value), 0, SEEK_END));
           const std::uint64_t most = (end + page - 1) / page * page;
           handle.size = handle.offset + handle.size <= most ? std::min(handle.size, end - handle.offset) : handle.size;
         }
         return next();
       });
     }},
    {"import-takes-capacity", "memory", "imported memory is counted as memory of the device", "npu",
     "contract/BP-IMPORT-05",
     [] {
       return at_import([](const auto &next, layers::LayeredDevice &device, bp_handle_t &handle, bp_memory_t *,
                           const bp_diag_t *diag) {
         const bp_status status = next();
         return status != BP_OK ? status : take_memory(device, handle.size, diag);
       });
     }},
    {"export-copies", "memory", "export_memory() gives a copy of the piece", "npu", "contract/BP-EXPORT-01",
     [] {
       return at_export(
           [](const auto &next, layers::LayeredDevice &, std::uint32_t, bp_handle_t *out, const bp_diag_t *) {
             const bp_status status = next();
             if (status == BP_OK) {
               const int copy = memfd_create("mutant", MFD_CLOEXEC);
               const auto file = static_cast<int>(out->value);
               std::vector<char> bytes(out->size);
               const ssize_t got = pread(file, bytes.data(), bytes.size(), 0);
               close(file);
               if (got > 0 && pwrite(copy, bytes.data(), static_cast<std::size_t>(got), 0) == got) {
                 out->value = static_cast<std::uint64_t>(copy);
               }
             }
             return status;
           });
     }},
    {"small-fills-posted", "memory", "fills of at most 8 bytes are done together with the next command", "npu",
     "contract/BP-IMPORT-01/copies", small_fills_posted},
    {"export-own-descriptor", "memory", "export_memory() gives its own descriptor from the second export on", "npu",
     "contract/BP-EXPORT-01",
     [] {
       auto own = std::make_shared<std::map<std::uint64_t, bp_handle_t>>();
       return Fault{.external_memory_export_memory = [own](const auto &next, auto &, std::uint64_t memory,
                                                           std::uint32_t, bp_handle_t *out, const bp_diag_t *) {
         const auto known = own->find(memory);
         if (known != own->end()) {
           *out = known->second;
           return bp_status{BP_OK};
         }
         const bp_status status = next();
         if (status == BP_OK) {
           bp_handle_t &kept = (*own)[memory] = *out;
           kept.value = static_cast<std::uint64_t>(fcntl(static_cast<int>(out->value), F_DUPFD_CLOEXEC, 0));
         }
         return status;
       }};
     }},
    {"export-takes-memory", "memory", "export_memory() takes memory for a copy, which nobody releases", "npu",
     "contract/BP-EXPORT-02",
     [] {
       return at_export(
           [](const auto &next, layers::LayeredDevice &device, std::uint32_t, bp_handle_t *out, const bp_diag_t *diag) {
             const bp_status status = next();
             if (status == BP_OK) {
               take_memory(device, out->size, diag);
             }
             return status;
           });
     }},
    {"export-any-kind", "memory", "export_memory() exports a file, whatever kind is asked for", "npu",
     "contract/BP-EXPORT-02",
     [] {
       return Fault{.external_memory_export_memory = [](const auto &next, auto &, std::uint64_t memory,
                                                        std::uint32_t kind, bp_handle_t *out, const bp_diag_t *diag) {
         const bp_status status = next(memory, BP_HANDLE_FD, out, diag);
         out->kind = kind;
         return status;
       }};
     }},
};

}  // namespace

const std::span<const Mutant> external_memory_mutants = external_memory_mutant_table;

}  // namespace bp::conformance
