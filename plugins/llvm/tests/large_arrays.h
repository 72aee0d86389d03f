// Fusions with arrays of more elements than 32 bits can number. Neither a backend nor the interpreter has memory for
// such arrays, so the expected results are given here.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "core/backplane.h"
#include "core/text/parser.h"

namespace bp::emit::tests {

// Compares the result of main(), an s64[16], for one argument.
inline void check_program(const Backend &backend, std::string_view program, std::string_view type,
                          std::string_view argument, std::string_view expected) {
  const auto literal = [](std::string_view text, std::string_view shape) {
    return text::parse_literal(text, text::parse_shape(shape).value()).value();
  };
  INFO(program);
  CompileOptions options;
  options.device_only = options.verify = true;
  const auto compiled = backend.compile(text::parse_module(program).value(), options);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  CHECK(compiled->executable.run({literal(argument, type)}).value().identical(literal(expected, "s64[16]")));
}

inline void check_large_arrays(const Backend &backend) {
  check_program(backend, R"(HloModule slice
    places {
      start = s64[] parameter(0)
      all = s64[8589934592] iota(), iota_dimension=0
      ROOT r = s64[16] dynamic-slice(all, start), dynamic_slice_sizes={16}
    }
    ENTRY main {
      start = s64[] parameter(0)
      ROOT r = s64[16] fusion(start), kind=kLoop, calls=places
    })",
                "s64[]", "4294967290",
                "{4294967290, 4294967291, 4294967292, 4294967293, 4294967294, 4294967295, 4294967296, 4294967297, "
                "4294967298, 4294967299, 4294967300, 4294967301, 4294967302, 4294967303, 4294967304, 4294967305}");
  check_program(backend, R"(HloModule gather
    elements {
      places = u32[16] parameter(0)
      all = s64[8589934592] iota(), iota_dimension=0
      ROOT r = s64[16] gather(all, places), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
    }
    ENTRY main {
      places = u32[16] parameter(0)
      ROOT r = s64[16] fusion(places), kind=kLoop, calls=elements
    })",
                "u32[16]",
                "{4294967295, 0, 1, 2147483647, 2147483648, 2147483649, 3000000000, 7, 8, 9, 10, 11, 12, 13, 14, 15}",
                "{4294967295, 0, 1, 2147483647, 2147483648, 2147483649, 3000000000, 7, 8, 9, 10, 11, 12, 13, 14, 15}");
}

}  // namespace bp::emit::tests
