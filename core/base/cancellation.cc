#include "core/base/cancellation.h"

#include <algorithm>

namespace bp {

std::shared_ptr<Cancellation> Cancellation::after(double seconds) {
  constexpr double century = 3.2e9;
  return std::make_shared<Cancellation>(
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::clamp(seconds, 0.0, century))));
}

Status Cancellation::check() const {
  if (is_cancelled_.load(std::memory_order_relaxed)) {
    return make_error(ErrorCode::Cancelled, "cancelled by the caller");
  }
  if (is_late()) {
    return make_error(ErrorCode::DeadlineExceeded, "not done by its deadline");
  }
  return {};
}

}  // namespace bp
