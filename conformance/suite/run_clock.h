// A layer that measures the time of runs inside the plugin: without the copies before and after, and by the device's
// own clock if it has one (bp.profile/draft-1). So a simulated device is as fast as it reports, not as its simulator.
#pragma once

#include <memory>
#include <optional>

#include "core/host/entry.h"

namespace bp::conformance {

class RunClock {
 public:
  struct Reading {
    double seconds = 0;
    bool is_of_device = false;
  };
  // Returns the total time of the runs since the last call; none may be in flight. Returns nothing if no program ran,
  // for example because the device has only kernels.
  std::optional<Reading> take();

  // Returns the layer, which must be on top of the other layers.
  host::Layer layer();

 private:
  struct State;
  class ClockLayer;
  std::shared_ptr<State> state_ = make_state();
  static std::shared_ptr<State> make_state();
};

}  // namespace bp::conformance
