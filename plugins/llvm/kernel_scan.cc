// The kernel of a scan: a line is done part after part, of which each member has a few elements next to each other.
#include "plugins/llvm/scan.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "plugins/llvm/element_type.h"
#include "plugins/llvm/elementwise.h"

namespace bp::emit {
namespace {

using llvm::Value;

constexpr std::int64_t shortest_line = 16;
constexpr std::size_t most_results = 16;  // members show theirs to each other in the team's memory

class ScanKernel {
 public:
  ScanKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Scan &scan, Team &team)
      : generator_(generator),
        k_(builder),
        b_(builder.b),
        site_(site),
        instruction_(site.instruction),
        shape_(instruction_.shape()),
        scan_(scan),
        team_(team),
        count_(instruction_.result_count()),
        op_(count_ == 1 ? simple_reducer(instruction_.called(0)) : std::uint16_t{0}),
        share_(std::max<std::int64_t>(8 / static_cast<std::int64_t>(count_), 1)) {}

  KernelWork emit() {
    constexpr std::int64_t widest_bytes = 16;  // of a value: c128
    const std::int64_t bytes = reduction_bytes(team_, static_cast<std::int64_t>(count_) * shown_bytes(widest_bytes));
    memory_ = bytes == 0 ? nullptr : team_.memory(b_, bytes);
    std::vector<LoopGroup> lines;
    for (const std::int64_t d : shape_.major_to_minor()) {
      if (static_cast<std::size_t>(d) != scan_.dimension) {
        lines.push_back({{d}, shape_.dims[static_cast<std::size_t>(d)]});
      }
    }
    if (lines.empty()) {
      lines.emplace_back();
    }
    for (std::size_t i = 0; i < count_; ++i) {
      initial_.push_back(generator_.element(instruction_.operand(count_ + i), {}));
    }
    generator_.at_item(lines, shape_, 1, Indices(shape_.rank(), k_.constant(0)), site_.begin,
                       [&](std::span<const Index> at) { emit_line({at.begin(), at.end()}); });
    return {.scratch_bytes = bytes, .items = scan_.lines};
  }

 private:
  using Values = std::vector<Value *>;  // one for each result

  Value *integer(std::int64_t value) const { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  std::uint16_t sum_type() const { return accumulator_type(op_, shape_.dtype); }

  // Values of neighbouring elements, in the order of the scan.
  Values combine(std::span<Value *const> first, std::span<Value *const> second) {
    if (scan_.is_backward) {
      std::swap(first, second);
    }
    return apply(first, second);
  }
  Values apply(std::span<Value *const> left, std::span<Value *const> right) {
    if (op_ != 0) {
      return {emit_binary(b_, op_, sum_type(), left[0], right[0])};
    }
    Values arguments(left.begin(), left.end());
    arguments.insert(arguments.end(), right.begin(), right.end());
    return generator_.call(instruction_.called(0), arguments);
  }
  Values select(Value *condition, const Values &x, const Values &y) {
    Values chosen;
    for (std::size_t i = 0; i < count_; ++i) {
      chosen.push_back(emit_select(b_, condition, x[i], y[i]));
    }
    return chosen;
  }

  void emit_line(Indices at) {
    const std::int64_t part = share_ * team_.size();
    Values nothing;
    for (std::size_t i = 0; i < count_; ++i) {
      nothing.push_back(llvm::Constant::getNullValue(initial_[i]->getType()));
    }
    k_.loop(0, (scan_.length + part - 1) / part, 1, nothing, [&](Value *number, std::span<Value *const> carried) {
      Value *first = b_.CreateAdd(b_.CreateMul(number, integer(part)), b_.CreateMul(team_.member(), integer(share_)));
      std::vector<Values> sums;
      for (std::int64_t i = 0; i < share_; ++i) {
        at[scan_.dimension] = place(b_.CreateAdd(first, integer(i)));
        Values elements;
        for (std::size_t n = 0; n < count_; ++n) {
          elements.push_back(generator_.element(instruction_.operand(n), at));
        }
        sums.push_back(i == 0 ? elements : combine(sums.back(), elements));
      }
      const ScannedMembers members =
          scan_members(b_, team_, sums.back(), memory_,
                       [&](std::span<Value *const> x, std::span<Value *const> y) { return combine(x, y); });
      Value *is_first = b_.CreateICmpEQ(number, integer(0));
      const Values so_far(carried.begin(), carried.end());
      const Values before =
          select(is_first, members.before, select(members.is_after_any, combine(so_far, members.before), so_far));
      Value *is_after_any = b_.CreateOr(members.is_after_any, b_.CreateNot(is_first));
      for (std::int64_t i = 0; i < share_; ++i) {
        const Values &own = sums[static_cast<std::size_t>(i)];
        store(at, b_.CreateAdd(first, integer(i)), select(is_after_any, combine(before, own), own));
      }
      if (memory_ != nullptr) {
        team_.wait(b_);  // until nobody reads what is written next
      }
      return select(is_first, members.all, combine(so_far, members.all));
    });
  }

  // Of the n-th element of the scan; of one behind the last, any that there is.
  Index place(Value *n) {
    n = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n, integer(scan_.length - 1));
    return k_.of(scan_.is_backward ? b_.CreateSub(integer(scan_.length - 1), n) : n);
  }

  void store(Indices &at, Value *n, const Values &values) {
    Value *exists = b_.CreateICmpSLT(n, integer(scan_.length));
    if (team_.is_wanted() != nullptr) {
      exists = b_.CreateAnd(exists, team_.is_wanted());
    }
    k_.if_then(exists, [&] {
      at[scan_.dimension] = place(n);
      const Values results = apply(initial_, values);
      for (std::size_t i = 0; i < count_; ++i) {
        const Shape &shape = instruction_.shape(i);
        k_.store(site_.results[i], k_.linear(at, shape.dims, shape.strides),
                 op_ == 0 ? results[i] : round_to_type(b_, results[i], shape.dtype), shape.dtype);
      }
    });
  }

  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  const InstructionView instruction_;
  const Shape &shape_;
  const Scan &scan_;
  Team &team_;
  const std::size_t count_;
  const std::uint16_t op_;
  const std::int64_t share_;  // elements of a member in a part
  Value *memory_ = nullptr;
  Values initial_;
};

}  // namespace

std::optional<Scan> find_scan(InstructionView instruction) {
  if (instruction.op() != BP_OP_REDUCE_WINDOW || instruction.result_count() > most_results) {
    return std::nullopt;
  }
  const Shape &shape = instruction.shape();
  for (std::size_t i = 0; i < instruction.result_count(); ++i) {
    if (instruction.operand_shape(i).dims != shape.dims || instruction.shape(i).packed() ||
        instruction.operand_shape(i).dtype != instruction.shape(i).dtype) {
      return std::nullopt;
    }
  }
  const auto window = instruction.numbers(BP_ATTR_WINDOW);
  std::optional<Scan> scan;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    const auto of = window.subspan(7 * d, 7);  // size, stride, padding low and high, two dilations, reversal
    const std::int64_t length = shape.dims[d], rest = length - 1;
    const bool is_plain = of[1] == 1 && of[4] == 1 && of[5] == 1 && of[6] == 0;
    if (is_plain && of[0] == 1 && of[2] == 0 && of[3] == 0) {
      continue;
    }
    const bool is_forward = of[2] == rest && of[3] == 0, is_backward = of[2] == 0 && of[3] == rest;
    if (!is_plain || of[0] != length || length < shortest_line || !(is_forward || is_backward) || scan) {
      return std::nullopt;
    }
    scan = Scan{.dimension = d,
                .is_backward = is_backward,
                .is_along_memory = shape.strides[d] == 1,
                .lines = shape.elements / length,
                .length = length};
  }
  return scan;
}

KernelWork emit_scan(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Scan &scan,
                     Team &team) {
  return ScanKernel(generator, builder, site, scan, team).emit();
}

}  // namespace bp::emit
