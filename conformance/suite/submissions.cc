#include "conformance/suite/submissions.h"

#include <chrono>
#include <thread>

#include "core/host/diagnostics.h"

namespace bp::conformance {

Submissions::~Submissions() {
  for (const bp_point_t point : points_) {
    static_cast<void>(signal_of(point));
    device_.timelines().destroy(point.timeline);
  }
}

Result<bp_point_t> Submissions::submit(std::uint32_t queue, std::span<const bp_command_t> commands,
                                       std::uint64_t value) {
  const bp_point_t point{device_.timelines().create(), value};
  const bp_command_t nothing{};  // so that the address is not null
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device_.queue()->submit(device_.abi(), queue, commands.empty() ? &nothing : commands.data(),
                                   static_cast<std::uint32_t>(commands.size()), point, diag);
  });
  if (status != BP_OK) {
    device_.timelines().destroy(point.timeline);
  }
  BP_TRY(diagnostics.result(status, device_.id(), "submit"));
  points_.push_back(point);
  return point;
}

Status Submissions::wait(std::uint32_t queue, bp_point_t point) {
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return device_.native_sync()->wait(device_.abi(), queue, point, diag); });
  return diagnostics.result(status, device_.id(), "wait");
}

Result<host::Signal> Submissions::signal_of(bp_point_t point) {
  constexpr std::chrono::seconds limit(10);
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!device_.timelines().has_reached(point)) {
    if (std::chrono::steady_clock::now() > end) {
      return make_error(ErrorCode::PluginFailure,
                        "BP-SIGNAL-01: point {} of a submission was not signalled within {} seconds", point.value,
                        limit.count());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return device_.timelines().wait(point).value_or(host::Signal{BP_INTERNAL, BP_NONE, "the timeline is lost"});
}

Status Submissions::run(std::uint32_t queue, std::span<const bp_command_t> commands) {
  BP_ASSIGN(const bp_point_t point, submit(queue, commands));
  BP_ASSIGN(const host::Signal signal, signal_of(point));
  return signal.status == BP_OK ? Status()
                                : Status(make_error(ErrorCode::PluginFailure, "a submission fails with {}: {}",
                                                    host::status_name(signal.status), signal.message));
}

}  // namespace bp::conformance
