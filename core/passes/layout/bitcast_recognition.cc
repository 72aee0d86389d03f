// What gives elements another name and no other place becomes a bitcast, for which no backend has code: its result is
// its operand's memory. Such are reshapes, transposes, broadcasts and copies between layouts of which the one holds the
// same bytes as the other, slices of everything, conversions to the same type. Bodies of fusions and the like stay:
// there is no memory. Linear.
#include <algorithm>
#include <optional>

#include "core/analysis/call_graph.h"
#include "core/ir/builder.h"
#include "core/ir/storage.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Shape;

bool has_same_storage(const Shape &from, const Shape &to) {
  const auto is_simple = [](const Shape &shape) {
    return shape.is_array() && shape.is_static() && shape.layout().tiles.empty() && shape.layout().rare.empty();
  };
  return is_simple(from) && is_simple(to) && from.layout().memory_space == to.layout().memory_space &&
         ir::stored_element_bits(from) == ir::stored_element_bits(to) && from.byte_size() == to.byte_size();
}

// By dimension: how many elements in row-major order one step along it passes.
ir::Dimensions row_major_steps(const Shape &shape) {
  ir::Dimensions steps(shape.rank(), 1);
  for (std::size_t d = shape.rank(); d-- > 1;) {
    steps[d - 1] = steps[d] * shape.size(d);
  }
  return steps;
}

// So many elements, each `step` after the one before in some numbering of all elements.
struct Run {
  std::int64_t size, step;
  bool operator==(const Run &) const = default;
};

// The elements as they follow each other in memory: runs within runs, the outermost first, as few as there can be.
std::vector<Run> runs_in_memory(const Shape &shape, const ir::Dimensions &steps) {
  std::vector<Run> runs;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(shape.layout().minor_to_major[i]);
    if (shape.size(d) == 1) {
      continue;
    }
    if (!runs.empty() && runs.back().step == shape.size(d) * steps[d]) {
      runs.back() = {runs.back().size * shape.size(d), steps[d]};
    } else {
      runs.push_back({shape.size(d), steps[d]});
    }
  }
  return runs;
}

// For an op that gives all elements of its operand, each once: by dimension of the operand, the step along it in the
// row-major numbering of the result. Nothing for other ops.
std::optional<ir::Dimensions> steps_in_result(Instruction i) {
  const Shape &from = i.operand(0).shape(), &to = i.shape();
  ir::Dimensions steps = row_major_steps(to);
  switch (i.opcode()) {
    case Opcode::Reshape: return row_major_steps(from);
    case Opcode::Transpose:
    case Opcode::Broadcast: {
      const bool is_inverse = i.opcode() == Opcode::Transpose;  // its numbers are by dimension of the result
      ir::Dimensions moved(from.rank(), 1);
      for (std::size_t d = 0; d < from.rank(); ++d) {
        const auto other = static_cast<std::size_t>(i.dimensions()[d]);
        moved[is_inverse ? other : d] = steps[is_inverse ? d : other];
      }
      return moved;
    }
    case Opcode::Reverse: {
      const bool moves =
          std::ranges::any_of(i.dimensions(), [&](std::int64_t d) { return to.size(static_cast<std::size_t>(d)) > 1; });
      return moves ? std::nullopt : std::optional(steps);
    }
    case Opcode::Concatenate:
    case Opcode::Convert:
    case Opcode::Copy:
    case Opcode::Slice: return from.element_type() == to.element_type() ? std::optional(steps) : std::nullopt;
    case Opcode::BitcastConvert: return fills_bytes(from) && fills_bytes(to) ? std::optional(steps) : std::nullopt;
    default: return std::nullopt;
  }
}

bool keeps_all_places(Instruction i) {
  if (i.operand_count() != 1 || !has_same_storage(i.operand(0).shape(), i.shape())) {
    return false;
  }
  // A copy to the same layout is there to be somewhere else.
  if (i.opcode() == Opcode::Copy && i.operand(0).shape() == i.shape()) {
    return false;
  }
  const auto steps = steps_in_result(i);
  return steps && runs_in_memory(i.operand(0).shape(), *steps) == runs_in_memory(i.shape(), row_major_steps(i.shape()));
}

}  // namespace

Result<bool> bitcast_recognition(ir::Module &module, const PassContext &) {
  const analysis::CallGraph graph(module);
  Rewriter rewriter(module);
  bool changed = false;
  for (const ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) != analysis::CallContext::Control) {
      continue;
    }
    ir::Builder builder(module, id);
    BP_ASSIGN(const bool changed_here, rewriter.rewrite(id, [&](Instruction i) -> Result<ir::InstructionId> {
      if (!keeps_all_places(i)) {
        return i.id();
      }
      builder.stand_in_for(i);
      return builder.add(Opcode::Bitcast, {i.operands()[0]}, [](ir::Module &, ir::InstructionId) {}, {}, i.shape());
    }));
    changed = changed || changed_here;
  }
  if (changed) {
    tidy(module);
  }
  return changed;
}

}  // namespace bp::passes
