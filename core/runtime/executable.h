// Executable: a compiled module. Usually one program of the device; otherwise steps that run on devices and on the
// host, with values passed between them. If the host runs a loop or branch, the device may run what is inside.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/runtime/program.h"
#include "core/runtime/step_graph.h"

namespace bp::runtime {

// Threads: run() may be called from any thread, also concurrently.
class Executable {
 public:
  // An executable whose whole module is one program.
  Executable(ir::Module module, std::shared_ptr<const Program> program);
  // An executable whose steps compute, in this order, each instruction that later steps or the root need. Wherever a
  // loop, branch or call on the host runs a computation of `called`, that executable runs in its place.
  Executable(ir::Module module, std::vector<Step> steps, CalledExecutables called = {});
  // Returns an executable that runs on the host, except for `called`.
  static Executable on_host(ir::Module module, CalledExecutables called = {});

  const ir::Module &module() const { return module_; }
  std::span<const Step> steps() const { return steps_; }
  // The single program; nullptr if there are several steps.
  const std::shared_ptr<const Program> &program() const { return program_; }
  // Whether the host runs all of it, except called().
  bool is_on_host() const { return all_on_host_; }
  const CalledExecutables &called() const { return called_; }
  // How the steps run; empty if there are none.
  const StepGraph &graph() const { return graph_; }
  // Calls `visit` with each program, also those of executables in steps and in called().
  void visit_programs(const std::function<void(const Program &)> &visit) const;
  // Returns the figures of all programs; values passed between steps are not planned and not included.
  MemoryFigures memory() const;

  // Runs the module. Arguments are given by parameter number, a tuple as one literal; InvalidInput if their shapes are
  // not those of the parameters, Unsupported if the module needs several devices and `host` does not connect it with
  // them. Takes arguments by value: those that are moved in are freed after their last use. `host` has the terms of the
  // whole run (core/base/cancellation.h).
  Result<ir::Literal> run(std::vector<ir::Literal> arguments, const interpreter::Options &host = {}) const;
  // Like run(), but arguments may lie on the device, and results that it computes stay there. Returns the elements of a
  // tuple, otherwise one result.
  Result<std::vector<Value>> run_on_device(std::vector<Value> arguments, const interpreter::Options &host = {}) const;

  // Returns the same executable for other devices of the same targets; `device_for` gives the one that replaces a
  // device. Programs that are compiled must have been kept. Errors are those of the devices, which load the artifacts.
  using DeviceFor = std::function<std::shared_ptr<const host::Device>(const host::Device &device)>;
  Result<Executable> load_on(const DeviceFor &device_for) const;

  // Sets the number of threads for instructions on the host in runs whose options leave it open.
  void set_host_threads(int count) { host_threads_ = count; }

 private:
  interpreter::Options with_threads(const interpreter::Options &given) const;
  Result<Executable> load_parts_on(const DeviceFor &device_for) const;
  Result<std::vector<Value>> run_steps(std::vector<Value> arguments, const interpreter::Options &host) const;
  interpreter::Options with_called(const interpreter::Options &host) const;

  ir::Module module_;
  std::shared_ptr<const Program> program_;
  std::vector<Step> steps_;
  CalledExecutables called_;
  StepGraph graph_;
  bool all_on_host_ = false;
  int host_threads_ = 0;  // see interpreter::Options::threads
};

}  // namespace bp::runtime
