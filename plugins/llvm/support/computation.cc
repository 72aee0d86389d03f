// Checks of ops that apply a computation to elements.
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/support/support.h"

namespace bp::emit {

std::string map_problem(InstructionView instruction) {
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    if (!same_dims(instruction.operand_shape(i), instruction.shape())) {
      return "has operands of other dimensions";
    }
  }
  return instruction.calls().size() == 1
             ? scalar_computation_problem(instruction.called(0), instruction.operand_count(), 1)
             : "has a wrong number of called computations";
}

namespace {

// Checks a computation that combines an element of each result with one of each operand from `first` on, which may have
// other types.
std::string combiner_problem(InstructionView instruction, std::size_t first) {
  const std::size_t count = instruction.result_count();
  const ComputationView combiner = instruction.called(0);
  if (std::string problem = scalar_computation_problem(combiner, 2 * count, count); !problem.empty()) {
    return problem;
  }
  const auto has_type = [&](std::uint32_t value, const Shape &shape) {
    return instruction.module().shape_of(value).dtype == shape.dtype;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_type(combiner.parameters()[i], instruction.shape(i)) ||
        !has_type(combiner.parameters()[count + i], instruction.operand_shape(first + i)) ||
        !has_type(combiner.roots()[i], instruction.shape(i))) {
      return "calls a computation on other types";
    }
  }
  return {};
}

}  // namespace

std::string reduce_problem(InstructionView instruction) {
  const std::size_t count = instruction.operand_count() / 2;
  if (count == 0 || instruction.operand_count() % 2 != 0 || instruction.result_count() != count ||
      instruction.calls().size() != 1) {
    return "has a wrong number of operands";
  }
  const Shape &shape = instruction.operand_shape(0);
  std::size_t rank = shape.rank();
  if (instruction.op() == BP_OP_REDUCE) {
    const Numbers dims = instruction.numbers(BP_ATTR_DIMENSIONS);
    if (!all_below(dims, shape.rank())) {
      return "has dimensions out of range";
    }
    rank -= dims.size();
  } else if (std::string problem = window_problem(instruction.numbers(BP_ATTR_WINDOW), rank); !problem.empty()) {
    return problem;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!same_dims(instruction.operand_shape(i), shape) || instruction.operand_shape(count + i).rank() != 0 ||
        instruction.shape(i).rank() != rank ||
        instruction.operand_shape(count + i).dtype != instruction.shape(i).dtype ||
        !same_dims(instruction.shape(i), instruction.shape(0))) {
      return "has operands that do not agree";
    }
  }
  return combiner_problem(instruction, 0);
}

std::string scatter_problem(InstructionView instruction) {
  const std::size_t count = instruction.operand_count() / 2;
  if (count == 0 || instruction.operand_count() != 2 * count + 1 || instruction.result_count() != count ||
      instruction.calls().size() != 1) {
    return "has a wrong number of operands";
  }
  const Shape &operand = instruction.operand_shape(0), &starts = instruction.operand_shape(count),
              &update = instruction.operand_shape(count + 1);
  const Numbers window = instruction.numbers(BP_ATTR_UPDATE_WINDOW_DIMS),
                inserted = instruction.numbers(BP_ATTR_INSERTED_WINDOW_DIMS),
                map = instruction.numbers(BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS),
                batching = instruction.numbers(BP_ATTR_INPUT_BATCHING_DIMS),
                starts_batching = instruction.numbers(BP_ATTR_SCATTER_INDICES_BATCHING_DIMS);
  const auto vector_dim = static_cast<std::size_t>(instruction.number(BP_ATTR_INDEX_VECTOR_DIM, -1));
  if (!is_integer(starts.dtype) || vector_dim > starts.rank() || !all_below(window, update.rank()) ||
      !all_below(inserted, operand.rank()) || !all_below(map, operand.rank()) || !all_below(batching, operand.rank()) ||
      !all_below(starts_batching, starts.rank()) || batching.size() != starts_batching.size() ||
      window.size() + inserted.size() + batching.size() != operand.rank()) {
    return "has dimension numbers out of range";
  }
  const std::size_t starts_rank = starts.rank() - (vector_dim < starts.rank() ? 1 : 0);
  if (update.rank() - window.size() != starts_rank ||
      (vector_dim < starts.rank() ? starts.dims[vector_dim] : 1) != static_cast<std::int64_t>(map.size())) {
    return "has dimension numbers that do not agree";
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Shape &result = instruction.shape(i), &from = instruction.operand_shape(i);
    if (!same_dims(from, operand) || !same_dims(result, operand) || from.minor_to_major != operand.minor_to_major ||
        result.minor_to_major != operand.minor_to_major || from.dtype != result.dtype ||
        !same_dims(instruction.operand_shape(count + 1 + i), update)) {
      return "has operands that do not agree";
    }
  }
  return combiner_problem(instruction, count + 1);
}

std::string select_and_scatter_problem(InstructionView instruction) {
  if (instruction.operand_count() != 3 || instruction.calls().size() != 2) {
    return "has a wrong number of operands";
  }
  const Shape &operand = instruction.operand_shape(0);
  const Numbers window = instruction.numbers(BP_ATTR_WINDOW);
  if (std::string problem = window_problem(window, operand.rank()); !problem.empty()) {
    return problem;
  }
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    if (window[7 * d + 4] != 1 || window[7 * d + 5] != 1 || window[7 * d + 6] != 0) {
      return "has a dilated window";
    }
  }
  const Shape &result = instruction.shape();
  if (!same_dims(result, operand) || result.minor_to_major != operand.minor_to_major || result.dtype != operand.dtype ||
      instruction.operand_shape(1).rank() != operand.rank() || instruction.operand_shape(2).rank() != 0) {
    return "has operands that do not agree";
  }
  if (std::string problem = scalar_computation_problem(instruction.called(0), 2, 1); !problem.empty()) {
    return problem;
  }
  return scalar_computation_problem(instruction.called(1), 2, 1);
}

std::string sort_problem(InstructionView instruction) {
  const std::size_t count = instruction.operand_count();
  const Numbers dims = instruction.numbers(BP_ATTR_DIMENSIONS);
  if (count == 0 || instruction.result_count() != count || instruction.calls().size() != 1 || dims.size() != 1 ||
      !all_below(dims, instruction.operand_shape(0).rank())) {
    return "has a wrong number of operands or dimensions";
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!same_dims(instruction.operand_shape(i), instruction.operand_shape(0)) ||
        !same_dims(instruction.shape(i), instruction.operand_shape(0)) ||
        instruction.shape(i).dtype != instruction.operand_shape(i).dtype ||
        instruction.shape(i).minor_to_major != instruction.operand_shape(i).minor_to_major) {
      return "has operands that do not agree";
    }
  }
  return scalar_computation_problem(instruction.called(0), 2 * count, 1);
}

std::string topk_problem(InstructionView instruction) {
  if (instruction.operand_count() != 1 || instruction.result_count() != 2 || instruction.operand_shape(0).rank() == 0) {
    return "has a wrong number of operands, results or dimensions";
  }
  const Shape &from = instruction.operand_shape(0), &values = instruction.shape(0), &positions = instruction.shape(1);
  if (is_complex(from.dtype)) {
    return "orders complex numbers";
  }
  std::vector<std::int64_t> expected = from.dims;
  const std::int64_t size = expected.back(), count = values.rank() == 0 ? -1 : values.dims.back();
  expected.back() = count;
  if (values.dims != expected || positions.dims != expected || count > size || values.dtype != from.dtype ||
      positions.dtype != BP_DTYPE_S32) {
    return "has results of other shapes than its operand's";
  }
  return size > INT32_MAX ? "has positions that are no s32" : "";
}

}  // namespace bp::emit
