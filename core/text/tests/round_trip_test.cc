// Texts that the parser accepts and their printed form. Each printed text is parsed again and must print the same.
#include <catch2/catch.hpp>

#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::text {
namespace {

std::string round_trip(std::string_view text) {
  INFO(text);
  auto module = parse_module(text);
  if (!module.ok()) {
    return module.error().to_string();
  }
  std::string printed = print(*module);
  INFO(printed);
  auto again = parse_module(printed);
  REQUIRE((again.ok() ? std::string() : again.error().to_string()).empty());
  CHECK(print(*again) == printed);
  return printed;
}

// Returns the last instruction of the last computation, without leading blanks.
std::string printed_root(std::string_view text) {
  std::string printed = round_trip(text);
  std::size_t begin = printed.rfind("  ROOT ");
  if (begin == std::string::npos) {
    return printed;
  }
  begin += 7;
  return printed.substr(begin, printed.find('\n', begin) - begin);
}

struct Spelling {
  std::string_view text, printed;
};

constexpr std::string_view helpers = R"(
%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(%x, %y)
}
%is_less (a: f32[], b: f32[]) -> pred[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %less = pred[] compare(%a, %b), direction=LT
}
%negate (a: f32[4]) -> f32[4] {
  %a = f32[4] parameter(0)
  ROOT %negated = f32[4] negate(%a)
}
)";

std::string with_helpers(std::string_view instructions) {
  return fmt::format("{}\nENTRY %main {{\n{}\n}}\n", helpers, instructions);
}

}  // namespace

TEST_CASE("shapes and layouts") {
  const Spelling table[] = {
      {"f32[]", "f32[]"},
      {"f32[2,3]", "f32[2,3]{1,0}"},
      {"f32[ 2 , 3 ]{ 0 , 1 }", "f32[2,3]{0,1}"},
      {"s4[4,16]{1,0:E(4)}", "s4[4,16]{1,0:E(4)}"},
      {"bf16[<=8,?,3]{2,1,0}", "bf16[<=8,?,3]{2,1,0}"},
      {"f32[256,64]{1,0:T(8,128)(2,1)S(1)}", "f32[256,64]{1,0:T(8,128)(2,1)S(1)}"},
      {"f32[8]{0:T(*,8)L(4)#(u32)*(u64)E(32)S(5)SC(0:1,2)(1:3)P(f32[8])M(16)}",
       "f32[8]{0:T(*,8)L(4)#(u32)*(u64)E(32)S(5)SC(0:1,2)(1:3)P(f32[8]{0})M(16)}"},
      {"f32[8]{0:D(C,D)}", "f32[8]{0:D(C,D)}"},
      {"f32[8]{0:L(1)M(0)}", "f32[8]{0}"},
      {"f32[]{:S(5)}", "f32[]{:S(5)}"},
      {"(f32[], (s32[2], token[]), opaque[])", "(f32[], (s32[2]{0}, token[]), opaque[])"},
      {"()", "()"},
      {"b(f32[8])", "b(f32[8]{0})"},
      {"f8e4m3b11fnuz[0]", "f8e4m3b11fnuz[0]{0}"},
  };
  for (const Spelling &row : table) {
    INFO(row.text);
    auto shape = parse_shape(row.text);
    REQUIRE((shape.ok() ? "" : shape.error().to_string()) == "");
    CHECK(to_string(*shape, ir::PrintLayout::Always) == row.printed);
  }
}

TEST_CASE("literals") {
  struct {
    std::string_view shape, text, printed;
  } const table[] = {
      {"s32[]", "-42", "-42"},
      {"u64[]", "18446744073709551615", "18446744073709551615"},
      {"s64[]", "-9223372036854775808", "-9223372036854775808"},
      {"s4[3]", "{-8,7,0}", "{-8, 7, 0}"},
      {"u1[2]", "{0,1}", "{0, 1}"},
      {"pred[4]", "{true, false, 0, 1}", "{true, false, false, true}"},
      {"f32[2,2]", "{ { 1, 2.5 }, /*i1*/ { -0, 1e-45 } }", "{ {1, 2.5}, {-0, 1e-45} }"},
      {"f32[6]", "{inf, -inf, nan, -nan, nan(0x1), -nan(0x7fffff)}",
       "{inf, -inf, nan, -nan, nan(0x1), -nan(0x7fffff)}"},
      {"f32[]", "nan(0x400000)", "nan"},
      {"f64[2]", "{1e+300, 1e-400}", "{1e+300, 0}"},
      {"bf16[2]", "{0.1, nan(0x3)}", "{0.100097656, nan(0x3)}"},
      {"f16[]", "65504", "65504"},
      {"f8e5m2[2]", "{57344, inf}", "{57344, inf}"},
      {"f8e4m3fn[3]", "{448, nan, -nan}", "{448, nan, -nan}"},
      {"f8e4m3fnuz[]", "nan", "nan"},
      {"f8e8m0fnu[2]", "{0.5, nan}", "{0.5, nan}"},
      {"f4e2m1fn[2]", "{6, -0.5}", "{6, -0.5}"},
      {"c64[2]", "{(1, -2), (-inf, nan)}", "{(1, -2), (-inf, nan)}"},
      {"(s32[2], (f32[], pred[]))", "({1,2}, (f32[] 3, true))", "( {1, 2}, ( 3, true ) )"},
      {"f32[0]", "{}", "{}"},
      {"f32[2,0]", "{{},{}}", "{}"},
      {"()", "()", "( )"},
      {"f32[<=8]", "{1,2}", "size 2: {1, 2}"},
      {"f32[<=8]", "size 2: {1, 2}", "size 2: {1, 2}"},
      {"f32[<=8]", "{}", "size 0: {}"},
      {"f32[2]", "size 2: {1, 2}", "{1, 2}"},
      {"s32[3,<=4]", "{{1,2},{3,4},{5,6}}", "sizes 3x2: { {1, 2}, {3, 4}, {5, 6} }"},
      {"s32[<=3,<=4,2]", "sizes 1x2x2: {{{1,2},{3,4}}}", "sizes 1x2x2: { { {1, 2}, {3, 4} } }"},
      {"(s32[<=3], s32[])", "({7}, 8)", "( size 1: {7}, 8 )"},
  };
  for (const auto &row : table) {
    INFO(row.shape << " " << row.text);
    ir::Shape shape = parse_shape(row.shape).value();
    auto literal = parse_literal(row.text, shape);
    REQUIRE((literal.ok() ? "" : literal.error().to_string()) == "");
    CHECK(print(*literal) == row.printed);
    auto again = parse_literal(print(*literal), shape);
    REQUIRE(again.ok());
    CHECK(literal->identical(*again));
  }
}

TEST_CASE("elided literals are returned when they are printed, and given when they are read") {
  const std::string_view text =
      "HloModule m\nENTRY e { a = s32[3] constant({1, 2, 3})  b = s32[2] constant({4, 5})\n"
      "  t = (s32[], s32[4]) constant((6, {7, 8, 9, 10}))  ROOT r = s32[3] add(a, a) }\n";
  const ir::Module module = parse_module(text).value();
  std::vector<ir::Literal> elided;
  PrintOptions printing;
  printing.max_literal_elements = 2;
  printing.elided = &elided;
  const std::string brief = print(module, printing);
  CHECK(brief.find("{4, 5}") != std::string::npos);
  CHECK(brief.find("{1, 2, 3}") == std::string::npos);
  REQUIRE(elided.size() == 2);
  ParseOptions parsing;
  parsing.elided = &elided;
  CHECK(print(parse_module(brief, parsing).value()) == print(module));
  std::swap(elided[0], elided[1]);
  CHECK(parse_module(brief, parsing)
            .error()
            .to_string()
            .find("the value of an elided literal has shape s32[4], expected s32[3]") != std::string::npos);
  elided.erase(elided.begin());
  CHECK(parse_module(brief, parsing)
            .error()
            .to_string()
            .find("an elided literal of shape s32[4], but only 1 values were given") != std::string::npos);
}

TEST_CASE("an elided literal is filled from the seed, with a warning") {
  std::vector<std::string> warnings;
  ParseOptions options{"a.hlo", 10, &warnings, 7};
  std::string_view text = "c = f32[3] constant({...})";
  std::string first = print(parse_module(text, options).value());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "a.hlo:10:21: the literal of f32[3] is elided: it is filled from seed 7");
  CHECK(first == print(parse_module(text, options).value()));
  options.seed = 8;
  CHECK(first != print(parse_module(text, options).value()));
}

TEST_CASE("a single value for an array is its first element, with a warning unless it is zero") {
  std::vector<std::string> warnings;
  ParseOptions options{"a.hlo", 10, &warnings, 7};
  auto constant = [&](std::string_view text) {
    return print(parse_module(text, options).value().entry().root().literal());
  };
  CHECK(constant("s32[3] constant(0)") == "{0, 0, 0}");
  CHECK(warnings.empty());
  CHECK(constant("s32[3] constant(5)") == "{5, 0, 0}");
  CHECK(constant("pred[2] constant(true)") == "{true, false}");
  CHECK(constant("c64[2] constant((1, 2))") == "{(1, 2), (0, 0)}");
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0] == "a.hlo:10:17: a single value for s32[3] is its first element, as in XLA: the others are zero");
}

TEST_CASE("instructions on their own") {
  const Spelling table[] = {
      {"%r = f32[2] add(f32[2] %x, f32[2]{0} y)", "%r = f32[2]{0} add(%x, %y)"},
      {"f32[2] add(f32[2] %x, f32[2] %x)", "%add = f32[2]{0} add(%x, %x)"},
      {"ROOT r = f32[2] negate(f32[2] negate(f32[2] x))", "%r = f32[2]{0} negate(%negate)"},
      {"r = negate(f32[2] x)", "%r = f32[2]{0} negate(%x)"},
      {"r = get-tuple-element((f32[], s32[3]) %t), index=1", "%r = s32[3]{0} get-tuple-element(%t), index=1"},
      {"r = s32[] negate((f32[], (f32[], s32[])) %t#1#1)", "%r = s32[] negate(%get-tuple-element.1)"},
      {"r = f32[8] custom-call(), custom_call_target=\"a\\\"b\\n\\x41\", backend_config='x'",
       "%r = f32[8]{0} custom-call(), custom_call_target=\"a\\\"b\\nA\", backend_config=\"x\""},
      {"r = f32[] custom-call(), custom_call_target=\"\", backend_config={\"a\": {\"}\": [1, 2]}}",
       "%r = f32[] custom-call(), custom_call_target=\"\", backend_config={\"a\": {\"}\": [1, 2]}}"},
      {"r = f32[] custom-call(), custom_call_target=\"t\", literal=(s32[], f32[2]) ( 1, {2, 3} ), "
       "schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, custom_call_has_side_effect=true, "
       "output_to_operand_aliasing={{}: (0, {})}, operand_layout_constraints={f32[2,3]{0,1}, token[]}, "
       "padding_type=PADDING_SAME",
       "%r = f32[] custom-call(), custom_call_target=\"t\", operand_layout_constraints={f32[2,3]{0,1}, token[]}, "
       "custom_call_has_side_effect=true, output_to_operand_aliasing={{}: (0, {})}, padding_type=PADDING_SAME, "
       "literal=(s32[], f32[2]{0}) ( 1, {2, 3} ), schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI"},
      {"r = f32[2] parameter(0), parameter_replication={true,false}, sharding={replicated}",
       "%r = f32[2]{0} parameter(0), parameter_replication={true,false}, sharding={replicated}"},
      {"r = pad(f32[2,2] x, f32[] z), padding=0_1x-1_2_3", "%r = f32[3,6]{1,0} pad(%x, %z), padding=0_1x-1_2_3"},
      {"r = f32[] pad(f32[] x, f32[] z), padding=, metadata={op_name=\"p\"}",
       "%r = f32[] pad(%x, %z), padding=, metadata={op_name=\"p\"}"},
      {"r = slice(f32[8,8] x), slice={[0:4:2], [1:3]}", "%r = f32[2,2]{1,0} slice(%x), slice={[0:4:2], [1:3]}"},
      {"r = transpose(f32[2,3] x), dimensions={1,0}", "%r = f32[3,2]{1,0} transpose(%x), dimensions={1,0}"},
      {"r = compare(f32[2] x, f32[2] y), type=TOTALORDER, direction=NE",
       "%r = pred[2]{0} compare(%x, %y), direction=NE, type=TOTALORDER"},
      {"r = dot(f32[2,3] x, f32[3,4] y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "operand_precision={HIGHEST,default}, algorithm=dot_f32_f32_f32",
       "%r = f32[2,4]{1,0} dot(%x, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "operand_precision={highest,default}, algorithm=dot_f32_f32_f32"},
      {"r = f32[1,1,5] convolution(f32[1,2,5] x, f32[3,2,1] k), window={pad=1_1 size=3 rhs_reversal=1}, "
       "dim_labels=bf0_0io->bf0",
       "%r = f32[1,1,5]{2,1,0} convolution(%x, %k), window={size=3 pad=1_1 rhs_reversal=1}, dim_labels=bf0_0io->bf0"},
      {"r = f32[1,30,30,9] convolution(f32[1,32,32,8] x, f32[2,2,8,9] k), window={size=2x2 stride=1x2 pad=0_1x1_0 "
       "lhs_dilate=1x2 rhs_dilate=3x1}, dim_labels=b01f_01io->b01f",
       "%r = f32[1,30,30,9]{3,2,1,0} convolution(%x, %k), window={size=2x2 stride=1x2 pad=0_1x1_0 lhs_dilate=1x2 "
       "rhs_dilate=3x1}, dim_labels=b01f_01io->b01f"},
      {"r = f32[2] exponential(f32[2] x), result_accuracy={mode=highest}",
       "%r = f32[2]{0} exponential(%x), result_accuracy={mode=highest}"},
      {"r = (f32[2,2], f32[2], f32[2]) batch-norm-training(f32[2,2] x, f32[2] s, f32[2] o), epsilon=1e-5, "
       "feature_index=1",
       "%r = (f32[2,2]{1,0}, f32[2]{0}, f32[2]{0}) batch-norm-training(%x, %s, %o), epsilon=1e-05, feature_index=1"},
      {"r = token[] outfeed(f32[2] x, token[] t), outfeed_shape=f32[2], outfeed_config=\"c\"",
       "%r = token[] outfeed(%x, %t), outfeed_config=\"c\", outfeed_shape=f32[2]{0}"},
      {"r = u32[] domain(u32[] x), domain={kind=\"sharding\", entry={maximal device=1}, exit={}}",
       "%r = u32[] domain(%x), domain={kind=\"sharding\",entry={maximal device=1},exit={}}"},
      {"r = f32[4] collective-permute(f32[4] x), source_target_pairs={{0,1}, {1,0}}, channel_id=3",
       "%r = f32[4]{0} collective-permute(%x), source_target_pairs={{0,1},{1,0}}, channel_id=3"},
      {"r = f32[] copy(f32[] x), metadata={op_type=\"a\", op_name=\"b'c\" source_line=3 profile_type={1} "
       "deduplicated_name=\"d\"}",
       "%r = f32[] copy(%x), metadata={op_type=\"a\" op_name=\"b\\'c\" source_line=3 profile_type={1} "
       "deduplicated_name=\"d\"}"},
      {"r = copy(f32[] x), frontend_attributes={ a = \"x\" ,b={ raw , json }}, statistics={visualizing_index=1, "
       "nan_percent=50}, origin={({\"v1\" {0}}, {\"v2\"})}",
       "%r = f32[] copy(%x), frontend_attributes={a=\"x\",b={ raw , json }}, "
       "statistics={visualizing_index=1,nan_percent=50}, origin={({\"v1\" {0}},{\"v2\"})}"},
      {"r = replica-id()", "%r = u32[] replica-id()"},
      {"r = tuple(f32[] a, f32[] b, f32[] c, f32[] d, f32[] e, f32[] f)",
       "%r = (f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[]) tuple(%a, %b, %c, %d, %e, /*index=5*/%f)"},
      {"r = f32[1] custom-call(f32[2,3,4,5,6] x, f32[2,3,4,5,6] y), custom_call_target=\"c\", "
       "dim_labels=bf?01_i?o01->b01f?",
       "%r = f32[1]{0} custom-call(%x, %y), custom_call_target=\"c\", dim_labels=bf?01_i?o01->b01f?"},
      {"r = f32[1] custom-call(f32[2,3] x), custom_call_target=\"c\", dim_labels=b?f?_i?o?->b?f?",
       "%r = f32[1]{0} custom-call(%x), custom_call_target=\"c\", dim_labels=b?f_i?o->b?f"},
      {"r = f32[4] fusion(f32[4] x), kind=kLoop, calls={ p = f32[4] parameter(0) ROOT n = negate(p) }",
       "%r = f32[4]{0} fusion(%x), kind=kLoop, calls=%negate_computation"},
  };
  for (const Spelling &row : table) {
    INFO(row.text);
    CHECK(printed_root(row.text) == row.printed);
  }
}

TEST_CASE("shardings and device groups") {
  for (std::string_view sharding :
       {"{replicated}", "{maximal device=3}", "{manual}", "{unknown}", "{unreduced}", "{devices=[2,2]0,1,2,3}",
        "{devices=[2,4]<=[8]}", "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
        "{devices=[1,2,2]<=[4] last_tile_dims={manual,replicated}}", "{replicated shard_as 1}",
        "{devices=[2]0,1 shard_like 5}", "{replicated metadata={op_name=\"x\"}}", "{{replicated},{maximal device=1}}",
        "{}", "{mesh['a'=2,'b'=4],[{'a'},{'b':(2)2}],replicated={},unreduced=max{'a'}}",
        "{mesh['a'=2,'b'=2],device_ids=([4]T(0)),[{'a',?},{}]}", "{mesh['a'=2,'b'=2],device_ids=(0,2,1,3),[{?}]}",
        "{maximal_mesh[device_id=5]}", "{mesh['a'=2],replicated}"}) {
    std::string text = fmt::format("r = f32[4] copy(f32[4] x), sharding={}", sharding);
    CHECK(printed_root(text) == fmt::format("%r = f32[4]{{0}} copy(%x), sharding={}", sharding));
  }
  for (std::string_view groups :
       {"{}", "{{0,1},{2,3}}", "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)", "mesh['axis_0'=2,'axis_1'=2] {'axis_1'}"}) {
    std::string text = fmt::format("r = f32[8] all-gather(f32[4] x), replica_groups={}, dimensions={{0}}", groups);
    CHECK(printed_root(text) ==
          fmt::format("%r = f32[8]{{0}} all-gather(%x), dimensions={{0}}, replica_groups={}", groups));
  }
}

TEST_CASE("instructions that call") {
  const Spelling table[] = {
      {"p = f32[4] parameter(0)\n z = f32[] constant(0)\n r = reduce(p, z), dimensions={0}, to_apply=add",
       "%r = f32[] reduce(%p, %z), dimensions={0}, to_apply=%add"},
      {"p = f32[4] parameter(0)\n r = sort(p), to_apply=%is_less, is_stable=true, dimensions={0}",
       "%r = f32[4]{0} sort(%p), dimensions={0}, to_apply=%is_less, is_stable=true"},
      {"p = f32[4] parameter(0)\n c = pred[] constant(1)\n"
       " r = conditional(c, p, p), false_computation=negate, true_computation=negate",
       "%r = f32[4]{0} conditional(%c, %p, %p), true_computation=%negate, false_computation=%negate"},
      {"p = f32[4] parameter(0)\n c = s32[] constant(1)\n"
       " r = conditional(c, p, p, p), branch_computations={negate, %negate, negate}",
       "%r = f32[4]{0} conditional(%c, %p, %p, %p), branch_computations={%negate, %negate, %negate}"},
      {"p = f32[4] parameter(0)\n r = f32[] custom-call(p), custom_call_target=\"t\", called_computations={add, "
       "is_less}",
       "%r = f32[] custom-call(%p), custom_call_target=\"t\", called_computations={%add, %is_less}"},
      {"p = f32[4] parameter(0)\n q = negate(p), control-predecessors={p}\n r = copy(q), control-predecessors={%p, q}",
       "%r = f32[4]{0} copy(%q), control-predecessors={%p, %q}"},
      {"x = f32[4] parameter(0)\n s = f32[2] parameter(1)\n z = f32[] constant(0)\n"
       " r = f32[4] select-and-scatter(x, s, z), scatter=add, window={size=2 stride=2}, select=is_less",
       "%r = f32[4]{0} select-and-scatter(%x, %s, %z), select=%is_less, scatter=%add, window={size=2 stride=2}"},
  };
  for (const Spelling &row : table) {
    INFO(row.text);
    CHECK(printed_root(with_helpers(row.text)) == row.printed);
  }
}

TEST_CASE("asynchronous operations are wrapped into computations") {
  CHECK(round_trip(R"(ENTRY %main {
  %p = f32[8] parameter(0)
  %s = ((f32[8]), f32[4], u32[]) slice-start(%p), slice={[0:4]}, async_execution_thread="side", metadata={op_name="n"}
  %u = ((f32[8]), f32[4], u32[]) slice-update(%s)
  ROOT %d = f32[4] slice-done(%u)
})") == R"(HloModule main

%slice_computation (parameter.0: f32[8]) -> f32[4] {
  %parameter.0 = f32[8]{0} parameter(0)
  ROOT %slice.wrapped = f32[4]{0} slice(%parameter.0), slice={[0:4]}
}, execution_thread="side"

ENTRY %main (p: f32[8]) -> f32[4] {
  %p = f32[8]{0} parameter(0)
  %s = ((f32[8]{0}), f32[4]{0}, u32[]) async-start(%p), calls=%slice_computation, async_execution_thread="side", metadata={op_name="n"}
  %u = ((f32[8]{0}), f32[4]{0}, u32[]) async-update(%s), calls=%slice_computation
  ROOT %d = f32[4]{0} async-done(%u), calls=%slice_computation
}
)");
  // The second operand and the result are bound at the end.
  std::string late = round_trip(R"(ENTRY %main {
  %p = f32[8] parameter(0)
  %q = f32[8] parameter(1)
  %s = ((f32[8]), (), u32[]) add-start(%p)
  ROOT %d = f32[8] add-done(%s, %q)
})");
  CHECK(late.find("ROOT %add.wrapped = f32[8]{0} add(%parameter.0, %parameter.1)") != std::string::npos);
  // A computation that is written in place precedes the one that calls it.
  std::string in_place = round_trip(R"(ENTRY main {
  p = f32[8] parameter(0)
  s = ((f32[8]), f32[8], s32[]) call-start(p), to_apply={ a = f32[8] parameter(0)  ROOT b = f32[8] negate(a) }
  ROOT d = f32[8] call-done(s)
})");
  CHECK(in_place.find("%negate_computation (") < in_place.find("%call_computation ("));
  // These ops have asynchronous forms of their own.
  CHECK(printed_root("r = (f32[4], f32[8]) all-gather-start(f32[4] x), dimensions={0}") ==
        "%r = (f32[4]{0}, f32[8]{0}) all-gather-start(%x), dimensions={0}");
}

TEST_CASE("the header, stack frames and computations") {
  CHECK(
      round_trip(R"(
// A comment, /* and another
HloModule m, frontend_attributes={mesh={a = <[]>}}, is_scheduled=true, input_output_alias={ {0}: (1, {}, must-alias),
   {1,0}: (0, {2}), {}: 0 }, buffer_donor={ (0, {}), (1, {2}) }, num_partitions=2, replica_count=4, /* here */
   entry_computation_layout={(f32[2]{0}, s32[])->f32[2]}, allow_spmd_sharding_propagation_to_output={true, false}

FileNames
1 "a.py"
2 "b\\c.py"
FunctionNames
1 "f"
FileLocations
1 {file_name_id=1 function_name_id=1 line=2 end_line=3 column=4 end_column=5}
StackFrames
1 {file_location_id=1 parent_frame_id=1}

side (x: f32[2]) -> f32[2] {
  x = f32[2] parameter(0)
  y = f32[2] negate(x)
}, execution_thread="other"

ENTRY main {
  %b = s32[] parameter(1)
  ROOT %a = f32[2] parameter(0), metadata={stack_frame_id=1}
  %c = f32[2] call(a), to_apply=side
}
)") ==
      R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (1, {}, must-alias), {1,0}: (0, {2}, may-alias), {}: (0, {}, may-alias) }, buffer_donor={ (0, {}), (1, {2}) }, entry_computation_layout={(f32[2]{0}, s32[])->f32[2]{0}}, replica_count=4, num_partitions=2, frontend_attributes={mesh={a = <[]>}}, allow_spmd_sharding_propagation_to_output={true,false}

FileNames
1 "a.py"
2 "b\\c.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=2 end_line=3 column=4 end_column=5}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%side (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  ROOT %y = f32[2]{0} negate(%x)
}, execution_thread="other"

ENTRY %main (a: f32[2], b: s32[]) -> f32[2] {
  %b = s32[] parameter(1)
  ROOT %a = f32[2]{0} parameter(0), metadata={stack_frame_id=1}
  %c = f32[2]{0} call(%a), to_apply=%side
}
)");
  // Without a header the entry names the module; without ENTRY the last computation is the entry.
  CHECK(round_trip("a { x = f32[] parameter(0) }\nb { y = f32[] parameter(0) }").starts_with("HloModule b\n"));
  CHECK(round_trip("HloModule old.3:\r\nENTRY a {\r\n x = f32[] parameter(0)\r\n}").starts_with("HloModule old.3\n"));
  CHECK(round_trip("\xef\xbb\xbf"
                   "a { x = f32[] parameter(0) }")
            .starts_with("HloModule a\n"));
}

TEST_CASE("print options") {
  ir::Module module =
      parse_module("r = f32[2,2] constant({{1,2},{3,4}}), metadata={op_name=\"n\"}, backend_config=\"c\"").value();
  ir::Instruction constant = module.entry().root();
  CHECK(print(constant) ==
        "%r = f32[2,2]{1,0} constant({ {1, 2}, {3, 4} }), metadata={op_name=\"n\"}, backend_config=\"c\"");
  PrintOptions brief{false, false, ir::PrintLayout::Never, 3};
  CHECK(print(constant, brief) == "%r = f32[2,2] constant({...})");
}

// The braces of a literal after its shape must not be taken for a layout.
TEST_CASE("a text without layouts is read as the same module") {
  const std::string custom_call = "custom-call(), custom_call_target=\"t\", literal=";
  for (const std::string_view literal : {"s32[2]{0} {1, 2}", "s32[2,2]{1,0} { {1, 2}, {3, 4} }", "f32[1]{0} {-1}",
                                         "s32[0]{0} {}", "s32[] 1", "(s32[2]{0}, pred[]) ( {1, 2}, true )"}) {
    INFO(literal);
    const ir::Module module = parse_module("r = f32[4] " + custom_call + std::string(literal)).value();
    for (const ir::PrintLayout layouts : {ir::PrintLayout::Never, ir::PrintLayout::WhenNotDescending}) {
      PrintOptions options;
      options.layouts = layouts;
      const std::string printed = print(module, options);
      INFO(printed);
      CHECK(printed.find("ROOT %r = f32[4] " + custom_call + std::string(literal) + "\n") != std::string::npos);
      const auto again = parse_module(printed);
      REQUIRE((again.ok() ? std::string() : again.error().to_string()).empty());
      CHECK(print(*again) == print(module));
    }
  }
}

TEST_CASE("a file is split into its modules") {
  auto starts = [](std::string_view text) {
    std::vector<std::uint32_t> lines;
    for (const TextPart &part : split_modules(text)) {
      CHECK(parse_module(part.text).ok());
      lines.push_back(part.first_line);
    }
    return lines;
  };
  using Lines = std::vector<std::uint32_t>;
  CHECK(starts(
            "// head\nHloModule a\ne { x = f32[] parameter(0) }\n// foot\nHloModule b\ne { x = f32[] parameter(0) }") ==
        Lines{1, 5});
  CHECK(starts("e { x = f32[] parameter(0) }\n// -----\n// none\n// -----\ne { x = f32[] parameter(0) }\n") ==
        Lines{1, 4});
  // If any part has HloModule or ENTRY, a part without them belongs to the module before it.
  CHECK(starts("HloModule a\ne { x = f32[] parameter(0) }\n// -----\nf { x = f32[] parameter(0) }\n// -----\n"
               "ENTRY e { x = f32[] parameter(0) }") == Lines{1, 5});
  CHECK(starts("// nothing\n").empty());
}

}  // namespace bp::text
