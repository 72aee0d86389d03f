// Faults of queues and of memory that the host cannot address, added to the plugin `npu`: they show only for certain
// sizes, addresses, numbers of commands, or when several things happen in a certain order.
#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/ext/draft/profile.h"
#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

// Changes each copy: change(device, command). Copies are commands of a queue or calls of copy().
template <class Change>
Fault with_copies(Change change) {
  Fault fault;
  fault.queue_submit = [change](const auto &next, layers::LayeredDevice &device, std::uint32_t queue,
                                const bp_command_t *commands, std::uint32_t command_count, bp_point_t done,
                                const bp_diag_t *diag) {
    std::vector<bp_command_t> changed(commands, commands + command_count);
    for (bp_command_t &command : changed) {
      if (command.kind == BP_COMMAND_COPY) {
        change(device, command);
      }
    }
    return next(queue, changed.data(), command_count, done, diag);
  };
  fault.memory_copy = [change](const auto &next, layers::LayeredDevice &device, bp_loc_t to, bp_loc_t from,
                               std::uint64_t size, const bp_diag_t *diag) {
    bp_command_t command = {};
    command.to = to;
    command.from = from;
    command.size = size;
    change(device, command);
    return next(command.to, command.from, command.size, diag);
  };
  return fault;
}
template <class Change>
Fault with_fill_commands(Change change) {
  return at_submit([change](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
    std::vector<bp_command_t> changed(commands.begin(), commands.end());
    for (bp_command_t &command : changed) {
      if (command.kind == BP_COMMAND_FILL) {
        change(command);
      }
    }
    return next(changed);
  });
}

// The pieces of memory that exist, by device and handle.
struct Pieces {
  std::mutex mutex;
  std::map<std::pair<const void *, std::uint64_t>, std::uint64_t> sizes;
  std::uint64_t used = 0;
};
// Calls is_refused(pieces, device, size) before each alloc() of space 0, and refused(size) when one fails.
template <class IsRefused, class Refused>
Fault with_pieces(const std::shared_ptr<Pieces> &pieces, IsRefused is_refused, Refused refused) {
  Fault fault;
  fault.memory_alloc = [=](const auto &next, layers::LayeredDevice &device, std::uint32_t space, std::uint64_t size,
                           std::uint32_t, bp_memory_t *out, const bp_diag_t *diag) -> bp_status {
    const std::lock_guard lock(pieces->mutex);
    if (space == 0 && is_refused(*pieces, device, size)) {
      diag->report(diag, BP_NO_MEMORY, BP_NONE, "there is not enough memory");
      return BP_NO_MEMORY;
    }
    const bp_status status = next();
    if (status == BP_OK) {
      pieces->sizes[{&device, out->memory}] = size;
      pieces->used += space == 0 ? size : 0;
    } else if (status == BP_NO_MEMORY) {
      refused(size);
    }
    return status;
  };
  fault.memory_release = [=](const auto &next, layers::LayeredDevice &device, std::uint64_t memory) {
    const std::lock_guard lock(pieces->mutex);
    const auto found = pieces->sizes.find({&device, memory});
    if (found != pieces->sizes.end()) {
      pieces->used -= std::min(pieces->used, found->second);
      pieces->sizes.erase(found);
    }
    next();
  };
  return fault;
}

// Copies to the device in multiples of 16 bytes, from a buffer with room for them, as far as the memory reaches.
Fault copies_rounded_up() {
  struct Staging {
    std::mutex mutex;
    std::deque<std::string> buffers;
  };
  auto staging = std::make_shared<Staging>();
  auto pieces = std::make_shared<Pieces>();
  Fault fault = with_copies([=](layers::LayeredDevice &device, bp_command_t &command) {
    const std::uint64_t rounded = (command.size + 15) / 16 * 16;
    const std::lock_guard lock(pieces->mutex);
    const auto found = pieces->sizes.find({&device, command.to.memory});
    if (command.from.memory == 0 && rounded != command.size && found != pieces->sizes.end() &&
        command.to.offset + rounded <= found->second) {
      const std::lock_guard staging_lock(staging->mutex);
      std::string &buffer =
          staging->buffers.emplace_back(reinterpret_cast<const char *>(command.from.offset), command.size);
      buffer.resize(rounded, '\xaa');
      command.from.offset = reinterpret_cast<std::uint64_t>(buffer.data());
      command.size = rounded;
    }
  });
  Fault observed = with_pieces(pieces, [](const auto &...) { return false; }, [](std::uint64_t) {});
  fault.memory_alloc = observed.memory_alloc;
  fault.memory_release = observed.memory_release;
  return fault;
}

// The last 64 bytes of long copies to the device arrive when the next copy begins.
Fault copy_ends_late() {
  struct End {
    layers::LayeredDevice *device;
    bp_loc_t to;
    std::string bytes;
  };
  struct Ends {
    std::mutex mutex;
    std::vector<End> waiting;
  };
  auto ends = std::make_shared<Ends>();
  Fault fault = with_copies([ends](layers::LayeredDevice &device, bp_command_t &command) {
    static constexpr bp_diag_t silent = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
    const std::lock_guard lock(ends->mutex);
    std::erase_if(ends->waiting, [&](const End &end) {
      if (end.device == &device) {
        device.memory->copy(device.below, end.to, {0, reinterpret_cast<std::uint64_t>(end.bytes.data())},
                            end.bytes.size(), &silent);
      }
      return end.device == &device;
    });
    if (command.from.memory == 0 && command.to.memory != 0 && command.size >= 4096) {
      command.size -= 64;
      const char *end = reinterpret_cast<const char *>(command.from.offset) + command.size;
      ends->waiting.push_back({&device, {command.to.memory, command.to.offset + command.size}, std::string(end, 64)});
    }
  });
  fault.memory_release = [ends](const auto &next, layers::LayeredDevice &device, std::uint64_t memory) {
    {
      const std::lock_guard lock(ends->mutex);
      std::erase_if(ends->waiting, [&](const End &end) { return end.device == &device && end.to.memory == memory; });
    }
    next();
  };
  return fault;
}

// A queue remembers only the last point that it was told to wait for.
Fault last_wait_counts() {
  struct Waits {
    std::mutex mutex;
    std::map<std::pair<const void *, std::uint32_t>, bp_point_t> last;
  };
  auto waits = std::make_shared<Waits>();
  Fault fault;
  fault.native_sync_wait = [waits](const auto &, layers::LayeredDevice &device, std::uint32_t queue, bp_point_t point,
                                   const bp_diag_t *) -> bp_status {
    const std::lock_guard lock(waits->mutex);
    waits->last[{&device, queue}] = point;
    return BP_OK;
  };
  fault.queue_submit = [waits](const auto &next, layers::LayeredDevice &device, std::uint32_t queue,
                               const bp_command_t *, std::uint32_t, bp_point_t, const bp_diag_t *diag) -> bp_status {
    const std::lock_guard lock(waits->mutex);
    const auto found = waits->last.find({&device, queue});
    if (found != waits->last.end()) {
      device.native_sync->wait(device.below, queue, found->second, diag);
      waits->last.erase(found);
    }
    return next();
  };
  return fault;
}

// Waiting for a point that has failed already succeeds.
Fault old_failures_forgotten() {
  struct Failures {
    std::mutex mutex;
    std::set<std::pair<std::uint64_t, std::uint64_t>> points;
  };
  auto failures = std::make_shared<Failures>();
  Fault fault = at_signal([failures](const auto &next, bp_point_t point, bp_status status) {
    if (status != BP_OK) {
      const std::lock_guard lock(failures->mutex);
      failures->points.insert({point.timeline, point.value});
    }
    next(point, status);
  });
  fault.native_sync_wait = [failures](const auto &next, auto &, std::uint32_t, bp_point_t point,
                                      const bp_diag_t *) -> bp_status {
    const std::lock_guard lock(failures->mutex);
    return failures->points.contains({point.timeline, point.value}) ? bp_status{BP_OK} : next();
  };
  return fault;
}

// Reports the times of instructions in microseconds.
Fault profiled_in_microseconds() {
  struct Run {
    bp_run_t changed;  // the device gets its address
    const bp_run_t *original;
    const bp_run_profile_t *listener;
    std::vector<bp_command_t> commands;
  };
  static constexpr bp_run_profile_t table = {
      [](const bp_run_t *run, std::uint32_t instr, std::uint32_t track, std::uint64_t begin_ns, std::uint64_t end_ns) {
        const auto &self = *reinterpret_cast<const Run *>(run);
        self.listener->record(self.original, instr, track, begin_ns / 1000, end_ns / 1000);
      }};
  auto runs = std::make_shared<std::deque<Run>>();
  return at_submit([runs](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
    std::vector<bp_command_t> changed(commands.begin(), commands.end());
    for (bp_command_t &command : changed) {
      const bp_run_t *run = command.run;
      const void *listener = command.kind == BP_COMMAND_RUN ? run->get_extension(run, BP_EXT_PROFILE) : nullptr;
      if (listener != nullptr) {
        Run &kept = runs->emplace_back(Run{*run, run, static_cast<const bp_run_profile_t *>(listener), {}});
        kept.changed.get_extension = [](const bp_run_t *self, const char *id) -> const void * {
          const bp_run_t *original = reinterpret_cast<const Run *>(self)->original;
          return std::string_view(id) == BP_EXT_PROFILE ? &table : original->get_extension(original, id);
        };
        command.run = &kept.changed;
      }
    }
    return next(changed);
  });
}

constexpr Mutant queue_table[] = {
    // --- copies and fills ---
    {"copy-rounded-up", "memory", "copies to the device write up to 15 bytes more", "npu", "buffers/*",
     copies_rounded_up, nullptr, "microsoft/onnxruntime#27948"},
    {"copy-starts-at-word", "memory", "copies to the host start at the multiple of four bytes before", "npu",
     "contract/BP-COPY-02",
     [] {
       return with_copies([](layers::LayeredDevice &, bp_command_t &command) {
         command.from.offset -= command.from.memory != 0 && command.to.memory == 0 ? command.from.offset % 4 : 0;
       });
     },
     nullptr, "ggml-org/llama.cpp#28045"},
    {"copy-ends-late", "queues", "the last 64 bytes of copies of 4 KiB to the device arrive when the next copy begins",
     "npu", "concurrency/*/order", copy_ends_late, nullptr, "ggml-org/llama.cpp#18310"},
    {"fill-by-address", "memory", "the pattern of a fill starts at a multiple of its size in memory", "npu",
     "fuzz/calls/*",
     [] {
       return with_fill_commands([](bp_command_t &command) {
         const std::uint64_t phase = command.to.offset % command.pattern_size;
         const unsigned bits = 8 * command.pattern_size;
         if (phase != 0) {
           const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
           const std::uint64_t pattern = command.pattern & mask;
           command.pattern = (pattern >> (8 * phase) | pattern << (bits - 8 * phase)) & mask;
         }
       });
     }},
    {"long-fill-stops", "memory", "fills stop after 65,536 bytes", "npu", "contract/BP-FILL-01",
     [] {
       return with_fill_commands(
           [](bp_command_t &command) { command.size = std::min<std::uint64_t>(command.size, 65536); });
     }},
    // --- submission ---
    {"last-wait-counts", "queues", "of several points to wait for, only the last one counts", "npu",
     "contract/BP-WAIT-01/*", last_wait_counts},
    {"old-failures-forgotten", "queues", "a point that failed before wait() counts as reached", "npu",
     "contract/BP-WAIT-01/failure_*", old_failures_forgotten},
    {"nothing-never-done", "queues", "`done` of a submit() without commands is never signalled", "npu",
     "contract/BP-SUBMIT-03/nothing",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         return commands.empty() ? bp_status{BP_OK} : next(commands);
       });
     }},
    {"sixteen-commands", "queues", "commands after the sixteenth of a submit() are dropped", "npu", "fuzz/graphs/*",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         return next(commands.first(std::min<std::size_t>(commands.size(), 16)));
       });
     }},
    {"points-of-32-bits", "queues", "the value of a signalled point is truncated to 32 bits", "npu",
     "contract/BP-SIGNAL-01/large",
     [] {
       return at_signal([](const auto &next, bp_point_t point, bp_status status) {
         next({point.timeline, point.value & 0xffffffff}, status);
       });
     }},
    {"failure-told-later", "queues", "copy() reports a failure at its next call", "npu", "faults/copy/*",
     [] {
       auto failure = std::make_shared<std::atomic<bp_status>>(BP_OK);
       return Fault{.memory_copy = [failure](const auto &next, auto &, auto...) -> bp_status {
         const bp_status earlier = *failure;
         const bp_status status = next();
         *failure = status;
         return earlier;
       }};
     }},
    // --- amounts of memory ---
    {"memory-of-all-devices", "memory", "all devices together have the memory of one", "npu", "contract/BP-SPACE-01",
     [] {
       return with_pieces(
           std::make_shared<Pieces>(),
           [](const Pieces &pieces, const layers::LayeredDevice &device, std::uint64_t size) {
             return pieces.used + size > device.memory->spaces[0].capacity;
           },
           [](std::uint64_t) {});
     }},
    {"refused-memory-lost", "memory", "memory that alloc() refused is never available again", "npu", "faults/memory",
     [] {
       auto lost = std::make_shared<std::atomic<std::uint64_t>>(0);
       return with_pieces(
           std::make_shared<Pieces>(),
           [lost](const Pieces &pieces, const layers::LayeredDevice &device, std::uint64_t size) {
             return *lost > 0 && *lost + pieces.used + size > device.memory->spaces[0].capacity;
           },
           [lost](std::uint64_t size) { *lost += size; });
     }},
    {"capacity-doubled", "memory", "the device states twice the memory that it has", "npu", "contract/BP-SPACE-01",
     [] {
       struct Table {
         bp_device_memory_t memory;
         std::vector<bp_space_t> spaces;
       };
       auto tables = std::make_shared<std::map<const void *, Table>>();
       return Fault{.device_get_extension = [tables](const auto &next, auto &, std::string_view id) -> const void * {
         const void *found = next();
         if (id != BP_EXT_MEMORY || found == nullptr) {
           return found;
         }
         const auto [at, is_new] = tables->try_emplace(found);
         if (is_new) {
           Table &table = at->second;
           table.memory = *static_cast<const bp_device_memory_t *>(found);
           table.spaces.assign(table.memory.spaces, table.memory.spaces + table.memory.space_count);
           table.spaces[0].capacity *= 2;
           table.memory.spaces = table.spaces.data();
         }
         return &at->second.memory;
       }};
     }},
    {"profiled-in-microseconds", "runs", "a profile states times in microseconds", "npu", "contract/BP-PROFILE-01",
     profiled_in_microseconds},
};

}  // namespace

const std::span<const Mutant> queue_mutants = queue_table;

}  // namespace bp::conformance
