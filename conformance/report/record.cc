#include "conformance/report/record.h"

#include <numeric>

namespace bp::conformance {

std::string_view to_string(CaseStatus status) {
  return case_status_names[static_cast<std::size_t>(status)];
}

bool is_unexpected(CaseStatus status) {
  return status == CaseStatus::Fail || status == CaseStatus::Crashed || status == CaseStatus::TimedOut ||
         status == CaseStatus::UnexpectedPass || status == CaseStatus::Blocked;
}

Verdict failure(std::string message) {
  return {.status = CaseStatus::Fail, .message = std::move(message)};
}

Verdict verdict_of(const Status &status) {
  return status.ok() ? Verdict() : failure(status.error().to_string());
}

std::size_t Totals::cases() const {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t Totals::unexpected() const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < case_status_count; ++i) {
    sum += is_unexpected(static_cast<CaseStatus>(i)) ? counts[i] : 0;
  }
  return sum;
}

}  // namespace bp::conformance
