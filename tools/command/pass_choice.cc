#include "tools/command/pass_choice.h"

#include <fmt/core.h>

#include "core/compile/passes.h"

namespace bp::command {

void PassChoice::add_to(Options &options) {
  options.add()("no-fusion", "give the backend instructions that are not fused")(
      "disable-pass", boost::program_options::value<std::vector<std::string>>()->composing(),
      "leave out a pass that backplane opt --list names; may be repeated; an op that only this pass can rewrite for "
      "the "
      "backend runs on the host");
}

std::optional<int> PassChoice::read(const Options &options, const std::string &on) {
  for (const char *name : {"no-fusion", "disable-pass"}) {
    if (options.has(name) && on == "interpreter") {
      return options.misuse(
          fmt::format("--{} is given, but the interpreter runs no passes: expected another --on", name));
    }
  }
  fuse_ = !options.has("no-fusion");
  if (options.has("disable-pass")) {
    disabled_ = options.get<std::vector<std::string>>("disable-pass");
  }
  const Status status = compile::check_disabled(disabled_);
  return status.ok() ? std::nullopt : std::optional(options.misuse("--disable-pass: " + status.error().message()));
}

void PassChoice::apply_to(CompileOptions &options) const {
  options.fuse = fuse_;
  options.disabled_passes = disabled_;
}

}  // namespace bp::command
