// ClientCall: the client's side of one call, with what the client knows of the memory and the programs in it.
#pragma once

#include "core/remote/listing.h"
#include "core/remote/tables.h"
#include "core/remote/usage.h"

namespace bp::remote {

class ClientCall {
 public:
  virtual ~ClientCall() = default;
  // Makes copies of this memory of the application's that the server can address, for the duration of the call. No two
  // uses begin at the same address.
  virtual Status stage(std::span<const MemoryUse>) { return {}; }
  // Returns the location by which the server knows a location; without a handle if it does not know it, so that the
  // bytes are part of the request.
  virtual bp_loc_t remote(bp_loc_t location) const { return location; }
  // Returns the bytes at a location that the client can read and the server cannot; nullopt for other locations.
  virtual std::optional<Bytes> readable(bp_loc_t, std::uint64_t /*size*/) const { return std::nullopt; }
  // Return the module from which a program or an artifact was compiled, or nullptr if that is not known.
  virtual const bp_module_t *module_of(const layers::LayeredProgram &) const { return nullptr; }
  virtual const bp_module_t *module_of(Bytes /*artifact*/) const { return nullptr; }

  Arena arena;
  bool wants_results = false;        // whether results are listed, and modules sent that the server does not need
  Status status;                     // the first error while the request was written
  std::vector<Item> results;         // where the values are that the call computes, as far as the client can read them
  Extensions *extensions = nullptr;  // gets the data of the extension that get_extension() finds
};

}  // namespace bp::remote
