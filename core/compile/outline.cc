#include "core/compile/outline.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>

#include "core/analysis/call_graph.h"

namespace bp::compile {
namespace {

using ir::Instruction;
using ir::InstructionId;

std::string config_of(const ClusterReport &report) {
  return boost::json::serialize(boost::json::object{{"device", report.device},
                                                    {"nanoseconds", report.nanoseconds},
                                                    {"host_nanoseconds", report.host_nanoseconds},
                                                    {"copy_nanoseconds", report.copy_nanoseconds},
                                                    {"reason", report.reason}});
}

// Copies the computations of a cluster's module, with the cluster's name before those of instructions, so that the
// entry keeps its names. Returns the copy of its entry.
ir::ComputationId copy_computations(const ir::Module &from, std::string_view name, ir::Module &to) {
  std::vector<ir::ComputationId> computations(from.computation_id_limit(), ir::no_computation);
  std::vector<InstructionId> copies(from.instruction_id_limit(), ir::no_instruction);
  for (const ir::Computation computation : from.computations()) {
    const bool is_entry = computation == from.entry();
    const ir::ComputationId copy = to.add_computation(is_entry ? name : computation.name());
    computations[index(computation.id())] = copy;
    to.set_execution_thread(copy, computation.execution_thread());
    for (const Instruction i : computation.instructions()) {
      std::vector<InstructionId> operands, predecessors;
      for (const InstructionId operand : i.operands()) {
        operands.push_back(copies[index(operand)]);
      }
      std::vector<ir::ComputationId> calls;
      for (const ir::ComputationId callee : i.calls()) {
        calls.push_back(computations[index(callee)]);
      }
      for (const InstructionId predecessor : i.control_predecessors()) {
        predecessors.push_back(copies[index(predecessor)]);
      }
      copies[index(i.id())] = to.clone_instruction(copy, i, operands, calls);
      to.set_control_predecessors(copies[index(i.id())], predecessors);
      to.set_name(copies[index(i.id())], fmt::format("{}.{}", name, i.name()));
    }
    to.set_root(copy, copies[index(computation.root().id())]);
  }
  return computations[index(from.entry().id())];
}

}  // namespace

std::vector<InstructionId> outline(ir::Module &module, std::span<const Part> parts, std::span<const Cluster> clusters) {
  const ir::ComputationId entry = module.entry().id();
  std::vector<InstructionId> replacements(module.instruction_id_limit(), ir::no_instruction), order;
  auto cluster = clusters.begin();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (cluster == clusters.end() || cluster->part != p) {
      order.insert(order.end(), parts[p].instructions.begin(), parts[p].instructions.end());
      continue;
    }
    const ir::ComputationId body = copy_computations(cluster->extract.module, cluster->report.name, module);
    const InstructionId call = module.add_instruction(entry, ir::Opcode::Call, module.computation(body).root().shape(),
                                                      cluster->extract.inputs, cluster->report.name);
    module.set_calls(call, {&body, 1});
    module.set_text(call, ir::AttributeKey::BackendConfig, config_of(cluster->report));
    order.push_back(call);
    for (const InstructionId id : parts[p].instructions) {
      replacements[index(id)] = call;  // as a control predecessor
    }
    for (std::size_t k = 0; k < cluster->extract.outputs.size(); ++k) {
      const InstructionId output = cluster->extract.outputs[k];
      const InstructionId element =
          module.add_instruction(entry, ir::Opcode::GetTupleElement, module.instruction(output).shape(), {call},
                                 module.instruction(output).name());
      module.set_number(element, ir::AttributeKey::Index, static_cast<std::int64_t>(k));
      order.push_back(element);
      replacements[index(output)] = element;
    }
    ++cluster;
  }
  replacements.resize(module.instruction_id_limit(), ir::no_instruction);
  module.replace_uses(replacements);
  module.set_instruction_order(entry, std::move(order));
  const analysis::CallGraph graph(module);
  const std::span<const ir::ComputationId> reached = graph.callees_first();
  module.set_computation_order({reached.begin(), reached.end()});
  module.unique_names();
  return replacements;
}

}  // namespace bp::compile
