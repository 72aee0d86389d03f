#include "tools/command/conform_coverage.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "conformance/runner/session.h"
#include "conformance/suite/instruction_coverage.h"
#include "tools/command/conform_results.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;
using conformance::OpCoverage;

constexpr std::size_t usually_shown = 3;  // missing classes of an operation

double percent(const OpCoverage &row) {
  return row.kinds == 0 ? 100 : 100 * static_cast<double>(row.covered) / static_cast<double>(row.kinds);
}

OpCoverage sum_of(const std::vector<OpCoverage> &rows) {
  OpCoverage sum{ir::Opcode::Invalid};
  for (const OpCoverage &row : rows) {
    sum.kinds += row.kinds;
    sum.covered += row.covered;
  }
  return sum;
}

std::string words_of_missing(const OpCoverage &row, std::size_t shown) {
  std::vector<std::string> words;
  for (const auto &[name, count] : row.missing) {
    if (words.size() == shown) {
      words.push_back("...");
      break;
    }
    words.push_back(fmt::format("{} ({})", name, count));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string page_of_coverage(const std::vector<OpCoverage> &rows, const std::string &what, std::size_t shown) {
  const OpCoverage sum = sum_of(rows);
  std::string page = fmt::format(
      "# Kinds of instructions\n\n{}: {:.1f} % of the kinds of instructions, {} of {}. A kind is an operation with an\n"
      "element type, a class of attributes, and a range of sizes: the largest array has one element, up to 64, up to\n"
      "4,096, or more.\n\n| operation | kinds | covered | % | not covered (kinds) |\n|---|---:|---:|---:|---|\n",
      what, percent(sum), sum.covered, sum.kinds);
  for (const OpCoverage &row : rows) {
    page += fmt::format("| {} | {} | {} | {:.0f} | {} |\n", ir::to_string(row.opcode), row.kinds, row.covered,
                        percent(row), words_of_missing(row, shown));
  }
  return page;
}

std::string text_of_coverage(const std::vector<OpCoverage> &rows, const std::string &what, std::size_t shown) {
  std::string text =
      fmt::format("{}\n{:<24}{:>8}{:>9}{:>6}  {}\n", what, "operation", "kinds", "covered", "%", "not covered (kinds)");
  const auto add = [&](std::string_view name, const OpCoverage &row) {
    text += fmt::format("{:<24}{:>8}{:>9}{:>6.1f}  {}\n", name, row.kinds, row.covered, percent(row),
                        words_of_missing(row, shown));
  };
  for (const OpCoverage &row : rows) {
    add(ir::to_string(row.opcode), row);
  }
  add("all", sum_of(rows));
  return text;
}

std::string json_of_coverage(const std::vector<OpCoverage> &rows) {
  boost::json::array all;
  for (const OpCoverage &row : rows) {
    boost::json::object missing;
    for (const auto &[name, count] : row.missing) {
      missing[name] = count;
    }
    boost::json::object one;
    one["op"] = ir::to_string(row.opcode);
    one["kinds"] = row.kinds;
    one["covered"] = row.covered;
    one["missing"] = std::move(missing);
    all.push_back(std::move(one));
  }
  return boost::json::serialize(all) + "\n";
}

}  // namespace

int show_coverage(std::span<const std::string> arguments) {
  Options options(
      "conform coverage [FILE] [options]",
      "Counts which kinds of instructions the cases of a run consist of: operations, classes of their attributes,\n"
      "element types and sizes. With results of `backplane conform -o FILE`, only the cases that passed count; "
      "without,\n"
      "all that a run has. Runs nothing.",
      "  backplane conform coverage acme.jsonl              what this device has shown\n"
      "  backplane conform coverage --full --seed 7         what a full run with this seed would show\n"
      "  backplane conform coverage --full --all            every class that is not covered, not the first 3\n"
      "  backplane conform coverage --json | jq '.[] | select(.covered < .kinds)'\n");
  options.add_positional("file", 1);
  options.add()("quick", "the cases of the quick run, which is the default")("full", "those of the full run")(
      "seed", po::value<std::uint64_t>()->default_value(0), "seed of the run")(
      "all", "show every class that is not covered, not only the first 3")("json", "print JSON")("markdown",
                                                                                                 "print a page");
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  conformance::Choice choice;
  choice.name = "interpreter";
  choice.seed = options.get<std::uint64_t>("seed");
  choice.mode = options.has("full") ? conformance::Mode::Full : conformance::Mode::Quick;
  std::vector<std::string> ids;
  std::string what = fmt::format("The {} run with seed {}", options.has("full") ? "full" : "quick", choice.seed);
  if (options.has("file")) {
    for (const char *of_plan : {"quick", "full", "seed"}) {
      if (options.is_given(of_plan)) {
        return options.misuse(fmt::format("the results say how they were made, expected no --{}", of_plan));
      }
    }
    const std::string file = options.get<std::string>("file");
    const auto results = conformance::read_report(results_in(file));
    if (!results.ok()) {
      return report(results.error());
    }
    choice.seed = results->header.seed;
    what = fmt::format("{}, passed by {}", file, results->header.device);
    for (const conformance::Record &record : results->records) {
      if (record.verdict.status == conformance::CaseStatus::Pass) {
        ids.push_back(record.id);
      }
    }
  }
  const auto subject = conformance::Subject::find(choice);
  if (!subject.ok()) {
    return report(subject.error());
  }
  if (!options.has("file")) {
    for (const char *stage : {"ops", "attributes"}) {
      std::ranges::move(conformance::find_stage(stage)->list(*subject), std::back_inserter(ids));
    }
  }
  conformance::InstructionCoverage coverage;
  for (const std::string &id : ids) {
    coverage.add(*subject, id);
  }
  const std::vector<OpCoverage> rows = coverage.rows();
  const std::size_t shown = options.has("all") ? std::size_t(-1) : usually_shown;
  fmt::print("{}", options.has("json")       ? json_of_coverage(rows)
                   : options.has("markdown") ? page_of_coverage(rows, what, shown)
                                             : text_of_coverage(rows, what, shown));
  return success;
}

}  // namespace bp::command
