// From dlopen to dlclose: the rules of the headers about init, factory and device, checked directly at the ABI, each
// case in a process of its own. The first case uses the loader, as all later stages do.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <thread>

#include "conformance/suite/growth.h"
#include "conformance/suite/leak_cases.h"
#include "conformance/suite/library.h"
#include "conformance/suite/option_trials.h"
#include "conformance/suite/other_process.h"
#include "conformance/suite/process_state.h"
#include "conformance/suite/stage.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

// Uses a single thread, because threads of the core would hide those of the plugin.
host::HostOptions quiet_host() {
  host::HostOptions options;
  options.threads = std::make_shared<ThreadPool>(1);
  options.log = [](std::uint32_t, std::string_view) {};
  return options;
}

Status expect(bool holds, std::string_view what) {
  return holds ? Status() : Status(make_error(ErrorCode::PluginFailure, "{}", what));
}

// Runs `body` between init() and deinit(), with the factory.
Verdict with_factory(const Subject &subject, const std::function<Status(const bp_device_factory_t &)> &body) {
  const auto run = [&]() -> Status {
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    BP_TRY(library.init());
    BP_ASSIGN(const bp_device_factory_t *factory, library.factory());
    BP_TRY(body(*factory));
    library.deinit();
    return {};
  };
  return verdict_of(run());
}

// Returns an initialized device with the settings of the user.
Result<OwnedDevice> make_ready(const bp_device_factory_t &factory, const host::HostServices &services,
                               const Subject &subject) {
  std::vector<bp_option_t> options;
  for (const auto &[key, value] : subject.choice().settings) {
    options.push_back({key.c_str(), value.c_str()});
  }
  return make_device(factory, services.abi(), subject.device_id(), options);
}

Verdict with_device(const Subject &subject, const std::function<Status(const bp_device_t &)> &body) {
  const host::HostServices services(quiet_host());
  return with_factory(subject, [&](const bp_device_factory_t &factory) -> Status {
    BP_ASSIGN(const OwnedDevice device, make_ready(factory, services, subject));
    return body(*device);
  });
}

// BP-MANIFEST-02 and everything else that the loader compares.
Result<std::unique_ptr<host::Device>> load_device(const Subject &subject) {
  BP_ASSIGN(auto plugin, host::Plugin::load(subject.candidate(), host::AfterUse::Unload, subject.layers()));
  host::DeviceOptions options;
  options.settings = subject.choice().settings;
  options.host = quiet_host();
  return host::Device::create(std::move(plugin), subject.device_id(), std::move(options));
}

Verdict loads(Subject &subject) {
  const auto device = load_device(subject);
  return device.ok() ? Verdict() : failure(device.error().to_string());
}

Verdict loads_by_every_name(Subject &subject) {
  const std::string folder = subject.path().substr(0, subject.path().rfind('/') + 1);
  for (const host::ManifestDevice &device : subject.candidate().manifest->devices) {
    std::vector<std::string> names = device.aliases;
    names.push_back(device.id);
    for (const std::string &name : names) {
      const auto found = host::find_plugin(name, {folder.empty() ? "." : folder}, host::TrustPolicy::Warn);
      if (!found.ok()) {
        return failure(found.error().to_string());
      }
    }
  }
  return {};
}

// BP-ENTRY-02.
Verdict loads_passively(Subject &subject) {
  const ProcessState before = look_at_process();
  const std::int64_t written = output_size();
  const int threads = count_threads();
  const auto library = Library::open(subject.path(), subject.layers());
  if (!library.ok()) {
    return failure(library.error().to_string());
  }
  if (count_threads() > threads) {
    return failure("BP-ENTRY-02: loading it starts a thread");
  }
  const std::string what = difference(before, look_at_process()), text = output_after(written);
  return what.empty() && text.empty() ? Verdict()
                                      : failure(fmt::format("BP-ENTRY-02: loading it has an effect: {}",
                                                            what.empty() ? "it writes " + text : what));
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The machine may be busy: the fastest of a few calls counts, and for the first call the CPU time of this process.
Verdict init_is_quick(Subject &subject) {
  const auto run = [&]() -> Status {
    constexpr double most = 0.010;
    const int threads = count_threads();
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    double least = 1e9, first_processor_seconds = 0;
    for (int i = 0; i < 5; ++i) {
      const double start = wall_seconds();
      const std::clock_t processor = std::clock();
      BP_TRY(library.init());
      if (i == 0) {
        first_processor_seconds = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
      }
      least = std::min(least, wall_seconds() - start);
      BP_TRY(expect(count_threads() <= threads, "BP-INIT-01: init() starts a thread"));
      library.deinit();
    }
    const double seconds = std::max(least, first_processor_seconds);
    return expect(seconds < most, fmt::format("BP-INIT-01: init() takes {:.1f} ms, expected under 10", seconds * 1e3));
  };
  return verdict_of(run());
}

Status makes_a_device(const Library &library, const Subject &subject) {
  const host::HostServices services(quiet_host());
  BP_ASSIGN(const bp_device_factory_t *factory, library.factory());
  BP_ASSIGN(const OwnedDevice device, make_ready(*factory, services, subject));
  return {};
}

Verdict init_nests(Subject &subject) {
  const auto run = [&]() -> Status {
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    BP_TRY(library.init());
    BP_TRY(library.init());
    BP_TRY(makes_a_device(library, subject));
    library.deinit();
    BP_TRY(makes_a_device(library, subject));
    library.deinit();
    return {};
  };
  return verdict_of(run());
}

Verdict init_follows_deinit(Subject &subject) {
  const auto run = [&]() -> Status {
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    for (int i = 0; i < 3; ++i) {
      BP_TRY(library.init());
      BP_TRY(makes_a_device(library, subject));
      library.deinit();
    }
    return {};
  };
  return verdict_of(run());
}

Verdict knows_its_factory_alone(Subject &subject) {
  const auto run = [&]() -> Status {
    BP_ASSIGN(const Library library, Library::open(subject.path(), subject.layers()));
    BP_TRY(library.init());
    for (const char *id : {"", "bp.device-factory/2", "bp.device-factory/", "bp.not-a-factory/1"}) {
      BP_TRY(expect(library.entry().get_factory(id) == nullptr,
                    fmt::format("BP-ENTRY-04: get_factory(\"{}\") is not null, expected null", id)));
    }
    library.deinit();
    return {};
  };
  return verdict_of(run());
}

Verdict counts_its_devices(Subject &subject) {
  return with_factory(subject, [&](const bp_device_factory_t &factory) -> Status {
    const std::size_t expected = subject.candidate().manifest->devices.size();
    for (int i = 0; i < 3; ++i) {
      BP_TRY(expect(
          factory.count(&factory) == expected,
          fmt::format("BP-FACTORY-01: count() is {}, the manifest lists {}", factory.count(&factory), expected)));
    }
    return {};
  });
}

Verdict describes_its_devices(Subject &subject) {
  return with_factory(subject, [](const bp_device_factory_t &factory) -> Status {
    const std::uint32_t count = factory.count(&factory);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bp_device_desc_t *first = factory.get_desc(&factory, i);
      BP_TRY(expect(first != nullptr && first == factory.get_desc(&factory, i),
                    fmt::format("BP-FACTORY-02: get_desc({}) is null, or differs between two calls", i)));
    }
    for (const std::uint32_t index : {count, count + 1, BP_NONE}) {
      BP_TRY(expect(factory.get_desc(&factory, index) == nullptr,
                    fmt::format("BP-FACTORY-02: get_desc({}) of {} is not null, expected null", index, count)));
    }
    return {};
  });
}

Verdict refuses_unknown_devices(Subject &subject) {
  const host::HostServices services(quiet_host());
  return with_factory(subject, [&](const bp_device_factory_t &factory) -> Status {
    for (const std::string &id : {std::string("bp.no-such-device"), subject.device_id() + "x", std::string()}) {
      const auto device = make_device(factory, services.abi(), id, {}, false);
      BP_TRY(expect(!device.ok(), fmt::format("create(\"{}\") makes a device, expected null", id)));
      std::uint32_t instances = 0;
      host::Diagnostics diagnostics;
      const bp_status status = diagnostics.call(
          [&](const bp_diag_t *diag) { return factory.probe(&factory, id.c_str(), &instances, diag); });
      BP_TRY(
          expect(status != BP_OK || instances == 0,
                 fmt::format("BP-PROBE-01: probe(\"{}\") counts {} devices, but create() makes none", id, instances)));
    }
    return {};
  });
}

// BP-DEVICE-03. A device that does not exist fails in create() or in init(). Offline, and without init(), destroy()
// must work all the same.
Verdict destroys_what_failed(Subject &subject) {
  const host::HostServices services(quiet_host());
  return with_factory(subject, [&](const bp_device_factory_t &factory) -> Status {
    for (const std::uint32_t instance : {0u, 1'000'000u, BP_NONE}) {
      for (const bool initialize : {false, true}) {
        host::Diagnostics diagnostics;
        OwnedDevice device;
        diagnostics.call([&](const bp_diag_t *diag) -> bp_status {
          device.reset(
              factory.create(&factory, services.abi(), subject.device_id().c_str(), instance, nullptr, 0, diag));
          return device != nullptr && initialize ? device->init(device.get(), diag) : BP_OK;
        });
      }
    }
    return {};
  });
}

// A host that records whether it was called.
Verdict creates_in_silence(Subject &subject) {
  static bool called = false;
  called = false;
  bp_host_t host{};
  host.bp_version = BP_VERSION_INIT;
  host.name = "conformance";
  host.version = "1";
  host.get_extension = [](const bp_host_t *, const char *) noexcept -> const void * {
    called = true;
    return nullptr;
  };
  host.signal = [](const bp_host_t *, bp_point_t, bp_status, std::uint32_t, const char *) noexcept { called = true; };
  return with_factory(subject, [&](const bp_device_factory_t &factory) -> Status {
    BP_ASSIGN(const OwnedDevice device, make_device(factory, &host, subject.device_id(), {}, false));
    BP_TRY(expect(!called, "BP-CREATE-01: create() calls the host"));
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) { return device->init(device.get(), diag); });
    return diagnostics.result(status, subject.device_id(), "init without host services (BP-HOST-01)");
  });
}

// BP-PROBE-01. Every instance counted can be created; a machine has only a few.
Verdict probes(Subject &subject) {
  const host::HostServices services(quiet_host());
  return with_factory(subject, [&](const bp_device_factory_t &factory) -> Status {
    constexpr std::uint32_t unwritten = 0xfffffffe, most = 16;
    std::uint32_t instances = unwritten;
    host::Diagnostics diagnostics;
    const auto id = subject.device_id();
    const bp_status status =
        diagnostics.call([&](const bp_diag_t *diag) { return factory.probe(&factory, id.c_str(), &instances, diag); });
    BP_TRY(diagnostics.result(status, id, "probe"));
    BP_TRY(
        expect(instances != unwritten, "BP-PROBE-01: probe() returns BP_OK, but does not write the number of devices"));
    // All of them at the same time.
    std::vector<OwnedDevice> devices;
    for (std::uint32_t i = 0; i < std::min(instances, most); ++i) {
      OwnedDevice device;
      host::Diagnostics reports;
      const bp_status made = reports.call([&](const bp_diag_t *diag) -> bp_status {
        device.reset(factory.create(&factory, services.abi(), id.c_str(), i, nullptr, 0, diag));
        return device == nullptr ? bp_status{BP_INTERNAL} : device->init(device.get(), diag);
      });
      BP_TRY(
          expect(made == BP_OK, fmt::format("BP-PROBE-01: probe() counts {} devices, but {} for instance {}", instances,
                                            device == nullptr ? "create() returns null" : "init() fails", i)));
      devices.push_back(std::move(device));
      std::uint32_t again = unwritten;
      const bp_status asked =
          reports.call([&](const bp_diag_t *diag) { return factory.probe(&factory, id.c_str(), &again, diag); });
      BP_TRY(expect(asked == BP_OK && again == instances,
                    fmt::format("BP-PROBE-01: probe() counts {} devices, and {} while instance {} is used", instances,
                                again, i)));
    }
    return {};
  });
}

Verdict ends_its_threads(Subject &subject) {
  const host::HostServices services(quiet_host());
  return with_factory(subject, [&](const bp_device_factory_t &factory) -> Status {
    const int threads = count_threads();
    {
      BP_ASSIGN(const OwnedDevice device, make_ready(factory, services, subject));
    }
    return expect(count_threads() <= threads,
                  fmt::format("BP-DEVICE-02: {} threads survive destroy()", count_threads() - threads));
  });
}

Verdict has_a_target(Subject &subject) {
  return with_device(subject, [](const bp_device_t &device) {
    return expect(device.target != nullptr, "bp_device.target is null after init()");
  });
}

Verdict answers_to_known_ids_alone(Subject &subject) {
  return with_device(subject, [](const bp_device_t &device) -> Status {
    std::vector<std::string> unknown = {"", "/", "bp.", "bp.not-an-extension/1", "com.acme.unheard-of/7"};
    for (const char *const *feature = device.desc->features; *feature != nullptr; ++feature) {
      BP_TRY(expect(device.get_extension(&device, *feature) != nullptr,
                    fmt::format("BP-DEVICE-04: get_extension(\"{}\") is null, but the device lists it", *feature)));
      const std::string id = *feature;
      unknown.insert(unknown.end(),
                     {id.substr(0, id.size() - 1), id.substr(0, id.size() - 1) + "999", id + "0", "x" + id});
    }
    for (const std::string &id : unknown) {
      BP_TRY(expect(device.get_extension(&device, id.c_str()) == nullptr,
                    fmt::format("BP-DEVICE-04: get_extension(\"{}\") is not null, expected null", id)));
    }
    return {};
  });
}

Verdict keeps_its_extensions(Subject &subject) {
  return with_device(subject, [](const bp_device_t &device) -> Status {
    for (const char *const *feature = device.desc->features; *feature != nullptr; ++feature) {
      const void *first = device.get_extension(&device, *feature);
      const void *elsewhere = nullptr;
      std::thread([&] { elsewhere = device.get_extension(&device, *feature); }).join();
      BP_TRY(expect(first == elsewhere && first == device.get_extension(&device, *feature),
                    fmt::format("BP-DEVICE-05: get_extension(\"{}\") returns different pointers", *feature)));
    }
    return {};
  });
}

// Loads the plugin, runs a small program (on the host if the device does not claim it), and unloads the plugin.
Status live_once(const Subject &subject) {
  BP_ASSIGN(ir::Module module, text::parse_module("ENTRY main { x = f32[64] parameter(0)  y = f32[64] add(x, x)  "
                                                  "ROOT r = f32[64] multiply(y, x) }"));
  BP_ASSIGN(std::shared_ptr<const host::Device> device, load_device(subject));
  BP_ASSIGN(compile::Compiled compiled, compile::compile(std::move(module), device));
  BP_ASSIGN(ir::Literal argument, ir::Literal::zeros(ir::Shape::array(ir::ElementType::F32, {64})));
  BP_ASSIGN([[maybe_unused]] ir::Literal result, compiled.executable.run({std::move(argument)}));
  return {};
}

// Growth that does not count as a leak: the caches of the allocator and the loader keep a few blocks and pages.
constexpr std::int64_t heap_slack = 2048, heap_bytes_per_life = 16;
constexpr int mappings_slack = 5;
constexpr std::int64_t resident_slack = 64 << 10, resident_bytes_per_life = 1024;

// Loads and unloads `lives` times. Returns a description of what is left behind; empty if nothing.
Result<std::string> leak_of(const Subject &subject, int lives) {
  const int threads = count_threads(), files = count_files(), mappings = count_mappings();
  const std::int64_t heap = heap_bytes(), resident = resident_bytes();
  Status status;
  call_on_own_thread([&] {
    for (int i = 0; i < lives && status.ok(); ++i) {
      status = live_once(subject);
    }
  });
  BP_TRY(std::move(status));
  const int more_threads = count_threads() - threads, more_files = count_files() - files;
  const int more_mappings = count_mappings() - mappings;
  const std::int64_t more_heap = heap_bytes() - heap, more_resident = resident_bytes() - resident;
  return more_threads > 0
             ? fmt::format("BP-ENTRY-03: {} more threads after loading and unloading {} times", more_threads, lives)
         : more_files > 0
             ? fmt::format("BP-ENTRY-03: {} more open files after loading and unloading {} times", more_files, lives)
         : more_mappings > mappings_slack
             ? fmt::format("BP-ENTRY-03: {} more mappings after loading and unloading {} times", more_mappings, lives)
         : more_heap > heap_slack + heap_bytes_per_life * lives
             ? fmt::format("BP-ENTRY-03: loading and unloading {} times leaves {} more bytes on the heap", lives,
                           more_heap)
         : more_resident > resident_slack + resident_bytes_per_life * lives
             ? fmt::format("BP-ENTRY-03: loading and unloading {} times leaves {} more bytes of resident memory", lives,
                           more_resident)
             : "";
}

// The first loads fill the caches. Four clean rounds of a full run are a thousand loads of a plugin that loads quickly.
Verdict lives_many_times(Subject &subject) {
  const auto run = [&]() -> Status {
    constexpr double first_lives = 30, seconds_per_round = 15;
    const auto start = std::chrono::steady_clock::now();
    BP_ASSIGN([[maybe_unused]] const std::string filled, leak_of(subject, static_cast<int>(first_lives)));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const double lives = subject.is_full() ? first_lives * seconds_per_round / taken.count() : 0;
    Status status = judge_growth([&] { return leak_of(subject, static_cast<int>(std::clamp(lives, 10.0, 250.0))); });
    return status.ok() ? Status()
                       : Status(std::move(status).error().note("life_cycle/leaks/* measure each call alone"));
  };
  return verdict_of(run());
}

constexpr NamedCase life_cycle_cases[] = {
    {"load", loads},
    {"names", loads_by_every_name},
    {"BP-ENTRY-02", loads_passively},
    {"BP-INIT-01", init_is_quick},
    {"BP-INIT-02/nested", init_nests},
    {"BP-INIT-02/repeated", init_follows_deinit},
    {"unknown_factory", knows_its_factory_alone},
    {"BP-FACTORY-01", counts_its_devices},
    {"BP-FACTORY-02", describes_its_devices},
    {"probe", probes},
    {"unknown_device", refuses_unknown_devices},
    {"BP-CREATE-01", creates_in_silence},
    {"BP-CREATE-02", refuses_wrong_options},
    {"BP-CREATE-03", forgets_its_options},
    {"BP-DEVICE-02", ends_its_threads},
    {"BP-DEVICE-03", destroys_what_failed},
    {"target", has_a_target},
    {"BP-DEVICE-04", answers_to_known_ids_alone},
    {"BP-DEVICE-05", keeps_its_extensions},
    {"BP-ENTRY-03", lives_many_times},
};

constexpr std::string_view handed_over = "life_cycle/BP-LOAD-03", told_elsewhere = "life_cycle/BP-INSTANCE-02",
                           leaks = "life_cycle/leaks/";

std::vector<std::string> list_life_cycle(const Subject &subject) {
  if (subject.is_interpreter()) {
    return {};
  }
  std::vector<std::string> ids = list_cases("life_cycle", life_cycle_cases);
  if (subject.has("bp.compiler/1")) {
    ids.emplace_back(handed_over);
  }
  ids.emplace_back(told_elsewhere);
  for (const std::string &name : leak_cases(subject)) {
    ids.push_back(std::string(leaks) + name);
  }
  return ids;
}

Verdict run_life_cycle(Subject &subject, const std::string &id) {
  if (id == handed_over) {
    return loads_what_another_compiled(subject);
  }
  if (id == told_elsewhere) {
    return has_the_identities_of_another(subject);
  }
  return id.starts_with(leaks) ? run_leak_case(subject, std::string_view(id).substr(leaks.size()))
                               : run_case("life_cycle", life_cycle_cases, subject, id);
}

constexpr RuleCases rules_of_life_cycle[] = {
    {"BP-COUNTER-01", "life_cycle/load", "bp.counters/draft-1"},
    {"BP-MANIFEST-02", "life_cycle/load"},
    {"BP-ROUTINE-01", "life_cycle/load", "bp.custom-call/draft-1"},
    {"BP-ENTRY-04", "life_cycle/unknown_factory"},
    {"BP-PROBE-01", "life_cycle/probe"},
    {"BP-PROBE-01", "life_cycle/unknown_device"},
    {"BP-DEINIT-01", "life_cycle/BP-ENTRY-03"},
    {"BP-DEINIT-01", "life_cycle/BP-INIT-02/*"},
    {"BP-ENTRY-03", "life_cycle/leaks/*"},
    {"BP-COMPILE-02", "life_cycle/BP-LOAD-03", "bp.compiler/1"},
};

}  // namespace

const Stage life_cycle_stage = {.name = "life_cycle",
                                .summary = "loading the plugin, creating devices, and releasing both again",
                                .list = list_life_cycle,
                                .run = run_life_cycle,
                                .deadline_seconds = 120,
                                .is_alone = true,
                                .gate = "life_cycle/load",
                                .rules = rules_of_life_cycle};

}  // namespace bp::conformance
