#include <fmt/core.h>

#include "core/ir/op.h"
#include "core/ir/op_reference.h"
#include "tools/command/options.h"

namespace bp::command {

int list_ops(std::span<const std::string> arguments) {
  Options options("ops [--markdown]", "Lists every operation of HLO with what it computes.",
                  "  backplane ops\n"
                  "  backplane ops --markdown > docs/ops.md\n");
  options.add()("markdown", "the whole reference, as in docs/ops.md: operands, element types, attributes");
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (options.has("markdown")) {
    fmt::print("{}", ir::ops_markdown());
    return success;
  }
  for (const ir::OpInfo &op : ir::ops()) {
    fmt::print("{:<28} {}\n", op.text, op.summary);
  }
  return success;
}

}  // namespace bp::command
