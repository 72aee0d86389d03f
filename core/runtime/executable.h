// Executable: a compiled module. Usually one program of the device; otherwise parts that run on the device and on the
// host in turn, with values passed between them. If the host runs a loop or branch, the device may run what is inside.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/runtime/program.h"

namespace bp::runtime {

class Executable;

// A part of the entry computation: a program on a device, an executable for other devices, or one instruction on the
// host. Instructions are those of Executable::module().
struct Step {
  std::shared_ptr<const Program> program = nullptr;
  std::shared_ptr<const Executable> executable = nullptr;
  // Inputs and outputs of the program or executable: by parameter number, by element of the root.
  std::vector<ir::InstructionId> inputs = {}, outputs = {};
  ir::InstructionId instruction = ir::no_instruction;  // to be evaluated on the host
};

// Threads: run() may be called from any thread, also concurrently.
class Executable {
 public:
  // An executable whose whole module is one program.
  Executable(ir::Module module, std::shared_ptr<const Program> program);
  // An executable whose steps compute, in this order, each instruction that later steps or the root need.
  Executable(ir::Module module, std::vector<Step> steps);
  // Returns an executable that runs entirely on the host.
  static Executable on_host(ir::Module module);

  // Runs a computation of the module as another executable wherever a loop, branch or call on the host runs it. To be
  // called before the first run.
  void set_called(ir::ComputationId computation, std::shared_ptr<const Executable> executable) {
    called_.insert_or_assign(computation, std::move(executable));
  }

  const ir::Module &module() const { return module_; }
  std::span<const Step> steps() const { return steps_; }
  // The single program; nullptr if there are several steps.
  const std::shared_ptr<const Program> &program() const { return program_; }
  // Whether the host runs all of it, except called().
  bool is_on_host() const { return all_on_host_; }
  // Returns the arguments of set_called().
  const std::map<ir::ComputationId, std::shared_ptr<const Executable>> &called() const { return called_; }
  // Calls `visit` with each program, also those of executables in steps and in called().
  void visit_programs(const std::function<void(const Program &)> &visit) const;
  // Returns the figures of all programs; values passed between steps are not planned and not included.
  MemoryFigures memory() const;

  // Runs the module. Arguments are given by parameter number, a tuple as one literal; InvalidInput if their shapes are
  // not those of the parameters, Unsupported if the module needs several devices. Takes arguments by value: those that
  // are moved in are freed after their last use. `host` has the terms of the whole run (core/base/cancellation.h).
  Result<ir::Literal> run(std::vector<ir::Literal> arguments, const interpreter::Options &host = {}) const;
  // Like run(), but arguments may lie on the device, and results that it computes stay there. Returns the elements of a
  // tuple, otherwise one result.
  Result<std::vector<Value>> run_on_device(std::vector<Value> arguments, const interpreter::Options &host = {}) const;

 private:
  Result<std::vector<Value>> run_steps(std::vector<Value> arguments, const interpreter::Options &host) const;
  interpreter::Options with_called(const interpreter::Options &host) const;
  void find_last_uses();

  ir::Module module_;
  std::shared_ptr<const Program> program_;
  std::vector<Step> steps_;
  std::map<ir::ComputationId, std::shared_ptr<const Executable>> called_;
  bool all_on_host_ = false;
  std::vector<std::vector<ir::InstructionId>> dead_after_;  // by step: values that are not needed afterwards
};

}  // namespace bp::runtime
