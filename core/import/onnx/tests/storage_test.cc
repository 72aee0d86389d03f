// Weights inside of a model's file: views into it, or copies.
#include <catch2/catch.hpp>
#include <cstring>

#include "core/import/onnx/onnx.h"
#include "core/import/onnx/tests/models.h"

namespace bp::import::onnx {
namespace {

using namespace onnx::testing;

// A model that adds a weight of 16 numbers, whose bytes follow `padding` bytes of its name.
std::string model_with_weight(std::size_t padding) {
  const std::string name = "w" + std::string(padding, '_'), elements(64, '\1');
  return model(node("Add", {"x", name}, {"y"}),
               bytes(5, varint(1, 16) + varint(2, float_type) + bytes(8, name) + bytes(9, elements)), 17, {2, 16});
}

// The bytes of a model at an aligned address, with an owner.
std::shared_ptr<const std::byte[]> aligned_copy(const std::string &proto) {
  auto *copy = static_cast<std::byte *>(std::aligned_alloc(64, (proto.size() + 63) / 64 * 64));
  std::memcpy(copy, proto.data(), proto.size());
  return {copy, [](const std::byte *bytes) { std::free(const_cast<std::byte *>(bytes)); }};
}

const ir::Literal &constant_of(const ir::Module &module) {
  for (const ir::Instruction &instruction : module.entry().instructions()) {
    if (instruction.opcode() == ir::Opcode::Constant) {
      return instruction.literal();
    }
  }
  FAIL("there is no constant");
  std::abort();
}

}  // namespace

TEST_CASE("aligned weights are used where they are, others are copied") {
  int views = 0;
  for (std::size_t padding = 0; padding < 64; ++padding) {
    const std::string proto = model_with_weight(padding);
    std::shared_ptr<const std::byte[]> copy = aligned_copy(proto);
    const std::byte *begin = copy.get();
    Options options{"m.onnx"};
    options.owner = copy;
    const auto module = read({reinterpret_cast<const char *>(begin), proto.size()}, options);
    REQUIRE(module.ok());
    options.owner.reset();
    const std::weak_ptr<const std::byte[]> watched = copy;
    copy.reset();
    const ir::Literal &weight = constant_of(*module);
    const std::size_t place = proto.find(std::string(64, '\1'));
    CHECK(!watched.expired() == (place % 64 == 0));
    CHECK((weight.bytes().data() == begin + place) == (place % 64 == 0));
    CHECK(std::ranges::all_of(weight.bytes(), [](std::byte byte) { return byte == std::byte{1}; }));
    views += place % 64 == 0 ? 1 : 0;
  }
  CHECK(views > 0);
}

TEST_CASE("the inputs of a model are read without its weights and nodes") {
  const std::string damaged = bytes(5, varint(1, 4) + varint(2, float_type) + bytes(8, "w") + bytes(9, "abc"));
  const std::string proto = model(node("Add", {"x", "w"}, {"y"}), damaged + bytes(11, value("w", {4})));
  const auto found = inputs(proto, {"m.onnx"});
  REQUIRE(found.ok());
  REQUIRE(found->size() == 1);  // w is a constant
  CHECK((*found)[0].name == "x");
  CHECK_FALSE(read(proto, {"m.onnx"}).ok());
}

}  // namespace bp::import::onnx
