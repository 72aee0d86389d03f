// Places: lists of memory in calls, the allocations of a run and the operands of a kernel. What lies where the other side
// can reach it is named; of the rest, the bytes travel with the call. Places that are one place stay one.
#pragma once

#include <vector>

#include "core/remote/caller.h"
#include "core/remote/objects.h"

namespace bp::remote {

// Caller's side.
struct Place {
  enum class Use : std::uint8_t {
    Reads,     // and perhaps writes
    Writes,    // what was there does not matter
    Constant,  // as given to load()
    Unknown,   // nobody knows its size
  };
  bp_loc_t location;
  std::uint64_t size;
  Use use;
};
void write_places(Writer &writer, std::span<const Place> places);

// A part of a place that the call writes, and what the caller gets back of it.
struct Slice {
  std::uint32_t place, value;  // `value`: in the module of the call, or BP_NONE
  std::uint64_t offset, size;
};
void write_slices(Writer &writer, std::span<const Slice> slices);
std::vector<Slice> read_slices(Reader &reader);

// The other side: memory for what travelled.
class Places {
 public:
  Places(Reader &reader, const Arrival &arrival);
  Places(const Places &) = delete;
  Places &operator=(const Places &) = delete;

  std::size_t size() const { return locations_.size(); }
  const bp_loc_t *locations() const { return locations_.data(); }
  const bp_loc_t &location(std::size_t place) const { return locations_[place]; }
  // Whether the place takes so many bytes, as far as we can see it.
  bool has_room(std::size_t place, std::uint64_t size) const;
  // The bytes of a slice that lie in memory; empty if they do not, or if there is no such slice.
  Bytes bytes(const Slice &slice) const;

 private:
  std::vector<bp_loc_t> locations_;
  std::vector<std::span<std::byte>> visible_;
  std::vector<Block> blocks_;
};

// Reads over a list.
void skip_places(Reader &reader);

}  // namespace bp::remote
