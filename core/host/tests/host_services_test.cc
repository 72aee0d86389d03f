// The core's services, from the point of view of plugins.
#include "core/host/host_services.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

#include "core/base/thread_pool.h"

namespace bp::host {
namespace {

// Records what the bodies of a loop observe.
struct Loop {
  explicit Loop(std::uint32_t count, std::uint32_t workers) : visits(count), active(workers) {}
  static void body(void *ctx, std::uint32_t index, std::uint32_t worker) {
    auto &self = *static_cast<Loop *>(ctx);
    ++self.visits[index];
    if (worker >= self.active.size() || self.active[worker].fetch_add(1) != 0) {
      self.collided = true;
    } else {
      self.active[worker].fetch_sub(1);
    }
  }
  std::vector<std::atomic<int>> visits, active;
  std::atomic<bool> collided = false;
};

}  // namespace

TEST_CASE("BP-THREADS-01, BP-PARALLEL-02: loops on the host's threads call each body once, with workers of their own") {
  for (const std::uint32_t size : {1u, 2u, 5u}) {
    HostOptions options;
    options.threads = std::make_shared<ThreadPool>(size);
    const HostServices services(std::move(options));
    const bp_host_t *host = services.abi();
    const auto *threads = static_cast<const bp_host_threads_t *>(host->get_extension(host, BP_EXT_THREAD_POOL));
    REQUIRE(threads != nullptr);
    CHECK(threads->count(host) == size);
    for (const std::uint32_t count : {0u, 1u, 3u, 500u}) {
      Loop loop(count, size);
      threads->parallel(host, count, Loop::body, &loop);
      CHECK(std::ranges::count_if(loop.visits, [](const std::atomic<int> &visits) { return visits == 1; }) == count);
      CHECK_FALSE(loop.collided);
    }
    CHECK(threads->count(host) == size);
  }
}

}  // namespace bp::host
