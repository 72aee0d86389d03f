// The modules of loaded programs, for layers that name the instructions of a run.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/layers/artifacts.h"

namespace bp::layers {

// Threads: all functions may be called from any thread.
class LoadedModules {
 public:
  // To be told of each compile() and load() that succeeded.
  void compiled(std::string_view artifact, const bp_module_t *module) { artifacts_.remember(artifact, module); }
  void loaded(const bp_program_t *program, const void *artifact, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    modules_[program] = artifacts_.find(artifact, size);
  }
  void destroyed(const bp_program_t *program) {
    const std::lock_guard lock(mutex_);
    modules_.erase(program);
  }
  // Returns the module that a program was compiled from; nullptr if it is not known (Artifacts::find).
  std::shared_ptr<const ModuleCopy> find(const bp_program_t *program) const {
    const std::lock_guard lock(mutex_);
    const auto found = modules_.find(program);
    return found == modules_.end() ? nullptr : found->second;
  }

 private:
  Artifacts artifacts_;
  mutable std::mutex mutex_;
  std::unordered_map<const bp_program_t *, std::shared_ptr<const ModuleCopy>> modules_;
};

// Returns the name of an instruction of a module, which may be unknown; BP_NONE: "the run as a whole".
inline std::string instruction_name(const ModuleCopy *module, std::uint32_t instruction) {
  if (instruction == BP_NONE) {
    return "the run as a whole";
  }
  return module != nullptr && instruction < module->view().instructions().size()
             ? std::string(module->view().instruction(instruction).name())
             : "instruction " + std::to_string(instruction);
}

}  // namespace bp::layers
