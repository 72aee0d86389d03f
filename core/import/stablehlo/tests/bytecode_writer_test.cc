// Programs that are written as MLIR bytecode are the same when they are read again, for every version that has their
// operations; what a version lacks is an error.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/import/mlir/byte_reader.h"
#include "core/import/mlir/byte_writer.h"
#include "core/import/mlir/bytecode.h"
#include "core/import/mlir/bytecode_writer.h"
#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/import/stablehlo/tests/bytecode_fixtures.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::import::stablehlo {
namespace {

using bytecode::Version;
using testing::error_of;

constexpr Version newest = bytecode::newest_version;

std::string stored(std::string_view program, Version target = newest) {
  auto bytes = to_bytecode(program, target, {"a.mlir", 1, {}});
  return bytes.ok() ? *bytes : "error: " + bytes.error().to_string();
}

// Returns the first lines that differ; empty if none do.
std::string first_difference(std::string_view found, std::string_view expected) {
  while (found != expected) {
    const std::string_view a = found.substr(0, found.find('\n')), b = expected.substr(0, expected.find('\n'));
    if (a != b || found.size() == a.size() || expected.size() == b.size()) {
      return fmt::format("{}\n{}", a, b);
    }
    found.remove_prefix(a.size() + 1);
    expected.remove_prefix(b.size() + 1);
  }
  return {};
}

// The version of StableHLO that a file is for.
Version version_of(std::string_view bytes) {
  constexpr std::string_view producer = "StableHLO_v";
  const std::size_t begin = bytes.find(producer) + producer.size();
  return bytecode::parse_version(bytes.substr(begin, bytes.find('\0', begin) - begin)).value();
}

// Checks that the program is the same after it was written for `target` and read again; and that it is then written as
// the same bytes.
void check_round_trip(std::string_view program, Version target) {
  const std::string bytes = stored(program, target);
  const std::string text = text_of(bytes);
  CHECK(text == text_of(program));
  CHECK(version_of(bytes) == target);
  CHECK(stored(bytes, target) == stored(stored(bytes, target), target));
}

std::string function(std::string_view body, std::string_view type = "tensor<2xf32>") {
  return fmt::format("func.func @main(%a: {0}) -> {0} {{\n  {1}\n  return %r : {0}\n}}\n", type, body);
}

// Returns the names of operations that a file has.
std::string operation_names(std::string_view bytes) {
  const mlir::File file = testing::require_value(mlir::read_bytecode(bytes));
  std::string names;
  for (const mlir::OperationName &name : file.operation_names) {
    names += fmt::format("{}.{} ", name.dialect, name.name);
  }
  return names;
}

}  // namespace

TEST_CASE("numbers of bytecode are read as they were written") {
  std::vector<std::uint64_t> numbers = {0, ~std::uint64_t{0}};
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1});
  }
  mlir::ByteWriter writer;
  for (const std::uint64_t number : numbers) {
    writer.number(number);
    writer.signed_number(static_cast<std::int64_t>(number));
    writer.flagged_number(number >> 1, (number & 1) != 0);
  }
  mlir::ByteReader reader(writer.written());
  for (const std::uint64_t number : numbers) {
    CHECK(testing::require_value(reader.number()) == number);
    CHECK(testing::require_value(reader.signed_number()) == static_cast<std::int64_t>(number));
    const mlir::ByteReader::Flagged flagged = testing::require_value(reader.flagged_number());
    CHECK((flagged.value << 1 | (flagged.flag ? 1 : 0)) == number);
  }
  CHECK(reader.at_end());
  // From "MLIR Bytecode Format": one byte holds seven bits.
  CHECK(mlir::ByteWriter(0).written() == "\x01");
  CHECK(mlir::ByteWriter(127).written() == "\xff");
  CHECK(mlir::ByteWriter(128).written() == "\x02\x02");
}

TEST_CASE("a container is the same after it was read and written") {
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(fixtures())) {
    if (entry.path().extension() == ".mlirbc") {
      INFO(entry.path().filename());
      const std::string bytes = testing::read_file(entry.path());
      const std::string written = mlir::write_bytecode(testing::require_value(mlir::read_bytecode(bytes)));
      CHECK(text_of(written) == text_of(bytes));
      CHECK(mlir::write_bytecode(testing::require_value(mlir::read_bytecode(written))) == written);
      ++files;
    }
  }
  CHECK(files == 11);
}

TEST_CASE("bytecode of every version is written again as the same program") {
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(fixtures())) {
    if (entry.path().extension() == ".mlirbc") {
      INFO(entry.path().filename());
      const std::string bytes = testing::read_file(entry.path());
      check_round_trip(bytes, version_of(bytes));
      ++files;
    }
  }
  CHECK(files == 11);
}

TEST_CASE("a text is written as bytecode of every version that has what it holds") {
  const std::string old = testing::read_file(fixtures() / "old.mlir");
  const std::string recent = testing::read_file(fixtures() / "recent.mlir");
  std::size_t versions = 0;
  for (const auto &[major, last_minor] : {std::pair(0, 20), std::pair(1, newest.minor_number)}) {
    for (int minor = major == 0 ? 9 : 0; minor <= last_minor; ++minor) {
      const Version target{major, minor, 0};
      INFO(bytecode::to_string(target));
      check_round_trip(old, target);
      if (target >= Version{1, 9, 0}) {
        check_round_trip(recent, target);
      }
      ++versions;
    }
  }
  CHECK(versions == 33);
}

TEST_CASE("the corpus of bytecode is written again as the same programs") {
  const std::filesystem::path corpus = testing::find_shared("corpus/vhlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(corpus)) {
    if (entry.path().extension() == ".bc" && !entry.path().filename().string().starts_with("invalid")) {
      INFO(entry.path().filename());
      const std::string bytes = testing::read_file(entry.path());
      check_round_trip(bytes, version_of(bytes));
      check_round_trip(testing::read_file(std::filesystem::path(entry.path()).replace_extension()), newest);
      ++files;
    }
  }
  CHECK(files == 17);
}

TEST_CASE("operations are written in the form that the version has") {
  const std::string exponential = function("%r = stablehlo.exponential %a : tensor<2xf32>");
  CHECK(operation_names(stored(exponential, {1, 8, 0})).find("vhlo.exponential_v1 ") != std::string::npos);
  CHECK(operation_names(stored(exponential, {1, 9, 0})).find("vhlo.exponential_v2 ") != std::string::npos);
  const std::string call = function("%r = stablehlo.custom_call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>");
  CHECK(operation_names(stored(call, {1, 17, 0})).find("vhlo.custom_call_v1 ") != std::string::npos);
  CHECK(operation_names(stored(call, {1, 18, 0})).find("vhlo.custom_call_v2 ") != std::string::npos);
}

TEST_CASE("each version has its version of MLIR bytecode") {
  const std::pair<Version, std::uint64_t> versions[] = {{{0, 9, 0}, 0},  {{0, 10, 0}, 1}, {{0, 11, 0}, 1},
                                                        {{0, 13, 0}, 3}, {{0, 14, 0}, 4}, {{0, 15, 0}, 6},
                                                        {{1, 0, 0}, 6},  {newest, 6}};
  for (const auto &[target, expected] : versions) {
    const std::string bytes = stored("func.func @main() { return }", target);
    CHECK(testing::require_value(mlir::read_bytecode(bytes)).version == expected);
  }
}

TEST_CASE("attributes of all kinds are the same after they were stored") {
  for (const char *attributes : {
           "x.a, x.b = true, x.c = 5 : i8, x.d = -5 : i32, x.e = 3 : ui64, x.f = -1 : i64",
           "x.a = 0.5 : f32, x.b = -1.5 : f64, x.c = 0.25 : bf16, x.d = 2.0 : f8E4M3FN",
           "x.a = [], x.b = [1 : i64, \"t\"], x.c = {d = {e = 1 : i16}}",
           "x.a = dense<[1, 2]> : tensor<2xi64>, x.b = dense<[true, false, true]> : tensor<3xi1>",
           "x.a = dense<[-1, 7]> : tensor<2xi4>, x.b = dense<3> : tensor<4xui2>, x.c = dense<> : tensor<0xf32>",
           "x.a = dense<(1.0, 2.0)> : tensor<complex<f32>>, x.b = dense<true> : tensor<9xi1>",
           "x.a = array<i32: 1, -2>, x.b = array<f32: 0.5>, x.c = array<i8>",
           "x.a = f32, x.b = tensor<2x?xi8>, x.c = (i32) -> tensor<2xf32>, x.d = none",
           "x.a = #stablehlo<precision HIGH>, x.b = #stablehlo<rng_algorithm PHILOX>",
           "sdy.sharding = #sdy.sharding<@mesh, [{\"x\":(2)4, ?}p1]>",
           "sdy.sharding = #sdy.sharding<mesh<[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>, [{}], replicated={\"x\"}, "
           "unreduced={\"y\"}>",
           "sdy.sharding = #sdy.sharding_per_value<[<@\"a b\", [{?}]>]>",
           "sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, j]) {i=2, j=4, k=8} reduction={k} "
           "blocked_propagation={i}, custom>",
       }) {
    INFO(attributes);
    check_round_trip(function(fmt::format("%r = stablehlo.abs %a {{{}}} : tensor<2xf32>", attributes)), newest);
  }
}

TEST_CASE("types of all kinds are the same after they were stored") {
  for (const char *type : {
           "tensor<f32>",
           "tensor<2x3xi1>",
           "tensor<?x2xcomplex<f64>>",
           "tensor<?x?xf32, #stablehlo.bounds<4, ?>>",
           "!stablehlo.token",
           "tuple<tensor<2xf32>, tuple<!stablehlo.token>>",
           "memref<2xf32>",
           "!stablehlo.future<tensor<2xf32>>",
           "!stablehlo.future<tensor<2xf32>, tensor<i1>>",
           "tensor<2x!quant.uniform<i8:f32, 0.5:3>>",
           "tensor<2x!quant.uniform<u8<1:200>:f32, 0.5:3>>",
           "tensor<2x!quant.uniform<i8:f32:0, {0.5:-3, 0.25:4}>>",
       }) {
    INFO(type);
    check_round_trip(fmt::format("func.func private @f({0}) -> {0}\nfunc.func @main() {{ return }}", type), newest);
  }
}

TEST_CASE("modules, symbols and functions are the same after they were stored") {
  for (const char *program : {
           "module {}",
           "module @\"a b\" attributes {mhlo.num_partitions = 2 : i32, x.y} { func.func @main() { return } }",
           "func.func @main() { return }\nfunc.func nested @a$b.c() { return }",
           "func.func @main(%a: tensor<f32> {x.y = 1 : i64}, %b: tensor<f32>) -> (tensor<f32> {x.z}) { return %a : "
           "tensor<f32> }",
       }) {
    INFO(program);
    check_round_trip(program, newest);
    check_round_trip(program, {0, 9, 0});
  }
}

TEST_CASE("values of regions around an operation keep their meaning") {
  check_round_trip(R"(func.func @main(%a: tensor<i32>, %b: tensor<i1>) -> tensor<i32> {
    %0 = stablehlo.add %a, %a : tensor<i32>
    %1:2 = "stablehlo.while"(%a, %0) ({
    ^bb0(%i: tensor<i32>, %j: tensor<i32>):
      stablehlo.return %b : tensor<i1>
    }, {
    ^bb0(%i: tensor<i32>, %j: tensor<i32>):
      %2 = "stablehlo.if"(%b) ({
        %3 = stablehlo.add %i, %0 : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }, {
        stablehlo.return %j : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      %4 = stablehlo.multiply %2, %j : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    return %1#1 : tensor<i32>
  })",
                   newest);
}

TEST_CASE("locations are kept") {
  const std::string program = function(
      "%0 = stablehlo.sine %a : tensor<2xf32> loc(\"jit(f)/sin\"(\"f.py\":3:7 to 4:9))\n"
      "  %r = stablehlo.tan %0 : tensor<2xf32> loc(\"g.py\":5:1)");
  const ir::Module module = testing::require_value(read(stored(program), {"a.mlirbc", 1, {}}));
  const ir::Module old = testing::require_value(read(stored(program, {1, 4, 0}), {"a.mlirbc", 1, {}}));
  std::size_t found = 0;
  for (const ir::Module *each : {&module, &old}) {
    for (const ir::Instruction instruction : each->entry().instructions()) {
      const ir::Metadata *metadata = instruction.metadata();
      if (instruction.opcode() == ir::Opcode::Sine) {
        REQUIRE(metadata != nullptr);
        CHECK(metadata->op_name == "jit(f)/sin");
        CHECK(metadata->source_file == "f.py");
        CHECK(metadata->source_line == 3);
        CHECK(metadata->source_end_line == (each == &module ? 4 : 0));
        ++found;
      } else if (instruction.opcode() == ir::Opcode::Tan) {
        REQUIRE(metadata != nullptr);
        CHECK(metadata->source_line == 5);
        ++found;
      }
    }
  }
  CHECK(found == 4);
}

TEST_CASE("a damaged program that can be read is written as the same program") {
  std::size_t written = 0;
  for (const char *name : {"old.0.9.0.mlirbc", "old.0.14.0.mlirbc", "recent.1.17.0.mlirbc"}) {
    const std::string whole = testing::read_file(fixtures() / name);
    for (std::size_t i = 4; i < whole.size(); ++i) {
      constexpr int bits[] = {0x01, 0x80, 0xff, 0x02};
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ bits[i % 4]);
      const auto text = to_text(damaged, {name, 1, {}});
      const auto bytes = to_bytecode(damaged, newest, {name, 1, {}});
      if (text.ok() && bytes.ok()) {
        INFO(name << " " << i);
        CHECK(first_difference(text_of(*bytes), *text) == "");
        ++written;
      }
    }
  }
  CHECK(written > 100);
}

TEST_CASE("what a version lacks is an error") {
  struct Case {
    std::string_view operation, type;
    Version target;
    std::string_view expected;
  };
  constexpr std::string_view vector = "tensor<2xf32>";
  const Case cases[] = {
      {"%r = stablehlo.tan %a : tensor<2xf32>",
       vector,
       {1, 3, 0},
       "stablehlo.tan needs StableHLO 1.4.0, the target version is 1.3.0"},
      {"%r = \"stablehlo.cosine\"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = "
       "#stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>",
       vector,
       {1, 9, 0},
       "stablehlo.cosine: the attribute 'result_accuracy' needs StableHLO 1.10.0, the target version is 1.9.0"},
      {"%r = stablehlo.add %a, %a : tensor<2xf8E3M4>",
       "tensor<2xf8E3M4>",
       {1, 6, 0},
       "func.func: f8E3M4 needs StableHLO 1.7.0, the target version is 1.6.0"},
      {"%r = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], batching_dims = [] x [], algorithm = "
       "<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
       "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2xf32>, "
       "tensor<2xf32>) -> tensor<f32>\n  %s = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> "
       "tensor<2xf32>",
       "",
       {1, 5, 0},
       "stablehlo.dot_general: the attribute 'lhs_precision_type' in 'algorithm' needs StableHLO 1.6.0, the target "
       "version is 1.5.0"},
      {"%r = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = {a = 1 : i32}} : (tensor<2xf32>) -> "
       "tensor<2xf32>",
       vector,
       {1, 2, 0},
       "stablehlo.custom_call: a dictionary as backend_config needs StableHLO 1.3.0, the target version is 1.2.0"},
  };
  for (const Case &row : cases) {
    if (row.type.empty()) {
      const std::string program = fmt::format(
          "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{\n  {}\n  return %s : "
          "tensor<2xf32>\n}}\n",
          row.operation);
      CHECK(stored(program, row.target).starts_with(fmt::format("error: a.mlir:2:8: {}", row.expected)));
      continue;
    }
    const std::string found = stored(function(row.operation, row.type), row.target);
    INFO(row.operation);
    CHECK(found.substr(0, found.find('\n')).ends_with(row.expected));
    CHECK(found.starts_with("error: a.mlir:"));
  }
}

TEST_CASE("what the forms of a version lack is an error") {
  const auto error = [](std::string_view program, Version target) {
    const std::string found = stored(program, target);
    return found.starts_with("error: ") ? found.substr(0, found.find('\n')) : "no error";
  };
  const char *promoting = R"(func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
})";
  CHECK(error(promoting, {0, 17, 0}) == "no error");
  CHECK(error(promoting, {0, 16, 0}) ==
        "error: a.mlir:2:9: stablehlo.reduce: a computation of other element types than those of the operands needs "
        "StableHLO 0.17.0, the target version is 0.16.0");
  const char *gather = R"(func.func @main(%a: tensor<2x4x6xf32>, %i: tensor<2x3x1xi64>) -> tensor<2x3x6xf32> {
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>} : (tensor<2x4x6xf32>, tensor<2x3x1xi64>) -> tensor<2x3x6xf32>
  return %0 : tensor<2x3x6xf32>
})";
  CHECK(error(gather, {1, 1, 0}) == "no error");
  CHECK(error(gather, {1, 0, 0}) ==
        "error: a.mlir:2:9: stablehlo.gather: the attribute 'operand_batching_dims' in 'dimension_numbers' needs "
        "StableHLO "
        "1.1.0, the target version is 1.0.0");
  const std::string axis =
      "func.func private @f(tensor<2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:4}>>)\nfunc.func @main() { return }";
  CHECK(error(axis, {0, 18, 0}) == "no error");
  CHECK(error(axis, {0, 17, 0}).ends_with("needs StableHLO 0.18.0, the target version is 0.17.0"));
}

// StableHLO's own tests of what a version, which is in the name of the file, has or lacks.
TEST_CASE("the corpus of programs that a version lacks is refused, that of others is not") {
  const std::filesystem::path corpus = testing::find_shared("corpus/vhlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  std::size_t accepted = 0, refused = 0;
  for (const auto &entry : std::filesystem::directory_iterator(corpus)) {
    const std::string name = entry.path().filename();
    const std::string prefix = "vhlo_to_version_downgrade";
    if (!name.starts_with(prefix) || name == prefix + "_patch.mlir") {
      continue;
    }
    std::string version = name.substr(name.find('.') + 1);
    version.resize(version.find('.'));
    std::ranges::replace(version, '_', '.');
    const Version target = bytecode::parse_version(version).value();
    const std::string text = testing::read_file(entry.path());
    for (const TextPart &part : split(text)) {
      INFO(name << " line " << part.first_line);
      CHECK(!stored(part.text).starts_with("error"));
      // Accepted, as by StableHLO: the attribute has the value that stands for its absence.
      const bool is_default = name == prefix + "_invalid.1_8_0.mlir" && part.text.find("_default(") != part.text.npos;
      const bool is_refused = name.starts_with(prefix + "_invalid") && !is_default;
      const std::string expected = fmt::format(", the target version is {}", version);
      const std::string found = stored(part.text, target);
      CHECK((found.starts_with("error: ") && found.find(expected) != found.npos) == is_refused);
      (is_refused ? refused : accepted) += 1;
    }
  }
  CHECK(accepted == 26);
  CHECK(refused == 27);
}

TEST_CASE("what is not part of StableHLO cannot be stored") {
  CHECK(stored(function("%r = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>"))
            .starts_with("error: a.mlir:2:8: chlo.erf cannot be stored: it is no operation of StableHLO or Shardy"));
  CHECK(
      stored(function("%r = stablehlo.abs %a {x.a = #foo.bar<1>} : tensor<2xf32>"))
          .starts_with("error: a.mlir:2:8: stablehlo.abs: the attribute #foo.bar<1> cannot be stored, expected one of "
                       "StableHLO, Shardy or MLIR's builtin dialect"));
  CHECK(
      stored(function("%r = stablehlo.abs %a {sdy.sharding = #sdy.sharding<@m, [{\"x\"}], hidden={}>} : tensor<2xf32>"))
          .starts_with("error: a.mlir:2:8: stablehlo.abs: #sdy.sharding<@m,[{\"x\"}],hidden={}> cannot be stored: "
                       "'hidden={}>' in place of unreduced"));
}

TEST_CASE("equal tensors, accuracies, formats and composites have equal texts") {
  const auto text = [](std::string_view operation) { return text_of(function(operation)); };
  CHECK(text("%0 = stablehlo.constant dense<[7]> : tensor<1xi32>\n%r = stablehlo.abs %a : tensor<2xf32>") ==
        text("%0 = stablehlo.constant dense<7> : tensor<1xi32>\n%r = stablehlo.abs %a : tensor<2xf32>"));
  CHECK(
      text("%r = \"stablehlo.sine\"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = "
           "#stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>") ==
      text(
          "%r = \"stablehlo.sine\"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 0.0, rtol = 0.0, ulps = 2, "
          "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>"));
  CHECK(text("%r = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>") ==
        text("%r = \"stablehlo.reduce_precision\"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : "
             "(tensor<2xf32>) -> tensor<2xf32>"));
  const std::string decomposition =
      "func.func private @d(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }";
  const auto composite = [&](std::string_view operation) {
    return text_of(decomposition + "\n" + function(operation));
  };
  CHECK(composite(
            "%r = stablehlo.composite \"c\" %a ({\n^bb0(%x: tensor<2xf32>):\n stablehlo.return %x : tensor<2xf32>\n}) "
            "{decomposition = @d} : (tensor<2xf32>) -> tensor<2xf32>") ==
        composite(
            "%r = \"stablehlo.composite\"(%a) ({\n^bb0(%x: tensor<2xf32>):\n stablehlo.return %x : tensor<2xf32>\n}) "
            "{decomposition = @d, name = \"c\"} : (tensor<2xf32>) -> tensor<2xf32>"));
  for (const char *format : {"e5x10", "e5m", "em10", "f5m10", "e5m10x"}) {
    CHECK(text(fmt::format("%r = stablehlo.reduce_precision %a, format = {} : tensor<2xf32>", format))
              .starts_with("error: a.mlir:2:48: expected a format as in e5m10, found "));
  }
}

}  // namespace bp::import::stablehlo
