#include "core/base/processors.h"

#include <sched.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <thread>

#include "tools/testing/temporary_folder.h"

namespace bp {
namespace {

void add_file(const std::filesystem::path &path, const std::string &content) {
  std::filesystem::create_directories(path.parent_path());
  testing::write_file(path, content + "\n");
}

TEST_CASE("the quota of a process is the least one of its control group and of those around it") {
  const testing::TemporaryFolder folder;
  const std::string root = folder.path();
  CHECK(std::isinf(processor_quota("", root)));
  CHECK(std::isinf(processor_quota("0::/a/b\n", root)));
  add_file(root + "/a/b/cpu.max", "max 100000");
  CHECK(std::isinf(processor_quota("0::/a/b\n", root)));
  add_file(root + "/a/cpu.max", "150000 100000");
  CHECK(processor_quota("0::/a/b\n", root) == 1.5);
  CHECK(std::isinf(processor_quota("0::/other\n", root)));
  add_file(root + "/a/b/cpu.max", "5000 100000");
  CHECK(processor_quota("0::/a/b\n", root) == 0.05);
  add_file(root + "/cpu.max", "1000 100000");
  CHECK(processor_quota("0::/a/b\n", root) == 0.01);
}

TEST_CASE("control groups of the first version have a quota, too") {
  const testing::TemporaryFolder folder;
  const std::string root = folder.path();
  add_file(root + "/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  add_file(root + "/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  const std::string memberships = "12:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/\n";
  CHECK(std::isinf(processor_quota(memberships, root)));
  add_file(root + "/cpu,cpuacct/job/cpu.cfs_quota_us", "250000");
  CHECK(processor_quota(memberships, root) == 2.5);
  // As a container sees it, whose own group is mounted as the root.
  add_file(root + "/cpu,cpuacct/cpu.cfs_quota_us", "50000");
  add_file(root + "/cpu,cpuacct/cpu.cfs_period_us", "100000");
  CHECK(processor_quota("4:cpu,cpuacct:/docker/1234\n", root) == 0.5);
}

TEST_CASE("lines that name no group, and files that hold no numbers, are no quota") {
  const testing::TemporaryFolder folder;
  const std::string root = folder.path();
  add_file(root + "/a/cpu.max", "many");
  for (const char *memberships : {"0", "0:", "::", "0::", "0::/a", "x:cpu", "0::/../../..\n", "0::a/../b"}) {
    CHECK(std::isinf(processor_quota(memberships, root)));
  }
  add_file(root + "/a/cpu.max", "100000 0");
  CHECK(std::isinf(processor_quota("0::/a", root)));
}

TEST_CASE("a thread that may run on one processor sees one") {
  std::uint32_t seen = 0;
  std::thread([&] {
    cpu_set_t all, one;
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &all)) {
        CPU_SET(i, &one);
      }
    }
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    seen = usable_processors();
  }).join();
  CHECK(seen == 1);
  CHECK(usable_processors() >= 1);
}

}  // namespace
}  // namespace bp
