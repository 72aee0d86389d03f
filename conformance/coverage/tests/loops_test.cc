// Loops that count in all ways, with all bodies: they are valid, and have the number of iterations that they should.
#include "conformance/coverage/loops.h"

#include <catch2/catch.hpp>
#include <set>

#include "core/interpreter/interpreter.h"
#include "core/text/printer.h"

namespace bp::coverage {
namespace {

using ir::ElementType;

TEST_CASE("each way to count goes with each body") {
  std::set<std::string> texts;
  std::size_t count = 0;
  for (const Counting &counting : countings()) {
    for (const LoopBody &body : loop_bodies()) {
      for (const ElementType element : {ElementType::S32, ElementType::F32}) {
        INFO(counting.name << " " << body.name << " " << ir::to_string(element));
        const Loop loop{
            .counting = &counting, .body = &body, .iterations = 9, .element = element, .counts_last = count % 2 == 0};
        REQUIRE((is_valid(loop) || body.multiplies));
        if (is_valid(loop)) {
          const auto module = program_of(loop);
          REQUIRE(module.ok());
          texts.insert(text::print(*module));
          ++count;
        }
      }
    }
  }
  CHECK(texts.size() == count);
}

TEST_CASE("a loop has the iterations that are asked for") {
  constexpr LoopBody counted = {"counted", "a:$[]:b", "o = $[] constant(1)  b = $[] add(a, o)"};
  for (const Counting &counting : countings()) {
    for (const std::int64_t iterations : {0, 1, 2, 3, 16, 29}) {
      for (const ElementType counter : {ElementType::S32, ElementType::U8, ElementType::S64}) {
        const Loop loop{.counting = &counting, .body = &counted, .iterations = iterations, .counter = counter};
        INFO(counting.name << " " << iterations << " " << ir::to_string(counter));
        if (!is_valid(loop)) {
          CHECK(counter == ElementType::U8);
          continue;
        }
        const auto module = program_of(loop);
        REQUIRE(module.ok());
        std::vector<ir::Literal> arguments;
        for (const ir::InstructionId id : module->entry().parameter_ids()) {
          arguments.push_back(ir::Literal::zeros(module->instruction(id).shape()).value());
        }
        if (const auto limit = limit_parameter(loop)) {
          arguments[*limit] = counter == ElementType::S32   ? ir::Literal::scalar(counter, std::int32_t(iterations))
                              : counter == ElementType::S64 ? ir::Literal::scalar(counter, iterations)
                                                            : ir::Literal::scalar(counter, std::uint8_t(iterations));
        }
        const auto state = interpreter::interpret(*module, arguments);
        REQUIRE(state.ok());
        CHECK(state->tuple_elements().back().elements<std::int32_t>()[0] ==
              (counting.name == "triangular" && iterations == 1 ? 0 : iterations));
      }
    }
  }
}

}  // namespace
}  // namespace bp::coverage
