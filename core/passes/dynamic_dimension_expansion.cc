// Computes with dynamic dimensions as with static ones of their bound, and the run-time sizes beside them, as scalars:
// no backend knows other than static shapes. What lies beyond a size is anything, and where elements meet, in
// reductions, it is replaced by what changes nothing. A size out of range is taken as the nearest one that is not.
//
// All of the entry or nothing: where a parameter, the result, a called computation or an op that is not listed here has
// dynamic dimensions, the program stays as it is, and runs on the host.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "core/passes/expansion.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

bool touches_dynamic(Instruction i) {
  bool is_dynamic = !i.shape().is_static();
  for (std::size_t n = 0; n < i.operand_count(); ++n) {
    is_dynamic = is_dynamic || !i.operand(n).shape().is_static();
  }
  return is_dynamic;
}

// What combines with anything to give that; nothing for reducers that are more than one op. Of complex numbers nothing
// does: 1 times an infinity has a NaN in it, and adding a zero may change the sign of one.
std::optional<double> identity_of(ir::Computation reducer, ElementType type) {
  const Instruction root = reducer.root();
  if (reducer.parameter_count() != 2 || root.operand_count() != 2 || root.operand(0).opcode() != Opcode::Parameter ||
      root.operand(1).opcode() != Opcode::Parameter || root.operands()[0] == root.operands()[1] ||
      ir::is_complex(type)) {
    return std::nullopt;
  }
  const bool has_zero = type != ElementType::F8E8M0FNU;
  const bool has_infinity = ir::is_floating(type) && ir::bit_width(type) >= 16;
  switch (root.opcode()) {
    case Opcode::Add: return has_zero ? std::optional(ir::is_floating(type) ? -0.0 : 0.0) : std::nullopt;
    case Opcode::Multiply: return 1;
    case Opcode::Maximum: return has_infinity ? std::optional(-std::numeric_limits<double>::infinity()) : std::nullopt;
    case Opcode::Minimum: return has_infinity ? std::optional(std::numeric_limits<double>::infinity()) : std::nullopt;
    case Opcode::Or: return 0;
    case Opcode::And: return type == ElementType::Pred ? std::optional(1.0) : std::nullopt;
    default: return std::nullopt;
  }
}

bool is_supported(Instruction i) {
  switch (i.opcode()) {
    case Opcode::SetDimensionSize:
    case Opcode::GetDimensionSize:
    case Opcode::Broadcast:
    case Opcode::Transpose: return true;
    case Opcode::DynamicReshape:
      return i.shape().element_count() <= INT32_MAX && i.operand(0).shape().element_count() <= INT32_MAX;
    case Opcode::Reduce:
      return i.shape().is_array() && identity_of(i.called(0), i.operand(0).shape().element_type()).has_value();
    default: return i.is(ir::Trait::Elementwise);
  }
}

bool is_expandable(const ir::Module &module) {
  bool any = false;
  for (ir::Computation computation : module.computations()) {
    const bool is_entry = computation == module.entry();
    const std::vector<bool> is_ordered = control_ordered(computation);  // such are not rewritten
    for (Instruction i : computation.instructions()) {
      if (touches_dynamic(i)) {
        any = true;
        const bool is_pinned = index(i.id()) < is_ordered.size() && is_ordered[index(i.id())];
        if (!is_entry || is_pinned || !is_supported(i)) {
          return false;
        }
      }
    }
  }
  return any && module.entry().root().shape().is_static();
}

class DynamicDimensions {
 public:
  explicit DynamicDimensions(ir::Module &module) : module_(module) {}

  InstructionId visit(Instruction i) {
    const std::vector<InstructionId> operands(i.operands().begin(), i.operands().end());
    const bool touches = !i.shape().is_static() ||
                         std::ranges::any_of(operands, [&](InstructionId id) { return sizes_.contains(index(id)); });
    if (!touches || operands.empty()) {
      return i.id();
    }
    Expansion b(module_, i);
    const Sizes from = sizes_of(operands[0]);
    Sizes sizes(i.shape().rank(), ir::no_instruction);
    InstructionId result = ir::no_instruction;
    switch (i.opcode()) {
      case Opcode::GetDimensionSize: {
        const auto d = static_cast<std::size_t>(i.dimensions()[0]);
        return from[d] != ir::no_instruction
                   ? from[d]
                   : b.constant(ElementType::S32, static_cast<double>(b.shape(operands[0]).size(d)));
      }
      case Opcode::SetDimensionSize: {
        const auto d = static_cast<std::size_t>(i.dimensions()[0]);
        sizes = from;
        sizes[d] = in_range(b, operands[1], i.shape().size(d));
        result = b.reshape(operands[0], i.shape().sizes());  // another name
        break;
      }
      case Opcode::Broadcast:
        for (std::size_t d = 0; d < from.size(); ++d) {
          sizes[static_cast<std::size_t>(i.dimensions()[d])] = from[d];
        }
        break;
      case Opcode::Transpose:
        for (std::size_t d = 0; d < sizes.size(); ++d) {
          sizes[d] = from[static_cast<std::size_t>(i.dimensions()[d])];
        }
        break;
      case Opcode::Reduce: result = reduced(b, i, operands, sizes); break;
      case Opcode::DynamicReshape: result = reshaped(b, i, operands, sizes); break;
      default:
        for (InstructionId operand : operands) {
          const Sizes more = sizes_of(operand);
          for (std::size_t d = 0; d < more.size() && more.size() == sizes.size(); ++d) {
            sizes[d] = sizes[d] == ir::no_instruction ? more[d] : sizes[d];
          }
        }
    }
    if (result == ir::no_instruction) {
      result = cloned(b, i, operands);
    }
    if (std::ranges::any_of(sizes, [](InstructionId id) { return id != ir::no_instruction; })) {
      sizes_[index(result)] = std::move(sizes);
    }
    return result;
  }

 private:
  using Sizes = std::vector<InstructionId>;  // s32[] by dimension; none: the static size

  Sizes sizes_of(InstructionId id) const {
    const auto found = sizes_.find(index(id));
    return found != sizes_.end() ? found->second : Sizes(module_.instruction(id).shape().rank(), ir::no_instruction);
  }

  static InstructionId in_range(Expansion &b, InstructionId size, std::int64_t bound) {
    const InstructionId from = b.cast(size, ElementType::S32), zero = b.constant(ElementType::S32, 0);
    return b.add(Opcode::Clamp, {zero, from, b.constant(ElementType::S32, static_cast<double>(bound))});
  }

  InstructionId cloned(Expansion &b, Instruction i, std::span<const InstructionId> operands) {
    const std::vector<ir::ComputationId> calls(i.calls().begin(), i.calls().end());
    const InstructionId id = module_.clone_instruction(b.computation(), i, operands, calls);
    Shape shape = i.shape();
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      shape.set_dynamic(d, false);
    }
    module_.set_shape(id, shape);
    return id;
  }

  InstructionId reduced(Expansion &b, Instruction i, std::vector<InstructionId> operands, Sizes &sizes) {
    const Sizes from = sizes_of(operands[0]);
    const InstructionId neutral = b.splat(*identity_of(i.called(0), b.type(operands[0])), operands[0]);
    std::size_t kept = 0;
    for (std::size_t d = 0; d < from.size(); ++d) {
      const bool is_reduced = std::ranges::find(i.dimensions(), static_cast<std::int64_t>(d)) != i.dimensions().end();
      if (!is_reduced) {
        sizes[kept++] = from[d];
      } else if (from[d] != ir::no_instruction) {
        const InstructionId exists = b.compare_index(ComparisonDirection::Lt, operands[0], d, from[d]);
        operands[0] = b.select({exists, operands[0], neutral});
      }
    }
    return cloned(b, i, operands);
  }

  // Counts the elements that are there, in order, and takes each from where it lies.
  InstructionId reshaped(Expansion &b, Instruction i, std::span<const InstructionId> operands, Sizes &sizes) {
    const Shape result = Shape::array(ElementType::S32, i.shape().sizes());
    const Shape operand = b.shape(operands[0]);
    InstructionId number = b.zeros(result), stride = b.constant(ElementType::S32, 1);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      sizes[d] = in_range(b, operands[1 + d], result.size(d));
      const InstructionId at = b.iota(result, static_cast<std::int64_t>(d));
      number = b.sum({number, b.product({at, b.spread(stride, at)})});
      stride = b.product({stride, sizes[d]});
    }
    const Sizes from = sizes_of(operands[0]);
    InstructionId place = b.zeros(result);
    std::int64_t step = 1;
    for (std::size_t d = operand.rank(); d-- > 0;) {
      const InstructionId bound = b.constant(ElementType::S32, static_cast<double>(operand.size(d)));
      const InstructionId size =
          b.add(Opcode::Maximum, {from[d] == ir::no_instruction ? bound : from[d], b.constant(ElementType::S32, 1)});
      const InstructionId sizes_here = b.spread(size, number);
      const InstructionId at = b.add(Opcode::Remainder, {number, sizes_here});
      number = b.quotient({number, sizes_here});
      place = b.sum({place, b.product({at, b.splat(static_cast<double>(step), at)})});
      step *= operand.size(d);
    }
    const InstructionId flat = b.ir::Builder::reshape(operands[0], std::array{operand.element_count()});
    return b.add(Opcode::Gather, {flat, place}, [&](ir::Module &m, InstructionId id) {
      m.set_numbers(id, ir::AttributeKey::OffsetDims, std::span<const std::int64_t>());
      m.set_numbers(id, ir::AttributeKey::CollapsedSliceDims, {0});
      m.set_numbers(id, ir::AttributeKey::StartIndexMap, {0});
      m.set_number(id, ir::AttributeKey::IndexVectorDim, static_cast<std::int64_t>(result.rank()));
      m.set_numbers(id, ir::AttributeKey::SliceSizes, {1});
    });
  }

  ir::Module &module_;
  std::unordered_map<std::uint32_t, Sizes> sizes_;  // by instruction id, of what replaces dynamic ones
};

}  // namespace

Result<bool> dynamic_dimension_expansion(ir::Module &module, const PassContext &) {
  if (!is_expandable(module)) {
    return false;
  }
  DynamicDimensions dimensions(module);
  return rewrite_all(module, [&](Instruction i) -> Result<InstructionId> { return dimensions.visit(i); });
}

}  // namespace bp::passes
