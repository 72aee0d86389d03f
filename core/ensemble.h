// Ensembles: devices of this process that run a program for several devices together, such as one that a partitioner
// has written for eight.
//
//   BP_ASSIGN(bp::Ensemble ensemble, bp::Ensemble::load("npu", 8));
//   BP_ASSIGN(bp::EnsembleExecutable program, ensemble.compile(std::move(module)));
//   BP_ASSIGN(std::vector<bp::Literal> results, program.run(std::move(arguments)));
//
// Each device runs the whole program on a thread of its own, and the host exchanges values between them: collectives,
// send and recv, replica-id and partition-id are never left to a plugin. With the interpreter in place of devices, the
// ensemble is a simulation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/backplane.h"
#include "core/interpreter/exchange.h"

namespace bp {

// Threads: run() may be called from any thread, also concurrently.
class EnsembleExecutable {
 public:
  const compile::Report &report() const { return reports_[0]; }  // of the first device
  // One for each program that was compiled: of the first device alone, if all run the same.
  std::span<const compile::Report> reports() const { return reports_; }
  std::span<const Executable> executables() const { return executables_; }  // by device

  // Runs the program on all devices. Arguments are given by device, then by parameter number; devices are ordered by
  // replica, then by partition, and so are the results. Fails with the error of the device that failed first, and
  // names it; InvalidInput if all devices that have not ended wait for each other.
  Result<std::vector<Literal>> run(std::vector<std::vector<Literal>> arguments,
                                   const interpreter::Options &host = {}) const;
  // The same with the given exchange, which is for as many devices, and new.
  Result<std::vector<Literal>> run(interpreter::Exchange &exchange, std::vector<std::vector<Literal>> arguments,
                                   const interpreter::Options &host = {}) const;

 private:
  friend class Ensemble;
  std::vector<compile::Report> reports_;
  std::vector<Executable> executables_;
  std::int64_t replicas_ = 1, partitions_ = 1;
};

class Ensemble {
 public:
  // Loads a backend `count` times, by the same name and options as Backend::load(). If there are several instances of
  // its hardware, and the name means none of them, the devices are spread over them in turn. InvalidInput unless
  // `count` is 1 to 256.
  static Result<Ensemble> load(std::string_view name, std::int64_t count, const BackendOptions &options = {});

  std::span<const Backend> backends() const { return backends_; }  // by device

  // Compiles the program once, for the first device, and loads it on all. InvalidInput unless the program is for as
  // many devices as there are.
  Result<EnsembleExecutable> compile(Module module, const CompileOptions &options = {}) const;
  // Compiles a program of its own for each device. All are for as many replicas and partitions as the first.
  Result<EnsembleExecutable> compile_each(std::vector<Module> modules, const CompileOptions &options = {}) const;

 private:
  Status check_count(const Module &module) const;
  std::vector<Backend> backends_;
};

}  // namespace bp
