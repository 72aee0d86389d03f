// Whole programs that contain their expected results (conformance/programs), embedded in this executable; pieces of
// models, of a few sizes, long chains, and nests of control flow, compared with the interpreter.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <boost/lexical_cast/try_lexical_convert.hpp>

#include "conformance/check/case.h"
#include "conformance/check/runner.h"
#include "conformance/programs/embedded.h"
#include "conformance/suite/chains.h"
#include "conformance/suite/differential.h"
#include "conformance/suite/model_pieces.h"
#include "conformance/suite/nests.h"
#include "conformance/suite/random_graph.h"
#include "conformance/suite/stage.h"
#include "core/ir/verifier.h"

namespace bp::conformance {
namespace {

constexpr std::string_view of_models = "programs/model/", of_chains = "programs/chain/", of_nests = "programs/nest/";

// Lengths beyond which devices divide programs.
constexpr std::size_t chain_lengths[] = {40, 130, 257, 520, 1030};

// Returns the program "programs/chain/NAME/LENGTH" or "programs/nest/NAME".
Result<ir::Module> generated(const std::string &id) {
  if (id.starts_with(of_nests)) {
    return nest_of(id.substr(of_nests.size()));
  }
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  std::size_t length = 0;
  if (parts.size() != 4 || !boost::conversion::try_lexical_convert(parts[3], length)) {
    return invalid_input("there is no case {}", id);
  }
  return chain_of(parts[2], length);
}

bool is_generated(std::string_view id) {
  return id.starts_with(of_chains) || id.starts_with(of_nests);
}

std::vector<std::size_t> sizes_of_pieces(const Subject &subject) {
  return subject.is_full() ? std::vector<std::size_t>{1, 4, 16, 64} : std::vector<std::size_t>{16};
}

std::vector<std::string> list_programs(const Subject &subject) {
  std::vector<std::string> ids;
  for (const EmbeddedFile &file : embedded_programs()) {
    for (const Case &one : split_cases(file.text, std::string(file.name))) {
      ids.push_back(fmt::format("programs/{}:{}", file.name, one.part));
    }
  }
  const auto add_pieces = [&](const Model &model) {
    for (const std::size_t size : sizes_of_pieces(subject)) {
      const std::size_t count = cut(model.module, size).size();
      for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(fmt::format("{}{}/{}/{}", of_models, model.name, size, i));
      }
    }
  };
  for (const std::string_view chain : chain_names()) {
    for (const std::size_t length : chain_lengths) {
      ids.push_back(fmt::format("{}{}/{}", of_chains, chain, length));
    }
  }
  for (const std::string &nest : nest_names(2)) {
    ids.push_back(fmt::format("{}{}", of_nests, nest));
  }
  for (const std::string &nest : nest_names(3)) {
    if (subject.is_full() || nest.starts_with("three-three")) {
      ids.push_back(fmt::format("{}{}", of_nests, nest));
    }
  }
  std::ranges::for_each(sample_models(), add_pieces);
  std::ranges::for_each(subject.models(), add_pieces);
  return ids;
}

Result<Case> find_case(std::string_view id) {
  const std::size_t slash = id.find('/') + 1, colon = std::min(id.rfind(':'), id.size() - 1);
  for (const EmbeddedFile &file : embedded_programs()) {
    if (file.name != id.substr(slash, colon - slash)) {
      continue;
    }
    for (Case &one : split_cases(file.text, std::string(file.name))) {
      if (std::to_string(one.part) == id.substr(colon + 1)) {
        return std::move(one);
      }
    }
  }
  return invalid_input("there is no case {}", id);
}

Result<Verdict> judge(Subject &subject, const std::string &id) {
  BP_ASSIGN(const Case one, find_case(id));
  BP_ASSIGN(const ir::Module module, parse(one));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const auto outcome = conformance::run(module, *backend, Policy::Device);
  if (!outcome.ok()) {
    BP_ASSIGN(const SelfChecking apart, split_checks(module));
    return verdict_of_compilation(subject, apart.program, outcome.error());
  }
  if (outcome->failures.empty()) {
    return Verdict();
  }
  const Remark &first = outcome->failures.front();
  return failure(fmt::format("{} of {} checks do not hold; {}:{}: {}", outcome->failures.size(), outcome->checks,
                             one.file, first.location.line, first.text));
}

// Returns nullptr if there is none.
const Model *find_model(const Subject &subject, const std::string &name) {
  for (const std::vector<Model> *models : {&sample_models(), &subject.models()}) {
    if (const auto found = std::ranges::find(*models, name, &Model::name); found != models->end()) {
      return &*found;
    }
  }
  return nullptr;
}

// Returns the piece "programs/model/NAME/SIZE/INDEX".
Result<compile::Extract> piece_of(const Subject &subject, const std::string &id) {
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  std::size_t size = 0, number = 0;
  const Model *model = parts.size() == 5 ? find_model(subject, parts[2]) : nullptr;
  if (model == nullptr || !boost::conversion::try_lexical_convert(parts[3], size) ||
      !boost::conversion::try_lexical_convert(parts[4], number)) {
    return invalid_input("there is no case {}", id);
  }
  const std::vector<compile::Part> pieces = cut(model->module, std::max<std::size_t>(size, 1));
  if (number >= pieces.size()) {
    return invalid_input("there is no case {}", id);
  }
  compile::Extract piece = extract_piece(model->module, pieces, number);
  BP_TRY(ir::verify(piece.module));
  return piece;
}

std::uint64_t seed_of_piece(const Subject &subject, const std::string &id) {
  constexpr std::uint64_t kinds_of_draws = 4;  // seeds that are multiples of it give ordinary numbers, as in models
  return subject.seed_of(id) / kinds_of_draws * kinds_of_draws;
}

Result<Verdict> judge_generated(Subject &subject, const std::string &id) {
  BP_ASSIGN(const ir::Module module, generated(id));
  BP_ASSIGN(const Backend *backend, subject.backend());
  return compare_with_interpreter(*backend, module, subject.seed_of(id));
}

Result<Verdict> judge_piece(Subject &subject, const std::string &id) {
  BP_ASSIGN(const compile::Extract piece, piece_of(subject, id));
  if (piece.outputs.empty()) {
    return nothing_to_do();
  }
  BP_ASSIGN(const Backend *backend, subject.backend());
  return compare_with_interpreter(*backend, piece.module, seed_of_piece(subject, id));
}

Result<CaseProgram> program_of_programs(Subject &subject, const std::string &id) {
  if (id.starts_with(of_models)) {
    BP_ASSIGN(compile::Extract piece, piece_of(subject, id));
    BP_ASSIGN(std::vector<Literal> arguments, graph_arguments(piece.module, seed_of_piece(subject, id)));
    return CaseProgram{std::move(piece.module), std::move(arguments), std::string(allowed_by_program_judge), false};
  }
  if (is_generated(id)) {
    BP_ASSIGN(ir::Module module, generated(id));
    BP_ASSIGN(std::vector<Literal> arguments, graph_arguments(module, subject.seed_of(id)));
    return CaseProgram{std::move(module), std::move(arguments), std::string(allowed_by_program_judge), false};
  }
  BP_ASSIGN(const Case one, find_case(id));
  BP_ASSIGN(const ir::Module module, parse(one));
  BP_ASSIGN(SelfChecking apart, split_checks(module));
  return CaseProgram{std::move(apart.program), std::move(apart.arguments), "as the checks of the program say"};
}

Verdict run_programs(Subject &subject, const std::string &id) {
  const auto verdict = id.starts_with(of_models) ? judge_piece(subject, id)
                       : is_generated(id)        ? judge_generated(subject, id)
                                                 : judge(subject, id);
  return verdict.ok() ? *verdict : failure(verdict.error().to_string());
}

constexpr RuleCases rules_of_programs[] = {
    {"BP-MODULE-05", "programs/*", "bp.compiler/1"},
    {"BP-MODULE-06", "programs/*", "bp.compiler/1"},
};

}  // namespace

const Stage programs_stage = {
    .name = "programs",
    .summary = "whole programs that contain their expected results, pieces of models, chains, and nests",
    .list = list_programs,
    .run = run_programs,
    .program = program_of_programs,
    .deadline_seconds = 120,
    .rules = rules_of_programs};

}  // namespace bp::conformance
