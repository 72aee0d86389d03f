// Functions that the tests of this backend share, and programs. `withdrawn`: services that the host does not offer.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backplane.h"
#include "core/base/sanitizers.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"
#include "plugins/gpu/tests/programs.h"

namespace bp::nvptx::tests {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline Result<Backend> try_open(Settings settings, const std::set<std::string, std::less<>> &withdrawn = {}) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  BackendOptions options;
  options.settings = std::move(settings);
  options.withdrawn_services = withdrawn;
  return Backend::load((folder / "plugins/nvptx/libbackplane_nvptx.so").string(), options);
}

inline Backend open(Settings settings, const std::set<std::string, std::less<>> &withdrawn = {}) {
  auto backend = try_open(std::move(settings), withdrawn);
  INFO((backend.ok() ? "" : backend.error().to_string()));
  REQUIRE(backend.ok());
  return std::move(backend).value();
}

using gpu::tests::kinds, gpu::tests::whole;

// Runs a program with random arguments on the emulator, which looks for races unless a sanitizer makes that far too
// slow, and on the interpreter.
inline void check_on_emulator(std::string_view text, double tolerance = 0, Settings settings = {}) {
  settings.insert(settings.end(), {{"emulate", "1"}, {"races", BP_SANITIZES_MEMORY == 1 ? "0" : "1"}});
  gpu::tests::check_on(open(std::move(settings)), text, tolerance);
}

// The text that the backend writes with these settings, which contain emit=...
inline std::string text_from(Module module, Settings settings,
                             const std::set<std::string, std::less<>> &withdrawn = {}) {
  const auto artifact = open(std::move(settings), withdrawn).make_artifact(std::move(module), whole());
  INFO((artifact.ok() ? "" : artifact.error().to_string()));
  REQUIRE(artifact.ok());
  return {reinterpret_cast<const char *>(artifact->bytes.data()), artifact->bytes.size()};
}
inline std::string ptx_of(Module module, const std::string &target,
                          const std::set<std::string, std::less<>> &withdrawn = {}, Settings settings = {}) {
  settings.insert(settings.end(), {{"target", target}, {"emit", "ptx"}});
  return text_from(std::move(module), std::move(settings), withdrawn);
}
inline std::string plan_of(std::string_view text) {
  return text_from(text::parse_module(text).value(), {{"emit", "plan"}});
}

// The number of matches of a regular expression.
inline std::size_t count(const std::string &text, const std::string &pattern) {
  const std::regex expression(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

inline constexpr const char *targets[] = {"sm_75", "sm_80", "sm_90", "sm_90a"};

// A program of so many kernels that their code is made in parts.
inline std::string many_kernels() {
  std::string text = "HloModule many ENTRY main {", shapes, values;
  for (int i = 0; i < 80; ++i) {
    const std::string number = std::to_string(i), shape = "f32[" + std::to_string(i + 5) + ",3]";
    text += " x" + number + " = " + shape + " parameter(" + number + ")";
    text += " s" + number + " = " + shape + " sine(x" + number + ")";
    shapes += (i == 0 ? "" : ", ") + shape;
    values += (i == 0 ? "s" : ", s") + number;
  }
  return text + " ROOT r = (" + shapes + ") tuple(" + values + ") }";
}

}  // namespace bp::nvptx::tests
