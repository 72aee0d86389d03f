#include "conformance/report/measurement.h"

#include <algorithm>
#include <array>

namespace bp::conformance {
namespace {

constexpr std::array<std::string_view, 3> names = {"same", "slower", "faster"};

// Two medians differ if they are at least this many deviations apart, and by at least this factor.
constexpr double deviations = 3, min_factor = 1.1;
constexpr double min_spread = 0.03;             // for wall-clock time: noise that a few runs in a row do not show
constexpr double deviation_of_spread = 1.4826;  // standard deviation divided by `spread`, for a normal distribution

// Returns the work of a run, in a unit that cancels out.
double work_of(const Measurement &measurement) {
  return std::max({measurement.operations, measurement.bytes, 1.0});
}

// Whether the median and the fastest run are slower by more than the noise. However large the noise, the true median is
// not below the fastest run.
bool is_slower(const Measurement &now, const Measurement &earlier, double scale) {
  const auto noise = [](const Measurement &one) {
    const double least = one.is_of_device ? 0 : min_spread * one.seconds;
    return deviations * deviation_of_spread * std::max(one.spread, least);
  };
  return std::max(now.seconds - noise(now), now.least) > scale * (earlier.seconds + noise(earlier)) &&
         now.seconds > min_factor * scale * earlier.seconds && now.least > min_factor * scale * earlier.least;
}

}  // namespace

std::string_view to_string(Change change) {
  return names[static_cast<std::size_t>(change)];
}

Change compare(const Measurement &now, const Measurement &earlier) {
  const double scale = now.what == earlier.what ? 1 : work_of(now) / work_of(earlier);
  const bool has_reference = now.reference_seconds > 0 && earlier.reference_seconds > 0;
  const double machine =
      has_reference ? now.reference_seconds / earlier.reference_seconds : 1;  // above 1: was idler then
  if (is_slower(now, earlier, scale) && is_slower(now, earlier, scale * machine)) {
    return Change::Slower;
  }
  if (is_slower(earlier, now, 1 / scale) && is_slower(earlier, now, 1 / (scale * machine))) {
    return Change::Faster;
  }
  return Change::Same;
}

}  // namespace bp::conformance
