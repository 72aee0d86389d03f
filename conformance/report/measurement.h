// A measured time with its uncertainty, and its comparison with an earlier report.
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
  std::string what;    // the program measured, where the case leaves it open: "dot f32[512,512]"
  double seconds = 0;  // median
  double spread = 0;   // median of the absolute deviations from `seconds`
  double least = 0;    // the fastest run
  std::size_t runs = 0;
  bool is_of_device = false;  // by the device's clock (bp.profile/draft-1); otherwise by wall-clock time
  // Median time of a fixed piece of work on the host, done between the runs: how busy the machine was. 0: not measured.
  double reference_seconds = 0;
  // Bytes that one run moves and operations that it computes, derived from the shapes of the program.
  double bytes = 0, operations = 0;
  std::optional<Development> development = {};
};

// Returns Slower or Faster only if the difference is beyond the noise of both, for the median and for the fastest run,
// and if a busier or idler machine does not explain it. Where the sizes of the programs differ, times per byte and per
// operation are compared.
Change compare(const Measurement &now, const Measurement &earlier);

}  // namespace bp::conformance
