#include "conformance/suite/program_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "conformance/suite/accuracy.h"
#include "conformance/suite/sum_bound.h"
#include "conformance/suite/values.h"
#include "core/debugging/difference.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/wide.h"
#include "core/ir/result_accuracy.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

using ir::Literal;

interpreter::Options limits() {
  interpreter::Options options;
  options.max_steps = 1'000'000;
  options.max_seconds = 20;
  options.max_value_bytes = std::int64_t{1} << 30;
  options.threads = 1;
  return options;
}

template <class T>
inline constexpr bool is_inexact = !std::is_integral_v<interpreter::WideType<T>>;

template <class Visit>
void visit_arrays(Literal &value, Visit &&visit) {
  if (value.shape().is_tuple()) {
    std::vector<Literal> elements(value.tuple_elements().begin(), value.tuple_elements().end());
    for (Literal &element : elements) {
      visit_arrays(element, visit);
    }
    value = Literal::tuple(std::move(elements));
  } else if (value.shape().is_array()) {
    ir::visit_element_type(value.shape().element_type(), [&]<class T>() {
      if constexpr (is_inexact<T>) {
        visit(value, T());
      }
    });
  }
}

template <class T>
bool is_nan(const T &x) {
  if constexpr (interpreter::is_complex_number<T>) {
    return is_nan(x.real()) || is_nan(x.imag());
  } else {
    return std::isnan(static_cast<double>(x));
  }
}

// The bits of a NaN result are unspecified.
void give_other_nans(Literal &value, std::uint64_t seed) {
  visit_arrays(value, [&]<class T>(Literal &array, T) {
    if (std::ranges::none_of(array.elements<T>(), is_nan<T>)) {
      return;
    }
    const auto elements = array.mutable_elements<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if constexpr (!interpreter::is_complex_number<T>) {
        if (is_nan(elements[i])) {
          constexpr double nan = std::numeric_limits<double>::quiet_NaN();
          elements[i] = T((seed + i) % 2 == 0 ? nan : -nan);
        }
      }
    }
  });
}

// Whether a complex operand lies where functions have branch cuts or poles, or where one of its parts is lost to
// rounding.
bool is_on_a_cut(std::span<const Literal> operands) {
  bool found = false;
  for (const Literal &operand : operands) {
    Literal copy = operand;
    visit_arrays(copy, [&]<class T>(const Literal &array, T) {
      if constexpr (interpreter::is_complex_number<T>) {
        const auto is_special = [](auto part) {
          constexpr double most = 30;
          return !(std::fabs(std::log2(std::fabs(static_cast<double>(part)))) < most) || part == std::round(part);
        };
        for (const T &x : array.elements<T>()) {
          found = found || is_special(x.real()) || is_special(x.imag());
        }
      }
    });
  }
  return found;
}

// Replaces the values by something unexpected that differs from seed to seed.
void give_anything(Literal &value, std::uint64_t seed) {
  visit_arrays(value, [&]<class T>(Literal &array, T) {
    for (T &x : array.mutable_elements<T>()) {
      x = seed % 2 == 0 ? T(std::numeric_limits<float>::quiet_NaN()) : T(0.0f);
    }
  });
}

// Returns a possible result of an operation with errors as large as the table allows.
Literal with_error(const ir::Instruction &instruction, std::span<const Literal> operands, Literal result,
                   std::uint64_t seed) {
  const Accuracy accuracy = ir::accuracy_of(instruction);
  if (accuracy.closeness == Closeness::Bits) {
    return result;
  }
  const bool adds_up = accuracy.closeness == Closeness::Sum || accuracy.closeness == Closeness::Norm;
  if ((adds_up && is_order_everything(instruction, operands)) ||
      (accuracy.closeness == Closeness::Ulp && is_on_a_cut(operands))) {
    give_anything(result, seed);
  } else if (accuracy.closeness != Closeness::Exact) {
    SumBound bound{.terms = max_elements(operands), .are_in_result = adds_in_result(instruction.opcode())};
    if (accuracy.closeness == Closeness::Sum) {
      auto sums =
          interpreter::evaluate_instruction(instruction, absolute({operands.begin(), operands.end()}), limits());
      if (sums.ok()) {
        bound.sums = std::move(sums).value();
      }
    }
    const bool has_type = !operands.empty() && operands[0].shape().is_array();
    const ir::Shape &shape = has_type ? operands[0].shape() : result.shape();
    const ir::ElementType type = shape.is_array() ? shape.element_type() : ir::ElementType::F32;
    result = move_as_allowed(std::move(result), accuracy, type, bound, seed);
  }
  give_other_nans(result, seed);
  return result;
}

// Runs the program with such errors. The seed determines their signs.
Result<Literal> run_with_errors(const ir::Module &module, const std::vector<Literal> &arguments, std::uint64_t seed) {
  interpreter::Options options = limits();
  options.rng_seed = seed;
  std::uint64_t step = 0;
  options.on_result = [&](const ir::Instruction &instruction, std::span<const Literal> operands,
                          Literal result) -> Result<Literal> {
    return with_error(instruction, operands, std::move(result), seed + 1000 * ++step);
  };
  return interpreter::interpret(module, arguments, options);
}

const Literal &part(const Literal &literal, std::span<const std::int64_t> output) {
  return output.empty() ? literal
                        : part(literal.tuple_elements()[static_cast<std::size_t>(output[0])], output.subspan(1));
}

// The largest change of an output when all intermediate results are moved.
struct Spread {
  double most = 0;         // largest movement of an element
  bool is_unsure = false;  // it changes in a way that has no distance: an integer, an infinity or a NaN
};

template <class T>
double distance(const T &x, const T &y) {
  return static_cast<double>(
      std::abs(interpreter::widen<interpreter::SumType<T>>(x) - interpreter::widen<interpreter::SumType<T>>(y)));
}

// By output: one. By element: one for each.
using Spreads = std::vector<Spread>;

template <class T>
void widen_spreads(std::span<const T> expected, std::span<const T> moved, Spreads &spreads) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Spread &spread = spreads[i % spreads.size()];
    if (std::memcmp(&expected[i], &moved[i], sizeof(T)) == 0) {
      continue;
    }
    if constexpr (is_inexact<T>) {
      if (is_nan(expected[i]) && is_nan(moved[i])) {
        continue;
      }
      const double apart = distance(expected[i], moved[i]);
      spread.is_unsure = spread.is_unsure || !std::isfinite(apart);
      spread.most = std::max(spread.most, apart);
    } else {
      spread.is_unsure = true;
    }
  }
}

template <class T>
bool is_near(const T &found, const T &expected, const Spread &spread) {
  if (std::memcmp(&found, &expected, sizeof(T)) == 0) {
    return true;
  }
  if constexpr (is_inexact<T>) {
    // The errors of moved results may cancel where those of a device add up.
    constexpr double factor = 4;
    return (is_nan(found) && is_nan(expected)) || distance(found, expected) <= factor * spread.most;
  } else {
    return false;
  }
}

template <class T>
std::string text_of(ir::ElementType type, const T &value) {
  return text::print(Literal::scalar<T>(type, value));
}

// Compares one array. Elements beyond the sizes of a dynamic array are undefined.
template <class T>
std::string compare_output(const Literal &found, const Literal &expected, const Spreads &spreads) {
  const auto x = found.elements<T>(), y = expected.elements<T>();
  const ir::Shape &shape = expected.shape();
  const auto exists = [&](const std::vector<std::int64_t> &index) {
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (index[d] >= expected.dynamic_size(d)) {
        return false;
      }
    }
    return true;
  };
  std::int64_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Spread &spread = spreads[i % spreads.size()];
    if (spread.is_unsure || is_near(x[i], y[i], spread)) {
      continue;
    }
    const auto index = interpreter::index_of(shape, static_cast<std::int64_t>(i));
    if (exists(index) && wrong++ == 0) {
      first = fmt::format("[{}] is {}, expected {}", fmt::join(index, ","), text_of(shape.element_type(), x[i]),
                          text_of(shape.element_type(), y[i]));
      first += spread.most > 0 ? fmt::format(" (allowed errors move it by {:.3g})", spread.most) : "";
    }
  }
  return wrong == 0 ? "" : fmt::format("{} of {} elements are wrong; {}", wrong, y.size(), first);
}

std::string find_mismatch_within(const Literal &found, const Literal &expected, const std::vector<Literal> &moved,
                                 ProgramJudge::Unit unit, std::vector<std::int64_t> &output) {
  if (expected.shape().is_tuple()) {
    std::string mismatch;
    for (std::size_t i = 0; i < expected.tuple_elements().size() && mismatch.empty(); ++i) {
      output.push_back(static_cast<std::int64_t>(i));
      mismatch = find_mismatch_within(found.tuple_elements()[i], expected.tuple_elements()[i], moved, unit, output);
      output.pop_back();
    }
    return mismatch;
  }
  if (!expected.shape().is_array()) {
    return "";
  }
  return ir::visit_element_type(expected.shape().element_type(), [&]<class T>() -> std::string {
    const auto count = static_cast<std::size_t>(expected.shape().element_count());
    Spreads spreads(unit == ProgramJudge::Unit::Element ? std::max<std::size_t>(count, 1) : 1);
    for (const Literal &one : moved) {
      widen_spreads(expected.elements<T>(), part(one, output).elements<T>(), spreads);
    }
    const std::string mismatch = compare_output<T>(found, expected, spreads);
    return mismatch.empty() || output.empty() ? mismatch
                                              : fmt::format("output {{{}}}: {}", fmt::join(output, ","), mismatch);
  });
}

}  // namespace

Result<ProgramJudge> ProgramJudge::make(ir::Module module, std::vector<Literal> arguments) {
  BP_ASSIGN(Literal expected, interpreter::interpret(module, arguments, limits()));
  return ProgramJudge(std::move(module), std::move(arguments), std::move(expected));
}

Result<std::string> ProgramJudge::find_mismatch(const Literal &found, Unit unit) const {
  if (!ir::same(found.shape(), expected_.shape(), ir::CompareLayout::No)) {
    return fmt::format("the result has shape {}, expected {}", ir::to_string(found.shape(), ir::PrintLayout::Never),
                       ir::to_string(expected_.shape(), ir::PrintLayout::Never));
  }
  if (!debugging::find_difference(expected_, found, {})) {
    return std::string();
  }
  // A few runs decide most cases. Otherwise many runs show which other results are possible.
  constexpr std::size_t few = 3, many = 30;
  std::vector<Literal> moved;
  std::string mismatch;
  for (const std::size_t runs : {few, many}) {
    while (moved.size() < runs) {
      BP_ASSIGN(Literal result, run_with_errors(module_, arguments_, moved.size() + 1));
      moved.push_back(std::move(result));
    }
    std::vector<std::int64_t> output;
    mismatch = find_mismatch_within(found, expected_, moved, unit, output);
    if (mismatch.empty()) {
      break;
    }
  }
  return mismatch;
}

}  // namespace bp::conformance
