#include "tools/command/pass_choice.h"

#include <fmt/core.h>

#include "core/compile/passes.h"

namespace bp::command {

void PassChoice::add_to(Options &options) {
  options.add()("no-fusion", "give the backend instructions that are not fused")(
      "disable-pass", boost::program_options::value<std::vector<std::string>>()->composing(),
      "leave out a pass that backplane opt --list names; may be repeated; an op that only this pass can rewrite for "
      "the "
      "backend runs on the host")(
      "cluster", boost::program_options::value<std::string>()->default_value("off"),
      "which instructions that the backend claims it runs, if it does not run the whole model; off: all of them; auto: "
      "those whose cost is lower there, with copies and starts; marked: those with frontend_attributes="
      "{backplane_cluster=\"NAME\"}")("cluster-min", boost::program_options::value<std::int64_t>()->default_value(1),
                                      "minimum number of instructions of a cluster; smaller ones run on the host");
  options.complete({"disable-pass"}, Completion::Pass);
  options.expect_one_of("cluster", {"auto", "marked", "off"});
}

std::optional<int> PassChoice::read(const Options &options, const std::string &on) {
  for (const char *name : {"no-fusion", "disable-pass", "cluster", "cluster-min"}) {
    if (options.is_given(name) && on == "interpreter") {
      return options.misuse(
          fmt::format("--{} is given, but the interpreter runs no passes: expected another --on", name));
    }
  }
  fuse_ = !options.has("no-fusion");
  if (options.has("disable-pass")) {
    disabled_ = options.get<std::vector<std::string>>("disable-pass");
  }
  using Mode = compile::ClusterOptions::Mode;
  const auto &mode = options.get<std::string>("cluster");
  clusters_.mode = mode == "auto" ? Mode::Auto : mode == "marked" ? Mode::Marked : Mode::Off;
  if (auto exit = options.check_at_least<std::int64_t>("cluster-min", 1)) {
    return exit;
  }
  clusters_.min_instructions = options.get<std::int64_t>("cluster-min");
  const Status status = compile::check_disabled(disabled_);
  return status.ok() ? std::nullopt : std::optional(options.misuse("--disable-pass: " + status.error().message()));
}

}  // namespace bp::command
