#include "core/host/trust.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/host/installation.h"

namespace bp::host {
namespace {

namespace filesystem = std::filesystem;

// Number of symbolic links that the system follows on the way to one file.
constexpr int max_links = 40;

// Follows a path from directory to directory, as the system does.
class Way {
 public:
  explicit Way(const std::string &path) : elevated_(is_elevated()), own_file_(elevated_ ? std::string() : own_file()) {
    std::error_code error;
    push(filesystem::absolute(path, error));
  }

  std::optional<std::string> judge() {
    while (!rest_.empty()) {
      const std::string name = std::move(rest_.back());
      rest_.pop_back();
      if (name == "..") {
        directory_ = directory_.parent_path();
      } else if (auto problem = step(name)) {
        return followed_.empty() ? problem : fmt::format("{} (by the link {})", *problem, followed_);
      }
    }
    return std::nullopt;
  }

 private:
  // Puts the parts of a path in front of those that are left.
  void push(const filesystem::path &path) {
    if (path.is_absolute()) {
      directory_ = "/";
    }
    std::vector<std::string> parts;
    for (const filesystem::path &part : path.relative_path()) {
      if (!part.empty() && part != ".") {
        parts.push_back(part.native());
      }
    }
    rest_.insert(rest_.end(), parts.rbegin(), parts.rend());
  }

  // Judges one entry of the current directory, and enters it.
  std::optional<std::string> step(const std::string &name) {
    const std::string entry = (directory_ / name).native();
    struct stat above{}, found{};
    if (::stat(directory_.c_str(), &above) != 0 || ::lstat(entry.c_str(), &found) != 0) {
      rest_.clear();  // whoever opens the file says why it cannot be
      return std::nullopt;
    }
    if (auto problem = judge_directory(above, entry, found)) {
      return problem;
    }
    if (S_ISLNK(found.st_mode)) {
      std::error_code error;
      const filesystem::path target = filesystem::read_symlink(entry, error);
      if (++links_ > max_links || error) {
        rest_.clear();
        return std::nullopt;
      }
      followed_ = fmt::format("{} to {}", entry, target.native());
      push(target);
      return std::nullopt;
    }
    directory_ = entry;
    return S_ISDIR(found.st_mode) ? std::nullopt : judge_file(entry, found);
  }

  std::optional<std::string> judge_directory(const struct stat &directory, const std::string &entry,
                                             const struct stat &found) const {
    const std::string &path = directory_.native();
    if (elevated_ && !is_own(directory)) {
      return foreign(path, directory, "chown root");
    }
    if ((directory.st_mode & S_IWOTH) == 0 ||
        ((directory.st_mode & S_ISVTX) == 0 && own_file_.starts_with(path == "/" ? path : path + "/"))) {
      return std::nullopt;
    }
    if ((directory.st_mode & S_ISVTX) == 0) {
      return fmt::format(
          "the directory {} has the mode {:04o}, with which everybody can replace {}, expected no write permission for "
          "others: chmod o-w {}",
          path, directory.st_mode & 07777, entry, path);
    }
    if (!is_own(found)) {
      return fmt::format(
          "{} belongs to user {} and is in {}, where everybody can create it, expected that it belongs to root or to "
          "user {}: copy the plugin to a directory of your own",
          entry, found.st_uid, path, geteuid());
    }
    return std::nullopt;
  }

  std::optional<std::string> judge_file(const std::string &path, const struct stat &found) const {
    if ((found.st_mode & S_IWOTH) != 0) {
      return fmt::format("the file {} has the mode {:04o}, expected no write permission for others: chmod o-w {}", path,
                         found.st_mode & 07777, path);
    }
    return elevated_ && !is_own(found) ? std::optional(foreign(path, found, "chown root")) : std::nullopt;
  }

  static bool is_own(const struct stat &found) { return found.st_uid == 0 || found.st_uid == geteuid(); }
  static std::string foreign(const std::string &path, const struct stat &found, std::string_view remedy) {
    return fmt::format(
        "{} belongs to user {}, expected root or user {}, because this process has more rights than its user: {} {}",
        path, found.st_uid, geteuid(), remedy, path);
  }

  const bool elevated_;
  const std::string own_file_;
  filesystem::path directory_ = "/";
  std::vector<std::string> rest_;  // parts of the path, the last one first
  std::string followed_;           // the last link
  int links_ = 0;
};

}  // namespace

Result<TrustPolicy> trust_policy(TrustPolicy otherwise) {
  if (is_elevated()) {
    return TrustPolicy::Refuse;
  }
  const char *set = std::getenv("BACKPLANE_TRUST");
  const std::string_view value = set == nullptr ? "" : set;
  if (value.empty()) {
    return otherwise;
  }
  for (const auto &[name, policy] : {std::pair<std::string_view, TrustPolicy>{"refuse", TrustPolicy::Refuse},
                                     {"warn", TrustPolicy::Warn},
                                     {"any", TrustPolicy::Any}}) {
    if (value == name) {
      return policy;
    }
  }
  return invalid_input("BACKPLANE_TRUST is '{}', expected refuse, warn or any", value);
}

std::optional<std::string> how_others_replace(const std::string &path) {
  return Way(path).judge();
}

}  // namespace bp::host
