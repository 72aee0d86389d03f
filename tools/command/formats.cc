#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "core/base/mapped_file.h"
#include "core/host/discovery.h"
#include "core/import/find_front_end.h"
#include "core/import/foreign_formats.h"
#include "core/import/front_ends.h"
#include "core/import/library/library_front_ends.h"
#include "core/package/package.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

using import::FrontEnd;
using import::library::LibraryFormat;

boost::json::object to_json(const FrontEnd &front_end) {
  return {{"name", front_end.name},
          {"description", front_end.description},
          {"endings", front_end.endings},
          {"first_bytes", front_end.first_bytes},
          {"writes", front_end.write != nullptr}};
}

boost::json::object to_json(const LibraryFormat &format) {
  boost::json::object object{{"name", format.manifest.name},
                             {"description", format.manifest.description},
                             {"endings", fmt::format("{}", fmt::join(format.manifest.endings, " "))},
                             {"first_bytes", import::library::printed(format.manifest.first_bytes)},
                             {"writes", false},
                             {"library", format.candidate.path}};
  if (!format.refusal.empty()) {
    object["refusal"] = format.refusal;
  }
  return object;
}

int print_all_as_json(std::span<const LibraryFormat> libraries) {
  boost::json::array read, foreign;
  for (const FrontEnd *front_end : import::front_ends()) {
    read.push_back(to_json(*front_end));
  }
  for (const LibraryFormat &format : libraries) {
    read.push_back(to_json(format));
  }
  for (const import::ForeignFormat &format : import::foreign_formats()) {
    foreign.push_back({{"name", format.name}, {"road", format.road}});
  }
  fmt::print("{}\n",
             boost::json::serialize(boost::json::object{{"read", std::move(read)}, {"foreign", std::move(foreign)}}));
  return success;
}

// Returns "begins with LINES 1", or that only the ending is judged.
std::string how_recognized(const LibraryFormat &format) {
  return format.manifest.first_bytes.empty()
             ? "by its ending, and its content"
             : fmt::format("begins with {}", import::library::printed(format.manifest.first_bytes));
}

int print_all() {
  fmt::print("Formats of programs that are read, in the order in which a file is tried:\n\n");
  for (const FrontEnd *front_end : import::front_ends()) {
    fmt::print("  {:<10} {} ({}){}\n{:13}{}\n", front_end->name, front_end->description, front_end->endings,
               front_end->write == nullptr ? "" : ", also written", "", front_end->first_bytes);
  }
  const std::vector<LibraryFormat> libraries = import::library::formats();
  if (!libraries.empty()) {
    fmt::print("\nFormats that libraries read; they are tried first for files with their endings:\n\n");
  }
  for (const LibraryFormat &format : libraries) {
    fmt::print("  {:<10} {} ({})\n{:13}{}\n{:13}{}\n", format.manifest.name, format.manifest.description,
               fmt::join(format.manifest.endings, " "), "", how_recognized(format), "",
               format.refusal.empty() ? format.candidate.path
                                      : fmt::format("{}  {}", paint(Colour::Red, "refused"), format.refusal));
  }
  fmt::print("\nFiles that are recognized, and the road that such models take:\n\n");
  for (const import::ForeignFormat &format : import::foreign_formats()) {
    fmt::print("  {}\n      {}\n", format.name, format.road);
  }
  return success;
}

// Says for a format of a library whether the file is of it.
std::string reason(const LibraryFormat &format, std::string_view bytes, const std::string &file) {
  if (!format.refusal.empty()) {
    return "not asked: " + format.refusal;
  }
  if (!format.fits(bytes, file)) {
    return fmt::format("no, expected a name that ends in {}{}", fmt::join(format.manifest.endings, " or "),
                       format.manifest.first_bytes.empty() ? "" : " or a file that " + how_recognized(format));
  }
  const auto front_end = import::library::load(format);
  return !front_end.ok()                   ? "not asked: " + front_end.error().to_string()
         : (*front_end)->recognizes(bytes) ? "yes"
                                           : "no, says " + format.candidate.path;
}

// Says for each format whether the file is of it.
void print_reasons(std::string_view bytes, const std::string &file) {
  for (const LibraryFormat &format : import::library::formats()) {
    fmt::print("  {}: {}\n", format.manifest.name, reason(format, bytes, file));
  }
  for (const host::Candidate &candidate : host::scan(host::plugin_directories())) {
    if (!candidate.manifest && candidate.refusal) {  // it may have front ends
      fmt::print("  not asked: {}\n", candidate.refusal->to_string());
    }
  }
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
  const Result<std::shared_ptr<const FrontEnd>> front_end =
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
    print_reasons(bytes, file);
  }
  return front_end.ok() ? success : as_json ? negative : report(front_end.error());
}

}  // namespace

int list_formats(std::span<const std::string> arguments) {
  Options options(
      "formats [FILE [--why]] [--json]",
      "Lists the formats of programs that are read, those of front ends in libraries among them (they are found\n"
      "where backends are), and the road that models of other formats take. With a file: says of which format\n"
      "it is.",
      "  backplane formats\n"
      "  backplane formats model.onnx\n"
      "  backplane formats unknown.bin --why       says for each format whether the file is of it\n"
      "  BACKPLANE_PATH=/opt/acme backplane formats  also front ends of that folder\n"
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
  return options.has("json") ? print_all_as_json(import::library::formats()) : print_all();
}

}  // namespace bp::command
