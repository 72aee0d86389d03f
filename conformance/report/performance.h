// Summary of the records of the stage `performance`: how fast the device is.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

// The highest rate that any program of a kind reached, including the programs of single ops.
struct Peak {
  std::string kind, type;  // "multiply-add" or "dot"; "f32"
  Measurement measured;
  double rate = 0;  // operations per second
};

// An op compared with the roofline: no run can be shorter than moving its bytes and doing its operations at the
// device's peak rates.
struct OpSpeed {
  std::string op, type;
  Measurement measured;
  double share = 0;  // fraction of the roofline that the fastest run reaches; 0: no peak to compare with
  bool is_bound_by_memory = true;

  double bytes_per_second() const { return measured.bytes / measured.least; }
  double operations_per_second() const { return measured.operations / measured.least; }
};

struct Figure {
  std::string_view title;
  Measurement measured;
};

struct Performance {
  double bytes_per_second = 0;  // peak memory bandwidth; 0: not measured
  std::vector<Peak> peaks;
  std::vector<OpSpeed> ops;
  std::vector<Figure> figures;  // costs of calls and the like
  // Cases that are slower or faster than in the earlier report, beyond the noise, and the number of cases compared.
  std::vector<const Record *> changes;
  std::size_t compared = 0;

  bool is_empty() const { return bytes_per_second == 0 && peaks.empty() && ops.empty() && figures.empty(); }
};
// Summarizes a report; the result points into the report.
Performance performance_of(const Report &report);
// Returns 0 if nothing was compared with the roofline.
double median_share(const Performance &performance);

// These format a number with three digits and a unit: "12.3 us", "80.1 G".
std::string format_seconds(double seconds);
std::string format_rate(double per_second);
// Returns "add f32" for a case about an op or a peak, otherwise the part of its id after the stage.
std::string title_of(const Record &record);
// Returns "1.8 times as long (12 us, was 6.7 us)".
std::string describe_change(const Measurement &measured);

}  // namespace bp::conformance
