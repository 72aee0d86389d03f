// HostServices: the bp_host of one device, and the services behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "backplane/ext/draft/constants.h"
#include "backplane/ext/draft/progress.h"
#include "backplane/ext/log.h"
#include "backplane/ext/thread_pool.h"
#include "backplane/host.h"
#include "core/base/thread_pool.h"
#include "core/host/timelines.h"

namespace bp::host {

// Services that the core offers to devices. The functions may be called from any thread, at any time until the device
// is destroyed; empty functions do nothing, and exceptions from them are ignored.
struct HostOptions {
  std::shared_ptr<ThreadPool> threads;                                        // nullptr: the pool of this process
  std::function<void(std::uint32_t severity, std::string_view message)> log;  // BP_LOG_; empty: warnings to stderr
  std::set<std::string, std::less<>> withdrawn;  // ids of services not to offer, for tests (BP-HOST-01)
};

// Writes a message of a device, or about it, to the log.
void log(const HostOptions &options, std::uint32_t severity, const std::string &message) noexcept;

class HostServices {
 public:
  explicit HostServices(HostOptions options);
  HostServices(const HostServices &) = delete;
  HostServices &operator=(const HostServices &) = delete;

  const bp_host_t *abi() const { return &abi_; }
  // The timelines that bp_host.signal advances.
  Timelines &timelines() const { return timelines_; }

 private:
  static const HostServices &of(const bp_host_t *host) { return *static_cast<const HostServices *>(host->host_data); }
  static const void *get_extension(const bp_host_t *host, const char *id) noexcept;
  static void signal(const bp_host_t *host, bp_point_t point, bp_status status, std::uint32_t instruction,
                     const char *message) noexcept;
  static void log(const bp_host_t *host, std::uint32_t severity, const char *message) noexcept;
  static std::uint32_t thread_count(const bp_host_t *host) noexcept;
  static void parallel(const bp_host_t *host, std::uint32_t count, bp_parallel_body body, void *context) noexcept;

  static bp_status progress(const bp_host_t *host, const bp_diag_t *diag, std::uint64_t done,
                            std::uint64_t total) noexcept;
  static bp_status constant(const bp_host_t *host, const bp_diag_t *diag, std::uint32_t allocation, const void **data,
                            std::uint64_t *size) noexcept;

  static constexpr bp_host_log_t log_service = {&HostServices::log};
  static constexpr bp_host_threads_t thread_service = {&HostServices::thread_count, &HostServices::parallel};
  static constexpr bp_host_progress_t progress_service = {&HostServices::progress};
  static constexpr bp_host_constants_t constant_service = {&HostServices::constant};

  HostOptions options_;
  bp_host_t abi_;
  mutable Timelines timelines_;
};

// Returns the thread pool of this process, shared by all users without a pool of their own.
const std::shared_ptr<ThreadPool> &process_thread_pool();

}  // namespace bp::host
