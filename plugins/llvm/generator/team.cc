#include "plugins/llvm/generator/team.h"

#include <llvm/IR/Module.h>

#include <algorithm>

namespace bp::emit {

using llvm::Value;

namespace {

constexpr std::uint64_t shown_alignment = 16;

std::int64_t groups_of(const Team &team) {
  return team.size() / team.exchange_width();
}

std::vector<Value *> chosen(llvm::IRBuilderBase &b, Value *condition, const std::vector<Value *> &x,
                            const std::vector<Value *> &y) {
  std::vector<Value *> values;
  for (std::size_t i = 0; i < x.size(); ++i) {
    values.push_back(b.CreateSelect(condition, x[i], y[i]));
  }
  return values;
}

std::vector<Value *> combine_by_exchange(llvm::IRBuilderBase &b, Team &team, std::int64_t width,
                                         std::vector<Value *> values, const Combine &combine) {
  for (std::int64_t mask = 1; mask < width; mask *= 2) {
    std::vector<Value *> others;
    for (Value *value : values) {
      others.push_back(team.shuffle_xor(b, value, static_cast<std::uint32_t>(mask)));
    }
    // The value of the lower member is the first operand in both members, so that both get the same result.
    Value *is_upper = b.CreateICmpNE(b.CreateAnd(team.member(), static_cast<std::uint64_t>(mask)), b.getInt64(0));
    values = combine(chosen(b, is_upper, others, values), chosen(b, is_upper, values, others));
  }
  return values;
}

// Returns the addresses to which a group writes its values; `like` has values of the same types.
std::vector<Value *> places_of_group(llvm::IRBuilderBase &b, const Team &team, const std::vector<Value *> &like,
                                     Value *memory, Value *group) {
  const llvm::DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
  std::vector<Value *> places;
  std::int64_t offset = 0;
  for (Value *value : like) {
    const std::int64_t bytes = shown_bytes(static_cast<std::int64_t>(layout.getTypeAllocSize(value->getType())));
    Value *at = b.CreateMul(group, b.getInt64(static_cast<std::uint64_t>(bytes)));
    at = b.CreateAdd(at, b.getInt64(static_cast<std::uint64_t>(offset)));
    places.push_back(b.CreateInBoundsGEP(b.getInt8Ty(), memory, at));
    offset += groups_of(team) * bytes;
  }
  return places;
}

// One member of each group writes the group's values; then waits until all groups have done so.
void show_groups(llvm::IRBuilderBase &b, Team &team, const std::vector<Value *> &values, Value *memory) {
  const auto width = static_cast<std::uint64_t>(team.exchange_width());
  emit_when(b, b.CreateICmpEQ(b.CreateURem(team.member(), b.getInt64(width)), b.getInt64(0)), [&] {
    Value *group = b.CreateUDiv(team.member(), b.getInt64(width));
    const std::vector<Value *> places = places_of_group(b, team, values, memory, group);
    for (std::size_t i = 0; i < values.size(); ++i) {
      b.CreateAlignedStore(values[i], places[i], llvm::Align(shown_alignment));
    }
  });
  team.wait(b);
}

// Returns the values that a group wrote; `like` has values of the same types.
std::vector<Value *> values_of_group(llvm::IRBuilderBase &b, const Team &team, const std::vector<Value *> &like,
                                     Value *memory, Value *group) {
  std::vector<Value *> values = places_of_group(b, team, like, memory, group);
  for (std::size_t i = 0; i < like.size(); ++i) {
    values[i] = b.CreateAlignedLoad(like[i]->getType(), values[i], llvm::Align(shown_alignment));
  }
  return values;
}

}  // namespace

std::int64_t shown_bytes(std::int64_t bytes) {
  constexpr auto step = static_cast<std::int64_t>(shown_alignment);
  return (bytes + step - 1) / step * step;
}

std::int64_t reduction_bytes(const Team &team, std::int64_t shown) {
  return groups_of(team) == 1 ? 0 : groups_of(team) * shown;
}

std::vector<Value *> combine_members(llvm::IRBuilderBase &b, Team &team, std::vector<Value *> values, Value *memory,
                                     const Combine &combine) {
  const std::int64_t groups = groups_of(team);
  values = combine_by_exchange(b, team, team.exchange_width(), std::move(values), combine);
  if (groups == 1) {
    return values;
  }
  // Each group of members that exchange values combines the values of all groups: each member takes those of one group,
  // or of several that follow each other if there are more groups than members in a group.
  show_groups(b, team, values, memory);
  const auto number = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  const std::int64_t width = std::min(groups, team.exchange_width()), of_member = groups / width;
  Value *first = b.CreateMul(b.CreateURem(team.member(), number(width)), number(of_member));
  values = values_of_group(b, team, values, memory, first);
  if (of_member > 1) {
    values = emit_loop_carrying(b, number(1), number(of_member), 1, values,
                                [&](Value *next, const std::vector<Value *> &carried) {
                                  Value *group = b.CreateAdd(first, next);
                                  return combine(carried, values_of_group(b, team, carried, memory, group));
                                });
  }
  return combine_by_exchange(b, team, width, std::move(values), combine);
}

ScannedMembers scan_members(llvm::IRBuilderBase &b, Team &team, std::vector<Value *> values, Value *memory,
                            const Combine &combine) {
  ScannedMembers members = {values, std::move(values), b.getFalse()};
  // Combines pairs, then pairs of pairs, and so on: all elements of the lower half come before those of the upper half.
  for (std::int64_t mask = 1; mask < team.exchange_width(); mask *= 2) {
    Value *is_upper = b.CreateICmpNE(b.CreateAnd(team.member(), static_cast<std::uint64_t>(mask)), b.getInt64(0));
    std::vector<Value *> others;
    for (Value *value : members.all) {
      others.push_back(team.shuffle_xor(b, value, static_cast<std::uint32_t>(mask)));
    }
    const auto before = chosen(b, members.is_after_any, combine(others, members.before), others);
    members.before = chosen(b, is_upper, before, members.before);
    members.is_after_any = b.CreateOr(members.is_after_any, is_upper);
    members.all = combine(chosen(b, is_upper, others, members.all), chosen(b, is_upper, members.all, others));
  }
  const std::int64_t groups = groups_of(team);
  if (groups == 1) {
    return members;
  }
  show_groups(b, team, members.all, memory);
  Value *own = b.CreateUDiv(team.member(), b.getInt64(static_cast<std::uint64_t>(team.exchange_width())));
  const std::size_t count = members.all.size();
  std::vector<Value *> start = values_of_group(b, team, members.all, memory, b.getInt64(0));
  start.insert(start.end(), start.begin(), start.begin() + static_cast<std::ptrdiff_t>(count));
  // The combination so far, and its value at the member's own group.
  const std::vector<Value *> sums = emit_loop_carrying(
      b, b.getInt64(1), b.getInt64(static_cast<std::uint64_t>(groups)), 1, start,
      [&](Value *group, const std::vector<Value *> &carried) {
        const std::vector<Value *> so_far(carried.begin(), carried.begin() + static_cast<std::ptrdiff_t>(count));
        const std::vector<Value *> at_own(carried.begin() + static_cast<std::ptrdiff_t>(count), carried.end());
        std::vector<Value *> next = combine(so_far, values_of_group(b, team, so_far, memory, group));
        const auto now_at_own = chosen(b, b.CreateICmpEQ(group, own), so_far, at_own);
        next.insert(next.end(), now_at_own.begin(), now_at_own.end());
        return next;
      });
  members.all.assign(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(count));
  const std::vector<Value *> groups_before(sums.begin() + static_cast<std::ptrdiff_t>(count), sums.end());
  Value *has_groups_before = b.CreateICmpNE(own, b.getInt64(0));
  const auto before = chosen(b, members.is_after_any, combine(groups_before, members.before), groups_before);
  members.before = chosen(b, has_groups_before, before, members.before);
  members.is_after_any = b.CreateOr(members.is_after_any, has_groups_before);
  return members;
}

}  // namespace bp::emit
