// Replaces dynamic dimensions by static ones of their bound, with the run-time sizes as separate scalars, because
// backends run only static shapes. core/ir/run_time_sizes.h says how sizes pass through ops. Elements outside a size
// have any value; for an op whose rule is Cut they are replaced by values that do not change the result. A size out of
// range is clamped.
//
// If a parameter or the result of the program is dynamic, the entry calls a static computation, which a backend can
// run, and the host converts arguments and results. All or nothing: if a called computation other than those of loops
// and branches, or an op that is not listed here has dynamic dimensions, the program is not changed, and runs on the
// host.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/run_time_sizes.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/expansion/dynamic_arrays.h"
#include "core/passes/expansion/dynamic_control_flow.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

bool uses_dynamic_dimensions(Instruction i) {
  return !i.shape().is_static() || !has_static_operands(i);
}

// Whether a window slides along a dynamic dimension of an operand.
bool slides_over_dynamic_dimension(Instruction i) {
  for (std::size_t d = 0; d < i.window().size(); ++d) {
    const ir::WindowDimension &window = i.window()[d];
    const bool is_plain = window.size == 1 && window.stride == 1 && window.pad_low == 0 && window.pad_high == 0;
    if (!is_plain && (i.operand(0).shape().is_dynamic(d) || i.operand(1).shape().is_dynamic(d))) {
      return true;
    }
  }
  return false;
}

// Ops that are expanded whatever their attributes and operands are.
constexpr Opcode always_supported[] = {Opcode::BatchNormInference,
                                       Opcode::BitcastConvert,
                                       Opcode::Broadcast,
                                       Opcode::Concatenate,
                                       Opcode::DynamicSlice,
                                       Opcode::DynamicUpdateSlice,
                                       Opcode::Gather,
                                       Opcode::GetDimensionSize,
                                       Opcode::Iota,
                                       Opcode::Map,
                                       Opcode::Pad,
                                       Opcode::Reverse,
                                       Opcode::SetDimensionSize,
                                       Opcode::Slice,
                                       Opcode::Sort,
                                       Opcode::Transpose};

bool is_supported(Instruction i) {
  if (!ir::check_dynamic_dimensions(i).ok()) {
    return false;
  }
  if (std::ranges::find(always_supported, i.opcode()) != std::end(always_supported)) {
    return true;
  }
  const bool is_small = std::ranges::all_of(
      i.operands(), [&](InstructionId id) { return i.module().instruction(id).shape().element_count() <= INT32_MAX; });
  switch (i.opcode()) {
    case Opcode::GetTupleElement: return i.operand(0).opcode() == Opcode::Sort;
    case Opcode::CustomCall: return ir::size_call(i) != ir::SizeCall::None && ir::check_size_call(i).ok();
    case Opcode::Reshape:
    case Opcode::DynamicReshape: return is_small && i.shape().element_count() <= INT32_MAX;
    case Opcode::Reduce:
    case Opcode::ReduceWindow:
      return i.shape().is_array() && identity_of(i.called(0), i.operand(0).shape().element_type()).has_value();
    case Opcode::Dot:
    case Opcode::Convolution:
      return i.operand_count() == 2 && i.operand(0).shape().element_type() != ElementType::F8E8M0FNU &&
             i.operand(1).shape().element_type() != ElementType::F8E8M0FNU;
    case Opcode::SelectAndScatter: return !slides_over_dynamic_dimension(i);
    case Opcode::Scatter: {
      const Shape &indices = i.operand(i.operand_count() / 2).shape();
      return i.shape().is_array() && indices.element_count() != 0;  // no empty index vectors
    }
    default: return i.is(ir::Trait::Elementwise) && i.shape().is_array();
  }
}

// The entry or the static computation that does its work, and the computations of loops and branches that it reaches.
struct ControlFlow {
  std::vector<ir::ComputationId> computations;
  std::unordered_set<std::uint32_t> found;

  void add(ir::ComputationId computation) {
    if (found.insert(index(computation)).second) {
      computations.push_back(computation);
    }
  }
};
ControlFlow control_flow(const ir::Module &module, ir::ComputationId body) {
  ControlFlow result;
  result.add(body);
  for (std::size_t n = 0; n < result.computations.size(); ++n) {
    for (Instruction i : module.computation(result.computations[n]).instructions()) {
      if (i.opcode() == Opcode::While || i.opcode() == Opcode::Conditional) {
        std::ranges::for_each(i.calls(), [&](ir::ComputationId called) { result.add(called); });
      }
    }
  }
  return result;
}

bool has_dynamic(const ir::Module &module) {
  return std::ranges::any_of(module.computations(), [](ir::Computation computation) {
    return std::ranges::any_of(computation.instructions(), uses_dynamic_dimensions);
  });
}

bool is_expandable(const ir::Module &module, ir::ComputationId body) {
  const ControlFlow expanded = control_flow(module, body);
  for (ir::Computation computation : module.computations()) {
    if (computation.id() == module.entry().id() && computation.id() != body) {
      continue;  // converts arguments and results
    }
    const bool is_expanded = expanded.found.contains(index(computation.id()));
    const std::vector<bool> is_ordered = control_ordered(computation);  // these are not rewritten
    for (Instruction i : computation.instructions()) {
      if (uses_dynamic_dimensions(i)) {
        const bool is_pinned = index(i.id()) < is_ordered.size() && is_ordered[index(i.id())];
        if (!is_expanded || is_pinned || !is_supported(i)) {
          return false;
        }
      }
    }
  }
  return module.computation(body).root().shape().is_static();
}

class DynamicDimensions {
 public:
  DynamicDimensions(ir::Module &module, ir::Computation computation) : module_(module) {
    for (Instruction i : computation.instructions()) {
      if (uses_dynamic_dimensions(i) && i.opcode() != Opcode::GetTupleElement && i.opcode() != Opcode::CustomCall) {
        rules_.emplace(index(i.id()), Rules{ir::operand_sizes(i), ir::result_sizes(i)[0]});
      }
    }
  }

  InstructionId visit(Instruction i) {
    const std::vector<InstructionId> operands(i.operands().begin(), i.operands().end());
    if (i.opcode() == Opcode::GetTupleElement && sizes_.contains(index(operands[0]))) {
      ArrayBuilder b(module_, i);
      return kept(b.get_tuple_element(operands[0], i.tuple_index()), sizes_of(operands[0]));
    }
    if (ir::size_call(i) != ir::SizeCall::None && ir::check_size_call(i).ok()) {
      return converted(i, operands);
    }
    const auto found = rules_.find(index(i.id()));
    if (found == rules_.end()) {
      return i.id();
    }
    ArrayBuilder b(module_, i);
    if (i.opcode() == Opcode::GetDimensionSize) {
      return size(b, {Opcode::GetDimensionSize, 0, static_cast<std::size_t>(i.dimensions()[0]), {}}, operands);
    }
    RunTimeSizes sizes(found->second.result.size(), ir::no_instruction);
    const Shape array = i.shape().is_tuple() ? i.shape().elements()[0] : i.shape();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (array.is_dynamic(d)) {
        const ir::SizeFormula &formula = found->second.result[d];
        sizes[d] = size(b, formula, operands);
        sizes[d] = formula.opcode == Opcode::Parameter ? in_range(b, sizes[d], array.size(d)) : sizes[d];
      }
    }
    std::vector<RunTimeSizes> own, from;
    for (InstructionId operand : operands) {
      own.push_back(sizes_of(operand));
    }
    for (const ir::SizeFormulas &formulas : found->second.operands) {
      RunTimeSizes &one = from.emplace_back();
      for (const ir::SizeFormula &formula : formulas) {
        one.push_back(formula.opcode == Opcode::Constant ? ir::no_instruction : size(b, formula, operands));
      }
    }
    const InstructionId result = on_bounds(b, i, own, from, sizes);
    return kept(result, std::move(sizes));
  }

 private:
  using Operands = std::vector<InstructionId>;
  struct Rules {
    std::vector<ir::SizeFormulas> operands;
    ir::SizeFormulas result;
  };

  // The array and its parts are represented in the same way now.
  InstructionId converted(Instruction i, const Operands &operands) {
    ArrayBuilder b(module_, i);
    if (ir::size_call(i) == ir::SizeCall::PadToStatic) {
      Operands parts{operands[0]};
      for (std::size_t d = 0; d < b.shape(operands[0]).rank(); ++d) {
        parts.push_back(size(b, {Opcode::GetDimensionSize, 0, d, {}}, operands));
      }
      return b.tuple(parts);
    }
    const Shape shape = i.shape();
    RunTimeSizes sizes(shape.rank(), ir::no_instruction);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      sizes[d] = shape.is_dynamic(d) ? in_range(b, operands[1 + d], shape.size(d)) : sizes[d];
    }
    return kept(b.ir::Builder::reshape(operands[0], shape.sizes()), std::move(sizes));  // same elements
  }

  RunTimeSizes sizes_of(InstructionId id) const {
    const auto found = sizes_.find(index(id));
    return found != sizes_.end() ? found->second
                                 : RunTimeSizes(module_.instruction(id).shape().rank(), ir::no_instruction);
  }

  InstructionId kept(InstructionId id, RunTimeSizes sizes) {
    if (std::ranges::any_of(sizes, [](InstructionId size) { return size != ir::no_instruction; })) {
      sizes_[index(id)] = std::move(sizes);
    }
    return id;
  }

  // Computes a size formula: s32[].
  InstructionId size(ArrayBuilder &b, const ir::SizeFormula &formula, const Operands &operands) const {
    auto leaf = [&](const ir::SizeFormula &f) -> InstructionId {
      const auto n = static_cast<std::size_t>(f.number);
      if (f.opcode == Opcode::Parameter) {
        return operands[n];
      }
      if (f.opcode == Opcode::Constant) {
        return b.constant(ElementType::S32, static_cast<double>(f.number));
      }
      const InstructionId own = sizes_of(operands[n])[f.dimension];
      return own != ir::no_instruction
                 ? own
                 : b.constant(ElementType::S32, static_cast<double>(b.shape(operands[n]).size(f.dimension)));
    };
    return ir::evaluate(formula, leaf, [&](Opcode opcode, InstructionId x, InstructionId y) -> InstructionId {
      const bool is_smallest = opcode == Opcode::Minimum || opcode == Opcode::Broadcast;
      if (is_smallest && x == y) {
        return x;
      }
      if (opcode != Opcode::Broadcast) {
        return b.add(opcode, {x, y});
      }
      const InstructionId least = b.add(Opcode::Minimum, {x, y});
      const InstructionId is_one = b.compare(ir::ComparisonDirection::Eq, least, b.constant(ElementType::S32, 1));
      return b.select({is_one, b.add(Opcode::Maximum, {x, y}), least});
    });
  }

  static InstructionId in_range(ArrayBuilder &b, InstructionId size, std::int64_t bound) {
    const InstructionId from = b.cast(size, ElementType::S32), zero = b.constant(ElementType::S32, 0);
    return b.add(Opcode::Clamp, {zero, from, b.constant(ElementType::S32, static_cast<double>(bound))});
  }

  ir::Module &module_;
  std::unordered_map<std::uint32_t, Rules> rules_;  // by instruction id, for instructions with dynamic dimensions
  std::unordered_map<std::uint32_t, RunTimeSizes> sizes_;  // by instruction id, for replacements of dynamic values
};

}  // namespace

Result<bool> dynamic_dimension_expansion(ir::Module &module, const PassContext &context) {
  if (!has_dynamic(module)) {
    return false;
  }
  ir::Module expanded = module;
  BP_ASSIGN(const bool packed, pack_dynamic_control_flow(expanded));
  const ir::ComputationId body = outline_static_body(expanded);
  const bool is_outlined = body != expanded.entry().id();
  for (const auto pass : {tuple_simplification, dead_code_elimination}) {
    if (Result<bool> result = packed || is_outlined ? pass(expanded, context) : false; !result.ok()) {
      return result;
    }
  }
  if (!is_expandable(expanded, body)) {
    return false;
  }
  const ControlFlow flow = control_flow(expanded, body);
  for (ir::ComputationId computation : flow.computations) {
    DynamicDimensions dimensions(expanded, expanded.computation(computation));
    Rewriter rewriter(expanded);
    const auto visit = [&](Instruction i) -> Result<InstructionId> { return dimensions.visit(i); };
    if (Result<bool> result = rewriter.rewrite(computation, visit); !result.ok()) {
      return result;
    }
  }
  tidy(expanded);
  module = std::move(expanded);
  return true;
}

}  // namespace bp::passes
