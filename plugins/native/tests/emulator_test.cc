#include "plugins/native/emulator/emulator.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>

namespace bp::native {
namespace {

// An empty PATH, until the end of the scope.
class NoTools {
 public:
  NoTools() { setenv("PATH", "/nonexistent", 1); }
  ~NoTools() { setenv("PATH", path_.c_str(), 1); }

 private:
  const std::string path_ = getenv("PATH");
};

std::string problem_of(const std::string &triple) {
  Emulator emulator({.triple = triple, .cpu = "", .features = "", .vectors = {}});
  const auto loaded = emulator.load({}, 0);
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().status() == BP_INTERNAL);
  return loaded.error().message();
}

TEST_CASE("a missing tool is named, with the package that has it") {
  const NoTools nothing;
  CHECK(problem_of("riscv64-linux-gnu") ==
        "there is no riscv64-linux-gnu-gcc, which links programs for riscv64-linux-gnu: on Debian, apt-get install "
        "gcc-riscv64-linux-gnu");
  CHECK(problem_of("x86_64-pc-linux-gnu") ==
        "there is no x86_64-linux-gnu-gcc, which links programs for x86_64-pc-linux-gnu: on Debian, apt-get install "
        "gcc-x86-64-linux-gnu");
}

TEST_CASE("a triple without a system is refused") {
  CHECK(problem_of("aarch64") == "the triple aarch64 names no system, expected one such as aarch64-linux-gnu");
}

TEST_CASE("an artifact of another number of allocations is not linked") {
  Emulator emulator({.triple = "riscv64-linux-gnu", .cpu = "", .features = "", .vectors = {}});
  const auto loaded = emulator.load({}, 1);
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().status() == BP_INVALID);
  CHECK(loaded.error().message() == "artifact has 0 allocations, expected 1");
}

}  // namespace
}  // namespace bp::native
