#include "tools/command/measured_run.h"

#include <chrono>

#include "core/ir/storage.h"
#include "tools/measure/allocation_counter.h"

namespace bp::command {
namespace {

// Gives the leaves of a literal to the inputs of an execution, from number `leaf` on.
void store_leaves(const ir::Literal &literal, const Program &program, Execution &execution, std::size_t &leaf) {
  if (literal.shape().is_tuple()) {
    for (const ir::Literal &element : literal.tuple_elements()) {
      store_leaves(element, program, execution, leaf);
    }
  } else if (literal.shape().is_array()) {
    ir::store(literal, program.inputs()[leaf].shape, execution.input(leaf));
    ++leaf;
  }
}

}  // namespace

// The constants' memory was taken when the program was loaded, and is added.
Result<MeasuredRun> run_measured(const std::shared_ptr<const Program> &program,
                                 const std::vector<ir::Literal> &arguments, int repeat) {
  using Clock = std::chrono::steady_clock;
  MeasuredRun measured;
  Execution execution = Execution::prepare(program);
  measured.seconds.reserve(static_cast<std::size_t>(repeat));  // not counted: it is ours
  auto counter = std::make_unique<measure::AllocationCounter>();
  BP_TRY(execution.allocate());
  for (int i = 0; i < repeat; ++i) {
    std::size_t leaf = 0;
    for (const ir::Literal &argument : arguments) {  // each time: donated inputs are overwritten
      store_leaves(argument, *program, execution, leaf);
    }
    auto start = Clock::now();
    BP_TRY(execution.run());
    measured.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (counter != nullptr) {
      measured.measured_peak = counter->is_valid() ? counter->peak() + program->memory().constants : -1;
      counter.reset();
    }
  }
  return measured;
}

}  // namespace bp::command
