// Rewrites sort as a bitonic sorting network that is the same in each iteration (Stone): a perfect shuffle, after which
// neighbours are compared and perhaps exchanged. It takes k^2 iterations for 2^k elements, each of a few ops on all of
// them. Elements carry their index, which decides between equal elements: so the sort is stable, and elements that pad
// to a power of two stay at the end.
#include <bit>
#include <cmath>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::Opcode;
using Id = ir::InstructionId;

class SortExpansion {
 public:
  SortExpansion(ir::Module &module, ir::Instruction sort)
      : b_(module, sort),
        sort_(sort),
        operands_(sort.operands().begin(), sort.operands().end()),
        dimension_(sort.dimensions()[0]) {
    const ir::Shape shape = b_.shape(operands_[0]);
    size_ = shape.size(static_cast<std::size_t>(dimension_));
    rows_ = size_ == 0 ? 0 : shape.element_count() / size_;
    levels_ = std::bit_width(static_cast<std::uint64_t>(size_ - 1));
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      if (static_cast<std::int64_t>(d) != dimension_) {
        last_order_.push_back(static_cast<std::int64_t>(d));
      }
    }
    last_order_.push_back(dimension_);
  }

  Id run() {
    std::vector<Id> values;
    for (Id operand : operands_) {
      values.push_back(padded(b_.reshape(b_.transpose(operand, last_order_), {rows_, size_})));
    }
    values.push_back(b_.iota(ir::Shape::array(ElementType::S32, {rows_, padded_size()}), 1));
    values = b_.loop(levels_ * levels_, values, [&](ArrayBuilder &body, Id iteration, std::vector<Id> state) {
      return step(body, iteration, state);
    });
    std::vector<Id> results;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      results.push_back(restored(b_.slice(values[i], 1, 0, size_), b_.shape(operands_[i])));
    }
    return sort_.shape().is_tuple() ? b_.tuple(results) : results[0];
  }

 private:
  std::int64_t padded_size() const { return std::int64_t{1} << levels_; }

  Id padded(Id x) {
    const ir::PaddingDimension padding[] = {{}, {0, padded_size() - size_, 0}};
    return padded_size() == size_ ? x : b_.pad(x, b_.zeros(ir::Shape::scalar(b_.type(x))), padding);
  }

  // Moves the sorted dimension back to its place.
  Id restored(Id x, const ir::Shape &shape) {
    std::vector<std::int64_t> sizes, back(shape.rank());
    for (std::size_t i = 0; i < last_order_.size(); ++i) {
      sizes.push_back(shape.size(static_cast<std::size_t>(last_order_[i])));
      back[static_cast<std::size_t>(last_order_[i])] = static_cast<std::int64_t>(i);
    }
    return b_.transpose(b_.ir::Builder::reshape(x, sizes), back);
  }

  // The element at a * half + c moves to 2 c + a, so these pairs are neighbours in the result.
  struct Pair {
    Id low, high;
  };
  Pair shuffled(ArrayBuilder &b, Id x) const {
    const std::int64_t half = padded_size() / 2;
    return {b.slice(x, 1, 0, half), b.slice(x, 1, half, 2 * half)};
  }
  Id joined(ArrayBuilder &b, Pair pair) const {
    const std::int64_t half = padded_size() / 2;
    return b.reshape(b.concatenate({b.reshape(pair.low, {rows_, half, 1}), b.reshape(pair.high, {rows_, half, 1})}, 2),
                     {rows_, 2 * half});
  }

  Id goes_before(ArrayBuilder &b, const std::vector<Pair> &pairs, Id Pair::*first, Id Pair::*second) const {
    std::vector<Id> arguments;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      arguments.push_back(pairs[i].*first);
      arguments.push_back(pairs[i].*second);
    }
    const std::vector<std::int64_t> sizes{rows_, padded_size() / 2};
    return b.apply_to_arrays(sort_.called(0), arguments, sizes)[0];
  }

  // Iteration r belongs to stage r / k, which merges runs of 2^stage elements, and does shuffle number t = r % k + 1 of
  // it, after which neighbours differ in bit k - t of their original indices. A stage exchanges at the bits up to its
  // own, and reverses every other run. After k shuffles all elements are back in order.
  std::vector<Id> step(ArrayBuilder &b, Id iteration, const std::vector<Id> &state) const {
    std::vector<Pair> pairs;
    for (Id x : state) {
      pairs.push_back(shuffled(b, x));
    }
    const Id levels = b.splat(static_cast<double>(levels_), iteration), one = b.splat(1, iteration);
    const Id stage = b.quotient({iteration, levels});
    const Id shuffle = b.sum({b.add(Opcode::Remainder, {iteration, levels}), one});
    const Id is_active = b.compare(ComparisonDirection::Le, b.difference({levels, shuffle}), stage);
    // The current number of the bit that, in the original index, is above those of the run.
    const Id next_stage = b.sum({stage, one});
    const Id bit = b.add(Opcode::Remainder, {b.sum({next_stage, shuffle}), levels});
    const Id place = pairs.back().low;
    const Id position = b.iota(ir::Shape::array(ElementType::S32, b.shape(place).sizes()), 1);
    const Id twice = b.sum({position, position});
    const Id shifted = b.add(Opcode::ShiftRightLogical, {twice, b.broadcast_scalar(bit, twice)});
    // Separate statements, because compilers differ in the order in which they evaluate arguments, and instruction
    // names must not.
    const Id zero = b.splat(0, shifted);
    const Id is_up = b.compare(ComparisonDirection::Eq, b.bit_and({shifted, b.splat(1, shifted)}), zero);
    const Id is_last = b.compare(ComparisonDirection::Eq, next_stage, levels);
    const Id ascends = b.bit_or({is_up, b.broadcast_scalar(is_last, is_up)});

    const Id low = pairs.back().low, high = pairs.back().high;
    const Id high_place_first = b.compare(ComparisonDirection::Lt, high, low);
    const Id end = b.splat(static_cast<double>(size_), low);
    const Id are_real = b.compare(ComparisonDirection::Lt, b.add(Opcode::Maximum, {low, high}), end);
    const Id high_first = goes_before(b, pairs, &Pair::high, &Pair::low);
    const Id low_first = goes_before(b, pairs, &Pair::low, &Pair::high);
    const Id by_value = b.bit_or({high_first, b.bit_and({b.add(Opcode::Not, {low_first}), high_place_first})});
    const Id is_behind = b.select({are_real, by_value, high_place_first});
    const Id exchange =
        b.bit_and({b.broadcast_scalar(is_active, ascends), b.compare(ComparisonDirection::Eq, is_behind, ascends)});
    std::vector<Id> next;
    for (const Pair &pair : pairs) {
      next.push_back(joined(b, {b.select({exchange, pair.high, pair.low}), b.select({exchange, pair.low, pair.high})}));
    }
    return next;
  }

  ArrayBuilder b_;
  ir::Instruction sort_;
  std::vector<Id> operands_;
  std::int64_t dimension_, size_ = 0, rows_ = 0;
  int levels_ = 0;
  std::vector<std::int64_t> last_order_;
};

}  // namespace

Result<bool> sort_expansion(ir::Module &module, const PassContext &context) {
  return expand_outside_functions(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() != Opcode::Sort || !applies_to_arrays(i.called(0))) {
      return i.id();
    }
    for (std::size_t n = 0; n < i.operand_count(); ++n) {
      const ir::Shape &shape = i.operand(n).shape();
      if (!is_plain(shape) || shape.size(static_cast<std::size_t>(i.dimensions()[0])) < 2 ||
          shape.element_count() == 0 || shape.size(static_cast<std::size_t>(i.dimensions()[0])) > (1 << 30)) {
        return i.id();
      }
    }
    return SortExpansion(module, i).run();
  });
}

}  // namespace bp::passes
