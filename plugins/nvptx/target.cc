#include "plugins/nvptx/target.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/xxhash.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

#include "plugins/llvm/generator/team.h"

namespace bp::nvptx {
namespace {

// By the data sheets and architecture white papers of NVIDIA: multiprocessors, threads and shared memory of one, bandwidths
// and peaks, by the highest clock that they name. Peaks of units are of f16, bf16, tf32, s8 and u8, dense. That of the T4's L2
// cache is about what Jia et al. measured (arXiv 1903.07486), and what `mma.sync` reaches of wgmma's peak, 0.63, what Luo et
// al. did (arXiv 2402.13499). The H100's L2 cache is taken for as fast as the A100's.
// T4: 1590 MHz, 320 GB/s; 8.1 TFLOPS, 1/32 of it for f64; 65 of f16, 130 TOPS of s8.
constexpr emit::GpuFacts t4 = {40, 1024, 64 * 1024, 201, 800, 64, 2, {512, 0, 0, 1024, 1024}, {}, false};
// A100: 1410 MHz, 1555 GB/s, 5120 bytes in a cycle from L2; 19.5 TFLOPS, 9.7 of f64; 312 of f16, 156 of tf32, 624 TOPS of s8.
constexpr emit::GpuFacts a100 = {108, 2048, 164 * 1024, 1103, 5120, 64, 32, {1024, 1024, 512, 2048, 2048}, {}, true};
// H100 SXM: 1830 MHz, 3350 GB/s; 67 TFLOPS, 34 of f64; 989 of f16, 495 of tf32, 1979 TOPS of s8.
constexpr emit::GpuFacts h100(bool has_warpgroup_unit) {
  emit::GpuFacts facts = {132, 2048, 228 * 1024, 1830, 5120, 128, 64, {1290, 1290, 645, 2580, 2580}, {}, true};
  if (has_warpgroup_unit) {
    facts.warpgroup_products = {2048, 2048, 0, 4096, 4096};
  }
  return facts;
}

struct Known {
  const char *text;
  Target target;
  unsigned ptx;              // 81: the least version that has it all, 8.1
  std::uint32_t shared_kib;  // of a block
  emit::GpuFacts facts;
};
constexpr Known known_targets[] = {
    {"sm_75", {75, false}, 70, 64, t4},
    {"sm_80", {80, false}, 70, 163, a100},
    {"sm_90", {90, false}, 81, 227, h100(false)},
    {"sm_90a", {90, true}, 81, 227, h100(true)},
};

const Known &find(const Target &target) {
  for (const Known &known : known_targets) {
    if (known.target.version == target.version && known.target.is_specific == target.is_specific) {
      return known;
    }
  }
  return known_targets[0];
}

// "8.1" for 81.
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

const emit::GpuFacts &Target::facts() const {
  return find(*this).facts;
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

emit::VectorTarget thread_target(const Target &target, bool may_round) {
  emit::VectorTarget threads = {
      .vector_bits = 128, .vector_registers = 32, .has_fma = true, .is_threaded = true, .gpu = target.facts()};
  if (!may_round) {
    threads.gpu.matrix_products[static_cast<std::size_t>(emit::MatrixElement::TF32)] = 0;
  }
  return threads;
}

std::size_t max_parameters(const Target &target) {
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
