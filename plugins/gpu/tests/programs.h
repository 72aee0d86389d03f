// Programs for the tests of GPU backends.
#pragma once

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

#include "core/backplane.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"

namespace bp::gpu::tests {

// On the device alone, and nothing computed by the compiler.
inline CompileOptions whole() {
  CompileOptions options;
  options.device_only = options.verify = true;
  options.fold_constants = false;
  return options;
}

// Runs a program with random arguments, on the backend and on the interpreter.
inline void check_on(const Backend &backend, std::string_view text, double tolerance = 0) {
  const Module module = text::parse_module(text).value();
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
  auto compiled = backend.compile(module, whole());
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  const auto result = compiled->executable.run(arguments);
  INFO((result.ok() ? "" : result.error().to_string()));
  REQUIRE(result.ok());
  const Literal expected = interpreter::interpret(module, arguments).value();
  const auto comparisons = interpreter::compare(*result, expected);
  REQUIRE(comparisons.ok());
  for (const interpreter::Comparison &comparison : *comparisons) {
    INFO(interpreter::to_string(comparison));
    CHECK((comparison.identical || comparison.agrees(tolerance)));
  }
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

}  // namespace bp::gpu::tests
