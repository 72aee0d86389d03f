#include "plugins/native/target.h"

#include <llvm/Support/TargetSelect.h>

#include <catch2/catch.hpp>
#include <string>

namespace bp::native {
namespace {

const Target plain = {.triple = "x86_64-linux-gnu",
                      .cpu = "x86-64-v3",
                      .features = "+avx512f,-fma",
                      .vectors = {.vector_bits = 256, .vector_registers = 16}};

std::string problem_of(const Target &target) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  const auto machine = make_target_machine(target);
  return machine.ok() ? "" : machine.error().message();
}

TEST_CASE("a target of what LLVM knows gets a code generator") {
  CHECK(problem_of(plain) == "");
  Target least = plain;
  least.cpu = least.features = "";
  CHECK(problem_of(least) == "");
}

TEST_CASE("what LLVM or the emitters do not have is named") {
  Target target = plain;
  SECTION("architecture") {
    target.triple = "vax-linux-gnu";
    CHECK(problem_of(target).starts_with("LLVM has no target vax-linux-gnu: "));
  }
  SECTION("CPU") {
    target.cpu = "x86-64-v9";
    CHECK(problem_of(target) == "LLVM has no CPU \"x86-64-v9\" for x86_64-linux-gnu");
  }
  SECTION("feature") {
    target.features = GENERATE("+avx2,+avx999", "avx2", "+avx2, +fma", "+");
    CHECK(problem_of(target).find("expected names with + or - before them") != std::string::npos);
  }
  SECTION("width of vectors") {
    target.vectors.vector_bits = 64;
    CHECK(problem_of(target) == "the target has vectors of 64 bits, expected 128, 256 or 512");
  }
  SECTION("number of registers") {
    target.vectors.vector_registers = 0;
    CHECK(problem_of(target) == "the target has 0 registers for vectors, expected 8 or more");
  }
}

}  // namespace
}  // namespace bp::native
