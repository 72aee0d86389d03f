// Programs for which vendors' libraries have one routine, and programs that are almost the same
// (conformance/coverage/patterns.h): compared with the interpreter, which has no such routines.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <optional>

#include "conformance/coverage/patterns.h"
#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/trial_stage.h"
#include "conformance/suite/values.h"

namespace bp::conformance {
namespace {

using coverage::Pattern;
using ir::ElementType;

// A case: patterns/NAME/TYPE/NUMBER. The first cases are the pattern itself, each with other values; then each is a
// variant, which differs in one thing after the other, by turns as it is and as one fusion. The seed chooses the first
// of each kind.
struct PatternCase {
  const Pattern *pattern = nullptr;
  ElementType type = ElementType::Invalid;
  std::size_t number = 0;

  static std::optional<PatternCase> parse(std::string_view id) {
    std::vector<std::string> parts;
    boost::split(parts, id, boost::is_any_of("/"));
    if (parts.size() != 4) {
      return std::nullopt;
    }
    const Pattern *pattern = coverage::find_pattern(parts[1]);
    const auto type = ir::element_type_from_string(parts[2]);
    const auto number = number_of_case(id);
    if (pattern == nullptr || !type || !number) {
      return std::nullopt;
    }
    return PatternCase{pattern, *type, *number};
  }
};

constexpr Values values_of_pattern[] = {Values::Small, Values::Rare, Values::Random};
constexpr Values values_of_variants[] = {Values::Small, Values::Random, Values::Rare, Values::Random};
constexpr ElementType types_of_patterns[] = {ElementType::F32, ElementType::BF16, ElementType::F16, ElementType::F64};

// Returns the number of cases in which every variant appears, as it is and as a fusion.
std::size_t count_all(const std::vector<std::vector<ir::Module>> &variants) {
  std::size_t longest = 0;
  for (const auto &of_one_kind : variants) {
    longest = std::max(longest, of_one_kind.size());
  }
  return (2 * longest + 1) * variants.size();
}

// The quick run has a few variants of each kind, and all of the first pattern, which is the most common one.
std::vector<std::string> list_patterns(const Subject &subject) {
  constexpr std::size_t few_of_kind = 2;
  std::vector<std::string> ids;
  for (const Pattern &pattern : coverage::patterns()) {
    for (const ElementType type : types_of_patterns) {
      const auto module = coverage::program_of(pattern, type);
      if (!module.ok() || (!subject.is_full() && type != ElementType::F32)) {
        continue;
      }
      const auto variants = coverage::variants_of(*module);
      const bool has_all = subject.is_full() || &pattern == coverage::patterns().data();
      const std::size_t count = has_all ? count_all(variants) : few_of_kind * variants.size();
      for (std::size_t i = 0; i < std::size(values_of_pattern) + count; ++i) {
        ids.push_back(fmt::format("patterns/{}/{}/{}", pattern.name, ir::to_string(type), i));
      }
    }
  }
  return ids;
}

Result<InstructionTrial> trial_of_patterns(Subject &subject, const std::string &id) {
  const auto one = PatternCase::parse(id);
  if (!one) {
    return invalid_input("there is no case {}", id);
  }
  BP_ASSIGN(ir::Module module, coverage::program_of(*one->pattern, one->type));
  const std::uint64_t seed = subject.seed_of(id);
  Values values = values_of_variants[seed % std::size(values_of_variants)];
  if (one->number < std::size(values_of_pattern)) {
    values = values_of_pattern[one->number];
  } else {
    auto variants = coverage::variants_of(module);
    const std::size_t variant = one->number - std::size(values_of_pattern);
    auto &of_one_kind = variants[variant % variants.size()];
    const std::uint64_t first = subject.seed_of(id.substr(0, id.rfind('/')));
    const std::size_t turn = variant / variants.size();
    module = std::move(of_one_kind[(first + (turn + 1) / 2) % of_one_kind.size()]);
    module = turn % 2 == 1 ? coverage::as_fusion(std::move(module)) : std::move(module);
  }
  BP_ASSIGN(std::vector<ir::Literal> arguments, make_arguments(module, values, SpecialValueSet::All, false, seed / 4));
  return InstructionTrial{.key = id,
                          .module = std::move(module),
                          .arguments = std::move(arguments),
                          .values = values,
                          .type = one->type,
                          .seed = seed,
                          .is_one_op = false};
}

}  // namespace

const Stage patterns_stage = {
    .name = "patterns",
    .summary = "programs for which libraries have routines, and programs that are almost the same",
    .list = list_patterns,
    .run = run_trial,
    .program = program_of_trial,
    .trial = trial_of_patterns};

}  // namespace bp::conformance
