// The host's services, with a way out where one is not offered (BP-HOST-01).
#pragma once

#include <string>
#include <type_traits>

#include "backplane/ext/log.h"
#include "backplane/ext/thread_pool.h"

namespace bp::plugin {

// Looked up once, in bp_device.init(); copies are cheap.
class HostServices {
 public:
  HostServices() = default;
  explicit HostServices(const bp_host_t *host)
      : host_(host),
        log_(static_cast<const bp_host_log_t *>(host->get_extension(host, BP_EXT_LOG))),
        threads_(static_cast<const bp_host_threads_t *>(host->get_extension(host, BP_EXT_THREAD_POOL))) {}

  const bp_host_t *host() const { return host_; }

  // Lost if the host does not listen.
  void log(std::uint32_t severity, const char *message) const {
    if (log_ != nullptr) {
      log_->log(host_, severity, message);
    }
  }
  void log(std::uint32_t severity, const std::string &message) const { log(severity, message.c_str()); }

  // How many bodies of one loop may run at the same time.
  std::uint32_t thread_count() const { return threads_ != nullptr ? threads_->count(host_) : 1; }

  // body(index, worker) for each index in [0, n), worker < thread_count(); as bp_host_threads.parallel. The body must
  // not throw.
  template <class Body>
  void parallel(std::uint32_t n, Body &&body) const {
    if (threads_ == nullptr) {
      for (std::uint32_t i = 0; i < n; ++i) {
        body(i, std::uint32_t{0});
      }
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    threads_->parallel(
        host_, n,
        [](void *context, std::uint32_t index, std::uint32_t worker) {
          (*static_cast<Plain *>(context))(index, worker);
        },
        const_cast<std::remove_const_t<Plain> *>(&body));
  }

 private:
  const bp_host_t *host_ = nullptr;
  const bp_host_log_t *log_ = nullptr;
  const bp_host_threads_t *threads_ = nullptr;
};

}  // namespace bp::plugin
