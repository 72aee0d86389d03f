#include "tools/command/model_choice.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
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

// Reads "NAME=8x128" for the separator 'x', with any number of integers; nothing if the text is not of that form.
std::optional<ParameterIntegers> read_integers(const std::string &text, char separator) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return {};
  }
  ParameterIntegers given{text.substr(0, equals), {}};
  for (std::size_t at = equals + 1; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    std::int64_t number = 0;
    const auto [rest, problem] = std::from_chars(text.data() + at, text.data() + end, number);
    if (problem != std::errc() || rest != text.data() + end || end + 1 == text.size()) {
      return {};
    }
    given.integers.push_back(number);
    at = end + 1;
  }
  return given;
}

// Appends what the option gives. Returns an exit code if it cannot be read.
std::optional<int> read_all(const Options &options, const char *name, char separator, std::string_view example,
                            std::vector<ParameterIntegers> &given) {
  for (const std::string &text :
       options.has(name) ? options.get<std::vector<std::string>>(name) : std::vector<std::string>()) {
    auto one = read_integers(text, separator);
    if (!one) {
      return options.misuse(
          fmt::format("--{} has '{}', expected a parameter and integers, such as {}", name, text, example));
    }
    given.push_back(*std::move(one));
  }
  return {};
}

bool is_number(const std::string &text, std::size_t number) {
  return text == std::to_string(number);
}

}  // namespace

void ModelChoice::add_to(Options &options) {
  options.add()("part", boost::program_options::value<std::string>()->default_value(""),
                "the module to use of a file with several: its name, or its number counted from 1")(
      "shapes", boost::program_options::value<std::vector<std::string>>()->multitoken(),
      "shapes of the parameters, for a StableHLO program with unknown sizes, such as f32[8,4] f32[8,4]")(
      "shape", boost::program_options::value<std::vector<std::string>>()->multitoken(),
      "the same for one parameter, by name or number, such as x=8x128")(
      "value", boost::program_options::value<std::vector<std::string>>()->multitoken(),
      "elements of an integer parameter on which sizes depend, such as 0=8")(
      "model-weights", boost::program_options::value<std::string>()->default_value(""),
      "the file with the weights of a program that has them in another file: NAME.caffemodel of a Caffe net");
  options.add()("format", boost::program_options::value<std::string>()->default_value(""),
                "the format of the model, as 'backplane formats' names it (default: found by content and name)");
  options.complete({"format", "part", "shapes", "shape", "value"}, Completion::Nothing);
  options.add_positional("model", 1);
}

std::optional<int> ModelChoice::read(const Options &options) {
  if (!options.has("model")) {
    return options.misuse("no model was given");
  }
  file_ = options.get<std::string>("model");
  asked_ = options.get<std::string>("part");
  reading_.format = options.get<std::string>("format");
  reading_.weights = options.get<std::string>("model-weights");
  for (const std::string &text :
       options.has("shapes") ? options.get<std::vector<std::string>>("shapes") : std::vector<std::string>()) {
    auto shape = text::parse_shape(text);
    if (!shape.ok()) {
      return options.misuse(fmt::format("--shapes has '{}', expected a shape such as f32[8,4]", text));
    }
    reading_.parameter_shapes.push_back(std::move(shape).value());
  }
  if (auto exit = read_all(options, "shape", 'x', "x=8x128", reading_.parameter_sizes)) {
    return exit;
  }
  if (!reading_.parameter_shapes.empty() && !reading_.parameter_sizes.empty()) {
    return options.misuse("--shapes gives the shapes of all parameters, and cannot be combined with --shape");
  }
  return read_all(options, "value", ',', "0=8", reading_.parameter_values);
}

Result<std::vector<Module>> ModelChoice::modules() const {
  std::vector<std::string> warnings;
  ReadOptions reading = reading_;
  reading.warnings = &warnings;
  BP_ASSIGN(std::vector<Module> modules, read_modules(file_, reading));
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
