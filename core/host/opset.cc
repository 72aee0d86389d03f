#include "core/host/opset.h"

#include <algorithm>
#include <array>

#include "core/ir/result_accuracy.h"

namespace bp::host {
namespace {

constexpr std::uint16_t open = UINT16_MAX;

// Ascending. A row says what ops.def and attributes.def had at its release and is never changed after that; the last
// one is open until then.
constexpr std::array<Opset, newest_opset> opsets{{
    {.number = 1, .newest_op = 136, .newest_attribute = 104, .has_precision = false},
    {.number = 2, .newest_op = open, .newest_attribute = open, .has_precision = true},
}};

}  // namespace

const Opset &common_opset(std::uint32_t number) {
  return opsets[std::clamp<std::uint32_t>(number, 1, newest_opset) - 1];
}

bool is_newer(const ir::Instruction &instruction, const Opset &opset) {
  return static_cast<std::uint16_t>(instruction.opcode()) > opset.newest_op ||
         std::ranges::any_of(instruction.attribute_keys(), [&](ir::AttributeKey key) {
           return static_cast<std::uint16_t>(key) > opset.newest_attribute && !ir::is_hint(key);
         });
}

std::uint32_t first_opset(const ir::Instruction &instruction) {
  const bool needs_precision = ir::required_ulps(instruction) != 0;
  const auto found = std::ranges::find_if(opsets, [&](const Opset &opset) {
    return (opset.has_precision || !needs_precision) && !is_newer(instruction, opset);
  });
  return found == opsets.end() ? newest_opset : found->number;
}

}  // namespace bp::host
