#include "core/base/files.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tools/testing/temporary_folder.h"

namespace bp {

TEST_CASE("a file that is larger than memory is refused before it is read") {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "sparse";
  testing::write_file(path, "beginning");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  const auto content = read_file(path);
  REQUIRE_FALSE(content.ok());
  CHECK(content.error().code() == ErrorCode::OutOfMemory);
  CHECK(content.error().message().find("cannot read " + path + ": it has more than ") == 0);
}

TEST_CASE("a file is replaced as a whole, and keeps its rights and the link that leads to it") {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "file", link = folder / "link";
  REQUIRE(write_file(path, "first").ok());
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  std::filesystem::create_symlink("file", link);
  const std::string_view pieces[] = {"sec", "ond"};
  REQUIRE(write_file(link, pieces).ok());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(path).value() == "second");
  CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0600));
  const auto count = std::distance(std::filesystem::directory_iterator(folder.path()), {});
  CHECK(count == 2);
}

TEST_CASE("a device is written to, not replaced") {
  const auto full = write_file("/dev/full", "content");
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().message() == "cannot write /dev/full: No space left on device");
  CHECK(std::filesystem::is_character_file("/dev/full"));
  const auto absent = write_file("/no/such/folder/file", "content");
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().message() == "cannot write /no/such/folder/file: No such file or directory");
}

}  // namespace bp
