#include "tools/command/conform_diff.h"

#include <fmt/core.h>

#include <limits>

#include "conformance/report/difference.h"
#include "conformance/runner/session.h"
#include "tools/command/conform_results.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

std::string paint_tone(conformance::Tone tone, std::string_view text) {
  using conformance::Tone;
  return paint(tone == Tone::Bad ? Colour::Red : tone == Tone::Good ? Colour::Green : Colour::Bold, text);
}

}  // namespace

int compare_results(std::span<const std::string> arguments) {
  constexpr std::size_t usually_shown = 20;
  Options options(
      "conform diff OLD NEW [options]",
      "Compares two results of `backplane conform -o FILE`: cases that got worse or better, that became unsupported "
      "or\n"
      "supported, that are new or gone, how many of each stage pass, and what differs between the runs themselves.\n"
      "A regression is a case that passed and does not now, or that was unsupported or expected to fail and is an\n"
      "unexpected result now. Times are compared by `conform NAME --against-report`.\n"
      "Exit codes: 0: no regression; 1: at least one; 2: wrong usage; 3: a report cannot be read or compared.",
      "  backplane conform diff monday.jsonl tuesday.jsonl\n"
      "  backplane conform diff monday.jsonl tuesday.jsonl --all       every case, not the first 20 of each kind\n"
      "  backplane conform diff monday.jsonl tuesday.jsonl --json      one JSON object, with every case\n");
  options.add_positional("files", -1);
  options.add()("all", "show every case that changed, not only the first 20 of each kind")("json",
                                                                                           "print one JSON object");
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  const auto files = options.has("files") ? options.get<std::vector<std::string>>("files") : std::vector<std::string>();
  if (files.size() != 2) {
    return options.misuse(fmt::format("{} files with results were given, expected the old one and the new one",
                                      files.empty() ? "no" : std::to_string(files.size())));
  }
  const auto before = conformance::read_report(results_in(files[0]));
  if (!before.ok()) {
    return report(before.error());
  }
  const auto after = conformance::read_report(results_in(files[1]));
  if (!after.ok()) {
    return report(after.error());
  }
  const auto difference = conformance::compare_reports(*before, *after);
  if (!difference.ok()) {
    return report(difference.error());
  }
  if (options.has("json")) {
    fmt::print("{}\n", conformance::to_json(*difference));
  } else {
    const std::size_t most = options.has("all") ? std::numeric_limits<std::size_t>::max() : usually_shown;
    fmt::print("{}", conformance::to_text(*difference, most, paint_tone));
  }
  return (*difference)[conformance::Turn::Regressed].empty() ? success : negative;
}

}  // namespace bp::command
