// Programs that leave sizes open, run with arguments of several shapes.
#include "core/polymorphic.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>

#include "core/bucketed_program.h"

namespace bp {
namespace {

// x + [0, 1, ..., n - 1], and element i of x.
constexpr std::string_view counting = R"(
func.func @main(%n: tensor<i64>, %x: tensor<?xf32>, %i: tensor<i32>) -> (tensor<?xf32>, tensor<1xf32>) {
  %size = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %iota = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %sum = stablehlo.add %iota, %x : tensor<?xf32>
  %element = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<?xf32>, tensor<i32>) -> tensor<1xf32>
  return %sum, %element : tensor<?xf32>, tensor<1xf32>
}
)";

// [0, 1, ..., n - 1]: no shape says what n is.
constexpr std::string_view iota = R"(
func.func @main(%n: tensor<i64>) -> tensor<?xf32> {
  %size = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %iota = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
  return %iota : tensor<?xf32>
}
)";

constexpr std::string_view negation = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = stablehlo.negate %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
)";

PolymorphicExecutable compiled(std::string_view text, std::size_t max_executables = 16) {
  const Backend backend = Backend::load("interpreter").value();
  return backend.compile_polymorphic(std::string(text), "open.mlir", {}, max_executables).value();
}

Literal ones(std::int64_t count) {
  Literal literal = Literal::zeros(Shape::array(ir::ElementType::F32, {count})).value();
  std::ranges::fill(literal.mutable_elements<float>(), 1.0f);
  return literal;
}

Literal number(std::int64_t value) {
  return Literal::scalar(ir::ElementType::S64, value);
}

std::vector<Literal> arguments(std::int64_t n, std::int64_t count, std::int32_t i = 0) {
  std::vector<Literal> all{number(n), ones(count), Literal::scalar(ir::ElementType::S32, i)};
  return all;
}

bool counts(const PolymorphicExecutable &executable, std::uint64_t hits, std::uint64_t misses,
            std::uint64_t evictions) {
  const auto found = executable.counters();
  CHECK(found.hits == hits);
  CHECK(found.misses == misses);
  CHECK(found.evictions == evictions);
  return found.hits == hits && found.misses == misses && found.evictions == evictions;
}

}  // namespace

TEST_CASE("an executable made without the elements of a size is kept apart from those for elements") {
  const PolymorphicExecutable program = compiled(counting);
  const auto first = program.executable_for(arguments(0, 4), {0});
  REQUIRE(first.ok());
  CHECK(program.executable_for(arguments(7, 4), {0}).value() == *first);
  counts(program, 1, 1, 0);
  CHECK(!program.run(arguments(0, 4)).ok());  // %x has 4 elements
  CHECK(program.run(arguments(4, 4)).ok());
}

TEST_CASE("arguments of other shapes get other executables, which are kept") {
  const PolymorphicExecutable program = compiled(counting);
  REQUIRE(program.parameters().size() == 3);
  CHECK(program.parameters()[1].name == "x");
  CHECK(program.parameters()[1].shape.size(0) == ir::unbounded);
  for (const std::int64_t n : {2, 5, 3, 5, 2}) {
    const Literal result = program.run(arguments(n, n)).value();
    const auto sums = result.tuple_elements()[0].elements<float>();
    REQUIRE(sums.size() == static_cast<std::size_t>(n));
    CHECK(sums.back() == static_cast<float>(n));
  }
  CHECK(counts(program, 2, 3, 0));
  // The index is no size: another one needs no other executable.
  CHECK(program.run(arguments(3, 3, 2)).ok());
  CHECK(counts(program, 3, 3, 0));
}

TEST_CASE("elements on which sizes depend are part of the key") {
  const PolymorphicExecutable program = compiled(iota);
  for (const std::int64_t n : {4, 7, 4}) {
    CHECK(program.run({number(n)}).value().elements<float>().size() == static_cast<std::size_t>(n));
  }
  CHECK(counts(program, 1, 2, 0));
}

TEST_CASE("the least recently used executables are dropped") {
  const PolymorphicExecutable program = compiled(iota, 2);
  for (const std::int64_t n : {1, 2, 1, 3}) {  // 3 replaces 2
    REQUIRE(program.run({number(n)}).ok());
  }
  CHECK(counts(program, 1, 3, 1));
  REQUIRE(program.run({number(1)}).ok());
  CHECK(counts(program, 2, 3, 1));
  REQUIRE(program.run({number(2)}).ok());
  CHECK(counts(program, 2, 4, 2));
  const PolymorphicExecutable single = compiled(iota, 0);  // keeps one all the same
  for (const std::int64_t n : {1, 1, 2}) {
    REQUIRE(single.run({number(n)}).ok());
  }
  CHECK(counts(single, 1, 2, 1));
}

TEST_CASE("threads that need the same executable compile it once") {
  const PolymorphicExecutable program = compiled(counting);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        const std::int64_t n = 1 + (round + t) % 4;
        const auto result = program.run(arguments(n, n));
        right += result.ok() && result->tuple_elements()[0].elements<float>().back() == static_cast<float>(n) ? 1 : 0;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  CHECK(right == 8 * 20);
  const auto found = program.counters();
  CHECK(found.hits + found.misses == 8 * 20);
  // Until it is known that sizes depend on the first parameter, an executable may be dropped and compiled again.
  CHECK(found.misses <= 4 + 3);
}

TEST_CASE("arguments that contradict each other are errors, which are not kept") {
  const PolymorphicExecutable program = compiled(counting);
  for (int i = 0; i < 2; ++i) {
    const auto result = program.run(arguments(3, 4));
    REQUIRE(!result.ok());
    CHECK(result.error().notes().back() ==
          "sizes come from parameter 0 (n), whose value is 3; parameter 1 (x), given as f32[4]");
  }
  CHECK(counts(program, 0, 2, 0));
  CHECK(program.run(arguments(4, 4)).ok());
  CHECK(program.run({number(4)}).error().message() == "1 arguments, but open.mlir has 3 parameters");
  CHECK(program.run({number(4), number(4), number(4)}).error().message() ==
        "the shape given for parameter 1 is s64[], but its type is tensor<?xf32>");
}

TEST_CASE("artifacts are kept by shape for later processes") {
  struct CountingCache final : compile::ArtifactCache {
    std::optional<std::vector<std::byte>> find(const Key &key) const override {
      const auto kept = artifacts.find(key);
      found += kept != artifacts.end() ? 1 : 0;
      return kept != artifacts.end() ? std::optional(kept->second) : std::nullopt;
    }
    Status store(const Key &key, std::span<const std::byte> artifact) override {
      artifacts[key].assign(artifact.begin(), artifact.end());
      return {};
    }
    std::map<Key, std::vector<std::byte>> artifacts;
    mutable std::size_t found = 0;
  };
  CountingCache cache;
  CompileOptions options;
  options.cache = &cache;
  BackendOptions tiny_options;
  tiny_options.settings = {{"ops", "negate"}};
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const Backend backend =
      Backend::load((folder / "core/compile/tests/plugins/libbackplane_tiny.so").string(), tiny_options).value();
  for (const std::size_t found : {0, 2}) {
    const PolymorphicExecutable program =
        backend.compile_polymorphic(std::string(negation), "open.mlir", options).value();
    for (const std::int64_t size : {3, 4}) {
      const Literal result = program.run({ones(size)}).value();
      CHECK(std::ranges::all_of(result.elements<float>(), [](float element) { return element == -1; }));
    }
    CHECK(cache.artifacts.size() == 2);
    CHECK(cache.found == found);
    CHECK(counts(program, 0, 2, 0));
  }
}

// Each row divided by its sum, times a matrix.
constexpr std::string_view weighted_rows = R"(
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %all = stablehlo.dynamic_broadcast_in_dim %sums, %sizes, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %y = stablehlo.divide %x, %all : tensor<?x?xf32>
  %z = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}
)";

Literal counted(std::int64_t rows, std::int64_t columns) {
  Literal literal = Literal::zeros(Shape::array(ir::ElementType::F32, {rows, columns})).value();
  float next = 1;
  for (float &element : literal.mutable_elements<float>()) {
    element = next++;
  }
  return literal;
}

TEST_CASE("runs of sizes in one bucket share an executable") {
  PolymorphicExecutable program = compiled(weighted_rows);
  program.use_buckets(next_power_of_two);
  const PolymorphicExecutable exact = compiled(weighted_rows);
  for (const auto &[rows, columns] : {std::pair(3, 5), {4, 6}, {3, 7}, {3, 5}, {2, 2}, {4, 8}}) {
    const std::vector<Literal> given{counted(rows, columns), counted(columns, 2)};
    CHECK(program.why_not_padded(given).value().empty());
    CHECK(program.run(given).value().identical(exact.run(given).value()));
  }
  // 4 x 8 for the sizes where both are padded, and where the second is; exact ones for 2 x 2 and 4 x 8.
  CHECK(program.counters().misses == 4);
}

TEST_CASE("programs that use a size as a number run at their exact sizes") {
  constexpr std::string_view divided_by_size = R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %all = stablehlo.dynamic_broadcast_in_dim %f, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %y = stablehlo.divide %x, %all : tensor<?xf32>
  return %y : tensor<?xf32>
}
)";
  PolymorphicExecutable program = compiled(divided_by_size);
  CHECK(program.why_not_padded(std::array{ones(3)}).value() == "there are no buckets");
  program.use_buckets(next_power_of_two);
  CHECK(program.why_not_padded(std::array{ones(4)}).value().empty());
  CHECK_THAT(program.why_not_padded(std::array{ones(3)}).value(),
             Catch::Contains("open.mlir:3:8: ") && Catch::Contains("(constant) does something else for other sizes"));
  for (const std::int64_t n : {3, 4, 5}) {
    CHECK(program.run({ones(n)}).value().elements<float>()[0] == 1.0f / static_cast<float>(n));
  }
  // A bucket that is smaller than the size is not used, nor are arguments that contradict the program.
  program.use_buckets([](std::int64_t) { return std::int64_t{1}; });
  CHECK(program.run({ones(6)}).value().elements<float>().size() == 6);
  CHECK_FALSE(program.run({number(1)}).ok());
  CHECK_FALSE(program.run({}).ok());
}

TEST_CASE("elements that are chosen by a size are those of the exact size") {
  // Element n of a table whose size is known: no shape depends on n.
  constexpr std::string_view element_of_table = R"(
func.func @main(%table: tensor<9xf32>, %x: tensor<?xf32>) -> tensor<1xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %first = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %limit = stablehlo.add %first, %one : tensor<1xi32>
  %y = stablehlo.real_dynamic_slice %table, %first, %limit, %one
    : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}
)";
  PolymorphicExecutable program = compiled(element_of_table);
  program.use_buckets(next_power_of_two);
  Literal table = Literal::zeros(Shape::array(ir::ElementType::F32, {9})).value();
  std::ranges::copy(std::array<float, 9>{0, 1, 2, 3, 4, 5, 6, 7, 8}, table.mutable_elements<float>().begin());
  for (const std::int64_t n : {3, 4, 5, 8}) {
    CHECK(program.run({table, ones(n)}).value().elements<float>()[0] == static_cast<float>(n));
  }
}

TEST_CASE("programs that are not padded, or do not fit into the memory, are compiled once for their exact sizes") {
  constexpr std::string_view calling = R"(
func.func @main(%x: tensor<?xf32>, %y: tensor<3xf32>) -> (tensor<?xf32>, tensor<3xf32>) {
  %z = stablehlo.custom_call @"acme.a long name that is no list of numbers"(%y) : (tensor<3xf32>) -> tensor<3xf32>
  %s = stablehlo.negate %x : tensor<?xf32>
  return %s, %z : tensor<?xf32>, tensor<3xf32>
}
)";
  PolymorphicExecutable program = compiled(calling);
  program.use_buckets(next_power_of_two);
  CHECK(program.why_not_padded(std::array{ones(3), ones(3)}).value().empty());
  PolymorphicExecutable negating = compiled(negation);
  negating.use_buckets([](std::int64_t) { return std::int64_t{1} << 50; });
  for (int n = 0; n < 3; ++n) {
    CHECK(negating.run({ones(3)}).value().elements<float>()[2] == -1);
  }
  CHECK(negating.counters().misses == 2);  // of the padded program and the exact one
}

TEST_CASE("arguments that are sizes are padded with their arrays") {
  PolymorphicExecutable program = compiled(counting);
  program.use_buckets([](std::int64_t size) { return (size + 9) / 10 * 10; });
  for (const std::int64_t n : {2, 7, 10, 11}) {
    const Literal result = program.run(arguments(n, n)).value();
    const auto sums = result.tuple_elements()[0].elements<float>();
    REQUIRE(sums.size() == static_cast<std::size_t>(n));
    CHECK(sums.back() == static_cast<float>(n));
  }
  CHECK_FALSE(program.run(arguments(3, 4)).ok());
}

TEST_CASE("elements beyond the sizes do not matter in a program for a bucket") {
  ReadOptions exact, padded;
  exact.parameter_shapes = {Shape::array(ir::ElementType::F32, {3, 5}), Shape::array(ir::ElementType::F32, {5, 2})};
  padded.parameter_shapes = {Shape::array(ir::ElementType::F32, {4, 8}), Shape::array(ir::ElementType::F32, {8, 2})};
  const Module small = parse_module(std::string(weighted_rows), "open.mlir", exact).value();
  const BucketedProgram program =
      make_bucketed(small, parse_module(std::string(weighted_rows), "open.mlir", padded).value()).value();
  REQUIRE(program.sizes == std::vector<BucketedProgram::Dimension>{{0, 0}, {0, 1}});
  const auto filled = [](const Literal &from, std::int64_t rows, std::int64_t columns) {
    Literal all = Literal::zeros(Shape::array(ir::ElementType::F32, {rows, columns})).value();
    const auto to = all.mutable_elements<float>();
    std::ranges::fill(to, std::numeric_limits<float>::quiet_NaN());
    const std::int64_t width = from.shape().size(1);
    for (std::int64_t i = 0; i < from.shape().element_count(); ++i) {
      to[static_cast<std::size_t>(i / width * columns + i % width)] =
          from.elements<float>()[static_cast<std::size_t>(i)];
    }
    return all;
  };
  const Backend backend = Backend::load("interpreter").value();
  const Literal expected = backend.compile(small).value().executable.run({counted(3, 5), counted(5, 2)}).value();
  const std::vector<Literal> given{filled(counted(3, 5), 4, 8), filled(counted(5, 2), 8, 2),
                                   Literal::scalar(ir::ElementType::S32, std::int32_t{3}),
                                   Literal::scalar(ir::ElementType::S32, std::int32_t{5})};
  const Literal found = backend.compile(program.module).value().executable.run(given).value();
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(found.elements<float>()[i] == expected.elements<float>()[i]);
  }
}

TEST_CASE("only StableHLO leaves sizes open") {
  const Backend backend = Backend::load("interpreter").value();
  CHECK(backend.compile_polymorphic("HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }\n", "m.hlo")
            .error()
            .message() ==
        "m.hlo: a file of 1 module in another form, expected one program of a format whose sizes may be open");
}

}  // namespace bp
