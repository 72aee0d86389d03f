#include "core/host/discovery.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>

#include "core/host/build_configuration.h"
#include "core/host/names.h"
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
  CHECK(nothing.error().to_string() ==
        "no plugin answers to \"acm\", expected one of: testing\n  note: searched " + first.path() + ", " +
            second.path() +
            "\n  note: for a plugin elsewhere, set BACKPLANE_PATH to its folder, or give "
            "its path, with a '/'");
  CHECK_THAT(find_plugin("acme", {}).error().to_string(),
             Catch::StartsWith("no plugin answers to \"acme\", expected one of: none\n  note: there is no directory to "
                               "search"));

  const filesystem::path before = filesystem::current_path();
  filesystem::current_path(second.path());
  const std::string of_file = find_plugin("libbackplane_acme.so", directories).error().to_string();
  filesystem::current_path(before);
  CHECK_THAT(of_file, Catch::EndsWith("\n  note: there is a file libbackplane_acme.so here: for a file write "
                                      "./libbackplane_acme.so"));
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

TEST_CASE("a file that others can replace is refused by name, and loaded by path with a warning") {
  const testing::TemporaryFolder folder;
  const std::string plugin = folder / "libbackplane_acme.so";
  filesystem::copy(test_plugin("good"), plugin);
  REQUIRE(::chmod(plugin.c_str(), 0646) == 0);
  const std::string how = plugin + ": others can replace this plugin: the file " + plugin +
                          " has the mode 0646, expected no write permission for others: chmod o-w " + plugin;
  const auto by_name = find_plugin("acme", {folder.path()});
  REQUIRE_FALSE(by_name.ok());
  CHECK(by_name.error().to_string() == how +
                                           "\n  note: BACKPLANE_TRUST=warn loads such plugins with a warning"
                                           "\n  note: while looking for plugin \"acme\"");
  const auto by_path = find_plugin(plugin, {});
  REQUIRE(by_path.ok());
  CHECK(by_path->warnings == std::vector<std::string>{how});
  CHECK_FALSE(find_plugin(plugin, {}, TrustPolicy::Refuse).ok());

  const auto with = [&](const char *policy) {
    ::setenv("BACKPLANE_TRUST", policy, 1);
    const auto found = find_plugin("acme", {folder.path()}), given = find_plugin(plugin, {});
    ::unsetenv("BACKPLANE_TRUST");
    return fmt::format("{}, {}", found.ok() ? std::to_string(found->warnings.size()) : "refused",
                       given.ok() ? std::to_string(given->warnings.size()) : given.error().message().substr(0, 24));
  };
  CHECK(with("") == "refused, 1");
  CHECK(with("refuse") == "refused, others can replace this ");
  CHECK(with("warn") == "1, 1");
  CHECK(with("any") == "0, 0");
  CHECK(with("all") == "refused, BACKPLANE_TRUST is 'all'");
}

TEST_CASE("a plugin is refused for directories and links that others can replace") {
  const testing::TemporaryFolder folder;
  const auto place = [&](const std::string &directory, ::mode_t mode) {
    filesystem::create_directories(folder / directory);
    filesystem::copy(test_plugin("good"), folder / (directory + "/libbackplane_acme.so"));
    REQUIRE(::chmod((folder / directory).c_str(), mode) == 0);
    return how_others_replace(folder / (directory + "/libbackplane_acme.so")).value_or("not at all");
  };
  CHECK(place("usual", 0755) == "not at all");
  CHECK(place("of_a_group", 02775) == "not at all");
  CHECK(place("private", 0700) == "not at all");
  CHECK(place("like_tmp", 01777) == "not at all");
  CHECK(place("open", 0777) == "the directory " + folder / "open" +
                                   " has the mode 0777, with which everybody can "
                                   "replace " +
                                   folder / "open/libbackplane_acme.so" +
                                   ", expected no write permission for others: chmod o-w " + folder / "open");
  CHECK_THAT(place("open/usual", 0755), Catch::StartsWith("the directory " + folder / "open" + " has the mode 0777"));
  filesystem::create_directory_symlink("../open", folder / "usual/inside");
  CHECK_THAT(how_others_replace(folder / "usual/inside/libbackplane_acme.so").value_or("not at all"),
             Catch::StartsWith("the directory " + folder / "open" + " has the mode 0777") &&
                 Catch::EndsWith(" (by the link " + folder / "usual/inside" + " to ../open)"));
  filesystem::create_symlink(folder / "open/libbackplane_acme.so", folder / "usual/libbackplane_link.so");
  CHECK_THAT(how_others_replace(folder / "usual/libbackplane_link.so").value_or("not at all"),
             Catch::StartsWith("the directory " + folder / "open"));
  CHECK_FALSE(how_others_replace(folder / "absent.so").has_value());
  filesystem::create_symlink("circle.so", folder / "circle.so");
  CHECK_FALSE(how_others_replace(folder / "circle.so").has_value());
  if (::geteuid() != 0) {
    return testing::skip("only root can make files of another user");
  }
  const std::string foreign = folder / "like_tmp/libbackplane_acme.so";
  REQUIRE(::lchown(foreign.c_str(), 65534, 65534) == 0);
  CHECK(how_others_replace(foreign) ==
        foreign + " belongs to user 65534 and is in " + folder / "like_tmp" +
            ", where everybody can create it, expected that it belongs to root or to user 0: copy the plugin to a "
            "directory of your own");
  REQUIRE(::lchown((folder / "usual/libbackplane_acme.so").c_str(), 65534, 65534) == 0);
  CHECK_FALSE(how_others_replace(folder / "usual/libbackplane_acme.so").has_value());
}

// Run by the test below from another place.
TEST_CASE("say how others replace the plugin of the test", "[.]") {
  const char *plugin = std::getenv("BACKPLANE_TESTED_PLUGIN");
  const std::string how = how_others_replace(plugin == nullptr ? "" : plugin).value_or("not at all");
  std::cout << "answer: " << how << "\n";
}

TEST_CASE("a directory that also holds Backplane is not judged") {
  const testing::TemporaryFolder folder;
  for (const char *part : {"open/bin", "open/plugins"}) {
    filesystem::create_directories(folder / part);
  }
  filesystem::copy(own_file(), folder / "open/bin/program");
  filesystem::copy(test_plugin("good"), folder / "open/plugins/libbackplane_acme.so");
  const auto ask = [&] {
    const std::string command = fmt::format("BACKPLANE_TESTED_PLUGIN={} {} 'say how others replace*'",
                                            folder / "open/plugins/libbackplane_acme.so", folder / "open/bin/program");
    FILE *pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string said;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
      said += static_cast<char>(c);
    }
    ::pclose(pipe);
    return said;
  };
  REQUIRE(::chmod((folder / "open").c_str(), 0777) == 0);
  CHECK_THAT(ask(), Catch::Contains("answer: not at all"));
  REQUIRE(::chmod((folder / "open/plugins").c_str(), 0777) == 0);
  CHECK_THAT(ask(), Catch::Contains("answer: the directory " + folder / "open/plugins" + " has the mode 0777"));
}

// Writes a plugin with another id and alias in its manifest.
void write_renamed(const std::string &path, const std::string &id, const std::string &alias) {
  std::ifstream file(test_plugin("good"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t begin = bytes.find("{\"abi\""), end = bytes.find('\0', begin);
  std::string manifest = R"({"abi":"1.0.0","version":"1","opset":1,"devices":[{"id":")" + id + R"(","aliases":[")" +
                         alias + R"("],"name":"T","extensions":["bp.kernels/1"]}]})";
  REQUIRE(manifest.size() <= end - begin);
  manifest.resize(end - begin, ' ');
  testing::write_file(path, bytes.replace(begin, end - begin, manifest));
}

TEST_CASE("a name of several files is never taken in silence") {
  const testing::TemporaryFolder first, second, third;
  const std::string own = first / "libbackplane_acme.so", older = second / "libbackplane_acme.so",
                    other = third / "other.so";
  write_renamed(own, "com.acme.one", "acme");
  const std::vector<std::string> directories = {first.path(), second.path(), third.path()};
  REQUIRE(find_plugin("acme", directories).ok());
  CHECK(find_plugin("acme", directories)->warnings.empty());
  filesystem::create_symlink(own, second / "libbackplane_acme.so");  // the same file
  CHECK(find_plugin("acme", directories)->warnings.empty());
  filesystem::remove(older);

  write_renamed(older, "com.acme.one", "acme");
  const auto shadowing = find_plugin("acme", directories);
  REQUIRE(shadowing.ok());
  CHECK(shadowing->path == own);
  CHECK(shadowing->warnings == std::vector<std::string>{"\"acme\" is the name of 2 files: " + own + " is used, not " +
                                                        older + "; remove one, or give the other by its path"});
  const std::vector<Candidate> both = scan(directories);
  REQUIRE(name_conflicts(both).size() == 1);
  CHECK(name_conflicts(both)[0].names == std::vector<std::string>{"com.acme.one", "acme"});

  write_renamed(other, "org.other", "acme");
  const auto ambiguous = find_plugin("acme", directories);
  REQUIRE_FALSE(ambiguous.ok());
  CHECK(ambiguous.error().to_string() == "\"acme\" is the name of 2 plugins: " + own + " (com.acme.one) and " + other +
                                             " (org.other), expected one; give the id of the device, or the path");
  CHECK(find_plugin("org.other", directories).ok());
  CHECK(find_plugin(other, {}).ok());
}

TEST_CASE("the names of reference backends belong to them") {
  const testing::TemporaryFolder first, second;
  const std::string taker = first / "acme.so";
  write_renamed(taker, "com.acme", "npu");
  const std::vector<std::string> directories = {first.path(), second.path()};
  const auto taken = find_plugin("npu", directories);
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().to_string() == taker +
                                         " takes the name \"npu\", expected another alias: that is the reference "
                                         "backend dev.backplane.npu; give its id com.acme, or its path");
  CHECK(find_plugin("com.acme", directories).ok());
  write_renamed(second / "real.so", "dev.backplane.npu", "npu");
  const auto real = find_plugin("npu", directories);
  REQUIRE(real.ok());
  CHECK(real->path == second / "real.so");
  REQUIRE(real->warnings.size() == 1);
  CHECK_THAT(real->warnings[0], Catch::StartsWith(taker) && Catch::Contains(second / "real.so"));
  const std::vector<Candidate> all = scan(directories);
  CHECK(name_conflicts(all).size() == 1);

  write_renamed(second / "core.so", "com.core", "interpreter");
  CHECK_THAT(find_plugin("interpreter", directories).error().to_string(),
             Catch::Contains("that is the core's interpreter; give its id com.core, or its path"));
  filesystem::copy(test_plugin("good"), second / "libbackplane_cpu.so");
  CHECK_THAT(find_plugin("cpu", directories).error().to_string(),
             Catch::Contains("that is the reference backend dev.backplane.cpu; give its id org.example.test"));
}

TEST_CASE("all names of the backends of this build are theirs") {
  const testing::TemporaryFolder folder;
  for (const Candidate &candidate : scan(plugin_directories())) {
    if (!candidate.manifest.has_value()) {
      continue;  // a library that is not a plugin
    }
    for (const ManifestDevice &device : candidate.manifest->devices) {
      for (const std::string &alias : device.aliases) {
        INFO(alias);
        write_renamed(folder / "taker.so", "com.acme", alias);
        CHECK(find_plugin(alias, {folder.path()}).ok() != device.id.starts_with("dev.backplane."));
      }
    }
  }
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
