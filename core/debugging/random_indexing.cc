// Gather and scatter.
#include <algorithm>

#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

// Slices of an operand at indices. The batch dimensions of the indices ("places") include the operand's batching
// dimensions; for each place there is an index vector, with one number for each indexed dimension.
struct Boxes {
  Id operand, indices;
  Numbers index_map;  // dimensions of the operand that are indexed
  Numbers collapsed;  // dimensions of the operand that the slice does not have
  Numbers batching;   // dimensions of the operand that correspond to dimensions of the places
  Numbers batching_positions;
  Numbers sizes;  // of the slice, for each dimension of the operand
  std::int64_t vector_dimension = 0;
  Numbers places;  // sizes of the batch dimensions
  Numbers window;  // positions of the slice's dimensions in the result or the updates
  Numbers result_sizes;
};

void choose_places(Scope &s, Boxes &boxes, const Numbers &batching_sizes) {
  for (std::int64_t more = s.random.between(batching_sizes.empty() ? 0 : -1, 1); more >= 0; --more) {
    boxes.places.push_back(s.random.of(s.palette.sizes));
  }
  for (std::int64_t size : batching_sizes) {
    const std::int64_t at = s.random.below(std::ssize(boxes.places) + 1);
    boxes.places.insert(boxes.places.begin() + at, size);
    for (std::int64_t &place : boxes.batching_positions) {
      place += place >= at ? 1 : 0;
    }
    boxes.batching_positions.push_back(at);
  }
}

Boxes random_boxes(Scope &s) {
  Boxes boxes;
  const bool is_long = s.has_long_positions();
  boxes.operand = is_long ? s.long_array() : s.value(s.random_type(), 1);
  const Shape operand = s.shape(boxes.operand);
  Numbers batching_sizes, box;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(operand.rank()); ++d) {
    const std::int64_t size = operand.size(static_cast<std::size_t>(d));
    const std::int64_t role = s.random.below(7);
    if (role < 3 && size > 0) {
      boxes.index_map.push_back(d);
      boxes.collapsed.push_back(d);
      boxes.sizes.push_back(1);
    } else if (role == 3 && size > 0) {
      boxes.batching.push_back(d);
      batching_sizes.push_back(size);
      boxes.sizes.push_back(1);
    } else {
      if (role == 4) {
        boxes.index_map.push_back(d);
      }
      boxes.sizes.push_back(role == 4 ? s.random.between(std::min<std::int64_t>(size, 1), size) : size);
      box.push_back(boxes.sizes.back());
    }
  }
  if (s.random.chance(2)) {
    const Numbers order = permutation(s.random, std::ssize(boxes.index_map));
    Numbers mixed;
    for (std::int64_t i : order) {
      mixed.push_back(boxes.index_map[static_cast<std::size_t>(i)]);
    }
    boxes.index_map = mixed;
  }
  choose_places(s, boxes, batching_sizes);
  Numbers index_sizes = boxes.places;
  boxes.vector_dimension = s.random.chance(3) ? s.random.below(std::ssize(boxes.places) + 1) : std::ssize(boxes.places);
  if (boxes.index_map.size() != 1 || s.random.chance(2)) {
    index_sizes.insert(index_sizes.begin() + boxes.vector_dimension, std::ssize(boxes.index_map));
  } else {
    boxes.vector_dimension = std::ssize(boxes.places);  // index vectors of one number may have no dimension
  }
  // The slice's dimensions are interspersed with those of the places.
  boxes.result_sizes = boxes.places;
  for (std::int64_t size : box) {
    const std::int64_t first = boxes.window.empty() ? 0 : boxes.window.back() + 1;
    const std::int64_t at = s.random.between(first, std::ssize(boxes.result_sizes));
    boxes.result_sizes.insert(boxes.result_sizes.begin() + at, size);
    boxes.window.push_back(at);
  }
  using enum ElementType;
  const ElementType type = is_long                     ? U8
                           : s.palette.only_parameters ? s.index_type()
                                                       : s.random.of(std::vector{S32, S32, U8, S64});
  boxes.indices = s.value(Shape::array(type, index_sizes));
  // Attributes number the places without the index vector's dimension; indices include it.
  for (std::int64_t &place : boxes.batching_positions) {
    place += index_sizes.size() != boxes.places.size() && place >= boxes.vector_dimension ? 1 : 0;
  }
  return boxes;
}

bool is_too_large(const Scope &s, const Boxes &boxes) {
  return ir::product(boxes.result_sizes) > 2 * s.palette.max_elements;
}

void add_gather(Scope &s) {
  const Boxes boxes = random_boxes(s);
  if (is_too_large(s, boxes)) {
    return;
  }
  s.add(Opcode::Gather, std::vector{boxes.operand, boxes.indices}, [&](ir::Module &m, Id id) {
    m.set_numbers(id, AttributeKey::OffsetDims, boxes.window);
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, boxes.collapsed);
    m.set_numbers(id, AttributeKey::StartIndexMap, boxes.index_map);
    m.set_number(id, AttributeKey::IndexVectorDim, boxes.vector_dimension);
    m.set_numbers(id, AttributeKey::SliceSizes, boxes.sizes);
    if (!boxes.batching.empty()) {
      m.set_numbers(id, AttributeKey::OperandBatchingDims, boxes.batching);
      m.set_numbers(id, AttributeKey::StartIndicesBatchingDims, boxes.batching_positions);
    }
  });
}

// A function that treats the element and the update differently: it keeps the update, which is determined if there is
// one for each element, or subtracts it.
ir::ComputationId combiner_by_role(Scope &s, ElementType type, bool is_unique) {
  const ir::ComputationId combine = s.b.module().add_computation("combine");
  ir::Builder b(s.b.module(), combine);
  const Id before = b.parameter(Shape::scalar(type)), update = b.parameter(Shape::scalar(type));
  const bool subtracts = ir::is_integer(type) && (!is_unique || s.random.chance(2));
  s.b.module().set_root(combine, subtracts ? b.add(Opcode::Subtract, {before, update}) : update);
  return combine;
}

// A function of an element of each type and as many updates, each with an op of its own.
ir::ComputationId combiner_of_several(Scope &s, std::span<const ElementType> types) {
  const ir::ComputationId combine = s.b.module().add_computation("combine");
  ir::Builder b(s.b.module(), combine);
  std::vector<Id> before, updates, combined;
  for (std::vector<Id> *side : {&before, &updates}) {
    for (const ElementType type : types) {
      side->push_back(b.parameter(Shape::scalar(type)));
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    combined.push_back(b.add(random_combiner(s, types[i]), {before[i], updates[i]}));
  }
  s.b.module().set_root(combine, b.tuple(combined));
  return combine;
}

// One array, in some programs of one instruction two or three, which may be of other types.
std::vector<ElementType> types_of_scatter(Scope &s, ElementType type) {
  using enum ElementType;
  std::vector<ElementType> types{type};
  if (s.palette.only_parameters && s.random.chance(3)) {
    for (std::int64_t more = s.random.between(1, 2); more > 0; --more) {
      types.push_back(s.random.chance(2) ? type : s.random.of(std::vector{S8, U16, S32, S64}));
    }
  }
  return types;
}

void add_scatter(Scope &s) {
  const Boxes boxes = random_boxes(s);
  if (is_too_large(s, boxes)) {
    return;
  }
  const ElementType type = s.shape(boxes.operand).element_type();
  const std::int64_t updates = ir::product(boxes.places);
  const bool is_unique = updates == 1;
  const std::vector<ElementType> types = types_of_scatter(s, type);
  if (types.size() > 1 &&
      std::ranges::any_of(types, [&](ElementType one) { return depends_on_order(s, one, updates); })) {
    return;
  }
  const ir::ComputationId combiner =
      types.size() > 1 ? combiner_of_several(s, types)
      : s.palette.only_parameters && (is_unique || ir::is_integer(type)) && s.random.chance(3)
          ? combiner_by_role(s, type, is_unique)
          : combining_computation(s, random_combiner(s, type), type);
  std::vector<Id> operands{boxes.operand};
  const Shape of_operand = s.shape(boxes.operand);
  for (std::size_t i = 1; i < types.size(); ++i) {
    Shape other = Shape::array(types[i], of_operand.sizes());
    other.set_layout(of_operand.layout());  // devices may want all in one layout
    operands.push_back(s.b.parameter(other));
  }
  operands.push_back(boxes.indices);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Shape of_updates = Shape::array(types[i], boxes.result_sizes);
    operands.push_back(i == 0 ? s.value(of_updates) : s.b.parameter(of_updates));
  }
  s.add(
      Opcode::Scatter, operands,
      [&](ir::Module &m, Id id) {
        if (is_unique && s.palette.only_parameters && s.random.chance(2)) {
          m.set_number(id, AttributeKey::UniqueIndices, 1);
        }
        m.set_numbers(id, AttributeKey::UpdateWindowDims, boxes.window);
        m.set_numbers(id, AttributeKey::InsertedWindowDims, boxes.collapsed);
        m.set_numbers(id, AttributeKey::ScatterDimsToOperandDims, boxes.index_map);
        m.set_number(id, AttributeKey::IndexVectorDim, boxes.vector_dimension);
        if (!boxes.batching.empty()) {
          m.set_numbers(id, AttributeKey::InputBatchingDims, boxes.batching);
          m.set_numbers(id, AttributeKey::ScatterIndicesBatchingDims, boxes.batching_positions);
        }
      },
      std::span(&combiner, 1));
}

}  // namespace

void add_indexing(Scope &s) {
  s.random.chance(2) ? add_gather(s) : add_scatter(s);
}

}  // namespace bp::debugging
