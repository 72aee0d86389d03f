// Sizes that only a run tells: where operands are combined whose sizes may differ from run to run.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/import/array/support.h"

namespace bp::import::array {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::InstructionId;

// Where a size comes from: the instruction that computes it, and the dimension, -1 if it is the instruction's value.
using SizeOrigin = std::pair<InstructionId, std::int64_t>;

// Follows a size through instructions that keep it. Two sizes of one origin are the same; of two, they may be.
SizeOrigin size_origin(const ir::Module &module, InstructionId id, std::int64_t dimension) {
  for (;;) {
    const Instruction instruction = module.instruction(id);
    std::optional<InstructionId> next;
    std::int64_t of_next = dimension;
    if (instruction.opcode() == Opcode::SetDimensionSize) {
      if (instruction.dimensions()[0] == dimension) {
        return {instruction.operands()[1], -1};
      }
      next = instruction.operands()[0];
    } else if (instruction.opcode() == Opcode::Transpose) {
      next = instruction.operands()[0];
      of_next = instruction.dimensions()[static_cast<std::size_t>(dimension)];
    } else if (instruction.opcode() == Opcode::Broadcast) {
      const auto dimensions = instruction.dimensions();
      const auto found = std::ranges::find(dimensions, dimension);
      if (found != dimensions.end()) {
        next = instruction.operands()[0];
        of_next = found - dimensions.begin();
      }
    } else if (info(instruction.opcode()).has(ir::Trait::Elementwise)) {
      for (const InstructionId operand : instruction.operands()) {
        const Shape &shape = module.instruction(operand).shape();
        if (shape.rank() == instruction.shape().rank() && shape.is_dynamic(static_cast<std::size_t>(dimension))) {
          if (next) {
            return {id, dimension};
          }
          next = operand;
        }
      }
    }
    if (!next) {
      return {id, dimension};
    }
    id = *next;
    dimension = of_next;
  }
}

// The arrays along one dimension of what they are combined to: operand i has the dimension places[i], or none.
struct Alignment {
  Arrays &arrays;
  std::vector<std::int64_t> places;  // -1: none

  bool is_bounded(std::size_t i) const { return places[i] >= 0 && arrays[i].is_bounded(places[i]); }
  std::int64_t size(std::size_t i) const { return places[i] < 0 ? 1 : arrays[i].size(places[i]); }
};

// Returns as many elements along a dimension as `bound`: element j is element min(j, the array's size - 1).
Array repeated_last(const Array &x, std::int64_t dimension, std::int64_t bound) {
  if (!x.is_valid() || x.size(dimension) == 0) {
    return x;
  }
  GraphBuilder &builder = x.builder();
  const Array last = maximum(run_time_size(x, dimension) - 1, 0);
  const Integers sizes = {bound};
  return take(x, minimum(builder.iota(ElementType::S32, sizes, 0), last), dimension);
}

// Gives the arrays, where they have the dimension, one size along it.
void combine(Alignment along) {
  std::int64_t known = 1, bound = 1;
  std::vector<std::size_t> bounded;
  for (std::size_t i = 0; i < along.arrays.size(); ++i) {
    bound = std::max(bound, along.size(i));
    if (along.is_bounded(i)) {
      bounded.push_back(i);
    } else {
      known = std::max(known, along.size(i));
    }
  }
  if (bounded.empty() || (bounded.size() == 1 && known == 1)) {
    return;
  }
  if (known > 1) {  // the others have this size in the run, or 1
    for (const std::size_t i : bounded) {
      along.arrays[i] = repeated_last(along.arrays[i], along.places[i], known);
    }
    return;
  }
  const auto origin = [&](std::size_t i) {
    return size_origin(along.arrays[i].builder().module(), along.arrays[i].id(), along.places[i]);
  };
  if (std::ranges::all_of(bounded, [&](std::size_t i) { return origin(i) == origin(bounded[0]); })) {
    return;
  }
  Array size = run_time_size(along.arrays[bounded[0]], along.places[bounded[0]]);
  for (std::size_t i = 1; i < bounded.size(); ++i) {
    size = select(size == 1, run_time_size(along.arrays[bounded[i]], along.places[bounded[i]]), size);
  }
  for (const std::size_t i : bounded) {
    along.arrays[i] = with_run_time_size(repeated_last(along.arrays[i], along.places[i], bound), along.places[i], size);
  }
}

}  // namespace

Arrays with_common_sizes(Arrays arrays, std::int64_t left_out) {
  std::size_t rank = 0;
  for (const Array &array : arrays) {
    if (!array.is_valid()) {
      return arrays;
    }
    rank = std::max(rank, array.rank());
  }
  const auto last = static_cast<std::int64_t>(rank) - left_out;
  for (std::int64_t d = 0; d < last; ++d) {
    std::vector<std::int64_t> places;
    for (const Array &array : arrays) {
      places.push_back(std::max<std::int64_t>(d - static_cast<std::int64_t>(rank - array.rank()), -1));
    }
    combine({arrays, std::move(places)});
  }
  return arrays;
}

Array repeated_to(const Array &x, std::int64_t dimension, std::int64_t bound, const Array &size) {
  const Array own = run_time_size(x, dimension);
  return with_run_time_size(repeated_last(x, dimension, std::max(bound, x.size(dimension))), dimension,
                            select(own == 1, convert(size, ElementType::S32), own));
}

Array tiled(const Array &x, std::int64_t dimension, std::int64_t bound, const Array &count) {
  if (!x.is_valid() || !x.is_bounded(dimension) || x.size(dimension) == 0) {
    return x;
  }
  const Array size = run_time_size(x, dimension);
  const Integers sizes = {bound * x.size(dimension)};
  const Array places = remainder(x.builder().iota(ElementType::S32, sizes, 0), maximum(size, 1));
  return with_run_time_size(take(x, places, dimension), dimension, size * convert(count, ElementType::S32));
}

bool has_one_open_size(const Array &x) {
  std::int64_t open = 0;
  bool is_clear = x.count() > 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.rank()); ++i) {
    open += x.is_bounded(i) ? 1 : 0;
    is_clear = is_clear && !(x.is_bounded(i) && x.size(i) == 1);
  }
  return open == 0 || (open == 1 && is_clear);
}

Array reshape_in_run(const Array &x, Span bounds, const Arrays &sizes) {
  Shape shape = Shape::array(x.type(), bounds);
  Arrays operands = {x};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    operands.push_back(convert(sizes[i], ElementType::S32));
    shape.set_dynamic(i, !sizes[i].integers());
  }
  return x.builder().add(Opcode::DynamicReshape, operands, {}, {}, shape);
}

}  // namespace bp::import::array
