// Whole models in bf16 run on the machine, with nothing left to the host.
#include <boost/algorithm/string/replace.hpp>

#include "core/interpreter/compare.h"
#include "core/interpreter/random_inputs.h"
#include "plugins/npu/tests/open_npu.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::npu::tests {
namespace {

// The tolerance is large because each instruction rounds to 8 bits.
void check_model(std::string_view text) {
  const Module module = parse(text);
  const std::vector<Literal> arguments = interpreter::random_arguments(module, 3).value();
  const Literal expected = run(Backend::load("interpreter").value(), module, arguments);
  const auto comparisons = interpreter::compare(run(open_npu(), module, arguments), expected);
  REQUIRE(comparisons.ok());
  for (const interpreter::Comparison &comparison : *comparisons) {
    INFO(interpreter::to_string(comparison));
    CHECK(comparison.agrees(1.0 / 64));
  }
}

}  // namespace

TEST_CASE("a transformer block runs on the machine as a whole") {
  std::string text = testing::read_file(testing::find_in_source_tree("samples/models/transformer_block.hlo"));
  boost::replace_all(text, "f32", "bf16");
  check_model(text);
}

TEST_CASE("attention and normalization of published models run on the machine as a whole") {
  for (const char *name : {"mha_block_1x12x128x64_bf16.hlo", "layer_norm_1x4096x768_bf16.hlo"}) {
    const auto file = testing::find_shared(std::string("corpus/hlo/benchmarks/") + name);
    if (file.empty()) {
      return testing::skip("there is no corpus: BACKPLANE_SHARED, or ../shared beside the checkout");
    }
    check_model(testing::read_file(file));
  }
}

}  // namespace bp::npu::tests
