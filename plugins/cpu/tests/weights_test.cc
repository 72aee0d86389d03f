// Weights: an operand of a dot or convolution that is a constant is stored in the panels that the kernel multiplies,
// and gives the bits that it gives as a parameter. Weights of few bits become numbers where they are multiplied with
// vectors.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "core/compile/compile.h"
#include "core/interpreter/compare.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/text/parser.h"
#include "plugins/cpu/tests/open_cpu.h"

namespace bp::cpu::tests {
namespace {

Device open_with(const std::string &features) {
  std::vector<std::pair<std::string, std::string>> settings;
  if (!features.empty()) {
    settings.emplace_back("features", features);
  }
  return open_cpu(std::move(settings), host::AfterUse::KeepMapped).value();
}

// Returns the program with a constant in place of the parameter with this number, which nothing reads then.
ir::Module with_constant(ir::Module module, std::size_t number, const ir::Literal &value) {
  const ir::ComputationId entry = module.entry().id();
  const auto before = module.entry().instruction_ids();
  std::vector<ir::InstructionId> order(before.begin(), before.end());
  std::vector<ir::InstructionId> replacements(module.instruction_id_limit() + 1, ir::no_instruction);
  const ir::InstructionId parameter = module.entry().parameter_ids()[number];
  const ir::InstructionId constant = module.add_constant(entry, value);
  replacements[index(parameter)] = constant;
  module.replace_uses(replacements);
  order.insert(order.begin(), constant);
  module.set_instruction_order(entry, std::move(order));
  module.unique_names();
  return module;
}

struct Outcome {
  ir::Literal result;
  bool is_tiled;
};

Outcome run(const Device &device, const ir::Module &module, const std::vector<ir::Literal> &arguments) {
  compile::Options options;
  options.device_only = options.verify = true;
  compile::Compiled compiled = compile::compile(ir::Module(module), device, options).value();
  const std::uint32_t count = compiled.executable.program()->image().view().value_count();
  bool is_tiled = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    is_tiled |= compiled.executable.program()->image().view().value(i).shape().tile_count() > 0;
  }
  return {compiled.executable.run(std::vector<ir::Literal>(arguments)).value(), is_tiled};
}

// Checks the program with each of its parameters as a constant. in_panels: the parameters that are read in panels then.
void check_weights(const Device &device, const std::string &text, std::string_view in_panels) {
  INFO(text);
  const ir::Module module = text::parse_module(text).value();
  const std::vector<ir::Literal> arguments = interpreter::random_arguments(module, 1).value();
  const Outcome plain = run(device, module, arguments);
  CHECK_FALSE(plain.is_tiled);
  const interpreter::Comparison comparison =
      interpreter::compare(plain.result, interpreter::interpret(module, arguments).value()).value()[0];
  CHECK(comparison.relative_error < 2e-6);
  for (std::size_t number = 0; number < arguments.size(); ++number) {
    INFO("parameter " << number);
    const Outcome constant = run(device, with_constant(module, number, arguments[number]), arguments);
    CHECK(constant.is_tiled == (in_panels.find(static_cast<char>('0' + number)) != std::string_view::npos));
    CHECK(constant.result.identical(plain.result));
  }
}

std::string dot(std::string_view lhs, std::string_view rhs, std::string_view out, int lhs_contracted,
                int rhs_contracted, std::string_view type = "f32") {
  return fmt::format(
      "ENTRY e {{\n  x = {0}[{1}] parameter(0)\n  y = {0}[{2}] parameter(1)\n  ROOT d = {0}[{3}] dot(x, y), "
      "lhs_contracting_dims={{{4}}}, rhs_contracting_dims={{{5}}}\n}}\n",
      type, lhs, rhs, out, lhs_contracted, rhs_contracted);
}

std::string convolution(std::string_view input, std::string_view filter, std::string_view out, std::string_view window,
                        std::string_view labels, std::string_view more = "") {
  return fmt::format(
      "ENTRY e {{\n  x = f32[{}] parameter(0)\n  y = f32[{}] parameter(1)\n  ROOT c = f32[{}] convolution(x, y), "
      "window={{{}}}, dim_labels={}{}\n}}\n",
      input, filter, out, window, labels, more);
}

// Returns the product of vectors and a matrix [columns,groups,32] of weights, each of which is multiplied with the
// scale of its group.
std::string in_groups(std::string_view type, std::string_view layout, int vectors, int columns, int groups) {
  const std::string matrix = fmt::format("[{},{},32]", columns, groups);
  return fmt::format(R"(
ENTRY e {{
  x = f32[{0},{2},32] parameter(0)
  w = {3}{5}{{2,1,0{4}}} parameter(1)
  s = f32[{1},{2}] parameter(2)
  c = f32{5} convert(w)
  b = f32{5} broadcast(s), dimensions={{0,1}}
  m = f32{5} multiply(c, b)
  ROOT d = f32[{0},{1}] dot(x, m), lhs_contracting_dims={{1,2}}, rhs_contracting_dims={{1,2}}
}}
)",
                     vectors, columns, groups, type, layout, matrix);
}

// The same for a matrix whose columns are neighbours in memory, with a scale for each column.
std::string by_rows(std::string_view type, int rows, int columns) {
  return fmt::format(R"(
ENTRY e {{
  x = f32[1,{0}] parameter(0)
  w = {2}[{0},{1}] parameter(1)
  s = f32[{1}] parameter(2)
  c = f32[{0},{1}] convert(w)
  b = f32[{0},{1}] broadcast(s), dimensions={{1}}
  m = f32[{0},{1}] multiply(c, b)
  ROOT d = f32[1,{1}] dot(x, m), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
)",
                     rows, columns, type);
}

// Checks the program against the interpreter. kernels: how many it is made of.
void check_kernels(const Device &device, const std::string &text, std::size_t kernels) {
  INFO(text);
  const ir::Module module = text::parse_module(text).value();
  const std::vector<ir::Literal> arguments = interpreter::random_arguments(module, 1).value();
  compile::Options options;
  options.device_only = options.verify = true;
  compile::Compiled compiled = compile::compile(ir::Module(module), device, options).value();
  std::size_t found = 0;
  for (const plugin::Instruction i : compiled.executable.program()->image().view().entry().instructions()) {
    found += i.op() != BP_OP_PARAMETER && i.op() != BP_OP_CONSTANT ? 1 : 0;
  }
  CHECK(found == kernels);
  const ir::Literal result = compiled.executable.run(std::vector<ir::Literal>(arguments)).value();
  const interpreter::Comparison comparison =
      interpreter::compare(result, interpreter::interpret(module, arguments).value()).value()[0];
  CHECK(comparison.relative_error < 2e-6);
}

}  // namespace

TEST_CASE("weights of few bits become numbers where they are multiplied") {
  const Device device = open_with(GENERATE("x86-64", "x86-64-v3", ""));
  for (const std::string_view type : {"s8", "u8", "s4", "u4", "s16", "bf16", "f16"}) {
    check_kernels(device, in_groups(type, "", 1, 37, 6), 1);
  }
  for (const std::string_view type : {"s4", "u4"}) {
    check_kernels(device, in_groups(type, ":E(4)", 1, 37, 6), 1);
    check_kernels(device, in_groups(type, ":E(4)", 2, 5, 3), 1);
  }
  check_kernels(device, in_groups("s2", ":E(2)", 1, 37, 6), 1);
  check_kernels(device, in_groups("s8", "", 2, 37, 6), 1);
  check_kernels(device, by_rows("s8", 1024, 1040), 1);
  check_kernels(device, by_rows("bf16", 700, 1040), 1);
}

TEST_CASE("weights that are multiplied many times, or by vectors with a rest, become numbers first") {
  const Device device = open_with("");
  check_kernels(device, in_groups("s8", "", 40, 37, 6), 2);
  check_kernels(device, by_rows("s8", 1024, 1037), 2);
}

TEST_CASE("weights in groups that end within vectors become numbers first") {
  const Device device = open_with("x86-64-v3");
  const auto with_group = [](int size) {
    std::string text = in_groups("s8", "", 1, 37, 16);
    for (std::size_t at = text.find(",32]"); at != std::string::npos; at = text.find(",32]", at)) {
      text.replace(at, 4, fmt::format(",{}]", size));
    }
    return text;
  };
  check_kernels(device, with_group(24), 1);
  check_kernels(device, with_group(12), 2);
}

TEST_CASE("constant operands of dot are read in panels") {
  const Device device = open_with(GENERATE("x86-64", "x86-64-v3", ""));
  check_weights(device, dot("37,70", "70,83", "37,83", 1, 0), "01");
  check_weights(device, dot("37,70", "83,70", "37,83", 1, 1), "01");
  check_weights(device, dot("70,37", "70,83", "37,83", 0, 0), "01");
  check_weights(device, dot("20,1000", "1000,520", "20,520", 1, 0), "01");  // several blocks of contracted elements
  check_weights(device, dot("530,40", "40,600", "530,600", 1, 0), "01");    // several blocks of rows and columns
  check_weights(device, dot("9,70", "70,83", "9,83", 1, 0, "f64"), "01");
  check_weights(device, dot("9,70", "70,83", "9,83", 1, 0, "s32"), "01");
  check_weights(device, dot("64,48", "48,96", "64,96", 1, 0), "01");  // whole tiles
}

TEST_CASE("constant filters are read in panels") {
  const Device device = open_with(GENERATE("x86-64", "x86-64-v3", ""));
  check_weights(device, convolution("1,9,11,20", "3,3,20,50", "1,9,11,50", "size=3x3 pad=1_1x1_1", "b01f_01io->b01f"),
                "1");
  // With so many outputs, no other order of channels is preferred, which would add in another order.
  check_weights(device, convolution("1,20,9,11", "30,20,3,3", "1,30,9,11", "size=3x3 pad=1_1x1_1", "bf01_oi01->bf01"),
                "1");
  check_weights(device, convolution("2,13,13,70", "1,1,70,40", "2,7,7,40", "size=1x1 stride=2x2", "b01f_01io->b01f"),
                "1");
  check_weights(device, convolution("3,40,17", "30,40,5", "3,30,9", "size=5 rhs_dilate=2", "bf0_oi0->bf0"), "1");
}

TEST_CASE("operands that the kernel does not copy, or not as panels, stay as they are") {
  const Device device = open_with("");
  check_weights(device, dot("1,700", "700,83", "1,83", 1, 0), "");
  check_weights(device, dot("3,5", "5,4", "3,4", 1, 0), "");
  check_weights(device,
                convolution("1,9,9,8", "3,3,1,8", "1,9,9,8", "size=3x3 pad=1_1x1_1", "b01f_01io->b01f",
                            ", feature_group_count=8"),
                "");
  check_weights(
      device,
      convolution("1,9,11,20", "3,3,20,50", "1,19,23,50", "size=3x3 pad=2_2x2_2 lhs_dilate=2x2", "b01f_01io->b01f"),
      "");
  // Each tap of a filter with neighbouring input features is added by itself.
  check_weights(device, convolution("1,9,11,20", "30,3,3,20", "1,9,11,30", "size=3x3 pad=1_1x1_1", "b01f_o01i->b01f"),
                "");
}

TEST_CASE("a constant in panels has other uses, too") {
  const Device device = open_with("");
  check_weights(device, R"(
ENTRY e {
  x = f32[37,70] parameter(0)
  y = f32[70,83] parameter(1)
  d = f32[37,83] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  b = f32[37,83] broadcast(z), dimensions={}
  m = f32[37,83] maximum(d, b)
  e = f32[37,70] dot(m, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  n = f32[70,83] negate(y)
  ROOT f = f32[37,83] dot(e, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)",
                "01");
}

}  // namespace bp::cpu::tests
