#include "core/buffers/buffer_sets.h"

#include <algorithm>

namespace bp::buffers {

BufferSets::BufferSets(const Dataflow &dataflow, std::span<const LiveRange> ranges, Copies copies)
    : dataflow_(dataflow), copies_(copies) {
  std::size_t count = ranges.size();
  parents_.resize(count);
  bindings_.resize(count);
  sizes_.assign(count, 1);
  content_sizes_.assign(count, 1);
  intervals_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto value = static_cast<ValueId>(i);
    parents_[i] = value;
    intervals_[i].emplace(ranges[i].begin, Interval{ranges[i].end + 1, ranges[i].end + 1, value});
  }
  contents_ = parents_;
}

ValueId BufferSets::content(ValueId value) const {
  while (contents_[index(value)] != value) {
    value = contents_[index(value)];
  }
  return value;
}

ValueId BufferSets::find(ValueId value) const {
  while (parents_[index(value)] != value) {
    value = parents_[index(value)] = parents_[index(parents_[index(value)])];
  }
  return value;
}

std::optional<BufferSets::Binding> BufferSets::common_binding(const Binding &a, const Binding &b, Reason reason) const {
  if ((a.input >= 0 && b.input >= 0) || (a.output >= 0 && b.output >= 0)) {
    return std::nullopt;
  }
  bool is_preset = a.preset >= 0 || b.preset >= 0;
  if (is_preset && a.preset != b.preset && !a.is_free() && !b.is_free()) {
    return std::nullopt;
  }
  Binding binding = {std::max(a.input, b.input), std::max(a.output, b.output), false, std::max(a.preset, b.preset)};
  if (binding.input >= 0) {
    auto [begin, end] = donations_.equal_range(binding.input);
    bool is_donated = std::any_of(begin, end, [&](const auto &pair) { return pair.second == binding.output; });
    bool may_be_bound_later = reason == Reason::Demanded && binding.output < 0;
    if (!is_donated && !may_be_bound_later) {
      return std::nullopt;
    }
  }
  return binding;
}

std::optional<BufferSets::Conflict> BufferSets::bind_output(ValueId value, std::int64_t output) {
  const Binding &now = binding(value);
  if (now.read_only) {
    return Conflict{Obstacle::ReadOnly, value, value};
  }
  auto binding = common_binding(now, {-1, output, false, -1}, Reason::Optional);
  if (!binding) {
    return Conflict{Obstacle::TwoBindings, value, value};
  }
  set_binding(value, *binding);
  return std::nullopt;
}

bool BufferSets::bind_preset(ValueId value, std::int64_t offset) {
  Binding now = binding(value);
  if (!now.is_free() && now.preset != offset) {
    return false;
  }
  now.preset = offset;
  set_binding(value, now);
  return true;
}

// Whether the instruction that makes `value` may overwrite the interval that ends there: each operand with this content
// must be one that it may overwrite.
bool BufferSets::may_begin_in(ValueId value, const Interval &before) const {
  const Value &made = dataflow_.value(value);
  ir::Instruction instruction = dataflow_.instruction(value);
  if (instruction.opcode() == ir::Opcode::Parameter || instruction.is(ir::Trait::CallsControl)) {
    return false;
  }
  auto allowed = overwritable_operands(instruction, made.position);
  if (copies_ == Copies::Removable && is_identity_copy(instruction)) {
    allowed = {{0, 0}};
  }
  bool is_operand = false;
  for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
    for (const Leaf &leaf : dataflow_.positions().of(instruction.operand(i)).leaves) {
      ValueId operand = dataflow_.value_at(instruction.operands()[i], leaf.position);
      if (content(operand) == content(before.first)) {
        if (std::ranges::find(allowed, OperandPart{i, leaf.position}) == allowed.end()) {
          return false;
        }
        is_operand = true;
      }
    }
  }
  return is_operand;
}

std::optional<BufferSets::Conflict> BufferSets::find_overlap(const Intervals &large, const Intervals &small) const {
  for (const auto &[begin, interval] : small) {
    auto other = large.upper_bound(begin);
    if (other != large.begin()) {
      --other;
    }
    for (; other != large.end() && other->first < interval.end; ++other) {
      if (other->second.end <= begin || content(other->second.first) == content(interval.first)) {
        continue;
      }
      bool other_first = other->first < begin;
      const Interval &before = other_first ? other->second : interval;
      const Interval &after = other_first ? interval : other->second;
      Tick before_begin = other_first ? other->first : begin, after_begin = other_first ? begin : other->first;
      bool touch = before_begin < after_begin && before.needed_end == after_begin + 1;
      if (!touch || !may_begin_in(after.first, before)) {
        return Conflict{Obstacle::Overlap, before.first, after.first};
      }
    }
  }
  return std::nullopt;
}

void BufferSets::insert(Intervals &intervals, Tick begin, Interval interval) const {
  auto next = intervals.lower_bound(begin);
  if (next != intervals.begin()) {
    auto previous = std::prev(next);
    if (previous->second.end > begin) {
      if (content(previous->second.first) == content(interval.first)) {
        begin = previous->first;
        interval.first = previous->second.first;
        interval.end = std::max(interval.end, previous->second.end);
        interval.needed_end = std::max(interval.needed_end, previous->second.needed_end);
        intervals.erase(previous);
      } else {
        previous->second.end = begin;  // overwritten in place
      }
    }
  }
  while (next != intervals.end() && next->first < interval.end) {
    if (content(next->second.first) == content(interval.first)) {
      interval.end = std::max(interval.end, next->second.end);
      interval.needed_end = std::max(interval.needed_end, next->second.needed_end);
      next = intervals.erase(next);
    } else {
      interval.end = next->first;
    }
  }
  intervals.emplace(begin, interval);
}

std::optional<BufferSets::Conflict> BufferSets::join(ValueId a, ValueId b, Reason reason) {
  ValueId large = find(a), small = find(b);
  if (large == small) {
    return std::nullopt;
  }
  const Value &first = dataflow_.value(a), &second = dataflow_.value(b);
  if (first.size != second.size || first.memory_space != second.memory_space) {
    return Conflict{Obstacle::Unlike, a, b};
  }
  const Binding &binding_a = bindings_[index(large)], &binding_b = bindings_[index(small)];
  if (binding_a.read_only || binding_b.read_only) {
    return Conflict{Obstacle::ReadOnly, binding_a.read_only ? a : b, binding_a.read_only ? b : a};
  }
  auto binding = common_binding(binding_a, binding_b, reason);
  if (!binding) {
    return Conflict{Obstacle::TwoBindings, a, b};
  }
  if (intervals_[index(large)].size() < intervals_[index(small)].size()) {
    std::swap(large, small);
  }
  if (auto overlap = find_overlap(intervals_[index(large)], intervals_[index(small)])) {
    return overlap;
  }
  for (const auto &[begin, interval] : intervals_[index(small)]) {
    insert(intervals_[index(large)], begin, interval);
  }
  intervals_[index(small)].clear();
  parents_[index(small)] = large;
  sizes_[index(large)] += sizes_[index(small)];
  bindings_[index(large)] = *binding;
  return std::nullopt;
}

std::optional<BufferSets::Conflict> BufferSets::join_copy(ValueId copy, ValueId source) {
  ValueId large = content(copy), small = content(source);
  if (large == small) {
    return std::nullopt;
  }
  if (content_sizes_[index(large)] < content_sizes_[index(small)]) {
    std::swap(large, small);
  }
  contents_[index(small)] = large;
  auto conflict = join(copy, source);
  if (conflict) {
    contents_[index(small)] = small;
  } else {
    content_sizes_[index(large)] += content_sizes_[index(small)];
  }
  return conflict;
}

std::vector<std::pair<Tick, Tick>> BufferSets::occupied(ValueId value) const {
  std::vector<std::pair<Tick, Tick>> result;
  for (const auto &[begin, interval] : intervals_[index(find(value))]) {
    if (!result.empty() && result.back().second == begin) {
      result.back().second = interval.end;
    } else {
      result.emplace_back(begin, interval.end);
    }
  }
  return result;
}

}  // namespace bp::buffers
