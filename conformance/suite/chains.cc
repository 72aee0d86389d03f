#include "conformance/suite/chains.h"

#include <fmt/format.h>

#include <string>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

constexpr std::string_view functions =
    "from { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] subtract(b, a) }\n";
constexpr std::string_view parameters =
    "i = s32[67] parameter(0)  u = s32[67] parameter(1)  v0 = s32[67] parameter(2)\n";

std::string scatter(std::string_view name, std::string_view operand, std::string_view updates,
                    std::string_view after = "") {
  return fmt::format(
      "{} = s32[67] scatter({}, i, {}), update_window_dims={{}}, inserted_window_dims={{0}}, "
      "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=from{}\n",
      name, operand, updates, after);
}

// Each instruction may change its operand in place.
std::string scatters(std::size_t length) {
  std::string text;
  for (std::size_t n = 0; n < length; ++n) {
    text += scatter(fmt::format("v{}", n + 1), fmt::format("v{}", n), "u");
  }
  return text + fmt::format("ROOT r = s32[67] copy(v{})\n", length);
}

// Instructions that few devices fuse with each other.
std::string reversals(std::size_t length) {
  std::string text;
  for (std::size_t n = 0; n < length; ++n) {
    text +=
        fmt::format("z{} = s32[67] subtract(u, v{})  v{} = s32[67] reverse(z{}), dimensions={{0}}\n", n, n, n + 1, n);
  }
  return text + fmt::format("ROOT r = s32[67] copy(v{})\n", length);
}

// Each instruction of the chain is followed by one that reads the parameter, which is overwritten at the end. All that
// these make are results, so that nothing but the parameter orders them and the last instruction.
std::string readers(std::size_t length) {
  std::string text = "w0 = s32[67] copy(u)\n", types = "s32[67]", results = "v1", after;
  for (std::size_t n = 0; n < length; ++n) {
    text +=
        fmt::format("z{} = s32[67] subtract(u, w{})  w{} = s32[67] reverse(z{}), dimensions={{0}}\n", n, n, n + 1, n);
    text += scatter(fmt::format("y{}", n), fmt::format("w{}", n + 1), "v0", after);
    after = fmt::format(", control-predecessors={{y{}}}", n);
    types += ", s32[67]";
    results += fmt::format(", y{}", n);
  }
  return text + scatter("v1", "v0", "u", after) + fmt::format("ROOT r = ({}) tuple({})\n", types, results);
}

struct Chain {
  std::string_view name, header;
  std::string (*body)(std::size_t length);
};
constexpr Chain table[] = {{"scatters", "", scatters},
                           {"reversals", "", reversals},
                           {"readers", ", input_output_alias={ {0}: (2, {}, may-alias) }", readers}};

}  // namespace

std::span<const std::string_view> chain_names() {
  static constexpr std::string_view names[] = {table[0].name, table[1].name, table[2].name};
  return names;
}

Result<ir::Module> chain_of(std::string_view name, std::size_t length) {
  for (const Chain &chain : table) {
    if (chain.name == name) {
      BP_ASSIGN(ir::Module module,
                text::parse_module(fmt::format("HloModule chain{}\n{}ENTRY main {{ {}{}}}\n", chain.header, functions,
                                               parameters, chain.body(length))));
      BP_TRY(ir::verify(module));
      return module;
    }
  }
  return invalid_input("there is no chain {}", name);
}

}  // namespace bp::conformance
