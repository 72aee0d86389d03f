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

}  // namespace bp
