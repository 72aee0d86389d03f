// The frame of a library with one kind of device: the entry, the factory, and a device's creation and destruction. A
// plugin writes its device and
//
//   const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<AcmeDevice>::entry;
//
// The device is default-constructible and has
//
//   static constexpr bp_device_desc_t description;
//   bp_device_t abi;         // set by the frame, except for `target`, which init() sets
//   const bp_host_t *host;   // set by the frame; may not be called before init()
//   std::uint32_t instance;  // optional, to tell instances apart or offline (BP_NONE) from present; set by the frame
//   // Optional, for devices with options. Called before init() with keys of `description` only.
//   bp_status set_option(std::string_view key, const char *value, const bp_diag_t *diag);
//   bp_status init(const bp_diag_t *diag);
//   const void *extension(std::string_view id) const;  // null if it has none with this id; may be static
//
// Its functions may throw: exceptions become reports (call.h). One device is always present.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "call.h"

namespace bp::plugin {

// Returns the plugin's object for a device of the ABI.
template <class Device>
Device &device_of(const bp_device_t *device) {
  return *static_cast<Device *>(device->device_data);
}

template <class Device>
class SingleDevice {
  static bp_status init_device(const bp_device_t *device, const bp_diag_t *diag) {
    return guarded(diag, [&] { return device_of<Device>(device).init(diag); });
  }
  static void destroy_device(const bp_device_t *device) { delete &device_of<Device>(device); }
  static const void *get_extension(const bp_device_t *device, const char *id) {
    return device_of<Device>(device).extension(id);
  }

  static std::uint32_t count(const bp_device_factory_t *) { return 1; }
  static const bp_device_desc_t *get_desc(const bp_device_factory_t *, std::uint32_t index) {
    return index == 0 ? &Device::description : nullptr;
  }
  static bp_status probe(const bp_device_factory_t *, const char *id, std::uint32_t *instances, const bp_diag_t *) {
    *instances = std::string_view(id) == Device::description.id ? 1 : 0;
    return BP_OK;
  }
  static bp_status set_option(Device &device, const bp_option_t &option, const bp_diag_t *diag) {
    if constexpr (requires { device.set_option(option.key, option.value, diag); }) {
      for (std::uint64_t i = 0; i < Device::description.option_count; ++i) {
        if (std::string_view(option.key) == Device::description.options[i].key) {
          return device.set_option(option.key, option.value, diag);
        }
      }
    }
    return fail(diag, BP_INVALID, std::string(Device::description.id) + " has no option " + option.key);
  }
  static const bp_device_t *create(const bp_device_factory_t *, const bp_host_t *host, const char *id,
                                   std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                   const bp_diag_t *diag) {
    std::unique_ptr<Device> device;
    const bp_status status = guarded(diag, [&] {
      if (std::string_view(id) != Device::description.id) {
        return fail(diag, BP_INVALID, std::string("there is no device ") + id + ", expected " + Device::description.id);
      }
      device = std::make_unique<Device>();
      device->abi = {&Device::description, device.get(), nullptr, init_device, destroy_device, get_extension};
      device->host = host;
      if constexpr (requires { device->instance = instance; }) {
        device->instance = instance;
      }
      bp_status status = BP_OK;
      for (std::uint32_t i = 0; i < option_count && status == BP_OK; ++i) {
        status = set_option(*device, options[i], diag);
      }
      return status;
    });
    return status == BP_OK ? &device.release()->abi : nullptr;
  }

  static bp_status init(const char *, const bp_diag_t *) { return BP_OK; }
  static void deinit() {}
  static const void *get_factory(const char *id) {
    return std::string_view(id) == BP_DEVICE_FACTORY ? &factory : nullptr;
  }

  static constexpr bp_device_factory_t factory = {count, get_desc, probe, create};

 public:
  static constexpr bp_plugin_entry_t entry = {BP_VERSION_INIT, init, deinit, get_factory};
};

}  // namespace bp::plugin
