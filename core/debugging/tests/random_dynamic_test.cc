#include <catch2/catch.hpp>
#include <map>

#include "core/debugging/difference.h"
#include "core/debugging/random_module.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/text/printer.h"

namespace bp::debugging {
namespace {

// Returns the difference between the two results of random_twins(); empty if they are equal.
std::string twins_differ(const ir::Module &module, std::span<const ir::Literal> arguments) {
  const Result<ir::Literal> result = interpreter::interpret(module, arguments);
  if (!result.ok()) {
    return result.error().to_string();
  }
  const auto difference = find_difference(result->tuple_elements()[1], result->tuple_elements()[0], {});
  return difference ? to_string(*difference) : "";
}

bool is_static(const ir::Module &module) {
  for (ir::Instruction i : module.entry().instructions()) {
    if (!i.shape().is_static()) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("ops on dynamic dimensions do what they do to static arrays of the run-time sizes") {
  std::map<ir::Opcode, int> counts;
  int expanded = 0;
  constexpr int programs = 1000;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    INFO("seed " << seed);
    ir::Module module = random_twins(seed);
    INFO(text::print(module));
    const Status status = ir::verify(module);
    INFO((status.ok() ? "" : status.error().to_string()));
    REQUIRE(status.ok());
    for (ir::Instruction i : module.entry().instructions()) {
      counts[i.opcode()] += i.operand_count() != 0 && !i.operand(0).shape().is_static() ? 1 : 0;
    }
    const auto arguments = interpreter::random_arguments(module, seed);
    REQUIRE(arguments.ok());
    CHECK(twins_differ(module, *arguments) == "");
    REQUIRE(passes::run_passes(module, {passes::dynamic_dimension_expansion}).ok());
    INFO("expanded:\n" << text::print(module));
    CHECK(twins_differ(module, *arguments) == "");
    expanded += is_static(module) ? 1 : 0;
  }
  using enum ir::Opcode;
  for (ir::Opcode opcode : {Broadcast, Concatenate, Copy, Dot, DynamicSlice, Gather, GetDimensionSize, Pad, Reduce,
                            ReduceWindow, Reshape, Reverse, Sort, Transpose}) {
    INFO(ir::to_string(opcode));
    CHECK(counts[opcode] >= 20);
  }
  CHECK(expanded > programs * 3 / 4);
}

TEST_CASE("no pass alone changes what ops on dynamic dimensions compute") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ir::Module module = random_twins(seed);
    const auto arguments = interpreter::random_arguments(module, seed);
    REQUIRE(arguments.ok());
    for (const passes::Pass &pass : passes::passes()) {
      if (pass.rounding.units != 0) {
        continue;
      }
      ir::Module changed = module;
      REQUIRE(passes::run_passes(changed, std::span(&pass, 1)).ok());
      INFO("seed " << seed << ", " << pass.name << "\n" << text::print(module) << text::print(changed));
      CHECK(twins_differ(changed, *arguments) == "");
    }
  }
}

}  // namespace bp::debugging
