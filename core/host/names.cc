#include "core/host/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace bp::host {
namespace {

// A device "dev.backplane.NAME" has the name.
constexpr std::string_view reference_names[] = {"cpu",  "cpu-emulated", "interpreter", "kernels",     "npu",
                                                "null", "nvptx",        "primitives",  "rust-kernels"};
constexpr std::string_view in_core = "interpreter";

bool is_reserved(std::string_view name) {
  return std::ranges::count(reference_names, name) != 0;
}

bool may_have(const Candidate &candidate, std::string_view name) {
  return !is_reserved(name) || (name != in_core && candidate.id_for(name) == fmt::format("dev.backplane.{}", name));
}

std::string_view directory_of(const Candidate &candidate) {
  return std::string_view(candidate.path).substr(0, candidate.path.rfind('/'));
}

bool is_same_file(const Candidate &a, const Candidate &b) {
  std::error_code error;
  return a.path == b.path || std::filesystem::equivalent(a.path, b.path, error);
}

bool are_variants(const Candidate &a, const Candidate &b) {
  const auto features = [](const Candidate &candidate) {
    return std::set<std::string>(candidate.manifest->cpu_features.begin(), candidate.manifest->cpu_features.end());
  };
  return directory_of(a) == directory_of(b) && features(a) != features(b);
}

bool is_better_variant(const Candidate &candidate, const Candidate &best) {
  return directory_of(candidate) == directory_of(best) &&
         candidate.manifest->cpu_features.size() > best.manifest->cpu_features.size();
}

// Adds the conflict that `best` has with others, if there is one.
void add_conflict(std::string_view name, const std::vector<const Candidate *> &loadable, const Candidate &best,
                  std::vector<NameConflict> &conflicts) {
  std::vector<const Candidate *> strangers = {&best}, builds = {&best};
  for (const Candidate *candidate : loadable) {
    if (candidate->id_for(name) != best.id_for(name)) {
      strangers.push_back(candidate);
    } else if (!is_same_file(*candidate, best) && !are_variants(*candidate, best)) {
      builds.push_back(candidate);
    }
  }
  if (strangers.size() > 1) {
    conflicts.push_back({NameConflict::Kind::Ambiguous, {std::string(name)}, std::move(strangers)});
  } else if (builds.size() > 1) {
    conflicts.push_back({NameConflict::Kind::Shadowed, {std::string(name)}, std::move(builds)});
  }
}

std::vector<std::string> names_of(const Candidate &candidate) {
  std::vector<std::string> names;
  for (const ManifestDevice &device : candidate.manifest->devices) {
    names.push_back(device.id);
    names.insert(names.end(), device.aliases.begin(), device.aliases.end());
  }
  if (!candidate.name_of_file().empty()) {
    names.emplace_back(candidate.name_of_file());
  }
  return names;
}

}  // namespace

std::string NameConflict::to_string() const {
  const std::string quoted = fmt::format("\"{}\"", fmt::join(names, "\", \""));
  const char *are = names.size() == 1 ? "is the name" : "are names";
  std::vector<std::string> listed;
  for (const Candidate *file : files) {
    listed.push_back(kind == Kind::Ambiguous ? fmt::format("{} ({})", file->path, file->id_for(names[0])) : file->path);
  }
  constexpr std::size_t shown = 4;
  if (listed.size() > shown && kind != Kind::Reserved) {
    listed.resize(shown);
    listed.push_back(fmt::format("{} more", files.size() - shown));
  }
  switch (kind) {
    case Kind::Shadowed:
      return fmt::format("{} {} of {} files: {} is used, not {}; remove one, or give the other by its path", quoted,
                         are, files.size(), listed[0], fmt::join(listed.begin() + 1, listed.end(), " or "));
    case Kind::Ambiguous:
      return fmt::format("{} {} of {} plugins: {}, expected one; give the id of the device, or the path", quoted, are,
                         files.size(), fmt::join(listed, " and "));
    case Kind::Reserved:
      return fmt::format("{} takes the name {}, expected another alias: {}; give its id {}, or its path", listed[0],
                         quoted,
                         names[0] == in_core ? std::string("that is the core's interpreter")
                                             : fmt::format("that is the reference backend dev.backplane.{}{}", names[0],
                                                           files.size() == 1 ? "" : " in " + listed.back()),
                         files[0]->id_for(names[0]));
  }
  return {};
}

Named find_named(std::string_view name, std::span<const Candidate> candidates) {
  Named named;
  std::vector<const Candidate *> loadable, takers;
  for (const Candidate &candidate : candidates) {
    if (!candidate.answers_to(name)) {
      continue;
    }
    if (candidate.refusal.has_value()) {
      named.refused.push_back(&candidate);
      continue;
    }
    if (!may_have(candidate, name)) {
      takers.push_back(&candidate);
      continue;
    }
    loadable.push_back(&candidate);
    if (named.best == nullptr || is_better_variant(candidate, *named.best)) {
      named.best = &candidate;
    }
  }
  for (const Candidate *taker : takers) {
    named.conflicts.push_back({NameConflict::Kind::Reserved, {std::string(name)}, {taker}});
    if (named.best != nullptr) {
      named.conflicts.back().files.push_back(named.best);
    }
  }
  if (named.best != nullptr) {
    add_conflict(name, loadable, *named.best, named.conflicts);
  }
  return named;
}

std::vector<NameConflict> name_conflicts(std::span<const Candidate> candidates) {
  std::vector<NameConflict> all;
  std::set<std::string> seen;
  for (const Candidate &candidate : candidates) {
    if (candidate.refusal.has_value()) {
      continue;
    }
    for (const std::string &name : names_of(candidate)) {
      if (!seen.insert(name).second) {
        continue;
      }
      for (NameConflict &conflict : find_named(name, candidates).conflicts) {
        const auto same = std::ranges::find_if(all, [&](const NameConflict &other) {
          return other.kind == conflict.kind && other.files == conflict.files &&
                 conflict.kind != NameConflict::Kind::Reserved;
        });
        if (same == all.end()) {
          all.push_back(std::move(conflict));
        } else {
          same->names.push_back(name);
        }
      }
    }
  }
  return all;
}

}  // namespace bp::host
