// Clusters: which of the instructions that a device claims it runs, if it does not run the whole program. Each cluster
// becomes a program of the device; the host, or other devices, run the rest.
#pragma once

#include <string>
#include <vector>

#include "core/compile/claims.h"
#include "core/compile/options.h"
#include "core/compile/partition.h"
#include "core/compile/report.h"

namespace bp::compile {

struct Clusters {
  std::vector<Part> parts;            // of clusters and of what is left, in an order in which they can run
  std::vector<std::string> reasons;   // by instruction id: why one that is claimed is left; empty for the others
  std::vector<ClusterReport> report;  // by cluster
  // The cost of the division, and the least of any; 0 if the device runs the whole program.
  double nanoseconds = 0, lower_bound = 0;
  bool is_optimal = false;
};

// Decides by placement.h, with the costs that the device claims, those of the interpreter, and those of copies to a
// device that has memory of its own. Nearly linear in the size of the module.
Clusters find_clusters(const ir::Module &module, const Claims &claims, const host::Device &device,
                       const ClusterOptions &options);

}  // namespace bp::compile
