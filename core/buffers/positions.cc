#include "core/buffers/positions.h"

#include <algorithm>

namespace bp::buffers {
namespace {

constexpr std::size_t max_positions = std::size_t{1} << 26;
constexpr std::int64_t max_end = std::int64_t{1} << 62;

Status collect(const ir::Shape &shape, ShapePositions &positions) {
  if (shape.is_array()) {
    for (std::int64_t size : shape.sizes()) {
      if (size == ir::unbounded) {
        return unsupported("buffers need bounded sizes, found {}", to_string(shape));
      }
    }
    std::int64_t size = shape.byte_size();
    if (size > max_end) {
      return make_error(ErrorCode::OutOfMemory, "{} takes more than 2^62 bytes", to_string(shape));
    }
    positions.leaves.push_back({positions.count, size, shape.layout().memory_space});
  }
  if (++positions.count > max_positions) {
    return make_error(ErrorCode::OutOfMemory, "a tuple has more than {} parts", max_positions);
  }
  if (shape.is_tuple()) {
    for (const ir::Shape &element : shape.elements()) {
      BP_TRY(collect(element, positions));
    }
  }
  return {};
}

Result<ShapePositions> make_positions(const ir::Shape &shape) {
  ShapePositions positions;
  BP_TRY(collect(shape, positions));
  if (shape.is_tuple()) {
    std::uint32_t next = 1;
    for (const ir::Shape &element : shape.elements()) {
      positions.elements.push_back(next);
      next += static_cast<std::uint32_t>(element.subshape_count());
    }
  }
  return positions;
}

}  // namespace

Result<PositionTable> PositionTable::make(const ir::Module &module) {
  PositionTable table;
  table.first_.assign(module.instruction_id_limit() + 1, 0);
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      std::size_t id = index(instruction.shape_id());
      if (id >= table.shapes_.size()) {
        table.shapes_.resize(id + 1);
      }
      if (table.shapes_[id].count == 0) {
        auto positions = make_positions(instruction.shape());
        if (!positions) {
          return std::move(positions)
              .error()
              .at(instruction.location())
              .note(fmt::format("at instruction {}", instruction.name()));
        }
        table.shapes_[id] = std::move(*positions);
      }
      table.first_[index(instruction.id()) + std::size_t{1}] = table.shapes_[id].count;
    }
  }
  for (std::size_t i = 1; i < table.first_.size(); ++i) {
    table.first_[i] += table.first_[i - 1];
  }
  if (table.total() > max_positions) {
    return make_error(ErrorCode::OutOfMemory, "the program's tuples have {} parts in all, at most {} are supported",
                      table.total(), max_positions);
  }
  return table;
}

std::vector<std::int64_t> PositionTable::index_of(ir::Instruction instruction, std::size_t position) const {
  if (position == 0) {
    return {};
  }
  const std::vector<std::uint32_t> &elements = of(instruction).elements;
  const auto element = std::ranges::upper_bound(elements, position) - elements.begin() - 1;
  const auto number = static_cast<std::size_t>(element);
  std::vector<std::int64_t> index =
      instruction.shape().elements()[number].index_of_subshape(position - elements[number]);
  index.insert(index.begin(), element);
  return index;
}

}  // namespace bp::buffers
