#include "core/ir/top_k_calls.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace bp::ir {
namespace {

// Returns the number after "reduction_dim" in a configuration: {"reduction_dim": 1} or {reduction_dim = 1 : i64}.
std::optional<std::int64_t> reduction_dimension(std::string_view config) {
  constexpr std::string_view name = "reduction_dim";
  const std::size_t begin = config.find(name);
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  config.remove_prefix(begin + name.size());
  config.remove_prefix(std::min(config.find_first_of("-0123456789"), config.size()));
  std::int64_t dimension = 0;
  const auto [end, code] = std::from_chars(config.data(), config.data() + config.size(), dimension);
  return code == std::errc() ? std::optional(dimension) : std::nullopt;
}

// Returns the last dimension of the array; nothing if it is no call of TopK.
std::optional<std::int64_t> dimension_of_top_k(const Instruction &call) {
  if (call.operands().size() != 1 || call.operand(0).shape().rank() == 0) {
    return std::nullopt;
  }
  const auto results = call.shape().elements();
  return results.size() == 2 && results[1].element_type() == ElementType::S32
             ? std::optional(static_cast<std::int64_t>(call.operand(0).shape().rank()) - 1)
             : std::nullopt;
}

// Returns the dimension that its configuration names, which counts from the end if it is negative.
std::optional<std::int64_t> dimension_of_approximate(const Instruction &call) {
  const std::size_t count = call.operands().size();
  if (count < 2 || count % 2 != 0 || call.shape().elements().size() != count / 2) {
    return std::nullopt;
  }
  const auto found = reduction_dimension(call.text(AttributeKey::BackendConfig));
  const auto rank = static_cast<std::int64_t>(call.operand(0).shape().rank());
  if (!found || *found < -rank || *found >= rank) {
    return std::nullopt;
  }
  return *found < 0 ? *found + rank : *found;
}

// Returns the shape of an array that is ordered; of TopK, the second one has positions.
Shape array_of(const Instruction &call, std::size_t i) {
  const bool are_positions = call.operands().size() == 1 && i == 1;
  return are_positions ? Shape::array(ElementType::S32, call.operand(0).shape().sizes()) : call.operand(i).shape();
}

// Whether the result is as large as the array, but for this dimension, in which it is not larger.
bool is_shortened(const Shape &array, const Shape &result, std::size_t dimension) {
  if (!array.is_array() || !result.is_array() || array.element_type() != result.element_type() ||
      array.rank() != result.rank() || dimension >= array.rank()) {
    return false;
  }
  for (std::size_t d = 0; d < array.rank(); ++d) {
    if (d == dimension ? result.size(d) > array.size(d) : result.size(d) != array.size(d)) {
      return false;
    }
  }
  return true;
}

// Whether the comparator has two parameters for each array, or, in TopK, for the values alone: XLA:CPU leaves out those
// of positions that nothing reads.
bool compares_arrays(const Instruction &call) {
  const Computation comparator = call.called(0);
  const std::size_t count = comparator.parameter_count();
  const bool may_be_shorter = call.operands().size() == 1;
  if (count != 2 * call.shape().elements().size() && !(may_be_shorter && count == 2)) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (comparator.parameter(i).shape() != Shape::array(array_of(call, i / 2).element_type(), {})) {
      return false;
    }
  }
  return comparator.root().shape() == Shape::array(ElementType::Pred, {});
}

}  // namespace

std::optional<std::size_t> top_k_dimension(const Instruction &call) {
  if (call.opcode() != Opcode::CustomCall || call.calls().size() != 1 || !call.shape().is_tuple()) {
    return std::nullopt;
  }
  const std::string_view target = call.text(AttributeKey::CustomCallTarget);
  const std::optional<std::int64_t> found = target == "TopK"         ? dimension_of_top_k(call)
                                            : target == "ApproxTopK" ? dimension_of_approximate(call)
                                                                     : std::nullopt;
  if (!found) {
    return std::nullopt;
  }
  const auto dimension = static_cast<std::size_t>(*found);
  const std::span<const Shape> results = call.shape().elements();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_shortened(array_of(call, i), results[i], dimension) || !same_sizes(array_of(call, i), array_of(call, 0)) ||
        !same_sizes(results[i], results[0])) {
      return std::nullopt;
    }
  }
  return compares_arrays(call) ? std::optional(dimension) : std::nullopt;
}

}  // namespace bp::ir
