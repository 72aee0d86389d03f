// The interpreter computes an op and what it expands to; both must agree.
#include <catch2/catch.hpp>

#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/text/parser.h"

namespace bp::passes {
namespace {

// Repeats the stage until nothing changes. Everything that has an expansion must be gone then, so that it ends.
void expand(ir::Module &module) {
  bool changed = true;
  PipelineOptions options;
  options.verify_between_passes = true;
  options.after_pass = [&](const ir::Module &, const PassReport &pass) -> Status {
    changed = changed || pass.changed;
    return {};
  };
  for (int round = 0; changed && round < 8; ++round) {
    changed = false;
    Status status = run_passes(module, stage_passes(Stage::Expand), options);
    INFO((status.ok() ? "" : status.error().to_string()));
    REQUIRE(status.ok());
  }
  CHECK(!changed);
}

bool has(const ir::Module &module, ir::Opcode opcode) {
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      if (instruction.opcode() == opcode) {
        return true;
      }
    }
  }
  return false;
}

// A program whose root expands. max_ulp 0: the bits are the same.
void check_expansion(const std::string &text, double max_ulp = 0) {
  INFO(text);
  Result<ir::Module> module = text::parse_module(text);
  REQUIRE(module.ok());
  REQUIRE(ir::verify(*module).ok());
  ir::Opcode opcode = module->entry().root().opcode();
  ir::Module expanded = *module;
  expand(expanded);
  CHECK(!has(expanded, opcode));
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto arguments = interpreter::random_arguments(*module, seed).value();
    Result<ir::Literal> expected = interpreter::interpret(*module, arguments);
    Result<ir::Literal> result = interpreter::interpret(expanded, arguments);
    INFO((result.ok() ? "" : result.error().to_string()));
    REQUIRE(expected.ok());
    REQUIRE(result.ok());
    auto comparisons = interpreter::compare(*result, *expected).value();
    for (const interpreter::Comparison &comparison : comparisons) {
      INFO(interpreter::to_string(comparison));
      CHECK((comparison.identical || comparison.max_ulp <= max_ulp));
      CHECK((comparison.identical || max_ulp > 0));
    }
  }
}

TEST_CASE("expanded random bits are the same bits") {
  for (const char *algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (const char *state : {"u64[2]", "u64[3]"}) {
      for (const char *result : {"u32[]", "u32[1]", "u32[7]", "u32[3,5]", "u32[3,4,5]", "u64[]", "u64[5]", "u64[2,3]",
                                 "s64[3]", "s32[6]", "u16[9]", "s8[3,3,3]", "u4[5]", "u32[0]", "u32[3,0]", "u64[0]"}) {
        check_expansion(fmt::format(
            "ENTRY main {{ s = {0} parameter(0)  ROOT r = ({0}, {1}) rng-bit-generator(s), algorithm={2} }}", state,
            result, algorithm));
      }
    }
  }
}

TEST_CASE("a carry goes from the low to the high half of a counter") {
  for (const char *algorithm : {"rng_three_fry", "rng_philox"}) {
    check_expansion(
        fmt::format("ENTRY main {{ s = u64[3] constant({{1, 18446744073709551614, 5}}) "
                    "ROOT r = (u64[3], u32[40]) rng-bit-generator(s), algorithm={} }}",
                    algorithm));
  }
}

TEST_CASE("expanded topk takes the same elements") {
  for (const char *largest : {"true", "false"}) {
    for (const char *type : {"f32", "bf16", "s8", "u32", "pred"}) {
      // Small integers and pred are often equal.
      check_expansion(
          fmt::format("ENTRY main {{ x = {0}[3,40] parameter(0) "
                      "ROOT r = ({0}[3,9], s32[3,9]) topk(x), k=9, largest={1} }}",
                      type, largest));
    }
    check_expansion(
        fmt::format("ENTRY main {{ x = f32[8] constant({{nan, -nan, 0, -0, inf, -inf, 0, nan}}) "
                    "ROOT r = (f32[8], s32[8]) topk(x), k=8, largest={} }}",
                    largest));
  }
}

}  // namespace
}  // namespace bp::passes
