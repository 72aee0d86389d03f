// The plugin leaves nothing behind in the process. While a program is loaded, it holds as much memory as it reports.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>

#include "core/compile/compile.h"
#include "core/text/parser.h"
#include "plugins/cpu/tests/open_cpu.h"
#include "tools/measure/allocation_counter.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::cpu::tests {
namespace {

// A program with several units of code, a loop that threads share, and a constant.
constexpr std::string_view program_text = R"(HloModule life
  sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
  ENTRY main { x = f32[300,300] parameter(0)  w = f32[300,300] constant({...})  z = f32[] constant(0)
    d = f32[300,300] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    e = f32[300,300] exponential(d)  s = f32[300] reduce(e, z), dimensions={1}, to_apply=sum
    ROOT r = (f32[300,300], f32[300]) tuple(e, s) })";

compile::Compiled compile_program(const Device &device) {
  return compile::compile(text::parse_module(program_text).value(), device).value();
}

void run_program(const compile::Compiled &compiled) {
  std::vector<ir::Literal> arguments;
  arguments.push_back(ir::Literal::zeros(ir::Shape::array(ir::ElementType::F32, {300, 300})).value());
  auto result = compiled.executable.run(std::move(arguments));
  REQUIRE(result.ok());
  CHECK(result->tuple_elements()[1].elements<float>()[299] == 300);
}

std::size_t entries(const char *folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// Returns the number of bytes of this process's anonymous mappings that hold generated code: they are read-only.
std::uint64_t generated_bytes() {
  std::istringstream lines(testing::read_file("/proc/self/maps"));
  std::uint64_t bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    unsigned long long from = 0, to = 0, offset = 0, device_major = 0, device_minor = 0, file = 0;
    char access[5] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %4s %llx %llx:%llx %llu", &from, &to, access, &offset, &device_major,
                    &device_minor, &file) == 7 &&
        file == 0 && line.find('[') == line.npos && access[0] == 'r' && access[1] == '-') {
      bytes += to - from;
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("a program says what it holds while it is loaded") {
  const Device device = open_cpu({}, host::AfterUse::Unload).value();
  run_program(compile_program(device));  // makes everything that is made only once
  const std::uint64_t before = generated_bytes();
  {
    const compile::Compiled compiled = compile_program(device);
    CHECK(compiled.executable.memory().resident > 0);
    CHECK(static_cast<std::uint64_t>(compiled.executable.memory().resident) == generated_bytes() - before);
  }
  CHECK(generated_bytes() == before);
}

TEST_CASE("perf finds the names of the functions that were linked") {
  const std::string map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::filesystem::remove(map);
  const compile::Compiled compiled = compile_program(open_cpu({}, host::AfterUse::Unload).value());
  CHECK_FALSE(std::filesystem::exists(map));
  const compile::Compiled named = compile_program(open_cpu({{"perf-map", "1"}}, host::AfterUse::Unload).value());
  std::istringstream lines(testing::read_file(map));
  std::uint64_t address = 0, size = 0;
  std::set<std::string> names;
  for (std::string name; lines >> std::hex >> address >> size >> name;) {
    CHECK(address != 0);
    CHECK(size != 0);
    names.insert(name);
  }
  CHECK(lines.eof());
  CHECK(names.contains("bp_program"));
  CHECK(std::ranges::any_of(names, [](const std::string &name) { return name.starts_with("kernel."); }));
  std::filesystem::remove(map);
}

TEST_CASE("units of code find each other wherever they are loaded") {
  testing::TemporaryFolder folder;
  compile_program(open_cpu({{"dump-dir", folder.path()}}, host::AfterUse::Unload).value());
  std::size_t declarations = 0;
  for (const auto &file : std::filesystem::directory_iterator(folder.path())) {
    if (file.path().extension() == ".ll") {
      std::istringstream lines(testing::read_file(file.path()));
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("declare") && line.find("@kernel") != line.npos) {
          CHECK(line.find("hidden") == line.npos);
          CHECK(line.find("dso_local") == line.npos);
          ++declarations;
        }
      }
    }
  }
  CHECK(declarations > 0);
}

TEST_CASE("the plugin comes and goes hundreds of times and leaves nothing behind") {
  constexpr int rounds = 100;
  const auto is_mapped = [] {
    return testing::read_file("/proc/self/maps").find("libbackplane_cpu") != std::string::npos;
  };
  const auto live = [] {
    for (int i = 0; i < rounds; ++i) {
      const Device device = open_cpu({}, host::AfterUse::Unload).value();
      run_program(compile_program(device));
    }
  };
  measure::AllocationCounter counter;
  live();
  CHECK(!is_mapped());
  const std::size_t files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  const std::int64_t bytes = counter.live();  // allocated once by LLVM, the thread pool and others
  live();
  const std::int64_t growth = counter.live() - bytes;
  CHECK(!is_mapped());
  CHECK(entries("/proc/self/fd") == files);
  CHECK(entries("/proc/self/task") == threads);
  if (!counter.is_valid()) {
    testing::skip("a sanitizer counts allocations here");
    return;
  }
  CHECK(growth == 0);
}

}  // namespace bp::cpu::tests
