// What passes that rewrite instruction by instruction share.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/ir/module.h"

namespace bp::passes {

// Walks a computation in order and replaces instructions. Instructions that a visit adds take their place before the
// one visited; operands are up to date when an instruction is visited. Instructions with control predecessors, and
// those that are control predecessors, are not visited: they were ordered for a reason. Linear.
class Rewriter {
 public:
  explicit Rewriter(ir::Module &module) : module_(module) {}

  // visit(Instruction) -> Result<InstructionId>: what to use instead, the instruction's own id to keep it. Views taken
  // before a visit are valid, but not references and spans.
  template <class Visit>
  Result<bool> rewrite(ir::ComputationId computation, Visit &&visit) {
    begin(computation);
    for (ir::InstructionId id : old_order_) {
      update_operands(id);
      ir::InstructionId replacement = id;
      if (!is_pinned(id)) {
        std::size_t first_added = module_.computation(computation).instruction_count();
        BP_ASSIGN(replacement, visit(module_.instruction(id)));
        take_added(computation, first_added);
      }
      settle(id, replacement);
    }
    return finish(computation);
  }

  // What stands for an instruction now.
  ir::InstructionId current(ir::InstructionId id) const {
    return index(id) < replacements_.size() && replacements_[index(id)] != ir::no_instruction ? replacements_[index(id)]
                                                                                              : id;
  }

 private:
  void begin(ir::ComputationId computation);
  bool is_pinned(ir::InstructionId id) const { return index(id) < is_pinned_.size() && is_pinned_[index(id)]; }
  void update_operands(ir::InstructionId id);
  void take_added(ir::ComputationId computation, std::size_t first_added);
  void settle(ir::InstructionId id, ir::InstructionId replacement);
  bool finish(ir::ComputationId computation);

  ir::Module &module_;
  std::vector<ir::InstructionId> old_order_, new_order_;
  std::vector<ir::InstructionId> replacements_;  // by instruction id
  std::vector<bool> is_pinned_;                  // by instruction id
  bool changed_ = false;
};

// Rewrites every computation of the module; see Rewriter. Returns whether anything was replaced or added.
template <class Visit>
Result<bool> rewrite_all(ir::Module &module, Visit &&visit);

// By instruction id: whether it has control predecessors or is one. Ids of other computations may be missing.
std::vector<bool> control_ordered(ir::Computation computation);

// An array of known size in row-major order. Other layouts were chosen by somebody: what has one is left alone.
inline bool is_plain(const ir::Shape &shape) {
  return shape.is_array() && shape.is_static() && shape.layout() == ir::Layout::descending(shape.rank());
}
// As such, the instruction and all its operands.
bool is_plain(const ir::Instruction &instruction);

// Whether any bytes are values of its element type.
inline bool fills_bytes(const ir::Shape &shape) {
  return ir::bit_width(shape.element_type()) >= 8 && shape.element_type() != ir::ElementType::Pred;
}

// Dimensions [from_begin, from_end) of one array and [to_begin, to_end) of another with as many elements.
struct AlignedDimensions {
  std::size_t from_begin, from_end, to_begin, to_end;
};
// What a reshape joins and cuts: the smallest such groups of neighbours, in order. Of shapes with elements.
std::vector<AlignedDimensions> aligned_dimensions(std::span<const std::int64_t> from, std::span<const std::int64_t> to);

// Dimensions of size 1 left out.
std::vector<std::int64_t> without_ones(std::span<const std::int64_t> sizes);

// A broadcast of one element.
inline bool is_repeated_scalar(const ir::Instruction &instruction) {
  return instruction.opcode() == ir::Opcode::Broadcast && instruction.operand(0).shape().is_scalar();
}

// What a value is made for and what it was called in the framework's program does not make it another value.
inline bool is_part_of_value(ir::AttributeKey key) {
  return key != ir::AttributeKey::Origin && key != ir::AttributeKey::Statistics;
}
// Stored as text, not as numbers.
inline bool is_text(ir::AttributeKey key) {
  const ir::AttributeKind kind = ir::info(key).kind;
  return kind == ir::AttributeKind::String || kind == ir::AttributeKind::Text;
}

// After a pass that added computations or instructions: computations callees first, the unreachable dropped,
// instruction names unique.
void tidy(ir::Module &module);

// By instruction of one computation: what stands for it in another.
using Copies = std::unordered_map<ir::InstructionId, ir::InstructionId>;

// Copies the instructions of a computation to the end of another, but for those that `copies` has already: what they
// compute is there under another name. Callees are shared, control predecessors among what is copied kept.
void copy_instructions(ir::Module &module, ir::ComputationId from, ir::ComputationId to, Copies &copies);
// Copies the instructions of a computation to the end of another, with parameters replaced by `arguments`. Callees are
// shared, control predecessors inside kept. Returns what stands for the root.
ir::InstructionId copy_body(ir::Module &module, ir::ComputationId from, ir::ComputationId to,
                            std::span<const ir::InstructionId> arguments);

// A copy of a computation of one parameter, whose root is the tuple of these of its values.
ir::ComputationId copy_with_outputs(ir::Module &module, const ir::Computation &computation,
                                    std::span<const ir::InstructionId> outputs);

template <class Visit>
Result<bool> rewrite_all(ir::Module &module, Visit &&visit) {
  Rewriter rewriter(module);
  bool changed = false;
  // By position: a visit may add computations, which have nothing to rewrite.
  for (std::size_t i = 0, count = module.computation_ids().size(); i < count; ++i) {
    BP_ASSIGN(bool one, rewriter.rewrite(module.computation_ids()[i], visit));
    changed = changed || one;
  }
  if (changed) {
    tidy(module);
  }
  return changed;
}

// By computation id: functions of an op, such as reducers, which stand or fall with the op that calls them.
std::vector<bool> embedded_computations(const ir::Module &module);

// By computation id: the bodies of fusions.
std::vector<bool> fused_computations(const ir::Module &module);

// As rewrite_all(), outside of fusions: whoever made one has a device that takes it as it is.
template <class Visit>
Result<bool> rewrite_outside_fusions(ir::Module &module, Visit &&visit) {
  const std::vector<bool> fused = fused_computations(module);
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    return fused[index(instruction.parent().id())] ? instruction.id() : visit(instruction);
  });
}

// The op of a function of two scalars that is one op on them; Invalid if it is anything else.
ir::Opcode combining_op(const ir::Computation &combiner);

}  // namespace bp::passes
