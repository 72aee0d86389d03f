// Operations that become one or two instructions: elementwise, data movement, random numbers.
#include <algorithm>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

// Returns #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 2, mode = ...> as HLO text; empty for the default.
std::string result_accuracy(const Dictionary &accuracy) {
  double atol = 0, rtol = 0;
  std::int64_t ulps = 0;
  std::string_view mode;
  for (const NamedAttribute &entry : accuracy.entries) {
    if (const auto *real = entry.value.get<double>()) {
      (entry.name == "atol" ? atol : rtol) = *real;
    } else if (const auto *number = entry.value.get<std::int64_t>()) {
      ulps = *number;
    } else if (const auto *keyword = entry.value.get<Keyword>()) {
      mode = keyword->text;
    }
  }
  if (mode == "HIGHEST") {
    return "{mode=highest}";
  }
  return mode == "TOLERANCE" ? fmt::format("{{tolerance={{atol={},rtol={},ulps={}}}}}", atol, rtol, ulps) : "";
}

}  // namespace

Result<Values> lower_nothing(Lowering &lowering, const Operation &operation) {
  return lowering.error(operation, fmt::format("{} inside a region", operation.name));
}

Result<Values> lower_plain(Lowering &lowering, const Operation &operation) {
  const OperationRow &row = *find_row(operation.name);
  const ir::OpInfo &op = ir::info(row.opcode);
  constexpr std::size_t any = 1 << 20;
  BP_TRY(lowering.expect_operands(operation, static_cast<std::size_t>(op.min_operands),
                                  op.max_operands < 0 ? any : static_cast<std::size_t>(op.max_operands)));
  // Attributes are set first, because the inference of the shape needs them.
  for (const AttributeRow &attribute : row.attributes) {
    auto use = std::ranges::find(op.attributes, attribute.key, &ir::AttributeUse::key);
    if (use != op.attributes.end() && use->required) {
      BP_TRY(lowering.attribute(operation, attribute.name, attribute.pretty_name));
    }
  }
  Status status;
  Values operands = lowering.operands(operation);
  auto instruction = lowering.add(
      operation, row.opcode, lowering.result_shapes(operation), operands, [&](ir::Module &module, InstructionId id) {
        for (const AttributeRow &attribute : row.attributes) {
          const Attribute *value = operation.find(attribute.name, attribute.pretty_name);
          if (value != nullptr && status.ok()) {
            status = lowering.set_attribute(id, attribute.key, *value);
          }
        }
        const Attribute *accuracy = operation.find("result_accuracy");
        const auto *entries = accuracy == nullptr ? nullptr : accuracy->get<Dictionary>();
        if (entries != nullptr && ir::info(row.opcode).takes(AttributeKey::ResultAccuracy) &&
            !result_accuracy(*entries).empty()) {
          module.set_text(id, AttributeKey::ResultAccuracy, result_accuracy(*entries));
        }
      });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId id, std::move(instruction));
  return lowering.results(operation, id);
}

Result<InstructionId> constant_value(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(const Attribute *value, lowering.attribute(operation, "value"));
  const auto *elements = value->get<Elements>();
  if (elements == nullptr) {
    return lowering.error(*value, "expected dense<...>");
  }
  BP_ASSIGN(InstructionId id, lowering.constant(operation, elements->literal));
  const Shape &shape = elements->type.shape;
  if (!elements->is_splat() || shape.is_scalar()) {
    return id;
  }
  InstructionId operands[] = {id};
  return lowering.add(operation, Opcode::Broadcast, shape, operands);
}

Result<Values> lower_constant(Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(InstructionId id, constant_value(lowering, operation));
  if (operation.result_count != 1 ||
      !ir::same(lowering.result_shape(operation), lowering.shape(id), ir::CompareLayout::No)) {
    return lowering.error(operation,
                          fmt::format("the value of the constant is {}", to_string(Type{lowering.shape(id)})));
  }
  return Values{id};
}

Result<Values> lower_compare(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(const Attribute *direction, lowering.attribute(operation, "comparison_direction"));
  const Attribute *type = operation.find("compare_type");
  std::string type_word;
  if (type != nullptr) {
    BP_ASSIGN(type_word, lowering.word(*type));
  }
  Status status;
  auto id = lowering.add(operation, Opcode::Compare, lowering.result_shapes(operation), lowering.operands(operation),
                         [&](ir::Module &, InstructionId compare) {
                           status = lowering.set_attribute(compare, AttributeKey::Direction, *direction);
                           if (status.ok() && !type_word.empty() && type_word != "NOTYPE") {
                             status = lowering.set_attribute(compare, AttributeKey::ComparisonType, *type);
                           }
                         });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId compare, std::move(id));
  return Values{compare};
}

Result<Values> lower_reduce_precision(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(const std::int64_t exponent, lowering.integer(operation, "exponent_bits"));
  BP_ASSIGN(const std::int64_t mantissa, lowering.integer(operation, "mantissa_bits"));
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::ReducePrecision, lowering.result_shapes(operation),
                                           lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                                             m.set_number(added, AttributeKey::ExponentBits, exponent);
                                             m.set_number(added, AttributeKey::MantissaBits, mantissa);
                                           }));
  return Values{id};
}

// An i1 has one bit here, but pred has a byte in HLO: converts through u1.
Result<Values> lower_bitcast_convert(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  using enum ir::ElementType;
  InstructionId operand = lowering.operand(operation, 0);
  const Shape from = lowering.shape(operand);
  Shape result = lowering.result_shapes(operation), inner = result;
  if (from.element_type() == Pred && result.element_type() != Pred) {
    InstructionId operands[] = {operand};
    BP_ASSIGN(operand, lowering.add(operation, Opcode::Convert, Shape::array(U1, from.sizes()), operands));
  }
  bool is_to_pred = result.element_type() == Pred && from.element_type() != Pred;
  inner.set_element_type(is_to_pred ? U1 : result.element_type());
  InstructionId operands[] = {operand};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::BitcastConvert, inner, operands));
  if (is_to_pred) {
    InstructionId bits[] = {id};
    BP_ASSIGN(id, lowering.add(operation, Opcode::Convert, result, bits));
  }
  return Values{id};
}

// --- Data movement ---

// The new dimensions are the first ones.
Result<Values> lower_broadcast(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(Integers sizes, lowering.integers(operation, "broadcast_sizes", "sizes"));
  Integers dimensions;
  for (std::size_t i = 0; i < lowering.shape(lowering.operand(operation, 0)).rank(); ++i) {
    dimensions.push_back(static_cast<std::int64_t>(sizes.size() + i));
  }
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Broadcast, lowering.result_shapes(operation),
                                           lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                                             m.set_numbers(added, AttributeKey::Dimensions, dimensions);
                                           }));
  return Values{id};
}

// StableHLO broadcasts dimensions of size 1, HLO does not: they are removed first.
Result<InstructionId> broadcast_in_dim(Lowering &lowering, const Operation &operation, InstructionId operand,
                                       const Shape &result, Integers dimensions) {
  const Shape from = lowering.shape(operand);
  if (!from.is_array() || !result.is_array()) {
    return lowering.error(operation, fmt::format("{} of {}, expected a tensor", operation.name, to_string(Type{from})));
  }
  if (dimensions.size() != from.rank()) {
    return lowering.error(operation, fmt::format("{} broadcast dimensions for an operand of type {}", dimensions.size(),
                                                 to_string(Type{from})));
  }
  Integers kept_sizes, kept_dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= static_cast<std::int64_t>(result.rank())) {
      return lowering.error(operation, fmt::format("the broadcast dimension {} is not one of {}", dimensions[i],
                                                   to_string(Type{result})));
    }
    if (from.size(i) == 1 && result.size(static_cast<std::size_t>(dimensions[i])) != 1) {
      continue;
    }
    kept_sizes.push_back(from.size(i));
    kept_dimensions.push_back(dimensions[i]);
  }
  if (kept_sizes.size() != from.rank()) {
    BP_ASSIGN(operand, lowering.reshape(operation, operand, kept_sizes));
  }
  if (!std::ranges::is_sorted(kept_dimensions)) {
    std::vector<std::int64_t> order(kept_dimensions.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<std::int64_t>(i);
    }
    std::ranges::sort(order, {}, [&](std::int64_t i) { return kept_dimensions[static_cast<std::size_t>(i)]; });
    std::ranges::sort(kept_dimensions);
    Integers sizes;
    for (std::int64_t i : order) {
      sizes.push_back(kept_sizes[static_cast<std::size_t>(i)]);
    }
    InstructionId operands[] = {operand};
    BP_ASSIGN(operand, lowering.add(operation, Opcode::Transpose, Shape::array(from.element_type(), sizes), operands,
                                    [&](ir::Module &m, InstructionId added) {
                                      m.set_numbers(added, AttributeKey::Dimensions, order);
                                    }));
  }
  InstructionId operands[] = {operand};
  return lowering.add(operation, Opcode::Broadcast, result, operands, [&](ir::Module &m, InstructionId added) {
    m.set_numbers(added, AttributeKey::Dimensions, kept_dimensions);
  });
}

Result<Values> lower_broadcast_in_dim(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(Integers dimensions, lowering.integers(operation, "broadcast_dimensions", "dims"));
  BP_ASSIGN(InstructionId id, broadcast_in_dim(lowering, operation, lowering.operand(operation, 0),
                                               lowering.result_shapes(operation), std::move(dimensions)));
  return Values{id};
}

Result<Values> lower_slice(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(Integers starts, lowering.integers(operation, "start_indices"));
  BP_ASSIGN(Integers limits, lowering.integers(operation, "limit_indices"));
  BP_ASSIGN(Integers strides, lowering.integers_or(operation, "strides", Integers(starts.size(), 1)));
  if (limits.size() != starts.size() || strides.size() != starts.size()) {
    return lowering.error(operation, fmt::format("{} starts, {} limits and {} strides of a slice", starts.size(),
                                                 limits.size(), strides.size()));
  }
  std::vector<ir::SliceRange> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    ranges.push_back({starts[i], limits[i], strides[i]});
  }
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Slice, lowering.result_shapes(operation), lowering.operands(operation),
                         [&](ir::Module &m, InstructionId added) { m.set_slice_ranges(added, ranges); }));
  return Values{id};
}

Result<Values> lower_pad(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Integers low, lowering.integers(operation, "edge_padding_low", "low"));
  BP_ASSIGN(Integers high, lowering.integers(operation, "edge_padding_high", "high"));
  BP_ASSIGN(Integers interior, lowering.integers(operation, "interior_padding", "interior"));
  if (high.size() != low.size() || interior.size() != low.size()) {
    return lowering.error(
        operation, fmt::format("{} low, {} high and {} interior paddings", low.size(), high.size(), interior.size()));
  }
  std::vector<ir::PaddingDimension> padding;
  for (std::size_t i = 0; i < low.size(); ++i) {
    padding.push_back({low[i], high[i], interior[i]});
  }
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Pad, lowering.result_shapes(operation), lowering.operands(operation),
                         [&](ir::Module &m, InstructionId added) { m.set_padding(added, padding); }));
  return Values{id};
}

// --- Random numbers ---

// The third operand states the sizes of the result again.
Result<Values> lower_rng(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 3, 3));
  BP_ASSIGN(const Attribute *distribution, lowering.attribute(operation, "rng_distribution", "distribution"));
  Values operands = lowering.operands(operation);
  Status status;
  auto id = lowering.add(operation, Opcode::Rng, lowering.result_shapes(operation), std::span(operands.data(), 2),
                         [&](ir::Module &, InstructionId added) {
                           status = lowering.set_attribute(added, AttributeKey::Distribution, *distribution);
                         });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId rng, std::move(id));
  return Values{rng};
}

}  // namespace bp::import::stablehlo
