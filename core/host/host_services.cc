#include "core/host/host_services.h"

#include <cstdio>

#include "core/host/build_configuration.h"
#include "core/host/diagnostics.h"

namespace bp::host {

const std::shared_ptr<ThreadPool> &process_thread_pool() {
  static const auto pool = std::make_shared<ThreadPool>();
  return pool;
}

void log(const HostOptions &options, std::uint32_t severity, const std::string &message) noexcept {
  try {
    if (options.log) {
      options.log(severity, message);
    } else if (severity >= BP_LOG_WARNING) {
      std::fprintf(stderr, "backplane: %s\n", message.c_str());
    }
  } catch (...) {
    // Exceptions are ignored.
  }
}

HostServices::HostServices(HostOptions options)
    : options_(std::move(options)),
      abi_{BP_VERSION_INIT, this, "backplane", core_version, &HostServices::get_extension, &HostServices::signal} {
  if (options_.threads == nullptr) {
    options_.threads = process_thread_pool();
  }
}

const void *HostServices::get_extension(const bp_host_t *host, const char *id) noexcept {
  const std::string_view wanted = id == nullptr ? "" : id;
  if (of(host).options_.withdrawn.contains(wanted)) {
    return nullptr;
  }
  if (wanted == BP_EXT_LOG) {
    return &log_service;
  }
  if (wanted == BP_EXT_THREAD_POOL) {
    return &thread_service;
  }
  if (wanted == BP_EXT_PROGRESS) {
    return &progress_service;
  }
  if (wanted == BP_EXT_CONSTANTS) {
    return &constant_service;
  }
  return nullptr;
}

void HostServices::signal(const bp_host_t *host, bp_point_t point, bp_status status, std::uint32_t instruction,
                          const char *message) noexcept {
  try {
    of(host).timelines_.signal(point, status, instruction, message == nullptr ? std::string() : printable(message));
  } catch (...) {
    // No memory for the message: waiting threads must still wake up.
    of(host).timelines_.signal(point, status, instruction, {});
  }
}

bp_status HostServices::progress(const bp_host_t *, const bp_diag_t *diag, std::uint64_t done,
                                 std::uint64_t total) noexcept {
  return Diagnostics::progress(diag, done, total);
}

bp_status HostServices::constant(const bp_host_t *, const bp_diag_t *diag, std::uint32_t allocation, const void **data,
                                 std::uint64_t *size) noexcept {
  return Diagnostics::constant(diag, allocation, data, size);
}

void HostServices::log(const bp_host_t *host, std::uint32_t severity, const char *message) noexcept {
  try {
    host::log(of(host).options_, severity, message == nullptr ? std::string() : printable(message));
  } catch (...) {
    // There is no memory for the message.
  }
}

std::uint32_t HostServices::thread_count(const bp_host_t *host) noexcept {
  return of(host).options_.threads->size();
}

void HostServices::parallel(const bp_host_t *host, std::uint32_t count, bp_parallel_body body, void *context) noexcept {
  of(host).options_.threads->parallel(count, body, context);
}

}  // namespace bp::host
