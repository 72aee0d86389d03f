// How fast: what the records of the stage `performance` come to.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

// The most that any program of a kind reached, among the ops too.
struct Peak {
  std::string kind, type;  // "multiply-add" or "dot"; "f32"
  Measurement measured;
  double rate = 0;  // operations per second
};

// An op beside the roofline: no run can be shorter than moving its bytes and doing its operations at the device's peaks.
struct OpSpeed {
  std::string op, type;
  Measurement measured;
  double share = 0;  // of the roofline, by the fastest run: 1 is all there is; 0: no peak to compare with
  bool is_bound_by_memory = true;

  double bytes_per_second() const { return measured.bytes / measured.least; }
  double operations_per_second() const { return measured.operations / measured.least; }
};

struct Figure {
  std::string_view title;
  Measurement measured;
};

struct Performance {
  double bytes_per_second = 0;  // 0: not measured
  std::vector<Peak> peaks;
  std::vector<OpSpeed> ops;
  std::vector<Figure> figures;  // what a call costs, ...
  // What is slower or faster than in the earlier report, beyond the noise; and how many cases were compared.
  std::vector<const Record *> changes;
  std::size_t compared = 0;

  bool is_empty() const { return bytes_per_second == 0 && peaks.empty() && ops.empty() && figures.empty(); }
};
// Points into the report.
Performance performance_of(const Report &report);
// 0 if nothing was compared with the roofline.
double median_share(const Performance &performance);

// Three digits and a unit: "12.3 us", "80.1 G".
std::string format_seconds(double seconds);
std::string format_rate(double per_second);
// "add f32" of a case about an op or a peak, else what comes after the stage.
std::string title_of(const Record &record);
// "1.8 times as long (12 us, was 6.7 us)".
std::string describe_change(const Measurement &measured);

}  // namespace bp::conformance
