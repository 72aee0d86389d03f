// reduce(x)  ->  reduce(reduce(bitcast(x))): a reduction to few results keeps few workers of a device busy, so its longest
// dimension is cut into parts, which are reduced first, all at the same time. Of half floats the parts' sums are f32.
// Parts start with the neutral element of the op. Of any other function, and of several values at once, they start as the
// whole does, if that may be repeated: where f(start, start) is start, as of the largest and its place, it counts once
// however often it comes. What has no such dimension, or gives enough results, stays, and so does what has no such start.
#include <algorithm>
#include <optional>

#include "core/interpreter/interpreter.h"
#include "core/passes/expansion.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Parts that are shorter cost more to write and to read again than they save: elements, of a row and of a column, which
// several workers share, and of what one has alone.
constexpr std::int64_t least_row = 16 * 1024, least_column = 1024, least_alone = 32;

// The bits of the element that changes no other, as a float or an integer of the width.
std::optional<std::uint64_t> neutral_bits(Opcode opcode, ElementType type) {
  const bool is_pred = type == ElementType::Pred, is_signed = ir::is_signed(type);
  if (!ir::is_floating(type) && !is_pred && !ir::is_integer(type)) {
    return std::nullopt;
  }
  const std::uint64_t sign = std::uint64_t{1} << (ir::bit_width(type) - 1), ones = sign | (sign - 1);
  if (ir::is_floating(type)) {
    const bool is_f64 = type == ElementType::F64, is_f32 = type == ElementType::F32;
    const bool is_bf16 = type == ElementType::BF16, is_f16 = type == ElementType::F16;
    if (!is_f64 && !is_f32 && !is_bf16 && !is_f16) {
      return std::nullopt;
    }
    const unsigned fraction = is_f64 ? 52 : is_f32 ? 23 : is_bf16 ? 7 : 10;
    const std::uint64_t infinity = (sign - 1) >> fraction << fraction;
    const std::uint64_t one = (infinity >> 1) >> fraction << fraction;
    switch (opcode) {
      case Opcode::Add: return sign;  // -0
      case Opcode::Multiply: return one;
      case Opcode::Maximum: return sign | infinity;
      case Opcode::Minimum: return infinity;
      default: return std::nullopt;
    }
  }
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor: return 0;
    case Opcode::Multiply: return 1;
    case Opcode::Maximum: return is_signed ? sign : 0;
    case Opcode::Minimum: return is_pred ? 1 : is_signed ? ones ^ sign : ones;
    case Opcode::And: return is_pred ? 1 : ones;
    default: return std::nullopt;
  }
}

std::span<const Shape> arrays(const Shape &shape) {
  return shape.is_tuple() ? shape.elements() : std::span(&shape, 1);
}

class Splitter {
 public:
  Splitter(ir::Module &module, const FusionLimits &limits, const Instruction &reduce)
      : module_(module), limits_(limits), reduce_(reduce), from_(reduce.operand(0).shape()) {}

  InstructionId run() {
    if (from_.element_count() == 0 || !has_plain_values() || !choose_parts()) {
      return reduce_.id();
    }
    const Opcode opcode = count_ == 1 ? combining_op(reduce_.called(0)) : Opcode::Invalid;
    const bool is_wide_sum = compute_type(from_.element_type()) != from_.element_type() &&
                             (opcode == Opcode::Add || opcode == Opcode::Multiply);
    const ElementType type = is_wide_sum ? ElementType::F32 : from_.element_type();
    if (const auto neutral = neutral_bits(opcode, type)) {
      return split_op(opcode, type, *neutral);
    }
    return !is_wide_sum && may_repeat_start() ? split_function() : reduce_.id();
  }

 private:
  // Of types that elements share with what they are combined to.
  bool has_plain_values() const {
    const std::span<const Shape> results = arrays(reduce_.shape()), combined = arrays(reduce_.called(0).root().shape());
    if (results.size() != count_ || combined.size() != count_) {
      return false;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const Shape &of_one = reduce_.operand(i).shape();
      const ElementType type = of_one.element_type();
      if (!is_plain(of_one) || !is_plain(results[i]) || ir::bit_width(type) % 8 != 0 ||
          combined[i].element_type() != type) {
        return false;
      }
    }
    return true;
  }

  bool may_repeat_start() const {
    std::vector<ir::Literal> start;
    for (std::size_t i = count_; i < 2 * count_; ++i) {
      if (reduce_.operand(i).opcode() != Opcode::Constant) {
        return false;
      }
      start.push_back(reduce_.operand(i).literal());
    }
    std::vector<ir::Literal> twice = start;
    twice.insert(twice.end(), start.begin(), start.end());
    interpreter::Options options;
    options.threads = 1;
    const Result<ir::Literal> combined = interpreter::evaluate(reduce_.called(0), twice, options);
    return combined.ok() && combined->identical(count_ == 1 ? start[0] : ir::Literal::tuple(start));
  }

  // The longest reduced dimension and the number of its parts; whether that is worth it.
  bool choose_parts() {
    std::int64_t results = 1;
    bool is_row = false;
    for (std::size_t d = 0; d < from_.rank(); ++d) {
      const bool is_reduced =
          std::ranges::find(reduce_.dimensions(), static_cast<std::int64_t>(d)) != reduce_.dimensions().end();
      if (!is_reduced) {
        results *= from_.size(d);
      } else if (dimension_ == from_.rank() || from_.size(d) > from_.size(dimension_)) {
        dimension_ = d;
      }
      is_row = from_.size(d) == 1 ? is_row : is_reduced;  // as the last one is that has more than one element
    }
    if (dimension_ == from_.rank()) {
      return false;
    }
    // Of a result that workers share, a part is long enough for all of them.
    const std::int64_t shared = is_row ? FusionLimits::results_per_row : FusionLimits::results_per_column;
    const std::int64_t least = !limits_.rows ? least_alone : is_row ? least_row : least_column;
    const std::int64_t wanted = limits_.min_results / (limits_.rows ? shared : 1);
    const std::int64_t reduced = from_.element_count() / results, size = from_.size(dimension_);
    const std::int64_t most = std::min(reduced / least, size);
    parts_ = std::min((wanted + results - 1) / results, most);
    if (parts_ < 2) {
      return false;
    }
    // Parts of one length, if a few more or less of them divide the dimension; else the last one is filled up.
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

  InstructionId split_op(Opcode opcode, ElementType type, std::uint64_t neutral_element) {
    Expansion b(module_, reduce_);
    const InstructionId neutral = b.bits(type, neutral_element);
    const InstructionId x = cut(b, b.cast(reduce_.operands()[0], type), neutral);
    const ir::ComputationId combiner = type == from_.element_type()
                                           ? reduce_.calls()[0]
                                           : ir::add_scalar_computation(module_, opcode, type, "combine_parts");
    const auto [first, second] = dimensions();
    const InstructionId of_parts = b.reduce(x, neutral, first, combiner);
    const InstructionId all = b.reduce(of_parts, b.cast(reduce_.operands()[1], type), second, combiner);
    return b.cast(all, reduce_.shape().element_type());
  }

  InstructionId split_function() {
    Expansion b(module_, reduce_);
    const std::vector<InstructionId> operands(reduce_.operands().begin(), reduce_.operands().end());
    std::vector<InstructionId> parts = operands;
    for (std::size_t i = 0; i < count_; ++i) {
      parts[i] = cut(b, operands[i], operands[count_ + i]);
    }
    const ir::ComputationId combiner = reduce_.calls()[0];
    const auto reduce = [&](std::span<const InstructionId> values, std::span<const std::int64_t> dimensions) {
      const auto set = [&](ir::Module &m, InstructionId id) {
        m.set_numbers(id, ir::AttributeKey::Dimensions, dimensions);
      };
      return b.try_add(Opcode::Reduce, values, set, std::span(&combiner, 1)).value();
    };
    const auto [first, second] = dimensions();
    const InstructionId of_parts = reduce(parts, first);
    for (std::size_t i = 0; i < count_; ++i) {
      parts[i] = count_ == 1 ? of_parts : b.get_tuple_element(of_parts, static_cast<std::int64_t>(i));
    }
    return reduce(parts, second);
  }

  // Seen as parts; the last one is filled up.
  InstructionId cut(Expansion &b, InstructionId x, InstructionId filling) const {
    const std::int64_t size = from_.size(dimension_), length = (size + parts_ - 1) / parts_;
    if (length * parts_ != size) {
      std::vector<ir::PaddingDimension> padding(from_.rank());
      padding[dimension_].high = length * parts_ - size;
      x = b.pad(x, filling, padding);
    }
    std::vector<std::int64_t> sizes(from_.sizes().begin(), from_.sizes().end());
    sizes[dimension_] = length;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dimension_), parts_);
    return b.seen_as(x, Shape::array(b.type(x), sizes));
  }

  // The reduced ones: first all but the number of the part, then that.
  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> dimensions() const {
    std::vector<std::int64_t> first, second;
    std::int64_t kept = 0;
    for (std::size_t d = 0; d < from_.rank(); ++d) {
      const bool is_reduced =
          std::ranges::find(reduce_.dimensions(), static_cast<std::int64_t>(d)) != reduce_.dimensions().end();
      if (is_reduced) {
        first.push_back(static_cast<std::int64_t>(d >= dimension_ ? d + 1 : d));
      }
      if (d == dimension_) {
        second.push_back(kept);
      }
      kept += is_reduced ? 0 : 1;
    }
    return {std::move(first), std::move(second)};
  }

  ir::Module &module_;
  const FusionLimits &limits_;
  Instruction reduce_;
  const Shape from_;
  const std::size_t count_ = reduce_.operand_count() / 2;
  std::size_t dimension_ = from_.rank();
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
