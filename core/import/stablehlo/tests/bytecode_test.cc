// Programs that are stored as MLIR bytecode are the same as their texts; damaged ones are errors.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/import/stablehlo/tests/bytecode_fixtures.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::import::stablehlo {

using testing::error_of;

TEST_CASE("bytecode of every version is the same program as its text") {
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(fixtures())) {
    if (entry.path().extension() != ".mlirbc") {
      continue;
    }
    ++files;
    const std::string name = entry.path().filename();
    INFO(name);
    const std::string text = testing::read_file(fixtures() / (name.substr(0, name.find('.')) + ".mlir"));
    const std::string stored = testing::read_file(entry.path());
    CHECK(is_stablehlo(stored));
    const std::string written = text_of(stored, name);
    CHECK(written == text_of(text, name));
    CHECK(written == text_of(written, name));
    CHECK(error_of(read(stored, {name, 1, {}})) == "");
  }
  CHECK(files == 11);
}

TEST_CASE("the locations of bytecode become metadata") {
  const std::string stored = testing::read_file(fixtures() / "recent.1.17.0.mlirbc");
  auto module = read(stored, {"recent.mlirbc", 1, {}});
  REQUIRE(error_of(module) == "");
  bool is_found = false;
  for (const ir::Instruction instruction : module->entry().instructions()) {
    const ir::Metadata *metadata = instruction.metadata();
    is_found = is_found ||
               (instruction.opcode() == ir::Opcode::Exponential && metadata != nullptr && metadata->source_line == 6);
  }
  CHECK(is_found);
}

TEST_CASE("the corpus of bytecode is the same programs as its texts") {
  const std::filesystem::path corpus = testing::find_shared("corpus/vhlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  std::size_t same = 0;
  for (const auto &entry : std::filesystem::directory_iterator(corpus)) {
    if (entry.path().extension() != ".bc" || entry.path().filename().string().starts_with("invalid")) {
      continue;
    }
    const std::string text = testing::read_file(std::filesystem::path(entry.path()).replace_extension());
    INFO(entry.path().filename());
    CHECK(text_of(testing::read_file(entry.path()), "corpus") == text_of(text, "corpus"));
    ++same;
  }
  CHECK(same == 17);
  const std::string future = text_of(testing::read_file(corpus / "invalid_vhlo_future.mlir.bc"), "future");
  CHECK(
      future ==
      "error: /tmp/t2.mlir:3:10: vhlo.constant_v99 is not known: the file is by StableHLO_v2.0.0, this reads StableHLO "
      "0.9.0 to 1.20.0; store it with a target of at most 1.20.0");
}

TEST_CASE("bytecode that is cut off or damaged is an error or another program") {
  for (const char *name : {"old.0.9.0.mlirbc", "recent.1.17.0.mlirbc"}) {
    const std::string stored = testing::read_file(fixtures() / name);
    for (std::size_t size = 4; size < stored.size(); size += 5) {
      CHECK(!read(std::string_view(stored).substr(0, size), {name, 1, {}}).ok());
    }
    for (std::size_t i = 4; i < stored.size(); ++i) {
      constexpr int bits[] = {0x01, 0x80, 0xff};
      std::string damaged = stored;
      damaged[i] = static_cast<char>(damaged[i] ^ bits[i % 3]);
      (void)read(damaged, {name, 1, {}});
      (void)to_text(damaged, {name, 1, {}});
    }
  }
}

TEST_CASE("errors of bytecode name the byte and what was expected") {
  const auto error = [](std::string_view bytes) { return error_of(read(bytes, {"a.mlirbc", 1, {}})); };
  using namespace std::literals;
  CHECK(error("ML\xefR"sv) == "a.mlirbc: byte 4: 0 bytes are left, expected 1");
  CHECK(error("ML\xefR\x0fproducer\0"sv) ==
        "a.mlirbc: byte 5: MLIR bytecode of version 7, expected at most 6: write the file with an older version");
  CHECK(error("ML\xefR\x0dproducer"sv) == "a.mlirbc: byte 5: a text without the zero byte that ends it");
  CHECK(error("ML\xefR\x0dproducer\0"sv) == "a.mlirbc: the file has no section of strings");
  CHECK(error("ML\xefR\x0dproducer\0\x09\x01"sv) == "a.mlirbc: byte 16: section 9, expected 0 to 8");
}

TEST_CASE("bytecode without versions is refused") {
  const std::string stored =
      testing::read_file(testing::find_in_source_tree("core/import/stablehlo/tests/bytecode_refused/mlir.23.mlirbc"));
  CHECK(error_of(read(stored, {"a.mlirbc", 1, {}})) ==
        "a.mlirbc: the file has stablehlo.add in the bytecode of MLIR23.0.0git, which other versions store in another "
        "way, expected a portable artifact, with operations of vhlo\n  note: write the program as text, or with "
        "serialize_portable_artifact()");
}

TEST_CASE("versions are read and compared") {
  using bytecode::parse_version, bytecode::Version;
  CHECK(parse_version("1.9.0") == Version{1, 9, 0});
  CHECK(Version{1, 9, 0} < Version{1, 10, 0});
  for (const char *wrong : {"", "1", "1.9", "1.9.0.0", "1.9.x", "-1.0.0", "1..0"}) {
    CHECK(!parse_version(wrong).has_value());
  }
  CHECK(bytecode::find_vhlo_of("stablehlo.exponential", {1, 8, 0})->name == "exponential_v1");
  CHECK(bytecode::find_vhlo_of("stablehlo.exponential")->name == "exponential_v2");
  CHECK(bytecode::find_vhlo_of("stablehlo.tan", {1, 3, 0}) == nullptr);
}

}  // namespace bp::import::stablehlo
