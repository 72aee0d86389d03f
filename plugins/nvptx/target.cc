#include "plugins/nvptx/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

namespace bp::nvptx {
namespace {

struct Known {
  const char *text;
  Target target;
  const char *ptx;  // the least version that has it
};
constexpr Known known_targets[] = {
    {"sm_75", {75, false}, "+ptx70"},
    {"sm_80", {80, false}, "+ptx70"},
    {"sm_90", {90, false}, "+ptx83"},
    {"sm_90a", {90, true}, "+ptx83"},
};

const Known &find(const Target &target) {
  for (const Known &known : known_targets) {
    if (known.target.version == target.version && known.target.is_specific == target.is_specific) {
      return known;
    }
  }
  return known_targets[0];
}

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::unique_ptr<llvm::TargetMachine> make(const std::string &triple, const std::string &cpu,
                                          const std::string &features, std::string &error) {
  initialize();
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // products and sums are rounded one by one, unless we say fma
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

}  // namespace

std::string Target::text() const {
  return find(*this).text;
}

std::optional<Target> parse_target(std::string_view text, std::string &error) {
  std::string all;
  for (const Known &known : known_targets) {
    if (text == known.text) {
      return known.target;
    }
    all += (all.empty() ? "" : ", ") + std::string(known.text);
  }
  error = "there is no target " + std::string(text) + ", expected one of " + all;
  return std::nullopt;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target &target, std::string &error) {
  return make("nvptx64-nvidia-cuda", target.text(), find(target).ptx, error);
}

std::unique_ptr<llvm::TargetMachine> make_host_machine(std::string &error) {
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  }
  return make(llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), features, error);
}

}  // namespace bp::nvptx
