#include <catch2/catch.hpp>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/buffers/tests/random_program.h"
#include "core/buffers/validate.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "tools/testing/require.h"

namespace bp::buffers {
namespace {

using bp::testing::parse;
using bp::testing::require_ok;
using bp::testing::require_value;

std::size_t count_copies(const ir::Module &module) {
  std::size_t count = 0;
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      count += instruction.opcode() == ir::Opcode::Copy;
    }
  }
  return count;
}

// Makes two arrays that an instruction reads from different slices share one slice.
bool merge_two_operands(const ir::Module &module, Plan &plan) {
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      if (instruction.opcode() != ir::Opcode::Add) {
        continue;
      }
      auto a = plan.slice(instruction.operands()[0]), b = plan.slice(instruction.operands()[1]);
      if (!a || !b || *a == *b) {
        continue;
      }
      for (ir::Computation other : module.computations()) {
        for (ir::InstructionId id : other.instruction_ids()) {
          for (std::size_t i = 0; i < module.instruction(id).shape().subshape_count(); ++i) {
            if (plan.slice(id, i) == b) {
              plan.set_slice(id, i, *a);
            }
          }
        }
      }
      return true;
    }
  }
  return false;
}

template <class T>
void check_fails(const Result<T> &result, std::string_view message) {
  REQUIRE(!result.ok());
  CHECK(result.error().to_string().find(message) != std::string::npos);
  INFO(result.error().to_string());
}

}  // namespace

TEST_CASE("programs that cannot be planned are refused with a reason") {
  ir::Module twice = parse(R"(
callee { ROOT x = f32[4] parameter(0) }
ENTRY main {
  p = f32[4] parameter(0)
  a = f32[4] call(p), to_apply=callee
  ROOT b = f32[4] call(a), to_apply=callee
})");
  check_fails(assign(twice), "computation callee is called a second time, expected a flat call graph");
  check_fails(insert_copies(twice), "computation callee is called a second time");
  check_fails(schedule(twice), "computation callee is called a second time");

  ir::Module constant = parse("ENTRY main { ROOT c = f32[2] constant({1, 2}) }");
  check_fails(assign(constant), "output 0: c is a constant, expected an array of its own");
  ir::Module parameter = parse("ENTRY main { ROOT p = f32[2] parameter(0) }");
  check_fails(assign(parameter), "output 0: p is a parameter that is not donated");
  ir::Module doubled =
      parse("ENTRY main { p = f32[2] parameter(0) n = f32[2] negate(p) ROOT t = (f32[2], f32[2]) tuple(n, n) }");
  check_fails(assign(doubled), "output 1: n is another output");

  ir::Module branches = parse(R"(
yes { ROOT x = f32[4] parameter(0) }
no { x = f32[4] parameter(0) ROOT c = f32[4] constant({1, 2, 3, 4}) }
ENTRY main {
  p = pred[] parameter(0)
  x = f32[4] parameter(1)
  e = f32[4] exponential(x)
  ROOT cond = f32[4] conditional(p, e, e), true_computation=yes, false_computation=no
})");
  check_fails(assign(branches), "cond: cond and c must share memory, but c is a constant (run copy-insertion first)");

  ir::Module fine = parse("ENTRY main { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }");
  check_fails(assign(fine, {.alignment = 48}), "alignment is 48, expected a power of two");
  fine.header().input_output_alias.push_back({{3}, 0, {}, false});
  check_fails(assign(fine), "input_output_alias: {3}: (0, {}) does not name arrays");
  fine.header().input_output_alias = {{{}, 7, {}, false}};
  check_fails(assign(fine), "input_output_alias: parameter 7 does not exist, the entry has 1");

  ir::Module large = require_value(text::parse_module(R"(
ENTRY main {
  p = f32[] parameter(0)
  b = f32[2147483648,2147483648] broadcast(p), dimensions={}
  ROOT s = f32[1,1] slice(b), slice={[0:1], [0:1]}
})"));
  check_fails(assign(large), "more than 2^62 bytes");
}

TEST_CASE("the validator rejects each kind of broken plan") {
  ir::Module module = parse(R"(
ENTRY main {
  p = f32[16] parameter(0)
  c = f32[16] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  t = f32[16] exponential(p)
  r = f32[16] reverse(t), dimensions={0}
  s = f32[16] add(t, c)
  ROOT out = (f32[16], f32[16]) tuple(r, s)
})");
  auto named = [&](std::string_view name) {
    for (ir::Instruction instruction : module.entry().instructions()) {
      if (instruction.name() == name) {
        return instruction.id();
      }
    }
    return ir::no_instruction;
  };
  const Plan plan = require_value(assign(module));
  require_ok(validate(module, plan));
  auto check_broken = [&](auto break_plan, std::string_view message) {
    Plan broken = plan;
    break_plan(broken);
    check_fails(validate(module, broken), message);
  };
  Slice input = *plan.slice(named("p")), constant = *plan.slice(named("c")), reversed = *plan.slice(named("r"));
  check_broken([&](Plan &p) { p.set_slice(named("t"), 0, input); },
               "t: is written to allocation 0, which is read only");
  check_broken([&](Plan &p) { p.set_slice(named("t"), 0, constant); }, "which is read only (constant)");
  check_broken([&](Plan &p) { p.set_slice(named("t"), 0, reversed); },
               "r: overwrites operand 0, which reverse may not");
  check_broken([&](Plan &p) { p.set_slice(named("t"), 0, {1, 32, 64}); },
               "t: part 0 has 64 bytes, but its slice begins at 32");
  check_broken([&](Plan &p) { p.set_slice(named("t"), 0, {9, 0, 64}); }, "t: part 0 has no slice");
  check_broken([&](Plan &p) { p.set_slice(named("s"), 0, reversed); }, "must share a slice");
  check_broken([&](Plan &p) { p.allocations[input.allocation].size = 32; },
               "p: part 0 has 64 bytes, but its slice begins at 0");
  check_broken([&](Plan &p) { p.allocations[reversed.allocation].alias = 0; }, "which is not donated to it");
  check_broken([&](Plan &p) { p.allocations[reversed.allocation].memory_space = 1; }, "in memory space 1, expected");
  check_broken([&](Plan &p) { p.allocations[1].index = 5; }, "output 5, expected 0");
  check_broken([&](Plan &p) { p.allocations.push_back(p.allocations[0]); }, "is input 0, expected 1");
  check_broken([&](Plan &p) { std::swap(p.allocations[1].index, p.allocations[2].index); }, "expected 0");
  check_broken([&](Plan &p) { p.set_slice(named("c"), 0, reversed); }, "does not fill an allocation of kind constant");
}

TEST_CASE("random programs are planned, and the validator accepts the plans and rejects broken ones") {
  int merged = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    INFO("seed " << seed);
    ir::Module module = testing::random_program(seed);
    require_ok(ir::verify(module));
    if (seed % 2 == 0) {
      require_value(schedule(module));
    }
    require_value(insert_copies(module));
    require_ok(ir::verify(module));
    Plan plan = require_value(assign(module, {.keep_apart = seed % 3 == 0}));
    require_ok(validate(module, plan));
    if (seed % 4 == 0) {
      ir::Module again = module;
      require_value(insert_copies(again));
      CHECK(count_copies(again) <= count_copies(module));
    }
    Plan broken = plan;
    if (merge_two_operands(module, broken)) {
      ++merged;
      CHECK(!validate(module, broken).ok());
    }
  }
  CHECK(merged > 500);
}

TEST_CASE("chains that have nothing to do with each other are kept apart, unless that takes much memory") {
  // Two chains of equal length, their steps alternating, joined at the end.
  const auto bytes_of = [](std::int64_t size, bool keep_apart) {
    const ir::Module module = parse(fmt::format(R"(HloModule m
      ENTRY main {{
        x = f32[{0}] parameter(0)
        a = f32[{0}] reverse(x), dimensions={{0}}
        b = f32[{0}] reverse(x), dimensions={{0}}
        c = f32[{0}] reverse(a), dimensions={{0}}
        d = f32[{0}] reverse(b), dimensions={{0}}
        e = f32[{0}] reverse(c), dimensions={{0}}
        f = f32[{0}] reverse(d), dimensions={{0}}
        s = f32[] constant(0)
        ROOT r = f32[] dot(e, f), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}
      }})",
                                                size));
    const Plan plan = require_value(assign(module, {.keep_apart = keep_apart}));
    require_ok(validate(module, plan));
    return plan.bytes(AllocationKind::Temporary) / (4 * size);
  };
  CHECK(bytes_of(1024, false) == 3);
  CHECK(bytes_of(1024, true) == 4);
  CHECK(bytes_of(std::int64_t{1} << 26, true) == 3);
}

}  // namespace bp::buffers
