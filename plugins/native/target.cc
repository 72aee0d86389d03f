#include "plugins/native/target.h"

#include <llvm/MC/TargetRegistry.h>

namespace bp::native {

plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target &target) {
  std::string problem;
  const llvm::Target *const found = llvm::TargetRegistry::lookupTarget(target.triple, problem);
  if (found == nullptr) {
    return plugin::Error(BP_INTERNAL, "LLVM has no target " + target.triple + ": " + problem);
  }
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(target.triple, target.cpu, target.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) {
    return plugin::Error(BP_INTERNAL, "LLVM has no code generator for " + target.triple);
  }
  return machine;
}

}  // namespace bp::native
