// Runs a fuzz driver on its seeds: files to start from, and inputs that once failed. BP_FUZZ_SEEDS: folders, separated
// by ':'.
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <sstream>

#include "tools/testing/source_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

TEST_CASE("every seed is survived") {
  std::size_t count = 0;
  std::istringstream folders(BP_FUZZ_SEEDS);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        INFO(entry.path());
        const std::string bytes = bp::testing::read_file(entry.path());
        CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()) == 0);
        ++count;
      }
    }
  }
  CHECK(count > 0);
}
