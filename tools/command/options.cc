#include "tools/command/options.h"

#include <fmt/core.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
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

// Returns the words that a usage begins with, in lower case: "conform verify" of "conform verify FILE".
std::string leading_words(std::string_view usage) {
  const std::size_t end = usage.find_first_not_of("abcdefghijklmnopqrstuvwxyz ");
  return std::string(usage.substr(0, usage.rfind(' ', end)));
}

std::string_view kind_of(Completion completion) {
  switch (completion) {
    case Completion::Folder: return "folder";
    case Completion::Backend: return "backend";
    case Completion::Pass: return "pass";
    default: return "nothing";
  }
}

bool is_text(const program_options::value_semantic &semantic) {
  const auto *typed = dynamic_cast<const program_options::typed_value_base *>(&semantic);
  return typed != nullptr &&
         (typed->value_type() == typeid(std::string) || typed->value_type() == typeid(std::vector<std::string>));
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

void Options::complete(std::initializer_list<const char *> names, Completion completion) {
  for (const char *name : names) {
    completions_[name] = completion;
  }
}

void Options::complete(const char *name, std::vector<std::string> words) {
  words_[name] = std::move(words);
}

void Options::expect_one_of(const char *name, std::vector<std::string> words) {
  complete(name, std::move(words));
  limited_.emplace_back(name);
}

std::optional<int> Options::check_words() const {
  for (const std::string &name : limited_) {
    const std::vector<std::string> &words = words_.at(name);
    if (const auto &value = get<std::string>(name.c_str()); std::ranges::find(words, value) == words.end()) {
      return misuse(fmt::format("--{} is '{}', expected {} or {}", name, value,
                                fmt::join(words.begin(), words.end() - 1, ", "), words.back()));
    }
  }
  return std::nullopt;
}

boost::json::object Options::describe(const program_options::option_description &option) const {
  const program_options::value_semantic &semantic = *option.semantic();
  const std::string names = option.format_name(), argument = semantic.name();  // "-o [ --output ]" and "arg (=1)"
  boost::json::object object{{"name", option.long_name()}};
  if (!names.starts_with("--")) {
    object["letter"] = names.substr(1, 1);
  }
  object["argument"] = semantic.max_tokens() == 0   ? "none"
                       : semantic.min_tokens() == 0 ? "optional"
                       : semantic.max_tokens() == 1 ? "one"
                                                    : "several";
  if (const std::size_t start = argument.find(" (="); start != std::string::npos) {
    object["default"] = argument.substr(start + 3, argument.size() - start - 4);
  }
  object["is_repeated"] = semantic.is_composing();
  object["help"] = option.description();
  if (const auto words = words_.find(option.long_name()); words != words_.end()) {
    object["completion"] = boost::json::value_from(words->second);
  } else {
    const auto kind = completions_.find(option.long_name());
    object["completion"] = kind != completions_.end() ? kind_of(kind->second) : is_text(semantic) ? "file" : "nothing";
  }
  return object;
}

void Options::describe() const {
  boost::json::array options, arguments;
  for (const auto &option : named_.options()) {
    options.push_back(describe(*option));
  }
  for (const auto &argument : hidden_.options()) {
    const boost::json::object described = describe(*argument);
    arguments.push_back({{"name", described.at("name")}, {"completion", described.at("completion")}});
  }
  fmt::print("{}\n", boost::json::serialize(boost::json::object{{"name", leading_words(usage_)},
                                                                {"usage", usage_},
                                                                {"description", description_},
                                                                {"examples", examples_},
                                                                {"options", std::move(options)},
                                                                {"arguments", std::move(arguments)}}));
}

std::optional<int> Options::parse(std::span<const std::string> arguments) {
  named_.add_options()("help", "print this text");
  program_options::options_description all;
  all.add(named_).add(hidden_);
  if (arguments.size() == 1 && arguments[0] == describe_argument) {
    describe();
    return success;
  }
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
    return check_words();
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
