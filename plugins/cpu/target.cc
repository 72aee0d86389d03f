#include "plugins/cpu/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <mutex>

namespace bp::cpu {

using plugin::Error;
using plugin::Result;

namespace {

// Initializes LLVM. This is never undone, because llvm_shutdown() would destroy data of the one LLVM in the process,
// which other plugins and the application itself may be using. LLVM stays mapped when this plugin is unloaded (it is
// linked with -z nodelete), and is still initialized when the plugin is loaded again; nothing in it refers to the
// plugin.
void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();  // for the code of bp_check()
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
  });
}

// The levels of the x86-64 ABI. Each adds features to the one before.
struct Level {
  std::string_view name;
  std::string_view adds;
};
constexpr Level levels[] = {
    {"x86-64", ""},
    {"x86-64-v2", "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3"},
    {"x86-64-v3", "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"},
    {"x86-64-v4", "+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl"},
};

// Returns the features of a level, or nullopt if there is no level with this name.
std::optional<std::string> features_of_level(std::string_view name) {
  std::string features;
  for (const Level &level : levels) {
    features += level.adds.empty() || features.empty() ? level.adds : "," + std::string(level.adds);
    if (level.name == name) {
      return features;
    }
  }
  return std::nullopt;
}

// Removes the first name from a list such as "name,rest" and returns it.
std::string_view take_name(std::string_view &list) {
  const std::size_t comma = list.find(',');
  const std::string_view name = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  return name;
}

// Whether no code is generated for the feature, although a user may expect it: the emitters fix the width of vectors.
bool is_unused(std::string_view feature) {
  return feature.starts_with("sve") || feature.starts_with("sme");
}

const char *min_cpu(const llvm::Triple &triple) {
  return triple.isX86() ? "x86-64" : "generic";
}

// Fails with BP_INVALID if it is not a target that the emitters support.
Result<const llvm::Target *> find_target(const std::string &triple) {
  initialize_llvm();
  const llvm::Triple parsed(triple);
  const bool known = (parsed.getArch() == llvm::Triple::x86_64 || parsed.getArch() == llvm::Triple::aarch64) &&
                     parsed.isOSBinFormatELF() && !parsed.isX32();
  std::string ignored;
  const llvm::Target *found = known ? llvm::TargetRegistry::lookupTarget(triple, ignored) : nullptr;
  if (found == nullptr) {
    return Error(BP_INVALID,
                 "unknown target '" + triple + "', expected a triple such as x86_64-linux-gnu or aarch64-linux-gnu");
  }
  return found;
}

// A set of features of a target. Adding a feature also adds those that it needs; removing one also removes those that
// need it.
class FeatureSet {
 public:
  // Starts with the features that every CPU of the architecture has.
  FeatureSet(const llvm::Target &target, const std::string &triple)
      : info_(target.createMCSubtargetInfo(triple, min_cpu(llvm::Triple(triple)), "")),
        least_(info_->getFeatureBits()) {}

  void clear() { info_->setFeatureBits(least_); }
  bool knows(std::string_view name) const {
    return std::ranges::any_of(info_->getAllProcessorFeatures(), [&](const auto &known) { return name == known.Key; });
  }
  // Adds or removes a known feature: "+name" or "-name".
  void apply(const std::string &feature) { info_->ApplyFeatureFlag(feature); }
  // Returns the features besides those that every CPU of the architecture has, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const llvm::SubtargetFeatureKV &known : info_->getAllProcessorFeatures()) {
      if (info_->getFeatureBits().test(known.Value) && !least_.test(known.Value)) {
        result.emplace_back(known.Key);
      }
    }
    std::ranges::sort(result);
    return result;
  }
  // Whether a feature that every CPU of the architecture has was removed.
  bool below_least() const { return (info_->getFeatureBits() & least_) != least_; }
  // Returns a text such as "did you mean avx or avx2", or an empty one if no name is similar.
  std::string suggestion(llvm::StringRef name) const {
    const unsigned farthest = std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3);
    std::vector<std::pair<unsigned, std::string>> near;
    for (const llvm::SubtargetFeatureKV &known : info_->getAllProcessorFeatures()) {
      const unsigned distance = name.edit_distance(known.Key, true, farthest);
      if (distance <= farthest) {
        near.emplace_back(distance, known.Key);
      }
    }
    std::ranges::sort(near);
    constexpr std::size_t most = 3;
    std::string result;
    for (std::size_t i = 0; i < std::min(near.size(), most); ++i) {
      result += (result.empty() ? "did you mean " : " or ") + near[i].second;
    }
    return result;
  }

 private:
  std::unique_ptr<llvm::MCSubtargetInfo> info_;
  llvm::FeatureBitset least_;
};

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

std::string Target::missing_on(const Target &host) const {
  if (llvm::Triple(triple).getArch() != llvm::Triple(host.triple).getArch()) {
    return "this machine is " + host.triple;
  }
  std::string missing;
  for (const std::string &feature : features) {
    if (!host.has(feature)) {
      missing += (missing.empty() ? "this machine lacks " : ", ") + feature;
    }
  }
  return missing;
}

Target host_target() {
  Target target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  const auto found = find_target(target.triple);
  if (!found.ok()) {
    return target;
  }
  FeatureSet features(**found, target.triple);
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.getValue() && features.knows(feature.getKey().str()) && !is_unused(feature.getKey().str())) {
      features.apply("+" + feature.getKey().str());
    }
  }
  target.features = features.names();
  target.vectors = vectors_of(target);
  return target;
}

Target trusted_part(const Target &machine) {
  // With avx512fp16, code that LLVM 19 generated computed digamma of f16 as NaN on a machine that has this feature.
  return machine.has("avx512fp16") ? with_features(machine, "-avx512fp16").value() : machine;
}

Result<Target> parse_target(std::string_view text) {
  Target target;
  const std::size_t colon = text.find(':');
  target.triple = text.substr(0, colon);
  return with_features(target, colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
}

Result<Target> with_features(const Target &target, std::string_view list) {
  BP_ASSIGN(const llvm::Target *const found, find_target(target.triple));
  FeatureSet features(*found, target.triple);
  const auto apply_all = [&](std::string_view names) {
    while (!names.empty()) {
      features.apply(std::string(take_name(names)));
    }
  };
  for (const std::string &feature : target.features) {
    features.apply("+" + feature);
  }
  bool alone = false;  // names without a sign have replaced the target's own features
  const bool is_x86 = llvm::Triple(target.triple).isX86();
  while (!list.empty()) {
    const std::string_view item = take_name(list);
    if (item.empty()) {
      continue;
    }
    const bool is_signed = item.front() == '+' || item.front() == '-';
    if (!is_signed && !alone) {
      features.clear();
      alone = true;
    }
    const auto level = is_x86 ? features_of_level(item) : std::nullopt;
    if (level) {
      apply_all(*level);
      continue;
    }
    const std::string name(is_signed ? item.substr(1) : item);
    if (!features.knows(name)) {
      const std::string suggestion = features.suggestion(name);
      return Error(BP_INVALID,
                   "unknown feature '" + name + "' of " + target.triple + ", " +
                       (!suggestion.empty() ? suggestion
                        : is_x86 ? "expected a level, x86-64 to x86-64-v4, or LLVM's name of one, such as avx2"
                                 : "expected LLVM's name of one, such as fullfp16"));
    }
    if (is_unused(name) && item.front() != '-') {
      return Error(BP_INVALID, "feature '" + name + "' of " + target.triple +
                                   " is not used: code has vectors of 128 bits (NEON). Leave it out");
    }
    features.apply((item.front() == '-' ? "-" : "+") + name);
    if (features.below_least()) {
      return Error(BP_INVALID, "feature '" + name + "' cannot be taken away: every " +
                                   std::string(llvm::Triple(target.triple).getArchName()) + " has it");
    }
  }
  Target result{.triple = target.triple, .features = features.names(), .vectors = {}};
  result.vectors = vectors_of(result);
  return result;
}

Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target &target) {
  BP_ASSIGN(const llvm::Target *const found, find_target(target.triple));
  std::string features;
  for (const std::string &feature : target.features) {
    features += (features.empty() ? "+" : ",+") + feature;
  }
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(target.triple, min_cpu(llvm::Triple(target.triple)), features, llvm::TargetOptions(),
                                 llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) {
    return Error(BP_INTERNAL, "LLVM has no code generator for " + target.triple);
  }
  return machine;
}

}  // namespace bp::cpu
