// Caller: the information that the side which makes calls has about the memory and the programs in them.
#pragma once

#include "core/layers/interposer.h"
#include "core/remote/wire.h"

namespace bp::remote {

// Threads: all functions may be called from any thread.
class Caller {
 public:
  virtual ~Caller() = default;
  // Returns the location by which the other side knows `place`, or `place` itself if its bytes must be sent.
  virtual bp_loc_t carried(bp_loc_t place) const { return place; }
  // Returns the bytes at a location that this side can read and the other side cannot; nullopt for other locations.
  virtual std::optional<Bytes> visible(bp_loc_t, std::uint64_t /*size*/) const { return std::nullopt; }
  // Return the module from which a program or an artifact was compiled, or nullptr if that is not known.
  virtual const bp_module_t *module_of(const layers::LayeredProgram &) const { return nullptr; }
  virtual const bp_module_t *module_of(Bytes /*artifact*/) const { return nullptr; }
};

}  // namespace bp::remote
