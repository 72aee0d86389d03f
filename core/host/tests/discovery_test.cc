#include "core/host/discovery.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>

#include "core/host/build_configuration.h"
#include "core/host/tests/test_plugins.h"
#include "tools/testing/skip.h"
#include "tools/testing/temporary_folder.h"

namespace bp::host {
namespace {

namespace filesystem = std::filesystem;

// Sets BACKPLANE_PATH during its lifetime.
class Environment {
 public:
  explicit Environment(const std::string &value) { ::setenv("BACKPLANE_PATH", value.c_str(), 1); }
  ~Environment() { ::unsetenv("BACKPLANE_PATH"); }
};

TEST_CASE("a name finds its plugin by file name, id and alias") {
  const testing::TemporaryFolder first, second;
  filesystem::copy(test_plugin("good"), second / "libbackplane_acme.so");
  const std::vector<std::string> directories = {first.path(), second.path()};
  for (const char *name : {"acme", "testing", "org.example.test"}) {
    const auto found = find_plugin(name, directories);
    REQUIRE(found.ok());
    CHECK(found->path == second / "libbackplane_acme.so");
  }
  const auto by_path = find_plugin(second / "libbackplane_acme.so", {});
  REQUIRE(by_path.ok());

  const auto nothing = find_plugin("acm", directories);
  REQUIRE_FALSE(nothing.ok());
  CHECK(nothing.error().code() == ErrorCode::NotFound);
  CHECK(nothing.error().to_string() == "no plugin answers to \"acm\", expected one of: testing\n  note: searched " +
                                           first.path() + ", " + second.path());
  CHECK_THAT(find_plugin("acme", {}).error().to_string(),
             Catch::StartsWith("no plugin answers to \"acme\", expected one of: none\n  note: there is no directory to "
                               "search"));
}

TEST_CASE("a refused file does not hide a good one, and keeps its reason") {
  const testing::TemporaryFolder first, second;
  filesystem::copy(test_plugin("extra_exports"), first / "libbackplane_acme.so");
  testing::write_file(first / "libnote.so", "not a plugin");
  testing::write_file(first / "readme.txt", "not even looked at");
  const std::string message = (first / "libbackplane_acme.so") +
                              ": exports 2 symbols besides bp_entry (first_extra, second_extra), expected none: link "
                              "with a version script";
  const auto refused = find_plugin("acme", {first.path()});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().to_string() == message + "\n  note: while looking for plugin \"acme\"");

  filesystem::copy(test_plugin("other_abi"), second / "libbackplane_acme.so");
  const auto both = find_plugin("acme", {first.path(), second.path()});
  REQUIRE_FALSE(both.ok());
  CHECK(both.error().to_string() == "none of the 2 files that answer to \"acme\" can be loaded\n  note: " + message +
                                        "\n  note: " + (second / "libbackplane_acme.so") +
                                        ": is built for version 2.0.0 of the plugin ABI, expected 1.x.x");

  filesystem::copy(test_plugin("good"), second / "good.so");
  filesystem::copy(test_plugin("cpu_feature"), second / "variant.so");
  const auto found = find_plugin("testing", {first.path(), second.path()});
  REQUIRE(found.ok());
  CHECK(found->path == second / "good.so");

  const std::vector<Candidate> all = scan({first.path(), second.path()});
  REQUIRE(all.size() == 5);
  CHECK(all[1].path == first / "libnote.so");
  CHECK(all[1].refusal->to_string() == (first / "libnote.so") + ": has 12 bytes, too few for an ELF shared library");
  CHECK_FALSE(all[2].refusal.has_value());  // good.so
  CHECK(all[4].refusal->message() == "needs 1 CPU features this machine does not have: teleportation");
  CHECK(all[4].manifest.has_value());
}

TEST_CASE("BACKPLANE_PATH replaces the built-in directories") {
  const std::vector<std::string> usual = plugin_directories();
  // The test runs from the build directory, so that its plugins are found.
  CHECK(std::ranges::any_of(usual, [](const std::string &path) { return path.ends_with("/plugins/null"); }));
  const Environment environment("::" + test_plugin_directory() + ":/no/such/folder:");
  CHECK(plugin_directories() == std::vector<std::string>{test_plugin_directory()});
}

TEST_CASE("an elevated process searches the built-in directory alone") {
  const Environment environment(test_plugin_directory());
  CHECK_FALSE(is_elevated());
  for (const std::string &path : plugin_directories(true)) {
    CHECK(path == plugin_directory);
  }
}

// Run by the test below as another user.
TEST_CASE("say what is searched", "[.]") {
  std::cout << (is_elevated() ? "elevated" : "as the user") << "\n";
  for (const std::string &path : plugin_directories()) {
    std::cout << "searched: " << path << "\n";
  }
}

TEST_CASE("a set-user-id program is elevated") {
  if (::geteuid() != 0) {
    return testing::skip("only root can make a program of another user");
  }
  constexpr uid_t nobody = 65534;
  const testing::TemporaryFolder folder;
  const std::string program = folder / "program";
  filesystem::copy(filesystem::read_symlink("/proc/self/exe"), program);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  REQUIRE(::chown(program.c_str(), nobody, nobody) == 0);
  REQUIRE(::chmod(program.c_str(), 04755) == 0);
  const Environment environment(test_plugin_directory());
  FILE *pipe = ::popen((program + " 'say what is searched'").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string said;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    said += static_cast<char>(c);
  }
  ::pclose(pipe);  // the exit code is ignored: a leak sanitizer does not work in such a process
  if (said.find("as the user") != std::string::npos) {
    return testing::skip("the file system or a sandbox ignores set-user-id");
  }
  CHECK_THAT(said, Catch::Contains("elevated"));
  CHECK_THAT(said, !Catch::Contains(test_plugin_directory()));
}

TEST_CASE("the X-ray tells static constructors and sanitizers") {
  const Candidate good = examine(test_plugin("good"));
  REQUIRE(good.x_ray.has_value());
  CHECK(good.x_ray->static_constructors == 0);
  CHECK(good.x_ray->sanitizers.empty());
  const Candidate constructors = examine(test_plugin("static_constructors"));
  REQUIRE(constructors.x_ray.has_value());
  CHECK(constructors.x_ray->static_constructors == 2);
  const Candidate sanitizers = examine(test_plugin("sanitizers"));
  REQUIRE(sanitizers.x_ray.has_value());
  CHECK(sanitizers.x_ray->sanitizers == std::vector<std::string>{"address", "memory", "thread", "undefined"});
}

TEST_CASE("a hundred plugins are listed in milliseconds", "[.benchmark]") {
  const testing::TemporaryFolder folder;
  for (int i = 0; i < 100; ++i) {
    filesystem::copy(test_plugin("good"), folder / ("libbackplane_" + std::to_string(i) + ".so"));
  }
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    REQUIRE(scan({folder.path()}).size() == 100);
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  WARN("scan of 100 plugins: " << best << " ms");
}

}  // namespace
}  // namespace bp::host
