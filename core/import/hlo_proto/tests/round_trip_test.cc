// Protos serialized by JAX match XLA's text of them; and text -> proto -> text for cases that the corpus does not have.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "core/buffers/assign.h"
#include "core/import/hlo_proto/buffer_assignment.h"
#include "core/import/hlo_proto/wire.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/testing/require.h"
#include "tools/testing/source_tree.h"

namespace bp::import::hlo_proto {
namespace {

using testing::error_of;
using testing::parse;

// Returns the header and the computations as a set, because the order of independent computations differs.
std::set<std::string> blocks(const std::string &text) {
  std::set<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find("\n\n", begin), text.size() - 1);
    parts.insert(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

}  // namespace

TEST_CASE("what JAX serialized is what XLA prints") {
  std::filesystem::path folder = testing::find_in_source_tree("core/import/hlo_proto/tests/artifacts");
  REQUIRE(!folder.empty());
  std::size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".pb") {
      continue;
    }
    INFO(entry.path());
    std::string bytes = testing::read_file(entry.path());
    CHECK(is_hlo_proto(bytes));
    auto module = read_module(bytes, {entry.path().filename()});
    REQUIRE(error_of(module) == "");
    CHECK(error_of(ir::verify(*module)) == "");
    std::filesystem::path text_file = entry.path();
    std::string text = testing::read_file(text_file.replace_extension(".hlo"));
    CHECK(!is_hlo_proto(text));
    ir::Module expected = parse(text);
    expected.header().rest.clear();  // XLA's configuration of the compilation
    text::PrintOptions options;
    options.metadata = false;  // not all of these texts have metadata
    CHECK(blocks(text::print(*module, options)) == blocks(text::print(expected, options)));

    auto written = write_module(*module);
    REQUIRE(error_of(written) == "");
    auto again = read_module(*written);
    REQUIRE(error_of(again) == "");
    std::string printed = text::print(*module);
    CHECK(text::print(*again) == printed);
    CHECK(text::print(parse(printed)) == printed);
    ++count;
  }
  CHECK(count == 8);
}

TEST_CASE("what is printed of a proto parses and prints the same") {
  std::filesystem::path folder = testing::find_in_source_tree("core/import/tests/spellings");
  REQUIRE(!folder.empty());
  std::size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".pb") {
      continue;
    }
    INFO(entry.path());
    auto module = read_module(testing::read_file(entry.path()), {entry.path().filename()});
    REQUIRE(error_of(module) == "");
    std::string printed = text::print(*module);
    CHECK(text::print(parse(printed)) == printed);
    ++count;
  }
  CHECK(count >= 20);
}

TEST_CASE("instructions are the same after a proto") {
  for (std::string_view instruction : {
           "%r = f32[4]{0} copy(%x), sharding={replicated}",
           "%r = f32[4]{0} copy(%x), sharding={maximal device=3}",
           "%r = f32[4]{0} copy(%x), sharding={manual}",
           "%r = f32[4]{0} copy(%x), sharding={unreduced}",
           "%r = f32[4]{0} copy(%x), sharding={devices=[2,2]0,1,2,3}",
           "%r = f32[4]{0} copy(%x), sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
           "%r = f32[4]{0} copy(%x), sharding={devices=[1,2,2]<=[4] last_tile_dims={manual,replicated}}",
           "%r = f32[4]{0} copy(%x), sharding={devices=[2]0,1 shard_like 5}",
           "%r = f32[4]{0} copy(%x), sharding={replicated metadata={op_name=\"x\" source_line=3}}",
           "%r = f32[4]{0} copy(%x), sharding={{replicated},{maximal device=1}}",
           "%r = f32[4]{0} copy(%x), sharding={}",
           "%r = f32[4]{0} copy(%x), sharding={mesh['a'=2,'b'=4],[{'a'},{'b':(2)2}],replicated={'a'}}",
           "%r = f32[4]{0} copy(%x), sharding={mesh['a'=2,'b'=2],device_ids=([2,2]T(1,0)),[{'a',?},{}]}",
           "%r = f32[4]{0} copy(%x), sharding={mesh['a'=2,'b'=2],device_ids=(0,2,1,3),[{?}]}",
           "%r = f32[4]{0} copy(%x), frontend_attributes={a=\"q\\\"\",b={\"json\": [1]}}",
           "%r = f32[4]{0} copy(%x), statistics={visualizing_index=1,nan_percent=50.5}",
           "%r = f32[4]{0} copy(%x), origin={{\"a\" {0,1}}}",
           "%r = f32[4]{0} copy(%x), origin={[synthetic_call]}",
           "%r = f32[4]{0} copy(%x), backend_config={\"a\": 1}",
           "%r = f32[4]{0} copy(%x), metadata={op_type=\"t\" op_name=\"n\" source_file=\"f\" source_line=1 "
           "source_end_line=2 source_column=3 source_end_column=4 stack_frame_id=5 deduplicated_name=\"d\" "
           "metadata_payload=\"p\"}",
           "%r = f32[4]{0} tanh(%x), result_accuracy={mode=highest}",
           "%r = f32[4]{0} tanh(%x), result_accuracy={tolerance={atol=0.5,rtol=0.25,ulps=3}}",
           "%r = f32[4]{0} domain(%x), domain={kind=\"sharding\",entry={maximal device=1},exit={}}",
           "%r = f32[4]{0} reduce-precision(%x), exponent_bits=5, mantissa_bits=0",
           "%r = f32[8]{0} all-gather(%x), dimensions={0}, replica_groups={}",
           "%r = f32[4]{0} all-gather(%x), dimensions={0}, replica_groups={{0},{1}}",
           "%r = f32[12]{0} all-gather(%x), dimensions={0}, replica_groups=[2,3]<=[3,2]T(1,0), channel_id=1, "
           "use_global_device_ids=true",
           "%r = f32[12]{0} all-gather(%x), dimensions={0}, replica_groups=mesh['a'=2,'b'=3] {'b'}, channel_id=1, "
           "use_global_device_ids=true",
           "%r = (f32[2]{0}, s32[2]{0}) topk(%x), k=2, largest=false",
           "%r = (f32[2]{0}, f32[4]{0}) custom-call(%x), custom_call_target=\"f\", "
           "operand_layout_constraints={f32[4]{0}}, custom_call_has_side_effect=true, "
           "output_to_operand_aliasing={{1}: (0, {})}, literal=s32[2]{0} {1, 2}, api_version=API_VERSION_TYPED_FFI",
           "%r = f32[2,2]{0,1:T(2,128)(2,1)E(32)S(5)} bitcast(%x)",
           "%r = f32[2,2]{0,1:D(D,C)L(8)#(u32)*(u8)SC(0:1)(1:1)P(f32[4]{0})M(16)} bitcast(%x)",
           "%r = f32[<=4]{0} set-dimension-size(%x, %s), dimensions={0}",
           "%r = f32[4]{0} custom-call(%x), custom_call_target=\"a\\tb\", control-predecessors={%s}",
       }) {
    std::string text = fmt::format(
        "HloModule m, entry_computation_layout={{(f32[4]{{0}}, s32[])->f32[4]{{0}}}}, replica_count=2, "
        "num_partitions=3\n\nENTRY %e (x: f32[4], s: s32[]) -> f32[4] {{\n  %x = f32[4]{{0}} parameter(0)\n  %s = "
        "s32[] "
        "parameter(1)\n  {}\n  ROOT %end = f32[4]{{0}} negate(%x)\n}}\n",
        instruction);
    ir::Module module = parse(text);
    REQUIRE(text::print(module) == text);
    auto bytes = write_module(module);
    REQUIRE(error_of(bytes) == "");
    auto again = read_module(*bytes);
    REQUIRE(error_of(again) == "");
    CHECK(text::print(*again) == text);
  }
}

TEST_CASE("literals of every element type are the same after a proto") {
  for (const ir::ElementTypeInfo &type : ir::element_types()) {
    if (ir::is_opaque(type.type)) {
      continue;
    }
    bool is_signed = type.type_class == ir::TypeClass::Signed;
    std::string_view values = type.type_class == ir::TypeClass::Complex ? "(0.5, -1), (2, 3)"
                              : type.type_class == ir::TypeClass::Pred  ? "true, false"
                              : is_signed                               ? "-1, 0"
                                                                        : "1, 0";
    if (type.type == ir::ElementType::F8E8M0FNU) {
      values = "0.5, 4";
    }
    ir::Module module = parse(fmt::format("e {{ c = {0}[2] constant({{{1}}}) }}", type.text, values));
    auto bytes = write_module(module);
    REQUIRE(error_of(bytes) == "");
    auto again = read_module(*bytes);
    REQUIRE(error_of(again) == "");
    INFO(text::print(module));
    CHECK(again->entry().root().literal().identical(module.entry().root().literal()));
  }
}

TEST_CASE("a snapshot keeps its arguments and its result") {
  ir::Literal x = ir::Literal::scalar<float>(ir::ElementType::F32, 1.5f);
  Snapshot snapshot{parse("e { x = f32[] parameter(0)\n ROOT r = f32[] negate(x) }"), {x}, x, "cpu"};
  auto bytes = write_snapshot(snapshot);
  REQUIRE(error_of(bytes) == "");
  auto again = read_snapshot(*bytes);
  REQUIRE(error_of(again) == "");
  CHECK(again->platform == "cpu");
  REQUIRE(again->arguments.size() == 1);
  CHECK(again->arguments[0].identical(x));
  CHECK(again->result.identical(x));
  auto module = read_module(*bytes);
  REQUIRE(error_of(module) == "");
  CHECK(module->entry().root().name() == "r");
}

TEST_CASE("a HloProto says where every value lies") {
  ir::Module module = parse(
      "HloModule m, is_scheduled=true\nENTRY e {\n x = f32[4] parameter(0)\n a = f32[4] negate(x)\n"
      " b = f32[8] concatenate(a, a), dimensions={0}\n ROOT t = (f32[8]) tuple(b)\n}");
  auto plan = buffers::assign(module);
  REQUIRE(error_of(plan) == "");
  auto bytes = write_hlo_proto(module, *plan);
  REQUIRE(error_of(bytes) == "");
  CHECK(read_module(*bytes).ok());

  Message hlo = Message::parse(*bytes, {nullptr, "HloProto"}).value();
  Message assignment = hlo.child({3, "buffer_assignment"}).value();
  CHECK(assignment.count({1, "logical_buffers"}) == 3);
  CHECK(assignment.count({2, "buffer_aliases"}) == 1);  // alias of b, in the tuple
  CHECK(assignment.count({3, "buffer_allocations"}) == plan->allocations.size());
  std::vector<std::string> events;
  Status status = assignment.for_each({4, "heap_simulator_traces"}, [&](const Message &trace) {
    return trace.for_each({1, "events"}, [&](const Message &event) -> Status {
      BP_ASSIGN(std::int64_t kind, event.integer({1, "kind"}));
      BP_ASSIGN(std::string_view name, event.text({4, "instruction_name"}));
      events.push_back(fmt::format("{} {}", kind == 0 ? "allocate" : "release", name));
      return {};
    });
  });
  CHECK(error_of(status) == "");
  CHECK(events == std::vector<std::string>{"allocate a", "release a"});
}

}  // namespace bp::import::hlo_proto
