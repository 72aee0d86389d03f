// Custom calls that only give a compiler information about values: how devices divide them, or where they are stored.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

// The result of an annotation on a single device.
enum class Annotation {
  None,      // not an annotation
  Operand,   // its operand
  Operands,  // the tuple of its operands
  Nothing,   // an empty tuple
  Division,  // one device's part of the operands, or the whole of such parts: cannot be computed by a single device
};

// Recognizes the annotations of GSPMD (such as Sharding, SPMDFullToShardShape), of Shardy (such as
// xla.sdy.FuncResultSharding, xla.sdy.GlobalToLocalShape), of host offloading (such as MoveToHost,
// annotate_device_placement), LayoutConstraint, and control_dep, by which JAX asks for an order of two operations.
Annotation annotation_of(const Instruction &instruction);

}  // namespace bp::ir
