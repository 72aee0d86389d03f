// The results of a run of the suite: the single source of everything that is shown.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/measurement.h"
#include "core/base/result.h"
#include "core/base/signature.h"

namespace bp::conformance {

enum class CaseStatus : std::uint8_t {
  Pass,
  Fail,             // it ran, and its result is wrong
  Crashed,          // the process died
  TimedOut,         // it was still running at its deadline
  Unsupported,      // the device does not claim it
  ExpectedFailure,  // listed in the plugin's expectations file, with a reason
  UnexpectedPass,   // listed there, but it passes
  Blocked,          // not run: something it depends on has failed
  Weak,             // it ran and nothing is wrong, but a faulty device would pass as well
  NotRun,           // left out on purpose: the message says why
};
inline constexpr std::size_t case_status_count = 10;
// Names in the order of the statuses.
inline constexpr std::array<std::string_view, case_status_count> case_status_names = {
    "pass",    "fail", "crashed", "timed_out", "unsupported", "expected_failure", "unexpected_pass",
    "blocked", "weak", "not_run"};
std::string_view to_string(CaseStatus status);
// Whether a case with this status makes the run a failure.
bool is_unexpected(CaseStatus status);

// The result of one case.
struct Verdict {
  CaseStatus status = CaseStatus::Pass;
  std::string message;             // why the status is not Pass
  std::string op = {}, type = {};  // op and element type under test; empty: none
  // Largest distance from the expected result, in units in the last place, where that was measured.
  std::optional<double> max_ulp = {};
  // Distance that the table of tolerances allows: "exact", "4 ulp", "sum"; empty where nothing is compared.
  std::string allowed = {};
  // Whether the verdict says something about the backend; false where not even the oracle knows the answer.
  bool is_evidence = true;
  // Whether the device had nothing to compute: the result has no elements, or the core left it nothing but copies.
  bool is_trivial = false;
  // The measured time, for cases about performance.
  std::optional<Measurement> measured = {};
};
Verdict failure(std::string message);
// Returns a failure with the error's text if there is an error, otherwise a pass.
Verdict verdict_of(const Status &status);

struct Record {
  std::string id, stage;
  Verdict verdict;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::string rerun;  // the command that runs this case alone
};

struct Header {
  std::string plugin;                    // the plugin file, or "interpreter"
  std::string plugin_sha256;             // hash of that file, hexadecimal
  std::string expectations_sha256 = {};  // hash of the list of known failures; empty: there is none
  std::string suite_sha256 = {};         // hash of the program that is the suite and its oracle
  std::string device;                    // id of the device
  std::string device_name, version;
  std::string tier;
  std::string host_version, machine;
  std::string mode;  // "quick" or "full"
  std::uint64_t seed = 0;
  std::string selection;                                      // other options that select cases: "--stage ops"
  std::string shard;                                          // "1/4"; empty: the whole run
  std::vector<std::pair<std::string, std::string>> settings;  // settings of the device
  std::vector<std::string> models;                            // model files whose pieces are among the programs
  std::string mutant;                                         // name of the fault in the plugin; empty: none
  std::string challenge = {};  // the text that, with the plugin, determines the seed (challenge_seed()); empty: none
};

struct Totals {
  std::array<std::size_t, case_status_count> counts{};
  double seconds = 0;
  std::string sha256;  // hash of all lines before, hexadecimal

  std::size_t &operator[](CaseStatus status) { return counts[static_cast<std::size_t>(status)]; }
  std::size_t operator[](CaseStatus status) const { return counts[static_cast<std::size_t>(status)]; }
  std::size_t cases() const;
  std::size_t unexpected() const;
};

struct Report {
  Header header;
  std::vector<Record> records;
  std::optional<Totals> totals;             // none: the run was cut short
  std::optional<Signature> signature = {};  // says who vouches for these lines; none: nobody
};

}  // namespace bp::conformance
