// reduce(x)  ->  reduce(reduce(bitcast(x))): a reduction to few results keeps few workers of a device busy, so parts
// are reduced first, all at the same time. The parts are its last dimensions, if that gives enough parts; otherwise its
// longest dimension is cut. Partial sums of floats narrower than f32 are f32. Reductions without such a dimension, with
// enough results, or without start values for parts (partial_reduction()) are not changed.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/fusion/partial_reduction.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Minimum elements of a part; writing and reading shorter parts costs more than they save. For parts in a row or in a
// column that several workers share, and for parts of one worker.
constexpr std::int64_t min_row = 16 * 1024, min_column = 1024, min_alone = 32;
// Whole dimensions need no cut, and have the same shape as other arrays that are fused with them, so parts of whole
// dimensions may be shorter by this factor. Their number is limited to what one reduction handles at once.
constexpr std::int64_t less_of_whole = 16, max_parts = min_row;

class Splitter {
 public:
  Splitter(ir::Module &module, const FusionLimits &limits, const Instruction &reduce)
      : module_(module), limits_(limits), reduce_(reduce), from_(reduce.operand(0).shape()) {}

  InstructionId run() {
    if (from_.element_count() == 0 || !choose_parts()) {
      return reduce_.id();
    }
    ArrayBuilder b(module_, reduce_);
    const auto parts = partial_reduction(b, reduce_);
    return parts ? split(b, *parts) : reduce_.id();
  }

 private:
  // Chooses the dimensions of a part or the dimension to cut, and the number of parts. Returns whether splitting is
  // worth it.
  bool choose_parts() {
    std::int64_t results = 1;
    bool is_row = false;
    for (std::size_t d = 0; d < from_.rank(); ++d) {
      if (!is_reduced(d)) {
        results *= from_.size(d);
      } else if (dimension_ == from_.rank() || from_.size(d) > from_.size(dimension_)) {
        dimension_ = d;
      }
      is_row = from_.size(d) == 1 ? is_row : is_reduced(d);  // as the last dimension of more than one element
    }
    if (dimension_ == from_.rank()) {
      return false;
    }
    // If several workers share a result, a part is long enough for all of them.
    const std::int64_t shared = is_row ? FusionLimits::results_per_row : FusionLimits::results_per_column;
    const std::int64_t least = !limits_.rows ? min_alone : is_row ? min_row : min_column;
    const std::int64_t wanted = limits_.min_results / (limits_.rows ? shared : 1);
    const std::int64_t reduced = from_.element_count() / results, size = from_.size(dimension_);
    const std::int64_t most = std::min(reduced / least, size);
    parts_ = std::min((wanted + results - 1) / results, most);
    if (parts_ < 2) {
      return false;
    }
    std::int64_t whole = 1;
    for (std::size_t d = from_.rank(); d-- > 0 && limits_.rows;) {
      whole *= is_reduced(d) ? from_.size(d) : 1;
      const std::int64_t parts = reduced / whole;
      if (is_reduced(d) && whole >= least / less_of_whole && parts >= parts_ && parts <= max_parts) {
        first_whole_ = d;
      }
    }
    if (first_whole_ < from_.rank()) {
      return true;
    }
    // Chooses a similar number of parts that divides the dimension; if there is none, the last part is padded.
    for (std::int64_t near = 0; near < parts_ / 2; ++near) {
      for (const std::int64_t parts : {parts_ + near, parts_ - near}) {
        if (size % parts == 0 && parts <= most) {
          parts_ = parts;
          return true;
        }
      }
    }
    return true;
  }

  InstructionId split(ArrayBuilder &b, const PartialReduction &of) const {
    std::vector<InstructionId> parts;
    for (std::size_t i = 0; i < count_; ++i) {
      parts.push_back(cut(b, of.operands[i], of.starts[i]));
    }
    const auto reduce = [&](const std::vector<InstructionId> &operands, const std::vector<InstructionId> &starts,
                            std::span<const std::int64_t> dimensions) {
      return add_partial(b, Opcode::Reduce, of, operands, starts, [&](ir::Module &m, InstructionId id) {
        m.set_numbers(id, ir::AttributeKey::Dimensions, dimensions);
      });
    };
    const auto [first, second] = dimensions();
    const InstructionId all = reduce(arrays_of(b, reduce(parts, of.starts, first)), of.initial, second);
    return reduce_.shape().is_tuple() ? all : b.cast(all, reduce_.shape().element_type());
  }

  bool is_reduced(std::size_t dimension) const {
    return std::ranges::find(reduce_.dimensions(), static_cast<std::int64_t>(dimension)) != reduce_.dimensions().end();
  }

  // Returns the array with one dimension cut into parts, the last of which is padded; the array itself if parts are
  // whole dimensions.
  InstructionId cut(ArrayBuilder &b, InstructionId x, InstructionId filling) const {
    if (first_whole_ < from_.rank()) {
      return x;
    }
    const std::int64_t size = from_.size(dimension_), length = (size + parts_ - 1) / parts_;
    if (length * parts_ != size) {
      std::vector<ir::PaddingDimension> padding(from_.rank());
      padding[dimension_].high = length * parts_ - size;
      x = b.pad(x, filling, padding);
    }
    std::vector<std::int64_t> sizes(from_.sizes().begin(), from_.sizes().end());
    sizes[dimension_] = length;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dimension_), parts_);
    return b.bitcast_to(x, Shape::array(b.type(x), sizes));
  }

  // Returns the dimensions to reduce: first those of a part, then those that number the parts. If the order counts, the
  // elements of a part follow each other.
  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> dimensions() const {
    std::vector<std::int64_t> first, second;
    const bool is_whole = first_whole_ < from_.rank();
    std::int64_t kept = 0;
    for (std::size_t d = 0; d < from_.rank(); ++d) {
      const bool is_cut = !is_whole && d == dimension_;
      const bool is_of_part = is_reduced(d) && (is_whole ? d >= first_whole_ : d >= dimension_ || !keeps_order_);
      if (is_cut || (is_reduced(d) && !is_of_part)) {
        second.push_back(kept);
      }
      if (is_of_part) {
        first.push_back(static_cast<std::int64_t>(!is_whole && d >= dimension_ ? d + 1 : d));
      }
      kept += is_cut || !is_of_part ? 1 : 0;
    }
    return {std::move(first), std::move(second)};
  }

  ir::Module &module_;
  const FusionLimits &limits_;
  Instruction reduce_;
  const Shape from_;
  const std::size_t count_ = reduce_.operand_count() / 2;
  // The order of elements does not count for single ops, up to the rounding of sums.
  const bool keeps_order_ = count_ > 1 || combining_op(reduce_.called(0)) == Opcode::Invalid;
  std::size_t dimension_ = from_.rank();    // the one to cut
  std::size_t first_whole_ = from_.rank();  // first dimension of a part that consists of whole dimensions
  std::int64_t parts_ = 1;
};

}  // namespace

Result<bool> reduce_splitting(ir::Module &module, const PassContext &context) {
  const std::vector<bool> embedded = embedded_computations(module);
  return rewrite_outside_fusions(module, [&](Instruction instruction) -> Result<InstructionId> {
    const auto parent = index(instruction.parent().id());
    if (instruction.opcode() != Opcode::Reduce || parent >= embedded.size() || embedded[parent]) {
      return instruction.id();
    }
    return Splitter(module, context.fusion, instruction).run();
  });
}

}  // namespace bp::passes
