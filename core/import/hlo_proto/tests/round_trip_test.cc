// Protos serialized by JAX match XLA's text of them; and what else protos keep. testdata has texts that they keep.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "core/buffers/assign.h"
#include "core/import/hlo_proto/buffer_assignment.h"
#include "core/import/protobuf/wire.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/testing/require.h"
#include "tools/testing/source_tree.h"

namespace bp::import::hlo_proto {
namespace {

using protobuf::Message;

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

TEST_CASE("modules that JAX serialized are equal to the text that XLA prints") {
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

TEST_CASE("a dot has dimension numbers in a proto, also if it has none") {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[], f32[4]{0})->f32[4]{0}}\n"
      "ENTRY e { x = f32[] parameter(0)  y = f32[4] parameter(1)  ROOT d = f32[4] dot(x, y) }";
  const auto bytes = write_module(parse(text));
  REQUIRE(bytes.ok());
  CHECK(bytes->find(std::string("\xf2\x01\x00", 3)) != std::string::npos);  // field 30 of an instruction, empty
  const auto again = read_module(*bytes, {"again"});
  REQUIRE(error_of(again) == "");
  CHECK(text::print(*again) == text::print(parse(text)));
}

TEST_CASE("the printed text of a proto parses and prints the same") {
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
