// Report of a compilation: which device runs which instructions, and the times that the compilation took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/op.h"

namespace bp::compile {

// An instruction of the entry computation that runs on the host.
struct OnHost {
  std::string name;
  ir::Opcode opcode;
  std::string reason;  // from the device; may be empty
  SourceLocation location = {};
  bool is_refused = true;  // by the device; otherwise it could run it, but does not
};

// A program of a device: the instructions of the partitioned module that it computes.
struct Assignment {
  std::string device;  // its id
  std::vector<std::string> instructions;
};

// A cluster: the instructions of one program of a device. Times are estimates.
struct ClusterReport {
  std::string name, device, reason;
  std::size_t instructions = 0;                  // of the entry, before fusion
  double nanoseconds = 0, host_nanoseconds = 0;  // of these on the device, and if the host ran them
  double copy_nanoseconds = 0;                   // of values from and to the host
};

struct Report {
  std::size_t instructions = 0;  // after the passes, in all computations
  std::size_t programs = 0;      // number of programs on the device
  std::size_t cached = 0;        // number of these that came from the artifact cache
  std::string cache_problem;     // why an artifact could not be stored; empty: no problem
  std::string not_loaded;        // why this machine cannot load a program (Options::must_load); empty: it can
  std::vector<OnHost> on_host;
  std::vector<Assignment> assignment;   // by program, in execution order
  std::vector<ClusterReport> clusters;  // in execution order; none if the device runs the whole program
  // The cost of the division into clusters, and the least of any.
  double division_nanoseconds = 0, least_division_nanoseconds = 0;
  std::int64_t artifact_bytes = 0;
  // Seconds spent in passes, in planning (schedule, copies, plan, image), and in the backend's compile() and load().
  double passes = 0, plan = 0, compile = 0, load = 0;
};

}  // namespace bp::compile
