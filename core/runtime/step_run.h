// Runs the steps of an executable, those that are independent and in different places at the same time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/interpreter/options.h"
#include "core/runtime/step_graph.h"
#include "core/runtime/value.h"

namespace bp::runtime {

// An executable of a graph, as a run uses it.
struct StepExecutable {
  const ir::Module &module;
  interpreter::Options options;  // with which its instructions are evaluated
  std::function<Result<std::vector<Value>>(std::vector<Value> arguments)> run_whole;
};

// Runs the steps of a graph, on arguments of the parameters' shapes, and returns the results. `executables`: those of
// the graph. The calling thread evaluates all instructions of the host that are not light; each lane of the graph but
// the first has a thread, which ends before this returns. Of several errors, that of the first step in the order of the
// program is returned: when a step fails, those before it still run, and those after it that have not begun do not.
Result<std::vector<Value>> run_steps(const StepGraph &graph, std::span<const StepExecutable> executables,
                                     std::vector<Value> arguments, const interpreter::Options &host);

}  // namespace bp::runtime
