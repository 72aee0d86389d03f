// Opens the CPU backend that was built together with the test.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/host/plugin.h"

namespace bp::cpu::tests {

using Device = std::shared_ptr<const host::Device>;

inline Result<Device> open_cpu(std::vector<std::pair<std::string, std::string>> settings, host::AfterUse after_use) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  BP_ASSIGN(const host::Candidate found, host::find_plugin((folder / "plugins/cpu/libbackplane_cpu.so").string(), {}));
  BP_ASSIGN(std::shared_ptr<const host::Plugin> plugin, host::Plugin::load(found, after_use));
  host::DeviceOptions options;
  options.settings = std::move(settings);
  BP_ASSIGN(Device device, host::Device::create(std::move(plugin), "dev.backplane.cpu", std::move(options)));
  return device;
}

}  // namespace bp::cpu::tests
