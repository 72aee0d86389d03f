#include "core/remote/library.h"

#include "core/host/build_configuration.h"
#include "core/remote/protocol.h"

namespace bp::remote {

const bp_device_desc_t *Library::description(std::string_view id) const {
  for (const bp_device_desc_t *description : descriptions) {
    if (description != nullptr && description->id != nullptr && description->id == id) {
      return description;
    }
  }
  return nullptr;
}

Result<Library> start_library(Worker &worker, const std::string &path, const Isolation &isolation) {
  Writer request;
  request.number(Request::Start);
  request.text(std::string_view(host::core_version));
  request.text(std::string_view(path));
  request.number(isolation.thread_count);
  request.number(std::uint64_t{isolation.withdrawn_services.size()});
  for (const std::string &service : isolation.withdrawn_services) {
    request.text(std::string_view(service));
  }
  const std::optional<std::string> reply = worker.ask(request);
  if (!reply.has_value()) {
    return make_error(ErrorCode::PluginFailure, "{} {} while it was loaded", path, worker.death());
  }
  Reader reader(*reply);
  if (reader.number<Answer>() != Answer::Done) {
    return Error(ErrorCode::PluginFailure, std::string(reader.text()));
  }
  Library library;
  reader.number(library.status);
  for (std::size_t i = reader.count(); i > 0; --i) {
    const auto status = reader.number<bp_status>();
    library.reports.push_back({status, BP_NONE, std::string(reader.text())});
  }
  library.unrestricted = reader.text();
  library.has_factory = reader.number<std::uint8_t>() != 0;
  if (library.has_factory) {
    library.has_instances = reader.number<std::uint8_t>() != 0;
    reader.number(library.count);
    while (!reader.is_at_end()) {
      library.descriptions.push_back(Codec<const bp_device_desc_t *>::read(reader, library.arena));
    }
  }
  BP_TRY(reader.status());
  return library;
}

}  // namespace bp::remote
