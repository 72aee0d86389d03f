// `backplane new`: creates a repository with a small backend that builds, runs and passes the suite. The templates are
// the repository of a backend called acme, whose name is replaced.
#include <fmt/core.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cctype>
#include <filesystem>
#include <vector>

#include "core/base/files.h"
#include "core/host/build_configuration.h"
#include "core/host/installation.h"
#include "tools/command/options.h"
#include "tools/command/templates.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace filesystem = std::filesystem;
namespace po = boost::program_options;

constexpr std::size_t longest_name = 40;

// The tiers, and the folders of templates that are for them. Templates for several tiers have parts for one of them,
// see keep_parts().
constexpr struct {
  std::string_view name, folder;
} tiers[] = {{"kernels", "kernels"}, {"compiler", "compiler"}, {"memory", "device"}, {"queue", "device"}};

struct NewRequest {
  std::string name, tier, language, folder, headers;
};

Status check_name(const std::string &name) {
  const auto is_allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (name.empty() || name.size() > longest_name || name[0] < 'a' || name[0] > 'z' ||
      !std::ranges::all_of(name, is_allowed)) {
    return invalid_input(
        "the name of a backend is '{}', expected a lower case letter, then at most {} of a-z, 0-9 and -", name,
        longest_name - 1);
  }
  if (name == "interpreter") {
    return invalid_input(
        "the name of a backend is 'interpreter', expected another name: that backend is part of Backplane");
  }
  return {};
}

// Returns a title for people: "My chip" for "my-chip".
std::string title(std::string name) {
  std::ranges::replace(name, '-', ' ');
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

// Whether a folder of templates ("all", "kernels", "kernels-c") is needed for the request.
bool is_for(std::string_view folder, const NewRequest &request) {
  const std::string own(std::ranges::find(tiers, request.tier, [](const auto &tier) { return tier.name; })->folder);
  return folder == "all" || folder == own || folder == own + "-" + request.language;
}

// Removes the parts of a template that are for other tiers, from a line "// {queue" to the line "// }queue", and the
// marks of the others.
std::string keep_parts(std::string_view text, std::string_view tier) {
  std::vector<std::string> lines;
  boost::split(lines, text, boost::is_any_of("\n"));
  std::string kept;
  bool is_kept = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string mark = boost::trim_left_copy(lines[i]);
    if (mark.starts_with("// {")) {
      is_kept = mark.substr(4) == tier;
    } else if (mark.starts_with("// }")) {
      is_kept = true;
    } else if (is_kept) {
      kept += lines[i] + (i + 1 < lines.size() ? "\n" : "");
    }
  }
  return kept;
}

// Replaces the name, paths and other details of the template backend by those of the new one.
std::string fill_in(std::string text, const NewRequest &request) {
  boost::replace_all(text, "HEADERS = /usr/local/include", "HEADERS = " + request.headers);
  std::error_code error;
  const std::string self = filesystem::read_symlink("/proc/self/exe", error);
  boost::replace_all(text, "BACKPLANE = /usr/local/bin/backplane", "BACKPLANE = " + self);
  // In a single pass, because the new name may itself contain the word.
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const bool is_lower = rest.starts_with("acme"), is_title = rest.starts_with("Acme");
    filled += is_lower ? request.name : is_title ? title(request.name) : std::string(1, text[at]);
    at += is_lower || is_title ? 4 : 1;
  }
  return filled;
}

std::string file_name(const Template &file, const NewRequest &request) {
  const std::string name(file.name == "gitignore"    ? ".gitignore"
                         : file.name == "plugin.map" ? "exports.map"
                                                     : file.name);
  return boost::replace_all_copy(name, "acme", request.name);
}

// Returns the folder of the headers that belong to this command: those of its build tree or of its installation.
std::string own_headers() {
  const std::string build = host::build_directory();
  return build.empty() ? host::installed(host::header_directory) : build + "/include";
}

// Returns the folder of the plugin headers, or an error.
bp::Result<std::string> find_headers(const std::string &given) {
  const std::string headers = given.empty() ? own_headers() : given;
  std::error_code error;
  if (!filesystem::exists(filesystem::path(headers) / "backplane/c/plugin_frame.h", error)) {
    return make_error(ErrorCode::NotFound,
                      "{} does not contain the headers of Backplane: backplane/c/plugin_frame.h is missing", headers)
        .note("install Backplane, or give the folder of its headers: --headers PREFIX/include");
  }
  return filesystem::absolute(headers, error).lexically_normal().string();
}

Status write_repository(const NewRequest &request) {
  std::error_code error;
  if (filesystem::exists(filesystem::symlink_status(request.folder, error)) &&
      !(filesystem::is_directory(request.folder, error) && filesystem::is_empty(request.folder, error))) {
    return invalid_input("{} exists, expected a new or an empty folder: files are not overwritten", request.folder);
  }
  BP_TRY(make_directory(request.folder));
  for (const Template &file : templates()) {
    if (is_for(file.folder, request)) {
      BP_TRY(write_file(request.folder + "/" + file_name(file, request),
                        fill_in(keep_parts(file.content, request.tier), request)));
    }
  }
  return {};
}

}  // namespace

int new_backend(std::span<const std::string> arguments) {
  Options options(
      "new NAME [options]",
      "Creates a repository with a small backend that builds with `make`, is found by name, runs a program and\n"
      "passes `backplane conform`. The name consists of a-z, 0-9 and -.",
      "  backplane new acme                           a few kernels in C; needs a C compiler and make\n"
      "  backplane new acme --tier compiler --lang cpp\n"
      "  backplane new acme --tier queue              a simulated device with memory of its own and queues\n"
      "  cd acme && make && make run && make conform\n");
  options.add_positional("name", 1);
  options.add()("tier", po::value<std::string>()->default_value("kernels"),
                "kernels: functions that run one instruction each; compiler: programs are compiled to artifacts; "
                "memory: as compiler, and the device has memory of its own; queue: as memory, and it has queues")(
      "lang", po::value<std::string>()->default_value("c"), "c or cpp")("output,o", po::value<std::string>(),
                                                                        "the folder to create; default: the name")(
      "headers", po::value<std::string>()->default_value(""),
      "the folder that contains backplane/backplane.h; default: the one that was installed or built with this command");
  options.expect_one_of("tier", names_of(tiers));
  options.expect_one_of("lang", {"c", "cpp"});
  options.complete({"output", "headers"}, Completion::Folder);
  options.complete({"name"}, Completion::Nothing);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("name")) {
    return options.misuse("no name was given");
  }
  NewRequest request{
      options.get<std::string>("name"), options.get<std::string>("tier"), options.get<std::string>("lang"), {}, {}};
  request.folder = options.has("output") ? options.get<std::string>("output") : request.name;
  if (Status name = check_name(request.name); !name.ok()) {
    return options.misuse(name.error().message());
  }
  auto headers = find_headers(options.get<std::string>("headers"));
  if (!headers.ok()) {
    return report(headers.error());
  }
  request.headers = *headers;
  if (Status written = write_repository(request); !written.ok()) {
    return report(written.error());
  }
  fmt::print("created the backend {}. Next: cd {} && make && make run && make conform\n", request.name,
             shell_word(request.folder));
  return success;
}

}  // namespace bp::command
