// Needed values: the values of a program that are used. Loops whose iterations are counted do not evaluate their
// conditions, so the counter of such a loop, and values that are only used for it, are often not needed.
#pragma once

#include <vector>

#include "plugins/llvm/module_view.h"

namespace bp::gpu {

class NeededValues {
 public:
  // Takes time linear in the size of the program.
  explicit NeededValues(const emit::ModuleView &module);

  bool contains(std::uint32_t value) const { return is_needed_[value]; }
  // Whether an instruction of a control computation has an effect or a result that is needed.
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
  std::vector<Parameter> parameters_;  // by value, for parameters of control computations
  std::vector<std::uint32_t> open_;    // needed values whose operands are yet to be visited
};

}  // namespace bp::gpu
