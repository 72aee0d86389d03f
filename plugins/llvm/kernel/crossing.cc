#include "plugins/llvm/kernel/crossing.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

using Dimensions = std::vector<std::int64_t>;

// Minimum side of a tile, half a cache line, and minimum number of elements, enough for a grid of tiles.
constexpr std::int64_t min_side = 16, min_elements = 16 * 1024;
// Above these limits, tiles need a large part of the team's memory, so that only few teams run at a time, or none.
// max_bytes: the sum of the bytes per element of all operands.
constexpr std::size_t max_operands = 4;
constexpr std::int64_t max_bytes = 32;

bool can_be_tiled(std::uint16_t op) {
  return is_elementwise(op) || op == BP_OP_TRANSPOSE || op == BP_OP_BROADCAST;
}

// Finds how each operand is read: which element of it is used for which element of the results.
class Reads {
 public:
  explicit Reads(InstructionView instruction) : module_(instruction.module()) {
    const bool is_fusion = instruction.op() == BP_OP_FUSION;
    const auto values = is_fusion ? instruction.called(0).parameters() : instruction.operands();
    for (std::size_t i = 0; i < values.size(); ++i) {
      leaves_.emplace(values[i], instruction.operand(i));
    }
    is_single_ = !is_fusion;
    root_instruction_ = instruction.id();
  }

  // positions: for each dimension of the value the dimension of the results, or -1; empty if the value is read in some
  // other way.
  void visit(std::uint32_t value, std::optional<Dimensions> positions) {
    if (!seen_.emplace(value, positions).second && seen_.at(value) == positions) {
      return;
    }
    const InstructionView instruction = module_.definition(value);
    const bool is_root_of_single = is_single_ && instruction.id() == root_instruction_;
    if (const auto leaf = leaves_.find(value); leaf != leaves_.end() && !is_root_of_single) {
      const auto [known, is_new] = positions_.emplace(leaf->second, positions);
      if (!is_new && known->second != positions) {
        known->second = std::nullopt;
      }
      return;
    }
    const bool is_known = positions && can_be_tiled(instruction.op());
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      visit(instruction.operand(i),
            is_known ? std::optional(positions_in(instruction.index_map(i), *positions)) : std::nullopt);
    }
  }

  const std::map<std::uint32_t, std::optional<Dimensions>> &by_operand() const { return positions_; }

 private:
  static Dimensions positions_in(const plugin::IndexMap &map, const Dimensions &of_result) {
    Dimensions positions = map.to_operand(of_result, std::int64_t{-1});
    for (std::size_t d = 0; d < positions.size(); ++d) {
      positions[d] = map.dimensions[d].size == 1 ? -1 : positions[d];
    }
    return positions;
  }

  const ModuleView &module_;
  bool is_single_ = false;
  std::uint32_t root_instruction_ = 0;
  std::map<std::uint32_t, std::uint32_t> leaves_;                 // values that are operands of the instruction
  std::map<std::uint32_t, std::optional<Dimensions>> seen_;       // by value: the way in which it was first read
  std::map<std::uint32_t, std::optional<Dimensions>> positions_;  // by operand
};

// Returns the most minor dimension with more than one element, or -1.
std::int64_t innermost(const Shape &shape) {
  for (const std::int64_t d : shape.minor_to_major) {
    if (shape.dims[static_cast<std::size_t>(d)] > 1) {
      return d;
    }
  }
  return -1;
}

// The roots of a fusion, or the results of another instruction.
std::vector<std::uint32_t> results_of(InstructionView instruction) {
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    values.push_back(instruction.op() == BP_OP_FUSION ? instruction.called(0).roots()[i] : instruction.result(i));
  }
  return values;
}

// Returns the shape of all results; null if they cannot be tiled together.
const Shape *shape_of_tiles(const ModuleView &module, const std::vector<std::uint32_t> &values) {
  const Shape *first = values.empty() ? nullptr : &module.shape_of(values[0]);
  const bool can_be = std::ranges::all_of(values, [&](std::uint32_t value) {
    const Shape &shape = module.shape_of(value);
    return can_be_tiled(module.definition(value).op()) && !shape.packed() && shape.dims == first->dims &&
           shape.minor_to_major == first->minor_to_major;
  });
  return can_be && first != nullptr && innermost(*first) >= 0 && first->elements >= min_elements ? first : nullptr;
}

// Returns the operands whose innermost dimension is not that of the results, as many as fit; none if there are none.
Crossing crossing_operands(const ModuleView &module, const Reads &reads, std::int64_t along) {
  Crossing crossing;
  std::int64_t bytes = 0;
  for (const auto &[value, positions] : reads.by_operand()) {
    const Shape &shape = module.shape_of(value);
    const std::int64_t inner = innermost(shape);
    if (!positions || shape.packed() || inner < 0 || shape.elements < min_elements) {
      continue;
    }
    const std::int64_t across = (*positions)[static_cast<std::size_t>(inner)];
    const bool has_along = std::ranges::find(*positions, along) != positions->end();
    if (across < 0 || across == along || !has_along || (crossing.dimension >= 0 && across != crossing.dimension) ||
        crossing.operands.size() == max_operands || bytes + storage_bytes(shape.dtype) > max_bytes) {
      continue;
    }
    bytes += storage_bytes(shape.dtype);
    crossing.dimension = across;
    crossing.operands.push_back({value, *positions});
  }
  return crossing;
}

// Dimensions between the two in the results' memory may share a loop with the innermost dimension, and dimensions
// outside of both with the other one.
bool has_large_tiles(const Shape &results, std::int64_t across) {
  std::int64_t inner_side = 1, outer_side = 1;
  bool is_outer = false;
  for (const std::int64_t d : results.minor_to_major) {
    is_outer |= d == across;
    (is_outer ? outer_side : inner_side) *= results.dims[static_cast<std::size_t>(d)];
  }
  return inner_side >= min_side && outer_side >= min_side &&
         results.dims[static_cast<std::size_t>(across)] >= min_side / 2;
}

}  // namespace

std::optional<Crossing> find_crossing(InstructionView instruction) {
  const ModuleView &module = instruction.module();
  const std::vector<std::uint32_t> values = results_of(instruction);
  const Shape *results = shape_of_tiles(module, values);
  if (results == nullptr || (instruction.op() == BP_OP_FUSION && contraction_in(instruction))) {
    return std::nullopt;
  }
  Dimensions own(results->rank());
  std::iota(own.begin(), own.end(), 0);
  Reads reads(instruction);
  for (const std::uint32_t value : values) {
    reads.visit(value, own);
  }
  Crossing crossing = crossing_operands(module, reads, innermost(*results));
  if (crossing.operands.empty() || !has_large_tiles(*results, crossing.dimension)) {
    return std::nullopt;
  }
  return crossing;
}

}  // namespace bp::emit
