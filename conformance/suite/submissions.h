// Submissions to the queues of a device, made directly by its ABI: each signals a timeline of its own, and is waited
// for with a limit, because a signal that never comes is one of the faults that trials look for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backplane/ext/queue.h"
#include "core/base/result.h"
#include "core/host/plugin.h"
#include "core/host/timelines.h"

namespace bp::conformance {

class Submissions {
 public:
  explicit Submissions(const host::Device &device) : device_(device) {}
  Submissions(const Submissions &) = delete;
  Submissions &operator=(const Submissions &) = delete;
  // Waits for all signals: until then commands may use memory that the caller is about to release.
  ~Submissions();

  // Returns the point that is signalled when the commands are done. `value`: its value on a new timeline.
  Result<bp_point_t> submit(std::uint32_t queue, std::span<const bp_command_t> commands, std::uint64_t value = 1);
  // Makes the next submission to the queue wait for the point (bp.native-sync/1).
  Status wait(std::uint32_t queue, bp_point_t point);
  // Blocks until the point is signalled. PluginFailure if that takes unreasonably long.
  Result<host::Signal> signal_of(bp_point_t point);
  // Submits the commands and waits for them. An error if they fail.
  Status run(std::uint32_t queue, std::span<const bp_command_t> commands);

 private:
  const host::Device &device_;
  std::vector<bp_point_t> points_;
};

}  // namespace bp::conformance
