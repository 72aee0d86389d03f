// Faults that show when there is much to do at the same time, at sizes just above a limit, or in calls that fail: added
// to the plugin `npu`, which has queues, memory that the host cannot address, and memory of others.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "backplane/ext/draft/constants.h"
#include "backplane/ext/draft/device_info.h"
#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"
#include "core/layers/artifacts.h"

namespace bp::conformance {
namespace {

// Memory that is never freed.
void leave(std::size_t bytes) {
  static volatile char *kept;
  kept = new char[bytes];
  kept[0] = 1;
}

// change(command) for each command of a kind, on queues.
template <std::uint32_t kind, class Change>
Fault with_commands(Change change) {
  return at_submit([change](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
    std::vector<bp_command_t> changed(commands.begin(), commands.end());
    for (bp_command_t &command : changed) {
      if (command.kind == kind) {
        change(command);
      }
    }
    return next(changed);
  });
}
// change(size) for each copy of a queue and each call of copy().
template <class Change>
Fault with_copy_sizes(Change change) {
  Fault fault = with_commands<BP_COMMAND_COPY>(
      [change](bp_command_t &command) { command.size = change(command.to, command.from, command.size); });
  fault.memory_copy = [change](const auto &next, auto &, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                               const bp_diag_t *diag) { return next(to, from, change(to, from, size), diag); };
  return fault;
}

// Submissions without commands have nothing to wait for.
Fault nothing_at_once() {
  return at_submit(
      [](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *host, bp_point_t done) {
        if (commands.empty()) {
          host->signal(host, done, BP_OK, BP_NONE, nullptr);
          return bp_status{BP_OK};
        }
        return next(commands);
      });
}

// A ring has room for 256 submissions; those that do not fit are signalled, but not done.
Fault full_ring() {
  auto outstanding = std::make_shared<std::atomic<int>>(0);
  Fault fault =
      at_submit([outstanding](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
        return next(++*outstanding > 256 ? commands.first(0) : commands);
      });
  fault.host_signal = [outstanding](const auto &next, auto &, auto...) {
    --*outstanding;
    next();
  };
  return fault;
}

// submit() returns when the last command is done.
Fault submit_waits() {
  struct Done {
    std::mutex mutex;
    std::condition_variable changed;
    std::set<std::pair<std::uint64_t, std::uint64_t>> points;
  };
  auto done = std::make_shared<Done>();
  Fault fault = at_submit([done](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *,
                                 bp_point_t point) {
    const bp_status status = next(commands);
    std::unique_lock lock(done->mutex);
    done->changed.wait(lock, [&] { return status != BP_OK || done->points.contains({point.timeline, point.value}); });
    done->points.erase({point.timeline, point.value});
    return status;
  });
  fault.host_signal = [done](const auto &next, auto &, bp_point_t point, auto...) {
    next();
    const std::lock_guard lock(done->mutex);
    done->points.insert({point.timeline, point.value});
    done->changed.notify_all();
  };
  return fault;
}

// Short copies from the host are done by submit() itself, before what is in the queue.
Fault short_copies_first() {
  Fault fault;
  fault.queue_submit = [](const auto &next, layers::LayeredDevice &device, std::uint32_t queue,
                          const bp_command_t *commands, std::uint32_t command_count, bp_point_t done,
                          const bp_diag_t *diag) {
    std::vector<bp_command_t> left(commands, commands + command_count);
    while (!left.empty() && left.front().kind == BP_COMMAND_COPY && left.front().from.memory == 0 &&
           left.front().to.memory != 0 && left.front().size <= 128) {
      device.memory->copy(device.below, left.front().to, left.front().from, left.front().size, diag);
      left.erase(left.begin());
    }
    return next(queue, left.data(), static_cast<std::uint32_t>(left.size()), done, diag);
  };
  return fault;
}

// Calls of copy() from the host share a buffer.
Fault shared_buffer() {
  struct Buffer {
    std::array<char, 65536> bytes;
  };
  auto buffer = std::make_shared<Buffer>();
  Fault fault;
  fault.memory_copy = [buffer](const auto &next, auto &, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                               const bp_diag_t *diag) {
    if (from.memory != 0 || to.memory == 0 || size > buffer->bytes.size()) {
      return next();
    }
    std::memcpy(buffer->bytes.data(), reinterpret_cast<const void *>(from.offset), size);
    std::this_thread::yield();
    return next(to, {0, reinterpret_cast<std::uint64_t>(buffer->bytes.data())}, size, diag);
  };
  return fault;
}

// alloc() gives a released piece again if it has as many binary digits of size as are wanted, though it may be smaller.
Fault pieces_reused_by_class() {
  struct Cache {
    std::mutex mutex;
    std::map<std::pair<const void *, std::uint64_t>, std::pair<std::uint64_t, bp_memory_t>> sizes;
    std::map<std::pair<const void *, int>, std::vector<bp_memory_t>> free;
  };
  auto cache = std::make_shared<Cache>();
  Fault fault;
  fault.memory_alloc = [cache](const auto &next, layers::LayeredDevice &device, std::uint32_t space, std::uint64_t size,
                               std::uint32_t, bp_memory_t *out, const bp_diag_t *) {
    const std::lock_guard lock(cache->mutex);
    auto &free = cache->free[{&device, std::bit_width(size)}];
    if (space == 0 && !free.empty()) {
      *out = free.back();
      free.pop_back();
      return bp_status{BP_OK};
    }
    const bp_status status = next();
    if (status == BP_OK && space == 0) {
      cache->sizes[{&device, out->memory}] = {size, *out};
    }
    return status;
  };
  fault.memory_release = [cache](const auto &next, layers::LayeredDevice &device, std::uint64_t memory) {
    const std::lock_guard lock(cache->mutex);
    const auto found = cache->sizes.find({&device, memory});
    if (found == cache->sizes.end() || found->second.first > 65536) {
      next();
      return;
    }
    cache->free[{&device, std::bit_width(found->second.first)}].push_back(found->second.second);
  };
  return fault;
}

// Only the first eight points to wait for count.
Fault eight_points() {
  struct Counts {
    std::mutex mutex;
    std::map<std::pair<const void *, std::uint32_t>, int> of_queue;
  };
  auto counts = std::make_shared<Counts>();
  Fault fault;
  fault.native_sync_wait = [counts](const auto &next, layers::LayeredDevice &device, std::uint32_t queue, auto...) {
    {
      const std::lock_guard lock(counts->mutex);
      if (++counts->of_queue[{&device, queue}] > 8) {
        return bp_status{BP_OK};
      }
    }
    return next();
  };
  fault.queue_submit = [counts](const auto &next, layers::LayeredDevice &device, std::uint32_t queue, auto...) {
    {
      const std::lock_guard lock(counts->mutex);
      counts->of_queue[{&device, queue}] = 0;
    }
    return next();
  };
  return fault;
}

// Points are told apart by the last 32 bits of their timelines.
Fault short_timelines() {
  struct Points {
    std::mutex mutex;
    std::map<std::pair<std::uint32_t, std::uint64_t>, bp_point_t> last;
  };
  auto points = std::make_shared<Points>();
  Fault fault =
      at_submit([points](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t done) {
        {
          const std::lock_guard lock(points->mutex);
          points->last[{static_cast<std::uint32_t>(done.timeline), done.value}] = done;
        }
        return next(commands);
      });
  fault.native_sync_wait = [points](const auto &next, auto &, std::uint32_t queue, bp_point_t point,
                                    const bp_diag_t *diag) {
    const std::lock_guard lock(points->mutex);
    const auto found = points->last.find({static_cast<std::uint32_t>(point.timeline), point.value});
    return next(queue, found == points->last.end() ? point : found->second, diag);
  };
  return fault;
}

// The body gets a copy of the handle, which it may change.
template <class Body>
Fault at_import_of(Body body) {
  return {.external_memory_import_memory = [body](const auto &next, auto &, std::uint32_t space,
                                                  const bp_handle_t *handle, bp_memory_t *out, const bp_diag_t *diag) {
    bp_handle_t changed = *handle;
    const auto import_it = [&] { return next(space, &changed, out, diag); };
    return body(import_it, changed);
  }};
}

// Fills and runs write to memory of the host that was imported as READ_ONLY.
Fault read_only_for_copies_alone() {
  struct Imports {
    std::mutex mutex;
    std::map<std::pair<const void *, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> ranges;
  };
  auto imports = std::make_shared<Imports>();
  Fault fault;
  fault.external_memory_import_memory = [imports](const auto &next, layers::LayeredDevice &device, std::uint32_t,
                                                  const bp_handle_t *handle, bp_memory_t *out, const bp_diag_t *) {
    const bp_status status = next();
    if (status == BP_OK && handle->kind == BP_HANDLE_HOST && handle->flags != 0) {
      const std::lock_guard lock(imports->mutex);
      imports->ranges[{&device, out->memory}] = {handle->value + handle->offset, handle->size};
    }
    return status;
  };
  fault.queue_submit = [imports](const auto &next, layers::LayeredDevice &device, std::uint32_t queue,
                                 const bp_command_t *commands, std::uint32_t command_count, bp_point_t done,
                                 const bp_diag_t *diag) {
    std::vector<bp_command_t> changed(commands, commands + command_count);
    const std::lock_guard lock(imports->mutex);
    for (bp_command_t &command : changed) {
      const auto found = imports->ranges.find({&device, command.to.memory});
      if (command.kind == BP_COMMAND_FILL && found != imports->ranges.end()) {
        command.to = {0, found->second.first + command.to.offset};
      }
    }
    return next(queue, changed.data(), command_count, done, diag);
  };
  return fault;
}

// The second handle of a piece is that of a copy.
Fault second_export_copies() {
  auto exported = std::make_shared<std::map<std::pair<const void *, std::uint64_t>, int>>();
  Fault fault;
  fault.external_memory_export_memory = [exported](const auto &next, layers::LayeredDevice &device,
                                                   std::uint64_t memory, std::uint32_t, bp_handle_t *out,
                                                   const bp_diag_t *) {
    const bp_status status = next();
    if (status != BP_OK || ++(*exported)[{&device, memory}] == 1) {
      return status;
    }
    const int copy = memfd_create("mutant", MFD_CLOEXEC);
    const auto file = static_cast<int>(out->value);
    std::vector<char> bytes(out->size);
    const ssize_t got = pread(file, bytes.data(), bytes.size(), 0);
    close(file);
    if (got > 0 && pwrite(copy, bytes.data(), static_cast<std::size_t>(got), 0) == got) {
      out->value = static_cast<std::uint64_t>(copy);
    }
    return status;
  };
  fault.memory_release = [exported](const auto &next, layers::LayeredDevice &device, std::uint64_t memory) {
    exported->erase({&device, memory});
    next();
  };
  return fault;
}

// A failed call leaves some bytes.
auto leaves_if_failed(std::size_t bytes) {
  return [bytes](const auto &next, auto &, auto...) {
    const bp_status status = next();
    if (status != BP_OK) {
      leave(bytes);
    }
    return status;
  };
}

// Collects each artifact in one buffer, which belongs to the process.
Fault compile_in_static_buffer() {
  constexpr std::size_t capacity = 16 << 20;
  static const auto buffer = std::make_unique<char[]>(capacity);
  return {.compiler_compile = [](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                                 const bp_diag_t *diag) {
    layers::Tee tee(nullptr);
    const bp_status status = next(module, tee.abi(), diag);
    if (status != BP_OK || tee.bytes().size() > capacity) {
      return status == BP_OK ? bp_status{BP_NO_MEMORY} : status;
    }
    std::memcpy(buffer.get(), tee.bytes().data(), tee.bytes().size());
    return artifact->write(artifact, buffer.get(), tee.bytes().size());
  }};
}

// Accepts an artifact that has the same sum of bytes as one that was compiled in this process.
Fault sum_for_checksum() {
  struct Known {
    std::mutex mutex;
    std::map<std::pair<std::size_t, std::uint64_t>, std::string> by_sum;
  };
  auto known = std::make_shared<Known>();
  const auto key = [](std::string_view bytes) {
    std::uint64_t sum = 0;
    for (const char byte : bytes) {
      sum += static_cast<unsigned char>(byte);
    }
    return std::pair(bytes.size(), sum);
  };
  Fault fault;
  fault.compiler_compile = [known, key](const auto &next, auto &, const bp_module_t *module,
                                        const bp_ostream_t *artifact, const bp_diag_t *diag) {
    layers::Tee tee(artifact);
    const bp_status status = next(module, tee.abi(), diag);
    const std::lock_guard lock(known->mutex);
    known->by_sum[key(tee.bytes())] = tee.bytes();
    return status;
  };
  fault.compiler_load = [known, key](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                     const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t allocation_count,
                                     const bp_program_t **program, const bp_diag_t *diag) {
    const std::lock_guard lock(known->mutex);
    const auto found = known->by_sum.find(key({static_cast<const char *>(artifact), size}));
    return found == known->by_sum.end()
               ? next()
               : next(found->second.data(), size, constants, taken, allocation_count, program, diag);
  };
  return fault;
}

// compile() fails if the host has no content of a constant.
Fault contents_needed() {
  static std::atomic<const bp_host_constants_t *> service;
  static std::atomic<bool> is_refused;
  static constexpr bp_host_constants_t asking = {[](const bp_host_t *host, const bp_diag_t *diag,
                                                    std::uint32_t allocation, const void **data,
                                                    std::uint64_t *size) -> bp_status {
    const bp_status status = service.load()->content(host, diag, allocation, data, size);
    is_refused = is_refused || status == BP_UNSUPPORTED;
    return status;
  }};
  Fault fault;
  fault.host_get_extension = [](const auto &next, auto &, const char *id) -> const void * {
    const void *found = next();
    if (found == nullptr || std::string_view(id) != BP_EXT_CONSTANTS) {
      return found;
    }
    service = static_cast<const bp_host_constants_t *>(found);
    return &asking;
  };
  fault.compiler_compile = [](const auto &next, auto &, auto...) {
    is_refused = false;
    const bp_status status = next();
    return status == BP_OK && is_refused ? bp_status{BP_INTERNAL} : status;
  };
  return fault;
}

// Facts, with change(fact).
Fault with_facts(void (*change)(bp_fact_t &fact)) {
  return {.device_info_report = [change](const auto &next, auto &, const bp_fact_receiver_t *receiver,
                                         const bp_diag_t *diag) {
    struct Telling {
      const bp_fact_receiver_t *below;
      void (*change)(bp_fact_t &fact);
    } telling = {receiver, change};
    const bp_fact_receiver_t changing = {&telling, [](const bp_fact_receiver_t *self, const bp_fact_t *fact) {
                                           const auto &to = *static_cast<const Telling *>(self->ctx);
                                           bp_fact_t changed = *fact;
                                           to.change(changed);
                                           to.below->tell(to.below, &changed);
                                         }};
    return next(&changing, diag);
  }};
}

constexpr Mutant traffic_mutant_table[] = {
    // --- sizes and places ---
    {"copy-on-host-short", "memory", "copies from the host to the host leave out the last byte", "npu",
     "contract/BP-COPY-02",
     [] {
       return with_copy_sizes([](bp_loc_t to, bp_loc_t from, std::uint64_t size) {
         return size - (to.memory == 0 && from.memory == 0 && size > 0 ? 1 : 0);
       });
     }},
    {"copy-of-whole-blocks", "memory", "copies of a multiple of 64 KiB leave out the last 64 KiB", "npu",
     "contract/BP-COPY-02",
     [] {
       return with_copy_sizes([](bp_loc_t, bp_loc_t, std::uint64_t size) {
         return size > 65536 && size % 65536 == 0 ? size - 65536 : size;
       });
     }},
    {"copy-without-remainder", "memory", "copies of more than 64 KiB leave out a remainder of less than 32 bytes",
     "npu", "contract/BP-COPY-02",
     [] {
       return with_copy_sizes([](bp_loc_t, bp_loc_t, std::uint64_t size) {
         return size > 65536 && size % 65536 < 32 ? size / 65536 * 65536 : size;
       });
     }},
    {"fill-of-a-mebibyte", "memory", "fills stop after a MiB", "npu", "contract/BP-FILL-01",
     [] {
       return with_commands<BP_COMMAND_FILL>(
           [](bp_command_t &command) { command.size = std::min<std::uint64_t>(command.size, 1 << 20); });
     }},
    {"fill-of-words", "memory", "fills with one byte stop at a multiple of 8 bytes", "npu", "contract/BP-FILL-01",
     [] {
       return with_commands<BP_COMMAND_FILL>([](bp_command_t &command) {
         command.size -= command.pattern_size == 1 && command.size > 16 ? command.size % 8 : 0;
       });
     }},
    {"pieces-reused-by-class", "memory", "alloc() gives a released piece that may be smaller than what is wanted",
     "npu", "contract/BP-ALLOC-02/content", pieces_reused_by_class},
    {"buffer-of-all-threads", "memory", "copy() from several threads uses one buffer", "npu",
     "contract/BP-COPY-02/threads", shared_buffer},
    // --- queues ---
    {"nothing-at-once", "queues", "`done` of a submit() without commands is signalled before earlier work is done",
     "npu", "contract/BP-SUBMIT-03/nothing_late", nothing_at_once},
    {"ring-of-256", "queues", "of more than 256 submissions at the same time, the last ones do nothing", "npu",
     "contract/BP-SUBMIT-01/many", full_ring},
    {"thousand-commands", "queues", "commands after the 1,024th of a submit() are dropped", "npu",
     "contract/BP-SUBMIT-01/many",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         return next(commands.first(std::min<std::size_t>(commands.size(), 1024)));
       });
     }},
    {"runs-reversed", "queues", "the runs of one submit() are done last first", "npu", "contract/BP-SUBMIT-01/runs",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         std::vector<bp_command_t> changed(commands.begin(), commands.end());
         if (std::ranges::all_of(changed, [](const auto &command) { return command.kind == BP_COMMAND_RUN; })) {
           std::ranges::reverse(changed);
         }
         return next(changed);
       });
     }},
    {"submit-waits", "queues", "submit() returns when its commands are done", "npu", "contract/BP-SUBMIT-03/at_once",
     submit_waits},
    {"short-copies-first", "queues", "short copies to the device overtake what is in the queue", "npu",
     "contract/BP-SUBMIT-01/mixed", short_copies_first},
    {"eight-points", "queues", "of the points to wait for, only the first eight count", "npu",
     "contract/BP-WAIT-01/many", eight_points},
    {"point-awaited-once", "queues", "of several submissions that wait for one point, only the first does", "npu",
     "contract/BP-WAIT-01/failure_before",
     [] {
       struct Awaited {
         std::mutex mutex;
         std::set<std::pair<std::uint64_t, std::uint64_t>> points;
       };
       auto awaited = std::make_shared<Awaited>();
       return Fault{
           .native_sync_wait = [awaited](const auto &next, auto &, std::uint32_t, bp_point_t point, const bp_diag_t *) {
             const std::lock_guard lock(awaited->mutex);
             return awaited->points.emplace(point.timeline, point.value).second ? next() : bp_status{BP_OK};
           }};
     }},
    {"wait-of-another-queue", "queues", "the first queue waits, whichever is to wait", "npu",
     "contract/BP-WAIT-01/many",
     [] {
       return Fault{.native_sync_wait = [](const auto &next, auto &, std::uint32_t, bp_point_t point,
                                           const bp_diag_t *diag) { return next(0, point, diag); }};
     }},
    {"timelines-of-32-bits", "queues", "wait() takes a point for another whose timeline has the same last 32 bits",
     "npu", "contract/BP-WAIT-01/many", short_timelines},
    // --- memory of others ---
    {"import-ignores-offset", "memory", "import_memory() ignores the offset of memory of the host", "npu",
     "contract/BP-IMPORT-01/copies",
     [] {
       return at_import_of([](const auto &import_it, bp_handle_t &handle) {
         handle.offset = handle.kind == BP_HANDLE_HOST ? 0 : handle.offset;
         return import_it();
       });
     }},
    {"import-offset-of-32-bits", "memory", "import_memory() cuts the offset in a file off after 32 bits", "npu",
     "contract/BP-IMPORT-01/copies",
     [] {
       return at_import_of([](const auto &import_it, bp_handle_t &handle) {
         handle.offset = handle.kind == BP_HANDLE_FD ? handle.offset & 0xffffffff : handle.offset;
         return import_it();
       });
     }},
    {"import-of-writable-files", "memory", "import_memory() refuses files that are open for reading alone", "npu",
     "contract/BP-IMPORT-01/copies",
     [] {
       return at_import_of([](const auto &import_it, bp_handle_t &handle) {
         const bool is_file = handle.kind == BP_HANDLE_FD;
         const int flags = is_file ? fcntl(static_cast<int>(handle.value), F_GETFL) : O_RDWR;
         return (flags & O_ACCMODE) == O_RDONLY ? bp_status{BP_INVALID} : import_it();
       });
     }},
    {"fills-read-only", "memory", "fills write to memory that was imported as READ_ONLY", "npu",
     "contract/BP-IMPORT-02", read_only_for_copies_alone},
    {"import-anywhere-is-invalid", "memory", "import_memory() into a space that imports nothing returns BP_INVALID",
     "npu", "contract/BP-IMPORT-04",
     [] {
       return at_import_of([](const auto &import_it, bp_handle_t &handle) {
         const bp_status status = import_it();
         return status == BP_UNSUPPORTED && handle.kind <= BP_HANDLE_FD ? bp_status{BP_INVALID} : status;
       });
     }},
    {"second-export-copies", "memory", "the second handle of a piece stands for a copy of it", "npu",
     "contract/BP-EXPORT-01", second_export_copies},
    // --- what is left behind ---
    {"refused-import-leaks", "leaks", "import_memory() that fails leaves a descriptor", "npu",
     "life_cycle/leaks/import",
     [] {
       return at_import_of([](const auto &import_it, bp_handle_t &handle) {
         const bp_status status = import_it();
         if (status != BP_OK && handle.kind == BP_HANDLE_FD) {
           fcntl(static_cast<int>(handle.value), F_DUPFD_CLOEXEC, 0);
         }
         return status;
       });
     }},
    {"refused-alloc-leaks", "leaks", "alloc() that fails leaks 100 bytes", "npu", "life_cycle/leaks/refused_alloc",
     [] { return Fault{.memory_alloc = leaves_if_failed(100)}; }},
    {"refused-copy-leaks", "leaks", "copy() that fails leaks 100 bytes", "npu", "life_cycle/leaks/refused_copy",
     [] { return Fault{.memory_copy = leaves_if_failed(100)}; }},
    {"failed-signal-leaks", "leaks", "a submission that fails leaks 200 bytes", "npu", "life_cycle/leaks/refused_copy",
     [] {
       return at_signal([](const auto &next, bp_point_t point, bp_status status) {
         if (status != BP_OK) {
           leave(200);
         }
         next(point, status);
       });
     }},
    {"refused-stream-leaks", "leaks", "compile() that fails leaks 600 bytes", "npu", "life_cycle/leaks/refused_stream",
     [] { return Fault{.compiler_compile = leaves_if_failed(600)}; }},
    {"compile-leaks", "leaks", "each compile() leaks 300 bytes", "cpu", "life_cycle/leaks/compile",
     [] {
       return Fault{.compiler_compile = [](const auto &next, auto &, auto...) {
         leave(300);
         return next();
       }};
     }},
    {"ended-run-leaks", "leaks", "a run that ends early leaks 100 bytes", "npu", "life_cycle/leaks/run",
     [] { return Fault{.program_run = leaves_if_failed(100)}; }},
    {"fills-leak", "leaks", "each submission with a fill leaks 100 bytes", "npu", "life_cycle/leaks/submit",
     [] { return with_commands<BP_COMMAND_FILL>([](const bp_command_t &) { leave(100); }); }},
    {"facts-leak", "leaks", "each report() of facts leaks 64 bytes", "npu", "life_cycle/leaks/report",
     [] {
       return Fault{.device_info_report = [](const auto &next, auto &, auto...) {
         leave(64);
         return next();
       }};
     }},
    {"preferences-leak", "leaks", "each preferences() leaks 40 bytes", "npu", "life_cycle/leaks/preferences",
     [] {
       return Fault{.layout_preferences = [](const auto &next, auto &, auto...) {
         leave(40);
         return next();
       }};
     }},
    // --- streams, artifacts, contents, facts ---
    {"stream-status-changed", "compiler", "compile() returns BP_INTERNAL for whatever its stream returns", "npu",
     "faults/stream",
     [] {
       return Fault{.compiler_compile = [](const auto &next, auto &, auto...) {
         const bp_status status = next();
         return status == BP_OK || status == BP_NO_MEMORY ? status : bp_status{BP_INTERNAL};
       }};
     }},
    {"preferences-hide-refusal", "compiler", "preferences() returns BP_OK if its stream refuses", "npu",
     "faults/stream/preferences",
     [] {
       return Fault{.layout_preferences = [](const auto &next, auto &, auto...) {
         const bp_status status = next();
         return status == BP_NO_MEMORY ? bp_status{BP_OK} : status;
       }};
     }},
    {"sum-for-checksum", "compiler", "load() does not see that words of an artifact have changed places", "npu",
     "faults/artifact/exchanged", sum_for_checksum},
    {"contents-needed", "compiler", "compile() fails if the host has no content of a constant", "npu",
     "contract/BP-CONSTANT-03", contents_needed},
    {"compile-in-static-buffer", "compiler", "compile() writes its artifact from a buffer of the whole process", "npu",
     "contract/BP-COMPILE-01/threads", compile_in_static_buffer},
    {"resident-size-zero", "artifacts", "load() says that no program holds memory", "npu",
     "contract/bp_program/resident_size",
     [] {
       return Fault{.compiler_load = [](const auto &next, auto &, const void *, std::uint64_t, const bp_loc_t *,
                                        std::uint8_t *, std::uint32_t, const bp_program_t **program, auto...) {
         const bp_status status = next();
         if (status == BP_OK) {
           const_cast<bp_program_t *>(*program)->resident_size = 0;
         }
         return status;
       }};
     }},
    {"small-pieces-not-counted", "life", "memory.free is told in whole megabytes", "npu", "contract/BP-INFO-02",
     [] {
       return with_facts([](bp_fact_t &fact) {
         constexpr std::uint64_t unit = 1 << 20;
         fact.integer =
             std::string_view(fact.name) == "memory.free" ? (fact.integer + unit - 1) / unit * unit : fact.integer;
       });
     }},
    {"lost-and-healthy", "life", "the health of a device that was lost is told to be ok", "npu",
     "contract/BP-STATUS-03/own_loss",
     [] {
       return with_facts(
           [](bp_fact_t &fact) { fact.text = std::string_view(fact.name) == "health" ? "ok" : fact.text; });
     }},
    {"lost-and-silent", "queues", "the submission that finds the device lost is never signalled", "npu",
     "contract/BP-STATUS-03/own_loss",
     [] {
       auto is_lost = std::make_shared<std::atomic<bool>>(false);
       return at_signal([is_lost](const auto &next, bp_point_t point, bp_status status) {
         if (status != BP_DEVICE_LOST || is_lost->exchange(true)) {
           next(point, status);
         }
       });
     }},
};

}  // namespace

const std::span<const Mutant> traffic_mutants = traffic_mutant_table;

}  // namespace bp::conformance
