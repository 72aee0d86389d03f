// A layer that takes the time of runs where they happen: without the copies before and after, and by the clock of the
// device where it has one to show (bp.profile/1). A simulated device is as fast as it says, not as its simulator is.
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
  // What the runs since the last call took, of which none is in flight. None where no program ran, as for a device that
  // has kernels alone.
  std::optional<Reading> take();

  // To be put on top of the others.
  host::Layer layer();

 private:
  struct State;
  class ClockLayer;
  std::shared_ptr<State> state_ = make_state();
  static std::shared_ptr<State> make_state();
};

}  // namespace bp::conformance
