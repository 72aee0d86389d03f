// Rewrites XLA's custom calls "TopK" and "ApproxTopK" as a topk or, if their comparator is another one, as a sort and
// slices; the exact answer is one of those that the second one allows.
#include <optional>
#include <unordered_map>

#include "core/ir/top_k_calls.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/top_k.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;

// Returns whether the call returns the largest elements of lines, and their positions, as topk does; false if the
// smallest ones, nothing if something else. Zeros of both signs are equal to some comparators, so that ApproxTopK may
// return either.
std::optional<bool> returns_largest(const ir::Instruction &call, std::size_t dimension) {
  const bool is_exact = call.operands().size() == 1;
  const auto last = static_cast<std::int64_t>(call.operand(0).shape().rank()) - 1;
  if (static_cast<std::int64_t>(dimension) != last || call.shape().elements().size() != 2) {
    return std::nullopt;
  }
  const bool are_positions = is_exact || (call.operand(1).opcode() == Opcode::Iota &&
                                          call.operand(1).shape().element_type() == ir::ElementType::S32 &&
                                          call.operand(1).number(ir::AttributeKey::IotaDimension) == last);
  return are_positions ? puts_largest_first(call.called(0), is_exact) : std::nullopt;
}

// Returns the arrays that are sorted together, in the descending layout.
std::vector<InstructionId> sorted_arrays(ArrayBuilder &b, const ir::Instruction &call, std::size_t dimension) {
  const bool is_exact = call.operands().size() == 1;
  const std::size_t count = is_exact ? 1 : call.operands().size() / 2;
  std::vector<InstructionId> arrays;
  for (std::size_t i = 0; i < count; ++i) {
    const InstructionId operand = call.operands()[i];
    arrays.push_back(b.with_layout(operand, ir::Layout::descending(b.shape(operand).rank())));
  }
  if (is_exact) {
    const ir::Shape indices = ir::Shape::array(ir::ElementType::S32, b.shape(arrays[0]).sizes());
    arrays.push_back(b.iota(indices, static_cast<std::int64_t>(dimension)));
  }
  return arrays;
}

// Returns the comparator of the call for values and their indices. XLA:CPU gives TopK one of values alone, if nothing
// reads the indices.
ir::ComputationId comparator_of(ir::Module &module, const ir::Instruction &call) {
  const ir::Computation given = module.computation(call.calls()[0]);
  if (call.operands().size() != 1 || given.parameter_ids().size() != 2) {
    return given.id();
  }
  const std::vector<InstructionId> order(given.instruction_ids().begin(), given.instruction_ids().end());
  const InstructionId root = given.root().id();
  const ir::ComputationId made = module.add_computation(fmt::format("{}.indexed", given.name()));
  std::unordered_map<InstructionId, InstructionId> copies;
  for (const InstructionId id : order) {
    const ir::Instruction original = module.instruction(id);
    if (original.opcode() == Opcode::Parameter) {
      copies[id] = module.add_parameter(made, original.parameter_number(), ir::Shape(original.shape()),
                                        std::string(original.name()));
      continue;
    }
    std::vector<InstructionId> operands;
    for (const InstructionId operand : original.operands()) {
      operands.push_back(copies.at(operand));
    }
    const std::vector<ir::ComputationId> calls(original.calls().begin(), original.calls().end());
    copies[id] = module.clone_instruction(made, original, operands, calls);
  }
  for (const std::int64_t number : {2, 3}) {
    module.add_parameter(made, number, ir::Shape::array(ir::ElementType::S32, {}));
  }
  module.set_root(made, copies.at(root));
  return made;
}

}  // namespace

Result<bool> top_k_call_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    const std::optional<std::size_t> dimension = ir::top_k_dimension(call);
    if (!dimension) {
      return call.id();
    }
    const ir::Shape shape = call.shape();
    ArrayBuilder b(module, call);
    if (const auto is_largest = returns_largest(call, *dimension)) {
      return add_top_k(b, call.operands()[0], shape.elements()[0].size(*dimension), *is_largest);
    }
    const std::vector<InstructionId> arrays = sorted_arrays(b, call, *dimension);
    const ir::ComputationId comparator = comparator_of(module, call);
    const auto numbers = static_cast<std::int64_t>(*dimension);
    BP_ASSIGN(const InstructionId sorted, b.try_add(Opcode::Sort, arrays,
                                                    [&](ir::Module &m, InstructionId id) {
                                                      m.set_numbers(id, ir::AttributeKey::Dimensions, {&numbers, 1});
                                                      m.set_number(id, ir::AttributeKey::IsStable, 1);
                                                    },
                                                    {&comparator, 1}));
    std::vector<InstructionId> results;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const ir::Shape &result = shape.elements()[i];
      const InstructionId all = arrays.size() == 1 ? sorted : b.get_tuple_element(sorted, static_cast<std::int64_t>(i));
      results.push_back(b.with_layout(b.slice(all, *dimension, 0, result.size(*dimension)), result.layout()));
    }
    return b.tuple(results);
  });
}

}  // namespace bp::passes
