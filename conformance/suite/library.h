// A plugin file used directly by its ABI, for cases that do what the core never does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backplane/backplane.h"
#include "core/base/result.h"
#include "core/host/diagnostics.h"
#include "core/host/entry.h"
#include "core/host/host_services.h"
#include "core/host/plugin.h"

namespace bp::conformance {

// The file is open from construction to destruction; the caller calls init() and deinit().
class Library {
 public:
  static Result<Library> open(const std::string &path, std::span<const host::Layer> layers = {});
  Library(Library &&) = default;
  Library &operator=(Library &&) = default;

  host::Entry &entry() const { return *entry_; }
  // Calls bp_entry.init(). A status other than BP_OK is returned as an error with the reported diagnostics.
  Status init() const;
  void deinit() const { entry_->deinit(); }
  // May be called between init() and deinit().
  Result<const bp_device_factory_t *> factory() const;

 private:
  struct Close {
    void operator()(void *library) const;
  };
  Library(std::string path, void *library) : path_(std::move(path)), library_(library) {}

  std::string path_;
  std::unique_ptr<void, Close> library_;
  std::unique_ptr<host::Entry> entry_;
};

struct DestroyDevice {
  void operator()(const bp_device_t *device) const { device->destroy(device); }
};
using OwnedDevice = std::unique_ptr<const bp_device_t, DestroyDevice>;

// Creates a device and, unless `initialize` is false, initializes it.
Result<OwnedDevice> make_device(const bp_device_factory_t &factory, const bp_host_t *host, const std::string &id,
                                std::span<const bp_option_t> options = {}, bool initialize = true);

// Resources that this process holds. Bytes are 0 under sanitizers that replace malloc, because these keep freed memory
// and data about libraries that were closed.
int count_threads();
int count_files();     // open file descriptors
int count_mappings();  // of memory
std::int64_t resident_bytes();
std::int64_t heap_bytes();  // allocated with malloc

// Returns the memory of the device that is taken, by its own account and up to a constant; 0 if it tells nothing.
std::int64_t taken_on_device(const host::Device &device);

// Calls `act` on a thread of its own, and returns when that is gone. To be used between two counts of heap_bytes(): a
// block that was freed still counts while malloc keeps it for the thread that freed it.
void call_on_own_thread(const std::function<void()> &act);

}  // namespace bp::conformance
