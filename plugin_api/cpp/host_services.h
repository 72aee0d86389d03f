// The host's services, with a substitute for each that the host does not offer (BP-HOST-01).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "backplane/ext/draft/constants.h"
#include "backplane/ext/draft/progress.h"
#include "backplane/ext/log.h"
#include "backplane/ext/thread_pool.h"
#include "call.h"
#include "result.h"

namespace bp::plugin {

// The services of one host. They are looked up once, in bp_device.init(); copies are cheap.
class HostServices {
 public:
  HostServices() = default;
  explicit HostServices(const bp_host_t *host)
      : host_(host),
        log_(static_cast<const bp_host_log_t *>(host->get_extension(host, BP_EXT_LOG))),
        threads_(static_cast<const bp_host_threads_t *>(host->get_extension(host, BP_EXT_THREAD_POOL))) {}

  const bp_host_t *host() const { return host_; }

  // Shows a line to the user. Does nothing if the host does not offer logging.
  void log(std::uint32_t severity, const char *message) const {
    if (log_ != nullptr) {
      log_->log(host_, severity, message);
    }
  }
  void log(std::uint32_t severity, const std::string &message) const { log(severity, message.c_str()); }

  // Returns the number of bodies of one loop that may run at the same time.
  std::uint32_t thread_count() const { return threads_ != nullptr ? threads_->count(host_) : 1; }

  // Calls body(index, worker) for each index in [0, n), with worker < thread_count(), as bp_host_threads.parallel does.
  // Rethrows the first exception that a body throws; bodies that have not begun by then are skipped.
  template <class Body>
  void parallel(std::uint32_t n, Body &&body) const {
    if (threads_ == nullptr) {
      for (std::uint32_t i = 0; i < n; ++i) {
        body(i, std::uint32_t{0});
      }
      return;
    }
    struct Loop {
      std::remove_reference_t<Body> &body;
      std::atomic<bool> has_thrown = false;
      std::exception_ptr thrown = nullptr;
    } loop{body};
    threads_->parallel(
        host_, n,
        [](void *context, std::uint32_t index, std::uint32_t worker) {
          auto &the = *static_cast<Loop *>(context);
          if (the.has_thrown.load(std::memory_order_relaxed)) {
            return;
          }
          try {
            the.body(index, worker);
          } catch (...) {
            if (!the.has_thrown.exchange(true)) {
              the.thrown = std::current_exception();
            }
          }
        },
        &loop);
    if (loop.thrown) {
      std::rethrow_exception(loop.thrown);
    }
  }

 private:
  const bp_host_t *host_ = nullptr;
  const bp_host_log_t *log_ = nullptr;
  const bp_host_threads_t *threads_ = nullptr;
};

// The progress of one call of compile() or load() (bp.progress/draft-1). Valid during the call. Threads: any.
class Progress {
 public:
  Progress(const bp_host_t *host, const bp_diag_t *diag)
      : host_(host),
        diag_(diag),
        progress_(static_cast<const bp_host_progress_t *>(host->get_extension(host, BP_EXT_PROGRESS))) {}

  // Says that `done` of `total` parts are done. Fails with BP_CANCELLED if the result is not wanted any more.
  Status report(std::uint64_t done, std::uint64_t total) const {
    if (progress_ == nullptr || progress_->report(host_, diag_, done, total) != BP_CANCELLED) {
      return {};
    }
    return Error(BP_CANCELLED, "ended after " + std::to_string(done) + " of " + std::to_string(total) + " parts");
  }

 private:
  const bp_host_t *host_;
  const bp_diag_t *diag_;
  const bp_host_progress_t *progress_;
};

// The contents of constants during one call of compile() (bp.constants/draft-1). Valid during the call. Threads: any.
class Constants {
 public:
  Constants(const bp_host_t *host, const bp_diag_t *diag)
      : host_(host),
        diag_(diag),
        constants_(static_cast<const bp_host_constants_t *>(host->get_extension(host, BP_EXT_CONSTANTS))) {}

  // Returns the bytes of a constant allocation of the module, in the layout of its shape. Empty if the host does not
  // tell: the plugin then does without.
  std::span<const std::byte> content(std::uint32_t allocation) const {
    const void *data = nullptr;
    std::uint64_t size = 0;
    if (constants_ == nullptr || constants_->content(host_, diag_, allocation, &data, &size) != BP_OK) {
      return {};
    }
    return {static_cast<const std::byte *>(data), static_cast<std::size_t>(size)};
  }

 private:
  const bp_host_t *host_;
  const bp_diag_t *diag_;
  const bp_host_constants_t *constants_;
};

// Runs the body of an ABI function that cannot report, such as destroy(). An exception is logged as an error, with
// `prefix` and the name of the function in front of its message.
template <class Body>
void logged(const bp_host_t *host, std::string_view prefix, const char *function, Body &&body) noexcept {
  const Status status = caught([&]() -> Status {
    body();
    return {};
  });
  if (!status.ok()) {
    HostServices(host).log(BP_LOG_ERROR,
                           std::string(prefix) + function + " threw an exception: " + status.error().message());
  }
}

}  // namespace bp::plugin
