// Every StableHLO text of the corpus is imported and verified; its printed text parses and prints the same.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "core/import/stablehlo/stablehlo.h"
#include "core/text/parser.h"
#include "core/text/printer.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::import::stablehlo {
namespace {

using testing::error_of;

// Gives unknown sizes in this order, the same for each parameter. A scalar of s64 is a size here.
void give_sizes(std::string_view text, const std::vector<std::int64_t> &sizes, Options &options) {
  std::size_t values = 0;
  const std::vector<Parameter> parameters = stablehlo::parameters(text, options).value();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ir::Shape &shape = parameters[i].shape;
    if (shape.is_scalar() && shape.element_type() == ir::ElementType::S64) {
      options.reading.parameter_values.push_back({parameters[i].name, {sizes[values++]}});
    }
    ParameterIntegers given{std::to_string(i), {}};
    std::size_t next = 0;
    for (const std::int64_t size : shape.sizes()) {
      given.integers.push_back(size == ir::unbounded ? sizes[next++] : size);
    }
    options.reading.parameter_sizes.push_back(std::move(given));
  }
}

}  // namespace

TEST_CASE("the corpus is imported and prints to a fixed point") {
  std::filesystem::path corpus = testing::find_shared("corpus/stablehlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  std::size_t modules = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() != ".mlir") {
      continue;
    }
    std::string text = testing::read_file(entry.path());
    for (const TextPart &part : split(text)) {
      auto module = read(part.text, {entry.path().filename(), part.first_line, {}});
      // In this folder, sizes depend on the inputs; the test below gives them.
      if (!module.ok() && entry.path().parent_path().filename() == "dynamic" &&
          module.error().message().find(" not known") != std::string::npos) {
        continue;
      }
      CHECK(error_of(module) == "");
      if (!module.ok()) {
        continue;
      }
      std::string printed = text::print(*module);
      auto again = text::parse_module(printed);
      REQUIRE(error_of(again) == "");
      CHECK(text::print(*again) == printed);
      ++modules;
    }
  }
  CHECK(modules >= 1400);
}

TEST_CASE("programs that leave sizes open are read for two sets of sizes") {
  const std::filesystem::path corpus = testing::find_shared("corpus/stablehlo/dynamic");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  std::size_t programs = 0, deduced = 0;
  for (const auto &entry : std::filesystem::directory_iterator(corpus)) {
    const std::string text = testing::read_file(entry.path()), name = entry.path().filename();
    ++programs;
    for (const std::vector<std::int64_t> &sizes : {std::vector<std::int64_t>{3, 5, 4}, {8, 6, 7}}) {
      Options options;
      options.file = name;
      give_sizes(text, sizes, options);
      const auto module = read(text, options);
      const bool has_two_strides = name.starts_with("conv_general_dilated_1d_stride_2_");  // for one dimension
      const std::string problem = module.ok() ? "" : module.error().message();
      CHECK(problem == (has_two_strides ? "'window_strides' has 2 numbers, expected 1" : ""));
      options.reading.parameter_values.clear();
      const auto again = read(text, options);
      if (again.ok()) {  // the same sizes follow from the shapes, or it is refused
        CHECK(text::print(*again) == text::print(*module));
        ++deduced;
      }
    }
  }
  CHECK(programs == 185);
  CHECK(deduced >= 320);
}

}  // namespace bp::import::stablehlo
