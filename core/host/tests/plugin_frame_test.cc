// Exceptions of a plugin's class do not leave the frame of the plugin, and are shown.
#include <catch2/catch.hpp>

#include <stdexcept>

#include "core/host/diagnostics.h"
#include "core/host/host_services.h"
#include "plugin_api/cpp/single_device.h"

namespace bp::host {
namespace {

struct ThrowingProgram {
  bp_program_t abi{};
  static plugin::Status run(const bp_run_t &) { return {}; }
  ~ThrowingProgram() noexcept(false) { throw std::runtime_error("the program is in use"); }
};

// Throws from all functions that have no way to report.
struct ThrowingDevice {
  static constexpr bp_device_desc_t description = {
      BP_VERSION_INIT, 1, "org.example.throwing", "Throwing", nullptr, "1", nullptr, nullptr, nullptr, 0};
  static constexpr std::string_view message_prefix = "throwing: ";
  bp_space_t space{};

  ~ThrowingDevice() noexcept(false) { throw std::runtime_error("the device is in use"); }
  static plugin::Result<std::string> init() { return "none"; }
  std::span<const bp_space_t> spaces() const { return {&space, 1}; }
  static plugin::Result<bp_memory_t> alloc(std::uint32_t, std::uint64_t, std::uint32_t) { return bp_memory_t{}; }
  static void release(std::uint64_t) { throw std::runtime_error("the memory is in use"); }
  static plugin::Status copy(bp_loc_t, bp_loc_t, std::uint64_t) { return {}; }
  static plugin::Status claim(const bp_module_t *, plugin::Claims &) { return {}; }
  static plugin::Result<std::string> compile(const bp_module_t *) { return ""; }
  static plugin::Result<std::unique_ptr<ThrowingProgram>> load(std::span<const char>, std::uint32_t) {
    return std::make_unique<ThrowingProgram>();
  }
  static const void *extension(std::string_view) { throw std::runtime_error("no extensions"); }
};

}  // namespace

TEST_CASE("exceptions of functions that cannot report are logged") {
  std::vector<std::string> logged;
  HostOptions options;
  options.log = [&](std::uint32_t severity, std::string_view message) {
    CHECK(severity == BP_LOG_ERROR);
    logged.emplace_back(message);
  };
  HostServices services(std::move(options));
  const bp_device_t *device = (new plugin::DeviceFrame<ThrowingDevice>(services.abi()))->abi();
  Diagnostics diagnostics;
  REQUIRE(device->init(device, diagnostics.abi()) == BP_OK);
  CHECK(device->get_extension(device, "acme.own/1") == nullptr);
  const auto *compiler = static_cast<const bp_device_compiler_t *>(device->get_extension(device, BP_EXT_COMPILER));
  const auto *memory = static_cast<const bp_device_memory_t *>(device->get_extension(device, BP_EXT_MEMORY));
  const bp_program_t *program = nullptr;
  REQUIRE(compiler->load(device, "", 0, nullptr, nullptr, 0, &program, diagnostics.abi()) == BP_OK);
  program->destroy(program);
  memory->release(device, 1);
  device->destroy(device);
  CHECK(logged == std::vector<std::string>{"throwing: device.get_extension threw an exception: no extensions",
                                           "throwing: program.destroy threw an exception: the program is in use",
                                           "throwing: memory.release threw an exception: the memory is in use",
                                           "throwing: device.destroy threw an exception: the device is in use"});
}

}  // namespace bp::host
