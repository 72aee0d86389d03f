// Numbers the dimensions of arrays in the order in which they lie in memory, because fusion, and most kernels, know
// row-major arrays only. An op on arrays in another order becomes the same op on row-major arrays, between bitcasts
// that change nothing but the numbers of the dimensions; a copy to another order becomes a transpose, a transpose that
// moves nothing a bitcast. Parameters, elements of tuples, and ops without a rule keep their arrays. Same idea as the
// pass of this name in XLA. Linear.
#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

#include "core/analysis/call_graph.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/builder.h"
#include "core/passes/layout/layout_groups.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

using Numbers = std::vector<std::int64_t>;

// An order of the dimensions of an array: the one with the largest steps in memory first.
class Order {
 public:
  explicit Order(Numbers dimensions) : dimensions_(std::move(dimensions)), positions_(dimensions_.size()) {
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      positions_[static_cast<std::size_t>(dimensions_[i])] = static_cast<std::int64_t>(i);
    }
  }
  explicit Order(const Shape &shape)
      : Order(Numbers(shape.layout().minor_to_major.rbegin(), shape.layout().minor_to_major.rend())) {}

  const Numbers &dimensions() const { return dimensions_; }
  std::int64_t position(std::int64_t dimension) const { return positions_[static_cast<std::size_t>(dimension)]; }

  // Returns values by dimension, such as sizes, by position.
  template <class T>
  std::vector<T> arrange(std::span<const T> by_dimension) const {
    std::vector<T> by_position;
    for (std::int64_t dimension : dimensions_) {
      by_position.push_back(by_dimension[static_cast<std::size_t>(dimension)]);
    }
    return by_position;
  }
  // Returns the positions of dimensions.
  Numbers positions(std::span<const std::int64_t> dimensions) const {
    Numbers result;
    for (std::int64_t dimension : dimensions) {
      result.push_back(position(dimension));
    }
    return result;
  }

 private:
  Numbers dimensions_, positions_;  // by position, and by dimension
};

// Whether the array has nothing unusual but the order of its dimensions.
bool has_simple_layout(const Shape &shape) {
  const ir::Layout &layout = shape.layout();
  return shape.is_array() && shape.is_static() && layout.tiles.empty() && layout.rare.empty() &&
         layout.element_bits == 0 && layout.memory_space == 0;
}

// Whether the elements of the array lie in memory as they would in this order. Dimensions of size 1 may be anywhere.
bool lies_in(const Shape &shape, const Order &order) {
  const auto longer_than_one = [&](const Numbers &dimensions) {
    Numbers result;
    std::ranges::copy_if(dimensions, std::back_inserter(result),
                         [&](std::int64_t d) { return shape.size(static_cast<std::size_t>(d)) != 1; });
    return result;
  };
  return longer_than_one(Order(shape).dimensions()) == longer_than_one(order.dimensions());
}

bool is_in_other_order(const Shape &shape) {
  return has_simple_layout(shape) && !shape.layout().is_descending();
}

class LayoutNormalization {
 public:
  explicit LayoutNormalization(ir::Module &module) : module_(module) {}

  // Returns what stands for the instruction's value; the instruction itself if there is no rule for it.
  Result<InstructionId> visit(Instruction i) {
    bool is_other = is_in_other_order(i.shape());
    for (std::size_t k = 0; k < i.operand_count(); ++k) {
      if (i.operand(k).shape().is_array() && !has_simple_layout(i.operand(k).shape())) {
        return i.id();
      }
      is_other = is_other || is_in_other_order(i.operand(k).shape());
    }
    if (!is_other || !has_simple_layout(i.shape())) {
      return i.id();
    }
    switch (i.opcode()) {
      case Opcode::Constant: return constant(i);
      case Opcode::Broadcast: return broadcast(i);
      case Opcode::Transpose: return transpose(i, Numbers(i.dimensions().begin(), i.dimensions().end()));
      case Opcode::Copy: return copy(i);
      case Opcode::Reduce: return reduce(i);
      case Opcode::Reshape: return reshape(i);
      case Opcode::Convolution: return convolution(i);
      case Opcode::Iota: {
        const InstructionId iota = renumbered(i, {}, Order(i.shape()));
        module_.set_number(iota, AttributeKey::IotaDimension,
                           Order(i.shape()).position(i.number(AttributeKey::IotaDimension)));
        return named_as_before(iota, i);
      }
      case Opcode::Concatenate:
      case Opcode::DynamicSlice:
      case Opcode::DynamicUpdateSlice:
      case Opcode::Pad:
      case Opcode::ReduceWindow:
      case Opcode::Reverse:
      case Opcode::Slice: return walk(i);
      default: return i.is(ir::Trait::Elementwise) ? walk(i) : i.id();
    }
  }

 private:
  // Returns the array with its dimensions numbered in this order, which must be the one in memory.
  InstructionId in_order(InstructionId id, const Order &order) {
    const Instruction i = module_.instruction(id);
    return bitcast(id, Shape::array(i.shape().element_type(), order.arrange(i.shape().sizes())));
  }
  InstructionId row_major(InstructionId id) { return in_order(id, Order(module_.instruction(id).shape())); }

  // Returns the array under another shape of the same bytes.
  InstructionId bitcast(InstructionId id, const Shape &shape) {
    if (module_.instruction(id).shape() != shape && module_.instruction(id).opcode() == Opcode::Bitcast) {
      id = module_.instruction(id).operands()[0];
    }
    const Instruction i = module_.instruction(id);
    if (i.shape() == shape) {
      return id;
    }
    std::vector<InstructionId> &bitcasts = bitcasts_[id];
    const auto found = std::ranges::find_if(
        bitcasts, [&](InstructionId other) { return module_.instruction(other).shape() == shape; });
    if (found != bitcasts.end()) {
      return *found;
    }
    ir::Builder builder(module_, i.parent().id());
    builder.copy_origin_from(i);
    bitcasts.push_back(builder.add(Opcode::Bitcast, {id}, [](ir::Module &, InstructionId) {}, {}, shape));
    return bitcasts.back();
  }

  // Adds a copy of the instruction with these operands, whose result is row-major in this order of dimensions.
  InstructionId renumbered(Instruction i, std::span<const InstructionId> operands, const Order &order) {
    const Numbers sizes = order.arrange(i.shape().sizes());
    const Shape shape = Shape::array(i.shape().element_type(), sizes);
    const std::vector<ir::ComputationId> calls(i.calls().begin(), i.calls().end());
    const InstructionId id = module_.clone_instruction(i.parent().id(), i, operands, calls);
    module_.set_shape(id, shape);
    return id;
  }

  // Returns the renumbered result with the numbers that users of the original expect.
  InstructionId named_as_before(InstructionId id, Instruction original) { return bitcast(id, original.shape()); }

  Result<InstructionId> constant(Instruction i) {
    const Order order(i.shape());
    ir::Builder builder(module_, i.parent().id());
    builder.copy_origin_from(i);
    const Instruction transpose = module_.instruction(builder.transpose(i.id(), order.dimensions()));
    Result<ir::Literal> value = interpreter::evaluate_instruction(transpose, std::array{i.literal()}, {});
    return value.ok() ? named_as_before(builder.constant(std::move(*value)), i) : i.id();
  }

  // For ops that walk through operands and results together: their arrays must lie in the same order.
  InstructionId walk(Instruction i) {
    const Order order(is_in_other_order(i.shape()) ? i.shape() : i.operand(0).shape());
    const std::size_t rank = i.shape().rank();
    if (order.dimensions().size() != rank || !lies_in(i.shape(), order)) {
      return i.id();
    }
    for (std::size_t k = 0; k < i.operand_count(); ++k) {
      const Shape &shape = i.operand(k).shape();
      if (!shape.is_scalar() && !(shape.rank() == rank && lies_in(shape, order))) {
        return i.id();
      }
    }
    std::vector<InstructionId> operands(i.operands().begin(), i.operands().end());
    for (InstructionId &operand : operands) {
      if (!module_.instruction(operand).shape().is_scalar()) {
        operand = in_order(operand, order);
      }
    }
    if (i.opcode() == Opcode::DynamicSlice || i.opcode() == Opcode::DynamicUpdateSlice) {
      const std::size_t first = i.opcode() == Opcode::DynamicSlice ? 1 : 2;  // start
      const std::vector<InstructionId> starts = order.arrange(i.operands().subspan(first));
      std::ranges::copy(starts, operands.begin() + static_cast<std::ptrdiff_t>(first));
    }
    const InstructionId id = renumbered(i, operands, order);
    renumber_attributes(id, order);
    return named_as_before(id, i);
  }

  void renumber_attributes(InstructionId id, const Order &order) {
    const Instruction i = module_.instruction(id);
    switch (i.opcode()) {
      case Opcode::Concatenate:
      case Opcode::Reverse: module_.set_numbers(id, AttributeKey::Dimensions, order.positions(i.dimensions())); return;
      case Opcode::DynamicSlice:
        module_.set_numbers(id, AttributeKey::DynamicSliceSizes,
                            order.arrange(i.numbers(AttributeKey::DynamicSliceSizes)));
        return;
      case Opcode::Pad: module_.set_padding(id, order.arrange(i.padding())); return;
      case Opcode::ReduceWindow: module_.set_window(id, order.arrange(i.window())); return;
      case Opcode::Slice: module_.set_slice_ranges(id, order.arrange(i.slice_ranges())); return;
      default: return;
    }
  }

  InstructionId broadcast(Instruction i) {
    const Order from(i.operand(0).shape()), to(i.shape());
    const Numbers targets = to.positions(from.arrange(i.dimensions()));
    const InstructionId operand = row_major(i.operands()[0]);
    const InstructionId id = renumbered(i, std::array{operand}, to);
    module_.set_numbers(id, AttributeKey::Dimensions, targets);
    return named_as_before(id, i);
  }

  // Dimension d of the result is dimension sources[d] of the operand.
  InstructionId transpose(Instruction i, const Numbers &sources) {
    const Order from(i.operand(0).shape()), to(i.shape());
    const Numbers permutation = from.positions(to.arrange(std::span(sources)));
    const InstructionId operand = row_major(i.operands()[0]);
    if (std::ranges::is_sorted(permutation)) {
      return named_as_before(operand, i);
    }
    const InstructionId id = renumbered(i, std::array{operand}, to);
    module_.set_opcode(id, Opcode::Transpose);
    module_.set_numbers(id, AttributeKey::Dimensions, permutation);
    return named_as_before(id, i);
  }

  // A copy to the same layout exists to have memory of its own.
  InstructionId copy(Instruction i) {
    if (i.shape() == i.operand(0).shape()) {
      return walk(i);
    }
    return transpose(i, Order(Shape::array(i.shape().element_type(), i.shape().sizes())).dimensions());
  }

  InstructionId reduce(Instruction i) {
    const Order from(i.operand(0).shape());
    // The result's dimensions, as they lie in the operand.
    Numbers kept;
    for (std::int64_t dimension : from.dimensions()) {
      const auto is_before = [&](std::int64_t reduced) { return reduced < dimension; };
      if (std::ranges::find(i.dimensions(), dimension) == i.dimensions().end()) {
        kept.push_back(dimension - std::ranges::count_if(i.dimensions(), is_before));
      }
    }
    const Order to(std::move(kept));
    if (i.operand_count() != 2 || !lies_in(i.shape(), to)) {
      return i.id();
    }
    Numbers reduced = from.positions(i.dimensions());
    std::ranges::sort(reduced);
    const std::array operands = {row_major(i.operands()[0]), i.operands()[1]};
    const InstructionId id = renumbered(i, operands, to);
    module_.set_numbers(id, AttributeKey::Dimensions, reduced);
    return named_as_before(id, i);
  }

  // A reshape that moves no element.
  InstructionId reshape(Instruction i) {
    if (!moves_nothing(i.operand(0).shape(), i.shape()) || i.has(AttributeKey::InferredDimension)) {
      return i.id();
    }
    const InstructionId operand = row_major(i.operands()[0]);
    return named_as_before(renumbered(i, std::array{operand}, Order(i.shape())), i);
  }

  InstructionId convolution(Instruction i) {
    if (i.operand_count() != 2) {
      return i.id();
    }
    const Order lhs(i.operand(0).shape()), rhs(i.operand(1).shape()), out(i.shape());
    const auto before = i.numbers(AttributeKey::DimLabels);
    const std::size_t spatial = i.shape().rank() - 2;
    Numbers labels;
    for (std::size_t k = 0; k < before.size(); ++k) {  // see attributes.def
      const std::size_t array = k < 6 ? k / 2 : (k - 6) / spatial;
      labels.push_back((array == 0 ? lhs : array == 1 ? rhs : out).position(before[k]));
    }
    const std::array operands = {row_major(i.operands()[0]), row_major(i.operands()[1])};
    const InstructionId id = renumbered(i, operands, out);
    module_.set_numbers(id, AttributeKey::DimLabels, labels);
    return named_as_before(id, i);
  }

  ir::Module &module_;
  std::unordered_map<InstructionId, std::vector<InstructionId>> bitcasts_;  // by operand
};

}  // namespace

Result<bool> layout_normalization(ir::Module &module, const PassContext &context) {
  const analysis::CallGraph graph(module);
  Rewriter rewriter(module);
  LayoutNormalization normalization(module);
  bool changed = false;
  for (const ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      BP_ASSIGN(const bool changed_here, rewriter.rewrite(id, [&](Instruction i) { return normalization.visit(i); }));
      changed = changed || changed_here;
    }
  }
  if (changed) {
    BP_TRY(dead_code_elimination(module, context));
    tidy(module);
  }
  return changed;
}

}  // namespace bp::passes
