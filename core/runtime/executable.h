// Executable: a compiled module. Either one program of the device, the usual case, or parts that run on the device and
// on the host in turn, with values passed between them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/runtime/program.h"

namespace bp::runtime {

class Executable;

// A part of the entry computation: a program on a device, what other devices make of it, or one instruction on the
// host. Instructions are those of Executable::module().
struct Step {
  std::shared_ptr<const Program> program = nullptr;
  std::shared_ptr<const Executable> executable = nullptr;
  std::vector<ir::InstructionId> inputs = {}, outputs = {};  // of these: by parameter number, by element of the root
  ir::InstructionId instruction = ir::no_instruction;        // on the host
};

// Threads: run() from any thread, also at the same time.
class Executable {
 public:
  // The whole module is one program.
  Executable(ir::Module module, std::shared_ptr<const Program> program);
  // The steps compute, in this order, each instruction that later steps or the root need.
  Executable(ir::Module module, std::vector<Step> steps);
  // All of it runs on the host.
  static Executable on_host(ir::Module module);

  const ir::Module &module() const { return module_; }
  std::span<const Step> steps() const { return steps_; }
  // The one program; null if there are several steps.
  const std::shared_ptr<const Program> &program() const { return program_; }
  // Of all programs; the values between steps are not planned and not in it.
  MemoryFigures memory() const;

  // Arguments by parameter number, a tuple as one literal; InvalidInput if their shapes are not those of the
  // parameters, Unsupported if the module needs several devices. Takes arguments by value: what is moved in is freed
  // after its last use.
  Result<ir::Literal> run(std::vector<ir::Literal> arguments, const interpreter::Options &host = {}) const;

 private:
  Result<ir::Literal> run_steps(std::vector<ir::Literal> arguments, const interpreter::Options &host) const;
  void find_last_uses();

  ir::Module module_;
  std::shared_ptr<const Program> program_;
  std::vector<Step> steps_;
  bool all_on_host_ = false;
  std::vector<std::vector<ir::InstructionId>> dead_after_;  // by step: the values nobody needs afterwards
};

}  // namespace bp::runtime
