#include "plugins/nvptx/target.h"

#include <llvm/Support/TargetSelect.h>

#include <mutex>
#include <optional>

#include "plugins/gpu/code_generation.h"
#include "plugins/llvm/generator/team.h"
#include "plugins/nvptx/registers.h"

namespace bp::nvptx {
namespace {

// These numbers are from the data sheets and architecture white papers of NVIDIA: multiprocessors, threads and shared
// memory of a multiprocessor, bandwidths and peaks, for the highest clock that they name. Peaks of units are for f16,
// bf16, tf32, s8 and u8, dense. The bandwidth of the T4's L2 cache is about what Jia et al. measured (arXiv
// 1903.07486), and the fraction of wgmma's peak that `mma.sync` reaches, 0.63, is what Luo et al. measured (arXiv
// 2402.13499). The H100's L2 cache is assumed to be as fast as the A100's.
//
// T4: 1590 MHz, 320 GB/s; 8.1 TFLOPS, 1/32 of it for f64; 65 for f16, 130 TOPS for s8.
constexpr emit::GpuFacts t4 = {40, 1024, 64 * 1024, 201, 800, 64, 2, {512, 0, 0, 1024, 1024}, {}, false};
// A100: 1410 MHz, 1555 GB/s, 5120 bytes in a cycle from L2; 19.5 TFLOPS, 9.7 for f64; 312 for f16, 156 for tf32, 624
// TOPS for s8.
constexpr emit::GpuFacts a100 = {108, 2048, 164 * 1024, 1103, 5120, 64, 32, {1024, 1024, 512, 2048, 2048}, {}, true};
// H100 SXM: 1830 MHz, 3350 GB/s; 67 TFLOPS, 34 for f64; 989 for f16, 495 for tf32, 1979 TOPS for s8.
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
  unsigned ptx;              // 81: the first PTX version with all that it needs, 8.1
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

// Returns "8.1" for 81.
std::string dotted(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

// The part of emit::MatrixUnit's matrices that one instruction multiplies.
std::optional<gpu::MatrixPart> matrix_part(const Target &target, emit::MatrixElement element, bool may_round) {
  using enum emit::MatrixElement;
  using gpu::MatrixPart;
  const bool is_whole = target.version >= 80;
  switch (element) {
    case F16: return is_whole ? MatrixPart{16, 32} : MatrixPart{16, 16};
    case BF16: return is_whole ? std::optional(MatrixPart{16, 32}) : std::nullopt;
    case TF32: return is_whole && may_round ? std::optional(MatrixPart{16, 32}) : std::nullopt;
    default: return is_whole ? MatrixPart{16, 32} : MatrixPart{8, 16};
  }
}

}  // namespace

std::string Target::text() const {
  return find(*this).text;
}

const emit::GpuFacts &Target::facts() const {
  return find(*this).facts;
}

plugin::Result<Target> parse_target(std::string_view text) {
  std::string all;
  for (const Known &known : known_targets) {
    if (text == known.text) {
      return known.target;
    }
    all += (all.empty() ? "" : ", ") + std::string(known.text);
  }
  return plugin::Error(BP_INVALID, "there is no target " + std::string(text) + ", expected one of " + all);
}

plugin::Result<Target> target_for(unsigned capability) {
  std::optional<Target> best;
  for (const Known &known : known_targets) {
    if (runs_on(known.target, capability)) {
      best = known.target;  // targets are sorted
    }
  }
  if (!best) {
    return plugin::Error(BP_DEVICE_LOST, "the GPU is of compute capability " + dotted(capability) + ", expected " +
                                             dotted(known_targets[0].target.version) + " or later");
  }
  return *best;
}

bool runs_on(const Target &target, unsigned capability) {
  return target.is_specific ? target.version == capability : target.version <= capability;
}

std::string ptx_version(const Target &target) {
  return dotted(find(target).ptx);
}

int oldest_driver(const Target &target) {
  const unsigned ptx = find(target).ptx;  // PTX 7.0 came with CUDA 11.0, and so on up to 8.5 with 12.5
  return static_cast<int>((ptx / 10 + 4) * 1000 + ptx % 10 * 10);
}

gpu::Target gpu_target(const Target &target, bool may_round) {
  const Known &known = find(target);
  constexpr unsigned first_with_bf16 = 80, first_with_f8 = 89, first_ptx_with_large_parameters = 81;
  const std::size_t parameter_bytes = known.ptx >= first_ptx_with_large_parameters ? 32764 : 4352;
  gpu::Target facts = {
      .name = known.text,
      .usual_shared_bytes = usual_shared_bytes,
      .max_shared_bytes = known.shared_kib * 1024,
      .max_parameters = parameter_bytes / sizeof(std::uint64_t),
      .threads = {.vector_bits = 128, .vector_registers = 32, .has_fma = true, .is_threaded = true, .gpu = known.facts},
      .has_copy_engine = target.version == 90 && target.is_specific,
      .has_bf16_instructions = target.version >= first_with_bf16,
      .has_f8_instructions = target.version >= first_with_f8,
      .registers = &register_model()};
  for (std::size_t element = 0; element < facts.matrix_parts.size(); ++element) {
    facts.matrix_parts[element] = matrix_part(target, static_cast<emit::MatrixElement>(element), may_round);
  }
  if (!may_round) {
    facts.threads.gpu.matrix_products[static_cast<std::size_t>(emit::MatrixElement::TF32)] = 0;
  }
  return facts;
}

plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return gpu::make_machine("nvptx64-nvidia-cuda", target.text(), "+ptx" + std::to_string(find(target).ptx));
}

}  // namespace bp::nvptx
