// Places: lists of memory locations in calls, such as the allocations of a run and the operands of a kernel. Memory
// that the other side can address is sent as an id and an offset; the bytes of other memory are sent with the call.
// Places with the same location get the same location on the other side.
#pragma once

#include <vector>

#include "core/remote/caller.h"
#include "core/remote/objects.h"

namespace bp::remote {

// A memory location on the caller's side.
struct Place {
  enum class Use : std::uint8_t {
    Reads,     // read, and perhaps written
    Writes,    // only written: the previous content does not matter
    Constant,  // the constant that was given to load()
    Unknown,   // the size is not known
  };
  bp_loc_t location;
  std::uint64_t size;
  Use use;
};
void write_places(Writer &writer, std::span<const Place> places);

// A part of a place that the call writes and whose bytes the caller gets back.
struct Slice {
  std::uint32_t place, value;  // `value`: value id in the module of the call, or BP_NONE
  std::uint64_t offset, size;
};
void write_slices(Writer &writer, std::span<const Slice> slices);
std::vector<Slice> read_slices(Reader &reader);

// The places on the side that receives a call, with memory for the bytes that were sent.
class Places {
 public:
  Places(Reader &reader, const Arrival &arrival);
  Places(const Places &) = delete;
  Places &operator=(const Places &) = delete;

  std::size_t size() const { return locations_.size(); }
  const bp_loc_t *locations() const { return locations_.data(); }
  const bp_loc_t &location(std::size_t place) const { return locations_[place]; }
  // Whether the place has room for `size` bytes. True if this process cannot address the place.
  bool has_room(std::size_t place, std::uint64_t size) const;
  // Returns the bytes of a slice; empty if this process cannot address them or there is no such slice.
  Bytes bytes(const Slice &slice) const;

 private:
  std::vector<bp_loc_t> locations_;
  std::vector<std::span<std::byte>> visible_;
  std::vector<Block> blocks_;
};

// Skips a list of places.
void skip_places(Reader &reader);

}  // namespace bp::remote
