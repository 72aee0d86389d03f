// `backplane --describe`: how the command describes itself, from the declarations that --help prints.
#include <fmt/core.h>

#include <array>
#include <boost/json.hpp>
#include <set>
#include <string>

#include "core/compile/passes.h"
#include "core/host/build_configuration.h"
#include "core/host/discovery.h"
#include "tools/command/command.h"
#include "tools/command/options.h"

namespace bp::command {
namespace {

// Prints one JSON object per line: of the command, then of each subcommand.
int describe_commands() {
  boost::json::array listed;
  for (const Command &command : commands()) {
    listed.push_back({{"name", command.name}, {"summary", command.summary}});
  }
  const auto codes = exit_codes();
  fmt::print("{}\n", boost::json::serialize(
                         boost::json::object{{"name", "backplane"},
                                             {"version", host::core_version},
                                             {"commands", std::move(listed)},
                                             {"exit_codes", boost::json::array(codes.begin(), codes.end())}}));
  const std::array arguments = {std::string(describe_argument)};
  for (const Command &command : commands()) {
    command.run(arguments);
  }
  return success;
}

std::set<std::string> names_of_backends() {
  std::set<std::string> names = {"interpreter"};
  for (const host::Candidate &candidate : host::scan(host::plugin_directories())) {
    if (candidate.refusal) {
      continue;
    }
    for (const host::ManifestDevice &device : candidate.manifest->devices) {
      device.aliases.empty() ? names.insert({device.id}) : names.insert(device.aliases.begin(), device.aliases.end());
    }
  }
  return names;
}

// Returns the names of passes, and of stages, which stand for several.
std::set<std::string> names_of_passes() {
  std::set<std::string> names;
  for (const auto passes : {passes::passes(), compile::buffer_passes()}) {
    for (const passes::Pass &pass : passes) {
      names.emplace(pass.name);
    }
  }
  for (const std::string_view stage : compile::stage_names()) {
    names.emplace(stage);
  }
  return names;
}

}  // namespace

int describe(std::span<const std::string> arguments) {
  if (arguments.empty()) {
    return describe_commands();
  }
  const bool of_backends = arguments[0] == "backends";
  if (arguments.size() > 1 || (!of_backends && arguments[0] != "passes")) {
    fmt::print(stderr, "backplane: {} is followed by '{}', expected nothing, backends or passes\n", describe_argument,
               arguments.back());
    return usage;
  }
  for (const std::string &name : of_backends ? names_of_backends() : names_of_passes()) {
    fmt::print("{}\n", name);
  }
  return success;
}

}  // namespace bp::command
