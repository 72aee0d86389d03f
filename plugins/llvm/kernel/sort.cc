// Sort: long lines whose keys are numbers by the digits of the keys (radix_sort.cc), others by merging runs of one,
// two, four ... elements. Stable for any comparator.
#include <bit>

#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/kernel/sort_lines.h"

namespace bp::emit {

using llvm::Value;

namespace {

class MergeSort {
 public:
  using Values = SortLines::Values;

  MergeSort(Generator &generator, KernelBuilder &k, const KernelSite &site, SortLines &lines)
      : generator_(generator), k_(k), comparator_(site.instruction.called(0)), lines_(lines) {}

  // Returns where the line is then: its two places exchange their roles in each round.
  Values sort(const Values &first, const Values &second) {
    const int rounds = std::bit_width(static_cast<std::uint64_t>(lines_.size() - 1));
    const auto count = static_cast<std::ptrdiff_t>(lines_.operand_count());
    Values state = first;
    state.insert(state.end(), second.begin(), second.end());
    state.push_back(i64(1));
    state = k_.loop(0, rounds, 1, state, [&](Value *, std::span<Value *const> now) {
      const Values from(now.begin(), now.begin() + count), to(now.begin() + count, now.end() - 1);
      Value *width = now.back();
      Value *twice = k_.b.CreateShl(width, 1);
      k_.dynamic_loop(i64(0), i64(lines_.size()), twice, {}, [&](Value *begin, std::span<Value *const>) {
        Value *middle = smaller(k_.b.CreateAdd(begin, width), i64(lines_.size()));
        Value *end = smaller(k_.b.CreateAdd(begin, twice), i64(lines_.size()));
        merge(from, to, begin, middle, end);
        return Values();
      });
      Values next = to;
      next.insert(next.end(), from.begin(), from.end());
      next.push_back(twice);
      return next;
    });
    state.resize(lines_.operand_count());
    return state;
  }

 private:
  llvm::ConstantInt *i64(std::int64_t v) const { return k_.b.getInt64(static_cast<std::uint64_t>(v)); }

  // Merges the runs [begin, middle) and [middle, end).
  void merge(const Values &from, const Values &to, Value *begin, Value *middle, Value *end) {
    k_.dynamic_loop(begin, end, i64(1), {begin, middle}, [&](Value *out, std::span<Value *const> heads) {
      Value *left = heads[0], *right = heads[1];
      Value *left_left = k_.b.CreateICmpSLT(left, middle);
      Value *both = k_.b.CreateAnd(left_left, k_.b.CreateICmpSLT(right, end));
      Value *take_right = k_.branch(
          both, [&] { return Values{less(lines_.load(from, right), lines_.load(from, left))}; },
          [&] { return Values{k_.b.CreateNot(left_left)}; })[0];
      lines_.store(to, out, lines_.load(from, k_.b.CreateSelect(take_right, right, left)));
      return Values{k_.b.CreateAdd(left, k_.b.CreateZExt(k_.b.CreateNot(take_right), k_.b.getInt64Ty())),
                    k_.b.CreateAdd(right, k_.b.CreateZExt(take_right, k_.b.getInt64Ty()))};
    });
  }

  Value *smaller(Value *a, Value *b) { return k_.b.CreateSelect(k_.b.CreateICmpSLT(a, b), a, b); }

  // Whether the elements a come before the elements b.
  Value *less(const Values &a, const Values &b) {
    Values arguments;
    for (std::size_t i = 0; i < a.size(); ++i) {
      arguments.push_back(a[i]);
      arguments.push_back(b[i]);
    }
    return generator_.call(comparator_, arguments)[0];
  }

  Generator &generator_;
  KernelBuilder &k_;
  const ComputationView comparator_;
  SortLines &lines_;
};

}  // namespace

KernelWork emit_sort(Generator &generator, KernelBuilder &k, const KernelSite &site, const VectorTarget &target) {
  if (site.instruction.operand_shape(0).elements == 0) {
    return {};
  }
  SortLines lines(generator, k, site, target.is_threaded);
  if (is_worth_radix_sort(site.instruction)) {
    emit_radix_sort(generator, k, site, lines);
  } else {
    MergeSort merge(generator, k, site, lines);
    lines.for_each([&](const SortLines::Values &from, const SortLines::Values &to) { return merge.sort(from, to); });
  }
  return lines.work();
}

}  // namespace bp::emit
