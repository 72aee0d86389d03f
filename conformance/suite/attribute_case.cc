#include "conformance/suite/attribute_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <vector>

#include "conformance/coverage/attribute_classes.h"
#include "conformance/suite/stage.h"
#include "core/debugging/random_instruction.h"

namespace bp::conformance {
namespace {

using coverage::InstructionKind;
using coverage::SizeRange;

// The first cases, which are all that the quick run has.
constexpr std::size_t few = 36;

// Returns the kind of case `number`. `first`: a random number that is the same for all cases of the op and type.
InstructionKind kind_of(const std::vector<InstructionKind> &kinds, std::size_t number, std::uint64_t first) {
  if (number >= few) {
    return kinds[(number - few) % kinds.size()];
  }
  // The first case has the highest accuracy, if the op can be asked for it.
  const auto accurate = std::ranges::find_if(kinds, [](const InstructionKind &kind) {
    return kind.size == SizeRange::Medium && kind.attribute != nullptr && kind.attribute->attribute == "accuracy";
  });
  if (number == 0 && accurate != kinds.end()) {
    return *accurate;
  }
  // Neighbours are of one class; steps over about a third of the kinds visit all classes early.
  InstructionKind kind = kinds[(first + number * (kinds.size() / 3 + 1)) % kinds.size()];
  if (kind.size != SizeRange::One) {
    kind.size = (first + number) % 12 == 11 ? SizeRange::Large : number % 2 == 0 ? SizeRange::Small : SizeRange::Medium;
  }
  return kind;
}

// Devices divide long arrays by their bytes: some more than 2^18 are an array of more than 2^16 numbers of 32 bits.
std::int64_t max_elements_of(SizeRange size, ir::ElementType type, std::uint64_t seed) {
  switch (size) {
    case SizeRange::One: return 1;
    case SizeRange::Small: return 64;
    case SizeRange::Medium: return seed % 2 == 0 ? 1 << 12 : 1 << 9;
    case SizeRange::Large:
      return seed % 2 == 0 ? ((1 << 18) + 256) / std::clamp<std::int64_t>(ir::byte_width(type), 1, 4) : 1 << 13;
  }
  return 1;
}

}  // namespace

std::string AttributeCase::id() const {
  return fmt::format("attributes/{}/{}/{}", op->text, ir::to_string(type), number);
}

std::optional<AttributeCase> AttributeCase::parse(std::string_view id) {
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  if (parts.size() != 4 || parts[0] != "attributes") {
    return std::nullopt;
  }
  const auto opcode = ir::opcode_from_string(parts[1]);
  const auto type = ir::element_type_from_string(parts[2]);
  const auto number = number_of_case(id);
  if (!opcode || !type || !number) {
    return std::nullopt;
  }
  return AttributeCase{&ir::info(*opcode), *type, *number};
}

std::optional<ir::Module> AttributeCase::module(const Subject &subject) const {
  constexpr std::uint64_t max_attempts = 128;
  const std::vector<InstructionKind> kinds = coverage::instruction_kinds(op->opcode, type);
  const std::uint64_t first = subject.seed_of(fmt::format("attributes/{}/{}", op->text, ir::to_string(type)));
  const InstructionKind kind = kind_of(kinds, number, first);
  const std::uint64_t seed = subject.seed_of(id());
  const std::int64_t max_elements = max_elements_of(kind.size, type, seed);
  std::optional<ir::Module> module;
  for (std::uint64_t attempt = 0; attempt < max_attempts; ++attempt) {
    module = debugging::random_instruction(seed + attempt, op->opcode, type, max_elements);
    if (!module || kind.holds(module->entry().root())) {
      break;
    }
  }
  return module;
}

std::size_t cases_of_all_kinds(ir::Opcode opcode, ir::ElementType type) {
  return few + coverage::instruction_kinds(opcode, type).size();
}

}  // namespace bp::conformance
