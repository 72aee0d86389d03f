// Faults of memory and queues, added to the plugin `npu`, which has queues, and memory that the host cannot address.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

template <class Body>
Fault at_alloc(Body body) {
  return {.memory_alloc = [body](const auto &next, auto &, std::uint32_t space, std::uint64_t size,
                                 std::uint32_t alignment, bp_memory_t *out, const bp_diag_t *diag) {
    return body([&](std::uint64_t wanted) { return next(space, wanted, alignment, out, diag); }, size, out);
  }};
}
template <class Body>
Fault at_copy(Body body) {
  // The core copies through a queue where it can.
  Fault fault =
      at_submit([body](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
        std::vector<bp_command_t> changed(commands.begin(), commands.end());
        for (bp_command_t &command : changed) {
          if (command.kind == BP_COMMAND_COPY) {
            body(
                [&](bp_loc_t to, bp_loc_t from, std::uint64_t size) -> bp_status {
                  command.to = to;
                  command.from = from;
                  command.size = size;
                  return BP_OK;
                },
                command.to, command.from, command.size);
          }
        }
        return next(changed);
      });
  fault.memory_copy = [body](const auto &next, auto &, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                             const bp_diag_t *diag) {
    return body([&](bp_loc_t there, bp_loc_t here, std::uint64_t bytes) { return next(there, here, bytes, diag); }, to,
                from, size);
  };
  return fault;
}

constexpr Mutant memory_table[] = {
    {"host-copies-skipped", "memory", "a device without memory says that it has copied on the host, and has not",
     "null", "contract/BP-COPY-02",
     [] { return Fault{.memory_copy = [](const auto &, auto &, auto...) { return bp_status{BP_OK}; }}; }},
    // --- memory ---
    {"alloc-same-handle", "memory", "alloc() returns the same handle each time", "npu", "contract/BP-ALLOC-02/watched",
     [] {
       auto last = std::make_shared<bp_memory_t>();
       return at_alloc([last](const auto &next, std::uint64_t size, bp_memory_t *out) {
         const bp_status status = next(size);
         if (last->memory != 0) {
           *out = *last;
         }
         *last = *out;
         return status;
       });
     }},
    {"alloc-too-small", "memory", "alloc() allocates one byte too little", "npu", "buffers/*",
     [] {
       return at_alloc(
           [](const auto &next, std::uint64_t size, bp_memory_t *) { return next(size > 1 ? size - 1 : size); });
     }},
    {"alloc-never-full", "memory", "alloc() returns BP_OK even if there is not enough memory", "npu", "faults/memory",
     [] {
       return at_alloc([](const auto &next, std::uint64_t size, bp_memory_t *out) {
         const bp_status status = next(size);
         if (status == BP_NO_MEMORY) {
           *out = {12345, nullptr, 0};
           return static_cast<bp_status>(BP_OK);
         }
         return status;
       });
     }},
    {"alloc-full-is-internal", "memory", "alloc() returns BP_INTERNAL if there is not enough memory", "npu",
     "faults/memory",
     [] {
       return at_alloc([](const auto &next, std::uint64_t size, bp_memory_t *) {
         const bp_status status = next(size);
         return status == BP_NO_MEMORY ? BP_INTERNAL : status;
       });
     }},
    {"alloc-writes-on-failure", "memory", "alloc() writes a handle although it fails", "npu", "faults/memory",
     [] {
       return at_alloc([](const auto &next, std::uint64_t size, bp_memory_t *out) {
         const bp_status status = next(size);
         if (status != BP_OK) {
           out->memory = 1;
         }
         return status;
       });
     }},
    {"alloc-refusal-remembered", "memory", "once alloc() has failed, it always fails", "npu", "faults/alloc/*",
     [] {
       auto is_out = std::make_shared<std::atomic<bool>>(false);
       return at_alloc([is_out](const auto &next, std::uint64_t size, bp_memory_t *) -> bp_status {
         const bp_status status = *is_out ? BP_NO_MEMORY : next(size);
         *is_out = status == BP_NO_MEMORY;
         return status;
       });
     }},
    {"alloc-null-handle", "memory", "alloc() returns the handle 0", "npu", "contract/BP-ALLOC-02/watched",
     [] {
       return at_alloc([](const auto &next, std::uint64_t size, bp_memory_t *out) {
         const bp_status status = next(size);
         out->memory = 0;
         return status;
       });
     }},
    {"release-nothing", "memory", "release() frees nothing", "npu", "faults/memory",
     [] { return Fault{.memory_release = [](const auto &, auto &, std::uint64_t) {}}; }},
    {"copy-short", "memory", "copies leave out the last byte", "npu", "ops/multiply/bf16/*",
     [] {
       return at_copy([](const auto &next, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
         return next(to, from, size > 0 ? size - 1 : 0);
       });
     }},
    {"copy-ignores-offset", "memory", "copies from the host start 4 bytes too late", "npu", "ops/multiply/bf16/*",
     [] {
       return at_copy([](const auto &next, bp_loc_t to, bp_loc_t from, std::uint64_t size) {
         if (size > 8) {
           from.offset += from.memory == 0 ? 4 : 0;
           size -= 4;
         }
         return next(to, from, size);
       });
     }},
    {"copy-failure-leaks", "memory", "after a failed copy, the next release() frees nothing", "npu", "faults/copy/*",
     [] {
       auto failed = std::make_shared<std::atomic<bool>>(false);
       Fault fault;
       const auto remember_failure = [failed](const auto &next, auto &, auto...) {
         const bp_status status = next();
         *failed = *failed || status != BP_OK;
         return status;
       };
       fault.memory_copy = remember_failure;
       fault.queue_submit = remember_failure;
       fault.memory_release = [failed](const auto &next, auto &, std::uint64_t) {
         if (!failed->exchange(false)) {
           next();
         }
       };
       return fault;
     }},
    {"copy-does-nothing", "memory", "copies copy nothing", "npu", "ops/multiply/bf16/*",
     [] {
       return at_copy([](const auto &next, bp_loc_t to, bp_loc_t from, std::uint64_t) { return next(to, from, 0); });
     }},
    // --- queues ---
    {"signal-dropped", "queues", "every third signal is lost", "npu", "ops/multiply/bf16/*",
     [] {
       auto count = std::make_shared<std::atomic<int>>(0);
       return at_signal([count](const auto &next, bp_point_t point, bp_status status) {
         if (++*count % 3 != 0) {
           next(point, status);
         }
       });
     }},
    {"signal-twice", "queues", "each signal is sent twice", "npu", "contract/BP-SIGNAL-01/watched",
     [] {
       return at_signal([](const auto &next, bp_point_t point, bp_status status) {
         next(point, status);
         next(point, status);
       });
     }},
    {"signal-wrong-timeline", "queues", "each signal is also sent to another timeline", "npu",
     "contract/BP-SIGNAL-01/watched",
     [] {
       return at_signal([](const auto &next, bp_point_t point, bp_status status) {
         next({point.timeline + 1000, point.value}, status);
         next(point, status);
       });
     }},
    {"signal-unknown-status", "queues", "signals carry a status that does not exist", "npu", "ops/multiply/bf16/*",
     [] { return at_signal([](const auto &next, bp_point_t point, bp_status) { next(point, 77); }); }},
    {"signal-early", "queues", "`done` is signalled before the commands run", "npu", "contract/BP-SIGNAL-01/watched",
     [] {
       return at_submit(
           [](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *host, bp_point_t done) {
             host->signal(host, done, BP_OK, BP_NONE, nullptr);
             return next(commands);
           });
     }},
    {"submit-refuses-and-signals", "queues", "submit() refuses its commands, but signals `done`", "npu",
     "contract/BP-SIGNAL-02/watched",
     [] {
       return at_submit(
           [](const auto &, std::span<const bp_command_t>, const bp_host_t *host, bp_point_t done) -> bp_status {
             host->signal(host, done, BP_OK, BP_NONE, nullptr);
             return BP_INTERNAL;
           });
     }},
    {"submit-refuses", "queues", "submit() always refuses its commands", "npu", "ops/multiply/bf16/*",
     [] {
       return at_submit([](const auto &, std::span<const bp_command_t>, const bp_host_t *, bp_point_t) -> bp_status {
         return BP_NO_MEMORY;
       });
     }},
    {"loss-hidden", "queues", "commands that a lost device refuses are signalled as done", "npu", "faults/lost/*",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *host,
                           bp_point_t done) -> bp_status {
         const bp_status status = next(commands);
         if (status != BP_DEVICE_LOST) {
           return status;
         }
         host->signal(host, done, BP_OK, BP_NONE, nullptr);
         return BP_OK;
       });
     }},
    {"destroy-after-loss-crashes", "queues", "destroy() crashes on a device that was lost", "npu", "faults/lost/*",
     [] {
       auto is_lost = std::make_shared<std::atomic<bool>>(false);
       Fault fault = at_submit(
           [is_lost](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
             const bp_status status = next(commands);
             *is_lost = *is_lost || status == BP_DEVICE_LOST;
             return status;
           });
       fault.device_destroy = [is_lost](const auto &next, auto &) {
         if (*is_lost) {
           std::abort();
         }
         next();
       };
       return fault;
     }},
    {"submit-drops-last", "queues", "submit() leaves out its last command", "npu", "ops/multiply/bf16/*",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         return next(commands.first(commands.size() - 1));
       });
     }},
    {"submit-copies-nothing-back", "queues", "submit() leaves out copies to the host", "npu", "ops/multiply/bf16/*",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         std::vector<bp_command_t> kept(commands.begin(), commands.end());
         std::erase_if(kept, [](const bp_command_t &command) {
           return command.kind == BP_COMMAND_COPY && command.to.memory == 0;
         });
         return next(kept);
       });
     }},
    {"submit-reversed", "queues", "the commands of one submit() run in reverse order", "npu", "contract/BP-SUBMIT-01",
     [] {
       return at_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
         std::vector<bp_command_t> reversed(commands.rbegin(), commands.rend());
         for (std::size_t i = 0; i + 1 < reversed.size(); ++i) {
           std::swap(reversed[i].to, reversed[i + 1].to);
         }
         return next(reversed);
       });
     }},
};

}  // namespace

const std::span<const Mutant> memory_mutants = memory_table;

}  // namespace bp::conformance
