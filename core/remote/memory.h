// Memory in calls, such as the allocations of a run and the operands of a kernel. Memory that the server can address is
// sent as an id and an offset; of other memory, the bytes are part of the request. Uses of the same address get the
// same location on the server.
#pragma once

#include <vector>

#include "core/remote/client_call.h"
#include "core/remote/objects.h"

namespace bp::remote {

// Writes the memory of a call, and adds its results to the call.
void write_memory(Writer &writer, ClientCall &call, const Usage &usage);

// The memory of a call on the server, with blocks for the bytes that were part of the request.
class ReceivedMemory {
 public:
  ReceivedMemory(Reader &reader, const ReceivedCall &call);
  ReceivedMemory(const ReceivedMemory &) = delete;
  ReceivedMemory &operator=(const ReceivedMemory &) = delete;

  std::size_t size() const { return locations_.size(); }
  const bp_loc_t *locations() const { return locations_.data(); }
  bp_loc_t location(std::size_t use) const { return use < size() ? locations_[use] : bp_loc_t{}; }
  // Whether the memory holds `size` bytes. True if this process cannot address it.
  bool holds(std::size_t use, std::uint64_t size) const;
  // Checks that the memory is what the call uses, unless it is only listed, and adds its results to the call.
  void check(Reader &reader, const Usage &usage, ReceivedCall &call) const;

 private:
  struct Region {
    bp_loc_t location{};
    std::span<std::byte> visible;  // empty if this process cannot address it
  };
  // Read the next region, in each of the forms in which write_memory() describes one.
  Region read_region(Reader &reader, const ReceivedCall &call);
  static Region read_named(Reader &reader, const ReceivedCall &call);
  Region read_same(Reader &reader) const;
  Region constant(Reader &reader, const ReceivedCall &call) const;
  Region make_block(const ReceivedCall &call, std::size_t size);
  Bytes bytes(const CallResult &result) const;  // empty if this process cannot address them

  std::vector<bp_loc_t> locations_;  // of the regions read so far
  std::vector<std::span<std::byte>> visible_;
  std::vector<Block> blocks_;
};

// Write and read the bytes of results, after the call. They are read into `results`.
void write_results(Writer &writer, std::span<const Item> results);
void read_results(Reader &reader, std::vector<Item> &results);

}  // namespace bp::remote
