// Certificate: the report of the suite that a plugin's manifest names, by file and hash.
//
// A plugin is built with zeros as the report's hash, and judged; then attach_report() writes the hash over them, which
// does not change the plugin's own hash as reports state it (plugin_hash.h).
//
// A certificate shows who made a claim, not that it is true: everybody can write a report. Therefore only a report that
// verify_report() has verified on this machine, by running some of its cases again, counts as checked. A stamp, a small
// file in the user's cache, remembers that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "conformance/report/record.h"
#include "conformance/runner/verification.h"
#include "core/host/candidate.h"

namespace bp::conformance {

// The verification of a report on this machine.
struct Stamp {
  std::string date;       // "2026-11-27", UTC
  std::size_t rerun = 0;  // number of cases that were run again
};

struct Certificate {
  enum class State {
    None,     // the manifest names no report
    Claimed,  // the report belongs to the plugin, and says that nothing unexpected happened
    Checked,  // so it is, and it was verified on this machine
    Wrong,    // `problem` says why it is worth nothing
  };
  State state = State::None;
  std::string report;          // path of the report
  std::string problem;         // what was found, what was expected, and what to do
  Header header;               // Claimed, Checked
  Totals totals;               // Claimed, Checked: the number of cases with each status
  std::optional<Stamp> stamp;  // Checked
  std::string signed_by;       // Claimed, Checked: id of the key that signed the report; empty: none
};
std::string_view to_string(Certificate::State state);

// Checks the certificate of a plugin whose manifest could be read. Reads the plugin's file and the report.
Certificate check_certificate(const host::Candidate &plugin);

// Writes the hash of the report into the manifest of the plugin that it is about, in place of what is there. Fails if
// the result would be Wrong. The file is replaced as a whole, because it may be in use.
Status attach_report(const std::string &report, const std::string &plugin);

// Appends a signature to a report that is complete, whatever its results. It has to be there before attach_report(),
// because it changes the report's hash. Returns the key that signed. InvalidInput: the report is signed already.
Result<PublicKey> sign_report(const std::string &report, const std::string &private_key_file);

// Remembers that this report was verified. Returns the path of the stamp. NotFound: the user has no cache directory.
Result<std::string> write_stamp(const std::string &report, const Verified &verified);

}  // namespace bp::conformance
