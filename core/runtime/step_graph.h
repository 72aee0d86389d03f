// StepGraph: what each step of an executable waits for, and which steps may run at the same time.
//
// A step waits for the steps that compute its inputs, for the step before it on the same device, and, if it has side
// effects or calls the application, for the last step that does. All other steps are independent. Those that run in
// different places get different lanes: a lane is a device, or the host. Without steps that may overlap there is one
// lane, in the order of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/ir/module.h"
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

// The executables that run computations of a module in place of the interpreter.
using CalledExecutables = std::map<ir::ComputationId, std::shared_ptr<const Executable>>;

class StepGraph {
 public:
  // A program, an instruction of an executable's module on the host, or a whole executable. The steps of an
  // executable inside another one are nodes like the others.
  struct Node {
    const Program *program = nullptr;
    std::uint32_t executable = 0;  // index in executables()
    ir::InstructionId instruction = ir::no_instruction;
    std::vector<std::uint32_t> inputs = {}, outputs = {};  // values
    std::vector<const host::Device *> devices = {};        // that it may use
    bool has_effects = false;  // side effects, or calls of the application, which happen in the order of the program
    // By input: whether a later node reads the same value in the same place, main memory of a device or the host's.
    std::vector<bool> is_read_again = {};
    bool is_light = false;  // pure, and takes less time than to start a thread: it has no lane
    // The graph sets the rest.
    std::vector<std::uint32_t> next = {};  // the nodes that wait for it
    std::uint32_t waits_for = 0;           // number of nodes whose `next` has it
    std::uint32_t lane = 0;
  };

  // The facts that a graph needs of another executable.
  struct Inside {
    const Program *program = nullptr;  // the only one
    const StepGraph *graph = nullptr;
    std::vector<const host::Device *> devices = {};
  };
  using LookInside = std::function<Inside(const Executable &executable)>;

  // The device in whose memory a node reads an input where it is; nullptr: on the host.
  static const host::Device *place_of(const Node &node, std::size_t input) {
    return node.program != nullptr && node.program->takes_from_device(input) ? node.program->device().get() : nullptr;
  }

  StepGraph() = default;
  // The module, steps and executables outlive the graph; the module may be moved. Linear in all their steps, for each
  // device.
  StepGraph(const ir::Module &module, std::span<const Step> steps, const CalledExecutables &called,
            const LookInside &look_inside);

  std::span<const Node> nodes() const { return nodes_; }  // in the order of the program
  std::uint32_t lane_count() const { return lane_count_; }
  // nullptr, which stands for the executable that the graph belongs to, and those inside it.
  std::span<const Executable *const> executables() const { return executables_; }
  std::span<const std::uint32_t> parameters() const { return parameters_; }  // values, by parameter number
  // Values: the root's elements or, if is_whole(), the root itself, whose elements are the results.
  std::span<const std::uint32_t> results() const { return results_; }
  bool is_whole() const { return is_whole_; }
  // By value: a device in whose memory a program reads it, if the host can address it there; nullptr if there is none.
  std::span<const std::shared_ptr<const host::Device>> homes() const { return homes_; }
  // By value: the number of inputs of nodes, and of results, that it is.
  std::span<const std::uint32_t> uses() const { return uses_; }

 private:
  class Builder;
  std::uint32_t add_value();
  void find_lanes();
  void find_places();

  std::vector<Node> nodes_;
  std::vector<const Executable *> executables_ = {nullptr};
  std::vector<std::uint32_t> parameters_, results_, uses_;
  std::vector<std::shared_ptr<const host::Device>> homes_;
  bool is_whole_ = false;
  std::uint32_t lane_count_ = 1;
  std::uint32_t depth_ = 0;  // of the executables inside
};

}  // namespace bp::runtime
