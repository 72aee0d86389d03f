// Replaces ops that leave all elements where they are in memory by bitcasts, whose result is their operand's memory, so
// that backends need no code for them. These are reshapes, transposes, broadcasts and copies between layouts in which
// both arrays have the same bytes, slices of whole arrays, and conversions to the same type. Bodies of fusions and
// other embedded computations are not changed, because their values have no memory. Linear.
#include <algorithm>
#include <optional>

#include "core/analysis/call_graph.h"
#include "core/analysis/index_map.h"
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

// Returns by dimension the number of elements in row-major order between neighbours in that dimension.
ir::Dimensions row_major_steps(const Shape &shape) {
  ir::Dimensions steps(shape.rank(), 1);
  for (std::size_t d = shape.rank(); d-- > 1;) {
    steps[d - 1] = steps[d] * shape.size(d);
  }
  return steps;
}

// `size` elements, each `step` after the one before in some numbering of all elements.
struct Run {
  std::int64_t size, step;
  bool operator==(const Run &) const = default;
};

// Returns the elements in memory order as nested runs, the outermost first, merged to as few as possible.
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

// Whether the result consists of the operand's elements, bit for bit.
bool has_same_elements(Instruction i) {
  const Shape &from = i.operand(0).shape(), &to = i.shape();
  if (i.opcode() == Opcode::BitcastConvert) {
    return fills_bytes(from) && fills_bytes(to);
  }
  const bool keeps_bits = (i.is(ir::Trait::Movement) && i.opcode() != Opcode::Bitcast) || i.opcode() == Opcode::Convert;
  return keeps_bits && from.element_type() == to.element_type();
}

// For an op whose result has all elements of its operand, each once: returns, by dimension of the operand, the step
// along it in the row-major numbering of the result. Returns nothing for other ops.
std::optional<ir::Dimensions> steps_in_result(Instruction i) {
  if (i.opcode() == Opcode::Reshape) {
    return row_major_steps(i.operand(0).shape());
  }
  const analysis::IndexMap map = analysis::index_map(i, 0);
  if (!has_same_elements(i) || !map.only_renames()) {
    return std::nullopt;
  }
  const ir::Dimensions of_result = row_major_steps(i.shape());
  ir::Dimensions steps;
  for (const analysis::IndexExpression &e : map.dimensions) {
    steps.push_back(of_result[static_cast<std::size_t>(e.dimension)]);
  }
  return steps;
}

bool moves_no_element(Instruction i) {
  if (i.operand_count() != 1 || !has_same_storage(i.operand(0).shape(), i.shape())) {
    return false;
  }
  // A copy to the same layout exists to have memory of its own.
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
      if (!moves_no_element(i)) {
        return i.id();
      }
      builder.copy_origin_from(i);
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
