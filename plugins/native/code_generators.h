// LLVM's code generators for one target. They are kept for the next compilation, because making one takes as long as
// generating a small kernel.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "plugins/llvm/fragile.h"
#include "plugins/native/target.h"

namespace bp::native {

// A code generator, and the passes that write the object file of a module to `object`. As in `llc -compile-twice`, the
// passes may run on one module after the other.
struct CodeGenerator {
  emit::Fragile<llvm::TargetMachine> machine;
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream{object};
  emit::Fragile<llvm::legacy::PassManager> passes;  // refer to the members above
};

class CodeGenerators {
 public:
  explicit CodeGenerators(Target target) : target_(std::move(target)) {}

  // Returns use(generator), a plugin::Result or plugin::Status, for a code generator that nobody else uses meanwhile.
  // Fails with BP_INTERNAL if LLVM has none for the target. One that an exception has passed through is not used again.
  // Threads: any.
  template <class Use>
  std::invoke_result_t<Use, CodeGenerator &> with(const Use &use) {
    BP_ASSIGN(emit::Fragile<CodeGenerator> generator, take());
    auto outcome = use(*generator);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(generator));
    return outcome;
  }

 private:
  plugin::Result<emit::Fragile<CodeGenerator>> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        emit::Fragile<CodeGenerator> generator = std::move(idle_.back());
        idle_.pop_back();
        return generator;
      }
    }
    return make_code_generator(target_);
  }
  static plugin::Result<emit::Fragile<CodeGenerator>> make_code_generator(const Target &target);

  const Target target_;
  std::mutex mutex_;
  std::vector<emit::Fragile<CodeGenerator>> idle_;
};

}  // namespace bp::native
