// Buffer sets: values that will lie in one slice. Starts with a set per value; join() puts two sets together unless two
// of their values would be needed there at the same time. Each set knows its occupied stretches of the timeline; the
// smaller set is put into the larger, so that any sequence of joins is near linear.
//
// A value may begin at the very tick at which another ends if its instruction overwrites its operands. A copy that is
// going to be removed holds the same content as its source: those two may overlap in time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/buffers/alias.h"
#include "core/buffers/live_range.h"

namespace bp::buffers {

class BufferSets {
 public:
  // Where a set must lie, if anywhere: numbers of allocations by kind; -1: not there.
  struct Place {
    std::int64_t input = -1, output = -1;
    bool read_only = false;    // a constant, or a parameter that is not donated
    std::int64_t preset = -1;  // the offset in temporary memory that is demanded
    bool is_free() const { return input < 0 && output < 0 && !read_only && preset < 0; }
  };
  enum class Obstacle {
    Overlap,    // `first` and `second` are needed at the same time
    ReadOnly,   // one is a constant or a parameter that is not donated
    TwoPlaces,  // both are bound to places, and not to the same
    Unlike,     // sizes or memory spaces differ
  };
  struct Conflict {
    Obstacle obstacle;
    ValueId first = no_value, second = no_value;  // Overlap: `second` is made while `first` is needed
  };

  // Whether a copy between equal layouts may begin where its source ends. In a plan it may not; but a copy that would
  // lie where its source lies can be removed.
  enum class Copies { Stay, MayGo };
  // The dataflow must outlive this.
  BufferSets(const Dataflow &dataflow, std::span<const LiveRange> ranges, Copies copies = Copies::Stay);

  ValueId find(ValueId value) const;  // the set's representative
  const Place &place(ValueId value) const { return places_[index(find(value))]; }

  // Binds the value's set. A set with an input and an output is one whose parameter is donated to that output.
  std::optional<Conflict> bind_output(ValueId value, std::int64_t output);
  void bind_read_only(ValueId value, std::int64_t input) { set_place(value, {input, -1, true, -1}); }
  void bind_donated(ValueId value, std::int64_t input) { set_place(value, {input, -1, false, -1}); }
  // False if the set is bound to another place already.
  bool bind_preset(ValueId value, std::int64_t offset);
  // Lets the sets of that input and that output be joined.
  void allow_donation(std::int64_t input, std::int64_t output) { donations_.emplace(input, output); }

  // Nothing if they are one set now. A donated parameter is overwritten only by what ends up in its output: its set is
  // joined only with sets that are bound to that output, or, if the program demands the join, may yet be.
  enum class Reason { Demanded, Optional };
  std::optional<Conflict> join(ValueId a, ValueId b, Reason reason = Reason::Optional);
  // The same for a copy and its source, which from then on count as one value if it succeeds.
  std::optional<Conflict> join_copy(ValueId copy, ValueId source);
  bool are_joined(ValueId a, ValueId b) const { return find(a) == find(b); }
  // Whether the value's set has others in it.
  bool is_shared(ValueId value) const { return sizes_[index(find(value))] > 1; }

  // The occupied stretches of the value's set, in order, disjoint; ends exclusive.
  std::vector<std::pair<Tick, Tick>> occupied(ValueId value) const;

 private:
  struct Stretch {
    Tick end = 0;              // exclusive; the next stretch may begin there by overwriting this one in place, one
    Tick needed_end = 0;       // tick before this, the true end
    ValueId first = no_value;  // the value that begins it; others of its content may follow
  };
  using Stretches = std::map<Tick, Stretch>;  // by begin

  void set_place(ValueId value, Place place) { places_[index(find(value))] = place; }
  std::optional<Place> common_place(const Place &a, const Place &b, Reason reason) const;
  bool may_begin_in(ValueId value, const Stretch &before) const;
  std::optional<Conflict> find_overlap(const Stretches &large, const Stretches &small) const;
  ValueId content(ValueId value) const;  // the representative of the values that count as one with it
  void insert(Stretches &stretches, Tick begin, Stretch stretch) const;

  const Dataflow &dataflow_;
  Copies copies_;
  mutable std::vector<ValueId> parents_;
  std::vector<ValueId> contents_;  // a second forest, without path compression, so that a union can be undone
  std::vector<std::uint32_t> content_sizes_;  // by representative of that forest
  std::vector<Place> places_;                 // by representative
  std::vector<std::uint32_t> sizes_;          // by representative
  std::vector<Stretches> stretches_;          // by representative
  std::multimap<std::int64_t, std::int64_t> donations_;
};

}  // namespace bp::buffers
