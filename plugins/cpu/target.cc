#include "plugins/cpu/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/AArch64TargetParser.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <mutex>

#include "plugins/cpu/processor_features.h"
#include "plugins/llvm/tile_registers.h"

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

// Removes the first name from a list such as "name,rest" and returns it.
std::string_view take_name(std::string_view &list) {
  const std::size_t comma = list.find(',');
  const std::string_view name = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  return name;
}

// With this feature, code that LLVM 19 generated computed digamma of f16 as NaN on a machine that has it.
constexpr std::string_view on_request = "avx512fp16";
// Linux gives these registers to the processes that ask for them.
constexpr std::string_view tiles = "amx-tile";

const char *min_cpu(const llvm::Triple &triple) {
  return triple.isX86() ? "x86-64" : "generic";
}

// Fails with BP_INVALID if it is not a target that the emitters support.
Result<const llvm::Target *> find_target(const std::string &triple) {
  initialize_llvm();
  const llvm::Triple parsed(llvm::Triple::normalize(triple));
  const llvm::StringRef system = parsed.getOSName();
  const bool is_known_system = parsed.getOS() != llvm::Triple::UnknownOS || system == "unknown" || system == "none";
  const bool known = (parsed.getArch() == llvm::Triple::x86_64 || parsed.getArch() == llvm::Triple::aarch64) &&
                     parsed.isOSBinFormatELF() && is_known_system && !parsed.isX32() &&
                     parsed.getEnvironment() != llvm::Triple::GNUILP32;
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
      : is_x86_(llvm::Triple(triple).isX86()),
        info_(target.createMCSubtargetInfo(triple, min_cpu(llvm::Triple(triple)), "")),
        least_(info_->getFeatureBits()) {}

  void clear() { info_->setFeatureBits(least_); }
  bool knows(std::string_view name) const {
    return std::ranges::any_of(info_->getAllProcessorFeatures(), [&](const auto &known) { return name == known.Key; });
  }
  // Whether code is generated for a known feature. The others say how to tune code, or name what no code here needs.
  bool uses(std::string_view name) const { return is_x86_ ? is_used_on_x86(name) : is_used_on_aarch64(name); }
  // Adds or removes a known feature: "+name" or "-name".
  void apply(const std::string &feature) { info_->ApplyFeatureFlag(feature); }
  // Adds the features of a CPU ("cortex-a76"), of a level of x86-64 ("x86-64-v3") or of a version of the Arm
  // architecture ("armv8.2-a"), but for those that are only used on request. Returns whether there is such a machine.
  bool add_machine(std::string_view name) {
    if (const llvm::AArch64::ArchInfo *version = is_x86_ ? nullptr : llvm::AArch64::parseArch(name)) {
      apply(version->ArchFeature.str());
      return true;
    }
    const llvm::StringRef resolved = is_x86_ ? llvm::StringRef(name) : llvm::AArch64::resolveCPUAlias(name);
    const auto cpus = info_->getAllProcessorDescriptions();
    const auto *const cpu = std::ranges::find_if(cpus, [&](const auto &known) { return resolved == known.Key; });
    if (cpu == cpus.end() || !runs_64_bits(*cpu)) {
      return false;
    }
    std::vector<std::string> added;
    for (const llvm::SubtargetFeatureKV &feature : info_->getAllProcessorFeatures()) {
      if (cpu->Implies.getAsBitset().test(feature.Value) && feature.Key != on_request) {
        added.push_back("+" + std::string(feature.Key));
      }
    }
    for (const std::string &feature : added) {
      apply(feature);
    }
    return true;
  }
  // Returns the used features besides those that every CPU of the architecture has, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const llvm::SubtargetFeatureKV &known : info_->getAllProcessorFeatures()) {
      if (info_->getFeatureBits().test(known.Value) && !least_.test(known.Value) && uses(known.Key)) {
        result.emplace_back(known.Key);
      }
    }
    std::ranges::sort(result);
    return result;
  }
  // Whether a feature that every CPU of the architecture has was removed.
  bool below_least() const { return (info_->getFeatureBits() & least_) != least_; }
  // Returns a text such as "did you mean avx or avx2", or an empty one if no name of a feature or CPU is similar.
  std::string suggestion(llvm::StringRef name) const {
    const unsigned farthest = std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3);
    std::vector<std::pair<unsigned, std::string>> near;
    const auto consider = [&](llvm::StringRef known) {
      const unsigned distance = name.edit_distance(known, true, farthest);
      if (distance <= farthest) {
        near.emplace_back(distance, known);
      }
    };
    for (const llvm::SubtargetFeatureKV &known : info_->getAllProcessorFeatures()) {
      if (uses(known.Key)) {
        consider(known.Key);
      }
    }
    for (const llvm::SubtargetSubTypeKV &known : info_->getAllProcessorDescriptions()) {
      if (runs_64_bits(known)) {
        consider(known.Key);
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
  // LLVM's CPUs of x86 are also those before x86-64.
  bool runs_64_bits(const llvm::SubtargetSubTypeKV &cpu) const {
    const auto all = info_->getAllProcessorFeatures();
    return !is_x86_ || std::ranges::any_of(all, [&](const llvm::SubtargetFeatureKV &feature) {
      return llvm::StringRef(feature.Key) == "64bit" && cpu.Implies.getAsBitset().test(feature.Value);
    });
  }

  bool is_x86_;
  std::unique_ptr<llvm::MCSubtargetInfo> info_;
  llvm::FeatureBitset least_;
};

emit::VectorTarget vectors_of(const Target &target) {
  emit::VectorTarget vectors{.vector_bits = 128, .vector_registers = 16, .has_fma = target.has("fma")};
  if (llvm::Triple(target.triple).isAArch64()) {
    return {.vector_bits = 128,
            .vector_registers = 32,
            .has_fma = true,
            .integer_dot = target.has("dotprod") ? emit::IntegerDot::BytesOfOneKind : emit::IntegerDot::None};
  }
  if (target.has("avx512f") && target.has("avx512vl") && target.has("avx512bw") && target.has("avx512dq")) {
    vectors.vector_bits = 512;
    vectors.vector_registers = 32;
    vectors.has_avx512 = true;
  } else if (target.has("avx2")) {
    vectors.vector_bits = 256;
  }
  const bool has_bytes = target.has(vectors.has_avx512 ? "avx512vnni" : "avxvnni");
  vectors.integer_dot = has_bytes ? emit::IntegerDot::UnsignedBySigned : emit::IntegerDot::PairsOf16;
  vectors.has_bf16_dot = vectors.has_avx512 && target.has("avx512bf16");
  vectors.has_byte_tiles = vectors.has_avx512 && target.has("amx-int8");
  vectors.has_bf16_tiles = vectors.has_avx512 && target.has("amx-bf16");
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
    if (feature.getValue() && features.knows(feature.getKey().str())) {
      features.apply("+" + feature.getKey().str());
    }
  }
  target.features = features.names();
  if (target.has(tiles) && !emit::use_tiles()) {
    features.apply("-" + std::string(tiles));
    target.features = features.names();
  }
  target.vectors = vectors_of(target);
  return target;
}

Target trusted_part(const Target &machine) {
  return machine.has(on_request) ? with_features(machine, "-" + std::string(on_request)).value() : machine;
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
    const std::string name(is_signed ? item.substr(1) : item);
    if (item.front() != '-' && features.add_machine(name)) {
      continue;
    }
    if (item.front() == '-' && FeatureSet(*found, target.triple).add_machine(name)) {
      return Error(BP_INVALID, "'-" + name + "' takes away a machine: write -FEATURE for each feature to leave out");
    }
    if (!features.knows(name)) {
      const std::string suggestion = features.suggestion(name);
      return Error(BP_INVALID,
                   "unknown feature '" + name + "' of " + target.triple + ", " +
                       (!suggestion.empty() ? suggestion
                        : is_x86 ? "expected a level, x86-64 to x86-64-v4, a CPU such as znver4, or LLVM's name of "
                                   "a feature, such as avx2"
                                 : "expected a version such as armv8.2-a, a CPU such as cortex-a76, or LLVM's name "
                                   "of a feature, such as fullfp16"));
    }
    if (item.front() != '-' && !features.uses(name)) {
      const bool scalable = !is_x86 && (name.starts_with("sve") || name.starts_with("sme"));
      return Error(BP_INVALID, "feature '" + name + "' of " + target.triple + " is not used: " +
                                   (scalable ? "code has vectors of 128 bits (NEON)" : "no code is generated for it") +
                                   ". Leave it out");
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

native::Target native_target(const Target &target) {
  std::string features;
  for (const std::string &feature : target.features) {
    features += (features.empty() ? "+" : ",+") + feature;
  }
  return {.triple = target.triple,
          .cpu = min_cpu(llvm::Triple(target.triple)),
          .features = features,
          .vectors = target.vectors};
}

}  // namespace bp::cpu
