// The CPU backend: XLA's HLO as native code of this machine, through LLVM. Tier 2: it compiles whole programs, control
// flow included, into one artifact. Host memory; synchronous.
#include <string_view>

#include "plugin_api/cpp/call.h"
#include "plugins/cpu/cpu_device.h"

BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Backplane",
  "version": "0.1.0",
  "opset": 1,
  "conformance": "none",
  "devices": [{
    "id": "dev.backplane.cpu",
    "aliases": ["cpu"],
    "name": "CPU",
    "extensions": ["bp.compiler/1"]
  }]
})");

namespace {

using bp::cpu::CpuDevice;
using bp::plugin::fail;
using bp::plugin::guarded;

constexpr const char *features[] = {BP_EXT_COMPILER, nullptr};
constexpr bp_device_desc_t description = {BP_VERSION_INIT, 1,       "dev.backplane.cpu", "CPU", "Backplane", "0.1.0",
                                          nullptr,         features};

CpuDevice &device_of(const bp_device_t *device) {
  return *static_cast<CpuDevice *>(device->device_data);
}

bp_status claim(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag) {
  return guarded(diag, [&] { return device_of(device).claim(module, cost_ns, diag); });
}
bp_status compile(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                  const bp_diag_t *diag) {
  return guarded(diag, [&] { return device_of(device).compile(module, artifact, diag); });
}
bp_status load(const bp_device_t *device, const void *artifact, uint64_t size, const bp_loc_t *, uint8_t *,
               uint32_t allocation_count, const bp_program_t **program, const bp_diag_t *diag) {
  return guarded(diag, [&] { return device_of(device).load(artifact, size, allocation_count, program, diag); });
}
constexpr bp_device_compiler_t compiler = {claim, compile, load};

bp_status init_device(const bp_device_t *device, const bp_diag_t *diag) {
  return guarded(diag, [&] { return device_of(device).init(diag); });
}
void destroy_device(const bp_device_t *device) {
  delete &device_of(device);
}
const void *get_device_extension(const bp_device_t *, const char *id) {
  return std::string_view(id) == BP_EXT_COMPILER ? &compiler : nullptr;
}

uint32_t count(const bp_device_factory_t *) {
  return 1;
}
const bp_device_desc_t *get_desc(const bp_device_factory_t *, uint32_t index) {
  return index == 0 ? &description : nullptr;
}
bp_status probe(const bp_device_factory_t *, const char *id, uint32_t *instances, const bp_diag_t *) {
  *instances = std::string_view(id) == description.id ? 1 : 0;
  return BP_OK;
}
const bp_device_t *create(const bp_device_factory_t *, const bp_host_t *host, const char *id, uint32_t,
                          const bp_option_t *options, uint32_t option_count, const bp_diag_t *diag) {
  if (std::string_view(id) != description.id) {
    fail(diag, BP_INVALID, std::string("cpu: there is no device ") + id);
    return nullptr;
  }
  bp::cpu::Options known;
  for (uint32_t i = 0; i < option_count; ++i) {
    const std::string_view key = options[i].key;
    if (key == "target") {
      known.target = options[i].value;
    } else if (key == "features") {
      known.features = options[i].value;
    } else if (key == "dump-dir") {
      known.dump_dir = options[i].value;
    } else {
      fail(diag, BP_INVALID, "cpu: unknown option " + std::string(key) + "; known are target, features and dump-dir");
      return nullptr;
    }
  }
  auto *device = new CpuDevice{};
  device->abi = {&description, device, nullptr, init_device, destroy_device, get_device_extension};
  device->host = host;
  device->options = std::move(known);
  return &device->abi;
}
constexpr bp_device_factory_t factory = {count, get_desc, probe, create};

bp_status init(const char *, const bp_diag_t *) {
  return BP_OK;
}
void deinit() {}
const void *get_factory(const char *id) {
  return std::string_view(id) == BP_DEVICE_FACTORY ? &factory : nullptr;
}

}  // namespace

const bp_plugin_entry_t bp_entry = {BP_VERSION_INIT, init, deinit, get_factory};
