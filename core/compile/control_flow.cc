#include "core/compile/control_flow.h"

#include <algorithm>

#include "core/ir/origin.h"
#include "core/passes/rewrite.h"

namespace bp::compile {
namespace {

using ir::Instruction;
using ir::Opcode;

// The host evaluates about as many elements while a device starts a program.
constexpr std::int64_t light_elements = 4096;

bool runs_computations(Opcode opcode) {
  return opcode == Opcode::While || opcode == Opcode::Conditional || opcode == Opcode::Call;
}

std::int64_t elements(const ir::Shape &shape) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < shape.subshape_count(); ++i) {
    sum += shape.subshape(i).is_array() ? shape.subshape(i).element_count() : 0;
  }
  return sum;
}

// Returns an estimate of the elements that an instruction computes or reads; those of the computations it calls are
// not counted.
std::int64_t work(Instruction i) {
  switch (i.opcode()) {
    case Opcode::Bitcast:
    case Opcode::Constant:
    case Opcode::Copy:
    case Opcode::GetTupleElement:
    case Opcode::Parameter:
    case Opcode::Tuple: return 0;
    case Opcode::While: return light_elements;  // the number of iterations is unknown
    default: break;
  }
  if (runs_computations(i.opcode())) {
    return 0;
  }
  std::int64_t sum = elements(i.shape());
  for (std::size_t k = 0; k < i.operand_count(); ++k) {
    sum += elements(i.operand(k).shape());
  }
  constexpr std::int64_t products_per_element = 16;
  return i.is(ir::Trait::Contraction) ? sum * products_per_element : sum;
}

class Weights {
 public:
  explicit Weights(const ir::Module &module) : weights_(module.computation_id_limit()) {
    for (ir::Computation computation : module.computations()) {  // callees come first
      std::int64_t &sum = weights_[index(computation.id())];
      for (Instruction i : computation.instructions()) {
        sum += work(i);
        for (ir::ComputationId callee : i.calls()) {
          sum += weights_[index(callee)];
        }
        sum = std::min(sum, light_elements);
      }
    }
  }

  bool is_light(ir::ComputationId id) const { return weights_[index(id)] < light_elements; }

 private:
  std::vector<std::int64_t> weights_;  // by computation id: elements, at most light_elements
};

}  // namespace

std::vector<CalledComputation> called_computations(const ir::Module &module,
                                                   std::span<const ir::InstructionId> instructions) {
  std::vector<CalledComputation> called;
  const bool is_any = std::ranges::any_of(
      instructions, [&](ir::InstructionId id) { return runs_computations(module.instruction(id).opcode()); });
  if (!is_any) {
    return called;
  }
  const Weights weights(module);
  std::vector<bool> seen(module.computation_id_limit());
  for (ir::InstructionId id : instructions) {
    const Instruction i = module.instruction(id);
    for (ir::ComputationId callee : i.calls()) {
      const bool is_worth_it = i.opcode() == Opcode::Call || !weights.is_light(callee);
      if (runs_computations(i.opcode()) && is_worth_it && !seen[index(callee)]) {
        seen[index(callee)] = true;
        called.push_back({callee, id});
      }
    }
  }
  return called;
}

ir::Module extract(const ir::Module &module, const CalledComputation &computation) {
  ir::Module result = module;
  result.set_entry(computation.id);
  ir::mark_cluster(result, result.entry().instruction_ids(), ir::cluster_mark(module.instruction(computation.caller)));
  ir::ModuleHeader &header = result.header();
  header.input_output_alias.clear();
  header.buffer_donor.clear();
  header.has_entry_layout = false;
  header.entry_parameter_shapes.clear();
  header.entry_result_shape = {};
  header.rest.clear();
  passes::tidy(result);
  result.compact();
  return result;
}

}  // namespace bp::compile
