// Signals that a device may send, and signals that it must not send.
#include "core/host/timelines.h"

#include <catch2/catch.hpp>
#include <thread>

namespace bp::host {

TEST_CASE("a timeline only grows, and a failure stays") {
  Timelines timelines;
  const std::uint64_t line = timelines.create(), other = timelines.create();
  timelines.signal({line, 2}, BP_OK, BP_NONE, "");
  CHECK(timelines.has_reached({line, 1}));
  CHECK_FALSE(timelines.has_reached({line, 3}));
  CHECK_FALSE(timelines.has_reached({other, 1}));
  timelines.signal({line, 4}, BP_DEVICE_LOST, 7, "gone");
  timelines.signal({line, 6}, BP_OK, BP_NONE, "");
  CHECK(timelines.wait({line, 3})->status == BP_OK);  // before the failure
  CHECK(timelines.wait({line, 4})->instruction == 7);
  CHECK(timelines.wait({line, 6})->message == "gone");
}

TEST_CASE("signals of unknown points have no effect") {
  Timelines timelines;
  const std::uint64_t line = timelines.create();
  timelines.signal({line + 1, 1}, BP_OK, BP_NONE, "");
  timelines.signal({line, 1}, BP_OK, BP_NONE, "");
  timelines.signal({line, 1}, BP_INTERNAL, BP_NONE, "again");
  CHECK(timelines.wait({line, 1})->status == BP_OK);
  CHECK_FALSE(timelines.wait({line + 1, 1}).has_value());
  timelines.destroy(line);
  timelines.signal({line, 2}, BP_OK, BP_NONE, "");
  CHECK_FALSE(timelines.has_reached({line, 1}));
}

TEST_CASE("a waiting thread wakes up when the point is reached or the timeline is destroyed") {
  Timelines timelines;
  const std::uint64_t line = timelines.create();
  std::thread device([&] { timelines.signal({line, 1}, BP_OK, BP_NONE, ""); });
  CHECK(timelines.wait({line, 1}).has_value());
  device.join();
  std::thread owner([&] { timelines.destroy(line); });
  CHECK_FALSE(timelines.wait({line, 2}).has_value());
  owner.join();
}

}  // namespace bp::host
