// What a run of the suite found out, as JSON lines: the one source of everything that is shown.
//
// The first line is the header, then comes a record for each case, in the order they ended, and last the totals, which
// also hold the SHA-256 of all lines before. A run that was cut short has no totals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/measurement.h"
#include "core/base/result.h"

namespace bp::conformance {

enum class CaseStatus : std::uint8_t {
  Pass,
  Fail,             // it ran, and what came out is wrong
  Crashed,          // the process died
  TimedOut,         // it was still running at its deadline
  Unsupported,      // the device does not claim it
  ExpectedFailure,  // listed beside the plugin, with a reason
  UnexpectedPass,   // listed, and yet it passes
  Blocked,          // not tried: something it needs has failed
};
inline constexpr std::size_t case_status_count = 8;
std::string_view to_string(CaseStatus status);
// Whether a run with such a case is a failure.
bool is_unexpected(CaseStatus status);

// What one case gave.
struct Verdict {
  CaseStatus status = CaseStatus::Pass;
  std::string message;             // why it is not a pass
  std::string op = {}, type = {};  // what was computed; empty where a case is not about one
  // The largest distance from the expected result, in units in the last place, where that was measured.
  std::optional<double> max_ulp = {};
  // How far away the table of tolerances lets it be: "exact", "4 ulp", "sum"; empty where nothing is compared with.
  std::string allowed = {};
  // Whether it says something about the backend: not where not even the oracle knows the answer.
  bool is_evidence = true;
  // Where the case is about time.
  std::optional<Measurement> measured = {};
};
Verdict failure(std::string message);
// A failure with the error's text if there is one.
Verdict verdict_of(const Status &status);

struct Record {
  std::string id, stage;
  Verdict verdict;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::string rerun;  // the command that runs this case alone
};

struct Header {
  std::string plugin;         // the file; "interpreter"
  std::string plugin_sha256;  // of the file, hexadecimal
  std::string device;         // its id
  std::string device_name, version;
  std::string tier;
  std::string host_version, machine;
  std::string mode;  // quick or full
  std::uint64_t seed = 0;
  std::string selection;                                      // what else was asked for: "--stage ops"
  std::string shard;                                          // "1/4"; empty: all of it
  std::vector<std::pair<std::string, std::string>> settings;  // of the device
  std::vector<std::string> models;                            // files whose pieces are among the programs
  std::string mutant;                                         // the fault that the plugin was given; empty: none
};

struct Totals {
  std::array<std::size_t, case_status_count> counts{};
  double seconds = 0;
  std::string sha256;  // of all lines before; hexadecimal

  std::size_t &operator[](CaseStatus status) { return counts[static_cast<std::size_t>(status)]; }
  std::size_t operator[](CaseStatus status) const { return counts[static_cast<std::size_t>(status)]; }
  std::size_t cases() const;
  std::size_t unexpected() const;
};

struct Report {
  Header header;
  std::vector<Record> records;
  std::optional<Totals> totals;  // none: the run was cut short
};

// One line each, without the newline.
std::string to_json(const Header &header);
std::string to_json(const Record &record);
std::string to_json(const Totals &totals);
// All of it; with its own hash, if it has totals.
std::string to_json_lines(const Report &report);
Result<Record> record_from_json(std::string_view line);
// Messages name the line. Checks the hash in the totals.
Result<Report> report_from_json(std::string_view lines);

std::string sha256_hex(std::string_view bytes);

}  // namespace bp::conformance
