#include <catch2/catch.hpp>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/buffers/tests/random_program.h"
#include "core/buffers/validate.h"
#include "core/ir/verifier.h"

namespace bp::buffers {
namespace {

void require_ok(const Status &status) {
  INFO((status.ok() ? std::string() : status.error().to_string()));
  REQUIRE(status.ok());
}
template <class T>
T require_value(Result<T> result) {
  INFO((result.ok() ? std::string() : result.error().to_string()));
  REQUIRE(result.ok());
  return std::move(result).value();
}

std::size_t count_copies(const ir::Module &module) {
  std::size_t count = 0;
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      count += instruction.opcode() == ir::Opcode::Copy;
    }
  }
  return count;
}

// Two arrays that an instruction reads from different places now lie in one.
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

}  // namespace

TEST_CASE("random programs are planned, and the validator accepts the plans and rejects spoilt ones") {
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
    Plan plan = require_value(assign(module));
    require_ok(validate(module, plan));
    if (seed % 4 == 0) {
      ir::Module again = module;
      require_value(insert_copies(again));
      CHECK(count_copies(again) <= count_copies(module));
    }
    Plan spoilt = plan;
    if (merge_two_operands(module, spoilt)) {
      ++merged;
      CHECK(!validate(module, spoilt).ok());
    }
  }
  CHECK(merged > 500);
}

}  // namespace bp::buffers
