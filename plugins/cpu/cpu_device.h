// The CPU device: claims, compiles and loads, or makes code of artifacts that needs no device.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "plugin_api/cpp/device.h"
#include "plugins/cpu/target.h"
#include "plugins/native/compiler.h"
#include "plugins/native/program.h"

namespace bp::cpu {

struct Options {
  std::string target;    // a triple; empty: this machine
  std::string features;  // as with_features() reads them; empty: the target's own
  std::string dump_dir;  // folder to which IR and objects are written, or empty
  std::string emit;      // one of emit_choices; empty: an artifact
  bool perf_map = false;
};

inline constexpr const char *emit_choices[] = {"llvm", "asm", "obj", nullptr};

// The limit of bytes per row lets a few rows fit in a second-level cache. A reduction of fewer than four rows is split
// for threads to share; more rows stay whole, such as those of a softmax.
inline constexpr std::uint32_t min_reduced = 4096;
// The matrix of a product with up to four vectors is computed where it is read, such as weights of few bits. That is
// max_vectors of plugins/llvm/contraction/contraction_kernel.cc; the kernels refuse more.
inline constexpr std::uint32_t max_prologue_uses = 4;
inline constexpr bp_fusion_limits_t cpu_fusion_limits = {
    BP_FUSES_CONTRACTIONS | BP_FUSES_ROWS | BP_FUSES_RESULTS | BP_FUSES_PROLOGUES | BP_FUSES_ATTENTION,
    256,
    64,
    min_reduced,
    std::uint64_t{1} << 18,
    256,
    0,
    max_prologue_uses};

// Artifacts keep these first bytes; their version is in the header that follows.
inline constexpr native::ArtifactFormat artifact_format = {"BPCPUOBJ", "CPU"};

// The device, as the frame in plugin_api/cpp/device.h expects it, but for its description.
struct CpuDevice {
  static constexpr std::string_view message_prefix = "cpu: ";
  static constexpr bp_option_desc_t known_options[] = {
      {"target", nullptr, "what to compile for, such as aarch64-linux-gnu; otherwise this machine", nullptr,
       BP_OPTION_TEXT, 0},
      {"features", nullptr, "of the target: x86-64-v3, or +avx2,-fma", nullptr, BP_OPTION_TEXT, 0},
      {"dump-dir", nullptr, "a folder to write LLVM IR and objects to", nullptr, BP_OPTION_TEXT, 0},
      {"emit", nullptr,
       "what to compile to instead of an artifact: optimized LLVM IR or assembly as text, or an object", emit_choices,
       BP_OPTION_TEXT, 0},
      {"perf-map", "0", "write the names of kernels to /tmp/perf-PID.map, for perf record and perf report", nullptr,
       BP_OPTION_SWITCH, 0},
  };

  Options options;
  plugin::HostServices services;
  Target target;
  Target machine;                              // the machine that this process runs on
  std::unique_ptr<native::Compiler> compiler;  // for the target

  plugin::Status set_option(std::string_view key, std::string_view value) {
    return plugin::set_option(key, value,
                              {{"target", &options.target},
                               {"features", &options.features},
                               {"dump-dir", &options.dump_dir},
                               {"emit", &options.emit},
                               {"perf-map", &options.perf_map}});
  }
  plugin::Result<std::string> init();
  plugin::Status claim(const bp_module_t *image, plugin::Claims &claims) const;
  plugin::Result<std::string> preferences(const bp_module_t *image) const;
  plugin::Result<std::string> compile(const bp_module_t *image) const;
  plugin::Result<std::unique_ptr<native::LoadedProgram>> load(std::span<const char> bytes,
                                                              std::uint32_t allocation_count) const;
  plugin::Result<bp_aot_code_t> describe(std::span<const char> bytes, std::uint32_t flags) const;
  plugin::Result<std::string> write_object(std::span<const char> bytes, std::uint32_t flags, std::uint32_t index) const;
};

}  // namespace bp::cpu
