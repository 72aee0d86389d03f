#include "tools/precision/wide_sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/text/parser.h"
#include "tools/precision/wide_functions.h"

namespace bp::precision {
namespace {

using ir::ElementType;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

// Zeros, the ends of the ranges, and numbers where functions overflow, have branch points or reduce their argument;
// each with both signs.
constexpr double special_numbers[] = {0,
                                      0x1p-1074,
                                      0x1p-1022,
                                      0x1p-540,
                                      1e-300,
                                      1e-160,
                                      1e-30,
                                      1e-8,
                                      0.5,
                                      0x1.fffffffffffffp-1,
                                      1,
                                      0x1.0000000000001p0,
                                      1.5,
                                      2,
                                      3,
                                      1.5707963267948966,
                                      3.141592653589793,
                                      22,
                                      300,
                                      700,
                                      709.5,
                                      710.4,
                                      710.5,
                                      745.1,
                                      1e5,
                                      1e10,
                                      1e80,
                                      1e154,
                                      1.3e154,
                                      1e160,
                                      1e200,
                                      1e300,
                                      8e307,
                                      1e308,
                                      1.7976931348623157e308,
                                      inf,
                                      nan};

class Arguments64 {
 public:
  explicit Arguments64(bool is_single) : is_single_(is_single) {}

  double ordinary() { return fitted(static_cast<double>(static_cast<std::int64_t>(random_())) * 0x1p-59); }
  // Returns a number close to 1, -1 or 0.
  double near(int center) {
    const double fraction = static_cast<double>(static_cast<std::int64_t>(random_())) * 0x1p-63;
    return fitted(center + std::ldexp(fraction, -static_cast<int>(random_() % (is_single_ ? 26 : 60))));
  }
  double any() {
    for (;;) {
      const std::uint64_t bits = random_();
      const double x =
          is_single_ ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
      if (std::isfinite(x) && x != 0) {
        return x;
      }
    }
  }
  double special() { return special_at(random_()); }
  double special_at(std::size_t index) {
    const double x = special_numbers[index / 2 % std::size(special_numbers)];
    return fitted(index % 2 == 0 ? x : -x);
  }
  // Returns a number of modulus 1, except for rounding, where log|z| cancels; with the center -1, one where log|1 + z|
  // does.
  std::complex<double> on_circle(int center) {
    const std::complex<double> z = std::polar(1.0, ordinary());
    return {fitted(z.real() + center), fitted(z.imag())};
  }
  int center() { return static_cast<int>(random_() % 3) - 1; }

 private:
  double fitted(double x) const { return is_single_ ? static_cast<double>(static_cast<float>(x)) : x; }

  bool is_single_;
  std::mt19937_64 random_{11};
};

std::vector<WideInput> inputs(ElementType type, bool is_complex, bool is_binary, const WideCounts &counts) {
  Arguments64 from(type == ElementType::F32);
  std::vector<WideInput> result;
  const auto add = [&](int count, auto &&number) {
    for (int i = 0; i < count; ++i) {
      WideInput &input = result.emplace_back();
      input.x = {number(), is_complex ? number() : 0};
      input.y = is_binary ? std::complex<double>(number(), is_complex ? number() : 0) : 0;
    }
  };
  add(counts.ordinary, [&] { return from.ordinary(); });
  for (int i = 0; i < counts.near; ++i) {
    const int center = from.center();
    WideInput &input = result.emplace_back();
    input.x = {from.near(center), is_complex ? from.near(center == 0 ? 1 - 2 * (i % 2) : 0) : 0};
    input.y = is_binary ? std::complex<double>(from.near(from.center()), is_complex ? from.near(from.center()) : 0) : 0;
  }
  for (int i = 0; is_complex && i < counts.near / 2; ++i) {
    result.push_back({from.on_circle(-(i % 2)), from.on_circle(0)});
  }
  add(counts.any, [&] { return from.any(); });
  const auto all = 2 * std::size(special_numbers);
  for (std::size_t i = 0; is_complex && !is_binary && i < all * all; ++i) {
    const std::complex<double> z(from.special_at(i % all), from.special_at(i / all));
    if (!std::isfinite(z.real()) || !std::isfinite(z.imag()) || z.real() == 0 || z.imag() == 0) {
      result.push_back({z, 0});
    }
  }
  add(counts.specials, [&] { return from.special(); });
  return result;
}

template <class T>
T element(std::complex<double> z) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(z.real());
  } else {
    return static_cast<T>(z);
  }
}

template <class T>
Result<std::vector<std::complex<double>>> results(const Backend &backend, ir::Module module,
                                                  std::span<const WideInput> inputs, const WideCounts &counts) {
  if (counts.expands_functions) {
    BP_TRY(expand_functions(module));
  }
  CompileOptions options;
  options.device_only = !backend.is_interpreter();
  BP_ASSIGN(const Compiled compiled, backend.compile(std::move(module), options));
  const ir::Computation entry = compiled.executable.module().entry();
  std::vector<Literal> operands;
  for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
    BP_ASSIGN(Literal operand, Literal::zeros(entry.parameter(i).shape()));
    std::ranges::transform(inputs, operand.template mutable_elements<T>().begin(),
                           [&](const WideInput &input) { return element<T>(i == 0 ? input.x : input.y); });
    operands.push_back(std::move(operand));
  }
  BP_ASSIGN(const Literal result, compiled.executable.run(operands));
  const std::span<const T> elements = result.elements<T>();
  return std::vector<std::complex<double>>(elements.begin(), elements.end());
}

std::string program(const WideFunction &function, ElementType type, std::size_t count) {
  const std::string array = fmt::format("{}[{}]", ir::to_string(type), count);
  if (function.name == "abs") {  // its result is real
    const std::string real = fmt::format("{}[{}]", ir::to_string(ir::real_part_type(type)), count);
    return fmt::format(
        "ENTRY e {{ x = {0} parameter(0)  a = {1} abs(x)  z = {1} imag(a)  ROOT r = {0} complex(a, z) }}", array, real);
  }
  return fmt::format("ENTRY e {{ x = {0} parameter(0) {1} ROOT r = {0} {2}(x{3}) }}", array,
                     function.operands == 2 ? "y = " + array + " parameter(1)" : "", function.name,
                     function.operands == 2 ? ", y" : "");
}

std::string describe(const WideInput &input, bool is_binary, std::complex<double> found) {
  const auto number = [](std::complex<double> z) { return fmt::format("({}, {})", z.real(), z.imag()); };
  return fmt::format("{}{} gives {}", number(input.x), is_binary ? " and " + number(input.y) : "", number(found));
}

void count(WideStatistics &statistics, const Distance &distance, const std::string &text) {
  ++statistics.inputs;
  if (std::isinf(distance.part_ulps) && statistics.special.size() < 8) {
    statistics.special.push_back(text);
  }
  if (distance.part_ulps > statistics.part_ulps) {
    statistics.part_ulps = distance.part_ulps;
    statistics.worst_part = text;
  }
  if (distance.norm_ulps > statistics.norm_ulps) {
    statistics.norm_ulps = distance.norm_ulps;
    statistics.worst_norm = text;
  }
}

}  // namespace

// Functions that are exact in f64, as in other floats, have tests of their own; those of chlo are made for f32.
bool has_distance(const Function &function) {
  return !function.is_exact() && !function.name.starts_with("chlo.");
}

Result<WideStatistics> sweep_f64(const Backend &backend, const Function &function, const WideCounts &counts) {
  const bool is_binary = function.operands == 2;
  const std::vector<WideInput> tried = inputs(ElementType::F64, false, is_binary, counts);
  BP_ASSIGN(ir::Module module,
            function.module(ElementType::F64, ElementType::F64, static_cast<std::int64_t>(tried.size())));
  BP_ASSIGN(const auto found, results<double>(backend, std::move(module), tried, counts));
  WideStatistics statistics;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const double x = tried[i].x.real(), y = tried[i].y.real();
    const double near = is_binary ? function.binary(x, y) : function.unary(x);
    const double distance = distance_of_real(function.name, x, y, near, found[i].real());
    count(statistics, {distance, distance}, describe(tried[i], is_binary, found[i]));
  }
  return statistics;
}

Result<WideStatistics> sweep_complex(const Backend &backend, std::string_view name, ElementType type,
                                     const WideCounts &counts) {
  const WideFunction &function = *std::ranges::find(complex_functions(), name, &WideFunction::name);
  const bool is_binary = function.operands == 2;
  const ElementType part = ir::real_part_type(type);
  const std::vector<WideInput> tried = inputs(part, true, is_binary, counts);
  BP_ASSIGN(ir::Module module, text::parse_module(program(function, type, tried.size())));
  BP_ASSIGN(const auto found, part == ElementType::F32
                                  ? results<std::complex<float>>(backend, std::move(module), tried, counts)
                                  : results<std::complex<double>>(backend, std::move(module), tried, counts));
  WideStatistics statistics;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const std::string text = describe(tried[i], is_binary, found[i]);
    if (has_definition(function, tried[i])) {
      count(statistics, distance_of_complex(function, tried[i], found[i], part, counts.is_magnified), text);
    } else if (const auto distance = distance_of_special(function, tried[i], found[i], part)) {
      count(statistics, *distance, text);
    }
  }
  return statistics;
}

}  // namespace bp::precision
