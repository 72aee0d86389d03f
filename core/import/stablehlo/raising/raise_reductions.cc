// Instructions that call a function of scalars: maps, windows, scans; and top-k.
#include <fmt/format.h>

#include <numeric>

#include "core/import/stablehlo/raising/raising.h"

namespace bp::import::stablehlo {

Result<ValueIds> raise_map(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  std::vector<std::int64_t> dimensions(instruction.shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return raise_as(raising, instruction, row.operation, {{"dimensions", integers(dimensions)}});
}

// Checks that the reducer takes what it returns, as StableHLO demands: HLO allows operands of other types.
static Status check_reducer(const Raising &raising, const ir::Instruction &instruction) {
  const ir::Computation reducer = instruction.called(0);
  const ir::Shape &returned = reducer.root().shape();
  const std::size_t count = reducer.parameter_count() / 2;
  for (std::size_t i = 0; i < reducer.parameter_count(); ++i) {
    const ir::Shape &taken = reducer.parameter(i).shape(),
                    &given = returned.is_tuple() ? returned.elements()[i % count] : returned;
    if (taken.element_type() != given.element_type()) {
      return raising.unsupported(instruction,
                                 fmt::format("its reducer takes {} as value {} and returns {}, expected equal types",
                                             ir::to_string(taken), i, ir::to_string(given)));
    }
  }
  return {};
}

Result<ValueIds> raise_reduce(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  BP_TRY(check_reducer(raising, instruction));
  BP_ASSIGN(Attributes attributes, attributes_of(raising, instruction, *find_row(row.operation)));
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

// Also select-and-scatter, whose windows have no gaps.
Result<ValueIds> raise_reduce_window(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  const bool is_scatter = instruction.opcode() == Opcode::SelectAndScatter;
  if (!is_scatter) {
    BP_TRY(check_reducer(raising, instruction));
  }
  std::vector<std::int64_t> sizes, strides, padding, base_dilations, dilations;
  bool is_expressible = true;
  for (const ir::WindowDimension &window : instruction.window()) {
    sizes.push_back(window.size);
    strides.push_back(window.stride);
    padding.insert(padding.end(), {window.pad_low, window.pad_high});
    base_dilations.push_back(window.lhs_dilate);
    dilations.push_back(window.rhs_dilate);
    is_expressible =
        is_expressible && window.reversal == 0 && (!is_scatter || (window.lhs_dilate == 1 && window.rhs_dilate == 1));
  }
  if (!is_expressible) {
    return raising.unsupported(instruction, fmt::format("{} has no {}windows that run backwards, expected none",
                                                        row.operation, is_scatter ? "dilated windows and no " : ""));
  }
  Attributes attributes{
      {"window_dimensions", integers(sizes)}, {"window_strides", integers(strides)}, {"padding", rows_of_two(padding)}};
  if (!is_scatter) {
    attributes.push_back({"base_dilations", integers(base_dilations)});
    attributes.push_back({"window_dilations", integers(dilations)});
  }
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

Result<ValueIds> raise_scan(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  const std::int64_t carries = instruction.number(AttributeKey::NumCarries);
  const auto segments = [&](std::size_t count) {
    Attribute sizes = integers(std::vector{static_cast<std::int64_t>(count) - carries, carries});
    sizes.type = ir::ElementType::S32;
    return sizes;
  };
  Attributes attributes{{"dimension", integer(instruction.number(AttributeKey::Dimensions))},
                        {"is_reverse", {instruction.number(AttributeKey::IsReverse) != 0}},
                        {"operandSegmentSizes", segments(instruction.operand_count())},
                        {"resultSegmentSizes", segments(leaf_count(instruction.shape()))}};
  if (instruction.has(AttributeKey::IsAssociative)) {
    attributes.push_back({"is_associative", {instruction.number(AttributeKey::IsAssociative) != 0}});
  }
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

// XLA does not compile the custom call of the smallest either.
Result<ValueIds> raise_topk(Raising &raising, const ir::Instruction &instruction, const RaisingRow &row) {
  if (instruction.number(AttributeKey::Largest, 1) == 0) {
    return raising.unsupported(instruction, fmt::format("{} has no largest=false, expected largest=true; "
                                                        "--passes=topk-expansion rewrites it as a sort",
                                                        row.operation));
  }
  Attributes attributes{{"k", integer(instruction.number(AttributeKey::K))}};
  if (raising.form() == RaisedForm::Bytecode) {
    attributes.push_back({"largest", {true}});
  }
  return raise_as(raising, instruction, row.operation, std::move(attributes));
}

}  // namespace bp::import::stablehlo
