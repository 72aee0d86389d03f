// The comparison of two reports: what a new version of a plugin, of the suite or of a machine has changed.
//
// A case gets worse if it loses rank: a pass is better than a case that proves nothing (unsupported, expected to fail),
// and that is better than an unexpected result. A case that was left out or blocked in one of the reports was not
// judged there, so nothing is known about it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"

namespace bp::conformance {

// A property of the runs that differs: "seed", "0", "7".
struct HeaderDifference {
  std::string name, old_value, new_value;
};

// A case with two outcomes. The records belong to the reports; nullptr: that report does not have the case.
struct CaseDifference {
  const Record *before = nullptr, *after = nullptr;
  const Record &any() const { return after != nullptr ? *after : *before; }
};

// A change of a case's outcome. They are shown in this order.
enum class Turn : std::uint8_t {
  Regressed,          // its outcome is worse now, and it was judged in both reports
  Mended,             // its outcome is better now
  BecameUnsupported,  // also among Regressed if it passed
  BecameSupported,    // also among Mended or Regressed, unless it is expected to fail
  NoLongerJudged,     // it is blocked or left out now
  Added,              // only the new report has it, or it was blocked or left out
  Vanished,           // only the old report has it
};
inline constexpr std::size_t turn_count = 7;
// Names for machines, and what people read, in the order of the turns.
inline constexpr std::array<std::string_view, turn_count> turn_names = {
    "regressions", "mended", "became_unsupported", "became_supported", "no_longer_judged", "new", "vanished"};
inline constexpr std::array<std::string_view, turn_count> turn_titles = {
    "regressed", "mended", "became unsupported", "became supported", "no longer judged", "new", "vanished"};

// The counts of one stage, or of all.
struct StageDifference {
  std::string name;
  std::size_t before = 0, after = 0;                // number of cases
  std::size_t passed_before = 0, passed_after = 0;  // those that pass
  std::array<std::size_t, turn_count> turns{};
};

struct Difference {
  const Report *before = nullptr, *after = nullptr;
  std::vector<HeaderDifference> header;
  std::array<std::vector<CaseDifference>, turn_count> turns;  // each in the order of the cases
  std::vector<StageDifference> stages;                        // in the order of the new report, then of the old one
  StageDifference total;

  const std::vector<CaseDifference> &operator[](Turn turn) const { return turns[static_cast<std::size_t>(turn)]; }
};

// Compares two whole reports, which must outlive the result. InvalidInput: a report has no totals, or they are
// different shards, or they have no case in common.
Result<Difference> compare_reports(const Report &before, const Report &after);

// How a part of the text is meant: the tool colours it.
enum class Tone : std::uint8_t { Good, Bad, Title };
// Returns the text for people, with at most `most` cases of each kind.
std::string to_text(const Difference &difference, std::size_t most,
                    const std::function<std::string(Tone, std::string_view)> &paint);
// Returns one JSON object with all cases that have changed.
std::string to_json(const Difference &difference);

}  // namespace bp::conformance
