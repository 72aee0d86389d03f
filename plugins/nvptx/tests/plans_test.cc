// Properties of the plans of all programs: those of the tests, and real ones, which are found next to the checkout.
#include <catch2/catch.hpp>

#include "plugins/nvptx/tests/programs.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::nvptx::tests {
namespace {

// By number of allocation: inputs come first, one for each array of the parameters.
std::vector<bool> inputs_not_donated(const Module &module) {
  std::vector<bool> kept;
  for (std::size_t number = 0; number < module.entry().parameter_count(); ++number) {
    const ir::Shape shape = module.entry().parameter(number).shape();
    for (std::size_t position = 0; position < shape.subshape_count(); ++position) {
      if (shape.subshape(position).is_array()) {
        const auto index = shape.index_of_subshape(position);
        kept.push_back(std::ranges::none_of(module.header().input_output_alias, [&](const ir::InputOutputAlias &alias) {
          return alias.parameter == static_cast<std::int64_t>(number) &&
                 std::ranges::equal(alias.parameter_index, index);
        }));
      }
    }
  }
  return kept;
}

// The commands of a plan that write what they may not.
std::vector<std::string> forbidden_writes(const Module &module, const std::string &plan) {
  const std::vector<bool> kept = inputs_not_donated(module);
  std::vector<std::string> found;
  static const std::regex write("&a([0-9]+)");
  for (auto at = std::sregex_iterator(plan.begin(), plan.end(), write); at != std::sregex_iterator(); ++at) {
    const std::size_t allocation = std::stoul((*at)[1]);
    if (allocation < kept.size() && kept[allocation]) {
      found.push_back(at->str());
    }
  }
  return found;
}

// The plan of what the backend compiles as a whole, and nothing of other programs.
std::string plan_if_compiled(const Backend &backend, const Module &module) {
  const auto artifact = backend.make_artifact(module, whole());
  return artifact.ok() ? std::string(reinterpret_cast<const char *>(artifact->bytes.data()), artifact->bytes.size())
                       : "";
}

int check_programs(const std::filesystem::path &folder) {
  const Backend backend = open({{"emit", "plan"}, {"target", "sm_90a"}});
  int plans = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") {
      continue;
    }
    const std::string file = testing::read_file(entry.path()), separator = "// -----\n";
    for (std::size_t begin = 0; begin < file.size();) {
      const std::size_t end = std::min(file.find(separator, begin), file.size());
      const auto module = text::parse_module(std::string_view(file).substr(begin, end - begin));
      if (const std::string plan = module.ok() ? plan_if_compiled(backend, *module) : ""; !plan.empty()) {
        INFO(entry.path() << " at " << begin);
        CHECK(forbidden_writes(*module, plan).empty());
        ++plans;
      }
      begin = end + separator.size();
    }
  }
  return plans;
}

}  // namespace

TEST_CASE("a plan that writes a parameter is found") {
  const Module module = text::parse_module(R"(HloModule m, input_output_alias={ {}: (1, {}, may-alias) }
    ENTRY main { x = (f32[4], f32[4]) parameter(0)  y = f32[4] parameter(1)  ROOT r = f32[4] negate(y) })")
                            .value();
  CHECK(forbidden_writes(module, "0: launch kernel_0 <<<1, 4>>>(a1+0, &a2+0, a4+0)  for r").empty());
  CHECK(forbidden_writes(module, "0: launch kernel_0 <<<1, 4>>>(a2+0, &a1+0, a4+0)  for r") ==
        std::vector<std::string>{"&a1"});
}

TEST_CASE("no plan of a test program writes a parameter that is not donated") {
  CHECK(check_programs(testing::find_in_source_tree("core/interpreter/testdata")) > 400);
  CHECK(check_programs(testing::find_in_source_tree("plugins/nvptx/testdata")) > 40);
}

TEST_CASE("no plan of a real program writes a parameter that is not donated") {
  const std::filesystem::path corpus = testing::find_shared("corpus/hlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  CHECK(check_programs(corpus) > 50);
}

// XLA has about as many: a convolution with what follows it is a kernel, and so is the normalization's factor.
TEST_CASE("a reshape costs no launch, and ResNet-50 has at most 115") {
  const std::string shares = plan_of(R"(HloModule shares
    ENTRY main {
      x = f32[64,64] parameter(0)
      w = f32[64,8,8] parameter(1)
      r = f32[64,64] reshape(w)
      d = f32[64,64] dot(x, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      s = f32[8,8,64] reshape(d)
      ROOT o = f32[64,64] dot(w, s), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}
    })");
  CHECK(count(shares, "launch") == 2);
  const std::filesystem::path corpus = testing::find_shared("corpus/hlo");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  const std::string plan = plan_of(testing::read_file(corpus / "models/resnet50_keras_jax_f32.hlo"));
  CHECK(count(plan, "launch") <= 115);
}

}  // namespace bp::nvptx::tests
