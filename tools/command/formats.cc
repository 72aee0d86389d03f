#include <fmt/core.h>

#include <boost/json.hpp>

#include "core/base/mapped_file.h"
#include "core/import/foreign_formats.h"
#include "core/import/front_ends.h"
#include "core/package/package.h"
#include "tools/command/options.h"

namespace bp::command {
namespace {

using import::FrontEnd;

boost::json::object to_json(const FrontEnd &front_end) {
  return {{"name", front_end.name},
          {"description", front_end.description},
          {"endings", front_end.endings},
          {"first_bytes", front_end.first_bytes},
          {"writes", front_end.write != nullptr}};
}

int print_all(bool as_json) {
  if (as_json) {
    boost::json::array read, foreign;
    for (const FrontEnd *front_end : import::front_ends()) {
      read.push_back(to_json(*front_end));
    }
    for (const import::ForeignFormat &format : import::foreign_formats()) {
      foreign.push_back({{"name", format.name}, {"road", format.road}});
    }
    fmt::print("{}\n",
               boost::json::serialize(boost::json::object{{"read", std::move(read)}, {"foreign", std::move(foreign)}}));
    return success;
  }
  fmt::print("Formats of programs that are read, in the order in which a file is tried:\n\n");
  for (const FrontEnd *front_end : import::front_ends()) {
    fmt::print("  {:<10} {} ({}){}\n{:13}{}\n", front_end->name, front_end->description, front_end->endings,
               front_end->write == nullptr ? "" : ", also written", "", front_end->first_bytes);
  }
  fmt::print("\nFiles that are recognized, and the road that such models take:\n\n");
  for (const import::ForeignFormat &format : import::foreign_formats()) {
    fmt::print("  {}\n      {}\n", format.name, format.road);
  }
  return success;
}

// Says for each format whether the file is of it.
void print_reasons(std::string_view bytes) {
  for (const import::ForeignFormat &format : import::foreign_formats()) {
    if (format.recognizes(bytes)) {
      fmt::print("  {}: yes, and it is not read\n", format.name);
    }
  }
  for (const FrontEnd *front_end : import::front_ends()) {
    fmt::print("  {}: {}, expected {}\n", front_end->name, front_end->recognizes(bytes) ? "yes" : "no",
               front_end->first_bytes);
  }
}

int print_format_of(const std::string &file, bool explains, bool as_json) {
  const Result<SharedBytes> loaded = load_file(file);
  if (!loaded.ok()) {
    return report(loaded.error());
  }
  const std::string_view bytes = loaded->text();
  const Result<const FrontEnd *> front_end =
      package::is_package(file) ? package::not_a_model(file) : import::find_front_end(bytes, file);
  if (as_json) {
    fmt::print("{}\n",
               boost::json::serialize(front_end.ok() ? to_json(**front_end)
                                                     : boost::json::object{{"error", front_end.error().to_string()}}));
  } else if (front_end.ok()) {
    fmt::print("{}: {} ({}), {} in it\n", file, (*front_end)->description, (*front_end)->name,
               import::split(**front_end, bytes, file).size());
  }
  if (explains && !as_json) {
    print_reasons(bytes);
  }
  return front_end.ok() ? success : as_json ? negative : report(front_end.error());
}

}  // namespace

int list_formats(std::span<const std::string> arguments) {
  Options options(
      "formats [FILE [--why]] [--json]",
      "Lists the formats of programs that are read, and the road that models of other formats take. With a\n"
      "file: says of which format it is.",
      "  backplane formats\n"
      "  backplane formats model.onnx\n"
      "  backplane formats unknown.bin --why       says for each format whether the file is of it\n"
      "  backplane formats --json > formats.json\n");
  options.add()("why", "say for each format whether the file is of it")("json",
                                                                        "print one JSON object instead of text");
  options.add_positional("file", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (options.has("file")) {
    return print_format_of(options.get<std::string>("file"), options.has("why"), options.has("json"));
  }
  if (options.has("why")) {
    return options.misuse("--why explains the format of a file, but no file was given");
  }
  return print_all(options.has("json"));
}

}  // namespace bp::command
