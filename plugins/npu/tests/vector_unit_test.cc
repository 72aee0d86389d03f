// Applies every function of the function unit to every bf16, and every function to every type for which it is offered.
#include "plugins/npu/vector_unit.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace bp::npu {
namespace {

// Returns the distance of two bf16 in units in the last place. Neither may be NaN.
int distance(std::uint16_t x, std::uint16_t y) {
  const auto key = [](std::uint16_t bits) { return (bits & 0x8000) != 0 ? -(bits & 0x7fff) : int{bits}; };
  return std::abs(key(x) - key(y));
}

}  // namespace

TEST_CASE("functions of bf16 are as near as rounding lets them") {
  const auto [op, exact] = GENERATE(table<int, double (*)(double)>({
      {BP_OP_EXPONENTIAL, [](double x) { return std::exp(x); }},
      {BP_OP_EXPONENTIAL_MINUS_ONE, [](double x) { return std::expm1(x); }},
      {BP_OP_LOG, [](double x) { return std::log(x); }},
      {BP_OP_LOG_PLUS_ONE, [](double x) { return std::log1p(x); }},
      {BP_OP_TANH, [](double x) { return std::tanh(x); }},
      {BP_OP_LOGISTIC, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {BP_OP_ERF, [](double x) { return std::erf(x); }},
      {BP_OP_SQRT, [](double x) { return std::sqrt(x); }},
      {BP_OP_RSQRT, [](double x) { return 1 / std::sqrt(x); }},
  }));
  std::vector<std::uint16_t> scratchpad(2 * 65536);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    scratchpad[bits] = static_cast<std::uint16_t>(bits);
  }
  Instruction instruction;
  instruction.opcode = Opcode::Vector;
  instruction.function = static_cast<std::uint8_t>(op);
  instruction.type = instruction.result_type = BP_DTYPE_BF16;
  instruction.to = 2 * 65536;
  instruction.columns = 65536;
  compute(instruction, reinterpret_cast<std::byte *>(scratchpad.data()));
  int not_nearest = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float x = from_bf16(static_cast<std::uint16_t>(bits));
    const std::uint16_t found = scratchpad[65536 + bits];
    const std::uint16_t expected = to_bf16(static_cast<float>(exact(static_cast<double>(x))));
    INFO("op " << op << " of " << x << ": " << from_bf16(found) << " instead of " << from_bf16(expected));
    if (std::isnan(from_bf16(expected))) {
      REQUIRE(std::isnan(from_bf16(found)));
      continue;
    }
    REQUIRE(distance(found, expected) <= 1);
    not_nearest += found != expected;
  }
  CHECK(not_nearest < 64);  // one in a thousand
}

// Elements that a function without code left as they are would be seen: whatever was there before must not matter.
TEST_CASE("every function computes in every type for which it is offered") {
  for (std::uint32_t op = 0; op < 256; ++op) {
    const VectorFunction *function = find_function(op);
    for (const std::uint32_t type : {BP_DTYPE_BF16, BP_DTYPE_F32, BP_DTYPE_S8, BP_DTYPE_S32, BP_DTYPE_PRED}) {
      if (function == nullptr || (function->types & set_of(type)) == 0) {
        continue;
      }
      Instruction instruction;
      instruction.opcode = Opcode::Vector;
      instruction.function = static_cast<std::uint8_t>(op);
      instruction.type = instruction.result_type = static_cast<std::uint8_t>(type);
      instruction.to = 64;
      instruction.columns = 8;
      std::vector<std::byte> first(128), second(128, std::byte{1});
      std::fill_n(second.begin(), 64, std::byte{0});  // the operands
      compute(instruction, first.data());
      compute(instruction, second.data());
      const std::size_t bytes = op == BP_OP_COMPARE || op == BP_OP_IS_FINITE ? 8 : 8 * width_of(type);
      INFO("op " << op << " of type " << type);
      CHECK(
          std::equal(first.begin() + 64, first.begin() + 64 + static_cast<std::ptrdiff_t>(bytes), second.begin() + 64));
    }
  }
}

}  // namespace bp::npu
