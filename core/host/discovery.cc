#include "core/host/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/host/build_configuration.h"
#include "core/host/names.h"

namespace bp::host {
namespace {

namespace filesystem = std::filesystem;

constexpr std::string_view file_suffix = ".so";

bool holds_files(const filesystem::path &path) {
  std::error_code error;
  return filesystem::is_directory(path, error);
}

// Returns the entries of a directory, sorted by name; empty if it cannot be read.
std::vector<filesystem::path> entries(const filesystem::path &directory) {
  std::vector<filesystem::path> paths;
  std::error_code error;
  filesystem::directory_iterator at(directory, error);
  for (const filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    paths.push_back(at->path());
  }
  std::ranges::sort(paths);
  return paths;
}

void add_build_directories(std::vector<std::string> &directories) {
  if (const std::string build = build_directory(); !build.empty()) {
    for (const filesystem::path &path : entries(filesystem::path(build) / "plugins")) {
      if (holds_files(path)) {
        directories.push_back(path.string());
      }
    }
  }
}

Status check_fit(const Manifest &manifest) {
  constexpr bp_version_t own = BP_VERSION_INIT;
  if (manifest.abi.major != own.major) {
    return Error(ErrorCode::Unsupported, fmt::format("is built for version {} of the plugin ABI, expected {}.x.x",
                                                     to_string(manifest.abi), own.major));
  }
  const std::vector<std::string> missing = missing_cpu_features(manifest.cpu_features);
  if (!missing.empty()) {
    return Error(ErrorCode::Unsupported, fmt::format("needs {} CPU features this machine does not have: {}",
                                                     missing.size(), fmt::join(missing, ", ")));
  }
  return {};
}

// Fills in everything that can be determined; the error is the refusal.
Status examine_into(Candidate &candidate) {
  BP_ASSIGN(const FileBytes bytes, FileBytes::open(candidate.path));
  BP_ASSIGN(candidate.x_ray, x_ray(bytes));
  BP_ASSIGN(candidate.manifest, parse_manifest(candidate.x_ray->manifest));
  return check_fit(*candidate.manifest);
}

// Judges a file that can be loaded otherwise; `policy` says what follows.
Status check_trust(Candidate &candidate, const Result<TrustPolicy> &policy) {
  if (!policy.ok()) {
    return policy.error();
  }
  const auto how = *policy == TrustPolicy::Any ? std::nullopt : how_others_replace(candidate.path);
  if (!how.has_value()) {
    return {};
  }
  Error distrust(ErrorCode::Unsupported, "others can replace this plugin: " + *how);
  candidate.distrust = Error(distrust).at({candidate.path, 0, 0, {}});
  if (*policy == TrustPolicy::Warn) {
    candidate.warnings.push_back(candidate.distrust->to_string());
    return {};
  }
  return std::move(distrust).note("BACKPLANE_TRUST=warn loads such plugins with a warning");
}

// Says how to name a plugin that is not in the searched directories.
std::string how_to_name(std::string_view name) {
  std::error_code error;
  if (!name.empty() && filesystem::is_regular_file(filesystem::path(name), error)) {
    return fmt::format("there is a file {0} here: for a file write ./{0}", name);
  }
  return is_elevated() ? "a plugin elsewhere is given by its path, with a '/'"
                       : "for a plugin elsewhere, set BACKPLANE_PATH to its folder, or give its path, with a '/'";
}

// No plugin answers to the name: the error lists the names that exist.
Error not_found(std::string_view name, const std::vector<Candidate> &candidates,
                const std::vector<std::string> &directories) {
  std::vector<std::string> known;
  for (const Candidate &candidate : candidates) {
    if (candidate.refusal.has_value()) {
      continue;
    }
    for (const ManifestDevice &device : candidate.manifest->devices) {
      known.push_back(device.aliases.empty() ? device.id : device.aliases[0]);
    }
  }
  const std::string there = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "));
  Error error(ErrorCode::NotFound, fmt::format("no plugin answers to \"{}\", expected one of: {}", name, there));
  if (!directories.empty()) {
    return std::move(error).note(fmt::format("searched {}", fmt::join(directories, ", "))).note(how_to_name(name));
  }
  const char *path = is_elevated() ? nullptr : std::getenv("BACKPLANE_PATH");
  return std::move(error)
      .note(path == nullptr || *path == '\0'
                ? "there is no directory to search"
                : fmt::format("there is no directory to search: BACKPLANE_PATH is '{}'", path))
      .note(how_to_name(name));
}

// Returns the only candidate's refusal, or an error with all refusals as notes.
Error all_refused(std::string_view name, const std::vector<const Candidate *> &answering) {
  if (answering.size() == 1) {
    return Error(*answering[0]->refusal).note(fmt::format("while looking for plugin \"{}\"", name));
  }
  Error error(ErrorCode::NotFound,
              fmt::format("none of the {} files that answer to \"{}\" can be loaded", answering.size(), name));
  for (const Candidate *candidate : answering) {
    error = std::move(error).note(candidate->refusal->to_string());
  }
  return error;
}

}  // namespace

std::vector<std::string> plugin_directories(bool elevated) {
  std::vector<std::string> directories;
  const char *path = elevated ? nullptr : std::getenv("BACKPLANE_PATH");
  if (elevated) {
    directories.emplace_back(plugin_directory);
  } else if (path != nullptr && *path != '\0') {
    for (std::string_view rest = path; !rest.empty();) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end != 0) {
        directories.emplace_back(rest.substr(0, end));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  } else {
    directories.push_back(installed(plugin_directory));
    add_build_directories(directories);
  }
  std::erase_if(directories, [](const std::string &directory) { return !holds_files(directory); });
  return directories;
}

Candidate examine(const std::string &path, TrustPolicy otherwise) {
  Candidate candidate;
  candidate.path = path;
  Status fit = examine_into(candidate);
  if (fit.ok()) {
    fit = check_trust(candidate, trust_policy(otherwise));
  }
  if (!fit.ok()) {
    candidate.refusal = std::move(fit).error().at({path, 0, 0, {}});
  }
  return candidate;
}

std::vector<Candidate> scan(const std::vector<std::string> &directories, TrustPolicy otherwise) {
  std::vector<Candidate> candidates;
  for (const std::string &directory : directories) {
    for (const filesystem::path &path : entries(directory)) {
      if (path.native().ends_with(file_suffix)) {
        candidates.push_back(examine(path.native(), otherwise));
      }
    }
  }
  return candidates;
}

Result<Candidate> find_plugin(std::string_view name, const std::vector<std::string> &directories,
                              std::optional<TrustPolicy> otherwise) {
  if (name.find('/') != std::string_view::npos) {
    Candidate candidate = examine(std::string(name), otherwise.value_or(policy_for_paths));
    if (candidate.refusal.has_value()) {
      return *candidate.refusal;
    }
    return candidate;
  }
  const std::vector<Candidate> candidates = scan(directories, otherwise.value_or(policy_for_names));
  const Named named = find_named(name, candidates);
  for (const NameConflict &conflict : named.conflicts) {
    if (named.best == nullptr || conflict.kind == NameConflict::Kind::Ambiguous) {
      return Error(ErrorCode::Unsupported, conflict.to_string());
    }
  }
  if (named.best == nullptr) {
    return named.refused.empty() ? not_found(name, candidates, directories) : all_refused(name, named.refused);
  }
  Candidate best = *named.best;
  for (const Candidate *refused : named.refused) {
    if (refused->distrust.has_value()) {
      best.warnings.push_back(fmt::format("{}; {} is used", refused->distrust->to_string(), best.path));
    }
  }
  for (const NameConflict &conflict : named.conflicts) {
    best.warnings.push_back(conflict.to_string());
  }
  return best;
}

}  // namespace bp::host
