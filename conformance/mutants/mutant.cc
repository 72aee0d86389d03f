#include "conformance/mutants/mutant.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/files.h"

namespace bp::conformance {
namespace {

using namespace layers;

// Calls the fault's function if there is one, otherwise the plugin's.
class Mutation final : public Interposer {
 public:
  Mutation(std::unique_ptr<host::Entry> below, Fault fault) : Interposer(std::move(below)), fault_(std::move(fault)) {}

  bp_status init(const char *path, const bp_diag_t *diag) override {
    const auto next = [&] { return Interposer::init(path, diag); };
    return fault_.entry_init ? fault_.entry_init(next) : next();
  }
  void deinit() override {
    const auto next = [&] { Interposer::deinit(); };
    fault_.entry_deinit ? fault_.entry_deinit(next) : next();
  }
  const void *get_factory(const char *id) override {
    const auto next = [&](const char *asked) { return Interposer::get_factory(asked); };
    return fault_.get_factory ? fault_.get_factory(next, id) : next(id);
  }
  const bp_device_desc_t *factory_get_desc(LayeredFactory &factory, std::uint32_t index) override {
    const auto next = [&](std::uint32_t asked) { return Interposer::factory_get_desc(factory, asked); };
    return fault_.factory_get_desc ? fault_.factory_get_desc(next, index) : next(index);
  }
  bp_status factory_probe(LayeredFactory &factory, const char *id, std::uint32_t *instances,
                          const bp_diag_t *diag) override {
    const auto next = [&](std::uint32_t *out) { return Interposer::factory_probe(factory, id, out, diag); };
    return fault_.factory_probe ? fault_.factory_probe(next, instances) : next(instances);
  }
  std::uint32_t factory_count(LayeredFactory &factory) override {
    const std::uint32_t count = Interposer::factory_count(factory);
    return fault_.factory_count ? fault_.factory_count(count) : count;
  }
  const bp_device_t *factory_create(LayeredFactory &factory, const bp_host_t *host, const char *id,
                                    std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                    const bp_diag_t *diag) override {
    if (fault_.factory_has && !fault_.factory_has(instance)) {
      return nullptr;
    }
    const auto next = [&](std::span<const bp_option_t> given) {
      return Interposer::factory_create(factory, host, id, instance, given.data(),
                                        static_cast<std::uint32_t>(given.size()), diag);
    };
    const std::span given(options, option_count);
    return fault_.factory_create ? fault_.factory_create(next, host, given, diag) : next(given);
  }
  bp_status device_init(LayeredDevice &device, const bp_diag_t *diag) override {
    const auto next = [&] { return Interposer::device_init(device, diag); };
    return fault_.device_init ? fault_.device_init(next, device, diag) : next();
  }
  void device_destroy(LayeredDevice &device) override {
    const auto next = [&] { Interposer::device_destroy(device); };
    fault_.device_destroy ? fault_.device_destroy(next) : next();
  }
  const void *device_get_extension(LayeredDevice &device, const char *id) override {
    const auto next = [&] { return Interposer::device_get_extension(device, id); };
    return fault_.device_get_extension ? fault_.device_get_extension(next, id) : next();
  }
  bp_kernel kernels_find(LayeredDevice &device, const bp_module_t *module, std::uint32_t instr,
                         const bp_diag_t *diag) override {
    const auto next = [&] { return Interposer::kernels_find(device, module, instr, diag) != nullptr; };
    return (fault_.kernels_find ? fault_.kernels_find(next, module, instr, diag) : next()) ? kernel() : nullptr;
  }
  bp_status kernels_kernel(LayeredDevice &device, const bp_call_t *call, const bp_diag_t *diag) override {
    const auto next = [&](const bp_call_t *given) { return Interposer::kernels_kernel(device, given, diag); };
    return fault_.kernels_kernel ? fault_.kernels_kernel(next, call, diag) : next(call);
  }
  bp_status memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                         bp_memory_t *out, const bp_diag_t *diag) override {
    const auto next = [&](std::uint64_t wanted, bp_memory_t *piece) {
      return Interposer::memory_alloc(device, space, wanted, alignment, piece, diag);
    };
    return fault_.memory_alloc ? fault_.memory_alloc(next, size, out, diag) : next(size, out);
  }
  void memory_release(LayeredDevice &device, std::uint64_t memory) override {
    const auto next = [&](std::uint64_t piece) { Interposer::memory_release(device, piece); };
    fault_.memory_release ? fault_.memory_release(next, memory) : next(memory);
  }
  bp_status memory_copy(LayeredDevice &device, bp_loc_t to, bp_loc_t from, std::uint64_t size,
                        const bp_diag_t *diag) override {
    const auto next = [&](bp_loc_t there, bp_loc_t here, std::uint64_t bytes) {
      return Interposer::memory_copy(device, there, here, bytes, diag);
    };
    return fault_.memory_copy ? fault_.memory_copy(next, to, from, size) : next(to, from, size);
  }
  bp_status compiler_claim(LayeredDevice &device, const bp_module_t *module, float *cost_ns,
                           const bp_diag_t *diag) override {
    const auto next = [&] { return Interposer::compiler_claim(device, module, cost_ns, diag); };
    return fault_.compiler_claim ? fault_.compiler_claim(next, module, cost_ns, diag) : next();
  }
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    const bp_module_t *seen = fault_.compiled_module ? fault_.compiled_module(module) : module;
    const auto next = [&](const bp_ostream_t *stream) {
      return Interposer::compiler_compile(device, seen, stream, diag);
    };
    return fault_.compiler_compile ? fault_.compiler_compile(next, module, artifact, diag) : next(artifact);
  }
  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    const auto next = [&](std::string_view bytes) {
      return Interposer::compiler_load(device, bytes.data(), bytes.size(), constants, taken, allocation_count, program,
                                       diag);
    };
    const std::string_view given(static_cast<const char *>(artifact), size);
    const bp_status status =
        fault_.compiler_load ? fault_.compiler_load(next, given, taken, program, diag) : next(given);
    if (status == BP_OK && fault_.loaded) {
      fault_.loaded(*program, {constants, allocation_count}, taken);
    }
    return status;
  }
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    const auto next = [&](const bp_run_t *given) { return Interposer::program_run(program, given, diag); };
    return fault_.program_run ? fault_.program_run(next, program, run) : next(run);
  }
  void program_destroy(LayeredProgram &program) override {
    const auto next = [&] { Interposer::program_destroy(program); };
    fault_.program_destroy ? fault_.program_destroy(next, program) : next();
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    const auto next = [&](std::span<const bp_command_t> given) {
      return Interposer::queue_submit(device, queue, given.data(), static_cast<std::uint32_t>(given.size()), done,
                                      diag);
    };
    const std::span given(commands, command_count);
    return fault_.queue_submit ? fault_.queue_submit(next, given, device.host.below, done) : next(given);
  }
  bp_status native_sync_wait(LayeredDevice &device, std::uint32_t queue, bp_point_t point,
                             const bp_diag_t *diag) override {
    const auto next = [&] { return Interposer::native_sync_wait(device, queue, point, diag); };
    return fault_.native_sync_wait ? fault_.native_sync_wait(next, point) : next();
  }
  bp_status layout_preferences(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *out,
                               const bp_diag_t *diag) override {
    const auto next = [&](const bp_ostream_t *stream) {
      return Interposer::layout_preferences(device, module, stream, diag);
    };
    return fault_.layout_preferences ? fault_.layout_preferences(next, out) : next(out);
  }
  bp_status rewrite_rewrite(LayeredDevice &device, std::uint32_t phase, const bp_module_t *module,
                            const bp_ostream_t *out, const bp_diag_t *diag) override {
    return fault_.rewrite ? fault_.rewrite(module, out) : Interposer::rewrite_rewrite(device, phase, module, out, diag);
  }
  void threads_parallel(LayeredHost &host, std::uint32_t n, bp_parallel_body body, void *ctx) override {
    const auto next = [&](bp_parallel_body called, void *with) { Interposer::threads_parallel(host, n, called, with); };
    fault_.threads_parallel ? fault_.threads_parallel(next, body, ctx) : next(body, ctx);
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    const auto next = [&](bp_point_t to, bp_status with) { Interposer::host_signal(host, to, with, instr, msg); };
    fault_.host_signal ? fault_.host_signal(next, point, status) : next(point, status);
  }

 private:
  Fault fault_;
};

}  // namespace

const std::vector<Mutant> &mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> list;
    for (const std::span<const Mutant> table :
         {file_mutants, life_mutants, kernel_mutants, compiler_mutants, memory_mutants, combination_mutants,
          performance_mutants, rule_mutants}) {
      list.insert(list.end(), table.begin(), table.end());
    }
    return list;
  }();
  return all;
}

const Mutant *find_mutant(std::string_view name) {
  const auto found = std::ranges::find(mutants(), name, &Mutant::name);
  return found == mutants().end() ? nullptr : &*found;
}

Result<std::string> mutant_file(const Mutant &mutant, const std::string &path) {
  BP_ASSIGN(const std::string file, read_file(path));
  const std::string spoiled = mutant.spoil(file);
  const int descriptor = memfd_create("mutant", MFD_CLOEXEC);
  if (descriptor < 0 || write(descriptor, spoiled.data(), spoiled.size()) != static_cast<ssize_t>(spoiled.size())) {
    return make_error(ErrorCode::Io, "a mutant of {} cannot be written", path);
  }
  return fmt::format("/proc/self/fd/{}", descriptor);
}

host::Layer mutant_layer(const Mutant &mutant) {
  return [make = mutant.make](std::unique_ptr<host::Entry> below) {
    return std::make_unique<Mutation>(std::move(below), make());
  };
}

}  // namespace bp::conformance
