// Loading backends, and listing those that there are, from C.
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/lexical_cast/try_lexical_convert.hpp>
#include <optional>
#include <span>

#include "core/backplane.h"
#include "core/c/objects.h"
#include "core/host/discovery.h"

namespace {

using bp::Result;
using bp::Status;
using bp::c::call;
using bp::c::expect_given;

// Removes an option from those for the backend, and returns its value.
std::optional<std::string> take(bp::BackendOptions &options, std::string_view key) {
  const auto found = std::ranges::find(options.settings, key, [](const auto &setting) { return setting.first; });
  if (found == options.settings.end()) {
    return std::nullopt;
  }
  std::string value = std::move(found->second);
  options.settings.erase(found);
  return value;
}

// Handles "threads", which is not the backend's own option.
Status take_threads(bp::BackendOptions &options) {
  const auto threads = take(options, "threads");
  if (threads.has_value() && (!boost::conversion::try_lexical_convert(*threads, options.thread_count) ||
                              threads->starts_with('-') || options.thread_count > bp::BackendOptions::max_threads)) {
    return bp::invalid_input("option threads is '{}', expected a number of at most {}, or 0", *threads,
                             bp::BackendOptions::max_threads);
  }
  return {};
}

// Handles "isolate" and what belongs to it, which are not the backend's own options either.
Status take_isolation(bp::BackendOptions &options) {
  const auto isolate = take(options, "isolate"), memory = take(options, "isolate-memory"),
             strict = take(options, "isolate-strict");
  if (!isolate.has_value()) {
    return !memory.has_value() && !strict.has_value()
               ? Status()
               : bp::invalid_input("option {} is given, expected option isolate too",
                                   memory.has_value() ? "isolate-memory" : "isolate-strict");
  }
  bp::Isolation isolation;
  if (!boost::conversion::try_lexical_convert(*isolate, isolation.seconds) || !(isolation.seconds >= 0)) {
    return bp::invalid_input("option isolate is '{}', expected a number of seconds, or 0", *isolate);
  }
  if (memory.has_value() &&
      (!boost::conversion::try_lexical_convert(*memory, isolation.bytes) || isolation.bytes < 1)) {
    return bp::invalid_input("option isolate-memory is '{}', expected a number of bytes", *memory);
  }
  if (strict.has_value() && *strict != "0" && *strict != "1") {
    return bp::invalid_input("option isolate-strict is '{}', expected 0 or 1", *strict);
  }
  isolation.is_strict = strict == "1";
  options.isolation = isolation;
  return {};
}

Status load(const char *name, const bp_option_t *options, std::uint32_t option_count,
            std::function<void(std::uint32_t, std::string_view)> log, backplane_backend **backend) {
  BP_TRY(expect_given(name, "name"));
  BP_TRY(expect_given(backend, "backend"));
  bp::BackendOptions backend_options;
  backend_options.log = std::move(log);
  BP_ASSIGN(backend_options.settings, bp::c::read_options(options, option_count));
  BP_TRY(take_threads(backend_options));
  BP_TRY(take_isolation(backend_options));
  BP_ASSIGN(bp::Backend loaded, bp::Backend::load(name, backend_options));
  *backend = new backplane_backend{std::move(loaded)};
  return {};
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> bp::c::read_options(const bp_option_t *options,
                                                                             std::uint32_t count) {
  std::vector<std::pair<std::string, std::string>> read;
  if (count != 0) {
    BP_TRY(expect_given(options, "options"));
  }
  for (const bp_option_t &option : std::span(options, count)) {
    BP_TRY(expect_given(option.key, "the key of an option"));
    BP_TRY(expect_given(option.value, "the value of an option"));
    read.emplace_back(option.key, option.value);
  }
  return read;
}

bp_status backplane_load(const char *name, const bp_option_t *options, std::uint32_t option_count,
                         const bp_diag_t *errors, backplane_backend **backend) {
  return call(errors, [&] { return load(name, options, option_count, {}, backend); });
}

bp_status backplane_load_with_log(const char *name, const bp_option_t *options, std::uint32_t option_count,
                                  backplane_log_t log, void *data, const bp_diag_t *errors,
                                  backplane_backend **backend) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(reinterpret_cast<const void *>(log), "log"));
    const auto pass_on = [log, data](std::uint32_t severity, std::string_view message) {
      log(data, severity, std::string(message).c_str());
    };
    return load(name, options, option_count, pass_on, backend);
  });
}

void backplane_release_backend(backplane_backend *backend) {
  delete backend;
}

bp_status backplane_list_plugins(void (*receive)(void *data, const backplane_plugin_t *plugin), void *data,
                                 const bp_diag_t *errors) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(reinterpret_cast<const void *>(receive), "receive"));
    for (const bp::host::Candidate &candidate : bp::host::scan(bp::host::plugin_directories())) {
      if (candidate.refusal.has_value()) {
        const std::string name(candidate.name_of_file()), refusal = candidate.refusal->to_string();
        const backplane_plugin_t refused = {name.c_str(), "", "", "", "", candidate.path.c_str(), refusal.c_str()};
        receive(data, &refused);
        continue;
      }
      for (const bp::host::ManifestDevice &device : candidate.manifest->devices) {
        const std::string &name = device.aliases.empty() ? device.id : device.aliases[0];
        const std::string aliases = fmt::format("{}", fmt::join(device.aliases, ","));
        const std::string &version = candidate.manifest->version;
        const backplane_plugin_t plugin = {
            name.c_str(),    device.id.c_str(),      aliases.c_str(), device.name.c_str(),
            version.c_str(), candidate.path.c_str(), nullptr};
        receive(data, &plugin);
      }
    }
    return {};
  });
}
