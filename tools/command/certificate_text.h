// A plugin's certificate of conformance as text, for people and for programs.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "conformance/runner/certificate.h"

namespace bp::command {

// Returns "17000 passed, 1900 unsupported, 3 failed as expected", with what else there is.
std::string describe_counts(const conformance::Totals &totals);
// Returns "checked on 2026-11-27: acme.jsonl, ...", "claimed: ...", or what is wrong; empty if there is no certificate.
std::string describe(const conformance::Certificate &certificate);
// Returns {"state": "claimed", "report": ..., ...}.
boost::json::object to_json(const conformance::Certificate &certificate);

}  // namespace bp::command
