// Faults that grow with use, or that depend on what the process did before: leaks on rare paths, caches with too short
// keys, claims that change. Added to the plugins `cpu` and `kernels`.
#include <fcntl.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"
#include "core/layers/artifacts.h"

namespace bp::conformance {
namespace {

// Allocates memory that is used, and never freed.
void lose_memory(std::size_t bytes) {
  static volatile char *lost;
  lost = new char[bytes];
  for (std::size_t i = 0; i < bytes; i += 512) {
    lost[i] = 1;
  }
}

template <class T>
void append(std::string &key, const T &value) {
  key.append(reinterpret_cast<const char *>(&value), sizeof value);
}
void append_list(std::string &key, std::span<const std::int64_t> numbers) {
  append(key, numbers.size());
  for (const std::int64_t number : numbers) {
    append(key, number);
  }
}
void append_allocations(std::string &key, plugin::ModuleView module) {
  for (const bp_allocation_t &allocation : module.allocations()) {
    append(key, allocation);
  }
}

// A key with the ops, element types, sizes and layouts of a module, but without its attributes.
std::string key_without_attributes(plugin::ModuleView module) {
  std::string key;
  append_allocations(key, module);
  for (const plugin::Instruction instruction : module.instructions()) {
    append(key, instruction.op());
    for (const plugin::Value value : instruction.results()) {
      append(key, value.shape().dtype());
      append_list(key, value.shape().dims());
      append_list(key, value.shape().minor_to_major());
    }
    for (const std::uint32_t operand : instruction.operand_ids()) {
      append(key, operand);
    }
  }
  return key;
}
// A key with all of a module, but without layouts.
std::string key_without_layouts(plugin::ModuleView module) {
  std::string key;
  append_allocations(key, module);
  for (const plugin::Instruction instruction : module.instructions()) {
    append(key, instruction.op());
    for (const plugin::Value value : instruction.results()) {
      append(key, value.shape().dtype());
      append_list(key, value.shape().dims());
    }
    for (const std::uint32_t operand : instruction.operand_ids()) {
      append(key, operand);
    }
    for (const bp_attr_t &attribute : instruction.attributes()) {
      append(key, attribute.key);
      append_list(key, instruction.integers(attribute.key));
      const auto bytes = instruction.bytes(attribute.key);
      key.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
      key += instruction.text(attribute.key);
    }
  }
  return key;
}
// Compiles a module only if no module with the same key was compiled before by the same library.
Fault compiled_once(std::string (*key_of)(plugin::ModuleView)) {
  struct Cache {
    std::mutex mutex;
    std::map<std::string, std::string> artifacts;
  };
  auto cache = std::make_shared<Cache>();
  return {.compiler_compile = [=](const auto &next, layers::LayeredDevice &device, const bp_module_t *module,
                                  const bp_ostream_t *artifact, const bp_diag_t *diag) {
    const std::string key = device.target + key_of(plugin::ModuleView(module));
    {
      const std::lock_guard lock(cache->mutex);
      const auto found = cache->artifacts.find(key);
      if (found != cache->artifacts.end()) {
        return artifact->write(artifact, found->second.data(), found->second.size());
      }
    }
    layers::Tee tee(artifact);
    const bp_status status = next(module, tee.abi(), diag);
    if (status == BP_OK) {
      const std::lock_guard lock(cache->mutex);
      cache->artifacts.emplace(key, tee.bytes());
    }
    return status;
  }};
}

// claim() refuses everything if `is_refused(device)`.
template <class IsRefused>
Fault claims_refused(IsRefused is_refused) {
  return {.compiler_claim = [is_refused](const auto &next, layers::LayeredDevice &device, const bp_module_t *module,
                                         float *cost_ns, const bp_diag_t *) {
    const bool refused = is_refused(device);
    const bp_status status = next();
    if (refused) {
      std::fill_n(cost_ns, module->instrs.count, -1.0f);
    }
    return status;
  }};
}

bool has_long_dimension(plugin::ModuleView module) {
  for (std::uint32_t i = 0; i < module.value_count(); ++i) {
    for (const std::int64_t size : module.value(i).shape().dims()) {
      if (size > 65535) {
        return true;
      }
    }
  }
  return false;
}

constexpr Mutant history_table[] = {
    // --- leaks ---
    {"refused-artifact-leaks", "leaks", "each artifact that load() refuses leaks 64 KiB", "cpu",
     "life_cycle/leaks/refused_artifact",
     [] {
       return Fault{.compiler_load = [](const auto &next, auto &, auto...) {
         const bp_status status = next();
         if (status != BP_OK) {
           lose_memory(64 << 10);
         }
         return status;
       }};
     }},
    {"program-keeps-mapping", "leaks", "each destroyed program leaves 256 KiB of mapped memory", "cpu",
     "life_cycle/BP-ENTRY-03",
     [] {
       return Fault{.program_destroy = [](const auto &next, auto &) {
         next();
         void *kept = mmap(nullptr, 256 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         if (kept != MAP_FAILED) {
           std::memset(kept, 1, 256 << 10);
         }
       }};
     },
     nullptr, "NVIDIA/TensorRT#582"},
    {"run-leaks", "leaks", "each run leaks 4 KiB", "cpu", "life_cycle/BP-ENTRY-03",
     [] {
       return at_run([](const auto &next, const bp_run_t *run) {
         lose_memory(4 << 10);
         return next(run);
       });
     },
     nullptr, "microsoft/onnxruntime#2773"},
    {"device-keeps-descriptor", "leaks", "each device leaves an open file", "kernels", "life_cycle/leaks/create",
     [] {
       return Fault{.device_init = [](const auto &next, auto &, const bp_diag_t *) {
         return open("/dev/null", O_RDONLY | O_CLOEXEC) < 0 ? BP_INTERNAL : next();
       }};
     }},
    {"refused-options-leak", "leaks", "each create() that fails leaks 256 KiB", "kernels",
     "life_cycle/leaks/refused_option",
     [] {
       return Fault{.factory_create = [](const auto &next, auto &, auto...) {
         const bp_device_t *device = next();
         if (device == nullptr) {
           lose_memory(256 << 10);
         }
         return device;
       }};
     }},
    {"refused-kernel-leaks", "leaks", "each find() that returns null leaks 4 KiB", "kernels", "life_cycle/BP-ENTRY-03",
     [] {
       return at_find([](const auto &next, plugin::ModuleView, std::uint32_t) {
         const bool has_kernel = next();
         if (!has_kernel) {
           lose_memory(4 << 10);
         }
         return has_kernel;
       });
     }},
    // --- caches and limits ---
    {"compile-key-without-attributes", "caches", "compile() returns the artifact of a module with other attributes",
     "cpu", "contract/BP-COMPILE-01/variants", [] { return compiled_once(key_without_attributes); }, nullptr,
     "tracel-ai/cubecl#1455"},
    {"compile-key-without-layouts", "caches", "compile() returns the artifact of a module with other layouts", "cpu",
     "contract/BP-COMPILE-01/variants", [] { return compiled_once(key_without_layouts); }, nullptr,
     "pytorch/pytorch#174339"},
    {"code-memory-full", "limits", "from the 500th module on, compile() returns BP_NO_MEMORY", "cpu",
     "contract/BP-COMPILE-01/many",
     [] {
       auto count = std::make_shared<std::atomic<int>>(0);
       return Fault{.compiler_compile = [count](const auto &next, auto &, const bp_module_t *, const bp_ostream_t *,
                                                const bp_diag_t *diag) -> bp_status {
         if (++*count >= 500) {
           diag->report(diag, BP_NO_MEMORY, BP_NONE, "the memory for code is full");
           return BP_NO_MEMORY;
         }
         return next();
       }};
     }},
    // --- claims ---
    {"claim-while-running", "claims", "claim() refuses everything while a program runs", "cpu",
     "contract/BP-CLAIM-01/running",
     [] {
       auto running = std::make_shared<std::atomic<int>>(0);
       Fault fault = claims_refused([running](const auto &) { return *running > 0; });
       fault.program_run = [running](const auto &next, auto &, auto...) {
         ++*running;
         const bp_status status = next();
         --*running;
         return status;
       };
       return fault;
     }},
    {"claims-run-out", "claims", "claim() refuses everything after 8,000 calls", "cpu", "contract/BP-CLAIM-01/often",
     [] {
       auto left = std::make_shared<std::atomic<int>>(8000);
       return claims_refused([left](const auto &) { return --*left < 0; });
     }},
    {"kernels-run-out", "claims", "find() returns null after it has found 250 kernels", "kernels",
     "contract/BP-FIND-01/often",
     [] {
       auto left = std::make_shared<std::atomic<int>>(250);
       return at_find([left](const auto &next, plugin::ModuleView, std::uint32_t) { return next() && --*left >= 0; });
     }},
    {"claim-of-first-device", "claims", "claim() refuses everything on all devices but the first of the process", "cpu",
     "concurrency/*/devices",
     [] {
       static std::atomic<const void *> first;
       return claims_refused([](const layers::LayeredDevice &device) {
         const void *nobody = nullptr;
         return !first.compare_exchange_strong(nobody, &device) && nobody != &device;
       });
     }},
    {"long-dimension-declined", "claims",
     "compile() returns BP_UNSUPPORTED for claimed instructions with a dimension of more than 65,535", "cpu",
     "ops/add/f32/*",
     [] {
       return Fault{.compiler_compile = [](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *,
                                           const bp_diag_t *diag) -> bp_status {
         if (has_long_dimension(plugin::ModuleView(module))) {
           diag->report(diag, BP_UNSUPPORTED, BP_NONE, "a dimension is too long");
           return BP_UNSUPPORTED;
         }
         return next();
       }};
     },
     nullptr, "PaddlePaddle/Paddle#43722"},
    {"find-remembers-op", "claims", "find() gives its first answer for an op also for all other shapes and types",
     "kernels", "contract/BP-FIND-01/reverse",
     [] {
       struct Answers {
         std::mutex mutex;
         std::map<std::uint16_t, bool> by_op;
       };
       auto answers = std::make_shared<Answers>();
       return at_find([answers](const auto &next, plugin::ModuleView module, std::uint32_t instr) {
         const std::lock_guard lock(answers->mutex);
         return answers->by_op.try_emplace(module.instruction(instr).op(), next()).first->second;
       });
     },
     nullptr, "pytorch/pytorch#80502"},
};

}  // namespace

const std::span<const Mutant> history_mutants = history_table;

}  // namespace bp::conformance
