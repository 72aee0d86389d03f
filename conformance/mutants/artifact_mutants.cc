// Faults of artifacts that show only where an artifact is used in another way than right after it was compiled: in
// another process, by another device, from other memory, a second time. Added to the plugin `cpu`.
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/mutant.h"
#include "conformance/mutants/run_faults.h"

namespace bp::conformance {
namespace {

template <class Body>
Fault at_load_of(Body body) {
  return {.compiler_load = [body](const auto &next, layers::LayeredDevice &device, const void *artifact,
                                  std::uint64_t size, const bp_loc_t *constants, std::uint8_t *taken,
                                  std::uint32_t allocation_count, const bp_program_t **program, const bp_diag_t *diag) {
    const auto load = [&](std::string_view bytes) {
      return next(bytes.data(), bytes.size(), constants, taken, allocation_count, program, diag);
    };
    return body(load, device, std::string_view(static_cast<const char *>(artifact), size), diag);
  }};
}

// Artifacts are numbers of a table of this process.
Fault artifacts_of_process() {
  struct Table {
    std::mutex mutex;
    std::vector<std::string> artifacts;
  };
  static Table table;
  constexpr std::string_view magic = "artifact of process ";
  Fault fault = at_load_of([magic](const auto &load, auto &, std::string_view artifact, const bp_diag_t *diag) {
    std::string found;
    if (artifact.starts_with(magic) && artifact.size() == magic.size() + sizeof(std::size_t)) {
      std::size_t number;
      std::memcpy(&number, artifact.data() + magic.size(), sizeof number);
      const std::lock_guard lock(table.mutex);
      found = number < table.artifacts.size() ? table.artifacts[number] : std::string();
    }
    if (found.empty()) {
      diag->report(diag, BP_INVALID, BP_NONE, "this is no artifact of this version");
      return bp_status{BP_INVALID};
    }
    return load(found);
  });
  fault.compiler_compile = [magic](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                                   const bp_diag_t *diag) {
    layers::Tee tee(nullptr);
    const bp_status status = next(module, tee.abi(), diag);
    if (status != BP_OK) {
      return status;
    }
    const std::lock_guard lock(table.mutex);
    const std::size_t number = table.artifacts.size();
    table.artifacts.push_back(tee.bytes());
    std::string handle(magic);
    handle.append(reinterpret_cast<const char *>(&number), sizeof number);
    return artifact->write(artifact, handle.data(), handle.size());
  };
  return fault;
}

// Loads an artifact that was made for another target as if it had been made for this one. Its code then does nothing.
Fault target_ignored() {
  static const auto artifacts = std::make_shared<layers::Artifacts>();  // of all devices of the process
  auto is_foreign = std::make_shared<std::atomic<bool>>(false);         // the program that was loaded last
  Fault fault = at_load_of(
      [is_foreign](const auto &load, layers::LayeredDevice &device, std::string_view artifact, const bp_diag_t *diag) {
        const bp_status status = load(artifact);
        const auto module = artifacts->find(artifact.data(), artifact.size());
        *is_foreign = status == BP_INVALID && module != nullptr;
        if (!*is_foreign) {
          return status;
        }
        layers::Tee tee(nullptr);
        const bp_status compiled = device.compiler->compile(device.below, module->view().image(), tee.abi(), diag);
        return compiled == BP_OK ? load(tee.bytes()) : status;
      });
  fault.compiler_compile = [](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                              const bp_diag_t *diag) {
    layers::Tee tee(artifact);
    const bp_status status = next(module, tee.abi(), diag);
    artifacts->remember(tee.bytes(), module);
    return status;
  };
  fault.program_run = [is_foreign](const auto &next, auto &, auto...) {
    return *is_foreign ? bp_status{BP_OK} : next();
  };
  return fault;
}

// Two constants of the same size count as one if their first 16 bytes are the same.
Fault constants_merged() {
  Fault fault;
  const auto known = KnownPrograms::observed_by(fault);
  fault.program_run = [known](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                              const bp_diag_t *diag) {
    const KnownPrograms::Module module = known->find(&program.abi);
    if (module == nullptr) {
      return next();
    }
    const auto allocations = module->view().allocations();
    std::vector<bp_loc_t> locations(run->allocations, run->allocations + run->allocation_count);
    const auto is_constant = [&](std::size_t i) {
      return allocations[i].kind == BP_ALLOC_CONSTANT && allocations[i].size >= 16 && locations[i].offset != 0;
    };
    for (std::size_t i = 0; i < locations.size(); ++i) {
      for (std::size_t k = i + 1; is_constant(i) && k < locations.size(); ++k) {
        if (is_constant(k) && allocations[k].size == allocations[i].size &&
            std::memcmp(reinterpret_cast<const void *>(locations[i].offset),
                        reinterpret_cast<const void *>(locations[k].offset), 16) == 0) {
          locations[k] = locations[i];
        }
      }
    }
    bp_run_t changed = *run;
    changed.allocations = locations.data();
    return next(&changed, diag);
  };
  return fault;
}

// Programs that read their artifact again at their first run.
Fault artifact_read_late() {
  struct Borrowed {
    std::string_view bytes;
    std::string content;
  };
  struct Programs {
    std::mutex mutex;
    std::map<const bp_program_t *, Borrowed> waiting;
  };
  auto programs = std::make_shared<Programs>();
  Fault fault;
  fault.compiler_load = [programs](const auto &next, auto &, const void *artifact, std::uint64_t size, const bp_loc_t *,
                                   std::uint8_t *, std::uint32_t, const bp_program_t **program, const bp_diag_t *) {
    const bp_status status = next();
    if (status == BP_OK) {
      const std::string_view bytes(static_cast<const char *>(artifact), size);
      const std::lock_guard lock(programs->mutex);
      programs->waiting[*program] = {bytes, std::string(bytes)};
    }
    return status;
  };
  fault.program_run = [programs](const auto &next, layers::LayeredProgram &program, auto...) -> bp_status {
    const std::lock_guard lock(programs->mutex);
    const auto found = programs->waiting.find(&program.abi);
    const bool is_changed = found != programs->waiting.end() && found->second.bytes != found->second.content;
    programs->waiting.erase(&program.abi);
    return is_changed ? BP_INTERNAL : next();
  };
  fault.program_destroy = [programs](const auto &next, layers::LayeredProgram &program) {
    {
      const std::lock_guard lock(programs->mutex);
      programs->waiting.erase(&program.abi);
    }
    next();
  };
  return fault;
}

// Programs of an artifact that was loaded before compute only once.
Fault loaded_again_runs_once() {
  struct Loaded {
    std::mutex mutex;
    std::map<std::string, int> loads;
    std::map<const bp_program_t *, bool> has_run;  // of the second and later loads
  };
  auto loaded = std::make_shared<Loaded>();
  Fault fault;
  fault.compiler_load = [loaded](const auto &next, auto &, const void *artifact, std::uint64_t size, const bp_loc_t *,
                                 std::uint8_t *, std::uint32_t, const bp_program_t **program, const bp_diag_t *) {
    const bp_status status = next();
    const std::lock_guard lock(loaded->mutex);
    if (status == BP_OK && loaded->loads[std::string(static_cast<const char *>(artifact), size)]++ > 0) {
      loaded->has_run[*program] = false;
    }
    return status;
  };
  fault.program_run = [loaded](const auto &next, layers::LayeredProgram &program, auto...) -> bp_status {
    {
      const std::lock_guard lock(loaded->mutex);
      const auto found = loaded->has_run.find(&program.abi);
      if (found != loaded->has_run.end() && std::exchange(found->second, true)) {
        return BP_OK;
      }
    }
    return next();
  };
  fault.program_destroy = [loaded](const auto &next, layers::LayeredProgram &program) {
    {
      const std::lock_guard lock(loaded->mutex);
      loaded->has_run.erase(&program.abi);
    }
    next();
  };
  return fault;
}

// Changes the bytes of each object that is written.
Fault with_objects(const std::function<void(std::string &object, std::uint32_t index)> &change) {
  return {.aot_write_object = [change](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                       std::uint32_t flags, std::uint32_t index, const bp_ostream_t *object,
                                       const bp_diag_t *diag) {
    layers::Tee tee(nullptr);
    const bp_status status = next(artifact, size, flags, index, tee.abi(), diag);
    if (status != BP_OK) {
      return status;
    }
    std::string bytes = tee.bytes();
    change(bytes, index);
    return object->write(object, bytes.data(), bytes.size());
  }};
}

// Replaces all occurrences of a text of the same length.
void replace_in(std::string &bytes, std::string_view from, std::string_view to) {
  for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + to.size())) {
    bytes.replace(at, from.size(), to);
  }
}

// Whether the x86 code before `end` is a call through a pointer whose second argument is a small number.
bool is_after_numbered_call(const std::string &code, std::size_t end) {
  constexpr std::size_t move_length = 5;  // mov esi, number
  for (std::size_t call_length = 2; call_length <= 4 && call_length + move_length <= end; ++call_length) {
    const std::size_t number_end = end - call_length;
    if (code[number_end - move_length] == '\xbe' && code.compare(number_end - 3, 3, "\0\0\0", 3) == 0) {
      return true;
    }
  }
  return false;
}

constexpr Mutant artifact_table[] = {
    {"objects-of-this-minute", "aot", "objects contain how many were written before", "cpu", "contract/BP-AOT-01",
     [] {
       auto count = std::make_shared<std::atomic<char>>('a');
       return with_objects([count](std::string &object, std::uint32_t) { object += (*count)++; });
     }},
    {"damage-is-described", "aot", "describe() takes damaged artifacts", "cpu", "contract/BP-AOT-01",
     [] {
       return Fault{.aot_describe = [](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                       std::uint32_t flags, bp_aot_code_t *code, const bp_diag_t *diag) {
         const bp_status status = next(artifact, size, flags, code, diag);
         return status == BP_INVALID && size > 0 ? bp_status{BP_OK} : status;
       }};
     }},
    {"objects-need-libm", "aot", "the code calls a function that programs need not have", "cpu", "contract/BP-AOT-02",
     [] {
       return with_objects([](std::string &object, std::uint32_t index) {
         if (index == 0) {
           replace_in(object, "kernel.1", "sinpif.1");
         }
       });
     }},
    {"objects-other-constant", "aot", "the code of a program by itself has another constant", "cpu",
     "contract/BP-AOT-03",
     [] {
       return with_objects([](std::string &object, std::uint32_t) {
         replace_in(object, std::string_view("\0\0\x20\x40", 4), std::string_view("\0\0\0\x40", 4));  // 2.5 and 2
       });
     }},
    {"threads-without-scratch", "aot", "describe() says that threads need no scratch memory", "cpu",
     "contract/BP-AOT-03",
     [] {
       return Fault{.aot_describe = [](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                       std::uint32_t flags, bp_aot_code_t *code, const bp_diag_t *diag) {
         const bp_status status = next(artifact, size, flags, code, diag);
         code->thread_scratch_size = status == BP_OK ? 0 : code->thread_scratch_size;
         return status;
       }};
     }},
    {"early-end-unheard", "aot", "the code of a program by itself asks whether to end, and goes on in any case", "cpu",
     "contract/BP-AOT-04",
     [] {
       return with_objects([](std::string &object, std::uint32_t index) {
         // The comparison of the answer with 0, which is no comparison of a pointer.
         for (std::size_t at = object.find("\x85\xc0"); index == 0 && at != std::string::npos;
              at = object.find("\x85\xc0", at + 1)) {
           object[at] = object[at - 1] == '\x48' ? object[at] : '\x31';  // the answer becomes 0
         }
       });
     }},
    {"failed-call-unheard", "aot", "the code of a program by itself goes on when a call of the application failed",
     "cpu", "contract/BP-AOT-05",
     [] {
       return with_objects([](std::string &object, std::uint32_t index) {
         // The comparison with 0 of what bp_aot_caller.call returns; the answer becomes 0.
         for (std::size_t at = object.find("\x85\xc0"); index == 0 && at != std::string::npos;
              at = object.find("\x85\xc0", at + 1)) {
           object[at] = is_after_numbered_call(object, at) ? '\x31' : object[at];
         }
       });
     }},
    {"objects-one-less", "aot", "describe() leaves out the last object", "cpu", "contract/BP-AOT-02",
     [] {
       return Fault{.aot_describe = [](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                       std::uint32_t flags, bp_aot_code_t *code, const bp_diag_t *diag) {
         const bp_status status = next(artifact, size, flags, code, diag);
         code->object_count -= status == BP_OK ? 1 : 0;
         return status;
       }};
     }},

    {"artifact-of-process", "artifacts", "an artifact is a number that only the process knows that compiled it", "cpu",
     "life_cycle/BP-LOAD-03", artifacts_of_process},
    {"target-ignored", "artifacts", "load() takes artifacts that were made for another target", "cpu",
     "faults/artifact/*", target_ignored, nullptr, "wasmerio/wasmer#2707"},
    {"module-of-more", "artifacts", "load() takes artifacts of modules with more allocations than there are", "cpu",
     "faults/artifact/module",
     [] {
       return Fault{.compiler_load = [](const auto &next, auto &, const void *artifact, std::uint64_t size,
                                        const bp_loc_t *constants, std::uint8_t *, std::uint32_t allocation_count,
                                        const bp_program_t **program, const bp_diag_t *diag) {
         constexpr std::uint32_t most = 32;
         bp_status status = next();
         for (std::uint32_t count = allocation_count + 1; status == BP_INVALID && count <= most; ++count) {
           std::vector<bp_loc_t> places(constants, constants + allocation_count);
           std::vector<std::uint8_t> taken(count);
           places.resize(count);
           status = next(artifact, size, places.data(), taken.data(), count, program, diag);
         }
         return status;
       }};
     }},
    {"bytes-unsupported", "artifacts", "load() of a device that runs nothing says that bytes are not supported", "null",
     "faults/artifact/anything",
     [] {
       return at_load_of([](const auto &load, auto &, std::string_view artifact, const bp_diag_t *) {
         const bp_status status = load(artifact);
         return status == BP_INVALID ? bp_status{BP_UNSUPPORTED} : status;
       });
     }},
    {"checksum-of-first-page", "artifacts", "damage after the first 4,096 bytes of an artifact is not noticed", "cpu",
     "faults/artifact/*",
     [] {
       struct Good {
         std::mutex mutex;
         std::map<std::string, std::string> by_page;
       };
       auto good = std::make_shared<Good>();
       return at_load_of([good](const auto &load, auto &, std::string_view artifact, const bp_diag_t *) {
         const bp_status status = load(artifact);
         const std::string page(artifact.substr(0, 4096));
         const std::lock_guard lock(good->mutex);
         if (status == BP_OK) {
           good->by_page[page] = artifact;
         }
         const auto found = good->by_page.find(page);
         const bool is_damaged = status == BP_INVALID && found != good->by_page.end();
         return is_damaged && found->second.size() == artifact.size() ? load(found->second) : status;
       });
     }},
    {"artifact-aligned", "artifacts", "load() refuses artifacts at odd addresses", "cpu", "contract/BP-LOAD-03/address",
     [] {
       return at_load_of([](const auto &load, auto &, std::string_view artifact, const bp_diag_t *diag) -> bp_status {
         if (reinterpret_cast<std::uintptr_t>(artifact.data()) % 2 == 1) {
           diag->report(diag, BP_INVALID, BP_NONE, "the artifact is not aligned");
           return BP_INVALID;
         }
         return load(artifact);
       });
     }},
    {"artifact-read-late", "artifacts", "the first run of a program reads the artifact that load() borrowed", "cpu",
     "contract/*", artifact_read_late},
    {"constants-merged", "artifacts", "constants of the same size count as equal if their first 16 bytes are", "cpu",
     "buffers/*/result", constants_merged},
    {"loaded-again-runs-once", "artifacts", "a program of an artifact that was loaded before computes only once", "cpu",
     "fuzz/calls/*", loaded_again_runs_once, nullptr, "Genesis-Embodied-AI/quadrants#159"},
    {"load-needs-compile", "artifacts", "load() fails in a process that has not compiled anything", "cpu",
     "life_cycle/BP-LOAD-03",
     [] {
       static std::atomic<bool> is_ready;
       Fault fault = at_load_of([](const auto &load, auto &, std::string_view artifact, const bp_diag_t *diag) {
         if (!is_ready) {
           diag->report(diag, BP_INTERNAL, BP_NONE, "the compiler is not ready");
           return bp_status{BP_INTERNAL};
         }
         return load(artifact);
       });
       fault.compiler_compile = [](const auto &next, auto &, auto...) {
         is_ready = true;
         return next();
       };
       return fault;
     }},
};

}  // namespace

const std::span<const Mutant> artifact_mutants = artifact_table;

}  // namespace bp::conformance
