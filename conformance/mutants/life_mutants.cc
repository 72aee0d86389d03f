// Faults of entry, factory and device, added to the plugin `kernels`.
#include <chrono>
#include <condition_variable>
#include <memory>
#include <thread>

#include "conformance/mutants/common_faults.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

// Allocates memory that is never freed.
void leak(std::size_t bytes) {
  static volatile char *kept;
  kept = new char[bytes];
  for (std::size_t i = 0; i < bytes; i += 512) {
    kept[i] = 1;
  }
}

// Starts a thread that does not end.
void leave_a_thread() {
  std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
}

template <class Body>
Fault at_create(Body body) {
  return {.factory_create = [body](const auto &next, auto &, const bp_host_t *host, const char *id,
                                   std::uint32_t instance, const bp_option_t *options, std::uint32_t option_count,
                                   const bp_diag_t *diag) {
    const auto create = [&](std::span<const bp_option_t> given) {
      return next(host, id, instance, given.data(), static_cast<std::uint32_t>(given.size()), diag);
    };
    return body(create, host, std::span(options, option_count));
  }};
}
template <class Body>
Fault at_device_init(Body body) {
  return {.device_init = [body](const auto &next, layers::LayeredDevice &device, const bp_diag_t *) {
    return body(next, device);
  }};
}
template <class Body>
Fault at_destroy(Body body) {
  return {.device_destroy = [body](const auto &next, auto &) { body(next); }};
}
template <class Body>
Fault at_extension(Body body) {
  return {.device_get_extension = [body](const auto &next, auto &, const char *id) { return body(next, id); }};
}
constexpr int answer = 42;

constexpr Mutant life_table[] = {
    {"init-slow", "life", "init() takes 20 ms", "kernels", "life_cycle/BP-INIT-01",
     [] {
       return Fault{.entry_init = [](const auto &next) {
         std::this_thread::sleep_for(std::chrono::milliseconds(20));
         return next();
       }};
     }},
    {"init-starts-thread", "life", "init() starts a thread", "kernels", "life_cycle/BP-INIT-01",
     [] {
       return Fault{.entry_init = [](const auto &next) {
         leave_a_thread();
         return next();
       }};
     }},
    {"init-once", "life", "init() succeeds only once in a process", "kernels", "life_cycle/BP-INIT-02/*",
     [] {
       return Fault{.entry_init = [](const auto &next) {
         static int count = 0;
         return count++ == 0 ? next() : BP_INTERNAL;
       }};
     }},
    {"init-does-not-nest", "life", "the first deinit() shuts the library down, even if init() was called more often",
     "kernels", "life_cycle/BP-INIT-02/*",
     [] {
       static int open = 0;
       Fault fault;
       fault.entry_init = [](const auto &next) {
         ++open;
         return next();
       };
       fault.entry_deinit = [](const auto &next) {
         open = 0;
         next();
       };
       fault.factory_create = [](const auto &next, auto &, auto...) { return open > 0 ? next() : nullptr; };
       return fault;
     }},
    {"deinit-leaves-thread", "life", "deinit() leaves a thread running", "kernels", "life_cycle/BP-ENTRY-03",
     [] {
       return Fault{.entry_deinit = [](const auto &next) {
         next();
         leave_a_thread();
       }};
     }},
    {"deinit-leaks", "life", "each deinit() leaks 256 KiB", "kernels", "life_cycle/BP-ENTRY-03",
     [] {
       return Fault{.entry_deinit = [](const auto &next) {
         next();
         leak(256 << 10);
       }};
     }},
    {"count-changes", "life", "count() of the factory returns one more at each call", "kernels",
     "life_cycle/BP-FACTORY-01",
     [] {
       return Fault{.factory_count = [](const auto &next, auto &) {
         static std::uint32_t more = 0;
         return next() + more++;
       }};
     }},
    {"count-too-high", "life", "count() of the factory returns one more than there are devices", "kernels",
     "life_cycle/BP-FACTORY-01",
     [] { return Fault{.factory_count = [](const auto &next, auto &) { return next() + 1; }}; }},
    {"factory-for-every-id", "life", "get_factory() returns its only factory for every id", "kernels",
     "life_cycle/unknown_factory",
     [] { return Fault{.entry_get_factory = [](const auto &next, const char *) { return next(BP_DEVICE_FACTORY); }}; }},
    {"description-past-end", "life", "get_desc() returns a description for an index past the last device", "kernels",
     "life_cycle/BP-FACTORY-02",
     [] {
       return Fault{.factory_get_desc = [](const auto &next, auto &, std::uint32_t) {
         const bp_device_desc_t *found = next();
         return found != nullptr ? found : next(0);
       }};
     }},
    {"probe-writes-nothing", "life", "probe() returns BP_OK without writing the number of devices", "kernels",
     "life_cycle/probe",
     [] { return Fault{.factory_probe = [](const auto &, auto &, auto...) -> bp_status { return BP_OK; }}; }},
    {"probe-counts-too-many", "life", "probe() counts one device more than create() can make", "kernels",
     "life_cycle/probe",
     [] {
       Fault fault;
       fault.factory_probe = [](const auto &next, auto &, const char *, std::uint32_t *instances, const bp_diag_t *) {
         const bp_status status = next();
         ++*instances;
         return status;
       };
       fault.factory_create = [](const auto &next, auto &, const bp_host_t *, const char *, std::uint32_t instance,
                                 auto...) { return instance == 0 || instance == BP_NONE ? next() : nullptr; };
       return fault;
     }},
    {"unknown-options-taken", "life", "create() ignores options that it does not know", "kernels",
     "life_cycle/BP-CREATE-02",
     [] {
       return at_create([](const auto &next, const bp_host_t *, std::span<const bp_option_t>) { return next({}); });
     }},
    {"create-leaks", "life", "each create() leaks 64 KiB", "kernels", "life_cycle/BP-ENTRY-03",
     [] {
       return at_create([](const auto &next, const bp_host_t *, std::span<const bp_option_t> options) {
         leak(64 << 10);
         return next(options);
       });
     }},
    {"create-leaks-at-times", "life", "every twelfth create() leaks 64 KiB", "kernels", "life_cycle/BP-ENTRY-03",
     [] {
       return at_create([](const auto &next, const bp_host_t *, std::span<const bp_option_t> options) {
         static int made = 0;
         if (++made % 12 == 0) {
           leak(64 << 10);
         }
         return next(options);
       });
     }},
    {"create-once", "life", "create() succeeds only once in a process", "kernels", "life_cycle/BP-INIT-02/*",
     [] {
       return at_create(
           [](const auto &next, const bp_host_t *, std::span<const bp_option_t> options) -> const bp_device_t * {
             static int made = 0;
             return made++ == 0 ? next(options) : nullptr;
           });
     }},
    {"create-calls-host", "life", "create() asks the host for services", "kernels", "contract/BP-CREATE-01/watched",
     [] {
       return at_create([](const auto &next, const bp_host_t *host, std::span<const bp_option_t> options) {
         host->get_extension(host, BP_EXT_LOG);
         return next(options);
       });
     }},
    {"device-init-fails", "life", "init() of the device fails without a report", "kernels", "life_cycle/load",
     [] { return at_device_init([](const auto &, layers::LayeredDevice &) -> bp_status { return BP_INTERNAL; }); }},
    {"target-null", "life", "the target of the device is null after init()", "kernels", "life_cycle/target",
     [] {
       return at_device_init([](const auto &next, layers::LayeredDevice &device) {
         const bp_status status = next();
         device.abi.target = nullptr;
         return status;
       });
     }},
    {"needs-log", "life", "init() of the device fails if the host has no log service", "kernels",
     "contract/BP-HOST-01/*",
     [] {
       return at_device_init([](const auto &next, layers::LayeredDevice &device) {
         const bp_host_t *host = device.host.below;
         return host->get_extension(host, BP_EXT_LOG) == nullptr ? BP_INTERNAL : next();
       });
     }},
    {"needs-threads", "life", "init() of the device fails if the host has no thread pool", "kernels",
     "contract/BP-HOST-01/*",
     [] {
       return at_device_init([](const auto &next, layers::LayeredDevice &device) {
         const bp_host_t *host = device.host.below;
         return host->get_extension(host, BP_EXT_THREAD_POOL) == nullptr ? BP_INTERNAL : next();
       });
     }},
    {"destroy-leaves-thread", "life", "destroy() of the device leaves a thread running", "kernels",
     "life_cycle/BP-DEVICE-02",
     [] {
       return at_destroy([](const auto &next) {
         next();
         leave_a_thread();
       });
     }},
    {"destroy-leaks", "life", "each destroy() of a device leaks 64 KiB", "kernels", "life_cycle/BP-ENTRY-03",
     [] {
       return at_destroy([](const auto &next) {
         next();
         leak(64 << 10);
       });
     }},
    {"answers-unknown-id", "life", "get_extension() returns a pointer for every id", "kernels",
     "life_cycle/BP-DEVICE-04",
     [] {
       return at_extension([](const auto &next, std::string_view) {
         const void *found = next();
         return found == nullptr ? &answer : found;
       });
     }},
    {"promise-broken", "life", "get_extension() returns null for an extension of the manifest", "kernels",
     "life_cycle/BP-DEVICE-04",
     [] { return at_extension([](const auto &, std::string_view) -> const void * { return nullptr; }); }},
    {"extension-changes", "life", "get_extension() returns null for bp.kernels/1 from the fifth call on", "kernels",
     "contract/BP-DEVICE-05/watched",
     [] {
       auto asked = std::make_shared<int>(0);
       return at_extension([asked](const auto &next, std::string_view id) {
         return id == BP_EXT_KERNELS && ++*asked >= 5 ? nullptr : next();
       });
     }},
};

}  // namespace

const std::span<const Mutant> life_mutants = life_table;

}  // namespace bp::conformance
