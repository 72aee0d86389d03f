// Topk with one team for each line. It finds the key of the worst wanted element digit by digit, with one pass over the
// line per digit: the largest number such that at least the wanted number of keys are not less. Then it gathers the
// better elements, and as many equal ones as are missing, in the order of the line. The rank of an element is found by
// comparing it with all gathered ones.
#include <algorithm>

#include "plugins/llvm/kernel/topk.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {
namespace {

using llvm::Value;
using Values = std::vector<Value *>;

constexpr unsigned digit_bits = 3;
constexpr std::int64_t max_wanted = 1024;  // for more, comparing all takes longer than sorting
constexpr std::int64_t max_groups = 32;    // groups of members that exchange values, per team
constexpr std::int64_t counter_bytes = 4, position_bytes = 4;

// Returns the number of lowest bits of a narrow float's key that depend only on the other bits.
unsigned idle_bits(std::uint16_t dtype) {
  return dtype == BP_DTYPE_BF16 ? 16 : dtype == BP_DTYPE_F16 ? 13 : 0;
}

// Returns the bytes that members write for each other at one time: a counter for each digit except 0.
std::int64_t shown_counters() {
  return ((std::int64_t{1} << digit_bits) - 1) * shown_bytes(counter_bytes);
}

class TeamTopkKernel {
 public:
  TeamTopkKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, Team &team)
      : generator_(generator),
        k_(builder),
        b_(builder.b),
        site_(site),
        lines_(generator, builder, site),
        team_(team),
        idle_bits_(idle_bits(lines_.shape().dtype)),
        key_type_(b_.getIntNTy(lines_.key_bits())) {}

  KernelWork emit() {
    const std::int64_t shown = reduction_bytes(team_, shown_counters());
    const std::int64_t keys = shown + lines_.count() * key_type_->getIntegerBitWidth() / 8;
    const std::int64_t bytes = keys + lines_.count() * position_bytes;
    memory_ = team_.memory(b_, bytes);
    keys_ = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), memory_, static_cast<std::uint64_t>(shown));
    positions_ = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), memory_, static_cast<std::uint64_t>(keys));
    const std::vector<LoopGroup> groups = lines_.groups();
    generator_.at_item(groups, lines_.shape(), 1, Indices(lines_.shape().rank(), k_.constant(0)), site_.begin,
                       [&](std::span<const Index> at) { emit_line({at.begin(), at.end()}); });
    return {.scratch_bytes = bytes, .items = generator_.items(groups, 1)};
  }

 private:
  Value *integer(std::int64_t value) const { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  Value *number(Value *value) const { return b_.CreateZExt(value, b_.getInt32Ty()); }
  llvm::ConstantInt *wanted() const { return b_.getInt32(static_cast<std::uint32_t>(lines_.count())); }

  void emit_line(const Indices &at) {
    Value *worst = find_worst(at);
    gather(at, worst, b_.CreateSub(wanted(), count_at_least(at, {b_.CreateAdd(worst, key(1))}, worst)[0]));
    team_.wait(b_);
    rank(at);
  }

  llvm::Constant *key(std::uint64_t value) const { return llvm::ConstantInt::get(key_type_, value); }
  Value *key_at(Indices at, Value *i) {
    at[lines_.dimension()] = k_.of(i);
    return b_.CreateLShr(lines_.key(lines_.load(at)), idle_bits_);
  }

  // Returns the largest key such that the wanted number of elements have keys that are not less.
  Value *find_worst(const Indices &at) {
    const unsigned bits = lines_.key_bits() - idle_bits_, first_bits = bits % digit_bits;
    Value *prefix = key(0);
    if (first_bits != 0) {
      prefix = with_next_digit(at, prefix, key(bits - first_bits), first_bits);
    }
    const std::int64_t digits = bits / digit_bits;
    return k_.loop(0, digits, 1, {prefix}, [&](Value *number, std::span<Value *const> carried) {
      Value *left = b_.CreateSub(integer(digits - 1), number);
      Value *shift = b_.CreateMul(b_.CreateZExtOrTrunc(left, key_type_), key(digit_bits));
      return Values{with_next_digit(at, carried[0], shift, digit_bits)};
    })[0];
  }

  Value *with_next_digit(const Indices &at, Value *prefix, Value *shift, unsigned bits) {
    Values candidates;
    for (std::uint64_t digit = 1; digit < std::uint64_t{1} << bits; ++digit) {
      candidates.push_back(b_.CreateOr(prefix, b_.CreateShl(key(digit), shift)));
    }
    const Values counts = count_at_least(at, candidates, prefix);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      prefix = b_.CreateSelect(b_.CreateICmpUGE(counts[i], wanted()), candidates[i], prefix);
    }
    return prefix;
  }

  // Returns the number of elements whose keys are not less than each limit; 0 for a limit that is not above `below`
  // because it overflowed.
  Values count_at_least(const Indices &at, const Values &limits, Value *below) {
    Values counts(limits.size(), b_.getInt32(0));
    counts = k_.dynamic_loop(team_.member(), integer(lines_.size()), integer(team_.size()), counts,
                             [&](Value *i, std::span<Value *const> carried) {
                               Value *own = key_at(at, i);
                               Values next;
                               for (std::size_t n = 0; n < limits.size(); ++n) {
                                 Value *reaches = b_.CreateICmpUGE(own, limits[n]);
                                 next.push_back(b_.CreateAdd(carried[n], number(reaches)));
                               }
                               return next;
                             });
    counts = combine_members(b_, team_, counts, memory_, add_counters_);
    team_.wait(b_);  // until no member reads what is written next
    for (std::size_t n = 0; n < limits.size(); ++n) {
      counts[n] = b_.CreateSelect(b_.CreateICmpUGT(limits[n], below), counts[n], b_.getInt32(0));
    }
    return counts;
  }

  // Writes the elements that are better than the worst one, and `equals` elements that are equal to it, to the team's
  // memory.
  void gather(const Indices &at, Value *worst, Value *equals) {
    const std::int64_t parts = (lines_.size() + team_.size() - 1) / team_.size();
    const Values none = {b_.getInt32(0), b_.getInt32(0)};  // numbers of better and of equal elements before the part
    k_.loop(0, parts, 1, none, [&](Value *part, std::span<Value *const> before) {
      Value *i = b_.CreateAdd(b_.CreateMul(part, integer(team_.size())), team_.member());
      Value *exists = b_.CreateICmpSLT(i, integer(lines_.size()));
      i = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, integer(lines_.size() - 1));
      Value *own = key_at(at, i);
      Value *is_better = b_.CreateAnd(exists, b_.CreateICmpUGT(own, worst));
      Value *is_equal = b_.CreateAnd(exists, b_.CreateICmpEQ(own, worst));
      const ScannedMembers members =
          scan_members(b_, team_, {number(is_better), number(is_equal)}, memory_, add_counters_);
      const auto place_of = [&](std::size_t n) {
        return b_.CreateAdd(before[n], b_.CreateSelect(members.is_after_any, members.before[n], b_.getInt32(0)));
      };
      Value *better = place_of(0), *equal = place_of(1);
      Value *is_taken = b_.CreateOr(is_better, b_.CreateAnd(is_equal, b_.CreateICmpULT(equal, equals)));
      k_.if_then(is_taken, [&] {
        Value *place = b_.CreateAdd(better, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, equal, equals));
        place = b_.CreateZExt(place, b_.getInt64Ty());
        b_.CreateStore(own, b_.CreateInBoundsGEP(key_type_, keys_, place));
        b_.CreateStore(b_.CreateTrunc(i, b_.getInt32Ty()), b_.CreateInBoundsGEP(b_.getInt32Ty(), positions_, place));
      });
      team_.wait(b_);  // until no member reads what is written next
      return Values{b_.CreateAdd(before[0], members.all[0]), b_.CreateAdd(before[1], members.all[1])};
    });
  }

  // Computes the ranks of the gathered elements, which are in the order of the line: of equal elements the earlier one
  // is better.
  void rank(const Indices &at) {
    const auto gathered = [&](Value *i) { return b_.CreateLoad(key_type_, b_.CreateInBoundsGEP(key_type_, keys_, i)); };
    k_.dynamic_loop(
        team_.member(), integer(lines_.count()), integer(team_.size()), {}, [&](Value *i, std::span<Value *const>) {
          Value *own = gathered(i);
          Value *rank = k_.loop(0, lines_.count(), 1, {integer(0)}, [&](Value *j, std::span<Value *const> carried) {
            Value *other = gathered(j);
            Value *is_better = b_.CreateICmpUGT(other, own);
            Value *is_before = b_.CreateAnd(b_.CreateICmpEQ(other, own), b_.CreateICmpSLT(j, i));
            return Values{b_.CreateAdd(carried[0], b_.CreateZExt(b_.CreateOr(is_better, is_before), b_.getInt64Ty()))};
          })[0];
          Value *position = b_.CreateLoad(b_.getInt32Ty(), b_.CreateInBoundsGEP(b_.getInt32Ty(), positions_, i));
          const auto store = [&] { lines_.store_result(at, rank, position); };
          team_.has_work() == nullptr ? store() : k_.if_then(team_.has_work(), store);
          return Values();
        });
  }

  // Adds the counters of two members.
  Combine add_counters_ = [this](std::span<Value *const> x, std::span<Value *const> y) {
    Values sums;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sums.push_back(b_.CreateAdd(x[i], y[i]));
    }
    return sums;
  };

  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  TopkLines lines_;
  Team &team_;
  const unsigned idle_bits_;  // number of bits shifted out of keys
  llvm::IntegerType *key_type_;
  Value *memory_ = nullptr, *keys_ = nullptr, *positions_ = nullptr;
};

}  // namespace

std::optional<TeamTopk> topk_for_team(InstructionView instruction) {
  if (instruction.op() != BP_OP_TOP_K || instruction.shape(0).elements == 0) {
    return std::nullopt;
  }
  const std::int64_t count = instruction.shape(0).dims.back();
  if (count > max_wanted) {
    return std::nullopt;
  }
  const std::int64_t key_bytes = compute_bits(instruction.operand_shape(0).dtype) / 8;
  return TeamTopk{.lines = instruction.shape(0).elements / count,
                  .length = instruction.operand_shape(0).dims.back(),
                  .bytes_of_team = max_groups * shown_counters() + count * (key_bytes + position_bytes)};
}

KernelWork emit_topk_by_team(Generator &generator, KernelBuilder &builder, const KernelSite &site, Team &team) {
  return TeamTopkKernel(generator, builder, site, team).emit();
}

}  // namespace bp::emit
