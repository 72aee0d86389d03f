#include "plugins/llvm/scalar/math_precision.h"

namespace bp::emit {

namespace {

constexpr const char *avoids_f64_flag = "avoids_f64";

}  // namespace

void avoid_f64(llvm::Module &module) {
  module.addModuleFlag(llvm::Module::Override, avoids_f64_flag, 1);
}

bool avoids_f64(const llvm::IRBuilderBase &builder) {
  return builder.GetInsertBlock()->getModule()->getModuleFlag(avoids_f64_flag) != nullptr;
}

}  // namespace bp::emit
