// Faults of compilers and their programs, added to the plugin `cpu`: a compiler on host memory.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"
#include "core/layers/artifacts.h"

namespace bp::conformance {
namespace {

template <class Change>
Fault after_claim(Change change) {
  return {.compiler_claim = [change](const auto &next, auto &, const bp_module_t *module, float *cost_ns,
                                     const bp_diag_t *) {
    const bp_status status = next();
    change(module, cost_ns);
    return status;
  }};
}
template <class Body>
Fault at_compile(Body body) {
  return {.compiler_compile = [body](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                                     const bp_diag_t *diag) {
    return body([&](const bp_ostream_t *stream) { return next(module, stream, diag); }, module, artifact, diag);
  }};
}
template <class Body>
Fault at_load(Body body) {
  return {.compiler_load = [body](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                  const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t allocation_count,
                                  const bp_program_t **program, const bp_diag_t *diag) {
    const auto load = [&](std::string_view bytes) {
      return next(bytes.data(), bytes.size(), constants, taken, allocation_count, program, diag);
    };
    return body(load, std::string_view(static_cast<const char *>(artifact), size));
  }};
}

// Stores the bytes that compile() would write.
struct ArtifactBytes {
  bp_ostream_t abi{this, &ArtifactBytes::write};
  std::string text;
  static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) {
    static_cast<ArtifactBytes *>(stream->ctx)->text.append(static_cast<const char *>(bytes), size);
    return BP_OK;
  }
};

char *address(bp_loc_t location) {
  return reinterpret_cast<char *>(location.offset);
}

// Programs whose allocations the mutant knows, because an artifact's module is remembered from compile() to run().
struct Known {
  layers::Artifacts artifacts;
  std::mutex mutex;
  std::shared_ptr<const layers::ModuleCopy> last;  // module of the program loaded last
};
// Calls body(program, allocation, location) for all allocations after each run of the program that was loaded last.
template <class Body>
Fault after_run_on(Body body) {
  auto known = std::make_shared<Known>();
  Fault fault;
  fault.compiler_compile = [known](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                                   const bp_diag_t *diag) {
    layers::Tee tee(artifact);
    const bp_status status = next(module, tee.abi(), diag);
    known->artifacts.remember(tee.bytes(), module);
    return status;
  };
  fault.compiler_load = [known](const auto &next, auto &, const void *artifact, std::uint64_t size, auto...) {
    const std::lock_guard lock(known->mutex);
    known->last = known->artifacts.find(artifact, size);
    return next();
  };
  fault.program_run = [known, body](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                                    const bp_diag_t *) {
    const bp_status status = next();
    if (known->last != nullptr && known->last->view().allocations().size() == run->allocation_count) {
      for (std::size_t i = 0; i < run->allocation_count; ++i) {
        body(program, known->last->view().allocations()[i], run->allocations[i]);
      }
    }
    return status;
  };
  return fault;
}
// Calls body(allocation, location) in the same way.
template <class Body>
Fault after_run(Body body) {
  return after_run_on([body](const layers::LayeredProgram &, const bp_allocation_t &allocation, bp_loc_t location) {
    body(allocation, location);
  });
}

void look_at(char x) {
  static volatile char sink;
  sink = x;
  static_cast<void>(sink);
}

constexpr Mutant compiler_table[] = {
    // --- claims ---
    {"claims-everything", "claims", "claim() claims every instruction", "cpu", "ops/custom-call/f32/*",
     [] {
       return after_claim(
           [](const bp_module_t *module, float *cost) { std::fill_n(cost, module->instrs.count, 1.0f); });
     }},
    {"claim-nan", "claims", "claim() writes NaN for one cost", "cpu", "contract/BP-CLAIM-04/watched",
     [] { return after_claim([](const bp_module_t *module, float *cost) { cost[module->instrs.count - 1] = NAN; }); }},
    {"claim-unwritten", "claims", "claim() writes no costs", "cpu", "contract/BP-CLAIM-04/watched",
     [] { return Fault{.compiler_claim = [](const auto &, auto &, auto...) -> bp_status { return BP_OK; }}; }},
    {"claim-alternates", "claims", "costs grow with each call of claim()", "cpu", "contract/BP-CLAIM-01/watched",
     [] {
       auto asked = std::make_shared<float>(0.0f);
       return after_claim([asked](const bp_module_t *module, float *cost) {
         ++*asked;
         for (std::uint32_t i = 0; i < module->instrs.count; ++i) {
           if (cost[i] >= 0) {
             cost[i] += *asked;
           }
         }
       });
     }},
    {"claim-looks-at-neighbours", "claims", "claim() claims nothing in modules with an even number of instructions",
     "cpu", "claims/*/local",
     [] {
       return after_claim([](const bp_module_t *module, float *cost) {
         if (module->instrs.count % 2 == 0) {
           std::fill_n(cost, module->instrs.count, -1.0f);
         }
       });
     }},
    {"claim-writes-module", "claims", "claim() changes a name in the module", "cpu", "contract/BP-MODULE-04/watched",
     [] {
       return after_claim(
           [](const bp_module_t *module, float *) { const_cast<char *>(BP_AT(module, strings, char, 0))[0] += 1; });
     }},
    {"claimed-then-declined", "claims", "compile() returns BP_UNSUPPORTED for claimed instructions", "cpu",
     "contract/BP-CLAIM-03/watched",
     [] {
       return at_compile(
           [](const auto &, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *diag) -> bp_status {
             diag->report(diag, BP_UNSUPPORTED, BP_NONE, "after all, no");
             return BP_UNSUPPORTED;
           });
     }},
    // --- compile ---
    {"compile-silent-failure", "compile", "compile() fails without a report", "cpu", "ops/multiply/f32/*",
     [] {
       return at_compile([](const auto &, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *) -> bp_status {
         return BP_INTERNAL;
       });
     }},
    {"compile-writes-nothing", "compile", "compile() writes an empty artifact", "cpu", "ops/multiply/f32/*",
     [] {
       return at_compile([](const auto &next, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *) {
         ArtifactBytes bytes;
         return next(&bytes.abi);
       });
     }},
    {"compile-other-thread", "compile", "compile() writes the artifact from another thread", "cpu",
     "contract/BP-STREAM-01/watched",
     [] {
       return at_compile([](const auto &next, const bp_module_t *, const bp_ostream_t *artifact, const bp_diag_t *) {
         ArtifactBytes bytes;
         const bp_status status = next(&bytes.abi);
         std::thread([&] { artifact->write(artifact, bytes.text.data(), bytes.text.size()); }).join();
         return status;
       });
     }},
    {"compile-ignores-refusal", "compile", "compile() returns BP_OK although the stream refused the bytes", "cpu",
     "faults/stream",
     [] {
       return at_compile([](const auto &next, const bp_module_t *, const bp_ostream_t *artifact, const bp_diag_t *) {
         ArtifactBytes bytes;
         const bp_status status = next(&bytes.abi);
         artifact->write(artifact, bytes.text.data(), bytes.text.size());
         return status;
       });
     }},
    {"compile-writes-on", "compile", "compile() goes on writing after the stream refused bytes", "cpu", "faults/stream",
     [] {
       return at_compile([](const auto &next, const bp_module_t *, const bp_ostream_t *artifact, const bp_diag_t *) {
         ArtifactBytes bytes;
         bp_status status = next(&bytes.abi);
         for (std::size_t i = 0; i < 2; ++i) {
           const bp_status written =
               artifact->write(artifact, bytes.text.data() + i * (bytes.text.size() / 2),
                               i == 0 ? bytes.text.size() / 2 : bytes.text.size() - bytes.text.size() / 2);
           status = status == BP_OK ? written : status;
         }
         return status;
       });
     }},
    {"compile-keeps-diag", "compile", "compile() reports to the bp_diag of an earlier call", "cpu",
     "contract/BP-DIAG-02/watched",
     [] {
       auto kept = std::make_shared<const bp_diag_t *>(nullptr);
       return at_compile(
           [kept](const auto &next, const bp_module_t *, const bp_ostream_t *artifact, const bp_diag_t *diag) {
             if (*kept != nullptr) {
               (*kept)->report(*kept, BP_OK, BP_NONE, "late");
             }
             *kept = diag;
             return next(artifact);
           });
     }},
    {"compile-null-message", "compile", "compile() reports a null message", "cpu", "contract/BP-DIAG-01/watched",
     [] {
       return at_compile(
           [](const auto &next, const bp_module_t *, const bp_ostream_t *artifact, const bp_diag_t *diag) {
             diag->report(diag, BP_OK, BP_NONE, nullptr);
             return next(artifact);
           });
     }},
    {"compile-crashes", "compile", "compile() crashes on modules with a loop", "cpu", "buffers/*",
     [] {
       return at_compile(
           [](const auto &next, const bp_module_t *module, const bp_ostream_t *artifact, const bp_diag_t *) {
             if (module->computations.count > 2) {
               std::abort();
             }
             return next(artifact);
           });
     }},
    {"compile-hangs", "compile", "compile() never returns for modules with a loop", "cpu", "buffers/*",
     [] {
       return at_compile(
           [](const auto &next, const bp_module_t *module, const bp_ostream_t *artifact, const bp_diag_t *) {
             while (module->computations.count > 2) {
               std::this_thread::sleep_for(std::chrono::seconds(1));
             }
             return next(artifact);
           });
     }},
    {"compile-exhausts-memory", "compile", "compile() allocates memory without end for modules with a loop", "cpu",
     "buffers/*",
     [] {
       return at_compile(
           [](const auto &next, const bp_module_t *module, const bp_ostream_t *artifact, const bp_diag_t *) {
             static volatile char *kept;
             while (module->computations.count > 2) {
               kept = new char[std::size_t{1} << 30];
               kept[0] = 1;
             }
             return next(artifact);
           });
     }},
    // --- artifacts ---
    {"artifact-any-taken", "artifacts", "load() loads the last good artifact instead of a damaged one", "cpu",
     "faults/artifact/*",
     [] {
       auto good = std::make_shared<std::string>();
       return at_load([good](const auto &next, std::string_view artifact) {
         const bp_status status = next(artifact);
         if (status == BP_OK) {
           good->assign(artifact);
         }
         return status == BP_OK || good->empty() ? status : next(*good);
       });
     }},
    {"artifact-tail-ignored", "artifacts", "load() ignores bytes after the end of the artifact", "cpu",
     "faults/artifact/*",
     [] {
       auto good = std::make_shared<std::string>();
       return at_load([good](const auto &next, std::string_view artifact) {
         if (!good->empty() && artifact.size() > good->size() && artifact.starts_with(*good)) {
           return next(*good);
         }
         const bp_status status = next(artifact);
         if (status == BP_OK) {
           good->assign(artifact);
         }
         return status;
       });
     }},
    {"artifact-damage-internal", "artifacts", "load() returns BP_INTERNAL for a damaged artifact", "cpu",
     "faults/artifact/*",
     [] {
       return at_load([](const auto &next, std::string_view artifact) {
         const bp_status status = next(artifact);
         return status == BP_INVALID ? BP_INTERNAL : status;
       });
     }},
    {"artifact-damage-crashes", "artifacts", "load() crashes on a damaged artifact", "cpu", "faults/artifact/*",
     [] {
       return at_load([](const auto &next, std::string_view artifact) {
         const bp_status status = next(artifact);
         if (status == BP_INVALID) {
           std::abort();
         }
         return status;
       });
     }},
    {"load-no-program", "artifacts", "load() returns BP_OK without a program", "cpu", "ops/multiply/f32/*",
     [] { return at_load([](const auto &, std::string_view) -> bp_status { return BP_OK; }); }},
    {"load-writes-artifact", "artifacts", "load() writes to the artifact", "cpu", "contract/BP-LAW-01/watched",
     [] {
       return at_load([](const auto &next, std::string_view artifact) {
         const bp_status status = next(artifact);
         const_cast<char &>(artifact.back()) ^= 1;
         return status;
       });
     }},
    {"constants-taken-and-used", "artifacts", "load() takes the constants, but runs still read the core's copy", "cpu",
     "buffers/constants/*",
     [] {
       auto locations = std::make_shared<std::map<const bp_program_t *, std::vector<bp_loc_t>>>();
       Fault fault;
       fault.compiler_load = [locations](const auto &next, auto &, const void *, std::uint64_t,
                                         const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t allocation_count,
                                         const bp_program_t **program, const bp_diag_t *) {
         const bp_status status = next();
         if (status == BP_OK) {
           (*locations)[*program].assign(constants, constants + allocation_count);
           std::transform(constants, constants + allocation_count, taken,
                          [](bp_loc_t location) { return location.offset != 0 ? 1 : 0; });
         }
         return status;
       };
       fault.program_run = [locations](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                                       const bp_diag_t *diag) {
         std::vector<bp_loc_t> all(run->allocations, run->allocations + run->allocation_count);
         const std::vector<bp_loc_t> &constants = (*locations)[&program.abi];
         for (std::size_t i = 0; i < all.size(); ++i) {
           all[i] = constants[i].offset != 0 ? constants[i] : all[i];
         }
         bp_run_t changed = *run;
         changed.allocations = all.data();
         return next(&changed, diag);
       };
       return fault;
     }},
    {"load-takes-inputs", "artifacts", "load() takes an allocation that is not a constant", "cpu",
     "contract/BP-LOAD-02/watched",
     [] {
       return Fault{.compiler_load = [](const auto &next, auto &, const void *, std::uint64_t, const bp_loc_t *,
                                        std::uint8_t *taken, auto...) {
         taken[0] = 1;
         return next();
       }};
     }},
    // --- runs ---
    {"run-fails", "runs", "every run fails", "cpu", "ops/multiply/f32/*",
     [] { return at_run([](const auto &, const bp_run_t *) -> bp_status { return BP_INTERNAL; }); }},
    {"run-does-nothing", "runs", "no run writes anything", "cpu", "ops/multiply/f32/*",
     [] { return at_run([](const auto &, const bp_run_t *) -> bp_status { return BP_OK; }); }},
    {"run-fails-second-time", "runs", "every second run fails", "cpu", "buffers/*",
     [] {
       auto count = std::make_shared<std::atomic<int>>(0);
       return at_run(
           [count](const auto &next, const bp_run_t *run) { return (*count)++ % 2 == 1 ? BP_INTERNAL : next(run); });
     }},
    {"run-remembers-addresses", "runs", "runs use the buffers of the first run", "cpu", "buffers/*/again",
     [] {
       auto first = std::make_shared<std::vector<bp_loc_t>>();
       return at_run([first](const auto &next, const bp_run_t *run) {
         if (first->size() != run->allocation_count) {
           first->assign(run->allocations, run->allocations + run->allocation_count);
         }
         bp_run_t changed = *run;
         changed.allocations = first->data();
         return next(&changed);
       });
     }},
    {"run-writes-input", "runs", "the first byte of each input is changed", "cpu", "contract/BP-RUN-01/watched",
     [] {
       return after_run([](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind == BP_ALLOC_INPUT && allocation.size > 0) {
           *address(location) ^= 1;
         }
       });
     }},
    {"run-writes-input-as-it-is", "runs", "the first byte of each input is overwritten with the same value", "cpu",
     "buffers/*/end",
     [] {
       return after_run([](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind == BP_ALLOC_INPUT && allocation.size > 0) {
           volatile auto *first = address(location);
           *first = *first;
         }
       });
     }},
    {"run-writes-constant", "runs", "the first byte of each constant is changed", "cpu", "contract/BP-RUN-01/watched",
     [] {
       return after_run([](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind == BP_ALLOC_CONSTANT && location.offset != 0) {
           *address(location) ^= 1;
         }
       });
     }},
    {"run-writes-past-output", "runs", "one byte past the end of each output is written", "cpu", "buffers/*/end",
     [] {
       return after_run([](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind == BP_ALLOC_OUTPUT) {
           address(location)[allocation.size] = 1;
         }
       });
     }},
    {"run-writes-before-output", "runs", "one byte before the start of each output is written", "cpu",
     "buffers/*/start",
     [] {
       return after_run([](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind == BP_ALLOC_OUTPUT) {
           address(location)[-1] = 1;
         }
       });
     }},
    {"run-reads-past-input", "runs", "64 bytes past the end of each input are read", "cpu", "buffers/*/end",
     [] {
       return after_run([](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind == BP_ALLOC_INPUT) {
           for (int i = 0; i < 64; ++i) {
             look_at(address(location)[allocation.size + std::uint64_t(i)]);
           }
         }
       });
     }},
    {"run-loses-output-tail", "runs", "the last byte of each output is zero", "cpu", "ops/multiply/f32/*",
     [] {
       return after_run([](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind == BP_ALLOC_OUTPUT && allocation.size > 1) {
           address(location)[allocation.size - 1] = 0;
         }
       });
     }},
    {"run-shares-scratch", "runs", "concurrent runs write to the same buffer", "cpu", "concurrency/*",
     [] {
       auto scratch = std::make_shared<std::vector<char>>(1 << 22);
       return after_run([scratch](const bp_allocation_t &allocation, bp_loc_t location) {
         if (allocation.kind != BP_ALLOC_OUTPUT || allocation.size > scratch->size()) {
           return;
         }
         std::memcpy(scratch->data(), address(location), allocation.size);
         std::this_thread::sleep_for(std::chrono::microseconds(200));
         std::memcpy(address(location), scratch->data(), allocation.size);
       });
     }},
    {"devices-share-result", "runs", "a second device returns the last results of the first one", "cpu",
     "concurrency/*/devices",
     [] {
       struct First {
         std::mutex mutex;
         const layers::LayeredDevice *device = nullptr;
         std::string output;
       };
       auto first = std::make_shared<First>();
       return after_run_on(
           [first](const layers::LayeredProgram &program, const bp_allocation_t &allocation, bp_loc_t location) {
             if (allocation.kind != BP_ALLOC_OUTPUT) {
               return;
             }
             const std::lock_guard lock(first->mutex);
             first->device = first->device == nullptr ? program.device : first->device;
             if (program.device == first->device) {
               first->output.assign(address(location), allocation.size);
             } else if (first->output.size() == allocation.size) {
               first->output.copy(address(location), allocation.size);
             }
           });
     }},
    {"destroy-ends-all", "runs", "after one device was destroyed, runs on all other devices fail", "cpu",
     "concurrency/*/devices",
     [] {
       auto is_over = std::make_shared<std::atomic<bool>>(false);
       Fault fault = at_run([is_over](const auto &next, const bp_run_t *run) -> bp_status {
         return *is_over ? BP_INTERNAL : next(run);
       });
       fault.device_destroy = [is_over](const auto &next, auto &) {
         next();
         *is_over = true;
       };
       return fault;
     }},
    {"destroy-frees-nothing", "runs", "each destroy() of a program leaks 256 KiB", "cpu", "life_cycle/BP-ENTRY-03",
     [] {
       return Fault{.program_destroy = [](const auto &next, auto &) {
         next();
         static volatile char *kept;
         kept = new char[256 << 10];
         for (int i = 0; i < 256 << 10; i += 512) {
           kept[i] = 1;
         }
       }};
     }},
};

}  // namespace

const std::span<const Mutant> compiler_mutants = compiler_table;

}  // namespace bp::conformance
