// Common parts of passes that rewrite a module instruction by instruction.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/ir/module.h"

namespace bp::passes {

// Visits the instructions of a computation in order and replaces them. Instructions added by a visit are placed before
// the one visited; the operands of an instruction are up to date when it is visited. Instructions that have control
// predecessors, or are control predecessors, are not visited, so that their order is kept. Linear.
class Rewriter {
 public:
  explicit Rewriter(ir::Module &module) : module_(module) {}

  // visit(Instruction) -> Result<InstructionId> returns the replacement, or the instruction's own id to keep it. Views
  // taken before a visit stay valid, but references and spans do not.
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

  // Returns the current replacement of an instruction, or the instruction itself.
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

// Returns, by instruction id, whether the instruction has control predecessors or is one. Ids of other computations may
// be missing.
std::vector<bool> control_ordered(ir::Computation computation);

// Whether the shape is an array of known sizes in row-major order. Passes leave other layouts alone, because these were
// chosen on purpose.
inline bool is_plain(const ir::Shape &shape) {
  return shape.is_array() && shape.is_static() && shape.layout() == ir::Layout::descending(shape.rank());
}
// Whether the shapes of the instruction and of all its operands are plain.
bool is_plain(const ir::Instruction &instruction);

// Whether every bit pattern of its bytes is a valid element.
inline bool fills_bytes(const ir::Shape &shape) {
  return ir::bit_width(shape.element_type()) >= 8 && shape.element_type() != ir::ElementType::Pred;
}

// Dimensions [from_begin, from_end) of one array and [to_begin, to_end) of another with the same number of elements.
struct AlignedDimensions {
  std::size_t from_begin, from_end, to_begin, to_end;
};
// Returns the smallest groups of adjacent dimensions that a reshape joins or splits, in order. No size may be 0.
std::vector<AlignedDimensions> aligned_dimensions(std::span<const std::int64_t> from, std::span<const std::int64_t> to);

// Returns the sizes without those that are 1.
std::vector<std::int64_t> without_ones(std::span<const std::int64_t> sizes);

// Whether the instruction broadcasts a scalar.
inline bool is_repeated_scalar(const ir::Instruction &instruction) {
  return instruction.opcode() == ir::Opcode::Broadcast && instruction.operand(0).shape().is_scalar();
}

// Whether an attribute is part of the value. Statistics and the name in the framework's program are not.
inline bool is_part_of_value(ir::AttributeKey key) {
  return key != ir::AttributeKey::Origin && key != ir::AttributeKey::Statistics;
}
// Whether an attribute is stored as text, not as numbers.
inline bool is_text(ir::AttributeKey key) {
  const ir::AttributeKind kind = ir::info(key).kind;
  return kind == ir::AttributeKind::String || kind == ir::AttributeKind::Text;
}

// Called after a pass that added computations or instructions: sorts computations in callees-first order, drops
// unreachable ones, and makes instruction names unique.
void tidy(ir::Module &module);

// By instruction of one computation: its copy or replacement in another.
using Copies = std::unordered_map<ir::InstructionId, ir::InstructionId>;

// Copies the instructions of a computation to the end of another, except those that `copies` already maps. Callees are
// shared; control predecessors among the copied instructions are kept.
void copy_instructions(ir::Module &module, ir::ComputationId from, ir::ComputationId to, Copies &copies);
// Copies the instructions of a computation to the end of another, with parameters replaced by `arguments`. Callees are
// shared; control predecessors inside the body are kept. Returns the copy of the root.
ir::InstructionId copy_body(ir::Module &module, ir::ComputationId from, ir::ComputationId to,
                            std::span<const ir::InstructionId> arguments);
// Does the same in place of an instruction that calls the body, whose mark the copies take.
ir::InstructionId inline_body(ir::Module &module, ir::Instruction caller, ir::ComputationId body,
                              std::span<const ir::InstructionId> arguments);

// Copies a computation that has one parameter; the root of the copy is the tuple of `outputs`, which are instructions
// of the original.
ir::ComputationId copy_with_outputs(ir::Module &module, const ir::Computation &computation,
                                    std::span<const ir::InstructionId> outputs);

template <class Visit>
Result<bool> rewrite_all(ir::Module &module, Visit &&visit) {
  Rewriter rewriter(module);
  bool changed = false;
  // Indexed, because a visit may add computations, in which there is nothing to rewrite.
  for (std::size_t i = 0, count = module.computation_ids().size(); i < count; ++i) {
    BP_ASSIGN(bool one, rewriter.rewrite(module.computation_ids()[i], visit));
    changed = changed || one;
  }
  if (changed) {
    tidy(module);
  }
  return changed;
}

// Returns, by computation id, whether it is a function of an op, such as a reducer. These can only be replaced together
// with the op that calls them.
std::vector<bool> embedded_computations(const ir::Module &module);

// Returns, by computation id, whether it is the body of a fusion.
std::vector<bool> fused_computations(const ir::Module &module);

// Does the same as rewrite_all(), but outside fusions, which are made for a device that runs them as they are.
template <class Visit>
Result<bool> rewrite_outside_fusions(ir::Module &module, Visit &&visit) {
  const std::vector<bool> fused = fused_computations(module);
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    return fused[index(instruction.parent().id())] ? instruction.id() : visit(instruction);
  });
}

// Returns the op of a function that applies one op to its two scalar parameters; Invalid for any other function.
ir::Opcode combining_op(const ir::Computation &combiner);

}  // namespace bp::passes
