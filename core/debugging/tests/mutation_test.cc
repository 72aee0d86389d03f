#include "core/debugging/mutation.h"

#include <catch2/catch.hpp>
#include <map>

#include "core/text/printer.h"

namespace bp::debugging {
namespace {

void check(const ir::Module &mutant, std::uint64_t seed) {
  const Status status = check_mutant(mutant, seed);
  INFO("seed " << seed << "\n" << text::print(mutant) << (status.ok() ? "" : status.error().to_string()));
  CHECK(status.ok());
}

}  // namespace

TEST_CASE("modules that pass the verifier are evaluated, and no pass fails on them") {
  std::map<ir::Opcode, int> accepted;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    if (const auto mutant = random_mutant(seed)) {
      ++accepted[mutant->entry().root().opcode()];
      check(*mutant, seed);
    }
  }
  CHECK(accepted.size() > 40);
}

}  // namespace bp::debugging
