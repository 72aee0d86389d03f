// Deep copies: puts a value made of copies in front of users, tuples taken apart and rebuilt as needed, and takes out
// again the copies that turn out not to be needed. Used by insert_copies().
#pragma once

#include <unordered_map>
#include <vector>

#include "core/buffers/positions.h"

namespace bp::buffers {

// A value and the rebuilt one in which some of its arrays are copies.
struct DeepCopy {
  ir::InstructionId original = ir::no_instruction, rebuilt = ir::no_instruction;
  struct Part {
    std::uint32_t position = 0;  // of the original's shape
    ir::InstructionId copy = ir::no_instruction;
    bool is_kept = true;
  };
  std::vector<Part> parts;
};

class CopyEditor {
 public:
  using Positions = std::vector<std::uint32_t>;  // ascending

  // Order: parameters first, then operands and roots (which then see the copied parameters), then place().
  explicit CopyEditor(ir::Module &module) : module_(module), first_added_(module.instruction_id_limit()) {}

  // Instructions numbered from here on are added ones.
  std::size_t first_added() const { return first_added_; }

  // Each copies the arrays at the given positions and lets users see the rebuilt value: all users of parameters of one
  // computation; one operand of one user; whoever reads a computation's root.
  std::vector<DeepCopy> copy_parameters(ir::ComputationId computation,
                                        std::span<const std::pair<ir::InstructionId, Positions>> parameters);
  DeepCopy copy_operand(ir::InstructionId user, std::size_t operand, const Positions &positions);
  DeepCopy copy_root(ir::ComputationId computation, const Positions &positions);
  // Puts the new instructions into the order of their computations: a parameter's just after it, an operand's just
  // before the user, a root's at the end.
  void place();

  // Takes out the copies that are not kept, other copies `also` (their users get the operand), and the tuples that are
  // then no longer needed. Ids of what stays do not change.
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
  std::unordered_map<std::uint32_t, Added> after_, before_, at_end_;  // by instruction, instruction, computation
};

}  // namespace bp::buffers
