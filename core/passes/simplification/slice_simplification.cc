// Rules for ops that cut and join arrays: slice, dynamic-slice, dynamic-update-slice, concatenate, pad, reverse. Ops
// that do nothing are removed, and ops that take a part of the result of another op take it from that op's operands.
#include <algorithm>
#include <optional>

#include "core/analysis/constants.h"
#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::PaddingDimension;
using ir::Shape;
using ir::SliceRange;

constexpr std::size_t max_flattened_parts = 256;  // of a concatenation that includes the parts of others

std::int64_t count_of(const SliceRange &range) {
  return (range.limit - range.start + range.stride - 1) / range.stride;
}

bool is_all(const SliceRange &range, std::int64_t size) {
  return range.start == 0 && range.limit == size && range.stride == 1;
}

// Returns the range without a stride if it is of one element: no second one is taken, and a stride may be of any size.
SliceRange plain(const SliceRange &range) {
  const bool is_single = range.limit > range.start && range.limit - range.start <= range.stride;
  return is_single ? SliceRange{range.start, range.start + 1, 1} : range;
}

class SliceSimplifier {
 public:
  SliceSimplifier(ir::Module &module, const Instruction &instruction)
      : module_(module),
        instruction_(instruction),
        keep_(instruction.id()),
        shape_(instruction.shape()),
        builder_(module, instruction) {}

  // Returns the instruction that replaces this one. Its layout is the same: users of it may depend on the layout.
  InstructionId run() {
    const std::size_t limit = module_.instruction_id_limit();
    const InstructionId made = simplified();
    if (made == keep_ || builder_.shape(made) == shape_) {
      return made;
    }
    if (index(made) < limit) {
      return keep_;
    }
    module_.set_shape(made, shape_);
    return made;
  }

 private:
  InstructionId simplified() {
    switch (instruction_.opcode()) {
      case Opcode::Slice: return slice();
      case Opcode::DynamicSlice: return has_vector_of_starts(1) ? with_scalar_starts(1) : dynamic_slice();
      case Opcode::DynamicUpdateSlice: return has_vector_of_starts(2) ? with_scalar_starts(2) : dynamic_update_slice();
      case Opcode::Concatenate: return concatenate();
      case Opcode::Pad: return pad();
      case Opcode::Reverse: return reverse();
      default: return keep_;
    }
  }

  InstructionId operand(std::size_t i) const { return instruction_.operands()[i]; }

  bool has_vector_of_starts(std::size_t first) const {
    return instruction_.operand_count() == first + 1 && instruction_.operand(first).shape().rank() == 1;
  }

  // Takes the start indices, of which the first operand is `first`, out of a vector: few backends read them there.
  InstructionId with_scalar_starts(std::size_t first) {
    std::vector<InstructionId> operands(instruction_.operands().begin(), instruction_.operands().end());
    const InstructionId vector = operands[first];
    operands.pop_back();
    std::vector<InstructionId> starts;
    for (std::int64_t d = 0; d < builder_.shape(vector).size(0); ++d) {
      starts.push_back(builder_.element(vector, d));
    }
    return first == 2 ? builder_.dynamic_update_slice(operands[0], operands[1], starts)
                      : builder_.dynamic_slice(operands[0], starts, shape_.sizes());
  }

  InstructionId make_slice(InstructionId from, std::span<const SliceRange> ranges) {
    return builder_.add(Opcode::Slice, {from},
                        [&](ir::Module &m, InstructionId id) { m.set_slice_ranges(id, ranges); });
  }

  InstructionId slice() {
    const Instruction source = instruction_.operand(0);
    if (source.shape() == shape_) {
      return source.id();  // same number of elements: all of them, in order
    }
    auto given = instruction_.slice_ranges();
    std::vector<SliceRange> ranges;
    bool is_changed = false;
    for (const SliceRange &range : given) {
      ranges.push_back(plain(range));
      is_changed = is_changed || ranges.back().stride != range.stride;
    }
    if (is_changed) {
      return make_slice(source.id(), ranges);
    }
    if (!is_plain(source)) {
      return keep_;
    }
    switch (source.opcode()) {
      case Opcode::Slice: return slice_of_slice(source, ranges);
      case Opcode::Concatenate: return slice_of_concatenation(source, ranges);
      case Opcode::Pad: return slice_of_padding(source, ranges);
      case Opcode::Broadcast: return slice_of_broadcast(source, ranges);
      case Opcode::DynamicUpdateSlice: return slice_of_update(source, ranges);
      case Opcode::Iota: {
        const std::int64_t along = source.number(ir::AttributeKey::IotaDimension);
        const bool is_whole =
            is_all(ranges[static_cast<std::size_t>(along)], source.shape().size(static_cast<std::size_t>(along)));
        return is_whole ? builder_.iota(shape_, along) : keep_;
      }
      default: return keep_;
    }
  }

  InstructionId slice_of_slice(const Instruction &inner, std::vector<SliceRange> ranges) {
    auto inner_ranges = inner.slice_ranges();
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      const std::int64_t count = count_of(ranges[d]);
      const SliceRange &from = inner_ranges[d];
      ranges[d].start = from.start + ranges[d].start * from.stride;
      ranges[d].stride *= from.stride;
      ranges[d].limit = count == 0 ? ranges[d].start : ranges[d].start + (count - 1) * ranges[d].stride + 1;
    }
    return make_slice(inner.operands()[0], ranges);
  }

  // The slice lies within one operand, or consists of several whole operands.
  InstructionId slice_of_concatenation(const Instruction &joined, std::vector<SliceRange> ranges) {
    const auto d = static_cast<std::size_t>(joined.dimensions()[0]);
    SliceRange &range = ranges[d];
    std::int64_t begin = 0;
    std::vector<InstructionId> whole;
    for (InstructionId id : joined.operands()) {
      const std::int64_t end = begin + joined.module().instruction(id).shape().size(d);
      if (range.start >= begin && range.limit <= end && count_of(range) > 0) {
        range.start -= begin;
        range.limit -= begin;
        return make_slice(id, ranges);
      }
      if (range.start <= begin && end <= range.limit && begin < end) {
        whole.push_back(id);
      } else if (range.start < end && begin < range.limit) {
        return keep_;  // contains parts of this operand and of others
      }
      begin = end;
    }
    for (std::size_t other = 0; other < ranges.size(); ++other) {
      if (other == d ? range.stride != 1 : !is_all(ranges[other], joined.shape().size(other))) {
        return keep_;
      }
    }
    return whole.empty() || whole.size() == joined.operand_count()
               ? keep_
               : builder_.concatenate(whole, static_cast<std::int64_t>(d));
  }

  // The slice consists of padding only, or contains none.
  InstructionId slice_of_padding(const Instruction &padded, std::vector<SliceRange> ranges) {
    const Shape &inner = padded.operand(0).shape();
    bool is_inside = true;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      const PaddingDimension padding = padded.padding()[d];
      if (count_of(ranges[d]) == 0) {
        return keep_;
      }
      const std::int64_t last = ranges[d].start + (count_of(ranges[d]) - 1) * ranges[d].stride;
      const std::int64_t end =
          padding.low + inner.size(d) + std::max<std::int64_t>(inner.size(d) - 1, 0) * padding.interior;
      if (last < padding.low || ranges[d].start >= end) {
        return builder_.broadcast(padded.operands()[1], shape_);
      }
      is_inside = is_inside && padding.interior == 0 && ranges[d].start >= padding.low && last < end;
      ranges[d].start -= padding.low;
      ranges[d].limit = last - padding.low + 1;
    }
    return is_inside ? make_slice(padded.operands()[0], ranges) : keep_;
  }

  // Along dimensions that the broadcast added, all slices of the same size are equal.
  InstructionId slice_of_broadcast(const Instruction &broadcast, std::span<const SliceRange> ranges) {
    const Shape &inner = broadcast.operand(0).shape();
    std::vector<SliceRange> inner_ranges;
    bool is_whole = true;
    for (std::size_t i = 0; i < broadcast.dimensions().size(); ++i) {
      inner_ranges.push_back(ranges[static_cast<std::size_t>(broadcast.dimensions()[i])]);
      is_whole = is_whole && is_all(inner_ranges.back(), inner.size(i));
    }
    const std::vector<std::int64_t> targets(broadcast.dimensions().begin(), broadcast.dimensions().end());
    const InstructionId source = broadcast.operands()[0];
    return builder_.broadcast(is_whole ? source : make_slice(source, inner_ranges), shape_, targets);
  }

  // The slice lies within the update, or outside it.
  InstructionId slice_of_update(const Instruction &updated, std::vector<SliceRange> ranges) {
    const Shape &whole = updated.operand(0).shape(), &box = updated.operand(1).shape();
    const auto starts = constant_starts(updated, 2, whole, box);
    if (!starts || !is_plain(updated.operand(0).shape()) || shape_.element_count() == 0) {
      return keep_;
    }
    bool is_inside = true;
    std::vector<SliceRange> within = ranges;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      const std::int64_t begin = (*starts)[d], end = begin + box.size(d);
      const std::int64_t last = ranges[d].start + (count_of(ranges[d]) - 1) * ranges[d].stride;
      if (last < begin || ranges[d].start >= end) {
        return make_slice(updated.operands()[0], ranges);
      }
      is_inside = is_inside && begin <= ranges[d].start && last < end;
      within[d].start -= begin;
      within[d].limit = last - begin + 1;
    }
    return is_inside && is_plain(box) ? make_slice(updated.operands()[1], within) : keep_;
  }

  // Returns the clamped starts of a dynamic-slice or dynamic-update-slice; nothing if a start that matters is not a
  // constant.
  static std::optional<std::vector<std::int64_t>> constant_starts(const Instruction &of, std::size_t first,
                                                                  const Shape &whole, const Shape &box) {
    std::vector<std::int64_t> starts;
    for (std::size_t d = 0; d < whole.rank(); ++d) {
      const std::int64_t last = whole.size(d) - box.size(d);
      const Instruction start = of.operand(first + d);
      if (last == 0) {
        starts.push_back(0);
      } else if (auto value = analysis::constant_integer(start)) {
        starts.push_back(std::clamp<std::int64_t>(*value, 0, last));
      } else {
        return std::nullopt;
      }
    }
    return starts;
  }

  InstructionId dynamic_slice() {
    const Instruction source = instruction_.operand(0);
    if (source.shape() == shape_) {
      return source.id();  // a slice as large as the operand starts at 0, whatever the indices are
    }
    if (!is_plain(source)) {
      return keep_;
    }
    if (is_repeated_scalar(source)) {
      return builder_.broadcast(source.operands()[0], shape_);
    }
    if (source.opcode() == Opcode::DynamicUpdateSlice && source.operand(1).shape() == shape_ &&
        std::ranges::equal(instruction_.operands().subspan(1), source.operands().subspan(2))) {
      return source.operands()[1];  // the update that was written there
    }
    auto starts = constant_starts(instruction_, 1, source.shape(), shape_);
    if (!starts) {
      return keep_;
    }
    std::vector<SliceRange> ranges;
    for (std::size_t d = 0; d < starts->size(); ++d) {
      ranges.push_back({(*starts)[d], (*starts)[d] + shape_.size(d), 1});
    }
    return make_slice(source.id(), ranges);
  }

  // An update with the elements that are there already changes nothing, and a value that is overwritten immediately is
  // not needed.
  InstructionId dynamic_update_slice() {
    const Instruction whole = instruction_.operand(0), update = instruction_.operand(1);
    if (update.shape() == shape_) {
      return update.id();
    }
    auto starts = instruction_.operands().subspan(2);
    if (update.opcode() == Opcode::DynamicSlice && update.operands()[0] == whole.id() &&
        std::ranges::equal(starts, update.operands().subspan(1))) {
      return whole.id();
    }
    if (whole.opcode() == Opcode::DynamicUpdateSlice && whole.operand(1).shape() == update.shape() &&
        std::ranges::equal(starts, whole.operands().subspan(2))) {
      const std::vector<InstructionId> same(starts.begin(), starts.end());
      return builder_.dynamic_update_slice(whole.operands()[0], update.id(), same);
    }
    return keep_;
  }

  InstructionId concatenate() {
    const auto d = static_cast<std::size_t>(instruction_.dimensions()[0]);
    std::vector<InstructionId> parts;
    for (InstructionId id : instruction_.operands()) {
      const Instruction part = builder_.module().instruction(id);
      if (part.shape().size(d) == 0) {
        continue;
      }
      // Limited, because a concatenation with several users is expanded for each of them.
      if (part.opcode() == Opcode::Concatenate && part.dimensions()[0] == instruction_.dimensions()[0] &&
          is_plain(part) && parts.size() + part.operand_count() <= max_flattened_parts) {
        parts.insert(parts.end(), part.operands().begin(), part.operands().end());
      } else {
        parts.push_back(id);
      }
    }
    join_neighbours(parts, d);
    if (parts.size() == 1) {
      return builder_.shape(parts[0]) == shape_ ? parts[0] : keep_;
    }
    const Instruction first = builder_.module().instruction(parts.empty() ? keep_ : parts[0]);
    if (is_repeated_scalar(first) && std::ranges::all_of(parts, [&](InstructionId id) {
          const Instruction part = builder_.module().instruction(id);
          return is_repeated_scalar(part) && part.operands()[0] == first.operands()[0];
        })) {
      return builder_.broadcast(first.operands()[0], shape_);
    }
    return parts.empty() || std::ranges::equal(parts, instruction_.operands())
               ? keep_
               : builder_.concatenate(parts, static_cast<std::int64_t>(d));
  }

  // Joins adjacent slices of the same array.
  void join_neighbours(std::vector<InstructionId> &parts, std::size_t d) {
    std::vector<InstructionId> joined;
    for (InstructionId id : parts) {
      const Instruction part = builder_.module().instruction(id);
      if (!joined.empty()) {
        const Instruction last = builder_.module().instruction(joined.back());
        if (follows(last, part, d)) {
          std::vector<SliceRange> ranges(last.slice_ranges().begin(), last.slice_ranges().end());
          ranges[d].limit = part.slice_ranges()[d].limit;
          const InstructionId source = last.operands()[0];
          const bool is_whole = std::ranges::equal(ranges, builder_.shape(source).sizes(), is_all);
          joined.back() = is_whole ? source : make_slice(source, ranges);
          continue;
        }
      }
      joined.push_back(id);
    }
    parts = std::move(joined);
  }

  static bool follows(const Instruction &first, const Instruction &second, std::size_t d) {
    if (first.opcode() != Opcode::Slice || second.opcode() != Opcode::Slice ||
        first.operands()[0] != second.operands()[0] || !is_plain(first)) {
      return false;
    }
    for (std::size_t i = 0; i < first.shape().rank(); ++i) {
      const SliceRange a = first.slice_ranges()[i], b = second.slice_ranges()[i];
      const bool fits = i == d ? a.limit == b.start && a.stride == 1 && b.stride == 1
                               : a.start == b.start && a.limit == b.limit && a.stride == b.stride;
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  InstructionId pad() {
    const Instruction source = instruction_.operand(0);
    auto given = instruction_.padding();
    std::vector<PaddingDimension> padding(given.begin(), given.end());
    auto all = [&](auto &&holds) { return std::ranges::all_of(padding, holds); };
    if (all([](const PaddingDimension &p) { return p.low == 0 && p.high == 0 && p.interior == 0; })) {
      return source.shape() == shape_ ? source.id() : keep_;
    }
    if (!is_plain(source.shape())) {
      return keep_;
    }
    if (all([](const PaddingDimension &p) { return p.low <= 0 && p.high <= 0 && p.interior == 0; })) {
      std::vector<SliceRange> ranges;
      for (std::size_t d = 0; d < padding.size(); ++d) {
        ranges.push_back({-padding[d].low, source.shape().size(d) + padding[d].high, 1});
      }
      return make_slice(source.id(), ranges);
    }
    if (is_repeated_scalar(source) && source.operands()[0] == operand(1)) {
      return builder_.broadcast(operand(1), shape_);
    }
    if (source.opcode() == Opcode::Pad && source.operands()[1] == operand(1) && is_plain(source.operand(0).shape()) &&
        all([](const PaddingDimension &p) { return p.low >= 0 && p.high >= 0 && p.interior == 0; })) {
      for (std::size_t d = 0; d < padding.size(); ++d) {
        const PaddingDimension inner = source.padding()[d];
        if (inner.low < 0 || inner.high < 0) {
          return keep_;
        }
        padding[d] = {padding[d].low + inner.low, padding[d].high + inner.high, inner.interior};
      }
      return builder_.add(Opcode::Pad, {source.operands()[0], operand(1)},
                          [&](ir::Module &m, InstructionId id) { m.set_padding(id, padding); });
    }
    return keep_;
  }

  InstructionId reverse() {
    const Instruction source = instruction_.operand(0);
    std::vector<std::int64_t> dimensions;
    for (std::int64_t d : instruction_.dimensions()) {
      if (shape_.size(static_cast<std::size_t>(d)) > 1 && !is_repeated(source, d)) {
        dimensions.push_back(d);
      }
    }
    InstructionId from = source.id();
    if (source.opcode() == Opcode::Reverse && source.operand(0).shape() == shape_) {
      std::vector<std::int64_t> inner(source.dimensions().begin(), source.dimensions().end()), both;
      std::ranges::sort(inner);
      std::ranges::sort(dimensions);
      std::ranges::set_symmetric_difference(inner, dimensions, std::back_inserter(both));
      dimensions = std::move(both);
      from = source.operands()[0];
    }
    if (dimensions.empty()) {
      return builder_.shape(from) == shape_ ? from : keep_;
    }
    return from == operand(0) && dimensions.size() == instruction_.dimensions().size()
               ? keep_
               : builder_.add(Opcode::Reverse, {from}, [&](ir::Module &m, InstructionId id) {
                   m.set_numbers(id, ir::AttributeKey::Dimensions, dimensions);
                 });
  }

  // Whether all elements along this dimension are the same.
  static bool is_repeated(const Instruction &source, std::int64_t dimension) {
    return source.opcode() == Opcode::Broadcast &&
           std::ranges::find(source.dimensions(), dimension) == source.dimensions().end();
  }

  ir::Module &module_;
  Instruction instruction_;
  InstructionId keep_;
  const Shape shape_;
  ArrayBuilder builder_;
};

}  // namespace

Result<bool> slice_simplification(ir::Module &module, const PassContext &) {
  return rewrite_outside_fusions(module, [&](Instruction instruction) -> Result<InstructionId> {
    return is_plain(instruction.shape()) ? SliceSimplifier(module, instruction).run() : instruction.id();
  });
}

}  // namespace bp::passes
