// Workloads: how often programs of a kind, such as a transformer, use each operation on each element type. Together
// with a report they say how much of such a program runs on a device. `backplane conform workload` makes them from
// programs; those of conformance/workloads are part of the executable.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/counting.h"
#include "core/ir/module.h"

namespace bp::conformance {

struct WorkloadOp {
  std::string op, type;  // as Verdict names them
  std::size_t count = 0;
};

struct Workload {
  std::string name;             // "transformer block"
  std::string program;          // where it comes from: "samples/models/transformer_block.hlo"
  std::vector<WorkloadOp> ops;  // in the order of their names

  std::size_t instructions() const;
};

// Adds the instructions of a program that count (counting.h), each once, however often a loop runs it. Functions of an
// instruction, such as the sum of a reduction, are part of it.
void add_instructions(const ir::Module &module, Workload &workload);

// A JSON object, with one operation in a line.
std::string to_json(const Workload &workload);
Result<Workload> workload_from_json(std::string_view text);

// Returns those that are part of the executable.
const std::vector<Workload> &named_workloads();

// The part of a workload that a report shows as right on the device.
struct WorkloadShare {
  const Workload *workload = nullptr;
  double passed = 0, tested = 0;   // shares of its instructions, 0 to 1: by the share of the cases of the op and type
  std::vector<WorkloadOp> absent;  // those of which not every case passes, the most frequent first
};
WorkloadShare share_of(const Workload &workload, const Shares &shares);

}  // namespace bp::conformance
