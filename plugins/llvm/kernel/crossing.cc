#include "plugins/llvm/kernel/crossing.h"

#include <algorithm>
#include <map>

#include "plugins/llvm/contraction/fusion.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

using Dimensions = std::vector<std::int64_t>;

// Minimum side of a tile, half a cache line, and minimum number of elements, enough for a grid of tiles.
constexpr std::int64_t min_side = 16, min_elements = 16 * 1024;
// Above these limits, tiles take so much of the team's memory that only few teams run at a time, or none. max_bytes:
// the sum of the bytes per element of all operands.
constexpr std::size_t max_operands = 4;
constexpr std::int64_t max_bytes = 32;

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
    const std::uint16_t op = instruction.op();
    for (const std::uint32_t operand : instruction.operands()) {
      std::optional<Dimensions> from;
      if (positions && (is_elementwise(op) || op == BP_OP_COPY)) {
        // Scalars are used for all elements of arrays.
        from = module_.shape_of(operand).rank() == 0 ? Dimensions() : *positions;
      } else if (positions && op == BP_OP_TRANSPOSE) {
        const auto permutation = instruction.numbers(BP_ATTR_DIMENSIONS);
        from.emplace(positions->size());
        for (std::size_t i = 0; i < positions->size(); ++i) {
          (*from)[static_cast<std::size_t>(permutation[i])] = (*positions)[i];
        }
      } else if (positions && op == BP_OP_BROADCAST) {
        from.emplace();
        const Shape &shape = module_.shape_of(operand);
        for (std::size_t i = 0; i < shape.rank(); ++i) {
          const auto to = static_cast<std::size_t>(instruction.numbers(BP_ATTR_DIMENSIONS)[i]);
          from->push_back(shape.dims[i] == 1 ? -1 : (*positions)[to]);
        }
      }
      visit(operand, std::move(from));
    }
  }

  const std::map<std::uint32_t, std::optional<Dimensions>> &by_operand() const { return positions_; }

 private:
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

bool can_be_tiled(std::uint16_t op) {
  return is_elementwise(op) || op == BP_OP_COPY || op == BP_OP_TRANSPOSE || op == BP_OP_BROADCAST;
}

}  // namespace

std::optional<Crossing> find_crossing(InstructionView instruction) {
  const ModuleView &module = instruction.module();
  const bool is_fusion = instruction.op() == BP_OP_FUSION;
  const auto root = [&](std::size_t i) { return is_fusion ? instruction.called(0).roots()[i] : instruction.result(i); };
  if (instruction.result_count() == 0 ||
      (is_fusion ? contraction_in(instruction).has_value() : !can_be_tiled(instruction.op()))) {
    return std::nullopt;
  }
  const Shape &results = module.shape_of(root(0));
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    const Shape &shape = module.shape_of(root(i));
    if (!can_be_tiled(module.definition(root(i)).op()) || shape.packed() || shape.dims != results.dims ||
        shape.minor_to_major != results.minor_to_major) {
      return std::nullopt;
    }
  }
  const std::int64_t along = innermost(results);
  if (along < 0 || results.elements < min_elements) {
    return std::nullopt;
  }
  Dimensions own(results.rank());
  for (std::size_t d = 0; d < own.size(); ++d) {
    own[d] = static_cast<std::int64_t>(d);
  }
  Reads reads(instruction);
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    reads.visit(root(i), own);
  }
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
  if (crossing.operands.empty()) {
    return std::nullopt;
  }
  // Dimensions between the two in the results' memory may share a loop with the innermost dimension, and dimensions
  // outside of both with the other one.
  std::int64_t inner_side = 1, outer_side = 1;
  bool is_outer = false;
  for (const std::int64_t d : results.minor_to_major) {
    is_outer |= d == crossing.dimension;
    (is_outer ? outer_side : inner_side) *= results.dims[static_cast<std::size_t>(d)];
  }
  const bool is_worth_it = inner_side >= min_side && outer_side >= min_side &&
                           results.dims[static_cast<std::size_t>(crossing.dimension)] >= min_side / 2;
  return is_worth_it ? std::optional(std::move(crossing)) : std::nullopt;
}

}  // namespace bp::emit
