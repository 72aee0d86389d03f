// The kernel of a scan: a line is processed in parts, of which each member has a few neighbouring elements.
#include "plugins/llvm/kernel/scan.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

using llvm::Value;

constexpr std::int64_t shortest_line = 16;
constexpr std::size_t max_results = 16;  // because members pass theirs to each other in the team's memory

class ScanKernel {
 public:
  ScanKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Scan &scan, Team *team)
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
        share_(std::max<std::int64_t>(8 / static_cast<std::int64_t>(count_), 1)),
        begins_with_initial_(team == nullptr && (op_ != 0 || !scan.is_backward)) {}

  KernelWork emit() {
    for (std::size_t i = 0; i < count_; ++i) {
      initial_.push_back(generator_.element(instruction_.operand(count_ + i), {}));
    }
    return team_ == nullptr ? emit_lines() : emit_line_of_team();
  }

 private:
  using Values = std::vector<Value *>;  // one per result

  KernelWork emit_line_of_team() {
    constexpr std::int64_t widest_bytes = 16;  // bytes of the largest value, a c128
    const std::int64_t bytes = reduction_bytes(*team_, static_cast<std::int64_t>(count_) * shown_bytes(widest_bytes));
    memory_ = bytes == 0 ? nullptr : team_->memory(b_, bytes);
    generator_.at_item(lines(), shape_, 1, Indices(shape_.rank(), k_.constant(0)), site_.begin,
                       [&](std::span<const Index> at) { emit_line({at.begin(), at.end()}); });
    return {.scratch_bytes = bytes, .items = scan_.lines};
  }

  // Lines that do not run along memory are processed in lanes, so that whole cache lines are read.
  KernelWork emit_lines() {
    const std::vector<LoopGroup> groups = lines();
    unsigned lanes = 1;
    if (!scan_.is_along_memory) {
      const std::int64_t neighbours = groups.back().size;
      const std::uint32_t value = instruction_.operand(0);
      lanes = generator_.preferred_lanes({&value, 1}, neighbours);
      lanes *= count_ == 1 && neighbours >= 4 * static_cast<std::int64_t>(lanes) ? 4 : 1;
      share_ = lanes == 1 ? share_ : 1;
    }
    const Generator::Range range{site_.begin, site_.end};
    generator_.nest(
        groups, shape_, lanes, Indices(shape_.rank(), k_.constant(0)),
        [&](std::span<const Index> at) { emit_line({at.begin(), at.end()}); }, &range);
    return {.items = generator_.items(groups, lanes)};
  }

  // Returns all dimensions except that of the scan; those on the same side of it share a loop.
  std::vector<LoopGroup> lines() const {
    std::vector<LoopGroup> groups;
    bool is_joined = false;
    for (const std::int64_t d : shape_.major_to_minor()) {
      const std::int64_t size = shape_.dims[static_cast<std::size_t>(d)];
      if (static_cast<std::size_t>(d) == scan_.dimension) {
        is_joined = false;
      } else if (size > 1) {
        if (!is_joined) {
          groups.emplace_back();
        }
        is_joined = true;
        groups.back().dims.push_back(d);
        groups.back().size *= size;
      }
    }
    if (groups.empty()) {
      groups.emplace_back();
    }
    return groups;
  }

  Value *integer(std::int64_t value) const { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  std::uint16_t sum_type() const { return accumulator_type(op_, shape_.dtype); }

  // Combines values of neighbouring elements, in the order of the scan.
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
    return splat(generator_.call(instruction_.called(0), arguments));
  }
  Values select(Value *condition, const Values &x, const Values &y) {
    Values chosen;
    for (std::size_t i = 0; i < count_; ++i) {
      chosen.push_back(emit_select(b_, condition, x[i], y[i]));
    }
    return chosen;
  }
  Values splat(Values values) {
    for (Value *&value : values) {
      value = k_.splat(value);
    }
    return values;
  }

  void emit_line(Indices at) {
    if (team_ != nullptr) {
      const std::int64_t part = share_ * team_->size();
      emit_parts(at, 0, (scan_.length + part - 1) / part, false, nothing());
    } else if (begins_with_initial_ && op_ == BP_OP_ADD && is_float(sum_type()) && scan_.length >= 4 * sum_block) {
      emit_blocks(at);
    } else {
      const Values so_far = begins_with_initial_ ? splat(initial_) : nothing();
      emit_rest(at, emit_parts(at, 0, scan_.length / share_, true, so_far));
    }
  }

  Values nothing() {
    Values values = splat(initial_);
    for (Value *&value : values) {
      value = llvm::Constant::getNullValue(value->getType());
    }
    return values;
  }

  Values emit_parts(Indices &at, std::int64_t begin, std::int64_t end, bool is_whole, Values so_far) {
    return k_.loop(begin, end, 1, std::move(so_far), [&](Value *number, std::span<Value *const> carried) {
      return emit_part(at, number, {carried.begin(), carried.end()}, is_whole);
    });
  }
  // Emits the part in which the line ends.
  void emit_rest(Indices &at, Values so_far) {
    emit_parts(at, scan_.length / share_, (scan_.length + share_ - 1) / share_, false, std::move(so_far));
  }

  // Emits a long sum in blocks; there are about as many blocks as a block has parts. Each block starts from zero, and
  // the sum before it is added to the sums in it, which reduces rounding errors.
  void emit_blocks(Indices &at) {
    const std::int64_t parts = scan_.length / share_;
    const std::int64_t block = std::int64_t{1} << std::bit_width(static_cast<std::uint64_t>(parts)) / 2;
    Value *neutral = k_.splat(reduction_start(b_.getContext(), op_, sum_type(), 1));
    const Values before = k_.loop(0, parts, block, splat(initial_), [&](Value *first, std::span<Value *const> carried) {
      const Values so_far(carried.begin(), carried.end());
      Value *end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(first, integer(block)), integer(parts));
      const Values in_block =
          k_.dynamic_loop(first, end, integer(1), {neutral}, [&](Value *number, std::span<Value *const> inside) {
            const Values own(inside.begin(), inside.end());
            return combine(own, emit_part_after(at, number, combine(so_far, own), true));
          });
      return combine(so_far, in_block);
    });
    emit_rest(at, before);
  }

  // Returns, for each element of the part, the combination of the part's elements up to it.
  std::vector<Values> sums_of_part(Indices &at, Value *first, bool is_whole) {
    std::vector<Values> sums;
    for (std::int64_t i = 0; i < share_; ++i) {
      at[scan_.dimension] = place(b_.CreateAdd(first, integer(i)), is_whole);
      Values elements;
      for (std::size_t n = 0; n < count_; ++n) {
        elements.push_back(k_.splat(generator_.element(instruction_.operand(n), at)));
      }
      sums.push_back(i == 0 ? elements : combine(sums.back(), elements));
    }
    return sums;
  }

  void store_all(Indices &at, Value *first, const std::vector<Values> &sums, bool is_whole,
                 const std::function<Values(const Values &)> &result) {
    for (std::int64_t i = 0; i < share_; ++i) {
      store(at, b_.CreateAdd(first, integer(i)), result(sums[static_cast<std::size_t>(i)]), is_whole);
    }
  }

  // Emits a part after elements whose combination is so_far. Returns the combination of the part's own elements.
  Values emit_part_after(Indices &at, Value *number, const Values &so_far, bool is_whole) {
    Value *first = b_.CreateMul(number, integer(share_));
    const std::vector<Values> sums = sums_of_part(at, first, is_whole);
    store_all(at, first, sums, is_whole, [&](const Values &own) { return combine(so_far, own); });
    return sums.back();
  }

  // Emits a part and returns the combination of all elements up to its end. is_whole: the line does not end within it.
  Values emit_part(Indices &at, Value *number, const Values &so_far, bool is_whole) {
    if (begins_with_initial_) {
      return combine(so_far, emit_part_after(at, number, so_far, is_whole));
    }
    const std::int64_t part = share_ * (team_ == nullptr ? 1 : team_->size());
    Value *first = b_.CreateMul(number, integer(part));
    if (team_ != nullptr) {
      first = b_.CreateAdd(first, b_.CreateMul(team_->member(), integer(share_)));
    }
    const std::vector<Values> sums = sums_of_part(at, first, is_whole);
    const auto combine_spans = [&](std::span<Value *const> x, std::span<Value *const> y) { return combine(x, y); };
    const ScannedMembers members = team_ == nullptr ? ScannedMembers{so_far, sums.back(), b_.getFalse()}
                                                    : scan_members(b_, *team_, sums.back(), memory_, combine_spans);
    Value *is_first = b_.CreateICmpEQ(number, integer(0));
    const Values before =
        select(is_first, members.before, select(members.is_after_any, combine(so_far, members.before), so_far));
    Value *is_after_any = b_.CreateOr(members.is_after_any, b_.CreateNot(is_first));
    const Values initial = splat(initial_);
    store_all(at, first, sums, is_whole,
              [&](const Values &own) { return apply(initial, select(is_after_any, combine(before, own), own)); });
    if (memory_ != nullptr) {
      team_->wait(b_);  // until no member reads what is written next
    }
    return select(is_first, members.all, combine(so_far, members.all));
  }

  // Returns the index of the n-th element of the scan; for n after the last one, any index that exists.
  Index place(Value *n, bool exists) {
    if (!exists) {
      n = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n, integer(scan_.length - 1));
    }
    return k_.of(scan_.is_backward ? b_.CreateSub(integer(scan_.length - 1), n) : n);
  }

  void store(Indices &at, Value *n, const Values &results, bool is_whole) {
    Value *exists = is_whole ? nullptr : b_.CreateICmpSLT(n, integer(scan_.length));
    if (team_ != nullptr && team_->has_work() != nullptr) {
      exists = exists == nullptr ? team_->has_work() : b_.CreateAnd(exists, team_->has_work());
    }
    const auto store_each = [&] {
      at[scan_.dimension] = place(n, is_whole);
      for (std::size_t i = 0; i < count_; ++i) {
        const Shape &shape = instruction_.shape(i);
        k_.store(site_.results[i], k_.linear(at, shape.dims, shape.strides),
                 op_ == 0 ? results[i] : round_to_type(b_, results[i], shape.dtype), shape.dtype);
      }
    };
    exists == nullptr ? store_each() : k_.if_then(exists, store_each);
  }

  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  const InstructionView instruction_;
  const Shape &shape_;
  const Scan &scan_;
  Team *team_;
  const std::size_t count_;
  const std::uint16_t op_;
  std::int64_t share_;  // elements per member and part
  const bool begins_with_initial_;
  Value *memory_ = nullptr;
  Values initial_;
};

}  // namespace

std::optional<Scan> find_scan(InstructionView instruction) {
  if (instruction.op() != BP_OP_REDUCE_WINDOW || instruction.result_count() > max_results) {
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
                     Team *team) {
  return ScanKernel(generator, builder, site, scan, team).emit();
}

}  // namespace bp::emit
