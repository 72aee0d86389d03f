// The readers of NumPy's files: what they take, and what they refuse.
#include <catch2/catch.hpp>

#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::arrays {
namespace {

using ir::ElementType;
using ir::Literal;

std::string seed(std::string_view name) {
  return testing::read_file(testing::find_in_source_tree("tools/arrays/fuzz/seeds") / name);
}

}  // namespace

TEST_CASE("bytes other than 0 are true") {
  const auto array = read_npy(seed("truth_of_2.npy"), ElementType::Pred, "a.npy");
  REQUIRE(array.ok());
  CHECK(array->bytes()[0] == std::byte{1});
  CHECK(array->bytes()[1] == std::byte{1});
}

TEST_CASE("keys of a header come in any order and in quotes of both kinds") {
  for (const std::string_view header : {"{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}\n",
                                        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (2, 3)}\n"}) {
    std::string bytes = "\x93NUMPY\x01";
    bytes += '\0';
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    const auto read = read_npy_header(bytes + std::string(header), "a.npy");
    REQUIRE(read.ok());
    CHECK(read->type == ElementType::F32);
    CHECK(read->sizes == std::vector<std::int64_t>{2, 3});
    CHECK_FALSE(read->is_fortran);
  }
}

TEST_CASE("arrays in other orders are read as they are meant") {
  const auto array = read_npy(seed("fortran.npy"), ElementType::S16, "a.npy");
  REQUIRE(array.ok());
  const auto numbers = array->elements<std::int16_t>();
  CHECK(std::vector<int>(numbers.begin(), numbers.end()) == std::vector<int>{0, 1, 2, 3, 4, 5});
  const auto swapped = read_npy(seed("big_endian.npy"), ElementType::C64, "a.npy");
  REQUIRE(swapped.ok());
  CHECK(swapped->elements<std::complex<float>>()[2] == std::complex<float>(2, 0));
}

TEST_CASE("an archive is refused if its arrays have more bytes than are allowed") {
  const testing::TemporaryFolder folder;
  const Literal zeros = Literal::zeros(ir::Shape::array(ElementType::F32, {1000})).value();
  const std::string path = folder / "arrays.npz";
  REQUIRE(write_npz(path, {{"a", zeros}, {"b", zeros}}).ok());
  const std::string bytes = testing::read_file(path);
  constexpr std::uint64_t of_one = 4000 + 128;
  CHECK(read_npz(bytes, "a.npz", 2 * of_one).ok());
  const auto refused = read_npz(bytes, "a.npz", 2 * of_one - 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code() == ErrorCode::OutOfMemory);
  CHECK(refused.error().message() == "a.npz: the arrays have more than 8255 bytes, expected at most that many");
}

}  // namespace bp::arrays
