// Rewrites XLA's custom calls "TopK" and "ApproxTopK" as a sort by their comparator, and slices; the exact answer is
// one of those that the second one allows.
//   TopK: an array, whose largest elements along its last dimension are returned with their indices (s32).
//   ApproxTopK: m arrays and m initial values; returns m arrays that are shorter along one dimension.
// Source of the semantics: TopkDecomposer in XLA's topk_rewriter.cc, and approx_topk.h.
#include <charconv>
#include <optional>
#include <unordered_map>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;

// Returns the number after "reduction_dim" in a configuration: {"reduction_dim": 1} or {reduction_dim = 1 : i64}.
std::optional<std::int64_t> reduction_dimension(std::string_view config) {
  constexpr std::string_view name = "reduction_dim";
  const std::size_t begin = config.find(name);
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  config.remove_prefix(begin + name.size());
  config.remove_prefix(std::min(config.find_first_of("-0123456789"), config.size()));
  std::int64_t dimension = 0;
  const auto [end, code] = std::from_chars(config.data(), config.data() + config.size(), dimension);
  return code == std::errc() ? std::optional(dimension) : std::nullopt;
}

// Returns the last dimension of the array; nothing if it is no call of TopK.
std::optional<std::int64_t> dimension_of_top_k(const ir::Instruction &call) {
  if (call.operands().size() != 1 || call.operand(0).shape().rank() == 0) {
    return std::nullopt;
  }
  const auto results = call.shape().elements();
  return results.size() == 2 && results[1].element_type() == ir::ElementType::S32
             ? std::optional(static_cast<std::int64_t>(call.operand(0).shape().rank()) - 1)
             : std::nullopt;
}

// Returns the dimension that its configuration names, which counts from the end if it is negative.
std::optional<std::int64_t> dimension_of_approximate(const ir::Instruction &call) {
  const std::size_t count = call.operands().size();
  if (count < 2 || count % 2 != 0 || call.shape().elements().size() != count / 2) {
    return std::nullopt;
  }
  const auto found = reduction_dimension(call.text(ir::AttributeKey::BackendConfig));
  const auto rank = static_cast<std::int64_t>(call.operand(0).shape().rank());
  if (!found || *found < -rank || *found >= rank) {
    return std::nullopt;
  }
  return *found < 0 ? *found + rank : *found;
}

// Returns the dimension that the call shortens; nothing if it is neither of the two, or is not well-formed.
std::optional<std::size_t> dimension_of(const ir::Instruction &call) {
  if (call.opcode() != Opcode::CustomCall || call.calls().size() != 1 || !call.shape().is_tuple()) {
    return std::nullopt;
  }
  const std::string_view target = call.text(ir::AttributeKey::CustomCallTarget);
  const std::optional<std::int64_t> found = target == "TopK"         ? dimension_of_top_k(call)
                                            : target == "ApproxTopK" ? dimension_of_approximate(call)
                                                                     : std::nullopt;
  if (!found) {
    return std::nullopt;
  }
  const ir::Shape &first = call.operand(0).shape();
  const auto dimension = static_cast<std::size_t>(*found);
  for (std::size_t i = 0; i < call.shape().elements().size(); ++i) {
    const ir::Shape &operand = target == "TopK" ? first : call.operand(i).shape();
    const ir::Shape &result = call.shape().elements()[i];
    if (operand.rank() != first.rank() || result.rank() != first.rank() ||
        result.size(dimension) > operand.size(dimension)) {
      return std::nullopt;
    }
  }
  return dimension;
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
    const std::optional<std::size_t> dimension = dimension_of(call);
    if (!dimension) {
      return call.id();
    }
    const ir::Shape shape = call.shape();
    ArrayBuilder b(module, call);
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
