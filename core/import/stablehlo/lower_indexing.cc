// Gathers and scatters.
#include <algorithm>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

struct ListName {
  std::string_view name;
  AttributeKey key;
  bool is_optional = false;  // omitted if it is empty
};

Status copy_lists(Lowering &lowering, const Dictionary &from, std::span<const ListName> names, InstructionId to) {
  for (const ListName &list : names) {
    BP_ASSIGN(Integers numbers, lowering.integers(from, list.name));
    if (!list.is_optional || !numbers.empty()) {
      lowering.module().set_numbers(to, list.key, numbers);
    }
  }
  BP_ASSIGN(std::int64_t vector_dimension, lowering.integer(from, "index_vector_dim", 0));
  lowering.module().set_number(to, AttributeKey::IndexVectorDim, vector_dimension);
  return {};
}

Result<Values> gather(Lowering &lowering, const Operation &operation, const Integers &slice_sizes) {
  constexpr ListName names[] = {{"offset_dims", AttributeKey::OffsetDims},
                                {"collapsed_slice_dims", AttributeKey::CollapsedSliceDims},
                                {"start_index_map", AttributeKey::StartIndexMap},
                                {"operand_batching_dims", AttributeKey::OperandBatchingDims, true},
                                {"start_indices_batching_dims", AttributeKey::StartIndicesBatchingDims, true}};
  BP_ASSIGN(const Dictionary *dimensions, lowering.dictionary(operation, "dimension_numbers"));
  BP_ASSIGN(bool are_sorted, lowering.flag(operation, "indices_are_sorted"));
  Values operands = lowering.operands(operation);
  operands.resize(2);
  Status status;
  auto id = lowering.add(operation, Opcode::Gather, lowering.result_shapes(operation), operands,
                         [&](ir::Module &m, InstructionId added) {
                           status = copy_lists(lowering, *dimensions, names, added);
                           m.set_numbers(added, AttributeKey::SliceSizes, slice_sizes);
                           if (are_sorted) {
                             m.set_number(added, AttributeKey::IndicesAreSorted, 1);
                           }
                         });
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId instruction, std::move(id));
  return Values{instruction};
}

}  // namespace

Result<Values> lower_gather(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(Integers slice_sizes, lowering.integers(operation, "slice_sizes"));
  return gather(lowering, operation, slice_sizes);
}

// The slice sizes are an operand. If they are not known, a static result gives them: dimensions it does not have are of
// size 1.
Result<Values> lower_dynamic_gather(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 3, 3));
  if (const auto &known = lowering.known_integers(lowering.operand(operation, 2))) {
    return gather(lowering, operation, *known);
  }
  BP_ASSIGN(const Dictionary *dimensions, lowering.dictionary(operation, "dimension_numbers"));
  BP_ASSIGN(Integers offsets, lowering.integers(*dimensions, "offset_dims"));
  BP_ASSIGN(Integers dropped, lowering.integers(*dimensions, "collapsed_slice_dims"));
  BP_ASSIGN(Integers batching, lowering.integers(*dimensions, "operand_batching_dims"));
  dropped.insert(dropped.end(), batching.begin(), batching.end());
  Shape result = lowering.result_shape(operation);
  Integers sizes;
  std::size_t next = 0;
  for (std::size_t i = 0; i < lowering.shape(lowering.operand(operation, 0)).rank(); ++i) {
    if (std::ranges::find(dropped, static_cast<std::int64_t>(i)) != dropped.end()) {
      sizes.push_back(1);
      continue;
    }
    std::int64_t offset = next < offsets.size() ? offsets[next++] : -1;
    if (offset < 0 || offset >= static_cast<std::int64_t>(result.rank()) || !result.is_static()) {
      return lowering.not_known(operation, "the slice sizes are not known", lowering.operand(operation, 2));
    }
    sizes.push_back(result.size(static_cast<std::size_t>(offset)));
  }
  return gather(lowering, operation, sizes);
}

// result[b..., i..., d...] = operand[b..., index[b..., i...], d...], along `dim`, after `batch_dims` shared dimensions.
Result<Values> lower_torch_index_select(Lowering &lowering, const Operation &operation) {
  BP_TRY(lowering.expect_operands(operation, 2, 2));
  BP_ASSIGN(std::int64_t dimension, lowering.integer(operation, "dim"));
  BP_ASSIGN(std::int64_t batch, lowering.integer(operation, "batch_dims"));
  const Shape operand = lowering.shape(lowering.operand(operation, 0));
  const Shape indices = lowering.shape(lowering.operand(operation, 1));
  auto rank = static_cast<std::int64_t>(operand.rank()), index_rank = static_cast<std::int64_t>(indices.rank());
  if (batch < 0 || batch > index_rank || dimension < batch || dimension >= rank) {
    return lowering.error(operation, fmt::format("dimension {} after {} shared dimensions of {} and {}", dimension,
                                                 batch, to_string(Type{operand}), to_string(Type{indices})));
  }
  Integers offsets, batch_dimensions, sizes(operand.sizes().begin(), operand.sizes().end());
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i < batch) {
      batch_dimensions.push_back(i);
      sizes[static_cast<std::size_t>(i)] = 1;
    } else if (i != dimension) {
      offsets.push_back(i < dimension ? i : i + index_rank - batch - 1);
    }
  }
  sizes[static_cast<std::size_t>(dimension)] = 1;
  BP_ASSIGN(InstructionId id,
            lowering.add(operation, Opcode::Gather, lowering.result_shapes(operation), lowering.operands(operation),
                         [&](ir::Module &m, InstructionId added) {
                           m.set_numbers(added, AttributeKey::OffsetDims, offsets);
                           m.set_numbers(added, AttributeKey::CollapsedSliceDims, {dimension});
                           m.set_numbers(added, AttributeKey::StartIndexMap, {dimension});
                           m.set_number(added, AttributeKey::IndexVectorDim, index_rank);
                           m.set_numbers(added, AttributeKey::SliceSizes, sizes);
                           if (batch != 0) {
                             m.set_numbers(added, AttributeKey::OperandBatchingDims, batch_dimensions);
                             m.set_numbers(added, AttributeKey::StartIndicesBatchingDims, batch_dimensions);
                           }
                         }));
  return Values{id};
}

Result<Values> lower_scatter(Lowering &lowering, const Operation &operation) {
  constexpr ListName names[] = {{"update_window_dims", AttributeKey::UpdateWindowDims},
                                {"inserted_window_dims", AttributeKey::InsertedWindowDims},
                                {"scatter_dims_to_operand_dims", AttributeKey::ScatterDimsToOperandDims},
                                {"input_batching_dims", AttributeKey::InputBatchingDims, true},
                                {"scatter_indices_batching_dims", AttributeKey::ScatterIndicesBatchingDims, true}};
  BP_TRY(lowering.expect_regions(operation, 1, 1));
  BP_ASSIGN(const Dictionary *dimensions, lowering.dictionary(operation, "scatter_dimension_numbers"));
  BP_ASSIGN(bool are_sorted, lowering.flag(operation, "indices_are_sorted"));
  BP_ASSIGN(bool are_unique, lowering.flag(operation, "unique_indices"));
  BP_ASSIGN(ComputationId computation, lowering.embedded(operation, 0));
  ComputationId calls[] = {computation};
  Status status;
  auto id = lowering.add(
      operation, Opcode::Scatter, lowering.result_shapes(operation), lowering.operands(operation),
      [&](ir::Module &m, InstructionId added) {
        status = copy_lists(lowering, *dimensions, names, added);
        if (are_sorted) {
          m.set_number(added, AttributeKey::IndicesAreSorted, 1);
        }
        if (are_unique) {
          m.set_number(added, AttributeKey::UniqueIndices, 1);
        }
      },
      calls);
  BP_TRY(std::move(status));
  BP_ASSIGN(InstructionId instruction, std::move(id));
  return lowering.results(operation, instruction);
}

}  // namespace bp::import::stablehlo
