// The backend on the driver for tests.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backplane.h"
#include "plugins/nvptx/tests/driver/test_driver.h"
#include "plugins/nvptx/tests/programs.h"

namespace bp::nvptx::tests {

inline std::string beside_the_test(const char *file) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins/nvptx" / file).string();
}

// The driver for tests, from test_driver_begin() to test_driver_end().
class TestDriver {
 public:
  explicit TestDriver(const std::string &settings = "") : library_(dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(library_ != nullptr);
    function<void (*)(const char *)>("test_driver_begin")(settings.c_str());
  }
  ~TestDriver() { dlclose(library_); }
  TestDriver(const TestDriver &) = delete;
  TestDriver &operator=(const TestDriver &) = delete;

  static std::string path() { return beside_the_test("libtest_driver.so"); }
  // The problems that it found. No device of the plugin may be alive.
  std::string problems() const { return function<const char *(*)()>("test_driver_end")(); }
  // How often each function was called.
  std::vector<std::pair<std::string, int>> calls() const {
    std::istringstream lines(function<const char *(*)()>("test_driver_calls")());
    std::vector<std::pair<std::string, int>> calls;
    std::string name;
    for (int count = 0; lines >> name >> count;) {
      calls.emplace_back(name, count);
    }
    return calls;
  }
  int calls_of(const std::string &name) const {
    const auto all = calls();
    const auto found = std::ranges::find(all, name, &std::pair<std::string, int>::first);
    return found == all.end() ? 0 : found->second;
  }

 private:
  template <class Function>
  Function function(const char *name) const {
    const auto found = reinterpret_cast<Function>(dlsym(library_, name));
    REQUIRE(found != nullptr);
    return found;
  }

  void *library_;
};

// warnings: where they go, one line each, if anywhere. It outlives the backend.
inline Result<Backend> open_with_driver(Settings settings = {}, const std::string &driver = TestDriver::path(),
                                        std::string *warnings = nullptr) {
  BackendOptions options;
  options.settings = std::move(settings);
  options.settings.emplace_back("driver", driver);
  if (warnings != nullptr) {
    options.log = [warnings](std::uint32_t, std::string_view message) { *warnings += std::string(message) + "\n"; };
  }
  return Backend::load(beside_the_test("libbackplane_nvptx.so"), options);
}

inline bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace bp::nvptx::tests
