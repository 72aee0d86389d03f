#include <fmt/core.h>

#include "conformance/coverage/coverage.h"
#include "core/backplane.h"
#include "core/ir/op.h"
#include "core/ir/op_reference.h"
#include "tools/command/backend_choice.h"
#include "tools/command/options.h"

namespace bp::command {
namespace {

int print_coverage(const BackendChoice &choice) {
  auto page = [&]() -> Result<std::string> {
    BP_ASSIGN(Backend backend, choice.load());
    if (backend.is_interpreter()) {
      return invalid_input("--on is interpreter, expected a backend: the interpreter runs every operation");
    }
    BP_ASSIGN(std::vector<coverage::Cell> cells, coverage::survey(backend.device()));
    return coverage::to_markdown(cells, backend.device()->id());
  }();
  return page.ok() ? (fmt::print("{}", *page), success) : report(page.error());
}

}  // namespace

int list_ops(std::span<const std::string> arguments) {
  Options options("ops [--markdown | --coverage [--on NAME]]", "Lists every operation of HLO with a description.",
                  "  backplane ops\n"
                  "  backplane ops --markdown > docs/ops.md\n"
                  "  backplane ops --coverage > docs/op_coverage.md\n");
  options.add()("markdown", "print the whole reference, as in docs/ops.md: operands, element types, attributes");
  options.add()("coverage",
                "print which operations a backend runs, for which element types, as in docs/op_coverage.md");
  BackendChoice::add_to(options);
  BackendChoice choice;
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (auto exit = choice.read(options)) {
    return *exit;
  }
  if (options.has("markdown")) {
    fmt::print("{}", ir::ops_markdown());
    return success;
  }
  if (options.has("coverage")) {
    return print_coverage(choice);
  }
  for (const ir::OpInfo &op : ir::ops()) {
    fmt::print("{:<28} {}\n", op.text, op.summary);
  }
  return success;
}

}  // namespace bp::command
