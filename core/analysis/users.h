// Users: for each instruction, the instructions that have it as an operand.
#pragma once

#include <span>
#include <vector>

#include "core/ir/module.h"

namespace bp::analysis {

// A snapshot: invalid once instructions are added or changed. Built in one walk over the module.
class Users {
 public:
  explicit Users(const ir::Module &module);

  // Returns the users in program order; each is listed once, even if several of its operands are the instruction.
  std::span<const ir::InstructionId> of(ir::InstructionId id) const {
    return std::span(users_).subspan(begin_[index(id)], begin_[index(id) + 1] - begin_[index(id)]);
  }
  bool is_used(ir::InstructionId id) const { return !of(id).empty(); }

 private:
  // Compressed rows: the users of instruction i are users_[begin_[i]] to users_[begin_[i + 1] - 1].
  std::vector<std::uint32_t> begin_;
  std::vector<ir::InstructionId> users_;
};

}  // namespace bp::analysis
