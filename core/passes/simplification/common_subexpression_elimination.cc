// Computes equal values only once: visits each computation in order and looks up each instruction among those before
// it, by opcode, operands, attributes, called computations and literal. Linear, by hashing.
#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <unordered_set>

#include "core/analysis/side_effects.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"
#include "core/passes/same_operation.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

std::vector<ir::InstructionId> normalized_operands(const Instruction &instruction) {
  std::vector<ir::InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
  if (instruction.is(ir::Trait::Commutative)) {
    std::ranges::sort(operands);
  }
  return operands;
}

struct Hash {
  const ir::Module *module;
  std::size_t operator()(ir::InstructionId id) const {
    Instruction instruction = module->instruction(id);
    std::size_t seed = hash_of_operation(instruction);
    for (ir::InstructionId operand : normalized_operands(instruction)) {
      boost::hash_combine(seed, index(operand));
    }
    return seed;
  }
};

struct Equal {
  const ir::Module *module;
  bool operator()(ir::InstructionId first, ir::InstructionId second) const {
    Instruction a = module->instruction(first), b = module->instruction(second);
    return is_same_operation(a, b) && normalized_operands(a) == normalized_operands(b);
  }
};

bool may_merge(const Instruction &instruction, const analysis::SideEffects &side_effects) {
  switch (instruction.opcode()) {
    case Opcode::Parameter:
    case Opcode::Copy:  // the program may need a buffer of its own here
    case Opcode::AfterAll:
    case Opcode::AsyncStart:  // each start has its own done
    case Opcode::CopyStart:
    case Opcode::OptimizationBarrier: return false;
    default: return !side_effects.has(instruction);
  }
}

}  // namespace

Result<bool> common_subexpression_elimination(ir::Module &module, const PassContext &) {
  analysis::SideEffects side_effects(module);
  using Table = std::unordered_set<ir::InstructionId, Hash, Equal>;
  Table known(16, Hash{&module}, Equal{&module});
  ir::ComputationId current = ir::no_computation;
  return rewrite_all(module, [&](Instruction instruction) -> Result<ir::InstructionId> {
    if (instruction.parent().id() != current) {
      current = instruction.parent().id();
      known = Table(16, Hash{&module}, Equal{&module});  // clear() takes time proportional to the maximum size
    }
    return may_merge(instruction, side_effects) ? *known.insert(instruction.id()).first : instruction.id();
  });
}

}  // namespace bp::passes
