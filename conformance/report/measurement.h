// How long something took, how sure that is, and what has become of it since an earlier report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bp::conformance {

enum class Change : std::uint8_t { Same, Slower, Faster };
std::string_view to_string(Change change);

// A comparison with an earlier report.
struct Development {
  Change change = Change::Same;
  double earlier_seconds = 0;
};

struct Measurement {
  std::string what;    // was measured, where the case leaves it open: "dot f32[512,512]"
  double seconds = 0;  // the median
  double spread = 0;   // the median of the distances from it
  double least = 0;    // the fastest
  std::size_t runs = 0;
  bool is_of_device = false;  // by the clock of the device (bp.profile/1); else by the clock on the wall
  // The median of what a fixed piece of work of the host took, done in between: how busy the machine was. 0: not measured.
  double yardstick = 0;
  // What one run moves, and computes, by the shapes of the program alone.
  double bytes = 0, operations = 0;
  std::optional<Development> development = {};
};

// Slower or faster only if that is beyond the noise of both, for the median and for the fastest, and if a busier or idler
// machine is no explanation. Per byte and operation, where programs differ in size.
Change compare(const Measurement &now, const Measurement &earlier);

}  // namespace bp::conformance
