// Which values of a program anybody needs, where loops whose rounds are counted do not ask their conditions: the
// counter of such a loop, and what only leads to it, is often not among them.
#pragma once

#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::gpu {

class NeededValues {
 public:
  // Linear in the program.
  explicit NeededValues(const emit::ModuleView &module);

  bool contains(std::uint32_t value) const { return is_needed_[value]; }
  // Whether an instruction of a control computation has a result that is needed, or an effect.
  bool contains(emit::InstructionView instruction) const;

 private:
  void need(std::uint32_t value);
  void need_for(emit::InstructionView instruction, std::size_t result);
  void need_for_parameter(std::uint32_t value);

  const emit::ModuleView &module_;
  std::vector<bool> is_needed_;         // by value
  std::vector<std::uint32_t> callers_;  // by computation: the instruction that calls it as control flow, or BP_NONE
  struct Parameter {
    std::uint32_t computation = 0, number = 0;
  };
  std::vector<Parameter> parameters_;  // by value, of those that are parameters of control computations
  std::vector<std::uint32_t> open_;    // values that are needed, and what they need has yet to be found
};

}  // namespace bp::gpu
