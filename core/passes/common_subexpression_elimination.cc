// Computes equal values once: walks each computation in order and looks each instruction up in a table of those before
// it by opcode, operands, attributes, called computations and literal. Linear, with hashing.
#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <unordered_set>

#include "core/analysis/side_effects.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::Opcode;

std::vector<ir::InstructionId> normalized_operands(const Instruction &instruction) {
  std::vector<ir::InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
  if (instruction.is(ir::Trait::Commutative)) {
    std::ranges::sort(operands);
  }
  return operands;
}

std::size_t hash_of(const ir::Literal &literal) {
  auto bytes = literal.bytes();
  std::size_t seed = std::hash<std::string_view>()({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  for (const ir::Literal &element : literal.tuple_elements()) {
    boost::hash_combine(seed, hash_of(element));
  }
  return seed;
}

struct Hash {
  const ir::Module *module;
  std::size_t operator()(ir::InstructionId id) const {
    Instruction instruction = module->instruction(id);
    std::size_t seed = static_cast<std::size_t>(instruction.opcode());
    boost::hash_combine(seed, index(instruction.shape_id()));
    for (ir::InstructionId operand : normalized_operands(instruction)) {
      boost::hash_combine(seed, index(operand));
    }
    for (AttributeKey key : instruction.attribute_keys()) {
      if (!is_part_of_value(key)) {
        continue;
      }
      if (is_text(key)) {
        boost::hash_combine(seed, std::hash<std::string_view>()(instruction.text(key)));
        continue;
      }
      for (std::int64_t number : instruction.numbers(key)) {
        boost::hash_combine(seed, number);
      }
    }
    if (instruction.literal().is_valid()) {
      boost::hash_combine(seed, hash_of(instruction.literal()));
    }
    return seed;
  }
};

bool have_equal_attributes(const Instruction &a, const Instruction &b) {
  auto keys_of = [](const Instruction &instruction) {
    std::vector<AttributeKey> keys = instruction.attribute_keys();
    std::erase_if(keys, [](AttributeKey key) { return !is_part_of_value(key); });
    return keys;
  };
  std::vector<AttributeKey> keys = keys_of(a);
  return keys == keys_of(b) && std::ranges::all_of(keys, [&](AttributeKey key) {
           return is_text(key) ? a.text(key) == b.text(key) : std::ranges::equal(a.numbers(key), b.numbers(key));
         });
}

struct Equal {
  const ir::Module *module;
  bool operator()(ir::InstructionId first, ir::InstructionId second) const {
    Instruction a = module->instruction(first), b = module->instruction(second);
    return a.opcode() == b.opcode() && a.shape_id() == b.shape_id() &&
           normalized_operands(a) == normalized_operands(b) && std::ranges::equal(a.calls(), b.calls()) &&
           have_equal_attributes(a, b) && a.literal().is_valid() == b.literal().is_valid() &&
           (!a.literal().is_valid() || a.literal().identical(b.literal()));
  }
};

bool may_merge(const Instruction &instruction, const analysis::SideEffects &side_effects) {
  switch (instruction.opcode()) {
    case Opcode::Parameter:
    case Opcode::Copy:  // has a buffer of its own for a reason
    case Opcode::AfterAll:
    case Opcode::AsyncStart:  // each start has its own end
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
      known = Table(16, Hash{&module}, Equal{&module});  // clear() would take time for the largest one's buckets
    }
    return may_merge(instruction, side_effects) ? *known.insert(instruction.id()).first : instruction.id();
  });
}

}  // namespace bp::passes
