// Rewrites the custom call "ApproxTopK" as a sort by its comparator, and slices: the exact answer is one of those that
// it allows. The call takes m arrays and m initial values, and returns m arrays that are shorter along one dimension.
// Source of the semantics: ApproxTopK in XLA's approx_topk.h.
#include <charconv>
#include <optional>

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

// Returns the dimension that the call shortens; nothing if it is no such call.
std::optional<std::size_t> dimension_of(const ir::Instruction &call) {
  if (call.opcode() != Opcode::CustomCall || call.text(ir::AttributeKey::CustomCallTarget) != "ApproxTopK" ||
      call.calls().size() != 1 || call.operands().size() < 2 || call.operands().size() % 2 != 0 ||
      call.shape().elements().size() != call.operands().size() / 2) {
    return std::nullopt;
  }
  const ir::Shape &first = call.operand(0).shape();
  const auto found = reduction_dimension(call.text(ir::AttributeKey::BackendConfig));
  const auto rank = static_cast<std::int64_t>(first.rank());
  if (!found || *found < -rank || *found >= rank) {
    return std::nullopt;
  }
  const auto dimension = static_cast<std::size_t>(*found < 0 ? *found + rank : *found);
  for (std::size_t i = 0; i < call.shape().elements().size(); ++i) {
    const ir::Shape &operand = call.operand(i).shape(), &result = call.shape().elements()[i];
    if (operand.rank() != first.rank() || result.rank() != first.rank() ||
        result.size(dimension) > operand.size(dimension)) {
      return std::nullopt;
    }
  }
  return dimension;
}

}  // namespace

Result<bool> approx_topk_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<InstructionId> {
    const std::optional<std::size_t> dimension = dimension_of(call);
    if (!dimension) {
      return call.id();
    }
    const ir::Shape shape = call.shape();
    const std::size_t count = shape.elements().size();
    ArrayBuilder b(module, call);
    std::vector<InstructionId> operands;
    for (std::size_t i = 0; i < count; ++i) {
      operands.push_back(b.with_layout(call.operands()[i], ir::Layout::descending(shape.elements()[i].rank())));
    }
    const ir::ComputationId comparator = call.calls()[0];
    const auto numbers = static_cast<std::int64_t>(*dimension);
    BP_ASSIGN(const InstructionId sorted, b.try_add(Opcode::Sort, operands,
                                                    [&](ir::Module &m, InstructionId id) {
                                                      m.set_numbers(id, ir::AttributeKey::Dimensions, {&numbers, 1});
                                                      m.set_number(id, ir::AttributeKey::IsStable, 1);
                                                    },
                                                    {&comparator, 1}));
    std::vector<InstructionId> results;
    for (std::size_t i = 0; i < count; ++i) {
      const ir::Shape &result = shape.elements()[i];
      const InstructionId all = count == 1 ? sorted : b.get_tuple_element(sorted, static_cast<std::int64_t>(i));
      results.push_back(b.with_layout(b.slice(all, *dimension, 0, result.size(*dimension)), result.layout()));
    }
    return b.tuple(results);
  });
}

}  // namespace bp::passes
