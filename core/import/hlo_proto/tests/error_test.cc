// Every error of the reader, with the exact message: protos are built field by field, with an error in one place.
#include <catch2/catch.hpp>

#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/protobuf/tests/fields.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::import::hlo_proto {
namespace {

using protobuf::testing::bytes, protobuf::testing::varint, protobuf::testing::without_offset;

const std::string f32_4 = varint(2, 11) + bytes(3, "\4") + bytes(5, bytes(1, std::string(1, '\0')));

std::string instruction(std::string_view name, std::string_view opcode, std::int64_t id, std::string_view rest) {
  return bytes(2, bytes(1, name) + bytes(2, opcode) + bytes(3, f32_4) + varint(35, id) + std::string(rest));
}
std::string computation(std::string_view instructions, std::int64_t root = 2) {
  return bytes(3, bytes(1, "e") + std::string(instructions) + varint(5, 1) + varint(6, root));
}
std::string module_of(std::string_view computations) {
  return bytes(1, "m") + bytes(2, "e") + std::string(computations) + varint(6, 1);
}
// A module of x and one more instruction, which is the root.
std::string with(std::string_view opcode, std::string_view rest, std::string_view shape = f32_4) {
  return module_of(
      computation(instruction("x", "parameter", 1, varint(9, 0)) +
                  bytes(2, bytes(1, "r") + bytes(2, opcode) + bytes(3, shape) + varint(35, 2) + std::string(rest))));
}

std::string error_of(std::string_view proto) {
  auto module = read_module(proto, {"m.pb"});
  return module.ok() ? "no error" : module.error().to_string();
}

// Same as error_of() for a module that is verified after it was read.
std::string error_of_verified(std::string_view proto) {
  auto module = read_module(proto, {"m.pb"});
  if (!module.ok()) {
    return module.error().to_string();
  }
  auto verified = ir::verify(*module);
  return verified.ok() ? "no error" : verified.error().to_string();
}

const std::string on_x = bytes(36, "\1");

}  // namespace

TEST_CASE("a correct result has no error") {
  CHECK(error_of(with("negate", on_x)) == "no error");
  // Unknown fields of each type are skipped.
  CHECK(error_of(with("negate", on_x + varint(5000, 1) + bytes(5001, "abc") + "\xd1\xb8\x02" + "12345678")) ==
        "no error");
  // An empty message has no effect.
  CHECK(error_of(with("negate", on_x + bytes(98, ""))) == "no error");
  // Numbers need not be packed, and parts of a message may be separate.
  CHECK(error_of(with("dot", varint(36, 1) + varint(36, 1) + bytes(30, varint(1, 0)) + bytes(30, varint(2, 0)))) ==
        "no error");
}

TEST_CASE("errors on the wire") {
  const std::string bad_ids = with("negate", bytes(36, "\xff")), bad_shape = with("negate", on_x, bytes(3, "\4"));
  struct {
    std::string proto, message;
  } const table[] = {
      {"", "m.pb: offset 0: HloModuleProto: no computations"},
      {"\x0a", "m.pb: offset 1: HloModuleProto: the length of field 1 is cut off after 0 bytes"},
      {"\x0a\x05m", "m.pb: offset 0: HloModuleProto: field 1 has 5 bytes, but 1 are left"},
      {"\x0a\1m\x80", "m.pb: offset 3: HloModuleProto: a varint is cut off after 1 byte"},
      {"\x28\xff", "m.pb: offset 1: HloModuleProto: the varint of field 5 is cut off after 1 byte"},
      {"\x28" + std::string(11, '\xff'),
       "m.pb: offset 1: HloModuleProto: the varint of field 5 has more than 10 bytes"},
      {"\x2d"
       "abc",
       "m.pb: offset 0: HloModuleProto: field 5 has 4 bytes, but 3 are left"},
      {std::string(1, '\0'), "m.pb: offset 0: HloModuleProto: field number 0, expected 1 to 536870911"},
      {"\x2b", "m.pb: offset 0: HloModuleProto: wire type 3 of field 5, expected 0, 1, 2 or 5"},
      {varint(1, 5), "m.pb: offset 1: HloModuleProto.name: found a varint, expected a string of bytes"},
      {bytes(1, "m") + varint(3, 1),
       "m.pb: offset 4: HloModuleProto.computations: found a varint, expected a string of bytes"},
      {bad_ids,
       fmt::format(
           "m.pb: offset {}: HloModuleProto.computations[0].instructions[1].operand_ids: a varint is cut off after "
           "1 byte",
           bad_ids.find('\xff'))},
      {bad_shape,
       fmt::format(
           "m.pb: offset {}: HloModuleProto.computations[0].instructions[1].shape.element_type: 0 is not an element "
           "type",
           bad_shape.rfind(bytes(3, "\4")))},
  };
  for (const auto &[proto, message] : table) {
    CHECK(error_of(proto) == message);
  }
}

TEST_CASE("errors in modules") {
  std::string x = instruction("x", "parameter", 1, varint(9, 0));
  std::string at = "m.pb: HloModuleProto.computations[0]";
  struct {
    std::string proto, message;
  } const table[] = {
      {module_of(computation(x, 7)), at + ".root_id: no instruction of e has id 7"},
      {module_of(computation(x, 1) + computation(x, 1)),
       "m.pb: HloModuleProto.computations[1].name: computation e is defined twice, expected unique names"},
      {bytes(1, "m") + computation(x, 1) + varint(6, 9),
       "m.pb: HloModuleProto.entry_computation_id: no computation has id 9"},
      {module_of(computation(x + instruction("y", "parameter", 1, varint(9, 1)), 1)),
       at + ".instructions[1].id: x has id 1 as well, expected unique ids"},
      {module_of(computation(x + instruction("y", "parameter", 2, varint(9, 0)), 1)),
       at + ": y is parameter 0, as another instruction is already"},
      {module_of(computation(instruction("x", "parameter", 1, varint(9, 4)), 1)),
       at + ": x is parameter 4 of a computation with 1"},
      {with("frobnicate", on_x), at + ".instructions[1].opcode: unknown opcode 'frobnicate'"},
      {with("negate", bytes(36, "\5")), at + ".instructions[1].operand_ids: no instruction before this one has id 5"},
      {with("negate", bytes(36, "\2")), at + ".instructions[1].operand_ids: no instruction before this one has id 2"},
      {with("negate", {}), at + ".instructions[1].operand_ids: negate has 0 operands, expected 1"},
      {with("call", on_x), at + ".instructions[1].called_computation_ids: call calls 0 computations, expected 1"},
      {with("call", on_x + bytes(38, "\1")),
       at + ".instructions[1].called_computation_ids: no computation before this one has id 1"},
      {with("compare", bytes(36, "\1\1")),
       at + ".instructions[1].comparison_direction: '' is not a value of 'direction'"},
      {with("fft", on_x + varint(31, 17)), at + ".instructions[1].fft_type: 17 is not a value of fft_type"},
      {with("constant", {}), at + ".instructions[1]: constant r has no literal"},
      {with("constant", bytes(8, bytes(1, f32_4))),
       at + ".instructions[1].literal.f32s: 0 values, expected 4 for f32[4]"},
      {with("constant", bytes(8, bytes(1, f32_4) + bytes(8, "abc"))),
       at + ".instructions[1].literal.f32s: 3 bytes, expected a multiple of 4"},
      {with("constant", bytes(8, bytes(1, varint(2, 11)) + bytes(8, "abcd"))),
       at + ".instructions[1].literal: shape f32[], expected that of the constant, f32[4]"},
      {with("negate", on_x + bytes(8, bytes(1, f32_4))),
       at + ".instructions[1].literal: negate has a literal, expected none"},
      {with("negate", on_x, varint(2, 11) + varint(3, -5)),
       at + ".instructions[1].shape.dimensions: a dimension has size -5, expected at least 0"},
      {with("negate", on_x, varint(2, 11) + bytes(3, "\4") + bytes(5, bytes(1, "\3"))),
       at + ".instructions[1].shape.layout.minor_to_major: {3}, expected each of 0 to 0 once"},
      {with("convolution", bytes(36, "\1\1") + bytes(16, varint(8, 70))),
       at + ".instructions[1].convolution_dimension_numbers.input_feature_dimension: found 70, expected 0 to 63"},
      {with("reduce-window", bytes(36, "\1\1") + bytes(15, bytes(1, varint(1, 2)))),
       at + ".instructions[1].called_computation_ids: reduce-window calls 0 computations, expected 1"},
      {with("negate", on_x) + bytes(7, bytes(1, varint(1, 1) + bytes(2, bytes(1, "\2\1")))),
       at + ": the schedule has r before x, which it needs"},
      {with("negate", on_x) + bytes(7, bytes(1, varint(1, 1) + bytes(2, bytes(1, "\1")))),
       at + ": the schedule has 1 of 2 instructions, expected all"},
      {with("negate", on_x) + bytes(7, bytes(1, varint(1, 1) + bytes(2, bytes(1, "\1\1")))),
       at + ": the schedule has x twice"},
      {with("convolution", on_x + bytes(98, bytes(1, varint(1, 2)))),
       at + ".instructions[1].sparsity_config: convolution has sparse operands, expected dense ones"},
      {with("negate", on_x + bytes(40, varint(1, 99))),
       at + ".instructions[1].sharding.type: type 99 of a sharding, expected one that a word names"},
      {with("negate", on_x + bytes(99, varint(2, 4))),
       at + ".instructions[1].backend_config_payload.id: payload 4 of 0"},
  };
  for (const auto &[proto, message] : table) {
    CHECK(without_offset(error_of(proto)) == message);
  }
}

TEST_CASE("each kind of mistake names its field") {
  std::string at = "m.pb: HloModuleProto.computations[0]";
  std::string s8_2 = varint(2, 2) + bytes(3, "\2") + bytes(5, bytes(1, std::string(1, '\0')));
  struct {
    std::string_view kind;
    std::string proto, message;
  } const table[] = {
      {"wrong type of a field", with("negate", on_x + varint(7, 1)),
       at + ".instructions[1].metadata: found a varint, expected a string of bytes"},
      {"unknown element type", with("negate", on_x, varint(2, 99)),
       at + ".instructions[1].shape.element_type: 99 is not an element type"},
      {"result of another type than the operand's", with("negate", on_x, s8_2),
       "m.pb: r: the shape is s8[2], expected f32[4]"},
      {"missing attribute", with("compare", bytes(36, "\1\1")),
       at + ".instructions[1].comparison_direction: '' is not a value of 'direction'"},
      {"missing literal", with("constant", {}), at + ".instructions[1]: constant r has no literal"},
      {"undefined value", with("negate", bytes(36, "\7")),
       at + ".instructions[1].operand_ids: no instruction before this one has id 7"},
      {"cycle of values", with("negate", bytes(36, "\2")),
       at + ".instructions[1].operand_ids: no instruction before this one has id 2"},
      {"cycle of control", with("negate", on_x + bytes(37, "\2")),
       at + ".instructions[1].control_predecessor_ids: no instruction before this one has id 2"},
      {"dangling control predecessor", with("negate", on_x + bytes(37, "\7")),
       at + ".instructions[1].control_predecessor_ids: no instruction before this one has id 7"},
      {"cycle of calls", with("call", on_x + bytes(38, "\1")),
       at + ".instructions[1].called_computation_ids: no computation before this one has id 1"},
      {"dangling called computation", with("call", on_x + bytes(38, "\7")),
       at + ".instructions[1].called_computation_ids: no computation before this one has id 7"},
      {"dangling root", module_of(computation(instruction("x", "parameter", 1, varint(9, 0)), 7)),
       at + ".root_id: no instruction of e has id 7"},
      {"dangling id in the schedule",
       with("negate", on_x) + bytes(7, bytes(1, varint(1, 1) + bytes(2, bytes(1, "\1\7")))),
       at + ": the schedule has instruction 7, which the computation does not have"},
      {"schedule of a computation that is not there",
       with("negate", on_x) + bytes(7, bytes(1, varint(1, 7) + bytes(2, bytes(1, "\1\2")))),
       "m.pb: HloModuleProto.schedule: no computation has id 7"},
      {"dangling payload", with("negate", on_x + bytes(99, varint(2, 7))),
       at + ".instructions[1].backend_config_payload.id: payload 7 of 0"},
      {"redefined id", with("negate", on_x + varint(35, 1)),
       at + ".instructions[1].id: x has id 1 as well, expected unique ids"},
      {"redefined computation",
       module_of(
           computation(instruction("x", "parameter", 1, varint(9, 0)), 1) +
           bytes(3, bytes(1, "f") + instruction("x", "parameter", 1, varint(9, 0)) + varint(5, 1) + varint(6, 1))),
       "m.pb: HloModuleProto.computations[1].id: computation e has id 1 as well, expected unique ids"},
      {"literal that is too short", with("constant", bytes(8, bytes(1, s8_2) + bytes(15, "a")), s8_2),
       at + ".instructions[1].literal.s8s: 1 values, expected 2 for s8[2]"},
      {"literal of another type", with("constant", bytes(8, bytes(1, s8_2) + bytes(15, "ab"))),
       at + ".instructions[1].literal: shape s8[2], expected that of the constant, f32[4]"},
      {"opcode of another dialect", with("stablehlo.negate", on_x),
       at + ".instructions[1].opcode: unknown opcode 'stablehlo.negate'"},
  };
  for (const auto &row : table) {
    INFO(row.kind);
    CHECK(without_offset(error_of_verified(row.proto)) == row.message);
  }
}

TEST_CASE("nesting is limited") {
  std::string shape = f32_4;
  for (int i = 0; i < 1000; ++i) {
    shape = varint(2, 13) + bytes(4, shape);
  }
  std::string message = error_of(with("tuple", on_x, shape));
  CHECK(message.ends_with(": messages nested more than 100 deep"));
}

TEST_CASE("modules that the format cannot express are refused") {
  auto module = text::parse_module(
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[4] parameter(0)\n ROOT r = f32[4] all-reduce(x), to_apply=add, mode=cross_replica }",
      {"m.hlo"});
  REQUIRE(module.ok());
  module->set_source_file("m.hlo");
  auto written = write_module(*module);
  REQUIRE(!written.ok());
  CHECK(written.error().code() == ErrorCode::Unsupported);
  CHECK(written.error().to_string().starts_with("m.hlo:5:"));
  CHECK(written.error().message() == "r: HLO protos have no field for the attribute 'mode'");
}

}  // namespace bp::import::hlo_proto
