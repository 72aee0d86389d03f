// The deadline layer reports calls that do not return, and no others.
#include "core/layers/deadline.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

#include "core/layers/tests/tiny_program.h"

namespace bp::layers {
namespace {

using std::chrono::milliseconds;

std::string what_is_overdue(const host::Layer &slow, milliseconds time) {
  static std::mutex mutex;
  static std::string said;
  said.clear();
  CHECK(run("tiny", {slow, deadline_layer(time, [](const std::string &what) {
                       const std::lock_guard lock(mutex);
                       said += what;
                     })}) == "right");
  const std::lock_guard lock(mutex);
  return said;
}

constexpr milliseconds nap{150};

struct SlowCompile : Interposer {
  using Interposer::Interposer;
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    std::this_thread::sleep_for(nap);
    return Interposer::compiler_compile(device, module, artifact, diag);
  }
};
// The submit returns at once. As for any device, work in progress has ended when the device is destroyed.
struct SlowSignal : Interposer {
  using Interposer::Interposer;
  void device_destroy(LayeredDevice &device) override {
    for (std::thread &thread : threads) {
      thread.join();
    }
    Interposer::device_destroy(device);
  }
  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t, const char *) override {
    threads.emplace_back([&host, point, status] {
      std::this_thread::sleep_for(nap);
      host.below->signal(host.below, point, status, BP_NONE, nullptr);
    });
  }
  std::vector<std::thread> threads;
};

}  // namespace

TEST_CASE("a call that exceeds the deadline is reported once, and continues") {
  CHECK(what_is_overdue(mutant<SlowCompile>(), milliseconds(30)) == "compiler.compile has not come back for 0.03 s");
  CHECK(what_is_overdue(mutant<SlowSignal>(), milliseconds(30)) == "queue.submit was not signalled for 0.03 s");
  CHECK(what_is_overdue(mutant<SlowCompile>(), milliseconds(60'000)).empty());
  CHECK(what_is_overdue(mutant<Interposer>(), milliseconds(60'000)).empty());
}

}  // namespace bp::layers
