// Operations whose region is a function of scalars: reductions, windows, sorts, scans.
#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {

// Lowers operations with one region and the attributes of the row.
Result<Values> lower_embedded(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_regions(operation, 1, 1));
  const OperationRow &row = *find_row(operation.name);
  BP_ASSIGN(ComputationId computation, lowering.embedded(operation, 0));
  ComputationId calls[] = {computation};
  for (const AttributeRow &attribute : row.attributes) {
    BP_TRY(lowering.attribute(operation, attribute.name, attribute.pretty_name));
  }
  Status status;
  auto id = lowering.add(
      operation, row.opcode, lowering.result_shapes(operation), lowering.operands(operation),
      [&](ir::Module &, InstructionId added) {
        for (const AttributeRow &attribute : row.attributes) {
          if (status.ok()) {
            status =
                lowering.set_attribute(added, attribute.key, *operation.find(attribute.name, attribute.pretty_name));
          }
        }
      },
      calls);
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId instruction, std::move(id));
  return lowering.results(operation, instruction);
}

Result<std::vector<ir::WindowDimension>> window_of(const Lowering &lowering, const Operation &operation,
                                                   std::span<const std::int64_t> sizes, const WindowNames &names) {
  std::size_t rank = sizes.size();
  auto list = [&](std::string_view name, std::int64_t if_absent, std::size_t count) -> Result<Integers> {
    BP_ASSIGN(Integers numbers, name.empty() ? Result<Integers>(Integers(count, if_absent))
                                             : lowering.integers_or(operation, name, Integers(count, if_absent)));
    if (numbers.size() != count) {
      return lowering.error(operation, fmt::format("'{}' has {} numbers, expected {}", name, numbers.size(), count));
    }
    return numbers;
  };
  BP_ASSIGN(Integers strides, list(names.strides, 1, rank));
  BP_ASSIGN(Integers padding, list(names.padding, 0, 2 * rank));
  BP_ASSIGN(Integers lhs_dilation, list(names.lhs_dilation, 1, rank));
  BP_ASSIGN(Integers rhs_dilation, list(names.rhs_dilation, 1, rank));
  BP_ASSIGN(Integers reversal, list(names.reversal, 0, rank));
  std::vector<ir::WindowDimension> window;
  for (std::size_t i = 0; i < rank; ++i) {
    window.push_back({sizes[i], strides[i], padding[2 * i], padding[2 * i + 1], lhs_dilation[i], rhs_dilation[i],
                      reversal[i] != 0 ? 1 : 0});
  }
  return window;
}

// Lowers reduce_window, and select_and_scatter with its two regions.
Result<Values> lower_reduce_window(Lowering &lowering, const Operation &operation) {
  const OperationRow &row = *find_row(operation.name);
  bool is_scatter = row.opcode == Opcode::SelectAndScatter;
  BP_TRY(lowering.expect_regions(operation, is_scatter ? 2 : 1, is_scatter ? 2 : 1));
  Integers sizes;
  if (is_scatter && operation.find("window_dimensions") == nullptr && !operation.operands.empty()) {
    sizes.resize(lowering.shape(lowering.operand(operation, 0)).rank(), 1);
  } else {
    BP_ASSIGN(sizes, lowering.integers(operation, "window_dimensions"));
  }
  BP_ASSIGN(auto window, window_of(lowering, operation, sizes,
                                   {"window_strides", "padding", is_scatter ? "" : "base_dilations",
                                    is_scatter ? "" : "window_dilations", ""}));
  std::vector<ComputationId> calls;
  for (std::size_t i = 0; i < operation.regions.size(); ++i) {
    BP_ASSIGN(ComputationId computation, lowering.embedded(operation, i));
    calls.push_back(computation);
  }
  BP_ASSIGN(InstructionId id,
            lowering.add(
                operation, row.opcode, lowering.result_shapes(operation), lowering.operands(operation),
                [&](ir::Module &m, InstructionId added) { m.set_window(added, window); }, calls));
  return lowering.results(operation, id);
}

Result<Values> lower_sort(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_regions(operation, 1, 1));
  BP_TRY(lowering.expect_operands(operation, 1, 1 << 20));
  BP_ASSIGN(std::int64_t dimension, lowering.integer_or(operation, "dimension", -1));
  BP_ASSIGN(bool is_stable, lowering.flag(operation, "is_stable"));
  if (dimension < 0) {
    dimension += static_cast<std::int64_t>(lowering.shape(lowering.operand(operation, 0)).rank());
  }
  BP_ASSIGN(ComputationId computation, lowering.embedded(operation, 0));
  ComputationId calls[] = {computation};
  BP_ASSIGN(InstructionId id,
            lowering.add(
                operation, Opcode::Sort, lowering.result_shapes(operation), lowering.operands(operation),
                [&](ir::Module &m, InstructionId added) {
                  m.set_number(added, AttributeKey::Dimensions, dimension);
                  if (is_stable) {
                    m.set_number(added, AttributeKey::IsStable, 1);
                  }
                },
                calls));
  return lowering.results(operation, id);
}

// The number of carries is the last entry of operandSegmentSizes in the generic form, and `inits` in the pretty form.
Result<Values> lower_scan(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_regions(operation, 1, 1));
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "dimension"));
  BP_ASSIGN(bool is_reverse, lowering.flag(operation, "is_reverse"));
  BP_ASSIGN(bool is_associative, lowering.flag(operation, "is_associative"));
  std::int64_t carries = 0;
  if (const Attribute *segments = operation.find("operandSegmentSizes")) {
    BP_ASSIGN(Integers sizes, lowering.integers(*segments));
    carries = sizes.empty() ? 0 : sizes.back();
  } else {
    BP_ASSIGN(carries, lowering.integer(operation, "inits"));
  }
  operation.find("resultSegmentSizes");
  BP_ASSIGN(ComputationId computation, lowering.embedded(operation, 0));
  ComputationId calls[] = {computation};
  Shape shape = lowering.result_shapes(operation);
  BP_ASSIGN(InstructionId id,
            lowering.add(
                operation, Opcode::Scan, shape.is_tuple() ? shape : Shape::tuple({shape}), lowering.operands(operation),
                [&](ir::Module &m, InstructionId added) {
                  m.set_number(added, AttributeKey::Dimensions, dimension);
                  m.set_number(added, AttributeKey::NumCarries, carries);
                  if (is_reverse) {
                    m.set_number(added, AttributeKey::IsReverse, 1);
                  }
                  if (is_associative) {
                    m.set_number(added, AttributeKey::IsAssociative, 1);
                  }
                },
                calls));
  if (operation.result_count == 1) {
    BP_ASSIGN(id, lowering.get_element(operation, id, 0));
  }
  return lowering.results(operation, id);
}

}  // namespace bp::import::stablehlo
