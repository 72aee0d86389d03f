#include "tools/precision/sweep.h"

#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "tools/precision/numbers.h"

namespace bp::precision {
namespace {

using ir::ElementType;

constexpr std::size_t max_deviations = 4, run_length = 256;

// --- Expected results ---

// Returns NaN if the function cannot be evaluated with a hundred digits.
Number in_many_digits(const Function &function, double x, double y) {
  try {
    return function.exact_unary != nullptr ? function.exact_unary(Number(x)) : function.exact_binary(x, y);
  } catch (const std::exception &) {  // Boost.Math, outside of a function's domain
    return std::numeric_limits<Number>::quiet_NaN();
  }
}

// Rounds to double such that rounding again gives the same as a single rounding: of the two neighbouring doubles,
// returns the odd one.
double round_to_odd(const Number &value) {
  const auto near = value.convert_to<double>();
  if (!std::isfinite(near) || Number(near) == value || (std::bit_cast<std::uint64_t>(near) & 1) != 0) {
    return near;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(near, value > near ? infinity : -infinity);
}

// Returns the correctly rounded result; `near` is the reference's.
template <class To>
To decided(const Function &function, double x, double y, double near) {
  if (function.is_exact() || !std::isfinite(x) || !std::isfinite(y)) {
    return converted<To>(near);
  }
  const Number number = in_many_digits(function, x, y);
  return converted<To>(isfinite(number) ? round_to_odd(number) : near);
}

// --- Comparing ---

void keep(std::vector<Deviation> &deviations, const Deviation &deviation) {
  if (deviations.size() < max_deviations) {
    deviations.push_back(deviation);
  }
}

// One or two arguments, the backend's result and the reference's.
template <class To>
struct Case {
  Input input;
  double x, y;
  To found;
  double near;
};

// Compares a result that differs from the reference, or for which the reference may round incorrectly.
template <class To>
void compare(const Function &function, const Case<To> &c, Statistics &statistics) {
  To expected = converted<To>(c.near);
  bool is_certain = function.is_exact() || !std::isfinite(c.near);
  const auto decide = [&] {
    expected = decided<To>(function, c.x, c.y, c.near);
    is_certain = true;
    ++statistics.in_many_digits;
  };
  if (!is_certain &&
      bits_of(converted<To>(c.near * (1 - function.error))) != bits_of(converted<To>(c.near * (1 + function.error)))) {
    decide();
  }
  if (bits_of(c.found) == bits_of(expected)) {
    return;
  }
  const auto deviation = [&] {
    return Deviation{c.input, std::uint64_t{bits_of(c.found)}, std::uint64_t{bits_of(expected)}};
  };
  const auto special = [&](std::uint64_t &count) {
    ++count;
    keep(statistics.special, deviation());
  };
  if constexpr (is_float<To>) {
    const auto a = static_cast<double>(c.found), b = static_cast<double>(expected);
    if (std::isnan(a) || std::isnan(b)) {
      if (std::isnan(a) != std::isnan(b)) {
        special(statistics.nan);
      }
      return;
    }
    if (a == b) {
      return special(statistics.zero_sign);
    }
    if (std::isinf(a) || std::isinf(b)) {
      return special(statistics.infinity);
    }
  }
  if (!is_certain && distance(c.found, expected) > statistics.max_ulps) {
    decide();
  }
  const std::int64_t ulps = distance(c.found, expected);
  statistics.rounded_wrongly += ulps != 0;
  if (ulps > statistics.max_ulps) {
    statistics.max_ulps = ulps;
    statistics.worst.clear();
  }
  if (ulps != 0 && ulps == statistics.max_ulps) {
    keep(statistics.worst, deviation());
  }
}

// --- Arguments ---

// A hash that is used as a random number (splitmix64).
std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Returns random bits, or a random number between -16 and 16.
template <class T>
std::uint64_t random_bits(std::uint64_t seed) {
  const std::uint64_t bits = scrambled(seed);
  return (seed & 2) == 0 ? bits >> (64 - 8 * sizeof(T))
                         : bits_of(T(static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-59));
}

// Writes operand `number` of the arguments from `begin` on.
template <class T>
void fill(const Arguments &arguments, std::size_t number, bool is_random, std::uint64_t begin, std::span<T> elements) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const std::uint64_t index = begin + k;
    if (is_random) {
      elements[k] = from_bits<T>(random_bits<T>(number == 0 ? 2 * index : 2 * scrambled(index) + 1));
    } else if (!arguments.listed.empty()) {
      elements[k] = from_bits<T>(number == 0 ? arguments.listed[index].x : arguments.listed[index].y);
    } else {
      elements[k] = from_bits<T>(index * arguments.stride);
    }
  }
}

// --- Running ---

// Processes blocks in turn; each free thread takes the next one.
template <class From, class To>
class Sweep {
 public:
  Sweep(const Executable &executable, const Function &function, const Arguments &arguments, const Options &options)
      : executable_(executable), function_(function), arguments_(arguments), options_(options) {}

  Result<Statistics> run() {
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options_.threads; ++i) {
      threads.emplace_back([this] { work(false); });
    }
    work(true);
    for (std::thread &thread : threads) {
      thread.join();
    }
    BP_TRY(std::move(status_));
    return std::move(total_);
  }

 private:
  void work(bool reports) {
    Statistics statistics;
    std::vector<Literal> operands;
    const auto block = static_cast<std::uint64_t>(options_.block);
    for (;;) {
      const std::uint64_t begin = next_.fetch_add(block);
      if (begin >= arguments_.count) {
        break;
      }
      if (Status status = run_block(begin, std::min(block, arguments_.count - begin), operands, statistics);
          !status.ok()) {
        const std::lock_guard lock(mutex_);
        status_ = std::move(status);
        next_ = arguments_.count;
        break;
      }
      if (reports && options_.report) {
        options_.report(begin, arguments_.count);
      }
    }
    const std::lock_guard lock(mutex_);
    total_.add(statistics);
  }

  Status run_block(std::uint64_t begin, std::uint64_t count, std::vector<Literal> &operands, Statistics &statistics) {
    const ir::Computation entry = executable_.module().entry();
    const bool is_binary = function_.operands == 2;
    operands.resize(entry.parameter_count());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].is_valid()) {
        BP_ASSIGN(operands[i], Literal::zeros(entry.parameter(i).shape()));
      }
      fill(arguments_, i, is_binary && arguments_.listed.empty(), begin,
           operands[i].template mutable_elements<From>().first(count));
    }
    BP_ASSIGN(const Literal result, executable_.run(operands));
    const std::span<const To> found = result.elements<To>().first(count);
    const auto x = operands[0].template elements<From>(), y = operands.back().template elements<From>();
    for (std::size_t k = 0; k < count; k += run_length) {
      const std::size_t length = std::min(run_length, count - k);
      if (!is_constant(x.subspan(k, length), found.subspan(k, length))) {
        compare_run(x.subspan(k, length), y.subspan(k, length), found.subspan(k, length), statistics);
      }
    }
    statistics.inputs += count;
    return {};
  }

  // Whether all results equal the expected results at both ends of the run. If those are equal, a monotone function has
  // the same result in between.
  bool is_constant(std::span<const From> x, std::span<const To> found) const {
    const auto first = static_cast<double>(x.front()), last = static_cast<double>(x.back());
    if (!function_.is_monotone || !arguments_.listed.empty() || std::isnan(last) ||
        std::signbit(first) != std::signbit(last)) {
      return false;
    }
    const auto bits = bits_of(converted<To>(function_.unary(first)));
    return bits == bits_of(converted<To>(function_.unary(last))) &&
           std::ranges::all_of(found, [&](To result) { return bits_of(result) == bits; });
  }

  void compare_run(std::span<const From> x, std::span<const From> y, std::span<const To> found,
                   Statistics &statistics) {
    std::array<double, run_length> near_results;
    for (std::size_t k = 0; k < x.size(); ++k) {
      near_results[k] = function_.unary != nullptr
                            ? function_.unary(static_cast<double>(x[k]))
                            : function_.binary(static_cast<double>(x[k]), static_cast<double>(y[k]));
    }
    const double below = 1 - function_.error, above = 1 + function_.error;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto bits = bits_of(found[k]);
      const double near = near_results[k];
      if (bits_of(converted<To>(near * below)) != bits ||
          (above != 1 && bits_of(converted<To>(near * above)) != bits)) {
        const Input input{bits_of(x[k]), function_.operands == 2 ? bits_of(y[k]) : 0u};
        compare<To>(function_, {input, static_cast<double>(x[k]), static_cast<double>(y[k]), found[k], near},
                    statistics);
      }
    }
  }

  const Executable &executable_;
  const Function &function_;
  const Arguments &arguments_;
  const Options &options_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;  // protects the members below
  Statistics total_;
  Status status_;
};

}  // namespace

void Statistics::add(const Statistics &other) {
  inputs += other.inputs;
  rounded_wrongly += other.rounded_wrongly;
  in_many_digits += other.in_many_digits;
  nan += other.nan;
  infinity += other.infinity;
  zero_sign += other.zero_sign;
  if (other.max_ulps > max_ulps) {
    max_ulps = other.max_ulps;
    worst.clear();
  }
  if (other.max_ulps == max_ulps) {
    for (const Deviation &deviation : other.worst) {
      keep(worst, deviation);
    }
  }
  for (const Deviation &deviation : other.special) {
    keep(special, deviation);
  }
}

Arguments Arguments::every(ElementType type, std::uint64_t stride) {
  const std::uint64_t all = std::uint64_t{1} << ir::bit_width(type);
  return {(all + stride - 1) / stride, stride, {}};
}

Result<Statistics> sweep(const Backend &backend, const Function &function, ElementType from, ElementType to,
                         const Arguments &arguments, const Options &options) {
  Options own = options;
  own.block = static_cast<std::int64_t>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(options.block), std::max<std::uint64_t>(arguments.count, 1)));
  BP_ASSIGN(Module module, function.module(from, to, own.block));
  if (options.expands_functions) {
    BP_TRY(expand_functions(module));
  }
  CompileOptions compile;
  compile.device_only = !backend.is_interpreter();
  BP_ASSIGN(const Compiled compiled, backend.compile(std::move(module), compile));
  Result<Statistics> result = unsupported("{} from {} to {}", function.name, ir::to_string(from), ir::to_string(to));
  visit_real(from, [&]<class From>() {
    visit_real(to, [&]<class To>() {
      // All pairs of types would generate hundreds of copies of the code: only f32 is converted to all types, and f16
      // and bf16 to other floats.
      constexpr bool is_converted = std::is_same_v<From, float> ||
                                    (is_float<To> && (std::is_same_v<From, ir::F16> || std::is_same_v<From, ir::BF16>));
      if constexpr (is_float<From> && (std::is_same_v<From, To> || is_converted)) {
        result = Sweep<From, To>(compiled.executable, function, arguments, own).run();
      }
    });
  });
  return result;
}

std::string format_value(ElementType type, std::uint64_t bits) {
  std::string text;
  visit_real(type, [&]<class T>() {
    const T value = from_bits<T>(bits);
    if constexpr (std::is_arithmetic_v<T>) {
      text = fmt::format("{}", value);
    } else {
      text = fmt::format("{}", static_cast<float>(as_double(value)));
    }
  });
  return text;
}

std::optional<double> reference_distance(const Function &function, double x, double y) {
  const double near = function.unary != nullptr ? function.unary(x) : function.binary(x, y);
  if (function.is_exact() || !std::isfinite(x) || !std::isfinite(y) || !std::isfinite(near) ||
      std::fabs(near) < 0x1p-149) {
    return std::nullopt;
  }
  const Number number = in_many_digits(function, x, y);
  return isfinite(number) ? std::optional(Number(abs(number / near - 1)).convert_to<double>()) : std::nullopt;
}

}  // namespace bp::precision
