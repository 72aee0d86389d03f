#include "conformance/suite/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "conformance/check/number.h"
#include "core/interpreter/compare.h"
#include "core/ir/float_spacing.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

std::string shape_text(const ir::Literal &literal) {
  return ir::to_string(literal.shape(), ir::PrintLayout::Never);
}

double units_apart(double x, double y, ir::ElementType type) {
  const bool is_special = !std::isfinite(x) || !std::isfinite(y);
  if (is_special || (x == 0 && y == 0)) {  // NaN, an infinity, or zeros of two signs
    return std::isnan(x) && std::isnan(y) ? 0 : x == y && x != 0 ? 0 : std::numeric_limits<double>::infinity();
  }
  if (!ir::is_floating(type)) {
    return std::fabs(x - y);
  }
  const ir::Spacing spacing = ir::spacing_of(type);
  const int exponent = y == 0 ? spacing.least : std::ilogb(y) - spacing.mantissa_bits;
  return std::fabs(x - y) / std::ldexp(1.0, std::max(exponent, spacing.least));
}

template <class T>
double units_apart_of(T x, T y, ir::ElementType type) {
  if constexpr (is_complex<T>) {
    const ir::ElementType part = ir::real_part_type(type);
    return std::max(units_apart(x.real(), y.real(), part), units_apart(x.imag(), y.imag(), part));
  } else if constexpr (is_narrow_int<T>) {
    return units_apart(static_cast<double>(static_cast<std::int64_t>(x)),
                       static_cast<double>(static_cast<std::int64_t>(y)), type);
  } else {
    return units_apart(static_cast<double>(x), static_cast<double>(y), type);
  }
}

void collect_deviations(const ir::Literal &found, const ir::Literal &expected, std::vector<std::int64_t> &output,
                        std::size_t most, std::vector<Deviation> &worst) {
  if (expected.shape().is_tuple()) {
    for (std::size_t i = 0; i < expected.tuple_elements().size(); ++i) {
      output.push_back(static_cast<std::int64_t>(i));
      collect_deviations(found.tuple_elements()[i], expected.tuple_elements()[i], output, most, worst);
      output.pop_back();
    }
  }
  if (!expected.shape().is_array()) {
    return;
  }
  const ir::ElementType type = expected.shape().element_type();
  ir::visit_element_type(type, [&]<class T>() {
    const auto x = found.elements<T>(), y = expected.elements<T>();
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (std::memcmp(&x[i], &y[i], sizeof(T)) == 0) {
        continue;
      }
      const double ulp = units_apart_of(x[i], y[i], type);
      if (worst.size() == most && ulp <= worst.back().ulp) {
        continue;
      }
      const auto offset = static_cast<std::int64_t>(i);
      const auto place = std::ranges::find_if(worst, [&](const Deviation &other) { return other.ulp < ulp; });
      const auto shown = [&](T value) {  // NaNs may differ in their bits alone
        const bool are_bits_shown = print(x[i]) == print(y[i]) || (has_nan(T(x[i])) && has_nan(T(y[i])));
        return are_bits_shown ? fmt::format("{} ({})", print(value), print_bits(value)) : print(value);
      };
      worst.insert(place,
                   {output, offset, interpreter::index_of(expected.shape(), offset), shown(x[i]), shown(y[i]), ulp});
      worst.resize(std::min(worst.size(), most));
    }
  });
}

}  // namespace

std::string shortened(const ir::Literal &literal, std::size_t most) {
  if (literal.shape().is_tuple()) {
    std::vector<std::string> elements;
    for (const ir::Literal &element : literal.tuple_elements()) {
      elements.push_back(shortened(element, most));
    }
    return fmt::format("({})", fmt::join(elements, ", "));
  }
  if (!literal.shape().is_array()) {
    return shape_text(literal);
  }
  std::vector<std::string> shown;
  std::size_t count = 0;
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    const auto elements = literal.elements<T>();
    count = elements.size();
    for (const T &element : elements.first(std::min(most, count))) {
      shown.push_back(print(element));
    }
  });
  if (count > shown.size()) {
    shown.push_back(fmt::format("and {} more", count - shown.size()));
  }
  return literal.shape().rank() == 0 && count == 1
             ? fmt::format("{} {}", shape_text(literal), shown[0])
             : fmt::format("{} {{{}}}", shape_text(literal), fmt::join(shown, ", "));
}

std::string element_at(const ir::Literal &array, std::int64_t offset) {
  std::string text;
  if (array.shape().is_array()) {
    ir::visit_element_type(array.shape().element_type(), [&]<class T>() {
      const auto elements = array.elements<T>();
      if (const auto at = static_cast<std::size_t>(offset); at < elements.size()) {
        text = print(static_cast<T>(elements[at]));
      }
    });
  }
  return text;
}

std::vector<Deviation> worst_elements(const ir::Literal &found, const ir::Literal &expected, std::size_t most) {
  std::vector<Deviation> worst;
  if (most > 0 && ir::same(found.shape(), expected.shape(), ir::CompareLayout::No)) {
    std::vector<std::int64_t> output;
    collect_deviations(found, expected, output, most, worst);
  }
  return worst;
}

std::string operands_at(const ir::Module &module, std::span<const ir::Literal> arguments, std::int64_t offset) {
  const ir::Instruction root = module.entry().root();
  const bool is_elementwise = ir::info(root.opcode()).has(ir::Trait::Elementwise) && root.shape().is_array();
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Literal &argument = arguments[i];
    const std::string name(module.entry().parameter(i).name());
    // A scalar operand, such as the bounds of a clamp, is used at every index.
    const bool is_scalar = argument.shape().is_array() && argument.shape().rank() == 0;
    const bool is_same = argument.shape().is_array() && root.shape().is_array() &&
                         std::ranges::equal(argument.shape().sizes(), root.shape().sizes());
    shown.push_back(is_elementwise && (is_same || is_scalar)
                        ? fmt::format("{} = {}", name, element_at(argument, is_scalar ? 0 : offset))
                        : fmt::format("{} = {}", name, shortened(argument)));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string text_of(const ir::Module &module) {
  text::PrintOptions options;
  options.metadata = false;
  options.max_literal_elements = 64;
  std::string text = text::print(module, options);
  boost::trim_right(text);
  return text;
}

std::string describe_failure(std::string mismatch, const ir::Module &module, std::span<const ir::Literal> arguments,
                             std::optional<std::int64_t> offset) {
  if (!arguments.empty()) {
    mismatch += "\n" + (offset ? "operands there: " + operands_at(module, arguments, *offset)
                               : "operands: " + operands_at(module, arguments, -1));
  }
  return mismatch + "\n" + text_of(module);
}

}  // namespace bp::conformance
