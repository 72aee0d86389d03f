// The CPU device: claims, compiles and loads. The functions of the ABI (plugin.cc) only forward to it.
#pragma once

#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "backplane/ext/draft/fusion.h"
#include "plugin_api/cpp/host_services.h"
#include "plugins/llvm/linker.h"
#include "plugins/cpu/target.h"

namespace bp::cpu {

struct Options {
  std::string target;    // a triple; empty: this machine
  std::string features;  // as with_features() reads them; empty: the target's own
  std::string dump_dir;  // folder to which IR and objects are written, or empty
};

// The device, as the frame in plugin_api/cpp/single_device.h expects it.
struct CpuDevice {
  static constexpr const char *features[] = {BP_EXT_COMPILER, BP_EXT_FUSION, nullptr};
  static constexpr bp_option_desc_t known_options[] = {
      {"target", nullptr, "what to compile for, such as aarch64-linux-gnu; otherwise this machine", nullptr,
       BP_OPTION_TEXT, 0},
      {"features", nullptr, "of the target: x86-64-v3, or +avx2,-fma", nullptr, BP_OPTION_TEXT, 0},
      {"dump-dir", nullptr, "a folder to write LLVM IR and objects to", nullptr, BP_OPTION_TEXT, 0},
  };
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT,         1, "dev.backplane.cpu", "CPU", "Backplane", "0.1.0", nullptr, features, known_options,
      std::size(known_options)};
  // The limit of bytes per row lets a few rows fit in a second-level cache.
  static constexpr bp_fusion_limits_t fusion_limits = {
      BP_FUSES_CONTRACTIONS | BP_FUSES_ROWS | BP_FUSES_RESULTS, 256, 64, 0, std::uint64_t{1} << 18, 256};
  static constexpr bp_device_fusion_t fusion = {&fusion_limits};
  static const void *extension(std::string_view id);

  bp_device_t abi;
  const bp_host_t *host;
  Options options;
  plugin::HostServices services;  // set by init()
  Target target;
  std::string target_text;
  Target machine;  // the machine that this process runs on

  bp_status set_option(std::string_view key, const char *value, const bp_diag_t *diag);
  bp_status init(const bp_diag_t *diag);
  bp_status claim(const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) const;
  bp_status compile(const bp_module_t *module, const bp_ostream_t *out, const bp_diag_t *diag) const;
  bp_status load(const void *bytes, std::uint64_t size, std::uint32_t allocation_count, const bp_program_t **program,
                 const bp_diag_t *diag) const;
};

}  // namespace bp::cpu
