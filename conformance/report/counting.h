// The cases that count toward a score. A case proves something about a device only if the device has to compute a value
// for it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/report/record.h"

namespace bp::conformance {

// Returns why the cases of an operation do not count, for any device: "one device has nobody to talk to"; empty if they
// count.
std::string_view why_uncounted(std::string_view op);

// Whether the record counts: it is about an operation that counts, was judged, and the device had to compute something.
bool counts(const Record &record);

// The outcomes of cases that count.
struct Share {
  std::size_t passed = 0, failed = 0, unsupported = 0;

  std::size_t all() const { return passed + failed + unsupported; }
  std::size_t claimed() const { return passed + failed; }
  double of_all() const { return all() == 0 ? 0 : static_cast<double>(passed) / static_cast<double>(all()); }
  Share &operator+=(const Share &other);
};
// By operation and element type.
using Shares = std::map<std::pair<std::string, std::string>, Share>;
Shares counted_shares(const Report &report);

}  // namespace bp::conformance
