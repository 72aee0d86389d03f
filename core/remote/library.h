// Library: a plugin's library in a worker, and what it says of itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/host/diagnostics.h"
#include "core/remote/tables.h"
#include "core/remote/worker.h"

namespace bp::remote {

struct Library {
  bp_status status = BP_INTERNAL;  // of init(), and its reports
  std::vector<host::Report> reports;
  bool has_factory = false;
  std::uint32_t count = 0;  // of devices, as the factory says
  std::vector<std::unique_ptr<Description>> descriptions;

  // Null if there is no such device.
  const bp_device_desc_t *description(std::string_view id) const;
};

// Has the worker load the library and call init(). An error says why there is nothing to call.
Result<Library> start_library(Worker &worker, const std::string &path, const Isolation &isolation);

}  // namespace bp::remote
