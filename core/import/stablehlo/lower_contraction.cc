// Dots and convolutions.
#include <algorithm>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

struct DotDimensions {
  Integers lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
};

void set_dot_dimensions(ir::Module &module, InstructionId id, const DotDimensions &dimensions) {
  const std::pair<AttributeKey, const Integers *> lists[] = {
      {AttributeKey::LhsBatchDims, &dimensions.lhs_batch},
      {AttributeKey::RhsBatchDims, &dimensions.rhs_batch},
      {AttributeKey::LhsContractingDims, &dimensions.lhs_contracting},
      {AttributeKey::RhsContractingDims, &dimensions.rhs_contracting}};
  for (const auto &[key, numbers] : lists) {
    if (!numbers->empty()) {
      module.set_numbers(id, key, *numbers);
    }
  }
}

// Reads [0] x [1] of the pretty form.
Status read_pair(const Lowering &lowering, const Operation &operation, std::string_view name, Integers &lhs,
                 Integers &rhs) {
  const Attribute *pair = operation.find(name);
  if (pair == nullptr) {
    return {};
  }
  const auto *lists = pair->get<std::vector<Attribute>>();
  if (lists == nullptr || lists->size() != 2) {
    return lowering.error(*pair, "expected the dimensions of both operands, as in [0] x [1]");
  }
  BP_ASSIGN(lhs, lowering.integers((*lists)[0]));
  BP_ASSIGN(rhs, lowering.integers((*lists)[1]));
  return {};
}

// Returns HLO's number for the algorithm #stablehlo.dot_algorithm<...>: types of operands and accumulator, and the
// number of primitive operations.
Result<std::int64_t> find_algorithm(const Lowering &lowering, const Attribute &attribute) {
  const auto *entries = attribute.get<Dictionary>();
  if (entries == nullptr) {
    return lowering.error(attribute, "expected #stablehlo.dot_algorithm<...>");
  }
  std::map<std::string_view, std::string> words;
  for (const NamedAttribute &entry : entries->entries) {
    words[entry.name] = to_string(entry.value);
  }
  std::string type = words["lhs_precision_type"], accumulator = words["accumulation_type"];
  std::string count = words["num_primitive_operations"];
  bool is_fast = words["allow_imprecise_accumulation"] == "true";
  if (type.starts_with("f8")) {
    type = "any_f8_any_f8";
  } else {
    type = fmt::format("{}_{}", type, words["rhs_precision_type"]);
  }
  std::string name = fmt::format("dot_{}_{}{}{}", type, accumulator, count.empty() || count == "1" ? "" : "_x" + count,
                                 is_fast ? "_fast_accum" : "");
  auto number = ir::enumerator_number(ir::Enumeration::Algorithm, name);
  if (!number) {
    return lowering.error(attribute, fmt::format("there is no algorithm {}", name));
  }
  return *number;
}

Result<Values> dot(Lowering &lowering, const Operation &operation, const DotDimensions &dimensions) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  std::int64_t algorithm = 0;
  if (const Attribute *attribute = operation.find("algorithm")) {
    BP_ASSIGN(algorithm, find_algorithm(lowering, *attribute));
  }
  Status status;
  auto id = lowering.add(operation, Opcode::Dot, lowering.result_shapes(operation), lowering.operands(operation),
                         [&](ir::Module &m, InstructionId added) {
                           set_dot_dimensions(m, added, dimensions);
                           if (algorithm != 0) {
                             m.set_number(added, AttributeKey::Algorithm, algorithm);
                           }
                           status = lowering.set_precision(operation, added);
                         });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId instruction, std::move(id));
  return Values{instruction};
}

}  // namespace

// Contracts the last dimension of the lhs with the first of the rhs.
Result<Values> lower_dot(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  std::size_t rank = lowering.shape(lowering.operand(operation, 0)).rank();
  return dot(lowering, operation, {{}, {}, {static_cast<std::int64_t>(rank) - 1}, {0}});
}

Result<Values> lower_dot_general(Lowering &lowering, const Operation &operation) {
  DotDimensions dimensions;
  if (operation.find("dot_dimension_numbers") != nullptr) {
    BP_ASSIGN(const Dictionary *numbers, lowering.dictionary(operation, "dot_dimension_numbers"));
    BP_ASSIGN(dimensions.lhs_batch, lowering.integers(*numbers, "lhs_batching_dimensions"));
    BP_ASSIGN(dimensions.rhs_batch, lowering.integers(*numbers, "rhs_batching_dimensions"));
    BP_ASSIGN(dimensions.lhs_contracting, lowering.integers(*numbers, "lhs_contracting_dimensions"));
    BP_ASSIGN(dimensions.rhs_contracting, lowering.integers(*numbers, "rhs_contracting_dimensions"));
  } else {
    BP_TRY(read_pair(lowering, operation, "batching_dims", dimensions.lhs_batch, dimensions.rhs_batch));
    BP_TRY(read_pair(lowering, operation, "contracting_dims", dimensions.lhs_contracting, dimensions.rhs_contracting));
  }
  return dot(lowering, operation, dimensions);
}

// config = "ij,jk->ik". A letter in both operands and the result is a batch dimension, a letter in both operands only
// is a contracting dimension. The result of the dot is then transposed to the requested order.
Result<Values> lower_einsum(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(const Attribute *attribute, lowering.attribute(operation, "einsum_config", "config"));
  BP_ASSIGN(std::string config, lowering.word(*attribute));
  std::size_t comma = config.find(','), arrow = config.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) {
    return lowering.error(*attribute, "expected a config as in \"ij,jk->ik\"");
  }
  std::string lhs = config.substr(0, comma), rhs = config.substr(comma + 1, arrow - comma - 1);
  std::string result = config.substr(arrow + 2), batch, lhs_free, rhs_free;
  DotDimensions dimensions;
  auto place = [](const std::string &letters, char letter) { return static_cast<std::int64_t>(letters.find(letter)); };
  auto has = [](const std::string &letters, char letter) { return letters.find(letter) != std::string::npos; };
  for (char letter : lhs) {
    if (!has(rhs, letter)) {
      lhs_free += letter;
    } else if (has(result, letter)) {
      batch += letter;
      dimensions.lhs_batch.push_back(place(lhs, letter));
      dimensions.rhs_batch.push_back(place(rhs, letter));
    } else {
      dimensions.lhs_contracting.push_back(place(lhs, letter));
      dimensions.rhs_contracting.push_back(place(rhs, letter));
    }
  }
  for (char letter : rhs) {
    rhs_free += has(lhs, letter) ? std::string() : std::string(1, letter);
  }
  const Shape left = lowering.shape(lowering.operand(operation, 0)),
              right = lowering.shape(lowering.operand(operation, 1));
  std::string computed = batch + lhs_free + rhs_free;
  if (left.rank() != lhs.size() || right.rank() != rhs.size() ||
      !std::is_permutation(computed.begin(), computed.end(), result.begin(), result.end())) {
    return lowering.unsupported(
        operation, fmt::format("\"{}\" for {} and {}", config, to_string(Type{left}), to_string(Type{right})));
  }
  Integers sizes, order;
  for (char letter : computed) {
    sizes.push_back(has(lhs, letter) ? left.size(static_cast<std::size_t>(place(lhs, letter)))
                                     : right.size(static_cast<std::size_t>(place(rhs, letter))));
  }
  for (char letter : result) {
    order.push_back(place(computed, letter));
  }
  Status status;
  auto dot = lowering.add(operation, Opcode::Dot, Shape::array(lowering.result_shape(operation).element_type(), sizes),
                          lowering.operands(operation), [&](ir::Module &m, InstructionId added) {
                            set_dot_dimensions(m, added, dimensions);
                            status = lowering.set_precision(operation, added);
                          });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId id, std::move(dot));
  InstructionId operands[] = {id};
  BP_ASSIGN(id, lowering.add(operation, Opcode::Transpose, lowering.result_shapes(operation), operands,
                             [&](ir::Module &m, InstructionId added) {
                               m.set_numbers(added, AttributeKey::Dimensions, order);
                             }));
  return Values{id};
}

// config = "ab->ba": dimensions whose letters are missing in the result are summed.
Result<Values> lower_unary_einsum(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 1, 1));
  BP_ASSIGN(const Attribute *attribute, lowering.attribute(operation, "einsum_config", "config"));
  BP_ASSIGN(std::string config, lowering.word(*attribute));
  const std::size_t arrow = config.find("->");
  if (arrow == std::string::npos) {
    return lowering.error(*attribute, "expected a config as in \"ab->ba\"");
  }
  const std::string letters = config.substr(0, arrow), result = config.substr(arrow + 2);
  const Shape whole = lowering.shape(lowering.operand(operation, 0));
  auto is_new = [](const std::string &text, std::size_t i) { return text.find(text[i]) == i; };
  bool is_plain = letters.size() == whole.rank();
  for (std::size_t i = 0; i < letters.size(); ++i) {
    is_plain = is_plain && is_new(letters, i);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    is_plain = is_plain && is_new(result, i) && letters.find(result[i]) != std::string::npos;
  }
  if (!is_plain) {
    return lowering.unsupported(operation, fmt::format("\"{}\" for {}", config, to_string(Type{whole})));
  }
  Integers summed, sizes, order;
  std::string kept;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (result.find(letters[i]) == std::string::npos) {
      summed.push_back(static_cast<std::int64_t>(i));
    } else {
      kept += letters[i];
      sizes.push_back(whole.size(i));
    }
  }
  for (char letter : result) {
    order.push_back(static_cast<std::int64_t>(kept.find(letter)));
  }
  const ir::ElementType type = whole.element_type();
  InstructionId sum = lowering.operand(operation, 0);
  if (!summed.empty()) {
    BP_ASSIGN(ir::Literal nothing, ir::Literal::zeros(Shape::scalar(type)));
    BP_ASSIGN(InstructionId zero, lowering.constant(operation, std::move(nothing)));
    InstructionId operands[] = {sum, zero};
    ComputationId calls[] = {lowering.scalar_computation(Opcode::Add, type)};
    BP_ASSIGN(sum,
              lowering.add(
                  operation, Opcode::Reduce, Shape::array(type, sizes), operands,
                  [&](ir::Module &m, InstructionId added) { m.set_numbers(added, AttributeKey::Dimensions, summed); },
                  calls));
  }
  InstructionId sums[] = {sum};
  BP_ASSIGN(InstructionId id, lowering.add(operation, Opcode::Transpose, lowering.result_shapes(operation), sums,
                                           [&](ir::Module &m, InstructionId added) {
                                             m.set_numbers(added, AttributeKey::Dimensions, order);
                                           }));
  return Values{id};
}

Result<Values> lower_ragged_dot(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 3, 3));
  BP_ASSIGN(const Dictionary *numbers, lowering.dictionary(operation, "ragged_dot_dimension_numbers"));
  DotDimensions dimensions;
  BP_ASSIGN(dimensions.lhs_batch, lowering.integers(*numbers, "lhs_batching_dimensions"));
  BP_ASSIGN(dimensions.rhs_batch, lowering.integers(*numbers, "rhs_batching_dimensions"));
  BP_ASSIGN(dimensions.lhs_contracting, lowering.integers(*numbers, "lhs_contracting_dimensions"));
  BP_ASSIGN(dimensions.rhs_contracting, lowering.integers(*numbers, "rhs_contracting_dimensions"));
  BP_ASSIGN(Integers ragged, lowering.integers(*numbers, "lhs_ragged_dimensions"));
  BP_ASSIGN(Integers groups, lowering.integers(*numbers, "rhs_group_dimensions"));
  Status status;
  auto id = lowering.add(operation, Opcode::RaggedDot, lowering.result_shapes(operation), lowering.operands(operation),
                         [&](ir::Module &m, InstructionId added) {
                           set_dot_dimensions(m, added, dimensions);
                           m.set_numbers(added, AttributeKey::LhsRaggedDims, ragged);
                           if (!groups.empty()) {
                             m.set_numbers(added, AttributeKey::RhsGroupDims, groups);
                           }
                           status = lowering.set_precision(operation, added);
                         });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId instruction, std::move(id));
  return Values{instruction};
}

// --- Convolutions ---

// Returns the dimensions as ir::ConvolutionDimensions is stored: the six single ones, then the spatial ones of lhs, rhs
// and output.
static Result<Integers> convolution_dimensions(const Lowering &lowering, const Operation &operation) {
  BP_ASSIGN(const Dictionary *dimensions, lowering.dictionary(operation, "dimension_numbers"));
  Integers numbers;
  for (std::string_view name :
       {"input_batch_dimension", "input_feature_dimension", "kernel_input_feature_dimension",
        "kernel_output_feature_dimension", "output_batch_dimension", "output_feature_dimension"}) {
    BP_ASSIGN(std::int64_t number, lowering.integer(*dimensions, name, 0));
    numbers.push_back(number);
  }
  std::size_t spatial = 0;
  for (std::string_view name : {"input_spatial_dimensions", "kernel_spatial_dimensions", "output_spatial_dimensions"}) {
    BP_ASSIGN(Integers list, lowering.integers(*dimensions, name));
    if (numbers.size() > 6 && list.size() != spatial) {
      return lowering.error(operation,
                            fmt::format("{} spatial dimensions, and {} of another operand", list.size(), spatial));
    }
    spatial = list.size();
    numbers.insert(numbers.end(), list.begin(), list.end());
  }
  return numbers;
}

static Result<Values> convolution(Lowering &lowering, const Operation &operation,
                                  const std::optional<Integers> &padding) {
  BP_ASSIGN(Integers dimensions, convolution_dimensions(lowering, operation));
  std::size_t spatial = (dimensions.size() - 6) / 3;
  const Shape rhs = lowering.shape(lowering.operand(operation, 1));
  Integers sizes;
  for (std::size_t i = 0; i < spatial; ++i) {
    std::int64_t dimension = dimensions[6 + spatial + i];
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(rhs.rank())) {
      return lowering.error(operation,
                            fmt::format("the spatial dimension {} is not one of {}", dimension, to_string(Type{rhs})));
    }
    sizes.push_back(rhs.size(static_cast<std::size_t>(dimension)));
  }
  BP_ASSIGN(auto window,
            window_of(lowering, operation, sizes,
                      {"window_strides", padding ? "" : "padding", "lhs_dilation", "rhs_dilation", "window_reversal"}));
  for (std::size_t i = 0; padding && i < spatial; ++i) {
    if (padding->size() != 2 * spatial) {
      return lowering.error(operation, fmt::format("{} paddings for {} dimensions", padding->size(), spatial));
    }
    window[i].pad_low = (*padding)[2 * i];
    window[i].pad_high = (*padding)[2 * i + 1];
  }
  BP_ASSIGN(std::int64_t feature_groups, lowering.integer_or(operation, "feature_group_count", 1));
  BP_ASSIGN(std::int64_t batch_groups, lowering.integer_or(operation, "batch_group_count", 1));
  Values operands = lowering.operands(operation);
  operands.resize(2);
  Status status;
  auto id = lowering.add(operation, Opcode::Convolution, lowering.result_shapes(operation), operands,
                         [&](ir::Module &m, InstructionId added) {
                           m.set_window(added, window);
                           m.set_numbers(added, AttributeKey::DimLabels, dimensions);
                           if (feature_groups != 1) {
                             m.set_number(added, AttributeKey::FeatureGroupCount, feature_groups);
                           }
                           if (batch_groups != 1) {
                             m.set_number(added, AttributeKey::BatchGroupCount, batch_groups);
                           }
                           status = lowering.set_precision(operation, added);
                         });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId instruction, std::move(id));
  return Values{instruction};
}

Result<Values> lower_convolution(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  return convolution(lowering, operation, {});
}

Result<Values> lower_dynamic_conv(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 3, 3));
  const auto &padding = lowering.known_integers(lowering.operand(operation, 2));
  if (!padding) {
    return lowering.not_known(operation, "the padding is not known", lowering.operand(operation, 2));
  }
  return convolution(lowering, operation, padding);
}

}  // namespace bp::import::stablehlo
