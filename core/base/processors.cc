#include "core/base/processors.h"

#include <sched.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>
#include <vector>

namespace bp {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Reads two numbers, microseconds of a period and the period, from one file or from one file each.
double quota_in(const std::filesystem::path &quota_file, const std::filesystem::path &period_file) {
  std::ifstream file(quota_file);
  double quota = 0, period = 0;
  if (!(file >> quota)) {
    return unlimited;  // there is no such file, or it says "max"
  }
  if (period_file == quota_file) {
    file >> period;
  } else {
    std::ifstream(period_file) >> period;
  }
  return quota > 0 && period > 0 ? quota / period : unlimited;  // -1: no quota
}

}  // namespace

double processor_quota(std::string_view memberships, const std::string &folder) {
  double quota = unlimited;
  std::vector<std::string> lines;
  boost::split(lines, memberships, boost::is_any_of("\n"));
  for (const std::string &line : lines) {  // number:controllers:path
    std::vector<std::string> parts;
    boost::split(parts, line, boost::is_any_of(":"));
    if (parts.size() < 3) {
      continue;
    }
    std::vector<std::string> controllers;
    boost::split(controllers, parts[1], boost::is_any_of(","));
    const bool is_second_version = parts[1].empty();
    if (!is_second_version && std::ranges::find(controllers, "cpu") == controllers.end()) {
      continue;
    }
    const std::filesystem::path root = std::filesystem::path(folder) / parts[1];
    std::filesystem::path group = std::filesystem::path(parts[2]).lexically_normal();
    // In a container, the path may be one outside of it, whose last existing part is the container's own.
    while (true) {
      const std::filesystem::path directory = root / group.relative_path();
      quota = std::min(quota, is_second_version
                                  ? quota_in(directory / "cpu.max", directory / "cpu.max")
                                  : quota_in(directory / "cpu.cfs_quota_us", directory / "cpu.cfs_period_us"));
      if (group == group.parent_path()) {
        break;
      }
      group = group.parent_path();
    }
  }
  return quota;
}

std::uint32_t usable_processors() {
  std::uint32_t count = std::max(1u, std::thread::hardware_concurrency());
  if (cpu_set_t set; sched_getaffinity(0, sizeof set, &set) == 0) {
    count = static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
  }
  std::ifstream file("/proc/self/cgroup");
  const std::string memberships{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const double quota = std::ceil(processor_quota(memberships, "/sys/fs/cgroup"));
  return quota < count ? std::max(1u, static_cast<std::uint32_t>(quota)) : count;
}

}  // namespace bp
