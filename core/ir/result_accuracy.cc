#include "core/ir/result_accuracy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "core/ir/float_spacing.h"

namespace bp::ir {
namespace {

// Reads a number of at least 0; it must be all of the text.
template <class T>
bool read_tolerance(std::string_view text, T &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

// Removes the prefix and the suffix if the text has both.
bool unwrap(std::string_view &text, std::string_view prefix, std::string_view suffix) {
  if (text.size() < prefix.size() + suffix.size() || !text.starts_with(prefix) || !text.ends_with(suffix)) {
    return false;
  }
  text = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
  return true;
}

}  // namespace

std::optional<ResultAccuracy> parse_result_accuracy(std::string_view text) {
  std::string packed(text);
  std::erase_if(packed, [](unsigned char c) { return std::isspace(c) != 0; });
  std::string_view rest = packed;
  ResultAccuracy accuracy;
  if (rest == "{mode=default}") {
    return accuracy;
  }
  if (rest == "{mode=highest}") {
    accuracy.mode = ResultAccuracy::Mode::Highest;
    return accuracy;
  }
  if (!unwrap(rest, "{tolerance={", "}}")) {
    return std::nullopt;
  }
  accuracy.mode = ResultAccuracy::Mode::Tolerance;
  while (!rest.empty()) {
    std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    if (!(unwrap(entry, "atol=", "")   ? read_tolerance(entry, accuracy.atol)
          : unwrap(entry, "rtol=", "") ? read_tolerance(entry, accuracy.rtol)
                                       : unwrap(entry, "ulps=", "") && read_tolerance(entry, accuracy.ulps))) {
      return std::nullopt;
    }
  }
  return accuracy;
}

std::uint32_t required_ulps(const Instruction &instruction) {
  const std::string_view text = instruction.text(AttributeKey::ResultAccuracy);
  const auto accuracy = text.empty() ? std::nullopt : parse_result_accuracy(text);
  if (!accuracy || accuracy->mode == ResultAccuracy::Mode::Default) {
    return 0;
  }
  constexpr double max = 1U << 31;
  double ulps = accuracy->ulps > 0 ? static_cast<double>(accuracy->ulps) : max;
  if (accuracy->rtol > 0) {
    ElementType type = instruction.shape().element_type();
    type = is_complex(type) ? real_part_type(type) : type;
    ulps = std::min(ulps, std::floor(std::ldexp(accuracy->rtol, spacing_of(type).mantissa_bits)));
  }
  const bool is_strictest =
      accuracy->mode == ResultAccuracy::Mode::Highest || (accuracy->ulps == 0 && accuracy->rtol == 0);
  return is_strictest ? 1 : static_cast<std::uint32_t>(std::clamp(ulps, 1.0, max));
}

Accuracy accuracy_of(const Instruction &instruction) {
  Accuracy accuracy = instruction.op().accuracy;
  if (const std::uint32_t ulps = required_ulps(instruction); ulps != 0 && accuracy.closeness == Closeness::Ulp) {
    accuracy.wide = accuracy.narrow = accuracy.complex = static_cast<float>(ulps);
  }
  return accuracy;
}

}  // namespace bp::ir
