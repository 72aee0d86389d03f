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

// Each instruction may change its operand in place.
std::string scatters(std::size_t length) {
  std::string text(parameters);
  for (std::size_t n = 0; n < length; ++n) {
    text += fmt::format(
        "v{} = s32[67] scatter(v{}, i, u), update_window_dims={{}}, inserted_window_dims={{0}}, "
        "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=from\n",
        n + 1, n);
  }
  return text + fmt::format("ROOT r = s32[67] copy(v{})\n", length);
}

// Instructions that few devices fuse with each other.
std::string reversals(std::size_t length) {
  std::string text(parameters);
  for (std::size_t n = 0; n < length; ++n) {
    text +=
        fmt::format("z{} = s32[67] subtract(u, v{})  v{} = s32[67] reverse(z{}), dimensions={{0}}\n", n, n, n + 1, n);
  }
  return text + fmt::format("ROOT r = s32[67] copy(v{})\n", length);
}

// Instructions that all read a parameter, which is overwritten at the end; the last of them wait for others. All that
// they make are results, so that only the parameter orders them and the last instruction.
std::string readers(std::size_t length) {
  constexpr std::string_view product = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  constexpr std::size_t waiting = 3;
  std::string text = "x = s32[8,8] parameter(0)  w0 = s32[8,8] parameter(1)\n", types = "s32[8,8]", results = "r",
              after;
  for (std::size_t n = 0; n <= waiting; ++n) {
    text += fmt::format("w{} = s32[8,8] dot(w{}, w0), {}\n", n + 1, n, product);
  }
  const auto read = [&](const std::string &name, const std::string &other) {
    text += fmt::format("{} = s32[8,8] dot(x, {}), {}{}\n", name, other, product, after);
    after = fmt::format(", control-predecessors={{{}}}", name);
    types += ", s32[8,8]";
    results += ", " + name;
  };
  for (std::size_t n = 0; n < length; ++n) {
    text += fmt::format("p{} = s32[8,8] parameter({})\n", n, n + 2);
    read(fmt::format("y{}", n), fmt::format("p{}", n));
  }
  for (std::size_t n = 0; n < waiting; ++n) {
    read(fmt::format("z{}", n), fmt::format("w{}", waiting + 1 - n));
  }
  text += fmt::format("r = s32[8,8] subtract(w0, x){}\n", after);
  return text + fmt::format("ROOT t = ({}) tuple({})\n", types, results);
}

struct Chain {
  std::string_view name, header;
  std::string (*body)(std::size_t length);
};
constexpr Chain table[] = {{"scatters", "", scatters},
                           {"reversals", "", reversals},
                           {"readers", ", input_output_alias={ {0}: (0, {}, may-alias) }", readers}};

}  // namespace

std::span<const std::string_view> chain_names() {
  static constexpr std::string_view names[] = {table[0].name, table[1].name, table[2].name};
  return names;
}

Result<ir::Module> chain_of(std::string_view name, std::size_t length) {
  for (const Chain &chain : table) {
    if (chain.name == name) {
      BP_ASSIGN(ir::Module module, text::parse_module(fmt::format("HloModule chain{}\n{}ENTRY main {{\n{}}}\n",
                                                                  chain.header, functions, chain.body(length))));
      BP_TRY(ir::verify(module));
      return module;
    }
  }
  return invalid_input("there is no chain {}", name);
}

}  // namespace bp::conformance
