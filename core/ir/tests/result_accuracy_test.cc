#include "core/ir/result_accuracy.h"

#include <catch2/catch.hpp>

#include "core/ir/builder.h"
#include "core/ir/verifier.h"

namespace bp::ir {
namespace {

// A module whose root is tanh of one value of the type, with this text as its attribute.
Module tanh_with(ElementType type, std::string_view text) {
  Module module("accuracy");
  Builder builder(module, module.add_computation("main"));
  const InstructionId x = builder.parameter(Shape::array(type, {2}));
  builder.finish(builder.add(Opcode::Tanh, {x}, [&](Module &m, InstructionId id) {
    if (!text.empty()) {
      m.set_text(id, AttributeKey::ResultAccuracy, text);
    }
  }));
  return module;
}

std::uint32_t ulps(std::string_view text, ElementType type = ElementType::F32) {
  const Module module = tanh_with(type, text);
  return required_ulps(module.entry().root());
}

}  // namespace

TEST_CASE("the required accuracy is the strictest reading of result_accuracy, in ulp") {
  CHECK(ulps("") == 0);
  CHECK(ulps("{mode=default}") == 0);
  CHECK(ulps("{mode=highest}") == 1);
  CHECK(ulps("{ mode = highest }") == 1);
  CHECK(ulps("{tolerance={atol=0,rtol=0,ulps=2}}") == 2);
  CHECK(ulps("{tolerance={ulps=9000000000}}") == 1U << 31);
  CHECK(ulps("{tolerance={atol=0.5,rtol=0,ulps=0}}") == 1);
  CHECK(ulps("{tolerance={}}") == 1);
  CHECK(ulps("{tolerance={atol=0,rtol=1e-30,ulps=0}}") == 1);
  // An ulp of f32 is at most 2^-23 of the value, one of bf16 2^-7.
  CHECK(ulps("{tolerance={atol=0,rtol=4.76837158203125e-07,ulps=0}}") == 4);
  CHECK(ulps("{tolerance={atol=0,rtol=4.76837158203125e-07,ulps=3}}") == 3);
  CHECK(ulps("{tolerance={atol=0,rtol=0.015625,ulps=0}}", ElementType::BF16) == 2);
  CHECK(ulps("{tolerance={atol=0,rtol=4.76837158203125e-07,ulps=0}}", ElementType::C64) == 4);
}

TEST_CASE("a text that is no accuracy is an error of the verifier") {
  for (const std::string_view text :
       {"{}", "{mode=best}", "{tolerance={ulps=-1}}", "{tolerance={ulps=2", "{tolerance={ulp=2}}",
        "{tolerance={rtol=-0.5}}", "{tolerance={rtol=nan}}", "{tolerance={ulps=1x}}", "highest"}) {
    INFO(text);
    const Status status = verify(tanh_with(ElementType::F32, text));
    REQUIRE_FALSE(status.ok());
    CHECK_THAT(status.error().message(),
               Catch::Contains("result_accuracy is " + std::string(text) +
                               ", expected {mode=default}, {mode=highest} or {tolerance={atol=0,rtol=0,ulps=2}}"));
  }
  CHECK(verify(tanh_with(ElementType::F32, "{tolerance={atol=0.5,rtol=0,ulps=2}}")).ok());
}

TEST_CASE("the bound of an instruction is its own or that of the op table") {
  CHECK(accuracy_of(tanh_with(ElementType::F32, "").entry().root()).wide == info(Opcode::Tanh).accuracy.wide);
  CHECK(accuracy_of(tanh_with(ElementType::F32, "{mode=highest}").entry().root()).wide == 1);
  CHECK(accuracy_of(tanh_with(ElementType::F32, "{tolerance={ulps=40}}").entry().root()).complex == 40);
}

}  // namespace bp::ir
