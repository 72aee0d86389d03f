// Deep copies: replaces a value, for some of its users, by one made of copies, taking tuples apart and rebuilding them
// as needed, and removes the copies that turn out to be unnecessary. Used by insert_copies().
#pragma once

#include <unordered_map>
#include <vector>

#include "core/buffers/positions.h"

namespace bp::buffers {

// A value and the rebuilt one in which some of its arrays are copies.
struct DeepCopy {
  ir::InstructionId original = ir::no_instruction, rebuilt = ir::no_instruction;
  struct Part {
    std::uint32_t position = 0;  // position in the original's shape
    ir::InstructionId copy = ir::no_instruction;
    bool is_kept = true;
  };
  std::vector<Part> parts;
};

class CopyEditor {
 public:
  using Positions = std::vector<std::uint32_t>;  // ascending

  // Call order: parameters first, then operands and roots (which then use the copied parameters), then place().
  explicit CopyEditor(ir::Module &module) : module_(module), first_added_(module.instruction_id_limit()) {}

  // Instructions with this id or a higher one were added by the editor.
  std::size_t first_added() const { return first_added_; }

  // Each of these functions copies the arrays at the given positions and makes users use the rebuilt value: all users
  // of parameters of one computation; one operand of one user; all users of a computation's root.
  std::vector<DeepCopy> copy_parameters(ir::ComputationId computation,
                                        std::span<const std::pair<ir::InstructionId, Positions>> parameters);
  DeepCopy copy_operand(ir::InstructionId user, std::size_t operand, const Positions &positions);
  DeepCopy copy_root(ir::ComputationId computation, const Positions &positions);
  // Puts the new instructions into the order of their computations: copies of a parameter just after it, of an operand
  // just before the user, of a root at the end.
  void place();

  // Removes the copies that are not kept, the other copies `also` (their users get the operand), and the tuples that
  // are then unused. Ids of the remaining instructions do not change.
  void remove(std::span<const DeepCopy> deep_copies, std::span<const ir::InstructionId> also);

 private:
  using Added = std::vector<ir::InstructionId>;
  using Replacements = std::vector<ir::InstructionId>;  // by InstructionId; no_instruction: stays

  bool is_added(ir::InstructionId id) const { return index(id) >= first_added_; }
  DeepCopy build(ir::InstructionId original, ir::ComputationId computation, const Positions &positions, Added &added);
  ir::InstructionId rebuild(ir::InstructionId from, std::uint32_t position, std::span<const std::uint32_t> positions,
                            ir::ComputationId computation, DeepCopy &result, Added &added);
  void simplify_tuples(ir::Computation computation, Replacements &replacements) const;
  void drop_unused(ir::Computation computation, const std::vector<bool> &is_candidate);

  ir::Module &module_;
  std::size_t first_added_;
  std::unordered_map<std::uint32_t, Added> after_, before_, at_end_;  // by instruction, by instruction, by computation
};

}  // namespace bp::buffers
