// Library: the library of a plugin that is loaded in a worker, and the descriptions of its devices.
#pragma once

#include <string>
#include <vector>

#include "core/remote/codec.h"
#include "core/remote/worker.h"

namespace bp::remote {

struct Library {
  bp_status status = BP_INTERNAL;     // of init()
  std::vector<host::Report> reports;  // of init()
  std::string unrestricted;  // why the worker can do what it should not (core/base/restriction.h); may be empty
  bool has_factory = false, has_instances = false;
  std::uint32_t count = 0;  // number of devices that the factory states
  std::vector<const bp_device_desc_t *> descriptions;
  Arena arena;  // of the descriptions

  // Returns the description of a device, or nullptr if there is no such device.
  const bp_device_desc_t *description(std::string_view id) const;
};

// Makes the worker load the library and call init(). Fails if the library cannot be loaded; if init() fails,
// Library::status says so.
Result<Library> start_library(Worker &worker, const std::string &path, const Isolation &isolation);

}  // namespace bp::remote
