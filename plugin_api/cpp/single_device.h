// The entry of a library with one kind of device, of which one is always present: the factory, options, and a device's
// creation. A plugin writes the class of its device (device.h) and
//
//   const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<AcmeDevice>::entry;
//
// The class may also have
//   static constexpr std::uint32_t instances;                      // number of devices that are present
//   // bp.instances/draft-1; `instance` is below the number of instances:
//   static bp_instance_t describe_instance(std::uint32_t instance);
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backplane/backplane.h"
#include "backplane/ext/draft/instances.h"
#include "call.h"
#include "device.h"
#include "options.h"

namespace bp::plugin {

template <class Device>
class SingleDevice {
  using Frame = DeviceFrame<Device>;

  static std::uint32_t count(const bp_device_factory_t *) { return 1; }
  static const bp_device_desc_t *get_desc(const bp_device_factory_t *, std::uint32_t index) {
    return index == 0 ? &Frame::description : nullptr;
  }
  static std::uint32_t instances_of(std::string_view id) {
    std::uint32_t there = 1;
    if constexpr (requires { Device::instances; }) {
      there = Device::instances;
    }
    return id == Device::description.id ? there : 0;
  }
  static bp_status probe(const bp_device_factory_t *, const char *id, std::uint32_t *instances, const bp_diag_t *) {
    *instances = instances_of(id);
    return BP_OK;
  }
  static bp_status describe(const bp_device_factory_t *, const char *id, std::uint32_t instance,
                            const bp_instance_receiver_t *receiver, const bp_diag_t *diag) {
    if (instance >= instances_of(id)) {
      return fail(diag, BP_INVALID,
                  "there is no instance " + std::to_string(instance) + " of " + id + ", expected one below " +
                      std::to_string(instances_of(id)));
    }
    return guarded(diag, prefix_of<Device>(), [&]() -> Status {
      const bp_instance_t described = Device::describe_instance(instance);
      receiver->tell(receiver, &described);
      return {};
    });
  }
  static bp_status set_option(Device &device, const bp_option_t &option, const bp_diag_t *diag) {
    if constexpr (requires { device.set_option(option.key, option.value); }) {
      for (std::uint64_t i = 0; i < Device::description.option_count; ++i) {
        const bp_option_desc_t &known = Device::description.options[i];
        if (std::string_view(option.key) == known.key) {
          return guarded(diag, prefix_of<Device>(), [&]() -> Status {
            BP_TRY(check_choice(known, option.value));
            return device.set_option(option.key, option.value);
          });
        }
      }
    }
    return fail(diag, BP_INVALID, std::string(Device::description.id) + " has no option " + option.key);
  }
  static const bp_device_t *create(const bp_device_factory_t *, const bp_host_t *host, const char *id,
                                   std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                   const bp_diag_t *diag) {
    std::unique_ptr<Frame> frame;
    const bp_status status = guarded(diag, [&] {
      if (std::string_view(id) != Device::description.id) {
        return fail(diag, BP_INVALID, std::string("there is no device ") + id + ", expected " + Device::description.id);
      }
      frame = std::make_unique<Frame>(host);
      if constexpr (requires { frame->device().instance = instance; }) {
        frame->device().instance = instance;
      }
      bp_status status = BP_OK;
      for (std::uint32_t i = 0; i < option_count && status == BP_OK; ++i) {
        status = set_option(frame->device(), options[i], diag);
      }
      return status;
    });
    return status == BP_OK ? frame.release()->abi() : nullptr;
  }

  static bp_status init(const char *, const bp_diag_t *) { return BP_OK; }
  static void deinit() {}
  static const void *get_factory(const char *id) {
    if constexpr (requires { Device::describe_instance(0); }) {
      static constexpr bp_instances_t instances = {describe};
      if (std::string_view(id) == BP_INSTANCES) {
        return &instances;
      }
    }
    return std::string_view(id) == BP_DEVICE_FACTORY ? &factory : nullptr;
  }

  static constexpr bp_device_factory_t factory = {count, get_desc, probe, create};

 public:
  static constexpr bp_plugin_entry_t entry = {BP_VERSION_INIT, init, deinit, get_factory};
};

}  // namespace bp::plugin
