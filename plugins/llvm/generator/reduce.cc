// Reductions inside the computation of an element. With vector coordinates every lane reduces its own elements, one
// after the other (one column per lane). With scalar coordinates and a reduction along the innermost dimension the
// vectors run along that dimension: several vector accumulators are combined at the end.
// Long sums of floats are computed in blocks: see BlockSum.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

using llvm::Value;

std::uint16_t simple_reducer(ComputationView computation) {
  if (computation.instruction_count() != 3 || computation.parameters().size() != 2 || computation.roots().size() != 1) {
    return 0;
  }
  const std::uint32_t last = computation.first_instruction() + 2;
  for (std::uint32_t i = computation.first_instruction(); i <= last; ++i) {
    const InstructionView instruction = computation.module().instruction(i);
    switch (instruction.op()) {
      case BP_OP_ADD:
      case BP_OP_MULTIPLY:
      case BP_OP_MAXIMUM:
      case BP_OP_MINIMUM:
      case BP_OP_AND:
      case BP_OP_OR:
        if (!is_complex(instruction.shape().dtype) && instruction.result() == computation.roots()[0] &&
            instruction.operand(0) != instruction.operand(1)) {
          return instruction.op();
        }
        break;
      default: break;
    }
  }
  return 0;
}

static llvm::Constant *reduction_identity(llvm::LLVMContext &context, std::uint16_t op, std::uint16_t dtype) {
  llvm::Type *type = compute_type(context, dtype);
  if (is_float(dtype)) {
    switch (op) {
      case BP_OP_ADD: return llvm::ConstantFP::getNegativeZero(type);
      case BP_OP_MULTIPLY: return llvm::ConstantFP::get(type, 1.0);
      default: return llvm::ConstantFP::getInfinity(type, op == BP_OP_MAXIMUM);
    }
  }
  const unsigned width = type->getIntegerBitWidth();
  const bool with_sign = is_signed(dtype);
  switch (op) {
    case BP_OP_ADD: return llvm::ConstantInt::get(type, 0);
    case BP_OP_MULTIPLY: return llvm::ConstantInt::get(type, 1);
    case BP_OP_MAXIMUM:
      return llvm::ConstantInt::get(type, with_sign ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0));
    case BP_OP_MINIMUM:
      return llvm::ConstantInt::get(
          type, with_sign ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width));
    case BP_OP_AND: return llvm::ConstantInt::get(type, llvm::APInt::getAllOnes(width));
    default: return llvm::ConstantInt::get(type, 0);
  }
}

std::uint16_t accumulator_type(std::uint16_t op, std::uint16_t dtype) {
  return is_narrow_float(dtype) && (op == BP_OP_ADD || op == BP_OP_MULTIPLY) ? std::uint16_t{BP_DTYPE_F32} : dtype;
}

llvm::Constant *reduction_start(llvm::LLVMContext &context, std::uint16_t op, std::uint16_t dtype, unsigned lanes) {
  llvm::Constant *identity = reduction_identity(context, op, dtype);
  return lanes == 1 ? identity : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes), identity);
}

Value *across_lanes(llvm::IRBuilderBase &b, Value *lanes, const std::function<Value *(Value *, Value *)> &combine) {
  if (!has_lanes(lanes)) {
    return lanes;
  }
  for (unsigned width = llvm::cast<llvm::FixedVectorType>(lanes->getType())->getNumElements() / 2; width >= 1;
       width /= 2) {
    std::vector<int> low, high;
    for (unsigned lane = 0; lane < width; ++lane) {
      low.push_back(static_cast<int>(lane));
      high.push_back(static_cast<int>(lane + width));
    }
    lanes = combine(b.CreateShuffleVector(lanes, low), b.CreateShuffleVector(lanes, high));
  }
  return b.CreateExtractElement(lanes, std::uint64_t{0});
}

namespace {

bool is_in(std::span<const std::int64_t> list, std::int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Returns indices in the operand: those of the result in the dimensions that are kept, `start` in the others.
Indices operand_indices(const Shape &operand, std::span<const std::int64_t> reduced, std::span<const Index> of_result,
                        const Index &start) {
  Indices from(operand.rank(), start);
  std::size_t kept = 0;
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    if (!is_in(reduced, static_cast<std::int64_t>(d))) {
      from[d] = of_result[kept++];
    }
  }
  return from;
}

// Nested loops that combine values. A chain of n float additions loses up to n units in the last place. If a sum is
// longer than a block, every block therefore starts from zero and the blocks are added: the error grows with the number
// of blocks plus the length of one instead of their product. Everything else is one chain.
class BlockSum {
 public:
  using Values = std::vector<Value *>;

  // levels: the number of iterations of each loop, the outermost first. set(level, i): sets the index of a loop. leaf:
  // the body of the innermost loop, from the values so far to the next ones.
  BlockSum(KernelBuilder &k, std::uint16_t op, std::uint16_t dtype, Value *zero, std::vector<std::int64_t> levels,
           std::function<void(std::size_t, Value *)> set, std::function<Values(Values)> leaf)
      : k_(k),
        op_(op),
        dtype_(dtype),
        zero_(zero),
        levels_(std::move(levels)),
        set_(std::move(set)),
        leaf_(std::move(leaf)),
        in_blocks_(op == BP_OP_ADD && is_float(dtype)) {}

  Values emit(Values values, std::size_t level = 0) const {
    if (level == levels_.size()) {
      return leaf_(std::move(values));
    }
    const std::int64_t inner = iterations(level + 1), size = levels_[level];
    if (!in_blocks_ || size * inner <= sum_block) {
      return loop(level, 0, size, 1, std::move(values), [&](Values v) { return emit(std::move(v), level + 1); });
    }
    if (inner > sum_block) {
      return loop(level, 0, size, 1, std::move(values),
                  [&](const Values &v) { return add(v, emit(zeros(v.size()), level + 1)); });
    }
    const std::int64_t step = sum_block / inner, whole = size / step * step;
    values = k_.loop(0, whole, step, values, [&](Value *first, std::span<Value *const> outer) {
      return add({outer.begin(), outer.end()},
                 k_.loop(0, step, 1, zeros(outer.size()), [&](Value *i, std::span<Value *const> v) {
                   set_(level, k_.b.CreateAdd(first, i));
                   return emit({v.begin(), v.end()}, level + 1);
                 }));
    });
    if (whole == size) {
      return values;
    }
    return add(values, loop(level, whole, size, 1, zeros(values.size()),
                            [&](Values v) { return emit(std::move(v), level + 1); }));
  }

 private:
  std::int64_t iterations(std::size_t level) const {
    std::int64_t product = 1;
    for (; level < levels_.size(); ++level) {
      product *= levels_[level];
    }
    return product;
  }
  Values loop(std::size_t level, std::int64_t begin, std::int64_t end, std::int64_t step, Values values,
              const std::function<Values(Values)> &body) const {
    return k_.loop(begin, end, step, values, [&](Value *i, std::span<Value *const> v) {
      set_(level, i);
      return body({v.begin(), v.end()});
    });
  }
  Values zeros(std::size_t count) const { return Values(count, zero_); }
  Values add(Values a, const Values &b) const {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = emit_binary(k_.b, op_, dtype_, a[i], b[i]);
    }
    return a;
  }

  KernelBuilder &k_;
  std::uint16_t op_, dtype_;
  Value *zero_;
  std::vector<std::int64_t> levels_;
  std::function<void(std::size_t, Value *)> set_;
  std::function<Values(Values)> leaf_;
  bool in_blocks_;
};

}  // namespace

bool Generator::reduces_rows(std::uint32_t value) {
  bool found = false;
  walk(value, [&](InstructionView instruction) {
    if (instruction.op() != BP_OP_REDUCE || instruction.operand_count() != 2 ||
        simple_reducer(instruction.called(0)) == 0) {
      return;
    }
    const Shape &shape = instruction.operand_shape(0);
    for (const std::int64_t d : shape.minor_to_major) {
      if (shape.dims[static_cast<std::size_t>(d)] > 1) {
        found |= is_in(instruction.numbers(BP_ATTR_DIMENSIONS), d);
        return;
      }
    }
  });
  return found;
}

std::vector<Value *> Generator::reduce(InstructionView instruction, std::span<const Index> indices) {
  const std::size_t count = instruction.operand_count() / 2;
  const ComputationView reducer = instruction.called(0);
  const std::uint16_t op = count == 1 ? simple_reducer(reducer) : 0;
  const Shape &shape = instruction.operand_shape(0);
  if (op != 0 && k_.lanes() == 1 && shape.elements != 0 && reduces_rows(instruction.result())) {
    return {reduce_row(instruction, indices, op)};
  }
  const auto reduced = instruction.numbers(BP_ATTR_DIMENSIONS);
  std::vector<Value *> carried;
  for (std::size_t i = 0; i < count; ++i) {
    carried.push_back(k_.splat(element(instruction.operand(count + i), {})));
  }
  Indices from = operand_indices(shape, reduced, indices, {});
  const std::uint16_t dtype = instruction.shape().dtype;
  const std::uint16_t accumulate = accumulator_type(op, dtype);
  std::vector<std::int64_t> order, sizes;
  for (const std::int64_t d : shape.major_to_minor()) {
    if (is_in(reduced, d)) {
      order.push_back(d);
    }
  }
  if (op == 0) {
    std::ranges::sort(order);  // not the order of memory, because that of the elements may count
  }
  for (const std::int64_t d : order) {
    sizes.push_back(shape.dims[static_cast<std::size_t>(d)]);
  }
  Value *zero = op == 0 ? nullptr : k_.splat(reduction_identity(k_.b.getContext(), op, accumulate));
  const BlockSum sum(
      k_, op, accumulate, zero, std::move(sizes),
      [&](std::size_t level, Value *i) { from[static_cast<std::size_t>(order[level])] = k_.of(i); },
      [&](std::vector<Value *> values) -> std::vector<Value *> {
        if (op != 0) {
          return {emit_binary(k_.b, op, accumulate, values[0], k_.splat(element(instruction.operand(0), from)))};
        }
        for (std::size_t i = 0; i < count; ++i) {
          values.push_back(k_.splat(element(instruction.operand(i), from)));
        }
        std::vector<Value *> results = call(reducer, values);
        for (Value *&value : results) {
          value = k_.splat(value);
        }
        return results;
      });
  carried = sum.emit(std::move(carried));
  if (op != 0) {
    carried[0] = round_to_type(k_.b, carried[0], dtype);
  }
  return carried;
}

// A reduction whose vectors run along the innermost reduced dimension, which is a row.
class Generator::RowReduction {
 public:
  using Values = std::vector<Value *>;

  RowReduction(Generator &generator, InstructionView instruction, std::span<const Index> indices, std::uint16_t op)
      : generator_(generator),
        k_(generator.k_),
        instruction_(instruction),
        shape_(instruction.operand_shape(0)),
        operand_(instruction.operand(0)),
        op_(op),
        accumulate_(accumulator_type(op, shape_.dtype)),
        from_(operand_indices(shape_, instruction.numbers(BP_ATTR_DIMENSIONS), indices, k_.constant(0))),
        loops_(generator.groups({&operand_, 1}, reduced_dimensions())),
        size_(loops_.back().size),
        lanes_(generator.preferred_lanes({&operand_, 1}, size_)),
        accumulators_(size_ >= 4 * lanes_ ? 4 : 1),
        start_(reduction_start(k_.b.getContext(), op, accumulate_, static_cast<unsigned>(lanes_))) {}

  Value *emit() {
    std::vector<std::int64_t> sizes;
    for (const LoopGroup &loop : loops_) {
      sizes.push_back(loop.size);
    }
    sizes.pop_back();
    const BlockSum over_rows(
        k_, op_, accumulate_, start_, std::move(sizes),
        [&](std::size_t level, Value *i) { set_indices(k_, loops_[level], shape_, k_.of(i), from_); },
        [&](Values sums) {
          if (op_ != BP_OP_ADD || !is_float(accumulate_)) {
            return add_row(std::move(sums));
          }
          const Values of_row = add_row(Values(sums.size(), start_));
          for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] = combine(sums[i], of_row[i]);
          }
          return sums;
        });
    Value *sum = combine_all(over_rows.emit(Values(static_cast<std::size_t>(accumulators_), start_)));
    sum = combine(generator_.element(instruction_.operand(1), {}), sum);
    return round_to_type(k_.b, sum, shape_.dtype);
  }

 private:
  // Returns the reduced dimensions that have several elements, from major to minor.
  std::vector<std::int64_t> reduced_dimensions() const {
    const auto reduced = instruction_.numbers(BP_ATTR_DIMENSIONS);
    std::vector<std::int64_t> dims;
    for (const std::int64_t d : shape_.major_to_minor()) {
      if (is_in(reduced, d) && shape_.dims[static_cast<std::size_t>(d)] > 1) {
        dims.push_back(d);
      }
    }
    return dims;
  }

  Value *combine(Value *a, Value *b) const { return emit_binary(k_.b, op_, accumulate_, a, b); }

  // Combines the sum with the vector at base + offset of the row. mask: the lanes that exist; null: all.
  Value *add_vector(Value *base, std::int64_t offset, Value *mask, Value *sum) {
    Value *result = nullptr;
    k_.with_lanes(static_cast<unsigned>(lanes_), mask, [&] {
      Index index = k_.add({.base = base, .lane_stride = 0, .multiple = lanes_}, offset);
      set_indices(k_, loops_.back(), shape_,
                  {.base = index.base, .lane_stride = lanes_ == 1 ? 0 : 1, .multiple = lanes_}, from_);
      Value *next = k_.splat(generator_.element(operand_, from_));
      if (mask != nullptr) {
        next = k_.b.CreateSelect(mask, next, start_);
      }
      result = combine(sum, next);
    });
    return result;
  }

  // The innermost loop adds one vector to each accumulator; the rest of a row is added to the first one.
  Values add_row(Values sums) {
    const std::int64_t stride = lanes_ * accumulators_;
    const std::int64_t whole = size_ / stride, vectors_end = size_ / lanes_ * lanes_;
    Value *at = nullptr;
    const BlockSum along_row(
        k_, op_, accumulate_, start_, {whole},
        [&](std::size_t, Value *i) { at = k_.b.CreateMul(i, k_.b.getInt64(static_cast<std::uint64_t>(stride))); },
        [&](Values so_far) {
          for (std::int64_t a = 0; a < accumulators_; ++a) {
            Value *&sum = so_far[static_cast<std::size_t>(a)];
            sum = add_vector(at, a * lanes_, nullptr, sum);
          }
          return so_far;
        });
    sums = along_row.emit(std::move(sums));
    if (accumulators_ > 1) {
      const auto rest =
          k_.loop(whole * stride, vectors_end, lanes_, {sums[0]},
                  [&](Value *i, std::span<Value *const> inner) { return Values{add_vector(i, 0, nullptr, inner[0])}; });
      sums[0] = rest[0];
    }
    if (vectors_end < size_) {
      std::vector<llvm::Constant *> on;
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        on.push_back(k_.b.getInt1(vectors_end + lane < size_));
      }
      sums[0] =
          add_vector(k_.b.getInt64(static_cast<std::uint64_t>(vectors_end)), 0, llvm::ConstantVector::get(on), sums[0]);
    }
    return sums;
  }

  // Combines the accumulators in a tree, and then the lanes of their sum.
  Value *combine_all(Values sums) const {
    for (std::size_t width = sums.size() / 2; width >= 1; width /= 2) {
      for (std::size_t i = 0; i < width; ++i) {
        sums[i] = combine(sums[i], sums[i + width]);
      }
    }
    return across_lanes(k_.b, sums[0], [&](Value *a, Value *b) { return combine(a, b); });
  }

  Generator &generator_;
  KernelBuilder &k_;
  const InstructionView instruction_;
  const Shape &shape_;
  const std::uint32_t operand_;
  const std::uint16_t op_, accumulate_;
  Indices from_;
  const std::vector<LoopGroup> loops_;  // over the reduced dimensions; the last one is along the row
  const std::int64_t size_, lanes_, accumulators_;
  llvm::Constant *start_;
};

Value *Generator::reduce_row(InstructionView instruction, std::span<const Index> indices, std::uint16_t op) {
  return RowReduction(*this, instruction, indices, op).emit();
}

std::vector<Value *> Generator::reduce_window(InstructionView instruction, std::span<const Index> indices) {
  const std::size_t count = instruction.operand_count() / 2;
  const ComputationView reducer = instruction.called(0);
  const std::uint16_t op = count == 1 ? simple_reducer(reducer) : 0;
  const std::uint16_t dtype = instruction.shape().dtype;
  const Shape &shape = instruction.operand_shape(0);
  const Shape &result = instruction.shape();
  const auto window = instruction.numbers(BP_ATTR_WINDOW);
  std::vector<Value *> carried;
  for (std::size_t i = 0; i < count; ++i) {
    carried.push_back(k_.splat(element(instruction.operand(count + i), {})));
  }
  Indices from(shape.rank());
  const auto combine = [&](std::vector<Value *> values) -> std::vector<Value *> {
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(k_.splat(element(instruction.operand(i), from)));
    }
    if (op != 0) {
      return {emit_binary(k_.b, op, accumulator_type(op, dtype), values[0], values[1])};
    }
    std::vector<Value *> results = call(reducer, values);
    for (Value *&value : results) {
      value = k_.splat(value);
    }
    return results;
  };
  // inside: the condition so far, null: always.
  const std::function<std::vector<Value *>(std::size_t, Value *, std::vector<Value *>)> level =
      [&](std::size_t d, Value *inside, std::vector<Value *> values) -> std::vector<Value *> {
    if (d == shape.rank()) {
      if (inside == nullptr) {
        return combine(values);
      }
      if (!inside->getType()->isVectorTy()) {
        return k_.branch(inside, [&] { return combine(values); }, [&] { return values; });
      }
      std::vector<Value *> next;
      k_.with_mask(inside, [&] { next = combine(values); });
      for (std::size_t i = 0; i < count; ++i) {
        next[i] = emit_select(k_.b, inside, next[i], values[i]);
      }
      return next;
    }
    const std::int64_t size = window[7 * d], stride = window[7 * d + 1], low = window[7 * d + 2],
                       base = window[7 * d + 4], dilation = window[7 * d + 5];
    const bool reversed = window[7 * d + 6] != 0;
    return k_.loop(0, size, 1, values, [&](Value *i, std::span<Value *const> inner) {
      Index tap = k_.of(i);
      if (reversed) {
        tap = k_.add(k_.multiply(tap, -1), size - 1);
      }
      Index position = k_.add(k_.add(k_.multiply(indices[d], stride), k_.multiply(tap, dilation)), -low);
      std::vector<Value *> conditions;
      const std::int64_t last = (shape.dims[d] - 1) * base;
      if (low > 0) {
        conditions.push_back(k_.not_less_than(position, 0));
      }
      if ((result.dims[d] - 1) * stride + (size - 1) * dilation - low > last) {
        conditions.push_back(k_.less_than(position, last + 1));
      }
      if (base > 1) {
        conditions.push_back(k_.less_than(k_.part(position, 1, base), 1));
        position = k_.part(position, base, 0);
      }
      if (inside != nullptr) {
        conditions.push_back(inside);
      }
      k_.same_lanes(conditions);
      from[d] = position;
      return level(d + 1, conditions.empty() ? nullptr : k_.b.CreateAnd(conditions), {inner.begin(), inner.end()});
    });
  };
  carried = level(0, nullptr, carried);
  if (op != 0) {
    carried[0] = round_to_type(k_.b, carried[0], dtype);
  }
  return carried;
}

}  // namespace bp::emit
