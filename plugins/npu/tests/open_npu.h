// Functions with which tests open and use the NPU backend that was built together with them.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/backplane.h"
#include "core/host/instances.h"
#include "core/text/parser.h"

namespace bp::npu::tests {

inline Backend open_npu(std::vector<std::pair<std::string, std::string>> settings = {}) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  BackendOptions options;
  options.settings = std::move(settings);
  auto backend = Backend::load((folder / "plugins/npu/libbackplane_npu.so").string(), options);
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  return std::move(backend).value();
}

// Bytes of its memory that nobody has, by its own account.
inline std::uint64_t free_bytes(const Backend &backend) {
  const auto facts = host::facts_of(*backend.device());
  REQUIRE(facts.ok());
  for (const host::Fact &fact : *facts) {
    if (fact.name == "memory.free") {
      return std::get<std::uint64_t>(fact.value);
    }
  }
  FAIL("the device does not tell memory.free");
  return 0;
}

inline Module parse(std::string_view text) {
  auto module = text::parse_module(text);
  INFO((module.ok() ? "" : module.error().to_string()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

// Compiles a module with nothing left to the host.
inline Compiled compile_whole(const Backend &backend, const Module &module) {
  CompileOptions options;
  options.device_only = !backend.is_interpreter();
  options.verify = true;
  options.fold_constants = false;
  auto compiled = backend.compile(module, options);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  return std::move(compiled).value();
}

inline Literal run(const Backend &backend, const Module &module, const std::vector<Literal> &arguments) {
  const Compiled compiled = compile_whole(backend, module);
  auto result = compiled.executable.run(arguments);
  INFO((result.ok() ? "" : result.error().to_string()));
  REQUIRE(result.ok());
  return std::move(result).value();
}

}  // namespace bp::npu::tests
