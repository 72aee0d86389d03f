#include "tools/command/options.h"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <sstream>

#include "tools/command/terminal.h"

namespace bp::command {

namespace program_options = boost::program_options;

namespace {

// Boost would accept "-1" as an unsigned number and wrap it around.
void check_sign(const program_options::options_description &all, const program_options::option &option) {
  const auto *known = option.string_key.empty() ? nullptr : all.find_nothrow(option.string_key, false);
  auto typed =
      known == nullptr ? nullptr : dynamic_cast<const program_options::typed_value_base *>(known->semantic().get());
  if (typed != nullptr && typed->value_type() == typeid(std::uint64_t) && option.value[0].starts_with('-')) {
    program_options::invalid_option_value error(option.value[0]);
    error.set_option_name(option.string_key);
    error.set_prefix(program_options::command_line_style::allow_long);
    throw error;
  }
}

}  // namespace

void Options::add_positional(const char *name, int count) {
  if (count == 1) {
    hidden_.add_options()(name, program_options::value<std::string>());
  } else {
    hidden_.add_options()(name, program_options::value<std::vector<std::string>>());
  }
  positional_.add(name, count);
}

std::optional<int> Options::parse(std::span<const std::string> arguments) {
  named_.add_options()("help", "print this text");
  program_options::options_description all;
  all.add(named_).add(hidden_);
  try {
    std::vector<std::string> copy(arguments.begin(), arguments.end());
    auto parsed = program_options::command_line_parser(copy).options(all).positional(positional_).run();
    for (const program_options::option &option : parsed.options) {
      check_sign(all, option);
    }
    program_options::store(parsed, values_);
    program_options::notify(values_);
  } catch (const program_options::error &error) {
    return misuse(error.what());
  }
  if (!has("help")) {
    return std::nullopt;
  }
  std::ostringstream table;
  table << named_;
  fmt::print("Usage: backplane {}\n{}\n\n{}\nExamples:\n{}", usage_, description_, table.str(), examples_);
  return success;
}

int Options::misuse(std::string_view problem) const {
  fmt::print(stderr, "backplane: {}\nUsage: backplane {}\nSee: backplane {} --help\n", printable(problem), usage_,
             usage_.substr(0, usage_.find(' ')));
  return usage;
}

}  // namespace bp::command
