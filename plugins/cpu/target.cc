#include "plugins/cpu/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <mutex>

namespace bp::cpu {
namespace {

// Never undone: what llvm_shutdown() destroys belongs to the one LLVM of the process, which other plugins and the
// application itself may be using. LLVM stays mapped when we are unloaded (it is linked with -z nodelete) and finds its
// tables again when we come back; nothing in it refers to us.
void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

emit::VectorTarget vectors_of(const Target &target) {
  emit::VectorTarget vectors{.vector_bits = 128, .vector_registers = 16, .has_fma = target.has("fma")};
  if (llvm::Triple(target.triple).isAArch64()) {
    return {.vector_bits = 128, .vector_registers = 32, .has_fma = true};
  }
  if (target.has("avx512f") && target.has("avx512vl") && target.has("avx512bw") && target.has("avx512dq")) {
    vectors.vector_bits = 512;
    vectors.vector_registers = 32;
  } else if (target.has("avx2")) {
    vectors.vector_bits = 256;
  }
  return vectors;
}

}  // namespace

std::string Target::text() const {
  std::string result = triple + ":";
  for (const std::string &feature : features) {
    result += (result.back() == ':' ? "" : ",") + feature;
  }
  return result;
}

bool Target::has(std::string_view feature) const {
  return std::ranges::binary_search(features, feature);
}

bool Target::runs_on(const Target &host) const {
  return llvm::Triple(triple).getArch() == llvm::Triple(host.triple).getArch() &&
         std::ranges::includes(host.features, features);
}

Target host_target() {
  Target target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.getValue()) {
      target.features.push_back(feature.getKey().str());
    }
  }
  std::ranges::sort(target.features);
  target.vectors = vectors_of(target);
  return target;
}

std::optional<Target> parse_target(std::string_view text, std::string &error) {
  Target target;
  const std::size_t colon = text.find(':');
  target.triple = text.substr(0, colon);
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    if (comma != 0) {
      target.features.emplace_back(rest.substr(0, comma));
    }
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  std::ranges::sort(target.features);
  target.vectors = vectors_of(target);
  if (make_target_machine(target, error) == nullptr) {
    return std::nullopt;
  }
  return target;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target &target, std::string &error) {
  initialize_llvm();
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (found == nullptr) {
    return nullptr;
  }
  std::string features;
  for (const std::string &feature : target.features) {
    features += (features.empty() ? "+" : ",+") + feature;
  }
  const char *base = llvm::Triple(target.triple).isX86() ? "x86-64" : "generic";
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(target.triple, base, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) {
    error = "LLVM has no code generator for " + target.triple;
  }
  return machine;
}

}  // namespace bp::cpu
