#include "core/buffers/solver.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::buffers {
namespace {

std::vector<PackingItem> items_of(std::initializer_list<std::array<std::int64_t, 3>> rows) {
  std::vector<PackingItem> items;
  for (auto [begin, end, size] : rows) {
    items.push_back({size, 1, {{begin, end}}});
  }
  return items;
}

// Rows of id, lower, upper, size below a line of names.
std::vector<PackingItem> read_problem(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<PackingItem> items;
  while (std::getline(file, line)) {
    std::istringstream row(line.substr(line.find(',') + 1));
    std::int64_t begin = 0, end = 0, size = 0;
    char comma = 0;
    row >> begin >> comma >> end >> comma >> size;
    items.push_back({size, 1, {{begin, end}}});
  }
  return items;
}

void require_packed(std::span<const PackingItem> items, std::int64_t at_most) {
  Packing packing = pack(items);
  Status status = check_packing(items, packing);
  INFO((status.ok() ? std::string() : status.error().to_string()));
  REQUIRE(status.ok());
  CHECK(packing.size >= packing_lower_bound(items));
  CHECK(packing.size <= at_most);
}

}  // namespace

TEST_CASE("packing: what fits is packed to the lower bound") {
  require_packed({}, 0);
  require_packed(items_of({{0, 4, 10}, {0, 4, 30}, {0, 4, 20}, {0, 4, 40}}), 100);
  require_packed(items_of({{0, 2, 8}, {2, 4, 8}, {4, 6, 8}}), 8);
  // a lives through all, b and c one after the other.
  require_packed(items_of({{0, 9, 40}, {0, 5, 20}, {5, 9, 20}}), 60);
  // An item that is needed twice leaves its place to another in between.
  std::vector<PackingItem> gap = items_of({{2, 4, 8}});
  gap.push_back({8, 1, {{0, 2}, {4, 6}}});
  require_packed(gap, 8);
  // Alignment: 10, 20 and 50 bytes side by side at multiples of 20 need at least 20 + 20 + 50.
  auto aligned = items_of({{0, 2, 10}, {0, 2, 20}, {0, 2, 50}});
  for (PackingItem &item : aligned) {
    item.alignment = 20;
  }
  require_packed(aligned, 90);
}

TEST_CASE("packing: the check rejects what is wrong") {
  auto items = items_of({{0, 4, 10}, {2, 6, 10}, {4, 8, 10}});
  CHECK(check_packing(items, {{0, 10, 0}, 20}).ok());
  CHECK(!check_packing(items, {{0, 5, 20}, 30}).ok());  // 0 and 1 overlap
  CHECK(!check_packing(items, {{0, 10, 0}, 19}).ok());  // too small
  CHECK(!check_packing(items, {{0, 10, 0}, 40}).ok());  // too large
  CHECK(!check_packing(items, {{0, 10}, 20}).ok());     // one has no place
  CHECK(!check_packing(items, {{-10, 10, 0}, 20}).ok());
  items[1].alignment = 4;
  CHECK(!check_packing(items, {{0, 10, 0}, 20}).ok());
}

TEST_CASE("packing: random problems") {
  std::mt19937_64 random(1);
  for (int problem = 0; problem < 300; ++problem) {
    std::vector<PackingItem> items;
    for (std::size_t count = random() % 60; count > 0; --count) {
      PackingItem item{static_cast<std::int64_t>(random() % 100), std::int64_t{1} << random() % 4, {}};
      std::int64_t time = 0;
      for (std::size_t stretches = 1 + random() % 3; stretches > 0; --stretches) {
        std::int64_t begin = time + static_cast<std::int64_t>(random() % 20);
        time = begin + static_cast<std::int64_t>(random() % 10);
        item.needed.emplace_back(begin, time);
      }
      items.push_back(item);
    }
    require_packed(items, std::numeric_limits<std::int64_t>::max());
  }
}

// The bounds are what best fit reaches, above the known optimum (1,048,576 for the hard ones).
TEST_CASE("packing: published problems") {
  std::filesystem::path corpus = testing::find_shared("corpus/packing");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  struct Problem {
    const char *file;
    double over_lower_bound;
  };
  for (Problem problem : {Problem{"minimalloc/input.12.csv", 1.0}, Problem{"minimalloc/A.1048576.csv", 1.45},
                          Problem{"minimalloc/C.1048576.csv", 1.45}, Problem{"minimalloc/G.1048576.csv", 1.45},
                          Problem{"minimalloc/K.1048576.csv", 1.45}, Problem{"idealloc/resnet50.csv", 1.005},
                          Problem{"idealloc/iopddl_G_1.csv", 1.0035}}) {
    auto items = read_problem(corpus / problem.file);
    INFO(problem.file);
    REQUIRE(!items.empty());
    require_packed(
        items, static_cast<std::int64_t>(static_cast<double>(packing_lower_bound(items)) * problem.over_lower_bound));
  }
}

}  // namespace bp::buffers
