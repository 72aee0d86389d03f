// The helpers for plugins in C (plugin_api/c): what they read of a module, and which addresses they take.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/host/image.h"
#include "core/text/parser.h"
#include "plugin_api/c/address_space.h"
#include "plugin_api/c/module_reader.h"

namespace bp::host {
namespace {

constexpr std::string_view attributed = R"(HloModule attributed
ENTRY main {
  x = f32[2,3,5]{1,2,0} parameter(0)
  s = f32[2,2,3]{2,1,0} slice(x), slice={[0:2], [0:2], [1:4]}
  c = f32[2] custom-call(s), custom_call_target="scale"
  k = f32[2] constant({1, 2})
  e = f32[2] add(c, k)
  scale = f32[3] parameter(1)
  offset = f32[3] parameter(2)
  n = (f32[2,2,3], f32[3], f32[3]) batch-norm-training(s, scale, offset), epsilon=0.25, feature_index=2
  t = f32[2,3,5]{1,2,0:T(2,4)(2)} parameter(3)
  u = f32[2,3,5]{1,2,0:T(2,4)(2)} negate(t)
  ROOT r = (f32[2], f32[2,2,3], f32[2,3,5]{1,2,0:T(2,4)(2)}) tuple(e, s, u)
})";

// Returns the index of the first instruction with an op.
std::uint32_t find(const bp_module_t *module, std::uint16_t op) {
  std::uint32_t at = 0;
  while (bp_read_instr(module, at)->op != op) {
    ++at;
    REQUIRE(at < module->instrs.count);
  }
  return at;
}

struct Read {
  ir::Module program = text::parse_module(attributed).value();
  Image image = build_image(program, Stage::Legalize).value();
  const bp_module_t *module = image.view().image();
};

}  // namespace

TEST_CASE("C helpers read attributes as what they are") {
  const Read read;
  const bp_module_t *module = read.module;
  const std::uint32_t slice = find(module, BP_OP_SLICE), call = find(module, BP_OP_CUSTOM_CALL);
  const std::uint32_t constant = find(module, BP_OP_CONSTANT), norm = find(module, BP_OP_BATCH_NORM_TRAINING);
  std::uint32_t count = 77;
  const std::int64_t *bounds = bp_read_integers(module, slice, BP_ATTR_SLICE, &count);
  CHECK(std::vector(bounds, bounds + count) == std::vector<std::int64_t>{0, 2, 1, 0, 2, 1, 1, 4, 1});
  CHECK(bp_read_integers(module, call, BP_ATTR_SLICE, &count) == nullptr);
  CHECK(count == 0);
  CHECK(bp_read_integer(module, norm, BP_ATTR_FEATURE_INDEX, 9) == 2);
  CHECK(bp_read_integer(module, slice, BP_ATTR_FEATURE_INDEX, 9) == 9);
  CHECK(bp_read_real(module, norm, BP_ATTR_EPSILON, 8) == 0.25);
  CHECK(bp_read_real(module, slice, BP_ATTR_EPSILON, 8) == 8);
  CHECK(bp_read_real(module, norm, BP_ATTR_FEATURE_INDEX, 8) == 8);  // of another type
  CHECK(std::string_view(bp_read_text(module, call, BP_ATTR_CUSTOM_CALL_TARGET, "none")) == "scale");
  CHECK(std::string_view(bp_read_text(module, slice, BP_ATTR_CUSTOM_CALL_TARGET, "none")) == "none");
  const std::uint8_t *bytes = bp_read_bytes(module, constant, BP_ATTR_VALUE, &count);
  const float expected[] = {1, 2};
  REQUIRE(count == sizeof expected);
  CHECK(std::memcmp(bytes, expected, sizeof expected) == 0);
}

TEST_CASE("C helpers read values, layouts and strides") {
  const Read read;
  const bp_module_t *module = read.module;
  const std::uint32_t slice = find(module, BP_OP_SLICE), negate = find(module, BP_OP_NEGATE);
  CHECK(bp_read_operand(module, slice, 0) == BP_AT(module, values, bp_value_t, bp_read_instr(module, 0)->results));
  CHECK(bp_read_result(module, slice, 0)->instr == slice);
  std::array<std::int64_t, 3> strides{};
  CHECK(bp_read_strides(module, bp_read_operand_shape(module, slice, 0), strides.data()) == 1);
  CHECK(strides == std::array<std::int64_t, 3>{15, 1, 3});
  CHECK(bp_read_strides(module, bp_read_result_shape(module, slice, 0), strides.data()) == 1);
  CHECK(strides == std::array<std::int64_t, 3>{6, 3, 1});

  const bp_shape_t *tiled = bp_read_result_shape(module, negate, 0);
  CHECK(bp_read_strides(module, tiled, strides.data()) == 0);
  const std::int64_t *order = bp_read_minor_to_major(module, tiled);
  CHECK(std::vector(order, order + 3) == std::vector<std::int64_t>{1, 2, 0});
  REQUIRE(bp_read_tile_count(module, tiled) == 2);
  std::uint32_t rank = 0;
  const std::int64_t *tile = bp_read_tile(module, tiled, 0, &rank);
  CHECK(std::vector(tile, tile + rank) == std::vector<std::int64_t>{2, 4});
  tile = bp_read_tile(module, tiled, 1, &rank);
  CHECK(std::vector(tile, tile + rank) == std::vector<std::int64_t>{2});
}

TEST_CASE("C helpers read and write packed elements") {
  std::uint8_t nibbles[] = {0x21, 0x8f};
  CHECK(bp_read_packed(nibbles, 4, 0) == 1);
  CHECK(bp_read_packed(nibbles, 4, 1) == 2);
  CHECK(bp_read_packed_signed(nibbles, 4, 2) == -1);
  CHECK(bp_read_packed_signed(nibbles, 4, 3) == -8);
  bp_write_packed(nibbles, 4, 1, 0xfd);
  CHECK(nibbles[0] == 0xd1);
  std::uint8_t pairs[] = {0b11'10'01'00};
  CHECK(bp_read_packed(pairs, 2, 1) == 1);
  CHECK(bp_read_packed_signed(pairs, 2, 2) == -2);
  bp_write_packed(pairs, 2, 3, 0);
  CHECK(pairs[0] == 0b00'10'01'00);
}

TEST_CASE("an address space takes the lowest room, and gives it back") {
  bp_address_space_t space;
  bp_address_space_init(&space, 100, 1000);
  CHECK(bp_address_space_take(&space, 50, 64) == 128);
  CHECK(bp_address_space_take(&space, 28, 1) == 100);
  CHECK(bp_address_space_take(&space, 1, 64) == 192);
  CHECK(bp_address_space_take(&space, 1000, 1) == 0);
  CHECK(bp_address_space_take(&space, UINT64_MAX, 64) == 0);
  CHECK(bp_address_space_take(&space, 907, 1) == 193);
  CHECK(bp_address_space_take(&space, 15, 1) == 0);
  CHECK(bp_address_space_take(&space, 14, 1) == 178);
  bp_address_space_give_back(&space, 128);
  bp_address_space_give_back(&space, 128);  // nothing begins there any more
  CHECK(bp_address_space_take(&space, 51, 64) == 0);
  CHECK(bp_address_space_take(&space, 50, 64) == 128);
  CHECK(bp_address_space_has(&space, 128, 10, 40) == 1);
  CHECK(bp_address_space_has(&space, 128, 10, 41) == 0);
  CHECK(bp_address_space_has(&space, 128, UINT64_MAX, 2) == 0);
  CHECK(bp_address_space_has(&space, 129, 0, 1) == 0);
  bp_address_space_destroy(&space);
}

}  // namespace bp::host
