// Topk: each line keeps its best elements so far in a heap with the worst of them at its root. Most other elements are
// not better and are skipped, several at a time. At the end the heap yields the elements one after the other, the worst
// first.
//
// An element is one integer: its value, as an integer of the same order, and below it the complement of its position,
// so that of equal values the first one is better. 0 is worse than any element.
#include <algorithm>
#include <bit>

#include "plugins/llvm/kernel/topk.h"

namespace bp::emit {
namespace {

using llvm::Value;

constexpr unsigned position_bits = 32;

class TopkKernel {
 public:
  TopkKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site)
      : generator_(generator),
        k_(builder),
        b_(builder.b),
        site_(site),
        lines_(generator, builder, site),
        size_(lines_.size()),
        count_(lines_.count()),
        levels_(std::bit_width(static_cast<std::uint64_t>(count_))),
        element_(b_.getIntNTy(lines_.key_bits() > 32 ? 128 : 64)) {}

  KernelWork emit() {
    if (site_.instruction.shape(0).elements == 0) {
      return {};
    }
    const std::vector<LoopGroup> groups = lines_.groups();
    const Generator::Range range{site_.begin, site_.end};
    generator_.nest(
        groups, lines_.shape(), 1, Indices(lines_.shape().rank(), k_.constant(0)),
        [&](std::span<const Index> line) { emit_line({line.begin(), line.end()}); }, &range);
    return {.scratch_bytes = (slots() + 1) * element_->getIntegerBitWidth() / 8, .items = generator_.items(groups, 1)};
  }

 private:
  Value *integer(std::int64_t value) const { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  // Returns the number of slots of a heap with full levels; slots without an element contain a value that is better
  // than any element.
  std::int64_t slots() const { return (std::int64_t{1} << levels_) - 1; }

  void emit_line(Indices at) {
    k_.loop(0, slots(), 1, [&](Value *i) {
      Value *is_used = b_.CreateICmpSLT(i, integer(count_));
      store(i, b_.CreateSelect(is_used, llvm::Constant::getNullValue(element_), best()));
    });
    // Zeros are worse than any element, but their values are not worse than any value.
    k_.loop(0, count_, 1, [&](Value *i) { replace_worst(element_at(at, i)); });
    const std::uint32_t value = site_.instruction.operand(0);
    const std::int64_t lanes = 4 * std::int64_t{generator_.preferred_lanes({&value, 1}, size_)};
    const std::int64_t whole = count_ + (size_ - count_) / lanes * lanes;
    k_.loop(count_, whole, lanes, [&](Value *first) {
      k_.if_then(has_better(at, first, lanes), [&] { offer(at, first, b_.CreateAdd(first, integer(lanes))); });
    });
    offer(at, integer(whole), integer(size_));
    k_.loop(0, count_, 1, [&](Value *i) {
      Value *position = b_.CreateNot(b_.CreateTrunc(worst(), b_.getInt32Ty()));
      lines_.store_result(at, b_.CreateSub(integer(count_ - 1), i), position);
      replace_worst(best());
    });
  }

  // Whether any of `lanes` neighbours is better than the worst element of the heap, whose elements all come before
  // them.
  Value *has_better(Indices &at, Value *first, std::int64_t lanes) {
    Value *limit = b_.CreateTrunc(b_.CreateLShr(worst(), position_bits), b_.getIntNTy(lines_.key_bits()));
    Value *any = nullptr;
    k_.with_lanes(static_cast<unsigned>(lanes), nullptr, [&] {
      at[lines_.dimension()] = {.base = first, .lane_stride = 1};
      any = b_.CreateOrReduce(b_.CreateICmpUGT(k_.splat(lines_.key(lines_.load(at))), k_.splat(limit)));
    });
    return any;
  }

  void offer(Indices &at, Value *begin, Value *end) {
    k_.dynamic_loop(begin, end, integer(1), {}, [&](Value *i, std::span<Value *const>) {
      Value *element = element_at(at, i);
      k_.if_then(b_.CreateICmpUGT(element, worst()), [&] { replace_worst(element); });
      return std::vector<Value *>();
    });
  }

  // Replaces the root by an element, and moves it down to where no element below it is worse.
  void replace_worst(Value *element) {
    const auto place = k_.loop(0, levels_ - 1, 1, {integer(0)}, [&](Value *, std::span<Value *const> carried) {
      Value *place = carried[0];
      Value *left = b_.CreateAdd(b_.CreateShl(place, 1), integer(1)), *right = b_.CreateAdd(left, integer(1));
      Value *of_left = load_slot(left), *of_right = load_slot(right);
      Value *is_left = b_.CreateICmpULT(of_left, of_right);
      Value *worse = b_.CreateSelect(is_left, of_left, of_right);
      Value *sinks = b_.CreateICmpULT(worse, element);
      store(place, b_.CreateSelect(sinks, worse, element));
      // If it stays there, the elements of the next levels are all better.
      return std::vector<Value *>{b_.CreateSelect(sinks, b_.CreateSelect(is_left, left, right), place)};
    });
    store(place[0], element);
  }

  Value *element_at(Indices &at, Value *i) {
    at[lines_.dimension()] = k_.of(i);
    Value *value = b_.CreateShl(b_.CreateZExt(lines_.key(lines_.load(at)), element_), position_bits);
    return b_.CreateOr(value, b_.CreateZExt(b_.CreateNot(b_.CreateTrunc(i, b_.getInt32Ty())), element_));
  }

  Value *slot(Value *i) const { return b_.CreateGEP(element_, site_.scratch, i); }
  Value *load_slot(Value *i) { return b_.CreateLoad(element_, slot(i)); }
  void store(Value *i, Value *element) { b_.CreateStore(element, slot(i)); }
  Value *worst() { return load_slot(integer(0)); }
  Value *best() const { return llvm::Constant::getAllOnesValue(element_); }

  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  TopkLines lines_;
  const std::int64_t size_, count_;  // elements per line, and number of them that are wanted
  const int levels_;                 // levels of the heap
  llvm::IntegerType *element_;
};

}  // namespace

KernelWork emit_topk(Generator &generator, KernelBuilder &builder, const KernelSite &site) {
  return TopkKernel(generator, builder, site).emit();
}

}  // namespace bp::emit
