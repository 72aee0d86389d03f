// Redirects calls of equal computations to one of them, so that common-subexpression-elimination finds more.
// Computations are compared in callees-first order, by a text of what they compute: opcodes, shapes, attributes, and
// operands by their number within the computation. Linear.
#include <algorithm>
#include <unordered_map>

#include "core/analysis/call_graph.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;

// Builds the text of a computation. Texts are only compared for equality, so numbers are written as bytes.
class Signature {
 public:
  explicit Signature(const ir::Computation &computation) {
    add(computation.execution_thread());
    std::unordered_map<ir::InstructionId, std::uint64_t> numbers;
    for (Instruction instruction : computation.instructions()) {
      add(static_cast<std::uint64_t>(instruction.opcode()));
      add(index(instruction.shape_id()));
      for (auto list : {instruction.operands(), instruction.control_predecessors()}) {
        add(list.size());
        for (ir::InstructionId operand : list) {
          add(numbers.at(operand));
        }
      }
      add(instruction.calls().size());
      for (ir::ComputationId callee : instruction.calls()) {
        add(index(callee));
      }
      add_attributes(instruction);
      add(instruction.literal());
      numbers.emplace(instruction.id(), numbers.size());
    }
    add(numbers.at(computation.root().id()));
  }

  std::string take() { return std::move(text_); }

 private:
  void add(std::uint64_t number) { text_.append(reinterpret_cast<const char *>(&number), sizeof(number)); }
  void add(std::string_view text) {
    add(text.size());
    text_ += text;
  }

  void add(const ir::Literal &literal) {
    if (!literal.is_valid()) {
      return;
    }
    auto bytes = literal.bytes();
    add(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
    for (const ir::Literal &element : literal.tuple_elements()) {
      add(element);
    }
  }

  void add_attributes(const Instruction &instruction) {
    for (AttributeKey key : instruction.attribute_keys()) {
      if (!is_part_of_value(key)) {
        continue;
      }
      add(static_cast<std::uint64_t>(key));
      if (is_text(key)) {
        add(instruction.text(key));
        continue;
      }
      add(instruction.numbers(key).size());
      for (std::int64_t number : instruction.numbers(key)) {
        add(static_cast<std::uint64_t>(number));
      }
    }
  }

  std::string text_;
};

}  // namespace

Result<bool> computation_deduplication(ir::Module &module, const PassContext &) {
  std::unordered_map<std::string, ir::ComputationId> known;
  std::unordered_map<ir::ComputationId, ir::ComputationId> replacements;
  const analysis::CallGraph graph(module);
  for (ir::ComputationId id : graph.callees_first()) {
    for (Instruction instruction : module.computation(id).instructions()) {
      std::vector<ir::ComputationId> calls(instruction.calls().begin(), instruction.calls().end());
      for (ir::ComputationId &callee : calls) {
        auto found = replacements.find(callee);
        callee = found == replacements.end() ? callee : found->second;
      }
      if (!std::ranges::equal(calls, instruction.calls())) {
        module.set_calls(instruction.id(), calls);
      }
    }
    auto [first, is_new] = known.try_emplace(Signature(module.computation(id)).take(), id);
    if (!is_new) {
      replacements.emplace(id, first->second);
    }
  }
  if (!replacements.empty()) {
    tidy(module);
  }
  return !replacements.empty();
}

}  // namespace bp::passes
