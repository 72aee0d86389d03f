#include "conformance/suite/case_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "conformance/suite/op_case.h"
#include "conformance/suite/stage.h"

namespace bp::conformance {
namespace {

// The meaning of a part of an id.
struct Meaning {
  std::string_view part, words;
};
constexpr Meaning meanings_of_values[] = {
    {"random", "of ordinary size, indices in range"},
    {"edge",
     "pairs of zeros of both signs, subnormals, infinities, NaN, ties, the largest; of integers minimum, "
     "maximum, 0 and -1; indices out of range"},
    {"every", "every value of the type"},
    {"least", "mostly the smallest integer of the type"},
    {"small", "integers from -3 to 3, whose sums are exact in any order"},
    {"wide", "integers of many digits in one operand, whose sums are exact in any order"},
    {"rare", "integers from -3 to 3, and one NaN or infinity"},
    {"negative", "random negative values"},
    {"uniform", "operands whose elements are all the same"},
    {"most", "mostly the largest integer of the type"},
    {"neutral", "elements that have no effect on what they are reduced to, such as -inf for a maximum"},
    {"alike", "numbers that differ in their last bits alone, and one that differs in another bit"},
    {"ordered", "random values in ascending or descending order"},
};
// The last part of an id, or of one whose last part is a number.
constexpr Meaning meanings_of_ends[] = {
    {"buffers/end", "nothing is written past the end of a buffer, and inputs and constants are not written at all"},
    {"buffers/start", "nothing is written before the start of a buffer"},
    {"buffers/elsewhere", "results do not depend on addresses"},
    {"buffers/again", "results do not depend on what ran before or what memory held"},
    {"buffers/result", "results in memory of the caller are right"},
    {"buffers/similar", "results do not depend on a run before whose inputs differ only in the last or in their order"},
    {"buffers/successor", "results do not depend on a program of the same signature that was destroyed before"},
    {"buffers/larger", "results do not depend on a smaller program that lay in the same memory"},
    {"claims/local", "the claim of an instruction does not depend on unrelated instructions"},
    {"claims/denied", "the program is right when random claims are denied, so that the host runs these parts"},
    {"concurrency/threads", "the same bits when several threads run the program at the same time"},
    {"concurrency/devices", "the same bits on two devices, also after one of them was destroyed"},
    {"concurrency/order", "the same bits when parts of runs are submitted, and observed, in other orders"},
    {"fuzz/graphs", "a random program, compared with the interpreter; the host runs what the device does not claim"},
    {"fuzz/calls", "a random sequence of legal calls"},
    {"identities/edge", "a program that looks as if it could be simplified, on special values"},
    {"identities/random", "a program that looks as if it could be simplified"},
    {"identities/small", "a program that looks as if it could be simplified, on integers whose sums are exact"},
    {"programs/model", "a piece of a model, compared with the interpreter"},
};

template <std::size_t N>
std::string_view meaning_of(const Meaning (&meanings)[N], std::string_view part) {
  const auto found = std::ranges::find(meanings, part, &Meaning::part);
  return found == std::end(meanings) ? std::string_view() : found->words;
}

std::string words_of_op(const OpCase &one) {
  const ShapeClass &shape = one.shape;
  std::string size = shape.name == fixed_shape ? "a program without a size"
                     : shape.size.rank == 0    ? "arrays of rank 0"
                     : shape.size.rank == 2    ? fmt::format("arrays of 3 x {} elements", shape.size.n)
                                               : fmt::format("arrays of {} elements", shape.size.n);
  switch (shape.storage) {
    case Storage::RowMajor: break;
    case Storage::TransposedOperands: size += ", operands stored last dimension first"; break;
    case Storage::TransposedLast: size += ", the last operand stored last dimension first"; break;
    case Storage::TransposedResult: size += ", the result stored last dimension first"; break;
    case Storage::Tiled: size += ", stored in tiles"; break;
  }
  const std::string values =
      shape.name == "sweep"
          ? fmt::format("all values whose highest byte is 0x{:02x}", one.highest_byte)
          : std::string(meaning_of(meanings_of_values, value_names[static_cast<std::size_t>(one.values)]));
  return fmt::format(
      "{}{}{}; {}; operands: {}", one.op->text, one.variant.empty() ? "" : fmt::format(", variant {}", one.variant),
      one.type == ir::ElementType::Invalid ? "" : fmt::format(" on {}", ir::to_string(one.type)), size, values);
}

// Returns the words for a case that is not one of an operation; empty if its name has to do.
std::string words_of_end(std::string_view id) {
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  for (const std::string &part : parts) {
    const std::string name = part.substr(0, part.find('_'));
    if (const std::string_view words = meaning_of(meanings_of_ends, parts[0] + "/" + name); !words.empty()) {
      return std::string(words);
    }
  }
  return "";
}

bool matches_rule(std::string_view cases, std::string_view id) {
  // A pattern of Stage::rules has one '*' at most in each part.
  std::vector<std::string> pattern, parts;
  boost::split(pattern, cases, boost::is_any_of("*"));
  std::size_t at = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t found = id.find(pattern[i], at);
    if (found == std::string_view::npos || (i == 0 && found != 0)) {
      return false;
    }
    at = found + pattern[i].size();
  }
  return pattern.back().empty() || id.ends_with(pattern.back());
}

}  // namespace

std::string explain_allowed(std::string_view allowed) {
  if (allowed == "bits") {
    return "nothing: every bit counts, payloads of NaN too";
  }
  if (allowed == "exact") {
    return "only the correctly rounded result, with the sign of zero; any NaN for NaN";
  }
  if (allowed == "sum") {
    return "n terms in any order: n * eps * (sum of absolute values), where eps is that of f32, also for narrower "
           "types "
           "(f64 and c128: that of f64), and one rounding to the type of the result";
  }
  if (allowed.ends_with(" norm")) {
    return fmt::format("{} eps times the largest element, and one rounding", allowed.substr(0, allowed.find(' ')));
  }
  return allowed.ends_with(" ulp") ? fmt::format("{} units in the last place", allowed.substr(0, allowed.find(' ')))
                                   : std::string(allowed);
}

std::string describe_case(const Subject &subject, const std::string &id) {
  const Stage *stage = stage_of_case(id);
  const auto op = stage->name == "ops" ? OpCase::parse(id) : std::nullopt;
  const std::string words = op ? words_of_op(*op) : words_of_end(id);
  std::string out = fmt::format("stage {}: {}\n", stage->name, stage->summary);
  out += words.empty() ? "" : fmt::format("case: {}\n", words);
  std::vector<std::string> rules;
  for (const TestedRule &row : tested_rules(subject)) {
    if (matches_rule(row.cases, id) && std::ranges::count(rules, row.rule) == 0) {
      rules.push_back(row.rule);
    }
  }
  out += rules.empty() ? "" : fmt::format("rules: {} (docs/rules.md)\n", fmt::join(rules, ", "));
  return out;
}

}  // namespace bp::conformance
