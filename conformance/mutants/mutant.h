// Mutants: plugins with one fault each, made from a correct plugin by a layer around it or by a change to its file. The
// suite must catch each of them by the cases that are meant for it; this measures how good the suite is.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/layers/interposer.h"

namespace bp::conformance {

// Functions that run in place of the plugin's functions; an empty one leaves the plugin's function as it is. `next` is
// the plugin's own function.
struct Fault {
  std::function<bp_status(const std::function<bp_status()> &next)> entry_init;
  std::function<void(const std::function<void()> &next)> entry_deinit;
  std::function<const void *(const std::function<const void *(const char *id)> &next, const char *id)> get_factory;
  std::function<std::uint32_t(std::uint32_t count)> factory_count;
  std::function<const bp_device_desc_t *(const std::function<const bp_device_desc_t *(std::uint32_t index)> &next,
                                         std::uint32_t index)>
      factory_get_desc;
  std::function<bp_status(const std::function<bp_status(std::uint32_t *instances)> &next, std::uint32_t *instances)>
      factory_probe;
  std::function<const bp_device_t *(
      const std::function<const bp_device_t *(std::span<const bp_option_t> options)> &next, const bp_host_t *host,
      std::span<const bp_option_t> options, const bp_diag_t *diag)>
      factory_create;
  std::function<bool(std::uint32_t instance)> factory_has;  // whether create() makes this instance at all
  std::function<bp_status(const std::function<bp_status()> &next, layers::LayeredDevice &device, const bp_diag_t *diag)>
      device_init;
  std::function<void(const std::function<void()> &next)> device_destroy;
  std::function<const void *(const std::function<const void *()> &next, std::string_view id)> device_get_extension;
  // Returns whether there is a kernel.
  std::function<bool(const std::function<bool()> &next, const bp_module_t *module, std::uint32_t instr,
                     const bp_diag_t *diag)>
      kernels_find;
  std::function<bp_status(const std::function<bp_status(const bp_call_t *call)> &next, const bp_call_t *call,
                          const bp_diag_t *diag)>
      kernels_kernel;
  std::function<bp_status(const std::function<bp_status(std::uint64_t size, bp_memory_t *out)> &next,
                          std::uint64_t size, bp_memory_t *out, const bp_diag_t *diag)>
      memory_alloc;
  std::function<void(const std::function<void(std::uint64_t memory)> &next, std::uint64_t memory)> memory_release;
  std::function<bp_status(const std::function<bp_status(bp_loc_t to, bp_loc_t from, std::uint64_t size)> &next,
                          bp_loc_t to, bp_loc_t from, std::uint64_t size)>
      memory_copy;
  std::function<bp_status(const std::function<bp_status()> &next, const bp_module_t *module, float *cost_ns,
                          const bp_diag_t *diag)>
      compiler_claim;
  std::function<bp_status(const std::function<bp_status(const bp_ostream_t *artifact)> &next, const bp_module_t *module,
                          const bp_ostream_t *artifact, const bp_diag_t *diag)>
      compiler_compile;
  std::function<const bp_module_t *(const bp_module_t *module)> compiled_module;  // replaces compile()'s module
  std::function<bp_status(const std::function<bp_status(std::string_view artifact)> &next, std::string_view artifact,
                          std::uint8_t *taken, const bp_program_t **program, const bp_diag_t *diag)>
      compiler_load;
  // Called after a successful load().
  std::function<void(const bp_program_t *program, std::span<const bp_loc_t> constants, std::uint8_t *taken)> loaded;
  std::function<bp_status(const std::function<bp_status(const bp_run_t *run)> &next, layers::LayeredProgram &program,
                          const bp_run_t *run)>
      program_run;
  std::function<void(const std::function<void()> &next, layers::LayeredProgram &program)> program_destroy;
  std::function<bp_status(const std::function<bp_status(std::span<const bp_command_t> commands)> &next,
                          std::span<const bp_command_t> commands, const bp_host_t *host, bp_point_t done)>
      queue_submit;
  std::function<bp_status(const std::function<bp_status()> &next, bp_point_t point)> native_sync_wait;
  std::function<bp_status(const std::function<bp_status(const bp_ostream_t *out)> &next, const bp_ostream_t *out)>
      layout_preferences;
  std::function<bp_status(const bp_module_t *module, const bp_ostream_t *out)> rewrite;
  std::function<void(const std::function<void(bp_point_t point, bp_status status)> &next, bp_point_t point,
                     bp_status status)>
      host_signal;
  // `body` is the function that the plugin asks to have called.
  std::function<void(const std::function<void(bp_parallel_body body, void *ctx)> &next, bp_parallel_body body,
                     void *ctx)>
      threads_parallel;
};

struct Mutant {
  std::string_view name;    // "tail-lost"
  std::string_view kind;    // category of the fault: "numerics", "memory", ...
  std::string_view what;    // description in one sentence
  std::string_view around;  // name of the correct plugin
  // Pattern of the cases that are meant to catch it: "ops/multiply/f32/*". If they test a rule of the headers
  // (Stage::rules), this is a mutant of that rule: docs/rules.md.
  std::string_view cases;
  Fault (*make)();  // called once per load; the functions of a fault share the state they need
  // For a fault of the file itself, which is never loaded: turns the content of the correct file into that of the
  // faulty one.
  std::string (*spoil)(const std::string &file) = nullptr;
};

// Returns all mutants in the order of the tables; names are unique.
const std::vector<Mutant> &mutants();
// Returns nullptr if there is none.
const Mutant *find_mutant(std::string_view name);

// Returns the layer of a mutant that is made by one.
host::Layer mutant_layer(const Mutant &mutant);
// Writes the file of a mutant that is made by changing a file, and returns its path. The file exists as long as this
// process.
Result<std::string> mutant_file(const Mutant &mutant, const std::string &path);

// The tables, one per source file.
extern const std::span<const Mutant> file_mutants, life_mutants, kernel_mutants, compiler_mutants, memory_mutants,
    combination_mutants, performance_mutants, rule_mutants;

}  // namespace bp::conformance
