// Shape rules of ops that only move data: broadcast, reshape, slices, concatenate, pad, tuples.
// Gather, scatter and sort are in shape_inference_indexing.cc.
#include "core/ir/shape_inference_rules.h"

#include "core/ir/shape_inference.h"

namespace bp::ir {

using namespace shape_rules;

namespace {

// Whether a size is known only at run time; such shapes are not compared.
bool has_unbounded(const Shape &shape) {
  return contains(shape.sizes(), unbounded);
}

// Checks that the operands from `first` on are one scalar index for each of `rank` dimensions, or a single vector of
// them.
Status check_start_indices(const Instruction &instruction, std::size_t first, std::size_t rank) {
  std::size_t count = instruction.operand_count() - first;
  if (count == 1 && operand_shape(instruction, first).rank() == 1) {
    const Shape &vector = operand_shape(instruction, first);
    if (!is_integer(vector.element_type()) || vector.size(0) != static_cast<std::int64_t>(rank)) {
      return unexpected_operand(instruction, first, fmt::format("a vector of {} integers", rank));
    }
    return {};
  }
  if (count != rank) {
    return invalid_input("{} has {} start indices, expected {}", instruction.op().text, count, rank);
  }
  for (std::size_t i = first; i < instruction.operand_count(); ++i) {
    BP_TRY(check_scalar_index(instruction, i));
    if (operand_shape(instruction, i).element_type() != operand_shape(instruction, first).element_type()) {
      return unexpected_operand(instruction, i, describe(operand_shape(instruction, first)));
    }
  }
  return {};
}

Status check_same_element_type(const Instruction &instruction, std::size_t i, std::size_t like) {
  ElementType expected = operand_shape(instruction, like).element_type();
  if (operand_shape(instruction, i).element_type() != expected) {
    return unexpected_operand(instruction, i, fmt::format("elements of type {}", to_string(expected)));
  }
  return {};
}

}  // namespace

Result<Shape> infer_broadcast(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  const Shape &operand = operand_shape(instruction, 0);
  const Shape &result = instruction.shape();
  auto targets = instruction.dimensions();
  // (C1) each dimension of the operand becomes a different dimension of the result.
  if (targets.size() != operand.rank()) {
    return invalid_input("dimensions has {} numbers, expected one for each of the operand's {} dimensions",
                         targets.size(), operand.rank());
  }
  BP_TRY(check_dimensions(targets, result.rank(), "dimensions"));
  // (C2) its size does not change.
  std::vector<Dimension> sizes = dimensions(result);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    auto target = static_cast<std::size_t>(targets[i]);
    if (!sizes_agree(operand.size(i), result.size(target))) {
      return invalid_input("dimension {} of the result has size {}, expected {}, the size of operand dimension {}",
                           target, result.size(target), operand.size(i), i);
    }
  }
  return make_array(operand.element_type(), sizes);
}

Result<Shape> infer_iota(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  if (instruction.shape().element_type() == ElementType::Pred) {
    return invalid_input("iota has shape {}, expected numbers", describe(instruction.shape()));
  }
  BP_TRY(
      check_dimension(instruction.number(AttributeKey::IotaDimension), instruction.shape().rank(), "iota_dimension"));
  return instruction.shape();
}

Result<Shape> infer_constant(const Instruction &instruction) {
  if (!instruction.literal().is_valid()) {
    return invalid_input("the constant has no literal");
  }
  return instruction.literal().shape();
}

Result<Shape> infer_parameter(const Instruction &instruction) {
  if (!instruction.shape().is_valid()) {
    return invalid_input("a parameter's shape must be written");
  }
  return instruction.shape();
}

Result<Shape> infer_reshape(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  const Shape &operand = operand_shape(instruction, 0), &result = instruction.shape();
  // (C1) the result has the same number and type of elements.
  if (operand.element_type() != result.element_type()) {
    return invalid_input("the result has element type {}, expected {}", to_string(result.element_type()),
                         to_string(operand.element_type()));
  }
  if (!has_unbounded(operand) && !has_unbounded(result) && operand.element_count() != result.element_count()) {
    return invalid_input("the result {} has {} elements, expected {} as in {}", describe(result),
                         result.element_count(), operand.element_count(), describe(operand));
  }
  if (instruction.has(AttributeKey::InferredDimension)) {
    std::int64_t inferred = instruction.number(AttributeKey::InferredDimension);
    if (inferred != -1) {
      BP_TRY(check_dimension(inferred, result.rank(), "inferred_dimension"));
    }
  }
  return result;
}

Result<Shape> infer_dynamic_reshape(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  const Shape &operand = operand_shape(instruction, 0), &result = instruction.shape();
  if (operand.element_type() != result.element_type()) {
    return invalid_input("the result has element type {}, expected {}", to_string(result.element_type()),
                         to_string(operand.element_type()));
  }
  // (C1) there is one size operand for each dimension of the result.
  if (instruction.operand_count() != result.rank() + 1) {
    return invalid_input("dynamic-reshape has {} sizes, expected {}", instruction.operand_count() - 1, result.rank());
  }
  for (std::size_t i = 1; i < instruction.operand_count(); ++i) {
    BP_TRY(check_scalar_index(instruction, i));
  }
  // (C2) the bounds of the result hold the same number of elements as those of the operand.
  if (!has_unbounded(operand) && !has_unbounded(result) && operand.element_count() != result.element_count()) {
    return invalid_input("the result {} has room for {} elements, expected {}", describe(result),
                         result.element_count(), operand.element_count());
  }
  return result;
}

Result<Shape> infer_bitcast(const Instruction &instruction) {
  BP_TRY(check_written_array(instruction));
  const Shape &operand = operand_shape(instruction, 0), &result = instruction.shape();
  // (C1) both take the same number of bytes as stored, with and without the padding of tiles: elements narrower than 8
  // bits take a byte each unless the layout packs them.
  auto stored_bits = [](const Shape &shape) {
    const std::int64_t packed = shape.layout().element_bits;
    return Int128{shape.element_count()} * (packed != 0 ? packed : 8 * std::int64_t{byte_width(shape.element_type())});
  };
  auto bytes = [&](const Shape &shape) { return static_cast<std::int64_t>((stored_bits(shape) + 7) / 8); };
  if (!has_unbounded(operand) && !has_unbounded(result) && bytes(operand) != bytes(result)) {
    return invalid_input("the result {} has {} bytes, expected {} as the operand {}", describe(result), bytes(result),
                         bytes(operand), describe(operand));
  }
  const bool has_tiles = !operand.layout().tiles.empty() || !result.layout().tiles.empty();
  if (has_tiles && operand.byte_size() != result.byte_size()) {
    return invalid_input("the result {} has {} bytes with its padding, expected {} as the operand {}",
                         ir::to_string(result), result.byte_size(), operand.byte_size(), ir::to_string(operand));
  }
  return result;
}

Result<Shape> infer_transpose(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  auto permutation = instruction.dimensions();
  if (permutation.size() != operand.rank()) {
    return invalid_input("dimensions is {}, expected a permutation of {} dimensions", list(permutation),
                         operand.rank());
  }
  BP_TRY(check_dimensions(permutation, operand.rank(), "dimensions"));
  std::vector<Dimension> sizes;
  for (std::int64_t from : permutation) {
    sizes.push_back(dimension(operand, static_cast<std::size_t>(from)));
  }
  return make_array(operand.element_type(), sizes);
}

Result<Shape> infer_reverse(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  BP_TRY(check_dimensions(instruction.dimensions(), operand.rank(), "dimensions"));
  return operand;
}

Result<Shape> infer_slice(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  auto ranges = instruction.slice_ranges();
  if (ranges.size() != operand.rank()) {
    return invalid_input("slice has {} ranges, expected {}", ranges.size(), operand.rank());
  }
  std::vector<Dimension> sizes;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    auto [start, limit, stride] = ranges[i];
    // (C1) 0 <= start <= limit <= size, 1 <= stride.
    bool is_inside = start >= 0 && start <= limit && (operand.size(i) == unbounded || limit <= operand.size(i));
    if (!is_inside || stride < 1) {
      return invalid_input("slice [{}:{}:{}] of dimension {} is outside of the operand {}", start, limit, stride, i,
                           describe(operand));
    }
    std::int64_t length = limit - start;
    bool takes_all = start == 0 && stride == 1 && limit == operand.size(i);
    sizes.push_back({length / stride + (length % stride != 0), takes_all && operand.is_dynamic(i)});
  }
  return make_array(operand.element_type(), sizes);
}

Result<Shape> infer_dynamic_slice(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  auto sizes = instruction.numbers(AttributeKey::DynamicSliceSizes);
  if (sizes.size() != operand.rank()) {
    return invalid_input("dynamic_slice_sizes has {} numbers, expected {}", sizes.size(), operand.rank());
  }
  BP_TRY(check_start_indices(instruction, 1, operand.rank()));
  std::vector<Dimension> result;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    // (C1) the slice fits into the operand.
    if (sizes[i] < 0 || (operand.size(i) != unbounded && sizes[i] > operand.size(i))) {
      return invalid_input("dynamic_slice_sizes is {}, expected a box inside of the operand {}", list(sizes),
                           describe(operand));
    }
    result.push_back({sizes[i], operand.is_dynamic(i) && sizes[i] == operand.size(i)});
  }
  return make_array(operand.element_type(), result);
}

Result<Shape> infer_dynamic_update_slice(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0), &update = operand_shape(instruction, 1);
  BP_TRY(check_same_element_type(instruction, 1, 0));
  // (C1) the update fits into the operand.
  bool fits = update.rank() == operand.rank();
  for (std::size_t i = 0; fits && i < operand.rank(); ++i) {
    fits = update.size(i) <= operand.size(i) || operand.size(i) == unbounded;
  }
  if (!fits) {
    return unexpected_operand(instruction, 1, fmt::format("a box inside of {}", describe(operand)));
  }
  BP_TRY(check_start_indices(instruction, 2, operand.rank()));
  return operand;
}

Result<Shape> infer_concatenate(const Instruction &instruction) {
  const Shape &first = operand_shape(instruction, 0);
  BP_ASSIGN(std::size_t along, single_dimension(instruction, first.rank()));
  std::vector<Dimension> sizes = dimensions(first);
  for (std::size_t k = 1; k < instruction.operand_count(); ++k) {
    const Shape &next = operand_shape(instruction, k);
    BP_TRY(check_same_element_type(instruction, k, 0));
    if (next.rank() != first.rank()) {
      return unexpected_operand(instruction, k, fmt::format("the rank of {}", describe(first)));
    }
    for (std::size_t i = 0; i < first.rank(); ++i) {
      if (i != along) {
        // (C1) all other dimensions are equal.
        if (!sizes_agree(next.size(i), sizes[i].size)) {
          return unexpected_operand(instruction, k, fmt::format("{} except for dimension {}", describe(first), along));
        }
        sizes[i] = merge(sizes[i], dimension(next, i));
        continue;
      }
      if (sizes[i].size == unbounded || next.size(i) == unbounded) {
        sizes[i] = {unbounded, true};
        continue;
      }
      BP_ASSIGN(sizes[i].size, checked_size(Int128{sizes[i].size} + next.size(i), "the result"));
      sizes[i].is_dynamic = sizes[i].is_dynamic || next.is_dynamic(i);
    }
  }
  return make_array(first.element_type(), sizes);
}

Result<Shape> infer_pad(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  auto padding = instruction.padding();
  // (C1) the padding value is a scalar of the operand's type.
  if (!operand_shape(instruction, 1).is_scalar()) {
    return unexpected_operand(instruction, 1, "a scalar");
  }
  BP_TRY(check_same_element_type(instruction, 1, 0));
  // (C2) there is padding for each dimension.
  if (padding.size() != operand.rank()) {
    return invalid_input("padding has {} dimensions, expected {}", padding.size(), operand.rank());
  }
  std::vector<Dimension> sizes = dimensions(operand);
  for (std::size_t i = 0; i < padding.size(); ++i) {
    auto [low, high, interior] = padding[i];
    if (interior < 0) {
      return invalid_input("interior padding of dimension {} is {}, expected 0 or more", i, interior);
    }
    if (sizes[i].size != unbounded) {
      Int128 gaps = std::max(Int128{sizes[i].size} - 1, Int128{0}) * interior;
      BP_ASSIGN(sizes[i].size,
                checked_size(Int128{sizes[i].size} + gaps + low + high, fmt::format("dimension {} of the result", i)));
    }
  }
  return make_array(operand.element_type(), sizes);
}

Result<Shape> infer_tuple(const Instruction &instruction) {
  // Counts the parts before copying any shapes.
  std::size_t parts = 1;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    parts += operand_shape(instruction, i).subshape_count();
    if (parts > max_tuple_parts) {
      return make_error(ErrorCode::Unsupported, "the tuple has more than {} parts", max_tuple_parts);
    }
  }
  std::vector<Shape> elements;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    elements.push_back(operand_shape(instruction, i));
  }
  return Shape::tuple(std::move(elements));
}

Result<Shape> infer_get_tuple_element(const Instruction &instruction) {
  const Shape &tuple = operand_shape(instruction, 0);
  if (!tuple.is_tuple()) {
    return unexpected_operand(instruction, 0, "a tuple");
  }
  BP_TRY(check_dimension(instruction.tuple_index(), tuple.elements().size(), "index"));
  return tuple.elements()[static_cast<std::size_t>(instruction.tuple_index())];
}

Result<Shape> infer_get_dimension_size(const Instruction &instruction) {
  BP_TRY(single_dimension(instruction, operand_shape(instruction, 0).rank()));
  return Shape::scalar(ElementType::S32);
}

Result<Shape> infer_set_dimension_size(const Instruction &instruction) {
  Shape result = operand_shape(instruction, 0);
  BP_ASSIGN(std::size_t changed, single_dimension(instruction, result.rank()));
  if (!same(operand_shape(instruction, 1), Shape::scalar(ElementType::S32), CompareLayout::No)) {
    return unexpected_operand(instruction, 1, "s32[]");
  }
  result.set_dynamic(changed, true);
  return result;
}

// Whether the indices have the dimensions of the operand, each of its size or 1, followed by a dimension for the
// coordinates; that dimension may be missing if there is only one coordinate.
bool fits_as_indices(const Shape &indices, const Shape &operand, std::size_t coordinates) {
  bool is_bare = coordinates == 1 && indices.rank() == operand.rank();
  if (!is_integer(indices.element_type()) || (!is_bare && indices.rank() != operand.rank() + 1)) {
    return false;
  }
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    if (indices.size(d) != 1 && indices.size(d) != operand.size(d)) {
      return false;
    }
  }
  return is_bare || indices.size(operand.rank()) == static_cast<std::int64_t>(coordinates);
}

Result<Shape> infer_shuffle(const Instruction &instruction) {
  const Shape &operand = operand_shape(instruction, 0);
  auto dimensions = instruction.dimensions();
  BP_TRY(check_dimensions(dimensions, operand.rank(), "dimensions"));
  bool rotates = instruction.enumerator(AttributeKey::ShuffleMode, ShuffleMode::Rotate) == ShuffleMode::Rotate;
  // (C1) mode rotate uses shifts only, mode permute uses indices only.
  if (instruction.has(AttributeKey::Shifts) != rotates || instruction.literal().is_valid() == rotates) {
    return invalid_input("mode={} goes with {} alone", rotates ? "rotate" : "permute", rotates ? "shifts" : "indices");
  }
  // (C2) there is one shift per dimension.
  if (rotates && instruction.numbers(AttributeKey::Shifts).size() != dimensions.size()) {
    return invalid_input("{} shifts for {} dimensions", instruction.numbers(AttributeKey::Shifts).size(),
                         dimensions.size());
  }
  // (C3) there is one coordinate per dimension, for each element or shared along dimensions of size 1.
  if (!rotates && !fits_as_indices(instruction.literal().shape(), operand, dimensions.size())) {
    return invalid_input(
        "indices has shape {}, expected integers with the sizes of {} (or 1), then {} for the dimensions {}",
        describe(instruction.literal().shape()), describe(operand), dimensions.size(), list(dimensions));
  }
  return operand;
}

}  // namespace bp::ir
