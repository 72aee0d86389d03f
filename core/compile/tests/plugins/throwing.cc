// A backend of kernels that violates BP-LAW-04: it throws where the option "at" says, "claim" (the first search for a
// kernel) or "load" (the search for the kernels of a program after its claims are complete).
#include <stdexcept>

#include "plugin_api/cpp/single_device.h"

BP_PLUGIN_MANIFEST(R"({"abi": "1.0.0", "version": "1", "opset": 1, "devices": [
  {"id": "org.example.throwing", "name": "Throwing", "extensions": ["bp.kernels/1"]}]})");

namespace {

constexpr const char *features[] = {BP_EXT_KERNELS, nullptr};

constexpr bp_option_desc_t options[] = {{"at", "claim", "when it throws: claim or load", nullptr, BP_OPTION_TEXT, 0}};

struct ThrowingDevice {
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1, "org.example.throwing", "Throwing", nullptr, "1", nullptr, features, options, 1};

  int searches_left = 0;  // before it throws: a module of one instruction is claimed three times, then loaded

  bp::plugin::Status set_option(std::string_view, std::string_view value) {
    searches_left = value == "load" ? 3 : 0;
    return {};
  }
  bp::plugin::Result<std::string> init() { return "none"; }
  // A table of its own, because the frame's would let no exception pass.
  static const void *extension(std::string_view id);
};

bp_status kernel(const bp_device_t *, const bp_call_t *, const bp_diag_t *) {
  return BP_OK;
}
bp_kernel find(const bp_device_t *device, const bp_module_t *, uint32_t, const bp_diag_t *) {
  if (bp::plugin::device_of<ThrowingDevice>(device).searches_left-- == 0) {
    throw std::runtime_error("the library of kernels is not there");
  }
  return kernel;
}
constexpr bp_device_kernels_t kernels = {find};

const void *ThrowingDevice::extension(std::string_view id) {
  return id == BP_EXT_KERNELS ? &kernels : nullptr;
}

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<ThrowingDevice>::entry;
