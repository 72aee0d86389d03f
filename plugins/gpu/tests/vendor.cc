// The backend of a vendor that does not exist, with emulated GPUs alone. It shows how little a second backend writes,
// and that plugins/gpu needs none of the first one's.
#include <iterator>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "plugin_api/cpp/single_device.h"
#include "plugins/gpu/device.h"
#include "plugins/gpu/tests/targets.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Vendor",
  "version": "0.1.0",
  "opset": 2,
  "conformance": "none",
  "devices": [{
    "id": "test.vendor",
    "aliases": ["vendor"],
    "name": "GPU of a vendor",
    "extensions": ["bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.native-sync/1", "bp.fusion/draft-3"]
  }]
})");

namespace bp::gpu::tests {
namespace {

constexpr const char *gpus[] = {"narrow", "wide", "full", nullptr};
constexpr bp_option_desc_t option_descriptions[] = {
    {"gpu", "narrow", "threads alone, with warps of 32 or of 64, or all units", gpus, BP_OPTION_TEXT, 0},
    {"races", "0", "look for races", nullptr, BP_OPTION_SWITCH, 0},
};

class VendorDevice final : public Device {
 public:
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 2,       "test.vendor", "GPU of a vendor",   "Vendor",
      "0.1.0",         nullptr, nullptr,       option_descriptions, std::size(option_descriptions)};
  static constexpr std::string_view message_prefix = "vendor: ";

  VendorDevice() : Device({.magic = "VENDOR01", .backend = "vendor's", .max_shared_bytes = 200 * 1024}) {
    options_.is_emulated = true;
  }
  plugin::Status set_option(std::string_view key, std::string_view value) {
    return plugin::set_option(key, value, {{"gpu", &gpu_}, {"races", &options_.finds_races}});
  }
  plugin::Result<std::string> init() {
    return set_up(gpu_ == "full" ? full_target() : plain_target(gpu_ == "wide" ? 64 : 32), "emulated " + gpu_);
  }

 private:
  const DeviceOptions &options() const override { return options_; }
  // The functions from here on are for GPUs, of which there are none.
  std::unique_ptr<Threads> make_threads() const override { return nullptr; }
  CodeRequest code_request() const override { return {}; }
  std::string whole_code(std::span<const CodePart>) const override { return ""; }
  const char *code_ending() const override { return ".s"; }
  plugin::Result<std::unique_ptr<Machine>> open_machine() override {
    return plugin::Error(BP_DEVICE_LOST, "there is no GPU");
  }

  DeviceOptions options_;
  std::string gpu_ = "narrow";
};

}  // namespace
}  // namespace bp::gpu::tests

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<bp::gpu::tests::VendorDevice>::entry;
