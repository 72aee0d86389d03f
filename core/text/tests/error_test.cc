// Every error of the parser, with the exact message; inputs must not crash, hang or use all memory.
#include <catch2/catch.hpp>

#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::text {
namespace {

// Returns "line:column: message" of the error, or the printed module if there is none.
std::string error_of(std::string_view text) {
  auto module = parse_module(text);
  if (module.ok()) {
    return "no error:\n" + print(*module);
  }
  const Error &error = module.error();
  return fmt::format("{}:{}: {}", error.location().line, error.location().column, error.message());
}

// Same as error_of() for a text that is verified after it was read.
std::string error_of_verified(std::string_view text) {
  auto module = parse_module(text, {"m.hlo"});
  if (!module.ok()) {
    return error_of(text);
  }
  module->set_source_file("m.hlo");
  auto verified = ir::verify(*module);
  return verified.ok() ? "no error"
                       : fmt::format("{}:{}: {}", verified.error().location().line, verified.error().location().column,
                                     verified.error().message());
}

struct Mistake {
  std::string_view text, message;
};

}  // namespace

TEST_CASE("an error shows the file, the place, the line and a caret") {
  auto module = parse_module("e {\n  x = f32[2] parameter(0)\n  y = f32[2] ad(x, x)\n}", {"a.hlo", 7});
  REQUIRE(!module.ok());
  CHECK(module.error().to_string() ==
        "a.hlo:9:14: unknown opcode 'ad', did you mean 'add'?\n"
        "    y = f32[2] ad(x, x)\n"
        "               ^");
}

TEST_CASE("errors in the module") {
  const Mistake table[] = {
      {"", "1:1: expected a computation, found the end of the text"},
      {"// nothing", "1:11: expected a computation, found the end of the text"},
      {"/* never closed", "1:1: expected a computation or the end of the text, found a comment that is not closed"},
      {"HloModule", "1:10: expected the name of the module, found the end of the text"},
      {"HloModule m", "1:12: expected a computation, found the end of the text"},
      {"HloModule m, is_sheduled=true", "1:14: a module has no attribute 'is_sheduled', did you mean 'is_scheduled'?"},
      {"HloModule m, is_scheduled=true, is_scheduled=true", "1:33: attribute 'is_scheduled' is given twice"},
      {"HloModule m, is_scheduled=1", "1:27: expected is_scheduled (true or false), found '1'"},
      {"HloModule m, replica_count=0", "1:28: replica_count is 0, expected at least 1"},
      {"HloModule m, replica_count=99999999999999999999",
       "1:28: expected replica_count, found '99999999999999999999', which does not fit into 64 bits"},
      {"HloModule m, input_output_alias={ {0}: (1, {}, should-alias) }",
       "1:48: expected may-alias or must-alias, found 'should-alias'"},
      {"HloModule m, buffer_donor={ 1 }", "1:29: expected '(' before a donated parameter, found '1'"},
      {"HloModule m, entry_computation_layout={(f32[2] f32[2])->f32[]}",
       "1:48: expected ',' or ')' in the shapes of the parameters, found 'f32'"},
      {"HloModule m, frontend_attributes={a={b}",
       "1:40: expected ',' or '}' in frontend attributes, found the end of the text"},
      {"HloModule m, frontend_attributes={a={b",
       "1:37: a frontend attribute is not closed: expected '}' before the end of the text"},
      {"HloModule m FileNames 2 \"a\"", "1:23: entry 2 of FileNames, expected 1"},
      {"HloModule m StackFrames 1 {frame=1}", "1:28: unknown field 'frame' in a table of stack frames"},
      {"HloModule m HloModule n", "1:13: a second HloModule: a text with several modules must be split first"},
      {"e {}", "1:4: expected the name of an instruction, or '}', found '}'"},
      {"e { x = f32[] parameter(0)", "1:27: expected the name of an instruction, or '}', found the end of the text"},
      {"e (x f32[]) -> f32[2] { x = f32[] parameter(0) }", "1:16: e returns f32[2], but its root has shape f32[]"},
      {"e (x: f32[]) { x = f32[] parameter(0) }", "1:14: expected '->' after the parameters, found '{'"},
      {"e (x: f32[]) -> f32[2] { x = f32[] parameter(0) }", "1:17: e returns f32[2], but its root has shape f32[]"},
      {"e { x = f32[] parameter(0) } e { x = f32[] parameter(0) }", "1:30: computation e is already defined"},
      {"ENTRY e { x = f32[] parameter(0) } ENTRY f { x = f32[] parameter(0) }",
       "1:36: a second ENTRY: e is the entry already"},
      {"e { x = f32[] parameter(0) }, execution_thread=3", "1:48: expected the name of a thread in quotes, found '3'"},
      {"e { x = f32[] parameter(0) } 7", "1:30: expected a computation or the end of the text, found '7'"},
      {"e { x = f32[] parameter(1) }", "1:5: x is parameter 1 of a computation with 1 parameter"},
      {"e { x = f32[] parameter(4000000000) }", "1:5: x is parameter 4000000000 of a computation with 1 parameter"},
      {"e { x = f32[] parameter(0) y = f32[] parameter(0) }", "1:28: y is parameter 0, which x is already"},
      {"e { ROOT x = f32[] parameter(0) ROOT y = f32[] negate(x) }", "1:33: a second ROOT: x is the root already"},
      {"x = f32[] negate(f32[] y) z", "1:27: expected the end of the text after a single instruction, found 'z'"},
      {"\x7f"
       "ELF\x02",
       "1:1: expected a computation or the end of the text, found '\\x7f'"},
  };
  for (const Mistake &row : table) {
    INFO(row.text);
    CHECK(error_of(row.text) == row.message);
  }
}

TEST_CASE("errors in instructions") {
  const Mistake table[] = {
      {"x f32[]", "1:3: expected '{' before the instructions of a computation, found 'f32'"},
      {"x = ", "1:5: expected an opcode, found the end of the text"},
      {"x = f32[] add", "1:14: expected '(' after an opcode, found the end of the text"},
      {"x = f32[] add(f32[] y", "1:22: expected ',' or ')' in the operands, found the end of the text"},
      {"x = f32[] add(f32[] y, )", "1:24: expected an operand, found ')'"},
      {"x = f32[] add(f32[] y)", "1:11: add has 1 operand, expected 2"},
      {"x = f32[] concatenate(), dimensions={0}", "1:11: concatenate has 0 operands, expected at least 1"},
      {"x = f32[] frobnicate()", "1:11: unknown opcode 'frobnicate'"},
      {"x = f32[] send-update()", "1:11: unknown opcode 'send-update', did you mean 'async-update'?"},
      {"x = f32[] negate(y)", "1:18: the shape of y is unknown: write it in front, as in f32[4] y"},
      {"x = negate(f32[2] x1), foo=1", "1:24: negate has no attribute 'foo'"},
      {"x = negate(f32[2] y), metdata={}", "1:23: negate has no attribute 'metdata', did you mean 'metadata'?"},
      {"x = transpose(f32[2] y), dimension={0}",
       "1:26: transpose has no attribute 'dimension', did you mean 'dimensions'?"},
      {"x = transpose(f32[2] y), dimensions={0}, dimensions={0}", "1:42: attribute 'dimensions' is given twice"},
      {"x = copy(f32[] y), metadata={}, metadata={}", "1:33: attribute 'metadata' is given twice"},
      {"x = transpose(f32[2] y)", "1:5: transpose needs the attribute 'dimensions'"},
      {"x = transpose(f32[2] y), dimensions={0,1}", "1:5: dimensions is {0,1}, expected a permutation of 1 dimensions"},
      {"x = transpose(f32[2] y), dimensions=0", "1:37: expected '{' before dimensions, found '0'"},
      {"x = transpose(f32[2] y), dimensions={a}", "1:38: expected an integer, found 'a'"},
      {"x = transpose(f32[2] y), dimensions={0 0}", "1:40: expected ',' or '}' in dimensions, found '0'"},
      {"x = convert(f32[2] y)", "1:5: the shape of convert cannot be inferred: write it before the opcode"},
      {"x = constant(1)", "1:5: the shape of a constant must be written"},
      {"x = compare(f32[] y, f32[] z), direction=XX", "1:42: expected one of EQ, NE, GE, GT, LE, LT, found 'XX'"},
      {"x = s32[] get-tuple-element((s32[]) t), index=0.5", "1:47: expected index, found '0.5'"},
      {"x = f32[] custom-call(), custom_call_target=foo", "1:45: expected custom_call_target, found 'foo'"},
      {"x = f32[] custom-call(), custom_call_target=\"foo",
       "1:45: expected custom_call_target, found a string that is not closed"},
      {"x = f32[] copy(f32[] y), origin=1", "1:33: expected '{' before the value of 'origin', found '1'"},
      {"x = f32[] copy(f32[] y), origin={(}", "1:35: expected ')' in the value of 'origin', found '}'"},
      {"x = f32[] copy(f32[] y), metadata={op_nam=\"a\"}",
       "1:36: metadata has no field 'op_nam', did you mean 'op_name'?"},
      {"x = s32[] negate((f32[]) t#1)", "1:28: no element 1 in (f32[])"},
      {"e { x = f32[] parameter(0) x = f32[] negate(x) }", "1:28: x is already defined in line 1"},
      {"e { abc = f32[] parameter(0) x = f32[] negate(abd) }",
       "1:47: abd is not defined before its use, did you mean 'abc'?"},
      {"e { x = f32[] parameter(0) y = call(x), to_apply=f }", "1:50: computation f is not defined before its use"},
      {"e { x = f32[] parameter(0) y = copy(x), control-predecessors={z} }", "1:63: z is not defined before its use"},
      {"x = f32[] conditional(pred[] p, f32[] a), true_computation={ ROOT q = f32[] parameter(0) }",
       "1:11: conditional needs either true_computation and false_computation or branch_computations"},
      {"x = f32[2] slice(f32[4] y), slice={[0-2]}", "1:37: expected the start of a range, found '0-2'"},
      {"x = pad(f32[4] y, f32[] z), padding=1x2", "1:37: expected paddings such as 0_1x2_2_1, found '1x2'"},
      {"x = f32[] reduce-window(f32[4] y, f32[] z), window={size=2 size=2}", "1:60: 'size' twice in a window"},
      {"x = f32[] reduce-window(f32[4] y, f32[] z), window={size=2 stride=1x1}",
       "1:67: 'stride' has 2 dimensions, the window has 1"},
      {"x = f32[] reduce-window(f32[4] y, f32[] z), window={size=2 stride=0}",
       "1:67: 'stride' is 0 in dimension 0, expected at least 1"},
      {"x = f32[] reduce-window(f32[4] y, f32[] z), window={sizes=2}",
       "1:53: expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal, found 'sizes'"},
      {"x = f32[] convolution(f32[1,1] a, f32[1,1] b), dim_labels=bf_io",
       "1:59: expected dimension labels such as b01f_01io->b01f, found 'bf_io'"},
      {"x = f32[] convolution(f32[1,1] a, f32[1,1] b), dim_labels=bb_io->bf",
       "1:59: 'b' twice in the dimension labels 'bb'"},
      {"x = f32[] convolution(f32[1,1] a, f32[1,1] b), dim_labels=b3f_0io->b0f",
       "1:59: spatial dimension 3 in dimension labels of 1 spatial dimensions"},
      {"x = f32[] convolution(f32[1,1] a, f32[1,1] b), dim_labels=b0f_io->b0f",
       "1:59: dimension labels of ranks 3, 2 and 3, expected the same rank of at least 2"},
      {"x = f32[] convolution(f32[1,1] a, f32[1,1] b), dim_labels=b?f_0io->b?f",
       "1:59: dimension labels with 0, 1 and 0 spatial dimensions, expected as many on each side"},
      {"x = f32[] convolution(f32[1,1] a, f32[1,1] b), dim_labels=b?0_0io->b0f",
       "1:59: no 'f' in the dimension labels 'b?0'"},
      {"ENTRY e { a = f32[4] parameter(0)\n ROOT b = f32[4] negate(f32[3] a) }",
       "2:25: shape f32[3] in front of operand a of shape f32[4], expected the same"},
      {"ENTRY e { a = (f32[4], s32[]) parameter(0)\n ROOT b = f32[4] negate(s32[] a#0) }",
       "2:25: shape s32[] in front of operand a of shape (f32[4], s32[]), expected the same"},
      {"x = f32[2] slice-start(f32[4] y), slice={[0:2]}",
       "1:12: slice-start needs a written shape ((operands), result, ...)"},
      {"x = f32[2] slice-done(f32[4] y)",
       "1:12: operand 0 is the parameter y, expected an async-start or async-update"},
      {"e { y = f32[4] parameter(0) s = ((f32[4]), f32[2], u32[]) slice-start(y), slice={[0:2]} d = f32[2] add-done(s) "
       "}",
       "1:100: add continues s, which started a slice"},
      {"x = f32[4] collective-permute(f32[4] y), source_target_pairs={{0}}",
       "1:63: expected a pair such as {0,1}, found 1 numbers"},
  };
  for (const Mistake &row : table) {
    INFO(row.text);
    CHECK(error_of(row.text) == row.message);
  }
}

TEST_CASE("each kind of mistake is said with its place") {
  struct {
    std::string_view kind, text, message;
  } const table[] = {
      {"wrong type", "e { x = f32[2] parameter(0)\n y = f32[3] parameter(1)\n ROOT z = f32[2] add(x, y) }",
       "3:7: z: operand 1 has shape f32[3], expected f32[2]"},
      {"wrong type", "e { x = f32[2] parameter(0)\n ROOT z = s32[2] negate(x) }",
       "2:7: z: the shape is s32[2], expected f32[2]"},
      {"missing attribute", "e { x = f32[2] parameter(0)\n ROOT z = f32[] reduce(x, x), dimensions={0} }",
       "2:17: reduce needs the attribute 'to_apply'"},
      {"undefined value", "e { x = f32[2] parameter(0)\n ROOT z = f32[2] negate(w) }",
       "2:25: w is not defined before its use, did you mean 'x'?"},
      {"undefined computation", "e { x = f32[2] parameter(0)\n ROOT z = f32[2] call(x), to_apply=f }",
       "2:36: computation f is not defined before its use"},
      {"cycle of values", "e { a = f32[2] negate(b)\n ROOT b = f32[2] negate(a) }",
       "1:23: b is not defined before its use"},
      {"a value of itself", "e { ROOT a = f32[2] negate(f32[2] a) }", "1:35: a is not defined before its use"},
      {"cycle of calls", "e { x = f32[2] parameter(0)\n ROOT z = f32[2] call(x), to_apply=e }",
       "2:36: computation e is not defined before its use"},
      {"cycle of control", "e { x = f32[2] parameter(0)\n ROOT z = f32[2] negate(x), control-predecessors={z} }",
       "2:51: z is not defined before its use"},
      {"redefined value", "e { x = f32[2] parameter(0)\n x = f32[2] negate(x) }",
       "2:2: x is already defined in line 1"},
      {"redefined computation", "e { x = f32[2] parameter(0) }\ne { x = f32[2] parameter(0) }",
       "2:1: computation e is already defined"},
      {"literal that does not fit", "e { ROOT c = s8[2] constant({1, 300}) }", "1:33: 300 is out of the range of s8"},
      {"literal of another size", "e { ROOT c = s32[3] constant({1, 2}) }",
       "1:30: 2 elements in dimension 0 of the literal of s32[3], expected 3"},
      {"unknown opcode", "e { x = f32[2] parameter(0)\n ROOT z = f32[2] mhlo.negate(x) }",
       "2:18: unknown opcode 'mhlo.negate'"},
  };
  for (const auto &row : table) {
    INFO(row.kind << ": " << row.text);
    CHECK(error_of_verified(row.text) == row.message);
  }
}

TEST_CASE("errors in shapes") {
  const Mistake table[] = {
      {"f33[2]", "unknown element type 'f33'"},
      {"f32", "expected '[' after an element type, found the end of the text"},
      {"f32[2", "expected ',' or ']' in the sizes of a shape, found the end of the text"},
      {"f32[-2]", "a dimension has size -2, expected at least 0"},
      {"f32[2x3]", "expected the size of a dimension, found '2x3'"},
      {"f32[99999999999999999999]",
       "expected the size of a dimension, found '99999999999999999999', which does not fit into 64 bits"},
      {"f32[2]{1}", "dimension 1 in the layout of an array of rank 1"},
      {"f32[2,2]{0,0}", "dimension 0 twice in a layout"},
      {"f32[2,2]{0}", "a layout of 1 dimensions for an array of rank 2"},
      {"f32[2]{0:X(1)}", "expected a part of a layout (D, T, L, #, *, E, S, SC, P or M) or '}', found 'X'"},
      {"f32[2]{0:T(0)}", "a tile has size 0, expected at least 1"},
      {"f32[2]{0:S(-1)}", "the memory space is -1, expected at least 0"},
      {"f32[2]{0:E(300)}", "an element width of 300 bits, expected at most 128"},
      {"token[2]", "token has no dimensions"},
      {"(f32[],", "expected a shape, found the end of the text"},
      {"f32[] x", "expected the end of the text after a shape, found 'x'"},
  };
  for (const Mistake &row : table) {
    INFO(row.text);
    auto shape = parse_shape(row.text);
    CHECK((shape.ok() ? "" : shape.error().message()) == row.message);
  }
}

TEST_CASE("errors in literals") {
  struct {
    std::string_view shape, text, message;
  } const table[] = {
      {"s4[]", "8", "8 is out of the range of s4"},
      {"u4[]", "-1", "-1 is out of the range of u4"},
      {"u8[]", "256", "256 is out of the range of u8"},
      {"u64[]", "18446744073709551616", "18446744073709551616 is out of the range of u64"},
      {"s32[]", "1.5", "expected an integer (s32), found '1.5'"},
      {"s32[]", "nan", "expected an integer (s32), found 'nan'"},
      {"pred[]", "2", "expected true, false, 0 or 1, found '2'"},
      {"f32[]", "1e39", "1e39 is out of the range of f32"},
      {"f16[]", "65520", "65520 is out of the range of f16"},
      {"bf16[]", "x", "expected a number (bf16), found 'x'"},
      {"f8e4m3fn[]", "500", "500 is out of the range of f8e4m3fn"},
      {"f8e4m3fn[]", "inf", "f8e4m3fn has no infinity"},
      {"f4e2m1fn[]", "7", "7 is out of the range of f4e2m1fn"},
      {"f4e2m1fn[]", "nan", "f4e2m1fn has no NaN"},
      {"f8e4m3fnuz[]", "-nan", "f8e4m3fnuz has a single NaN, written nan"},
      {"bf16[]", "nan(0x80)", "the payload 0x80 does not fit into the NaN of bf16"},
      {"f32[]", "nan(7)", "expected the hexadecimal payload of a NaN, found '7'"},
      {"c64[]", "1", "expected '(' before a complex number, found '1'"},
      {"c64[]", "(1)", "expected ',' between the parts of a complex number, found ')'"},
      {"f32[2]", "1", "expected '{' before dimension 0 of the literal of f32[2], found '1'"},
      {"f32[2]", "{1}", "1 elements in dimension 0 of the literal of f32[2], expected 2"},
      {"f32[2]", "{1,2,3}", "more than 2 elements in dimension 0 of the literal of f32[2]"},
      {"f32[2]", "{1 2}", "expected ',' or '}' in a literal, found '2'"},
      {"f32[?]", "{1}", "a literal of shape f32[?], whose dimension 0 has no bound"},
      {"(s32[], s32[])", "(1)", "1 elements in the literal of (s32[], s32[]), expected 2"},
      {"(s32[])", "(1, 2)", "more than 1 elements in the literal of (s32[])"},
      {"(s32[])", "(u32[] 1)", "a literal of shape u32[] where s32[] is expected"},
      {"s32[]", "1 2", "expected the end of the text after a literal, found '2'"},
      {"f32[<=2]", "{1, 2, 3}", "more than 2 elements in dimension 0 of the literal of f32[<=2]"},
      {"f32[2,<=3]", "{{1, 2}, {3}}", "1 elements in dimension 1 of the literal of f32[2,<=3], expected 2"},
      {"f32[<=2]", "size 1: {1, 2}", "more than 1 elements in dimension 0 of the literal of f32[<=2]"},
      {"f32[<=2]", "size 3: {1, 2, 3}", "expected sizes within f32[<=2], such as 2:, found '3'"},
      {"f32[<=2]", "size 1x1: {1}", "expected sizes within f32[<=2], such as 2:, found '1x1'"},
      {"f32[2,<=3]", "sizes 1x3: {{1, 2, 3}}", "expected sizes within f32[2,<=3], such as 2x3:, found '1x3'"},
      {"f32[<=2]", "size 1 {1}", "expected ':' after the sizes of a literal, found '{'"},
      {"f32[<=1000000000000]", "{1}",
       "a literal of shape f32[<=1000000000000] is larger than the 1073741824 bytes left for elided literals"},
      // The memory allocated is limited by the text, not by the sizes it states.
      {"f32[1000000000000]", "{1}",
       "the text ends before the 1000000000000 elements of a literal of shape f32[1000000000000]"},
      {"f32[1000000000000]", "{...}",
       "an elided literal of shape f32[1000000000000] is larger than the 1073741824 bytes left for elided literals"},
      {"f32[9223372036854775807,9]", "{...}",
       "an elided literal of shape f32[9223372036854775807,9] is larger than the 1073741824 bytes left for elided "
       "literals"},
  };
  for (const auto &row : table) {
    INFO(row.shape << " " << row.text);
    auto literal = parse_literal(row.text, parse_shape(row.shape).value());
    CHECK((literal.ok() ? "" : literal.error().message()) == row.message);
  }
}

TEST_CASE("errors in a single value for an array") {
  const Mistake table[] = {
      {"f32[2] constant(x)", "1:17: expected a number (f32), found 'x'"},
      {"f32[0] constant(0)", "1:17: a value for f32[0], which has no elements, expected '{'"},
      {"f32[2,2] constant({1, 2})", "1:20: expected '{' before dimension 1 of the literal of f32[2,2], found '1'"},
      {"f32[1000000000000] constant(0)",
       "1:29: a literal of shape f32[1000000000000] is larger than the 1073741824 bytes left for elided literals"},
  };
  for (const Mistake &row : table) {
    INFO(row.text);
    CHECK(error_of(row.text) == row.message);
  }
}

TEST_CASE("errors in shardings and device groups") {
  const Mistake table[] = {
      {"sharding={replicate}",
       "expected a sharding (replicated, manual, unknown, unreduced, maximal, devices, mesh ...), found 'replicate'"},
      {"sharding={devices=[2,2]0,1,2}", "3 devices listed for 4 tiles"},
      {"sharding={devices=[2,2]<=[8]}", "8 devices listed for 4 tiles"},
      {"sharding={devices=[4]<=[2,2]T(0,0)}", "0 in a permutation of 2 dimensions"},
      {"sharding={devices=[4]<=[2,2]T(0)}", "a permutation of 1 dimensions, expected 2"},
      {"sharding={devices=[0]<=[0]}", "expected a size of at least 1, found 0"},
      {"sharding={devices=[9999999999,9999999999]<=[1]}", "more than 1099511627776 devices"},
      {"sharding={maximal device=-1}", "expected a device number of at least 0, found -1"},
      {"sharding={mesh['a'=2], [{'b'}]}", "the mesh has no axis ''b''"},
      {"sharding={mesh[a=2]}", "expected the name of an axis in quotes, found 'a'"},
      {"replica_groups={0,1}", "expected '{' before a device group, found '0'"},
      {"replica_groups=[2]<=[2]", "1 sizes of device groups, expected 2: groups and devices in each"},
  };
  for (const Mistake &row : table) {
    INFO(row.text);
    auto module = parse_module(fmt::format("x = f32[8] all-gather(f32[4] y), dimensions={{0}}, {}", row.text));
    CHECK((module.ok() ? "" : module.error().message()) == row.message);
  }
}

TEST_CASE("hostile texts are refused in time and memory") {
  auto repeated = [](std::string_view part, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += part;
    }
    return text;
  };
  constexpr std::size_t deep = 100000;
  CHECK(error_of("x = " + repeated("(", deep)) == "1:133: nested more than 128 deep");
  CHECK(error_of("x = " + repeated("negate(", deep)) == "1:908: nested more than 128 deep");
  CHECK(error_of("x = " + repeated("f32[] call(), to_apply={ y = ", deep)).ends_with("nested more than 128 deep"));
  CHECK(error_of("x = f32[] copy(f32[] y), sharding=" + repeated("{", deep)).ends_with("nested more than 128 deep"));
  CHECK(error_of("x = f32[] copy(f32[] y), origin=" + repeated("{", deep)).find("found the end of the text") !=
        std::string::npos);
  CHECK(error_of("x = f32[" + repeated("1,", deep)) == "1:137: more than 64 dimensions");
  CHECK(error_of("x = f32[" + repeated("9", deep) + "]").ends_with("which does not fit into 64 bits"));
  // Each line doubles the shape of the previous one.
  std::string doubling = "e {\n t0 = f32[] parameter(0)\n";
  std::string copies;
  for (int i = 0; i < 60; ++i) {
    doubling += fmt::format(" t{} = tuple(t{}, t{})\n", i + 1, i, i);
    if (i == 11) {
      copies = doubling;
    }
  }
  CHECK(error_of(doubling + "}") == "18:8: the tuple has more than 65536 parts");
  for (int i = 0; i < 1000; ++i) {
    copies += fmt::format(" c{} = opt-barrier(t12)\n", i);
  }
  CHECK(error_of(copies + "}")
            .ends_with("the omitted shapes have too many parts in total: write the shape before the opcode"));
  // Many instructions on one line: columns are counted from the previous position, not from the beginning of the line.
  std::string chain = "e { x0 = f32[] parameter(0) ";
  for (int i = 0; i < 50000; ++i) {
    chain += fmt::format("x{} = negate(x{}) ", i + 1, i);
  }
  CHECK(parse_module(chain + "}").ok());
  // Each prefix of a text is an error, but does not crash.
  std::string whole =
      print(parse_module(chain.substr(0, 400).substr(0, chain.substr(0, 400).rfind('x')) + "}").value());
  for (std::size_t i = 0; i < whole.rfind('}'); ++i) {
    CHECK(!parse_module(whole.substr(0, i)).ok());
  }
}

}  // namespace bp::text
