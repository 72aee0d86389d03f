// Compiled artifacts are found again; damaged and foreign ones are not.
#include "core/compile/artifact_cache.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "core/backplane.h"
#include "core/text/parser.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::compile {
namespace {

std::string tiny() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         "core/compile/tests/plugins/libbackplane_tiny.so";
}

// Returns how many of the programs came from the cache; the result must be right.
std::size_t cached(const std::string &directory, const std::string &ops = "negate", int size = 4) {
  BackendOptions options;
  options.settings = {{"ops", ops}};
  auto backend = Backend::load(tiny(), options);
  REQUIRE(backend.ok());
  CompileOptions with_cache;
  with_cache.cache_dir = directory;
  const std::string shape = "f32[" + std::to_string(size) + "]";
  auto module =
      text::parse_module("HloModule m\nENTRY e { x = " + shape + " parameter(0)  ROOT n = " + shape + " negate(x) }");
  auto compiled = backend->compile(std::move(module).value(), with_cache);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  auto result = compiled->executable.run({Literal::zeros(text::parse_shape(shape).value()).value()});
  REQUIRE(result.ok());
  return compiled->report.cached;
}

std::vector<std::filesystem::path> entries(const std::string &directory) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  return files;
}

}  // namespace

TEST_CASE("a program is compiled once per shape") {
  testing::TemporaryFolder folder;
  const std::string directory = folder / "cache";
  CHECK(cached(directory) == 0);
  CHECK(cached(directory, "negate", 5) == 0);
  CHECK(cached(directory) == 1);
  CHECK(cached(directory, "negate", 5) == 1);
  CHECK(entries(directory).size() == 2);
}

TEST_CASE("an entry that is damaged in any byte or cut off is made again") {
  testing::TemporaryFolder folder;
  const std::string directory = folder / "cache";
  CHECK(cached(directory) == 0);
  const std::vector<std::filesystem::path> files = entries(directory);
  REQUIRE(files.size() == 1);
  const std::string good = testing::read_file(files[0]);
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    testing::write_file(files[0], bad);
    CHECK(cached(directory) == 0);
    CHECK(testing::read_file(files[0]) == good);
    testing::write_file(files[0], good.substr(0, i));
    CHECK(cached(directory) == 0);
  }
  CHECK(cached(directory) == 1);
}

TEST_CASE("an entry whose artifact the device refuses is made again") {
  testing::TemporaryFolder folder;
  const std::string directory = folder / "cache";
  BackendOptions options;
  options.settings = {{"ops", "negate"}};
  auto backend = Backend::load(tiny(), options);
  REQUIRE(backend.ok());
  CHECK(cached(directory) == 0);
  // A valid entry under that name, but not an artifact of the device.
  const std::string name = entries(directory)[0].string();
  const std::string hexadecimal =
      entries(directory)[0].parent_path().filename().string() + entries(directory)[0].stem().string();
  ArtifactCache::Key key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<std::uint8_t>(std::stoul(hexadecimal.substr(2 * i, 2), nullptr, 16));
  }
  const std::vector<std::byte> foreign(100, std::byte{1});
  REQUIRE(DirectoryCache(directory).store(key, foreign).ok());
  CHECK(DirectoryCache(directory).find(key) == foreign);
  CHECK(cached(directory) == 0);
  CHECK(cached(directory) == 1);
}

TEST_CASE("a cache that cannot be written is said, and nothing else") {
  testing::TemporaryFolder folder;
  testing::write_file(folder / "file", "");
  BackendOptions options;
  options.settings = {{"ops", "negate"}};
  auto backend = Backend::load(tiny(), options);
  REQUIRE(backend.ok());
  CompileOptions with_cache;
  with_cache.cache_dir = folder / "file";
  auto module = text::parse_module("HloModule m\nENTRY e { x = f32[4] parameter(0)  ROOT n = f32[4] negate(x) }");
  const auto compiled = backend->compile(std::move(module).value(), with_cache);
  REQUIRE(compiled.ok());
  CHECK_THAT(compiled->report.cache_problem, Catch::Contains("Not a directory"));
}

}  // namespace bp::compile
