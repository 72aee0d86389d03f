// Instances: which of several equal devices a name means. "npu:1" is the one with this number, "npu:SIM-0002" the one
// with this identity (bp.instances/draft-1), which stays the same when other devices are added or removed. "npu" alone
// is instance 0. And facts: what a device tells about itself (bp.device-info/draft-1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/host/plugin.h"

namespace bp::host {

// A name or path of a backend, divided at the first ':' after the last '/'.
struct InstanceName {
  std::string_view backend;
  std::string_view instance;  // a number or an identity; empty: none was given
};
// InvalidInput if nothing follows the ':'.
Result<InstanceName> split_instance(std::string_view name);

// Returns the devices of a kind that are present, by number. PluginFailure if the plugin names one in a way that
// nobody could use. May access hardware. [control]
Result<std::vector<Instance>> list_instances(const Plugin &plugin, const std::string &id);

// Returns the number of the instance that a name means. NotFound, with the instances that exist, if there is none.
// [control]
Result<std::uint32_t> find_instance(const Plugin &plugin, const std::string &id, const InstanceName &name);

// A standard fact of ext/draft/device_info.h about a device, or one of the vendor's own, whose name begins with '.'.
struct Fact {
  std::string name, unit;  // unit: empty if there is none
  std::variant<std::uint64_t, double, std::string> value;
  std::uint32_t space;  // memory space that it is about, or BP_NONE
};
// Returns what the device tells now; empty if it tells nothing. May access hardware.
Result<std::vector<Fact>> facts_of(const Device &device);

}  // namespace bp::host
