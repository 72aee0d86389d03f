#include "plugins/llvm/team.h"

#include <algorithm>

namespace bp::emit {

using llvm::Value;

namespace {

constexpr std::int64_t most_value_bytes = 16;

std::int64_t groups_of(const Team &team) {
  return team.size() / team.exchanging();
}

std::vector<Value *> combine_by_exchange(llvm::IRBuilderBase &b, Team &team, std::int64_t width,
                                         std::vector<Value *> values, const Combine &combine) {
  for (std::int64_t mask = 1; mask < width; mask *= 2) {
    std::vector<Value *> others;
    for (Value *value : values) {
      others.push_back(team.exchange(b, value, static_cast<std::uint32_t>(mask)));
    }
    // The lower one comes first in both, so that both get the same.
    Value *is_upper = b.CreateICmpNE(b.CreateAnd(team.member(), static_cast<std::uint64_t>(mask)), b.getInt64(0));
    std::vector<Value *> first, second;
    for (std::size_t i = 0; i < values.size(); ++i) {
      first.push_back(b.CreateSelect(is_upper, others[i], values[i]));
      second.push_back(b.CreateSelect(is_upper, values[i], others[i]));
    }
    values = combine(first, second);
  }
  return values;
}

}  // namespace

std::int64_t reduction_bytes(const Team &team, std::size_t values) {
  return groups_of(team) == 1 ? 0 : groups_of(team) * most_value_bytes * static_cast<std::int64_t>(values);
}

std::vector<Value *> combine_members(llvm::IRBuilderBase &b, Team &team, std::vector<Value *> values, Value *memory,
                                     const Combine &combine) {
  const std::int64_t groups = groups_of(team);
  values = combine_by_exchange(b, team, team.exchanging(), std::move(values), combine);
  if (groups == 1) {
    return values;
  }
  const auto place = [&](std::size_t i, Value *group) {
    Value *slot = b.CreateAdd(group, b.getInt64(i * static_cast<std::uint64_t>(groups)));
    Value *bytes = b.CreateMul(slot, b.getInt64(most_value_bytes));
    return b.CreateInBoundsGEP(b.getInt8Ty(), memory, bytes);
  };
  // One of each group shows what the group has; then all take what there is, as if each were a group.
  const auto width = static_cast<std::uint64_t>(team.exchanging());
  emit_when(b, b.CreateICmpEQ(b.CreateURem(team.member(), b.getInt64(width)), b.getInt64(0)), [&] {
    Value *group = b.CreateUDiv(team.member(), b.getInt64(width));
    for (std::size_t i = 0; i < values.size(); ++i) {
      b.CreateAlignedStore(values[i], place(i, group), llvm::Align(most_value_bytes));
    }
  });
  team.wait(b);
  Value *group = b.CreateURem(team.member(), b.getInt64(static_cast<std::uint64_t>(groups)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = b.CreateAlignedLoad(values[i]->getType(), place(i, group), llvm::Align(most_value_bytes));
  }
  return combine_by_exchange(b, team, groups, std::move(values), combine);
}

}  // namespace bp::emit
