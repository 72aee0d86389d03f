#include "plugins/gpu/emulator/host_target.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/xxhash.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

#include "plugins/gpu/code_generation.h"

namespace bp::gpu {
namespace {

std::string host_features() {
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  }
  return features;
}

}  // namespace

void register_host_target() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_host_machine() {
  register_host_target();
  return make_machine(llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), host_features());
}

std::string host_text() {
  return llvm::sys::getProcessTriple() + " " + llvm::sys::getHostCPUName().str() + " " +
         llvm::utohexstr(llvm::xxh3_64bits(host_features()), true);
}

}  // namespace bp::gpu
