// Makes ops that only rename the dimensions of a dot's or convolution's operands part of the contraction. The order of
// sums does not change.
//   dot(transpose(x), y)             contracts and keeps the dimensions of x
//   convolution(transpose(x), ...)   has its labels on the dimensions of x
//   convolution(x, reverse(y))       reverses the window
//   convolution(pad(x, 0), y)        pads the window; for floats only if y is finite, because 0 times infinity is NaN
#include <algorithm>
#include <cmath>

#include "core/passes/pass.h"
#include "core/passes/rewrite.h"
#include "core/passes/simplification/algebra.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using Numbers = std::vector<std::int64_t>;

Numbers numbers_of(const Instruction &instruction, AttributeKey key) {
  auto numbers = instruction.numbers(key);
  return {numbers.begin(), numbers.end()};
}

bool is_plain_transpose(const Instruction &instruction) {
  return instruction.opcode() == Opcode::Transpose && is_plain(instruction);
}

// Returns the same instruction with another operand; the caller then changes its attributes.
InstructionId with_operand(ir::Module &module, const Instruction &instruction, std::size_t i, InstructionId operand) {
  std::vector<InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
  operands[i] = operand;
  return module.clone_instruction(instruction.parent().id(), instruction, operands, {});
}

// The dimensions that are not contracted must stay in the same order.
InstructionId dot_of_transpose(ir::Module &module, const Instruction &dot, std::size_t side) {
  const Instruction transpose = dot.operand(side);
  if (!is_plain_transpose(transpose)) {
    return dot.id();
  }
  const AttributeKey batch = side == 0 ? AttributeKey::LhsBatchDims : AttributeKey::RhsBatchDims;
  const AttributeKey contracting = side == 0 ? AttributeKey::LhsContractingDims : AttributeKey::RhsContractingDims;
  const Numbers permutation = numbers_of(transpose, AttributeKey::Dimensions);
  Numbers kept = permutation, lists[] = {numbers_of(dot, batch), numbers_of(dot, contracting)};
  for (Numbers &list : lists) {
    for (std::int64_t &d : list) {
      d = permutation[static_cast<std::size_t>(d)];
      std::erase(kept, d);
    }
  }
  if (!std::ranges::is_sorted(kept)) {
    return dot.id();
  }
  const InstructionId id = with_operand(module, dot, side, transpose.operands()[0]);
  for (auto [key, list] : {std::pair(batch, &lists[0]), std::pair(contracting, &lists[1])}) {
    if (!list->empty()) {
      module.set_numbers(id, key, *list);
    }
  }
  return id;
}

// Maps the dimensions of one operand in dim_labels: two named dimensions and the spatial ones.
InstructionId convolution_of_transpose(ir::Module &module, const Instruction &convolution, std::size_t side) {
  const Instruction transpose = convolution.operand(side);
  if (!is_plain_transpose(transpose)) {
    return convolution.id();
  }
  Numbers labels = numbers_of(convolution, AttributeKey::DimLabels);
  const std::size_t spatial = (labels.size() - 6) / 3;
  auto rename = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      labels[i] = transpose.dimensions()[static_cast<std::size_t>(labels[i])];
    }
  };
  rename(2 * side, 2);
  rename(6 + side * spatial, spatial);
  const InstructionId id = with_operand(module, convolution, side, transpose.operands()[0]);
  module.set_numbers(id, AttributeKey::DimLabels, labels);
  return id;
}

InstructionId convolution_of_reverse(ir::Module &module, const Instruction &convolution) {
  const Instruction reverse = convolution.operand(1);
  if (reverse.opcode() != Opcode::Reverse || !is_plain(reverse)) {
    return convolution.id();
  }
  auto given = convolution.window();
  std::vector<ir::WindowDimension> window(given.begin(), given.end());
  const ir::ConvolutionDimensions labels = convolution.convolution_dimensions();
  for (std::int64_t d : reverse.dimensions()) {
    auto found = std::ranges::find(labels.rhs_spatial, d);
    if (found == labels.rhs_spatial.end()) {
      return convolution.id();  // reverses features
    }
    std::int64_t &reversal = window[static_cast<std::size_t>(found - labels.rhs_spatial.begin())].reversal;
    reversal = 1 - reversal;
  }
  const InstructionId id = with_operand(module, convolution, 1, reverse.operands()[0]);
  module.set_window(id, window);
  return id;
}

bool is_finite(const ir::Literal &literal) {
  return ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (requires(T value) { static_cast<double>(value); }) {
      return std::ranges::all_of(literal.elements<T>(),
                                 [](const T &value) { return std::isfinite(static_cast<double>(value)); });
    } else {
      return !ir::is_complex(literal.shape().element_type());
    }
  });
}

bool is_zero(const Instruction &instruction) {
  const ir::Literal value = splat_of(instruction);
  return value.is_valid() && std::ranges::all_of(value.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

InstructionId convolution_of_pad(ir::Module &module, const Instruction &convolution, bool allow_inexact) {
  const Instruction pad = convolution.operand(0), filter = convolution.operand(1);
  if (pad.opcode() != Opcode::Pad || !is_plain(pad) || !is_zero(pad.operand(1))) {
    return convolution.id();
  }
  const bool is_exact = ir::is_integer(filter.shape().element_type()) ||
                        (filter.opcode() == Opcode::Constant && is_finite(filter.literal()));
  if (!is_exact && !allow_inexact) {
    return convolution.id();
  }
  auto given = convolution.window();
  std::vector<ir::WindowDimension> window(given.begin(), given.end());
  const ir::ConvolutionDimensions labels = convolution.convolution_dimensions();
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(pad.shape().rank()); ++d) {
    const ir::PaddingDimension padding = pad.padding()[static_cast<std::size_t>(d)];
    auto found = std::ranges::find(labels.lhs_spatial, d);
    const bool is_padded = padding.low != 0 || padding.high != 0 || padding.interior != 0;
    if (!is_padded) {
      continue;
    }
    if (found == labels.lhs_spatial.end() || padding.low < 0 || padding.high < 0 || padding.interior != 0) {
      return convolution.id();
    }
    ir::WindowDimension &w = window[static_cast<std::size_t>(found - labels.lhs_spatial.begin())];
    if (w.lhs_dilate != 1) {
      return convolution.id();
    }
    w.pad_low += padding.low;
    w.pad_high += padding.high;
  }
  const InstructionId id = with_operand(module, convolution, 0, pad.operands()[0]);
  module.set_window(id, window);
  return id;
}

InstructionId simplify(ir::Module &module, const Instruction &instruction, bool allow_inexact) {
  if (instruction.operand_count() != 2 || !is_plain(instruction)) {
    return instruction.id();
  }
  InstructionId id = instruction.id();
  if (instruction.opcode() == Opcode::Dot) {
    id = dot_of_transpose(module, module.instruction(id), 0);
    return dot_of_transpose(module, module.instruction(id), 1);
  }
  if (instruction.opcode() == Opcode::Convolution) {
    id = convolution_of_transpose(module, module.instruction(id), 0);
    id = convolution_of_transpose(module, module.instruction(id), 1);
    id = convolution_of_reverse(module, module.instruction(id));
    id = convolution_of_pad(module, module.instruction(id), allow_inexact);
  }
  return id;
}

}  // namespace

Result<bool> contraction_simplification(ir::Module &module, const PassContext &context) {
  return rewrite_outside_fusions(module, [&](Instruction instruction) -> Result<InstructionId> {
    return simplify(module, instruction, context.allow_inexact_algebra);
  });
}

}  // namespace bp::passes
