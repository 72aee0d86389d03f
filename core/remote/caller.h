// What the side that makes calls knows of the places and programs in them.
#pragma once

#include "core/layers/interposer.h"
#include "core/remote/wire.h"

namespace bp::remote {

// Threads: all functions from any thread.
class Caller {
 public:
  virtual ~Caller() = default;
  // How the other side is told of a place: a place there, or the place itself if its bytes are to travel.
  virtual bp_loc_t carried(bp_loc_t place) const { return place; }
  // The bytes of a place that lie where we can read them, but the other side cannot.
  virtual std::optional<Bytes> visible(bp_loc_t, std::uint64_t /*size*/) const { return std::nullopt; }
  // What a program was compiled from; null if that is not known.
  virtual const bp_module_t *module_of(const layers::LayeredProgram &) const { return nullptr; }
  virtual const bp_module_t *module_of(Bytes /*artifact*/) const { return nullptr; }
};

}  // namespace bp::remote
