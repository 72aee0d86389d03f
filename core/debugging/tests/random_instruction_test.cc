#include "core/debugging/random_instruction.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::debugging {

TEST_CASE("random instructions are sound, of the wanted op, and the same for the same seed") {
  for (const ir::Opcode opcode : varied_ops()) {
    std::size_t found = 0;
    for (const ir::ElementType type : {ir::ElementType::F32, ir::ElementType::S8, ir::ElementType::Pred}) {
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const std::optional<ir::Module> module = random_instruction(seed, opcode, type, 300);
        if (!module) {
          continue;
        }
        ++found;
        const std::string text = text::print(*module);
        INFO(text);
        const Status status = ir::verify(*module);
        INFO((status.ok() ? "" : status.error().to_string()));
        REQUIRE(status.ok());
        CHECK(module->entry().root().opcode() == opcode);
        CHECK(text::print(*random_instruction(seed, opcode, type, 300)) == text);
        CHECK(text::parse_module(text).ok());
      }
    }
    INFO(ir::to_string(opcode));
    CHECK(found >= 40);
  }
}

TEST_CASE("random instructions have no op but the varied ones") {
  CHECK(!random_instruction(0, ir::Opcode::AllReduce, ir::ElementType::F32, 300));
}

TEST_CASE("random windows of large arrays are limited in their work") {
  for (const ir::Opcode opcode : {ir::Opcode::ReduceWindow, ir::Opcode::SelectAndScatter}) {
    bool has_long_windows = false;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const auto module = random_instruction(seed, opcode, ir::ElementType::F32, 1 << 16);
      if (!module) {
        continue;
      }
      const ir::Instruction root = module->entry().root();
      const ir::Shape &windows =  // one element for each
          opcode == ir::Opcode::ReduceWindow ? root.shape() : module->instruction(root.operands()[1]).shape();
      double operations = static_cast<double>((windows.is_tuple() ? windows.elements()[0] : windows).element_count());
      for (const ir::WindowDimension &dimension : root.window()) {
        operations *= static_cast<double>(dimension.size);
        has_long_windows |= dimension.size > 100;
      }
      INFO(text::print(*module));
      CHECK(operations <= 1 << 22);
    }
    CHECK(has_long_windows);
  }
}

TEST_CASE("the attributes of random instructions take many values") {
  std::map<ir::Opcode, std::set<std::string>> attributes;
  for (const ir::Opcode opcode : varied_ops()) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      if (const auto module = random_instruction(seed, opcode, ir::ElementType::F32, 4096)) {
        const std::string text = text::print(module->entry().root());
        attributes[opcode].insert(text.substr(std::min(text.rfind("), "), text.size())));
      }
    }
  }
  for (const ir::Opcode opcode : {ir::Opcode::Dot, ir::Opcode::Convolution, ir::Opcode::ReduceWindow,
                                  ir::Opcode::Gather, ir::Opcode::Scatter, ir::Opcode::Pad, ir::Opcode::Slice}) {
    INFO(ir::to_string(opcode));
    CHECK(attributes[opcode].size() >= 40);
  }
}

}  // namespace bp::debugging
