// The file of packages: what is written is read again, and nothing else is.
#include "core/package/container.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "core/package/hex.h"
#include "tools/testing/require.h"

namespace bp::package {
namespace {

using testing::error_of;
using testing::require_value;

SharedBytes bytes_from(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return SharedBytes(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

std::string joined(const std::vector<SharedBytes> &pieces) {
  std::string bytes;
  for (const SharedBytes &piece : pieces) {
    bytes += piece.text();
  }
  return bytes;
}

std::string written(boost::json::object index, const std::vector<std::string> &contents) {
  BlobList blobs;
  for (const std::string &content : contents) {
    blobs.add(bytes_from(content));
  }
  return joined(write_container(std::move(index), blobs));
}

std::string problem(const std::string &bytes) {
  return error_of(read_container(bytes_from(bytes), "x.bpkg"));
}

// The container with another index, and the hash of that index.
std::string with_index(const std::string &bytes, std::string index) {
  std::string changed = bytes.substr(0, 64);
  const std::uint64_t size = index.size();
  std::memcpy(&changed[56], &size, sizeof size);
  changed += index;
  changed.resize((changed.size() + 63) / 64 * 64);
  const std::uint64_t old_size = *reinterpret_cast<const std::uint64_t *>(&bytes[56]);
  changed += bytes.substr((64 + old_size + 63) / 64 * 64);
  const std::uint64_t whole = changed.size();
  std::memcpy(&changed[48], &whole, sizeof whole);
  const Sha256 hash = sha256(std::as_bytes(std::span(changed).subspan(48, 16 + index.size())));
  std::memcpy(&changed[16], hash.data(), hash.size());
  return changed;
}

std::string index_of(const std::string &bytes) {
  return bytes.substr(64, *reinterpret_cast<const std::uint64_t *>(&bytes[56]));
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a container has each blob once, aligned, and found by its hash") {
  const std::string large(1000, 'x');
  const std::string bytes = written({{"name", "a"}}, {"one", large, "", "one"});
  const SharedBytes file = bytes_from(bytes);
  const Container container = require_value(read_container(file, "x.bpkg"));
  CHECK(container.index.at("name") == "a");
  CHECK(container.blobs.size() == 3);
  const auto content = [&](std::string_view text) {
    const SharedBytes &blob = container.blobs.at(sha256(std::as_bytes(std::span(text))));
    CHECK((blob.bytes().data() - file.bytes().data()) % 64 == 0);
    return blob.text();
  };
  CHECK(content("one") == "one");
  CHECK(content(large) == large);
  CHECK(content("").empty());
  CHECK(written({{"name", "a"}}, {"one", large, "", "one"}) == bytes);
  CHECK(error_of(read_container(bytes_from(written({}, {})), "x.bpkg")).empty());
}

TEST_CASE("a container with any other byte, shorter or longer, is refused") {
  const std::string bytes = written({{"name", "a"}}, {"one", std::string(70, 'x'), "three"});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      INFO(i);
      CHECK(!problem(changed).empty());
    }
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK(!problem(bytes.substr(0, size)).empty());
  }
  CHECK(problem(bytes + '\0') == fmt::format("x.bpkg: a damaged package: it has {} bytes, but its header says {}",
                                             bytes.size() + 1, bytes.size()));
}

TEST_CASE("what is wrong with a container is said") {
  const std::string bytes = written({{"name", "a"}}, {"one", "two"});
  CHECK(problem("") == "x.bpkg: not a package of Backplane, which begins with BPACKAGE");
  CHECK(problem("BPEXEC1\n...") ==
        "x.bpkg: a serialized program of an earlier Backplane (it begins with BPEXEC1), expected a package: compile "
        "the program again");
  CHECK(problem("BPACKAGE") == "x.bpkg: a damaged package: it has 8 bytes, expected at least 64");
  std::string newer = bytes;
  newer[8] = 2;
  CHECK(problem(newer) == "x.bpkg: a package of version 2, expected 1: it was made by another Backplane");
  std::string large_index = bytes;
  large_index[63] = 0x7f;
  CHECK(problem(large_index).starts_with("x.bpkg: a damaged package: its index has 9"));
  std::string other_index = bytes;
  other_index[70] ^= 1;
  CHECK(problem(other_index) == "x.bpkg: a damaged package: its index has another hash than its header says");
  std::string other_blob = bytes;
  other_blob.back() = 'X';
  CHECK(problem(other_blob).starts_with("x.bpkg: a damaged package: blob 1 has another hash than "));

  // A changed index can have the right hash.
  const std::string index = index_of(bytes);
  CHECK(problem(with_index(bytes, index)).empty());
  CHECK(problem(with_index(bytes, "[1]")) == "x.bpkg: a damaged package: its index is no JSON object");
  CHECK(problem(with_index(bytes, "{\"a\"")) == "x.bpkg: a damaged package: its index is no JSON object");
  CHECK(problem(with_index(bytes, "{}")) == "x.bpkg: a damaged package: its index has no list of blobs");
  CHECK(problem(with_index(bytes, replaced(index, "\"offset\":64", "\"offset\":0"))) ==
        "x.bpkg: a damaged package: blob 1 is at 0, expected 64, after the blob before");
  CHECK(problem(with_index(bytes, replaced(index, "\"size\":3", "\"size\":9000000000000000000")))
            .starts_with("x.bpkg: a damaged package: blob 0 has 9000000000000000000 bytes, expected at most "));
  CHECK(problem(with_index(bytes, replaced(index, "\"size\":3", "\"size\":-3"))) ==
        "x.bpkg: a damaged package: blob 0 of its index has no sha256, offset or size");
  CHECK(problem(with_index(bytes, replaced(index, "\"sha256\"", "\"sha255\""))) ==
        "x.bpkg: a damaged package: blob 0 of its index has no sha256, offset or size");
  CHECK(
      problem(with_index(bytes, "{\"blobs\":[]}")).starts_with("x.bpkg: a damaged package: its blobs end at offset "));
  const std::string one = index.substr(index.find("{\"sha256"), index.find("},") + 1 - index.find("{\"sha256"));
  CHECK(problem(with_index(written({}, {"one"}) + std::string(61, '\0') + "one",
                           "{\"blobs\":[" + one + "," + replaced(one, "\"offset\":0", "\"offset\":64") + "]}"))
            .starts_with("x.bpkg: a damaged package: blob 1 is there twice: "));
}

TEST_CASE("hashes are written as digits") {
  Sha256 hash{};
  hash[0] = 0xab;
  hash[31] = 1;
  CHECK(to_hex(hash) == "ab" + std::string(60, '0') + "01");
  CHECK(parse_hex(to_hex(hash)) == hash);
  CHECK(!parse_hex("ab"));
  CHECK(!parse_hex(std::string(64, 'g')));
  CHECK(!parse_hex(std::string(64, 'A')));
}

}  // namespace bp::package
