#include "tools/command/model_choice.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/text/parser.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

// Returns "add, multiply and 3 more".
std::string list_names(const std::vector<Module> &modules) {
  constexpr std::size_t max_named = 8;
  std::vector<std::string_view> names;
  for (const Module &module : modules) {
    if (names.size() < max_named) {
      names.push_back(module.name());
    }
  }
  const std::size_t more = modules.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

bool is_number(const std::string &text, std::size_t number) {
  return text == std::to_string(number);
}

}  // namespace

void ModelChoice::add_to(Options &options) {
  options.add()("part", boost::program_options::value<std::string>()->default_value(""),
                "the module to use of a file with several: its name, or its number counted from 1")(
      "shapes", boost::program_options::value<std::vector<std::string>>()->multitoken(),
      "shapes of the parameters, for a StableHLO program with unknown sizes, such as f32[8,4] f32[8,4]");
  options.add_positional("model", 1);
}

std::optional<int> ModelChoice::read(const Options &options) {
  if (!options.has("model")) {
    return options.misuse("no model was given");
  }
  file_ = options.get<std::string>("model");
  asked_ = options.get<std::string>("part");
  for (const std::string &text :
       options.has("shapes") ? options.get<std::vector<std::string>>("shapes") : std::vector<std::string>()) {
    auto shape = text::parse_shape(text);
    if (!shape.ok()) {
      return options.misuse(fmt::format("--shapes has '{}', expected a shape such as f32[8,4]", text));
    }
    shapes_.push_back(std::move(shape).value());
  }
  return std::nullopt;
}

Result<std::vector<Module>> ModelChoice::modules() const {
  std::vector<std::string> warnings;
  BP_ASSIGN(std::vector<Module> modules, read_modules(file_, {&warnings, shapes_}));
  for (const std::string &warning : warnings) {
    fmt::print(stderr, "{}\n", warning);
  }
  if (asked_.empty()) {
    return modules;
  }
  auto found = std::ranges::find_if(modules, [&](const Module &module) { return module.name() == asked_; });
  for (std::size_t i = 0; found == modules.end() && i < modules.size(); ++i) {
    found = is_number(asked_, i + 1) ? modules.begin() + static_cast<std::ptrdiff_t>(i) : found;
  }
  if (found == modules.end()) {
    return make_error(ErrorCode::NotFound, "{}: no module is named {}; the file contains {}: {}", file_, asked_,
                      modules.size(), list_names(modules));
  }
  std::vector<Module> chosen;
  chosen.push_back(std::move(*found));
  return chosen;
}

Result<Module> ModelChoice::only_module() const {
  BP_ASSIGN(std::vector<Module> chosen, modules());
  if (chosen.size() > 1) {
    return too_many(chosen, "this command");
  }
  return std::move(chosen.front());
}

Error ModelChoice::too_many(const std::vector<Module> &modules, std::string_view option) const {
  return invalid_input("{} contains {} modules, but {} takes one: choose it with --part=NAME, NAME being one of {}",
                       file_, modules.size(), option, list_names(modules));
}

std::string ModelChoice::arguments(const Module &module, std::size_t count) const {
  const std::string file = shell_word(file_);
  return !asked_.empty() ? fmt::format("{} --part={}", file, shell_word(asked_))
         : count > 1     ? fmt::format("{} --part={}", file, shell_word(module.name()))
                         : file;
}

}  // namespace bp::command
