#include "conformance/suite/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "core/base/sanitizers.h"

namespace bp::conformance {

void Library::Close::operator()(void *library) const {
  dlclose(library);
}

Result<Library> Library::open(const std::string &path, std::span<const host::Layer> layers) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char *reason = dlerror();
    return make_error(ErrorCode::PluginFailure, "cannot be loaded: {}", reason == nullptr ? "" : reason);
  }
  const auto *entry = static_cast<const bp_plugin_entry_t *>(dlsym(library, "bp_entry"));
  Library opened(path, library);
  if (entry == nullptr || entry->init == nullptr || entry->deinit == nullptr || entry->get_factory == nullptr) {
    return make_error(ErrorCode::PluginFailure, "bp_entry is missing or has a null function");
  }
  opened.entry_ = host::entry_of(*entry);
  for (const host::Layer &layer : layers) {
    opened.entry_ = layer(std::move(opened.entry_));
  }
  return opened;
}

Status Library::init() const {
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) { return entry_->init(path_.c_str(), diag); });
  return diagnostics.result(status, "", "init");
}

Result<const bp_device_factory_t *> Library::factory() const {
  const auto *factory = static_cast<const bp_device_factory_t *>(entry_->get_factory(BP_DEVICE_FACTORY));
  if (factory == nullptr) {
    return make_error(ErrorCode::PluginFailure, "get_factory(\"{}\") is null", BP_DEVICE_FACTORY);
  }
  return factory;
}

Result<OwnedDevice> make_device(const bp_device_factory_t &factory, const bp_host_t *host, const std::string &id,
                                std::span<const bp_option_t> options, bool initialize) {
  host::Diagnostics creation;
  OwnedDevice device;
  const bp_status created = creation.call([&](const bp_diag_t *diag) -> bp_status {
    device.reset(factory.create(&factory, host, id.c_str(), 0, options.data(),
                                static_cast<std::uint32_t>(options.size()), diag));
    return device == nullptr ? BP_INTERNAL : BP_OK;
  });
  BP_TRY(creation.result(created, id, "create"));
  if (initialize) {
    host::Diagnostics initialization;
    const bp_status status =
        initialization.call([&](const bp_diag_t *diag) { return device->init(device.get(), diag); });
    BP_TRY(initialization.result(status, id, "init of the device"));
  }
  return device;
}

namespace {

int count_entries(const char *folder) {
  std::error_code ignored;
  int count = 0;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    ++count;
  }
  return count;
}

}  // namespace

int count_threads() {
  return count_entries("/proc/self/task");
}
int count_files() {
  return count_entries("/proc/self/fd");
}
int count_mappings() {
  int lines = 0;
  if (std::FILE *file = std::fopen("/proc/self/maps", "r")) {
    for (int next = std::fgetc(file); next != EOF; next = std::fgetc(file)) {
      lines += next == '\n' ? 1 : 0;
    }
    std::fclose(file);
  }
  return BP_SANITIZES_MEMORY ? 0 : lines;
}

std::int64_t resident_bytes() {
  long long size = 0, resident = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lld %lld", &size, &resident) != 2) {
      resident = 0;
    }
    std::fclose(file);
  }
  return BP_SANITIZES_MEMORY ? 0 : resident * sysconf(_SC_PAGESIZE);
}

std::int64_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

std::int64_t taken_on_device(const host::Device &device) {
  std::int64_t taken = 0;
  if (device.device_info() != nullptr) {
    const bp_fact_receiver_t receiver = {&taken, [](const bp_fact_receiver_t *self, const bp_fact_t *fact) {
                                           if (std::string_view(fact->name) == "memory.free") {
                                             *static_cast<std::int64_t *>(self->ctx) -=
                                                 static_cast<std::int64_t>(fact->integer);
                                           }
                                         }};
    host::Diagnostics diagnostics;
    diagnostics.call(
        [&](const bp_diag_t *diag) { return device.device_info()->report(device.abi(), &receiver, diag); });
  }
  return taken;
}

void call_on_own_thread(const std::function<void()> &act) {
  std::string entry;
  std::thread([&] {
    entry = fmt::format("/proc/self/task/{}", gettid());
    act();
  }).join();
  // The system counts a thread for a moment after it has been joined.
  for (std::error_code ignored; std::filesystem::exists(entry, ignored);) {
    std::this_thread::yield();
  }
}

}  // namespace bp::conformance
