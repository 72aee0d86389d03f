#include "conformance/suite/sum_bound.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "conformance/check/number.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/float_spacing.h"

namespace bp::conformance {
namespace {

template <class T>
double size_of(T value) {
  if constexpr (is_complex<T>) {
    return std::abs(std::complex<double>(value));
  } else {
    return static_cast<double>(value);
  }
}

// Returns the largest power of two of a certain range of which all finite elements are multiples.
double common_unit(const ir::Literal &literal) {
  double unit = 0x1p60;
  if (literal.shape().is_array()) {
    ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
      const auto look = [&](double value) {
        for (; std::isfinite(value) && std::remainder(value, unit) != 0 && unit > 0; unit /= 2) {
        }
      };
      for (const T &element : literal.elements<T>()) {
        if constexpr (is_complex<T>) {
          look(static_cast<double>(element.real()));
          look(static_cast<double>(element.imag()));
        } else if constexpr (is_float<T>) {
          look(static_cast<double>(element));
        }
      }
    });
  }
  return unit;
}

bool are_finite(const ir::Literal &literal) {
  bool are = true;
  if (literal.shape().is_array()) {
    ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
      if constexpr (is_float<T> || is_complex<T>) {
        are = std::ranges::all_of(literal.elements<T>(), [](const T &x) { return std::isfinite(size_of(x)); });
      }
    });
  }
  return are;
}

bool are_below(const ir::Literal &sums, bool are_in_result, double unit) {
  if (sums.shape().is_tuple()) {
    return std::ranges::all_of(sums.tuple_elements(),
                               [&](const ir::Literal &element) { return are_below(element, are_in_result, unit); });
  }
  if (!sums.shape().is_array()) {
    return true;
  }
  const ir::ElementType type = sums.shape().element_type();
  double limit = type == ir::ElementType::F64 || type == ir::ElementType::C128 ? 0x1p53 : 0x1p24;
  if (are_in_result && ir::is_floating(type)) {
    limit = std::ldexp(1.0, ir::spacing_of(type).mantissa_bits + 1);
  }
  bool are = true;
  ir::visit_element_type(type, [&]<class T>() {
    if constexpr (is_float<T> || is_complex<T>) {
      are = std::ranges::all_of(sums.elements<T>(), [&](T sum) { return size_of(sum) < limit * unit; });
    }
  });
  return are;
}

}  // namespace

SumBound bound_sums(const ir::Module &module, const std::vector<ir::Literal> &arguments) {
  SumBound bound;
  auto sums = interpreter::interpret(module, absolute(arguments));
  if (sums.ok()) {
    bound.sums = std::move(sums).value();
  }
  bound.terms = max_elements(arguments);
  bound.has_finite_terms = std::ranges::all_of(arguments, are_finite);
  const bool multiplies = ir::info(module.entry().root().opcode()).has(ir::Trait::Contraction);
  bound.unit = multiplies ? 1 : 0x1p60;
  for (const ir::Literal &argument : arguments) {
    const double unit = common_unit(argument);
    bound.unit = multiplies ? bound.unit * unit : std::min(bound.unit, unit);
  }
  bound.are_in_result = adds_in_result(module.entry().root().opcode());
  return bound;
}

bool are_exact(const SumBound &bound) {
  return bound.sums && are_below(*bound.sums, bound.are_in_result, bound.unit);
}

bool multiplies_by_function(const ir::Instruction &instruction) {
  const bool has_function = ir::info(instruction.opcode()).has(ir::Trait::CallsEmbedded) &&
                            instruction.opcode() != ir::Opcode::Map && !instruction.calls().empty();
  return has_function &&
         std::ranges::any_of(instruction.called(instruction.calls().size() - 1).instructions(), [](const auto &i) {
           const ir::ElementType type = i.shape().element_type();
           return i.opcode() == ir::Opcode::Multiply && (ir::is_floating(type) || ir::is_complex(type));
         });
}

namespace {

// Whether the instruction combines elements by choosing one of two, which rounds nothing.
bool chooses_by_function(const ir::Instruction &instruction) {
  if (!ir::info(instruction.opcode()).has(ir::Trait::CallsEmbedded) || instruction.calls().empty()) {
    return false;
  }
  const ir::Opcode combiner = instruction.called(instruction.calls().size() - 1).root().opcode();
  return combiner == ir::Opcode::Maximum || combiner == ir::Opcode::Minimum;
}

}  // namespace

bool is_order_everything(const ir::Instruction &instruction, std::span<const ir::Literal> operands) {
  // Bounds on the absolute binary logarithm: of a single number, and of all factors of a product together.
  constexpr double max_power = 30;
  constexpr int max_power_of_product = 100;
  const bool is_product = multiplies_by_function(instruction);
  const bool may_be_small = instruction.opcode() == ir::Opcode::Fft;  // nothing is divided
  bool is_everything = false;
  for (const ir::Literal &operand : operands) {
    if (!operand.shape().is_array()) {
      continue;
    }
    ir::visit_element_type(operand.shape().element_type(), [&]<class T>() {
      if constexpr (is_float<T> || is_complex<T>) {
        double total = 0;
        for (const T &x : operand.elements<T>()) {
          const double size = std::fabs(size_of(x));
          const double power = size == 0 || (size < 1 && may_be_small) ? 0 : std::fabs(std::log2(size));
          is_everything = is_everything || !(power <= max_power);
          total += power;
        }
        is_everything = is_everything || (is_product && !(total < exact_powers<T>(max_power_of_product)));
      }
    });
  }
  return is_everything;
}

Judgement judge_instruction(const ir::Module &module, const std::vector<ir::Literal> &arguments, Values values,
                            const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy,
                            ir::ElementType type) {
  if (accuracy.closeness != Closeness::Sum) {
    return judge(found, expected, accuracy, type);
  }
  const SumBound bound = bound_sums(module, arguments);
  const bool is_product = multiplies_by_function(module.entry().root());
  const bool is_exact = chooses_by_function(module.entry().root()) ||
                        (is_product ? values == Values::Factors
                                    : (values == Values::Small || values == Values::Wide) && are_exact(bound));
  return judge(found, expected, is_exact ? Accuracy() : accuracy, type, bound);
}

}  // namespace bp::conformance
