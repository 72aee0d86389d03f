// Programs of the stage `performance`, loaded on the device and ready to be timed.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "conformance/suite/performance_programs.h"
#include "conformance/suite/subject.h"
#include "conformance/suite/timing.h"

namespace bp::conformance {

// The device with a clock layer on top.
struct ClockedDevice {
  RunClock clock;
  Result<Backend> backend;
};
// Returns the device that all cases of a process share, loaded at the first call.
Result<ClockedDevice *> clocked_device(const Subject &subject);

// The device alone, and nothing computed beforehand.
CompileOptions performance_options();

Result<ir::Module> read_program(const PerformanceProgram &program);

struct LoadedProgram {
  PerformanceProgram program;
  Work work;
  Compiled compiled;
  std::shared_ptr<TimedProgram> timed;

  // Returns the measurement with what was measured.
  Measurement finish(Measurement measured) const;
  // Returns the work of one run.
  Timed run() const;
};

// Loads a program. The clock must be a layer of the backend; it may be nullptr. Unsupported if the device does not
// claim all of the program.
Result<LoadedProgram> load_program(const Backend &backend, RunClock *clock, PerformanceProgram program);
// Loads it on the clocked device.
Result<LoadedProgram> load_program(const Subject &subject, PerformanceProgram program);

// Loads the first of these programs that the device can run, with any of the common element types: make(type) lists
// them.
using MakePrograms = std::function<std::vector<PerformanceProgram>(ir::ElementType type)>;
Result<LoadedProgram> load_first(const Backend &backend, RunClock *clock, const MakePrograms &make);

}  // namespace bp::conformance
