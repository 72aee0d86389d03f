// Rules of the headers that take a call of their own to see: what the core would never do, or not often enough.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

struct ContractTrial {
  std::string_view name;       // "BP-HOST-01/log"
  std::string_view extension;  // without it there is nothing to try; empty: always
  Verdict (*run)(Subject &subject);
};

// By what they do: with another host, with altered modules, with the device's own memory and queues, with its routines.
extern const std::span<const ContractTrial> host_trials, module_trials, queue_trials, routine_trials;

// The bits of a sample program on a device; compiled for the device alone, with nothing folded.
Result<ir::Literal> run_alone(const Subject &subject, const Backend &backend, const ir::Module &module);

// The device once more, under one more layer.
Result<Backend> load_under(const Subject &subject, host::Layer layer);

}  // namespace bp::conformance
