// A candidate: a file that may be the plugin for a name, as far as it can be known without running its code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/manifest.h"
#include "core/host/x_ray.h"

namespace bp::host {

// A file that was examined.
struct Candidate {
  std::string path;
  std::optional<Manifest> manifest;  // if it could be read
  std::optional<XRay> x_ray;         // if the file passed
  std::optional<Error> refusal;      // why it cannot be loaded, with the path; empty: it can be loaded
  std::optional<Error> distrust;  // how others can replace it (trust.h), with the path; it may be loaded all the same
  std::vector<std::string> warnings;  // for the user who loads it

  // The name in the file's name, libbackplane_NAME.so; empty if it is called otherwise.
  std::string_view name_of_file() const;
  // Whether the name is that of the file or is in its manifest. A file without devices has no name as a backend.
  bool answers_to(std::string_view name) const;
  // The id of the device that the name leads to: the first one if the name is that of the file alone. Only for files
  // whose manifest could be read and has devices.
  const std::string &id_for(std::string_view name) const;
};

}  // namespace bp::host
