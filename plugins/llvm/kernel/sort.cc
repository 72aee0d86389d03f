// Sort: each line along the dimension is copied to scratch, merge sorted there from runs of one, two, four ... elements
// between two halves of the scratch, and copied to the result. Stable for any comparator.
#include <algorithm>
#include <bit>

#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {

using llvm::Value;

namespace {

class MergeSort {
 public:
  MergeSort(Generator &generator, KernelBuilder &k, const KernelSite &site)
      : generator_(generator),
        k_(k),
        site_(site),
        shape_(site.instruction.operand_shape(0)),
        count_(site.instruction.operand_count()),
        dimension_(static_cast<std::size_t>(site.instruction.number(BP_ATTR_DIMENSIONS))),
        size_(shape_.dims[dimension_]) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (Values &half : halves_) {
        half.push_back(k_.b.CreateGEP(k_.b.getInt8Ty(), site_.scratch, i64(scratch_bytes_)));
        scratch_bytes_ += (size_ * storage_bytes(dtype(i)) + 63) / 64 * 64;
      }
    }
  }

  std::int64_t scratch_bytes() const { return scratch_bytes_; }

  void emit() {
    generator_.nest(lines(), shape_, 1, Indices(shape_.rank(), k_.constant(0)), [&](std::span<const Index> line) {
      Indices at(line.begin(), line.end());
      read_line(at);
      write_line(at, sort_line());
    });
  }

 private:
  using Values = std::vector<Value *>;

  llvm::ConstantInt *i64(std::int64_t v) const { return k_.b.getInt64(static_cast<std::uint64_t>(v)); }
  std::uint16_t dtype(std::size_t i) const { return site_.instruction.operand_shape(i).dtype; }

  // Returns the loops over the lines.
  std::vector<LoopGroup> lines() const {
    std::vector<LoopGroup> loops;
    for (const std::int64_t d : shape_.major_to_minor()) {
      if (static_cast<std::size_t>(d) != dimension_) {
        loops.push_back({{d}, shape_.dims[static_cast<std::size_t>(d)]});
      }
    }
    if (loops.empty()) {
      loops.emplace_back();
    }
    return loops;
  }

  // Copies the line to the first half.
  void read_line(Indices &at) {
    k_.loop(0, size_, 1, [&](Value *i) {
      at[dimension_] = k_.of(i);
      Values values;
      for (std::size_t n = 0; n < count_; ++n) {
        const Shape &operand = site_.instruction.operand_shape(n);
        values.push_back(k_.load(site_.operands[n], k_.linear(at, shape_.dims, operand.strides), operand.dtype));
      }
      store_all(halves_[0], i, values);
    });
  }

  // Sorts the line in scratch, and returns where it is then. The halves exchange their roles in each round.
  Values sort_line() {
    const int rounds = std::bit_width(static_cast<std::uint64_t>(size_ - 1));
    Values pointers = halves_[0];
    pointers.insert(pointers.end(), halves_[1].begin(), halves_[1].end());
    pointers.push_back(i64(1));
    pointers = k_.loop(0, rounds, 1, pointers, [&](Value *, std::span<Value *const> now) {
      const Values from(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(count_));
      const Values to(now.begin() + static_cast<std::ptrdiff_t>(count_), now.end() - 1);
      Value *width = now.back();
      Value *twice = k_.b.CreateShl(width, 1);
      k_.dynamic_loop(i64(0), i64(size_), twice, {}, [&](Value *begin, std::span<Value *const>) {
        Value *middle = smaller(k_.b.CreateAdd(begin, width), i64(size_));
        Value *end = smaller(k_.b.CreateAdd(begin, twice), i64(size_));
        merge(from, to, begin, middle, end);
        return Values();
      });
      Values next = to;
      next.insert(next.end(), from.begin(), from.end());
      next.push_back(twice);
      return next;
    });
    pointers.resize(count_);
    return pointers;
  }

  // Merges the runs [begin, middle) and [middle, end).
  void merge(const Values &from, const Values &to, Value *begin, Value *middle, Value *end) {
    k_.dynamic_loop(begin, end, i64(1), {begin, middle}, [&](Value *out, std::span<Value *const> heads) {
      Value *left = heads[0], *right = heads[1];
      Value *left_left = k_.b.CreateICmpSLT(left, middle);
      Value *both = k_.b.CreateAnd(left_left, k_.b.CreateICmpSLT(right, end));
      Value *take_right = k_.branch(
          both, [&] { return Values{less(load_all(from, right), load_all(from, left))}; },
          [&] { return Values{k_.b.CreateNot(left_left)}; })[0];
      store_all(to, out, load_all(from, k_.b.CreateSelect(take_right, right, left)));
      return Values{k_.b.CreateAdd(left, k_.b.CreateZExt(k_.b.CreateNot(take_right), k_.b.getInt64Ty())),
                    k_.b.CreateAdd(right, k_.b.CreateZExt(take_right, k_.b.getInt64Ty()))};
    });
  }

  // Copies the line to the results.
  void write_line(Indices &at, const Values &from) {
    k_.loop(0, size_, 1, [&](Value *i) {
      at[dimension_] = k_.of(i);
      const Values values = load_all(from, i);
      for (std::size_t n = 0; n < count_; ++n) {
        k_.store(site_.results[n], k_.linear(at, shape_.dims, site_.instruction.shape(n).strides), values[n], dtype(n));
      }
    });
  }

  Value *smaller(Value *a, Value *b) { return k_.b.CreateSelect(k_.b.CreateICmpSLT(a, b), a, b); }

  // Whether the elements a come before the elements b.
  Value *less(const Values &a, const Values &b) {
    Values arguments;
    for (std::size_t i = 0; i < count_; ++i) {
      arguments.push_back(a[i]);
      arguments.push_back(b[i]);
    }
    return generator_.call(site_.instruction.called(0), arguments)[0];
  }

  Values load_all(const Values &from, Value *at) {
    Values values;
    for (std::size_t i = 0; i < count_; ++i) {
      values.push_back(k_.load(from[i], k_.of(at), dtype(i)));
    }
    return values;
  }
  void store_all(const Values &to, Value *at, const Values &values) {
    for (std::size_t i = 0; i < count_; ++i) {
      k_.store(to[i], k_.of(at), values[i], dtype(i));
    }
  }

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const Shape &shape_;
  const std::size_t count_, dimension_;
  const std::int64_t size_;  // of a line
  Values halves_[2];         // of scratch: an array of `size_` elements for each operand, aligned to 64 bytes
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace

std::int64_t emit_sort(Generator &generator, KernelBuilder &k, const KernelSite &site) {
  if (site.instruction.operand_shape(0).elements == 0) {
    return 0;
  }
  MergeSort sort(generator, k, site);
  sort.emit();
  return sort.scratch_bytes();
}

}  // namespace bp::emit
