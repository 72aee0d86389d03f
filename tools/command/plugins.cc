#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "core/host/discovery.h"
#include "core/host/names.h"
#include "tools/command/certificate_text.h"
#include "tools/command/describe_plugin.h"
#include "tools/command/options.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

boost::json::object to_json(const host::Candidate &candidate, const std::vector<host::NameConflict> &conflicts) {
  boost::json::object object{{"path", candidate.path}, {"loadable", !candidate.refusal}};
  if (candidate.refusal) {
    object["refusal"] = candidate.refusal->to_string();
  }
  if (candidate.distrust) {
    object["distrust"] = candidate.distrust->message();
  }
  boost::json::array of_names;
  for (const host::NameConflict &conflict : conflicts) {
    if (std::ranges::count(conflict.files, &candidate) != 0) {
      of_names.emplace_back(conflict.to_string());
    }
  }
  if (!of_names.empty()) {
    object["conflicts"] = std::move(of_names);
  }
  if (candidate.manifest) {
    object["version"] = candidate.manifest->version;
    object["vendor"] = candidate.manifest->vendor;
    object["conformance"] = command::to_json(conformance::check_certificate(candidate));
    boost::json::array devices;
    for (const host::ManifestDevice &device : candidate.manifest->devices) {
      devices.push_back({{"id", device.id},
                         {"name", device.name},
                         {"aliases", boost::json::value_from(device.aliases)},
                         {"extensions", boost::json::value_from(device.extensions)}});
    }
    object["devices"] = std::move(devices);
    boost::json::array front_ends;
    for (const host::ManifestFrontEnd &front_end : candidate.manifest->front_ends) {
      front_ends.push_back({{"name", front_end.name},
                            {"description", front_end.description},
                            {"endings", boost::json::value_from(front_end.endings)}});
    }
    object["front_ends"] = std::move(front_ends);
  }
  if (candidate.x_ray) {
    object["needed"] = boost::json::value_from(candidate.x_ray->needed);
    object["static_constructors"] = candidate.x_ray->static_constructors;
    object["sanitizers"] = boost::json::value_from(candidate.x_ray->sanitizers);
  }
  return object;
}

// Prints properties that are allowed, but useful to know when a plugin misbehaves.
void print_peculiarities(const host::XRay &x_ray) {
  if (x_ray.static_constructors != 0) {
    fmt::print("  static constructors that run when it is loaded: {}\n", x_ray.static_constructors);
  }
  if (!x_ray.sanitizers.empty()) {
    fmt::print("  built with sanitizers: {}\n", fmt::join(x_ray.sanitizers, ", "));
  }
}

void print_candidate(const host::Candidate &candidate, bool why) {
  if (candidate.refusal) {
    fmt::print("{}  {}\n", paint(Colour::Red, "refused"), candidate.refusal->to_string());
    return;
  }
  const host::Manifest &manifest = *candidate.manifest;
  for (const host::ManifestDevice &device : manifest.devices) {
    fmt::print(
        "{}  {} {}  (id {}; tiers {})\n  {}\n",
        paint(Colour::Bold, device.aliases.empty() ? device.id : fmt::format("{}", fmt::join(device.aliases, ", "))),
        device.name, manifest.version, device.id, fmt::join(device.extensions, " "), candidate.path);
  }
  for (const host::ManifestFrontEnd &front_end : manifest.front_ends) {
    fmt::print("{}  front end for {} ({}) {}\n  {}\n", paint(Colour::Bold, front_end.name), front_end.description,
               fmt::join(front_end.endings, " "), manifest.version, candidate.path);
  }
  if (const std::string conformance = describe(conformance::check_certificate(candidate)); !conformance.empty()) {
    fmt::print("  conformance {}\n", conformance);
  }
  if (candidate.distrust) {
    fmt::print("  {}  {}\n", paint(Colour::Red, "warning"), candidate.distrust->message());
  }
  if (why) {
    print_peculiarities(*candidate.x_ray);
  }
}

}  // namespace

int list_plugins(std::span<const std::string> arguments) {
  Options options(
      "plugins [NAME] [--why] [--json]",
      "Lists the backends that can be loaded by name, and the libraries with front ends (backplane formats),\n"
      "without running their code. With a name or a\n"
      "path: describes one backend with its options, memory spaces and queues, without accessing\n"
      "hardware; backplane instances lists the devices that are present. Files that other users can\n"
      "replace are refused, or loaded with a warning if they are given by their path;\n"
      "BACKPLANE_TRUST=refuse, warn or any decides for both.\n"
      "If a backend comes with a report of its conformance, its hashes are checked; \"checked\" means that\n"
      "backplane conform verify has run some of its cases on this machine.",
      "  backplane plugins\n"
      "  backplane plugins cpu\n"
      "  backplane plugins --why          also shows searched folders and refused files\n"
      "  BACKPLANE_PATH=/opt/acme backplane plugins\n"
      "  BACKPLANE_TRUST=warn backplane plugins\n");
  options.add()("why",
                "also print the folders that were searched, why files were refused, and peculiarities of the others")(
      "json", "print one JSON object per file, also for refused files");
  options.add_positional("name", 1);
  options.complete({"name"}, Completion::Backend);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (options.has("name")) {
    return describe_plugin(options.get<std::string>("name"), options.has("json"));
  }
  std::vector<std::string> directories = host::plugin_directories();
  std::vector<host::Candidate> candidates = host::scan(directories);
  const std::vector<host::NameConflict> conflicts = host::name_conflicts(candidates);
  bool why = options.has("why");
  if (options.has("json")) {
    for (const host::Candidate &candidate : candidates) {
      fmt::print("{}\n", boost::json::serialize(to_json(candidate, conflicts)));
    }
    return success;
  }
  if (why) {
    fmt::print("searched: {}\n", directories.empty() ? "nowhere: no plugin directory exists"
                                                     : fmt::format("{}", fmt::join(directories, " ")));
  }
  std::size_t refused = 0;
  for (const host::Candidate &candidate : candidates) {
    refused += candidate.refusal.has_value();
    if (why || !candidate.refusal || candidate.distrust) {
      print_candidate(candidate, why);
    }
  }
  for (const host::NameConflict &conflict : conflicts) {
    fmt::print("{}  {}\n", paint(Colour::Red, "conflict"), conflict.to_string());
  }
  if (refused == candidates.size()) {
    fmt::print("no backend can be loaded{}\n",
               why ? "" : "; backplane plugins --why lists the folders that were searched");
  } else if (refused != 0 && !why) {
    fmt::print("{} refused; backplane plugins --why says why\n",
               refused == 1 ? "1 file was" : fmt::format("{} files were", refused));
  }
  return success;
}

}  // namespace bp::command
