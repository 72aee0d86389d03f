// Loops (conformance/coverage/loops.h), compared with the interpreter, which runs one iteration after the other.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <optional>

#include "conformance/coverage/loops.h"
#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/trial_stage.h"
#include "conformance/suite/values.h"

namespace bp::conformance {
namespace {

using coverage::Loop;
using ir::ElementType;

constexpr ElementType element_types[] = {ElementType::S32, ElementType::F32, ElementType::S32, ElementType::U8};
constexpr ElementType counter_types[] = {ElementType::S32, ElementType::S32, ElementType::S32, ElementType::S64,
                                         ElementType::S32, ElementType::U32, ElementType::S8,  ElementType::S16,
                                         ElementType::S32, ElementType::U8,  ElementType::S32, ElementType::U16};

// A case: loops/COUNTING/BODY/NUMBER. Neighbours differ in the number of iterations and in the types; the seed chooses
// the first of them.
struct LoopCase {
  Loop loop;
  std::size_t number = 0;
};

std::optional<LoopCase> parse(std::string_view id) {
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  if (parts.size() != 4) {
    return std::nullopt;
  }
  const auto counting = std::ranges::find(coverage::countings(), parts[1], &coverage::Counting::name);
  const auto body = std::ranges::find(coverage::loop_bodies(), parts[2], &coverage::LoopBody::name);
  const auto number = number_of_case(id);
  if (counting == coverage::countings().end() || body == coverage::loop_bodies().end() || !number) {
    return std::nullopt;
  }
  return LoopCase{{.counting = &*counting, .body = &*body}, *number};
}

// The full run has each number of iterations with each element type.
std::vector<std::string> list_loops(const Subject &subject) {
  const std::size_t count = subject.is_full() ? coverage::iteration_counts().size() * std::size(element_types) : 1;
  std::vector<std::string> ids;
  for (const coverage::Counting &counting : coverage::countings()) {
    for (const coverage::LoopBody &body : coverage::loop_bodies()) {
      for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(fmt::format("loops/{}/{}/{}", counting.name, body.name, i));
      }
    }
  }
  return ids;
}

// Chooses what the case leaves open. If there is no such loop, another number of iterations follows, or other types.
bool complete(Loop &loop, std::uint64_t first, std::size_t number) {
  const auto counts = coverage::iteration_counts();
  for (std::size_t attempt = 0; attempt < 4 * counts.size(); ++attempt) {
    const std::uint64_t turn = first + number + attempt * 7;
    loop.iterations = counts[turn % counts.size()];
    loop.element = element_types[(turn / counts.size() + turn) % std::size(element_types)];
    loop.counter = counter_types[(first / 64 + number + attempt) % std::size(counter_types)];
    loop.counts_last = (first / 1024 + number) % 3 == 0;
    if (coverage::is_valid(loop)) {
      return true;
    }
  }
  return false;
}

Result<InstructionTrial> trial_of_loops(Subject &subject, const std::string &id) {
  auto one = parse(id);
  if (!one || !complete(one->loop, subject.seed_of(id.substr(0, id.rfind('/'))), one->number)) {
    return invalid_input("there is no case {}", id);
  }
  BP_ASSIGN(ir::Module module, coverage::program_of(one->loop));
  const std::uint64_t seed = subject.seed_of(id);
  BP_ASSIGN(std::vector<ir::Literal> arguments,
            make_arguments(module, Values::Small, SpecialValueSet::None, false, seed));
  if (const auto limit = coverage::limit_parameter(one->loop)) {
    ir::visit_element_type(one->loop.counter, [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        arguments[*limit] = ir::Literal::scalar(one->loop.counter, static_cast<T>(one->loop.iterations));
      }
    });
  }
  return InstructionTrial{.key = id,
                          .module = std::move(module),
                          .arguments = std::move(arguments),
                          .values = Values::Small,
                          .type = one->loop.element,
                          .seed = seed,
                          .is_one_op = false};
}

}  // namespace

const Stage loops_stage = {.name = "loops",
                           .summary = "loops that count in many ways, with many bodies and numbers of iterations",
                           .list = list_loops,
                           .run = run_trial,
                           .program = program_of_trial,
                           .trial = trial_of_loops};

}  // namespace bp::conformance
