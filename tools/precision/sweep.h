// Runs a function on a backend for many arguments and compares each result with the correctly rounded one.
//
// The reference in double decides alone unless moving it by its error bound changes what it rounds to: those few
// arguments are then decided in a hundred digits, as is whatever is worse than all before it.
#pragma once

#include <functional>
#include <vector>

#include "core/backplane.h"
#include "tools/precision/functions.h"

namespace bp::precision {

// An argument, or two, as the bits of their type.
struct Input {
  std::uint64_t x = 0, y = 0;
  bool operator==(const Input &) const = default;
};

// A result that is not the correctly rounded one; bits of the result's type.
struct Deviation {
  Input input;
  std::uint64_t found = 0, expected = 0;
};

struct Statistics {
  std::uint64_t inputs = 0;
  std::uint64_t rounded_wrongly = 0;
  std::uint64_t in_many_digits = 0;  // decided so
  // Where neither is special: how many values of the type lie between the two, at most; and the first places of it.
  std::int64_t max_ulps = 0;
  std::vector<Deviation> worst;
  // NaN, infinity or the sign of a zero, in one and not in the other; and the first places of it.
  std::uint64_t nan = 0, infinity = 0, zero_sign = 0;
  std::vector<Deviation> special;

  void add(const Statistics &other);
  bool keeps(int budget) const { return max_ulps <= budget && special.empty(); }
};

// Which arguments: those listed, or each `stride`th of all bits of the type. Of two arguments these are drawn at random,
// half of them from numbers of ordinary size, `pairs` of them.
struct Arguments {
  std::uint64_t count = 0, stride = 1;
  std::vector<Input> listed;

  static Arguments every(ir::ElementType type, std::uint64_t stride);
  static Arguments random(std::uint64_t count) { return {count, 1, {}}; }
  static Arguments list(std::vector<Input> inputs) {
    const std::uint64_t count = inputs.size();
    return {count, 1, std::move(inputs)};
  }
};

struct Options {
  unsigned threads = 1;
  bool expands_functions = false;                                       // see expand_functions()
  std::int64_t block = std::int64_t{1} << 16;                           // arguments of one run
  std::function<void(std::uint64_t done, std::uint64_t total)> report;  // by the calling thread, now and then
};

// `from` and `to` are the same float, but not f64; or f16 or bf16 and another float; or f32 and any real number.
Result<Statistics> sweep(const Backend &backend, const Function &function, ir::ElementType from, ir::ElementType to,
                         const Arguments &arguments, const Options &options);

// The value with these bits: "0.1", "-inf".
std::string format_value(ir::ElementType type, std::uint64_t bits);

// Whether the references in double are as good as promised, at an argument that both can compute: their relative
// distance. Nothing where the result is special, zero or below the least f32.
std::optional<double> reference_distance(const Function &function, double x, double y);

}  // namespace bp::precision
