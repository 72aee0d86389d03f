#include "plugins/nvptx/target.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/xxhash.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

namespace bp::nvptx {
namespace {

struct Known {
  const char *text;
  Target target;
  unsigned ptx;              // 83: the least version that has it, 8.3
  std::uint32_t shared_kib;  // of a block
};
constexpr Known known_targets[] = {
    {"sm_75", {75, false}, 70, 64},
    {"sm_80", {80, false}, 70, 163},
    {"sm_90", {90, false}, 83, 227},
    {"sm_90a", {90, true}, 83, 227},
};

const Known &find(const Target &target) {
  for (const Known &known : known_targets) {
    if (known.target.version == target.version && known.target.is_specific == target.is_specific) {
      return known;
    }
  }
  return known_targets[0];
}

// "8.3" for 83.
std::string dotted(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
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

std::string host_features() {
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  }
  return features;
}

}  // namespace

std::string Target::text() const {
  return find(*this).text;
}

std::uint32_t Target::shared_bytes() const {
  return find(*this).shared_kib * 1024;
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

std::optional<Target> target_for(unsigned capability, std::string &error) {
  std::optional<Target> best;
  for (const Known &known : known_targets) {
    if (runs_on(known.target, capability)) {
      best = known.target;  // they are in order
    }
  }
  if (!best) {
    error = "the GPU is of compute capability " + dotted(capability) + ", expected " +
            dotted(known_targets[0].target.version) + " or later";
  }
  return best;
}

bool runs_on(const Target &target, unsigned capability) {
  return target.is_specific ? target.version == capability : target.version <= capability;
}

std::string ptx_version(const Target &target) {
  return dotted(find(target).ptx);
}

int oldest_driver(const Target &target) {
  const unsigned ptx = find(target).ptx;  // up to 8.5: 7.0 came with CUDA 11.0, 8.5 with 12.5
  return static_cast<int>((ptx / 10 + 4) * 1000 + ptx % 10 * 10);
}

std::size_t most_parameters(const Target &target) {
  const std::size_t bytes = find(target).ptx >= 81 ? 32764 : 4352;
  return bytes / sizeof(std::uint64_t);
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target &target, std::string &error) {
  return make("nvptx64-nvidia-cuda", target.text(), "+ptx" + std::to_string(find(target).ptx), error);
}

std::unique_ptr<llvm::TargetMachine> make_host_machine(std::string &error) {
  return make(llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), host_features(), error);
}

std::string host_text() {
  return llvm::sys::getProcessTriple() + " " + llvm::sys::getHostCPUName().str() + " " +
         llvm::utohexstr(llvm::xxh3_64bits(host_features()), true);
}

}  // namespace bp::nvptx
