// Custom calls that only tell a compiler something about values: how devices divide them, where they lie.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

// What such a call gives where there is one device.
enum class Annotation {
  None,      // it is no annotation
  Operand,   // its operand
  Operands,  // the tuple of its operands
  Nothing,   // an empty tuple
  Division,  // the parts that several devices have of its operands, or the whole of such parts: one device cannot
};

// Those of GSPMD (Sharding, SPMDFullToShardShape), of Shardy (xla.sdy.FuncResultSharding, xla.sdy.GlobalToLocalShape),
// of host offloading (MoveToHost, annotate_device_placement) and LayoutConstraint, each with its kin.
Annotation annotation_of(const Instruction &instruction);

}  // namespace bp::ir
