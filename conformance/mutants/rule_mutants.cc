// One fault for each rule of the headers that the other tables leave out, added to whichever plugin can break it.
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <clocale>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "backplane/ext/draft/profile.h"
#include "conformance/images/altered_image.h"
#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/module_faults.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

template <class Body>
Fault before_device_init(Body body) {
  return {.device_init = [body](const auto &next, auto &, const bp_diag_t *) {
    body();
    return next();
  }};
}

bool has_key(plugin::Instruction instruction, std::uint16_t from, std::uint32_t to) {
  return std::ranges::any_of(instruction.attributes(),
                             [&](const bp_attr_t &attribute) { return attribute.key >= from && attribute.key < to; });
}

bool overlap(const bp_value_t &a, const bp_value_t &b) {
  return a.allocation != BP_NONE && a.allocation == b.allocation && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

// Swaps neighbouring instructions of which the second does not depend on the first, but writes where the first reads.
void swap_neighbours(host::ImagePools &pools) {
  for (const bp_computation_t &computation : pools.computations) {
    for (std::uint32_t i = 0; computation.kind == BP_COMPUTATION_CONTROL && i + 1 < computation.instr_count; ++i) {
      bp_instr_t &first = pools.instructions[computation.instrs + i];
      bp_instr_t &second = pools.instructions[computation.instrs + i + 1];
      if (first.op == BP_OP_PARAMETER || first.op == BP_OP_CONSTANT || second.op == BP_OP_CONSTANT) {
        continue;
      }
      bool uses = false, overwrites = false;
      for (std::uint32_t k = 0; k < second.operand_count; ++k) {
        const std::uint32_t value = pools.ids[second.operands + k];
        uses |= value >= first.results && value - first.results < first.result_count;
      }
      for (std::uint32_t k = 0; k < first.operand_count; ++k) {
        overwrites |= overlap(pools.values[pools.ids[first.operands + k]], pools.values[second.results]);
      }
      if (!uses && overwrites) {
        std::swap(first, second);
        for (const std::uint32_t at : {computation.instrs + i, computation.instrs + i + 1}) {
          for (std::uint32_t r = 0; r < pools.instructions[at].result_count; ++r) {
            pools.values[pools.instructions[at].results + r].instr = at;
          }
        }
        ++i;
      }
    }
  }
}

// Swaps the operands of each subtraction.
void swap_operands(host::ImagePools &pools) {
  for (const bp_instr_t &instruction : pools.instructions) {
    if (instruction.op == BP_OP_SUBTRACT || instruction.op == BP_OP_DIVIDE) {
      std::swap(pools.ids[instruction.operands], pools.ids[instruction.operands + 1]);
    }
  }
}

// Tells the listener of a run that a command has been run.
template <class Tell>
Fault at_listened_submit(Tell tell) {
  return at_submit([tell](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
    for (const bp_command_t &command : commands) {
      if (command.kind == BP_COMMAND_RUN) {
        const void *listener = command.run->get_extension(command.run, BP_EXT_PROFILE);
        if (listener != nullptr) {
          return tell(next, commands, *command.run, *static_cast<const bp_run_profile_t *>(listener));
        }
      }
    }
    return next(commands);
  });
}

constexpr Mutant rule_table[] = {
    // --- the process ---
    {"loading-handles-signals", "process", "a static constructor installs a signal handler", "kernels",
     "life_cycle/BP-ENTRY-02",
     [] {
       std::signal(SIGUSR2, [](int) {});
       return Fault();
     }},
    {"loading-sets-variable", "process", "a static constructor sets an environment variable", "kernels",
     "life_cycle/BP-ENTRY-02",
     [] {
       setenv("OMP_NUM_THREADS", "1", 1);
       return Fault();
     }},
    {"prints", "process", "a kernel prints to standard output", "kernels", "contract/BP-LOG-01/watched",
     [] {
       return at_kernel([](const auto &next, const bp_call_t *call, const bp_diag_t *) {
         std::puts("computing");
         return next(call);
       });
     }},
    {"kernel-counts-calls", "numerics", "the first element of the result is the number of calls so far", "kernels",
     "buffers/*/again",
     [] {
       auto calls = std::make_shared<std::atomic<int>>(0);
       return at_kernel([calls](const auto &next, const bp_call_t *call, const bp_diag_t *) {
         const bp_status status = next(call);
         if (plugin::ModuleView(call->module).instruction(call->instr).result(0).size() >= sizeof(float)) {
           *static_cast<float *>(call->results[0]) = static_cast<float>(++*calls);
         }
         return status;
       });
     }},
    {"locale-changed", "process", "init() of the device sets the locale", "kernels", "contract/BP-LAW-04/watched",
     [] { return before_device_init([] { std::setlocale(LC_ALL, "C.UTF-8"); }); }},
    {"directory-changed", "process", "init() of the device changes the working directory", "kernels",
     "contract/BP-LAW-04/watched", [] { return before_device_init([] { static_cast<void>(chdir("/")); }); }},
    {"signal-handled", "process", "init() of the device installs a signal handler", "kernels",
     "contract/BP-LAW-04/watched", [] { return before_device_init([] { std::signal(SIGUSR1, [](int) {}); }); }},
    {"destroy-needs-init", "life", "destroy() crashes if init() was not called or failed", "kernels",
     "life_cycle/BP-DEVICE-03",
     [] {
       auto initialized = std::make_shared<bool>(false);
       Fault fault = before_device_init([initialized] { *initialized = true; });
       fault.device_destroy = [initialized](const auto &next, auto &) {
         if (!*initialized) {
           std::abort();
         }
         next();
       };
       return fault;
     }},
    {"service-taken-for-granted", "life",
     "init() of the device asks for a service twice, but checks only the first answer for null", "kernels",
     "faults/BP-HOST-01/services",
     [] {
       return Fault{.device_init = [](const auto &next, layers::LayeredDevice &device, const bp_diag_t *) {
         const bp_host_t *host = device.host.below;
         if (host->get_extension(host, BP_EXT_LOG) != nullptr) {
           const auto *log = static_cast<const bp_host_log_t *>(host->get_extension(host, BP_EXT_LOG));
           log->log(host, BP_LOG_DEBUG, "ready");
         }
         return next();
       }};
     }},
    {"options-kept", "life", "init() of the device reads the options that were borrowed for create()", "npu",
     "life_cycle/BP-CREATE-03",
     [] {
       auto kept = std::make_shared<std::span<const bp_option_t>>();
       Fault fault;
       fault.factory_create = [kept](const auto &next, auto &, const bp_host_t *, const char *, std::uint32_t,
                                     const bp_option_t *options, std::uint32_t option_count, const bp_diag_t *) {
         *kept = {options, option_count};
         return next();
       };
       fault.device_init = [kept](const auto &next, auto &, const bp_diag_t *) {
         const bool is_there =
             std::ranges::all_of(*kept, [](const bp_option_t &option) { return option.key != nullptr; });
         return is_there ? next() : BP_INVALID;
       };
       return fault;
     }},
    // --- numbers of a later opset ---
    {"takes-unknown-attributes", "claims", "find() accepts instructions with attributes that it does not know",
     "kernels", "contract/BP-MODULE-07/attribute",
     [] {
       return at_find([](const auto &next, plugin::ModuleView module, std::uint32_t instr) {
         return next() || has_key(module.instruction(instr), 0x7000, BP_ATTR_HINT);
       });
     }},
    {"trips-over-hints", "claims", "find() returns null for instructions with hints", "kernels",
     "contract/BP-MODULE-07/hint",
     [] {
       return at_find([](const auto &next, plugin::ModuleView module, std::uint32_t instr) {
         return !has_key(module.instruction(instr), BP_ATTR_HINT, 0x10000) && next();
       });
     }},
    {"trips-over-sections", "claims", "find() returns null for modules with a section that it does not know", "kernels",
     "contract/BP-LAW-05",
     [] {
       return at_find([](const auto &next, plugin::ModuleView module, std::uint32_t) {
         return module.image()->sections.count == 0 && next();
       });
     }},
    // --- compilers ---
    {"compile-needs-device", "compile", "create() cannot make an offline device", "cpu", "contract/BP-COMPILE-02",
     [] {
       return Fault{.factory_create = [](const auto &next, auto &, const bp_host_t *, const char *,
                                         std::uint32_t instance,
                                         auto...) { return instance != BP_NONE ? next() : nullptr; }};
     }},
    {"compile-depends-on-order", "compile", "compile() compiles a module wrongly if the one before it was different",
     "cpu", "contract/BP-COMPILE-01",
     [] {
       auto last = std::make_shared<std::string>();
       return at_compiled_module([last](const bp_module_t *module, host::ImagePools &pools) {
         const std::string hash(reinterpret_cast<const char *>(module->hash), sizeof module->hash);
         if (!last->empty() && *last != hash) {
           swap_operands(pools);
         }
         *last = hash;
       });
     }},
    {"reorders-across-memory", "compile", "an instruction runs before the previous one, whose operand it overwrites",
     "cpu", "programs/*",
     [] { return at_compiled_module([](const bp_module_t *, host::ImagePools &pools) { swap_neighbours(pools); }); }},
    {"ignores-offsets", "compile", "all temporaries are put at the start of their allocation", "cpu", "programs/*",
     [] {
       return at_compiled_module([](const bp_module_t *, host::ImagePools &pools) {
         for (bp_value_t &value : pools.values) {
           if (value.allocation != BP_NONE && pools.allocations[value.allocation].kind == BP_ALLOC_TEMP) {
             value.offset = 0;
           }
         }
       });
     }},
    {"preferences-fail-sometimes", "compile", "every second call of preferences() fails", "npu",
     "contract/BP-LAYOUT-01/watched",
     [] {
       auto asked = std::make_shared<std::atomic<int>>(0);
       return Fault{.layout_preferences = [asked](const auto &next, auto &, auto...) -> bp_status {
         return (*asked)++ % 2 == 0 ? next() : BP_INTERNAL;
       }};
     }},
    {"rewrite-alternates", "compile", "only every second call of rewrite() rewrites the module", "null",
     "contract/BP-REWRITE-01",
     [] {
       auto asked = std::make_shared<std::atomic<int>>(0);
       return Fault{.rewrite_rewrite = [asked](const auto &, auto &, std::uint32_t, const bp_module_t *module,
                                               const bp_ostream_t *out, const bp_diag_t *) -> bp_status {
         return (*asked)++ % 2 == 0 ? out->write(out, module, module->size) : BP_OK;
       }};
     }},
    {"rewrite-drops-result", "compile", "rewrite() removes a result of the entry computation", "null",
     "contract/BP-REWRITE-02",
     [] {
       return Fault{.rewrite_rewrite = [](const auto &, auto &, std::uint32_t, const bp_module_t *module,
                                          const bp_ostream_t *out, const bp_diag_t *) {
         AlteredImage image(module);
         --image.pools.computations[module->entry].root_count;
         const bp_module_t *changed = image.module();
         return out->write(out, changed, changed->size);
       }};
     }},
    // --- runs ---
    {"routine-twice", "life", "two routines have the same target", "null", "life_cycle/load",
     [] {
       return Fault{.device_get_extension = [](const auto &next, auto &, std::string_view id) {
         static bp_routine_t twice[2];
         static bp_device_custom_call_t table = {twice, 2};
         const void *found = next();
         if (id != BP_EXT_CUSTOM_CALL || found == nullptr) {
           return found;
         }
         twice[0] = twice[1] = static_cast<const bp_device_custom_call_t *>(found)->routines[0];
         return static_cast<const void *>(&table);
       }};
     }},
    {"routine-refuses-in-silence", "status", "a routine refuses a shape without a report", "null",
     "contract/BP-ROUTINE-02",
     [] {
       return at_kernel([](const auto &, const bp_call_t *, const bp_diag_t *) -> bp_status { return BP_INVALID; });
     }},
    {"run-takes-memory", "runs", "each run allocates 32 MiB, and frees them again", "cpu", "contract/BP-RUN-02",
     [] {
       return at_run([](const auto &next, const bp_run_t *run) {
         std::vector<char> scratch(32 << 20, 1);
         const volatile char *last = &scratch.back();  // a compiler may leave out memory that is never read
         return *last == 1 ? next(run) : BP_INTERNAL;
       });
     }},
    {"run-writes-then-no-memory", "runs", "every second run writes its results, and then returns BP_NO_MEMORY", "cpu",
     "contract/BP-RUN-03/watched",
     [] {
       auto count = std::make_shared<std::atomic<int>>(0);
       return at_run([count](const auto &next, const bp_run_t *run) {
         const bp_status status = next(run);
         return (*count)++ % 2 == 0 ? BP_NO_MEMORY : status;
       });
     }},
    {"lost-and-found", "runs", "a device works again after it was reported as lost", "cpu",
     "contract/BP-STATUS-03/watched",
     [] {
       auto count = std::make_shared<std::atomic<int>>(0);
       return at_run([count](const auto &next, const bp_run_t *run) -> bp_status {
         return (*count)++ == 1 ? BP_DEVICE_LOST : next(run);
       });
     }},
    {"loops-in-order-only", "runs", "a parallel loop skips an index that comes after a larger one", "cpu",
     "contract/BP-PARALLEL-01",
     [] {
       return Fault{
           .threads_parallel = [](const auto &next, auto &, std::uint32_t n, bp_parallel_body body, void *ctx) {
             struct Loop {
               bp_parallel_body body;
               void *ctx;
               std::mutex mutex;
               std::uint32_t largest = 0;
             } loop{body, ctx, {}};
             next(
                 n,
                 [](void *with, std::uint32_t index, std::uint32_t worker) {
                   Loop &self = *static_cast<Loop *>(with);
                   const std::lock_guard lock(self.mutex);
                   if (index >= self.largest) {
                     self.largest = index;
                     self.body(self.ctx, index, worker);
                   }
                 },
                 &loop);
           }};
     }},
    {"profile-backwards", "runs", "a profile says that an instruction ends before it begins", "npu",
     "contract/BP-PROFILE-01",
     [] {
       return at_listened_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_run_t &run,
                                    const bp_run_profile_t &listener) {
         listener.record(&run, 0, 0, 1000, 10);
         return next(commands);
       });
     }},
    {"profile-overlaps", "runs", "a profile has overlapping times on one track", "npu", "contract/BP-PROFILE-01",
     [] {
       return at_listened_submit([](const auto &next, std::span<const bp_command_t> commands, const bp_run_t &run,
                                    const bp_run_profile_t &listener) {
         listener.record(&run, 0, 99, 10, 1000);
         listener.record(&run, 0, 99, 500, 2000);
         return next(commands);
       });
     }},
    {"listener-stops-run", "runs", "a run that is profiled computes nothing", "npu", "contract/BP-PROFILE-02",
     [] {
       return at_listened_submit([](const auto &next, std::span<const bp_command_t>, const bp_run_t &,
                                    const bp_run_profile_t &) { return next({}); });
     }},
    // --- memory and queues ---
    {"listener-taken-for-granted", "runs", "after a run that is profiled, one that is not profiled fails", "cpu",
     "contract/BP-RUN-05",
     [] {
       auto was_heard = std::make_shared<std::atomic<bool>>(false);
       return at_run([was_heard](const auto &next, const bp_run_t *run) {
         const bool is_heard = run->get_extension(run, BP_EXT_PROFILE) != nullptr;
         return was_heard->exchange(is_heard) && !is_heard ? BP_INTERNAL : next(run);
       });
     }},
    {"copy-of-nothing-fails", "memory", "copy() of 0 bytes fails", "npu", "contract/BP-COPY-01/nothing",
     [] {
       return Fault{.memory_copy = [](const auto &next, auto &, bp_loc_t, bp_loc_t, std::uint64_t size,
                                      const bp_diag_t *) { return size == 0 ? BP_INVALID : next(); }};
     }},
    {"wait-dropped", "queues", "wait() does nothing", "npu", "contract/BP-WAIT-01/order",
     [] { return Fault{.native_sync_wait = [](const auto &, auto &, auto...) -> bp_status { return BP_OK; }}; }},
    {"wait-ignores-failure", "queues", "wait() takes a failure for success", "npu", "contract/BP-WAIT-01/failure",
     [] {
       struct Signalled {
         std::mutex mutex;
         std::condition_variable changed;
         std::set<std::pair<std::uint64_t, std::uint64_t>> points;
       };
       auto signalled = std::make_shared<Signalled>();
       Fault fault = at_signal([signalled](const auto &next, bp_point_t point, bp_status status) {
         {
           const std::lock_guard lock(signalled->mutex);
           signalled->points.insert({point.timeline, point.value});
         }
         signalled->changed.notify_all();
         next(point, status);
       });
       fault.native_sync_wait = [signalled](const auto &, auto &, std::uint32_t, bp_point_t point,
                                            const bp_diag_t *) -> bp_status {
         std::unique_lock lock(signalled->mutex);
         signalled->changed.wait(lock, [&] { return signalled->points.contains({point.timeline, point.value}); });
         return BP_OK;
       };
       return fault;
     }},
    {"signals-oldest", "queues", "each signal is sent for the oldest submit(), whichever is done", "npu",
     "concurrency/*/order",
     [] {
       struct Submitted {
         std::mutex mutex;
         std::deque<bp_point_t> points;
       };
       auto submitted = std::make_shared<Submitted>();
       Fault fault = at_signal([submitted](const auto &next, bp_point_t, bp_status status) {
         bp_point_t oldest;
         {
           const std::lock_guard lock(submitted->mutex);
           oldest = submitted->points.front();
           submitted->points.pop_front();
         }
         next(oldest, status);
       });
       fault.queue_submit = [submitted](const auto &next, auto &, std::uint32_t, const bp_command_t *, std::uint32_t,
                                        bp_point_t done, const bp_diag_t *) {
         {
           const std::lock_guard lock(submitted->mutex);
           submitted->points.push_back(done);
         }
         return next();
       };
       return fault;
     }},
    {"submit-reads-late", "queues", "submit() keeps its commands, and reads them after it has returned", "npu",
     "contract/BP-SUBMIT-02",
     [] {
       // The commands of the previous submit() are submitted when it is called again: on the same thread, to avoid
       // races.
       auto late = std::make_shared<std::span<const bp_command_t>>();
       return at_submit(
           [late](const auto &next, std::span<const bp_command_t> commands, const bp_host_t *, bp_point_t) {
             std::swap(*late, commands);
             return next(commands);
           });
     }},
};

}  // namespace

const std::span<const Mutant> rule_mutants = rule_table;

}  // namespace bp::conformance
