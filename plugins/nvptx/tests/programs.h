// What the tests of this backend share: how it is opened, and programs for it. `withdrawn`: services of the host.
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

// On the device alone, and nothing computed by the compiler.
inline CompileOptions whole() {
  CompileOptions options;
  options.device_only = options.verify = true;
  options.fold_constants = false;
  return options;
}

// Runs it with random arguments, on the emulator, which looks for races unless a sanitizer makes that far too slow, and on
// the interpreter.
inline void check_on_emulator(std::string_view text, double tolerance = 0, Settings settings = {}) {
  const Module module = text::parse_module(text).value();
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
  settings.insert(settings.end(), {{"emulate", "1"}, {"races", BP_SANITIZES_MEMORY == 1 ? "0" : "1"}});
  auto compiled = open(std::move(settings)).compile(module, whole());
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  const auto result = compiled->executable.run(arguments);
  REQUIRE(result.ok());
  const Literal expected = interpreter::interpret(module, arguments).value();
  const auto comparisons = interpreter::compare(*result, expected);
  REQUIRE(comparisons.ok());
  for (const interpreter::Comparison &comparison : *comparisons) {
    INFO(interpreter::to_string(comparison));
    CHECK((comparison.identical || comparison.agrees(tolerance)));
  }
}

// What the backend writes with these settings, which say emit=...
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

// Of a regular expression.
inline std::size_t count(const std::string &text, const std::string &pattern) {
  const std::regex expression(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

inline constexpr const char *targets[] = {"sm_75", "sm_80", "sm_90", "sm_90a"};

// So many that their code is made in parts.
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

// Something of every kind of kernel.
inline const char *const kinds = R"(HloModule kinds
  add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
  less { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = pred[] compare(p, q), direction=LT }
  first { p = f32[] parameter(0)  q = f32[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)
    ROOT r = pred[] compare(p, q), direction=LT, type=TOTALORDER }
  ENTRY main {
    x = f32[64,96] parameter(0)
    y = f32[96,64] parameter(1)
    z = bf16[64,96] parameter(2)
    i = s32[8,1] parameter(3)
    v = f32[32,48] parameter(4)
    zero = f32[] constant(0)
    e = f32[64,96] exponential(x)
    t = f32[96,64] transpose(x), dimensions={1,0}
    rows = f32[64] reduce(x, zero), dimensions={1}, to_apply=add
    columns = f32[96] reduce(x, zero), dimensions={0}, to_apply=add
    product = f32[64,64] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    c = bf16[128,96] concatenate(z, z), dimensions={0}
    g = f32[8,96] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,96}
    w = f32[64,96] scatter(x, i, g), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    s = f32[64,96] sort(x), dimensions={1}, to_apply=less
    p = f32[64,96] select-and-scatter(x, v, zero), window={size=3x3 stride=2x2 pad=0_1x0_1}, select=less, scatter=add
    a = f32[64,96] reduce-window(x, zero), window={size=1x96 pad=0_0x95_0}, to_apply=add
    flat = f32[6144] reshape(x)
    places = s32[6144] iota(), iota_dimension=0
    long = (f32[6144], s32[6144]) sort(flat, places), dimensions={0}, to_apply=first
    l = s32[6144] get-tuple-element(long), index=1
    ROOT r = (f32[64,96], f32[96,64], f32[64], f32[96], f32[64,64], bf16[128,96], f32[8,96], f32[64,96], f32[64,96], f32[64,96], f32[64,96], s32[6144])
      tuple(e, t, rows, columns, product, c, g, w, s, p, a, l)
  })";

}  // namespace bp::nvptx::tests
