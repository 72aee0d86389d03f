// Programs of a few instructions that a compiler may be tempted to simplify by a rule that does not always hold
// (conformance/coverage/identities.h): compared with the interpreter, which simplifies nothing.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <optional>

#include "conformance/coverage/identities.h"
#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/trial_stage.h"
#include "conformance/suite/values.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using coverage::Identity;
using ir::ElementType;

// A case: identities/NAME/TYPE/VALUES.
struct IdentityCase {
  const Identity *identity = nullptr;
  ElementType type = ElementType::Invalid;
  Values values = Values::Random;

  static std::optional<IdentityCase> parse(std::string_view id) {
    std::vector<std::string> parts;
    boost::split(parts, id, boost::is_any_of("/"));
    if (parts.size() != 4) {
      return std::nullopt;
    }
    const Identity *identity = coverage::find_identity(parts[1]);
    const auto type = ir::element_type_from_string(parts[2]);
    const auto *values = std::ranges::find(value_names, parts[3]);
    if (identity == nullptr || !type || values == std::end(value_names)) {
      return std::nullopt;
    }
    return IdentityCase{identity, *type, static_cast<Values>(values - value_names)};
  }
};

// Special values in sums leave too little to judge.
Values most_telling_values(const Identity &identity) {
  return coverage::is_elementwise(identity) ? Values::Edge : Values::Small;
}

std::string id_of(const Identity &identity, ElementType type, Values values) {
  return fmt::format("identities/{}/{}/{}", identity.name, ir::to_string(type),
                     value_names[static_cast<std::size_t>(values)]);
}

std::vector<std::string> list_all(const Identity &identity) {
  std::vector<std::string> ids;
  for (const ElementType type : coverage::types_of(identity)) {
    ids.push_back(id_of(identity, type, most_telling_values(identity)));
    ids.push_back(id_of(identity, type, Values::Random));
  }
  return ids;
}

// The most common types, and one more case, which is of another kind for each program.
std::vector<std::string> list_some(const Identity &identity, std::size_t number) {
  std::vector<std::string> ids, others;
  const std::vector<ElementType> types = coverage::types_of(identity);
  for (const ElementType type : types) {
    const bool is_common = type == ElementType::F32 || type == ElementType::S32 || type == types.front();
    (is_common ? ids : others).push_back(id_of(identity, type, most_telling_values(identity)));
  }
  others.push_back(id_of(identity, types.front(), Values::Random));
  std::erase_if(others, [](const std::string &id) { return id.find("/f64/") != id.npos; });
  if (number % 2 == 0) {
    ids.push_back(others[number / 2 % others.size()]);
  }
  return ids;
}

std::vector<std::string> list_identities(const Subject &subject) {
  std::vector<std::string> ids;
  std::size_t number = 0;
  for (const Identity &identity : coverage::identities()) {
    const auto of_one = subject.is_full() ? list_all(identity) : list_some(identity, number++);
    ids.insert(ids.end(), of_one.begin(), of_one.end());
  }
  return ids;
}

Result<InstructionTrial> trial_of_identities(Subject &subject, const std::string &id) {
  const auto one = IdentityCase::parse(id);
  if (!one) {
    return invalid_input("there is no case {}", id);
  }
  const bool is_elementwise = coverage::is_elementwise(*one->identity);
  BP_ASSIGN(ir::Module module, text::parse_module(coverage::text_of(*one->identity, one->type)));
  BP_TRY(ir::verify(module));
  BP_ASSIGN(std::vector<ir::Literal> arguments,
            make_arguments(module, one->values, SpecialValueSet::All, is_elementwise, subject.seed_of(id)));
  InstructionTrial trial{.key = id.substr(0, id.rfind('/')),
                         .module = std::move(module),
                         .arguments = std::move(arguments),
                         .values = one->values,
                         .type = one->type,
                         .seed = subject.seed_of(id),
                         .is_elementwise = is_elementwise};
  if (!is_elementwise && trial.seed % 2 == 0) {
    store_in_tiles(subject, trial);
  } else {
    store_packed(subject, trial);
  }
  return trial;
}

}  // namespace

const Stage identities_stage = {.name = "identities",
                                .summary = "small programs that only seem to be equal to simpler ones",
                                .list = list_identities,
                                .run = run_trial,
                                .program = program_of_trial,
                                .trial = trial_of_identities,
                                .shares_programs = true};

}  // namespace bp::conformance
