#include "core/host/candidate.h"

namespace bp::host {

std::string_view Candidate::name_of_file() const {
  constexpr std::string_view prefix = "libbackplane_", suffix = ".so";
  const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
  const bool is_named =
      file.size() > prefix.size() + suffix.size() && file.starts_with(prefix) && file.ends_with(suffix);
  return is_named ? file.substr(prefix.size(), file.size() - prefix.size() - suffix.size()) : std::string_view();
}

bool Candidate::answers_to(std::string_view name) const {
  const bool has_devices = !manifest.has_value() || !manifest->devices.empty();  // a file that is unreadable may have
  return (!name.empty() && name == name_of_file() && has_devices) ||
         (manifest.has_value() && manifest->find(name) != nullptr);
}

const std::string &Candidate::id_for(std::string_view name) const {
  const ManifestDevice *device = manifest->find(name);
  return device != nullptr ? device->id : manifest->devices[0].id;
}

}  // namespace bp::host
