// Tests of rules of the headers that need special calls: calls that the core never makes, or not often enough.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

struct ContractTrial {
  std::string_view name;       // "BP-HOST-01/log"
  std::string_view extension;  // extension that the device must have for the trial; empty: none
  Verdict (*run)(Subject &subject);
};

// Trials by what they use: another host, altered modules, the device's queues, its memory, points of timelines, the
// device's routines, memory of others, what it tells about itself; questions in another order, and many or similar
// modules; what the host offers for a run; what it tells of constants; calls of the application; much of all this at
// the same time; a device that is lost; code that
// runs without the device.
extern const std::span<const ContractTrial> host_trials, module_trials, queue_trials, memory_trials, point_trials,
    routine_trials, external_memory_trials, information_trials, claim_trials, compile_trials, run_trials,
    constant_trials, host_call_trials, traffic_trials, true_loss_trials, aot_trials;

// Runs a sample program, compiled for the device alone without constant folding, and returns the exact result.
Result<ir::Literal> run_alone(const Subject &subject, const Backend &backend, const ir::Module &module);

// Returns, for each instruction, whether the device claims it, or has a kernel for it. `backwards`: asks about the last
// instruction first, where instructions are asked about one by one.
Result<std::vector<bool>> claims_of(const host::Device &device, const bp_module_t *module, bool backwards = false);

// Whether a device is asked about the instruction: about its op, in a computation of that kind.
bool is_asked(const bp_module_t *module, std::uint32_t i);

// Loads the device again, with one more layer.
Result<Backend> load_under(const Subject &subject, host::Layer layer);

}  // namespace bp::conformance
