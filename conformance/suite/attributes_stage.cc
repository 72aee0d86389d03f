// Compares one instruction with the interpreter, with attributes, shapes and layouts that are drawn anew for each case
// and each --seed: windows, paddings, strides, dimension numbers, combiners.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/values.h"
#include "core/debugging/random_instruction.h"
#include "core/ir/verifier.h"

namespace bp::conformance {
namespace {

using ir::ElementType;
using ir::Opcode;

constexpr std::string_view prefix = "attributes/";

// A case: attributes/OP/TYPE/N.
struct AttributeCase {
  const ir::OpInfo *op = nullptr;
  ElementType type = ElementType::Invalid;

  static std::optional<AttributeCase> parse(std::string_view id) {
    std::vector<std::string> parts;
    boost::split(parts, id, boost::is_any_of("/"));
    if (parts.size() != 4) {
      return std::nullopt;
    }
    const auto opcode = ir::opcode_from_string(parts[1]);
    const auto type = ir::element_type_from_string(parts[2]);
    if (!opcode || !type) {
      return std::nullopt;
    }
    return AttributeCase{&ir::info(*opcode), *type};
  }
};

// Most programs are small, so that many fit into the time; one of sixteen has arrays for which a device may divide the
// work.
std::int64_t max_elements_of(std::uint64_t seed) {
  return seed % 16 == 0 ? 1 << 16 : seed % 2 == 0 ? 1 << 12 : 1 << 9;
}

// Sums are mostly those of small integers, which have to be exact; what moves or compares elements gets special values
// too.
Values values_for(const ir::OpInfo &op, std::uint64_t seed) {
  if (op.accuracy.closeness == Closeness::Sum) {
    constexpr Values kinds[] = {Values::Random, Values::Small, Values::Wide,     Values::Rare,
                                Values::Random, Values::Small, Values::Negative, Values::Uniform};
    return kinds[seed % 8];
  }
  const bool has_special_values = op.accuracy.special_values != SpecialValueSet::None;
  constexpr Values kinds[] = {Values::Random, Values::Edge, Values::Rare, Values::Edge};
  return has_special_values ? kinds[seed % 4] : Values::Random;
}

std::optional<ir::Module> module_of(const AttributeCase &one, std::uint64_t seed) {
  return debugging::random_instruction(seed, one.op->opcode, one.type, max_elements_of(seed));
}

Result<std::vector<ir::Literal>> arguments_of(const AttributeCase &one, const ir::Module &module, std::uint64_t seed) {
  return make_arguments(module, values_for(*one.op, seed / 16), one.op->accuracy.special_values,
                        one.op->has(ir::Trait::Elementwise), seed);
}

Result<CaseProgram> program_of_attributes(Subject &subject, const std::string &id) {
  const auto one = AttributeCase::parse(id);
  auto module = one ? module_of(*one, subject.seed_of(id)) : std::nullopt;
  if (!module) {
    return invalid_input("there is no such instruction");
  }
  BP_TRY(ir::verify(*module));
  BP_ASSIGN(std::vector<ir::Literal> arguments, arguments_of(*one, *module, subject.seed_of(id)));
  return CaseProgram{std::move(*module), std::move(arguments), to_string(one->op->accuracy, one->type)};
}

Result<Verdict> judge_case(Subject &subject, const AttributeCase &one, const std::string &id) {
  const std::uint64_t seed = subject.seed_of(id);
  const auto module = module_of(one, seed);
  if (!module) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "there is no such instruction", .is_evidence = false};
  }
  BP_TRY(ir::verify(*module));
  const Values values = values_for(*one.op, seed / 16);
  BP_ASSIGN(const std::vector<ir::Literal> arguments, arguments_of(one, *module, seed));
  Verdict verdict = judge_on_device(subject, {.key = id,
                                              .module = *module,
                                              .arguments = arguments,
                                              .values = values,
                                              .type = one.type,
                                              .way = static_cast<Way>(seed / 256 % way_count),
                                              .seed = seed / 4096});
  mark_trivial(subject, id, *module, verdict);
  return verdict;
}

// Ops whose attributes or start indices have the most combinations.
bool has_many_attributes(Opcode opcode) {
  constexpr Opcode ops[] = {Opcode::Convolution,       Opcode::Dot,          Opcode::Gather,
                            Opcode::Scatter,           Opcode::ReduceWindow, Opcode::DynamicSlice,
                            Opcode::DynamicUpdateSlice};
  return std::ranges::find(ops, opcode) != std::end(ops);
}

// Whether the op has no attributes: then only shapes and layouts vary, and operands that are one value twice.
bool is_plain(Opcode opcode) {
  constexpr Opcode others[] = {Opcode::Compare, Opcode::Select, Opcode::Clamp, Opcode::ReducePrecision,
                               Opcode::Convert};
  return ir::info(opcode).has(ir::Trait::Elementwise) && std::ranges::find(others, opcode) == std::end(others);
}

// Types that quick mode tries several times; each other type gets one case, or none of an op without attributes.
bool is_common(ElementType type) {
  constexpr ElementType common[] = {ElementType::Pred, ElementType::S32, ElementType::BF16, ElementType::F32};
  return std::ranges::find(common, type) != std::end(common);
}

std::vector<std::string> list_attributes(const Subject &subject) {
  std::vector<std::string> ids;
  for (const Opcode opcode : debugging::varied_ops()) {
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      if (ir::is_opaque(row.type) || !debugging::random_instruction(0, opcode, row.type, 64)) {
        continue;
      }
      const int of_common = has_many_attributes(opcode) ? 24 : is_plain(opcode) ? 2 : 8;
      const int of_others = is_plain(opcode) && !subject.is_full() ? 0 : 1;
      const bool is_complex_transform = opcode == Opcode::Fft && row.type == ElementType::C64;
      const int count =
          (is_common(row.type) || is_complex_transform ? of_common : of_others) * (subject.is_full() ? 50 : 1);
      for (int i = 0; i < count; ++i) {
        ids.push_back(fmt::format("{}{}/{}/{}", prefix, ir::to_string(opcode), row.text, i));
      }
    }
  }
  return ids;
}

Verdict run_attributes(Subject &subject, const std::string &id) {
  const auto one = AttributeCase::parse(id);
  return one ? verdict_or_error(judge_case(subject, *one, id)) : failure(fmt::format("there is no case {}", id));
}

void describe(std::string_view id, Verdict &verdict) {
  if (const auto one = AttributeCase::parse(id)) {
    verdict.op = one->op->text;
    verdict.type = ir::to_string(one->type);
    verdict.allowed = to_string(one->op->accuracy, one->type);
  }
}

}  // namespace

const Stage attributes_stage = {.name = "attributes",
                                .summary = "single operations with random attributes, shapes and layouts",
                                .list = list_attributes,
                                .run = run_attributes,
                                .describe = describe,
                                .program = program_of_attributes};

}  // namespace bp::conformance
