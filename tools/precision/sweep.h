// Runs a function on a backend for many arguments and compares each result with the correctly rounded one.
//
// The reference in double is used alone unless adding or subtracting its error bound changes the rounded result. The
// few arguments for which it does are decided with a hundred digits, and so is every result that is worse than all
// before.
#pragma once

#include <functional>
#include <vector>

#include "core/backplane.h"
#include "tools/precision/functions.h"

namespace bp::precision {

// One or two arguments, as the bits of their type.
struct Input {
  std::uint64_t x = 0, y = 0;
  bool operator==(const Input &) const = default;
};

// A result that differs from the correctly rounded one; bits of the result's type.
struct Deviation {
  Input input;
  std::uint64_t found = 0, expected = 0;
};

struct Statistics {
  std::uint64_t inputs = 0;
  std::uint64_t rounded_wrongly = 0;
  std::uint64_t in_many_digits = 0;  // number of results decided with a hundred digits
  // Where neither result is special: the largest distance in representable values of the type, and the first arguments
  // with it.
  std::int64_t max_ulps = 0;
  std::vector<Deviation> worst;
  // Counts of results where only one of the two is a NaN or an infinity, or where the signs of zeros differ; and the
  // first of these.
  std::uint64_t nan = 0, infinity = 0, zero_sign = 0;
  std::vector<Deviation> special;

  void add(const Statistics &other);
  bool keeps(int budget) const { return max_ulps <= budget && special.empty(); }
};

// The arguments of a sweep: those listed, or every `stride`th bit pattern of the type. Pairs of arguments are drawn at
// random, half of them from numbers of ordinary size.
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
  std::int64_t block = std::int64_t{1} << 16;                           // arguments per run
  std::function<void(std::uint64_t done, std::uint64_t total)> report;  // called by the calling thread, now and then
};

// `from` and `to` are the same float type other than f64; or f16 or bf16 and another float type; or f32 and any real
// type.
Result<Statistics> sweep(const Backend &backend, const Function &function, ir::ElementType from, ir::ElementType to,
                         const Arguments &arguments, const Options &options);

// Formats the value with these bits: "0.1", "-inf".
std::string format_value(ir::ElementType type, std::uint64_t bits);

// Returns the relative distance of the reference in double from the one with a hundred digits, at an argument that both
// can compute: to verify the error bound. Nothing where the result is special, zero or below the smallest f32.
std::optional<double> reference_distance(const Function &function, double x, double y);

}  // namespace bp::precision
