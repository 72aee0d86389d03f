// Buffer sets: sets of values that will share one slice. Each value starts in a set of its own; join() merges two sets
// unless two of their values are needed at the same time. Each set knows its occupied intervals of the timeline; the
// smaller set is merged into the larger, so that any sequence of joins is near linear.
//
// A value may begin at the tick at which another ends if its instruction overwrites its operands. A copy that will be
// removed holds the same content as its source, so those two may overlap in time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/buffers/alias.h"
#include "core/buffers/live_range.h"

namespace bp::buffers {

class BufferSets {
 public:
  // The memory that a set is bound to, if any: leaf numbers of an input and an output; -1: none.
  struct Binding {
    std::int64_t input = -1, output = -1;
    bool read_only = false;    // a constant, or a parameter that is not donated
    std::int64_t preset = -1;  // required offset in temporary memory; -1: none
    bool is_free() const { return input < 0 && output < 0 && !read_only && preset < 0; }
  };
  enum class Obstacle {
    Overlap,      // `first` and `second` are needed at the same time
    ReadOnly,     // one of them is a constant or a parameter that is not donated
    TwoBindings,  // both are bound, to different memory
    Unlike,       // sizes or memory spaces differ
  };
  struct Conflict {
    Obstacle obstacle;
    ValueId first = no_value, second = no_value;  // Overlap: `second` is made while `first` is needed
  };

  // Whether a copy between equal layouts may begin where its source ends. In a plan it may not; but a copy that would
  // share its source's slice can be removed.
  enum class Copies { Fixed, Removable };
  // The dataflow must outlive this.
  BufferSets(const Dataflow &dataflow, std::span<const LiveRange> ranges, Copies copies = Copies::Fixed);

  ValueId find(ValueId value) const;  // returns the representative of its set
  const Binding &binding(ValueId value) const { return bindings_[index(find(value))]; }

  // Binds the value's set. A set with both an input and an output holds a parameter that is donated to that output.
  std::optional<Conflict> bind_output(ValueId value, std::int64_t output);
  void bind_read_only(ValueId value, std::int64_t input) { set_binding(value, {input, -1, true, -1}); }
  void bind_donated(ValueId value, std::int64_t input) { set_binding(value, {input, -1, false, -1}); }
  // Returns false if the set is already bound to other memory.
  bool bind_preset(ValueId value, std::int64_t offset);
  // Allows the sets of that input and that output to be joined.
  void allow_donation(std::int64_t input, std::int64_t output) { donations_.emplace(input, output); }

  // Joins two sets; returns nullopt if they are one set now. A donated parameter may be overwritten only by values that
  // end up in its output: its set is joined only with sets that are bound to that output or, if the program requires
  // the join, are still free.
  enum class Reason { Demanded, Optional };
  std::optional<Conflict> join(ValueId a, ValueId b, Reason reason = Reason::Optional);
  // Joins a copy with its source; if that succeeds, both count as one value from then on.
  std::optional<Conflict> join_copy(ValueId copy, ValueId source);
  bool are_joined(ValueId a, ValueId b) const { return find(a) == find(b); }
  // Whether the value's set contains other values.
  bool is_shared(ValueId value) const { return sizes_[index(find(value))] > 1; }

  // Returns the occupied intervals of the value's set, ascending and disjoint; ends are exclusive.
  std::vector<std::pair<Tick, Tick>> occupied(ValueId value) const;

 private:
  struct Interval {
    Tick end = 0;              // exclusive; if the next interval overwrites this one in place, it begins here
    Tick needed_end = 0;       // exclusive end of the last use: in that case one tick later
    ValueId first = no_value;  // the value that begins the interval; others with the same content may follow
  };
  using Intervals = std::map<Tick, Interval>;  // by begin

  void set_binding(ValueId value, Binding binding) { bindings_[index(find(value))] = binding; }
  std::optional<Binding> common_binding(const Binding &a, const Binding &b, Reason reason) const;
  bool may_begin_in(ValueId value, const Interval &before) const;
  std::optional<Conflict> find_overlap(const Intervals &large, const Intervals &small) const;
  ValueId content(ValueId value) const;  // representative of the values with the same content
  void insert(Intervals &intervals, Tick begin, Interval interval) const;

  const Dataflow &dataflow_;
  Copies copies_;
  mutable std::vector<ValueId> parents_;
  std::vector<ValueId> contents_;  // a second forest, without path compression, so that a union can be undone
  std::vector<std::uint32_t> content_sizes_;  // by representative of that forest
  std::vector<Binding> bindings_;             // by representative
  std::vector<std::uint32_t> sizes_;          // by representative
  std::vector<Intervals> intervals_;          // by representative
  std::multimap<std::int64_t, std::int64_t> donations_;
};

}  // namespace bp::buffers
