// Rules for reduce and reduce-window. Elements are combined in row-major order of the reduced dimensions; the rules
// keep that order, unless the result does not depend on it.
//   reduce(transpose(x))     reduces x itself, if the remaining dimensions keep their order
//   reduce(reshape(x))       reduces x itself, if the reshape does not mix reduced and kept dimensions
//   reduce(broadcast(x))     ignores repeated elements, if combining an element twice changes nothing
//   reduce of one element each, reduce-window of one element each: the combiner, applied once
//   reduce-window of all     reduces whole dimensions
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using Sizes = std::vector<std::int64_t>;

// Whether x op x is x and the order of operands does not matter.
bool is_idempotent(Opcode opcode) {
  return opcode == Opcode::Maximum || opcode == Opcode::Minimum || opcode == Opcode::And || opcode == Opcode::Or;
}

bool has_any_order(Opcode opcode, ir::ElementType type) {
  const bool is_modular = (opcode == Opcode::Add || opcode == Opcode::Multiply || opcode == Opcode::Xor) &&
                          (ir::is_integer(type) || type == ir::ElementType::Pred);
  return is_idempotent(opcode) || is_modular;
}

class ReduceSimplifier {
 public:
  ReduceSimplifier(ir::Module &module, const Instruction &instruction)
      : instruction_(instruction),
        keep_(instruction.id()),
        shape_(instruction.shape()),
        builder_(module, instruction) {}

  InstructionId run() {
    const bool is_single = instruction_.operand_count() == 2 && is_plain(instruction_);
    if (!is_single) {
      return keep_;
    }
    return instruction_.opcode() == Opcode::Reduce         ? reduce()
           : instruction_.opcode() == Opcode::ReduceWindow ? reduce_window()
                                                           : keep_;
  }

 private:
  InstructionId make_reduce(InstructionId from, std::span<const std::int64_t> dimensions) {
    return builder_.reduce(from, instruction_.operands()[1], dimensions, instruction_.calls()[0]);
  }

  // Returns combiner(initial, x), where x has the elements of `elements`.
  InstructionId combine_once(InstructionId elements) {
    const InstructionId initial = instruction_.operands()[1];
    const Opcode op = combining_op(instruction_.called(0));
    if (op == Opcode::Invalid || !ir::info(op).has(ir::Trait::Elementwise) ||
        instruction_.called(0).root().shape().element_type() != shape_.element_type()) {
      return keep_;
    }
    const std::array arguments{shape_.is_scalar() ? initial : builder_.broadcast(initial, Shape(shape_)),
                               reshaped(elements)};
    const std::vector<InstructionId> combined =
        builder_.apply_to_arrays(instruction_.called(0), arguments, shape_.sizes());
    return combined.empty() ? keep_ : combined[0];
  }

  InstructionId reshaped(InstructionId elements) {
    return builder_.shape(elements) == shape_ ? elements : builder_.ir::Builder::reshape(elements, shape_.sizes());
  }

  InstructionId reduce() {
    const Instruction source = instruction_.operand(0);
    const Sizes dimensions(instruction_.dimensions().begin(), instruction_.dimensions().end());
    if (std::ranges::all_of(dimensions,
                            [&](std::int64_t d) { return source.shape().size(static_cast<std::size_t>(d)) == 1; })) {
      return combine_once(source.id());
    }
    if (source.operand_count() == 0 || !is_plain(source)) {
      return keep_;
    }
    switch (source.opcode()) {
      case Opcode::Transpose: return reduce_of_transpose(source, dimensions);
      case Opcode::Reshape: return reduce_of_reshape(source, dimensions);
      case Opcode::Broadcast: return reduce_of_broadcast(source, dimensions);
      default: return keep_;
    }
  }

  bool is_reduced(std::int64_t dimension) const {
    return std::ranges::find(instruction_.dimensions(), dimension) != instruction_.dimensions().end();
  }

  InstructionId reduce_of_transpose(const Instruction &transpose, const Sizes &) {
    Sizes reduced, kept;
    for (std::size_t d = 0; d < transpose.shape().rank(); ++d) {
      (is_reduced(static_cast<std::int64_t>(d)) ? reduced : kept).push_back(transpose.dimensions()[d]);
    }
    const bool keeps_order = std::ranges::is_sorted(reduced) ||
                             has_any_order(combining_op(instruction_.called(0)), instruction_.shape().element_type());
    if (!std::ranges::is_sorted(kept) || !keeps_order) {
      return keep_;
    }
    std::ranges::sort(reduced);
    return make_reduce(transpose.operands()[0], reduced);
  }

  // Visits groups of dimensions of both shapes with the same number of elements; each group is reduced or kept as a
  // whole.
  InstructionId reduce_of_reshape(const Instruction &reshape, const Sizes &) {
    const Shape from = reshape.operand(0).shape(), to = reshape.shape();
    if (to.element_count() == 0) {
      return keep_;
    }
    Sizes reduced;
    for (const AlignedDimensions &group : aligned_dimensions(from.sizes(), to.sizes())) {
      // The dimensions of a group, except those of size 1, must be all reduced or all kept.
      int fate = -1;
      for (std::size_t d = group.to_begin; d < group.to_end; ++d) {
        const int own = is_reduced(static_cast<std::int64_t>(d)) ? 1 : 0;
        if (to.size(d) != 1) {
          if (fate >= 0 && fate != own) {
            return keep_;
          }
          fate = own;
        }
      }
      for (std::size_t d = group.from_begin; d < group.from_end; ++d) {
        if (fate == 1 && from.size(d) != 1) {
          reduced.push_back(static_cast<std::int64_t>(d));
        }
      }
    }
    return reshaped(make_reduce(reshape.operands()[0], reduced));
  }

  InstructionId reduce_of_broadcast(const Instruction &broadcast, const Sizes &dimensions) {
    if (!is_idempotent(combining_op(instruction_.called(0))) || broadcast.shape().element_count() == 0) {
      return keep_;
    }
    auto targets = broadcast.dimensions();
    const bool all_repeated =
        std::ranges::all_of(dimensions, [&](std::int64_t d) { return std::ranges::find(targets, d) == targets.end(); });
    if (!all_repeated) {
      return keep_;
    }
    // The broadcast dimensions that remain, numbered without the reduced dimensions.
    Sizes left;
    for (std::int64_t target : targets) {
      left.push_back(target - std::ranges::count_if(dimensions, [&](std::int64_t d) { return d < target; }));
    }
    return combine_once(builder_.broadcast(broadcast.operands()[0], Shape(shape_), left));
  }

  InstructionId reduce_window() {
    const Shape &source = instruction_.operand(0).shape();
    auto given = instruction_.window();
    std::vector<ir::WindowDimension> window(given.begin(), given.end());
    window.resize(source.rank());
    Sizes whole;
    std::vector<ir::SliceRange> ranges;
    bool is_single = true, is_strided = false;
    for (std::size_t d = 0; d < window.size(); ++d) {
      const ir::WindowDimension &w = window[d];
      if (w.pad_low != 0 || w.pad_high != 0 || w.lhs_dilate != 1 || w.rhs_dilate != 1 || w.reversal != 0) {
        return keep_;
      }
      is_single = is_single && w.size == 1;
      is_strided = is_strided || (w.size == 1 && shape_.size(d) != source.size(d));
      ranges.push_back({0, source.size(d), w.stride});
      if (w.size != 1 && w.size == source.size(d)) {
        whole.push_back(static_cast<std::int64_t>(d));
      } else if (w.size != 1) {
        return keep_;
      }
    }
    InstructionId from = instruction_.operands()[0];
    if (is_single) {
      return combine_once(is_strided
                              ? builder_.add(Opcode::Slice, {from},
                                             [&](ir::Module &m, InstructionId id) { m.set_slice_ranges(id, ranges); })
                              : from);
    }
    return is_strided ? keep_ : reshaped(make_reduce(from, whole));
  }

  Instruction instruction_;
  InstructionId keep_;
  const Shape shape_;
  ArrayBuilder builder_;
};

}  // namespace

Result<bool> reduce_simplification(ir::Module &module, const PassContext &) {
  return rewrite_outside_fusions(module, [&](Instruction instruction) -> Result<InstructionId> {
    return ReduceSimplifier(module, instruction).run();
  });
}

}  // namespace bp::passes
