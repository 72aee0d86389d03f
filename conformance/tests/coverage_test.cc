// The kinds of instructions that the cases of the stage attributes consist of, and the numbers they compute with.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "conformance/coverage/attribute_classes.h"
#include "conformance/suite/attribute_case.h"
#include "conformance/suite/instruction_coverage.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/values.h"
#include "core/debugging/random_instruction.h"
#include "core/interpreter/interpreter.h"
#include "core/text/parser.h"
#include "tools/testing/skip.h"

namespace bp::conformance {
namespace {

using ir::ElementType;
using ir::Opcode;

Subject interpreter_with_seed(std::uint64_t seed) {
  Choice choice;
  choice.name = "interpreter";
  choice.seed = seed;
  choice.mode = Mode::Full;
  return Subject::find(std::move(choice)).value();
}

// Counts the kinds that the first cases of an op and type have.
OpCoverage coverage_of(Opcode opcode, ElementType type, std::size_t cases, std::size_t seeds) {
  InstructionCoverage coverage;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const Subject subject = interpreter_with_seed(seed);
    for (std::size_t i = 0; i < cases; ++i) {
      coverage.add(subject, AttributeCase{&ir::info(opcode), type, i}.id());
    }
  }
  const std::vector<OpCoverage> rows = coverage.rows();
  return *std::ranges::find(rows, opcode, &OpCoverage::opcode);
}

}  // namespace

TEST_CASE("classes of attributes have different names") {
  for (const Opcode opcode : debugging::varied_ops()) {
    std::set<std::string> names;
    std::size_t classes = 0;
    for (const coverage::InstructionKind &kind : coverage::instruction_kinds(opcode, ElementType::F32)) {
      if (kind.attribute != nullptr && kind.size == coverage::SizeRange::Small) {
        names.insert(std::string(kind.attribute->attribute) + ": " + std::string(kind.attribute->value));
        ++classes;
      }
    }
    INFO(ir::to_string(opcode));
    CHECK(names.size() == classes);
  }
}

TEST_CASE("the full run has almost all kinds of instructions, and quick runs have them in turn") {
  constexpr std::pair<Opcode, ElementType> examples[] = {{Opcode::Pad, ElementType::S32},
                                                         {Opcode::Dot, ElementType::BF16},
                                                         {Opcode::Gather, ElementType::S8},
                                                         {Opcode::Compare, ElementType::F16},
                                                         {Opcode::Reduce, ElementType::Pred}};
  for (const auto &[opcode, type] : examples) {
    INFO(ir::to_string(opcode));
    const std::size_t kinds = coverage::instruction_kinds(opcode, type).size();
    const OpCoverage none = coverage_of(opcode, type, 0, 1);
    const OpCoverage full = coverage_of(opcode, type, cases_of_all_kinds(opcode, type), 1);
    CHECK(none.covered == 0);
    CHECK(full.kinds == none.kinds);
    CHECK(full.covered >= kinds - kinds / 20);
    CHECK(full.covered <= kinds);
    const OpCoverage day = coverage_of(opcode, type, 8, 1), week = coverage_of(opcode, type, 8, 7);
    CHECK(day.covered > 8);
    CHECK(week.covered > day.covered);
    CHECK(week.covered >= kinds - kinds / 4);
  }
}

TEST_CASE("the full run with every case has at least 95 % of all kinds of instructions") {
  if (std::getenv("BACKPLANE_TEST_FULL") == nullptr) {
    return testing::skip("takes a minute, is run with --full");
  }
  const Subject subject = interpreter_with_seed(0);
  InstructionCoverage coverage;
  for (const std::string &id : attributes_stage.list(subject)) {
    coverage.add(subject, id);
  }
  std::size_t kinds = 0, covered = 0;
  for (const OpCoverage &row : coverage.rows()) {
    INFO(ir::to_string(row.opcode));
    kinds += row.kinds;
    covered += row.covered;
    CHECK(row.covered * 100 >= row.kinds * 80);
  }
  CHECK(covered * 100 >= kinds * 95);
}

TEST_CASE("products of factors are exact in any order") {
  for (const char *type : {"f32", "f16", "bf16", "f8e4m3fn", "f8e5m2", "f4e2m1fn", "c64"}) {
    INFO(type);
    const std::string shape = std::string(type) + "[300]", one = std::string(type)[0] == 'c' ? "(1, 0)" : "1";
    const auto product = [&](bool is_reversed) {
      const std::string reversed =
          is_reversed ? "y = " + shape + " reverse(x), dimensions={0}" : "y = " + shape + " copy(x)";
      const ir::Module module =
          text::parse_module("f { a = " + std::string(type) + "[] parameter(0)  b = " + type +
                             "[] parameter(1)  ROOT c = " + type + "[] multiply(a, b) }\nENTRY main {\n  x = " + shape +
                             " parameter(0)\n  " + reversed + "\n  one = " + type + "[] constant(" + one +
                             ")\n  ROOT r = " + type + "[] reduce(y, one), dimensions={0}, to_apply=f\n}\n")
              .value();
      const auto arguments = make_arguments(module, Values::Factors, SpecialValueSet::None, false, 7).value();
      return interpreter::interpret(module, arguments).value();
    };
    const ir::Literal forward = product(false), backward = product(true);
    CHECK(std::ranges::equal(forward.bytes(), backward.bytes()));
    CHECK_FALSE(std::ranges::all_of(forward.bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

}  // namespace bp::conformance
