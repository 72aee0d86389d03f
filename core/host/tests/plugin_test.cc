// Loading: the life of a good plugin, and one clear message for each fault of a bad one (tests/plugins/plugin.c).
#include "core/host/plugin.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "core/host/diagnostics.h"
#include "core/host/tests/test_plugins.h"
#include "core/host/x_ray.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::host {
namespace {

// Loads a file and creates its first device.
Result<std::unique_ptr<Device>> open_file(const std::string &path, DeviceOptions options = {}) {
  BP_ASSIGN(const Candidate candidate, find_plugin(path, {}));
  BP_ASSIGN(std::shared_ptr<const Plugin> plugin, Plugin::load(candidate, AfterUse::Unload));
  const std::string id = plugin->manifest().devices[0].id;
  return Device::create(std::move(plugin), id, std::move(options));
}

// Returns the whole message, without the path it must begin with.
std::string refusal(const std::string &path, DeviceOptions options = {}) {
  const auto device = open_file(path, std::move(options));
  if (device.ok()) {
    return "accepted";
  }
  const std::string message = device.error().to_string();
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : "the path is missing: " + message;
}

bool is_mapped(const std::string &path) {
  return testing::read_file("/proc/self/maps").find(path) != std::string::npos;
}

TEST_CASE("each wrong plugin gets one clear message") {
  const std::pair<const char *, const char *> expected[] = {
      {"extra_exports",
       "exports 2 symbols besides bp_entry (first_extra, second_extra), expected none: link with a version script"},
      {"unique_symbol", "has 1 GNU_UNIQUE symbols (only_one), expected none: compile with -fno-gnu-unique"},
      {"no_entry", "does not export bp_entry, expected exactly that symbol"},
      {"no_manifest", "has no Backplane manifest, expected one (BP_PLUGIN_MANIFEST): not a plugin"},
      {"manifest_not_json", "manifest: is not JSON: syntax error"},
      {"imports_core",
       "imports 1 symbols of the core (_ZN2bp4core8functionEv), expected none: services come through bp_host"},
      {"text_relocation", "has text relocations, expected none: compile with -fPIC"},
      {"executable_stack", "requires an executable stack, expected none: link with -z noexecstack"},
      {"other_abi", "is built for version 2.0.0 of the plugin ABI, expected 1.x.x"},
      {"other_abi_in_code",
       "the manifest differs from the code: ABI version is \"1.3.0\" in the code, \"1.0.0\" in the manifest"},
      {"other_id",
       "the manifest differs from the code: device org.example.other: id is \"org.example.test\" in the code, "
       "\"org.example.other\" "
       "in "
       "the manifest"},
      {"other_extension",
       "the manifest differs from the code: device org.example.test: list of extensions is \"bp.kernels/1\" in the "
       "code, "
       "\"bp.queue/1\" in the manifest"},
      {"promised_extension",
       "the manifest differs from the code: device org.example.test lists bp.memory/1, but get_extension returns null"},
      {"answers_to_all", "device org.example.test: get_extension answers to an unknown id, expected null"},
      {"cpu_feature", "needs 1 CPU features this machine does not have: teleportation"},
      {"option", "device org.example.test: option 4 lacks a key, help, or a known type (it has type 7)"},
      {"null_function", "bp.kernels/1.find is null, expected a function"},
      {"no_factory", "has no factory \"bp.device-factory/1\", expected one"},
      {"init", "plugin org.example.test: init: internal error (unknown status 77): the licence has expired"},
      {"device_init",
       "plugin org.example.test: init of the device: device lost: the card does not answer\n  note: is the power on?"},
  };
  for (const auto &[name, message] : expected) {
    CHECK(refusal(test_plugin(name)) == message);
    CHECK_FALSE(is_mapped(test_plugin(name)));
  }
  CHECK_THAT(refusal(test_plugin("unresolved")),
             Catch::StartsWith("cannot be loaded: ") && Catch::Contains("function_that_is_nowhere"));
}

TEST_CASE("a file that is not a plugin is refused before it is loaded") {
  const testing::TemporaryFolder folder;
  const std::string good = testing::read_file(test_plugin("good"));
  REQUIRE(good.size() > 1000);
  const std::string path = folder / "libbackplane_broken.so";
  const auto refused = [&](std::string bytes) {
    testing::write_file(path, bytes);
    return refusal(path);
  };
  const auto patched = [&](std::size_t at, char value) {
    std::string bytes = good;
    bytes[at] = value;
    return refused(bytes);
  };
  CHECK(refused(good) == "accepted");
  CHECK(refused("") == "has 0 bytes, too few for an ELF shared library");
  CHECK(refused("#!/bin/sh\n" + std::string(100, ' ')) == "is not an ELF file, expected a shared library");
  CHECK(patched(18, 40) == "is made for ARM, expected x86-64");
  CHECK(patched(18, 99) == "is made for machine 99, expected x86-64");
  CHECK(patched(4, 1) == "is a 32-bit little-endian ELF file, expected 64-bit little-endian");
  CHECK(patched(5, 2) == "is a 64-bit big-endian ELF file, expected 64-bit little-endian");
  CHECK(patched(16, 2) == "is an ELF file of type 2, expected a shared library (type 3)");
  CHECK(patched(54, 1) == "has program headers of 1 bytes, expected 56");
  CHECK_THAT(refused(good.substr(0, 300)), Catch::Contains("is outside the file of 300 bytes"));

  CHECK(refusal(folder / "nothing.so") == "cannot be opened: No such file or directory");
  CHECK(refusal(folder.path()) == "is a directory, expected a shared library");
  CHECK(refusal("/dev/null") == "is not a regular file, expected a shared library");
}

TEST_CASE("any cut and many flips of a plugin end in a refusal or a plugin, never worse") {
  const std::string good = testing::read_file(test_plugin("good"));
  int accepted = 0;
  const auto look = [&](const std::string &bytes) {
    accepted += x_ray(MemoryBytes(std::as_bytes(std::span(bytes)))).ok() ? 1 : 0;
  };
  for (std::size_t size = 0; size < good.size(); size += 7) {
    look(good.substr(0, size));
  }
  std::uint32_t random = 1;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (int flips = 0; flips < 3; ++flips) {
      random = random * 1664525 + 1013904223;
      bytes[(random >> 8) % std::min<std::size_t>(bytes.size(), 1200)] ^= static_cast<char>(1 << (random & 7));
    }
    look(bytes);
  }
  CHECK(accepted > 0);
  CHECK(accepted < 20000);
}

TEST_CASE("a device lives: services, settings, extensions") {
  std::vector<std::string> logged;
  DeviceOptions options;
  options.settings = {{"speed", "high"}};
  options.host.log = [&](std::uint32_t severity, std::string_view message) {
    CHECK(severity == BP_LOG_INFO);
    logged.emplace_back(message);
  };
  options.host.threads = std::make_shared<ThreadPool>(3);
  {
    auto device = open_file(test_plugin("good"), options);
    REQUIRE(device.ok());
    CHECK((*device)->id() == "org.example.test");
    CHECK((*device)->target() == "test");
    CHECK((*device)->kernels() != nullptr);
    CHECK((*device)->memory() == nullptr);
    CHECK((*device)->compiler() == nullptr);
    CHECK((*device)->plugin().manifest().version == "1.2.3");
    const auto instances = (*device)->plugin().probe("org.example.test");
    REQUIRE(instances.ok());
    CHECK(*instances == 3);
    CHECK(is_mapped(test_plugin("good")));
  }
  CHECK_FALSE(is_mapped(test_plugin("good")));
  CHECK(logged == std::vector<std::string>{"threads: 3"});

  options.host.withdrawn = {BP_EXT_THREAD_POOL};
  CHECK(open_file(test_plugin("good"), options).ok());
  CHECK(logged.back() == "threads: 0");
  options.host.withdrawn = {BP_EXT_THREAD_POOL, BP_EXT_LOG};
  CHECK(open_file(test_plugin("good"), options).ok());
  CHECK(logged.size() == 2);

  options.settings = {{"colour", "red"}};
  CHECK(refusal(test_plugin("good"), options) ==
        "backend org.example.test has no option 'colour', expected speed, count, weight, dim");
  const auto with = [&](const std::string &key, const std::string &value) {
    options.settings = {{"speed", "low"}, {key, value}};
    return refusal(test_plugin("good"), options);
  };
  CHECK(with("speed", "medium") == "option speed of backend org.example.test is 'medium', expected one of high, low");
  CHECK(with("count", "2.5") == "option count of backend org.example.test is '2.5', expected integer");
  CHECK(with("weight", "heavy") == "option weight of backend org.example.test is 'heavy', expected real number");
  CHECK(with("dim", "yes") == "option dim of backend org.example.test is 'yes', expected 0 or 1");
  CHECK(with("weight", "-2.5e3") == "accepted");
}

TEST_CASE("plugins may be loaded a hundred times, and several times at once") {
  for (int i = 0; i < 100; ++i) {
    auto first = open_file(test_plugin("good"));
    auto second = open_file(test_plugin("good"));
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    *first = nullptr;
    REQUIRE((*second)->kernels() != nullptr);
  }
  CHECK_FALSE(is_mapped(test_plugin("good")));

  // The library is initialized again although it stays mapped.
  const Candidate candidate = examine(test_plugin("good"));
  for (int i = 0; i < 3; ++i) {
    auto plugin = Plugin::load(candidate, AfterUse::KeepMapped);
    REQUIRE(plugin.ok());
    REQUIRE(Device::create(*plugin, "org.example.test").ok());
  }
  CHECK(is_mapped(test_plugin("good")));
}

TEST_CASE("what a plugin reports becomes one error") {
  Diagnostics diagnostics;
  const bp_diag_t *sink = diagnostics.abi();
  sink->report(sink, BP_NO_MEMORY, 7, "needs 3 GiB");
  sink->report(sink, BP_NO_MEMORY, BP_NONE, nullptr);
  sink->report(sink, BP_NO_MEMORY, BP_NONE, (std::string(5000, 'x') + "\x1b").c_str());
  const Status result = diagnostics.result(BP_NO_MEMORY, "acme", "run");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::OutOfMemory);
  CHECK(result.error().message() == "plugin acme: run: out of memory: instruction 7: needs 3 GiB");
  REQUIRE(result.error().notes().size() == 2);
  CHECK(result.error().notes()[0] == "no reason given");
  CHECK(result.error().notes()[1] == std::string(2000, 'x') + "...");
  CHECK(diagnostics.result(BP_OK, "acme", "run").ok());
  CHECK(Diagnostics().result(BP_DEVICE_LOST, "acme", "run").error().to_string() ==
        "plugin acme: run: device lost: no reason given");
}

TEST_CASE("an exception of a plugin becomes an error") {
  Diagnostics known, unknown;
  const bp_status first = known.call([](const bp_diag_t *) -> bp_status { throw std::runtime_error("no\tdisk"); });
  CHECK(known.result(first, "acme", "run").error().to_string() ==
        "plugin acme: run: internal error: threw an exception: no disk");
  const bp_status second = unknown.call([](const bp_diag_t *) -> bp_status { throw 3; });
  CHECK(unknown.result(second, "acme", "run").error().to_string() ==
        "plugin acme: run: internal error: threw an exception");
}

}  // namespace
}  // namespace bp::host
