// The public face: names, files and dumps. What programs compute is tested in core/compile.
#include "core/backplane.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tools/measure/allocation_counter.h"
#include "tools/testing/skip.h"
#include "tools/testing/temporary_folder.h"

namespace bp {
namespace {

std::string tiny() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         "core/compile/tests/plugins/libbackplane_tiny.so";
}

constexpr std::string_view double_text =
    "HloModule twice\nENTRY main { x = f32[4] parameter(0)  c = f32[4] constant({1,2,3,4})  s = f32[4] add(x, x)\n"
    "  t = (f32[4]) tuple(s)  u = f32[4] get-tuple-element(t), index=0  ROOT r = f32[4] multiply(u, c) }\n";

}  // namespace

TEST_CASE("files that are no programs get one clear message") {
  testing::TemporaryFolder folder;
  CHECK(read_module(folder / "absent.hlo").error().to_string() ==
        "cannot read " + (folder / "absent.hlo") + ": No such file or directory");
  CHECK(read_module(folder.path()).error().to_string() == "cannot read " + folder.path() + ": Is a directory");
  testing::write_file(folder / "wrong.hlo",
                      "HloModule m\nENTRY main { x = f32[4] parameter(0)  ROOT r = f32[5] negate(x) }\n");
  auto wrong = read_module(folder / "wrong.hlo");
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().to_string() == (folder / "wrong.hlo:2:44: r: the shape is f32[5], expected f32[4]\n"
                                               "  ENTRY main { x = f32[4] parameter(0)  ROOT r = f32[5] negate(x) }\n"
                                               "                                             ^"));
  testing::write_file(folder / "bytecode.mlirbc", std::string_view("ML\xefR\x0dStableHLO_v1.0.0"));
  CHECK(read_module(folder / "bytecode.mlirbc").error().to_string() ==
        (folder / "bytecode.mlirbc: byte 5: a text without the zero byte that ends it"));
  CHECK(!Backend::load("no-such-backend").ok());
}

TEST_CASE("a file may hold several modules") {
  testing::TemporaryFolder folder;
  const std::string one = "HloModule one\nENTRY e { ROOT x = f32[] parameter(0) }\n";
  const std::string two = "HloModule two\nENTRY e { ROOT x = f32[2] parameter(0) }\n";
  for (const char *between : {"", "// -----\n", "\n// a comment\n"}) {
    testing::write_file(folder / "both.hlo", one + between + two);
    const std::vector<Module> modules = read_modules(folder / "both.hlo").value();
    REQUIRE(modules.size() == 2);
    CHECK(modules[0].name() + modules[1].name() == "onetwo");
  }
  CHECK(read_module(folder / "both.hlo").error().to_string() ==
        (folder / "both.hlo") + ":5:1: the file has 2 modules and the second begins here, expected one module");
  CHECK(parse_module(one + "// -----\n// and no more\n", "one.hlo").value().name() == "one");
  const std::string function = "func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n";
  testing::write_file(folder / "both.mlir", function + "// -----\n" + function);
  CHECK(read_modules(folder / "both.mlir").value().size() == 2);
}

TEST_CASE("the interpreter is a backend like others") {
  testing::TemporaryFolder folder;
  testing::write_file(folder / "twice.hlo", double_text);
  auto interpreter = Backend::load("interpreter");
  REQUIRE(interpreter.ok());
  for (const Backend &backend : {*interpreter, Backend::load(tiny(), {{{"ops", "add,multiply"}}, ""}).value()}) {
    auto compiled = backend.compile(read_module(folder / "twice.hlo").value());
    REQUIRE(compiled.ok());
    auto x = Literal::zeros(Shape::array(ir::ElementType::F32, {4})).value();
    x.mutable_elements<float>()[1] = 10;
    auto result = compiled->executable.run({x});
    REQUIRE(result.ok());
    CHECK(result->elements<float>()[1] == 40);
  }
}

TEST_CASE("an application's own cache keeps artifacts in place of the directory") {
  struct OwnCache final : compile::ArtifactCache {
    std::optional<std::vector<std::byte>> find(const Key &) const override { return kept; }
    Status store(const Key &, std::span<const std::byte> artifact) override {
      kept.emplace(artifact.begin(), artifact.end());
      return {};
    }
    std::optional<std::vector<std::byte>> kept;
  };
  const testing::TemporaryFolder folder;
  OwnCache cache;
  CompileOptions options;
  options.cache = &cache;
  options.cache_dir = folder / "unused";
  BackendOptions tiny_options;
  tiny_options.settings = {{"ops", "add,multiply"}};
  const Backend backend = Backend::load(tiny(), tiny_options).value();
  for (const std::size_t cached : {0, 1}) {
    const auto compiled = backend.compile(parse_module(double_text, "twice.hlo").value(), options);
    REQUIRE(compiled.ok());
    CHECK(compiled->report.programs == 1);
    CHECK(compiled->report.cached == cached);
    CHECK(cache.kept.has_value());
  }
  CHECK_FALSE(std::filesystem::exists(options.cache_dir));
}

TEST_CASE("a program for several devices runs on no backend alone, however it is run") {
  const Module module = parse_module(
                            "HloModule two, num_partitions=2\nENTRY e { x = f32[4] parameter(0)  "
                            "y = f32[4] add(x, x)  ROOT r = f32[4] multiply(y, x) }",
                            "two.hlo")
                            .value();
  const Literal x = Literal::zeros(Shape::array(ir::ElementType::F32, {4})).value();
  for (const char *ops : {"add,multiply", "add", ""}) {  // one program, several steps, all on the host
    const Backend backend = Backend::load(tiny(), {{{"ops", ops}}, ""}).value();
    const Compiled compiled = backend.compile(module).value();
    CHECK(compiled.executable.run({x}).error().code() == ErrorCode::Unsupported);
    if (const auto &program = compiled.executable.program()) {
      CHECK(Execution::prepare(program).allocate().error().message().starts_with("two needs 2 devices"));
    }
  }
  CHECK(Backend::load("interpreter").value().compile(module).value().executable.run({x}).error().code() ==
        ErrorCode::Unsupported);
}

TEST_CASE("a dump holds all stages, and its programs can be read again") {
  testing::TemporaryFolder folder;
  testing::write_file(folder / "twice.hlo", double_text);
  auto backend = Backend::load(tiny(), {{{"ops", "add,multiply"}}, folder / "dump"});
  REQUIRE(backend.ok());
  CompileOptions options;
  options.dump_dir = folder / "dump";
  auto compiled = backend->compile(read_module(folder / "twice.hlo").value(), options);
  REQUIRE(compiled.ok());
  std::size_t modules = 0;
  for (const auto &file : std::filesystem::directory_iterator(options.dump_dir)) {
    if (file.path().extension() == ".hlo") {
      auto module = read_module(file.path());
      INFO((module.ok() ? "" : module.error().to_string()));
      CHECK(module.ok());
      ++modules;
    }
  }
  CHECK(modules >= 3);  // as read, after the tuples have gone, as planned
  for (const char *name : {"program.plan.txt", "program.plan.json", "program.image.txt", "program.image"}) {
    CHECK(std::filesystem::file_size(folder / "dump/" + name) > 0);
  }
  // The artifact of this plugin is the image.
  CHECK(std::filesystem::file_size(folder / "dump/program.artifact") ==
        std::filesystem::file_size(folder / "dump/program.image"));
  options.dump_dir = folder / "twice.hlo/below";
  CHECK(backend->compile(read_module(folder / "twice.hlo").value(), options).error().to_string() ==
        "cannot make the directory " + (folder / "twice.hlo/below") + ": Not a directory");
}

TEST_CASE("the reference backend runs in the predicted memory, to the byte, kernels' scratch included") {
  std::string cpu = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins/cpu/libbackplane_cpu.so";
  if (!std::filesystem::exists(cpu)) {
    testing::skip("plugins/cpu was not built");
    return;
  }
  testing::TemporaryFolder folder;
  testing::write_file(folder / "layers.hlo", R"(HloModule layers
    less { s = (s32[], f32[300,300]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
    layer { s = (s32[], f32[300,300]) parameter(0)  i = s32[] get-tuple-element(s), index=0
      x = f32[300,300] get-tuple-element(s), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
      w = f32[300,300] constant({...})
      d = f32[300,300] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      t = f32[300,300] tanh(d)  ROOT r = (s32[], f32[300,300]) tuple(next, t) }
    sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
    ENTRY main { x = f32[300,300] parameter(0)  zero = s32[] constant(0)
      s = (s32[], f32[300,300]) tuple(zero, x)  l = (s32[], f32[300,300]) while(s), condition=less, body=layer
      y = f32[300,300] get-tuple-element(l), index=1  z = f32[] constant(0)
      rows = f32[300] reduce(y, z), dimensions={1}, to_apply=sum  ROOT r = (f32[300,300], f32[300]) tuple(y, rows) })");
  auto backend = Backend::load(cpu);
  REQUIRE(backend.ok());
  auto compiled = backend->compile(read_module(folder / "layers.hlo").value());
  REQUIRE(compiled.ok());
  auto program = compiled->executable.program();
  REQUIRE(program != nullptr);
  auto execution = Execution::prepare(program);
  measure::AllocationCounter counter;
  REQUIRE(execution.allocate().ok());
  std::int64_t pieces = counter.count();
  REQUIRE(execution.run().ok());
  REQUIRE(execution.run().ok());
  std::int64_t measured = counter.peak() + program->memory().constants;
  std::int64_t pieces_of_runs = counter.count() - pieces;
  if (!counter.is_valid()) {
    testing::skip("a sanitizer counts allocations here");
    return;
  }
  CHECK(measured == program->memory().peak());
  CHECK(pieces_of_runs == 0);
}

}  // namespace bp
