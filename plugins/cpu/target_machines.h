// LLVM's code generators for one target. They are kept for the next compilation, because making one takes as long as
// generating a small kernel.
#pragma once

#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "plugins/cpu/target.h"
#include "plugins/llvm/fragile.h"

namespace bp::cpu {

class TargetMachines {
 public:
  explicit TargetMachines(Target target) : target_(std::move(target)) {}

  // Returns use(machine), a plugin::Result or plugin::Status, for a code generator that nobody else uses meanwhile.
  // Fails as make_target_machine() does. One that an exception has passed through is not used again. Threads: any.
  template <class Use>
  std::invoke_result_t<Use, llvm::TargetMachine &> with(const Use &use) {
    BP_ASSIGN(emit::Fragile<llvm::TargetMachine> machine, take());
    auto outcome = use(*machine);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(machine));
    return outcome;
  }

 private:
  plugin::Result<emit::Fragile<llvm::TargetMachine>> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        emit::Fragile<llvm::TargetMachine> machine = std::move(idle_.back());
        idle_.pop_back();
        return machine;
      }
    }
    BP_ASSIGN(auto made, make_target_machine(target_));
    return emit::Fragile<llvm::TargetMachine>(made.release());
  }

  const Target target_;
  std::mutex mutex_;
  std::vector<emit::Fragile<llvm::TargetMachine>> idle_;
};

}  // namespace bp::cpu
