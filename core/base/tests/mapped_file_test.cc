#include "core/base/mapped_file.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "tools/testing/temporary_folder.h"

namespace bp {

TEST_CASE("small files are copied, large ones are mapped, without a difference to who reads them") {
  const testing::TemporaryFolder folder;
  const std::string small = folder / "small", large = folder / "large";
  testing::write_file(small, "beginning");
  testing::write_file(large, "beginning");
  std::filesystem::resize_file(large, 16 << 20);
  const auto copied = load_file(small), mapped = load_file(large);
  REQUIRE(copied.ok());
  REQUIRE(mapped.ok());
  CHECK(copied->text() == "beginning");
  CHECK(mapped->text().starts_with("beginning"));
  CHECK(mapped->size() == 16 << 20);
  // A copy does not change with the file.
  testing::write_file(small, "another one");
  CHECK(copied->text() == "beginning");
  CHECK(reinterpret_cast<std::uintptr_t>(mapped->bytes().data()) % 4096 == 0);
}

TEST_CASE("pages that were dropped are read again") {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "large";
  testing::write_file(path, std::string(17 << 20, 'x'));
  const auto mapped = load_file(path);
  REQUIRE(mapped.ok());
  const auto is_x = [](char c) { return c == 'x'; };
  CHECK(std::ranges::all_of(mapped->text(), is_x));
  drop_pages(mapped->owner(), mapped->text().substr(1, (1 << 20) + 17));
  drop_pages(mapped->owner(), mapped->text().substr(5, 3));  // no whole page
  CHECK(std::ranges::all_of(mapped->text(), is_x));
  // The bytes of others are left alone.
  const SharedBytes own(std::vector<std::byte>(1 << 20, std::byte{7}));
  drop_pages(own.owner(), own.text());
  drop_pages(nullptr, own.text());
  CHECK(std::ranges::all_of(own.bytes(), [](std::byte byte) { return byte == std::byte{7}; }));
}

TEST_CASE("a file is not loaded if memory is too small, or if it is none") {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "sparse";
  testing::write_file(path, "beginning");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  const auto content = load_file(path);
  REQUIRE_FALSE(content.ok());
  CHECK(content.error().code() == ErrorCode::OutOfMemory);
  CHECK(content.error().message().find("cannot read " + path + ": it has 1099511627776 bytes, expected at most ") == 0);
  const auto missing = load_file(folder / "missing");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::NotFound);
}

}  // namespace bp
