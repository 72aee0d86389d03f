#include "plugins/llvm/kernel/sort_key.h"

#include <algorithm>
#include <map>

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

// Longer comparators cost more for each pass than merging saves, and the recursion is as deep as they are long.
constexpr std::uint32_t max_instructions = 256;

// Compares the functions that a comparator applies to the first and to the second one of two elements.
class Functions {
 public:
  explicit Functions(InstructionView sort) : module_(sort.module()), parameters_(sort.called(0).parameters()) {}

  // Whether the values are the same function of two parameters that belong to one operand.
  bool are_same(std::uint32_t first, std::uint32_t second) {
    if (const auto known = pairs_.find(first); known != pairs_.end()) {
      return known->second == second;
    }
    pairs_[first] = second;
    const InstructionView a = module_.definition(first), b = module_.definition(second);
    if (a.op() == BP_OP_PARAMETER) {
      return b.op() == BP_OP_PARAMETER && are_partners(first, second);
    }
    const bool is_known = is_elementwise(a.op()) || a.op() == BP_OP_CONSTANT;
    if (!is_known || a.op() != b.op() || a.shape().dtype != b.shape().dtype || a.operand_count() != b.operand_count() ||
        !have_same_attributes(a, b)) {
      return false;
    }
    for (std::size_t i = 0; i < a.operand_count(); ++i) {
      if (!are_same(a.operand(i), b.operand(i))) {
        return false;
      }
    }
    return true;
  }

  std::optional<std::size_t> operand() const { return operand_; }

 private:
  // The parameters of operand i are 2i, of the element that may come first, and 2i + 1.
  bool are_partners(std::uint32_t first, std::uint32_t second) {
    const auto number = static_cast<std::size_t>(std::ranges::find(parameters_, first) - parameters_.begin());
    if (number % 2 != 0 || parameters_[number + 1] != second || operand_.value_or(number / 2) != number / 2) {
      return false;
    }
    operand_ = number / 2;
    return true;
  }

  // Attributes that are neither integers nor bytes, such as reals, are never the same.
  static bool have_same_attributes(InstructionView a, InstructionView b) {
    return std::ranges::equal(a.attributes(), b.attributes(), [&](const bp_attr_t &x, const bp_attr_t &y) {
      return x.key == y.key && x.type == y.type && (x.type == BP_ATTR_I64 || x.type == BP_ATTR_BYTES) &&
             std::ranges::equal(a.numbers(x.key), b.numbers(x.key)) &&
             std::ranges::equal(a.bytes(x.key), b.bytes(x.key));
    });
  }

  const ModuleView &module_;
  std::span<const std::uint32_t> parameters_;
  std::map<std::uint32_t, std::uint32_t> pairs_;  // values of the first element: those of the second one
  std::optional<std::size_t> operand_;
};

}  // namespace

std::optional<SortKey> sort_key(InstructionView sort) {
  const ComputationView comparator = sort.called(0);
  const InstructionView root = sort.module().definition(comparator.roots()[0]);
  if (root.op() != BP_OP_COMPARE || comparator.instruction_count() > max_instructions) {
    return {};
  }
  const std::int64_t direction = root.number(BP_ATTR_DIRECTION);
  const std::uint16_t dtype = root.operand_shape(0).dtype;
  const bool is_total = !is_float(dtype) || root.number(BP_ATTR_COMPARISON_TYPE, -1) == BP_COMPARISON_TYPE_TOTAL_ORDER;
  const bool is_strict = direction == BP_COMPARISON_DIRECTION_LT || direction == BP_COMPARISON_DIRECTION_GT;
  if (is_complex(dtype) || !is_strict) {
    return {};
  }
  for (const bool is_swapped : {false, true}) {  // b > a is a < b
    Functions functions(sort);
    const std::uint32_t first = root.operand(is_swapped ? 1 : 0), second = root.operand(is_swapped ? 0 : 1);
    if (functions.are_same(first, second) && functions.operand()) {
      return SortKey{.operand = *functions.operand(),
                     .value = first,
                     .dtype = dtype,
                     .is_descending = (direction == BP_COMPARISON_DIRECTION_GT) != is_swapped,
                     .is_total = is_total};
    }
  }
  return {};
}

}  // namespace bp::emit
