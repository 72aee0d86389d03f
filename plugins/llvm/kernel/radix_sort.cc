// Sorts lines by the digits of their keys, the least significant one first: each pass counts how often each digit
// occurs, and moves every element behind those of smaller digits and those of the same digit before it. Stable. A digit
// that all keys share needs no pass.
#include <bit>

#include "plugins/llvm/kernel/sort_key.h"
#include "plugins/llvm/kernel/sort_lines.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {

using llvm::Value;

namespace {

constexpr std::int64_t digit_bits = 8, digits = 1 << digit_bits;

std::int64_t count_passes(std::uint16_t dtype) {
  return (compute_bits(dtype) + digit_bits - 1) / digit_bits;
}

class RadixSort {
 public:
  using Values = SortLines::Values;

  RadixSort(Generator &generator, KernelBuilder &k, const KernelSite &site, SortLines &lines)
      : generator_(generator),
        k_(k),
        b_(k.b),
        comparator_(site.instruction.called(0)),
        lines_(lines),
        key_(*sort_key(site.instruction)),
        passes_(count_passes(key_.dtype)),
        counts_(lines.reserve(passes_ * digits * 4)) {}

  Values sort(const Values &first, const Values &second) {
    k_.loop(0, passes_ * digits, 1, [&](Value *i) { b_.CreateStore(b_.getInt32(0), count_at(i)); });
    k_.loop(0, lines_.size(), 1, [&](Value *i) {
      Value *key = key_of(lines_.load(first, i));
      for (std::int64_t pass = 0; pass < passes_; ++pass) {
        Value *place = count_at(b_.CreateAdd(digit(key, i64(pass)), i64(pass * digits)));
        b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt32Ty(), place), b_.getInt32(1)), place);
      }
    });
    const auto count = static_cast<std::ptrdiff_t>(lines_.operand_count());
    Values state = first;
    state.insert(state.end(), second.begin(), second.end());
    state = k_.loop(0, passes_, 1, state, [&](Value *pass, std::span<Value *const> now) {
      const Values from(now.begin(), now.begin() + count), to(now.begin() + count, now.end());
      Value *first_count = b_.CreateMul(pass, i64(digits));
      Value *shared = b_.CreateLoad(
          b_.getInt32Ty(), count_at(b_.CreateAdd(first_count, digit(key_of(lines_.load(from, i64(0))), pass))));
      Value *is_needed = b_.CreateICmpNE(shared, b_.getInt32(static_cast<std::uint32_t>(lines_.size())));
      return k_.branch(
          is_needed,
          [&] {
            move(from, to, pass, first_count);
            Values next = to;
            next.insert(next.end(), from.begin(), from.end());
            return next;
          },
          [&] { return Values(now.begin(), now.end()); });
    });
    state.resize(lines_.operand_count());
    return state;
  }

 private:
  llvm::ConstantInt *i64(std::int64_t v) const { return b_.getInt64(static_cast<std::uint64_t>(v)); }
  Value *count_at(Value *i) const { return b_.CreateGEP(b_.getInt32Ty(), counts_, i); }

  // Moves all elements to their places by one digit of their keys.
  void move(const Values &from, const Values &to, Value *pass, Value *first_count) {
    // Each count becomes the place of the first element with that digit.
    k_.loop(0, digits, 1, {b_.getInt32(0)}, [&](Value *i, std::span<Value *const> before) {
      Value *place = count_at(b_.CreateAdd(first_count, i));
      Value *count = b_.CreateLoad(b_.getInt32Ty(), place);
      b_.CreateStore(before[0], place);
      return Values{b_.CreateAdd(before[0], count)};
    });
    k_.loop(0, lines_.size(), 1, [&](Value *i) {
      const Values values = lines_.load(from, i);
      Value *place = count_at(b_.CreateAdd(first_count, digit(key_of(values), pass)));
      Value *at = b_.CreateLoad(b_.getInt32Ty(), place);
      b_.CreateStore(b_.CreateAdd(at, b_.getInt32(1)), place);
      lines_.store(to, b_.CreateZExt(at, b_.getInt64Ty()), values);
    });
  }

  // Returns the key as an unsigned integer, i64.
  Value *key_of(const Values &elements) {
    Values arguments;
    for (Value *element : elements) {
      arguments.insert(arguments.end(), {element, element});
    }
    Value *key = generator_.value_in(comparator_, key_.value, arguments);
    if (!key_.is_total) {
      key = b_.CreateFAdd(key, llvm::ConstantFP::getZero(key->getType()));  // -0 becomes 0
    }
    key = order_bits(b_, key_.dtype, key);
    if (key_.is_descending) {
      key = b_.CreateNot(key);
    }
    return b_.CreateZExt(key, b_.getInt64Ty());
  }

  Value *digit(Value *key, Value *pass) {
    return b_.CreateAnd(b_.CreateLShr(key, b_.CreateMul(pass, i64(digit_bits))), i64(digits - 1));
  }

  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const ComputationView comparator_;
  SortLines &lines_;
  const SortKey key_;
  const std::int64_t passes_;
  Value *counts_;  // i32 by pass and digit
};

}  // namespace

bool is_worth_radix_sort(InstructionView sort) {
  const std::int64_t size = sort.operand_shape(0).dims[static_cast<std::size_t>(sort.number(BP_ATTR_DIMENSIONS))];
  const auto key = sort_key(sort);
  if (!key || size > INT32_MAX) {
    return false;
  }
  // A pass takes half as long for an element, and for a digit, as a round of merging for an element.
  const std::int64_t rounds = std::bit_width(static_cast<std::uint64_t>(size));
  return count_passes(key->dtype) * (size + digits) < 2 * rounds * size;
}

void emit_radix_sort(Generator &generator, KernelBuilder &k, const KernelSite &site, SortLines &lines) {
  RadixSort radix(generator, k, site, lines);
  lines.for_each([&](const SortLines::Values &from, const SortLines::Values &to) { return radix.sort(from, to); });
}

}  // namespace bp::emit
