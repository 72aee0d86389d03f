// Instructions for single operations, in their pretty and generic forms: the root of the entry, or the whole module.
#include <catch2/catch.hpp>

#include "core/import/stablehlo/tests/one_operation.h"

namespace bp::import::stablehlo {

TEST_CASE("operations become instructions") {
  const Case table[] = {
      {"tensor<2x3xf32>", "%r = stablehlo.abs %x : tensor<2x3xf32>", "f32[2,3]{1,0} abs(%x)"},
      {"tensor<2x3xf32>", "%r = \"stablehlo.abs\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>", "f32[2,3]{1,0} abs(%x)"},
      {"tensor<3x2xf32>", "%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "f32[3,2]{1,0} transpose(%x), dimensions={1,0}"},
      {"tensor<3xi1>", "%r = stablehlo.compare LT, %v, %v, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
       "pred[3]{0} compare(%v, %v), direction=LT, type=TOTALORDER"},
      {"tensor<3xf32>", "%r = stablehlo.constant dense<[1.0, 0x7F800000, -2.5e-1]> : tensor<3xf32>",
       "f32[3]{0} constant({1, inf, -0.25})"},
      {"tensor<3xf32>", "%r = stablehlo.constant dense<1.0> : tensor<3xf32>", "f32[3]{0} broadcast(%r)"},
      {"tensor<9xi1>", "%r = stablehlo.constant dense<\"0x0301\"> : tensor<9xi1>",
       "pred[9]{0} constant({true, true, false, false, false, false, false, false, true})"},
      {"tensor<1x2xf32>", "%r = stablehlo.slice %x [1:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>",
       "f32[1,2]{1,0} slice(%x), slice={[1:2], [0:3:2]}"},
      {"tensor<3xf32>", "%r = stablehlo.reduce_precision %v, format = e5m10 : tensor<3xf32>",
       "f32[3]{0} reduce-precision(%v), exponent_bits=5, mantissa_bits=10"},
      {"tensor<3xf32>",
       "%r = stablehlo.exponential %v {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 2, "
       "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3xf32>",
       "f32[3]{0} exponential(%v), result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}"},
      {"tensor<2x2xf32>",
       "%r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : "
       "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
       "f32[2,2]{1,0} dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "operand_precision={highest,default}"},
      {"tensor<2x2xf32>",
       "%r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], algorithm = "
       "<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, "
       "rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : "
       "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
       "f32[2,2]{1,0} dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "algorithm=dot_bf16_bf16_f32_x3"},
      {"tensor<3x3xf32>",
       "%r = stablehlo.einsum %x, %x, config = \"ab,ac->cb\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>",
       "f32[3,3]{1,0} transpose(%r), dimensions={1,0}"},
      {"tensor<2x3xf32>",
       "%r = chlo.broadcast_add %x, %v {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       "f32[2,3]{1,0} add(%x, %r)"},
      {"tensor<3xf32>", "%r = \"chlo.constant_like\"(%v) {value = 1.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>",
       "f32[3]{0} broadcast(%r.1)"},
      {"tensor<3xi1>", "%r = chlo.is_pos_inf %v : tensor<3xf32> -> tensor<3xi1>",
       "pred[3]{0} compare(%v, %r.1), direction=EQ"},
      {"tensor<3xcomplex<f32>>", "%r = chlo.conj %c : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>",
       "c64[3]{0} complex(%r, %r.2)"},
      {"tensor<3xi32>", "%r = stablehlo.convert %c : (tensor<3xcomplex<f32>>) -> tensor<3xi32>",
       "s32[3]{0} convert(%r)"},
      {"tensor<3xf32>",
       "%r = stablehlo.custom_call @f(%v) {api_version = 2 : i32, backend_config = \"a\\22b\", has_side_effect = true, "
       "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, "
       "operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>",
       "f32[3]{0} custom-call(%v), custom_call_target=\"f\", custom_call_has_side_effect=true, "
       "output_to_operand_aliasing={{}: (0, {})}, api_version=API_VERSION_STATUS_RETURNING, "
       "backend_config=\"a\\\"b\""},
      {"tensor<3xf32>",
       "%r = stablehlo.custom_call @f(%v) {api_version = 4 : i32, backend_config = {a = 1 : i32, b = \"c\"}} : "
       "(tensor<3xf32>) -> tensor<3xf32>",
       "f32[3]{0} custom-call(%v), custom_call_target=\"f\", api_version=API_VERSION_TYPED_FFI, backend_config={a = 1, "
       "b = \"c\"}"},
      {"tensor<3xf32>", "%r = stablehlo.custom_call @mhlo.erf(%v) : (tensor<3xf32>) -> tensor<3xf32>",
       "f32[3]{0} erf(%v)"},
      {"tensor<i32>", "%r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>",
       "s32[] constant(3)"},
      {"tensor<6xf32>",
       "%a = stablehlo.constant dense<6> : tensor<1xi32>\n%b = stablehlo.dynamic_reshape %x, %a : (tensor<2x3xf32>, "
       "tensor<1xi32>) -> tensor<?xf32>\n%r = stablehlo.dynamic_reshape %b, %a : (tensor<?xf32>, tensor<1xi32>) -> "
       "tensor<6xf32>",
       "f32[6]{0} reshape(%b)"},
      {"tensor<2x?xf32, #stablehlo.bounds<?, 3>>",
       "%r = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, "
       "#stablehlo.bounds<?, 3>>",
       "f32[2,<=3]{1,0} set-dimension-size(%x, %n), dimensions={1}"},
      {"tensor<2x3xf32>",
       "%r = \"stablehlo.all_reduce\"(%x) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : "
       "tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) {replica_groups = dense<[[0, 1], [2, -1]]> : "
       "tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, use_global_device_ids} : "
       "(tensor<2x3xf32>) -> tensor<2x3xf32>",
       "f32[2,3]{1,0} all-reduce(%x), to_apply=%all_reduce.computation, replica_groups={{0,1},{2}}, channel_id=7, "
       "use_global_device_ids=true"},
      {"!stablehlo.token",
       "%r = \"stablehlo.outfeed\"(%x, %n, %t) {outfeed_config = \"z\"} : (tensor<2x3xf32>, tensor<i32>, "
       "!stablehlo.token) -> !stablehlo.token",
       "token[] outfeed(%r, %t), outfeed_config=\"z\", outfeed_shape=(f32[2,3]{1,0}, s32[])"},
      {"tensor<2x3xf32>",
       "%r = \"stablehlo.if\"(%p) ({\nstablehlo.return %x : tensor<2x3xf32>\n}, {\n%a = stablehlo.negate %x : "
       "tensor<2x3xf32>\nstablehlo.return %a : tensor<2x3xf32>\n}) : (tensor<i1>) -> tensor<2x3xf32>",
       "f32[2,3]{1,0} conditional(%p, %x, %x), true_computation=%if.branch_0, false_computation=%if.branch_1"},
      {"tensor<3xf32>", "%r = stablehlo.abs %v : tensor<3xf32> loc(fused[\"a/b\"(\"m.py\":3:7), unknown])",
       "f32[3]{0} abs(%v), metadata={op_name=\"a/b\" source_file=\"m.py\" source_line=3 source_column=7}"},
  };
  for (const Case &test : table) {
    INFO(test.body);
    CHECK(root_of(test.results, test.body) == test.root);
  }
}

TEST_CASE("what a loop and a reducer use from outside goes with them") {
  auto module = read(R"(func.func @main(%n: tensor<i32>, %step: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
   cond {
    %1 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
   } do {
    %1 = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %1 : tensor<i32>
   }
  return %0 : tensor<i32>
})");
  REQUIRE((module.ok() ? "" : module.error().to_string()) == "");
  CHECK(text::print(*module) == R"(HloModule module

%while.condition (parameter.4: (s32[], s32[])) -> pred[] {
  %parameter.4 = (s32[], s32[]) parameter(0)
  %get-tuple-element.5 = s32[] get-tuple-element(%parameter.4), index=0
  %get-tuple-element.6 = s32[] get-tuple-element(%parameter.4), index=1
  %one = s32[] constant(1)
  ROOT %compare.8 = pred[] compare(%get-tuple-element.5, %one), direction=LT
}

%while.body (parameter.9: (s32[], s32[])) -> (s32[], s32[]) {
  %parameter.9 = (s32[], s32[]) parameter(0)
  %get-tuple-element.10 = s32[] get-tuple-element(%parameter.9), index=0
  %get-tuple-element.11 = s32[] get-tuple-element(%parameter.9), index=1
  %add.12 = s32[] add(%get-tuple-element.10, %get-tuple-element.11)
  ROOT %tuple.13 = (s32[], s32[]) tuple(%add.12, %get-tuple-element.11)
}

ENTRY %main (n: s32[], step: s32[]) -> s32[] {
  %n = s32[] parameter(0)
  %step = s32[] parameter(1)
  %one.1 = s32[] constant(1)
  %tuple.3 = (s32[], s32[]) tuple(%n, %step)
  %while.14 = (s32[], s32[]) while(%tuple.3), condition=%while.condition, body=%while.body
  ROOT %get-tuple-element.15 = s32[] get-tuple-element(%while.14), index=0
  %get-tuple-element.16 = s32[] get-tuple-element(%while.14), index=1
}
)");
}

TEST_CASE("what devices run, and what is fed to them, are numbers of computations") {
  auto module = read(R"(func.func @main() -> tensor<i32> {
  %0 = "interpreter.run_parallel"() {infeed = [@queue, @queue], programs = [[@device]]} : () -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @queue() -> tensor<i32> {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  return %0 : tensor<i32>
}
func.func @device() -> tensor<i32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1:2 = "stablehlo.infeed"(%0) : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  return %1#0 : tensor<i32>
})");
  REQUIRE(module.ok());
  CHECK_THAT(text::print(*module), Catch::Contains("called_computations={%device, %queue, %queue}"));
  CHECK_THAT(text::print(*module), Catch::Contains("backend_config={\"programs\":[[0]],\"infeed\":[1,2]}"));
}

// Written as by JAX, and kept as by XLA's export.
TEST_CASE("what is said of devices is kept") {
  const ir::Module module = read(R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
  sdy.mesh @other = <["x"=8]>
  func.func public @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
    %s = stablehlo.add %y, %y {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"x"}]>]>} : tensor<8xf32>
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a", "b"} (%local: tensor<4x2xf32>) {
      %n = stablehlo.negate %local : tensor<4x2xf32>
      sdy.return %n : tensor<4x2xf32>
    } : (tensor<8x8xf32>) -> tensor<8x2xf32>
    return %0, %s : tensor<8x2xf32>, tensor<8xf32>
  }
})",
                                 {})
                                .value();
  CHECK(
      text::print(module) ==
      R"(HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2,"b"=4]>, other = #sdy.mesh<["x"=8]>}}

%xla.sdy.manual_computation_body (local: f32[4,2]) -> f32[4,2] {
  %local = f32[4,2]{1,0} parameter(0)
  ROOT %n = f32[4,2]{1,0} negate(%local)
}

ENTRY %main (x: f32[8,8], y: f32[8]) -> (f32[8,2], f32[8]) {
  %x = f32[8,8]{1,0} parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh,[{\"a\"},{\"b\"}]>"}
  %y = f32[8]{0} parameter(1), sharding={devices=[8]<=[8]}
  %s = f32[8]{0} add(%y, %y), frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@other,[{\"x\"}]>]>"}
  %custom-call.3 = f32[4,2]{1,0} custom-call(%x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh,[{\"a\"},{\"b\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\",\"b\"}>"}
  %call.6 = f32[4,2]{1,0} call(%custom-call.3), to_apply=%xla.sdy.manual_computation_body
  %custom-call.7 = f32[8,2]{1,0} custom-call(%call.6), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"a\",\"b\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh,[{\"a\"},{}]>]>"}
  %custom-call.8 = f32[8,2]{1,0} custom-call(%custom-call.7), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh,[{\"a\"},{}]>]>"}
  %custom-call.9 = f32[8]{0} custom-call(%s), custom_call_target="Sharding", sharding={replicated}
  ROOT %tuple.10 = (f32[8,2]{1,0}, f32[8]{0}) tuple(%custom-call.8, %custom-call.9)
}
)");
}

TEST_CASE("shardings that are no text of HLO") {
  const ir::Module module = read(R"(func.func public @main(%x: tensor<f32> {mhlo.sharding = ""},
      %y: tensor<f32> {mhlo.sharding = "\08\01"}, %z: tensor<f32> {mhlo.sharding = "{ replicated }"}) -> tensor<f32> {
    return %x : tensor<f32>
  })",
                                 {})
                                .value();
  const ir::Computation entry = module.entry();
  CHECK(entry.parameter(0).text(ir::AttributeKey::Sharding).empty());
  CHECK(entry.parameter(1).text(ir::AttributeKey::Sharding).empty());
  CHECK(entry.parameter(1).text(ir::AttributeKey::FrontendAttributes) == "{mhlo.sharding=\"\\010\\001\"}");
  CHECK(entry.parameter(2).text(ir::AttributeKey::Sharding) == "{replicated}");
}

TEST_CASE("parts, and which text is StableHLO") {
  auto parts = split("// only a comment\n// -----\nfunc.func @a() { return }\n// -----\n\nmodule { }\n");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].first_line == 2);
  CHECK(parts[1].first_line == 4);
  CHECK(is_stablehlo("// a comment\nmodule @m { }"));
  CHECK(is_stablehlo("\"builtin.module\"() ({ }) : () -> ()"));
  CHECK(is_stablehlo("#loc = loc(unknown)\nmodule { }"));
  CHECK(is_stablehlo("sdy.mesh @m = <[\"a\"=1]>\nfunc.func @main() { return }"));
  CHECK(!is_stablehlo("HloModule m\nENTRY e { }"));
  CHECK(!is_stablehlo(""));
}

TEST_CASE("the entry is main, or the one that is asked for") {
  std::string_view text = "func.func @a() { return } func.func @b(%x: tensor<f32>) { return }";
  CHECK(read(text)->entry().name() == "a");
  CHECK(read(text, {"", 1, "b"})->entry().name() == "b");
  CHECK(!read(text, {"", 1, "c"}).ok());
}

}  // namespace bp::import::stablehlo
