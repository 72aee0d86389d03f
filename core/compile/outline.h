// Outlining: makes the clusters of a program visible in it. Each becomes one call of a computation of its own.
#pragma once

#include <span>
#include <vector>

#include "core/compile/partition.h"
#include "core/compile/report.h"

namespace bp::compile {

// A part that is a program of a device.
struct Cluster {
  std::size_t part;  // its number
  Extract extract;
  ClusterReport report;
};

// Replaces the instructions of each cluster by a call, whose `backend_config` is a JSON object with the device, the
// cost and the reason, and each value that others use by an element of the call's result. `parts`: all of them, in an
// order in which they can run, which becomes that of the entry. Returns, by instruction id, the element that replaces
// an instruction; no_instruction for those that stay. Linear.
std::vector<ir::InstructionId> outline(ir::Module &module, std::span<const Part> parts,
                                       std::span<const Cluster> clusters);

}  // namespace bp::compile
