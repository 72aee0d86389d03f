// Rewrites shuffle: rotations as two slices that are exchanged, permutations as a gather of single elements.
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

Id rotated(ArrayBuilder &b, Id x, std::size_t dimension, std::int64_t shift) {
  const std::int64_t size = b.shape(x).size(dimension);
  shift = (shift % size + size) % size;
  return shift == 0 ? x
                    : b.concatenate({b.slice(x, dimension, shift, size), b.slice(x, dimension, 0, shift)},
                                    static_cast<std::int64_t>(dimension));
}

// Returns the source index of each element, in all dimensions: s64[sizes..., rank]. Indices of size 1 are repeated.
Id sources(ArrayBuilder &b, ir::Instruction shuffle) {
  const ir::Shape result = shuffle.shape();
  const auto rank = static_cast<std::int64_t>(result.rank());
  const Numbers shuffled(shuffle.dimensions().begin(), shuffle.dimensions().end());
  const ir::Shape place = ir::Shape::array(ElementType::S64, result.sizes());
  Numbers one_each(result.sizes().begin(), result.sizes().end());
  one_each.push_back(1);

  const Id given = b.cast(b.constant(shuffle.literal()), ElementType::S64);
  Numbers given_sizes(b.shape(given).sizes().begin(), b.shape(given).sizes().end());
  given_sizes.resize(result.rank());
  const Id indices =
      b.ir::Builder::reshape(given, Numbers{ir::product(given_sizes), static_cast<std::int64_t>(shuffled.size())});

  std::vector<Id> coordinates;
  for (std::int64_t d = 0; d < rank; ++d) {
    Id coordinate = b.iota(place, d);
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
      if (shuffled[i] == d) {
        const auto column = static_cast<std::int64_t>(i);
        coordinate =
            b.broadcast_to(b.ir::Builder::reshape(b.slice(indices, 1, column, column + 1), given_sizes), coordinate);
      }
    }
    coordinates.push_back(b.ir::Builder::reshape(coordinate, one_each));
  }
  return b.concatenate(coordinates, rank);
}

Id permuted(ArrayBuilder &b, ir::Instruction shuffle) {
  const auto rank = static_cast<std::int64_t>(shuffle.shape().rank());
  Numbers all;
  for (std::int64_t d = 0; d < rank; ++d) {
    all.push_back(d);
  }
  return b.add(ir::Opcode::Gather, {shuffle.operands()[0], sources(b, shuffle)}, [&](ir::Module &m, Id id) {
    m.set_numbers(id, AttributeKey::OffsetDims, {});
    m.set_numbers(id, AttributeKey::CollapsedSliceDims, all);
    m.set_numbers(id, AttributeKey::StartIndexMap, all);
    m.set_number(id, AttributeKey::IndexVectorDim, rank);
    m.set_numbers(id, AttributeKey::SliceSizes, Numbers(all.size(), 1));
  });
}

}  // namespace

Result<bool> shuffle_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction shuffle) -> Result<Id> {
    if (shuffle.opcode() != ir::Opcode::Shuffle || shuffle.shape().element_count() == 0) {
      return shuffle.id();
    }
    ArrayBuilder b(module, shuffle);
    if (shuffle.literal().is_valid()) {
      return permuted(b, shuffle);
    }
    Id x = shuffle.operands()[0];
    for (std::size_t i = 0; i < shuffle.dimensions().size(); ++i) {
      x = rotated(b, x, static_cast<std::size_t>(shuffle.dimensions()[i]), shuffle.numbers(AttributeKey::Shifts)[i]);
    }
    return x;
  });
}

}  // namespace bp::passes
